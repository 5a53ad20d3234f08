//! Invented states of the workspace.

use super::{Gallery, Outcome, id, member, receipt_id};
use ibid_model::contract::field;
use ibid_model::result::{Comparison, PlaceChoice, PlaceQuestion, Reason};
use ibid_model::{AlertId, Catalog, FaultCode, Faults, Interval, RunState, ScheduleId, Score, UsdMicros};
use ibid_service::{
    AlertRecord, CreditMovement, FinishedRun, MovementKind, RunRecord, RunSummary, ScheduleRecord,
    ScheduleStart, ScheduleUse, ScheduleView, ScheduledRun, Share, TagRecord,
};
use ibid_web::pages::{
    self, CreditsPage, HistoryPage, ModelChoice, NewScanPage, PlanView, ProgressPage, ReceiptsPage,
    RunningRow, ScanFields, ScanProgress, ScheduleForm, ScheduleTarget, SchedulesPage,
};
use jiff::Timestamp;
use serde_json::{Value, json};

fn at(text: &str) -> Outcome<Timestamp> {
    Ok(text.parse()?)
}

type State = (RunState, Option<(Score, Option<Interval>)>);

fn complete(score: f64, half: f64) -> State {
    let interval = Interval {
        low: (score - half).max(0.0),
        high: (score + half).min(100.0),
        level: 0.95,
        low_precision: false,
    };
    (RunState::Complete, Some((Score::new(score), Some(interval))))
}

pub(crate) fn write(gallery: &mut Gallery) -> Outcome<()> {
    let row = |n,
               domain,
               keyword,
               place: Option<&str>,
               state: State,
               questions,
               shared: bool,
               day: &str|
     -> Outcome<RunRecord> {
        let (state, score) = state;
        let finished = score.map(|(score, interval)| FinishedRun {
            receipt: receipt_id(n),
            summary: RunSummary { score, interval },
            cost: 892_400,
        });
        let tags: &[&str] = if n % 3 == 1 { &["client", "autumn"] } else { &[] };
        Ok(RunRecord {
            state,
            finished,
            place: place.map(str::to_owned),
            done: 37,
            questions,
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            share: shared.then(|| Share {
                token: String::new(),
                until: None,
                protected: false,
            }),
            created_at: at(&format!("{day}T10:01:12Z"))?.as_millisecond(),
            ..run(n, domain, keyword)
        })
    };
    let rows = [
        row(
            9,
            "aiguaclara.example",
            "emergency plumber",
            Some("Valencia, Spain"),
            (RunState::Running, None),
            160,
            false,
            "2026-11-21",
        )?,
        row(
            1,
            "aiguaclara.example",
            "plumber",
            Some("Valencia, Spain"),
            complete(45.9, 8.4),
            160,
            true,
            "2026-11-21",
        )?,
        row(
            2,
            "hidro24.example",
            "plumber",
            Some("Valencia, Spain"),
            complete(61.2, 7.0),
            160,
            false,
            "2026-11-20",
        )?,
        row(
            4,
            "täxi-münchen.example",
            "Flughafentransfer mit Kindersitz",
            Some("München, Germany"),
            complete(12.4, 9.0),
            99,
            false,
            "2026-11-18",
        )?,
        row(
            5,
            "crm.example",
            "crm for small teams",
            None,
            (RunState::Failed, None),
            30,
            false,
            "2026-11-18",
        )?,
        row(
            6,
            "a-very-long-domain-name-that-somebody-really-registered-in-2019.example",
            "bookkeeping software for freelancers who travel",
            Some("Aix-en-Provence, France"),
            complete(0.0, 4.1),
            60,
            false,
            "2026-11-11",
        )?,
        row(
            7,
            "bakery.example",
            "gluten-free bakery",
            Some("Lyon, France"),
            (RunState::Cancelled, None),
            45,
            false,
            "2026-11-09",
        )?,
        row(
            10,
            "bakery.example",
            "bakery",
            Some("Lyon, France"),
            complete(78.8, 6.6),
            45,
            false,
            "2026-11-02",
        )?,
    ];
    let counts = [
        TagRecord {
            name: "autumn".to_owned(),
            scans: 12,
        },
        TagRecord {
            name: "client".to_owned(),
            scans: 31,
        },
    ];
    let all = HistoryPage {
        rows: &rows,
        query: "",
        tag: None,
        tags: &counts,
        page: 1,
        pages: 7,
        total: 52,
        alerts: 2,
    };
    gallery.page("history", pages::history(&member(), &all))?;
    let found = HistoryPage {
        rows: &rows[1..3],
        query: "plumber \"valencia\"",
        tag: Some("client"),
        page: 2,
        pages: 3,
        total: 18,
        ..all
    };
    gallery.page("history-search", pages::history(&member(), &found))?;
    let nothing = HistoryPage {
        rows: &[],
        query: "nowhere",
        tags: &[],
        pages: 1,
        total: 0,
        ..all
    };
    gallery.page("history-nothing", pages::history(&member(), &nothing))?;
    gallery.page(
        "history-empty",
        pages::history(&member(), &HistoryPage { query: "", ..nothing }),
    )?;
    schedules(gallery)?;
    new_scan(gallery, &rows)?;
    progress_page(gallery)
}

