//! Names of invented businesses, coined from syllables to differ from real ones.

use super::dice::Dice;
use super::tables::{Names, fill};

/// A name and its host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    /// As people write it.
    pub(super) shown: String,
    /// Its website, without `www.`.
    pub(super) host: String,
    /// The coined word in it.
    pub(super) stem: String,
}

/// Coins a name from the parts of a language.
/// Some names contain the town, if one is given.
pub(super) fn coin(dice: &mut Dice, names: &Names, town: Option<&str>) -> Name {
    let (head, tail) = (dice.pick(&names.heads), dice.pick(&names.tails));
    let frame = dice.pick(&names.frames);
    let stem = format!("{}{}", head.0, tail.0);
    let mut shown = fill(&frame.0, &[("s", &stem)]);
    let mut label = fill(&frame.1, &[("s", &format!("{}{}", head.1, tail.1))]);
    if let Some(town) = town.filter(|_| dice.chance(0.3)) {
        shown = format!("{shown} {town}");
        if town.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            label = format!("{label}-{}", town.to_ascii_lowercase());
        }
    }
    let end = dice.pick(&names.ends);
    Name {
        shown,
        host: format!("{label}{end}"),
        stem,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tables::TABLES;
    use super::*;
    use ibid_model::Domain;

    #[test]
    fn every_coined_host_is_a_domain() {
        let languages = TABLES.languages().map(|words| (words.tag.as_str(), &words.names));
        for (language, names) in languages.chain([("-", &TABLES.everywhere)]) {
            let mut dice = Dice::new(3, &[language]);
            for town in [None, Some("Sevilla"), Some("São Paulo"), Some("東京")] {
                for _ in 0..50 {
                    let name = coin(&mut dice, names, town);
                    assert_eq!(name.host.parse::<Domain>().unwrap().as_str(), name.host);
                    assert!(!name.shown.contains(['{', '}']), "{}", name.shown);
                }
            }
        }
    }
}
