//! Site audits over a socket: the sample, the templates and the limits.

use crate::server::{Server, answer};
use ibid_audit::fetch::FetchError;
use ibid_audit::{Auditor, SiteLimits, SiteProgress};
use ibid_model::result::{SiteAudit, SiteLimit};
use std::io::Write;
use std::time::Duration;

const HTML: &[&str] = &["Content-Type: text/html; charset=utf-8"];

fn post(n: usize) -> String {
    format!(
        "<!doctype html><html lang=en><head><title>Heat pump number {n}</title></head><body><header class=top><nav></nav></header><main class=post><article class=entry><h1>Pump {n}</h1><p>A heat pump moves heat, number {n}.</p></article><aside class=more></aside></main><footer></footer></body></html>"
    )
}

const SHOP: &str = "<!doctype html><title>Shop</title><body><div class=app><div class=grid><div class=card></div><form class=cart></form></div><section class=offers></section></div>";

/// A site of 40 posts, three shop pages, a page that robots.txt forbids, one that is missing and one that leads away.
fn site() -> Server {
    Server::start(|path, connection| {
        let host = connection.local_addr().expect("an address");
        let locs: String = (0..40)
            .map(|n| format!("/blog/{n}"))
            .chain(["/shop/a", "/shop/b", "/shop/c", "/private/x", "/missing", "/away", "/file.pdf"].map(str::to_owned))
            .map(|path| format!("<url><loc>http://{host}{path}</loc></url>"))
            .chain(["<url><loc>http://169.254.169.254/x</loc></url><url><loc>https://other.example.org/</loc></url>".to_owned()])
            .collect();
        let sent = match path {
            "/" => answer("200 OK", HTML, post(0).as_bytes()),
            "/robots.txt" => answer("200 OK", &[], b"User-agent: *\nDisallow: /private/\n"),
            "/sitemap.xml" => answer("200 OK", &[], format!("<urlset>{locs}</urlset>").as_bytes()),
            "/away" => answer("302 Found", &["Location: http://169.254.169.254/"], b""),
            path if path.starts_with("/blog/") => answer("200 OK", HTML, post(path.len()).as_bytes()),
            path if path.starts_with("/shop/") => answer("200 OK", HTML, SHOP.as_bytes()),
            _ => answer("404 Not Found", HTML, b"<title>404 not found</title>"),
        };
        let _ = connection.write_all(&sent);
    })
}

async fn audit(server: &Server, limits: SiteLimits) -> (Result<SiteAudit, FetchError>, Vec<SiteProgress>) {
    let auditor = Auditor::with_fetcher(server.fetcher());
    let mut seen = Vec::new();
    let now = "2026-11-22T12:00:00Z".parse().expect("a time");
    let done = auditor
        .site(&server.url("/"), limits, now, |progress| seen.push(progress))
        .await;
    (done, seen)
}

#[tokio::test]
async fn a_sample_of_every_kind_of_page_is_audited_and_grouped() {
    let server = site();
    let (audited, progress) = audit(&server, SiteLimits::of_pages(12)).await;
    let site = audited.expect("a report");
    assert_eq!(
        (site.listed, site.sitemap),
        (46, Some(server.url("/sitemap.xml")))
    );
    assert_eq!(site.pages.len() + site.failures.len(), 12);
    // Refused and missing pages have a reason, and nothing was sent to them.
    let reasons: Vec<_> = site
        .failures
        .iter()
        .map(|one| format!("{} {}", one.url, one.reason))
        .collect();
    assert!(
        reasons
            .iter()
            .any(|one| one.contains("/private/x robots.txt, line 2: Disallow: /private/")),
        "{reasons:?}"
    );
    assert!(
        reasons
            .iter()
            .any(|one| one.contains("/away") && one.contains("refused")),
        "{reasons:?}"
    );
    assert!(
        !server
            .paths()
            .iter()
            .any(|path| path.starts_with("/private") || path == "/file.pdf")
    );
    // Posts and shop pages are two templates; the page that is missing is no article.
    let labels: Vec<_> = site.templates.iter().map(|one| one.label.as_str()).collect();
    assert!(labels.contains(&"/shop/*"), "{labels:?}");
    let shop = site
        .templates
        .iter()
        .find(|one| one.label == "/shop/*")
        .expect("the shop");
    assert!(
        shop.pages >= 2
            && shop
                .findings
                .iter()
                .any(|one| one.check == "C2" && one.pages == shop.pages)
    );
    assert!(site.pages.windows(2).all(|pair| pair[0].score <= pair[1].score));
    assert!(
        site.templates
            .windows(2)
            .all(|pair| pair[0].score <= pair[1].score)
    );
    // robots.txt, llms.txt and the sitemap were asked for once.
    for small in ["/robots.txt", "/llms.txt", "/sitemap.xml"] {
        assert_eq!(server.agents(small).len(), 1, "{small}");
    }
    assert_eq!(site.effort.requests as usize, server.paths().len());
    assert_eq!(progress.len(), 12);
    assert!(
        progress
            .iter()
            .zip(1..)
            .all(|(one, done)| (one.done, one.total) == (done, 12))
    );
}

