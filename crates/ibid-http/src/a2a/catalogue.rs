//! What is sold where, in words: for offers and for the catalogues that collect them.

use crate::openapi::paid_bodies;
use ibid_model::{Catalog, Skill};
use ibid_service::Listings;
use ibid_x402::{Discovery, Listing};
use serde_json::{Value, json};
use std::sync::Arc;
use url::Url;

/// The listings of all paid routes.
pub(crate) struct Catalogue {
    pub(crate) scan: Arc<Listing>,
    pub(crate) watch: Arc<Listing>,
    pub(crate) radius: Arc<Listing>,
    pub(crate) audit: Arc<Listing>,
    pub(crate) full: Arc<Listing>,
    pub(crate) receipts: Arc<Listing>,
}

impl Catalogue {
    /// The listings of a service reached at `base_url` that knows the models of `catalog`.
    pub(crate) fn new(base_url: &Url, catalog: &Catalog) -> Self {
        let schemas = paid_bodies(catalog);
        let scan = json!({"domain": "example.com", "keyword": "plumber"});
        let radius = json!({"domain": "example.com", "keyword": "plumber", "location": "Valencia, Spain"});
        let result = json!({"scanId": "00000000-0000-4000-8000-000000000000", "status": "complete",
                            "result": {"overallScore": 41.5}});
        let listing =
            |path: &str, description: &'static str, schema: &Value, body: &Value, output: &Value| {
                let discovery = Discovery::post_json(schema.clone(), body.clone(), output.clone());
                Listing::new(absolute(base_url, path), description).discoverable(discovery)
            };
        let page = json!({"wallet": "0x0000000000000000000000000000000000000000", "receipts": [], "nextCursor": null});
        Self {
            scan: Arc::new(listing(
                "scan",
                "AI citation scan of a domain for a keyword",
                &schemas.scan,
                &scan,
                &result,
            )),
            watch: Arc::new(
                listing(
                    "watch",
                    "AI citation scan with live progress (SSE)",
                    &schemas.scan,
                    &scan,
                    &result,
                )
                .streamed(),
            ),
            radius: Arc::new(listing(
                "radius",
                "How far around a place AI answers cite a domain, ring by ring",
                &schemas.radius,
                &radius,
                &result,
            )),
            audit: Arc::new(listing(
                "audit",
                "Audit of a web page: how easily can an AI find, read and cite it",
                &schemas.audit,
                &json!({"url": "https://example.com/"}),
                &json!({"auditId": "00000000-0000-4000-8000-000000000000", "status": "complete", "result": {"score": 71}}),
            )),
            full: Arc::new(listing(
                "full",
                "AI citation scan, radius analysis and page audit in one",
                &schemas.full,
                &radius,
                &json!({"scanId": "00000000-0000-4000-8000-000000000000", "status": "complete",
                        "result": {"overallScore": 41.5}, "audit": {"score": 71}}),
            )),
            receipts: Arc::new(listing(
                "my-receipts",
                "Your own purchases; the signature proves the wallet and is never settled",
                &schemas.receipts,
                &json!({}),
                &page,
            )),
        }
    }
}

/// What is sold over JSON-RPC. Short: an offer is kept with every task, and agents read the card.
pub(crate) fn listings(base_url: &Url) -> Listings {
    let listing = |skill: Skill, description: &'static str| {
        Arc::new(Listing::new(
            absolute(base_url, &format!("jsonrpc#{skill}")),
            description,
        ))
    };
    Listings {
        scan: listing(Skill::Scan, "AI citation scan of a domain for a keyword"),
        radius: listing(
            Skill::Radius,
            "How far around a place AI answers cite a domain, ring by ring",
        ),
        audit: listing(
            Skill::Audit,
            "Audit of a web page: how easily can an AI find, read and cite it",
        ),
        full: listing(
            Skill::Full,
            "AI citation scan, radius analysis and page audit in one",
        ),
        my_receipts: listing(
            Skill::MyReceipts,
            "Your own purchases; the signature proves the wallet and is never settled",
        ),
    }
}

/// The address of a paid route. Version 1 clients insist on an absolute one.
fn absolute(base_url: &Url, path: &str) -> Url {
    let address = format!("{}/api/a2a/{path}", base_url.as_str().trim_end_matches('/'));
    address.parse().unwrap_or_else(|_| base_url.clone())
}
