//! Territories with their own country code that people also place in their country.

/// Lists a country's territories by their codes, and countries that people place in it.
///
/// Source: ISO 3166-1.
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
