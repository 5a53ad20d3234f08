use super::*;
use crate::incoming::Incoming;
use crate::task::TaskDocument;
use crate::task_state::TaskState;
use crate::{HistoryLimit, TaskRecord, TaskView};
use ibid_model::{ContextId, TaskId};
use serde_json::{json, value::to_raw_value};

mod keeping;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).unwrap()
}

fn message(text: &str) -> Message {
    let params =
        json!({"message": {"role": "user", "messageId": "m", "parts": [{"kind": "text", "text": text}]}});
    Incoming::parse(params.as_object().unwrap().clone())
        .unwrap()
        .message
}

fn request(domain: &str) -> Request {
    Request::new(
        Skill::Scan,
        json!({"domain": domain, "keyword": "k"}).as_object().unwrap(),
    )
}

fn required(amount: &str) -> Required {
    Required::of(&json!({"x402Version": 1, "accepts": [{"maxAmountRequired": amount}]})).unwrap()
}

fn run(number: u8) -> ScanId {
    ScanId::from_bytes([number; 16])
}

fn opened() -> Task {
    Task::open(
        TaskId::random(),
        ContextId::random().into(),
        message("hello"),
        at(0),
    )
}

fn ask() -> TaskStep {
    TaskStep::AskPayment {
        request: request("a.example"),
        required: required("150000"),
    }
}

fn begin(number: u32) -> TaskStep {
    TaskStep::Begin {
        basis: Basis::Asked(AskNumber(number)),
        run: run(1),
    }
}

fn failure(receipt: Option<Value>) -> PaymentFailure {
    PaymentFailure {
        code: "EXPIRED_PAYMENT".to_owned(),
        detail: "it is too old".to_owned(),
        receipt,
    }
}

fn complete(receipt: Value) -> TaskStep {
    let document = TaskDocument::Inline(to_raw_value(&json!({"scanId": "s"})).unwrap());
    let output = TaskOutput {
        summary: "Cited by 2 of 3 models.".to_owned(),
        document,
    };
    TaskStep::Complete {
        run: run(1),
        output,
        settled: TaskSettlement::Receipt(receipt),
    }
}

fn take(task: Task, steps: impl IntoIterator<Item = TaskStep>) -> Task {
    steps
        .into_iter()
        .fold(task, |task, step| task.advance(step, at(1)).unwrap())
}

/// One task in each place that a task can be in.
fn places() -> Vec<(&'static str, Task)> {
    let ask_input = || TaskStep::AskInput {
        wanted: None,
        payment_unused: false,
        sold: Offering::EVERYTHING,
    };
    vec![
        ("submitted", opened()),
        ("awaiting input", take(opened(), [ask_input()])),
        ("awaiting payment", take(opened(), [ask()])),
        ("working", take(opened(), [ask(), begin(1)])),
        (
            "completed",
            take(opened(), [ask(), begin(1), complete(json!({"success": true}))]),
        ),
        (
            "failed",
            take(
                opened(),
                [
                    ask(),
                    begin(1),
                    TaskStep::Fail {
                        run: run(1),
                        detail: "x".to_owned(),
                    },
                ],
            ),
        ),
        ("canceled", take(opened(), [ask(), TaskStep::Cancel])),
    ]
}

/// The state after a step from each of the places above, in their order; `-` if the step is illegal.
#[track_caller]
fn check(step: &TaskStep, expected: [&str; 7]) {
    let found = places()
        .into_iter()
        .map(|(_, task)| match task.advance(step.clone(), at(2)) {
            Ok(task) => task.state().as_str(),
            Err(_) => "-",
        });
    assert_eq!(found.collect::<Vec<_>>(), expected, "{step:?}");
}

