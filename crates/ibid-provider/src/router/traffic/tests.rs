//! Outages on virtual time: two keys, no sockets.

use super::*;
use crate::prompt::ShareKind;
use crate::router::verdict::fail;
use futures_util::future::join_all;
use std::sync::Mutex;

/// A model that fails while `broken` says so, and counts its attempts.
struct Model<F> {
    broken: F,
    attempts: Mutex<Vec<Instant>>,
}

impl<F: Fn(u32) -> bool> Model<F> {
    fn new(broken: F) -> Self {
        Self {
            broken,
            attempts: Mutex::default(),
        }
    }

    fn attempts(&self) -> usize {
        self.attempts.lock().unwrap().len()
    }
}

impl<F: Fn(u32) -> bool + Sync> Attempt for Model<F> {
    async fn attempt(&self, number: u32, _: Duration) -> Outcome {
        self.attempts.lock().unwrap().push(Instant::now());
        let broken = (self.broken)(number);
        sleep(Duration::from_millis(5)).await;
        if broken { unavailable() } else { answer() }
    }
}

fn unavailable() -> Outcome {
    crate::router::verdict::outcome_of_error(500, &crate::router::complaint::Complaint::default(), None)
}

fn answer() -> Outcome {
    Outcome::Answered(Completion {
        text: "fine".to_owned(),
        ..Completion::default()
    })
}

fn traffic() -> Traffic {
    Traffic::new(
        2_048,
        ReservedPlaces::default(),
        RetryPolicy::default(),
        BreakerPolicy::default(),
    )
}

/// Asks so many questions at once with a key, all with the same deadline. Returns how many were answered.
async fn ask(traffic: &Traffic, key: &str, model: &impl Attempt, questions: usize, seconds: u64) -> usize {
    let answers = answers(traffic, key, model, questions, seconds).await;
    answers.iter().filter(|answer| answer.is_ok()).count()
}

async fn answers(
    traffic: &Traffic,
    key: &str,
    model: &impl Attempt,
    questions: usize,
    seconds: u64,
) -> Vec<Result<Completion, ProviderError>> {
    let key: ProviderKey = key.parse().unwrap();
    let deadline = Instant::now() + Duration::from_secs(seconds);
    let courses: Vec<_> = (0..questions)
        .map(|_| traffic.course(&key, Share::default(), "m", deadline))
        .collect();
    join_all(courses.iter().map(|course| course.run(model))).await
}

#[tokio::test(start_paused = true)]
async fn a_blip_of_four_tenths_of_a_second_costs_no_answer() {
    for _ in 0..20 {
        let (traffic, begin) = (traffic(), Instant::now());
        let model = Model::new(|_| begin.elapsed() < Duration::from_millis(400));
        let (own, other) = tokio::join!(
            ask(&traffic, "a", &model, 60, 30),
            ask(&traffic, "b", &model, 60, 30)
        );
        assert_eq!((own, other), (60, 60));
        assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
    }
}

#[tokio::test(start_paused = true)]
async fn a_model_that_fails_each_question_once_loses_none() {
    let traffic = traffic();
    let model = Model::new(|number| number == 1);
    assert_eq!(ask(&traffic, "a", &model, 33, 30).await, 33);
}

#[tokio::test(start_paused = true)]
async fn waiting_questions_are_asked_after_an_outage() {
    let (traffic, begin) = (traffic(), Instant::now());
    let model = Model::new(|_| begin.elapsed() < Duration::from_secs(12));
    let answered = ask(&traffic, "a", &model, 100, 60).await;
    // The breaker opens with the fifth question whose attempts are used up.
    assert!(answered >= 95, "{answered}");
    // 100 questions, 30 retries, a few probes, and one attempt for each after the outage.
    assert!(model.attempts() <= 250, "{}", model.attempts());
}

#[tokio::test(start_paused = true)]
async fn a_dead_model_is_probed_and_questions_end_with_their_time() {
    let (traffic, begin) = (traffic(), Instant::now());
    let model = Model::new(|_| true);
    assert_eq!(ask(&traffic, "a", &model, 100, 30).await, 0);
    assert_eq!(begin.elapsed(), Duration::from_secs(30));
    let late = model
        .attempts
        .lock()
        .unwrap()
        .iter()
        .filter(|at| at.duration_since(begin).as_secs() >= 10)
        .count();
    assert!((1..=6).contains(&late), "{late} probes in twenty seconds");
}

