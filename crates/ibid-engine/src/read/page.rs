//! Everything known about an answer before names are judged.

use super::answer::Answer;
use super::brand::{Hit, Target};
use super::host::{self, Address};
use super::layout::{Form, Kind, Layout, Span};
use super::own_names;
use super::question::Question;
use super::sentences;
use super::text::{Clean, Folded, is_word, key};
use super::words::{
    BrandMention, Cue, Kinds, Language, Word, find_brands, find_cues, language_of, look_up,
    meaning_as_written,
};

/// An answer, laid out and looked through.
pub(super) struct Page<'a> {
    pub(super) answer: &'a Answer<'a>,
    pub(super) target: &'a Target,
    pub(super) clean: Clean,
    pub(super) layout: Layout,
    pub(super) language: Language,
    pub(super) cues: Vec<Cue>,
    pub(super) words: Vec<Word>,
    /// The places of the target's names.
    pub(super) hits: Vec<Hit>,
    /// Well-known brands, in document order.
    pub(super) brands: Vec<BrandMention>,
    /// It names so many well-known brands that it is about brands.
    pub(super) many_brands: bool,
    /// Links that lead to websites, in document order.
    pub(super) links: Vec<Resolved>,
    pub(super) sentences: Vec<Sentence>,
    pub(super) question: &'a Question<'a>,
    /// Sentences that start with a condition, up to two.
    pub(super) conditions: usize,
    /// For every block, whether it belongs to a list of sources.
    pub(super) sources: Vec<bool>,
}

/// A link and where it leads.
#[derive(Clone, Debug)]
pub(super) struct Resolved {
    pub(super) span: Span,
    pub(super) form: Form,
    pub(super) chip: bool,
    pub(super) address: Address,
    /// It leads to the target.
    pub(super) own: bool,
}

/// One sentence.
#[derive(Clone, Debug)]
pub(super) struct Sentence {
    pub(super) span: Span,
    /// The block it is in.
    pub(super) block: usize,
    /// Everything its cues do.
    pub(super) kinds: Kinds,
}

impl<'a> Page<'a> {
    pub(super) fn of(target: &'a Target, question: &'a Question<'a>, answer: &'a Answer<'a>) -> Self {
        let clean = Clean::of(answer.text);
        let layout = Layout::of(&clean, answer.citations);
        let folded = Folded::of(&layout.text);
        let words = look_up(&folded);
        let language = language_of(&layout.text, &words);
        let (mut cues, language) = find_cues(&folded, language);
        praise_beyond_words(&mut cues, &layout.text);
        let mut hits = target.find(&layout.text, &folded, language);
        // Letters of an address are no name; whose address it is, the link says.
        hits.retain(|hit| !in_address(&layout, &hit.span));
        let links = resolve(&layout, target);
        let mut brands = find_brands(&layout.text, &words);
        brands.retain(|brand| !in_address(&layout, &brand.span));
        let inside: Vec<bool> = brands
            .iter()
            .map(|brand| ends_longer_name(&layout, brand, &brands))
            .collect();
        let mut inside = inside.into_iter();
        brands.retain(|_| !inside.next().unwrap_or_default());
        settle_ordinary(&layout, &mut brands);
        let mut page = Self {
            answer,
            target,
            clean,
            layout,
            language,
            cues,
            words,
            hits,
            many_brands: is_about_brands(&brands),
            brands,
            links,
            sentences: Vec::new(),
            question,
            conditions: 0,
            sources: Vec::new(),
        };
        page.sentences = page.split();
        page.conditions = page
            .sentences
            .iter()
            .filter(|sentence| is_condition(page.text(&sentence.span)))
            .take(2)
            .count();
        page.sources = source_blocks(&page.layout);
        own_names::settle(&mut page);
        page
    }

    fn split(&self) -> Vec<Sentence> {
        let mut found = Vec::with_capacity(self.layout.blocks.len() * 2);
        let mut spans = Vec::new();
        let mut cue = 0;
        for (block, part) in self.layout.blocks.iter().enumerate() {
            sentences::of(&self.layout.text, &part.span, &mut spans);
            for span in spans.drain(..) {
                let mut kinds = Kinds::default();
                while let Some(next) = self.cues.get(cue).filter(|next| next.span.start < span.end) {
                    if next.span.start >= span.start {
                        kinds = kinds.and(next.kinds);
                    }
                    cue += 1;
                }
                found.push(Sentence { span, block, kinds });
            }
        }
        found
    }

