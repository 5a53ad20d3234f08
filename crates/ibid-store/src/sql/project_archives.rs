//! Whole projects, out of a store and into it.

use super::answer_imports::{insert_answer_import, insert_answer_part};
use super::project_runs::{insert_cells, insert_market, insert_project_run};
use super::projects::{insert_project, json};
use super::question_sets::{insert_set, insert_version};
use super::runs::insert_past_run;
use super::scans::insert_scan;
use super::schedules::insert_schedule;
use super::{Backend, Durability, Executor, Row, values};
use crate::answer_import::NewAnswerPart;
use crate::columns::signed;
use crate::project::{
    Cell, EndedRun, ImportedAnswers, ImportedResult, KeptResult, KeptSchedule, ProjectImport, ProjectRows,
    ProjectRunEnd, ProjectScope,
};
use crate::schedule::ScheduleStart;
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
            let results = db.rows(
                "SELECT scan, ended_at, keyword, place, market, summary, cost, question_set FROM project_run
                 WHERE project = ?1 ORDER BY ended_at, scan",
                values![scope.project],
            )?;
            // Runs of schedules of accounts belong to the schedule of the project in its archive.
            let ended = db.rows(
                "SELECT CASE WHEN schedule.owner = ?2 THEN schedule.id ELSE schedule.project END, schedule_run.due,
                        schedule_run.scan, schedule_run.outcome, schedule_run.cost, schedule_run.ended_at
                 FROM schedule_run JOIN schedule ON schedule.id = schedule_run.schedule
                 WHERE schedule.project = ?1 AND schedule_run.state = 'ended' AND schedule_run.outcome <> 'captures'
                 ORDER BY schedule_run.due, schedule_run.schedule",
                values![scope.project, owner.as_str()],
            )?;
            let questions = db.rows(
                "SELECT question, text FROM project_question WHERE project = ?1 ORDER BY question",
                values![scope.project],
            )?;
            Ok(ProjectRows {
                schedules: schedules.into_iter().map(read_schedule).collect::<Result<_, _>>()?,
                results: results.into_iter().map(read_result).collect::<Result<_, _>>()?,
                ended: ended.into_iter().map(read_ended).collect::<Result<_, _>>()?,
                questions: questions
                    .into_iter()
                    .map(|mut row| Ok((row.take(0)?, row.take(1)?)))
                    .collect::<Result<_, StoreError>>()?,
            })
        })
    }

    /// Returns the cells of a run of a project, and what its answers name and cite, where that is kept.
    pub fn run_rows(
        &self,
        scope: &ProjectScope,
        run: ScanId,
    ) -> Result<(Vec<Cell>, Option<PackedAnswers>), StoreError> {
        let (cells, mentions) = self.snapshot(|db| {
            let cells = db.rows(
                "SELECT question, place, model, valid, cited, linked, named, score_sum, rank_sum, searched FROM cell
                 WHERE project = ?1 AND run = ?2 ORDER BY question, place, model",
                values![scope.project, run],
            )?;
            let mentions = db.first(
                "SELECT document FROM run_mentions WHERE project = ?1 AND run = ?2",
                values![scope.project, run],
            )?;
            Ok((cells, mentions))
        })?;
        let read = |mut row: Row| {
            Ok(Cell {
                run,
                question: row.take(0)?,
                place: row.take(1)?,
                model: row.take(2)?,
                valid: row.take(3)?,
                cited: row.take(4)?,
                linked: row.take(5)?,
                named: row.take(6)?,
                score_sum: row.take(7)?,
                rank_sum: row.take(8)?,
                searched: row.take(9)?,
            })
        };
        let mentions: Option<Vec<u8>> = mentions.map(|mut row| row.take(0)).transpose()?;
        let mentions = mentions
            .filter(|bytes| !bytes.is_empty())
            .map(PackedAnswers::packed);
        let cells = cells.into_iter().map(read).collect::<Result<_, StoreError>>()?;
        Ok((cells, mentions))
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
    // Notes of one day are in the order of their times.
    for (at, note) in (import.imported_at..).zip(import.annotations) {
        super::project_parts::insert_annotation(db, id, note, None, at)?;
    }
    Ok(())
}

/// Stores a run that ended elsewhere. It began before any month that a budget counts.
fn insert_ended(db: &mut dyn Executor, run: &EndedRun) -> Result<(), StoreError> {
    db.execute(
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
    )?;
    Ok(())
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
    let questions: Option<Vec<u8>> = row.take(2)?;
    let templates: Option<String> = row.take(3)?;
    Ok(KeptSchedule {
        id: row.take(0)?,
        document: row.take(1)?,
        questions: questions.map(PackedAnswers::packed).zip(templates),
    })
}

fn read_result(mut row: Row) -> Result<KeptResult, StoreError> {
    Ok(KeptResult {
        scan: row.take(0)?,
        ended_at: row.take(1)?,
        keyword: row.take(2)?,
        place: row.take(3)?,
        market: row.take(4)?,
        summary: json(row.take(5)?)?.ok_or(StoreError::Damaged("summary"))?,
        cost: row.take(6)?,
        question_set: row.take(7)?,
    })
}

fn read_ended(mut row: Row) -> Result<EndedRun, StoreError> {
    let firing = ScheduleStart {
        schedule: row.take(0)?,
        due: row.take(1)?,
    };
    let outcome: Option<String> = row.take(3)?;
    let ended_at: Option<i64> = row.take(5)?;
    Ok(EndedRun {
        firing,
        scan: row.take(2)?,
        outcome: outcome.unwrap_or_else(|| "failed".to_owned()),
        cost: row.take(4)?,
        ended_at: ended_at.unwrap_or(firing.due),
    })
}
