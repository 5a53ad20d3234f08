//! Faults that only a client on the network meets.

use crate::rig::{client, draft, ledger, pay, quote};
use ibid_model::X402Version;
use ibid_tests::fake_facilitator::{FakeFacilitator, Fault};
use ibid_x402::sandbox::TestWallet;
use ibid_x402::{
    Outage, Paygate, PaymentError, PriorAttempt, RemoteFacilitator, RemoteOptions, SettleFailure,
};
use std::net::TcpListener;
use std::sync::Arc;

fn gate(fake: &FakeFacilitator) -> Paygate {
    Paygate::new(Arc::new(client(fake.base_url())))
}

async fn verify(gate: &Paygate) -> Result<(), PaymentError> {
    let checked = pay(&quote(), &draft(X402Version::V1, 1).sign(&TestWallet::rich()));
    gate.verify(checked).await.map(|_| ())
}

/// Expects an outage of the next verification, and that the one after it works.
async fn check(fault: Fault, expected: Outage) {
    let fake = FakeFacilitator::spawn(ledger());
    fake.fail("/verify", fault.clone());
    let gate = gate(&fake);
    let verdict = verify(&gate).await;
    assert_eq!(verdict, Err(PaymentError::Unavailable(expected)), "{fault:?}");
    assert_eq!(verify(&gate).await, Ok(()), "{fault:?}");
}

#[tokio::test]
async fn an_unreachable_facilitator_is_an_outage() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let gate = Paygate::new(Arc::new(client(format!("http://{port}").parse().unwrap())));
    assert_eq!(
        verify(&gate).await,
        Err(PaymentError::Unavailable(Outage::Unreachable))
    );
    assert_eq!(gate.supported().await.map(|_| ()), Err(Outage::Unreachable));
    // A settlement that never left is known not to have acted.
    let fake = FakeFacilitator::spawn(ledger());
    let checked = pay(&quote(), &draft(X402Version::V1, 1).sign(&TestWallet::rich()));
    let held = Paygate::new(Arc::new(client(fake.base_url())))
        .verify(checked)
        .await
        .unwrap()
        .hold();
    let failure = gate.settle(&held, &PriorAttempt::Never).await.unwrap_err();
    assert_eq!(PriorAttempt::Never.after(&failure), PriorAttempt::Never);
}

#[tokio::test]
async fn a_verdict_counts_at_any_status() {
    for status in [200, 201, 400, 402, 404, 500, 503] {
        let fake = FakeFacilitator::spawn(ledger());
        fake.fail("/verify", Fault::Status(status));
        assert_eq!(verify(&gate(&fake)).await, Ok(()), "{status}");
        let no = r#"{"isValid":false,"invalidReason":"invalid_network","payer":null}"#;
        fake.fail("/verify", Fault::Answer(status, no.to_owned()));
        assert!(
            matches!(verify(&gate(&fake)).await, Err(PaymentError::Refused(_))),
            "{status}"
        );
    }
}

