//! Invented projects: what the service returns, with one text wherever people, models and websites write.

use super::{Gallery, Outcome, id, member};
use ibid_model::{
    ActionId, AnswerImportId, Catalog, FaultCode, Faults, Interval, OwnFileId, OwnQuestion, QuestionText,
    RivalId,
};
use ibid_service::{
    ActionFinding, ActionPower, ActionRecord, ActionStatus, ActionView, AnswerImportRecord, AnswerImportView,
    AnswerStratum, AskedQuestion, CitedPage, CitedShare, FileReport, KindRow, MoveIn, OwnAgreement,
    OwnCompared, OwnComparison, OwnData, OwnDataRead, OwnFileOutcome, OwnFileRecord, OwnFormat, OwnMeasure,
    OwnPage, OwnQuery, OwnSeries, OwnSource, OwnSummary, ProjectRivals, ProjectSources, Reason, RefusedLine,
    RefusedRows, Rival, RivalPoint, RivalRecord, RivalShare, RivalState, Rivals, Seen, SeenQuestion, SiteRow,
    SourceKind, Sources, TotalChange, Trend, Verdict, Win,
};
use ibid_web::pages::{self, ActionsPage, ExportView, ImportsPage, OwnDataPage, RivalsPage, SourcesPage};
use jiff::civil::{Date, date};
use jiff::{Timestamp, ToSpan};
use serde_json::json;

const PROJECT: &str = "5b0d3f3e-0000-4000-8000-000000000001";
const NAME: &str = "Aigua Clara";
/// 19 October 2026.
const AT: i64 = 1_792_400_400_000;

pub(crate) fn rivals(text: &str) -> ProjectRivals {
    let runs: Vec<_> = (1..=3)
        .map(|n| (id(n), Timestamp::UNIX_EPOCH + (i64::from(n) * 168).hours()))
        .collect();
    let points = runs
        .iter()
        .zip([0.3, 0.42, 0.38])
        .map(|((scan, _), share)| RivalPoint {
            scan: *scan,
            named: 12,
            answers: 30,
            share,
            interval: Interval::of_rates(share - 0.2, share + 0.25, false),
        });
    let kept = |n, state| RivalRecord {
        id: RivalId::from_bytes([n; 16]),
        name: text.to_owned(),
        domains: vec![text.to_owned()],
        aliases: vec![text.to_owned()],
        state,
    };
    let pinned = Rival {
        kept: Some(0),
        name: text.to_owned(),
        domain: Some(text.to_owned()),
        named: 190,
        points: points.collect(),
        wins: vec![Win {
            question: text.to_owned(),
            answers: 36,
            rival: 30,
            target: 4,
        }],
    };
    let other = Rival {
        kept: None,
        name: "Fontaneria Vidal".to_owned(),
        domain: None,
        named: 88,
        wins: Vec::new(),
        ..pinned.clone()
    };
    ProjectRivals {
        kept: vec![kept(1, RivalState::Pinned), kept(2, RivalState::Ignored)],
        counts: Rivals {
            rows: vec![pinned, other],
            rare: 7,
            answers: 360,
            runs: 12,
        },
        runs,
        waiting: 2,
    }
}

pub(crate) fn sources(text: &str) -> ProjectSources {
    let kind = |kind| KindRow {
        kind,
        sites: 3,
        answers: 12,
        cited: 5,
        trend: (kind == SourceKind::Media).then_some(Trend::More),
    };
    let page = |url: &str| CitedPage {
        url: url.to_owned(),
        answers: 9,
        cited: 4,
    };
    let site = SiteRow {
        site: text.to_owned(),
        kind: SourceKind::Own,
        answers: 9,
        cited: 4,
        with_target: 9,
        pages: ["https://aiguaclara.example/boilers", text, "javascript:alert(1)"]
            .map(page)
            .to_vec(),
        more_pages: 3,
        trend: Some(Trend::Fewer),
    };
    ProjectSources {
        counts: Sources {
            answers: 30,
            citing: 24,
            compared: 24,
            kinds: SourceKind::ALL.map(kind).to_vec(),
            sites: vec![site],
            rare: 4,
        },
        last: Some((id(2), Timestamp::UNIX_EPOCH + 200.hours())),
        before: Some((id(1), Timestamp::UNIX_EPOCH)),
        waiting: true,
    }
}

