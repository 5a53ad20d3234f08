//! Counts of failed sign-ins, which slow a guesser down.

use crate::purchase::Millis;

/// The wait after the first failure that is not free. It doubles with each further failure.
const FIRST_WAIT: Millis = 15_000;
const LAST_WAIT: Millis = 15 * 60_000;
/// Time after the last failure at which all of them are forgotten.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) const FORGOTTEN: Millis = 24 * 3_600_000;
/// Most counts. Beyond it the oldest are forgotten.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) const MOST_COUNTS: u32 = 50_000;

/// An account, a network or a device whose failures are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttemptCount {
    /// Its name, as a hash.
    pub key: [u8; 32],
    /// Failures that cost no wait.
    pub free: u32,
}

impl AttemptCount {
    /// The wait after this many failures.
    pub fn wait_after(&self, failures: u32) -> Millis {
        match failures.checked_sub(self.free) {
            None => 0,
            Some(more) => FIRST_WAIT.saturating_mul(1 << more.min(10)).min(LAST_WAIT),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_quarter_of_an_hour() {
        let count = AttemptCount {
            key: [0; 32],
            free: 3,
        };
        let waits: Vec<_> = (0..12)
            .map(|failures| count.wait_after(failures) / 1_000)
            .collect();
        assert_eq!(waits, [0, 0, 0, 15, 30, 60, 120, 240, 480, 900, 900, 900]);
        assert_eq!(count.wait_after(u32::MAX), LAST_WAIT);
    }
}
