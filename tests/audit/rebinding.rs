//! Names that lie: every answer is judged, at every hop, and the connection goes to the judged answer.

use crate::server::{Scripted, Server, answer};
use ibid_audit::fetch::{AddressRefusal, FetchConfig, FetchError, FetchFailure, FetchLimits, Fetcher};
use std::io::Write;
use std::time::Duration;

const LIMITS: FetchLimits = FetchLimits {
    bytes: 1 << 20,
    time: Duration::from_secs(3),
};

async fn get(fetcher: &Fetcher, url: &str) -> Result<u16, FetchError> {
    let target = fetcher.judge(url)?;
    Ok(fetcher.get(target, "*/*", LIMITS).await?.status)
}

#[tokio::test]
async fn private_answers_are_refused() {
    let script: &[(&str, &[&str])] = &[
        ("loopback.example.com", &["127.0.0.1"]),
        ("metadata.example.com", &["169.254.169.254"]),
        ("private.example.com", &["10.1.2.3"]),
        ("cgnat.example.com", &["100.64.1.1"]),
        ("six.example.com", &["::1"]),
        ("mapped.example.com", &["::ffff:10.0.0.1"]),
        ("nat64.example.com", &["64:ff9b::a00:1"]),
        ("mixed.example.com", &["8.8.8.8 192.168.0.1"]),
        ("mixed-six.example.com", &["2606:4700::1 fe80::1"]),
        ("zero.example.com", &["0.0.0.0"]),
        ("azure.example.com", &["168.63.129.16"]),
    ];
    let fetcher = Fetcher::with_lookup(FetchConfig::default(), Scripted::new(script)).expect("a fetcher");
    for (name, _) in script {
        let error = get(&fetcher, &format!("http://{name}/")).await.expect_err(name);
        assert!(
            matches!(error, FetchError::Refused(AddressRefusal::Address(_))),
            "{name}: {error:?}"
        );
        // What was looked up is not told to the caller.
        assert_eq!(
            error.to_string(),
            "the address is refused: the host is not a public address"
        );
    }
}

#[tokio::test]
async fn a_name_without_addresses_is_refused_and_an_unknown_one_fails() {
    let lookup = Scripted::new(&[("empty.example.com", &[""])]);
    let fetcher = Fetcher::with_lookup(FetchConfig::default(), lookup).expect("a fetcher");
    assert_eq!(
        get(&fetcher, "https://empty.example.com/").await,
        Err(FetchError::Refused(AddressRefusal::NoAddress))
    );
    assert_eq!(
        get(&fetcher, "https://unknown.example.com/").await,
        Err(FetchError::Failed(FetchFailure::Dns))
    );
}

#[tokio::test]
async fn one_look_up_serves_one_request() {
    let server = Server::with(&[("/", "200 OK", &[], "hello")]);
    let name = format!("fixture.test:{}", server.port());
    let lookup = Scripted::new(&[("fixture.test", &["127.0.0.1"])]);
    let fetcher = Fetcher::with_lookup(server.config(&name), lookup.clone()).expect("a fetcher");
    assert_eq!(get(&fetcher, &format!("http://{name}/")).await, Ok(200));
    assert_eq!(lookup.calls(), ["fixture.test"]);
    // The name, not the address, is what the server sees.
    assert!(
        server
            .first_head()
            .to_lowercase()
            .contains(&format!("host: {name}")),
        "{}",
        server.first_head()
    );
}

#[tokio::test]
async fn a_name_that_changes_its_answer_is_judged_again() {
    let server = Server::start(|_, connection| {
        let _ = connection.write_all(&answer("302 Found", &["Location: /again"], b""));
    });
    let name = format!("fixture.test:{}", server.port());
    let lookup = Scripted::new(&[("fixture.test", &["127.0.0.1", "169.254.169.254"])]);
    let fetcher = Fetcher::with_lookup(server.config(&name), lookup.clone()).expect("a fetcher");
    let error = get(&fetcher, &format!("http://{name}/"))
        .await
        .expect_err("a refusal");
    assert!(
        matches!(error, FetchError::RefusedRedirect(AddressRefusal::Address(_))),
        "{error:?}"
    );
    assert_eq!((lookup.calls().len(), server.connections()), (2, 1));
}

#[tokio::test]
async fn a_listed_name_may_only_be_loopback() {
    let server = Server::with(&[]);
    let name = format!("fixture.test:{}", server.port());
    for bad in [
        "169.254.169.254",
        "10.0.0.1",
        "127.0.0.1 10.0.0.1",
        "::ffff:127.0.0.1",
    ] {
        let lookup = Scripted::new(&[("fixture.test", &[bad])]);
        let fetcher = Fetcher::with_lookup(server.config(&name), lookup).expect("a fetcher");
        let error = get(&fetcher, &format!("http://{name}/")).await.expect_err(bad);
        assert!(error.is_refusal(), "{bad}: {error:?}");
    }
    // Another port of the same name is not on the list.
    let fetcher = Fetcher::with_lookup(server.config(&name), Scripted::new(&[])).expect("a fetcher");
    assert_eq!(
        get(&fetcher, "http://fixture.test/").await,
        Err(FetchError::Refused(AddressRefusal::ReservedName))
    );
    assert_eq!(server.connections(), 0);
}
