//! What the reader returns: one answer's evidence, its class and its score.

use ibid_model::result::{AnswerForm, Breakdown, CompetitorKind, Decision};
use ibid_model::{Domain, Prominence, Score};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// How one answer reads: the target's citation, and the competitors it names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Reading {
    /// What kind of answer it is.
    pub answer_class: AnswerClass,
    /// How it is laid out.
    pub form: AnswerForm,
    /// Whether it names or links a provider, the target included.
    pub informative: bool,
    /// How prominent the target is.
    pub class: Prominence,
    /// 1-based index of the target among the recommended candidates.
    pub rank: Option<u32>,
    /// The stance towards the target.
    pub stance: Stance,
    /// The strongest form in which it links to the target.
    pub link_kind: LinkKind,
    /// Whether the visible text contains a name of the target.
    pub named_in_text: bool,
    /// The first cited address on the target's domain.
    pub url: Option<String>,
    /// The passages that are the evidence, in document order, at most eight.
    pub quotes: Vec<Quote>,
    /// What decided on the target where the text names it; absent in evidence of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
    /// What the score consists of.
    pub breakdown: Breakdown,
    /// The answer score: the sum of the parts, capped.
    pub score: Score,
    /// The competitors it puts forward or warns of, the target included, in document order.
    #[serde(rename = "entities")]
    pub competitors: Vec<NamedCompetitor>,
    /// Findings on the way.
    pub flags: Vec<Flag>,
    /// The advertisements below or beside the answer. They are no part of it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub advertisements: u32,
}

/// Whether a number need not be written.
const fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Reading {
    /// Stands for a question that got no answer.
    #[must_use]
    pub fn failed() -> Self {
        Self::blank(AnswerClass::Error)
    }

    /// A reading without any evidence.
    #[must_use]
    pub(crate) fn blank(answer_class: AnswerClass) -> Self {
        Self {
            answer_class,
            form: AnswerForm::Prose,
            informative: false,
            class: Prominence::None,
            rank: None,
            stance: Stance::Absent,
            link_kind: LinkKind::None,
            named_in_text: false,
            url: None,
            quotes: Vec::new(),
            decision: None,
            breakdown: Breakdown::default(),
            score: Score::ZERO,
            competitors: Vec::new(),
            flags: Vec::new(),
            advertisements: 0,
        }
    }

    /// Whether the answer counts: errors, empty and unfinished answers leave numerator and denominator.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        match self.answer_class {
            AnswerClass::Answer | AnswerClass::Refusal | AnswerClass::Clarification => !self.is_unfinished(),
            AnswerClass::Empty | AnswerClass::Error | AnswerClass::Unfinished => false,
        }
    }

    /// Whether it stops before it answers, or breaks off before it names the target, which the rest might have named.
    pub fn is_unfinished(&self) -> bool {
        self.answer_class == AnswerClass::Unfinished || self.flags.contains(&Flag::Cut) && !self.cited()
    }

    /// Whether it cites the target.
    #[must_use]
    pub fn cited(&self) -> bool {
        self.class != Prominence::None
    }

    /// Whether it links to the target, in the text or among the sources.
    #[must_use]
    pub fn linked(&self) -> bool {
        self.link_kind != LinkKind::None
    }

    /// The answer score in full precision, recomputed from its parts.
    #[must_use]
    pub fn points(&self) -> f64 {
        let parts = &self.breakdown;
        let sum = parts.base + parts.rank + parts.link + parts.share;
        sum.min(parts.cap.unwrap_or(100.0)).clamp(0.0, 100.0)
    }

    /// The competitors without the target, in document order.
    pub fn others(&self) -> impl Iterator<Item = &NamedCompetitor> {
        self.competitors.iter().filter(|competitor| !competitor.is_self)
    }
}

/// What kind of answer it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AnswerClass {
    /// An answer.
    Answer,
    /// The model declined.
    Refusal,
    /// There is no text.
    Empty,
    /// An error page, a CAPTCHA, or no answer.
    Error,
    /// It asks back instead of answering.
    Clarification,
    /// It stops before it answers: it only announces a search, calls a tool, or breaks off before it names anyone.
    Unfinished,
}

/// How an answer stands towards a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stance {
    /// It speaks for them.
    Recommended,
    /// It names them.
    Neutral,
    /// It speaks against them, or reports that they are gone.
    Discouraged,
    /// It does not name them, or states that it does not know them.
    Absent,
}

/// The strongest form in which an answer links to a website, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LinkKind {
    /// No link.
    None,
    /// Only among the sources: an annotation, a footnote, a source list.
    Annotation,
    /// A bare host name: `example.com`.
    Host,
    /// A bare address: `https://example.com/shop`.
    Url,
    /// A link with a text: `[Example](https://example.com)`.
    Markdown,
}

/// A passage of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Quote {
    /// The passage, verbatim from the answer.
    pub text: String,
    /// The start, in characters (Unicode scalar values) of the answer.
    pub start: u32,
    /// The end, exclusive.
    pub end: u32,
}

impl Quote {
    /// Finds the passage in the answer it was taken from, in bytes; `None` for another text.
    #[must_use]
    pub fn bytes_in(&self, answer: &str) -> Option<Range<usize>> {
        let (start, end) = (self.start as usize, self.end as usize);
        let mut bounds = answer.char_indices().map(|(at, _)| at).chain([answer.len()]);
        let first = bounds.by_ref().nth(start)?;
        let last = match end.checked_sub(start)? {
            0 => first,
            length => bounds.nth(length - 1)?,
        };
        (answer.get(first..last) == Some(self.text.as_str())).then_some(first..last)
    }
}

/// A provider that an answer puts forward or warns of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NamedCompetitor {
    /// The name, as written.
    pub name: String,
    /// Names of its products that the answer puts forward, as written, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub products: Vec<String>,
    /// The website the answer gives for it.
    pub domain: Option<Domain>,
    /// What kind of site it is.
    pub kind: CompetitorKind,
    /// Whether it is the target.
    #[serde(rename = "self", default)]
    pub is_self: bool,
    /// 1-based index among the recommended candidates; `None` for a name that the answer only warns of.
    pub rank: Option<u32>,
    /// How the answer stands towards it.
    pub stance: Stance,
    /// Whether the answer links to it.
    pub linked: bool,
}

/// Something noticed while reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Flag {
    /// The answer breaks off.
    #[serde(alias = "truncated")]
    Cut,
    /// The answer is JSON and was read as such.
    Json,
    /// The list counts down: the last item is the first choice.
    ReversedOrder,
    /// A later verdict overrode the order of the list.
    Verdict,
    /// A two-way comparison without a winner.
    Comparison,
    /// The answer reports the target as closed or gone.
    Defunct,
    /// The answer states that it does not know or find the target.
    AbsenceStatement,
    /// The target is only in a restated question.
    PromptEcho,
    /// The target is only in a code block.
    CodeOnly,
    /// The target is named, but linked to another website.
    ForeignLink,
    /// A word follows the target's name that may make it the name of another party.
    #[serde(rename = "longerName")]
    LongerName,
    /// A host in the answer imitates the target's with letters of another script.
    ConfusableHost,
    /// The target is known only through the title of a redirecting address.
    RedirectTitle,
    /// An advertisement beside the answer names the target. That is no citation.
    Sponsored,
    /// The answer contains instructions to its reader's software; they were read as data.
    Instructions,
}