pub(crate) fn own_data(text: &str) -> OwnData {
    let first = date(2026, 9, 1);
    let days = |step: u8, most: u8| -> Vec<(Date, f64)> {
        let days = 0..60_u8;
        days.map(|n| {
            let value = u16::from(n) * u16::from(step) % u16::from(most);
            (first.saturating_add(i64::from(n).days()), f64::from(value))
        })
        .collect()
    };
    let series = |source, measure, days| OwnSeries {
        source,
        measure,
        days,
        breaks: Vec::new(),
    };
    let bing = (OwnSource::BingAi, OwnMeasure::Citations);
    let page = |page: &str, share, value| OwnPage {
        page: page.to_owned(),
        share,
        values: std::iter::once((bing, value)).collect(),
    };
    let query = |query: &str, citations, clicks| OwnQuery {
        query: query.to_owned(),
        citations,
        clicks,
        impressions: 0.0,
    };
    let names: Vec<(String, f64)> = (0..23).map(|n| (format!("{text} {n}"), 9.0)).collect();
    let compared = |of, measure: OwnMeasure, source, agreement| OwnComparison {
        of,
        source,
        measure,
        agreement,
        only_there: names.clone(),
        only_here: vec![(text.to_owned(), 0.5)],
    };
    let strong = OwnAgreement::Measured {
        pairs: 24,
        rho: 0.62,
        low: 0.29,
        high: 0.82,
    };
    OwnData {
        imports: vec![OwnFileRecord {
            id: OwnFileId::from_bytes([2; 16]),
            hash: [0; 32],
            name: text.to_owned(),
            formats: "bing_ai,ga4".to_owned(),
            days: Some(("2026-09-01".to_owned(), "2026-10-30".to_owned())),
            row_count: 120,
            created_at: AT,
            actor: text.to_owned(),
            email: Some(text.to_owned()),
        }],
        summary: OwnSummary {
            days: vec![
                series(bing.0, bing.1, days(7, 40)),
                series(OwnSource::AccessLog, OwnMeasure::UserFetchesVerified, days(5, 9)),
            ],
            pages: vec![
                page(text, 0.31, 420.0),
                page("example.com/guide/boilers", 0.12, 1_204.0),
                page("example.com/about", 0.0, 9.0),
            ],
            topics: vec![(text.to_owned(), 310.0), ("Drains".to_owned(), 42.0)],
            queries: vec![query(text, 7.0, 0.0), query("best plumber", 0.0, 3.0)],
            comparisons: vec![
                compared(OwnCompared::Pages, bing.1, bing.0, strong),
                compared(
                    OwnCompared::Topics,
                    OwnMeasure::UserFetchesVerified,
                    OwnSource::AccessLog,
                    OwnAgreement::NotEnough { pairs: 5 },
                ),
            ],
        },
        answers: 320,
        waiting: 0,
    }
}

pub(crate) fn seen(text: &str) -> Seen {
    let share = |answers, cited, range: Option<(f64, f64)>| CitedShare {
        answers,
        cited,
        interval: range.map(|(low, high)| Interval::of_rates(low, high, false)),
    };
    let few = share(5, 1, None);
    Seen {
        interfaces: vec![
            (text.to_owned(), share(40, 9, Some((0.11, 0.38)))),
            ("Copilot".to_owned(), few),
        ],
        models: vec![(text.to_owned(), share(96, 31, Some((0.22, 0.44))))],
        questions: vec![SeenQuestion {
            text: text.to_owned(),
            seen: vec![few, few],
            asked: share(12, 6, Some((0.25, 0.75))),
        }],
        others: 2,
    }
}

