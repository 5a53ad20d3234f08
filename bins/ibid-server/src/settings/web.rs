//! What pages in a browser depend on.

use super::Reader;
use ibid_http::TrustedProxies;

/// What pages in a browser depend on.
#[derive(Clone, Debug)]
pub(crate) struct WebSettings {
    pub(crate) trusted_proxies: TrustedProxies,
}

impl Reader<'_> {
    pub(super) fn web(&mut self) -> WebSettings {
        WebSettings {
            trusted_proxies: self.trusted_proxies(),
        }
    }

    fn trusted_proxies(&mut self) -> TrustedProxies {
        let list = self.text("TRUSTED_PROXIES").unwrap_or_default();
        TrustedProxies::parse(&list).unwrap_or_else(|error| {
            self.fault("TRUSTED_PROXIES", format_args!("cannot be read: {error}"));
            TrustedProxies::default()
        })
    }
}