#[tokio::test(start_paused = true)]
async fn every_scan_of_a_dead_key_is_as_quick_as_its_first() {
    for pause in [0, 100, 600, 3_000, 20_000, 4_000_000] {
        let (traffic, begin) = (traffic(), Instant::now());
        let dead = Model::new(|_| true);
        assert_eq!(ask(&traffic, "dead", &dead, 5, 120).await, 0);
        let first = begin.elapsed();
        assert!(first < Duration::from_secs(10), "{first:?}");
        for scan in 2..9 {
            sleep(Duration::from_millis(pause)).await;
            let (begin, before) = (Instant::now(), dead.attempts());
            let failed = answers(&traffic, "dead", &dead, 5, 120).await;
            let time = begin.elapsed();
            assert!(time <= first, "scan {scan} after {pause} ms: {time:?}");
            assert!(
                failed
                    .iter()
                    .all(|answer| *answer == Err(ProviderError::KeyFailing))
            );
            assert!(dead.attempts() <= before + 1, "one question probes");
        }
        // The key works again, and the first question finds out.
        sleep(Duration::from_secs(5)).await;
        let good = Model::new(|_| false);
        assert_eq!(ask(&traffic, "dead", &good, 6, 120).await, 6);
    }
}

#[tokio::test(start_paused = true)]
async fn a_key_that_worked_waits_for_an_outage_and_not_for_its_own_death() {
    let (good, dead) = (Model::new(|_| false), Model::new(|_| true));
    let later = async |others_are_answered: bool, after: u64| {
        let traffic = traffic();
        assert_eq!(ask(&traffic, "worked", &good, 1, 5).await, 1);
        ask(&traffic, "worked", &dead, 6, 2).await;
        sleep(Duration::from_secs(after)).await;
        if others_are_answered {
            assert_eq!(ask(&traffic, "other", &good, 1, 5).await, 1);
        }
        let (begin, end) = (Instant::now(), Duration::from_secs(12));
        let model = Model::new(|_| begin.elapsed() < end);
        let answered = ask(&traffic, "worked", &model, 6, 60).await;
        // A question that probes may use its attempts up.
        (answered >= 5, begin.elapsed() < end)
    };
    assert_eq!(later(false, 5).await, (true, false));
    assert_eq!(later(true, 5).await, (false, true));
    assert_eq!(later(false, 60).await, (false, true));
}

#[tokio::test(start_paused = true)]
async fn a_bad_key_takes_nothing_from_other_keys() {
    let traffic = traffic();
    let (bad, good) = (Model::new(|_| true), Model::new(|_| false));
    assert_eq!(ask(&traffic, "bad", &bad, 40, 5).await, 0);
    let begin = Instant::now();
    let (_, answered) = tokio::join!(ask(&traffic, "bad", &bad, 40, 5), async {
        let answered = ask(&traffic, "good", &good, 40, 5).await;
        assert!(
            begin.elapsed() < Duration::from_millis(50),
            "{:?}",
            begin.elapsed()
        );
        answered
    });
    assert_eq!((answered, good.attempts()), (40, 40));
}

#[tokio::test(start_paused = true)]
async fn only_keys_with_a_recent_answer_let_all_keys_wait() {
    let waits = async |proven: bool| {
        let traffic = traffic();
        let (bad, good) = (Model::new(|_| true), Model::new(|_| false));
        for key in ["a", "b", "c", "d"] {
            if proven {
                assert_eq!(ask(&traffic, key, &good, 1, 5).await, 1);
            }
        }
        let failing = async {
            let [a, b, c, d] = ["a", "b", "c", "d"].map(|key| ask(&traffic, key, &bad, 40, 2));
            tokio::join!(a, b, c, d)
        };
        let other = async {
            sleep(Duration::from_millis(1_700)).await;
            let begin = Instant::now();
            assert_eq!(ask(&traffic, "other", &good, 10, 30).await, 10);
            begin.elapsed() > Duration::from_millis(50)
        };
        tokio::join!(failing, other).1
    };
    assert!(!waits(false).await, "bad keys, however many, are no outage");
    assert!(waits(true).await, "four keys that worked before are one");
}

