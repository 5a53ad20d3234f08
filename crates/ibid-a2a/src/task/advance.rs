//! The state machine: the next phase for each step, with the agent's message.

use super::step::{AskNumber, Basis, IllegalStep, TaskOutput, TaskSettlement, TaskStep};
use super::value::{Offer, Phase, Task, to_milliseconds};
use crate::agent_message::{AgentMessage, AgentParts};
use crate::message::{Message, Part};
use crate::natural_orders;
use crate::payment::{Notice, PAYMENT_USED, PaymentFailure, Required, WORK_FAILED};
use crate::request::Request;
use crate::text;
use ibid_model::{Offering, ScanId, Skill};
use jiff::Timestamp;
use serde_json::Value;

/// The next phase, the agent's message, and the receipt of an attempted settlement.
struct Transition {
    phase: Phase,
    parts: AgentParts,
    notice: Notice,
    receipt: Option<Value>,
}

impl Task {
    /// Takes a step.
    ///
    /// # Errors
    /// The step is not legal here.
    pub fn advance(mut self, step: TaskStep, at: Timestamp) -> Result<Self, IllegalStep> {
        let unsettled = matches!(step, TaskStep::AwaitSettlement { run: _ });
        let outcome = self.outcome(step)?;
        self.shelve();
        self.settle_into(outcome, at);
        self.unsettled = unsettled;
        Ok(self)
    }

    /// Takes a step because of a client's message, which the history then has.
    ///
    /// # Errors
    /// The step is not legal here. The message is then not stored.
    pub fn advance_on(
        mut self,
        message: &Message,
        step: TaskStep,
        at: Timestamp,
    ) -> Result<Self, IllegalStep> {
        // The message comes first, because it may contain a part of the order.
        self.receive(message.clone());
        let outcome = self.outcome(step)?;
        self.settle_into(outcome, at);
        self.unsettled = false;
        Ok(self)
    }

    fn settle_into(&mut self, outcome: Transition, at: Timestamp) {
        self.receipts.extend(outcome.receipt);
        self.phase = outcome.phase;
        let ended = self.state().is_terminal();
        let metadata = outcome.notice.metadata(&self.receipts, ended);
        if let Some(offer) = self.offer() {
            self.offers = self.offers.max(offer.number.0);
        }
        self.words += 1;
        self.turn += 1;
        self.changed_at = to_milliseconds(at);
        self.agent_message = Some(AgentMessage {
            parts: outcome.parts,
            metadata,
        });
    }

