//! What the agent says while it waits: words for people, an object for programs.

use crate::agent_message::AgentParts;
use crate::message::Part;
use crate::natural_orders::Understood;
use ibid_model::contract::{Field, object};
use ibid_model::{AtomicUsdc, Offering, Skill};
use serde_json::{Map, Value, json};

/// Asks for a request, or only for the fields of the wanted skill if it is sold.
pub(crate) fn ask_input(wanted: Option<Skill>, payment_unused: bool, sold: Offering) -> AgentParts {
    let mut text = String::new();
    if payment_unused {
        text.push_str("The payment was not used: there is no request to pay for yet. ");
    }
    if let Some(skill) = wanted.filter(|skill| !sold.has(*skill)) {
        text.push_str(&format!("{skill} is not sold here. "));
    }
    let wanted = wanted.filter(|skill| sold.has(*skill));
    match wanted {
        Some(skill) => {
            text.push_str(&format!(
                "{}. Send a data part, or a text part that is JSON. ",
                about(skill, sold.price(skill))
            ));
            text.push_str(&format!(
                "Example: {}",
                Value::Object(object(skill.row().example))
            ));
        }
        None => match sold.skills().next() {
            Some(first) => {
                text.push_str("Name a skill and its fields in a data part, or in a text part that is JSON.");
                for skill in sold.skills() {
                    text.push_str(&format!("\n- {}", about(skill, sold.price(skill))));
                }
                text.push_str(&format!(
                    "\nExample: {}",
                    Value::Object(object(first.row().example))
                ));
            }
            None => text.push_str("Nothing is sold here at the moment."),
        },
    }
    let skills: Vec<Value> = match wanted {
        Some(skill) => vec![entry(skill, true, sold.price(skill))],
        // A text about all skills and fields would be long.
        // The text after the next message has the rest.
        None => sold
            .skills()
            .map(|skill| entry(skill, false, sold.price(skill)))
            .collect(),
    };
    AgentParts::of(&[
        Part::text(text),
        Part::data(Map::from_iter([("skills".to_owned(), json!(skills))])),
    ])
}

/// Asks for a payment. The offer itself is in the metadata.
pub(crate) fn ask_payment(skill: Skill, price: AtomicUsdc, understood: Option<String>) -> AgentParts {
    let mut text = match skill.product() {
        Some(_) => format!(
            "{skill} costs {price} USDC. To pay, send a message to this task with the payment in its metadata, or in a \
             header of the request. Nothing is charged before the result exists."
        ),
        None => format!(
            "{skill} is free. Sign a payment of {price} USDC to prove which wallet is yours; it is never settled."
        ),
    };
    if let Some(understood) = understood {
        text = format!("{understood} {text}");
    }
    AgentParts::of(&[Part::text(text)])
}

/// States what of an order was understood, and asks for the rest.
pub(crate) fn ask_rest(understood: &Understood, payment_unused: bool, price: AtomicUsdc) -> AgentParts {
    let unused = match payment_unused {
        true => "The payment was not used: there is no request to pay for yet. ",
        false => "",
    };
    let text = format!(
        "{unused}{} Missing: {}. Send what is missing in words, or the whole order in a data part.",
        understood.sentence(),
        understood.missing.join(", ")
    );
    let data = json!({
        "skill": understood.skill,
        "understood": understood.fields,
        "missing": understood.missing,
        "skills": [entry(understood.skill, true, price)],
    });
    let Value::Object(data) = data else {
        return AgentParts::of(&[Part::text(text)]);
    };
    AgentParts::of(&[Part::text(text), Part::data(data)])
}

/// One line about a skill: price and fields.
fn about(skill: Skill, price: AtomicUsdc) -> String {
    let row = skill.row();
    let price = match row.product {
        Some(_) => format!("{price} USDC"),
        None => "free".to_owned(),
    };
    let is_alternative = |field: &&'static Field| row.alternatives().any(|one| one.name == field.name);
    let optional: Vec<_> = row
        .options()
        .filter(|field| !is_alternative(field))
        .map(|field| field.name)
        .collect();
    let optional = optional.join(", ");
    match row.needs() {
        needs if needs.is_empty() => format!("{skill} ({price}): optional {optional}"),
        needs => format!("{skill} ({price}): {needs}; optional {optional}"),
    }
}

/// A skill for programs, with the words of its fields where they are asked for.
fn entry(skill: Skill, with_fields: bool, price: AtomicUsdc) -> Value {
    let row = skill.row();
    let names = |fields: &[&Field]| -> Vec<_> { fields.iter().map(|field| field.name).collect() };
    let mut entry = json!({
        "skill": skill,
        "priceUsdc": row.product.map_or_else(|| "0".to_owned(), |_| price.to_string()),
        "required": names(row.required),
        "example": object(row.example),
    });
    if with_fields {
        let required = |field: &'static Field| row.required.contains(&field);
        let words = |field: &'static Field| json!({"name": field.name, "required": required(field), "about": field.words()});
        entry["fields"] = row.fields().map(words).collect();
    }
    entry
}
