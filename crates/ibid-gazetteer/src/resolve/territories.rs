//! Territories with a country code of their own that people also place in the country they belong to.

/// The codes of the territories of a country, by its own code, and of countries that people place there. Source:
/// ISO 3166-1.
pub(super) fn of(country: &str) -> &'static [&'static str] {
    match country {
        "AU" => &["CC", "CX", "NF"],
        "CN" => &["HK", "MO", "TW"],
        "DK" => &["FO", "GL"],
        "FI" => &["AX"],
        "FR" => &["BL", "GF", "GP", "MF", "MQ", "NC", "PF", "PM", "RE", "WF", "YT"],
        "GB" => &[
            "AI", "BM", "FK", "GG", "GI", "IM", "JE", "KY", "MS", "SH", "TC", "VG",
        ],
        "NL" => &["AW", "BQ", "CW", "SX"],
        "NO" => &["SJ"],
        "NZ" => &["CK", "NU", "TK"],
        "US" => &["AS", "GU", "MP", "PR", "VI"],
        _ => &[],
    }
}
