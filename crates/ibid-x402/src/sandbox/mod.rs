//! A facilitator in process: real signatures and balances, an invented chain.
//!
//! It judges payments as the reference engines do, in their words.
//! It checks the offer, the signature, the time, the balance of the payer and the nonce.
//! It keeps a ledger and makes up transaction hashes.
//! [`TestWallet`] holds the published keys of wallets that have money in it.
//! For tests, [`Script`]s make single calls go wrong.
//!
//! It refuses to judge wallets with code, apart from those that a test has registered.
//! It knows the domain of USDC; for any other token it uses the domain in the request.
//! A wallet has one balance for all tokens.

mod draft;
mod judge;
mod ledger;
mod script;
mod wallet;

pub use draft::{Draft, SignedDraft};
pub use ledger::Transfer;
pub use script::{Calls, Script};
pub use wallet::TestWallet;

use crate::answer::{Kind, SettleAnswer, SupportedAnswer, VerifyAnswer};
use crate::chain::{
    ChainEvidence, ChainFault, ChainFuture, ChainReader, ExpectedTransfer, IncomingTransfer, TokenAccount,
};
use crate::error::Outage;
use crate::facilitator::{
    Facilitator, FacilitatorFuture, FacilitatorRequest, PaymentVerdict, SettleVerdict, Supported,
};
use ibid_model::{AtomicUsdc, Network, PaymentKey, Transaction, Wallet};
use jiff::Timestamp;
use judge::{Judged, judge};
use ledger::Ledger;
use script::Scripts;
use serde_json::json;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The account that sends the transactions.
const SENDER: Wallet = Wallet::from_bytes([0xfa; 20]);

/// Tells the current time.
/// The sandbox judges time windows by it.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// A facilitator in process, with an invented ledger. See the [module](self).
pub struct SandboxFacilitator {
    clock: Clock,
    patience: Duration,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    ledger: Ledger,
    scripts: Scripts,
}

impl SandboxFacilitator {
    /// Starts with the wallets in [`TestWallet::funded`], and the machine's clock.
    #[must_use]
    pub fn new() -> Self {
        let mut ledger = Ledger::default();
        for (wallet, amount) in TestWallet::funded() {
            ledger.fund(wallet.address(), amount);
        }
        Self {
            clock: Arc::new(Timestamp::now),
            patience: Duration::from_secs(30),
            state: Mutex::new(State {
                ledger,
                scripts: Scripts::default(),
            }),
        }
    }

    /// Judges time windows by another clock.
    #[must_use]
    pub fn with_clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Gives up on an answer that a script delays for longer, as a network client does.
    #[must_use]
    pub const fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Gives money to a wallet.
    pub fn fund(&self, wallet: Wallet, amount: AtomicUsdc) {
        self.lock().ledger.fund(wallet, amount);
    }

    /// Returns the balance of a wallet.
    pub fn balance(&self, wallet: Wallet) -> AtomicUsdc {
        self.lock().ledger.balance(wallet)
    }

    /// Registers `wallet` as one with code that accepts ECDSA signatures of `owner`.
    pub fn register_contract(&self, wallet: Wallet, owner: Wallet) {
        self.lock().ledger.register_contract(wallet, owner);
    }

    /// Cancels an authorization, as its payer can.
    /// One that was used stays used.
    pub fn cancel(&self, key: PaymentKey) {
        self.lock().ledger.cancel(key);
    }

    /// The cancelled authorizations.
    pub fn cancelled(&self) -> Vec<PaymentKey> {
        self.lock().ledger.cancelled()
    }

    /// Every transfer, oldest first.
    pub fn transfers(&self) -> Vec<Transfer> {
        self.lock().ledger.transfers().to_vec()
    }

    /// Makes the next verification go wrong; several queue up.
    pub fn script_verify(&self, script: Script) {
        self.lock().scripts.push_verify(script);
    }

