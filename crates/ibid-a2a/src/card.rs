//! The agent card: what a client reads before it calls.

use crate::payment::PAYMENT_EXTENSIONS;
use crate::signature::{CardKey, CardSignature};
use ibid_model::contract::object;
use ibid_model::{Network, Offering, Skill};
use serde::Serialize;
use serde_json::{Map, Value, json};
use url::Url;

/// The facts about a deployment that its card shows.
#[derive(Clone, Debug)]
pub struct CardOptions {
    /// The JSON-RPC endpoint itself, absolute.
    pub endpoint: Url,
    /// Absolute base address for operations over HTTP and JSON.
    pub http_base: Url,
    /// Documentation for people.
    pub documentation: Option<Url>,
    /// This program's version, such as `0.1.0`.
    pub version: String,
    /// Who operates the service, with a site.
    pub provider: Option<(String, Url)>,
    /// The skills that are sold here.
    pub sold: Offering,
    /// The chain that prices are taken on.
    pub network: Network,
    /// Whether the service invents its answers.
    pub sandbox: bool,
    /// Whether push notifications are sent.
    pub notifies: bool,
}

/// A card for clients of 0.2, 0.3 and 1.0, with the members that 0.2.6 and 1.0 define.
///
/// It declares no security schemes, because callers need no key.
/// It declares the payment extension as optional: clients without it are served too.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentCard {
    protocol_version: &'static str,
    name: &'static str,
    description: String,
    version: String,
    url: Url,
    preferred_transport: &'static str,
    additional_interfaces: [Interface; 1],
    /// Of A2A 1.0.
    /// Clients choose version and transport by it; the preferred one is first.
    supported_interfaces: [SupportedInterface; 3],
    #[serde(skip_serializing_if = "Option::is_none")]
    provider: Option<Provider>,
    #[serde(skip_serializing_if = "Option::is_none")]
    documentation_url: Option<Url>,
    capabilities: Capabilities,
    default_input_modes: [&'static str; 2],
    default_output_modes: [&'static str; 2],
    skills: Vec<CardSkill>,
    supports_authenticated_extended_card: bool,
    /// Of A2A 1.0; absent if no key is configured.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    signatures: Vec<CardSignature>,
}

#[derive(Clone, Debug, Serialize)]
struct Interface {
    url: Url,
    transport: &'static str,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SupportedInterface {
    url: Url,
    protocol_binding: &'static str,
    protocol_version: &'static str,
}

#[derive(Clone, Debug, Serialize)]
struct Provider {
    organization: String,
    url: Url,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Capabilities {
    streaming: bool,
    push_notifications: bool,
    state_transition_history: bool,
    extensions: [Extension; 2],
}

#[derive(Clone, Debug, Serialize)]
struct Extension {
    uri: &'static str,
    description: &'static str,
    required: bool,
    params: Map<String, Value>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct CardSkill {
    id: Skill,
    name: &'static str,
    description: String,
    tags: &'static [&'static str],
    examples: [String; 1],
    input_modes: [&'static str; 2],
    output_modes: [&'static str; 2],
}

const JSONRPC: &str = "JSONRPC";
const MODES: [&str; 2] = ["application/json", "text/plain"];

impl AgentCard {
    /// Describes a deployment.
    #[must_use]
    pub fn new(options: &CardOptions) -> Self {
        let url = || options.endpoint.clone();
        let sandbox = if options.sandbox {
            " Sandbox: answers and money are invented."
        } else {
            ""
        };
        Self {
            protocol_version: "0.2.6",
            name: "ibid",
            description: format!(
                "Tells how AI language models cite a website for a keyword, around a place, and how citable a page \
                 is. {}{sandbox}",
                match (options.sold.is_nothing(), options.sold.is_audits()) {
                    (true, _) => "Nothing is sold here at the moment.",
                    (false, true) => "Pay per call in USDC; only page audits are sold here.",
                    (false, false) => "Pay per call in USDC.",
                }
            ),
            version: options.version.clone(),
            url: url(),
            preferred_transport: JSONRPC,
            additional_interfaces: [Interface {
                url: url(),
                transport: JSONRPC,
            }],
            supported_interfaces: [
                (url(), JSONRPC, "1.0"),
                (options.http_base.clone(), "HTTP+JSON", "1.0"),
                (url(), JSONRPC, "0.3"),
            ]
            .map(|(url, protocol_binding, protocol_version)| SupportedInterface {
                url,
                protocol_binding,
                protocol_version,
            }),
            provider: options
                .provider
                .clone()
                .map(|(organization, url)| Provider { organization, url }),
            documentation_url: options.documentation.clone(),
            capabilities: Capabilities {
                streaming: true,
                push_notifications: options.notifies,
                state_transition_history: false,
                extensions: PAYMENT_EXTENSIONS.map(|uri| extension(uri, options)),
            },
            default_input_modes: MODES,
            default_output_modes: MODES,
            skills: skills(options),
            supports_authenticated_extended_card: false,
            signatures: Vec::new(),
        }
    }

    /// The same card, signed. `key_set` is the address of the public key.
    ///
    /// # Errors
    /// The card cannot be written as JSON.
    pub fn signed(mut self, key: &CardKey, key_set: &Url) -> Result<Self, serde_json::Error> {
        self.signatures = Vec::new();
        self.signatures = key.sign(&serde_json::to_value(&self)?, key_set)?;
        Ok(self)
    }
}

/// Returns the skills that are sold.
/// A card must have skills, so without sold ones it lists all as not sold.
fn skills(options: &CardOptions) -> Vec<CardSkill> {
    let shown = options.sold.listed().skills();
    shown.map(|skill| card_skill(skill, options)).collect()
}

fn extension(uri: &'static str, options: &CardOptions) -> Extension {
    let price = |skill: Skill| {
        (
            skill.to_string(),
            json!(options.sold.price(skill).get().to_string()),
        )
    };
    let prices = options.sold.skills().map(price);
    let prices = Map::from_iter(prices);
    let params = [
        ("x402Version", json!(1)),
        ("x402Versions", json!([1, 2])),
        ("scheme", json!("exact")),
        ("network", json!(options.network.name())),
        ("prices", Value::Object(prices)),
    ];
    Extension {
        uri,
        description: "Skills are paid for with x402 in the metadata of messages, or in the header X-PAYMENT or \
                      PAYMENT-SIGNATURE. Prices are in atomic USDC. Clients that do not activate the extension are \
                      served, too.",
        required: false,
        params: params
            .into_iter()
            // Readers of signed cards drop empty objects.
            .filter(|(_, value)| *value != json!({}))
            .map(|(name, value)| (name.to_owned(), value))
            .collect(),
    }
}

fn card_skill(skill: Skill, options: &CardOptions) -> CardSkill {
    let row = skill.row();
    let needs = match row.needs() {
        needs if needs.is_empty() => needs,
        needs => format!(" Needs: {needs}."),
    };
    let (amount, network) = (options.sold.price(skill), options.network);
    let price = match row.product {
        _ if !options.sold.has(skill) => " Not sold here at the moment.".to_owned(),
        Some(_) => format!(" Costs {amount} USDC on {network}."),
        None => format!(" Free: sign {amount} USDC on {network}."),
    };
    CardSkill {
        id: skill,
        name: row.name,
        description: format!("{}{needs}{price}", row.about),
        tags: row.tags,
        examples: [Value::Object(object(row.example)).to_string()],
        input_modes: MODES,
        output_modes: MODES,
    }
}