fn schedules(gallery: &mut Gallery) -> Outcome<()> {
    let at = Timestamp::from_second(1_795_000_000)?;
    let (scan, now) = (id(1), at.as_millisecond());
    let view = |is_paused: bool, failures| -> Outcome<ScheduleView> {
        let record = ScheduleRecord {
            id: ScheduleId::from_bytes([7; 16]),
            owner: String::new(),
            name: "Weekly check".to_owned(),
            document: json!({"domain": "example.com", "keyword": "plumber", "location": "Valencia, Spain"})
                .to_string(),
            recurrence: json!({"unit": "weeks", "every": 1, "weekday": "monday", "at": "09:00",
                "timeZone": "Europe/Madrid"})
            .to_string(),
            next_due: Some(now),
            paused_at: is_paused.then_some(now),
            budget: Some(5_000_000),
            credits: None,
            failures,
            templates: None,
            created_at: now,
            project: None,
        };
        let run = ScheduledRun {
            firing: ScheduleStart {
                schedule: record.id,
                due: now,
            },
            scan: Some(scan),
            outcome: Some("complete".to_owned()),
            began_at: now,
            ended_at: Some(now),
            cost: 1_200_000,
        };
        Ok(ScheduleView {
            used: ScheduleUse {
                cost: 1_200_000,
                credits: 3,
            },
            runs: vec![run],
            ..ScheduleView::without_runs(record)?
        })
    };
    let alert = |seen_at| AlertRecord {
        id: AlertId::from_bytes([7; 16]),
        firing: ScheduleStart {
            schedule: ScheduleId::from_bytes([7; 16]),
            due: now,
        },
        name: "Weekly check".to_owned(),
        kind: "changed".to_owned(),
        scan: Some(scan),
        previous: Some(scan),
        summary: "The score changed: 41.2, before 12.8.".to_owned(),
        at: now,
        seen_at,
    };
    let form = ScheduleForm {
        target: ScheduleTarget::New(scan),
        domain: "example.com".to_owned(),
        keyword: "plumber".to_owned(),
        unit: "weeks".to_owned(),
        every: "1".to_owned(),
        weekday: "monday".to_owned(),
        at: "09:00".to_owned(),
        time_zone: "UTC".to_owned(),
        name: String::new(),
        budget: String::new(),
        credits: String::new(),
        faults: Faults::default(),
    };
    let all = SchedulesPage {
        schedules: &[view(false, 0)?, view(true, 2)?],
        alerts: &[alert(None), alert(Some(now))],
        form: Some(&form),
    };
    gallery.page("schedules", pages::schedules(&member(), &all))?;
    let none = SchedulesPage {
        schedules: &[],
        alerts: &[],
        form: None,
    };
    gallery.page("schedules-empty", pages::schedules(&member(), &none))
}

