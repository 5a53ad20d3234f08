//! Everything known about an answer before names are judged.

mod known;
mod praise;
mod source_list;

pub(super) use known::MANY_BRANDS;

use super::answer::Answer;
use super::brand::{Hit, Target};
use super::host::{self, Address};
use super::layout::{Form, Layout, Span};
use super::own_names;
use super::question::Question;
use super::sentences;
use super::text::{Clean, Folded};
use super::words::{BrandMention, Cue, Kinds, Language, Word, find_brands, find_cues, language_of, look_up};

/// An answer, laid out and looked through.
pub(super) struct Page<'a> {
    pub(super) answer: &'a Answer<'a>,
    pub(super) target: &'a Target,
    pub(super) clean: Clean,
    pub(super) layout: Layout,
    pub(super) language: Language,
    pub(super) cues: Vec<Cue>,
    pub(super) words: Vec<Word>,
    /// Where the target's names stand.
    pub(super) hits: Vec<Hit>,
    /// Well-known brands, in document order.
    pub(super) brands: Vec<BrandMention>,
    /// It names so many well-known brands that it is about brands.
    pub(super) many_brands: bool,
    /// Links that lead to websites, in document order.
    pub(super) links: Vec<Resolved>,
    pub(super) sentences: Vec<Sentence>,
    pub(super) question: &'a Question<'a>,
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
    /// It contains all names that the question compares.
    pub(super) compares: bool,
}

impl<'a> Page<'a> {
    pub(super) fn of(target: &'a Target, question: &'a Question<'a>, answer: &'a Answer<'a>) -> Self {
        let clean = Clean::of(answer.text);
        let layout = Layout::of(&clean, answer.citations);
        let folded = Folded::of(&layout.text);
        let words = look_up(&folded);
        let language = language_of(&layout.text, &words);
        let (mut cues, language) = find_cues(&folded, language);
        praise::beyond_words(&mut cues, &layout.text);
        praise::crown(&mut cues, &layout.text, &words);
        let mut hits = target.find(&layout.text, &folded, language);
        // Letters of an address are no name; the link shows its owner.
        hits.retain(|hit| !in_address(&layout, &hit.span));
        let links = resolve(&layout, target);
        let mut brands = find_brands(&layout.text, &folded, &words);
        brands.retain(|brand| !in_address(&layout, &brand.span));
        known::settle(&layout, &mut brands);
        let mut page = Self {
            answer,
            target,
            clean,
            layout,
            language,
            cues,
            words,
            hits,
            many_brands: known::is_about_brands(&brands),
            brands,
            links,
            sentences: Vec::new(),
            question,
            sources: Vec::new(),
        };
        page.sentences = page.split();
        page.sources = source_list::blocks(&page.layout);
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
                let compared = &self.question.compared;
                let text = self.text(&span);
                found.push(Sentence {
                    compares: compared.len() >= 2 && compared.iter().all(|name| text.contains(&**name)),
                    span,
                    block,
                    kinds,
                });
            }
        }
        found
    }

    pub(super) fn text(&self, span: &Span) -> &str {
        self.layout.at(span)
    }

    /// The text right before a byte, as much as any rule looks at.
    pub(super) fn before(&self, at: usize) -> &str {
        let start = self.layout.text.ceil_char_boundary(at.saturating_sub(64));
        self.layout.text.get(start..at).unwrap_or_default()
    }

    /// The same, up to the start of its sentence.
    pub(super) fn lead(&self, sentence: &Span, at: usize) -> &str {
        let before = self.before(at);
        let outside = before.len().saturating_sub(at.saturating_sub(sentence.start));
        before.get(outside..).unwrap_or_default()
    }

    /// The text of a span, as much of its start as any rule looks at that asks for each name of a long sentence.
    pub(super) fn ahead(&self, span: &Span) -> &str {
        let near = self.layout.text.floor_char_boundary(span.start + 256);
        self.text(&(span.start..span.end.min(near)))
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

    /// Whether a name is in bold.
    pub(super) fn is_bold(&self, name: &Span) -> bool {
        let near = name.start.saturating_sub(3)..name.start + 1;
        self.layout
            .bolds_in(&near)
            .iter()
            .any(|bold| bold.end >= name.end)
    }

    /// Whether a link that is no mark of a source starts in a span.
    pub(super) fn is_linked(&self, span: &Span) -> bool {
        self.links_in(span).iter().any(|link| !link.chip)
    }

    /// Whether a well-known brand, other than an ordinary word, starts in a span.
    pub(super) fn has_brand(&self, span: &Span) -> bool {
        self.brands_in(span).iter().any(|brand| !brand.ordinary)
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

    /// The sentence that holds a byte of the visible text.
    pub(super) fn sentence(&self, at: usize) -> Option<&Sentence> {
        self.sentences.get(self.sentence_at(at)?)
    }

    /// Finds the sentence that holds a byte in the visible text, by position.
    pub(super) fn sentence_at(&self, at: usize) -> Option<usize> {
        let next = self
            .sentences
            .partition_point(|sentence| sentence.span.start <= at);
        next.checked_sub(1)
    }
}

fn resolve(layout: &Layout, target: &Target) -> Vec<Resolved> {
    let mut found = Vec::with_capacity(layout.links.len());
    for link in &layout.links {
        if let Some(address) = host::resolve(&link.url) {
            let own = target.owns_at(&address);
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

/// Takes the elements in an ascending list that start in a span.
fn slice<'a, T>(all: &'a [T], span: &Span, start: impl Fn(&T) -> usize) -> &'a [T] {
    let first = all.partition_point(|one| start(one) < span.start);
    let last = all.partition_point(|one| start(one) < span.end);
    #[cfg(test)]
    super::steps::add(last.saturating_sub(first));
    all.get(first..last).unwrap_or_default()
}

fn in_address(layout: &Layout, span: &Span) -> bool {
    let next = layout.links.partition_point(|link| link.span.start <= span.start);
    let link = next.checked_sub(1).and_then(|at| layout.links.get(at));
    link.is_some_and(|link| link.form != Form::Markdown && link.span.end > span.start)
}
