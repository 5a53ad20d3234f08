//! A form for a project: `GET /workspace/projects/new` and `POST /workspace/projects`; in the settings it changes one.

use super::super::browser::status_of;
use super::super::signed_in::SignedIn;
use super::access::{reader, scope};
use super::settings;
use crate::extract::{Pairs, Posted, Upload};
use crate::problem::{ApiError, faults_of};
use crate::redirect::see_other;
use crate::respond::Answer;
use crate::v2::MOST_ARCHIVE;
use actix_web::{HttpResponse, web};
use ibid_model::{FaultCode, Faults, OwnQuestion, QuestionSetName};
use ibid_service::{
    CallerId, Error, ImportedLine, OrganisationRole, ProjectCommand, ProjectDraft, Projects,
    QuestionSetRecord, Right, Service,
};
use ibid_web::pages::{self, ForecastView, PlaceLine, ProjectForm, SettingsMade};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Fields with one text.
const FIELDS: [&str; 17] = [
    "name",
    "domain",
    "keyword",
    "location",
    "places",
    "brandNames",
    "ownDomains",
    "questionsFrom",
    "questions",
    "allQuestions",
    "questionsPerModel",
    "every",
    "unit",
    "weekday",
    "at",
    "timeZone",
    "monthlyBudgetUsd",
];
/// Most bytes of a list.
const MOST_LIST: usize = 1_048_576;
/// Values of the field that chooses the questions: those of the program, and the list in the form.
pub(super) const TEMPLATES: &str = "templates";
pub(super) const OWN: &str = "own";

fn blank(service: &Service) -> ProjectForm {
    let mut body = Projects::defaults();
    let models = service.planner.catalog();
    let models: Vec<&str> = models
        .defaults()
        .iter()
        .map(|model| model.alias.as_str())
        .collect();
    body.insert("models".to_owned(), json!(models));
    ProjectForm {
        is_fresh: true,
        ..of(&body)
    }
}

/// Returns the form that makes such a project.
pub(super) fn of(body: &Map<String, Value>) -> ProjectForm {
    let plain = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string().trim_end_matches(".0").to_owned(),
    };
    let body = json!(body);
    let list = |name: &str| body[name].as_array().cloned().unwrap_or_default();
    let texts = |name: &str| list(name).iter().map(plain).collect::<Vec<_>>();
    let markets = match list("markets") {
        none if none.is_empty() => vec![body.clone()],
        markets => markets,
    };
    let places = markets.iter().map(|market| match market["language"].as_str() {
        Some(language) => format!("{}; {language}", plain(&market["location"])),
        None => plain(&market["location"]),
    });
    let places: Vec<String> = places.collect();
    let has_own = !body["questionSet"].is_null();
    let text = |field: &str| match field {
        "location" => places[..1].concat(),
        "places" => places[1..].join("\n"),
        "brandNames" | "ownDomains" => texts(field).join("\n"),
        "questionsFrom" => if has_own { OWN } else { TEMPLATES }.to_owned(),
        "allQuestions" => (has_own && body["questionsPerModel"].is_null()).to_string(),
        "every" | "unit" | "weekday" | "at" | "timeZone" => plain(&body["recurrence"][field]),
        "questions" => String::new(),
        _ => plain(&body[field]),
    };
    ProjectForm {
        entries: FIELDS.map(|field| (field.to_owned(), text(field))).into(),
        ticked: texts("models"),
        confirmed: markets.iter().map(|market| plain(&market["location"])).collect(),
        ..ProjectForm::default()
    }
}

/// The form as it was sent. A place that was chosen for a line stands in that line.
fn sent(pairs: &Pairs) -> ProjectForm {
    let mut form = ProjectForm {
        entries: FIELDS
            .map(|field| (field.to_owned(), pairs.text(field).to_owned()))
            .into(),
        ticked: pairs.all("models").map(str::to_owned).collect(),
        confirmed: pairs.all("confirmed").map(str::to_owned).collect(),
        ..ProjectForm::default()
    };
    let places = std::iter::once(form.entry("location")).chain(lines(form.entry("places")));
    let places = places.enumerate().map(|(number, line)| {
        let chosen = pairs.text(&format!("place-{number}"));
        match line.split_once(';').filter(|_| !chosen.is_empty()) {
            Some((_, language)) => format!("{chosen}; {}", language.trim()),
            None if chosen.is_empty() => line.to_owned(),
            None => chosen.to_owned(),
        }
    });
    let places: Vec<String> = places.collect();
    let chosen = (0..places.len()).map(|number| pairs.text(&format!("place-{number}")).to_owned());
    form.confirmed.extend(chosen.filter(|text| !text.is_empty()));
    set(&mut form, "location", places[..1].concat());
    set(&mut form, "places", places[1..].join("\n"));
    form
}

fn set(form: &mut ProjectForm, name: &str, value: String) {
    let entry = form.entries.iter_mut().find(|(known, _)| known == name);
    entry.into_iter().for_each(|(_, text)| text.clone_from(&value));
}

