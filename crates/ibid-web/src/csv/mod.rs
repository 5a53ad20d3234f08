//! Sheets of a scan as CSV, for spreadsheets.
//!
//! The format is RFC 4180 with a byte order mark, by which spreadsheets recognise UTF-8. Names and answers are untrusted,
//! so text that a spreadsheet would evaluate as a formula is made harmless.

mod answers;
mod changes;
mod feed;
mod insights;
mod writer;

pub(crate) use answers::HEAD;
pub use answers::{AnswerRow, answers, answers_head};
pub use changes::{ChangeRow, changes};
pub use feed::{FeedLine, FeedSource, feed_counts, feed_sources};
pub(crate) use writer::clean;

use crate::evidence::EvidenceView;
use ibid_model::result::{AnswerSummary, Competitor, MarketResult, RingResult, ScanResult};
use writer::Writer;

pub const CONTENT_TYPE: &str = "text/csv; charset=utf-8";

/// What a file contains.
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
    /// One row for each site that answers cite.
    Sources,
    /// One row for each page of the scanned domain that answers cite.
    Pages,
    /// One row for each intent.
    Intents,
    /// One row for each fact behind a move.
    Moves,
}

impl Sheet {
    /// Every sheet.
    pub const ALL: [Self; 8] = [
        Self::Models,
        Self::Answers,
        Self::Markets,
        Self::Competitors,
        Self::Sources,
        Self::Pages,
        Self::Intents,
        Self::Moves,
    ];

    /// Returns the last part of its path: `models.csv`.
    pub fn file_name(self) -> &'static str {
        match self {
            Self::Models => "models.csv",
            Self::Answers => "answers.csv",
            Self::Markets => "markets.csv",
            Self::Competitors => "competitors.csv",
            Self::Sources => "sources.csv",
            Self::Pages => "pages.csv",
            Self::Intents => "intents.csv",
            Self::Moves => "moves.csv",
        }
    }

    pub fn of_file_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|sheet| sheet.file_name() == name)
    }
}

/// Writes one sheet of a scan. Numbers have a decimal point and no thousands separator.
/// Rates are 0..1. Absent values are empty.
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
        Sheet::Sources => insights::sources(&mut csv, result),
        Sheet::Pages => insights::pages(&mut csv, result),
        Sheet::Intents => insights::intents(&mut csv, result),
        Sheet::Moves => insights::moves(&mut csv, result),
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
        "headline",
        "searched",
        "fromMemory",
        "unknown",
        "searchedScore",
        "memoryScore",
    ]);
    for model in &result.models {
        csv.text(model.model.as_str());
        csv.text(&model.model_label);
        csv.text(model.resolved_model.as_deref().unwrap_or_default());
        // A model without any answer has no numbers: its zeros would read as measured.
        let of_answers = |number: f64| (!model.is_unanswered()).then_some(number);
        if model.is_unanswered() {
            csv.plain("");
            csv.plain("no answer");
        } else {
            csv.plain(model.cited);
            csv.plain(model.prominence);
        }
        csv.number(of_answers(model.score.rounded()));
        csv.range(model.score_interval.as_ref());
        csv.number(of_answers(model.cited_rate));
        csv.range(model.cited_rate_interval.as_ref());
        csv.number(of_answers(model.linked_rate));
        csv.number(model.rank);
        csv.number(Some(model.coverage));
        csv.number(of_answers(model.informative_rate));
        csv.text(model.error.as_ref().map_or("", |error| &error.message));
        let strata = &model.retrieval;
        csv.plain(strata.headline.as_str());
        csv.plain(strata.searched);
        csv.plain(strata.memory);
        csv.plain(strata.unknown);
        csv.number(strata.searched_score.map(|score| score.rounded()));
        csv.number(strata.memory_score.map(|score| score.rounded()));
        csv.end();
    }
}

