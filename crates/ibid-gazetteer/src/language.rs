//! The languages to ask in. They are a matter of judgement, written down in `languages.txt`.

use std::collections::HashMap;
use std::sync::LazyLock;

static LANGUAGES: LazyLock<HashMap<&str, Vec<&str>>> = LazyLock::new(|| {
    let lines = include_str!("languages.txt").lines();
    let rows = lines.filter(|line| !line.starts_with('#')).filter_map(|line| {
        let (place, languages) = line.split_once(' ')?;
        Some((place, languages.split(' ').collect()))
    });
    rows.collect()
});

/// Lists a place's languages as BCP 47 tags, best first: its region's where they differ from its country's.
/// Never empty.
///
/// `region` is the first-level GeoNames code.
pub(crate) fn of(country: &str, region: &str) -> &'static [&'static str] {
    let of_region = LANGUAGES.get(format!("{country}.{region}").as_str());
    of_region
        .or_else(|| LANGUAGES.get(country))
        .map_or(&["en"], Vec::as_slice)
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
