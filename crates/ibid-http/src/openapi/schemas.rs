//! The schemas: results from their types, requests and errors by hand, since they are parsed by hand.

use ibid_model::result::{AuditReport, Comparison, ScanResult};
use ibid_model::{
    Catalog, Count, KeywordsPerRing, LocationText, QueriesPerKeyword, QuestionsPerModel, Receipt, Ring,
};
use ibid_x402::SettleResponse;
use ibid_x402::v1::PaymentRequired;
use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

/// All named schemas.
pub(super) fn schemas(catalog: &Catalog) -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.definitions_path = "/components/schemas".into();
    settings.meta_schema = None;
    let mut generator = settings.into_generator();
    let result = generator.subschema_for::<ScanResult>();
    let mut schemas = Map::new();
    let reply = |cost: bool| {
        let mut properties = json!({
            "scanId": {"type": "string", "format": "uuid"},
            "status": {"type": "string", "const": "complete"},
            "result": result
        });
        let mut required = vec!["scanId", "status", "result"];
        if cost {
            properties["cost"] =
                json!({"type": "string", "description": "What the scan cost, in a sentence."});
            required.push("cost");
        }
        json!({"type": "object", "properties": properties, "required": required})
    };
    schemas.insert("ScanRequest".into(), scan_request(catalog));
    schemas.insert("ScanReply".into(), reply(true));
    schemas.insert("StoredScan".into(), reply(false));
    let bodies = paid_bodies(catalog);
    paid_schemas(&mut schemas, &mut generator, &result, bodies);
    // Its definition goes in with all the others below.
    generator.subschema_for::<Comparison>();
    schemas.insert("Models".into(), models());
    schemas.insert("WorkspacePlan".into(), super::app::plan_schema());
    schemas.insert("Problem".into(), problem());
    schemas.insert("Evidence".into(), evidence());
    schemas.extend(generator.take_definitions(false));
    Value::Object(schemas)
}

/// What the paid surface takes and gives.
fn paid_schemas(
    schemas: &mut Map<String, Value>,
    generator: &mut SchemaGenerator,
    result: &Schema,
    bodies: PaidBodies,
) {
    let (report, receipt) = (
        generator.subschema_for::<AuditReport>(),
        generator.subschema_for::<Receipt>(),
    );
    let (required, settled) = (
        generator.subschema_for::<PaymentRequired>(),
        generator.subschema_for::<SettleResponse>(),
    );
    let scan_id = json!({"type": "string", "format": "uuid"});
    let status = json!({"type": "string", "const": "complete"});
    for (name, schema) in [
        ("PaidScanRequest", bodies.scan),
        ("RadiusRequest", bodies.radius),
        ("AuditRequest", bodies.audit),
        ("FullRequest", bodies.full),
        ("ReceiptsRequest", bodies.receipts),
        ("PaymentRequired", json!(required)),
        ("Settlement", json!(settled)),
        (
            "AuditReply",
            json!({
                "type": "object",
                "required": ["auditId", "status", "result"],
                "properties": {"auditId": scan_id, "status": status, "result": report}
            }),
        ),
        (
            "FullReply",
            json!({
                "type": "object",
                "required": ["scanId", "status", "result", "audit"],
                "properties": {"scanId": scan_id, "status": status, "result": result, "audit": report}
            }),
        ),
        (
            "ReceiptPage",
            json!({
                "type": "object",
                "required": ["wallet", "receipts", "nextCursor"],
                "properties": {
                    "wallet": {"type": "string", "pattern": "^0x[0-9a-fA-F]{40}$"},
                    "receipts": {"type": "array", "items": receipt},
                    "nextCursor": {"type": ["string", "null"]}
                }
            }),
        ),
    ] {
        // A type that generated a definition of this name keeps it.
        if !schema
            .get("$ref")
            .and_then(Value::as_str)
            .is_some_and(|to| to.ends_with(&format!("/{name}")))
        {
            schemas.insert(name.to_owned(), schema);
        }
    }
}