pub(crate) fn read(text: &str) -> OwnDataRead {
    OwnDataRead {
        report: FileReport {
            name: text.to_owned(),
            formats: vec![OwnFormat::ALL[0]],
            read: 1_204_311,
            used: 4_210,
            rows: 880,
            from: Some(date(2026, 10, 1)),
            to: Some(date(2026, 10, 31)),
            refused: refused(),
            notes: vec![text.to_owned()],
            repeats: None,
        },
        outcome: Some(OwnFileOutcome::Pending),
        id: OwnFileId::from_bytes([3; 16]),
        known_since: Some(AT),
        changes: vec![TotalChange {
            source: OwnSource::BingAi,
            measure: OwnMeasure::Citations,
            of: "website",
            before: 120.0,
            after: 57.0,
        }],
    }
}

fn refused() -> RefusedRows {
    let line = |line| RefusedLine {
        line,
        reason: Reason::Date,
    };
    RefusedRows {
        counts: std::iter::once((Reason::Date, 12)).collect(),
        first: vec![line(7), line(19)],
    }
}

pub(crate) fn asked(text: &str) -> Vec<AskedQuestion> {
    vec![AskedQuestion {
        text: text.to_owned(),
        own: None,
        runs: 8,
        answers: 24,
        cited: 6,
        named: 20,
        last: Some((id(1), text.to_owned())),
    }]
}

pub(crate) fn actions(text: &str) -> Vec<ActionView> {
    let record = |status, done_on: Option<&str>| ActionRecord {
        id: ActionId::from_bytes([3; 16]),
        title: text.to_owned(),
        page: Some(text.to_owned()),
        questions: vec![text.to_owned()],
        person: Some(text.to_owned()),
        goal: Some(text.to_owned()),
        status,
        runs: 8,
        agreed_at: AT,
        done_on: done_on.map(str::to_owned),
        test: None,
        finding: None,
        judged_at: None,
        created_at: AT,
        author: None,
    };
    let open = ActionView {
        record: record(ActionStatus::Open, None),
        power: ActionPower {
            touched: 8,
            controls: 20,
            models: 4,
            before: 4,
            after: 8,
            points: Some(20.0),
        },
        runs_before: 2,
        finding: None,
        controls: Vec::new(),
        rivals: Vec::new(),
        no_rivals: None,
    };
    let done = ActionView {
        record: ActionRecord {
            id: ActionId::from_bytes([4; 16]),
            ..record(ActionStatus::Done, Some("2026-10-05"))
        },
        finding: Some(ActionFinding {
            before: 4,
            after: 8,
            questions: (8, 20),
            effect: None,
            verdict: Some(Verdict::NotSeen),
            reason: None,
        }),
        rivals: vec![RivalShare {
            name: text.to_owned(),
            before: (4, 20),
            after: (6, 20),
        }],
        ..open.clone()
    };
    vec![open, done]
}

pub(crate) fn imports(text: &str) -> Outcome<Vec<AnswerImportView>> {
    let notes =
        json!({"read": 1_204, "refused": {(text): 12}, "refusedLines": [{"line": 7, "reason": text}]});
    let days = json!({"days": [{"day": "2026-06-01", "answers": 2, "cited": 1, "questions": 2, "score": 40.0, "interval": null}], "sources": []});
    let record = |stratum, ended_at| AnswerImportRecord {
        id: AnswerImportId::from_bytes([5; 16]),
        stratum,
        tool: text.to_owned(),
        name: text.to_owned(),
        sha256: [0; 32],
        parts: 5,
        received: vec![1, 2, 3],
        answers: 1_202,
        notes: notes.to_string(),
        created_at: AT,
        ended_at,
        days: ended_at.map(|_| days.to_string()),
    };
    Ok(vec![
        AnswerImportView::of(record(AnswerStratum::Tracker, None))?,
        AnswerImportView::of(record(AnswerStratum::Interface, Some(AT)))?,
    ])
}

pub(crate) fn move_in(text: &str) -> MoveIn {
    let mut found = MoveIn::default();
    text.clone_into(&mut found.tool);
    found.read = 1_204;
    let question = "Who repairs boilers in Girona?".parse::<QuestionText>().ok();
    found.questions = question.map(OwnQuestion::from).into_iter().collect();
    found.rivals = (0..22).map(|n| (format!("{text} {n}"), Vec::new())).collect();
    found.answers = 1_202;
    found.sources = std::iter::once((text.to_owned(), 1_202)).collect();
    found.days = Some((date(2026, 6, 1), date(2026, 8, 31)));
    found.refused = refused();
    found.unread = vec![text.to_owned()];
    found
}

