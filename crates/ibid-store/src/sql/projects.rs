//! Organisations and projects.

use super::destinations::delete_destinations;
use super::evidence::delete_object;
use super::project_parts::insert_annotation;
use super::project_runs::put_markets;
use super::question_sets::{insert_first, insert_next};
use super::schedules::{change_schedule, delete_schedules, insert_schedule};
use super::{Backend, Durability, Executor, Query, Row, values};
use crate::columns::signed;
use crate::daily_bound::{DAY, DailyBound};
use crate::destination::{DailyRoom, DestinationOf};
use crate::project::{
    NewProject, OrganisationRecord, OrganisationRole, OrganisationSpending, ProjectChange, ProjectContents,
    ProjectCounts, ProjectEdit, ProjectEdited, ProjectOrder, ProjectReader, ProjectRecord, ProjectScope,
    ProjectStatus, Right, Subject,
};
use crate::question_set::{QuestionSetTerms, QuestionsAdded};
use crate::schedule::NewSchedule;
use crate::seal::RunKeys;
use crate::workspace::Change;
use crate::{Millis, Store, StoreError};
use ibid_model::{AccountId, AnnotationId, OrganisationId, ProjectId, QuestionSetId, ScanId, ScheduleId};

/// Projects with what their runs cost since `?1`.
macro_rules! select_projects {
    ($rest:literal) => {
        concat!(
            "SELECT project.id, project.organisation, project.name, project.domain, project.keyword, project.place,
                    project.created_at, project.archived_at, project.summary, project.level, project.verdict,
                    project.changed_at, project.last_scan, project.last_run_at, schedule.next_due,
                    schedule.paused_at IS NOT NULL AS is_paused, schedule.budget,
                    COALESCE(schedule.failures, 0) AS failures,
                    (SELECT CAST(COALESCE(SUM(schedule_run.cost), 0) AS BIGINT) FROM schedule_run
                     WHERE schedule_run.began_at >= ?1
                       AND schedule_run.schedule IN (SELECT own.id FROM schedule AS own
                                                     WHERE own.project = project.id AND own.owner LIKE 'project %'))
                        AS spent,
                    (SELECT schedule_run.outcome FROM schedule_run
                     WHERE schedule_run.schedule = project.id AND schedule_run.state = 'ended'
                       AND schedule_run.outcome <> 'captures'
                     ORDER BY schedule_run.due DESC LIMIT 1) AS outcome,
                    project.badge_sealed, COALESCE(project.settings, '{}') AS settings
             FROM project LEFT JOIN schedule ON schedule.id = project.id ",
            $rest
        )
    };
}

pub(super) use select_projects;

/// Whether an organisation has no admin: it rests.
macro_rules! rests {
    ($organisation:literal) => {
        concat!(
            "NOT EXISTS (SELECT 1 FROM membership AS admin WHERE admin.role = 'admin' AND admin.organisation = ",
            $organisation,
            ")"
        )
    };
}

pub(super) use rests;

impl Store {
    /// Returns the organisation that an account is the admin of. An account that is in none gets one with this name.
    pub fn own_organisation(
        &self,
        account: AccountId,
        name: &str,
        now: Millis,
    ) -> Result<Option<OrganisationId>, StoreError> {
        self.write(Durability::Disk, |db| {
            super::accounts::lock_account(db, account)?;
            let admin = db.one(
                "SELECT organisation FROM membership WHERE account = ?1 AND role = 'admin'
                 ORDER BY created_at, organisation LIMIT 1",
                values![account],
            )?;
            if admin.is_some() {
                return Ok(admin);
            }
            let sql = "SELECT 1 FROM membership WHERE account = ?1
                 UNION ALL SELECT 1 FROM account WHERE id = ?1 AND guest_of IS NOT NULL LIMIT 1";
            if db.has(sql, values![account])? {
                return Ok(None);
            }
            let id = OrganisationId::random();
            db.execute(
                "INSERT INTO organisation (id, name, budget, created_at) VALUES (?1, ?2, 0, ?3)",
                values![id, name, now],
            )?;
            insert_member(db, id, account, OrganisationRole::Admin, now)?;
            Ok(Some(id))
        })
    }

