//! Zip archives and spreadsheets of Search Console.

use crate::support::{read, refusal, short, xlsx, zip};
use ibid_first_party::Format;

#[test]
fn an_archive_of_search_console_tells_its_days() {
    let archive = zip(&[
        ("Länder.csv", "Land,Impressionen\nSpanien,5\n".as_bytes()),
        (
            "Seiten.csv",
            "Die häufigsten Seiten,Impressionen\nhttps://example.com/a,5\n".as_bytes(),
        ),
        (
            "Diagramm.csv",
            "Datum,Impressionen\n2026-08-01,2\n2026-08-02,\n2026-08-03,3\n".as_bytes(),
        ),
        ("Filter.csv", "Filter,Wert\nDatum,Letzte 3 Monate\n".as_bytes()),
    ]);
    let reading = read(
        "example.com-Performance-on-Search-Generative-AI-Features-2026-08-05.zip",
        archive,
    )
    .unwrap();
    assert_eq!(
        short(&reading.rows()),
        [
            "2026-08-01  impressions 2",
            "2026-08-03  impressions 3",
            "2026-08-01..2026-08-03 example.com/a impressions 5",
        ]
    );
    let report = &reading.files()[0];
    assert_eq!(report.formats, [Format::GoogleAiDays, Format::GoogleAiPages]);
    assert!(
        report.notes[0].contains("Länder.csv (Land, Impressionen)"),
        "{:?}",
        report.notes
    );
}

#[test]
fn a_spreadsheet_has_dates_texts_and_formulas() {
    let texts = [
        "Date",
        "Clicks",
        "Impressions",
        "Top queries",
        "plumber &amp; sons",
    ];
    let head = "<c t=\"s\"><v>0</v></c><c t=\"s\"><v>1</v></c><c t=\"s\"><v>2</v></c><c t=\"inlineStr\"><is><t>CTR</t></is></c>";
    let book = xlsx(
        &[
            (
                "Queries",
                &[
                    "<c r=\"A1\" t=\"s\"><v>3</v></c><c r=\"B1\" t=\"s\"><v>1</v></c><c r=\"C1\" t=\"s\"><v>2</v></c>",
                    "<c r=\"A2\" t=\"s\"><v>4</v></c><c r=\"B2\"><v>7</v></c><c r=\"C2\"><v>90</v></c>",
                    "<c r=\"A3\" t=\"inlineStr\"><is><t>x</t></is></c><c r=\"B3\"><f>1+1</f><v>2</v></c><c r=\"C3\"><v>3</v></c>",
                ],
            ),
            (
                "Chart",
                &[
                    head,
                    "<c s=\"1\"><v>46235</v></c><c><v>1</v></c><c><v>20</v></c><c/>",
                    "<c t=\"inlineStr\"><is><t>2026-08-02</t></is></c><c><v>2</v></c><c><v>30</v></c>",
                ],
            ),
        ],
        &texts,
    );
    let reading = read("example.com-Performance-on-Search-2026-08-05.xlsx", book).unwrap();
    assert_eq!(
        short(&reading.rows()),
        [
            "2026-08-01  impressions 20",
            "2026-08-01  clicks 1",
            "2026-08-02  impressions 30",
            "2026-08-02  clicks 2",
            "2026-08-01..2026-08-02 plumber & sons impressions 90",
            "2026-08-01..2026-08-02 plumber & sons clicks 7",
        ]
    );
    assert_eq!(reading.files()[0].refused.first[0].line, 3);
}

#[test]
fn an_archive_without_a_known_table_lists_its_tables() {
    let message = refusal(
        "x.zip",
        zip(&[("a.csv", b"Alpha,Beta\n1,2\n"), ("readme.md", b"hello")]),
    );
    assert!(message.contains("a.csv (Alpha, Beta)"), "{message}");
    assert!(refusal("x.zip", zip(&[("readme.md", b"hello")])).contains("no rows"));
}
