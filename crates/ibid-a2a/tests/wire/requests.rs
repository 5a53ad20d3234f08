//! Bodies that public clients sent, and what we make of them.

use ibid_a2a::{Call, Opening, RpcRequest, Submission, decide_new};

/// A body in a few words: the method, what it holds, whether it pays; or the code of the error.
fn read(body: &str) -> String {
    let request = RpcRequest::parse(body.as_bytes());
    assert_ne!(
        request.id.as_json(),
        "null",
        "every client numbers its calls: {body}"
    );
    let (method, incoming) = match request.call {
        Ok(Call::Send(incoming)) => ("send", incoming),
        Ok(Call::Stream(incoming)) => ("stream", incoming),
        Ok(Call::Get { .. }) => return "get".to_owned(),
        Ok(Call::Cancel(_)) => return "cancel".to_owned(),
        Ok(Call::Resubscribe { .. }) => return "resubscribe".to_owned(),
        Ok(Call::List(_)) => return "list".to_owned(),
        Ok(Call::Push(call)) => {
            return call.map_or_else(|error| error.code().to_string(), |call| format!("{call:?}"));
        }
        Err(error) => return error.code().to_string(),
    };
    let what = match (incoming.message.task_id, decide_new(&incoming)) {
        (Some(_), _) => "to a task".to_owned(),
        (None, Ok(Opening::Price { request, pays: _ })) => request.skill().to_string(),
        (None, Ok(Opening::AskInput { .. })) => "words".to_owned(),
        (None, Err(error)) => panic!("{error}: {body}"),
    };
    let pays = match incoming.submission {
        Submission::Silent => "",
        Submission::InMetadata(_) => ", pays",
        Submission::InHeader | Submission::Declined => panic!("{body}"),
    };
    format!("{method} {what}{pays}")
}

#[track_caller]
fn check(client: &str, expected: &[&str]) {
    let path = crate::fixtures().join("requests").join(format!("{client}.jsonl"));
    let bodies = std::fs::read_to_string(path).unwrap();
    assert_eq!(bodies.lines().map(read).collect::<Vec<_>>(), expected, "{client}");
}

#[test]
fn public_clients_are_understood() {
    let start = [
        "send words",
        "send scan",
        "stream to a task, pays",
        "get",
        "cancel",
    ];
    let with = |rest: &[&'static str]| [&start[..], rest].concat();
    check(
        "py_0_2_16",
        &with(&["-32001", "send audit, pays", "send words", "cancel"]),
    );
    check(
        "py_0_3_26",
        &with(&["-32001", "-32001", "send audit, pays", "send words", "cancel"]),
    );
    // An empty list of parts ends the recording.
    let js = with(&["-32001", "resubscribe", "send words", "cancel", "-32602"]);
    check("js_0_2_5", &js);
    check("js_0_3_14", &js);
    check("py_1_3_0", &["stream scan", "stream to a task, pays", "get"]);
}

/// Calls in the documentation are calls: in fenced JSON, and between the lines of shell examples.
#[test]
fn documented_calls_are_understood() {
    let path = crate::fixtures().join("../../../docs/A2A.md");
    let text = std::fs::read_to_string(path).unwrap();
    let task = ibid_model::TaskId::random().to_string();
    let text = text.replace("TASK", &task);
    let mut calls = Vec::new();
    for (opening, closing) in [("```json\n", "\n```"), ("<<'BODY'\n", "\nBODY")] {
        for block in text.split(opening).skip(1) {
            let (block, _) = block.split_once(closing).unwrap();
            if block.contains("\"method\"") {
                calls.push(read(block));
            }
        }
    }
    let expected = [
        "send to a task, pays",
        "get",
        "cancel",
        "send scan",
        "stream words",
        "send scan",
    ];
    assert_eq!(calls, expected);
}
