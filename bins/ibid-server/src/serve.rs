//! Opens the adapters and runtimes, listens, and drains runs at the end.

use crate::descriptors::Shares;
use crate::sandbox_agency::SandboxAgency;
use crate::sandbox_history::SandboxHistory;
use crate::settings::{Role, Settings};
use crate::signals::Signals;
use crate::{catalog, database, demonstration, evidence, payments, probe, sandbox_account};
use actix_web::dev::{Server, ServerHandle};
use actix_web::{App, HttpServer};
use anyhow::Context;
use ibid_audit::Auditor;
use ibid_audit::fetch::{AllowList, FetchConfig};
use ibid_engine::plan::PlanOptions;
use ibid_http::{Bodies, BodyLimits, HttpConfig, Metrics, ServerLimits, Shutdown, metrics_routes};
use ibid_provider::{Provider, Router, Sandbox};
use ibid_service::{
    EvidenceSettings, EvidenceStore, Mailer, Messenger, MessengerConfig, OpenId, Pages, Paid, PeopleSettings,
    SandboxMailer, Service, ServiceSettings, SignInTerms, WebhookSettings, WorkspaceRuns,
};
use std::convert::Infallible;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::runtime::{Builder, Handle, Runtime};
use url::Url;

/// Seed of the sandbox: on one day the same questions get the same answers on every machine.
const SANDBOX_SEED: u64 = 1;

/// Threads for calls of the store. SQLite has one writer and a few readers, so more threads would only wait.
const BLOCKING_THREADS: usize = 8;
/// Threads that look up the names of router and facilitator, and hash passwords.
const LOOK_UP_THREADS: usize = 16;

/// Builds the runtime that scores answers, with one thread for each processor.
fn scoring() -> std::io::Result<Runtime> {
    Builder::new_multi_thread()
        .thread_name("ibid-score")
        // No code on this runtime uses blocking threads.
        .max_blocking_threads(1)
        .build()
}

/// Settings of the page fetcher. `AUDIT_TEST_ALLOW` opens single addresses for tests, on loopback only.
fn fetching(settings: &Settings) -> anyhow::Result<FetchConfig> {
    let mut config = FetchConfig::default();
    if let Ok(list) = std::env::var("AUDIT_TEST_ALLOW")
        && !list.trim().is_empty()
    {
        config.allow_list =
            AllowList::for_tests(&list, settings.bind.ip()).context("reading AUDIT_TEST_ALLOW")?;
        tracing::warn!(hint = "unset AUDIT_TEST_ALLOW outside tests", "audit.test_allow");
    }
    Ok(config)
}

/// Builds the runtime for the store. Its blocking threads are separate, because look-ups of names also block threads.
fn storage() -> std::io::Result<Runtime> {
    Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("ibid-store")
        .max_blocking_threads(BLOCKING_THREADS)
        .build()
}

/// What a server does once at its start.
#[derive(Clone, Copy)]
pub(crate) struct AtStart {
    /// Runs the demonstration scan.
    pub(crate) demonstration: bool,
    /// Asks every model one question.
    pub(crate) probe: bool,
}

