//! Parses environment variables to settings. It reports all faults at once and prints no secret.

mod engine;
mod misspelt;
mod paid;
mod payments_file;
mod variables;
mod web;

pub(crate) use engine::{EngineChoice, Role};
pub(crate) use misspelt::{misspelt_names, warn_of_misspelt};
pub(crate) use paid::PaidSettings;
pub(crate) use variables::{REMOVED, VARIABLES};
pub(crate) use web::WebSettings;

use anyhow::{Context, bail};
use ibid_http::ApiKey;
use ibid_model::Catalog;
use ibid_provider::{Dialect, ReservedPlaces, RouterConfig};
use ibid_service::{DemoTerms, EvidenceAddress, LimitMode, LookTerms};
use ibid_store::StoreUrl;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::str::FromStr;
use std::time::Duration;
use tracing::level_filters::LevelFilter;
use url::Url;

/// The log levels if `LOG` is unset. The MCP library writes three lines about every call at its level info.
/// `object_store` writes one about each repeated call.
const DEFAULT_LOG: &str = "info,actix_http=off,actix_server=warn,object_store=warn,rmcp=warn";

/// Characters under which a service key is called short: eight random letters are guessed in weeks at the rate of one server.
const LEAST_API_KEY: usize = 16;
/// First looks for each free question. Half would end the corrections of one visitor; twice as many are a crawler's.
const LOOKS: u32 = 10;

#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) sandbox: bool,
    pub(crate) bind: SocketAddr,
    pub(crate) base_url: Url,
    pub(crate) store: StoreUrl,
    /// Whether `DATABASE_URL` names the database.
    pub(crate) store_is_named: bool,
    pub(crate) api_key: Option<ApiKey>,
    /// Whether the key of the environment is soon guessed.
    pub(crate) api_key_is_short: bool,
    pub(crate) contact_email: Option<String>,
    pub(crate) router_base_url: Url,
    pub(crate) router_dialect: Dialect,
    pub(crate) width: NonZeroUsize,
    pub(crate) web_search: bool,
    pub(crate) catalog: Catalog,
    pub(crate) most_questions: u32,
    pub(crate) limit_mode: LimitMode,
    pub(crate) retain_answers: bool,
    /// Days after which answers of projects are deleted; 0 keeps them.
    pub(crate) project_answers_days: u32,
    /// `None`: the database keeps evidence.
    pub(crate) evidence: Option<EvidenceAddress>,
    pub(crate) drain: Duration,
    pub(crate) paid: PaidSettings,
    pub(crate) web: WebSettings,
    pub(crate) engine: EngineChoice,
    pub(crate) metrics_bind: Option<SocketAddr>,
    pub(crate) log: String,
    pub(crate) log_json: bool,
}

/// Parses variables and collects their faults.
struct Reader<'a> {
    get: &'a dyn Fn(&str) -> Option<String>,
    faults: Vec<String>,
}

impl Settings {
    /// Reads the environment through `get`.
    ///
    /// # Errors
    /// All faults, one a line.
    pub(crate) fn read(get: &dyn Fn(&str) -> Option<String>, sandbox: bool) -> anyhow::Result<Self> {
        let (settings, faults) = Self::inspect(get, sandbox);
        if faults.is_empty() {
            return Ok(settings);
        }
        bail!("the configuration has faults:\n  {}", faults.join("\n  "))
    }

    /// Reads the environment through `get`, with defaults in the place of faulty values, and returns the faults. Each
    /// begins with the name of its variable.
    pub(crate) fn inspect(get: &dyn Fn(&str) -> Option<String>, sandbox: bool) -> (Self, Vec<String>) {
        let mut reader = Reader {
            get,
            faults: Vec::new(),
        };
        let settings = reader.settings(sandbox);
        (settings, reader.faults)
    }

    /// Returns the terms of the free question, if there is a key that pays for it.
    pub(crate) fn demo(&self) -> Option<DemoTerms> {
        let key = self.paid.router_key.clone()?;
        Some(DemoTerms {
            key,
            per_address: self.web.demo_per_address,
            per_day: self.web.demo_per_day,
        })
    }

    /// Returns the terms for first looks. They cost no model, so there are more of them than free questions.
    pub(crate) fn looks(&self) -> LookTerms {
        LookTerms {
            per_address: self.web.demo_per_address.saturating_mul(LOOKS),
            per_day: self.web.demo_per_day.saturating_mul(LOOKS),
        }
    }

