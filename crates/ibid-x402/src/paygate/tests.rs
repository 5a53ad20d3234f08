//! Money in every order of events that a facilitator can produce, on the sandbox.

use super::*;
use crate::chain::{ChainEvidence, ChainReader as _};
use crate::check::{Rules, SignerRule};
use crate::facilitator::FacilitatorFuture;
use crate::payment::Payment;
use crate::quote::{Listing, PriceQuote, Terms};
use crate::reason::FacilitatorReason;
use crate::sandbox::{Calls, Draft, SandboxFacilitator, Script, TestWallet};
use ibid_model::{Asset, AtomicUsdc, Network, Nonce, Product, X402Version};
use jiff::Timestamp;
use std::num::NonZeroU32;
use std::sync::Mutex;

struct Shop {
    sandbox: Arc<SandboxFacilitator>,
    gate: Paygate,
    terms: Arc<Terms>,
    listing: Arc<Listing>,
    now: Timestamp,
}

impl Shop {
    fn open() -> Self {
        let now = Timestamp::from_second(1_800_000_000).unwrap();
        let clock = Arc::new(move || now);
        let sandbox = SandboxFacilitator::new()
            .with_clock(clock)
            .with_patience(Duration::from_secs(10));
        let sandbox = Arc::new(sandbox);
        let network = Network::BaseSepolia;
        let pay_to = "0xa0Ee7A142d267C1f36714E4a8F75612F20a79720".parse().unwrap();
        Self {
            gate: Paygate::new(sandbox.clone()),
            sandbox,
            terms: Arc::new(Terms::new(
                network,
                Asset::usdc(network),
                pay_to,
                NonZeroU32::new(600).unwrap(),
            )),
            listing: Arc::new(Listing::new("https://ibid.example/scan".parse().unwrap(), "scan")),
            now,
        }
    }

    fn payment<P: Copy>(
        &self,
        quote: &PriceQuote<P>,
        payer: &TestWallet,
        version: X402Version,
    ) -> Checked<P> {
        let draft = Draft::of(quote, version, self.now, Nonce::from_bytes([5; 32]));
        let payment = Payment::from_json(&draft.sign(payer).payload().to_string()).unwrap();
        payment.check(quote, self.now, Rules::default()).unwrap()
    }

    fn scan(&self, payer: &TestWallet, version: X402Version) -> Checked {
        let quote = PriceQuote::sale(Product::Scan, self.terms.clone(), self.listing.clone());
        self.payment(&quote, payer, version)
    }

    async fn held(&self) -> Held {
        self.gate
            .verify(self.scan(&TestWallet::rich(), X402Version::V2))
            .await
            .unwrap()
            .hold()
    }

    /// The evidence of the first transfer.
    fn paid(&self) -> ChainEvidence {
        ChainEvidence::Paid {
            transaction: self.sandbox.transfers()[0].transaction.parse().unwrap(),
        }
    }

    fn earned(&self) -> u64 {
        self.sandbox.balance(self.terms.pay_to()).get()
    }

    async fn settle(&self, held: &Held, scripts: &[Script]) -> Result<Settlement, SettleFailure> {
        for script in scripts {
            self.sandbox.script_settle(script.clone());
        }
        self.gate
            .settle_until(
                held,
                PriorAttempt::Never,
                Instant::now() + Duration::from_secs(20),
            )
            .await
    }
}

fn refused(text: &str) -> Script {
    Script::Refuse(text.to_owned())
}

#[tokio::test]
async fn a_payment_is_verified_held_and_settled() {
    for version in [X402Version::V1, X402Version::V2] {
        let shop = Shop::open();
        let verified = shop
            .gate
            .verify(shop.scan(&TestWallet::rich(), version))
            .await
            .unwrap();
        assert_eq!((verified.product(), shop.earned()), (Product::Scan, 0));
        let held = verified.hold();
        let settlement = shop.gate.settle(&held, &PriorAttempt::Never).await.unwrap();
        assert_eq!(shop.earned(), 150_000);
        assert_eq!(settlement.evidence, SettlementEvidence::Reported);
        let response = settlement.response();
        assert_eq!(response.transaction, shop.sandbox.transfers()[0].transaction);
        assert_eq!(response.network, Network::BaseSepolia.in_version(version));
        assert_eq!(shop.sandbox.calls(), Calls { verify: 1, settle: 1 });
    }
}

