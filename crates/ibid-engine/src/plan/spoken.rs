//! Names of places in the form that questions use.

use super::Located;
use super::language;
use super::locative::{self, Kind};
use super::phrases;
use ibid_gazetteer::{KnownPlace, ToldApart};
use ibid_model::result::RadiusScope;

/// A place in the words of one language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SpokenPlace {
    /// The name, with the addition that distinguishes it from a better known namesake.
    pub(super) name: String,
    /// The name with the preposition or ending for being there.
    pub(super) phrase: String,
}

impl SpokenPlace {
    pub(super) fn town(place: &KnownPlace, tag: &str) -> Self {
        let name = place.name_in(tag).unwrap_or(place.name());
        let towns = phrases::of(tag).map(|phrases| &phrases.place.towns);
        let names = [Some(name), Some(place.name()), place.name_in("en")];
        let listed = towns.and_then(|towns| names.into_iter().flatten().find_map(|name| towns.get(name)));
        let alone = match listed {
            Some((name, phrase)) => Self {
                name: name.clone(),
                phrase: phrase.clone(),
            },
            None => Self::of(tag, Kind::Town, name, place.country_code()),
        };
        let region = || place.admin_in(tag).or(place.admin());
        let country = || place.country_in(tag).or(Some(place.country()));
        let mut apart = match place.told_apart_by() {
            ToldApart::ByName => None,
            ToldApart::ByRegion => region(),
            ToldApart::ByCountry => country(),
        };
        // A region that has no name in the letters of the language gives way to its country.
        if apart.is_some_and(|apart| !language::can_write(tag, apart)) {
            apart = country().filter(|country| language::can_write(tag, country));
        }
        match apart.filter(|apart| *apart != name) {
            Some(apart) => alone.inside(tag, apart, place),
            None => alone,
        }
    }

    /// The name inside a larger one.
    fn inside(self, tag: &str, apart: &str, place: &KnownPlace) -> Self {
        let Self { name, phrase } = self;
        // Small to large, except where addresses run from large to small.
        let joined = match tag {
            "ja" | "zh" | "zh-Hant" => format!("{apart}{name}"),
            "ko" => format!("{apart} {name}"),
            "ar" => format!("{name}، {apart}"),
            _ => format!("{name}, {apart}"),
        };
        let phrase = match tag {
            "ja" | "zh" | "zh-Hant" | "ko" => joined.clone(),
            "ar" => format!("{phrase}، {apart}"),
            "hi" | "tr" => locative::phrase(tag, Kind::Town, &joined, place.country_code()),
            _ => format!("{phrase}, {apart}"),
        };
        Self { name: joined, phrase }
    }

    /// Speaks a scan's place: a town, a region or a country.
    pub(super) fn anchor(located: &Located, tag: &str) -> Self {
        let (resolved, place) = (located.resolved(), located.resolved().place());
        match resolved.scope() {
            RadiusScope::City => match resolved.district() {
                Some(district) => {
                    let district = Self::of(tag, Kind::Town, district, place.country_code());
                    district.inside(tag, &Self::town(place, tag).name, place)
                }
                None => Self::town(place, tag),
            },
            RadiusScope::Country if !resolved.is_vernacular() => {
                let places = phrases::of(tag).map(|phrases| &phrases.place.countries);
                let listed = places.and_then(|countries| countries.get(place.country_code()));
                let listed = listed.map(|(name, _)| name.as_str());
                let name = place.name_in(tag).or(listed).unwrap_or(place.name());
                Self::of(tag, Kind::Country, name, place.country_code())
            }
            RadiusScope::Region | RadiusScope::Country => {
                let name = resolved.area_in(tag).unwrap_or(resolved.spelling());
                Self::of(tag, Kind::Region, name, place.country_code())
            }
        }
    }

    fn of(tag: &str, kind: Kind, name: &str, country_code: &str) -> Self {
        Self {
            name: name.to_owned(),
            phrase: locative::phrase(tag, kind, name, country_code),
        }
    }
}
