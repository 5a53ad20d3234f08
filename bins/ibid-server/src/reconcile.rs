//! `ibid-server reconcile`: the books of the database against the chain. `ibid-server refund`: money given back.

use crate::database;
use crate::payments;
use crate::settings::Settings;
use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use ibid_model::{AtomicUsdc, PaymentKey, Transaction};
use ibid_service::Reconciliation;
use ibid_store::{Refund, RefundKind, StoreError};
use jiff::{SignedDuration, Timestamp};
use std::fmt::Write as _;

/// Compare the books with the transfers on the chain, and decide payments of unknown outcome. Needs RPC_URL
#[derive(Args)]
pub(crate) struct ReconcileArgs {
    /// Days to look back, 1 to 365
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u16).range(1..=365))]
    days: u16,
}

/// Record a refund that you have sent, or a credit. Moves no money. With RPC_URL the transaction is looked up first
#[derive(Args)]
pub(crate) struct RefundArgs {
    /// The key of the payment, as ledger and reconcile print it
    payment: PaymentKey,
    /// The amount in USDC, such as 0.15. A transfer is cleared by refunds and credits of its whole amount
    #[arg(long)]
    amount: AtomicUsdc,
    /// The way it was given back
    #[arg(long, value_enum, default_value_t = Kind::Refund)]
    kind: Kind,
    /// The transaction that sent it; only a credit has none
    #[arg(long)]
    transaction: Option<Transaction>,
    /// The reason
    #[arg(long, default_value = "")]
    note: String,
}

/// The way in which money was given back.
#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    /// Sent to the payer
    Refund,
    /// Credited in another way
    Credit,
}

/// Reconciles and prints the report.
///
/// # Errors
/// `RPC_URL` is missing, the chain or the database cannot be read, or books and chain do not agree.
#[expect(clippy::print_stdout, reason = "the report is for the person at the terminal")]
pub(crate) fn run(settings: &Settings, args: &ReconcileArgs) -> anyhow::Result<()> {
    let paid = &settings.paid;
    let chain = payments::chain(paid)?.context("RPC_URL is not set: name a node of the chain")?;
    let pay_to = paid
        .pay_to
        .context("X402_PAY_TO is not set: name the wallet that is paid")?;
    let store = database::open_existing(settings)?;
    let since = Timestamp::now() - SignedDuration::from_hours(i64::from(args.days) * 24);
    let terms = payments::terms(paid, pay_to);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let report = runtime.block_on(ibid_service::reconcile(store.clone(), &*chain, &terms, since));
    drop(runtime);
    drop(store);
    let report = report.context("reconciling")?;
    print!("{}", render(&report)?);
    if !report.agrees() {
        bail!("the books and the chain do not agree: see the payments above");
    }
    Ok(())
}

/// Records money that was given back.
///
/// # Errors
/// The amount is 0 or too large, a refund has no transaction, the chain shows another one, the transaction is recorded already, or the
/// database cannot be written.
#[expect(clippy::print_stdout, reason = "the answer is for the person at the terminal")]
pub(crate) fn refund(settings: &Settings, args: &RefundArgs) -> anyhow::Result<()> {
    let amount = args.amount;
    let refund = Refund {
        key: args.payment,
        kind: match args.kind {
            Kind::Refund => RefundKind::Refund,
            Kind::Credit => RefundKind::Credit,
        },
        amount: i64::try_from(amount.get()).context("--amount is too large")?,
        transaction: args.transaction.clone(),
        note: args.note.clone(),
    };
    if refund.amount == 0 {
        bail!("--amount must be more than 0");
    }
    // The attribute `required_if_eq` does not see the default of `--kind`.
    if refund.kind == RefundKind::Refund && refund.transaction.is_none() {
        bail!("a refund needs --transaction, the hash of the transfer; only --kind credit has none");
    }
    if let (RefundKind::Refund, Some(transaction), Some(chain)) =
        (refund.kind, &refund.transaction, payments::chain(&settings.paid)?)
    {
        let PaymentKey {
            network,
            asset,
            payer,
            ..
        } = refund.key;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let sent = runtime.block_on(chain.sent(network, asset, payer, transaction));
        match sent.context("looking the transaction up")? {
            Some(sent) if sent >= amount => {}
            Some(sent) => bail!(
                "the transaction sends {sent} USDC to {payer}, less than --amount: nothing was recorded"
            ),
            None => bail!(
                "the transaction is in no final block of {network}: check --transaction, or try again in some minutes"
            ),
        }
    }
    let store = database::open_existing(settings)?;
    match store.record_refund(&refund, Timestamp::now().as_millisecond()) {
        Ok(()) => {}
        Err(StoreError::Exists) => bail!("this transaction is recorded already"),
        Err(error) => return Err(error).context("recording the refund"),
    }
    println!(
        "Recorded a {} of {amount} USDC for {}.",
        refund.kind.as_str(),
        refund.key
    );
    Ok(())
}

fn render(report: &Reconciliation) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    let listed = |text: &mut String, title: &str, keys: &[PaymentKey]| -> std::fmt::Result {
        keys.iter().try_for_each(|key| writeln!(text, "{title}: {key}"))
    };
    listed(
        &mut text,
        "settled now, the chain shows the transfer",
        &report.settled,
    )?;
    listed(&mut text, "void now, it can never be paid", &report.void)?;
    listed(&mut text, "UNDECIDED", &report.undecided)?;
    for transfer in &report.unrecorded {
        let key = transfer.key.map(|key| key.to_string()).unwrap_or_default();
        let (amount, transaction) = (transfer.amount, &transfer.transaction);
        writeln!(text, "UNRECORDED transfer of {amount} in {transaction}: {key}")?;
    }
    for (key, amount) in &report.partly {
        writeln!(text, "only {amount} of it was given back: {key}")?;
    }
    for refund in &report.unsent {
        let (key, amount) = (refund.key, AtomicUsdc::new(refund.amount.unsigned_abs()));
        let transaction = refund
            .transaction
            .as_ref()
            .map(Transaction::as_str)
            .unwrap_or_default();
        writeln!(
            text,
            "NOT SENT the recorded refund of {amount} in {transaction}: {key}"
        )?;
    }
    for recorded in &report.phantom {
        writeln!(
            text,
            "PHANTOM receipt of {}: {}",
            recorded.receipt.amount, recorded.key
        )?;
    }
    for recorded in &report.inferred {
        writeln!(text, "inferred by an earlier version: {}", recorded.key)?;
    }
    writeln!(text, "on the chain        {}", report.on_chain)?;
    writeln!(text, "in the books        {}", report.in_books)?;
    writeln!(text, "refunded, credited  {}", report.refunded)?;
    if report.young > 0 {
        writeln!(
            text,
            "{} receipts are too young to be final on the chain.",
            report.young
        )?;
    }
    if report.deposits > 0 {
        writeln!(
            text,
            "{} transfers to the wallet are no payments of buyers.",
            report.deposits
        )?;
    }
    writeln!(
        text,
        "{}",
        if report.agrees() {
            "agrees"
        } else {
            "DOES NOT AGREE"
        }
    )?;
    Ok(text)
}
