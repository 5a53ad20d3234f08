//! The invented chain: balances, used nonces, transfers.

use crate::chain::{ChainEvidence, ExpectedTransfer, TokenAccount};
use crate::eip712::keccak;
use crate::hex;
use crate::sandbox::judge::Judged;
use ibid_model::{AtomicUsdc, PaymentKey, Wallet};
use jiff::Timestamp;
use std::collections::HashMap;

/// One transfer of the invented chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// What the chain tells the payment by.
    pub key: PaymentKey,
    /// The recipient.
    pub to: Wallet,
    /// The amount.
    pub amount: AtomicUsdc,
    /// The invented hash.
    pub transaction: String,
    /// The account that sent the transaction.
    pub sender: Wallet,
}

impl From<&Transfer> for TokenAccount {
    fn from(transfer: &Transfer) -> Self {
        Self {
            wallet: transfer.to,
            ..Self::from(&transfer.key)
        }
    }
}

#[derive(Default)]
pub(super) struct Ledger {
    balances: HashMap<Wallet, AtomicUsdc>,
    /// Owners of wallets with code.
    owners: HashMap<Wallet, Wallet>,
    /// Every used nonce, and whether its success was reported.
    nonces: HashMap<PaymentKey, Reported>,
    transfers: Vec<Transfer>,
}

/// Whether a caller has the result of the transfer.
enum Reported {
    Yes,
    /// Reported as pending, under this hash.
    Pending(String),
    /// The payer cancelled the authorization, so there is no transfer.
    Cancelled,
}

/// Why the chain takes no transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spent {
    Nonce,
    Balance,
}

impl Spent {
    pub(super) const fn reason(self) -> &'static str {
        match self {
            Self::Nonce => "invalid_exact_evm_nonce_already_used",
            Self::Balance => "invalid_exact_evm_insufficient_balance",
        }
    }
}

impl Ledger {
    pub(super) fn fund(&mut self, wallet: Wallet, amount: AtomicUsdc) {
        let balance = self.balance(wallet).get().saturating_add(amount.get());
        self.balances.insert(wallet, AtomicUsdc::new(balance));
    }

    pub(super) fn balance(&self, wallet: Wallet) -> AtomicUsdc {
        self.balances.get(&wallet).copied().unwrap_or_default()
    }

    pub(super) fn register_contract(&mut self, wallet: Wallet, owner: Wallet) {
        self.owners.insert(wallet, owner);
    }

    pub(super) fn owner(&self, wallet: Wallet) -> Option<Wallet> {
        self.owners.get(&wallet).copied()
    }

    pub(super) fn transfers(&self) -> &[Transfer] {
        &self.transfers
    }

    /// Cancels an authorization that is not used.
    pub(super) fn cancel(&mut self, key: PaymentKey) {
        self.nonces.entry(key).or_insert(Reported::Cancelled);
    }

    pub(super) fn cancelled(&self) -> Vec<PaymentKey> {
        let cancelled = self
            .nonces
            .iter()
            .filter(|(_, reported)| matches!(reported, Reported::Cancelled));
        cancelled.map(|(key, _)| *key).collect()
    }

    /// Returns the evidence of the chain about a payment.
    pub(super) fn evidence(&self, expected: &ExpectedTransfer, now: Timestamp) -> ChainEvidence {
        let mut blocks = (1..).zip(&self.transfers);
        let transfer = blocks.find(|(_, transfer)| transfer.key == expected.key);
        match (self.nonces.get(&expected.key), transfer) {
            (Some(Reported::Cancelled), _) => ChainEvidence::Cancelled,
            (Some(Reported::Pending(_)), _) => ChainEvidence::Open,
            (Some(Reported::Yes), Some((block, transfer)))
                if (transfer.to, transfer.amount) == (expected.pay_to, expected.amount) =>
            {
                let transaction = transfer.transaction.parse();
                transaction.map_or(ChainEvidence::Open, |transaction| {
                    expected.paid(transaction, block, Some(transfer.sender))
                })
            }
            (Some(Reported::Yes), _) => ChainEvidence::UsedElsewhere,
            (None, _) if now > expected.expires() => ChainEvidence::Expired,
            (None, _) => ChainEvidence::Open,
        }
    }

    /// Whether the transfer would go through.
    pub(super) fn check(&self, judged: &Judged) -> Result<(), Spent> {
        if self.nonces.contains_key(&judged.key) {
            return Err(Spent::Nonce);
        }
        if self.balance(judged.key.payer) < judged.amount {
            Err(Spent::Balance)
        } else {
            Ok(())
        }
    }

    /// Moves the money and names the transaction.
    /// Asking again confirms a pending transfer.
    /// Once confirmed it is a used nonce, as with the reference facilitators.
    pub(super) fn transfer(
        &mut self,
        judged: &Judged,
        pending: bool,
        sender: Wallet,
    ) -> Result<String, Spent> {
        if let Some(Reported::Pending(transaction)) = self.nonces.get(&judged.key) {
            let transaction = transaction.clone();
            if !pending {
                self.nonces.insert(judged.key, Reported::Yes);
            }
            return Ok(transaction);
        }
        self.check(judged)?;
        let left = self
            .balance(judged.key.payer)
            .get()
            .saturating_sub(judged.amount.get());
        self.balances.insert(judged.key.payer, AtomicUsdc::new(left));
        self.fund(judged.to, judged.amount);
        let hash = keccak(&[b"ibid sandbox transaction", judged.key.to_string().as_bytes()]);
        let transaction = hex::encode(&hash);
        let reported = if pending {
            Reported::Pending(transaction.clone())
        } else {
            Reported::Yes
        };
        self.nonces.insert(judged.key, reported);
        self.transfers.push(Transfer {
            key: judged.key,
            to: judged.to,
            amount: judged.amount,
            transaction: transaction.clone(),
            sender,
        });
        Ok(transaction)
    }
}
