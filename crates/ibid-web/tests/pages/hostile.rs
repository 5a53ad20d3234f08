//! Attacks through every field of every page.

use crate::attack::{ATTACK, poison};
use crate::states::{self, projects, workspace};
use crate::structure::check;
use ibid_model::contract::field::{LEARN_NAMES, MODELS, QUESTIONS, RINGS, WORKSPACE};
use ibid_model::result::{
    AuditComparison, AuditReport, CheckChange, CheckStatus, PlaceChoice, PlaceQuestion, Reason, ScanResult,
    SiteAudit, Verdict,
};
use ibid_model::{Catalog, FaultCode, Faults, RunState, ScanId, Score, UsdMicros};
use ibid_service::{
    AlertRecord, FinishedRun, MovementKind, RunRecord, RunSummary, ScheduleRecord, ScheduleStart,
    ScheduleView, ScheduledRun, Share, TagRecord,
};
use ibid_web::pages::*;
use ibid_web::{AccountView, EvidenceView, Frame, LlmsTxtPage, Notice, NoticeKind, csv, llms_txt};
use serde_json::{Value, json};

fn id() -> ScanId {
    ScanId::from_bytes([7; 16])
}

fn frame() -> Frame<'static> {
    Frame {
        base_url: ATTACK,
        account: Some(AccountView {
            email: ATTACK,
            credits: 3,
            admin: false,
        }),
        sandbox: true,
        contact: Some(ATTACK),
        notice: Some(Notice {
            kind: NoticeKind::Refused,
            text: ATTACK,
        }),
    }
}

fn check_hostile(name: &str, page: Result<String, ibid_web::RenderError>) -> String {
    let page = page.unwrap();
    check(name, &page);
    assert!(
        page.contains("&lt;script&gt;alert(1)"),
        "{name} does not show the attack"
    );
    page
}

fn result() -> ScanResult {
    let mut document = serde_json::to_value(states::rich_scan().unwrap()).unwrap();
    let taken = poison::<ScanResult>(&mut document);
    assert!(taken > 300, "{taken}");
    serde_json::from_value(document).unwrap()
}

fn evidence() -> EvidenceView {
    let entry = |n: usize, text: Value, url: &str| {
        json!({"questionId": ATTACK, "model": ATTACK, "resolvedModel": ATTACK, "ring": if n.is_multiple_of(2) { json!(null) } else { json!(2) }, "market": ATTACK,
               "template": ATTACK, "language": ATTACK, "question": ATTACK, "text": text, "error": ATTACK,
               "citations": [{"url": url, "title": ATTACK}, {"url": ATTACK, "title": ATTACK}, {"url": format!("https://evil.example/{ATTACK}"), "title": null}],
               "reading": {"answerClass": ATTACK, "class": "secondary", "score": 1e300, "rank": 4_000_000_000_u32, "stance": ATTACK, "flags": [ATTACK, ATTACK],
                           "breakdown": {"base": 1e300, "rank": -5.0, "link": 10.0, "share": 2.0, "cap": 10.0},
                           "decision": {"rule": ATTACK, "sure": 7, "passage": ATTACK},
                           "quotes": [{"text": ATTACK, "start": 3, "end": 9}, {"text": "", "start": 5, "end": 40}, {"text": "x", "start": u64::MAX, "end": 0}]}})
    };
    let markdown = format!(
        "# {ATTACK}\n\n[{ATTACK}](javascript:alert(1)) ![{ATTACK}](https://evil.example/p.gif) <svg onload=alert(1)>\n\n|{ATTACK}|b|\n|-|-|\n|`{ATTACK}`|x|\n\n```\n{ATTACK}\n```\n\n> {ATTACK}"
    );
    EvidenceView::read(&json!({"answers": [
        entry(0, json!(ATTACK), "javascript:alert(1)"), entry(1, json!(markdown), "data:text/html,<script>alert(1)</script>"),
        entry(2, json!(null), "https://user:pass@evil.example/"), entry(3, json!("\u{202e}\u{0}"), "javascript://evil.example/%0aalert(1)"), json!({"text": 7})]}))
}

