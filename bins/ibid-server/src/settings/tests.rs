use super::*;
use secrecy::ExposeSecret;
use std::collections::HashMap;

fn read(variables: &[(&str, &str)], sandbox: bool) -> anyhow::Result<Settings> {
    let variables: HashMap<String, String> = variables
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    Settings::read(&|name| variables.get(name).cloned(), sandbox)
}

#[test]
fn nothing_set_gives_the_documented_defaults() {
    let settings = read(&[], false).unwrap();
    assert_eq!(settings.bind.to_string(), "127.0.0.1:8080");
    assert_eq!(settings.base_url.as_str(), "http://127.0.0.1:8080/");
    assert_eq!(settings.store, StoreUrl::Sqlite("ibid.db".into()));
    assert!(settings.api_key.is_none() && settings.web_search && settings.retain_answers);
    assert_eq!((settings.width.get(), settings.most_questions), (2_048, 2_000));
    assert_eq!(settings.limit_mode, LimitMode::Report);
    let sandbox = read(&[], true).unwrap();
    assert_eq!(sandbox.store, StoreUrl::Memory);
    assert!(sandbox.api_key.unwrap().matches(b"sandbox"));
}

#[test]
fn a_short_service_key_is_noticed() {
    let is_short = |key: &str| read(&[("SERVICE_API_KEY", key)], false).unwrap().api_key_is_short;
    assert!(is_short("short") && !is_short("0123456789abcdef"));
    assert!(!read(&[], true).unwrap().api_key_is_short);
}

#[test]
fn all_faults_come_at_once_and_no_secret_is_printed() {
    let error = read(
        &[
            ("BIND", "nowhere"),
            ("BASE_URL", "ftp://x"),
            ("DATABASE_URL", "mysql://user:hunter2@host/db"),
            ("SERVICE_API_KEY", "geheim schlüssel"),
            ("ROUTER_MAX_IN_FLIGHT", "0"),
            ("WEB_SEARCH", "maybe"),
            ("RATE_LIMITS", "strict"),
            ("MODELS_FILE", "/no/such/file.toml"),
        ],
        false,
    )
    .unwrap_err()
    .to_string();
    for name in [
        "BIND",
        "BASE_URL",
        "DATABASE_URL",
        "SERVICE_API_KEY",
        "ROUTER_MAX_IN_FLIGHT",
        "WEB_SEARCH",
        "RATE_LIMITS",
        "MODELS_FILE",
    ] {
        assert!(error.contains(name), "{name} is missing in {error}");
    }
    assert!(!error.contains("hunter2") && !error.contains("geheim"), "{error}");
}

#[test]
fn faults_say_which_form_is_meant_and_blame_the_variable_that_is_wrong() {
    let scheme = "must begin with https:// or http://";
    for (name, value, expected) in [
        (
            "BIND",
            "8080",
            "BIND must be an IP address and a port, such as 127.0.0.1:8080",
        ),
        ("BIND", "0.0.0.0", "BIND must be an IP address and a port"),
        (
            "BIND",
            "0.0.0.0:8080",
            "BASE_URL is not set, and BIND 0.0.0.0:8080 can be reached from other machines",
        ),
        (
            "METRICS_BIND",
            ":9090",
            "METRICS_BIND must be an IP address and a port",
        ),
        ("BASE_URL", "ibid.example.com", scheme),
        ("BASE_URL", "ibid.example.com:8443", scheme),
        ("BASE_URL", "https://", "BASE_URL cannot be read: empty host"),
        ("ROUTER_BASE_URL", "localhost:4000", scheme),
        ("FACILITATOR_URL", "facilitator.example", scheme),
        ("RPC_URL", "node.example", "that begin with https:// or http://"),
        ("LOG", "verbose", "LOG must be error, warn, info"),
        ("LOG", "info,loud", "LOG must be error, warn, info"),
    ] {
        let error = read(&[(name, value)], false).unwrap_err().to_string();
        assert!(error.contains(expected), "{name}={value}: {error}");
        // The one that is wrong, and no other.
        assert_eq!(error.lines().count(), 2, "{name}={value}: {error}");
    }
    for log in [
        "warn",
        "INFO",
        "off",
        "ibid_provider=debug",
        "info,ibid_store=trace",
    ] {
        assert!(read(&[("LOG", log)], false).is_ok(), "{log}");
    }
}

