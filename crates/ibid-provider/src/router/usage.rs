//! Tokens, searches and money as routers report them.

use crate::completion::TokenUsage;
use crate::decimal::scaled;
use ibid_model::UsdMicros;
use serde_json::Value;

/// Reads a usage object.
/// Missing or odd members count as not reported.
pub(super) fn read(usage: &Value) -> TokenUsage {
    let tokens = |names: [&str; 2]| names.iter().find_map(|name| whole(&usage[*name])).unwrap_or(0);
    // The last one is LiteLLM's: https://docs.litellm.ai/docs/completion/web_search
    let searches = [
        "server_tool_use",
        "server_tool_use_details",
        "prompt_tokens_details",
    ]
    .iter()
    .find_map(|name| whole(&usage[*name]["web_search_requests"]))
    .or_else(|| whole(&usage["num_search_queries"]));
    TokenUsage {
        prompt_tokens: tokens(["prompt_tokens", "input_tokens"]),
        completion_tokens: tokens(["completion_tokens", "output_tokens"]),
        searches: searches.map(|n| u32::try_from(n).unwrap_or(u32::MAX)),
        cost: cost(usage),
    }
}

/// Returns the total cost of all parties.
/// With the caller's vendor key at the router, `cost` is only the router's fee.
/// The vendor's bill is a separate member.
fn cost(usage: &Value) -> Option<UsdMicros> {
    let cost = dollars(&usage["cost"]).or_else(|| dollars(&usage["cost"]["total_cost"]))?;
    let vendor = usage["is_byok"]
        .as_bool()
        .filter(|own_key| *own_key)
        .and_then(|_| dollars(&usage["cost_details"]["upstream_inference_cost"]));
    Some(cost + vendor.unwrap_or(UsdMicros::ZERO))
}

fn dollars(value: &Value) -> Option<UsdMicros> {
    let micros = match value {
        Value::Number(number) => scaled(&number.to_string(), 6),
        Value::String(text) => scaled(text, 6),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    };
    micros.map(UsdMicros::new)
}

fn whole(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => number.as_u64().or_else(|| scaled(&number.to_string(), 0)),
        Value::String(text) => scaled(text, 0),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(usage: Value, tokens: (u64, u64), searches: Option<u32>, cost: Option<u64>) {
        let expected = TokenUsage {
            prompt_tokens: tokens.0,
            completion_tokens: tokens.1,
            searches,
            cost: cost.map(UsdMicros::new),
        };
        assert_eq!(read(&usage), expected, "{usage}");
    }

    #[test]
    fn reads_reported_usage() {
        check(
            json!({"prompt_tokens": 120, "completion_tokens": 600, "cost": 0.0162,
                "server_tool_use": {"web_search_requests": 1}}),
            (120, 600),
            Some(1),
            Some(16_200),
        );
        check(
            json!({"prompt_tokens": "12", "completion_tokens": 3.0, "cost": "1.2e-05",
                "server_tool_use_details": {"web_search_requests": 2}}),
            (12, 3),
            Some(2),
            Some(12),
        );
        check(
            json!({"cost": 0.001, "is_byok": true, "cost_details": {"upstream_inference_cost": 0.02}}),
            (0, 0),
            None,
            Some(21_000),
        );
        check(
            json!({"cost": {"total_cost": 0.005}, "num_search_queries": 3}),
            (0, 0),
            Some(3),
            Some(5_000),
        );
        check(
            json!({"prompt_tokens": -1, "completion_tokens": null, "cost": -0.5}),
            (0, 0),
            None,
            None,
        );
        check(json!([1, 2]), (0, 0), None, None);
        check(Value::Null, (0, 0), None, None);
    }
}
