//! `ibid locate`: resolves a place and lists the markets of its rings, without any network call.

use crate::output::{judged, print, unless_closed, write};
use anyhow::{Context, bail};
use clap::Args as ClapArgs;
use ibid_engine::plan::{TRADES_LICENSE, place_warnings};
use ibid_gazetteer::{
    ATTRIBUTION, KnownPlace, LICENSES, MarketTown, PlaceNotFound, ResolvedPlace, RingMarkets, markets,
    resolve,
};
use ibid_model::result::{PlaceMatch, RadiusScope};
use ibid_model::{Ring, Rings};
use ibid_web::grouped;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

/// Look a place up and show the markets of its rings
///
/// Exit code 3 means that the place is unknown. With --batch, unknown places are printed like all others and the exit
/// code is 0.
#[derive(ClapArgs)]
pub(crate) struct Args {
    /// The place: "city, country", a region, a country, or "lat, lon"
    #[arg(required_unless_present = "batch", allow_hyphen_values = true)]
    text: Option<String>,
    /// Rings to fill, 1 to 5
    #[arg(long, value_delimiter = ',', default_value = "1,2", value_parser = parse_ring)]
    rings: Vec<Ring>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Look up every line of a file ("-" reads standard input) and print one line of JSON each, for blank lines too
    #[arg(long, value_name = "FILE", conflicts_with_all = ["text", "json"])]
    batch: Option<String>,
}

fn parse_ring(text: &str) -> Result<Ring, String> {
    let number: u8 = text.trim().parse().map_err(|_| "not a number".to_owned())?;
    Ring::try_from(number).map_err(str::to_owned)
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let rings = Rings::from(args.rings.clone());
    if let Some(file) = &args.batch {
        return locate_all(file, &rings);
    }
    let Some(text) = &args.text else {
        bail!("no place given")
    };
    let found = resolve(text);
    let printed = if args.json {
        format!(
            "{}\n",
            serde_json::to_string_pretty(&to_json(text, &found, &rings))?
        )
    } else {
        to_text(text, &found, &rings)
    };
    if found.is_ok() || args.json {
        print(&printed)?;
    } else {
        write(&mut io::stderr().lock(), &printed)?;
    }
    Ok(judged(found.is_ok()))
}

/// `ibid --licenses`: prints the notices that the licences of the embedded data require.
pub(crate) fn print_licenses() -> anyhow::Result<ExitCode> {
    print(LICENSES)?;
    print(&format!("\n\n---- Names of trades: iD ----\n\n{TRADES_LICENSE}"))?;
    Ok(ExitCode::SUCCESS)
}

fn locate_all(file: &str, rings: &Rings) -> anyhow::Result<ExitCode> {
    let lines = BufReader::new(crate::document::open(Path::new(file))?);
    let mut out = BufWriter::new(io::stdout().lock());
    for line in lines.split(b'\n') {
        // A line that is not a valid text names no place and does not end the batch.
        let line = line.with_context(|| format!("reading {file}"))?;
        let line = String::from_utf8_lossy(&line);
        let text = line.trim_end_matches('\r');
        let mut printed = to_json(text, &resolve(text), rings).to_string();
        printed.push('\n');
        out.write_all(printed.as_bytes()).or_else(unless_closed)?;
    }
    out.flush().or_else(unless_closed)?;
    Ok(ExitCode::SUCCESS)
}

fn to_json(text: &str, found: &Result<ResolvedPlace, PlaceNotFound>, rings: &Rings) -> Value {
    match found {
        Ok(found) => {
            let place = |place: &KnownPlace| {
                json!({"id": place.id().to_string(), "name": place.name(), "admin": place.admin(),
                       "country": place.country(), "countryCode": place.country_code(), "lat": (!place.is_wide()).then(|| place.lat()),
                       "lon": (!place.is_wide()).then(|| place.lon()), "population": place.population()})
            };
            let rings = markets(found, rings);
            let cities = rings.iter().map(|ring| ring.markets.len()).sum();
            let mut resolved = place(found.place());
            resolved["matched"] = json!(found.matched());
            json!({
                "text": text,
                "resolved": resolved,
                "scope": found.scope(),
                "spelling": found.spelling(),
                "district": found.district(),
                "language": found.place().language(),
                "ambiguous": found.ambiguous(),
                "alternatives": found.alternatives().iter().map(place).collect::<Vec<_>>(),
                "warnings": place_warnings(text, found, cities),
                "rings": rings.iter().map(|ring| ring_to_json(ring, !found.place().is_wide())).collect::<Vec<_>>(),
            })
        }
        Err(error) => json!({
            "text": text,
            "resolved": null,
            "error": {
                "code": "location_not_found",
                "message": error.to_string(),
                "suggestions": error.suggestions.iter().map(KnownPlace::to_suggestion).collect::<Vec<_>>(),
            },
        }),
    }
}

