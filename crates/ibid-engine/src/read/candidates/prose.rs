//! Names in sentences that speak for somebody.

use super::{Candidate, Candidates, Form, unspaced};
use crate::read::layout::{Kind, Span};
use crate::read::page::{Page, Sentence};
use crate::read::text::{is_word, plain, script};
use crate::read::words::{Kinds, Meaning, meaning};

/// Longest name in prose, in words.
const MOST_WORDS: usize = 7;

/// Adds the names of sentences that recommend somebody.
pub(super) fn find(page: &Page<'_>, candidates: &mut Candidates) {
    let mut found = Vec::new();
    for sentence in &page.sentences {
        let taken = candidates.taken.get(sentence.block).copied().unwrap_or_default();
        if taken || is_question(page, sentence) || introduces(page, sentence, candidates) {
            continue;
        }
        for name in put_forward(page, sentence) {
            found.push(Candidate {
                name,
                unit: sentence.span.clone(),
                form: Form::Prose,
                label: None,
            });
        }
    }
    if found.is_empty() {
        return;
    }
    candidates.found.append(&mut found);
    // Lists that count down keep their own order; everything else stands as it is read.
    if !candidates.reversed {
        candidates.found.sort_by_key(|candidate| candidate.name.start);
    }
}

/// Whether a sentence only introduces the list below it.
fn introduces(page: &Page<'_>, sentence: &Sentence, candidates: &Candidates) -> bool {
    let below = candidates.taken.get(sentence.block + 1) == Some(&true);
    below
        && page.text(&sentence.span).trim_end().ends_with(':')
        && !sentence.kinds.has(Kinds::TOP.and(Kinds::VERDICT))
}

/// Whether a sentence asks the reader something.
fn is_question(page: &Page<'_>, sentence: &Sentence) -> bool {
    let text = page.text(&sentence.span).trim_end();
    text.ends_with(['?', '？', '؟']) && !sentence.kinds.has(Kinds::TOP)
}

/// What speaks for somebody.
pub(in crate::read) const SPEAKS_FOR: Kinds = Kinds::RECOMMEND
    .and(Kinds::TOP)
    .and(Kinds::VERDICT)
    .and(Kinds::POSITIVE)
    .and(Kinds::CORE);

/// The names a sentence speaks for or against.
fn put_forward(page: &Page<'_>, sentence: &Sentence) -> Vec<Span> {
    let speaks = sentence.kinds.has(SPEAKS_FOR.and(Kinds::SECOND))
        || sentence.kinds.has(Kinds::VERSUS) && is_comparison(page, sentence)
        || page.compares(sentence);
    let block = &page.layout.blocks[sentence.block];
    let listed = matches!(block.kind, Kind::Ordered | Kind::Bullet);
    if sentence.kinds.has(Kinds::REFUSAL.and(Kinds::INSTRUCTION)) {
        return Vec::new();
    }
    if !speaks {
        // What an item sets off in bold or as a link is put forward even without a word for it.
        return if listed {
            set_off(page, &sentence.span)
        } else {
            Vec::new()
        };
    }
    if matches!(block.kind, Kind::Heading(_))
        && !sentence
            .kinds
            .has(Kinds::TOP.and(Kinds::VERDICT).and(Kinds::VERSUS))
    {
        return Vec::new();
    }
    names(page, &sentence.span)
}

fn is_comparison(page: &Page<'_>, sentence: &Sentence) -> bool {
    page.cues_in(&sentence.span)
        .iter()
        .any(|cue| cue.kinds.has(Kinds::VERSUS) && page.text(&cue.span).to_ascii_lowercase().starts_with("v"))
}

/// Bold names and linked names.
fn set_off(page: &Page<'_>, span: &Span) -> Vec<Span> {
    let bolds = page.layout.bolds_in(span).iter().cloned();
    let links = page
        .links_in(span)
        .iter()
        .filter(|link| !link.chip && !link.span.is_empty())
        .map(|link| link.span.clone());
    let mut found: Vec<Span> = bolds
        .chain(links)
        .filter_map(|span| as_name(page, &span))
        .collect();
    found.sort_by_key(|span| span.start);
    found.dedup_by(|next, first| next.start < first.end);
    found
}

/// A bold or linked passage as a name.
fn as_name(page: &Page<'_>, span: &Span) -> Option<Span> {
    let text = page.text(span);
    let lead = text.len() - text.trim_start_matches(|c: char| !is_word(c)).len();
    let inner = text[lead..].trim_end_matches(|c: char| !is_word(c) && c != ')' && c != '!' && c != '+');
    let name = span.start + lead..span.start + lead + inner.len();
    super::head::is_name(page, &name, true).map(|_| name)
}

