//! The table of rings and the citation radius.

use super::text::{clean, cut, or_dash, percent, percent_interval, table, titled};
use ibid_model::result::{RadiusReport, RadiusScope, RingResult, RingStatus};
use std::fmt::Write;

pub(crate) fn render(radius: &RadiusReport) -> String {
    if radius.rings.is_empty() {
        return String::new();
    }
    let mut rows = table(
        &["ring", "km", "answers", "score", "cited", "likely range", "towns"],
        &[1, 2, 3, 4, 5],
    );
    for ring in &radius.rings {
        rows.add_row([
            ring.ring.get().to_string(),
            format!("{}–{}", ring.from_km, ring.to_km),
            ring.answers.to_string(),
            or_dash(ring.score),
            or_dash(ring.cited_rate.map(percent)),
            or_dash(ring.cited_rate_interval.as_ref().map(percent_interval)),
            markets(ring),
        ]);
    }
    let mut text = titled("Rings", &rows);
    text.push_str(&headline(radius));
    text
}

fn markets(ring: &RingResult) -> String {
    if ring.status == RingStatus::Empty {
        return "no town in this ring".to_owned();
    }
    let market = |market: &ibid_model::result::MarketResult| {
        let abroad = if market.cross_border {
            format!(" ({})", market.country_code)
        } else {
            String::new()
        };
        format!(
            "{}{abroad} {}",
            clean(&market.name),
            or_dash(market.cited_rate.map(percent))
        )
    };
    cut(
        &ring.markets.iter().map(market).collect::<Vec<_>>().join(", "),
        72,
    )
}

fn headline(radius: &RadiusReport) -> String {
    if radius.scope == Some(RadiusScope::Country) {
        return "The place is a country: rings are tiers of its cities, so there is no radius in kilometres.\n".to_owned();
    }
    let Some(km) = radius.citation_radius_km else {
        return "Citation radius: unknown (the home ring has no answers).\n".to_owned();
    };
    let mut line = if radius.censored {
        format!("Citation radius: at least {km} km")
    } else if radius.at_most {
        format!("Citation radius: under {km} km")
    } else {
        format!("Citation radius: about {km} km")
    };
    if let Some([low, high]) = radius.radius_range_km.filter(|[low, high]| low < high) {
        // Writing to a String cannot fail.
        let _ = write!(line, " (80 % range {low}–{high})");
    }
    let _ = writeln!(
        line,
        ", where at least {} % of answers cite the domain.",
        radius.threshold_pct
    );
    line
}
