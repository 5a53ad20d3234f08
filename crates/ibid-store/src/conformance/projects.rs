//! Conformance of organisations and projects.
#![expect(clippy::unwrap_used, reason = "a test suite that other crates run")]

use super::workspace::{NOW, account, open_session};
use crate::RunReading;
use crate::{
    ActionRecord, ActionStatus, AnnotationKind, AnnotationRecord, AnswerStratum, BadgeNumbers, Cell, Change,
    DailyRoom, EndedRun, EventPage, FoundRival, ImportedAnswers, ImportedResult, Invited, KeptAnswerPart,
    KeptResult, KeyAccess, MarketNumbers, MarketOrder, NewAccount, NewAnswerImport, NewApiKey, NewDurableRun,
    NewInvitation, NewOwnFile, NewProject, NewQuestions, NewScan, NewSchedule, OrganisationRole, Origin,
    PackedAnswers, PastResult, PastRun, ProjectChange, ProjectEdit, ProjectEdited, ProjectFindings,
    ProjectImport, ProjectNumbers, ProjectOrder, ProjectReader, ProjectRole, ProjectRunEnd, ProjectScope,
    ProjectStatus, ProjectSubject, QuestionSetRecord, QuestionsRecord, Reservation, Right, RivalRecord,
    RivalState, Role, RunSummary, ScheduleQuestions, ScheduleStart, ScheduleStarted, ScheduleTerms,
    ScheduledEnd, Store, StoreError,
};
use ibid_model::result::{History, HistoryNote, HistoryNoteKind};
use ibid_model::{
    AccountId, ActionId, AnnotationId, AnswerImportId, ApiKeyId, Email, OrganisationId, OwnFileId, ProjectId,
    ProjectSettings, QuestionSetId, RivalId, ScanId, ScheduleId, Score,
};

/// Runs the suite.
pub(crate) fn run(store: &Store) {
    roles_decide_who_sees_a_project(store);
    keys_open_what_they_are_for(store);
    a_run_reserves_in_both_budgets(store);
    a_run_asks_every_market(store);
    the_end_of_a_run_is_kept_in_the_row_of_the_project(store);
    mentions_of_runs_wait_and_are_kept(store);
    past_runs_are_stored_once(store);
    a_project_is_stored_whole_or_not_at_all(store);
    answers_are_forgotten_and_results_stay(store);
    what_belongs_to_a_project_is_bounded_and_logged(store);
    an_edit_is_stored_whole_or_not_at_all(store);
    keys_of_an_organisation_take_room_of_the_day(store);
    actions_are_judged_until_their_test_ends(store);
    a_badge_has_a_new_address_each_time(store);
    a_deleted_project_leaves_who_did_what_when(store);
    an_organisation_that_nobody_else_entered_goes_with_its_admin(store);
    an_invitation_waits_until_it_is_accepted(store);
    an_account_that_nobody_came_into_is_opened_anew(store);
    one_waits_for_good(store);
    an_organisation_without_an_admin_rests(store);
}

const SUBJECT: ProjectSubject<'static> = ProjectSubject {
    domain: "example.com",
    keyword: "plumber",
    place: None,
};

fn reader(account: AccountId) -> ProjectReader {
    ProjectReader::Account(account)
}

pub(super) fn change(action: &str) -> ProjectChange<'_> {
    ProjectChange {
        action,
        members: "{\"a\":1}",
        at: NOW,
    }
}

/// So many of the latest entries of a log.
pub(super) fn latest(most: u32) -> EventPage {
    EventPage {
        most,
        ..EventPage::default()
    }
}

/// A schedule that waits, with an order.
fn terms(document: &str) -> ScheduleTerms<'_> {
    ScheduleTerms {
        name: "",
        document,
        recurrence: "{}",
        next_due: None,
        budget: None,
        credits: None,
        questions: None,
    }
}

/// A project with a schedule that waits.
fn order(organisation: OrganisationId, name: &str) -> ProjectOrder<'_> {
    ProjectOrder {
        project: NewProject {
            organisation,
            name,
            subject: SUBJECT,
            actor: "operator",
        },
        terms: terms("{}"),
        questions: None,
        parent: None,
        markets: &[],
    }
}

/// Puts the places of markets into a project in the place of others.
fn put_markets(store: &Store, scope: &ProjectScope, places: &[&str]) {
    let markets = places.iter().map(|place| MarketOrder {
        place: Some(place),
        language: None,
        terms: terms("{}"),
    });
    let markets: Vec<MarketOrder<'_>> = markets.collect();
    let edit = ProjectEdit {
        order: Some(ProjectOrder {
            terms: ScheduleTerms {
                budget: Some(50),
                ..terms("{}")
            },
            markets: &markets,
            ..order(scope.organisation(), "Client")
        }),
        at: NOW,
        ..ProjectEdit::default()
    };
    assert_eq!(store.edit_project(scope, &edit).unwrap(), ProjectEdited::Stored);
}

/// Archives a project.
fn archive(store: &Store, scope: &ProjectScope) {
    let edit = ProjectEdit {
        status: Some(ProjectStatus::Archived),
        at: NOW,
        ..ProjectEdit::default()
    };
    assert_eq!(store.edit_project(scope, &edit).unwrap(), ProjectEdited::Stored);
}

pub(super) fn add(store: &Store, organisation: OrganisationId, budget: Option<u64>) -> ProjectId {
    let id = ProjectId::random();
    let order = ProjectOrder {
        terms: ScheduleTerms {
            next_due: Some(NOW + 5),
            budget,
            ..terms("{}")
        },
        ..order(organisation, "Client")
    };
    assert!(store.add_project(id, &order, 9, NOW).unwrap());
    assert!(!store.add_project(id, &order, 1, NOW).unwrap());
    let stored = store
        .schedule(ScheduleId::from_bytes(*id.as_bytes()))
        .unwrap()
        .unwrap();
    assert_eq!(stored.name, "Client", "alerts name the project");
    id
}

/// An admin with an organisation and a project in it.
pub(super) fn client(store: &Store) -> (AccountId, OrganisationId, ProjectId) {
    let admin = account(store, 0).id;
    let organisation = store.own_organisation(admin, "Agency", NOW).unwrap().unwrap();
    (admin, organisation, add(store, organisation, Some(50)))
}

pub(super) fn scope(store: &Store, account: AccountId, project: ProjectId) -> ProjectScope {
    store.project_scope(reader(account), project).unwrap().unwrap()
}

fn roles_decide_who_sees_a_project(store: &Store) {
    let (admin, organisation, project) = client(store);
    assert_eq!(
        store.own_organisation(admin, "Other", NOW).unwrap(),
        Some(organisation)
    );
    let (editor, stranger) = (account(store, 0).id, account(store, 0).id);
    let found = scope(store, admin, project);
    assert!(
        found.may(Right::AdminProject) && found.may(Right::AdminOrganisation) && found.project() == project
    );
    assert!(store.project_scope(reader(editor), project).unwrap().is_none());
    store
        .set_project_role(&found, editor, Some(ProjectRole::Editor), change("person_added"))
        .unwrap();
    let edits = scope(store, editor, project);
    assert!(edits.may(Right::EditProject) && !edits.may(Right::AdminProject));
    // A member makes no projects in the organisation of others.
    assert_eq!(store.own_organisation(editor, "Mine", NOW).unwrap(), None);
    store.set_role(admin, Role::Viewer, NOW.into()).unwrap();
    let reads = scope(store, admin, project);
    assert!(reads.may(Right::ReadProject) && !reads.may(Right::EditProject));
    store.set_role(admin, Role::Member, NOW.into()).unwrap();
    store
        .set_project_role(
            &found,
            editor,
            Some(ProjectRole::Viewer),
            change("person_changed"),
        )
        .unwrap();
    assert!(!scope(store, editor, project).may(Right::RunProject));
    let other = add(store, organisation, None);
    let names = |account| -> Vec<ProjectId> {
        let projects = store.projects(reader(account), NOW).unwrap();
        projects.iter().map(|project| project.id).collect()
    };
    assert_eq!(names(editor), [project]);
    assert_eq!(names(admin).len(), 2);
    assert!(names(stranger).is_empty());
    assert!(store.project_scope(reader(stranger), other).unwrap().is_none());
    let people = store.project_people(&found).unwrap();
    assert_eq!(people.len(), 2);
    let member = people.iter().find(|person| person.account == editor).unwrap();
    assert_eq!(
        (member.organisation_role, member.role),
        (OrganisationRole::Member, Some(ProjectRole::Viewer))
    );
    store
        .set_project_role(&found, editor, None, change("person_removed"))
        .unwrap();
    assert!(store.project_scope(reader(editor), project).unwrap().is_none());
    store
        .put_member(organisation, editor, OrganisationRole::Admin, NOW)
        .unwrap();
    assert!(scope(store, editor, project).may(Right::AdminProject));
}

