//! The real server on a port of its own.

use actix_web::dev::ServerHandle;
use ibid_audit::Auditor;
use ibid_audit::fetch::FetchConfig;
use ibid_http::{
    ApiKey, Bodies, BodyLimits, CorsOrigins, HttpConfig, Metrics, ServerLimits, Shutdown, TrustedProxies,
};
use ibid_provider::{Provider, Sandbox};
use ibid_service::{
    DemoTerms, EngineSettings, Messenger, MessengerConfig, Pages, Paid, QueueSettings, RunKeys, Service,
    ServiceSettings, WebhookSettings, WorkspaceRuns,
};
use ibid_store::Store;
use ibid_x402::{ChainReader, Facilitator};
use std::net::TcpListener;
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::runtime;

/// The bearer key of every test server.
pub const API_KEY: &str = "test-api-key";
/// The provider key of every well-behaved caller.
pub const PROVIDER_KEY: &str = "test-provider-key";

/// A server on a port of its own, stopped on drop. It runs on threads of its own, like the real program.
pub struct TestServer {
    /// `http://127.0.0.1:port`.
    pub url: String,
    /// The service behind it.
    pub service: Service,
    /// The store behind that.
    pub store: Arc<Store>,
    /// The bodies that it holds.
    pub bodies: Bodies,
    shutdown: Shutdown,
    handle: ServerHandle,
    thread: Option<JoinHandle<()>>,
}

/// The settings that a test may choose.
pub struct Setup {
    provider: Arc<dyn Provider>,
    store: Arc<Store>,
    api_key: Option<ApiKey>,
    base_url: &'static str,
    bodies: BodyLimits,
    unread: Duration,
    tune: Box<dyn FnOnce(&mut ServiceSettings) + Send>,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            provider: Arc::new(Sandbox::new(7)),
            store: crate::database::passing(),
            api_key: Some(ApiKey::new(API_KEY)),
            base_url: "http://ibid.test",
            bodies: BodyLimits::default(),
            unread: ServerLimits::default().unread,
            tune: Box::new(|_| ()),
        }
    }
}

impl Setup {
    /// Another provider than the sandbox.
    #[must_use]
    pub fn provider(mut self, provider: Arc<dyn Provider>) -> Self {
        self.provider = provider;
        self
    }

    /// Another store than one in memory.
    #[must_use]
    pub fn store(mut self, store: Arc<Store>) -> Self {
        self.store = store;
        self
    }

    /// No bearer key configured.
    #[must_use]
    pub fn without_api_key(mut self) -> Self {
        self.api_key = None;
        self
    }

    /// Another address under which the server believes to be reached.
    #[must_use]
    pub fn base_url(mut self, base_url: &'static str) -> Self {
        self.base_url = base_url;
        self
    }

    /// Other bounds on the bodies of requests.
    #[must_use]
    pub fn bodies(mut self, bodies: BodyLimits) -> Self {
        self.bodies = bodies;
        self
    }

    /// Another patience with clients that do not read.
    #[must_use]
    pub fn unread(mut self, unread: Duration) -> Self {
        self.unread = unread;
        self
    }

    /// Scans for accounts, paid with the operator's key, of little patience.
    #[must_use]
    pub fn workspace(self) -> Self {
        self.tune(|service| {
            service.workspace = Some(WorkspaceRuns::new("test-operator-key".parse().expect("a key")))
        })
    }

    /// A paid surface in front of this facilitator.
    #[must_use]
    pub fn selling(self, facilitator: Arc<dyn Facilitator>) -> Self {
        let auditor = Auditor::new(FetchConfig::default()).expect("an auditor");
        self.tune(|service| {
            service.paid = Some(crate::buyer::paid(facilitator));
            service.pages = Some(Pages::Invented(auditor));
        })
    }

    /// A paid surface in front of this facilitator, with a reader of the chain.
    #[must_use]
    pub fn selling_by(self, facilitator: Arc<dyn Facilitator>, chain: Arc<dyn ChainReader>) -> Self {
        let auditor = Auditor::new(FetchConfig::default()).expect("an auditor");
        self.tune(|service| {
            let paid = Paid {
                chain: Some(chain),
                ..crate::buyer::paid(facilitator)
            };
            service.paid = Some(paid);
            service.pages = Some(Pages::Invented(auditor));
        })
    }

