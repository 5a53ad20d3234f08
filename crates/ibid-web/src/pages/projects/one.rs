//! One project on one screen.

use super::{ActionLine, action_link, spent_of};
use crate::chart::Markup;
use crate::error::RenderError;
use crate::figure;
use crate::frame::{Frame, Shell, Tab, render};
use crate::trend::{Trend, TrendPoint};
use askama::Template;
use ibid_model::result::{History, HistoryNoteKind};
use ibid_model::{Interval, Locale, ScanId, Score, UsdMicros};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// One project, for `GET /workspace/projects/{id}`.
#[derive(Clone, Copy, Debug)]
pub struct ProjectPage<'a> {
    pub id: &'a str,
    pub name: &'a str,
    pub domain: &'a str,
    pub keyword: &'a str,
    /// The place, or an empty text.
    pub place: &'a str,
    /// `active`, `paused` or `archived`.
    pub status: &'a str,
    /// The times of runs in words.
    pub recurrence: &'a str,
    /// The average since the last change, and the runs that it rests on.
    pub level: Option<(Score, Interval, u32)>,
    /// The score of the last run, its end and its scan.
    pub last: Option<(Score, Option<Interval>, Timestamp, ScanId)>,
    /// The verdict in sentences, or an empty text.
    pub verdict: &'a str,
    /// What wants attention, in words.
    pub attention: &'a [String],
    /// What the runs of this month cost.
    pub spent: UsdMicros,
    /// The budget of the month.
    pub budget: Option<UsdMicros>,
    /// The time of the next run.
    pub next: Option<Timestamp>,
    /// The time of the run from which on a change can be told, while there are too few.
    pub judged: Option<Timestamp>,
    /// The latest runs, the latest first.
    pub runs: &'a [RunRow<'a>],
    /// The markets with that of the project first; empty if it is the only one.
    pub markets: &'a [MarketRow<'a>],
    /// The first run that the level rests on.
    pub level_since: Option<ScanId>,
    /// Changes, and what changed them or the measurement, the oldest first.
    pub marks: &'a [TrendMark],
    /// Answers from before ibid, by the tracker that asked.
    pub past: &'a [PastSeries<'a>],
    /// The models of the last run.
    pub models: &'a [ModelRow<'a>],
    /// The rivals that the last run found, the best known first.
    pub rivals: &'a [RivalLine<'a>],
    /// Questions whose answers name no one.
    pub unnamed: &'a [QuestionRow<'a>],
    /// Actions that are under way, and what came of the last ones.
    pub actions: &'a [ActionLine<'a>],
    /// What can be done.
    pub moves: &'a [MoveLine],
    /// Where nothing stands out: the sentence that says so.
    pub no_move: &'a str,
    /// Sites that answers cite most without the website, with the answers.
    pub outreach: &'a [(&'a str, u32)],
    /// The answers behind the last change: words and address.
    pub evidence: &'a [(String, String)],
    /// Notes by people, the latest first.
    pub notes: &'a [NoteRow<'a>],
    /// Whether the reader may start runs.
    pub may_run: bool,
    /// Whether the reader may change the project.
    pub may_write: bool,
}

/// A thing to do.
#[derive(Clone, Debug)]
pub struct MoveLine {
    pub sentence: String,
    /// The address of its latest answers.
    pub evidence: String,
    /// The address of the form that makes it an action; none of a move without questions.
    pub action: Option<String>,
}

impl MoveLine {
    /// Of a project, with the run and the model of its latest answer.
    pub fn new(project: &str, sentence: &str, run: ScanId, model: &str, questions: &[String]) -> Self {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        match questions.first() {
            Some(question) => query.append_pair("question", question),
            None => query.append_pair("model", model),
        };
        let action = action_link(project, sentence, questions.iter().map(String::as_str));
        Self {
            sentence: sentence.to_owned(),
            evidence: format!(
                "/workspace/projects/{project}/runs/{run}/answers?{}",
                query.finish()
            ),
            action: (!questions.is_empty()).then_some(action),
        }
    }
}

#[derive(Clone, Debug)]
pub struct RunRow<'a> {
    pub at: Timestamp,
    /// The place, where the project has several.
    pub place: Option<&'a str>,
    /// The scan of a run with a result.
    pub scan: Option<ScanId>,
    pub score: Option<(Score, Option<Interval>)>,
    /// The outcome in words.
    pub outcome: String,
    /// The page on which what held it back can be changed, or an empty text.
    pub remedy: String,
    pub cost: UsdMicros,
    /// Whether it belongs to the series that the trend shows.
    pub in_trend: bool,
    /// Whether it ended without a result.
    pub is_missed: bool,
}

/// Something that happened at a time of the trend.
#[derive(Clone, Debug)]
pub struct TrendMark {
    pub at: Timestamp,
    /// What happened, in words.
    pub text: String,
}