    /// Returns the configuration of the model router.
    pub(crate) fn router(&self) -> RouterConfig {
        let mut config = RouterConfig::new(self.router_base_url.clone());
        config.dialect = self.router_dialect;
        config.max_in_flight = self.width.get();
        // An eighth for sold work and a sixteenth for demonstrations, which a person waits for.
        let sells = self.paid.router_key.is_some() && self.paid.pay_to.is_some();
        config.reserved = ReservedPlaces {
            sold: if sells { config.max_in_flight / 8 } else { 0 },
            interactive: if self.demo().is_some() {
                config.max_in_flight / 16
            } else {
                0
            },
        };
        config
    }
}

impl Reader<'_> {
    fn settings(&mut self, sandbox: bool) -> Settings {
        for (name, way) in REMOVED.iter() {
            if self.text(name).is_some() {
                self.fault(name, format_args!("is no variable any more: {way}"));
            }
        }
        let bind = self
            .socket("BIND")
            .unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], 8080)));
        let base_url = self.base_url(bind);
        let api_key = self.api_key(sandbox);
        let in_memory = if sandbox {
            StoreUrl::Memory
        } else {
            StoreUrl::Sqlite("ibid.db".into())
        };
        let log_json = self
            .word("LOG_FORMAT", &[("text", false), ("json", true)])
            .unwrap_or(false);
        let catalog = self.catalog();
        Settings {
            sandbox,
            bind,
            store: self.parsed("DATABASE_URL").unwrap_or(in_memory),
            store_is_named: self.text("DATABASE_URL").is_some(),
            api_key,
            api_key_is_short: self
                .text("SERVICE_API_KEY")
                .is_some_and(|key| key.len() < LEAST_API_KEY),
            contact_email: self.text("CONTACT_EMAIL"),
            router_base_url: self.router_base_url(),
            router_dialect: self.parsed("ROUTER_DIALECT").unwrap_or(Dialect::Auto),
            width: NonZeroUsize::new(self.within("ROUTER_MAX_IN_FLIGHT", 2_048, 1..=65_536) as usize)
                .unwrap_or(NonZeroUsize::MIN),
            web_search: self.switch("WEB_SEARCH"),
            paid: self.paid(sandbox, &catalog),
            catalog,
            most_questions: self.within("MAX_QUESTIONS_PER_SCAN", 2_000, 1..=50_000),
            limit_mode: self
                .word(
                    "RATE_LIMITS",
                    &[
                        ("off", LimitMode::Off),
                        ("report", LimitMode::Report),
                        ("enforce", LimitMode::Enforce),
                    ],
                )
                .unwrap_or_default(),
            retain_answers: self.switch("RETAIN_ANSWERS"),
            project_answers_days: self.within("PROJECT_ANSWERS_DAYS", 0, 0..=3_650),
            evidence: self.evidence(),
            drain: Duration::from_secs(self.within("DRAIN_SECONDS", 30, 0..=600).into()),
            web: self.web(sandbox, &base_url),
            base_url,
            engine: self.engine(),
            metrics_bind: self.socket("METRICS_BIND"),
            log: self.log(),
            log_json,
        }
    }

    /// Returns the value of a variable unless it is unset or empty.
    fn text(&self, name: &str) -> Option<String> {
        (self.get)(name)
            .map(|text| text.trim().to_owned())
            .filter(|text| !text.is_empty())
    }

    /// Reads a list that `parse` understands. A list with a fault is empty.
    fn list<T: Default, E: std::fmt::Display>(
        &mut self,
        name: &str,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> T {
        parse(&self.text(name).unwrap_or_default()).unwrap_or_else(|error| {
            self.fault(name, format_args!("cannot be read: {error}"));
            T::default()
        })
    }

    fn fault(&mut self, name: &str, why: impl std::fmt::Display) {
        self.faults.push(format!("{name} {why}"));
    }

    fn parsed<T: FromStr>(&mut self, name: &str) -> Option<T>
    where
        T::Err: std::fmt::Display,
    {
        let text = self.text(name)?;
        text.parse()
            .map_err(|error| self.fault(name, format_args!("cannot be read: {error}")))
            .ok()
    }

    /// Returns an address and port to listen on.
    fn socket(&mut self, name: &str) -> Option<SocketAddr> {
        let text = self.text(name)?;
        let socket = text.parse().ok();
        if socket.is_none() {
            self.fault(
                name,
                "must be an IP address and a port, such as 127.0.0.1:8080, or 0.0.0.0:8080 for all addresses of this machine",
            );
        }
        socket
    }

    fn address(&mut self, name: &str) -> Option<Url> {
        let text = self.text(name)?;
        match text.parse::<Url>() {
            Ok(url) if matches!(url.scheme(), "http" | "https") => Some(url),
            Err(error) if text.contains("://") => {
                self.fault(name, format_args!("cannot be read: {error}"));
                None
            }
            Ok(_) | Err(_) => {
                self.fault(
                    name,
                    "must begin with https:// or http://, such as https://ibid.example.com",
                );
                None
            }
        }
    }

    /// Returns the filter of log lines.
    /// A word that is no level is a fault: it would name a part of the program and silence all other parts.
    fn log(&mut self) -> String {
        let Some(text) = self.text("LOG") else {
            return DEFAULT_LOG.to_owned();
        };
        let is_level = |word: &str| word.contains('=') || word.parse::<LevelFilter>().is_ok();
        if !text.split(',').all(|word| is_level(word.trim())) {
            self.fault(
                "LOG",
                "must be error, warn, info, debug, trace or off, or name the level of a part, such as ibid_provider=debug",
            );
        }
        text
    }

    fn word<T: Copy>(&mut self, name: &str, words: &[(&str, T)]) -> Option<T> {
        let text = self.text(name)?;
        let known = words
            .iter()
            .find(|(word, _)| text.eq_ignore_ascii_case(word))
            .map(|(_, value)| *value);
        if known.is_none() {
            let words: Vec<_> = words.iter().map(|(word, _)| *word).collect();
            self.fault(name, format_args!("must be one of {}", words.join(", ")));
        }
        known
    }

    fn switch(&mut self, name: &str) -> bool {
        self.word(name, &[("on", true), ("off", false)]).unwrap_or(true)
    }

    fn evidence(&mut self) -> Option<EvidenceAddress> {
        let text = self.text("EVIDENCE_STORE")?;
        if text.eq_ignore_ascii_case("database") {
            return None;
        }
        let address = self.parsed("EVIDENCE_STORE")?;
        if matches!(address, EvidenceAddress::S3 { .. }) && !cfg!(feature = "object-store") {
            self.fault(
                "EVIDENCE_STORE",
                "is a bucket, and this program was built without its feature `object-store`",
            );
        }
        Some(address)
    }

    fn within(&mut self, name: &str, default: u32, range: std::ops::RangeInclusive<u32>) -> u32 {
        match self.text(name).map(|text| text.parse::<u32>()) {
            None => default,
            Some(Ok(value)) if range.contains(&value) => value,
            Some(_) => {
                self.fault(
                    name,
                    format_args!("must be a whole number from {} to {}", range.start(), range.end()),
                );
                default
            }
        }
    }

    fn base_url(&mut self, bind: SocketAddr) -> Url {
        let here =
            || Url::parse(&format!("http://{bind}")).unwrap_or_else(|_| literal("http://127.0.0.1:8080"));
        if self.text("BASE_URL").is_none() {
            if !bind.ip().is_loopback() {
                let why = format_args!(
                    "is not set, and BIND {bind} can be reached from other machines: set BASE_URL to the https address of \
                     the proxy in front, or to http://127.0.0.1:{} to try it on this machine",
                    bind.port()
                );
                self.fault("BASE_URL", why);
            }
            return here();
        }
        let Some(url) = self.address("BASE_URL") else {
            return here();
        };
        if url.path() != "/" || url.query().is_some() || url.fragment().is_some() {
            self.fault(
                "BASE_URL",
                "has a path, and ibid is served at the root of a host only: give it a host of its own, such as https://ibid.example.com",
            );
        }
        if !web::is_private(&url) {
            self.fault(
                "BASE_URL",
                "must be an https address, or http on this machine: sessions must not cross a network in the clear",
            );
        }
        url
    }

    fn router_base_url(&mut self) -> Url {
        self.address("ROUTER_BASE_URL")
            .unwrap_or_else(|| literal("https://openrouter.ai/api/v1"))
    }

    fn api_key(&mut self, sandbox: bool) -> Option<ApiKey> {
        let key = self
            .text("SERVICE_API_KEY")
            .or_else(|| sandbox.then(|| "sandbox".to_owned()))?;
        if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
            self.fault("SERVICE_API_KEY", "contains characters other than visible ASCII");
        }
        Some(ApiKey::new(&key))
    }

    fn catalog(&mut self) -> Catalog {
        let Some(path) = self.text("MODELS_FILE") else {
            return Catalog::builtin();
        };
        read_catalog(&path).unwrap_or_else(|error| {
            self.fault("MODELS_FILE", format_args!("cannot be used: {error:#}"));
            Catalog::builtin()
        })
    }
}

/// Parses an address that is written in this file.
#[expect(clippy::expect_used, reason = "a literal address parses, as the tests show")]
fn literal(address: &str) -> Url {
    Url::parse(address).expect("a literal address")
}

fn read_catalog(path: &str) -> anyhow::Result<Catalog> {
    let text = std::fs::read_to_string(path).with_context(|| format!("reading {path}"))?;
    toml::from_str(&text).with_context(|| format!("parsing {path}"))
}

#[cfg(test)]
mod tests;