fn ring_to_json(ring: &RingMarkets, has_centre: bool) -> Value {
    let market = |market: &MarketTown| {
        let place = &market.place;
        json!({"id": place.id().to_string(), "name": place.name(), "admin": place.admin(),
               "country": place.country(), "countryCode": place.country_code(), "lat": place.lat(),
               "lon": place.lon(), "population": place.population(), "distanceKm": has_centre.then(|| one_decimal(market.distance_km)),
               "bearingDeg": has_centre.then(|| one_decimal(market.bearing_deg)), "crossBorder": market.cross_border})
    };
    json!({
        "ring": ring.ring,
        "fromKm": ring.ring.from_km(),
        "toKm": ring.ring.to_km(),
        "excludedCrossBorder": ring.excluded_cross_border,
        "markets": ring.markets.iter().map(market).collect::<Vec<_>>(),
    })
}

fn one_decimal(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

fn to_text(text: &str, found: &Result<ResolvedPlace, PlaceNotFound>, rings: &Rings) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = match found {
        Ok(found) => write_found(&mut out, found, rings),
        Err(error) => write_unknown(&mut out, text, error),
    };
    out
}

fn write_unknown(out: &mut String, text: &str, error: &PlaceNotFound) -> std::fmt::Result {
    writeln!(out, "{text:?}: {error}")?;
    if !error.suggestions.is_empty() {
        writeln!(out, "Did you mean:")?;
    }
    error
        .suggestions
        .iter()
        .try_for_each(|suggestion| writeln!(out, "  {}", suggestion.label()))
}

fn write_found(out: &mut String, found: &ResolvedPlace, rings: &Rings) -> std::fmt::Result {
    let place = found.place();
    if place.is_wide() {
        let cities: usize = markets(found, rings).iter().map(|ring| ring.markets.len()).sum();
        writeln!(out, "{} ({cities} cities; {})", place.label(), how(found))?;
        writeln!(
            out,
            "  several countries without a centre; questions in {}",
            place.language()
        )?;
    } else {
        writeln!(out, "{} ({})", place.label(), how(found))?;
        writeln!(
            out,
            "  {:.5}, {:.5}; {} inhabitants; questions in {}; GeoNames {}",
            place.lat(),
            place.lon(),
            grouped(place.population()),
            place.language(),
            place.id()
        )?;
    }
    if let Some(district) = found.district() {
        writeln!(
            out,
            "  The district {district:?} is not known and stays in the questions"
        )?;
    }
    if !found.alternatives().is_empty() {
        let others: Vec<String> = found.alternatives().iter().map(KnownPlace::label).collect();
        let word = if found.ambiguous() {
            "Could also be"
        } else {
            "Not meant"
        };
        writeln!(out, "  {word}: {}", others.join("; "))?;
    }
    let tiers = found.scope() == RadiusScope::Country;
    for ring in markets(found, rings) {
        if tiers {
            writeln!(out, "Tier {}", ring.ring.get())?;
        } else {
            writeln!(
                out,
                "Ring {}, {} to {} km",
                ring.ring.get(),
                ring.ring.from_km(),
                ring.ring.to_km()
            )?;
        }
        if ring.markets.is_empty() {
            writeln!(out, "  no town")?;
        }
        for market in &ring.markets {
            let border = if market.cross_border {
                "  across the border"
            } else {
                ""
            };
            if !place.is_wide() {
                write!(out, "  {:>6.1} km {:<2}", market.distance_km, direction(market))?;
            }
            writeln!(
                out,
                " {:>11}  {}{border}",
                grouped(market.place.population()),
                market.place.label()
            )?;
        }
        if ring.excluded_cross_border > 0 {
            writeln!(
                out,
                "  {} larger towns across a border were passed over",
                ring.excluded_cross_border
            )?;
        }
    }
    writeln!(out, "{ATTRIBUTION}")
}

