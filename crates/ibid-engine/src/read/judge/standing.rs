//! The standing that the mentions of each competitor come to.

use super::Case;
use crate::read::candidates::{Candidate, Form};
use crate::read::competitors::FoundCompetitor;
use crate::read::layout::Span;
use crate::read::stance::{Said, Who};
use crate::read::text::{is_word, words};
use crate::read::words::{Meaning, meaning_as_written};

impl Case<'_, '_> {
    /// The stance at the mention that holds a candidate's name.
    fn said_at(&self, name: &Span) -> Said {
        let mentions = &self.stances.mentions;
        let next = mentions.partition_point(|mention| mention.span.start < name.end);
        let at = next
            .checked_sub(1)
            .filter(|at| mentions[*at].span.end > name.start);
        at.and_then(|at| self.stances.said.get(at))
            .copied()
            .unwrap_or_default()
    }

    /// Tells every competitor's standing, from its places and mentions, each read once.
    pub(super) fn standings(&self) -> Vec<Standing> {
        let mut standings: Vec<Standing> = self
            .competitors
            .iter()
            .map(|competitor| self.placed(competitor))
            .collect();
        let target = self.competitors.iter().position(|competitor| competitor.is_self);
        for (mention, said) in self.stances.mentions.iter().zip(&self.stances.said) {
            let at = match mention.who {
                Who::Target => target,
                Who::Competitor(at) => Some(at),
            };
            let Some(standing) = at.and_then(|at| standings.get_mut(at)) else {
                continue;
            };
            if self.is_echo(&mention.span) {
                continue;
            }
            standing.named += 1;
            if said.discouraged {
                standing.decided = mention.span.start;
            }
            standing.discouraged |= said.discouraged;
            standing.defunct |= said.defunct;
            standing.praised |= said.praised;
            standing.top |= said.top;
            standing.verdict |= said.verdict;
        }
        self.emphasise(&mut standings);
        // A name that the question asks to replace is no answer to it, unless the answer chooses it in the end.
        for (standing, competitor) in standings.iter_mut().zip(self.competitors) {
            let referred = self.page.question.refers_to(&competitor.name);
            if referred && !standing.verdict {
                standing.listed = false;
                standing.rule = Rule::Asked;
            }
        }
        for standing in &mut standings {
            // An answer does not warn of a name that it chooses in the end.
            standing.discouraged &= !standing.verdict;
            if standing.discouraged {
                standing.listed = false;
                standing.rule = Rule::Warned;
            }
        }
        standings
    }

    /// The standing that the places of a competitor come to.
    fn placed(&self, competitor: &FoundCompetitor) -> Standing {
        let mut standing = Standing {
            decided: competitor.places.first().map_or(0, |place| place.name.start),
            ..Standing::default()
        };
        for place in &competitor.places {
            let said = self.said_at(&place.name);
            let open = !said.discouraged && !said.refused || said.top;
            let (listed, rule) = match place.form {
                Form::Item => (open, Rule::Item),
                Form::Column => (open, Rule::Column),
                Form::Mention => (false, Rule::Mention),
                Form::Prose => (
                    said.praised && !said.passing && !said.absent && open && !self.is_echo(&place.name),
                    Rule::Praise,
                ),
            };
            if listed && !standing.listed {
                standing.listed = true;
                standing.rule = rule;
                standing.decided = place.name.start;
            }
        }
        standing
    }