    /// Returns the organisations of an account, the oldest membership first.
    pub fn organisations(&self, account: AccountId) -> Result<Vec<OrganisationRecord>, StoreError> {
        self.list(
            "SELECT organisation.id, organisation.name, organisation.budget, membership.role
             FROM membership JOIN organisation ON organisation.id = membership.organisation
             WHERE membership.account = ?1 ORDER BY membership.created_at, organisation.id",
            values![account],
        )
    }

    /// Returns what the runs of every organisation cost from a time to before another, by name.
    pub fn organisation_spending(
        &self,
        from: Millis,
        until: Millis,
    ) -> Result<Vec<OrganisationSpending>, StoreError> {
        self.list(
            "SELECT organisation.id, organisation.name, organisation.budget, COUNT(spent.cost) AS runs,
                    CAST(COALESCE(SUM(spent.cost), 0) AS BIGINT) AS cost
             FROM organisation LEFT JOIN (
                 SELECT project.organisation AS organisation, schedule_run.cost AS cost
                 FROM project JOIN schedule ON schedule.project = project.id AND schedule.owner LIKE 'project %'
                 JOIN schedule_run ON schedule_run.schedule = schedule.id
                 WHERE schedule_run.began_at >= ?1 AND schedule_run.began_at < ?2 AND schedule_run.cost > 0
             ) AS spent ON spent.organisation = organisation.id
             GROUP BY organisation.id, organisation.name, organisation.budget
             ORDER BY organisation.name, organisation.id",
            values![from, until],
        )
    }

    /// Sets what an organisation's runs may cost in a month. Returns whether there is such an organisation.
    pub fn set_organisation_budget(
        &self,
        organisation: OrganisationId,
        budget: u64,
        change: impl Into<Change>,
    ) -> Result<bool, StoreError> {
        let Change { at, by } = change.into();
        let stored = signed(budget)?;
        self.write(Durability::Disk, |db| {
            let changed = db.execute(
                "UPDATE organisation SET budget = ?2 WHERE id = ?1",
                values![organisation, stored],
            )?;
            if changed == 0 {
                return Ok(false);
            }
            let members = format!("{{\"budgetMicroUsd\":{budget}}}");
            let change = ProjectChange {
                action: "organisation_budget_set",
                members: &members,
                at,
            };
            let actor = by.map_or_else(|| "operator".to_owned(), |account| format!("account {account}"));
            note(db, organisation, None, &actor, change)?;
            Ok(true)
        })
    }

    /// Adds a person to an organisation, or changes the role there.
    pub fn put_member(
        &self,
        organisation: OrganisationId,
        account: AccountId,
        role: OrganisationRole,
        now: Millis,
    ) -> Result<(), StoreError> {
        self.write(Durability::Disk, |db| {
            insert_member(db, organisation, account, role, now)
        })
    }

    /// Returns the proof that a reader may see a project, if it may.
    pub fn project_scope(
        &self,
        reader: ProjectReader,
        project: ProjectId,
    ) -> Result<Option<ProjectScope>, StoreError> {
        let row = self.read(|db| match reader {
            ProjectReader::Account(account) => db.first(
                concat!(
                    "SELECT project.organisation, ",
                    rests!("project.organisation"),
                    ", account.role,
                            (SELECT role FROM membership
                             WHERE membership.organisation = project.organisation AND account = ?2),
                            (SELECT role FROM project_role WHERE project_role.project = project.id AND account = ?2)
                     FROM project JOIN account ON account.id = ?2 WHERE project.id = ?1"
                ),
                values![project, account],
            ),
            ProjectReader::Key(key) => db.first(
                "SELECT organisation FROM project WHERE id = ?1 AND organisation = ?2 AND id = COALESCE(?3, id)",
                values![project, key.organisation, key.project],
            ),
        })?;
        let Some(mut row) = row else {
            return Ok(None);
        };
        let organisation = row.take(0)?;
        let (rights, actor) = match reader {
            ProjectReader::Key(key) => (key.rights, key.actor()),
            ProjectReader::Account(account) => {
                let subject = Subject::Person(row.take(2)?, row.take(3)?, row.take(4)?);
                (subject.rights(row.take(1)?), format!("account {account}"))
            }
        };
        Ok(rights.has(Right::ReadProject).then_some(ProjectScope {
            project,
            organisation,
            rights,
            actor,
        }))
    }