#[test]
fn every_step_from_every_place() {
    let (input, working) = ("input-required", "working");
    let direct = |domain| Basis::Direct {
        request: request(domain),
        required: required("150000"),
    };
    let refuse = |basis| TaskStep::RefusePayment {
        basis,
        failure: failure(None),
    };
    check(
        &TaskStep::AskInput {
            wanted: None,
            payment_unused: true,
            sold: Offering::EVERYTHING,
        },
        [input, input, "-", "-", "-", "-", "-"],
    );
    check(&ask(), [input, input, input, "-", "-", "-", "-"]);
    check(&TaskStep::Remind, ["-", "-", input, "-", "-", "-", "-"]);
    check(
        &refuse(Basis::Asked(AskNumber(1))),
        ["-", "-", input, "-", "-", "-", "-"],
    );
    check(
        &refuse(direct("a.example")),
        [input, input, input, "-", "-", "-", "-"],
    );
    check(&begin(1), ["-", "-", working, "-", "-", "-", "-"]);
    check(&begin(2), ["-", "-", "-", "-", "-", "-", "-"]);
    let begin_direct = |domain| TaskStep::Begin {
        basis: direct(domain),
        run: run(1),
    };
    check(
        &begin_direct("a.example"),
        [working, working, working, "-", "-", "-", "-"],
    );
    check(
        &begin_direct("b.example"),
        [working, working, "-", "-", "-", "-", "-"],
    );
    for (number, ours) in [(1, true), (2, false)] {
        let run = run(number);
        let from_working = |state| ["-", "-", "-", if ours { state } else { "-" }, "-", "-", "-"];
        check(&TaskStep::AwaitSettlement { run }, from_working(working));
        check(
            &TaskStep::RefuseSettlement {
                run,
                failure: failure(None),
            },
            from_working(input),
        );
        check(
            &TaskStep::Fail {
                run,
                detail: "x".to_owned(),
            },
            from_working("failed"),
        );
        check(&TaskStep::Interrupt { run }, from_working(input));
    }
    check(&complete(json!({})), ["-", "-", "-", "completed", "-", "-", "-"]);
    check(
        &TaskStep::Cancel,
        ["canceled", "canceled", "canceled", "-", "-", "-", "-"],
    );
    check(&TaskStep::Decline, ["-", "-", "canceled", "-", "-", "-", "-"]);
}

#[test]
fn illegal_steps_name_their_reason() {
    let asked = take(opened(), [ask()]);
    let swapped = Basis::Direct {
        request: request("b.example"),
        required: required("150000"),
    };
    let cheaper = Basis::Direct {
        request: request("a.example"),
        required: required("1"),
    };
    for (basis, why) in [
        (swapped, IllegalStep::Swapped),
        (cheaper, IllegalStep::Swapped),
        (Basis::Asked(AskNumber(0)), IllegalStep::OldOffer),
    ] {
        assert_eq!(
            asked
                .clone()
                .advance(TaskStep::Begin { basis, run: run(1) }, at(2)),
            Err(why)
        );
    }
    let working = take(asked, [begin(1)]);
    assert_eq!(
        working
            .clone()
            .advance(TaskStep::Interrupt { run: run(2) }, at(2)),
        Err(IllegalStep::OtherRun)
    );
    assert_eq!(
        working.advance(TaskStep::Cancel, at(2)),
        Err(IllegalStep::State(TaskState::Working))
    );
}

#[test]
fn an_offer_is_paid_only_as_it_stands() {
    let other = || TaskStep::AskPayment {
        request: request("b.example"),
        required: required("150000"),
    };
    let dearer = || TaskStep::AskPayment {
        request: request("a.example"),
        required: required("500000"),
    };
    // The same request again is the same offer, because a payment for it may be under way.
    let task = take(opened(), [ask(), ask(), TaskStep::Remind]);
    assert!(task.advance(begin(1), at(2)).is_ok());
    for change in [other(), dearer()] {
        let task = take(opened(), [ask(), change]);
        assert_eq!(task.offer().unwrap().number(), AskNumber(2));
        assert_eq!(task.clone().advance(begin(1), at(2)), Err(IllegalStep::OldOffer));
        assert!(task.advance(begin(2), at(2)).is_ok());
    }
    // There and back is a third offer, not the first.
    let task = take(opened(), [ask(), other(), ask()]);
    assert_eq!(task.advance(begin(1), at(2)), Err(IllegalStep::OldOffer));
    // After a failed settlement and after an interruption the same offer stands.
    for back in [
        TaskStep::Interrupt { run: run(1) },
        TaskStep::RefuseSettlement {
            run: run(1),
            failure: failure(None),
        },
    ] {
        let task = take(opened(), [ask(), begin(1), back]);
        assert_eq!(task.offer().unwrap().request(), &request("a.example"));
        assert!(task.advance(begin(1), at(2)).is_ok());
    }
}

