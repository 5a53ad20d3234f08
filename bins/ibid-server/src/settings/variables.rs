//! Every environment variable: the one list behind parsing, `--help` and docs/CONFIGURATION.md.

/// One variable.
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
        "PROBE_MODELS",
        "off",
        "Whether each model is asked one question at the start, paid by ROUTER_API_KEY: on or off",
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
        "FACILITATOR_TOKEN",
        "unset",
        "Bearer token of the facilitator, if it needs one",
    ),
    variable(
        "FACILITATOR_KEY_FILE",
        "unset",
        "Key file of Coinbase's developer platform: a token of two minutes is signed for every request to the facilitator",
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
        "X402_ASSET",
        "USDC of the network",
        "Contract of the token, with six decimals and EIP-3009",
    ),
    variable(
        "X402_ASSET_NAME",
        "that of USDC",
        "Name of the token in what buyers sign (EIP-712)",
    ),
    variable(
        "X402_ASSET_VERSION",
        "that of USDC",
        "Version of the token in what buyers sign (EIP-712)",
    ),
    variable(
        "PAYMENTS_FILE",
        "unset",
        "TOML file with prices of your own, further tokens that are accepted, and the models of orders that are fitted to their price",
    ),
    variable(
        "OFFER_KEY_FILE",
        "unset",
        "File with a hexadecimal secp256k1 key that signs offers and receipts; unset: they are not signed",
    ),
    variable(
        "PAID_MAX_COST_SCAN",
        "80 % of the price",
        "Most that a sold scan may be estimated to cost you at the router, in dollars; what a buyer leaves out is fitted to 80 % of the price in any case",
    ),
    variable(
        "PAID_MAX_COST_RADIUS",
        "80 % of the price",
        "The same for a radius analysis",
    ),
    variable(
        "PAID_MAX_COST_FULL",
        "80 % of the price",
        "The same for a full bundle",
    ),
    variable(
        "PAID_OPEN_ORDERS",
        "1",
        "Unpaid orders that a new payer may have open; each settled order allows one more, up to 20",
    ),
    variable(
        "PAID_FAILED_PER_HOUR",
        "10",
        "Orders of a payer, and unpaid ones of an address, that may fail in an hour; and unpaid ones of all new payers beyond the settled ones in ten minutes",
    ),
    variable(
        "PAID_REFUSED_PER_HOUR",
        "100",
        "Payments of an address that may be refused in an hour",
    ),
    variable(
        "PAID_TRUST_ABOVE",
        "unset",
        "Work that costs you more at the router, in dollars, is done only for payers who have settled as much as it costs",
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
        "QUEUE_SLOTS",
        "64",
        "Parts of queued scans, of at most 50 calls each, that this process works on at one time. Callers that have one under way share seven eighths of them, and ROUTER_MAX_IN_FLIGHT / 25 at most; the others are for callers that have none",
    ),
    variable(
        "CORS_ORIGINS",
        "unset",
        "Sites whose scripts may call the paid surface, separated by commas; * for all",
    ),
    variable(
        "DEMO_PER_ADDRESS",
        "3 (sandbox: 1000)",
        "Free questions of the home page a day for one address; they take ROUTER_API_KEY, 0 closes them",
    ),
    variable(
        "DEMO_PER_DAY",
        "100 (sandbox: 10000)",
        "Free questions of the home page a day for all together; 0 closes them",
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
        "MAX_QUESTIONS_PER_SCAN",
        "1000",
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
        "EVIDENCE_STORE",
        "database",
        "Place where evidence is kept: database, file:///directory, or s3://bucket/prefix (a program built with the feature object-store; keys, region and endpoint in AWS_*)",
    ),
    variable(
        "SANDBOX_LATENCY_MS",
        "0",
        "With --sandbox: average delay of answers in milliseconds, to watch progress",
    ),
    variable(
        "SANDBOX_DAY",
        "0 (sandbox: today)",
        "With --sandbox: the day of the invented world, in days since 1970; a part of the answers changes from day to day",
    ),
    variable(
        "DRAIN_SECONDS",
        "30",
        "How long a stopping server waits for open scans, 0 to 600",
    ),
    variable(
        "NOT_READY_SECONDS",
        "0",
        "How long a server that was told to stop still accepts connections, with /readyz at 503, 0 to 300",
    ),
    variable(
        "BODY_MEMORY_MIB",
        "128",
        "Most memory of request bodies, in MiB, 32 to 65536; anonymous callers share half of it",
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
