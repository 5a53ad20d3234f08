//! A node of the invented chain: the sandbox's ledger as JSON-RPC.
//!
//! Blocks are two seconds apart, and the newest is of now. A transfer is in the block after the newest one of before, and
//! enough blocks follow it at once to make it final.

use ibid_model::{PaymentKey, Wallet};
use ibid_x402::SandboxFacilitator;
use jiff::Timestamp;
use serde_json::{Value, json};

/// The newest block before any transfer.
const FIRST: u64 = 1_000;
/// The blocks that come with a transfer.
const STEP: u64 = 20;
/// The block of all cancellations.
const CANCELLATIONS: u64 = 900;
const TRANSFER: &str = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const USED: &str = "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5";
const CANCELLED: &str = "0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81";

/// Answers one call.
pub(super) fn answer(body: &str, sandbox: &SandboxFacilitator) -> String {
    let call: Value = serde_json::from_str(body).expect("a call in JSON");
    let params = &call["params"];
    let result = match call["method"].as_str().expect("a method") {
        "eth_chainId" => json!("0x14a34"),
        "eth_getBlockByNumber" => block(&params[0], newest(sandbox)),
        "eth_call" => json!(format!(
            "0x{:064x}",
            u8::from(is_used(&params[0]["data"], sandbox))
        )),
        "eth_getLogs" => Value::Array(logs(&params[0], sandbox)),
        "eth_getTransactionReceipt" => {
            let events: Vec<Value> = events(sandbox)
                .into_iter()
                .filter(|log| log["transactionHash"] == params[0])
                .collect();
            match events.first() {
                None => Value::Null,
                Some(first) => json!({"status": "0x1", "blockNumber": first["blockNumber"],
                    "transactionHash": params[0], "logs": events}),
            }
        }
        method => panic!("the node does not know {method}"),
    };
    json!({"jsonrpc": "2.0", "id": call["id"], "result": result}).to_string()
}

fn hex(number: u64) -> String {
    format!("0x{number:x}")
}

fn newest(sandbox: &SandboxFacilitator) -> u64 {
    FIRST + STEP * sandbox.transfers().len() as u64
}

fn block(name: &Value, newest: u64) -> Value {
    let digits = name.as_str().expect("a block").trim_start_matches("0x");
    let number = u64::from_str_radix(digits, 16).unwrap_or(newest);
    let now = u64::try_from(Timestamp::now().as_second()).expect("a time after 1970");
    json!({"number": hex(number), "timestamp": hex(now - 2 * (newest - number))})
}

fn word(wallet: Wallet) -> String {
    format!("0x{:0>64}", wallet.to_string().trim_start_matches("0x"))
}

fn is_used(data: &Value, sandbox: &SandboxFacilitator) -> bool {
    let data = data.as_str().expect("call data");
    let used = sandbox.transfers().into_iter().map(|transfer| transfer.key);
    used.chain(sandbox.cancelled()).any(|key| {
        data == format!(
            "0xe94a0102{}{}",
            &word(key.payer)[2..],
            &key.nonce.to_string()[2..]
        )
    })
}

fn logs(filter: &Value, sandbox: &SandboxFacilitator) -> Vec<Value> {
    let number = |name: &str| {
        let digits = filter[name].as_str().expect("a block").trim_start_matches("0x");
        u64::from_str_radix(digits, 16).expect("a number")
    };
    let blocks = number("fromBlock")..=number("toBlock");
    let fits = |log: &Value| {
        let digits = log["blockNumber"]
            .as_str()
            .expect("a block")
            .trim_start_matches("0x");
        if !blocks.contains(&u64::from_str_radix(digits, 16).expect("a number")) {
            return false;
        }
        let wanted = filter["topics"].as_array().expect("topics").iter();
        wanted
            .zip(log["topics"].as_array().expect("topics"))
            .all(|(wanted, topic)| match wanted {
                Value::Null => true,
                Value::Array(any) => any.contains(topic),
                one => one == topic,
            })
    };
    events(sandbox).into_iter().filter(fits).collect()
}

fn events(sandbox: &SandboxFacilitator) -> Vec<Value> {
    let mut events: Vec<Value> = Vec::new();
    let mut add = |key: &PaymentKey, block: u64, transaction: &str, topics: Value, amount: u64| {
        let index = events.len() as u64;
        events.push(
            json!({"address": key.asset.to_string(), "topics": topics, "data": format!("0x{amount:064x}"),
            "blockNumber": hex(block), "logIndex": hex(index), "transactionHash": transaction}),
        );
    };
    for (before, transfer) in (0..).zip(sandbox.transfers()) {
        let block = FIRST + STEP * before + 1;
        let (key, payer) = (transfer.key, word(transfer.key.payer));
        add(
            &key,
            block,
            &transfer.transaction,
            json!([USED, payer, key.nonce.to_string()]),
            0,
        );
        let topics = json!([TRANSFER, payer, word(transfer.to)]);
        add(&key, block, &transfer.transaction, topics, transfer.amount.get());
    }
    for key in sandbox.cancelled() {
        // The hash is of the same length as a nonce.
        let topics = json!([CANCELLED, word(key.payer), key.nonce.to_string()]);
        add(&key, CANCELLATIONS, &key.nonce.to_string(), topics, 0);
    }
    events
}
