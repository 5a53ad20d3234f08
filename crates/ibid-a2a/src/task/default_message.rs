//! The default message of a task that waits for a payment.
//! It is not stored.

use crate::agent_message::AgentMessage;
use crate::payment::{Notice, only_asks};
use crate::text;
use ibid_model::Skill;

/// Returns the message of a task whose offer waits for its first payment, at the standard price.
pub(super) fn default_message(skill: Skill) -> AgentMessage {
    AgentMessage {
        parts: text::ask_payment(skill, skill.price(), None),
        metadata: Notice::Required.metadata(&[], false),
    }
}

/// Whether a message is the [`default_message`] for some skill.
/// The offer has the skill.
pub(super) fn is_default_message(message: &Option<AgentMessage>) -> bool {
    message.as_ref().is_some_and(|message| {
        let mut skills = Skill::ALL.into_iter();
        only_asks(&message.metadata)
            && skills.any(|skill| {
                message.parts.as_json() == text::ask_payment(skill, skill.price(), None).as_json()
            })
    })
}
