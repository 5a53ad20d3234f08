//! The answer as its reader sees it: one pass over the text, with the origin of every byte.

use super::offsets::Offsets;
use super::tags::Tags;
use super::unseen::{self, Advertisement};
use super::{html_entity, is_mark, is_word};
use memchr::{memchr, memmem, memrchr};
use unicode_normalization::char::{compose, decompose_compatible};

/// An answer without reasoning, comments, invisible characters and HTML.
/// Compatibility forms are resolved (NFKC, as far as prose needs it), and tags are replaced by Markdown.
#[derive(Clone, Debug, Default)]
pub(in crate::read) struct Clean {
    /// The text. Lines end with `\n`.
    pub(in crate::read) text: String,
    /// In the answer, not in the text.
    pub(in crate::read) advertisements: Vec<Advertisement>,
    offsets: Offsets,
    /// The start of the last line.
    line: usize,
}

impl Clean {
    /// Cleans an answer.
    pub(in crate::read) fn of(answer: &str) -> Self {
        let mut cleaner = Cleaner {
            source: answer,
            out: Self {
                text: String::with_capacity(answer.len() + answer.len() / 8),
                advertisements: unseen::advertisements(answer),
                ..Self::default()
            },
            tags: Tags::default(),
            // A logged answer whose line ends were written out.
            written_line_ends: !answer.contains('\n') && answer.contains("\\n"),
            // A cell of a CSV file: quoted as a whole, quotes inside doubled.
            fences: 0,
            doubled_quotes: answer.trim_start().starts_with('"') && answer.contains("\"\""),
        };
        if cleaner.doubled_quotes {
            // The quotes of the cell itself.
            let cell = answer.trim();
            let inner = cell.strip_prefix('"').unwrap_or(cell);
            let start = answer.len() - answer.trim_start().len() + cell.len() - inner.len();
            let inner = inner
                .strip_suffix('"')
                .filter(|inner| !inner.ends_with('"'))
                .unwrap_or(inner);
            cleaner.run(start, start + inner.len());
        } else {
            let mut from = 0;
            for unseen in unseen::of(answer, &cleaner.out.advertisements) {
                cleaner.run(from, unseen.start);
                from = unseen.end;
            }
            cleaner.run(from, answer.len());
        }
        cleaner.out
    }

    /// The byte of the answer from which a byte of the clean text came.
    pub(in crate::read) fn origin(&self, at: usize) -> usize {
        self.offsets.origin(at)
    }

    /// Adds text that replaces the source at `origin` in the answer.
    pub(super) fn put(&mut self, text: &str, origin: usize) {
        self.offsets.mark(self.text.len(), origin);
        if let Some(end) = memrchr(b'\n', text.as_bytes()) {
            self.line = self.text.len() + end + 1;
        }
        self.text.push_str(text);
    }

    /// The last line so far.
    pub(super) fn line(&self) -> &str {
        self.text.get(self.line..).unwrap_or_default()
    }

    /// Forgets everything so far.
    pub(super) fn restart(&mut self) {
        self.text.clear();
        self.line = 0;
        self.offsets = Offsets::default();
    }
}

struct Cleaner<'a> {
    source: &'a str,
    out: Clean,
    tags: Tags,
    written_line_ends: bool,
    doubled_quotes: bool,
    /// Marks of code blocks so far: inside of one, tags are text.
    fences: usize,
}

/// Whether a byte cannot be copied unchanged.
const fn is_special(byte: u8) -> bool {
    !matches!(byte, b' '..=b'~' | b'\n' | b'\t') || matches!(byte, b'&' | b'<' | b'\\')
}

