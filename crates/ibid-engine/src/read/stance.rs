//! What an answer says about whom: cues find the names they are about.

use super::entities::Somebody;
use super::layout::{Kind, Span};
use super::page::{Page, Sentence};
use super::text::is_word;
use super::words::{Cue, Kinds};
use std::collections::HashMap;

/// Somebody named in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Who {
    /// The target.
    Target,
    /// An entity, by position.
    Entity(usize),
}

/// A place where somebody is named.
#[derive(Clone, Debug)]
pub(super) struct Mention {
    pub(super) span: Span,
    pub(super) who: Who,
}

/// What the cues of an answer say.
#[derive(Clone, Debug, Default)]
pub(super) struct Stances {
    /// Everybody named, in document order.
    pub(super) mentions: Vec<Mention>,
    /// For every mention, what is said about it there.
    pub(super) said: Vec<Said>,
}

/// What is said about a mention.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    /// Somebody speaks for it.
    pub(super) praised: bool,
    /// It is the first choice.
    pub(super) top: bool,
    /// It is the verdict of the answer.
    pub(super) verdict: bool,
    /// It is warned of, or gone.
    pub(super) discouraged: bool,
    pub(super) defunct: bool,
    /// It is named in passing.
    pub(super) passing: bool,
    /// The answer says that it does not know it.
    pub(super) absent: bool,
    /// The sentence declines to answer.
    pub(super) refused: bool,
}

/// Words between a cue and the name it is about.
const NEAR_WORDS: usize = 3;

/// Cues of one sentence that are bound; no sentence of a reader's has more.
const MOST_CUES: usize = 200;

/// Binds every cue to the names it is about.
pub(super) fn bind(page: &Page<'_>, entities: &[Somebody]) -> Stances {
    let mentions = mentions(page, entities);
    let mut stances = Stances {
        said: vec![Said::default(); mentions.len()],
        mentions,
    };
    let mut last_named: Option<usize> = None;
    for sentence in &page.sentences {
        let first = stances
            .mentions
            .partition_point(|mention| mention.span.start < sentence.span.start);
        let last = stances
            .mentions
            .partition_point(|mention| mention.span.start < sentence.span.end);
        let scene = Scene {
            page,
            sentence,
            mentions: &stances.mentions,
            range: first..last,
            before: last_named,
        };
        scene.judge(&mut stances.said);
        if last > first {
            last_named = Some(last - 1);
        } else if matches!(
            page.layout.blocks.get(sentence.block).map(|block| block.kind),
            Some(Kind::Heading(_))
        ) {
            last_named = None;
        }
    }
    stances
}

/// Everybody named: the target wherever its name or website stands, entities where they are put forward and where
/// their names come again.
fn mentions(page: &Page<'_>, entities: &[Somebody]) -> Vec<Mention> {
    let mut found = Vec::new();
    for (at, entity) in entities.iter().enumerate() {
        let who = if entity.is_self {
            Who::Target
        } else {
            Who::Entity(at)
        };
        found.extend(entity.places.iter().map(|place| Mention {
            span: place.name.clone(),
            who,
        }));
    }
    found.extend(page.hits.iter().filter(|hit| hit.sure).map(|hit| Mention {
        span: hit.span.clone(),
        who: Who::Target,
    }));
    found.extend(page.links.iter().filter(|link| link.own).map(|link| Mention {
        span: link.span.clone(),
        who: Who::Target,
    }));
    found.extend(again(page, entities));
    // Of overlapping mentions the one that starts first stays, then the longest: `Tom Ford` before `Ford`.
    found.sort_by(|one, other| {
        one.span
            .start
            .cmp(&other.span.start)
            .then(other.span.end.cmp(&one.span.end))
            .then(one.who.cmp(&other.who))
    });
    let mut kept: Vec<Mention> = Vec::with_capacity(found.len());
    for mention in found {
        if kept
            .last()
            .is_none_or(|last| last.span.end <= mention.span.start && last.span != mention.span)
        {
            kept.push(mention);
        }
    }
    kept
}

