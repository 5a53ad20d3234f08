//! Names of invented businesses, coined from syllables to differ from real ones.

use super::dice::Dice;
use super::words::fill;

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

/// Coins a name in the manner of a language.
/// `None` is for companies without a home country.
/// Some names contain the town, if one is given.
pub(super) fn coin(dice: &mut Dice, language: Option<&str>, town: Option<&str>) -> Name {
    let manner = manner(language);
    let (head, tail) = (dice.pick(&manner.heads), dice.pick(&manner.tails));
    let frame = dice.pick(&manner.frames);
    let stem = format!("{}{}", head.0, tail.0);
    let mut shown = fill(frame.0, &[("s", &stem)]);
    let mut label = fill(frame.1, &[("s", &format!("{}{}", head.1, tail.1))]);
    if let Some(town) = town.filter(|_| dice.chance(0.3)) {
        shown = format!("{shown} {town}");
        if town.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            label = format!("{label}-{}", town.to_ascii_lowercase());
        }
    }
    let end = dice.pick(&manner.ends);
    Name {
        shown,
        host: format!("{label}{end}"),
        stem,
    }
}

/// Parts of business names in one language.
/// Each has a displayed form and a form for host names.
struct Manner {
    heads: [(&'static str, &'static str); 8],
    tails: [(&'static str, &'static str); 8],
    frames: [(&'static str, &'static str); 5],
    ends: [&'static str; 3],
}

fn manner(language: Option<&str>) -> &'static Manner {
    match language {
        None => &EVERYWHERE,
        Some("es") => &SPANISH,
        Some("de") => &GERMAN,
        Some("fr") => &FRENCH,
        Some("pt") => &PORTUGUESE,
        Some("it") => &ITALIAN,
        Some("nl") => &DUTCH,
        Some("ja") => &JAPANESE,
        Some(_) => &ENGLISH,
    }
}

const EVERYWHERE: Manner = Manner {
    heads: [
        ("Vel", "vel"),
        ("Nor", "nor"),
        ("Aster", "aster"),
        ("Lum", "lum"),
        ("Quan", "quan"),
        ("Zeph", "zeph"),
        ("Kor", "kor"),
        ("Miro", "miro"),
    ],
    tails: [
        ("mora", "mora"),
        ("vance", "vance"),
        ("ida", "ida"),
        ("exa", "exa"),
        ("tria", "tria"),
        ("oline", "oline"),
        ("avia", "avia"),
        ("unova", "unova"),
    ],
    frames: [
        ("{s}", "{s}"),
        ("{s}", "{s}"),
        ("{s} Direct", "{s}direct"),
        ("{s} Network", "{s}network"),
        ("{s}Go", "{s}go"),
    ],
    ends: [".com", ".com", ".net"],
};

const ENGLISH: Manner = Manner {
    heads: [
        ("Brindle", "brindle"),
        ("Calder", "calder"),
        ("Tarn", "tarn"),
        ("Wex", "wex"),
        ("Harrow", "harrow"),
        ("Kel", "kel"),
        ("Thorn", "thorn"),
        ("Oaken", "oaken"),
    ],
    tails: [
        ("wick", "wick"),
        ("field", "field"),
        ("mere", "mere"),
        ("combe", "combe"),
        ("stead", "stead"),
        ("brook", "brook"),
        ("gate", "gate"),
        ("ley", "ley"),
    ],
    frames: [
        ("{s}", "{s}"),
        ("{s} & Co", "{s}andco"),
        ("{s} House", "{s}house"),
        ("The {s} Group", "the{s}group"),
        ("{s} Partners", "{s}-partners"),
    ],
    ends: [".com", ".com", ".co.uk"],
};

const SPANISH: Manner = Manner {
    heads: [
        ("Alba", "alba"),
        ("Monte", "monte"),
        ("Riva", "riva"),
        ("Vega", "vega"),
        ("Torre", "torre"),
        ("Mira", "mira"),
        ("Peña", "pena"),
        ("Cala", "cala"),
    ],
    tails: [
        ("luz", "luz"),
        ("mar", "mar"),
        ("dor", "dor"),
        ("nova", "nova"),
        ("verde", "verde"),
        ("sol", "sol"),
        ("lisa", "lisa"),
        ("brava", "brava"),
    ],
    frames: [
        ("{s}", "{s}"),
        ("Casa {s}", "casa{s}"),
        ("Grupo {s}", "grupo{s}"),
        ("Estudio {s}", "estudio-{s}"),
        ("{s} Centro", "{s}centro"),
    ],
    ends: [".es", ".es", ".com"],
};

const GERMAN: Manner = Manner {
    heads: [
        ("Linden", "linden"),
        ("Falken", "falken"),
        ("Rosen", "rosen"),
        ("Erlen", "erlen"),
        ("Birken", "birken"),
        ("Mühl", "muehl"),
        ("Eichen", "eichen"),
        ("König", "koenig"),
    ],
    tails: [
        ("hof", "hof"),
        ("tal", "tal"),
        ("brück", "brueck"),
        ("au", "au"),
        ("feld", "feld"),
        ("stein", "stein"),
        ("garten", "garten"),
        ("horst", "horst"),
    ],
    frames: [
        ("{s}", "{s}"),
        ("{s} & Partner", "{s}-partner"),
        ("Haus {s}", "haus-{s}"),
        ("{s} GmbH", "{s}"),
        ("{s} Team", "{s}team"),
    ],
    ends: [".de", ".de", ".com"],
};

