//! What a page audit found: how easily an AI can fetch, read and cite one page.
//!
//! Everything that comes from the page is cut to 200 characters and has no control characters;
//! it is still hostile text, so a renderer escapes it.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The result of one page audit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditReport {
    /// The address that was asked for; `null` for HTML without one.
    pub url: Option<String>,
    /// The address that answered, after redirects.
    pub final_url: Option<String>,
    /// When the page was fetched; ages are counted from here.
    #[schemars(with = "String")]
    #[serde(serialize_with = "crate::time::serialize")]
    pub fetched_at: Timestamp,
    /// Version of the checks, weights and gates.
    pub audit_version: String,
    /// Day the list of crawlers was last reviewed, as YYYY-MM-DD.
    pub bot_list_date: String,
    /// HTTP status of the page; `null` when the HTML was handed in.
    pub status: Option<u16>,
    /// Score after gates, 0..100.
    pub score: u8,
    /// Score before gates, 0..100.
    pub uncapped_score: u8,
    /// The score in a word.
    pub band: AuditBand,
    /// Caps that apply, lowest first. Read these before the number.
    pub gates: Vec<AuditGate>,
    /// The seven categories, in fixed order.
    pub categories: Vec<AuditCategory>,
    /// Every check, in fixed order.
    pub checks: Vec<AuditCheck>,
    /// Ids of the checks whose advice helps most, best first, at most five. Contested advice stands last.
    pub top_fixes: Vec<String>,
    /// The verdict of robots.txt on each listed crawler; empty when robots.txt was not read.
    pub crawlers: Vec<CrawlerVerdict>,
    /// Facts about the page that carry no weight.
    pub page: PageFacts,
    /// Findings without weight.
    pub notes: Vec<AuditNote>,
    /// The answers of the page to several agents, where the caller asked for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bots: Option<super::bots::BotReport>,
    /// Drafts of fixes that can be generated from the page itself.
    pub drafts: Vec<AuditDraft>,
    /// The limits of the score.
    pub caveat: String,
    /// Whether the sandbox made the page up: the report then describes no page of the web.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub invented: bool,
}

/// A score in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AuditBand {
    /// Below 30.
    NotCitable,
    /// 30 and more.
    Weak,
    /// 50 and more.
    Fair,
    /// 70 and more.
    Good,
    /// 85 and more.
    Strong,
}

impl AuditBand {
    /// Sorts a score, 0 to 100, into its band.
    #[must_use]
    pub fn of(score: u8) -> Self {
        match score {
            85.. => Self::Strong,
            70..85 => Self::Good,
            50..70 => Self::Fair,
            30..50 => Self::Weak,
            0..30 => Self::NotCitable,
        }
    }

    /// The band as a reader sees it.
    pub fn label(self) -> &'static str {
        match self {
            Self::NotCitable => "not citable",
            Self::Weak => "weak",
            Self::Fair => "fair",
            Self::Good => "good",
            Self::Strong => "strong",
        }
    }
}

/// A finding that limits the whole score.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditGate {
    /// Which gate.
    pub id: GateId,
    /// Highest score a page behind this gate can have.
    pub cap: u8,
    /// Id of the check that set it.
    pub check: String,
    /// One sentence: what was found.
    pub reason: String,
}

/// The conditions without which a page cannot be cited, or only by some.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GateId {
    /// No HTML page was answered.
    NotAPage,
    /// A directive keeps the page out of an index.
    Noindex,
    /// The HTML as sent holds next to no text.
    NoContent,
    /// robots.txt shuts search agents out.
    SearchAgentsBlocked,
    /// robots.txt cannot be read, which agents take for a refusal.
    RobotsUnreachable,
    /// A directive forbids quoting.
    NoSnippet,
    /// The text is behind a paywall or a sign-in.
    Paywall,
}

/// A group of checks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditCategory {
    /// Which category.
    pub id: CategoryId,
    /// Its name.
    pub label: String,
    /// Weighted mean of its checks, 0..100; `null` when none applies.
    pub score: Option<u8>,
    /// Its share of the total, 0..100.
    pub weight: u8,
}