    /// Makes the next settlement go wrong; several queue up.
    pub fn script_settle(&self, script: Script) {
        self.lock().scripts.push_settle(script);
    }

    /// Returns the number of calls.
    pub fn calls(&self) -> Calls {
        self.lock().scripts.calls()
    }

    /// Answers the body of `POST /verify`, as a server would.
    pub fn verify_body(&self, body: &str) -> VerifyAnswer {
        let refused = |payer: Option<Wallet>, reason: &str| VerifyAnswer {
            is_valid: false,
            invalid_reason: Some(reason.to_owned()),
            payer: payer.map(|payer| payer.to_string()),
        };
        let state = self.lock();
        match judge(body, (self.clock)(), &|wallet| state.ledger.owner(wallet)) {
            Err(refusal) => refused(refusal.payer, refusal.reason),
            Ok(judged) => match state.ledger.check(&judged) {
                Err(spent) => refused(Some(judged.key.payer), spent.reason()),
                Ok(()) => VerifyAnswer {
                    is_valid: true,
                    invalid_reason: None,
                    payer: Some(judged.key.payer.to_string()),
                },
            },
        }
    }

    /// Answers the body of `POST /settle`, as a server would.
    pub fn settle_body(&self, body: &str) -> SettleAnswer {
        self.settle_as(body, false, SENDER)
    }

    /// Supports the scheme `exact`, both versions, every known network.
    pub fn supported_answer(&self) -> SupportedAnswer {
        let kinds = Network::ALL.iter().copied().flat_map(|network| {
            let kind = |x402_version, name: &str| Kind {
                x402_version,
                scheme: "exact".to_owned(),
                network: name.to_owned(),
            };
            [kind(1, network.name()), kind(2, network.caip2())]
        });
        SupportedAnswer {
            kinds: kinds.collect(),
            signers: json!({"eip155:*": [SENDER.to_string()]}),
        }
    }

    /// Carries out a payment sent to `POST /settle` as another account, which has seen it.
    pub fn settle_as_stranger(&self, body: &str) -> SettleAnswer {
        self.settle_as(body, false, Wallet::from_bytes([0x57; 20]))
    }

    /// Answers the body of `POST /settle` when the chain is slow.
    /// The transfer is sent and not confirmed, until the same body is settled again.
    pub fn settle_pending(&self, body: &str) -> SettleAnswer {
        self.settle_as(body, true, SENDER)
    }

    fn settle_as(&self, body: &str, pending: bool, sender: Wallet) -> SettleAnswer {
        let mut state = self.lock();
        let judged = judge(body, (self.clock)(), &|wallet| state.ledger.owner(wallet));
        let judged = match judged {
            Ok(judged) => judged,
            Err(refusal) => return failed(refusal.reason, refusal.payer, refusal.network, None),
        };
        let Judged { key, network, .. } = &judged;
        match state.ledger.transfer(&judged, pending, sender) {
            Ok(transfer) if pending => failed(
                "settlement_pending",
                Some(key.payer),
                Some(network.clone()),
                Some(transfer),
            ),
            Ok(transfer) => SettleAnswer {
                success: true,
                error_reason: None,
                transaction: Some(transfer),
                network: Some(network.clone()),
                payer: Some(key.payer.to_string()),
                amount: None,
            },
            Err(spent) => failed(spent.reason(), Some(key.payer), Some(network.clone()), None),
        }
    }

    async fn wait(&self, delay: Duration) -> Result<(), Outage> {
        tokio::time::sleep(delay.min(self.patience)).await;
        if delay > self.patience {
            Err(Outage::Timeout)
        } else {
            Ok(())
        }
    }

    /// A panic of a thread that held the lock cannot leave a transfer half done.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for SandboxFacilitator {
    fn default() -> Self {
        Self::new()
    }
}

