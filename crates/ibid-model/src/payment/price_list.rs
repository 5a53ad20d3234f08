//! What an operator charges.

use crate::{AtomicUsdc, Product, Skill};

/// What one operator charges: the contract's prices, unless the operator set its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PriceList([Option<AtomicUsdc>; Skill::ALL.len()]);

/// The prices cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadPrices {
    /// A price is not more than the proof of a wallet.
    #[error("the price of {0} must be more than 0.000001 USDC")]
    TooLow(Product),
    /// Two prices are equal.
    #[error("{0} and {1} have the same price: a payment for one could buy the other")]
    Equal(Product, Product),
}

impl PriceList {
    /// Charges what the contract says.
    pub const STANDARD: Self = Self([None; Skill::ALL.len()]);

    /// Replaces the contract's prices for some products.
    ///
    /// # Errors
    /// Two prices are equal, or one is too low. A signed authorization names no product, so its amount must.
    pub fn with(prices: impl IntoIterator<Item = (Product, AtomicUsdc)>) -> Result<Self, BadPrices> {
        let mut list = Self::STANDARD;
        for (product, price) in prices {
            if let Some(place) = list.0.get_mut(product.skill() as usize) {
                *place = Some(price);
            }
        }
        for (index, product) in Product::ALL.into_iter().enumerate() {
            let price = list.of(product.skill());
            if price <= list.of(Skill::MyReceipts) {
                return Err(BadPrices::TooLow(product));
            }
            let mut before = Product::ALL.into_iter().take(index);
            if let Some(other) = before.find(|other| list.of(other.skill()) == price) {
                return Err(BadPrices::Equal(other, product));
            }
        }
        Ok(list)
    }

    /// Returns the value of the authorization that buyers sign for a skill.
    pub fn of(self, skill: Skill) -> AtomicUsdc {
        let own = self.0.get(skill as usize).copied().flatten();
        own.unwrap_or_else(|| skill.price())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operator_may_set_prices_that_differ() {
        let usdc = AtomicUsdc::new;
        let list = PriceList::with([(Product::Scan, usdc(250_000))]).unwrap();
        assert_eq!(list.of(Skill::Scan), usdc(250_000));
        assert_eq!(list.of(Skill::Audit), Skill::Audit.price());
        assert_eq!(list.of(Skill::MyReceipts), usdc(1));
        assert_eq!(
            PriceList::with([(Product::Scan, usdc(20_000))]),
            Err(BadPrices::Equal(Product::Scan, Product::Audit))
        );
        assert_eq!(
            PriceList::with([(Product::Full, usdc(1))]),
            Err(BadPrices::TooLow(Product::Full))
        );
        // Two prices may change places.
        assert!(PriceList::with([(Product::Scan, usdc(20_000)), (Product::Audit, usdc(150_000))]).is_ok());
    }
}
