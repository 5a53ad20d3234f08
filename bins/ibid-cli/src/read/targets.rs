//! The websites to look for: one for all lines, or another on every line.

use ibid_engine::read::Target;
use ibid_model::{BrandName, Domain};
use std::collections::HashMap;

/// Most targets kept ready. Making one takes longer than reading a short answer.
const MOST: usize = 1_024;

type Key = (Domain, Vec<BrandName>);

/// Targets made so far.
pub(super) struct Targets {
    domain: Option<Domain>,
    brands: Vec<BrandName>,
    made: HashMap<Key, Target>,
}

impl Targets {
    /// `domain` and `brands` hold for lines that name none.
    pub(super) fn new(domain: Option<Domain>, brands: Vec<BrandName>) -> Self {
        Self {
            domain,
            brands,
            made: HashMap::new(),
        }
    }

    /// The target of a line that names a domain, brands, both or none; `None` without a domain on either.
    /// The brands of the command line are those of its domain: another website has none of them.
    pub(super) fn of(&mut self, domain: Option<Domain>, brands: Option<Vec<BrandName>>) -> Option<&Target> {
        let domain = domain.or_else(|| self.domain.clone())?;
        let brands = brands.unwrap_or_else(|| {
            if self.domain.as_ref() == Some(&domain) {
                self.brands.clone()
            } else {
                Vec::new()
            }
        });
        let key = (domain, brands);
        if self.made.len() >= MOST && !self.made.contains_key(&key) {
            self.made.clear();
        }
        let target = self
            .made
            .entry(key)
            .or_insert_with_key(|(domain, brands)| Target::new(domain, brands));
        Some(target)
    }
}
