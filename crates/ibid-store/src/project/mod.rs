//! Organisations, their projects, and what belongs to a project.
//!
//! A project has a schedule of the same id, which has its order, its times and its budget.
//! What a person or a key reads or changes of a project goes through a [`ProjectScope`].

mod action;
mod archive;
mod invitation;
mod record;

pub use action::{ActionRecord, ActionStatus};
pub use archive::{
    EndedRun, ImportedAnswers, ImportedResult, KeptResult, KeptSchedule, ProjectImport, ProjectRows,
};
pub use invitation::{InvitationRecord, Invited, NewInvitation};
pub use record::{
    AnnotationKind, AnnotationRecord, ApiKey, ApiKeyRecord, BadgeNumbers, Cell, EventPage, FoundRival,
    KeyAccess, MarketNumbers, MarketOrder, MarketRecord, ModelSum, NewApiKey, NewProject, OrganisationRecord,
    OrganisationRole, OrganisationSpending, PastResult, PastRun, ProjectChange, ProjectContents,
    ProjectCounts, ProjectEdit, ProjectEdited, ProjectEvent, ProjectFindings, ProjectNumbers, ProjectOrder,
    ProjectPerson, ProjectReader, ProjectRecord, ProjectRole, ProjectRunEnd, ProjectRunRecord, ProjectScope,
    ProjectStatus, ProjectSubject, QuestionSum, Reservation, Right, Rights, RivalRecord, RivalState,
    RunReading, Subject,
};
