//! What a schedule asks: its first questions go on until its owner accepts others, so that runs stay comparable.

use super::keeper::ScheduleKeeper;
use super::owner::WITH_RESULT;
use crate::error::Error;
use ibid_engine::Evidence;
use ibid_engine::plan::{KeptQuestion, Plan};
use ibid_store::{PackedAnswers, ScheduleQuestions, ScheduleRecord, ScheduleStart};

/// Stands for the version of the words where an earlier program chose the questions.
const UNKNOWN: &str = "before";

/// Questions, ready to be stored with a schedule.
#[derive(Clone, Debug)]
pub(super) struct KeptQuestions {
    questions: PackedAnswers,
    templates: String,
}

impl KeptQuestions {
    pub(super) fn of(plan: &Plan) -> Result<Self, Error> {
        Self::pack(&plan.kept(), plan.templates())
    }

    pub(super) fn pack(questions: &[KeptQuestion], templates: String) -> Result<Self, Error> {
        let questions = PackedAnswers::of(&serde_json::to_vec(questions)?)?;
        Ok(Self { questions, templates })
    }

    pub(super) fn for_store(&self) -> ScheduleQuestions<'_> {
        ScheduleQuestions {
            questions: &self.questions,
            templates: &self.templates,
        }
    }
}

impl ScheduleKeeper {
    /// Returns the plan with the questions that the schedule keeps.
    ///
    /// A schedule from an earlier program keeps what its last run asked, or this plan if that has no evidence.
    pub(crate) async fn with_kept(
        &self,
        schedule: &ScheduleRecord,
        firing: ScheduleStart,
        plan: Plan,
    ) -> Result<Plan, Error> {
        let id = schedule.id;
        let stored = self.in_store(move |store| {
            let kept = store.schedule_questions(id)?;
            let last = match kept {
                Some(_) => None,
                None => store.scheduled_scans_before(firing, WITH_RESULT)?.pop(),
            };
            Ok((kept, last))
        });
        let last = match stored.await? {
            (Some(kept), _) => return asking(plan, &kept),
            (None, last) => last,
        };
        let evidence = match last {
            Some(scan) => self.stored_scans.evidence.read(scan).await?,
            None => None,
        };
        let kept = match evidence {
            None => KeptQuestions::of(&plan)?,
            Some(evidence) => {
                let evidence: Evidence = serde_json::from_slice(&evidence)?;
                let templates = match plan.order().questions().is_empty() {
                    true => UNKNOWN.to_owned(),
                    false => plan.templates(),
                };
                KeptQuestions::pack(&KeptQuestion::of_evidence(&evidence), templates)?
            }
        };
        let plan = asking(plan, &kept.questions)?;
        let store_kept = self.in_store(move |store| store.keep_questions(id, kept.for_store()));
        store_kept.await?;
        Ok(plan)
    }
}

fn asking(plan: Plan, kept: &PackedAnswers) -> Result<Plan, Error> {
    let kept: Vec<KeptQuestion> = serde_json::from_slice(&kept.unpack()?)?;
    Ok(plan.asking(&kept))
}