fn new_scan(gallery: &mut Gallery, rows: &[RunRecord]) -> Outcome<()> {
    let catalog = Catalog::builtin();
    let models: Vec<_> = catalog
        .models()
        .iter()
        .map(|model| ModelChoice::of(model, None, true))
        .collect();
    let defaults: Vec<_> = catalog
        .defaults()
        .iter()
        .map(|model| model.alias.to_string())
        .collect();
    let none = Faults::default();
    let empty = ScanFields::empty(defaults.clone());
    let fresh = NewScanPage {
        form: &empty,
        faults: &none,
        models: &models,
        plan: None,
        place: None,
        confirmed: "",
        most_cost: UsdMicros::new(5_000_000),
        recent: &rows[..4],
    };
    gallery.page("new-scan", pages::new_scan(&member(), &fresh))?;
    let filled = empty
        .clone()
        .with(&field::DOMAIN, json!("aiguaclara.example"))
        .with(&field::KEYWORD, json!("plumber"))
        .with(&field::LOCATION, json!("Valencia, Spain"))
        .with(&field::RINGS, json!([1, 2, 3]))
        .with(&field::BRAND_NAMES, json!(["Aigua Clara", "AiguaClara SL"]));
    let view = plan_view()?;
    let plan = Some(&view);
    gallery.page(
        "new-scan-filled",
        pages::new_scan(
            &member(),
            &NewScanPage {
                form: &filled,
                plan,
                ..fresh
            },
        ),
    )?;
    let mut faults = Faults::one(
        "/domain",
        FaultCode::Invalid,
        "domain is not a website: “localhost” has no public suffix",
    );
    faults.push(
        "/location",
        FaultCode::LocationNotFound,
        "location is unknown; did you mean Valencia, Spain?",
    );
    faults.push(
        "/questionsPerModel",
        FaultCode::OutOfRange,
        "questionsPerModel must be between 1 and 10",
    );
    faults.push(
        "/models",
        FaultCode::OutOfRange,
        "models must name at least one alias",
    );
    let wrong = filled
        .clone()
        .with(&field::DOMAIN, json!("localhost"))
        .with(&field::LOCATION, json!("Valensia"))
        .with(&field::MODELS, json!([]))
        .with(&field::QUESTIONS_PER_MODEL, json!(40));
    let place = PlaceQuestion {
        question: "Which place do you mean?".to_owned(),
        choices: ["Valencia, Spain", "Valencia, Carabobo, Venezuela"]
            .map(|label| PlaceChoice::of_label(label.to_owned()))
            .to_vec(),
    };
    let refused = NewScanPage {
        form: &wrong,
        place: Some(&place),
        faults: &faults,
        recent: &[],
        ..fresh
    };
    gallery.page("new-scan-faults", pages::new_scan(&member(), &refused))?;
    let broke = ibid_web::Frame {
        account: Some(ibid_web::AccountView {
            email: "ana@aiguaclara.example",
            credits: 0,
            admin: false,
        }),
        ..member()
    };
    gallery.page("new-scan-no-credit", pages::new_scan(&broke, &fresh))
}

/// A plan with core questions, two of a town, a ring and a warning.
fn plan_view() -> Outcome<PlanView> {
    let question = |id: &str, ring: Option<u8>, market: Option<&str>, language: &str, text: &str| {
        json!({"questionId": id, "questionHash": "0", "origin": "template", "kind": "trade", "ring": ring, "market": market, "template": "list",
               "language": language, "question": text})
    };
    let generated = [
        "fontanero en Valencia: ¿a quién recomiendas?",
        "en Valencia, los mejores: fontanero",
    ];
    let plan = json!({
        "calls": 57, "estimatedCostUsd": 0.8924, "models": ["model-1-latest"], "language": "es", "location": null,
        "rings": [{"ring": 1, "fromKm": 0, "toKm": 25, "markets": ["Valencia, Spain", "Torrent, Valencia, Spain"],
                   "calls": 48, "estimatedCostUsd": 0.75}],
        "questions": [question("c1", None, None, "es", generated[0]), question("c2", None, None, "es", generated[1]),
                      question("r1m2k1q1", Some(1), Some("Torrent"), "es", "fontanero en Torrent: opiniones")],
        "branded": true,
        "warnings": [{"code": "branded_question", "message": "a question names the domain scanned"}],
    });
    Ok(PlanView {
        plan: serde_json::from_value(plan)?,
        generated: generated.map(str::to_owned).to_vec(),
        estimate: UsdMicros::new(892_400),
        comparison_note: None,
    })
}

