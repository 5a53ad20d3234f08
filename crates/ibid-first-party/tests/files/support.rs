//! Files in memory.

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};
use ibid_first_party::{Error, Options, Reading, RowSet};
use std::error::Error as _;
use std::io::{Cursor, Write};

pub(crate) fn options() -> Options {
    Options {
        domain: "example.com".parse().unwrap(),
        format: None,
        until: None,
        ranges: ibid_first_party::bots::Ranges::default(),
        proxies: Vec::new(),
        bounds: ibid_first_party::Bounds::default(),
    }
}

pub(crate) fn read(name: &str, bytes: impl AsRef<[u8]>) -> Result<Reading, Error> {
    read_with(name, bytes, &options())
}

pub(crate) fn read_with(name: &str, bytes: impl AsRef<[u8]>, options: &Options) -> Result<Reading, Error> {
    let mut reading = Reading::default();
    reading.add(name, &mut Cursor::new(bytes.as_ref()), options)?;
    Ok(reading)
}

/// An error as the command line prints it.
pub(crate) fn told(error: &Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text
}

pub(crate) fn refusal(name: &str, bytes: impl AsRef<[u8]>) -> String {
    match read(name, bytes) {
        Err(error) => told(&error),
        Ok(reading) => panic!("{name} was read: {:?}", reading.files()),
    }
}

/// Rows in short: days, subject, measure, value.
pub(crate) fn short(rows: &RowSet) -> Vec<String> {
    rows.iter()
        .map(|row| {
            let json = serde_json::to_value(&row).unwrap();
            let text = |name: &str| {
                json.get(name)
                    .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
            };
            let days = text("day")
                .or_else(|| text("until"))
                .unwrap_or_else(|| format!("{}..{}", text("from").unwrap(), text("to").unwrap()));
            let subject = text("page")
                .or_else(|| text("query"))
                .or_else(|| text("topic"))
                .unwrap_or_default();
            let by = text("by").map(|by| format!(" by {by}")).unwrap_or_default();
            format!(
                "{days} {subject}{by} {} {}",
                text("measure").unwrap(),
                text("value").unwrap()
            )
        })
        .collect()
}

pub(crate) fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

/// A zip archive; sizes in it can be made to lie.
pub(crate) fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut archive, mut list) = (Vec::new(), Vec::new());
    for (name, bytes) in files {
        let mut packed = DeflateEncoder::new(Vec::new(), Compression::best());
        packed.write_all(bytes).unwrap();
        let packed = packed.finish().unwrap();
        let offset = u32::try_from(archive.len()).unwrap();
        let length = u16::try_from(name.len()).unwrap();
        let size = u32::try_from(packed.len()).unwrap();
        let common = [
            &20_u16.to_le_bytes()[..],
            &0x0800_u16.to_le_bytes(),
            &8_u16.to_le_bytes(),
            &[0; 8],
            &size.to_le_bytes(),
            // No file tells its real size.
            &7_u32.to_le_bytes(),
            &length.to_le_bytes(),
            &0_u16.to_le_bytes(),
        ]
        .concat();
        archive.extend([b"PK\x03\x04", &common[..], name.as_bytes(), &packed].concat());
        list.extend(
            [
                b"PK\x01\x02",
                &20_u16.to_le_bytes()[..],
                &common,
                &[0; 10],
                &offset.to_le_bytes(),
                name.as_bytes(),
            ]
            .concat(),
        );
    }
    let (count, offset) = (
        u16::try_from(files.len()).unwrap(),
        u32::try_from(archive.len()).unwrap(),
    );
    let size = u32::try_from(list.len()).unwrap();
    archive.extend(list);
    archive.extend(
        [
            b"PK\x05\x06",
            &[0; 4][..],
            &count.to_le_bytes(),
            &count.to_le_bytes(),
            &size.to_le_bytes(),
            &offset.to_le_bytes(),
            &[0; 2],
        ]
        .concat(),
    );
    archive
}

/// A spreadsheet of sheets with rows of raw cells (`<c …>…</c>`).
pub(crate) fn xlsx(sheets: &[(&str, &[&str])], texts: &[&str]) -> Vec<u8> {
    let names: String = (1..)
        .zip(sheets)
        .map(|(n, (name, _))| format!(r#"<sheet name="{name}" sheetId="{n}" r:id="rId{n}"/>"#))
        .collect();
    let links: String = (1..)
        .zip(sheets)
        .map(|(n, _)| format!(r#"<Relationship Id="rId{n}" Type="t" Target="worksheets/sheet{n}.xml"/>"#))
        .collect();
    let workbook = format!(r#"<workbook xmlns:r="r"><workbookPr/><sheets>{names}</sheets></workbook>"#);
    let links = format!("<Relationships>{links}</Relationships>");
    let texts: String = texts
        .iter()
        .map(|text| format!("<si><t>{text}</t></si>"))
        .collect();
    let texts = format!("<sst>{texts}</sst>");
    let styles = r#"<styleSheet><numFmts><numFmt numFmtId="164" formatCode="yyyy\-mm\-dd"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs></styleSheet>"#;
    let mut files = vec![
        ("xl/workbook.xml".to_owned(), workbook),
        ("xl/_rels/workbook.xml.rels".to_owned(), links),
        ("xl/sharedStrings.xml".to_owned(), texts),
        ("xl/styles.xml".to_owned(), styles.to_owned()),
    ];
    for (n, (_, rows)) in (1..).zip(sheets) {
        let rows: String = rows.iter().map(|row| format!("<row>{row}</row>")).collect();
        files.push((
            format!("xl/worksheets/sheet{n}.xml"),
            format!("<worksheet><sheetData>{rows}</sheetData></worksheet>"),
        ));
    }
    let files: Vec<(&str, &[u8])> = files
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_bytes()))
        .collect();
    zip(&files)
}
