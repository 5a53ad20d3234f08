//! Well-formed payments that are not for what they claim.

use super::*;
use ibid_model::{TokenAddress, Wallet};
use serde_json::{Value, json};

/// Changes an honest payment for a scan before it is signed, in both versions, and expects `refusal`.
#[track_caller]
fn check(refusal: Refusal, change: impl Fn(&mut Draft)) {
    for version in BOTH {
        let quote = quote(Product::Scan);
        let mut draft = draft(&quote, version);
        change(&mut draft);
        let judged = judge(&quote, &draft.sign(&TestWallet::rich()));
        assert_eq!(judged.map(|_| ()), Err(refusal.clone()), "{version:?}");
    }
}

/// Changes the `accepted` entry of an honest payment of version 2 after it is signed.
#[track_caller]
fn check_accepted(refusal: Refusal, member: &str, value: Value) {
    let quote = quote(Product::Scan);
    let mut signed = draft(&quote, X402Version::V2).sign(&TestWallet::rich());
    signed.payload_mut()["accepted"][member] = value.clone();
    assert_eq!(
        judge(&quote, &signed).map(|_| ()),
        Err(refusal),
        "{member} {value}"
    );
}

/// Replaces the bytes of an honest payment's signature.
#[track_caller]
fn check_signature(expected: Result<Signer, Refusal>, change: impl Fn(&mut Vec<u8>)) {
    for version in BOTH {
        let quote = quote(Product::Scan);
        let mut signed = draft(&quote, version).sign(&TestWallet::rich());
        let text = &mut signed.payload_mut()["payload"]["signature"];
        let mut bytes = crate::hex::decode(text.as_str().unwrap(), 65).unwrap();
        change(&mut bytes);
        *text = crate::hex::encode(&bytes).into();
        let judged = judge(&quote, &signed).map(|checked| checked.0.signer());
        assert_eq!(judged, expected, "{version:?}");
    }
}

#[test]
fn an_honest_payment_passes() {
    for version in BOTH {
        for product in Product::ALL {
            let quote = quote(product);
            let checked = judge(&quote, &draft(&quote, version).sign(&TestWallet::rich())).unwrap();
            assert_eq!(checked.0.product(), product);
            assert_eq!(checked.0.signer(), Signer::KeyHolder);
            assert_eq!(checked.key().payer, TestWallet::rich().address());
            assert_eq!(checked.key().nonce, Nonce::from_bytes([7; 32]));
            assert_eq!(checked.expires().as_second(), NOW + 600);
        }
    }
}

#[test]
fn the_value_is_exactly_the_price() {
    check(Refusal::Amount, |draft| draft.value = "149999".into());
    check(Refusal::Amount, |draft| draft.value = "150001".into());
    check(Refusal::Amount, |draft| draft.value = "0".into());
    // 2^64 + 150000 and 2^256 - 1: no truncation.
    check(Refusal::Amount, |draft| {
        draft.value = "18446744073709701616".into()
    });
    check(Refusal::Amount, |draft| {
        draft.value = "115792089237316195423570985008687907853269984665640564039457584007913129639935".into();
    });
}

#[test]
fn the_recipient_is_the_seller() {
    check(Refusal::Recipient, |draft| {
        draft.to = TestWallet::other().address()
    });
    check(Refusal::Recipient, |draft| draft.to = Wallet::from_bytes([0; 20]));
}

#[test]
fn a_payment_for_one_product_buys_no_other() {
    for version in BOTH {
        let paid = quote(Product::Scan);
        let signed = draft(&paid, version).sign(&TestWallet::rich());
        for wanted in [Product::Radius, Product::Audit, Product::Full] {
            let expected = match version {
                X402Version::V1 => Refusal::Amount,
                X402Version::V2 => Refusal::OfferMismatch { member: "amount" },
            };
            assert_eq!(
                judge(&quote(wanted), &signed).map(|_| ()),
                Err(expected),
                "{wanted}"
            );
        }
        assert!(judge(&proof(), &signed).is_err(), "0.15 USDC is no proof");
        let proof = proof();
        let signed = draft(&proof, version).sign(&TestWallet::rich());
        assert!(judge(&proof, &signed).is_ok());
        assert!(
            judge(&quote(Product::Scan), &signed).is_err(),
            "a proof buys nothing"
        );
    }
}

#[test]
fn a_relabelled_payment_of_version_2_keeps_its_signed_value() {
    // The thief signs an audit and claims to have accepted the offer of a full bundle.
    let mut signed = draft(&quote(Product::Audit), X402Version::V2).sign(&TestWallet::rich());
    let full = quote(Product::Full);
    signed.payload_mut()["accepted"] = json!(full.v2());
    assert_eq!(judge(&full, &signed).map(|_| ()), Err(Refusal::Amount));
}

