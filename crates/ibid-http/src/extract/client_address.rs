//! Where a client comes from, for limits by address.

use crate::config::HttpConfig;
use crate::problem::ApiError;
use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest, web};
use std::future::{Ready, ready};
use std::net::{IpAddr, Ipv4Addr};

/// A client's address: the peer's, or the one that a trusted proxy reports.
pub(crate) struct ClientAddress(pub(crate) IpAddr);

impl FromRequest for ClientAddress {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        // Connections without an address, such as Unix sockets, share one.
        let peer = request
            .peer_addr()
            .map_or(Ipv4Addr::UNSPECIFIED.into(), |peer| peer.ip());
        let config = request.app_data::<web::Data<HttpConfig>>();
        let client = config.map_or(peer, |config| config.trusted_proxies.client(peer, request));
        ready(Ok(Self(client)))
    }
}
