//! What people do for some questions of a project, such as a new page, with a test that is agreed before.
//!
//! A test compares runs between the agreement and the day of the action with those after it. It begins anew with other
//! questions, and when an action that was done is opened again.

mod draft;
mod view;

pub use draft::ActionDraft;
pub(crate) use view::judged_in_words;
pub use view::{ActionView, KeptAction, RivalShare};

use super::conversions::{change, full};
use super::handle::Projects;
use super::questions::listed;
use crate::clock::now_ms;
use crate::error::Error;
use crate::project_actions::{ActionTest, LEAST_BEFORE, day_of, finding, finding_of, power, test_of};
use crate::project_numbers::{MOST_RUNS, series_of};
use crate::questions::is_asked;
use ibid_engine::mentions::{KeptRival, RunMentions, rivals};
use ibid_model::result::ScanResult;
use ibid_model::{ActionId, FaultCode, Faults, OwnQuestion, ScanId};
use ibid_store::{
    ActionRecord, ActionStatus, Millis, ProjectScope, RivalRecord, RivalState, Store, StoreError,
};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::json;
use std::collections::BTreeSet;

/// Most actions of a project: one a week for ten years.
pub(super) const MOST_ACTIONS: u32 = 500;
/// The runs before an action that are compared at most, as many as a level rests on.
const MOST_BEFORE: usize = 12;
/// The runs before an action that its promise counts on. Of half of them the promise is half as large again; twice as many
/// put the action off by a month.
const PLANNED_BEFORE: u32 = 4;

/// What tests rest on.
struct Bench {
    own: Vec<OwnQuestion>,
    /// Questions by the word that names them in results: the word, then the text.
    words: Vec<(String, String)>,
    actions: Vec<ActionRecord>,
}

impl Bench {
    fn read(store: &Store, scope: &ProjectScope, own: Vec<OwnQuestion>) -> Result<Self, StoreError> {
        Ok(Self {
            own,
            words: store.question_words(scope.project())?,
            actions: store.actions(scope)?,
        })
    }

    /// Returns what names these questions in results.
    fn words_of(&self, questions: &[String]) -> BTreeSet<String> {
        let own = self.own.iter().filter(|own| own.has_place_slot());
        let own: Vec<&OwnQuestion> = own
            .filter(|own| questions.iter().any(|text| text == own.as_str()))
            .collect();
        let is_meant = |text: &String| questions.contains(text) || own.iter().any(|own| is_asked(own, text));
        let words = self.words.iter().filter(|(_, text)| is_meant(text));
        words.map(|(word, _)| word.clone()).collect()
    }

    /// Returns questions that other actions touch, because they cannot be controls.
    fn touched_by_others(&self, action: &ActionRecord) -> BTreeSet<String> {
        let others = self.actions.iter();
        let others = others.filter(|other| other.id != action.id && other.status != ActionStatus::Dropped);
        others.flat_map(|other| self.words_of(&other.questions)).collect()
    }

    fn texts_of(&self, words: &BTreeSet<String>) -> Vec<String> {
        let texts = self.words.iter().filter(|(word, _)| words.contains(word));
        let texts: BTreeSet<String> = texts.map(|(_, text)| text.clone()).collect();
        texts.into_iter().collect()
    }

    fn check_questions(&self, questions: &[String], faults: &mut Faults) {
        for (at, question) in questions.iter().enumerate() {
            let known = self.own.iter().any(|own| own.as_str() == question)
                || self.words.iter().any(|(_, text)| text == question);
            if !known {
                faults.invalid(
                    format!("/questions/{at}"),
                    "the project has no such question; GET .../questions lists them",
                );
            }
        }
    }
}

