//! Stored parts of a task: history, records, times.

use super::*;
use crate::limits::{FINISHED_LIFE, MAX_HISTORY_BYTES, MAX_TURNS, UNPAID_LIFE};
use crate::message::Context;
use crate::task::TaskRecord;

#[test]
fn history_has_the_earlier_messages() {
    let heard = |text| message(text);
    let task = opened();
    assert_eq!(said_in(&task), ["user hello"]);
    let task = task
        .advance_on(
            &heard("one"),
            TaskStep::AskInput {
                wanted: None,
                payment_unused: false,
                sold: Offering::EVERYTHING,
            },
            at(1),
        )
        .unwrap();
    let task = task.advance_on(&heard("two"), ask(), at(2)).unwrap();
    let task = task.advance(begin(1), at(3)).unwrap();
    let said = said_in(&task);
    let start: Vec<&str> = said.iter().map(|said| &said[..10]).collect();
    assert_eq!(
        start,
        [
            "user hello",
            "user one  ",
            "agent Name",
            "user two  ",
            "agent scan"
        ]
    );
    let begun = Part::text("The payment was verified; the work has begun.");
    assert_eq!(task.agent_message().unwrap().parts, AgentParts::of(&[begun]));
    // A message is shown with its task, so it does not repeat it.
    for filed in task.history() {
        assert_eq!((filed.task_id, filed.context_id.as_ref()), (None, None));
    }
    // The agent's messages have names of their own.
    let said = task.agent_message_id();
    let filed = task.history().iter().map(|filed| filed.message_id.as_str());
    let names = filed.chain([said.as_str()]).filter(|name| *name != "m");
    let agents: std::collections::BTreeSet<&str> = names.collect();
    assert_eq!(agents.len(), 3);
}

fn said_in(task: &Task) -> Vec<String> {
    let said = task.history().iter().map(|message| match &message.parts[0] {
        Part::Text { text, metadata: _ } => {
            let role = serde_json::to_value(message.role).unwrap();
            format!("{:<10}", format!("{} {text}", role.as_str().unwrap()))
        }
        Part::Data { data: _, metadata: _ } => panic!("{message:?}"),
    });
    said.collect()
}

#[test]
fn history_is_bounded_in_number_and_bytes() {
    let mut task = take(opened(), [ask()]);
    for _ in 0..MAX_TURNS {
        task = task
            .advance_on(&message("short"), TaskStep::Remind, at(1))
            .unwrap();
    }
    assert_eq!(task.history().len(), MAX_TURNS as usize);
    assert_eq!(task.heard(), MAX_TURNS + 1);
    let mut task = take(opened(), [ask()]);
    let large = Message {
        parts: vec![Part::text("x ".repeat(1000)); 7],
        ..message("")
    };
    for _ in 0..60 {
        task = task.advance_on(&large, TaskStep::Remind, at(1)).unwrap();
    }
    let kept = serde_json::to_vec(task.history()).unwrap().len();
    assert!(
        kept < MAX_HISTORY_BYTES + (16 << 10) && kept > MAX_HISTORY_BYTES / 2,
        "{kept}"
    );
}

#[test]
fn clients_may_name_the_conversation() {
    let named = Message {
        context_id: Some("talk-7".parse().unwrap()),
        ..message("hi")
    };
    let ours: Context = ContextId::random().into();
    assert_eq!(
        Task::open(TaskId::random(), ours.clone(), named, at(0))
            .context()
            .as_str(),
        "talk-7"
    );
    assert_eq!(
        Task::open(TaskId::random(), ours.clone(), message("hi"), at(0)).context(),
        &ours
    );
}

