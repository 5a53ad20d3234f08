//! `GET /feed/{key}/{table}`: numbers of a project for spreadsheets, opened by the key in the address.

use crate::problem::ApiError;
use crate::respond::{X_ROBOTS_TAG, handle};
use actix_web::http::header::CACHE_CONTROL;
use actix_web::{HttpResponse, web};
use ibid_model::contract::routes::READ_FEED;
use ibid_service::{Error, Feed, FeedRow, FeedRows, FeedTable, ProjectSources, Service};
use ibid_web::csv::{self, FeedLine, FeedSource};
use jiff::{Timestamp, tz::TimeZone};

const DAY_SECONDS: i64 = 86_400;

/// Mounts the route.
pub(crate) fn mount(app: &mut web::ServiceConfig) {
    app.service(handle(&READ_FEED, read));
}

async fn read(
    path: web::Path<(String, String)>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let table = FeedTable::of_file_name(&path.1).ok_or(Error::ProjectNotFound)?;
    let feed = service.projects.feed(&path.0, table).await?;
    Ok(HttpResponse::Ok()
        .content_type(csv::CONTENT_TYPE)
        .insert_header((CACHE_CONTROL, "private, no-store"))
        .insert_header((X_ROBOTS_TAG, "noindex"))
        .body(sheet(&feed, table)))
}

fn sheet(feed: &Feed, table: FeedTable) -> String {
    match &feed.rows {
        FeedRows::Sources(sources) => source_sheet(&feed.domain, sources),
        FeedRows::Counts(rows) => {
            let part = match table {
                FeedTable::Models => Some("model"),
                FeedTable::Questions => Some("question"),
                FeedTable::Daily | FeedTable::Sources => None,
            };
            let days: Vec<String> = rows.iter().map(|row| day(row.day)).collect();
            let lines = rows.iter().zip(&days).map(|(row, date)| line(row, date));
            csv::feed_counts(&feed.domain, part, lines)
        }
    }
}

fn line<'a>(row: &'a FeedRow, date: &'a str) -> FeedLine<'a> {
    FeedLine {
        date,
        keyword: &row.keyword,
        place: row.place.as_deref().unwrap_or_default(),
        language: row.language.as_deref().unwrap_or_default(),
        part: &row.part,
        counts: [
            row.runs,
            row.valid,
            row.cited,
            row.linked,
            row.searched,
            row.named,
        ],
        score_sum: row.score_sum as f64 / 1_000.0,
    }
}

fn source_sheet(domain: &str, sources: &ProjectSources) -> String {
    let last = sources.last.map(|(scan, at)| (date(at), scan.to_string()));
    let run = last.as_ref().map(|(date, scan)| (date.as_str(), scan.as_str()));
    let sites = sources.counts.sites.iter().map(|row| FeedSource {
        site: &row.site,
        kind: row.kind.as_str(),
        counts: [row.answers, row.cited, row.with_target],
    });
    csv::feed_sources(domain, run, sources.counts.answers, sites)
}

fn day(number: i64) -> String {
    date(Timestamp::from_second(number.saturating_mul(DAY_SECONDS)).unwrap_or_default())
}

fn date(at: Timestamp) -> String {
    at.to_zoned(TimeZone::UTC).date().to_string()
}
