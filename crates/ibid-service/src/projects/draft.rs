//! Reading a project: every fault is found.

use super::conversions::{account_of, at_the_root};
use super::handle::Projects;
use super::markets::{MARKETS, Market, MarketDraft, market_of, markets_of, put};
use super::questions::{ALL, NewVersion, Wanted, asked, listed, set_of};
use crate::error::Error;
use crate::schedules::{Recurrence, ScheduleDraft, ScheduleOwner};
use crate::shown_text::is_name;
use ibid_engine::Slot;
use ibid_engine::plan::{Forecast, Plan};
use ibid_model::contract::field as f;
use ibid_model::result::{PlaceQuestion, Warning};
use ibid_model::{AccountId, FaultCode, Faults, OrganisationId, ProjectId, ScheduleId, Website};
use ibid_store::{
    MarketOrder, NewProject, ProjectOrder, ProjectReader, ProjectSubject, QuestionSetRecord, StoreError,
};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Runs are counted over so long to tell what a month costs.
const MONTH: SignedDuration = SignedDuration::from_hours(30 * 24);
/// Most runs of a month: one every hour.
const MOST_RUNS: usize = 720;
/// Questions a model in a run. Half see a fall of 15 points too late (docs/METHOD.md), and twice cost twice as much.
const QUESTIONS: usize = 10;
/// Longest name, in characters.
const NAME_CHARS: usize = 120;
/// What a project has beside its order.
const OWN: [&str; 5] = ["name", "recurrence", "monthlyBudgetUsd", "status", MARKETS];

/// A project that can be stored.
#[derive(Clone, Debug)]
pub struct ProjectDraft {
    pub(super) id: ProjectId,
    pub(super) name: String,
    pub(super) schedule: ScheduleDraft,
    /// The website as people write it.
    domain: String,
    /// The markets apart from its own.
    pub(super) markets: Vec<MarketDraft>,
    /// A version of its questions to store.
    pub(super) version: Option<NewVersion>,
    /// What its runs cost and show.
    pub forecast: Forecast,
    /// Its places as they were understood, its own first.
    pub places: Vec<PlaceRead>,
    /// Why answers to questions that name it lead to it, in sentences.
    pub branding: Vec<String>,
    /// Which paths of its websites are not measured by themselves, in sentences.
    pub left_out: Vec<String>,
}

/// A place as it was understood.
#[derive(Clone, Debug)]
pub struct PlaceRead {
    /// The place in the list of places.
    pub number: usize,
    pub text: String,
    /// The place with region and country.
    pub label: String,
    /// What to ask before anything is spent, where the text is not beyond doubt.
    pub question: Option<PlaceQuestion>,
}

impl PlaceRead {
    fn of(number: usize, plan: &Plan) -> Option<Self> {
        let place = plan.place()?;
        Some(Self {
            number,
            text: place.report.text.clone(),
            label: place.spoken.clone(),
            question: place.question.clone(),
        })
    }
}

impl ProjectDraft {
    /// Passes the project on in the words of the store; its next run comes after `now`.
    pub(super) fn stored<T>(
        &self,
        organisation: OrganisationId,
        actor: &str,
        now: Timestamp,
        write: impl FnOnce(ProjectOrder<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let id = ScheduleId::from_bytes(*self.id.as_bytes());
        let own = self.schedule.written(id, now);
        let markets = self.markets.iter();
        let markets: Vec<_> = markets
            .map(|draft| (draft, draft.schedule.written(id, now)))
            .collect();
        let markets = markets.iter().map(|(draft, written)| MarketOrder {
            place: draft.market.0.as_deref(),
            language: draft.market.1.as_deref(),
            terms: written.terms_of_market(),
        });
        let version = self.version.as_ref();
        write(ProjectOrder {
            project: NewProject {
                organisation,
                name: &self.name,
                subject: self.subject(),
                actor,
            },
            terms: own.terms(),
            questions: version.map(|version| version.packed.with_source(&version.source)),
            parent: version.and_then(|version| version.parent),
            markets: &markets.collect::<Vec<_>>(),
        })
    }

    /// What it measures.
    pub(super) fn subject(&self) -> ProjectSubject<'_> {
        let text = |name: &str| self.schedule.order.get(name).and_then(Value::as_str);
        ProjectSubject {
            domain: &self.domain,
            keyword: text("keyword").unwrap_or_default(),
            place: text("location"),
        }
    }

