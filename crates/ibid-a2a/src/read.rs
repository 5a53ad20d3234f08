//! Reads JSON objects member by member, without copies, and finds every fault.
//!
//! `null` means absent.
//! Unknown members are ignored.
//! Faults name the place and the rule, never the value.

use crate::limits::{MAX_FAULTS, MAX_VALUES};
use ibid_model::{FaultCode, Faults};
use serde_json::{Map, Value};
use std::fmt;

/// Faults found so far, at most [`MAX_FAULTS`].
#[derive(Default)]
pub(crate) struct Findings(Faults);

impl Findings {
    pub(crate) fn push(&mut self, field: String, code: FaultCode, message: impl Into<String>) {
        if self.0.iter().count() < MAX_FAULTS {
            self.0.push(field, code, message);
        }
    }

    pub(crate) fn into_faults(self) -> Faults {
        self.0
    }
}

/// The object that is being read.
/// It displays as its JSON pointer in the parameters.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    Params,
    Configuration,
    Message,
    Part(usize),
    /// A push notification configuration at a JSON pointer.
    Push(&'static str),
    /// The member `authentication` of that.
    PushAuthentication(&'static str),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Params => Ok(()),
            Self::Configuration => f.write_str("/configuration"),
            Self::Message => f.write_str("/message"),
            Self::Part(index) => write!(f, "/message/parts/{index}"),
            Self::Push(at) => f.write_str(at),
            Self::PushAuthentication(at) => write!(f, "{at}/authentication"),
        }
    }
}

/// Members of one object that were not taken yet.
pub(crate) struct Members<'f> {
    members: Map<String, Value>,
    at: Place,
    findings: &'f mut Findings,
}

impl<'f> Members<'f> {
    pub(crate) fn new(members: Map<String, Value>, at: Place, findings: &'f mut Findings) -> Self {
        Self {
            members,
            at,
            findings,
        }
    }

    /// The member, unless absent or `null`.
    pub(crate) fn take(&mut self, name: &str) -> Option<Value> {
        self.members.remove(name).filter(|value| !value.is_null())
    }

    pub(crate) fn fault(&mut self, name: &str, code: FaultCode, message: impl Into<String>) {
        let field = format!("{}/{name}", self.at);
        self.findings.push(field, code, message);
    }

    pub(crate) fn findings(&mut self) -> &mut Findings {
        self.findings
    }

    fn wrong_type(&mut self, name: &str, wanted: &str) {
        self.fault(name, FaultCode::WrongType, format!("{name} must be {wanted}"));
    }

    /// Notes a fault if the member is absent or `null`.
    fn require(&mut self, name: &str) -> Option<()> {
        let present = self.members.get(name).is_some_and(|value| !value.is_null());
        if !present {
            self.fault(name, FaultCode::Required, format!("{name} is required"));
        }
        present.then_some(())
    }

    /// A string of at most `most` bytes.
    pub(crate) fn text(&mut self, name: &str, most: usize) -> Option<String> {
        let value = self.take(name)?;
        self.as_text(name, most, value)
    }

    /// A string that must be there.
    pub(crate) fn required_text(&mut self, name: &str, most: usize) -> Option<String> {
        self.require(name)?;
        self.text(name, most)
    }

    fn as_text(&mut self, name: &str, most: usize, value: Value) -> Option<String> {
        let Value::String(text) = value else {
            self.wrong_type(name, "a string");
            return None;
        };
        if text.len() > most {
            let message = format!("{name} must have at most {most} bytes");
            self.fault(name, FaultCode::OutOfRange, message);
            return None;
        }
        Some(text)
    }

    pub(crate) fn object(&mut self, name: &str) -> Option<Map<String, Value>> {
        if let Value::Object(members) = self.take(name)? {
            return Some(members);
        }
        self.wrong_type(name, "an object");
        None
    }

    /// An object that must be there.
    pub(crate) fn required_object(&mut self, name: &str) -> Option<Map<String, Value>> {
        self.require(name)?;
        self.object(name)
    }