    /// Whether a sentence names all that the question sets against each other.
    pub(super) fn compares(&self, sentence: &Sentence) -> bool {
        let compared = &self.question.compared;
        let text = self.text(&sentence.span);
        compared.len() >= 2 && compared.iter().all(|name| text.contains(&**name))
    }

    pub(super) fn text(&self, span: &Span) -> &str {
        self.layout.at(span)
    }

    /// The cues that start in a span, in order.
    pub(super) fn cues_in(&self, span: &Span) -> &[Cue] {
        slice(&self.cues, span, |cue| cue.span.start)
    }

    /// The words that start in a span, in order.
    pub(super) fn words_in(&self, span: &Span) -> &[Word] {
        slice(&self.words, span, |word| word.place.start as usize)
    }

    /// The target's possible names that start in a span, in order.
    pub(super) fn hits_in(&self, span: &Span) -> &[Hit] {
        slice(&self.hits, span, |hit| hit.span.start)
    }

    /// The well-known brands that start in a span, in order.
    pub(super) fn brands_in(&self, span: &Span) -> &[BrandMention] {
        slice(&self.brands, span, |brand| brand.span.start)
    }

    /// The links whose text starts in a span, in order.
    pub(super) fn links_in(&self, span: &Span) -> &[Resolved] {
        slice(&self.links, span, |link| link.span.start)
    }

    /// Whether the second is only the address of the first: `Acme Tools (acmetools.com)`.
    pub(super) fn is_address_of(&self, name: &Span, other: &Span) -> bool {
        let between = self.layout.text.get(name.end..other.start).unwrap_or_default();
        let address = self.text(other);
        matches!(between.trim(), "(" | "（" | "[")
            && address.contains('.')
            && !address.contains(char::is_whitespace)
            && self
                .links_in(other)
                .iter()
                .any(|link| link.span.start <= other.start && other.end <= link.span.end)
    }

    /// The position of the sentence that holds a byte of the visible text.
    pub(super) fn sentence_at(&self, at: usize) -> Option<usize> {
        let next = self
            .sentences
            .partition_point(|sentence| sentence.span.start <= at);
        next.checked_sub(1)
    }
}

/// `I can't recommend X enough` declines nothing.
fn praise_beyond_words(cues: &mut [Cue], text: &str) {
    const ENOUGH: [&str; 11] = [
        "enough",
        "highly",
        "genug",
        "trop",
        "suficiente",
        "suficientemente",
        "abbastanza",
        "nok",
        "nog",
        "tarpeeksi",
        "dość",
    ];
    /// Words in which it is said.
    const NEAR: usize = 12;
    for cue in cues {
        if !cue.kinds.has(Kinds::REFUSAL.and(Kinds::AVOID)) || cue.kinds.has(Kinds::POSITIVE) {
            continue;
        }
        let rest = text.get(cue.span.end..).unwrap_or_default();
        let clause = rest
            .split(['.', '!', '?', ',', ';', ':', '\n'])
            .next()
            .unwrap_or_default();
        // `enough` may qualify something else; what praises is the last word of its clause.
        let last = clause.split_whitespace().take(NEAR + 1);
        let said = last.clone().count() <= NEAR && last.last().is_some_and(|word| ENOUGH.contains(&word));
        if said && text.get(cue.span.clone()).is_some_and(speaks) {
            cue.kinds = Kinds::POSITIVE.and(Kinds::CORE);
        }
    }
}

/// Whether a denial is one of recommending.
fn speaks(cue: &str) -> bool {
    const STEMS: [&str; 8] = [
        "recommend",
        "empfehl",
        "recomend",
        "recommand",
        "consigli",
        "raccomand",
        "anbefal",
        "aanbevel",
    ];
    STEMS.iter().any(|stem| cue.contains(stem))
}

