//! Prints the questions of keywords and places, given as lines of two cells on standard input.

use ibid_engine::plan::{Plan, PlanOptions};
use ibid_model::{Catalog, ScanDraft, ScanForm};
use std::io::BufRead;

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "an example prints")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let mut cells = line.split('\t');
        let (keyword, place) = (cells.next().unwrap_or_default(), cells.next().unwrap_or_default());
        let body = serde_json::json!({
            "domain": "example.com", "keyword": keyword, "questionsPerModel": 10,
            "location": Some(place).filter(|place| !place.is_empty()),
        });
        let members = body.as_object().cloned().unwrap_or_default();
        let order = ScanDraft(&members).parse(&Catalog::builtin(), ScanForm::Byok)?;
        let plan = match Plan::of(order, PlanOptions::default()) {
            Ok(plan) => plan,
            Err(error) => {
                eprintln!("{keyword}\t{place}\t{error}");
                continue;
            }
        };
        for question in plan.questions() {
            let kind = question.kind.as_deref().unwrap_or_default();
            let facts = [
                keyword,
                place,
                &question.language,
                kind,
                &question.template,
                &question.id,
                &question.text,
            ];
            println!("{}", facts.join("\t"));
        }
    }
    Ok(())
}