fn rivals_page(rivals: &ProjectRivals) -> RivalsPage<'_> {
    RivalsPage {
        id: PROJECT,
        name: NAME,
        rivals,
        may_write: true,
    }
}

fn sources_page(sources: &ProjectSources) -> SourcesPage<'_> {
    SourcesPage {
        id: PROJECT,
        name: NAME,
        sources,
    }
}

/// Every page of a project, with something on it and without.
pub(crate) fn write(gallery: &mut Gallery) -> Outcome<()> {
    let (mut found, faults) = (rivals("Tubs & Co"), Faults::default());
    gallery.page(
        "project-rivals",
        pages::project_rivals(&member(), &rivals_page(&found)),
    )?;
    found.kept.clear();
    found.runs.clear();
    found.waiting = 0;
    found.counts = Rivals::default();
    gallery.page(
        "project-rivals-first",
        pages::project_rivals(&member(), &rivals_page(&found)),
    )?;

    let mut found = sources("aiguaclara.example");
    gallery.page(
        "project-sources",
        pages::project_sources(&member(), &sources_page(&found)),
    )?;
    (found.last, found.before, found.waiting) = (None, None, false);
    gallery.page(
        "project-sources-first",
        pages::project_sources(&member(), &sources_page(&found)),
    )?;

    let empty = OwnData {
        imports: Vec::new(),
        summary: OwnSummary::default(),
        answers: 0,
        waiting: 0,
    };
    let (full, catalog) = (own_data("example.com/plans"), Catalog::builtin());
    let first = OwnDataPage {
        id: PROJECT,
        name: NAME,
        own: &empty,
        scores: &[],
        asked: &[],
        seen: &Seen::default(),
        catalog: &catalog,
        read: None,
        faults: &faults,
        may_write: true,
    };
    gallery.page(
        "project-own-data-first",
        pages::project_own_data(&member(), &first),
    )?;
    let page = OwnDataPage {
        own: &full,
        scores: &[
            ("2026-09-07T09:00:00Z".parse()?, 41.0),
            ("2026-10-05T09:00:00Z".parse()?, 47.0),
        ],
        seen: &seen("ChatGPT"),
        read: Some(&read("access.log.gz")),
        ..first
    };
    gallery.page("project-own-data", pages::project_own_data(&member(), &page))?;

    let (found, questions) = (
        actions("Write a page of prices"),
        asked("Who repairs boilers in Girona?"),
    );
    let page = ActionsPage {
        id: PROJECT,
        name: NAME,
        actions: &found,
        questions: &questions,
        chosen: &["Who repairs boilers in Girona?"],
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
    let required = Faults::one("/title", FaultCode::Required, "title is required");
    let first = ActionsPage {
        actions: &[],
        questions: &[],
        faults: &required,
        ..page
    };
    gallery.page("project-actions-first", pages::project_actions(&member(), &first))?;

    let first = ImportsPage {
        project: Some((PROJECT, NAME)),
        imports: &[],
        entries: &[],
        read: None,
        faults: &faults,
        may_write: true,
    };
    gallery.page("project-imports-first", pages::project_imports(&member(), &first))?;
    let (found, understood) = (imports("peec")?, move_in("peec"));
    let read = ExportView {
        name: "peec-export.csv",
        hash: "00ff",
        is_captures: false,
        found: &understood,
    };
    let full = ImportsPage {
        imports: &found,
        read: Some(read),
        ..first
    };
    gallery.page("project-imports", pages::project_imports(&member(), &full))?;
    let required = Faults::one("/domain", FaultCode::Required, "domain is required");
    let new = ImportsPage {
        project: None,
        read: Some(read),
        faults: &required,
        ..first
    };
    gallery.page("project-move-in", pages::project_imports(&member(), &new))
}