#[test]
fn receipts_are_appended_and_listed() {
    let lost = json!({"success": false, "errorReason": "x"});
    let won = json!({"success": true, "transaction": "0x9e"});
    let task = take(
        opened(),
        [
            ask(),
            TaskStep::RefusePayment {
                basis: Basis::Asked(AskNumber(1)),
                failure: failure(Some(lost.clone())),
            },
            begin(1),
            TaskStep::RefuseSettlement {
                run: run(1),
                failure: failure(Some(lost.clone())),
            },
            TaskStep::Remind,
            begin(1),
            complete(won.clone()),
        ],
    );
    assert_eq!(task.receipts(), [lost.clone(), lost.clone(), won.clone()]);
    let metadata = &task.agent_message().unwrap().metadata;
    assert_eq!(metadata["x402.payment.status"], "payment-completed");
    assert_eq!(metadata["x402.payment.receipts"], json!([lost, lost, won]));
    assert_eq!(metadata.get("x402.payment.required"), None);
}

#[test]
fn a_task_awaits_its_settlement_once_the_work_is_done() {
    let task = take(opened(), vec![ask(), begin(1)]);
    assert!(!task.awaits_settlement());
    let task = take(task, vec![TaskStep::AwaitSettlement { run: run(1) }]);
    assert!(task.awaits_settlement());
    let record = TaskRecord::first(task.clone()).to_json().unwrap();
    assert!(TaskRecord::from_json(&record).unwrap().task().awaits_settlement());
    let done = take(task, vec![complete(json!({"success": true}))]);
    assert!(!done.awaits_settlement());
}

#[test]
fn records_of_an_older_program_are_read() {
    // It kept the offer a second time, in the message, and knew nothing of settlements that take their time.
    let task = take(opened(), vec![ask()]);
    let mut old = serde_json::to_value(TaskRecord::first(task.clone())).unwrap();
    let required = old["task"]["phase"]["awaitingPayment"]["offer"]["required"].clone();
    assert_eq!(required["x402Version"], 1);
    old["task"]["said"] = serde_json::to_value(task.agent_message()).unwrap();
    old["task"]["said"]["metadata"]["x402.payment.required"] = required;
    old["task"].as_object_mut().unwrap().remove("unsettled");
    let read = TaskRecord::from_json(old.to_string().as_bytes()).unwrap();
    let shown = |task: &Task| {
        serde_json::to_value(TaskView {
            task,
            history: HistoryLimit::All,
            document: None,
        })
        .unwrap()
    };
    assert_eq!(shown(read.task()), shown(&task));
    let heard = message("and now?");
    let next = |task: Task| task.advance_on(&heard, TaskStep::Remind, at(9)).unwrap();
    assert_eq!(shown(&next(read.task().clone())), shown(&next(task)));
}

/// The payment status in the agent's message after some steps.
#[track_caller]
fn check_notice(steps: Vec<TaskStep>, status: Option<&str>, members: &[&str]) {
    let task = take(opened(), steps);
    let view = serde_json::to_value(TaskView {
        task: &task,
        history: HistoryLimit::All,
        document: None,
    });
    let message = &view.unwrap()["status"]["message"];
    let metadata = message["metadata"].as_object().cloned().unwrap_or_default();
    assert_eq!(
        metadata.get("x402.payment.status").and_then(Value::as_str),
        status
    );
    let mut rest: Vec<&str> = metadata
        .keys()
        .map(String::as_str)
        .filter(|key| *key != "x402.payment.status")
        .collect();
    rest.retain(|key| !members.contains(key));
    assert_eq!(rest, Vec::<&str>::new());
    assert!(
        members.iter().all(|member| metadata.contains_key(*member)),
        "{metadata:?}"
    );
}

