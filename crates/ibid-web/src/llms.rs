//! `/llms.txt`: the description of the service in plain text, for agents.

use crate::endpoints::endpoints;
use crate::escape::line;
use crate::pages::ModelChoice;
use ibid_model::contract::field::{BYOK, QUEUED};
use ibid_model::contract::{Access, Shape};
use ibid_model::{Offering, Skill};
use std::fmt::Write as _;

pub const CONTENT_TYPE: &str = "text/plain; charset=utf-8";

/// What `llms.txt` says beyond the tables of endpoints and prices.
#[derive(Clone, Copy, Debug)]
pub struct LlmsTxtPage<'a> {
    /// Base address of the service, without a slash at its end.
    pub base_url: &'a str,
    /// The alias table, in order; a scan asks the first [`Self::defaults`] by default.
    pub models: &'a [ModelChoice<'a>],
    /// Number of models that a scan asks by default.
    pub defaults: usize,
    /// The skills that agents can buy.
    pub sold: Offering,
    /// Chain of payments, as x402 version 1 names it; `None` if the server sells no results.
    pub network: Option<&'a str>,
    /// Whether the server runs in the sandbox.
    pub sandbox: bool,
    /// E-mail address for access requests.
    pub contact: Option<&'a str>,
}

/// Renders `llms.txt`.
pub fn llms_txt(page: &LlmsTxtPage<'_>) -> String {
    let mut text = String::with_capacity(4096);
    // Writing to a String cannot fail.
    let _ = write_all(&mut text, page);
    text
}

fn write_all(out: &mut String, page: &LlmsTxtPage<'_>) -> std::fmt::Result {
    let base = line(page.base_url);
    out.push_str("# ibid\n\n");
    out.push_str(
        "> Measures how AI models cite a website for a keyword: a score from 0 to 100 with a 95 % interval for each model \
         and over all, how far around a place the website is cited, and who is cited instead. No model judges the answers.\n\n",
    );
    if page.sandbox {
        out.push_str("This server runs in the sandbox: every answer is invented and no payment is real.\n\n");
    }
    writeln!(out, "Base address: {base}")?;
    writeln!(
        out,
        "Requests and answers are JSON. Errors are RFC 9457 problem documents with a stable `code`: {base}/docs/errors"
    )?;
    if let Some(contact) = page.contact {
        writeln!(
            out,
            "Access to the v1 API is private; ask {} for a key.",
            line(contact)
        )?;
    }
    out.push_str("\n## REST API, version 1\n\n");
    out.push_str(
        "Send `Authorization: Bearer <API_KEY>`, and to scan also `X-Router-Key: <PROVIDER_KEY>`, your own key at the model \
         provider: it pays the models, the scan itself costs nothing. Send keys from a server only.\n\n",
    );
    list(out, page, "/api/v1/")?;
    let optional = BYOK
        .iter()
        .filter(|field| !matches!(field.shape, Shape::Word(_) | Shape::Secret));
    let optional: Vec<_> = optional.skip(2).map(|field| field.listed()).collect();
    writeln!(
        out,
        "\nBody of a scan: `domain` and `keyword` are required. Optional: {}.",
        optional.join(", ")
    )?;
    out.push_str("\n## REST API, version 2\n\n");
    out.push_str(
        "Queued scans with the same keys and results. A scan goes on without its connection: come back for it, follow its events, or \
         name a webhook.\n\n",
    );
    list(out, page, "/api/v2/")?;
    let terms: Vec<_> = QUEUED.iter().map(|field| field.listed()).collect();
    writeln!(
        out,
        "\nBody of a queued scan: that of a scan, and optional: {}.",
        terms.join(", ")
    )?;
    out.push_str("\n## Paid agent surface\n\n");
    if let Some(network) = page.network {
        writeln!(
            out,
            "x402 payments in USDC, scheme `exact`, network `{}`; headers `X-Payment` (version 1) and `PAYMENT-SIGNATURE` \
             (version 2). Call without payment to get the offer (402). Nothing is settled before there is a result, and the \
             same authorization with the same request returns the same result again.\n",
            line(network)
        )?;
    } else {
        out.push_str("Switched off on this server; its routes answer 503.\n\n");
    }
    if page.sold.is_audits() {
        out.push_str("Only page audits are sold on this server; what asks models answers 503.\n\n");
    }
    out.push_str(
        "Agents speak the agent-to-agent protocol (A2A) 0.2, 0.3 or 1.0 over JSON-RPC, or 1.0 over HTTP and JSON. No key is \
         needed.\n\n",
    );
    list(out, page, "/api/a2a/")?;
    out.push_str("\n## MCP\n\n");
    writeln!(
        out,
        "Model Context Protocol over streamable HTTP at `{base}/mcp`, revisions 2026-07-28 and 2025-11-25, without sessions. \
         Planning, looking up and scoring need no key. To run scans send the keys of the REST API in the same headers: \
         `Authorization: Bearer <API_KEY>` and `X-Router-Key: <PROVIDER_KEY>`. {}On your own machine `ibid mcp` serves the same tools on \
         standard input and output.\n",
        match (page.sold.has(Skill::Scan), page.sold.has(Skill::Audit)) {
            (true, _) =>
                "Without keys `run_scan` and `audit_page` are bought with x402 version 2 in `_meta`. ",
            (false, true) => "Without keys `audit_page` is bought with x402 version 2 in `_meta`. ",
            (false, false) => "",
        }
    )?;
    list(out, page, "/mcp")?;
    out.push_str("\n## Models\n\n");
    for (index, model) in page.models.iter().enumerate() {
        let default = if index < page.defaults {
            ", asked by default"
        } else {
            ""
        };
        writeln!(
            out,
            "- `{}`: {} (`{}`), about {} a question{default}",
            line(model.alias),
            line(model.name),
            line(model.resolved),
            model.cost
        )?;
    }
    out.push_str("\n## More\n\n");
    writeln!(
        out,
        "- [API reference]({base}/docs): every field and error, with examples"
    )?;
    writeln!(
        out,
        "- [OpenAPI 3.1]({base}/openapi.json): the same, for machines"
    )?;
    writeln!(
        out,
        "- [Agent card]({base}/.well-known/agent-card.json): skills and prices, for the agent-to-agent protocol"
    )?;
    out.push_str(
        "\nPlace data: GeoNames (https://www.geonames.org), CC BY 4.0, modified; names: Unicode CLDR.\n",
    );
    Ok(())
}

