//! `/workspace/projects/{id}/own-data`: what the website's own data say. A file is read and kept first, and imported when the
//! person says yes.

use super::super::history::time;
use super::super::signed_in::SignedIn;
use super::access::{reader, scope};
use super::questions;
use crate::extract::{AuthenticatedThen, Form, Proof, Query, SameOrigin, Upload};
use crate::problem::{ApiError, faults_of};
use crate::redirect::see_other;
use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::{FromRequest, HttpRequest, HttpResponse, web};
use ibid_model::{Catalog, Faults};
use ibid_service::{
    CitedShare, MOST_OWN_DATA, OwnAgreement, OwnBreak, OwnCompared, OwnDataFile, OwnDataRead, OwnDataTurn,
    OwnDataUse, OwnFileOutcome, OwnFormat, OwnMeasure, OwnSource, Right, SEEN_DAYS, Seen, Service,
    own_data_room,
};
use ibid_web::pages::{
    self, CitedShareView, OwnAgreementRow, OwnDataPage, OwnFileView, OwnImportRow, OwnPageRow, OwnSeries,
    SeenAnswersView,
};
use ibid_web::{Notice, NoticeKind};
use std::collections::{BTreeMap, HashSet};
use std::future::Future;
use std::pin::Pin;

/// Rows of the tables of pages and topics.
const MOST_PAGES: usize = 50;
const MOST_TOPICS: usize = 30;
/// Queries to choose from.
const MOST_QUERIES: usize = 100;
/// Names of each list of an agreement.
const MOST_NAMES: usize = 20;
/// Runs whose scores are drawn.
const RUNS: u32 = 200;
/// Lines of refused rows that are named.
const MOST_LINES: usize = 10;
/// Most bytes of the ticked queries.
const MOST_FORM: usize = 262_144;

/// Pages or topics with a value each.
type Names<'a> = Vec<(&'a str, f64)>;

/// A person who may read a file now. The file counts before the body is read.
pub(crate) struct Uploader {
    signed_in: SignedIn,
    turn: OwnDataTurn,
}

impl Uploader {
    pub(super) fn into_parts(self) -> (SignedIn, OwnDataTurn) {
        (self.signed_in, self.turn)
    }
}

impl Proof for Uploader {}

impl FromRequest for Uploader {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let signed_in = SignedIn::from_request(request, payload);
        let service = request.app_data::<web::Data<Service>>().cloned();
        Box::pin(async move {
            let signed_in = signed_in.await?;
            let service = service.ok_or(ApiError::NotReady)?;
            let turn = service.projects.begin_own_data(reader(&signed_in))?;
            Ok(Self { signed_in, turn })
        })
    }
}

/// The parts of a page beside the project.
#[derive(Default)]
struct Shown {
    read: Option<OwnDataRead>,
    faults: Faults,
    done: Option<&'static str>,
}

pub(crate) async fn show(
    signed_in: SignedIn,
    id: web::Path<String>,
    query: Query,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let done = match query.0.text("done") {
        "imported" => Some("The file is imported."),
        "replaced" => Some("The file took the place of the same one, which was read in another way."),
        "unchanged" => Some("The project has this file already: nothing changed."),
        "deleted" => Some("The import is deleted."),
        _ => None,
    };
    let part = Shown {
        done,
        ..Shown::default()
    };
    shown(&signed_in, &service, &id, part).await
}

/// `POST …/own-data`: reads a file, and shows what was understood.
pub(crate) async fn check(
    _own: SameOrigin,
    id: web::Path<String>,
    AuthenticatedThen(Uploader { signed_in, turn }, upload): AuthenticatedThen<
        Uploader,
        Upload<MOST_OWN_DATA>,
    >,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(&service, &signed_in, &id, Right::EditProject).await?;
    let text = |name: &str| upload.texts.text(name).to_owned();
    let (format, until) = (text("format"), text("until"));
    let chosen = upload.file.filter(|file| file.field == "file");
    let (name, bytes) = chosen.map(|file| (file.name, file.bytes)).unzip();
    let file = OwnDataFile {
        name: name.unwrap_or_default(),
        format,
        until,
        bytes,
    };
    let read = service
        .projects
        .read_own_data(&scope, turn, file, OwnDataUse::Keep);
    let part = match read.await {
        Ok(read) => Shown {
            read: Some(read),
            ..Shown::default()
        },
        Err(error) => Shown {
            faults: faults_of(error)?,
            ..Shown::default()
        },
    };
    shown(&signed_in, &service, &id, part).await
}

