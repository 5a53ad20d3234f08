//! Exports all data of an account as one JSON document, in parts: a large account does not fit into memory.

use crate::clock::at as time;
use crate::error::Error;
use crate::evidence::Evidence;
use crate::schedules::{ScheduleOwner, ScheduleView, alert_document, dollars};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ibid_model::{AccountId, RunState, ScanId};
use ibid_store::{
    AccountAction, AccountRecord, ActionRecord, AuditRecord, DestinationOf, DestinationRecord, DigestPeriod,
    Identity, Millis, ProjectReader, RunQuery, RunRecord, Store, StoreError,
};
use serde_json::{Value, json};
use std::collections::VecDeque;

/// Scans that are listed at a time.
const A_PAGE: u32 = 200;

/// An export under way.
/// Each call of [`AccountExport::next`] returns the next part.
#[derive(Debug)]
pub struct AccountExport {
    account: AccountRecord,
    scans: VecDeque<RunRecord>,
    audits: VecDeque<AuditRecord>,
    step: Step,
}

/// The part that comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Head,
    Scans { first: bool },
    Audits { first: bool },
    End,
}

impl AccountExport {
    /// Begins the export of an account and notes it in its log.
    pub fn begin(store: &Store, account: AccountRecord, now: Millis) -> Result<Self, StoreError> {
        let mut scans = VecDeque::new();
        loop {
            let skip = u32::try_from(scans.len()).unwrap_or(u32::MAX);
            let query = RunQuery {
                skip,
                most: A_PAGE,
                ..RunQuery::default()
            };
            let found = store.find_runs(account.id, &query)?.rows;
            if found.is_empty() {
                break;
            }
            scans.extend(found);
        }
        let audits = store.audits(account.id, None, u32::MAX)?.into();
        store.log_account(account.id, AccountAction::Exported, now)?;
        Ok(Self {
            account,
            scans,
            audits,
            step: Step::Head,
        })
    }

    /// Returns the next part, or `None` after the last one.
    pub async fn next(&mut self, evidence: &Evidence) -> Result<Option<Vec<u8>>, Error> {
        let db = &evidence.db;
        let (part, step) = match self.step {
            Step::Head => {
                let account = self.account.clone();
                let head = db.call(move |store| head(store, &account)).await?;
                (head, Step::Scans { first: true })
            }
            Step::Scans { first } => match self.scans.pop_front() {
                Some(scan) => {
                    let answers = evidence.read(scan.id).await?;
                    let part = db.call(move |store| scan_of(store, &scan, answers)).await?;
                    (comma(first, part), Step::Scans { first: false })
                }
                None => (b"],\"audits\":[".to_vec(), Step::Audits { first: true }),
            },
            Step::Audits { first } => match self.audits.pop_front() {
                Some(audit) => {
                    let part = db.call(move |store| audit_of(store, &audit)).await?;
                    (comma(first, part), Step::Audits { first: false })
                }
                None => (b"]}\n".to_vec(), Step::End),
            },
            Step::End => return Ok(None),
        };
        self.step = step;
        Ok(Some(part))
    }
}

/// The account, its reports' title and logo, its credits, receipts, log, schedules and alerts.
fn head(store: &Store, account: &AccountRecord) -> Result<Vec<u8>, StoreError> {
    let movements = store.movements(account.id, None, u32::MAX)?;
    let movements = movements.iter().map(|movement| {
        json!({
            "at": time(movement.at),
            "kind": movement.kind.as_str(),
            "credits": movement.amount,
            "balance": movement.balance,
            "scan": movement.scan.as_ref().map(|(id, ..)| id.to_string()),
        })
    });
    let receipts = store.finished_runs(account.id, None, u32::MAX)?;
    let receipts = receipts.iter().filter_map(|run| {
        Some(json!({
            "receipt": run.finished?.receipt.to_string(),
            "at": run.ended_at.map(time),
            "domain": run.domain,
            "keyword": run.keyword,
            "credits": 1,
        }))
    });
    let log = store.account_log(Some(account.id), u32::MAX)?;
    let log = log.iter().map(|entry| {
        json!({
            "at": time(entry.at),
            "action": entry.action.as_str(),
            "scan": entry.scan.map(|scan| scan.to_string()),
            "by": entry.by,
        })
    });
    let (schedules, alerts) = schedules_of(store, account.id)?;
    let brand = store.report_brand(account.id)?.map(|brand| {
        json!({
            "title": brand.title,
            "logoPng": brand.logo.map(|png| STANDARD.encode(png)),
            "changedAt": time(brand.changed_at),
        })
    });
    let head = json!({
        "account": {
            "id": account.id.to_string(),
            "email": account.email,
            "role": account.role.as_str(),
            "credits": account.credits,
            "monthlyBudgetUsd": account.budget.map(dollars),
            "signInCode": account.second_factor,
            "signsInWith": identities_of(store, account.id)?,
            "createdAt": time(account.created_at),
        },
        "reportBrand": brand,
        "movements": movements.collect::<Vec<_>>(),
        "receipts": receipts.collect::<Vec<_>>(),
        "log": log.collect::<Vec<_>>(),
        "schedules": schedules,
        "alerts": alerts,
        "projects": projects_of(store, account.id)?,
        "digestAddresses": digests_of(store, account.id)?,
        "questionSets": crate::questions::account_sets(store, account.id)?,
    });
    Ok(open(&head, b"\"scans\":["))
}

