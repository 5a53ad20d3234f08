//! Labelled pages: each says what the checks must find on it. Every check is seen from both sides.
//!
//! A page file has lines `key: value` (what was asked, answered, expected), then parts that begin with
//! `--- name status` and hold one small file each, then `--- html` and the page.

use ibid_audit::{Page, SiteAnswer, SiteFile, audit};
use ibid_model::result::{AuditCheck, AuditReport, CheckStatus, PageKind};
use std::collections::BTreeMap;
use std::path::Path;
use url::Url;

struct Labelled {
    name: String,
    page: Page,
    expected: Vec<String>,
}

fn load() -> Vec<Labelled> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/pages");
    let mut pages: Vec<Labelled> = std::fs::read_dir(folder)
        .expect("the folder of pages")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|end| end == "page"))
        .map(|path| {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            read(name, &std::fs::read_to_string(&path).expect("a page file"))
        })
        .collect();
    pages.sort_by(|a, b| a.name.cmp(&b.name));
    pages
}

fn read(name: String, text: &str) -> Labelled {
    let (head, rest) = text.split_once("--- ").expect("a part");
    let mut page = Page::from_html("", None, "2026-11-21T12:00:00Z".parse().expect("a time"));
    let mut expected = Vec::new();
    for line in head.lines().filter(|line| !line.starts_with('#')) {
        let (key, value) = line.split_once(": ").expect(line);
        match key {
            "today" => page.fetched_at = format!("{value}T12:00:00Z").parse().expect("a day"),
            "url" => page.url = Some(Url::parse(value).expect("an address")),
            "status" => page.status = Some(value.parse().expect("a status")),
            "header" => {
                let (header, value) = value.split_once(": ").expect("a header");
                page.headers.push(header, value);
            }
            "redirect" => page.redirects.push(value.to_owned()),
            "expect" => expected.push(value.to_owned()),
            other => panic!("{name}: unknown key {other}"),
        }
    }
    page.asked = page.url.as_ref().map(Url::to_string);
    if page.status.is_some() {
        let absent = || {
            SiteFile::Answer(SiteAnswer {
                status: 404,
                ..SiteAnswer::default()
            })
        };
        (
            page.site.robots,
            page.site.llms,
            page.site.sitemap,
            page.site.tdmrep,
        ) = (absent(), absent(), absent(), absent());
        page.site.sitemap_address = page.url.as_ref().and_then(|url| url.join("/sitemap.xml").ok());
    }
    for part in rest.split("\n--- ") {
        let (title, body) = part.split_once('\n').unwrap_or((part, ""));
        let (kind, answer) = title.split_once(' ').unwrap_or((title, ""));
        if kind == "html" {
            page.body = body.as_bytes().to_vec();
            continue;
        }
        let file = match answer.split_once(' ').unwrap_or((answer, "")) {
            ("loop", _) => SiteFile::Looping,
            ("unreachable", reason) => SiteFile::Unreachable(reason.to_owned()),
            (status, content_type) => {
                let mut answer = SiteAnswer {
                    status: status.parse().expect(title),
                    body: format!("{body}\n").into_bytes(),
                    ..SiteAnswer::default()
                };
                if body.is_empty() {
                    answer.body.clear();
                }
                if !content_type.is_empty() {
                    answer.headers.push("content-type", content_type);
                }
                SiteFile::Answer(answer)
            }
        };
        match kind {
            "robots" => page.site.robots = file,
            "llms" => page.site.llms = file,
            "sitemap" => page.site.sitemap = file,
            "tdmrep" => page.site.tdmrep = file,
            "child" => page.site.sitemap_children.push(file),
            other => panic!("{name}: unknown part {other}"),
        }
    }
    Labelled { name, page, expected }
}

fn word(status: CheckStatus) -> &'static str {
    match status {
        CheckStatus::Pass => "pass",
        CheckStatus::Warn => "warn",
        CheckStatus::Fail => "fail",
        CheckStatus::Na => "na",
        CheckStatus::Unknown => "unknown",
        CheckStatus::Info => "info",
    }
}