/// What stands behind a result. A reading has whatever its version of the method had to say, so it is left open.
fn evidence() -> Value {
    let text = |about: &str| json!({"type": "string", "description": about});
    let maybe = |about: &str| json!({"type": ["string", "null"], "description": about});
    let answer = json!({
        "type": "object",
        "required": ["questionId", "model", "question", "citations"],
        "properties": {
            "questionId": text("The question, as in the result."),
            "model": text("The alias asked."),
            "resolvedModel": maybe("The concrete model that answered."),
            "ring": {"type": ["integer", "null"], "description": "The ring, for ring questions."},
            "market": maybe("The town, for ring questions."),
            "template": text("The intent of the question."),
            "language": text("BCP 47 tag of its language."),
            "question": text("The question."),
            "text": maybe("The answer; `null` when there was none."),
            "finish": maybe("How the answer ended; `null` in evidence of older versions."),
            "citations": {"type": "array", "description": "Sources that came beside the text.", "items": {
                "type": "object", "required": ["url"], "properties": {
                    "url": {"type": "string"}, "title": {"type": ["string", "null"]},
                    "span": {"type": ["array", "null"], "items": {"type": "integer"}}}}},
            "error": maybe("Why there was no answer."),
            "reading": {"type": ["object", "null"], "additionalProperties": true,
                "description": "What was read in it. Its shape follows the version of the method."}
        }
    });
    json!({
        "type": "object",
        "description": "Every question, answer and reading of a scan.",
        "required": ["scanId", "domain", "keyword", "method", "answers"],
        "properties": {
            "scanId": {"type": "string", "format": "uuid"},
            "domain": text("The domain that was looked for."),
            "keyword": text("The keyword."),
            "brandNames": {"type": "array", "items": {"type": "string"}, "description": "Names that the caller added."},
            "aliases": {"type": "array", "description": "Every name that was looked for, with its source.", "items": {
                "type": "object", "required": ["name", "source"],
                "properties": {"name": {"type": "string"}, "source": {"type": "string"}}}},
            "method": {"type": "object", "required": ["version"], "properties": {"version": {"type": "string"}}},
            "answers": {"type": "array", "items": answer}
        }
    })
}

fn scan_request(catalog: &Catalog) -> Value {
    fn count<const LO: u8, const HI: u8>(_: Option<Count<LO, HI>>, usual: u8, about: &str) -> Value {
        json!({"type": "integer", "minimum": LO, "maximum": HI, "default": usual, "description": about})
    }
    let aliases: Vec<_> = catalog
        .models()
        .iter()
        .map(|model| model.alias.as_str())
        .collect();
    let defaults: Vec<_> = catalog
        .defaults()
        .iter()
        .map(|model| model.alias.as_str())
        .collect();
    json!({
        "type": "object",
        "required": ["domain", "keyword"],
        "properties": {
            "domain": {"type": "string", "description": "Website domain to check. A pasted address is fine.", "examples": ["example.com"]},
            "keyword": {"type": "string", "minLength": 1, "maxLength": 200, "examples": ["plumber"]},
            "location": {"type": "string", "maxLength": LocationText::MAX_CHARS,
                "description": "City, country. Without it no ring is scanned.", "examples": ["Valencia, Spain"]},
            "tier": {"type": "string", "enum": ["byok"], "default": "byok"},
            "routerApiKey": {"type": "string", "deprecated": true, "writeOnly": true,
                "description": "Legacy transport of the provider key. Send the header X-Router-Key instead."},
            "models": {"type": "array", "minItems": 1, "items": {"type": "string", "examples": aliases}, "default": defaults},
            "rings": {"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": Ring::MAX}, "default": [1, 2],
                "description": "Rings around the place: 1 is up to 25 km, then 50, 100, 250, 500. Empty: core questions only."},
            "questionsPerModel": count(None::<QuestionsPerModel>, 3, "Core recommendation questions per model."),
            "keywordsPerRing": count(None::<KeywordsPerRing>, 5, "Keywords per selected market."),
            "queriesPerKeyword": count(None::<QueriesPerKeyword>, 1, "Prompt variations per keyword."),
            "brandNames": {"type": "array", "maxItems": 10, "items": {"type": "string", "maxLength": 100},
                "description": "Names under which answers may mention the domain."},
            "learnNames": {"type": "boolean", "default": false,
                "description": "Fetch the home page of the domain and look for the names it gives itself, too."},
            "language": {"type": "string", "description": "BCP 47 tag; default from the place.", "examples": ["es"]}
        }
    })
}

/// The bodies of paid routes.
pub(crate) struct PaidBodies {
    pub(crate) scan: Value,
    pub(crate) radius: Value,
    pub(crate) audit: Value,
    pub(crate) full: Value,
    pub(crate) receipts: Value,
}

