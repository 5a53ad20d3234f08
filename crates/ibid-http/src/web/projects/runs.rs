//! `GET /workspace/projects/{id}/runs`: all runs of a project, a page at a time.

use super::super::history::time;
use super::super::signed_in::SignedIn;
use super::access::scope;
use crate::answer_tables;
use crate::extract::Query;
use crate::problem::ApiError;
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use ibid_model::UsdMicros;
use ibid_service::{Right, Service, outcome_in_words};
use ibid_web::pages::{self, AnyRunRow, ProjectRunsPage};

/// `GET /workspace/projects/{id}/answers.csv`.
pub(crate) async fn table(
    signed_in: SignedIn,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(&service, &signed_in, &id, Right::ReadProject).await?;
    answer_tables::table(&service, &scope).await
}

/// `GET /workspace/projects/{id}/answers.xlsx`.
pub(crate) async fn workbook(
    signed_in: SignedIn,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(&service, &signed_in, &id, Right::ReadProject).await?;
    answer_tables::workbook(&service, &scope).await
}

pub(crate) async fn show(
    signed_in: SignedIn,
    id: web::Path<String>,
    query: Query,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(&service, &signed_in, &id, Right::ReadProject).await?;
    let view = service.projects.get(&scope).await?;
    let number = query.0.text("page").parse().unwrap_or(1).max(1);
    let (runs, more) = service.projects.run_page(&scope, number).await?;
    let record = &view.record;
    let has_markets = !view.markets.is_empty();
    let rows: Vec<AnyRunRow<'_>> = runs
        .iter()
        .map(|found| {
            let run = &found.run;
            let set = run.question_set.as_deref();
            let market = run
                .market
                .and_then(|id| view.markets.iter().find(|market| market.schedule == id));
            let of_market = market.and_then(|market| market.place.as_deref());
            let own = record.place.as_deref().filter(|_| run.market.is_none());
            AnyRunRow {
                at: time(run.at),
                scan: run.scan,
                // One market is that of the whole page.
                place: run.place.as_deref().or(of_market).or(own).filter(|_| has_markets),
                score: run.summary.map(|summary| (summary.score, summary.interval)),
                outcome: match (run.outcome.as_deref(), found.stopping) {
                    (Some(word), _) => outcome_in_words(word),
                    (None, true) => "being stopped",
                    (None, false) => "under way",
                },
                cost: UsdMicros::new(run.cost),
                version: set.and_then(|set| set.rsplit('@').next()?.parse().ok()),
                progress: found.progress,
                stoppable: found.progress.is_some() && !found.stopping,
            }
        })
        .collect();
    let page = ProjectRunsPage {
        id: &id,
        name: &view.record.name,
        rows: &rows,
        number,
        more,
        may_run: scope.may(Right::RunProject),
    };
    let browser = &signed_in.browser;
    browser.page(StatusCode::OK, pages::project_runs(&browser.frame(), &page))
}
