//! Previews of public links: tags of the page, and the card that they name.

use crate::{SMALL, workspace};
use futures_util::future::join_all;
use ibid_tests::TestServer;
use ibid_tests::member::{Member, PASSWORD};
use image::ImageFormat;
use reqwest::{Method, Response};

/// A finished scan of a member, and its public link.
async fn shared_scan(member: &Member, terms: &[(&str, &str)]) -> (String, String) {
    let scan = member.start(&SMALL).await;
    member.listen(&scan).await;
    let link = share(member, &scan, terms).await;
    (scan, link)
}

/// Gives a scan a public link and returns its path.
async fn share(member: &Member, scan: &str, terms: &[(&str, &str)]) -> String {
    assert_eq!(member.post(&format!("{scan}/share"), terms).await.status, 303);
    let page = member.open(scan).await.text;
    let after = page.split("http://ibid.test/s/").nth(1).unwrap();
    format!("/s/{}", after.split('"').next().unwrap())
}

async fn card(reader: &Member, link: &str) -> Response {
    let request = reader.request(Method::GET, &format!("{link}/card.png"));
    request.send().await.unwrap()
}

/// The content of a tag of the page.
fn tag<'a>(page: &'a str, name: &str) -> Option<&'a str> {
    let after = page.split(&format!("\"{name}\" content=\"")).nth(1)?;
    after.split('"').next()
}

async fn member(server: &TestServer) -> Member {
    Member::with_credits(server, "ada@example.com", 3).await
}

#[tokio::test]
async fn a_public_link_has_a_card_for_previews() {
    let server = workspace();
    let ada = member(&server).await;
    let (scan, link) = shared_scan(&ada, &[]).await;
    let stranger = Member::stranger(&server);
    let page = stranger.open(&link).await.text;
    let own = format!("http://ibid.test{link}");
    let picture = format!("{own}/card.png");
    for (name, content) in [
        ("og:type", "article"),
        ("og:url", own.as_str()),
        ("og:image", &picture),
        ("og:image:width", "1200"),
        ("og:image:height", "630"),
        ("twitter:card", "summary_large_image"),
    ] {
        assert_eq!(tag(&page, name), Some(content), "{name}");
    }
    let title = tag(&page, "og:title").unwrap();
    assert!(
        title.starts_with("example.com: ") && title.ends_with(" of 100"),
        "{title}"
    );
    let description = tag(&page, "og:description").unwrap();
    assert!(
        description.starts_with("Invented answers. ") && description.contains("“plumber”"),
        "{description}"
    );
    let drawn = card(&stranger, &link).await;
    assert_eq!(drawn.status(), 200);
    for (name, value) in [
        ("content-type", "image/png"),
        ("cache-control", "private, no-cache"),
        ("x-content-type-options", "nosniff"),
        ("x-robots-tag", "noindex"),
    ] {
        assert_eq!(drawn.headers()[name], value);
    }
    let etag = drawn.headers()["etag"].clone();
    let first = drawn.bytes().await.unwrap();
    let decoded = image::load_from_memory_with_format(&first, ImageFormat::Png).unwrap();
    assert_eq!((decoded.width(), decoded.height()), (1_200, 630));
    assert_eq!(card(&stranger, &link).await.bytes().await.unwrap(), first);
    let again = stranger.request(Method::GET, &format!("{link}/card.png"));
    let again = again.header("If-None-Match", etag).send().await.unwrap();
    assert_eq!(
        (again.status().as_u16(), &again.headers()["x-robots-tag"]),
        (304, &"noindex".parse().unwrap())
    );
    // The owner's page and the page of the answers are not previewed.
    for path in [scan, format!("{link}/answers")] {
        assert!(!ada.open(&path).await.text.contains("og:"), "{path}");
    }
}

#[tokio::test]
async fn a_card_follows_the_title_of_its_owner() {
    let server = workspace();
    let ada = member(&server).await;
    let (_, link) = shared_scan(&ada, &[]).await;
    let plain = card(&ada, &link).await.bytes().await.unwrap();
    let id = ibid_tests::member::account_id(&server, "ada@example.com");
    let set = |title, now| {
        let set = server
            .store
            .set_report_brand(id, title, ibid_store::LogoChange::Keep, now);
        assert!(set.unwrap());
    };
    set(Some("Nord"), 1);
    let titled = card(&ada, &link).await.bytes().await.unwrap();
    set(Some("Sud"), 2);
    let renamed = card(&ada, &link).await.bytes().await.unwrap();
    set(None, 3);
    assert!(titled != plain && renamed != titled && renamed != plain);
    assert_eq!(card(&ada, &link).await.bytes().await.unwrap(), plain);
}

#[tokio::test]
async fn a_link_with_a_password_has_no_card() {
    let server = workspace();
    let ada = member(&server).await;
    let secret = [("password", "a long password")];
    let (_, link) = shared_scan(&ada, &secret).await;
    let mut reader = Member::stranger(&server);
    let page = reader.open(&link).await;
    assert!(page.status == 401 && !page.text.contains("og:"), "{}", page.text);
    let locked = card(&reader, &link).await;
    assert_eq!(
        (locked.status().as_u16(), &locked.headers()["x-robots-tag"]),
        (401, &"noindex".parse().unwrap())
    );
    // Readers who know the password read the report, and previews still show nothing of it.
    let opened = reader.post(&link, &secret).await;
    reader.cookie = opened.header("set-cookie").split(';').next().map(str::to_owned);
    let page = reader.open(&link).await;
    assert!(page.status == 200 && !page.text.contains("og:"));
    assert_eq!(card(&reader, &link).await.status(), 404);
}

#[tokio::test]
async fn a_card_ends_with_its_link() {
    let server = workspace();
    let ada = member(&server).await;
    let stranger = Member::stranger(&server);
    let (scan, link) = shared_scan(&ada, &[]).await;
    assert_eq!(card(&stranger, &link).await.status(), 200);
    ada.post(&format!("{scan}/share/revoke"), &[]).await;
    assert_eq!(card(&stranger, &link).await.status(), 404);
    let link = share(&ada, &scan, &[]).await;
    assert_eq!(card(&stranger, &link).await.status(), 200);
    ada.post("/workspace/account/delete", &[("password", PASSWORD)])
        .await;
    assert_eq!(card(&stranger, &link).await.status(), 404);
    for guess in ["/s/x", "/s/00000000-0000-4000-8000-000000000000"] {
        assert_eq!(card(&stranger, guess).await.status(), 404, "{guess}");
    }
}

#[tokio::test]
async fn a_card_that_many_ask_for_at_once_is_drawn_for_all() {
    let server = workspace();
    let ada = member(&server).await;
    let (_, link) = shared_scan(&ada, &[]).await;
    let stranger = Member::stranger(&server);
    // It is not drawn yet, and the drawing takes longer than the arrival of all requests.
    let replies = join_all((0..100).map(|_| card(&stranger, &link))).await;
    for reply in replies {
        assert_eq!(reply.status(), 200);
    }
}
