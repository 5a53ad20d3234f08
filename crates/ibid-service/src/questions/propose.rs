//! Questions that a caller's model proposes. The request never holds the website or its names.

use super::check::{Known, Subject, texts_of};
use super::handle::Questions;
use crate::error::Error;
use crate::job::CallerId;
use crate::stored_scans::read_result;
use ibid_engine::questions::{ProposalRequest, Rules, check, check_proposals, read_proposal};
use ibid_engine::read::Target;
use ibid_model::contract::field as f;
use ibid_model::result::{CheckedQuestion, CompetitorKind, Warning};
use ibid_model::{
    Catalog, FaultCode, FaultReason, Faults, Finish, Model, ObjectReader, OwnQuestion, QuestionText,
    RunState, ScanDraft, ScanForm, UsdMicros,
};
use ibid_provider::{Prompt, ProviderError, ProviderKey, Scene, Share, ShareKind, WebSearch};
use ibid_store::RunFilter;
use jiff::Timestamp;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// Tokens that a request for twenty questions and its answer have, measured.
const TOKENS: (u64, u64) = (900, 1_300);
/// Most tokens of an answer: reasoning uses them, too, so a tight limit yields empty answers.
const MOST_TOKENS: u32 = 6_000;
/// How long a call may take. At half slow models fail; at twice a person has left the page.
const TIME_LIMIT: Duration = Duration::from_secs(90);
/// Earlier scans whose competitors count as brands. Twice as many name few others, and half miss those of other models.
const MOST_SCANS: u32 = 5;
/// The questions that are proposed by default.
const USUAL: usize = 20;

#[derive(Clone, Debug)]
pub struct ProposalOrder {
    subject: Subject,
    audience: Option<String>,
    offer: Option<String>,
    model: Option<Model>,
    count: usize,
    dry: bool,
}

/// Proposed questions. None of them is stored until a person accepts it.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// The model that is asked.
    pub model: Model,
    /// The estimated cost of a call.
    pub estimate: UsdMicros,
    /// The text that is sent.
    pub request: String,
    /// The questions, with the tag `template` where a template wrote them.
    pub questions: Vec<OwnQuestion>,
    /// Proposed questions that are not fit to be asked.
    pub refused: Vec<CheckedQuestion>,
    /// Proposed texts that are no question.
    pub unreadable: Vec<String>,
    /// Facts to know.
    pub warnings: Vec<Warning>,
    /// The bill; `None` where the provider sent none.
    pub cost: Option<UsdMicros>,
}

impl Proposal {
    /// The proposal as a JSON document.
    pub fn document(&self) -> Value {
        json!({
            "model": self.model.alias.as_str(),
            "estimatedCostUsd": self.estimate.dollars(),
            "costUsd": self.cost.map(UsdMicros::dollars),
            "request": self.request,
            "questions": self.questions,
            "refused": self.refused,
            "unreadable": self.unreadable,
            "warnings": self.warnings,
        })
    }
}

impl Questions {
    /// Reads the order of a proposal.
    ///
    /// # Errors
    /// [`Error::Invalid`] with every fault, a description that names the website among them.
    pub fn proposal_order(&self, body: &Map<String, Value>) -> Result<ProposalOrder, Error> {
        let mut fields = ObjectReader::new(body);
        let subject = Subject::read(&mut fields);
        if subject.keyword.is_none() && fields.get(f::KEYWORD.name).is_none() {
            fields.fault("/keyword", FaultCode::Required, "keyword is required");
        }
        let audience = fields.text::<ibid_model::Persona>(&f::AUDIENCE).map(String::from);
        let offer = fields.text::<QuestionText>(&f::OFFER).map(String::from);
        let dry = fields.flag(&f::DRY_RUN).unwrap_or(false);
        let count = fields.whole(&f::PROPOSAL_COUNT).map_or(USUAL, usize::from);
        let catalog = self.planner.catalog();
        let model = match fields.get("model") {
            None => None,
            Some(alias) => {
                let found = alias.as_str().and_then(|alias| catalog.resolve(alias)).cloned();
                if found.is_none() {
                    fields.fault("/model", FaultCode::UnknownModel, "model is no known alias");
                }
                found
            }
        };
        let mut faults = Faults::default();
        for (name, text) in [("audience", &audience), ("offer", &offer)] {
            if text.as_deref().is_some_and(|text| subject.is_named_in(text)) {
                let message =
                    format!("{name} names the website or holds an address; a proposal never gets to know it");
                faults.push_question(format!("/{name}"), FaultReason::Branded, message);
            }
        }
        fields.append(faults);
        let order = ProposalOrder {
            subject,
            audience,
            offer,
            model,
            count,
            dry,
        };
        fields.finish(Some(order)).map_err(Error::Invalid)
    }

