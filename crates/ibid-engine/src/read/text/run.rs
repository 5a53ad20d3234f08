//! Skipping bytes that mean nothing.

/// A set of bytes.
pub(in crate::read) type Bytes = [bool; 256];

/// The bytes before the first one of a set; all, if there is none.
///
/// Eight at a time without asking in between: most stretches of an answer are longer.
#[inline]
pub(in crate::read) fn run(bytes: &[u8], end: &Bytes) -> usize {
    let (eights, _) = bytes.as_chunks::<8>();
    let holds = |eight: &&[u8; 8]| {
        eight
            .iter()
            .fold(false, |found, byte| found | end[usize::from(*byte)])
    };
    let free = 8 * eights.iter().take_while(|eight| !holds(eight)).count();
    let rest = &bytes[free..];
    free + rest
        .iter()
        .position(|byte| end[usize::from(*byte)])
        .unwrap_or(rest.len())
}

/// The bytes of ASCII at the start of a text.
#[inline]
pub(super) fn ascii_run(bytes: &[u8]) -> usize {
    let (sixteens, _) = bytes.as_chunks::<16>();
    let free = 16 * sixteens.iter().take_while(|sixteen| sixteen.is_ascii()).count();
    let rest = &bytes[free..];
    free + rest
        .iter()
        .position(|byte| !byte.is_ascii())
        .unwrap_or(rest.len())
}

/// The characters of a text that are not ASCII.
pub(in crate::read) fn wide(text: &str) -> impl Iterator<Item = char> {
    let mut at = 0;
    std::iter::from_fn(move || {
        at += ascii_run(&text.as_bytes()[at..]);
        let c = text[at..].chars().next()?;
        at += c.len_utf8();
        Some(c)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_run_ends_at_the_first_byte_of_the_set(bytes in prop::collection::vec(0..8_u8, 0..40)) {
            let mut end = [false; 256];
            end[0] = true;
            prop_assert_eq!(run(&bytes, &end), bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len()));
        }

        #[test]
        fn a_run_of_ascii_ends_at_the_first_other_byte(bytes in prop::collection::vec(100..130_u8, 0..60)) {
            prop_assert_eq!(ascii_run(&bytes), bytes.iter().position(|byte| *byte >= 128).unwrap_or(bytes.len()));
        }
    }
}
