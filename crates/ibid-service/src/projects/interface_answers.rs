//! Answers seen in assistants that people use, beside those asked for over the API. The two are never added up.

use super::foreign_answers::{interface_counts, question_word};
use super::handle::Projects;
use super::mentions::Read;
use crate::error::Error;
use ibid_engine::score::interval::{Scored, of_rate};
use ibid_model::Interval;
use ibid_store::{AnswerCount, ProjectScope};
use jiff::{Timestamp, ToSpan, tz::TimeZone};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Runs whose answers are compared, as for own data.
const RUNS: u32 = 40;
/// Days that both sides rest on.
pub const SEEN_DAYS: i32 = 28;
/// Answers below which a share has no range: with fewer it spans more than half of the scale.
const LEAST_ANSWERS: u64 = 8;
/// Questions below which it has none: answers to one question say nothing about others.
const LEAST_QUESTIONS: usize = 3;

/// How many among some answers cite the website.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CitedShare {
    /// Answers that can be scored.
    pub answers: u64,
    /// Those that cite the website.
    pub cited: u64,
    /// The 95 % range of the share, 0..1; `None` below eight answers or three questions.
    pub interval: Option<Interval>,
}

impl CitedShare {
    /// Of answers with their question and whether they cite the website.
    fn of(answers: &[(usize, bool)]) -> Self {
        let scored: Vec<Scored> = answers
            .iter()
            .map(|(question, cites)| Scored {
                model: 0,
                question: *question,
                score: f64::from(u8::from(*cites)),
            })
            .collect();
        let count = answers.len() as u64;
        let range =
            of_rate(&scored).filter(|range| count >= LEAST_ANSWERS && range.questions >= LEAST_QUESTIONS);
        Self {
            answers: count,
            cited: answers.iter().filter(|(_, cites)| *cites).count() as u64,
            interval: range.map(|range| Interval::of_rates(range.low, range.high, range.low_precision)),
        }
    }

    /// Of answers to one question: each tells as much as a question of its own.
    fn of_one(answers: &[(usize, bool)]) -> Self {
        let own: Vec<(usize, bool)> = answers.iter().enumerate().map(|(at, one)| (at, one.1)).collect();
        Self::of(&own)
    }
}

/// A question on both sides.
#[derive(Clone, Debug)]
pub struct SeenQuestion {
    pub text: String,
    /// Its answers in each interface, in the order of the interfaces.
    pub seen: Vec<CitedShare>,
    /// Its answers over the API.
    pub asked: CitedShare,
}

/// What was seen in interfaces in the last four weeks, beside what was asked over the API in the same time.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// The interfaces by name; empty where nothing was seen.
    pub interfaces: Vec<(String, CitedShare)>,
    /// The models by alias.
    pub models: Vec<(String, CitedShare)>,
    /// The questions that both sides asked, those with most answers seen first.
    pub questions: Vec<SeenQuestion>,
    /// Questions that were only seen.
    pub others: u64,
}

impl Projects {
    /// What was seen in interfaces beside what was asked over the API.
    pub async fn seen(&self, scope: &ProjectScope) -> Result<Seen, Error> {
        let now = Timestamp::now().to_zoned(TimeZone::UTC);
        let from = now.date().saturating_sub(SEEN_DAYS.days());
        let counts = self
            .of(scope, move |store, scope| interface_counts(store, scope, from))
            .await?;
        if counts.is_empty() {
            return Ok(Seen::default());
        }
        let view = self.get(scope).await?;
        let (mut runs, waiting) = self.mentions(scope, RUNS).await?;
        runs.retain(|((_, at), _)| at.to_zoned(TimeZone::UTC).date() >= from);
        let place = view.record.place;
        let country = match place.as_deref().and_then(|place| place.parse().ok()) {
            Some(place) => self.schedules.planner.located(place).await.ok(),
            None => None,
        };
        let country = country
            .as_ref()
            .map(|found| found.resolved().place().country_code());
        Ok(seen(&counts, &(runs, waiting), place.as_deref(), country))
    }
}

