//! Invented states of the workspace.

use super::{Gallery, Outcome, id, member, receipt_id};
use ibid_model::contract::field;
use ibid_model::result::{PlaceChoice, PlaceQuestion};
use ibid_model::{
    AtomicUsdc, Catalog, FaultCode, Faults, Interval, Network, RunState, ScheduleId, Score, Skill, UsdMicros,
};
use ibid_web::pages::{
    self, AlertRow, AmountCharged, Change, ComparisonView, CreditsPage, HistoryPage, LedgerKind, LedgerRow,
    LedgerScan, ModelChange, ModelChoice, NewScanPage, PlanView, ProgressPage, ReceiptRow, ReceiptsPage,
    RunningRow, ScanFields, ScanProgress, ScanRow, ScheduleForm, ScheduleRow, ScheduleTarget, SchedulesPage,
    TagCount,
};
use jiff::Timestamp;
use serde_json::json;

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
    let tags = ["client".to_owned(), "autumn".to_owned()];
    let row =
        |n, domain, keyword, place, state: State, questions, shared, day: &str| -> Outcome<ScanRow<'_>> {
            let tags = if n % 3 == 1 { &tags[..] } else { &[] };
            Ok(ScanRow {
                title: None,
                id: id(n),
                domain,
                keyword,
                place,
                state: state.0,
                score: state.1,
                done: 37,
                questions,
                tags,
                shared,
                at: at(&format!("{day}T10:01:12Z"))?,
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
        TagCount {
            name: "autumn",
            scans: 12,
        },
        TagCount {
            name: "client",
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
    let (scan, faults) = (id(1), Faults::default());
    let row = |paused, failures| ScheduleRow {
        id: ScheduleId::from_bytes([7; 16]),
        name: "Weekly check",
        domain: "example.com",
        keyword: "plumber",
        place: "Valencia, Spain",
        recurrence: "every week on Monday at 09:00, Europe/Madrid".to_owned(),
        paused,
        next: vec!["2026-11-30 09:04".to_owned(), "2026-12-07 09:04".to_owned()],
        last: Some((at, Some(scan), "complete")),
        used: "$1.20 of $5.00, 3 credits".to_owned(),
        failures,
        new_questions: paused,
    };
    let alert = |seen| AlertRow {
        about: "Weekly check",
        summary: "The score changed: 41.2, before 12.8.",
        scan: Some(scan),
        previous: Some(scan),
        at,
        seen,
    };
    let form = ScheduleForm {
        target: ScheduleTarget::New(scan),
        domain: "example.com",
        keyword: "plumber",
        unit: "weeks",
        every: "1",
        weekday: "monday",
        at: "09:00",
        time_zone: "UTC",
        name: "",
        budget: "",
        credits: "",
        faults: &faults,
    };
    let all = SchedulesPage {
        rows: &[row(false, 0), row(true, 2)],
        alerts: &[alert(false), alert(true)],
        form: Some(&form),
    };
    gallery.page("schedules", pages::schedules(&member(), &all))?;
    let none = SchedulesPage {
        rows: &[],
        alerts: &[],
        form: None,
    };
    gallery.page("schedules-empty", pages::schedules(&member(), &none))
}

fn new_scan(gallery: &mut Gallery, rows: &[ScanRow<'_>]) -> Outcome<()> {
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

pub(crate) fn money(gallery: &mut Gallery) -> Outcome<()> {
    let row = |n: u8, skill, about, charge, day: &str| -> Outcome<ReceiptRow<'_>> {
        Ok(ReceiptRow {
            id: receipt_id(n),
            at: at(&format!("{day}T10:03:08Z"))?,
            skill,
            about,
            scan: (n != 3).then(|| id(n)),
            charge,
        })
    };
    let transaction = Some("0x9ec2a1f4b8d03c5577e6a90412fbd8837a66c9e0d1b2a3f4c5d6e7f80912ab34");
    let usdc = AmountCharged::Usdc {
        amount: AtomicUsdc::new(150_000),
        network: Network::BaseSepolia,
        transaction,
    };
    let rows = [
        row(
            1,
            Skill::Scan,
            "aiguaclara.example, plumber",
            AmountCharged::Credits(1),
            "2026-11-21",
        )?,
        row(
            2,
            Skill::Scan,
            "hidro24.example, plumber",
            AmountCharged::Credits(1),
            "2026-11-20",
        )?,
        row(
            3,
            Skill::Scan,
            "crm.example, crm for small teams",
            usdc,
            "2026-11-18",
        )?,
    ];
    gallery.page(
        "receipts",
        pages::receipts(
            &member(),
            &ReceiptsPage {
                rows: &rows,
                next: Some("eyJhIjoxfQ=="),
            },
        ),
    )?;
    gallery.page(
        "receipts-empty",
        pages::receipts(
            &member(),
            &ReceiptsPage {
                rows: &[],
                next: None,
            },
        ),
    )?;
    let scan = Some(LedgerScan {
        id: id(1),
        about: "aiguaclara.example, plumber",
    });
    let move_of = |day: &str, kind, credits, balance, scan| -> Outcome<LedgerRow<'_>> {
        Ok(LedgerRow {
            at: at(&format!("{day}T10:01:12Z"))?,
            kind,
            credits,
            balance,
            scan,
        })
    };
    let ledger = [
        move_of("2026-11-21", LedgerKind::Spent, 1, 41, scan)?,
        move_of("2026-11-18", LedgerKind::Returned, 1, 42, scan)?,
        move_of("2026-11-18", LedgerKind::Spent, 1, 41, scan)?,
        move_of("2026-11-01", LedgerKind::Granted, 40, 42, None)?,
    ];
    gallery.page(
        "credits",
        pages::credits(
            &member(),
            &CreditsPage {
                balance: 41,
                ledger: &ledger,
                next: None,
            },
        ),
    )
}

pub(crate) fn comparisons() -> [(&'static str, ComparisonView); 3] {
    let interval = |low, high| {
        Some(Interval {
            low,
            high,
            level: 0.95,
            low_precision: false,
        })
    };
    let model = |alias: &str, verdict| match alias.parse() {
        Ok(model) => ModelChange { model, verdict },
        Err(never) => match never {},
    };
    let models = vec![
        model("model-1-latest", Change::Changed),
        model("model-2-latest", Change::WithinNoise),
        model("model-3-latest", Change::Changed),
        model("model-4-latest", Change::WithinNoise),
    ];
    let changed = ComparisonView {
        verdict: Change::Changed,
        sentence: "The score of example.com went from 32.1 to 41.2 (+9.1, 95 % interval +3.4 to +14.6, p = 0.002) over 40 pairs of answers. That is more than chance would move it.".to_owned(),
        notes: Vec::new(),
        cells: 40,
        non_zero: 23,
        mean: Some(9.1),
        interval: interval(3.4, 14.6),
        p_value: Some(0.0019),
        detectable: Some(6.2),
        presence_p: Some(0.039),
        models,
    };
    let noise = ComparisonView {
        verdict: Change::WithinNoise,
        sentence: "The score of example.com went from 41.2 to 39.8 (-1.4, 95 % interval -5.2 to +2.3, p = 0.480) over 40 pairs of answers. Asking twice gives differences like this one.".to_owned(),
        mean: Some(-1.4),
        interval: interval(-5.2, 2.3),
        p_value: Some(0.48),
        presence_p: Some(1.0),
        models: vec![model("model-1-latest", Change::WithinNoise)],
        ..changed.clone()
    };
    let incomparable = ComparisonView {
        verdict: Change::NotComparable,
        sentence: "These scans cannot be compared: 4 questions pair; a test needs 6, or four questions a model on each side.".to_owned(),
        notes: vec!["4 questions pair; a test needs 6, or four questions a model on each side. Still comparable: the scores with their intervals, by eye.".to_owned()],
        cells: 4,
        non_zero: 3,
        mean: None,
        interval: None,
        p_value: None,
        detectable: None,
        presence_p: None,
        models: Vec::new(),
    };
    [
        ("compare", changed),
        ("compare-noise", noise),
        ("compare-not", incomparable),
    ]
}

/// Competitors and sources of a project.
pub(crate) fn project_pages(gallery: &mut Gallery) -> Outcome<()> {
    let mut points = Vec::new();
    for (day, share) in [("10-05", 0.3), ("10-12", 0.42), ("10-19", 0.38)] {
        points.push(pages::SharePoint {
            at: at(&format!("2026-{day}T09:00:00Z"))?,
            share,
            interval: Interval {
                low: share - 0.2,
                high: share + 0.25,
                level: 0.95,
                low_precision: false,
            },
        });
    }
    let wins = [pages::WinRow {
        question: "Who repairs boilers in Girona on a Sunday?",
        answers: 36,
        rival: 30,
        own: 4,
    }];
    let aliases = ["Tubs".to_owned()];
    let rows = [
        pages::RivalRow {
            name: "Tubs & Co",
            domain: "tubs.example",
            aliases: &aliases,
            pinned: true,
            named: 190,
            points: &points,
            wins: &wins,
        },
        pages::RivalRow {
            name: "Fontaneria Vidal",
            domain: "",
            aliases: &[],
            pinned: false,
            named: 88,
            points: &points,
            wins: &[],
        },
    ];
    let full = pages::RivalsPage {
        id: "5b0d3f3e-0000-4000-8000-000000000001",
        name: "Aigua Clara",
        rows: &rows,
        ignored: &["Yelp Boilers"],
        recent: (12, 360),
        rare: 7,
        waiting: 2,
        last: Some(at("2026-10-19T09:00:00Z")?),
        may_write: true,
    };
    gallery.page("project-rivals", pages::project_rivals(&member(), &full))?;
    let first = pages::RivalsPage {
        rows: &[],
        ignored: &[],
        recent: (0, 0),
        last: None,
        waiting: 0,
        rare: 0,
        ..full
    };
    gallery.page("project-rivals-first", pages::project_rivals(&member(), &first))?;
    let kinds = [
        "own",
        "competitor",
        "directory",
        "media",
        "reference",
        "community",
        "institution",
        "other",
    ]
    .map(|kind| pages::SourceKindRow {
        kind,
        sites: 3,
        answers: 12,
        cited: 5,
        trend: if kind == "media" { "more" } else { "" },
    });
    let links = [
        ("https://aiguaclara.example/boilers", 9, 4),
        ("not an address", 1, 0),
    ];
    let sites = [pages::SourceRow {
        site: "aiguaclara.example",
        kind: "own",
        answers: 9,
        cited: 4,
        with_own: 9,
        pages: &links,
        more_pages: 3,
        trend: "fewer",
    }];
    let full = pages::SourcesPage {
        id: "5b0d3f3e-0000-4000-8000-000000000001",
        name: "Aigua Clara",
        last: Some(at("2026-10-19T09:00:00Z")?),
        before: Some(at("2026-10-12T09:00:00Z")?),
        answers: (30, 24),
        compared: 24,
        kinds: &kinds,
        sites: &sites,
        rare: 4,
        waiting: true,
    };
    gallery.page("project-sources", pages::project_sources(&member(), &full))?;
    let first = pages::SourcesPage {
        last: None,
        before: None,
        kinds: &[],
        sites: &[],
        waiting: false,
        ..full
    };
    own_data(gallery)?;
    gallery.page("project-sources-first", pages::project_sources(&member(), &first))
}

fn own_data(gallery: &mut Gallery) -> Outcome<()> {
    let faults = Faults::default();
    let empty = pages::OwnDataPage {
        id: "0190b5a8-0000-7000-8000-000000000001",
        name: "Aigua Clara",
        imports: &[],
        rows: (0, 200_000),
        scores: &[],
        series: &[],
        columns: &[],
        pages: &[],
        more_pages: 0,
        topics: &[],
        queries: &[],
        agreements: &[],
        answers: 0,
        seen: pages::SeenAnswersView::default(),
        formats: &[("combined", "lines in the combined format of Apache and nginx")],
        read: None,
        faults: &faults,
        may_write: true,
    };
    gallery.page(
        "project-own-data-first",
        pages::project_own_data(&member(), &empty),
    )?;
    let first: jiff::civil::Date = "2026-09-01".parse()?;
    let day = |n: i64, value: f64| Some((first.checked_add(jiff::Span::new().days(n)).ok()?, value));
    let cited: Vec<_> = (0..60)
        .filter_map(|n| day(n, f64::from(u8::try_from(n * 7 % 40).ok()?)))
        .collect();
    let fetched: Vec<_> = (0..60)
        .filter_map(|n| day(n, f64::from(u8::try_from(n * 5 % 9).ok()?)))
        .collect();
    let series = [
        pages::OwnSeries {
            label: "Citations at Bing",
            days: &cited,
            breaks: Vec::new(),
        },
        pages::OwnSeries {
            label: "Fetched for an answer, verified",
            days: &fetched,
            breaks: Vec::new(),
        },
    ];
    let imports = [pages::OwnImportRow {
        id: "0190b5a8-0000-7000-8000-000000000002".to_owned(),
        name: "example.com_AIPageStatsReport_8_5_2026.csv",
        sources: "Bing AI Performance".to_owned(),
        days: Some(("2026-09-01", "2026-10-30")),
        rows: 120,
        at: "2026-10-31T09:00:00Z".parse()?,
        by: "ada@example.com",
    }];
    let page = |page, share, value| pages::OwnPageRow {
        page,
        share,
        values: vec![Some(value), None],
    };
    let rows = [
        page("example.com/plans", 0.31, 420.0),
        page("example.com/guide/boilers", 0.12, 1_204.0),
        page("example.com/about", 0.0, 9.0),
    ];
    let agreement = |label, enough, measured| pages::OwnAgreementRow {
        label,
        of_topics: false,
        pairs: if enough { 24 } else { 5 },
        measured,
        enough,
        void: None,
        only_there: &[("example.com/about", 9.0)],
        only_here: &[],
        more: (3, 0),
    };
    let agreements = [
        agreement("Citations at Bing", true, Some((0.62, 0.29, 0.82))),
        agreement("Fetched for an answer, verified", false, None),
    ];
    let notes = ["columns that are not read: Intent".to_owned()];
    let share = |answers, cited, range: Option<(f64, f64)>| pages::CitedShareView {
        answers: (answers, cited),
        interval: range.map(|(low, high)| Interval::of_rates(low, high, false)),
    };
    let asked = share(96, 31, Some((0.22, 0.44)));
    let few = share(5, 1, None);
    let full = pages::OwnDataPage {
        seen: pages::SeenAnswersView {
            days: 28,
            interfaces: vec![("ChatGPT", share(40, 9, Some((0.11, 0.38)))), ("Copilot", few)],
            models: vec![("Model 1", asked)],
            questions: vec![(
                "Who repairs boilers in Girona?",
                vec![few, few],
                share(12, 6, Some((0.25, 0.75))),
            )],
            more: (3, 2),
        },
        imports: &imports,
        rows: (120, 200_000),
        scores: &[
            ("2026-09-07T09:00:00Z".parse()?, 41.0),
            ("2026-10-05T09:00:00Z".parse()?, 47.0),
        ],
        series: &series,
        columns: &["Citations at Bing", "Fetched for an answer, verified"],
        pages: &rows,
        more_pages: 12,
        topics: &[("Boiler repair", 310.0), ("Drains", 42.0)],
        queries: &[
            ("who repairs boilers on sundays", [7.0, 0.0, 0.0]),
            ("best plumber", [0.0, 3.0, 40.0]),
        ],
        agreements: &agreements,
        answers: 320,
        read: Some(pages::OwnFileView {
            id: Some("0190b5a8-0000-7000-8000-000000000003".to_owned()),
            name: "access.log.gz",
            formats: vec!["combined"],
            days: Some(("2026-10-01".to_owned(), "2026-10-31".to_owned())),
            rows: (1_204_311, 4_210, 880),
            refused: vec![(
                "is no line of a log in a known form",
                12,
                "4, 9, 11, …".to_owned(),
            )],
            notes: &notes,
            known_since: None,
            changes: vec![(
                "Bing AI Performance, citations of website: 120 → 57".to_owned(),
                true,
            )],
        }),
        ..empty
    };
    gallery.page("project-own-data", pages::project_own_data(&member(), &full))?;
    actions(gallery)?;
    move_in(gallery)
}

fn actions(gallery: &mut Gallery) -> Outcome<()> {
    let faults = Faults::default();
    let questions = ["Who repairs boilers in Girona?".to_owned()];
    let rivals = ["Caldera Nova: from 4 to 6 of 20 answers".to_owned()];
    let open = pages::ActionRow {
        id: "0190b5a8-0000-7000-8000-000000000003",
        title: "Write a page of prices",
        page: "/prices",
        person: "Sam",
        goal: "",
        status: "open",
        agreed_at: at("2026-09-28T09:00:00Z")?,
        done_on: None,
        questions: &questions,
        promise: "With 8 questions this sees a rise of 20 points after 8 runs in 8 of 10 cases.",
        sentence: None,
        progress: None,
        verdict: None,
        rivals: &[],
    };
    let done = pages::ActionRow {
        id: "0190b5a8-0000-7000-8000-000000000004",
        title: "Publish the guide to boilers",
        status: "done",
        goal: "more families name us",
        done_on: Some("2026-10-05"),
        sentence: Some("These questions rose by 14 points more than the others (likely 5 to 23)."),
        progress: Some("8 of 8 runs"),
        verdict: Some("moved"),
        rivals: &rivals,
        ..open
    };
    let choices = [true, false].map(|checked| pages::ActionQuestion {
        text: "Who repairs boilers in Girona?",
        checked,
    });
    let page = pages::ActionsPage {
        id: "5b0d3f3e-0000-4000-8000-000000000001",
        name: "Aigua Clara",
        rows: &[open, done],
        questions: &choices,
        title: "Answer who repairs boilers",
        page: "",
        person: "",
        goal: "",
        runs: "8",
        faults: &faults,
        today: "2026-11-27",
        may_write: true,
    };
    gallery.page("project-actions", pages::project_actions(&member(), &page))?;
    let faults = Faults::one("/title", FaultCode::Required, "title is required");
    let first = pages::ActionsPage {
        rows: &[],
        questions: &[],
        faults: &faults,
        ..page
    };
    gallery.page("project-actions-first", pages::project_actions(&member(), &first))
}

fn move_in(gallery: &mut Gallery) -> Outcome<()> {
    let faults = Faults::default();
    let first = pages::ImportsPage {
        project: Some(("0190b5a8-0000-7000-8000-000000000001", "Aigua Clara")),
        imports: &[],
        entries: &[],
        read: None,
        faults: &faults,
        may_write: true,
    };
    gallery.page("project-imports-first", pages::project_imports(&member(), &first))?;
    let days = || Some(("2026-06-01".to_owned(), "2026-08-31".to_owned()));
    let refused = || vec![("has no date that can be read", 2, "7, 19".to_owned())];
    let row = |unfinished, is_captures| pages::ImportRow {
        id: "0190b5a8-0000-7000-8000-000000000005".to_owned(),
        tool: "peec",
        is_captures,
        name: "peec-export-aigua-clara-2026-08-31.csv",
        at: Timestamp::UNIX_EPOCH,
        rows: (1_204, 1_202),
        days: days(),
        refused: refused(),
        unfinished,
    };
    let read = || pages::ExportView {
        name: "peec-export.csv",
        hash: "00ff",
        tool: "peec",
        is_captures: false,
        rows: 1_204,
        questions: (48, vec!["Who repairs boilers in Girona?"]),
        rivals: (2, vec!["Caldera Nova", "Gas Ter"]),
        answers: (1_202, days()),
        sources: vec![("ChatGPT", 1_202)],
        refused: refused(),
        unread: vec!["Rank"],
    };
    let full = pages::ImportsPage {
        imports: &[row(Some((3, 5)), false), row(None, true)],
        read: Some(read()),
        ..first.clone()
    };
    gallery.page("project-imports", pages::project_imports(&member(), &full))?;
    let mut faults = Faults::default();
    faults.push("/domain", FaultCode::Required, "domain is required");
    let new = pages::ImportsPage {
        project: None,
        read: Some(read()),
        faults: &faults,
        ..first
    };
    gallery.page("project-move-in", pages::project_imports(&member(), &new))
}
