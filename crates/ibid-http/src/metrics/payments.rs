//! Metrics of payments.

use super::samples::Samples;
use ibid_service::PaymentFigures;

/// Adds the figures of payments.
pub(super) fn register(samples: &mut Samples<'_>, figures: &PaymentFigures) {
    let counts = figures.counts.iter().map(|count| {
        let labels = vec![
            ("state", count.state.as_str().to_owned()),
            ("skill", count.skill.to_string()),
        ];
        (labels, count.payments as f64)
    });
    samples.gauges("ibid_payments", "Payments in the database", counts);
    let call = |call: &'static str| vec![("call", call.to_owned())];
    samples.counters(
        "ibid_facilitator_calls",
        "Calls to the facilitator",
        figures.calls.iter().map(|calls| (call(calls.call), calls.count)),
    );
    samples.gauges(
        "ibid_facilitator_seconds",
        "Time of all calls to the facilitator",
        figures
            .calls
            .iter()
            .map(|calls| (call(calls.call), calls.seconds)),
    );
    for (name, help, value) in [
        (
            "ibid_payments_oldest_unknown_seconds",
            "Age of the oldest settlement of unknown outcome",
            figures.oldest_unknown as f64,
        ),
        (
            "ibid_payments_inferred",
            "Receipts that an earlier version inferred",
            figures.inferred as f64,
        ),
        (
            "ibid_payments_without_transfer",
            "Receipts whose transfer the chain does not show",
            figures.missing as f64,
        ),
        (
            "ibid_payments_unrecorded",
            "Transfers of the last two days without a receipt",
            figures.unrecorded as f64,
        ),
        (
            "ibid_payments_exposure_usdc_atomic",
            "Value of orders that are under way or unpaid in atomic units",
            figures.exposure.get() as f64,
        ),
        (
            "ibid_payments_network_served",
            "Whether the facilitator serves the network",
            f64::from(u8::from(figures.served)),
        ),
    ] {
        samples.gauge(name, help, value);
    }
}
