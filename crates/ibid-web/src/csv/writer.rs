//! Writes rows and cells, and keeps a cell from being a formula.

use crate::escape::is_steering;
use ibid_model::result::{Breakdown, LocationHint, Retrieval};
use ibid_model::{Interval, Prominence};

pub(super) struct Writer {
    pub(super) text: String,
    first: bool,
}

impl Writer {
    pub(super) fn new() -> Self {
        Self {
            text: String::from("\u{feff}"),
            ..Self::bare()
        }
    }

    /// A writer without a byte order mark.
    pub(super) fn bare() -> Self {
        Self {
            text: String::new(),
            first: true,
        }
    }

    fn separate(&mut self) {
        if !self.first {
            self.text.push(',');
        }
        self.first = false;
    }

    pub(super) fn head(&mut self, names: &[&str]) {
        for name in names {
            self.plain(name);
        }
        self.end();
    }

    /// Writes a value of this program, which needs no quotes.
    pub(super) fn plain(&mut self, value: impl std::fmt::Display) {
        self.separate();
        self.text.push_str(&value.to_string());
    }

    pub(super) fn number(&mut self, value: Option<f64>) {
        self.separate();
        if let Some(value) = value.filter(|value| value.is_finite()) {
            // Adding zero turns a negative zero into zero.
            let text = format!("{:.4}", value + 0.0);
            self.text
                .push_str(text.trim_end_matches('0').trim_end_matches('.'));
        }
    }

    pub(super) fn range(&mut self, range: Option<&Interval>) {
        self.number(range.map(|range| range.low));
        self.number(range.map(|range| range.high));
    }

    pub(super) fn reading(
        &mut self,
        class: Option<Prominence>,
        score: Option<f64>,
        parts: Option<&Breakdown>,
        rank: Option<u32>,
    ) {
        self.plain(class.map_or("no answer", Prominence::as_str));
        self.number(score);
        for part in [
            parts.map(|p| p.base),
            parts.map(|p| p.rank),
            parts.map(|p| p.link),
            parts.map(|p| p.share),
        ] {
            self.number(part);
        }
        self.number(parts.and_then(|parts| parts.cap));
        self.number(rank.map(f64::from));
    }

    /// Writes the search behind an answer.
    pub(super) fn retrieval(&mut self, retrieval: &Retrieval) {
        self.plain(retrieval.searched.as_str());
        self.text(retrieval.engine.as_deref().unwrap_or_default());
        self.number(retrieval.queries.map(f64::from));
        self.number(retrieval.sources.map(f64::from));
        self.plain(match retrieval.location {
            Some(LocationHint::Sent) => "sent",
            Some(LocationHint::NotSupported) => "not_supported",
            None => "",
        });
    }

    /// Writes hostile text: always quoted, never a formula, on one line.
    pub(super) fn text(&mut self, text: &str) {
        self.separate();
        self.text.push('"');
        let clean: String = clean(text).collect();
        if starts_like_a_formula(&clean) {
            self.text.push('\'');
        }
        self.text.push_str(&clean.replace('"', "\"\""));
        self.text.push('"');
    }

    pub(super) fn end(&mut self) {
        self.text.push_str("\r\n");
        self.first = true;
    }
}

/// Returns a text on one line, without characters that change how others look.
pub(crate) fn clean(text: &str) -> impl Iterator<Item = char> + '_ {
    let on_one_line = text.chars().map(|c| match c {
        '\n' | '\t' | '\r' | '\u{2028}' | '\u{2029}' => ' ',
        c => c,
    });
    on_one_line.filter(|c| !is_steering(*c))
}

/// Whether a spreadsheet might evaluate the cell. Leading blanks and full-width forms count.
fn starts_like_a_formula(text: &str) -> bool {
    let text = text.trim_start().trim_start_matches('"');
    text.trim_start()
        .starts_with(['=', '+', '-', '@', '|', '%', '＝', '＋', '－', '＠', '−'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(text: &str) -> String {
        let mut csv = Writer::bare();
        csv.text(text);
        csv.text
    }

    #[test]
    fn no_cell_is_a_formula() {
        for (hostile, written) in [
            ("=1+1", "\"'=1+1\""),
            ("=cmd|' /C calc'!A0", "\"'=cmd|' /C calc'!A0\""),
            ("+1", "\"'+1\""),
            ("-1", "\"'-1\""),
            ("@SUM(A1)", "\"'@SUM(A1)\""),
            ("\t=1", "\"' =1\""),
            ("\r\n=1", "\"'  =1\""),
            ("\u{202e}=1", "\"'=1\""),
            ("＝1", "\"'＝1\""),
            ("\"=1", "\"'\"\"=1\""),
            ("a\",=1", "\"a\"\",=1\""),
            ("two\nlines", "\"two lines\""),
            ("Aigua Clara", "\"Aigua Clara\""),
            ("", "\"\""),
        ] {
            assert_eq!(cell(hostile), written, "{hostile:?}");
        }
    }

    #[test]
    fn numbers_are_plain() {
        let mut csv = Writer::bare();
        for value in [
            Some(0.15),
            Some(-0.0),
            Some(-1.5),
            None,
            Some(f64::NAN),
            Some(100.0),
        ] {
            csv.number(value);
        }
        assert_eq!(csv.text, "0.15,0,-1.5,,,100");
    }

    proptest::proptest! {
        #[test]
        fn a_text_stays_in_its_cell(text in "[\",\\r\\n=+@a\u{2028}\t '-]{0,20}") {
            let cell = cell(&text);
            let inner = cell.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap();
            proptest::prop_assert!(!inner.replace("\"\"", "").contains('"'));
            proptest::prop_assert!(!inner.contains(['\r', '\n']));
            proptest::prop_assert!(!inner.starts_with(['=', '+', '-', '@', '\t']));
        }
    }
}
