//! The port that sends mail, and its sandbox.

use ibid_model::Email;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

/// Mails that the sandbox keeps.
const KEPT: usize = 100;

/// A boxed future, written out so that the port stays object safe.
pub type MailFuture<'a> = Pin<Box<dyn Future<Output = Result<(), MailFailure>> + Send + 'a>>;

/// Sends mail.
///
/// An implementation bounds every attempt in time. It does not retry by itself.
pub trait Mailer: Send + Sync + 'static {
    /// Hands a mail to the server, which answers that it has it.
    fn send<'a>(&'a self, mail: &'a Mail) -> MailFuture<'a>;

    /// Whether mail goes nowhere.
    fn is_sandbox(&self) -> bool {
        false
    }
}

/// A mail to one address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mail {
    pub to: Email,
    /// Who sends it, such as `Agentur Größe`; `None` for the service.
    pub from_name: Option<String>,
    /// The address for answers, if not that of the service.
    pub reply_to: Option<Email>,
    /// The subject, one line.
    pub subject: String,
    pub text: String,
    pub html: String,
    /// The id, the same for each attempt: readers show a repeated mail once.
    pub id: String,
    /// The address that ends such mails by one click (RFC 8058).
    pub unsubscribe: Option<String>,
    pub attachment: Option<Attachment>,
}

/// A file that comes with a mail.
#[derive(Clone, PartialEq, Eq)]
pub struct Attachment {
    /// Its name, in ASCII letters.
    pub name: String,
    pub kind: &'static str,
    pub bytes: Arc<Vec<u8>>,
}

impl std::fmt::Debug for Attachment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Attachment({}, {} bytes)", self.name, self.bytes.len())
    }
}

/// The reason why a server did not take a mail.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MailFailure {
    /// The address takes no mail: a code of 550, 551 or 553.
    #[error("the mail server refuses the address with {0}")]
    AddressRefused(u16),
    /// The server answered with another code.
    #[error("the mail server answers with {0}")]
    Status(u16),
    /// The server cannot be reached, or its certificate is wrong.
    #[error("the mail server cannot be reached: {0}")]
    Unreachable(String),
    /// No answer came in time. The server may have taken the mail.
    #[error("the mail server does not answer in time")]
    Timeout,
    /// The mail cannot be written, such as for an address that SMTP does not know.
    #[error("the mail cannot be written: {0}")]
    Unwritable(String),
}

/// A mailer that keeps the last hundred mails in memory.
#[derive(Debug, Default)]
pub struct SandboxMailer {
    sent: Mutex<Vec<Mail>>,
}

impl SandboxMailer {
    /// The kept mails, the oldest first.
    pub fn sent(&self) -> Vec<Mail> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Mailer for SandboxMailer {
    fn send<'a>(&'a self, mail: &'a Mail) -> MailFuture<'a> {
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        if sent.len() == KEPT {
            sent.remove(0);
        }
        sent.push(mail.clone());
        Box::pin(std::future::ready(Ok(())))
    }

    fn is_sandbox(&self) -> bool {
        true
    }
}
