//! `ibid-gazetteer-pack TABLES HAND FOLDER` packs merged tables into `places.bin` and `names.bin`
//! in a folder and prints the counts.
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
    let [tables, hand, folder] = arguments.as_slice() else {
        eprintln!("usage: ibid-gazetteer-pack TABLES HAND FOLDER");
        return ExitCode::from(2);
    };
    let packed = match ibid_gazetteer::pack::pack(Path::new(tables), Path::new(hand)) {
        Ok(packed) => packed,
        Err(error) => {
            eprintln!("packing failed: {error}");
            return ExitCode::FAILURE;
        }
    };
    for (file, bytes) in [("places.bin", &packed.places), ("names.bin", &packed.names)] {
        let path = Path::new(folder).join(file);
        if let Err(error) = std::fs::write(&path, bytes) {
            eprintln!("writing {}: {error}", path.display());
            return ExitCode::FAILURE;
        }
    }
    for (name, count) in &packed.counts {
        println!("{name}\t{count}");
    }
    ExitCode::SUCCESS
}
