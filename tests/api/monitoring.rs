//! The dashboard and the alert rules name metrics that exist.

use ibid_http::Metrics;
use ibid_tests::{ApiClient, Setup, small_order};
use ibid_x402::SandboxFacilitator;
use std::collections::BTreeSet;
use std::sync::Arc;

const DASHBOARD: &str = include_str!("../../docs/monitoring/grafana.json");
const ALERTS: &str = include_str!("../../docs/monitoring/alerts.yml");

/// The words of a text that begin like a metric of this program.
fn metrics_in(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .filter(|word| word.starts_with("ibid_"))
        .collect()
}

#[tokio::test]
async fn every_metric_of_dashboard_and_alerts_exists() {
    let server = Setup::default()
        .selling(Arc::new(SandboxFacilitator::new()))
        .spawn();
    assert_eq!(ApiClient::of(&server).scan(&small_order()).await.status, 200);
    let text = Metrics::default().render(&server.service).await.unwrap();
    let shown: BTreeSet<&str> = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|row| row.split(['{', ' ']).next())
        .collect();
    for source in [DASHBOARD, ALERTS] {
        let named = metrics_in(source);
        assert!(named.len() >= 8, "{named:?}");
        // A sold run and its payment are counted only after the first sale.
        let missing: Vec<_> = named
            .iter()
            .filter(|name| !shown.contains(*name) && **name != "ibid_payments")
            .collect();
        assert!(missing.is_empty(), "{missing:?} are missing in\n{text}");
    }
    serde_json::from_str::<serde_json::Value>(DASHBOARD).unwrap();
    for (name, value) in [("alias", "answered"), ("outcome", "answered")] {
        assert!(text.contains(name) && text.contains(value));
    }
}
