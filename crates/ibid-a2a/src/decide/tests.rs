use super::*;
use crate::error::Code;
use crate::payment::Required;
use crate::task::{Basis, Task, TaskDocument, TaskOutput, TaskSettlement, TaskStep};
use ibid_model::{ContextId, TaskId};
use serde_json::{Value, json};

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).unwrap()
}

fn run() -> ScanId {
    ScanId::from_bytes([7; 16])
}

fn incoming(message: Value) -> Incoming {
    let mut full = json!({"role": "user", "messageId": "m", "parts": [{"kind": "text", "text": "hello"}]});
    for (name, value) in message.as_object().unwrap() {
        full[name] = value.clone();
    }
    Incoming::parse(json!({"message": full}).as_object().unwrap().clone()).unwrap()
}

fn words(text: &str) -> Value {
    json!({"messageId": text, "parts": [{"kind": "text", "text": text}]})
}

fn scan(domain: &str) -> Value {
    json!({"messageId": domain, "parts": [{"kind": "data", "data": {"skill": "scan", "domain": domain, "keyword": "k"}}]})
}

fn paying(mut message: Value) -> Value {
    message["metadata"] =
        json!({"x402.payment.status": "payment-submitted", "x402.payment.payload": {"x": 1}});
    message
}

fn declining(mut message: Value) -> Value {
    message["metadata"] = json!({"x402.payment.status": "payment-rejected"});
    message
}

fn request(domain: &str) -> Request {
    Request::new(
        Skill::Scan,
        json!({"domain": domain, "keyword": "k"}).as_object().unwrap(),
    )
}

fn opened(first: Value, step: TaskStep) -> TaskRecord {
    let message = incoming(first).message;
    let task = Task::open(TaskId::random(), ContextId::random().into(), message, at(0));
    TaskRecord::first(task.advance(step, at(0)).unwrap())
}

fn asked() -> TaskRecord {
    let required = Required::of(&json!({"accepts": []})).unwrap();
    opened(
        scan("a.example"),
        TaskStep::AskPayment {
            request: request("a.example"),
            required,
        },
    )
}

fn waiting(wanted: Option<Skill>) -> TaskRecord {
    opened(
        words("first"),
        TaskStep::AskInput {
            wanted,
            payment_unused: false,
            sold: ibid_model::Offering::EVERYTHING,
        },
    )
}

fn working() -> TaskRecord {
    let asked = asked();
    let basis = Basis::Asked(asked.task().offer().unwrap().number());
    asked
        .advance(TaskStep::Begin { basis, run: run() }, at(1))
        .unwrap()
}

fn completed() -> TaskRecord {
    let output = TaskOutput {
        summary: "s".to_owned(),
        document: TaskDocument::Kept(run()),
    };
    working()
        .advance(
            TaskStep::Complete {
                run: run(),
                output,
                settled: TaskSettlement::Receipt(json!({})),
            },
            at(2),
        )
        .unwrap()
}

fn failed() -> TaskRecord {
    working()
        .advance(
            TaskStep::Fail {
                run: run(),
                detail: "x".to_owned(),
            },
            at(2),
        )
        .unwrap()
}

fn canceled() -> TaskRecord {
    asked().advance(TaskStep::Cancel, at(1)).unwrap()
}

/// The decision in a word, or the code of the error.
fn decided(record: &TaskRecord, message: Value) -> String {
    let word = |opening: Opening| match opening {
        Opening::AskInput {
            wanted,
            payment_unused,
        } => {
            format!(
                "ask {}{}",
                wanted.map_or("", Skill::as_str),
                if payment_unused { " unused" } else { "" }
            )
        }
        Opening::Price { request, pays } => {
            let domain = request
                .fields()
                .get("domain")
                .and_then(Value::as_str)
                .unwrap_or_default();
            format!(
                "price {} {domain}{}",
                request.skill(),
                if pays { " pays" } else { "" }
            )
        }
    };
    match decide(record, &incoming(message), at(10)) {
        Ok(Decision::Show) => "show".to_owned(),
        Ok(Decision::Join { run }) => {
            assert_eq!(run, self::run());
            "join".to_owned()
        }
        Ok(Decision::Remind) => "remind".to_owned(),
        Ok(Decision::Continue(opening)) => word(opening),
        Ok(Decision::Pay { offer }) => {
            assert_eq!(Some(offer), record.task().offer().map(crate::Offer::number));
            "pay".to_owned()
        }
        Ok(Decision::Decline) => "decline".to_owned(),
        Err(error) => error.code().to_string(),
    }
}

#[track_caller]
fn check(record: &TaskRecord, message: Value, expected: &str) {
    assert_eq!(
        decided(record, message.clone()),
        expected,
        "{} {message}",
        record.task().state()
    );
}

#[test]
fn a_task_that_waits_for_a_request() {
    let record = waiting(None);
    check(&record, words("please"), "ask ");
    check(&record, scan("a.example"), "price scan a.example");
    check(&record, paying(scan("a.example")), "price scan a.example pays");
    check(&record, paying(words("take this")), "ask  unused");
    check(&record, declining(words("no")), "ask ");
    let fields = json!({"parts": [{"kind": "data", "data": {"domain": "d", "location": "x"}}]});
    check(&record, fields.clone(), "ask ");
    check(&waiting(Some(Skill::Radius)), fields, "price radius d");
    check(&waiting(Some(Skill::Radius)), words("please"), "ask radius");
    check(
        &record,
        json!({"parts": [{"kind": "data", "data": {"skill": "nope"}}]}),
        "-32602",
    );
}

