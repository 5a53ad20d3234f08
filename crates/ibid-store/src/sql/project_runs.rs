//! Runs of projects and their numbers.

use super::projects::{owner_of, rests};
use super::runs::insert_past_run;
use super::scans::insert_scan;
use super::schedules::{change_schedule, insert_schedule};
use super::{Backend, Durability, Executor, Query, values};
use crate::columns::signed;
use crate::project::{
    Cell, MarketNumbers, MarketOrder, MarketRecord, ModelSum, PastRun, ProjectFindings, ProjectNumbers,
    ProjectRunEnd, ProjectRunRecord, ProjectScope, QuestionSum, Reservation, RunReading,
};
use crate::schedule::{NewSchedule, ScheduleStart, ScheduleTerms};
use crate::{Millis, PackedAnswers, Store, StoreError};
use ibid_model::{OrganisationId, ProjectId, ScanId, ScheduleId};
use std::collections::HashMap;

impl Store {
    /// Reserves what a run is estimated to cost in all markets, in the budgets that the project and its organisation have:
    /// all of them or none. Runs since `from` count. A repeated call replaces its earlier reservation.
    pub fn reserve_project_run(
        &self,
        firings: &[(ScheduleStart, u64)],
        from: Millis,
    ) -> Result<Reservation, StoreError> {
        let Some((first, _)) = firings.first().copied() else {
            return Ok(Reservation::Closed);
        };
        let estimate = firings.iter().map(|(_, estimate)| estimate).sum::<u64>();
        self.write(Durability::Disk, |db| {
            let Some(budgets) = locked_budgets(db, first.schedule)? else {
                return Ok(Reservation::Closed);
            };
            // The run itself counts nothing, if it reserved before.
            for (firing, _) in firings {
                reserve(db, *firing, 0)?;
            }
            let left = match budgets.hold(db, estimate, from)? {
                Reservation::Reserved(left) => left,
                held => return Ok(held),
            };
            for (firing, estimate) in firings {
                reserve(db, *firing, *estimate)?;
            }
            // What is left beyond the estimates is not given to one market.
            let others: u64 = firings.iter().skip(1).map(|(_, estimate)| estimate).sum();
            Ok(Reservation::Reserved(left.saturating_sub(others)))
        })
    }

    /// Returns the other markets in which a run has no scan yet, with what they have reserved.
    pub fn waiting_markets(&self, firing: ScheduleStart) -> Result<Vec<(ScheduleStart, u64)>, StoreError> {
        let rows = self.list::<(ScheduleId, u64)>(
            "SELECT other.schedule, other.cost FROM schedule_run AS other
             JOIN schedule ON schedule.id = other.schedule
             JOIN schedule AS own ON own.id = ?1 AND own.project = schedule.project AND own.owner = schedule.owner
             WHERE other.due = ?2 AND other.schedule <> ?1 AND other.state = 'firing'
               AND own.project IS NOT NULL
             ORDER BY other.schedule",
            values![firing.schedule, firing.due],
)?;
        let due = firing.due;
        let waits = rows
            .into_iter()
            .map(|(schedule, cost)| (ScheduleStart { schedule, due }, cost));
        Ok(waits.collect())
    }

    /// Returns a project's further markets, in their order.
    pub fn markets(&self, project: ProjectId) -> Result<Vec<MarketRecord>, StoreError> {
        self.list(
            "SELECT schedule, place, language, summary, level, verdict, changed_at, last_scan, last_run_at
             FROM project_market WHERE project = ?1 ORDER BY position",
            values![project],
        )
    }

