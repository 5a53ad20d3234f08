//! Tells a page's kind from its address, its structured data and its structure.

use crate::authors::SURE;
use crate::dates;
use crate::facts::{DateRole, Facts};
use crate::limits::{LONG_TEXT, SECTION_WORDS};
use crate::quote::key;
use crate::vocabulary::Words;
use ibid_model::result::PageKind;
use url::Url;

/// Words of an address, without its last part for kinds whose overview has the same word.
static ADDRESS_WORDS: [(PageKind, Words); 6] = [
    (
        PageKind::Contact,
        Words::new(include_str!("words/kind_contact.txt")),
    ),
    (PageKind::Help, Words::new(include_str!("words/kind_help.txt"))),
    (PageKind::List, Words::new(include_str!("words/kind_list.txt"))),
    (
        PageKind::Product,
        Words::new(include_str!("words/kind_product.txt")),
    ),
    (
        PageKind::Service,
        Words::new(include_str!("words/kind_service.txt")),
    ),
    (
        PageKind::Article,
        Words::new(include_str!("words/kind_article.txt")),
    ),
];

/// Types of structured data, the stronger first.
static TYPES: [(PageKind, Words); 6] = [
    (PageKind::Product, Words::new("Product|ProductGroup")),
    (
        PageKind::Article,
        Words::new(include_str!("words/kind_types_article.txt")),
    ),
    (PageKind::Contact, Words::new("ContactPage")),
    (PageKind::Help, Words::new("QAPage|HowTo")),
    (
        PageKind::List,
        Words::new("CollectionPage|SearchResultsPage|ItemList|OfferCatalog"),
    ),
    (PageKind::Service, Words::new("Service")),
];

/// A page with so many items of one kind is a list.
const LIST_ITEMS: usize = 4;
/// Links outside menus for one paragraph, from which a page is a list.
const LIST_LINKS: usize = 8;

/// The kind of a page.
pub(crate) fn of(facts: &Facts<'_>) -> PageKind {
    let address = facts.address().and_then(|url| of_address(&url));
    if address == Some(PageKind::Home) {
        return PageKind::Home;
    }
    match (of_data(facts), address) {
        // Manuals are marked as articles, too, but not as news.
        (Some(PageKind::Article), Some(PageKind::Help)) if !facts.structured.has_type(&["NewsArticle"]) => {
            PageKind::Help
        }
        (Some(data), _) => data,
        (None, Some(PageKind::Article | PageKind::Help)) if is_list(facts) => PageKind::List,
        (None, Some(address)) => address,
        (None, None) => of_heading(facts).unwrap_or_else(|| of_structure(facts)),
    }
}

fn of_address(url: &Url) -> Option<PageKind> {
    let mut parts: Vec<String> = url
        .path_segments()?
        .map(|part| part.split('.').next().unwrap_or("").to_ascii_lowercase())
        .filter(|part| !part.is_empty() && part != "index")
        .collect();
    // A language's folder, such as /de/ or /en-gb/.
    let is_code = |part: &str| part.len() == 2 && part.is_ascii();
    if parts
        .first()
        .is_some_and(|part| part.split(['-', '_']).take(3).all(is_code) && part.len() <= 5)
    {
        parts.remove(0);
    }
    let Some((last, folders)) = parts.split_last() else {
        return url.query().is_none().then_some(PageKind::Home);
    };
    // In an event's address the day is when it takes place.
    static EVENTS: Words = Words::new("event|events|termine|veranstaltungen|agenda|calendar|kalender");
    if dates::in_path(url.path()).is_some() && !folders.iter().any(|part| EVENTS.contains(part)) {
        return Some(PageKind::Article);
    }
    let host = url.host_str()?.split('.').next();
    let is_named = |(kind, words): &&(PageKind, Words)| {
        let has = |part: &String| words.contains(&part.replace(['-', '_'], ""));
        let in_folders = folders.iter().any(has);
        match kind {
            PageKind::Contact => has(last) || last.split(['-', '_']).any(|part| words.contains(part)),
            PageKind::Help => in_folders || has(last) || host.is_some_and(|host| words.contains(host)),
            PageKind::Product | PageKind::Article => in_folders,
            PageKind::Home | PageKind::List | PageKind::Service | PageKind::Other => in_folders || has(last),
        }
    };
    // An overview of products or articles is named like their folder.
    let is_overview = |(kind, words): &(PageKind, Words)| {
        matches!(kind, PageKind::Product | PageKind::Article) && words.contains(last)
    };
    let overview = || ADDRESS_WORDS.iter().any(is_overview).then_some(PageKind::List);
    ADDRESS_WORDS
        .iter()
        .find(is_named)
        .map(|(kind, _)| *kind)
        .or_else(overview)
}

fn of_data(facts: &Facts<'_>) -> Option<PageKind> {
    let count = |types: &Words| {
        let roots = facts.structured.items().filter(|item| item.is_root);
        roots
            .filter(|item| item.types.iter().any(|name| types.contains(name)))
            .count()
    };
    let counts = TYPES.iter().map(|(kind, types)| (*kind, count(types)));
    let (kind, found) = counts.into_iter().find(|(_, found)| *found > 0)?;
    let is_list = found >= LIST_ITEMS && !facts.declares("og:type", "product");
    Some(if is_list { PageKind::List } else { kind })
}

/// Tells the kind from a heading such as "Contact" or "Prices", for files without an address.
fn of_heading(facts: &Facts<'_>) -> Option<PageKind> {
    let heading = key(facts.heading()?.0);
    let named = ADDRESS_WORDS.iter().filter(|(_, words)| words.contains(&heading));
    let mut kinds = named.map(|(kind, _)| *kind);
    kinds.find(|kind| matches!(kind, PageKind::Contact | PageKind::List | PageKind::Service))
}

