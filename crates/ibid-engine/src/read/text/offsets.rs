//! Remembers where the bytes in a derived text come from.

/// Pieces of a derived text, each as long as its origin or shorter: `(derived, original)` starts,
/// ascending in the first. Within a piece, both sides advance together.
#[derive(Clone, Debug, Default)]
pub(in crate::read) struct Offsets(Vec<(u32, u32)>);

impl Offsets {
    /// Records that the byte at `derived` came from `original`, unless the piece before already implies it.
    pub(in crate::read) fn mark(&mut self, derived: usize, original: usize) {
        let (derived, original) = (derived as u32, original as u32);
        match self.0.last_mut() {
            Some(last) if last.0 == derived => last.1 = original,
            Some(last) if original.wrapping_sub(last.1) == derived - last.0 => {}
            Some(_) | None => self.0.push((derived, original)),
        }
    }

    /// Finds the byte that a derived one came from.
    pub(in crate::read) fn origin(&self, derived: usize) -> usize {
        let derived = derived as u32;
        let next = self.0.partition_point(|piece| piece.0 <= derived);
        let Some(&(start, original)) = next.checked_sub(1).and_then(|at| self.0.get(at)) else {
            return derived as usize;
        };
        let far = original + (derived - start);
        let limit = self.0.get(next).map_or(far, |piece| piece.1.max(original));
        far.min(limit) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_advance_together_and_stop_at_the_next() {
        let mut offsets = Offsets::default();
        offsets.mark(0, 0);
        offsets.mark(3, 3);
        offsets.mark(5, 9);
        offsets.mark(6, 12);
        let found: Vec<usize> = (0..9).map(|at| offsets.origin(at)).collect();
        assert_eq!(found, [0, 1, 2, 3, 4, 9, 12, 13, 14]);
    }
}
