//! Tables as text.

use crate::support::{options, read, read_with, refusal, short, told};
use ibid_first_party::{Format, Reason};

#[test]
fn bing_reports_are_read() {
    let days = "\u{feff}\"Date\",\"Citations\",\"Cited Pages\"\r\n\"8/13/2026 12:00:00 AM\",\"12\",\"3\"\r\n\"8/1/2026 12:00:00 AM\",\"0\",\"0\"\r\n";
    let reading = read("example.com_AIPerformanceOverviewStats_8_14_2026.csv", days).unwrap();
    assert_eq!(
        short(&reading.rows()),
        [
            "2026-08-01  citations 0",
            "2026-08-01  cited_pages 0",
            "2026-08-13  citations 12",
            "2026-08-13  cited_pages 3"
        ]
    );
    let queries = "Grounding Query,Intent,Topic,Citations,Citation Share\nbest plumber,Comparison,Plumbing,12,27.24%\nemergency plumber,,Plumbing,\"1,003\",3%\n";
    let reading = read("example.com_AISearchQueriesReport_8_4_2026.csv", queries).unwrap();
    assert_eq!(
        short(&reading.rows()),
        [
            "2026-08-04 best plumber citations 12",
            "2026-08-04 best plumber citation_share 27.24",
            "2026-08-04 emergency plumber citations 1003",
            "2026-08-04 emergency plumber citation_share 3",
            "2026-08-04 Plumbing citations 1015",
        ]
    );
    // The older report has two columns, and a set of columns has no order.
    let reading = read(
        "example.com_AISearchQueriesReport_2_4_2026.csv",
        "Citations,Grounding Query\n5,a b\n",
    )
    .unwrap();
    assert_eq!(short(&reading.rows()), ["2026-02-04 a b citations 5"]);
    let pages = "Page,Citations\nhttps://www.example.com/a/,4\nhttp://example.com/a,2\nhttps://example.org/a,9\n/b,1\n";
    let reading = read("example.com_AIPageStatsReport_8_4_2026.csv", pages).unwrap();
    assert_eq!(
        short(&reading.rows()),
        [
            "2026-08-04 example.com/a citations 6",
            "2026-08-04 example.com/b citations 1"
        ]
    );
    assert_eq!(reading.files()[0].refused.counts[&Reason::OtherWebsite], 1);
    assert_eq!(reading.files()[0].refused.first[0].line, 4);
}

#[test]
fn search_console_speaks_many_languages() {
    let headers = [
        "Top queries,Clicks,Impressions,CTR,Position",
        "Häufigste Suchanfragen;Klicks;Impressionen;Klickrate;Durchschnittliche Position",
        "Requêtes les plus fréquentes,Clics,Impressions,CTR,Position moyenne",
        "Consultas principales,Clics,Impresiones,CTR,Posición media",
        "Query principali,Clic,Impressioni,CTR,Posizione media",
        "Populairste zoekopdrachten,Klikken,Vertoningen,CTR,Positie",
        "Najpopularniejsze zapytania,Kliknięcia,Wyświetlenia,CTR,Pozycja",
        "Vanligaste sökfrågorna,Klick,Visningar,Klickfrekvens,Genomsnittlig position",
        "Nejčastější dotazy,Kliknutí,Zobrazení,CTR,Průměrná pozice",
        "En popüler sorgular,Tıklama,Görüntüleme,CTR,Ortalama konum",
        "上位のクエリ,クリック数,表示回数,CTR,掲載順位",
        "인기 검색어,클릭수,노출수,클릭률,평균 게재순위",
        "热门查询,点击次数,展示次数,点击率,平均排名",
        "Kueri teratas\tKlik\tTayangan\tCTR\tPosisi",
    ];
    for header in headers {
        let row = match header.chars().find(|c| matches!(c, ';' | '\t')) {
            Some(';') => "klempner berlin;1.204;15.000;8,03 %;4,2",
            Some(_) => "klempner berlin\t1204\t15000\t8%\t4.2",
            None => "klempner berlin,\"1,204\",15000,8.03%,4.2",
        };
        let reading = read("Queries-2026-08-31.csv", format!("{header}\n{row}\n")).unwrap();
        assert_eq!(
            short(&reading.rows()),
            [
                "2026-08-31 klempner berlin impressions 15000",
                "2026-08-31 klempner berlin clicks 1204"
            ],
            "{header}"
        );
    }
}

#[test]
fn analytics_has_a_preamble_and_several_tables() {
    let file = "# ----------------------------------------\n# Traffic acquisition\n# Start date: 20260801\n# End date: 20260831\n# ----------------------------------------\n\nNth day,Sessions\n0000,5\n\n# Start date: 20260801\n# End date: 20260831\nSession source / medium,Sessions,Engaged sessions,Events per session,Key events\nchatgpt.com / referral,\"1,200\",900,3.4,7\nperplexity.ai / referral,40,30,2,0\ngoogle / organic,90000,1,1,1\n,91240,931,1,8\n";
    let reading = read("download.csv", file).unwrap();
    assert_eq!(
        short(&reading.rows()),
        [
            "2026-08-01..2026-08-31  by ChatGPT sessions 1200",
            "2026-08-01..2026-08-31  by ChatGPT engaged_sessions 900",
            "2026-08-01..2026-08-31  by ChatGPT key_events 7",
            "2026-08-01..2026-08-31  by Perplexity sessions 40",
            "2026-08-01..2026-08-31  by Perplexity engaged_sessions 30",
            "2026-08-01..2026-08-31  by Perplexity key_events 0",
        ]
    );
    assert!(
        reading.files()[0].notes[0].contains("line 7 counts days"),
        "{:?}",
        reading.files()[0].notes
    );
    let dated = "Date,Session source / medium,Sessions\n20260801,chatgpt.com / referral,3\n20260802,chatgpt.com / referral,4\n";
    let reading = read("download.csv", dated).unwrap();
    assert_eq!(
        short(&reading.rows()),
        [
            "2026-08-01  by ChatGPT sessions 3",
            "2026-08-02  by ChatGPT sessions 4"
        ]
    );
    let told = refusal(
        "download.csv",
        "# Start date: 20260801\nNth day,Session source / medium,Sessions\n0,a,1\n",
    );
    assert!(told.contains("Nth day"), "{told}");
}

