//! The title and the logo that an account puts on its reports.

use crate::{SMALL, workspace};
use ibid_store::Role;
use ibid_tests::member::{Member, PASSWORD};
use ibid_tests::{Reply, TestServer};
use image::{DynamicImage, ImageFormat, Rgba, RgbaImage};
use reqwest::Method;
use serde_json::Value;
use std::io::Cursor;

const BRAND: &str = "/workspace/account/brand";
const LOGO: &str = "/workspace/account/logo.png";

/// A picture in one colour.
fn picture(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
    let pixels = RgbaImage::from_pixel(width, height, Rgba([10, 102, 95, 255]));
    let mut bytes = Cursor::new(Vec::new());
    DynamicImage::from(pixels)
        .to_rgb8()
        .write_to(&mut bytes, format)
        .unwrap();
    bytes.into_inner()
}

/// A form of a browser with the fields and the file `logo`.
fn form(fields: &[(&str, &str)], file: Option<&[u8]>) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, value) in fields {
        let part = format!("--edge\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
        body.extend(part.into_bytes());
    }
    // A browser sends an empty file where none was chosen.
    let name = if file.is_some() { "logo.svg" } else { "" };
    let head = format!(
        "--edge\r\nContent-Disposition: form-data; name=\"logo\"; filename=\"{name}\"\r\nContent-Type: image/svg+xml\r\n\r\n"
    );
    body.extend(head.into_bytes());
    body.extend_from_slice(file.unwrap_or_default());
    body.extend_from_slice(b"\r\n--edge--\r\n");
    body
}

async fn send(member: &Member, fields: &[(&str, &str)], file: Option<&[u8]>) -> Reply {
    let request = member
        .request(Method::POST, BRAND)
        .header("Accept", "text/html,*/*;q=0.8")
        .header("Content-Type", "multipart/form-data; boundary=edge")
        .body(form(fields, file));
    Reply::of(request).await
}

/// A picture of the server: its status, type and bytes.
async fn fetch(member: &Member, path: &str) -> (u16, String, Vec<u8>) {
    let response = member.request(Method::GET, path).send().await.unwrap();
    let kind = response.headers().get("content-type");
    let kind = kind.map_or(String::new(), |kind| kind.to_str().unwrap().to_owned());
    (
        response.status().as_u16(),
        kind,
        response.bytes().await.unwrap().to_vec(),
    )
}

/// A finished scan of a member, and its public link.
async fn shared_scan(member: &Member) -> (String, String) {
    let scan = member.start(&SMALL).await;
    member.listen(&scan).await;
    member.post(&format!("{scan}/share"), &[]).await;
    let page = member.open(&scan).await.text;
    let after = page.split("http://ibid.test/s/").nth(1).unwrap();
    let link = format!("/s/{}", after.split('"').next().unwrap());
    (scan, link)
}

async fn member(server: &TestServer) -> Member {
    Member::with_credits(server, "ada@example.com", 3).await
}

