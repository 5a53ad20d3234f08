//! News of projects: their mails with sender and report, digests of accounts, signed events for programs, and links that have ended.

use crate::projects::{Holder, pointers, project, run};
use crate::webhooks::{setup as sending, signed_by};
use ibid_model::{ProjectId, WebhookEvent, WebhookId};
use ibid_service::{
    AllowList, EventMessage, Mail, Mailer, Messenger, MessengerConfig, PeopleSettings, SandboxMailer,
    SandboxPrinter, WebhookSettings,
};
use ibid_store::{DestinationOf, NewDelivery, NewReportLink, ProjectChange, ProjectReader};
use ibid_tests::member::{PASSWORD, account_id};
use ibid_tests::receiver::Receiver;
use ibid_tests::{Member, Setup, TestServer};
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A server that sends mail, and its mailer; with `prints` it draws reports.
fn mailing(prints: bool) -> (TestServer, Arc<SandboxMailer>) {
    let mailer = Arc::<SandboxMailer>::default();
    let people = PeopleSettings {
        base_url: "http://ibid.test/".parse().unwrap(),
        mailer: Some(Arc::clone(&mailer) as Arc<dyn Mailer>),
    };
    let config = MessengerConfig {
        allow_list: AllowList::of_operator("").unwrap(),
        ..MessengerConfig::default()
    };
    let messenger = Messenger::new(config).unwrap();
    let server = Setup::default().workspace().tune(move |service| {
        service.webhooks = Some(WebhookSettings {
            period: Duration::from_millis(20),
            ..WebhookSettings::new(messenger).with_people(people)
        });
        if prints {
            service.printer = Some(Arc::new(SandboxPrinter));
        }
    });
    (server.spawn(), mailer)
}

/// Waits for a mail.
async fn mail(mailer: &SandboxMailer, wanted: impl Fn(&Mail) -> bool) -> Mail {
    let start = Instant::now();
    loop {
        if let Some(mail) = mailer.sent().into_iter().find(&wanted) {
            return mail;
        }
        assert!(start.elapsed() < Duration::from_secs(30), "{:?}", mailer.sent());
        tokio::task::yield_now().await;
    }
}

/// Adds an address, and confirms it by the link of its mail.
async fn confirmed(
    server: &TestServer,
    mailer: &SandboxMailer,
    holder: &Holder,
    list: &str,
    body: &Value,
) -> WebhookId {
    let added = holder.post(list, body).await;
    assert_eq!(added.status, 201, "{}", added.text);
    let address = body["address"].as_str().unwrap();
    let asked = mail(mailer, |mail| mail.to.as_str() == address).await;
    assert_eq!(
        (asked.from_name, asked.reply_to),
        (None, None),
        "asks in the name of the server"
    );
    let token = asked.text.split("/mail/confirm/").nth(1).unwrap();
    let token = token.split_whitespace().next().unwrap();
    server.service.projects.confirm_destination(token).await.unwrap();
    added.json()["destinationId"].as_str().unwrap().parse().unwrap()
}

/// Makes the digest of an address due at a time.
fn due(server: &TestServer, id: WebhookId, at: i64) {
    let store = &*server.store;
    let all = store.due_digests(i64::MAX, 0, 50).unwrap();
    let now = all.iter().find(|digest| digest.destination.id == id).unwrap().due;
    let nothing = NewDelivery {
        owner: "no one",
        only: None,
        event: "news.digest",
        subject: "",
        payload: b"",
    };
    assert!(store.put_digest(id, now, at, Some(&nothing), 0).unwrap());
}

