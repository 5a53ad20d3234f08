//! Places and languages that each run asks, each with its own level and verdict, such as Berlin in German and in English.

use super::conversions::{at, at_the_root};
use super::handle::Projects;
use crate::error::Error;
use crate::schedules::{ScheduleDraft, ScheduleOwner};
use ibid_engine::plan::Plan;
use ibid_model::contract::field as f;
use ibid_model::{FaultCode, Faults, ProjectId};
use ibid_store::MarketNumbers;
use jiff::Timestamp;
use serde_json::{Map, Value, json};

/// How a body names them.
pub(super) const MARKETS: &str = "markets";
/// Most markets of a project.
const MOST_MARKETS: usize = 20;

/// A place and a language; without them those of the keyword.
pub(super) type Market = (Option<String>, Option<String>);

/// A market apart from that of the project itself, which can be stored.
#[derive(Clone, Debug)]
pub(super) struct MarketDraft {
    pub(super) market: Market,
    pub(super) schedule: ScheduleDraft,
    pub(super) plan: Plan,
}

/// Reads markets from a body, that of the project itself first; `None` if it has none.
pub(super) fn markets_of(body: &Map<String, Value>) -> Result<Option<Vec<Market>>, Faults> {
    let value = match body.get(MARKETS) {
        None | Some(Value::Null) => return Ok(None),
        Some(value) => value,
    };
    let Some(list) = value
        .as_array()
        .filter(|list| (1..=MOST_MARKETS).contains(&list.len()))
    else {
        let message =
            format!("markets must be a list of 1 to {MOST_MARKETS} places, with a language or without");
        return Err(Faults::one("/markets", FaultCode::OutOfRange, message));
    };
    let (mut markets, mut faults) = (Vec::new(), Faults::default());
    for (number, value) in list.iter().enumerate() {
        let pointer = format!("/markets/{number}");
        let Some(members) = value.as_object() else {
            faults.push(pointer, FaultCode::WrongType, "a market must be an object");
            continue;
        };
        let mut text = |name: &str| match members.get(name) {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
            Some(_) => {
                let message = format!("{name} must be a string");
                faults.push(format!("{pointer}/{name}"), FaultCode::WrongType, message);
                None
            }
        };
        let market = (text(f::LOCATION.name), text(f::LANGUAGE.name));
        match markets.contains(&market) {
            true => faults.invalid(pointer, "the market is in the list twice"),
            false => markets.push(market),
        }
    }
    faults.into_result(Some(markets))
}

/// Puts a market into an order.
pub(super) fn put(order: &mut Map<String, Value>, (place, language): &Market) {
    order.insert(f::LOCATION.name.to_owned(), json!(place));
    order.insert(f::LANGUAGE.name.to_owned(), json!(language));
}

/// Lists all markets in a body, unless its own is the only one.
pub(super) fn put_all(body: &mut Map<String, Value>, others: Vec<Market>) {
    if others.is_empty() {
        return;
    }
    let all = std::iter::once(market_of(body)).chain(others);
    let all = all.map(|(place, language)| json!({"location": place, "language": language}));
    let all = all.collect();
    body.insert(MARKETS.to_owned(), all);
    body.remove(f::LOCATION.name);
    body.remove(f::LANGUAGE.name);
}

pub(super) fn market_of(order: &Map<String, Value>) -> Market {
    let text = |name: &str| order.get(name).and_then(Value::as_str).map(str::to_owned);
    (text(f::LOCATION.name), text(f::LANGUAGE.name))
}

impl Projects {
    /// Plans the markets apart from that of the project itself, whose schedule is in a body.
    pub(super) async fn planned_markets(
        &self,
        project: ProjectId,
        body: &Map<String, Value>,
        markets: &[Market],
    ) -> Result<Vec<MarketDraft>, Error> {
        let owner = ScheduleOwner::Project(project);
        let (mut planned, mut faults) = (Vec::with_capacity(markets.len()), Faults::default());
        for (number, market) in (1..).zip(markets) {
            let mut body = body.clone();
            if let Some(order) = body.get_mut("order").and_then(Value::as_object_mut) {
                put(order, market);
            }
            let pointer = |field: &str| format!("/markets/{number}{field}");
            match self.schedules.planned(&owner, &body, Timestamp::now()).await {
                Ok((schedule, plan)) => planned.push(MarketDraft {
                    market: market.clone(),
                    schedule: schedule.asking(&plan)?,
                    plan,
                }),
                Err(Error::Invalid(found)) => {
                    for fault in at_the_root(&found).iter() {
                        faults.push(pointer(&fault.field), fault.code, fault.message.clone());
                    }
                }
                Err(error @ Error::UnknownPlace { .. }) => {
                    faults.push(
                        pointer("/location"),
                        FaultCode::LocationNotFound,
                        error.to_string(),
                    );
                }
                Err(error) => return Err(error),
            }
        }
        faults.into_result(planned).map_err(Error::Invalid)
    }
}

pub(super) fn document(place: Option<&str>, language: Option<&str>, numbers: &MarketNumbers) -> Value {
    json!({
        "location": place,
        "language": language,
        "score": numbers.summary.map(|summary| summary.score),
        "interval": numbers.summary.and_then(|summary| summary.interval),
        "level": numbers.level,
        "verdict": numbers.verdict,
        "lastScanId": numbers.last_scan,
        "lastRunAt": numbers.last_run_at.map(at),
    })
}
