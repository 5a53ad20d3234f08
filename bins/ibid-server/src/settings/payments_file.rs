//! Reads `PAYMENTS_FILE`: prices, tokens, costs and bounds of orders, and which models fitted orders ask.

use ibid_model::{
    Asset, AtomicUsdc, ModelAlias, Network, PriceList, Product, TokenAddress, UsdMicros, Wallet,
};
use ibid_service::{CostCaps, Exposure};
use ibid_x402::{Accepted, NodeUrls};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Maximum number of tokens in the file. Every entry makes the offer longer, and an offer must fit into a header.
const MOST_TOKENS: usize = 5;

#[derive(Debug)]
pub(crate) struct PaymentsFile {
    pub(crate) prices: PriceList,
    /// Token on `X402_NETWORK`.
    pub(crate) asset: Asset,
    pub(crate) caps: CostCaps,
    pub(crate) exposure: Exposure,
    /// Further tokens.
    pub(crate) tokens: Vec<AcceptedToken>,
    /// Models for orders that cost too much with the usual ones; the cheapest models if empty.
    pub(crate) models: Vec<ModelAlias>,
}

#[derive(Debug)]
pub(crate) struct AcceptedToken {
    pub(crate) accepted: Accepted,
    /// Nodes on its chain, if the file names some.
    pub(crate) nodes: Option<NodeUrls>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    #[serde(default)]
    prices: BTreeMap<String, String>,
    #[serde(default)]
    token: AssetText,
    #[serde(default)]
    max_cost: CostText,
    #[serde(default)]
    bounds: BoundsText,
    #[serde(default)]
    accepts: Vec<TokenText>,
    #[serde(default)]
    fit: FitText,
}

/// A token that is not USDC.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct AssetText {
    asset: Option<String>,
    name: Option<String>,
    version: Option<String>,
}

/// The costs that named orders may be estimated to reach, in dollars.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct CostText {
    scan: Option<String>,
    radius: Option<String>,
    full: Option<String>,
}

