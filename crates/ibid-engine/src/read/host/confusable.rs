//! Hosts that imitate another with letters of other scripts.

use crate::read::words::{List, list};
use ibid_model::Domain;
use memchr::memchr;

/// Whether `host` (in ASCII) looks like the target and is another host.
pub(in crate::read) fn imitates(domain: &Domain, host: &str) -> bool {
    // Most hosts have no hyphen.
    if memchr(b'-', host.as_bytes()).is_none() || !host.contains("xn--") || super::is_own(domain, host) {
        return false;
    }
    let Ok(other) = host.parse::<Domain>() else {
        return false;
    };
    let shown: String = other.to_unicode().chars().map(look).collect();
    let own: String = domain.to_unicode().chars().map(look).collect();
    shown == own || shown.strip_suffix(&own).is_some_and(|below| below.ends_with('.'))
}

/// The Latin letter a letter looks like.
fn look(c: char) -> char {
    static ROWS: List = list("look-alikes");
    let row = ROWS.iter().find(|row| !c.is_ascii() && row.contains(c));
    row.and_then(|row| row.chars().next()).unwrap_or(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look_alikes_are_seen() {
        let apple: Domain = "apple.com".parse().unwrap();
        let fake: Domain = "аррӏе.com".parse().unwrap();
        assert!(imitates(&apple, fake.as_str()));
        assert!(!imitates(&apple, "apple.com") && !imitates(&apple, "xn--mller-kva.de"));
    }
}