#[test]
fn reports_are_inert() {
    let (result, evidence) = (result(), evidence());
    assert_eq!((evidence.answers.len(), evidence.unreadable), (4, 1));
    let tags = [ATTACK.to_owned()];
    let owner = |scoring| {
        Viewer::Owner(Owner {
            title: Some(ATTACK),
            tags: &tags,
            share: Some(ShareView {
                url: ATTACK,
                until: None,
                protected: false,
            }),
            scoring,
        })
    };
    let viewers = [
        owner(Scoring::Current),
        owner(Scoring::Outdated),
        owner(Scoring::Renewable),
        owner(Scoring::Again),
        Viewer::Public {
            path: "/s/token",
            open: true,
        },
        Viewer::Demo,
    ];
    let brand = Some(Brand {
        title: Some(ATTACK),
        logo: true,
    });
    for viewer in viewers {
        for evidence in [Some(&evidence), None] {
            let page = ReportPage {
                id: id(),
                result: &result,
                evidence,
                brand,
                viewer,
            };
            check_hostile("report", report(&frame(), &page));
        }
        let filter = AnswerFilter {
            model: Some(ATTACK.to_owned()),
            market: Some(ATTACK.to_owned()),
            ring: Some(255),
            class: None,
            question: Some(ATTACK.to_owned()),
            page: usize::MAX,
        };
        for filter in [AnswerFilter::default(), filter] {
            let page = AnswersPage {
                id: id(),
                domain: &result.domain,
                keyword: &result.keyword,
                result: &result,
                evidence: &evidence,
                brand,
                viewer,
                filter: &filter,
            };
            check_hostile("answers", answers(&frame(), &page));
        }
    }
    let comparisons = workspace::comparisons().unwrap();
    let [(_, mut comparison), ..] = comparisons;
    comparison.verdict = Verdict::WithinNoise;
    comparison.sentence = ATTACK.to_owned();
    comparison.reasons = vec![Reason {
        code: ATTACK.to_owned(),
        message: ATTACK.to_owned(),
        blocks: false,
        still_comparable: Some(ATTACK.to_owned()),
    }];
    comparison.overall.pairs = u32::MAX;
    comparison.overall.differing = 0;
    comparison.overall.mean = Some(f64::NAN);
    comparison.overall.interval = None;
    comparison.overall.p_value = Some(f64::INFINITY);
    comparison.overall.detectable = Some(-1.0);
    comparison.overall.cited.as_mut().unwrap().p_value = Some(f64::NAN);
    comparison.models.clear();
    let side = ComparedSide {
        id: id(),
        result: &result,
    };
    check_hostile(
        "compare",
        compare(
            &frame(),
            &ComparePage {
                first: side,
                second: side,
                comparison: &comparison,
            },
        ),
    );
    let step = || SeriesStep {
        id: id(),
        result: &result,
    };
    let series = [ScanSeries {
        steps: vec![step(), step()],
        sentences: &[ATTACK.to_owned()],
        changes: &[(id(), ATTACK.to_owned())],
    }];
    let page = WebsitePage {
        domain: ATTACK,
        series: &series,
        older: 0,
    };
    check_hostile("website", website(&frame(), &page));
    for sheet in csv::Sheet::ALL {
        let text = csv::export(sheet, &result, Some(&evidence));
        for cell in text.split(',') {
            let cell = cell
                .trim_start_matches(['\u{feff}', '\r', '\n'])
                .trim_start_matches('"');
            assert!(!cell.starts_with(['=', '+', '@', '\t']), "{cell:?}");
        }
    }
}

#[test]
fn audits_are_inert() {
    let mut document = serde_json::to_value(states::audit_report().unwrap()).unwrap();
    let taken = poison::<AuditReport>(&mut document);
    assert!(taken > 120, "{taken}");
    let report: AuditReport = serde_json::from_value(document).unwrap();
    let comparison = AuditComparison {
        before: 1,
        after: 2,
        other_version: true,
        worse: false,
        changes: vec![CheckChange {
            check: ATTACK.to_owned(),
            title: ATTACK.to_owned(),
            before: CheckStatus::Fail,
            after: CheckStatus::Pass,
            found: ATTACK.to_owned(),
        }],
    };
    let row = |is_site: bool| AuditRow {
        id: id(),
        address: ATTACK.to_owned(),
        score: Some(1),
        at: jiff::Timestamp::UNIX_EPOCH,
        is_site,
    };
    let rows = [row(false), row(true)];
    check_hostile(
        "audit",
        audit(
            &frame(),
            &AuditPage {
                id: id(),
                report: &report,
                history: &rows,
                earlier: Some(EarlierAudit {
                    id: id(),
                    comparison: &comparison,
                }),
            },
        ),
    );
    let mut document = serde_json::to_value(states::site_audit().unwrap()).unwrap();
    let taken = poison::<SiteAudit>(&mut document);
    assert!(taken > 12, "{taken}");
    let site = serde_json::from_value(document).unwrap();
    check_hostile(
        "site audit",
        site_audit(
            &frame(),
            &SiteAuditPage {
                id: id(),
                audit: &site,
            },
        ),
    );
    for failure in [None, Some(ATTACK)] {
        let page = SiteProgressPage {
            address: ATTACK,
            pages: (1, 2),
            failure,
        };
        check_hostile("site progress", site_progress(&frame(), &page));
    }
    check_hostile(
        "audit form",
        audit_form(
            &frame(),
            &AuditForm {
                bots: false,
                url: ATTACK,
                error: Some(ATTACK),
                site: SiteBounds::default(),
                recent: &rows,
            },
        ),
    );
}

