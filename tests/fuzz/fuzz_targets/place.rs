//! Any text as a place: looked up twice with the same answer, and its rings laid, without a panic.
//!
//! The place text of a question is bounded and holds no quote, bracket or line end; suggestions resolve.
#![no_main]

use ibid_gazetteer::{markets, resolve};
use ibid_model::{Ring, Rings};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let found = resolve(text);
    assert_eq!(found, resolve(text));
    match found {
        Ok(found) => {
            let spelling = found.spelling();
            assert!(!spelling.is_empty() && spelling.chars().count() <= 300);
            assert!(!spelling.contains(['"', '<', '>', '{', '}', '\n', '\u{0}']));
            assert!(found.alternatives().len() <= 4);
            let rings = Rings::from(Ring::all().collect::<Vec<_>>());
            for ring in markets(&found, &rings) {
                assert!(ring.markets.len() <= 3);
                assert!(ring.markets.iter().all(|market| market.distance_km.is_finite()));
            }
        }
        Err(unknown) => {
            assert!(unknown.suggestions.len() <= 5);
            for suggestion in &unknown.suggestions {
                assert!(resolve(suggestion).is_ok(), "{suggestion}");
            }
        }
    }
});
