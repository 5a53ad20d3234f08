//! A first look at a website, without a key: the audit of its page, the questions that buyers would ask, and what a
//! scan and a project of them would cost and see.
//!
//! It sends nothing but the requests for the page and its site's small files.

use crate::daily_turns::DailyTurns;
use crate::demo::DemoState;
use crate::error::Error;
use crate::handle::scans::Scans;
use crate::job::CallerId;
use crate::page::PageOrder;
use crate::runs::pinned::PinnedOrder;
use ibid_audit::PageSubject;
use ibid_engine::plan::{Forecast, LikelySubject, PageWords, Plan};
use ibid_model::contract::field as f;
use ibid_model::result::{AuditReport, CheckStatus};
use ibid_model::{
    Domain, FaultCode, Faults, Keyword, Language, LocationText, Model, ObjectReader, RunState, ScanDraft,
    ScanForm, ScanId,
};
use ibid_store::RunSubject;
use serde_json::{Map, Value, json};
use std::net::IpAddr;
use std::time::Instant;

/// Questions that are shown, and that the forecasts count. Half are too few to see a change; twice as many nobody reads.
const QUESTIONS: usize = 12;
/// Runs of a weekly project in 30 days.
const RUNS_A_MONTH: usize = 4;
/// Findings that are shown.
const FINDINGS: usize = 3;

/// The looks that visitors without an account have.
#[derive(Clone, Copy, Debug)]
pub struct LookTerms {
    /// Looks of one address in a day.
    pub per_address: u32,
    /// Looks of all addresses in a day.
    pub per_day: u32,
}

/// The person or program that looks.
#[derive(Clone, Debug)]
pub enum Looker {
    /// A visitor at an address, whose looks of a day are bounded.
    Visitor(IpAddr),
    /// A caller with a service key, whose limits apply.
    Caller(CallerId),
    /// Whoever uses this machine.
    Local,
}

#[derive(Clone, Debug)]
pub struct LookOrder {
    domain: Domain,
    page: PageOrder,
    keyword: Option<Keyword>,
    location: Option<LocationText>,
    language: Option<Language>,
}

/// A first look at a website.
#[derive(Clone, Debug)]
pub struct Look {
    /// The website in readable form.
    pub domain: String,
    pub audit: AuditReport,
    /// What it sells.
    pub keyword: Known,
    /// Where its customers are; `None` if it is not known.
    pub place: Option<Known>,
    /// Language in which the questions are, as a BCP 47 tag such as `en`.
    pub language: Known,
    /// What kind of thing is sold, such as `trade`; `any` if unknown.
    pub kind: &'static str,
    /// The questions that buyers would ask.
    pub questions: Vec<String>,
    /// A row for each model, and one for the models that a scan asks by default where these are several.
    pub offers: Vec<LookOffer>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    pub text: String,
    /// Whether it was guessed from the page and not said by the caller.
    pub guessed: bool,
}

/// What the questions cost with some models, and what their answers show.
#[derive(Clone, Debug, PartialEq)]
pub struct LookOffer {
    pub models: Vec<String>,
    /// Their name in a list.
    pub name: String,
    /// What a scan costs and how precise it is, and the same for one every week.
    pub forecast: Forecast,
}

impl Scans {
    /// Whether visitors without an account can look at a website.
    pub fn offers_looks(&self) -> bool {
        let is_open = |looks: &DailyTurns| looks.left(Instant::now()) != DemoState::Closed;
        self.planner.audits() && self.looks.as_ref().is_some_and(is_open)
    }