#[test]
fn a_variable_of_an_earlier_version_is_refused_with_the_way() {
    for (name, way) in REMOVED.iter() {
        let error = read(&[(*name, "1")], false).unwrap_err().to_string();
        assert!(
            error.contains(&format!("{name} is no variable any more: {way}")),
            "{error}"
        );
        assert!(VARIABLES.iter().all(|variable| variable.name != *name));
        // An empty variable counts as unset.
        assert!(read(&[(*name, " ")], false).is_ok());
    }
}

#[test]
fn a_file_of_the_facilitator_has_its_token_or_a_key() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key");
    let read = |text: &str| {
        std::fs::write(&path, text).unwrap();
        read(&[("FACILITATOR_KEY_FILE", path.to_str().unwrap())], false)
    };
    let paid = read(" a-token\n").unwrap().paid;
    assert_eq!(paid.facilitator_token.unwrap().expose_secret(), "a-token");
    assert!(paid.facilitator_key.is_none());
    let error = read("{\"privateKey\": \"secret-text\"}").unwrap_err().to_string();
    assert!(
        error.contains("FACILITATOR_KEY_FILE") && !error.contains("secret-text"),
        "{error}"
    );
}

#[test]
fn a_server_has_a_host_of_its_own() {
    for (url, is_right) in [
        ("https://ibid.example.com", true),
        ("https://ibid.example.com/", true),
        ("https://tools.example/ibid", false),
        ("https://tools.example/?a=b", false),
        ("https://tools.example/#a", false),
    ] {
        let read = read(&[("BASE_URL", url)], false);
        assert_eq!(read.is_ok(), is_right, "{url}");
        if let Err(error) = read {
            assert!(error.to_string().contains("root of a host only"), "{error}");
        }
    }
}

#[test]
fn a_provider_is_whole_and_reached_over_https_or_a_listed_host() {
    let secret = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(secret.path(), " secret\n").unwrap();
    let secret = secret.path().to_str().unwrap();
    let whole = [
        ("OIDC_ISSUER", "https://id.example.com/realm"),
        ("OIDC_CLIENT_ID", "ibid"),
        ("OIDC_CLIENT_SECRET_FILE", secret),
        ("OIDC_ROLES", "a=b=admin, staff = viewer,"),
        ("BASE_URL", "https://ibid.example.com/"),
        ("PASSWORD_SIGN_IN", "off"),
    ];
    let settings = read(&whole, false).unwrap();
    let openid = settings.web.openid.unwrap();
    assert_eq!(openid.client_secret.expose_secret(), "secret");
    assert_eq!(openid.redirect, "https://ibid.example.com/sign-in/openid/back");
    let roles = openid
        .roles
        .iter()
        .map(|(group, role)| (group.as_str(), role.as_str()));
    assert_eq!(roles.collect::<Vec<_>>(), [("a=b", "admin"), ("staff", "viewer")]);
    assert!(!settings.web.passwords && !format!("{:?}", openid.client_secret).contains("secret\""));
    let here = ("OIDC_ISSUER", "http://127.0.0.1:9");
    for (change, name) in [
        (("OIDC_ISSUER", ""), "PASSWORD_SIGN_IN"),
        (("OIDC_CLIENT_ID", ""), "OIDC_CLIENT_ID"),
        (("OIDC_CLIENT_SECRET_FILE", ""), "OIDC_CLIENT_SECRET_FILE"),
        (("OIDC_ROLES", "staff=boss"), "OIDC_ROLES"),
        (("OIDC_EMAILS_VERIFIED", "yes"), "OIDC_EMAILS_VERIFIED"),
        (here, "OIDC_ISSUER"),
    ] {
        let changed = [&whole[..], &[change]].concat();
        let error = read(&changed, false).unwrap_err().to_string();
        assert!(error.contains(name), "{change:?}: {error}");
    }
    let listed = [&whole[..], &[here, ("WEBHOOK_ALLOW", "127.0.0.1:9")]].concat();
    assert!(read(&listed, false).is_ok());
    // Addresses are verified by the admins of a tenant, and by nobody where everybody may have an account.
    for (issuer, word, verified) in [
        ("https://id.example.com/realm", "", Some(false)),
        ("https://id.example.com/realm", "on", Some(true)),
        ("https://login.microsoftonline.com/0f1e2d3c/v2.0", "", Some(true)),
        (
            "https://login.microsoftonline.com/0f1e2d3c/v2.0",
            "off",
            Some(false),
        ),
        ("https://login.microsoftonline.com/common/v2.0", "", Some(false)),
        ("https://login.microsoftonline.com/organizations/v2.0", "on", None),
        ("https://accounts.google.com", "on", None),
    ] {
        let changed = [("OIDC_ISSUER", issuer), ("OIDC_EMAILS_VERIFIED", word)];
        let settings = read(&[&whole[..], &changed].concat(), false).ok();
        let read = settings.map(|settings| settings.web.openid.unwrap().emails_verified);
        assert_eq!(read, verified, "{issuer} {word}");
    }
}

