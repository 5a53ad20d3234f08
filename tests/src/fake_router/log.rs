//! The requests that a fake router received.

use serde_json::Value;
use std::collections::HashMap;
use std::time::Instant;

/// One request for an answer.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// When it came.
    pub at: Instant,
    /// The model it asked for, empty if none.
    pub model: String,
    /// The bearer key it carried.
    pub key: Option<String>,
    /// Every header, name and value, in lower case names.
    pub headers: Vec<(String, String)>,
    /// The body, as received.
    pub body: String,
    /// The path and query.
    pub target: String,
    /// Its end; `None` while it is in flight.
    pub end: Option<End>,
}

/// The end of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With an answer of this status.
    Answered(u16),
    /// By a fault of the script.
    Broken,
    /// The client went away first.
    Aborted,
}

impl Attempt {
    /// The value of a header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The body as JSON.
    ///
    /// # Panics
    /// If it is none.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("a JSON body")
    }
}

/// Everything a fake router saw.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// Requests for answers, in order of arrival.
    pub attempts: Vec<Attempt>,
    /// Requests for the list of models.
    pub lists: Vec<Attempt>,
    now: HashMap<Gauge, usize>,
    peaks: HashMap<Gauge, usize>,
}

/// The requests in flight.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Gauge {
    All,
    Key(String),
    Model(String),
}

impl Log {
    /// Requests in flight now.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.now.get(&Gauge::All).copied().unwrap_or(0)
    }

    /// Requests of a key in flight now.
    #[must_use]
    pub fn in_flight_of_key(&self, key: &str) -> usize {
        self.now.get(&Gauge::Key(key.to_owned())).copied().unwrap_or(0)
    }

    /// Most requests in flight at once.
    #[must_use]
    pub fn peak(&self) -> usize {
        self.peaks.get(&Gauge::All).copied().unwrap_or(0)
    }

    /// Most requests of a key in flight at once.
    #[must_use]
    pub fn peak_of_key(&self, key: &str) -> usize {
        self.peaks.get(&Gauge::Key(key.to_owned())).copied().unwrap_or(0)
    }

    /// Most requests to a model in flight at once.
    #[must_use]
    pub fn peak_of_model(&self, model: &str) -> usize {
        self.peaks
            .get(&Gauge::Model(model.to_owned()))
            .copied()
            .unwrap_or(0)
    }

    /// Forgets the peaks so far.
    pub fn reset_peaks(&mut self) {
        self.peaks = self.now.clone();
    }

    /// Requests that ended so.
    #[must_use]
    pub fn ended(&self, end: End) -> usize {
        self.attempts
            .iter()
            .filter(|attempt| attempt.end == Some(end))
            .count()
    }

    /// Requests to a model.
    #[must_use]
    pub fn of_model(&self, model: &str) -> Vec<&Attempt> {
        self.attempts
            .iter()
            .filter(|attempt| attempt.model == model)
            .collect()
    }

    pub(super) fn begin(&mut self, attempt: Attempt) -> usize {
        for gauge in gauges(&attempt) {
            let now = self.now.entry(gauge.clone()).or_default();
            *now += 1;
            let peak = self.peaks.entry(gauge).or_default();
            *peak = (*peak).max(*now);
        }
        self.attempts.push(attempt);
        self.attempts.len() - 1
    }

    pub(super) fn end(&mut self, index: usize, end: End) {
        let attempt = &mut self.attempts[index];
        attempt.end = Some(end);
        for gauge in gauges(attempt) {
            *self.now.entry(gauge).or_default() -= 1;
        }
    }
}

fn gauges(attempt: &Attempt) -> [Gauge; 3] {
    [
        Gauge::All,
        Gauge::Key(attempt.key.clone().unwrap_or_default()),
        Gauge::Model(attempt.model.clone()),
    ]
}