/// Waits until the digest of an address is queued.
async fn queued(server: &TestServer, id: WebhookId) {
    let start = Instant::now();
    while server
        .store
        .due_digests(1_000, 0, 50)
        .unwrap()
        .iter()
        .any(|digest| digest.destination.id == id)
    {
        assert!(start.elapsed() < Duration::from_secs(30));
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_digest_brings_the_report_of_its_day_once() {
    let (server, mailer) = mailing(true);
    let holder = Holder::agency(&server, "reports@example.com", 5);
    let (path, _) = holder.make().await;
    let list = format!("{path}/destinations");
    let sender = json!({"senderName": "Agentur Größe", "replyTo": "Team@agency.example"});
    let changed = holder.send(Method::PATCH, &path, Some(&sender)).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    let project = changed.json();
    assert_eq!(
        (&project["senderName"], &project["replyTo"]),
        (&json!("Agentur Größe"), &json!("team@agency.example"))
    );
    for (body, fields) in [
        (json!({"senderName": "A\r\nBcc: x@y.example"}), ["/senderName"]),
        (
            json!({"replyTo": "a@b.example\r\nBcc: x@y.example"}),
            ["/replyTo"],
        ),
        (json!({"replyTo": 3}), ["/replyTo"]),
    ] {
        let refused = holder.send(Method::PATCH, &path, Some(&body)).await;
        assert_eq!(pointers(&refused), fields, "{body}");
    }
    assert_eq!(holder.get(&path).await["replyTo"], "team@agency.example");
    let all = json!({"kind": "mail", "address": "all@example.com", "report": true, "of": "organisation"});
    assert_eq!(pointers(&holder.post(&list, &all).await), ["/report"]);

    // Before the first run there is nothing to report.
    let body = json!({"kind": "mail", "address": "ada@example.com", "alerts": [], "report": true});
    let ada = confirmed(&server, &mailer, &holder, &list, &body).await;
    due(&server, ada, 1);
    let first = mail(&mailer, |mail| mail.text.contains("No report is attached")).await;
    assert!(
        first.text.contains("the project has no run with a result yet."),
        "{}",
        first.text
    );
    assert_eq!(first.attachment, None);

    run(&server, &holder, &path).await;
    let order = json!({"title": "To our client", "sender": "Agentur", "footer": false,
        "sections": [{"section": "models", "note": "Of that day."}, "summary"]});
    assert_eq!(holder.post(&format!("{path}/reports"), &order).await.status, 201);
    let body = json!({"kind": "mail", "address": "grace@example.com", "alerts": [], "report": true});
    let grace = confirmed(&server, &mailer, &holder, &list, &body).await;
    due(&server, grace, 2);
    let digest = mail(&mailer, |mail| mail.attachment.is_some()).await;
    assert_eq!(digest.to.as_str(), "grace@example.com");
    assert_eq!(digest.from_name.as_deref(), Some("Agentur Größe"));
    assert_eq!(digest.reply_to.unwrap().as_str(), "team@agency.example");
    assert!(
        digest.text.contains("The report of the day is attached."),
        "{}",
        digest.text
    );
    let file = digest.attachment.unwrap();
    assert!(
        file.name.starts_with("example.com-") && file.name.ends_with(".pdf"),
        "{}",
        file.name
    );
    let drawn = String::from_utf8(file.bytes.to_vec()).unwrap();
    assert!(
        drawn.starts_with("%PDF-") && drawn.contains("To our client"),
        "{drawn}"
    );
    let reports = holder.get(&format!("{path}/reports")).await["reports"].clone();
    assert_eq!(reports.as_array().unwrap().len(), 2);
    let made = reports.as_array().unwrap().iter();
    let mut made = made.filter(|report| drawn.contains(report["sha256"].as_str().unwrap()));
    let made = made.next().unwrap()["reportId"].as_str().unwrap();
    let frozen = holder.get(&format!("{path}/reports/{made}")).await;
    assert_eq!(
        (
            &frozen["sections"],
            &frozen["cover"]["sender"],
            &frozen["cover"]["footer"]
        ),
        (
            &json!([{"section": "models", "note": ""}, {"section": "summary", "note": ""}]),
            &json!("Agentur"),
            &json!(false)
        )
    );
    // Queued again for the same time, as after a kill, it makes no second report.
    due(&server, grace, 2);
    queued(&server, grace).await;
    let reports = holder.get(&format!("{path}/reports")).await["reports"].clone();
    assert_eq!(reports.as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_server_without_pdf_takes_no_address_for_reports() {
    let (server, _) = mailing(false);
    let holder = Holder::agency(&server, "plain@example.com", 5);
    let (path, _) = holder.make().await;
    let list = format!("{path}/destinations");
    let body = json!({"kind": "mail", "address": "ada@example.com", "report": true});
    let refused = holder.post(&list, &body).await;
    assert_eq!(pointers(&refused), ["/report"]);
    assert!(refused.text.contains("draws no PDF"), "{}", refused.text);
    assert_eq!(holder.get(&list).await["destinations"], json!([]));
    let mut member = Member::stranger(&server);
    assert_eq!(member.sign_in("plain@example.com", PASSWORD).await.status, 303);
    let id = path.rsplit('/').next().unwrap();
    let page = member.open(&format!("/workspace/projects/{id}/settings")).await;
    assert!(page.text.contains("This server draws no PDF"), "{}", page.text);
    // The sender is set on the page, and refused there.
    let form = format!("/workspace/projects/{id}/edit");
    let wrong = [("senderName", "Agency\nBcc: x@y.example"), ("replyTo", "nobody")];
    let refused = member.post(&form, &wrong).await;
    assert_eq!(refused.status, 422);
    assert!(
        refused.text.contains("Enter the name of the sender")
            && refused
                .text
                .contains("Enter an address such as name@example.com."),
        "{}",
        refused.text
    );
    let right = [("senderName", "Agency"), ("replyTo", "us@agency.example")];
    assert_eq!(member.post(&form, &right).await.status, 303);
    assert_eq!(holder.get(&path).await["senderName"], "Agency");
    assert_eq!(
        member
            .post(&form, &[("senderName", ""), ("replyTo", "")])
            .await
            .status,
        303
    );
    assert_eq!(holder.get(&path).await["senderName"], Value::Null);
}

#[tokio::test]
async fn an_invitation_goes_by_mail_without_a_word_of_the_inviter() {
    let (server, mailer) = mailing(false);
    let holder = Holder::agency(&server, "inviter@example.com", 5);
    let (path, _) = holder.make().await;
    let person = json!({"email": "client@example.com", "role": "viewer"});
    let invited = holder.post(&format!("{path}/people"), &person).await;
    assert_eq!(invited.status, 201, "{}", invited.text);
    let link = invited.json()["link"].as_str().unwrap().to_owned();
    let sent = mail(&mailer, |mail| mail.to.as_str() == "client@example.com").await;
    assert!(
        sent.text.contains(&link) && sent.html.contains(&link),
        "{}",
        sent.text
    );
    let all = format!("{sent:?}");
    assert!(!all.contains("Aigua") && !all.contains("inviter@"), "{all}");
}

#[tokio::test]
async fn strangers_read_no_word_of_a_person_and_leave_room_for_the_reader() {
    let (server, mailer) = mailing(false);
    let stranger = Holder::agency(&server, "stranger@example.com", 5);
    let mut project = project();
    project["name"] = json!("Cheap pills at pills.example");
    let made = stranger.post("/api/v2/projects", &project).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let path = made.header("location").to_owned();
    let list = format!("{path}/destinations");
    let sender = json!({"senderName": "Cheap pills", "replyTo": "pills@pills.example"});
    assert_eq!(
        stranger.send(Method::PATCH, &path, Some(&sender)).await.status,
        200
    );
    let body = json!({"kind": "mail", "address": "reader@example.com"});
    for _ in 0..3 {
        let added = stranger.post(&list, &body).await;
        assert_eq!(added.status, 201, "{}", added.text);
        let id = added.json()["destinationId"].clone();
        let one = format!("{list}/{}", id.as_str().unwrap());
        mail(&mailer, |mail| {
            mail.id.len() > 1 && mail.to.as_str() == "reader@example.com"
        })
        .await;
        assert_eq!(stranger.send(Method::DELETE, &one, None).await.status, 200);
    }
    assert_eq!(pointers(&stranger.post(&list, &body).await), ["/address"]);
    for sent in mailer.sent() {
        let mail = format!("{sent:?}");
        assert!(!mail.contains("pills"), "{mail}");
        assert!(sent.text.contains("news of a project on ibid.test"), "{mail}");
    }
    // Neither the reader's own account nor another agency is kept from asking.
    let other = Holder::agency(&server, "reader@example.com", 5);
    let (path, _) = other.make().await;
    let list = format!("{path}/destinations");
    let added = other.post(&list, &body).await;
    assert_eq!(added.status, 201, "{}", added.text);
    let mut reader = Member::stranger(&server);
    assert_eq!(reader.sign_in("reader@example.com", PASSWORD).await.status, 303);
    let digest = [
        ("kind", "mail"),
        ("address", "reader@example.com"),
        ("digest", "weekly"),
        ("timeZone", "UTC"),
    ];
    let asked = reader.post("/workspace/account/digest", &digest).await;
    assert_eq!(asked.status, 303, "{}", asked.text);

    let body = json!({"kind": "mail", "address": "second@example.com"});
    let id = confirmed(&server, &mailer, &other, &list, &body).await;
    let test = format!("{list}/{id}/test");
    for _ in 0..60 {
        assert_eq!(other.post(&test, &json!({})).await.status, 202);
    }
    let refused = other.post(&test, &json!({})).await;
    assert_eq!(refused.status, 429, "{}", refused.text);
    assert!(!refused.header("retry-after").is_empty());
}

#[tokio::test]
async fn a_person_gets_a_digest_of_all_projects() {
    let (server, mailer) = mailing(false);
    let holder = Holder::agency(&server, "own@example.com", 5);
    let (path, _) = holder.make().await;
    let mut member = Member::stranger(&server);
    assert_eq!(member.sign_in("own@example.com", PASSWORD).await.status, 303);
    let form = |address: &'static str, zone: &'static str| {
        [
            ("kind", "mail"),
            ("address", address),
            ("digest", "weekly"),
            ("timeZone", zone),
        ]
    };
    let here = "/workspace/account/digest";
    for (pairs, why) in [
        (
            form("nobody", "UTC"),
            "Enter an address such as name@example.com.",
        ),
        (
            form("a@b.example\nBcc: c@d.example", "UTC"),
            "Enter an address such as name@example.com.",
        ),
        (
            form("me@example.com", "Berlin"),
            "Enter a time zone such as Europe/Berlin.",
        ),
    ] {
        let refused = member.post(here, &pairs).await;
        assert_eq!(refused.status, 422);
        assert!(refused.text.contains(why), "{}", refused.text);
    }
    assert_eq!(mailer.sent(), []);
    assert_eq!(
        member
            .post(here, &form("me@example.com", "Europe/Berlin"))
            .await
            .status,
        303
    );
    let page = member.open("/workspace/account").await;
    assert!(
        page.text.contains("waits until its reader confirms it"),
        "{}",
        page.text
    );
    let asked = mail(&mailer, |mail| mail.to.as_str() == "me@example.com").await;
    let token = asked.text.split("/mail/confirm/").nth(1).unwrap();
    let token = token.split_whitespace().next().unwrap();
    server.service.projects.confirm_destination(token).await.unwrap();
    let account = account_id(&server, "own@example.com");
    let own = server
        .store
        .destinations(DestinationOf::Account(account))
        .unwrap();
    due(&server, own[0].id, 1);
    let digest = mail(&mailer, |mail| mail.text.contains("Aigua Clara")).await;
    assert!(
        digest.unsubscribe.is_some() && digest.text.contains("No run yet."),
        "{}",
        digest.text
    );
    assert!(digest.text.contains(path.rsplit('/').next().unwrap()));
    // The export of the account has the address.
    let export = member.open("/workspace/account/export.json").await;
    assert_eq!(export.status, 200);
    assert!(
        export.text.contains("digestAddresses") && export.text.contains("me@example.com"),
        "{}",
        export.text
    );
    let id = own[0].id.to_string();
    let removed = member
        .post(&format!("{here}/remove"), &[("destination", id.as_str())])
        .await;
    assert_eq!(removed.status, 303);
    assert!(
        server
            .store
            .destinations(DestinationOf::Account(account))
            .unwrap()
            .is_empty()
    );
}

#[tokio::test]
async fn a_viewer_reads_no_money_in_an_own_digest_and_learns_what_its_link_ends() {
    let (server, mailer) = mailing(false);
    let holder = Holder::agency(&server, "agency@example.com", 5);
    let (path, _) = holder.make().await;
    run(&server, &holder, &path).await;
    let viewer = Member::with_credits(&server, "viewer@example.com", 0).await;
    let person = json!({"email": "viewer@example.com", "role": "viewer"});
    assert_eq!(holder.post(&format!("{path}/people"), &person).await.status, 201);
    let accept = path.rsplit('/').next().unwrap();
    let accept = format!("/workspace/invitations/{accept}/accept");
    assert_eq!(viewer.post(&accept, &[]).await.status, 303);
    let mut digests = Vec::new();
    let mut owner = Member::stranger(&server);
    assert_eq!(owner.sign_in("agency@example.com", PASSWORD).await.status, 303);
    for (member, email, address) in [
        (&viewer, "viewer@example.com", "client@example.com"),
        (&owner, "agency@example.com", "boss@example.com"),
    ] {
        let form = [
            ("kind", "mail"),
            ("address", address),
            ("digest", "weekly"),
            ("timeZone", "UTC"),
        ];
        assert_eq!(member.post("/workspace/account/digest", &form).await.status, 303);
        let asked = mail(&mailer, |mail| mail.to.as_str() == address).await;
        let token = asked.text.split("/mail/confirm/").nth(1).unwrap();
        let token = token.split_whitespace().next().unwrap();
        server.service.projects.confirm_destination(token).await.unwrap();
        let account = account_id(&server, email);
        let own = server
            .store
            .destinations(DestinationOf::Account(account))
            .unwrap();
        due(&server, own[0].id, 1);
        let is_digest = |mail: &Mail| mail.to.as_str() == address && mail.text.contains("Aigua Clara");
        digests.push(mail(&mailer, is_digest).await);
    }
    let (client, boss) = (&digests[0], &digests[1]);
    assert!(
        client.text.contains("Score") && !client.text.contains('$'),
        "{}",
        client.text
    );
    assert!(boss.text.contains("Spent this month: $"), "{}", boss.text);
    let (_, token) = client.text.split_once("/mail/unsubscribe/").unwrap();
    let token = token.split_whitespace().next().unwrap();
    let page = viewer.open(&format!("/mail/unsubscribe/{token}")).await;
    assert!(
        page.text.contains("about all of your projects end"),
        "{}",
        page.text
    );
}

#[tokio::test]
async fn programs_get_the_events_of_a_project_signed() {
    let mut receiver = Receiver::spawn();
    let server = sending(&[&receiver], Duration::from_secs(86_400))
        .workspace()
        .spawn();
    let holder = Holder::agency(&server, "events@example.com", 5);
    let (path, _) = holder.make().await;
    let body = json!({"kind": "webhook", "address": receiver.url("/hook"), "alerts": ["changes", "questions", "failures", "budget"]});
    let added = holder.post(&format!("{path}/destinations"), &body).await;
    assert_eq!(added.status, 201, "{}", added.text);
    let secret = added.json()["secret"].as_str().unwrap().to_owned();
    let at = jiff::Timestamp::now();
    let owner = format!("project {}", path.rsplit('/').next().unwrap());
    for event in [
        WebhookEvent::ChangeNoticed,
        WebhookEvent::RunFailed,
        WebhookEvent::BudgetReached,
        WebhookEvent::QuestionLost,
        // For people.
        WebhookEvent::NewsDigest,
    ] {
        let message = EventMessage::new(event, "1".to_owned(), at, &json!({"name": "Aigua Clara"}));
        for owner in [owner.as_str(), "project other"] {
            server
                .store
                .put_deliveries(&[message.to(owner, None)], at.as_millisecond())
                .unwrap();
        }
    }
    let mut found = Vec::new();
    for _ in 0..4 {
        let message = receiver.next().await;
        assert!(signed_by(&message, &secret), "{message:?}");
        assert!(!signed_by(&message, "whsec_AAAA"));
        assert_eq!(message.json()["data"]["name"], "Aigua Clara");
        found.push(message.json()["type"].as_str().unwrap().to_owned());
    }
    found.sort_unstable();
    assert_eq!(
        found,
        ["budget.reached", "change.noticed", "question.lost", "run.failed"]
    );
}

#[tokio::test]
async fn a_link_that_has_ended_opens_nothing() {
    let server = Setup::default().workspace().spawn();
    let holder = Holder::agency(&server, "ended@example.com", 5);
    let (path, _) = holder.make().await;
    run(&server, &holder, &path).await;
    let made = holder.post(&format!("{path}/reports"), &json!({})).await.json();
    let project: ProjectId = path.rsplit('/').next().unwrap().parse().unwrap();
    let reader = ProjectReader::Account(account_id(&server, "ended@example.com"));
    let scope = server.store.project_scope(reader, project).unwrap().unwrap();
    let id = made["reportId"].as_str().unwrap().parse().unwrap();
    let now = jiff::Timestamp::now().as_millisecond();
    let change = ProjectChange {
        action: "report_link_set",
        members: "{}",
        at: now,
    };
    let token = "t".repeat(43);
    for (until, status) in [(Some(now + 600_000), 200), (Some(now - 1), 404)] {
        let link = NewReportLink {
            token: &token,
            until,
            password: None,
        };
        server
            .store
            .set_report_link(&scope, id, Some(&link), change)
            .unwrap();
        for file in ["", "/report.json", "/accent.css"] {
            let found = Member::stranger(&server).open(&format!("/r/{token}{file}")).await;
            assert_eq!(found.status, status, "{file}");
        }
    }
}

#[tokio::test]
async fn a_digest_can_be_sent_now_and_says_that_it_is_too_early() {
    let (server, mailer) = mailing(false);
    let holder = Holder::agency(&server, "now@example.com", 5);
    let (path, _) = holder.make().await;
    run(&server, &holder, &path).await;
    let list = format!("{path}/destinations");
    let body = json!({"kind": "mail", "address": "client@example.com", "alerts": []});
    let id = confirmed(&server, &mailer, &holder, &list, &body).await;
    let asked = holder.post(&format!("{list}/{id}/test"), &json!({})).await;
    assert_eq!(asked.status, 202, "{}", asked.text);
    let digest = mail(&mailer, |mail| mail.text.contains("Spent this month: $")).await;
    assert_eq!(digest.to.as_str(), "client@example.com");
    assert!(digest.subject.starts_with("Aigua Clara"), "{}", digest.subject);
    assert!(
        digest.text.contains("Too early to tell.") && digest.text.contains("Score "),
        "{}",
        digest.text
    );
    let moves = holder.get(&format!("{path}/moves")).await;
    assert_eq!(
        moves["sentences"],
        json!(["Nothing stands out from one run."]),
        "{moves}"
    );
}
