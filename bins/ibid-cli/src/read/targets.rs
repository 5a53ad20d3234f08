//! The websites to look for: one for all lines, or another on every line.

use ibid_engine::read::Target;
use ibid_model::{BrandName, Website};
use std::collections::HashMap;

/// Maximum number of cached targets. Building one takes longer than reading a short answer.
const MOST: usize = 1_024;

/// Targets made so far.
pub(super) struct Targets {
    default: Names,
    made: HashMap<Names, Target>,
}

/// The websites and names that a line gives, or the command line.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct Names {
    pub(super) domain: Option<Website>,
    /// Further websites of the same owner.
    pub(super) own: Option<Vec<Website>>,
    pub(super) brands: Option<Vec<BrandName>>,
    /// Names that other parties have, and that contain one of the brands.
    pub(super) others: Option<Vec<BrandName>>,
}

impl Targets {
    /// Stores what the command line gives. It applies to lines without their own.
    pub(super) fn new(default: Names) -> Self {
        Self {
            default,
            made: HashMap::new(),
        }
    }

    /// Returns the target of a line with its own domain, names, both or neither.
    /// Returns `None` if neither the line nor the command line has a domain.
    /// Names from the command line apply only to its domain, not to another website.
    pub(super) fn of(&mut self, line: Names) -> Option<&Target> {
        let domain = line.domain.or_else(|| self.default.domain.clone())?;
        let same = self.default.domain.as_ref() == Some(&domain);
        let default = self.default.clone();
        let default = if same { default } else { Names::default() };
        let key = Names {
            domain: Some(domain.clone()),
            own: line.own.or(default.own),
            brands: line.brands.or(default.brands),
            others: line.others.or(default.others),
        };
        if self.made.len() >= MOST && !self.made.contains_key(&key) {
            self.made.clear();
        }
        let target = self.made.entry(key).or_insert_with_key(|names| {
            let main = domain.domain().clone();
            let websites = [domain].into_iter().chain(names.own.iter().flatten().cloned());
            let websites: Vec<Website> = websites.collect();
            let others = names.others.as_deref().unwrap_or_default();
            Target::of(&main, &websites, names.brands.as_deref().unwrap_or_default()).without(others)
        });
        Some(target)
    }
}