impl Projects {
    /// Returns a project's actions: those that someone does, open ones, done ones, dropped ones, each the latest first.
    pub async fn actions(&self, scope: &ProjectScope) -> Result<Vec<ActionView>, Error> {
        let own = self.own_questions(scope).await?;
        let read = self.of(scope, move |store, scope| {
            let bench = Bench::read(store, scope, own)?;
            if bench.actions.is_empty() {
                return Ok((Vec::new(), Vec::new()));
            }
            let series = store.project_series(scope.project(), None, MOST_RUNS)?;
            let ids: Vec<ScanId> = series.into_iter().map(|(scan, _)| scan).collect();
            let last = series_of(store, ids.get(ids.len().saturating_sub(2)..).unwrap_or_default())?;
            let ended = store.project_runs(scope, u32::MAX, 0)?;
            let ended = ended
                .iter()
                .filter(|run| run.scan.is_some_and(|scan| ids.contains(&scan)));
            let ended: Vec<Millis> = ended.map(|run| run.at).collect();
            let views = bench.actions.iter();
            let views = views.map(|action| view(&bench, action, &last, &ended));
            let views: Vec<ActionView> = views.collect::<Result<_, StoreError>>()?;
            Ok((views, store.rivals(scope)?))
        });
        let (mut views, kept) = read.await?;
        views.sort_by_key(|view| (view.record.status, std::cmp::Reverse(view.record.created_at)));
        if views.iter().any(|view| view.finding.is_some()) {
            self.add_rivals(scope, &mut views, &kept).await?;
        }
        Ok(views)
    }

    /// The actions as the page of the project shows them, the latest first. Reads their rows alone.
    pub async fn action_lines(&self, scope: &ProjectScope) -> Result<Vec<KeptAction>, Error> {
        let read = self.of(scope, Store::actions);
        let (actions, now) = (read.await?, now_ms());
        let lines = actions.iter().rev().map(|action| KeptAction::of(action, now));
        Ok(lines.collect::<Result<_, StoreError>>()?)
    }

    /// One action.
    ///
    /// # Errors
    /// [`Error::ProjectNotFound`] if there is none with the id; as [`Self::actions`].
    pub async fn action(&self, scope: &ProjectScope, id: &str) -> Result<ActionView, Error> {
        let id: ActionId = id.parse().map_err(|_| Error::ProjectNotFound)?;
        let mut views = self.actions(scope).await?.into_iter();
        views
            .find(|view| view.record.id == id)
            .ok_or(Error::ProjectNotFound)
    }

    /// Writes an action that was agreed at a time, from which its test counts runs.
    pub(super) async fn add_action(
        &self,
        scope: &ProjectScope,
        draft: ActionDraft,
        now: Timestamp,
    ) -> Result<ActionView, Error> {
        let own = self.own_questions(scope).await?;
        let stored = self.of(scope, move |store, scope| {
            let bench = Bench::read(store, scope, own)?;
            let action = match new_action(&bench, draft, now.as_millisecond()) {
                Ok(action) => action,
                Err(faults) => return Ok(Err(faults.into())),
            };
            let members = json!({"actionId": action.id, "title": action.title}).to_string();
            let added = store.put_action(scope, &action, MOST_ACTIONS, change("action_added", &members))?;
            Ok(added
                .then_some(action.id)
                .ok_or_else(|| full(MOST_ACTIONS, "actions: remove")))
        });
        let id = stored.await??;
        self.action(scope, &id.to_string()).await
    }