fn of_structure(facts: &Facts<'_>) -> PageKind {
    let reading = &facts.reading;
    if facts.declares("og:type", "product") {
        return PageKind::Product;
    }
    // Systems that call every page a WebPage give each of them a day.
    let is_any_page = facts.structured.has_type(&["WebPage"]);
    let is_post = facts.head.meta(&["article:published_time"]).is_some();
    let is_dated = facts.dates.iter().any(|found| match found.role {
        DateRole::Published => is_post || !is_any_page,
        DateRole::Address => true,
        DateRole::Modified | DateRole::Dated | DateRole::Visible => false,
    });
    let is_signed = facts
        .author
        .as_ref()
        .is_some_and(|author| author.confidence >= SURE && !author.is_organisation);
    // An `article` element alone is no article: price lists and events stand in one, too.
    let prose: usize = reading.paragraphs().map(|block| block.words).sum();
    let is_marked = facts.declares("og:type", "article") && prose >= LONG_TEXT;
    let is_called = facts.phone().is_some();
    if is_dated || is_signed {
        PageKind::Article
    } else if is_list(facts) {
        PageKind::List
    } else if !is_called && is_marked {
        PageKind::Article
    } else if is_called {
        PageKind::Service
    } else {
        PageKind::Other
    }
}

/// Whether links to other pages outnumber the paragraphs, and these are few.
fn is_list(facts: &Facts<'_>) -> bool {
    let reading = &facts.reading;
    let links = reading.links.iter().filter(|link| !link.in_furniture).count();
    let prose = reading.paragraphs().filter(|block| block.words >= 25);
    let (count, words) = prose.fold((0, 0), |(count, words), block| (count + 1, words + block.words));
    links >= LIST_LINKS * (count + 1) && words < SECTION_WORDS
}

/// Returns whether part of an address names an account's or order's form, the thanks for it, or an error page.
///
/// They have no subject to write about, and no answer cites them.
#[must_use]
pub fn is_uncited(part: &str) -> bool {
    static PAGES: Words = Words::new(include_str!("words/kind_pages.txt"));
    let name = part.split('.').next().unwrap_or("").replace(['-', '_', ' '], "");
    PAGES.contains(&name.to_lowercase())
}

/// Whether the page is one of those that [`is_uncited`] names, by its address.
pub(crate) fn is_account_form(facts: &Facts<'_>) -> bool {
    let url = facts.address();
    let mut parts = url.iter().filter_map(Url::path_segments).flatten();
    parts.any(is_uncited) && facts.reading.article_words < SECTION_WORDS && facts.kind != PageKind::Article
}

/// Whether the page is a legal notice, by its address or its heading. It is there for the law rather than to be cited.
pub(crate) fn is_legal(facts: &Facts<'_>) -> bool {
    static WHOLE: Words = Words::new(include_str!("words/kind_whole.txt"));
    static STARTS: Words = Words::new(include_str!("words/kind_starts.txt"));
    let url = facts.address();
    let last = url
        .iter()
        .filter_map(Url::path_segments)
        .flatten()
        .rfind(|part| !part.is_empty());
    let last = last.and_then(|part| part.split('.').next()).map(key);
    let named = facts
        .heading()
        .or_else(|| facts.title())
        .map(|(text, _)| key(text));
    let is_subject = matches!(facts.kind, PageKind::Article | PageKind::Help | PageKind::Product);
    let mut names = last.into_iter().chain(named);
    !is_subject && names.any(|name| WHOLE.contains(&name) || STARTS.opens(&name))
}

/// Whether an article explains something that stays, and does not report what was.
pub(crate) fn is_guide(facts: &Facts<'_>) -> bool {
    const TYPES: &[&str] = &["TechArticle", "HowTo", "FAQPage", "QAPage"];
    static WORDS: Words = Words::new(include_str!("words/kind_words.txt"));
    static FOLDERS: Words = Words::new("guide|guides|how-to|howto|learn|tutorials|ratgeber");
    let title = facts.title().map(|(title, _)| title.to_lowercase());
    let address = facts.address();
    let mut folders = address.iter().filter_map(Url::path_segments).flatten();
    facts.kind == PageKind::Help
        || folders.any(|folder| FOLDERS.contains(folder))
        || facts.structured.has_type(TYPES)
        || title.is_some_and(|title| WORDS.is_in(&title))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_name_kinds() {
        for (path, expected) in [
            ("/", Some(PageKind::Home)),
            ("/index.html", Some(PageKind::Home)),
            ("/en-gb/", Some(PageKind::Home)),
            ("/?p=12", None),
            ("/kontakt", Some(PageKind::Contact)),
            ("/contact-us.html", Some(PageKind::Contact)),
            ("/de/leistungen/notdienst", Some(PageKind::Service)),
            ("/services/", Some(PageKind::Service)),
            ("/product/anvil-5kg", Some(PageKind::Product)),
            ("/products", Some(PageKind::List)),
            ("/blog", Some(PageKind::List)),
            ("/blog/frozen-pipes", Some(PageKind::Article)),
            ("/2019/07/18/storm", Some(PageKind::Article)),
            ("/archive/2019/07/18/storm", Some(PageKind::Article)),
            ("/events/2016/3/17/pop-up", Some(PageKind::List)),
            ("/category/pipes", Some(PageKind::List)),
            ("/help/reset-a-password", Some(PageKind::Help)),
            ("/about", None),
        ] {
            let url = Url::parse(&format!("https://a.example{path}")).expect("an address");
            assert_eq!(of_address(&url), expected, "{path}");
        }
    }
}
