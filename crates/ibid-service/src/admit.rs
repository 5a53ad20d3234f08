//! Admission: the only way to a permit, and so to work.
//!
//! A caller with a provider key is admitted here. Who pays is admitted in [`crate::paid`], which makes its permits by
//! [`Permit::bought`] from a verified payment, and in [`crate::workspace`], from a credit that was taken.

use crate::demo::Asking;
use crate::limits::Running;
use crate::service::Inner;
use crate::{CallerId, Error, Job};
use ibid_model::AccountId;
use ibid_provider::ProviderKey;
use ibid_store::Origin;
use ibid_x402::Verified;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The right to do one job, once. Private fields, no `Clone`: only [`admit`] makes one, starting consumes it.
pub(crate) struct Permit {
    pub(crate) job: Job,
    /// Who pays the models; nothing for a job that asks none.
    pub(crate) key: Option<ProviderKey>,
    pub(crate) origin: Origin,
    /// Whether the run ends when nobody waits for it: it spends the caller's own money.
    pub(crate) cancel_with_caller: bool,
    /// Whether progress tells what each answer says.
    pub(crate) glimpses: bool,
    /// What the run holds on to until it ends.
    pub(crate) held: Held,
}

/// Counts that go down when the run ends, however it ends.
pub(crate) struct Held {
    _running: Option<Running>,
    _asking: Option<Asking>,
    _open: OpenWork,
}

/// Checks limits and capacity for a caller who brings a provider key. No money, no IO yet.
pub(crate) fn admit_byok(
    inner: &Arc<Inner>,
    job: Job,
    caller: &CallerId,
    key: ProviderKey,
) -> Result<Permit, Error> {
    let open = OpenWork::take(inner, &job)?;
    let running = inner.limits.start(caller, Instant::now())?;
    let held = Held {
        _running: Some(running),
        _asking: None,
        _open: open,
    };
    Ok(Permit {
        job,
        key: Some(key),
        origin: Origin::V1,
        cancel_with_caller: true,
        glimpses: false,
        held,
    })
}

/// Checks the caps of the free question. A larger job is none, whoever made it.
pub(crate) fn admit_demo(inner: &Arc<Inner>, job: Job, address: IpAddr) -> Result<Permit, Error> {
    let demos = inner.demos.as_ref().ok_or(Error::DemoClosed)?;
    if job.questions() != 1 {
        return Err(Error::DemoClosed);
    }
    let open = OpenWork::take(inner, &job)?;
    let asking = demos.begin(address, Instant::now())?;
    let held = Held {
        _running: None,
        _asking: Some(asking),
        _open: open,
    };
    Ok(Permit {
        job,
        key: Some(demos.terms.key.clone()),
        origin: Origin::Demo,
        cancel_with_caller: false,
        glimpses: false,
        held,
    })
}

impl Permit {
    /// The right that a verified payment gives. The operator's key pays, and the run outlives its caller.
    pub(crate) fn bought(job: Job, key: Option<ProviderKey>, verified: &Verified, open: OpenWork) -> Self {
        let origin = Origin::Paid(verified.key().payer.to_string());
        Self {
            job,
            key,
            origin,
            cancel_with_caller: false,
            glimpses: false,
            held: Held {
                _running: None,
                _asking: None,
                _open: open,
            },
        }
    }

    /// The right that a credit of an account gives. The operator's key pays, and the run outlives its caller.
    pub(crate) fn credited(job: Job, key: Option<ProviderKey>, account: AccountId, open: OpenWork) -> Self {
        Self {
            job,
            key,
            origin: Origin::Workspace(account),
            cancel_with_caller: false,
            glimpses: true,
            held: Held {
                _running: None,
                _asking: None,
                _open: open,
            },
        }
    }

    /// The same, counted as running until the job ends.
    pub(crate) fn counted(mut self, running: Running) -> Self {
        self.held._running = Some(running);
        self
    }
}

/// What a run still has to do: questions to ask, a page to audit.
pub(crate) struct OpenWork {
    inner: Arc<Inner>,
    questions: usize,
    audits: usize,
}

impl OpenWork {
    /// Room for one job more.
    pub(crate) fn take(inner: &Arc<Inner>, job: &Job) -> Result<Self, Error> {
        let taken = Self {
            inner: Arc::clone(inner),
            questions: job.questions(),
            audits: job.audits(),
        };
        let questions = inner.open_questions.fetch_add(taken.questions, Ordering::AcqRel);
        let audits = inner.open_audits.fetch_add(taken.audits, Ordering::AcqRel);
        // The first run is always let in, however large: the plan's own ceiling bounds it.
        let asked =
            taken.questions > 0 && questions > 0 && questions + taken.questions > inner.most_open_questions;
        let audited = taken.audits > 0 && audits + taken.audits > inner.most_open_audits;
        if asked || audited {
            return Err(Error::Overloaded {
                retry_after: Duration::from_secs(10),
            });
        }
        Ok(taken)
    }
}

impl Drop for OpenWork {
    fn drop(&mut self) {
        self.inner
            .open_questions
            .fetch_sub(self.questions, Ordering::AcqRel);
        self.inner.open_audits.fetch_sub(self.audits, Ordering::AcqRel);
    }
}

/// A count of open work, shared by all runs of a service.
pub(crate) type OpenCount = AtomicUsize;
