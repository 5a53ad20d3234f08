//! What pages, the free question and the workspace need to know.

use super::Reader;
use ibid_http::{CardKey, TrustedProxies};
use ibid_model::UsdMicros;
use ibid_news::{SmtpMailer, SmtpTerms, SmtpUrlError};
use ibid_service::{AllowList, Messenger, MessengerConfig, OpenIdTerms, RunKeys, WorkspaceRuns};
use ibid_store::Role;
use secrecy::SecretString;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use url::{Host, Url};

/// How long a server behind a proxy, which was asked to stop, still accepts connections. Half of it is less than most
/// proxies wait between two looks at `/readyz`; twice as long only delays each upgrade.
const NOT_READY: Duration = Duration::from_secs(10);

/// What pages, the free question and the workspace need to know.
#[derive(Clone, Debug)]
pub(crate) struct WebSettings {
    pub(crate) trusted_proxies: TrustedProxies,
    /// Free questions a day for one address.
    pub(crate) demo_per_address: u32,
    /// Free questions a day for all.
    pub(crate) demo_per_day: u32,
    /// Average delay of answers in the sandbox.
    pub(crate) sandbox_latency: Duration,
    /// Day of the invented world, in days since 1970.
    pub(crate) sandbox_day: u32,
    /// How long `/readyz` answers 503 before connections are refused.
    pub(crate) stop_after: Duration,
    /// Most that a scan in the workspace may cost.
    pub(crate) most_cost: UsdMicros,
    /// Addresses of the operator's network that webhooks may be sent to.
    pub(crate) webhook_allow: AllowList,
    /// Sends mail.
    pub(crate) mail: Option<Arc<SmtpMailer>>,
    pub(crate) openid: Option<OpenIdTerms>,
    /// Whether people sign in with passwords.
    pub(crate) passwords: bool,
    /// The key that signs the agent card.
    pub(crate) card_key: Option<CardKey>,
    /// The keys that seal the provider keys of queued scans.
    pub(crate) run_keys: Option<Arc<RunKeys>>,
}