    /// Stores a market's numbers and the cells of its runs.
    pub fn put_market_numbers(
        &self,
        project: ProjectId,
        market: ScheduleId,
        numbers: &MarketNumbers,
        cells: &[Cell],
        questions: &[(String, String)],
    ) -> Result<(), StoreError> {
        let summary = numbers.summary.as_ref().map(serde_json::to_string).transpose();
        let summary = summary.map_err(|_| StoreError::Damaged("summary"))?;
        let level = numbers.level.as_ref().map(serde_json::to_string).transpose();
        let level = level.map_err(|_| StoreError::Damaged("level"))?;
        self.write(Durability::Disk, |db| {
            db.execute(
                "UPDATE project_market SET summary = ?2, level = ?3, verdict = ?4, changed_at = ?5, last_scan = ?6,
                        last_run_at = ?7
                 WHERE schedule = ?1",
                values![
                    market,
                    summary.as_deref(),
                    level.as_deref(),
                    numbers.verdict.as_deref(),
                    numbers.changed_at,
                    numbers.last_scan,
                    numbers.last_run_at
                ],
            )?;
            insert_cells(db, project, cells, questions)
        })
    }

    /// Stores that a run ended with a result. The project's numbers wait for [`Self::put_project_numbers`].
    pub fn put_project_run(&self, project: ProjectId, end: &ProjectRunEnd<'_>) -> Result<(), StoreError> {
        self.write(Durability::Disk, |db| insert_project_run(db, project, end))
    }

