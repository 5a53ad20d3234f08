//! Sheets of a scan as CSV, for people with a spreadsheet.
//!
//! RFC 4180 with a byte order mark, which is how spreadsheets know UTF-8. Text that a spreadsheet would take for a
//! formula is defused: names and answers come from strangers.

use crate::escape::is_steering;
use crate::evidence::Evidence;
use ibid_model::result::{AnswerSummary, Breakdown, Competitor, MarketResult, RingResult, ScanResult};
use ibid_model::{Interval, Prominence};

/// For `Content-Type`.
pub const CONTENT_TYPE: &str = "text/csv; charset=utf-8";

/// What one file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sheet {
    /// One row a model.
    Models,
    /// One row an answer: core answers from the result, ring answers as well when there is evidence.
    Answers,
    /// One row a market.
    Markets,
    /// One row a competitor, the scanned domain among them.
    Competitors,
}

impl Sheet {
    /// Every sheet.
    pub const ALL: [Self; 4] = [Self::Models, Self::Answers, Self::Markets, Self::Competitors];

    /// The last part of its path: `models.csv`.
    #[must_use]
    pub fn file_name(self) -> &'static str {
        match self {
            Self::Models => "models.csv",
            Self::Answers => "answers.csv",
            Self::Markets => "markets.csv",
            Self::Competitors => "competitors.csv",
        }
    }

    /// The sheet of a file name.
    #[must_use]
    pub fn of_file_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|sheet| sheet.file_name() == name)
    }
}

/// Writes one sheet of a scan. Numbers have a point and no thousands mark; rates are 0..1; absent values are empty.
#[must_use]
pub fn export(sheet: Sheet, result: &ScanResult, evidence: Option<&Evidence>) -> String {
    let mut csv = Writer::new();
    match sheet {
        Sheet::Models => models(&mut csv, result),
        Sheet::Answers => match evidence {
            Some(evidence) => evidence_answers(&mut csv, evidence),
            None => core_answers(&mut csv, result),
        },
        Sheet::Markets => markets(&mut csv, result),
        Sheet::Competitors => competitors(&mut csv, result),
    }
    csv.text
}

fn models(csv: &mut Writer, result: &ScanResult) {
    csv.head(&[
        "model",
        "label",
        "resolvedModel",
        "cited",
        "prominence",
        "score",
        "scoreLow",
        "scoreHigh",
        "citedRate",
        "citedLow",
        "citedHigh",
        "linkedRate",
        "rank",
        "coverage",
        "informativeRate",
        "error",
    ]);
    for model in &result.models {
        csv.text(model.model.as_str());
        csv.text(&model.model_label);
        csv.text(model.resolved_model.as_deref().unwrap_or_default());
        csv.plain(model.cited);
        csv.plain(model.prominence);
        csv.plain(model.score);
        csv.range(model.score_interval.as_ref());
        csv.number(Some(model.cited_rate));
        csv.range(model.cited_rate_interval.as_ref());
        csv.number(Some(model.linked_rate));
        csv.number(model.rank);
        csv.number(Some(model.coverage));
        csv.number(Some(model.informative_rate));
        csv.text(model.error.as_ref().map_or("", |error| &error.message));
        csv.end();
    }
}

const ANSWER_HEAD: [&str; 17] = [
    "questionId",
    "model",
    "ring",
    "market",
    "template",
    "language",
    "question",
    "class",
    "score",
    "base",
    "rankPoints",
    "linkPoints",
    "sharePoints",
    "cap",
    "rank",
    "quote",
    "error",
];

fn core_answers(csv: &mut Writer, result: &ScanResult) {
    csv.head(&ANSWER_HEAD);
    for model in &result.models {
        for answer in &model.answers {
            let AnswerSummary {
                question_id,
                class,
                score,
                breakdown,
                rank,
                quote,
                ..
            } = answer;
            csv.text(question_id);
            csv.text(model.model.as_str());
            for _ in 0..5 {
                csv.text("");
            }
            csv.reading(
                *class,
                score.map(|score| score.rounded()),
                breakdown.as_ref(),
                *rank,
            );
            csv.text(quote.as_deref().unwrap_or_default());
            csv.text("");
            csv.end();
        }
    }
}

fn evidence_answers(csv: &mut Writer, evidence: &Evidence) {
    csv.head(&ANSWER_HEAD);
    for answer in &evidence.answers {
        csv.text(&answer.question_id);
        csv.text(&answer.model);
        csv.text(&answer.ring.map_or_else(String::new, |ring| ring.to_string()));
        for text in [
            answer.market.as_deref().unwrap_or_default(),
            &answer.template,
            &answer.language,
            &answer.question,
        ] {
            csv.text(text);
        }
        match &answer.reading {
            Some(reading) => csv.reading(
                reading.class,
                reading.score,
                reading.breakdown.as_ref(),
                reading.rank,
            ),
            None => csv.reading(None, None, None, None),
        }
        let quote = answer.reading.as_ref().and_then(|reading| reading.quotes.first());
        csv.text(quote.map_or("", |quote| &quote.text));
        csv.text(answer.error.as_deref().unwrap_or_default());
        csv.end();
    }
}

