//! What a file is: its name, its archive and its columns tell it together.

use crate::support::{options, read, read_with, refusal, short, zip};
use ibid_first_party::{Format, Reading, Reason};
use std::io::Cursor;

const SEARCH: &str = "example.com-Performance-on-Search-2026-11-12.zip";
const AI: &str = "example.com-Performance-on-Search-Generative-AI-Features-2026-12-05.zip";

#[test]
fn the_generative_report_stays_itself_with_clicks() {
    let days = b"Date,Clicks,Impressions,CTR\n2026-12-01,3,100,3%\n";
    let pages = b"Top pages,Clicks,Impressions,CTR\nhttps://example.com/a,1,20,5%\n";
    let archive = zip(&[("Chart.csv", days), ("Pages.csv", pages)]);
    let with_position = zip(&[(
        "Chart.csv",
        b"Date,Clicks,Impressions,CTR,Position\n2026-12-01,3,100,3%,4\n",
    )]);
    // Its name tells it, and without one that it has no positions.
    for (name, archive) in [(AI, &archive), ("download.zip", &archive), (AI, &with_position)] {
        let reading = read(name, archive).unwrap();
        assert!(
            reading
                .rows()
                .iter()
                .all(|row| row.source == ibid_first_party::Source::SearchConsoleAi),
            "{name}: {:?}",
            reading.files()
        );
    }
    // A day of search is not overwritten.
    let mut reading = Reading::default();
    let search = zip(&[(
        "Chart.csv",
        b"Date,Clicks,Impressions,CTR,Position\n2026-12-01,90,1000,9%,4.5\n",
    )]);
    for (name, archive) in [(SEARCH, search), (AI, archive)] {
        reading.add(name, &mut Cursor::new(archive), &options()).unwrap();
    }
    let clicks: Vec<f64> = reading
        .rows()
        .iter()
        .filter(|row| row.measure == ibid_first_party::Measure::Clicks && row.subject.is_none())
        .map(|row| row.value)
        .collect();
    assert_eq!(clicks, [3.0, 90.0]);
    // Neither a position nor a share: someone has to say.
    let message = refusal("table.csv", "Date,Clicks,Impressions\n2026-12-01,3,100\n");
    assert!(message.contains("google-ai-days and search-days"), "{message}");
}

#[test]
fn web_search_of_bing_is_never_search_console() {
    let days = "Date,Impressions,Clicks,CTR\n11/1/2026 12:00:00 AM,500,20,4.00%\n";
    let pages = "Page,Impressions,Clicks,CTR,Avg. Position\nhttps://example.com/,5,1,20%,3\n";
    let queries = "Keyword,Impressions,Clicks,CTR,Avg. Position\nplumber,5,1,20%,3\n";
    for (name, text) in [
        ("example.com_SearchPerformanceOverview_All_11_20_2026.csv", days),
        ("example.com_PageTrafficReport_11_20_2026.csv", pages),
        ("example.com_KeywordReport_11_20_2026.csv", queries),
        ("renamed.csv", days),
        ("renamed-2026-11-20.csv", pages),
        ("renamed-2026-11-20.csv", queries),
    ] {
        let message = refusal(name, text);
        assert!(message.contains("is Bing's web search"), "{name}: {message}");
    }
    assert!(
        refusal(
            "example.com-Performance-on-Discover-2026-11-20.zip",
            zip(&[("Chart.csv", days.as_bytes())])
        )
        .contains("Discover")
    );
}

