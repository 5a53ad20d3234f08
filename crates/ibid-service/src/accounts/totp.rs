//! Time-based one-time passwords (RFC 6238) with the values of authenticator apps:
//! HMAC-SHA-1, six digits, 30 seconds.

use crate::error::Error;
use hmac::{Hmac, KeyInit, Mac};
use sha1::Sha1;

/// The time for which a code is shown, in milliseconds.
const STEP: i64 = 30_000;
/// Accepted steps before and after the current one, for clocks that differ.
const TOLERANCE: i64 = 1;
/// Digits of a code.
pub(super) const DIGITS: usize = 6;

/// Returns in which step of 30 seconds a moment is, which is given in milliseconds.
pub fn time_step(now: i64) -> i64 {
    now.div_euclid(STEP)
}

/// Returns the six digits that an app shows in a time step, such as `287082`.
///
/// # Errors
/// Never for a secret of this length.
pub fn code_at(secret: &[u8; 20], step: i64) -> Result<String, Error> {
    let mut mac = Hmac::<Sha1>::new_from_slice(secret).map_err(|_| Error::NoEntropy)?;
    mac.update(&step.to_be_bytes());
    let hash: [u8; 20] = mac.finalize().into_bytes().into();
    // RFC 4226, section 5.3: the last four bits say where the number begins.
    let at = usize::from(hash[19] & 15);
    let number = hash[at..at + 4]
        .iter()
        .fold(0_u32, |number, byte| number << 8 | u32::from(*byte));
    let code = (number & 0x7fff_ffff) % 10_u32.pow(6);
    Ok(format!("{code:0DIGITS$}"))
}

/// Returns the time step, among those that are accepted now, whose code was entered.
pub(super) fn step_of(secret: &[u8; 20], entered: &str, now: i64) -> Result<Option<i64>, Error> {
    let current = time_step(now);
    for step in current - TOLERANCE..=current + TOLERANCE {
        if code_at(secret, step)? == entered {
            return Ok(Some(step));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &[u8; 20] = b"12345678901234567890";

    #[test]
    fn codes_are_those_of_the_rfc() {
        // Appendix B of RFC 6238, without the first two of eight digits.
        for (seconds, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ] {
            let step = time_step(seconds * 1_000);
            assert_eq!(code_at(SECRET, step).unwrap(), code, "{seconds}");
        }
    }

    #[test]
    fn a_clock_may_be_half_a_minute_off() {
        let now = 1_234_567_890_000;
        for (off, accepted) in [(-2, false), (-1, true), (0, true), (1, true), (2, false)] {
            let step = time_step(now) + off;
            let code = code_at(SECRET, step).unwrap();
            let found = step_of(SECRET, &code, now).unwrap();
            assert_eq!(found, accepted.then_some(step), "{off}");
        }
        assert_eq!(step_of(SECRET, "", now).unwrap(), None);
    }
}
