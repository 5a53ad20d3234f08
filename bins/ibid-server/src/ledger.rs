//! `ibid-server ledger`: the books of the database, for the operator.

use crate::database;
use crate::settings::Settings;
use anyhow::{Context, bail};
use ibid_model::AtomicUsdc;
use ibid_store::Books;
use std::fmt::Write as _;

/// Prints the books of the database.
///
/// # Errors
/// The database cannot be opened or read, or the books do not balance.
#[expect(clippy::print_stdout, reason = "the books are for the person at the terminal")]
pub(crate) fn show(settings: &Settings) -> anyhow::Result<()> {
    let store = database::open_existing(settings)?;
    let books = store.books().context("reading the books")?;
    print!("{}", render(&books)?);
    if !books.balance() {
        bail!("the books do not add up: see the networks marked DOES NOT ADD UP above");
    }
    Ok(())
}

fn render(books: &Books) -> Result<String, std::fmt::Error> {
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
                "adds up; ibid-server reconcile compares it with the chain"
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
        let text = render(&books).unwrap();
        assert!(
            text.contains("owed       0.5") && text.contains("\n  adds up"),
            "{text}"
        );
        books.accounts[0].owed = 400_000;
        assert!(render(&books).unwrap().contains("DOES NOT ADD UP"));
        assert!(
            render(&Books::default())
                .unwrap()
                .starts_with("Nothing was sold.")
        );
    }
}
