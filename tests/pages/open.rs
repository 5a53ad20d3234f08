//! Public pages, and the tables that they are rendered from.

use ibid_model::contract::{PROBLEMS, ROUTES};
use ibid_model::{Catalog, Skill};
use ibid_tests::{ApiClient, Reply, Setup, TestServer};
use ibid_x402::SandboxFacilitator;
use reqwest::Method;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Opens a page as a browser does, without compression.
pub(crate) async fn browse(client: &ApiClient, path: &str) -> Reply {
    let request = client.bare(Method::GET, path);
    Reply::of(request.header("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")).await
}

#[tokio::test]
async fn pages_have_all_their_headers() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    for path in ["/", "/docs", "/docs/schemas", "/docs/errors", "/docs/glossary"] {
        let page = browse(&client, path).await;
        assert_eq!(page.status, 200, "{path}");
        for (name, value) in [
            ("content-type", "text/html; charset=utf-8"),
            ("content-security-policy", ibid_web::CONTENT_SECURITY_POLICY),
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "same-origin"),
            ("cross-origin-opener-policy", "same-origin"),
            (
                "permissions-policy",
                "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), payment=(), usb=()",
            ),
            ("x-sandbox", "true"),
        ] {
            assert_eq!(page.header(name), value, "{name} of {path}");
        }
        // The API reference is the same for all readers that are not signed in.
        let kept = if ["/docs", "/docs/schemas"].contains(&path) {
            "private, no-cache"
        } else {
            "private, no-store"
        };
        assert_eq!(page.header("cache-control"), kept, "{path}");
        let head = Reply::of(client.bare(Method::HEAD, path)).await;
        assert_eq!((head.status.as_u16(), &*head.text), (200, ""), "{path}");
    }
    let policy = ibid_web::CONTENT_SECURITY_POLICY;
    assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"));
}

#[tokio::test]
async fn crawlers_find_their_files() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let get = |path: &'static str| Reply::of(client.bare(Method::GET, path));
    let robots = get("/robots.txt").await;
    assert_eq!(robots.header("content-type"), "text/plain; charset=utf-8");
    let (all, previews) = robots.text.split_once("\n\n").unwrap();
    assert!(
        all.starts_with("User-agent: *\nDisallow: /s/\n"),
        "{}",
        robots.text
    );
    assert!(
        previews.contains("User-agent: Twitterbot\n") && !previews.contains("/s/"),
        "{}",
        robots.text
    );
    assert!(
        robots.text.ends_with("Sitemap: http://ibid.test/sitemap.xml\n"),
        "{}",
        robots.text
    );
    let sitemap = get("/sitemap.xml").await.text;
    let pages: Vec<&str> = sitemap
        .split("<loc>http://ibid.test")
        .skip(1)
        .filter_map(|rest| rest.split_once('<').map(|(path, _)| path))
        .collect();
    assert_eq!(pages.len(), 5);
    for path in pages {
        assert_eq!(browse(&client, path).await.status, 200, "{path}");
    }
    let icon = get("/favicon.ico").await;
    assert_eq!(icon.status, 302);
    let path = icon.header("location").to_owned();
    assert!(
        ibid_web::assets::all().iter().any(|asset| asset.path == path),
        "{path}"
    );
}

#[tokio::test]
async fn pages_of_the_reference_are_at_most_48_kilobytes_as_sent() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    for path in ["/docs", "/docs/schemas", "/docs/errors", "/docs/glossary"] {
        let page = client.bare(Method::GET, path).header("Accept-Encoding", "gzip");
        let sent = page.send().await.unwrap().bytes().await.unwrap().len();
        assert!((1_000..48_000).contains(&sent), "{path}: {sent} bytes");
    }
}

/// The transfer of a first visit: the page and every asset that it names, compressed.
#[tokio::test]
async fn home_is_light() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let page = client.bare(Method::GET, "/").header("Accept-Encoding", "gzip");
    let page = page.send().await.unwrap();
    assert_eq!(page.headers()["content-encoding"], "gzip");
    let mut transferred = page.bytes().await.unwrap().len();
    let plain = browse(&client, "/").await.text;
    for asset in ibid_web::assets::all() {
        if plain.contains(&asset.path) {
            transferred += asset.gzip.len();
        }
    }
    assert!((5_000..60_000).contains(&transferred), "{transferred} bytes");
}

