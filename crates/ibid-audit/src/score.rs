//! Computes the score from the findings: a weighted mean of the checks that apply, and the caps.

use crate::checks::{CATEGORIES, Finding, RULES, Rule, needs_advice, noindex};
use crate::directives::Reach;
use crate::facts::{Facts, RobotsState};
use crate::kind::{is_account_form, is_legal};
use crate::limits::{BARE_PAGE, BARE_TEXT, SHOWN};
use crate::quote::quote;
use ibid_model::result::{
    AuditCategory, AuditCheck, AuditFix, AuditGate, CategoryId, CheckStatus, CrawlerClass, EvidenceKind,
    FixCertainty, GateId, PageKind,
};

/// Part of its points that a status gets: `None` leaves the mean.
///
/// A warning is a third: what most pages half have tells them apart.
fn part(status: CheckStatus) -> Option<f64> {
    match status {
        CheckStatus::Pass => Some(1.0),
        CheckStatus::Warn => Some(1.0 / 3.0),
        CheckStatus::Fail | CheckStatus::Unknown => Some(0.0),
        CheckStatus::Na | CheckStatus::Info => None,
    }
}

/// The score before gates, and what it is made of.
pub(crate) struct Scored {
    pub(crate) score: u8,
    pub(crate) categories: Vec<AuditCategory>,
    pub(crate) checks: Vec<AuditCheck>,
}

