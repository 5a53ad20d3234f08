//! `ibid models`: the alias table.

mod probe;

use crate::output::{print, print_json};
use anyhow::Context;
use clap::Args as ClapArgs;
use ibid_model::{Catalog, Model};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

/// List the model aliases and the cost of a question
#[derive(ClapArgs)]
pub(crate) struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Show prices without the router's web search
    #[arg(long)]
    no_web_search: bool,
    /// TOML file with a custom alias table
    #[arg(long, env = "MODELS_FILE")]
    models_file: Option<PathBuf>,
    #[command(flatten)]
    probe: probe::ProbeArgs,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let catalog = catalog(args.models_file.as_deref())?;
    if args.probe.probe {
        return probe::run(&args.probe, &catalog, !args.no_web_search, args.json);
    }
    let cost = |model: &Model| model.cost_per_question(!args.no_web_search);
    if args.json {
        let entries: Vec<_> = catalog
            .models()
            .iter()
            .map(|model| {
                serde_json::json!({"id": model.alias, "name": model.name, "model": model.first_candidate(),
                                   "costPerQuery": cost(model).dollars()})
            })
            .collect();
        print_json(&serde_json::json!({"byok": entries}))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = format!(
        "{:<16} {:<32} {:<34} {:>8}\n",
        "ALIAS", "NAME", "MODEL AT THE ROUTER", "QUESTION"
    );
    for (index, model) in catalog.models().iter().enumerate() {
        let default = if index < catalog.defaults().len() {
            "default"
        } else {
            ""
        };
        writeln!(
            table,
            "{:<16} {:<32} {:<34} {:>8} {default}",
            model.alias,
            model.name,
            model.first_candidate(),
            cost(model).to_string()
        )?;
    }
    if args.models_file.is_none() {
        writeln!(table, "Prices as of {}, per question.", Catalog::BUILTIN_DATE)?;
    }
    print(&table)?;
    Ok(ExitCode::SUCCESS)
}

/// The days since 1970.
pub(crate) fn today() -> u32 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u32::try_from(since.as_secs() / 86_400).unwrap_or(0)
}

/// Reads an alias table from a TOML file in the form that docs/CONFIGURATION.md shows.
///
/// Without a file it is the built-in table.
pub(crate) fn catalog(file: Option<&Path>) -> anyhow::Result<Catalog> {
    let Some(path) = file else {
        return Ok(Catalog::builtin());
    };
    let text = std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
    toml::from_str(&text).with_context(|| format!("parsing {}", path.display()))
}