    fn outcome(&self, step: TaskStep) -> Result<Transition, IllegalStep> {
        match step {
            TaskStep::AskInput {
                wanted,
                payment_unused,
                sold,
            } => self.ask_input(wanted, payment_unused, sold),
            TaskStep::AskPayment { request, required } => self.ask_payment(request, required),
            TaskStep::Remind => self.remind(),
            TaskStep::RefusePayment { basis, failure } => {
                let offer = self.paid_offer(basis)?;
                Ok(refused(offer, failure, "It was not charged."))
            }
            TaskStep::Begin { basis, run } => {
                let offer = self.paid_offer(basis)?;
                let phase = Phase::Working { offer, run };
                Ok(Transition::say(
                    phase,
                    "The payment was verified; the work has begun.",
                    Notice::Verified,
                ))
            }
            TaskStep::AwaitSettlement { run } => {
                let phase = Phase::Working {
                    offer: self.working(run)?.clone(),
                    run,
                };
                let text = "The work is done. The settlement of the payment is not confirmed yet; the result follows \
                            as soon as it is. Do not pay again.";
                Ok(Transition::say(phase, text, Notice::Verified))
            }
            TaskStep::Complete { run, output, settled } => {
                let skill = self.working(run)?.request.skill();
                Ok(completed(skill, output, settled))
            }
            TaskStep::RefuseSettlement { run, failure } => {
                let offer = self.working(run)?.clone();
                Ok(refused(
                    offer,
                    failure,
                    "No money moved, so the result is withheld.",
                ))
            }
            TaskStep::Fail { run, detail } => {
                let phase = Phase::Failed {
                    skill: self.working(run)?.request.skill(),
                };
                let notice = Notice::Failed {
                    code: WORK_FAILED.to_owned(),
                };
                Ok(Transition::say(
                    phase,
                    format!("The work failed: {detail}. Nothing was charged."),
                    notice,
                ))
            }
            TaskStep::Interrupt { run } => {
                let phase = Phase::AwaitingPayment {
                    offer: self.working(run)?.clone(),
                };
                let text = "The service was interrupted before there was a result. Nothing was charged. Pay again to \
                            have the work done; the same payment will do while it is valid.";
                Ok(Transition::say(phase, text, Notice::Required))
            }
            TaskStep::Owe { run } => {
                let phase = Phase::AwaitingPayment {
                    offer: self.working(run)?.clone(),
                };
                let text = "The payment is settled, and the work failed. Send the same payment again to have it \
                            done; nothing more is charged.";
                Ok(Transition::say(phase, text, Notice::Required))
            }
            TaskStep::Spend { run } => {
                let phase = Phase::Failed {
                    skill: self.working(run)?.request.skill(),
                };
                let notice = Notice::Failed {
                    code: PAYMENT_USED.to_owned(),
                };
                let text = "The authorization was used, and not for an order here. Your money may have moved: ask \
                            the operator, and do not sign another payment.";
                Ok(Transition::say(phase, text, notice))
            }
            TaskStep::Cancel => self.cancel(),
            TaskStep::Decline => match &self.phase {
                Phase::AwaitingPayment { offer } => {
                    let phase = Phase::Canceled {
                        skill: Some(offer.request.skill()),
                    };
                    Ok(Transition::say(
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
    ) -> Result<Transition, IllegalStep> {
        match &self.phase {
            Phase::Submitted | Phase::AwaitingInput { wanted: _ } => Ok(Transition {
                phase: Phase::AwaitingInput { wanted },
                parts: self.ask_for_input(wanted, payment_unused, sold),
                notice: Notice::Silent,
                receipt: None,
            }),
            // A stored request is replaced by another one and never dropped.
            Phase::AwaitingPayment { offer: _ }
            | Phase::Working { offer: _, run: _ }
            | Phase::Completed { skill: _, output: _ }
            | Phase::Failed { skill: _ }
            | Phase::Canceled { skill: _ } => Err(self.illegal()),
        }
    }

    /// Asks for a request, or for the fields that the words so far do not give.
    fn ask_for_input(&self, wanted: Option<Skill>, payment_unused: bool, sold: Offering) -> AgentParts {
        let texts = natural_orders::texts(self.history());
        match natural_orders::understand(&texts, wanted).filter(|understood| sold.has(understood.skill)) {
            Some(understood) => text::ask_rest(&understood, payment_unused, sold.price(understood.skill)),
            None => text::ask_input(wanted, payment_unused, sold),
        }
    }

    fn ask_payment(&self, request: Request, required: Required) -> Result<Transition, IllegalStep> {
        let offer = self.offered(request, required)?;
        let parts = text::ask_payment(offer.request.skill(), offer.price(), offer.request.understood());
        Ok(Transition {
            phase: Phase::AwaitingPayment { offer },
            parts,
            notice: Notice::Required,
            receipt: None,
        })
    }

    fn remind(&self) -> Result<Transition, IllegalStep> {
        match &self.phase {
            Phase::AwaitingPayment { offer } => Ok(Transition {
                phase: self.phase.clone(),
                parts: text::ask_payment(offer.request.skill(), offer.price(), offer.request.understood()),
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

    fn cancel(&self) -> Result<Transition, IllegalStep> {
        match &self.phase {
            Phase::Submitted | Phase::AwaitingInput { wanted: _ } => Ok(self.canceled(Notice::Silent)),
            // A client that cancels rejects what was demanded.
            Phase::AwaitingPayment { offer: _ } => Ok(self.canceled(Notice::Rejected)),
            Phase::Working { offer: _, run: _ }
            | Phase::Completed { skill: _, output: _ }
            | Phase::Failed { skill: _ }
            | Phase::Canceled { skill: _ } => Err(self.illegal()),
        }
    }

    fn canceled(&self, notice: Notice) -> Transition {
        let phase = Phase::Canceled { skill: self.skill() };
        Transition::say(phase, "Canceled. Nothing was charged.", notice)
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

    /// Returns the offer for a request.
    /// It keeps its number if request and demand are unchanged.
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

impl Transition {
    fn say(phase: Phase, text: impl Into<String>, notice: Notice) -> Self {
        Self {
            phase,
            parts: AgentParts::of(&[Part::text(text)]),
            notice,
            receipt: None,
        }
    }
}

fn completed(skill: Skill, output: TaskOutput, settled: TaskSettlement) -> Transition {
    let (text, notice, receipt) = match settled {
        TaskSettlement::Receipt(receipt) => (
            "Paid. The result is in the artifact.",
            Notice::Completed,
            Some(receipt),
        ),
        TaskSettlement::Proof => (
            "The payment proved the wallet and was not charged. The result is in the artifact.",
            Notice::Verified,
            None,
        ),
    };
    Transition {
        phase: Phase::Completed { skill, output },
        parts: AgentParts::of(&[Part::text(text)]),
        notice,
        receipt,
    }
}

fn refused(offer: Offer, failure: PaymentFailure, consequence: &str) -> Transition {
    let PaymentFailure {
        code,
        detail,
        receipt,
    } = failure;
    Transition {
        phase: Phase::AwaitingPayment { offer },
        parts: AgentParts::of(&[Part::text(format!(
            "The payment was not taken: {detail}. {consequence}"
        ))]),
        notice: Notice::Failed { code },
        receipt,
    }
}

#[cfg(test)]
mod tests;
