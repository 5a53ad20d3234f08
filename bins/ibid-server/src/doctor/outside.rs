//! Checks of what may be on other machines: the router, the evidence store and the facilitator.

use super::Report;
use super::checks::clock;
use crate::database;
use crate::payments;
use crate::settings::Settings;
use ibid_engine::plan::PlanOptions;
use ibid_model::{Product, Wallet, X402Version};
use ibid_provider::{Dialect, ProviderKey, Router, available, probe_all};
use ibid_service::{EvidenceStore, OpenId, chain, unrecorded};
use ibid_store::Db;
use ibid_x402::{Facilitator, RemoteFacilitator, RemoteOptions};
use jiff::{SignedDuration, Timestamp};

/// Checks the router, its models and the clock against it. With `probe`, each model is asked one question.
pub(super) async fn router(report: &mut Report, settings: &Settings, probe: bool) {
    let topic = "router";
    if settings.sandbox {
        report.good(topic, "the sandbox asks no router");
        return;
    }
    let key = settings.paid.router_key.as_ref();
    if key.is_none() {
        report.warn(
            topic,
            "ROUTER_API_KEY is not set: the workspace and paid scans are closed, and callers bring their own keys",
        );
    }
    let router = match Router::new(&settings.router()) {
        Ok(router) => router,
        Err(error) => return report.fault(topic, chain(&error)),
    };
    let base = &settings.router_base_url;
    let seconds = match router.date().await {
        Ok(date) => date.and_then(|date| jiff::fmt::rfc2822::parse(&date).ok()),
        Err(error) => {
            return report.fault(
                topic,
                format!("{base} cannot be reached ({error}): check ROUTER_BASE_URL"),
            );
        }
    };
    if let Some(date) = seconds {
        clock(report, "router", date.timestamp().as_second());
    }
    models(report, settings, &router, key).await;
    match key {
        Some(key) if probe => probes(report, settings, &router, key).await,
        Some(_) => report.good(topic, "no model was asked: --probe asks each one question"),
        None if probe => report.fault(topic, "--probe needs ROUTER_API_KEY"),
        None => {}
    }
}

/// Checks that the router lists the models of the alias table.
async fn models(report: &mut Report, settings: &Settings, router: &Router, key: Option<&ProviderKey>) {
    let base = &settings.router_base_url;
    let key = key.filter(|_| router.dialect() != Dialect::OpenRouter);
    let listed = match router.models(key).await {
        Ok(listed) => listed,
        Err(error) => {
            report.warn(
                "router",
                format!("{base} gives no list of models ({error}): prices stay those of the table"),
            );
            return;
        }
    };
    report.good("router", format!("{base} lists {} models", listed.len()));
    for row in settings.catalog.models() {
        if !listed.iter().any(|model| row.candidates.contains(&model.id)) {
            report.warn(
                "router",
                format!(
                    "no model of the alias {} is listed: name one in MODELS_FILE",
                    row.alias
                ),
            );
        }
    }
}

async fn probes(report: &mut Report, settings: &Settings, router: &Router, key: &ProviderKey) {
    let listed = router.models(Some(key)).await.unwrap_or_default();
    let catalog = available(&settings.catalog, &listed);
    let probes = probe_all(router, key, catalog.models(), settings.web_search).await;
    for (probe, model) in probes.iter().zip(catalog.models()) {
        let alias = &probe.alias;
        match probe.error {
            Some(error) => report.fault("models", format!("{alias}: {error}")),
            None if probe.keeps_contract(model, settings.web_search) => {
                report.good("models", format!("{alias} answers"));
            }
            None => report.warn("models", format!("{alias} answers without a web search")),
        }
    }
}

/// Checks that the OpenID provider names the configured issuer and gives its keys.
pub(super) async fn provider(report: &mut Report, settings: &Settings) {
    let topic = "sign-in";
    let Some(terms) = settings.web.openid.clone() else {
        return report.good(topic, "by password");
    };
    let (issuer, redirect) = (terms.issuer.clone(), terms.redirect.clone());
    match OpenId::new(terms).check().await {
        Ok(()) => report.good(
            topic,
            format!("{issuer} can be used; it has to know {redirect} as the address to come back to"),
        ),
        Err(error) => report.fault(topic, format!("{issuer}: {error}; check OIDC_ISSUER")),
    }
}

/// Checks that the evidence store can be reached, without a write.
pub(super) async fn evidence(report: &mut Report, settings: &Settings) {
    let topic = "evidence";
    let Some(address) = &settings.evidence else {
        return report.good(topic, "the database keeps it");
    };
    let checked = match EvidenceStore::open(address) {
        Ok(store) => store.check().await,
        Err(error) => Err(error),
    };
    match checked {
        Ok(()) => report.good(topic, format!("{address} can be reached")),
        Err(error) => report.fault(
            topic,
            format!("{address}: {}; check EVIDENCE_STORE", chain(&error)),
        ),
    }
}

