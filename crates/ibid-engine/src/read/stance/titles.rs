//! Titles, columns and signs that warn of the names under them.

use super::Mention;
use crate::read::candidates::are_joined;
use crate::read::layout::{Block, Kind, Span};
use crate::read::page::Page;
use crate::read::text::{Script, is_word, plain, script, words};
use crate::read::words::{Cue, Kinds, List, Meaning, list, meaning, meaning_as_written};

/// Longest title, in bytes.
const LONGEST: usize = 160;

/// For every mention, whether a title over it warns of it, a sign or a column does, or it is struck through.
pub(super) fn warned(page: &Page<'_>, mentions: &[Mention]) -> Vec<bool> {
    let under = under_warnings(page);
    let signs: Vec<Option<bool>> = page.layout.blocks.iter().map(|block| sign(page, block)).collect();
    let signed = signs.contains(&Some(false));
    let refused = refused_rows(page);
    let mut first = None;
    let mut warned: Vec<bool> = Vec::with_capacity(mentions.len());
    for (at, mention) in mentions.iter().enumerate() {
        let block = page.layout.block_at(mention.span.start);
        let opens = block != first;
        first = block;
        let before = at.checked_sub(1).and_then(|before| mentions.get(before));
        let goes_on = before.is_some_and(|before| {
            warned.last() == Some(&true) && are_joined(page, before.span.end, mention.span.start)
        });
        let Some((at, found)) = block.and_then(|at| Some((at, page.layout.blocks.get(at)?))) else {
            warned.push(false);
            continue;
        };
        let rest = mention.span.end..found.span.end.max(mention.span.end);
        let tail = opens
            && !matches!(found.kind, Kind::Line | Kind::Heading(_))
            && words(page.text(&rest)).nth(super::NEAR_WORDS).is_none()
            && warns(page, &rest);
        let heads = opens
            && !page
                .text(&(found.span.start..mention.span.start))
                .contains(is_word);
        let struck = &page.layout.struck;
        let next = struck.partition_point(|span| span.end <= mention.span.start);
        let local = page
            .sentence_at(mention.span.start)
            .and_then(|sentence| lead(page, &page.sentences[sentence].span))
            .filter(|lead| lead.end < mention.span.start)
            .filter(|lead| !page.ahead(&(lead.end..mention.span.start)).contains(is_word))
            .is_some_and(|lead| warns(page, &lead));
        warned.push(
            under[at] && opens
                || local
                || tail
                || heads && (signed && signs[at] == Some(true) || refused[at])
                || struck
                    .get(next)
                    .is_some_and(|span| span.start <= mention.span.start)
                || goes_on,
        );
    }
    warned
}

/// For every block, whether a title that warns is over it: a title holds to the next one.
fn under_warnings(page: &Page<'_>) -> Vec<bool> {
    let blocks = &page.layout.blocks;
    let mut titles: Vec<Option<bool>> = Vec::with_capacity(blocks.len());
    let mut under = Vec::with_capacity(blocks.len());
    let mut led = None;
    for block in blocks {
        let inherited = block.parent.and_then(|parent| titles[parent]);
        let title = is_title(page, block).then(|| warns(page, &block.span));
        let heading = matches!(block.kind, Kind::Heading(_)) || block.kind == Kind::Line && block.all_bold;
        if heading || title.is_some() || block.kind == Kind::Line && block.after_blank {
            led = title.filter(|_| block.kind == Kind::Line && !block.all_bold);
        }
        under.push(title.is_none() && led.or(inherited) == Some(true));
        // A title below another one that praises ends the warning; one that only names does not.
        titles.push(match title {
            Some(false) if !praises(page, &block.span) && heading => inherited.or(title),
            Some(_) => title,
            None => inherited,
        });
    }
    // The name of a firm may itself be a title under the warning.
    for (at, block) in blocks.iter().enumerate() {
        let inherited = block.parent.and_then(|parent| titles[parent]);
        under[at] |= inherited == Some(true) && titles[at] == Some(true) && !warns(page, &block.span);
    }
    under
}