    /// Returns the scope for work that the program does by itself, such as a report for a digest; `None` if it was
    /// deleted. The id comes from a stored row, never from a request.
    pub fn program_scope(&self, project: ProjectId) -> Result<Option<ProjectScope>, StoreError> {
        let organisation = self.one("SELECT organisation FROM project WHERE id = ?1", values![project])?;
        Ok(organisation.map(|organisation| ProjectScope {
            project,
            organisation,
            rights: Subject::Program.rights(false),
            actor: "ibid".to_owned(),
        }))
    }

    /// Returns the projects that a reader may see, by name, with what they spent since `from`.
    pub fn projects(&self, reader: ProjectReader, from: Millis) -> Result<Vec<ProjectRecord>, StoreError> {
        let rows = match reader {
            ProjectReader::Account(account) => self.rows(
                select_projects!(
                    "WHERE project.organisation IN
                           (SELECT organisation FROM membership WHERE account = ?2 AND role = 'admin')
                        OR project.id IN (SELECT project FROM project_role WHERE account = ?2)
                     ORDER BY project.name, project.id"
                ),
                values![from, account],
            )?,
            ProjectReader::Key(key) => self.rows(
                select_projects!(
                    "WHERE project.organisation = ?2 AND (project.id = ?3 OR ?3 IS NULL)
                     ORDER BY project.name, project.id"
                ),
                values![from, key.organisation, key.project],
            )?,
        };
        let keys = self.keys()?;
        rows.into_iter().map(|row| read_project(row, keys)).collect()
    }

    /// Stores a project with all that it asks, and returns whether it did: an organisation has at most `most`, or one
    /// more after two calls at the same moment.
    ///
    /// # Errors
    /// [`StoreError::Exists`] when the id is taken; otherwise the fault of the database.
    pub fn add_project(
        &self,
        id: ProjectId,
        order: &ProjectOrder<'_>,
        most: u32,
        now: Millis,
    ) -> Result<bool, StoreError> {
        self.write(Durability::Disk, |db| {
            if !insert_project(db, id, &order.project, most, ("project_made", (now, now)))? {
                return Ok(false);
            }
            let schedule = NewSchedule {
                id: ScheduleId::from_bytes(*id.as_bytes()),
                owner: &owner_of(id),
                terms: order.terms,
                secret: None,
                project: Some(id),
            };
            insert_schedule(db, &schedule, now)?;
            put_questions(db, id, order, now)?;
            put_markets(db, id, order.markets, now)?;
            Ok(true)
        })
    }

    /// Returns a project with what it spent since `from`.
    pub fn project(&self, scope: &ProjectScope, from: Millis) -> Result<Option<ProjectRecord>, StoreError> {
        let sql = select_projects!("WHERE project.id = ?2");
        let row = self.first(sql, values![from, scope.project])?;
        let keys = self.keys()?;
        row.map(|row| read_project(row, keys)).transpose()
    }

    /// Changes a project: all that an edit names, or nothing.
    pub fn edit_project(
        &self,
        scope: &ProjectScope,
        edit: &ProjectEdit<'_>,
    ) -> Result<ProjectEdited, StoreError> {
        let settings = edit.settings.map(serde_json::to_string).transpose();
        let settings = settings.map_err(|_| StoreError::Damaged("settings"))?;
        let project = scope.project;
        self.write(Durability::Disk, |db| {
            let sql = "SELECT id FROM schedule WHERE id = ?1";
            if !db.lock(sql, values![project])? {
                return Ok(ProjectEdited::Unknown);
            }
            if let Some(order) = &edit.order {
                if let Some(latest) = put_questions(db, project, order, edit.at)? {
                    return Ok(ProjectEdited::QuestionsChanged(latest));
                }
                change_schedule(db, scope.schedule(), &order.terms)?;
                let NewProject { name, subject, .. } = order.project;
                db.execute(
                    "UPDATE project SET name = ?2, domain = ?3, keyword = ?4, place = ?5, verdict = NULL, level = NULL,
                                        changed_at = NULL, history = NULL, rivals = NULL
                     WHERE id = ?1",
                    values![project, name, subject.domain, subject.keyword, subject.place],
                )?;
                refresh_last(db)?;
                put_markets(db, project, order.markets, edit.at)?;
            }
            if let Some(mark) = edit.mark {
                insert_annotation(db, project, mark, None, edit.at)?;
            }
            if let Some(status) = edit.status {
                put_status(db, project, status, edit.next_due, edit.at)?;
            }
            if let Some(settings) = &settings {
                let sql = "UPDATE project SET settings = ?2 WHERE id = ?1";
                db.execute(sql, values![project, settings.as_str()])?;
            }
            for change in edit.changes {
                note_in(db, scope, *change)?;
            }
            Ok(ProjectEdited::Stored)
        })
    }