    /// Changes an action. What its test compares is fixed once it is done; one that is opened again begins a new test.
    pub(in crate::projects) async fn edit_action(
        &self,
        scope: &ProjectScope,
        id: &str,
        draft: ActionDraft,
    ) -> Result<ActionView, Error> {
        let action: ActionId = id.parse().map_err(|_| Error::ProjectNotFound)?;
        let own = self.own_questions(scope).await?;
        let stored = self.of(scope, move |store, scope| {
            let bench = Bench::read(store, scope, own)?;
            let Some(before) = bench.actions.iter().find(|known| known.id == action) else {
                return Ok(Err(Error::ProjectNotFound));
            };
            let now = Timestamp::now();
            let mut changed = match changed(&bench, before, &draft, now) {
                Ok(changed) => changed,
                Err(faults) => return Ok(Err(faults.into())),
            };
            if changed.status == ActionStatus::Done && before.status != ActionStatus::Done {
                freeze(store, scope, &bench, &mut changed)?;
            }
            let word = match (before.status, changed.status) {
                (old, new) if old == new => "action_changed",
                (ActionStatus::Done, _) => "action_reopened",
                (_, ActionStatus::Done) => "action_done",
                (_, _) => "action_changed",
            };
            // A test that ends here is kept in the log.
            let members = json!({
                "actionId": changed.id,
                "title": changed.title,
                "status": changed.status.as_str(),
                "test": before.test.as_ref().filter(|_| changed.test.is_none()),
                "finding": before.finding.as_ref().filter(|_| changed.finding.is_none()),
            });
            let members = members.to_string();
            store.put_action(scope, &changed, MOST_ACTIONS, change(word, &members))?;
            Ok(Ok(()))
        });
        stored.await??;
        self.action(scope, id).await
    }

    /// Deletes an action.
    ///
    /// # Errors
    /// [`Error::ProjectNotFound`] if there is none with the id; [`Error::Store`].
    pub(in crate::projects) async fn delete_action(
        &self,
        scope: &ProjectScope,
        id: &str,
    ) -> Result<(), Error> {
        self.change_part(scope, id, "action_removed", "actionId", Store::delete_action)
            .await
    }

    async fn own_questions(&self, scope: &ProjectScope) -> Result<Vec<OwnQuestion>, Error> {
        let view = self.get(scope).await?;
        Ok(view
            .schedule
            .map(|schedule| listed(&schedule.order))
            .unwrap_or_default())
    }

    /// Counts pinned competitors in the answers to the touched questions, before and after.
    async fn add_rivals(
        &self,
        scope: &ProjectScope,
        views: &mut [ActionView],
        kept: &[RivalRecord],
    ) -> Result<(), Error> {
        let kept: Vec<KeptRival> = kept.iter().map(kept_rival).collect();
        if kept.iter().all(|rival| rival.ignored) {
            for view in views.iter_mut().filter(|view| view.finding.is_some()) {
                view.no_rivals = Some("No competitor is pinned.");
            }
            return Ok(());
        }
        let (runs, _) = self.mentions(scope, MOST_RUNS).await?;
        let own = self.own_questions(scope).await?;
        for view in views.iter_mut().filter(|view| view.finding.is_some()) {
            let (Some(test), Some(done_on)) = (test_of(&view.record)?, &view.record.done_on) else {
                continue;
            };
            let Some((_, over)) = day_of(done_on) else {
                continue;
            };
            let questions = &view.record.questions;
            let own = own
                .iter()
                .filter(|own| questions.iter().any(|text| text == own.as_str()));
            let own: Vec<&OwnQuestion> = own.filter(|own| own.has_place_slot()).collect();
            let touched = |run: &RunMentions| {
                let answers = run.answers.iter().filter(|answer| {
                    questions.contains(&answer.question)
                        || own.iter().any(|own| is_asked(own, &answer.question))
                });
                answers.cloned().collect::<Vec<_>>()
            };
            let before = runs.iter().filter(|((scan, _), _)| test.before.contains(scan));
            let after = runs.iter().filter(|((_, at), _)| *at >= over);
            let after = after.take(view.record.runs as usize);
            let answers = [
                before.flat_map(|(_, run)| touched(run)).collect::<Vec<_>>(),
                after.flat_map(|(_, run)| touched(run)).collect::<Vec<_>>(),
            ];
            match answers.iter().all(|answers| !answers.is_empty()) {
                true => view.rivals = shares(answers, &kept),
                false => view.no_rivals = Some("The answers of these runs are not kept, or not read yet."),
            }
        }
        Ok(())
    }
}