/// With which persons an OpenID provider signs in to the account.
fn identities_of(store: &Store, account: AccountId) -> Result<Vec<Value>, StoreError> {
    let found = store.identities(account)?;
    let person = |identity: &Identity| json!({"issuer": identity.issuer, "subject": identity.subject});
    Ok(found.iter().map(person).collect())
}

/// Schedules with all of their runs, and alerts.
fn schedules_of(store: &Store, account: AccountId) -> Result<(Vec<Value>, Vec<Value>), StoreError> {
    let owner = ScheduleOwner::Account(account).name();
    let now = jiff::Timestamp::now();
    let mut schedules = Vec::new();
    for record in store.schedules(Some(&owner))? {
        let mut view = ScheduleView::of(store, record, now)?;
        view.runs = store.scheduled_runs(view.record.id, u32::MAX)?;
        schedules.push(view.document());
    }
    let alerts = store.alerts(&owner, None, u32::MAX)?;
    Ok((schedules, alerts.iter().map(alert_document).collect()))
}

/// Addresses that get a digest about all projects.
fn digests_of(store: &Store, account: AccountId) -> Result<Vec<Value>, StoreError> {
    let found = store.destinations(DestinationOf::Account(account))?;
    let address = |record: &DestinationRecord| {
        json!({
            "address": record.address,
            "digest": record.digest.map(DigestPeriod::as_str),
            "createdAt": time(record.created_at),
            "confirmedAt": record.confirmed_at.map(time),
        })
    };
    Ok(found.iter().map(address).collect())
}

/// The projects that an account sees. Of their notes and actions only its own are its data.
fn projects_of(store: &Store, account: AccountId) -> Result<Vec<Value>, StoreError> {
    let reader = ProjectReader::Account(account);
    let mut projects = Vec::new();
    for project in store.projects(reader, 0)? {
        let Some(scope) = store.project_scope(reader, project.id)? else {
            continue;
        };
        let notes = store.annotations(&scope)?;
        let notes = notes.iter().filter(|note| note.author == Some(account));
        let actions = store.actions(&scope)?;
        let actions = actions.iter().filter(|action| action.author == Some(account));
        projects.push(json!({
            "projectId": project.id,
            "name": project.name,
            "domain": project.domain,
            "keyword": project.keyword,
            "location": project.place,
            "notes": notes.map(|note| json!({"day": note.day, "text": note.text})).collect::<Vec<_>>(),
            "actions": actions.map(action_document).collect::<Vec<_>>(),
        }));
    }
    Ok(projects)
}

fn action_document(action: &ActionRecord) -> Value {
    json!({
        "title": action.title,
        "page": action.page,
        "questions": action.questions,
        "who": action.person,
        "goal": action.goal,
        "status": action.status.as_str(),
        "doneOn": action.done_on,
        "createdAt": time(action.created_at),
    })
}

fn scan_of(store: &Store, run: &RunRecord, answers: Option<Vec<u8>>) -> Result<Vec<u8>, StoreError> {
    let state = match run.state {
        _ if run.finished.is_some() => "complete",
        RunState::Queued => "running",
        state => state.as_str(),
    };
    let head = json!({
        "id": run.id.to_string(),
        "state": state,
        "title": run.title,
        "tags": run.tags,
        "domain": run.domain,
        "keyword": run.keyword,
        "place": run.place,
        "createdAt": time(run.created_at),
        "endedAt": run.ended_at.map(time),
        "costUsd": dollars(run.cost),
        "publicLink": run.share.as_ref().map(|share| format!("/s/{}", share.token)),
    });
    let mut part = open(&head, b"\"request\":");
    part.extend_from_slice(run.request.as_bytes());
    part.extend_from_slice(b",\"document\":");
    part.extend_from_slice(&document_of(store, run.id)?);
    part.extend_from_slice(b",\"answers\":");
    part.extend_from_slice(answers.as_deref().unwrap_or(b"null"));
    part.push(b'}');
    Ok(part)
}

fn audit_of(store: &Store, audit: &AuditRecord) -> Result<Vec<u8>, StoreError> {
    let kind: &str = audit.kind.into();
    let head = json!({
        "id": audit.id.to_string(),
        "kind": kind,
        "address": audit.address,
        "score": audit.score,
        "createdAt": time(audit.created_at),
    });
    let mut part = open(&head, b"\"document\":");
    part.extend_from_slice(&document_of(store, audit.id)?);
    part.push(b'}');
    Ok(part)
}

fn document_of(store: &Store, id: ScanId) -> Result<Vec<u8>, StoreError> {
    Ok(store.scan(id)?.map_or(b"null".to_vec(), |scan| scan.reply))
}

/// Opens an object whose next member starts with `next`.
fn open(object: &Value, next: &[u8]) -> Vec<u8> {
    let mut text = object.to_string().into_bytes();
    text.pop();
    text.push(b',');
    text.extend_from_slice(next);
    text
}

/// An element of an array, with a comma before all but the first.
fn comma(first: bool, mut element: Vec<u8>) -> Vec<u8> {
    if !first {
        element.insert(0, b',');
    }
    element
}
