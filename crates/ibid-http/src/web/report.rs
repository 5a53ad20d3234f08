//! Reports: for the owner below `/workspace/scans/{id}`, for readers with the link below `/s/{token}`.

use super::browser::Browser;
use super::run::progress_page;
use super::signed_in::SignedIn;
use super::stored::{Stored, parse_id};
use crate::extract::{Asked, Form, Posted, Query, SameOrigin};
use crate::problem::ApiError;
use crate::redirect::see_other;
use crate::respond::{Answer, attachment};
use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::web::Bytes;
use ibid_model::{AccountId, Domain, ScanId};
use ibid_service::{Error, Reader, ReportBrand, RunRecord, Service, ShareTerms};
use ibid_web::csv;
use ibid_web::pages::{
    self, AnswerFilter, AnswersPage, Brand, Owner, ReportPage, Scoring, ShareView, Viewer,
};
use ibid_web::time;
use secrecy::SecretString;

/// `GET /workspace/scans/{id}`: the report, or the progress of the scan.
pub(crate) async fn own(Asked(signed_in, id, service): Asked<SignedIn>) -> Answer {
    let (run, progress) = service
        .scans
        .workspace_run(signed_in.member.account, parse_id(&id)?)
        .await?;
    if run.finished.is_none() {
        return progress_page(&signed_in, &run, progress.as_ref());
    }
    let report = Report::load(&service, run.id, signed_in.member.account).await?;
    let share = share_url(&signed_in.browser, &run);
    let scoring = match (report.stored.outdated, &report.stored.evidence) {
        (false, _) => Scoring::Current,
        (true, None) => Scoring::Outdated,
        (true, Some(_)) => Scoring::Renewable,
    };
    report.page(&signed_in.browser, owner(&run, share.as_deref(), scoring))
}

/// `GET /workspace/scans/{id}/rescored`: the report scored with the current method.
pub(crate) async fn own_again(Asked(signed_in, id, service): Asked<SignedIn>) -> Answer {
    let (run, _) = service
        .scans
        .workspace_run(signed_in.member.account, parse_id(&id)?)
        .await?;
    let stored = Stored::again(&service, run.id, &signed_in.reader()).await?;
    let brand = service.accounts.report_brand(signed_in.member.account).await?;
    let report = Report {
        id: run.id,
        stored,
        brand,
    };
    report.page(&signed_in.browser, owner(&run, None, Scoring::Again))
}

/// `GET /workspace/scans/{id}/rescored.json`.
pub(crate) async fn own_again_file(Asked(signed_in, id, service): Asked<SignedIn>) -> Answer {
    let id = parse_id(&id)?;
    let rescored = service.scans.rescored(id, &signed_in.reader()).await?;
    let (document, domain) = (rescored.document(id)?, &rescored.new.domain);
    Ok(saved(id, domain, "rescored.json", "application/json", document))
}

/// `GET /workspace/scans/{id}/answers`.
pub(crate) async fn own_answers(Asked(signed_in, id, service): Asked<SignedIn>, query: Query) -> Answer {
    let (run, _) = service
        .scans
        .workspace_run(signed_in.member.account, parse_id(&id)?)
        .await?;
    let report = Report::with_answers(&service, run.id, signed_in.member.account).await?;
    report.answers_page(&signed_in.browser, owner(&run, None, Scoring::Current), &query)
}

/// `GET /workspace/scans/{id}/{file}`.
pub(crate) async fn own_file(Asked(signed_in, path, service): Asked<SignedIn, (String, String)>) -> Answer {
    let (id, name) = path.into_inner();
    let file = File::of(&name).ok_or(ApiError::NoSuchPath)?;
    file.download(&service, parse_id(&id)?, &signed_in.reader()).await
}

/// `POST /workspace/scans/{id}/tags`.
pub(crate) async fn tag(
    Posted(signed_in, Form(pairs), id, service): Posted<SignedIn, Form, String>,
) -> Answer {
    let id = parse_id(&id)?;
    service
        .scans
        .set_tags(signed_in.member.account, id, pairs.text("tags"))
        .await?;
    Ok(see_other(&format!("/workspace/scans/{id}#keep")))
}

/// `POST /workspace/scans/{id}/share`, with `days` and `password`: both may be empty.
pub(crate) async fn share(
    Posted(signed_in, Form(mut pairs), id, service): Posted<SignedIn, Form<4_096>, String>,
) -> Answer {
    let id = parse_id(&id)?;
    let days = match pairs.text("days") {
        "" => None,
        // A text that is no number is out of range like 0.
        days => Some(days.parse().unwrap_or(0)),
    };
    let password = SecretString::from(pairs.take("password"));
    let terms = ShareTerms { days, password };
    service
        .accounts
        .share(signed_in.member.account, id, terms)
        .await?;
    Ok(see_other(&format!("/workspace/scans/{id}#keep")))
}