    /// Whether there was a project of this id, which was deleted.
    pub fn is_project_deleted(&self, project: ProjectId) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM audit_event WHERE project = ?1 AND action = 'project_deleted' LIMIT 1";
        self.has(sql, values![project])
    }

    pub fn project_counts(&self) -> Result<ProjectCounts, StoreError> {
        self.only(
            "SELECT COUNT(*) FILTER (WHERE archived_at IS NULL AND paused_at IS NULL) AS active,
                    COUNT(*) FILTER (WHERE archived_at IS NULL AND paused_at IS NOT NULL) AS paused,
                    COUNT(*) FILTER (WHERE archived_at IS NOT NULL) AS archived,
                    COUNT(*) FILTER (WHERE archived_at IS NULL AND failures > 0) AS failing,
                    COUNT(*) FILTER (WHERE archived_at IS NULL AND paused_at IS NULL AND organisation.budget = 0)
                        AS without_budget
             FROM project JOIN organisation ON organisation.id = project.organisation
             LEFT JOIN schedule ON schedule.id = project.id",
            &[],
        )
    }

    /// Looks for rows that belong to nothing. Returns each kind of fault with its number of rows.
    pub fn project_faults(&self) -> Result<Vec<(&'static str, u64)>, StoreError> {
        let checks = [
            (
                "projects without a schedule",
                "SELECT COUNT(*) FROM project WHERE NOT EXISTS (SELECT 1 FROM schedule WHERE schedule.id = project.id)",
            ),
            (
                "projects whose last run is not among their runs",
                "SELECT COUNT(*) FROM project WHERE last_scan IS NOT NULL
                   AND NOT EXISTS (SELECT 1 FROM project_run
                                   WHERE project_run.project = project.id AND project_run.scan = project.last_scan)",
            ),
            (
                "runs of projects without a report",
                "SELECT COUNT(*) FROM project_run
                 WHERE NOT EXISTS (SELECT 1 FROM scan WHERE scan.id = project_run.scan)",
            ),
            (
                "runs with counts that no project has",
                "SELECT COUNT(*) FROM (SELECT DISTINCT project, run FROM cell) AS counted
                 WHERE NOT EXISTS (SELECT 1 FROM project_run
                                   WHERE project_run.project = counted.project AND project_run.scan = counted.run)",
            ),
            (
                "organisations without an admin",
                "SELECT COUNT(*) FROM organisation
                 WHERE NOT EXISTS (SELECT 1 FROM membership
                                   WHERE membership.organisation = organisation.id AND role = 'admin')",
            ),
            (
                "roles in projects of other organisations",
                "SELECT COUNT(*) FROM project_role JOIN project ON project.id = project_role.project
                 WHERE NOT EXISTS (SELECT 1 FROM membership
                                   WHERE membership.organisation = project.organisation
                                     AND membership.account = project_role.account)",
            ),
            (
                "keys to projects of other organisations",
                "SELECT COUNT(*) FROM api_key JOIN project ON project.id = api_key.project
                 WHERE api_key.organisation <> project.organisation",
            ),
        ];
        self.read(|db| {
            let mut faults = Vec::new();
            for (fault, sql) in checks {
                let count: u64 = db.only(sql, &[])?;
                if count > 0 {
                    faults.push((fault, count));
                }
            }
            Ok(faults)
        })
    }

    /// Deletes what project runs asked and were answered that ended before a time, for at most `most` runs.
    /// Results and counts stay, and accounts keep their scans as they are. Returns the number of runs.
    pub fn forget_project_answers(&self, before: Millis, most: u32) -> Result<u64, StoreError> {
        let found: Vec<ScanId> = self.list(
            "SELECT scan.id FROM project_run JOIN scan ON scan.id = project_run.scan
             WHERE project_run.ended_at < ?1 AND scan.origin = 'v2'
               AND (scan.answers IS NOT NULL OR scan.evidence_until > 0)
             LIMIT ?2",
            values![before, most],
        )?;

        self.write(Durability::Process, |db| {
            let mut forgotten = db.execute(
                "UPDATE answer_part SET document = NULL
                 WHERE document IS NOT NULL AND import IN (SELECT id FROM answer_import WHERE created_at < ?1)",
                values![before],
            )?;
            for scan in &found {
                delete_object(db, *scan)?;
                forgotten += db.execute(
                    "UPDATE scan SET answers = NULL, evidence_until = 0
                     WHERE id = ?1 AND (answers IS NOT NULL OR evidence_until > 0)",
                    values![*scan],
                )?;
            }
            Ok(forgotten)
        })
    }

    /// Counts what is deleted with a project.
    pub fn project_contents(&self, scope: &ProjectScope) -> Result<ProjectContents, StoreError> {
        let owner = owner_of(scope.project);
        self.only(
            "SELECT (SELECT COUNT(*) FROM project_run WHERE project = ?1) AS runs,
             (SELECT COUNT(*) FROM scan WHERE origin = 'v2' AND owner = ?2
                                          AND id IN (SELECT scan FROM project_run WHERE project = ?1)) AS reports,
             (SELECT COUNT(*) FROM annotation WHERE project = ?1 AND kind = 'note') AS annotations,
             (SELECT COUNT(*) FROM rival WHERE project = ?1) AS rivals,
             (SELECT COUNT(*) FROM api_key WHERE project = ?1)
                 + (SELECT COUNT(*) FROM feed_key WHERE project = ?1) AS keys,
             (SELECT COUNT(*) FROM report_snapshot WHERE project = ?1) AS \"frozenReports\",
             (SELECT COUNT(*) FROM project_action WHERE project = ?1) AS actions,
             (SELECT COUNT(*) FROM own_file WHERE project = ?1 AND pending = 0) AS \"ownDataImports\",
             (SELECT COUNT(*) FROM answer_import WHERE project = ?1) AS imports",
            values![scope.project, owner.as_str()],
        )
    }

    /// Deletes a project with everything of it, and returns whether it did: not while a run is open.
    /// Scans and schedules of accounts stay with the accounts. The log keeps who did what when.
    pub fn delete_project(&self, scope: &ProjectScope, now: Millis) -> Result<bool, StoreError> {
        self.write(Durability::Disk, |db| {
            if !erase_project(db, scope.project)? {
                return Ok(false);
            }
            let change = ProjectChange {
                action: "project_deleted",
                members: "{}",
                at: now,
            };
            note_in(db, scope, change)?;
            Ok(true)
        })
    }
}

