//! Sheets of cited sites, cited pages, intents and moves.

use super::writer::Writer;
use ibid_model::ModelAlias;
use ibid_model::result::ScanResult;

pub(super) fn sources(csv: &mut Writer, result: &ScanResult) {
    csv.head(&[
        "domain",
        "kind",
        "answers",
        "share",
        "pages",
        "url",
        "targetAnswers",
        "competitors",
        "models",
    ]);
    for site in &result.sources {
        csv.text(site.domain.as_str());
        csv.plain(site.kind.as_str());
        csv.plain(site.answers);
        csv.number(Some(site.share));
        csv.plain(site.pages);
        csv.text(&site.url);
        csv.plain(site.target_answers);
        let fed = site.competitors.iter().map(|fed| fed.name.as_str());
        csv.text(&fed.collect::<Vec<_>>().join("; "));
        csv.text(&joined(&site.models));
        csv.end();
    }
}

pub(super) fn pages(csv: &mut Writer, result: &ScanResult) {
    csv.head(&["url", "answers", "share", "intents", "models"]);
    for page in &result.pages {
        csv.text(&page.url);
        csv.plain(page.answers);
        csv.number(Some(page.share));
        csv.text(&page.intents.join("; "));
        csv.text(&joined(&page.models));
        csv.end();
    }
}

pub(super) fn intents(csv: &mut Writer, result: &ScanResult) {
    csv.head(&[
        "intent",
        "questions",
        "answers",
        "score",
        "citedRate",
        "citedLow",
        "citedHigh",
        "recommended",
        "neutral",
        "discouraged",
        "absent",
        "topCompetitors",
    ]);
    for row in &result.intents {
        csv.text(&row.intent);
        csv.plain(row.questions);
        csv.plain(row.answers);
        csv.number(row.score.map(|score| score.rounded()));
        csv.number(row.cited_rate);
        csv.range(row.cited_rate_interval.as_ref());
        let stances = row.stances;
        for count in [
            stances.recommended,
            stances.neutral,
            stances.discouraged,
            stances.absent,
        ] {
            csv.plain(count);
        }
        csv.text(&row.top_competitors.join("; "));
        csv.end();
    }
}

/// One row for each fact, so that a fact can be filtered by its move.
pub(super) fn moves(csv: &mut Writer, result: &ScanResult) {
    csv.head(&[
        "move",
        "kind",
        "title",
        "why",
        "moveAnswers",
        "questionId",
        "question",
        "domain",
        "url",
        "town",
        "ring",
        "distanceKm",
        "quote",
        "model",
        "competitors",
        "answers",
    ]);
    for (number, found) in (1..).zip(&result.moves) {
        for fact in &found.evidence {
            csv.plain(number);
            csv.plain(found.kind.as_str());
            csv.text(&found.title);
            csv.text(&found.why);
            csv.plain(found.answers);
            csv.text(fact.question_id.as_deref().unwrap_or_default());
            csv.text(fact.question.as_deref().unwrap_or_default());
            csv.text(fact.domain.as_ref().map_or("", |domain| domain.as_str()));
            csv.text(fact.url.as_deref().unwrap_or_default());
            csv.text(fact.town.as_deref().unwrap_or_default());
            csv.number(fact.ring.map(|ring| f64::from(ring.get())));
            csv.number(fact.distance_km);
            csv.text(fact.quote.as_deref().unwrap_or_default());
            csv.text(fact.model.as_ref().map_or("", ModelAlias::as_str));
            csv.text(&fact.competitors.join("; "));
            csv.plain(fact.answers);
            csv.end();
        }
    }
}

pub(super) fn joined(models: &[ModelAlias]) -> String {
    let models: Vec<&str> = models.iter().map(ModelAlias::as_str).collect();
    models.join("; ")
}