#[tokio::test]
async fn a_title_and_a_logo_stand_on_every_report_of_the_account() {
    let server = workspace();
    let ada = member(&server).await;
    let (scan, link) = shared_scan(&ada).await;
    let stranger = Member::stranger(&server);
    let pages = [
        (&ada, scan.clone(), LOGO.to_owned()),
        (&ada, format!("{scan}/answers"), LOGO.to_owned()),
        (&stranger, link.clone(), format!("{link}/logo.png")),
        (&stranger, format!("{link}/answers"), format!("{link}/logo.png")),
    ];
    for (reader, path, logo) in &pages {
        assert!(!reader.open(path).await.text.contains("masthead"), "{path}");
        assert_eq!(reader.open(logo).await.status, 404, "{logo}");
    }
    let upload = picture(600, 300, ImageFormat::Jpeg);
    let saved = send(&ada, &[("title", " Agència <b>Nord</b> ")], Some(&upload)).await;
    assert_eq!(
        (saved.status.as_u16(), saved.header("location")),
        (303, "/workspace/account#brand")
    );
    for (reader, path, logo) in &pages {
        let page = reader.open(path).await.text;
        assert!(page.contains("Agència &lt;b&gt;Nord&lt;/b&gt;"), "{path}: {page}");
        assert!(page.contains(&format!("src=\"{logo}\"")), "{path}");
        assert!(page.contains("measured with"), "{path}");
        let (status, kind, bytes) = fetch(reader, logo).await;
        assert_eq!((status, kind.as_str()), (200, "image/png"), "{logo}");
        let kept = image::load_from_memory_with_format(&bytes, ImageFormat::Png).unwrap();
        assert_eq!((kept.width(), kept.height()), (320, 160));
    }
    let account = ada.open("/workspace/account").await.text;
    assert!(
        account.contains("value=\"Agència &lt;b&gt;Nord&lt;/b&gt;\"") && account.contains("Remove the logo")
    );
    // A form without a file keeps the logo.
    assert_eq!(send(&ada, &[("title", "")], None).await.status, 303);
    let page = stranger.open(&link).await.text;
    assert!(page.contains("logo.png") && !page.contains("Nord"));
    assert_eq!(
        send(&ada, &[("title", "Nord"), ("remove", "true")], None)
            .await
            .status,
        303
    );
    let page = stranger.open(&link).await.text;
    assert!(!page.contains("logo.png") && page.contains("Nord"));
    assert_eq!(stranger.open(&format!("{link}/logo.png")).await.status, 404);
    assert_eq!(send(&ada, &[("title", " ")], None).await.status, 303);
    assert!(!stranger.open(&link).await.text.contains("masthead"));
}

#[tokio::test]
async fn a_logo_has_the_headers_of_a_private_picture() {
    let server = workspace();
    let ada = member(&server).await;
    let (_, link) = shared_scan(&ada).await;
    send(&ada, &[], Some(&picture(9, 9, ImageFormat::Png))).await;
    let stranger = Member::stranger(&server);
    for (reader, path) in [(&ada, LOGO.to_owned()), (&stranger, format!("{link}/logo.png"))] {
        let first = reader.request(Method::GET, &path).send().await.unwrap();
        for (name, value) in [
            ("cache-control", "private, no-cache"),
            ("x-content-type-options", "nosniff"),
            ("content-security-policy", ibid_web::CONTENT_SECURITY_POLICY),
        ] {
            assert_eq!(first.headers()[name], value, "{path}");
        }
        let tag = first.headers()["etag"].clone();
        let again = reader.request(Method::GET, &path).header("If-None-Match", &tag);
        assert_eq!(again.send().await.unwrap().status(), 304, "{path}");
    }
    let page = stranger.open(&format!("{link}/logo.png")).await;
    assert_eq!(page.header("x-robots-tag"), "noindex");
    // The logo of a link ends with the link, and is locked with it.
    let (scan, link) = shared_scan(&ada).await;
    ada.post(&format!("{scan}/share/revoke"), &[]).await;
    assert_eq!(stranger.open(&format!("{link}/logo.png")).await.status, 404);
    let secret = [("password", "a long password")];
    ada.post(&format!("{scan}/share"), &secret).await;
    let page = ada.open(&scan).await.text;
    let after = page.split("http://ibid.test/s/").nth(1).unwrap();
    let link = format!("/s/{}", after.split('"').next().unwrap());
    let locked = stranger.open(&format!("{link}/logo.png")).await;
    assert_eq!(
        (locked.status.as_u16(), locked.header("location")),
        (303, link.as_str())
    );
    assert!(!stranger.open(&link).await.text.contains("logo.png"));
}

