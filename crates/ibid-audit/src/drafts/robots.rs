//! Patches robots.txt so that it admits the blocked agents and keeps the rules for all others.

use super::draft;
use crate::facts::{Facts, RobotsState};
use crate::limits::{FEW, MOST};
use crate::robots::{AGENTS, MAX_BYTES, Robots};
use ibid_model::result::AuditDraft;
use similar::TextDiff;
use std::collections::BTreeMap;

/// Lines put in after a line, or instead of it (1-based).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Edit {
    replaces: bool,
    lines: Vec<String>,
}

pub(super) fn patch(facts: &Facts<'_>) -> Option<AuditDraft> {
    let RobotsState::File {
        robots,
        is_html: false,
    } = &facts.robots
    else {
        return None;
    };
    let body = &facts.page.site.robots.answer()?.body;
    if robots.is_truncated() || body.len() > MAX_BYTES {
        return None;
    }
    let text = std::str::from_utf8(body).ok()?;
    let path = facts.path();
    let agents: Vec<&str> = AGENTS
        .iter()
        .filter(|agent| agent.scored && !robots.verdict(agent.token, &path).allowed)
        .map(|agent| agent.token)
        .collect();
    let lines: Vec<&str> = text.lines().collect();
    // A comparison of more lines takes more memory than a page may.
    let edits = edits(robots, &agents, &path, lines.len()).filter(|_| lines.len() <= MOST)?;
    // Returns the draft only if it has the promised effect.
    let patched = Robots::parse(apply(&lines, &edits).as_bytes());
    if !agents.iter().all(|agent| patched.verdict(agent, &path).allowed) {
        return None;
    }
    Some(draft(
        "A2",
        "let search and on-demand agents fetch the page",
        "/robots.txt",
        "diff",
        diff(&lines, &edits),
        "Rules for every agent were copied into the new group, because a named group replaces them. Training agents are left as they are.",
    ))
}

fn edits(robots: &Robots, agents: &[&str], path: &str, last: usize) -> Option<BTreeMap<usize, Edit>> {
    let mut edits: BTreeMap<usize, Edit> = BTreeMap::new();
    let (named, unnamed): (Vec<&str>, Vec<&str>) = agents.iter().partition(|agent| robots.named(agent));
    for agent in named {
        let rule = robots.verdict(agent, path).rule?;
        let edit = edits.entry(rule.line as usize).or_default();
        let line = if rule.path == "/" {
            edit.replaces = true;
            "Allow: /".to_owned()
        } else {
            format!("Allow: {path}")
        };
        if !edit.lines.contains(&line) {
            edit.lines.push(line);
        }
    }
    if let Some(first) = unnamed.first() {
        let deciding = robots.verdict(first, path).rule?;
        let mut lines = vec![String::new()];
        lines.extend(unnamed.iter().map(|agent| format!("User-agent: {agent}")));
        let whole_site = deciding.path == "/";
        lines.push(if whole_site {
            "Allow: /".to_owned()
        } else {
            format!("Allow: {path}")
        });
        let mut copied = 0;
        for rule in robots.rules_for(first) {
            if whole_site && rule == deciding || rule.path == "/" && rule.allow {
                continue;
            }
            copied += 1;
            if copied > FEW {
                return None;
            }
            lines.push(crate::quote::quote_to(&rule.written(), 2_000));
        }
        edits.entry(last).or_default().lines.extend(lines);
    }
    (!edits.is_empty()).then_some(edits)
}

fn apply(lines: &[&str], edits: &BTreeMap<usize, Edit>) -> String {
    let mut out = String::new();
    for (number, line) in (1..).zip(lines) {
        let edit = edits.get(&number);
        if !edit.is_some_and(|edit| edit.replaces) {
            out.push_str(line);
            out.push('\n');
        }
        for added in edit.map(|edit| edit.lines.as_slice()).unwrap_or_default() {
            out.push_str(added);
            out.push('\n');
        }
    }
    out
}

/// The edits as a unified diff.
fn diff(lines: &[&str], edits: &BTreeMap<usize, Edit>) -> String {
    let (old, new) = (apply(lines, &BTreeMap::new()), apply(lines, edits));
    let diff = TextDiff::from_lines(&old, &new);
    let mut diff = diff
        .unified_diff()
        .header("a/robots.txt", "b/robots.txt")
        .to_string();
    // Hostile lines of the file must not drive a terminal.
    diff.retain(|c| matches!(c, '\n' | '\t') || !crate::quote::is_unprintable(c));
    diff
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(file: &str, agents: &[&str], path: &str, expected: &str) {
        let robots = Robots::parse(file.as_bytes());
        let lines: Vec<&str> = file.lines().collect();
        let edits = edits(&robots, agents, path, lines.len()).expect("edits");
        assert_eq!(
            diff(&lines, &edits),
            format!("--- a/robots.txt\n+++ b/robots.txt\n{expected}")
        );
        let patched = Robots::parse(apply(&lines, &edits).as_bytes());
        for agent in agents {
            assert!(patched.verdict(agent, path).allowed);
        }
    }

    #[test]
    fn patches_open_the_page_and_keep_the_rest() {
        check(
            "User-agent: *\nDisallow: /admin\nDisallow: /\n",
            &["OAI-SearchBot", "PerplexityBot"],
            "/post",
            "@@ -1,3 +1,8 @@\n User-agent: *\n Disallow: /admin\n Disallow: /\n+\n+User-agent: OAI-SearchBot\n+User-agent: PerplexityBot\n+Allow: /\n+Disallow: /admin\n",
        );
        check(
            "User-agent: PerplexityBot\nDisallow: /\n\nUser-agent: *\nAllow: /\n",
            &["PerplexityBot"],
            "/post",
            "@@ -1,5 +1,5 @@\n User-agent: PerplexityBot\n-Disallow: /\n+Allow: /\n \n User-agent: *\n Allow: /\n",
        );
        check(
            "User-agent: PerplexityBot\nDisallow: /blog/\n",
            &["PerplexityBot"],
            "/blog/post",
            "@@ -1,2 +1,3 @@\n User-agent: PerplexityBot\n Disallow: /blog/\n+Allow: /blog/post\n",
        );
    }

    proptest! {
        #[test]
        fn others_keep_their_rules(rules in proptest::collection::vec((any::<bool>(), "/[ab]{0,3}"), 1..6), path in "/[ab]{0,4}") {
            let mut file = String::from("User-agent: *\n");
            for (allow, rule) in &rules {
                file.push_str(&format!("{}: {rule}\n", if *allow { "Allow" } else { "Disallow" }));
            }
            let robots = Robots::parse(file.as_bytes());
            prop_assume!(!robots.verdict("Bingbot", &path).allowed);
            let lines: Vec<&str> = file.lines().collect();
            let edits = edits(&robots, &["Bingbot"], &path, lines.len()).expect("edits");
            let patched = Robots::parse(apply(&lines, &edits).as_bytes());
            for other in ["/", "/a", "/b", "/ab", "/ba", "/aab", "/x"] {
                prop_assert_eq!(patched.verdict("GPTBot", other).allowed, robots.verdict("GPTBot", other).allowed);
            }
        }
    }
}
