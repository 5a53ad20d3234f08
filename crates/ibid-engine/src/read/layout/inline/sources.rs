//! Marks of sources that are no part of the text.

use super::Writer;

impl<'a> Writer<'a> {
    /// Resolves `1`, `1, 2` and `^1` to the sources with these numbers.
    pub(super) fn number(&mut self, label: &str) {
        for number in label.split([',', ' ', '^']).filter(|number| !number.is_empty()) {
            if self.definitions.contains_key(number) || self.definitions.contains_key(label) {
                // Stays unused: it is evidence as a source.
                continue;
            }
            let cited = number
                .parse::<usize>()
                .ok()
                .and_then(|n| self.citations.get(n.checked_sub(1)?));
            if let Some(citation) = cited {
                self.layout.sources.push(citation.url.clone());
            }
        }
    }

    /// `justdial+3` after a sentence: a source chip that lost its frame.
    pub(super) fn plus(&mut self, bytes: &[u8], at: usize) -> usize {
        let digits = bytes[at + 1..]
            .iter()
            .take(3)
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let end = at + 1 + digits;
        let ends = bytes
            .get(end)
            .is_none_or(|byte| byte.is_ascii_whitespace() || *byte == b'|');
        if (1..=2).contains(&digits) && ends {
            let text = &self.layout.text;
            let tail = text.len().saturating_sub(48);
            let run = text.as_bytes()[tail..]
                .iter()
                .rev()
                .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
                .count();
            let name = text.len() - run;
            let before = text.get(..name).and_then(|before| before.chars().next_back());
            let glued = before.is_some_and(|c| matches!(c, '.' | '!' | '?' | ' ' | ')' | '。' | '\n'));
            let lower = text.get(name..).is_some_and(|name| {
                name.bytes().any(|byte| byte.is_ascii_lowercase())
                    && !name.starts_with(|c: char| c.is_ascii_uppercase())
            });
            if glued && lower && run >= 3 {
                self.layout.text.truncate(name);
                return end;
            }
        }
        self.literal("+", at);
        at + 1
    }

    /// `【1†source】`: a source mark.
    pub(super) fn lenticular(&mut self, at: usize, to: usize) -> usize {
        let width = '【'.len_utf8();
        let inner = &self.clean[at + width..to];
        match inner.find('】').filter(|end| *end <= 60) {
            Some(end) if inner.starts_with(|c: char| c.is_ascii_digit()) => {
                let number = inner
                    .split(|c: char| !c.is_ascii_digit())
                    .next()
                    .unwrap_or_default();
                self.number(number);
                at + width + end + width
            }
            Some(_) | None => {
                self.literal("【", at);
                at + width
            }
        }
    }
}
