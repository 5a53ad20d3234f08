//! `POST /workspace/projects/{id}/{change}`: what the forms of a project do.

use super::super::signed_in::SignedIn;
use super::super::stored::parse_id;
use super::access::{reader, scope};
use super::one;
use super::settings;
use crate::extract::{Form, Pairs, Posted};
use crate::problem::{ApiError, faults_of};
use crate::redirect::see_other;
use crate::respond::Answer;
use actix_web::HttpResponse;
use ibid_model::Faults;
use ibid_service::{Done, Error, ProjectCommand as Command, Right, RunOwner, Service};
use ibid_web::pages::{self, SettingsMade};
use ibid_web::{Notice, NoticeKind};
use serde_json::{Map, Value, json};

pub(crate) async fn change(
    Posted(signed_in, Form(pairs), target, service): Posted<SignedIn, Form<4_096>, (String, String)>,
) -> Answer {
    let (id, change) = target.into_inner();
    let here = format!("/workspace/projects/{id}");
    let text = |name: &str| pairs.text(name).to_owned();
    let command = match change.as_str() {
        "stop" => return stop(&signed_in, &service, &id, pairs.text("scan")).await,
        "run" => Command::Run,
        "pause" => Command::Edit(body("status", json!("paused"))),
        "resume" => Command::Edit(body("status", json!("active"))),
        "archive" => Command::Edit(body("status", json!("archived"))),
        "edit" => Command::Edit(
            pairs
                .iter()
                .map(|(name, text)| (name.to_owned(), json!(text)))
                .collect(),
        ),
        "note" => Command::Note(texts(&pairs, &["day", "text"])),
        "rival" if pairs.text("state") == "none" => Command::ForgetRival(text("name")),
        "rival" => Command::KeepRival(texts(&pairs, &["name", "state"])),
        "outreach" => Command::MarkSite(text("site"), text("state")),
        "merge" => Command::MergeRival(text("name"), text("into")),
        "badge" => Command::Badge(true),
        "badge-hide" => Command::Badge(false),
        "destination" => Command::AddDestination(destination(&pairs)),
        "destination-test" => Command::TestDestination(text("destination")),
        "destination-remove" => Command::DeleteDestination(text("destination")),
        "person" => Command::Invite(texts(&pairs, &["email", "role"])),
        "person-remove" => Command::RemovePerson(text("account")),
        "key" => Command::MakeKey(texts(&pairs, &["name", "access"])),
        "key-revoke" => Command::RevokeKey(text("key")),
        "key-take" => Command::TakeKey(text("key")),
        "feed" => {
            let mut feed = texts(&pairs, &["name"]);
            feed.insert("detail".to_owned(), json!(pairs.text("detail") == "true"));
            Command::MakeFeedKey(feed)
        }
        "feed-revoke" => Command::RevokeFeedKey(text("feed")),
        "delete" if pairs.text("sure") != "true" => {
            scope(&service, &signed_in, &id, Command::Delete.right()).await?;
            return Ok(see_other(&format!("{here}/settings")));
        }
        "delete" => Command::Delete,
        _ => return Err(ApiError::NoSuchPath),
    };
    let carried_out = service.projects.carry_out(reader(&signed_in), &id, command);
    let done = match (carried_out.await, change.as_str()) {
        (Ok((_, done)), _) => done,
        (Err(Error::ScheduleRunning), "delete") => {
            let why = "A run is under way. Delete the project when it has ended.";
            return one::shown(&signed_in, &service, &id, Some(why)).await;
        }
        (Err(Error::ScheduleRunning), "run") => {
            let text = "No run was started: the run before is still under way.";
            return not_run(&signed_in, &service, &id, NoticeKind::Refused, text).await;
        }
        (Err(Error::WorkspaceDisabled), "run") => {
            let text = "No run was started: the operator pays for no runs.";
            return not_run(&signed_in, &service, &id, NoticeKind::Refused, text).await;
        }
        (Err(error), "edit" | "person" | "key" | "feed" | "destination" | "destination-test") => {
            let made = SettingsMade {
                faults: faults_of(error)?,
                ..SettingsMade::default()
            };
            return settings::shown(&signed_in, &service, &id, made).await;
        }
        (Err(error), _) => return explain(&signed_in, &service, &id, error).await,
    };
    let base = signed_in.browser.frame().base_url;
    let made = match done {
        Done::Run(run) if run.scan.is_some() => return Ok(see_other(&format!("{here}/runs"))),
        Done::Run(run) => {
            let text = match run.outcome.as_deref() {
                Some("over_organisation_budget") => {
                    let text = "No run was started: it is over the monthly budget of the organisation.";
                    return not_run(&signed_in, &service, &id, NoticeKind::OverBudget, text).await;
                }
                Some("over_budget") => "No run was started: it is over the monthly budget of the project.",
                Some("project_archived") => "No run was started: the project is archived.",
                Some(_) => "No run was started.",
                None => "The run waits for a free place.",
            };
            return not_run(&signed_in, &service, &id, NoticeKind::Refused, text).await;
        }
        Done::Deleted(_) => return Ok(see_other("/workspace/projects")),
        Done::Person(added) => SettingsMade {
            link: Some(format!("{base}{}", added.path)),
            ..SettingsMade::default()
        },
        Done::Key(key) => SettingsMade {
            key: Some(key.reveal().to_owned()),
            ..SettingsMade::default()
        },
        Done::Feed(key) => SettingsMade {
            feed: Some(format!("{base}/feed/{}/", key.reveal())),
            ..SettingsMade::default()
        },
        Done::Destination(added) => SettingsMade {
            said: Some(match (&added.secret, added.waits_for_confirmation) {
                (Some(_), _) => "Alerts go there from now on. Test it.",
                (None, true) => "A mail asks the reader of the address to confirm it.",
                (None, false) => "The test message arrived. News goes there from now on.",
            }),
            secret: added.secret.map(|secret| secret.reveal()),
            ..SettingsMade::default()
        },
        Done::Nothing if change == "destination-test" => SettingsMade {
            said: Some("It is on its way."),
            ..SettingsMade::default()
        },
        Done::Nothing | Done::Project(_) | Done::Note(_) | Done::Action(_) => {
            let below = match change.as_str() {
                "person-remove" | "key-revoke" | "key-take" | "feed-revoke" | "destination-remove"
                | "edit" => "/settings",
                "badge" | "badge-hide" => "/settings#badge",
                "merge" => "/rivals",
                "rival" if pairs.text("back") == "rivals" => "/rivals",
                _ => "",
            };
            return Ok(see_other(&format!("{here}{below}")));
        }
    };
    settings::shown(&signed_in, &service, &id, made).await
}

