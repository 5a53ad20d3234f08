//! The reasons that limit a comparison.

use super::cells::{Shared, is_like};
use super::paired::FEWEST;
use ibid_model::result::{
    AliasSource, Difference, LocationReport, Pairing, Reason, ScanResult, Stratum, Verdict,
};
use std::collections::BTreeSet;

/// Largest difference of the searched shares without a note.
const MOST_SHARE_APART: f64 = 0.20;

/// The differences between the scans other than their answers, weightiest first.
pub(super) fn between(first: &ScanResult, second: &ScanResult, shared: &[Shared<'_>]) -> Vec<Reason> {
    let mut reasons = Vec::new();
    target(first, second, &mut reasons);
    way_of_asking(first, second, &mut reasons);
    retrieval(first, second, &mut reasons);
    models(shared, &mut reasons);
    trust(first, second, &mut reasons);
    reasons
}

fn target(first: &ScanResult, second: &ScanResult, reasons: &mut Vec<Reason>) {
    if first.sandbox != second.sandbox {
        let message = "one scan is of the sandbox, whose answers are invented, the other is not";
        reasons.push(blocking("sandbox", message, None));
    }
    if first.domain != second.domain {
        reasons.push(blocking(
            "other_domain",
            format!("the scans look for different websites, {} and {}", first.domain, second.domain),
            Some("the two websites with each other: the numbers are those of the second less those of the first"),
        ));
    }
    if first.keyword != second.keyword {
        reasons.push(blocking(
            "other_keyword",
            "the scans ask about different keywords",
            Some("the keywords with each other, over questions that do not pair"),
        ));
    }
    if spot(first.location.as_ref()) != spot(second.location.as_ref()) {
        let name = |result: &ScanResult| {
            result
                .location
                .as_ref()
                .map_or_else(|| "no place".to_owned(), LocationReport::label)
        };
        reasons.push(blocking(
            "other_location",
            format!(
                "the scans ask for different places, {} and {}",
                name(first),
                name(second)
            ),
            Some("the places with each other, over questions that do not pair"),
        ));
    }
    let added = |result: &ScanResult| -> BTreeSet<String> {
        let asked = result
            .brand_names
            .iter()
            .filter(|alias| alias.source == AliasSource::Request);
        asked.map(|alias| alias.name.clone()).collect()
    };
    if first.domain == second.domain && added(first) != added(second) {
        let message =
            "the callers added different brand names, so one scan could find what the other could not";
        reasons.push(note("other_brand_names", message));
    }
}

/// What identifies a place, whatever its spelling.
fn spot(location: Option<&LocationReport>) -> impl PartialEq {
    location.map(|location| {
        let place = &location.resolved;
        let admin = place.admin.as_deref();
        (
            place.name.as_str(),
            admin,
            place.country_code.as_str(),
            place.lat.map(f64::to_bits),
            place.lon.map(f64::to_bits),
        )
    })
}

fn way_of_asking(first: &ScanResult, second: &ScanResult, reasons: &mut Vec<Reason>) {
    let (before, after) = (&first.method, &second.method);
    if before.version != after.version {
        reasons.push(blocking(
            "other_method",
            format!(
                "the answers were read and scored by different versions of the method, {} and {}; score them again with one",
                before.version, after.version
            ),
            Some("the answers themselves, scored again with one version"),
        ));
    }
    if before.web_search != after.web_search {
        reasons.push(blocking(
            "other_web_search",
            "one scan let the models search the web, the other did not",
            Some("the models with and without web search, over the same questions"),
        ));
    }
    if before.language != after.language {
        reasons.push(blocking(
            "other_language",
            format!(
                "the questions are in different languages, {} and {}",
                before.language, after.language
            ),
            Some("the languages with each other, over questions that do not pair"),
        ));
    }
}

/// The searches behind the answers: searched and remembered answers are different measurements.
fn retrieval(first: &ScanResult, second: &ScanResult, reasons: &mut Vec<Reason>) {
    let (before, after) = (&first.retrieval, &second.retrieval);
    if !is_like(before.headline, after.headline) {
        reasons.push(blocking(
            "other_retrieval",
            format!(
                "the score of one scan is {}, that of the other {}",
                before.headline.label(),
                after.headline.label()
            ),
            Some("`searchedScore` and `memoryScore` of the scans that have both"),
        ));
    } else if before.headline != after.headline {
        let message = "it is not known of one scan whether its answers searched the web";
        reasons.push(note("unknown_retrieval", message));
    } else if let (Stratum::Searched, Some(one), Some(other)) =
        (before.headline, before.searched_share(), after.searched_share())
        && (one - other).abs() > MOST_SHARE_APART + 1e-9
    {
        reasons.push(note(
            "searched_share",
            format!(
                "{:.0} % of the answers of one scan searched the web and {:.0} % of the other; the rest is left out, so the questions \
                 that count differ",
                100.0 * one,
                100.0 * other
            ),
        ));
    }
}

fn models(shared: &[Shared<'_>], reasons: &mut Vec<Reason>) {
    let names = |take: &dyn Fn(&Shared<'_>) -> bool| -> Vec<&str> {
        let taken = shared.iter().filter(|model| take(model));
        taken.map(|model| model.alias.as_str()).collect()
    };
    let alone = names(&|model| !model.is_in_both());
    let changed = names(&|model| model.is_in_both() && model.is_changed());
    if names(&|model| model.is_in_both()).is_empty() {
        reasons.push(blocking(
            "no_shared_model",
            "the scans asked no model in common",
            None,
        ));
        return;
    }
    if !alone.is_empty() {
        let message = format!(
            "only one scan asked {}; the comparison leaves it out",
            alone.join(", ")
        );
        reasons.push(note("other_models", message));
    }
    if !changed.is_empty() {
        let message = format!(
            "another model answers behind {}; the comparison leaves it out",
            changed.join(", ")
        );
        reasons.push(note("model_changed", message));
    }
    if names(&|model| model.is_same()).is_empty() {
        let message = "another model answers behind every alias that both scans asked";
        let still = "the scores, as those of different models";
        reasons.push(blocking("every_model_changed", message, Some(still)));
        return;
    }
    let aside = names(&|model| model.is_same() && !model.in_headline);
    if !aside.is_empty() {
        let message = format!(
            "the score of a scan does not rest on the answers of {}, because of their web search; the comparison leaves them out",
            aside.join(", ")
        );
        let none_left = names(&|model| model.is_counted()).is_empty();
        reasons.push(Reason {
            blocks: none_left,
            ..note("model_set_aside", message)
        });
    }
}

fn trust(first: &ScanResult, second: &ScanResult, reasons: &mut Vec<Reason>) {
    if first.method.branded || second.method.branded {
        let message =
            "a keyword names the website itself, so its questions lead there; keep the scan out of trends";
        reasons.push(note("branded", message));
    }
    let has_gaps = |result: &ScanResult| result.models.iter().any(|model| model.coverage < 1.0);
    if has_gaps(first) || has_gaps(second) {
        reasons.push(note(
            "partial",
            "questions without an answer in either scan are left out",
        ));
    }
}

/// The reason that follows from the number of answers.
pub(super) fn about_size(overall: &Difference, models: usize) -> Option<Reason> {
    if models == 0 {
        // `between` has already given the reason why there are no models.
        return None;
    }
    match (overall.verdict, overall.pairing) {
        (Verdict::NotComparable, Pairing::None) => Some(blocking(
            "no_answers",
            "one of the scans has no answer of a model that both asked",
            None,
        )),
        (Verdict::NotComparable, _) => Some(blocking(
            "too_few_questions",
            format!(
                "{} in both scans, and a test needs {FEWEST}: ask at least {FEWEST} questions a model in both",
                match (overall.pairing, overall.questions) {
                    (Pairing::Paired, 1) => "1 question was answered".to_owned(),
                    (Pairing::Paired, questions) => format!("{questions} questions were answered"),
                    (Pairing::Unpaired | Pairing::None, _) => "no question was answered".to_owned(),
                }
            ),
            Some("the scores with their intervals, by eye"),
        )),
        (Verdict::Changed | Verdict::WithinNoise, Pairing::Unpaired) => Some(note(
            "unpaired",
            "too few questions stand in both scans, so all are compared with all, which shows less",
        )),
        (Verdict::Changed | Verdict::WithinNoise, Pairing::Paired)
            if (overall.differing as usize) < FEWEST =>
        {
            Some(note(
                "few_differences",
                format!(
                    "{} of {} pairs of answers differ; under {FEWEST} no test can show a change",
                    overall.differing, overall.pairs
                ),
            ))
        }
        (Verdict::Changed | Verdict::WithinNoise, Pairing::Paired | Pairing::None) => None,
    }
}

fn blocking(code: &str, message: impl Into<String>, still: Option<&str>) -> Reason {
    Reason {
        code: code.to_owned(),
        message: message.into(),
        blocks: true,
        still_comparable: still.map(str::to_owned),
    }
}

fn note(code: &str, message: impl Into<String>) -> Reason {
    Reason {
        blocks: false,
        ..blocking(code, message, None)
    }
}