/// Whether a block is a title: a heading, a bold line, or a lead that ends with a colon.
fn is_title(page: &Page<'_>, block: &Block) -> bool {
    let text = page.text(&block.span);
    matches!(block.kind, Kind::Heading(_))
        || block.all_bold && !matches!(block.kind, Kind::Row | Kind::HeadRow)
        || text.len() <= LONGEST && text.trim_end_matches([' ', '*']).ends_with(':')
}

/// The lead of a sentence before a colon with more text behind it.
fn lead(page: &Page<'_>, sentence: &Span) -> Option<Span> {
    // A sentence may be as long as the answer, and has a lead for each name in it.
    let colon = page
        .ahead(sentence)
        .find(": ")
        .filter(|colon| *colon <= LONGEST)?;
    Some(sentence.start..sentence.start + colon)
}

fn praises(page: &Page<'_>, span: &Span) -> bool {
    let cues = page.cues_in(span);
    cues.iter()
        .any(|cue| cue.kinds.has(crate::read::candidates::SPEAKS_FOR))
}

/// Whether a title warns of what it is over: it has a word for it, or denies a verb of use, or puts a bad word to
/// one for opinions; and it is no purpose, no condition, no denial, and nothing about mistakes or costs.
fn warns(page: &Page<'_>, title: &Span) -> bool {
    static ENDINGS: List = list("titles.purpose-endings");
    static THINGS: List = list("titles.things");
    if title.len() > LONGEST {
        return false;
    }
    let cues = super::turned(page, page.cues_in(title));
    let folded = plain(page.text(title).trim_start_matches(|c: char| !is_word(c)));
    let title = Title {
        page,
        span: title,
        folded: &folded,
        cues: &cues,
    };
    let found = cues.iter().enumerate().any(|(at, cue)| title.is_warning(at, cue));
    (found || title.has_bad_opinions()) && !title.has(&THINGS, false) && !title.has(&ENDINGS, true)
}

/// A title that may warn.
struct Title<'a, 'p> {
    page: &'a Page<'p>,
    span: &'a Span,
    folded: &'a str,
    cues: &'a [Cue],
}

impl Title<'_, '_> {
    fn is_warning(&self, at: usize, cue: &Cue) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.cues.get(before));
        let denied =
            before.is_some_and(|before| super::negates(self.page, before, before.span.end..cue.span.start));
        let behind = self.page.text(&(cue.span.end..self.span.end.max(cue.span.end)));
        if cue.kinds.has(Kinds::NEGATOR) && !cue.kinds.has(Kinds::POSITIVE.and(Kinds::WARN)) {
            return is_use(behind);
        }
        cue.kinds
            .has(Kinds::WARN.and(Kinds::AVOID).and(Kinds::BAD).and(Kinds::MILD))
            && (cue.kinds.has(Kinds::WARN) || !cue.kinds.has(Kinds::POSITIVE))
            && !denied
            && !self.is_purpose(cue, behind)
    }

    /// Whether a cue only says what for, or of which things: `To avoid leaks, call`, `Avoid high fees`.
    fn is_purpose(&self, cue: &Cue, behind: &str) -> bool {
        static PURPOSES: List = list("titles.purposes");
        static PARTIES: List = list("titles.parties");
        static PLACES: List = list("prose.locatives");
        let before = plain(self.page.text(&(self.span.start..cue.span.start)));
        let purpose = PURPOSES
            .folded()
            .iter()
            .any(|word| self.folded.starts_with(&**word) || before.trim_start().ends_with(&**word));
        let to = self.page.text(&cue.span).starts_with("to ");
        let opens = !before.contains(is_word);
        let mut object = words(behind);
        let first = object.next();
        let party = |word: &str| {
            let folded = plain(word);
            PARTIES.has(&folded) || self.page.question.holds(word) || meaning(&folded).is(Meaning::TRADE)
        };
        let aside = first.is_none_or(|word| PLACES.has(word) || meaning_as_written(word).is_ordinary());
        let parties = first.into_iter().chain(object).any(party);
        // Where the verb comes last, what follows it is not its object.
        let caseless = |c: char| script(c) != Script::Common && !script(c).has_case();
        let imperative =
            cue.kinds.has(Kinds::AVOID) && !cue.kinds.has(Kinds::BAD) && !behind.contains(caseless);
        purpose && first.is_some() || (to || opens && imperative && first.is_some()) && !aside && !parties
    }

    /// Whether a title has a bad word and one for opinions, in any order.
    fn has_bad_opinions(&self) -> bool {
        static BAD: List = list("titles.bad");
        static OPINIONS: List = list("titles.opinions");
        self.has(&BAD, true)
            && self.has(&OPINIONS, true)
            && !self.cues.iter().any(|cue| cue.kinds.has(Kinds::NEGATOR))
    }

    /// Whether a title has one of these words, or one that starts with one of these.
    fn has(&self, list: &List, stems: bool) -> bool {
        let unspaced = |c| script(c).is_unspaced();
        let inside = |part: &String| part.contains(unspaced) && self.folded.contains(&**part);
        let is = |word: &str| list.folded().contains(word) || stems && list.has_stem_of(word);
        words(self.folded).any(is) || self.folded.contains(unspaced) && list.folded().iter().any(inside)
    }
}