#[tokio::test]
async fn a_held_payment_survives_a_restart_byte_for_byte() {
    let shop = Shop::open();
    let held = shop.held().await;
    let stored = serde_json::to_string(&held).unwrap();
    let again: Held = serde_json::from_str(&stored).unwrap();
    assert_eq!(again, held);
    assert_eq!(again.request().expose_body(), held.request().expose_body());
    assert_eq!(again.expires().as_second(), 1_800_000_600);
    // The first process was killed after its request: the second one settles with identical bytes.
    let before = PriorAttempt::Before { transaction: None };
    assert_eq!(
        shop.gate.settle(&again, &before).await.unwrap().evidence,
        SettlementEvidence::Reported
    );
    // A used nonce is no proof. The chain has one.
    let failure = shop.gate.settle(&again, &before).await.unwrap_err();
    assert!(matches!(failure, SettleFailure::Doubtful { .. }), "{failure:?}");
    assert_eq!(shop.earned(), 150_000);
    let expected = again.expected(shop.terms.pay_to());
    assert_eq!(shop.sandbox.evidence(&expected).await, Ok(shop.paid()));
    assert!(!format!("{held:?}").contains("0x"), "{held:?}");
}

#[tokio::test]
async fn a_proof_names_a_wallet_and_moves_nothing() {
    let shop = Shop::open();
    let quote = PriceQuote::proof(shop.terms.clone(), shop.listing.clone());
    shop.sandbox
        .fund(TestWallet::numbered(1).address(), AtomicUsdc::new(1));
    let wallet = shop
        .gate
        .identify(shop.payment(&quote, &TestWallet::numbered(1), X402Version::V1))
        .await;
    assert_eq!(wallet, Ok(TestWallet::numbered(1).address()));
    assert_eq!(shop.sandbox.balance(TestWallet::numbered(1).address()).get(), 1);
    assert_eq!(shop.sandbox.calls(), Calls { verify: 1, settle: 0 });
}

#[tokio::test]
async fn a_payer_without_money_is_refused() {
    let shop = Shop::open();
    let refusal = shop
        .gate
        .verify(shop.scan(&TestWallet::empty(), X402Version::V1))
        .await;
    let Err(PaymentError::Refused(refusal)) = refusal else {
        panic!("{refusal:?}")
    };
    assert_eq!(refusal.code().word(), "insufficient_funds");
}

#[tokio::test(start_paused = true)]
async fn no_verdict_is_no_refusal() {
    let shop = Shop::open();
    for (script, outage) in [
        (Script::Fail(Outage::Unreachable), Outage::Unreachable),
        (
            Script::Fail(Outage::Unreadable { status: 500 }),
            Outage::Unreadable { status: 500 },
        ),
        (Script::Delay(Duration::from_secs(11)), Outage::Timeout),
        (Script::LoseAnswer, Outage::Broken),
    ] {
        shop.sandbox.script_verify(script);
        let verdict = shop
            .gate
            .verify(shop.scan(&TestWallet::rich(), X402Version::V1))
            .await;
        assert_eq!(verdict.map(|_| ()), Err(PaymentError::Unavailable(outage)));
    }
    shop.sandbox.script_verify(Script::Delay(Duration::from_secs(9)));
    assert!(
        shop.gate
            .verify(shop.scan(&TestWallet::rich(), X402Version::V1))
            .await
            .is_ok()
    );
}

#[tokio::test(start_paused = true)]
async fn a_pending_settlement_is_asked_again() {
    let shop = Shop::open();
    let held = shop.held().await;
    let settlement = shop
        .settle(&held, &[Script::Pending, Script::Pending])
        .await
        .unwrap();
    assert_eq!(settlement.evidence, SettlementEvidence::Reported);
    assert_eq!(
        settlement.transaction.unwrap().as_str(),
        shop.sandbox.transfers()[0].transaction
    );
    assert_eq!((shop.sandbox.calls().settle, shop.earned()), (3, 150_000));
}

#[tokio::test(start_paused = true)]
async fn a_settlement_that_stays_pending_keeps_its_hash() {
    let shop = Shop::open();
    let held = shop.held().await;
    let mut scripts = vec![Script::Pending];
    scripts.extend(vec![Script::Fail(Outage::Timeout), refused("settlement_pending")]);
    scripts.extend(vec![refused("settlement_pending"); 20]);
    let failure = shop.settle(&held, &scripts).await.unwrap_err();
    let SettleFailure::Pending {
        transaction: Some(transaction),
    } = failure.clone()
    else {
        panic!("{failure:?}")
    };
    assert_eq!(transaction.as_str(), shop.sandbox.transfers()[0].transaction);
    assert_eq!(held.failed(&failure).transaction, transaction.as_str());
    assert!(shop.sandbox.calls().settle < 12, "pauses grow");
}