    /// Other settings of the service, besides those chosen before.
    #[must_use]
    pub fn tune(mut self, tune: impl FnOnce(&mut ServiceSettings) + Send + 'static) -> Self {
        let before = self.tune;
        self.tune = Box::new(|service| {
            before(service);
            tune(service);
        });
        self
    }

    /// Starts the server.
    #[must_use]
    pub fn spawn(self) -> TestServer {
        let (started_in, started) = std::sync::mpsc::channel();
        let store = Arc::clone(&self.store);
        let bodies = Bodies::new(self.bodies);
        let held = bodies.clone();
        let shutdown = Shutdown::default();
        let announced = shutdown.clone();
        let thread = std::thread::spawn(move || {
            // As few threads for the store as in the real program, so that a crowd queues as it does there.
            let runtime = runtime::Builder::new_multi_thread()
                .enable_all()
                .max_blocking_threads(8)
                .build();
            let runtime = runtime.expect("a runtime");
            let mut settings = ServiceSettings {
                demo: Some(DemoTerms {
                    key: PROVIDER_KEY.parse().expect("a key"),
                    per_address: 100,
                    per_day: 1_000,
                }),
                webhooks: Some(WebhookSettings::new(messenger())),
                queue: QueueSettings {
                    keys: Some(Arc::new(RunKeys::random().expect("random bytes"))),
                    engine: EngineSettings {
                        lease: Duration::from_millis(1_500),
                        ..EngineSettings::default()
                    },
                    ..QueueSettings::default()
                },
                ..ServiceSettings::new(self.provider, Arc::clone(&self.store))
            };
            (self.tune)(&mut settings);
            let service = settings.start(runtime.handle().clone());
            let config = HttpConfig {
                card_key: None,
                health_only: false,
                api_key: self.api_key,
                base_url: self.base_url.parse().expect("an address"),
                contact_email: Some("access@ibid.test".to_owned()),
                cors_origins: CorsOrigins::parse("https://wallet.test").expect("an origin"),
                trusted_proxies: TrustedProxies::parse("127.0.0.1").expect("a proxy"),
                bodies: held,
                shutdown: announced.clone(),
                metrics: Metrics::default(),
            };
            let routes = ibid_http::routes(service.clone(), config);
            runtime.block_on(async move {
                let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
                let address = listener.local_addr().expect("an address");
                let limits = ServerLimits {
                    workers: 2,
                    unread: self.unread,
                    ..ServerLimits::default()
                };
                let server =
                    ibid_http::serve(listener, routes, announced, limits).expect("a server on the socket");
                started_in
                    .send((address, service, server.handle()))
                    .expect("the test waits");
                server.await.expect("the server ends well");
            });
        });
        let (address, service, handle) = started.recv().expect("the server starts");
        TestServer {
            url: format!("http://{address}"),
            service,
            store,
            bodies,
            shutdown,
            handle,
            thread: Some(thread),
        }
    }
}

/// The messenger of servers that allow no private address. All share one, because it reads the certificates of the system.
fn messenger() -> Messenger {
    static SHARED: OnceLock<Messenger> = OnceLock::new();
    let new = || Messenger::new(MessengerConfig::default()).expect("a messenger");
    SHARED.get_or_init(new).clone()
}

impl TestServer {
    /// A server in the sandbox.
    #[must_use]
    pub fn spawn() -> Self {
        Setup::default().spawn()
    }

    /// Stops the server as a signal does, and waits until its last connection has ended.
    pub async fn stop(&self) {
        self.shutdown.stop();
        self.handle.stop(true).await;
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        let stopped = self.handle.stop(false);
        // The stop command is sent when the future is made; waiting for it needs no runtime of its own here.
        drop(stopped);
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(
                ended.is_ok() || std::thread::panicking(),
                "the server thread panicked"
            );
        }
    }
}
