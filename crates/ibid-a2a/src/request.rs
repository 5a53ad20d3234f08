//! The request in a message.

use crate::error::CallError;
use crate::message::{Message, Part};
use crate::natural_orders;
use crate::params::TWICE;
use crate::read::has_too_many_values;
use ibid_model::{FaultCode, Skill, misspelt, strict_json};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// A skill and its fields as the caller wrote them, not yet checked.
///
/// It is stored with the task.
/// The stored request runs, and a message that pays cannot change it.
/// Members that the skill does not know are dropped, and so are keys and payments in them.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Request {
    skill: Skill,
    fields: Map<String, Value>,
    /// Whether it was read from words.
    /// The offer then states the understood fields.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    from_words: bool,
}

/// The form in which a request came does not matter.
impl PartialEq for Request {
    fn eq(&self, other: &Self) -> bool {
        self.skill == other.skill && self.fields == other.fields
    }
}

/// What a message asks for, or its words.
pub(crate) enum Found {
    Request(Request),
    /// No request; perhaps it names a skill all the same.
    Words {
        wanted: Option<Skill>,
    },
}

impl Request {
    /// Makes a request from the `members` that are fields of the skill.
    #[must_use]
    pub fn new(skill: Skill, members: &Map<String, Value>) -> Self {
        let fields = skill.row().fields();
        let known = members.iter().filter(|(name, value)| {
            !value.is_null() && fields.clone().any(|field| field.name == name.as_str())
        });
        Self {
            skill,
            fields: known.map(|(name, value)| (name.clone(), value.clone())).collect(),
            from_words: false,
        }
    }

    /// A request that was read from words.
    pub(crate) fn from_words(skill: Skill, members: &Map<String, Value>) -> Self {
        Self {
            from_words: true,
            ..Self::new(skill, members)
        }
    }

    /// Returns a sentence with the understood fields, if the request was read from words.
    pub(crate) fn understood(&self) -> Option<String> {
        self.from_words
            .then(|| natural_orders::sentence(self.skill, &self.fields))
    }

    /// The skill.
    pub const fn skill(&self) -> Skill {
        self.skill
    }

    /// Returns the fields, as the REST route with the same name takes them.
    pub const fn fields(&self) -> &Map<String, Value> {
        &self.fields
    }
}

/// Finds the request of a message: in a data part, or in a text part that is JSON.
///
/// The skill is the member `skill`, else `metadata.skillId`, else `wanted`, the skill of an earlier message,
/// if it has any of the fields, else the skill that the fields suggest.
///
/// # Errors
/// An unknown skill, two skills, or two requests.
pub(crate) fn find(message: &Message, wanted: Option<Skill>) -> Result<Found, CallError> {
    let named = match message.metadata.get("skillId").and_then(Value::as_str) {
        Some(name) => Some(skill(name, || "/message/metadata/skillId".to_owned())?),
        None => None,
    };
    let mut found: Option<Request> = None;
    for (index, part) in message.parts.iter().enumerate() {
        // A JSON pointer cannot point into a text.
        let at = || match part {
            Part::Data { .. } => format!("/message/parts/{index}/data/skill"),
            Part::Text { .. } => format!("/message/parts/{index}/text"),
        };
        let Some(members) =
            members(part).map_err(|twice| CallError::fault(&at(), FaultCode::Invalid, twice))?
        else {
            continue;
        };
        let Some(request) = request(&members, named, wanted, at)? else {
            continue;
        };
        match &found {
            Some(first) if *first != request => {
                let at = format!("/message/parts/{index}");
                return Err(CallError::fault(
                    &at,
                    FaultCode::Invalid,
                    "a message holds one request",
                ));
            }
            Some(_) => {}
            None => found = Some(request),
        }
    }
    match (found, named) {
        (Some(request), _) => Ok(Found::Request(request)),
        // It needs no fields, so naming it is enough.
        (None, Some(Skill::MyReceipts)) => Ok(Found::Request(Request::new(Skill::MyReceipts, &Map::new()))),
        (None, named) => Ok(Found::Words {
            wanted: named.or(wanted),
        }),
    }
}

