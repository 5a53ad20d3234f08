//! Sitemaps by the sitemaps.org protocol: whether a file is one, and whether it lists a page.
//!
//! The pull parser reads no DTD and no entities beyond the five of XML.
//! It has limits on everything.
//!
//! ```
//! use ibid_audit::sitemap::{Sitemap, SitemapKind};
//!
//! let file = b"<urlset><url><loc>https://acme.com/pipes</loc></url></urlset>";
//! let sitemap = Sitemap::parse(file, &"https://acme.com/pipes".parse()?);
//! assert_eq!((sitemap.kind, sitemap.urls, sitemap.holds_page), (SitemapKind::Pages, 1, true));
//! # Ok::<(), url::ParseError>(())
//! ```

use crate::gzip::{Gunzip, Want};
use crate::html::cut;
use crate::limits::{MANY, MOST};
use quick_xml::Reader;
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::Event;
use url::Url;

/// Bytes of a sitemap after decompression.
pub const MAX_BYTES: usize = 10 << 20;

/// What a file turned out to be that was asked for as a sitemap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SitemapKind {
    /// A list of pages.
    Pages,
    /// A list of sitemaps.
    Index,
    /// One address a line.
    Text,
    /// Something else: HTML, broken XML, another vocabulary.
    #[default]
    Broken,
}

/// What a sitemap lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sitemap {
    /// Whether the file lists pages or sitemaps.
    pub kind: SitemapKind,
    /// Addresses in it, as far as it was read.
    pub urls: usize,
    /// Whether the page is among them.
    pub holds_page: bool,
    /// Its `lastmod`, if the page is among them and has one.
    pub lastmod: Option<String>,
    /// Sitemaps it lists, when it is an index.
    pub children: Vec<String>,
    /// Whether reading ended before the file did.
    pub truncated: bool,
    /// Bytes of the file as it was given to the reader.
    pub bytes: usize,
}

impl Sitemap {
    /// Reads a file, compressed or not, and looks for a page.
    ///
    /// Never fails.
    #[must_use]
    pub fn parse(bytes: &[u8], page: &Url) -> Self {
        Self::list(bytes, page, &mut |_| {})
    }

    /// As [`Self::parse`]; `see` gets every address of a page in the file.
    pub(crate) fn list(bytes: &[u8], page: &Url, see: &mut dyn FnMut(&str)) -> Self {
        let inflated;
        let length = bytes.len();
        let mut truncated = false;
        let bytes = if bytes.starts_with(&[0x1f, 0x8b]) {
            let mut gunzip = Gunzip::new(MAX_BYTES);
            let pushed = gunzip.push(bytes);
            // A broken archive gives what could be read of it.
            (inflated, truncated) = gunzip.finish(true).unwrap_or_default();
            truncated &= pushed != Ok(Want::More) || inflated.len() >= MAX_BYTES;
            &inflated
        } else {
            bytes
        };
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            // Cut inside a character: the text before it is complete.
            Err(error) if error.error_len().is_none() => {
                std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or("")
            }
            Err(_) => {
                return Self {
                    bytes: length,
                    ..Self::default()
                };
            }
        };
        let text = text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
        let mut sitemap = if text.starts_with('<') {
            read_xml(text, page, see)
        } else {
            read_text(text, page, see)
        };
        sitemap.truncated |= truncated;
        sitemap.bytes = length;
        sitemap
    }

    fn empty(kind: SitemapKind) -> Self {
        Self {
            kind,
            ..Self::default()
        }
    }
}

fn read_text(text: &str, page: &Url, see: &mut dyn FnMut(&str)) -> Sitemap {
    let mut sitemap = Sitemap::empty(SitemapKind::Text);
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if !(line.starts_with("http://") || line.starts_with("https://")) {
            return Sitemap::empty(SitemapKind::Broken);
        }
        sitemap.urls += 1;
        see(line);
        sitemap.holds_page |= same_page(line, page);
        if sitemap.urls >= MOST {
            sitemap.truncated = true;
            break;
        }
    }
    if sitemap.urls == 0 {
        sitemap.kind = SitemapKind::Broken;
    }
    sitemap
}

