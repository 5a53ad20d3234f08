//! Competitors and sources of a project, counted anew from what its runs name and cite.

use super::handle::Projects;
use super::rivals_and_notes::RivalDraft;
use crate::error::Error;
use crate::project_numbers::{competitors, mentions_of};
use ibid_engine::mentions::{Rival, RivalPoint, Rivals, RunMentions, Sources, Win, rivals, sources};
use ibid_model::time::text;
use ibid_model::{RivalId, ScanId};
use ibid_store::{ProjectScope, RivalRecord, RivalState, RunReading, Store};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

/// Competitors are followed over so many runs: nine months, if it runs weekly.
const MOST_RUNS: u32 = 40;

pub type CountedRun = (ScanId, Timestamp);

/// Competitors, and how often runs name them.
#[derive(Clone, Debug)]
pub struct ProjectRivals {
    /// The competitors that people pinned or ignored.
    pub kept: Vec<RivalRecord>,
    pub counts: Rivals,
    /// The counted runs, the oldest first.
    pub runs: Vec<CountedRun>,
    /// Runs that are read in a moment.
    pub waiting: u32,
}

/// What the last run cites.
#[derive(Clone, Debug)]
pub struct ProjectSources {
    pub counts: Sources,
    pub last: Option<CountedRun>,
    /// The run before, which changes are told against.
    pub before: Option<CountedRun>,
    /// Whether the last run is read in a moment.
    pub waiting: bool,
}

/// The competitors as callers read them.
#[derive(Serialize, JsonSchema)]
#[serde(rename = "RivalList")]
pub struct RivalsReply<'a> {
    rivals: Vec<RivalReply<'a>>,
    #[serde(flatten)]
    counts: &'a Rivals,
    /// Runs that are read in a moment.
    waiting: u32,
}

#[derive(Default, Serialize, JsonSchema)]
#[serde(rename = "Rival", rename_all = "camelCase")]
struct RivalReply<'a> {
    rival_id: Option<RivalId>,
    name: &'a str,
    aliases: &'a [String],
    domains: Vec<String>,
    #[schemars(extend("enum" = ["pinned", "ignored", "found"]))]
    state: &'static str,
    /// Answers of the last twelve runs that name it; `null` for an ignored one.
    named_answers: Option<u32>,
    points: Vec<RivalPointReply<'a>>,
    wins: &'a [Win],
}

#[derive(Serialize, JsonSchema)]
#[serde(rename = "RivalPoint")]
struct RivalPointReply<'a> {
    #[schemars(extend("format" = "date-time"))]
    at: Option<String>,
    #[serde(flatten)]
    point: &'a RivalPoint,
}

/// The sources as callers read them.
#[derive(Serialize, JsonSchema)]
#[serde(rename = "ProjectSources", rename_all = "camelCase")]
pub struct SourcesReply<'a> {
    scan_id: Option<ScanId>,
    #[schemars(extend("format" = "date-time"))]
    at: Option<String>,
    compared_with: Option<ScanId>,
    #[serde(flatten)]
    counts: &'a Sources,
    /// Whether a later run is read in a moment.
    waiting: bool,
}

impl ProjectRivals {
    pub fn document(&self) -> Value {
        let found = self.counts.rows.iter().map(|rival| self.rival(rival));
        let ignored = self
            .kept
            .iter()
            .filter(|rival| rival.state == RivalState::Ignored);
        let ignored = ignored.map(|rival| RivalReply {
            rival_id: Some(rival.id),
            name: &rival.name,
            aliases: &rival.aliases,
            domains: rival.domains.clone(),
            state: "ignored",
            ..RivalReply::default()
        });
        json!(RivalsReply {
            rivals: found.chain(ignored).collect(),
            counts: &self.counts,
            waiting: self.waiting,
        })
    }

    fn rival<'a>(&'a self, rival: &'a Rival) -> RivalReply<'a> {
        let kept = rival.kept.and_then(|at| self.kept.get(at));
        let mut domains = kept.map(|kept| kept.domains.clone()).unwrap_or_default();
        let found = rival.domain.clone();
        domains.extend(found.filter(|found| !domains.contains(found)));
        let at = |scan: ScanId| {
            let run = self.runs.iter().find(|(id, _)| *id == scan);
            run.map(|(_, at)| text(*at))
        };
        let points = rival.points.iter().map(|point| RivalPointReply {
            at: at(point.scan),
            point,
        });
        RivalReply {
            rival_id: kept.map(|kept| kept.id),
            name: &rival.name,
            aliases: kept.map(|kept| kept.aliases.as_slice()).unwrap_or_default(),
            domains,
            state: if kept.is_some() { "pinned" } else { "found" },
            named_answers: Some(rival.named),
            points: points.collect(),
            wins: &rival.wins,
        }
    }
}