#[test]
fn the_time_window_is_narrow() {
    check(Refusal::Expired, |draft| draft.valid_before = NOW.to_string());
    check(Refusal::Expired, |draft| {
        draft.valid_before = (NOW + 5).to_string()
    });
    check(Refusal::Expired, |draft| draft.valid_before = "0".into());
    check(Refusal::NotYetValid, |draft| {
        draft.valid_after = (NOW + 1).to_string()
    });
    check(Refusal::NotYetValid, |draft| {
        draft.valid_after = "99999999999999999999999".into()
    });
    check(Refusal::ValidTooLong, |draft| {
        draft.valid_before = (NOW + 7_261).to_string()
    });
    check(Refusal::ValidTooLong, |draft| {
        draft.valid_before = u64::MAX.to_string()
    });
    check(Refusal::ValidTooLong, |draft| draft.valid_before = "9".repeat(77));
}

#[test]
fn the_time_window_has_these_edges() {
    let quote = quote(Product::Scan);
    let at = |valid_after: i64, valid_before: i64, work| {
        let mut draft = draft(&quote, X402Version::V1);
        (draft.valid_after, draft.valid_before) = (valid_after.to_string(), valid_before.to_string());
        let rules = Rules {
            work: Duration::from_secs(work),
            ..Rules::default()
        };
        let payment = read(&draft.sign(&TestWallet::rich())).unwrap();
        payment.check(&quote, now(), rules).map(|_| ())
    };
    assert_eq!(at(NOW, NOW + 6, 0), Ok(()));
    assert_eq!(at(NOW, NOW + 7_260, 0), Ok(()));
    assert_eq!(at(0, NOW + 126, 120), Ok(()));
    assert_eq!(at(0, NOW + 125, 120), Err(Refusal::Expired));
}

#[test]
fn an_expired_payment_still_has_its_key_and_fingerprint() {
    // A buyer may come back for the stored result when the authorization is long over.
    let quote = quote(Product::Scan);
    let mut draft = draft(&quote, X402Version::V2);
    draft.valid_before = "1".into();
    let matched = read(&draft.sign(&TestWallet::rich()))
        .unwrap()
        .matching(&quote, SignerRule::AnySigner);
    let matched = matched.unwrap();
    assert_eq!(matched.key().payer, TestWallet::rich().address());
    assert_eq!(
        matched.in_time(now(), Rules::default()).map(|_| ()),
        Err(Refusal::Expired)
    );
}

#[test]
fn the_signature_has_the_form_that_the_token_takes() {
    check_signature(Ok(Signer::KeyHolder), |_| ());
    for v in [0, 1, 2, 26, 29, 255] {
        check_signature(Err(Refusal::SignatureForm), move |bytes| bytes[64] = v);
    }
    // The order of the curve minus s: the other signature that fits, which the token refuses.
    check_signature(Err(Refusal::SignatureForm), |bytes| {
        let low = k256::ecdsa::Signature::from_slice(&bytes[..64]).unwrap();
        let (r, s) = low.split_scalars();
        let high = k256::ecdsa::Signature::from_scalars(r.to_bytes(), (-s).to_bytes()).unwrap();
        assert_eq!(high.normalize_s(), low);
        bytes[..64].copy_from_slice(&high.to_bytes());
        bytes[64] = 55 - bytes[64];
    });
    check_signature(Err(Refusal::SignatureForm), |bytes| bytes[..64].fill(0));
}

#[test]
fn signatures_of_wallets_with_code_go_to_the_facilitator() {
    check_signature(Ok(Signer::Unproven), |bytes| bytes[64] = 55 - bytes[64]);
    check_signature(Ok(Signer::Unproven), |bytes| bytes.truncate(64));
    check_signature(Ok(Signer::Unproven), |bytes| bytes.resize(1000, 3));
    // An owner's signature has 65 bytes as well.
    let quote = quote(Product::Scan);
    let wallet = Wallet::from_bytes([9; 20]);
    let signed = draft(&quote, X402Version::V1).sign_for(wallet, &TestWallet::rich());
    assert_eq!(judge(&quote, &signed).unwrap().0.signer(), Signer::Unproven);
    let strict = Rules {
        signers: SignerRule::KeyHoldersOnly,
        ..Rules::default()
    };
    let judged = read(&signed).unwrap().check(&quote, now(), strict);
    assert_eq!(judged.map(|_| ()), Err(Refusal::Signer));
}

