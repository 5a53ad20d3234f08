//! The alias table: six names for callers, each with the models that it resolves to.

use crate::money::UsdMicros;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

/// An alias of the table, such as `model-1-latest`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ModelAlias(String);

impl ModelAlias {
    /// The alias as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ModelAlias {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for ModelAlias {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Whether an alias's answers rest on a web search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Grounding {
    /// Each answer needs a search when web search is on.
    /// The request makes the strongest demand for it that the router documents.
    /// Earlier tables call it `tool`.
    #[serde(alias = "tool")]
    Required,
    /// The model always searches by itself. It must not be sent tools.
    Builtin,
    /// Without a search.
    None,
}

/// A search engine of a router that offers several (OpenRouter).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
pub enum SearchEngine {
    /// The vendor's own search.
    Native,
    /// Exa.
    Exa,
    /// Parallel.
    Parallel,
    /// Perplexity's search API.
    Perplexity,
    /// Firecrawl, with a key stored at the router.
    Firecrawl,
}

impl SearchEngine {
    /// The engine as written on the wire and in the table.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// How many tokens and searches a question usually takes, for estimates before a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExpectedUse {
    /// Completion tokens of an answer, reasoning included.
    pub completion_tokens: u32,
    /// Billed searches of a hundred grounded questions.
    pub searches_percent: u32,
    /// Prompt tokens that the results of the searches add to a grounded question.
    pub grounding_tokens: u32,
    /// How many grounded questions in a hundred are asked again, because the first answer was from memory.
    pub second_attempts_percent: u32,
}

impl Default for ExpectedUse {
    /// For a table without its own figures: 600 completion tokens, one search, no tokens for its results,
    /// no second attempts.
    fn default() -> Self {
        Self {
            completion_tokens: 600,
            searches_percent: 100,
            grounding_tokens: 0,
            second_attempts_percent: 0,
        }
    }
}

/// What the router charges for a model, in millionths of a dollar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub struct Prices {
    /// Per million prompt tokens.
    pub prompt_per_million: UsdMicros,
    /// Per million completion tokens.
    pub completion_per_million: UsdMicros,
    /// Per request of any size.
    #[serde(default)]
    pub per_request: UsdMicros,
    /// Per web search.
    #[serde(default)]
    pub per_search: UsdMicros,
}

/// Prompt tokens of a question without search results.
const PROMPT_TOKENS: u64 = 40;

impl Prices {
    /// Estimates one call in millionths of a dollar: tokens for question and answer, and the request fee.
    /// A call that searches adds its search fees and the tokens that the results bring in.
    fn per_call(&self, expected: &ExpectedUse, searches: bool) -> u128 {
        let of = |n: u64, price: UsdMicros| u128::from(n) * u128::from(price.get());
        let (grounding, percent) = match searches {
            true => (expected.grounding_tokens, expected.searches_percent),
            false => (0, 0),
        };
        of(PROMPT_TOKENS + u64::from(grounding), self.prompt_per_million).div_ceil(1_000_000)
            + of(expected.completion_tokens.into(), self.completion_per_million).div_ceil(1_000_000)
            + u128::from(self.per_request.get())
            + of(percent.into(), self.per_search).div_ceil(100)
    }
}

/// Rounds up to a ten-thousandth of a dollar.
fn rounded_up(micros: u128) -> UsdMicros {
    UsdMicros::new(u64::try_from(micros.div_ceil(100) * 100).unwrap_or(u64::MAX))
}

/// One row of the alias table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// The alias that callers use.
    pub alias: ModelAlias,
    /// The name that people read.
    pub name: String,
    /// Identifiers at the router, in order of preference; the first one available is asked. Never empty.
    pub candidates: Vec<String>,
    /// The way it searches the web.
    pub grounding: Grounding,
    /// The search engine to ask for; `None` leaves the choice to the router. Only OpenRouter takes one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<SearchEngine>,
    /// Prices, dated like the table.
    pub prices: Prices,
    /// What a question usually takes, for estimates.
    #[serde(default)]
    pub expected: ExpectedUse,
}

impl Model {
    /// Returns the identifier to ask when availability is unknown.
    pub fn first_candidate(&self) -> &str {
        self.candidates.first().map_or("", String::as_str)
    }

    /// Whether a question to it includes a web search, given the operator's switch.
    pub fn searches(&self, web_search: bool) -> bool {
        match self.grounding {
            Grounding::Builtin => true,
            Grounding::Required => web_search,
            Grounding::None => false,
        }
    }

    /// Estimated cost of one call, given the operator's web search switch.
    pub fn cost_per_call(&self, web_search: bool) -> UsdMicros {
        rounded_up(self.prices.per_call(&self.expected, self.searches(web_search)))
    }

    /// Estimated cost of one question with its expected second attempts, given the operator's web search switch.
    pub fn cost_per_question(&self, web_search: bool) -> UsdMicros {
        let searches = self.searches(web_search);
        let again = if searches {
            self.expected.second_attempts_percent
        } else {
            0
        };
        let call = self.prices.per_call(&self.expected, searches);
        rounded_up((call * (100 + u128::from(again))).div_ceil(100))
    }
}