#[tokio::test]
async fn bad_titles_and_logos_change_nothing() {
    let server = workspace();
    let ada = member(&server).await;
    let logo = picture(9, 9, ImageFormat::Png);
    assert_eq!(send(&ada, &[("title", "Nord")], Some(&logo)).await.status, 303);
    let (_, _, kept) = fetch(&ada, LOGO).await;
    let long = "x".repeat(81);
    for (title, file, why) in [
        ("Sud\u{202e}", None, "invisible characters"),
        ("Sud\u{200b}", None, "invisible characters"),
        (long.as_str(), Some(logo.as_slice()), "at most 80 characters"),
        (
            "Sud",
            Some(b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>".as_slice()),
            "a PNG or a JPEG",
        ),
        ("Sud", Some(&logo[..20]), "damaged"),
        (
            "Sud",
            Some(&picture(1_025, 2, ImageFormat::Png)),
            "1024 by 1024 pixels",
        ),
    ] {
        let refused = send(&ada, &[("title", title)], file).await;
        assert_eq!(refused.status, 400, "{title:?}");
        assert!(refused.text.contains(why), "{why}: {}", refused.text);
        assert!(refused.text.contains("Nothing was changed"), "{why}");
    }
    for bytes in [100 * 1_024 + 1, 109 * 1_024, 300 * 1_024] {
        let mut large = logo.clone();
        large.resize(bytes, 0);
        let refused = send(&ada, &[("title", "Sud")], Some(&large)).await;
        assert_eq!(refused.status, 413, "{bytes}");
        assert!(
            refused.text.contains("The body may have at most"),
            "{}",
            refused.text
        );
    }
    let mut most = logo.clone();
    most.resize(100 * 1_024, 0);
    assert_eq!(send(&ada, &[("title", "Nord")], Some(&most)).await.status, 303);
    // Forms of another kind, and forms that end early.
    assert_eq!(ada.post(BRAND, &[("title", "Sud")]).await.status, 415);
    for body in [
        "",
        "--edge",
        "--edge\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nSud",
    ] {
        let request = ada
            .request(Method::POST, BRAND)
            .header("Content-Type", "multipart/form-data; boundary=edge");
        assert_eq!(Reply::of(request.body(body)).await.status, 400, "{body:?}");
    }
    assert!(
        ada.open("/workspace/account")
            .await
            .text
            .contains("value=\"Nord\"")
    );
    assert_eq!(fetch(&ada, LOGO).await.2, kept);
}

#[tokio::test]
async fn only_the_owner_changes_its_title_from_its_own_page() {
    let server = workspace();
    let ada = member(&server).await;
    let vic = Member::with_role(&server, "vic@example.com", 0, Role::Viewer).await;
    let eve = Member::with_credits(&server, "eve@example.com", 0).await;
    let logo = picture(9, 9, ImageFormat::Png);
    assert_eq!(send(&vic, &[("title", "Nord")], Some(&logo)).await.status, 403);
    let page = vic.open("/workspace/account").await;
    assert!(page.status == 200 && !page.text.contains(BRAND));
    assert_eq!(
        send(&Member::stranger(&server), &[("title", "Nord")], None)
            .await
            .status,
        303
    );
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    for (name, value) in [
        ("Sec-Fetch-Site", "cross-site"),
        ("Origin", "https://evil.example"),
    ] {
        let sent = http
            .post(format!("{}{BRAND}", server.url))
            .header("Cookie", ada.cookie.clone().unwrap())
            .header(name, value)
            .header("Content-Type", "multipart/form-data; boundary=edge")
            .body(form(&[("title", "Nord")], Some(&logo)));
        assert_eq!(sent.send().await.unwrap().status(), 403, "{name}");
    }
    assert!(!ada.open("/workspace/account").await.text.contains("Nord"));
    assert_eq!(send(&ada, &[("title", "Nord")], Some(&logo)).await.status, 303);
    assert_eq!(eve.open(LOGO).await.status, 404);
    assert!(!eve.open("/workspace/account").await.text.contains("Nord"));
}

#[tokio::test]
async fn the_export_has_the_title_and_the_logo_and_deletion_removes_them() {
    let server = workspace();
    let ada = member(&server).await;
    let export = async || -> Value {
        let reply = ada.open("/workspace/account/export.json").await;
        serde_json::from_str(&reply.text).unwrap()
    };
    assert_eq!(export().await["reportBrand"], Value::Null);
    let logo = picture(9, 9, ImageFormat::Png);
    send(&ada, &[("title", "Nord")], Some(&logo)).await;
    let brand = &export().await["reportBrand"];
    assert_eq!(brand["title"], "Nord");
    use base64::Engine as _;
    let png = base64::engine::general_purpose::STANDARD.decode(brand["logoPng"].as_str().unwrap());
    assert_eq!(png.unwrap(), fetch(&ada, LOGO).await.2);
    let id = ibid_tests::member::account_id(&server, "ada@example.com");
    assert!(server.store.report_brand(id).unwrap().is_some());
    let delete = [("password", PASSWORD)];
    assert_eq!(ada.post("/workspace/account/delete", &delete).await.status, 303);
    assert!(server.store.report_brand(id).unwrap().is_none());
}