impl Reader<'_> {
    pub(super) fn web(&mut self, sandbox: bool, base_url: &Url) -> WebSettings {
        // Invented answers are free.
        let (per_address, per_day) = if sandbox { (1_000, 10_000) } else { (3, 100) };
        let behind_proxy = base_url.scheme() == "https";
        let webhook_allow = self.list("WEBHOOK_ALLOW", AllowList::of_operator);
        let openid = self.openid(base_url, &webhook_allow);
        WebSettings {
            trusted_proxies: self.list("TRUSTED_PROXIES", TrustedProxies::parse),
            demo_per_address: self.within("DEMO_PER_ADDRESS", per_address, 0..=1_000_000),
            demo_per_day: self.within("DEMO_PER_DAY", per_day, 0..=1_000_000),
            sandbox_latency: Duration::ZERO,
            sandbox_day: today(),
            stop_after: if behind_proxy { NOT_READY } else { Duration::ZERO },
            most_cost: self.dollars("WORKSPACE_MAX_COST", WorkspaceRuns::USUAL_COST),
            passwords: self.passwords(),
            mail: self.mail(),
            openid,
            webhook_allow,
            card_key: self.card_key(),
            run_keys: self.run_keys(sandbox),
        }
    }

    fn run_keys(&mut self, sandbox: bool) -> Option<Arc<RunKeys>> {
        if sandbox && self.text("RUN_KEY_FILE").is_none() {
            let keys = RunKeys::random();
            return keys
                .map_err(|error| self.fault("RUN_KEY_FILE", error))
                .ok()
                .map(Arc::new);
        }
        let text = self.file("RUN_KEY_FILE")?;
        RunKeys::parse(&text)
            .map_err(|error| {
                self.fault(
                    "RUN_KEY_FILE",
                    format_args!("cannot be used: {error}; ibid-server run-key makes such a file"),
                )
            })
            .ok()
            .map(Arc::new)
    }

    fn card_key(&mut self) -> Option<CardKey> {
        let text = self.file("CARD_KEY_FILE")?;
        CardKey::from_pem(&text)
            .map_err(|error| self.fault("CARD_KEY_FILE", error))
            .ok()
    }

    fn mail(&mut self) -> Option<Arc<SmtpMailer>> {
        let (url, from) = (self.text("SMTP_URL"), self.text("SMTP_FROM"));
        match (url, from) {
            (None, None) => None,
            (Some(_), None) => {
                self.fault("SMTP_FROM", "is not set, and SMTP_URL is: mail needs a sender");
                None
            }
            (None, Some(_)) => {
                self.fault("SMTP_URL", "is not set, and SMTP_FROM is: mail needs a server");
                None
            }
            (Some(url), Some(from)) => {
                let terms = SmtpTerms {
                    url,
                    from,
                    user: self.text("SMTP_USER"),
                    password: self.file("SMTP_PASSWORD_FILE").map(|text| text.trim().to_owned()),
                    authorities: self.file("SMTP_CA_FILE"),
                };
                let made = SmtpMailer::new(&terms);
                let fault = |error: SmtpUrlError| {
                    let name = match error {
                        SmtpUrlError::From => "SMTP_FROM",
                        SmtpUrlError::Url | SmtpUrlError::PasswordInTheClear => "SMTP_URL",
                        SmtpUrlError::Login => "SMTP_USER",
                        SmtpUrlError::Authorities => "SMTP_CA_FILE",
                    };
                    self.fault(name, error);
                };
                made.map_err(fault).ok().map(Arc::new)
            }
        }
    }

    fn passwords(&mut self) -> bool {
        let on = self.switch("PASSWORD_SIGN_IN");
        if !on && self.text("OIDC_ISSUER").is_none() {
            self.fault(
                "PASSWORD_SIGN_IN",
                "is off, and there is no other way in: set OIDC_ISSUER",
            );
        }
        on
    }

    fn openid(&mut self, base_url: &Url, allow: &AllowList) -> Option<OpenIdTerms> {
        let Some(issuer) = self.text("OIDC_ISSUER") else {
            for name in [
                "OIDC_CLIENT_ID",
                "OIDC_CLIENT_SECRET_FILE",
                "OIDC_ROLES",
                "OIDC_GROUPS_CLAIM",
                "OIDC_EMAILS_VERIFIED",
            ] {
                if self.text(name).is_some() {
                    self.fault(name, "has no use without OIDC_ISSUER");
                }
            }
            return None;
        };
        let config = MessengerConfig {
            user_agent: concat!("ibid-sign-in/", env!("CARGO_PKG_VERSION")).to_owned(),
            allow_list: allow.clone(),
            ..MessengerConfig::default()
        };
        let messenger = Messenger::new(config).and_then(|messenger| {
            messenger.judge(&issuer)?;
            Ok(messenger)
        });
        let messenger = messenger
            .map_err(|error| {
                let why =
                    format_args!("cannot be used: {error}; WEBHOOK_ALLOW lists hosts of your own network");
                self.fault("OIDC_ISSUER", why);
            })
            .ok();
        let client_id = self.text("OIDC_CLIENT_ID");
        if client_id.is_none() {
            self.fault("OIDC_CLIENT_ID", "is not set, and OIDC_ISSUER is");
        }
        if self.text("OIDC_CLIENT_SECRET_FILE").is_none() {
            self.fault("OIDC_CLIENT_SECRET_FILE", "is not set, and OIDC_ISSUER is");
        }
        let secret = self
            .file("OIDC_CLIENT_SECRET_FILE")
            .map(|text| text.trim().to_owned());
        if secret.as_deref() == Some("") {
            self.fault("OIDC_CLIENT_SECRET_FILE", "names an empty file");
        }
        let roles = self.roles();
        let emails_verified = self.emails_verified(&issuer);
        let groups_claim = self.text("OIDC_GROUPS_CLAIM");
        Some(OpenIdTerms {
            issuer,
            client_id: client_id?,
            client_secret: SecretString::from(secret?),
            redirect: format!("{}/sign-in/openid/back", base_url.as_str().trim_end_matches('/')),
            roles,
            groups_claim: groups_claim.unwrap_or_else(|| "groups".to_owned()),
            emails_verified,
            messenger: messenger?,
        })
    }

    /// Whether the issuer verifies every address. One with which anybody can have an account does not.
    fn emails_verified(&mut self, issuer: &str) -> bool {
        let named = self.word("OIDC_EMAILS_VERIFIED", &[("on", true), ("off", false)]);
        let url: Option<Url> = issuer.parse().ok();
        let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
        let mut path = url.iter().filter_map(Url::path_segments).flatten();
        let tenant = path.next().unwrap_or_default();
        let is_of_microsoft = host == "login.microsoftonline.com";
        // Personal accounts have a tenant with an id, too.
        let is_open = [
            "common",
            "organizations",
            "consumers",
            "9188040d-6c67-4c5b-b112-36a304b66dad",
        ]
        .contains(&tenant);
        if named == Some(true) && (host == "accounts.google.com" || is_of_microsoft && is_open) {
            self.fault(
                "OIDC_EMAILS_VERIFIED",
                "is on, and anybody may have an account of OIDC_ISSUER: name the issuer of your own tenant",
            );
        }
        named.unwrap_or(is_of_microsoft && !is_open)
    }

    fn roles(&mut self) -> Vec<(String, Role)> {
        let list = self.text("OIDC_ROLES").unwrap_or_default();
        let mut roles = Vec::new();
        for entry in list.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
            let read = entry.rsplit_once('=').and_then(|(group, role)| {
                let group = Some(group.trim()).filter(|group| !group.is_empty())?;
                Some((group.to_owned(), role.trim().parse().ok()?))
            });
            match read {
                Some(read) => roles.push(read),
                None => {
                    let why = "must be pairs such as ibid-admins=admin, staff=member, guests=viewer";
                    self.fault("OIDC_ROLES", why);
                }
            }
        }
        roles
    }
}

/// The days since 1970.
fn today() -> u32 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u32::try_from(since.as_secs() / 86_400).unwrap_or(0)
}

/// Whether sessions are safe at an address, so that no cookie crosses a network without encryption.
pub(super) fn is_private(base_url: &Url) -> bool {
    base_url.scheme() == "https"
        || match base_url.host() {
            Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        }
}