/// What happened at times of the trend, the oldest first: changes, what changed the measurement, and notes of people. The runs
/// are those with a result, and a note is a day with a text.
pub fn trend_marks<'a>(
    runs: &[(ScanId, Timestamp)],
    history: Option<&History>,
    notes: impl Iterator<Item = (&'a str, &'a str)>,
) -> Vec<TrendMark> {
    let ended = |id: Option<ScanId>| {
        let found = runs.iter().find(|(run, _)| Some(*run) == id);
        found.map(|(_, at)| *at)
    };
    let mut marks = Vec::new();
    for change in history.iter().flat_map(|history| &history.changes) {
        let verb = if change.difference < 0.0 { "Fell" } else { "Rose" };
        let text = format!("{verb} from {:.0} to {:.0}", change.before, change.after);
        marks.extend(ended(change.since).map(|at| TrendMark { at, text }));
    }
    for note in history.iter().flat_map(|history| &history.notes) {
        let text = note_in_words(note.kind).to_owned();
        marks.extend(ended(note.at).map(|at| TrendMark { at, text }));
    }
    for (day, text) in notes {
        let noon = day.parse::<Date>().ok();
        let noon = noon.and_then(|day| day.at(12, 0, 0, 0).to_zoned(TimeZone::UTC).ok());
        let Some(at) = noon.map(|noon| noon.timestamp()) else {
            continue;
        };
        if runs.iter().any(|(_, run)| *run <= at) && runs.iter().any(|(_, run)| *run >= at) {
            let text = text.to_owned();
            marks.push(TrendMark { at, text });
        }
    }
    marks.sort_by_key(|mark| mark.at);
    marks.drain(..marks.len().saturating_sub(MOST_MARKS));
    marks
}

const fn note_in_words(kind: HistoryNoteKind) -> &'static str {
    match kind {
        HistoryNoteKind::Model => "A newer model answers",
        HistoryNoteKind::Set => "Other questions are asked",
        HistoryNoteKind::Count => "Another number of questions is asked",
        HistoryNoteKind::Method => "Answers are read in a new way",
        HistoryNoteKind::Form => "Answers have another form, lists or prose",
    }
}

/// The history of another tracker. It is drawn by itself: other models were asked in another way.
#[derive(Clone, Copy, Debug)]
pub struct PastSeries<'a> {
    /// The word of the tracker.
    pub tool: &'a str,
    /// Its days, the oldest first.
    pub days: &'a [PastDay],
}

/// A day of a history.
#[derive(Clone, Copy, Debug)]
pub struct PastDay {
    pub day: Date,
    /// Answers that can be scored.
    pub answers: u64,
    /// Their score and its likely range.
    pub score: (Score, Option<Interval>),
}

impl PastDay {
    fn at(&self) -> Timestamp {
        let noon = self.day.at(12, 0, 0, 0).to_zoned(TimeZone::UTC);
        noon.map_or(Timestamp::UNIX_EPOCH, |noon| noon.timestamp())
    }

    fn number(&self) -> String {
        figure::whole(self.score.0.get())
    }

    fn range(&self) -> String {
        self.score.1.as_ref().map_or_else(String::new, figure::interval)
    }
}

impl PastSeries<'_> {
    fn tool(&self) -> &str {
        super::imports::tracker_name(self.tool)
    }

    fn drawn(&self) -> Markup {
        let points = self.days.iter().map(|day| TrendPoint {
            at: day.at(),
            score: day.score.0,
            interval: day.score.1,
        });
        let points: Vec<TrendPoint> = points.collect();
        let trend = Trend {
            points: &points,
            ..Trend::default()
        };
        trend.draw()
    }

    /// The latest days, the latest first.
    fn latest(&self) -> impl Iterator<Item = &PastDay> {
        self.days.iter().rev().take(PAST_ROWS)
    }
}

#[derive(Clone, Copy, Debug)]
pub struct MarketRow<'a> {
    /// The place, or words for none.
    pub place: &'a str,
    /// The language that it is asked in, or an empty text for that of the place.
    pub language: &'a str,
    /// The score of the level, else that of the last run.
    pub score: Option<(Score, Option<Interval>)>,
    /// The verdict in sentences, or an empty text.
    pub verdict: &'a str,
    /// The last run with a result.
    pub last: Option<ScanId>,
}

/// A model of the last run.
#[derive(Clone, Copy, Debug)]
pub struct ModelRow<'a> {
    pub name: &'a str,
    pub score: f64,
    /// Answers that cite the website, and all answers.
    pub cited: (u32, u32),
}

#[derive(Clone, Copy, Debug)]
pub struct RivalLine<'a> {
    pub name: &'a str,
    /// Whether people pinned it.
    pub pinned: bool,
    /// Answers that name it, 0..1.
    pub rate: f64,
}