/// Whether a report is as one label says; else what it says instead.
fn compare(report: &AuditReport, label: &str) -> Result<(), String> {
    let (subject, rest) = label.split_once(' ').expect(label);
    let found = match subject {
        "score" => {
            let (low, high) = rest.split_once("..").expect("a range");
            let range = low.parse().expect("a score")..=high.parse().expect("a score");
            return if range.contains(&report.score) {
                Ok(())
            } else {
                Err(format!("score {}", report.score))
            };
        }
        "gates" => report
            .gates
            .iter()
            .map(|gate| {
                format!(
                    "{}={}",
                    serde_json::to_value(gate.id)
                        .expect("json")
                        .as_str()
                        .expect("text"),
                    gate.cap
                )
            })
            .collect::<Vec<_>>()
            .join(" "),
        "fixes" => report.top_fixes.len().to_string(),
        "notes" => report
            .notes
            .iter()
            .map(|note| note.code.as_str())
            .collect::<Vec<_>>()
            .join(" "),
        "drafts" => report
            .drafts
            .iter()
            .map(|draft| draft.check.as_str())
            .collect::<Vec<_>>()
            .join(" "),
        "language" => report.page.language.clone().unwrap_or_default(),
        id => {
            let check = report.checks.iter().find(|check| check.id == id).expect(label);
            let (status, text) = rest.split_once(' ').unwrap_or((rest, ""));
            let place = check.location.as_deref().unwrap_or("");
            if word(check.status) == status && (check.found.contains(text) || place.contains(text)) {
                return Ok(());
            }
            return Err(format!(
                "{} {}: {} ({place})",
                check.id,
                word(check.status),
                check.found
            ));
        }
    };
    let found = if found.is_empty() {
        "none".to_owned()
    } else {
        found
    };
    if found == rest {
        Ok(())
    } else {
        Err(format!("{subject} {found}"))
    }
}

#[test]
fn pages_are_judged_as_labelled() {
    let mut wrong = Vec::new();
    for labelled in load() {
        let report = audit(&labelled.page);
        for label in &labelled.expected {
            if let Err(found) = compare(&report, label) {
                wrong.push(format!("{}: expected {label}, found {found}", labelled.name));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn there_are_sixty_pages_and_every_check_is_seen_from_both_sides() {
    let pages = load();
    assert!(pages.len() >= 60, "{}", pages.len());
    let mut seen: BTreeMap<String, (bool, bool)> = BTreeMap::new();
    for check in audit(&pages[0].page).checks {
        seen.insert(check.id, (false, false));
    }
    for label in pages.iter().flat_map(|page| &page.expected) {
        let mut words = label.split(' ');
        let (Some(id), Some(status)) = (words.next(), words.next()) else {
            continue;
        };
        if let Some((good, bad)) = seen.get_mut(id) {
            *good |= status == "pass" || label == "A4 info no listed";
            *bad |= matches!(status, "warn" | "fail") || label.starts_with("A4 info shut out");
        }
    }
    let one_sided: Vec<_> = seen.iter().filter(|(_, sides)| **sides != (true, true)).collect();
    assert!(one_sided.is_empty(), "{one_sided:?}");
}

#[test]
fn reports_from_before_kinds_were_read_are_read() {
    let pages = load();
    let mut stored = serde_json::to_value(audit(&pages[0].page)).expect("json");
    let page = stored["page"].as_object_mut().expect("facts of the page");
    assert!(page.remove("kind").is_some());
    let read: AuditReport = serde_json::from_value(stored).expect("a report");
    assert_eq!(read.page.kind, PageKind::Other);
}

#[test]
fn the_draft_of_a_firm_has_its_type() {
    let pages = load();
    let home = pages
        .iter()
        .find(|page| page.name == "home-one-teaser")
        .expect("the page");
    let report = audit(&home.page);
    assert_eq!(report.page.kind, PageKind::Home);
    let draft = report
        .drafts
        .iter()
        .find(|draft| draft.check == "E1")
        .expect("a draft");
    assert!(
        draft.content.contains("\"@type\": \"Plumber\""),
        "{}",
        draft.content
    );
}

#[test]
fn the_same_page_gives_the_same_report() {
    for labelled in load() {
        let first = serde_json::to_string(&audit(&labelled.page)).expect("json");
        let second = serde_json::to_string(&audit(&labelled.page.clone())).expect("json");
        assert_eq!(first, second, "{}", labelled.name);
        let read: AuditReport = serde_json::from_str(&first).expect("a report");
        assert_eq!(
            serde_json::to_string(&read).expect("json"),
            first,
            "{}",
            labelled.name
        );
    }
}

#[test]
fn fixing_a_reported_fault_never_lowers_the_score() {
    for labelled in load() {
        let report = audit(&labelled.page);
        let gained: f64 = report.checks.iter().map(|check| check.gain).sum();
        let reached = f64::from(report.uncapped_score) + gained;
        // A penalty takes from what the other checks give, so on its own it gives less back than with them.
        let is_penalised =
            |check: &AuditCheck| check.id.starts_with('H') && check.status == CheckStatus::Fail;
        let least = if report.checks.iter().any(is_penalised) {
            50.0
        } else {
            98.0
        };
        assert!((least..=102.0).contains(&reached), "{}: {reached}", labelled.name);
        assert!(report.score <= report.uncapped_score);
        assert!(report.top_fixes.len() <= 5);
        for check in &report.checks {
            assert!(
                check.found.chars().count() <= 401,
                "{}: {}",
                labelled.name,
                check.id
            );
        }
    }
}