    /// Stores a run that has ended. The numbers of the project wait for [`Self::put_project_numbers`].
    ///
    /// # Errors
    /// [`StoreError::Exists`] for a time at which the project has a run; otherwise the fault of the database.
    pub fn put_past_project_run(&self, project: ProjectId, run: &PastRun<'_>) -> Result<(), StoreError> {
        let result = run.result.as_ref();
        let cost = signed(result.map_or(0, |result| result.end.cost))?;
        self.write(Durability::Disk, |db| {
            let counted = db.execute(
                "UPDATE schedule SET failures = CASE ?2 WHEN 'failed' THEN failures + 1 WHEN 'complete' THEN 0
                                                        ELSE failures END
                 WHERE id = ?1",
                values![run.firing.schedule, run.outcome],
            )?;
            // The project was deleted meanwhile.
            if counted == 0 {
                return Err(StoreError::Lost);
            }
            let stored = db.execute(
                "INSERT INTO schedule_run (schedule, due, state, scan, outcome, cost, credits, retry_at, began_at,
                                           ended_at)
                 VALUES (?1, ?2, 'ended', ?3, ?4, ?5, 0, 0, ?2, ?6) ON CONFLICT (schedule, due) DO NOTHING",
                values![
                    run.firing.schedule,
                    run.firing.due,
                    result.map(|result| result.scan.id),
                    run.outcome,
                    cost,
                    run.ended_at
                ],
            )?;
            if stored == 0 {
                return Err(StoreError::Exists);
            }
            let Some(result) = result else {
                return Ok(());
            };
            insert_past_run(db, result.run, run.ended_at)?;
            insert_scan(db, result.scan, true)?;
            insert_project_run(db, project, result.end)
        })
    }

    /// Returns projects whose numbers wait.
    pub fn projects_to_judge(&self, most: u32) -> Result<Vec<ProjectId>, StoreError> {
        self.list(
            "SELECT id FROM project WHERE last_scan IS NOT NULL AND verdict IS NULL ORDER BY id LIMIT ?1",
            values![most],
        )
    }

    /// Returns the last runs in a market, by its schedule, the oldest first, and whether they have cells. Without a
    /// market those with the keyword and place of the project itself.
    pub fn project_series(
        &self,
        project: ProjectId,
        market: Option<ScheduleId>,
        most: u32,
    ) -> Result<Vec<(ScanId, bool)>, StoreError> {
        let mut runs = self.list(
            "SELECT project_run.scan,
                    EXISTS (SELECT 1 FROM cell WHERE cell.project = ?1 AND cell.run = project_run.scan)
             FROM project_run JOIN project ON project.id = project_run.project
             WHERE project_run.project = ?1 AND project_run.keyword = project.keyword
               AND (project_run.market = ?3
                    OR (?3 IS NULL AND project_run.market IS NULL
                        AND COALESCE(project_run.place, '') = COALESCE(project.place, '')))
             ORDER BY project_run.ended_at DESC, project_run.scan LIMIT ?2",
            values![project, most, market],
        )?;
        runs.reverse();
        Ok(runs)
    }

    /// Stores the numbers of a project whose last run is `last`. Returns whether that is still so.
    pub fn put_project_numbers(
        &self,
        project: ProjectId,
        last: ScanId,
        numbers: &ProjectNumbers<'_>,
    ) -> Result<bool, StoreError> {
        let history = numbers.history;
        let level = history.level.as_ref().map(serde_json::to_string).transpose();
        let level = level.map_err(|_| StoreError::Damaged("level"))?;
        let history = serde_json::to_string(history).map_err(|_| StoreError::Damaged("history"))?;
        let rivals = serde_json::to_string(numbers.rivals).map_err(|_| StoreError::Damaged("rivals"))?;
        self.write(Durability::Disk, |db| {
            let changed = db.execute(
                "UPDATE project SET level = ?3, verdict = ?4, changed_at = ?5, history = ?6, rivals = ?7
                 WHERE id = ?1 AND last_scan = ?2",
                values![
                    project,
                    last,
                    level.as_deref(),
                    numbers.verdict,
                    numbers.changed_at,
                    history.as_str(),
                    rivals.as_str()
                ],
            )?;
            if changed == 0 {
                return Ok(false);
            }
            insert_cells(db, project, numbers.cells, numbers.questions)?;
            Ok(true)
        })
    }

    /// Returns runs of projects whose mentions are not kept yet, the latest first.
    pub fn runs_to_read(&self, most: u32) -> Result<Vec<(ProjectId, ScanId)>, StoreError> {
        self.list(
            "SELECT project, scan FROM project_run
             WHERE NOT EXISTS (SELECT 1 FROM run_mentions WHERE run_mentions.project = project_run.project
                                                            AND run_mentions.run = project_run.scan)
             ORDER BY ended_at DESC, scan LIMIT ?1",
            values![most],
        )
    }

    /// Keeps what the answers of a run name and cite; `None` where its evidence is not kept.
    /// A project that was deleted meanwhile keeps nothing.
    pub fn put_mentions(
        &self,
        project: ProjectId,
        run: ScanId,
        mentions: Option<&PackedAnswers>,
    ) -> Result<(), StoreError> {
        let document = mentions.map(PackedAnswers::as_bytes).unwrap_or_default();
        self.write(Durability::Relaxed, |db| {
            db.run(
                "INSERT INTO run_mentions (project, run, document)
                 SELECT project, scan, ?3 FROM project_run WHERE project = ?1 AND scan = ?2
                 ON CONFLICT (project, run) DO NOTHING",
                values![project, run, document],
            )
        })
    }

    /// Returns what the last runs with the project's keyword and place mention, the oldest first. Runs that wait
    /// for theirs, and those without evidence, have none.
    pub fn project_mentions(
        &self,
        scope: &ProjectScope,
        most: u32,
    ) -> Result<Vec<(ScanId, Millis, RunReading)>, StoreError> {
        let rows = self.list::<(_, _, Option<PackedAnswers>)>(
            "SELECT project_run.scan, project_run.ended_at, run_mentions.document
             FROM project_run JOIN project ON project.id = project_run.project
             LEFT JOIN run_mentions ON run_mentions.project = project_run.project
                                   AND run_mentions.run = project_run.scan
             WHERE project_run.project = ?1 AND project_run.keyword = project.keyword
               AND project_run.market IS NULL
               AND COALESCE(project_run.place, '') = COALESCE(project.place, '')
             ORDER BY project_run.ended_at DESC, project_run.scan LIMIT ?2",
            values![scope.project, most],
        )?;
        let read = |(scan, at, kept): (_, _, Option<PackedAnswers>)| match kept {
            None => (scan, at, RunReading::Waiting),
            Some(kept) if kept.as_bytes().is_empty() => (scan, at, RunReading::NotKept),
            Some(kept) => (scan, at, RunReading::Mentions(kept)),
        };
        Ok(rows.into_iter().rev().map(read).collect())
    }

    /// Returns what the row of a project keeps for its page.
    pub fn project_findings(&self, scope: &ProjectScope) -> Result<ProjectFindings, StoreError> {
        let sql = "SELECT history, COALESCE(rivals, '[]') AS rivals FROM project WHERE id = ?1";
        Ok(self.one(sql, values![scope.project])?.unwrap_or_default())
    }

    /// Returns runs of a project, the latest first: at most so many, after so many that are skipped.
    pub fn project_runs(
        &self,
        scope: &ProjectScope,
        most: u32,
        skipped: u32,
    ) -> Result<Vec<ProjectRunRecord>, StoreError> {
        self.list(
            "SELECT scan, ended_at AS at, keyword, place, summary,
                    -- A run of before the project has no row of a schedule.
                    COALESCE((SELECT outcome FROM schedule_run WHERE schedule_run.scan = project_run.scan LIMIT 1),
                             'complete') AS outcome,
                    cost, question_set, market, NULL AS error
             FROM project_run WHERE project = ?1
             UNION ALL
             SELECT schedule_run.scan, schedule_run.due, NULL, NULL, NULL, schedule_run.outcome, schedule_run.cost,
                    NULL,
                    CASE WHEN schedule.id <> ?1 AND schedule.owner LIKE 'project %' THEN schedule.id END,
                    (SELECT error FROM durable_run WHERE durable_run.id = schedule_run.scan)
             FROM schedule_run JOIN schedule ON schedule.id = schedule_run.schedule
             WHERE schedule.project = ?1 AND COALESCE(schedule_run.outcome, '') <> 'captures'
               AND NOT EXISTS (SELECT 1 FROM project_run
                               WHERE project_run.project = ?1 AND project_run.scan = schedule_run.scan)
             ORDER BY at DESC, scan LIMIT ?2 OFFSET ?3",
            values![scope.project, most, skipped],
)
    }

    pub fn is_project_run(&self, scope: &ProjectScope, scan: ScanId) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM project_run WHERE project = ?1 AND scan = ?2";
        self.has(sql, values![scope.project, scan])
    }

    /// Returns the questions that the last `runs` runs asked, by text.
    pub fn project_questions(&self, scope: &ProjectScope, runs: u32) -> Result<Vec<QuestionSum>, StoreError> {
        self.list(
            "SELECT project_question.text, COUNT(DISTINCT runs.began) AS runs,
                    CAST(SUM(cell.valid) AS BIGINT) AS valid,
                    CAST(SUM(cell.cited) AS BIGINT) AS cited, CAST(SUM(cell.named) AS BIGINT) AS named,
                    (SELECT project_run.scan FROM project_run
                     WHERE project_run.project = ?1
                       AND EXISTS (SELECT 1 FROM cell AS own
                                   WHERE own.project = ?1 AND own.run = project_run.scan
                                     AND own.question = project_question.question)
                     ORDER BY project_run.ended_at DESC, project_run.scan LIMIT 1) AS last
             FROM (SELECT project_run.scan,
                          -- Markets of one run count once.
                          COALESCE((SELECT schedule_run.due
                                    FROM schedule JOIN schedule_run ON schedule_run.schedule = schedule.id
                                    WHERE schedule.project = ?1 AND schedule_run.scan = project_run.scan LIMIT 1),
                                   project_run.ended_at) AS began
                   FROM project_run WHERE project_run.project = ?1
                   ORDER BY project_run.ended_at DESC, project_run.scan LIMIT ?2) AS runs
             JOIN cell ON cell.project = ?1 AND cell.run = runs.scan
             JOIN project_question ON project_question.project = ?1
                                  AND project_question.question = cell.question
             GROUP BY project_question.question, project_question.text
             ORDER BY project_question.text",
            values![scope.project, runs],
        )
    }

    /// Returns the models that a run asked, by alias.
    pub fn project_models(&self, scope: &ProjectScope, run: ScanId) -> Result<Vec<ModelSum>, StoreError> {
        self.list(
            "SELECT model, CAST(SUM(valid) AS BIGINT) AS valid, CAST(SUM(cited) AS BIGINT) AS cited,
                    CAST(SUM(score_sum) AS BIGINT) AS score_sum
             FROM cell WHERE project = ?1 AND run = ?2 GROUP BY model ORDER BY model",
            values![scope.project, run],
        )
    }
}