    /// Reads `domain`, and `url`, `html`, `keyword`, `location` and `language`, which are optional: the page is the home
    /// page, and the rest is guessed from it.
    pub fn look_order(&self, body: &Map<String, Value>) -> Result<LookOrder, Error> {
        let mut fields = ObjectReader::new(body);
        let domain: Option<Domain> = fields.required_text(&f::DOMAIN);
        let page = match self.planner.page(body, domain.as_ref()) {
            Ok(page) => Some(page),
            // Without a domain the page has no address, which is no second fault.
            Err(Error::Invalid(_)) if domain.is_none() => None,
            Err(Error::Invalid(faults)) => {
                fields.append(faults);
                None
            }
            Err(error) => return Err(error),
        };
        // Forms send empty texts for what was left out.
        let has = |field: &&f::Field| {
            let text = body.get(field.name).and_then(Value::as_str);
            text.is_some_and(|text| !text.trim().is_empty())
        };
        let said = |field| Some(field).filter(has);
        let (keyword, location) = (said(&f::KEYWORD), said(&f::LOCATION));
        let keyword = keyword.and_then(|field| fields.text(field));
        let location = location.and_then(|field| fields.text(field));
        let language = said(&f::LANGUAGE).and_then(|field| fields.text(field));
        let order = domain.zip(page).map(|(domain, page)| LookOrder {
            domain,
            page,
            keyword,
            location,
            language,
        });
        fields.finish(order).map_err(Error::Invalid)
    }

    /// Looks at a website. Asks no model.
    ///
    /// # Errors
    /// [`Error::TooMany`], [`Error::Overloaded`], [`Error::AuditsDisabled`]; [`Error::Page`] if the page gave no answer;
    /// [`Error::Invalid`] if the page does not say what its owner sells, and for an unknown place.
    pub async fn look(&self, order: LookOrder, looker: Looker) -> Result<Look, Error> {
        match &looker {
            Looker::Visitor(address) => {
                let looks = self.looks.as_ref().filter(|_| self.offers_looks());
                let looks = looks.ok_or(Error::AuditsDisabled)?;
                let _turn = looks.begin(*address, Instant::now())?;
                self.looked(order).await
            }
            Looker::Caller(caller) => {
                let counted = PinnedOrder {
                    id: ScanId::random(),
                    caller,
                    counts: true,
                    once: None,
                    subject: RunSubject {
                        domain: order.domain.to_string().into(),
                        ..RunSubject::default()
                    },
                    calls: 0,
                };
                // A request without a key equals no other.
                let run = self.pinned.open(counted).await?;
                let run = run.ok_or(Error::IdempotencyConflict)?;
                let looked = self.looked(order).await;
                let state = match looked {
                    Ok(_) => RunState::Complete,
                    Err(_) => RunState::Failed,
                };
                run.end(state, looked.as_ref().err()).await;
                looked
            }
            Looker::Local => self.looked(order).await,
        }
    }

    async fn looked(&self, order: LookOrder) -> Result<Look, Error> {
        let (audit, page) = self.planner.look(&order.page).await?;
        let subject = self.guess(&order, &page)?;
        let place = match (&order.location, &page.place) {
            (Some(said), _) => Some(Known::said(said.as_str())),
            // A place that the gazetteer does not know is left out: the caller did not name it.
            (None, Some(text)) => match text.parse() {
                Ok(text) => self.planner.place_of(text).await?.map(Known::guess),
                Err(_) => None,
            },
            (None, None) => None,
        };
        let language = order.language.as_ref().map(Language::as_str);
        let body = |more: Value| {
            let mut body = json!({
                "domain": order.domain.as_str(),
                "keyword": subject.keyword,
                "location": place.as_ref().map(|place| &place.text),
                "language": language.or(subject.language),
                "rings": [],
            });
            if let (Value::Object(body), Value::Object(more)) = (&mut body, more) {
                body.extend(more);
            }
            body
        };
        let catalog = self.planner.catalog();
        let each = QUESTIONS.div_ceil(catalog.defaults().len().max(1));
        let plan = self
            .planned(&body(json!({"questionsPerModel": each.min(10)})))
            .await?;
        let mut questions = plan.offered_questions();
        questions.truncate(QUESTIONS);
        let alias = |model: &Model| model.alias.as_str().to_owned();
        let models = catalog.models().iter();
        let mut rows: Vec<(Vec<String>, String)> = models
            .map(|model| (vec![alias(model)], model.name.clone()))
            .collect();
        let together: Vec<String> = catalog.defaults().iter().map(alias).collect();
        if together.len() > 1 {
            let name = format!("The first {} together", together.len());
            rows.push((together, name));
        }
        let mut offers = Vec::with_capacity(rows.len());
        for (models, name) in rows {
            let plan = self
                .planned(&body(json!({"models": models, "questions": questions})))
                .await?;
            offers.push(LookOffer {
                forecast: Forecast::of(&plan, RUNS_A_MONTH),
                models,
                name,
            });
        }
        Ok(Look {
            domain: order.domain.to_unicode(),
            audit,
            keyword: Known {
                text: subject.keyword,
                guessed: order.keyword.is_none(),
            },
            place,
            language: Known {
                text: plan.language().to_owned(),
                guessed: order.language.is_none(),
            },
            kind: subject.kind.unwrap_or("any"),
            questions,
            offers,
        })
    }