#[test]
fn first_looks_are_inert() {
    let mut document = serde_json::to_value(states::audit_report().unwrap()).unwrap();
    poison::<AuditReport>(&mut document);
    let audit: AuditReport = serde_json::from_value(document).unwrap();
    let faults = Faults::one("/keyword", FaultCode::Invalid, ATTACK);
    let offer = OfferRow {
        name: ATTACK,
        scan: UsdMicros::new(u64::MAX),
        month: UsdMicros::new(u64::MAX),
        points: f64::MAX,
        sees: None,
    };
    let page = LookPage {
        entries: LookEntries {
            domain: ATTACK,
            keyword: ATTACK,
            location: ATTACK,
            language: ATTACK,
        },
        faults: &faults,
        error: Some(ATTACK),
        seen: Some(SeenView {
            audit: &audit,
            findings: &[(ATTACK, ATTACK)],
            guessed: true,
            questions: &[ATTACK.to_owned()],
            offers: &[offer],
        }),
    };
    check_hostile("look", look(&frame(), &page));
}

#[test]
fn returned_form_entries_are_inert() {
    let mut faults = Faults::one(ATTACK, FaultCode::Invalid, ATTACK);
    for field in [
        "/domain",
        "/keyword",
        "/location",
        "/models/0",
        "/rings",
        "/brandNames/3",
        "/language",
        "/questions/1",
        "/questionsPerModel",
    ] {
        faults.push(field, FaultCode::Invalid, ATTACK);
    }
    let open = Demo::Open {
        domain: ATTACK,
        keyword: ATTACK,
        faults: &faults,
    };
    for demo in [open, Demo::Closed { reason: ATTACK }] {
        check_hostile(
            "home",
            home(
                &frame(),
                &HomePage {
                    demo,
                    sold: ibid_model::Offering::EVERYTHING,
                    network: Some(ATTACK),
                    sample: Some("/s/token"),
                    looks: true,
                },
            ),
        );
    }
    check_hostile(
        "sign-in",
        sign_in(
            &frame(),
            &SignInPage {
                email: ATTACK,
                next: ATTACK,
                error: Some(ATTACK),
                passwords: true,
                provider: Some((ATTACK, "/sign-in/openid")),
            },
        ),
    );
    for may_join in [true, false] {
        let page = JoinPage {
            host: ATTACK,
            email: ATTACK,
            may_join,
        };
        check_hostile("join", join(&frame(), &page));
    }
    let mut form = ScanFields::empty(vec![ATTACK.to_owned()]);
    for field in WORKSPACE {
        form = form.with(field, serde_json::json!(ATTACK));
    }
    let form = form
        .with(&LEARN_NAMES, serde_json::json!(true))
        .with(&RINGS, serde_json::json!([0, 9]))
        .with(&QUESTIONS, serde_json::json!([ATTACK]))
        .with(&MODELS, serde_json::json!([ATTACK]));
    let models = [ModelChoice {
        alias: ATTACK,
        name: ATTACK,
        resolved: ATTACK,
        cost: UsdMicros::new(u64::MAX),
    }];
    let question = |market: Option<&str>| {
        json!({"questionId": ATTACK, "questionHash": ATTACK, "origin": ATTACK, "kind": ATTACK, "ring": 1, "market": market, "template": ATTACK,
               "language": ATTACK, "question": ATTACK})
    };
    let plan = json!({
        "calls": u32::MAX, "estimatedCostUsd": 1e9, "models": ["model-1-latest"], "language": ATTACK, "location": null,
        "rings": [{"ring": 1, "fromKm": 0, "toKm": 25, "markets": [ATTACK], "calls": 1, "estimatedCostUsd": 1e9}],
        "questions": [question(None), question(Some(ATTACK))],
        "branded": true, "warnings": [{"code": ATTACK, "message": ATTACK}],
    });
    let plan = PlanView {
        plan: serde_json::from_value(plan).unwrap(),
        generated: vec![ATTACK.to_owned()],
        estimate: UsdMicros::new(u64::MAX),
        comparison_note: None,
    };
    let place = PlaceQuestion {
        question: ATTACK.to_owned(),
        choices: vec![PlaceChoice::of_label(ATTACK.to_owned())],
    };
    let page = NewScanPage {
        form: &form,
        faults: &faults,
        models: &models,
        plan: Some(&plan),
        place: Some(&place),
        confirmed: ATTACK,
        most_cost: UsdMicros::ZERO,
        recent: &rows(),
    };
    let html = check_hostile("new scan", new_scan(&frame(), &page));
    assert!(html.contains("Too expensive"));
}