const fn how(found: &ResolvedPlace) -> &'static str {
    match found.matched() {
        PlaceMatch::Exact => "by name",
        PlaceMatch::Alternate => "by another name",
        PlaceMatch::Corrected => "after correcting a typing error",
        PlaceMatch::Coordinates => "nearest to the coordinates",
        PlaceMatch::Country => "a country",
        PlaceMatch::Region if found.place().is_wide() => "by name",
        PlaceMatch::Region => "the largest town of the region",
    }
}

/// Returns the compass direction of a market, or none for the anchor itself.
fn direction(market: &MarketTown) -> &'static str {
    const POINTS: [&str; 8] = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"];
    if market.distance_km <= 0.0 {
        return "";
    }
    let sector = (market.bearing_deg / 45.0).round() % 8.0;
    POINTS
        .iter()
        .zip(0_u8..)
        .find(|(_, index)| f64::from(*index) >= sector)
        .map_or("", |(point, _)| point)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rings(numbers: &[u8]) -> Rings {
        Rings::from(
            numbers
                .iter()
                .map(|number| Ring::new(*number).unwrap())
                .collect::<Vec<_>>(),
        )
    }

    #[test]
    fn a_known_place_is_described() {
        let text = to_text("Valencia, Spain", &resolve("Valencia, Spain"), &rings(&[1]));
        for part in [
            "Valencia, Spain (by name)",
            "824,340 inhabitants",
            "Ring 1, 0 to 25 km",
            "8.4 km SW",
            "GeoNames",
        ] {
            assert!(text.contains(part), "{part} is missing from\n{text}");
        }
        let suva = to_text("Suva", &resolve("Suva"), &rings(&[2]));
        assert!(suva.contains("Ring 2, 25 to 50 km\n  no town\n"), "{suva}");
        assert!(to_text("Spain", &resolve("Spain"), &rings(&[1])).contains("Tier 1\n"));
    }

    #[test]
    fn an_unknown_place_comes_with_suggestions() {
        let found = resolve("Toyko");
        assert!(to_text("Toyko", &found, &rings(&[1])).contains("Did you mean:\n  Tokyo, Japan\n"));
        let json = to_json("Toyko", &found, &rings(&[1]));
        assert_eq!(
            (json["resolved"].is_null(), &json["error"]["code"]),
            (true, &json!("location_not_found"))
        );
        assert_eq!(json["error"]["suggestions"][0]["label"], "Tokyo, Japan");
    }

    #[test]
    fn json_names_are_those_of_the_interface() {
        let json = to_json(
            "Luxembourg, Luxembourg",
            &resolve("Luxembourg, Luxembourg"),
            &rings(&[1, 3]),
        );
        assert_eq!(
            (&json["text"], &json["scope"]),
            (&json!("Luxembourg, Luxembourg"), &json!("city"))
        );
        assert_eq!(
            (&json["resolved"]["countryCode"], &json["resolved"]["matched"]),
            (&json!("LU"), &json!("exact"))
        );
        assert_eq!(json["warnings"], json!([]));
        let shoreditch = "Shoreditch, London";
        let json_of_district = to_json(shoreditch, &resolve(shoreditch), &rings(&[1]));
        assert_eq!(json_of_district["warnings"][0]["code"], "district_unknown");
        assert_eq!(
            (&json["rings"][1]["ring"], &json["rings"][1]["fromKm"]),
            (&json!(3), &json!(50))
        );
        assert_eq!(json["rings"][1]["markets"][1]["crossBorder"], true);
        assert_eq!(json["rings"][0]["markets"][0]["distanceKm"], 0.0);
    }

    #[test]
    fn directions_read_well() {
        let mut market = markets(&resolve("Berlin").unwrap(), &rings(&[2]))[0].markets[0];
        for (bearing, point) in [
            (0.0, "N"),
            (44.0, "NE"),
            (90.0, "E"),
            (200.0, "S"),
            (315.0, "NW"),
            (350.0, "N"),
        ] {
            market.bearing_deg = bearing;
            assert_eq!(direction(&market), point, "{bearing}");
        }
    }
}