fn request(
    members: &Map<String, Value>,
    named: Option<Skill>,
    wanted: Option<Skill>,
    at: impl Fn() -> String,
) -> Result<Option<Request>, CallError> {
    let own = match members.get("skill") {
        None | Some(Value::Null) => None,
        Some(Value::String(name)) => Some(skill(name, &at)?),
        Some(_) => {
            return Err(CallError::fault(
                &at(),
                FaultCode::WrongType,
                "skill must be a string",
            ));
        }
    };
    if own.is_some() && named.is_some() && own != named {
        return Err(CallError::fault(
            &at(),
            FaultCode::Invalid,
            "skill and metadata.skillId differ",
        ));
    }
    let suggested = || infer(members);
    let remembered = || wanted.filter(|skill| knows_any(*skill, members));
    // A named skill takes precedence over a guess, if it has any of the fields.
    let skill = own.or(named).or_else(remembered).or_else(suggested);
    match skill {
        Some(skill) => {
            check_names(members, &at)?;
            Ok(Some(Request::new(skill, members)))
        }
        None => Ok(None),
    }
}

/// Refuses a member with nearly the name of a field: it would be dropped, and the order be another one.
fn check_names(members: &Map<String, Value>, at: impl Fn() -> String) -> Result<(), CallError> {
    let fields = Skill::ALL.iter().flat_map(|skill| skill.row().fields());
    let known = fields.map(|field| field.name).chain(["skill"]);
    for name in members.keys() {
        if let Some(meant) = misspelt(name, known.clone()) {
            let detail = format!("there is no member {name:?}; the nearest is {meant}");
            return Err(CallError::fault(&at(), FaultCode::Invalid, &detail));
        }
    }
    Ok(())
}

/// The skill that the fields suggest.
fn infer(members: &Map<String, Value>) -> Option<Skill> {
    let has = |name| members.get(name).is_some_and(|value| !value.is_null());
    if has("rings") {
        Some(Skill::Radius)
    } else if has("domain") && has("keyword") {
        Some(Skill::Scan)
    } else if (has("url") || has("html")) && !has("domain") && !has("keyword") {
        Some(Skill::Audit)
    } else {
        None
    }
}

fn knows_any(skill: Skill, members: &Map<String, Value>) -> bool {
    let mut fields = skill.row().fields();
    fields.any(|field| members.get(field.name).is_some_and(|value| !value.is_null()))
}

fn skill(name: &str, at: impl Fn() -> String) -> Result<Skill, CallError> {
    name.parse::<Skill>()
        .map_err(|unknown| CallError::fault(&at(), FaultCode::Invalid, &unknown.to_string()))
}

/// Returns a part's object, if it has one.
///
/// # Errors
/// The object in a text has a member twice.
fn members(part: &Part) -> Result<Option<Cow<'_, Map<String, Value>>>, &'static str> {
    let text = match part {
        Part::Data { data, metadata: _ } => return Ok(Some(Cow::Borrowed(data))),
        Part::Text { text, metadata: _ } => object_text(text),
    };
    match text.map(|text| strict_json::parse(text.as_bytes())) {
        Some(Ok(Value::Object(members))) => Ok(Some(Cow::Owned(members))),
        Some(Err(error)) if error.is_data() => Err(TWICE),
        Some(Ok(_) | Err(_)) | None => Ok(None),
    }
}

pub(crate) fn json_object(text: &str) -> Option<Map<String, Value>> {
    serde_json::from_str(object_text(text)?).ok()
}

/// What may be the JSON object in a text, plain or in a fenced block as language models write it.
fn object_text(text: &str) -> Option<&str> {
    let text = text.trim();
    let text = match text.strip_prefix("```") {
        Some(fenced) => {
            let body = fenced.strip_prefix("json").unwrap_or(fenced);
            body.strip_suffix("```").unwrap_or(body).trim()
        }
        None => text,
    };
    // Most texts are prose, which is recognised without parsing.
    (text.starts_with('{') && !has_too_many_values(text)).then_some(text)
}

#[cfg(test)]
mod tests;
