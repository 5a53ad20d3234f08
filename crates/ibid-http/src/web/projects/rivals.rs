//! `GET /workspace/projects/{id}/rivals` and `…/sources`: counted from what the runs name and cite.

use super::super::signed_in::SignedIn;
use super::access::scope;
use crate::problem::ApiError;
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use ibid_service::{Right, RivalState, Service};
use ibid_web::pages::{
    self, RivalRow, RivalsPage, SharePoint, SourceKindRow, SourceRow, SourcesPage, WinRow,
};

/// Answers of a run below which its share is left out: the range would be most of the scale.
const LEAST_ANSWERS: u32 = 10;

/// The trend of a rival, the questions that it wins, its other names and its website.
type RivalParts<'a> = (Vec<SharePoint>, Vec<WinRow<'a>>, &'a [String], String);
/// A site, and its pages with the answers that use and cite each.
type SiteParts<'a> = (&'a str, Vec<(&'a str, u32, u32)>);

pub(crate) async fn rivals(
    signed_in: SignedIn,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(&service, &signed_in, &id, Right::ReadProject).await?;
    let view = service.projects.get(&scope).await?;
    let rivals = service.projects.rivals_over_time(&scope).await?;
    let times: std::collections::HashMap<_, _> = rivals.runs.iter().copied().collect();
    let parts: Vec<RivalParts<'_>> = rivals
        .counts
        .rows
        .iter()
        .map(|rival| {
            let enough = rival.points.iter().filter(|point| point.answers >= LEAST_ANSWERS);
            let points = enough.filter_map(|point| {
                Some(SharePoint {
                    at: *times.get(&point.scan)?,
                    share: point.share,
                    interval: point.interval,
                })
            });
            let wins = rival.wins.iter().map(|win| WinRow {
                question: &win.question,
                answers: win.answers,
                rival: win.rival,
                own: win.target,
            });
            let kept = rival.kept.and_then(|at| rivals.kept.get(at));
            let domain = rival.domain.clone();
            let domain = domain.or_else(|| kept?.domains.first().cloned());
            let aliases = kept.map(|kept| kept.aliases.as_slice()).unwrap_or_default();
            (
                points.collect(),
                wins.collect(),
                aliases,
                domain.unwrap_or_default(),
            )
        })
        .collect();
    let rows: Vec<RivalRow<'_>> = rivals
        .counts
        .rows
        .iter()
        .zip(&parts)
        .map(|(rival, (points, wins, aliases, domain))| RivalRow {
            name: &rival.name,
            domain,
            aliases,
            pinned: rival.kept.is_some(),
            named: rival.named,
            points,
            wins,
        })
        .collect();
    let ignored = rivals
        .kept
        .iter()
        .filter(|rival| rival.state == RivalState::Ignored);
    let ignored: Vec<&str> = ignored.map(|rival| rival.name.as_str()).collect();
    let last = rivals.runs.last().map(|(_, at)| *at);
    let page = RivalsPage {
        id: &id,
        name: &view.record.name,
        rows: &rows,
        ignored: &ignored,
        recent: (rivals.counts.runs, rivals.counts.answers),
        rare: rivals.counts.rare,
        waiting: rivals.waiting,
        last: last.filter(|_| rows.iter().any(|row| !row.points.is_empty())),
        may_write: scope.may(Right::EditProject),
    };
    let browser = &signed_in.browser;
    browser.page(StatusCode::OK, pages::project_rivals(&browser.frame(), &page))
}

pub(crate) async fn sources(
    signed_in: SignedIn,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(&service, &signed_in, &id, Right::ReadProject).await?;
    let view = service.projects.get(&scope).await?;
    let sources = service.projects.sources(&scope).await?;
    let counts = &sources.counts;
    let kinds: Vec<SourceKindRow> = counts
        .kinds
        .iter()
        .map(|row| SourceKindRow {
            kind: row.kind.as_str(),
            sites: row.sites,
            answers: row.answers,
            cited: row.cited,
            trend: row.trend.map_or("", |trend| trend.as_str()),
        })
        .collect();
    let parts: Vec<SiteParts<'_>> = counts
        .sites
        .iter()
        .map(|row| {
            let pages = row.pages.iter();
            let pages = pages.map(|page| (page.url.as_str(), page.answers, page.cited));
            (row.site.as_str(), pages.collect())
        })
        .collect();
    let sites: Vec<SourceRow<'_>> = counts
        .sites
        .iter()
        .zip(&parts)
        .map(|(row, (site, pages))| SourceRow {
            site,
            kind: row.kind.as_str(),
            answers: row.answers,
            cited: row.cited,
            with_own: row.with_target,
            pages,
            more_pages: row.more_pages,
            trend: row.trend.map_or("", |trend| trend.as_str()),
        })
        .collect();
    let page = SourcesPage {
        id: &id,
        name: &view.record.name,
        last: sources.last.map(|(_, at)| at),
        before: sources.before.map(|(_, at)| at),
        answers: (counts.answers, counts.citing),
        compared: counts.compared,
        kinds: &kinds,
        sites: &sites,
        rare: counts.rare,
        waiting: sources.waiting,
    };
    let browser = &signed_in.browser;
    browser.page(StatusCode::OK, pages::project_sources(&browser.frame(), &page))
}
