//! What columns are headed in each tool's languages, from `data/columns.txt`.

use std::collections::HashMap;
use std::sync::LazyLock;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, strum::EnumString)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum Column {
    Date,
    NthDay,
    Query,
    GroundingQuery,
    Page,
    Country,
    Device,
    Appearance,
    Filter,
    SearchType,
    Clicks,
    Impressions,
    Ctr,
    Position,
    Citations,
    CitedPages,
    CitationShare,
    Topic,
    Intent,
    SessionSource,
    Channel,
    LandingPage,
    Sessions,
    EngagedSessions,
    KeyEvents,
}

/// Lines of the data file: a key and its headers.
fn headers() -> impl Iterator<Item = (&'static str, std::str::Split<'static, char>)> {
    lines(include_str!("../data/columns.txt"))
        .filter_map(|line| line.split_once('='))
        .map(|(name, headers)| (name.trim(), headers.split('|')))
}

static HEADERS: LazyLock<HashMap<String, Column>> = LazyLock::new(|| {
    headers()
        .filter_map(|(name, headers)| {
            let column = name.parse().ok()?;
            Some(headers.map(move |header| (fold(header), column)))
        })
        .flatten()
        .collect()
});

/// Measures that comparisons name with a period, in small letters.
static MEASURES: LazyLock<Vec<(String, Column)>> = LazyLock::new(|| {
    let is_measure = |column: &Column| {
        matches!(
            column,
            Column::Clicks | Column::Impressions | Column::Ctr | Column::Position
        )
    };
    headers()
        .filter_map(|(name, headers)| {
            let column = name.parse().ok()?;
            is_measure(&column).then(|| headers.map(move |header| (header.trim().to_lowercase(), column)))
        })
        .flatten()
        .collect()
});

/// Reads a data file's lines without comments, sections and blank ones.
pub(crate) fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines()
        .filter(|line| !line.starts_with(['#', '[']) && !line.trim().is_empty())
}

/// A header or name in the form in which they are compared: letters and digits, in small letters.
pub(crate) fn fold(header: &str) -> String {
    let letters = header.chars().filter(|letter| letter.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// What a header means.
pub(crate) fn column_of(header: &str) -> Option<Column> {
    HEADERS.get(&fold(header)).copied()
}

/// Whether a search type is the one for ordinary results.
pub(crate) fn is_web(value: &str) -> bool {
    let mut values = headers()
        .filter(|(name, _)| *name == "web")
        .flat_map(|(_, values)| values);
    values.any(|known| fold(known) == fold(value))
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Columns {
    /// Each known column with its place.
    pub(crate) places: HashMap<Column, usize>,
    /// Headers that are not known.
    pub(crate) unknown: Vec<String>,
    /// Headers for a comparison's second period, which are not read.
    pub(crate) compared: Vec<String>,
    /// A column that stands there twice, outside a comparison.
    pub(crate) twice: Option<String>,
    /// How many fields a row has.
    pub(crate) width: usize,
}

impl Columns {
    /// Reads a header. Comparisons put their periods' dates or names in front of or behind the measure; the first
    /// period is read.
    pub(crate) fn of(header: &[String]) -> Self {
        let mut columns = Self {
            width: header.len(),
            ..Self::default()
        };
        let mut periods: Vec<Column> = Vec::new();
        for (place, text) in header.iter().enumerate() {
            let (column, is_compared) = match column_of(text) {
                Some(column) => (Some(column), false),
                None => (measure_within(&text.trim().to_lowercase()), true),
            };
            match column {
                None => columns.unknown.push(text.clone()),
                Some(column) if columns.places.contains_key(&column) => {
                    if is_compared && periods.contains(&column) {
                        columns.compared.push(text.clone());
                    } else {
                        columns.twice.get_or_insert(text.clone());
                    }
                }
                Some(column) => {
                    columns.places.insert(column, place);
                    if is_compared {
                        periods.push(column);
                    }
                }
            }
        }
        columns
    }

    /// Takes columns by their places, because nobody knows the headers.
    pub(crate) fn by_place(order: &[Column], width: usize) -> Self {
        Self {
            places: order.iter().copied().zip(0..width).collect(),
            width,
            ..Self::default()
        }
    }

    pub(crate) fn has(&self, column: Column) -> bool {
        self.places.contains_key(&column)
    }

    /// Returns a column's cell; `None` without the column or the cell.
    pub(crate) fn cell<'a>(&self, cells: &'a [String], column: Column) -> Option<&'a str> {
        cells.get(*self.places.get(&column)?).map(|cell| cell.trim())
    }
}

/// Reads a measure for one period, for example "Last 28 days Clicks" or "Klicks 01.08.26 – 28.08.26".
fn measure_within(text: &str) -> Option<Column> {
    MEASURES
        .iter()
        .filter(|(header, _)| {
            let rest = text
                .strip_suffix(header.as_str())
                .or_else(|| text.strip_prefix(header.as_str()));
            rest.is_some_and(|rest| {
                (rest.ends_with(' ') || rest.starts_with(' '))
                    && rest.bytes().any(|byte| byte.is_ascii_digit())
            })
        })
        .max_by_key(|(header, _)| header.len())
        .map(|(_, column)| *column)
}

#[cfg(test)]
mod tests {
    use super::{Column, Columns, HEADERS, fold, headers};
    use std::collections::HashMap;

    #[test]
    fn a_header_means_one_column_and_every_section_says_whether_it_was_seen() {
        let mut known: HashMap<String, &str> = HashMap::new();
        for (name, headers) in headers().filter(|(name, _)| *name != "web") {
            assert!(name.parse::<Column>().is_ok(), "{name}");
            for header in headers {
                let before = known.insert(fold(header), name);
                assert!(
                    before.is_none_or(|before| before == name),
                    "{header}: {before:?} and {name}"
                );
            }
        }
        assert_eq!(HEADERS.len(), known.len());
        let text = include_str!("../data/columns.txt");
        for section in text.lines().filter(|line| line.starts_with('[')) {
            let cells: Vec<&str> = section.trim_matches(['[', ']']).split(" | ").collect();
            let [_, _, seen, source] = cells[..] else {
                panic!("{section}")
            };
            assert!(seen.contains("seen") && !source.is_empty(), "{section}");
        }
    }

    #[test]
    fn comparisons_give_their_first_period() {
        let header = |text: &str| -> Vec<String> { text.split(',').map(str::to_owned).collect() };
        let columns = Columns::of(&header(
            "Top queries,8/1/26 - 8/28/26 Clicks,7/4/26 - 7/31/26 Clicks,Last 28 days Impressions,Previous 28 days Impressions",
        ));
        assert_eq!(columns.places[&Column::Clicks], 1);
        assert_eq!(columns.places[&Column::Impressions], 3);
        assert_eq!((columns.compared.len(), &columns.twice), (2, &None));
        assert!(!columns.has(Column::Position));
        let columns = Columns::of(&header("Page,Clicks,Klicks"));
        assert_eq!(columns.twice.as_deref(), Some("Klicks"));
        assert!(Columns::of(&header("Ad clicks,URL Clicks")).places.is_empty());
    }
}