async fn stop(
    signed_in: &SignedIn,
    service: &Service,
    id: &str,
    scan: &str,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(service, signed_in, id, Right::RunProject).await?;
    let owner = RunOwner::Project(scope.project());
    service.scans.cancel_queued(&owner, parse_id(scan)?).await?;
    Ok(see_other(&format!("/workspace/projects/{id}/runs")))
}

async fn not_run(
    signed_in: &SignedIn,
    service: &Service,
    id: &str,
    kind: NoticeKind,
    text: &str,
) -> Result<HttpResponse, ApiError> {
    one::noticed(signed_in, service, id, Some(Notice { kind, text })).await
}

/// Shows the project with what was wrong with a form.
async fn explain(
    signed_in: &SignedIn,
    service: &Service,
    id: &str,
    error: Error,
) -> Result<HttpResponse, ApiError> {
    let faults: Faults = faults_of(error)?;
    let sentences: Vec<_> = faults.iter().map(pages::fault_sentence).collect();
    one::shown(signed_in, service, id, Some(&sentences.join(" "))).await
}

fn body(member: &str, value: Value) -> Map<String, Value> {
    Map::from_iter([(member.to_owned(), value)])
}

/// Reads the form for a destination.
fn destination(pairs: &Pairs) -> Map<String, Value> {
    let mut body = texts(pairs, &["kind", "address"]);
    let alerts = match pairs.text("alerts") {
        "changes" => json!(["changes"]),
        "scores" => json!(["changes", "questions"]),
        "none" => json!([]),
        _ => Value::Null,
    };
    let digest = match (pairs.text("kind"), pairs.text("digest")) {
        ("webhook", _) | (_, "") => Value::Null,
        (_, period) => json!(period),
    };
    if pairs.text("of") == "organisation" {
        body.insert("of".to_owned(), json!("organisation"));
    }
    body.insert("alerts".to_owned(), alerts);
    body.insert("digest".to_owned(), digest);
    body.insert("report".to_owned(), json!(pairs.text("report") == "true"));
    body
}

pub(super) fn texts(pairs: &Pairs, names: &[&str]) -> Map<String, Value> {
    names
        .iter()
        .map(|name| ((*name).to_owned(), json!(pairs.text(name))))
        .collect()
}
