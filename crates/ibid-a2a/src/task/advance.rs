//! The state machine: which step leads where, and what the agent says about it.

use super::{
    AskNumber, Basis, IllegalStep, Offer, Output, Phase, Said, Settled, Speech, Step, Task, to_milliseconds,
};
use crate::message::{Message, Part};
use crate::payment::{Notice, PaymentFailure, Required};
use crate::request::Request;
use crate::text;
use ibid_model::{Offering, ScanId, Skill};
use jiff::Timestamp;
use serde_json::Value;

/// Where a step leads, what is said, and the receipt of a settlement that was tried.
struct Outcome {
    phase: Phase,
    parts: Speech,
    notice: Notice,
    receipt: Option<Value>,
}

impl Task {
    /// Takes a step.
    ///
    /// # Errors
    /// The step is not legal here.
    pub fn advance(mut self, step: Step, at: Timestamp) -> Result<Self, IllegalStep> {
        let unsettled = matches!(step, Step::AwaitSettlement { run: _ });
        let outcome = self.outcome(step)?;
        self.shelve();
        self.settle_into(outcome, at);
        self.unsettled = unsettled;
        Ok(self)
    }

    /// Takes a step because of a client's message, which becomes part of the history.
    ///
    /// # Errors
    /// The step is not legal here; the message is not filed then.
    pub fn advance_on(mut self, message: &Message, step: Step, at: Timestamp) -> Result<Self, IllegalStep> {
        let outcome = self.outcome(step)?;
        self.hear(message.clone());
        self.settle_into(outcome, at);
        self.unsettled = false;
        Ok(self)
    }

    fn settle_into(&mut self, outcome: Outcome, at: Timestamp) {
        self.receipts.extend(outcome.receipt);
        self.phase = outcome.phase;
        let metadata = outcome.notice.metadata(&self.receipts);
        if let Some(offer) = self.offer() {
            self.offers = self.offers.max(offer.number.0);
        }
        self.words += 1;
        self.turn += 1;
        self.changed_at = to_milliseconds(at);
        self.said = Some(Said {
            parts: outcome.parts,
            metadata,
        });
    }

    fn outcome(&self, step: Step) -> Result<Outcome, IllegalStep> {
        match step {
            Step::AskInput {
                wanted,
                payment_unused,
                sold,
            } => self.ask_input(wanted, payment_unused, sold),
            Step::AskPayment { request, required } => self.ask_payment(request, required),
            Step::Remind => self.remind(),
            Step::RefusePayment { basis, failure } => {
                let offer = self.paid_offer(basis)?;
                Ok(refused(offer, failure, "It was not charged."))
            }
            Step::Begin { basis, run } => {
                let offer = self.paid_offer(basis)?;
                let phase = Phase::Working { offer, run };
                Ok(Outcome::say(
                    phase,
                    "The payment was verified; the work has begun.",
                    Notice::Verified,
                ))
            }
            Step::AwaitSettlement { run } => {
                let phase = Phase::Working {
                    offer: self.working(run)?.clone(),
                    run,
                };
                let text = "The work is done. The settlement of the payment is not confirmed yet; the result follows \
                            as soon as it is. Do not pay again.";
                Ok(Outcome::say(phase, text, Notice::Verified))
            }
            Step::Complete { run, output, settled } => {
                let skill = self.working(run)?.request.skill();
                Ok(completed(skill, output, settled))
            }
            Step::RefuseSettlement { run, failure } => {
                let offer = self.working(run)?.clone();
                Ok(refused(
                    offer,
                    failure,
                    "No money moved, so the result is withheld.",
                ))
            }
            Step::Fail { run, detail } => {
                let phase = Phase::Failed {
                    skill: self.working(run)?.request.skill(),
                };
                let notice = Notice::Failed {
                    code: "SETTLEMENT_FAILED".to_owned(),
                };
                Ok(Outcome::say(
                    phase,
                    format!("The work failed: {detail}. Nothing was charged."),
                    notice,
                ))
            }
            Step::Interrupt { run } => {
                let phase = Phase::AwaitingPayment {
                    offer: self.working(run)?.clone(),
                };
                let text = "The service was interrupted before there was a result. Nothing was charged. Pay again to \
                            have the work done; the same payment will do while it is valid.";
                Ok(Outcome::say(phase, text, Notice::Required))
            }
            Step::Cancel => self.cancel(),
            Step::Decline => match &self.phase {
                Phase::AwaitingPayment { offer } => {
                    let phase = Phase::Canceled {
                        skill: Some(offer.request.skill()),
                    };
                    Ok(Outcome::say(
                        phase,
                        "Canceled, for the payment was declined.",
                        Notice::Rejected,
                    ))
                }
                Phase::Submitted
                | Phase::AwaitingInput { wanted: _ }
                | Phase::Working { offer: _, run: _ }
                | Phase::Completed { skill: _, output: _ }
                | Phase::Failed { skill: _ }
                | Phase::Canceled { skill: _ } => Err(self.illegal()),
            },
        }
    }

    fn ask_input(
        &self,
        wanted: Option<Skill>,
        payment_unused: bool,
        sold: Offering,
    ) -> Result<Outcome, IllegalStep> {
        match &self.phase {
            Phase::Submitted | Phase::AwaitingInput { wanted: _ } => Ok(Outcome {
                phase: Phase::AwaitingInput { wanted },
                parts: text::ask_input(wanted, payment_unused, sold),
                notice: Notice::Silent,
                receipt: None,
            }),
            // A request that stands is replaced by another one, never forgotten.
            Phase::AwaitingPayment { offer: _ }
            | Phase::Working { offer: _, run: _ }
            | Phase::Completed { skill: _, output: _ }
            | Phase::Failed { skill: _ }
            | Phase::Canceled { skill: _ } => Err(self.illegal()),
        }
    }

