//! Tells what caused a change as results do, in numbers and in words.

use super::Told;
use super::causes::{Carrier, Group, Item, Seen, Trend, carriers, moved_items};
use super::words::date;
use crate::compare::Side;
use crate::mentions::{AnswerMentions, Names, RunMentions, SourceKind};
use crate::score::interval::Scored;
use ibid_model::result::{
    AnswerSummary, Cause, CauseRole, Citations, Explanation, Factor, HistoryChange, ModelResult, Others,
    Searched,
};
use ibid_model::{Interval, Prominence};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

/// Runs before a change that it is compared with.
use super::LEVEL_RUNS as RUNS_BEFORE;

/// The intent that questions of a caller have; it is no kind.
const NO_KIND: [&str; 2] = ["", "own"];

/// A home answer of a series.
#[derive(Clone, Copy)]
pub(super) struct Home<'a> {
    pub(super) run: usize,
    pub(super) scored: Scored,
    pub(super) model: &'a ModelResult,
    pub(super) answer: &'a AnswerSummary,
}

/// Writes the causes of a change that lies at `since`, between the change before it and the one after it.
pub(super) fn explain(
    change: &mut HistoryChange,
    since: usize,
    between: &Range<usize>,
    runs: &[Vec<Home<'_>>],
    scans: &[Side<'_>],
    told: &Told<'_>,
) {
    let first = between.start.max(since.saturating_sub(RUNS_BEFORE));
    let window = first..between.end;
    let homes: Vec<Home<'_>> = runs
        .get(window.clone())
        .unwrap_or_default()
        .iter()
        .flatten()
        .copied()
        .collect();
    let near = Near::of(&homes, since, scans, told);
    let found = carriers(&near.seen, since);
    let since_day = date(&told.locale, change.since, scans);
    let words = Words {
        fell: change.difference < 0.0,
        since: since_day.map_or_else(|| "since".to_owned(), |day| format!("since {day}")),
        points: change.difference,
    };
    let or = found.or.map(|group| near.name(group));
    let carried = found
        .named
        .iter()
        .map(|carrier| near.carrier(carrier, or.as_deref(), &words));
    let mut causes: Vec<Cause> = carried.collect();
    if change.difference < 0.0 && found.explanation != Explanation::TooEarly {
        causes.extend(near.items(&words));
    }
    change.explanation = match (found.explanation, causes.is_empty()) {
        (Explanation::CannotTell, false) => Explanation::Named,
        (explanation, _) => explanation,
    };
    let after = runs.len().min(between.end) - since.min(runs.len());
    let general = words.general(change.explanation, near.models.len(), after);
    let sentences = general
        .into_iter()
        .chain(causes.iter().map(|cause| cause.sentence.clone()));
    change.why = sentences.collect::<Vec<_>>().join(" ");
    change.causes = causes;
}

/// The answers near a change.
struct Near<'a> {
    homes: &'a [Home<'a>],
    since: usize,
    seen: Vec<Seen>,
    models: Vec<&'a str>,
    kinds: Vec<&'a str>,
    /// What each answer names and cites, where that is known.
    mentions: Vec<Option<&'a AnswerMentions>>,
    told: &'a Told<'a>,
}

