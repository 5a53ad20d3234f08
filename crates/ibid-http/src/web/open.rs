//! Public pages: home, the API reference, the error codes, `llms.txt`.

use super::browser::Browser;
use super::demo::closed;
use crate::config::HttpConfig;
use crate::openapi;
use crate::problem::ApiError;
use crate::public_documents::{self, PublicDocuments, choices};
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, LOCATION};
use actix_web::{HttpRequest, HttpResponse, web};
use ibid_model::Faults;
use ibid_service::Service;
use ibid_web::pages::{self, Demo, HomePage};
use ibid_web::{LLMS_CONTENT_TYPE, LlmsTxtPage, llms_txt};

/// `GET /`.
pub(crate) async fn home(browser: Browser, service: web::Data<Service>) -> Result<HttpResponse, ApiError> {
    let demo = match closed(service.scans.demo()) {
        Some(reason) => Demo::Closed { reason },
        None => Demo::Open {
            domain: "",
            keyword: "",
            faults: &Faults::default(),
        },
    };
    home_page(&browser, &service, demo, StatusCode::OK).await
}

/// Renders the home page with the free question in its current state.
pub(crate) async fn home_page(
    browser: &Browser,
    service: &Service,
    demo: Demo<'_>,
    status: StatusCode,
) -> Result<HttpResponse, ApiError> {
    let network = service.shop.network().map(|network| network.to_string());
    let sample = service
        .scans
        .sample_link()
        .await?
        .map(|token| format!("/s/{token}"));
    let page = HomePage {
        demo,
        sold: service.shop.offering(),
        network: network.as_deref(),
        sample: sample.as_deref(),
        looks: service.scans.offers_looks(),
    };
    browser.page(status, pages::home(&browser.frame(), &page))
}

/// `GET /docs`. Readers that are not signed in share one rendered page.
pub(crate) async fn docs(
    browser: Browser,
    request: HttpRequest,
    service: web::Data<Service>,
    config: web::Data<HttpConfig>,
    documents: web::Data<PublicDocuments>,
) -> Result<HttpResponse, ApiError> {
    if browser.member().is_some() {
        let catalog = service.planner.catalog();
        let openapi = openapi::document(&config.base_url, &catalog, service.shop.offering());
        let html = public_documents::docs(&service, &catalog, &openapi, &browser.frame())?;
        return browser.page(StatusCode::OK, Ok(html));
    }
    let rendered = documents.current(&service, &config, &browser.anonymous())?;
    let mut head = Browser::head(StatusCode::OK);
    head.insert_header((CACHE_CONTROL, "private, no-cache"));
    Ok(rendered.docs.answer(&request, head))
}

/// `GET /docs/schemas`: the schemas of the API. Readers that are not signed in share one rendered page.
pub(crate) async fn schemas(
    browser: Browser,
    request: HttpRequest,
    service: web::Data<Service>,
    config: web::Data<HttpConfig>,
    documents: web::Data<PublicDocuments>,
) -> Result<HttpResponse, ApiError> {
    if browser.member().is_some() {
        let openapi = openapi::document(
            &config.base_url,
            &service.planner.catalog(),
            service.shop.offering(),
        );
        return browser.page(StatusCode::OK, pages::docs_schemas(&browser.frame(), &openapi));
    }
    let rendered = documents.current(&service, &config, &browser.anonymous())?;
    let mut head = Browser::head(StatusCode::OK);
    head.insert_header((CACHE_CONTROL, "private, no-cache"));
    Ok(rendered.schemas.answer(&request, head))
}

/// `GET /docs/errors`: the anchors are what `type` of a problem document points to.
pub(crate) async fn errors(browser: Browser) -> Result<HttpResponse, ApiError> {
    browser.page(StatusCode::OK, pages::error_codes(&browser.frame()))
}

/// `GET /docs/glossary`: the words of the reports.
pub(crate) async fn glossary(browser: Browser) -> Result<HttpResponse, ApiError> {
    browser.page(StatusCode::OK, pages::glossary(&browser.frame()))
}

/// `GET /robots.txt`: public pages may be listed, reports and the workspace may not.
pub(crate) async fn robots(browser: Browser) -> HttpResponse {
    plain_file(
        "text/plain; charset=utf-8",
        ibid_web::robots_txt(browser.frame().base_url),
    )
}

/// `GET /sitemap.xml`: the public pages.
pub(crate) async fn sitemap(browser: Browser) -> HttpResponse {
    let text = ibid_web::sitemap_xml(browser.frame().base_url);
    plain_file("application/xml; charset=utf-8", text)
}

/// `GET /favicon.ico`: leads to the icon, for clients that do not read the page.
pub(crate) async fn favicon() -> HttpResponse {
    HttpResponse::Found()
        .insert_header((LOCATION, ibid_web::assets::icon_path()))
        .insert_header((CACHE_CONTROL, "public, max-age=86400"))
        .finish()
}

fn plain_file(content_type: &'static str, body: String) -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, content_type))
        .insert_header((CACHE_CONTROL, "public, max-age=86400"))
        .body(body)
}

/// `GET /llms.txt`.
pub(crate) async fn llms(browser: Browser, service: web::Data<Service>) -> HttpResponse {
    let (catalog, network, frame) = (service.planner.catalog(), service.shop.network(), browser.frame());
    let network = network.map(|network| network.to_string());
    let text = llms_txt(&LlmsTxtPage {
        base_url: frame.base_url,
        models: &choices(&catalog, &service),
        defaults: catalog.defaults().len(),
        sold: service.shop.offering(),
        network: network.as_deref(),
        sandbox: frame.sandbox,
        contact: frame.contact,
    });
    HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, LLMS_CONTENT_TYPE))
        // Models and prices change every few hours at most.
        .insert_header((CACHE_CONTROL, "public, max-age=300"))
        .body(text)
}