    /// Its own questions as a set, with the number of the last version.
    pub(super) fn question_set(&self, latest: u32, now: Timestamp) -> QuestionSetRecord {
        let subject = self.subject();
        QuestionSetRecord {
            id: set_of(self.id).id,
            name: self.name.clone(),
            domain: Some(subject.domain.to_owned()),
            keyword: Some(subject.keyword.to_owned()),
            place: subject.place.map(str::to_owned),
            latest,
            created_at: now.as_millisecond(),
        }
    }
}

impl Projects {
    /// What a new project has where its maker says nothing: on the page, over the API and at the command line.
    pub fn defaults() -> Map<String, Value> {
        Map::from_iter([
            (f::QUESTIONS_PER_MODEL.name.to_owned(), json!(QUESTIONS)),
            // Its questions are about its own town and the nearest ones.
            (f::RINGS.name.to_owned(), json!([1])),
            (f::KEYWORDS_PER_RING.name.to_owned(), json!(1)),
            (
                "recurrence".to_owned(),
                json!({"unit": "weeks", "every": 1, "weekday": "monday", "at": "09:00", "timeZone": "UTC"}),
            ),
        ])
    }

    /// Reads `name`, `recurrence` (every Monday at 9, UTC, by default), `monthlyBudgetUsd` and the members of an order, and
    /// plans a run. `questions` or `questionSet` become the first version of the project's own set; with them
    /// `questionsPerModel` is 1 to 300, or all of them.
    pub async fn draft(
        &self,
        reader: ProjectReader,
        body: &Map<String, Value>,
    ) -> Result<ProjectDraft, Error> {
        self.drafted(ProjectId::random(), account_of(reader), body, None)
            .await
    }

    /// As [`Self::draft`], for a project that may have an order already.
    pub(super) async fn drafted(
        &self,
        project: ProjectId,
        account: Option<AccountId>,
        body: &Map<String, Value>,
        before: Option<&Map<String, Value>>,
    ) -> Result<ProjectDraft, Error> {
        let mut faults = Faults::default();
        // A name of before stays as it was taken then.
        let name = match before {
            Some(_) => line_of(body, "name", &mut faults),
            None => name_of(body, "name", &mut faults),
        };
        let (own, mut order): (Map<_, _>, Map<_, _>) = body
            .clone()
            .into_iter()
            .partition(|(member, _)| OWN.contains(&member.as_str()));
        let wanted = match self.wanted(project, account, body).await {
            Ok(wanted) => wanted,
            Err(Error::Invalid(found)) => {
                faults.append(found);
                Wanted::Templates
            }
            Err(error) => return Err(error),
        };
        for member in [f::QUESTIONS.name, f::QUESTION_SET.name] {
            order.remove(member);
            let known = before.and_then(|before| before.get(member)).cloned();
            order.extend(known.map(|value| (member.to_owned(), value)));
        }
        let mut others = Vec::new();
        match markets_of(&own) {
            Ok(None) => {}
            Ok(Some(mut markets)) => {
                for member in [f::LOCATION.name, f::LANGUAGE.name] {
                    if order.get(member).is_some_and(|value| !value.is_null()) {
                        let message =
                            format!("{member} is a member of each of the markets; leave it out beside them");
                        faults.invalid(format!("/{member}"), message);
                    }
                }
                others = markets.split_off(1);
                markets.iter().for_each(|own| put(&mut order, own));
            }
            Err(found) => faults.append(found),
        }
        let version = self.ask(project, &mut order, wanted).await?;
        let counted = order.get_mut(f::QUESTIONS_PER_MODEL.name);
        let all = counted.filter(|value| value.as_str() == Some(ALL));
        if let Some(all) = all {
            *all = Value::Null;
            if asked(&order).is_none() && faults.is_empty() {
                let message =
                    "questionsPerModel is \"all\" of your own questions; give their number without them";
                faults.invalid("/questionsPerModel", message);
            }
        }
        let mut defaults = Self::defaults();
        let weekly = defaults.remove("recurrence").unwrap_or_default();
        if before.is_none() {
            let has_place = |market: &Market| market.0.is_some();
            if !has_place(&market_of(&order)) && !others.iter().any(has_place) {
                defaults.retain(|member, _| member == f::QUESTIONS_PER_MODEL.name);
            }
            let own = listed(&order).len();
            if own > 0 {
                defaults.insert(f::QUESTIONS_PER_MODEL.name.to_owned(), json!(QUESTIONS.min(own)));
            }
            for (member, value) in defaults {
                order.entry(member).or_insert(value);
            }
        }
        let recurrence = own.get("recurrence").filter(|value| !value.is_null());
        let body = Map::from_iter([
            ("order".to_owned(), Value::Object(order)),
            ("recurrence".to_owned(), recurrence.cloned().unwrap_or(weekly)),
            (
                "monthlyBudgetUsd".to_owned(),
                own.get("monthlyBudgetUsd").cloned().unwrap_or_default(),
            ),
        ]);
        // The owner decides about the form of the order alone.
        let owner = ScheduleOwner::Project(project);
        let read = self.schedules.planned(&owner, &body, Timestamp::now()).await;
        let (schedule, plan) = match read {
            Ok(read) if faults.is_empty() => {
                few_templates(&read.1)?;
                read
            }
            Ok(_) => return Err(faults.into()),
            Err(Error::Invalid(more)) => {
                faults.append(at_the_root(&more));
                return Err(faults.into());
            }
            Err(error) => return Err(error),
        };
        let markets = self.planned_markets(project, &body, &others).await?;
        let mut forecast = Forecast::of(&plan, runs_a_month(&schedule.recurrence));
        for market in &markets {
            forecast.with_market(&market.plan);
        }
        let plans = std::iter::once(&plan).chain(markets.iter().map(|market| &market.plan));
        let places = (0..)
            .zip(plans)
            .filter_map(|(number, plan)| PlaceRead::of(number, plan))
            .collect();
        let messages = |warnings: &[Warning], take: fn(&Warning) -> bool| -> Vec<String> {
            let taken = warnings.iter().filter(|warning| take(warning));
            taken.map(|warning| warning.message.clone()).collect()
        };
        let branding = messages(plan.branding(), |_| true);
        let mut branded = plan.branding().iter();
        if branded.any(|warning| warning.code == "branded_question") {
            let message = "every question names the website; add one that a stranger would ask".to_owned();
            return Err(Error::fault("/questions", FaultCode::Invalid, message));
        }
        let left_out = messages(plan.warnings(), |warning| warning.code == "path_left_out");
        if schedule.budget.is_some_and(|budget| forecast.run_cost > budget) {
            let message = format!(
                "one run costs about {}: the monthly budget has to hold one",
                forecast.run_cost
            );
            let fault = Faults::one("/monthlyBudgetUsd", FaultCode::OutOfRange, message);
            return Err(fault.into());
        }
        let domain = schedule.order.get("domain").and_then(Value::as_str);
        let domain = domain.and_then(|domain| domain.parse::<Website>().ok());
        Ok(ProjectDraft {
            id: project,
            name,
            version,
            domain: domain.map_or_else(String::new, |website| website.to_string()),
            forecast,
            places,
            branding,
            left_out,
            markets,
            schedule: schedule.asking(&plan)?,
        })
    }
}