fn keys_open_what_they_are_for(store: &Store) {
    let (admin, organisation, project) = client(store);
    let scope = scope(store, admin, project);
    let other = add(store, organisation, None);
    let (own_hash, all_hash) = (*ScanId::random().as_bytes(), *ScanId::random().as_bytes());
    let double = |half: [u8; 16]| -> [u8; 32] {
        let mut hash = [0; 32];
        hash[..16].copy_from_slice(&half);
        hash
    };
    let (own_hash, all_hash) = (double(own_hash), double(all_hash));
    let key = |hash, access| NewApiKey {
        id: ApiKeyId::random(),
        name: "CI",
        hash,
        access,
        expires_at: Some(NOW + 10),
    };
    let own = key(&own_hash, KeyAccess::Run);
    assert!(store.add_api_key(&scope, &own, 1, change("key_made")).unwrap());
    assert!(!store.add_api_key(&scope, &own, 1, change("key_made")).unwrap());
    let all = key(&all_hash, KeyAccess::Write);
    for _ in 0..2 {
        store
            .add_organisation_key(organisation, Some(admin), &all, change("key_made"))
            .unwrap();
    }
    let found = store.api_key(&own_hash, NOW).unwrap().unwrap();
    assert_eq!(found.makes_projects_of(), None);
    let opened = |key, project| store.project_scope(ProjectReader::Key(key), project).unwrap();
    let runs = opened(found, project).unwrap();
    assert!(runs.may(Right::RunProject) && !runs.may(Right::EditProject) && opened(found, other).is_none());
    assert_eq!(store.projects(ProjectReader::Key(found), NOW).unwrap().len(), 1);
    let wide = store.api_key(&all_hash, NOW).unwrap().unwrap();
    assert_eq!(wide.makes_projects_of(), Some(organisation));
    assert!(opened(wide, other).unwrap().may(Right::AdminProject));
    assert_eq!(store.projects(ProjectReader::Key(wide), NOW).unwrap().len(), 2);
    let foreign = client(store).2;
    assert!(opened(wide, foreign).is_none());
    let listed = store.api_keys(&scope, NOW).unwrap();
    assert_eq!(listed.len(), 2);
    assert!(listed.iter().all(|key| !key.rests));
    let used = listed.iter().find(|key| !key.of_organisation).unwrap();
    assert_eq!((used.access, used.used_at), (KeyAccess::Run, Some(NOW)));
    // What a key makes ends with it, and a key rests with its owner.
    let child_hash = double(*ScanId::random().as_bytes());
    let child = key(&child_hash, KeyAccess::Read);
    let maker = opened(wide, project).unwrap();
    assert!(store.add_api_key(&maker, &child, 9, change("key_made")).unwrap());
    let lives = |hash: &[u8; 32]| store.api_key(hash, NOW).unwrap().is_some();
    assert!(lives(&child_hash));
    store.set_disabled(admin, true, NOW.into()).unwrap();
    assert!(!lives(&all_hash) && !lives(&child_hash) && !lives(&own_hash));
    // Another admin takes one over, and what it made goes on with it.
    let rests = store.api_keys(&scope, NOW).unwrap();
    assert!(rests.iter().all(|key| key.rests));
    let heir = account(store, 0).id;
    store
        .put_member(organisation, heir, OrganisationRole::Admin, NOW)
        .unwrap();
    let of_heir = self::scope(store, heir, project);
    let taken = change("key_taken_over");
    assert!(!store.take_api_key(&of_heir, ApiKeyId::random(), taken).unwrap());
    assert!(!store.take_api_key(&runs, all.id, taken).unwrap());
    assert!(store.take_api_key(&of_heir, all.id, taken).unwrap());
    assert!(lives(&all_hash) && lives(&child_hash) && !lives(&own_hash));
    store.set_disabled(admin, false, NOW.into()).unwrap();
    assert!(
        !store
            .revoke_api_key(&runs, all.id, change("key_revoked"))
            .unwrap()
    );
    assert!(lives(&all_hash) && lives(&child_hash) && lives(&own_hash));
    assert!(
        store
            .revoke_api_key(&scope, all.id, change("key_revoked"))
            .unwrap()
    );
    assert!(!lives(&all_hash) && !lives(&child_hash) && store.api_keys(&scope, NOW).unwrap().len() == 1);
    // A key ends by its time, and by being revoked.
    assert!(store.api_key(&own_hash, NOW + 10).unwrap().is_none());
    assert!(
        store
            .revoke_api_key(&scope, own.id, change("key_revoked"))
            .unwrap()
    );
    assert!(
        !store
            .revoke_api_key(&scope, own.id, change("key_revoked"))
            .unwrap()
    );
    assert!(store.api_key(&own_hash, NOW).unwrap().is_none());
}

fn fire(store: &Store, project: ProjectId, due: i64) -> ScheduleStart {
    let schedule = ScheduleId::from_bytes(*project.as_bytes());
    let begun = store.fire_schedule_now(schedule, None, due + 100, due).unwrap();
    assert_eq!(begun, ScheduleStarted::Begun);
    ScheduleStart { schedule, due }
}

fn end(store: &Store, firing: ScheduleStart, cost: u64) {
    let end = ScheduledEnd {
        outcome: "complete",
        cost,
        credits: 0,
        failures: Some(0),
        alert: None,
    };
    assert!(
        store
            .end_scheduled_run(firing, &end, &[], firing.due + 1)
            .unwrap()
    );
}

fn a_run_reserves_in_both_budgets(store: &Store) {
    let (admin, organisation, project) = client(store);
    let other = add(store, organisation, None);
    let reserve = |firing, estimate| store.reserve_project_run(&[(firing, estimate)], NOW).unwrap();
    let first = fire(store, project, NOW);
    // Without a budget of the operator no run starts.
    assert_eq!(reserve(first, 10), Reservation::OverOrganisationBudget);
    assert!(store.set_organisation_budget(organisation, 100, NOW).unwrap());
    assert!(
        !store
            .set_organisation_budget(OrganisationId::random(), 1, NOW)
            .unwrap()
    );
    assert_eq!(store.organisations(admin).unwrap()[0].budget, 100);
    assert_eq!(reserve(first, 40), Reservation::Reserved(50));
    // Another process repeats the step.
    assert_eq!(reserve(first, 40), Reservation::Reserved(50));
    let beside = fire(store, other, NOW);
    assert_eq!(reserve(beside, 61), Reservation::OverOrganisationBudget);
    assert_eq!(reserve(beside, 60), Reservation::Reserved(60));
    assert_eq!(
        store
            .project(&scope(store, admin, project), NOW)
            .unwrap()
            .unwrap()
            .spent,
        40
    );
    end(store, first, 30);
    let second = fire(store, project, NOW + 1);
    assert_eq!(reserve(second, 21), Reservation::OverBudget);
    assert_eq!(reserve(second, 10), Reservation::Reserved(10));
    // The next month is free of it.
    assert_eq!(
        store.reserve_project_run(&[(second, 50)], NOW + 1).unwrap(),
        Reservation::Reserved(50)
    );
    end(store, second, 50);
    let spent = store.organisation_spending(NOW, NOW + 1).unwrap();
    let spent = spent.iter().find(|one| one.id == organisation).unwrap();
    assert_eq!(
        (spent.name.as_str(), spent.budget, spent.runs, spent.cost),
        ("Agency", 100, 2, 90)
    );
    archive(store, &scope(store, admin, project));
    let late = fire(store, project, NOW + 2);
    assert_eq!(reserve(late, 0), Reservation::Closed);
}

