//! The page to audit, and its source.

use crate::error::Error;
use ibid_audit::fetch::{FetchError, FetchFailure};
use ibid_audit::{Auditor, Page, PageSubject, SiteLimits, SiteProgress};
use ibid_engine::plan::Plan;
use ibid_model::contract::field::{BOTS, HTML, URL};
use ibid_model::result::{AuditReport, SiteAudit};
use ibid_model::{Domain, FaultCode, Faults, ObjectReader};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use url::Url;

#[derive(Clone, Debug)]
pub enum Pages {
    Web(Auditor),
    /// The sandbox: every address answers with the same invented page, and no request leaves the process.
    /// The auditor judges addresses and bounds the work.
    Invented(Auditor),
}

/// A page to audit.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageOrder {
    address: Option<String>,
    html: Option<String>,
    /// Whether the answers to several agents are compared.
    bots: bool,
}

impl PageOrder {
    /// Reads `url`, `html` and `bots`. With `url` and `html`, the page is the HTML
    /// and `url` is the address of its publication.
    pub(crate) fn read(
        body: &Map<String, Value>,
        domain: Option<&Domain>,
        pages: &Pages,
    ) -> Result<Self, Faults> {
        let mut fields = ObjectReader::new(body);
        let address = fields
            .text::<String>(&URL)
            .or_else(|| domain.map(|domain| format!("https://{domain}/")));
        let html = fields.text::<String>(&HTML);
        let bots = fields.flag(&BOTS).unwrap_or(false);
        if bots && html.is_some() {
            fields.fault(
                "/bots",
                FaultCode::Invalid,
                "bots compares fetched pages and takes no html",
            );
        }
        if address.is_none() && html.is_none() && fields.get(URL.name).is_none() {
            fields.fault("/url", FaultCode::Required, "url or html is required");
        }
        if html.as_ref().is_some_and(|html| html.len() > HTML.most()) {
            fields.fault("/html", FaultCode::OutOfRange, "html takes at most 2 MiB");
        }
        // A refused address is reported before any money is asked for. With `html` the address only names the place of
        // publication, and it is not fetched.
        let judged = match (&address, &html) {
            (Some(address), None) => {
                let judged = pages.auditor().fetcher().judge(address);
                judged.map(drop).map_err(|error| error.to_string())
            }
            (Some(address), Some(_)) if !is_page_address(address) => {
                Err("url is no http or https address".to_owned())
            }
            (Some(_), Some(_)) | (None, _) => Ok(()),
        };
        if let Err(why) = judged {
            fields.fault("/url", FaultCode::Invalid, why);
        }
        fields.finish(Some(Self { address, html, bots }))
    }

    /// The address to fetch; empty where the page itself was given.
    pub(crate) fn address(&self) -> &str {
        self.address.as_deref().unwrap_or_default()
    }

    /// Returns the address's host; empty where there is none.
    pub(crate) fn host(&self) -> String {
        let url = self.address().parse::<Url>().ok();
        url.and_then(|url| url.host_str().map(str::to_owned))
            .unwrap_or_default()
    }

    /// Whether the answers to several agents are compared.
    pub(crate) fn bots(&self) -> bool {
        self.bots
    }
}

fn is_page_address(text: &str) -> bool {
    text.parse::<Url>()
        .is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
}

impl Pages {
    fn auditor(&self) -> &Auditor {
        match self {
            Self::Web(auditor) | Self::Invented(auditor) => auditor,
        }
    }

    /// Audits a page.
    /// Any HTTP answer is a finding; no answer is a failure.
    pub(crate) async fn audit(&self, order: &PageOrder) -> Result<AuditReport, Error> {
        let now = Timestamp::now();
        let published = |address: &Option<String>| address.as_ref().and_then(|text| text.parse::<Url>().ok());
        let audited = match (&order.html, &order.address, self) {
            (Some(html), address, Pages::Web(auditor) | Pages::Invented(auditor)) => {
                let page = Page::from_html(html.as_bytes(), published(address), now);
                auditor.audit_page(page).await
            }
            (None, Some(address), Pages::Web(auditor)) if order.bots => {
                auditor.audit_with_bots(address, now).await
            }
            (None, Some(address), Pages::Web(auditor)) => auditor.audit(address, now).await,
            (None, Some(_), Pages::Invented(auditor)) => {
                let page = answered(INVENTED, published(&order.address), now);
                let bots = order.bots.then(|| ibid_audit::same_for_all(&page)).flatten();
                auditor.audit_page(page).await.map(|report| AuditReport {
                    invented: true,
                    bots,
                    ..report
                })
            }
            (None, None, _) => Err(FetchError::Failed(FetchFailure::Internal)),
        };
        audited.map_err(Error::Page)
    }

    /// Audits a page, and reads what it says about its owner. In the sandbox it is an invented home page.
    pub(crate) async fn look(&self, order: &PageOrder) -> Result<(AuditReport, PageSubject), Error> {
        let now = Timestamp::now();
        let url = order.address.as_ref().and_then(|text| text.parse::<Url>().ok());
        let looked = match (&order.html, self) {
            (Some(html), Self::Web(auditor) | Self::Invented(auditor)) => {
                let page = Page::from_html(html.as_bytes(), url, now);
                auditor.look_page(page).await
            }
            (None, Self::Web(auditor)) => auditor.look(order.address(), now).await,
            (None, Self::Invented(auditor)) => {
                let mut looked = auditor.look_page(answered(INVENTED_SHOP, url, now)).await;
                if let Ok((report, _)) = &mut looked {
                    report.invented = true;
                }
                looked
            }
        };
        looked.map_err(Error::Page)
    }