/// Whether a text starts with a verb of use, at most one word before it: `not to hire`, `non chiamerei`.
fn is_use(behind: &str) -> bool {
    static USES: List = list("titles.uses");
    words(behind).take(2).any(|word| USES.has_stem_of(&plain(word)))
}

/// Whether a sign before or after the text of a block speaks against it, or for it.
fn sign(page: &Page<'_>, block: &Block) -> Option<bool> {
    // A marker is in the clean text only.
    let origin = page.layout.origin(block.span.start);
    let clean = page.clean.text.get(..origin).unwrap_or_default();
    let marker = clean.chars().rev().take_while(|c| *c != '\n').take(12);
    let text = page.text(&block.span).trim_matches([' ', '*', '\t']);
    let mut outer = marker.chain(text.chars().next()).chain(text.chars().next_back());
    outer.find_map(meaning_of)
}

/// Whether a sign speaks against what it stands at, or for it.
fn meaning_of(c: char) -> Option<bool> {
    static AGAINST: List = list("titles.signs-against");
    static FOR: List = list("titles.signs-for");
    let is = |list: &List| !c.is_ascii() && list.iter().any(|sign| sign.starts_with(c));
    is(&AGAINST).then_some(true).or_else(|| is(&FOR).then_some(false))
}

/// For every block, whether it is a row of a table whose header asks for a verdict, and the verdict is no.
fn refused_rows(page: &Page<'_>) -> Vec<bool> {
    static VERDICTS: List = list("titles.verdicts");
    static NOES: List = list("titles.noes");
    let mut column = None;
    let refuses = |cell: &Span| {
        let folded = page.text(cell).trim_matches([' ', '*']).to_lowercase();
        let first = folded.split(|c: char| !is_word(c)).next().unwrap_or_default();
        NOES.has(first) || folded.chars().next().and_then(meaning_of) == Some(true) || warns(page, cell)
    };
    let rows = page.layout.blocks.iter().map(|block| {
        let cells = page.layout.cells.get(block.cells.clone()).unwrap_or_default();
        match block.kind {
            Kind::HeadRow => {
                column = cells.iter().position(|cell| {
                    let asked = page.text(cell).trim_matches([' ', '*', '?', '¿']).to_lowercase();
                    VERDICTS.has(&asked)
                });
                false
            }
            Kind::Row => column.and_then(|column| cells.get(column)).is_some_and(refuses),
            Kind::Heading(_) | Kind::Ordered | Kind::Bullet | Kind::Line => {
                column = None;
                false
            }
        }
    });
    rows.collect()
}
