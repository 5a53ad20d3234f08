//! The languages to ask in.
//!
//! Languages are a matter of judgement.
//! This table lists the languages in which a local would most likely type a question, best first.
//! Every later one is a fair substitute.
//! Source: common knowledge, checked against the language lists of GeoNames.

/// The languages of a place as BCP 47 tags, best first.
/// Never empty.
///
/// `region` is the first-level GeoNames code.
pub(crate) fn of(country: &str, region: &str) -> &'static [&'static str] {
    of_region(country, region).unwrap_or_else(|| of_country(country))
}

/// Regions whose language differs from that of their country.
fn of_region(country: &str, region: &str) -> Option<&'static [&'static str]> {
    Some(match (country, region) {
        // Brussels; Wallonia.
        // Flanders has the languages of its country.
        ("BE", "BRU") => &["fr", "nl"],
        ("BE", "WAL") => &["fr"],
        ("CA", "10") => &["fr", "en"],
        ("CH", "GE" | "VD" | "NE" | "JU" | "FR" | "VS") => &["fr", "de"],
        ("CH", "TI") => &["it", "de"],
        // Catalonia; Valencia and the Balearic Islands; Galicia; the Basque Country.
        ("ES", "56") => &["ca", "es"],
        ("ES", "60" | "07") => &["es", "ca"],
        ("ES", "58") => &["es", "gl"],
        ("ES", "59") => &["es", "eu"],
        _ => return None,
    })
}

fn of_country(country: &str) -> &'static [&'static str] {
    match country {
        "AD" => &["ca", "es"],
        "AE" | "BH" | "EG" | "EH" | "IQ" | "JO" | "KW" | "LY" | "OM" | "PS" | "QA" | "SA" | "SD" | "SY"
        | "YE" => &["ar", "en"],
        "DZ" | "KM" | "LB" | "MA" | "MR" | "TN" => &["ar", "fr"],
        "AF" => &["fa", "ps"],
        "AL" | "XK" => &["sq"],
        "AM" => &["hy", "ru"],
        "AO" | "CV" | "GW" | "MZ" | "PT" | "ST" => &["pt"],
        "AR" | "BO" | "CL" | "CO" | "CR" | "CU" | "DO" | "EC" | "ES" | "GQ" | "GT" | "HN" | "MX" | "NI"
        | "PA" | "PE" | "PY" | "SV" | "UY" | "VE" => &["es"],
        "PR" => &["es", "en"],
        "AT" | "DE" | "LI" => &["de"],
        "CH" => &["de", "fr"],
        "AW" | "BQ" | "CW" | "SR" | "SX" => &["nl", "en"],
        "BE" | "NL" => &["nl"],
        "AX" | "SE" => &["sv"],
        "AZ" => &["az", "ru"],
        "BA" => &["bs"],
        "BD" => &["bn", "en"],
        "BF" | "BI" | "BJ" | "BL" | "CD" | "CF" | "CG" | "CI" | "DJ" | "FR" | "GA" | "GF" | "GN" | "GP"
        | "MC" | "MF" | "MG" | "ML" | "MQ" | "NC" | "NE" | "PF" | "PM" | "RE" | "SN" | "TD" | "TF" | "TG"
        | "WF" | "YT" => &["fr"],
        "CM" => &["fr", "en"],
        "HT" => &["fr", "ht"],
        "LU" => &["fr", "de", "lb"],
        "BG" => &["bg"],
        "BN" | "MY" => &["ms", "en"],
        "BR" => &["pt-BR", "pt"],
        "BT" => &["dz", "en"],
        "BY" => &["ru", "be"],
        "CN" => &["zh-Hans", "zh"],
        "HK" => &["zh-Hant", "zh", "en"],
        "MO" | "TW" => &["zh-Hant", "zh"],
        "CY" => &["el", "en"],
        "GR" => &["el"],
        "CZ" => &["cs"],
        "DK" => &["da"],
        "FO" => &["fo", "da"],
        "GL" => &["kl", "da"],
        "EE" => &["et"],
        "ER" => &["ti", "ar"],
        "ET" => &["am", "en"],
        "FI" => &["fi"],
        "GE" => &["ka"],
        "HR" => &["hr"],
        "HU" => &["hu"],
        "ID" => &["id"],
        "IL" => &["he"],
        "IR" => &["fa"],
        "IS" => &["is"],
        "IT" | "SM" | "VA" => &["it"],
        "JP" => &["ja"],
        "KG" => &["ru", "ky"],
        "KH" => &["km"],
        "KP" | "KR" => &["ko"],
        "KZ" => &["ru", "kk"],
        "LA" => &["lo"],
        "LK" => &["si", "ta", "en"],
        "LT" => &["lt"],
        "LV" => &["lv"],
        "MD" | "RO" => &["ro"],
        "ME" | "RS" | "CS" => &["sr"],
        "MK" => &["mk"],
        "MM" => &["my"],
        "MN" => &["mn"],
        "MT" => &["en", "mt"],
        "MU" | "SC" | "VU" => &["en", "fr"],
        "MV" => &["dv", "en"],
        "NO" | "SJ" => &["nb", "no"],
        "NP" => &["ne", "en"],
        "PH" => &["en", "fil"],
        "PK" => &["en", "ur"],
        "PL" => &["pl"],
        "RU" => &["ru"],
        "RW" => &["rw", "en"],
        "SG" => &["en", "zh"],
        "SI" => &["sl"],
        "SK" => &["sk"],
        "SO" => &["so", "en"],
        "TH" => &["th"],
        "TJ" => &["tg", "ru"],
        "TL" => &["pt", "tet"],
        "TM" => &["tk", "ru"],
        "TR" => &["tr"],
        "TZ" => &["sw", "en"],
        "UA" => &["uk"],
        "UZ" => &["uz", "ru"],
        "VN" => &["vi"],
        "IN" => &["en", "hi"],
        // All the others do business in English.
        _ => &["en"],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_follow_the_region_where_it_differs() {
        for (country, region, languages) in [
            ("ES", "29", ["es"].as_slice()),
            ("ES", "56", &["ca", "es"]),
            ("CA", "08", &["en"]),
            ("CA", "10", &["fr", "en"]),
            ("CH", "ZH", &["de", "fr"]),
            ("CH", "TI", &["it", "de"]),
            ("BE", "VLG", &["nl"]),
            ("BE", "WAL", &["fr"]),
            ("BR", "27", &["pt-BR", "pt"]),
            ("TW", "", &["zh-Hant", "zh"]),
            ("ZZ", "", &["en"]),
        ] {
            assert_eq!(of(country, region), languages, "{country}.{region}");
        }
    }
}
