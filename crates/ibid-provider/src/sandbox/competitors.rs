//! The competitors in the invented market.

use super::dice::Dice;
use super::names::{Name, coin};
use super::tables::{Names, TABLES};
use crate::prompt::Scene;

/// A business that competes with the scanned domain.
#[derive(Clone, Debug)]
pub(super) struct Competitor {
    /// Name and host.
    pub(super) name: Name,
    /// How likely an early mention is here, 0 to 1.
    pub(super) appeal: f64,
}

/// Returns the competitors at a scene.
///
/// A few are known everywhere, and some in the language's country.
/// Others are known in a region around their home, or in the town itself.
/// A competitor depends on seed, keyword, language and place, but not on the wording.
/// So the same ones appear across the questions, models and markets of a scan.
pub(super) fn competitors(seed: u64, scene: &Scene) -> Vec<Competitor> {
    let words = TABLES.words(&scene.language);
    let language = words.tag.as_str();
    let keyword = scene.keyword.to_lowercase();
    let mut competitors = Vec::with_capacity(18);
    let mut add = |dice: &mut Dice, names: &Names, town: Option<&str>, appeal: f64| {
        // Some names are coined anew, because readers would merge competitors with a common word.
        for _ in 0..4 {
            let name = coin(dice, names, town);
            let known = competitors
                .iter()
                .any(|competitor: &Competitor| competitor.name.stem == name.stem);
            if !known && !scene.domain.covers(&name.host) {
                competitors.push(Competitor { name, appeal });
                return;
            }
        }
    };

    let mut dice = Dice::new(seed, &["everywhere", &keyword]);
    for _ in 0..2 {
        let appeal = dice.between(0.35, 0.8);
        add(&mut dice, &TABLES.everywhere, None, appeal);
    }
    let mut dice = Dice::new(seed, &["national", &keyword, language]);
    for _ in 0..5 {
        let appeal = dice.between(0.4, 0.95);
        add(&mut dice, &words.names, None, appeal);
    }
    if let Some(distance) = scene.distance_km.filter(|distance| distance.is_finite()) {
        for slot in 0..7_u32 {
            let mut dice = Dice::new(seed, &["regional", &keyword, language, &slot.to_string()]);
            // Homes from the anchor outwards.
            // Each is known some 30 to 90 km around.
            let home = f64::from(slot * slot) * 10.0 + dice.between(0.0, 20.0);
            let (reach, appeal) = (dice.between(30.0, 90.0), dice.between(0.5, 1.0));
            let near = appeal * (-(distance - home).abs() / reach).exp();
            if near > 0.1 {
                add(&mut dice, &words.names, None, near);
            }
        }
    }
    if let Some(town) = &scene.place {
        let mut dice = Dice::new(seed, &["local", &keyword, language, &town.to_lowercase()]);
        for _ in 0..4 {
            let appeal = dice.between(0.45, 1.0);
            add(&mut dice, &words.names, Some(town), appeal);
        }
    }
    competitors
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn hosts(place: &str, distance_km: f64, keyword: &str) -> HashSet<String> {
        let scene = Scene {
            domain: "example.com".parse().unwrap(),
            keyword: keyword.to_owned(),
            place: Some(place.to_owned()),
            distance_km: Some(distance_km),
            language: "es".to_owned(),
        };
        competitors(1, &scene)
            .into_iter()
            .map(|competitor| competitor.name.host)
            .collect()
    }

    #[test]
    fn markets_share_the_big_ones_and_have_their_own() {
        let (here, there) = (
            hosts("Sevilla", 0.0, "dentista"),
            hosts("Huelva", 85.0, "dentista"),
        );
        assert!(here.intersection(&there).count() >= 6);
        assert!(here.difference(&there).count() >= 3);
        assert!(there.difference(&here).count() >= 3);
    }

    #[test]
    fn another_keyword_is_another_market() {
        let (one, other) = (
            hosts("Sevilla", 0.0, "dentista"),
            hosts("Sevilla", 0.0, "fontanero"),
        );
        assert!(one.intersection(&other).count() <= 2);
    }
}
