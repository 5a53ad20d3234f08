use super::*;
use crate::error::Code;
use crate::limits::{MAX_BODY, MAX_ID, MAX_VALUES};
use proptest::prelude::*;
use serde_json::{Value, json};

const SEND: &str = r#""method":"message/send","params":{"message":{"role":"user","messageId":"m","parts":[{"kind":"text","text":"hi"}]}}"#;

/// Reads a body and compares the id that is answered and the code of the error, 0 for none.
#[track_caller]
fn check(body: &str, id: &str, code: i32) {
    let request = RpcRequest::parse(body.as_bytes());
    let found = request.call.as_ref().map_or_else(CallError::code, |_| 0);
    assert_eq!(
        (request.id.as_json(), found),
        (id, code),
        "{body}: {:?}",
        request.call
    );
}

#[test]
fn checks_run_in_the_documented_order() {
    // Not JSON, before everything.
    for body in [
        "",
        " ",
        "{",
        "{\"id\":1",
        "nul",
        "{\"id\":1}x",
        "\u{feff}{}",
        "{'id':1}",
        "{\"id\":01}",
    ] {
        check(body, "null", Code::Parse as i32);
    }
    check("[{\"jsonrpc\":", "null", Code::Parse as i32);
    // Not a request object.
    for body in [
        "[]",
        "null",
        "1",
        "\"x\"",
        "true",
        r#" [{"jsonrpc":"2.0","id":1,"method":"tasks/get"}]"#,
    ] {
        check(body, "null", Code::InvalidRequest as i32);
    }
    // The id, before version and method.
    for id in ["{}", "[]", "true", "false", "[1]"] {
        check(
            &format!(r#"{{"jsonrpc":"1.0","id":{id},"method":7}}"#),
            "null",
            Code::InvalidRequest as i32,
        );
    }
    // Version and method: the id is known by now.
    for body in [
        r#"{"id":1}"#,
        r#"{"jsonrpc":"1.0","id":1,"method":"nope"}"#,
        r#"{"jsonrpc":2.0,"id":1,"method":"nope"}"#,
        r#"{"jsonrpc":null,"id":1,"method":"nope"}"#,
        r#"{"jsonrpc":"2.0","id":1}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":null}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":["tasks/get"],"params":[]}"#,
    ] {
        check(body, "1", Code::InvalidRequest as i32);
    }
    // The name of the method, before the parameters.
    for method in [
        "nope",
        "",
        "SendMessage",
        "message/send ",
        "tasks/list",
        "rpc.discover",
    ] {
        check(
            &format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":[]}}"#),
            "1",
            Code::MethodNotFound as i32,
        );
    }
    // The parameters.
    for params in [
        "",
        r#","params":null"#,
        r#","params":[]"#,
        r#","params":"x""#,
        r#","params":{}"#,
    ] {
        for method in [
            "message/send",
            "message/stream",
            "tasks/get",
            "tasks/cancel",
            "tasks/resubscribe",
        ] {
            check(
                &format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}"{params}}}"#),
                "1",
                Code::InvalidParams as i32,
            );
        }
    }
    check(&format!(r#"{{"jsonrpc":"2.0","id":1,{SEND}}}"#), "1", 0);
}

#[test]
fn ids_come_back_as_written() {
    for id in [
        "0",
        "-1",
        "1.5",
        "1e3",
        "-0",
        "18446744073709551616",
        "\"\"",
        r#""a\u00e9\/""#,
        "\"null\"",
        "null",
    ] {
        check(&format!(r#"{{"jsonrpc":"2.0","id": {id} ,{SEND}}}"#), id, 0);
    }
    // Without an id there is an answer all the same.
    check(&format!("{{\"jsonrpc\":\"2.0\",{SEND}}}"), "null", 0);
    check(
        r#"{"jsonrpc":"2.0","method":"nope"}"#,
        "null",
        Code::MethodNotFound as i32,
    );
    let long = format!("\"{}\"", "x".repeat(MAX_ID));
    check(
        &format!(r#"{{"jsonrpc":"2.0","id":{long},{SEND}}}"#),
        "null",
        Code::InvalidRequest as i32,
    );
}

#[test]
fn members_may_be_unknown_escaped_and_anywhere_but_not_repeated() {
    check(
        &format!(r#"{{"x":{{"id":9}},{SEND},"id":1,"jsonrpc":"\u0032.0","y":[[]]}}"#),
        "1",
        0,
    );
    check(
        &format!(r#"{{"jsonrpc":"2.0","id":1,"id":2,{SEND}}}"#),
        "null",
        Code::InvalidRequest as i32,
    );
    check(
        &format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tasks/get",{SEND}}}"#),
        "null",
        Code::InvalidRequest as i32,
    );
    // Nor in the parameters, at any depth.
    for params in [
        r#"{"id":"1","id":"2"}"#,
        r#"{"message":{"parts":[{"data":{"a":1,"\u0061":2}}]}}"#,
    ] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{params}}}"#);
        check(&body, "1", Code::InvalidParams as i32);
    }
}

#[test]
fn bodies_are_bounded_in_size_and_depth() {
    let text = |bytes: usize| {
        let text = "x".repeat(bytes);
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"message/send","params":{{"message":{{"role":"user","messageId":"m","parts":[{{"kind":"text","text":"{text}"}}]}}}}}}"#
        )
    };
    check(&text(1 << 20), "1", 0);
    check(&text(5 << 18), "1", 0);
    check(&text(MAX_BODY), "null", Code::InvalidRequest as i32);
    let deep = |levels: usize| {
        let (open, close) = ("[".repeat(levels), "]".repeat(levels));
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{{"id":"x","metadata":{{"x":{open}{close}}}}}}}"#
        )
    };
    check(&deep(100), "1", Code::TaskNotFound as i32);
    check(&deep(200), "1", Code::InvalidParams as i32);
    check(&deep(1_000_000), "1", Code::InvalidParams as i32);
    check(&"[".repeat(1_000_000), "null", Code::Parse as i32);
    check(
        &format!(r#"{{"jsonrpc":"2.0","id":{}"#, "[".repeat(1_000_000)),
        "null",
        Code::Parse as i32,
    );
}

