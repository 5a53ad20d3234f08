//! What the paid surface needs to know.

use super::Reader;
use super::payments_file::PaymentsFile;
use ibid_http::CorsOrigins;
use ibid_model::{Catalog, ModelAlias, Network, UsdMicros, Wallet};
use ibid_provider::ProviderKey;
use ibid_service::SoldOrders;
use ibid_x402::{FacilitatorKey, NodeUrls, OfferSigner};
use secrecy::SecretString;
use std::sync::Arc;
use url::Url;

/// Wallet for the sandbox, where no money moves: a published address of development chains.
const SANDBOX_PAY_TO: &str = "0xa0Ee7A142d267C1f36714E4a8F75612F20a79720";

/// What the paid surface needs to know. It sells if it has a wallet and a facilitator.
/// To sell scans it also needs a router key.
#[derive(Debug)]
pub(crate) struct PaidSettings {
    /// The operator's own key at the router.
    pub(crate) router_key: Option<ProviderKey>,
    /// `None` in the sandbox, whose facilitator runs in this process.
    pub(crate) facilitator: Option<Url>,
    pub(crate) facilitator_token: Option<SecretString>,
    /// The key that signs a token for every request to the facilitator.
    pub(crate) facilitator_key: Option<Arc<FacilitatorKey>>,
    /// The hexadecimal key that signs offers and receipts.
    pub(crate) offer_key: Option<SecretString>,
    /// Prices, tokens, costs and bounds, and the models of fitted orders.
    pub(crate) file: PaymentsFile,
    /// The nodes that show what became of a payment.
    pub(crate) nodes: Option<NodeUrls>,
    pub(crate) network: Network,
    pub(crate) pay_to: Option<Wallet>,
    pub(crate) cors_origins: CorsOrigins,
}

impl PaidSettings {
    /// Returns the prices and caps of sold orders.
    pub(crate) fn orders(&self) -> SoldOrders<'_> {
        SoldOrders {
            prices: self.file.prices,
            caps: self.file.caps,
            models: &self.file.models,
        }
    }
}

impl Reader<'_> {
    pub(super) fn paid(&mut self, sandbox: bool, catalog: &Catalog) -> PaidSettings {
        let network = self.parsed("X402_NETWORK").unwrap_or(Network::BaseSepolia);
        let pay_to = self
            .parsed("X402_PAY_TO")
            .or_else(|| SANDBOX_PAY_TO.parse().ok().filter(|_| sandbox));
        let nodes: Option<NodeUrls> = self.parsed("RPC_URL");
        let file = self.payments_file(network, pay_to);
        let every_chain = file
            .tokens
            .iter()
            .all(|token| token.accepted.network == network || token.nodes.is_some());
        if nodes.is_some() && !every_chain {
            self.fault(
                "PAYMENTS_FILE",
                "must name an rpc for every network of its own, as RPC_URL is set",
            );
        }
        let unknown = |alias: &&ModelAlias| catalog.resolve(alias.as_str()).is_none();
        if let Some(alias) = file.models.iter().find(unknown) {
            self.fault(
                "PAYMENTS_FILE",
                format_args!("cannot be used: fit.models: {alias} is no alias of the model table"),
            );
        }
        let (facilitator_token, facilitator_key) = self.facilitator_key();
        PaidSettings {
            router_key: self.router_key(sandbox),
            facilitator: self.facilitator(),
            facilitator_token,
            facilitator_key,
            offer_key: self.offer_key(),
            file,
            nodes,
            network,
            pay_to,
            cors_origins: self.list("CORS_ORIGINS", CorsOrigins::parse),
        }
    }

    /// Returns the text of the file that a variable names.
    pub(super) fn file(&mut self, name: &str) -> Option<String> {
        let path = self.text(name)?;
        std::fs::read_to_string(&path)
            .map_err(|error| {
                self.fault(
                    name,
                    format_args!("names a file that cannot be read: {path}: {error}"),
                )
            })
            .ok()
    }

    fn payments_file(&mut self, network: Network, pay_to: Option<Wallet>) -> PaymentsFile {
        let text = self.file("PAYMENTS_FILE").unwrap_or_default();
        PaymentsFile::parse(&text, network, pay_to).unwrap_or_else(|error| {
            self.fault("PAYMENTS_FILE", format_args!("cannot be used: {error:#}"));
            PaymentsFile::without_text(network)
        })
    }

    /// Returns the bearer token of the facilitator, or the key that signs such tokens.
    fn facilitator_key(&mut self) -> (Option<SecretString>, Option<Arc<FacilitatorKey>>) {
        let Some(text) = self.file("FACILITATOR_KEY_FILE") else {
            return (None, None);
        };
        if !text.trim_start().starts_with('{') {
            return (Some(text.trim().into()), None);
        }
        let key = FacilitatorKey::from_json(&text)
            .map_err(|error| self.fault("FACILITATOR_KEY_FILE", error))
            .ok();
        (None, key.map(Arc::new))
    }

    fn offer_key(&mut self) -> Option<SecretString> {
        let text = self.file("OFFER_KEY_FILE")?;
        if let Err(error) = OfferSigner::from_hex(&text) {
            self.fault("OFFER_KEY_FILE", error);
        }
        Some(text.into())
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
        let url = self.address("FACILITATOR_URL")?;
        let plain = url.username().is_empty() && url.password().is_none() && url.query().is_none();
        if !plain {
            self.fault("FACILITATOR_URL", "must have neither credentials nor a query");
        }
        Some(url)
    }

    pub(super) fn dollars(&mut self, name: &str, default: UsdMicros) -> UsdMicros {
        match self
            .text(name)
            .map(|text| text.parse().ok().and_then(UsdMicros::from_dollars))
        {
            None => default,
            Some(Some(amount)) => amount,
            Some(None) => {
                self.fault(name, "must be a number of dollars such as 0.20");
                default
            }
        }
    }
}
