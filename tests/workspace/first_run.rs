//! The first account of a new server.

use crate::workspace;
use ibid_tests::Setup;
use ibid_tests::member::{Member, PASSWORD, open_account};

#[tokio::test]
async fn the_link_opens_the_first_account_once() {
    let server = workspace();
    let token = server.service.accounts.open_first_run().await.unwrap().unwrap();
    let path = format!("/first-run/{token}");
    let mut ada = Member::stranger(&server);
    let page = ada.open(&path).await;
    assert_eq!(page.status, 200, "{}", page.text);
    assert!(page.text.contains("Test the models now"), "{}", page.text);
    for (email, password, why) in [
        ("ada", PASSWORD, "e-mail address"),
        ("ada@example.com", "short", "at least 10 characters"),
    ] {
        let refused = ada.post(&path, &[("email", email), ("password", password)]).await;
        assert_eq!(refused.status, 400, "{email}");
        assert!(refused.text.contains(why), "{}", refused.text);
        assert_eq!(refused.header("set-cookie"), "");
    }
    let form = [
        ("email", "ada@example.com"),
        ("password", PASSWORD),
        ("probe", "true"),
    ];
    let done = ada.post(&path, &form).await;
    assert_eq!(done.status, 200, "{}", done.text);
    assert!(done.text.contains("Anthropic Claude Opus") && done.text.contains("Make the first scan"));
    let cookie = done.header("set-cookie").split(';').next().unwrap().to_owned();
    ada.cookie = Some(cookie);
    let form_of_a_scan = ada.open("/workspace").await;
    assert_eq!(form_of_a_scan.status, 200);
    assert!(
        form_of_a_scan.text.contains("100 credits"),
        "{}",
        form_of_a_scan.text
    );
    // Used links, also in another browser.
    assert_eq!(Member::stranger(&server).open(&path).await.status, 404);
    let again = Member::stranger(&server).post(&path, &form).await;
    assert_eq!(
        (again.status.as_u16(), again.header("location")),
        (303, "/sign-in")
    );
    let other = [("email", "eve@example.com"), ("password", PASSWORD)];
    assert_eq!(Member::stranger(&server).post(&path, &other).await.status, 404);
    let accounts = server.store.accounts().unwrap();
    assert_eq!(accounts.len(), 1);
    assert_eq!(accounts[0].role, ibid_store::Role::Admin);
    assert_eq!(ada.open("/workspace/admin").await.status, 200);
    assert_eq!(server.service.accounts.open_first_run().await.unwrap(), None);
}

#[tokio::test]
async fn a_link_is_worth_nothing_once_there_is_an_account() {
    let server = workspace();
    let token = server.service.accounts.open_first_run().await.unwrap().unwrap();
    let stranger = Member::stranger(&server);
    for guess in ["x", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"] {
        assert_eq!(stranger.open(&format!("/first-run/{guess}")).await.status, 404);
    }
    open_account(&server, "ada@example.com", 0);
    assert_eq!(stranger.open(&format!("/first-run/{token}")).await.status, 404);
}

#[tokio::test]
async fn without_a_key_the_page_says_where_to_set_it() {
    let server = Setup::default().spawn();
    let token = server.service.accounts.open_first_run().await.unwrap().unwrap();
    let page = Member::stranger(&server)
        .open(&format!("/first-run/{token}"))
        .await;
    assert!(page.text.contains("ROUTER_API_KEY"), "{}", page.text);
    assert!(!page.text.contains("Test the models"), "{}", page.text);
}

#[tokio::test]
async fn a_form_that_is_sent_many_times_opens_one_account() {
    let server = workspace();
    let token = server.service.accounts.open_first_run().await.unwrap().unwrap();
    let path = format!("/first-run/{token}");
    let posts = (0..12).map(|n| {
        let (path, eve) = (path.clone(), format!("eve{n}@example.com"));
        let member = Member::stranger(&server);
        async move {
            // Every other post has the same address, like those of a double click.
            let email = if n % 2 == 0 {
                "ada@example.com"
            } else {
                eve.as_str()
            };
            let reply = member
                .post(&path, &[("email", email), ("password", PASSWORD)])
                .await;
            (
                email.to_owned(),
                reply.status.as_u16(),
                reply.header("location").to_owned(),
            )
        }
    });
    let replies = futures_util::future::join_all(posts).await;
    let accounts = server.store.accounts().unwrap();
    assert_eq!(accounts.len(), 1);
    assert_eq!(accounts[0].credits, 100);
    for (email, status, location) in replies {
        match status {
            200 | 303 => assert_eq!(email, accounts[0].email),
            404 => assert_ne!(email, accounts[0].email),
            other => panic!("{other} {location}"),
        }
        assert!(status != 303 || location == "/sign-in");
    }
}
