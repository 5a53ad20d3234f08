//! "In Leeds": a place with the preposition, article, case or ending of its language.

/// What is named, because some languages put a town otherwise than a country.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A town or a section of one.
    Town,
    /// A region.
    Region,
    /// A country.
    Country,
}

/// The phrase for being in a place.
pub(super) fn phrase(tag: &str, kind: Kind, name: &str, country_code: &str) -> String {
    let places = super::phrases::of(tag).map(|phrases| &phrases.place);
    if let Some(places) = places.filter(|places| !places.town.is_empty()) {
        let pattern = match kind {
            Kind::Town => match places.towns.get(name) {
                Some((_, phrase)) => return phrase.clone(),
                None => &places.town,
            },
            Kind::Region => &places.region,
            Kind::Country => match places.countries.get(country_code) {
                Some((_, phrase)) => return phrase.clone(),
                None => &places.country,
            },
        };
        return pattern.replace("{p}", name);
    }
    if let Some(lead) = named_kind(tag, name) {
        return format!("{lead} {name}");
    }
    match tag {
        "es" => format!("en {name}"),
        "de" => german(kind, name, country_code),
        "fr" => french(kind, name, country_code),
        "pt" => portuguese(kind, name, country_code),
        "it" => italian(kind, name, country_code),
        "sv" => format!("i {name}"),
        "tr" => turkish(name),
        "ar" => format!("في {name}"),
        "hi" => format!("{name} में"),
        "ja" => format!("{name}で"),
        "ko" => format!("{name}에서"),
        "zh" | "zh-Hant" => format!("在{name}"),
        "en" => english(kind, name, country_code),
        _ => format!("in {name}"),
    }
}

/// The words before the name of a region that begins with its kind, which has an article.
fn named_kind(tag: &str, name: &str) -> Option<&'static str> {
    let (kind, _) = name.split_once([' ', '\''])?;
    Some(match (tag, kind.to_lowercase().as_str()) {
        ("es", "provincia" | "región" | "isla") => "en la",
        ("es", "departamento" | "condado" | "distrito" | "estado") => "en el",
        ("fr", "province" | "région" | "île") => "dans la",
        ("fr", "comté" | "département" | "canton" | "district") => "dans le",
        ("pt", "província" | "região" | "ilha") => "na",
        ("pt", "distrito" | "condado" | "departamento" | "estado") => "no",
        ("de", "provinz" | "region" | "insel") => "in der",
        ("de", "département" | "landkreis" | "kreis" | "kanton" | "bezirk" | "distrikt") => "im",
        _ => return None,
    })
}

/// Countries with an article in English.
fn english(kind: Kind, name: &str, country_code: &str) -> String {
    let article = match kind {
        Kind::Country => [
            "US", "GB", "NL", "PH", "AE", "BS", "GM", "MV", "SC", "DO", "CF", "CD", "MH", "SB", "KM", "KY",
            "FO",
        ]
        .contains(&country_code),
        Kind::Region => [
            "Lake District",
            "Ruhr",
            "Bay Area",
            "Cotswolds",
            "Balearic Islands",
            "Canary Islands",
        ]
        .contains(&name),
        Kind::Town => false,
    };
    if article {
        format!("in the {name}")
    } else {
        format!("in {name}")
    }
}

fn german(kind: Kind, name: &str, country_code: &str) -> String {
    let lead = match (kind, country_code) {
        (Kind::Country, "CH" | "TR" | "UA" | "MN" | "SK" | "DO" | "CF" | "CD") => "in der",
        (Kind::Country, "US" | "NL" | "PH" | "AE" | "MV" | "BS" | "SC" | "KM") => "in den",
        (Kind::Country, "GB" | "IR" | "IQ" | "LB" | "SD" | "SN" | "TD" | "YE" | "NE" | "VA") => "im",
        (Kind::Region, _) => match name {
            "Saarland" | "Ruhrgebiet" | "Allgäu" | "Elsass" | "Schwarzwald" | "Burgenland" | "Tessin"
            | "Wallis" | "Aargau" | "Thurgau" | "Waadt" | "Jura" | "Harz" | "Rheinland" | "Latium"
            | "Baskenland" => "im",
            "Toskana" | "Bretagne" | "Normandie" | "Provence" | "Lombardei" | "Steiermark" | "Pfalz"
            | "Eifel" | "Algarve" | "Emilia-Romagna" | "Wallonie" => "in der",
            "Kanarische Inseln" | "Balearische Inseln" => "auf den",
            _ => "in",
        },
        _ => "in",
    };
    let name = match (lead, name) {
        ("in den", name) if name.ends_with("Niederlande") || name.ends_with("Philippine") => {
            format!("{name}n")
        }
        ("in den", "Vereinigte Staaten") => "Vereinigten Staaten".to_owned(),
        ("in den", "Vereinigte Arabische Emirate") => "Vereinigten Arabischen Emiraten".to_owned(),
        ("im", "Vereinigtes Königreich") => "Vereinigten Königreich".to_owned(),
        ("in der", "Dominikanische Republik") => "Dominikanischen Republik".to_owned(),
        ("in der", "Zentralafrikanische Republik") => "Zentralafrikanischen Republik".to_owned(),
        ("auf den", name) => name.replace("che Inseln", "chen Inseln"),
        (_, name) => name.to_owned(),
    };
    format!("{lead} {name}")
}

