//! The builder of a service.

use super::scans::Scans;
use super::service::Service;
use crate::accounts::{Accounts, SignInGuard, SignInTerms};
use crate::daily_turns::DailyTurns;
use crate::demo::{DemoTerms, Demos};
use crate::durable::{Operator, Queue, QueueParts, QueueSettings};
use crate::evidence::EvidenceSettings;
use crate::limits::{LimitMode, Limits};
use crate::look::LookTerms;
use crate::news::Digests;
use crate::page::Pages;
use crate::paid::{Paid, Sales, Shop};
use crate::pictures::Pictures;
use crate::planner::Planner;
use crate::projects::Projects;
use crate::questions::Questions;
use crate::report_printer::ReportPrinter;
use crate::rounds::Rounds;
use crate::runs::Runs;
use crate::runs::kernel::RunSettings;
use crate::runs::pinned::PinnedRuns;
use crate::schedules::{ScanStarter, ScheduleKeeper, Schedules};
use crate::stored_scans::StoredScans;
use crate::tasks::{TaskKeeper, TaskLimits};
use crate::webhooks::{Hooks, WebhookSender, WebhookSettings};
use crate::workspace::{AccountRuns, WorkspaceRuns};
use ibid_engine::plan::PlanOptions;
use ibid_model::Catalog;
use ibid_provider::Provider;
use ibid_store::Store;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tokio::runtime::Handle;

/// Builds a service.
pub struct Builder {
    provider: Arc<dyn Provider>,
    store: Arc<Store>,
    catalog: Catalog,
    plan_options: PlanOptions,
    width: NonZeroUsize,
    audits: NonZeroUsize,
    limit_mode: LimitMode,
    retain_answers: bool,
    project_answers_days: u32,
    evidence: Option<EvidenceSettings>,
    paid: Option<Paid>,
    pages: Option<Pages>,
    workspace: Option<WorkspaceRuns>,
    task_limits: TaskLimits,
    demo: Option<DemoTerms>,
    looks: Option<LookTerms>,
    webhooks: Option<WebhookSettings>,
    scoring: Option<Handle>,
    storage: Option<Handle>,
    queue: QueueSettings,
    sign_in: SignInTerms,
    printer: Option<Arc<dyn ReportPrinter>>,
}

impl Builder {
    /// Offers a free question.
    pub fn demo(mut self, terms: DemoTerms) -> Self {
        self.demo = Some(terms);
        self
    }

    /// Lets visitors without an account look at a website; it takes the source of pages, too.
    pub fn looks(mut self, terms: LookTerms) -> Self {
        self.looks = Some(terms);
        self
    }

    /// Sends webhooks.
    pub fn webhooks(mut self, settings: WebhookSettings) -> Self {
        self.webhooks = Some(settings);
        self
    }

    /// Audits pages.
    pub fn pages(mut self, pages: Pages) -> Self {
        self.pages = Some(pages);
        self
    }

    /// Sets the runtime that makes plans and scores answers; by default that of the runs. A large scan takes tens of
    /// milliseconds of CPU time at once, and other futures on the same thread wait for it.
    pub fn scoring(mut self, runtime: Handle) -> Self {
        self.scoring = Some(runtime);
        self
    }

    /// Sets the runtime whose blocking threads the store uses; by default that of the runs.
    /// Name look-ups block threads, too.
    pub fn storage(mut self, runtime: Handle) -> Self {
        self.storage = Some(runtime);
        self
    }

    /// Sets the limits on tasks of anonymous callers.
    pub fn task_limits(mut self, limits: TaskLimits) -> Self {
        self.task_limits = limits;
        self
    }

    /// Sets the keys and the engine of queued scans.
    pub fn queue(mut self, settings: QueueSettings) -> Self {
        self.queue = settings;
        self
    }

    /// Sets the ways to sign in; by default passwords alone.
    pub fn sign_in(mut self, terms: SignInTerms) -> Self {
        self.sign_in = terms;
        self
    }

