//! Past scans for the sandbox's account: half a year with an invented shop, and a link to the latest report.
//!
//! The scans are asked and scored like all others, each on its day of the invented world ([`sample_shop`]).
//! Packed results would age with the version of the method.

use crate::settings::Settings;
use anyhow::Context;
use ibid_model::{AccountId, ScanDraft, ScanForm};
use ibid_provider::{Sandbox, sample_shop};
use ibid_service::{PastScan, Plan, Service, ShareTerms};
use ibid_store::Store;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};
use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) const SCANS: u32 = 14;
/// Days between two scans. Together they span one period of the shop, so that there is always one change among them.
const STEP_DAYS: u32 = sample_shop::PERIOD / (SCANS - 1);

/// The scans that the history lacks.
pub(crate) struct SandboxHistory {
    account: AccountId,
    /// Seed of the invented world, and the day on which its server runs.
    world: (u64, u32),
    now: Timestamp,
    /// When the latest scan ended.
    latest: Timestamp,
    /// Each counts the steps back from the latest; the oldest first.
    missing: Vec<u32>,
}

impl SandboxHistory {
    /// Finds the scans that the account lacks.
    pub(crate) fn of(
        store: &Store,
        account: AccountId,
        (seed, settings): (u64, &Settings),
    ) -> anyhow::Result<Self> {
        let now = Timestamp::now();
        let mut history = Self {
            account,
            world: (seed, settings.web.sandbox_day),
            now,
            latest: now,
            missing: Vec::new(),
        };
        for number in (0..SCANS).rev() {
            match store.run(account, PastScan::id(account, number))? {
                Some(run) => {
                    history.latest = Timestamp::from_millisecond(run.created_at)? + steps(number);
                }
                None => history.missing.push(number),
            }
        }
        Ok(history)
    }

    /// Names the latest scan as the sample of the home page.
    pub(crate) fn name_sample(&self, service: &Service) {
        // The latest scan has the number 0.
        service
            .scans
            .set_sample(self.account, PastScan::id(self.account, 0));
    }

    /// Adds the missing scans until `stopped` is set, and logs the outcome.
    pub(crate) async fn add(&self, service: &Service, stopped: &AtomicBool) {
        match self.add_missing(service, stopped).await {
            Ok(0) => tracing::debug!("sandbox.history.unchanged"),
            Ok(scans) => tracing::debug!(scans, "sandbox.history.added"),
            Err(error) => tracing::warn!(error = format!("{error:#}"), "sandbox.history.failed"),
        }
    }

    async fn add_missing(&self, service: &Service, stopped: &AtomicBool) -> anyhow::Result<u32> {
        let mut added = 0;
        for number in &self.missing {
            if stopped.load(Ordering::Relaxed) {
                break;
            }
            let plan = service
                .planner
                .plan(ScanDraft(&order()), ScanForm::Workspace)
                .await?;
            let scan = self.scan(*number, plan);
            // Skips scans that another process on the same database has added, and scans that people have deleted.
            if !service.scans.store_past_scan(scan).await? {
                continue;
            }
            added += 1;
            if *number == 0 {
                let (account, id) = (self.account, PastScan::id(self.account, 0));
                let shared = service.accounts.share(account, id, ShareTerms::default()).await;
                shared.context("sharing the sample report")?;
            }
        }
        Ok(added)
    }

    fn scan(&self, number: u32, plan: Plan) -> PastScan {
        let (seed, day) = self.world;
        let age = self.now.duration_since(self.latest).as_hours() / 24;
        let age = u32::try_from(age).unwrap_or(0);
        let back = number.saturating_mul(STEP_DAYS).saturating_add(age);
        PastScan {
            account: self.account,
            number,
            plan,
            sandbox: Sandbox::new(seed).with_day(sample_shop::day_before(day, back)),
            ended_at: self.latest - steps(number),
        }
    }
}

/// Returns when a history begins that is made now.
pub(crate) fn begins_at() -> Timestamp {
    Timestamp::now() - steps(SCANS)
}

fn steps(number: u32) -> SignedDuration {
    SignedDuration::from_hours(24 * i64::from(STEP_DAYS) * i64::from(number))
}

