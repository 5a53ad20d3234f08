//! `POST /workspace/projects/{id}/{change}`: what the forms of a project do.

use super::super::signed_in::SignedIn;
use super::super::stored::parse_id;
use super::access::scope;
use super::new::places;
use super::one;
use super::settings::{self, Made};
use crate::extract::{AuthenticatedThen, Form, Pairs, SameOrigin};
use crate::problem::{ApiError, faults_of};
use crate::redirect::see_other;
use actix_web::{HttpResponse, web};
use ibid_model::Faults;
use ibid_service::{AnnotationDraft, Error, ProjectScope, Right, RivalDraft, RunOwner, Service};
use ibid_web::{Notice, NoticeKind, pages};
use serde_json::{Map, Value, json};

pub(crate) async fn change(
    _own: SameOrigin,
    target: web::Path<(String, String)>,
    AuthenticatedThen(signed_in, Form(pairs)): AuthenticatedThen<SignedIn, Form<4_096>>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let (id, change) = target.into_inner();
    let right = match change.as_str() {
        "run" | "stop" => Right::RunProject,
        "pause" | "resume" | "note" | "rival" | "merge" | "places" | "badge" | "badge-hide"
        | "destination" | "sender" | "destination-test" | "destination-remove" => Right::EditProject,
        _ => Right::AdminProject,
    };
    let scope = scope(&service, &signed_in, &id, right).await?;
    let here = format!("/workspace/projects/{id}");
    let (projects, there) = (&service.projects, see_other(&here));
    match change.as_str() {
        "run" => return run(&signed_in, &service, &scope, &id).await,
        "stop" => {
            let scan = parse_id(pairs.text("scan"))?;
            let owner = RunOwner::Project(scope.project());
            service.scans.cancel_queued(&owner, scan).await?;
            return Ok(see_other(&format!("{here}/runs")));
        }
        "pause" => drop(projects.edit(&scope, &status("paused")).await?),
        "resume" => drop(projects.edit(&scope, &status("active")).await?),
        "places" => {
            let body = Map::from_iter([("markets".to_owned(), json!(places(pairs.text("places"))))]);
            if let Err(error) = projects.edit(&scope, &body).await {
                return explain(&signed_in, &service, &id, error).await;
            }
        }
        "sender" => {
            let body = texts(&pairs, &["senderName", "replyTo"]);
            if let Err(error) = projects.edit(&scope, &body).await {
                let made = faulty(error)?;
                return settings::shown(&signed_in, &service, &id, made).await;
            }
        }
        "archive" => drop(projects.edit(&scope, &status("archived")).await?),
        "note" => {
            let draft = AnnotationDraft::read(&texts(&pairs, &["day", "text"]));
            let noted = match draft {
                Ok(draft) => projects.annotate(&scope, draft).await.map(drop),
                Err(faults) => Err(Error::Invalid(faults)),
            };
            if let Err(error) = noted {
                return explain(&signed_in, &service, &id, error).await;
            }
        }
        "rival" => {
            let put = match pairs.text("state") {
                "none" => projects.forget_rival(&scope, pairs.text("name")).await,
                _ => match RivalDraft::read(&texts(&pairs, &["name", "state"])) {
                    Ok(draft) => projects.keep_rival(&scope, draft).await,
                    Err(faults) => Err(Error::Invalid(faults)),
                },
            };
            if let Err(error) = put {
                return explain(&signed_in, &service, &id, error).await;
            }
            if pairs.text("back") == "rivals" {
                return Ok(see_other(&format!("{here}/rivals")));
            }
        }
        "merge" => {
            let (name, into) = (pairs.text("name"), pairs.text("into"));
            let draft = RivalDraft::read(&Map::from_iter([
                ("name".to_owned(), json!(into)),
                ("state".to_owned(), json!("pinned")),
            ]));
            let merged = match draft {
                Ok(_) if name == into => Ok(()),
                Ok(draft) => projects.merge_rival(&scope, name, draft).await,
                Err(faults) => Err(Error::Invalid(faults)),
            };
            if let Err(error) = merged {
                return explain(&signed_in, &service, &id, error).await;
            }
            return Ok(see_other(&format!("{here}/rivals")));
        }
        "person" => {
            let added = projects
                .add_person(&scope, &texts(&pairs, &["email", "role"]))
                .await;
            let made = match added {
                Ok(added) => Made {
                    link: Some(format!("{}{}", signed_in.browser.frame().base_url, added.path)),
                    ..Made::default()
                },
                Err(error) => faulty(error)?,
            };
            return settings::shown(&signed_in, &service, &id, made).await;
        }
        "person-remove" => projects.remove_person(&scope, pairs.text("account")).await?,
        "key" => {
            let made = match projects
                .make_key(&scope, &texts(&pairs, &["name", "access"]))
                .await
            {
                Ok(key) => Made {
                    key: Some(key.reveal().to_owned()),
                    ..Made::default()
                },
                Err(error) => faulty(error)?,
            };
            return settings::shown(&signed_in, &service, &id, made).await;
        }
        "key-revoke" => projects.revoke_key(&scope, pairs.text("key")).await?,
        "feed" => {
            let mut body = texts(&pairs, &["name"]);
            body.insert("detail".to_owned(), json!(pairs.text("detail") == "true"));
            let made = match projects.make_feed_key(&scope, &body).await {
                Ok(key) => Made {
                    feed: Some(format!(
                        "{}/feed/{}/",
                        signed_in.browser.frame().base_url,
                        key.reveal()
                    )),
                    ..Made::default()
                },
                Err(error) => faulty(error)?,
            };
            return settings::shown(&signed_in, &service, &id, made).await;
        }
        "feed-revoke" => projects.revoke_feed_key(&scope, pairs.text("feed")).await?,
        "destination" => {
            let made = match projects.add_destination(&scope, &destination(&pairs)).await {
                Ok(added) => Made {
                    said: Some(match (&added.secret, added.waits_for_confirmation) {
                        (Some(_), _) => "Alerts go there from now on. Test it.",
                        (None, true) => "A mail asks the reader of the address to confirm it.",
                        (None, false) => "The test message arrived. News goes there from now on.",
                    }),
                    secret: added.secret.map(|secret| secret.reveal()),
                    ..Made::default()
                },
                Err(error) => faulty(error)?,
            };
            return settings::shown(&signed_in, &service, &id, made).await;
        }
        "destination-test" => {
            let made = match projects.test_destination(&scope, pairs.text("destination")).await {
                Ok(()) => Made {
                    said: Some("The test message is on its way."),
                    ..Made::default()
                },
                Err(error) => faulty(error)?,
            };
            return settings::shown(&signed_in, &service, &id, made).await;
        }
        "destination-remove" => {
            projects
                .delete_destination(&scope, pairs.text("destination"))
                .await?
        }
        "badge" | "badge-hide" => {
            projects.show_badge(&scope, change == "badge").await?;
            return Ok(see_other(&format!("{here}/settings#badge")));
        }
        "delete" if pairs.text("sure") == "true" => {
            return match projects.delete(&scope).await {
                Ok(_) => Ok(see_other("/workspace/projects")),
                Err(Error::ScheduleRunning) => {
                    let why = "A run is under way. Delete the project when it has ended.";
                    one::shown(&signed_in, &service, &id, Some(why)).await
                }
                Err(error) => Err(error.into()),
            };
        }
        "delete" => return Ok(see_other(&format!("{here}/settings"))),
        _ => return Err(ApiError::NoSuchPath),
    }
    match change.as_str() {
        "person-remove" | "key-revoke" | "feed-revoke" | "destination-remove" | "sender" => {
            Ok(see_other(&format!("{here}/settings")))
        }
        _ => Ok(there),
    }
}

