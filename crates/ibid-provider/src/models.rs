//! Which models a router has, and how they fit into the alias table.

use crate::decimal::scaled;
use ibid_model::{Catalog, Model, Prices, UsdMicros};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::HashMap;

/// Most models taken from a list.
const MOST: usize = 5_000;
/// Longest identifier taken, in bytes.
const LONGEST_ID: usize = 256;

/// One model that a router lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouterModel {
    /// Its identifier there.
    pub id: String,
    /// Its prices; `None` if the router lists no prices or varying ones.
    pub prices: Option<Prices>,
    /// The concrete model behind an alias of the router's own.
    pub stands_for: Option<String>,
}

/// Returns the alias table for the models that the router lists.
///
/// In each row, the first listed candidate moves to the front with its current price.
/// Rows without a listed candidate are unchanged.
/// An empty list changes no row.
#[must_use]
pub fn available(catalog: &Catalog, models: &[RouterModel]) -> Catalog {
    let listed: HashMap<&str, &RouterModel> = models.iter().map(|model| (model.id.as_str(), model)).collect();
    let rows = catalog.models().iter().map(|row| current(row, &listed));
    // Rows keep their aliases and candidates, so the table stays valid.
    Catalog::new(rows.collect()).unwrap_or_else(|_| catalog.clone())
}

fn current(row: &Model, listed: &HashMap<&str, &RouterModel>) -> Model {
    let mut row = row.clone();
    let found = row
        .candidates
        .iter()
        .enumerate()
        .find_map(|(index, id)| Some((index, *listed.get(id.as_str())?)));
    if let Some((index, model)) = found {
        if let Some(front) = row.candidates.get_mut(..=index) {
            front.rotate_right(1);
        }
        if let Some(prices) = model.prices {
            // The search is billed even without a listed fee.
            let per_search = if prices.per_search == UsdMicros::ZERO {
                row.prices.per_search
            } else {
                prices.per_search
            };
            row.prices = Prices { per_search, ..prices };
        }
    }
    row
}

/// Reads a list of models: a bare array or `{"data": [..]}`.
/// Returns `None` for other bodies.
/// Entries without a usable identifier are skipped.
/// At most 5,000 are taken.
#[must_use]
pub fn read_models(body: &[u8]) -> Option<Vec<RouterModel>> {
    // llama.cpp lists its models under both names.
    #[derive(Deserialize)]
    struct Listing<'a> {
        #[serde(borrow, default)]
        data: Option<Vec<&'a RawValue>>,
        #[serde(borrow, default)]
        models: Option<Vec<&'a RawValue>>,
    }
    let entries: Vec<&RawValue> = match serde_json::from_slice(body) {
        Ok(entries) => entries,
        Err(_) => {
            let listing: Listing<'_> = serde_json::from_slice(body).ok()?;
            listing.data.or(listing.models)?
        }
    };
    Some(entries.into_iter().filter_map(entry).take(MOST).collect())
}

fn entry(raw: &RawValue) -> Option<RouterModel> {
    #[derive(Deserialize)]
    struct Entry<'a> {
        #[serde(borrow, default)]
        id: Option<&'a RawValue>,
        #[serde(borrow, default)]
        name: Option<&'a RawValue>,
        #[serde(borrow, default)]
        pricing: Option<&'a RawValue>,
        #[serde(borrow, default)]
        alias_target: Option<&'a RawValue>,
    }
    let entry: Entry<'_> = serde_json::from_str(raw.get()).ok()?;
    let text = |raw: &RawValue| serde_json::from_str::<String>(raw.get()).ok();
    let id = entry.id.or(entry.name).and_then(text)?;
    if id.is_empty() || id.len() > LONGEST_ID || id.chars().any(char::is_control) {
        return None;
    }
    let value = |raw: &RawValue| serde_json::from_str::<Value>(raw.get()).ok();
    let target = entry.alias_target.and_then(value);
    Some(RouterModel {
        id,
        prices: entry.pricing.and_then(value).and_then(|pricing| prices(&pricing)),
        stands_for: target.and_then(|target| Some(target.get("slug")?.as_str()?.to_owned())),
    })
}

