//! The schemas: requests from the contract, results and replies from their types, and other envelopes from a file.

use super::refine;
use crate::app::plan::WorkspacePlan;
use crate::v1::models::Models;
use crate::v2::{InterimReadings, QueuedScanPage, Webhook, WebhookDeliveryPage, WebhookWithSecret};
use ibid_model::contract::ROUTES;
use ibid_model::contract::field::{
    byok_body, check_body, project_body, proposal_body, question_set_body, queued_body, workspace_body,
};
use ibid_model::contract::route::Schema as Body;
use ibid_model::contract::webhook::{webhook_body, webhook_edit_body};
use ibid_model::result::{
    AuditReport, Comparison, History, PlaceQuestion, PlaceSuggestion, QuestionsReport, ScanPlan, ScanResult,
};
use ibid_model::{Catalog, ProjectSettings, Receipt};
use ibid_service::{
    AlertKind, ImportedLine, NewsEvent, ProjectContents, ProjectMoves, ReceiptPage, RivalsReply,
    ScanEvidence, SourcesReply,
};
use ibid_x402::v1::PaymentRequired;
use schemars::generate::{Contract, SchemaSettings};
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

/// What no type describes: schemas, or an object's members as a table, where `?` marks those that may be left out.
const ENVELOPES: &str = include_str!("schemas.json");

/// Writes schemas that name others as parts of the document. A member that is always written is required in a reply.
pub(super) fn generator(contract: Contract) -> SchemaGenerator {
    let mut settings = SchemaSettings::draft2020_12();
    settings.contract = contract;
    settings.definitions_path = "/components/schemas".into();
    settings.meta_schema = None;
    settings.into_generator()
}

/// All named schemas.
pub(super) fn schemas(catalog: &Catalog) -> Value {
    let mut replies = generator(Contract::Serialize);
    replies.subschema_for::<Models<'_>>();
    replies.subschema_for::<WorkspacePlan>();
    replies.subschema_for::<PlaceSuggestion>();
    replies.subschema_for::<Webhook<'_>>();
    replies.subschema_for::<WebhookWithSecret<'_>>();
    replies.subschema_for::<WebhookDeliveryPage<'_>>();
    replies.subschema_for::<QueuedScanPage<'_>>();
    replies.subschema_for::<InterimReadings<'_>>();
    replies.subschema_for::<ReceiptPage>();
    replies.subschema_for::<RivalsReply<'_>>();
    replies.subschema_for::<SourcesReply<'_>>();
    replies.subschema_for::<ProjectMoves>();
    replies.subschema_for::<ProjectContents>();
    replies.subschema_for::<ImportedLine>();
    let mut generator = generator(Contract::Deserialize);
    generator.subschema_for::<ScanResult>();
    generator.subschema_for::<ScanEvidence>();
    generator.subschema_for::<ScanPlan>();
    generator.subschema_for::<PlaceQuestion>();
    generator.subschema_for::<AuditReport>();
    generator.subschema_for::<Comparison>();
    generator.subschema_for::<History>();
    generator.subschema_for::<QuestionsReport>();
    generator.subschema_for::<Receipt>();
    generator.subschema_for::<PaymentRequired>();
    generator.root_schema_for::<NewsEvent>();
    let mut schemas: Map<String, Value> = serde_json::from_str(ENVELOPES).unwrap_or_default();
    add_lists(&mut schemas);
    schemas.values_mut().for_each(write_out);
    schemas.extend(replies.take_definitions(false));
    for name in ["Destination", "DestinationRequest"] {
        schemas[name]["properties"]["alerts"]["items"]["enum"] = json!(AlertKind::ALL.map(|kind| kind.name));
    }
    add_bases(&mut schemas);
    let settings = generator.root_schema_for::<ProjectSettings>();
    schemas.extend(generator.take_definitions(false));
    add_settings(&mut schemas, &settings);
    schemas.values_mut().for_each(refine::plain);
    add_queued_results(&mut schemas);
    let mut take = |name: &str, mut schema: Value| {
        refine::request(&mut schema);
        schemas.insert(name.to_owned(), schema);
    };
    take("ScanRequest", byok_body(catalog));
    take("QueuedScanRequest", queued_body(catalog));
    take("WorkspaceScanRequest", workspace_body(catalog));
    take("ProjectScanRequest", project_body(catalog));
    take("QuestionSetRequest", question_set_body(catalog));
    take("QuestionCheckRequest", check_body(catalog));
    take("ProposalRequest", proposal_body(catalog));
    take("WebhookRequest", webhook_body(catalog));
    take("WebhookEdit", webhook_edit_body(catalog));
    for route in ROUTES.iter().copied() {
        if let (Some(skill), Some(Body::Named(name))) = (route.skill, route.body) {
            take(name, skill.row().body_schema(catalog));
        }
    }
    Value::Object(schemas)
}