#[test]
fn a_signature_for_another_token_is_unproven() {
    type Change = fn(&mut Draft);
    let changes: [(&str, Change); 4] = [
        ("chain", |draft| draft.network = Network::Base),
        ("asset", |draft| {
            draft.asset.contract = TokenAddress::from_bytes([1; 20]);
        }),
        ("name", |draft| draft.asset.name = "USD Coin".into()),
        ("version", |draft| draft.asset.version = "1".into()),
    ];
    for (what, change) in changes {
        for version in BOTH {
            let quote = quote(Product::Scan);
            let mut draft = draft(&quote, version);
            change(&mut draft);
            let signed = draft.sign(&TestWallet::rich());
            assert_eq!(
                judge(&quote, &signed).unwrap().0.signer(),
                Signer::Unproven,
                "{what}"
            );
            let strict = Rules {
                signers: SignerRule::KeyHoldersOnly,
                ..Rules::default()
            };
            let judged = read(&signed).unwrap().check(&quote, now(), strict);
            assert_eq!(judged.map(|_| ()), Err(Refusal::Signer), "{what}");
        }
    }
}

#[test]
fn version_1_names_its_offer_by_scheme_and_network() {
    let with = |member: &str, value: &str| {
        let quote = quote(Product::Scan);
        let mut signed = draft(&quote, X402Version::V1).sign(&TestWallet::rich());
        signed.payload_mut()[member] = value.into();
        judge(&quote, &signed).map(|_| ())
    };
    assert_eq!(with("scheme", "upto"), Err(Refusal::Scheme));
    assert_eq!(with("network", "base"), Err(Refusal::Network));
    assert_eq!(with("network", "solana"), Err(Refusal::Network));
    assert_eq!(with("network", "eip155:84532"), Err(Refusal::Network));
    assert_eq!(with("unknown", "member"), Ok(()));
}

#[test]
fn version_2_echoes_the_offer_field_by_field() {
    let differs = |member| Refusal::OfferMismatch { member };
    check_accepted(Refusal::Scheme, "scheme", "upto".into());
    check_accepted(Refusal::Network, "network", "eip155:8453".into());
    check_accepted(Refusal::Network, "network", "base-sepolia".into());
    check_accepted(differs("amount"), "amount", "1".into());
    check_accepted(differs("amount"), "amount", 150_000.into());
    check_accepted(
        differs("asset"),
        "asset",
        "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913".into(),
    );
    check_accepted(
        differs("payTo"),
        "payTo",
        TestWallet::rich().address().to_string().into(),
    );
    check_accepted(differs("maxTimeoutSeconds"), "maxTimeoutSeconds", 60_000.into());
    check_accepted(
        differs("extra"),
        "extra",
        json!({"name": "USD Coin", "version": "2"}),
    );
    check_accepted(differs("extra"), "extra", json!({"name": "USDC"}));
    check_accepted(differs("extra"), "extra", Value::Null);
    check_accepted(
        differs("extra"),
        "extra",
        json!({"name": "USDC", "version": "2", "assetTransferMethod": "permit2"}),
    );
}

#[test]
fn version_2_may_add_to_the_echo() {
    let quote = quote(Product::Scan);
    let mut signed = draft(&quote, X402Version::V2).sign(&TestWallet::rich());
    let payload = signed.payload_mut();
    payload["accepted"]["asset"] = "0x036CBD53842C5426634E7929541EC2318F3DCF7E".into();
    payload["accepted"]["extra"]["assetTransferMethod"] = "eip3009".into();
    payload["accepted"]["extra"]["note"] = "mine".into();
    payload["extensions"] = Value::Null;
    payload["resource"] = Value::Null;
    assert!(judge(&quote, &signed).is_ok());
}

#[test]
fn only_the_owner_comes_back() {
    let quote = quote(Product::Scan);
    let honest = draft(&quote, X402Version::V1);
    let of = |signed: &SignedDraft| {
        let matched = read(signed)
            .unwrap()
            .matching(&quote, SignerRule::AnySigner)
            .unwrap();
        (*matched.key(), matched.fingerprint())
    };
    let first = of(&honest.sign(&TestWallet::rich()));
    assert_eq!(of(&honest.sign(&TestWallet::rich())), first);
    // A thief knows payer and nonce from the chain, and cannot sign.
    let forged = of(&honest.sign_for(TestWallet::rich().address(), &TestWallet::other()));
    assert_eq!(forged.0, first.0);
    assert_ne!(forged.1, first.1);
    // The payer reuses a nonce for another authorization.
    let mut later = honest.clone();
    later.valid_before = (NOW + 601).to_string();
    let later = of(&later.sign(&TestWallet::rich()));
    assert_eq!(later.0, first.0);
    assert_ne!(later.1, first.1);
    // The version of the envelope does not change what was signed.
    let mut v2 = draft(&quote, X402Version::V2);
    (v2.valid_after, v2.valid_before) = (honest.valid_after.clone(), honest.valid_before.clone());
    assert_eq!(of(&v2.sign(&TestWallet::rich())), first);
}