/// What a project and its organisation may spend, locked, so that what costs money reserves one after another.
pub(super) struct Budgets {
    organisation: OrganisationId,
    project: ProjectId,
    own: Option<u64>,
    all: u64,
}

/// The budgets that a schedule of a project counts in; `None` if it is archived or gone.
pub(super) fn locked_budgets(
    db: &mut dyn Executor,
    schedule: ScheduleId,
) -> Result<Option<Budgets>, StoreError> {
    let found = db.one::<(OrganisationId, _, _)>(
        "SELECT project.organisation, project.id, own.budget
         FROM schedule JOIN project ON project.id = schedule.project
         JOIN schedule AS own ON own.id = project.id
         WHERE schedule.id = ?1 AND project.archived_at IS NULL",
        values![schedule],
    )?;
    let Some((organisation, project, own)) = found else {
        return Ok(None);
    };
    let all = db.locked_one(
        concat!(
            "SELECT budget FROM organisation WHERE id = ?1 AND NOT (",
            rests!("organisation.id"),
            ")"
        ),
        values![organisation],
    )?;
    Ok(all.map(|all| Budgets {
        organisation,
        project,
        own,
        all,
    }))
}

impl Budgets {
    /// Whether they hold a cost beside what was spent since a time, and if so, what is left with it.
    pub(super) fn hold(
        &self,
        db: &mut dyn Executor,
        cost: u64,
        from: Millis,
    ) -> Result<Reservation, StoreError> {
        let (own, all) = db.only::<(u64, u64)>(
            "SELECT CAST(COALESCE(SUM(CASE WHEN project.id = ?2 THEN schedule_run.cost ELSE 0 END), 0)
                         AS BIGINT),
                    CAST(COALESCE(SUM(schedule_run.cost), 0) AS BIGINT)
             FROM project JOIN schedule ON schedule.project = project.id AND schedule.owner LIKE 'project %'
             JOIN schedule_run ON schedule_run.schedule = schedule.id
             WHERE project.organisation = ?1 AND schedule_run.began_at >= ?3",
            values![self.organisation, self.project, from],
        )?;

