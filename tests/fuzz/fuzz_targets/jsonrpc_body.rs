//! Any bytes as the body of a JSON-RPC call: nothing panics, every answer is one JSON document that echoes the id,
//! every event is one line, every record reads back, and what is kept of a message is bounded.
#![no_main]

use ibid_a2a::{
    AnswerBody, Call, Decision, HistoryLimit, Incoming, Opening, Request, Required, RpcId, RpcRequest, TaskStep,
    Task, TaskRecord, TaskView, decide, decide_new,
};
use ibid_model::{ContextId, Skill, TaskId};
use jiff::Timestamp;
use libfuzzer_sys::fuzz_target;
use serde_json::json;
use serde_json::value::RawValue;

fuzz_target!(|bytes: &[u8]| {
    let request = RpcRequest::parse(bytes);
    match request.call {
        Ok(Call::Send(incoming) | Call::Stream(incoming)) => message(&request.id, &incoming),
        Ok(Call::Get { .. } | Call::Cancel(_) | Call::Resubscribe { .. } | Call::List(_) | Call::Push(_)) => {}
        Err(error) => check(&request.id, &AnswerBody::error(&error)),
    }
});

fn message(id: &RpcId, incoming: &Incoming) {
    let first = match decide_new(incoming) {
        Ok(Opening::AskInput {
            wanted,
            payment_unused,
        }) => TaskStep::AskInput {
            wanted,
            payment_unused,
            sold: ibid_model::Offering::EVERYTHING,
        },
        Ok(Opening::Price { request, pays: _ }) => TaskStep::AskPayment {
            request,
            required: required(),
        },
        Err(error) => return check(id, &AnswerBody::error(&error)),
    };
    let record = open(incoming, first);
    show(id, &record);
    // The same message as an answer to a task that waits for its payment.
    let known = json!({"domain": "example.com", "keyword": "k"});
    let request = Request::new(Skill::Scan, known.as_object().expect("an object"));
    let asked = open(
        incoming,
        TaskStep::AskPayment {
            request,
            required: required(),
        },
    );
    let step = match decide(&asked, incoming, Timestamp::UNIX_EPOCH) {
        Ok(Decision::Remind) => TaskStep::Remind,
        Ok(Decision::Decline) => TaskStep::Decline,
        Ok(Decision::Continue(Opening::Price { request, pays: _ })) => TaskStep::AskPayment {
            request,
            required: required(),
        },
        Ok(Decision::Continue(Opening::AskInput { .. })) => panic!("a request that stands is not forgotten"),
        Ok(Decision::Show | Decision::Join { .. } | Decision::Pay { .. }) => return,
        Err(error) => return check(id, &AnswerBody::error(&error)),
    };
    let next = asked
        .advance_on(&incoming.message, step, Timestamp::UNIX_EPOCH)
        .expect("what was decided is legal");
    show(id, &next);
}

fn required() -> Required {
    Required::of(&json!({"x402Version": 1})).expect("an offer can be written")
}

fn open(incoming: &Incoming, step: TaskStep) -> TaskRecord {
    let (id, context) = (TaskId::from_bytes([1; 16]), ContextId::from_bytes([2; 16]));
    let task = Task::open(id, context.into(), incoming.message.clone(), Timestamp::UNIX_EPOCH);
    TaskRecord::first(
        task.advance(step, Timestamp::UNIX_EPOCH)
            .expect("a first step is legal"),
    )
}

fn show(id: &RpcId, record: &TaskRecord) {
    let json = record.to_json().expect("records can be written");
    assert_eq!(
        &TaskRecord::from_json(&json).expect("records can be read"),
        record
    );
    let history = serde_json::to_vec(record.task().history()).expect("messages can be written");
    // Escapes may take six bytes for one.
    assert!(history.len() < 6 * (128 << 10), "{} bytes", history.len());
    let view = TaskView {
        task: record.task(),
        history: HistoryLimit::All,
        document: None,
    };
    check(id, &AnswerBody::result(&view));
}

fn check(id: &RpcId, body: &AnswerBody) {
    let document = body.document(id);
    let raw: &RawValue = serde_json::from_slice(&document).expect("an answer is JSON");
    assert!(
        raw.get()
            .starts_with(&format!(r#"{{"jsonrpc":"2.0","id":{},"#, id.as_json()))
    );
}
