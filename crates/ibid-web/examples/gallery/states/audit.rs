//! Invented page audits.

use super::Outcome;
use ibid_model::result::{AuditReport, SiteAudit};
use serde_json::{Value, json};

type Row = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    u8,
    &'static str,
    Option<&'static str>,
    f64,
);

const CHECKS: [Row; 18] = [
    (
        "A1",
        "access",
        "robots.txt answers",
        "pass",
        2,
        "200, 14 lines.",
        None,
        0.0,
    ),
    (
        "A2",
        "access",
        "Search agents may fetch the page",
        "warn",
        8,
        "PerplexityBot is shut out by line 9.",
        Some("Give PerplexityBot a group of its own with “Allow: /”."),
        4.6,
    ),
    (
        "A3",
        "access",
        "On-demand agents may fetch the page",
        "pass",
        2,
        "All three may.",
        None,
        0.0,
    ),
    (
        "A4",
        "access",
        "Training agents",
        "info",
        0,
        "GPTBot and CCBot are shut out. That does not change citation.",
        None,
        0.0,
    ),
    (
        "A5",
        "access",
        "No directive keeps the page out of an index",
        "pass",
        4,
        "None found.",
        None,
        0.0,
    ),
    (
        "B1",
        "discovery",
        "Canonical address",
        "pass",
        2,
        "One, equal to the final address.",
        None,
        0.0,
    ),
    (
        "B2",
        "discovery",
        "Sitemap lists the page",
        "warn",
        2,
        "The sitemap has 212 addresses, this one is not among them.",
        Some("Add the page with a true lastmod."),
        1.0,
    ),
    (
        "B4",
        "discovery",
        "Title and description",
        "pass",
        3,
        "48 and 141 columns.",
        None,
        0.0,
    ),
    (
        "B5",
        "discovery",
        "llms.txt",
        "na",
        1,
        "None. Four studies found no effect of this file on citation.",
        None,
        0.0,
    ),
    (
        "C1",
        "delivery",
        "An HTML page is answered",
        "pass",
        3,
        "200, text/html.",
        None,
        0.0,
    ),
    (
        "C2",
        "delivery",
        "Text stands in the HTML as sent",
        "pass",
        8,
        "1,204 words in the main part.",
        None,
        0.0,
    ),
    (
        "D1",
        "structure",
        "One main heading",
        "warn",
        5,
        "2 h1 elements",
        Some("Keep “Fontaneros en Madrid” as the h1; make “Urgencias” (line 88) and any others h2."),
        1.4,
    ),
    (
        "D5",
        "structure",
        "The first paragraph answers",
        "fail",
        3,
        "It has 134 words and begins with the company's history.",
        Some("Begin with 15 to 80 words that say what is offered, where, and at what price."),
        2.9,
    ),
    (
        "D7",
        "structure",
        "Alternative texts",
        "warn",
        2,
        "3 of 4 images have an alt attribute",
        Some(
            "Describe “calle.jpg” (line 120) and the others in their alt attributes; leave it empty for decoration.",
        ),
        0.8,
    ),
    (
        "E1",
        "structured_data",
        "Schema.org markup",
        "pass",
        2,
        "LocalBusiness, BreadcrumbList.",
        None,
        0.0,
    ),
    (
        "F1",
        "authorship",
        "A named author",
        "na",
        3,
        "Does not apply to a home page.",
        None,
        0.0,
    ),
    (
        "F2",
        "authorship",
        "A date for machines",
        "fail",
        2,
        "None found.",
        Some("Put a time element with datetime beside “updated”."),
        1.8,
    ),
    (
        "G2",
        "quotability",
        "Links to sources",
        "unknown",
        4,
        "The page was cut before its end.",
        Some("Make the page shorter than 2 MiB."),
        3.1,
    ),
];