/// Returns what every scan orders, with the questions of a default scan.
fn order() -> Map<String, Value> {
    let members = [
        ("domain", json!(sample_shop::DOMAIN)),
        ("keyword", json!(sample_shop::KEYWORD)),
        ("location", json!(sample_shop::LOCATION)),
    ];
    members
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibid_engine::Engine;
    use ibid_engine::compare::Side;
    use ibid_engine::history::history;
    use ibid_engine::plan::PlanOptions;
    use ibid_model::result::{HistoryChange, MoveKind, ScanResult};
    use ibid_model::{Catalog, ScanId};
    use std::num::NonZeroUsize;
    use std::sync::Arc;

    /// Days between the days on which the story is checked. It divides [`STEP_DAYS`], so that scans serve several days.
    const CHECKED: u32 = 7;

    /// The scans of the whole cycle of the shop's world, by day.
    fn scans() -> Vec<ScanResult> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let order = ScanDraft(&order())
            .parse(&Catalog::builtin(), ScanForm::Workspace)
            .unwrap();
        let plan = Plan::of(order, PlanOptions::default()).unwrap();
        let days = (0..sample_shop::CYCLE / CHECKED).map(|number| number * CHECKED);
        let key = "sandbox".parse().unwrap();
        let scan = |day: u32| {
            let sandbox = Arc::new(Sandbox::new(1).with_day(day));
            let engine = Engine::new(sandbox, NonZeroUsize::MIN);
            let scanned = engine.run(ScanId::random(), &plan, &key, |_| {});
            runtime.block_on(scanned).unwrap().result
        };
        days.map(scan).collect()
    }

    fn cited_in(result: &ScanResult, town: &str) -> f64 {
        let mut markets = result.radius.rings.iter().flat_map(|ring| &ring.markets);
        let market = markets.find(|market| market.name == town).unwrap();
        market.cited_rate.unwrap()
    }

    #[test]
    fn on_almost_every_day_the_history_shows_its_one_change_and_the_lost_town() {
        let scans = scans();
        let scan_of = |day: u32| &scans[(day / CHECKED) as usize % scans.len()];
        let (mut shown, mut visible, mut chance, mut towns, mut wrong_towns) = (0, 0, 0, 0, 0);
        let days_checked = scans.len();
        for today in (0..scans.len() as u32).map(|number| number * CHECKED) {
            let days = (0..SCANS)
                .rev()
                .map(|number| sample_shop::day_before(today, number * STEP_DAYS));
            let days: Vec<u32> = days.collect();
            let sides: Vec<Side<'_>> = days
                .iter()
                .map(|day| Side {
                    id: None,
                    result: scan_of(*day),
                })
                .collect();
            let strength = |day: u32| {
                let world = Sandbox::new(1).with_day(day);
                world.visibility(&sample_shop::DOMAIN.parse().unwrap()).strength
            };
            let first_after = (1..days.len())
                .find(|at| strength(days[*at]) != strength(days[at - 1]))
                .unwrap();
            let rises = strength(days[first_after]) > strength(days[first_after - 1]);
            let judged = history(&sides).unwrap();
            assert!(judged.changes.iter().all(|change| !change.why.is_empty()));
            let (right, false_ones): (Vec<&HistoryChange>, Vec<&HistoryChange>) = judged
                .changes
                .iter()
                .partition(|change| (change.difference > 0.0) == rises);
            // A change is noticed after three scans before it, with the second or third one after it.
            if (3..=days.len() - 3).contains(&first_after) {
                visible += 1;
                shown += u32::from(right.len() == 1);
            }
            chance += false_ones.len() + right.len().saturating_sub(1);
            let latest = scan_of(today);
            let lost = sample_shop::LOST_TOWNS
                .iter()
                .find(|town| cited_in(latest, town) == 0.0)
                .unwrap();
            let mut moves = latest.moves.iter();
            if let Some(moved) = moves.find(|found| found.kind == MoveKind::LostTown) {
                let named = moved.evidence[0].town.as_deref() == Some(*lost);
                towns += usize::from(named);
                wrong_towns += usize::from(!named);
            }
        }
        // The histories overlap, so that one draw which hides a change hides it in several.
        assert!(shown * 6 >= visible * 5, "{shown} of {visible}");
        // A history of half a year holds a false alert once in ten times.
        assert!(chance <= days_checked / 10, "{chance} changes by chance");
        // Right after a fall home is cited so seldom that a town below it may be chance. Another town than the lost one is hardly ever
        // named: the simulations give .008 to .07 a scan.
        assert!(towns * 3 >= days_checked * 2, "{towns} of {days_checked}");
        assert!(
            wrong_towns * 25 <= days_checked,
            "{wrong_towns} of {days_checked}"
        );
    }

    #[test]
    fn the_scans_span_one_period_of_the_shop() {
        assert_eq!(STEP_DAYS * (SCANS - 1), sample_shop::PERIOD);
    }
}