fn french(kind: Kind, name: &str, country_code: &str) -> String {
    let vowel = name.starts_with(['A', 'E', 'I', 'O', 'U', 'É', 'Î', 'Ô']);
    match kind {
        Kind::Town => {
            if let Some(rest) = name.strip_prefix("Le ") {
                format!("au {rest}")
            } else if let Some(rest) = name.strip_prefix("Les ") {
                format!("aux {rest}")
            } else {
                format!("à {name}")
            }
        }
        Kind::Region => match name {
            "Jura" | "Valais" | "Tessin" | "Québec" | "Pays basque" | "Var" | "Luberon" | "Tyrol" => {
                format!("au {name}")
            }
            _ if vowel || name.ends_with('e') => format!("en {name}"),
            _ => format!("en région {name}"),
        },
        Kind::Country => match country_code {
            "US" | "NL" | "PH" | "AE" | "MV" | "SC" | "BS" | "KM" | "MH" | "SB" => format!("aux {name}"),
            "CU" | "SG" | "MC" | "MT" | "CY" | "MG" | "MU" | "TW" | "HK" | "HT" | "BH" | "DJ" | "SM"
            | "PR" | "OM" | "MO" | "RE" => format!("à {name}"),
            "MX" | "KH" | "MZ" | "ZW" | "BZ" | "SR" => format!("au {name}"),
            _ if vowel || name.ends_with('e') => format!("en {name}"),
            _ => format!("au {name}"),
        },
    }
}

fn portuguese(kind: Kind, name: &str, country_code: &str) -> String {
    let lead = match (kind, country_code) {
        (Kind::Town, _) => match name {
            "Rio de Janeiro" | "Porto" | "Recife" | "Cairo" | "Funchal" | "Barreiro" | "Seixal"
            | "Panamá" => "no",
            "Haia" | "Cidade do México" | "Guarda" | "Figueira da Foz" | "Amadora" | "Praia" => "na",
            _ => "em",
        },
        (Kind::Region, _) => match name {
            "Rio de Janeiro"
            | "Paraná"
            | "Ceará"
            | "Pará"
            | "Amazonas"
            | "Maranhão"
            | "Piauí"
            | "Espírito Santo"
            | "Rio Grande do Sul"
            | "Rio Grande do Norte"
            | "Mato Grosso do Sul"
            | "Acre"
            | "Amapá"
            | "Tocantins"
            | "Distrito Federal"
            | "Algarve"
            | "Alentejo"
            | "Minho"
            | "Douro"
            | "Norte"
            | "Centro" => "no",
            "Bahia" | "Paraíba" | "Madeira" | "Catalunha" | "Baviera" | "Andaluzia" | "Toscana"
            | "Califórnia" | "Galiza" | "Flórida" | "Lombardia" => "na",
            "Açores" => "nos",
            _ => "em",
        },
        (Kind::Country, "US" | "NL" | "AE" | "CM") => "nos",
        (Kind::Country, "PH" | "BS" | "MV" | "SC" | "KM" | "FJ") => "nas",
        (
            Kind::Country,
            "PT" | "AO" | "MZ" | "CV" | "CU" | "IL" | "MC" | "MT" | "SG" | "CY" | "ST" | "TL" | "MG" | "MO"
            | "HK" | "AD" | "SV" | "PR" | "HN" | "TW",
        ) => "em",
        (
            Kind::Country,
            "CA" | "KE" | "GH" | "QA" | "PA" | "SR" | "LK" | "BW" | "VN" | "NP" | "LA" | "KH",
        ) => "no",
        (Kind::Country, "CR" | "FR" | "CI") => "na",
        (Kind::Country, _) if name.ends_with('a') => "na",
        (Kind::Country, _) => "no",
    };
    format!("{lead} {name}")
}