/// `POST …/own-data/{change}`: imports the file that was read, deletes an import, or takes queries to the questions.
pub(crate) async fn change(
    _own: SameOrigin,
    target: web::Path<(String, String)>,
    AuthenticatedThen(signed_in, Form(pairs)): AuthenticatedThen<SignedIn, Form<MOST_FORM>>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let (id, change) = target.into_inner();
    let scope = scope(&service, &signed_in, &id, Right::EditProject).await?;
    let done = match change.as_str() {
        "import" => {
            let confirmed =
                service
                    .projects
                    .confirm_own_data(&scope, pairs.text("import"), pairs.text("lower") == "yes");
            match confirmed.await {
                Ok(OwnFileOutcome::Same) => "unchanged",
                Ok(OwnFileOutcome::Replaced) => "replaced",
                Ok(_) => "imported",
                Err(error) => {
                    let part = Shown {
                        faults: faults_of(error)?,
                        ..Shown::default()
                    };
                    return shown(&signed_in, &service, &id, part).await;
                }
            }
        }
        "delete" => {
            service
                .projects
                .delete_own_data(&scope, pairs.text("import"))
                .await?;
            "deleted"
        }
        "questions" => {
            let queries = pairs.all("query").map(str::to_owned);
            return questions::proposed(&signed_in, &service, &id, queries).await;
        }
        _ => return Err(ApiError::NoSuchPath),
    };
    Ok(see_other(&format!(
        "/workspace/projects/{id}/own-data?done={done}"
    )))
}

/// A measure that says something about answers, in words. Others are in the API.
fn label(source: OwnSource, measure: OwnMeasure) -> Option<&'static str> {
    use OwnMeasure as M;
    Some(match (source, measure) {
        (OwnSource::BingAi, M::Citations) => "Citations at Bing",
        (OwnSource::SearchConsoleAi, M::Impressions) => "Impressions in Google’s AI answers",
        (OwnSource::Ga4, M::Sessions) => "Sessions from assistants, GA4",
        (OwnSource::AccessLog, M::Visits) => "Visits from assistants, log",
        (OwnSource::AccessLog, M::UserFetchesVerified) => "Fetched for an answer, verified",
        (OwnSource::AccessLog, M::UserFetchesClaimed) => "Fetched for an answer, claimed",
        (OwnSource::AccessLog, M::SearchFetchesVerified) => "Fetched for search, verified",
        (OwnSource::AccessLog, M::SearchFetchesClaimed) => "Fetched for search, claimed",
        (OwnSource::AccessLog, M::TrainingFetchesVerified) => "Fetched for training, verified",
        (OwnSource::AccessLog, M::TrainingFetchesClaimed) => "Fetched for training, claimed",
        _ => return None,
    })
}

/// Whether a measure follows from answers: fetches for search and training do not.
fn follows_from_answers(measure: OwnMeasure) -> bool {
    use OwnMeasure as M;
    !matches!(
        measure,
        M::SearchFetchesVerified
            | M::SearchFetchesClaimed
            | M::TrainingFetchesVerified
            | M::TrainingFetchesClaimed
    )
}

