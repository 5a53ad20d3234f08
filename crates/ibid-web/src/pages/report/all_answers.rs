//! Every answer of a scan, with filters and pages.

use super::Viewer;
use super::card::{Card, Context};
use super::masthead::{Brand, Masthead};
use crate::error::RenderError;
use crate::evidence::{AnswerView, EvidenceView};
use crate::figure;
use crate::frame::{Frame, Shell, render};
use crate::pages::{class_label, query};
use askama::Template;
use ibid_model::result::ScanResult;
use ibid_model::{Domain, Keyword, Prominence, ScanId};

/// Maximum number of answers on a page.
const A_PAGE: usize = 40;

/// Every answer of a scan. Its form asks the report's path and `/answers` with `model`, `ring`, `market`, `class`,
/// `question` and `page`.
#[derive(Clone, Copy, Debug)]
pub struct AnswersPage<'a> {
    pub id: ScanId,
    pub domain: &'a Domain,
    pub keyword: &'a Keyword,
    /// The result, for the names of models.
    pub result: &'a ScanResult,
    pub evidence: &'a EvidenceView,
    /// The title and the logo of its owner.
    pub brand: Option<Brand<'a>>,
    pub viewer: Viewer<'a>,
    pub filter: &'a AnswerFilter,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerFilter {
    /// Only answers of this alias.
    pub model: Option<String>,
    /// Only answers of this ring; 0 for core questions.
    pub ring: Option<u8>,
    /// Only answers about this town.
    pub market: Option<String>,
    /// Only answers that cite the domain with this prominence.
    pub class: Option<Prominence>,
    /// Only answers to the question with this text.
    pub question: Option<String>,
    /// 1-based page. A page out of range shows the nearest one.
    pub page: usize,
}

impl AnswerFilter {
    /// Parses the query parameters of the page. Parameters without a meaning count as absent.
    pub fn read<'q>(pairs: impl IntoIterator<Item = (&'q str, &'q str)>) -> Self {
        let mut filter = Self::default();
        for (name, value) in pairs {
            match name {
                "model" if !value.is_empty() => filter.model = Some(value.to_owned()),
                "ring" => filter.ring = value.parse().ok(),
                "market" if !value.is_empty() => filter.market = Some(value.to_owned()),
                "class" => filter.class = CLASSES.into_iter().find(|class| class.as_str() == value),
                "question" if !value.is_empty() => filter.question = Some(value.to_owned()),
                "page" => filter.page = value.parse().unwrap_or(1),
                _ => {}
            }
        }
        filter
    }

    /// Whether a town is the requested one, by its label or by its name, the first part of the label.
    fn is_about(&self, town: Option<&str>) -> bool {
        let Some(wanted) = &self.market else { return true };
        let rest = town.and_then(|town| town.strip_prefix(wanted.as_str()));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(", "))
    }

    fn takes(&self, answer: &AnswerView) -> bool {
        let class = answer.reading.as_ref().and_then(|reading| reading.class);
        self.model.as_ref().is_none_or(|model| *model == answer.model)
            && self.ring.is_none_or(|ring| ring == answer.ring.unwrap_or(0))
            && self.is_about(answer.market.as_deref())
            && self.class.is_none_or(|wanted| class == Some(wanted))
            && self
                .question
                .as_ref()
                .is_none_or(|question| *question == answer.question)
    }
}

const CLASSES: [Prominence; 4] = [
    Prominence::Primary,
    Prominence::Secondary,
    Prominence::Mentioned,
    Prominence::None,
];

struct ModelOption {
    alias: String,
    label: String,
    selected: bool,
}

struct Choice {
    value: String,
    label: String,
    selected: bool,
}

#[derive(Template)]
#[template(path = "answers.html")]
struct AnswersTemplate<'a> {
    shell: Shell<'a>,
    page: &'a AnswersPage<'a>,
    base: String,
    masthead: Option<Masthead<'a>>,
    models: Vec<ModelOption>,
    rings: Vec<Choice>,
    markets: Vec<Choice>,
    classes: Vec<Choice>,
    cards: Vec<Card>,
    found: usize,
    number: usize,
    pages: usize,
}