#[tokio::test(start_paused = true)]
async fn after_a_lost_answer_only_the_chain_knows() {
    let shop = Shop::open();
    let held = shop.held().await;
    let failure = shop.settle(&held, &[Script::LoseAnswer]).await.unwrap_err();
    assert!(matches!(failure, SettleFailure::Doubtful { .. }), "{failure:?}");
    assert_eq!((shop.sandbox.calls().settle, shop.earned()), (2, 150_000));
    let expected = held.expected(shop.terms.pay_to());
    assert_eq!(shop.sandbox.evidence(&expected).await, Ok(shop.paid()));
    let ChainEvidence::Paid { transaction } = shop.paid() else {
        unreachable!()
    };
    let settlement = expected.observed(transaction);
    assert_eq!(settlement.evidence, SettlementEvidence::Observed);
    assert_eq!(
        settlement.response().transaction,
        shop.sandbox.transfers()[0].transaction
    );
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_authorization_is_never_a_sale() {
    let shop = Shop::open();
    let held = shop.held().await;
    shop.sandbox.cancel(*held.key());
    let failure = shop
        .settle(&held, &[Script::Fail(Outage::Timeout)])
        .await
        .unwrap_err();
    assert!(matches!(failure, SettleFailure::Doubtful { .. }), "{failure:?}");
    let evidence = shop.sandbox.evidence(&held.expected(shop.terms.pay_to())).await;
    assert_eq!((evidence, shop.earned()), (Ok(ChainEvidence::Cancelled), 0));
}

#[tokio::test(start_paused = true)]
async fn an_outage_before_the_request_is_just_tried_again() {
    let shop = Shop::open();
    let held = shop.held().await;
    let settlement = shop
        .settle(&held, &[Script::Fail(Outage::Unreachable)])
        .await
        .unwrap();
    assert_eq!(settlement.evidence, SettlementEvidence::Reported);
    assert_eq!(shop.earned(), 150_000);
}

#[tokio::test(start_paused = true)]
async fn an_outage_without_end_ends_at_the_deadline() {
    let shop = Shop::open();
    let held = shop.held().await;
    let failure = shop.settle(&held, &vec![Script::Fail(Outage::Timeout); 50]).await;
    assert_eq!(failure, Err(SettleFailure::Unknown(Outage::Timeout)));
    assert_eq!(shop.earned(), 0);
    assert_eq!(
        held.failed(&failure.unwrap_err()).error_reason.unwrap(),
        "settlement_unknown"
    );
}

#[tokio::test]
async fn a_refusal_is_definite_and_the_same_payment_may_still_settle() {
    let shop = Shop::open();
    let held = shop.held().await;
    let failure = shop
        .settle(&held, &[refused("insufficient_funds")])
        .await
        .unwrap_err();
    assert!(matches!(failure, SettleFailure::Refused(_)), "{failure:?}");
    assert_eq!(held.failed(&failure).error_reason.unwrap(), "insufficient_funds");
    assert_eq!(shop.earned(), 0);
    assert!(shop.settle(&held, &[]).await.is_ok());
}

#[tokio::test]
async fn a_used_nonce_is_doubtful() {
    let shop = Shop::open();
    let held = shop.held().await;
    // Any party may carry out a transfer that it has seen. The transfer pays us.
    assert!(shop.sandbox.settle_body(held.request().expose_body()).success);
    let failure = shop.settle(&held, &[]).await.unwrap_err();
    assert!(matches!(failure, SettleFailure::Doubtful { .. }), "{failure:?}");
    let evidence = shop.sandbox.evidence(&held.expected(shop.terms.pay_to())).await;
    assert_eq!(evidence, Ok(shop.paid()));
}

#[tokio::test]
async fn failures_that_do_not_prove_that_nothing_was_sent_are_doubtful() {
    for text in [
        "unexpected_settle_error",
        "invalid_exact_evm_transaction_failed",
        "Timed out while waiting for the transaction",
    ] {
        let shop = Shop::open();
        let held = shop.held().await;
        let failure = shop.settle(&held, &[refused(text)]).await.unwrap_err();
        assert!(matches!(failure, SettleFailure::Doubtful { .. }), "{failure:?}");
        let after = PriorAttempt::Never.after(&failure);
        assert_eq!(after, PriorAttempt::Before { transaction: None });
    }
}

#[tokio::test]
async fn a_refusal_that_names_a_transaction_is_doubtful() {
    let shop = Shop::open();
    let held = shop.held().await;
    let named: Option<Transaction> = "0xab".parse().ok();
    let verdict = SettleVerdict::Failed {
        reason: FacilitatorReason::new("insufficient_funds"),
        transaction: named.clone(),
    };
    let parrot = Parrot(Mutex::new(vec![verdict]), PaymentVerdict::Valid { payer: None });
    let failure = Paygate::new(Arc::new(parrot))
        .settle(&held, &PriorAttempt::Never)
        .await
        .unwrap_err();
    let reason = FacilitatorReason::new("insufficient_funds");
    assert_eq!(
        failure,
        SettleFailure::Doubtful {
            reason,
            transaction: named
        }
    );
}

#[tokio::test(start_paused = true)]
async fn a_refusal_after_an_unknown_outcome_is_doubtful() {
    let shop = Shop::open();
    let held = shop.held().await;
    // The money moved, the answer was lost, and now the payer has nothing left for a second time.
    let scripts = [Script::LoseAnswer, refused("insufficient_funds")];
    let failure = shop.settle(&held, &scripts).await.unwrap_err();
    assert!(matches!(failure, SettleFailure::Doubtful { .. }), "{failure:?}");
    assert_eq!(shop.earned(), 150_000);
}

/// A facilitator that says what it is told, about whomever.
struct Parrot(Mutex<Vec<SettleVerdict>>, PaymentVerdict);

impl Facilitator for Parrot {
    fn verify<'a>(&'a self, _: &'a FacilitatorRequest) -> FacilitatorFuture<'a, PaymentVerdict> {
        Box::pin(async { Ok(self.1.clone()) })
    }

    fn settle<'a>(&'a self, _: &'a FacilitatorRequest) -> FacilitatorFuture<'a, SettleVerdict> {
        Box::pin(async { Ok(self.0.lock().unwrap().remove(0)) })
    }

    fn supported(&self) -> FacilitatorFuture<'_, Supported> {
        Box::pin(async { Err(Outage::Unreachable) })
    }
}

