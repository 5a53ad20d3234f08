//! How a place writes dates and numbers, after CLDR 48: a date's order, the sign between thousands, the per cent sign.
//!
//! Words and digits stay English, since all texts are.
//!
//! ```
//! use ibid_model::Locale;
//!
//! let day = jiff::civil::date(2026, 11, 21);
//! let american = Locale::new("en", "US");
//! assert_eq!(american.date(day), "Nov\u{a0}21,\u{a0}2026");
//! assert_eq!(Locale::new("de", "AT").count(12_345), "12\u{a0}345");
//! ```

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

/// No-break space, and the narrow one of French.
const SPACE: &str = "\u{a0}";
const NARROW: &str = "\u{202f}";

/// A language with a country, such as `de-AT`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Locale(String);

#[derive(Clone, Copy)]
enum Order {
    Day,
    Month,
    Year,
}

impl Locale {
    /// Takes a BCP 47 language tag, and an ISO 3166-1 country code or an empty text.
    #[must_use]
    pub fn new(language: &str, country: &str) -> Self {
        Self(match country {
            "" => language.to_owned(),
            _ => format!("{language}-{country}"),
        })
    }

    /// Writes a day: "21 Nov 2026", "Nov 21, 2026", "2026 Nov 21".
    pub fn date(&self, day: Date) -> String {
        let format = match self.order() {
            Order::Day => "%-d\u{a0}%b\u{a0}%Y",
            Order::Month => "%b\u{a0}%-d,\u{a0}%Y",
            Order::Year => "%Y\u{a0}%b\u{a0}%-d",
        };
        day.strftime(format).to_string()
    }

    /// Writes a day in full: "21 November 2026", "November 21, 2026", "2026 November 21".
    pub fn long_date(&self, day: Date) -> String {
        let format = match self.order() {
            Order::Day => "%-d %B %Y",
            Order::Month => "%B %-d, %Y",
            Order::Year => "%Y %B %-d",
        };
        day.strftime(format).to_string()
    }

    /// Writes a day of a year that the reader knows: "21 November", "November 21".
    pub fn day_and_month(&self, day: Date) -> String {
        let format = match self.order() {
            Order::Day => "%-d %B",
            Order::Month | Order::Year => "%B %-d",
        };
        day.strftime(format).to_string()
    }

    /// Writes a day on an axis: "21 Nov", "Nov 21".
    pub fn short_day(&self, day: Date) -> String {
        let format = match self.order() {
            Order::Day => "%-d\u{a0}%b",
            Order::Month | Order::Year => "%b\u{a0}%-d",
        };
        day.strftime(format).to_string()
    }

    /// Writes a count: "12,345", "12.345", "12 345".
    pub fn count(&self, number: u64) -> String {
        let digits = number.to_string();
        let least = match self.leaves_four_digits() {
            true => 5,
            false => 4,
        };
        if digits.len() < least {
            return digits;
        }
        let mut grouped = String::with_capacity(2 * digits.len());
        for (index, digit) in digits.chars().enumerate() {
            if index > 0 && (digits.len() - index).is_multiple_of(3) {
                grouped.push_str(self.group());
            }
            grouped.push(digit);
        }
        grouped
    }

    /// Writes a percentage, or a range: "32%", "32 %", "%32".
    pub fn percent(&self, number: &str) -> String {
        match (self.language(), self.country()) {
            ("tr", _) => format!("%{number}"),
            ("cs" | "da" | "fi" | "nb" | "ro" | "ru" | "sv", _) | ("es", "ES" | "") => {
                format!("{number}{SPACE}%")
            }
            ("de" | "fr", country) if !matches!(country, "CH" | "LI") => format!("{number}{SPACE}%"),
            _ => format!("{number}%"),
        }
    }

    fn order(&self) -> Order {
        match (self.language(), self.country()) {
            ("en", "US" | "CA" | "PH" | "PR" | "GU" | "VI") => Order::Month,
            ("ja" | "zh" | "ko" | "hu", _) => Order::Year,
            _ => Order::Day,
        }
    }

