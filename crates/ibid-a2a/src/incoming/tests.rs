use super::*;
use crate::error::{CallError, Code};
use crate::limits::MAX_CONTEXT;
use serde_json::json;

fn message(more: Value) -> Value {
    let mut message = json!({"role": "user", "messageId": "m", "parts": [{"kind": "text", "text": "hi"}]});
    for (name, value) in more.as_object().unwrap() {
        message[name] = value.clone();
    }
    json!({"message": message})
}

fn parse(params: &Value) -> Result<Incoming, CallError> {
    Incoming::parse(params.as_object().unwrap().clone())
}

/// The code of the error and the fields it names; 0 and nothing if the parameters are good.
#[track_caller]
fn check(params: Value, code: i32, fields: &[&str]) {
    let found = match parse(&params) {
        Ok(_) => (0, Vec::new()),
        Err(CallError::InvalidParams(bad)) => (
            Code::InvalidParams as i32,
            bad.faults.iter().map(|fault| fault.field.clone()).collect(),
        ),
        Err(other) => (other.code(), Vec::new()),
    };
    assert_eq!(
        found,
        (code, fields.iter().map(|field| (*field).to_owned()).collect()),
        "{params}"
    );
}

#[test]
fn messages_are_read_leniently() {
    for more in [
        json!({}),
        json!({"kind": "message"}),
        json!({"kind": null, "taskId": null, "contextId": null, "metadata": null, "extensions": null}),
        json!({"contextId": "context-1", "referenceTaskIds": ["t"], "extensions": ["https://e.example"]}),
        json!({"unknown": {"deep": [1]}, "messageId": ""}),
        json!({"parts": [{"kind": "data", "data": {}}, {"kind": "text", "text": "", "metadata": {"x": 1}, "type": "y"}]}),
    ] {
        check(message(more), 0, &[]);
    }
    for configuration in [
        json!({}),
        json!({"acceptedOutputModes": ["text", "image/png"], "blocking": false, "historyLength": 0}),
        json!({"acceptedOutputModes": null, "blocking": null, "pushNotificationConfig": null, "x": 1}),
    ] {
        let mut params = message(json!({}));
        params["configuration"] = configuration;
        check(params, 0, &[]);
    }
}

#[test]
fn malformed_members_of_a_message_are_refused_with_their_path() {
    let bad = Code::InvalidParams as i32;
    for (more, field) in [
        (json!({"kind": "task"}), "/message/kind"),
        (json!({"role": "agent"}), "/message/role"),
        (json!({"role": null}), "/message/role"),
        (json!({"messageId": null}), "/message/messageId"),
        (json!({"messageId": 7}), "/message/messageId"),
        (json!({"messageId": "x".repeat(300)}), "/message/messageId"),
        (json!({"parts": null}), "/message/parts"),
        (json!({"parts": []}), "/message/parts"),
        (json!({"parts": {}}), "/message/parts"),
        (
            json!({"parts": vec![json!({"kind": "text", "text": "x"}); 65]}),
            "/message/parts",
        ),
        (json!({"parts": ["hi"]}), "/message/parts/0"),
        (
            json!({"parts": [{"kind": "text", "text": "a"}, {"kind": "video"}]}),
            "/message/parts/1/kind",
        ),
        (
            json!({"parts": [{"type": "text", "text": "a"}]}),
            "/message/parts/0/kind",
        ),
        (json!({"parts": [{"kind": "text"}]}), "/message/parts/0/text"),
        (
            json!({"parts": [{"kind": "data", "data": [1]}]}),
            "/message/parts/0/data",
        ),
        (
            json!({"parts": [{"kind": "data", "data": {}, "metadata": []}]}),
            "/message/parts/0/metadata",
        ),
        (
            json!({"parts": [{"kind": "file", "file": {"url": "x"}}]}),
            "/message/parts/0/file",
        ),
        (
            json!({"parts": [{"kind": "file", "file": {"uri": "x", "bytes": "eA=="}}]}),
            "/message/parts/0/file",
        ),
        (json!({"contextId": ""}), "/message/contextId"),
        (
            json!({"contextId": "x".repeat(MAX_CONTEXT + 1)}),
            "/message/contextId",
        ),
        (json!({"contextId": "a\nb"}), "/message/contextId"),
        (json!({"taskId": 7}), "/message/taskId"),
        (json!({"referenceTaskIds": [7]}), "/message/referenceTaskIds/0"),
        (json!({"metadata": "x"}), "/message/metadata"),
        (
            json!({"metadata": {"x": "y".repeat(70_000)}}),
            "/message/metadata",
        ),
        (json!({"metadata": {"skillId": 7}}), "/message/metadata/skillId"),
    ] {
        check(message(more), bad, &[field]);
    }
    for (configuration, field) in [
        (json!([]), "/configuration"),
        (json!({"historyLength": -1}), "/configuration/historyLength"),
        (json!({"blocking": "yes"}), "/configuration/blocking"),
        (
            json!({"acceptedOutputModes": "text"}),
            "/configuration/acceptedOutputModes",
        ),
    ] {
        let mut params = message(json!({}));
        params["configuration"] = configuration;
        check(params, bad, &[field]);
    }
    check(json!({}), bad, &["/message"]);
    check(json!({"message": []}), bad, &["/message"]);
}

