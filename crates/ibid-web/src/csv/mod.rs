//! Sheets of a scan as CSV, for spreadsheets.
//!
//! The format is RFC 4180 with a byte order mark, by which spreadsheets recognise UTF-8. Names and answers are untrusted,
//! so text that a spreadsheet would evaluate as a formula is made harmless.

mod writer;

use crate::evidence::EvidenceView;
use ibid_model::result::{AnswerSummary, Competitor, MarketResult, RingResult, ScanResult};
use writer::Writer;

/// The value of `Content-Type`.
pub const CONTENT_TYPE: &str = "text/csv; charset=utf-8";

/// The content of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sheet {
    /// One row for each model.
    Models,
    /// One row for each answer: core answers from the result, and ring answers where there is evidence.
    Answers,
    /// One row for each market.
    Markets,
    /// One row for each competitor, the scanned domain among them.
    Competitors,
}

impl Sheet {
    /// Every sheet.
    pub const ALL: [Self; 4] = [Self::Models, Self::Answers, Self::Markets, Self::Competitors];

    /// Returns the last part of its path: `models.csv`.
    #[must_use]
    pub fn file_name(self) -> &'static str {
        match self {
            Self::Models => "models.csv",
            Self::Answers => "answers.csv",
            Self::Markets => "markets.csv",
            Self::Competitors => "competitors.csv",
        }
    }

    /// Returns the sheet with a file name.
    #[must_use]
    pub fn of_file_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|sheet| sheet.file_name() == name)
    }
}

/// Writes one sheet of a scan. Numbers have a decimal point and no thousands separator. Rates are 0..1. Absent values are empty.
#[must_use]
pub fn export(sheet: Sheet, result: &ScanResult, evidence: Option<&EvidenceView>) -> String {
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

fn evidence_answers(csv: &mut Writer, evidence: &EvidenceView) {
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
