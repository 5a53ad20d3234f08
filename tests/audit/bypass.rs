//! Every address of the table is refused for its reason, without a look-up and without a connection.

use crate::server::Scripted;
use ibid_audit::fetch::{AddressRefusal, FetchConfig, FetchError, Fetcher};

/// Address and reason of each row.
fn table() -> Vec<(String, String)> {
    include_str!("bypass.tsv")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let (address, reason) = line.rsplit_once('\t').expect(line);
            (unescape(address), reason.to_owned())
        })
        .collect()
}

fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text.chars();
    let code = |rest: &mut std::str::Chars<'_>, digits: usize| {
        let hex: String = rest.take(digits).collect();
        char::from_u32(u32::from_str_radix(&hex, 16).expect("hex digits")).expect("a character")
    };
    while let Some(c) = rest.next() {
        out.push(match c {
            '\\' => match rest.next().expect("a character after the backslash") {
                't' => '\t',
                'n' => '\n',
                'r' => '\r',
                'x' => code(&mut rest, 2),
                'u' => code(&mut rest, 4),
                other => other,
            },
            other => other,
        });
    }
    out
}

fn word(refusal: &AddressRefusal) -> &'static str {
    match refusal {
        AddressRefusal::NotAnAddress => "not_an_address",
        AddressRefusal::Scheme => "scheme",
        AddressRefusal::Characters => "characters",
        AddressRefusal::TooLong => "too_long",
        AddressRefusal::Credentials => "credentials",
        AddressRefusal::Port(_) => "port",
        AddressRefusal::Host => "host",
        AddressRefusal::ReservedName => "reserved_name",
        AddressRefusal::DeniedName => "denied_name",
        AddressRefusal::Address(_) => "address",
        AddressRefusal::NoAddress => "no_address",
        AddressRefusal::Unencrypted => "unencrypted",
    }
}

#[tokio::test]
async fn every_address_of_the_table_is_refused_before_anything_is_sent() {
    let lookup = Scripted::new(&[]);
    let fetcher = Fetcher::with_lookup(FetchConfig::default(), lookup.clone()).expect("a fetcher");
    let rows = table();
    assert!(rows.len() >= 150, "{}", rows.len());
    let mut wrong = Vec::new();
    for (address, reason) in &rows {
        match fetcher
            .page(address, "2026-11-21T00:00:00Z".parse().expect("a time"))
            .await
        {
            Err(error @ FetchError::Refused(_)) => {
                assert_eq!(error.code(), "fetch_refused");
                let FetchError::Refused(refusal) = error else {
                    continue;
                };
                if word(&refusal) != reason {
                    wrong.push(format!("{address:?}: {reason}, but {}", word(&refusal)));
                }
            }
            other => wrong.push(format!(
                "{address:?}: {reason}, but {:?}",
                other.map(|page| page.status)
            )),
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert_eq!(lookup.calls(), Vec::<String>::new());
}
