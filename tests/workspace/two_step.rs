//! The second step of signing in: set up, used once a code, limited, recovered, and turned off.

use crate::workspace;
use ibid_service::{code_at, time_step};
use ibid_store::Role;
use ibid_tests::member::{Member, PASSWORD, account_id, open_account};
use ibid_tests::{Database, Reply, Setup, TestServer, logs};
use jiff::Timestamp;

const EMAIL: &str = "ada@example.com";
const HERE: &str = "/workspace/account/two-step";

/// An authenticator app. Tests enter each code once, as the server asks for.
struct App {
    secret: [u8; 20],
    last: i64,
}

impl App {
    /// Reads the key of the page, as a person types it.
    fn scan(page: &str) -> Self {
        let key = page
            .split(r#"id="key">"#)
            .nth(1)
            .unwrap()
            .split('<')
            .next()
            .unwrap();
        let mut bits = String::new();
        for letter in key.chars().filter(|letter| *letter != ' ') {
            let value = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".find(letter).unwrap();
            bits.push_str(&format!("{value:05b}"));
        }
        let secret = std::array::from_fn(|at| u8::from_str_radix(&bits[at * 8..at * 8 + 8], 2).unwrap());
        Self { secret, last: 0 }
    }

    /// The code of now, or the next one where that was entered already.
    fn code(&mut self) -> String {
        self.last = time_step(Timestamp::now().as_millisecond()).max(self.last + 1);
        code_at(&self.secret, self.last).unwrap()
    }
}

/// Turns the second step on. Returns the app and the recovery codes.
async fn turn_on(member: &Member) -> (App, Vec<String>) {
    let begun = member
        .post(&format!("{HERE}/begin"), &[("password", PASSWORD)])
        .await;
    assert_eq!(begun.status, 303, "{}", begun.text);
    let mut app = App::scan(&member.open(HERE).await.text);
    let done = member
        .post(&format!("{HERE}/confirm"), &[("code", &app.code())])
        .await;
    assert_eq!(done.status, 200, "{}", done.text);
    let list = done.text.split("<ul class=\"codes").nth(1).unwrap();
    let items = list.split("</ul>").next().unwrap().split("<li>").skip(1);
    let codes: Vec<_> = items
        .map(|item| item.split('<').next().unwrap().to_owned())
        .collect();
    assert_eq!(codes.len(), 10);
    (app, codes)
}

fn cookie_of(reply: &Reply, name: &str) -> Option<String> {
    let all = reply.headers.get_all("set-cookie").iter();
    let mut pairs = all.map(|value| value.to_str().unwrap().split(';').next().unwrap());
    pairs
        .find(|pair| pair.strip_prefix(name).is_some_and(|rest| rest.starts_with('=')))
        .map(str::to_owned)
}

/// Sends the right password. Returns a browser at the second step.
async fn first_step(server: &TestServer) -> Member {
    let mut browser = Member::stranger(server);
    let pairs = [
        ("email", EMAIL),
        ("password", PASSWORD),
        ("next", "/workspace/scans"),
    ];
    let reply = browser.post("/sign-in", &pairs).await;
    assert_eq!(reply.status, 303, "{}", reply.text);
    assert_eq!(
        reply.header("location"),
        "/sign-in/code?next=%2Fworkspace%2Fscans"
    );
    assert!(cookie_of(&reply, "ibid").is_none() && cookie_of(&reply, "ibid-device").is_none());
    browser.cookie = cookie_of(&reply, "ibid-code");
    // The pass is no session.
    assert_eq!(browser.open("/workspace").await.status, 303);
    browser
}

async fn second_step(browser: &Member, code: &str) -> Reply {
    let pairs = [("code", code), ("next", "/workspace/scans")];
    browser.post("/sign-in/code", &pairs).await
}

#[tokio::test]
async fn a_code_is_asked_for_and_accepted_once() {
    let server = workspace();
    let ada = Member::with_credits(&server, EMAIL, 0).await;
    assert!(ada.open("/workspace/account").await.text.contains("It is off"));
    let refused = ada.post(&format!("{HERE}/begin"), &[("password", "wrong")]).await;
    assert_eq!(refused.status, 403);
    assert!(refused.text.contains("the password is wrong"), "{}", refused.text);
    ada.post(&format!("{HERE}/begin"), &[("password", PASSWORD)])
        .await;
    let page = ada.open(HERE).await.text;
    assert!(page.contains("<svg class=\"qr\""));
    let wrong = ada.post(&format!("{HERE}/confirm"), &[("code", "12345")]).await;
    assert_eq!(wrong.status, 403);
    assert!(wrong.text.contains("The code is wrong"), "{}", wrong.text);
    // Nothing is asked for before the first code was right.
    let mut other = Member::stranger(&server);
    assert_eq!(
        other.sign_in(EMAIL, PASSWORD).await.header("location"),
        "/workspace/projects"
    );
    let (mut app, _) = turn_on(&ada).await;
    assert!(ada.open(HERE).await.text.contains("10 recovery codes are left"));
    let again = ada
        .post(&format!("{HERE}/begin"), &[("password", PASSWORD)])
        .await;
    assert_eq!(again.status, 403);

    // The code that turned it on was used.
    let browser = first_step(&server).await;
    let used = code_at(&app.secret, app.last).unwrap();
    let replayed = second_step(&browser, &used).await;
    assert_eq!(replayed.status, 401);
    assert!(
        replayed.text.contains("wrong, or was used before"),
        "{}",
        replayed.text
    );
    let code = app.code();
    let typed = format!(" {} {}", &code[..3], &code[3..]);
    let reply = second_step(&browser, &typed).await;
    assert_eq!(
        (reply.status.as_u16(), reply.header("location")),
        (303, "/workspace/scans")
    );
    assert!(cookie_of(&reply, "ibid-device").is_some());
    let mut inside = Member::stranger(&server);
    inside.cookie = cookie_of(&reply, "ibid");
    assert_eq!(inside.open("/workspace").await.status, 200);
    // Another browser with the password gets no further by the same code.
    let thief = first_step(&server).await;
    assert_eq!(second_step(&thief, &code).await.status, 401);
    for pass in ["", "ibid-code=x", "ibid-code=a.1.b"] {
        let mut stranger = Member::stranger(&server);
        stranger.cookie = Some(pass.to_owned());
        let reply = second_step(&stranger, &code).await;
        assert_eq!(
            (reply.status.as_u16(), reply.header("location")),
            (303, "/sign-in?next=%2Fworkspace%2Fscans")
        );
    }
    // Another password ends what the old one opened.
    let account = account_id(&server, EMAIL);
    let hash = ibid_service::hash_password(&"another long password".to_owned().into(), "").unwrap();
    server.store.set_password(account, &hash, 1_i64.into()).unwrap();
    assert_eq!(second_step(&thief, "000000").await.status, 303);
}

#[tokio::test]
async fn wrong_codes_cost_waits_and_a_right_password_does_not_forget_them() {
    let server = workspace();
    let ada = Member::with_credits(&server, EMAIL, 0).await;
    turn_on(&ada).await;
    for round in 0..10 {
        let browser = first_step(&server).await;
        assert_eq!(second_step(&browser, "aaaa-aaaa").await.status, 401, "{round}");
    }
    let browser = first_step(&server).await;
    let reply = second_step(&browser, "aaaa-aaaa").await;
    assert_eq!(reply.status, 429);
    assert!(!reply.header("retry-after").is_empty());
    assert!(reply.text.contains("Too many attempts failed"), "{}", reply.text);
    // The open session goes on.
    assert_eq!(ada.open("/workspace").await.status, 200);
}

#[tokio::test]
async fn recovery_codes_sign_in_once_and_turn_it_off() {
    let server = workspace();
    let ada = Member::with_credits(&server, EMAIL, 0).await;
    let (mut app, codes) = turn_on(&ada).await;
    let browser = first_step(&server).await;
    let typed = codes[0].to_uppercase().replace('-', " ");
    assert_eq!(second_step(&browser, &typed).await.status, 303);
    assert_eq!(second_step(&browser, &codes[0]).await.status, 401);
    assert!(ada.open(HERE).await.text.contains("9 recovery codes are left"));
    let end = format!("{HERE}/end");
    for (password, code) in [
        ("wrong", codes[1].as_str()),
        (PASSWORD, "000000"),
        (PASSWORD, &codes[0]),
    ] {
        let refused = ada.post(&end, &[("password", password), ("code", code)]).await;
        assert_eq!(refused.status, 403, "{code}");
    }
    // A wrong password uses no code.
    let code = app.code();
    assert_eq!(
        ada.post(&end, &[("password", "wrong"), ("code", &code)])
            .await
            .status,
        403
    );
    assert_eq!(
        ada.post(&end, &[("password", PASSWORD), ("code", &code)])
            .await
            .status,
        303
    );
    let mut other = Member::stranger(&server);
    assert_eq!(
        other.sign_in(EMAIL, PASSWORD).await.header("location"),
        "/workspace/projects"
    );
    assert!(ada.open(HERE).await.text.contains("It is off"));
}

#[tokio::test]
async fn an_admin_resets_others_and_a_link_for_a_password_does_not() {
    let server = workspace();
    let ann = Member::with_role(&server, "ann@example.com", 0, Role::Admin).await;
    let ada = Member::with_role(&server, EMAIL, 0, Role::Viewer).await;
    let own = account_id(&server, "ann@example.com");
    let person = format!("/workspace/admin/people/{}", account_id(&server, EMAIL));
    assert!(!ann.open(&person).await.text.contains("Turn two-step sign-in off"));
    turn_on(&ada).await;
    let page = ann.post(&format!("{person}/link"), &[]).await.text;
    let link = page
        .split("http://ibid.test")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    let reply = Member::stranger(&server)
        .post(link, &[("password", PASSWORD)])
        .await;
    assert_eq!(reply.header("location"), "/sign-in/code");
    assert!(cookie_of(&reply, "ibid").is_none());
    assert_eq!(ada.post(&format!("{person}/two-step"), &[]).await.status, 303);
    assert!(ann.open(&person).await.text.contains("Turn two-step sign-in off"));
    assert_eq!(
        ann.post(&format!("/workspace/admin/people/{own}/two-step"), &[])
            .await
            .status,
        403
    );
    assert_eq!(ann.post(&format!("{person}/two-step"), &[]).await.status, 303);
    let page = ann.open(&person).await.text;
    assert!(
        page.contains("two-step sign-in off") && page.contains("ann@example.com"),
        "{page}"
    );
    let mut other = Member::stranger(&server);
    assert_eq!(
        other.sign_in(EMAIL, PASSWORD).await.header("location"),
        "/workspace/projects"
    );
}

#[tokio::test]
async fn secrets_and_codes_are_in_no_log_and_no_export() {
    let logs = logs::capture();
    let database = Database::fresh();
    let server = Setup::default().store(database.open()).workspace().spawn();
    open_account(&server, EMAIL, 0);
    let mut ada = Member::stranger(&server);
    ada.sign_in(EMAIL, PASSWORD).await;
    let (mut app, codes) = turn_on(&ada).await;
    let browser = first_step(&server).await;
    let code = app.code();
    assert_eq!(second_step(&browser, &code).await.status, 303);
    let pass = browser.cookie.clone().unwrap();
    let export = ada.open("/workspace/account/export.json").await;
    assert_eq!(export.json()["account"]["signInCode"], true);
    let account = ada.open("/workspace/account").await;
    drop(server);
    let key = ada.cookie.unwrap();
    for secret in [pass.as_str(), &key, &codes[0], &codes[0].replace('-', "")] {
        assert!(!logs.text().contains(secret), "{secret}");
        assert!(
            !export.text.contains(secret) && !account.text.contains(secret),
            "{secret}"
        );
    }
    // Recovery codes are stored as digests, the pass not at all.
    for secret in [&codes[0], &codes[0].replace('-', ""), &pass] {
        assert!(!database.holds(secret), "{secret}");
    }
}