/// Writes a table of members, each an object, as an object's schema.
fn write_out(schema: &mut Value) {
    let members = schema.as_object_mut();
    let is_member = |(name, member): (&String, &Value)| member.is_object() || name == "description";
    let Some(members) = members.filter(|members| members.iter().all(is_member)) else {
        return;
    };
    let required = members
        .iter()
        .filter(|(name, member)| member.is_object() && !name.ends_with('?'));
    let required: Value = required.map(|(name, _)| name.as_str()).collect();
    let mut object = json!({"type": "object", "properties": {}, "required": required});
    for (name, member) in std::mem::take(members) {
        match member.is_object() {
            true => object["properties"][name.trim_end_matches('?')] = member,
            false => object[name] = member,
        }
    }
    *schema = object;
}

/// Adds the lists: a name, its member, and what is listed.
fn add_lists(schemas: &mut Map<String, Value>) {
    for (name, member, listed) in [
        ("ActionList", "actions", "Action"),
        ("AlertList", "alerts", "Alert"),
        ("AnnotationList", "annotations", "Annotation"),
        ("DestinationList", "destinations", "Destination"),
        ("PersonList", "people", "Person"),
        ("ProjectKeyList", "keys", "ProjectKey"),
        ("ProjectList", "projects", "Project"),
        ("QuestionSetList", "questionSets", "QuestionSetSummary"),
        ("ScheduleList", "schedules", "Schedule"),
        ("WebhookList", "webhooks", "Webhook"),
    ] {
        let items = json!({"$ref": format!("#/components/schemas/{listed}")});
        let list = json!({member: {"type": "array", "items": items}});
        schemas.insert(name.to_owned(), list);
    }
}

/// Adds the members that a longer form shares with a shorter one.
fn add_bases(schemas: &mut Map<String, Value>) {
    for (name, base) in [
        ("QuestionSet", "QuestionSetSummary"),
        ("QueuedScan", "QueuedScanSummary"),
        ("ScanReply", "StoredScan"),
    ] {
        let (mut whole, longer) = (schemas[base].clone(), schemas[name].clone());
        for (member, schema) in longer["properties"].as_object().into_iter().flatten() {
            whole["properties"][member] = schema.clone();
        }
        let required = [&whole, &longer].map(|part| part["required"].as_array());
        whole["required"] = required.into_iter().flatten().flatten().cloned().collect();
        schemas[name] = whole;
    }
}

/// Adds the settings to a project and to what changes it.
fn add_settings(schemas: &mut Map<String, Value>, settings: &Schema) {
    let settings = settings.get("properties").and_then(Value::as_object);
    for (name, setting) in settings.into_iter().flatten() {
        schemas["Project"]["properties"][name] = setting.clone();
        schemas["ProjectEdit"]["properties"][name] = setting.clone();
        if let Some(required) = schemas["Project"]["required"].as_array_mut() {
            required.push(json!(name));
        }
    }
}

/// Adds results as queued scans have them, where a model without an answer has no score.
fn add_queued_results(schemas: &mut Map<String, Value>) {
    let (Some(mut result), Some(mut model)) = (
        schemas.get("ScanResult").cloned(),
        schemas.get("ModelResult").cloned(),
    ) else {
        return;
    };
    let score = &mut model["properties"]["score"];
    if let Some(kind) = score.get("type").cloned() {
        score["type"] = json!([kind, "null"]);
    }
    let described = score["description"].as_str().unwrap_or_default();
    score["description"] = json!(format!("{described} `null` when no question was answered."));
    result["properties"]["models"]["items"] = json!({"$ref": "#/components/schemas/QueuedModelResult"});
    schemas.insert("QueuedModelResult".to_owned(), model);
    schemas.insert("QueuedScanResult".to_owned(), result);
}
