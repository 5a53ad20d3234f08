//! One invented shop whose last half-year always has one change.
//!
//! Every other website stays as strong as it is.
//! This one falls and rises in turn, every [`PERIOD`] days.
//! At each change one town near it stops naming it, and the town that was lost before names it again.
//! So every span of [`PERIOD`] days has one real change and ends with one lost town.
//!
//! The sandbox's account has scanned this shop before.
//! Its domain is reserved and belongs to no website.

use super::World;
use super::target::Visibility;
use crate::prompt::Scene;
use ibid_model::Domain;

/// The shop's website.
pub const DOMAIN: &str = "brightspoke.example";
/// The keyword for which its story holds.
pub const KEYWORD: &str = "bicycle shop";
/// The place for which its story holds.
pub const LOCATION: &str = "Bristol, United Kingdom";
/// Days between two changes.
pub const PERIOD: u32 = 182;
/// The towns that stop naming the shop, in turn.
/// Both lie in the first ring around [`LOCATION`].
pub const LOST_TOWNS: [&str; 2] = ["Bath", "Portishead"];
/// Days after which the shop's world is what it was.
pub const CYCLE: u32 = 2 * PERIOD;

/// Strength after a fall, and after a rise.
const STRENGTHS: (f64, f64) = (0.45, 0.85);
/// Every town of the first two rings names it.
const REACH_KM: f64 = 150.0;

/// Returns the day of the shop's world `days` days before `day`.
/// An earlier cycle's last days precede day 0.
#[must_use]
pub const fn day_before(day: u32, days: u32) -> u32 {
    match day.checked_sub(days) {
        Some(day) => day,
        None => CYCLE - 1 - (days - day - 1) % CYCLE,
    }
}

pub(super) fn is_sample(domain: &Domain) -> bool {
    domain.as_str() == DOMAIN
}

/// Whether the latest change before a day was a fall.
fn has_fallen(day: u32) -> bool {
    (day / PERIOD).is_multiple_of(2)
}

pub(super) fn visibility(day: u32) -> Visibility {
    let (fallen, risen) = STRENGTHS;
    Visibility {
        strength: if has_fallen(day) { fallen } else { risen },
        reach_km: REACH_KM,
    }
}

/// Whether a question is about the shop in the lost town of the day.
pub(super) fn is_lost(world: World, scene: &Scene) -> bool {
    let [first, second] = LOST_TOWNS;
    let lost = if has_fallen(world.day) { first } else { second };
    is_sample(&scene.domain) && scene.place.as_deref() == Some(lost)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn world(day: u32) -> World {
        World::on(1, day)
    }

    fn scene(place: &str) -> Scene {
        Scene {
            domain: DOMAIN.parse().unwrap(),
            keyword: KEYWORD.to_owned(),
            place: Some(place.to_owned()),
            distance_km: Some(15.0),
            language: "en".to_owned(),
        }
    }

    #[test]
    fn every_half_year_has_one_change() {
        for today in (0..CYCLE).chain(20_000..20_400) {
            for step in [7, 13, 14, 26] {
                let strengths: Vec<f64> = (0..=PERIOD / step)
                    .rev()
                    .map(|back| visibility(day_before(today, back * step)).strength)
                    .collect();
                let changes = strengths.windows(2).filter(|pair| pair[0] != pair[1]);
                assert_eq!(changes.count(), 1, "{today}: {strengths:?}");
            }
        }
    }

    #[test]
    fn every_half_year_ends_with_a_town_lost_that_named_the_shop_before() {
        for today in (0..CYCLE).chain(20_000..20_400) {
            let lost = |day: u32| {
                let lost = LOST_TOWNS.map(|town| is_lost(world(day), &scene(town)));
                assert_ne!(lost[0], lost[1]);
                assert!(!is_lost(world(day), &scene("Bristol")));
                lost
            };
            assert_ne!(lost(today), lost(day_before(today, PERIOD)), "{today}");
        }
        let elsewhere = Scene {
            domain: "example.com".parse().unwrap(),
            ..scene(LOST_TOWNS[0])
        };
        assert!((0..CYCLE).all(|day| !is_lost(world(day), &elsewhere)));
    }

    #[test]
    fn days_before_the_first_are_those_of_an_earlier_cycle() {
        assert_eq!(day_before(20_000, 182), 19_818);
        assert_eq!((day_before(0, 0), day_before(0, 1)), (0, CYCLE - 1));
        assert_eq!((day_before(5, 6), day_before(5, 5 + CYCLE)), (CYCLE - 1, 0));
        assert_eq!(
            day_before(3, u32::MAX) % CYCLE,
            (3 + CYCLE - u32::MAX % CYCLE) % CYCLE
        );
        for day in 0..CYCLE {
            assert_eq!(visibility(day), visibility(day + CYCLE));
            let lost = |day: u32| is_lost(world(day), &scene(LOST_TOWNS[0]));
            assert_eq!(lost(day), lost(day + CYCLE));
        }
    }
}
