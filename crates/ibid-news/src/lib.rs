#![doc = include_str!("../README.md")]
//!
//! Rendering is pure. All texts of an event count as hostile: they come from models, pages and people.

mod chat;
mod digest;
mod event;
mod mailer;
mod note;
#[cfg(feature = "smtp")]
mod smtp;
mod text;

pub use chat::{Chat, WrongAddress};
pub use digest::{Digest, DigestProject};
pub use event::{
    AlertKind, AlertLinks, AlertReason, CitedAnswers, Confirmation, ConfirmationOf, LostQuestion, NewsEvent,
    RaisedAlert, ReachedBudget,
};
pub use mailer::{Attachment, Mail, MailFailure, MailFuture, Mailer, SandboxMailer};
pub use note::{Note, NoteRow, Summary, SummaryLine};
#[cfg(feature = "smtp")]
pub use smtp::{SmtpMailer, SmtpTerms, SmtpUrlError};
