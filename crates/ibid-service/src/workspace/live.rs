//! Scans that run in this process, with their answers for watchers.

use crate::QueuedAnswer;
use ibid_engine::plan::Plan;
use ibid_engine::{InterimReading, Progress};
use ibid_model::{ModelAlias, Ring, ScanId, Score};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// One call of a scan that has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveAnswer {
    /// Calls that have ended, this one included; rises by one.
    pub done: u32,
    /// Calls planned.
    pub total: u32,
    /// The model asked.
    pub model: ModelAlias,
    /// The ring, for ring questions.
    pub ring: Option<Ring>,
    /// The market, for ring questions.
    pub market: Option<String>,
    /// Whether the answer, read alone, cites the target. `None` without an answer.
    pub cited: Option<bool>,
    /// The score of the answer, read alone.
    pub score: Option<Score>,
    /// The position of the question in the plan.
    pub topic: usize,
    /// The question.
    pub question: Arc<str>,
    /// The verbatim passage of the answer that cites the target.
    pub quote: Option<String>,
}

/// The progress of a running scan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Calls that have ended.
    pub done: u32,
    /// Calls planned.
    pub total: u32,
    /// By model, in the order asked.
    pub models: Vec<ModelCount>,
    /// By ring; core questions are ring 0.
    pub rings: Vec<RingProgress>,
}

/// The progress of one model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelCount {
    /// The alias.
    pub alias: ModelAlias,
    /// Its display name.
    pub label: String,
    /// Calls planned.
    pub total: u32,
    /// Calls that have ended.
    pub done: u32,
    /// Answers that cite the target.
    pub cited: u32,
}

/// The progress of one ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RingProgress {
    /// The ring, or `None` for the core questions.
    pub ring: Option<Ring>,
    /// Calls planned.
    pub total: u32,
    /// Calls that have ended.
    pub done: u32,
    /// Answers that cite the target.
    pub cited: u32,
}

/// A scan that runs in this process.
pub(crate) struct Live {
    shape: Standing,
    /// The questions, in the order of the plan.
    questions: Vec<Arc<str>>,
    answers: Mutex<Vec<LiveAnswer>>,
    /// The number of answers, and whether the scan is over.
    changed: watch::Sender<(usize, bool)>,
    pub(crate) stop: CancellationToken,
}

impl Live {
    fn of(plan: &Plan) -> Self {
        let models = plan.models();
        let (topics, each) = (count(plan.questions().len()), count(models.len()));
        let mut rings: Vec<RingProgress> = Vec::new();
        for topic in plan.questions() {
            let ring = topic.slot.ring();
            match rings.iter_mut().find(|known| known.ring == ring) {
                Some(known) => known.total += each,
                None => rings.push(RingProgress {
                    ring,
                    total: each,
                    done: 0,
                    cited: 0,
                }),
            }
        }
        let models = models.iter().map(|model| ModelCount {
            alias: model.alias.clone(),
            label: model.name.clone(),
            total: topics,
            done: 0,
            cited: 0,
        });
        Self {
            shape: Standing {
                done: 0,
                total: count(plan.len()),
                models: models.collect(),
                rings,
            },
            questions: plan
                .questions()
                .iter()
                .map(|question| question.text.as_str().into())
                .collect(),
            answers: Mutex::default(),
            changed: watch::Sender::new((0, false)),
            stop: CancellationToken::new(),
        }
    }

    /// Notes a call of a queued scan that has ended.
    pub(crate) fn note(&self, answer: &QueuedAnswer) {
        self.add(LiveAnswer {
            ring: answer.ring,
            market: answer.market.clone(),
            ..self.read(answer.topic, answer.interim.as_ref(), answer.model.clone())
        });
    }