fn kept_rival(rival: &RivalRecord) -> KeptRival {
    KeptRival {
        name: rival.name.clone(),
        aliases: rival.aliases.clone(),
        domains: rival.domains.clone(),
        ignored: rival.state == RivalState::Ignored,
    }
}

/// Counts the answers that name each pinned competitor, before and after an action.
fn shares(answers: [Vec<ibid_engine::mentions::AnswerMentions>; 2], kept: &[KeptRival]) -> Vec<RivalShare> {
    let sides = answers.map(|answers| {
        let run = RunMentions {
            answers,
            ..RunMentions::default()
        };
        (ScanId::random(), run)
    });
    let totals = sides
        .each_ref()
        .map(|(_, run)| u32::try_from(run.answers.len()).unwrap_or(u32::MAX));
    let counted = rivals(&sides, kept);
    let pinned = counted.rows.into_iter().filter(|rival| rival.kept.is_some());
    let share = |rival: ibid_engine::mentions::Rival| {
        let named = |side: &(ScanId, RunMentions)| {
            let mut points = rival.points.iter();
            points
                .find(|point| point.scan == side.0)
                .map_or(0, |point| point.named)
        };
        RivalShare {
            before: (named(&sides[0]), totals[0]),
            after: (named(&sides[1]), totals[1]),
            name: rival.name,
        }
    };
    pinned.map(share).collect()
}

fn view(
    bench: &Bench,
    action: &ActionRecord,
    last: &[(ScanId, ScanResult)],
    ended: &[Millis],
) -> Result<ActionView, StoreError> {
    let test = test_of(action)?;
    let so_far = ended.iter().filter(|at| **at >= action.agreed_at).count();
    let so_far = u32::try_from(so_far.min(MOST_BEFORE)).unwrap_or(u32::MAX);
    let power = match &test {
        Some(test) => test.power,
        None => {
            let touched = bench.words_of(&action.questions);
            let before = so_far.max(PLANNED_BEFORE);
            power(
                last,
                &touched,
                &bench.touched_by_others(action),
                before,
                action.runs,
            )
            .0
        }
    };
    Ok(ActionView {
        record: action.clone(),
        power,
        runs_before: so_far,
        finding: finding_of(action)?,
        controls: test
            .map(|test| bench.texts_of(&test.controls))
            .unwrap_or_default(),
        rivals: Vec::new(),
        no_rivals: None,
    })
}

fn new_action(bench: &Bench, draft: ActionDraft, now: Millis) -> Result<ActionRecord, Faults> {
    let mut faults = Faults::default();
    bench.check_questions(draft.questions.as_deref().unwrap_or_default(), &mut faults);
    if !matches!(
        draft.status,
        None | Some(ActionStatus::Open | ActionStatus::Doing)
    ) {
        faults.invalid(
            "/status",
            "a new action is open or doing: its test is agreed before it is done",
        );
    }
    match draft.into_record(now) {
        Ok(action) if faults.is_empty() => Ok(ActionRecord {
            done_on: None,
            ..action
        }),
        Ok(_) => Err(faults),
        Err(mut missing) => {
            missing.append(faults);
            Err(missing)
        }
    }
}

