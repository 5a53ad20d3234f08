//! The agent card, at the address of every version of the protocol.

use crate::config::HttpConfig;
use crate::respond::{handle, json};
use actix_web::http::header::{CACHE_CONTROL, ETAG, EntityTag, IF_NONE_MATCH};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, web};
use ibid_a2a::{AgentCard, CardKey, CardOptions};
use ibid_model::Network;
use ibid_model::contract::routes::{CALL_AGENT, READ_CARD, READ_CARD_03, READ_CARD_KEYS, SEND_MESSAGE};
use ibid_service::Service;
use serde_json::json as value;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// The card as JSON. It changes only with the configuration, so it is serialized once.
pub(crate) struct Card {
    bytes: Bytes,
    /// The tag of these bytes, as the header has it.
    tag: String,
}

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
            sold: service.offering(),
            network: service.network().unwrap_or(Network::BaseSepolia),
            sandbox: service.is_sandbox(),
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
        let bytes = serde_json::to_vec(&card).unwrap_or_default();
        let mut digits = String::new();
        for byte in &Sha256::digest(&bytes)[..12] {
            let _ = write!(digits, "{byte:02x}");
        }
        Self {
            bytes: bytes.into(),
            tag: EntityTag::new_strong(digits).to_string(),
        }
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
    let mut known = request.headers().get_all(IF_NONE_MATCH);
    let same = known.any(|value| is_named(value.to_str().unwrap_or_default(), &card.tag));
    let mut response = match same {
        true => HttpResponse::NotModified(),
        false => HttpResponse::Ok(),
    };
    response
        .insert_header((CACHE_CONTROL, "public, max-age=300"))
        .insert_header((ETAG, card.tag.as_str()));
    match same {
        true => response.finish(),
        false => response.content_type(json()).body(card.bytes.clone()),
    }
}

/// Whether a list of tags names this one. Proxies that compress make a tag weak.
fn is_named(list: &str, tag: &str) -> bool {
    let mut tags = list.split(',').map(str::trim);
    tags.any(|item| item == "*" || item.strip_prefix("W/").unwrap_or(item) == tag)
}