/// Which text is being read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    None,
    Loc,
    Lastmod,
}

fn read_xml(text: &str, page: &Url, see: &mut dyn FnMut(&str)) -> Sitemap {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.check_comments = false;
    let mut sitemap = Sitemap::empty(SitemapKind::Broken);
    let mut field = Field::None;
    let mut value = String::new();
    let mut current_is_page = false;
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) => {
                let name = tag.local_name();
                match name.as_ref() {
                    "urlset" if sitemap.kind == SitemapKind::Broken => sitemap.kind = SitemapKind::Pages,
                    "sitemapindex" if sitemap.kind == SitemapKind::Broken => {
                        sitemap.kind = SitemapKind::Index
                    }
                    _ if sitemap.kind == SitemapKind::Broken => return sitemap,
                    // `image:loc` and its like are not the page's address.
                    "loc" if tag.name().prefix().is_none() => field = Field::Loc,
                    "lastmod" => field = Field::Lastmod,
                    "url" | "sitemap" => current_is_page = false,
                    _ => {}
                }
                value.clear();
            }
            Ok(Event::Text(part)) if field != Field::None => {
                if value.len() < 4_096 {
                    value.push_str(cut(&part, 4_096));
                }
            }
            Ok(Event::CData(part)) if field != Field::None => {
                if value.len() < 4_096 {
                    value.push_str(cut(&part, 4_096));
                }
            }
            Ok(Event::GeneralRef(entity)) if field != Field::None => {
                // A character reference or an entity of a DTD: neither belongs in an address.
                value.push_str(resolve_xml_entity(&entity).unwrap_or("\u{fffd}"));
            }
            Ok(Event::End(tag)) => {
                match (field, tag.local_name().as_ref()) {
                    (Field::Loc, "loc") => {
                        sitemap.urls += 1;
                        let address = value.trim();
                        if sitemap.kind == SitemapKind::Index {
                            if sitemap.children.len() < MANY {
                                sitemap.children.push(cut(address, 2_048).to_owned());
                            }
                        } else {
                            see(address);
                            if same_page(address, page) {
                                sitemap.holds_page = true;
                                current_is_page = true;
                            }
                        }
                    }
                    (Field::Lastmod, "lastmod") if current_is_page => {
                        sitemap.lastmod = Some(crate::quote::quote_to(&value, 40));
                    }
                    _ => {}
                }
                field = Field::None;
                if sitemap.urls >= MOST {
                    sitemap.truncated = true;
                    return sitemap;
                }
            }
            Ok(Event::Eof) => return sitemap,
            Ok(_) => {}
            Err(_) => {
                // Broken in the middle is broken: crawlers drop such a file.
                sitemap.kind = SitemapKind::Broken;
                return sitemap;
            }
        }
    }
}

/// Whether an address is the page's: equal after parsing, without fragment, trailing slash forgiven.
pub(crate) fn same_page(address: &str, page: &Url) -> bool {
    // A quick look saves parsing 50,000 addresses of other pages.
    let tail = page.path().trim_end_matches('/').rsplit('/').next().unwrap_or("");
    if tail.is_ascii() && !tail.contains('%') && !address.contains(tail) {
        return false;
    }
    Url::parse(address).is_ok_and(|url| key(&url) == key(page))
}

