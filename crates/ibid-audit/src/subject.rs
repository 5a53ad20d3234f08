//! What a page says about its owner: names, trade, language and place. A first look guesses from it.

use crate::facts::Facts;
use crate::names;
use crate::quote::{QUOTE_CHARS, quote_to};

/// Most types of structured data.
const MOST_TYPES: usize = 8;

/// What a page says about its owner.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageSubject {
    /// Title, heading and description, as far as the page has them.
    pub texts: Vec<String>,
    /// Schema.org types of the owner, such as `DentalClinic`.
    pub types: Vec<String>,
    /// Names of the owner; see [`crate::names()`].
    pub names: Vec<String>,
    /// BCP 47 tag of the text: as detected, else as declared.
    pub language: Option<String>,
    /// Town and country of the owner's address in structured data.
    pub place: Option<String>,
}

impl PageSubject {
    pub(crate) fn of(facts: &Facts<'_>) -> Self {
        let head = &facts.head;
        let title = head.title.as_ref().map(|(title, _)| title.as_str());
        let heading = facts.heading().map(|(heading, _)| heading);
        let description = head.meta(&["description"]).map(|meta| meta.content.as_str());
        let texts = [title, heading, description].into_iter().flatten();
        let declared = head.lang.clone().filter(|tag| !tag.is_empty());
        let owners = || facts.structured.items().filter(|item| names::is_owner(item));
        Self {
            texts: texts
                .map(|text| quote_to(text.trim(), QUOTE_CHARS))
                .filter(|text| !text.is_empty())
                .collect(),
            types: owners()
                .flat_map(|item| item.types.iter().cloned())
                .take(MOST_TYPES)
                .collect(),
            // A title alone is what people sell as often as a name.
            names: names::of(facts.page, head, &facts.structured)
                .into_iter()
                .filter(|name| Some(name.as_str()) != title.map(str::trim))
                .collect(),
            language: facts.reading.language.map(str::to_owned).or(declared),
            place: facts.structured.items().find_map(|item| item.place.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Page, look};
    use jiff::Timestamp;

    #[test]
    fn a_page_names_its_owner_its_trade_and_its_place() {
        let address = r#""address": {"@type": "PostalAddress", "addressLocality": "Leeds",
            "addressCountry": {"@type": "Country", "name": "United Kingdom"}}"#;
        let html = format!(
            r#"<html lang="en-GB"><head><title>Zentora | Plumbers in Leeds</title>
            <meta name="description" content="Repairs day and night">
            <script type="application/ld+json">{{"@context": "https://schema.org", "@type": "Plumber", "name": "Zentora", {address}}}</script>
            </head><body><h1>Your plumber</h1></body></html>"#
        );
        let (report, subject) = look(&Page::from_html(html, None, Timestamp::UNIX_EPOCH));
        assert_eq!(
            subject.texts,
            [
                "Zentora | Plumbers in Leeds",
                "Your plumber",
                "Repairs day and night"
            ]
        );
        assert_eq!(
            (subject.types, subject.names),
            (vec!["Plumber".to_owned()], vec!["Zentora".to_owned()])
        );
        assert_eq!(subject.language.as_deref(), Some("en-GB"));
        assert_eq!(subject.place.as_deref(), Some("Leeds, United Kingdom"));
        assert!(report.score > 0);
    }

    #[test]
    fn microdata_names_a_place_and_an_empty_page_nothing() {
        let html = r#"<div itemscope itemtype="https://schema.org/Bakery"><div itemprop="address" itemscope
            itemtype="https://schema.org/PostalAddress"><span itemprop="addressLocality">Lyon</span>
            <span itemprop="addressCountry">FR</span></div></div>"#;
        let (_, subject) = look(&Page::from_html(html, None, Timestamp::UNIX_EPOCH));
        assert_eq!(subject.place.as_deref(), Some("Lyon, FR"));
        let (_, subject) = look(&Page::from_html("", None, Timestamp::UNIX_EPOCH));
        assert_eq!(subject, super::PageSubject::default());
    }
}
