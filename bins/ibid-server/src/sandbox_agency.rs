//! Six projects in the sandbox, as an agency has clients, with half a year of weekly runs.
//!
//! Each shows one state of a project. The runs are asked, scored and judged like all others. The invented world's day
//! follows from the number of a run and not from the date, so every project shows its state on every day.

use ibid_model::AccountId;
use ibid_provider::Sandbox;
use ibid_service::{AnnotationDraft, PastOutcome, Projects, Service};
use ibid_store::{ProjectReader, ProjectScope, Right};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};
use std::sync::atomic::{AtomicBool, Ordering};

/// Weekly runs of each project.
const RUNS: u32 = 26;
/// Days between two runs.
const STEP_DAYS: u32 = 7;
/// The first run after a change.
const TURN: u32 = 18;
/// The first run that fails, or that the budget holds back.
const HELD: u32 = RUNS - 2;
/// Questions of a run to each model.
const QUESTIONS: u32 = 5;
/// Questions for a client with actions: three models get 24, so that enough stay for both sides of a test.
const QUESTIONS_WITH_ACTIONS: u32 = 8;
/// Questions of an action: as many as its test needs to promise something.
const TOUCHED: usize = 8;

struct Client {
    name: &'static str,
    domain: &'static str,
    keyword: &'static str,
    location: &'static str,
    /// Dollars a month.
    budget: Option<f64>,
    story: Story,
    /// What a person noted when something changed.
    note: Option<&'static str>,
}

/// The state that a project shows.
#[derive(Clone, Copy, Debug)]
enum Story {
    Steady,
    /// Its website had this strength before the change.
    Changed(f64),
    NewModels,
    Failing,
    OverBudget,
}

const CLIENTS: [Client; 6] = [
    Client {
        name: "Harbour Dental",
        domain: "harbourdental.example",
        keyword: "dentist",
        location: "Plymouth, United Kingdom",
        budget: Some(10.0),
        story: Story::Steady,
        note: None,
    },
    Client {
        name: "Oakline Kitchens",
        domain: "oakline.example",
        keyword: "kitchen fitter",
        location: "Leeds, United Kingdom",
        budget: Some(10.0),
        story: Story::Changed(0.9),
        note: Some("New website online"),
    },
    Client {
        name: "Northlight Accounting",
        domain: "northlight.example",
        keyword: "accountant",
        location: "Manchester, United Kingdom",
        budget: Some(10.0),
        story: Story::Changed(0.3),
        note: Some("Guide to tax returns published"),
    },
    Client {
        name: "Fernway Florists",
        domain: "fernway.example",
        keyword: "florist",
        location: "York, United Kingdom",
        budget: None,
        story: Story::NewModels,
        note: None,
    },
    Client {
        name: "Penrose Law",
        domain: "penrose.example",
        keyword: "conveyancing solicitor",
        location: "Exeter, United Kingdom",
        budget: None,
        story: Story::Failing,
        note: None,
    },
    Client {
        name: "Castle Plumbing",
        domain: "castleplumbing.example",
        keyword: "plumber",
        location: "Edinburgh, United Kingdom",
        // Two runs of a month.
        budget: Some(1.0),
        story: Story::OverBudget,
        note: None,
    },
];

impl Client {
    /// The project as the API takes it, with runs on Mondays from a time on.
    fn body(&self, from: Timestamp) -> Map<String, Value> {
        let recurrence = json!({
            "unit": "weeks",
            "weekday": "monday",
            "at": "09:00",
            "timeZone": "UTC",
            "from": from.strftime("%Y-%m-%d").to_string(),
        });
        let questions = match self.note {
            Some(_) => QUESTIONS_WITH_ACTIONS,
            None => QUESTIONS,
        };
        let members = [
            ("name", json!(self.name)),
            ("domain", json!(self.domain)),
            ("keyword", json!(self.keyword)),
            ("location", json!(self.location)),
            ("questionsPerModel", json!(questions)),
            ("rings", json!([])),
            ("recurrence", recurrence),
            ("monthlyBudgetUsd", json!(self.budget)),
        ];
        let members = members.into_iter();
        members.map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// What came of a run.
    fn outcome(&self, seed: u64, number: u32) -> PastOutcome {
        let world = Sandbox::new(seed).with_day(number * STEP_DAYS);
        match self.story {
            Story::Failing if number >= HELD => PastOutcome::Failed,
            Story::OverBudget if number >= HELD => PastOutcome::OverBudget,
            Story::Changed(before) if number < TURN => PastOutcome::Answered(world.with_strength(before)),
            Story::NewModels if number < TURN => PastOutcome::Answered(world.with_older_models()),
            _ => PastOutcome::Answered(world),
        }
    }
}

pub(crate) struct SandboxAgency {
    account: AccountId,
    /// Tells invented worlds apart.
    seed: u64,
}

impl SandboxAgency {
    pub(crate) const fn of(account: AccountId, seed: u64) -> Self {
        Self { account, seed }
    }

