//! Rows of category B: can agents find the page.

use super::Rule;
use crate::checks::discovery;
use ibid_model::result::CategoryId;
use ibid_model::result::EvidenceKind::{Convention, Correlation, Vendor};

pub(super) const ROWS: &[Rule] = &[
    Rule {
        id: "B1",
        category: CategoryId::Discovery,
        title: "Canonical address",
        weight: 2,
        evidence: &[Vendor],
        contested: false,
        why: "Search engines cite the canonical address; a wrong one sends the citation elsewhere.",
        advice: "Put one absolute canonical link to the page itself into the head.",
        check: discovery::canonical,
    },
    Rule {
        id: "B2",
        category: CategoryId::Discovery,
        title: "Listed in a sitemap",
        weight: 2,
        evidence: &[Convention],
        contested: false,
        why: "A sitemap tells crawlers that the page exists and when it changed.",
        advice: "List the page in the sitemap with a true lastmod, and name the sitemap in robots.txt.",
        check: discovery::sitemap,
    },
    Rule {
        id: "B3",
        category: CategoryId::Discovery,
        title: "Alternates in other languages (hreflang)",
        weight: 1,
        evidence: &[Vendor],
        contested: false,
        why: "Wrong codes make search engines drop the whole set of alternates.",
        advice: "Use valid hreflang codes (en-GB, not en-UK), absolute addresses, and name the page itself too.",
        check: discovery::hreflang,
    },
    Rule {
        id: "B4",
        category: CategoryId::Discovery,
        title: "Title and description",
        weight: 3,
        evidence: &[Correlation],
        contested: false,
        why: "Title and description are what a search agent sees before it decides to fetch.",
        advice: "Say the subject first: a title of 10 to 70 columns and a description of 50 to 320.",
        check: discovery::title,
    },
    Rule {
        id: "B5",
        category: CategoryId::Discovery,
        title: "llms.txt",
        weight: 1,
        evidence: &[Convention],
        contested: true,
        why: "A summary for tools that ask for it. Four studies found no link with citation, and Google says it ignores the file.",
        advice: "Cheap for tools, no proven effect: a title, a summary, and sections of absolute links.",
        check: discovery::llms_txt,
    },
    Rule {
        id: "B6",
        category: CategoryId::Discovery,
        title: "Links into the site",
        weight: 1,
        evidence: &[Vendor],
        contested: false,
        why: "Crawlers find pages by links with an address; scripts that navigate are not links.",
        advice: "Link related pages with plain <a href>.",
        check: discovery::internal_links,
    },
];
