//! `GET /workspace/websites/{domain}`: the finished scans of one website over time.

use super::signed_in::SignedIn;
use super::stored::Stored;
use crate::extract::Asked;
use crate::respond::Answer;
use actix_web::http::StatusCode;
use ibid_model::{ScanId, ScanResult};
use ibid_service::{Error, HistoryQuery, SeriesWords};
use ibid_web::pages::{self, ScanSeries, SeriesStep, WebsitePage};

/// Most finished scans on the page.
const MOST: usize = 40;
/// Scans of the history that are looked through.
const A_PAGE: u32 = 200;

pub(crate) async fn website(Asked(signed_in, domain, service): Asked<SignedIn>) -> Answer {
    let domain = domain.into_inner();
    let query = HistoryQuery {
        text: domain.clone(),
        tag: None,
        page: 1,
        a_page: A_PAGE,
    };
    let found = service.scans.history(signed_in.member.account, query).await?;
    let own: Vec<_> = found.rows.iter().filter(|run| run.domain == domain).collect();
    if own.is_empty() {
        return Err(Error::NotFound.into());
    }
    let complete: Vec<ScanId> = own
        .iter()
        .filter(|run| run.finished.is_some())
        .map(|run| run.id)
        .collect();
    let reader = signed_in.reader();
    let mut scans = Vec::new();
    for id in complete.iter().take(MOST) {
        scans.push((*id, Stored::result(&service, *id, &reader).await?));
    }
    let older = complete.len().saturating_sub(scans.len()) as u64;
    let mut groups = Vec::new();
    for group in grouped(scans) {
        let ids = group.iter().map(|(id, _)| *id).collect();
        let words = match service.scans.series_in_words(ids, &reader).await {
            Ok((_, words)) if group.len() > 1 => words,
            // A single scan has no history, and scans without a common model have none together.
            Ok(_) | Err(Error::NotOneSeries(_)) => SeriesWords::default(),
            Err(error) => return Err(error.into()),
        };
        groups.push((group, words));
    }
    let series: Vec<ScanSeries<'_>> = groups
        .iter()
        .map(|(group, words)| ScanSeries {
            steps: group
                .iter()
                .map(|(id, result)| SeriesStep { id: *id, result })
                .collect(),
            sentences: &words.sentences,
            changes: &words.changes,
        })
        .collect();
    let page = WebsitePage {
        domain: &domain,
        series: &series,
        older,
    };
    signed_in
        .browser
        .show(StatusCode::OK, |frame| pages::website(frame, &page))
}

/// Groups scans by keyword and place, the group with the latest scan first; in a group the oldest scan is first.
fn grouped(scans: Vec<(ScanId, ScanResult)>) -> Vec<Vec<(ScanId, ScanResult)>> {
    let key = |result: &ScanResult| {
        let place = result.location.as_ref().map(|place| place.resolved.clone());
        (result.keyword.clone(), place)
    };
    let mut groups: Vec<Vec<(ScanId, ScanResult)>> = Vec::new();
    for scan in scans {
        let group = groups
            .iter_mut()
            .find(|group| group.first().is_some_and(|first| key(&first.1) == key(&scan.1)));
        match group {
            Some(group) => group.push(scan),
            None => groups.push(vec![scan]),
        }
    }
    for group in &mut groups {
        group.sort_by_key(|(_, result)| result.finished_at);
    }
    groups
}
