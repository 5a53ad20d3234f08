//! The head of an item: who it is about, if anybody.

use crate::read::layout::{Form, Span};
use crate::read::page::Page;
use crate::read::text::{Script, is_word, plain, script};
use crate::read::words::{Meaning, meaning};

/// What the head of an item says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Head {
    /// A name.
    Name(Named),
    /// A criterion, advice, a category: nobody.
    Generic,
    /// A sentence, or nothing that is short enough for a head.
    Sentence,
}

/// A name at the head of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Named {
    /// Where the name stands.
    pub(super) name: Span,
    /// What stands behind it in the same block.
    pub(super) rest: Span,
    /// How sure it is that this is a name.
    pub(super) strength: Strength,
    /// It is set off: bold, linked, or with a description behind a mark.
    pub(super) set_off: bool,
    /// What labels it: `Best overall:`.
    pub(super) label: Option<Span>,
}

/// How sure it is that a text is a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    Weak,
    Strong,
}

/// Longest head in words and in characters.
const MOST_WORDS: usize = 7;
const MOST_CHARS: usize = 60;
/// Longest head without spaces between its words.
const MOST_UNSPACED: usize = 24;
/// Labels inside labels that are looked through.
const DEEPEST: u32 = 2;

/// Reads the head of a block or of a part of it.
pub(super) fn read(page: &Page<'_>, block: &Span) -> Head {
    read_part(page, block, DEEPEST)
}

fn read_part(page: &Page<'_>, block: &Span, depth: u32) -> Head {
    let Some(cut) = cut(page, block) else {
        return Head::Sentence;
    };
    let named = |strength| {
        Head::Name(Named {
            name: cut.name.clone(),
            rest: cut.rest.clone(),
            strength,
            set_off: cut.set_off,
            label: None,
        })
    };
    // Behind a label and a colon stands the name.
    if depth > 0 && cut.colon && is_label(page, &cut.name) {
        return match read_part(page, &cut.rest, depth - 1) {
            Head::Name(inner) => {
                let label = Some(cut.name.start..inner.label.map_or(cut.name.end, |label| label.end));
                Head::Name(Named {
                    label,
                    set_off: true,
                    ..inner
                })
            }
            Head::Generic | Head::Sentence => match is_name(page, &cut.name, cut.set_off) {
                // `Best Western: …` starts like a label.
                Some(Strength::Strong) if !all_label(page, &cut.name) => named(Strength::Weak),
                Some(_) | None => Head::Generic,
            },
        };
    }
    match is_name(page, &cut.name, cut.set_off) {
        Some(strength) => named(strength),
        None if is_long(page.text(&cut.name)) => Head::Sentence,
        None => Head::Generic,
    }
}

/// A head cut off from its rest.
struct Cut {
    name: Span,
    rest: Span,
    set_off: bool,
    /// A colon stands between them.
    colon: bool,
}

