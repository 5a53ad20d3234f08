//! Decides who gets the next place, without time and locks, so that tests can try every order.
//!
//! A free place goes to the caller with the fewest places for its weight,
//! and there to the run with the fewest places.
//! Among equals, the call with the longest wait is first.
//! Reserved places stay free for their kind until it has as many.
//!
//! No caller gets the last places, however many of its calls wait.
//! A caller takes a place only if more are free than a quarter of its places, squared,
//! or than an eighth of all places.
//! So a caller whose calls never end leaves an eighth to the others.
//! This first one leaves places for the next.
//! The last place is for a caller without a place.

use crate::prompt::{Share, ShareKind};
use std::collections::{BTreeMap, HashMap, VecDeque};

/// A single caller leaves one in so many places free.
const LEFT_FREE: usize = 8;

/// Places that are kept for kinds of calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReservedPlaces {
    /// Places for work that was sold.
    pub sold: usize,
    /// Places for demonstrations that a person waits for.
    pub interactive: usize,
}

impl ReservedPlaces {
    const fn of(self, kind: ShareKind) -> usize {
        match kind {
            ShareKind::Plain => 0,
            ShareKind::Sold => self.sold,
            ShareKind::Interactive => self.interactive,
        }
    }
}

/// Hands a router's places to waiting calls.
#[derive(Debug)]
pub(super) struct FairQueue<T> {
    places: usize,
    reserved: ReservedPlaces,
    taken: usize,
    by_kind: HashMap<ShareKind, usize>,
    by_caller: HashMap<(ShareKind, u64), usize>,
    by_run: HashMap<Share, usize>,
    waiting: BTreeMap<(Share, ModelNumber), VecDeque<(Ticket, T)>>,
    last: Ticket,
}

/// Numbers waiting calls as they arrive.
pub(super) type Ticket = u64;
/// Numbers a run's calls to one model, which have a limit, too.
pub(super) type ModelNumber = usize;

impl<T> FairQueue<T> {
    pub(super) fn new(places: usize, reserved: ReservedPlaces) -> Self {
        Self {
            places,
            reserved,
            taken: 0,
            by_kind: HashMap::new(),
            by_caller: HashMap::new(),
            by_run: HashMap::new(),
            waiting: BTreeMap::new(),
            last: 0,
        }
    }

    /// Places taken.
    pub(super) fn taken(&self) -> usize {
        self.taken
    }

    /// Calls that wait.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.values().map(VecDeque::len).sum()
    }

    /// Lets a call wait.
    pub(super) fn wait(&mut self, share: Share, line: ModelNumber, call: T) -> Ticket {
        self.last += 1;
        let queue = self.waiting.entry((share, line)).or_default();
        queue.push_back((self.last, call));
        self.last
    }

    /// Removes a waiting call whose caller gave up.
    /// A call that has a place keeps it.
    pub(super) fn forget(&mut self, share: Share, line: ModelNumber, ticket: Ticket) {
        if let Some(queue) = self.waiting.get_mut(&(share, line)) {
            queue.retain(|(waiting, _)| *waiting != ticket);
            if queue.is_empty() {
                self.waiting.remove(&(share, line));
            }
        }
    }

    /// Gives the next place to a call that `may_enter`.
    /// Returns `None` without a free place or such a call.
    pub(super) fn next(&mut self, may_enter: impl Fn(&T) -> bool) -> Option<(Share, T)> {
        let first = self
            .waiting
            .iter()
            .filter_map(|((share, line), queue)| Some((share, line, queue.front()?)))
            .filter(|(share, _, (_, call))| self.has_place(share) && may_enter(call))
            .min_by_key(|(share, _, (ticket, _))| (self.burden(share), self.run(share), *ticket))
            .map(|(share, line, _)| (*share, *line))?;
        let queue = self.waiting.get_mut(&first)?;
        let (_, call) = queue.pop_front()?;
        if queue.is_empty() {
            self.waiting.remove(&first);
        }
        let share = first.0;
        self.taken += 1;
        *self.by_kind.entry(share.kind).or_default() += 1;
        *self.by_caller.entry((share.kind, share.caller)).or_default() += 1;
        *self.by_run.entry(share).or_default() += 1;
        Some((share, call))
    }

    /// Takes a place back.
    pub(super) fn leave(&mut self, share: Share) {
        self.taken = self.taken.saturating_sub(1);
        lower(&mut self.by_kind, &share.kind);
        lower(&mut self.by_caller, &(share.kind, share.caller));
        lower(&mut self.by_run, &share);
    }

    /// Whether a place is free for this caller.
    /// Some are kept for other kinds and for callers with fewer places.
    fn has_place(&self, share: &Share) -> bool {
        let kept = |other: ShareKind| {
            let used = self.by_kind.get(&other).copied().unwrap_or_default();
            self.reserved.of(other).saturating_sub(used)
        };
        let others = [ShareKind::Sold, ShareKind::Interactive]
            .into_iter()
            .filter(|other| *other != share.kind);
        let left = self.held(share).pow(2).div_ceil(16).min(self.places / LEFT_FREE);
        self.taken + others.map(kept).sum::<usize>() + left < self.places
    }

    /// Counts the places that a caller has.
    fn held(&self, share: &Share) -> usize {
        self.by_caller
            .get(&(share.kind, share.caller))
            .copied()
            .unwrap_or_default()
    }

    /// Returns a caller's places by weight.
    /// Sold work may have twice as many.
    fn burden(&self, share: &Share) -> usize {
        let places = self.held(share);
        match share.kind {
            ShareKind::Sold => places,
            ShareKind::Plain | ShareKind::Interactive => places * 2,
        }
    }

    fn run(&self, share: &Share) -> usize {
        self.by_run.get(share).copied().unwrap_or_default()
    }
}

