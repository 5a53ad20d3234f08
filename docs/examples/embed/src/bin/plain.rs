//! Scores two answers and runs a scan: `cargo run --bin plain`.

use ibid_embed::{Answers, scan, score};
use std::error::Error;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let answers = [
        "I recommend Acme Tools (https://acmetools.com).",
        "Bolt & Co. is the best.",
    ];
    let order = Answers {
        domain: "acmetools.com".to_owned(),
        answers: answers.map(str::to_owned).to_vec(),
    };
    println!("{}", serde_json::to_string(&score(&order)?)?);
    let result = scan("acmetools.com", "tools").await?;
    println!(
        "{} of 100 over {} models",
        result.overall_score,
        result.models.len()
    );
    Ok(())
}
