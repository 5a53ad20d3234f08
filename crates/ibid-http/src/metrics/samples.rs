//! Values that other parts keep, read for one answer of `/metrics`.

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Metric, Registry};
use std::sync::atomic::AtomicU64;

pub(super) type Labels = Vec<(&'static str, String)>;

/// A registry that is filled for one answer.
pub(super) struct Samples<'a>(pub(super) &'a mut Registry);

impl Samples<'_> {
    /// Adds a counter with its rows. The format adds `_total` to the name.
    pub(super) fn counters(&mut self, name: &str, help: &str, rows: impl IntoIterator<Item = (Labels, u64)>) {
        let family = Family::<Labels, Counter>::default();
        for (labels, value) in rows {
            family.get_or_create(&labels).inc_by(value);
        }
        self.add(name, help, family);
    }

    /// Adds a gauge with its rows.
    pub(super) fn gauges(&mut self, name: &str, help: &str, rows: impl IntoIterator<Item = (Labels, f64)>) {
        let family = Family::<Labels, Gauge<f64, AtomicU64>>::default();
        for (labels, value) in rows {
            family.get_or_create(&labels).set(value);
        }
        self.add(name, help, family);
    }

    /// Adds a gauge without labels.
    pub(super) fn gauge(&mut self, name: &str, help: &str, value: f64) {
        let gauge = Gauge::<f64, AtomicU64>::default();
        gauge.set(value);
        self.add(name, help, gauge);
    }

    /// Adds a metric that another part counts.
    pub(super) fn add(&mut self, name: &str, help: &str, metric: impl Metric) {
        self.0.register(name, help, metric);
    }
}
