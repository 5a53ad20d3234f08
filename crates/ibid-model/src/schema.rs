//! JSON Schemas of the newtypes: what they look like on the wire.

use crate::{
    AccountId, AlertId, AnnotationId, ApiKeyId, BatchId, BrandName, DeliveryId, Domain, Email, Keyword,
    Language, LocationText, ModelAlias, OwnQuestion, ProjectId, ReceiptId, Ring, RivalId, ScanId, ScheduleId,
    Score, Title, WebhookId, Website,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

macro_rules! schemas {
    ($($name:ident: $schema:tt;)*) => {$(
        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    )*};
}

schemas! {
    Domain: {"type": "string", "description": "Host name in ASCII form", "maxLength": 253};
    Keyword: {"type": "string", "minLength": 1, "maxLength": 200};
    LocationText: {"type": "string", "minLength": 1, "maxLength": 200};
    BrandName: {"type": "string", "minLength": 1, "maxLength": 100};
    Title: {"type": "string", "maxLength": 80};
    Email: {"type": "string", "format": "email"};
    Language: {"type": "string", "description": "BCP 47 tag", "maxLength": 35};
    ModelAlias: {"type": "string"};
    AccountId: {"type": "string", "format": "uuid"};
    AlertId: {"type": "string", "format": "uuid"};
    AnnotationId: {"type": "string", "format": "uuid"};
    ApiKeyId: {"type": "string", "format": "uuid"};
    BatchId: {"type": "string", "format": "uuid"};
    DeliveryId: {"type": "string", "format": "uuid"};
    ProjectId: {"type": "string", "format": "uuid"};
    ReceiptId: {"type": "string", "format": "uuid"};
    RivalId: {"type": "string", "format": "uuid"};
    ScanId: {"type": "string", "format": "uuid"};
    ScheduleId: {"type": "string", "format": "uuid"};
    WebhookId: {"type": "string", "format": "uuid"};
    Website: {"type": "string"};
    Ring: {"type": "integer", "minimum": 1, "maximum": 5};
    Score: {"type": "number", "minimum": 0, "maximum": 100};
}

impl JsonSchema for OwnQuestion {
    fn schema_name() -> Cow<'static, str> {
        "OwnQuestion".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let tag = || serde_json::json!({"type": "string", "maxLength": 60});
        json_schema!({
            "description": "A question in your own words: its text where that is all there is.",
            "anyOf": [{"type": "string", "maxLength": 300}, {
                "type": "object",
                "required": ["text"],
                "properties": {
                    "text": {"type": "string", "maxLength": 300, "description": "`{place}` becomes the place."},
                    "id": tag(),
                    "topic": tag(),
                    "intent": tag(),
                    "persona": {"type": "string", "maxLength": 200},
                    "place": {"type": "string", "maxLength": 200},
                    "language": {"type": "string", "description": "BCP 47 tag"},
                    "tags": {"type": "array", "items": tag()},
                },
            }],
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::ScanResult;
    use crate::result::Comparison;

    #[test]
    fn a_comparison_has_a_schema() {
        let schema = schemars::schema_for!(Comparison);
        let properties = schema.get("properties").unwrap();
        for name in ["verdict", "reasons", "overall", "radius"] {
            assert!(properties.get(name).is_some(), "{name}");
        }
        assert!(schema.as_value().to_string().contains("within_noise"));
    }

    #[test]
    fn the_result_has_a_schema_with_camel_case_members() {
        let schema = schemars::schema_for!(ScanResult);
        let properties = schema.get("properties").unwrap();
        for name in ["overallScore", "radius", "startedAt", "usage"] {
            assert!(properties.get(name).is_some(), "{name}");
        }
        assert_eq!(properties["startedAt"]["type"], "string");
    }
}