#[test]
fn messages_say_where_the_payment_stands() {
    let (required, error, receipts) = (
        "x402.payment.required",
        "x402.payment.error",
        "x402.payment.receipts",
    );
    let working = || vec![ask(), begin(1)];
    let then = |step| {
        let mut steps = working();
        steps.push(step);
        steps
    };
    let run = run(1);
    check_notice(
        vec![TaskStep::AskInput {
            wanted: None,
            payment_unused: false,
            sold: Offering::EVERYTHING,
        }],
        None,
        &[],
    );
    check_notice(vec![ask()], Some("payment-required"), &[required]);
    check_notice(
        vec![ask(), TaskStep::Remind],
        Some("payment-required"),
        &[required],
    );
    check_notice(working(), Some("payment-verified"), &[]);
    check_notice(
        then(TaskStep::AwaitSettlement { run }),
        Some("payment-verified"),
        &[],
    );
    check_notice(
        then(TaskStep::Interrupt { run }),
        Some("payment-required"),
        &[required],
    );
    check_notice(
        then(TaskStep::Fail {
            run,
            detail: "x".to_owned(),
        }),
        Some("payment-failed"),
        &[error, receipts],
    );
    check_notice(
        then(complete(json!({"success": true}))),
        Some("payment-completed"),
        &[receipts],
    );
    let refused = |receipt| TaskStep::RefuseSettlement {
        run,
        failure: failure(receipt),
    };
    check_notice(then(refused(None)), Some("payment-failed"), &[required, error]);
    check_notice(
        then(refused(Some(json!({})))),
        Some("payment-failed"),
        &[required, error, receipts],
    );
    for end in [TaskStep::Decline, TaskStep::Cancel] {
        check_notice(vec![ask(), end], Some("payment-rejected"), &[receipts]);
    }
    check_notice(vec![TaskStep::Cancel], None, &[]);
    let document = TaskDocument::Kept(run);
    let output = TaskOutput {
        summary: "s".to_owned(),
        document,
    };
    check_notice(
        then(TaskStep::Complete {
            run,
            output,
            settled: TaskSettlement::Proof,
        }),
        Some("payment-verified"),
        &[receipts],
    );
}

#[test]
fn every_final_message_has_the_receipts_and_names_what_failed() {
    let lost = json!({"success": false, "errorReason": "x"});
    let refused = || {
        let basis = Basis::Asked(AskNumber(1));
        let failure = failure(Some(lost.clone()));
        vec![ask(), TaskStep::RefusePayment { basis, failure }]
    };
    let fail = TaskStep::Fail {
        run: run(1),
        detail: "no model answered".to_owned(),
    };
    for (steps, status, error) in [
        (vec![begin(1), fail], "payment-failed", Some("WORK_FAILED")),
        (
            vec![begin(1), TaskStep::Spend { run: run(1) }],
            "payment-failed",
            Some("DUPLICATE_NONCE"),
        ),
        (
            vec![begin(1), TaskStep::Owe { run: run(1) }],
            "payment-required",
            None,
        ),
        (vec![TaskStep::Cancel], "payment-rejected", None),
        (vec![TaskStep::Decline], "payment-rejected", None),
        (
            vec![begin(1), TaskStep::Interrupt { run: run(1) }, TaskStep::Cancel],
            "payment-rejected",
            None,
        ),
    ] {
        let task = take(opened(), refused().into_iter().chain(steps));
        let metadata = &task.agent_message().unwrap().metadata;
        assert_eq!(metadata["x402.payment.status"], status);
        assert_eq!(metadata["x402.payment.receipts"], json!([lost]));
        assert_eq!(metadata.get("x402.payment.error").and_then(Value::as_str), error);
    }
}
