//! From the bytes of a call to the bytes of its answer, without a store: parse, decide, take the step, write the
//! record, write the answer.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a benchmark that cannot be set up stops"
)]

use criterion::{Criterion, criterion_group, criterion_main};
use ibid_a2a::{
    AnswerBody, Basis, Call, Decision, Incoming, Opening, Required, RpcRequest, Seen, Task, TaskDocument,
    TaskOutput, TaskRecord, TaskSettlement, TaskStep, TaskView, decide, decide_new, updates,
};
use ibid_model::{ContextId, ScanId, TaskId};
use jiff::Timestamp;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::hint::black_box;

fn at() -> Timestamp {
    Timestamp::from_second(1_800_000_000).unwrap()
}

fn body(method: &str, params: &Value) -> Vec<u8> {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        .to_string()
        .into_bytes()
}

fn send(task: Option<TaskId>, part: &Value, metadata: &Value) -> Vec<u8> {
    let message = json!({"kind": "message", "role": "user", "messageId": "6f9619ff-8b86-d011-b42d-00cf4fc964ff",
        "parts": [part], "taskId": task, "metadata": metadata});
    body(
        "message/send",
        &json!({"message": message, "configuration": {"acceptedOutputModes": ["text"]}}),
    )
}

fn scan() -> Value {
    json!({"kind": "data", "data": {"skill": "scan", "domain": "example.com", "keyword": "crm software"}})
}

fn required() -> Required {
    Required::of(&json!({"x402Version": 1, "error": "payment_required", "accepts": [{"scheme": "exact", "network": "base-sepolia",
        "maxAmountRequired": "150000", "resource": "http://127.0.0.1:8080/api/a2a/jsonrpc#scan",
        "description": "AI citation scan", "mimeType": "application/json",
        "payTo": "0xa0Ee7A142d267C1f36714E4a8F75612F20a79720", "maxTimeoutSeconds": 600,
        "asset": "0x036CbD53842c5426634e7929541eC2318f3dCF7e", "extra": {"name": "USDC", "version": "2"}}]}))
    .unwrap()
}

fn incoming(call: Result<Call, ibid_a2a::CallError>) -> Incoming {
    match call {
        Ok(Call::Send(incoming)) => *incoming,
        other => panic!("{other:?}"),
    }
}

/// The answer to a first message, and the record that a store would get.
fn first(bytes: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let request = RpcRequest::parse(bytes);
    let incoming = incoming(request.call);
    let step = match decide_new(&incoming).unwrap() {
        Opening::AskInput {
            wanted,
            payment_unused,
        } => TaskStep::AskInput {
            wanted,
            payment_unused,
            sold: ibid_model::Offering::EVERYTHING,
        },
        Opening::Price { request, pays: _ } => TaskStep::AskPayment {
            request,
            required: required(),
        },
    };
    let task = Task::open(
        TaskId::from_bytes([7; 16]),
        ContextId::from_bytes([8; 16]).into(),
        incoming.message,
        at(),
    );
    let record = TaskRecord::first(task.advance(step, at()).unwrap());
    let view = TaskView {
        task: record.task(),
        history: incoming.history,
        document: None,
    };
    (
        AnswerBody::result(&view).document(&request.id),
        record.to_json().unwrap(),
    )
}

/// The answer to a message that pays, and the record: the task is `working`.
fn pay(bytes: &[u8], stored: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let request = RpcRequest::parse(bytes);
    let incoming = incoming(request.call);
    let record = TaskRecord::from_json(stored).unwrap();
    let Ok(Decision::Pay { offer }) = decide(&record, &incoming, at()) else {
        panic!("it pays")
    };
    let step = TaskStep::Begin {
        basis: Basis::Asked(offer),
        run: ScanId::from_bytes([9; 16]),
    };
    let record = record.advance_on(&incoming.message, step, at()).unwrap();
    let view = TaskView {
        task: record.task(),
        history: incoming.history,
        document: None,
    };
    (
        AnswerBody::result(&view).document(&request.id),
        record.to_json().unwrap(),
    )
}

