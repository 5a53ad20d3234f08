//! One answer of every kind, made the way a service makes them, with ids and times that do not change.

use ibid_a2a::{
    AgentCard, AnswerBody, Basis, Call, CallError, CardOptions, HistoryLimit, Incoming, Opening,
    PaymentFailure, Request, Required, RpcRequest, Task, TaskDocument, TaskOutput, TaskRecord,
    TaskSettlement, TaskState, TaskStep, TaskView, Update, decide_new, updates,
};
use ibid_model::{ContextId, FaultCode, Faults, Network, Offering, ProblemCode, ScanId, TaskId};
use jiff::Timestamp;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::time::Duration;

/// An answer and the definition of the schema that it must fit.
pub(crate) struct Answer {
    pub(crate) name: &'static str,
    pub(crate) definition: &'static str,
    pub(crate) value: Value,
}

pub(crate) fn at(second: i64) -> Timestamp {
    Timestamp::from_millisecond(1_800_000_000_250 + 1000 * second).unwrap()
}

pub(crate) fn run() -> ScanId {
    ScanId::from_bytes([0x5c; 16])
}

pub(crate) fn document() -> Box<RawValue> {
    // As a store may keep it: with line breaks.
    RawValue::from_string(
        "{\"scanId\":\"5c\",\n \"status\":\"complete\", \"result\":{\"overallScore\":41.5}}".to_owned(),
    )
    .unwrap()
}

pub(crate) fn incoming(message: Value) -> Incoming {
    let body =
        json!({"jsonrpc": "2.0", "id": "r-1", "method": "message/send", "params": {"message": message}});
    match RpcRequest::parse(body.to_string().as_bytes()).call {
        Ok(Call::Send(incoming)) => *incoming,
        other => panic!("{other:?}"),
    }
}

fn asks() -> Incoming {
    incoming(
        json!({"role": "user", "messageId": "m-1", "kind": "message", "extensions": [ibid_a2a::PAYMENT_EXTENSION],
        "metadata": {"caller": "test"}, "referenceTaskIds": ["earlier"],
        "parts": [{"kind": "text", "text": "please"}, {"kind": "data", "metadata": {"x": 1},
            "data": {"skill": "scan", "domain": "example.com", "keyword": "crm software"}}]}),
    )
}

fn request() -> Request {
    match decide_new(&asks()) {
        Ok(Opening::Price { request, pays: false }) => request,
        other => panic!("{other:?}"),
    }
}

fn required() -> Required {
    Required::of(&json!({"x402Version": 1, "error": "payment_required", "accepts": [{"scheme": "exact", "network": "base-sepolia",
        "maxAmountRequired": "150000", "resource": "http://127.0.0.1:8080/api/a2a/jsonrpc#scan",
        "description": "AI citation scan", "mimeType": "application/json",
        "payTo": "0xa0Ee7A142d267C1f36714E4a8F75612F20a79720", "maxTimeoutSeconds": 600,
        "asset": "0x036CbD53842c5426634e7929541eC2318f3dCF7e", "extra": {"name": "USDC", "version": "2"}}]}))
    .unwrap()
}

pub(crate) fn open(incoming: &Incoming, step: TaskStep) -> TaskRecord {
    let (id, context) = (TaskId::from_bytes([0x7a; 16]), ContextId::from_bytes([0xc0; 16]));
    let task = Task::open(id, context.into(), incoming.message.clone(), at(0));
    TaskRecord::first(task.advance(step, at(0)).unwrap())
}

pub(crate) fn asked() -> TaskRecord {
    open(
        &asks(),
        TaskStep::AskPayment {
            request: request(),
            required: required(),
        },
    )
}

fn basis() -> Basis {
    Basis::Asked(asked().task().offer().unwrap().number())
}

fn pays() -> Incoming {
    let payload = json!({"x402Version": 1, "payload": {"signature": "0xfeedface"}});
    incoming(
        json!({"role": "user", "messageId": "m-2", "parts": [{"kind": "text", "text": "here"}],
        "taskId": TaskId::from_bytes([0x7a; 16]),
        "metadata": {"x402.payment.status": "payment-submitted", "x402.payment.payload": payload}}),
    )
}