/// Reads prices: decimal texts (sometimes numbers) in dollars per token, request or search.
/// "-1" means unknown.
fn prices(pricing: &Value) -> Option<Prices> {
    let dollars = |name: &str| match pricing.get(name)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    };
    // A dollar per token is 10^6 micros per token and 10^12 per million tokens.
    let per_million = |name: &str| scaled(&dollars(name)?, 12).map(UsdMicros::new);
    let each = |name: &str| scaled(&dollars(name)?, 6).map(UsdMicros::new);
    Some(Prices {
        prompt_per_million: per_million("prompt")?,
        completion_per_million: per_million("completion")?,
        per_request: each("request").unwrap_or(UsdMicros::ZERO),
        per_search: each("web_search").unwrap_or(UsdMicros::ZERO),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn micros(prices: Option<Prices>) -> Option<[u64; 4]> {
        prices.map(|p| {
            [
                p.prompt_per_million.get(),
                p.completion_per_million.get(),
                p.per_request.get(),
                p.per_search.get(),
            ]
        })
    }

    #[test]
    fn reads_both_shapes() {
        let openrouter = br#"{"data":[
            {"id":"~openai/gpt-latest","name":"GPT","pricing":{"prompt":"0.000002","completion":"0.00001","request":"0",
             "web_search":"0.01","overrides":[{"min_prompt_tokens":1}]},"alias_target":{"slug":"openai/gpt-6","name":"x"}},
            {"id":"openrouter/auto","pricing":{"prompt":"-1","completion":"-1"}},
            {"id":"free","pricing":{"prompt":0,"completion":"0"}},
            {"id":7},{"id":""},"odd",null,{"id":"plain","pricing":"?"}],"total_count":9,"links":{"next":null}}"#;
        let models = read_models(openrouter).unwrap();
        let seen: Vec<_> = models.iter().map(|m| (m.id.as_str(), micros(m.prices))).collect();
        assert_eq!(
            seen,
            [
                ("~openai/gpt-latest", Some([2_000_000, 10_000_000, 0, 10_000])),
                ("openrouter/auto", None),
                ("free", Some([0; 4])),
                ("plain", None),
            ]
        );
        assert_eq!(models[0].stands_for.as_deref(), Some("openai/gpt-6"));
        let ids =
            |body: &[u8]| -> Vec<String> { read_models(body).unwrap().into_iter().map(|m| m.id).collect() };
        assert_eq!(
            ids(br#"{"object":"list","data":[{"id":"llama3:8b","object":"model"}]}"#),
            ["llama3:8b"]
        );
        assert_eq!(ids(br#" [{"id":"a"},{"id":"b"}]"#), ["a", "b"]);
        assert_eq!(ids(br#"{"models":[{"name":"c"}]}"#), ["c"]);
        let llama_cpp = br#"{"models":[{"name":"/m/d.gguf","model":"/m/d.gguf"}],"object":"list","data":[{"id":"/m/d.gguf"}]}"#;
        assert_eq!(ids(llama_cpp), ["/m/d.gguf"]);
        for bad in ["", "{}", "null", "<html>", r#"{"data":{}}"#, r#"{"error":{}}"#] {
            assert_eq!(read_models(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn a_list_is_bounded() {
        let long = format!(
            r#"[{}{{"id":"{}"}}]"#,
            r#"{"id":"a"},"#.repeat(6_000),
            "x".repeat(300)
        );
        assert_eq!(read_models(long.as_bytes()).unwrap().len(), MOST);
    }

    #[test]
    fn the_first_available_candidate_moves_to_the_front() {
        let catalog = Catalog::builtin();
        let listed = |id: &str, prices: Option<[u64; 4]>| RouterModel {
            id: id.to_owned(),
            prices: prices.map(|[prompt, completion, request, search]| Prices {
                prompt_per_million: UsdMicros::new(prompt),
                completion_per_million: UsdMicros::new(completion),
                per_request: UsdMicros::new(request),
                per_search: UsdMicros::new(search),
            }),
            stands_for: None,
        };
        let row = catalog.models()[1].clone();
        let [first, second, third] = [0, 1, 2].map(|n| row.candidates[n].clone());
        let now = available(
            &catalog,
            &[
                listed("other", None),
                listed(&third, Some([9, 8, 7, 0])),
                listed("perplexity/sonar-pro", None),
            ],
        );
        assert_eq!(now.models()[1].candidates, [third, first, second]);
        // The search fee is kept, the rest is new.
        assert_eq!(
            micros(Some(now.models()[1].prices)),
            Some([9, 8, 7, row.prices.per_search.get()])
        );
        assert_eq!(now.models()[0], catalog.models()[0]);
        assert_eq!(now.models()[3], catalog.models()[3]);
        assert_eq!(available(&catalog, &[]), catalog);
    }
}
