//! Names in Chinese, Japanese and Korean sentences, which do not set names off.
//! They are found next to the words that recommend.

use crate::read::layout::Span;
use crate::read::page::Page;
use crate::read::text::{Script, is_word, script};
use crate::read::words::{Kinds, Language, List, list, meaning};

/// Longest name, in characters.
const LONGEST: usize = 14;

/// Characters in which the end of a name is looked for.
const MOST_LOOKED_AT: usize = 64;

/// Most words between a recommending word and the name before a copula.
const MOST_BEHIND: usize = 12;

/// The names next to the recommending words of a span.
pub(super) fn names(page: &Page<'_>, span: &Span) -> Vec<Span> {
    if page.language.is(Language::ZH) {
        chinese(page, span)
    } else if page.language.is(Language::JA) {
        japanese(page, span)
    } else if page.language.is(Language::KO) {
        korean(page, span)
    } else {
        Vec::new()
    }
}

const FOR: Kinds = Kinds::RECOMMEND.and(Kinds::TOP).and(Kinds::VERDICT);

/// The text after a recommending word, up to the next mark; `、` and `和` continue it.
fn chinese(page: &Page<'_>, span: &Span) -> Vec<Span> {
    let mut found = Vec::new();
    let mut done = span.start;
    for cue in page.cues_in(span).iter().filter(|cue| cue.kinds.has(FOR)) {
        if cue.span.end < done {
            continue;
        }
        let mut at = cue.span.end;
        loop {
            let piece = chinese_piece(page, at..span.end);
            let Some(name) = piece.name else {
                break;
            };
            found.push(name);
            at = piece.end;
            done = at;
            if !piece.goes_on {
                break;
            }
        }
    }
    found
}

struct Piece {
    name: Option<Span>,
    end: usize,
    goes_on: bool,
}

fn chinese_piece(page: &Page<'_>, rest: Span) -> Piece {
    let text = page.text(&rest);
    let trimmed = text.trim_start_matches([' ', ':', '是', '还', '「', '"', '去']);
    let trimmed = trimmed.strip_prefix("选择").unwrap_or(trimmed);
    let start = text.len() - trimmed.len();
    let end = trimmed
        .char_indices()
        .take(MOST_LOOKED_AT)
        .find(|(_, c)| "，。；！？、(（」,; \n和与及或等:\"—–".contains(*c))
        .map_or_else(|| trimmed.len().min(MOST_LOOKED_AT), |(at, _)| at);
    let name = trimmed.get(..end).unwrap_or_default();
    let behind = trimmed.get(end..).unwrap_or_default();
    let goes_on = ["、", "和", "与", "以及", "及", "或"]
        .iter()
        .any(|joint| behind.starts_with(joint));
    let skip = behind
        .chars()
        .next()
        .filter(|_| goes_on)
        .map_or(0, char::len_utf8);
    let long = ["以及", "或者", "或是"]
        .into_iter()
        .find(|joint| behind.starts_with(joint));
    let skip = long.map_or(skip, str::len);
    let letters = name.chars().filter(|c| is_word(*c)).count();
    static REFUSED: List = list("unspaced.refused");
    let refused = REFUSED.iter().any(|part| name.starts_with(part))
        || name.contains('的')
        || meaning(&crate::read::text::key(name)).is_ordinary()
        || page.question.holds(name);
    // `推荐的火锅店:` introduces a list.
    let fits = (2..=LONGEST).contains(&letters) && !refused && !behind.starts_with(':');
    let from = rest.start + start;
    Piece {
        name: fits.then(|| from..from + end),
        end: from + end + skip,
        goes_on,
    }
}

