//! The API reference, rendered from the OpenAPI document.
//!
//! The document comes from this service but is read like an untrusted one: members may be missing or of another shape,
//! references may be circular, texts are escaped.

mod example;
mod fields;
mod operation;
mod quick_start;

use super::ModelChoice;
use crate::assets::File;
use crate::chart::Markup;
use crate::error::RenderError;
use crate::escape::html;
use crate::frame::{Frame, Shell, Tab, render};
use askama::Template;
use askama::filters::Safe;
use fields::{Field, Link};
use ibid_model::Offering;
use operation::Group;
use quick_start::Start;
use serde_json::Value;

#[derive(Clone, Copy, Debug)]
pub struct DocsPage<'a> {
    /// The OpenAPI 3.1 document.
    pub openapi: &'a Value,
    pub models: &'a [ModelChoice<'a>],
    /// The skills that agents can buy.
    pub sold: Offering,
    /// Chain of payments, such as `base-sepolia`; `None` if the server sells no results.
    pub network: Option<&'a str>,
}

struct Schema {
    anchor: String,
    name: String,
    kind: String,
    description: Markup,
    fields: Vec<Field>,
    values: Vec<NamedValue>,
}

struct NamedValue {
    label: String,
    value: Markup,
}

#[derive(Template)]
#[template(path = "docs.html")]
struct DocsTemplate<'a> {
    shell: Shell<'a>,
    page: &'a DocsPage<'a>,
    title: String,
    about: Markup,
    version: String,
    starts: Vec<Start>,
    groups: Vec<Group>,
}

#[derive(Template)]
#[template(path = "docs_schemas.html")]
struct SchemasTemplate<'a> {
    shell: Shell<'a>,
    schemas: Vec<Schema>,
}

/// Renders the API reference.
pub fn docs(frame: &Frame<'_>, page: &DocsPage<'_>) -> Result<String, RenderError> {
    let document = page.openapi;
    let info = document.get("info");
    let of_info = |name: &str| text(info.and_then(|info| info.get(name)));
    let about = [of_info("summary"), of_info("description")].join(" ");
    let template = DocsTemplate {
        shell: Shell::new(frame, "API reference", Tab::Docs)
            .indexed()
            .with(&[File::Docs]),
        page,
        title: "API reference".to_owned(),
        about: inline(about.trim()),
        version: of_info("version"),
        starts: quick_start::all(frame),
        groups: operation::groups(document, frame.base_url),
    };
    render("docs", &template)
}

/// Renders the schemas of the API on a separate page, so that both it and the reference stay small.
pub fn docs_schemas(frame: &Frame<'_>, openapi: &Value) -> Result<String, RenderError> {
    let template = SchemasTemplate {
        shell: Shell::new(frame, "Schemas of the API", Tab::Docs)
            .indexed()
            .with(&[File::Docs]),
        schemas: schemas(openapi),
    };
    render("docs_schemas", &template)
}

fn schemas(document: &Value) -> Vec<Schema> {
    let named = document.pointer("/components/schemas").and_then(Value::as_object);
    named
        .into_iter()
        .flatten()
        .map(|(name, schema)| {
            let values = values(schema);
            Schema {
                anchor: schema_anchor(name),
                name: name.clone(),
                kind: if values.is_empty() {
                    fields::kind(schema).0
                } else {
                    "one of".to_owned()
                },
                description: paragraphs(&text(schema.get("description"))),
                fields: fields::of(schema),
                values,
            }
        })
        .collect()
}

/// Lists the values of an enumeration, with what each means.
fn values(schema: &Value) -> Vec<NamedValue> {
    let word = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return values
            .iter()
            .map(|value| NamedValue {
                label: word(value),
                value: inline(""),
            })
            .collect();
    }
    let variants = schema
        .get("oneOf")
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    let named = variants.iter().filter_map(|variant| {
        let constant = variant.get("const").or_else(|| variant.pointer("/enum/0"))?;
        Some(NamedValue {
            label: word(constant),
            value: inline(&text(variant.get("description"))),
        })
    });
    named.collect()
}