/// Where the names of entities come again, word by word.
fn again(page: &Page<'_>, entities: &[Somebody]) -> Vec<Mention> {
    let mut by_first: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, entity) in entities.iter().enumerate().filter(|(_, entity)| !entity.is_self) {
        if let Some(first) = entity
            .name
            .split(|c: char| !is_word(c))
            .find(|word| !word.is_empty())
        {
            by_first.entry(first).or_default().push(at);
        }
    }
    let mut found = Vec::new();
    if by_first.is_empty() {
        return found;
    }
    let mut starts = [false; 256];
    for first in by_first.keys() {
        starts[usize::from(first.as_bytes().first().copied().unwrap_or_default())] = true;
    }
    let text = page.layout.text.as_str();
    let mut at = 0;
    while let Some(start) = text[at..].find(is_word).map(|start| at + start) {
        let end = start
            + text[start..]
                .find(|c: char| !is_word(c))
                .unwrap_or(text.len() - start);
        let may = starts[usize::from(text.as_bytes()[start])];
        if let Some(candidates) = may.then(|| by_first.get(&text[start..end])).flatten() {
            let longest = candidates
                .iter()
                .take(8)
                .filter(|entity| {
                    let name = entities[**entity].name.as_str();
                    text[start..]
                        .strip_prefix(name)
                        .is_some_and(|rest| !rest.starts_with(is_word))
                })
                .max_by_key(|entity| entities[**entity].name.len());
            if let Some(entity) = longest {
                found.push(Mention {
                    span: start..start + entities[*entity].name.len(),
                    who: Who::Entity(*entity),
                });
            }
        }
        at = end;
    }
    found
}

/// A sentence with the names in it.
struct Scene<'a, 'p> {
    page: &'a Page<'p>,
    sentence: &'a Sentence,
    mentions: &'a [Mention],
    range: std::ops::Range<usize>,
    /// The last name before the sentence.
    before: Option<usize>,
}

impl Scene<'_, '_> {
    fn judge(&self, said: &mut [Said]) {
        let kinds = self.sentence.kinds;
        if self.range.is_empty() && !kinds.has(Kinds::AVOID.and(Kinds::BAD).and(Kinds::DEFUNCT)) {
            return;
        }
        let cues = self.page.cues_in(&self.sentence.span);
        let cues = self.turned(cues.get(..MOST_CUES.min(cues.len())).unwrap_or_default());
        // First what is named in passing or warned of; then what is spoken for gets the rest.
        for cue in &cues {
            self.speak_against(cue, said);
        }
        let absent = kinds.has(Kinds::ABSENCE) && !self.is_item();
        for cue in cues
            .iter()
            .filter(|cue| cue.kinds.has(Kinds::TOP.and(Kinds::VERDICT)) && !cue.kinds.has(Kinds::SECOND))
        {
            self.crown(cue, said);
        }
        let praise = cues
            .iter()
            .any(|cue| cue.kinds.has(super::candidates::SPEAKS_FOR.and(Kinds::SECOND)))
            || self.page.compares(self.sentence);
        for at in self.range.clone() {
            let said = &mut said[at];
            said.refused |= kinds.has(Kinds::REFUSAL);
            if said.discouraged || said.passing {
                continue;
            }
            said.praised |= praise;
            // `I couldn't find X` is absence; `I couldn't find a better one than X` speaks for it.
            said.absent |= absent && !praise_beyond_absence(&cues);
        }
    }

    fn is_item(&self) -> bool {
        let block = self.page.layout.blocks.get(self.sentence.block);
        block.is_some_and(|block| {
            matches!(block.kind, Kind::Ordered | Kind::Bullet | Kind::Row)
                && self
                    .range
                    .clone()
                    .any(|at| self.mentions[at].span.start <= block.span.start + 4)
        })
    }

    /// The cues of the sentence with negations applied: `nicht … empfehlen` warns.
    fn turned(&self, cues: &[Cue]) -> Vec<Cue> {
        let mut turned: Vec<Cue> = Vec::with_capacity(cues.len());
        for (at, cue) in cues.iter().enumerate() {
            let mut cue = cue.clone();
            if cue.kinds.has(Kinds::CORE) && !cue.kinds.has(Kinds::POSITIVE.and(Kinds::AVOID).and(Kinds::BAD))
            {
                let before = at
                    .checked_sub(1)
                    .and_then(|before| cues.get(before))
                    .is_some_and(|other| self.negates(other, other.span.end..cue.span.start));
                let behind = cues.get(at + 1).is_some_and(|other| {
                    self.page.language_puts_negation_behind()
                        && self.negates(other, cue.span.end..other.span.start)
                });
                if before || behind {
                    cue.kinds = Kinds::AVOID;
                }
            }
            turned.push(cue);
        }
        turned
    }

