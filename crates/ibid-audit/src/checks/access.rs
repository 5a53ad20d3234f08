//! A: may agents fetch the page, and quote it?

use super::finding::{Finding, many};
use crate::directives::{Directive, Reach};
use crate::drafts::head::without;
use crate::facts::{Facts, RobotsState};
use crate::limits::LONG_TEXT;
use crate::robots::{AGENTS, Agent, Robots};
use crate::structured_items::is_false_text;
use ibid_model::result::CrawlerClass;

/// A1: what robots.txt answered.
pub(super) fn robots_answer(facts: &Facts<'_>) -> Finding {
    let finding = match &facts.robots {
        RobotsState::NotAsked => Finding::na("robots.txt was not asked for"),
        RobotsState::NoFile(status) => Finding::pass(format!(
            "there is none (status {status}), so everything is allowed"
        )),
        RobotsState::Unreachable(reason) => Finding::fail(format!(
            "it could not be read: {reason}; agents take that for a refusal of the whole site"
        )),
        RobotsState::Looping => {
            Finding::unknown("it redirects in a circle; agents differ in what they make of that")
        }
        RobotsState::File { is_html: true, .. } => {
            Finding::warn("an HTML page was answered instead of rules")
                .advise("Answer with a text file, or with 404 if there are no rules.".to_owned())
        }
        RobotsState::File { robots, .. } if robots.is_truncated() => {
            Finding::warn("the file is longer than the 500 KiB that agents read")
        }
        RobotsState::File { robots, .. } => match robots.odd_lines().first() {
            None => Finding::pass(format!(
                "a text file of {}",
                many(robots.lines() as usize, "line")
            )),
            Some(odd) => Finding::warn(format!(
                "{} that agents read differently; line {} {}: “{}”",
                many(robots.odd_count(), "line"),
                odd.line,
                odd.problem,
                odd.text
            )),
        },
    };
    finding.at("/robots.txt")
}

/// A2: the five search agents.
pub(super) fn search_agents(facts: &Facts<'_>) -> Finding {
    agents(facts, CrawlerClass::Search, |out, all| match out {
        0 => Finding::pass,
        1 | 2 if all > 2 => Finding::warn,
        _ => Finding::fail,
    })
}

/// A3: the three agents that fetch for a person.
pub(super) fn user_agents(facts: &Facts<'_>) -> Finding {
    agents(facts, CrawlerClass::User, |out, all| match out {
        0 => Finding::pass,
        out if out < all => Finding::warn,
        _ => Finding::fail,
    })
}

/// A4: training agents, for information.
pub(super) fn training_agents(facts: &Facts<'_>) -> Finding {
    let Some(robots) = rules(facts) else {
        return Finding::na("there are no rules to read");
    };
    let path = facts.path();
    let out: Vec<_> = AGENTS
        .iter()
        .filter(|agent| agent.class == CrawlerClass::Training && !robots.verdict(agent.token, &path).allowed)
        .map(|agent| agent.token)
        .collect();
    let found = match out.is_empty() {
        true => "no listed training agent is shut out".to_owned(),
        false => format!("shut out: {}", out.join(", ")),
    };
    Finding::info(found).at("/robots.txt")
}

type Outcome = fn(String) -> Finding;

fn agents(facts: &Facts<'_>, class: CrawlerClass, judge: fn(usize, usize) -> Outcome) -> Finding {
    let robots = match &facts.robots {
        RobotsState::NotAsked => return Finding::na("robots.txt was not asked for"),
        RobotsState::Unreachable(reason) => {
            return Finding::unknown(format!("robots.txt could not be read ({reason})")).at("/robots.txt");
        }
        RobotsState::Looping => {
            return Finding::unknown("robots.txt redirects in a circle").at("/robots.txt");
        }
        RobotsState::NoFile(_) => {
            return Finding::pass("no robots.txt, so all may fetch the page").at("/robots.txt");
        }
        RobotsState::File { robots, .. } => robots,
    };
    let path = facts.path();
    let listed: Vec<&Agent> = AGENTS
        .iter()
        .filter(|agent| agent.scored && agent.class == class)
        .collect();
    let out: Vec<_> = listed
        .iter()
        .filter_map(|agent| {
            let verdict = robots.verdict(agent.token, &path);
            (!verdict.allowed).then_some((agent.token, verdict))
        })
        .collect();
    let Some((_, first)) = out.first() else {
        return Finding::pass(format!("all {} may fetch the page", listed.len())).at("/robots.txt");
    };
    let names: Vec<_> = out.iter().map(|(token, _)| *token).collect();
    let found = format!("shut out: {}", names.join(", "));
    let finding = judge(out.len(), listed.len())(found);
    match first.rule {
        Some(rule) => finding
            .advise(format!(
                "Remove “{}” (line {} of robots.txt) or give {} a group of their own with “Allow: /”.",
                rule.written(),
                rule.line,
                names.join(", ")
            ))
            .change(
                rule.written().as_str(),
                format!("User-agent: {}\nAllow: /", names.join("\nUser-agent: ")),
            )
            .at(format!(
                "/robots.txt line {}: {}{}",
                rule.line,
                rule.written(),
                if first.via_wildcard {
                    " (group for every agent)"
                } else {
                    ""
                }
            )),
        None => finding.at("/robots.txt"),
    }
}

