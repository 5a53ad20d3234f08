//! Operations of the OpenAPI document.

use super::fields::{self, Field, Link};
use super::{example, inline, link_of, paragraphs, slug, text};
use crate::chart::Markup;
use serde_json::Value;

/// Operations of one tag.
pub(super) struct Group {
    pub(super) anchor: String,
    pub(super) name: String,
    pub(super) about: String,
    pub(super) operations: Vec<Operation>,
}

/// One method of one path.
pub(super) struct Operation {
    pub(super) anchor: String,
    pub(super) method: String,
    pub(super) method_class: &'static str,
    pub(super) path: String,
    pub(super) short_path: String,
    pub(super) summary: String,
    pub(super) description: Markup,
    pub(super) auth: String,
    pub(super) deprecated: bool,
    pub(super) parameters: Vec<Field>,
    pub(super) body: Vec<Field>,
    pub(super) body_link: Option<Link>,
    pub(super) responses: Vec<Answer>,
    pub(super) example: String,
}

/// One status an operation answers with.
pub(super) struct Answer {
    pub(super) status: String,
    pub(super) description: Markup,
    pub(super) link: Option<Link>,
    pub(super) media: String,
}

const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// Every operation, under its first tag; tags in the order of the document, others after them.
pub(super) fn groups(document: &Value, base_url: &str) -> Vec<Group> {
    let tags = document
        .get("tags")
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    let mut groups: Vec<Group> = tags
        .iter()
        .map(|tag| Group {
            anchor: slug("tag", &text(tag.get("name"))),
            name: text(tag.get("name")),
            about: text(tag.get("description")),
            operations: Vec::new(),
        })
        .collect();
    for (path, item) in document
        .get("paths")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        for method in METHODS {
            let Some(operation) = item.get(method).filter(|operation| operation.is_object()) else {
                continue;
            };
            let tag = operation
                .pointer("/tags/0")
                .and_then(Value::as_str)
                .unwrap_or("other");
            let read = read(document, base_url, path, method, operation);
            match groups.iter_mut().find(|group| group.name == tag) {
                Some(group) => group.operations.push(read),
                None => groups.push(Group {
                    anchor: slug("tag", tag),
                    name: tag.to_owned(),
                    about: String::new(),
                    operations: vec![read],
                }),
            }
        }
    }
    groups.retain(|group| !group.operations.is_empty());
    groups
}

fn read(document: &Value, base_url: &str, path: &str, method: &str, operation: &Value) -> Operation {
    let parameters = operation
        .get("parameters")
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    let body = operation
        .pointer("/requestBody/content")
        .and_then(Value::as_object);
    let body = body
        .and_then(|content| content.values().next())
        .and_then(|media| media.get("schema"));
    Operation {
        anchor: slug("op", &format!("{method} {path}")),
        method: method.to_uppercase(),
        method_class: if method == "get" { "get" } else { "post" },
        path: path.to_owned(),
        short_path: path.strip_prefix("/api").unwrap_or(path).to_owned(),
        summary: text(operation.get("summary")),
        description: paragraphs(&text(operation.get("description"))),
        auth: auth(operation),
        deprecated: operation
            .get("deprecated")
            .and_then(Value::as_bool)
            .unwrap_or(false),
        parameters: parameters.iter().filter_map(parameter).collect(),
        body: body
            .map(|schema| fields::of(resolve(document, schema)))
            .unwrap_or_default(),
        body_link: body.and_then(link_of),
        responses: responses(operation),
        example: example::curl(document, base_url, path, method, operation),
    }
}

/// The schema itself, or the named one that it refers to.
pub(super) fn resolve<'v>(document: &'v Value, schema: &'v Value) -> &'v Value {
    let named = schema
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|reference| reference.strip_prefix('#'));
    named
        .and_then(|pointer| document.pointer(pointer))
        .unwrap_or(schema)
}

fn auth(operation: &Value) -> String {
    let schemes = operation
        .get("security")
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    let names: Vec<&str> = schemes
        .iter()
        .filter_map(Value::as_object)
        .flat_map(|scheme| scheme.keys())
        .map(String::as_str)
        .collect();
    match names.as_slice() {
        [] => "No key needed.".to_owned(),
        ["bearer"] => "Needs the bearer key.".to_owned(),
        names => format!("Needs one of: {}.", names.join(", ")),
    }
}

fn parameter(parameter: &Value) -> Option<Field> {
    let name = parameter.get("name")?.as_str()?;
    let required = parameter
        .get("required")
        .and_then(Value::as_bool)
        .unwrap_or(false);
    let none = Value::Null;
    let mut field = fields::field(name, parameter.get("schema").unwrap_or(&none), required, 0);
    field.kind = format!("{}, in {}", field.kind, text(parameter.get("in")));
    field.description = inline(&text(parameter.get("description")));
    Some(field)
}

fn responses(operation: &Value) -> Vec<Answer> {
    let responses = operation.get("responses").and_then(Value::as_object);
    responses
        .into_iter()
        .flatten()
        .map(|(status, response)| {
            let content = response
                .get("content")
                .and_then(Value::as_object)
                .and_then(|content| content.iter().next());
            Answer {
                status: status.clone(),
                description: inline(&text(response.get("description"))),
                link: content.and_then(|(_, media)| link_of(media.get("schema")?)),
                media: content.map_or_else(String::new, |(media, _)| media.clone()),
            }
        })
        .collect()
}
