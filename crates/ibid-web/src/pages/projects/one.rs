//! One project on one screen.

use super::action_link;
use super::runs::outcome;
use crate::chart::Markup;
use crate::error::RenderError;
use crate::figure;
use crate::frame::{Frame, Shell, Tab, render};
use crate::trend::{Trend, TrendPoint};
use askama::Template;
use ibid_model::result::{Factor, History, HistoryNoteKind};
use ibid_model::{Catalog, Locale, ScanId};
use ibid_service::{
    AnnotationRecord, AnswerDay, AnswerImportView, Attention, JUDGED, KeptAction, MarketNumbers, ModelSum,
    ProjectRecord, ProjectRunRecord, ProjectStatus, ProjectView, QuestionSum, RivalRow,
};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use std::collections::{BTreeMap, HashMap};

/// One project, for `GET /workspace/projects/{id}`.
#[derive(Clone, Copy, Debug)]
pub struct ProjectPage<'a> {
    pub id: &'a str,
    pub project: &'a ProjectView,
    /// Level, changes and notes of its runs.
    pub history: Option<&'a History>,
    /// The latest runs, the latest first.
    pub runs: &'a [ProjectRunRecord],
    /// Models as the last run asked them.
    pub models: &'a [ModelSum],
    /// All models, for their names.
    pub catalog: &'a Catalog,
    /// The rivals that people keep or that the last run found.
    pub rivals: &'a [RivalRow],
    /// What the latest runs asked.
    pub questions: &'a [QuestionSum],
    pub actions: &'a [KeptAction],
    /// What can be done.
    pub moves: &'a [MoveLine],
    /// Where nothing stands out: the sentence that says so.
    pub no_move: &'a str,
    /// Sites that answers cite most without the website, with the answers and what came of it: `open`, `asked` or `done`.
    pub outreach: &'a [(&'a str, u32, &'a str)],
    /// The questions that name the website, with what came of them.
    pub branded: &'a [MoveLine],
    /// The places with region and country, by the texts that name them.
    pub places: &'a HashMap<String, String>,
    /// Answers from before ibid.
    pub imports: &'a [AnswerImportView],
    /// Notes by people, the oldest first.
    pub notes: &'a [AnnotationRecord],
    /// Whether the reader may start runs.
    pub may_run: bool,
    /// Whether the reader may change the project.
    pub may_write: bool,
}

/// A thing to do.
#[derive(Clone, Debug)]
pub struct MoveLine {
    pub sentence: String,
    /// Where its latest answers are.
    pub evidence: String,
    /// Where a form makes it an action; none of a move without questions.
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

/// Something that happened at a time of the trend.
#[derive(Debug)]
pub(crate) struct TrendMark {
    pub(crate) at: Timestamp,
    /// What happened, in words.
    pub(crate) text: String,
}

/// What happened at times of the trend, the oldest first: changes, what changed the measurement, and notes of people. The runs
/// are those with a result, and a note is a day with a text.
pub(crate) fn trend_marks<'a>(
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
        let Some(at) = day.parse().ok().and_then(noon) else {
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

/// What another tracker measured, the oldest day first. It is drawn by itself, because other models were asked in another way.
struct PastSeries<'a> {
    /// Name of the tracker.
    tool: &'a str,
    days: Vec<&'a AnswerDay>,
}

impl PastSeries<'_> {
    fn drawn(&self) -> Markup {
        let points = self.days.iter().filter_map(|day| {
            Some(TrendPoint {
                at: noon(day.day)?,
                score: day.numbers.score?,
                interval: day.numbers.interval,
            })
        });
        let points: Vec<TrendPoint> = points.collect();
        let trend = Trend {
            points: &points,
            ..Trend::default()
        };
        trend.draw()
    }
}

/// Lists the days of each tracker. Where two imports have the same day, that with more answers counts: they may be the same.
fn past(imports: &[AnswerImportView]) -> Vec<PastSeries<'_>> {
    let mut tools: BTreeMap<&str, BTreeMap<Date, &AnswerDay>> = BTreeMap::new();
    for import in imports.iter().filter(|import| !import.is_captures()) {
        for day in import.days().iter().filter(|day| day.numbers.score.is_some()) {
            let days = tools.entry(&import.record.tool).or_default();
            let known = days.entry(day.day).or_insert(day);
            if known.numbers.answers < day.numbers.answers {
                *known = day;
            }
        }
    }
    let tools = tools.into_iter();
    tools
        .map(|(tool, days)| PastSeries {
            tool,
            days: days.into_values().collect(),
        })
        .collect()
}

/// A place and language with their numbers.
struct MarketRow<'a> {
    place: Option<&'a str>,
    language: Option<&'a str>,
    numbers: &'a MarketNumbers,
}

