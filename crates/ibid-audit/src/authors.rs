//! Who wrote a page, as the page itself says.

use crate::dates;
use crate::head::Head;
use crate::limits::FEW;
use crate::quote::{key, quote_to};
use crate::reading::{Block, Byline, PARAGRAPH_WORDS, PageReading, is_below, words};
use crate::structured_items::{Item, Structured};
use crate::vocabulary::Words;
use url::Url;

/// Confidence from which a draft may name the author.
pub(crate) const SURE: f32 = 0.8;

/// An author on the page.
#[derive(Clone, Debug)]
pub(crate) struct FoundAuthor {
    pub(crate) name: String,
    pub(crate) is_organisation: bool,
    pub(crate) location: String,
    /// The confidence, from 0 to 1.
    ///
    /// Structured data has the highest value, the text of a byline the lowest.
    /// Two sources that agree have a higher value than one.
    pub(crate) confidence: f32,
    place: Place,
}

/// Where an author is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Data,
    Meta,
    Text,
}

/// The author in structured data, meta elements, links and bylines; a person before an organisation.
///
/// `visible` is the [key](crate::quote::key) of all that the page shows.
pub(crate) fn find(
    head: &Head,
    structured: &Structured,
    (reading, visible): (&PageReading, &str),
    url: Option<&Url>,
) -> Option<FoundAuthor> {
    let mut all = Vec::new();
    let mut add = |text: &str, is_organisation: bool, place: Place, confidence: f32, location: String| {
        if let Some(name) = clean(text) {
            let is_organisation = is_organisation || is_role(&name);
            let is_shaped = is_organisation || is_person(&name);
            // Many people sign with one name, or with the name of an account.
            let doubt = match name.split_whitespace().count() {
                _ if is_shaped => 0.0,
                1 | 2 => 0.14,
                _ => 0.3,
            };
            all.push(FoundAuthor {
                confidence: confidence - doubt,
                name,
                is_organisation,
                location,
                place,
            });
        }
    };
    // The page's item comes first, because comments, reviews and teasers have authors, too.
    for item in structured.items().filter(|item| item.is_page()) {
        for author in &item.authors {
            let location = format!("line {}: {} author", item.line, item.syntax.label());
            add(&author.name, author.is_organisation, Place::Data, 0.95, location);
        }
    }
    for meta in head.metas.iter().filter(|meta| META_NAMES.contains(&meta.name)) {
        let location = format!("line {}: <meta {}>", meta.line, meta.name);
        add(&meta.content, false, Place::Meta, 0.8, location);
    }
    let title = reading.title.and_then(|index| reading.headings.get(index));
    let title = title.map_or(0, |heading| heading.order);
    let is_below = |byline: &Byline| is_below(title, byline.order);
    let mut bylines: Vec<_> = reading
        .bylines
        .iter()
        .filter(|byline| !byline.in_furniture || is_below(byline))
        .collect();
    bylines.sort_by_key(|byline| byline.order.abs_diff(title));
    for byline in bylines.into_iter().take(5) {
        let confidence = match byline.kind {
            "hCard" => 0.95,
            "itemprop author" => 0.85,
            "rel=author" => 0.8,
            _ if is_below(byline) => 0.8,
            _ => 0.75,
        };
        let location = format!("line {}: {}", byline.line, byline.kind);
        add(&byline.text, false, Place::Text, confidence, location);
    }
    // A short line at the top or the end: "By Ana Ruiz", "11.12.2019 - Ana Ruiz", "Text: Ana Ruiz".
    let last = reading.blocks.len().saturating_sub(3).max(8);
    let short = |(at, block): &(usize, &Block)| {
        (*at < 8 || *at >= last) && block.words < PARAGRAPH_WORDS as usize / 2
    };
    for (at, block) in reading.blocks.iter().enumerate().filter(short) {
        let text = reading.block_text(block);
        let is_dated = at < 8 && dates::visible(text).is_some();
        for part in text
            .split(['|', '•', '·', '–', '—'])
            .flat_map(|part| part.split(" - "))
        {
            let opens = SIGNATURES.opens(&part.trim().to_lowercase());
            if (opens || is_dated) && clean(part).is_some_and(|name| is_person(&name)) {
                let confidence = if opens { 0.8 } else { 0.7 };
                add(
                    part,
                    false,
                    Place::Text,
                    confidence,
                    format!("line {}", block.line),
                );
            }
        }
    }
    // A hostile page names thousands, and each is compared with each.
    all.truncate(FEW);
    choose(all, visible, &publisher(head, structured), url)
}