fn document() -> Value {
    let checks: Vec<Value> = CHECKS
        .iter()
        .map(|(id, category, title, status, weight, found, advice, gain)| {
            json!({"id": id, "category": category, "title": title, "status": status, "weight": weight,
                   "evidence": if *category == "access" { json!(["vendor", "measured"]) } else { json!(["correlation"]) }, "contested": *id == "B5" || *id == "E1",
                   "found": found, "where": (*id == "A2").then_some("robots.txt, line 9"), "why": "Agents that cannot fetch or lift out a passage do not cite it.", "advice": advice, "gain": gain})
        })
        .collect();
    let category = |id: &str, label: &str, score: Option<u8>, weight: u8| json!({"id": id, "label": label, "score": score, "weight": weight});
    let crawler = |agent: &str,
                   operator: &str,
                   class: &str,
                   scored: bool,
                   allowed: bool,
                   rule: Option<&str>| {
        json!({"agent": agent, "operator": operator, "class": class, "scored": scored, "allowed": allowed, "decidedBy": if rule.is_some() { "rule" } else { "no_rule" },
               "rule": rule, "line": rule.map(|_| 9), "viaWildcard": false})
    };
    json!({
        "url": "https://aiguaclara.example", "finalUrl": "https://www.aiguaclara.example/", "fetchedAt": "2026-11-21T10:20:00Z", "auditVersion": "2.2", "botListDate": "2026-11-02",
        "status": 200, "score": 74, "uncappedScore": 74, "band": "good", "gates": [],
        "categories": [category("access", "Access", Some(83), 29), category("discovery", "Discovery", Some(75), 10), category("delivery", "Delivery", Some(100), 21),
                       category("structure", "Structure", Some(41), 12), category("structured_data", "Structured data", Some(88), 8), category("authorship", "Authorship", Some(30), 12), category("quotability", "Quotability", Some(52), 8)],
        "checks": checks, "topFixes": ["A2", "D5", "F2", "G2"],
        "crawlers": [crawler("OAI-SearchBot", "OpenAI", "search", true, true, None), crawler("Claude-SearchBot", "Anthropic", "search", true, true, None),
                     crawler("PerplexityBot", "Perplexity", "search", true, false, Some("Disallow: /")), crawler("Googlebot", "Google", "search", true, true, None),
                     crawler("ChatGPT-User", "OpenAI", "user", true, true, None), crawler("GPTBot", "OpenAI", "training", false, false, Some("Disallow: /"))],
        "page": {"words": 1204, "bytes": 188_213, "truncated": false, "language": "es", "charset": "utf-8", "title": "Fontaneros en Valencia | Aigua Clara", "description": "Fontaneros en Valencia con presupuesto claro antes de empezar.", "redirects": ["https://aiguaclara.example/"], "elapsedMs": 412},
        "notes": [{"code": "og", "level": "info", "message": "Open Graph title and picture are set.", "where": null}],
        "drafts": [{"check": "A2", "title": "A group for PerplexityBot", "target": "robots.txt", "format": "diff", "content": "+User-agent: PerplexityBot\n+Allow: /\n \n User-agent: *\n Disallow: /intern/", "note": "Check that nothing else in the file is meant to hold it back."}],
        "caveat": "The audit looks at one page on one day. Most checks are conventions or correlations; only the gates are hard ground."
    })
}

pub(crate) fn report() -> Outcome<AuditReport> {
    Ok(serde_json::from_value(document())?)
}

pub(crate) fn capped() -> Outcome<AuditReport> {
    let mut document = document();
    document["score"] = json!(20);
    document["uncappedScore"] = json!(74);
    document["band"] = json!("not_citable");
    document["gates"] = json!([{"id": "noindex", "cap": 20, "check": "A5", "reason": "A meta tag says noindex, so no index may hold the page."}]);
    document["checks"][4]["status"] = json!("fail");
    document["checks"][4]["found"] = json!("<meta name=\"robots\" content=\"noindex\">");
    Ok(serde_json::from_value(document)?)
}

/// A site audit with two templates.
pub(crate) fn site() -> Outcome<SiteAudit> {
    let finding = |check: &str, title: &str, status: &str, pages: u32, gain: f64| {
        json!({
            "check": check, "title": title, "status": status, "pages": pages, "gain": gain, "contested": check == "E1",
            "found": "41 words in the main part of the HTML as sent", "where": "<body>",
            "advice": "Render the text on the server.", "example": "https://www.aiguaclara.example/botiga/aixetes",
        })
    };
    let page = |path: &str, template: &str, score: u8| {
        json!({
            "url": format!("https://www.aiguaclara.example{path}"), "template": template, "score": score, "band": "fair",
            "status": 200, "words": 41, "gates": if score < 40 { json!(["no_content"]) } else { json!([]) },
            "topFixes": ["C2", "A2"],
        })
    };
    let template = |id: &str, label: &str, score: u8, findings: Value| json!({"id": id, "label": label, "pages": 2, "score": score, "findings": findings});
    Ok(serde_json::from_value(json!({
        "url": "https://www.aiguaclara.example/", "fetchedAt": "2026-11-22T10:00:00Z", "auditVersion": "2.0",
        "sitemap": "https://www.aiguaclara.example/sitemap.xml", "listed": 1204, "score": 52,
        "templates": [
            template("T1", "/botiga/*", 30, json!([finding("C2", "Words in the HTML", "fail", 2, 8.1), finding("E1", "Structured data", "warn", 1, 1.2)])),
            template("T2", "/blog/*", 74, json!([])),
        ],
        "pages": [page("/botiga/aixetes", "T1", 30), page("/botiga/tubs", "T1", 30), page("/blog/a", "T2", 71), page("/blog/b", "T2", 77)],
        "failures": [{"url": "https://www.aiguaclara.example/intern", "reason": "robots.txt, line 2: Disallow: /intern"}],
        "effort": {"mostPages": 20, "requests": 9, "mostRequests": 120, "bytes": 81000, "mostBytes": 67_108_864, "seconds": 4,
            "mostSeconds": 300, "endedBy": null},
        "caveat": "A sample, not the whole site.",
    }))?)
}
