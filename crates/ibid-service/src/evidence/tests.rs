use super::mover::EvidenceMover;
use super::{Evidence, EvidenceFault};
use crate::error::Error;
use crate::runs::Runs;
use crate::runs::kernel::RunSettings;
use ibid_evidence::{EvidenceAddress, EvidenceStore};
use ibid_model::{AccountId, Email, ReceiptId, ScanId, Score};
use ibid_provider::Sandbox;
use ibid_store::{
    FinishedRun, NewAccount, NewDurableRun, NewRun, NewScan, Origin, PackedAnswers, Role, RunSummary, Store,
};
use std::num::NonZeroUsize;
use std::sync::Arc;
use tokio::runtime::Handle;

const ANSWERS: &[u8] = br#"{"answers":[]}"#;

fn runs() -> Arc<Runs> {
    Arc::new(Runs::new(RunSettings {
        provider: Arc::new(Sandbox::new(1)),
        store: Arc::new(Store::in_memory().unwrap()),
        storage: None,
        width: NonZeroUsize::MIN,
        most_audits: NonZeroUsize::MIN,
        retain_answers: true,
        pages: None,
        scoring: Handle::current(),
        runtime: Handle::current(),
    }))
}

fn scan(id: ScanId, origin: Origin) -> NewScan<'static> {
    NewScan {
        id,
        origin,
        created_at: 1_795_000_000,
        sandbox: true,
        method: "1",
        reply: b"{}",
        answers: Some(PackedAnswers::of(ANSWERS).unwrap()),
    }
}

/// Stores a scan of the API.
async fn stored(runs: &Runs) -> ScanId {
    let id = ScanId::random();
    let put = runs.db.call(move |store| store.put_scan(&scan(id, Origin::V1)));
    put.await.unwrap();
    id
}

/// Whether the database has the evidence.
async fn is_here(runs: &Runs, id: ScanId) -> bool {
    let answers = runs.db.call(move |store| store.answers(id)).await;
    answers.unwrap().is_some()
}

#[tokio::test]
async fn moved_evidence_reads_as_before() {
    let (runs, objects) = (runs(), EvidenceStore::in_memory());
    let mut ids = Vec::new();
    for _ in 0..40 {
        ids.push(stored(&runs).await);
    }
    EvidenceMover::new(objects.clone(), Arc::clone(&runs))
        .move_all()
        .await
        .unwrap();
    let evidence = Evidence::new(runs.db.clone(), Some(objects));
    for id in ids {
        assert!(!is_here(&runs, id).await);
        assert_eq!(evidence.read(id).await.unwrap().unwrap(), ANSWERS);
    }
    assert!(evidence.read(ScanId::random()).await.unwrap().is_none());
}

#[tokio::test]
async fn evidence_that_cannot_be_had_is_a_fault_not_an_absence() {
    let (runs, objects) = (runs(), EvidenceStore::in_memory());
    let id = stored(&runs).await;
    EvidenceMover::new(objects.clone(), Arc::clone(&runs))
        .move_all()
        .await
        .unwrap();
    let read = Evidence::new(runs.db.clone(), None).read(id).await;
    assert!(
        matches!(read, Err(Error::Evidence(EvidenceFault::NotConfigured))),
        "{read:?}"
    );
    objects.delete(id).await.unwrap();
    let read = Evidence::new(runs.db.clone(), Some(objects)).read(id).await;
    assert!(
        matches!(read, Err(Error::Evidence(EvidenceFault::Missing))),
        "{read:?}"
    );
}

#[tokio::test]
async fn evidence_stays_where_the_store_fails() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("evidence");
    std::fs::create_dir(&path).unwrap();
    let objects = EvidenceStore::open(&EvidenceAddress::Directory(path.clone())).unwrap();
    // No file can be made below a file.
    std::fs::remove_dir(&path).unwrap();
    std::fs::write(&path, b"").unwrap();
    let runs = runs();
    let id = stored(&runs).await;
    let mover = EvidenceMover::new(objects.clone(), Arc::clone(&runs));
    let moved = mover.move_all().await;
    assert!(
        matches!(moved, Err(Error::Evidence(EvidenceFault::Store(_)))),
        "{moved:?}"
    );
    assert!(is_here(&runs, id).await);
    let evidence = Evidence::new(runs.db.clone(), Some(objects));
    assert_eq!(evidence.read(id).await.unwrap().unwrap(), ANSWERS);
    // It is tried again after a while, not at once.
    mover.move_all().await.unwrap();
}

#[tokio::test]
async fn the_object_of_a_deleted_scan_is_deleted() {
    let (runs, objects) = (runs(), EvidenceStore::in_memory());
    let (account, id) = (AccountId::random(), ScanId::random());
    let kept = stored(&runs).await;
    let begun = runs.db.call(move |store| finished_run(store, account, id));
    begun.await.unwrap();
    let mover = EvidenceMover::new(objects.clone(), Arc::clone(&runs));
    mover.move_all().await.unwrap();
    assert!(objects.get(id).await.unwrap().is_some());
    let deleted = runs.db.call(move |store| store.delete_run(account, id, 4)).await;
    assert!(deleted.unwrap());
    mover.delete_all().await.unwrap();
    assert!(objects.get(id).await.unwrap().is_none());
    assert!(objects.get(kept).await.unwrap().is_some());
}

#[tokio::test]
async fn an_object_that_is_written_too_late_is_deleted() {
    let (runs, objects) = (runs(), EvidenceStore::in_memory());
    let (account, id) = (AccountId::random(), ScanId::random());
    let until = 9;
    let claim = runs.db.call(move |store| {
        finished_run(store, account, id)?;
        let claimed = store.claim_evidence(until, 1, 4)?;
        assert!(store.delete_run(account, id, 5)?);
        Ok(claimed)
    });
    let claimed = claim.await.unwrap().remove(0);
    let mover = EvidenceMover::new(objects.clone(), Arc::clone(&runs));
    // The claim has ended, so the object counts as deleted before it is there.
    mover.delete_all().await.unwrap();
    mover.move_one(claimed, until).await.unwrap();
    assert!(objects.get(id).await.unwrap().is_none());
}

/// Stores a finished scan of a new account.
fn finished_run(store: &Store, account: AccountId, id: ScanId) -> Result<(), ibid_store::StoreError> {
    let email: Email = "ada@example.com".parse().unwrap();
    let new = NewAccount {
        id: account,
        email: &email,
        password: "$argon2id$",
        credits: 1,
        role: Role::Member,
    };
    store.open_account(&new, 1)?;
    let run = NewRun {
        id,
        account,
        request: "{}",
        domain: "a.example",
        keyword: "crm",
        place: None,
        cost: 1,
        month_began: 0,
    };
    let finished = FinishedRun {
        receipt: ReceiptId::random(),
        summary: RunSummary {
            score: Score::new(1.0),
            interval: None,
        },
        cost: 1,
    };
    let (work, scan) = (
        NewDurableRun::past(id, "account", 1, 2),
        scan(id, Origin::Workspace(account)),
    );
    store.put_past_run(&run, &work, &scan, &finished, 3)
}
