//! Databases that version 0.1.0 (commit 69d211a, schema 17) filled over HTTP, for tests of migrations.

use crate::{OrganisationRole, ProjectReader, RunFilter, RunKeys, RunQuery, Store};
use ibid_model::{RunState, ScanId, TaskId, WebhookId};

/// A dump, and what the other records in it are found by.
pub(crate) struct Dump {
    /// SQL that makes the database.
    pub(crate) dump: &'static str,
    pub(crate) share: &'static str,
    task: &'static str,
    bought: &'static str,
}

pub(crate) const SQLITE: Dump = Dump {
    dump: include_str!("../fixtures/schema17_sqlite.sql"),
    share: "BVGMCt0lK19j7IJqU4pWwQ",
    task: "cbf35a5c-b103-4d42-a657-de5a0c0e6547",
    bought: "22c65df6-4f49-4876-b845-3a4af2eddbb6",
};

#[cfg(feature = "postgres")]
pub(crate) const POSTGRES: Dump = Dump {
    dump: include_str!("../fixtures/schema17_postgres.sql"),
    share: "dQqMs-eQegIyS43hiypmnA",
    task: "e44f389a-3e0f-4605-9452-385caeb601c3",
    bought: "79167d46-089a-45ef-98b7-57da316cd591",
};

/// Gives the schedule of a dump a list of its own, with a number of questions besides it.
pub(crate) const OWN_LIST: &str = r#"UPDATE schedule SET document =
    '{"domain":"example.com","keyword":"plumber","questions":["best plumber","plumber near me"],"questionsPerModel":7}';"#;

/// A moment after every record was made.
const NOW: i64 = 1_795_900_000_000;

/// Takes migration 47 back, in either database.
pub(crate) const UNSEALED: &str = "ALTER TABLE workspace_scan DROP COLUMN share_sealed;
    ALTER TABLE project DROP COLUMN badge_sealed; ALTER TABLE report_snapshot DROP COLUMN token_sealed;
    DELETE FROM migration WHERE version > 46;";

/// Secrets as schema 46 stored them, beside those of a dump.
#[cfg(feature = "sqlite")]
pub(crate) const OPEN_SECRETS: &str = r#"
    UPDATE project SET badge = 'badge-as-shown' WHERE domain = 'example.com';
    INSERT INTO report_snapshot (id, project, title, made_at, sha256, document, token)
        SELECT id, id, 'May', 1, zeroblob(32), x'28b52ffd2000010000', 'report-as-shown' FROM project WHERE domain = 'example.com';
    INSERT INTO webhook (id, owner, kind, url, events, name, secret, created_at) VALUES
        (zeroblob(16), 'project x', 'mail', 'us@example.com', 'news.confirm', '', CAST('end-as-mailed' AS BLOB), 1);
    INSERT INTO webhook_delivery (id, webhook, event, subject, payload, state, created_at, next_attempt, epoch, attempts,
                                  attempts_before) VALUES
        (zeroblob(16), zeroblob(16), 'news.confirm', '', CAST('{"token": "confirm-as-mailed"}' AS BLOB), 'waiting', 1, 1, 0, 0, 0);"#;