fn a_run_asks_every_market(store: &Store) {
    let (admin, organisation, project) = client(store);
    let scope = scope(store, admin, project);
    assert!(store.set_organisation_budget(organisation, 100, NOW).unwrap());
    put_markets(store, &scope, &["Nice", "Paris", "Lyon"]);
    put_markets(store, &scope, &["Nice", "Lyon"]);
    let places = || -> Vec<Option<String>> {
        let markets = store.markets(project).unwrap().into_iter();
        markets.map(|market| market.place).collect()
    };
    assert_eq!(places(), [Some("Nice".to_owned()), Some("Lyon".to_owned())]);
    let lyon = store.markets(project).unwrap()[1].schedule;
    let own = fire(store, project, NOW);
    let waiting = store.waiting_markets(own).unwrap();
    assert_eq!(waiting.len(), 2);
    let (first, second) = (waiting[0].0, waiting[1].0);
    // All of them or none: the budget of the project is 50.
    let all = |cost| {
        store
            .reserve_project_run(&[(own, cost), (first, cost), (second, cost)], NOW)
            .unwrap()
    };
    assert_eq!(all(17), Reservation::OverBudget);
    assert_eq!(store.project(&scope, NOW).unwrap().unwrap().spent, 0);
    assert_eq!(all(16), Reservation::Reserved(18));
    assert_eq!(store.project(&scope, NOW).unwrap().unwrap().spent, 48);
    let again = store.reserve_project_run(&[(first, 16)], NOW).unwrap();
    assert_eq!(again, Reservation::Reserved(18));
    assert!(
        store
            .waiting_markets(own)
            .unwrap()
            .iter()
            .all(|(_, cost)| *cost == 16)
    );
    end(store, own, 16);
    // A project is not deleted while a market runs, and a market whose run is open is left out of the next one.
    assert!(!store.delete_project(&scope, NOW).unwrap());
    end(store, first, 16);
    let next = fire(store, project, NOW + 1);
    assert_eq!(store.waiting_markets(next).unwrap().len(), 1);
    end(store, second, 16);
    // The runs of a market are a series of their own.
    let scan = put_run(store, project, NOW, "plumber");
    let of_market = ProjectRunEnd {
        scan: ScanId::random(),
        ended_at: NOW + 5,
        subject: ("plumber", Some("Lyon")),
        market: Some(lyon),
        summary: RunSummary {
            score: Score::new(20.0),
            interval: None,
        },
        cost: 7,
        question_set: None,
    };
    store.put_project_run(project, &of_market).unwrap();
    assert_eq!(store.project_series(project, None, 9).unwrap(), [(scan, false)]);
    assert_eq!(
        store.project_series(project, Some(lyon), 9).unwrap(),
        [(of_market.scan, false)]
    );
    assert_eq!(store.project(&scope, NOW).unwrap().unwrap().last_scan, Some(scan));
    let numbers = MarketNumbers {
        summary: Some(of_market.summary),
        verdict: Some("No change.".to_owned()),
        last_scan: Some(of_market.scan),
        last_run_at: Some(NOW + 5),
        ..MarketNumbers::default()
    };
    let cells = [cell(of_market.scan, "h9", 1)];
    store
        .put_market_numbers(project, lyon, &numbers, &cells, &[])
        .unwrap();
    assert_eq!(store.markets(project).unwrap()[1].numbers, numbers);
    assert_eq!(
        store.project_series(project, Some(lyon), 9).unwrap(),
        [(of_market.scan, true)]
    );
    put_markets(store, &scope, &["Nice"]);
    assert_eq!(places(), [Some("Nice".to_owned())]);
    end(store, next, 1);
    let open = store.waiting_markets(next).unwrap();
    end(store, open[0].0, 1);
    assert!(store.delete_project(&scope, NOW).unwrap());
    assert!(store.markets(project).unwrap().is_empty());
    // Rows that copies of the database find.
    let (admin, _, project) = client(store);
    put_markets(store, &self::scope(store, admin, project), &["Lyon"]);
}

pub(super) fn cell(run: ScanId, question: &str, named: u32) -> Cell {
    Cell {
        run,
        question: question.to_owned(),
        place: String::new(),
        model: "model-1-latest".to_owned(),
        valid: 1,
        cited: 1,
        linked: 0,
        named,
        score_sum: 55_000,
        rank_sum: 2,
        searched: 0,
    }
}

pub(super) fn put_run(store: &Store, project: ProjectId, ended_at: i64, keyword: &str) -> ScanId {
    let end = ProjectRunEnd {
        scan: ScanId::random(),
        ended_at,
        subject: (keyword, None),
        market: None,
        summary: RunSummary {
            score: Score::new(55.0),
            interval: None,
        },
        cost: 7,
        question_set: Some("qs_00@2"),
    };
    store.put_project_run(project, &end).unwrap();
    store.put_project_run(project, &end).unwrap();
    end.scan
}

fn the_end_of_a_run_is_kept_in_the_row_of_the_project(store: &Store) {
    let (admin, _, project) = client(store);
    let scope = scope(store, admin, project);
    let (first, last) = (
        put_run(store, project, NOW, "plumber"),
        put_run(store, project, NOW + 9, "plumber"),
    );
    put_run(store, project, NOW + 3, "another keyword");
    assert!(store.projects_to_judge(100).unwrap().contains(&project));
    assert_eq!(
        store.project_series(project, None, 9).unwrap(),
        [(first, false), (last, false)]
    );
    assert_eq!(store.project_series(project, None, 1).unwrap(), [(last, false)]);
    let cells = [cell(first, "h1", 0), cell(last, "h1", 0), cell(last, "h2", 4)];
    let questions = [
        ("h1".to_owned(), "Which plumber?".to_owned()),
        ("h2".to_owned(), "Who is good?".to_owned()),
    ];
    let history = History {
        runs: 2,
        level: None,
        changes: Vec::new(),
        notes: vec![HistoryNote {
            at: Some(last),
            kind: HistoryNoteKind::Set,
        }],
    };
    let rivals = [FoundRival {
        name: "Pipe & Co".to_owned(),
        domain: None,
        aliases: Vec::new(),
        appearance_rate: 0.5,
        score: 20.0,
    }];
    assert_eq!(
        store.project_findings(&scope).unwrap(),
        ProjectFindings::default()
    );
    let numbers = ProjectNumbers {
        history: &history,
        verdict: "No change.",
        rivals: &rivals,
        changed_at: Some(NOW),
        cells: &cells,
        questions: &questions,
    };
    // The numbers of an earlier run come too late.
    assert!(!store.put_project_numbers(project, first, &numbers).unwrap());
    assert!(store.put_project_numbers(project, last, &numbers).unwrap());
    assert!(store.put_project_numbers(project, last, &numbers).unwrap());
    assert!(!store.projects_to_judge(100).unwrap().contains(&project));
    assert_eq!(store.project_series(project, None, 9).unwrap()[1], (last, true));
    let found = store.project(&scope, NOW).unwrap().unwrap();
    assert_eq!(
        (
            found.verdict.as_deref(),
            found.changed_at,
            found.last_scan,
            found.last_run_at
        ),
        (Some("No change."), Some(NOW), Some(last), Some(NOW + 9))
    );
    assert_eq!(found.summary.unwrap().score, Score::new(55.0));
    let found = store.project_findings(&scope).unwrap();
    assert_eq!(
        (found.history.as_ref(), &*found.rivals),
        (Some(&history), &rivals[..])
    );
    let questions = store.project_questions(&scope, 5).unwrap();
    let mut sums = questions
        .iter()
        .map(|sum| (sum.text.as_str(), sum.runs, sum.named));
    assert_eq!(sums.next(), Some(("Which plumber?", 2, 0)));
    assert_eq!(sums.next(), Some(("Who is good?", 1, 4)));
    let models = store.project_models(&scope, last).unwrap();
    assert_eq!(
        (models.len(), models[0].valid, models[0].score_sum),
        (1, 2, 110_000)
    );
    let second = store.project_runs(&scope, 9, 1).unwrap();
    let runs = store.project_runs(&scope, 9, 0).unwrap();
    assert_eq!(runs[1..], second);
    assert_eq!(runs.len(), 3);
    assert_eq!(
        (runs[0].scan, runs[0].cost, runs[0].outcome.as_deref()),
        (Some(last), 7, Some("complete"))
    );
    assert!(store.is_project_run(&scope, last).unwrap());
    assert!(!store.is_project_run(&scope, ScanId::random()).unwrap());
    let other = client(store);
    let foreign = self::scope(store, other.0, other.2);
    assert!(!store.is_project_run(&foreign, last).unwrap());
}

