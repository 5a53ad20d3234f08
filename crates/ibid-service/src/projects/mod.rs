//! Projects: questions, people, runs and history of a website in one place.
//!
//! A project has its own schedule, with its order, its times and its budget; that schedule makes its runs.
//! The operator's key pays, within its budget and its organisation's.
//! Every use of a project begins with a [`ProjectScope`](ibid_store::ProjectScope).

mod access;
mod actions;
mod answers;
mod archive;
mod backdated;
mod badge;
mod command;
mod conversions;
mod draft;
mod feeds;
mod foreign_answers;
mod handle;
mod import;
mod interface_answers;
mod keys;
mod lifecycle;
mod markets;
mod mentions;
mod move_in;
mod moves;
mod own_data;
mod people;
mod questions;
mod reports;
mod rivals_and_notes;
mod run_questions;
mod runs;
mod uploaded_export;
mod view;

pub(crate) use actions::judged_in_words;
pub use actions::{ActionDraft, ActionView, KeptAction, RivalShare};
pub use answers::{AnswerLine, ProjectAnswers};
pub use backdated::PastOutcome;
pub use command::{Done, ProjectCommand};
pub(crate) use conversions::{change, id_of, this_month};
pub use draft::{PlaceRead, ProjectDraft};
pub(crate) use feeds::limits as feed_limits;
pub use feeds::{Feed, FeedRows, FeedTable, NewFeed, feed_key_document};
pub use foreign_answers::{
    AnswerDay, AnswerImportDraft, AnswerImportView, ElsewhereAnswer, ElsewhereNumbers, MOST_ANSWERS,
    MOST_PART, SourceNumbers,
};
pub use handle::Projects;
pub use interface_answers::{CitedShare, SEEN_DAYS, Seen, SeenQuestion};
pub use keys::{KEY_PREFIX, NewKey, OrganisationKey};
pub use mentions::{CountedRun, ProjectRivals, ProjectSources, RivalsReply, SourcesReply};
pub(crate) use moves::moves_of;
pub(crate) use own_data::OwnDataBounds;
pub use own_data::{
    MOST_OWN_DATA, OwnData, OwnDataFile, OwnDataRead, OwnDataTurn, OwnDataUse, own_data_room,
};
pub use people::AddedPerson;
pub(crate) use reports::{Found as ReportSource, MOST_REPORTS, NO_RESULT};
pub use reports::{MOST_NOTE_CHARS, OpenedReport, ReportAccess, ReportDraft, ReportView, STANDARD_ACCENT};
pub use rivals_and_notes::{AnnotationDraft, RivalDraft};
pub use run_questions::AskedQuestion;
pub use runs::{ProjectHistory, RivalRow, RunProgress as ProjectRunProgress};
pub use uploaded_export::{ExportFile, ReadExport};
pub use view::{Attention, ProjectView, change_document, failure_in_words, outcome_in_words, run_document};
