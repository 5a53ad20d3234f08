//! The demonstration scan that `ibid-server --sandbox` prints at the start.

use crate::settings::Settings;
use anyhow::Context;
use ibid_model::{ScanDraft, ScanForm};
use ibid_service::{Billing, CallerId, Job, Service};
use serde_json::{Value, json};
use std::time::Instant;

/// Runs one scan through the service as a v1 caller, prints its report and commands to paste.
///
/// # Errors
/// The scan failed.
#[expect(
    clippy::print_stdout,
    reason = "the demonstration is for the person at the terminal"
)]
pub(crate) async fn show(service: &Service, settings: &Settings) -> anyhow::Result<()> {
    let body = json!({"domain": "example.com", "keyword": "plumber", "location": "Valencia, Spain"});
    let Value::Object(members) = &body else {
        anyhow::bail!("the demonstration order must be a JSON object")
    };
    let start = Instant::now();
    let plan = service.planner.plan(ScanDraft(members), ScanForm::Byok).await?;
    let billing = Billing::Byok {
        caller: CallerId::api(),
        key: "sandbox".parse()?,
    };
    let finished = service
        .scans
        .perform(Job::scan(plan), billing)
        .await?
        .finish()
        .await
        .context("running the demonstration scan")?;
    let (base, took) = (settings.base_url.as_str().trim_end_matches('/'), start.elapsed());
    let result = finished
        .output
        .scan()
        .context("the demonstration scan has no result")?;
    println!("\n{}", ibid_web::terminal::report(result));
    println!(
        "Scanned in {} ms. The service listens on {base}. Commands to try:\n",
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
    println!("Press Ctrl-C to stop the server.");
    Ok(())
}
