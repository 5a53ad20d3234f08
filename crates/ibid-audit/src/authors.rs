//! The author of a page, as the page itself declares it.

use crate::dates;
use crate::head::Head;
use crate::reading::{Byline, PageReading, words};
use crate::structured_items::Structured;
use url::Url;

/// Confidence from which a draft may name the author.
pub(crate) const SURE: f32 = 0.8;
/// Confidence from which the author is reported at all.
const LIKELY: f32 = 0.6;

/// Authors that are weighed against each other.
const MOST: usize = 50;

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

/// The kind of a place that names an author.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Data,
    Meta,
    Text,
}

/// The author in structured data, meta elements, links and bylines; a person before an organisation.
pub(crate) fn find(
    head: &Head,
    structured: &Structured,
    reading: &PageReading,
    url: Option<&Url>,
) -> Option<FoundAuthor> {
    let mut all = Vec::new();
    let mut add = |text: &str, is_organisation: bool, (place, confidence): (Place, f32), location: String| {
        if let Some(name) = clean(text) {
            let is_organisation = is_organisation || is_role(&name);
            let shaped = is_organisation || is_person(&name);
            all.push(FoundAuthor {
                confidence: if shaped { confidence } else { confidence - 0.3 },
                name,
                is_organisation,
                location,
                place,
            });
        }
    };
    // The item of the page comes first, because comments, reviews and teasers have authors, too.
    for item in structured.items().filter(|item| item.is_page()) {
        for author in &item.authors {
            let place = format!("line {}: {} author", item.line, item.syntax.label());
            add(&author.name, author.is_organisation, (Place::Data, 0.95), place);
        }
    }
    for meta in &head.metas {
        if META_NAMES.contains(&meta.name.as_str()) {
            let place = format!("line {}: <meta {}>", meta.line, meta.name);
            add(&meta.content, false, (Place::Meta, 0.8), place);
        }
    }
    for byline in near_title(reading) {
        let confidence = match byline.kind {
            "itemprop author" => 0.85,
            "rel=author" => 0.8,
            _ => 0.75,
        };
        add(
            &byline.text,
            false,
            (Place::Text, confidence),
            format!("line {}: {}", byline.line, byline.kind),
        );
    }
    all.truncate(MOST);
    // An invisible name may belong to an account or to the maker of the site.
    let seen = visible(reading);
    for author in &mut all {
        let name = key(&author.name);
        if !seen.contains(&name) || is_site(url, &name) {
            author.confidence -= 0.2;
        }
    }
    choose(all, &publisher(head, structured))
}

/// Whether the site is called like the name.
fn is_site(url: Option<&Url>, name: &str) -> bool {
    let host = url.and_then(Url::host_str).unwrap_or("").replace('-', "");
    host.split('.')
        .any(|label| label.len() > 4 && (label == name || (name.len() > 6 && label.contains(name))))
}

/// Letters of the article, the bylines and the link texts.
fn visible(reading: &PageReading) -> String {
    let bylines = reading.bylines.iter().map(|byline| byline.text.as_str());
    let links = reading.links.iter().take(1_000).map(|link| link.text.as_str());
    let mut seen = key(&reading.text);
    for text in bylines.chain(links) {
        seen.push(' ');
        seen.push_str(&key(text));
    }
    seen
}

const META_NAMES: &[&str] = &[
    "author",
    "article:author",
    "article:author_name",
    "dc.creator",
    "dcterms.creator",
    "dc.contributor",
    "parsely-author",
    "sailthru.author",
    "citation_author",
    "byl",
];

/// Bylines outside furniture, the ones nearest to the title first.
fn near_title(reading: &PageReading) -> Vec<&Byline> {
    let title = reading
        .title
        .and_then(|index| reading.headings.get(index))
        .map_or(0, |heading| heading.order);
    let mut found: Vec<&Byline> = reading
        .bylines
        .iter()
        .filter(|byline| !byline.in_furniture)
        .collect();
    found.sort_by_key(|byline| byline.order.abs_diff(title));
    found.truncate(5);
    found
}

/// Names of the site, which many pages give as their author.
fn publisher(head: &Head, structured: &Structured) -> Vec<String> {
    let metas = ["og:site_name", "application-name", "publisher"]
        .into_iter()
        .filter_map(|name| head.meta(&[name]))
        .map(|meta| key(&meta.content));
    let owners = structured
        .items()
        .filter(|item| {
            item.types
                .iter()
                .any(|kind| kind.ends_with("Organization") || kind == "WebSite")
        })
        .filter_map(|item| item.name.as_deref().map(key));
    metas.chain(owners).filter(|name| name.len() > 2).collect()
}