fn noon(day: Date) -> Option<Timestamp> {
    let noon = day.at(12, 0, 0, 0).to_zoned(TimeZone::UTC).ok()?;
    Some(noon.timestamp())
}

/// Writes the day of a note as pages do.
pub(crate) fn note_day(text: &str) -> String {
    note_day_in(&Locale::default(), text)
}

/// Writes the day of a note as a place does.
pub(crate) fn note_day_in(locale: &Locale, text: &str) -> String {
    let day = text.parse::<Date>();
    day.map_or_else(|_| text.to_owned(), |day| locale.date(day))
}

/// Runs that the list shows: two months of weeks. The trend has all.
const LISTED: usize = 8;
/// Rows that the table of a history shows: a quarter of days.
const PAST_ROWS: usize = 92;
/// Numbered marks of the trend.
const MOST_MARKS: usize = 20;
/// Runs after which a question that names no one is shown.
const LEAST_RUNS: u32 = 2;
/// Rows of lists.
const MOST: usize = 10;

#[derive(Template)]
#[template(path = "project.html")]
struct ProjectTemplate<'a> {
    shell: Shell<'a>,
    page: &'a ProjectPage<'a>,
    record: &'a ProjectRecord,
    status: ProjectStatus,
    trend: Option<Markup>,
    /// Changes, and what changed them or the measurement, the oldest first.
    marks: Vec<TrendMark>,
    /// Runs that the trend shows, the latest first.
    trend_runs: Vec<&'a ProjectRunRecord>,
    past: Vec<PastSeries<'a>>,
    /// The markets with that of the project first; empty if it is the only one.
    markets: Vec<MarketRow<'a>>,
    /// The rivals in the order of the number that the table shows.
    rivals: Vec<&'a RivalRow>,
    /// Questions whose answers name no one.
    unnamed: Vec<&'a QuestionSum>,
    /// Actions that are under way, and what came of the last ones: what is done, and its state.
    actions: Vec<(&'a str, &'a str)>,
}

impl ProjectTemplate<'_> {
    /// Lists the marks that a site to write to can get instead of one.
    fn other_marks(state: &str) -> Vec<&'static str> {
        let marks = ["open", "asked", "done"].into_iter();
        marks.filter(|mark| *mark != state).collect()
    }

    /// A place with region and country.
    fn place<'a>(&'a self, text: &'a str) -> &'a str {
        self.page.places.get(text).map_or(text, String::as_str)
    }

    /// What wants attention, in words.
    fn attention(&self) -> Vec<String> {
        let mut runs = self.page.runs.iter();
        let failed = runs.find(|run| run.outcome.as_deref() == Some("failed"));
        let attention = super::attention(self.page.project, self.page.may_run);
        let words = attention.map(|what| match (what, failed) {
            (Attention::Failing, Some(run)) => format!("The last run {}", outcome(run, self.page.may_run)),
            (what, _) => what.words().to_owned(),
        });
        words.collect()
    }

    /// Returns the time of the run from which on a change can be told, while there are too few.
    fn judged(&self) -> Option<Timestamp> {
        let ended = self.page.runs.iter().filter(|run| run.summary.is_some());
        let after = (JUDGED as usize - 1).checked_sub(ended.count())?;
        self.page.project.schedule.as_ref()?.next.get(after).copied()
    }

    fn model(&self, model: &ModelSum) -> String {
        let mut known = self.page.catalog.models().iter();
        let known = known.find(|known| known.alias.as_str() == model.model);
        known.map_or_else(|| model.model.clone(), |known| known.name.clone())
    }

    /// Lists the answers of the first run since the last change: words and address of all, or of those of the models that are its
    /// causes.
    fn evidence(&self) -> Vec<(String, String)> {
        let change = self.page.history.and_then(|history| history.changes.last());
        let Some((change, since)) = change.and_then(|change| Some((change, change.since?))) else {
            return Vec::new();
        };
        let all = format!("/workspace/projects/{}/runs/{since}/answers", self.page.id);
        let models = change.causes.iter().filter(|cause| cause.factor == Factor::Model);
        let of_models = models.filter_map(|cause| {
            let mut asked = self.page.models.iter();
            let model = asked.find(|model| self.model(model) == cause.name)?;
            Some((
                format!("The answers of {} since", cause.name),
                format!("{all}?model={}", model.model),
            ))
        });
        let mut links: Vec<(String, String)> = of_models.collect();
        if links.is_empty() {
            links.push(("The answers since the change".to_owned(), all));
        }
        links
    }

    /// What happened at a run, or between it and the run before.
    fn marks_at(&self, index: &usize) -> String {
        let at = |index: usize| self.trend_runs.get(index).map(|run| figure::time(run.at));
        let (until, after) = (at(*index), at(index + 1));
        let marks = self.marks.iter();
        let marks = marks.filter(|mark| Some(mark.at) <= until && Some(mark.at) > after);
        let texts: Vec<&str> = marks.map(|mark| mark.text.as_str()).collect();
        texts.join("; ")
    }
}

