//! Captures that a provider is asked for.
//!
//! Each is a piece of an import of the stratum `interface`, so what is missing is what is still to be asked. The id of a capture
//! follows from the import and its number: nothing is stored of what is pending, and a repeated request goes on.

use super::elsewhere::{AnswerImportView, Asked, ElsewhereAnswer, MOST_IMPORTS, scored, too_many_imports};
use super::handle::Projects;
use super::plain::{change, this_month};
use super::reports::hex;
use crate::captures::{Capture, CaptureError, CaptureQuestion, CaptureTerms, Country, Interface};
use crate::clock::now_ms;
use crate::error::Error;
use crate::failure::chain;
use futures_util::{StreamExt, TryStreamExt, stream};
use ibid_engine::read::Target;
use ibid_model::{AnswerImportId, Domain, FaultCode, Faults, QuestionText, UsdMicros};
use ibid_store::{
    AnswerImportAdded, AnswerStratum, CapturesAdded, NewAnswerImport, NewAnswerPart, NewCaptures,
    ProjectScope, Reservation,
};
use jiff::civil::Date;
use jiff::{Timestamp, tz::TimeZone};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::future::ready;
use std::time::Duration;
use tokio::time::sleep;

/// Most questions of a request, as of a project.
const MOST_QUESTIONS: usize = 300;
/// Calls at a time. Half makes a request that waits longer; twice as many is more than small providers take.
const AT_ONCE: usize = 8;
/// The time after which a request answers with what is there.
const PATIENCE: Duration = Duration::from_secs(20);
/// The time after which a capture that is still pending has failed, in milliseconds: a day.
const GIVE_UP: i64 = 86_400_000;

/// What captures are asked for.
#[derive(Clone, Debug)]
struct CaptureOrder {
    interface: Interface,
    country: Country,
    questions: Vec<String>,
}

impl CaptureOrder {
    /// Reads `interface`, `country` and `questions`; without them those of the project are taken.
    fn read(body: &Map<String, Value>, own: Vec<String>) -> Result<Self, Faults> {
        let mut faults = Faults::default();
        let text = |name: &str| body.get(name).and_then(Value::as_str);
        let interface = interface_of(text("interface").unwrap_or_default());
        if interface.is_none() {
            let words = Interface::ALL.map(Interface::as_str).join(", ");
            let message = format!("interface must be one of {words}");
            faults.push("/interface", FaultCode::Invalid, message);
        }
        let country: Option<Country> = text("country").and_then(|text| text.parse().ok());
        if country.is_none() {
            let message = "country must have two letters, such as GB";
            faults.push("/country", FaultCode::Invalid, message);
        }
        let mut questions = match body.get("questions") {
            None | Some(Value::Null) => own,
            Some(list) => {
                let texts = list.as_array().into_iter().flatten();
                texts
                    .map(|text| text.as_str().unwrap_or_default().trim().to_owned())
                    .collect()
            }
        };
        let mut seen = HashSet::new();
        questions.retain(|question| seen.insert(question.to_lowercase()));
        for (at, question) in questions.iter().enumerate() {
            if let Err(error) = question.parse::<QuestionText>() {
                let message = format!("question {}: {error}", at + 1);
                faults.push(format!("/questions/{at}"), FaultCode::Invalid, message);
            }
        }
        if !(1..=MOST_QUESTIONS).contains(&questions.len()) {
            let message = format!(
                "questions must be a list of 1 to {MOST_QUESTIONS} questions, or be left out once the project has asked its own"
            );
            faults.push("/questions", FaultCode::OutOfRange, message);
        }
        match (interface, country) {
            (Some(interface), Some(country)) if faults.is_empty() => Ok(Self {
                interface,
                country,
                questions,
            }),
            _ => Err(faults),
        }
    }

    /// The order that an import was begun with.
    fn of(asked: &Asked) -> Option<Self> {
        Some(Self {
            interface: interface_of(&asked.interface)?,
            country: asked.country.parse().ok()?,
            questions: asked.questions.clone(),
        })
    }

    /// The hash of the same captures on the same day.
    fn hash(&self, day: Date) -> [u8; 32] {
        let (interface, country) = (self.interface.as_str(), self.country.as_str());
        let asked = json!(["captures", day, interface, country, self.questions]);
        Sha256::digest(asked.to_string()).into()
    }
}

