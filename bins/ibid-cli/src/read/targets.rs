//! The websites to look for: one for all lines, or another on every line.

use ibid_engine::read::Target;
use ibid_model::{BrandName, Domain};
use std::collections::HashMap;

/// Maximum number of cached targets. Building one takes longer than reading a short answer.
const MOST: usize = 1_024;

type Key = (Domain, Vec<BrandName>, Vec<BrandName>);

/// Targets made so far.
pub(super) struct Targets {
    domain: Option<Domain>,
    brands: Vec<BrandName>,
    others: Vec<BrandName>,
    made: HashMap<Key, Target>,
}

/// The names that a line gives.
#[derive(Default)]
pub(super) struct Names {
    pub(super) brands: Option<Vec<BrandName>>,
    /// Names of other parties that hold one of the brands.
    pub(super) others: Option<Vec<BrandName>>,
}

impl Targets {
    /// Stores the domain and the names of the command line. They apply to lines without their own.
    pub(super) fn new(domain: Option<Domain>, brands: Vec<BrandName>, others: Vec<BrandName>) -> Self {
        Self {
            domain,
            brands,
            others,
            made: HashMap::new(),
        }
    }

    /// Returns the target of a line with its own domain, names, both or neither.
    /// Returns `None` if neither the line nor the command line has a domain.
    /// The names of the command line apply only to its domain, not to another website.
    pub(super) fn of(&mut self, domain: Option<Domain>, names: Names) -> Option<&Target> {
        let domain = domain.or_else(|| self.domain.clone())?;
        let same = self.domain.as_ref() == Some(&domain);
        let default = |default: &[BrandName]| if same { default.to_vec() } else { Vec::new() };
        let brands = names.brands.unwrap_or_else(|| default(&self.brands));
        let others = names.others.unwrap_or_else(|| default(&self.others));
        let key = (domain, brands, others);
        if self.made.len() >= MOST && !self.made.contains_key(&key) {
            self.made.clear();
        }
        let target = self
            .made
            .entry(key)
            .or_insert_with_key(|(domain, brands, others)| Target::new(domain, brands).without(others));
        Some(target)
    }
}