/// Returns the API's body. An entry that is no number stays a text, which is a fault.
fn body(form: &ProjectForm) -> Map<String, Value> {
    let number = |name: &str| match form.entry(name) {
        "" => Value::Null,
        text => serde_json::from_str::<serde_json::Number>(text).map_or(json!(text), Value::Number),
    };
    let places = std::iter::once(form.entry("location")).chain(lines(form.entry("places")));
    let markets = places.map(|line| match line.split_once(';') {
        Some((place, language)) => json!({"location": place.trim(), "language": language.trim()}),
        None => json!({"location": line}),
    });
    let (from, unit) = (form.entry("questionsFrom"), form.entry("unit"));
    let counted = match form.entry("allQuestions") == "true" && from != TEMPLATES {
        true => json!("all"),
        false => number("questionsPerModel"),
    };
    let recurrence = json!({"unit": unit, "every": number("every"), "at": form.entry("at"),
        "timeZone": form.entry("timeZone"), "weekday": (unit == "weeks").then(|| form.entry("weekday"))});
    let list = |name| -> Vec<&str> { lines(form.entry(name)).collect() };
    let body = json!({"name": form.entry("name"), "domain": form.entry("domain"), "keyword": form.entry("keyword"),
        "markets": markets.collect::<Vec<_>>(), "brandNames": list("brandNames"), "ownDomains": list("ownDomains"), "models": form.ticked,
        "questionsPerModel": counted, "monthlyBudgetUsd": number("monthlyBudgetUsd"), "recurrence": recurrence});
    let mut body = body.as_object().cloned().unwrap_or_default();
    match from {
        TEMPLATES | "" => {}
        OWN => drop(body.insert("questions".to_owned(), questions(form.entry("questions")))),
        set => drop(body.insert("questionSet".to_owned(), json!(set))),
    }
    body
}

/// Takes what a draft tells. A place that is not beyond doubt is a fault until it is chosen.
fn look(form: &mut ProjectForm, draft: ProjectDraft, saves: bool) {
    let places = draft.places.into_iter().map(|place| PlaceLine {
        number: place.number,
        label: place.label,
        question: place.question.filter(|_| !form.confirmed.contains(&place.text)),
    });
    let places: Vec<PlaceLine> = places.collect();
    for place in places.iter().filter(|place| saves && place.question.is_some()) {
        let field = match place.number {
            0 => "/location".to_owned(),
            number => format!("/markets/{number}/location"),
        };
        form.faults
            .push(field, FaultCode::Invalid, "Choose which place you mean.");
    }
    form.forecast = Some(ForecastView {
        sentence: draft.forecast.sentence(),
        month: draft.forecast.month_cost(),
        questions: draft.forecast.questions,
        places,
        branding: draft.branding,
        left_out: draft.left_out,
        affordable: true,
    });
}

fn refuse(form: &mut ProjectForm, error: Error) -> Result<(), ApiError> {
    form.faults = match error {
        Error::ImportUnreadable(why) => Faults::one("/file", FaultCode::Invalid, why.to_string()),
        error => faults_of(error)?,
    };
    Ok(())
}

/// `GET /workspace/projects/new`.
pub(crate) async fn form(signed_in: SignedIn, service: web::Data<Service>) -> Result<HttpResponse, ApiError> {
    show(&signed_in, &service, blank(&service)).await
}

/// `POST /workspace/projects/archive`: makes a project from an archive.
pub(crate) async fn import(
    Posted(signed_in, upload, _, service): Posted<SignedIn, Upload<MOST_ARCHIVE>>,
) -> Answer {
    let Some(file) = upload.file else {
        return Ok(see_other("/workspace/projects/new"));
    };
    let faults = match service.projects.import(reader(&signed_in), file.bytes).await {
        Ok(view) => return Ok(see_other(&format!("/workspace/projects/{}", view.record.id))),
        Err(error) => faults_of(error)?,
    };
    let mut form = blank(&service);
    for fault in faults.iter() {
        form.faults
            .push("/archive".to_owned(), fault.code, fault.message.clone());
    }
    show(&signed_in, &service, form).await
}

/// `POST /workspace/projects`: shows what the project will cost and see, or saves it.
pub(crate) async fn save(
    Posted(signed_in, upload, _, service): Posted<SignedIn, Upload<MOST_LIST, MOST_LIST>>,
) -> Answer {
    let (pairs, file) = (upload.texts, upload.file.filter(|file| file.field == "file"));
    let (mut form, reader) = (sent(&pairs), reader(&signed_in));
    // A file's lines are shown before anything is saved.
    let saves = pairs.text("step") == "save" && file.is_none();
    if let Some(file) = file {
        let mut facts = body(&form);
        let place = form
            .entry("location")
            .split(';')
            .next()
            .unwrap_or_default()
            .trim();
        facts.extend((!place.is_empty()).then(|| ("location".to_owned(), json!(place))));
        match imported(&service, &facts, form.entry("questions"), file.bytes.to_vec()).await {
            Ok((list, lines)) => {
                form.lines = lines;
                set(&mut form, "questionsFrom", OWN.to_owned());
                set(&mut form, "questions", list);
            }
            Err(error) => refuse(&mut form, error)?,
        }
    }
    if form.faults.is_empty() {
        match service.projects.draft(reader, &body(&form)).await {
            Ok(draft) => look(&mut form, draft, saves),
            Err(error) => refuse(&mut form, error)?,
        }
    }
    if saves && form.faults.is_empty() {
        match service.projects.add(reader, &body(&form)).await {
            Ok(view) => return Ok(see_other(&format!("/workspace/projects/{}", view.record.id))),
            Err(error) => refuse(&mut form, error)?,
        }
    }
    show(&signed_in, &service, form).await
}

