//! Reads which scans a list has.

use crate::extract::Pairs;
use ibid_model::contract::field::PAGE_LIMIT;
use ibid_model::{Domain, FaultCode, Faults, Keyword, LocationText, RunState, ScanId, Tag};
use ibid_service::QueueFilter;
use std::fmt::Display;
use std::str::FromStr;

/// The scans that a page shows.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) filter: QueueFilter,
    /// Last scan of the page before.
    pub(super) after: Option<ScanId>,
    pub(super) most: u32,
}

impl Page {
    /// Reads a query. Names that it does not know are ignored.
    ///
    /// # Errors
    /// All faults, with the names of the parameters.
    pub(super) fn read(query: &Pairs) -> Result<Self, Faults> {
        let mut values = Values::of(query);
        let page = Self {
            filter: QueueFilter {
                domain: values.parse::<Domain>("domain").map(|domain| domain.to_string()),
                keyword: values.parse::<Keyword>("keyword").map(Into::into),
                place: values.parse::<LocationText>("location").map(Into::into),
                tag: values.parse::<Tag>("tag").map(Into::into),
                state: values.word("status").and_then(|(word, faults)| {
                    let known = word.parse().ok();
                    if known.is_none() {
                        let words: Vec<&str> = RunState::ALL.iter().map(|state| state.as_str()).collect();
                        let message = format!("status must be one of {}", words.join(", "));
                        faults.push("status", FaultCode::Invalid, message);
                    }
                    known
                }),
                schedule: values.id("schedule"),
                batch: values.id("batch"),
                from: values.time("from"),
                until: values.time("until"),
            },
            after: values.id("cursor"),
            most: values.limit(),
        };
        values.finish(page)
    }
}

/// Reads the parameters of a query, and collects their faults.
pub(super) struct Values<'a> {
    query: &'a Pairs,
    faults: Faults,
}

impl<'a> Values<'a> {
    pub(super) fn of(query: &'a Pairs) -> Self {
        Self {
            query,
            faults: Faults::default(),
        }
    }

    pub(super) fn finish<T>(self, read: T) -> Result<T, Faults> {
        match self.faults.is_empty() {
            true => Ok(read),
            false => Err(self.faults),
        }
    }

    /// Returns a parameter, unless it is absent or blank.
    fn word(&mut self, name: &str) -> Option<(&'a str, &mut Faults)> {
        let mut all = self.query.all(name);
        let value = all.next()?.trim();
        if all.next().is_some() {
            let message = format!("{name} appears more than once");
            self.faults.push(name, FaultCode::Invalid, message);
            return None;
        }
        (!value.is_empty()).then_some((value, &mut self.faults))
    }

    fn parse<T>(&mut self, name: &str) -> Option<T>
    where
        T: FromStr,
        T::Err: Display,
    {
        let (value, faults) = self.word(name)?;
        match value.parse() {
            Ok(value) => Some(value),
            Err(error) => {
                faults.push(name, FaultCode::Invalid, format!("{name} {error}"));
                None
            }
        }
    }

    pub(super) fn id<T: FromStr>(&mut self, name: &str) -> Option<T> {
        self.known(name, "must be an id such as 123e4567-e89b-42d3-a456-426614174000")
    }

    fn time<T: FromStr>(&mut self, name: &str) -> Option<T> {
        self.known(name, "must be a time such as 2026-12-01T09:00:00Z")
    }

    fn known<T: FromStr>(&mut self, name: &str, wanted: &str) -> Option<T> {
        let (value, faults) = self.word(name)?;
        let known = value.parse().ok();
        if known.is_none() {
            faults.push(name, FaultCode::Invalid, format!("{name} {wanted}"));
        }
        known
    }

    pub(super) fn limit(&mut self) -> u32 {
        let (least, most) = PAGE_LIMIT.bounds();
        let default = PAGE_LIMIT.default_count();
        let Some((value, faults)) = self.word("limit") else {
            return default.into();
        };
        let limit = value.parse().ok().filter(|limit| (least..=most).contains(limit));
        if limit.is_none() {
            let message = format!("limit must be a whole number between {least} and {most}");
            faults.push("limit", FaultCode::OutOfRange, message);
        }
        limit.unwrap_or(default).into()
    }
}
