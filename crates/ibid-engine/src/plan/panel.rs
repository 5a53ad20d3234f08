//! Shares a pool of questions out to the calls, in a single scan and in a schedule's runs.
//!
//! A change is seen best on the same question to the same model, and a level needs new questions.
//! So most questions of a schedule are asked in every run, and a fifth are new in each (a split panel).

use std::ops::Range;

/// The fewest questions a model of which some are new in each run.
const FEWEST: usize = 3;

/// Lists the calls for some steps: where the question stands in the pool, and the model.
///
/// Every model gets one question a step, so that every call has a question of its own.
/// With M models, model j gets questions j, j + M, j + 2 M … from the pool.
/// A pool that is smaller than the calls is shared evenly, and no model is asked a question twice before it was asked all.
pub(super) fn drawn(pool: usize, models: usize, steps: Range<usize>) -> impl Iterator<Item = (usize, usize)> {
    let pool = pool.max(1);
    // After this many steps a model would come back to its first question, so it goes on with the one after.
    let lap = (1..)
        .find(|steps| (steps * models).is_multiple_of(pool))
        .unwrap_or(1);
    let calls = steps.flat_map(move |step| (0..models).map(move |model| (step, model)));
    calls.map(move |(step, model)| ((model + step * models + step / lap) % pool, model))
}

/// A run of a schedule: its number, from 0, and its questions a model.
#[derive(Clone, Copy, Debug)]
pub(super) struct Panel {
    pub(super) run: u32,
    pub(super) models: usize,
    /// Core questions.
    pub(super) core: usize,
    /// Questions in the home town, which share the pool of the core questions; 0 if it is not asked.
    pub(super) home: usize,
}

/// Calls for a part in a plan, those for every run first.
#[derive(Clone, Debug)]
pub(super) struct SplitCalls {
    /// Where the question stands in the pool, and the model.
    pub(super) calls: Vec<(usize, usize)>,
    /// How many of them every run makes.
    pub(super) kept: usize,
}

impl Panel {
    /// Draws the core questions; `None` if the pool is too small for new questions.
    pub(super) fn core(&self, pool: usize) -> Option<SplitCalls> {
        self.part(pool, (0, 0), self.core)
    }

    /// The calls in the home town; `None` if the pool is too small for new questions.
    pub(super) fn home(&self, pool: usize) -> Option<SplitCalls> {
        self.part(pool, (kept(self.core), new(self.core)), self.home)
    }

    /// Draws the core questions where models share them, because the pool is too small for all calls.
    /// `None` if every model is asked all of the pool, or has no new questions.
    pub(super) fn shared(&self, pool: usize) -> Option<SplitCalls> {
        let (kept, new) = (kept(self.core), new(self.core));
        if new == 0 || pool <= self.core {
            return None;
        }
        let run = usize::try_from(self.run).unwrap_or_default();
        // In as many steps as the pool has questions each model gets every one once.
        let step = |number: usize| kept + run.saturating_mul(new).saturating_add(number) % (pool - kept);
        let own = drawn(pool, self.models, 0..kept);
        let others = (0..new).flat_map(|number| drawn(pool, self.models, step(number)..step(number) + 1));
        Some(SplitCalls {
            calls: own.chain(others).collect(),
            kept: self.models * kept,
        })
    }

    /// Draws `each` questions a model, after the kept and the new ones in the part before.
    fn part(&self, pool: usize, before: (usize, usize), each: usize) -> Option<SplitCalls> {
        let (all_kept, all_new) = (kept(self.core) + kept(self.home), new(self.core) + new(self.home));
        if pool < self.models * (all_kept + all_new) {
            return None;
        }
        let split = self.models * all_kept;
        let run = usize::try_from(self.run).unwrap_or_default();
        let first_new = run.saturating_mul(all_new).saturating_add(before.1);
        let kept_calls = drawn(split, self.models, before.0..before.0 + kept(each));
        // The questions that are not kept come round, so those asked longest ago are the next.
        let new_calls = drawn(pool - split, self.models, first_new..first_new + new(each));
        Some(SplitCalls {
            calls: kept_calls
                .chain(new_calls.map(|(at, model)| (split + at, model)))
                .collect(),
            kept: self.models * kept(each),
        })
    }
}