async fn shown(
    signed_in: &SignedIn,
    service: &Service,
    id: &str,
    part: Shown,
) -> Result<HttpResponse, ApiError> {
    let scope = scope(service, signed_in, id, Right::ReadProject).await?;
    let (view, asked) = service.projects.asked(&scope).await?;
    let own = service.projects.own_data(&scope).await?;
    let runs = service.projects.runs(&scope, RUNS).await?;
    let seen = service.projects.seen(&scope).await?;
    let catalog = service.scans.catalog();
    let record = &view.record;
    let scores: Vec<_> = runs
        .iter()
        .filter(|run| run.market.is_none() && run.place == record.place)
        .filter_map(|run| Some((time(run.at), run.summary?.score.get())))
        .collect();
    let sources: Vec<String> = own
        .imports
        .iter()
        .map(|import| {
            let words = import.formats.split(',');
            words.map(source_in_words).collect::<Vec<_>>().join(", ")
        })
        .collect();
    let imports: Vec<OwnImportRow<'_>> = own
        .imports
        .iter()
        .zip(sources)
        .map(|(import, sources)| OwnImportRow {
            id: import.id.to_string(),
            name: &import.name,
            sources,
            days: import
                .days
                .as_ref()
                .map(|(first, last)| (first.as_str(), last.as_str())),
            rows: import.row_count.into(),
            at: time(import.created_at),
            by: import.email.as_deref().unwrap_or("a key"),
        })
        .collect();
    let summary = &own.summary;
    let series: Vec<OwnSeries<'_>> = summary
        .days
        .iter()
        .filter_map(|series| {
            Some(OwnSeries {
                label: label(series.source, series.measure)?,
                days: &series.days,
                breaks: series.breaks.iter().map(OwnBreak::in_words).collect(),
            })
        })
        .collect();
    let mut columns: BTreeMap<(OwnSource, OwnMeasure), &'static str> = BTreeMap::new();
    for key in summary.pages.iter().flat_map(|page| page.values.keys()) {
        if let Some(label) = label(key.0, key.1) {
            columns.insert(*key, label);
        }
    }
    let told: Vec<_> = summary
        .pages
        .iter()
        .filter(|page| page.share > 0.0 || page.values.keys().any(|key| columns.contains_key(key)))
        .collect();
    let rows: Vec<OwnPageRow<'_>> = told
        .iter()
        .take(MOST_PAGES)
        .map(|page| OwnPageRow {
            page: &page.page,
            share: page.share,
            values: columns.keys().map(|key| page.values.get(key).copied()).collect(),
        })
        .collect();
    let topics = summary.topics.iter().take(MOST_TOPICS);
    let topics: Vec<(&str, f64)> = topics.map(|(topic, value)| (topic.as_str(), *value)).collect();
    let known: HashSet<String> = asked
        .iter()
        .map(|question| question.text.to_lowercase())
        .collect();
    let queries: Vec<(&str, [f64; 3])> = summary
        .queries
        .iter()
        .filter(|query| !known.contains(&query.query.to_lowercase()))
        .take(MOST_QUERIES)
        .map(|query| {
            let values = [query.citations, query.clicks, query.impressions];
            (query.query.as_str(), values)
        })
        .collect();
    let compared: Vec<_> = summary
        .comparisons
        .iter()
        .filter(|one| own.answers > 0 && follows_from_answers(one.measure))
        .filter_map(|one| Some((label(one.source, one.measure)?, one)))
        .collect();
    let short =
        |names: &[(String, f64)]| -> Vec<(String, f64)> { names.iter().take(MOST_NAMES).cloned().collect() };
    let lists: Vec<_> = compared
        .iter()
        .map(|(_, one)| (short(&one.only_there), short(&one.only_here)))
        .collect();
    let lists: Vec<(Names<'_>, Names<'_>)> = lists
        .iter()
        .map(|(there, here)| (borrowed(there), borrowed(here)))
        .collect();
    let agreements: Vec<OwnAgreementRow<'_>> = compared
        .iter()
        .zip(&lists)
        .map(|((label, one), (there, here))| {
            let (pairs, enough, measured) = match one.agreement {
                OwnAgreement::Void(_) => (0, false, None),
                OwnAgreement::NotEnough { pairs } => (pairs, false, None),
                OwnAgreement::NoOrder { pairs } => (pairs, true, None),
                OwnAgreement::Measured {
                    pairs,
                    rho,
                    low,
                    high,
                } => (pairs, true, Some((rho, low, high))),
            };
            OwnAgreementRow {
                label,
                of_topics: one.of == OwnCompared::Topics,
                pairs,
                measured,
                enough,
                void: match &one.agreement {
                    OwnAgreement::Void(found) => Some(found.in_words()),
                    OwnAgreement::NotEnough { .. }
                    | OwnAgreement::NoOrder { .. }
                    | OwnAgreement::Measured { .. } => None,
                },
                only_there: there,
                only_here: here,
                more: (
                    one.only_there.len() - there.len(),
                    one.only_here.len() - here.len(),
                ),
            }
        })
        .collect();
    let formats: Vec<(&str, &str)> = OwnFormat::ALL
        .iter()
        .map(|format| (format.name(), format.shape()))
        .collect();
    let columns: Vec<&'static str> = columns.into_values().collect();
    let kept: u64 = own.imports.iter().map(|import| u64::from(import.row_count)).sum();
    let page = OwnDataPage {
        id,
        name: &record.name,
        imports: &imports,
        rows: (kept, own_data_room()),
        scores: &scores,
        series: &series,
        columns: &columns,
        pages: &rows,
        more_pages: told.len().saturating_sub(rows.len()),
        topics: &topics,
        queries: &queries,
        agreements: &agreements,
        answers: own.answers.into(),
        seen: seen_view(&seen, &catalog),
        formats: &formats,
        read: part.read.as_ref().map(understood),
        faults: &part.faults,
        may_write: scope.may(Right::EditProject),
    };
    let status = match part.faults.is_empty() {
        true => StatusCode::OK,
        false => StatusCode::UNPROCESSABLE_ENTITY,
    };
    let mut frame = signed_in.browser.frame();
    frame.notice = part.done.map(|text| Notice {
        kind: NoticeKind::Done,
        text,
    });
    signed_in
        .browser
        .page(status, pages::project_own_data(&frame, &page))
}