        let left = self.own.map(|budget| budget.saturating_sub(own));
        if left.is_some_and(|left| cost > left) {
            return Ok(Reservation::OverBudget);
        }
        let left_of_all = self.all.saturating_sub(all);
        if cost > left_of_all {
            return Ok(Reservation::OverOrganisationBudget);
        }
        Ok(Reservation::Reserved(
            left.map_or(left_of_all, |left| left.min(left_of_all)),
        ))
    }
}

/// Writes the cost that a run without a scan reserves.
fn reserve(db: &mut dyn Executor, firing: ScheduleStart, cost: u64) -> Result<(), StoreError> {
    db.run(
        "UPDATE schedule_run SET cost = ?3 WHERE schedule = ?1 AND due = ?2 AND state <> 'ended'",
        values![firing.schedule, firing.due, signed(cost)?],
    )
}

/// Stores the markets of a project, and forgets others, whose runs stay and count against the budgets.
pub(super) fn put_markets(
    db: &mut dyn Executor,
    project: ProjectId,
    markets: &[MarketOrder<'_>],
    now: Millis,
) -> Result<(), StoreError> {
    let rows = db.list::<(Option<String>, Option<String>, ScheduleId, String)>(
        "SELECT project_market.place, project_market.language, schedule.id, schedule.document
         FROM project_market JOIN schedule ON schedule.id = project_market.schedule
         WHERE project_market.project = ?1",
        values![project],
    )?;
    let rows = rows.into_iter();
    let mut before: HashMap<_, _> = rows
        .map(|(place, language, id, document)| ((place, language), (id, document)))
        .collect();
    for (position, market) in (1..).zip(markets) {
        let key = (
            market.place.map(str::to_owned),
            market.language.map(str::to_owned),
        );
        let id = match before.remove(&key) {
            Some((id, document)) => {
                let is_same = document == market.terms.document;
                let terms = ScheduleTerms {
                    questions: market.terms.questions.filter(|_| !is_same),
                    ..market.terms
                };
                change_schedule(db, id, &terms)?;
                id
            }
            None => {
                let schedule = NewSchedule {
                    id: ScheduleId::random(),
                    owner: &owner_of(project),
                    terms: market.terms,
                    secret: None,
                    project: Some(project),
                };
                insert_schedule(db, &schedule, now)?;
                schedule.id
            }
        };
        insert_market(db, id, project, position, market.place, market.language)?;
    }
    for (schedule, _) in before.into_values() {
        db.execute(
            "DELETE FROM project_market WHERE schedule = ?1",
            values![schedule],
        )?;
    }
    Ok(())
}

pub(super) fn insert_market(
    db: &mut dyn Executor,
    schedule: ScheduleId,
    project: ProjectId,
    position: u32,
    place: Option<&str>,
    language: Option<&str>,
) -> Result<(), StoreError> {
    db.run(
        "INSERT INTO project_market (schedule, project, position, place, language) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (schedule) DO UPDATE SET position = excluded.position",
        values![schedule, project, position, place, language],
    )
}

/// Stores that a run ended, and names it in the row of its project.
pub(super) fn insert_project_run(
    db: &mut dyn Executor,
    project: ProjectId,
    end: &ProjectRunEnd<'_>,
) -> Result<(), StoreError> {
    let summary = serde_json::to_string(&end.summary).map_err(|_| StoreError::Damaged("summary"))?;
    let cost = signed(end.cost)?;
    // The project was deleted meanwhile.
    if !db.lock("SELECT id FROM project WHERE id = ?1", values![project])? {
        return Ok(());
    }
    db.execute(
        "INSERT INTO project_run (project, scan, ended_at, keyword, place, summary, cost, question_set, market)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (project, scan) DO NOTHING",
        values![
            project,
            end.scan,
            end.ended_at,
            end.subject.0,
            end.subject.1,
            summary.as_str(),
            cost,
            end.question_set,
            end.market
        ],
    )?;
    if end.market.is_some() {
        return Ok(());
    }
    db.run(
        "UPDATE project SET summary = ?2, last_scan = ?3, last_run_at = ?4, verdict = NULL
         WHERE id = ?1 AND (last_run_at IS NULL OR last_run_at <= ?4)
           AND keyword = ?5 AND COALESCE(place, '') = ?6",
        values![
            project,
            summary.as_str(),
            end.scan,
            end.ended_at,
            end.subject.0,
            end.subject.1.unwrap_or_default()
        ],
    )
}

pub(super) fn insert_cells(
    db: &mut dyn Executor,
    project: ProjectId,
    cells: &[Cell],
    questions: &[(String, String)],
) -> Result<(), StoreError> {
    for cell in cells {
        insert_cell(db, project, cell)?;
    }
    for (question, text) in questions {
        db.execute(
            "INSERT INTO project_question (project, question, text) VALUES (?1, ?2, ?3)
             ON CONFLICT (project, question) DO NOTHING",
            values![project, question.as_str(), text.as_str()],
        )?;
    }
    Ok(())
}

fn insert_cell(db: &mut dyn Executor, project: ProjectId, cell: &Cell) -> Result<(), StoreError> {
    db.run(
        "INSERT INTO cell (project, run, question, place, model, valid, cited, linked, named, score_sum, rank_sum,
                           searched)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
         ON CONFLICT (project, run, question, place, model) DO NOTHING",
        values![
            project,
            cell.run,
            cell.question.as_str(),
            cell.place.as_str(),
            cell.model.as_str(),
            cell.valid,
            cell.cited,
            cell.linked,
            cell.named,
            cell.score_sum,
            cell.rank_sum,
            cell.searched
        ],
    )
}
