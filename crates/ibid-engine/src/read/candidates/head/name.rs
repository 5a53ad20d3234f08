//! Whether a head is a name.

use super::vocabulary::{is_for, words};
use super::{Strength, is_long};
use crate::read::candidates::kinds::is_rule;
use crate::read::candidates::places::is_place;
use crate::read::layout::{Form, Span};
use crate::read::page::Page;
use crate::read::text::{Script, script};
use crate::read::words::{Language, List, Meaning, list, meaning};
use memchr::memchr2;

/// Longest head without spaces between its words.
const MOST_UNSPACED: usize = 24;

/// Whether a text is a name, and how surely.
pub(in crate::read::candidates) fn is_name(page: &Page<'_>, span: &Span, set_off: bool) -> Option<Strength> {
    let text = page.text(span);
    if text.is_empty()
        || is_long(text)
        || text.len() < 3 && !text.contains(char::is_alphabetic)
        || text.ends_with('?')
    {
        return None;
    }
    let known = page.links_in(span).first().is_some_and(|link| {
        matches!(link.form, Form::Host | Form::Url)
            && link.span.start == span.start
            && link.span.end + 1 >= span.end
    });
    if known {
        return Some(Strength::Strong);
    }
    let address = memchr2(b':', b'@', text.as_bytes()).is_some();
    if address && (text.contains("://") || text.contains('@')) || is_measure(text) {
        return None;
    }
    // The target's own name is one, even if its words mean something else.
    let own = page
        .hits_in(span)
        .iter()
        .any(|hit| hit.sure && hit.span.start == span.start && hit.span.end == span.end);
    if own {
        return Some(Strength::Strong);
    }
    // So is a well-known brand, with or without a product after it.
    let brand = page.brands_in(span).first();
    if brand.is_some_and(|brand| {
        brand.span.start == span.start
            && (!brand.ordinary || set_off && brand.span.end >= span.end && !page.question.holds(text))
    }) {
        return Some(Strength::Strong);
    }
    if is_rule(text) {
        return None;
    }
    let (mut cased, mut unspaced, mut other) = (0_usize, 0_usize, 0_usize);
    cased += text.bytes().filter(u8::is_ascii_alphabetic).count();
    for c in text.chars().filter(|c| !c.is_ascii()) {
        let script = script(c);
        if script.is_unspaced() {
            unspaced += 1;
        } else if script.has_case() {
            cased += 1;
        } else if script != Script::Common {
            other += 1;
        }
    }
    if unspaced > cased && unspaced > other {
        return is_unspaced_name(page, text, unspaced);
    }
    if page.question.holds(text) || is_place(page, text) {
        return None;
    }
    if cased > 0 {
        is_cased_name(page, text, set_off)
    } else {
        is_caseless_name(text)
    }
}

/// A height, a price, a time: digits with at most a unit.
fn is_measure(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let letters = || text.chars().filter(|c| c.is_alphabetic()).count();
    let letters = if digits > 0 { letters() } else { 0 };
    digits > 0 && letters <= 3 && digits >= letters && !text.chars().any(char::is_uppercase)
        || text.starts_with(['$', '€', '£', '¥', '₹', '₽', '~', '<', '>', '≈'])
}

fn is_unspaced_name(page: &Page<'_>, text: &str, letters: usize) -> Option<Strength> {
    let key = crate::read::text::key(text);
    let found = meaning(&key);
    let generic = found.is(Meaning::CRITERION | Meaning::LABEL | Meaning::FUNCTION);
    // Heads that end like criteria: 价格区间, 推荐理由一.
    static ENDINGS: List = list("head.endings");
    let asked = page.question.holds(text);
    let sentence = text.contains(['。', '，', '、', '？', '！'])
        || text.ends_with("です")
        || text.ends_with("ます")
        || text.ends_with("吗");
    if generic
        || asked
        || sentence
        || letters > MOST_UNSPACED
        || ENDINGS.iter().any(|ending| text.ends_with(ending))
    {
        return None;
    }
    Some(Strength::Strong)
}