fn markets(csv: &mut Writer, result: &ScanResult) {
    csv.head(&[
        "ring",
        "fromKm",
        "toKm",
        "id",
        "name",
        "admin",
        "country",
        "lat",
        "lon",
        "population",
        "distanceKm",
        "bearingDeg",
        "crossBorder",
        "score",
        "citedRate",
        "questions",
        "answered",
        "topCompetitors",
    ]);
    for ring in &result.radius.rings {
        let RingResult {
            ring,
            from_km,
            to_km,
            markets,
            ..
        } = ring;
        for market in markets {
            let MarketResult {
                id,
                name,
                admin,
                country,
                ..
            } = market;
            csv.plain(ring.get());
            csv.plain(from_km);
            csv.plain(to_km);
            for text in [id, name, admin.as_ref().unwrap_or(&String::new()), country] {
                csv.text(text);
            }
            csv.number(Some(market.lat));
            csv.number(Some(market.lon));
            csv.plain(market.population);
            csv.number(Some(market.distance_km));
            csv.number(Some(market.bearing_deg));
            csv.plain(market.cross_border);
            csv.number(market.score.map(|score| score.rounded()));
            csv.number(market.cited_rate);
            csv.plain(market.questions);
            csv.plain(market.answered);
            csv.text(&market.top_competitors.join("; "));
            csv.end();
        }
    }
}

fn competitors(csv: &mut Writer, result: &ScanResult) {
    csv.head(&[
        "rank",
        "rankLow",
        "rankHigh",
        "name",
        "domain",
        "kind",
        "self",
        "score",
        "share",
        "appearanceRate",
        "appearanceLow",
        "appearanceHigh",
        "meanRank",
        "linkedRate",
        "models",
        "rings",
        "aliases",
        "weak",
    ]);
    for row in &result.radius.top_competitors {
        let Competitor {
            rank,
            rank_interval,
            name,
            domain,
            kind,
            is_self,
            ..
        } = row;
        csv.plain(rank);
        csv.number(rank_interval.map(|range| f64::from(range.low)));
        csv.number(rank_interval.map(|range| f64::from(range.high)));
        csv.text(name);
        csv.text(domain.as_ref().map_or("", |domain| domain.as_str()));
        csv.plain(match kind {
            ibid_model::result::CompetitorKind::Rival => "rival",
            ibid_model::result::CompetitorKind::Directory => "directory",
            ibid_model::result::CompetitorKind::Media => "media",
        });
        csv.plain(is_self);
        csv.number(Some(row.score));
        csv.number(Some(row.share));
        csv.number(Some(row.appearance_rate));
        csv.range(row.interval.as_ref());
        csv.number(row.mean_rank);
        csv.number(Some(row.linked_rate));
        csv.text(
            &row.models
                .iter()
                .map(|alias| alias.as_str())
                .collect::<Vec<_>>()
                .join("; "),
        );
        csv.text(
            &row.rings
                .iter()
                .map(|ring| ring.get().to_string())
                .collect::<Vec<_>>()
                .join("; "),
        );
        csv.text(&row.aliases.join("; "));
        csv.plain(row.weak);
        csv.end();
    }
}

struct Writer {
    text: String,
    first: bool,
}

impl Writer {
    fn new() -> Self {
        Self {
            text: String::from("\u{feff}"),
            first: true,
        }
    }

    fn separate(&mut self) {
        if !self.first {
            self.text.push(',');
        }
        self.first = false;
    }

    fn head(&mut self, names: &[&str]) {
        for name in names {
            self.plain(name);
        }
        self.end();
    }

    /// A value of ours that needs no quotes.
    fn plain(&mut self, value: impl std::fmt::Display) {
        self.separate();
        self.text.push_str(&value.to_string());
    }

    fn number(&mut self, value: Option<f64>) {
        self.separate();
        if let Some(value) = value.filter(|value| value.is_finite()) {
            // Adding zero turns a negative zero into zero.
            let text = format!("{:.4}", value + 0.0);
            self.text
                .push_str(text.trim_end_matches('0').trim_end_matches('.'));
        }
    }

    fn range(&mut self, range: Option<&Interval>) {
        self.number(range.map(|range| range.low));
        self.number(range.map(|range| range.high));
    }

    fn reading(
        &mut self,
        class: Option<Prominence>,
        score: Option<f64>,
        parts: Option<&Breakdown>,
        rank: Option<u32>,
    ) {
        self.plain(class.map_or("", Prominence::as_str));
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

    /// Hostile text: always quoted, never a formula, on one line.
    fn text(&mut self, text: &str) {
        self.separate();
        self.text.push('"');
        let mut clean = String::with_capacity(text.len());
        for c in text.chars() {
            match c {
                '\n' | '\t' | '\r' | '\u{2028}' | '\u{2029}' => clean.push(' '),
                c if is_steering(c) => {}
                '"' => clean.push_str("\"\""),
                c => clean.push(c),
            }
        }
        if starts_like_a_formula(&clean) {
            self.text.push('\'');
        }
        self.text.push_str(&clean);
        self.text.push('"');
    }

    fn end(&mut self) {
        self.text.push_str("\r\n");
        self.first = true;
    }
}

/// Whether a spreadsheet might evaluate the cell, leading blanks and full-width forms included.
fn starts_like_a_formula(text: &str) -> bool {
    let text = text.trim_start().trim_start_matches("\"\"");
    text.trim_start()
        .starts_with(['=', '+', '-', '@', '|', '%', '＝', '＋', '－', '＠', '−'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(text: &str) -> String {
        let mut csv = Writer {
            text: String::new(),
            first: true,
        };
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
        let mut csv = Writer {
            text: String::new(),
            first: true,
        };
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
