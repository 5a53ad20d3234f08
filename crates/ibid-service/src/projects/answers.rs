//! Reads all answers in a project, one run after the other, so that not all of them are in memory.

use super::handle::Projects;
use crate::error::Error;
use crate::stored_scans::read_result;
use ibid_model::{Prominence, ScanId};
use ibid_store::{Db, ProjectScope};
use jiff::tz::TimeZone;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// An answer in a table of all runs.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerLine {
    pub domain: String,
    /// The UTC day on which the run ended, such as `2026-11-30`.
    pub date: String,
    pub scan: ScanId,
    /// The place that was asked about.
    pub place: Option<String>,
    /// The question, or the word that names it where its text is not kept.
    pub question: String,
    pub model: String,
    /// The prominence; `None` without a valid answer.
    pub class: Option<Prominence>,
    /// The rank among the recommended.
    pub rank: Option<u32>,
    /// The score, 0..100.
    pub score: Option<f64>,
    pub url: Option<String>,
}

/// What is still to be read.
pub struct ProjectAnswers {
    db: Db,
    runs: VecDeque<(ScanId, Option<String>)>,
    texts: Arc<HashMap<String, String>>,
}

impl Projects {
    /// Begins to read all answers, the oldest run first.
    pub async fn answers(&self, scope: &ProjectScope) -> Result<ProjectAnswers, Error> {
        let found = self.of(scope, move |store, scope| {
            Ok((store.project_results(scope)?, store.question_texts(scope)?))
        });
        let (runs, texts) = found.await?;
        Ok(ProjectAnswers {
            db: self.runs.db.clone(),
            runs: runs.into(),
            texts: Arc::new(texts.into_iter().collect()),
        })
    }

    /// Does work that keeps a thread busy, a few pieces at a time.
    pub async fn compute<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        self.accounts.pictures.blocking.run(work).await
    }
}

impl ProjectAnswers {
    /// Reads the next run, or returns `None` after the last one.
    pub async fn next(&mut self) -> Result<Option<Vec<AnswerLine>>, Error> {
        while let Some((scan, place)) = self.runs.pop_front() {
            let texts = Arc::clone(&self.texts);
            let read = self.db.call(move |store| {
                let Some(record) = store.scan(scan)? else {
                    return Ok(None);
                };
                let result = read_result(&record.reply)?;
                let date = result.finished_at.to_zoned(TimeZone::UTC).date().to_string();
                let domain = result.domain.to_string();
                let mut lines = Vec::new();
                for model in &result.models {
                    for answer in &model.answers {
                        let named = answer.question_hash.as_ref().unwrap_or(&answer.question_id);
                        lines.push(AnswerLine {
                            domain: domain.clone(),
                            date: date.clone(),
                            scan,
                            place: place.clone(),
                            question: texts.get(named).unwrap_or(named).clone(),
                            model: model.model.as_str().to_owned(),
                            class: answer.class,
                            rank: answer.rank,
                            score: answer.score.map(|score| score.rounded()),
                            url: answer.url.clone(),
                        });
                    }
                }
                Ok(Some(lines))
            });
            // A run may be deleted meanwhile.
            if let Some(lines) = read.await? {
                return Ok(Some(lines));
            }
        }
        Ok(None)
    }
}
