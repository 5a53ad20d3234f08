//! `/workspace/questions`: the question sets of an account, written, imported and proposed.

use super::browser::status_of;
use super::signed_in::SignedIn;
use crate::extract::{Asked, Form, Pairs, Posted, Upload};
use crate::problem::{ApiError, faults_of};
use crate::redirect::see_other;
use crate::respond::{Answer, attachment};
use actix_web::{HttpResponse, web};
use ibid_model::{Faults, OwnQuestion, QuestionSetName};
use ibid_service::{CallerId, Error, ImportedLine, Proposal, QuestionSetDraft, QuestionSetView, Service};
use ibid_web::csv;
use ibid_web::pages::{self, QuestionEntries, QuestionSetPage, QuestionSetsPage};
use serde_json::{Map, Value, json};

/// Most bytes of a form with three hundred questions, written in three-byte letters and percent-encoded.
const MOST_FORM: usize = 1_048_576;

/// `GET /workspace/questions`.
pub(crate) async fn list(signed_in: SignedIn, service: web::Data<Service>) -> Result<HttpResponse, ApiError> {
    show_all(
        &signed_in,
        &service,
        &QuestionEntries::default(),
        &Faults::default(),
    )
    .await
}

/// `POST /workspace/questions`: makes a set.
pub(crate) async fn add(
    Posted(signed_in, Form(pairs), _, service): Posted<SignedIn, Form<MOST_FORM>>,
) -> Answer {
    let entries = entries(&pairs);
    let mut body = lines(&entries.questions, &[]);
    for name in ["name", "domain", "keyword", "location"] {
        if !pairs.text(name).is_empty() {
            body.insert(name.to_owned(), json!(pairs.text(name)));
        }
    }
    let added = match QuestionSetDraft::read(&body) {
        Ok(draft) => service.questions.add(&owner(&signed_in), draft, "written").await,
        Err(faults) => Err(Error::Invalid(faults)),
    };
    match added {
        Ok(view) => Ok(see_other(&path(&view))),
        Err(error) => show_all(&signed_in, &service, &entries, &faults_of(error)?).await,
    }
}

/// `GET /workspace/questions/{id}`, and the last version as a table.
pub(crate) async fn read(Asked(signed_in, id, service): Asked<SignedIn>) -> Answer {
    let Some(table) = id.strip_suffix(".csv") else {
        let view = find(&signed_in, &service, &id).await?;
        return show(&signed_in, &service, &view, Shown::default()).await;
    };
    let view = find(&signed_in, &service, table).await?;
    Ok(attachment(csv::CONTENT_TYPE, "questions.csv").body(view.csv()))
}

/// `POST /workspace/questions/{id}/{change}`: writes, accepts, proposes or deletes.
pub(crate) async fn change(
    Posted(signed_in, Form(pairs), target, service): Posted<SignedIn, Form<MOST_FORM>, (String, String)>,
) -> Answer {
    let (id, change) = target.into_inner();
    let view = find(&signed_in, &service, &id).await?;
    match change.as_str() {
        "write" => {
            let body = lines(pairs.text("questions"), &view.questions);
            store(&signed_in, &service, &view, &pairs, body, "written").await
        }
        "accept" => {
            let added = pairs
                .all("add")
                .filter_map(|value| serde_json::from_str(value).ok());
            let kept = view.questions.iter().map(|question| json!(question));
            let body = Map::from_iter([("questions".to_owned(), kept.chain(added).collect())]);
            store(&signed_in, &service, &view, &pairs, body, "proposed").await
        }
        "propose" => propose(&signed_in, &service, &view, &pairs).await,
        "delete" => {
            service.questions.delete(&owner(&signed_in), name(&view)).await?;
            Ok(see_other("/workspace/questions"))
        }
        _ => Err(Error::QuestionSetNotFound.into()),
    }
}

/// `POST /workspace/questions/{id}/import`: shows what each line becomes, or stores a new version.
pub(crate) async fn import(
    Posted(signed_in, upload, id, service): Posted<SignedIn, Upload<1_048_576>, String>,
) -> Answer {
    let view = find(&signed_in, &service, &id).await?;
    let is_set = |name: &str| upload.texts.text(name) == "true";
    let (dry, info) = (is_set("dryRun"), is_set("info"));
    let file = upload.file.filter(|file| file.field == "file");
    let file = file.map(|file| file.bytes.to_vec()).unwrap_or_default();
    let imported = service
        .questions
        .import(&owner(&signed_in), name(&view), file, (dry, info))
        .await;
    let imported = match imported {
        Ok(imported) => imported,
        Err(Error::ImportUnreadable(why)) => {
            let faults = Faults::one("/file", ibid_model::FaultCode::Invalid, why.to_string());
            let shown = Shown {
                faults,
                ..Shown::default()
            };
            return show(&signed_in, &service, &view, shown).await;
        }
        Err(error) => return Err(error.into()),
    };
    match imported.view {
        Some(stored) => Ok(see_other(&path(&stored))),
        None => {
            let shown = Shown {
                lines: imported.lines,
                ..Shown::default()
            };
            show(&signed_in, &service, &view, shown).await
        }
    }
}