impl<'a> Near<'a> {
    fn of(homes: &'a [Home<'a>], since: usize, scans: &[Side<'_>], told: &'a Told<'a>) -> Self {
        let mut by_run: HashMap<usize, HashMap<(&str, &str), &AnswerMentions>> = HashMap::new();
        for run in homes.iter().map(|home| home.run).collect::<BTreeSet<_>>() {
            let id = scans.get(run).and_then(|scan| scan.id);
            if let Some(read) = id.and_then(|id| told.mentions.get(&id)) {
                let answers = read.answers.iter();
                let answers = answers.map(|answer| ((answer.id.as_str(), answer.model.as_str()), answer));
                by_run.insert(run, answers.collect());
            }
        }
        let mention = |home: &Home<'_>| {
            let run = by_run.get(&home.run)?;
            run.get(&(home.answer.question_id.as_str(), home.model.model.as_str()))
                .copied()
        };
        let mentions: Vec<Option<&AnswerMentions>> = homes.iter().map(mention).collect();
        // A question keeps its kind in runs whose answers were not read.
        let mut of_question: HashMap<usize, &str> = HashMap::new();
        for (home, mention) in homes.iter().zip(&mentions) {
            if let Some(mention) = mention.filter(|read| !NO_KIND.contains(&read.kind.as_str())) {
                of_question.insert(home.scored.question, &mention.kind);
            }
        }
        let kinds: BTreeSet<&str> = of_question.values().copied().collect();
        let kinds: Vec<&str> = kinds.into_iter().collect();
        let mut models: Vec<&str> = Vec::new();
        let mut labels: Vec<&str> = Vec::new();
        let mut seen = Vec::with_capacity(homes.len());
        for home in homes {
            let alias = home.model.model.as_str();
            let known = models.iter().position(|model| *model == alias);
            let alias = known.unwrap_or_else(|| {
                models.push(alias);
                labels.push(&home.model.model_label);
                models.len() - 1
            });
            let kind = of_question.get(&home.scored.question);
            seen.push(Seen {
                run: home.run,
                answer: home.scored,
                alias,
                kind: kind.and_then(|kind| kinds.iter().position(|one| one == kind)),
            });
        }
        Self {
            homes,
            since,
            seen,
            models: labels,
            kinds,
            mentions,
            told,
        }
    }

    fn name(&self, group: Group) -> String {
        let name = |names: &[&str], at: usize| names.get(at).copied().unwrap_or_default().to_owned();
        match group {
            Group::Model(at) => name(&self.models, at),
            Group::Kind(at) => format!("questions of the kind “{}”", name(&self.kinds, at)),
        }
    }

    fn carrier(&self, carrier: &Carrier, or: Option<&str>, words: &Words) -> Cause {
        let is_in = |one: &Seen| match carrier.group {
            Group::Model(at) => one.alias == at,
            Group::Kind(at) => one.kind == Some(at),
        };
        let (mut before, mut after) = (Citations::default(), Citations::default());
        for (home, _) in self.homes.iter().zip(&self.seen).filter(|(_, seen)| is_in(seen)) {
            let side = if home.run < self.since {
                &mut before
            } else {
                &mut after
            };
            side.answers += 1;
            side.cited += u32::from(is_cited(home.answer));
        }
        let factor = match carrier.group {
            Group::Model(_) => Factor::Model,
            Group::Kind(_) => Factor::QuestionKind,
        };
        let mut cause = Cause {
            factor,
            name: self.name(carrier.group),
            role: carrier.role,
            before,
            after,
            points: carrier.points.map(|(points, _)| (points * 1000.0).round() / 10.0),
            interval: carrier.points.map(|(points, half)| {
                Interval::of_differences(100.0 * (points - half), 100.0 * (points + half), false)
            }),
            others: carrier.others,
            or: or.map(str::to_owned),
            sentence: String::new(),
        };
        cause.sentence = words.carrier(&cause, self.models.len());
        cause
    }

    /// The competitors that are named instead, and what is no longer cited, in the cells that name the website less often.
    fn items(&self, words: &Words) -> Vec<Cause> {
        let mut cells: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
        for (at, home) in self.homes.iter().enumerate() {
            if self.mentions.get(at).is_some_and(Option::is_some) {
                let cell = (home.scored.model, home.scored.question);
                cells.entry(cell).or_default().push(at);
            }
        }
        let cited = |at: &usize| self.homes.get(*at).is_some_and(|home| is_cited(home.answer));
        let is_after = |at: &usize| self.homes.get(*at).is_some_and(|home| home.run >= self.since);
        let rate = |answers: &[usize], after: bool| {
            let side: Vec<&usize> = answers.iter().filter(|at| is_after(at) == after).collect();
            let hits = side.iter().filter(|at| cited(at)).count();
            (!side.is_empty()).then(|| hits as f64 / side.len() as f64)
        };
        let fell = |answers: &Vec<usize>| {
            rate(answers, true)
                .zip(rate(answers, false))
                .is_some_and(|(a, b)| a < b)
        };
        let cells: Vec<Vec<usize>> = cells.into_values().filter(fell).collect();
        let read = |at: usize| self.mentions.get(at).copied().flatten().into_iter();
        let all = RunMentions {
            answers: self.mentions.iter().flatten().copied().cloned().collect(),
            branded: Vec::new(),
        };
        let names = Names::of(&[&all], self.told.competitors);
        let rivals = |at: usize| -> BTreeSet<(Factor, String)> {
            let named = read(at).flat_map(|read| &read.names);
            let groups = named.filter_map(|named| names.shown(named, self.told.competitors));
            groups.map(|name| (Factor::Rival, name.to_owned())).collect()
        };
        let cites = |at: usize| -> BTreeSet<(Factor, String)> {
            let pages = read(at).flat_map(|read| &read.pages);
            let pages = pages.map(|page| match page.kind {
                SourceKind::Own => (Factor::Page, page.url.clone()),
                _ => (Factor::Source, page.site.clone()),
            });
            let searched = self.homes.get(at);
            let searched = searched.filter(|home| home.answer.retrieval.searched == Searched::Yes);
            pages
                .chain(searched.map(|_| (Factor::Search, String::new())))
                .collect()
        };
        let mut causes = family(&cells, rivals, is_after, Trend::Up);
        causes.extend(family(&cells, cites, is_after, Trend::Gone));
        for cause in &mut causes {
            if cause.factor == Factor::Rival {
                // Of the answers since the change those count that leave the website out.
                let left_out = cells.iter().flatten().filter(|at| is_after(at) && !cited(at));
                let named = left_out
                    .clone()
                    .filter(|at| rivals(**at).contains(&(Factor::Rival, cause.name.clone())));
                cause.after = Citations {
                    cited: named.count() as u32,
                    answers: left_out.count() as u32,
                };
            }
            cause.sentence = words.item(cause);
        }
        causes
    }
}