impl ProjectSources {
    pub fn document(&self) -> Value {
        json!(SourcesReply {
            scan_id: self.last.map(|(scan, _)| scan),
            at: self.last.map(|(_, at)| text(at)),
            compared_with: self.before.map(|(scan, _)| scan),
            counts: &self.counts,
            waiting: self.waiting,
        })
    }
}

/// Runs that are read, the oldest first, and how many wait.
pub(super) type Read = (Vec<(CountedRun, RunMentions)>, u32);

impl Projects {
    pub(super) async fn mentions(&self, scope: &ProjectScope, most: u32) -> Result<Read, Error> {
        let read = self.of(scope, move |store, scope| {
            let (mut runs, mut waiting) = (Vec::new(), 0);
            for (scan, ended_at, reading) in store.project_mentions(scope, most)? {
                waiting += u32::from(matches!(reading, RunReading::Waiting));
                let Some(mentions) = mentions_of(reading)? else {
                    continue;
                };
                let at = Timestamp::from_millisecond(ended_at).unwrap_or_default();
                runs.push(((scan, at), mentions));
            }
            Ok((runs, waiting))
        });
        read.await
    }

    /// Follows competitors over the last runs with the present keyword and place, since others ask something else.
    pub async fn rivals_over_time(&self, scope: &ProjectScope) -> Result<ProjectRivals, Error> {
        let kept = self.of(scope, move |store, scope| {
            Ok((store.rivals(scope)?, competitors(store, scope)?))
        });
        let (kept, known) = kept.await?;
        let (read, waiting) = self.mentions(scope, MOST_RUNS).await?;
        let runs: Vec<CountedRun> = read.iter().map(|(run, _)| *run).collect();
        let read: Vec<(ScanId, RunMentions)> = read.into_iter().map(|((scan, _), run)| (scan, run)).collect();
        Ok(ProjectRivals {
            counts: rivals(&read, &known),
            kept,
            runs,
            waiting,
        })
    }

    /// Counts what the last run cites, and what changed since the run before.
    pub async fn sources(&self, scope: &ProjectScope) -> Result<ProjectSources, Error> {
        let (mut read, waiting) = self.mentions(scope, 2).await?;
        let last = read.pop();
        let before = read.pop();
        let counts = last
            .as_ref()
            .map(|(_, run)| sources(run, before.as_ref().map(|(_, run)| run)));
        Ok(ProjectSources {
            counts: counts.unwrap_or_default(),
            last: last.map(|(run, _)| run),
            before: before.map(|(run, _)| run),
            waiting: waiting > 0,
        })
    }

    /// Pins or ignores a competitor, who keeps its other names.
    pub(super) async fn keep_rival(&self, scope: &ProjectScope, draft: RivalDraft) -> Result<(), Error> {
        let known = self.kept_rival(scope, draft.name()).await?;
        self.put_rival(scope, draft.with_names_of(known.as_ref())).await
    }

    /// Counts a competitor as another one, which is pinned if people had not kept it.
    pub(super) async fn merge_rival(
        &self,
        scope: &ProjectScope,
        name: &str,
        into: RivalDraft,
    ) -> Result<(), Error> {
        let merged = self.kept_rival(scope, name).await?;
        let known = self.kept_rival(scope, into.name()).await?;
        let into = into
            .with_names_of(known.as_ref())
            .with_names_of(merged.as_ref())
            .with_alias(name);
        self.put_rival(scope, into).await?;
        match merged {
            Some(merged) => self.delete_rival(scope, &merged.id.to_string()).await,
            None => Ok(()),
        }
    }

    async fn kept_rival(&self, scope: &ProjectScope, name: &str) -> Result<Option<RivalRecord>, Error> {
        let kept = self.of(scope, Store::rivals).await?;
        Ok(kept.into_iter().find(|rival| rival.name == name))
    }

    /// Forgets a competitor by its name, if people kept it.
    pub(super) async fn forget_rival(&self, scope: &ProjectScope, name: &str) -> Result<(), Error> {
        match self.kept_rival(scope, name).await? {
            Some(known) => self.delete_rival(scope, &known.id.to_string()).await,
            None => Ok(()),
        }
    }
}
