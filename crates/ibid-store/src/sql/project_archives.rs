//! Whole projects, out of a store and into it.

use super::answer_imports::{insert_answer_import, insert_answer_part};
use super::project_runs::{insert_cells, insert_market, insert_project_run};
use super::projects::insert_project;
use super::question_sets::{insert_set, insert_version};
use super::runs::insert_past_run;
use super::scans::insert_scan;
use super::schedules::insert_schedule;
use super::{Backend, Durability, Executor, Query, Row, values};
use crate::answer_import::NewAnswerPart;
use crate::columns::signed;
use crate::project::{
    Cell, EndedRun, ImportedAnswers, ImportedResult, KeptSchedule, ProjectImport, ProjectRows, ProjectRunEnd,
    ProjectScope,
};

use crate::{Millis, NewDurableRun, NewScan, Origin, PackedAnswers, Store, StoreError};
use ibid_model::{ProjectId, ScanId};

impl Store {
    /// Returns the runs and schedules of a project.
    pub fn project_rows(&self, scope: &ProjectScope) -> Result<ProjectRows, StoreError> {
        let owner = super::projects::owner_of(scope.project);
        self.snapshot(|db| {
            let schedules = db.rows(
                "SELECT id, document, questions, templates FROM schedule WHERE project = ?1 AND owner = ?2
                 ORDER BY created_at, id",
                values![scope.project, owner.as_str()],
            )?;
            let results = db.list(
                "SELECT scan, ended_at AS \"endedAt\", keyword, place, market, summary, cost,
                        question_set AS \"questionSet\"
                 FROM project_run
                 WHERE project = ?1 ORDER BY ended_at, scan",
                values![scope.project],
            )?;
            // In an archive, runs that an account scheduled belong to the project's own schedule.
            let ended = db.list(
                "SELECT CASE WHEN schedule.owner = ?2 THEN schedule.id ELSE schedule.project END AS schedule,
                        schedule_run.due, schedule_run.scan, schedule_run.cost,
                        COALESCE(schedule_run.outcome, 'failed') AS outcome,
                        COALESCE(schedule_run.ended_at, schedule_run.due) AS \"endedAt\"
                 FROM schedule_run JOIN schedule ON schedule.id = schedule_run.schedule
                 WHERE schedule.project = ?1 AND schedule_run.state = 'ended' AND schedule_run.outcome <> 'captures'
                 ORDER BY schedule_run.due, schedule_run.schedule",
                values![scope.project, owner.as_str()],
            )?;
            let questions = db.list(
                "SELECT question, text FROM project_question WHERE project = ?1 ORDER BY question",
                values![scope.project],
            )?;
            Ok(ProjectRows {
                schedules: schedules.into_iter().map(read_schedule).collect::<Result<_, _>>()?,
                results,
                ended,
                questions,
            })
        })
    }

    /// Returns a run's cells, and what its answers name and cite, where that is kept.
    pub fn run_rows(
        &self,
        scope: &ProjectScope,
        run: ScanId,
    ) -> Result<(Vec<Cell>, Option<PackedAnswers>), StoreError> {
        let (cells, mentions) = self.snapshot(|db| {
            let cells = db.list(
                "SELECT run, question, place, model, valid, cited, linked, named, score_sum AS \"scoreSum\",
                        rank_sum AS \"rankSum\", searched
                 FROM cell WHERE project = ?1 AND run = ?2 ORDER BY question, place, model",
                values![scope.project, run],
            )?;
            let sql = "SELECT document FROM run_mentions WHERE project = ?1 AND run = ?2";
            Ok((cells, db.one::<PackedAnswers>(sql, values![scope.project, run])?))
        })?;
        Ok((cells, mentions.filter(|kept| !kept.as_bytes().is_empty())))
    }

    /// Stores a project with everything of it, or nothing. Its schedule waits, and its past runs count in no budget.
    /// Returns whether the organisation may have another one: it has at most `most`.
    ///
    /// # Errors
    /// [`StoreError::Exists`] when an id is taken; otherwise the fault of the database.
    pub fn import_project(&self, import: &ProjectImport<'_>, most: u32) -> Result<bool, StoreError> {
        let id = import.id().ok_or(StoreError::Damaged("project"))?;
        self.write(Durability::Disk, |db| {
            let times = (import.created_at, import.imported_at);
            if !insert_project(db, id, import.project, most, ("project_imported", times))? {
                return Ok(false);
            }
            insert_settings(db, id, import)?;
            for run in import.ended {
                insert_ended(db, run)?;
            }
            let tenant = super::projects::owner_of(id);
            for result in import.results {
                insert_result(db, id, &tenant, result)?;
            }
            insert_cells(db, id, &[], import.questions)?;
            for (file, at) in import.own_files {
                super::own_files::insert(db, id, file, import.project.actor, *at, false)?;
            }
            for answers in import.answers {
                insert_answers(db, id, answers, import.imported_at)?;
            }
            Ok(true)
        })
    }
}