pub(crate) fn is_cited(answer: &AnswerSummary) -> bool {
    answer.class.is_some_and(|class| class != Prominence::None)
}

pub(crate) fn family(
    cells: &[Vec<usize>],
    items: impl Fn(usize) -> BTreeSet<(Factor, String)>,
    is_after: impl Fn(&usize) -> bool,
    trend: Trend,
) -> Vec<Cause> {
    let mut counted: BTreeMap<(Factor, String), Vec<Item>> = BTreeMap::new();
    let mut all = Vec::with_capacity(cells.len());
    for (number, cell) in cells.iter().enumerate() {
        let after = cell.iter().filter(|at| is_after(at)).count() as u32;
        let size = Item {
            before: (cell.len() as u32 - after, 0),
            after: (after, 0),
        };
        all.push(size);
        for at in cell {
            for item in items(*at) {
                let places = counted.entry(item).or_default();
                // Cells before this one have no answer with it, and count with their size.
                let missing = all.get(places.len()..=number).unwrap_or_default().to_vec();
                places.extend(missing);
                if let Some(place) = places.last_mut() {
                    let side = if is_after(at) {
                        &mut place.after
                    } else {
                        &mut place.before
                    };
                    side.1 += 1;
                }
            }
        }
    }
    let (names, mut places): (Vec<(Factor, String)>, Vec<Vec<Item>>) = counted.into_iter().unzip();
    for place in &mut places {
        place.extend_from_slice(all.get(place.len()..).unwrap_or_default());
    }
    let moved = moved_items(&places, trend).into_iter();
    let moved = moved.filter_map(|at| {
        let (factor, name) = names.get(at)?.clone();
        let sum = |side: fn(&Item) -> (u32, u32)| {
            let sides = places.get(at).into_iter().flatten().map(side);
            sides.fold(Citations::default(), |sum, (answers, cited)| Citations {
                cited: sum.cited + cited,
                answers: sum.answers + answers,
            })
        };
        Some(Cause {
            factor,
            name,
            role: match trend {
                Trend::Up => CauseRole::Up,
                Trend::Gone => CauseRole::Gone,
            },
            before: sum(|item| item.before),
            after: sum(|item| item.after),
            points: None,
            interval: None,
            others: None,
            or: None,
            sentence: String::new(),
        })
    });
    moved.collect()
}

