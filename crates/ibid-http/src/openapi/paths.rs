//! The paths: the routes of the contract as operations.

use ibid_model::Offering;
use ibid_model::contract::route::{EVENTS, Parameter, Response, STRING, Schema};
use ibid_model::contract::{Access, ROUTES, Route};
use serde_json::{Map, Value, json};

const OTHER_METHOD: Response = Response::problem(
    405,
    "The path does not take the method; Allow names those it takes",
);

/// Writes every path of the contract, with prices where something is sold.
pub(super) fn paths(sold: Offering) -> Value {
    let mut paths = Map::new();
    for route in ROUTES {
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        path[route.method.name().to_ascii_lowercase()] = operation(route, sold);
    }
    Value::Object(paths)
}

fn operation(route: &Route, sold: Offering) -> Value {
    let responses: Map<String, Value> = std::iter::once(&route.answer)
        .chain(route.errors)
        .map(|answer| (answer.status.to_string(), response(answer)))
        .collect();
    let mut operation = json!({
        "operationId": route.id,
        "tags": [route.tag()],
        "summary": route.summary,
        "responses": responses,
    });
    operation["description"] = match route.description {
        "" => json!(format!("{}.", route.summary)),
        description => json!(description),
    };
    if route.errors.iter().all(|answer| answer.status >= 500) {
        // Every path answers other methods so.
        operation["responses"]["405"] = response(&OTHER_METHOD);
    }
    if route
        .parameters
        .iter()
        .any(|parameter| parameter.name == "If-None-Match")
    {
        operation["responses"]["304"] =
            json!({"description": "Nothing has changed since the answer with this tag"});
    }
    if !route.parameters.is_empty() {
        operation["parameters"] = route.parameters.iter().map(parameter).collect();
    }
    if let Some(body) = route.body {
        operation["requestBody"] = json!({
            "required": route.skill.is_none(),
            "content": {"application/json": {"schema": schema(body)}}
        });
    }
    // A convention that catalogues of OpenAPI documents read. What counts is the offer of the 402.
    if route.access == Access::Payment
        && let Some(skill) = route.skill.filter(|skill| sold.has(*skill))
    {
        operation["x-payment-info"] = json!({
            "price": {"mode": "fixed", "currency": "USD", "amount": sold.price(skill).to_string()},
            "protocols": [{"x402": {}}],
        });
    }
    match route.access {
        Access::Bearer => operation["security"] = json!([{"bearer": []}]),
        Access::Session => operation["security"] = json!([{"session": []}]),
        Access::Open | Access::Payment | Access::Proof => operation["security"] = json!([]),
    }
    operation
}

fn parameter(parameter: &Parameter) -> Value {
    let mut schema = schema(parameter.schema);
    if parameter.most > 0 {
        schema["maxLength"] = json!(parameter.most);
    }
    let (name, place) = (parameter.name, parameter.place);
    let mut value = json!({"name": name, "in": place, "required": place == "path", "schema": schema});
    if !parameter.about.is_empty() {
        value["description"] = json!(parameter.about);
    }
    value
}

fn response(response: &Response) -> Value {
    let mut content = json!({response.media: {"schema": schema(response.schema)}});
    if response.events {
        content[EVENTS] = json!({"schema": schema(STRING)});
    }
    let mut value = json!({"description": response.about, "content": content});
    if !response.headers.is_empty() {
        let header = |about: &str| json!({"description": about, "schema": {"type": "string"}});
        let headers = response.headers.iter();
        let headers = headers.map(|(name, about)| ((*name).to_owned(), header(about)));
        value["headers"] = Value::Object(headers.collect());
    }
    value
}

fn schema(schema: Schema) -> Value {
    match schema {
        Schema::Named(name) => json!({"$ref": format!("#/components/schemas/{name}")}),
        Schema::Json(text) => serde_json::from_str(text).unwrap_or_default(),
    }
}
