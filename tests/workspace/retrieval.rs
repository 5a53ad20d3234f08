//! Searched answers and answers from memory, and the cap on the bill, from the scan to the report.

use crate::gate::Searcher;
use ibid_tests::Setup;
use ibid_tests::member::Member;
use serde_json::Value;
use std::sync::Arc;

/// Ten questions to each of three models.
const TEN: [(&str, &str); 8] = [
    ("domain", "example.com"),
    ("keyword", "plumber"),
    ("models", "model-1-latest"),
    ("models", "model-2-latest"),
    ("models", "model-3-latest"),
    ("questionsPerModel", "10"),
    ("keywordsPerRing", "1"),
    ("queriesPerKeyword", "1"),
];

/// The finished scan of a provider: the member who ordered it, its path and its result.
async fn scanned(searcher: Searcher) -> (ibid_tests::TestServer, Member, String, Value) {
    let server = Setup::default().provider(Arc::new(searcher)).workspace().spawn();
    let ada = Member::with_credits(&server, "ada@example.com", 2).await;
    let scan = ada.start(&TEN).await;
    ada.listen(&scan).await;
    let result = ada.open(&format!("{scan}/result.json")).await.json()["result"].clone();
    (server, ada, scan, result)
}

fn codes(result: &Value) -> Vec<&str> {
    let warnings = result["warnings"].as_array().unwrap().iter();
    warnings
        .map(|warning| warning["code"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn every_surface_of_a_scan_tells_the_strata_apart() {
    let (_server, ada, scan, result) = scanned(Searcher {
        percent: 71,
        dollars: 0,
    })
    .await;
    let strata = &result["retrieval"];
    let (searched, memory) = (
        strata["searched"].as_u64().unwrap(),
        strata["memory"].as_u64().unwrap(),
    );
    assert!(searched > 10 && memory > 0 && searched + memory == 30, "{strata}");
    assert_eq!(strata["headline"], "searched");
    // Every searched answer puts the website first; the headline rests on nothing else.
    assert_eq!(strata["searchedScore"], result["overallScore"]);
    assert!(result["overallScore"].as_f64().unwrap() > 80.0 && strata["memoryScore"] == 0.0);
    assert_eq!(result["usage"]["answered"], 30);
    let report = ada.open(&scan).await.text;
    let sentence = format!("{searched} of 30 answers searched the web; from memory: 0.0.");
    assert!(
        report.contains(&sentence) && report.contains("from memory"),
        "{sentence}"
    );
    let models = ada.open(&format!("{scan}/models.csv")).await.text;
    assert!(
        models
            .lines()
            .next()
            .unwrap()
            .contains("headline,searched,fromMemory,unknown")
    );
    let answers = ada.open(&format!("{scan}/answers.csv")).await.text;
    assert_eq!(
        answers.lines().filter(|row| row.contains(",no,\"\"")).count() as u64,
        memory
    );
    let evidence = ada.open(&format!("{scan}/answers.json")).await.json();
    let kept = evidence["answers"].as_array().unwrap().iter();
    let remembered = kept.filter(|answer| answer["retrieval"]["searched"] == "no");
    assert_eq!(remembered.count() as u64, memory);
}

#[tokio::test]
async fn a_scan_without_any_search_says_that_it_is_from_memory() {
    let (_server, ada, scan, result) = scanned(Searcher {
        percent: 0,
        dollars: 0,
    })
    .await;
    assert_eq!(result["retrieval"]["headline"], "memory");
    assert_eq!(codes(&result), ["not_searched"]);
    assert_eq!(result["usage"]["answered"], 30);
    let report = ada.open(&scan).await.text;
    assert!(report.contains("no answer searched the web; the scores are from memory"));
    assert!(report.contains("None of 30 answers searched the web: the score is from memory."));
}

#[tokio::test]
async fn a_scan_ends_with_what_it_has_when_its_bill_reaches_the_cap() {
    let (_server, ada, scan, result) = scanned(Searcher {
        percent: 100,
        dollars: 1,
    })
    .await;
    // Five answers of a dollar each make the cap of a scan.
    assert_eq!(result["usage"]["answered"], 5);
    assert_eq!(
        (&result["usage"]["costUsd"], result["usage"]["failed"].as_u64()),
        (&5.0.into(), Some(25))
    );
    assert_eq!(codes(&result), ["partial", "cost_cap_reached"]);
    assert!(result["usage"]["estimatedCostUsd"].as_f64().unwrap() < 1.5);
    let report = ada.open(&scan).await.text;
    assert!(
        report.contains("cost cap of $5.00, so 25 of 30 questions were not asked"),
        "{report}"
    );
    assert!(
        report.contains("as the provider billed it; the estimate was $"),
        "{report}"
    );
}
