//! Everything that can happen to one payment, in every order.
//!
//! The world has two requests of the same buyer in two processes, a background that takes over what was left, a chain, a
//! facilitator and strangers. The facilitator may settle, lose the answer, send the transaction and say nothing, refuse
//! before sending, refuse and have it move all the same, find it used, or not act. The payer may cancel, a stranger who saw the
//! authorization may send it, and it may end unused. Any process may crash between any two steps. The search visits
//! every reachable state once, with and without a reader of the chain, and checks what must hold in each.

use super::*;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::OnceLock;

/// The actors that change the payment: two requests and the background.
const ACTORS: usize = 3;
const BACKGROUND: usize = 2;

/// The position of an actor between its steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum At {
    /// Has not begun, or begins again.
    Start,
    /// Has a claim of this turn and asks the facilitator to verify.
    Verifying(u8),
    /// Does the work.
    Working(u8),
    /// Holds a result and is about to say that it will settle; whether a request may have left before.
    Holding(u8, bool),
    /// The request to settle leaves now.
    Sending(u8, bool),
    /// The request was sent and this was answered.
    Answered(u8, bool, Answer),
    /// Took over what may be decided on the chain, and looks there.
    Looking(u8),
    /// Was refused and verifies again.
    Retrying(u8),
    /// Got the result.
    Served,
    /// Was told to pay anew.
    Invited,
    /// Received a different answer.
    Gone,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Answer {
    Settled,
    /// Any failure that proves nothing.
    Doubtful,
    /// "The nonce is used", without a transaction.
    Used,
    /// A definite refusal.
    Refused,
    Lost,
    /// The facilitator did not act.
    Unsent,
}

/// The state of the authorization on the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Chain {
    Unused,
    Paid,
    /// Cancelled, used elsewhere or ended unused.
    Dead,
}

/// The whole world, small enough to be put into a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct World {
    state: Option<PaymentState>,
    turn: u8,
    leased: bool,
    has_result: bool,
    actors: [At; ACTORS],
    chain: Chain,
    /// Whether the last change of the chain is in a final block.
    is_final: bool,
    /// Whether there is a reader.
    reader: bool,
    /// Whether another party has seen the authorization and can send it: the facilitator that was asked to settle.
    known: bool,
    /// Receipts written.
    receipts: u8,
    crashes: u8,
    runs: u8,
    refusals: u8,
    /// Whether a request of this shop made the transfer.
    ours: bool,
    /// Whether the payment became void because its first request found it used.
    used: bool,
}

impl World {
    const fn new(reader: bool) -> Self {
        Self {
            state: None,
            turn: 0,
            leased: false,
            has_result: false,
            actors: [At::Start; ACTORS],
            chain: Chain::Unused,
            is_final: false,
            reader,
            known: false,
            receipts: 0,
            crashes: 0,
            runs: 0,
            refusals: 0,
            ours: false,
            used: false,
        }
    }

    /// The evidence of the chain, for a process with a reader.
    fn evidence(&self) -> Option<PaymentStep> {
        match self.chain {
            Chain::Paid if self.reader && self.is_final => Some(PaymentStep::Succeed),
            Chain::Dead if self.reader && self.is_final => Some(PaymentStep::Void),
            Chain::Unused | Chain::Paid | Chain::Dead => None,
        }
    }

    fn takes_place(&mut self, chain: Chain) {
        self.chain = chain;
        self.is_final = false;
    }

    /// A step under a lease, as the store takes it: only in the current turn, only where the machine allows it. That
    /// money has moved is true in any turn.
    fn step(&mut self, turn: u8, step: PaymentStep) -> bool {
        let after = self
            .state
            .filter(|_| self.turn == turn || step == PaymentStep::Succeed)
            .and_then(|state| state.after(step));
        let Some(after) = after else { return false };
        self.state = Some(after);
        self.receipts += u8::from(step == PaymentStep::Succeed);
        let keeps = matches!(
            after,
            PaymentState::Claimed | PaymentState::Verified | PaymentState::Running
        ) || after.is_unsettled() && !matches!(step, PaymentStep::Unsent | PaymentStep::Pend);
        self.leased = keeps;
        true
    }

    /// Returns the lease without a step.
    fn give_back(&mut self, turn: u8) {
        if self.turn == turn {
            self.leased = false;
        }
    }

    fn decision(&self) -> ClaimDecision {
        let view = |state| {
            PaymentView {
                state,
                leased: self.leased,
                same: true,
            }
            .decision()
        };
        self.state.map_or(ClaimDecision::Start, view)
    }