#[test]
fn an_unknown_file_names_its_headers_and_the_formats() {
    let told = refusal("x.csv", "Alpha,Beta\n1,2\n");
    assert!(
        told.contains("Alpha, Beta") && told.contains("bing-pages (Page, Citations)"),
        "{told}"
    );
    assert!(refusal("x.csv", "").contains("no rows"));
    assert!(refusal("x.csv", "Name,Name,Name\n").contains("the known formats"));
    assert!(refusal("x.csv", "Page,Clicks,Klicks,Impressions\n").contains("\"Klicks\" twice"));
}

#[test]
fn a_header_of_two_formats_asks_for_the_format() {
    let file = "Page,Citations,Clicks,Impressions\n/a,1,2,3\n";
    let message = refusal("report-2026-08-01.csv", file);
    assert!(
        message.contains("fit bing-pages and google-ai-pages and search-pages"),
        "{message}"
    );
    let mut chosen = options();
    chosen.format = Some(Format::BingPages);
    let reading = read_with("report-2026-08-01.csv", file, &chosen).unwrap();
    assert_eq!(reading.files()[0].formats, [Format::BingPages]);
}

#[test]
fn dates_of_two_orders_are_an_error_with_both_lines() {
    let message = refusal("x.csv", "Date,Citations\n8/13/2026,1\n13/8/2026,2\n");
    assert!(
        message.contains("line 2") && message.contains("line 3"),
        "{message}"
    );
    // One month, so the number that changes is the day.
    let reading = read("x.csv", "Date,Citations\n1/8/2026,1\n2/8/2026,2\n").unwrap();
    assert_eq!(
        short(&reading.rows()),
        ["2026-08-01  citations 1", "2026-08-02  citations 2"]
    );
    // Two months apart in both orders: only a day after the export can tell.
    let undecided = "Date,Citations\n1/8/2026,1\n2/9/2026,2\n";
    let message = refusal("x.csv", undecided);
    assert!(
        message.contains("line 2 can have the month or the day first"),
        "{message}"
    );
    let reading = read("example.com_2026-03-01.csv", undecided).unwrap();
    assert_eq!(
        short(&reading.rows()),
        ["2026-01-08  citations 1", "2026-02-09  citations 2"]
    );
}

#[test]
fn every_refused_row_has_its_reason() {
    let file = "Date,Citations\n2026-08-01,1\nyesterday,1\n2026-08-02,many\n2026-08-03\n2026-08-01,1\n2026-08-04,=1+1\n2026-08-05,\n";
    let reading = read("x.csv", file).unwrap();
    let report = &reading.files()[0];
    let counts: Vec<(Reason, u64)> = report
        .refused
        .counts
        .iter()
        .map(|(reason, count)| (*reason, *count))
        .collect();
    assert_eq!(
        counts,
        [
            (Reason::Fields, 1),
            (Reason::Date, 1),
            (Reason::Number, 1),
            (Reason::Formula, 1),
            (Reason::Repeated, 1)
        ]
    );
    assert_eq!((report.read, report.used), (7, 1));
    let lines: Vec<u64> = report.refused.first.iter().map(|line| line.line).collect();
    assert_eq!(lines, [3, 4, 5, 6, 7]);
}

#[test]
fn a_report_without_days_asks_for_them() {
    let file = "Page,Citations\n/a,1\n";
    let message = refusal("pages.csv", file);
    assert!(
        message.contains("bing-pages") && message.contains("last day"),
        "{message}"
    );
    let mut dated = options();
    dated.until = Some("2026-08-31".parse().unwrap());
    let reading = read_with("pages.csv", file, &dated).unwrap_or_else(|error| panic!("{}", told(&error)));
    assert_eq!(short(&reading.rows()), ["2026-08-31 example.com/a citations 1"]);
}

#[test]
fn spreadsheets_mark_their_delimiter_and_old_ones_are_refused() {
    let reading = read("x.csv", "sep=;\nDate;Citations\n01.08.2026;1\n").unwrap();
    assert_eq!(short(&reading.rows()), ["2026-08-01  citations 1"]);
    assert!(refusal("x.xls", b"\xd0\xcf\x11\xe0\xa1\xb1").contains(".xls"));
}

#[test]
fn comparisons_give_their_first_period() {
    let file = "Top pages,Last 28 days Clicks,Previous 28 days Clicks,Last 28 days Impressions,Previous 28 days Impressions,Last 28 days Position\n/a,1,9,2,8,3\n";
    let reading = read("Pages-2026-08-31.csv", file).unwrap();
    assert_eq!(
        short(&reading.rows()),
        [
            "2026-08-31 example.com/a impressions 2",
            "2026-08-31 example.com/a clicks 1"
        ]
    );
    assert!(reading.files()[0].notes[0].contains("comparison"));
}

#[test]
fn queries_become_questions() {
    let file = "Grounding Query,Citations\nrare words,1\n\"best plumber, valencia\",40\n@handle,2\n";
    let reading = read("example.com_AISearchQueriesReport_8_4_2026.csv", file).unwrap();
    assert_eq!(
        ibid_first_party::questions(&reading.rows()),
        "question\n\"best plumber, valencia\"\n'@handle\nrare words\n"
    );
}
