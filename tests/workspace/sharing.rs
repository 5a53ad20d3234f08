//! Public links: owners make and revoke them, readers with the link open them.

use crate::{SMALL, workspace};
use ibid_tests::member::{Member, account_id};
use ibid_tests::{Database, Setup};

#[tokio::test]
async fn a_link_opens_one_report_until_it_is_revoked() {
    let server = workspace();
    let ada = Member::with_credits(&server, "ada@example.com", 2).await;
    let stranger = Member::stranger(&server);
    let scan = ada.start(&SMALL).await;
    ada.listen(&scan).await;
    let reply = ada.post(&format!("{scan}/share"), &[]).await;
    assert_eq!(reply.header("location"), format!("{scan}#keep"));
    let link = |page: &str| {
        let after = page.split("http://ibid.test/s/").nth(1)?;
        Some(format!("/s/{}", after.split('"').next()?))
    };
    let first = link(&ada.open(&scan).await.text).unwrap();
    let page = stranger.open(&first).await;
    assert_eq!(
        (page.status.as_u16(), page.header("x-robots-tag")),
        (200, "noindex")
    );
    assert!(page.text.contains("Shared report") && page.text.contains(&format!("{first}/models.csv")));
    // Nothing of the owner, and nothing to change.
    assert!(!page.text.contains("ada@example.com") && !page.text.contains("/workspace/scans/"));
    assert!(!page.text.contains("Tags and sharing"));
    for rest in [
        "/answers",
        "/result.json",
        "/answers.json",
        "/models.csv",
        "/competitors.csv",
    ] {
        assert_eq!(
            stranger.open(&format!("{first}{rest}")).await.status,
            200,
            "{rest}"
        );
    }
    for rest in ["/tags", "/share", "/cancel", "/events"] {
        assert_eq!(
            stranger
                .post(&format!("{first}{rest}"), &[])
                .await
                .status
                .as_u16()
                / 100,
            4,
            "{rest}"
        );
    }
    // Sharing again is the same link; after revoking it is another one.
    ada.post(&format!("{scan}/share"), &[]).await;
    assert_eq!(link(&ada.open(&scan).await.text).unwrap(), first);
    ada.post(&format!("{scan}/share/revoke"), &[]).await;
    assert_eq!(stranger.open(&first).await.status, 404);
    assert_eq!(stranger.open(&format!("{first}/result.json")).await.status, 404);
    ada.post(&format!("{scan}/share"), &[]).await;
    let second = link(&ada.open(&scan).await.text).unwrap();
    assert_ne!(second, first);
    assert_eq!(stranger.open(&second).await.status, 200);
    for guess in ["/s/", "/s/x", "/s/%00", "/s/00000000-0000-4000-8000-000000000000"] {
        assert_eq!(stranger.open(guess).await.status, 404, "{guess}");
    }
}

/// The path of the public link that the owner's report shows.
async fn link_of(owner: &Member, scan: &str) -> String {
    let page = owner.open(scan).await.text;
    let after = page.split("http://ibid.test/s/").nth(1).unwrap();
    format!("/s/{}", after.split('"').next().unwrap())
}

#[tokio::test]
async fn a_link_with_a_password_opens_for_those_who_know_it() {
    let database = Database::fresh();
    let server = Setup::default().store(database.open()).workspace().spawn();
    let ada = Member::with_credits(&server, "ada@example.com", 2).await;
    let scan = ada.start(&SMALL).await;
    ada.listen(&scan).await;
    let share = format!("{scan}/share");
    assert_eq!(ada.post(&share, &[("password", "short")]).await.status, 400);
    let secret = [("days", "7"), ("password", "marker of the link")];
    assert_eq!(ada.post(&share, &secret).await.status, 303);
    let shown = ada.open(&scan).await.text;
    assert!(
        shown.contains("with the link and the password") && shown.contains(", until "),
        "{shown}"
    );
    let link = link_of(&ada, &scan).await;
    let mut reader = Member::stranger(&server);
    let locked = reader.open(&link).await;
    assert_eq!(
        (locked.status.as_u16(), locked.header("x-robots-tag")),
        (401, "noindex")
    );
    assert!(
        !locked.text.contains("plumber") && !locked.text.contains("example.com"),
        "{}",
        locked.text
    );
    for rest in ["/answers", "/result.json", "/answers.json", "/models.csv"] {
        let reply = reader.open(&format!("{link}{rest}")).await;
        assert_eq!(
            (reply.status.as_u16(), reply.header("location")),
            (303, link.as_str()),
            "{rest}"
        );
        assert!(!reply.text.contains("plumber"), "{rest}");
    }
    let wrong = reader.post(&link, &[("password", "wrong")]).await;
    assert_eq!((wrong.status.as_u16(), wrong.header("set-cookie")), (401, ""));
    let opened = reader.post(&link, &secret[1..]).await;
    assert_eq!(
        (opened.status.as_u16(), opened.header("location")),
        (303, link.as_str())
    );
    let cookie = opened.header("set-cookie").to_owned();
    assert!(
        cookie.contains(&format!("Path={link};")) && cookie.contains("HttpOnly"),
        "{cookie}"
    );
    reader.cookie = Some(cookie.split(';').next().unwrap().to_owned());
    let page = reader.open(&link).await;
    assert!(
        page.status == 200 && page.text.contains("Shared report"),
        "{}",
        page.text
    );
    assert_eq!(reader.open(&format!("{link}/result.json")).await.status, 200);
    // The pass is worth nothing for another link of the same scan.
    ada.post(&format!("{share}/revoke"), &[]).await;
    assert_eq!(reader.open(&link).await.status, 404);
    ada.post(&share, &secret).await;
    assert_eq!(reader.open(&link_of(&ada, &scan).await).await.status, 401);
    drop(server);
    assert!(!database.holds("marker of the link"));
}