/// Renders every answer of a scan, a page at a time.
pub fn answers(frame: &Frame<'_>, page: &AnswersPage<'_>) -> Result<String, RenderError> {
    let filter = page.filter;
    let taken: Vec<_> = page
        .evidence
        .answers
        .iter()
        .enumerate()
        .filter(|(_, answer)| filter.takes(answer))
        .collect();
    let pages = taken.len().div_ceil(A_PAGE).max(1);
    let number = filter.page.clamp(1, pages);
    let context = Context {
        result: Some(page.result),
        domain: page.domain,
    };
    let cards = taken
        .iter()
        .skip((number - 1) * A_PAGE)
        .take(A_PAGE)
        .map(|(index, answer)| Card::of(&context, *index, answer, true))
        .collect();
    let title = format!("Answers, {}, {}", page.domain.to_unicode(), page.keyword);
    let template = AnswersTemplate {
        shell: Shell::new(frame, title, page.viewer.tab()),
        page,
        base: page.viewer.base(page.id),
        masthead: Masthead::of(page.brand, &page.viewer, page.id),
        models: model_options(page),
        rings: ring_options(page),
        markets: market_options(page),
        classes: class_options(page),
        cards,
        found: taken.len(),
        number,
        pages,
    };
    render("answers", &template)
}

fn model_options(page: &AnswersPage<'_>) -> Vec<ModelOption> {
    let chosen = page.filter.model.as_deref();
    page.result
        .models
        .iter()
        .map(|model| ModelOption {
            alias: model.model.to_string(),
            label: model.model_label.clone(),
            selected: chosen == Some(model.model.as_str()),
        })
        .collect()
}

fn ring_options(page: &AnswersPage<'_>) -> Vec<Choice> {
    let mut rings: Vec<u8> = page
        .evidence
        .answers
        .iter()
        .map(|answer| answer.ring.unwrap_or(0))
        .collect();
    rings.sort_unstable();
    rings.dedup();
    rings
        .into_iter()
        .map(|ring| Choice {
            value: ring.to_string(),
            label: if ring == 0 {
                "Core".to_owned()
            } else {
                format!("Ring {ring}")
            },
            selected: page.filter.ring == Some(ring),
        })
        .collect()
}

/// The towns that were asked about, in the order of the questions.
fn market_options(page: &AnswersPage<'_>) -> Vec<Choice> {
    let mut markets: Vec<&str> = Vec::new();
    for market in page
        .evidence
        .answers
        .iter()
        .filter_map(|answer| answer.market.as_deref())
    {
        if !markets.contains(&market) {
            markets.push(market);
        }
    }
    markets
        .into_iter()
        .map(|market| Choice {
            value: market.to_owned(),
            label: market.to_owned(),
            selected: page.filter.market.is_some() && page.filter.is_about(Some(market)),
        })
        .collect()
}

fn class_options(page: &AnswersPage<'_>) -> Vec<Choice> {
    CLASSES
        .into_iter()
        .map(|class| Choice {
            value: class.as_str().to_owned(),
            label: class_label(class.as_str()).to_owned(),
            selected: page.filter.class == Some(class),
        })
        .collect()
}

impl AnswersTemplate<'_> {
    fn found(&self) -> String {
        figure::plural(self.found as u64, "answer", "answers")
    }

    fn is_owner(&self) -> bool {
        self.page.viewer.is_owner()
    }

    fn filtered(&self) -> bool {
        let filter = self.page.filter;
        *filter
            != AnswerFilter {
                page: filter.page,
                ..AnswerFilter::default()
            }
    }

    fn page_href(&self, step: isize) -> Option<String> {
        let wanted = self
            .number
            .checked_add_signed(step)
            .filter(|wanted| (1..=self.pages).contains(wanted))?;
        let filter = self.page.filter;
        let (ring, number) = (
            filter.ring.map_or_else(String::new, |ring| ring.to_string()),
            wanted.to_string(),
        );
        let pairs = [
            ("model", filter.model.as_deref().unwrap_or_default()),
            ("ring", &ring),
            ("market", filter.market.as_deref().unwrap_or_default()),
            ("class", filter.class.map_or("", Prominence::as_str)),
            ("question", filter.question.as_deref().unwrap_or_default()),
            ("page", &number),
        ];
        Some(format!("{}/answers?{}", self.base, query(&pairs)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_town_is_found_by_its_name_and_by_its_label() {
        let wanted = |market: &str| AnswerFilter::read([("market", market)]);
        let label = Some("Torrent, Valencia, Spain");
        assert!(wanted("Torrent").is_about(label) && wanted("Torrent, Valencia, Spain").is_about(label));
        assert!(!wanted("Torre").is_about(label) && !wanted("Valencia").is_about(label));
        assert!(!wanted("Torrent").is_about(None));
        assert!(wanted("").is_about(None) && wanted("").is_about(label));
    }
}