fn interface_of(word: &str) -> Option<Interface> {
    Interface::ALL.into_iter().find(|one| one.as_str() == word)
}

/// The id of a capture: 32 hexadecimal digits.
fn capture_id(import: AnswerImportId, number: u32) -> String {
    let mut hash = Sha256::new();
    hash.update(b"ibid capture");
    hash.update(import.as_bytes());
    hash.update(number.to_le_bytes());
    let mut id = hex(&hash.finalize());
    id.truncate(32);
    id
}

impl Projects {
    /// Asks the provider for captures of questions, or goes on with an import of captures (`importId`). An equal request of the same
    /// day is the same import. The cost is reserved before anything is asked. Returns what came within twenty seconds.
    ///
    /// # Errors
    /// [`Error::CapturesUnavailable`]; [`Error::ProjectNotFound`] for an unknown import; [`Error::Invalid`] with every fault, or
    /// because the budgets do not hold the cost; [`Error::Store`].
    pub async fn ask_captures(
        &self,
        scope: &ProjectScope,
        body: &Map<String, Value>,
    ) -> Result<AnswerImportView, Error> {
        let terms = self.captures.clone().ok_or(Error::CapturesUnavailable)?;
        let begun = match body.get("importId") {
            Some(id) => self.answer_import(scope, id.as_str().unwrap_or_default()).await?,
            None => {
                let own = self.asked_texts(scope).await?;
                let order = CaptureOrder::read(body, own).map_err(Error::Invalid)?;
                let id = self.reserve_captures(scope, &terms, order).await?;
                self.ended_answers(scope, id).await?
            }
        };
        let order = begun.asked().and_then(CaptureOrder::of);
        let order = order.ok_or(Error::ProjectNotFound)?;
        let is_late = begun.record.created_at + GIVE_UP < now_ms();
        let (id, (website, target)) = (begun.record.id, self.website(scope).await?);
        let (order, website, target, provider) = (&order, &website, &target, &*terms.provider);
        let calls = begun.missing().into_iter().map(|number| async move {
            let text = order.questions.get(number.saturating_sub(1) as usize);
            let question = CaptureQuestion {
                text: text.cloned().unwrap_or_default(),
                interface: order.interface,
                country: order.country.clone(),
                website: website.clone(),
            };
            let asked = provider.capture(&capture_id(id, number), &question).await;
            let capture = match asked {
                Err(error @ CaptureError::Refused(_)) => {
                    tracing::error!(import = %id, error = chain(&error), "capture.refused");
                    return Err(Error::CapturesUnavailable);
                }
                Ok(Capture::Pending) | Err(CaptureError::Silent(_)) if is_late => {
                    Capture::Failed("it was pending for a day".to_owned())
                }
                Err(error @ CaptureError::Silent(_)) => {
                    tracing::warn!(import = %id, number, error = chain(&error), "capture.failed");
                    Capture::Pending
                }
                Ok(capture) => capture,
            };
            self.keep_capture(scope, (id, number), (&question, provider.name(), target), capture)
                .await
        });
        let calls = stream::iter(calls).buffer_unordered(AT_ONCE);
        let calls = calls.take_until(sleep(PATIENCE));
        calls.try_for_each(|()| ready(Ok(()))).await?;
        self.ended_answers(scope, id).await
    }

    /// The questions of the project as they were last asked.
    async fn asked_texts(&self, scope: &ProjectScope) -> Result<Vec<String>, Error> {
        let (_, asked) = self.asked(scope).await?;
        let texts = asked.into_iter().filter_map(|question| {
            let is_plain = question.own.as_ref().is_none_or(|own| !own.has_place_slot());
            match is_plain {
                true => Some(question.text),
                false => question.last.map(|(_, text)| text),
            }
        });
        Ok(texts.take(MOST_QUESTIONS).collect())
    }

