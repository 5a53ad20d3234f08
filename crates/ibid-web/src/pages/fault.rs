//! Faults of forms, in sentences that were written for their fields.

use crate::chart::Markup;
use askama::filters::Safe;
use ibid_model::contract::{Shape, field::WORKSPACE};
use ibid_model::{Fault, FaultCode, Faults};

/// Returns a fault in a sentence for a person, who does not know the names of the API. A message that names its member is for
/// programs, and the sentence of the field stands for it; any other is a sentence already.
pub fn fault_sentence(fault: &Fault) -> String {
    let parts = || fault.field.split('/').filter(|part| !part.is_empty());
    let is_for_programs = parts().any(|part| fault.message.starts_with(part));
    let member = parts().rfind(|part| part.parse::<usize>().is_err());
    match member {
        Some(member) if is_for_programs => of_field(member, fault.code),
        _ => as_sentence(&fault.message),
    }
}

fn of_field(member: &str, code: FaultCode) -> String {
    let field = WORKSPACE.iter().find(|field| field.name == member);
    match field.map(|field| field.shape) {
        Some(Shape::Count { least, most, .. }) => {
            return format!("Enter a whole number from {least} to {most}.");
        }
        Some(Shape::Points { most }) => return format!("Enter a whole number of points, at most {most}."),
        Some(Shape::Dollars { most }) => {
            return format!("Enter an amount above 0 and at most {most} dollars.");
        }
        _ => {}
    }
    let sentence = match (member, code) {
        ("domain", _) => "Enter the name of a website, such as example.com.",
        ("keyword", _) => "Say in one short line what is sold, as a buyer would.",
        ("location", _) => "Enter a town and its country, such as Lyon, France.",
        ("models", FaultCode::UnknownModel) => "One of the models is not offered here: choose another.",
        ("models", _) => "Choose at least one model.",
        ("rings", _) => "Choose rings from 1 to 5.",
        ("ownDomains", _) => "Enter at most 20 websites, such as example.de, each on a line of its own.",
        ("brandNames" | "notNames", _) => "Enter at most ten names, each on a line of its own.",
        ("language", _) => "Enter a language tag such as es or pt-BR.",
        ("questionSet", _) => "Choose one of your question sets.",
        ("questions", _) => "Enter at least one question, each on a line of its own.",
        ("every", _) => "Enter a whole number: at most 168 hours, 90 days or 52 weeks.",
        ("at", _) => "Enter a time such as 09:00.",
        ("timeZone", _) => "Enter a time zone such as Europe/Berlin.",
        ("weekday" | "unit", _) => "Choose a day of the week, for a run every week.",
        ("monthlyBudgetUsd" | "dollars", _) => "Enter an amount in dollars, such as 25.",
        ("monthlyCredits", _) => "Enter a whole number of credits, such as 10.",
        ("email" | "replyTo" | "address", _) => "Enter an address such as name@example.com.",
        ("senderName", _) => "Enter the name of the sender in one short line.",
        ("url", FaultCode::Required) => "Enter the address of a page.",
        ("url", _) => "Enter an address that begins with https:// or http://.",
        ("until" | "day" | "askedAt", _) => "Enter a day such as 2026-08-31.",
        ("doneOn", _) => "Enter a day from that of the agreement to today.",
        ("runs", _) => "Enter the number of runs of the test.",
        ("status" | "state" | "role" | "access" | "kind" | "digest" | "of", _) => "Choose one of the list.",
        ("alerts", _) => "Choose what is sent there.",
        ("quietFrom" | "quietTo", _) => "Choose two different hours, or none.",
        ("accent", _) => "Choose a dark colour such as #0a665f.",
        ("logo", _) => "Choose a PNG or JPEG picture of at most 100 KiB.",
        ("file" | "log" | "archive", _) => "Choose a file.",
        ("name", _) => "Enter a name in one short line.",
        ("title", _) => "Enter a title in one short line.",
        ("text" | "note", _) => "Enter a text that is not too long.",
        (_, FaultCode::Required) => "An entry is missing.",
        (_, FaultCode::OutOfRange) => "An entry is too long, too large or too small.",
        (_, _) => "An entry cannot be used.",
    };
    sentence.to_owned()
}

/// Begins with a capital and ends with a full stop.
fn as_sentence(message: &str) -> String {
    let mut letters = message.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    let text = first.unwrap_or_default() + letters.as_str();
    match text.ends_with(['.', '?', '!']) || text.is_empty() {
        true => text,
        false => format!("{text}."),
    }
}

/// Returns the first fault of a field or an element in a sentence, or an empty text.
pub(crate) fn fault_of(faults: &Faults, field: &str) -> String {
    let of = |rest: &str| rest.is_empty() || rest.starts_with('/');
    let mut faults = faults.iter();
    let fault = faults.find(|fault| fault.field.strip_prefix(field).is_some_and(of));
    fault.map_or_else(String::new, fault_sentence)
}

/// Returns the fault of a field about something that repeats: a member of the recurrence, or one beside it.
pub(crate) fn repeated_fault_of(faults: &Faults, name: &str) -> String {
    let own = fault_of(faults, &format!("/recurrence/{name}"));
    match own.is_empty() {
        true => fault_of(faults, &format!("/{name}")),
        false => own,
    }
}

/// Returns the attribute of an input that has a fault.
pub(crate) fn invalid(faults: &Faults, field: &str) -> Markup {
    Safe(if fault_of(faults, field).is_empty() {
        String::new()
    } else {
        " aria-invalid=\"true\"".to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_those_of_their_field_and_name_no_member() {
        let said = |field: &str, code, message: &str| {
            let faults = Faults::one(field, code, message);
            faults.iter().map(fault_sentence).collect::<String>()
        };
        for (field, code, message, sentence) in [
            (
                "/domain",
                FaultCode::Invalid,
                "domain is not a domain name",
                "Enter the name of a website, such as example.com.",
            ),
            (
                "/recurrence/timeZone",
                FaultCode::Invalid,
                "recurrence: timeZone must be a name",
                "Enter a time zone such as Europe/Berlin.",
            ),
            (
                "/models/1",
                FaultCode::UnknownModel,
                "models[1] is no known alias",
                "One of the models is not offered here: choose another.",
            ),
            (
                "/questionsPerModel",
                FaultCode::OutOfRange,
                "questionsPerModel must be between 1 and 10",
                "Enter a whole number from 1 to 10.",
            ),
            (
                "/location",
                FaultCode::LocationNotFound,
                "no place of that name is known",
                "No place of that name is known.",
            ),
            (
                "/questions/3/place",
                FaultCode::QuestionInvalid,
                "the question has a link",
                "The question has a link.",
            ),
            (
                "/never",
                FaultCode::Required,
                "never is required",
                "An entry is missing.",
            ),
            (
                "",
                FaultCode::Invalid,
                "there is a destination already",
                "There is a destination already.",
            ),
        ] {
            assert_eq!(said(field, code, message), sentence, "{field}");
        }
        for field in WORKSPACE {
            for code in [
                FaultCode::Required,
                FaultCode::WrongType,
                FaultCode::OutOfRange,
                FaultCode::Invalid,
            ] {
                let sentence = said(
                    &format!("/{}", field.name),
                    code,
                    &format!("{} is wrong", field.name),
                );
                let has_name = sentence
                    .split([' ', '.'])
                    .any(|word| word == field.name && word.contains(char::is_uppercase));
                assert!(!has_name, "{sentence}");
            }
        }
    }
}
