//! The embedded data is the one the manifest describes, and carries what its licences ask for.

#![cfg(test)]

use ibid_gazetteer::{ATTRIBUTION, LICENSES};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

fn crate_file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn manifest() -> Value {
    serde_json::from_slice(&std::fs::read(crate_file("data/manifest.json")).unwrap()).unwrap()
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
    check_sum("data/gazetteer.bin", &manifest["blob"]["sha256"]);
    for (name, sum) in manifest["byHand"].as_object().unwrap() {
        check_sum(&format!("build-data/{name}"), sum);
    }
    for (name, sum) in manifest["notices"].as_object().unwrap() {
        check_sum(&format!("data/{name}"), sum);
    }
    let pinned: Value =
        serde_json::from_slice(&std::fs::read(crate_file("build-data/sources.json")).unwrap()).unwrap();
    assert_eq!(manifest["sources"], pinned);
}

#[test]
fn the_blob_stays_small() {
    let bytes = std::fs::metadata(crate_file("data/gazetteer.bin")).unwrap().len();
    assert!(bytes <= 20_000_000);
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
