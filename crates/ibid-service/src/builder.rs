//! Putting a service together.

use crate::accounts::{Hashing, Throttle};
use crate::admit::OpenCount;
use crate::counts::Counts;
use crate::demo::Demos;
use crate::paid::{self, Inflight, Paid};
use crate::service::{Inner, documents};
use crate::tasks::{self, TaskLimits, TaskRoom};
use crate::workspace::{self, LiveRuns, WorkspaceRuns};
use crate::{DemoTerms, LimitMode, Limits, Pages, Service};
use ibid_engine::plan::PlanOptions;
use ibid_model::Catalog;
use ibid_provider::Provider;
use ibid_store::{Db, Store};
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, RwLock};
use tokio::runtime::Handle;
use tokio_util::task::TaskTracker;

/// Puts a service together.
pub struct Builder {
    provider: Arc<dyn Provider>,
    store: Arc<dyn Store>,
    catalog: Catalog,
    plan_options: PlanOptions,
    width: NonZeroUsize,
    audits: NonZeroUsize,
    limit_mode: LimitMode,
    retain_answers: bool,
    paid: Option<Paid>,
    pages: Option<Pages>,
    workspace: Option<WorkspaceRuns>,
    task_limits: TaskLimits,
    demo: Option<DemoTerms>,
    scoring: Option<Handle>,
}

impl Builder {
    /// Gives a free question away.
    #[must_use]
    pub fn demo(mut self, terms: DemoTerms) -> Self {
        self.demo = Some(terms);
        self
    }

    /// Audits pages.
    #[must_use]
    pub fn pages(mut self, pages: Pages) -> Self {
        self.pages = Some(pages);
        self
    }

    /// A runtime for scoring answers: a large scan takes tens of milliseconds of CPU time at once, for which other
    /// futures on the same thread wait. The runtime of everything else unless told otherwise.
    #[must_use]
    pub fn scoring(mut self, runtime: Handle) -> Self {
        self.scoring = Some(runtime);
        self
    }

    /// How much anonymous callers may leave behind.
    #[must_use]
    pub fn task_limits(mut self, limits: TaskLimits) -> Self {
        self.task_limits = limits;
        self
    }

    /// Sells results.
    #[must_use]
    pub fn paid(mut self, paid: Paid) -> Self {
        self.paid = Some(paid);
        self
    }

    /// Works for accounts: audits pages, and scans where there is a key to ask models with.
    #[must_use]
    pub fn workspace(mut self, workspace: WorkspaceRuns) -> Self {
        self.workspace = Some(workspace);
        self
    }

    /// The alias table.
    #[must_use]
    pub fn catalog(mut self, catalog: Catalog) -> Self {
        self.catalog = catalog;
        self
    }

    /// Web search and the ceiling of a plan.
    #[must_use]
    pub fn plan_options(mut self, options: PlanOptions) -> Self {
        self.plan_options = options;
        self
    }

    /// Most calls under way in one scan, and by eightfold the questions of all scans together.
    #[must_use]
    pub fn width(mut self, width: NonZeroUsize) -> Self {
        self.width = width;
        self
    }

    /// Most page audits under way at a time, those that wait for their page among them; 32 unless told otherwise.
    #[must_use]
    pub fn audits(mut self, most: NonZeroUsize) -> Self {
        self.audits = most;
        self
    }

    /// What is done about the targets of the interface.
    #[must_use]
    pub fn limit_mode(mut self, mode: LimitMode) -> Self {
        self.limit_mode = mode;
        self
    }

    /// Whether questions and answers are kept as evidence.
    #[must_use]
    pub fn retain_answers(mut self, retain: bool) -> Self {
        self.retain_answers = retain;
        self
    }

    /// The service; its runs are tasks of `runtime`. One that sells also watches over payments that an earlier
    /// process left behind.
    #[must_use]
    pub fn build(self, runtime: Handle) -> Service {
        let inner = Inner {
            provider: self.provider,
            db: Db::new(self.store),
            width: self.width,
            limits: Limits::new(self.limit_mode),
            audit_limits: Limits::new(LimitMode::Enforce),
            retain_answers: self.retain_answers,
            scoring: self.scoring.unwrap_or_else(|| runtime.clone()),
            runtime,
            runs: TaskTracker::new(),
            open_questions: OpenCount::new(0),
            counts: Counts::default(),
            router_reachable: AtomicBool::new(true),
            most_open_questions: self.width.get().saturating_mul(8),
            open_audits: OpenCount::new(0),
            most_open_audits: self.audits.get(),
            paid: self.paid,
            inflight: Inflight::default(),
            pages: self.pages,
            workspace: self.workspace,
            live: LiveRuns::default(),
            hashing: Hashing::new(),
            throttle: Throttle::default(),
            tasks: TaskRoom::new(self.task_limits),
            demos: self.demo.map(Demos::new),
            plan_options: self.plan_options,
            catalog: RwLock::new(Arc::new(self.catalog)),
            documents: documents(),
        };
        let inner = Arc::new(inner);
        paid::watch_over(&inner);
        workspace::watch_over(&inner);
        tasks::watch_over(&inner);
        Service { inner }
    }
}

impl Service {
    /// Starts putting a service together: who answers, and where results are kept.
    #[must_use]
    pub fn builder(provider: Arc<dyn Provider>, store: Arc<dyn Store>) -> Builder {
        Builder {
            provider,
            store,
            catalog: Catalog::builtin(),
            plan_options: PlanOptions::default(),
            width: NonZeroUsize::MIN.saturating_add(2_047),
            audits: NonZeroUsize::MIN.saturating_add(31),
            limit_mode: LimitMode::default(),
            retain_answers: true,
            paid: None,
            pages: None,
            workspace: None,
            task_limits: TaskLimits::default(),
            demo: None,
            scoring: None,
        }
    }
}