/// Stores a project without its schedule, made at the first time, and notes it at the second one.
/// Returns whether the organisation may have another one.
pub(super) fn insert_project(
    db: &mut dyn Executor,
    id: ProjectId,
    project: &NewProject<'_>,
    most: u32,
    (action, (created_at, at)): (&str, (Millis, Millis)),
) -> Result<bool, StoreError> {
    let sql = "SELECT COUNT(*) FROM project WHERE organisation = ?1";
    if db.only::<u32>(sql, values![project.organisation])? >= most {
        return Ok(false);
    }
    let subject = project.subject;
    db.execute(
        "INSERT INTO project (id, organisation, name, domain, keyword, place, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        values![
            id,
            project.organisation,
            project.name,
            subject.domain,
            subject.keyword,
            subject.place,
            created_at
        ],
    )?;
    let change = ProjectChange {
        action,
        members: "{}",
        at,
    };
    note(db, project.organisation, Some(id), project.actor, change)?;
    Ok(true)
}

/// Stores a version of a project's questions, if it has one to store. Returns the last version if it is not the one
/// that it comes after; then nothing is stored.
fn put_questions(
    db: &mut dyn Executor,
    project: ProjectId,
    order: &ProjectOrder<'_>,
    now: Millis,
) -> Result<Option<u32>, StoreError> {
    let Some(questions) = order.questions else {
        return Ok(None);
    };
    let NewProject { name, subject, .. } = order.project;
    let terms = QuestionSetTerms {
        name,
        domain: Some(subject.domain),
        keyword: Some(subject.keyword),
        place: subject.place,
    };
    let owner = owner_of(project);
    let set = QuestionSetId::from_bytes(*project.as_bytes());
    if order.parent.is_none() {
        let added = insert_first(db, &owner, set, terms, questions, 1, now)?;
        return Ok((!added).then_some(1));
    }
    match insert_next(db, &owner, set, order.parent, terms, questions, now)? {
        QuestionsAdded::Stored(_) => Ok(None),
        QuestionsAdded::Changed(latest) => Ok(Some(latest)),
        QuestionsAdded::Unknown => Err(StoreError::Lost),
    }
}