#[test]
fn a_task_that_waits_for_its_payment() {
    let record = asked();
    check(&record, words("how much?"), "remind");
    check(&record, paying(words("here")), "pay");
    check(&record, declining(words("no")), "decline");
    // The paying message may repeat the request, not change it.
    check(&record, paying(scan("a.example")), "pay");
    check(&record, paying(scan("b.example")), "-32602");
    check(
        &record,
        paying(
            json!({"metadata": {}, "parts": [{"kind": "data", "data": {"skill": "full", "domain": "a.example", "keyword": "k"}}]}),
        ),
        "-32602",
    );
    // Without payment it may.
    check(&record, scan("b.example"), "price scan b.example");
    // A header pays as well.
    let header = incoming(words("here")).with_payment_header().unwrap();
    assert!(matches!(
        decide(&record, &header, at(10)),
        Ok(Decision::Pay { .. })
    ));
}

#[test]
fn a_task_under_way_and_tasks_that_ended() {
    check(&working(), words("faster"), "-32004");
    check(&working(), scan("b.example"), "-32004");
    check(&working(), declining(words("stop")), "-32004");
    check(&working(), paying(words("again")), "join");
    check(&completed(), words("thanks"), "-32602");
    check(&completed(), paying(words("again")), "show");
    for record in [failed(), canceled()] {
        check(&record, words("again"), "-32602");
        check(&record, paying(words("again")), "-32602");
    }
}

#[test]
fn a_repeated_message_changes_nothing() {
    let first = scan("a.example");
    check(&asked(), first.clone(), "show");
    check(&working(), first.clone(), "join");
    for record in [completed(), failed(), canceled()] {
        check(&record, first.clone(), "show");
    }
    check(&waiting(None), words("first"), "show");
    // The same name for another message is another message.
    let mut renamed = words("how much?");
    renamed["messageId"] = json!("a.example");
    check(&asked(), renamed.clone(), "remind");
    check(&asked(), paying(renamed), "pay");
    // Long messages are recognised, too, although they are kept shortened.
    let long = words(&"long ".repeat(40));
    let mut huge = long.clone();
    huge["parts"][0]["text"] = json!("word ".repeat(100_000));
    let record = opened(
        huge.clone(),
        TaskStep::AskInput {
            wanted: None,
            payment_unused: false,
            sold: ibid_model::Offering::EVERYTHING,
        },
    );
    check(&record, huge, "show");
}

#[test]
fn conversations_are_not_mixed_up() {
    let record = asked();
    let with = |context: &str| {
        let mut message = words("here");
        message["contextId"] = json!(context);
        message
    };
    check(&record, with(record.task().context().as_str()), "remind");
    check(&record, with("other"), "-32602");
    check(&record, paying(with("other")), "-32602");
    check(&completed(), with("other"), "-32602");
}

#[test]
fn expired_tasks_are_gone() {
    let late = at(3601);
    let pay = incoming(paying(words("here")));
    assert_eq!(decide(&asked(), &pay, late), Err(CallError::TaskNotFound));
    assert_eq!(decide_cancel(&asked(), late), Err(CallError::TaskNotFound));
    assert_eq!(decide(&working(), &pay, late), Ok(Decision::Join { run: run() }));
}

#[test]
fn messages_are_limited_and_payments_are_not() {
    let mut record = asked();
    for turn in 1..MAX_TURNS {
        let message = incoming(words(&format!("turn {turn}"))).message;
        record = record.advance_on(&message, TaskStep::Remind, at(1)).unwrap();
    }
    check(&record, words("once more"), "-32004");
    check(&record, scan("b.example"), "-32004");
    check(&record, paying(words("here")), "pay");
    check(&record, declining(words("no")), "decline");
}

#[test]
fn tasks_are_canceled_before_they_are_paid_for() {
    let code = |record: &TaskRecord| decide_cancel(record, at(10)).map_err(|error| error.code());
    assert_eq!(code(&asked()), Ok(()));
    assert_eq!(code(&waiting(None)), Ok(()));
    for record in [working(), completed(), failed(), canceled()] {
        assert_eq!(code(&record), Err(Code::TaskNotCancelable as i32));
    }
}

#[test]
fn a_first_message() {
    let new = |message: Value| decide_new(&incoming(message)).map_err(|error| error.code());
    let price = |pays| {
        Ok(Opening::Price {
            request: request("a.example"),
            pays,
        })
    };
    assert_eq!(new(scan("a.example")), price(false));
    assert_eq!(new(paying(scan("a.example"))), price(true));
    assert_eq!(
        new(words("Hello from a kit!")),
        Ok(Opening::AskInput {
            wanted: None,
            payment_unused: false
        })
    );
    assert_eq!(
        new(paying(words("take this"))),
        Ok(Opening::AskInput {
            wanted: None,
            payment_unused: true
        })
    );
    assert_eq!(new(declining(words("no"))), Err(Code::InvalidParams as i32));
}