/// Opens the adapters, serves until a signal stops the server, and waits for open runs.
///
/// # Errors
/// The store, a port or the router cannot be used.
pub(crate) fn serve(settings: Settings, descriptors: Shares, start: AtStart) -> anyhow::Result<()> {
    // A second process on the same port ends here, before it could change the schema under the first.
    let listener =
        TcpListener::bind(settings.bind).with_context(|| format!("listening on {}", settings.bind))?;
    let store = database::open(&settings)?;
    // Kept until the end.
    let _presence = announce(&settings, &store);
    let router = if settings.sandbox {
        None
    } else {
        Some(Arc::new(Router::new(&settings.router())?))
    };
    let provider: Arc<dyn Provider> = match &router {
        Some(router) => Arc::clone(router) as Arc<dyn Provider>,
        None => Arc::new(
            Sandbox::new(SANDBOX_SEED)
                .with_day(settings.web.sandbox_day)
                .with_proposals(ibid_engine::plan::sample_questions)
                .with_latency(settings.web.sandbox_latency),
        ),
    };
    let probed = Arc::clone(&provider);
    let paid = payments::open(&settings)?;
    let account = sandbox_account::open(&settings, &store).context("opening the sandbox account")?;
    let history = account
        .as_ref()
        .map(|account| SandboxHistory::of(&store, account.id(), (SANDBOX_SEED, &settings)))
        .transpose()
        .context("reading the history of the sandbox account")?;
    let agency = account
        .as_ref()
        .map(|account| SandboxAgency::of(account.id(), SANDBOX_SEED));
    let auditor = Auditor::new(fetching(&settings)?).context("opening the page fetcher")?;
    let pages = if settings.sandbox {
        Pages::Invented(auditor)
    } else {
        Pages::Web(auditor)
    };
    let messenger = Messenger::new(MessengerConfig {
        allow_list: settings.web.webhook_allow.clone(),
        ..MessengerConfig::default()
    })
    .context("opening the sender of webhooks")?;
    let evidence = evidence::open(&settings)?;
    let runtime = Builder::new_multi_thread()
        .enable_all()
        .thread_name("ibid")
        .max_blocking_threads(LOOK_UP_THREADS)
        .build()?;
    let scoring = scoring()?;
    let storage = storage()?;
    let service = build_service(
        &settings,
        provider,
        Arc::clone(&store),
        Ports {
            paid,
            pages,
            webhooks: WebhookSettings::new(messenger).with_people(people(&settings)),
            evidence,
        },
        Runtimes {
            work: runtime.handle().clone(),
            scoring: scoring.handle().clone(),
            storage: storage.handle().clone(),
        },
    );
    payments::compare_with_prices(&settings, &service);
    if let Some(history) = &history {
        history.name_sample(&service);
    }
    let probe = probe::at_start(
        runtime.handle(),
        (&settings, start.probe),
        probed,
        service.clone(),
    );
    // Runs before the first misspelt place, which would otherwise wait for it.
    scoring.spawn(async { ibid_engine::plan::warm_up() });
    if let Some(router) = router {
        let table = catalog::Table {
            builtin: settings.catalog.clone(),
            service: service.clone(),
            key: settings.paid.router_key.clone(),
        };
        catalog::keep_current(runtime.handle(), router, table, probe);
    } else {
        probe();
    }
    let metrics = settings
        .metrics_bind
        .map(|bind| TcpListener::bind(bind).with_context(|| format!("listening on {bind} for metrics")));
    let listeners = Listeners {
        public: listener,
        metrics: metrics.transpose()?,
        most: descriptors.connections,
    };
    if let Some(account) = account {
        account.show(&settings);
    }
    if settings.paid.router_key.is_none() {
        tracing::warn!(
            hint = "set ROUTER_API_KEY; without it the workspace cannot scan, and there is no free question",
            "config.router_key.missing"
        );
    }
    if settings.web.run_keys.is_none() {
        tracing::warn!(
            hint = "make a file with ibid-server run-key and set RUN_KEY_FILE; without it /api/v2 queues no scan with a caller's key",
            "config.run_key.missing"
        );
    }
    let outcome = runtime.block_on(listen(
        &settings,
        service,
        listeners,
        (start.demonstration, history.zip(agency)),
    ));
    // The store is dropped last: database drivers must not be dropped on a runtime thread.
    drop(runtime);
    drop(scoring);
    drop(storage);
    drop(store);
    outcome
}

/// Messages to people. The sandbox writes its mails to the log, unless a server is named.
fn people(settings: &Settings) -> PeopleSettings {
    let mailer = match &settings.web.mail {
        Some(mailer) => Some(Arc::clone(mailer) as Arc<dyn Mailer>),
        None if settings.sandbox => Some(Arc::<SandboxMailer>::default() as Arc<dyn Mailer>),
        None => None,
    };
    PeopleSettings {
        base_url: settings.base_url.clone(),
        mailer,
    }
}