#[derive(Clone, Copy, Debug)]
pub struct QuestionRow<'a> {
    pub text: &'a str,
    /// The runs that asked it.
    pub runs: u32,
}

#[derive(Clone, Copy, Debug)]
pub struct NoteRow<'a> {
    /// The day, as an ISO date.
    pub day: &'a str,
    pub text: &'a str,
}

/// The day of a note, as it is written on pages.
pub(crate) fn note_day(text: &str) -> String {
    note_day_in(&Locale::default(), text)
}

/// The day of a note, as a place writes it.
pub(crate) fn note_day_in(locale: &Locale, text: &str) -> String {
    let day = text.parse::<Date>();
    day.map_or_else(|_| text.to_owned(), |day| locale.date(day))
}

/// Runs of the list: two months of weeks. The trend has all.
const LISTED: usize = 8;
/// Rows of the table of a history: a quarter of days.
const PAST_ROWS: usize = 92;
/// Numbered marks of the trend.
const MOST_MARKS: usize = 20;

#[derive(Template)]
#[template(path = "project.html")]
struct ProjectTemplate<'a> {
    shell: Shell<'a>,
    page: &'a ProjectPage<'a>,
    trend: Option<Markup>,
    /// The runs of the trend, the latest first.
    trend_runs: Vec<&'a RunRow<'a>>,
}

impl ProjectTemplate<'_> {
    fn next_run(&self) -> String {
        self.page.next.map_or_else(String::new, figure::date_time)
    }

    fn money(&self) -> String {
        spent_of(self.page.spent, self.page.budget)
    }

    fn whole(score: &Score) -> String {
        figure::whole(score.get())
    }

    fn range(interval: &Interval) -> String {
        figure::interval(interval)
    }

    fn past_day(day: &PastDay) -> String {
        note_day(&day.day.to_string())
    }

    fn day(note: &NoteRow<'_>) -> String {
        note_day(note.day)
    }

    /// What happened at a run, or between it and the run before.
    fn marks_at(&self, index: &usize) -> String {
        let at = |index: usize| self.trend_runs.get(index).map(|run| run.at);
        let (until, after) = (at(*index), at(index + 1));
        let marks = self
            .page
            .marks
            .iter()
            .filter(|mark| Some(mark.at) <= until && Some(mark.at) > after);
        let texts: Vec<&str> = marks.map(|mark| mark.text.as_str()).collect();
        texts.join("; ")
    }

    /// The latest runs, for the list.
    fn last_runs(&self) -> &[RunRow<'_>] {
        self.page.runs.get(..LISTED).unwrap_or(self.page.runs)
    }
}

impl RunRow<'_> {
    fn number(&self) -> String {
        self.score.map_or_else(
            || figure::DASH.to_owned(),
            |(score, _)| figure::whole(score.get()),
        )
    }

    fn range(&self) -> String {
        let interval = self.score.and_then(|(_, interval)| interval);
        interval.as_ref().map_or_else(String::new, figure::interval)
    }
}

impl MarketRow<'_> {
    fn number(&self) -> String {
        self.score.map_or_else(
            || figure::DASH.to_owned(),
            |(score, _)| figure::whole(score.get()),
        )
    }

    fn range(&self) -> String {
        let interval = self.score.and_then(|(_, interval)| interval);
        interval.as_ref().map_or_else(String::new, figure::interval)
    }
}

impl ModelRow<'_> {
    fn number(&self) -> String {
        figure::whole(self.score)
    }
}

impl RivalLine<'_> {
    fn percent(&self) -> String {
        figure::percent(self.rate)
    }
}

pub fn project(frame: &Frame<'_>, page: &ProjectPage<'_>) -> Result<String, RenderError> {
    let trend_runs = page.runs.iter().filter(|run| run.in_trend && run.score.is_some());
    let trend_runs: Vec<&RunRow<'_>> = trend_runs.collect();
    let points = trend_runs.iter().rev().filter_map(|run| {
        let (score, interval) = run.score?;
        Some(TrendPoint {
            at: run.at,
            score,
            interval,
        })
    });
    let points: Vec<TrendPoint> = points.collect();
    let missed = page.runs.iter().filter(|run| run.is_missed).map(|run| run.at);
    let missed: Vec<Timestamp> = missed.collect();
    let marks: Vec<Timestamp> = page.marks.iter().map(|mark| mark.at).collect();
    let since = trend_runs.iter().find(|run| run.scan == page.level_since);
    let trend = Trend {
        points: &points,
        missed: &missed,
        level: page.level.zip(since).map(|((score, ..), run)| (score, run.at)),
        marks: &marks,
        ..Trend::default()
    };
    let template = ProjectTemplate {
        shell: Shell::new(frame, page.name, Tab::Projects),
        page,
        trend: (points.len() > 1).then(|| trend.draw()),
        trend_runs,
    };
    render("project", &template)
}
