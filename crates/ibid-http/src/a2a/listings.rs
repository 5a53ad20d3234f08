//! Listings of products for sale, for offers and for the catalogues that collect them.

use ibid_model::Catalog;
use ibid_model::contract::{ROUTES, Route, object};
use ibid_service::{Error, Listings};
use ibid_x402::{Discovery, Listing};
use std::collections::HashMap;
use std::sync::Arc;
use url::Url;

/// What the paid routes offer, by path.
pub(crate) struct RouteListings(HashMap<&'static str, Arc<Listing>>);

impl RouteListings {
    /// Lists what a service at `base_url` offers, with the models of `catalog`.
    pub(crate) fn new(base_url: &Url, catalog: &Catalog) -> Self {
        let listing = |route: &Route| {
            let row = route.skill?.row();
            let (body, output) = (object(row.body).into(), object(row.output).into());
            let discovery = Discovery::post_json(row.body_schema(catalog), body, output);
            let discovery = if route.streams() {
                discovery.streamed()
            } else {
                discovery
            };
            let offer = if route.offer.is_empty() {
                row.offer
            } else {
                route.offer
            };
            let listing = Listing::new(absolute(base_url, route.path), offer).discoverable(discovery);
            let listing = if route.streams() {
                listing.streamed()
            } else {
                listing
            };
            Some((route.path, Arc::new(listing)))
        };
        Self(ROUTES.iter().copied().filter_map(listing).collect())
    }

    /// Returns the listing of a route, or an error if the route is not for sale.
    pub(crate) fn of(&self, route: &Route) -> Result<&Arc<Listing>, Error> {
        self.0.get(route.path).ok_or(Error::PaidDisabled)
    }
}

/// Lists the skills that one address sells, such as that for JSON-RPC.
/// They are short, because every task keeps its offer and agents read the card.
pub(crate) fn listings(base_url: &Url, path: &str) -> Listings {
    Listings::of(|row| Listing::new(absolute(base_url, &format!("{path}#{}", row.word)), row.offer))
}

/// Returns a paid route's address. Version 1 clients insist on an absolute one.
pub(super) fn absolute(base_url: &Url, path: &str) -> Url {
    let address = format!("{}{path}", base_url.as_str().trim_end_matches('/'));
    address.parse().unwrap_or_else(|_| base_url.clone())
}