    fn take_over(&mut self) -> u8 {
        self.turn += 1;
        self.leased = true;
        self.turn
    }
}

/// Every world that one step leads to.
fn next(world: &World) -> Vec<World> {
    let mut worlds = Vec::new();
    for actor in 0..ACTORS {
        let mut go = |change: &dyn Fn(&mut World) -> At| {
            let mut after = *world;
            after.actors[actor] = change(&mut after);
            worlds.push(after);
        };
        match world.actors[actor] {
            At::Start if actor == BACKGROUND => match (world.state, world.leased) {
                (Some(state), false) if state.is_before_result() => go(&|w| {
                    w.turn += 1;
                    w.state = Some(PaymentState::Freed);
                    At::Start
                }),
                (Some(state), false) if state.is_unsettled() => go(&settle_again),
                (Some(PaymentState::Refused), false) if world.reader => go(&|w| At::Looking(w.take_over())),
                _ => {}
            },
            At::Start => match world.decision() {
                ClaimDecision::Start if world.runs < 2 => go(&|w| {
                    let turn = w.take_over();
                    w.state = Some(PaymentState::Claimed);
                    At::Verifying(turn)
                }),
                ClaimDecision::Settle => go(&settle_again),
                ClaimDecision::Retry => go(&|w| At::Retrying(w.take_over())),
                ClaimDecision::Sold => go(&|w| {
                    w.state = w.state.and_then(|state| state.after(PaymentStep::Deliver));
                    At::Served
                }),
                ClaimDecision::Used => go(&|_| At::Invited),
                ClaimDecision::Start | ClaimDecision::Wait => {}
            },
            At::Verifying(turn) => {
                if world.chain == Chain::Unused {
                    go(&|w| {
                        if w.step(turn, PaymentStep::Verify) && w.step(turn, PaymentStep::Begin) {
                            w.runs += 1;
                            At::Working(turn)
                        } else {
                            At::Gone
                        }
                    });
                }
                go(&|w| {
                    w.step(turn, PaymentStep::Free);
                    At::Gone
                });
            }
            At::Working(turn) => {
                go(&|w| {
                    if w.step(turn, PaymentStep::Hold) {
                        w.has_result = true;
                        At::Holding(turn, false)
                    } else {
                        At::Gone
                    }
                });
                go(&|w| {
                    w.step(turn, PaymentStep::Free);
                    At::Gone
                });
            }
            At::Holding(turn, sent) => {
                go(&|w| {
                    if w.step(turn, PaymentStep::Settle) {
                        w.known = true;
                        At::Sending(turn, sent)
                    } else {
                        At::Gone
                    }
                });
            }
            At::Sending(turn, sent) => {
                let mut answers = |chain: Option<Chain>, answer: Answer| {
                    go(&|w| {
                        if let Some(chain) = chain {
                            w.takes_place(chain);
                            w.ours = true;
                        }
                        w.refusals += u8::from(answer == Answer::Refused);
                        At::Answered(turn, sent, answer)
                    });
                };
                // The chain takes an authorization once, from any sender.
                if world.chain == Chain::Unused {
                    answers(Some(Chain::Paid), Answer::Settled);
                    answers(Some(Chain::Paid), Answer::Lost);
                    // It moved, and the facilitator reports a failure.
                    answers(Some(Chain::Paid), Answer::Doubtful);
                    if world.refusals < 1 {
                        answers(None, Answer::Refused);
                    }
                }
                answers(None, Answer::Doubtful);
                answers(None, Answer::Lost);
                if world.chain != Chain::Unused {
                    answers(None, Answer::Used);
                }
                if !sent {
                    answers(None, Answer::Unsent);
                }
            }
            At::Answered(turn, sent, answer) => {
                // A process with a reader looks before it gives up.
                let looked = match answer {
                    Answer::Settled | Answer::Refused | Answer::Unsent => None,
                    Answer::Used if !sent => None,
                    Answer::Used | Answer::Doubtful | Answer::Lost => world.evidence(),
                };
                go(&|w| {
                    let step = looked.unwrap_or(match (answer, sent) {
                        (Answer::Settled, _) => PaymentStep::Succeed,
                        (Answer::Refused, false) => PaymentStep::Refuse,
                        (Answer::Used, false) => PaymentStep::Void,
                        (Answer::Unsent, _) => PaymentStep::Unsent,
                        (Answer::Refused | Answer::Used, true) | (Answer::Doubtful | Answer::Lost, _) => {
                            PaymentStep::Pend
                        }
                    });
                    let taken = w.step(turn, step);
                    w.used |= taken && (answer, sent) == (Answer::Used, false);
                    match (taken, step) {
                        // A buyer shows the payment once more and is served; the background looks for more.
                        (true, PaymentStep::Succeed) => At::Start,
                        (true, _) if actor == BACKGROUND => At::Start,
                        (true, PaymentStep::Refuse | PaymentStep::Void) => At::Invited,
                        (true | false, _) => At::Gone,
                    }
                });
            }
            At::Looking(turn) => {
                let evidence = world.evidence();
                go(&|w| {
                    match evidence {
                        Some(step) => drop(w.step(turn, step)),
                        None => w.give_back(turn),
                    }
                    At::Start
                });
            }
            At::Retrying(turn) => match (world.evidence(), world.chain) {
                (Some(step), _) => go(&|w| match (w.step(turn, step), step) {
                    (true, PaymentStep::Void) => At::Invited,
                    (true, _) => At::Start,
                    (false, _) => At::Gone,
                }),
                (None, Chain::Unused) => {
                    go(&|w| {
                        if w.step(turn, PaymentStep::Hold) {
                            At::Holding(turn, false)
                        } else {
                            At::Gone
                        }
                    });
                    // No verdict, or another refusal.
                    go(&|w| {
                        w.give_back(turn);
                        At::Gone
                    });
                }
                // The facilitator says that the nonce is used.
                (None, Chain::Paid | Chain::Dead) => go(&|w| {
                    w.step(turn, PaymentStep::Pend);
                    At::Gone
                }),
            },
            At::Gone => go(&|_| At::Start),
            At::Served | At::Invited => {}
        }
        // A crash: the actor forgets everything. Its lease ends some time later.
        let busy = !matches!(
            world.actors[actor],
            At::Start | At::Served | At::Invited | At::Gone
        );
        if busy && world.crashes < 2 {
            go(&|w| {
                w.crashes += 1;
                At::Start
            });
        }
    }
    // A lease ends: its holder stopped renewing it, or was too slow.
    if world.leased {
        worlds.push(World {
            leased: false,
            ..*world
        });
    }
    if world.chain == Chain::Unused {
        // Cancelled by the payer, or ended unused.
        let mut dead = *world;
        dead.takes_place(Chain::Dead);
        worlds.push(dead);
        if world.known {
            // Sent by a stranger, refused and moved, or mined late.
            let mut paid = *world;
            paid.takes_place(Chain::Paid);
            worlds.push(paid);
        }
    } else if !world.is_final {
        worlds.push(World {
            is_final: true,
            ..*world
        });
    }
    worlds
}