fn lost() -> Value {
    json!({"success": false, "errorReason": "insufficient_funds", "transaction": "", "network": "base-sepolia"})
}

fn won() -> Value {
    json!({"success": true, "transaction": "0x9ec2", "network": "base-sepolia",
        "payer": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"})
}

fn failure(receipt: Option<Value>) -> PaymentFailure {
    let detail = "the balance is too low".to_owned();
    PaymentFailure {
        code: "INSUFFICIENT_FUNDS".to_owned(),
        detail,
        receipt,
    }
}

pub(crate) fn working() -> TaskRecord {
    asked()
        .advance_on(
            &pays().message,
            TaskStep::Begin {
                basis: basis(),
                run: run(),
            },
            at(5),
        )
        .unwrap()
}

pub(crate) fn completed(document: TaskDocument) -> TaskRecord {
    let summary = "example.com is cited by 2 of 3 models; score 41.5.".to_owned();
    let output = TaskOutput { summary, document };
    let settled = TaskSettlement::Receipt(won());
    working()
        .advance(
            TaskStep::Complete {
                run: run(),
                output,
                settled,
            },
            at(30),
        )
        .unwrap()
}

pub(crate) fn options() -> CardOptions {
    CardOptions {
        notifies: true,
        endpoint: "https://ibid.example/api/a2a/jsonrpc".parse().unwrap(),
        http_base: "https://ibid.example/api/a2a/v1".parse().unwrap(),
        documentation: Some("https://ibid.example/docs".parse().unwrap()),
        version: "0.1.0".to_owned(),
        provider: Some(("Example".to_owned(), "https://ibid.example/".parse().unwrap())),
        sold: Offering::EVERYTHING,
        network: Network::BaseSepolia,
        sandbox: true,
    }
}

fn request_of(id: &str) -> RpcRequest {
    RpcRequest::parse(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"none"}}"#).as_bytes())
}

/// The document of an answer, read back.
fn sent(body: &AnswerBody) -> Value {
    serde_json::from_slice(&body.document(&request_of("\"r-1\"").id)).unwrap()
}

fn errors() -> Vec<CallError> {
    let mut faults = Faults::default();
    faults.push("/message/parts", FaultCode::Required, "parts is required");
    faults.push("", FaultCode::WrongType, "params must be an object");
    let parsed = [
        "{",
        "[]",
        "7",
        r#"{"jsonrpc":"1.0"}"#,
        r#"{"jsonrpc":"2.0"}"#,
        r#"{"id":{}}"#,
        r#"{"id":1,"id":2}"#,
        r#"{"jsonrpc":"2.0","method":"x"}"#,
    ];
    let parsed = parsed
        .into_iter()
        .map(|body| RpcRequest::parse(body.as_bytes()).call.unwrap_err());
    let large = RpcRequest::parse(&vec![b' '; ibid_a2a::limits::MAX_BODY + 1])
        .call
        .unwrap_err();
    let unavailable = |code, retry_after| CallError::Unavailable { code, retry_after };
    let rest = [
        large,
        faults.into(),
        CallError::Ended(TaskState::Completed),
        CallError::Version,
        CallError::TaskNotFound,
        CallError::NotCancelable(TaskState::Working),
        CallError::PushNotSupported,
        CallError::Unsupported("not while working"),
        CallError::ContentType,
        CallError::NoExtendedCard,
        CallError::Internal,
        unavailable(ProblemCode::Overloaded, Some(Duration::from_millis(1500))),
        unavailable(ProblemCode::RateLimited, Some(Duration::from_secs(60))),
        unavailable(ProblemCode::PaidSurfaceDisabled, None),
        unavailable(ProblemCode::FacilitatorUnavailable, None),
    ];
    parsed.chain(rest).collect()
}

pub(crate) fn answers() -> Vec<Answer> {
    let words =
        incoming(json!({"role": "user", "messageId": "m-1", "parts": [{"kind": "text", "text": "hello"}]}));
    let ask = |wanted| {
        open(
            &words,
            TaskStep::AskInput {
                wanted,
                payment_unused: false,
                sold: Offering::EVERYTHING,
            },
        )
    };
    let document = document();
    let step = |record: &TaskRecord, step| record.advance(step, at(9)).unwrap();
    let refuse = || TaskStep::RefusePayment {
        basis: basis(),
        failure: failure(Some(lost())),
    };
    let tasks = [
        ("ask", ask(None)),
        ("ask for one skill", ask(Some(ibid_model::Skill::Audit))),
        ("payment required", asked()),
        ("reminded", step(&asked(), TaskStep::Remind)),
        ("payment refused", step(&asked(), refuse())),
        ("working", working()),
        (
            "settlement unknown",
            step(&working(), TaskStep::AwaitSettlement { run: run() }),
        ),
        (
            "settlement refused",
            step(
                &working(),
                TaskStep::RefuseSettlement {
                    run: run(),
                    failure: failure(Some(lost())),
                },
            ),
        ),
        (
            "interrupted",
            step(&working(), TaskStep::Interrupt { run: run() }),
        ),
        ("completed", completed(TaskDocument::Inline(document.clone()))),
        ("completed, document kept", completed(TaskDocument::Kept(run()))),
        (
            "failed",
            step(
                &working(),
                TaskStep::Fail {
                    run: run(),
                    detail: "no model answered".to_owned(),
                },
            ),
        ),
        ("canceled", step(&asked(), TaskStep::Cancel)),
        ("declined", step(&asked(), TaskStep::Decline)),
    ];
    let mut answers = Vec::new();
    for (name, record) in &tasks {
        for history in [
            HistoryLimit::All,
            HistoryLimit::Newest(1),
            HistoryLimit::Newest(0),
        ] {
            let view = TaskView {
                task: record.task(),
                history,
                document: Some(&document),
            };
            for definition in ["SendMessageResponse", "GetTaskResponse", "CancelTaskResponse"] {
                answers.push(Answer {
                    name,
                    definition,
                    value: sent(&AnswerBody::result(&view)),
                });
            }
            let value = sent(&AnswerBody::result(&view));
            answers.push(Answer {
                name: "event: task",
                definition: "SendStreamingMessageResponse",
                value,
            });
        }
        for update in updates(Default::default(), record.task(), Some(&document)) {
            let name = match (&update, record.task().state()) {
                (Update::Status(_), TaskState::Completed) => "event: completed",
                _ => "event",
            };
            let value = sent(&AnswerBody::result(&update));
            answers.push(Answer {
                name,
                definition: "SendStreamingMessageResponse",
                value,
            });
        }
    }
    let without = TaskView {
        task: tasks[10].1.task(),
        history: HistoryLimit::All,
        document: None,
    };
    let value = sent(&AnswerBody::result(&without));
    answers.push(Answer {
        name: "completed, document gone",
        definition: "GetTaskResponse",
        value,
    });
    let progress = json!({"done": 12, "total": 99, "model": "model-1-latest"});
    let working = working();
    let update = Update::Progress {
        task: working.task(),
        progress: &progress,
        at: at(6),
    };
    let value = sent(&AnswerBody::result(&update));
    answers.push(Answer {
        name: "event: progress",
        definition: "SendStreamingMessageResponse",
        value,
    });
    for error in errors() {
        let body = AnswerBody::error(&error);
        let no_id = serde_json::from_slice(&body.document(&ibid_a2a::RpcId::NULL)).unwrap();
        for definition in [
            "SendMessageResponse",
            "GetTaskResponse",
            "CancelTaskResponse",
            "JSONRPCErrorResponse",
        ] {
            answers.push(Answer {
                name: "error",
                definition,
                value: sent(&body),
            });
        }
        answers.push(Answer {
            name: "error: no id",
            definition: "JSONRPCErrorResponse",
            value: no_id,
        });
        let value = sent(&body);
        answers.push(Answer {
            name: "event: error",
            definition: "SendStreamingMessageResponse",
            value,
        });
    }
    let value = serde_json::to_value(AgentCard::new(&options())).unwrap();
    answers.push(Answer {
        name: "card",
        definition: "AgentCard",
        value,
    });
    answers
}