fn rules<'f>(facts: &'f Facts<'_>) -> Option<&'f Robots> {
    let RobotsState::File { robots, .. } = &facts.robots else {
        return None;
    };
    Some(robots)
}

/// Directives that keep the page out of an index, for all or for a scored search agent.
pub(crate) fn noindex<'f>(facts: &'f Facts<'_>) -> impl Iterator<Item = &'f Directive> {
    let today = facts.today;
    facts.head.directives.iter().filter(move |directive| {
        let keeps_out = match directive.word.as_str() {
            "noindex" | "none" => true,
            "unavailable_after" => directive
                .value
                .as_deref()
                .and_then(crate::dates::machine)
                .is_some_and(|date| date < today),
            _ => false,
        };
        keeps_out && directive.reach() != Reach::Foreign
    })
}

/// A finding with its element or header before and after a directive is dropped.
fn dropping(finding: Finding, facts: &Facts<'_>, directive: &Directive) -> Finding {
    match without(facts, |other| other == directive) {
        Some((before, after)) => finding.change(before.as_str(), after),
        None => finding,
    }
}

/// A5: noindex in any form.
pub(super) fn no_noindex(facts: &Facts<'_>) -> Finding {
    let Some(first) = noindex(facts).next() else {
        return Finding::pass("no directive keeps the page out of an index");
    };
    let all = noindex(facts).find(|directive| directive.reach() == Reach::All);
    let directive = all.unwrap_or(first);
    let finding = Finding::fail(directive.describe())
        .advise(format!(
            "Remove “{}” ({}), if the page is meant to be found.",
            directive.describe(),
            directive.location()
        ))
        .at(directive.location());
    dropping(finding, facts, directive)
}

/// A6: may the page be quoted?
pub(super) fn snippets(facts: &Facts<'_>) -> Finding {
    let limit = |directive: &Directive| {
        let value: i64 = directive.value.as_deref()?.parse().ok()?;
        (directive.word == "max-snippet").then_some(value)
    };
    let bound: Vec<&Directive> = facts
        .head
        .directives
        .iter()
        .filter(|directive| directive.reach() != Reach::Foreign)
        .collect();
    let forbids = |directive: &&&Directive| directive.word == "nosnippet" || limit(directive) == Some(0);
    let for_all = bound.iter().find(|one| forbids(one) && one.reach() == Reach::All);
    if let Some(directive) = for_all.or_else(|| bound.iter().find(forbids)) {
        let finding = Finding::fail(directive.describe()).at(directive.location());
        return dropping(finding, facts, directive);
    }
    let share = facts.reading.nosnippet_words as f64 / facts.reading.article_words.max(1) as f64;
    let percent = (share * 100.0).round();
    if share > 0.8 {
        return Finding::fail(format!("{percent} % of the words stand under data-nosnippet"));
    }
    if let Some(directive) = bound
        .iter()
        .find(|one| limit(one).is_some_and(|chars| (1..160).contains(&chars)))
    {
        let finding = Finding::warn(directive.describe()).at(directive.location());
        return dropping(finding, facts, directive);
    }
    if share >= 0.2 {
        return Finding::warn(format!("{percent} % of the words stand under data-nosnippet"));
    }
    Finding::pass("quoting is not limited")
}

