//! Reads a JSON object member by member and finds every fault, not only the first.

use crate::contract::{Field, Shape};
use crate::fault::{FaultCode, Faults};
use crate::money::UsdMicros;
use serde_json::{Map, Value};
use std::fmt::Display;
use std::str::FromStr;

/// Reads one JSON object and collects the faults in it, so that all are told at once.
///
/// `null` means absent; unknown members are ignored.
#[derive(Debug)]
pub struct ObjectReader<'a> {
    members: &'a Map<String, Value>,
    faults: Faults,
}

impl<'a> ObjectReader<'a> {
    /// Starts reading.
    #[must_use]
    pub fn new(members: &'a Map<String, Value>) -> Self {
        Self {
            members,
            faults: Faults::default(),
        }
    }

    /// Ends reading and returns `value` if no fault was found.
    ///
    /// # Errors
    /// Every fault found, if there is one or `value` is absent.
    pub fn finish<T>(self, value: Option<T>) -> Result<T, Faults> {
        match value {
            Some(value) if self.faults.is_empty() => Ok(value),
            Some(_) | None => Err(self.faults),
        }
    }

    /// Notes a fault that only the caller can see.
    pub fn fault(&mut self, field: &str, code: FaultCode, message: impl Into<String>) {
        self.faults.push(field, code, message);
    }

    /// Notes the faults of a part that was read on its own.
    pub fn append(&mut self, faults: Faults) {
        self.faults.append(faults);
    }

    /// The member, unless absent or `null`.
    pub fn get(&self, name: &str) -> Option<&'a Value> {
        self.members.get(name).filter(|value| !value.is_null())
    }

    /// A text parsed into `T`; `None` and a fault if it is not one, `None` alone if absent.
    pub fn text<T>(&mut self, field: &Field) -> Option<T>
    where
        T: FromStr,
        T::Err: Display,
    {
        let (name, value) = (field.name, self.get(field.name)?);
        let Some(text) = value.as_str() else {
            self.wrong_type(&format!("/{name}"), name, "a string", value);
            return None;
        };
        self.parse(&format!("/{name}"), name, text)
    }

    /// A text that must be there.
    pub fn required_text<T>(&mut self, field: &Field) -> Option<T>
    where
        T: FromStr,
        T::Err: Display,
    {
        let name = field.name;
        if self.get(name).is_none() {
            let message = format!("{name} is required");
            self.fault(&format!("/{name}"), FaultCode::Required, message);
            return None;
        }
        self.text(field)
    }

    /// Reads a list and parses each text into `T`; no more than the field takes.
    pub fn texts<T>(&mut self, field: &Field) -> Option<Vec<T>>
    where
        T: FromStr,
        T::Err: Display,
    {
        let name = field.name;
        let elements = self.list(name, field.most())?;
        let mut parsed = Vec::with_capacity(elements.len());
        for (index, element) in elements.iter().enumerate() {
            let (field, what) = (format!("/{name}/{index}"), format!("{name}[{index}]"));
            match element.as_str() {
                Some(text) => parsed.extend(self.parse(&field, &what, text)),
                None => self.wrong_type(&field, &what, "a string", element),
            }
        }
        Some(parsed)
    }

    /// Returns a list of at most `most` elements, unchanged.
    /// More are a fault, but the first ones are returned to be checked.
    pub fn list(&mut self, name: &str, most: usize) -> Option<&'a [Value]> {
        let value = self.get(name)?;
        let Some(elements) = value.as_array() else {
            self.wrong_type(&format!("/{name}"), name, "an array", value);
            return None;
        };
        if elements.len() > most {
            let message = format!("{name} takes at most {most} elements, not {}", elements.len());
            self.fault(&format!("/{name}"), FaultCode::OutOfRange, message);
        }
        Some(elements.get(..most).unwrap_or(elements))
    }

    /// Yes or no; `None` when absent or no boolean, which is a fault.
    pub fn flag(&mut self, field: &Field) -> Option<bool> {
        let name = field.name;
        let value = self.get(name)?;
        if value.as_bool().is_none() {
            let message = format!("{name} must be true or false");
            self.fault(&format!("/{name}"), FaultCode::WrongType, message);
        }
        value.as_bool()
    }

    /// A whole number within the bounds of the field; `3.0` counts as 3.
    pub fn whole(&mut self, field: &Field) -> Option<u8> {
        let (name, value) = (field.name, self.get(field.name)?);
        let (low, high) = field.bounds();
        self.whole_value(&format!("/{name}"), name, value, low, high)
    }

    /// Reads US dollars above zero and within the field's bound.
    pub fn dollars(&mut self, field: &Field) -> Option<UsdMicros> {
        let (name, value) = (field.name, self.get(field.name)?);
        let pointer = format!("/{name}");
        let Some(dollars) = value.as_f64() else {
            let message = format!("{name} must be a number of US dollars");
            self.fault(&pointer, FaultCode::WrongType, message);
            return None;
        };
        let most = match field.shape {
            Shape::Dollars { most } => most,
            _ => 0,
        };
        let amount = UsdMicros::from_dollars(dollars).filter(|_| dollars > 0.0 && dollars <= f64::from(most));
        if amount.is_none() {
            let message = format!("{name} must be above 0 and at most {most}");
            self.fault(&pointer, FaultCode::OutOfRange, message);
        }
        amount
    }

    /// As [`Self::whole`], for an element of a list.
    pub fn whole_value(&mut self, field: &str, what: &str, value: &Value, low: u8, high: u8) -> Option<u8> {
        let number = self.whole_number(field, what, value, low.into(), high.into())?;
        u8::try_from(number).ok()
    }

    /// As [`Self::whole`], for a member with other bounds than its field.
    pub fn whole_wide(&mut self, name: &str, low: u16, high: u16) -> Option<u16> {
        let value = self.get(name)?;
        self.whole_number(&format!("/{name}"), name, value, low, high)
    }

    fn whole_number(&mut self, field: &str, what: &str, value: &Value, low: u16, high: u16) -> Option<u16> {
        let Some(number) = value.as_f64() else {
            self.wrong_type(field, what, "a number", value);
            return None;
        };
        if number.fract() != 0.0 {
            self.faults
                .invalid(field, format!("{what} must be a whole number"));
            return None;
        }
        if !(f64::from(low)..=f64::from(high)).contains(&number) {
            let message = format!("{what} must be between {low} and {high}");
            self.fault(field, FaultCode::OutOfRange, message);
            return None;
        }
        // Whole and within the bounds of a u16, so the cast is exact.
        Some(number as u16)
    }

    fn parse<T>(&mut self, field: &str, what: &str, text: &str) -> Option<T>
    where
        T: FromStr,
        T::Err: Display,
    {
        let parsed = text.parse();
        parsed
            .map_err(|error| self.faults.invalid(field, format!("{what} {error}")))
            .ok()
    }

    fn wrong_type(&mut self, field: &str, what: &str, wanted: &str, got: &Value) {
        let got = match got {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "an array",
            Value::Object(_) => "an object",
        };
        let message = format!("{what} must be {wanted}, not {got}");
        self.fault(field, FaultCode::WrongType, message);
    }
}