impl Facilitator for SandboxFacilitator {
    fn verify<'a>(&'a self, request: &'a FacilitatorRequest) -> FacilitatorFuture<'a, PaymentVerdict> {
        Box::pin(async move {
            let script = self.lock().scripts.next_verify();
            let answer = match script {
                Script::Refuse(reason) => VerifyAnswer {
                    invalid_reason: Some(reason),
                    ..VerifyAnswer::default()
                },
                Script::Fail(outage) => return Err(outage),
                // Verification moves no money, so only its answer can be lost.
                Script::LoseAnswer => return Err(Outage::Broken),
                Script::Delay(delay) => {
                    self.wait(delay).await?;
                    self.verify_body(request.expose_body())
                }
                Script::Pending | Script::Obey => self.verify_body(request.expose_body()),
            };
            Ok(answer.into())
        })
    }

    fn settle<'a>(&'a self, request: &'a FacilitatorRequest) -> FacilitatorFuture<'a, SettleVerdict> {
        Box::pin(async move {
            let script = self.lock().scripts.next_settle();
            let answer = match script {
                Script::Refuse(reason) => failed(&reason, None, None, None),
                Script::Fail(outage) => return Err(outage),
                Script::LoseAnswer => {
                    let _ = self.settle_body(request.expose_body());
                    return Err(Outage::Broken);
                }
                Script::Delay(delay) => {
                    self.wait(delay).await?;
                    self.settle_body(request.expose_body())
                }
                Script::Pending => self.settle_pending(request.expose_body()),
                Script::Obey => self.settle_body(request.expose_body()),
            };
            Ok(answer.into())
        })
    }

    fn supported(&self) -> FacilitatorFuture<'_, Supported> {
        Box::pin(async { Ok(self.supported_answer().into()) })
    }

    fn is_sandbox(&self) -> bool {
        true
    }
}

/// Each transfer on the invented chain is a block of its own, which is final once it was confirmed.
impl ChainReader for SandboxFacilitator {
    fn evidence<'a>(&'a self, expected: &'a ExpectedTransfer) -> ChainFuture<'a, ChainEvidence> {
        Box::pin(async { Ok(self.lock().ledger.evidence(expected, (self.clock)())) })
    }

    fn newest(&self, _network: Network) -> ChainFuture<'_, u64> {
        Box::pin(async { Ok(self.transfers().len() as u64) })
    }

    fn incoming(&self, to: TokenAccount, _since: Timestamp) -> ChainFuture<'_, Vec<IncomingTransfer>> {
        Box::pin(async move {
            let transfers = self.transfers().into_iter().zip(1..);
            let ours = transfers.filter(|(transfer, _)| TokenAccount::from(transfer) == to);
            ours.map(|(transfer, block)| {
                Ok(IncomingTransfer {
                    transaction: transfer.transaction.parse().map_err(|_| ChainFault::Malformed)?,
                    block,
                    at: None,
                    position: 0,
                    payer: transfer.key.payer,
                    amount: transfer.amount,
                    key: Some(transfer.key),
                })
            })
            .collect()
        })
    }

    fn sent<'a>(
        &'a self,
        to: TokenAccount,
        transaction: &'a Transaction,
    ) -> ChainFuture<'a, Option<AtomicUsdc>> {
        Box::pin(async move {
            let transfers = self.transfers();
            let found = transfers
                .iter()
                .find(|transfer| transfer.transaction == transaction.as_str());
            Ok(found.map(|transfer| {
                if TokenAccount::from(transfer) == to && transfer.key.payer != to.wallet {
                    transfer.amount
                } else {
                    AtomicUsdc::default()
                }
            }))
        })
    }
}

impl fmt::Debug for SandboxFacilitator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SandboxFacilitator(..)")
    }
}

fn failed(
    reason: &str,
    payer: Option<Wallet>,
    network: Option<String>,
    transaction: Option<String>,
) -> SettleAnswer {
    SettleAnswer {
        success: false,
        error_reason: Some(reason.to_owned()),
        transaction: Some(transaction.unwrap_or_default()),
        network,
        payer: payer.map(|payer| payer.to_string()),
        amount: None,
    }
}