#[test]
fn faults_are_reported_up_to_a_limit() {
    let params = json!({"message": {"role": "robot", "parts": [{}]}, "configuration": {"historyLength": -1}});
    let fields = [
        "/configuration/historyLength",
        "/message/role",
        "/message/messageId",
        "/message/parts/0/kind",
    ];
    check(params, Code::InvalidParams as i32, &fields);
    let many = message(json!({"parts": vec![json!(1); 64]}));
    let Err(CallError::InvalidParams(bad)) = parse(&many) else {
        panic!("{many}")
    };
    assert_eq!(bad.faults.iter().count(), 16);
}

#[test]
fn errors_never_quote_the_caller() {
    let secret = "hunter2";
    for params in [
        message(json!({"role": secret})),
        message(json!({"kind": secret, "messageId": {secret: secret}, "parts": [{"kind": secret}]})),
        message(json!({"contextId": format!("{secret} {secret}"), "metadata": secret})),
        message(json!({"metadata": {"skillId": [secret]}})),
        message(json!({"metadata": {"x402.payment.payload": secret}})),
    ] {
        let error = parse(&params).unwrap_err();
        let told = serde_json::to_string(&jsonrpsee_types::ErrorObjectOwned::from(&error)).unwrap();
        assert!(
            !told.contains(secret) && !format!("{error:?}").contains(secret),
            "{told}"
        );
    }
}

#[test]
fn files_are_refused_after_malformed_members() {
    let file = json!({"kind": "file", "file": {"uri": "http://169.254.169.254/"}});
    check(
        message(json!({"parts": [file]})),
        Code::ContentTypeNotSupported as i32,
        &[],
    );
    check(
        message(json!({"parts": [file, {}]})),
        Code::InvalidParams as i32,
        &["/message/parts/1/kind"],
    );
    let mut push = message(json!({"parts": [file]}));
    push["configuration"] = json!({"pushNotificationConfig": {"token": "t"}});
    check(
        push,
        Code::InvalidParams as i32,
        &["/configuration/pushNotificationConfig/url"],
    );
    check(message(json!({"taskId": "nope"})), Code::TaskNotFound as i32, &[]);
    check(
        message(json!({"taskId": "nope", "role": "x"})),
        Code::InvalidParams as i32,
        &["/message/role"],
    );
}

#[test]
fn handling_has_defaults() {
    let how = |configuration: Value| {
        let mut params = message(json!({}));
        params["configuration"] = configuration;
        let incoming = parse(&params).unwrap();
        (incoming.blocking, incoming.history)
    };
    assert_eq!(how(Value::Null), (true, HistoryLimit::All));
    assert_eq!(
        how(json!({"blocking": true, "historyLength": 3})),
        (true, HistoryLimit::Newest(3))
    );
    assert_eq!(how(json!({"blocking": false})), (false, HistoryLimit::All));
}

#[test]
fn payments_are_taken_out() {
    let payload = json!({"x402Version": 1, "payload": {"signature": "0xfeed"}});
    let pays = |metadata: Value, beside: Value| {
        let mut params = message(json!({"metadata": metadata}));
        params["metadata"] = beside;
        parse(&params).map(|incoming| {
            assert!(!format!("{incoming:?}").contains("feed"), "{incoming:?}");
            assert!(!serde_json::to_string(&incoming.message).unwrap().contains("feed"));
            match incoming.submission {
                Submission::Silent => "silent",
                Submission::InMetadata(payment) => {
                    assert_eq!(*payment.expose(), payload);
                    "paid"
                }
                Submission::InHeader => "header",
                Submission::Declined => "declined",
            }
        })
    };
    let submitted = json!({"x402.payment.status": "payment-submitted", "x402.payment.payload": payload});
    assert_eq!(pays(submitted.clone(), Value::Null), Ok("paid"));
    assert_eq!(
        pays(json!({"x402.payment.payload": payload}), Value::Null),
        Ok("paid")
    );
    assert_eq!(pays(Value::Null, submitted.clone()), Ok("paid"));
    assert_eq!(
        pays(json!({"x402.payment.status": "payment-rejected"}), Value::Null),
        Ok("declined")
    );
    // Declining wins over a payment that is there all the same: no money moves by mistake.
    let torn = json!({"x402.payment.status": "payment-rejected", "x402.payment.payload": payload});
    assert_eq!(pays(torn, submitted), Ok("declined"));
    assert_eq!(
        pays(
            json!({"x402.payment.status": "payment-required"}),
            json!({"x": 1})
        ),
        Ok("silent")
    );
    for bad in [
        json!({"x402.payment.status": "payment-submitted"}),
        json!({"x402.payment.payload": "eyJ4"}),
        json!({"x402.payment.status": "payment-submitted", "x402.payment.payload": null}),
    ] {
        assert_eq!(
            pays(bad, Value::Null).map_err(|error| error.code()),
            Err(Code::InvalidParams as i32)
        );
    }
}

#[test]
fn one_message_has_one_payment() {
    let silent = parse(&message(json!({}))).unwrap().with_payment_header().unwrap();
    assert!(matches!(silent.submission, Submission::InHeader) && silent.submission.pays());
    for metadata in [
        json!({"x402.payment.payload": {}}),
        json!({"x402.payment.status": "payment-rejected"}),
    ] {
        let incoming = parse(&message(json!({"metadata": metadata}))).unwrap();
        assert_eq!(
            incoming
                .with_payment_header()
                .map(|_| ())
                .map_err(|error| error.code()),
            Err(Code::InvalidParams as i32)
        );
    }
}