    fn negates(&self, other: &Cue, gap: Span) -> bool {
        let text = self.page.text(&gap);
        other.kinds.has(Kinds::NEGATOR)
            && !other.kinds.has(Kinds::POSITIVE)
            && gap.start <= gap.end
            && text.len() <= 40
            && !text.contains([',', ';', ':', '(', '.'])
            && text.split_whitespace().count() <= NEAR_WORDS
    }

    fn speak_against(&self, cue: &Cue, said: &mut [Said]) {
        let kinds = cue.kinds;
        if kinds.has(Kinds::POSITIVE) {
            return;
        }
        if (kinds.has(Kinds::RELATION) || self.is_alternative_to(cue))
            && let Some(at) = self.next(cue, NEAR_WORDS)
        {
            said[at].passing = true;
        }
        if kinds.has(Kinds::CONTRAST) {
            let object = if self.page.contrast_follows_its_object() {
                self.previous(cue, NEAR_WORDS)
            } else {
                self.next(cue, NEAR_WORDS - 1)
            };
            if let Some(at) = object {
                self.warn(at, said);
            }
        }
        if kinds.has(Kinds::DEFUNCT) {
            if let Some(at) = self
                .previous(cue, usize::MAX)
                .or_else(|| self.topic())
                .or_else(|| self.next(cue, NEAR_WORDS))
            {
                said[at].discouraged = true;
                said[at].defunct = true;
            }
        } else if kinds.has(Kinds::AVOID) && kinds.has(Kinds::BAD) {
            // Verbs that stand behind their object in some languages and before it in others.
            let object = self
                .previous_close(cue)
                .or_else(|| self.next(cue, NEAR_WORDS + 1))
                .or_else(|| self.previous(cue, usize::MAX))
                .or_else(|| self.topic());
            self.warn_all(object, said);
        } else if kinds.has(Kinds::AVOID) {
            let object = self
                .next(cue, NEAR_WORDS + 1)
                .or_else(|| self.previous(cue, usize::MAX))
                .or_else(|| self.topic());
            self.warn_all(object, said);
        } else if kinds.has(Kinds::BAD) {
            let object = self
                .previous(cue, usize::MAX)
                .or_else(|| self.topic())
                .or_else(|| self.next(cue, NEAR_WORDS + 1));
            self.warn_all(object, said);
        } else if kinds.has(Kinds::MILD)
            && !self.is_item()
            && !self.sentence.kinds.has(super::candidates::SPEAKS_FOR)
            && let Some(at) = self.previous(cue, usize::MAX)
        {
            said[at].discouraged = true;
        }
    }

    /// `a good alternative to X` is about somebody else than X.
    fn is_alternative_to(&self, cue: &Cue) -> bool {
        const TO: [&str; 14] = [
            "to ", "zu ", "zum ", "zur ", "à ", "a ", "al ", "alla ", "til ", "till ", "voor ", "dla ",
            "do ", "k ",
        ];
        let text = self.page.text(&cue.span);
        let stem = text
            .char_indices()
            .rev()
            .nth("alternatives".len() + 1)
            .map_or(text, |(at, _)| &text[at..]);
        let rest = self.page.text(&(cue.span.end..self.sentence.span.end));
        let rest = rest.trim_start();
        stem.to_lowercase().contains("alternati") && TO.iter().any(|to| rest.starts_with(to))
    }

    fn warn(&self, at: usize, said: &mut [Said]) {
        said[at].discouraged = true;
    }

    /// Warns of somebody and of those enumerated with them: `avoid A and B`.
    fn warn_all(&self, object: Option<usize>, said: &mut [Said]) {
        let Some(first) = object else {
            return;
        };
        said[first].discouraged = true;
        let mut at = first;
        while at + 1 < self.range.end && self.range.contains(&at) {
            let gap = self
                .page
                .text(&(self.mentions[at].span.end..self.mentions[at + 1].span.start));
            let joint = gap.trim();
            if !matches!(
                joint,
                "," | "and"
                    | "or"
                    | "und"
                    | "oder"
                    | "et"
                    | "ou"
                    | "y"
                    | "o"
                    | "e"
                    | "og"
                    | "och"
                    | "en"
                    | "of"
                    | "i"
                    | "и"
                    | "、"
                    | "和"
                    | "と"
                    | "과"
                    | "와"
                    | ", and"
                    | ", or"
            ) {
                break;
            }
            at += 1;
            said[at].discouraged = true;
        }
    }

