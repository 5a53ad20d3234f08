//! Keeps each text once.

use std::collections::HashMap;

/// Texts by content, with the offset of each.
#[derive(Default)]
pub(super) struct StringPool {
    bytes: Vec<u8>,
    known: HashMap<String, u32>,
}

impl StringPool {
    /// Returns a text's offset; the text is cut at 255 bytes.
    pub(super) fn add(&mut self, text: &str) -> u32 {
        if let Some(&offset) = self.known.get(text) {
            return offset;
        }
        let cut = text.floor_char_boundary(255);
        let offset = u32::try_from(self.bytes.len()).unwrap_or(u32::MAX);
        self.bytes.push(u8::try_from(cut).unwrap_or(u8::MAX));
        self.bytes.extend(text.as_bytes().iter().take(cut));
        self.known.insert(text.to_owned(), offset);
        offset
    }

    pub(super) fn bytes(self) -> Vec<u8> {
        self.bytes
    }
}