fn key(url: &Url) -> (String, String, Option<String>) {
    (
        format!(
            "{}:{}",
            url.host_str().unwrap_or(""),
            url.port_or_known_default().unwrap_or(0)
        ),
        url.path().trim_end_matches('/').to_owned(),
        url.query().map(str::to_owned),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::Write;

    fn page() -> Url {
        Url::parse("https://a.example/blog/post?x=1&y=2").expect("an address")
    }

    #[track_caller]
    fn check(bytes: &[u8], kind: SitemapKind, urls: usize, holds: bool) {
        let sitemap = Sitemap::parse(bytes, &page());
        assert_eq!(
            (sitemap.kind, sitemap.urls, sitemap.holds_page),
            (kind, urls, holds),
            "{}",
            String::from_utf8_lossy(bytes)
        );
    }

    const HELD: &str = "<?xml version=\"1.0\"?><urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"><url><loc>https://a.example/</loc></url><url><loc>\n https://a.example/blog/post?x=1&amp;y=2 </loc><lastmod>2026-01-02</lastmod></url></urlset>";

    #[test]
    fn pages_are_found() {
        check(HELD.as_bytes(), SitemapKind::Pages, 2, true);
        assert_eq!(
            Sitemap::parse(HELD.as_bytes(), &page()).lastmod.as_deref(),
            Some("2026-01-02")
        );
        check(
            b"\xef\xbb\xbf<urlset><url><loc>https://a.example/x</loc></url></urlset>",
            SitemapKind::Pages,
            1,
            false,
        );
        check(
            b"<urlset><url><loc><![CDATA[https://a.example/blog/post?x=1&y=2]]></loc></url></urlset>",
            SitemapKind::Pages,
            1,
            true,
        );
        check(
            b"<urlset xmlns:i='x'><url><i:loc>https://a.example/blog/post?x=1&amp;y=2</i:loc></url></urlset>",
            SitemapKind::Pages,
            0,
            false,
        );
        check(
            b"https://a.example/\nhttps://a.example/blog/post?x=1&y=2\n",
            SitemapKind::Text,
            2,
            true,
        );
    }

    #[test]
    fn an_index_lists_children() {
        let index = Sitemap::parse(
            b"<sitemapindex><sitemap><loc>https://a.example/s1.xml</loc></sitemap></sitemapindex>",
            &page(),
        );
        assert_eq!(
            (index.kind, index.children.as_slice()),
            (SitemapKind::Index, &["https://a.example/s1.xml".to_owned()][..])
        );
    }

    #[test]
    fn other_files_are_broken() {
        for bytes in [
            &b"<!doctype html><html>"[..],
            b"<html><body>404",
            b"",
            b"not found",
            b"<rss></rss>",
            b"<urlset><url><loc>https://a.example/</loc",
            b"{\"a\":1}",
        ] {
            let sitemap = Sitemap::parse(bytes, &page());
            assert_eq!(
                sitemap.kind,
                SitemapKind::Broken,
                "{}",
                String::from_utf8_lossy(bytes)
            );
        }
    }

    #[test]
    fn archives_with_several_members_are_read() {
        let mut archive = Vec::new();
        for half in [&HELD[..60], &HELD[60..]] {
            let mut member = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            member.write_all(half.as_bytes()).expect("memory");
            archive.extend(member.finish().expect("memory"));
        }
        check(&archive, SitemapKind::Pages, 2, true);
    }

    #[test]
    fn bombs_stay_small() {
        let mut bomb = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        for _ in 0..64 {
            bomb.write_all(&vec![b' '; 1 << 20]).expect("memory");
        }
        assert!(Sitemap::parse(&bomb.finish().expect("memory"), &page()).truncated);
        let entities = b"<!DOCTYPE urlset [<!ENTITY a 'https://a.example/blog/post?x=1&y=2'>]><urlset><url><loc>&a;</loc></url></urlset>";
        check(entities, SitemapKind::Pages, 1, false);
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = Sitemap::parse(&bytes, &page());
        }

        #[test]
        fn a_written_address_is_found(paths in proptest::collection::vec("[a-z]{1,8}", 1..20)) {
            let mut xml = String::from("<urlset>");
            for path in &paths {
                xml.push_str(&format!("<url><loc>https://a.example/{path}</loc></url>"));
            }
            xml.push_str("</urlset>");
            let wanted = Url::parse(&format!("https://a.example/{}", paths[0])).expect("an address");
            let other = Url::parse("https://a.example/9").expect("an address");
            prop_assert!(Sitemap::parse(xml.as_bytes(), &wanted).holds_page);
            prop_assert!(!Sitemap::parse(xml.as_bytes(), &other).holds_page);
        }
    }
}