/// Lowers a count, and removes it at zero to keep the maps small.
fn lower<K: std::hash::Hash + Eq>(counts: &mut HashMap<K, usize>, key: &K) {
    if let Some(count) = counts.get_mut(key) {
        *count -= 1;
        if *count == 0 {
            counts.remove(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const KINDS: [ShareKind; 3] = [ShareKind::Plain, ShareKind::Sold, ShareKind::Interactive];

    /// The same decisions from two plain lists, counted anew each time.
    #[derive(Default)]
    struct Oracle {
        places: usize,
        reserved: ReservedPlaces,
        waiting: Vec<(Share, ModelNumber, Ticket)>,
        taken: Vec<Share>,
    }

    impl Oracle {
        fn next(&mut self, shut: ModelNumber) -> Option<Ticket> {
            let taken = self.taken.clone();
            let count = |holds: &dyn Fn(&Share) -> bool| taken.iter().filter(|share| holds(share)).count();
            let kept = |kind| {
                self.reserved
                    .of(kind)
                    .saturating_sub(count(&|share| share.kind == kind))
            };
            let mut best: Option<((usize, usize, Ticket), usize)> = None;
            for (at, (share, line, ticket)) in self.waiting.iter().enumerate() {
                let kept: usize = KINDS
                    .iter()
                    .filter(|kind| **kind != share.kind)
                    .map(|kind| kept(*kind))
                    .sum();
                let own = count(&|other| (other.kind, other.caller) == (share.kind, share.caller));
                let left = (own * own).div_ceil(16).min(self.places / 8);
                if *line == shut || taken.len() + kept + left >= self.places {
                    continue;
                }
                let weighted = if share.kind == ShareKind::Sold {
                    own
                } else {
                    2 * own
                };
                let key = (weighted, count(&|other| other == share), *ticket);
                if best.is_none_or(|(least, _)| key < least) {
                    best = Some((key, at));
                }
            }
            let (share, _, ticket) = self.waiting.remove(best?.1);
            self.taken.push(share);
            Some(ticket)
        }
    }

    proptest! {
        /// All orders of events give the same places as naive lists.
        #[test]
        fn places_are_given_as_by_a_naive_list(
            places in 1_usize..24,
            sold in 0_usize..4,
            interactive in 0_usize..3,
            steps in proptest::collection::vec((0_u8..8, 0_usize..3, 0_u64..3, 0_u64..2, 0_usize..3), 0..150),
        ) {
            let reserved = ReservedPlaces { sold, interactive };
            let mut fair = FairQueue::new(places, reserved);
            let mut oracle = Oracle { places, reserved, ..Oracle::default() };
            for (step, kind, caller, run, line) in steps {
                let share = Share { kind: KINDS[kind], caller, run };
                match step {
                    0..4 => {
                        let ticket = fair.last + 1;
                        prop_assert_eq!(fair.wait(share, line, (line, ticket)), ticket);
                        oracle.waiting.push((share, line, ticket));
                    }
                    4 | 5 if !oracle.taken.is_empty() => {
                        let share = oracle.taken.swap_remove((caller as usize) % oracle.taken.len());
                        fair.leave(share);
                    }
                    6 if !oracle.waiting.is_empty() => {
                        let at = (run as usize) % oracle.waiting.len();
                        let (share, line, ticket) = oracle.waiting.remove(at);
                        fair.forget(share, line, ticket);
                    }
                    _ => {}
                }
                // Only odd steps shut a line: the line numbers are 0 to 2.
                let shut = line + usize::from(step % 2 == 0) * 3;
                loop {
                    let given = fair.next(|(line, _)| *line != shut).map(|(_, (_, ticket))| ticket);
                    prop_assert_eq!(given, oracle.next(shut));
                    if given.is_none() { break }
                }
                prop_assert_eq!((fair.taken(), fair.waiting()), (oracle.taken.len(), oracle.waiting.len()));
            }
        }
    }

    #[test]
    fn reserved_places_stay_free_for_their_kind() {
        let reserved = ReservedPlaces {
            sold: 2,
            interactive: 1,
        };
        let mut fair = FairQueue::new(6, reserved);
        let share = |kind, caller| Share { kind, caller, run: 0 };
        for _ in 0..10 {
            fair.wait(share(ShareKind::Plain, 1), 0, ());
        }
        assert_eq!(std::iter::from_fn(|| fair.next(|()| true)).count(), 3);
        for _ in 0..10 {
            fair.wait(share(ShareKind::Sold, 2), 0, ());
        }
        assert_eq!(std::iter::from_fn(|| fair.next(|()| true)).count(), 2);
        fair.wait(share(ShareKind::Interactive, 3), 0, ());
        assert_eq!(std::iter::from_fn(|| fair.next(|()| true)).count(), 1);
    }

    /// Queues `calls` calls of a caller.
    /// Returns the number with a place at once.
    fn enter(fair: &mut FairQueue<()>, caller: u64, calls: usize) -> usize {
        let share = Share {
            caller,
            ..Share::default()
        };
        for _ in 0..calls {
            fair.wait(share, 0, ());
        }
        std::iter::from_fn(|| fair.next(|()| true)).count()
    }

    #[test]
    fn a_caller_whose_calls_never_end_leaves_places_for_others() {
        let mut fair = FairQueue::new(64, ReservedPlaces::default());
        assert_eq!(enter(&mut fair, 1, 500), 56);
        assert_eq!(enter(&mut fair, 2, 6), 6);
        // Two others still begin, and go on once calls end.
        // The last place is for a caller without any.
        assert_eq!((enter(&mut fair, 3, 6), enter(&mut fair, 4, 6)), (1, 1));
        let ended = Share {
            caller: 2,
            ..Share::default()
        };
        fair.leave(ended);
        assert_eq!(fair.next(|()| true), None);
        fair.leave(ended);
        let next = fair.next(|()| true).map(|(share, ())| share.caller);
        assert_eq!((next, enter(&mut fair, 5, 6)), (Some(3), 1));
    }

    #[test]
    fn a_new_caller_has_a_place_beside_twenty_busy_ones() {
        let mut fair = FairQueue::new(256, ReservedPlaces::default());
        let share = |caller| Share {
            caller,
            ..Share::default()
        };
        for call in 0..20 * 200 {
            fair.wait(share(call % 20), 0, ());
        }
        let taken = std::iter::from_fn(|| fair.next(|()| true)).count();
        assert!((240..256).contains(&taken), "{taken}");
        assert_eq!(enter(&mut fair, 21, 6), 6);
    }

    #[test]
    fn few_places_are_all_given() {
        for places in 1..8 {
            let mut fair = FairQueue::new(places, ReservedPlaces::default());
            assert_eq!(enter(&mut fair, 1, 20), places);
        }
    }
}
