//! The target: a domain and every name it is known under.

mod boundary;
mod find;
mod inflected;
mod label;
mod learn;
mod name;

pub(super) use find::{Hit, counts};
use name::{Name, Proof};

use super::Answer;
use super::host;
use super::text::{Folded, key};
use super::words::{Language, language_of, look_up};
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use ibid_model::result::{AliasSource, NamedAlias};
use ibid_model::{BrandName, Domain, Website};

/// Most names that are looked for.
const MOST_NAMES: usize = 64;

/// The website to look for, and all its known names.
#[derive(Clone, Debug)]
pub struct Target {
    domain: Domain,
    /// The main website first, then the further ones of its owner.
    websites: Vec<Website>,
    aliases: Vec<NamedAlias>,
    names: Vec<Name>,
    automaton: Option<AhoCorasick>,
}

impl Target {
    /// Makes a scan's target: its domain, the names from the caller, and the names from its label.
    #[must_use]
    pub fn new(domain: &Domain, brands: &[BrandName]) -> Self {
        Self::of(domain, &[domain.clone().into()], brands)
    }

    /// The same with the owner's websites, which name it too; on a shared host by the last part of the path.
    pub fn of(domain: &Domain, websites: &[Website], brands: &[BrandName]) -> Self {
        let mut target = Self {
            domain: domain.clone(),
            websites: websites.to_vec(),
            aliases: Vec::new(),
            names: Vec::new(),
            automaton: None,
        };
        for brand in brands {
            target.add(
                brand.as_str(),
                AliasSource::Request,
                Proof::of_given(brand.as_str()),
            );
        }
        for website in websites {
            let part = website
                .path()
                .rsplit('/')
                .next()
                .unwrap_or_default()
                .trim_start_matches('@');
            let named = match part.is_empty() {
                true => Some(website.domain().clone()),
                false => format!("{part}.com").parse().ok(),
            };
            for (name, proof) in named.iter().flat_map(label::names) {
                target.add(&name, AliasSource::Domain, proof);
            }
        }
        target.compile();
        target
    }

    /// Each website as a target by itself, the first with the names given.
    /// A name that several have counts for the first of them.
    pub(crate) fn apart(websites: &[Website], given: &[BrandName], others: &[BrandName]) -> Vec<Self> {
        let mut taken: Vec<String> = Vec::new();
        let mut apart = Vec::with_capacity(websites.len());
        for website in websites {
            let given = if taken.is_empty() { given } else { &[] };
            let mut target = Self::of(website.domain(), std::slice::from_ref(website), given);
            target.names.retain(|name| !taken.contains(&name.key));
            taken.extend(target.names.iter().map(|name| name.key.clone()));
            target.compile();
            apart.push(target.without(others));
        }
        apart
    }

    /// The target without other parties' names that contain one of its own, such as `Delta Faucet` for `Delta`.
    #[must_use]
    pub fn without(mut self, others: &[BrandName]) -> Self {
        let others = others.iter().map(BrandName::as_str);
        let others = others.filter(|name| key(name).chars().count() >= 2);
        let known = self.names.len();
        self.names.extend(others.take(MOST_NAMES).map(Name::of_other));
        if self.names.len() > known {
            self.compile();
        }
        self
    }

    /// Whether a text starts with a name that the caller listed as another party's.
    pub(super) fn is_excluded(&self, text: &str) -> bool {
        let mut others = self.names.iter().filter(|name| name.excluded).peekable();
        others.peek().is_some() && {
            let text = key(text);
            others.any(|name| text.starts_with(&*name.key))
        }
    }

    /// Makes the target that an order looks for.
    #[cfg(feature = "scan")]
    pub(crate) fn of_order(order: &ibid_model::ScanOrder) -> Self {
        Self::of(order.domain(), &order.websites(), order.brand_names()).without(order.not_names())
    }

    /// Learns names from the texts of links that answers give the domain: `[Sundhedsstyrelsen](https://sst.dk)`.
    /// A text counts if it resembles the domain's label, or if several answers link it to the domain.
    pub fn learn<'a>(&mut self, answers: impl IntoIterator<Item = Answer<'a>>) {
        let names = learn::anchors(self, answers);
        self.add_learned(names, AliasSource::Anchor);
    }

    /// Learns names from the target's home page: its title, `og:site_name`, the name of its organisation.
    pub fn learn_from_page<'a>(&mut self, texts: impl IntoIterator<Item = &'a str>) {
        let names = learn::page_names(self, texts);
        self.add_learned(names, AliasSource::HomePage);
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
    /// In doubt it does: a common word that is also the target's name counts if it is written like a name.
    #[must_use]
    pub fn is_named_in(&self, text: &str) -> bool {
        let folded = Folded::of(text);
        text.to_lowercase().contains(self.domain.as_str())
            || self
                .find(text, &folded, language_of(text, &look_up(&folded)))
                .iter()
                .any(|hit| hit.sure)
    }

    /// Whether a host is the target's as a whole.
    pub(super) fn owns(&self, host: &str) -> bool {
        host::website_of(&self.websites, host, "").is_some()
    }

    /// Whether an address is the target's.
    pub(super) fn owns_at(&self, address: &host::Address) -> bool {
        host::website_of(&self.websites, &address.host, address.path()).is_some()
    }

    /// Whether a host imitates the target's.
    pub(super) fn is_imitated_by(&self, host: &str) -> bool {
        host::imitates(&self.domain, host)
    }

    /// Whether two names are spellings of one, or the text is a name that the target has in full.
    pub(super) fn is_name(&self, text: &str) -> bool {
        let key = key(text);
        self.names
            .iter()
            .any(|name| *name.key == *key && !name.loose && !name.excluded)
    }

    /// The names in a text.
    pub(super) fn find(&self, visible: &str, folded: &Folded, language: Language) -> Vec<Hit> {
        self.automaton
            .as_ref()
            .map(|automaton| find::find(automaton, &self.names, visible, folded, language))
            .unwrap_or_default()
    }

    fn add(&mut self, text: &str, source: AliasSource, proof: Proof) {
        let key = String::from(key(text));
        if key.chars().count() < 2 || self.names.len() >= MOST_NAMES {
            return;
        }
        let known = self
            .names
            .iter()
            .position(|name| name.key == key && !name.only_accented && !name.loose && !name.excluded);
        match known.and_then(|known| self.names.get_mut(known)) {
            // The caller's spelling is never weakened by what the label yields.
            Some(name) => {
                name.proof = name.proof.min(proof);
                name.known |= source != AliasSource::Domain;
            }
            None => self.names.extend(Name::variants(text, key, proof, source)),
        }
        if self.aliases.iter().all(|alias| !same_name(&alias.name, text)) {
            self.aliases.push(NamedAlias {
                name: text.to_owned(),
                source,
            });
        }
    }

    fn add_learned(&mut self, names: Vec<String>, source: AliasSource) {
        for name in &names {
            self.add(name, source, Proof::of_given(name));
        }
        // Building the automaton takes longer than reading an answer.
        if !names.is_empty() {
            self.compile();
        }
    }

    fn compile(&mut self) {
        // The fastest kind to build: few answers are searched.
        self.automaton = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .match_kind(MatchKind::Standard)
            .build(self.names.iter().map(|name| name.key.as_bytes()))
            .ok();
    }
}

fn same_name(one: &str, other: &str) -> bool {
    key(one) == key(other)
}

#[cfg(test)]
mod tests;