    /// What the website sells: what the caller says, else what the page says.
    fn guess(&self, order: &LookOrder, page: &PageSubject) -> Result<LikelySubject, Error> {
        let label = order.domain.as_str().split('.').next().unwrap_or_default();
        let names: Vec<String> = page.names.iter().cloned().chain([label.to_owned()]).collect();
        let said = order.keyword.as_ref();
        let said = said.map(|keyword| [keyword.as_str().to_owned()]);
        let (texts, types) = match &said {
            Some(said) => (said.as_slice(), [].as_slice()),
            None => (page.texts.as_slice(), page.types.as_slice()),
        };
        let likely = LikelySubject::of(&PageWords {
            texts,
            types,
            names: &names,
            language: page.language.as_deref(),
        });
        match (&order.keyword, likely) {
            // A caller's words stay as they are; their language follows from the place or from the words.
            (Some(keyword), likely) => Ok(LikelySubject {
                keyword: keyword.as_str().to_owned(),
                kind: likely.and_then(|likely| likely.kind),
                language: None,
            }),
            (None, Some(likely)) => Ok(likely),
            (None, None) => {
                let message = "keyword is required: the page does not say what the website sells";
                let fault = Faults::one("/keyword", FaultCode::Required, message);
                Err(Error::Invalid(fault))
            }
        }
    }

    async fn planned(&self, body: &Value) -> Result<Plan, Error> {
        let empty = Map::new();
        let draft = ScanDraft(body.as_object().unwrap_or(&empty));
        self.planner.plan(draft, ScanForm::Queued).await
    }
}

impl Look {
    /// Returns the findings whose advice helps most, best first.
    pub fn findings(&self) -> impl Iterator<Item = &ibid_model::result::AuditCheck> {
        let checks = &self.audit.checks;
        let best = self.audit.top_fixes.iter();
        best.filter_map(move |id| checks.iter().find(|check| check.id == *id))
            .filter(|check| check.status != CheckStatus::Pass)
            .take(FINDINGS)
    }

    /// The look as a JSON document.
    pub fn document(&self) -> Value {
        let findings = self.findings().map(|check| {
            json!({"check": check.id, "title": check.title, "found": check.found, "advice": check.advice})
        });
        let offers = self.offers.iter().map(|offer| {
            json!({"models": offer.models, "name": offer.name, "forecast": offer.forecast.document()})
        });
        json!({
            "domain": self.domain,
            "audit": {
                "url": self.audit.final_url.as_ref().or(self.audit.url.as_ref()),
                "score": self.audit.score,
                "band": self.audit.band,
                "gates": self.audit.gates,
                "findings": findings.collect::<Vec<_>>(),
                "invented": self.audit.invented,
            },
            "keyword": self.keyword.document(),
            "location": self.place.as_ref().map(Known::document),
            "language": self.language.document(),
            "kind": self.kind,
            "questions": self.questions,
            "offers": offers.collect::<Vec<_>>(),
        })
    }
}

impl Known {
    fn said(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            guessed: false,
        }
    }

    fn guess(text: String) -> Self {
        Self { text, guessed: true }
    }

    fn document(&self) -> Value {
        json!({"value": self.text, "guessed": self.guessed})
    }
}