    /// An array of at most `most` elements.
    fn array(&mut self, name: &str, most: usize) -> Option<Vec<Value>> {
        let Value::Array(elements) = self.take(name)? else {
            self.wrong_type(name, "an array");
            return None;
        };
        if elements.len() > most {
            let message = format!("{name} must have at most {most} elements");
            self.fault(name, FaultCode::OutOfRange, message);
            return None;
        }
        Some(elements)
    }

    /// An array that must be there.
    pub(crate) fn required_array(&mut self, name: &str, most: usize) -> Option<Vec<Value>> {
        self.require(name)?;
        self.array(name, most)
    }

    /// An array of short strings.
    pub(crate) fn texts(&mut self, name: &str, most: usize, most_bytes: usize) -> Vec<String> {
        let elements = self.array(name, most).unwrap_or_default();
        let mut texts = Vec::with_capacity(elements.len());
        for (index, element) in elements.into_iter().enumerate() {
            texts.extend(self.as_text(&format!("{name}/{index}"), most_bytes, element));
        }
        texts
    }

    /// `true` or `false`.
    pub(crate) fn flag(&mut self, name: &str) -> Option<bool> {
        if let Value::Bool(flag) = self.take(name)? {
            return Some(flag);
        }
        self.wrong_type(name, "true or false");
        None
    }

    /// A whole number, not negative.
    /// JSON has one kind of number, and some clients write `2` as `2.0`.
    pub(crate) fn count(&mut self, name: &str) -> Option<u64> {
        const WANTED: &str = "a whole number, 0 or more";
        let Value::Number(number) = self.take(name)? else {
            self.wrong_type(name, WANTED);
            return None;
        };
        let whole = |number: &f64| number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(number);
        // Whole and within a u32, so the cast is exact.
        let float = || number.as_f64().filter(whole).map(|number| number as u64);
        let count = number.as_u64().or_else(float);
        if count.is_none() {
            self.fault(name, FaultCode::OutOfRange, format!("{name} must be {WANTED}"));
        }
        count
    }
}

/// Whether a JSON text may have more than [`MAX_VALUES`] values.
/// Counts them without making them.
pub(crate) fn has_too_many_values(json: &str) -> bool {
    // A value takes a byte at least.
    if json.len() <= MAX_VALUES {
        return false;
    }
    let (mut rest, mut values) = (json.as_bytes(), 1);
    while values <= MAX_VALUES {
        // Every value but the first follows one of these bytes.
        // Skips what strings contain.
        let Some(at) = rest
            .iter()
            .position(|byte| matches!(byte, b'"' | b',' | b':' | b'[' | b'{'))
        else {
            return false;
        };
        let quoted = rest[at] == b'"';
        rest = &rest[at + 1..];
        match quoted {
            true => rest = after_string(rest),
            false => values += 1,
        }
    }
    true
}

/// Returns what follows the string that has begun.
fn after_string(mut rest: &[u8]) -> &[u8] {
    while let Some(at) = memchr::memchr2(b'"', b'\\', rest) {
        let escape = usize::from(rest[at] == b'\\');
        rest = rest.get(at + 1 + escape..).unwrap_or_default();
        if escape == 0 {
            return rest;
        }
    }
    &[]
}

/// Returns how many bytes a value has, roughly as written.
pub(crate) fn weight(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) => 4,
        Value::Number(_) => 8,
        Value::String(text) => text.len() + 2,
        Value::Array(elements) => elements.iter().map(|element| weight(element) + 1).sum::<usize>() + 2,
        Value::Object(members) => weight_of(members),
    }
}

/// Returns how many bytes an object has, roughly as written.
pub(crate) fn weight_of(members: &Map<String, Value>) -> usize {
    members
        .iter()
        .map(|(name, value)| name.len() + weight(value) + 4)
        .sum::<usize>()
        + 2
}