#[tokio::test]
async fn every_page_of_a_site_scores_as_it_does_alone() {
    let server = site();
    let (audited, _) = audit(&server, SiteLimits::of_pages(4)).await;
    let auditor = Auditor::with_fetcher(server.fetcher());
    for page in audited.expect("a report").pages {
        let now = "2026-11-22T12:00:00Z".parse().expect("a time");
        let alone = auditor.audit(&page.url, now).await.expect("a report");
        assert_eq!(page.score, alone.score, "{}", page.url);
    }
}

#[tokio::test]
async fn limits_end_a_site_audit_with_what_there_is() {
    let server = site();
    let default = SiteLimits::of_pages(20);
    for (limits, ended_by) in [
        (
            SiteLimits {
                requests: 9,
                ..default
            },
            SiteLimit::Requests,
        ),
        (
            SiteLimits {
                bytes: 6_000,
                ..default
            },
            SiteLimit::Bytes,
        ),
        (
            SiteLimits {
                time: Duration::ZERO,
                ..default
            },
            SiteLimit::Time,
        ),
    ] {
        let (audited, _) = audit(&server, limits).await;
        let site = audited.expect("a report");
        assert_eq!(site.effort.ended_by, Some(ended_by));
        assert!(!site.pages.is_empty() && site.pages.len() < 20, "{ended_by:?}");
    }
    assert_eq!(SiteLimits::of_pages(9_000).pages, 50);
}

#[tokio::test]
async fn a_site_without_a_sitemap_is_sampled_from_its_links() {
    let server = Server::start(|path, connection| {
        let home = "<!doctype html><title>Home</title><main><h1>Home</h1><a href=/a>a</a><a href='/b#x'>b</a><a href=http://169.254.169.254/>c</a></main>";
        let sent = match path {
            "/" => answer("200 OK", HTML, home.as_bytes()),
            "/a" | "/b" => answer("200 OK", HTML, post(1).as_bytes()),
            _ => answer("404 Not Found", &[], b""),
        };
        let _ = connection.write_all(&sent);
    });
    let (audited, _) = audit(&server, SiteLimits::of_pages(9)).await;
    let site = audited.expect("a report");
    assert_eq!((site.listed, site.sitemap, site.pages.len()), (0, None, 3));
}

#[tokio::test]
async fn a_site_whose_first_page_gives_no_answer_has_no_report() {
    let server = Server::start(|_, _| {});
    let (audited, progress) = audit(&server, SiteLimits::of_pages(9)).await;
    assert!(audited.is_err() && progress.is_empty());
    let auditor = Auditor::with_fetcher(server.fetcher());
    let now = "2026-11-22T12:00:00Z".parse().expect("a time");
    let refused = auditor
        .site("http://10.0.0.1/", SiteLimits::of_pages(9), now, |_| {})
        .await;
    assert!(refused.is_err_and(|error| error.is_refusal()));
}
