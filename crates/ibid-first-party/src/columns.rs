//! Headers of columns in the languages of the tools, from `data/columns.txt`.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The meaning of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Column {
    Date,
    NthDay,
    Query,
    GroundingQuery,
    Page,
    Country,
    Device,
    Filter,
    Clicks,
    Impressions,
    Citations,
    CitedPages,
    CitationShare,
    Topic,
    Intent,
    SessionSource,
    LandingPage,
    Sessions,
    EngagedSessions,
    KeyEvents,
}

const NAMES: [(&str, Column); 20] = [
    ("date", Column::Date),
    ("nth_day", Column::NthDay),
    ("query", Column::Query),
    ("grounding_query", Column::GroundingQuery),
    ("page", Column::Page),
    ("country", Column::Country),
    ("device", Column::Device),
    ("filter", Column::Filter),
    ("clicks", Column::Clicks),
    ("impressions", Column::Impressions),
    ("citations", Column::Citations),
    ("cited_pages", Column::CitedPages),
    ("citation_share", Column::CitationShare),
    ("topic", Column::Topic),
    ("intent", Column::Intent),
    ("session_source", Column::SessionSource),
    ("landing_page", Column::LandingPage),
    ("sessions", Column::Sessions),
    ("engaged_sessions", Column::EngagedSessions),
    ("key_events", Column::KeyEvents),
];

static HEADERS: LazyLock<HashMap<String, Column>> = LazyLock::new(|| {
    lines(include_str!("../data/columns.txt"))
        .filter_map(|line| line.split_once('='))
        .filter_map(|(name, headers)| {
            let column = NAMES.iter().find(|(known, _)| *known == name.trim())?.1;
            Some(headers.split('|').map(move |header| (fold(header), column)))
        })
        .flatten()
        .collect()
});

/// The lines of a data file without comments and blank ones.
pub(crate) fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines()
        .filter(|line| !line.starts_with('#') && !line.trim().is_empty())
}

/// A header in the form in which headers are compared.
fn fold(header: &str) -> String {
    header.trim().trim_start_matches('\u{feff}').to_lowercase()
}

/// The columns of a table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Columns {
    /// Each known column with its place.
    pub(crate) places: HashMap<Column, usize>,
    /// Headers that are not known.
    pub(crate) unknown: Vec<String>,
    /// The headers of the second period of a comparison, which are not read.
    pub(crate) compared: Vec<String>,
    /// A column that stands there twice, outside a comparison.
    pub(crate) twice: Option<String>,
    /// The number of fields.
    pub(crate) width: usize,
}

impl Columns {
    /// Reads a header. Comparisons put the dates or names of their periods in front of or behind the measure; the first
    /// period is read.
    pub(crate) fn of(header: &[String]) -> Self {
        let mut columns = Self {
            places: HashMap::new(),
            unknown: Vec::new(),
            compared: Vec::new(),
            twice: None,
            width: header.len(),
        };
        let mut periods: Vec<Column> = Vec::new();
        for (place, text) in header.iter().enumerate() {
            let folded = fold(text);
            let (column, is_compared) = match HEADERS.get(&folded) {
                Some(column) => (Some(*column), false),
                None => (measure_within(&folded), true),
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

    pub(crate) fn has(&self, column: Column) -> bool {
        self.places.contains_key(&column)
    }

    /// The cell of a column; `None` without the column or the cell.
    pub(crate) fn cell<'a>(&self, cells: &'a [String], column: Column) -> Option<&'a str> {
        cells.get(*self.places.get(&column)?).map(|cell| cell.trim())
    }
}

/// Clicks or impressions of one period of a comparison: "Last 28 days Clicks", "Klicks 01.08.26 – 28.08.26".
fn measure_within(folded: &str) -> Option<Column> {
    HEADERS
        .iter()
        .filter(|(_, column)| matches!(column, Column::Clicks | Column::Impressions))
        .filter(|(header, _)| {
            let rest = folded
                .strip_suffix(header.as_str())
                .or_else(|| folded.strip_prefix(header.as_str()));
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
    use super::{Column, Columns, HEADERS, NAMES, fold, lines};
    use std::collections::HashMap;

    #[test]
    fn a_header_means_one_column() {
        let mut known: HashMap<String, &str> = HashMap::new();
        for line in lines(include_str!("../data/columns.txt")) {
            let (name, headers) = line.split_once('=').unwrap();
            let name = name.trim();
            assert!(NAMES.iter().any(|(known, _)| *known == name), "{name}");
            for header in headers.split('|') {
                let before = known.insert(fold(header), name);
                assert!(
                    before.is_none_or(|before| before == name),
                    "{header}: {before:?} and {name}"
                );
            }
        }
        assert_eq!(HEADERS.len(), known.len());
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
        let columns = Columns::of(&header("Page,Clicks,Klicks"));
        assert_eq!(columns.twice.as_deref(), Some("Klicks"));
        assert!(Columns::of(&header("Ad clicks,URL Clicks")).places.is_empty());
    }
}