fn choose(mut all: Vec<FoundAuthor>, publisher: &[String]) -> Option<FoundAuthor> {
    for author in &mut all {
        author.is_organisation |= publisher.contains(&key(&author.name));
    }
    // A byline that names another person: the data may name an account.
    let bylines: Vec<String> = all
        .iter()
        .filter(|author| author.place == Place::Text)
        .map(|author| key(&author.name))
        .collect();
    for author in &mut all {
        let name = key(&author.name);
        let fits = |byline: &String| byline.contains(&name) || name.contains(byline.as_str());
        if author.place != Place::Text && !bylines.is_empty() && !bylines.iter().any(fits) {
            author.confidence -= 0.2;
        }
    }
    let names: Vec<(Place, String)> = all
        .iter()
        .map(|author| (author.place, key(&author.name)))
        .collect();
    for author in &mut all {
        // Another kind of source that names the same person, alone or among others.
        let own = key(&author.name);
        let agrees = names.iter().any(|(place, name)| {
            *place != author.place && !name.is_empty() && (own.contains(name) || name.contains(&own))
        });
        if agrees {
            author.confidence = (author.confidence + 0.1).min(0.99);
        }
    }
    all.retain(|author| author.confidence >= LIKELY);
    let best = |is_organisation: bool| {
        all.iter()
            .filter(|author| author.is_organisation == is_organisation)
            .reduce(|best, next| {
                if next.confidence > best.confidence {
                    next
                } else {
                    best
                }
            })
    };
    best(false).or_else(|| best(true)).cloned()
}

/// Returns a name without the words around it, or `None` if no name is left.
fn clean(text: &str) -> Option<String> {
    let mut name = crate::quote::quote_to(text, 160);
    if name.contains("://") || name.contains('@') || name.contains('{') {
        return None;
    }
    for start in OPENINGS {
        if let Some(head) = name.get(..start.len())
            && head.to_lowercase() == *start
        {
            name = name[start.len()..].trim_start_matches([':', ' ']).to_owned();
        }
    }
    // The name ends where a date, a role or another part of the byline begins.
    let end = name
        .char_indices()
        .find(|(_, c)| c.is_ascii_digit() || matches!(c, '|' | '•' | '·' | '–' | '—' | '(' | '/'))
        .map_or(name.len(), |(at, _)| at);
    name.truncate(end);
    let lower = name.to_lowercase();
    for stop in STOPS {
        if let Some(at) = lower.find(stop)
            && name.is_char_boundary(at)
            && lower.len() == name.len()
        {
            name.truncate(at);
            break;
        }
    }
    let name = without_tail(&name);
    let count = words::count(name);
    let is_command = COMMANDS.iter().any(|word| lower.starts_with(word));
    let is_day = dates::is_calendar_word(name);
    ((1..=12).contains(&count) && !is_command && !is_day && name.chars().count() >= 3)
        .then(|| name.to_owned())
}

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
    // May and Abril are names, too: two words stay.
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
    let mut words = part.split_whitespace();
    words.any(|word| {
        let is_acronym = (2..=4).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_uppercase());
        is_acronym || OFFICES.contains(&word.to_lowercase().as_str())
    })
}

/// Words of the offices and of the parts of a newsroom.
const OFFICES: &[&str] = &[
    "analyst",
    "associate",
    "associated",
    "business",
    "chief",
    "columnist",
    "contributor",
    "correspondent",
    "critic",
    "director",
    "editor",
    "guest",
    "journalist",
    "politics",
    "producer",
    "reporter",
    "senior",
    "sport",
    "sports",
    "staff",
    "writer",
    "redakteur",
    "redakteurin",
    "korrespondent",
];

/// Agencies and papers that sign as if they were people.
const AGENCIES: &[&str] = &[
    "afp",
    "agenciaefe",
    "ani",
    "ansa",
    "ap",
    "apa",
    "associatedpress",
    "bloomberg",
    "dpa",
    "efe",
    "ians",
    "interfax",
    "kyodo",
    "pti",
    "reuters",
    "sda",
    "tass",
    "theassociatedpress",
    "upi",
    "xinhua",
];

/// Openings of a byline, the longer first.
const OPENINGS: &[&str] = &[
    "written by ",
    "posted by ",
    "published by ",
    "geschrieben von ",
    "verfasst von ",
    "veröffentlicht von ",
    "gespeichert von ",
    "ein artikel von ",
    "texte par ",
    "author: ",
    "autor: ",
    "autorin: ",
    "author ",
    "by ",
    "by: ",
    "von ",
    "von: ",
    "par ",
    "por ",
    "door ",
    "text: ",
    "text by ",
    "текст: ",
    "автор: ",
    "bild: ",
];