    /// Audits a sample of the site that a page is on.
    pub(crate) async fn audit_site(
        &self,
        order: &PageOrder,
        limits: SiteLimits,
        mut on_progress: impl FnMut(SiteProgress) + Send,
    ) -> Result<SiteAudit, Error> {
        let now = Timestamp::now();
        match self {
            Self::Web(auditor) => {
                let audited = auditor.site(order.address(), limits, now, on_progress).await;
                audited.map_err(Error::Page)
            }
            Self::Invented(_) => {
                let first = order.address().parse::<Url>().ok();
                let paths = ["/guides/invented", "/guides/made-up"];
                let others = paths.iter().filter_map(|path| first.as_ref()?.join(path).ok());
                let urls = first.iter().cloned().chain(others);
                let pages: Vec<Page> = urls.map(|url| answered(INVENTED, Some(url), now)).collect();
                let total = u32::try_from(pages.len()).unwrap_or(u32::MAX);
                on_progress(SiteProgress { done: total, total });
                let internal = || Error::Page(FetchError::Failed(FetchFailure::Internal));
                let audit = ibid_audit::site_audit(&pages).ok_or_else(internal)?;
                Ok(SiteAudit {
                    invented: true,
                    ..audit
                })
            }
        }
    }
}

/// A page as a server answers it.
fn answered(html: &str, url: Option<Url>, now: Timestamp) -> Page {
    let mut page = Page::from_html(html, url, now);
    page.status = Some(200);
    page.headers.push("content-type", "text/html; charset=utf-8");
    page
}

/// Returns the form of an address by which audits of it are found: parsed, without a fragment. For example,
/// `https://example.com/a#b` becomes `https://example.com/a`.
pub(crate) fn page_key(address: &str) -> String {
    match address.parse::<Url>() {
        Ok(mut url) => {
            url.set_fragment(None);
            url.into()
        }
        Err(_) => address.to_owned(),
    }
}

/// Adds the brand names of the target's home page to a plan whose order asks for them. A failed fetch is no failure
/// of the scan: the result reports it.
pub(crate) async fn with_names(pages: Option<&Pages>, plan: Plan) -> Plan {
    if !plan.order().learn_names() {
        return plan;
    }
    let (domain, now) = (plan.order().domain().clone(), Timestamp::now());
    let names = match pages {
        None => return plan.without_home_page("this service fetches no pages"),
        Some(Pages::Web(auditor)) => auditor.home_names(&domain, now).await,
        Some(Pages::Invented(_)) => Ok(ibid_audit::names(&invented_home(&domain, now))),
    };
    match names {
        Ok(names) => plan.with_home_page(names),
        Err(error) => plan.without_home_page(&error.to_string()),
    }
}

/// The home page that every website has in the sandbox.
fn invented_home(domain: &Domain, now: Timestamp) -> Page {
    let label = domain.as_str().split('.').next().unwrap_or_default();
    let html = format!(
        "<!doctype html><title>Home</title><meta property=\"og:site_name\" content=\"{label} Invented\">"
    );
    Page::from_html(html, None, now)
}

/// The home page that a first look reads in the sandbox.
const INVENTED_SHOP: &str = r#"<!doctype html><html lang="en"><head><meta charset="utf-8">
<title>Plumbers in Valencia for old houses</title><meta name="description" content="Invented plumbers, day and night.">
<script type="application/ld+json">{"@context": "https://schema.org", "@type": "Plumber", "name": "Invented Plumbers",
"telephone": "+34 000", "address": {"@type": "PostalAddress", "addressLocality": "Valencia", "addressCountry": "Spain"}}</script>
</head><body><main><h1>Plumbers in Valencia</h1><p>This page was invented by the sandbox.</p></main></body></html>"#;

/// The page that answers in the sandbox.
const INVENTED: &str = r#"<!doctype html><html lang="en"><head><meta charset="utf-8">
<title>How a heat pump heats an old house</title>
<meta name="description" content="What a heat pump needs in a house without new insulation, with measured figures.">
<meta property="article:published_time" content="2026-05-04"><meta name="author" content="Invented Author"></head>
<body><main><article><h1>How a heat pump heats an old house</h1>
<p>A heat pump heats an old house if the water in the radiators stays below 55 degrees. In 41 measured houses that was
the case in 33. This page was invented by the sandbox; nothing on it was measured.</p>
<h2>What does it need?</h2><ul><li>Radiators of sufficient size</li><li>A place outside</li></ul>
<h2>What does it cost?</h2><p>An invented sum of 18,000 euros, of which 30 % come back.</p></article></main></body></html>"#;

impl std::fmt::Debug for PageOrder {
    /// Leaves out the HTML, which may be long.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PageOrder")
            .field("address", &self.address)
            .field("bots", &self.bots)
            .finish_non_exhaustive()
    }
}