/// The text before `が`, `を`, `は`, `も` and a recommending word.
fn japanese(page: &Page<'_>, span: &Span) -> Vec<Span> {
    let mut found = Vec::new();
    for cue in page.cues_in(span).iter().filter(|cue| cue.kinds.has(FOR)) {
        let before = page
            .layout
            .text
            .get(span.start..cue.span.start)
            .unwrap_or_default();
        let Some(particle) = before
            .chars()
            .next_back()
            .filter(|c| matches!(c, 'が' | 'を' | 'は' | 'も'))
        else {
            continue;
        };
        let end = span.start + before.len() - particle.len_utf8();
        let stem = &before[..before.len() - particle.len_utf8()];
        let run = written_as_name(stem);
        let Some(run) = with_kana(stem, run) else {
            continue;
        };
        let name = stem[stem.len() - run..].trim();
        let fits = |name: &str| {
            let ordinary = meaning(&crate::read::text::key(name)).is_ordinary() || page.question.holds(name);
            (2..=LONGEST).contains(&name.chars().count()) && !ordinary
        };
        if !fits(name) {
            continue;
        }
        found.push(end - name.len()..end);
        // `田中水道や鈴木設備が`: those enumerated before it.
        let mut rest = &stem[..stem.len() - run];
        while let Some(joint) = rest
            .chars()
            .next_back()
            .filter(|c| matches!(c, 'や' | '、' | '・' | 'と'))
        {
            rest = &rest[..rest.len() - joint.len_utf8()];
            let run = written_as_name(rest);
            let name = rest[rest.len() - run..].trim();
            if !fits(name) {
                break;
            }
            found.push(span.start + rest.len() - name.len()..span.start + rest.len());
            rest = &rest[..rest.len() - run];
        }
    }
    found
}

/// The bytes at the end of a text that are written as names are: no hiragana, no marks.
fn written_as_name(stem: &str) -> usize {
    let letters = stem.chars().rev().take(LONGEST + 6).take_while(|c| {
        matches!(script(*c), Script::Han | Script::Katakana | Script::Latin)
            || c.is_ascii_digit()
            || matches!(c, 'ー' | '・' | '&' | ' ')
    });
    letters.map(char::len_utf8).sum()
}

/// A name that starts with kana (`ひまわり歯科`): its bytes, if the kana start the clause and hold no particle.
/// Returns `None` if it is unclear whether kana before the rest belong to the name.
fn with_kana(stem: &str, run: usize) -> Option<usize> {
    let before = &stem[..stem.len() - run];
    let kana: usize = before
        .chars()
        .rev()
        .take(LONGEST)
        .take_while(|c| script(*c) == Script::Hiragana)
        .map(char::len_utf8)
        .sum();
    if kana == 0 {
        return Some(run);
    }
    let (lead, kana) = before.split_at(before.len() - kana);
    if kana.ends_with([
        'の', 'は', 'が', 'を', 'も', 'に', 'で', 'と', 'や', 'ら', 'へ', 'た', 'な', 'い',
    ]) && !lead.is_empty()
    {
        return Some(run);
    }
    let whole = lead.chars().next_back().is_none_or(|c| !is_word(c));
    (whole && !kana.contains(['の', 'を', 'が', 'は', 'も', 'に', 'で', 'と'])).then_some(run + kana.len())
}

/// The word right before a recommending word, without its particle, and the one behind it with a copula.
fn korean(page: &Page<'_>, span: &Span) -> Vec<Span> {
    static PARTICLES: List = list("unspaced.particles");
    static COPULAS: List = list("unspaced.copulas");
    let mut found = Vec::new();
    let mut add = |word: &str, at: usize, endings: &List| {
        let name = endings.iter().find_map(|ending| word.strip_suffix(ending));
        let name = name.filter(|name| {
            (2..=LONGEST).contains(&name.chars().count())
                && name.chars().any(|c| script(c) == Script::Hangul)
                && !meaning(&crate::read::text::key(name)).is_ordinary()
                && !page.question.holds(name)
        });
        found.extend(name.map(|name| at..at + name.len()));
        name.is_some()
    };
    for cue in page.cues_in(span).iter().filter(|cue| cue.kinds.has(FOR)) {
        let mut words = page.words_in(&(span.start..cue.span.start)).iter().rev();
        let mut named = true;
        while let Some(word) = words.next().filter(|_| named) {
            let at = word.place.start as usize;
            named = add(page.text(&(at..word.place.end as usize)), at, &PARTICLES);
            // Those enumerated before it: `한빛설비와 대성설비를`.
            let before = page.before(at).trim_end();
            named &= before.ends_with(['와', '과', ',', '랑']);
        }
        for word in page.words_in(&(cue.span.end..span.end)).iter().take(MOST_BEHIND) {
            let at = word.place.start as usize;
            if add(page.text(&(at..word.place.end as usize)), at, &COPULAS) {
                break;
            }
        }
    }
    found
}
