//! A whole project, out of one store and into another.

use super::action::ActionRecord;
use super::record::{AnnotationRecord, Cell, NewProject, RivalRecord};
use crate::answer_import::{KeptAnswerPart, NewAnswerImport};
use crate::own_file::NewOwnFile;
use crate::question_set::{QuestionSetRecord, QuestionsRecord};
use crate::schedule::{NewSchedule, ScheduleStart};
use crate::{Millis, PackedAnswers, RunSummary};
use ibid_model::{ProjectId, ScanId, ScheduleId};
use serde::{Deserialize, Serialize};

/// What only the archive of a project reads, such as its runs.
#[derive(Clone, Debug, Default)]
pub struct ProjectRows {
    /// Its own schedule and its markets' schedules, also for markets that it no longer has.
    pub schedules: Vec<KeptSchedule>,
    /// Runs with a result, the oldest first.
    pub results: Vec<KeptResult>,
    /// Runs of its schedules that have ended, the oldest first.
    pub ended: Vec<EndedRun>,
    /// What the questions say, by the word that names each in cells.
    pub questions: Vec<(String, String)>,
}

#[derive(Clone, Debug)]
pub struct KeptSchedule {
    pub id: ScheduleId,
    pub document: String,
    /// The questions that it keeps, with the version of the words that they come from.
    pub questions: Option<(PackedAnswers, String)>,
}

/// A run with a result, as its project keeps it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KeptResult {
    pub scan: ScanId,
    pub ended_at: Millis,
    pub keyword: String,
    pub place: Option<String>,
    /// The market, by its schedule; `None` for that of the project itself.
    pub market: Option<ScheduleId>,
    pub summary: RunSummary,
    /// Its cost, in millionths of a dollar.
    pub cost: u64,
    /// Which version of its questions it asked; `None` for the program's own.
    pub question_set: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EndedRun {
    /// The schedule and the time.
    pub firing: ScheduleStart,
    /// The scan, if there was one.
    pub scan: Option<ScanId>,
    pub outcome: String,
    /// Its cost, in millionths of a dollar.
    pub cost: u64,
    pub ended_at: Millis,
}

/// A project to store with everything of it.
#[derive(Clone, Copy, Debug)]
pub struct ProjectImport<'a> {
    pub project: &'a NewProject<'a>,
    /// The time at which it was made.
    pub created_at: Millis,
    /// The time from which its schedule waits.
    pub imported_at: Millis,
    /// Runs that failed since one succeeded.
    pub failures: u32,
    /// Its own schedule, then its markets' schedules; each has the id of the project.
    pub schedules: &'a [NewSchedule<'a>],
    /// The markets: place and language, by their schedules.
    pub markets: &'a [(ScheduleId, Option<String>, Option<String>)],
    /// Its own questions, with every version.
    pub set: Option<(&'a QuestionSetRecord, &'a [QuestionsRecord])>,
    pub rivals: &'a [RivalRecord],
    /// Its notes, in their order. They have no author.
    pub annotations: &'a [AnnotationRecord],
    /// Its actions. They have no author.
    pub actions: &'a [ActionRecord],
    pub ended: &'a [EndedRun],
    /// Runs with a result.
    pub results: &'a [ImportedResult<'a>],
    /// What the questions say, by the word that names each in cells.
    pub questions: &'a [(String, String)],
    /// Its own data, with the time of each import.
    pub own_files: &'a [(NewOwnFile<'a>, Millis)],
    /// Answers that were given elsewhere, or the beginning of their import.
    pub answers: &'a [ImportedAnswers<'a>],
}

#[derive(Clone, Copy, Debug)]
pub struct ImportedAnswers<'a> {
    pub import: NewAnswerImport<'a>,
    /// The pieces that came.
    pub parts: &'a [KeptAnswerPart],
    /// JSON with a number a day, if it has ended.
    pub days: Option<&'a str>,
}

/// A run with a result to store.
#[derive(Clone, Debug)]
pub struct ImportedResult<'a> {
    /// What the project keeps of it.
    pub kept: &'a KeptResult,
    /// Seconds since 1970 at which its scan finished.
    pub created_at: i64,
    /// Whether the sandbox invented its answers.
    pub sandbox: bool,
    /// Version of the method that scored it.
    pub method: &'a str,
    /// What its scan returned. It is unpacked when its turn comes, so that one at a time is held.
    pub document: &'a PackedAnswers,
    /// The evidence; `None` when answers are not stored.
    pub answers: Option<&'a PackedAnswers>,
    /// Calls that it made.
    pub calls: u32,
    /// Counts and sums over its answers.
    pub cells: &'a [Cell],
    /// What its answers name and cite; `None` to read them from the evidence.
    pub mentions: Option<&'a PackedAnswers>,
}

impl ProjectImport<'_> {
    /// The project that is made.
    pub fn id(&self) -> Option<ProjectId> {
        self.schedules.first()?.project
    }
}
