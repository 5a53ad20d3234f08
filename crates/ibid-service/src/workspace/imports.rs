//! Scans from uploaded logs of other tools.
//! They ask no model and cost no credit.
//!
//! A log is read, planned and scored at one go on the scoring runtime: few logs at a time, and one of each account.
//! The store changes only after all of it is done.

use super::ends::summary_of;
use crate::credit::calls_of;
use crate::document::Document;
use crate::error::Error;
use crate::handle::scans::Scans;
use crate::job::CallerId;
use crate::limits::{Limits, Running};
use crate::planner::BoundedPlanning;
use bytes::Bytes;
use ibid_engine::Scanned;
use ibid_engine::import::{ImportError, ImportedLog, LogFaults, parse_time};
use ibid_engine::plan::Plan;
use ibid_model::{AccountId, FaultCode, Faults, ScanId};
use ibid_store::{NewDurableRun, NewImport, NewScan, Origin, PackedAnswers, RunSummary};
use jiff::Timestamp;
use serde_json::{Map, Value};
use std::ops::RangeInclusive;
use std::time::Instant;
use tokio::runtime::Handle;

/// Most rows of a log.
const MOST_ROWS: usize = 5_000;
/// Imports of an account in an hour, refused ones among them.
const PER_HOUR: u32 = 30;
/// Imports of an account at one time.
const AT_ONCE: u32 = 1;
/// The tag that an imported scan begins with.
const TAG: &str = "imported";
/// The earliest time of a scan: 2000-01-01.
const EARLIEST: i64 = 946_684_800;

/// The imports of this process: their counts and the place where logs are read.
pub(crate) struct Imports {
    limits: Limits,
    room: BoundedPlanning,
}

impl Imports {
    /// Logs are read on `runtime`.
    pub(super) fn on(runtime: Handle) -> Self {
        Self {
            limits: Limits::of(PER_HOUR, AT_ONCE),
            room: BoundedPlanning::new(runtime),
        }
    }
}

/// The right of an account to one import.
/// The account gets no other one until this is dropped.
pub struct ImportTurn {
    account: AccountId,
    _running: Running,
}

/// A log, and the request's fields other than its questions and models.
pub struct ImportDraft {
    pub order: Map<String, Value>,
    /// The time of the answers as text; empty for the times of the log, or now without them.
    pub asked_at: String,
    /// The log, or `None` if no file came.
    pub log: Option<Bytes>,
}

impl Scans {
    /// Counts an import of an account before its body is read, so refused bodies count too.
    pub fn begin_import(&self, account: AccountId) -> Result<ImportTurn, Error> {
        if !self.account_runs.is_open() {
            return Err(Error::WorkspaceDisabled);
        }
        let limits = &self.account_runs.imports.limits;
        let running = limits.start(&CallerId::of(account), Instant::now())?;
        Ok(ImportTurn {
            account,
            _running: running,
        })
    }

    /// Reads and scores a log, and stores it as the account's scan at the time of its answers.
    ///
    /// # Errors
    /// [`Error::Invalid`] with all faults of the fields and of the log; [`Error::UnknownPlace`]; [`Error::Overloaded`];
    /// [`Error::Store`].
    pub async fn import(&self, turn: ImportTurn, draft: ImportDraft) -> Result<ScanId, Error> {
        let (account, id) = (turn.account, ScanId::random());
        let (now, retain_answers) = (Timestamp::now(), self.runs.retain_answers);
        let work = move || {
            let import = Import::of(id, &draft, now, retain_answers);
            // A caller who hangs up keeps the turn until here.
            (import, turn)
        };
        let (import, turn) = self.account_runs.imports.room.compute(work).await?;
        let import = import?;
        tracing::info!(scan.id = %id, answers = import.answered, "scan.imported");
        let stored = self.db().call(move |store| {
            let scan = NewScan {
                id,
                origin: Origin::Workspace(account),
                created_at: import.asked_at.as_second(),
                sandbox: false,
                method: &import.method,
                reply: import.document.bytes(),
                answers: import.evidence.clone(),
            };
            let tenant = CallerId::of(account);
            let run = NewDurableRun::past(
                id,
                tenant.as_str(),
                calls_of(&import.plan),
                import.asked_at.as_millisecond(),
            );
            store.put_import(&scan, &import.row(account), &run)
        });
        stored.await?;
        drop(turn);
        Ok(id)
    }
}

/// An import that is ready to be stored.
struct Import {
    plan: Plan,
    request: String,
    domain: String,
    keyword: String,
    place: Option<String>,
    document: Document,
    evidence: Option<PackedAnswers>,
    method: String,
    summary: RunSummary,
    answered: u32,
    asked_at: Timestamp,
}