/// How much unpaid work there may be.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct BoundsText {
    open_orders: Option<u32>,
    failed_per_hour: Option<u32>,
    refused_per_hour: Option<u32>,
    trust_above: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct FitText {
    #[serde(default)]
    models: Vec<ModelAlias>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TokenText {
    network: String,
    asset: Option<String>,
    name: Option<String>,
    version: Option<String>,
    pay_to: Option<String>,
    rpc: Option<String>,
}

impl PaymentsFile {
    /// What an empty file means.
    pub(super) fn without_text(network: Network) -> Self {
        Self {
            prices: PriceList::default(),
            asset: Asset::usdc(network),
            caps: CostCaps::default(),
            exposure: Exposure::default(),
            tokens: Vec::new(),
            models: Vec::new(),
        }
    }

    /// Reads the text. The first token is on `network`. Tokens without `pay_to` are paid to `pay_to`.
    pub(super) fn parse(text: &str, network: Network, pay_to: Option<Wallet>) -> anyhow::Result<Self> {
        use anyhow::{Context as _, bail};
        let text: Text = toml::from_str(text)?;
        let mut prices = Vec::new();
        for (word, price) in text.prices {
            let product = Product::ALL
                .into_iter()
                .find(|product| product.skill().as_str() == word);
            let product = product.with_context(|| format!("prices.{word}: there is no such product"))?;
            let price: AtomicUsdc = price.parse().with_context(|| format!("prices.{word}"))?;
            prices.push((product, price));
        }
        let prices = PriceList::with(prices)?;
        if text.accepts.len() > MOST_TOKENS {
            bail!("accepts: at most {MOST_TOKENS} tokens");
        }
        let token = |(index, token): (usize, TokenText)| {
            token
                .read(pay_to)
                .with_context(|| format!("accepts, entry {}", index + 1))
        };
        let tokens = text
            .accepts
            .into_iter()
            .enumerate()
            .map(token)
            .collect::<Result<_, _>>()?;
        let default = Exposure::default();
        Ok(Self {
            prices,
            asset: text.token.read(network).context("token")?,
            caps: CostCaps::with([
                (Product::Scan, dollars("max_cost.scan", text.max_cost.scan)?),
                (Product::Radius, dollars("max_cost.radius", text.max_cost.radius)?),
                (Product::Full, dollars("max_cost.full", text.max_cost.full)?),
            ]),
            exposure: Exposure {
                first_orders: text.bounds.open_orders.unwrap_or(default.first_orders),
                failed_an_hour: text.bounds.failed_per_hour.unwrap_or(default.failed_an_hour),
                refused_an_hour: text.bounds.refused_per_hour.unwrap_or(default.refused_an_hour),
                trust_above: dollars("bounds.trust_above", text.bounds.trust_above)?,
                ..default
            },
            tokens,
            models: text.fit.models,
        })
    }
}

/// Reads an amount in dollars.
fn dollars(place: &str, text: Option<String>) -> anyhow::Result<Option<UsdMicros>> {
    let Some(text) = text else { return Ok(None) };
    let amount = text.parse().ok().and_then(UsdMicros::from_dollars);
    anyhow::ensure!(
        amount.is_some(),
        "{place} must be a number of dollars such as \"0.20\""
    );
    Ok(amount)
}

impl AssetText {
    fn read(self, network: Network) -> anyhow::Result<Asset> {
        use anyhow::Context as _;
        let usdc = Asset::usdc(network);
        let contract: Option<TokenAddress> =
            self.asset.map(|text| text.parse()).transpose().context("asset")?;
        Ok(Asset {
            contract: contract.unwrap_or(usdc.contract),
            name: self.name.unwrap_or(usdc.name),
            version: self.version.unwrap_or(usdc.version),
        })
    }
}

impl TokenText {
    fn read(self, pay_to: Option<Wallet>) -> anyhow::Result<AcceptedToken> {
        use anyhow::Context as _;
        let network: Network = self.network.parse().context("network")?;
        let asset = AssetText {
            asset: self.asset,
            name: self.name,
            version: self.version,
        };
        let asset = asset.read(network)?;
        let own: Option<Wallet> = self
            .pay_to
            .map(|text| text.parse())
            .transpose()
            .context("pay_to")?;
        let pay_to = own
            .or(pay_to)
            .context("pay_to is missing, and X402_PAY_TO is not set")?;
        let nodes = self.rpc.map(|text| text.parse()).transpose().context("rpc")?;
        Ok(AcceptedToken {
            accepted: Accepted::new(network, asset, pay_to),
            nodes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibid_model::Skill;

    fn read(text: &str) -> Result<PaymentsFile, String> {
        let wallet = Some(Wallet::from_bytes([1; 20]));
        PaymentsFile::parse(text, Network::BaseSepolia, wallet).map_err(|error| format!("{error:#}"))
    }

    #[test]
    fn prices_and_tokens_are_read() {
        let file = read(
            r#"
            [prices]
            scan = "0.25"

            [token]
            name = "Own"

            [max_cost]
            radius = "1.60"

            [bounds]
            open_orders = 3
            trust_above = "0.25"

            [fit]
            models = ["model-5-latest", "model-6-latest"]

            [[accepts]]
            network = "base"
            rpc = "https://node.example/key"

            [[accepts]]
            network = "eip155:137"
            asset = "0x3c499c542cef5e3811e1192ce70d8cc03d5c3359"
            name = "Other"
            version = "1"
            pay_to = "0x0202020202020202020202020202020202020202"
            "#,
        )
        .unwrap();
        assert_eq!(file.prices.of(Skill::Scan).get(), 250_000);
        assert_eq!(file.prices.of(Skill::Full), Skill::Full.price());
        let usdc = Asset::usdc(Network::BaseSepolia);
        assert_eq!(
            (file.asset.name.as_str(), file.asset.contract),
            ("Own", usdc.contract)
        );
        assert_eq!(
            (file.caps.of(Product::Scan), file.caps.of(Product::Radius)),
            (None, Some(UsdMicros::new(1_600_000)))
        );
        assert_eq!(
            (file.exposure.first_orders, file.exposure.trust_above),
            (3, Some(UsdMicros::new(250_000)))
        );
        let models: Vec<_> = file.models.iter().map(ModelAlias::as_str).collect();
        assert_eq!(models, ["model-5-latest", "model-6-latest"]);
        let [base, polygon] = &file.tokens[..] else {
            panic!("two tokens")
        };
        assert_eq!(
            (base.accepted.network, base.nodes.is_some()),
            (Network::Base, true)
        );
        assert_eq!(base.accepted.asset, Asset::usdc(Network::Base));
        assert_eq!(base.accepted.pay_to, Wallet::from_bytes([1; 20]));
        assert_eq!(polygon.accepted.pay_to, Wallet::from_bytes([2; 20]));
        assert_eq!(
            (polygon.accepted.asset.name.as_str(), polygon.nodes.is_some()),
            ("Other", false)
        );
    }

    #[test]
    fn faults_name_their_place() {
        for (text, part) in [
            ("[prices]\nscans = \"1\"", "prices.scans"),
            ("[prices]\nscan = \"a lot\"", "prices.scan"),
            ("[prices]\nscan = \"0.02\"", "the same price"),
            ("[prices]\nscan = \"0\"", "must be more than"),
            ("[fit]\nmodel = []", "unknown field"),
            ("[token]\nasset = \"0x1\"", "token: asset"),
            (
                "[max_cost]\nscan = \"much\"",
                "max_cost.scan must be a number of dollars",
            ),
            ("[bounds]\nopen_order = 1", "unknown field"),
            ("[[accepts]]\nnetwork = \"moon\"", "accepts, entry 1: network"),
            ("[[accepts]]\nnetwork = \"base\"\npayto = \"0x\"", "unknown field"),
            ("[[accepts]]\nnetwork = \"base\"\npay_to = \"0x1\"", "pay_to"),
            (&"[[accepts]]\nnetwork = \"base\"\n".repeat(6), "at most 5"),
        ] {
            let fault = read(text).unwrap_err();
            assert!(fault.contains(part), "{text}: {fault}");
        }
    }
}
