//! Metrics of runs, questions and models.

use super::samples::{Labels, Samples};
use ibid_model::result::Searched;
use ibid_provider::Probe;
use ibid_service::Service;

/// Adds the metrics of the service.
pub(super) fn register(samples: &mut Samples<'_>, service: &Service) {
    let now = service.counts();
    let product = |run: &ibid_service::RunCounts| ("product", run.product.skill().to_string());
    samples.counters(
        "ibid_runs_started",
        "Scans and audits begun",
        now.runs.iter().map(|run| (vec![product(run)], run.started)),
    );
    let ended = now.runs.iter().flat_map(|run| {
        [("done", run.done), ("failed", run.failed)]
            .map(|(outcome, count)| (vec![product(run), ("outcome", outcome.to_owned())], count))
    });
    samples.counters("ibid_runs_ended", "Scans and audits ended", ended);
    let questions = [("answered", now.answered), ("failed", now.failed)];
    samples.counters(
        "ibid_questions",
        "Questions to models",
        questions.map(|(outcome, count)| (vec![("outcome", outcome.to_owned())], count)),
    );
    for (name, help, value) in [
        ("ibid_runs_open", "Runs under way", now.open_runs as f64),
        (
            "ibid_questions_open",
            "Questions that runs under way still may ask",
            now.open_questions as f64,
        ),
        (
            "ibid_router_reachable",
            "Whether the model router answered lately",
            f64::from(u8::from(service.router_reachable())),
        ),
    ] {
        samples.gauge(name, help, value);
    }
    let connections = service.connections();
    let states = [("open", connections.open), ("idle", connections.idle)];
    samples.gauges(
        "ibid_store_connections",
        "Connections to the database",
        states.map(|(state, count)| (vec![("state", state.to_owned())], f64::from(count))),
    );
    load(samples, service);
    probes(samples, &service.probes());
}

/// Adds the calls under way at the provider, and the retries and breakers of each alias.
fn load(samples: &mut Samples<'_>, service: &Service) {
    let load = service.load();
    for (name, help, value) in [
        (
            "ibid_router_calls_in_flight",
            "Calls under way at the provider",
            load.in_flight,
        ),
        (
            "ibid_router_calls_waiting",
            "Calls that wait for a place at the provider",
            load.waiting,
        ),
    ] {
        samples.gauge(name, help, value as f64);
    }
    let catalog = service.planner.catalog();
    let models: Vec<_> = catalog
        .models()
        .iter()
        .map(|model| {
            let asked = load
                .models
                .iter()
                .find(|load| load.model == model.first_candidate());
            let (retries, breakers) = asked.map_or((0, 0), |load| (load.retries, load.open_breakers));
            (
                vec![("alias", model.alias.as_str().to_owned())],
                retries,
                breakers,
            )
        })
        .collect();
    samples.counters(
        "ibid_model_retries",
        "Attempts after the first of a question",
        models
            .iter()
            .map(|(labels, retries, _)| (labels.clone(), *retries)),
    );
    samples.gauges(
        "ibid_model_breakers_open",
        "Open circuit breakers of keys and of all keys together",
        models
            .iter()
            .map(|(labels, _, breakers)| (labels.clone(), *breakers as f64)),
    );
}

/// Adds each model's last probe. Names of concrete models come from providers, so they are left out.
fn probes(samples: &mut Samples<'_>, probes: &[Probe]) {
    if probes.is_empty() {
        return;
    }
    let reachable = probes.iter().map(|probe| {
        let mut labels = of_model(probe);
        labels.push(("error", probe.error.unwrap_or_default().to_owned()));
        (labels, f64::from(u8::from(probe.is_reachable())))
    });
    samples.gauges(
        "ibid_model_reachable",
        "Whether the last probe of a model was answered",
        reachable,
    );
    let searched = probes.iter().filter_map(|probe| {
        let searched = match probe.searched? {
            Searched::Yes => 1.0,
            Searched::No => 0.0,
            Searched::Unknown => return None,
        };
        let mut labels = of_model(probe);
        labels.push(("engine", probe.engine.clone().unwrap_or_default()));
        labels.push(("place", probe.place.map_or("", |place| place.as_str()).to_owned()));
        Some((labels, searched))
    });
    samples.gauges(
        "ibid_model_searched",
        "Whether the last probe of a model searched the web",
        searched,
    );
    let costs = probes.iter().flat_map(|probe| {
        [("estimated", Some(probe.estimated)), ("billed", probe.billed)]
            .into_iter()
            .filter_map(move |(kind, cost)| {
                let mut labels = of_model(probe);
                labels.push(("kind", kind.to_owned()));
                Some((labels, cost?.dollars()))
            })
    });
    samples.gauges(
        "ibid_model_cost_dollars",
        "Cost of a question as estimated and as billed for the last probe",
        costs,
    );
}

fn of_model(probe: &Probe) -> Labels {
    vec![("alias", probe.alias.as_str().to_owned())]
}
