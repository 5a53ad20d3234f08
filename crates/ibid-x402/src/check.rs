//! Checks of a payment that need no facilitator.
//!
//! Cheap checks come first.
//! All data that a thief could vary is checked before the first call to a facilitator.
//! The time window is a separate step, because a buyer may come back for a stored result after the authorization expired.

use crate::eip712::{SignatureForm, keccak};
use crate::error::Refusal;
use crate::facilitator::FacilitatorRequest;
use crate::payment::{AcceptedOffer, Payment};
use crate::proto::exact::SignedTransfer;
use crate::proto::{member, parsed, v2};
use crate::quote::{Accepted, PriceQuote, Sale, Terms};
use ibid_model::{Asset, AtomicUsdc, PaymentKey, Product, X402Version};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// Facilitators refuse an authorization that expires within so many seconds.
pub const SETTLE_MARGIN: Duration = Duration::from_secs(6);

/// The accepted validity, even if the offer asks for less: two hours.
/// Some wallets sign for a fixed hour.
const LEAST_LONGEST: Duration = Duration::from_secs(2 * 3_600);

/// Longest time from a payment's claim until its authorization ends.
/// Looks at the chain go back so far.
pub const LONGEST_VALIDITY: Duration = Duration::from_secs(2 * 3_600 + 600);

/// How strict the local checks are.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Time that the work needs between verification and settlement.
    pub work: Duration,
    /// The most that a buyer's clock may be ahead of this process's clock.
    pub skew: Duration,
    /// The signatures that are accepted.
    pub signers: SignerRule,
}

/// The signatures that are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignerRule {
    /// Every signature; the facilitator decides.
    /// A wallet with code has its own signatures.
    /// Even 65 bytes that do not recover to the payer may be the signature of such a wallet's owner.
    AnySigner,
    /// Only signatures that provably come from the payer's key.
    /// Wallets with code are refused.
    KeyHoldersOnly,
}

/// What the local check says about the signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signer {
    /// The payer's own key made it.
    KeyHolder,
    /// Unknown: only the facilitator can check it.
    Unproven,
}

/// Identifies an authorization and who may come back with it.
///
/// A [`PaymentKey`] alone must not fetch a stored result, because a settled payment's nonce is public on the chain.
/// If the payer's key provably signed, this is the hash of the signed data.
/// Otherwise the hash includes the signature, and only an identical signature fits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint([u8; 32]);

/// A payment that fits the offer.
/// Its time window is unchecked.
pub struct Matched<P = Sale> {
    pub(crate) purpose: P,
    pub(crate) request: FacilitatorRequest,
    pub(crate) fingerprint: Fingerprint,
    pub(crate) signer: Signer,
    pub(crate) valid_after: u64,
    pub(crate) valid_before: u64,
    max_timeout: u64,
}

/// A payment that passed every local check.
/// Claim its key, then ask the facilitator.
pub struct Checked<P = Sale>(pub(crate) Matched<P>);

impl Default for Rules {
    /// No time for work, clocks up to a minute ahead, every signature.
    fn default() -> Self {
        Self {
            work: Duration::ZERO,
            skew: Duration::from_secs(60),
            signers: SignerRule::AnySigner,
        }
    }
}

impl Payment {
    /// Checks the payment against `quote`: offer, recipient, exact amount and form of the signature.
    /// Checks the signer where this is possible locally.
    /// Does not check the time.
    pub fn matching<P: Copy>(
        self,
        quote: &PriceQuote<P>,
        signers: SignerRule,
    ) -> Result<Matched<P>, Refusal> {
        let accepted = self.accepted(&quote.terms, |accepted| quote.v2_in(accepted))?;
        let requirements = match &self.offer {
            AcceptedOffer::Names { .. } => serde_json::to_string(&quote.v1_in(accepted)),
            AcceptedOffer::Entry(_) => serde_json::to_string(&quote.v2_in(accepted)),
        };
        let transfer = self.transfer?;
        let authorization = &transfer.authorization;
        if authorization.to != accepted.pay_to {
            return Err(Refusal::Recipient);
        }
        if authorization.value.as_u64() != Some(quote.price.get()) {
            return Err(Refusal::Amount);
        }
        // No clock reaches a time beyond 64 bits, so it is as good as the last one.
        let valid_after = authorization.valid_after.as_u64().unwrap_or(u64::MAX);
        let valid_before = authorization.valid_before.as_u64().unwrap_or(u64::MAX);

        let (signer, fingerprint) = transfer.identified(accepted).ok_or(Refusal::SignatureForm)?;
        if signer == Signer::Unproven && signers == SignerRule::KeyHoldersOnly {
            return Err(Refusal::Signer);
        }
        let key = transfer.key(accepted);
        // Our own offer always serialises: it holds strings, numbers and JSON values.
        let requirements = requirements.unwrap_or_default();
        Ok(Matched {
            purpose: quote.purpose,
            request: FacilitatorRequest::new(self.version, key, quote.price, &self.raw, &requirements),
            fingerprint,
            signer,
            valid_after,
            valid_before,
            max_timeout: quote.terms.max_timeout().as_secs(),
        })
    }