/// A7: what Bing's answers may use.
pub(super) fn bing_cache(facts: &Facts<'_>) -> Finding {
    let binds = |directive: &&Directive, word: &str| directive.word == word && directive.binds_bing();
    let find = |word: &str| {
        facts
            .head
            .directives
            .iter()
            .find(|directive| binds(directive, word))
    };
    if let Some(directive) = find("nocache") {
        let found = format!(
            "{}: only title, address and snippet are used",
            directive.describe()
        );
        return Finding::warn(found).at(directive.location());
    }
    match find("noarchive") {
        Some(directive) => {
            let found = format!(
                "{}: the page stays out of Copilot's answers",
                directive.describe()
            );
            dropping(Finding::fail(found).at(directive.location()), facts, directive)
        }
        None => Finding::pass("neither noarchive nor nocache"),
    }
}

/// A8: reservations without legal or technical force.
pub(super) fn reservations(facts: &Facts<'_>) -> Finding {
    if let Some(directive) = facts.head.directives.iter().find(|directive| {
        matches!(directive.word.as_str(), "noai" | "noimageai") && directive.reach() != Reach::Foreign
    }) {
        return Finding::warn(directive.describe()).at(directive.location());
    }
    if let Some(meta) = facts.head.meta(&["tdm-reservation"])
        && meta.content.trim() == "1"
    {
        return Finding::warn("tdm-reservation: 1").at(format!("line {}: <meta>", meta.line));
    }
    if facts
        .page
        .headers
        .all("tdm-reservation")
        .any(|value| value.trim() == "1")
    {
        return Finding::warn("tdm-reservation: 1").at("header tdm-reservation");
    }
    if let Some(answer) = facts.page.site.tdmrep.answer()
        && answer.status == 200
        && crate::signals::tdmrep_reserves(&answer.body, &facts.path())
    {
        return Finding::warn("the site reserves text and data mining on this path")
            .at("/.well-known/tdmrep.json");
    }
    if let Some(robots) = rules(facts) {
        let path = facts.path();
        let signal = robots.signals().iter().find(|signal| {
            !signal.granted && matches!(signal.name.as_str(), "search" | "ai-input") && signal.covers(&path)
        });
        if let Some(signal) = signal {
            return Finding::warn(format!("content signal {}=no", signal.name))
                .at(format!("/robots.txt line {}", signal.line));
        }
    }
    Finding::pass("no reservation against use in answers")
}

/// A9: is the text behind a wall?
pub(super) fn paywall(facts: &Facts<'_>) -> Finding {
    let item = facts.structured.items().find(|item| item.not_free).map(|item| {
        let hint = if item.has_selector {
            ""
        } else {
            ", without hasPart"
        };
        let place = format!("line {}: {}", item.line, item.syntax.label());
        (format!("isAccessibleForFree is false{hint}"), place)
    });
    let property = || {
        let mut all = facts.structured.properties.iter();
        let closed = all.find(|(name, value, _)| name == "isaccessibleforfree" && is_false_text(value));
        closed.map(|(_, _, line)| ("isAccessibleForFree is false".to_owned(), format!("line {line}")))
    };
    let declared = item.or_else(property);
    let signs = [&facts.signs.wall_words, &facts.signs.wall_name];
    let mut seen = signs.into_iter().flatten();
    let shown = seen
        .next()
        .map(|sign| (sign.text.clone(), format!("line {}", sign.line)));
    // One sign alone may be an account's button or a comment's class.
    let last = facts.reading.paragraphs().last();
    let breaks_off = || {
        last.is_some_and(|block| {
            ["…", "..."]
                .iter()
                .any(|end| facts.reading.block_text(block).ends_with(end))
        })
    };
    let is_sure = declared.is_some() || seen.next().is_some() || breaks_off();
    let is_declared = declared.is_some();
    let Some((text, place)) = declared.or(shown) else {
        return Finding::pass("no sign of a paywall or a sign-in wall");
    };
    let found = format!("{text}; {} can be read", many(facts.words(), "word"));
    if is_sure && facts.words() < LONG_TEXT {
        Finding::fail(found).at(place)
    } else if is_declared {
        // A declaration closes nothing, because the text may be there, or for some visitors.
        let advice = format!(
            "If the text stays open, declare isAccessibleForFree true ({place}); else mark the closed part with hasPart and cssSelector."
        );
        Finding::warn(found).advise(advice).at(place)
    } else {
        Finding::pass(found).at(place)
    }
}