fn insert_settings(
    db: &mut dyn Executor,
    id: ProjectId,
    import: &ProjectImport<'_>,
) -> Result<(), StoreError> {
    for schedule in import.schedules {
        insert_schedule(db, schedule, import.imported_at)?;
    }
    db.execute(
        "UPDATE schedule SET paused_at = ?2, failures = ?3 WHERE id = ?1",
        values![id, import.imported_at, import.failures],
    )?;
    for (position, (schedule, place, language)) in (1_u32..).zip(import.markets) {
        insert_market(db, *schedule, id, position, place.as_deref(), language.as_deref())?;
    }
    if let Some((set, versions)) = import.set {
        insert_set(db, &super::projects::owner_of(id), set)?;
        for version in versions {
            insert_version(db, set.id, version)?;
        }
    }
    for rival in import.rivals {
        super::project_parts::insert_rival(db, id, rival)?;
    }
    for action in import.actions {
        super::project_actions::insert_action(db, id, None, action)?;
    }
    // Times put notes from one day into their order.
    for (at, note) in (import.imported_at..).zip(import.annotations) {
        super::project_parts::insert_annotation(db, id, note, None, at)?;
    }
    Ok(())
}

/// Stores a run that ended elsewhere. It began before any month that a budget counts.
fn insert_ended(db: &mut dyn Executor, run: &EndedRun) -> Result<(), StoreError> {
    db.run(
        "INSERT INTO schedule_run (schedule, due, state, scan, outcome, cost, credits, retry_at, began_at, ended_at)
         VALUES (?1, ?2, 'ended', ?3, ?4, ?5, 0, 0, 0, ?6)",
        values![
            run.firing.schedule,
            run.firing.due,
            run.scan,
            run.outcome.as_str(),
            signed(run.cost)?,
            run.ended_at
        ],
    )
}

fn insert_result(
    db: &mut dyn Executor,
    project: ProjectId,
    tenant: &str,
    result: &ImportedResult<'_>,
) -> Result<(), StoreError> {
    let kept = result.kept;
    let run = NewDurableRun::past(kept.scan, tenant, result.calls, kept.ended_at);
    insert_past_run(db, &run, kept.ended_at)?;
    let reply = result.document.unpack()?;
    let scan = NewScan {
        id: kept.scan,
        origin: Origin::V2(tenant.to_owned()),
        created_at: result.created_at,
        sandbox: result.sandbox,
        method: result.method,
        reply: &reply,
        answers: result.answers.cloned(),
    };
    insert_scan(db, &scan, true)?;
    let end = ProjectRunEnd {
        scan: kept.scan,
        ended_at: kept.ended_at,
        subject: (&kept.keyword, kept.place.as_deref()),
        market: kept.market,
        summary: kept.summary,
        cost: kept.cost,
        question_set: kept.question_set.as_deref(),
    };
    insert_project_run(db, project, &end)?;
    insert_cells(db, project, result.cells, &[])?;
    if let Some(mentions) = result.mentions {
        db.execute(
            "INSERT INTO run_mentions (project, run, document) VALUES (?1, ?2, ?3)",
            values![project, kept.scan, mentions.as_bytes()],
        )?;
    }
    Ok(())
}

fn insert_answers(
    db: &mut dyn Executor,
    project: ProjectId,
    answers: &ImportedAnswers<'_>,
    at: Millis,
) -> Result<(), StoreError> {
    let import = &answers.import;
    insert_answer_import(db, project, import, at)?;
    for part in answers.parts {
        let part = NewAnswerPart {
            number: part.number,
            sha256: &part.sha256,
            answers: part.answers,
            document: part.document.as_ref(),
            counts: &part.counts,
        };
        insert_answer_part(db, import.id, &part)?;
    }
    if let Some(days) = answers.days {
        db.execute(
            "UPDATE answer_import SET ended_at = ?2, days = ?3 WHERE id = ?1",
            values![import.id, at, days],
        )?;
    }
    Ok(())
}

fn read_schedule(mut row: Row) -> Result<KeptSchedule, StoreError> {
    let (questions, templates): (Option<PackedAnswers>, _) = (row.take(2)?, row.take(3)?);
    Ok(KeptSchedule {
        id: row.take(0)?,
        document: row.take(1)?,
        questions: questions.zip(templates),
    })
}