#[tokio::test]
async fn a_verdict_about_another_payment_counts_for_nothing() {
    let shop = Shop::open();
    let held = shop.held().await;
    let settled =
        |payer: Option<Wallet>, network: Option<&str>, amount: Option<&str>| SettleVerdict::Settled {
            transaction: "0x5e".parse().ok(),
            payer,
            network: network.map(str::to_owned),
            amount: amount.map(str::to_owned),
        };
    let (rich, other) = (TestWallet::rich().address(), TestWallet::other().address());
    let check = async |verdict, good: bool| {
        let parrot = Parrot(
            Mutex::new(vec![verdict]),
            PaymentVerdict::Valid { payer: Some(other) },
        );
        let gate = Paygate::new(Arc::new(parrot));
        let outcome = gate.settle(&held, &PriorAttempt::Never).await;
        if good {
            assert!(outcome.is_ok(), "{outcome:?}");
        } else {
            assert_eq!(outcome, Err(SettleFailure::Unknown(Outage::Contradiction)));
        }
        let verdict = gate.verify(shop.scan(&TestWallet::rich(), X402Version::V1)).await;
        assert_eq!(
            verdict.map(|_| ()),
            Err(PaymentError::Unavailable(Outage::Contradiction))
        );
    };
    check(settled(None, None, None), true).await;
    check(settled(Some(rich), Some("base-sepolia"), Some("150000")), true).await;
    check(settled(Some(rich), Some("eip155:84532"), None), true).await;
    check(settled(None, Some(""), None), true).await;
    check(settled(Some(other), None, None), false).await;
    check(settled(None, Some("base"), None), false).await;
    check(settled(None, None, Some("1")), false).await;
}

#[tokio::test]
async fn a_success_without_a_transaction_is_unknown() {
    let shop = Shop::open();
    let held = shop.held().await;
    let success = SettleVerdict::Settled {
        transaction: None,
        payer: None,
        network: None,
        amount: None,
    };
    let parrot = Parrot(Mutex::new(vec![success]), PaymentVerdict::Valid { payer: None });
    let failure = Paygate::new(Arc::new(parrot))
        .settle(&held, &PriorAttempt::Never)
        .await
        .unwrap_err();
    assert_eq!(failure, SettleFailure::Unknown(Outage::NoTransaction));
    assert_eq!(
        PriorAttempt::Never.after(&failure),
        PriorAttempt::Before { transaction: None },
        "the money may have moved"
    );
}

#[tokio::test]
async fn the_owner_of_a_wallet_with_code_pays_from_it() {
    let shop = Shop::open();
    let wallet = Wallet::from_bytes([9; 20]);
    shop.sandbox.fund(wallet, AtomicUsdc::new(150_000));
    let quote = PriceQuote::sale(Product::Scan, shop.terms.clone(), shop.listing.clone());
    let draft = Draft::of(&quote, X402Version::V2, shop.now, Nonce::from_bytes([1; 32]));
    let payload = draft.sign_for(wallet, &TestWallet::other()).payload().to_string();
    let pay = || {
        let payment = Payment::from_json(&payload).unwrap();
        payment
            .matching(&quote, SignerRule::AnySigner)
            .unwrap()
            .in_time(shop.now, Rules::default())
            .unwrap()
    };
    let refused = shop.gate.verify(pay()).await;
    assert!(matches!(refused, Err(PaymentError::Refused(_))), "a forger");
    shop.sandbox
        .register_contract(wallet, TestWallet::other().address());
    let held = shop.gate.verify(pay()).await.unwrap().hold();
    assert!(shop.gate.settle(&held, &PriorAttempt::Never).await.is_ok());
    assert_eq!(shop.earned(), 150_000);
}