/// `POST /workspace/projects/{id}/settings`: shows what a change will cost and see, or makes it.
pub(crate) async fn change(
    Posted(signed_in, upload, id, service): Posted<SignedIn, Upload<MOST_LIST, MOST_LIST>, String>,
) -> Answer {
    let of_project = scope(&service, &signed_in, &id, Right::EditProject).await?;
    let before = service.projects.get(&of_project).await?;
    let (mut form, known) = (sent(&upload.texts), of(&before.body()));
    form.confirmed.extend(known.confirmed.iter().cloned());
    // What stays is not sent, because a time without its day of before would move the next run.
    let (saves, mut members, known) = (upload.texts.text("step") == "save", body(&form), body(&known));
    let sorted = |members: &Map<String, Value>| {
        let models = members.get("models").and_then(Value::as_array).cloned();
        models.map(|models| models.iter().map(Value::to_string).collect::<BTreeSet<_>>())
    };
    let has_same_models = sorted(&members) == sorted(&known);
    members
        .retain(|member, value| known.get(member) != Some(value) && !(member == "models" && has_same_models));
    match service
        .projects
        .draft_of_edit(&of_project, &before, &members)
        .await
    {
        Ok((_, draft)) => look(&mut form, draft, saves),
        Err(error) => refuse(&mut form, error)?,
    }
    if saves && form.faults.is_empty() {
        let command = ProjectCommand::Edit(members);
        match service.projects.carry_out(reader(&signed_in), &id, command).await {
            Ok(_) => return Ok(see_other(&format!("/workspace/projects/{id}"))),
            Err(error) => refuse(&mut form, error)?,
        }
    }
    let made = SettingsMade {
        form: Some(form),
        ..SettingsMade::default()
    };
    settings::shown(&signed_in, &service, &id, made).await
}

/// Returns the questions of the form and the file, one a line, and the lines of the file that were not taken.
pub(super) async fn imported(
    service: &Service,
    body: &Map<String, Value>,
    typed: &str,
    file: Vec<u8>,
) -> Result<(String, Vec<ImportedLine>), Error> {
    let facts = ["domain", "keyword", "location"].into_iter();
    let facts = facts.filter_map(|name| Some((name.to_owned(), body.get(name)?.clone())));
    let before = match questions(typed) {
        Value::Array(list) if list.is_empty() => Vec::new(),
        list => OwnQuestion::list(&list).map_err(|faults| Error::Invalid(faults.below("/questions")))?,
    };
    let facts = facts.collect();
    let read = service.questions.read_file(&facts, file, before, false);
    let mut list = typed.trim_end().to_owned();
    let mut lines = Vec::new();
    for line in read.await? {
        match &line.question {
            Some(question) => {
                list.push('\n');
                list.push_str(question.as_str());
            }
            None => lines.push(line),
        }
    }
    Ok((list.trim_start().to_owned(), lines))
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty())
}

pub(super) fn questions(text: &str) -> Value {
    lines(text).collect::<Vec<_>>().into()
}

async fn show(
    signed_in: &SignedIn,
    service: &Service,
    mut form: ProjectForm,
) -> Result<HttpResponse, ApiError> {
    complete(&mut form, signed_in, service).await?;
    signed_in
        .browser
        .show(status_of(&form.faults), |frame| pages::project_form(frame, &form))
}

/// Adds what the form offers beside what is filled in.
pub(super) async fn complete(
    form: &mut ProjectForm,
    signed_in: &SignedIn,
    service: &Service,
) -> Result<(), Error> {
    let account = signed_in.member.account;
    let organisations = service.projects.organisations(account).await?;
    let own = organisations
        .iter()
        .find(|one| one.role == OrganisationRole::Admin);
    let budget = own.map_or(0, |own| own.budget);
    if let Some(forecast) = &mut form.forecast {
        forecast.affordable = forecast.month.get() <= budget;
    }
    let catalog = service.planner.catalog();
    let models = catalog.models().iter();
    let models = models.map(|model| (model.alias.as_str().to_owned(), model.name.clone()));
    form.models = models.collect();
    let sets = service.questions.all(&CallerId::of(account)).await?;
    let name = |set: &QuestionSetRecord| QuestionSetName {
        id: set.id,
        version: Some(set.latest),
    };
    let sets = sets.into_iter().map(|set| (name(&set).to_string(), set.name));
    form.sets = sets.collect();
    Ok(())
}