#[test]
fn evidence_is_in_the_database_unless_a_place_is_named() {
    for kept in ["", "database", "Database"] {
        let settings = read(&[("EVIDENCE_STORE", kept)], false).unwrap();
        assert_eq!(settings.evidence, None, "{kept}");
    }
    let place = "file:///var/lib/ibid/evidence";
    let settings = read(&[("EVIDENCE_STORE", place)], false).unwrap();
    assert_eq!(settings.evidence, Some(place.parse().unwrap()));
    for wrong in ["/var/lib/ibid", "https://bucket.example/", "off"] {
        let error = read(&[("EVIDENCE_STORE", wrong)], false).unwrap_err().to_string();
        assert!(error.contains("file:///path or s3://bucket/prefix"), "{error}");
    }
    let bucket = read(&[("EVIDENCE_STORE", "s3://shop/ibid")], false);
    assert_eq!(bucket.is_ok(), cfg!(feature = "object-store"), "{bucket:?}");
}

#[test]
fn a_models_file_replaces_the_table() {
    let folder = std::env::temp_dir().join(format!("ibid-models-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("models.toml");
    std::fs::write(
        &path,
        r#"
[[model]]
alias = "local"
name = "Local model"
candidates = ["llama3.2:3b"]
grounding = "none"
prices = { prompt_per_million = 0, completion_per_million = 0 }
"#,
    )
    .unwrap();
    let settings = read(&[("MODELS_FILE", path.to_str().unwrap())], false).unwrap();
    assert_eq!(settings.catalog.models().len(), 1);
    assert_eq!(settings.catalog.defaults()[0].first_candidate(), "llama3.2:3b");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn the_documentation_lists_every_variable_with_its_default() {
    let page = include_str!("../../../../docs/CONFIGURATION.md");
    let sample = include_str!("../../../../.env.sample");
    for variable in VARIABLES.iter() {
        let said = format!(
            "# {}\n# default: {}\n{}=\n",
            variable.meaning, variable.default, variable.name
        );
        assert!(sample.contains(&said), "the sample should say\n{said}");
        let row = page
            .lines()
            .find(|line| line.starts_with(&format!("| `{}` |", variable.name)));
        let row = row.unwrap_or_else(|| panic!("{} is not documented", variable.name));
        assert!(
            row.contains(variable.default) && row.contains(variable.meaning),
            "{row} should say {} and {}",
            variable.default,
            variable.meaning
        );
    }
}
