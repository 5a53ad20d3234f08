//! `ibid models --probe`: one cheap question to each alias.

use crate::output::show;
use crate::router::{self, RouterOptions};
use anyhow::Context;
use clap::Args;
use ibid_model::Catalog;
use ibid_model::result::Searched;
use ibid_provider::{Probe, Router, Sandbox, available, probe_all};
use std::fmt::Write as _;
use std::process::ExitCode;

/// Settings of the probe.
#[derive(Args)]
pub(super) struct ProbeArgs {
    /// Ask each alias one cheap question: can it be reached, does it search, what does it cost. ROUTER_API_KEY pays
    #[arg(long)]
    pub(super) probe: bool,
    /// Probe the sandbox: no key, no cost
    #[arg(long, requires = "probe")]
    sandbox: bool,
    #[command(flatten)]
    router: RouterOptions,
}

/// Probes every alias and prints a table or JSON. The exit code is 1 if an alias breaks its contract.
pub(super) fn run(
    args: &ProbeArgs,
    catalog: &Catalog,
    web_search: bool,
    json: bool,
) -> anyhow::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let (probes, catalog) = runtime.block_on(probe(args, catalog, web_search))?;
    let kept = probes
        .iter()
        .zip(catalog.models())
        .all(|(probe, model)| probe.keeps_contract(model, web_search));
    let table = table(&probes)?;
    show(json, &serde_json::json!({"probes": probes}), || table)?;
    Ok(if kept {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Reads the router's model list, so that the candidates in use are probed, and asks them.
async fn probe(
    args: &ProbeArgs,
    catalog: &Catalog,
    web_search: bool,
) -> anyhow::Result<(Vec<Probe>, Catalog)> {
    if args.sandbox {
        let probes = probe_all(
            &Sandbox::new(1),
            &"sandbox".parse()?,
            catalog.models(),
            web_search,
        )
        .await;
        return Ok((probes, catalog.clone()));
    }
    let key = router::key()?.context("set ROUTER_API_KEY to your provider key, or use --sandbox")?;
    let router = Router::new(&args.router.config())?;
    let catalog = match router.models(Some(&key)).await {
        Ok(models) => available(catalog, &models),
        // A router without a list is asked with the unchanged table; the probe itself shows failures.
        Err(_) => catalog.clone(),
    };
    let probes = probe_all(&router, &key, catalog.models(), web_search).await;
    Ok((probes, catalog))
}

fn table(probes: &[Probe]) -> anyhow::Result<String> {
    let mut table = format!(
        "{:<16} {:<26} {:<34} {:<9} {:<10} {:<13} {:>9} {:>9}\n",
        "ALIAS", "REACHABLE", "MODEL", "SEARCHED", "ENGINE", "PLACE", "ESTIMATE", "BILLED"
    );
    for probe in probes {
        let searched = match probe.searched {
            Some(Searched::Yes) => "yes",
            Some(Searched::No) => "no",
            Some(Searched::Unknown) => "unknown",
            None => "-",
        };
        writeln!(
            table,
            "{:<16} {:<26} {:<34} {searched:<9} {:<10} {:<13} {:>9} {:>9}",
            probe.alias,
            probe.error.unwrap_or("yes"),
            plain(probe.resolved.as_deref().unwrap_or(&probe.model)),
            probe.engine.as_deref().unwrap_or("-"),
            probe.place.map_or("-", |place| place.as_str()),
            probe.estimated.to_string(),
            probe
                .billed
                .map_or_else(|| "-".to_owned(), |cost| cost.to_string()),
        )?;
    }
    Ok(table)
}

/// A name of a provider without characters that steer a terminal.
fn plain(name: &str) -> String {
    name.chars().filter(|character| !character.is_control()).collect()
}