fn mentions_of_runs_wait_and_are_kept(store: &Store) {
    let (admin, _, project) = client(store);
    let scope = scope(store, admin, project);
    let (first, last) = (
        put_run(store, project, NOW, "plumber"),
        put_run(store, project, NOW + 9, "plumber"),
    );
    put_run(store, project, NOW + 3, "another keyword");
    let waiting = || store.runs_to_read(1_000).unwrap();
    assert!(waiting().contains(&(project, first)) && waiting().contains(&(project, last)));
    let packed = PackedAnswers::of(b"{}").unwrap();
    store.put_mentions(project, last, Some(&packed)).unwrap();
    store.put_mentions(project, last, None).unwrap();
    store.put_mentions(project, ScanId::random(), None).unwrap();
    assert!(!waiting().contains(&(project, last)));
    let kept = |most| {
        let runs = store.project_mentions(&scope, most).unwrap();
        let word = |reading: RunReading| match reading {
            RunReading::Mentions(packed) => String::from_utf8(packed.unpack().unwrap()).unwrap(),
            RunReading::NotKept => "not kept".to_owned(),
            RunReading::Waiting => "waiting".to_owned(),
        };
        runs.into_iter()
            .map(|(run, _, reading)| (run, word(reading)))
            .collect::<Vec<_>>()
    };
    assert_eq!(kept(9), [(first, "waiting".to_owned()), (last, "{}".to_owned())]);
    store.put_mentions(project, first, None).unwrap();
    assert_eq!(kept(9)[0].1, "not kept");
    assert_eq!(kept(1), [(last, "{}".to_owned())]);
}

fn a_project_is_stored_whole_or_not_at_all(store: &Store) {
    let (admin, organisation, _) = client(store);
    let (id, market, run) = (ProjectId::random(), ScheduleId::random(), ScanId::random());
    let own = ScheduleId::from_bytes(*id.as_bytes());
    let owner = format!("project {id}");
    let project = NewProject {
        organisation,
        name: "Moved",
        subject: SUBJECT,
        actor: "operator",
    };
    let packed = PackedAnswers::of(b"[]").unwrap();
    let terms = ScheduleTerms {
        name: "Moved",
        document: "{}",
        recurrence: "{}",
        next_due: Some(NOW + 5),
        budget: None,
        credits: None,
        questions: Some(ScheduleQuestions {
            questions: &packed,
            templates: "1",
        }),
    };
    let schedule = |id| NewSchedule {
        id,
        owner: &owner,
        terms,
        secret: None,
        project: Some(ProjectId::from_bytes(*own.as_bytes())),
    };
    let schedules = [schedule(own), schedule(market)];
    let set = QuestionSetRecord {
        id: QuestionSetId::from_bytes(*id.as_bytes()),
        name: "Moved".to_owned(),
        domain: None,
        keyword: None,
        place: None,
        latest: 1,
        created_at: NOW,
    };
    let version = QuestionsRecord {
        version: 1,
        hash: "hash".to_owned(),
        parent: None,
        source: "written".to_owned(),
        count: 0,
        questions: packed.clone(),
        created_at: NOW,
    };
    let kept = KeptResult {
        scan: run,
        ended_at: NOW + 4,
        keyword: "plumber".to_owned(),
        place: None,
        market: None,
        summary: RunSummary {
            score: Score::new(30.0),
            interval: None,
        },
        cost: 9,
        question_set: None,
    };
    let cell = Cell {
        run,
        question: "q".to_owned(),
        place: String::new(),
        model: "m".to_owned(),
        valid: 1,
        cited: 1,
        linked: 0,
        named: 2,
        score_sum: 30_000,
        rank_sum: 1,
        searched: 0,
    };
    let reply = PackedAnswers::of(b"{}").unwrap();
    let cells = [cell];
    let results = [ImportedResult {
        kept: &kept,
        created_at: 1_795_000_000,
        sandbox: true,
        method: "1",
        document: &reply,
        answers: Some(&packed),
        calls: 1,
        cells: &cells,
        mentions: Some(&packed),
    }];
    let note = AnnotationRecord {
        id: AnnotationId::random(),
        kind: AnnotationKind::Note,
        day: "2026-11-26".to_owned(),
        text: "Moved".to_owned(),
        author: None,
    };
    let rival = RivalRecord {
        id: RivalId::random(),
        name: "Rival".to_owned(),
        domains: Vec::new(),
        aliases: Vec::new(),
        state: RivalState::Pinned,
    };
    let action = action();
    let ended = |due| EndedRun {
        firing: ScheduleStart { schedule: own, due },
        scan: Some(run),
        outcome: "complete".to_owned(),
        cost: 9,
        ended_at: due + 4,
    };
    let twice = [ended(NOW), ended(NOW)];
    let own_file = NewOwnFile {
        id: OwnFileId::random(),
        hash: &[3; 32],
        name: "access.log",
        formats: "combined",
        days: None,
        row_count: 2,
        document: &packed,
    };
    let part = KeptAnswerPart {
        number: 1,
        sha256: [2; 32],
        answers: 1,
        document: Some(packed.clone()),
        counts: Vec::new(),
    };
    let answers = ImportedAnswers {
        import: NewAnswerImport {
            id: AnswerImportId::random(),
            stratum: AnswerStratum::Tracker,
            tool: "peec",
            name: "peec.csv",
            sha256: &[1; 32],
            parts: 1,
            notes: "{}",
        },
        parts: std::slice::from_ref(&part),
        days: Some("[]"),
    };
    let import = ProjectImport {
        project: &project,
        created_at: NOW - 100,
        imported_at: NOW,
        failures: 2,
        schedules: &schedules,
        markets: &[(market, Some("Leeds".to_owned()), None)],
        set: Some((&set, std::slice::from_ref(&version))),
        rivals: std::slice::from_ref(&rival),
        annotations: std::slice::from_ref(&note),
        actions: std::slice::from_ref(&action),
        ended: &twice,
        results: &results,
        questions: &[("q".to_owned(), "Who?".to_owned())],
        own_files: &[(own_file, NOW - 7)],
        answers: &[answers],
    };
    // A fault anywhere leaves nothing.
    assert!(store.import_project(&import, 9).is_err());
    assert!(store.project_scope(reader(admin), id).unwrap().is_none() && store.scan(run).unwrap().is_none());
    let import = ProjectImport {
        ended: &twice[..1],
        ..import
    };
    assert!(!store.import_project(&import, 1).unwrap());
    assert!(store.import_project(&import, 9).unwrap());
    let found = scope(store, admin, id);
    let record = store.project(&found, 1).unwrap().unwrap();
    // What it cost elsewhere is not spent here, and it waits.
    assert_eq!(
        (record.spent, record.failures, record.is_paused, record.last_scan),
        (0, 2, true, Some(run))
    );
    let rows = store.project_rows(&found).unwrap();
    assert_eq!(
        (
            rows.schedules.len(),
            rows.results.len(),
            rows.ended.len(),
            rows.questions.len()
        ),
        (2, 1, 1, 1)
    );
    assert!(rows.schedules.iter().all(|schedule| schedule.questions.is_some()));
    assert_eq!(rows.ended[0].cost, 9);
    let imports = store.answer_imports(&found).unwrap();
    assert_eq!(
        (imports.len(), imports[0].answers, imports[0].ended_at),
        (1, 1, Some(NOW))
    );
    let (cells_read, mentions) = store.run_rows(&found, run).unwrap();
    assert_eq!(cells_read, cells);
    assert_eq!(mentions.unwrap().unpack().unwrap(), b"[]");
    let markets = store.markets(id).unwrap();
    assert_eq!((markets.len(), markets[0].place.as_deref()), (1, Some("Leeds")));
    assert_eq!(store.annotations(&found).unwrap(), [note]);
    assert_eq!(store.actions(&found).unwrap(), [action]);
    let words = store.question_words(id).unwrap();
    assert_eq!(words, [("q".to_owned(), "Who?".to_owned())]);
    assert_eq!(store.rivals(&found).unwrap(), [rival]);
    let own = store.own_files(&found).unwrap();
    assert_eq!(
        (own.len(), own[0].id, own[0].created_at),
        (1, own_file.id, NOW - 7)
    );
    assert_eq!(store.question_versions(Some(&owner), set.id).unwrap().len(), 1);
    assert_eq!(
        store.project_events(&found, latest(9)).unwrap()[0].action,
        "project_imported"
    );
    assert!(store.delete_project(&found, NOW).unwrap());
}

