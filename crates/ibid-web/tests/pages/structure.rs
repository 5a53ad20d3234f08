//! Tests of every page: known tags and attributes, safe addresses, valid references.

use crate::html::{Tag, tags};
use crate::states;
use ibid_web::assets;
use std::collections::BTreeSet;

const TAGS: &str = "html head meta title link script noscript body a p strong header div span nav ul ol li form button main \
    section h1 h2 h3 h4 article figure figcaption label input select option fieldset legend details summary aside dl dt dd \
    table caption thead tbody img tr th td footer time bdi code pre var svg rect line circle path text g defs pattern clippath desc tspan \
    mark sup em s br hr blockquote progress";

const ATTRIBUTES: &str = "lang charset name content rel href type src class id action method for value placeholder inputmode \
    autocomplete autocapitalize spellcheck minlength maxlength required min max step checked selected disabled hidden role tabindex \
    title scope colspan open dir datetime start readonly download novalidate autofocus http-equiv form viewbox width height \
    alt accept enctype property \
    preserveaspectratio x y x1 x2 y1 y2 cx cy r rx d points fill stroke transform xmlns text-anchor clip-path";

const PREFIXES: [&str; 6] = ["aria-", "data-", "font-", "stroke-", "fill-", "pattern"];

/// Checks a page and returns its tags.
pub(crate) fn check(name: &str, page: &str) -> Vec<Tag> {
    let tags = tags(page);
    let (known_tags, known_attributes): (BTreeSet<_>, BTreeSet<_>) = (
        TAGS.split_whitespace().collect(),
        ATTRIBUTES.split_whitespace().collect(),
    );
    for tag in &tags {
        assert!(
            known_tags.contains(tag.name.as_str()),
            "{name}: element {}",
            tag.name
        );
        for (attribute, value) in &tag.attributes {
            let known = known_attributes.contains(attribute.as_str())
                || PREFIXES.iter().any(|prefix| attribute.starts_with(prefix))
                || attribute == "paint-order";
            assert!(
                known && !attribute.starts_with("on") && attribute != "style",
                "{name}: attribute {attribute}={value:?} of {}",
                tag.name
            );
            match attribute.as_str() {
                "href" => check_href(name, tag, value),
                "src" => assert!(
                    (value.starts_with("/assets/") && tag.name == "script")
                        || (value.starts_with('/') && value.ends_with("/logo.png") && tag.name == "img"),
                    "{name}: src {value:?}"
                ),
                "action" => assert!(
                    value.starts_with('/') && !value.starts_with("//"),
                    "{name}: action {value:?}"
                ),
                "fill" | "stroke" => assert!(
                    !value.contains("url(")
                        || ["url(#radius-map-hatch)", "url(#radius-map-hatch-narrow)"]
                            .contains(&value.as_str()),
                    "{name}: {value:?}"
                ),
                "clip-path" => assert!(
                    ["url(#radius-map-disc)", "url(#radius-map-disc-narrow)"].contains(&value.as_str()),
                    "{name}: {value:?}"
                ),
                _ => {}
            }
        }
    }
    for c in page.chars() {
        let steering = (c.is_control() && c != '\n' && c != '\t')
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}' | '\u{e0000}'..='\u{e007f}');
        assert!(!steering, "{name}: {c:?}");
    }
    tags
}

fn check_href(name: &str, tag: &Tag, value: &str) {
    let own = (value.starts_with('/') && !value.starts_with("//")) || value.starts_with('#');
    let outside =
        value.starts_with("https://") || value.starts_with("http://") || value.starts_with("mailto:");
    assert!(own || outside, "{name}: href {value:?}");
    if value.starts_with("http") {
        let rel = tag.attributes.get("rel").map_or("", String::as_str);
        assert_eq!(rel, "nofollow noopener noreferrer ugc", "{name}: {value:?}");
    }
}

fn pages() -> Vec<(String, String)> {
    let files = states::all().unwrap();
    files
        .into_iter()
        .filter(|(name, _)| name.ends_with(".html"))
        .collect()
}

#[test]
fn every_page_is_made_of_known_parts() {
    let pages = pages();
    assert!(pages.len() > 30);
    for (name, page) in &pages {
        check(name, page);
    }
}

#[test]
fn references_lead_somewhere() {
    for (name, page) in pages() {
        let tags = check(&name, &page);
        let mut ids = BTreeSet::new();
        for tag in &tags {
            if let Some(id) = tag.attributes.get("id") {
                assert!(ids.insert(id.clone()), "{name}: id {id} twice");
            }
        }
        for tag in &tags {
            for attribute in ["for", "aria-describedby", "aria-labelledby", "form"] {
                for id in tag
                    .attributes
                    .get(attribute)
                    .iter()
                    .flat_map(|value| value.split_whitespace())
                {
                    assert!(ids.contains(id), "{name}: {attribute}={id} of {}", tag.name);
                }
            }
            if let Some(id) = tag.attributes.get("href").and_then(|href| href.strip_prefix('#')) {
                assert!(ids.contains(id), "{name}: #{id} leads nowhere");
            }
        }
        assert_eq!(
            tags.iter().filter(|tag| tag.name == "h1").count(),
            1,
            "{name}: one h1"
        );
        assert_eq!(
            tags.iter().filter(|tag| tag.name == "main").count(),
            1,
            "{name}: one main"
        );
    }
}