/// The bodies of paid routes, without prose: they travel in headers. Defaults differ from those of v1.
pub(crate) fn paid_bodies(catalog: &Catalog) -> PaidBodies {
    let full = paid_request(catalog);
    let mut scan = json!({"type": "object", "required": full["required"], "properties": full["properties"]});
    if let Some(properties) = scan.get_mut("properties").and_then(Value::as_object_mut) {
        for property in properties.values_mut().filter_map(Value::as_object_mut) {
            property.retain(|name, _| name != "description" && name != "examples");
            if let Some(items) = property.get_mut("items").and_then(Value::as_object_mut) {
                items.remove("examples");
            }
        }
    }
    let mut radius = scan.clone();
    radius["required"] = json!(["domain", "keyword", "location"]);
    radius["properties"]["rings"]["default"] = json!([1, 2]);
    radius["properties"]["keywordsPerRing"]["default"] = json!(1);
    let audit = audit_request();
    let mut bundle = radius.clone();
    for name in ["url", "html"] {
        bundle["properties"][name] = json!({"type": "string"});
    }
    PaidBodies {
        scan,
        radius,
        audit,
        full: bundle,
        receipts: receipts_request(),
    }
}

/// The v1 fields without those of the caller's own key; core questions only, unless told otherwise.
fn paid_request(catalog: &Catalog) -> Value {
    let mut request = scan_request(catalog);
    if let Some(properties) = request["properties"].as_object_mut() {
        properties.retain(|name, _| name != "tier" && name != "routerApiKey");
    }
    request["properties"]["rings"]["default"] = json!([]);
    request
}

fn audit_request() -> Value {
    json!({
        "type": "object",
        "properties": {
            "url": {"type": "string", "format": "uri", "maxLength": 2048},
            "html": {"type": "string", "maxLength": 2_097_152}
        },
        "anyOf": [{"required": ["url"]}, {"required": ["html"]}]
    })
}

fn receipts_request() -> Value {
    json!({
        "type": "object",
        "properties": {
            "cursor": {"type": "string", "format": "uuid", "description": "`nextCursor` of the page before."},
            "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 100}
        }
    })
}

fn models() -> Value {
    json!({
        "type": "object",
        "required": ["byok"],
        "properties": {"byok": {"type": "array", "items": {
            "type": "object",
            "required": ["id", "name", "model", "costPerQuery"],
            "properties": {
                "id": {"type": "string", "description": "The alias, usable in `models`."},
                "name": {"type": "string"},
                "model": {"type": "string", "description": "Resolved model identifier at the provider."},
                "costPerQuery": {"type": "number", "description": "Estimated cost per question, in US dollars."}
            }
        }}}
    })
}

fn problem() -> Value {
    json!({
        "type": "object",
        "description": "An RFC 9457 problem document.",
        "required": ["type", "title", "status", "detail", "instance", "code", "requestId"],
        "properties": {
            "type": {"type": "string", "format": "uri-reference"},
            "title": {"type": "string"},
            "status": {"type": "integer"},
            "detail": {"type": "string"},
            "instance": {"type": "string"},
            "code": {"type": "string", "description": "Stable snake_case word."},
            "requestId": {"type": "string"},
            "errors": {"type": "array", "description": "With status 400: every fault of the request.", "items": {
                "type": "object",
                "required": ["field", "code", "message"],
                "properties": {
                    "field": {"type": "string", "description": "JSON pointer into the body, or a header name; empty for the request as a whole."},
                    "code": {"type": "string"},
                    "message": {"type": "string"}
                }
            }},
            "suggestions": {"type": "array", "items": {"type": "string"}, "description": "With `location_not_found`: up to five places that may have been meant."},
            "questions": {"type": "integer", "description": "With `plan_too_large`: questions that the scan would ask."},
            "mostQuestions": {"type": "integer", "description": "With `plan_too_large`: the ceiling."},
            "estimatedCostUsd": {"type": "number", "description": "With `plan_too_large` and `plan_too_expensive`: what the models would cost."},
            "mostCostUsd": {"type": "number", "description": "With `plan_too_expensive`: what they may cost."},
            "cause": {"type": "string", "description": "With `provider_unavailable`: why no question was answered."}
        }
    })
}
