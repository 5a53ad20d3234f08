//! Numbers, words and events as nodes write them.

use super::ChainFault;
use crate::eip712::keccak;
use crate::hex;
use ibid_model::{AtomicUsdc, Nonce, TokenAddress, Wallet};
use serde::{Deserialize, Deserializer};
use std::sync::LazyLock;

/// The hashes by which events of the token are found.
pub(super) struct Topics {
    pub(super) used: [u8; 32],
    pub(super) cancelled: [u8; 32],
    pub(super) transfer: [u8; 32],
}

pub(super) static TOPICS: LazyLock<Topics> = LazyLock::new(|| Topics {
    used: keccak(&[b"AuthorizationUsed(address,bytes32)"]),
    cancelled: keccak(&[b"AuthorizationCanceled(address,bytes32)"]),
    transfer: keccak(&[b"Transfer(address,address,uint256)"]),
});

#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) struct Block {
    #[serde(deserialize_with = "quantity")]
    pub(super) number: u64,
    #[serde(deserialize_with = "quantity")]
    pub(super) timestamp: u64,
}

/// An event of a contract.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Log {
    pub(super) address: TokenAddress,
    #[serde(deserialize_with = "words")]
    topics: Vec<[u8; 32]>,
    data: String,
    #[serde(deserialize_with = "quantity")]
    pub(super) block_number: u64,
    #[serde(deserialize_with = "quantity")]
    pub(super) log_index: u64,
    #[serde(deserialize_with = "word")]
    pub(super) transaction_hash: [u8; 32],
    /// Whether the node marks the event as no longer part of the chain.
    #[serde(default)]
    pub(super) removed: bool,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TransactionReceipt {
    #[serde(deserialize_with = "quantity")]
    pub(super) status: u64,
    #[serde(deserialize_with = "quantity")]
    pub(super) block_number: u64,
    #[serde(deserialize_with = "word")]
    pub(super) transaction_hash: [u8; 32],
    /// The account that sent it.
    #[serde(default)]
    pub(super) from: Option<Wallet>,
    pub(super) logs: Vec<Log>,
}

/// An event of the token that matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenEvent {
    Used {
        payer: Wallet,
        nonce: Nonce,
    },
    Cancelled {
        payer: Wallet,
        nonce: Nonce,
    },
    Transfer {
        from: Wallet,
        to: Wallet,
        amount: Option<AtomicUsdc>,
    },
}

impl Log {
    /// The event, if it is one of the three.
    /// An amount beyond 64 bits is `None`.
    pub(super) fn event(&self) -> Option<TokenEvent> {
        match self.topics.as_slice() {
            [name, payer, nonce] if *name == TOPICS.used => Some(TokenEvent::Used {
                payer: address_of(payer)?,
                nonce: Nonce::from_bytes(*nonce),
            }),
            [name, payer, nonce] if *name == TOPICS.cancelled => Some(TokenEvent::Cancelled {
                payer: address_of(payer)?,
                nonce: Nonce::from_bytes(*nonce),
            }),
            [name, from, to] if *name == TOPICS.transfer => Some(TokenEvent::Transfer {
                from: address_of(from)?,
                to: address_of(to)?,
                amount: amount(&self.data),
            }),
            _ => None,
        }
    }
}

impl TransactionReceipt {
    /// The transfer that the authorization of `payer` and `nonce` has caused:
    /// the token's first transfer behind the use, before any other use.
    pub(super) fn transfer_of(&self, token: TokenAddress, payer: Wallet, nonce: Nonce) -> Option<&Log> {
        let mut logs: Vec<&Log> = self.logs.iter().filter(|log| log.address == token).collect();
        logs.sort_by_key(|log| log.log_index);
        let mut behind = logs
            .into_iter()
            .skip_while(|log| log.event() != Some(TokenEvent::Used { payer, nonce }))
            .skip(1);
        behind.find_map(|log| match log.event() {
            Some(TokenEvent::Transfer { .. }) => Some(Some(log)),
            Some(TokenEvent::Used { .. }) => Some(None),
            Some(TokenEvent::Cancelled { .. }) | None => None,
        })?
    }