    /// Draws reports as PDF.
    pub fn printer(mut self, printer: Arc<dyn ReportPrinter>) -> Self {
        self.printer = Some(printer);
        self
    }

    /// Sells results.
    pub fn paid(mut self, paid: Paid) -> Self {
        self.paid = Some(paid);
        self
    }

    /// Works for accounts: audits pages, and scans if the settings have a key.
    pub fn workspace(mut self, workspace: WorkspaceRuns) -> Self {
        self.workspace = Some(workspace);
        self
    }

    /// Sets the alias table.
    pub fn catalog(mut self, catalog: Catalog) -> Self {
        self.catalog = catalog;
        self
    }

    /// Sets web search and the ceiling of a plan.
    pub fn plan_options(mut self, options: PlanOptions) -> Self {
        self.plan_options = options;
        self
    }

    /// Sets the most open calls of one scan.
    /// All scans together may have eight times as many.
    pub fn width(mut self, width: NonZeroUsize) -> Self {
        self.width = width;
        self
    }

    /// Sets the most open page audits, including those waiting for their page; 32 by default.
    pub fn audits(mut self, most: NonZeroUsize) -> Self {
        self.audits = most;
        self
    }

    /// Sets the treatment of the targets of the interface.
    pub fn limit_mode(mut self, mode: LimitMode) -> Self {
        self.limit_mode = mode;
        self
    }

    /// Sets whether questions and answers are stored as evidence.
    pub fn retain_answers(mut self, retain: bool) -> Self {
        self.retain_answers = retain;
        self
    }

    /// Deletes questions and answers of runs of projects after so many days; 0, the default, keeps them.
    pub fn project_answers_days(mut self, days: u32) -> Self {
        self.project_answers_days = days;
        self
    }

    /// Moves evidence to an evidence store; by default the database keeps it.
    pub fn evidence(mut self, settings: EvidenceSettings) -> Self {
        self.evidence = Some(settings);
        self
    }

