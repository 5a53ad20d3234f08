//! The wire format: every kind of answer, against schemas and pinned documents.

#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of a test may stop it")]

mod answers;
mod requests;
mod stream;

use answers::{Answer, answers};
use serde_json::{Value, json};
use std::path::PathBuf;

fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/a2a")
}

fn read(path: &std::path::Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Checks against one definition of a schema document.
struct Schema(Value);

impl Schema {
    fn ours() -> Self {
        Self(read(&fixtures().join("answers.schema.json")))
    }

    fn faults(&self, definition: &str, value: &Value) -> Vec<String> {
        let mut schema = self.0.clone();
        assert!(
            schema["definitions"][definition].is_object(),
            "no definition {definition}"
        );
        // Siblings of a reference are ignored in this draft, so the reference stands alone.
        schema["allOf"] = json!([{"$ref": format!("#/definitions/{definition}")}]);
        let validator = jsonschema::draft7::new(&schema).unwrap();
        validator
            .iter_errors(value)
            .map(|fault| format!("{}: {fault}", fault.instance_path()))
            .collect()
    }
}

#[test]
fn every_answer_has_the_shape_that_we_promise() {
    let schema = Schema::ours();
    for Answer {
        name,
        definition,
        value,
    } in answers()
    {
        assert_eq!(
            schema.faults(definition, &value),
            Vec::<String>::new(),
            "{name}: {value:#}"
        );
    }
}

/// The published schemas belong to others and are not kept here. `A2A_SCHEMAS` names a folder that holds `a2a.json`
/// of some releases under any names ending in `.json`; without it, only the schema of our own is checked.
#[test]
fn every_answer_fits_the_published_schemas() {
    let Some(folder) = std::env::var_os("A2A_SCHEMAS") else {
        return;
    };
    let mut checked = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let schema = Schema(read(&path));
        for Answer {
            name,
            definition,
            value,
        } in answers()
        {
            let faults = schema.faults(definition, &value);
            assert_eq!(
                faults,
                Vec::<String>::new(),
                "{}: {name}: {value:#}",
                path.display()
            );
        }
        checked += 1;
    }
    assert!(checked > 0, "A2A_SCHEMAS names a folder without schemas");
}

/// A schema that lets everything through proves nothing.
#[test]
fn the_schema_refuses_malformed_documents() {
    let schema = Schema::ours();
    let answers = answers();
    let find = |name: &str| answers.iter().find(|answer| answer.name == name).unwrap();
    #[track_caller]
    fn check(schema: &Schema, answer: &Answer, pointer: &str, wrong: Option<Value>) {
        let mut value = answer.value.clone();
        match wrong {
            Some(wrong) => *value.pointer_mut(pointer).unwrap() = wrong,
            None => {
                let (parent, member) = pointer.rsplit_once('/').unwrap();
                value
                    .pointer_mut(parent)
                    .unwrap()
                    .as_object_mut()
                    .unwrap()
                    .remove(member)
                    .unwrap();
            }
        }
        assert!(
            !schema.faults(answer.definition, &value).is_empty(),
            "{pointer} is not noticed: {value:#}"
        );
    }
    let paid = find("payment required");
    for pointer in [
        "/id",
        "/result/kind",
        "/result/contextId",
        "/result/status/timestamp",
        "/result/history/0/taskId",
    ] {
        check(&schema, paid, pointer, None);
    }
    check(
        &schema,
        paid,
        "/result/status/state",
        Some(json!("input_required")),
    );
    check(
        &schema,
        paid,
        "/result/status/timestamp",
        Some(json!("2027-01-15T08:00:00+01:00")),
    );
    check(&schema, paid, "/result/status/message/parts", Some(json!([])));
    check(
        &schema,
        paid,
        "/result/status/message/metadata/x402.payment.status",
        Some(json!("paid")),
    );
    check(
        &schema,
        paid,
        "/result/history/0/metadata",
        Some(json!({"x402.payment.payload": {}})),
    );
    check(&schema, paid, "/result/metadata", Some(Value::Null));
    check(
        &schema,
        find("completed"),
        "/result/artifacts/0/parts/0/data",
        Some(json!([])),
    );
    check(&schema, find("event: completed"), "/result/final", None);
    check(&schema, find("error: no id"), "/id", None);
    check(&schema, find("card"), "/skills/0/examples", Some(json!([])));
}

#[test]
fn answers_are_pinned() {
    for name in [
        "ask",
        "payment required",
        "payment refused",
        "working",
        "completed",
        "failed",
        "canceled",
        "card",
    ] {
        let answers = answers();
        let answer = answers.iter().find(|answer| answer.name == name).unwrap();
        insta::assert_snapshot!(
            name.replace(' ', "_"),
            serde_json::to_string_pretty(&answer.value).unwrap()
        );
    }
}
