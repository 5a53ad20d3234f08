//! A server that sells, with gates, and an agent that buys.

use crate::client::Agent;
use crate::gate::{Gate, GatedFacilitator, GatedModels};
use ibid_store::Store;
use ibid_tests::{Setup, TestServer};
use ibid_x402::SandboxFacilitator;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

pub(crate) struct Shop {
    pub(crate) agent: Agent,
    pub(crate) facilitator: Arc<SandboxFacilitator>,
    pub(crate) verify: Gate,
    pub(crate) settle: Gate,
    pub(crate) models: Gate,
    asked: Arc<AtomicU64>,
    pub(crate) fail: Arc<AtomicBool>,
    pub(crate) server: TestServer,
}

impl Shop {
    pub(crate) fn open() -> Self {
        Self::tuned(|setup| setup)
    }

    pub(crate) fn tuned(tune: impl FnOnce(Setup) -> Setup) -> Self {
        Self::on(ibid_tests::database::passing(), GatedFacilitator::new(), tune)
    }

    /// One process in front of a store and a chain.
    pub(crate) fn on(
        store: Arc<Store>,
        facilitator: GatedFacilitator,
        tune: impl FnOnce(Setup) -> Setup,
    ) -> Self {
        let models = GatedModels::new();
        let (gate, asked, fail) = (models.gate.clone(), models.asked.clone(), models.fail.clone());
        let (verify, settle) = (facilitator.verify.clone(), facilitator.settle.clone());
        let sandbox = Arc::clone(&facilitator.sandbox);
        let setup = Setup::default()
            .store(store)
            .provider(Arc::new(models))
            .selling_by(Arc::new(facilitator), sandbox.clone());
        let server = tune(setup).spawn();
        Self {
            agent: Agent::of(&server),
            facilitator: sandbox,
            verify,
            settle,
            models: gate,
            asked,
            fail,
            server,
        }
    }

    /// Ends the process at once, in the middle of its work.
    pub(crate) fn die(self) {
        drop(self);
    }

    /// The number of questions that models were asked.
    pub(crate) fn questions(&self) -> u64 {
        self.asked.load(Ordering::SeqCst)
    }

    /// The number of settlements.
    pub(crate) fn transfers(&self) -> usize {
        self.facilitator.transfers().len()
    }
}

/// Asks until there is an answer.
pub(crate) async fn until<T>(mut ask: impl AsyncFnMut() -> Option<T>) -> T {
    let start = std::time::Instant::now();
    loop {
        if let Some(answer) = ask().await {
            return answer;
        }
        assert!(
            start.elapsed() < std::time::Duration::from_secs(30),
            "it never happens"
        );
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
}