/// Takes over what has a result: settles it, or looks at the chain first if a request may have left before.
fn settle_again(w: &mut World) -> At {
    let sent = w.state != Some(PaymentState::Held);
    if w.state == Some(PaymentState::Settling) {
        w.state = Some(PaymentState::Pending);
    }
    let turn = w.take_over();
    match w.evidence() {
        Some(_) if sent => At::Looking(turn),
        Some(_) | None => At::Holding(turn, sent),
    }
}

/// The conditions that hold in every world.
fn check(world: &World) {
    let state = world.state;
    let paid = world.chain == Chain::Paid;
    let sold = matches!(state, Some(PaymentState::Settled | PaymentState::Delivered));
    assert!(world.receipts <= 1, "sold twice: {world:?}");
    assert_eq!(
        world.receipts == 1,
        sold,
        "a receipt without a sale, or the other way round: {world:?}"
    );
    assert!(!sold || paid, "released without a transfer: {world:?}");
    assert!(!sold || world.has_result, "sold without a result: {world:?}");
    assert!(
        !world.actors.contains(&At::Served) || sold,
        "served unpaid: {world:?}"
    );
    // Once paid, the way to the result stays open: nothing forgets that money may have moved. A transfer that no request of
    // this shop made is no sale where the first request found it.
    let lost = matches!(
        state,
        Some(PaymentState::Freed | PaymentState::Void | PaymentState::Claimed)
    );
    assert!(!paid || !lost || world.used, "paid for nothing: {world:?}");
    assert!(!world.used || !world.ours, "paid for nothing: {world:?}");
    assert!(
        !world.used || !sold,
        "sold without a transfer of its own: {world:?}"
    );
    // A buyer is invited to pay anew only after a definite refusal or with evidence that this payment is dead.
    let invited = world.actors.contains(&At::Invited);
    assert!(
        !invited || world.refusals > 0 || world.used || world.chain == Chain::Dead,
        "invited to pay twice: {world:?}"
    );
}