fn resolve(layout: &Layout, target: &Target) -> Vec<Resolved> {
    let mut found = Vec::with_capacity(layout.links.len());
    for link in &layout.links {
        // Most links are plain ones to other websites.
        let plain = host::plain(&link.url).filter(|host| !target.owns(host));
        let address = plain.map_or_else(
            || host::resolve(&link.url),
            |host| {
                Some(Address {
                    host: host.to_owned(),
                    url: link.url.clone(),
                })
            },
        );
        if let Some(address) = address {
            let own = target.owns(&address.host);
            found.push(Resolved {
                span: link.span.clone(),
                form: link.form,
                chip: link.chip,
                address,
                own,
            });
        }
    }
    found
}

/// The elements of an ascending list that start in a span.
fn slice<'a, T>(all: &'a [T], span: &Span, start: impl Fn(&T) -> usize) -> &'a [T] {
    let first = all.partition_point(|one| start(one) < span.start);
    let last = all.partition_point(|one| start(one) < span.end);
    all.get(first..last).unwrap_or_default()
}

fn in_address(layout: &Layout, span: &Span) -> bool {
    let next = layout.links.partition_point(|link| link.span.start <= span.start);
    let link = next.checked_sub(1).and_then(|at| layout.links.get(at));
    link.is_some_and(|link| link.form != Form::Markdown && link.span.end > span.start)
}

/// Whether a word with a capital right before a brand makes another name of it: `Zuhair Murad`.
fn ends_longer_name(layout: &Layout, brand: &BrandMention, all: &[BrandMention]) -> bool {
    let before = layout.text.get(..brand.span.start).unwrap_or_default();
    let Some(before) = before.strip_suffix(' ') else {
        return false;
    };
    let start = before.rfind(|c: char| !is_word(c) && c != '\'').map_or(0, |at| {
        at + before
            .get(at..)
            .and_then(|rest| rest.chars().next())
            .map_or(1, char::len_utf8)
    });
    let word = before.get(start..).unwrap_or_default();
    let opens = {
        let lead = before
            .get(..start)
            .unwrap_or_default()
            .trim_end_matches([' ', '"', '(']);
        lead.is_empty() || lead.ends_with(['.', '!', '?', ':', '\n'])
    };
    let bold = !layout
        .bolds_in(&(brand.span.start..brand.span.start + 1))
        .is_empty();
    let at = all.partition_point(|other| other.span.start < start);
    let after_brand = all
        .get(at.saturating_sub(1)..=at)
        .unwrap_or_default()
        .iter()
        .any(|other| other.span.end == before.len() && other.span.start < brand.span.start);
    let meaning = meaning_as_written(word);
    let everyday = meaning.is_function()
        || meaning.is_opener()
        || meaning.is_label()
        || meaning.is_advice()
        || meaning.is_criterion();
    let lead = opens && (meaning.is_ordinary() || word.ends_with("ing"));
    word.starts_with(char::is_uppercase) && !lead && !bold && !everyday && (brand.ordinary || !after_brand)
}

/// Well-known brands that an answer names before it is about brands.
pub(super) const MANY_BRANDS: usize = 3;

fn is_about_brands(brands: &[BrandMention]) -> bool {
    brands
        .iter()
        .filter(|brand| !brand.ordinary)
        .take(MANY_BRANDS)
        .count()
        == MANY_BRANDS
}