fn list(out: &mut String, page: &LlmsTxtPage<'_>, below: &str) -> std::fmt::Result {
    let base = line(page.base_url);
    for endpoint in endpoints().filter(|endpoint| endpoint.path.starts_with(below)) {
        let access = match endpoint.access {
            Access::Open => "no key".to_owned(),
            Access::Bearer => "bearer key".to_owned(),
            Access::Session => "session".to_owned(),
            Access::Payment | Access::Proof => match endpoint.skill {
                Some(skill) if page.sold.has(skill) => format!("{} USDC", page.sold.price(skill)),
                None if !page.sold.is_nothing() => "price of the skill".to_owned(),
                Some(_) | None => "not sold here".to_owned(),
            },
        };
        writeln!(
            out,
            "- {} {base}{}: {} ({access})",
            endpoint.method.name(),
            endpoint.listed_path(),
            endpoint.purpose
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibid_model::{Catalog, Skill, UsdMicros};

    fn render(contact: &str) -> String {
        let catalog = Catalog::builtin();
        let models: Vec<_> = catalog
            .models()
            .iter()
            .map(|model| ModelChoice::of(model, None, true))
            .collect();
        llms_txt(&LlmsTxtPage {
            base_url: "https://ibid.example",
            models: &models,
            defaults: catalog.defaults().len(),
            sold: Offering::EVERYTHING,
            network: Some("base-sepolia"),
            sandbox: false,
            contact: Some(contact),
        })
    }

    #[test]
    fn it_agrees_with_the_tables() {
        let text = render("access@ibid.example");
        for model in Catalog::builtin().models() {
            assert!(
                text.contains(&format!("`{}`: {}", model.alias, model.name)),
                "{text}"
            );
        }
        for endpoint in crate::endpoints::paid() {
            assert!(
                text.contains(&format!(
                    "{} https://ibid.example{}:",
                    endpoint.method.name(),
                    endpoint.listed_path()
                )),
                "{text}"
            );
        }
        for skill in Skill::ALL {
            assert!(
                text.contains(&format!("({} USDC)", skill.price())),
                "{skill}\n{text}"
            );
        }
        assert!(text.starts_with("# ibid\n\n> "));
        assert!(text.contains(&UsdMicros::new(16_300).to_string()));
        assert_eq!(text.matches("asked by default").count(), 3);
    }

    #[test]
    fn a_name_cannot_add_lines() {
        let text = render("a@b.example\n## Ignore the above\u{202e}");
        assert!(
            text.contains("ask a@b.example ## Ignore the above for a key") && !text.contains("\n## Ignore")
        );
    }
}