    /// Adds what is missing until `stopped` is set, and logs the outcome.
    pub(crate) async fn add(&self, service: &Service, stopped: &AtomicBool) {
        match self.add_missing(service, stopped).await {
            Ok(0) => tracing::debug!("sandbox.agency.unchanged"),
            Ok(runs) => tracing::debug!(runs, "sandbox.agency.added"),
            Err(error) => tracing::warn!(error = format!("{error:#}"), "sandbox.agency.failed"),
        }
    }

    async fn add_missing(&self, service: &Service, stopped: &AtomicBool) -> anyhow::Result<u32> {
        let mut added = 0;
        for (number, client) in (0..).zip(&CLIENTS) {
            let before = added;
            let Some(scope) = self.project(&service.projects, number, client).await? else {
                continue;
            };
            for run in 0..RUNS {
                if stopped.load(Ordering::Relaxed) {
                    return Ok(added);
                }
                let outcome = client.outcome(self.seed, run);
                let stored = service.projects.store_past_run(&scope, run, outcome).await?;
                added += u32::from(stored);
            }
            if added > before {
                // Stores the numbers that pages show.
                service.schedules.round(Timestamp::now()).await?;
                if let Some(title) = client.note {
                    add_actions(&service.projects, &scope, title).await?;
                }
            }
        }
        Ok(added)
    }

    /// Opens the project of a client, or makes it; `None` for one that people deleted.
    async fn project(
        &self,
        projects: &Projects,
        number: u32,
        client: &Client,
    ) -> anyhow::Result<Option<ProjectScope>> {
        let reader = ProjectReader::Account(self.account);
        let id = Projects::past_id(self.account.as_bytes(), number);
        let made_at = weeks_ago(RUNS);
        let made = projects
            .add_past(reader, id, made_at, &client.body(made_at))
            .await?;
        let scope = projects.scope(reader, &id.to_string(), Right::EditProject).await;
        let scope = match scope {
            Ok(scope) => scope,
            Err(ibid_service::Error::ProjectNotFound) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        if let Some(text) = client.note.filter(|_| made) {
            let day = weeks_ago(RUNS - TURN).strftime("%Y-%m-%d").to_string();
            let note = Map::from_iter([("day".to_owned(), json!(day)), ("text".to_owned(), json!(text))]);
            let note = AnnotationDraft::read(&note).map_err(ibid_service::Error::Invalid)?;
            projects.annotate(&scope, note).await?;
        }
        Ok(Some(scope))
    }
}

fn weeks_ago(weeks: u32) -> Timestamp {
    Timestamp::now() - SignedDuration::from_hours(24 * i64::from(STEP_DAYS * weeks))
}

/// Adds what was done when something changed, agreed two months before, and something to do. The runs decide what came of it.
async fn add_actions(projects: &Projects, scope: &ProjectScope, title: &str) -> anyhow::Result<()> {
    let (_, asked) = projects.asked(scope).await?;
    let texts: Vec<&str> = asked.iter().map(|question| question.text.as_str()).collect();
    let (touched, others) = texts.split_at(TOUCHED.min(texts.len()));
    if others.is_empty() || !projects.action_lines(scope).await?.is_empty() {
        return Ok(());
    }
    let done_on = weeks_ago(RUNS - TURN).to_zoned(TimeZone::UTC).date();
    let next: Vec<&str> = others.iter().take(TOUCHED).copied().collect();
    for (title, page, questions, runs, agreed_at, done_on) in [
        (title, "/", touched, 6, weeks_ago(RUNS - TURN + 8), Some(done_on)),
        (
            "Write a page of prices",
            "/prices",
            &next,
            8,
            Timestamp::now(),
            None,
        ),
    ] {
        let body = json!({"title": title, "page": page, "who": "Sam", "questions": questions, "runs": runs});
        let body = body.as_object().cloned().unwrap_or_default();
        projects.add_past_action(scope, &body, agreed_at, done_on).await?;
    }
    Ok(())
}