/// Every reachable world, with the worlds that one step leads to.
fn explore(start: World) -> HashMap<World, Vec<World>> {
    let (mut seen, mut open) = (HashMap::new(), VecDeque::from([start]));
    while let Some(world) = open.pop_front() {
        if seen.contains_key(&world) {
            continue;
        }
        check(&world);
        // Turns are bounded so that the search ends; two processes and the background take far fewer to go wrong.
        let after: Vec<World> = next(&world).into_iter().filter(|after| after.turn <= 4).collect();
        open.extend(after.iter().filter(|after| !seen.contains_key(*after)));
        seen.insert(world, after);
    }
    seen
}

/// The worlds with a reader, explored once for all tests.
fn with_reader() -> &'static HashMap<World, Vec<World>> {
    static WORLDS: OnceLock<HashMap<World, Vec<World>>> = OnceLock::new();
    WORLDS.get_or_init(|| explore(World::new(true)))
}

#[test]
fn no_order_of_events_sells_twice_or_releases_unpaid_or_loses_a_paid_result() {
    for reader in [false, true] {
        let seen = if reader {
            with_reader()
        } else {
            &explore(World::new(false))
        };
        let sold = seen.keys().filter(|world| world.receipts == 1).count();
        let void = seen
            .keys()
            .filter(|world| world.state == Some(PaymentState::Void) && !world.used)
            .count();
        let used = seen.keys().filter(|world| world.used).count();
        let turns = seen.keys().map(|world| world.turn).max();
        assert!(
            seen.len() > 10_000 && sold > 1_000 && turns == Some(4),
            "{} worlds, {sold} sold",
            seen.len()
        );
        assert_eq!(void > 0, reader, "only evidence makes another payment void");
        assert!(used > 100, "{used}");
    }
}

#[test]
fn with_a_reader_every_final_transfer_with_a_result_can_be_sold() {
    let seen = with_reader();
    let sold = |world: &World| world.receipts == 1;
    // Backwards from the sold worlds.
    let mut before: HashMap<&World, Vec<&World>> = HashMap::new();
    for (world, after) in seen {
        for next in after {
            before.entry(next).or_default().push(world);
        }
    }
    let mut open: Vec<&World> = seen.keys().filter(|world| sold(world)).collect();
    let mut can: HashSet<&World> = open.iter().copied().collect();
    while let Some(world) = open.pop() {
        for earlier in before.get(world).into_iter().flatten() {
            if can.insert(earlier) {
                open.push(earlier);
            }
        }
    }
    // At the bound of turns nothing more is taken over.
    let paid = |world: &&World| {
        world.chain == Chain::Paid && world.is_final && world.has_result && world.turn < 4 && !world.used
    };
    let mut checked = 0;
    for world in seen.keys().filter(paid) {
        checked += 1;
        assert!(can.contains(world), "the result is out of reach: {world:?}");
    }
    assert!(checked > 1_000, "{checked}");
}

#[test]
fn from_every_unsettled_state_there_is_a_way_to_the_end() {
    for &state in PaymentState::ALL {
        let ends = |start: PaymentState| {
            let (mut open, mut seen) = (vec![start], HashSet::new());
            while let Some(state) = open.pop() {
                if state == PaymentState::Delivered {
                    return true;
                }
                if seen.insert(state) {
                    let steps = [
                        PaymentStep::Verify,
                        PaymentStep::Begin,
                        PaymentStep::Hold,
                        PaymentStep::Settle,
                        PaymentStep::Unsent,
                        PaymentStep::Pend,
                        PaymentStep::Succeed,
                        PaymentStep::Refuse,
                        PaymentStep::Void,
                        PaymentStep::Deliver,
                        PaymentStep::Free,
                        PaymentStep::Prove,
                    ];
                    open.extend(steps.into_iter().filter_map(|step| state.after(step)));
                }
            }
            false
        };
        let over = matches!(
            state,
            PaymentState::Freed | PaymentState::Void | PaymentState::Proven
        );
        assert_eq!(ends(state), !over, "{state:?}");
    }
}

#[test]
fn states_have_words() {
    for &state in PaymentState::ALL {
        assert_eq!(state.as_str().parse(), Ok(state));
    }
    assert!("lost".parse::<PaymentState>().is_err());
}

#[test]
fn a_request_with_another_signature_gets_no_result() {
    for &state in PaymentState::ALL {
        for leased in [false, true] {
            let other = PaymentView {
                state,
                leased,
                same: false,
            }
            .decision();
            assert!(
                !matches!(
                    other,
                    ClaimDecision::Settle | ClaimDecision::Retry | ClaimDecision::Sold
                ),
                "{state:?} {leased}"
            );
        }
    }
}