    fn ask_payment(&self, request: Request, required: Required) -> Result<Outcome, IllegalStep> {
        let offer = self.offered(request, required)?;
        let parts = text::ask_payment(offer.request.skill());
        Ok(Outcome {
            phase: Phase::AwaitingPayment { offer },
            parts,
            notice: Notice::Required,
            receipt: None,
        })
    }

    fn remind(&self) -> Result<Outcome, IllegalStep> {
        match &self.phase {
            Phase::AwaitingPayment { offer } => Ok(Outcome {
                phase: self.phase.clone(),
                parts: text::ask_payment(offer.request.skill()),
                notice: Notice::Required,
                receipt: None,
            }),
            Phase::Submitted
            | Phase::AwaitingInput { wanted: _ }
            | Phase::Working { offer: _, run: _ }
            | Phase::Completed { skill: _, output: _ }
            | Phase::Failed { skill: _ }
            | Phase::Canceled { skill: _ } => Err(self.illegal()),
        }
    }

    fn cancel(&self) -> Result<Outcome, IllegalStep> {
        match &self.phase {
            Phase::Submitted | Phase::AwaitingInput { wanted: _ } | Phase::AwaitingPayment { offer: _ } => {
                let phase = Phase::Canceled { skill: self.skill() };
                Ok(Outcome::say(
                    phase,
                    "Canceled. Nothing was charged.",
                    Notice::Silent,
                ))
            }
            Phase::Working { offer: _, run: _ }
            | Phase::Completed { skill: _, output: _ }
            | Phase::Failed { skill: _ }
            | Phase::Canceled { skill: _ } => Err(self.illegal()),
        }
    }

    /// The offer that a payment is for.
    fn paid_offer(&self, basis: Basis) -> Result<Offer, IllegalStep> {
        match (&self.phase, basis) {
            (Phase::AwaitingPayment { offer }, Basis::Asked(number)) if offer.number == number => {
                Ok(offer.clone())
            }
            (Phase::AwaitingPayment { offer: _ }, Basis::Asked(_)) => Err(IllegalStep::OldOffer),
            (Phase::AwaitingPayment { offer }, Basis::Direct { request, required }) => {
                match offer.request == request && offer.required == required {
                    true => Ok(offer.clone()),
                    false => Err(IllegalStep::Swapped),
                }
            }
            (Phase::Submitted | Phase::AwaitingInput { wanted: _ }, Basis::Direct { request, required }) => {
                self.offered(request, required)
            }
            (Phase::Submitted | Phase::AwaitingInput { wanted: _ }, Basis::Asked(_))
            | (
                Phase::Working { offer: _, run: _ }
                | Phase::Completed { skill: _, output: _ }
                | Phase::Failed { skill: _ }
                | Phase::Canceled { skill: _ },
                Basis::Asked(_)
                | Basis::Direct {
                    request: _,
                    required: _,
                },
            ) => Err(self.illegal()),
        }
    }

    /// A request with what is asked for it; a new number unless both are what they were.
    fn offered(&self, request: Request, required: Required) -> Result<Offer, IllegalStep> {
        match &self.phase {
            Phase::AwaitingPayment { offer } if offer.request == request && offer.required == required => {
                Ok(offer.clone())
            }
            Phase::Submitted | Phase::AwaitingInput { wanted: _ } | Phase::AwaitingPayment { offer: _ } => {
                Ok(Offer {
                    number: AskNumber(self.offers + 1),
                    request,
                    required,
                })
            }
            Phase::Working { offer: _, run: _ }
            | Phase::Completed { skill: _, output: _ }
            | Phase::Failed { skill: _ }
            | Phase::Canceled { skill: _ } => Err(self.illegal()),
        }
    }

    /// The offer being worked on, by this run and no other.
    fn working(&self, run: ScanId) -> Result<&Offer, IllegalStep> {
        match &self.phase {
            Phase::Working { offer, run: own } if *own == run => Ok(offer),
            Phase::Working { offer: _, run: _ } => Err(IllegalStep::OtherRun),
            Phase::Submitted
            | Phase::AwaitingInput { wanted: _ }
            | Phase::AwaitingPayment { offer: _ }
            | Phase::Completed { skill: _, output: _ }
            | Phase::Failed { skill: _ }
            | Phase::Canceled { skill: _ } => Err(self.illegal()),
        }
    }

    const fn illegal(&self) -> IllegalStep {
        IllegalStep::State(self.state())
    }
}

impl Outcome {
    fn say(phase: Phase, text: impl Into<String>, notice: Notice) -> Self {
        Self {
            phase,
            parts: Speech::of(&[Part::text(text)]),
            notice,
            receipt: None,
        }
    }
}

fn completed(skill: Skill, output: Output, settled: Settled) -> Outcome {
    let (text, notice, receipt) = match settled {
        Settled::Receipt(receipt) => (
            "Paid. The result is in the artifact.",
            Notice::Completed,
            Some(receipt),
        ),
        Settled::Proof => (
            "The payment proved the wallet and was not charged. The result is in the artifact.",
            Notice::Verified,
            None,
        ),
    };
    Outcome {
        phase: Phase::Completed { skill, output },
        parts: Speech::of(&[Part::text(text)]),
        notice,
        receipt,
    }
}

fn refused(offer: Offer, failure: PaymentFailure, consequence: &str) -> Outcome {
    let PaymentFailure {
        code,
        detail,
        receipt,
    } = failure;
    Outcome {
        phase: Phase::AwaitingPayment { offer },
        parts: Speech::of(&[Part::text(format!(
            "The payment was not taken: {detail}. {consequence}"
        ))]),
        notice: Notice::Failed { code },
        receipt,
    }
}

#[cfg(test)]
mod tests;