/// Announces to other processes of the same SQLite file that this one serves it.
/// Without the announcement, leases of ended processes end by time.
fn announce(settings: &Settings, store: &ibid_store::Store) -> Option<ibid_store::Presence> {
    match ibid_store::Presence::announce(&settings.store, store) {
        Ok(presence) => {
            if presence.freed() > 0 {
                tracing::info!(steps = presence.freed(), "run.leases.ended");
            }
            Some(presence)
        }
        Err(error) => {
            tracing::warn!(%error, "run.presence.failed");
            None
        }
    }
}

/// Runtimes of the service.
struct Runtimes {
    work: Handle,
    scoring: Handle,
    storage: Handle,
}

/// Adapters for payments, page audits, webhooks and evidence.
struct Ports {
    paid: Option<Paid>,
    pages: Pages,
    webhooks: WebhookSettings,
    evidence: Option<EvidenceStore>,
}

fn build_service(
    settings: &Settings,
    provider: Arc<dyn Provider>,
    store: Arc<ibid_store::Store>,
    ports: Ports,
    runtimes: Runtimes,
) -> Service {
    let service = ServiceSettings {
        catalog: settings.catalog.clone(),
        plan_options: PlanOptions {
            web_search: settings.web_search,
            most_questions: settings.most_questions,
        },
        width: settings.width,
        scoring: Some(runtimes.scoring),
        storage: Some(runtimes.storage),
        limit_mode: settings.limit_mode,
        retain_answers: settings.retain_answers,
        project_answers_days: settings.project_answers_days,
        pages: Some(ports.pages),
        webhooks: Some(ports.webhooks),
        queue: settings
            .engine
            .queue(settings.web.run_keys.clone(), settings.width),
        sign_in: SignInTerms {
            passwords: settings.web.passwords,
            openid: settings.web.openid.clone().map(OpenId::new),
        },
        workspace: Some(WorkspaceRuns {
            key: settings.paid.router_key.clone(),
            most_cost: settings.web.most_cost,
        }),
        demo: settings.demo(),
        looks: Some(settings.looks()),
        evidence: ports.evidence.map(EvidenceSettings::new),
        #[cfg(feature = "pdf")]
        printer: Some(Arc::new(ibid_http::PdfPrinter)),
        paid: ports.paid,
        ..ServiceSettings::new(provider, store)
    };
    service.start(runtimes.work)
}

/// Sockets that accept connections.
struct Listeners {
    public: TcpListener,
    /// Socket for `/metrics`, which only the operator reaches.
    metrics: Option<TcpListener>,
    /// Most public connections. Others wait until one is closed.
    most: usize,
}