#[tokio::test]
async fn garbage_is_an_outage() {
    let bodies = [
        String::new(),
        "null".to_owned(),
        "[]".to_owned(),
        "{".to_owned(),
        r#"{"error":"unexpected"}"#.to_owned(),
        r#"{"isValid":"true"}"#.to_owned(),
        r#"{"isValid":true,"isValid":true}"#.to_owned(),
        r#"{"success":true,"transaction":"0x1"}"#.to_owned(),
        "[".repeat(10_000),
        format!(r#"{{"isValid":true,"filler":"{}"}}"#, "x".repeat(65 * 1024)),
    ];
    for body in bodies {
        for status in [200, 500] {
            let outage = match status {
                404 => Outage::Declined { status },
                _ => Outage::Unreadable { status },
            };
            check(Fault::Answer(status, body.clone()), outage).await;
        }
    }
}

#[tokio::test]
async fn redirects_that_keep_the_request_are_followed() {
    for status in [307, 308] {
        let fake = FakeFacilitator::spawn(ledger());
        fake.fail("/verify", Fault::Redirect(status, "/verify".to_owned()));
        fake.fail(
            "/supported",
            Fault::Redirect(status, format!("{}supported", fake.base_url())),
        );
        assert_eq!(verify(&gate(&fake)).await, Ok(()), "{status}");
        assert!(gate(&fake).supported().await.is_ok(), "{status}");
        let [first, second] = &fake.requests("/verify")[..] else {
            panic!("two requests")
        };
        assert_eq!((&first.method, &first.body), (&second.method, &second.body));
    }
    // Without a body nothing is lost by the older kinds.
    let fake = FakeFacilitator::spawn(ledger());
    fake.fail("/supported", Fault::Redirect(301, "/supported".to_owned()));
    assert!(gate(&fake).supported().await.is_ok());
}

#[tokio::test]
async fn other_redirects_are_not_followed() {
    let elsewhere = FakeFacilitator::spawn(ledger());
    for (status, to) in [
        (301, "/verify".to_owned()),
        (302, "/verify".to_owned()),
        (303, "/verify".to_owned()),
        (308, format!("{}verify", elsewhere.base_url())),
        (308, "https://facilitator.example/verify".to_owned()),
        (308, "file:///etc/passwd".to_owned()),
        (308, "http://[".to_owned()),
        (304, String::new()),
    ] {
        check(Fault::Redirect(status, to), Outage::Redirected).await;
    }
    assert_eq!(
        elsewhere.requests("/verify"),
        [],
        "no payload left for another host"
    );
    let fake = FakeFacilitator::spawn(ledger());
    for _ in 0..10 {
        fake.fail("/verify", Fault::Redirect(308, "/verify".to_owned()));
    }
    assert_eq!(
        verify(&gate(&fake)).await,
        Err(PaymentError::Unavailable(Outage::Redirected))
    );
    assert_eq!(fake.requests("/verify").len(), 4, "a loop ends");
}

#[tokio::test]
async fn every_settle_request_has_identical_bytes() {
    let fake = FakeFacilitator::spawn(ledger());
    let gate = gate(&fake);
    let signed = draft(X402Version::V2, 1).sign(&TestWallet::rich());
    let held = gate.verify(pay(&quote(), &signed)).await.unwrap().hold();
    fake.fail("/settle", Fault::Pending)
        .fail("/settle", Fault::HangUp);
    let failure = gate.settle(&held, &PriorAttempt::Never).await.unwrap_err();
    let asked = PriorAttempt::Never.after(&failure);
    assert!(matches!(
        gate.settle(&held, &asked).await,
        Err(SettleFailure::Unknown(Outage::Broken))
    ));
    // Another process, after a crash, with nothing but the stored record and a new client.
    let stored = serde_json::to_string(&held).unwrap();
    drop((held, gate));
    let restarted = Paygate::new(Arc::new(client(fake.base_url())));
    let held = serde_json::from_str(&stored).unwrap();
    restarted.settle(&held, &asked).await.unwrap();

    let [verified] = &fake.requests("/verify")[..] else {
        panic!("one verification")
    };
    let settled = fake.requests("/settle");
    assert_eq!(settled.len(), 3);
    assert!(settled.iter().all(|request| request.body == verified.body));
    assert!(
        verified.body.contains(&signed.payload().to_string()),
        "the buyer's own letters"
    );
    assert_eq!(verified.header("content-type"), Some("application/json"));
    assert_eq!(fake.sandbox.transfers().len(), 1);
}

#[tokio::test]
async fn a_base_address_may_have_a_path_and_a_bearer_token_is_sent() {
    let fake = FakeFacilitator::spawn(ledger());
    for slash in ["", "/"] {
        let base = format!("{}facilitator/v2{slash}", fake.base_url());
        let mut options = RemoteOptions::new(base.parse().unwrap());
        options.bearer = Some("token-1".into());
        let remote = RemoteFacilitator::new(options).unwrap();
        assert!(!format!("{remote:?}").contains("token-1"));
        let gate = Paygate::new(Arc::new(remote));
        assert_eq!(
            verify(&gate).await,
            Err(PaymentError::Unavailable(Outage::Declined { status: 404 }))
        );
    }
    let requests = fake.requests("/facilitator/v2/verify");
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[0].header("authorization"), Some("Bearer token-1"));
}
