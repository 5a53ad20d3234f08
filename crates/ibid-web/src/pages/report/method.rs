//! How a scan measured, and what it cost.

use super::Viewer;
use crate::figure;
use crate::pages::Fact;
use ibid_model::result::{AliasSource, ScanResult};

pub(super) fn facts(result: &ScanResult, viewer: &Viewer<'_>) -> Vec<Fact> {
    let usage = &result.usage;
    let mut facts = vec![
        Fact::with_note(
            "Questions",
            figure::count(usage.questions.into()),
            if usage.failed == 0 {
                "all answered".to_owned()
            } else {
                format!(
                    "{} answered, {} failed",
                    figure::count(usage.answered.into()),
                    figure::count(usage.failed.into())
                )
            },
        ),
        Fact::new(
            "Tokens",
            format!(
                "{} in, {} out",
                figure::count(usage.prompt_tokens),
                figure::count(usage.completion_tokens)
            ),
        ),
        Fact::with_note("Method", format!("version {}", result.method.version), ""),
        Fact::new("Language", result.method.language.clone()),
        web_search(result),
        Fact::new("Intents asked", result.method.templates.join(", ")),
        Fact::with_note("Likely ranges", "95\u{a0}%", ranges(result)),
        finished(result),
    ];
    // People who see a project see no money; its runs have their costs for those who may run it.
    if !matches!(viewer, Viewer::Project { .. }) {
        facts.insert(1, cost(result));
    }
    if !result.brand_names.is_empty() {
        let names: Vec<_> = result
            .brand_names
            .iter()
            .map(|alias| format!("{} ({})", alias.name, source(alias.source)))
            .collect();
        facts.push(Fact::new("Looked for", names.join(", ")));
    }
    if !result.websites.is_empty() {
        let websites = result.websites.iter();
        let websites: Vec<_> = websites
            .map(|own| format!("{} (linked {}, named {})", own.website, own.answers, own.mentions))
            .collect();
        let note = "in brackets the answers that link to each, and that name it";
        facts.push(Fact::with_note("Your websites", websites.join(", "), note));
    }
    if result.method.branded {
        facts.push(Fact::with_note(
            "Branded",
            "yes",
            "the keyword or a question names the website, so this scan is left out of trends",
        ));
    }
    if let Some(location) = &result.location {
        facts.push(Fact::with_note(
            "Place",
            location.label(),
            format!("from “{}”, {}", location.text, figure::how_found(location)),
        ));
    }
    facts
}

fn web_search(result: &ScanResult) -> Fact {
    if result.is_imported() {
        return Fact::with_note(
            "Web search",
            "not known",
            "a log does not show which answers searched the web",
        );
    }
    let switch = if result.method.web_search { "on" } else { "off" };
    Fact::with_note(
        "Web search",
        switch,
        result.retrieval.sentence().unwrap_or_default(),
    )
}

fn finished(result: &ScanResult) -> Fact {
    let finished = figure::date_time(result.finished_at);
    if result.is_imported() {
        return Fact::with_note("Asked", finished, "the last answer of the log");
    }
    let took = figure::duration(result.started_at, result.finished_at);
    Fact::with_note("Finished", finished, format!("took {took}"))
}

/// The method behind each kind of interval that the report shows.
fn ranges(result: &ScanResult) -> String {
    let mut methods = "scores and cited rates: beta interval over questions".to_owned();
    if result.reading_error.is_some() {
        methods.push_str(", of scores with the error of reading");
    }
    let competitors = &result.radius.top_competitors;
    if competitors.iter().any(|row| row.interval.is_some()) {
        methods.push_str("; how often competitors are named: Wilson");
    }
    if competitors.iter().any(|row| row.rank_interval.is_some()) {
        methods.push_str("; ranks of competitors: bootstrap over questions");
    }
    methods
}

/// Says what the provider billed, with the estimate. In the sandbox there is no bill.
fn cost(result: &ScanResult) -> Fact {
    if result.is_imported() {
        return Fact::with_note("Models cost", "nothing", "no model was asked");
    }
    let usage = &result.usage;
    let estimated = usage.estimated_cost_usd.map_or_else(String::new, |estimate| {
        format!("; the estimate was {}", estimate.in_cents())
    });
    match (usage.cost_usd, result.sandbox) {
        (Some(cost), true) => Fact::with_note(
            "Models",
            format!("would cost about {}", cost.in_cents()),
            format!("the sandbox asks no provider{estimated}"),
        ),
        (Some(cost), false) => Fact::with_note(
            "Models cost",
            cost.in_cents(),
            format!("as the provider billed it{estimated}"),
        ),
        (None, _) => Fact::with_note(
            "Models cost",
            "not reported by the provider",
            estimated.trim_start_matches("; ").to_owned(),
        ),
    }
}

fn source(source: AliasSource) -> &'static str {
    match source {
        AliasSource::Request => "given",
        AliasSource::Domain => "from the domain",
        AliasSource::HomePage => "from the home page",
        AliasSource::Anchor => "from links",
    }
}
