//! Any bytes as llms.txt: no panic, and what is counted adds up.

#![no_main]

use ibid_audit::llms_txt::LlmsTxt;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|file: &[u8]| {
    let read = LlmsTxt::parse(file);
    assert_eq!(read.bytes, file.len());
    assert!(read.absolute_links <= read.links);
    assert!(read.links == 0 || read.sections > 0);
    if read.is_well_formed() {
        assert!(read.title.is_some());
    }
    if let Some(title) = &read.title {
        assert!(!title.chars().any(char::is_control));
    }
});
