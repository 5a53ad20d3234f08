//! The stance towards each name: cues find their names.

mod against;
mod cue_scope;
mod first_choice;
mod mentions;
mod titles;

use mentions::mentions;

use crate::read::competitors::FoundCompetitor;
use crate::read::layout::{Kind, Span};
use crate::read::page::{Page, Sentence};
use crate::read::text::is_word;
use crate::read::words::{Cue, Kinds, Language, List, list};

/// Whose name it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Who {
    /// The target.
    Target,
    /// A competitor, by position.
    Competitor(usize),
}

/// A place in the text with a name.
#[derive(Clone, Debug)]
pub(super) struct Mention {
    pub(super) span: Span,
    pub(super) who: Who,
}

/// The stances that the cues of an answer express.
#[derive(Clone, Debug, Default)]
pub(super) struct Stances {
    /// All mentions, in document order.
    pub(super) mentions: Vec<Mention>,
    /// For every mention, the statements about it there.
    pub(super) said: Vec<Said>,
}

/// The stance towards a mention.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    /// A cue speaks for it.
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
    /// The answer states that it does not know it.
    pub(super) absent: bool,
    /// The sentence declines to answer.
    pub(super) refused: bool,
}

/// Words between a cue and the name it is about.
const NEAR_WORDS: usize = 3;

/// Most bound cues of one sentence; no sentence for readers has more.
const MOST_CUES: usize = 200;

/// Binds every cue to the names it is about.
pub(super) fn bind(page: &Page<'_>, competitors: &[FoundCompetitor]) -> Stances {
    let mentions = mentions(page, competitors);
    let warned = titles::warned(page, &mentions);
    let said = warned.into_iter().map(|discouraged| Said {
        discouraged,
        ..Said::default()
    });
    let mut stances = Stances {
        said: said.collect(),
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
        scene.apply_cues(&mut stances.said);
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
    fn apply_cues(&self, said: &mut [Said]) {
        let kinds = self.sentence.kinds;
        if self.range.is_empty() && !kinds.has(Kinds::AVOID.and(Kinds::BAD).and(Kinds::DEFUNCT)) {
            return;
        }
        let cues = self.page.cues_in(&self.sentence.span);
        let cues = turned(
            self.page,
            cues.get(..MOST_CUES.min(cues.len())).unwrap_or_default(),
        );
        // Names in passing or warned of come first; then recommended ones get the rest.
        for cue in &cues {
            self.speak_against(cue, said);
        }
        self.pass_over_less_preferred(said);
        let absent = kinds.has(Kinds::ABSENCE);
        for cue in cues
            .iter()
            .filter(|cue| cue.kinds.has(Kinds::TOP.and(Kinds::VERDICT)) && !cue.kinds.has(Kinds::SECOND))
        {
            self.set_first_choice(cue, said);
        }
        let praise = cues.iter().any(|cue| {
            cue.kinds
                .has(crate::read::candidates::SPEAKS_FOR.and(Kinds::SECOND))
        }) || self.sentence.compares;
        for at in self.range.clone() {
            let follows = at > self.range.start && said[at - 1].praised && self.is_joined(at);
            let said = &mut said[at];
            said.refused |= kinds.has(Kinds::REFUSAL);
            if said.discouraged || said.passing {
                continue;
            }
            said.praised |= praise || follows || self.presents(at);
            // `I couldn't find X` is absence; `I couldn't find a better one than X` recommends it.
            said.absent |= absent && !praise_beyond_absence(&cues);
        }
    }

    /// Whether a name is enumerated with the one before it.
    fn is_joined(&self, at: usize) -> bool {
        let (before, this) = (&self.mentions[at - 1].span, &self.mentions[at].span);
        crate::read::candidates::are_joined(self.page, before.end, this.start)
    }

    /// Whether the sentence presents a name: in bold, as a link, or as the subject of a clause.
    fn presents(&self, at: usize) -> bool {
        static ARTICLES: List = list("stance.articles");
        static PRESENTING: List = list("stance.presenting");
        static BEHIND: List = list("stance.behind");
        let span = &self.mentions[at].span;
        if self.page.is_bold(span) {
            return true;
        }
        let lead = self.page.lead(&self.sentence.span, span.start);
        let before = lead.trim_end_matches([' ', '"', '(', '*']);
        let last = |text: &str| text.rsplit(' ').next().map(str::to_lowercase).unwrap_or_default();
        let article = last(before);
        let before = if ARTICLES.has(article.as_str()) {
            before[..before.len() - article.len()].trim_end_matches([' ', '"', '(', '*'])
        } else {
            before
        };
        let opens = !before.contains(is_word) || before.ends_with(',');
        let word = last(before);
        if PRESENTING.has(word.as_str()) {
            return true;
        }
        let joined = BEHIND.has(word.as_str()) && at > self.range.start;
        // The product after the name is part of the subject.
        let mut rest = self
            .page
            .ahead(&(span.end..self.sentence.span.end))
            .trim_start_matches([' ', '*', '\'', '"']);
        for _ in 0..4 {
            if !rest.starts_with(char::is_uppercase) {
                break;
            }
            rest = rest.split_once(' ').map_or("", |(_, rest)| rest);
        }
        let word = rest.split(|c: char| !is_word(c)).next().unwrap_or_default();
        let clause = word.starts_with(char::is_lowercase) || BEHIND.iter().any(|mark| rest.starts_with(mark));
        (opens || joined) && clause
    }

    /// Whether the sentence is that of an item, which starts with a name.
    fn is_item(&self) -> bool {
        let block = self.page.layout.blocks.get(self.sentence.block);
        block.is_some_and(|block| {
            let opens = |at: usize| self.mentions[at].span.start <= block.span.start + 4;
            matches!(block.kind, Kind::Ordered | Kind::Bullet | Kind::Row) && self.range.clone().any(opens)
        })
    }
}

/// Cues with negations applied: `nicht … empfehlen` warns.
fn turned(page: &Page<'_>, cues: &[Cue]) -> Vec<Cue> {
    let mut turned: Vec<Cue> = Vec::with_capacity(cues.len());
    for (at, cue) in cues.iter().enumerate() {
        let mut cue = cue.clone();
        if cue.kinds.has(Kinds::CORE) && !cue.kinds.has(Kinds::POSITIVE.and(Kinds::AVOID).and(Kinds::BAD)) {
            let before = at
                .checked_sub(1)
                .and_then(|before| cues.get(before))
                .is_some_and(|other| negates(page, other, other.span.end..cue.span.start));
            let behind = cues.get(at + 1).is_some_and(|other| {
                page.language_puts_negation_behind() && negates(page, other, cue.span.end..other.span.start)
            });
            if before || behind {
                cue.kinds = Kinds::AVOID.and(Kinds::BAD);
            }
        }
        turned.push(cue);
    }
    turned
}

/// Whether a cue is a negation that belongs to the word after a gap.
fn negates(page: &Page<'_>, other: &Cue, gap: Span) -> bool {
    let text = page.text(&gap);
    other.kinds.has(Kinds::NEGATOR)
        && !other.kinds.has(Kinds::POSITIVE)
        && gap.start <= gap.end
        && text.len() <= 40
        && !text.contains([',', ';', ':', '(', '.'])
        && text.split_whitespace().count() <= NEAR_WORDS
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
    /// Whether the language negates after the verb: `jeg anbefaler ikke`.
    fn language_puts_negation_behind(&self) -> bool {
        const THESE: Language = Language::tagged(&["de", "da", "no", "sv", "nl", "fr"]);
        self.language.is(THESE)
    }
}