fn is_caseless_name(text: &str) -> Option<Strength> {
    let all = || words(text);
    if all().all(|(_, meaning)| meaning.is(Meaning::CRITERION | Meaning::FUNCTION | Meaning::LABEL)) {
        return None;
    }
    (all().count() <= 5).then_some(Strength::Strong)
}

fn is_cased_name(page: &Page<'_>, text: &str, set_off: bool) -> Option<Strength> {
    let (mut capitals, mut smalls, mut carriers, mut plain_words) = (0, 0, 0, 0);
    let (mut all, mut trades) = (0, 0);
    let mut first = None;
    let mut second_small = false;
    for (at, (word, meaning)) in words(text).enumerate() {
        let function = meaning.is_function_in(page.language);
        all += 1;
        trades +=
            usize::from(meaning.is(Meaning::TRADE | Meaning::CRITERION | Meaning::LABEL | Meaning::FUNCTION));
        first = first.or(Some((word, meaning)));
        let capital = word.chars().any(char::is_uppercase)
            || word.starts_with(|c: char| c.is_ascii_digit())
            || word.chars().all(|c| !script(c).has_case());
        if capital {
            capitals += 1;
        } else if !function || at == 0 {
            smalls += 1;
            second_small |= at == 1;
        }
        // A number alone is no name: `Step 1`.
        if !function && !word.bytes().all(|byte| byte.is_ascii_digit()) {
            carriers += 1;
            let generic =
                meaning.is(Meaning::CRITERION | Meaning::LABEL | Meaning::TIME) || page.question.holds(word);
            plain_words += usize::from(generic);
        }
    }
    let (first_word, first_meaning) = first?;
    // `Understanding the Challenges`, `Choosing a Model`: what to do, not who.
    let second = words(text).nth(1);
    if page.language.is(Language::EN)
        && first_word.len() > 5
        && first_word.ends_with("ing")
        && second.is_some_and(|(_, meaning)| meaning.is(Meaning::FUNCTION))
    {
        return None;
    }
    // `The magic of Acme` is a phrase.
    if page.language.is(Language::EN) && first_meaning.is(Meaning::FUNCTION) && second_small {
        return None;
    }
    // `Best for Listeners` names an audience.
    if first_meaning.is(Meaning::LABEL) && second.is_some_and(|(word, _)| is_for(word)) {
        return None;
    }
    let host_like = text.contains('.') && !text.contains(' ');
    if carriers == 0 || plain_words == carriers {
        // Only criteria, labels or words of the question: no name, unless it is the target's.
        return (page.target.is_name(text) && capitals > 0 && set_off).then_some(Strength::Weak);
    }
    if capitals == 0 {
        return (host_like || page.target.is_name(text)).then_some(Strength::Weak);
    }
    if smalls == 0 {
        // Plurals of trades are categories: `Italian Restaurants`.
        let category = trades == all && text.ends_with(['s', 'S']) && capitals > 1;
        let single = carriers == 1 && first_meaning.is_ordinary();
        return Some(if single || category {
            Strength::Weak
        } else {
            Strength::Strong
        });
    }
    // Capital first, then small letters: a name in many languages, a phrase in English and German.
    const PHRASES: Language = Language::EN.or(Language::DE);
    let phrase = page.language.is(PHRASES);
    let starts = first_word.starts_with(char::is_uppercase);
    let inner_capitals = capitals > 1;
    match (phrase, inner_capitals) {
        (true, true) if smalls <= capitals && set_off => Some(Strength::Weak),
        (true, _) => None,
        (false, _) if smalls > 2 || text.contains('%') => None,
        (false, false) if smalls > 1 || text.contains('/') => None,
        (false, true) => Some(Strength::Strong),
        (false, false) => {
            (starts && set_off && !first_meaning.is(Meaning::CRITERION) && !first_meaning.is(Meaning::LABEL))
                .then_some(Strength::Weak)
        }
    }
}
