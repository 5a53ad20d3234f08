//! Drops marks for sources, which do not belong to the text.

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