/// The seven categories.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CategoryId {
    /// May agents fetch and quote the page?
    Access,
    /// Can agents find it and tell what it is?
    Discovery,
    /// Does the answer carry the text?
    Delivery,
    /// Can a passage be lifted out?
    Structure,
    /// Does the page describe itself to machines?
    StructuredData,
    /// Authorship and dates.
    Authorship,
    /// Is there something worth quoting?
    Quotability,
}

/// One check and what it found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditCheck {
    /// Stable id, a letter and a digit.
    pub id: String,
    /// Its category.
    pub category: CategoryId,
    /// The subject of the check.
    pub title: String,
    /// The outcome.
    pub status: CheckStatus,
    /// Points of 100 within the whole list; 0 for information.
    pub weight: u8,
    /// Kinds of evidence that this matters at all.
    pub evidence: Vec<EvidenceKind>,
    /// Whether a controlled test or a large measurement found no effect.
    pub contested: bool,
    /// The finding.
    pub found: String,
    /// The place: a line, a header, a file.
    #[serde(rename = "where")]
    pub location: Option<String>,
    /// Why it is checked.
    pub why: String,
    /// The advice; `null` when there is nothing to do.
    pub advice: Option<String>,
    /// What there is to know before the advice is followed; absent without advice and in older reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<AuditFix>,
    /// Points of the score before gates that a pass would add, one decimal.
    pub gain: f64,
}

/// The assistants, the effect, the work and the words of a piece of advice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditFix {
    /// Assistants that it concerns: `ChatGPT`, `Claude`, `Perplexity`, `Copilot`, `Google AI`. Empty for none of them.
    pub assistants: Vec<String>,
    /// Why these, in a sentence.
    pub because: String,
    /// How sure an effect is.
    pub certainty: FixCertainty,
    /// The work, for a person who knows the site: `15 minutes`.
    pub effort: String,
    /// The place of the page as it is, in its own words; `null` where nothing is there or the change is not mechanical.
    pub before: Option<String>,
    /// The same place after the change; `null` where the change is not mechanical.
    pub after: Option<String>,
}

impl AuditFix {
    /// The assistants, the certainty and the work in one line, for a reader.
    pub fn summary(&self) -> String {
        let of = match self.assistants.as_slice() {
            [] => "none of the assistants".to_owned(),
            [only] => only.clone(),
            [start @ .., last] => format!("{} and {last}", start.join(", ")),
        };
        format!(
            "For {of}. {} {}. {}.",
            self.because,
            self.certainty.label(),
            capital(&self.effort)
        )
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

/// How sure it is that following an advice changes something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FixCertainty {
    /// A published rule or measured behaviour of the agents.
    Sure,
    /// Goes together with citation, or one study; the cause is not shown.
    Likely,
    /// A habit, or a controlled test found no effect.
    Unsure,
}

impl FixCertainty {
    /// The certainty as a reader sees it.
    pub fn label(self) -> &'static str {
        match self {
            Self::Sure => "Sure: a published rule or measured behaviour",
            Self::Likely => "Likely: it goes together with citation",
            Self::Unsure => "Unsure: a habit, or contested",
        }
    }
}

/// The outcome of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckStatus {
    /// Full points.
    Pass,
    /// A third of the points.
    Warn,
    /// No points.
    Fail,
    /// Does not apply here; leaves the mean.
    Na,
    /// Could not be found out; no points.
    Unknown,
    /// Information, no weight.
    Info,
}

/// The kind of evidence behind a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceKind {
    /// A rule published by the operator of an agent.
    Vendor,
    /// Measured behaviour of agents.
    Measured,
    /// One controlled study, not confirmed by its repetition.
    Study,
    /// Goes together with citation; the cause is not shown.
    Correlation,
    /// A habit or a proposal.
    Convention,
}

impl EvidenceKind {
    /// The kind as a reader sees it.
    pub fn label(self) -> &'static str {
        match self {
            Self::Vendor => "vendor rule",
            Self::Measured => "measured",
            Self::Study => "one study",
            Self::Correlation => "correlation",
            Self::Convention => "convention",
        }
    }
}

