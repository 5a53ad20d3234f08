//! A report's headline: the score and its precision, in words.

use crate::figure;
use crate::pages::Fact;
use ibid_model::result::{CompetitorKind, RadiusScope, ScanResult, Stopped};
use ibid_model::{Interval, Prominence, Score};

/// Answers from which the place among competitors is shown.
const FEWEST_FOR_A_PLACE: u64 = 3;

/// Returns how many answers the score rests on, and how many cite the domain.
fn counts(result: &ScanResult) -> (u64, u64) {
    let classes = classes(result);
    let cited = classes.iter().filter(|class| **class != Prominence::None).count();
    (classes.len() as u64, cited as u64)
}

fn classes(result: &ScanResult) -> Vec<Prominence> {
    result
        .headline_answers()
        .filter_map(|(_, answer)| answer.class)
        .collect()
}

/// The score; `None` where no answer arrived.
pub(crate) fn overall(result: &ScanResult) -> Option<Score> {
    let score = result.overall_score;
    let measured = result.interval.is_some() || score != Score::ZERO || any_answer(result);
    measured.then_some(score)
}

/// Whether any question of the score was answered.
pub(crate) fn any_answer(result: &ScanResult) -> bool {
    counts(result).0 > 0
}

/// Returns the most frequent class among citing answers; of equal ones the lower.
fn most_frequent(result: &ScanResult) -> Prominence {
    let classes = classes(result);
    let count = |wanted: Prominence| classes.iter().filter(|class| **class == wanted).count();
    [Prominence::Mentioned, Prominence::Secondary, Prominence::Primary]
        .into_iter()
        .fold((Prominence::None, 0), |best, class| {
            let times = count(class);
            if times > best.1 { (class, times) } else { best }
        })
        .0
}

/// Returns a class as part of a sentence.
fn prominence_phrase(class: Prominence) -> &'static str {
    match class {
        Prominence::Primary => "as the first choice",
        Prominence::Secondary => "after others",
        Prominence::Mentioned => "in passing",
        Prominence::None => "not at all",
    }
}

/// Writes a verdict such as "Often cited, usually after others".
pub(crate) fn headline(result: &ScanResult) -> String {
    let (valid, cited) = counts(result);
    if valid == 0 {
        return "No question was answered".to_owned();
    }
    // One answer does not show a frequency.
    if valid == 1 && cited == 1 {
        return format!("Cited {}", prominence_phrase(most_frequent(result)));
    }
    let how_often = match cited * 100 / valid {
        0 if cited == 0 => return "Not cited".to_owned(),
        0..25 => "Rarely cited",
        25..50 => "Sometimes cited",
        50..75 => "Often cited",
        75..100 => "Nearly always cited",
        _ => "Always cited",
    };
    format!(
        "{how_often}, usually {}",
        prominence_phrase(most_frequent(result))
    )
}

/// Says how many answers cite the domain, and where the score likely is.
pub(crate) fn sentence(result: &ScanResult) -> String {
    let (valid, cited) = counts(result);
    let Some(range) = &result.interval else {
        return "No question got a valid answer, so there is no score.".to_owned();
    };
    let answers = figure::plural(valid, "answer", "answers");
    if valid == 1 {
        return format!("Cited in {cited} of {answers}. One answer has no likely range worth reading.");
    }
    format!(
        "Cited in {cited} of {answers}. Likely range: {} to {}.",
        figure::whole(range.low),
        figure::whole(range.high)
    )
}

/// Names the scale of the score and how many models are behind it.
pub(crate) fn scale_note(result: &ScanResult) -> String {
    let models = result
        .models
        .iter()
        .filter(|model| !model.is_unanswered())
        .count();
    match (counts(result).0, models) {
        (0, _) => "of 100".to_owned(),
        (1, _) => "of 100, one answer".to_owned(),
        (_, 1) => "of 100, one model".to_owned(),
        (_, models) => format!("of 100, over {models}\u{a0}models"),
    }
}

