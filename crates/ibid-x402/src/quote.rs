//! The offer for one call, in both versions.

use crate::chain::TokenAccount;
use crate::discovery::Discovery;
use crate::eip712::{SigningDomain, checksummed};
use crate::header::{MAX_OFFER_HEADER, encode};
use crate::identifier;
use crate::offer_receipt::{self, OfferSigner};
use crate::proto::{v1, v2};
use crate::settlement::SettleResponse;
use ibid_model::result::OfferedPlan;
use ibid_model::{Asset, AtomicUsdc, Network, PaymentKey, PriceList, Product, Skill, Wallet};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// Most characters of a description.
/// Long ones make a hosted facilitator refuse payments.
const MAX_DESCRIPTION: usize = 200;

/// How the operator is paid, the same for every call.
#[derive(Clone, Debug)]
pub struct Terms {
    /// Pages show this one, the first.
    first: Accepted,
    more: Vec<Accepted>,
    max_timeout: NonZeroU32,
    prices: PriceList,
    signer: Option<Arc<OfferSigner>>,
}

/// A token on a chain, and the wallet that is paid in it.
#[derive(Clone, Debug)]
pub struct Accepted {
    /// The chain.
    pub network: Network,
    /// The token.
    pub asset: Asset,
    /// The recipient.
    pub pay_to: Wallet,
    pub(crate) domain: SigningDomain,
}

impl Accepted {
    /// A token on a chain, paid to a wallet.
    #[must_use]
    pub fn new(network: Network, asset: Asset, pay_to: Wallet) -> Self {
        let domain = SigningDomain::of(network, &asset);
        Self {
            network,
            asset,
            pay_to,
            domain,
        }
    }

    /// Returns the account that payments go to.
    pub const fn account(&self) -> TokenAccount {
        TokenAccount {
            network: self.network,
            asset: self.asset.contract,
            wallet: self.pay_to,
        }
    }
}

/// Says in words what one route or method sells.
#[derive(Clone, Debug)]
pub struct Listing {
    resource: Url,
    description: Cow<'static, str>,
    mime_type: &'static str,
    discovery: Option<Discovery>,
}

/// Purpose of a quote: money for a product.
#[derive(Clone, Copy, Debug)]
pub struct Sale(pub(crate) Product);

/// Purpose of a quote: a signature that proves who asks.
/// Such a payment is verified and never settled.
/// This crate's types offer no way to settle it.
#[derive(Clone, Copy, Debug)]
pub struct Proof(());

/// The offer for one call.
/// The operator sets the price; the buyer cannot change it.
#[derive(Clone, Debug)]
pub struct PriceQuote<P = Sale> {
    pub(crate) purpose: P,
    is_sale: bool,
    pub(crate) price: AtomicUsdc,
    pub(crate) terms: Arc<Terms>,
    pub(crate) listing: Arc<Listing>,
    plan: Option<OfferedPlan>,
}

impl Terms {
    /// Payments in `asset` on `network` to `pay_to`.
    /// `max_timeout` is the number of seconds that an authorization may be valid.
    /// It has to cover verification, work, settlement and six seconds.
    #[must_use]
    pub fn new(network: Network, asset: Asset, pay_to: Wallet, max_timeout: NonZeroU32) -> Self {
        Self {
            first: Accepted::new(network, asset, pay_to),
            more: Vec::new(),
            max_timeout,
            prices: PriceList::STANDARD,
            signer: None,
        }
    }

    /// The same with another token behind those that are accepted.
    #[must_use]
    pub fn and(mut self, accepted: Accepted) -> Self {
        self.more.push(accepted);
        self
    }

    /// The same at other prices.
    #[must_use]
    pub fn priced(self, prices: PriceList) -> Self {
        Self { prices, ..self }
    }

    /// The same with signed offers and receipts.
    #[must_use]
    pub fn signed(self, signer: OfferSigner) -> Self {
        Self {
            signer: Some(Arc::new(signer)),
            ..self
        }
    }

    /// The same terms with only the tokens on networks that a facilitator serves.
    /// Returns `None` without such a token.
    pub fn served(&self, serves: impl Fn(Network) -> bool) -> Option<Self> {
        let mut served = self
            .accepted()
            .filter(|accepted| serves(accepted.network))
            .cloned();
        let first = served.next()?;
        Some(Self {
            first,
            more: served.collect(),
            ..self.clone()
        })
    }

    /// The accepted tokens, in the order of the offers.
    pub fn accepted(&self) -> impl Iterator<Item = &Accepted> {
        std::iter::once(&self.first).chain(&self.more)
    }

