//! Every environment variable: the one list behind parsing, `--help` and docs/CONFIGURATION.md.

pub(crate) struct Variable {
    pub(crate) name: &'static str,
    /// The value of an unset variable.
    pub(crate) default: &'static str,
    pub(crate) meaning: &'static str,
}

const fn variable(name: &'static str, default: &'static str, meaning: &'static str) -> Variable {
    Variable {
        name,
        default,
        meaning,
    }
}

/// All variables, in the order of the documentation.
pub(crate) const VARIABLES: &[Variable] = &[
    variable("BIND", "127.0.0.1:8080", "Address and port to listen on"),
    variable(
        "BASE_URL",
        "http://BIND",
        "Address under which callers reach the service: https, or http on this machine",
    ),
    variable(
        "DATABASE_URL",
        "sqlite:ibid.db (sandbox: sqlite::memory:)",
        "Database: sqlite:PATH, sqlite::memory: or postgres://USER:PASSWORD@HOST/DATABASE",
    ),
    variable(
        "SERVICE_API_KEY",
        "unset (sandbox: sandbox)",
        "Bearer key of the v1 API, beside those of ibid-server key; unset: only those are taken",
    ),
    variable(
        "CONTACT_EMAIL",
        "unset",
        "E-mail address for access requests, named in 401 answers",
    ),
    variable(
        "ROUTER_BASE_URL",
        "https://openrouter.ai/api/v1",
        "Base URL of a model router, or of a vendor's own API",
    ),
    variable(
        "ROUTER_DIALECT",
        "auto",
        "Dialect of the router: auto, openrouter, openai, openai-responses, anthropic, perplexity, gemini or litellm",
    ),
    variable(
        "ROUTER_MAX_IN_FLIGHT",
        "2048",
        "Most calls to the router at a time, 1 to 65536",
    ),
    variable(
        "WEB_SEARCH",
        "on",
        "Whether models that take it get the router's web search: on or off",
    ),
    variable(
        "MODELS_FILE",
        "unset",
        "TOML file with an alias table of your own; unset: the built-in six",
    ),
    variable(
        "ROUTER_API_KEY",
        "unset (sandbox: sandbox)",
        "Your own key at the router; it pays for sold work and for the scans of the workspace",
    ),
    variable(
        "FACILITATOR_URL",
        "unset (sandbox: in process)",
        "x402 facilitator that verifies and settles payments; unset: nothing is sold",
    ),
    variable(
        "FACILITATOR_KEY_FILE",
        "unset",
        "File with the bearer token of the facilitator, or the key file of Coinbase's developer platform, which signs a token of two minutes for every request",
    ),
    variable(
        "RPC_URL",
        "unset",
        "Nodes of the chain, one to five addresses separated by commas; unset: unknown settlements wait for you",
    ),
    variable(
        "X402_NETWORK",
        "base-sepolia",
        "Chain of payments: base-sepolia, base, polygon-amoy, polygon, avalanche-fuji or avalanche",
    ),
    variable(
        "X402_PAY_TO",
        "unset (sandbox: 0xa0Ee7A142d267C1f36714E4a8F75612F20a79720)",
        "Wallet that is paid; unset: nothing is sold",
    ),
    variable(
        "PAYMENTS_FILE",
        "unset",
        "TOML file with prices of your own, the tokens that are accepted, the costs and bounds of orders, and the models of orders that are fitted to their price",
    ),
    variable(
        "OFFER_KEY_FILE",
        "unset",
        "File with a hexadecimal secp256k1 key that signs offers and receipts; unset: they are not signed",
    ),
    variable(
        "CARD_KEY_FILE",
        "unset",
        "File with an Ed25519 private key (PEM) that signs the agent card; unset: it is not signed",
    ),
    variable(
        "RUN_KEY_FILE",
        "unset (sandbox: a key until the end of the process)",
        "File with keys that seal the provider keys of queued scans and the secrets of push notifications, one a line: a name, a space, 32 bytes in Base64; the first one seals, all open. \
         Unset: no scan with a caller's key is queued",
    ),
    variable(
        "ENGINE",
        "embedded",
        "Engine of queued scans: embedded (on the database) or temporal (a program built with that feature)",
    ),
    variable(
        "ROLE",
        "both",
        "Part of this process: http (serves and queues), worker (works on queued scans) or both",
    ),
    variable(
        "TEMPORAL_ADDRESS",
        "http://127.0.0.1:7233",
        "Address of the Temporal server; with https the connection is encrypted",
    ),
    variable(
        "TEMPORAL_NAMESPACE",
        "default",
        "Namespace of the Temporal server",
    ),
    variable(
        "TEMPORAL_CA_FILE",
        "unset",
        "File with the authority of the Temporal server's certificate (PEM); unset: those of the system",
    ),
    variable(
        "TEMPORAL_CERT_FILE",
        "unset",
        "File with the certificate of this client for the Temporal server (PEM)",
    ),
    variable(
        "TEMPORAL_KEY_FILE",
        "unset",
        "File with the key of that certificate (PEM)",
    ),
    variable(
        "CORS_ORIGINS",
        "unset",
        "Sites whose scripts may call the paid surface, separated by commas; * for all",
    ),
    variable(
        "DEMO_PER_ADDRESS",
        "3 (sandbox: 1000)",
        "Free questions of the home page a day for one address, and ten times as many first looks; questions take ROUTER_API_KEY, 0 closes both",
    ),
    variable(
        "DEMO_PER_DAY",
        "100 (sandbox: 10000)",
        "The same for all addresses together; 0 closes both",
    ),
    variable(
        "TRUSTED_PROXIES",
        "unset",
        "Addresses and networks of your own proxies, whose X-Forwarded-For is trusted, separated by commas",
    ),
    variable(
        "WORKSPACE_MAX_COST",
        "5.00",
        "Most that a scan of the workspace may cost you at the router, in dollars",
    ),
    variable(
        "WEBHOOK_ALLOW",
        "unset",
        "Hosts of your own network that webhooks may be sent to, also over http, as host:port separated by commas",
    ),
    variable(
        "OIDC_ISSUER",
        "unset",
        "OpenID provider that people sign in with, as it names itself: https, or a host of WEBHOOK_ALLOW; unset: passwords alone",
    ),
    variable("OIDC_CLIENT_ID", "unset", "Name of this server at the provider"),
    variable(
        "OIDC_CLIENT_SECRET_FILE",
        "unset",
        "File with the secret of this server at the provider",
    ),
    variable(
        "OIDC_ROLES",
        "unset",
        "Groups of the provider and their roles here, such as ibid-admins=admin, staff=member; unset: groups decide nothing, and admins open accounts",
    ),
    variable(
        "OIDC_GROUPS_CLAIM",
        "groups",
        "Claim that has the groups, or the path to it, such as realm_access.roles",
    ),
    variable(
        "OIDC_EMAILS_VERIFIED",
        "off (a tenant of Entra: on)",
        "Whether your admins give every address of OIDC_ISSUER, so that it needs no claim email_verified: on or off",
    ),
    variable(
        "PASSWORD_SIGN_IN",
        "on",
        "Whether people sign in with passwords: on or off; off needs OIDC_ISSUER",
    ),
    variable(
        "SMTP_URL",
        "unset",
        "Mail server for the news of projects: smtps://USER:PASSWORD@HOST, or smtp://USER:PASSWORD@HOST:587?tls=required; unset: no mail is sent",
    ),
    variable(
        "SMTP_USER",
        "unset",
        "Name of sign-in at the mail server, if it is not in SMTP_URL",
    ),
    variable(
        "SMTP_PASSWORD_FILE",
        "unset",
        "File with the password for SMTP_USER, as it is",
    ),
    variable(
        "SMTP_CA_FILE",
        "unset",
        "File with certificates (PEM) of authorities that the mail server may have its own from, besides those of the system",
    ),
    variable(
        "SMTP_FROM",
        "unset",
        "Sender of mail, such as ibid <news@example.com>; needed with SMTP_URL",
    ),
    variable(
        "MAX_QUESTIONS_PER_SCAN",
        "2000",
        "Largest plan that is accepted, 1 to 50000",
    ),
    variable(
        "RATE_LIMITS",
        "report",
        "60 scans an hour and 5 at once: off, report or enforce",
    ),
    variable(
        "RETAIN_ANSWERS",
        "on",
        "Whether questions and answers are kept as evidence: on or off",
    ),
    variable(
        "PROJECT_ANSWERS_DAYS",
        "0",
        "Days after which questions and answers of runs of projects are deleted, 1 to 3650; results and counts stay. 0 keeps them",
    ),
    variable(
        "EVIDENCE_STORE",
        "database",
        "Place where evidence is kept: database, file:///directory, or s3://bucket/prefix (a program built with the feature object-store; keys, region and endpoint in AWS_*)",
    ),
    variable(
        "DRAIN_SECONDS",
        "30",
        "How long a stopping server waits for open scans, 0 to 600",
    ),
    variable(
        "METRICS_BIND",
        "unset",
        "Address and port of /metrics (Prometheus), not public; unset: no metrics",
    ),
    variable(
        "LOG",
        "info,actix_http=off,actix_server=warn,object_store=warn,rmcp=warn",
        "Log level: error, warn, info, debug, trace, or a filter such as ibid_provider=debug",
    ),
    variable("LOG_FORMAT", "text", "Log lines as text or json"),
];

