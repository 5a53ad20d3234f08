//! Decimal numbers as providers write them, to whole numbers, without floats.

/// Digits that are read.
/// More would not fit, and no price has them.
const MOST_DIGITS: usize = 30;

/// Returns `text` times ten to the `power`, rounded half up: `scaled("0.000002", 12)` is two million.
///
/// Returns `None` for negative numbers, other texts, and results beyond `u64`.
pub(crate) fn scaled(text: &str, power: i32) -> Option<u64> {
    let text = text.trim();
    if text.is_empty() || text.len() > 64 {
        return None;
    }
    let (number, exponent) = match text.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = || whole.bytes().chain(fraction.bytes());
    if digits().next().is_none() || !digits().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let kept = digits().skip_while(|byte| *byte == b'0').take(MOST_DIGITS);
    let mantissa = kept.fold(0_u128, |sum, byte| sum * 10 + u128::from(byte - b'0'));
    if mantissa == 0 {
        return Some(0);
    }
    let cut = digits()
        .skip_while(|byte| *byte == b'0')
        .skip(MOST_DIGITS)
        .count();
    let shift = i32::try_from(cut)
        .ok()?
        .checked_sub(i32::try_from(fraction.len()).ok()?)?
        .checked_add(exponent)?
        .checked_add(power)?;
    let scale = 10_u128.checked_pow(shift.unsigned_abs());
    let result = match scale {
        Some(scale) if shift >= 0 => mantissa.checked_mul(scale)?,
        Some(scale) => mantissa.checked_add(scale / 2)? / scale,
        // Too small to round up.
        None if shift < 0 => 0,
        None => return None,
    };
    u64::try_from(result).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_waiting_times_of_providers() {
        for (text, power, expected) in [
            ("0.000002", 12, Some(2_000_000)),
            ("0.00000087", 12, Some(870_000)),
            ("2e-6", 12, Some(2_000_000)),
            ("1.5E-05", 12, Some(15_000_000)),
            ("0", 12, Some(0)),
            ("0.01", 6, Some(10_000)),
            (".5", 0, Some(1)),
            ("5.", 0, Some(5)),
            ("0.4999999", 0, Some(0)),
            ("0.0000000000000000000000000000000000000001", 6, Some(0)),
            ("1e-99999", 6, Some(0)),
            ("-1", 12, None),
            ("", 0, None),
            (".", 0, None),
            ("1e", 0, None),
            ("1e99999999999", 0, None),
            ("1e30", 0, None),
            ("0x10", 0, None),
            ("NaN", 0, None),
            ("1,5", 0, None),
            ("18446744073709551615", 0, Some(u64::MAX)),
            ("18446744073709551616", 0, None),
        ] {
            assert_eq!(scaled(text, power), expected, "{text} * 10^{power}");
        }
    }

    proptest! {
        #[test]
        fn undoes_a_shifted_decimal_point(number: u64, places in 0_usize..30, zeros in 0_usize..5) {
            let digits = format!("{number:0>width$}", width = places + 1);
            let (whole, fraction) = digits.split_at(digits.len() - places);
            let text = format!("{}{whole}.{fraction}{}", "0".repeat(zeros), "0".repeat(zeros));
            prop_assert_eq!(scaled(&text, places as i32), Some(number));
            let text = format!("{number}e-{places}");
            prop_assert_eq!(scaled(&text, places as i32), Some(number));
        }

        #[test]
        fn never_panics(text in "[0-9eE.+-]{0,70}", power in -40_i32..40) {
            let _ = scaled(&text, power);
        }
    }
}