    /// The identities under which a shop that had other terms may have stored the payment: one for each token that it
    /// can be in, whatever `terms` offer today. Only a payment with the payer's own signature has any.
    pub fn identities(&self, terms: &Terms) -> Vec<(PaymentKey, Fingerprint)> {
        let Ok(transfer) = &self.transfer else {
            return Vec::new();
        };
        let to = transfer.authorization.to;
        let tokens: Vec<Accepted> = match &self.offer {
            AcceptedOffer::Entry(entry) => {
                let extra = member(entry, "extra");
                let word = |name| extra.and_then(|extra| parsed::<String>(extra, name));
                let (network, contract) = (parsed(entry, "network"), parsed(entry, "asset"));
                let own = network.zip(contract).zip(word("name").zip(word("version")));
                let own = own.map(|((network, contract), (name, version))| {
                    let asset = Asset {
                        contract,
                        name,
                        version,
                    };
                    Accepted::new(network, asset, to)
                });
                own.into_iter().collect()
            }
            AcceptedOffer::Names { network, .. } => {
                let offered = terms.accepted().filter(|token| token.network.name() == network);
                let usdc = network.parse().ok();
                let usdc = usdc.map(|network| Accepted::new(network, Asset::usdc(network), to));
                offered.cloned().chain(usdc).collect()
            }
        };
        let identity = |token: &Accepted| {
            let (signer, fingerprint) = transfer.identified(token)?;
            (signer == Signer::KeyHolder).then(|| (transfer.key(token), fingerprint))
        };
        tokens.iter().filter_map(identity).collect()
    }

    /// The token that the payment is in.
    /// A payment of version 1 names only the chain.
    /// Of several tokens there, it is in the one that the payer's key signed for, otherwise in the first.
    fn accepted<'a>(
        &self,
        terms: &'a Terms,
        offer: impl Fn(&Accepted) -> v2::PaymentRequirements,
    ) -> Result<&'a Accepted, Refusal> {
        match &self.offer {
            AcceptedOffer::Names { scheme, .. } if scheme != "exact" => Err(Refusal::Scheme),
            AcceptedOffer::Names { network, .. } => {
                let on_chain = || {
                    terms
                        .accepted()
                        .filter(|accepted| accepted.network.name() == network)
                };
                let signed = |accepted: &&Accepted| {
                    self.transfer
                        .as_ref()
                        .is_ok_and(|transfer| transfer.is_signed_in(accepted))
                };
                let first = on_chain().next().ok_or(Refusal::Network)?;
                match on_chain().nth(1) {
                    Some(_) => Ok(on_chain().find(signed).unwrap_or(first)),
                    None => Ok(first),
                }
            }
            AcceptedOffer::Entry(entry) => {
                let mut refusal = Refusal::Network;
                for accepted in terms.accepted() {
                    match offer(accepted).difference(entry) {
                        None => return Ok(accepted),
                        Some("scheme") => return Err(Refusal::Scheme),
                        Some("network") => {}
                        Some(member) => refusal = Refusal::OfferMismatch { member },
                    }
                }
                Err(refusal)
            }
        }
    }

    /// [`Self::matching`] and [`Matched::in_time`] at once.
    pub fn check<P: Copy>(
        self,
        quote: &PriceQuote<P>,
        now: Timestamp,
        rules: Rules,
    ) -> Result<Checked<P>, Refusal> {
        self.matching(quote, rules.signers)?.in_time(now, rules)
    }
}