/// Explains how sure the score is, one sentence each.
pub(crate) fn how_sure(result: &ScanResult) -> Vec<String> {
    let mut sentences = Vec::new();
    let answers = counts(result).0;
    if let Some(range) = &result.interval {
        let whole = |range: &Interval| (figure::whole(range.low), figure::whole(range.high));
        let (low, high) = whole(range);
        match result.sampling_interval.as_ref().zip(result.reading_error) {
            Some((sampling, error)) => {
                let (from, to) = whole(sampling);
                sentences.push(format!(
                    "95 times in 100 the score lies between {low} and {high}. The questions alone give {from} to {to}; the reading adds ±{error:.0}\u{a0}points, by the share of answers that name the website."
                ));
                let wrong = match result.method.language.split('-').next() {
                    Some("zh" | "ja" | "ko") => "More than half of the answers are read wrong by 20 points or more, mostly too low.",
                    _ => "One answer in eight is read wrong by 20 points or more.",
                };
                sentences.push(wrong.to_owned());
            }
            None => sentences.push(format!(
                "Asked other questions of the same kind, the score would most likely lie between {low} and {high} (95\u{a0}% interval)."
            )),
        }
        if range.low_precision {
            sentences.push(format!(
                "It is based on {} only: use the range, not the number.",
                figure::plural(answers, "answer", "answers")
            ));
        }
    }
    sentences.extend(asked_until(result));
    sentences.extend(result.retrieval.sentence());
    sentences
}

/// Says what a scan in batches aimed at, and why it asked no more.
fn asked_until(result: &ScanResult) -> Option<String> {
    let until = result.until?;
    let width = until.target_width.map(|width| {
        format!(
            "ask until the score is known to ±{} points",
            f64::from(width) / 2.0
        )
    });
    let budget = until
        .budget_usd
        .map(|budget| format!("spend at most ${budget:.2}"));
    let aims: Vec<String> = width.into_iter().chain(budget).collect();
    let why = match result.stopped? {
        Stopped::Width => "it is known so well",
        Stopped::Budget => "another answer would have cost more",
        Stopped::Pool => "there were no more questions",
        Stopped::Time => "the time was over",
    };
    Some(format!("The scan was to {}: {why}.", aims.join(" and ")))
}

/// Answers the next questions of a reader.
pub(crate) fn facts(result: &ScanResult) -> Vec<Fact> {
    let mut facts = Vec::new();
    let best = result
        .models
        .iter()
        .filter(|model| !model.is_unanswered())
        .max_by(|a, b| a.score.get().total_cmp(&b.score.get()));
    if let (Some(best), true) = (best, result.models.len() > 1) {
        facts.push(Fact::with_note(
            "Strongest model",
            best.model_label.clone(),
            format!("score {}", figure::score(best.score)),
        ));
    }
    if !result.radius.rings.is_empty() && result.radius.scope != Some(RadiusScope::Country) {
        facts.push(match result.radius.citation_radius_km {
            Some(km) => {
                let reach = if result.radius.censored {
                    format!("≥\u{a0}{}", figure::km(km))
                } else if result.radius.at_most {
                    format!("<\u{a0}{}", figure::km(km))
                } else {
                    figure::km(km)
                };
                let range = result
                    .radius
                    .radius_range_km
                    .map_or_else(String::new, |[low, high]| {
                        format!(
                            "80\u{a0}% range {}–{}",
                            figure::short(low.round()),
                            figure::km(high.round())
                        )
                    });
                Fact::with_note("Citation radius", reach, range)
            }
            None => Fact::with_note("Citation radius", "unknown", "the home ring has no answers"),
        });
    }
    let competitors = &result.radius.top_competitors;
    if let Some(competitor) = competitors
        .iter()
        .find(|row| row.kind == CompetitorKind::Rival && !row.is_self)
    {
        let named = if counts(result).0 == 1 {
            "named in this answer".to_owned()
        } else {
            format!(
                "named in {} of answers",
                figure::percent(competitor.appearance_rate)
            )
        };
        facts.push(Fact::with_note("Named most", competitor.name.clone(), named));
    }
    // With fewer answers a place is the order of one list.
    let own = competitors.iter().find(|row| row.is_self);
    if let Some(own) = own.filter(|_| counts(result).0 >= FEWEST_FOR_A_PLACE) {
        let rank = own
            .rank_interval
            .filter(|range| range.low != range.high)
            .map_or_else(
                || own.rank.to_string(),
                |range| format!("{} ({}–{})", own.rank, range.low, range.high),
            );
        facts.push(Fact::with_note(
            "Place among competitors",
            rank,
            format!("share {}", figure::percent(own.share)),
        ));
    }
    facts
}