    /// Puts the name first that a top cue is about.
    fn crown(&self, cue: &Cue, said: &mut [Said]) {
        if self.is_conditional() {
            return;
        }
        let cue_text = self.page.text(&cue.span).to_lowercase();
        let before = self
            .page
            .text(&(self.sentence.span.start..cue.span.start))
            .trim_end()
            .to_lowercase();
        let article = before.rsplit(|c: char| !is_word(c)).next().unwrap_or_default();
        // `a top choice` is one of several.
        if matches!(
            article,
            "a" | "another"
                | "ein"
                | "eine"
                | "einer"
                | "un"
                | "une"
                | "una"
                | "uma"
                | "um"
                | "et"
                | "ett"
                | "een"
                | "other"
                | "some"
                | "not"
        ) && !cue_text.contains("1")
        {
            return;
        }
        if self.is_for_some(cue, &cue_text) {
            return;
        }
        let free = |at: &usize| !said[*at].discouraged && !said[*at].passing;
        let behind = self
            .range
            .clone()
            .filter(|at| self.mentions[*at].span.start >= cue.span.end)
            .find(free);
        let before = self
            .range
            .clone()
            .rev()
            .filter(|at| self.mentions[*at].span.end <= cue.span.start + 1)
            .find(free);
        let around = self
            .range
            .clone()
            .filter(|at| {
                self.mentions[*at].span.start < cue.span.end && self.mentions[*at].span.end > cue.span.start
            })
            .find(free);
        let near = |at: usize| {
            let span = &self.mentions[at].span;
            if span.start >= cue.span.end {
                span.start - cue.span.end
            } else {
                cue.span.start.saturating_sub(span.end)
            }
        };
        let bound = match (before, behind) {
            // `X is the best choice`: the subject, if it stands next to the cue; else what follows.
            (Some(before), Some(behind)) => {
                let subject = near(before) <= near(behind) && !self.breaks_between(before, cue);
                Some(if subject { before } else { behind })
            }
            (one, other) => one.or(other),
        };
        if let Some(at) = around.or(bound) {
            said[at].top = true;
            said[at].praised = true;
            said[at].verdict |= cue.kinds.has(Kinds::VERDICT);
        }
    }

