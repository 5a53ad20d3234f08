//! Serves the agent card, where each version of the protocol looks for it.

use crate::conditional::Prepared;
use crate::config::HttpConfig;
use crate::respond::{handle, json};
use actix_web::http::header::CACHE_CONTROL;
use actix_web::{HttpRequest, HttpResponse, web};
use ibid_a2a::{AgentCard, CardKey, CardOptions};
use ibid_model::Network;
use ibid_model::contract::routes::{CALL_AGENT, READ_CARD, READ_CARD_03, READ_CARD_KEYS, SEND_MESSAGE};
use ibid_service::Service;
use serde_json::json as value;

/// The card as JSON. It changes only with the configuration, so it is serialized and compressed once.
pub(crate) struct Card(Prepared);

impl Card {
    pub(crate) fn new(service: &Service, config: &HttpConfig) -> Self {
        let base_url = &config.base_url;
        let at = |path: &str| {
            let address = format!("{}{path}", base_url.as_str().trim_end_matches('/'));
            address.parse().unwrap_or_else(|_| base_url.clone())
        };
        let card = AgentCard::new(&CardOptions {
            endpoint: at(CALL_AGENT.path),
            http_base: at(SEND_MESSAGE.folder().trim_end_matches('/')),
            documentation: Some(at("/docs")),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            provider: None,
            sold: service.shop.offering(),
            network: service.shop.network().unwrap_or(Network::BaseSepolia),
            sandbox: service.is_sandbox(),
            notifies: service.hooks.notifies(),
        });
        let card = match &config.card_key {
            None => card,
            Some(key) => card
                .clone()
                .signed(key, &at(READ_CARD_KEYS.path))
                .unwrap_or_else(|error| {
                    tracing::error!(%error, "card.not_signed");
                    card
                }),
        };
        Self(Prepared::new(serde_json::to_vec(&card).unwrap_or_default()))
    }
}

/// Mounts the routes of this module.
pub(crate) fn mount(app: &mut web::ServiceConfig) {
    app.service(handle(&READ_CARD, read))
        .service(handle(&READ_CARD_03, read))
        .service(handle(&READ_CARD_KEYS, keys));
}

async fn keys(config: web::Data<HttpConfig>) -> HttpResponse {
    let keys = config.card_key.as_ref().map(CardKey::key_set);
    HttpResponse::Ok()
        .insert_header((CACHE_CONTROL, "public, max-age=300"))
        .content_type(json())
        .body(keys.unwrap_or_else(|| value!({"keys": []})).to_string())
}

async fn read(request: HttpRequest, card: web::Data<Card>) -> HttpResponse {
    let mut head = HttpResponse::Ok();
    head.insert_header((CACHE_CONTROL, "public, max-age=300"))
        .content_type(json());
    card.0.answer(&request, head)
}