#[tokio::test]
async fn every_endpoint_of_the_table_is_served_with_its_method() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    for route in ROUTES {
        let path = route.path.replace("{id}", "00000000-0000-4000-8000-000000000000");
        // No path takes this method, and each says which it takes instead.
        let reply = Reply::of(client.bare(Method::TRACE, &path)).await;
        assert_eq!(reply.status, 405, "{}", route.path);
        let methods = ROUTES.iter().filter(|other| other.path == route.path);
        let expected: BTreeSet<&str> = methods
            .flat_map(|other| other.method.allow().split(", "))
            .collect();
        let allowed: BTreeSet<&str> = reply.header("allow").split(", ").collect();
        assert_eq!(allowed, expected, "{}", route.path);
    }
}

#[tokio::test]
async fn the_reference_shows_every_operation_and_every_code() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let docs = browse(&client, "/docs").await.text;
    let document = Reply::of(client.bare(Method::GET, "/openapi.json")).await.json();
    for path in document["paths"].as_object().unwrap().keys() {
        assert!(docs.contains(path.as_str()), "{path}");
    }
    for model in Catalog::builtin().models() {
        assert!(docs.contains(model.alias.as_str()), "{}", model.alias);
    }
    let schemas = browse(&client, "/docs/schemas").await.text;
    for name in document["components"]["schemas"].as_object().unwrap().keys() {
        assert!(schemas.contains(&format!(">{name}</a>")), "{name}");
    }
    for page in [&docs, &schemas] {
        for link in page.split("href=\"/docs/schemas#").skip(1) {
            let anchor = link.split('"').next().unwrap();
            assert!(schemas.contains(&format!("id=\"{anchor}\"")), "{anchor}");
        }
    }
    let codes = browse(&client, "/docs/errors").await.text;
    for entry in &PROBLEMS {
        assert!(
            codes.contains(&format!("<div id=\"{}\">", entry.word)),
            "{}",
            entry.word
        );
    }
    // Where a problem document points to, there is something.
    let problem = Reply::of(client.bare(Method::GET, "/nowhere")).await.json();
    let (page, anchor) = problem["type"].as_str().unwrap().split_once('#').unwrap();
    assert_eq!(page, "http://ibid.test/docs/errors");
    assert!(codes.contains(&format!("id=\"{anchor}\"")));
}

#[tokio::test]
async fn llms_txt_agrees_with_the_served_paths() {
    let server = Setup::default()
        .selling(Arc::new(SandboxFacilitator::new()))
        .spawn();
    let client = ApiClient::of(&server);
    let page = Reply::of(client.bare(Method::GET, "/llms.txt")).await;
    assert_eq!(page.header("content-type"), "text/plain; charset=utf-8");
    let models = Reply::of(client.bare(Method::GET, "/api/v1/models")).await.json();
    let models = models["byok"].as_array().unwrap();
    assert_eq!(models.len(), 6);
    for model in models {
        let row = format!(
            "- `{}`: {}",
            model["id"].as_str().unwrap(),
            model["name"].as_str().unwrap()
        );
        assert!(page.text.contains(&row), "{row} is missing in\n{}", page.text);
    }
    for skill in Skill::ALL {
        assert!(
            page.text.contains(&format!("({} USDC)", skill.price())),
            "{skill}"
        );
    }
    for part in [
        "network `base-sepolia`",
        "http://ibid.test/api/v1/scan",
        "access@ibid.test",
        "invented",
    ] {
        assert!(page.text.contains(part), "{part}");
    }
    let unsold = TestServer::spawn();
    let page = Reply::of(ApiClient::of(&unsold).bare(Method::GET, "/llms.txt")).await;
    assert!(page.text.contains("Switched off on this server"));
    assert!(!page.text.contains(" USDC)"), "{}", page.text);
}