/// Every name in a span, in order.
pub(super) fn names(page: &Page<'_>, span: &Span) -> Vec<Span> {
    let mut found = set_off(page, span);
    found.extend(quoted(page, span));
    found.extend(
        page.hits_in(span)
            .iter()
            .filter(|hit| hit.sure && hit.span.end <= span.end)
            .map(|hit| hit.span.clone()),
    );
    found.extend(capitalised(page, span));
    found.extend(unspaced::names(page, span));
    // Of names that overlap, the one that starts first, then the longest.
    found.sort_by(|one, other| one.start.cmp(&other.start).then(other.end.cmp(&one.end)));
    let mut kept: Vec<Span> = Vec::with_capacity(found.len());
    for span in found {
        if kept.last().is_none_or(|last| last.end <= span.start) {
            kept.push(span);
        }
    }
    kept
}

/// Names in corner brackets, guillemets or quotes.
fn quoted(page: &Page<'_>, span: &Span) -> Vec<Span> {
    let text = page.text(span);
    let mut found = Vec::new();
    let mut open: Option<(usize, char)> = None;
    for (at, c) in text.char_indices() {
        match open {
            Some((start, close)) if c == close => {
                open = None;
                let inner = span.start + start..span.start + at;
                let inside = &text[start..at];
                let capital = inside
                    .chars()
                    .find(|c| is_word(*c))
                    .is_some_and(|c| !c.is_lowercase());
                if capital
                    && inside.len() <= 60
                    && !inside.ends_with(['.', '!', '?', ','])
                    && inside.split_whitespace().count() <= 5
                {
                    found.extend(as_name(page, &inner));
                }
            }
            Some(_) => {}
            None => {
                let close = match c {
                    '「' => '」',
                    '『' => '』',
                    '《' => '》',
                    '"' => '"',
                    _ => continue,
                };
                open = Some((at + c.len_utf8(), close));
            }
        }
    }
    found
}

/// A word of a sentence.
struct Token {
    span: Span,
    meaning: Meaning,
    /// It starts with a capital or a digit, or has one inside.
    capital: bool,
    /// It starts with a capital letter in a script that has them.
    cased: bool,
}

fn tokens<'a>(text: &'a str, from: usize, romance: bool) -> impl Iterator<Item = Token> + 'a {
    let mut rest = 0;
    std::iter::from_fn(move || {
        let mut start = rest + text[rest..].find(is_word)?;
        // `l'Hôtel`: the article is no part of the name.
        let elided = text[start..].as_bytes().get(1) == Some(&b'\'')
            && text[start..].starts_with(['l', 'L', 'd', 'D'])
            && text[start + 2..].starts_with(char::is_uppercase);
        if elided && romance {
            start += 2;
        }
        let mut end = start;
        for (at, c) in text[start..].char_indices() {
            let joins = matches!(c, '\'' | '-' | '.')
                && text[start + at + c.len_utf8()..].starts_with(is_word)
                && at > 0;
            // A full stop joins only what is not the start of a sentence: `booking.com`.
            let joins = joins && (c != '.' || text[start + at + 1..].starts_with(char::is_lowercase));
            if !is_word(c) && !joins {
                break;
            }
            end = start + at + c.len_utf8();
        }
        rest = end;
        let word = &text[start..end];
        let first = word.chars().next()?;
        let capital = first.is_uppercase()
            || word.chars().skip(1).any(char::is_uppercase)
            || first.is_ascii_digit() && word.chars().any(char::is_alphabetic);
        Some(Token {
            span: from + start..from + end,
            // Small words are looked up when they are asked for.
            meaning: if capital {
                super::head::meaning_of(word)
            } else {
                Meaning::NONE
            },
            capital,
            cased: script(first).has_case() || first.is_ascii_digit(),
        })
    })
}

