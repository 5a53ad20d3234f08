//! From a payment to the one write after which work may start.

use super::client::domain;
use super::{Claim, Doing, Purchase, Running, World};
use ibid_a2a::{PaymentFailure, TaskRecord, TaskStep};
use ibid_model::ScanId;

impl World {
    /// The payment is claimed, with its request and its run, before the facilitator is asked.
    pub(super) fn claim(&mut self, purchase: Purchase) -> Option<Doing> {
        let nonce = purchase.call.nonce?;
        match self.claims.get(&nonce) {
            None if self.ledger.contains_key(&nonce) => self.refuse(purchase, "DUPLICATE_NONCE"),
            None => {
                self.made += 1;
                let mut run = [0; 16];
                run[..4].copy_from_slice(&self.made.to_be_bytes());
                let run = ScanId::from_bytes(run);
                let (task, request) = (purchase.task, purchase.request.clone());
                self.claims.insert(
                    nonce,
                    Claim {
                        task,
                        request,
                        run,
                        held: false,
                    },
                );
                Some(Doing::Verify(purchase, run))
            }
            // The result is there and was not paid for: the same payment tries the settlement again.
            Some(claim) if claim.held && claim.task == purchase.task && claim.request == purchase.request => {
                let run = claim.run;
                Some(Doing::Begin(purchase, run))
            }
            Some(claim) if claim.task == purchase.task => {
                self.count("twin");
                None
            }
            Some(_) => self.refuse(purchase, "DUPLICATE_NONCE"),
        }
    }

    pub(super) fn verify(&mut self, purchase: Purchase, run: ScanId, luck: u8) -> Option<Doing> {
        if luck % 5 == 4 {
            self.free(purchase.call.nonce?, run);
            return self.refuse(purchase, "INVALID_SIGNATURE");
        }
        Some(Doing::Begin(purchase, run))
    }

    fn refuse(&mut self, purchase: Purchase, code: &str) -> Option<Doing> {
        self.count("refusal");
        let failure = PaymentFailure {
            code: code.to_owned(),
            detail: "it is no good".to_owned(),
            receipt: None,
        };
        let step = TaskStep::RefusePayment {
            basis: purchase.basis,
            failure,
        };
        let call = purchase.call;
        match (self.get(purchase.task), call.incoming.message.task_id) {
            (Some(record), _) => {
                let next = record.advance_on(&call.incoming.message, step, self.now()).ok()?;
                Some(Doing::Write(call, Box::new(next)))
            }
            (None, None) => {
                assert!(self.put(&self.first(purchase.task, &call, step)));
                None
            }
            (None, Some(_)) => None,
        }
    }

    pub(super) fn begin(&mut self, purchase: Purchase, run: ScanId) -> Option<Doing> {
        let nonce = purchase.call.nonce?;
        let step = TaskStep::Begin {
            basis: purchase.basis.clone(),
            run,
        };
        let message = &purchase.call.incoming.message;
        let next = match (self.get(purchase.task), message.task_id) {
            (Some(record), _) => record.advance_on(message, step, self.now()).ok(),
            (None, None) => Some(self.first(purchase.task, &purchase.call, step)),
            // It expired meanwhile.
            (None, Some(_)) => None,
        };
        match next {
            Some(next) => Some(Doing::Begun(purchase, run, Box::new(next))),
            None => {
                self.count("lost race");
                self.free(nonce, run);
                None
            }
        }
    }

    pub(super) fn start(&mut self, purchase: &Purchase, run: ScanId, begun: &TaskRecord) -> Doing {
        let (task, nonce) = (purchase.task, purchase.call.nonce.unwrap());
        let (claim, request) = (&self.claims[&nonce], begun.task().offer().unwrap().request());
        assert_eq!(
            (claim.run, claim.task),
            (run, task),
            "the claim is of another task"
        );
        assert_eq!(
            request, &claim.request,
            "the request was swapped after it was verified"
        );
        if let Some(names) = purchase.call.names {
            assert_eq!(
                request.fields()["domain"],
                domain(names),
                "the client paid for something else"
            );
        }
        let running = Running { task, nonce, run };
        match claim.held {
            true => {
                self.count("settlement retried");
                Doing::Settle(running)
            }
            false => Doing::Work(running),
        }
    }

    /// A payment that was claimed for this run, and has no result, may be used again.
    pub(super) fn free(&mut self, nonce: u8, run: ScanId) {
        if self
            .claims
            .get(&nonce)
            .is_some_and(|claim| claim.run == run && !claim.held)
        {
            self.claims.remove(&nonce);
        }
    }
}