    /// An answer of a model with the known facts of its question and its reading.
    fn read(&self, topic: usize, interim: Option<&InterimReading>, model: ModelAlias) -> LiveAnswer {
        LiveAnswer {
            done: 0,
            total: self.shape.total,
            model,
            ring: None,
            market: None,
            cited: interim.map(|reading| reading.cited),
            score: interim.map(|reading| reading.score),
            topic,
            question: self.questions.get(topic).map(Arc::clone).unwrap_or_default(),
            quote: interim.and_then(|reading| reading.quote.clone()),
        }
    }

    fn add(&self, answer: LiveAnswer) {
        let known = {
            let mut answers = self.answers();
            let done = answers.len() + 1;
            answers.push(LiveAnswer {
                done: count(done),
                ..answer
            });
            done
        };
        self.changed.send_modify(|(count, _)| *count = known);
    }

    /// The calls that ended after the first `after` ones.
    pub(crate) fn answers_after(&self, after: usize) -> Vec<LiveAnswer> {
        self.answers().iter().skip(after).cloned().collect()
    }

    /// Notes a call that has ended.
    pub(crate) fn push(&self, progress: &Progress) {
        self.add(LiveAnswer {
            ring: progress.ring,
            market: progress.market.clone(),
            ..self.read(progress.topic, progress.interim.as_ref(), progress.model.clone())
        });
    }

    /// Calls that have ended.
    pub(crate) fn done(&self) -> u32 {
        count(self.answers().len())
    }

    /// The progress of the scan.
    pub(crate) fn standing(&self) -> Standing {
        let mut standing = self.shape.clone();
        for answer in self.answers().iter() {
            standing.done = answer.done;
            let cited = u32::from(answer.cited == Some(true));
            if let Some(model) = standing
                .models
                .iter_mut()
                .find(|model| model.alias == answer.model)
            {
                model.done += 1;
                model.cited += cited;
            }
            if let Some(ring) = standing.rings.iter_mut().find(|ring| ring.ring == answer.ring) {
                ring.done += 1;
                ring.cited += cited;
            }
        }
        standing
    }

    /// Waits for the answer after the first `after` ones.
    /// `None` if the scan ends without it.
    pub(crate) async fn next(&self, after: usize) -> Option<LiveAnswer> {
        let mut changed = self.changed.subscribe();
        loop {
            let over = changed.borrow_and_update().1;
            if let Some(answer) = self.answers().get(after).cloned() {
                return Some(answer);
            }
            if over || changed.changed().await.is_err() {
                return None;
            }
        }
    }

    fn answers(&self) -> MutexGuard<'_, Vec<LiveAnswer>> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// All scans that run in this process.
#[derive(Clone, Default)]
pub(crate) struct LiveRuns(Arc<Mutex<HashMap<ScanId, Arc<Live>>>>);

/// The registration of a running scan.
/// It ends when this is dropped, however the task of the scan ends.
pub(crate) struct Underway {
    runs: LiveRuns,
    id: ScanId,
    pub(crate) live: Arc<Live>,
}

impl LiveRuns {
    /// Registers a scan.
    pub(crate) fn enter(&self, id: ScanId, plan: &Plan) -> Underway {
        let live = Arc::new(Live::of(plan));
        self.runs().insert(id, Arc::clone(&live));
        Underway {
            runs: self.clone(),
            id,
            live,
        }
    }

    /// The scan, if it runs in this process.
    pub(crate) fn get(&self, id: ScanId) -> Option<Arc<Live>> {
        self.runs().get(&id).cloned()
    }

    /// Every scan running in this process, with the number of its ended calls.
    pub(crate) fn counts(&self) -> Vec<(ScanId, u32)> {
        self.runs().iter().map(|(id, live)| (*id, live.done())).collect()
    }

    fn runs(&self) -> MutexGuard<'_, HashMap<ScanId, Arc<Live>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Underway {
    fn drop(&mut self) {
        self.runs.runs().remove(&self.id);
        self.live.changed.send_modify(|(_, over)| *over = true);
    }
}
