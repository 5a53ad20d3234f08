//! Places where a test holds the world still: the models, and the facilitator's two calls.

use ibid_provider::{Completion, Prompt, Provider, ProviderError, ProviderKey, Sandbox};
use ibid_x402::{
    Facilitator, FacilitatorFuture, FacilitatorRequest, PaymentVerdict, SandboxFacilitator, SettleVerdict,
    Supported,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::watch;

/// A gate, open at first. Who comes while it is shut waits.
#[derive(Clone)]
pub(crate) struct Gate(watch::Sender<State>);

#[derive(Clone, Copy, Debug, Default)]
struct State {
    shut: bool,
    arrived: usize,
}

impl Gate {
    fn new() -> Self {
        Self(watch::Sender::new(State::default()))
    }

    pub(crate) fn shut(&self) {
        self.0.send_modify(|state| {
            *state = State {
                shut: true,
                arrived: 0,
            }
        });
    }

    pub(crate) fn open(&self) {
        self.0.send_modify(|state| state.shut = false);
    }

    /// Waits until so many have come since it was shut.
    pub(crate) async fn arrived(&self, count: usize) {
        self.0
            .subscribe()
            .wait_for(|state| state.arrived >= count)
            .await
            .unwrap();
    }

    async fn pass(&self) {
        self.0.send_modify(|state| state.arrived += 1);
        self.0.subscribe().wait_for(|state| !state.shut).await.unwrap();
    }
}

/// The sandbox's models behind a gate.
pub(crate) struct GatedModels {
    pub(crate) gate: Gate,
    pub(crate) asked: Arc<AtomicU64>,
    pub(crate) fail: Arc<std::sync::atomic::AtomicBool>,
    sandbox: Sandbox,
}

impl GatedModels {
    pub(crate) fn new() -> Self {
        Self {
            gate: Gate::new(),
            asked: Arc::default(),
            fail: Arc::default(),
            sandbox: Sandbox::new(7),
        }
    }
}

impl Provider for GatedModels {
    fn ask<'a>(
        &'a self,
        key: &'a ProviderKey,
        prompt: &'a Prompt,
    ) -> ibid_provider::ProviderFuture<'a, Result<Completion, ProviderError>> {
        Box::pin(async move {
            self.asked.fetch_add(1, Ordering::SeqCst);
            self.gate.pass().await;
            if self.fail.load(Ordering::SeqCst) {
                return Err(ProviderError::Unavailable);
            }
            self.sandbox.ask(key, prompt).await
        })
    }

    fn is_sandbox(&self) -> bool {
        true
    }
}

/// The sandbox's facilitator behind two gates.
pub(crate) struct GatedFacilitator {
    pub(crate) verify: Gate,
    pub(crate) settle: Gate,
    pub(crate) sandbox: Arc<SandboxFacilitator>,
}

impl GatedFacilitator {
    pub(crate) fn new() -> Self {
        Self {
            verify: Gate::new(),
            settle: Gate::new(),
            sandbox: Arc::new(SandboxFacilitator::new()),
        }
    }
}

impl Facilitator for GatedFacilitator {
    fn verify<'a>(&'a self, request: &'a FacilitatorRequest) -> FacilitatorFuture<'a, PaymentVerdict> {
        Box::pin(async move {
            self.verify.pass().await;
            self.sandbox.verify(request).await
        })
    }

    fn settle<'a>(&'a self, request: &'a FacilitatorRequest) -> FacilitatorFuture<'a, SettleVerdict> {
        Box::pin(async move {
            self.settle.pass().await;
            self.sandbox.settle(request).await
        })
    }

    fn supported(&self) -> FacilitatorFuture<'_, Supported> {
        self.sandbox.supported()
    }

    fn is_sandbox(&self) -> bool {
        true
    }
}