fn progress_page(gallery: &mut Gallery) -> Outcome<()> {
    let row = |key: &str, label: &str, total, done, cited| RunningRow {
        key: key.to_owned(),
        label: label.to_owned(),
        total,
        done,
        cited,
    };
    let models = [
        row("model-1-latest", "OpenAI GPT (latest flagship)", 32, 21, 9),
        row("model-2-latest", "Anthropic Claude Opus (latest)", 32, 17, 12),
        row("model-3-latest", "Google Gemini Pro (latest)", 32, 26, 7),
    ];
    let rings = [
        row("0", "Core questions", 30, 30, 16),
        row("1", "Ring 1, up to 25 km", 33, 20, 9),
        row("2", "Ring 2, up to 50 km", 33, 14, 3),
    ];
    let running = ScanProgress::Running {
        done: 64,
        total: 96,
        models: &models,
        rings: &rings,
        cancellable: true,
        elapsed: std::time::Duration::from_secs(80),
    };
    let page = |state| -> Outcome<ProgressPage<'_>> {
        let at = at("2026-11-21T10:01:12Z")?;
        Ok(ProgressPage {
            id: id(9),
            domain: "aiguaclara.example",
            keyword: "emergency plumber",
            place: Some("Valencia, Spain"),
            at,
            state,
        })
    };
    gallery.page("running", pages::progress_page(&member(), &page(running)?))?;
    let failed = ScanProgress::Failed {
        reason: "None of the 160 questions was answered: the provider refused the key of this server.",
        credit_returned: true,
    };
    gallery.page("failed", pages::progress_page(&member(), &page(failed)?))?;
    let cancelled = ScanProgress::Cancelled {
        done: 37,
        credit_returned: false,
    };
    gallery.page("cancelled", pages::progress_page(&member(), &page(cancelled)?))
}

/// A finished scan of an account, as it is stored.
pub(crate) fn run(n: u8, domain: &str, keyword: &str) -> RunRecord {
    RunRecord {
        id: id(n),
        state: RunState::Complete,
        finished: Some(FinishedRun {
            receipt: receipt_id(n),
            summary: RunSummary {
                score: Score::new(45.9),
                interval: None,
            },
            cost: 892_400,
        }),
        error: None,
        request: String::new(),
        domain: domain.to_owned(),
        keyword: keyword.to_owned(),
        place: None,
        questions: 160,
        done: 160,
        credit_returned: false,
        title: None,
        cost: 892_400,
        deleted: n == 3,
        share: None,
        tags: Vec::new(),
        created_at: 1_795_000_000_000,
        ended_at: None,
    }
}

/// A movement of credits, with its scan.
pub(crate) fn movement(kind: MovementKind, amount: i64, about: Option<&str>) -> CreditMovement {
    CreditMovement {
        entry: 1,
        at: 1_795_000_000_000,
        kind,
        amount,
        balance: 41,
        scan: about.map(|text| (id(1), text.to_owned(), text.to_owned())),
    }
}

