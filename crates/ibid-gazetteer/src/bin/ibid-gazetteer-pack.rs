//! `ibid-gazetteer-pack TABLES HAND BLOB`: packs merged tables into the blob and prints the counts.
//!
//! Started by `build-data/build.py`, never by a build.

use std::path::Path;
use std::process::ExitCode;

#[expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a tool for the command line"
)]
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [tables, hand, blob] = arguments.as_slice() else {
        eprintln!("usage: ibid-gazetteer-pack TABLES HAND BLOB");
        return ExitCode::from(2);
    };
    let packed = match ibid_gazetteer::pack::pack(Path::new(tables), Path::new(hand)) {
        Ok(packed) => packed,
        Err(error) => {
            eprintln!("packing failed: {error}");
            return ExitCode::FAILURE;
        }
    };
    if let Err(error) = std::fs::write(blob, &packed.blob) {
        eprintln!("writing {blob}: {error}");
        return ExitCode::FAILURE;
    }
    for (name, count) in &packed.counts {
        println!("{name}\t{count}");
    }
    ExitCode::SUCCESS
}
