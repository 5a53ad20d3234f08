//! Any bytes as robots.txt, asked about any path: no panic, and the answer hangs together.

#![no_main]

use ibid_audit::robots::{AGENTS, Robots, normalise};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&[u8], &str)| {
    let (file, path) = input;
    let robots = Robots::parse(file);
    for agent in AGENTS {
        let verdict = robots.verdict(agent.token, path);
        // Nothing is refused without a rule, and a rule decides as it says.
        match verdict.rule {
            None => assert!(verdict.allowed),
            Some(rule) => {
                assert_eq!(verdict.allowed, rule.allow);
                assert!(rule.line <= robots.lines());
                assert_eq!(verdict.via_wildcard, !robots.named(agent.token));
            }
        }
    }
    // Comparable forms are stable.
    let once = normalise(path).into_owned();
    assert_eq!(normalise(&once), once);
    assert!(robots.odd_lines().len() <= robots.odd_count());
});