fn action() -> ActionRecord {
    ActionRecord {
        id: ActionId::random(),
        title: "Write a guide".to_owned(),
        page: Some("/guide".to_owned()),
        questions: vec!["Who?".to_owned(), "Where?".to_owned()],
        person: Some("Ada".to_owned()),
        goal: None,
        status: ActionStatus::Open,
        runs: 8,
        agreed_at: NOW,
        done_on: None,
        test: None,
        finding: None,
        judged_at: None,
        created_at: NOW,
        author: None,
    }
}

fn an_edit_is_stored_whole_or_not_at_all(store: &Store) {
    let (admin, organisation, project) = client(store);
    let scope = scope(store, admin, project);
    let packed = PackedAnswers::packed(vec![1]);
    let first = NewQuestions {
        hash: "h1",
        source: "written",
        count: 1,
        questions: &packed,
    };
    let mark = AnnotationRecord {
        id: AnnotationId::random(),
        kind: AnnotationKind::Set,
        day: "2026-09-01".to_owned(),
        text: "Questions: version 1".to_owned(),
        author: None,
    };
    let settings = ProjectSettings {
        sender_name: Some("Agency".parse().unwrap()),
        ..ProjectSettings::default()
    };
    let market = |questions, document| MarketOrder {
        place: Some("Lyon"),
        language: None,
        terms: ScheduleTerms {
            questions: Some(ScheduleQuestions {
                questions,
                templates: "1",
            }),
            ..terms(document)
        },
    };
    let lyon = [market(&packed, "{}")];
    let edit = ProjectEdit {
        order: Some(ProjectOrder {
            terms: terms("{\"b\":1}"),
            questions: Some(first),
            markets: &lyon,
            ..order(organisation, "Renamed")
        }),
        mark: Some(&mark),
        status: Some(ProjectStatus::Paused),
        next_due: None,
        settings: Some(&settings),
        changes: &[change("project_changed"), change("project_paused")],
        at: NOW,
    };
    let read = || {
        let record = store.project(&scope, NOW).unwrap().unwrap();
        let schedule = store.schedule(scope.schedule()).unwrap().unwrap();
        let notes = store.annotations(&scope).unwrap();
        let events = store.project_events(&scope, latest(50)).unwrap();
        (
            record,
            schedule,
            notes,
            store.markets(project).unwrap(),
            events.len(),
        )
    };
    // The last step fails: an entry of this id is there already.
    let before = read();
    let twice = AnnotationRecord {
        text: "Twice".to_owned(),
        ..mark.clone()
    };
    let other = self::scope(store, admin, add(store, organisation, None));
    assert!(
        store
            .add_annotation(&other, &twice, 9, change("questions_changed"))
            .unwrap()
    );
    let failed = store.edit_project(&scope, &edit);
    assert!(matches!(failed, Err(StoreError::Exists)));
    assert_eq!(read(), (before.0, before.1, before.2, before.3, before.4));
    let own = AnnotationRecord {
        id: AnnotationId::random(),
        ..mark.clone()
    };
    let edit = ProjectEdit {
        mark: Some(&own),
        ..edit
    };
    assert_eq!(store.edit_project(&scope, &edit).unwrap(), ProjectEdited::Stored);
    let (record, schedule, notes, markets, events) = read();
    assert_eq!(
        (record.name.as_str(), record.settings),
        ("Renamed", settings.clone())
    );
    assert!(schedule.paused_at.is_some() && schedule.document.contains('b') && record.archived_at.is_none());
    assert_eq!((notes, events), (vec![own.clone()], before.4 + 2));
    let kept = |expected: &PackedAnswers| {
        let found = store.schedule_questions(markets[0].schedule).unwrap();
        assert_eq!(found.unwrap().as_bytes(), expected.as_bytes());
    };
    kept(&packed);
    // Another edit came between: nothing of this one is stored.
    let edit = ProjectEdit {
        mark: None,
        status: Some(ProjectStatus::Archived),
        ..edit
    };
    let changed = store.edit_project(&scope, &edit).unwrap();
    assert_eq!(changed, ProjectEdited::QuestionsChanged(1));
    assert!(store.project(&scope, NOW).unwrap().unwrap().archived_at.is_none());
    // A market keeps its schedule, and its questions unless its order changes.
    let newer = PackedAnswers::packed(vec![2]);
    for (document, asked) in [("{}", &packed), ("{\"c\":1}", &newer)] {
        let markets = [market(&newer, document)];
        let order = ProjectOrder {
            markets: &markets,
            ..order(organisation, "Renamed")
        };
        let edit = ProjectEdit {
            order: Some(order),
            status: Some(ProjectStatus::Active),
            next_due: Some(NOW + 9),
            at: NOW,
            ..ProjectEdit::default()
        };
        assert_eq!(store.edit_project(&scope, &edit).unwrap(), ProjectEdited::Stored);
        kept(asked);
    }
    let schedule = store.schedule(scope.schedule()).unwrap().unwrap();
    assert_eq!((schedule.paused_at, schedule.next_due), (None, Some(NOW + 9)));
    // Archived with its markets; then it is gone.
    archive(store, &scope);
    let market = store.schedule(markets[0].schedule).unwrap().unwrap();
    assert_eq!(market.paused_at, Some(NOW));
    assert!(store.delete_project(&scope, NOW).unwrap());
    let unknown = store.edit_project(&scope, &edit).unwrap();
    assert_eq!(unknown, ProjectEdited::Unknown);
    // A run that a person starts is in the log with its first step.
    let started = |store: &Store| {
        let events = store.project_events(&other, latest(50)).unwrap();
        events
            .iter()
            .filter(|event| event.action == "run_started")
            .count()
    };
    let fire = |at| {
        store
            .fire_schedule_now(other.schedule(), Some(&other), at + 9, at)
            .unwrap()
    };
    assert_eq!(fire(NOW), ScheduleStarted::Begun);
    assert_eq!(
        (fire(NOW + 1), started(store)),
        (ScheduleStarted::StillRunning, 1)
    );
}