/// Runs of words with capitals.
fn capitalised(page: &Page<'_>, span: &Span) -> Vec<Span> {
    let text = page.text(span);
    let romance = page.language.is("fr") || page.language.is("it");
    let all: Vec<Token> = tokens(text, span.start, romance).collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < all.len() {
        if !(all[at].capital && all[at].cased) {
            at += 1;
            continue;
        }
        let mut end = at + 1;
        let mut next = end;
        // Small words may stand between capitals: `Casa de Lima`.
        while next < all.len() && next - at < MOST_WORDS && joins(page, &all[next - 1].span, &all[next].span)
        {
            let number = next == end
                && page.text(&all[next].span).len() <= 3
                && page
                    .text(&all[next].span)
                    .bytes()
                    .all(|byte| byte.is_ascii_digit());
            if all[next].capital && all[next].cased || number {
                end = next + 1;
            } else if !is_connector(page, &all[next]) || next - end >= 2 {
                break;
            }
            next += 1;
        }
        if let Some(name) = judge(page, span, &all, at..end) {
            found.push(name);
        }
        at = end;
    }
    found
}

/// Whether two words stand side by side in a name: a blank, a hyphen or an ampersand between them.
fn joins(page: &Page<'_>, one: &Span, other: &Span) -> bool {
    matches!(
        page.text(&(one.end..other.start)),
        " " | " & " | "&" | "-" | "'" | " + " | "." | "/" | "'s " | " – "
    ) && page.text(&(one.end..other.start)) != " – "
}

/// Small words inside names. `and` only before the other half of a firm: `Hollis and Sons`.
fn is_connector(page: &Page<'_>, token: &Token) -> bool {
    let word = page.text(&token.span);
    if matches!(word, "and" | "und" | "et" | "og" | "y" | "och" | "en") {
        let behind = page
            .layout
            .text
            .get(token.span.end..)
            .unwrap_or_default()
            .trim_start();
        return [
            "Sons",
            "Son",
            "Co",
            "Company",
            "Daughters",
            "Partners",
            "Associates",
            "Söhne",
            "Sohn",
            "Sønner",
            "Fils",
            "Hijos",
            "Partner",
            "Brothers",
            "Family",
        ]
        .iter()
        .any(|half| {
            behind
                .strip_prefix(half)
                .is_some_and(|rest| !rest.starts_with(is_word))
        });
    }
    matches!(
        word,
        "de" | "del"
            | "della"
            | "di"
            | "da"
            | "do"
            | "dos"
            | "das"
            | "du"
            | "des"
            | "la"
            | "le"
            | "les"
            | "el"
            | "of"
            | "the"
            | "van"
            | "von"
            | "vom"
            | "der"
            | "den"
            | "zum"
            | "zur"
            | "am"
            | "d"
            | "l"
            | "al"
            | "at"
            | "for"
            | "on"
            | "a"
            | "à"
            | "dell"
            | "dei"
            | "y"
    )
}

/// Whether a run of capitalised words is a name, and where it starts without what only opens the sentence.
fn judge(page: &Page<'_>, sentence: &Span, all: &[Token], run: std::ops::Range<usize>) -> Option<Span> {
    let mut start = run.start;
    let begins = |at: usize| {
        let before = page
            .layout
            .text
            .get(sentence.start..all[at].span.start)
            .unwrap_or_default();
        let before = before.trim_end_matches([' ', '"', '\'', '(', '[', '「']);
        before.is_empty()
            || before.ends_with([':', '.', '!', '?', '–', '—', '•', '。', '\t'])
            || !before.contains(is_word)
    };
    // Words that open sentences, and days, fall off the front.
    while start < run.end {
        let token = &all[start];
        let opens = begins(start);
        let article = run.end - start > 1 && is_article(page.text(&token.span));
        let weak = !article
            && (token.meaning.is_opener()
                || opens && is_cue(page, &token.span)
                || token.meaning.is_time()
                || opens && (token.meaning.is_function() || is_opening(page, token, run.end - start)));
        if !weak {
            break;
        }
        start += 1;
        // What joined the opening word to the name goes with it: `Llama a Cerrajería …`.
        while start < run.end && !all[start].capital {
            start += 1;
        }
    }
    // So do pronouns and days from the back: `in Austin I would`.
    let mut end = run.end;
    while end > start && (all[end - 1].meaning.is_opener() || all[end - 1].meaning.is_time()) {
        end -= 1;
    }
    if start >= end {
        return None;
    }
    let words = &all[start..end];
    let span = words.first()?.span.start..words.last()?.span.end;
    let text = page.text(&span);
    let whole = words.iter().filter(|token| token.capital).count();
    if words.iter().all(|token| {
        !token.capital || token.meaning.is_opener() || token.meaning.is_time() || token.meaning.is_function()
    }) || page.is_asked(text)
    {
        return None;
    }
    let certain = page.hits_in(&span).iter().any(|hit| hit.sure);
    if certain {
        return Some(span);
    }
    // `in Sydney` says where, not who.
    if words.len() <= 2 && is_place(page, all, start) {
        return None;
    }
    if whole == 1 {
        let token = words.first()?;
        let word = page.text(&token.span);
        if word.chars().count() < 2
            || token.meaning.is_ordinary() && !(token.meaning.is_trade() || token.meaning.is_common())
        {
            return None;
        }
        let inside = !begins(start);
        if token.meaning.is_common() && page.language.is("en") && describes(page, all, end) {
            return None;
        }
        if token.meaning.is_ordinary() && (!inside || page.language.is("de")) {
            return None;
        }
        if page.language.is("de") && !is_german_name(page, all, start) {
            return None;
        }
        if !inside && !is_followed(page, all, end) {
            return None;
        }
    } else if words.iter().all(|token| {
        !token.capital
            || token.meaning.is_criterion()
            || token.meaning.is_label()
            || token.meaning.is_function()
            || token.meaning.is_opener()
    }) {
        return None;
    }
    // A name that only lists what is asked for, in capitals.
    (text.chars().count() >= 2).then_some(span)
}