fn past_day(day: &AnswerDay) -> String {
    note_day(&day.day.to_string())
}

/// Returns the mean score of a model, whose sum is in thousandths.
fn mean(model: &ModelSum) -> String {
    let hundredths = model.score_sum / u64::from(model.valid.max(1)) / 10;
    figure::whole(f64::from(u32::try_from(hundredths).unwrap_or(0)) / 100.0)
}

fn actions(kept: &[KeptAction]) -> Vec<(&str, &str)> {
    let shown = kept.iter();
    let shown = shown.filter_map(|action| Some((action.title.as_str(), action.state.as_deref()?)));
    shown.take(MOST).collect()
}

fn rivals(rows: &[RivalRow]) -> Vec<&RivalRow> {
    let mut rivals: Vec<&RivalRow> = rows.iter().filter(|rival| rival.state != "ignored").collect();
    let rate = |rival: &RivalRow| rival.appearance_rate.unwrap_or(0.0);
    rivals.sort_by(|one, other| {
        let pinned = (other.state == "pinned").cmp(&(one.state == "pinned"));
        pinned.then(rate(other).total_cmp(&rate(one)))
    });
    rivals.truncate(MOST);
    rivals
}

fn markets<'a>(project: &'a ProjectView, own: &'a MarketNumbers) -> Vec<MarketRow<'a>> {
    let order = project.schedule.as_ref().map(|schedule| &schedule.order);
    let first = MarketRow {
        place: project.record.place.as_deref(),
        language: order.and_then(|order| order.get("language")?.as_str()),
        numbers: own,
    };
    let others = project.markets.iter().map(|market| MarketRow {
        place: market.place.as_deref(),
        language: market.language.as_deref(),
        numbers: &market.numbers,
    });
    // One market is the page itself.
    let first = Some(first).filter(|_| !project.markets.is_empty());
    first.into_iter().chain(others).collect()
}

pub fn project(frame: &Frame<'_>, page: &ProjectPage<'_>) -> Result<String, RenderError> {
    let record = &page.project.record;
    let ended = page.runs.iter().filter(|run| run.summary.is_some());
    let ended: Vec<(ScanId, Timestamp)> = ended
        .filter_map(|run| Some((run.scan?, figure::time(run.at))))
        .collect();
    let done = page.actions.iter();
    let done = done.filter_map(|action| Some((action.done_on.as_deref()?, action.mark.as_str())));
    let notes = page
        .notes
        .iter()
        .map(|note| (note.day.as_str(), note.text.as_str()));
    let marks = trend_marks(&ended, page.history, notes.chain(done));
    let is_same = |run: &&ProjectRunRecord| {
        run.summary.is_some()
            && run.market.is_none()
            && run.keyword.as_ref() == Some(&record.keyword)
            && run.place == record.place
    };
    let trend_runs: Vec<&ProjectRunRecord> = page.runs.iter().filter(is_same).collect();
    let points = trend_runs.iter().rev().filter_map(|run| {
        let summary = run.summary?;
        Some(TrendPoint {
            at: figure::time(run.at),
            score: summary.score,
            interval: summary.interval,
        })
    });
    let points: Vec<TrendPoint> = points.collect();
    let missed = page.runs.iter();
    let missed = missed.filter(|run| run.summary.is_none() && run.outcome.is_some() && run.market.is_none());
    let missed: Vec<Timestamp> = missed.map(|run| figure::time(run.at)).collect();
    let since = record.level.and_then(|level| {
        let mut runs = trend_runs.iter();
        let since = runs.find(|run| run.scan == level.since)?;
        Some((level.score, figure::time(since.at)))
    });
    let at: Vec<Timestamp> = marks.iter().map(|mark| mark.at).collect();
    let trend = Trend {
        points: &points,
        missed: &missed,
        level: since,
        marks: &at,
        ..Trend::default()
    };
    let is_unnamed =
        |sum: &&QuestionSum| sum.named == 0 && sum.cited == 0 && sum.valid > 0 && sum.runs >= LEAST_RUNS;
    let own = page.project.own_market();
    let template = ProjectTemplate {
        shell: Shell::new(frame, &record.name, Tab::Projects),
        page,
        record,
        status: page.project.status(),
        trend: (points.len() > 1).then(|| trend.draw()),
        marks,
        trend_runs,
        past: past(page.imports),
        markets: markets(page.project, &own),
        rivals: rivals(page.rivals),
        unnamed: page.questions.iter().filter(is_unnamed).take(MOST).collect(),
        actions: actions(page.actions),
    };
    render("project", &template)
}
