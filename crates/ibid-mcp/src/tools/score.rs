//! `score_answers`: reads answers that the caller already has. Pure.

use super::{Arguments, read};
use crate::answer::{ToolProblem, structured};
use ibid_engine::read::{Answer, Target, read as read_answer};
use ibid_engine::score::METHOD_VERSION;
use ibid_model::result::Breakdown;
use ibid_model::{BrandName, Citation, Domain, Finish, Prominence, Score, Website};
use rmcp::model::CallToolResult;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Answers of one call.
const MOST_ANSWERS: usize = 50;
/// Longest answer in bytes. Models write a fraction of it.
const LONGEST: usize = 64 << 10;
/// Names of one call.
const MOST_NAMES: usize = 20;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ScoreOrder {
    /// The website to look for.
    domain: String,
    /// Further own websites.
    #[serde(default)]
    own_domains: Vec<String>,
    /// Its names, at most 20.
    #[serde(default)]
    brand_names: Vec<String>,
    /// The answers, at most 50.
    answers: Vec<LoggedAnswer>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct LoggedAnswer {
    /// At most 65,536 bytes.
    text: String,
    /// The question it answers. It helps to tell names from words of the question.
    #[serde(default)]
    question: Option<String>,
    /// Addresses of sources outside the text.
    #[serde(default)]
    sources: Vec<String>,
}

/// How answers read.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ScoreAnswer {
    /// The website.
    domain: Domain,
    /// Mean score, 0 to 100.
    mean_score: Score,
    /// Answers that cite the website over all answers, 0 to 1.
    cited_rate: f64,
    /// One entry an answer, in the order given.
    answers: Vec<ScoredAnswer>,
    /// Version of the reading and scoring rules.
    method_version: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ScoredAnswer {
    /// Whether it cites the website.
    cited: bool,
    /// Whether it links to the website.
    linked: bool,
    /// How prominently the answer cites the domain.
    prominence: Prominence,
    /// 1-based rank among the names that it puts forward.
    rank: Option<u32>,
    /// Answer score, 0 to 100.
    score: Score,
    /// What the score is made of.
    breakdown: Breakdown,
    /// Names and websites that it puts forward besides the website, in order.
    competitors: Vec<NamedParty>,
}

/// A competitor that an answer names.
#[derive(Debug, Serialize)]
pub(super) struct NamedParty {
    /// The name.
    name: String,
    /// Its website, where the answer gives one.
    domain: Option<Domain>,
}

pub(super) fn score(arguments: Arguments) -> Result<CallToolResult, ToolProblem> {
    let order: ScoreOrder = read(arguments)?;
    if order.answers.is_empty() || order.answers.len() > MOST_ANSWERS {
        return Err(ToolProblem::arguments(format!(
            "answers takes 1 to {MOST_ANSWERS} answers"
        )));
    }
    if order.answers.iter().any(|answer| answer.text.len() > LONGEST) {
        return Err(ToolProblem::arguments(format!(
            "a text takes at most {LONGEST} bytes"
        )));
    }
    if order.brand_names.len() > MOST_NAMES {
        return Err(ToolProblem::arguments(format!(
            "brandNames takes at most {MOST_NAMES} names"
        )));
    }
    if order.own_domains.len() > MOST_NAMES {
        return Err(ToolProblem::arguments(format!(
            "ownDomains takes at most {MOST_NAMES} websites"
        )));
    }
    let websites = [&order.domain].into_iter().chain(&order.own_domains);
    let websites = websites.map(|website| website.parse());
    let websites: Vec<Website> = websites
        .collect::<Result<_, _>>()
        .map_err(ToolProblem::arguments)?;
    let domain: Domain = order.domain.parse().map_err(ToolProblem::arguments)?;
    let names = order.brand_names.iter().map(|name| name.parse());
    let names: Vec<BrandName> = names.collect::<Result<_, _>>().map_err(ToolProblem::arguments)?;
    let target = Target::of(&domain, &websites, &names);
    let answers: Vec<_> = order
        .answers
        .iter()
        .map(|answer| scored(&target, answer))
        .collect();
    let count = answers.len() as f64;
    structured(&ScoreAnswer {
        domain,
        mean_score: Score::new(answers.iter().map(|answer| answer.score.get()).sum::<f64>() / count),
        cited_rate: answers.iter().filter(|answer| answer.cited).count() as f64 / count,
        answers,
        method_version: METHOD_VERSION.to_owned(),
    })
}

fn scored(target: &Target, answer: &LoggedAnswer) -> ScoredAnswer {
    let citations: Vec<_> = answer.sources.iter().map(Citation::of_url).collect();
    let reading = read_answer(
        target,
        &Answer {
            text: &answer.text,
            citations: &citations,
            question: answer.question.as_deref(),
            finish: Finish::Complete,
        },
    );
    let competitors = reading.others().map(|competitor| NamedParty {
        name: competitor.name.clone(),
        domain: competitor.domain.clone(),
    });
    ScoredAnswer {
        cited: reading.cited(),
        linked: reading.linked(),
        prominence: reading.class,
        rank: reading.rank,
        score: reading.score,
        breakdown: reading.breakdown,
        competitors: competitors.collect(),
    }
}