/// Words at which the name ends.
const STOPS: &[&str] = &[
    ", updated",
    " updated",
    " published",
    " posted",
    " veröffentlicht",
    " publié",
    " follow",
    " on ",
    " am ",
    " - ",
    ", senior",
    ", staff",
    ", editor",
    ", reporter",
    ", redakteur",
    " for ",
    " view ",
    " see ",
    " last ",
];

/// Openings of buttons in the place of a name.
const COMMANDS: &[&str] = &[
    "about",
    "all posts",
    "alle",
    "author",
    "contact",
    "edited",
    "foto",
    "photo",
    "revised",
    "follow",
    "login",
    "mehr",
    "more",
    "over",
    "posts",
    "profile",
    "read",
    "see",
    "share",
    "show",
    "sign",
    "über",
    "view",
    "website",
    "zeige",
];

/// Whether a text has the form of a person's name, or of several.
///
/// A name has two to five words that begin with a capital.
fn is_person(name: &str) -> bool {
    if words::count(name) == 0 {
        return false;
    }
    if name.chars().any(words::is_dense) {
        return name.chars().count() <= 12;
    }
    let parts: Vec<&str> = name.split_whitespace().collect();
    let fits = |part: &&str| {
        let first = part.chars().find(|c| c.is_alphabetic());
        first.is_none_or(|c| !c.is_lowercase())
            || PARTICLES.contains(&part.trim_end_matches(['.', ',']).to_lowercase().as_str())
    };
    (2..=10).contains(&parts.len()) && parts.iter().all(fits)
}

/// Small words inside names, and between several.
const PARTICLES: &[&str] = &[
    "al", "and", "bin", "da", "das", "de", "del", "den", "der", "di", "do", "dos", "du", "e", "el", "et",
    "la", "le", "ten", "ter", "und", "van", "von", "y", "zu", "zum", "zur",
];

/// Letters in lower case.
fn key(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// Author names such as "admin" or "Editorial Team", which identify no person.
fn is_role(name: &str) -> bool {
    let lower = name.trim().to_lowercase();
    // An agency, alone or before the place and the day of its report.
    let first = lower.split(',').next().unwrap_or("").split(' ');
    let first: String = first.filter(|word| !dates::is_calendar_word(word)).collect();
    if AGENCIES.contains(&key(&first).as_str()) || OFFICES.iter().any(|word| lower.ends_with(word)) {
        return true;
    }
    matches!(
        lower.as_str(),
        "admin"
            | "administrator"
            | "editor"
            | "editors"
            | "staff"
            | "team"
            | "redaktion"
            | "la rédaction"
            | "redacción"
            | "redazione"
            | "webmaster"
            | "root"
            | "user"
            | "author"
            | "guest"
            | "unknown"
            | "anonymous"
            | "no author"
            | "super user"
    ) || ROLE_PARTS.iter().any(|part| {
        lower
            .split(|c: char| !c.is_alphanumeric())
            .any(|word| word == *part)
    }) || COMPOUNDS.iter().any(|part| lower.contains(part))
        || [" team", " inc.", " s.a.", " e. v", " e.v"]
            .iter()
            .any(|end| lower.ends_with(end))
}

/// Parts of the compound names of German, Dutch and Nordic organisations.
const COMPOUNDS: &[&str] = &[
    "anstalt",
    "bundes",
    "departement",
    "feuerwehr",
    "förbund",
    "gesellschaft",
    "ministeri",
    "redaktion",
    "verband",
    "verein",
];

/// Words in the names of organisations.
const ROLE_PARTS: &[&str] = &[
    "ag",
    "agency",
    "agentur",
    "company",
    "desk",
    "editorial",
    "editors",
    "foundation",
    "gmbh",
    "inc",
    "llc",
    "ltd",
    "abteilung",
    "agence",
    "deutschland",
    "family",
    "institut",
    "institute",
    "kreuz",
    "landesanstalt",
    "magazin",
    "magazine",
    "media",
    "noticias",
    "office",
    "partei",
    "presse",
    "press",
    "pressestelle",
    "revista",
    "sekretariat",
    "stiftung",
    "university",
    "universität",
    "news",
    "redaktion",
    "redazione",
    "rédaction",
    "redacción",
    "staff",
    "verlag",
];

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
