//! The two facilitators behind one handle, and a buyer with a shop around them.

use ibid_model::{Asset, Network, Nonce, Product, X402Version};
use ibid_tests::fake_facilitator::{FakeFacilitator, Fault};
use ibid_x402::sandbox::{Draft, Script, SignedDraft, TestWallet};
use ibid_x402::{
    Checked, Held, Listing, Outage, Paygate, Payment, PaymentError, PriceQuote, RemoteFacilitator,
    RemoteOptions, Rules, SandboxFacilitator, SignerRule, Terms,
};
use jiff::Timestamp;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// The time at the facilitator.
pub(crate) const NOW: i64 = 1_800_000_000;
/// Both versions of the protocol.
pub(crate) const BOTH: [X402Version; 2] = [X402Version::V1, X402Version::V2];

/// A facilitator to be judged.
pub(crate) struct Rig {
    pub(crate) name: &'static str,
    pub(crate) gate: Paygate,
    /// The ledger behind it.
    pub(crate) sandbox: Arc<SandboxFacilitator>,
    fake: Option<FakeFacilitator>,
}

/// The fault of one call, for every kind of facilitator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// No answer in time; nothing is done.
    Hang,
    /// The connection breaks; nothing is done.
    HangUp,
    /// The connection breaks after the work.
    LoseAnswer,
    /// An answer without a verdict; nothing is done.
    Nonsense,
    /// Sent to the chain and not confirmed.
    Pending,
}

pub(crate) fn ledger() -> Arc<SandboxFacilitator> {
    let clock = Arc::new(|| Timestamp::from_second(NOW).unwrap());
    Arc::new(SandboxFacilitator::new().with_clock(clock))
}

/// A client of a facilitator at `base`, of little patience.
pub(crate) fn client(base: Url) -> RemoteFacilitator {
    let mut options = RemoteOptions::new(base);
    options.verify = Duration::from_millis(500);
    options.settle = Duration::from_millis(500);
    RemoteFacilitator::new(options).unwrap()
}

/// Every facilitator there is, each with a ledger of its own.
pub(crate) fn rigs() -> [Rig; 2] {
    let sandbox = ledger();
    let fake = FakeFacilitator::spawn(ledger());
    [
        Rig {
            name: "sandbox",
            gate: Paygate::new(sandbox.clone()),
            sandbox,
            fake: None,
        },
        Rig {
            name: "remote",
            gate: Paygate::new(Arc::new(client(fake.base_url()))),
            sandbox: fake.sandbox.clone(),
            fake: Some(fake),
        },
    ]
}

impl Rig {
    /// Makes the next verification go wrong.
    pub(crate) fn trouble_verify(&self, trouble: Trouble) {
        match &self.fake {
            Some(fake) => drop(fake.fail("/verify", fault(trouble))),
            None => self.sandbox.script_verify(script(trouble)),
        }
    }

    /// Makes the next settlement go wrong; several queue up.
    pub(crate) fn trouble_settle(&self, trouble: Trouble) {
        match &self.fake {
            Some(fake) => drop(fake.fail("/settle", fault(trouble))),
            None => self.sandbox.script_settle(script(trouble)),
        }
    }

    /// A payment that the facilitator holds good.
    pub(crate) async fn held(&self, version: X402Version, nonce: u8) -> Held {
        let checked = pay(&quote(), &draft(version, nonce).sign(&TestWallet::rich()));
        self.gate.verify(checked).await.unwrap().hold()
    }

    /// The verdict on a payment.
    pub(crate) async fn verify(&self, signed: &SignedDraft) -> Result<(), PaymentError> {
        self.gate.verify(pay(&quote(), signed)).await.map(|_| ())
    }

    /// The earned amount, in atomic units.
    pub(crate) fn earned(&self) -> u64 {
        self.sandbox.balance(quote().terms().pay_to()).get()
    }
}

pub(crate) fn quote() -> PriceQuote {
    let network = Network::BaseSepolia;
    let pay_to = "0xa0Ee7A142d267C1f36714E4a8F75612F20a79720".parse().unwrap();
    let timeout = NonZeroU32::new(600).unwrap();
    let terms = Terms::new(network, Asset::usdc(network), pay_to, timeout);
    let listing = Listing::new("https://ibid.example/api/a2a/scan".parse().unwrap(), "scan");
    PriceQuote::sale(Product::Scan, Arc::new(terms), Arc::new(listing))
}

/// An honest payment, before it is signed.
pub(crate) fn draft(version: X402Version, nonce: u8) -> Draft {
    let now = Timestamp::from_second(NOW).unwrap();
    Draft::of(&quote(), version, now, Nonce::from_bytes([nonce; 32]))
}

/// Takes a payment through the local checks, by a clock that suits it: the facilitator has its own.
pub(crate) fn pay(quote: &PriceQuote, signed: &SignedDraft) -> Checked {
    let payment = Payment::from_json(&signed.payload().to_string()).unwrap();
    let matched = payment.matching(quote, SignerRule::AnySigner).unwrap();
    let window = &signed.payload()["payload"]["authorization"]["validBefore"];
    let end: i64 = window.as_str().unwrap().parse().unwrap();
    matched
        .in_time(Timestamp::from_second(end - 600).unwrap(), Rules::default())
        .unwrap()
}

fn script(trouble: Trouble) -> Script {
    match trouble {
        Trouble::Hang => Script::Fail(Outage::Timeout),
        Trouble::HangUp => Script::Fail(Outage::Broken),
        Trouble::LoseAnswer => Script::LoseAnswer,
        Trouble::Nonsense => Script::Fail(Outage::Unreadable { status: 500 }),
        Trouble::Pending => Script::Pending,
    }
}

fn fault(trouble: Trouble) -> Fault {
    match trouble {
        Trouble::Hang => Fault::Hang,
        Trouble::HangUp => Fault::HangUp,
        Trouble::LoseAnswer => Fault::LoseAnswer,
        Trouble::Nonsense => Fault::Answer(500, "<html>Internal Server Error</html>".to_owned()),
        Trouble::Pending => Fault::Pending,
    }
}