/// Puts a project into a state. The schedules of one that was archived stay paused.
fn put_status(
    db: &mut dyn Executor,
    project: ProjectId,
    status: ProjectStatus,
    next_due: Option<Millis>,
    now: Millis,
) -> Result<(), StoreError> {
    let is_archived = status == ProjectStatus::Archived;
    db.execute(
        "UPDATE project SET archived_at = ?2 WHERE id = ?1",
        values![project, is_archived.then_some(now)],
    )?;
    match status {
        ProjectStatus::Active => db.execute(
            "UPDATE schedule SET paused_at = NULL, next_due = ?2, failures = 0 WHERE id = ?1",
            values![project, next_due],
        ),
        ProjectStatus::Paused | ProjectStatus::Archived => db.execute(
            "UPDATE schedule SET paused_at = ?2 WHERE project = ?1 AND paused_at IS NULL AND (id = ?1 OR ?3)",
            values![project, now, is_archived],
        ),
    }
    .map(drop)
}

/// Names a project as the owner of its runs and schedules.
pub(super) fn owner_of(project: ProjectId) -> String {
    format!("project {project}")
}

/// Deletes everything of a project except who did what when. Returns whether it did: not while a run is open.
fn erase_project(db: &mut dyn Executor, project: ProjectId) -> Result<bool, StoreError> {
    db.lock(
        "SELECT id FROM schedule WHERE project = ?1 ORDER BY id",
        values![project],
    )?;
    if db.has(
        "SELECT 1 FROM schedule_run JOIN schedule ON schedule.id = schedule_run.schedule
         WHERE schedule.owner = ?1 AND schedule_run.state <> 'ended' LIMIT 1",
        values![owner_of(project).as_str()],
    )? {
        return Ok(false);
    }
    let owner = owner_of(project);
    db.execute("DELETE FROM project_market WHERE project = ?1", values![project])?;
    delete_schedules(db, &owner)?;
    super::question_sets::erase(db, &owner)?;
    db.execute(
        "UPDATE schedule SET project = NULL WHERE project = ?1",
        values![project],
    )?;
    for sql in [
        "DELETE FROM idempotency WHERE caller = ?2
           OR scan IN (SELECT scan FROM project_run WHERE project = ?1)",
        "INSERT INTO evidence_deletion (scan, not_before) SELECT id, evidence_until FROM scan
         WHERE evidence_until > 0 AND origin = 'v2' AND owner = ?2
           AND id IN (SELECT scan FROM project_run WHERE project = ?1)",
        "DELETE FROM scan WHERE origin = 'v2' AND owner = ?2
           AND id IN (SELECT scan FROM project_run WHERE project = ?1)",
    ] {
        db.execute(sql, values![project, owner.as_str()])?;
    }
    db.execute(
        "DELETE FROM durable_run WHERE tenant = ?1 AND ended_at IS NOT NULL",
        values![owner.as_str()],
    )?;
    delete_destinations(db, DestinationOf::Project(project))?;
    for sql in [
        "DELETE FROM cell WHERE project = ?1",
        "DELETE FROM run_mentions WHERE project = ?1",
        "DELETE FROM project_question WHERE project = ?1",
        "DELETE FROM project_run WHERE project = ?1",
        "DELETE FROM project_role WHERE project = ?1",
        "DELETE FROM invitation WHERE target = ?1",
        "DELETE FROM rival WHERE project = ?1",
        "DELETE FROM report_snapshot WHERE project = ?1",
        "DELETE FROM own_file WHERE project = ?1",
        "DELETE FROM answer_count WHERE import IN (SELECT id FROM answer_import WHERE project = ?1)",
        "DELETE FROM answer_part WHERE import IN (SELECT id FROM answer_import WHERE project = ?1)",
        "DELETE FROM answer_import WHERE project = ?1",
        "DELETE FROM annotation WHERE project = ?1",
        "DELETE FROM project_action WHERE project = ?1",
        "DELETE FROM api_key WHERE project = ?1",
        "DELETE FROM feed_key WHERE project = ?1",
        "UPDATE audit_event SET members = NULL WHERE project = ?1",
        "DELETE FROM project WHERE id = ?1",
    ] {
        db.execute(sql, values![project])?;
    }
    Ok(true)
}

