//! The contract of every facilitator.

use crate::rig::{BOTH, NOW, Rig, Trouble, draft, quote, rigs};
use futures_util::future::join_all;
use ibid_model::{AtomicUsdc, Network, Wallet, X402Version};
use ibid_x402::sandbox::TestWallet;
use ibid_x402::{Outage, PaymentError, PriorAttempt, ReasonKind, Refusal, SettleFailure, SettlementEvidence};
use std::time::Duration;
use tokio::time::Instant;

/// The kind of reason for which a payment is refused.
async fn refusal(rig: &Rig, signed: &ibid_x402::sandbox::SignedDraft) -> ReasonKind {
    match rig.verify(signed).await {
        Err(PaymentError::Refused(Refusal::Facilitator(reason))) => reason.kind(),
        other => panic!("{}: {other:?}", rig.name),
    }
}

#[tokio::test]
async fn reports_supported_versions_and_networks() {
    for rig in rigs() {
        let supported = rig.gate.supported().await.unwrap();
        for version in BOTH {
            assert!(supported.takes(version, Network::BaseSepolia), "{}", rig.name);
        }
    }
}

#[tokio::test]
async fn verifies_without_moving_money_and_settles_once() {
    for rig in rigs() {
        for (nonce, version) in BOTH.into_iter().enumerate() {
            let before = rig.earned();
            let held = rig.held(version, u8::try_from(nonce).unwrap()).await;
            assert_eq!(rig.earned(), before, "{}", rig.name);
            let settlement = rig.gate.settle(&held, &PriorAttempt::Never).await.unwrap();
            assert_eq!(rig.earned(), before + 150_000, "{}", rig.name);
            assert_eq!(settlement.evidence, SettlementEvidence::Reported);
            let transfers = rig.sandbox.transfers();
            let transfer = transfers.last().unwrap();
            assert_eq!(settlement.transaction.unwrap().as_str(), transfer.transaction);
            assert_eq!(&transfer.key, held.key());
        }
    }
}

#[tokio::test]
async fn refuses_with_a_reason() {
    for rig in rigs() {
        for version in BOTH {
            let forged = draft(version, 1).sign_for(TestWallet::rich().address(), &TestWallet::other());
            assert_eq!(refusal(&rig, &forged).await, ReasonKind::InvalidSignature);

            let empty = draft(version, 1).sign(&TestWallet::empty());
            assert_eq!(refusal(&rig, &empty).await, ReasonKind::InsufficientFunds);

            let mut early = draft(version, 1);
            early.valid_after = (NOW + 60).to_string();
            early.valid_before = (NOW + 661).to_string();
            let early = early.sign(&TestWallet::rich());
            assert_eq!(refusal(&rig, &early).await, ReasonKind::OutsideWindow);

            let mut late = draft(version, 1);
            late.valid_before = (NOW + 5).to_string();
            late.valid_after = "0".to_owned();
            let late = late.sign(&TestWallet::rich());
            assert_eq!(refusal(&rig, &late).await, ReasonKind::OutsideWindow);

            let mut elsewhere = draft(version, 1);
            elsewhere.network = Network::Base;
            let elsewhere = elsewhere.sign(&TestWallet::rich());
            assert_eq!(refusal(&rig, &elsewhere).await, ReasonKind::InvalidSignature);

            let mut other_name = draft(version, 1);
            other_name.asset.name = "USD Coin".to_owned();
            let other_name = other_name.sign(&TestWallet::rich());
            assert_eq!(refusal(&rig, &other_name).await, ReasonKind::InvalidSignature);
        }
        assert_eq!(rig.earned(), 0);
    }
}

#[tokio::test]
async fn takes_the_signature_of_a_wallets_owner() {
    for rig in rigs() {
        let wallet = Wallet::from_bytes([9; 20]);
        rig.sandbox.fund(wallet, AtomicUsdc::new(150_000));
        let signed = draft(X402Version::V2, 1).sign_for(wallet, &TestWallet::other());
        assert_eq!(refusal(&rig, &signed).await, ReasonKind::InvalidSignature);
        rig.sandbox
            .register_contract(wallet, TestWallet::other().address());
        assert_eq!(rig.verify(&signed).await, Ok(()), "{}", rig.name);
    }
}

#[tokio::test]
async fn a_settled_payment_is_used_up() {
    for rig in rigs() {
        for (nonce, version) in BOTH.into_iter().enumerate() {
            let nonce = u8::try_from(nonce).unwrap();
            let held = rig.held(version, nonce).await;
            rig.gate.settle(&held, &PriorAttempt::Never).await.unwrap();
            let again = draft(version, nonce).sign(&TestWallet::rich());
            assert_eq!(refusal(&rig, &again).await, ReasonKind::NonceUsed);
            let again = rig.gate.settle(&held, &PriorAttempt::Never).await;
            let Err(SettleFailure::Doubtful { reason, .. }) = again else {
                panic!("{}: {again:?}", rig.name)
            };
            assert_eq!(reason.kind(), ReasonKind::NonceUsed);
        }
        assert_eq!(rig.earned(), 300_000);
    }
}

