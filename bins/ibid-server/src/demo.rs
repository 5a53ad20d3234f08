//! The demonstration scan of the sandbox: what a first-time user sees.

use crate::settings::Settings;
use anyhow::Context;
use ibid_model::{ScanDraft, ScanForm};
use ibid_service::{Billing, CallerId, Job, Service};
use serde_json::{Value, json};
use std::time::Instant;

/// Runs one scan as any caller would, prints its report and lines to paste.
///
/// # Errors
/// A scan that fails in the sandbox.
#[expect(
    clippy::print_stdout,
    reason = "the demonstration is for the person at the terminal"
)]
pub(crate) async fn show(service: &Service, settings: &Settings) -> anyhow::Result<()> {
    let body = json!({"domain": "example.com", "keyword": "plumber", "location": "Valencia, Spain", "rings": [1, 2, 3, 4]});
    let Value::Object(members) = &body else {
        anyhow::bail!("the demonstration's order is an object")
    };
    let start = Instant::now();
    let plan = service.plan(ScanDraft(members), ScanForm::Byok)?;
    let billing = Billing::Byok {
        caller: CallerId::api(),
        key: "sandbox".parse()?,
    };
    let finished = service
        .perform(Job::Scan(Box::new(plan)), billing)
        .await?
        .finish()
        .await
        .context("demonstration scan")?;
    let (base, took) = (settings.base_url.as_str().trim_end_matches('/'), start.elapsed());
    let result = finished
        .output
        .scan()
        .context("a demonstration scan has a result")?;
    println!("\n{}", ibid_web::terminal::report(result));
    println!(
        "Scanned in {} ms. The service listens on {base}. Paste:\n",
        took.as_millis()
    );
    println!("  curl {base}/api/v1/models\n");
    println!(
        "  curl {base}/api/v1/scan -H 'Authorization: Bearer sandbox' -H 'X-Router-Key: sandbox' \\\n    \
         -H 'Content-Type: application/json' -d '{body}'\n"
    );
    println!(
        "  curl {base}/api/v1/scan/{} -H 'Authorization: Bearer sandbox'\n",
        finished.id
    );
    println!("Ctrl-C stops the server.");
    Ok(())
}
