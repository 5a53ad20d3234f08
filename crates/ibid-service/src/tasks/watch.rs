//! Tasks that a crash, or a slow settlement, left behind; tasks that nobody needs any more.

use super::drive::completed;
use crate::paid::told;
use crate::run::{Finished, Output};
use crate::service::Inner;
use crate::service::now_ms;
use crate::{Document, Error};
use ibid_a2a::{PaymentFailure, Step};
use ibid_store::{Fate, Stray};
use std::sync::Arc;
use std::time::Duration;

/// Strays that are taken up in a round.
const AT_ONCE: u32 = 256;
/// Between two clean-ups.
const CLEAN_EVERY: Duration = Duration::from_secs(60);

/// Starts watching: ends tasks whose run has ended without them, and forgets what has expired. The first round is
/// that of the start-up. Ends with the service.
pub(crate) fn watch_over(inner: &Arc<Inner>) {
    let every = match &inner.paid {
        Some(paid) => paid.timing.lease / 4,
        None => CLEAN_EVERY,
    };
    let service = Arc::downgrade(inner);
    inner.runtime.spawn(async move {
        let mut since_clean = CLEAN_EVERY;
        while let Some(inner) = service.upgrade() {
            if since_clean >= CLEAN_EVERY {
                since_clean = Duration::ZERO;
                clean(&inner).await;
            }
            if inner.paid.is_some()
                && let Err(error) = catch_up(&inner).await
            {
                tracing::warn!(%error, "tasks could not be watched over");
            }
            drop(inner);
            tokio::time::sleep(every).await;
            since_clean += every;
        }
    });
}

async fn clean(inner: &Inner) {
    inner.tasks.forget_callers();
    let room = inner.tasks.limits().all;
    match inner
        .db
        .call(move |store| store.expire_tasks(now_ms(), room))
        .await
    {
        Ok(0) => {}
        Ok(expired) => {
            inner.tasks.cache.trimmed();
            tracing::info!(expired, "tasks have expired");
        }
        Err(error) => tracing::warn!(%error, "expired tasks could not be forgotten"),
    }
}

async fn catch_up(inner: &Inner) -> Result<(), Error> {
    let before = now_ms() - inner.grace();
    let strays = inner
        .db
        .call(move |store| store.stray_tasks(before, AT_ONCE))
        .await?;
    for stray in strays {
        // Who works on it here is about to say more than is known of the payment.
        if inner.tasks.is_driven(stray.task) {
            continue;
        }
        // One that cannot be ended keeps nobody else from it.
        let run = stray.run;
        if let Err(error) = end(inner, stray).await {
            tracing::warn!(scan.id = %run, %error, "a task could not be caught up with its payment");
        }
    }
    Ok(())
}

async fn end(inner: &Inner, stray: Stray) -> Result<(), Error> {
    let Stray { task, run, fate } = stray;
    let (step, sold) = match fate {
        Fate::Gone => (Step::Interrupt { run }, None),
        Fate::Refused => {
            let failure = PaymentFailure {
                code: "SETTLEMENT_FAILED".to_owned(),
                detail: "the settlement was refused".to_owned(),
                receipt: None,
            };
            (Step::RefuseSettlement { run, failure }, None)
        }
        Fate::Sold { key, receipt } => {
            let record = inner.db.call(move |store| store.scan(run)).await?;
            let document = Document::stored(record.ok_or(Error::NotFound)?.reply);
            let finished = Finished {
                id: run,
                document,
                output: Output::Stored,
                settlement: Some(told(&receipt, key.payer)),
            };
            (completed(run, &finished), Some(key))
        }
    };
    // Lost to another writer: then there is nothing to do any more.
    let written = inner.take(task, step).await.map_err(|_| Error::Ended)?;
    if written.is_some()
        && let Some(key) = sold
    {
        // Whoever knows the task has the result.
        inner.db.call(move |store| store.deliver(&key, now_ms())).await?;
    }
    tracing::info!(scan.id = %run, "a task was caught up with its payment");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Service;
    use crate::tasks::cache::tests::waiting;
    use crate::tasks::{Caller, TaskLimits};
    use ibid_provider::Sandbox;
    use ibid_store::{Room, Sqlite};
    use std::net::Ipv4Addr;

    #[tokio::test]
    async fn what_a_clean_up_has_taken_is_no_longer_shown() {
        let store = Arc::new(Sqlite::in_memory().unwrap());
        let limits = TaskLimits {
            all: Room { tasks: 0, bytes: 0 },
            ..TaskLimits::default()
        };
        let service = Service::builder(Arc::new(Sandbox::new(1)), store)
            .task_limits(limits)
            .build(tokio::runtime::Handle::current());
        let inner = service.inner();
        let (record, caller) = (waiting(), Caller::at(Ipv4Addr::LOCALHOST.into()));
        let cache = &inner.tasks.cache;
        // The service cleans up at its start, too, and perhaps in just this moment.
        let known = cache.now();
        inner.open((*record).clone(), caller).await.unwrap();
        cache.put(&record, None, known);
        clean(inner).await;
        assert!(inner.task(record.id()).await.unwrap().is_none());
        assert!(cache.get(record.id()).is_none());
    }
}