/// In an answer about brands, an ordinary word with a capital is one where a capital is no accident: inside a
/// sentence, in bold, or at the head of an item.
fn settle_ordinary(layout: &Layout, brands: &mut [BrandMention]) {
    if !is_about_brands(brands) {
        return;
    }
    for brand in brands.iter_mut().filter(|brand| brand.ordinary) {
        let text = &layout.text;
        let before = text.get(..brand.span.start).unwrap_or_default();
        let inside = before
            .trim_end_matches([' ', '"', '\'', '('])
            .ends_with(|c: char| is_word(c) || matches!(c, ',' | ';' | '&' | '/'));
        let bold = layout
            .bolds_in(&(brand.span.start.saturating_sub(2)..brand.span.start + 1))
            .iter()
            .any(|bold| bold.end >= brand.span.end);
        let block = layout
            .block_at(brand.span.start)
            .and_then(|at| layout.blocks.get(at));
        let head = block.is_some_and(|block| {
            matches!(
                block.kind,
                Kind::Ordered | Kind::Bullet | Kind::Heading(_) | Kind::Row
            ) && text
                .get(block.span.start..brand.span.start)
                .is_some_and(|lead| !lead.contains(char::is_alphabetic))
        });
        let behind = text.get(brand.span.end..).unwrap_or_default();
        let next = behind
            .trim_start_matches([' ', '*'])
            .split(|c: char| !is_word(c))
            .next()
            .unwrap_or_default();
        let phrase = meaning_as_written(next).is_ordinary()
            && behind.starts_with(' ')
            && !meaning_as_written(next).is_function();
        let subject = meaning_as_written(next).is_function() || next.len() > 2 && next.ends_with('s');
        let small = next.starts_with(char::is_lowercase);
        let sure =
            inside && !(small && phrase && !bold) || (bold || head) && (small || !phrase) || subject && small;
        // `The Silk Slip` is what it is made of.
        let article = ["the", "a", "an", "The", "A", "An"].iter().any(|article| {
            before.trim_end().ends_with(&format!(" {article}"))
                || before.trim_end().ends_with(&format!("\n{article}"))
                || before.trim_end() == *article
        });
        let material = article && next.starts_with(char::is_uppercase);
        brand.ordinary = !sure || material;
    }
}

/// Whether a sentence makes a choice depend on something.
fn is_condition(sentence: &str) -> bool {
    const STARTS: [&str; 18] = [
        "If ",
        "For ",
        "Wenn ",
        "Falls ",
        "Si ",
        "Se ",
        "Pour ",
        "Para ",
        "Per ",
        "Als ",
        "Voor ",
        "Hvis ",
        "Om ",
        "För ",
        "Jeśli ",
        "Если ",
        "如果",
        "若",
    ];
    let sentence = sentence.trim_start();
    // Few sentences start with one of these letters.
    let first = sentence.as_bytes().first().copied().unwrap_or_default();
    let may = !first.is_ascii() || b"IFWSPAVHOJ".contains(&first);
    may && STARTS.iter().any(|start| sentence.starts_with(start))
}

/// Whether a folded line says that sources follow.
fn is_sources_title(line: &str) -> bool {
    // Few lines start like one.
    let first = line.as_bytes().first().copied().unwrap_or_default();
    let may = !first.is_ascii() || b"bcdfiklpqrsz".contains(&first);
    may && matches!(
        line,
        "sources"
            | "source"
            | "references"
            | "reference"
            | "citations"
            | "footnotes"
            | "links"
            | "furtherreading"
            | "quellen"
            | "quelle"
            | "quellenangaben"
            | "sourcesetreferences"
            | "fuentes"
            | "fuente"
            | "referencias"
            | "fontes"
            | "fonte"
            | "fonti"
            | "riferimenti"
            | "bronnen"
            | "bron"
            | "kilder"
            | "kilde"
            | "kallor"
            | "kalla"
            | "lahteet"
            | "zrodla"
            | "zdroje"
            | "surse"
            | "forrasok"
            | "kaynaklar"
            | "kaynakca"
            | "istochniki"
            | "dzherela"
            | "piges"
            | "المصادر"
            | "מקורות"
            | "来源"
            | "参考"
            | "参考资料"
            | "出典"
            | "参考文献"
            | "출처"
    )
}

/// The blocks below a line that says that sources follow.
fn source_blocks(layout: &Layout) -> Vec<bool> {
    let mut found = Vec::with_capacity(layout.blocks.len());
    let mut inside = false;
    for block in &layout.blocks {
        let text = layout.at(&block.span);
        let title = text.len() <= 40 && is_sources_title(&key(text));
        let ends = matches!(block.kind, Kind::Heading(_))
            || block.all_bold
            || matches!(block.kind, Kind::Line)
                && block.after_blank
                && layout.links_in(&block.span).is_empty();
        inside = title || inside && !ends;
        found.push(inside);
    }
    found
}