impl Import {
    fn of(id: ScanId, draft: &ImportDraft, now: Timestamp, retain_answers: bool) -> Result<Self, Error> {
        let log = match &draft.log {
            Some(log) => ImportedLog::read(log, MOST_ROWS).map_err(|faults| faults_of(&faults)),
            None => Err(Faults::one(
                "/log",
                FaultCode::Required,
                "choose the file of the log",
            )),
        };
        let log = match log {
            Ok(log) => log,
            Err(of_log) => {
                let mut faults = ImportedLog::faults_of(draft.order.clone());
                faults.append(asked_at(&draft.asked_at, None, now).err().unwrap_or_default());
                faults.append(of_log);
                return Err(Error::Invalid(faults));
            }
        };
        let time = asked_at(&draft.asked_at, log.asked_at(), now);
        let (plan, time) = match (log.plan(draft.order.clone()), time) {
            (Ok(plan), Ok(time)) => (plan, time),
            (Ok(_), Err(faults)) => return Err(Error::Invalid(faults)),
            (Err(ImportError::Plan(error)), _) => return Err(error.into()),
            (Err(error), time) => {
                let mut faults = match error {
                    ImportError::Order(faults) => faults,
                    error => {
                        let mut faults = ImportedLog::faults_of(draft.order.clone());
                        faults.push("/log", FaultCode::Invalid, error.to_string());
                        faults
                    }
                };
                faults.append(time.err().unwrap_or_default());
                return Err(Error::Invalid(faults));
            }
        };
        let asked_at = *time.end();
        let Scanned { result, evidence } = log.score(id, &plan, time);
        let order = plan.order();
        Ok(Self {
            request: order.body().to_string(),
            domain: order.domain().to_unicode(),
            keyword: order.keyword().to_string(),
            place: plan.place().map(|place| place.spoken.clone()),
            document: Document::write(id, &result)?,
            evidence: match retain_answers {
                true => Some(PackedAnswers::of(&serde_json::to_vec(&evidence)?)?),
                false => None,
            },
            summary: summary_of(&result),
            answered: result.usage.answered,
            method: result.method.version,
            asked_at,
            plan,
        })
    }

    fn row(&self, account: AccountId) -> NewImport<'_> {
        NewImport {
            account,
            request: &self.request,
            domain: &self.domain,
            keyword: &self.keyword,
            place: self.place.as_deref(),
            tag: TAG,
            summary: self.summary,
        }
    }
}

/// The time of a scan: the given one, else that of the log, else now.
/// It is not in the future.
fn asked_at(
    given: &str,
    of_log: Option<RangeInclusive<Timestamp>>,
    now: Timestamp,
) -> Result<RangeInclusive<Timestamp>, Faults> {
    let refused = |message: String| Faults::one("/askedAt", FaultCode::Invalid, message);
    let given = match given.trim() {
        "" => None,
        text => Some(parse_time(text).ok_or_else(|| {
            refused("the time of the answers must be a date and a time, such as 2026-01-31T12:00".to_owned())
        })?),
    };
    let time = match (given, of_log) {
        (Some(time), _) => time..=time,
        (None, Some(time)) => time,
        (None, None) => now..=now,
    };
    if *time.end() > now {
        let source = if given.is_some() { "" } else { " of the log" };
        return Err(refused(format!(
            "the time of the answers{source} is in the future: {}",
            time.end()
        )));
    }
    if time.start().as_second() < EARLIEST {
        return Err(refused(
            "the time of the answers is before the year 2000".to_owned(),
        ));
    }
    Ok(time)
}

/// The faults of a log as those of a field.
fn faults_of(of_log: &LogFaults) -> Faults {
    let mut faults = Faults::default();
    for fault in of_log.iter() {
        faults.push("/log", FaultCode::Invalid, fault.to_string());
    }
    if of_log.more() > 0 {
        let message = format!("{} more faults in the log are not shown", of_log.more());
        faults.push("/log", FaultCode::Invalid, message);
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn import(order: Value, asked_at: &str, log: &str) -> Result<Import, Vec<String>> {
        let draft = ImportDraft {
            order: order.as_object().unwrap().clone(),
            asked_at: asked_at.to_owned(),
            log: Some(Bytes::copy_from_slice(log.as_bytes())),
        };
        Import::of(ScanId::random(), &draft, at("2026-11-23T12:00:00Z"), true).map_err(|error| {
            let Error::Invalid(faults) = error else {
                panic!("{error}");
            };
            let lines = faults
                .iter()
                .map(|fault| format!("{} {}", fault.field, fault.message));
            lines.collect()
        })
    }

    fn order() -> Value {
        json!({"domain": "example.com", "keyword": "plumber", "models": [], "rings": []})
    }

    #[test]
    fn the_time_is_the_given_one_or_that_of_the_log_or_now() {
        let timed = "prompt,answer,time\na,b,2026-11-01T10:00:00Z\nc,b,2026-11-02T10:00:00Z\n";
        let untimed = "prompt,answer\na,b\n";
        for (given, log, expected) in [
            ("2026-10-01T08:30", timed, "2026-10-01T08:30:00Z"),
            ("", timed, "2026-11-02T10:00:00Z"),
            ("", untimed, "2026-11-23T12:00:00Z"),
        ] {
            let import = import(order(), given, log).ok().unwrap();
            assert_eq!(import.asked_at, at(expected), "{given}");
        }
        for (given, log) in [
            ("2026-11-23T12:01", untimed),
            ("", "prompt,answer,time\na,b,2031-01-01\n"),
            ("1999-12-31", untimed),
            ("yesterday", untimed),
        ] {
            let faults = import(order(), given, log).err().unwrap();
            assert!(
                faults.len() == 1 && faults[0].starts_with("/askedAt the time of the answers"),
                "{faults:?}"
            );
        }
    }

    #[test]
    fn faults_of_the_fields_and_of_the_log_come_together() {
        let bad = json!({"domain": "localhost", "keyword": ""});
        let fields = |log: &str| {
            let faults = import(bad.clone(), "never", log).err().unwrap();
            let fields = faults
                .iter()
                .map(|fault| fault.split(' ').next().unwrap().to_owned());
            fields.collect::<Vec<_>>()
        };
        assert_eq!(
            fields("prompt,answer\na,b\n"),
            ["/domain", "/keyword", "/askedAt"]
        );
        assert_eq!(fields("{}"), ["/domain", "/keyword", "/log", "/askedAt"]);
        assert_eq!(
            fields("{\n{\n"),
            ["/domain", "/keyword", "/askedAt", "/log", "/log"]
        );
        let many = import(order(), "", &"{\n".repeat(50)).err().unwrap();
        assert_eq!(
            (many.len(), many[20].as_str()),
            (21, "/log 30 more faults in the log are not shown")
        );
    }
}