#[test]
fn values_are_bounded_before_they_are_made() {
    let body = |list: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{{"id":"x","metadata":{{"x":[{list}]}}}}}}"#
        )
    };
    check(&body(&["1"; 9_900].join(",")), "1", Code::TaskNotFound as i32);
    for list in [
        ["1"; 10_000].join(","),
        ["{}"; 10_000].join(" , "),
        "[],".repeat(5_000) + "[]",
        r#"{"a":1},"#.repeat(5_000) + "0",
    ] {
        check(&body(&list), "1", Code::InvalidParams as i32);
    }
    // Letters of strings are not values.
    check(
        &body(&format!("\"{}\"", r#",:[{\"\\"#.repeat(10_000))),
        "1",
        Code::TaskNotFound as i32,
    );
}

#[test]
fn unsupported_methods_return_their_error() {
    let card = r#"{"jsonrpc":"2.0","id":1,"method":"agent/getAuthenticatedExtendedCard"}"#;
    check(card, "1", Code::NoExtendedCard as i32);
}

#[test]
fn tasks_are_named_by_our_ids_only() {
    let id = ibid_model::TaskId::random().to_string();
    let get =
        |id: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{{"id":"{id}"}}}}"#);
    check(&get(&id), "1", 0);
    check(&get(&id.to_uppercase()), "1", 0);
    for other in [
        &*id.replace('-', ""),
        &format!("{{{id}}}"),
        &format!("urn:uuid:{id}"),
        "",
        "x",
        "../../etc",
    ] {
        check(&get(other), "1", Code::TaskNotFound as i32);
    }
    check(&get(&"x".repeat(100_000)), "1", Code::TaskNotFound as i32);
}

#[test]
fn history_length_is_a_whole_number() {
    let id = ibid_model::TaskId::random();
    let get = |length: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{{"id":"{id}","historyLength":{length}}}}}"#
        )
    };
    for length in [
        "0",
        "1",
        "2.0",
        "1e1",
        "2147483647",
        "18446744073709551615",
        "null",
    ] {
        check(&get(length), "1", 0);
    }
    for length in ["-1", "-1.0", "1.5", "1e300", "\"1\"", "true", "[]"] {
        check(&get(length), "1", Code::InvalidParams as i32);
    }
    // The parameters come before the task.
    let unknown = r#"{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"x","historyLength":-1}}"#;
    check(unknown, "1", Code::InvalidParams as i32);
}