    /// Begins the import and reserves its cost, or finds it.
    async fn reserve_captures(
        &self,
        scope: &ProjectScope,
        terms: &CaptureTerms,
        order: CaptureOrder,
    ) -> Result<AnswerImportId, Error> {
        let (interface, count) = (order.interface.as_str(), order.questions.len());
        let cost = UsdMicros::new(terms.price.get().saturating_mul(count as u64));
        let hash = order.hash(Timestamp::now().to_zoned(TimeZone::UTC).date());
        let name = format!("{} {}", order.interface.name(), order.country.as_str());
        let asked = Asked {
            interface: interface.to_owned(),
            country: order.country.as_str().to_owned(),
            questions: order.questions,
        };
        let (tool, notes) = (terms.provider.name().to_owned(), asked.notes());
        let (of, id) = (scope.clone(), AnswerImportId::random());
        let added = self.db().call(move |store| {
            let captures = NewCaptures {
                import: NewAnswerImport {
                    id,
                    stratum: AnswerStratum::Interface,
                    tool: &tool,
                    name: &name,
                    sha256: &hash,
                    parts: u32::try_from(count).unwrap_or(u32::MAX),
                    notes: &notes,
                },
                cost: cost.get(),
                from: this_month(),
            };
            let members = json!({"interface": interface, "questions": count, "costUsd": cost.dollars()});
            let members = members.to_string();
            store.add_captures(&of, &captures, MOST_IMPORTS, change("captures_asked", &members))
        });
        let held = match added.await? {
            CapturesAdded::Added(AnswerImportAdded::New) => return Ok(id),
            CapturesAdded::Added(AnswerImportAdded::Known(id)) => return Ok(id),
            CapturesAdded::Added(AnswerImportAdded::Full) => return Err(too_many_imports()),
            CapturesAdded::Held(held) => held,
        };
        let whose = match held {
            Reservation::OverOrganisationBudget => "the budget of the organisation has less left this month",
            Reservation::OverBudget => "the budget of the project has less left this month",
            Reservation::Closed | Reservation::Reserved(_) => "the project is archived",
        };
        let message = format!("{count} captures cost {cost}, and {whose}; nothing was asked");
        Err(Error::Invalid(Faults::one(
            "/questions",
            FaultCode::OutOfRange,
            message,
        )))
    }

    /// Stores a capture that has ended as a piece of its import. A piece without an answer is one that failed.
    async fn keep_capture(
        &self,
        scope: &ProjectScope,
        (import, number): (AnswerImportId, u32),
        (question, provider, target): (&CaptureQuestion, &str, &Target),
        capture: Capture,
    ) -> Result<(), Error> {
        let today = Timestamp::now().to_zoned(TimeZone::UTC).date();
        let answer = match capture {
            Capture::Pending => return Ok(()),
            Capture::Failed(why) => Err(why),
            Capture::Done { answer, cited } => {
                let answer = ElsewhereAnswer {
                    line: u64::from(number),
                    day: today,
                    source: question.interface.name().to_owned(),
                    question: question.text.clone(),
                    answer,
                    sources: cited,
                    place: Some(question.country.as_str().to_owned()),
                    language: None,
                    captured_by: Some(provider.to_owned()),
                    cited: None,
                    score: None,
                };
                answer.check(today).map(|()| answer).map_err(str::to_owned)
            }
        };
        let answers: Vec<ElsewhereAnswer> = match answer {
            Ok(answer) => vec![answer],
            Err(why) => {
                tracing::warn!(import = %import, number, reason = why, "capture.failed");
                Vec::new()
            }
        };
        let hash: [u8; 32] = Sha256::digest(serde_json::to_vec(&answers)?).into();
        let (target, keep, of) = (target.clone(), self.runs.retain_answers, scope.clone());
        let part = self.compute(move || scored(answers, &target, keep)).await??;
        let put = self.db().call(move |store| {
            let part = NewAnswerPart {
                number,
                sha256: &hash,
                answers: part.answers,
                document: part.document.as_ref(),
                counts: &part.counts,
            };
            store.put_answer_part(&of, import, &part)
        });
        // Of two equal requests the first one that stores a piece decides; a deleted import takes none.
        put.await.map(drop).map_err(Error::from)
    }

    /// The website of the project, and what answers are searched for.
    async fn website(&self, scope: &ProjectScope) -> Result<(Domain, Target), Error> {
        let domain = self.get(scope).await?.record.domain.parse();
        Ok((
            domain.map_err(|_| Error::ProjectNotFound)?,
            self.target(scope).await?,
        ))
    }
}
