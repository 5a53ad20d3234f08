//! Every answer against a schema: ours, and the published ones where `A2A_SCHEMAS` names a folder with them.

use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

fn documents() -> &'static [(PathBuf, Value)] {
    static DOCUMENTS: OnceLock<Vec<(PathBuf, Value)>> = OnceLock::new();
    DOCUMENTS.get_or_init(|| {
        let mut paths =
            vec![PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/a2a/answers.schema.json")];
        if let Some(folder) = std::env::var_os("A2A_SCHEMAS") {
            let found = std::fs::read_dir(folder)
                .unwrap()
                .map(|entry| entry.unwrap().path());
            paths.extend(found.filter(|path| path.extension().is_some_and(|extension| extension == "json")));
        }
        let read = |path: PathBuf| {
            let text = std::fs::read_to_string(&path).unwrap();
            (path, serde_json::from_str(&text).unwrap())
        };
        paths.into_iter().map(read).collect()
    })
}

type Validators = Vec<(PathBuf, jsonschema::Validator)>;

fn validators(definition: &str) -> Arc<Validators> {
    static MADE: OnceLock<Mutex<HashMap<String, Arc<Validators>>>> = OnceLock::new();
    let mut made = MADE
        .get_or_init(Mutex::default)
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let make = || {
        let validators = documents().iter().map(|(path, document)| {
            assert!(
                document["definitions"][definition].is_object(),
                "{}: {definition}",
                path.display()
            );
            let mut schema = document.clone();
            // Siblings of a reference are ignored in this draft, so the reference stands alone.
            schema["allOf"] = json!([{"$ref": format!("#/definitions/{definition}")}]);
            (path.clone(), jsonschema::draft7::new(&schema).unwrap())
        });
        Arc::new(validators.collect())
    };
    Arc::clone(made.entry(definition.to_owned()).or_insert_with(make))
}

/// Stops the test if a value does not fit.
#[track_caller]
pub(crate) fn check(definition: &str, value: &Value) {
    for (path, validator) in validators(definition).iter() {
        let faults: Vec<String> = validator
            .iter_errors(value)
            .map(|fault| format!("{}: {fault}", fault.instance_path()))
            .collect();
        assert!(
            faults.is_empty(),
            "{} {definition}: {faults:#?}\n{value:#}",
            path.display()
        );
    }
}