fn keys_of_an_organisation_take_room_of_the_day(store: &Store) {
    let (admin, organisation, project) = client(store);
    let scope = scope(store, admin, project);
    let hashes: Vec<[u8; 32]> = (0..=400_u16)
        .map(|number| std::array::from_fn(|at| project.as_bytes()[at % 16] ^ number.to_be_bytes()[at % 2]))
        .collect();
    let key = |hash| NewApiKey {
        id: ApiKeyId::random(),
        name: "CI",
        hash,
        access: KeyAccess::Read,
        expires_at: None,
    };
    // A day of its own, before that of other tests; a key that is stored again counts once.
    let made = ProjectChange {
        at: NOW - 900_000_000,
        ..change("key_made")
    };
    for hash in hashes[..400].iter().chain(&hashes[..1]) {
        store
            .add_organisation_key(organisation, None, &key(hash), made)
            .unwrap();
    }
    let refused = store.add_api_key(&scope, &key(&hashes[400]), 9, made);
    assert!(matches!(refused, Err(StoreError::DailyBound(_))));
    let next_day = ProjectChange {
        at: made.at + 86_400_001,
        ..made
    };
    assert!(
        store
            .add_api_key(&scope, &key(&hashes[400]), 9, next_day)
            .unwrap()
    );
}

fn actions_are_judged_until_their_test_ends(store: &Store) {
    let (admin, _, project) = client(store);
    let scope = scope(store, admin, project);
    let mut action = action();
    let put = |action: &ActionRecord| {
        store
            .put_action(&scope, action, 1, change("action_added"))
            .unwrap()
    };
    assert!(put(&action) && !put(&self::action()));
    assert!(store.actions_to_judge(project).unwrap().is_empty());
    store.put_finding(&action, "early", None).unwrap();
    action.status = ActionStatus::Done;
    (action.done_on, action.test) = (Some("2026-11-26".to_owned()), Some("{}".to_owned()));
    assert!(put(&action));
    let stored = store.actions(&scope).unwrap();
    assert_eq!(
        (stored[0].finding.as_deref(), stored[0].author),
        (None, Some(admin))
    );
    assert_eq!(store.actions_to_judge(project).unwrap(), stored);
    // A test that has begun anew takes no finding of the one before.
    let other = ActionRecord {
        agreed_at: NOW - 1,
        ..action.clone()
    };
    store.put_finding(&other, "other", Some(NOW)).unwrap();
    assert_eq!(store.actions(&scope).unwrap(), stored);
    store.put_finding(&action, "so far", None).unwrap();
    store.put_finding(&action, "moved", Some(NOW + 1)).unwrap();
    store.put_finding(&action, "later", Some(NOW + 2)).unwrap();
    assert!(store.actions_to_judge(project).unwrap().is_empty());
    let judged = &store.actions(&scope).unwrap()[0];
    assert_eq!(
        store.judged_actions(project, NOW + 1).unwrap(),
        std::slice::from_ref(judged)
    );
    assert!(store.judged_actions(project, NOW + 2).unwrap().is_empty());
    assert_eq!(
        (judged.finding.as_deref(), judged.judged_at),
        (Some("moved"), Some(NOW + 1))
    );
    assert_eq!(store.project_contents(&scope).unwrap().actions, 1);
    let foreign = client(store);
    let foreign = self::scope(store, foreign.0, foreign.2);
    assert!(store.actions(&foreign).unwrap().is_empty());
    let delete = |scope: &ProjectScope| {
        store
            .delete_action(scope, action.id, change("action_removed"))
            .unwrap()
    };
    assert!(!delete(&foreign) && delete(&scope) && !delete(&scope));
    // A row that copies of the database find.
    assert!(put(&action));
}

fn past_runs_are_stored_once(store: &Store) {
    let (admin, _, project) = client(store);
    let found = scope(store, admin, project);
    let (id, owner) = (ScanId::random(), format!("project {project}"));
    let scan = NewScan {
        id,
        origin: Origin::V2(owner.clone()),
        created_at: 1_795_000_000,
        sandbox: true,
        method: "1",
        reply: b"{}",
        answers: None,
    };
    let run = NewDurableRun::past(id, &owner, 3, NOW);
    let end = ProjectRunEnd {
        scan: id,
        ended_at: NOW + 4,
        subject: ("plumber", None),
        market: None,
        summary: RunSummary {
            score: Score::new(30.0),
            interval: None,
        },
        cost: 9,
        question_set: None,
    };
    let past = |due, outcome, result| PastRun {
        firing: ScheduleStart {
            schedule: found.schedule(),
            due,
        },
        outcome,
        ended_at: due + 4,
        result,
    };
    let result = PastResult {
        scan: &scan,
        run: &run,
        end: &end,
    };
    let failed = past(NOW + 7, "failed", None);
    store.put_past_project_run(project, &failed).unwrap();
    let again = store.put_past_project_run(project, &failed);
    assert!(matches!(again, Err(StoreError::Exists)));
    let held = past(NOW + 8, "over_budget", None);
    store.put_past_project_run(project, &held).unwrap();
    let record = || store.project(&found, NOW).unwrap().unwrap();
    assert_eq!(
        (record().failures, record().outcome.as_deref(), record().last_scan),
        (1, Some("over_budget"), None)
    );
    let complete = past(NOW, "complete", Some(result));
    store.put_past_project_run(project, &complete).unwrap();
    assert!(store.put_past_project_run(project, &complete).is_err());
    assert_eq!(
        (record().failures, record().spent, record().last_scan),
        (0, 9, Some(id))
    );
    assert!(store.is_project_run(&found, id).unwrap() && store.scan(id).unwrap().is_some());
    assert_eq!(store.project_runs(&found, 9, 0).unwrap().len(), 3);
    assert!(!store.is_project_deleted(project).unwrap());
    assert!(store.delete_project(&found, NOW).unwrap());
    assert!(store.is_project_deleted(project).unwrap() && store.scan(id).unwrap().is_none());
    let late = past(NOW + 9, "failed", None);
    assert!(matches!(
        store.put_past_project_run(project, &late),
        Err(StoreError::Lost)
    ));
}

fn answers_are_forgotten_and_results_stay(store: &Store) {
    let (admin, organisation, project) = client(store);
    let counts = store.project_counts().unwrap();
    assert!(counts.active > 0 && counts.without_budget > 0);
    let found = scope(store, admin, project);
    let (id, owner) = (ScanId::random(), format!("project {project}"));
    let scan = NewScan {
        id,
        origin: Origin::V2(owner),
        created_at: 1_795_000_000,
        sandbox: true,
        method: "1",
        reply: b"{}",
        answers: Some(PackedAnswers::of(b"[]").unwrap()),
    };
    store.put_scan(&scan).unwrap();
    let end = ProjectRunEnd {
        scan: id,
        // Before the runs of all other tests.
        ended_at: 5,
        subject: ("plumber", None),
        market: None,
        summary: RunSummary {
            score: Score::new(30.0),
            interval: None,
        },
        cost: 9,
        question_set: None,
    };
    store.put_project_run(project, &end).unwrap();
    assert_eq!(store.forget_project_answers(5, 9).unwrap(), 0);
    assert!(store.answers(id).unwrap().is_some());
    assert_eq!(store.forget_project_answers(6, 9).unwrap(), 1);
    assert_eq!(store.forget_project_answers(6, 9).unwrap(), 0);
    assert!(store.answers(id).unwrap().is_none() && store.scan(id).unwrap().is_some());
    let faults = || -> u64 { store.project_faults().unwrap().iter().map(|(_, rows)| rows).sum() };
    let before = faults();
    archive(store, &found);
    assert_eq!(store.project_counts().unwrap().archived, counts.archived + 1);
    assert_eq!(faults(), before);
    let lost = add(store, organisation, None);
    assert!(
        store
            .delete_schedule(ScheduleId::from_bytes(*lost.as_bytes()))
            .unwrap()
    );
    assert_eq!(faults(), before + 1);
}

