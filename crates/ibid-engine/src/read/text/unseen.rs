//! What a model's program leaves in its text: marks of citations, tokens that end a turn; and advertisements beside it.

use crate::read::words::{List, list};
use std::ops::Range;

/// An advertisement below or beside an answer.
#[derive(Clone, Debug)]
pub(in crate::read) struct Advertisement {
    /// All of it, with its label.
    pub(in crate::read) place: Range<usize>,
    /// What it says.
    pub(in crate::read) says: Range<usize>,
}

/// The parts of a text that are none of the answer, in order, without overlaps.
pub(super) fn of(text: &str, advertisements: &[Advertisement]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = advertisements.iter().map(|ad| ad.place.clone()).collect();
    if text.contains("turn") {
        citation_marks(text, &mut found);
    }
    if text.contains('<') {
        tokens(text, &mut found);
    }
    found.sort_by_key(|span| span.start);
    let mut end = 0;
    found.retain(|span| {
        let apart = span.start >= end;
        end = end.max(span.end);
        apart
    });
    found
}

/// Marks such as `citeturn0search5turn0search15`, with or without private characters between the words.
fn citation_marks(text: &str, found: &mut Vec<Range<usize>>) {
    let private = |c: char| ('\u{e200}'..='\u{e2ff}').contains(&c);
    let mut at = 0;
    while let Some(next) = text.get(at..).and_then(|rest| rest.find("turn")) {
        let mut start = at + next;
        let mut end = start;
        while let Some(length) = text.get(end..).and_then(reference) {
            end += length;
            end += text[end..].len() - text[end..].trim_start_matches(private).len();
        }
        if end == start {
            at = start + "turn".len();
            continue;
        }
        at = end;
        let before = text[..start].trim_end_matches(private);
        if let Some(before) = before.strip_suffix("cite") {
            let before = before.strip_suffix("file").unwrap_or(before);
            start = before.trim_end_matches(private).len();
        }
        // In brackets it is a footnote, which is read as such.
        if !text[..start].ends_with(['[', '(', '【', '†']) {
            found.push(start..end);
        }
    }
}

/// The length of `turn0search5` at the start of a text.
fn reference(text: &str) -> Option<usize> {
    let rest = text.strip_prefix("turn")?;
    let kind = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = kind.trim_start_matches(|c: char| c.is_ascii_lowercase());
    let end = number.trim_start_matches(|c: char| c.is_ascii_digit());
    let whole = kind.len() < rest.len() && number.len() < kind.len() && end.len() < number.len();
    whole.then(|| text.len() - end.len())
}

/// Tokens such as `<eom>` and `<|im_end|>`.
fn tokens(text: &str, found: &mut Vec<Range<usize>>) {
    static TOKENS: List = list("tokens");
    for (start, _) in text.match_indices('<') {
        let Some(inner) = text[start + 1..]
            .split('>')
            .next()
            .filter(|inner| inner.len() <= 30)
        else {
            continue;
        };
        let spoken = inner.strip_prefix('|').and_then(|inner| inner.strip_suffix('|'));
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if spoken.is_some_and(|name| name.chars().all(word)) || TOKENS.has(inner) {
            found.push(start..start + inner.len() + 2);
        }
    }
}

/// The advertisements of an answer: what a line labels as such, up to the next blank line, or the labelled line.
pub(super) fn advertisements(text: &str) -> Vec<Advertisement> {
    static LABELS: List = list("advertisements");
    let is_label = |words: &str| {
        let words = words.trim_matches(|c: char| !c.is_alphanumeric());
        words.len() <= 40 && LABELS.has(&words.to_lowercase())
    };
    let mut found: Vec<Advertisement> = Vec::new();
    let (mut at, mut open, mut said) = (0, false, false);
    for line in text.split_inclusive('\n') {
        let place = at..at + line.len();
        at = place.end;
        let blank = line.trim().is_empty();
        if open {
            if !blank || !said {
                said |= !blank;
                if let Some(ad) = found.last_mut() {
                    (ad.place.end, ad.says.end) = (at, at);
                }
                continue;
            }
            open = false;
        }
        // A paragraph is none.
        if blank || line.len() > 300 {
            continue;
        }
        // In a list of means, "Ads" is one of them.
        let listed = line.trim_start().starts_with(['-', '•', '+']) || line.trim_start().starts_with("* ");
        let head = line.split_once([':', '·', '|', '–', '—']);
        let behind = line.trim_end().rsplit_once(['(', '[', '·', '|']);
        let says = if !listed && is_label(line) {
            (open, said) = (true, false);
            at..at
        } else if let Some((_, rest)) = head.filter(|(label, _)| !listed && is_label(label)) {
            (open, said) = (true, true);
            at - rest.len()..at
        } else if let Some((rest, _)) = behind.filter(|(_, label)| is_label(label)) {
            place.start..place.start + rest.len()
        } else {
            continue;
        };
        found.push(Advertisement { place, says });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(text: &str) -> String {
        let mut seen = text.to_owned();
        for span in of(text, &advertisements(text)).into_iter().rev() {
            seen.replace_range(span, "");
        }
        seen
    }

    #[test]
    fn marks_of_programs_are_unseen() {
        for (text, left) in [
            (
                "1. PipeWise citeturn0search5turn0search15\n2. Acme",
                "1. PipeWise \n2. Acme",
            ),
            (
                "Acme \u{e200}cite\u{e202}turn0search1\u{e202}turn12view3\u{e201}.",
                "Acme .",
            ),
            ("Acmefileciteturn3file0", "Acme"),
            ("Acme【turn3fetch0】", "Acme【turn3fetch0】"),
            ("In turn 3 we cite turnover5.", "In turn 3 we cite turnover5."),
            (
                "Acme<eom>\nBolt<|im_end|>\n1 < 2 > 0 <b>x</b>",
                "Acme\nBolt\n1 < 2 > 0 <b>x</b>",
            ),
        ] {
            assert_eq!(seen(text), left);
        }
    }

    #[test]
    fn advertisements_are_unseen() {
        for (text, left, says) in [
            (
                "Try A.\n\nSponsored\nAcme\nacme.com\n\nOr B.",
                "Try A.\n\n\nOr B.",
                "Acme\nacme.com\n",
            ),
            ("Try A.\n\n**Sponsored**\n\nAcme\n", "Try A.\n\n", "\nAcme\n"),
            (
                "Try A.\n\nAnzeige: Acme – jetzt buchen",
                "Try A.\n\n",
                " Acme – jetzt buchen",
            ),
            ("- A\n- Acme (Sponsored)\n- B", "- A\n- B", "- Acme "),
        ] {
            assert_eq!(seen(text), left);
            let ads = advertisements(text);
            assert_eq!((ads.len(), &text[ads[0].says.clone()]), (1, says));
        }
        let none = "Sponsored links are marked.\nAdvertising: ask Acme about ads.\n- Ads: cheap\n- Werbung";
        assert_eq!(seen(none), none);
    }
}
