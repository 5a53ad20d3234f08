//! What is kept of a task: history, records, times.

use super::*;
use crate::limits::{FINISHED_LIFE, MAX_HISTORY, MAX_HISTORY_BYTES, UNPAID_LIFE};
use crate::message::Context;
use crate::task::TaskRecord;

#[test]
fn history_is_what_was_said_before_now() {
    let heard = |text| message(text);
    let task = opened();
    assert_eq!(said_in(&task), ["user hello"]);
    let task = task
        .advance_on(
            &heard("one"),
            Step::AskInput {
                wanted: None,
                payment_unused: false,
                sold: Assortment::Everything,
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
    assert!(task.said().unwrap().parts[0] == Part::text("The payment was verified; the work has begun."));
    for filed in task.history() {
        assert_eq!(
            (filed.task_id, filed.context_id.as_ref()),
            (Some(task.id()), Some(task.context()))
        );
    }
    // The agent's messages have names of their own.
    let names: Vec<&str> = task
        .history()
        .iter()
        .chain(task.said())
        .map(|said| said.message_id.as_str())
        .collect();
    let agents: std::collections::BTreeSet<&str> = names.into_iter().filter(|name| *name != "m").collect();
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
    for _ in 0..MAX_HISTORY {
        task = task.advance_on(&message("short"), Step::Remind, at(1)).unwrap();
    }
    assert_eq!(task.history().len(), MAX_HISTORY);
    assert_eq!(task.heard() as usize, MAX_HISTORY + 1);
    let mut task = take(opened(), [ask()]);
    let large = Message {
        parts: vec![Part::text("x ".repeat(1000)); 7],
        ..message("")
    };
    for _ in 0..60 {
        task = task.advance_on(&large, Step::Remind, at(1)).unwrap();
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
        Task::open(TaskId::random(), ours.clone(), &named, at(0))
            .context()
            .as_str(),
        "talk-7"
    );
    assert_eq!(
        Task::open(TaskId::random(), ours.clone(), &message("hi"), at(0)).context(),
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
    let canceled = record.advance(Step::Cancel, at(20)).unwrap();
    assert_eq!(canceled.expires_at(), at(20).saturating_add(UNPAID_LIFE).unwrap());
}

#[test]
fn records_read_back_what_they_wrote() {
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
fn times_have_milliseconds() {
    let precise = Timestamp::from_nanosecond(1_800_000_000_123_456_789).unwrap();
    let task = opened().advance(ask(), precise).unwrap();
    assert_eq!(task.changed_at().to_string(), "2027-01-15T08:00:00.123Z");
}