/// Takes a scan out of every project, before it is deleted. Their numbers are made again.
pub(super) fn forget_run(db: &mut dyn Executor, scan: ScanId) -> Result<(), StoreError> {
    for sql in [
        "DELETE FROM cell WHERE run = ?1 AND project IN (SELECT project FROM project_run WHERE scan = ?1)",
        "DELETE FROM run_mentions WHERE run = ?1",
        "UPDATE project SET verdict = NULL WHERE id IN (SELECT project FROM project_run WHERE scan = ?1)",
        "DELETE FROM project_run WHERE scan = ?1",
    ] {
        db.execute(sql, values![scan])?;
    }
    refresh_last(db)
}

/// Names the last run of every project whose numbers wait.
fn refresh_last(db: &mut dyn Executor) -> Result<(), StoreError> {
    db.run(
        "UPDATE project
         SET last_scan = (SELECT scan FROM project_run WHERE project_run.project = project.id AND project_run.market IS NULL AND project_run.keyword = project.keyword
                            AND COALESCE(project_run.place, '') = COALESCE(project.place, '')
                          ORDER BY ended_at DESC, scan LIMIT 1),
             last_run_at = (SELECT MAX(ended_at) FROM project_run WHERE project_run.project = project.id AND project_run.market IS NULL AND project_run.keyword = project.keyword
                            AND COALESCE(project_run.place, '') = COALESCE(project.place, '')),
             summary = (SELECT project_run.summary FROM project_run WHERE project_run.project = project.id AND project_run.market IS NULL AND project_run.keyword = project.keyword
                            AND COALESCE(project_run.place, '') = COALESCE(project.place, '')
                        ORDER BY ended_at DESC, scan LIMIT 1)
         WHERE verdict IS NULL",
        &[],
    )
}

/// Takes an account out of its organisations. One in which no one else ever signed in is deleted with its projects; one that
/// loses its last admin rests.
///
/// # Errors
/// [`StoreError::Lost`] while a run of such a project is open; [`StoreError::LastAdmin`] for a person who would leave other people
/// without an admin.
pub(super) fn erase_account(
    db: &mut dyn Executor,
    account: AccountId,
    by: Option<AccountId>,
) -> Result<(), StoreError> {
    let alone = db.list::<OrganisationId>(
        "SELECT organisation FROM membership WHERE account = ?1
           AND NOT EXISTS (SELECT 1 FROM membership AS other
                           JOIN account_log ON account_log.account = other.account AND action = 'signed_in'
                           WHERE other.organisation = membership.organisation AND other.account <> ?1)",
        values![account],
    )?;
    for organisation in alone {
        let sql = "SELECT id FROM project WHERE organisation = ?1";
        for project in db.list(sql, values![organisation])? {
            if !erase_project(db, project)? {
                return Err(StoreError::Lost);
            }
        }
        delete_destinations(db, DestinationOf::Organisation(organisation))?;
        for sql in [
            "DELETE FROM api_key WHERE organisation = ?1",
            "DELETE FROM invitation WHERE organisation = ?1",
            "DELETE FROM membership WHERE organisation = ?1",
            "UPDATE audit_event SET members = NULL WHERE organisation = ?1",
            "DELETE FROM organisation WHERE id = ?1",
        ] {
            db.execute(sql, values![organisation])?;
        }
    }
    let is_last = db.lock(
        "SELECT organisation FROM membership WHERE account = ?1 AND role = 'admin'
           AND NOT EXISTS (SELECT 1 FROM membership AS other WHERE other.organisation = membership.organisation
                             AND other.role = 'admin' AND other.account <> ?1)",
        values![account],
    )?;
    if by == Some(account) && is_last {
        return Err(StoreError::LastAdmin);
    }
    db.execute(
        "DELETE FROM invitation WHERE inviter = ?1",
        values![format!("account {account}").as_str()],
    )?;
    for sql in [
        "DELETE FROM cell WHERE run IN (SELECT id FROM workspace_scan WHERE account = ?1)",
        "DELETE FROM run_mentions WHERE run IN (SELECT id FROM workspace_scan WHERE account = ?1)",
        "UPDATE project SET verdict = NULL WHERE id IN (SELECT project FROM project_run
             WHERE scan IN (SELECT id FROM workspace_scan WHERE account = ?1))",
        "DELETE FROM project_run WHERE scan IN (SELECT id FROM workspace_scan WHERE account = ?1)",
        "UPDATE organisation SET name = 'Organisation' WHERE name = (SELECT email FROM account WHERE id = ?1)
           AND id IN (SELECT organisation FROM membership WHERE account = ?1)",
        "DELETE FROM invitation WHERE account = ?1",
        "DELETE FROM project_role WHERE account = ?1",
        "DELETE FROM membership WHERE account = ?1",
        "UPDATE annotation SET author = NULL WHERE author = ?1",
        "UPDATE project_action SET author = NULL WHERE author = ?1",
    ] {
        db.execute(sql, values![account])?;
    }
    delete_destinations(db, DestinationOf::Account(account))?;
    refresh_last(db)
}