/// How many questions are new in each run.
const fn new(each: usize) -> usize {
    if each < FEWEST { 0 } else { each.div_ceil(5) }
}

/// How many questions every run asks.
const fn kept(each: usize) -> usize {
    each - new(each)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn panel(run: u32, core: usize, home: usize) -> Panel {
        Panel {
            run,
            models: 3,
            core,
            home,
        }
    }

    /// The calls of a run.
    fn calls(run: u32, core: usize, home: usize, pool: usize) -> BTreeSet<(usize, usize)> {
        let panel = panel(run, core, home);
        let all = panel
            .core(pool)
            .unwrap()
            .calls
            .into_iter()
            .chain(panel.home(pool).unwrap().calls);
        all.collect()
    }

    #[test]
    fn most_questions_stay_and_a_fifth_is_new_in_each_run() {
        for (each, kept) in [(3, 2), (4, 3), (5, 4), (6, 4), (8, 6), (10, 8), (12, 9)] {
            let runs: Vec<BTreeSet<_>> = (0..2).map(|run| calls(run, each, 0, 99)).collect();
            assert_eq!(runs[0].len(), 3 * each);
            assert_eq!(runs[0].intersection(&runs[1]).count(), 3 * kept, "{each}");
        }
        assert_eq!(calls(0, 2, 1, 60), calls(7, 2, 1, 60));
    }

    #[test]
    fn every_call_of_every_run_has_a_question_of_its_own() {
        for run in 0..60 {
            let asked = calls(run, 3, 5, 60);
            let questions: BTreeSet<usize> = asked.iter().map(|call| call.0).collect();
            assert_eq!((asked.len(), questions.len()), (24, 24), "{run}");
        }
    }

    #[test]
    fn a_run_asks_what_was_not_asked_for_longest() {
        // 18 of 60 questions are kept, and six of the others are new in each run.
        let fresh = |run| -> BTreeSet<usize> {
            calls(run, 3, 5, 60)
                .into_iter()
                .map(|call| call.0)
                .filter(|at| *at >= 18)
                .collect()
        };
        let first: Vec<BTreeSet<usize>> = (0..7).map(fresh).collect();
        let all: BTreeSet<usize> = first.iter().flatten().copied().collect();
        assert_eq!(all, (18..60).collect());
        // The same again, to other models.
        let again: BTreeSet<usize> = (7..14).flat_map(fresh).collect();
        assert_eq!(again, all);
        assert!(calls(0, 3, 5, 60).intersection(&calls(7, 3, 5, 60)).count() <= 18);
    }

    #[test]
    fn a_small_pool_is_shared_and_a_fifth_is_new_in_each_run() {
        for (each, pool, kept) in [(10, 11, 8), (40, 60, 32), (50, 100, 40)] {
            let runs: Vec<SplitCalls> = (0..60)
                .map(|run| panel(run, each, 0).shared(pool).unwrap())
                .collect();
            let every: BTreeSet<_> = runs[0].calls[..runs[0].kept].iter().collect();
            assert_eq!(every.len(), 3 * kept);
            let mut asked = BTreeSet::new();
            for run in &runs {
                assert_eq!(every, run.calls[..run.kept].iter().collect());
                let calls: BTreeSet<_> = run.calls.iter().copied().collect();
                // No model is asked a question twice in a run.
                assert_eq!(calls.len(), 3 * each);
                asked.extend(calls);
            }
            assert_eq!(asked.len(), 3 * pool, "each model is asked all in the end");
        }
        assert!(panel(0, 10, 0).shared(10).is_none() && panel(0, 2, 0).shared(10).is_none());
    }

    #[test]
    fn a_pool_without_new_questions_is_asked_as_in_a_single_scan() {
        assert!(panel(4, 10, 0).core(29).is_none());
        assert!(panel(4, 10, 0).core(30).is_some());
    }
}