#[tokio::test]
async fn guesses_of_a_password_of_a_link_cost_waits() {
    let server = workspace();
    let ada = Member::with_credits(&server, "ada@example.com", 1).await;
    let scan = ada.start(&SMALL).await;
    ada.listen(&scan).await;
    ada.post(&format!("{scan}/share"), &[("password", "a long password")])
        .await;
    let link = link_of(&ada, &scan).await;
    let reader = Member::stranger(&server);
    for _ in 0..10 {
        assert_eq!(reader.post(&link, &[("password", "wrong")]).await.status, 401);
    }
    let refused = reader.post(&link, &[("password", "a long password")]).await;
    assert_eq!(refused.status, 429);
    assert!(!refused.header("retry-after").is_empty());
    // Signing in is counted for itself.
    let mut owner = Member::stranger(&server);
    assert_eq!(
        owner
            .sign_in("ada@example.com", ibid_tests::member::PASSWORD)
            .await
            .status,
        303
    );
}

#[tokio::test]
async fn a_link_ends_on_its_day() {
    let server = workspace();
    let ada = Member::with_credits(&server, "ada@example.com", 1).await;
    let scan = ada.start(&SMALL).await;
    ada.listen(&scan).await;
    for days in ["0", "-1", "x", "3651"] {
        assert_eq!(
            ada.post(&format!("{scan}/share"), &[("days", days)]).await.status,
            400,
            "{days}"
        );
    }
    ada.post(&format!("{scan}/share"), &[("days", "7")]).await;
    let link = link_of(&ada, &scan).await;
    assert_eq!(Member::stranger(&server).open(&link).await.status, 200);
    let token = link.rsplit('/').next().unwrap();
    let day = 24 * 3_600_000;
    let now = jiff::Timestamp::now().as_millisecond();
    assert!(
        server
            .store
            .shared(token, now + 7 * day - 60_000)
            .unwrap()
            .is_some()
    );
    assert!(server.store.shared(token, now + 7 * day).unwrap().is_none());
}

#[tokio::test]
async fn the_home_page_links_a_sample_while_its_link_is_open() {
    let server = workspace();
    let ada = Member::with_credits(&server, "ada@example.com", 2).await;
    let guest = Member::stranger(&server);
    let scan = ada.start(&SMALL).await;
    ada.listen(&scan).await;
    let share = format!("{scan}/share");
    let sample = async || {
        let home = guest.open("/").await;
        assert_eq!(home.status, 200, "{}", home.text);
        let after = home.text.split("href=\"/s/").nth(1).map(str::to_owned)?;
        Some(format!("/s/{}", after.split('"').next()?))
    };
    ada.post(&share, &[]).await;
    assert_eq!(sample().await, None, "a shared scan is no sample by itself");
    let id = scan.rsplit('/').next().unwrap().parse().unwrap();
    let owner = account_id(&server, "ada@example.com");
    server.service.scans.set_sample(owner, id);
    assert_eq!(sample().await, Some(link_of(&ada, &scan).await));
    ada.post(&format!("{share}/revoke"), &[]).await;
    assert_eq!(sample().await, None);
    ada.post(&share, &[("password", "correct horse")]).await;
    assert_eq!(sample().await, None, "a link that asks for a password");
    ada.post(&format!("{share}/revoke"), &[]).await;
    ada.post(&share, &[]).await;
    assert!(sample().await.is_some());
    let now = jiff::Timestamp::now().as_millisecond();
    server.store.set_disabled(owner, true, now.into()).unwrap();
    assert_eq!(sample().await, None);
}
