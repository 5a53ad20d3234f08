//! What both programs do: score answers that exist, and scan with a provider of one's own.

use ibid::model::{Catalog, Interval, ScanDraft, ScanForm, ScanId, ScanResult};
use ibid::plan::{Plan, PlanOptions};
use ibid::provider::{Completion, FnProvider, Prompt, ProviderError};
use ibid::read::{Answer, Reading, Target, read};
use ibid::score::{Sample, group};
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::sync::Arc;

/// Answers to score.
#[derive(Debug, Deserialize)]
pub struct Answers {
    /// The website that they are about.
    pub domain: String,
    /// One answer to each question.
    pub answers: Vec<String>,
}

/// The score of some answers.
#[derive(Debug, Serialize)]
pub struct Scored {
    /// 0 to 100; `None` without an answer.
    pub score: Option<f64>,
    /// The 95 % interval of the score.
    pub interval: Option<Interval>,
    /// Answers that cite the website.
    pub cited: u32,
}

/// Scores answers.
///
/// # Errors
/// The website is no domain.
pub fn score(order: &Answers) -> Result<Scored, Box<dyn Error + Send + Sync>> {
    let target = Target::new(&order.domain.parse()?, &[]);
    let readings: Vec<Reading> = order
        .answers
        .iter()
        .map(|text| read(&target, &Answer::of_text(text)))
        .collect();
    let samples: Vec<Sample> = readings
        .iter()
        .enumerate()
        .map(|(question, reading)| Sample {
            model: 0,
            question,
            ring: None,
            reading,
        })
        .collect();
    let numbers = group(&samples);
    Ok(Scored {
        score: numbers.score.map(|score| score.get()),
        interval: numbers.interval,
        cited: numbers.cited,
    })
}

/// Scans with [`ask`], which has to be replaced by a call of a model.
///
/// # Errors
/// The order has faults, or no question was answered.
pub async fn scan(domain: &str, keyword: &str) -> Result<ScanResult, Box<dyn Error + Send + Sync>> {
    let order = serde_json::json!({"domain": domain, "keyword": keyword});
    let order =
        ScanDraft(order.as_object().ok_or("no object")?).parse(&Catalog::builtin(), ScanForm::Byok)?;
    let plan = Plan::of(order, PlanOptions::default())?;
    let engine = ibid::Engine::new(Arc::new(FnProvider::new(ask)), 64_usize.try_into()?);
    let scanned = engine
        .run(ScanId::random(), &plan, &"no-key".parse()?, |_progress| {})
        .await?;
    Ok(scanned.result)
}

/// Answers a question.
async fn ask(prompt: Prompt) -> Result<Completion, ProviderError> {
    Ok(format!("{} I recommend Acme Tools (https://acmetools.com).", prompt.text).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_have_a_score_with_an_interval() {
        let answers = [
            "I recommend Acme Tools (https://acmetools.com).",
            "Bolt & Co. is the best.",
        ];
        let order = Answers {
            domain: "acmetools.com".to_owned(),
            answers: answers.map(str::to_owned).to_vec(),
        };
        let scored = score(&order).unwrap();
        assert_eq!(scored.cited, 1);
        assert!(scored.score.unwrap() > 0.0 && scored.interval.is_some());
        assert!(
            score(&Answers {
                domain: "no domain".to_owned(),
                answers: Vec::new()
            })
            .is_err()
        );
    }

    #[tokio::test]
    async fn a_scan_asks_the_own_provider() {
        let result = scan("acmetools.com", "tools").await.unwrap();
        assert!(result.models.iter().all(|model| model.cited) && !result.sandbox);
    }
}
