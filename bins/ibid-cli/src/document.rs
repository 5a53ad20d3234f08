//! Results in files: what `ibid scan --json` prints, or an answer of the API.

use anyhow::Context;
use ibid_model::result::AuditReport;
use ibid_model::{ScanId, ScanResult};
use serde::Deserialize;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Most bytes of a file. The largest scans take a tenth.
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

/// A document of either kind.
pub(crate) enum Stored {
    Scan(Box<Scan>),
    Audit(Box<AuditReport>),
}

/// An audit inside an answer of the API or a file from the workspace.
#[derive(Deserialize)]
struct AuditReply {
    result: AuditReport,
}

/// Reads a scan or an audit; `-` is standard input.
pub(crate) fn read_stored(path: &Path) -> anyhow::Result<Stored> {
    let bytes = read(path)?;
    let audit = if holds(&bytes, "auditVersion") {
        serde_json::from_slice(&bytes).map(Some)
    } else if holds(&bytes, "auditId") {
        serde_json::from_slice(&bytes).map(|AuditReply { result }| Some(result))
    } else {
        Ok(None)
    };
    match audit.with_context(|| format!("{} holds no audit report", path.display()))? {
        Some(report) => Ok(Stored::Audit(Box::new(report))),
        None => parse_scan(&bytes, path).map(|scan| Stored::Scan(Box::new(scan))),
    }
}

/// Reads a result; `-` is standard input.
pub(crate) fn read_scan(path: &Path) -> anyhow::Result<Scan> {
    parse_scan(&read(path)?, path)
}

fn parse_scan(bytes: &[u8], path: &Path) -> anyhow::Result<Scan> {
    let parsed = match serde_json::from_slice::<Reply>(bytes) {
        Ok(reply) => Ok(Scan {
            id: Some(reply.scan_id),
            result: reply.result,
        }),
        Err(no_reply) => serde_json::from_slice(bytes)
            .map(|result| Scan { id: None, result })
            // A file with the member `result` is an answer of the API, so its error is the relevant one.
            .map_err(|no_result| {
                if holds(bytes, "result") {
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

/// Opens a file for reading; `-` is standard input.
pub(crate) fn open(path: &Path) -> anyhow::Result<Box<dyn Read>> {
    if path == Path::new("-") {
        return Ok(Box::new(std::io::stdin().lock()));
    }
    let file = File::open(path).with_context(|| format!("reading {}", path.display()))?;
    Ok(Box::new(file))
}

/// Reads a whole file; `-` is standard input.
pub(crate) fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?
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
