//! Describes paid routes for catalogues that list them.

use serde_json::{Map, Value, json};

/// Description of a paid `POST` route for catalogues.
/// It is `outputSchema` in version 1 and the extension `bazaar` in version 2.
/// Schemas are JSON Schema 2020-12 and come from the route's types, so that they cannot drift.
#[derive(Clone, Debug)]
pub struct Discovery {
    body_schema: Value,
    body_example: Value,
    output_example: Value,
    streams: bool,
}

impl Discovery {
    /// Describes a route that takes and returns JSON.
    /// `body_schema` is the schema of the body (an object), `body_example` a body it admits,
    /// `output_example` a short answer.
    /// Keep all three small: the whole offer has to fit into a header.
    #[must_use]
    pub fn post_json(body_schema: Value, body_example: Value, output_example: Value) -> Self {
        Self {
            body_schema,
            body_example,
            output_example,
            streams: false,
        }
    }

    /// The same where the answer is a stream of server-sent events.
    #[must_use]
    pub fn streamed(mut self) -> Self {
        self.streams = true;
        self
    }

    /// The output for catalogues of version 2.
    fn output(&self) -> Value {
        match self.streams {
            true => json!({"type": "text", "format": "text/event-stream", "example": self.output_example}),
            false => json!({"type": "json", "example": self.output_example}),
        }
    }

    /// `outputSchema` of version 1.
    /// Informal: no client validates it.
    pub(crate) fn output_schema(&self) -> Value {
        let empty = Value::Object(Map::new());
        json!({
            "input": {
                "type": "http",
                "method": "POST",
                "discoverable": true,
                "bodyType": "json",
                "bodyFields": self.body_schema.get("properties").unwrap_or(&empty),
            },
            "output": self.output_example,
        })
    }

    /// Writes version 2's extension, with its name.
    /// Facilitators validate `info` by `schema`.
    pub(crate) fn extension(&self) -> (String, Value) {
        let extension = json!({
                "info": {
                    "input": {"type": "http", "method": "POST", "bodyType": "json", "body": self.body_example},
                    "output": self.output(),
                },
                "schema": {
                    "$schema": "https://json-schema.org/draft/2020-12/schema",
                    "type": "object",
                    "properties": {
                        "input": {
                            "type": "object",
                            "properties": {
                                "type": {"type": "string", "const": "http"},
                                "method": {"type": "string", "enum": ["POST"]},
                                "bodyType": {"type": "string", "enum": ["json"]},
                                "body": self.body_schema,
                            },
                            "required": ["type", "method", "bodyType", "body"],
                            "additionalProperties": false,
                        },
                        "output": {
                            "type": "object",
                            "properties": {"type": {"type": "string"}, "example": {"type": "object"}},
                            "required": ["type"],
                        },
                    },
                    "required": ["input"],
                },
        });
        ("bazaar".to_owned(), extension)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn discovery() -> Discovery {
        Discovery::post_json(
            json!({
                "type": "object",
                "properties": {"domain": {"type": "string"}, "keyword": {"type": "string"}},
                "required": ["domain", "keyword"],
            }),
            json!({"domain": "example.com", "keyword": "crm"}),
            json!({"scanId": "0", "status": "complete", "result": {}}),
        )
    }

    #[test]
    fn the_example_is_valid_by_the_schema() {
        let (_, bazaar) = discovery().extension();
        let validator = jsonschema::draft202012::new(&bazaar["schema"]).unwrap();
        assert!(validator.is_valid(&bazaar["info"]));
        let mut without_keyword = bazaar["info"].clone();
        without_keyword["input"]["body"]
            .as_object_mut()
            .unwrap()
            .remove("keyword");
        assert!(!validator.is_valid(&without_keyword));
        let mut other_method = bazaar["info"].clone();
        other_method["input"]["method"] = "GET".into();
        assert!(!validator.is_valid(&other_method));
    }

    #[test]
    fn version_1_lists_the_fields() {
        let schema = discovery().output_schema();
        assert_eq!(schema["input"]["bodyFields"]["domain"]["type"], "string");
        assert_eq!(schema["input"]["discoverable"], true);
    }
}