/// Counts runs in the 30 days from now.
fn runs_a_month(recurrence: &Recurrence) -> usize {
    let now = Timestamp::now();
    let slots = recurrence.next_slots(now, MOST_RUNS);
    slots.iter().filter(|at| at.duration_since(now) < MONTH).count()
}

/// Refuses more questions a model than the program has.
fn few_templates(plan: &Plan) -> Result<(), Error> {
    let order = plan.order();
    let core = plan.questions().iter();
    let core = core.filter(|question| question.slot == Slot::Core);
    let pool: BTreeSet<&str> = core.map(|question| question.text.as_str()).collect();
    let pool = pool.len();
    if !order.questions().is_empty() || order.each_model() <= pool {
        return Ok(());
    }
    let message = format!("ibid has {pool} questions here; write your own to ask more");
    Err(Error::fault("/questionsPerModel", FaultCode::OutOfRange, message))
}

/// Reads a required name.
pub(super) fn name_of(body: &Map<String, Value>, member: &str, faults: &mut Faults) -> String {
    let name = line_of(body, member, faults);
    if faults.is_empty() && !is_name(&name, NAME_CHARS) {
        let message = format!(
            "{member} must be a text without invisible characters and links; a bare domain may be one"
        );
        faults.invalid(format!("/{member}"), message);
    }
    name
}

/// Reads a required text of one line.
pub(super) fn line_of(body: &Map<String, Value>, member: &str, faults: &mut Faults) -> String {
    let text = match body.get(member) {
        None | Some(Value::Null) => {
            faults.push(
                format!("/{member}"),
                FaultCode::Required,
                format!("{member} is required"),
            );
            return String::new();
        }
        Some(Value::String(text)) => text.trim(),
        Some(_) => "",
    };
    let fits = !text.is_empty() && text.chars().count() <= NAME_CHARS && !text.chars().any(char::is_control);
    if !fits {
        let message =
            format!("{member} must be a text of 1 to {NAME_CHARS} characters, none of them invisible");
        faults.invalid(format!("/{member}"), message);
    }
    text.to_owned()
}