pub(super) fn insert_member(
    db: &mut dyn Executor,
    organisation: OrganisationId,
    account: AccountId,
    role: OrganisationRole,
    now: Millis,
) -> Result<(), StoreError> {
    db.run(
        "INSERT INTO membership (organisation, account, role, created_at) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (organisation, account) DO UPDATE SET role = excluded.role",
        values![organisation, account, role.as_str(), now],
    )
}

pub(super) fn note_in(
    db: &mut dyn Executor,
    scope: &ProjectScope,
    change: ProjectChange<'_>,
) -> Result<(), StoreError> {
    note(db, scope.organisation, Some(scope.project), &scope.actor, change)
}

/// Whether the day has room for another entry of this kind.
pub(super) fn has_room(
    db: &mut dyn Executor,
    organisation: OrganisationId,
    actor: &str,
    actions: [&str; 2],
    since: Millis,
    room: DailyRoom,
) -> Result<bool, StoreError> {
    let [action, other] = actions;
    let used: DailyRoom = db.only(
        "SELECT COUNT(*) AS server, COUNT(*) FILTER (WHERE organisation = ?2) AS organisation,
                COUNT(*) FILTER (WHERE organisation = ?2 AND actor = ?3) AS person
         FROM audit_event WHERE action IN (?4, ?5) AND at >= ?1",
        values![since, organisation, actor, action, other],
    )?;
    Ok(room.fits(used))
}

pub(super) fn note(
    db: &mut dyn Executor,
    organisation: OrganisationId,
    project: Option<ProjectId>,
    actor: &str,
    change: ProjectChange<'_>,
) -> Result<(), StoreError> {
    // Nobody asks for what the service makes by itself, such as the report of a digest.
    let is_asked = actor.starts_with("account ") || actor.starts_with("key ");
    if let Some(bound) = DailyBound::of(change.action).filter(|_| is_asked)
        && !has_room(
            db,
            organisation,
            actor,
            bound.actions,
            change.at.saturating_sub(DAY),
            bound.room,
        )?
    {
        return Err(StoreError::DailyBound(bound.what));
    }
    db.run(
        "INSERT INTO audit_event (id, organisation, project, actor, action, members, at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        values![
            // A random id, of any kind.
            AnnotationId::random(),
            organisation,
            project,
            actor,
            change.action,
            change.members,
            change.at
        ],
    )
}

pub(super) fn read_project(mut row: Row, keys: &RunKeys) -> Result<ProjectRecord, StoreError> {
    let sealed = row.take(20)?;
    let record: ProjectRecord = row.read()?;
    Ok(ProjectRecord {
        badge: keys.token(record.id.as_bytes(), sealed),
        ..record
    })
}