/// Compares the smallest order that is sold of each product with its price.
pub(super) fn prices(report: &mut Report, settings: &Settings) {
    let paid = &settings.paid;
    let sold = (settings.sandbox || paid.facilitator.is_some()) && paid.pay_to.is_some();
    if !sold || paid.router_key.is_none() {
        return;
    }
    let options = PlanOptions {
        web_search: settings.web_search,
        most_questions: settings.most_questions,
    };
    let orders = paid.orders();
    for product in Product::that_ask() {
        let price = orders.price(product);
        match orders.default_plan(product, &settings.catalog, options).map(|plan| plan.estimate()) {
            Ok(estimate) => match estimate.above(price) {
                None => report.good("prices", format!("{product} at {price}: the models cost about {estimate}")),
                Some(loss) => report.warn(
                    "prices",
                    format!("{product} at {price}: the models of the smallest order cost about {estimate}, a loss of {loss} each; raise the price or name cheaper models in PAYMENTS_FILE"),
                ),
            },
            Err(error) => report.warn(
                "prices",
                format!("{product} at {price}: orders that name no member are refused: {}", chain(&error)),
            ),
        }
    }
}

/// Checks that the facilitator takes payments of the configured network.
pub(super) async fn facilitator(report: &mut Report, settings: &Settings) {
    let (topic, paid) = ("payments", &settings.paid);
    let (Some(base), Some(pay_to)) = (&paid.facilitator, paid.pay_to) else {
        let text = if settings.sandbox {
            "the sandbox moves no money"
        } else {
            "nothing is sold: to sell, set X402_PAY_TO and FACILITATOR_URL"
        };
        report.good(topic, text);
        return;
    };
    let mut options = RemoteOptions::new(base.clone());
    options.bearer.clone_from(&paid.facilitator_token);
    options.key.clone_from(&paid.facilitator_key);
    let facilitator = match RemoteFacilitator::new(options) {
        Ok(facilitator) => facilitator,
        Err(error) => return report.fault(topic, chain(&error)),
    };
    match facilitator.supported().await {
        Ok(supported) => {
            let network = paid.network;
            let versions: Vec<_> = [X402Version::V1, X402Version::V2]
                .into_iter()
                .filter(|version| supported.takes(*version, network))
                .map(|version| version.number().to_string())
                .collect();
            if versions.is_empty() {
                report.fault(
                    topic,
                    format!(
                        "{base} does not take payments on {network}: change X402_NETWORK or FACILITATOR_URL"
                    ),
                );
            } else {
                report.good(
                    topic,
                    format!(
                        "{base} takes payments on {network}, x402 version {}",
                        versions.join(" and ")
                    ),
                );
            }
        }
        Err(error) => report.fault(topic, format!("{base} cannot be asked: {}", chain(&error))),
    }
    report.good(
        topic,
        format!(
            "{pay_to} is paid: give each shop an X402_PAY_TO of its own, or two may sell for one transfer"
        ),
    );
    if paid.nodes.is_none() {
        report.warn(
            topic,
            "RPC_URL is not set: settlements of unknown outcome wait for ibid-server books reconcile",
        );
    }
    match other_shops(settings, pay_to).await {
        Ok(0) => {}
        Ok(transfers) => report.warn(
            topic,
            format!(
                "{transfers} transfers of the last two days to {pay_to} are no sales here: if another shop is paid \
                 there, give each its own X402_PAY_TO; ibid-server books reconcile lists them"
            ),
        ),
        Err(error) => report.warn(topic, format!("the transfers to {pay_to} cannot be read: {error:#}")),
    }
}

/// Counts transfers to the wallet without a receipt here.
async fn other_shops(settings: &Settings, pay_to: Wallet) -> anyhow::Result<usize> {
    let Some(reader) = payments::chain(&settings.paid)? else {
        return Ok(0);
    };
    // Without a database nothing was sold here, and other checks report it.
    let Ok(store) = database::open_existing(settings) else {
        return Ok(0);
    };
    let since = Timestamp::now() - SignedDuration::from_hours(48);
    let terms = payments::terms(&settings.paid, pay_to);
    Ok(unrecorded(&Db::new(store), &*reader, &terms, since).await?.len())
}

/// Checks the mail server: that it takes a connection and the password.
pub(super) async fn mail(report: &mut Report, settings: &Settings) {
    match &settings.web.mail {
        None => report.good("mail", "SMTP_URL is not set: news goes to chat programs only"),
        Some(mailer) => match mailer.test().await {
            Ok(()) => report.good(
                "mail",
                "the mail server takes connections; signing mail (DKIM) is its work: ibid-server mail-test ADDRESS sends one",
            ),
            Err(error) => report.fault("mail", format!("{error}: check SMTP_URL")),
        },
    }
}