fn seen(counts: &[AnswerCount], (runs, _): &Read, place: Option<&str>, country: Option<&str>) -> Seen {
    let names: BTreeSet<&str> = counts.iter().map(|count| count.source.as_str()).collect();
    let words: BTreeSet<&str> = counts.iter().map(|count| count.question.as_str()).collect();
    let number: HashMap<&str, usize> = words.iter().enumerate().map(|(at, word)| (*word, at)).collect();
    let answers = |wanted: &dyn Fn(&AnswerCount) -> bool| -> Vec<(usize, bool)> {
        let counts = counts.iter().filter(|count| wanted(count));
        counts
            .flat_map(|count| {
                let question = number.get(count.question.as_str()).copied().unwrap_or_default();
                (0..count.valid).map(move |at| (question, at < count.cited))
            })
            .collect()
    };
    let mut models: BTreeMap<&str, Vec<(usize, bool)>> = BTreeMap::new();
    let mut by_text: BTreeMap<&str, Vec<(usize, bool)>> = BTreeMap::new();
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    for answer in runs.iter().flat_map(|(_, run)| &run.answers) {
        let next = numbers.len();
        let question = *numbers.entry(&answer.question).or_insert(next);
        let one = (question, answer.cites_target);
        models.entry(answer.model.as_str()).or_default().push(one);
        by_text.entry(&answer.question).or_default().push(one);
    }
    // A capture names the place of the project in full, its town alone, the country that it was taken in, or no place.
    let town = place.map(|place| place.split(',').next().unwrap_or(place));
    let places: BTreeSet<&str> = [Some(""), place, town, country].into_iter().flatten().collect();
    let mut known: BTreeSet<&str> = BTreeSet::new();
    let mut questions: Vec<SeenQuestion> = Vec::new();
    for (text, asked) in &by_text {
        let of: Vec<&str> = places
            .iter()
            .filter_map(|place| words.get(question_word(text, place).as_str()).copied())
            .collect();
        if of.is_empty() {
            continue;
        }
        let share = |name: &&str| {
            let is_same =
                |count: &AnswerCount| count.source == **name && of.contains(&count.question.as_str());
            CitedShare::of_one(&answers(&is_same))
        };
        questions.push(SeenQuestion {
            text: (*text).to_owned(),
            seen: names.iter().map(share).collect(),
            asked: CitedShare::of_one(asked),
        });
        known.extend(of);
    }
    questions.sort_by_key(|question| Reverse(question.seen.iter().map(|share| share.answers).sum::<u64>()));
    let of_interface = |name: &&str| CitedShare::of(&answers(&|count| count.source == **name));
    let interfaces = names.iter();
    let models = models.into_iter();
    Seen {
        interfaces: interfaces
            .map(|name| ((*name).to_owned(), of_interface(name)))
            .collect(),
        models: models
            .map(|(model, answers)| (model.to_owned(), CitedShare::of(&answers)))
            .collect(),
        questions,
        others: (words.len() - known.len()) as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibid_engine::mentions::{AnswerMentions, RunMentions};
    use ibid_model::ScanId;

    fn count(source: &str, text: &str, place: &str, valid: u32, cited: u32) -> AnswerCount {
        AnswerCount {
            day: "2026-11-01".to_owned(),
            source: source.to_owned(),
            question: question_word(text, place),
            valid,
            cited,
            linked: 0,
            score_sum: 0,
        }
    }

    #[test]
    fn what_was_seen_stays_beside_what_was_asked() {
        let counts = [
            count("ChatGPT", " best plumber?", "Leeds", 9, 3),
            count("ChatGPT", "Best plumber?", "GB", 4, 1),
            count("ChatGPT", "best plumber?", "FR", 1, 0),
            count("ChatGPT", "who else?", "", 2, 2),
            count("ChatGPT", "who fits taps?", "", 1, 0),
            count("Copilot", "best plumber?", "", 7, 0),
        ];
        let answers = (0..10).map(|at| AnswerMentions {
            id: String::new(),
            kind: String::new(),
            question: "Best plumber?".to_owned(),
            model: "model-1-latest".parse().unwrap(),
            cites_target: at < 6,
            names: Vec::new(),
            pages: Vec::new(),
        });
        let run = RunMentions {
            answers: answers.collect(),
            branded: Vec::new(),
        };
        let runs = (vec![((ScanId::random(), Timestamp::UNIX_EPOCH), run)], 0);
        let found = seen(&counts, &runs, Some("Leeds, United Kingdom"), Some("GB"));
        let shares: Vec<_> = found
            .interfaces
            .iter()
            .map(|(name, share)| {
                (
                    name.as_str(),
                    share.answers,
                    share.cited,
                    share.interval.is_some(),
                )
            })
            .collect();
        assert_eq!(shares, [("ChatGPT", 17, 6, true), ("Copilot", 7, 0, false)]);
        assert_eq!((found.models[0].1.answers, found.models[0].1.cited), (10, 6));
        assert_eq!((found.questions.len(), found.others), (1, 3));
        let question = &found.questions[0];
        assert_eq!((question.seen[0].answers, question.seen[1].answers), (13, 7));
        let range = question.asked.interval.unwrap();
        assert!(range.low < 0.6 && 0.6 < range.high, "{range:?}");
        assert!(seen(&[], &(Vec::new(), 0), None, None).interfaces.is_empty());
    }
}
