//! Attacks, and documents with an attack in every text that takes one.

use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;

/// A text that breaks out of texts, attributes, comments, scripts and lines, and reverses the direction of reading.
pub(crate) const ATTACK: &str = "\"'></a></td></svg></title><script>alert(1)</script><img src=x onerror=alert(2)><!-- javascript:alert(3) \
     \u{202e}\u{2066}\u{200f}\u{0}\u{1b}[31m\u{e0041}\u{2028} ${{7*7}} =cmd|' /C calc'!A0";

/// Puts the attack into every text of a document that can still be parsed with it, and returns their number.
pub(crate) fn poison<T: DeserializeOwned>(document: &mut Value) -> usize {
    let mut paths = BTreeMap::new();
    collect(document, &mut String::new(), &mut String::new(), &mut paths);
    let mut taken = 0;
    for (_, paths) in paths {
        // Texts of one kind are alike: if the first one can hold the attack, all can.
        let mut trial = document.clone();
        set(&mut trial, &paths[0]);
        if serde_json::from_value::<T>(trial).is_ok() {
            taken += paths.len();
            for path in paths {
                set(document, &path);
            }
        }
    }
    taken
}

/// Returns the kind of a text: its path without indexes.
fn collect(value: &Value, path: &mut String, kind: &mut String, paths: &mut BTreeMap<String, Vec<String>>) {
    let (path_end, kind_end) = (path.len(), kind.len());
    match value {
        Value::String(_) => paths.entry(kind.clone()).or_default().push(path.clone()),
        Value::Array(values) => {
            for (index, value) in values.iter().enumerate() {
                path.push_str(&format!("/{index}"));
                kind.push_str("/*");
                collect(value, path, kind, paths);
                path.truncate(path_end);
                kind.truncate(kind_end);
            }
        }
        Value::Object(members) => {
            for (name, value) in members {
                path.push_str(&format!("/{name}"));
                kind.push_str(&format!("/{name}"));
                collect(value, path, kind, paths);
                path.truncate(path_end);
                kind.truncate(kind_end);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn set(document: &mut Value, path: &str) {
    if let Some(place) = document.pointer_mut(path) {
        *place = Value::String(ATTACK.to_owned());
    }
}
