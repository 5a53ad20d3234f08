//! Wallets for tests and demonstrations.

use crate::eip712::{address, keccak};
use ibid_model::{AtomicUsdc, Wallet, unhex};
use k256::ecdsa::SigningKey;
use std::fmt;

/// A wallet whose key is public: never send real money to it.
#[derive(Clone)]
pub struct TestWallet {
    key: SigningKey,
}

/// What Ethereum's development chains give accounts 1 to 4 by default.
/// They are printed in the documentation of those tools and have no value anywhere.
const PUBLISHED: [[u8; 32]; 4] = [
    unhex(b"59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d"),
    unhex(b"5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a"),
    unhex(b"7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6"),
    unhex(b"47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a"),
];

/// What the published wallets begin with, in atomic USDC.
const FUNDS: [u64; 4] = [1_000_000_000, 1_000_000_000, 100_000, 0];

impl TestWallet {
    /// The wallet with 1,000 USDC: `0x7099…79C8`.
    #[must_use]
    pub fn rich() -> Self {
        Self::published(0)
    }

    /// Another wallet with 1,000 USDC: `0x3C44…93BC`.
    #[must_use]
    pub fn other() -> Self {
        Self::published(1)
    }

    /// The wallet with 0.1 USDC, enough for an audit only: `0x90F7…b906`.
    #[must_use]
    pub fn poor() -> Self {
        Self::published(2)
    }

    /// The wallet without money: `0x15d3…6A65`.
    #[must_use]
    pub fn empty() -> Self {
        Self::published(3)
    }

    /// A separate wallet for each number.
    /// It has no money until it is funded.
    #[must_use]
    pub fn numbered(number: u64) -> Self {
        // A hash is a valid key but for a chance of 2^-128.
        // The next hash is taken then.
        let mut round = 0_u64;
        loop {
            let bytes = keccak(&[
                b"ibid sandbox wallet",
                &number.to_be_bytes(),
                &round.to_be_bytes(),
            ]);
            if let Ok(key) = SigningKey::from_slice(&bytes) {
                return Self { key };
            }
            round += 1;
        }
    }

    /// The published wallets and what they have in a new sandbox.
    #[must_use]
    pub fn funded() -> Vec<(Self, AtomicUsdc)> {
        let funds = FUNDS.into_iter().map(AtomicUsdc::new);
        (0..PUBLISHED.len()).map(Self::published).zip(funds).collect()
    }

    /// Its address.
    pub fn address(&self) -> Wallet {
        address(self.key.verifying_key())
    }

    /// Signs a hash: r, s, and v as 27 or 28.
    pub(crate) fn sign(&self, digest: &[u8; 32]) -> [u8; 65] {
        let (signature, recovery) = self.key.sign_prehash_recoverable(digest);
        let mut bytes = [0; 65];
        bytes[..64].copy_from_slice(&signature.to_bytes());
        bytes[64] = 27 + u8::from(recovery.is_y_odd());
        bytes
    }

    fn published(index: usize) -> Self {
        let key = PUBLISHED
            .get(index)
            .and_then(|key| SigningKey::from_slice(key).ok());
        key.map_or_else(|| Self::numbered(u64::MAX), |key| Self { key })
    }
}

impl fmt::Debug for TestWallet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TestWallet({})", self.address())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eip712::checksummed;

    #[test]
    fn published_wallets_have_their_known_addresses() {
        let check = |wallet: TestWallet, address: &str| {
            assert_eq!(checksummed(wallet.address().as_bytes()), address);
        };
        check(TestWallet::rich(), "0x70997970C51812dc3A010C7d01b50e0d17dc79C8");
        check(TestWallet::other(), "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC");
        check(TestWallet::poor(), "0x90F79bf6EB2c4f870365E785982E1f101E93b906");
        check(TestWallet::empty(), "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65");
    }

    #[test]
    fn numbered_wallets_differ() {
        assert_ne!(
            TestWallet::numbered(1).address(),
            TestWallet::numbered(2).address()
        );
        assert_eq!(
            TestWallet::numbered(1).address(),
            TestWallet::numbered(1).address()
        );
    }
}