/// The answer to `tasks/get`.
fn get(bytes: &[u8], stored: &[u8], document: Option<&RawValue>) -> Vec<u8> {
    let request = RpcRequest::parse(bytes);
    let Ok(Call::Get { task: _, history }) = request.call else {
        panic!("it gets")
    };
    let record = TaskRecord::from_json(stored).unwrap();
    let view = TaskView {
        task: record.task(),
        history,
        document,
    };
    AnswerBody::result(&view).document(&request.id)
}

fn calls(criterion: &mut Criterion) {
    let words = send(None, &json!({"kind": "text", "text": "Hello!"}), &Value::Null);
    let asks = send(None, &scan(), &Value::Null);
    let (_, asked) = first(&asks);
    let payload = json!({"x402Version": 1, "scheme": "exact", "network": "base-sepolia", "payload": {
        "signature": format!("0x{}", "5c".repeat(65)), "authorization": {"from": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
        "to": "0xa0Ee7A142d267C1f36714E4a8F75612F20a79720", "value": "150000", "validAfter": "0",
        "validBefore": "1900000000", "nonce": format!("0x{}", "11".repeat(32))}}});
    let metadata = json!({"x402.payment.status": "payment-submitted", "x402.payment.payload": payload});
    let task = TaskId::from_bytes([7; 16]);
    let pays = send(Some(task), &json!({"kind": "text", "text": "payment"}), &metadata);
    let (_, working) = pay(&pays, &asked);
    let run = ScanId::from_bytes([9; 16]);
    let output = TaskOutput {
        summary: "Cited by 2 of 3 models.".to_owned(),
        document: TaskDocument::Kept(run),
    };
    let settled =
        TaskSettlement::Receipt(json!({"success": true, "transaction": "0x9ec2", "network": "base-sepolia"}));
    let completed = TaskRecord::from_json(&working)
        .unwrap()
        .advance(TaskStep::Complete { run, output, settled }, at());
    let completed = completed.unwrap().to_json().unwrap();
    // 100 KiB, as a scan with a radius has.
    let document =
        json!({"scanId": run, "result": vec![json!({"class": "listed", "score": 41.5}); 3000]}).to_string();
    let document = RawValue::from_string(document).unwrap();
    let gets = body("tasks/get", &json!({"id": task}));
    let large = send(
        None,
        &json!({"kind": "text", "text": "x".repeat(1 << 20)}),
        &Value::Null,
    );

    let mut group = criterion.benchmark_group("a2a");
    group.bench_function("send: words, ask for input", |bencher| {
        bencher.iter(|| first(black_box(&words)))
    });
    group.bench_function("send: request, ask for payment", |bencher| {
        bencher.iter(|| first(black_box(&asks)))
    });
    group.bench_function("send: payment, begin", |bencher| {
        bencher.iter(|| pay(black_box(&pays), black_box(&asked)))
    });
    group.bench_function("send: 1 MiB of words", |bencher| {
        bencher.iter(|| first(black_box(&large)))
    });
    group.bench_function("get: waiting", |bencher| {
        bencher.iter(|| get(black_box(&gets), black_box(&asked), None))
    });
    group.bench_function("get: completed, 100 KiB", |bencher| {
        bencher.iter(|| get(black_box(&gets), black_box(&completed), Some(&document)));
    });
    group.bench_function("event: status to one of many watchers", |bencher| {
        let (record, id) = (
            TaskRecord::from_json(&working).unwrap(),
            RpcRequest::parse(&gets).id,
        );
        let update = updates(Seen::default(), record.task(), None).next().unwrap();
        let event = AnswerBody::result(&update);
        bencher.iter(|| black_box(&event).document(&id));
    });
    group.bench_function("refuse: unknown method", |bencher| {
        let bytes = body("tasks/list", &json!({}));
        bencher.iter(|| {
            let request = RpcRequest::parse(black_box(&bytes));
            AnswerBody::error(&request.call.unwrap_err()).document(&request.id)
        });
    });
    group.finish();
}

criterion_group!(benches, calls);
criterion_main!(benches);
