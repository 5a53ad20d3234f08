//! One competitor under several names: those that answers write, and those that people merged.

use super::{KeptRival, Named, RunMentions};
use crate::score::competitors::{count, keys};
use ibid_model::Domain;
use std::collections::{BTreeMap, HashMap};

/// A competitor with the names and websites that answers give it.
#[derive(Default)]
pub(crate) struct Group {
    /// Where it stands among the competitors that people keep.
    pub(super) kept: Option<usize>,
    names: BTreeMap<String, usize>,
    domains: BTreeMap<String, usize>,
}

impl Group {
    /// The name that most answers use.
    pub(super) fn name(&self) -> &str {
        most(&self.names).map_or("", String::as_str)
    }

    /// The website that most answers give.
    pub(super) fn domain(&self) -> Option<&String> {
        most(&self.domains)
    }
}

fn most<T: Ord>(counts: &BTreeMap<T, usize>) -> Option<&T> {
    // Of equal counts the first in order.
    let best = counts.values().max()?;
    counts
        .iter()
        .find(|(_, count)| *count == best)
        .map(|(one, _)| one)
}

/// Every competitor in all runs, and which one each name means.
pub(crate) struct Names<'a> {
    pub(super) groups: Vec<Group>,
    by_key: HashMap<String, usize>,
    /// Answers repeat the same names: one spelling with one website is the same competitor every time.
    by_spelling: BTreeMap<Spelling<'a>, usize>,
}

type Spelling<'a> = (&'a str, Option<&'a str>);

fn spelling(named: &Named) -> Spelling<'_> {
    (&named.name, named.domain.as_deref())
}

impl<'a> Names<'a> {
    /// Groups the names in all runs. A kept competitor's name is that competitor, whatever the answers say.
    pub(crate) fn of(runs: &[&'a RunMentions], kept: &[KeptRival]) -> Self {
        let mut names = Self {
            groups: Vec::new(),
            by_key: HashMap::new(),
            by_spelling: BTreeMap::new(),
        };
        for (at, rival) in kept.iter().enumerate() {
            let group = names.groups.len();
            names.groups.push(Group {
                kept: Some(at),
                ..Group::default()
            });
            let spelled = std::iter::once(&rival.name).chain(&rival.aliases);
            let keys = spelled.flat_map(|name| keys(name, None));
            let domains = rival.domains.iter().map(|domain| format!("d:{domain}"));
            for key in keys.chain(domains) {
                names.by_key.entry(key).or_insert(group);
            }
        }
        for run in runs {
            for named in run.answers.iter().flat_map(|answer| &answer.names) {
                names.note(named);
            }
        }
        names
    }

    fn note(&mut self, named: &'a Named) {
        let known = self.by_spelling.get(&spelling(named)).copied();
        let group = known.unwrap_or_else(|| self.place(named));
        if let Some(group) = self.groups.get_mut(group) {
            count(&mut group.names, &named.name);
            if let Some(domain) = &named.domain {
                count(&mut group.domains, domain);
            }
        }
    }

    /// Finds the competitor of a new spelling, or begins one.
    fn place(&mut self, named: &'a Named) -> usize {
        let domain: Option<Domain> = named.domain.as_ref().and_then(|domain| domain.parse().ok());
        let keys = keys(&named.name, domain.as_ref());
        let known = keys.iter().find_map(|key| self.by_key.get(key)).copied();
        let group = known.unwrap_or_else(|| {
            self.groups.push(Group::default());
            self.groups.len() - 1
        });
        for key in keys {
            self.by_key.entry(key).or_insert(group);
        }
        self.by_spelling.insert(spelling(named), group);
        group
    }

    /// The name under which a competitor is shown; `None` for one that is left out.
    pub(crate) fn shown<'b>(&'b self, named: &Named, kept: &'b [KeptRival]) -> Option<&'b str> {
        let group = self.groups.get(self.group(named)?)?;
        match group.kept.and_then(|at| kept.get(at)) {
            Some(rival) => (!rival.ignored).then_some(&rival.name),
            None => Some(group.name()),
        }
    }

    pub(super) fn group(&self, named: &Named) -> Option<usize> {
        self.by_spelling.get(&spelling(named)).copied()
    }
}