    /// Adds up what the transaction moved to a wallet from others, in atomic units; `None` beyond 64 bits.
    pub(super) fn moved_to(&self, token: TokenAddress, wallet: Wallet) -> Option<AtomicUsdc> {
        let amounts = self.logs.iter().filter_map(|log| match log.event() {
            Some(TokenEvent::Transfer { from, to, amount })
                if log.address == token && to == wallet && from != wallet =>
            {
                Some(amount)
            }
            Some(_) | None => None,
        });
        let mut sum = 0_u64;
        for amount in amounts {
            sum = sum.checked_add(amount?.get())?;
        }
        Some(AtomicUsdc::new(sum))
    }

    /// The authorization that has caused the transfer at `position`, if one has.
    pub(super) fn authorization_of(&self, token: TokenAddress, position: u64) -> Option<(Wallet, Nonce)> {
        let uses = self.logs.iter().filter_map(|log| match log.event() {
            Some(TokenEvent::Used { payer, nonce }) if log.address == token => Some((payer, nonce)),
            Some(_) | None => None,
        });
        uses.into_iter().find(|(payer, nonce)| {
            let transfer = self.transfer_of(token, *payer, *nonce);
            transfer.is_some_and(|log| log.log_index == position)
        })
    }
}

/// A 32-byte word that holds an address.
pub(super) fn padded(address: &[u8; 20]) -> String {
    let mut word = [0; 32];
    word[12..].copy_from_slice(address);
    hex::encode(&word)
}

/// A number in the form of JSON-RPC: `0x` and at least one digit.
pub(super) fn number(text: &str) -> Result<u64, ChainFault> {
    let digits = text.strip_prefix("0x").ok_or(ChainFault::Malformed)?;
    if digits.starts_with('+') {
        return Err(ChainFault::Malformed);
    }
    u64::from_str_radix(digits, 16).map_err(|_| ChainFault::Malformed)
}

/// A boolean as a contract returns it.
pub(super) fn boolean(text: &str) -> Result<bool, ChainFault> {
    let word = bytes32(text).ok_or(ChainFault::Malformed)?;
    match word {
        [0, .., 0] if word == [0; 32] => Ok(false),
        [first @ .., 1] if first == [0; 31] => Ok(true),
        _ => Err(ChainFault::Malformed),
    }
}

fn address_of(word: &[u8; 32]) -> Option<Wallet> {
    let (padding, address) = word.split_at(12);
    let address = <[u8; 20]>::try_from(address).ok()?;
    padding
        .iter()
        .all(|&byte| byte == 0)
        .then(|| Wallet::from_bytes(address))
}

fn amount(data: &str) -> Option<AtomicUsdc> {
    let word = bytes32(data)?;
    let (high, low) = word.split_at(24);
    let low = <[u8; 8]>::try_from(low).ok()?;
    high.iter()
        .all(|&byte| byte == 0)
        .then(|| AtomicUsdc::new(u64::from_be_bytes(low)))
}

fn bytes32(text: &str) -> Option<[u8; 32]> {
    hex::decode(text, 32)?.try_into().ok()
}

fn quantity<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let text = String::deserialize(deserializer)?;
    number(&text).map_err(serde::de::Error::custom)
}

fn word<'de, D: Deserializer<'de>>(deserializer: D) -> Result<[u8; 32], D::Error> {
    let text = String::deserialize(deserializer)?;
    bytes32(&text).ok_or_else(|| serde::de::Error::custom("not 32 bytes"))
}

