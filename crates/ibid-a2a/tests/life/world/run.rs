//! Work, settlement and the end of a task.

use super::{Doing, Running, World};
use ibid_a2a::{PaymentFailure, TaskDocument, TaskOutput, TaskRecord, TaskSettlement, TaskState, TaskStep};
use ibid_model::TaskId;
use serde_json::json;

impl World {
    pub(super) fn work(&mut self, running: Running, luck: u8) -> Option<Doing> {
        let Running { task, nonce, run } = running;
        assert!(self.worked.insert(run), "a run works twice");
        // Unless the run was given up meanwhile, it is the one that the task stands for: there is no second one.
        if self.claims.get(&nonce).is_some_and(|claim| claim.run == run) {
            assert_eq!(
                self.get(task).unwrap().task().run(),
                Some(run),
                "work that no task stands for"
            );
        }
        self.count("work");
        Some(match luck % 5 {
            4 => Doing::End(
                running,
                Box::new(TaskStep::Fail {
                    run,
                    detail: "no model answered".to_owned(),
                }),
            ),
            _ => Doing::Hold(running),
        })
    }

    /// The result is kept, unless the payment is no longer for this run.
    pub(super) fn hold(&mut self, running: Running) -> Option<Doing> {
        match self
            .claims
            .get_mut(&running.nonce)
            .filter(|claim| claim.run == running.run)
        {
            Some(claim) => {
                claim.held = true;
                Some(Doing::Settle(running))
            }
            None => {
                self.count("late result dropped");
                None
            }
        }
    }

    pub(super) fn settle(&mut self, running: Running, luck: u8) -> Doing {
        let Running { task, nonce, run } = running;
        let step = match luck % 5 {
            // The outcome is unknown. The task says so, and the settlement is requested again.
            2 => {
                let next = self
                    .get(task)
                    .unwrap()
                    .advance(TaskStep::AwaitSettlement { run }, self.now())
                    .unwrap();
                assert!(self.put(&next));
                return Doing::Settle(running);
            }
            // The answer was lost, but the money moved.
            3 => {
                self.move_money(nonce, task);
                return Doing::Settle(running);
            }
            4 if !self.ledger.contains_key(&nonce) => {
                let receipt = Some(json!({"success": false, "errorReason": "insufficient_funds"}));
                let detail = "the balance is too low".to_owned();
                let failure = PaymentFailure {
                    code: "INSUFFICIENT_FUNDS".to_owned(),
                    detail,
                    receipt,
                };
                TaskStep::RefuseSettlement { run, failure }
            }
            _ => {
                self.move_money(nonce, task);
                let output = TaskOutput {
                    summary: "done".to_owned(),
                    document: TaskDocument::Kept(run),
                };
                let receipt = json!({"success": true, "transaction": format!("0x{nonce:064x}")});
                TaskStep::Complete {
                    run,
                    output,
                    settled: TaskSettlement::Receipt(receipt),
                }
            }
        };
        Doing::End(running, Box::new(step))
    }

    /// Settling is asked for again and again with the same letters; the money moves once.
    fn move_money(&mut self, nonce: u8, task: TaskId) {
        match self.ledger.insert(nonce, task) {
            None => self.count("settlement"),
            Some(before) => assert_eq!(before, task, "one payment for two tasks"),
        }
    }

    pub(super) fn end(&mut self, running: Running, step: Box<TaskStep>) -> Option<Doing> {
        let late = matches!(*step, TaskStep::Fail { .. });
        let next = self
            .get(running.task)
            .map(|record| record.advance((*step).clone(), self.now()));
        match next {
            Some(Ok(next)) => Some(Doing::Ended(running, step, Box::new(next))),
            // A run that was given up has nothing to say about the task any more.
            Some(Err(_)) | None if late => {
                self.count("late failure dropped");
                None
            }
            Some(Err(illegal)) => panic!("{illegal}: money moved, or did not, and the task does not know"),
            None => panic!("a paid task is gone"),
        }
    }

    pub(super) fn ended(&mut self, running: Running, ended: &TaskRecord) {
        match ended.task().state() {
            TaskState::Failed => {
                self.count("failure");
                self.free(running.nonce, running.run);
            }
            TaskState::Completed => {
                // Results of other payments for this task, never settled, are of no use any more.
                self.claims
                    .retain(|_, claim| !claim.held || claim.task != running.task);
            }
            TaskState::Submitted | TaskState::Working | TaskState::InputRequired | TaskState::Canceled => {}
        }
    }
}