    /// `the best for families` and `top pick for budgets` are first for some only.
    fn is_for_some(&self, cue: &Cue, cue_text: &str) -> bool {
        let rest = self
            .page
            .text(&(cue.span.end..self.sentence.span.end))
            .trim_start_matches(' ');
        let mut words = rest
            .split(|c: char| !is_word(c))
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase);
        let next = words.next().unwrap_or_default();
        if cue_text.ends_with("best")
            && matches!(
                next.as_str(),
                "value" | "if" | "when" | "suited" | "known" | "way" | "budget"
            )
        {
            return true;
        }
        if !rest.starts_with(|c: char| c.is_alphabetic())
            || !matches!(
                next.as_str(),
                "for" | "fur" | "für" | "pour" | "para" | "per" | "voor" | "til" | "för" | "dla" | "для"
            )
        {
            return false;
        }
        let purpose: Vec<String> = words.take(4).collect();
        let general = purpose.iter().any(|word| {
            self.page.asked.contains(&*super::text::key(word))
                || matches!(
                    word.as_str(),
                    "you"
                        | "most"
                        | "me"
                        | "this"
                        | "that"
                        | "your"
                        | "everyone"
                        | "overall"
                        | "sie"
                        | "dich"
                        | "vous"
                        | "ti"
                        | "usted"
                        | "deg"
                        | "dig"
                        | "de"
                )
        });
        !general
            && self.page.answer.question.is_some()
            && !purpose.is_empty()
            && !cue.kinds.has(Kinds::VERDICT)
    }

    /// Whether a clause ends between a name and a cue behind it.
    fn breaks_between(&self, at: usize, cue: &Cue) -> bool {
        let gap = self.page.text(&(self.mentions[at].span.end..cue.span.start));
        gap.contains([',', ';', ':', '，', '–', '—', '。'])
    }

    /// `If you want X, choose Y` puts nobody first.
    fn is_conditional(&self) -> bool {
        let text = self.page.text(&self.sentence.span).trim_start();
        let lower: String = text.chars().take(32).flat_map(char::to_lowercase).collect();
        const CONDITIONS: [&str; 34] = [
            "if you ",
            "if your ",
            "if budget",
            "if price",
            "for families",
            "for couples",
            "for a ",
            "for the best",
            "when ",
            "wenn sie",
            "wenn du",
            "falls ",
            "wer ",
            "si vous",
            "si tu ",
            "pour les",
            "si quieres",
            "si buscas",
            "si prefieres",
            "si necesitas",
            "se você",
            "se voce",
            "se quiser",
            "se vuoi",
            "se cerchi",
            "als je",
            "als u",
            "hvis du",
            "om du",
            "jeśli ",
            "если вы",
            "если вам",
            "如果您",
            "如果你",
        ];
        let verdict = self.sentence.kinds.has(Kinds::VERDICT);
        !verdict
            && CONDITIONS.iter().any(|condition| lower.starts_with(condition))
            && self.page.conditions >= 2
    }

    /// The first name behind a cue with at most so many words between.
    fn next(&self, cue: &Cue, words: usize) -> Option<usize> {
        let at = self
            .range
            .clone()
            .find(|at| self.mentions[*at].span.end > cue.span.end)?;
        let start = self.mentions[at].span.start.max(cue.span.end);
        let gap = self.page.text(&(cue.span.end..start));
        let unspaced = gap.len() > 24 && !gap.contains(' ');
        (gap.split_whitespace().count() <= words
            && !unspaced
            && !gap.contains(['.', ';', '。', '，', ':', '\t']))
        .then_some(at)
    }

    /// The last name before a cue, if at most so many words stand between.
    fn previous(&self, cue: &Cue, words: usize) -> Option<usize> {
        let at = self
            .range
            .clone()
            .rev()
            .find(|at| self.mentions[*at].span.start < cue.span.start)?;
        let gap = self
            .page
            .text(&(self.mentions[at].span.end.min(cue.span.start)..cue.span.start));
        (words == usize::MAX || gap.split_whitespace().count() <= words).then_some(at)
    }

    /// The last name before a cue with nothing but small words between.
    fn previous_close(&self, cue: &Cue) -> Option<usize> {
        let at = self.previous(cue, NEAR_WORDS + 2)?;
        let gap = self
            .page
            .text(&(self.mentions[at].span.end.min(cue.span.start)..cue.span.start));
        (!gap.contains([',', ';', '.', '，', ':', '–', '—'])).then_some(at)
    }

    /// Whom a sentence without names is about: the item it belongs to, or the last name before, if it is close.
    fn topic(&self) -> Option<usize> {
        if !self.range.is_empty() {
            return None;
        }
        let before = self.before?;
        let mention = self.mentions.get(before)?;
        let close = self.page.sentence_at(mention.span.start)? + 1
            >= self.page.sentence_at(self.sentence.span.start)?;
        let mut block = Some(self.sentence.block);
        // Up the tree: the head of the item is its topic, however many sentences stand between.
        while let Some(at) = block {
            let span = &self.page.layout.blocks.get(at)?.span;
            if span.contains(&mention.span.start) {
                return Some(before);
            }
            block = self.page.layout.blocks.get(at)?.parent;
        }
        let text = self.page.text(&self.sentence.span);
        (close && text.split_whitespace().count() <= 16 && self.speaks_of_it()).then_some(before)
    }

    /// Whether a sentence refers back.
    fn speaks_of_it(&self) -> bool {
        const PRONOUNS: [&str; 24] = [
            "it", "its", "they", "them", "this", "that", "he", "she", "es", "sie", "ihn", "dort", "il",
            "elle", "lo", "la", "den", "det", "dem", "het", "ze", "его", "их", "它",
        ];
        let text = self.page.text(&self.sentence.span);
        text.split(|c: char| !is_word(c))
            .any(|word| PRONOUNS.contains(&word.to_lowercase().as_str()))
    }
}

fn praise_beyond_absence(cues: &[Cue]) -> bool {
    cues.iter().any(|cue| {
        cue.kinds.has(Kinds::TOP.and(Kinds::POSITIVE).and(Kinds::CORE))
            && !cue
                .kinds
                .has(Kinds::ABSENCE.and(Kinds::REFUSAL).and(Kinds::AVOID))
    })
}

impl Page<'_> {
    /// Whether the language negates behind the verb: `jeg anbefaler ikke`.
    fn language_puts_negation_behind(&self) -> bool {
        ["de", "da", "no", "sv", "nl", "fr"]
            .iter()
            .any(|tag| self.language.is(tag))
    }

    /// Whether the word for `instead of` stands behind what it is about.
    fn contrast_follows_its_object(&self) -> bool {
        ["ja", "ko", "tr", "hu", "hi"]
            .iter()
            .any(|tag| self.language.is(tag))
    }
}
