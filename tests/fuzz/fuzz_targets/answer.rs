//! Any text as an answer: read without a panic, twice with the same reading, whose parts agree.
//!
//! The first line may hold a domain, a brand and a question; what follows is the answer.
#![no_main]

use ibid_engine::read::{SiteAnswer, Target, read};
use ibid_model::{BrandName, Citation, Domain, Prominence};
use ibid_provider::Finish;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &str| {
    let (head, text) = input.split_once('\n').unwrap_or(("", input));
    let mut parts = head.split('\t');
    let domain: Option<Domain> = parts.next().and_then(|domain| domain.parse().ok());
    let brands: Vec<BrandName> = parts.next().and_then(|brand| brand.parse().ok()).into_iter().collect();
    let question = parts.next();
    let citations: Vec<Citation> = parts.take(4).map(Citation::of_url).collect();
    let Some(domain) = domain.or_else(|| "acme.com".parse().ok()) else {
        return;
    };
    let target = Target::new(&domain, &brands);
    let answer = SiteAnswer {
        text,
        citations: &citations,
        question,
        finish: if text.len() % 2 == 0 {
            Finish::Complete
        } else {
            Finish::Truncated
        },
    };
    let reading = read(&target, &answer);
    assert_eq!(reading, read(&target, &answer));
    let mut end = 0;
    for quote in &reading.quotes {
        assert!(quote.start >= end && quote.bytes_in(text).is_some(), "{quote:?}");
        end = quote.end;
    }
    assert!(reading.competitors.iter().filter(|competitor| competitor.is_self).count() <= 1);
    assert!(reading.competitors.iter().all(|competitor| !competitor.name.is_empty()));
    assert!((0.0..=100.0).contains(&reading.score.get()));
    assert_eq!(reading.cited(), reading.class != Prominence::None);
    assert!(reading.cited() || !reading.linked() && reading.score.get() == 0.0);
    let mut learning = target.clone();
    learning.learn([answer]);
    assert!(learning.aliases().len() >= target.aliases().len());
});