/// Whether a word is part of what speaks for somebody: `Doporučuji Kavárnu …`.
fn is_cue(page: &Page<'_>, word: &Span) -> bool {
    let cues = page.cues_in(&(word.start..word.start + 1));
    cues.iter().any(|cue| {
        cue.kinds.has(Kinds::CORE.and(Kinds::RECOMMEND).and(Kinds::AVOID)) && cue.span.end >= word.end
    })
}

/// Whether a word before `end` describes what the next one names: `French classics`.
fn describes(page: &Page<'_>, all: &[Token], end: usize) -> bool {
    let (Some(last), Some(next)) = (end.checked_sub(1).and_then(|last| all.get(last)), all.get(end)) else {
        return false;
    };
    let word = page.text(&next.span);
    page.text(&(last.span.end..next.span.start)) == " "
        && !next.capital
        && !super::head::meaning_of(word).is_function()
        && !FOLLOWERS.contains(&word)
}

/// Articles that names start with.
fn is_article(word: &str) -> bool {
    matches!(
        word,
        "The"
            | "La"
            | "Le"
            | "Les"
            | "El"
            | "Los"
            | "Las"
            | "Il"
            | "Lo"
            | "Der"
            | "Die"
            | "Das"
            | "De"
            | "Het"
            | "Den"
            | "Al"
            | "L"
            | "Da"
            | "Di"
            | "Del"
    )
}

/// Whether a word before places stands before a name, with or without an article.
fn is_place(page: &Page<'_>, all: &[Token], start: usize) -> bool {
    let before = |back: usize| {
        let at = start.checked_sub(back)?;
        let (one, next) = (all.get(at)?, all.get(at + 1)?);
        (page.text(&(one.span.end..next.span.start)) == " ").then(|| page.text(&one.span))
    };
    let article = before(1)
        .is_some_and(|word| matches!(word, "the" | "der" | "dem" | "den" | "la" | "le" | "el" | "il"));
    let near = |word: &str| matches!(word, "near" | "nahe" | "cerca" | "vicino" | "près" | "perto");
    // Dutch `en` is `and`.
    let place = |word: &str| is_locative(word) && !(word == "en" && page.language.is("nl"));
    before(1).is_some_and(|word| place(word) || word == "di" && page.language.is("id"))
        || article && before(2).is_some_and(near)
}

/// Words before places.
fn is_locative(word: &str) -> bool {
    matches!(
        word,
        "in" | "In"
            | "near"
            | "around"
            | "across"
            | "throughout"
            | "outside"
            | "en"
            | "En"
            | "dans"
            | "em"
            | "Em"
            | "i"
            | "I"
            | "w"
            | "we"
            | "v"
            | "ve"
            | "в"
            | "во"
            | "В"
            | "te"
            | "u"
            | "nahe"
            | "în"
    )
}

/// Whether a capital at the start of a sentence is the sentence's: verbs and adjectives of the tables.
fn is_opening(page: &Page<'_>, token: &Token, left: usize) -> bool {
    let meaning = token.meaning;
    let word = plain(page.text(&token.span));
    left > 1 && (meaning.is_advice() || meaning.is_label() && !meaning.is_common())
        || matches!(
            &*word,
            "both"
                | "try"
                | "good"
                | "great"
                | "prov"
                | "prova"
                | "prueba"
                | "besok"
                | "besog"
                | "recomiendo"
                | "recommend"
                | "polecam"
                | "empfehlen"
                | "anbefaler"
        )
}