#[test]
fn records_count_revisions_and_expire() {
    let record = TaskRecord::first(take(opened(), [ask()]));
    let next = record.advance(begin(1), at(10)).unwrap();
    assert_eq!((record.revision(), next.revision()), (1, 2));
    assert_eq!(record.expires_at(), at(1).saturating_add(UNPAID_LIFE).unwrap());
    let late = at(0).saturating_add(FINISHED_LIFE * 2).unwrap();
    assert!(!record.is_expired(at(3600)) && record.is_expired(at(3601)));
    // Paid work stays until it has an end, however long that takes.
    assert!(!next.is_expired(late));
    let done = next.advance(complete(json!({})), at(20)).unwrap();
    assert_eq!(done.expires_at(), at(20).saturating_add(FINISHED_LIFE).unwrap());
    assert!(done.is_expired(late));
    let canceled = record.advance(TaskStep::Cancel, at(20)).unwrap();
    assert_eq!(canceled.expires_at(), at(20).saturating_add(UNPAID_LIFE).unwrap());
}

#[test]
fn a_record_equals_its_stored_form() {
    for (place, task) in places() {
        let record = TaskRecord::first(task);
        let json = record.to_json().unwrap();
        assert_eq!(TaskRecord::from_json(&json).unwrap(), record, "{place}");
        let newer = String::from_utf8(json)
            .unwrap()
            .replacen(r#""format":"1""#, r#""format":"2""#, 1);
        assert!(
            TaskRecord::from_json(newer.as_bytes()).is_err(),
            "{place}: a newer form is not guessed at"
        );
    }
}

#[test]
fn the_usual_message_is_not_stored() {
    for (place, task) in places() {
        let usual = task.offer().is_some_and(|offer| {
            let asked = text::ask_payment(offer.request().skill(), offer.price(), None);
            let said = task.agent_message().unwrap();
            said.parts == asked && said.metadata == Notice::Required.metadata(&[], false)
        });
        let json: Value = serde_json::from_slice(&TaskRecord::first(task).to_json().unwrap()).unwrap();
        assert_eq!(json["task"].get("said").is_none(), usual, "{place}");
    }
}

#[test]
fn times_have_milliseconds() {
    let precise = Timestamp::from_nanosecond(1_800_000_000_123_456_789).unwrap();
    let task = opened().advance(ask(), precise).unwrap();
    assert_eq!(task.changed_at().to_string(), "2027-01-15T08:00:00.123Z");
}

#[test]
fn records_of_older_programs_are_read() {
    let asked = Task::open(
        TaskId::from_bytes([1; 16]),
        ContextId::from_bytes([2; 16]).into(),
        message("hello"),
        at(0),
    );
    let record = TaskRecord::first(take(asked, [ask()]));
    let mut older = serde_json::to_value(&record).unwrap();
    // They wrote down when it ends and what is usually said.
    older["expiresAt"] = json!(record.expires_at());
    older["task"]["said"] = serde_json::to_value(record.task().agent_message()).unwrap();
    let names = json!({"taskId": record.task().id(), "contextId": record.task().context()});
    // They named the task in every message, and wrote down what is empty.
    let said = json!({"kind": "message", "messageId": record.task().agent_message_id(), "role": "agent"});
    for (place, more) in [
        ("/task/said", &said),
        ("/task/said", &names),
        ("/task/history/0", &names),
        ("/task", &json!({"receipts": [], "unsettled": false})),
    ] {
        let object = older.pointer_mut(place).unwrap().as_object_mut().unwrap();
        object.extend(more.as_object().unwrap().clone());
    }
    let read = TaskRecord::from_json(older.to_string().as_bytes()).unwrap();
    assert_eq!(read, record);
    // Answers name it as before.
    let shown = serde_json::to_value(TaskView {
        task: read.task(),
        history: HistoryLimit::All,
        document: None,
    });
    let shown = shown.unwrap();
    for message in [&shown["status"]["message"], &shown["history"][0]] {
        assert_eq!(message["taskId"], names["taskId"]);
        assert_eq!(message["contextId"], names["contextId"]);
    }
    assert_eq!(shown["status"]["message"]["messageId"], said["messageId"]);
}