#[test]
fn every_field_has_a_label_and_every_form_a_known_target() {
    let known = [
        ("post", "/demo"),
        ("post", "/look"),
        ("post", "/sign-in"),
        ("post", "/sign-in/code"),
        ("post", "/workspace/account/openid"),
        ("post", "/workspace/account/openid/part"),
        (
            "post",
            "/workspace/projects/5b0d3f3e-0000-4000-8000-000000000001/rival",
        ),
        (
            "post",
            "/workspace/projects/5b0d3f3e-0000-4000-8000-000000000001/merge",
        ),
        ("post", "/workspace/account/two-step/begin"),
        ("post", "/workspace/account/two-step/confirm"),
        ("post", "/workspace/account/two-step/end"),
        ("post", "/workspace/account/brand"),
        ("post", "/workspace/account/digest"),
        ("post", "/workspace/account/digest/remove"),
        ("post", "/sign-out"),
        ("post", "/workspace/scans"),
        ("post", "/workspace/audits"),
        ("post", "/workspace/schedules"),
        ("post", "/workspace/schedules/alerts/seen"),
        ("get", "/workspace/scans"),
        ("get", "/workspace/compare"),
    ];
    for (name, page) in pages() {
        let tags = check(&name, &page);
        let labelled: BTreeSet<_> = tags
            .iter()
            .filter(|tag| tag.name == "label")
            .filter_map(|tag| tag.attributes.get("for"))
            .collect();
        for tag in &tags {
            let hidden = matches!(
                tag.attributes.get("type").map(String::as_str),
                Some("hidden" | "checkbox")
            );
            if matches!(tag.name.as_str(), "input" | "select") && !hidden {
                let named = tag.attributes.contains_key("aria-label");
                assert!(
                    named || tag.attributes.get("id").is_some_and(|id| labelled.contains(id)),
                    "{name}: {tag:?}"
                );
            }
            if tag.name == "form" {
                let method = tag.attributes["method"].as_str();
                let action = tag.attributes["action"].as_str();
                let ending = [
                    "/tags",
                    "/share",
                    "/share/revoke",
                    "/cancel",
                    "/answers",
                    "/pause",
                    "/resume",
                    "/run",
                    "/delete",
                    "/questions",
                    "/edit",
                    "/own-data",
                    "/own-data/import",
                    "/actions",
                    "/imports",
                ]
                .iter()
                .any(|end| action.ends_with(end));
                let is_action = action.starts_with("/workspace/projects/") && action.contains("/actions/");
                assert!(
                    known.contains(&(method, action)) || ending || is_action,
                    "{name}: {method} {action}"
                );
            }
        }
    }
}

#[test]
fn pages_name_only_assets_that_exist() {
    for (name, page) in pages() {
        for piece in page.split("\"/assets/").skip(1) {
            let asset = piece.split('"').next().unwrap();
            assert!(assets::find(asset).is_some(), "{name}: {asset}");
        }
    }
}

#[test]
fn the_home_page_is_light() {
    let (_, home) = pages()
        .into_iter()
        .find(|(name, _)| name == "index.html")
        .unwrap();
    let parts = assets::all().iter().filter(|asset| home.contains(&asset.path));
    // The page itself is counted without compression.
    let bytes: usize = home.len() + parts.map(|asset| asset.gzip.len()).sum::<usize>();
    assert!(bytes < 40 * 1024, "{bytes}");
}

#[test]
fn no_template_steps_around_the_escaper() {
    let mut seen = 0;
    let mut folders = vec![std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("templates")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            for banned in [
                "|safe",
                "| safe",
                "|escape",
                "style=",
                "onclick",
                "<style",
                "autoescape",
            ] {
                assert!(!text.contains(banned), "{} holds {banned}", path.display());
            }
            seen += 1;
        }
    }
    assert!(seen > 15);
}

/// A template without what is between two marks.
fn without(text: &str, (open, close): (&str, &str)) -> String {
    let parts = text.split(open).enumerate();
    let kept = parts.map(|(at, part)| match part.split_once(close) {
        Some((_, behind)) if at > 0 => behind,
        _ => part,
    });
    kept.collect()
}

#[test]
fn pages_say_likely_range_and_not_interval() {
    let spoken = |html: &str| -> String {
        // The rest of a piece after the end of its tag is text.
        let pieces = html
            .split('<')
            .map(|piece| piece.split_once('>').map_or(piece, |(_, text)| text));
        pieces.collect::<Vec<_>>().join(" ").to_lowercase()
    };
    let folder = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("templates");
    let mut seen = 0;
    for folder in [folder.join("part"), folder] {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                continue;
            }
            // Expressions and statements of the template are not shown.
            let text = std::fs::read_to_string(&path).unwrap();
            let text = spoken(&without(&without(&text, ("{{", "}}")), ("{%", "%}")));
            // The glossary says once which word of the data a likely range is.
            let text = text.replacen("the 95 % interval:", "", 1);
            for word in ["interval", "bootstrap", "p-value", "rival"] {
                assert!(!text.contains(word), "{} says {word}", path.display());
            }
            seen += 1;
        }
    }
    assert!(seen > 15);
}