#[test]
fn a_part_of_the_website_is_no_total() {
    let days = b"Date,Clicks,Impressions,CTR,Position\n2026-11-01,1,10,10%,7.5\n";
    let whole: [(&str, &[u8]); 4] = [
        (
            "Filters.csv",
            b"Filter,Value\nSearch type,Web\nDate,Last 28 days\n",
        ),
        (
            "Filter.csv",
            "Filter,Wert\nSuchtyp,Web\nDatum,Letzte 3 Monate\n".as_bytes(),
        ),
        ("필터.csv", "필터,값\n검색 유형,웹\n기간,지난 3개월\n".as_bytes()),
        (
            "フィルタ.csv",
            "フィルタ,値\n検索タイプ,ウェブ\n期間,過去 3 か月間\n".as_bytes(),
        ),
    ];
    for filters in whole {
        let reading = read(SEARCH, zip(&[("Chart.csv", days), filters])).unwrap();
        assert_eq!(reading.rows().len(), 2, "{}", filters.0);
    }
    for filter in [
        "Query,+emergency",
        "Page,+/a",
        "Country,Spain",
        "Device,Mobile",
        "Search type,Image",
        "Ügy,+x",
    ] {
        let filters = format!("Filter,Value\nDate,Last 28 days\n{filter}\n");
        let reading = read(SEARCH, zip(&[("Chart.csv", days), ("F.csv", filters.as_bytes())])).unwrap();
        let report = &reading.files()[0];
        assert!(reading.rows().is_empty(), "{filter}");
        assert_eq!((report.used, report.refused.counts[&Reason::Filtered]), (0, 1));
        assert!(
            report.notes.iter().any(|note| note.contains("a filtered view")),
            "{:?}",
            report.notes
        );
    }
    // A filtered view after the whole changes nothing.
    let mut reading = Reading::default();
    for (name, text) in [
        (
            "example.com_AIPerformanceOverviewStats_11_20_2026.csv",
            "Date,Citations,Cited Pages\n11/1/2026 12:00:00 AM,11,4\n",
        ),
        (
            "example.com_AIPerformanceFilteredOverviewStats_11_21_2026.csv",
            "Date,Citations\n11/1/2026 12:00:00 AM,4\n",
        ),
    ] {
        reading.add(name, &mut Cursor::new(text), &options()).unwrap();
    }
    assert_eq!(
        short(&reading.rows()),
        ["2026-11-01  citations 11", "2026-11-01  cited_pages 4"]
    );
}

#[test]
fn unknown_headers_over_a_known_form_are_offered() {
    let pages = "Ekkert,Smellir,Birtingar,Hlutfall,Sæti\nhttps://example.com/a,2,120,1.67%,8.1\n";
    let message = refusal("x-2026-11-12.csv", pages);
    assert!(
        message.contains("their form is that of search-pages"),
        "{message}"
    );
    let mut chosen = options();
    chosen.format = Some(Format::SearchPages);
    let reading = read_with("x-2026-11-12.csv", pages, &chosen).unwrap();
    assert_eq!(
        short(&reading.rows()),
        [
            "2026-11-12 example.com/a impressions 120",
            "2026-11-12 example.com/a clicks 2"
        ]
    );
    // In an archive of Search Console days and pages are sure, and words are named as left out.
    let archive = zip(&[
        (
            "a.csv",
            "Dagur,Smellir,Birtingar,Hlutfall,Sæti\n2026-11-01,12,100,12%,4.5\n".as_bytes(),
        ),
        ("b.csv", pages.as_bytes()),
        (
            "c.csv",
            "Leit,Smellir,Birtingar,Hlutfall,Sæti\npípari,12,100,12%,4.5\n".as_bytes(),
        ),
    ]);
    let reading = read(SEARCH, archive).unwrap();
    assert_eq!(
        reading.files()[0].formats,
        [Format::SearchDays, Format::SearchPages]
    );
    assert!(
        reading.files()[0]
            .notes
            .iter()
            .any(|note| note.contains("c.csv (Leit"))
    );
}

#[test]
fn analytics_add_up_over_other_dimensions() {
    let file = "# Start date: 20261101\n# End date: 20261110\nSession source / medium,Country,Sessions,Key events\nchatgpt.com / referral,United Kingdom,40,0.5\nchatgpt.com / referral,Ireland,20,1\nchatgpt / (not set),(not set),5,0\nm365.cloud.microsoft / referral,Ireland,2,0\ngoogle / organic,Ireland,900,1\n";
    let reading = read("download.csv", file).unwrap();
    assert_eq!(
        short(&reading.rows()),
        [
            "2026-11-01..2026-11-10  by ChatGPT sessions 65",
            "2026-11-01..2026-11-10  by ChatGPT key_events 1.5",
            "2026-11-01..2026-11-10  by Copilot sessions 2",
            "2026-11-01..2026-11-10  by Copilot key_events 0",
        ]
    );
    assert!(
        reading.files()[0]
            .notes
            .iter()
            .any(|note| note.starts_with("1 rows are about other sources"))
    );
    let channels =
        "# 20261101-20261110\nSession default channel group,Sessions\nAI Assistant,7\nOrganic Search,90\n";
    let reading = read("download.csv", channels).unwrap();
    assert_eq!(
        short(&reading.rows()),
        ["2026-11-01..2026-11-10  by AI Assistant sessions 7"]
    );
}
