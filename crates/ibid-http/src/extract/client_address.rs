//! Where a request comes from, for caps.

use crate::config::HttpConfig;
use crate::problem::ApiError;
use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest, web};
use std::future::{Ready, ready};
use std::net::{IpAddr, Ipv4Addr};

/// The address of the caller: the peer's, or what a trusted proxy says about whom it speaks for.
pub(crate) struct ClientAddress(pub(crate) IpAddr);

impl FromRequest for ClientAddress {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        // Connections without an address, such as sockets of this machine, share one.
        let peer = request
            .peer_addr()
            .map_or(Ipv4Addr::UNSPECIFIED.into(), |peer| peer.ip());
        let config = request.app_data::<web::Data<HttpConfig>>();
        let client = config.map_or(peer, |config| {
            config.trusted_proxies.client(peer, request.headers())
        });
        ready(Ok(Self(client)))
    }
}