/// Asks a model for questions, and shows them.
async fn propose(
    signed_in: &SignedIn,
    service: &Service,
    view: &QuestionSetView,
    pairs: &Pairs,
) -> Result<HttpResponse, ApiError> {
    let mut body = facts(view);
    for name in ["audience", "offer"] {
        if !pairs.text(name).is_empty() {
            body.insert(name.to_owned(), json!(pairs.text(name)));
        }
    }
    let mut shown = Shown {
        form: entries(pairs),
        ..Shown::default()
    };
    let key = service.questions.account_key();
    let proposal = match service.questions.proposal_order(&body) {
        Ok(order) => service.questions.propose(&owner(signed_in), order, key).await,
        Err(error) => Err(error),
    };
    match proposal {
        Ok(proposal) => shown.proposal = Some(proposal),
        Err(error) => shown.faults = faults_of(error)?,
    }
    show(signed_in, service, view, shown).await
}

/// Stores a new version, if the one that the form knew is still the last.
async fn store(
    signed_in: &SignedIn,
    service: &Service,
    view: &QuestionSetView,
    pairs: &Pairs,
    body: Map<String, Value>,
    source: &'static str,
) -> Result<HttpResponse, ApiError> {
    let expected = pairs.text("version").parse().ok();
    let stored = match QuestionSetDraft::read(&body) {
        Ok(draft) => {
            service
                .questions
                .replace(&owner(signed_in), name(view), expected, draft, source)
                .await
        }
        Err(faults) => Err(Error::Invalid(faults)),
    };
    match stored {
        Ok(view) => Ok(see_other(&path(&view))),
        Err(error) => {
            let shown = Shown {
                form: entries(pairs),
                faults: faults_of(error)?,
                ..Shown::default()
            };
            show(signed_in, service, view, shown).await
        }
    }
}

/// What a page shows apart from the set.
#[derive(Default)]
struct Shown {
    form: QuestionEntries,
    faults: Faults,
    lines: Vec<ImportedLine>,
    proposal: Option<Proposal>,
}

async fn show(
    signed_in: &SignedIn,
    service: &Service,
    view: &QuestionSetView,
    shown: Shown,
) -> Result<HttpResponse, ApiError> {
    let price = match service.questions.account_key() {
        Some(_) => service.questions.default_price(),
        None => String::new(),
    };
    let answers = service
        .questions
        .last_answers(signed_in.member.account, view)
        .await?;
    let are_answered = answers.iter().any(Option::is_some);
    let page = QuestionSetPage {
        view,
        answers: if are_answered { &answers } else { &[] },
        form: &shown.form,
        faults: &shown.faults,
        lines: &shown.lines,
        proposal: shown.proposal.as_ref(),
        price: &price,
    };
    signed_in.browser.show(status_of(&shown.faults), |frame| {
        pages::question_set(frame, &page)
    })
}

async fn show_all(
    signed_in: &SignedIn,
    service: &Service,
    form: &QuestionEntries,
    faults: &Faults,
) -> Result<HttpResponse, ApiError> {
    let sets = service.questions.all(&owner(signed_in)).await?;
    let page = QuestionSetsPage {
        sets: &sets,
        form,
        faults,
    };
    signed_in
        .browser
        .show(status_of(faults), |frame| pages::question_sets(frame, &page))
}

async fn find(signed_in: &SignedIn, service: &Service, id: &str) -> Result<QuestionSetView, ApiError> {
    let name: QuestionSetName = id.parse().map_err(|_| Error::QuestionSetNotFound)?;
    Ok(service.questions.get(&owner(signed_in), name).await?)
}

fn owner(signed_in: &SignedIn) -> CallerId {
    CallerId::of(signed_in.member.account)
}

fn name(view: &QuestionSetView) -> QuestionSetName {
    QuestionSetName {
        id: view.set.id,
        version: None,
    }
}

fn path(view: &QuestionSetView) -> String {
    format!("/workspace/questions/{}", name(view))
}

/// Returns the facts that checks and proposals need.
fn facts(view: &QuestionSetView) -> Map<String, Value> {
    let members = [
        ("domain", json!(view.set.domain)),
        ("keyword", json!(view.set.keyword)),
        ("location", json!(view.set.place)),
    ];
    members
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// Makes questions from the lines of a text. A line that was a question before keeps what is known about it.
fn lines(text: &str, before: &[OwnQuestion]) -> Map<String, Value> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let questions = lines.map(|line| {
        let known = before.iter().find(|question| question.as_str() == line);
        known.map_or_else(|| json!(line), |known| json!(known))
    });
    Map::from_iter([("questions".to_owned(), questions.collect())])
}

fn entries(pairs: &Pairs) -> QuestionEntries {
    let text = |name: &str| pairs.text(name).to_owned();
    QuestionEntries {
        name: text("name"),
        domain: text("domain"),
        keyword: text("keyword"),
        location: text("location"),
        questions: text("questions"),
        audience: text("audience"),
        offer: text("offer"),
    }
}
