//! `ibid-server rescore`: scores stored scans again with the current method and prints old and new numbers.

use crate::database;
use crate::evidence::{self, EvidenceReader};
use crate::settings::Settings;
use anyhow::bail;
use clap::Args as ClapArgs;
use ibid_engine::score::METHOD_VERSION;
use ibid_model::ScanId;
use ibid_service::{Rescored, chain, rescore_kept};
use ibid_store::Store;

/// Scans read from the store at a time.
const PAGE: u32 = 500;

/// Score stored scans again and print old and new numbers
///
/// Nothing is written: released results stay unchanged. GET /api/v1/scan/:id/rescored returns the new result of a scan.
#[derive(ClapArgs, Debug)]
#[group(required = true, multiple = false)]
pub(crate) struct Args {
    /// Score every scan that another version of the method has scored
    #[arg(long)]
    all: bool,
    /// Score one scan
    #[arg(value_name = "ID")]
    id: Option<ScanId>,
}

/// Prints one line for each scan.
///
/// # Errors
/// The database cannot be opened or read, or the id names no scan with stored answers.
#[expect(clippy::print_stdout, reason = "the answer is for the person at the terminal")]
pub(crate) fn show(settings: &Settings, args: &Args) -> anyhow::Result<()> {
    let store = database::open_existing(settings)?;
    let reader = EvidenceReader::new(&store, evidence::open(settings)?)?;
    if let Some(id) = args.id {
        let Some(rescored) = reader.wait(rescore_kept(&reader.evidence, id))? else {
            bail!("there is no scan {id}, or its answers were not stored");
        };
        println!("{}", line(id, &rescored));
        return Ok(());
    }
    let counts = all(&store, &reader, |text| println!("{text}"))?;
    println!("{counts}");
    Ok(())
}

fn all(store: &Store, reader: &EvidenceReader, mut print: impl FnMut(String)) -> anyhow::Result<String> {
    let (mut done, mut moved, mut unreadable) = (0_u64, 0_u64, 0_u64);
    let mut after = None;
    loop {
        let ids = store.scans_of_other_methods(METHOD_VERSION, after, PAGE)?;
        for id in &ids {
            match reader.wait(rescore_kept(&reader.evidence, *id)) {
                Ok(Some(rescored)) => {
                    done += 1;
                    moved += u64::from(
                        rescored.old.overall_score.rounded() != rescored.new.overall_score.rounded(),
                    );
                    print(line(*id, &rescored));
                }
                Ok(None) => unreadable += 1,
                Err(error) => {
                    unreadable += 1;
                    print(format!("{id}  {}", chain(&error)));
                }
            }
        }
        after = ids.last().copied();
        if ids.len() < PAGE as usize {
            break;
        }
    }
    Ok(format!(
        "{done} scans scored again with method {METHOD_VERSION}: the score of {moved} changed, {unreadable} could not be read"
    ))
}

/// Formats a scan as "6f96…  0.9 -> 1.0  32.1 -> 33.4  example.com".
fn line(id: ScanId, rescored: &Rescored) -> String {
    let Rescored { old, new, .. } = rescored;
    format!(
        "{id}  {} -> {}  {:>5} -> {:>5}  {}",
        old.method.version,
        new.method.version,
        old.overall_score.to_string(),
        new.overall_score.to_string(),
        new.domain
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibid_store::{NewScan, Origin, PackedAnswers, Store};
    use serde_json::{Value, json};
    use std::sync::Arc;

    /// Stores a scan of the sandbox.
    fn keep(store: &Store, method: &str, score: f64, answers: bool) -> ScanId {
        let (result, mut evidence) = scan();
        let mut result: Value = serde_json::to_value(result).unwrap();
        let id = ScanId::random();
        evidence["scanId"] = json!(id);
        result["method"]["version"] = json!(method);
        result["overallScore"] = json!(score);
        let reply = json!({"scanId": id, "status": "complete", "result": result}).to_string();
        let evidence = evidence.to_string();
        let scan = NewScan {
            id,
            origin: Origin::V1,
            created_at: 1_795_000_000,
            sandbox: true,
            method,
            reply: reply.as_bytes(),
            answers: answers.then(|| PackedAnswers::of(evidence.as_bytes()).unwrap()),
        };
        store.put_scan(&scan).unwrap();
        id
    }

    fn scan() -> (Value, Value) {
        use ibid_engine::plan::{Plan, PlanOptions};
        let Value::Object(order) = json!({"domain": "example.com", "keyword": "crm"}) else {
            panic!("an order is an object")
        };
        let catalog = ibid_model::Catalog::builtin();
        let order = ibid_model::ScanDraft(&order)
            .parse(&catalog, ibid_model::ScanForm::Byok)
            .unwrap();
        let plan = Plan::of(order, PlanOptions::default()).unwrap();
        let provider = Arc::new(ibid_provider::Sandbox::new(1));
        let engine = ibid_engine::Engine::new(provider, std::num::NonZeroUsize::MIN);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let key = "sandbox".parse().unwrap();
        let scanned = runtime
            .block_on(engine.run(ScanId::random(), &plan, &key, |_| {}))
            .unwrap();
        (
            serde_json::to_value(scanned.result).unwrap(),
            serde_json::to_value(scanned.evidence).unwrap(),
        )
    }

    #[test]
    fn scans_of_older_methods_are_listed_with_old_and_new_scores() {
        let store: Arc<Store> = Arc::new(Store::in_memory().unwrap());
        let reader = EvidenceReader::new(&store, None).unwrap();
        let old = keep(&store, "0.9", 1.5, true);
        keep(&store, METHOD_VERSION, 1.5, true);
        keep(&store, "0.9", 1.5, false);
        let mut lines = Vec::new();
        let counts = all(&store, &reader, |line| lines.push(line)).unwrap();
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert!(
            lines[0].starts_with(&format!("{old}  0.9 -> {METHOD_VERSION}    1.5 -> ")),
            "{lines:?}"
        );
        assert!(
            counts.starts_with("1 scans scored again") && counts.contains("the score of 1 changed, 0 could"),
            "{counts}"
        );
        // The store is unchanged.
        assert_eq!(store.scan(old).unwrap().unwrap().method, "0.9");
        let rescored = reader.wait(rescore_kept(&reader.evidence, old)).unwrap().unwrap();
        assert_eq!(rescored.new.method.previous[0].overall_score.get(), 1.5);
    }
}