impl Dump {
    /// Checks the secrets of [`OPEN_SECRETS`], and those of the dump.
    #[cfg(feature = "sqlite")]
    pub(crate) fn check_secrets(&self, store: &Store, keys: Option<&RunKeys>, lease: i64) {
        store.seal_with(keys).unwrap();
        let ada = store.account(&"ada@example.com".parse().unwrap());
        let ada = ada.unwrap().unwrap().id;
        let shared = store.shared(self.share, NOW).unwrap().unwrap();
        let run = store.run(ada, shared.id).unwrap().unwrap();
        assert_eq!(run.share.unwrap().token, self.share);
        let factor = store.second_factor(ada).unwrap().unwrap();
        assert_eq!(factor.secret[..4], [0x59, 0x18, 0x3f, 0x06]);
        let projects = store.projects(ProjectReader::Account(ada), 0).unwrap();
        assert_eq!(projects[0].badge.as_deref(), Some("badge-as-shown"));
        assert!(store.badge("badge-as-shown").unwrap().is_some());
        let report = store.linked_report("report-as-shown", NOW).unwrap().unwrap();
        assert_eq!(report.record.link.unwrap().token, "report-as-shown");
        let mail = WebhookId::from_bytes([0; 16]);
        let claimed = store.claim_deliveries(&[(mail, 1)], lease + 1, lease).unwrap();
        assert_eq!(claimed[0].secrets[0].reveal(), b"end-as-mailed");
        assert_eq!(claimed[0].payload, br#"{"token": "confirm-as-mailed"}"#);
    }

    /// Checks that a database that was made from the dump has every kind of record.
    pub(crate) fn check(&self, store: &Store) {
        store.seal_with(None).unwrap();
        // An account with its scan, tags, link, audit, brand and second factor.
        let ada = store
            .account(&"ada@example.com".parse().unwrap())
            .unwrap()
            .unwrap();
        assert_eq!(ada.credits, 4);
        let found = store
            .find_runs(
                ada.id,
                &RunQuery {
                    most: 9,
                    ..RunQuery::default()
                },
            )
            .unwrap();
        assert_eq!(found.rows.len(), 1);
        let run = &found.rows[0];
        assert!(run.state == RunState::Complete && run.finished.is_some() && run.questions > 0);
        assert_eq!(run.done, run.questions);
        assert_eq!((run.domain.as_str(), run.tags.len()), ("example.com", 2));
        let shared = store.shared(self.share, NOW).unwrap().unwrap();
        assert_eq!((shared.account, shared.id), (ada.id, run.id));
        assert!(store.scan(run.id).unwrap().is_some() && store.answers(run.id).unwrap().is_some());
        assert_eq!(store.audits(ada.id, None, 9).unwrap().len(), 1);
        let brand = store.report_brand(ada.id).unwrap().unwrap();
        assert_eq!(brand.title.as_deref(), Some("Ada & Co"));
        assert!(store.second_factor(ada.id).unwrap().is_some());
        assert_eq!(store.accounts().unwrap().len(), 2);
        // The account manages an organisation, with one project for its website. The scan is a run of it.
        let organisations = store.organisations(ada.id).unwrap();
        assert_eq!(
            (organisations.len(), organisations[0].role),
            (1, OrganisationRole::Admin)
        );
        assert_eq!(
            (organisations[0].name.as_str(), organisations[0].budget),
            ("ada@example.com", 0)
        );
        let reader = ProjectReader::Account(ada.id);
        let projects = store.projects(reader, 0).unwrap();
        assert_eq!(projects.len(), 1);
        let project = &projects[0];
        assert_eq!(
            (project.domain.as_str(), project.keyword.as_str()),
            ("example.com", "plumber")
        );
        assert_eq!(
            (project.last_scan, project.is_paused, project.spent),
            (Some(run.id), true, 0)
        );
        assert!(project.summary.is_some() && project.level.is_none());
        assert_eq!(store.projects_to_judge(9).unwrap(), [project.id]);
        assert_eq!(
            store.project_series(project.id, None, 9).unwrap(),
            [(run.id, false)]
        );
        let scope = store.project_scope(reader, project.id).unwrap().unwrap();
        let own = store.schedule(scope.schedule()).unwrap().unwrap();
        assert_eq!(
            (own.owner, own.project),
            (format!("project {}", project.id), Some(project.id))
        );
        assert!(own.document.contains("\"keyword\":\"plumber\""));
        let bob = store
            .account(&"bob@example.com".parse().unwrap())
            .unwrap()
            .unwrap();
        assert_eq!(store.organisations(bob.id).unwrap().len(), 1);
        // His only scan never finished. Its project has an order all the same.
        let reader = ProjectReader::Account(bob.id);
        let lost = store.projects(reader, 0).unwrap().remove(0);
        let scope = store.project_scope(reader, lost.id).unwrap().unwrap();
        let own = store.schedule(scope.schedule()).unwrap().unwrap();
        let order: serde_json::Value = serde_json::from_str(&own.document).unwrap();
        assert_eq!(
            (&order["domain"], &order["keyword"]),
            (&lost.domain.into(), &lost.keyword.into())
        );
        // A scan that was never queued failed, and its credit came back.
        let bob = store
            .account(&"bob@example.com".parse().unwrap())
            .unwrap()
            .unwrap();
        assert_eq!(bob.credits, 1);
        let lost = ScanId::from_bytes(*bob.id.as_bytes());
        let lost = store.run(bob.id, lost).unwrap().unwrap();
        assert!(lost.state == RunState::Failed && lost.credit_returned);
        // A caller with runs, a schedule, a webhook and its messages.
        assert_eq!(store.service_keys().unwrap().len(), 1);
        let runs = store.durable_runs("api", &RunFilter::default(), None, 9).unwrap();
        assert_eq!(runs.len(), 2);
        assert!(runs.iter().all(|run| run.ended_at.is_some()));
        let schedules = store.schedules(Some("api")).unwrap();
        assert_eq!((schedules.len(), schedules[0].name.as_str()), (1, "Weekly"));
        // A list of its own is asked in full, as before method 3.0; its questions are those of its last run.
        let order: serde_json::Value = serde_json::from_str(&schedules[0].document).unwrap();
        assert_eq!(order["questions"][1], "plumber near me");
        assert_eq!(order.get("questionsPerModel"), None, "{order}");
        assert!(store.schedule_questions(schedules[0].id).unwrap().is_none());
        assert!(store.schedule_secret(schedules[0].id).unwrap().is_some());
        assert_eq!(store.scheduled_runs(schedules[0].id, 9).unwrap().len(), 1);
        let webhooks = store.webhooks("api").unwrap();
        assert_eq!(store.deliveries(webhooks[0].id, None, 9).unwrap().len(), 3);
        // Buyers with payments, receipts and tasks.
        let payer = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8".parse().unwrap();
        let receipts = store.receipts(&payer, None, 9).unwrap().receipts;
        assert_eq!(receipts.len(), 3);
        let books = store.books().unwrap();
        assert_eq!(books.accounts.len(), 1);
        assert_eq!((books.accounts[0].settled, books.accounts[0].owed), (320_000, 0));
        let bought: ScanId = self.bought.parse().unwrap();
        assert!(store.scan(bought).unwrap().is_some());
        let task: TaskId = self.task.parse().unwrap();
        assert!(store.task(task).unwrap().is_some());
        // The database takes writes.
        store.ping(NOW).unwrap();
        assert_eq!(store.move_credits(ada.id, 2, NOW.into()).unwrap(), 6);
    }
}