fn italian(kind: Kind, name: &str, country_code: &str) -> String {
    match kind {
        Kind::Town => match name.split_once(' ') {
            Some(("La", rest)) => format!("alla {rest}"),
            Some(("Il", rest)) => format!("al {rest}"),
            _ => match name.strip_prefix("L'") {
                Some(rest) => format!("all'{rest}"),
                None => format!("a {name}"),
            },
        },
        Kind::Region => match name {
            "Lazio" | "Molise" | "Veneto" => format!("nel {name}"),
            "Marche" => format!("nelle {name}"),
            _ => format!("in {name}"),
        },
        Kind::Country => match country_code {
            "US" | "AE" => format!("negli {name}"),
            "NL" => format!("nei {name}"),
            "GB" => format!("nel {name}"),
            "PH" | "MV" | "BS" | "SC" => format!("nelle {name}"),
            "DO" | "CF" | "CD" => format!("nella {name}"),
            "CU" | "MT" | "SG" | "CY" | "MC" | "HT" | "TW" | "MG" | "MU" | "HK" | "PR" | "SM" => {
                format!("a {name}")
            }
            _ => format!("in {name}"),
        },
    }
}

/// The locative ending agrees with the last vowel and hardens after a voiceless consonant.
fn turkish(name: &str) -> String {
    let lower = name.to_lowercase();
    let vowel = lower
        .chars()
        .rev()
        .find(|c| "aeıioöuüâîû".contains(*c))
        .unwrap_or('e');
    let vowel = if "aıouâû".contains(vowel) { 'a' } else { 'e' };
    let hard = lower
        .chars()
        .next_back()
        .is_some_and(|last| "fstkçşhp".contains(last));
    let consonant = if hard { 't' } else { 'd' };
    format!("{name}'{consonant}{vowel}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_take_the_words_that_people_use() {
        for (tag, kind, name, code, expected) in [
            ("es", Kind::Town, "Valencia", "ES", "en Valencia"),
            ("fr", Kind::Town, "Genève", "CH", "à Genève"),
            (
                "fr",
                Kind::Region,
                "province de Málaga",
                "ES",
                "dans la province de Málaga",
            ),
            (
                "de",
                Kind::Region,
                "Landkreis Görlitz",
                "DE",
                "im Landkreis Görlitz",
            ),
            ("fr", Kind::Town, "Le Havre", "FR", "au Havre"),
            ("fr", Kind::Country, "Portugal", "PT", "au Portugal"),
            ("fr", Kind::Country, "France", "FR", "en France"),
            ("fr", Kind::Country, "États-Unis", "US", "aux États-Unis"),
            ("de", Kind::Town, "München", "DE", "in München"),
            ("de", Kind::Country, "Schweiz", "CH", "in der Schweiz"),
            ("de", Kind::Country, "Niederlande", "NL", "in den Niederlanden"),
            ("en", Kind::Country, "United States", "US", "in the United States"),
            ("it", Kind::Town, "L'Aquila", "IT", "all'Aquila"),
            ("it", Kind::Country, "Stati Uniti", "US", "negli Stati Uniti"),
            ("pt", Kind::Town, "Porto", "PT", "no Porto"),
            ("pt", Kind::Country, "Brasil", "BR", "no Brasil"),
            ("pt", Kind::Country, "Espanha", "ES", "na Espanha"),
            ("pl", Kind::Town, "Wrocław", "PL", "we Wrocławiu"),
            ("pl", Kind::Town, "Kutno", "PL", "w miejscowości Kutno"),
            ("ru", Kind::Town, "Псков", "RU", "в городе Псков"),
            ("tr", Kind::Town, "İstanbul", "TR", "İstanbul'da"),
            ("tr", Kind::Town, "Gaziantep", "TR", "Gaziantep'te"),
            ("tr", Kind::Town, "İzmir", "TR", "İzmir'de"),
            ("ja", Kind::Town, "大阪", "JP", "大阪で"),
            ("hi", Kind::Town, "दिल्ली", "IN", "दिल्ली में"),
        ] {
            assert_eq!(phrase(tag, kind, name, code), expected);
        }
    }
}
