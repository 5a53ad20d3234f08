//! What a service is made of, and its start.

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

/// What a service is made of. Only its provider and its store have no default.
pub struct ServiceSettings {
    pub provider: Arc<dyn Provider>,
    pub store: Arc<Store>,
    /// The alias table; by default the built-in one.
    pub catalog: Catalog,
    /// Web search, and the most questions of a plan.
    pub plan_options: PlanOptions,
    /// Most open calls of one scan. All scans together may have eight times as many.
    pub width: NonZeroUsize,
    /// Most open page audits, including those waiting for their page; 32 by default.
    pub audits: NonZeroUsize,
    /// Whether the targets of the interface are counted, reported or enforced.
    pub limit_mode: LimitMode,
    /// Whether questions and answers are stored as evidence, as by default.
    pub retain_answers: bool,
    /// Days after which projects lose the questions and answers of their runs; 0, the default, keeps them.
    pub project_answers_days: u32,
    /// Where evidence moves; by default the database keeps it.
    pub evidence: Option<EvidenceSettings>,
    /// Terms under which results are sold.
    pub paid: Option<Paid>,
    /// Fetches pages; without it none is audited.
    pub pages: Option<Pages>,
    /// Lets accounts audit pages, and scan if it has a key.
    pub workspace: Option<WorkspaceRuns>,
    /// Limits on tasks of anonymous callers.
    pub task_limits: TaskLimits,
    /// Offers a free question.
    pub demo: Option<DemoTerms>,
    /// Lets visitors without an account look at a website, which takes [`Self::pages`] as well.
    pub looks: Option<LookTerms>,
    pub webhooks: Option<WebhookSettings>,
    /// Which runtime makes plans and scores answers; by default that of the runs. It should be another one, because a large
    /// scan takes tens of milliseconds at once and other futures on the same thread wait for it.
    pub scoring: Option<Handle>,
    /// On which runtime the store blocks threads; by default on that of the runs. Name look-ups block threads, too.
    pub storage: Option<Handle>,
    /// Keys and engine of queued scans.
    pub queue: QueueSettings,
    /// Ways to sign in; by default passwords alone.
    pub sign_in: SignInTerms,
    /// Draws reports as PDF.
    pub printer: Option<Arc<dyn ReportPrinter>>,
}

impl ServiceSettings {
    /// The defaults: answers are stored, and nothing is sold, fetched or sent.
    pub fn new(provider: Arc<dyn Provider>, store: Arc<Store>) -> Self {
        Self {
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

    /// Starts the service. Its runs are tasks of `runtime`. Background tasks renew leases and finish what an earlier process
    /// left.
    pub fn start(self, runtime: Handle) -> Service {
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
            planner: Arc::clone(&planner),
            shop: Shop { sales, planner },
            scans,
            router_reachable: Arc::new(AtomicBool::new(true)),
            probes: Arc::default(),
            readiness: Arc::default(),
        }
    }
}
