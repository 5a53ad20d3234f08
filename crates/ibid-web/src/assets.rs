//! Style sheet, scripts and icon, embedded in the binary.
//!
//! A name contains the hash of the content, so caches may keep an asset for ever. Assets are compressed once.

use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};
use std::io::Write as _;
use std::sync::LazyLock;

/// Begins the path of every asset; its name follows.
pub const PREFIX: &str = "/assets/";

/// Lets caches keep an asset for ever, because its name changes with its content.
pub const CACHE_CONTROL: &str = "public, max-age=31536000, immutable";

/// One asset, ready to send.
#[derive(Debug)]
pub struct StaticAsset {
    /// The name behind [`PREFIX`]: stem, hash, extension.
    pub name: String,
    pub path: String,
    pub content_type: &'static str,
    pub bytes: Vec<u8>,
    /// The content for `Content-Encoding: gzip`.
    pub gzip: Vec<u8>,
}

/// The assets that pages refer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum File {
    /// The one style sheet.
    Style,
    /// On every page: copy buttons, forms that are sent once, printing.
    Page,
    ScanForm,
    Progress,
    /// Choosing two scans to compare.
    History,
    /// Searches the API reference.
    Docs,
    Icon,
}

/// In the order of [`File`].
const SOURCES: [(&str, &str, &str, &str); 7] = [
    (
        "style",
        "css",
        "text/css; charset=utf-8",
        concat!(
            include_str!("../assets/style.css"),
            include_str!("radius_map/map.css")
        ),
    ),
    (
        "page",
        "js",
        "text/javascript; charset=utf-8",
        include_str!("../assets/page.js"),
    ),
    (
        "scan-form",
        "js",
        "text/javascript; charset=utf-8",
        include_str!("../assets/scan-form.js"),
    ),
    (
        "progress",
        "js",
        "text/javascript; charset=utf-8",
        include_str!("../assets/progress.js"),
    ),
    (
        "history",
        "js",
        "text/javascript; charset=utf-8",
        include_str!("../assets/history.js"),
    ),
    (
        "docs",
        "js",
        "text/javascript; charset=utf-8",
        include_str!("../assets/docs.js"),
    ),
    ("icon", "svg", "image/svg+xml", include_str!("../assets/icon.svg")),
];

static ASSETS: LazyLock<Vec<StaticAsset>> = LazyLock::new(|| {
    SOURCES
        .iter()
        .map(|&(stem, extension, content_type, content)| {
            let name = format!("{stem}.{}.{extension}", hash(content.as_bytes()));
            StaticAsset {
                path: format!("{PREFIX}{name}"),
                name,
                content_type,
                bytes: content.as_bytes().to_vec(),
                gzip: gzip(content.as_bytes()),
            }
        })
        .collect()
});

/// Every asset.
pub fn all() -> &'static [StaticAsset] {
    &ASSETS
}

/// Finds an asset by the name behind [`PREFIX`]. Other names, old hashes included, return `None`.
pub fn find(name: &str) -> Option<&'static StaticAsset> {
    ASSETS.iter().find(|asset| asset.name == name)
}

pub fn icon_path() -> &'static str {
    File::Icon.path()
}

impl File {
    /// Returns the path for `href` or `src`.
    pub(crate) fn path(self) -> &'static str {
        ASSETS.get(self as usize).map_or("", |asset| &asset.path)
    }

    /// Returns the content, for a page without external files.
    pub(crate) fn text(self) -> &'static str {
        SOURCES.get(self as usize).map_or("", |source| source.3)
    }
}

/// Returns the first twelve hex digits of the SHA-256 digest.
fn hash(content: &[u8]) -> String {
    Sha256::digest(content)
        .iter()
        .take(6)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Compresses the content. Writing to a `Vec` cannot fail; an empty result means that the plain form is sent.
fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    match encoder.write_all(content) {
        Ok(()) => encoder.finish().unwrap_or_default(),
        Err(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;

    #[test]
    fn assets_are_found_by_their_hashed_name_only() {
        for asset in all() {
            assert_eq!(find(&asset.name).map(|found| &found.bytes), Some(&asset.bytes));
            let mut plain = Vec::new();
            flate2::read::GzDecoder::new(asset.gzip.as_slice())
                .read_to_end(&mut plain)
                .unwrap();
            assert_eq!(plain, asset.bytes);
        }
        for name in ["style.css", "", "../style.css", "style.000000000000.css"] {
            assert!(find(name).is_none(), "{name}");
        }
    }

    #[test]
    fn files_name_the_assets_they_say() {
        for (file, stem) in [
            (File::Style, "style."),
            (File::Page, "page."),
            (File::ScanForm, "scan-form."),
            (File::Progress, "progress."),
            (File::History, "history."),
            (File::Docs, "docs."),
            (File::Icon, "icon."),
        ] {
            assert!(
                file.path().starts_with(&format!("{PREFIX}{stem}")),
                "{}",
                file.path()
            );
        }
    }

    #[test]
    fn nothing_is_loaded_from_another_host_and_nothing_is_evaluated() {
        for asset in all() {
            let text = String::from_utf8(asset.bytes.clone()).unwrap();
            let text = text.replace("http://www.w3.org/2000/svg", "");
            for banned in [
                "http://",
                "https://",
                "eval(",
                "innerHTML",
                "document.write",
                "insertAdjacentHTML",
                "@import",
            ] {
                assert!(!text.contains(banned), "{} holds {banned}", asset.name);
            }
        }
    }
}