/// Variables of earlier versions, each with the way to the same effect. A start with one of them is refused.
pub(crate) const REMOVED: [(&str, &str); 17] = [
    ("X402_ASSET", "set token.asset in the file of PAYMENTS_FILE"),
    ("X402_ASSET_NAME", "set token.name in the file of PAYMENTS_FILE"),
    (
        "X402_ASSET_VERSION",
        "set token.version in the file of PAYMENTS_FILE",
    ),
    (
        "PAID_MAX_COST_SCAN",
        "set max_cost.scan in the file of PAYMENTS_FILE",
    ),
    (
        "PAID_MAX_COST_RADIUS",
        "set max_cost.radius in the file of PAYMENTS_FILE",
    ),
    (
        "PAID_MAX_COST_FULL",
        "set max_cost.full in the file of PAYMENTS_FILE",
    ),
    (
        "PAID_OPEN_ORDERS",
        "set bounds.open_orders in the file of PAYMENTS_FILE",
    ),
    (
        "PAID_FAILED_PER_HOUR",
        "set bounds.failed_per_hour in the file of PAYMENTS_FILE",
    ),
    (
        "PAID_REFUSED_PER_HOUR",
        "set bounds.refused_per_hour in the file of PAYMENTS_FILE",
    ),
    (
        "PAID_TRUST_ABOVE",
        "set bounds.trust_above in the file of PAYMENTS_FILE",
    ),
    (
        "FACILITATOR_TOKEN",
        "write the token to a file and name it in FACILITATOR_KEY_FILE",
    ),
    ("SANDBOX_LATENCY_MS", "start with --sandbox-latency"),
    ("SANDBOX_DAY", "start with --sandbox-day"),
    ("PROBE_MODELS", "start with --probe-models"),
    ("QUEUE_SLOTS", "unset it: the number follows ROUTER_MAX_IN_FLIGHT"),
    ("BODY_MEMORY_MIB", "unset it: the limit is 128 MiB"),
    (
        "NOT_READY_SECONDS",
        "unset it: it is 10 seconds where BASE_URL is https",
    ),
];
