//! Reading a message: from the stored task to a decision.

use super::{Doing, Purchase, Sent, World, required};
use ibid_a2a::{Basis, CallError, Decision, Opening, Request, TaskStep, decide, decide_cancel, decide_new};
use ibid_model::TaskId;

impl World {
    pub(super) fn cancel_now(&mut self, task: TaskId) -> Option<Doing> {
        let record = self.get(task)?;
        match decide_cancel(&record, self.now()) {
            Ok(()) => assert!(self.put(&record.advance(TaskStep::Cancel, self.now()).unwrap())),
            Err(CallError::NotCancelable(_) | CallError::TaskNotFound) => return None,
            Err(other) => panic!("{other}"),
        }
        self.count("cancellation");
        None
    }

    pub(super) fn read(&mut self, call: Box<Sent>) -> Option<Doing> {
        let Some(task) = call.incoming.message.task_id else {
            return self.open(call);
        };
        let record = self.get(task)?;
        let step = match decide(&record, &call.incoming, self.now()) {
            Ok(Decision::Show | Decision::Join { run: _ }) => return None,
            Ok(Decision::Remind) => TaskStep::Remind,
            Ok(Decision::Decline) => TaskStep::Decline,
            Ok(Decision::Continue(opening)) => match on(opening) {
                Ok(step) => step,
                Err((basis, request)) => {
                    return Some(Doing::Claim(Purchase {
                        call,
                        task,
                        basis,
                        request,
                    }));
                }
            },
            Ok(Decision::Pay { offer: number }) => {
                let offer = record.task().offer().unwrap();
                assert_eq!(
                    (offer.number(), offer.required()),
                    (number, &required(offer.request()))
                );
                let (basis, request) = (Basis::Asked(number), offer.request().clone());
                return Some(Doing::Claim(Purchase {
                    call,
                    task,
                    basis,
                    request,
                }));
            }
            Err(CallError::InvalidParams(bad)) if bad.code == Some("request_differs") => {
                self.count("swap refused");
                return None;
            }
            Err(_) => return None,
        };
        let next = record
            .advance_on(&call.incoming.message, step, self.now())
            .unwrap();
        Some(Doing::Write(call, Box::new(next)))
    }

    pub(super) fn open(&mut self, call: Box<Sent>) -> Option<Doing> {
        let task = TaskId::random();
        match on(decide_new(&call.incoming).ok()?) {
            Ok(step) => {
                assert!(self.put(&self.first(task, &call, step)));
                None
            }
            Err((basis, request)) => Some(Doing::Claim(Purchase {
                call,
                task,
                basis,
                request,
            })),
        }
    }
}

/// The reaction to an opening: a step at once, or a purchase.
fn on(opening: Opening) -> Result<TaskStep, (Basis, Request)> {
    match opening {
        Opening::AskInput {
            wanted,
            payment_unused,
        } => Ok(TaskStep::AskInput {
            wanted,
            payment_unused,
            sold: ibid_model::Offering::EVERYTHING,
        }),
        Opening::Price { request, pays } => {
            let required = required(&request);
            match pays {
                false => Ok(TaskStep::AskPayment { request, required }),
                true => Err((
                    Basis::Direct {
                        request: request.clone(),
                        required,
                    },
                    request,
                )),
            }
        }
    }
}
