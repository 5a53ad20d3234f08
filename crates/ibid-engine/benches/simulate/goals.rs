//! Goals of tables, and their cells on all cores.

use std::num::NonZeroUsize;
use std::thread;

/// Draws of a run: all, a tenth, or as many as continuous integration has time for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Size {
    Ci,
    Short,
    Full,
}

impl Size {
    /// So many draws in the short run.
    pub(crate) fn draws(self, short: usize) -> usize {
        match self {
            Self::Ci => short.div_ceil(8),
            Self::Short => short,
            Self::Full => short * 10,
        }
    }
}

/// The goals of all tables.
#[derive(Default)]
pub(crate) struct Goals {
    checked: usize,
    missed: Vec<String>,
}

impl Goals {
    /// Checks a value, known to within `error` (one standard error), against its limits.
    pub(crate) fn check(&mut self, name: &str, (value, error): (f64, f64), (least, most): (f64, f64)) {
        self.checked += 1;
        if value + 2.0 * error < least || value - 2.0 * error > most {
            self.missed.push(format!(
                "{name}: {value:.3} (± {error:.3}), goal {least} to {most}"
            ));
        }
    }

    /// Prints what was missed; whether all goals were met.
    pub(crate) fn report(&self) -> bool {
        println!("\n{} goals, {} missed", self.checked, self.missed.len());
        for missed in &self.missed {
            println!("missed: {missed}");
        }
        self.missed.is_empty()
    }
}

/// Hits of a number of draws.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Share {
    pub(crate) hits: usize,
    pub(crate) of: usize,
}

impl Share {
    pub(crate) fn add(&mut self, hit: bool) {
        self.hits += usize::from(hit);
        self.of += 1;
    }

    pub(crate) fn value(self) -> f64 {
        self.hits as f64 / self.of.max(1) as f64
    }

    /// Its standard error, with one draw of either kind added, so that it is never 0.
    pub(crate) fn error(self) -> f64 {
        let n = self.of as f64 + 2.0;
        let share = (self.hits as f64 + 1.0) / n;
        (share * (1.0 - share) / n).sqrt()
    }

    /// The value and its standard error.
    pub(crate) fn both(self) -> (f64, f64) {
        (self.value(), self.error())
    }
}

/// A mean with its spread.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mean {
    n: f64,
    sum: f64,
    squares: f64,
}

impl Mean {
    pub(crate) fn add(&mut self, value: f64) {
        self.n += 1.0;
        self.sum += value;
        self.squares += value * value;
    }

    pub(crate) fn value(self) -> f64 {
        self.sum / self.n.max(1.0)
    }

    /// The standard deviation of the values.
    pub(crate) fn sd(self) -> f64 {
        (self.squares / self.n.max(1.0) - self.value().powi(2))
            .max(0.0)
            .sqrt()
    }

    /// The standard error of the mean over the mean.
    pub(crate) fn relative_error(self) -> f64 {
        self.both().1 / self.value()
    }

    /// The standard error of the standard deviation over the standard deviation, for values near a normal distribution.
    pub(crate) fn relative_error_of_sd(self) -> f64 {
        1.0 / (2.0 * (self.n - 1.0).max(1.0)).sqrt()
    }

    /// The mean and its standard error.
    pub(crate) fn both(self) -> (f64, f64) {
        (self.value(), self.sd() / self.n.max(1.0).sqrt())
    }
}

/// Runs every cell of a table, on all cores; the results are in the order of the cells.
pub(crate) fn on_all_cores<C: Sync, R: Send>(cells: &[C], run: impl Fn(&C) -> R + Sync) -> Vec<R> {
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let mut results: Vec<(usize, R)> = thread::scope(|scope| {
        let part = |core: usize| {
            let run = &run;
            scope.spawn(move || {
                let own = cells.iter().enumerate().skip(core).step_by(cores);
                own.map(|(at, cell)| (at, run(cell))).collect::<Vec<_>>()
            })
        };
        let parts: Vec<_> = (0..cores).map(part).collect();
        parts
            .into_iter()
            .flat_map(|part| part.join().unwrap_or_default())
            .collect()
    });
    results.sort_by_key(|result| result.0);
    results.into_iter().map(|result| result.1).collect()
}
