//! What the agent says while it waits: words for people, an object for programs.

use crate::menu;
use crate::message::Part;
use ibid_model::Skill;
use serde_json::{Map, Value, json};

/// Asks for a request. With a skill in mind, only for its fields.
pub(crate) fn ask_input(wanted: Option<Skill>, payment_unused: bool) -> Vec<Part> {
    let mut text = String::new();
    if payment_unused {
        text.push_str("The payment was not used: there is no request to pay for yet. ");
    }
    match wanted {
        Some(skill) => {
            text.push_str(&format!(
                "{}. Send a data part, or a text part that is JSON. ",
                about(skill)
            ));
            text.push_str(&format!("Example: {}", Value::Object(menu::example(skill))));
        }
        None => {
            text.push_str("Name a skill and its fields in a data part, or in a text part that is JSON.");
            for skill in Skill::ALL {
                text.push_str(&format!("\n- {}", about(skill)));
            }
            text.push_str(&format!(
                "\nExample: {}",
                Value::Object(menu::example(Skill::Scan))
            ));
        }
    }
    let skills: Vec<Value> = match wanted {
        Some(skill) => vec![entry(skill)],
        None => Skill::ALL.into_iter().map(entry).collect(),
    };
    vec![
        Part::text(text),
        Part::data(Map::from_iter([("skills".to_owned(), json!(skills))])),
    ]
}

/// Asks for a payment. The offer itself stands in the metadata.
pub(crate) fn ask_payment(skill: Skill) -> String {
    match skill.product() {
        Some(product) => format!(
            "{skill} costs {} USDC. To pay, send a message to this task with the payment in its metadata, or in a \
             header of the request. Nothing is charged before the result exists.",
            product.price()
        ),
        None => format!(
            "{skill} is free. Sign a payment of {} USDC to prove which wallet is yours; it is never settled.",
            skill.price()
        ),
    }
}

/// One line about a skill: price and fields.
fn about(skill: Skill) -> String {
    let price = match skill.product() {
        Some(product) => format!("{} USDC", product.price()),
        None => "free".to_owned(),
    };
    let names = |required| {
        let fields = menu::fields(skill)
            .iter()
            .filter(move |field| field.required == required);
        fields.map(|field| field.name).collect::<Vec<_>>().join(", ")
    };
    match (names(true), names(false)) {
        (needed, rest) if needed.is_empty() => format!("{skill} ({price}): {rest}"),
        (needed, rest) => format!("{skill} ({price}): {needed}; optional {rest}"),
    }
}

fn entry(skill: Skill) -> Value {
    let field =
        |field: &menu::Field| json!({"name": field.name, "required": field.required, "about": field.about});
    let fields: Vec<Value> = menu::fields(skill).iter().map(field).collect();
    json!({
        "skill": skill,
        "priceUsdc": skill.product().map_or_else(|| "0".to_owned(), |product| product.price().to_string()),
        "fields": fields,
        "example": menu::example(skill),
    })
}
