//! Rings, markets and the citation radius.

use crate::chart::{self, Markup};
use crate::figure;
use crate::pages::new_scan::ring_label;
use crate::pages::town_answers;
use ibid_model::Ring;
use ibid_model::result::{
    MarketResult, Place, RadiusReport, RadiusScope, RadiusStatus, RingResult, RingStatus, ScanResult,
};

pub(crate) struct Radius {
    pub(crate) headline: String,
    pub(crate) note: Option<String>,
    pub(crate) rings: Vec<RingRow>,
    pub(crate) markets: Vec<MarketRow>,
}

pub(crate) struct RingRow {
    pub(crate) label: String,
    pub(crate) extent: String,
    pub(crate) empty: bool,
    pub(crate) state: &'static str,
    pub(crate) partial: Option<&'static str>,
    pub(crate) answers: String,
    pub(crate) score: String,
    pub(crate) score_interval: String,
    pub(crate) bar: Markup,
    pub(crate) cited: String,
    pub(crate) cited_interval: String,
    /// Its towns with their shares of citing answers, as one list.
    pub(crate) towns: String,
}

pub(crate) struct MarketRow {
    pub(crate) name: String,
    /// The page with its answers, where they are stored.
    pub(crate) href: Option<String>,
    pub(crate) region: String,
    pub(crate) distance: String,
    pub(crate) score: String,
    pub(crate) cited: String,
    pub(crate) answered: String,
    pub(crate) competitors: String,
}

impl Radius {
    /// `answers` is the path of the page with all answers, where they are stored.
    pub(crate) fn of(result: &ScanResult, answers: Option<&str>) -> Self {
        let radius = &result.radius;
        Self {
            headline: headline(radius),
            note: note(result),
            rings: radius
                .rings
                .iter()
                .map(|ring| ring_row(ring, radius.scope))
                .collect(),
            markets: radius
                .rings
                .iter()
                .flat_map(|ring| {
                    ring.markets
                        .iter()
                        .map(|market| market_row(ring.ring, market, answers))
                })
                .collect(),
        }
    }

    pub(crate) fn markets_label(&self) -> String {
        figure::plural(self.markets.len() as u64, "market", "markets")
    }
}

fn headline(radius: &RadiusReport) -> String {
    if radius.rings.is_empty() {
        return String::new();
    }
    if radius.scope == Some(RadiusScope::Country) {
        return "The place is a country or several, so rings are tiers of its cities and there is no radius in kilometres.".to_owned();
    }
    let threshold = radius.threshold_pct;
    let Some(km) = radius.citation_radius_km else {
        return "How far the website is cited is unknown: the home ring has no answers.".to_owned();
    };
    let range = radius.radius_range_km.map_or_else(String::new, |[low, high]| {
        format!(
            " (80\u{a0}% range {} to {})",
            figure::short(low.round()),
            figure::km(high.round())
        )
    });
    if km <= 0.0 {
        return format!("Even at home, fewer than {threshold}\u{a0}% of answers cite the website{range}.");
    }
    if radius.at_most {
        return format!(
            "At least {threshold}\u{a0}% of answers cite the website only near home, under {}{range}.",
            figure::km(km)
        );
    }
    let reach = if radius.censored { "at least " } else { "about " };
    let distance = figure::km(km);
    format!(
        "At least {threshold}\u{a0}% of answers cite the website out to {reach}{distance} from home{range}."
    )
}

fn note(result: &ScanResult) -> Option<String> {
    match result.radius.status {
        RadiusStatus::NoLocation => Some("No place was given, so no ring was scanned.".to_owned()),
        RadiusStatus::Failed => Some("No ring question was answered.".to_owned()),
        RadiusStatus::Complete | RadiusStatus::Partial | RadiusStatus::NotRequested => {
            let location = result.location.as_ref().filter(|location| location.ambiguous)?;
            if result.radius.rings.is_empty() {
                return None;
            }
            let others: Vec<_> = location.alternatives.iter().map(Place::label).collect();
            let taken = location.label();
            Some(if others.is_empty() {
                format!("The place was taken for {taken}; others share its name.")
            } else {
                format!(
                    "The place was taken for {taken}. It could also mean {}.",
                    others.join("; ")
                )
            })
        }
    }
}

fn ring_row(ring: &RingResult, scope: Option<RadiusScope>) -> RingRow {
    let number = ring.ring.get();
    let extent = if scope == Some(RadiusScope::Country) {
        format!("tier {number}")
    } else {
        format!("{}–{}\u{a0}km", ring.from_km, ring.to_km)
    };
    let (empty, state, partial) = match ring.status {
        RingStatus::Complete => (false, "", None),
        RingStatus::Partial => (
            false,
            "",
            Some(
                "Some of its answers do not count: they failed, or are not of the kind that the score rests on.",
            ),
        ),
        RingStatus::Empty => (true, "No town lies in this ring.", None),
        RingStatus::Failed => (true, "No valid answer.", None),
    };
    let town = |market: &MarketResult| {
        let abroad = market.cross_border.then(|| format!(" ({})", market.country_code));
        let cited = figure::maybe_percent(market.cited_rate);
        format!("{}{} {cited}", market.name, abroad.unwrap_or_default())
    };
    let towns: Vec<String> = ring.markets.iter().map(town).collect();
    RingRow {
        towns: if empty { state.to_owned() } else { towns.join(", ") },
        label: format!("{number}. {}", ring_label(number)),
        extent,
        empty,
        state,
        partial,
        answers: figure::count(ring.answers.into()),
        score: figure::maybe_score(ring.score),
        score_interval: ring
            .score_interval
            .as_ref()
            .map_or_else(String::new, figure::interval),
        bar: chart::rate(
            ring.cited_rate.unwrap_or_default(),
            ring.cited_rate_interval.as_ref(),
        ),
        cited: figure::maybe_percent(ring.cited_rate),
        cited_interval: ring
            .cited_rate_interval
            .as_ref()
            .map_or_else(String::new, figure::percent_interval),
    }
}

fn market_row(ring: Ring, market: &MarketResult, answers: Option<&str>) -> MarketRow {
    let mut region: Vec<&str> = market
        .admin
        .iter()
        .map(String::as_str)
        .filter(|admin| *admin != market.name)
        .collect();
    if market.cross_border || market.distance_km.is_none() {
        region.push(&market.country);
    }
    MarketRow {
        name: market.name.clone(),
        href: answers.map(|answers| town_answers(answers, ring, &market.name)),
        region: region.join(", "),
        distance: market.distance_km.map_or_else(|| "–".to_owned(), figure::km),
        score: figure::maybe_score(market.score),
        cited: figure::maybe_percent(market.cited_rate),
        answered: format!("{} of {}", market.answered, market.questions),
        competitors: market
            .top_competitors
            .iter()
            .take(3)
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(", "),
    }
}