/// An action as it is after a change. The test of one that is done now is not written yet.
fn changed(
    bench: &Bench,
    before: &ActionRecord,
    draft: &ActionDraft,
    now: Timestamp,
) -> Result<ActionRecord, Faults> {
    let mut faults = Faults::default();
    let mut action = before.clone();
    let status = draft.status.unwrap_or(before.status);
    let stays_done = before.status == ActionStatus::Done && status == ActionStatus::Done;
    let other_questions = draft.questions.as_ref();
    let other_questions = other_questions.filter(|questions| **questions != before.questions);
    let other_runs = draft.runs.filter(|runs| *runs != before.runs);
    let other_day = draft.done_on.map(|day| day.to_string());
    let other_day = other_day.filter(|day| Some(day) != before.done_on.as_ref());
    for (member, is_other) in [
        ("questions", other_questions.is_some()),
        ("runs", other_runs.is_some()),
        ("doneOn", other_day.is_some()),
    ] {
        if stays_done && is_other {
            let message =
                format!("{member} is fixed by the test of an action that is done; open it again first");
            faults.invalid(format!("/{member}"), message);
        }
    }
    if let Some(questions) = other_questions {
        bench.check_questions(questions, &mut faults);
    }
    let today = now.to_zoned(TimeZone::UTC).date();
    let agreed = Timestamp::from_millisecond(before.agreed_at).unwrap_or_default();
    let agreed = agreed.to_zoned(TimeZone::UTC).date();
    let day = draft.done_on.unwrap_or(today);
    let is_done_now = status == ActionStatus::Done && !stays_done;
    if is_done_now && !(agreed..=today).contains(&day) {
        let message = format!("doneOn must be a day from {agreed}, when its test was agreed, to today");
        faults.push("/doneOn", FaultCode::OutOfRange, message);
    }
    faults.into_result(())?;
    let new_test = other_questions.is_some() || (before.status == ActionStatus::Done && !stays_done);
    if new_test {
        action.agreed_at = now.as_millisecond();
        (action.test, action.finding, action.judged_at, action.done_on) = (None, None, None, None);
    }
    if is_done_now {
        action.done_on = Some(day.to_string());
    }
    action.status = status;
    action.title = draft.title.clone().unwrap_or(action.title);
    action.questions = draft.questions.clone().unwrap_or(action.questions);
    action.page = draft.page.clone().unwrap_or(action.page);
    action.person = draft.person.clone().unwrap_or(action.person);
    action.goal = draft.goal.clone().unwrap_or(action.goal);
    action.runs = draft.runs.unwrap_or(action.runs);
    Ok(action)
}

/// Writes what the test of an action compares, and what the runs since show.
fn freeze(
    store: &Store,
    scope: &ProjectScope,
    bench: &Bench,
    action: &mut ActionRecord,
) -> Result<(), StoreError> {
    let series = store.project_series(scope.project(), None, MOST_RUNS)?;
    let ids: Vec<ScanId> = series.into_iter().map(|(scan, _)| scan).collect();
    let results = series_of(store, &ids)?;
    let day = action.done_on.as_deref().and_then(day_of);
    let (begins, _) = day.ok_or(StoreError::Damaged("day"))?;
    let earlier = results.iter().filter(|(_, result)| result.finished_at < begins);
    let (earlier, _) = results.split_at(earlier.count());
    let before = earlier
        .iter()
        .filter(|(_, result)| result.finished_at.as_millisecond() >= action.agreed_at);
    let before: Vec<ScanId> = before.map(|(scan, _)| *scan).collect();
    let before = before
        .get(before.len().saturating_sub(MOST_BEFORE)..)
        .unwrap_or_default()
        .to_vec();
    let last = earlier.get(earlier.len().saturating_sub(2)..).unwrap_or_default();
    let touched = bench.words_of(&action.questions);
    let runs_before = u32::try_from(before.len()).unwrap_or(u32::MAX);
    let others = bench.touched_by_others(action);
    let (mut power, controls) = power(last, &touched, &others, runs_before, action.runs);
    power.points = power.points.filter(|_| runs_before >= LEAST_BEFORE);
    let test = ActionTest {
        touched,
        controls,
        before,
        power,
    };
    action.test = Some(serde_json::to_string(&test).map_err(|_| StoreError::Damaged("test"))?);
    if let Some((finding, is_over)) = finding(action, &results)? {
        action.finding = Some(serde_json::to_string(&finding).map_err(|_| StoreError::Damaged("finding"))?);
        action.judged_at = is_over.then(now_ms);
    }
    Ok(())
}