/// The alias table, in order. Never empty, no alias twice.
///
/// As a file it is a list of rows named `model`, as docs/CONFIGURATION.md shows.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "CatalogFile")]
pub struct Catalog {
    models: Vec<Model>,
}

/// The table as written in a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CatalogFile {
    model: Vec<Model>,
}

impl TryFrom<CatalogFile> for Catalog {
    type Error = CatalogError;

    fn try_from(file: CatalogFile) -> Result<Self, Self::Error> {
        Self::new(file.model)
    }
}

/// Read once. A test reads the file, so that the table is never empty.
///
/// A model with a tool searches one to two times and reads the results, and some questions are asked again. Vendors with
/// `native` have a search of their own: https://openrouter.ai/docs/guides/features/server-tools/web-search
static BUILTIN: LazyLock<Catalog> = LazyLock::new(|| {
    let models = serde_json::from_str(include_str!("catalog.json")).unwrap_or_default();
    Catalog { models }
});

/// A scan asks this many models by default: the first rows.
const DEFAULT_MODELS: usize = 3;

/// Why a table is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogError {
    /// No row.
    #[error("the alias table is empty")]
    Empty,
    /// Two rows with one alias.
    #[error("alias {0} appears twice in the table")]
    Twice(ModelAlias),
    /// A row without any identifier.
    #[error("alias {0} has no candidate identifiers")]
    NoCandidates(ModelAlias),
}

impl Catalog {
    /// Dates the built-in prices, which routers change.
    pub const BUILTIN_DATE: &'static str = "2026-11-21";

    /// A table of the operator's own.
    ///
    /// # Errors
    /// An empty table, an alias twice, or a row without candidates.
    pub fn new(models: Vec<Model>) -> Result<Self, CatalogError> {
        if models.is_empty() {
            return Err(CatalogError::Empty);
        }
        for (index, model) in models.iter().enumerate() {
            if models.iter().take(index).any(|other| other.alias == model.alias) {
                return Err(CatalogError::Twice(model.alias.clone()));
            }
            if model.candidates.is_empty() {
                return Err(CatalogError::NoCandidates(model.alias.clone()));
            }
        }
        Ok(Self { models })
    }

    /// The built-in table: six aliases with candidates and prices as of [`Self::BUILTIN_DATE`].
    #[must_use]
    pub fn builtin() -> Self {
        BUILTIN.clone()
    }

    /// The rows, in order.
    pub fn models(&self) -> &[Model] {
        &self.models
    }

    /// Finds an alias's row.
    pub fn resolve(&self, alias: &str) -> Option<&Model> {
        self.models.iter().find(|model| model.alias.as_str() == alias)
    }

    /// The rows that a scan asks by default: the first three.
    pub fn defaults(&self) -> &[Model] {
        self.models.get(..DEFAULT_MODELS).unwrap_or(&self.models)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_of_earlier_releases_still_reads() {
        let row: Model =
            serde_json::from_value(serde_json::json!({"alias": "a", "name": "A", "candidates": ["a"],
            "grounding": "tool", "prices": {"prompt_per_million": 1, "completion_per_million": 1}}))
            .unwrap();
        assert_eq!((row.grounding, row.engine), (Grounding::Required, None));
        assert_eq!(row.expected, ExpectedUse::default());
        let written = serde_json::to_value(&row).unwrap();
        assert_eq!(written["grounding"], "required");
        assert_eq!(serde_json::from_value::<Model>(written).unwrap(), row);
    }

    #[test]
    fn the_builtin_table_has_six_aliases_in_order() {
        let catalog = Catalog::builtin();
        let aliases: Vec<_> = catalog
            .models()
            .iter()
            .map(|m| m.alias.as_str().to_owned())
            .collect();
        let expected: Vec<_> = (1..=6).map(|n| format!("model-{n}-latest")).collect();
        assert_eq!(aliases, expected);
        assert_eq!(catalog.defaults().len(), 3);
        assert_eq!(Catalog::new(catalog.models().to_vec()), Ok(catalog));
    }

    #[test]
    fn a_question_costs_tokens_searches_and_second_attempts() {
        let catalog = Catalog::builtin();
        let cost = |alias: &str, on| catalog.resolve(alias).unwrap().cost_per_question(on).get();
        assert_eq!(
            (cost("model-1-latest", true), cost("model-1-latest", false)),
            (25_400, 4_100)
        );
        // Perplexity searches with either setting of the switch.
        assert_eq!(
            (cost("model-4-latest", true), cost("model-4-latest", false)),
            (20_400, 20_400)
        );
    }

    #[test]
    fn a_table_with_faults_is_refused() {
        let mut models = Catalog::builtin().models().to_vec();
        models[1].alias = models[0].alias.clone();
        assert_eq!(
            Catalog::new(models.clone()),
            Err(CatalogError::Twice(models[0].alias.clone()))
        );
        models.truncate(1);
        models[0].candidates.clear();
        assert_eq!(
            Catalog::new(models.clone()),
            Err(CatalogError::NoCandidates(models[0].alias.clone()))
        );
        assert_eq!(Catalog::new(Vec::new()), Err(CatalogError::Empty));
    }
}
