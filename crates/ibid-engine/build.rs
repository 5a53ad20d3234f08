//! Packs the language files and the names of trades and brands, which are two to three times as large as text.

#[cfg(not(feature = "scan"))]
fn main() {}

#[cfg(feature = "scan")]
fn main() -> std::io::Result<()> {
    use std::io::Write;
    let folder = |name: &str| {
        std::env::var_os(name)
            .map(std::path::PathBuf::from)
            .unwrap_or_default()
    };
    let (data, out) = (folder("CARGO_MANIFEST_DIR").join("data"), folder("OUT_DIR"));
    let mut files = vec![data.join("trades.tsv"), data.join("brands.txt")];
    for file in std::fs::read_dir(data.join("questions"))? {
        files.push(file?.path());
    }
    for file in files {
        let packed = out.join(file.file_name().unwrap_or_default());
        let mut encoder =
            flate2::write::DeflateEncoder::new(std::fs::File::create(packed)?, flate2::Compression::best());
        encoder.write_all(&std::fs::read(&file)?)?;
        encoder.finish()?;
    }
    writeln!(std::io::stdout(), "cargo::rerun-if-changed=data")
}
