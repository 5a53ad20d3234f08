//! How visible a domain really is in the invented world, which a scan estimates.

use super::World;
use super::dice::Dice;
use super::form::capital;
use super::sample_shop;
use ibid_model::Domain;

/// How visible a domain is in the sandbox.
/// A test can compare a measured result with it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Visibility {
    /// Chance of a citation at home, over all questions and models: 0.45 to 0.95.
    pub strength: f64,
    /// Distance in kilometres after which that chance has fallen to 1/e: 15 to 200.
    pub reach_km: f64,
}

impl Visibility {
    /// Draws how visible a domain is in the world, on its day.
    pub(super) fn of(world: World, domain: &Domain) -> Self {
        if sample_shop::is_sample(domain) {
            return sample_shop::visibility(world.day);
        }
        let mut dice = Dice::new(world.seed, &["target", domain.as_str()]);
        let own = dice.between(0.45, 0.95);
        Self {
            strength: world.strength.unwrap_or(own),
            // Even on a logarithmic scale: as many firms reach 15 to 55 km as 55 to 200 km.
            reach_km: 15.0 * (200.0_f64 / 15.0).powf(dice.unit()),
        }
    }

    /// Returns the chance of a citation at a distance.
    /// Without a place the question is about the whole market.
    pub fn at(&self, distance_km: Option<f64>) -> f64 {
        match distance_km {
            Some(distance) if distance.is_finite() => {
                self.strength * (-distance.max(0.0) / self.reach_km).exp()
            }
            Some(_) => 0.0,
            None => 0.8 * self.strength,
        }
    }
}

/// The common name: the label before the public suffix, as words.
pub(super) fn brand(domain: &Domain) -> String {
    let host = domain.to_unicode();
    let labels: Vec<&str> = host.split('.').collect();
    // Good enough for an invented world: endings like `co.uk` count as one.
    let double = labels.len() >= 3
        && labels.last().is_some_and(|last| last.len() == 2)
        && matches!(
            labels.get(labels.len() - 2),
            Some(&("co" | "com" | "org" | "net" | "ac" | "gov" | "gob" | "edu" | "or" | "ne"))
        );
    let ending = if double { 2 } else { 1 };
    let label = labels
        .len()
        .checked_sub(ending + 1)
        .and_then(|index| labels.get(index))
        .copied()
        .unwrap_or(&host);
    let words: Vec<String> = label
        .split(['-', '_'])
        .filter(|word| !word.is_empty())
        .map(capital)
        .collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_brand_is_the_label_before_the_ending() {
        for (domain, expected) in [
            ("clinica-sol.es", "Clinica Sol"),
            ("acme.co.uk", "Acme"),
            ("shop.acme.com", "Acme"),
            ("xn--mller-kva.de", "Müller"),
            ("example.com", "Example"),
            ("co.uk", "Co"),
        ] {
            assert_eq!(brand(&domain.parse().unwrap()), expected);
        }
    }

    #[test]
    fn visibility_falls_with_distance_and_domains_differ() {
        let domains: Vec<Domain> = (0..200)
            .map(|n| format!("shop{n}.com").parse().unwrap())
            .collect();
        let all: Vec<Visibility> = domains
            .iter()
            .map(|domain| Visibility::of(World::on(1, 0), domain))
            .collect();
        for visibility in &all {
            assert!((15.0..=200.0).contains(&visibility.reach_km));
            assert!(visibility.at(Some(0.0)) > visibility.at(Some(30.0)));
            assert!(visibility.at(Some(30.0)) > visibility.at(Some(300.0)));
            assert!(visibility.at(Some(f64::NAN)) == 0.0);
        }
        assert!(all.iter().any(|v| v.reach_km < 25.0) && all.iter().any(|v| v.reach_km > 150.0));
    }
}
