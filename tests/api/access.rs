//! Who may do what: invitations, keys and the last admin give no one a right that no admin granted.

use super::projects::{Holder, PROJECTS, server};
use ibid_model::contract::ROUTES;
use ibid_model::contract::route::Method as ContractMethod;
use ibid_model::{AccountId, Email, ProjectId};
use ibid_service::OrganisationKey;
use ibid_store::{KeyAccess, NewAccount, Right, Role};
use ibid_tests::member::{PASSWORD, account_id, open_account, open_account_as};
use ibid_tests::{Member, Reply, TestServer};
use jiff::Timestamp;
use reqwest::Method;
use serde_json::json;

const OF_THE_INVITER: &str = "a password of the inviter";

/// What the store has for an account that signs in without a password: by OpenID, or not yet.
fn open_without_password(server: &TestServer, email: &str, role: Role) -> AccountId {
    let email: Email = email.parse().unwrap();
    let account = NewAccount {
        id: AccountId::random(),
        email: &email,
        password: "!",
        credits: 0,
        role,
    };
    let now = Timestamp::now().as_millisecond();
    server.store.open_account(&account, now).unwrap();
    account.id
}

#[tokio::test]
async fn an_invitation_is_no_way_into_an_account_that_it_did_not_open() {
    let server = server();
    let holder = Holder::agency(&server, "plain@example.com", 5);
    let (path, _) = holder.make().await;
    let people = format!("{path}/people");
    open_without_password(&server, "admin@example.com", Role::Admin);
    let invite = async |email: &str| {
        let person = json!({"email": email, "role": "viewer"});
        let invited = holder.post(&people, &person).await;
        assert_eq!(invited.status, 201, "{}", invited.text);
        invited.json()["link"].as_str().unwrap().to_owned()
    };
    // The second invitation finds the account that the first one opened.
    let first = invite("new@example.com").await;
    for email in ["admin@example.com", "new@example.com"] {
        let address = email.parse().unwrap();
        let before = server.store.account(&address).unwrap().unwrap();
        let link = invite(email).await;
        let mut inviter = Member::stranger(&server);
        let reply = inviter.post(&link, &[("password", OF_THE_INVITER)]).await;
        let after = server.store.account(&address).unwrap().unwrap();
        assert_eq!(after.password, before.password, "{email}: {}", reply.text);
        assert!(reply.header("set-cookie").is_empty(), "{email}");
        let signed_in = inviter.sign_in(email, OF_THE_INVITER).await;
        assert_ne!(signed_in.status, 303, "{email}");
    }
    // The first one stays as it was.
    let mut new = Member::stranger(&server);
    assert_eq!(new.open(&first).await.status, 200);
    let set = new.post(&first, &[("password", "a password of my own")]).await;
    assert_eq!(set.status, 303, "{}", set.text);
    assert_eq!(
        new.sign_in("new@example.com", "a password of my own")
            .await
            .status,
        303
    );
}

/// The right that each route of a project takes. A route that is not here fails the walk.
const TAKES: [(Right, &[&str]); 4] = [
    (
        Right::ReadProject,
        &[
            "readProject",
            "listAnswerImports",
            "readAnswerImport",
            "listProjectRuns",
            "readProjectRun",
            "readProjectQuestions",
            "readProjectHistory",
            "listRivals",
            "readMoves",
            "readSources",
            "readOwnData",
            "listAnnotations",
            "listActions",
            "readAction",
            "listReports",
            "readReport",
            "readReportPdf",
            "readAnswerTable",
            "readAnswerWorkbook",
        ],
    ),
    (Right::RunProject, &["startProjectRun", "stopProjectRun"]),
    (
        Right::EditProject,
        &[
            "editProject",
            "readProjectArchive",
            "beginAnswerImport",
            "deleteAnswerImport",
            "askCaptures",
            "putAnswers",
            "putRival",
            "deleteRival",
            "importOwnData",
            "importOwnRows",
            "deleteOwnData",
            "addAnnotation",
            "deleteAnnotation",
            "addAction",
            "editAction",
            "deleteAction",
            "showBadge",
            "hideBadge",
            "listDestinations",
            "addDestination",
            "deleteDestination",
            "testDestination",
            "makeReport",
            "deleteReport",
            "linkReport",
            "unlinkReport",
        ],
    ),
    (
        Right::AdminProject,
        &[
            "deleteProject",
            "listPeople",
            "addPerson",
            "removePerson",
            "listProjectKeys",
            "makeProjectKey",
            "revokeProjectKey",
            "readAuditLog",
            "readAuditTable",
            "listFeedKeys",
            "makeFeedKey",
            "revokeFeedKey",
        ],
    ),
];