const FRENCH: Manner = Manner {
    heads: [
        ("Val", "val"),
        ("Clair", "clair"),
        ("Beau", "beau"),
        ("Roche", "roche"),
        ("Font", "font"),
        ("Haute", "haute"),
        ("Belle", "belle"),
        ("Cham", "cham"),
    ],
    tails: [
        ("brune", "brune"),
        ("mont", "mont"),
        ("rive", "rive"),
        ("selle", "selle"),
        ("vigne", "vigne"),
        ("brey", "brey"),
        ("lac", "lac"),
        ("forêt", "foret"),
    ],
    frames: [
        ("{s}", "{s}"),
        ("Maison {s}", "maison-{s}"),
        ("Atelier {s}", "atelier{s}"),
        ("{s} & Fils", "{s}-et-fils"),
        ("Cabinet {s}", "cabinet{s}"),
    ],
    ends: [".fr", ".fr", ".com"],
};

const PORTUGUESE: Manner = Manner {
    heads: [
        ("Serra", "serra"),
        ("Monte", "monte"),
        ("Vale", "vale"),
        ("Ria", "ria"),
        ("Pedra", "pedra"),
        ("Costa", "costa"),
        ("Lago", "lago"),
        ("Boa", "boa"),
    ],
    tails: [
        ("alva", "alva"),
        ("nova", "nova"),
        ("clara", "clara"),
        ("mor", "mor"),
        ("verde", "verde"),
        ("lima", "lima"),
        ("dourada", "dourada"),
        ("branca", "branca"),
    ],
    frames: [
        ("{s}", "{s}"),
        ("Casa {s}", "casa{s}"),
        ("Grupo {s}", "grupo{s}"),
        ("Espaço {s}", "espaco{s}"),
        ("{s} Prime", "{s}prime"),
    ],
    ends: [".com.br", ".pt", ".com.br"],
};

const ITALIAN: Manner = Manner {
    heads: [
        ("Mont", "mont"),
        ("Val", "val"),
        ("Ros", "ros"),
        ("Bel", "bel"),
        ("Cast", "cast"),
        ("Riv", "riv"),
        ("Ter", "ter"),
        ("Lun", "lun"),
    ],
    tails: [
        ("elmo", "elmo"),
        ("arno", "arno"),
        ("etta", "etta"),
        ("ara", "ara"),
        ("olino", "olino"),
        ("averde", "averde"),
        ("emare", "emare"),
        ("oro", "oro"),
    ],
    frames: [
        ("{s}", "{s}"),
        ("Studio {s}", "studio{s}"),
        ("Casa {s}", "casa{s}"),
        ("{s} & Figli", "{s}efigli"),
        ("Centro {s}", "centro-{s}"),
    ],
    ends: [".it", ".it", ".com"],
};

const DUTCH: Manner = Manner {
    heads: [
        ("Linden", "linden"),
        ("Water", "water"),
        ("Duin", "duin"),
        ("Veen", "veen"),
        ("Molen", "molen"),
        ("Zonne", "zonne"),
        ("Heide", "heide"),
        ("Ster", "ster"),
    ],
    tails: [
        ("veld", "veld"),
        ("daal", "daal"),
        ("hoek", "hoek"),
        ("dijk", "dijk"),
        ("hof", "hof"),
        ("burg", "burg"),
        ("wijk", "wijk"),
        ("brug", "brug"),
    ],
    frames: [
        ("{s}", "{s}"),
        ("Van {s}", "van{s}"),
        ("{s} & Zonen", "{s}enzonen"),
        ("Huis {s}", "huis{s}"),
        ("{s} B.V.", "{s}"),
    ],
    ends: [".nl", ".nl", ".com"],
};

const JAPANESE: Manner = Manner {
    heads: [
        ("青", "ao"),
        ("白", "shira"),
        ("森", "mori"),
        ("松", "matsu"),
        ("星", "hoshi"),
        ("朝", "asa"),
        ("藤", "fuji"),
        ("水", "mizu"),
    ],
    tails: [
        ("川", "kawa"),
        ("野", "no"),
        ("峰", "mine"),
        ("浜", "hama"),
        ("沢", "sawa"),
        ("木", "ki"),
        ("原", "hara"),
        ("谷", "tani"),
    ],
    frames: [
        ("{s}堂", "{s}do"),
        ("{s}工房", "{s}-kobo"),
        ("{s}本舗", "{s}honpo"),
        ("{s}サービス", "{s}-service"),
        ("株式会社{s}", "{s}"),
    ],
    ends: [".jp", ".co.jp", ".jp"],
};

#[cfg(test)]
mod tests {
    use super::*;
    use ibid_model::Domain;

    #[test]
    fn every_coined_host_is_a_domain() {
        for language in [
            None,
            Some("en"),
            Some("es"),
            Some("de"),
            Some("fr"),
            Some("pt"),
            Some("it"),
            Some("nl"),
            Some("ja"),
        ] {
            let mut dice = Dice::new(3, &[language.unwrap_or("-")]);
            for town in [None, Some("Sevilla"), Some("São Paulo"), Some("東京")] {
                for _ in 0..50 {
                    let name = coin(&mut dice, language, town);
                    assert_eq!(name.host.parse::<Domain>().unwrap().as_str(), name.host);
                    assert!(!name.shown.contains(['{', '}']), "{}", name.shown);
                }
            }
        }
    }
}