/// A host without a free descriptor.
struct NoDescriptor;

impl Attempt for NoDescriptor {
    async fn attempt(&self, _: u32, _: Duration) -> Outcome {
        Outcome::Failed(Failure::plain(ProviderError::Connection, Again::Yes).local())
    }
}

#[tokio::test(start_paused = true)]
async fn faults_of_this_host_never_count_against_a_provider() {
    let traffic = traffic();
    assert_eq!(ask(&traffic, "a", &NoDescriptor, 100, 5).await, 0);
    let begin = Instant::now();
    let good = Model::new(|_| false);
    assert_eq!(ask(&traffic, "a", &good, 100, 5).await, 100);
    assert!(begin.elapsed() < Duration::from_millis(50));
    // The retries were free, too.
    assert_eq!(
        ask(&traffic, "a", &Model::new(|number| number == 1), 10, 5).await,
        10
    );
}

#[tokio::test(start_paused = true)]
async fn refusals_of_a_caller_open_nothing() {
    struct Refused;
    impl Attempt for Refused {
        async fn attempt(&self, _: u32, _: Duration) -> Outcome {
            fail(ProviderError::RequestRefused { status: 400 }, Again::Never)
        }
    }
    let traffic = traffic();
    assert_eq!(ask(&traffic, "a", &Refused, 100, 5).await, 0);
    let begin = Instant::now();
    assert_eq!(ask(&traffic, "a", &Model::new(|_| false), 10, 5).await, 10);
    assert!(begin.elapsed() < Duration::from_millis(50));
}

/// A model that takes half a second for every answer.
struct Steady;

impl Attempt for Steady {
    async fn attempt(&self, _: u32, _: Duration) -> Outcome {
        sleep(Duration::from_millis(500)).await;
        answer()
    }
}

fn narrow(reserved: ReservedPlaces) -> Traffic {
    Traffic::new(64, reserved, RetryPolicy::default(), BreakerPolicy::default())
}

/// Asks a scan's questions of four models and returns its time.
async fn scan(traffic: &Traffic, key: &str, share: Share, questions: usize) -> Duration {
    let (key, begin): (ProviderKey, _) = (key.parse().unwrap(), Instant::now());
    let deadline = begin + Duration::from_secs(600);
    let courses: Vec<_> = (0..questions)
        .map(|n| traffic.course(&key, share, ["a", "b", "c", "d"][n % 4], deadline))
        .collect();
    let answers = join_all(courses.iter().map(|course| course.run(&Steady))).await;
    assert!(answers.iter().all(Result::is_ok));
    begin.elapsed()
}

