//! Every check in one row: its subject, weight, evidence, kinds of page, reason, advice and effort.

use super::finding::Finding;
use super::{access, authorship, delivery, discovery, quotability, structure, structured_data};
use crate::assistants::Concern;
use crate::facts::Facts;
use CategoryId::{Access, Authorship, Delivery, Discovery, Quotability, Structure, StructuredData};
use EvidenceKind::{Convention, Correlation, Measured, Study, Vendor};
use PageKind::{Article, Contact, Help, Home, Other, Product, Service};
use ibid_model::result::{CategoryId, EvidenceKind, PageKind};

/// One check.
pub(crate) struct Rule {
    pub(crate) id: &'static str,
    pub(crate) category: CategoryId,
    /// Points of a hundred where every check applies; 0 is information without points.
    ///
    /// What gates punish, and what nearly every page passes, has one or two.
    pub(crate) weight: u8,
    pub(crate) evidence: &'static [EvidenceKind],
    /// Whether its points are taken off where it fails, and are no part of the hundred where it passes.
    pub(crate) penalty: bool,
    /// Whether a controlled test or a large measurement found no effect.
    pub(crate) contested: bool,
    /// The kinds of page that are asked; empty for all.
    pub(crate) kinds: &'static [PageKind],
    /// The assistants concerned.
    pub(crate) concerns: Concern,
    pub(crate) title: &'static str,
    pub(crate) why: &'static str,
    pub(crate) advice: &'static str,
    /// The work of a pass, for a person who knows the site.
    pub(crate) effort: &'static str,
    pub(crate) check: fn(&Facts<'_>) -> Finding,
}

const fn row(
    id: &'static str,
    weight: u8,
    evidence: &'static [EvidenceKind],
    check: fn(&Facts<'_>) -> Finding,
) -> Rule {
    let category = match id.as_bytes()[0] {
        b'A' => Access,
        b'B' => Discovery,
        b'C' => Delivery,
        b'D' => Structure,
        b'E' => StructuredData,
        b'F' => Authorship,
        _ => Quotability,
    };
    Rule {
        id,
        category,
        weight,
        evidence,
        penalty: id.as_bytes()[0] == b'H',
        contested: false,
        kinds: &[],
        concerns: Concern::All,
        title: "",
        why: "",
        advice: "",
        effort: "",
        check,
    }
}

impl Rule {
    /// Whether its points stay the same on every page where it counts.
    pub(crate) fn is_fixed(&self) -> bool {
        self.contested || self.penalty
    }

    const fn contested(self) -> Self {
        Self {
            contested: true,
            ..self
        }
    }

    const fn of(self, kinds: &'static [PageKind]) -> Self {
        Self { kinds, ..self }
    }

    const fn concerns(self, concerns: Concern) -> Self {
        Self { concerns, ..self }
    }

    const fn says(
        self,
        title: &'static str,
        why: &'static str,
        advice: &'static str,
        effort: &'static str,
    ) -> Self {
        Self {
            title,
            why,
            advice,
            effort,
            ..self
        }
    }
}

/// The assistants whose indexes document a rule of search engines.
const ENGINES: &[&str] = &["Copilot", "Google AI"];
const DATA_READERS: Concern = Concern::Only(
    ENGINES,
    "Google and Bing publish that they read structured data; the other operators do not say so.",
);

/// The categories with their names.
pub(crate) const CATEGORIES: [(CategoryId, &str); 7] = [
    (Access, "Access"),
    (Discovery, "Discovery"),
    (Delivery, "Delivery"),
    (Structure, "Structure"),
    (StructuredData, "Structured data"),
    (Authorship, "Authorship and dates"),
    (Quotability, "Quotability"),
];

/// The 41 checks, in the order of the report.
pub(crate) const RULES: &[Rule] = &[
    row("A1", 1, &[Vendor], access::robots_answer).says(
        "robots.txt answers",
        "Agents read robots.txt first. A server error there closes the whole site to them; a plain 404 opens it.",
        "Serve robots.txt as text with status 200 and repair such lines, or answer 404 if there are no rules.",
        "an hour",
    ),
    row("A2", 2, &[Vendor], access::search_agents)
        .concerns(Concern::SearchAgents)
        .says(
        "Search agents may fetch the page",
        "Operators say that these agents fill the index their answers cite from: ChatGPT search, Claude, Perplexity, Copilot, Google. A page they may not fetch is not cited.",
        "Give each of these agents a group of its own with “Allow: /”, or remove the line that decided.",
        "10 minutes",
    ),
    row("A3", 1, &[Vendor], access::user_agents)
        .concerns(Concern::UserAgents)
        .says(
        "On-demand agents may fetch the page",
        "They fetch a page when a person asks ChatGPT, Claude or Perplexity about it. Some of them ignore robots.txt, others obey it.",
        "Allow these agents, if people should be able to ask about the page.",
        "10 minutes",
    ),
    row("A4", 0, &[Vendor], access::training_agents)
        .concerns(Concern::Only(&[], "Training agents fill no index of answers."))
        .says(
        "Training agents",
        "Their operators say that training agents have no say in search and citation. Shutting them out costs nothing here.",
        "Your choice: it does not change whether the page is cited.",
        "10 minutes",
    ),
    row("A5", 1, &[Vendor], access::no_noindex)
        .concerns(Concern::Indexes)
        .says(
        "No noindex",
        "A page outside the index cannot be a source of an answer that is drawn from it: Google and Bing, and through Bing Copilot.",
        "Remove the directive.",
        "5 minutes",
    ),
    row("A6", 1, &[Vendor], access::snippets)
        .concerns(Concern::Only(ENGINES, "Google and Bing publish that they follow it in answers, too."))
        .says(
        "Quoting is allowed",
        "Google asks that a page may be shown with a snippet before its AI features use it.",
        "Allow snippets, and put data-nosnippet round small parts only.",
        "5 minutes",
    ),
    row("A7", 1, &[Vendor], access::bing_cache)
        .concerns(Concern::Only(&["Copilot"], "Bing publishes that Copilot follows it."))
        .says(
        "Bing may use the text",
        "Bing keeps noarchive pages out of Copilot's answers and shows only title and snippet of nocache pages.",
        "Drop noarchive, or add nocache to it.",
        "5 minutes",
    ),
    row("A8", 1, &[Convention], access::reservations)
        .concerns(Concern::Only(&[], "No operator of the five publishes that its answers follow it."))
        .says(
        "No reservation against AI answers",
        "noai, TDM reservations and content signals tell a wish; few agents obey. ai-train=no alone is no finding.",
        "Keep the reservation only if the page should not be used in answers.",
        "10 minutes",
    ),
    row("A9", 1, &[Vendor, Correlation], access::paywall).says(
        "No wall before the text",
        "An agent reads what an anonymous visitor gets. Text behind a wall is not there for it.",
        "Leave a full summary outside the wall, and mark the closed part with hasPart and cssSelector.",
        "a decision of the publisher",
    ),
    row("B1", 2, &[Vendor], discovery::canonical)
        .concerns(Concern::Only(ENGINES, "Google and Bing document it for their indexes."))
        .says(
        "Canonical address",
        "Google and Bing cite the canonical address; a wrong one sends the citation elsewhere.",
        "Put one absolute canonical link to the page itself into the head.",
        "10 minutes in the template",
    ),
    row("B2", 1, &[Convention], discovery::sitemap)
        .concerns(Concern::Only(ENGINES, "Google and Bing document it for their indexes."))
        .says(
        "Listed in a sitemap",
        "A sitemap tells crawlers that the page exists and when it changed.",
        "List the page in the sitemap with a true lastmod, and name the sitemap in robots.txt.",
        "an hour",
    ),
    row("B3", 1, &[Vendor], discovery::hreflang)
        .concerns(Concern::Only(&["Google AI"], "Google documents it; Bing goes by other signs."))
        .says(
        "Alternates in other languages (hreflang)",
        "Wrong codes make Google drop the whole set of alternates.",
        "Use valid hreflang codes (en-GB, not en-UK), absolute addresses, and name the page itself too.",
        "an hour",
    ),
    row("B4", 6, &[Correlation], discovery::title).says(
        "Title and description",
        "Title and description are what a search agent of ChatGPT, Perplexity or Copilot sees before it decides to fetch.",
        "Put the subject first: a title of 10 to 70 columns and a description of 50 to 320.",
        "15 minutes",
    ),
    row("B5", 1, &[Convention], discovery::llms_txt).contested()
        .concerns(Concern::Only(&[], "No operator of the five publishes that it reads the file."))
        .says(
        "llms.txt",
        "A summary for tools that ask for it. Four studies found no link with citation, and Google says it ignores the file.",
        "Cheap for tools, no proven effect: a title, a summary, and sections of absolute links.",
        "an hour",
    ),
    row("B6", 1, &[Vendor], discovery::internal_links).says(
        "Links into the site",
        "Crawlers find pages by links with an address; scripts that navigate are not links.",
        "Link related pages with plain <a href>.",
        "an hour",
    ),
    row("C1", 1, &[Vendor], delivery::is_a_page).says(
        "A page is answered",
        "Only a page with status 200 and HTML content is indexed.",
        "Answer 200 with HTML, and test your firewall with the agents' names: challenges stop them.",
        "depends on the cause",
    ),
    row("C2", 4, &[Measured], delivery::words).says(
        "Text in the HTML, without JavaScript",
        "Logs show that the crawlers of OpenAI, Anthropic and Perplexity do not run JavaScript: text outside the HTML does not exist for them.",
        "If scripts add more text, render it on the server. If this is all, write more: short pages are seldom cited.",
        "an hour of writing, or days of development",
    ),
    row("C3", 1, &[Measured], delivery::is_no_shell)
        .concerns(Concern::WithoutScripts)
        .says(
        "Not an empty JavaScript shell",
        "A shell that JavaScript fills is an empty page to the crawlers of OpenAI, Anthropic and Perplexity, which run none.",
        "Pre-render the page, or render it on the server.",
        "days of development",
    ),
    row("C4", 1, &[Convention], delivery::redirects).says(
        "A short way to the page",
        "Agents follow few redirects, and a meta refresh hides the page.",
        "Link the final address, and redirect once at most.",
        "an hour",
    ),
    row("C5", 1, &[Convention], delivery::https)
        .concerns(Concern::Only(ENGINES, "Google and Bing index the https address of a page first."))
        .says(
        "https",
        "Search engines prefer the https address of a page.",
        "Serve the page over https and redirect http to it.",
        "an hour",
    ),
    row("C6", 1, &[Convention], delivery::size).says(
        "Size of the HTML",
        "Fetchers cut long answers; what stands behind the cut is lost.",
        "Move inline images, styles and data into files of their own, and flatten the markup.",
        "a day of development",
    ),
    row("C7", 1, &[Convention], delivery::charset).says(
        "Character encoding",
        "A wrong encoding breaks words and names.",
        "Declare charset=utf-8 in the Content-Type header and in a meta element at the top.",
        "10 minutes in the template",
    ),
    row("D1", 5, &[Correlation], structure::h1).says(
        "One main heading",
        "The h1 says what the page is about.",
        "Use exactly one visible h1 that names the subject.",
        "10 minutes",
    ),
    row("D3", 5, &[Correlation], structure::main_element).says(
        "The text is marked as main",
        "A main element separates the text from menus and footers.",
        "Wrap the text in exactly one <main>, without menus, related pages and comments.",
        "an hour in the template",
    ),
    row("D4", 4, &[Correlation], structure::lists).of(&[Article, Help]).says(
        "A list or a table",
        "Pages that shape the answers of ChatGPT, Perplexity and Google hold more steps, comparisons and tables than others.",
        "Put the steps into an ordered list and the comparisons or properties into a table with header cells.",
        "an hour",
    ),
    row("D5", 9, &[Correlation], structure::lead).of(&[Home, Service, Product, Article, Help, Other]).says(
        "The first paragraph answers",
        "The beginning of a page is quoted more often than its middle.",
        "Answer first: 15 to 80 words that say what the page says.",
        "30 minutes",
    ),
    row("D7", 2, &[Convention], structure::alt_texts).says(
        "Alternative texts",
        "Text models read the alt attribute, not the image.",
        "Describe each image in its alt attribute; leave it empty for decoration.",
        "an hour",
    ),
    row("E1", 2, &[Correlation], structured_data::is_present).contested()
        .concerns(DATA_READERS)
        .says(
        "Structured data is there",
        "Cited pages often have it, but a matched test of 1,885 pages that added it found no gain.",
        "Describe the page with JSON-LD of a schema.org type, if you maintain it; the report drafts it.",
        "an hour in the template",
    ),
    row("E2", 4, &[Convention], structured_data::is_valid)
        .concerns(DATA_READERS)
        .says(
        "JSON-LD is valid",
        "A block that does not parse is dropped as a whole.",
        "Repair the JSON at that line, with a schema.org @context and an @type.",
        "15 minutes",
    ),
    row("E3", 5, &[Convention], structured_data::has_fields)
        .concerns(DATA_READERS)
        .says(
        "Expected fields",
        "Consumers ask for these fields before they use a type.",
        "Add these fields, with the values that the page shows.",
        "30 minutes in the template",
    ),
    row("E4", 5, &[Correlation], structured_data::has_entity)
        .concerns(DATA_READERS)
        .says(
        "Who stands behind it",
        "A name with an address ties the page to an entity that others know.",
        "Name the organisation or the person with url or sameAs.",
        "15 minutes in the template",
    ),
    row("F1", 9, &[Correlation], authorship::author).of(&[Article]).says(
        "A named author",
        "Cited pages more often name who wrote them.",
        "Name a person in a byline, and as author in JSON-LD.",
        "15 minutes",
    ),
    row("F2", 7, &[Correlation], authorship::machine_date).of(&[Article, Help]).says(
        "A date machines can read",
        "Without a date ChatGPT, Perplexity and Google cannot tell news from history.",
        "Add datePublished and dateModified, or a <time datetime>.",
        "15 minutes in the template",
    ),
    row("F3", 5, &[Correlation], authorship::freshness).of(&[Article, Help]).says(
        "Fresh enough",
        "Cited pages are younger than the average.",
        "Check the figures, prices and names, correct those that have changed, and then set dateModified.",
        "an hour or more",
    ),
    row("F4", 2, &[Convention], authorship::date_order).of(&[Article, Help]).says(
        "Dates agree",
        "Search engines and models distrust dates that contradict each other.",
        "Show the date that the page declares, and never modify before publishing.",
        "15 minutes",
    ),
    row("F5", 2, &[Convention], authorship::html_lang)
        .concerns(Concern::Only(&["Copilot"], "Bing reads the attribute; Google goes by the text."))
        .says(
        "Declared language",
        "The declared language decides which readers the page is offered to.",
        "Set <html lang> to the language of the text.",
        "5 minutes in the template",
    ),
    row("G2", 3, &[Study], quotability::sources).contested().of(&[Article]).says(
        "Sources",
        "One controlled study found that named sources may help; its peer-reviewed repetition found little.",
        "Link the sources of what you claim: two other sites or more.",
        "30 minutes",
    ),
    row("H1", 23, &[Convention], quotability::filler).says(
        "No filler text",
        "Filler says nothing about you, and tells every reader that the page is not finished.",
        "Write your own text, or remove the part.",
        "an hour of writing",
    ),
    row("H2", 23, &[Vendor], quotability::stuffing).says(
        "No keyword stuffing",
        "Google and Bing publish that they treat it as spam; a model quotes sentences that say something.",
        "Say the phrase once or twice, and use the room for facts.",
        "an hour of writing",
    ),
    row("H3", 23, &[Convention], quotability::gaps).says(
        "No gaps in sentences",
        "A sentence without the name of the firm names nobody.",
        "Put the missing name in.",
        "5 minutes in the template",
    ),
    row("H4", 23, &[Convention], quotability::placeholders).of(&[Home, Service, Product, Contact, Other]).says(
        "No placeholders",
        "A reader who finds words of a template in place of a name or an address trusts neither.",
        "Put your own name, address and numbers in.",
        "15 minutes",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_41_checks_in_order_and_every_category_has_some() {
        let ids: Vec<_> = RULES.iter().map(|rule| rule.id).collect();
        assert_eq!(ids.len(), 41);
        assert!(ids.is_sorted_by(|one, next| one < next));
        let sum = |penalty: bool| {
            let rules = RULES.iter().filter(|rule| rule.penalty == penalty);
            rules.map(|rule| u32::from(rule.weight)).sum::<u32>()
        };
        // What every penalty takes off, and the contested checks, leave points for the others.
        assert!(sum(false) == 100 && sum(true) <= 92);
        for (category, _) in CATEGORIES {
            assert!(
                RULES
                    .iter()
                    .any(|rule| rule.category == category && rule.weight > 0),
                "{category:?}"
            );
        }
    }

    #[test]
    fn no_text_promises_an_effect() {
        for rule in RULES {
            let texts = [rule.why, rule.advice];
            assert!(
                texts
                    .iter()
                    .all(|text| !text.contains('%') && text.ends_with('.')),
                "{}",
                rule.id
            );
            assert!(
                !rule.evidence.is_empty() && !rule.effort.is_empty(),
                "{}",
                rule.id
            );
        }
    }
}