    /// Lets bold type decide where an answer without a list sets three names or more in it. Bold names within its text
    /// stand beside those that a sentence speaks for, and plain ones that no table of brands knows are mentions.
    /// A name that opens a line and comes again is what the line is about.
    /// Beside a list, a name is a phrase if it has words from the question or for criteria.
    fn emphasise(&self, standings: &mut [Standing]) {
        const MANY: usize = 3;
        let page = self.page;
        let bold = |one: &FoundCompetitor| one.places.iter().any(|place| page.is_bold(&place.name));
        let listed = standings.iter().filter(|standing| standing.listed).count();
        let list = self.competitors.iter().filter(|one| is_placed(one)).count() >= 2;
        let emphatic = !list && self.competitors.iter().filter(|one| bold(one)).count() >= MANY;
        for (standing, one) in standings.iter_mut().zip(self.competitors) {
            let known = |place: &Candidate| page.has_brand(&place.name);
            if !standing.listed {
                let within = |place: &Candidate| page.is_bold(&place.name) && !self.starts_block(place);
                let heads = |place: &Candidate| page.is_bold(&place.name) && self.starts_block(place);
                let places = &one.places;
                let stands_out = places.iter().any(within)
                    && !places.iter().any(heads)
                    && (one.is_self || is_plainly_written(&one.name));
                let opens = standing.named > 1 && places.iter().any(|place| self.starts_block(place));
                if listed > 0 && !list && (stands_out || opens) {
                    standing.listed = true;
                    standing.rule = if stands_out { Rule::Bold } else { Rule::Subject };
                }
            } else if listed > MANY && !one.is_self && !bold(one) && !one.places.iter().any(known) {
                let phrase = list && !is_placed(one) && self.is_phrase(one);
                if emphatic || phrase {
                    standing.listed = false;
                    standing.rule = Rule::Mention;
                }
            }
        }
    }

    fn starts_block(&self, place: &Candidate) -> bool {
        let layout = &self.page.layout;
        layout.block(place.name.start).is_some_and(|block| {
            let lead = layout.text.get(block.span.start..place.name.start);
            lead.is_some_and(|lead| !lead.contains(is_word))
        })
    }

    /// Whether a name has words from the question or for criteria, or is only in brackets.
    fn is_phrase(&self, one: &FoundCompetitor) -> bool {
        words(&one.name).any(|word| {
            let meaning = meaning_as_written(word);
            let generic = meaning.is(Meaning::CRITERION | Meaning::LABEL | Meaning::ADVICE | Meaning::TIME);
            generic || self.page.question.holds(word)
        }) || one
            .places
            .iter()
            .all(|place| self.page.before(place.name.start).ends_with(['(', '（', '[']))
    }
}

/// Whether an answer puts a name forward as an item in a list or as a column in a comparison.
fn is_placed(competitor: &FoundCompetitor) -> bool {
    let placed = |place: &Candidate| matches!(place.form, Form::Item | Form::Column);
    competitor.places.iter().any(placed)
}

/// Whether a word has neither digits nor capitals inside: `OAuth` and `RS-485` are techniques as often as firms.
fn is_plainly_written(name: &str) -> bool {
    let mut pairs = name.chars().zip(name.chars().skip(1));
    !name.contains(|c: char| c.is_ascii_digit())
        && !pairs.any(|(last, c)| c.is_uppercase() && last.is_lowercase())
}

/// The rule that decided on a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Rule {
    Item,
    Column,
    Praise,
    Bold,
    Subject,
    #[default]
    Mention,
    Asked,
    Warned,
}

impl Rule {
    /// The rule in words, and how often people decide as it does.
    pub(super) const fn in_words(self) -> (&'static str, Option<f32>) {
        match self {
            Self::Item => ("the head of an item, a row or a section", Some(0.62)),
            Self::Column => ("a column of a comparison", None),
            Self::Praise => ("a sentence speaks for it", Some(0.61)),
            Self::Bold => (
                "in bold within the text, like others that it speaks for",
                Some(0.82),
            ),
            Self::Subject => ("opens a line, and is named again", None),
            Self::Mention => ("named, and not put forward", Some(0.94)),
            Self::Asked => ("the question asks for others than it", None),
            Self::Warned => ("the answer warns of it, or says that it is gone", None),
        }
    }
}

/// How one competitor stands in an answer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Standing {
    /// It is among the recommended candidates.
    pub(super) listed: bool,
    pub(super) discouraged: bool,
    pub(super) defunct: bool,
    pub(super) praised: bool,
    pub(super) top: bool,
    pub(super) verdict: bool,
    /// Its mentions outside a restated question.
    named: usize,
    /// The rule by which it is listed, or is not.
    pub(super) rule: Rule,
    /// Where the name stands that decided.
    pub(super) decided: usize,
}
