//! Hostile files.

use crate::support::{gz, read, refusal, xlsx, zip};
use ibid_first_party::Reason;
use proptest::prelude::*;

#[test]
fn a_bomb_ends_at_its_bound() {
    let long = "x".repeat(70 << 20);
    let message = refusal("x.xlsx", xlsx(&[("Chart", &[])], &[&long]));
    assert!(message.contains("more than 64 MiB"), "{message}");
}

#[test]
fn a_far_cell_takes_no_memory() {
    let book = xlsx(&[("Chart", &["<c r=\"XFD1\"><v>1</v></c>"])], &[]);
    assert!(refusal("x.xlsx", book).contains("more columns than any export"));
}

#[test]
fn broken_files_leave_nothing() {
    let packed =
        gz(b"203.0.113.9 - - [10/Oct/2026:13:55:36 +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"GPTBot\"\n");
    let cut = &packed[..packed.len() - 6];
    assert!(refusal("access.log.gz", cut).contains("compressed file is broken"));
    let archive = zip(&[("Pages.csv", b"Page,Citations\n/a,1\n")]);
    assert!(refusal("x.zip", &archive[..archive.len() - 30]).contains("archive is broken"));
    assert!(refusal("x.zip", b"PK\x03\x04").contains("archive is broken"));
    assert!(refusal("x.csv", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR").contains("the known formats are"));
    assert!(refusal("x.csv", b"Page,Citations\n/a\0,1\n").contains("line 2 is not text"));
}

#[test]
fn an_open_quote_names_its_line() {
    let message = refusal("x-2026-08-01.csv", "Page,Citations\n/a,1\n\"/b,2\n/c,3\n");
    assert!(message.contains("line 3"), "{message}");
}

#[test]
fn long_lines_of_a_log_are_refused_and_the_next_is_read() {
    let good = "203.0.113.9 - - [10/Oct/2026:13:55:36 +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"GPTBot\"\n";
    let log = format!("{good}{}\n{good}", "x".repeat(300_000));
    let reading = read("access.log", log).unwrap();
    let report = &reading.files()[0];
    assert_eq!(
        (report.read, report.used, report.refused.counts[&Reason::TooLong]),
        (3, 2, 1)
    );
}

proptest! {
    #[test]
    fn no_bytes_stop_the_reader(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = read("x-2026-08-01.csv", &bytes);
        let _ = read("x.zip", [&b"PK\x03\x04"[..], &bytes].concat());
        let _ = read("x.gz", [&b"\x1f\x8b\x08"[..], &bytes].concat());
    }

    #[test]
    fn no_change_of_an_archive_stops_the_reader(place in 0_usize..2_000, byte: u8) {
        let mut book = xlsx(&[("Chart", &["<c><v>1</v></c>"])], &["a"]);
        let place = place % book.len();
        book[place] = byte;
        let _ = read("x.xlsx", &book);
    }

    #[test]
    fn no_table_stops_the_reader(body in "[0-9a-z/,;\"=. \n-]{0,200}") {
        for header in ["Page,Citations", "Date,Citations", "Session source / medium;Sessions", "Top queries\tClicks\tImpressions"] {
            let _ = read("x-2026-08-01.csv", format!("{header}\n{body}"));
        }
    }
}