/// What the sentences about a change have in common.
struct Words {
    fell: bool,
    /// "since 5 October".
    since: String,
    points: f64,
}

impl Words {
    fn carrier(&self, cause: &Cause, models: usize) -> String {
        let (name, since) = (&cause.name, &self.since);
        let (before, after) = (of(cause.before), of(cause.after));
        if let Some(or) = &cause.or {
            return format!("Either {name} or {or}: the answers do not tell them apart yet.");
        }
        let is_model = cause.factor == Factor::Model;
        if cause.role == CauseRole::Spared {
            return match is_model {
                true => format!("Only {name} names you as before."),
                false => format!("Only {name} are answered as before."),
            };
        }
        let share = |of: Citations| f64::from(of.cited) / f64::from(of.answers.max(1));
        let step = share(cause.after) - share(cause.before);
        let mut text = if (step < 0.0) != self.fell || step == 0.0 {
            let place = if self.fell { "lower" } else { "higher" };
            match is_model {
                true => format!("{name} puts you {place} in its answers."),
                false => format!("Answers to {name} put you {place}."),
            }
        } else {
            let verb = match (is_model, self.fell, cause.after.cited, cause.before.cited) {
                (true, true, 0, _) => "stopped naming you",
                (true, true, ..) => "names you less",
                (true, false, _, 0) => "began to name you",
                (true, false, ..) => "names you more",
                (false, true, ..) => "You lost",
                (false, false, ..) => "You won",
            };
            match is_model {
                true => format!("{name} {verb}: {after} answers {since}, {before} before."),
                false => format!("{verb} {name}: {after} answers {since}, {before} before."),
            }
        };
        let part = cause
            .points
            .map(|points| (points.abs().round(), self.points.abs().round()));
        if let Some((part, all)) = part.filter(|(part, all)| *part > 0.0 && part < all) {
            text += &format!(" That is {part:.0} of the {all:.0} points.");
        }
        let others = match (is_model, models) {
            (true, 2) => "The other model",
            (true, _) => "The other models",
            (false, _) => "The other kinds",
        };
        match cause.others {
            Some(Others::Unchanged) => text += &format!(" {others} did not change."),
            Some(Others::Too) => {
                text += &format!(" {others} {} too.", if self.fell { "fell" } else { "rose" })
            }
            None => {}
        }
        text
    }

    fn item(&self, cause: &Cause) -> String {
        let (name, before, after) = (&cause.name, of(cause.before), of(cause.after));
        match cause.factor {
            Factor::Rival => {
                format!(
                    "{name} is named instead: in {after} answers that left you out, before in {before} to the same questions."
                )
            }
            Factor::Search => format!("Answers rest on a web search less often: {after}, before {before}."),
            Factor::Source | Factor::Page | Factor::Model | Factor::QuestionKind => match cause.after.cited {
                0 => format!("Answers no longer cite {name}: {after}, before {before}."),
                _ => format!("Answers cite {name} less often: {after}, before {before}."),
            },
        }
    }

    /// Says what is known about a change that no model or kind carries.
    fn general(&self, explanation: Explanation, models: usize, after: usize) -> Option<String> {
        let more = if self.fell { "less" } else { "more" };
        match explanation {
            Explanation::Named => None,
            Explanation::Alike if models == 2 => Some(format!("Both models name you {more}, about alike.")),
            Explanation::Alike => Some(format!("All {models} models name you {more}, about alike.")),
            Explanation::Spread => Some("No one model or kind of question explains it.".to_owned()),
            Explanation::CannotTell => Some("Nothing we track explains it so far.".to_owned()),
            Explanation::TooEarly => Some(match after {
                0 | 1 => "Too early to say why: one run since.".to_owned(),
                _ => "Too early to say why: too few runs before it.".to_owned(),
            }),
        }
    }
}

fn of(counts: Citations) -> String {
    format!("{} of {}", counts.cited, counts.answers)
}