fn rows() -> Vec<RunRecord> {
    let states = [
        (RunState::Running, None),
        (RunState::Complete, Some(Score::new(f64::NAN))),
        (RunState::Failed, None),
        (RunState::Cancelled, None),
    ];
    let row = |(state, score): (RunState, Option<Score>)| RunRecord {
        state,
        finished: score.map(|score| FinishedRun {
            summary: RunSummary {
                score,
                interval: None,
            },
            ..workspace::run(7, ATTACK, ATTACK).finished.unwrap()
        }),
        title: Some(ATTACK.to_owned()),
        place: Some(ATTACK.to_owned()),
        questions: u32::MAX,
        tags: vec![ATTACK.to_owned()],
        share: Some(Share {
            token: ATTACK.to_owned(),
            until: None,
            protected: true,
        }),
        ..workspace::run(7, ATTACK, ATTACK)
    };
    states.map(row).into()
}

fn schedules_are_inert() {
    let (text, id) = (ATTACK.to_owned(), "00000000-0000-4000-8000-000000000001");
    let record = ScheduleRecord {
        id: id.parse().unwrap(),
        owner: text.clone(),
        name: text.clone(),
        document: json!({"domain": ATTACK, "keyword": ATTACK, "location": ATTACK}).to_string(),
        recurrence: json!({"unit": "days", "every": 1, "at": "09:00", "timeZone": "UTC"}).to_string(),
        next_due: Some(0),
        paused_at: None,
        budget: Some(u64::MAX),
        credits: Some(u32::MAX),
        failures: u32::MAX,
        templates: None,
        created_at: 0,
        project: None,
    };
    let firing = ScheduleStart {
        schedule: record.id,
        due: 0,
    };
    let mut schedule = ScheduleView::without_runs(record).unwrap();
    schedule.runs.push(ScheduledRun {
        firing,
        scan: Some(self::id()),
        outcome: Some(text.clone()),
        cost: u64::MAX,
        began_at: 0,
        ended_at: None,
    });
    let alert = AlertRecord {
        id: id.parse().unwrap(),
        firing,
        name: text.clone(),
        kind: text.clone(),
        scan: Some(self::id()),
        previous: Some(self::id()),
        summary: text.clone(),
        at: 0,
        seen_at: None,
    };
    let mut faults = Faults::one("/recurrence/at", FaultCode::Invalid, ATTACK);
    faults.push("", FaultCode::OutOfRange, ATTACK);
    let form = ScheduleForm {
        target: ScheduleTarget::New(self::id()),
        domain: text.clone(),
        keyword: text.clone(),
        unit: text.clone(),
        every: text.clone(),
        weekday: text.clone(),
        at: text.clone(),
        time_zone: text.clone(),
        name: text.clone(),
        budget: text.clone(),
        credits: text,
        faults,
    };
    let page = SchedulesPage {
        schedules: &[schedule],
        alerts: &[alert],
        form: Some(&form),
    };
    check_hostile("schedules", schedules(&frame(), &page));
}

#[test]
fn lists_are_inert() {
    let tags = [TagRecord {
        name: ATTACK.to_owned(),
        scans: 1,
    }];
    let page = HistoryPage {
        rows: &rows(),
        query: ATTACK,
        tag: Some(ATTACK),
        tags: &tags,
        page: 2,
        pages: u32::MAX,
        total: u64::MAX,
        alerts: usize::MAX,
    };
    check_hostile("history", history(&frame(), &page));
    schedules_are_inert();
    let at = "2026-11-21T10:00:00Z".parse().unwrap();
    let rows = [RunningRow {
        key: ATTACK.to_owned(),
        label: ATTACK.to_owned(),
        total: 1,
        done: 9,
        cited: 3,
    }];
    for state in [
        ScanProgress::Running {
            done: 9,
            total: 1,
            models: &rows,
            rings: &rows,
            cancellable: true,
            elapsed: std::time::Duration::ZERO,
        },
        ScanProgress::Failed {
            reason: ATTACK,
            credit_returned: true,
        },
        ScanProgress::Cancelled {
            done: 1,
            credit_returned: false,
        },
    ] {
        let page = ProgressPage {
            id: id(),
            domain: ATTACK,
            keyword: ATTACK,
            place: Some(ATTACK),
            at,
            state,
        };
        check_hostile("progress_page", progress_page(&frame(), &page));
    }
    let page = ReceiptsPage {
        runs: &[
            workspace::run(1, ATTACK, ATTACK),
            workspace::run(3, ATTACK, ATTACK),
        ],
        next: Some(ATTACK),
    };
    check_hostile("receipts", receipts(&frame(), &page));
    let page = CreditsPage {
        balance: 1,
        movements: &[workspace::movement(MovementKind::Returned, 1, Some(ATTACK))],
        next: Some(ATTACK),
    };
    check_hostile("credits", credits(&frame(), &page));
    let page = FailurePage {
        status: 500,
        title: ATTACK,
        detail: ATTACK,
        request_id: Some(ATTACK),
        way_out: WayOut::SignIn,
    };
    check_hostile("failure", failure(&frame(), &page));
}