impl Cleaner<'_> {
    fn run(&mut self, from: usize, to: usize) {
        let bytes = self.source.as_bytes().get(..to).unwrap_or_default();
        let mut at = from;
        while at < bytes.len() {
            let plain = self.plain(at, to);
            if plain > at {
                self.copy(at, plain);
                at = plain;
                continue;
            }
            let rest = &bytes[at..];
            at += match rest[0] {
                b'&' => self.reference(at),
                b'<' if self.fences % 2 == 1 => {
                    self.out.put("<", at);
                    1
                }
                b'<' => self.tags.take(self.source, at, &mut self.out),
                b'\\' => self.backslash(at),
                b'\r' => {
                    if rest.get(1) != Some(&b'\n') {
                        self.out.put("\n", at);
                    }
                    1
                }
                byte if byte.is_ascii() => 1,
                _ => self.character(at),
            };
        }
    }

    /// The end of the run of characters from `at` on that need no replacement.
    fn plain(&self, at: usize, to: usize) -> usize {
        let bytes = self.source.as_bytes().get(..to).unwrap_or_default();
        let mut end = at;
        loop {
            end += bytes[end..].iter().take_while(|byte| !is_special(**byte)).count();
            let letters = match bytes.get(end) {
                Some(byte) if !byte.is_ascii() => letters(&self.source[end..to]),
                Some(_) | None => 0,
            };
            if letters == 0 {
                return end;
            }
            end += letters;
        }
    }

    fn copy(&mut self, from: usize, to: usize) {
        let run = &self.source[from..to];
        if memchr(b'`', run.as_bytes()).is_some() {
            self.fences += memmem::find_iter(run.as_bytes(), b"```").count();
        }
        if !self.doubled_quotes || !run.contains("\"\"") {
            return self.out.put(run, from);
        }
        let mut at = from;
        for piece in run.split_inclusive("\"\"") {
            self.out.put(
                piece
                    .strip_suffix('"')
                    .filter(|_| piece.ends_with("\"\""))
                    .unwrap_or(piece),
                at,
            );
            at += piece.len();
        }
    }

    fn reference(&mut self, at: usize) -> usize {
        match html_entity::decode(&self.source[at..]) {
            Some((c, length)) => {
                self.put(c, at);
                length
            }
            None => {
                self.out.put("&", at);
                1
            }
        }
    }

    /// Markdown escapes lose their backslash, unless the mark after it would become markup.
    fn backslash(&mut self, at: usize) -> usize {
        match self.source.as_bytes().get(at + 1) {
            Some(b'n') if self.written_line_ends => {
                self.out.put("\n", at);
                2
            }
            Some(b'"' | b'.' | b')' | b'(' | b'-' | b'+' | b'#' | b'!' | b'&' | b'$' | b'>') => 1,
            // Escaped delimiters stay text; their look-alikes are no markup.
            Some(b'*') => self.stand_in("∗", at),
            Some(b'_') => self.stand_in("_", at),
            Some(b'[') => self.stand_in("[", at),
            Some(b']') => self.stand_in("]", at),
            Some(b'|') => self.stand_in("¦", at),
            Some(_) | None => {
                self.out.put("\\", at);
                1
            }
        }
    }

    fn stand_in(&mut self, text: &str, at: usize) -> usize {
        self.out.put(text, at);
        2
    }

    fn character(&mut self, at: usize) -> usize {
        let Some(c) = self.source[at..].chars().next() else {
            return 1;
        };
        self.put(c, at);
        c.len_utf8()
    }

    /// Adds a decoded or non-ASCII character.
    fn put(&mut self, c: char, at: usize) {
        let mut buffer = [0_u8; 4];
        match c {
            // After a counted source (`acme+2`) an invisible blank marks the end of the line.
            '\u{200b}' if ends_with_count(&self.out.text) => self.out.put("\n", at),
            // So does an invisible blank after a source glued to the full stop before it: `ends here.acme`.
            '\u{200b}' if ends_with_source(&self.out.text) && starts_sentence(self.source, at + 3) => {
                self.out.put("\n", at)
            }
            // Invisible: soft hyphen, zero-width, direction marks, joiners, variation selectors, tags.
            '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{e0000}'..='\u{e01ef}'
            | '\u{80}'..='\u{84}'
            | '\u{86}'..='\u{9f}' => {}
            // Marks of law and footnotes stick to names without being part of them.
            '™' | '®' | '©' | '℠' | '¹' | '²' | '³' | '⁰'..='⁹' | '†' | '‡' => {
                if c == '†' {
                    self.out.put(" ", at);
                }
            }
            // Private marks around a machine's own citation, through the closing one.
            '\u{e200}'..='\u{e2ff}' => {}
            '\u{85}' | '\u{2028}' | '\u{2029}' => self.out.put("\n", at),
            '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => {
                self.out.put(" ", at);
            }
            '’' | '‘' | 'ʼ' | '´' | '′' => self.out.put("'", at),
            '“' | '”' | '„' | '‟' | '«' | '»' | '″' => self.out.put("\"", at),
            '\u{2010}' | '\u{2011}' | '\u{2212}' => self.out.put("-", at),
            '①'..='⑳' => self.numbered(c as u32 - '①' as u32 + 1, at),
            '❶'..='❿' => self.numbered(c as u32 - '❶' as u32 + 1, at),
            '➀'..='➉' => self.numbered(c as u32 - '➀' as u32 + 1, at),
            '🥇' => self.numbered(1, at),
            '🥈' => self.numbered(2, at),
            '🥉' => self.numbered(3, at),
            '🔟' => self.numbered(10, at),
            // The box around a digit: `1️⃣ Name`.
            '\u{20e3}' => self.out.put(".", at),
            _ if is_compatibility(c) => decompose_compatible(c, |part| self.join(part, at)),
            _ if c.is_ascii() => self.out.put(c.encode_utf8(&mut buffer), at),
            _ => self.join(c, at),
        }
    }

    /// Adds a character, composed with the one before if Unicode has a single character for both.
    fn join(&mut self, c: char, at: usize) {
        let joins = is_mark(c) || matches!(c, '\u{1160}'..='\u{11ff}');
        if joins
            && let Some(before) = self.out.text.chars().next_back()
            && let Some(both) = compose(before, c)
        {
            self.out.text.pop();
            self.out.text.push(both);
            return;
        }
        let mut buffer = [0_u8; 4];
        self.out.put(c.encode_utf8(&mut buffer), at);
    }

    /// A number in a circle starts an item.
    fn numbered(&mut self, number: u32, at: usize) {
        if self.out.line().chars().any(is_word) {
            self.out.put("\n", at);
        }
        self.out.put(&format!("{number}. "), at);
    }
}