/// What a subject may expect of every route.
#[derive(Clone, Copy)]
enum Sees {
    /// It is nobody: 401.
    Nobody,
    /// There is no such project: 404.
    Nothing,
    /// The project; a route that takes another right than these is 403.
    Project(&'static [Right]),
}

const READS: &[Right] = &[Right::ReadProject];
const RUNS: &[Right] = &[Right::ReadProject, Right::RunProject];
const EDITS: &[Right] = &[Right::ReadProject, Right::RunProject, Right::EditProject];
const ALL: &[Right] = &[
    Right::ReadProject,
    Right::RunProject,
    Right::EditProject,
    Right::AdminProject,
];

/// Checks an answer. What may be done can still fail for its members, and for an id that is none.
fn check(sees: Sees, right: Right, reply: &Reply, has_ids: bool, what: &str) {
    let status = reply.status.as_u16();
    let expected = match sees {
        Sees::Nobody => status == 401,
        Sees::Nothing => status == 404,
        Sees::Project(rights) if rights.contains(&right) => {
            !matches!(status, 401 | 403) && (has_ids || status != 404)
        }
        Sees::Project(_) => status == 403,
    };
    assert!(expected, "{what}: {status} {}", reply.text);
}

/// Asks every route of the contract for a project.
async fn walk(holder: &Holder, path: &str, sees: Sees, who: &str) {
    let id = path.rsplit('/').next().unwrap();
    for route in ROUTES
        .iter()
        .filter(|route| route.path.starts_with("/api/v2/projects/{id}"))
    {
        let right = TAKES.iter().find(|(_, ids)| ids.contains(&route.id));
        let (right, _) = right.unwrap_or_else(|| unreachable!("place {} in TAKES", route.id));
        let mut path = route.path.replacen("{id}", id, 1);
        let has_ids = path.contains('{');
        while let (Some(from), Some(to)) = (path.find('{'), path.find('}')) {
            path.replace_range(from..=to, &ProjectId::random().to_string());
        }
        let method = match route.method {
            ContractMethod::Get => Method::GET,
            ContractMethod::Post => Method::POST,
            ContractMethod::Put => Method::PUT,
            ContractMethod::Patch => Method::PATCH,
            ContractMethod::Delete => Method::DELETE,
        };
        let body = route.body.map(|_| json!({"name": ""}));
        let reply = holder
            .send(method, &format!("{path}?dryRun=true"), body.as_ref())
            .await;
        check(sees, *right, &reply, has_ids, &format!("{who}: {}", route.id));
    }
}

#[tokio::test]
async fn every_route_of_a_project_opens_to_those_who_have_its_right() {
    let server = server();
    let owner = Holder::agency(&server, "walk@example.com", 0);
    let (path, _) = owner.make().await;
    let (sibling, _) = owner.make().await;
    let foreign = Holder::agency(&server, "foreign@example.com", 0);
    let key = async |holder: &Holder, path: &str, access: &str| {
        let order = json!({"name": "K", "access": access});
        let made = holder.post(&format!("{path}/keys"), &order).await;
        assert_eq!(made.status, 201, "{}", made.text);
        Holder::with(&server, made.json()["key"].as_str().unwrap())
    };
    let account = account_id(&server, "walk@example.com");
    let organisation = server.store.organisations(account).unwrap()[0].id;
    let of_organisation = |access| {
        let key = OrganisationKey {
            organisation,
            owner: Some(account),
            name: "All",
            access,
        };
        Holder::with(&server, &key.make(&server.store, None).unwrap())
    };
    let parent = of_organisation(KeyAccess::Write);
    let child = key(&parent, &path, "write").await;
    let listed = owner.get(&format!("{path}/keys")).await;
    let listed = listed["keys"].as_array().unwrap().clone();
    let last = listed.iter().rfind(|key| key["name"] == "All").unwrap();
    let revoked = format!("{path}/keys/{}", last["keyId"].as_str().unwrap());
    assert_eq!(owner.send(Method::DELETE, &revoked, None).await.status, 200);
    let gone = Holder::with(&server, &owner.key);
    let (deleted, _) = owner.make().await;
    let of_deleted = key(&owner, &deleted, "read").await;
    assert_eq!(owner.send(Method::DELETE, &deleted, None).await.status, 200);

    for (who, holder, path, sees) in [
        ("no key", Holder::with(&server, "ibidp_none"), &path, Sees::Nobody),
        ("another organisation", foreign, &path, Sees::Nothing),
        (
            "sibling",
            key(&owner, &sibling, "write").await,
            &path,
            Sees::Nothing,
        ),
        (
            "read",
            key(&owner, &path, "read").await,
            &path,
            Sees::Project(READS),
        ),
        ("run", key(&owner, &path, "run").await, &path, Sees::Project(RUNS)),
        (
            "write",
            key(&owner, &path, "write").await,
            &path,
            Sees::Project(EDITS),
        ),
        (
            "all, read",
            of_organisation(KeyAccess::Read),
            &path,
            Sees::Project(READS),
        ),
        (
            "all, run",
            of_organisation(KeyAccess::Run),
            &path,
            Sees::Project(RUNS),
        ),
        (
            "all, write",
            of_organisation(KeyAccess::Write),
            &path,
            Sees::Project(ALL),
        ),
        ("a revoked key", parent, &path, Sees::Nobody),
        ("what a revoked key made", child, &path, Sees::Nobody),
        ("the key of a deleted project", of_deleted, &deleted, Sees::Nobody),
        ("a deleted project", gone, &deleted, Sees::Nothing),
    ] {
        walk(&holder, path, sees, who).await;
    }
    // What a key of one project asks of the organisation.
    let write = key(&owner, &path, "write").await;
    let hook = json!({"kind": "webhook", "address": "https://news.example/", "of": "organisation"});
    let refused = write.post(&format!("{path}/destinations"), &hook).await;
    assert_eq!(refused.status, 403, "{}", refused.text);
    for path in [PROJECTS.to_owned(), format!("{PROJECTS}/archive")] {
        let refused = write.post(&path, &json!({})).await;
        assert_eq!(refused.status, 403, "{path}: {}", refused.text);
    }
    assert_eq!(write.get(PROJECTS).await["projects"].as_array().unwrap().len(), 1);
    // A key rests with its owner.
    assert_eq!(owner.send(Method::GET, &path, None).await.status, 200);
    server
        .store
        .set_disabled(account, true, Timestamp::now().as_millisecond().into())
        .unwrap();
    walk(&owner, &path, Sees::Nobody, "the key of a disabled admin").await;
    walk(&write, &path, Sees::Nobody, "what that key made").await;
}

/// The forms of a project with the right that each takes, and whether it names something else by an id.
const FORMS: [(Right, bool, &[&str]); 5] = [
    (Right::RunProject, false, &["run"]),
    (Right::RunProject, true, &["stop"]),
    (
        Right::EditProject,
        false,
        &[
            "pause",
            "resume",
            "note",
            "rival",
            "outreach",
            "merge",
            "badge",
            "badge-hide",
            "destination",
            "edit",
        ],
    ),
    (
        Right::EditProject,
        true,
        &["destination-test", "destination-remove"],
    ),
    (
        Right::AdminProject,
        true,
        &[
            "person",
            "person-remove",
            "key",
            "key-revoke",
            "key-take",
            "feed",
            "feed-revoke",
            "delete",
        ],
    ),
];

/// The pages of a project that take more than to see it.
const PAGES: [(Right, &str); 3] = [
    (Right::EditProject, "/settings"),
    (Right::EditProject, "/archive.jsonl.gz"),
    (Right::AdminProject, "/changes.csv"),
];

#[tokio::test]
async fn every_page_and_form_of_a_project_opens_to_those_who_have_its_right() {
    const MOUNTED: &str = include_str!("../../crates/ibid-http/src/web/projects/mod.rs");
    let server = server();
    let owner = Holder::agency(&server, "admin@example.com", 0);
    let (path, _) = owner.make().await;
    let id = path.rsplit('/').next().unwrap();
    for (email, server_role, role, accepts, sees) in [
        ("stranger@example.com", Role::Member, None, false, Sees::Nothing),
        ("root@example.com", Role::Admin, None, false, Sees::Nothing),
        (
            "waits@example.com",
            Role::Member,
            Some("editor"),
            false,
            Sees::Nothing,
        ),
        (
            "viewer@example.com",
            Role::Member,
            Some("viewer"),
            true,
            Sees::Project(READS),
        ),
        (
            "editor@example.com",
            Role::Member,
            Some("editor"),
            true,
            Sees::Project(EDITS),
        ),
        (
            "reads@example.com",
            Role::Viewer,
            Some("editor"),
            true,
            Sees::Project(READS),
        ),
        ("admin@example.com", Role::Member, None, false, Sees::Project(ALL)),
    ] {
        if email != "admin@example.com" {
            open_account_as(&server, email, 0, server_role);
        }
        if let Some(role) = role {
            let person = json!({"email": email, "role": role});
            let invited = owner.post(&format!("{path}/people"), &person).await;
            assert_eq!(invited.status, 201, "{}", invited.text);
        }
        let mut member = Member::stranger(&server);
        assert_eq!(member.sign_in(email, PASSWORD).await.status, 303);
        if accepts {
            let page = member.open("/workspace/projects").await;
            let accept = format!("/workspace/invitations/{id}/accept");
            assert!(page.text.contains(&accept), "{email}: {}", page.text);
            assert_eq!(member.post(&accept, &[]).await.status, 303);
        }
        let here = format!("/workspace/projects/{id}");
        let (_, of_project) = MOUNTED.split_once("fn of_project").unwrap();
        let pages = of_project.split('"').filter(|text| text.starts_with('/'));
        for below in pages.filter(|text| !text.contains("{change}")).chain([""]) {
            let right = PAGES.iter().find(|(_, page)| *page == below);
            let right = right.map_or(Right::ReadProject, |(right, _)| *right);
            let has_ids = below.contains('{');
            let below = below
                .replace("{scan}", id)
                .replace("{report}", id)
                .replace("{file}", "pdf");
            let reply = member.open(&format!("{here}{below}")).await;
            check(sees, right, &reply, has_ids, &format!("{email}: {below}"));
        }
        for (right, has_ids, forms) in FORMS {
            for form in forms {
                let reply = member.post(&format!("{here}/{form}"), &[("name", "x")]).await;
                // Who only reads on this server is told so before the project is looked for.
                let sees = match (server_role, sees) {
                    (Role::Viewer, Sees::Nothing) => Sees::Project(&[]),
                    _ => sees,
                };
                check(sees, right, &reply, has_ids, &format!("{email}: {form}"));
            }
        }
    }
}

#[tokio::test]
async fn the_last_admin_leaves_when_an_heir_has_accepted() {
    let server = server();
    let owner = Holder::agency(&server, "leaves@example.com", 0);
    let (path, _) = owner.make().await;
    let (people, heir) = (format!("{path}/people"), "heir@example.com");
    open_account(&server, heir, 0);
    let invite = async |role: &str| owner.post(&people, &json!({"email": heir, "role": role})).await;
    assert_eq!(invite("admin").await.status, 400);
    let link = invite("viewer").await.json()["link"].as_str().unwrap().to_owned();
    // The link of the invitation takes the password that the person has.
    let mut member = Member::stranger(&server);
    assert_eq!(
        member
            .post(&link, &[("password", "another password")])
            .await
            .status,
        400
    );
    let entered = member.post(&link, &[("password", PASSWORD)]).await;
    assert_eq!(entered.status, 303, "{}", entered.text);
    assert_eq!(member.sign_in(heir, PASSWORD).await.status, 303);
    let here = format!("/workspace/projects/{}", path.rsplit('/').next().unwrap());
    assert_eq!(member.open(&here).await.status, 200);
    assert_eq!(member.open(&format!("{here}/settings")).await.status, 403);

    let mut admin = Member::stranger(&server);
    assert_eq!(admin.sign_in("leaves@example.com", PASSWORD).await.status, 303);
    let leave = [("password", PASSWORD), ("sure", "true")];
    let refused = admin.post("/workspace/account/delete", &leave).await;
    assert_eq!(refused.status, 403);
    assert!(refused.text.contains("would have no admin"), "{}", refused.text);
    let invited = invite("admin").await;
    assert_eq!(invited.status, 201, "{}", invited.text);
    let account = account_id(&server, heir);
    let organisation = server.store.organisations(account).unwrap()[0].id.to_string();
    let accept = format!("/workspace/invitations/{organisation}/accept");
    assert_eq!(member.post(&accept, &[]).await.status, 303);
    assert_eq!(member.post(&accept, &[]).await.status, 404);
    assert_eq!(admin.post("/workspace/account/delete", &leave).await.status, 303);
    assert_eq!(member.open(&format!("{here}/settings")).await.status, 200);
    // Its keys rested with the one who left.
    assert_eq!(owner.send(Method::GET, &path, None).await.status, 401);
}

#[tokio::test]
async fn a_guest_changes_the_projects_that_it_was_invited_to_and_nothing_else() {
    let server = server();
    let owner = Holder::agency(&server, "host@example.com", 0);
    let (path, _) = owner.make().await;
    let person = json!({"email": "guest@example.com", "role": "editor"});
    let invited = owner.post(&format!("{path}/people"), &person).await.json();
    let mut guest = Member::stranger(&server);
    let link = invited["link"].as_str().unwrap();
    // What lists have, and what is close to the own address, is no password.
    for common in ["password123", "guest@example.com", "qwertyuiop"] {
        let refused = guest.post(link, &[("password", common)]).await;
        assert_eq!(refused.status, 400, "{common}");
        assert!(refused.text.contains("guessed"), "{}", refused.text);
    }
    assert_eq!(guest.post(link, &[("password", PASSWORD)]).await.status, 303);
    assert_eq!(guest.sign_in("guest@example.com", PASSWORD).await.status, 303);
    let here = format!("/workspace/projects/{}", path.rsplit('/').next().unwrap());
    let noted = guest
        .post(
            &format!("{here}/note"),
            &[("day", "2026-11-30"), ("text", "A talk")],
        )
        .await;
    assert_eq!(noted.status, 303, "{}", noted.text);
    let elsewhere = [
        "/workspace/scans",
        "/workspace/audits",
        "/workspace/questions",
        "/workspace/schedules",
        "/workspace/projects",
    ];
    for form in elsewhere {
        assert_eq!(guest.post(form, &[]).await.status, 403, "{form}");
    }
    assert_eq!(guest.app("/api/app/plan", &json!({})).await.status, 403);
    // Until the operator says otherwise.
    let account = account_id(&server, "guest@example.com");
    let now = Timestamp::now().as_millisecond();
    server.store.set_role(account, Role::Member, now.into()).unwrap();
    for form in ["/workspace/audits", "/workspace/questions"] {
        assert_ne!(guest.post(form, &[]).await.status, 403, "{form}");
    }
}