#[test]
fn errors_of_streams_have_the_form_that_clients_expect() {
    #[track_caller]
    fn check(method: &str, params: &str, form: Form) {
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
        assert_eq!(RpcRequest::parse(body.as_bytes()).form(), form, "{body}");
    }
    let message = |task: &str| {
        format!(
            r#"{{"message":{{"role":"user","messageId":"m","parts":[{{"kind":"text","text":"hi"}}]{task}}}}}"#
        )
    };
    check("message/send", &message(""), Form::Json);
    check("message/stream", &message(""), Form::Stream);
    check("message/stream", &message(r#","taskId":"nope""#), Form::Stream);
    check("message/send", &message(r#","taskId":"nope""#), Form::Json);
    check("message/stream", "{}", Form::Json);
    check("tasks/resubscribe", r#"{"id":"nope"}"#, Form::Stream);
    check("tasks/resubscribe", r#"{"id":7}"#, Form::Json);
    check("tasks/get", r#"{"id":"nope"}"#, Form::Json);
}

/// The code of the envelope by a second, slow reading: everything is taken apart into values.
fn naive(body: &str) -> (String, i32) {
    let Ok(value) = serde_json::from_str::<Value>(body) else {
        return ("null".to_owned(), Code::Parse as i32);
    };
    let Some(members) = value.as_object() else {
        return ("null".to_owned(), Code::InvalidRequest as i32);
    };
    let id = members.get("id").cloned().unwrap_or_default();
    if !(id.is_null() || id.is_string() || id.is_number()) {
        return ("null".to_owned(), Code::InvalidRequest as i32);
    }
    let code = match (members.get("jsonrpc"), members.get("method")) {
        (Some(version), Some(Value::String(method))) if version == "2.0" => match method.as_str() {
            "tasks/cancel" => match members.get("params") {
                Some(Value::Object(params)) if params.get("id").is_some_and(Value::is_string) => {
                    Code::TaskNotFound as i32
                }
                _ => Code::InvalidParams as i32,
            },
            _ => Code::MethodNotFound as i32,
        },
        _ => Code::InvalidRequest as i32,
    };
    (id.to_string(), code)
}

fn count(value: &Value) -> usize {
    match value {
        Value::Array(elements) => 1 + elements.iter().map(count).sum::<usize>(),
        Value::Object(members) => 1 + members.values().map(count).sum::<usize>(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 1,
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e6..1e6).prop_map(|number: f64| json!(number)),
        prop_oneof!["2\\.0", "tasks/cancel", "x", "\\PC{0,8}"].prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(
                (prop_oneof!["id", "jsonrpc", "method", "params", "x"], inner),
                0..5
            )
            .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    /// Against the slow reading, on documents that are nearly requests.
    #[test]
    fn agrees_with_a_naive_reading(
        value in any_json(), version in any_json(), id in any_json(), params in any_json(), keep in 0_u8..16, cut in 0_usize..400,
    ) {
        let mut body = json!({"jsonrpc": "2.0", "id": id, "method": "tasks/cancel", "params": params});
        for (bit, name, other) in [(1, "jsonrpc", &version), (2, "method", &value), (4, "params", &value), (8, "id", &value)] {
            if keep & bit != 0 {
                body[name] = other.clone();
            }
        }
        for text in [body.to_string(), value.to_string()] {
            // Half of them are cut off somewhere.
            let text = if cut % 2 == 0 { &*text } else { &text[..text.floor_char_boundary(cut.min(text.len()))] };
            let request = RpcRequest::parse(text.as_bytes());
            let code = request.call.as_ref().map_or_else(CallError::code, |_| 0);
            prop_assert_eq!((request.id.as_json().to_owned(), code), naive(text), "{}", text);
        }
    }

    /// Against values that were made and counted.
    #[test]
    fn values_are_counted_well(value in any_json(), times in 1_usize..4000) {
        let value = Value::from(vec![value; times]);
        let text = value.to_string();
        let many = count(&value) > MAX_VALUES;
        // Names of members count as well, so objects may be refused a little earlier.
        prop_assert!(crate::read::has_too_many_values(&text) || !many);
        if text.bytes().all(|byte| byte != b'{') {
            prop_assert!(!crate::read::has_too_many_values(&text) || count(&value) * 2 > MAX_VALUES);
        }
    }

    #[test]
    fn no_bytes_panic(body in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = RpcRequest::parse(&body);
    }
}
