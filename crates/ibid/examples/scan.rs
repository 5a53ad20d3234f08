//! A scan in another program: plan, ask, print. `cargo run -p ibid --example scan`

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "an example prints")]

use ibid::Engine;
use ibid::model::{Catalog, ScanDraft, ScanForm, ScanId};
use ibid::plan::{Plan, PlanOptions};
use ibid::provider::Sandbox;
use serde_json::json;
use std::{error::Error, num::NonZeroUsize, sync::Arc};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let body =
        json!({"domain": "example.com", "keyword": "bakery", "location": "Lyon, France", "rings": [1]});
    let order =
        ScanDraft(body.as_object().ok_or("not an object")?).parse(&Catalog::builtin(), ScanForm::Byok)?;

    let plan = Plan::of(order, PlanOptions::default())?;
    eprintln!("{} questions, about {}", plan.len(), plan.estimate());

    // `ibid::provider::Router` (feature `router`) asks real models instead.
    let engine = Engine::new(Arc::new(Sandbox::new(1)), NonZeroUsize::new(64).ok_or("zero")?);
    let key = "sandbox".parse()?;
    let scanned = engine.run(ScanId::random(), &plan, &key, |_progress| {}).await?;

    println!("score {} of 100", scanned.result.overall_score);
    for competitor in scanned.result.radius.top_competitors.iter().take(5) {
        println!("{:>2}. {}", competitor.rank, competitor.name);
    }
    Ok(())
}
