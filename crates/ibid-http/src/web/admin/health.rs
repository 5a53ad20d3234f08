//! `/workspace/admin/health`: how the parts of the server are, and a test of its models.

use super::AdminBrowser;
use crate::extract::SameOrigin;
use crate::problem::ApiError;
use crate::web::first_run::probe_rows;
use actix_web::{HttpResponse, web};
use ibid_service::Service;
use ibid_web::pages::{self, HealthFact, HealthPage};
use ibid_web::time;

/// `GET /workspace/admin/health`.
pub(crate) async fn health(
    admin: AdminBrowser,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    show(&admin, &service).await
}

/// `POST /workspace/admin/health`: asks each model one question first.
pub(crate) async fn probe(
    _own: SameOrigin,
    admin: AdminBrowser,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    // A probe needs a key. The page reports a missing one.
    let _ = service.probe_for(&admin.admin).await;
    show(&admin, &service).await
}

async fn show(admin: &AdminBrowser, service: &Service) -> Result<HttpResponse, ApiError> {
    let mut facts = vec![
        store(service).await,
        router(service),
        payments(service).await,
        runs(service),
    ];
    let notes = service.accounts.sign_in_notes(&admin.admin);
    facts.extend(notes.into_iter().map(|note| HealthFact {
        part: "Sign-in",
        good: false,
        state: format!("{:.0}: {}", time(note.at), note.text),
    }));
    let page = HealthPage {
        facts: &facts,
        has_key: service.scans.most_workspace_cost().is_some(),
        probes: &probe_rows(service, &service.probes()),
    };
    admin.page(None, |frame| pages::admin_health(frame, &page))
}

async fn store(service: &Service) -> HealthFact {
    let readiness = service.store_readiness().await;
    let connections = service.connections();
    HealthFact {
        part: "Database",
        good: readiness.fault.is_none(),
        state: match readiness.fault {
            None => format!(
                "a row was written and read; {} connections open, {} idle",
                connections.open, connections.idle
            ),
            Some(_) => "it does not take a row; the log of the server has the cause".to_owned(),
        },
    }
}

fn router(service: &Service) -> HealthFact {
    let (good, state) = match (service.scans.most_workspace_cost(), service.router_reachable()) {
        (None, _) => (
            false,
            "ROUTER_API_KEY is not set, so accounts cannot scan".to_owned(),
        ),
        (Some(_), false) => (false, "the model router does not answer".to_owned()),
        (Some(_), true) if service.is_sandbox() => (true, "answers are invented by the sandbox".to_owned()),
        (Some(most), true) => (true, format!("reachable; a scan may cost at most {most}")),
    };
    HealthFact {
        part: "Model router",
        good,
        state,
    }
}

async fn payments(service: &Service) -> HealthFact {
    let (good, state) = match (service.shop.network(), service.shop.payment_figures().await) {
        (None, _) => (true, "nothing is sold".to_owned()),
        (Some(network), Ok(_)) => (
            true,
            format!("taken on {network}; the command ibid-server books prints the books"),
        ),
        (Some(_), Err(_)) => (
            false,
            "the figures cannot be read; the log of the server has the cause".to_owned(),
        ),
    };
    HealthFact {
        part: "Payments",
        good,
        state,
    }
}

fn runs(service: &Service) -> HealthFact {
    let load = service.load();
    HealthFact {
        part: "Calls of models",
        good: true,
        state: format!("{} under way, {} wait for a place", load.in_flight, load.waiting),
    }
}