fn a_badge_has_a_new_address_each_time(store: &Store) {
    let (admin, _, project) = client(store);
    let scope = scope(store, admin, project);
    let shown = || store.project(&scope, 0).unwrap().unwrap().badge;
    let set = |token, action| store.set_badge(&scope, token, change(action)).unwrap();
    assert_eq!(shown(), None);
    let (first, second) = (ProjectId::random().to_string(), ProjectId::random().to_string());
    set(Some(&first), "badge_shown");
    set(Some(&second), "badge_shown");
    assert_eq!(shown().as_ref(), Some(&first));
    let none = BadgeNumbers {
        level: None,
        last_run_at: None,
    };
    assert_eq!(store.badge(&first).unwrap(), Some(none));
    set(None, "badge_hidden");
    set(None, "badge_hidden");
    assert_eq!((shown(), store.badge(&first).unwrap()), (None, None));
    set(Some(&second), "badge_shown");
    assert_eq!(store.badge(&first).unwrap(), None);
    assert!(store.badge(&second).unwrap().is_some());
    let log = store.project_events(&scope, latest(9)).unwrap();
    let mut actions: Vec<&str> = log.iter().map(|event| event.action.as_str()).collect();
    actions.sort_unstable();
    assert_eq!(
        actions,
        ["badge_hidden", "badge_shown", "badge_shown", "project_made"]
    );
}

fn what_belongs_to_a_project_is_bounded_and_logged(store: &Store) {
    let (admin, _, project) = client(store);
    let scope = scope(store, admin, project);
    let rival = RivalRecord {
        id: RivalId::random(),
        name: "Pipe & Co".to_owned(),
        domains: vec!["pipe.example".to_owned()],
        aliases: Vec::new(),
        state: RivalState::Pinned,
    };
    assert!(store.put_rival(&scope, &rival, 1, change("rival_put")).unwrap());
    let ignored = RivalRecord {
        state: RivalState::Ignored,
        id: RivalId::random(),
        ..rival.clone()
    };
    assert!(store.put_rival(&scope, &ignored, 1, change("rival_put")).unwrap());
    let kept = store.rivals(&scope).unwrap();
    assert_eq!(
        (kept.len(), kept[0].state, kept[0].id),
        (1, RivalState::Ignored, rival.id)
    );
    let second = RivalRecord {
        name: "Another".to_owned(),
        ..ignored
    };
    assert!(!store.put_rival(&scope, &second, 1, change("rival_put")).unwrap());
    let foreign = client(store);
    let foreign = self::scope(store, foreign.0, foreign.2);
    assert!(
        !store
            .delete_rival(&foreign, rival.id, change("rival_removed"))
            .unwrap()
    );
    assert!(
        store
            .delete_rival(&scope, rival.id, change("rival_removed"))
            .unwrap()
    );
    let note = AnnotationRecord {
        id: AnnotationId::random(),
        kind: AnnotationKind::Note,
        day: "2026-11-26".to_owned(),
        text: "New website".to_owned(),
        author: None,
    };
    assert!(
        store
            .add_annotation(&scope, &note, 1, change("note_added"))
            .unwrap()
    );
    assert!(
        !store
            .add_annotation(&scope, &note, 1, change("note_added"))
            .unwrap()
    );
    assert_eq!(store.annotations(&scope).unwrap()[0].author, Some(admin));
    // What the program wrote has no author, counts by itself, and stays.
    let mark = AnnotationRecord {
        id: AnnotationId::random(),
        kind: AnnotationKind::Set,
        ..note.clone()
    };
    assert!(
        store
            .add_annotation(&scope, &mark, 1, change("questions_changed"))
            .unwrap()
    );
    let written = store.annotations(&scope).unwrap();
    assert!(written.contains(&mark));
    assert_eq!(store.project_contents(&scope).unwrap().annotations, 1);
    assert!(
        !store
            .delete_annotation(&scope, mark.id, change("note_removed"))
            .unwrap()
    );
    assert!(
        store
            .delete_annotation(&scope, note.id, change("note_removed"))
            .unwrap()
    );
    assert!(
        !store
            .delete_annotation(&scope, note.id, change("note_removed"))
            .unwrap()
    );
    let edit = ProjectEdit {
        order: Some(order(scope.organisation(), "Renamed")),
        changes: &[change("project_changed"), change("schedule_changed")],
        at: NOW,
        ..ProjectEdit::default()
    };
    assert_eq!(store.edit_project(&scope, &edit).unwrap(), ProjectEdited::Stored);
    assert_eq!(store.project(&scope, NOW).unwrap().unwrap().name, "Renamed");
    let events = store.project_events(&scope, latest(50)).unwrap();
    assert_eq!(events.len(), 9);
    assert!(events.iter().filter(|event| event.email.is_some()).count() == 8);
    assert_eq!(store.project_events(&scope, latest(2)).unwrap().len(), 2);
    let rest = EventPage {
        skipped: 2,
        ..latest(50)
    };
    let rest = store.project_events(&scope, rest).unwrap();
    assert_eq!(rest, events[2..]);
    let access = EventPage {
        access: true,
        ..latest(50)
    };
    let access = store.project_events(&scope, access).unwrap();
    assert!(!access.is_empty() && access.iter().all(|event| !event.action.starts_with("note_")));
    // Rows that copies of the database find.
    assert!(store.put_rival(&scope, &rival, 1, change("rival_put")).unwrap());
    assert!(
        store
            .add_annotation(&scope, &note, 1, change("note_added"))
            .unwrap()
    );
    store
        .set_project_role(
            &scope,
            account(store, 0).id,
            Some(ProjectRole::Editor),
            change("person_added"),
        )
        .unwrap();
}

fn a_deleted_project_leaves_who_did_what_when(store: &Store) {
    let (admin, organisation, project) = client(store);
    let scope = scope(store, admin, project);
    let owner = format!("project {project}");
    let run = put_run(store, project, NOW, "plumber");
    store.put_mentions(project, run, None).unwrap();
    let scan = NewScan {
        id: run,
        origin: Origin::V2(owner.clone()),
        created_at: 1_795_000_000,
        sandbox: true,
        method: "1",
        reply: b"{}",
        answers: Some(PackedAnswers::of(b"[]").unwrap()),
    };
    store.put_scan(&scan).unwrap();
    let contents = store.project_contents(&scope).unwrap();
    assert_eq!((contents.runs, contents.reports, contents.keys), (1, 1, 0));
    let open = fire(store, project, NOW);
    assert!(!store.delete_project(&scope, NOW).unwrap());
    end(store, open, 0);
    assert!(store.delete_project(&scope, NOW).unwrap());
    assert!(store.project_scope(reader(admin), project).unwrap().is_none());
    assert!(store.scan(run).unwrap().is_none());
    assert!(store.schedules(Some(&owner)).unwrap().is_empty());
    let other = add(store, organisation, None);
    // The log of the deleted project is no part of another one.
    let events = store
        .project_events(&self::scope(store, admin, other), latest(9))
        .unwrap();
    assert!(events.iter().all(|event| event.action != "project_deleted"));
    let events = store.project_events(&scope, latest(9)).unwrap();
    let deleted = events.iter().find(|event| event.action == "project_deleted");
    assert!(deleted.is_some_and(|event| event.actor == format!("account {admin}")));
    assert!(
        events
            .iter()
            .filter(|event| event.action == "project_made")
            .all(|event| event.members.is_none())
    );
}

pub(super) fn invitation_of(email: &Email) -> NewInvitation<'_> {
    let mut hash = [0; 32];
    hash[..16].copy_from_slice(ScanId::random().as_bytes());
    NewInvitation {
        account: NewAccount {
            id: AccountId::random(),
            email,
            password: "!",
            credits: 0,
            role: Role::Member,
        },
        role: Some(ProjectRole::Viewer),
        hash,
        expires_at: NOW + 10,
        since: NOW,
        room: DailyRoom {
            person: 4,
            organisation: 5,
            server: 1_000_000,
        },
    }
}

fn invite(
    store: &Store,
    scope: &ProjectScope,
    email: &str,
    role: Option<ProjectRole>,
) -> ([u8; 32], Invited) {
    let email = email.parse().unwrap();
    let invitation = NewInvitation {
        role,
        ..invitation_of(&email)
    };
    let invited = store.invite(scope, &invitation, change("person_added"));
    (invitation.hash, invited.unwrap())
}

