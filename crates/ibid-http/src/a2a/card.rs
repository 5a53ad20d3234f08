//! The agent card, at the address of every version of the protocol.

use crate::respond::{handle, json};
use actix_web::http::header::CACHE_CONTROL;
use actix_web::web::Bytes;
use actix_web::{HttpResponse, web};
use ibid_a2a::{AgentCard, CardOptions, PAYMENT_EXTENSION};
use ibid_model::Network;
use ibid_model::contract::routes::{CALL_AGENT, READ_CARD, READ_CARD_03};
use ibid_service::Service;
use url::Url;

/// The card as JSON. It changes only with the configuration, so it is serialized once.
pub(crate) struct Card(Bytes);

impl Card {
    pub(crate) fn new(service: &Service, base_url: &Url) -> Self {
        let at = |path: &str| {
            let address = format!("{}{path}", base_url.as_str().trim_end_matches('/'));
            address.parse().unwrap_or_else(|_| base_url.clone())
        };
        let card = AgentCard::new(&CardOptions {
            endpoint: at(CALL_AGENT.path),
            documentation: Some(at("/docs")),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            provider: None,
            extension: PAYMENT_EXTENSION.to_owned(),
            sold: service.offering(),
            network: service.network().unwrap_or(Network::BaseSepolia),
            sandbox: service.is_sandbox(),
        });
        Self(serde_json::to_vec(&card).unwrap_or_default().into())
    }
}

/// Mounts the routes of this module.
pub(crate) fn mount(app: &mut web::ServiceConfig) {
    app.service(handle(&READ_CARD, read))
        .service(handle(&READ_CARD_03, read));
}

async fn read(card: web::Data<Card>) -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((CACHE_CONTROL, "public, max-age=300"))
        .content_type(json())
        .body(card.0.clone())
}
