//! The sender of the mails of a project: a name, and an address for answers.

use super::handle::Projects;
use super::plain::change;
use crate::error::Error;
use crate::workspace::read_title;
use ibid_model::{Email, FaultCode, Faults};
use ibid_store::{ProjectRecord, ProjectScope};
use serde_json::{Map, Value, json};

/// The members of a project.
const NAME: &str = "senderName";
const REPLY_TO: &str = "replyTo";

/// A sender that can be stored.
#[derive(Clone, Debug)]
pub(super) struct SenderDraft {
    name: Option<String>,
    reply_to: Option<String>,
}

impl SenderDraft {
    /// Takes the members of a sender out of a body; `None` if it has neither. A member that is missing stays as it is.
    pub(super) fn take(
        body: &mut Map<String, Value>,
        before: &ProjectRecord,
    ) -> Result<Option<Self>, Faults> {
        let (name, reply_to) = (body.remove(NAME), body.remove(REPLY_TO));
        if name.is_none() && reply_to.is_none() {
            return Ok(None);
        }
        let mut faults = Faults::default();
        let mut text = |member: &str, value: Option<Value>, stored: &Option<String>, read: Read| {
            let read = match value {
                None => return stored.clone(),
                Some(Value::Null) => return None,
                Some(Value::String(text)) => read(&text),
                Some(_) => Err("must be a text".to_owned()),
            };
            read.unwrap_or_else(|why| {
                faults.push(
                    format!("/{member}"),
                    FaultCode::Invalid,
                    format!("{member}: {why}"),
                );
                None
            })
        };
        let draft = Self {
            name: text(NAME, name, &before.sender, sender_name),
            reply_to: text(REPLY_TO, reply_to, &before.reply_to, address),
        };
        match faults.is_empty() {
            true => Ok(Some(draft)),
            false => Err(faults),
        }
    }
}

type Read = fn(&str) -> Result<Option<String>, String>;

/// A name that readers of mail cannot take for the address it comes from.
fn sender_name(text: &str) -> Result<Option<String>, String> {
    match text.contains(['@', '\u{ff20}', '\u{fe6b}']) {
        true => Err("must be a name, not an address".to_owned()),
        false => read_title(text),
    }
}

fn address(text: &str) -> Result<Option<String>, String> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let address: Result<Email, _> = text.parse();
    match address {
        Ok(address) => Ok(Some(address.to_string())),
        Err(why) => Err(why.to_string()),
    }
}

impl Projects {
    pub(super) async fn set_sender(&self, scope: &ProjectScope, sender: SenderDraft) -> Result<(), Error> {
        let scope = scope.clone();
        let members = json!({NAME: sender.name, REPLY_TO: sender.reply_to}).to_string();
        let set = self.db().call(move |store| {
            let (name, reply_to) = (sender.name.as_deref(), sender.reply_to.as_deref());
            store.set_sender(&scope, name, reply_to, change("sender_set", &members))
        });
        Ok(set.await?)
    }
}