static META_NAMES: Words = Words::new(include_str!("words/authors_meta_names.txt"));

/// Openings of a line that names the author.
static SIGNATURES: Words = Words::new(include_str!("words/authors_signatures.txt"));
/// Names of the site, which many pages give as their author.
fn publisher(head: &Head, structured: &Structured) -> Vec<String> {
    let metas = ["og:site_name", "application-name", "publisher"];
    let metas = metas.iter().filter_map(|name| head.meta(&[name]));
    let is_site = |item: &&Item| item.is_organisation() || item.types.iter().any(|kind| kind == "WebSite");
    let owners = structured.items().filter(is_site);
    let names = metas.map(|meta| key(&meta.content));
    let names = names.chain(owners.filter_map(|item| item.name.as_deref().map(key)));
    names.filter(|name| name.len() > 2).collect()
}

/// The surest author: a person before an organisation, the first of equals.
fn choose(
    mut all: Vec<FoundAuthor>,
    visible: &str,
    publisher: &[String],
    url: Option<&Url>,
) -> Option<FoundAuthor> {
    let names: Vec<(Place, String)> = all
        .iter()
        .map(|author| (author.place, key(&author.name)))
        .collect();
    for (author, (place, own)) in all.iter_mut().zip(&names) {
        let fits = |name: &str| own.contains(name) || name.contains(own.as_str());
        // An invisible name may belong to an account or to the maker of the site.
        let is_site = is_site(url, own);
        if !visible.contains(own.as_str()) || is_site {
            author.confidence -= 0.2;
        }
        // Newspapers sign with their name: El Colombiano, The Guardian.
        author.is_organisation |=
            publisher.contains(own) || is_site && ARTICLES.opens(&author.name.to_lowercase());
        // A byline that names another person wins, because the data may name an account.
        let mut bylines = names.iter().filter(|(place, _)| *place == Place::Text).peekable();
        if *place != Place::Text && bylines.peek().is_some() && !bylines.any(|(_, name)| fits(name)) {
            author.confidence -= 0.2;
        }
        // Another kind of source that names the same person, alone or among others.
        if names
            .iter()
            .any(|(other, name)| other != place && !name.is_empty() && fits(name))
        {
            // If a name has two forms, the one that looks like a person comes first.
            let most = if is_person(&author.name) { 0.99 } else { 0.82 };
            author.confidence = (author.confidence + 0.1).min(most);
        }
    }
    all.retain(|author| author.confidence >= 0.6);
    all.sort_by(|one, other| {
        let by_kind = one.is_organisation.cmp(&other.is_organisation);
        by_kind.then(other.confidence.total_cmp(&one.confidence))
    });
    all.into_iter().next()
}

/// Articles, with which names of papers begin.
static ARTICLES: Words = Words::new("the |el |la |le |les |los |las |il |der |die |das |de ");

/// Whether the site is called like the name.
fn is_site(url: Option<&Url>, name: &str) -> bool {
    let host = url.and_then(Url::host_str).unwrap_or("").replace('-', "");
    host.split('.')
        .any(|label| label.len() > 4 && (label == name || (name.len() > 6 && label.contains(name))))
}