/// Computes the score before gates.
///
/// A check's gain is how much the total would rise if it passed.
pub(crate) fn score(findings: Vec<(&'static Rule, Finding)>) -> Scored {
    let worth = worth(&findings);
    let got = |(rule, finding): &(&Rule, Finding), worth: &f64| {
        let part = part(finding.status).filter(|_| !rule.penalty);
        worth * part.unwrap_or(0.0)
    };
    let total: f64 = findings
        .iter()
        .zip(&worth)
        .map(|(of, worth)| got(of, worth))
        .sum();
    let category = |(id, label): (CategoryId, &str)| {
        let of = || {
            findings
                .iter()
                .zip(&worth)
                .filter(|((rule, _), _)| rule.category == id)
        };
        let all: f64 = of().map(|(_, worth)| worth).sum();
        let got: f64 = of().map(|(of, worth)| got(of, worth)).sum();
        AuditCategory {
            id,
            label: label.to_owned(),
            score: (all > 0.0).then(|| whole(100.0 * got / all)),
            weight: RULES
                .iter()
                .filter(|rule| rule.category == id && !rule.penalty)
                .map(|rule| rule.weight)
                .sum(),
        }
    };
    let categories = CATEGORIES.map(category).into();
    // A penalty that ends gives its points back to the checks that are neither it nor contested.
    let shared = || {
        findings
            .iter()
            .zip(&worth)
            .filter(|((rule, _), _)| !rule.is_fixed())
    };
    let all: f64 = shared().map(|(_, worth)| worth).sum();
    let back = shared().map(|(of, worth)| got(of, worth)).sum::<f64>() / all.max(1.0);
    let checks = findings.into_iter().zip(worth).map(|((rule, finding), worth)| {
        let missing = part(finding.status).map_or(0.0, |part| 1.0 - part);
        check(rule, finding, worth * if rule.penalty { back } else { missing })
    });
    Scored {
        score: whole(total),
        categories,
        checks: checks.collect(),
    }
}

/// Returns the points of each check, or 0 if it does not apply.
///
/// Contested checks keep their weight on every page, and penalties what they take off.
/// The others that apply share the rest by weight, so that all add up to a hundred.
fn worth(findings: &[(&'static Rule, Finding)]) -> Vec<f64> {
    let weight = |(rule, finding): &(&Rule, Finding)| {
        let part = part(finding.status);
        part.map_or(0.0, |part| {
            f64::from(rule.weight) * if rule.penalty { 1.0 - part } else { 1.0 }
        })
    };
    let sum = |fixed: bool| -> f64 {
        let of = findings.iter().filter(|(rule, _)| rule.is_fixed() == fixed);
        of.map(weight).sum()
    };
    let unit = (100.0 - sum(true)) / sum(false).max(1.0);
    let worth = |of: &(&Rule, Finding)| weight(of) * if of.0.is_fixed() { 1.0 } else { unit };
    findings.iter().map(worth).collect()
}

fn check(rule: &Rule, finding: Finding, gain: f64) -> AuditCheck {
    let needs_advice = needs_advice(finding.status);
    let texts = rule.texts();
    AuditCheck {
        id: rule.id.to_owned(),
        category: rule.category,
        title: texts.title.to_owned(),
        status: finding.status,
        weight: rule.weight,
        evidence: rule.evidence.to_vec(),
        contested: rule.contested,
        found: finding.found,
        location: finding
            .location
            .or_else(|| needs_advice.then(|| place(rule).to_owned())),
        why: texts.why.to_owned(),
        advice: needs_advice.then(|| finding.advice.unwrap_or_else(|| texts.advice.to_owned())),
        fix: needs_advice.then(|| {
            let (before, after) = finding
                .change
                .map_or((None, None), |(before, after)| (before, Some(after)));
            let (assistants, because) = finding.concerned;
            AuditFix {
                assistants,
                because,
                certainty: certainty(rule),
                effort: texts.effort.to_owned(),
                before,
                after,
            }
        }),
        gain: (gain * 10.0).round() / 10.0,
    }
}

fn certainty(rule: &Rule) -> FixCertainty {
    let has = |kind| !rule.contested && rule.evidence.contains(&kind);
    if has(EvidenceKind::Vendor) || has(EvidenceKind::Measured) {
        FixCertainty::Sure
    } else if has(EvidenceKind::Study) || has(EvidenceKind::Correlation) {
        FixCertainty::Likely
    } else {
        FixCertainty::Unsure
    }
}

/// The place to work on where a finding names no line.
fn place(rule: &Rule) -> &'static str {
    match (rule.category, rule.id) {
        (CategoryId::Access, "A1" | "A2" | "A3" | "A4") => "/robots.txt",
        (CategoryId::Discovery, "B2") => "the sitemap",
        (CategoryId::Discovery, "B6") => "the links of the page",
        (CategoryId::Access | CategoryId::Discovery | CategoryId::StructuredData, _) => "<head>",
        (CategoryId::Delivery, "C2" | "C3") => "<body>",
        (CategoryId::Delivery, _) => "the answer of the server",
        (CategoryId::Authorship, "F1") => "below the title",
        (CategoryId::Authorship, "F5") => "<html>",
        (CategoryId::Authorship, _) => "<head>, and below the title",
        (CategoryId::Structure | CategoryId::Quotability, _) => "the article",
    }
}

/// Half up, into 0..=100.
fn whole(value: f64) -> u8 {
    // Sums of halves may be slightly below the exact half.
    let rounded = (value + 0.5 + 1e-9).floor().clamp(0.0, 100.0);
    // The cast is exact, because the number is whole and clamped to 0..=100.
    rounded as u8
}

/// The caps that apply, lowest first.
pub(crate) fn gates(facts: &Facts<'_>, checks: &[AuditCheck]) -> Vec<AuditGate> {
    let find = |id: &str| checks.iter().find(|check| check.id == id);
    let failed = |id: &str| find(id).filter(|check| check.status == CheckStatus::Fail);
    let mut gates = Vec::new();
    let mut add = |id: GateId, cap: u8, check: &AuditCheck, reason: String| {
        gates.push(AuditGate {
            id,
            cap,
            check: check.id.clone(),
            reason,
        });
    };
    if let Some(check) = failed("C1") {
        add(GateId::NotAPage, 20, check, check.found.clone());
    }
    if let Some(check) = failed("A5") {
        let for_all = noindex(facts).any(|directive| directive.reach() == Reach::All);
        let cap = if for_all { 20 } else { 50 };
        add(
            GateId::Noindex,
            cap,
            check,
            format!("{} ({})", check.found, check.location.as_deref().unwrap_or("")),
        );
    }
    // Two signs: next to no text, and a shell for scripts or next to no words in menus and forms either.
    // An address is short.
    let least = BARE_TEXT / if facts.kind == PageKind::Contact { 2 } else { 1 };
    let is_bare = facts.words() < least && facts.all_words() < BARE_PAGE;
    let is_bare = is_bare && !is_account_form(facts) && !is_legal(facts);
    if let Some(check) = failed("C3").or_else(|| find("C2").filter(|_| is_bare)) {
        add(GateId::NoContent, 30, check, check.found.clone());
    }
    if let (RobotsState::File { robots, .. }, Some(check)) = (&facts.robots, find("A2")) {
        let path = facts.path();
        let listed = crate::robots::AGENTS
            .iter()
            .filter(|agent| agent.scored && agent.class == CrawlerClass::Search);
        let (all, out) = listed.fold((0, 0), |(all, out), agent| {
            (
                all + 1,
                out + u8::from(!robots.verdict(agent.token, &path).allowed),
            )
        });
        if out >= 3 {
            let cap = if out == all { 20 } else { 50 };
            add(GateId::SearchAgentsBlocked, cap, check, quote(&check.found));
        }
    }
    if let RobotsState::Unreachable(_) = &facts.robots
        && let Some(check) = find("A1")
    {
        add(GateId::RobotsUnreachable, 50, check, check.found.clone());
    }
    if let Some(check) = failed("A6") {
        add(GateId::NoSnippet, 50, check, check.found.clone());
    }
    if let Some(check) = failed("A9") {
        add(GateId::Paywall, 60, check, check.found.clone());
    }
    gates.sort_by_key(|gate| (gate.cap, gate.id));
    gates
}

/// Ids of the checks whose advice helps most, at most [`SHOWN`].
///
/// Gates come first, lowest cap first, then the others by gain.
/// Contested advice comes after all other advice, regardless of its gain.
pub(crate) fn top_fixes(gates: &[AuditGate], checks: &[AuditCheck]) -> Vec<String> {
    let mut order: Vec<String> = Vec::new();
    for gate in gates {
        if !order.contains(&gate.check) {
            order.push(gate.check.clone());
        }
    }
    let mut rest: Vec<_> = checks
        .iter()
        .filter(|check| check.gain > 0.0 && check.advice.is_some())
        .collect();
    // Stable, so that equal gains stay in the order of the report.
    rest.sort_by(|a, b| a.contested.cmp(&b.contested).then(b.gain.total_cmp(&a.gain)));
    for check in rest {
        if !order.contains(&check.id) {
            order.push(check.id.clone());
        }
    }
    order.truncate(SHOWN);
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn scored(status: impl Fn(usize) -> CheckStatus) -> Scored {
        score(
            RULES
                .iter()
                .enumerate()
                .map(|(at, rule)| (rule, Finding::new(status(at), "")))
                .collect(),
        )
    }

    #[test]
    fn ends_of_the_scale() {
        assert_eq!(scored(|_| CheckStatus::Pass).score, 100);
        let warned = |at: usize| match RULES[at].penalty {
            true => CheckStatus::Pass,
            false => CheckStatus::Warn,
        };
        assert_eq!(scored(warned).score, 33);
        assert_eq!(scored(|_| CheckStatus::Fail).score, 0);
        assert_eq!(scored(|_| CheckStatus::Unknown).score, 0);
        let none = scored(|_| CheckStatus::Na);
        assert_eq!(none.score, 0);
        assert!(none.categories.iter().all(|category| category.score.is_none()));
    }

    #[test]
    fn halves_round_up() {
        for (value, expected) in [
            (0.0, 0),
            (0.49, 0),
            (0.5, 1),
            (66.5, 67),
            (99.5, 100),
            (100.0, 100),
            (-1.0, 0),
            (120.0, 100),
        ] {
            assert_eq!(whole(value), expected, "{value}");
        }
    }

    fn any_status() -> impl Strategy<Value = CheckStatus> {
        prop_oneof![
            Just(CheckStatus::Pass),
            Just(CheckStatus::Warn),
            Just(CheckStatus::Fail),
            Just(CheckStatus::Na),
            Just(CheckStatus::Unknown),
        ]
    }

    proptest! {
        #[test]
        fn contested_checks_are_worth_no_more_where_others_do_not_apply(statuses in proptest::collection::vec(any_status(), 41)) {
            let nominal = scored(|_| CheckStatus::Fail);
            let found = scored(|index| statuses[index]);
            for (all, one) in nominal.checks.iter().zip(&found.checks) {
                prop_assert!(!one.contested || one.gain <= all.gain, "{} {} {}", one.id, one.gain, all.gain);
            }
        }

        #[test]
        fn a_better_finding_never_lowers_the_score(statuses in proptest::collection::vec(any_status(), 41), at in 0..41_usize) {
            let before = scored(|index| statuses[index]);
            prop_assume!(part(statuses[at]).is_some());
            let after = scored(|index| if index == at { CheckStatus::Pass } else { statuses[index] });
            prop_assert!(after.score >= before.score);
            let gain = before.checks[at].gain;
            let risen = f64::from(after.score) - f64::from(before.score);
            prop_assert!((risen - gain).abs() <= 1.1, "{risen} {gain}");
        }
    }
}