    /// The sign between thousands.
    fn group(&self) -> &'static str {
        match (self.language(), self.country()) {
            ("fr", "CA") => SPACE,
            ("fr", "LU" | "MA") => ".",
            ("fr", _) => NARROW,
            (_, "CH" | "LI") => "'",
            ("de", "AT")
            | ("en", "ZA")
            | ("es", "CR")
            | ("cs" | "fi" | "hu" | "nb" | "pl" | "ru" | "sv" | "uk", _) => SPACE,
            ("pt", country) if country != "BR" => SPACE,
            ("es", "DO" | "GT" | "HN" | "MX" | "NI" | "PA" | "PE" | "PR" | "SV" | "US") => ",",
            ("ar", "DZ" | "LY" | "MA" | "TN")
            | ("da" | "de" | "el" | "es" | "id" | "it" | "nl" | "pt" | "ro" | "tr" | "vi", _) => ".",
            _ => ",",
        }
    }

    /// Whether 1234 is written without a sign.
    fn leaves_four_digits(&self) -> bool {
        match (self.language(), self.country()) {
            ("es", "ES" | "") | ("hu" | "it" | "pl", _) => true,
            ("pt", country) => country != "BR",
            _ => false,
        }
    }

    fn language(&self) -> &str {
        self.0.split('-').next().unwrap_or_default()
    }

    fn country(&self) -> &str {
        let last = self.0.split('-').skip(1).last().unwrap_or_default();
        match last.len() == 2 {
            true => last,
            false => "",
        }
    }
}

/// British English, as on the pages of ibid.
impl Default for Locale {
    fn default() -> Self {
        Self::new("en", "GB")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_write_in_their_own_ways() {
        let day = jiff::civil::date(2026, 11, 3);
        for (language, country, date, long, short, counts, percent) in [
            (
                "en",
                "GB",
                "3 Nov 2026",
                "3 November 2026",
                "3 November",
                "1,234 12,345",
                "32%",
            ),
            (
                "en",
                "US",
                "Nov 3, 2026",
                "November 3, 2026",
                "November 3",
                "1,234 12,345",
                "32%",
            ),
            (
                "en",
                "ZA",
                "3 Nov 2026",
                "3 November 2026",
                "3 November",
                "1 234 12 345",
                "32%",
            ),
            (
                "de",
                "DE",
                "3 Nov 2026",
                "3 November 2026",
                "3 November",
                "1.234 12.345",
                "32 %",
            ),
            (
                "de",
                "AT",
                "3 Nov 2026",
                "3 November 2026",
                "3 November",
                "1 234 12 345",
                "32 %",
            ),
            (
                "de",
                "CH",
                "3 Nov 2026",
                "3 November 2026",
                "3 November",
                "1'234 12'345",
                "32%",
            ),
            (
                "es",
                "ES",
                "3 Nov 2026",
                "3 November 2026",
                "3 November",
                "1234 12.345",
                "32 %",
            ),
            (
                "es",
                "MX",
                "3 Nov 2026",
                "3 November 2026",
                "3 November",
                "1,234 12,345",
                "32%",
            ),
            (
                "pt",
                "PT",
                "3 Nov 2026",
                "3 November 2026",
                "3 November",
                "1234 12 345",
                "32%",
            ),
            (
                "tr",
                "TR",
                "3 Nov 2026",
                "3 November 2026",
                "3 November",
                "1.234 12.345",
                "%32",
            ),
            (
                "zh-Hant",
                "TW",
                "2026 Nov 3",
                "2026 November 3",
                "November 3",
                "1,234 12,345",
                "32%",
            ),
            (
                "zh-Hant",
                "",
                "2026 Nov 3",
                "2026 November 3",
                "November 3",
                "1,234 12,345",
                "32%",
            ),
            (
                "fr",
                "FR",
                "3 Nov 2026",
                "3 November 2026",
                "3 November",
                "1 234 12 345",
                "32 %",
            ),
        ] {
            let locale = Locale::new(language, country);
            let plain = |text: String| text.replace(['\u{a0}', '\u{202f}'], " ");
            let found = [
                plain(locale.date(day)),
                locale.long_date(day),
                locale.day_and_month(day),
                plain(format!("{} {}", locale.count(1_234), locale.count(12_345))),
                plain(locale.percent("32")),
            ];
            assert_eq!(found, [date, long, short, counts, percent], "{locale:?}");
        }
        assert_eq!(Locale::new("fr", "FR").count(1_234), "1\u{202f}234");
        assert_eq!(Locale::new("en", "").count(1_234_567), "1,234,567");
    }
}