/// Whether a text ends with a source and the number of further ones: `acme+2`.
fn ends_with_count(text: &str) -> bool {
    let digits = text.bytes().rev().take(3).take_while(u8::is_ascii_digit).count();
    let bare = text
        .get(..text.len() - digits)
        .and_then(|text| text.strip_suffix('+'));
    (1..=2).contains(&digits) && bare.is_some_and(|word| word.ends_with(char::is_alphabetic))
}

/// Whether a text ends with a word that is glued to the end of a sentence.
fn ends_with_source(text: &str) -> bool {
    const LONGEST: usize = 40;
    let bytes = text.as_bytes();
    let word = bytes.iter().rev().take(LONGEST);
    let word = word
        .take_while(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        .count();
    let before = bytes.get(..bytes.len() - word).unwrap_or_default();
    let glued = before.strip_suffix(b".").or_else(|| before.strip_suffix(b"!"));
    word >= 3
        && glued.is_some_and(|before| {
            before.ends_with(b")") || before.last().is_some_and(u8::is_ascii_alphanumeric)
        })
}

/// Whether a sentence starts after a blank.
fn starts_sentence(text: &str, at: usize) -> bool {
    text.get(at..)
        .and_then(|rest| rest.strip_prefix(' '))
        .is_some_and(|rest| rest.starts_with(char::is_uppercase))
}

/// The bytes of letters at the start of a text that need no replacement.
fn letters(text: &str) -> usize {
    let stand = text.chars().take_while(|c| {
        matches!(c, '\u{c0}'..='\u{24f}' | '\u{386}'..='\u{481}' | '\u{48a}'..='\u{52f}' | '\u{5d0}'..='\u{5ea}'
            | '\u{620}'..='\u{64a}' | '\u{904}'..='\u{939}' | '\u{1e00}'..='\u{1eff}' | '\u{3041}'..='\u{3096}'
            | '\u{30a1}'..='\u{30fa}' | '\u{30fc}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
    });
    stand.map(char::len_utf8).sum()
}

/// Blocks of characters that are compatibility forms of others.
const fn is_compatibility(c: char) -> bool {
    matches!(
        c as u32,
        0xff00..=0xffef
            | 0xfb00..=0xfb06
            | 0x2100..=0x218f
            | 0x24b6..=0x24ff
            | 0x3200..=0x33ff
            | 0xf900..=0xfaff
            | 0x1_d400..=0x1_d7ff
            | 0x1_f110..=0x1_f169
    )
}

#[cfg(test)]
mod tests;