/// Returns a name without the words around it, or `None` if no name is left.
fn clean(text: &str) -> Option<String> {
    let mut name = quote_to(text, 160);
    if let Some(handle) = name.find(" @") {
        name.truncate(handle);
    }
    if name.contains("://") || name.contains(['@', '{', '>']) {
        return None;
    }
    // "Text und Interview: Ana Ruiz".
    if let Some((label, rest)) = name.split_once(": ")
        && label
            .to_lowercase()
            .split(' ')
            .any(|word| LABEL_WORDS.contains(word))
    {
        name = rest.to_owned();
    }
    for start in OPENINGS.iter() {
        if name
            .get(..start.len())
            .is_some_and(|head| head.to_lowercase() == *start)
        {
            name = name[start.len()..].trim_start_matches([':', ' ']).to_owned();
        }
    }
    // "ByAna Ruiz": markup between the words is lost.
    if let Some(rest) = name
        .strip_prefix("By")
        .filter(|rest| rest.starts_with(char::is_uppercase))
    {
        name = rest.to_owned();
    }
    // The name ends where a date, a role or another part of the byline begins.
    let ends = |c: char| c.is_ascii_digit() || matches!(c, '|' | '•' | '·' | '–' | '—' | '(' | '/');
    name.truncate(name.find(ends).unwrap_or(name.len()));
    let lower = name.to_lowercase();
    let stop = STOPS.iter().find_map(|stop| lower.find(stop));
    if let Some(at) = stop.filter(|at| name.is_char_boundary(*at) && lower.len() == name.len()) {
        name.truncate(at);
    }
    let name = without_tail(&name);
    let fits = (1..=12).contains(&words::count(name)) && name.chars().count() > 2;
    let is_day = name.split_whitespace().all(dates::is_calendar_word);
    (fits && !is_day && !COMMANDS.opens(&lower)).then(|| name.to_owned())
}

/// Words before a colon that name the work of an author.
static LABEL_WORDS: Words =
    Words::new("text|interview|story|words|autor|autorin|author|auteur|redaktion|bericht|report|reportage");
/// Openings of a byline, the longer first.
static OPENINGS: Words = Words::new(include_str!("words/authors_openings.txt"));
/// Words at which the name ends.
static STOPS: Words = Words::new(include_str!("words/authors_stops.txt"));
/// How buttons begin that stand where a name should.
static COMMANDS: Words = Words::new(include_str!("words/authors_commands.txt"));

/// Cuts the day, the place and the employer that a byline puts after the name.
///
/// `Reuters, Washington, Nov` and `STEVE PEOPLES, AP National Political Writer`.
fn without_tail(name: &str) -> &str {
    let is_edge = |c: char| c.is_whitespace() || matches!(c, ',' | ':' | '-' | '.' | ';');
    let mut name = name.trim_matches(is_edge);
    // Several people stay: each part has two capitalised words and no word of an office.
    while let Some((start, tail)) = name.rsplit_once(',')
        && !(is_person(tail) && !is_role(tail) && !is_office(tail))
    {
        name = start.trim_matches(is_edge);
    }
    // Two words stay, because May and Abril are names, too.
    while let Some((start, tail)) = name.rsplit_once(char::is_whitespace)
        && dates::is_calendar_word(tail)
        && start.trim().contains(' ')
    {
        name = start.trim_matches(is_edge);
    }
    name
}

/// Whether a part of a byline names an office or a house: `AP Auto Writer`, `CNN Business`, `MS`.
fn is_office(part: &str) -> bool {
    part.split_whitespace().any(|word| {
        let is_acronym = (2..=4).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_uppercase());
        is_acronym || OFFICES.contains(&word.to_lowercase())
    })
}

/// What offices and parts of a newsroom are called.
static OFFICES: Words = Words::new(include_str!("words/authors_offices.txt"));

/// Whether a text looks like a person's name, or like several.
///
/// A name has two to five words that begin with a capital.
fn is_person(name: &str) -> bool {
    if name.chars().any(words::is_dense) {
        return name.chars().count() <= 12 && !name.contains(|c: char| c.is_ascii_alphabetic() || c == '／');
    }
    let fits = |part: &str| {
        let first = part.chars().find(|c| c.is_alphabetic());
        first.is_none_or(|c| !c.is_lowercase())
            || PARTICLES.contains(&part.trim_end_matches(['.', ',']).to_lowercase())
    };
    let parts = name.split_whitespace();
    words::count(name) > 0 && (2..=10).contains(&parts.clone().count()) && parts.clone().all(fits)
}