    /// Builds the service. Its runs are tasks of `runtime`. Background tasks renew leases and finish the work
    /// of an earlier process.
    pub fn build(self, runtime: Handle) -> Service {
        let scoring = self.scoring.unwrap_or_else(|| runtime.clone());
        let runs = Arc::new(Runs::new(RunSettings {
            provider: self.provider,
            store: self.store,
            storage: self.storage,
            width: self.width,
            most_audits: self.audits,
            retain_answers: self.retain_answers,
            pages: self.pages.clone(),
            scoring: scoring.clone(),
            runtime: runtime.clone(),
        }));
        let pictures = Arc::new(Pictures::new(self.printer));
        let keys = self.queue.keys.clone();
        let webhooks = self
            .webhooks
            .map(|settings| WebhookSender::start(settings, keys, Arc::clone(&runs), Arc::clone(&pictures)));
        if let Some(sender) = webhooks
            .as_ref()
            .filter(|sender| sender.settings.people.is_some())
        {
            let (runs, pictures) = (Arc::clone(&runs), Arc::clone(&pictures));
            Digests { runs, pictures }.start(sender);
        }
        let planner = Arc::new(Planner::new(self.catalog, self.plan_options, self.pages, scoring));
        let limits = Limits::new(self.limit_mode);
        let operator = self.workspace.as_ref().and_then(|settings| {
            Some(Operator {
                key: settings.key.clone()?,
                most_cost: settings.most_cost,
            })
        });
        let account_key = operator.as_ref().map(|operator| operator.key.clone());
        let parts = QueueParts {
            runs: Arc::clone(&runs),
            planner: Arc::clone(&planner),
            limits: limits.clone(),
            operator,
            sold_key: self.paid.as_ref().and_then(|paid| paid.key.clone()),
        };
        let queue = Queue::start(self.queue, parts, &runtime);
        let sales = self
            .paid
            .map(|paid| Sales::start(paid, Arc::clone(&runs), Arc::clone(&queue)));
        let account_runs = Arc::new(AccountRuns::new(
            self.workspace,
            Arc::clone(&queue),
            Arc::clone(&runs),
        ));
        let starter = ScanStarter {
            for_credit: {
                let account_runs = Arc::clone(&account_runs);
                Arc::new(move |id, job, account, once| {
                    let account_runs = Arc::clone(&account_runs);
                    Box::pin(async move { account_runs.start(id, job, account, Some(&once)).await })
                })
            },
            queue: Arc::clone(&queue),
        };
        let stored_scans = Arc::new(StoredScans::new(&runs, self.evidence));
        let keeper = Arc::new(ScheduleKeeper {
            runs: Arc::clone(&runs),
            planner: Arc::clone(&planner),
            stored_scans: Arc::clone(&stored_scans),
            starter,
        });
        let rounds = Rounds {
            schedules: Arc::clone(&keeper),
            project_answers_days: self.project_answers_days,
        };
        let scans = Scans {
            runs: Arc::clone(&runs),
            planner: Arc::clone(&planner),
            stored_scans: Arc::clone(&stored_scans),
            pinned: PinnedRuns::start(limits, Arc::clone(&runs)),
            sales: sales.clone(),
            account_runs,
            demos: self.demo.map(Demos::new),
            looks: self
                .looks
                .map(|terms| DailyTurns::new(terms.per_address, terms.per_day)),
            pictures: Arc::clone(&pictures),
            queue,
            sample: Arc::default(),
        };
        let accounts = Accounts {
            runs: Arc::clone(&runs),
            scans: scans.clone(),
            stored_scans: Arc::clone(&stored_scans),
            keys: Arc::default(),
            sign_ins: Arc::new(SignInGuard::new(self.sign_in)),
            pictures,
            first_run: Arc::default(),
        };
        let schedules = Schedules {
            runs: Arc::clone(&runs),
            planner: Arc::clone(&planner),
            keeper,
            rounds: rounds.start(),
        };
        let questions = Questions {
            runs: Arc::clone(&runs),
            planner: Arc::clone(&planner),
            stored_scans,
            key: account_key.clone(),
        };
        let hooks = Hooks {
            runs: Arc::clone(&runs),
            sender: webhooks,
        };
        Service {
            projects: Projects {
                runs: Arc::clone(&runs),
                schedules: schedules.clone(),
                accounts: accounts.clone(),
                questions: questions.clone(),
                hooks: hooks.clone(),
                feeds: crate::projects::feed_limits(),
                own_data: crate::projects::OwnDataBounds::default(),
                key: account_key,
            },
            accounts,
            schedules,
            questions,
            tasks: TaskKeeper::start(
                self.task_limits,
                Arc::clone(&runs),
                sales.clone(),
                hooks.notifies(),
            ),
            hooks,
            shop: Shop { sales, planner },
            scans,
            router_reachable: Arc::new(AtomicBool::new(true)),
            probes: Arc::default(),
            readiness: Arc::default(),
        }
    }
}

impl Service {
    /// A builder with the given provider and store.
    pub fn builder(provider: Arc<dyn Provider>, store: Arc<Store>) -> Builder {
        Builder {
            provider,
            store,
            catalog: Catalog::builtin(),
            plan_options: PlanOptions::default(),
            width: NonZeroUsize::MIN.saturating_add(2_047),
            audits: NonZeroUsize::MIN.saturating_add(31),
            limit_mode: LimitMode::default(),
            retain_answers: true,
            project_answers_days: 0,
            evidence: None,
            paid: None,
            pages: None,
            workspace: None,
            task_limits: TaskLimits::default(),
            demo: None,
            looks: None,
            webhooks: None,
            scoring: None,
            storage: None,
            queue: QueueSettings::default(),
            sign_in: SignInTerms::default(),
            printer: None,
        }
    }
}