fn words<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<[u8; 32]>, D::Error> {
    let texts = Vec::<String>::deserialize(deserializer)?;
    let words: Option<_> = texts.iter().map(|text| bytes32(text)).collect();
    words.ok_or_else(|| serde::de::Error::custom("not 32 bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    const TOKEN: TokenAddress = TokenAddress::from_bytes([3; 20]);
    const OTHER_TOKEN: TokenAddress = TokenAddress::from_bytes([4; 20]);
    const PAYER: Wallet = Wallet::from_bytes([1; 20]);
    const SHOP: Wallet = Wallet::from_bytes([2; 20]);

    fn log(index: u64, topics: [&[u8; 32]; 3], data: u64) -> Value {
        json!({"address": TOKEN.to_string(), "topics": topics.map(|topic| hex::encode(topic)),
            "data": format!("0x{data:064x}"), "blockNumber": "0x10", "logIndex": format!("0x{index:x}"),
            "transactionHash": hex::encode(&[9; 32])})
    }

    fn used(index: u64, nonce: u8) -> Value {
        log(index, [&TOPICS.used, &padded_word(PAYER), &[nonce; 32]], 0)
    }

    fn transfer(index: u64, to: Wallet, amount: u64) -> Value {
        log(
            index,
            [&TOPICS.transfer, &padded_word(PAYER), &padded_word(to)],
            amount,
        )
    }

    fn padded_word(wallet: Wallet) -> [u8; 32] {
        bytes32(&padded(wallet.as_bytes())).unwrap()
    }

    fn receipt(logs: &[Value]) -> TransactionReceipt {
        let receipt = json!({"status": "0x1", "blockNumber": "0x10", "transactionHash": hex::encode(&[9; 32]), "logs": logs});
        serde_json::from_value(receipt).unwrap()
    }

    fn nonce(byte: u8) -> Nonce {
        Nonce::from_bytes([byte; 32])
    }

    #[test]
    fn each_use_has_its_own_transfer() {
        let batch = receipt(&[
            used(4, 7),
            transfer(5, SHOP, 150_000),
            used(6, 8),
            transfer(7, PAYER, 150_000),
        ]);
        let to = |byte| batch.transfer_of(TOKEN, PAYER, nonce(byte)).and_then(Log::event);
        let expected = |to| {
            Some(TokenEvent::Transfer {
                from: PAYER,
                to,
                amount: Some(AtomicUsdc::new(150_000)),
            })
        };
        assert_eq!((to(7), to(8), to(9)), (expected(SHOP), expected(PAYER), None));
        assert_eq!(batch.authorization_of(TOKEN, 5), Some((PAYER, nonce(7))));
        assert_eq!(batch.authorization_of(TOKEN, 7), Some((PAYER, nonce(8))));
        // A use without a transfer does not consume the transfer of the next use.
        let odd = receipt(&[used(4, 7), used(6, 8), transfer(7, SHOP, 150_000)]);
        assert!(odd.transfer_of(TOKEN, PAYER, nonce(7)).is_none());
        assert_eq!(odd.authorization_of(TOKEN, 7), Some((PAYER, nonce(8))));
        assert_eq!(batch.moved_to(TOKEN, SHOP), Some(AtomicUsdc::new(150_000)));
        assert_eq!(batch.moved_to(OTHER_TOKEN, SHOP), Some(AtomicUsdc::new(0)));
        let twice = receipt(&[transfer(1, SHOP, 5), transfer(2, PAYER, 9), transfer(3, SHOP, 6)]);
        assert_eq!(twice.moved_to(TOKEN, SHOP), Some(AtomicUsdc::new(11)));
        let plain = receipt(&[transfer(1, SHOP, 5)]);
        assert_eq!(plain.authorization_of(TOKEN, 1), None);
    }

    /// The hashes as the deployed token emits them.
    #[test]
    fn events_are_those_of_the_token() {
        let names = [&TOPICS.transfer, &TOPICS.used, &TOPICS.cancelled].map(|topic| hex::encode(topic));
        assert_eq!(
            names,
            [
                "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
                "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5",
                "0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81",
            ]
        );
    }

    #[test]
    fn hostile_answers_are_refused() {
        for text in ["", "0x", "1", "0x+1", "0xg", "0x10000000000000000"] {
            assert_eq!(number(text), Err(ChainFault::Malformed), "{text}");
        }
        assert_eq!(number("0x1f"), Ok(31));
        assert_eq!(boolean(&format!("0x{:064x}", 1)), Ok(true));
        assert_eq!(boolean(&format!("0x{:064x}", 0)), Ok(false));
        for text in ["0x", "0x1", &format!("0x{:064x}", 2), &format!("0x1{:063x}", 1)] {
            assert_eq!(boolean(text), Err(ChainFault::Malformed), "{text}");
        }
        let mut hostile = transfer(1, SHOP, 5);
        hostile["data"] = json!(format!("0xff{:062x}", 5));
        let log: Log = serde_json::from_value(hostile.clone()).unwrap();
        assert!(matches!(
            log.event(),
            Some(TokenEvent::Transfer { amount: None, .. })
        ));
        hostile["topics"] = json!(["0x12"]);
        assert!(serde_json::from_value::<Log>(hostile).is_err());
    }
}