/// The verdict of robots.txt on one crawler for this page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CrawlerVerdict {
    /// Product token of the crawler.
    pub agent: String,
    /// The company that runs it.
    pub operator: String,
    /// The purpose of its fetches.
    pub class: CrawlerClass,
    /// Whether the score looks at it.
    pub scored: bool,
    /// Whether it may fetch the page.
    pub allowed: bool,
    /// The reason of the verdict.
    pub decided_by: CrawlerReason,
    /// The deciding rule as written.
    pub rule: Option<String>,
    /// Its 1-based line.
    pub line: Option<u32>,
    /// Whether it is in the group for every agent.
    pub via_wildcard: bool,
}

/// The purpose of a crawler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CrawlerClass {
    /// Fills the index that answers are drawn from.
    Search,
    /// Fetches a page because a person asked about it.
    User,
    /// Collects text for training; has no say in citation.
    Training,
}

/// The reason of a verdict on a crawler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CrawlerReason {
    /// A line of robots.txt.
    Rule,
    /// No rule matches the path.
    NoRule,
    /// There is no robots.txt, so everything is allowed.
    NoFile,
    /// robots.txt could not be read, so everything is refused.
    Unreachable,
}

/// Facts about the page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PageFacts {
    /// The kind of the page; checks that a kind does not need do not apply.
    #[serde(default)]
    pub kind: PageKind,
    /// Words in the main part.
    pub words: u32,
    /// Decoded bytes of HTML that were read.
    pub bytes: u64,
    /// Whether the page was longer than what was read.
    pub truncated: bool,
    /// Language of the text, BCP 47, as detected; `null` when unsure.
    pub language: Option<String>,
    /// Character encoding that was used.
    pub charset: String,
    /// The title.
    pub title: Option<String>,
    /// The description.
    pub description: Option<String>,
    /// Addresses that redirected, in order, without the final one.
    pub redirects: Vec<String>,
    /// Milliseconds until the page was read; `null` when it was handed in.
    pub elapsed_ms: Option<u64>,
}

/// The kind of a page, from its address, its structured data and its structure.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum PageKind {
    /// The front page of a site, or of one of its languages.
    Home,
    /// What a firm does for its customers.
    Service,
    /// One thing for sale.
    Product,
    /// News, posts, guides, recipes.
    Article,
    /// An overview of other pages.
    List,
    /// Manuals, questions and answers.
    Help,
    /// Addresses, legal notices.
    Contact,
    /// Another kind; that of reports from before kinds were read.
    #[default]
    Other,
}

impl PageKind {
    /// With its article, inside a sentence.
    pub fn label(self) -> &'static str {
        match self {
            Self::Home => "a home page",
            Self::Service => "a service page",
            Self::Product => "a product page",
            Self::Article => "an article",
            Self::List => "a list of pages",
            Self::Help => "a help page",
            Self::Contact => "a contact page",
            Self::Other => "a page of another kind",
        }
    }
}

/// A finding without weight.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditNote {
    /// Stable snake_case word.
    pub code: String,
    /// Whether someone should act.
    pub level: NoteLevel,
    /// A sentence.
    pub message: String,
    /// The place: a line, a header, a file.
    #[serde(rename = "where")]
    pub location: Option<String>,
}

/// The weight of a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoteLevel {
    /// Good to know.
    Info,
    /// Someone should look at it.
    Warning,
}

/// A generated fix. It is always a draft: the owner of the site has to review it before use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditDraft {
    /// Id of the check it answers.
    pub check: String,
    /// The kind of draft.
    pub title: String,
    /// The place where it belongs.
    pub target: String,
    /// The format: `diff`, `html` or `markdown`.
    pub format: String,
    /// The text.
    pub content: String,
    /// The points to check before it is used.
    pub note: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_begin_where_the_method_says() {
        for (score, band) in [
            (0, AuditBand::NotCitable),
            (29, AuditBand::NotCitable),
            (30, AuditBand::Weak),
            (49, AuditBand::Weak),
            (50, AuditBand::Fair),
            (69, AuditBand::Fair),
            (70, AuditBand::Good),
            (84, AuditBand::Good),
            (85, AuditBand::Strong),
            (100, AuditBand::Strong),
        ] {
            assert_eq!(AuditBand::of(score), band, "{score}");
        }
    }
}