    /// The prices.
    pub const fn prices(&self) -> PriceList {
        self.prices
    }

    /// Who gets a payment.
    pub fn recipient(&self, key: &PaymentKey) -> Wallet {
        let mut accepted = self.accepted();
        let of_key =
            accepted.find(|accepted| accepted.network == key.network && accepted.asset.contract == key.asset);
        of_key.unwrap_or(&self.first).pay_to
    }

    /// The extension with the signed receipt of a settlement, for version 2; `None` without a key.
    pub fn signed_receipt(&self, settlement: &SettleResponse, resource: &Url) -> Option<Value> {
        let signer = self.signer.as_ref()?;
        Some(signer.receipt(settlement, resource, Timestamp::now()))
    }

    /// The first chain.
    pub const fn network(&self) -> Network {
        self.first.network
    }

    /// The first token.
    pub const fn asset(&self) -> &Asset {
        &self.first.asset
    }

    /// The longest time that an authorization is asked to be valid.
    pub const fn max_timeout(&self) -> Duration {
        Duration::from_secs(self.max_timeout.get() as u64)
    }

    /// Who gets payments in the first token.
    pub const fn pay_to(&self) -> Wallet {
        self.first.pay_to
    }
}

impl Listing {
    /// Describes the product at `resource`, an absolute URL, in a sentence of which 200 characters are kept.
    #[must_use]
    pub fn new(resource: Url, description: impl Into<Cow<'static, str>>) -> Self {
        let mut description = description.into();
        if let Some((end, _)) = description.char_indices().nth(MAX_DESCRIPTION) {
            description = description[..end].to_owned().into();
        }
        Self {
            resource,
            description,
            mime_type: "application/json",
            discovery: None,
        }
    }

    /// The same where the answer is a stream of server-sent events.
    #[must_use]
    pub fn streamed(mut self) -> Self {
        self.mime_type = "text/event-stream";
        self
    }

    /// Adds what catalogues need to know.
    #[must_use]
    pub fn discoverable(mut self, discovery: Discovery) -> Self {
        self.discovery = Some(discovery);
        self
    }
}

impl PriceQuote<Sale> {
    /// Prices `product`, sold at `listing`.
    #[must_use]
    pub fn sale(product: Product, terms: Arc<Terms>, listing: Arc<Listing>) -> Self {
        Self {
            purpose: Sale(product),
            is_sale: true,
            price: terms.prices.of(product.skill()),
            terms,
            listing,
            plan: None,
        }
    }

    /// The same with the work that the price pays for.
    #[must_use]
    pub fn of_plan(self, plan: Option<OfferedPlan>) -> Self {
        Self { plan, ..self }
    }

    /// The sold product.
    pub const fn product(&self) -> Product {
        self.purpose.0
    }
}

impl PriceQuote<Proof> {
    /// The least that can be signed, as a proof of who asks for receipts.
    #[must_use]
    pub fn proof(terms: Arc<Terms>, listing: Arc<Listing>) -> Self {
        Self {
            purpose: Proof(()),
            is_sale: false,
            price: terms.prices.of(Skill::MyReceipts),
            terms,
            listing,
            plan: None,
        }
    }
}

impl<P> PriceQuote<P> {
    /// The exact value that the authorization must have.
    pub const fn price(&self) -> AtomicUsdc {
        self.price
    }

    /// How the operator is paid.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// Absolute URL of what is sold.
    pub fn resource(&self) -> &Url {
        &self.listing.resource
    }

    /// Writes the offer's first entry for version 1.
    pub fn v1(&self) -> v1::PaymentRequirements {
        self.v1_in(&self.terms.first)
    }

    /// Writes an entry of the offer for version 1.
    /// A facilitator gets it with a payment of version 1.
    pub(crate) fn v1_in(&self, accepted: &Accepted) -> v1::PaymentRequirements {
        let requirements = v1::PaymentRequirements {
            scheme: "exact",
            network: accepted.network.name(),
            max_amount_required: self.price.get().to_string(),
            resource: self.listing.resource.to_string(),
            description: self.description(),
            mime_type: self.listing.mime_type,
            output_schema: None,
            pay_to: checksummed(accepted.pay_to.as_bytes()),
            max_timeout_seconds: self.terms.max_timeout.get(),
            asset: checksummed(accepted.asset.contract.as_bytes()),
            extra: extra(&accepted.asset),
        };
        requirements.discoverable(self.listing.discovery.as_ref())
    }

