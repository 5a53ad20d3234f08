//! A real OpenAI-compatible router for tests: scripted, on a port of its own, and with a good memory.
//!
//! It answers by script (of the key, else of the model, else a plain answer), breaks where the script says so,
//! and keeps every request with its headers and its end. It is stopped when dropped.

mod log;
mod script;
mod serve;

pub use log::{Attempt, End, Log};
pub use script::{Reply, Script};

use actix_web::dev::ServerHandle;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::Notify;
use url::Url;

/// A router that says what it is told to.
pub struct FakeRouter {
    state: Arc<State>,
    port: u16,
    handle: ServerHandle,
    thread: Option<JoinHandle<()>>,
}

impl FakeRouter {
    /// Starts one. Every question gets a plain answer until told otherwise.
    ///
    /// # Panics
    /// If no port is free.
    #[must_use]
    pub fn spawn() -> Self {
        let state = Arc::new(State::default());
        let (started_in, started) = std::sync::mpsc::channel();
        let of_server = Arc::clone(&state);
        let thread = std::thread::spawn(move || serve::serve(of_server, &started_in));
        let (port, handle) = started.recv().expect("a fake router that starts");
        Self {
            state,
            port,
            handle,
            thread: Some(thread),
        }
    }

    /// Its base address, `http://127.0.0.1:port/v1`.
    ///
    /// # Panics
    /// Never: the address is well formed.
    #[must_use]
    pub fn base_url(&self) -> Url {
        let base = format!("http://127.0.0.1:{}/v1", self.port);
        base.parse().expect("a base address")
    }

    /// The replies to questions to a model.
    pub fn on_model(&self, model: &str, script: Script) -> &Self {
        let script = Scripted { script, turn: 0 };
        self.state
            .with(|world| world.by_model.insert(model.to_owned(), script));
        self
    }

    /// The replies to questions with a key, for every model.
    pub fn on_key(&self, key: &str, script: Script) -> &Self {
        let script = Scripted { script, turn: 0 };
        self.state
            .with(|world| world.by_key.insert(key.to_owned(), script));
        self
    }

    /// Refuses a key's questions beyond so many at once with this answer, at once.
    pub fn limit_key(&self, key: &str, most: usize, refusal: Reply) -> &Self {
        self.state
            .with(|world| world.limits.insert(key.to_owned(), (most, refusal)));
        self
    }

    /// The list of models.
    pub fn list(&self, models: Reply) -> &Self {
        self.state.with(|world| world.models = models);
        self
    }

    /// The requests received so far.
    #[must_use]
    pub fn log(&self) -> Log {
        self.state.lock().log.clone()
    }

    /// Connections made to it so far.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.state.connections.load(Ordering::Relaxed)
    }

    /// Forgets the peaks so far.
    pub fn reset_peaks(&self) {
        self.state.with(|world| world.log.reset_peaks());
    }

    /// Waits until what it saw is as wanted.
    ///
    /// # Panics
    /// After ten seconds.
    pub async fn until(&self, wanted: impl Fn(&Log) -> bool) -> Log {
        let waiting = async {
            loop {
                let changed = self.state.changed.notified();
                let log = self.log();
                if wanted(&log) {
                    return log;
                }
                changed.await;
            }
        };
        match tokio::time::timeout(Duration::from_secs(10), waiting).await {
            Ok(log) => log,
            Err(_) => panic!(
                "the fake router never saw what the test waits for: {:#?}",
                self.log()
            ),
        }
    }
}

impl Drop for FakeRouter {
    fn drop(&mut self) {
        // The request to stop is sent when this is called; its future only waits for the end.
        drop(self.handle.stop(false));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The state that handlers and test share.
#[derive(Default)]
struct State {
    world: Mutex<World>,
    changed: Notify,
    connections: AtomicUsize,
}

impl State {
    /// Changes the state and wakes the tests that wait for a change.
    fn with<T>(&self, change: impl FnOnce(&mut World) -> T) -> T {
        let result = change(&mut self.lock());
        self.changed.notify_waiters();
        result
    }

    fn lock(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct World {
    by_model: HashMap<String, Scripted>,
    by_key: HashMap<String, Scripted>,
    limits: HashMap<String, (usize, Reply)>,
    models: Reply,
    log: Log,
}

struct Scripted {
    script: Script,
    turn: usize,
}

impl Default for World {
    fn default() -> Self {
        Self {
            by_model: HashMap::new(),
            by_key: HashMap::new(),
            limits: HashMap::new(),
            models: Reply::json(serde_json::json!({"object": "list", "data": []})),
            log: Log::default(),
        }
    }
}

impl World {
    /// Notes a request and finds what it gets.
    fn take(&mut self, attempt: Attempt) -> (usize, Reply) {
        let key = attempt.key.clone().unwrap_or_default();
        let model = attempt.model.clone();
        let busy = self.log.in_flight_of_key(&key);
        let index = self.log.begin(attempt);
        if let Some((most, refusal)) = self.limits.get(&key)
            && busy >= *most
        {
            return (index, refusal.clone());
        }
        let scripted = match self.by_key.get_mut(&key) {
            Some(scripted) => Some(scripted),
            None => self.by_model.get_mut(&model),
        };
        let reply = match scripted {
            Some(scripted) => {
                scripted.turn += 1;
                scripted.script.reply(scripted.turn - 1).clone()
            }
            None => Reply::text("I would recommend Acme and Bolt."),
        };
        (index, reply)
    }
}
