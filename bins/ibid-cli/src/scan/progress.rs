//! Shows how far a scan is: a bar on a terminal, a line for every tenth elsewhere.

use ibid_engine::Progress;
use ibid_model::Model;
use indicatif::{ProgressBar, ProgressStyle};
use std::time::{Duration, Instant};

pub(super) struct Display {
    bar: ProgressBar,
    /// Alias and name of each model.
    names: Vec<(String, String)>,
    total: usize,
    cited: usize,
    /// Tenths that were printed.
    tenths: usize,
    began: Instant,
}

impl Display {
    /// Shows the bar at once: the first answer may take a minute.
    #[expect(clippy::print_stderr, reason = "a command line reports there")]
    pub(super) fn start<'a>(
        total: usize,
        models: impl Iterator<Item = &'a Model>,
    ) -> Result<Self, indicatif::style::TemplateError> {
        let bar = ProgressBar::new(total as u64);
        bar.set_style(ProgressStyle::with_template(
            "{spinner} {bar:30} {pos}/{len}  {wide_msg} {elapsed}, {eta} left",
        )?);
        bar.set_message("waiting for the first answer");
        if bar.is_hidden() {
            eprintln!("0/{total} asked, waiting for the first answer");
        }
        bar.enable_steady_tick(Duration::from_millis(120));
        let names = models
            .map(|model| (model.alias.to_string(), model.name.clone()))
            .collect();
        Ok(Self {
            bar,
            names,
            total,
            cited: 0,
            tenths: 0,
            began: Instant::now(),
        })
    }

    #[expect(clippy::print_stderr, reason = "a command line reports there")]
    pub(super) fn show(&mut self, progress: &Progress) {
        self.cited += usize::from(progress.interim.as_ref().is_some_and(|reading| reading.cited));
        let model = self
            .names
            .iter()
            .find(|(alias, _)| alias == progress.model.as_str())
            .map_or(progress.model.as_str(), |(_, name)| name);
        let place = progress.market.as_deref().unwrap_or("core questions");
        self.bar
            .set_message(format!("cited {} times; {model}, {place}", self.cited));
        self.bar.set_position(progress.done as u64);
        if progress.total != self.total {
            // The first batch, or the next.
            (self.total, self.tenths) = (progress.total, progress.done * 10 / progress.total.max(1));
            self.bar.set_length(progress.total as u64);
        }
        let tenths = progress.done * 10 / self.total.max(1);
        if self.bar.is_hidden() && tenths > self.tenths {
            self.tenths = tenths;
            let left = time_left(self.began.elapsed(), progress.done, self.total);
            eprintln!(
                "{}/{} asked, cited {} times, {left}",
                progress.done, self.total, self.cited
            );
        }
    }

    pub(super) fn end(&self) {
        self.bar.finish_and_clear();
    }
}

/// Estimates the time that is left from the pace so far.
fn time_left(elapsed: Duration, done: usize, total: usize) -> String {
    let each = elapsed.as_secs_f64() / done.max(1) as f64;
    let seconds = (each * total.saturating_sub(done) as f64).ceil() as u64;
    match seconds {
        0..90 => format!("about {seconds} s left"),
        _ => format!("about {} min left", seconds.div_ceil(60)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_follows_from_the_pace() {
        for (elapsed, done, total, expected) in [
            (10, 1, 4, "about 30 s left"),
            (60, 10, 90, "about 8 min left"),
            (9, 9, 9, "about 0 s left"),
        ] {
            assert_eq!(time_left(Duration::from_secs(elapsed), done, total), expected);
        }
    }
}