/// Small words inside names, and between several.
static PARTICLES: Words = Words::new(
    "al|and|bin|da|das|de|del|den|der|di|do|dos|du|e|el|et|la|le|ten|ter|und|van|von|y|zu|zum|zur",
);

/// Author names such as "admin" or "Editorial Team", which identify no person.
fn is_role(name: &str) -> bool {
    let lower = name.trim().to_lowercase();
    // An agency, alone or before the place and the day of its report.
    let first = lower.split(',').next().unwrap_or("").split(' ');
    let first: String = first.filter(|word| !dates::is_calendar_word(word)).collect();
    AGENCIES.contains(&key(&first))
        || lower.ends_with("team")
        || OFFICES.iter().any(|word| lower.ends_with(word))
        || ROLES.contains(&lower)
        || lower
            .split(|c: char| !c.is_alphanumeric())
            .any(|word| ROLE_PARTS.contains(word))
        || COMPOUNDS.is_in(&lower)
        || [" team", " inc.", " s.a.", " e. v", " e.v"]
            .iter()
            .any(|end| lower.ends_with(end))
}

/// Agencies and papers that sign as if they were people.
static AGENCIES: Words = Words::new(include_str!("words/authors_agencies.txt"));
/// Names of accounts and functions.
static ROLES: Words = Words::new(include_str!("words/authors_roles.txt"));
/// Words in the names of organisations.
static ROLE_PARTS: Words = Words::new(include_str!("words/authors_role_parts.txt"));
/// What compound names of German, Dutch and Nordic organisations contain.
static COMPOUNDS: Words = Words::new(
    "anstalt|bundes|departement|feuerwehr|förbund|gesellschaft|ministeri|redaktion|verband|verein",
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_from_their_bylines() {
        for (text, expected) in [
            ("By Ana Ruiz", Some("Ana Ruiz")),
            ("VON MORITZ GATHMANN am 21. April 2020", Some("MORITZ GATHMANN")),
            ("Dan Goodin - Apr 16, 2015", Some("Dan Goodin")),
            ("Follow Author", None),
            ("https://example.com/ana", None),
            ("ana@example.com", None),
            ("June 3, 2020", None),
            ("Carrie Arnold November 3", Some("Carrie Arnold")),
            ("Carrie Arnold Monday", Some("Carrie Arnold")),
            ("By Theresa May", Some("Theresa May")),
            (
                "STEVE PEOPLES, AP National Political Writer",
                Some("STEVE PEOPLES"),
            ),
            ("Sandee LaMotte, CNN", Some("Sandee LaMotte")),
            ("Rachael Link, MS, RD", Some("Rachael Link")),
            ("Troy L. Smith, Cleveland.com", Some("Troy L. Smith")),
            ("Reuters, Washington, Nov 3", Some("Reuters")),
            ("Ana Ruiz, Ben Okafor", Some("Ana Ruiz, Ben Okafor")),
            ("Текст: Венера Ерофеева", Some("Венера Ерофеева")),
            ("ByAna Ruiz", Some("Ana Ruiz")),
            ("Byron Ruiz", Some("Byron Ruiz")),
            ("Text und Interview: Ana Ruiz", Some("Ana Ruiz")),
            ("Ana Ruiz @anaruiz", Some("Ana Ruiz")),
            ("Ana Ruiz Foto: Ben Okafor", Some("Ana Ruiz")),
            ("Published May", None),
            ("Wednesday January", None),
            ("Home > Tests", None),
            ("", None),
        ] {
            assert_eq!(clean(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn people_have_two_names_or_more() {
        for (name, expected) in [
            ("Ana Ruiz", true),
            ("Ludwig van Beethoven", true),
            ("admin", false),
            ("the whole team of us", false),
            ("李小龍", true),
        ] {
            assert_eq!(is_person(name), expected, "{name}");
        }
    }
}
