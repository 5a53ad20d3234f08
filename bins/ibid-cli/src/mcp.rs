//! `ibid mcp`: the MCP server on standard input and output, for a host on this machine.
//!
//! Offers the tools that a server has at `/mcp`. The caller is this machine's user.
//! A provider key from the environment pays the models, and results go to a file that the user chooses.

use crate::router::RouterOptions;
use anyhow::Context;
use clap::Args as ClapArgs;
use ibid_audit::Auditor;
use ibid_audit::fetch::FetchConfig;
use ibid_engine::plan::PlanOptions;
use ibid_mcp::{McpCaller, McpServer, serve_stdio};
use ibid_provider::{Provider, ProviderKey, Sandbox};
use ibid_service::{CallerId, Pages, ServiceSettings};
use ibid_store::Store;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// Serve the tools to an MCP host on standard input and output
///
/// The provider key comes from the environment variable ROUTER_API_KEY. Without it, and without --sandbox, tools that ask
/// no model work.
#[derive(ClapArgs)]
pub(crate) struct Args {
    /// Use invented answers: no key, no cost
    #[arg(long)]
    sandbox: bool,
    /// Day of the invented world, in days since 1970; default: today
    #[arg(long, env = "SANDBOX_DAY")]
    sandbox_day: Option<u32>,
    /// File for the results; without it they are forgotten when the host closes the connection
    #[arg(long, value_name = "FILE", env = "IBID_MCP_STORE")]
    store: Option<PathBuf>,
    #[command(flatten)]
    router: RouterOptions,
    /// Do not use the router's web search
    #[arg(long)]
    no_web_search: bool,
    /// TOML file with a custom alias table
    #[arg(long, env = "MODELS_FILE")]
    models_file: Option<PathBuf>,
    /// Maximum number of questions of a scan
    #[arg(long, default_value_t = 1_000)]
    max_questions: u32,
}

/// Time for open runs to end after the host has closed the connection.
const DRAIN: Duration = Duration::from_secs(1);

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let catalog = crate::models::catalog(args.models_file.as_deref())?;
    let store: Arc<Store> = match &args.store {
        Some(path) => Arc::new(Store::in_file(path).with_context(|| format!("opening {}", path.display()))?),
        None => Arc::new(Store::in_memory()?),
    };
    let (provider, key) = args.provider()?;
    let auditor = Auditor::new(FetchConfig::default()).context("opening the page fetcher")?;
    let pages = match args.sandbox {
        true => Pages::Invented(auditor),
        false => Pages::Web(auditor),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let settings = ServiceSettings {
        catalog,
        plan_options: PlanOptions {
            web_search: !args.no_web_search,
            most_questions: args.max_questions,
        },
        pages: Some(pages),
        ..ServiceSettings::new(provider, Arc::clone(&store))
    };
    let service = settings.start(runtime.handle().clone());
    let caller = McpCaller::Holder {
        id: CallerId::api(),
        key,
    };
    let server = McpServer::new(service.clone()).of(caller);
    let served = runtime.block_on(async {
        let served = serve_stdio(server).await;
        service.drain(DRAIN).await;
        served
    });
    // Reading standard input cannot be interrupted, so the runtime does not wait for its thread.
    runtime.shutdown_background();
    drop(service);
    drop(store);
    served?;
    Ok(ExitCode::SUCCESS)
}

impl Args {
    fn provider(&self) -> anyhow::Result<(Arc<dyn Provider>, Option<ProviderKey>)> {
        if self.sandbox {
            let day = self.sandbox_day.unwrap_or_else(crate::models::today);
            return Ok((Arc::new(Sandbox::new(1).with_day(day)), Some("sandbox".parse()?)));
        }
        self.router.open()
    }
}