    /// Asks a model for questions, and checks them. A dry run asks nothing. Without a usable answer templates write them.
    pub async fn propose(
        &self,
        owner: &CallerId,
        order: ProposalOrder,
        key: Option<ProviderKey>,
    ) -> Result<Proposal, Error> {
        let catalog = self.planner.catalog();
        let model = order.model.clone().or_else(|| usual_model(&catalog).cloned());
        let model = model.ok_or(Error::ProposalFailed)?;
        let mut known = self.known(order.subject.clone()).await?;
        known.offer = order.offer.clone().unwrap_or_default();
        let mut proposal = Proposal {
            estimate: estimate(&model),
            request: order.request(&known).text(&[]),
            model,
            questions: Vec::new(),
            refused: Vec::new(),
            unreadable: Vec::new(),
            warnings: known.guess.iter().cloned().collect(),
            cost: None,
        };
        if order.dry {
            return Ok(proposal);
        }
        let rivals = self.rivals(owner, &known.keyword).await?;
        known.others.extend(rivals);
        let (known, order) = (Arc::new(known), Arc::new(order));
        if let Some(key) = key {
            let turn = self.begin(owner, Timestamp::now(), 2 * TIME_LIMIT).await?;
            // The call is paid, so it goes on when the caller hangs up, and its turn ends in any case.
            let (this, known, order) = (self.clone(), Arc::clone(&known), Arc::clone(&order));
            let (done, filled) = tokio::sync::oneshot::channel();
            self.runs.spawn(async move {
                let asked = this.fill(&key, &mut proposal, &order, &known).await;
                let ended = this.end(turn).await;
                // The caller may be gone.
                let _ = done.send(asked.and(ended).map(|()| proposal));
            });
            proposal = filled.await.map_err(|_| Error::ProposalFailed)??;
        }
        let missing = order.count.saturating_sub(proposal.questions.len());
        if missing > 0 {
            let templates = self.templates(&order, &known.keyword).await?;
            let values: Vec<Value> = templates.into_iter().map(Value::from).collect();
            let asked = proposal.questions.len();
            let (accepted, ..) = check_proposals(&values, &proposal.questions, &known.rules(), missing);
            let marked = accepted.into_iter().map(|question| OwnQuestion {
                tags: "template".parse().into_iter().collect(),
                ..question
            });
            proposal.questions.extend(marked);
            let message = format!(
                "{asked} of {} questions come from the model, {} from templates",
                order.count,
                proposal.questions.len() - asked
            );
            proposal.warnings.push(Warning::new("proposal_fallback", message));
        }
        Ok(proposal)
    }

    /// Fills a proposal with the questions of its model: one call, and one more for the gap.
    async fn fill(
        &self,
        key: &ProviderKey,
        proposal: &mut Proposal,
        order: &ProposalOrder,
        known: &Known,
    ) -> Result<(), Error> {
        for _ in 0..2 {
            let missing = order.count.saturating_sub(proposal.questions.len());
            if missing == 0 {
                break;
            }
            let gap = ProposalRequest {
                count: missing,
                ..order.request(known)
            };
            let text = gap.text(&proposal.questions);
            let Some(answer) = self.ask(key, proposal, text, &known.language).await? else {
                break;
            };
            let Some(values) = read_proposal(&answer) else {
                continue;
            };
            let (accepted, refused, unreadable) =
                check_proposals(&values, &proposal.questions, &known.rules(), missing);
            proposal.questions.extend(accepted);
            proposal.refused.extend(refused);
            proposal.unreadable.extend(unreadable);
        }
        Ok(())
    }

    /// The competitors that earlier scans of an owner found for a keyword: names that no question may hold.
    async fn rivals(&self, owner: &CallerId, keyword: &str) -> Result<Vec<String>, Error> {
        let (owner, keyword) = (owner.as_str().to_owned(), keyword.to_owned());
        let found = self.db().call(move |store| {
            let filter = RunFilter {
                keyword: Some(&keyword),
                state: Some(RunState::Complete),
                ..RunFilter::default()
            };
            let mut names = BTreeSet::new();
            for run in store.durable_runs(&owner, &filter, None, MOST_SCANS)? {
                let Some(scan) = store.scan(run.id)? else {
                    continue;
                };
                let competitors = read_result(&scan.reply)?.radius.top_competitors;
                // What one answer alone names is often no name.
                let rivals = competitors
                    .into_iter()
                    .filter(|one| one.kind == CompetitorKind::Rival && !one.is_self && !one.weak);
                names.extend(rivals.map(|one| one.name));
            }
            Ok(names)
        });
        Ok(found.await?.into_iter().collect())
    }

