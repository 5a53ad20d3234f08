//! What every store counts alike.

use super::Account;
use crate::StoreError;
use crate::columns::signed;
use ibid_model::Receipt;

/// Adds a receipt to the account of its token. Counted from the receipts themselves, so that a lost or invented entry
/// of the ledger shows.
pub(crate) fn count(accounts: &mut Vec<Account>, receipt: &Receipt) -> Result<(), StoreError> {
    let (network, asset) = (receipt.network.caip2(), receipt.asset.to_string());
    let known = accounts
        .iter()
        .position(|account| account.network == network && account.asset == asset);
    let at = known.unwrap_or_else(|| {
        accounts.push(Account {
            network: network.to_owned(),
            asset,
            ..Account::default()
        });
        accounts.len() - 1
    });
    if let Some(account) = accounts.get_mut(at) {
        account.receipts += signed(receipt.amount.get())?;
    }
    Ok(())
}