/// A string member; empty for other values.
fn text(value: Option<&Value>) -> String {
    value.and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn schema_anchor(name: &str) -> String {
    slug("schema", name)
}

/// An id out of any text: letters, digits and dashes.
fn slug(prefix: &str, text: &str) -> String {
    let mut slug = prefix.to_owned();
    let mut gap = true;
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            if gap {
                slug.push('-');
            }
            gap = false;
            slug.push(c.to_ascii_lowercase());
        } else {
            gap = true;
        }
    }
    slug
}

/// The schema that a reference names, and its link.
fn link_of(schema: &Value) -> Option<Link> {
    let name = schema
        .get("$ref")?
        .as_str()?
        .strip_prefix("#/components/schemas/")?;
    Some(Link {
        href: format!("/docs/schemas#{}", schema_anchor(name)),
        name: name.to_owned(),
    })
}

/// Text with code between backticks, on one line.
pub(super) fn inline(text: &str) -> Markup {
    let mut out = String::with_capacity(text.len() + 16);
    let mut pieces = text.split('`').peekable();
    let mut code = false;
    while let Some(piece) = pieces.next() {
        // A backtick that is never closed is only a backtick.
        if code && pieces.peek().is_none() {
            out.push('`');
            out.push_str(&html(piece));
        } else if code {
            out.push_str("<code>");
            out.push_str(&html(piece));
            out.push_str("</code>");
        } else {
            out.push_str(&html(piece));
        }
        code = !code;
    }
    Safe(out)
}

/// Paragraphs between blank lines.
fn paragraphs(text: &str) -> Markup {
    let paragraphs = text
        .split("\n\n")
        .map(str::trim)
        .filter(|paragraph| !paragraph.is_empty());
    Safe(
        paragraphs
            .map(|paragraph| format!("<p>{}</p>", inline(paragraph).0))
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn backticks_make_code_and_nothing_else() {
        for (text, expected) in [
            ("a `b` c", "a <code>b</code> c"),
            ("`<b>`", "<code>&lt;b&gt;</code>"),
            ("open ` end", "open ` end"),
            ("", ""),
        ] {
            assert_eq!(inline(text).0, expected);
        }
        assert_eq!(paragraphs("a\n\nb <i>").0, "<p>a</p><p>b &lt;i&gt;</p>");
        assert_eq!(slug("op", "GET /api/v1/scan/{id}"), "op-get-api-v1-scan-id");
    }

    #[test]
    fn any_document_can_be_rendered() {
        let frame = Frame {
            base_url: "https://ibid.example",
            ..Frame::default()
        };
        let circle = json!({"$ref": "#/components/schemas/Loop"});
        let deep = (0..400).fold(
            json!({"type": "string"}),
            |inner, _| json!({"type": "array", "items": inner}),
        );
        for document in [
            json!(null),
            json!([]),
            json!({"info": 3, "paths": {"/x": 1, "/y": {"get": [], "post": {"responses": 3, "parameters": {}}}}}),
            json!({"paths": {"/\"><script>": {"get": {"summary": "<script>", "tags": ["\"><script>"], "operationId": 4,
                "parameters": [{"name": "<b>", "in": "<i>", "schema": circle}, circle, 3],
                "requestBody": {"content": {"application/json": {"schema": circle}}},
                "responses": {"<s>": {"description": "<u>", "content": {"<m>": {"schema": circle}}}}}}},
                "components": {"schemas": {"Loop": {"type": "object", "properties": {"again": circle, "more": {"allOf": [circle]}}}, "<x>": deep}}}),
        ] {
            let page = docs(
                &frame,
                &DocsPage {
                    openapi: &document,
                    models: &[],
                    sold: Offering::EVERYTHING,
                    network: Some("base-sepolia"),
                },
            )
            .unwrap();
            let page = page + &docs_schemas(&frame, &document).unwrap();
            for banned in ["<script>", "<b>", "<i>", "<s>", "<u>", "<m>", "<x>"] {
                assert!(!page.contains(banned), "{banned}");
            }
        }
    }
}