async fn listen(
    settings: &Settings,
    service: Service,
    listeners: Listeners,
    (with_demo, past): (bool, Option<(SandboxHistory, SandboxAgency)>),
) -> anyhow::Result<()> {
    let address = listeners.public.local_addr()?;
    let (metrics, shutdown) = (Metrics::default(), Shutdown::default());
    let config = HttpConfig {
        api_key: settings.api_key.clone(),
        base_url: settings.base_url.clone(),
        contact_email: settings.contact_email.clone(),
        cors_origins: settings.paid.cors_origins.clone(),
        trusted_proxies: settings.web.trusted_proxies.clone(),
        bodies: Bodies::new(BodyLimits::default()),
        shutdown: shutdown.clone(),
        metrics: metrics.clone(),
        card_key: settings.web.card_key.clone(),
        health_only: settings.engine.role == Role::Worker,
    };
    if settings.api_key_is_short {
        tracing::warn!(
            hint = "set SERVICE_API_KEY to a longer one, such as that of openssl rand -hex 24",
            "config.api_key.short"
        );
    }
    if config.api_key.is_none() {
        tracing::warn!(
            hint = "set SERVICE_API_KEY, or make keys with ibid-server key add; without either the v1 scan endpoints answer 401",
            "config.api_key.missing"
        );
    }
    let routes = ibid_http::routes(service.clone(), config);
    let limits = ServerLimits {
        connections: listeners.most,
        drain: settings.drain,
        ..ServerLimits::default()
    };
    let server = ibid_http::serve(listeners.public, routes, shutdown.clone(), limits)?;
    let stop = stop_on_signal(server.handle(), shutdown.clone(), settings.web.stop_after)?;
    let stopped = AtomicBool::new(false);
    let server = async {
        let served = tokio::select! {
            served = server => served,
            never = stop => match never {},
        };
        stopped.store(true, Ordering::Relaxed);
        served
    };
    tracing::info!(%address, sandbox = settings.sandbox, store = %settings.store, "server.listening");
    invite(&settings.base_url, &service).await?;
    let serving = async {
        // The server already accepts connections; the demonstration is one more caller.
        let sandbox = async {
            if with_demo {
                demonstration::show(&service, settings).await?;
            }
            if let Some((history, agency)) = &past {
                history.add(&service, &stopped).await;
                agency.add(&service, &stopped).await;
            }
            Ok::<_, anyhow::Error>(())
        };
        let (shown, served) = tokio::join!(sandbox, server);
        shown?;
        served?;
        if !shutdown.is_announced() {
            tracing::error!("server.ended");
        }
        let open = service.drain(settings.drain).await;
        if open > 0 {
            tracing::warn!(open, "server.stopped_with_open_runs");
        }
        Ok(())
    };
    let Some(listener) = listeners.metrics else {
        return serving.await;
    };
    let beside = measure(&service, metrics, listener)?;
    let handle = beside.handle();
    // Metrics stay readable until the last run has ended.
    let serving = async {
        let outcome = serving.await;
        handle.stop(false).await;
        outcome
    };
    let (outcome, measured) = tokio::join!(serving, beside);
    outcome.and(measured.context("serving metrics"))
}

/// Prints the address to open: the page of the first account if there is no account, otherwise the home page.
/// Logs leave the link out, because its token opens an account.
#[expect(clippy::print_stdout, reason = "the link is for the person at the terminal")]
async fn invite(base_url: &Url, service: &Service) -> anyhow::Result<()> {
    let base = base_url.as_str().trim_end_matches('/');
    let token = service
        .accounts
        .open_first_run()
        .await
        .context("looking for accounts")?;
    match token {
        Some(token) => {
            println!(
                "There is no account yet. Open {base}/first-run/{token} to make the first one; the link works once, within a day."
            );
        }
        None => println!("Open {base}/"),
    }
    Ok(())
}

/// Stops the server on SIGTERM, SIGINT or SIGQUIT. First it is not ready; `after` later it accepts no connections.
/// A second signal ends the wait.
/// The future is polled together with the server, and dropped when the server has ended.
fn stop_on_signal(
    server: ServerHandle,
    shutdown: Shutdown,
    after: Duration,
) -> anyhow::Result<impl Future<Output = Infallible>> {
    let mut signals = Signals::listen().context("listening for signals")?;
    Ok(async move {
        signals.next().await;
        shutdown.announce();
        tracing::info!(stops_in = ?after, "server.stopping");
        // The second signal and the end of the time mean the same.
        let _ = tokio::time::timeout(after, signals.next()).await;
        shutdown.stop();
        server.stop(true).await;
        std::future::pending().await
    })
}

/// Serves `/metrics` on a separate address.
fn measure(service: &Service, metrics: Metrics, listener: TcpListener) -> anyhow::Result<Server> {
    let address = listener.local_addr()?;
    let routes = metrics_routes(service.clone(), metrics);
    let server = HttpServer::new(move || App::new().configure(routes.clone()))
        .workers(1)
        .listen(listener)?
        .disable_signals()
        .run();
    tracing::info!(%address, "metrics.listening");
    Ok(server)
}