fn seen_view<'a>(seen: &'a Seen, catalog: &'a Catalog) -> SeenAnswersView<'a> {
    let share = |share: &CitedShare| CitedShareView {
        answers: (share.answers, share.cited),
        interval: share.interval,
    };
    let name = |alias: &'a str| catalog.resolve(alias).map_or(alias, |model| model.name.as_str());
    let questions = seen.questions.iter().take(MOST_TOPICS);
    let questions: Vec<_> = questions
        .map(|one| {
            let seen = one.seen.iter().map(share).collect();
            (one.text.as_str(), seen, share(&one.asked))
        })
        .collect();
    SeenAnswersView {
        days: SEEN_DAYS,
        interfaces: seen
            .interfaces
            .iter()
            .map(|(name, of)| (name.as_str(), share(of)))
            .collect(),
        models: seen
            .models
            .iter()
            .map(|(alias, of)| (name(alias), share(of)))
            .collect(),
        more: ((seen.questions.len() - questions.len()) as u64, seen.others),
        questions,
    }
}

fn borrowed(names: &[(String, f64)]) -> Names<'_> {
    names
        .iter()
        .map(|(name, value)| (name.as_str(), *value))
        .collect()
}

fn source_in_words(word: &str) -> &'static str {
    match word {
        "bing_ai" => "Bing AI Performance",
        "search_console_ai" => "Search Console, generative AI",
        "search_console" => "Search Console, search",
        "ga4" => "GA4",
        _ => "access log",
    }
}

fn understood(read: &OwnDataRead) -> OwnFileView<'_> {
    let report = &read.report;
    let refused = report.refused.counts.iter().map(|(reason, count)| {
        let lines = report.refused.first.iter().filter(|line| line.reason == *reason);
        let mut lines: Vec<String> = lines.take(MOST_LINES).map(|line| line.line.to_string()).collect();
        if (lines.len() as u64) < *count {
            lines.push("…".to_owned());
        }
        (reason.words(), *count, lines.join(", "))
    });
    OwnFileView {
        id: read.outcome.map(|_| read.id.to_string()),
        name: &report.name,
        formats: report.formats.iter().map(|format| format.name()).collect(),
        days: report
            .from
            .zip(report.to)
            .map(|(from, to)| (from.to_string(), to.to_string())),
        rows: (report.read, report.used, report.rows as u64),
        refused: refused.collect(),
        notes: &report.notes,
        known_since: read.known_since.map(time),
        changes: read
            .changes
            .iter()
            .map(|change| (change.in_words(), change.falls()))
            .collect(),
    }
}
