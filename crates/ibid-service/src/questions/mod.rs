//! Questions in callers' own words: sets with versions, checks, imports and proposals.

mod answers;
mod check;
mod handle;
mod propose;
mod sets;
mod turn;

pub use answers::LastAnswer;
pub(crate) use answers::is_asked;
pub use handle::Questions;
pub use propose::{Proposal, ProposalOrder};
pub(crate) use sets::{Packed, account_sets};
pub use sets::{QuestionSetDraft, QuestionSetView, QuestionsImported, question_set_document};
