//! The embedded data is the one the manifest describes, and carries what its licences ask for.

#![cfg(test)]

use ibid_gazetteer::{ATTRIBUTION, LICENSES};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// The data crates and their files.
const DATA: [(&str, &str); 2] = [
    ("ibid-gazetteer-places", "places.bin"),
    ("ibid-gazetteer-names", "names.bin"),
];

fn crate_file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn manifest() -> Value {
    serde_json::from_slice(&std::fs::read(crate_file("build-data/manifest.json")).unwrap()).unwrap()
}

fn check_sum(path: &str, expected: &Value) {
    let bytes = std::fs::read(crate_file(path)).unwrap();
    let sum: String = Sha256::digest(&bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    assert_eq!(
        Some(sum.as_str()),
        expected.as_str(),
        "{path}: run build-data/build.py"
    );
}

#[test]
fn files_match_their_checksums() {
    let manifest = manifest();
    for (crate_name, file) in DATA {
        check_sum(
            &format!("../{crate_name}/data/{file}"),
            &manifest["files"][file]["sha256"],
        );
    }
    for (name, sum) in manifest["byHand"].as_object().unwrap() {
        check_sum(&format!("build-data/{name}"), sum);
    }
    for (name, sum) in manifest["notices"].as_object().unwrap() {
        check_sum(&format!("../{}", name.replace('/', "/data/")), sum);
    }
    let pinned: Value =
        serde_json::from_slice(&std::fs::read(crate_file("build-data/sources.json")).unwrap()).unwrap();
    assert_eq!(manifest["sources"], pinned);
}

#[test]
fn the_manifest_counts_the_bytes() {
    let length = |(crate_name, file)| {
        std::fs::metadata(crate_file(&format!("../{crate_name}/data/{file}")))
            .unwrap()
            .len()
    };
    let bytes: u64 = DATA.into_iter().map(length).sum();
    assert!(bytes <= 26_000_000, "{bytes}");
    assert_eq!(manifest()["counts"]["bytes"].as_u64(), Some(bytes));
}

#[test]
fn licences_are_carried_in_full() {
    for part in [
        "https://www.geonames.org",
        "https://creativecommons.org/licenses/by/4.0/",
        "modified",
        "without warranty",
        "Attribution 4.0 International",
        "Section 3 -- License Conditions",
        "UNICODE LICENSE V3",
        "Copyright (C) 2021 by Ramiro",
        "Copyright 2023 Adam Averay",
        "Copyright (c) 2012, Andreas Lind Petersen",
    ] {
        assert!(LICENSES.contains(part), "{part}");
    }
    assert!(
        ATTRIBUTION.contains("GeoNames")
            && ATTRIBUTION.contains("CC BY 4.0")
            && ATTRIBUTION.contains("Modified")
    );
}