    /// The operator's key, which pays the proposals of accounts.
    pub fn account_key(&self) -> Option<ProviderKey> {
        self.key.clone()
    }

    /// The model that proposes for accounts and the price of a call, in words.
    pub fn default_price(&self) -> String {
        let catalog = self.planner.catalog();
        usual_model(&catalog).map_or_else(String::new, |model| {
            format!("{} proposes for about {}", model.name, estimate(model))
        })
    }

    /// Asks a model, and returns its text; `None` for a refusal.
    async fn ask(
        &self,
        key: &ProviderKey,
        proposal: &mut Proposal,
        text: String,
        language: &str,
    ) -> Result<Option<String>, Error> {
        let nobody = "example.com".parse().map_err(|_| Error::ProposalFailed)?;
        let prompt = Prompt {
            model: proposal.model.candidates.first().cloned().unwrap_or_default(),
            text,
            search: WebSearch::Off,
            engine: None,
            force_search: false,
            resume: None,
            place: None,
            max_tokens: MOST_TOKENS,
            deadline: tokio::time::Instant::now() + TIME_LIMIT,
            share: Share {
                kind: ShareKind::Interactive,
                ..Share::default()
            },
            scene: Scene {
                domain: nobody,
                keyword: String::new(),
                place: None,
                distance_km: None,
                language: language.to_owned(),
            },
        };
        match self.runs.provider.ask(key, &prompt).await {
            Ok(completion) => {
                let bill = completion.usage.cost;
                proposal.cost = match (proposal.cost, bill) {
                    (Some(before), Some(bill)) => Some([before, bill].into_iter().sum()),
                    (before, bill) => bill.or(before),
                };
                Ok((completion.finish != Finish::Refused).then_some(completion.text))
            }
            Err(ProviderError::KeyRejected) => Err(Error::KeyRejected),
            Err(ProviderError::NoCredit) => Err(Error::ProviderCreditExhausted),
            // The first answer is paid for, so it is not thrown away.
            Err(_) if !proposal.questions.is_empty() => Ok(None),
            Err(_) => Err(Error::ProposalFailed),
        }
    }

    async fn templates(&self, order: &ProposalOrder, keyword: &str) -> Result<Vec<String>, Error> {
        let draft = json!({
            "domain": "example.com",
            "keyword": keyword,
            "location": order.subject.location.as_ref().map(|place| place.as_str()),
            "language": order.subject.language.as_ref().map(|language| language.as_str()),
            "questionsPerModel": f::QUESTIONS_PER_MODEL.bounds().1,
            "rings": [],
        });
        let draft = draft.as_object().cloned().unwrap_or_default();
        let plan = self.planner.plan(ScanDraft(&draft), ScanForm::Byok).await?;
        Ok(plan.offered_questions())
    }
}

impl ProposalOrder {
    /// The facts that the model is told.
    fn request<'a>(&'a self, known: &'a Known) -> ProposalRequest<'a> {
        ProposalRequest {
            keyword: &known.keyword,
            place: known.spoken.as_deref(),
            language: &known.language,
            audience: self.audience.as_deref(),
            offer: self.offer.as_deref(),
            count: self.count,
        }
    }
}

impl Subject {
    /// Whether a text names the website or holds an address.
    fn is_named_in(&self, text: &str) -> bool {
        let Ok(question) = text.parse::<QuestionText>() else {
            return false;
        };
        let target = self.domain.as_ref();
        let target = target.map(|domain| Target::new(domain, &self.brand_names));
        let others = texts_of(&self.brand_names);
        let rules = Rules {
            target: target.as_ref(),
            others: &others,
            language: "en",
            ..Default::default()
        };
        let report = check(&[question.into()], &[], &rules);
        let mut findings = report.questions.iter().flat_map(|checked| &checked.findings);
        use ibid_model::result::FindingKind as F;
        findings.any(|finding| matches!(finding.code, F::Branded | F::Link | F::Instruction))
    }
}

fn usual_model(catalog: &Catalog) -> Option<&Model> {
    catalog.defaults().first().or_else(|| catalog.models().first())
}

/// The estimated cost of a call.
fn estimate(model: &Model) -> UsdMicros {
    let of = |price: UsdMicros, tokens: u64| {
        UsdMicros::new(price.get().saturating_mul(tokens).div_ceil(1_000_000))
    };
    let (sent, received) = TOKENS;
    let prices = model.prices;
    [
        of(prices.prompt_per_million, sent),
        of(prices.completion_per_million, received),
        prices.per_request,
    ]
    .into_iter()
    .sum()
}
