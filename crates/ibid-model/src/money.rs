//! Money as whole numbers.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::iter::Sum;
use std::ops::Add;
use std::str::FromStr;

/// Millionths of a US dollar: estimates and what a provider billed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UsdMicros(u64);

impl UsdMicros {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// Takes millionths of a dollar.
    #[must_use]
    pub const fn new(micros: u64) -> Self {
        Self(micros)
    }

    /// Millionths of a dollar.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The amount times `n`, at most the largest representable.
    #[must_use]
    pub const fn times(self, n: u64) -> Self {
        Self(self.0.saturating_mul(n))
    }

    /// Returns the amount by which it is above another one, or `None` if it is not.
    pub fn above(self, other: Self) -> Option<Self> {
        self.0.checked_sub(other.0).filter(|more| *more > 0).map(Self)
    }

    /// Rounds a provider's dollars half up to millionths; `None` if negative, not finite or out of range.
    #[must_use]
    pub fn from_dollars(dollars: f64) -> Option<Self> {
        let micros = (dollars * 1e6).round();
        // Up to 2^53 a float holds every whole number, so the cast below is exact.
        ((0.0..9.0e15).contains(&micros)).then_some(Self(micros as u64))
    }

    /// The amount in dollars, for JSON numbers. Arithmetic stays in micros.
    pub fn dollars(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// The amount for people, in dollars with two decimals, rounded half up.
    ///
    /// ```
    /// use ibid_model::UsdMicros;
    ///
    /// assert_eq!(UsdMicros::new(3_069_000).in_cents(), "$3.07");
    /// assert_eq!(UsdMicros::new(9_999).in_cents(), "<$0.01");
    /// assert_eq!(UsdMicros::ZERO.in_cents(), "$0.00");
    /// ```
    pub fn in_cents(self) -> String {
        if (1..10_000).contains(&self.0) {
            return "<$0.01".to_owned();
        }
        let cents = self.0.saturating_add(5_000) / 10_000;
        format!("${}.{:02}", cents / 100, cents % 100)
    }
}

impl Add for UsdMicros {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sum for UsdMicros {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, Add::add)
    }
}

/// Dollars with at least two and at most four decimals, rounded up: `$1.98`, `$0.0162`.
impl fmt::Display for UsdMicros {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ten_thousandths = self.0.div_ceil(100);
        let (dollars, rest) = (ten_thousandths / 10_000, ten_thousandths % 10_000);
        if rest % 100 == 0 {
            write!(f, "${dollars}.{:02}", rest / 100)
        } else {
            write!(f, "${dollars}.{rest:04}")
        }
    }
}

/// Atomic units of USDC (six decimals): prices and payments.
///
/// ```
/// use ibid_model::AtomicUsdc;
///
/// let price: AtomicUsdc = "0.15".parse()?;
/// assert_eq!(price.get(), 150_000);
/// # Ok::<(), ibid_model::BadUsdc>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AtomicUsdc(u64);

impl AtomicUsdc {
    /// Takes atomic units: a million are one USDC.
    #[must_use]
    pub const fn new(atomic: u64) -> Self {
        Self(atomic)
    }

    /// Atomic units.
    pub const fn get(self) -> u64 {
        self.0
    }
}

/// The text is no amount of USDC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a number of USDC with at most six decimals, such as 0.15")]
pub struct BadUsdc;

/// Reads a decimal with at most six decimals, exactly.
impl FromStr for AtomicUsdc {
    type Err = BadUsdc;

    fn from_str(text: &str) -> Result<Self, BadUsdc> {
        let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(whole) || !digits(decimals) || decimals.len() > 6 {
            return Err(BadUsdc);
        }
        let whole: u64 = whole.parse().map_err(|_| BadUsdc)?;
        let rest: u64 = format!("{decimals:0<6}").parse().map_err(|_| BadUsdc)?;
        let atomic = whole
            .checked_mul(1_000_000)
            .and_then(|atomic| atomic.checked_add(rest));
        atomic.map(Self).ok_or(BadUsdc)
    }
}

/// USDC as a decimal without trailing zeros: `0.15`, `0.000001`, `2`.
impl fmt::Display for AtomicUsdc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.0 / 1_000_000, self.0 % 1_000_000);
        if rest == 0 {
            return write!(f, "{whole}");
        }
        let decimals = format!("{rest:06}");
        write!(f, "{whole}.{}", decimals.trim_end_matches('0'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dollars_print_rounded_up() {
        for (micros, text) in [
            (0, "$0.00"),
            (16_200, "$0.0162"),
            (1_980_000, "$1.98"),
            (1, "$0.0001"),
            (2_000_000, "$2.00"),
        ] {
            assert_eq!(UsdMicros::new(micros).to_string(), text);
        }
    }

    #[test]
    fn provider_dollars_are_bounded() {
        assert_eq!(UsdMicros::from_dollars(0.0162), Some(UsdMicros::new(16_200)));
        for bad in [-0.1, f64::NAN, f64::INFINITY, 1e300] {
            assert_eq!(UsdMicros::from_dollars(bad), None);
        }
        assert_eq!(
            UsdMicros::new(u64::MAX) + UsdMicros::new(1),
            UsdMicros::new(u64::MAX)
        );
    }

    #[test]
    fn usdc_prints_without_trailing_zeros() {
        for (atomic, text) in [
            (150_000, "0.15"),
            (1, "0.000001"),
            (600_000, "0.6"),
            (2_000_000, "2"),
        ] {
            assert_eq!(AtomicUsdc::new(atomic).to_string(), text);
            assert_eq!(text.parse(), Ok(AtomicUsdc::new(atomic)));
        }
        assert_eq!("2.500000".parse(), Ok(AtomicUsdc::new(2_500_000)));
        for text in [
            "",
            ".",
            "1.",
            ".5",
            "-1",
            "+1",
            "0.1234567",
            "1e3",
            "18446744073709.6",
        ] {
            assert_eq!(text.parse::<AtomicUsdc>(), Err(BadUsdc), "{text}");
        }
    }
}