#[test]
fn references_are_inert() {
    let mut document = states::openapi();
    let taken = poison::<Value>(&mut document);
    assert!(taken > 50, "{taken}");
    let models = [ModelChoice {
        alias: ATTACK,
        name: ATTACK,
        resolved: ATTACK,
        cost: UsdMicros::ZERO,
    }];
    check_hostile(
        "docs",
        docs(
            &frame(),
            &DocsPage {
                openapi: &document,
                models: &models,
                sold: ibid_model::Offering::EVERYTHING,
                network: Some(ATTACK),
            },
        ),
    );
    check_hostile("schemas", docs_schemas(&frame(), &document));
    check_hostile("error codes", error_codes(&frame()));
    let text = llms_txt(&LlmsTxtPage {
        base_url: ATTACK,
        models: &models,
        defaults: 1,
        sold: ibid_model::Offering::EVERYTHING,
        network: Some(ATTACK),
        sandbox: true,
        contact: Some(ATTACK),
    });
    let plain = llms_txt(&LlmsTxtPage {
        base_url: "x",
        models: &models,
        defaults: 1,
        sold: ibid_model::Offering::EVERYTHING,
        network: Some("x"),
        sandbox: true,
        contact: Some("x"),
    });
    assert_eq!(
        text.lines().count(),
        plain.lines().count(),
        "an attack adds no line"
    );
    assert!(!Catalog::builtin().models().is_empty() && !text.contains('\u{202e}'));
}

#[test]
fn names_and_addresses_of_projects_stay_text() {
    let page = RivalsPage {
        id: "1",
        name: ATTACK,
        rivals: &projects::rivals(ATTACK),
        may_write: true,
    };
    check_hostile("rivals", project_rivals(&frame(), &page));
    let page = ActionsPage {
        id: "1",
        name: ATTACK,
        actions: &projects::actions(ATTACK),
        questions: &projects::asked(ATTACK),
        chosen: &[ATTACK],
        title: ATTACK,
        page: ATTACK,
        person: ATTACK,
        goal: ATTACK,
        runs: ATTACK,
        faults: &Faults::one("/title", FaultCode::Invalid, ATTACK),
        today: "2026-11-27",
        may_write: true,
    };
    check_hostile("actions", project_actions(&frame(), &page));
    let page = SourcesPage {
        id: "1",
        name: ATTACK,
        sources: &projects::sources(ATTACK),
    };
    check_hostile("sources", project_sources(&frame(), &page));
    let page = OwnDataPage {
        id: "1",
        name: ATTACK,
        own: &projects::own_data(ATTACK),
        scores: &[(jiff::Timestamp::UNIX_EPOCH, 50.0)],
        asked: &[],
        seen: &projects::seen(ATTACK),
        catalog: &Catalog::builtin(),
        read: Some(&projects::read(ATTACK)),
        faults: &Faults::one("/file", FaultCode::Invalid, ATTACK),
        may_write: true,
    };
    check_hostile("own data", project_own_data(&frame(), &page));
}

#[test]
fn imports_are_escaped() {
    let (imports, found) = (projects::imports(ATTACK).unwrap(), projects::move_in(ATTACK));
    let mut page = ImportsPage {
        project: Some(("1", ATTACK)),
        imports: &imports,
        entries: &[("domain", ATTACK), ("keyword", ATTACK), ("name", ATTACK)],
        read: Some(ExportView {
            name: ATTACK,
            hash: ATTACK,
            is_captures: false,
            found: &found,
        }),
        faults: &Faults::one("/file", FaultCode::Invalid, ATTACK),
        may_write: true,
    };
    check_hostile("imports", project_imports(&frame(), &page));
    page.project = None;
    check_hostile("move in", project_imports(&frame(), &page));
}
