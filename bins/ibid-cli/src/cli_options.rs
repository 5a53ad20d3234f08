//! Puts the command line's words for those of the API: options in faults, names of models.

use ibid_model::contract::field::WORKSPACE;
use ibid_model::{Catalog, Faults};
use serde_json::{Map, Value};

/// Arguments of `ibid import` and columns of its log, where a field has another option.
pub(crate) const IMPORT: [(&str, &str); 4] = [
    ("domain", "--domain"),
    ("keyword", "--keyword"),
    ("models", "the models of the log"),
    ("questions", "the prompts of the log"),
];

/// Makes the body of a request. A member that is null was not given and is left out.
pub(crate) fn given<const N: usize>(members: [(&str, Value); N]) -> Map<String, Value> {
    let given = members.into_iter().filter(|(_, value)| !value.is_null());
    given.map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Formats the faults of a request, one a line, with the arguments that set its members: those in `names`, and the
/// options of the contract.
pub(crate) fn of_faults(faults: &Faults, names: &[(&str, &str)]) -> String {
    let lines: Vec<String> = faults
        .iter()
        .map(|fault| of_fault(names, &fault.field, &fault.message))
        .collect();
    lines.join("\nibid: ")
}

/// The argument that sets a member; `None` for an unknown member.
fn argument<'a>(names: &[(&'a str, &'a str)], member: &str) -> Option<&'a str> {
    let rows = WORKSPACE.iter().map(|field| (field.name, field.option));
    let mut rows = names.iter().copied().chain(rows);
    rows.find(|(known, _)| *known == member).map(|(_, name)| name)
}

fn of_fault(names: &[(&str, &str)], pointer: &str, message: &str) -> String {
    let mut parts = pointer.trim_start_matches('/').split('/');
    let member = parts.next().unwrap_or_default();
    let Some(option) = argument(names, member) else {
        return message.to_owned();
    };
    // A message begins with its member: "rings[0] must be ...".
    let rest = message.strip_prefix(member).unwrap_or(message);
    let Some(index) = parts.next() else {
        return format!("{option}: {}", plain(rest));
    };
    let rest = rest.strip_prefix(&format!("[{index}]")).unwrap_or(rest);
    // The request knows aliases; a person names models in other ways too.
    let rest = match rest.split_once(" is no known alias; ") {
        Some(_) => " is no known model: `ibid models` lists names and aliases",
        None => rest,
    };
    match index.parse::<usize>() {
        Ok(index) => format!("{option}, value {}: {}", index + 1, plain(rest)),
        Err(_) => format!("{option}: {}", plain(rest)),
    }
}

fn plain(text: &str) -> &str {
    text.trim_start_matches([':', ' '])
}

/// Returns a model's alias. The caller names the model by its alias, by its position, or by words from its name:
/// `claude`, `Gemini Pro`. A name that fits no model or several is returned unchanged, and the request then reports it.
pub(crate) fn alias(catalog: &Catalog, name: &str) -> String {
    let models = catalog.models();
    if models.iter().any(|model| model.alias.as_str() == name) {
        return name.to_owned();
    }
    let wanted = words(match name.to_lowercase().as_str() {
        "chatgpt" => "gpt",
        _ => name,
    });
    let mut fitting = models.iter().filter(|model| {
        let known = words(&model.name);
        !wanted.is_empty() && wanted.iter().all(|word| known.contains(word))
    });
    match (fitting.next(), fitting.next()) {
        (Some(model), None) => model.alias.to_string(),
        _ => name.to_owned(),
    }
}

fn words(text: &str) -> Vec<String> {
    text.split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_name_options() {
        for (pointer, message, expected) in [
            (
                "/rings/0",
                "rings[0] must be a number",
                "--rings, value 1: must be a number",
            ),
            (
                "/questionsPerModel",
                "questionsPerModel must be between 1 and 50",
                "--questions: must be between 1 and 50",
            ),
            (
                "/models/1",
                "models[1] is no known alias; known are model-1-latest",
                "--models, value 2: is no known model: `ibid models` lists names and aliases",
            ),
            ("", "the body is empty", "the body is empty"),
        ] {
            assert_eq!(of_fault(&[], pointer, message), expected);
        }
    }

    #[test]
    fn models_have_names_that_people_use() {
        let catalog = Catalog::builtin();
        for (name, expected) in [
            ("chatgpt", "model-1-latest"),
            ("Claude", "model-2-latest"),
            ("gemini pro", "model-3-latest"),
            ("perplexity", "model-4-latest"),
            ("grok", "model-5-latest"),
            ("model-6-latest", "model-6-latest"),
            ("latest", "latest"),
            ("pro", "pro"),
            ("", ""),
        ] {
            assert_eq!(alias(&catalog, name), expected, "{name}");
        }
    }
}
