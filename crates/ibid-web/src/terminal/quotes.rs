//! Passages that cite the domain.

use crate::escape::{cut, line};
use crate::pages::class_label;
use crate::plain_text::plain;
use ibid_model::{Prominence, ScanResult};
use std::fmt::Write;

/// Minimum number of words in a quote that is more than a name.
const FEWEST_WORDS: usize = 3;
/// Maximum number of quotes in a report.
const MOST: usize = 3;

pub(crate) fn render(result: &ScanResult) -> String {
    let mut quotes: Vec<(Prominence, String, &str)> = Vec::new();
    for model in &result.models {
        for answer in &model.answers {
            if let (Some(class), Some(quote)) = (answer.class, &answer.quote) {
                // A quote is the answer as written, with its markup.
                let quote = cut(&plain(quote), 110).into_owned();
                let says_more = quote.split_whitespace().count() >= FEWEST_WORDS;
                if says_more && !quotes.iter().any(|(_, known, _)| *known == quote) {
                    quotes.push((class, quote, &model.model_label));
                }
            }
        }
    }
    quotes.sort_by_key(|(class, _, _)| std::cmp::Reverse(*class));
    if quotes.is_empty() {
        return String::new();
    }
    let mut text = String::from("In their words\n");
    for (class, quote, model) in quotes.iter().take(MOST) {
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            " “{quote}”\n   {}, {}",
            line(model),
            class_label(class.as_str())
        );
    }
    text
}