    /// Writes the offer's first entry for version 2.
    pub fn v2(&self) -> v2::PaymentRequirements {
        self.v2_in(&self.terms.first)
    }

    /// Writes an entry of the offer for version 2.
    /// A facilitator gets it with a payment of version 2.
    pub(crate) fn v2_in(&self, accepted: &Accepted) -> v2::PaymentRequirements {
        v2::PaymentRequirements {
            scheme: "exact",
            network: accepted.network.caip2(),
            amount: self.price.get().to_string(),
            asset: checksummed(accepted.asset.contract.as_bytes()),
            pay_to: checksummed(accepted.pay_to.as_bytes()),
            max_timeout_seconds: self.terms.max_timeout.get(),
            extra: extra(&accepted.asset),
        }
    }

    /// Writes a 402's body, for version 1.
    /// `error` is a stable word such as `payment_required`.
    pub fn body(&self, error: impl Into<Cow<'static, str>>) -> v1::PaymentRequired {
        v1::PaymentRequired {
            x402_version: 1,
            error: error.into(),
            accepts: self
                .terms
                .accepted()
                .map(|accepted| self.v1_in(accepted))
                .collect(),
            payer: None,
            detail: None,
            plan: self.plan.clone(),
        }
    }

    /// Writes version 2's offer as a JSON body, for transports without a header.
    /// Its only extension is the plan.
    pub fn body_v2(&self, error: impl Into<Cow<'static, str>>) -> v2::PaymentRequired {
        let plan: Map<_, _> = self.plan_extension().into_iter().collect();
        v2::PaymentRequired {
            x402_version: 2,
            error: error.into(),
            resource: v2::Resource {
                url: self.listing.resource.to_string(),
                description: self.description(),
                mime_type: self.listing.mime_type,
                service_name: "ibid",
            },
            accepts: self
                .terms
                .accepted()
                .map(|accepted| self.v2_in(accepted))
                .collect(),
            extensions: (!plan.is_empty()).then_some(Value::Object(plan)),
        }
    }

    /// Writes the value for [`crate::PAYMENT_REQUIRED`] in a 402, for version 2.
    /// Above [`MAX_OFFER_HEADER`] bytes, the data for catalogues is left out, and then every extension.
    pub fn header(&self, error: impl Into<Cow<'static, str>>) -> String {
        let mut required = self.body_v2(error);
        let small = self.extensions(&required.accepts);
        let mut all = small.clone();
        all.extend(self.listing.discovery.as_ref().map(Discovery::extension));
        for extensions in [all, small] {
            required.extensions = (!extensions.is_empty()).then_some(Value::Object(extensions));
            let header = encode(&required);
            if header.len() <= MAX_OFFER_HEADER {
                return header;
            }
        }
        required.extensions = None;
        encode(&required)
    }

    /// The product in words, with the size of the work where there is room for it.
    fn description(&self) -> Cow<'static, str> {
        let listed = &self.listing.description;
        let sized = self.plan.as_ref().map(|plan| {
            let OfferedPlan {
                answers,
                expected_width,
                ..
            } = plan;
            let s = if *answers == 1 { "" } else { "s" };
            format!("{listed}; {answers} answer{s}, range about {expected_width} points wide")
        });
        match sized.filter(|sized| sized.chars().count() <= MAX_DESCRIPTION) {
            Some(sized) => sized.into(),
            None => listed.clone(),
        }
    }

    /// The extension with the work that the price pays for.
    fn plan_extension(&self) -> Option<(String, Value)> {
        let plan = self.plan.as_ref()?;
        Some((
            "plan".to_owned(),
            json!({"info": plan, "schema": {"type": "object"}}),
        ))
    }

    /// The extensions apart from the description for catalogues, which may be too long.
    fn extensions(&self, accepts: &[v2::PaymentRequirements]) -> Map<String, Value> {
        let identifier = (identifier::NAME.to_owned(), identifier::declaration());
        let mut extensions: Map<_, _> = self.is_sale.then_some(identifier).into_iter().collect();
        extensions.extend(self.plan_extension());
        if let Some(signer) = &self.terms.signer {
            let until = Timestamp::now() + SignedDuration::from_secs(self.terms.max_timeout.get().into());
            let offers = signer.offers(self.resource(), accepts, until);
            extensions.insert(offer_receipt::NAME.to_owned(), offers);
        }
        extensions
    }
}

fn extra(asset: &Asset) -> v1::Extra {
    v1::Extra {
        name: asset.name.clone(),
        version: asset.version.clone(),
    }
}
