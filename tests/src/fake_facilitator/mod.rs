//! A facilitator on the network for tests: the sandbox's ledger behind real HTTP, with faults on demand.
//!
//! It speaks HTTP over plain sockets, so that it can do what no framework lets a handler do: hang, hang up
//! before or after the work, and answer nonsense. It remembers every request. It is stopped when dropped.

mod node;
mod serve;

use ibid_x402::SandboxFacilitator;
use std::collections::{HashMap, VecDeque};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;
use url::Url;

/// The fault of one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing is done, and no answer comes while the client waits.
    Hang,
    /// Nothing is done, and the connection is closed.
    HangUp,
    /// The work is done, and the connection is closed without an answer.
    LoseAnswer,
    /// The work is done and answered with this status.
    Status(u16),
    /// Nothing is done, and this is the answer: status and body.
    Answer(u16, String),
    /// Nothing is done, and the client is sent elsewhere: status and address.
    Redirect(u16, String),
    /// A settlement is sent to the chain and left unconfirmed.
    Pending,
}

/// One request as received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// `GET` or `POST`.
    pub method: String,
    /// Path, such as `/settle`.
    pub path: String,
    /// Headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body, letter by letter.
    pub body: String,
}

/// A facilitator on a port of its own.
pub struct FakeFacilitator {
    /// The ledger behind it.
    pub sandbox: Arc<SandboxFacilitator>,
    address: SocketAddr,
    state: Arc<State>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct State {
    stopped: AtomicBool,
    world: Mutex<World>,
}

#[derive(Default)]
struct World {
    faults: HashMap<String, VecDeque<Fault>>,
    barriers: HashMap<String, VecDeque<Arc<Barrier>>>,
    requests: Vec<Request>,
    latency: Duration,
    connections: Vec<TcpStream>,
}

impl FakeFacilitator {
    /// Starts one with this ledger.
    ///
    /// # Panics
    /// If no port is free.
    #[must_use]
    pub fn spawn(sandbox: Arc<SandboxFacilitator>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let state = Arc::new(State::default());
        let (of_thread, ledger) = (Arc::clone(&state), Arc::clone(&sandbox));
        let thread = std::thread::spawn(move || serve::accept(&listener, &of_thread, &ledger));
        Self {
            sandbox,
            address,
            state,
            thread: Some(thread),
        }
    }

    /// Its base address.
    ///
    /// # Panics
    /// Never: the address is well formed.
    #[must_use]
    pub fn base_url(&self) -> Url {
        format!("http://{}", self.address).parse().expect("an address")
    }

    /// The address of a node of the chain that the ledger stands for.
    ///
    /// # Panics
    /// Never: the address is well formed.
    #[must_use]
    pub fn node_url(&self) -> String {
        format!("http://{}/rpc", self.address)
    }

    /// Makes the next request to `path`, such as `/settle`, go wrong; several queue up.
    pub fn fail(&self, path: &str, fault: Fault) -> &Self {
        let mut world = self.state.lock();
        world.faults.entry(path.to_owned()).or_default().push_back(fault);
        drop(world);
        self
    }

    /// Makes the next request to `path` wait at a barrier before it is answered; several queue up.
    pub fn hold(&self, path: &str, barrier: &Arc<Barrier>) -> &Self {
        let mut world = self.state.lock();
        let held = world.barriers.entry(path.to_owned()).or_default();
        held.push_back(Arc::clone(barrier));
        drop(world);
        self
    }

    /// Every request takes so long, as a chain does.
    pub fn slow_down(&self, latency: Duration) -> &Self {
        self.state.lock().latency = latency;
        self
    }

    /// The requests to `path` so far, in order of arrival.
    #[must_use]
    pub fn requests(&self, path: &str) -> Vec<Request> {
        let world = self.state.lock();
        world
            .requests
            .iter()
            .filter(|request| request.path == path)
            .cloned()
            .collect()
    }
}

impl State {
    fn lock(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Request {
    /// The value of a header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }
}

impl Drop for FakeFacilitator {
    fn drop(&mut self) {
        self.state.stopped.store(true, Ordering::SeqCst);
        // Wakes the thread that waits for connections, and then those that wait for requests.
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        for connection in self.state.lock().connections.drain(..) {
            let _ = connection.shutdown(std::net::Shutdown::Both);
        }
    }
}
