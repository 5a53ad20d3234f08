//! Projects: questions, people, runs and history of a website in one place.
//!
//! A project has a schedule of its own, with its order, its times and its budget; its runs are runs of that schedule.
//! The operator's key pays, within the budgets of the project and of its organisation.
//! Every use of a project begins with a [`ProjectScope`](ibid_store::ProjectScope).

mod access;
mod actions;
mod answers;
mod archive;
mod asked;
mod badge;
mod book;
mod command;
mod draft;
mod elsewhere;
mod feeds;
mod handle;
mod import;
mod keys;
mod markets;
mod mentions;
mod move_in;
mod moves;
mod own_data;
mod parts;
mod past;
mod people;
mod plain;
mod questions;
mod reports;
mod runs;
mod seen;
mod uploaded_export;
mod view;

pub(crate) use actions::judged_in_words;
pub use actions::{ActionDraft, ActionView, KeptAction, RivalShare};
pub use answers::{AnswerLine, ProjectAnswers};
pub use asked::AskedQuestion;
pub use command::{Done, ProjectCommand};
pub use draft::{PlaceRead, ProjectDraft};
pub use elsewhere::{
    AnswerDay, AnswerImportDraft, AnswerImportView, ElsewhereAnswer, ElsewhereNumbers, MOST_ANSWERS,
    MOST_PART, SourceNumbers,
};
pub(crate) use feeds::limits as feed_limits;
pub use feeds::{Feed, FeedRows, FeedTable, NewFeed, feed_key_document};
pub use handle::Projects;
pub use keys::{KEY_PREFIX, NewKey, OrganisationKey};
pub use mentions::{CountedRun, ProjectRivals, ProjectSources};
pub(crate) use moves::moves_of;
pub(crate) use own_data::OwnDataBounds;
pub use own_data::{
    MOST_OWN_DATA, OwnData, OwnDataFile, OwnDataRead, OwnDataTurn, OwnDataUse, own_data_room,
};
pub use parts::{AnnotationDraft, RivalDraft};
pub use past::PastOutcome;
pub use people::AddedPerson;
pub(crate) use plain::{change, this_month};
pub(crate) use reports::{Found as ReportSource, MOST_REPORTS, NO_RESULT};
pub use reports::{MOST_NOTE_CHARS, OpenedReport, ReportAccess, ReportDraft, ReportView, STANDARD_ACCENT};
pub use runs::{ProjectHistory, RivalRow, RunProgress as ProjectRunProgress};
pub use seen::{CitedShare, SEEN_DAYS, Seen, SeenQuestion};
pub use uploaded_export::{ExportFile, ReadExport};
pub use view::{Attention, ProjectView, change_document, failure_in_words, outcome_in_words, run_document};