impl SignedTransfer {
    /// The signer and the fingerprint, if the transfer is in this token; `None` for a signature that no token takes.
    fn identified(&self, token: &Accepted) -> Option<(Signer, Fingerprint)> {
        let digest = token.domain.digest(&self.authorization);
        let recovered = match SignatureForm::of(&self.signature).ok()? {
            SignatureForm::Ecdsa(signature) => signature.signer(&digest),
            SignatureForm::Contract => None,
        };
        Some(match recovered == Some(self.authorization.from) {
            true => (Signer::KeyHolder, Fingerprint(digest)),
            false => (Signer::Unproven, Fingerprint(keccak(&[&digest, &self.signature]))),
        })
    }

    /// What the chain tells the payment by, if the transfer is in this token.
    fn key(&self, token: &Accepted) -> PaymentKey {
        PaymentKey {
            network: token.network,
            asset: token.asset.contract,
            payer: self.authorization.from,
            nonce: self.authorization.nonce,
        }
    }

    /// Whether the payer's own key signed it for this token.
    fn is_signed_in(&self, accepted: &Accepted) -> bool {
        self.identified(accepted)
            .is_some_and(|(signer, _)| signer == Signer::KeyHolder)
    }
}

impl<P> Matched<P> {
    /// What the chain tells the payment by.
    pub const fn key(&self) -> &PaymentKey {
        &self.request.key
    }

    /// The digest that a returning buyer has to present again.
    pub const fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// What the local check says about the signature.
    pub const fn signer(&self) -> Signer {
        self.signer
    }

    /// Which protocol version the buyer speaks.
    pub const fn version(&self) -> X402Version {
        self.request.version
    }

    /// The amount that is paid.
    pub const fn amount(&self) -> AtomicUsdc {
        self.request.amount
    }

    /// Checks that the authorization is valid now and long enough for the work.
    /// It may be valid for at most two hours, or as long as was offered.
    /// After its end no chain accepts it, so a record of its nonce may then be dropped.
    pub fn in_time(self, now: Timestamp, rules: Rules) -> Result<Checked<P>, Refusal> {
        let now = u64::try_from(now.as_second()).unwrap_or(0);
        if self.valid_after > now {
            return Err(Refusal::NotYetValid);
        }
        let needed = SETTLE_MARGIN.saturating_add(rules.work).as_secs();
        if self.valid_before < now.saturating_add(needed) {
            return Err(Refusal::Expired);
        }
        let longest = self.max_timeout.max(LEAST_LONGEST.as_secs());
        let longest = longest.saturating_add(rules.skew.as_secs());
        if self.valid_before > now.saturating_add(longest) {
            return Err(Refusal::ValidTooLong);
        }
        Ok(Checked(self))
    }
}

impl Matched<Sale> {
    /// The product that is bought.
    pub const fn product(&self) -> Product {
        self.purpose.0
    }
}

impl<P> Checked<P> {
    /// What the chain tells the payment by.
    /// Claim it before any other step.
    pub const fn key(&self) -> &PaymentKey {
        self.0.key()
    }

    /// The digest that a returning buyer has to present again.
    /// Store it with the claim.
    pub const fn fingerprint(&self) -> Fingerprint {
        self.0.fingerprint
    }

    /// When the authorization ends.
    /// Claims of an earlier end may be dropped.
    pub fn expires(&self) -> Timestamp {
        expires(self.0.valid_before)
    }
}

/// Seconds since the epoch as a time; the last one there is, if beyond.
pub(crate) fn expires(valid_before: u64) -> Timestamp {
    let seconds = i64::try_from(valid_before).ok();
    seconds
        .and_then(|seconds| Timestamp::from_second(seconds).ok())
        .unwrap_or(Timestamp::MAX)
}

impl Fingerprint {
    /// The bytes, as stores keep them.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The fingerprint that [`Self::as_bytes`] gave.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fingerprint({})", crate::hex::encode(&self.0[..4]))
    }
}

impl<P> fmt::Debug for Matched<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Matched({:?}, ..)", self.request.version)
    }
}

impl<P> fmt::Debug for Checked<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Checked({:?}, ..)", self.0.request.version)
    }
}

#[cfg(test)]
mod tests;