/// What may follow a name that starts a sentence.
const FOLLOWERS: [&str; 74] = [
    "is",
    "was",
    "has",
    "offers",
    "provides",
    "remains",
    "stands",
    "gets",
    "makes",
    "does",
    "sells",
    "serves",
    "specializes",
    "specialises",
    "delivers",
    "also",
    "and",
    "or",
    "comes",
    "would",
    "can",
    "seems",
    "takes",
    "wins",
    "works",
    "focuses",
    "covers",
    "ist",
    "hat",
    "bietet",
    "gilt",
    "wird",
    "und",
    "oder",
    "est",
    "a",
    "offre",
    "propose",
    "et",
    "ou",
    "es",
    "tiene",
    "ofrece",
    "esta",
    "y",
    "o",
    "tambien",
    "e",
    "tem",
    "oferece",
    "tambem",
    "ha",
    "anche",
    "heeft",
    "biedt",
    "en",
    "er",
    "har",
    "tilbyder",
    "og",
    "ar",
    "erbjuder",
    "och",
    "jest",
    "ma",
    "oferuje",
    "i",
    "je",
    "de",
    "da",
    "este",
    "are",
    "adalah",
    "ofera",
];

fn is_followed(page: &Page<'_>, all: &[Token], end: usize) -> bool {
    let Some(last) = end.checked_sub(1).and_then(|last| all.get(last)) else {
        return false;
    };
    let Some(next) = all.get(end) else {
        return true;
    };
    let gap = page.text(&(last.span.end..next.span.start));
    let word = plain(page.text(&next.span));
    gap.starts_with([',', '\'', ' '])
        && (gap.starts_with(',') && next.capital
            || FOLLOWERS.contains(&&*word)
            || meaning(&word).is_function() && gap == " " && word.len() > 3)
}

/// German writes every noun with a capital: a single one is a name when nothing makes it a noun.
fn is_german_name(page: &Page<'_>, all: &[Token], at: usize) -> bool {
    let word = page.text(&all[at].span);
    let folded = plain(word);
    let noun = [
        "ung", "ungen", "heit", "keit", "schaft", "tion", "tionen", "nis", "tat", "ment", "ling", "chen",
        "lein", "ismus",
    ];
    let own = word.chars().skip(1).any(char::is_uppercase) || word.contains('&');
    if !own && noun.iter().any(|ending| folded.ends_with(ending)) || folded.chars().count() < 2 {
        return false;
    }
    let Some(before) = at.checked_sub(1).and_then(|before| all.get(before)) else {
        return true;
    };
    let gap = page.text(&(before.span.end..all[at].span.start));
    let word_before = plain(page.text(&before.span));
    // Articles, numbers and adjectives make nouns; commas, `und` and verbs do not.
    let article = [
        "der", "die", "das", "den", "dem", "des", "ein", "eine", "einen", "einem", "einer", "eines", "kein",
        "keine", "im", "am", "zum", "zur", "vom", "beim", "ins", "mehr", "viel", "viele", "alle", "ohne",
        "pro", "auf", "mit", "fur", "aus", "in", "an", "uber", "unter", "nach", "vor", "ihr", "ihre",
        "ihren", "ihrem", "sein", "seine", "mein", "meine", "diese", "dieser", "dieses", "diesen",
    ];
    let adjective = !before.capital
        && (word_before.ends_with('e') && word_before.len() > 4
            || word_before.ends_with("en") && word_before.len() > 5
            || word_before.ends_with("er") && word_before.len() > 4
            || word_before.ends_with("es") && word_before.len() > 4
            || word_before.ends_with("em"))
        && !word_before.starts_with("empfehl")
        && &*word_before != "wurde"
        && &*word_before != "oder";
    gap != " " || !(article.contains(&&*word_before) || adjective)
}

/// The name an item that is a sentence starts with.
pub(super) fn leading(page: &Page<'_>, block: &Span) -> Option<Span> {
    let text = page.text(block);
    let lead = text.len() - text.trim_start_matches(|c: char| !is_word(c)).len();
    let mut end = text.len().min(lead + 90);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let window = block.start + lead..block.start + end;
    let first = capitalised(page, &window).into_iter().next()?;
    let behind = page.layout.text.get(first.end..block.end).unwrap_or_default();
    // A description must follow, in small letters.
    let goes_on = behind
        .trim_start_matches([' ', ',', '-', '–', '—', '\''])
        .starts_with(char::is_lowercase);
    (first.start == window.start && goes_on).then_some(first)
}