/// Cuts the head off: what is bold, linked or quoted at the start, or what stands before the first mark.
fn cut(page: &Page<'_>, block: &Span) -> Option<Cut> {
    let span = trim(page, block);
    let text = page.text(&span);
    if text.is_empty() {
        return None;
    }
    let near = span.start + 3;
    if let Some(bold) = page
        .layout
        .bolds_in(&(block.start..span.end))
        .first()
        .filter(|bold| bold.start <= near && bold.end > span.start)
    {
        let bold = bold.start.max(span.start)..bold.end.min(span.end);
        let rest = bold.end..span.end;
        let inner = trim(page, &bold);
        let raw = page.text(&bold).trim_end();
        let after = page.text(&rest).trim_start();
        // Bold that is the start of a sentence goes on in it: `**Acme Plumbing** in Leeds is …` still names.
        let colon = raw.ends_with(':') || after.starts_with(':');
        if let Some(mark) = mark(page.text(&inner)) {
            let name = trim(page, &(inner.start..inner.start + mark.at));
            let rest = inner.start + mark.behind..span.end;
            return Some(Cut {
                name,
                rest,
                set_off: true,
                colon: mark.colon,
            });
        }
        return Some(Cut {
            name: inner,
            rest: skip(page, rest),
            set_off: true,
            colon,
        });
    }
    if let Some(link) = page
        .links_in(&(span.start..near.min(span.end)))
        .first()
        .filter(|link| !link.chip && !link.span.is_empty())
    {
        let rest = link.span.end..span.end.max(link.span.end);
        let anchor = trim(page, &link.span);
        let whole = match link.form {
            Form::Markdown => page.text(&anchor).len() > 1,
            Form::Url | Form::Host => true,
        };
        if whole {
            let mark = (link.form == Form::Markdown)
                .then(|| mark(page.text(&anchor)))
                .flatten();
            let name = mark.map_or(anchor.clone(), |mark| {
                trim(page, &(anchor.start..anchor.start + mark.at))
            });
            let colon = page.text(&rest).trim_start().starts_with(':');
            return Some(Cut {
                name,
                rest: skip(page, rest),
                set_off: true,
                colon,
            });
        }
    }
    if let Some((open, close)) = quotes(text) {
        let inner = span.start + open..span.start + close;
        let behind = close + text[close..].chars().next().map_or(0, char::len_utf8);
        return Some(Cut {
            name: trim(page, &inner),
            rest: skip(page, span.start + behind..span.end),
            set_off: true,
            colon: false,
        });
    }
    match mark(text) {
        Some(mark) => Some(Cut {
            name: trim(page, &(span.start..span.start + mark.at)),
            rest: skip(page, span.start + mark.behind..span.end),
            set_off: mark.sets_off,
            colon: mark.colon,
        }),
        None => Some(Cut {
            name: span.clone(),
            rest: span.end..span.end,
            set_off: false,
            colon: false,
        }),
    }
}

/// A span without white space, symbols and punctuation around it.
fn trim(page: &Page<'_>, span: &Span) -> Span {
    let text = page.text(span);
    let lead = text.len()
        - text
            .trim_start_matches(|c: char| !is_word(c) && !matches!(c, '"' | '「' | '『' | '\'' | '“'))
            .len();
    let inner = &text[lead..];
    let inner = inner.trim_end_matches(|c: char| {
        !is_word(c) && !matches!(c, ')' | '"' | '」' | '』' | '+' | '!' | '?' | '.' | '\'')
    });
    // A full stop ends the sentence, not the name, unless it is part of a short form.
    let short = inner.len() > 4
        && inner
            .trim_end_matches('.')
            .rsplit(' ')
            .next()
            .is_some_and(|word| word.len() <= 4 && word.starts_with(char::is_uppercase));
    let inner = if inner.ends_with('.') && !short {
        inner.trim_end_matches('.')
    } else {
        inner
    };
    span.start + lead..span.start + lead + inner.len()
}

/// A rest without the marks that separate it.
fn skip(page: &Page<'_>, rest: Span) -> Span {
    let text = page.text(&rest);
    let lead = text.len()
        - text
            .trim_start_matches([' ', ':', '-', '–', '—', '|', '\t', ',', ';', '.', '：', '→'])
            .len();
    rest.start + lead..rest.end.max(rest.start + lead)
}

/// Where a text in quotes at the start begins and ends.
fn quotes(text: &str) -> Option<(usize, usize)> {
    let open = text.chars().next()?;
    let close = match open {
        '「' => '」',
        '『' => '』',
        '《' => '》',
        '【' => '】',
        '"' => '"',
        _ => return None,
    };
    let width = open.len_utf8();
    let end = width + text[width..].find(close)?;
    (end > width && end <= 90).then_some((width, end))
}

/// What separates a head from its description.
#[derive(Clone, Copy)]
struct Mark {
    at: usize,
    behind: usize,
    sets_off: bool,
    colon: bool,
}