#[tokio::test(start_paused = true)]
async fn a_small_scan_beside_large_ones_takes_at_most_twice_its_time() {
    for (own_key, own_caller) in [(false, false), (false, true), (true, false)] {
        for late in [1, 100, 499, 501, 700] {
            let traffic = narrow(ReservedPlaces::default());
            let share = |caller, run| Share {
                kind: ShareKind::Plain,
                caller,
                run,
            };
            let large = |run| scan(&traffic, "k", share(1, run), 480);
            let small = async {
                sleep(Duration::from_millis(late)).await;
                let key = if own_key { "other" } else { "k" };
                scan(&traffic, key, share(if own_caller { 2 } else { 1 }, 9), 6).await
            };
            let ((), time) = tokio::join!(
                async {
                    tokio::join!(large(1), large(2), large(3), large(4));
                },
                small
            );
            assert!(time <= Duration::from_millis(1_000), "{late} ms late: {time:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_demonstration_has_its_place_at_once() {
    let traffic = narrow(ReservedPlaces {
        sold: 8,
        interactive: 4,
    });
    let share = |kind| Share {
        kind,
        ..Share::default()
    };
    let demo = async {
        sleep(Duration::from_millis(10)).await;
        scan(&traffic, "k", share(ShareKind::Interactive), 1).await
    };
    let (_, time) = tokio::join!(scan(&traffic, "k", share(ShareKind::Plain), 480), demo);
    assert_eq!(time, Duration::from_millis(500));
}

#[tokio::test(start_paused = true)]
async fn calls_that_are_given_up_leave_the_queue() {
    let traffic = narrow(ReservedPlaces::default());
    {
        let large = scan(&traffic, "k", Share::default(), 480);
        let given_up = tokio::time::timeout(Duration::from_millis(700), large).await;
        assert!(given_up.is_err());
    }
    assert_eq!((traffic.in_flight(), traffic.waiting()), (0, 0));
    // An eighth of the 64 places is left for other callers.
    assert_eq!(
        scan(&traffic, "k", Share::default(), 56).await,
        Duration::from_millis(500)
    );
}

/// A provider that never answers a key.
struct Silent;

impl Attempt for Silent {
    async fn attempt(&self, _: u32, left: Duration) -> Outcome {
        sleep(left.min(Duration::from_secs(60))).await;
        Outcome::Failed(Failure::plain(ProviderError::Timeout, Again::Once).unhealthy())
    }
}

#[tokio::test(start_paused = true)]
async fn a_key_whose_calls_hang_takes_no_time_from_others() {
    let traffic = narrow(ReservedPlaces::default());
    let share = |caller, run| Share {
        kind: ShareKind::Plain,
        caller,
        run,
    };
    let hanging: ProviderKey = "hanging".parse().unwrap();
    let deadline = Instant::now() + Duration::from_secs(540);
    let courses: Vec<_> = (0..4 * 120)
        .map(|n| {
            traffic.course(
                &hanging,
                share(1, n % 4),
                ["a", "b", "c", "d"][(n % 4) as usize],
                deadline,
            )
        })
        .collect();
    let hang = join_all(courses.iter().map(|course| course.run(&Silent)));
    let others = async {
        for late in 0..40 {
            sleep(Duration::from_secs(2)).await;
            let (one, other) = tokio::join!(
                scan(&traffic, "one", share(2, late), 6),
                scan(&traffic, "other", share(3, late), 6)
            );
            assert!(
                one.max(other) <= Duration::from_millis(1_500),
                "{one:?} {other:?}"
            );
        }
    };
    tokio::select! {
        _ = hang => panic!("the hanging calls have ended"),
        () = others => {}
    }
}

#[tokio::test(start_paused = true)]
async fn a_small_scan_beside_twenty_busy_keys_waits_for_one_answer_at_most() {
    struct Slow;
    impl Attempt for Slow {
        async fn attempt(&self, _: u32, _: Duration) -> Outcome {
            sleep(Duration::from_secs(14)).await;
            answer()
        }
    }
    let traffic = Traffic::new(
        256,
        ReservedPlaces::default(),
        RetryPolicy::default(),
        BreakerPolicy::default(),
    );
    let share = |caller| Share {
        caller,
        ..Share::default()
    };
    let deadline = Instant::now() + Duration::from_secs(3_600);
    let keys: Vec<ProviderKey> = (0..20).map(|n| format!("busy{n}").parse().unwrap()).collect();
    let courses: Vec<_> = (0..20 * 400)
        .map(|n| traffic.course(&keys[n % 20], share(n as u64 % 20), "m", deadline))
        .collect();
    let busy = join_all(courses.iter().map(|course| course.run(&Slow)));
    let polite: ProviderKey = "polite".parse().unwrap();
    let small = async {
        for late in [100, 7_000, 13_900, 20_000] {
            sleep(Duration::from_millis(late)).await;
            let begin = Instant::now();
            let courses: Vec<_> = (0..6)
                .map(|_| traffic.course(&polite, share(99), "m", deadline))
                .collect();
            let answers = join_all(courses.iter().map(|course| course.run(&Slow))).await;
            assert!(answers.iter().all(Result::is_ok));
            assert!(
                begin.elapsed() <= Duration::from_secs(28),
                "{:?}",
                begin.elapsed()
            );
        }
    };
    tokio::select! {
        _ = busy => panic!("the busy calls have ended"),
        () = small => {}
    }
}
