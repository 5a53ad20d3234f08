//! Whole audits by address, over a socket.

use crate::server::{Server, answer};
use ibid_audit::Auditor;
use ibid_audit::fetch::FetchError;
use ibid_model::result::{AuditReport, CheckStatus, GateId};

const PAGE: &str = "<!doctype html><html lang=en><head><meta charset=utf-8><title>Heat pumps in old houses</title></head><body><main><h1>Heat pumps</h1><p>A heat pump is a machine that moves heat from outside air into a house, and works below 55 °C.</p></main></body></html>";
const HTML: &[&str] = &["Content-Type: text/html; charset=utf-8"];

async fn audit(server: &Server, path: &str) -> Result<AuditReport, FetchError> {
    let auditor = Auditor::with_fetcher(server.fetcher());
    auditor
        .audit(&server.url(path), "2026-11-21T12:00:00Z".parse().expect("a time"))
        .await
}

#[track_caller]
fn status(report: &AuditReport, id: &str) -> CheckStatus {
    report
        .checks
        .iter()
        .find(|check| check.id == id)
        .expect(id)
        .status
}

#[tokio::test]
async fn a_page_and_its_small_files_are_asked_once() {
    let server = Server::with(&[("/page", "200 OK", HTML, PAGE)]);
    let report = audit(&server, "/page").await.expect("a report");
    let mut paths = server.paths();
    assert_eq!(paths.remove(0), "/page");
    paths.sort();
    assert_eq!(
        paths,
        [
            "/.well-known/tdmrep.json",
            "/llms.txt",
            "/robots.txt",
            "/sitemap.xml"
        ]
    );
    assert_eq!(
        (report.status, status(&report, "A1"), status(&report, "C5")),
        (Some(200), CheckStatus::Pass, CheckStatus::Na)
    );
    assert_eq!(report.url, report.final_url);
    assert!(report.page.elapsed_ms.is_some() && !report.crawlers.is_empty());
}

#[tokio::test]
async fn the_sitemap_of_robots_txt_is_used_if_it_is_of_the_same_site() {
    let sitemap = |server: &Server| {
        format!(
            "User-agent: *\nSitemap: https://other.example.org/s.xml\nSitemap: {}\n",
            server.url("/maps/s.xml")
        )
    };
    let server = Server::start(move |path, connection| {
        use std::io::Write;
        let host = connection.local_addr().expect("an address");
        let index = format!(
            "<sitemapindex><sitemap><loc>http://{host}/maps/a.xml</loc></sitemap><sitemap><loc>http://169.254.169.254/b.xml</loc></sitemap><sitemap><loc>http://{host}/maps/guides.xml</loc></sitemap></sitemapindex>"
        );
        let child = format!("<urlset><url><loc>http://{host}/guides/page</loc></url></urlset>");
        let robots = format!(
            "User-agent: *\nSitemap: https://other.example.org/s.xml\nSitemap: http://{host}/maps/s.xml\n"
        );
        let (status, body) = match path {
            "/guides/page" => ("200 OK", PAGE),
            "/robots.txt" => ("200 OK", robots.as_str()),
            "/maps/s.xml" => ("200 OK", index.as_str()),
            "/maps/guides.xml" => ("200 OK", child.as_str()),
            _ => ("404 Not Found", ""),
        };
        let _ = connection.write_all(&answer(status, HTML, body.as_bytes()));
    });
    let _ = sitemap(&server);
    let report = audit(&server, "/guides/page").await.expect("a report");
    assert_eq!(status(&report, "B2"), CheckStatus::Pass, "{:?}", server.paths());
    assert!(!server.paths().contains(&"/sitemap.xml".to_owned()));
}

#[tokio::test]
async fn any_answer_is_a_finding() {
    let server = Server::with(&[
        ("/gone", "410 Gone", HTML, "gone"),
        ("/error", "500 Oops", HTML, ""),
        ("/pdf", "200 OK", &["Content-Type: application/pdf"], "%PDF-1.7"),
    ]);
    for path in ["/gone", "/error", "/pdf", "/missing"] {
        let report = audit(&server, path).await.expect(path);
        assert_eq!(
            report.gates.first().map(|gate| gate.id),
            Some(GateId::NotAPage),
            "{path}"
        );
        assert!(report.score <= 20, "{path}");
    }
}

#[tokio::test]
async fn robots_txt_that_fails_closes_the_site() {
    let server = Server::with(&[("/", "200 OK", HTML, PAGE), ("/robots.txt", "503 Later", &[], "")]);
    let report = audit(&server, "/").await.expect("a report");
    assert!(
        report
            .gates
            .iter()
            .any(|gate| gate.id == GateId::RobotsUnreachable)
    );
    assert!(report.crawlers.iter().all(|crawler| !crawler.allowed));
}