/// The first mark in a text.
fn mark(text: &str) -> Option<Mark> {
    let mut previous = ' ';
    for (at, c) in text.char_indices() {
        let rest = &text[at + c.len_utf8()..];
        let spaced = previous.is_whitespace() && rest.starts_with(' ');
        let found = match c {
            '–' | '—' | '―' => (spaced || !previous.is_ascii_digit()).then_some((true, false)),
            '-' => spaced.then_some((true, false)),
            '|' | '\t' | '•' | '→' | '；' | '~' | '·' => {
                (previous.is_whitespace() || c != '·').then_some((true, false))
            }
            ':' => (!is_inside_colon(previous, rest)).then_some((true, true)),
            '(' | '（' | '[' => (at > 0).then_some((true, false)),
            ',' | ';' => rest.starts_with(' ').then_some((false, false)),
            '，' | '。' | '、' => Some((false, false)),
            '!' | '?' => (rest.starts_with(' ') || rest.is_empty()).then_some((false, false)),
            '.' => (rest.starts_with(' ') && !is_initial(&text[..at])).then_some((false, false)),
            _ => None,
        };
        if let Some((sets_off, colon)) = found.filter(|_| text[..at].contains(is_word)) {
            // `Ltd.` and `Co.` belong to the name; so do commas before legal forms.
            if c == ','
                && meaning(&plain(
                    rest.split([' ', '.'])
                        .find(|word| !word.is_empty())
                        .unwrap_or_default(),
                ))
                .is_legal()
            {
                previous = c;
                continue;
            }
            return Some(Mark {
                at,
                behind: at + c.len_utf8(),
                sets_off,
                colon,
            });
        }
        previous = c;
    }
    None
}

/// Whether a colon is part of an address or of a time.
fn is_inside_colon(previous: char, rest: &str) -> bool {
    let digit = |c: char| c.is_ascii_digit();
    rest.starts_with("//") || digit(previous) && rest.starts_with(digit)
}

/// Whether a full stop belongs to the word before it.
fn is_initial(before: &str) -> bool {
    let word = before.rsplit(' ').next().unwrap_or_default();
    let letters = word.chars().count();
    let initials = |word: &str| word.split('.').all(|part| part.chars().count() == 1);
    letters <= 1
        || word.contains('.') && initials(word)
        || letters <= 4
            && (meaning(&plain(word)).is_legal()
                || matches!(
                    &*plain(word),
                    "dr" | "st" | "mr" | "mrs" | "co" | "bros" | "prof" | "no" | "dipl" | "ing" | "med"
                ))
}

fn is_long(text: &str) -> bool {
    // A character has at most four bytes.
    text.len() > 4 * MOST_CHARS
        || text.chars().count() > MOST_CHARS
        || text.split_whitespace().nth(MOST_WORDS).is_some()
}

/// The words of a text, folded, with what they are.
pub(super) fn words(text: &str) -> impl Iterator<Item = (&str, Meaning)> {
    text.split(|c: char| !is_word(c) && c != '\'')
        .filter(|word| word.contains(is_word))
        .map(|word| (word, meaning_of(word)))
}

/// What a word is, whatever ending hangs on it.
pub(super) fn meaning_of(word: &str) -> Meaning {
    let folded = plain(word);
    let found = meaning(&folded);
    // `I'd`, `we've`, `l'hôtel`: the word is on one side.
    let stem = ["'s", "'d", "'ll", "'m", "'ve", "'re"]
        .iter()
        .find_map(|ending| folded.strip_suffix(ending));
    match stem {
        Some(stem) if !found.is_ordinary() => meaning(stem),
        Some(_) | None => found,
    }
}

