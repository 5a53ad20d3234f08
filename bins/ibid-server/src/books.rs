//! `ibid-server books`: the books of the database, alone and against the chain, and money given back.

use crate::database;
use crate::payments;
use crate::settings::Settings;
use anyhow::{Context, bail};
use clap::{Args, Subcommand, ValueEnum};
use ibid_model::{AtomicUsdc, PaymentKey, PriceList, Skill, Transaction};
use ibid_service::{Reconciliation, unrecorded};
use ibid_store::{Books, Db, Refund, RefundKind, StoreError};
use jiff::{SignedDuration, Timestamp};
use std::fmt::Write as _;

/// Print the books of the database: settled, delivered and owed amounts
#[derive(Args)]
pub(crate) struct BooksArgs {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    Reconcile(ReconcileArgs),
    Refund(RefundArgs),
}

/// Compare the books with the transfers on the chain, and decide payments of unknown outcome. Needs RPC_URL
#[derive(Args)]
struct ReconcileArgs {
    /// Days to look back, 1 to 365
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u16).range(1..=365))]
    days: u16,
}

/// Record a refund that you have sent, or a credit. Moves no money. With RPC_URL the transaction is looked up first
#[derive(Args)]
struct RefundArgs {
    /// The key of the payment, as books and reconcile print it
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
    /// Days to look back for a payment without an order, 1 to 365
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u16).range(1..=365))]
    days: u16,
}

/// The way in which money was given back.
#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    /// Sent to the payer
    Refund,
    /// Credited in another way
    Credit,
}

/// Carries out a command on the books.
///
/// # Errors
/// Those of the command.
pub(crate) fn run(settings: &Settings, args: &BooksArgs) -> anyhow::Result<()> {
    match &args.command {
        None => show(settings),
        Some(Command::Reconcile(args)) => reconcile(settings, args),
        Some(Command::Refund(args)) => refund(settings, args),
    }
}

/// Prints the books of the database.
///
/// # Errors
/// The database cannot be opened or read, or the books do not balance.
fn show(settings: &Settings) -> anyhow::Result<()> {
    let store = database::open_existing(settings)?;
    let books = store.books().context("reading the books")?;
    crate::print(&render_books(&books)?);
    if !books.balance() {
        bail!("the books do not add up: see the networks marked DOES NOT ADD UP above");
    }
    Ok(())
}

/// Reconciles and prints the report.
///
/// # Errors
/// `RPC_URL` is missing, the chain or the database cannot be read, or books and chain do not agree.
fn reconcile(settings: &Settings, args: &ReconcileArgs) -> anyhow::Result<()> {
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
    crate::print(&render(&report, terms.prices())?);
    if !report.agrees() {
        bail!("the books and the chain do not agree: see the payments above");
    }
    Ok(())
}

/// Records money that was given back.
///
/// # Errors
/// The amount is 0 or too large, no payment has the key, a refund has no transaction, the chain shows another one, the transaction is
/// recorded already, or the database cannot be written.
#[expect(clippy::print_stdout, reason = "the answer is for the person at the terminal")]
fn refund(settings: &Settings, args: &RefundArgs) -> anyhow::Result<()> {
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
    let store = database::open_existing(settings)?;
    let chain = payments::chain(&settings.paid)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    if let (Some(chain), Some(pay_to)) = (&chain, settings.paid.pay_to)
        && store.receipt_of(&refund.key)?.is_none()
    {
        let since = Timestamp::now() - SignedDuration::from_hours(i64::from(args.days) * 24);
        let terms = payments::terms(&settings.paid, pay_to);
        let found = runtime.block_on(unrecorded(&Db::new(store.clone()), &**chain, &terms, since));
        let refunded = store.refunds()?.iter().any(|other| other.key == refund.key);
        if !refunded
            && found
                .context("looking the payment up")?
                .iter()
                .all(|(key, _)| *key != refund.key)
        {
            bail!(
                "no payment of the last {} days has the key {}: copy it from books reconcile",
                args.days,
                refund.key
            );
        }
    }
    if let (RefundKind::Refund, Some(transaction), Some(chain)) = (refund.kind, &refund.transaction, &chain) {
        let PaymentKey { network, payer, .. } = refund.key;
        let sent = runtime.block_on(chain.sent((&refund.key).into(), transaction));
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

fn render_books(books: &Books) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    if books.accounts.is_empty() {
        writeln!(text, "Nothing was sold.")?;
    }
    for account in &books.accounts {
        let amount = |atomic: i64| {
            format!(
                "{}{}",
                if atomic < 0 { "-" } else { "" },
                AtomicUsdc::new(atomic.unsigned_abs())
            )
        };
        writeln!(text, "{} token {}", account.network, account.asset)?;
        writeln!(text, "  sales      {}", account.sales)?;
        writeln!(text, "  settled    {}", amount(account.settled))?;
        writeln!(text, "  delivered  {}", amount(account.delivered))?;
        writeln!(text, "  owed       {}", amount(account.owed))?;
        writeln!(
            text,
            "  {}",
            if account.balances() {
                "adds up; ibid-server books reconcile compares it with the chain"
            } else {
                "DOES NOT ADD UP"
            }
        )?;
    }
    let mut states = books.states.iter().filter(|(_, count)| *count > 0).peekable();
    if states.peek().is_some() {
        writeln!(text, "Payments by state:")?;
    }
    for (state, count) in states {
        writeln!(text, "  {:<10} {count}", state.as_str())?;
    }
    if books.inferred > 0 {
        writeln!(
            text,
            "{} settlements were inferred from a used nonce: check them against the chain.",
            books.inferred
        )?;
    }
    if books.refunds > 0 {
        writeln!(text, "{} refunds and credits are recorded.", books.refunds)?;
    }
    for key in &books.unresolved {
        writeln!(text, "settlement outcome unknown: {key}")?;
    }
    Ok(text)
}

fn render(report: &Reconciliation, prices: PriceList) -> Result<String, std::fmt::Error> {
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
        let day = transfer.at.map(|at| format!(" on {}", at.strftime("%Y-%m-%d")));
        let skill = Skill::ALL.into_iter().find(|skill| prices.of(*skill) == amount);
        let skill = skill.map(|skill| format!(", the price of {skill}"));
        let (day, skill) = (day.unwrap_or_default(), skill.unwrap_or_default());
        writeln!(
            text,
            "UNRECORDED transfer of {amount} in {transaction}{day}{skill}: {key}"
        )?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use ibid_store::{PaymentState, TokenLedger};

    #[test]
    fn the_books_show_owed_amounts_and_whether_they_add_up() {
        let account = TokenLedger {
            network: "eip155:84532".to_owned(),
            asset: "0x03".to_owned(),
            sales: 2,
            settled: 650_000,
            delivered: 150_000,
            owed: 500_000,
            receipts: 650_000,
        };
        let mut books = Books {
            accounts: vec![account],
            states: vec![(PaymentState::Settled, 1)],
            ..Books::default()
        };
        let text = render_books(&books).unwrap();
        assert!(
            text.contains("owed       0.5") && text.contains("\n  adds up"),
            "{text}"
        );
        books.accounts[0].owed = 400_000;
        assert!(render_books(&books).unwrap().contains("DOES NOT ADD UP"));
        assert!(
            render_books(&Books::default())
                .unwrap()
                .starts_with("Nothing was sold.")
        );
    }
}