#[tokio::test]
async fn small_files_cannot_lead_us_astray() {
    let server = Server::with(&[
        ("/", "200 OK", HTML, PAGE),
        (
            "/robots.txt",
            "302 Found",
            &["Location: http://169.254.169.254/robots.txt"],
            "",
        ),
        ("/llms.txt", "301 Moved", &["Location: file:///etc/passwd"], ""),
        ("/sitemap.xml", "302 Found", &["Location: http://localhost/"], ""),
    ]);
    let report = audit(&server, "/").await.expect("a report");
    for (id, expected) in [
        ("A1", CheckStatus::Fail),
        // The refusal of robots.txt is one finding, that of A1.
        ("A2", CheckStatus::Na),
        ("B2", CheckStatus::Unknown),
        ("B5", CheckStatus::Unknown),
    ] {
        assert_eq!(status(&report, id), expected, "{id}");
    }
}

#[tokio::test]
async fn redirects_are_listed() {
    let server = Server::with(&[
        ("/old", "301 Moved", &["Location: /new"], ""),
        ("/new", "200 OK", HTML, PAGE),
    ]);
    let report = audit(&server, "/old").await.expect("a report");
    assert_eq!(report.page.redirects, [server.url("/old")]);
    assert_eq!(report.final_url, Some(server.url("/new")));
}

#[tokio::test]
async fn encodings_are_read_as_browsers_do() {
    let server = Server::start(|path, connection| {
        use std::io::Write;
        let (kind, body): (&str, &[u8]) = match path {
            "/latin" => (
                "text/html; charset=iso-8859-1",
                b"<title>Caf\xe9 Z\xfcrich</title>",
            ),
            "/meta" => (
                "text/html",
                b"<meta charset=windows-1251><title>\xcf\xf0\xe8\xe2\xe5\xf2</title>",
            ),
            "/bom" => (
                "text/html; charset=iso-8859-1",
                b"\xef\xbb\xbf<title>Caf\xc3\xa9</title>",
            ),
            "/utf16" => (
                "text/html",
                b"\xff\xfe<\0t\0i\0t\0l\0e\0>\0h\0i\0<\0/\0t\0i\0t\0l\0e\0>\0",
            ),
            "/wrong" => ("text/html; charset=utf-8", b"<title>Caf\xe9</title>"),
            "/nonsense" => ("text/html; charset=\"x;y", b"<title>plain</title>"),
            _ => ("text/plain", b""),
        };
        let head = format!("Content-Type: {kind}");
        let _ = connection.write_all(&answer("200 OK", &[&head], body));
    });
    for (path, title, charset) in [
        ("/latin", "Café Zürich", "windows-1252"),
        ("/meta", "Привет", "windows-1251"),
        ("/bom", "Café", "UTF-8"),
        ("/utf16", "hi", "UTF-16LE"),
        ("/wrong", "Caf\u{fffd}", "UTF-8"),
        ("/nonsense", "plain", "UTF-8"),
    ] {
        let report = audit(&server, path).await.expect(path);
        assert_eq!(
            (report.page.title.as_deref(), report.page.charset.as_str()),
            (Some(title), charset),
            "{path}"
        );
    }
}

#[tokio::test]
async fn only_so_many_audits_are_computed_at_once() {
    let server = Server::with(&[]);
    let mut config = server.config("");
    config.parallel = 1;
    let auditor = Auditor::new(config).expect("an auditor");
    let page = || ibid_audit::Page::from_html(PAGE, None, "2026-11-21T12:00:00Z".parse().expect("a time"));
    let (one, two, three) = tokio::join!(
        auditor.audit_page(page()),
        auditor.audit_page(page()),
        auditor.audit_page(page())
    );
    assert!(one.is_ok() && one == two && two == three);
}

#[tokio::test]
async fn a_long_robots_txt_is_kept_to_the_same_byte_however_it_arrives() {
    const KEPT: usize = 500 * 1_024;
    for piece in [700_000, 65_537, 4_099] {
        let server = Server::start(move |path, connection| {
            use std::io::Write;
            if path != "/robots.txt" {
                let _ = connection.write_all(&answer("200 OK", HTML, PAGE.as_bytes()));
                return;
            }
            let rule = "User-agent: *\nDisallow: /page\n";
            let filler = "#".repeat(KEPT - rule.len() - 1);
            let late = "Allow: /page\n".repeat(12_000);
            let file = format!("{filler}\n{rule}{late}");
            let file = answer("200 OK", &["Content-Type: text/plain"], file.as_bytes());
            for part in file.chunks(piece) {
                if connection.write_all(part).is_err() {
                    return;
                }
            }
        });
        let page = server
            .fetcher()
            .page(
                &server.url("/page"),
                "2026-11-21T12:00:00Z".parse().expect("a time"),
            )
            .await
            .expect("a page");
        let robots = page.site.robots.answer().expect("a file");
        assert_eq!((robots.body.len(), robots.truncated), (KEPT + 1, true), "{piece}");
        let robots = ibid_audit::robots::Robots::parse(&robots.body);
        assert!(!robots.verdict("GPTBot", "/page").allowed, "{piece}");
    }
}