/// Whether a text before a colon labels what stands behind it.
fn is_label(page: &Page<'_>, span: &Span) -> bool {
    let text = page.text(span);
    let first = words(text).next().is_some_and(|(word, meaning)| {
        meaning.is_label()
            || matches!(
                &*plain(word),
                "for" | "fur" | "pour" | "para" | "per" | "voor" | "til" | "dla" | "dlya"
            )
    });
    let unspaced =
        text.chars().any(|c| script(c).is_unspaced()) && meaning(&crate::read::text::key(text)).is_label();
    (first || unspaced || all_label(page, span)) && !is_long(text)
}

fn all_label(page: &Page<'_>, span: &Span) -> bool {
    words(page.text(span))
        .all(|(_, meaning)| meaning.is_label() || meaning.is_function() || meaning.is_criterion())
}

/// Whether a text is a name, and how surely.
pub(super) fn is_name(page: &Page<'_>, span: &Span, set_off: bool) -> Option<Strength> {
    let text = page.text(span);
    if text.is_empty()
        || is_long(text)
        || !text.contains(char::is_alphabetic) && text.len() < 3
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
    if text.contains("://") || text.contains('@') || is_measure(text) {
        return None;
    }
    // The target's own name is one, whatever else its words mean.
    let own = page
        .hits_in(span)
        .iter()
        .any(|hit| hit.sure && hit.span.start == span.start && hit.span.end == span.end);
    if own {
        return Some(Strength::Strong);
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
    if page.is_asked(text) {
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
    let generic = found.is_criterion() || found.is_label() || found.is_function();
    // Heads that end like criteria: 价格区间, 推荐理由一.
    let ending = [
        "理由",
        "方法",
        "标准",
        "建议",
        "事项",
        "方式",
        "区间",
        "时间",
        "特点",
        "ポイント",
        "方法",
        "選び方",
        "について",
        "まとめ",
        "こと",
        "기준",
        "방법",
        "이유",
    ];
    let asked = page.is_asked(text);
    let sentence = text.contains(['。', '，', '、', '？', '！'])
        || text.ends_with("です")
        || text.ends_with("ます")
        || text.ends_with("吗");
    if generic
        || asked
        || sentence
        || letters > MOST_UNSPACED
        || ending.iter().any(|ending| text.ends_with(ending))
    {
        return None;
    }
    Some(Strength::Strong)
}

fn is_caseless_name(text: &str) -> Option<Strength> {
    let all = || words(text);
    if all().all(|(_, meaning)| meaning.is_criterion() || meaning.is_function() || meaning.is_label()) {
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
        trades += usize::from(
            meaning.is_trade() || meaning.is_criterion() || meaning.is_label() || meaning.is_function(),
        );
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
        if !function {
            carriers += 1;
            let generic =
                meaning.is_criterion() || meaning.is_label() || meaning.is_time() || page.is_asked(word);
            plain_words += usize::from(generic);
        }
    }
    let (first_word, first_meaning) = first?;
    let host_like = text.contains('.') && !text.contains(' ');
    if carriers == 0 || plain_words == carriers {
        // Only criteria, labels, the question's words: nobody, unless the target is called so.
        return (page.target.is_name(text) && capitals > 0 && set_off).then_some(Strength::Weak);
    }
    if first_meaning.is_advice()
        && carriers > 1
        && (second_small || smalls > 0 || plain_words + 1 >= carriers)
    {
        return None;
    }
    if first_meaning.is_advice() && carriers == 1 {
        return None;
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
    let phrase = page.language.is("en") || page.language.is("de");
    let starts = first_word.starts_with(char::is_uppercase);
    let inner_capitals = capitals > 1;
    match (phrase, inner_capitals) {
        (true, true) if smalls <= capitals && set_off => Some(Strength::Weak),
        (true, _) => None,
        (false, _) if smalls > 3 => None,
        (false, true) => Some(Strength::Strong),
        (false, false) => (starts && set_off && !first_meaning.is_criterion() && !first_meaning.is_label())
            .then_some(Strength::Weak),
    }
}