pub(crate) fn money(gallery: &mut Gallery) -> Outcome<()> {
    let runs = [
        run(1, "aiguaclara.example", "plumber"),
        run(3, "crm.example", "crm for small teams"),
    ];
    let page = |runs, next| ReceiptsPage { runs, next };
    gallery.page(
        "receipts",
        pages::receipts(&member(), &page(&runs, Some("eyJhIjoxfQ=="))),
    )?;
    gallery.page("receipts-empty", pages::receipts(&member(), &page(&[], None)))?;
    let movements = [
        movement(MovementKind::Spent, -1, Some("aiguaclara.example")),
        movement(MovementKind::Returned, 1, Some("aiguaclara.example")),
        movement(MovementKind::Granted, 40, None),
    ];
    let page = CreditsPage {
        balance: 41,
        movements: &movements,
        next: None,
    };
    gallery.page("credits", pages::credits(&member(), &page))
}

pub(crate) fn comparisons() -> Outcome<[(&'static str, Comparison); 3]> {
    let interval =
        |low: f64, high: f64| json!({"low": low, "high": high, "level": 0.95, "lowPrecision": false});
    let nothing = json!({"verdict": "not_comparable", "pairing": "none", "pairs": 4, "differing": 3, "firstAnswers": 40,
        "secondAnswers": 40, "first": null, "second": null, "mean": null, "interval": null, "pValue": null,
        "detectable": null, "cited": null});
    let cited = |p: f64| json!({"first": 0.5, "second": 0.5, "gained": null, "lost": null, "pValue": p});
    let overall = |mean: f64, interval: Value, p: f64, presence: f64| {
        let mut overall = nothing.clone();
        overall["pairs"] = json!(40);
        overall["differing"] = json!(23);
        overall["mean"] = json!(mean);
        overall["interval"] = interval;
        overall["pValue"] = json!(p);
        overall["detectable"] = json!(6.2);
        overall["cited"] = cited(presence);
        overall
    };
    let model = |alias: &str, verdict: &str| {
        let mut difference = nothing.clone();
        difference["verdict"] = json!(verdict);
        json!({"model": alias, "modelLabel": alias, "firstResolvedModel": null, "secondResolvedModel": null,
            "difference": difference, "adjustedPValue": null})
    };
    let scan = json!({"scanId": null, "domain": "example.com", "keyword": "plumber", "location": null, "overallScore": 40,
        "interval": null, "methodVersion": "3.5", "finishedAt": "2026-11-01T09:00:00Z"});
    let comparison =
        |verdict: &str, sentence: &str, overall: Value, models: &[Value]| -> Outcome<Comparison> {
            Ok(serde_json::from_value(
                json!({"verdict": verdict, "sentence": sentence, "reasons": [], "first": scan,
            "second": scan, "overall": overall, "models": models, "radius": null}),
            )?)
        };
    let models = [
        model("model-1-latest", "changed"),
        model("model-2-latest", "within_noise"),
        model("model-3-latest", "changed"),
        model("model-4-latest", "within_noise"),
    ];
    let changed = comparison(
        "changed",
        "The score of example.com went from 32.1 to 41.2 (+9.1, 95 % interval +3.4 to +14.6, p = 0.002) over 40 pairs of answers. That is more than chance would move it.",
        overall(9.1, interval(3.4, 14.6), 0.0019, 0.039),
        &models,
    )?;
    let noise = comparison(
        "within_noise",
        "The score of example.com went from 41.2 to 39.8 (-1.4, 95 % interval -5.2 to +2.3, p = 0.480) over 40 pairs of answers. Asking twice gives differences like this one.",
        overall(-1.4, interval(-5.2, 2.3), 0.48, 1.0),
        &[model("model-1-latest", "within_noise")],
    )?;
    let mut incomparable = comparison(
        "not_comparable",
        "These scans cannot be compared: 4 questions pair; a test needs 6, or four questions a model on each side.",
        nothing.clone(),
        &[],
    )?;
    incomparable.reasons.push(Reason {
        code: "too_few_pairs".to_owned(),
        message: "4 questions pair; a test needs 6, or four questions a model on each side".to_owned(),
        blocks: true,
        still_comparable: Some("the scores with their intervals, by eye".to_owned()),
    });
    Ok([
        ("compare", changed),
        ("compare-noise", noise),
        ("compare-not", incomparable),
    ])
}
