//! The settings of the paid surface.

use super::Reader;
use ibid_http::CorsOrigins;
use ibid_model::{Asset, Network, UsdMicros, Wallet};
use ibid_provider::ProviderKey;
use ibid_service::{CostCaps, Exposure};
use ibid_x402::NodeUrls;
use secrecy::SecretString;
use url::Url;

/// The wallet of the sandbox, where no money moves: a published address of development chains.
const SANDBOX_PAY_TO: &str = "0xa0Ee7A142d267C1f36714E4a8F75612F20a79720";

/// The settings of the paid surface. It sells if it knows a wallet and a facilitator. To sell scans it needs a router key
/// too.
#[derive(Debug)]
pub(crate) struct PaidSettings {
    /// The operator's own key at the router.
    pub(crate) router_key: Option<ProviderKey>,
    /// `None` in the sandbox, whose facilitator runs in this process.
    pub(crate) facilitator: Option<Url>,
    pub(crate) facilitator_token: Option<SecretString>,
    /// The nodes that show what became of a payment.
    pub(crate) nodes: Option<NodeUrls>,
    pub(crate) network: Network,
    pub(crate) asset: Asset,
    pub(crate) pay_to: Option<Wallet>,
    pub(crate) caps: CostCaps,
    pub(crate) exposure: Exposure,
    pub(crate) cors_origins: CorsOrigins,
}

impl Reader<'_> {
    pub(super) fn paid(&mut self, sandbox: bool) -> PaidSettings {
        let network = self.parsed("X402_NETWORK").unwrap_or(Network::BaseSepolia);
        let usual = CostCaps::default();
        PaidSettings {
            router_key: self.router_key(sandbox),
            facilitator: self.facilitator(),
            facilitator_token: self.text("FACILITATOR_TOKEN").map(SecretString::from),
            nodes: self.parsed("RPC_URL"),
            network,
            asset: self.asset(network),
            pay_to: self
                .parsed("X402_PAY_TO")
                .or_else(|| SANDBOX_PAY_TO.parse().ok().filter(|_| sandbox)),
            caps: CostCaps {
                scan: self.dollars("PAID_MAX_COST_SCAN", usual.scan),
                radius: self.dollars("PAID_MAX_COST_RADIUS", usual.radius),
                full: self.dollars("PAID_MAX_COST_FULL", usual.full),
            },
            exposure: self.exposure(),
            cors_origins: self.cors_origins(),
        }
    }

    fn exposure(&mut self) -> Exposure {
        let usual = Exposure::default();
        let trust_above = self.text("PAID_TRUST_ABOVE").is_some();
        Exposure {
            first_orders: self.parsed("PAID_OPEN_ORDERS").unwrap_or(usual.first_orders),
            failed_an_hour: self
                .parsed("PAID_FAILED_PER_HOUR")
                .unwrap_or(usual.failed_an_hour),
            refused_an_hour: self
                .parsed("PAID_REFUSED_PER_HOUR")
                .unwrap_or(usual.refused_an_hour),
            trust_above: trust_above.then(|| self.dollars("PAID_TRUST_ABOVE", UsdMicros::default())),
            ..usual
        }
    }

    fn router_key(&mut self, sandbox: bool) -> Option<ProviderKey> {
        let key = self
            .text("ROUTER_API_KEY")
            .or_else(|| sandbox.then(|| "sandbox".to_owned()))?;
        // The fault never quotes the key.
        key.parse()
            .map_err(|error| self.fault("ROUTER_API_KEY", format_args!("cannot be used: {error}")))
            .ok()
    }

    fn facilitator(&mut self) -> Option<Url> {
        let url: Url = self.parsed("FACILITATOR_URL")?;
        let plain = url.username().is_empty() && url.password().is_none() && url.query().is_none();
        if !matches!(url.scheme(), "http" | "https") || !plain {
            self.fault(
                "FACILITATOR_URL",
                "must be an http or https address without credentials and query",
            );
        }
        Some(url)
    }

    fn asset(&mut self, network: Network) -> Asset {
        let usdc = Asset::usdc(network);
        Asset {
            contract: self.parsed("X402_ASSET").unwrap_or(usdc.contract),
            name: self.text("X402_ASSET_NAME").unwrap_or(usdc.name),
            version: self.text("X402_ASSET_VERSION").unwrap_or(usdc.version),
        }
    }

    pub(super) fn dollars(&mut self, name: &str, usual: UsdMicros) -> UsdMicros {
        match self
            .text(name)
            .map(|text| text.parse().ok().and_then(UsdMicros::from_dollars))
        {
            None => usual,
            Some(Some(amount)) => amount,
            Some(None) => {
                self.fault(name, "must be a number of dollars such as 0.20");
                usual
            }
        }
    }

    fn cors_origins(&mut self) -> CorsOrigins {
        let list = self.text("CORS_ORIGINS").unwrap_or_default();
        CorsOrigins::parse(&list).unwrap_or_else(|error| {
            self.fault("CORS_ORIGINS", format_args!("cannot be read: {error}"));
            CorsOrigins::default()
        })
    }
}