#[tokio::test]
async fn many_settlements_at_once_move_the_money_once() {
    for rig in rigs() {
        let held = rig.held(X402Version::V1, 1).await;
        let settled = join_all((0..20).map(|_| rig.gate.settle(&held, &PriorAttempt::Never))).await;
        let reported = settled.iter().filter(|outcome| outcome.is_ok()).count();
        assert_eq!((reported, rig.earned()), (1, 150_000), "{}", rig.name);
    }
}

#[tokio::test]
async fn an_outage_is_no_verdict() {
    for rig in rigs() {
        for (trouble, expected) in [
            (Trouble::Hang, Outage::Timeout),
            (Trouble::HangUp, Outage::Broken),
            (Trouble::LoseAnswer, Outage::Broken),
            (Trouble::Nonsense, Outage::Unreadable { status: 500 }),
        ] {
            rig.trouble_verify(trouble);
            let verdict = rig
                .verify(&draft(X402Version::V2, 1).sign(&TestWallet::rich()))
                .await;
            assert_eq!(
                verdict,
                Err(PaymentError::Unavailable(expected)),
                "{} {trouble:?}",
                rig.name
            );
        }
        assert_eq!(
            rig.verify(&draft(X402Version::V2, 1).sign(&TestWallet::rich()))
                .await,
            Ok(())
        );
    }
}

#[tokio::test]
async fn an_outage_while_settling_may_have_moved_money() {
    for rig in rigs() {
        for (nonce, trouble) in [
            Trouble::Hang,
            Trouble::HangUp,
            Trouble::LoseAnswer,
            Trouble::Nonsense,
        ]
        .into_iter()
        .enumerate()
        {
            let before = rig.earned();
            let held = rig.held(X402Version::V2, u8::try_from(nonce).unwrap()).await;
            rig.trouble_settle(trouble);
            let failure = rig.gate.settle(&held, &PriorAttempt::Never).await.unwrap_err();
            let SettleFailure::Unknown(outage) = failure else {
                panic!("{} {failure:?}", rig.name)
            };
            assert!(outage.may_have_acted(), "{} {trouble:?}", rig.name);
            // The same bytes again settle, or the nonce is used. That alone is no proof.
            let again = PriorAttempt::Before { transaction: None };
            match (trouble, rig.gate.settle(&held, &again).await) {
                (Trouble::LoseAnswer, Err(SettleFailure::Doubtful { reason, .. })) => {
                    assert_eq!(reason.kind(), ReasonKind::NonceUsed, "{}", rig.name);
                }
                (Trouble::LoseAnswer, other) => panic!("{} {other:?}", rig.name),
                (_, other) => assert_eq!(other.unwrap().evidence, SettlementEvidence::Reported),
            }
            assert_eq!(rig.earned(), before + 150_000, "{} {trouble:?}", rig.name);
        }
    }
}

#[tokio::test]
async fn a_pending_settlement_ends_under_its_hash() {
    for rig in rigs() {
        let held = rig.held(X402Version::V2, 1).await;
        rig.trouble_settle(Trouble::Pending);
        let failure = rig.gate.settle(&held, &PriorAttempt::Never).await.unwrap_err();
        let SettleFailure::Pending { transaction } = failure.clone() else {
            panic!("{} {failure:?}", rig.name)
        };
        assert_eq!(
            held.failed(&failure).error_reason.as_deref(),
            Some("settlement_pending")
        );
        let settlement = rig
            .gate
            .settle(&held, &PriorAttempt::Never.after(&failure))
            .await
            .unwrap();
        assert_eq!(
            (settlement.transaction, settlement.evidence),
            (transaction, SettlementEvidence::Reported)
        );
        assert_eq!(rig.earned(), 150_000);
    }
}

#[tokio::test]
async fn patience_gets_through_all_of_it() {
    for rig in rigs() {
        let held = rig.held(X402Version::V1, 1).await;
        rig.trouble_settle(Trouble::HangUp);
        let deadline = Instant::now() + Duration::from_secs(30);
        let settlement = rig
            .gate
            .settle_until(&held, PriorAttempt::Never, deadline)
            .await
            .unwrap();
        assert_eq!(settlement.amount, quote().price());
        assert_eq!(rig.earned(), 150_000, "{}", rig.name);
    }
}