const ANSWER_HEAD: [&str; 22] = [
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
    "searched",
    "engine",
    "queries",
    "sources",
    "location",
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
                retrieval,
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
            csv.retrieval(retrieval);
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
        csv.retrieval(&answer.retrieval);
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
            csv.number(market.distance_km);
            csv.number(market.bearing_deg);
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
        "products",
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
        csv.text(&insights::joined(&row.models));
        let rings: Vec<String> = row.rings.iter().map(|ring| ring.get().to_string()).collect();
        csv.text(&rings.join("; "));
        csv.text(&row.aliases.join("; "));
        csv.text(&row.products.join("; "));
        csv.plain(row.weak);
        csv.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn result() -> ScanResult {
        let strata = |headline: &str| {
            json!({"headline": headline, "searchAsked": true, "answers": 2, "searched": 1, "memory": 1, "unknown": 0,
                   "searchedScore": 70.0, "memoryScore": 4.1})
        };
        let answer = |searched: &str, class: Option<&str>| {
            json!({"questionId": "c1", "class": class, "score": class.map(|_| 70.0), "breakdown": null, "rank": null, "quote": null, "url": null,
                   "retrieval": {"searched": searched, "engine": "native", "queries": 2, "sources": 5, "location": "sent"}})
        };
        let model = |alias: &str, coverage: f64, answers: Value, error: Value| {
            json!({"model": alias, "modelLabel": alias, "cited": coverage > 0.0, "score": 70.0 * coverage, "prominence": "primary",
                   "resolvedModel": null, "citedRate": coverage, "citedRateInterval": null, "linkedRate": 0.0, "rank": null,
                   "scoreInterval": null, "coverage": coverage, "informativeRate": coverage, "retrieval": strata("searched"),
                   "answers": answers, "error": error})
        };
        let answers = json!([
            answer("yes", Some("primary")),
            answer("no", Some("none")),
            answer("unknown", None)
        ]);
        let failure = json!({"code": "timeout", "message": "the provider did not answer in time"});
        serde_json::from_value(json!({
            "domain": "example.com", "keyword": "plumber", "location": null, "overallScore": 70.0, "interval": null,
            "retrieval": strata("searched"),
            "models": [model("one", 0.5, answers, Value::Null), model("two", 0.0, json!([]), failure)],
            "radius": {"status": "no_location", "scope": null, "rings": [], "topCompetitors": [], "citationRadiusKm": null,
                       "radiusRangeKm": null, "censored": false, "thresholdPct": 25, "map": null},
            "brandNames": [], "usage": {"questions": 4, "answered": 2, "failed": 2, "promptTokens": 1, "completionTokens": 1, "costUsd": null},
            "method": {"version": "1", "language": "en", "templates": ["list"], "webSearch": true, "branded": false, "resamples": 2000},
            "sandbox": true, "warnings": [], "startedAt": "2026-11-21T00:00:00Z", "finishedAt": "2026-11-21T00:00:01Z"
        }))
        .unwrap()
    }

    #[test]
    fn conclusions_have_their_sheets() {
        let mut result = result();
        for sheet in [Sheet::Sources, Sheet::Pages, Sheet::Intents, Sheet::Moves] {
            assert_eq!(export(sheet, &result, None).lines().count(), 1, "{sheet:?}");
        }
        let fed = json!([{"name": "=cmd()", "answers": 2}]);
        let site = json!([{"domain": "yelp.com", "kind": "directory", "answers": 2, "share": 0.5, "pages": 1,
                           "url": "https://yelp.com/a", "targetAnswers": 0, "competitors": fed, "models": ["one"]}]);
        let found = json!([{"kind": "missing_sources", "title": "Get named on yelp.com", "why": "Because.", "answers": 2,
                            "evidence": [{"domain": "yelp.com", "answers": 2}]}]);
        result.sources = serde_json::from_value(site).unwrap();
        result.moves = serde_json::from_value(found).unwrap();
        let sources = export(Sheet::Sources, &result, None);
        assert!(sources.contains("\"yelp.com\",directory,2,0.5,1,"), "{sources}");
        assert!(sources.contains("\"'=cmd()\""), "{sources}");
        let moves = export(Sheet::Moves, &result, None);
        assert!(
            moves.contains("1,missing_sources,\"Get named on yelp.com\""),
            "{moves}"
        );
    }

    #[test]
    fn sheets_have_the_strata_and_no_score_without_an_answer() {
        let models = export(Sheet::Models, &result(), None);
        let rows: Vec<&str> = models.lines().collect();
        assert!(
            rows[0].ends_with(",error,headline,searched,fromMemory,unknown,searchedScore,memoryScore"),
            "{models}"
        );
        assert!(rows[1].ends_with(",searched,1,1,0,70,4.1"), "{models}");
        assert!(
            rows[2].starts_with("\"two\",\"two\",\"\",,no answer,,,,"),
            "{models}"
        );
        let answers = export(Sheet::Answers, &result(), None);
        let rows: Vec<&str> = answers.lines().collect();
        assert!(
            rows[0].ends_with(",error,searched,engine,queries,sources,location"),
            "{answers}"
        );
        assert!(
            rows[1].contains(",primary,70,") && rows[1].ends_with(",yes,\"native\",2,5,sent"),
            "{answers}"
        );
        assert!(rows[2].ends_with(",no,\"native\",2,5,sent"), "{answers}");
        assert!(rows[3].contains(",no answer,,"), "{answers}");
    }
}