async fn run(
    signed_in: &SignedIn,
    service: &Service,
    scope: &ProjectScope,
    id: &str,
) -> Result<HttpResponse, ApiError> {
    let mut kind = NoticeKind::Refused;
    let text = match service.projects.run_now(scope).await {
        Ok(run) if run.scan.is_some() => {
            return Ok(see_other(&format!("/workspace/projects/{id}/runs")));
        }
        Ok(run) => match run.outcome.as_deref() {
            Some("over_organisation_budget") => {
                kind = NoticeKind::OverBudget;
                "No run was started: it is over the monthly budget of the organisation."
            }
            Some("over_budget") => "No run was started: it is over the monthly budget of the project.",
            Some("project_archived") => "No run was started: the project is archived.",
            Some(_) => "No run was started.",
            None => "The run waits for a free place.",
        },
        Err(Error::ScheduleRunning) => "No run was started: the run before is still under way.",
        Err(Error::WorkspaceDisabled) => "No run was started: the operator pays for no runs.",
        Err(error) => return Err(error.into()),
    };
    one::noticed(signed_in, service, id, Some(Notice { kind, text })).await
}

/// Shows the page of the project with the faults of a form.
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

fn faulty(error: Error) -> Result<Made, ApiError> {
    Ok(Made {
        faults: faults_of(error)?,
        ..Made::default()
    })
}

fn status(word: &str) -> Map<String, Value> {
    Map::from_iter([("status".to_owned(), json!(word))])
}

/// The request of the form of a destination.
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

fn texts(pairs: &Pairs, names: &[&str]) -> Map<String, Value> {
    names
        .iter()
        .map(|name| ((*name).to_owned(), json!(pairs.text(name))))
        .collect()
}