fn an_account_that_nobody_came_into_is_opened_anew(store: &Store) {
    let (admin, _, project) = client(store);
    let scope = scope(store, admin, project);
    let address = format!("{}@late.example", AccountId::random());
    let email: Email = address.parse().unwrap();
    let invite_at = |at| {
        let invitation = NewInvitation {
            expires_at: at + 10,
            room: DailyRoom {
                person: 9,
                organisation: 9,
                server: 1_000_000,
            },
            ..invitation_of(&email)
        };
        let change = ProjectChange {
            at,
            ..change("person_added")
        };
        let invited = store.invite(&scope, &invitation, change).unwrap();
        let Invited::Waits(account) = invited else {
            panic!("{invited:?}")
        };
        (invitation.hash, account)
    };
    let (first, opened) = invite_at(NOW);
    // While its link may be used, another invitation changes nothing of it.
    assert_eq!(invite_at(NOW + 5).1, opened);
    assert!(store.link(&first, NOW + 9).unwrap().is_some());
    let (later, anew) = invite_at(NOW + 20);
    assert_ne!(anew, opened);
    assert_eq!(store.link(&later, NOW + 20).unwrap().unwrap().id, anew);
    assert_eq!(store.account(&email).unwrap().unwrap().id, anew);
    // Taken back, it takes the link of the account along, whichever invitation made that.
    store
        .set_project_role(&scope, anew, None, change("person_removed"))
        .unwrap();
    assert!(store.link(&later, NOW + 20).unwrap().is_none());
    // Who came in stays.
    let (link, stays) = invite_at(NOW + 21);
    assert!(store.use_link(&link, "a hash", NOW + 22).unwrap());
    assert_eq!(invite_at(NOW + 60).1, stays);
}

fn an_invitation_waits_until_it_is_accepted(store: &Store) {
    let (admin, organisation, project) = client(store);
    let scope = scope(store, admin, project);
    let known = account(store, 0);
    let viewer = Some(ProjectRole::Viewer);
    // No link sets the password of an account that was there before.
    let (hash, invited) = invite(store, &scope, &known.email, viewer);
    assert_eq!(invited, Invited::Waits(known.id));
    assert!(store.link(&hash, NOW).unwrap().is_none());
    assert_eq!(store.invitation(&hash, NOW).unwrap().unwrap().0.id, known.id);
    assert!(store.invitation(&hash, NOW + 10).unwrap().is_none());
    assert!(store.project_scope(reader(known.id), project).unwrap().is_none());
    let waits = store.project_people(&scope).unwrap();
    assert_eq!(waits.iter().filter(|person| person.waits).count(), 1);
    // An account that it opens belongs to the organisation alone, and its log names the inviter.
    let address = format!("{}@new.example", AccountId::random());
    let (own, invited) = invite(store, &scope, &address, viewer);
    let Invited::Waits(opened) = invited else {
        panic!("{invited:?}")
    };
    assert_eq!(store.link(&own, NOW).unwrap().unwrap().id, opened);
    assert_eq!(store.own_organisation(opened, "Mine", NOW).unwrap(), None);
    let log = store.account_log(Some(opened), 9).unwrap();
    let inviter = store.account_by_id(admin).unwrap().unwrap().email;
    assert!(
        log.iter()
            .all(|entry| entry.by.as_deref() == Some(inviter.as_str()))
    );
    // A later one changes nothing of its link; taken back, it takes the link along.
    let (later, _) = invite(store, &scope, &address, viewer);
    assert!(store.link(&own, NOW).unwrap().is_some() && store.link(&later, NOW).unwrap().is_none());
    store
        .set_project_role(&scope, opened, None, change("person_removed"))
        .unwrap();
    assert!(store.invitations(opened, NOW).unwrap().is_empty());

    let listed = store.invitations(known.id, NOW).unwrap();
    assert_eq!(
        (listed.len(), listed[0].target, listed[0].project.as_deref()),
        (1, project, Some("Client"))
    );
    assert!(store.answer_invitation(known.id, project, true, NOW).unwrap());
    assert!(!store.answer_invitation(known.id, project, true, NOW).unwrap());
    assert!(self::scope(store, known.id, project).may(Right::ReadProject));
    // The last admin leaves when an heir has accepted.
    let leaves = Change {
        at: NOW,
        by: Some(admin),
    };
    open_session(store, &known, None, NOW);
    let refused = store.delete_account(admin, leaves);
    assert!(matches!(refused, Err(StoreError::LastAdmin)), "{refused:?}");
    assert_eq!(invite(store, &scope, &address, None).1, Invited::Stranger);
    let heir = ProjectId::from_bytes(*organisation.as_bytes());
    assert_eq!(
        invite(store, &scope, &known.email, None).1,
        Invited::Waits(known.id)
    );
    assert!(!self::scope(store, known.id, project).may(Right::AdminProject));
    assert!(store.answer_invitation(known.id, heir, true, NOW).unwrap());
    assert_eq!(
        invite(store, &scope, "more@new.example", viewer).1,
        Invited::TooMany
    );
    store.delete_account(admin, leaves).unwrap();
    assert!(self::scope(store, known.id, project).may(Right::AdminOrganisation));
}

/// Leaves an invitation behind, which copies of the store have to take along.
fn one_waits_for_good(store: &Store) {
    let (admin, _, project) = client(store);
    let known = account(store, 0);
    let scope = scope(store, admin, project);
    let invited = invite(store, &scope, &known.email, Some(ProjectRole::Viewer)).1;
    assert_eq!(invited, Invited::Waits(known.id));
}

fn an_organisation_without_an_admin_rests(store: &Store) {
    let maker = account(store, 0);
    let (admin, named) = (maker.id, maker.email.as_str());
    let organisation = store.own_organisation(admin, named, NOW).unwrap().unwrap();
    let project = add(store, organisation, Some(50));
    let (heir, never) = (account(store, 0), account(store, 0).id);
    let scope = scope(store, admin, project);
    for person in [heir.id, never] {
        let role = Some(ProjectRole::Editor);
        store
            .set_project_role(&scope, person, role, change("person_added"))
            .unwrap();
    }
    open_session(store, &heir, None, NOW);
    let hash: [u8; 32] = std::array::from_fn(|at| project.as_bytes()[at % 16]);
    let key = NewApiKey {
        id: ApiKeyId::random(),
        name: "Looker",
        hash: &hash,
        access: KeyAccess::Write,
        expires_at: None,
    };
    let made = change("key_made");
    store
        .add_organisation_key(organisation, None, &key, made)
        .unwrap();
    // Nobody follows: neither in the order in which they came nor for being the only one.
    store.delete_account(admin, NOW.into()).unwrap();
    assert!(store.project_scope(reader(admin), project).unwrap().is_none());
    let rests = self::scope(store, heir.id, project);
    assert!(rests.may(Right::ReadProject) && !rests.may(Right::EditProject) && !rests.may(Right::RunProject));
    let key = store.api_key(&hash, NOW).unwrap().unwrap();
    assert_eq!(key.makes_projects_of(), None);
    assert_ne!(store.organisations(heir.id).unwrap()[0].name, named);
    let held = store
        .reserve_project_run(&[(fire(store, project, NOW), 1)], NOW)
        .unwrap();
    assert_eq!(held, Reservation::Closed);
    assert_eq!(store.name_admin(heir.id, NOW).unwrap(), 1);
    assert_eq!(store.name_admin(never, NOW).unwrap(), 0);
    assert!(self::scope(store, heir.id, project).may(Right::AdminOrganisation));
}

fn an_organisation_that_nobody_else_entered_goes_with_its_admin(store: &Store) {
    let (admin, _, project) = client(store);
    // Who never came inherits nothing.
    let never = account(store, 0).id;
    let scope = scope(store, admin, project);
    store
        .set_project_role(&scope, never, Some(ProjectRole::Viewer), change("person_added"))
        .unwrap();
    store.delete_account(admin, NOW.into()).unwrap();
    assert!(store.project_scope(reader(never), project).unwrap().is_none());
    assert!(store.organisations(never).unwrap().is_empty());
    assert!(
        store
            .schedules(Some(&format!("project {project}")))
            .unwrap()
            .is_empty()
    );
}
