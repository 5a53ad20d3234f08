//! Results in files: the output of `ibid scan --json`, or an answer of the API.

use anyhow::Context;
use ibid_model::{ScanId, ScanResult};
use serde::Deserialize;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Maximum size of a file in bytes. The largest scans take a tenth of it.
const MOST: u64 = 256 << 20;

/// A scan from a file.
#[derive(Debug)]
pub(crate) struct Scan {
    /// Its id, if the file contains one.
    pub(crate) id: Option<ScanId>,
    pub(crate) result: ScanResult,
}

/// A result inside an answer of the API.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reply {
    scan_id: ScanId,
    result: ScanResult,
}

/// Reads a result; `-` is standard input.
pub(crate) fn read_scan(path: &Path) -> anyhow::Result<Scan> {
    let bytes = read(path)?;
    let parsed = match serde_json::from_slice::<Reply>(&bytes) {
        Ok(reply) => Ok(Scan {
            id: Some(reply.scan_id),
            result: reply.result,
        }),
        Err(no_reply) => serde_json::from_slice(&bytes)
            .map(|result| Scan { id: None, result })
            // A file with the member `result` is an answer of the API, so its error is the relevant one.
            .map_err(|no_result| {
                if holds(&bytes, "result") {
                    no_reply
                } else {
                    no_result
                }
            }),
    };
    parsed.with_context(|| format!("{} holds no scan result", path.display()))
}

fn holds(bytes: &[u8], member: &str) -> bool {
    serde_json::from_slice::<serde_json::Value>(bytes).is_ok_and(|value| value.get(member).is_some())
}

/// Reads a whole file; `-` is standard input.
pub(crate) fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut source: Box<dyn Read> = if path == Path::new("-") {
        Box::new(std::io::stdin().lock())
    } else {
        Box::new(File::open(path).with_context(|| format!("reading {}", path.display()))?)
    };
    source
        .by_ref()
        .take(MOST + 1)
        .read_to_end(&mut bytes)
        .with_context(|| format!("reading {}", path.display()))?;
    anyhow::ensure!(
        bytes.len() as u64 <= MOST,
        "{} is over {} MiB",
        path.display(),
        MOST >> 20
    );
    Ok(bytes)
}