/// `POST /workspace/scans/{id}/share/revoke`.
pub(crate) async fn unshare(_own: SameOrigin, Asked(signed_in, id, service): Asked<SignedIn>) -> Answer {
    let id = parse_id(&id)?;
    service.accounts.unshare(signed_in.member.account, id).await?;
    Ok(see_other(&format!("/workspace/scans/{id}#keep")))
}

fn owner<'a>(run: &'a RunRecord, url: Option<&'a str>, scoring: Scoring) -> Viewer<'a> {
    let share = run.share.as_ref().zip(url).map(|(share, url)| ShareView {
        url,
        until: share.until.map(time),
        protected: share.protected,
    });
    Viewer::Owner(Owner {
        title: run.title.as_deref(),
        tags: &run.tags,
        share,
        scoring,
    })
}

fn share_url(browser: &Browser, run: &RunRecord) -> Option<String> {
    let token = &run.share.as_ref()?.token;
    Some(format!("{}/s/{token}", browser.frame().base_url))
}

/// A finished scan from the store, with the title and the logo of its owner.
pub(super) struct Report {
    id: ScanId,
    stored: Stored,
    brand: Option<ReportBrand>,
}

impl Report {
    /// Loads a scan of an account, without its answers where the evidence store cannot be read.
    pub(super) async fn load(service: &Service, id: ScanId, owner: AccountId) -> Result<Self, ApiError> {
        let stored = Stored::for_report(service, id, &Reader::Account(owner)).await?;
        let brand = service.accounts.report_brand(owner).await?;
        Ok(Self { id, stored, brand })
    }

    /// Loads a run of a project.
    pub(super) async fn of_project(service: &Service, id: ScanId, reader: &Reader) -> Result<Self, ApiError> {
        let stored = Stored::for_report(service, id, reader).await?;
        Ok(Self {
            id,
            stored,
            brand: None,
        })
    }

    /// Loads an account's scan for the page that lists its answers.
    pub(super) async fn with_answers(
        service: &Service,
        id: ScanId,
        owner: AccountId,
    ) -> Result<Self, ApiError> {
        let stored = Stored::find(service, id, &Reader::Account(owner)).await?;
        let brand = service.accounts.report_brand(owner).await?;
        Ok(Self { id, stored, brand })
    }

    fn brand(&self) -> Option<Brand<'_>> {
        self.brand.as_ref().map(|brand| Brand {
            title: brand.title.as_deref(),
            logo: brand.logo.is_some(),
        })
    }

    pub(super) fn page(&self, browser: &Browser, viewer: Viewer<'_>) -> Result<HttpResponse, ApiError> {
        let page = ReportPage {
            id: self.id,
            result: &self.stored.result,
            evidence: self.stored.evidence.as_ref(),
            brand: self.brand(),
            viewer,
        };
        browser.page(StatusCode::OK, pages::report(&browser.frame(), &page))
    }

    pub(super) fn answers_page(
        &self,
        browser: &Browser,
        viewer: Viewer<'_>,
        query: &Query,
    ) -> Result<HttpResponse, ApiError> {
        let evidence = self.stored.evidence.as_ref().ok_or(Error::NotFound)?;
        let page = AnswersPage {
            id: self.id,
            domain: &self.stored.result.domain,
            keyword: &self.stored.result.keyword,
            result: &self.stored.result,
            evidence,
            brand: self.brand(),
            viewer,
            filter: &AnswerFilter::read(query.0.iter()),
        };
        browser.page(StatusCode::OK, pages::answers(&browser.frame(), &page))
    }
}

/// A file to download.
pub(super) enum File {
    Result,
    Answers,
    Sheet(csv::Sheet),
}

impl File {
    pub(super) fn of(name: &str) -> Option<Self> {
        match name {
            "result.json" => Some(Self::Result),
            "answers.json" => Some(Self::Answers),
            name => csv::Sheet::of_file_name(name).map(Self::Sheet),
        }
    }

    pub(super) async fn download(
        &self,
        service: &Service,
        id: ScanId,
        reader: &Reader,
    ) -> Result<HttpResponse, ApiError> {
        let (result, (kind, name, body)) = match self {
            Self::Result => {
                let body = service.scans.scan(id, reader).await?;
                let result = Stored::result(service, id, reader).await?;
                (result, ("application/json", "result.json", body))
            }
            Self::Answers => {
                let body = service.scans.answers(id, reader).await?;
                let result = Stored::result(service, id, reader).await?;
                (result, ("application/json", "answers.json", body))
            }
            Self::Sheet(sheet) => {
                let stored = Stored::find(service, id, reader).await?;
                let text = csv::export(*sheet, &stored.result, stored.evidence.as_ref());
                (stored.result, (csv::CONTENT_TYPE, sheet.file_name(), text.into()))
            }
        };
        Ok(saved(id, &result.domain, name, kind, body))
    }
}

fn saved(id: ScanId, domain: &Domain, name: &str, kind: &'static str, body: Bytes) -> HttpResponse {
    // A domain in its ASCII form is safe in a file name and in a header.
    let short: String = id.to_string().chars().take(8).collect();
    attachment(kind, &format!("{}-{short}-{name}", domain.as_str())).body(body)
}
