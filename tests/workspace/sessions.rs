//! Signing in and out, and everything that a cookie must not do.

use crate::workspace;
use ibid_tests::member::{Member, PASSWORD, open_account};
use ibid_tests::{Reply, Setup};
use reqwest::Method;
use serde_json::json;

#[tokio::test]
async fn a_visitor_is_redirected_to_sign_in_and_back() {
    let server = workspace();
    open_account(&server, "ada@example.com", 3);
    let mut ada = Member::stranger(&server);
    for path in [
        "/workspace",
        "/workspace/scans",
        "/workspace/compare",
        "/workspace/receipts",
        "/workspace/credits",
        "/workspace/scans/00000000-0000-4000-8000-000000000000",
        "/workspace/scans/00000000-0000-4000-8000-000000000000/result.json",
    ] {
        let reply = ada.open(path).await;
        assert_eq!(reply.status, 303, "{path}");
        assert!(reply.header("location").starts_with("/sign-in"), "{path}");
        assert_eq!(reply.header("cache-control"), "private, no-store");
    }
    let reply = ada.open("/workspace/scans?q=a%20b").await;
    let form = ada.open(reply.header("location")).await;
    assert!(
        form.text
            .contains(r#"name="next" value="/workspace/scans?q=a%20b""#),
        "{}",
        form.text
    );
    let pairs = [
        ("email", "ADA@example.com "),
        ("password", PASSWORD),
        ("next", "/workspace/scans?q=a%20b"),
    ];
    let reply = ada.post("/sign-in", &pairs).await;
    assert_eq!(
        (reply.status.as_u16(), reply.header("location")),
        (303, "/workspace/scans?q=a%20b")
    );
    ada.cookie = reply.header("set-cookie").split(';').next().map(str::to_owned);
    let page = ada.open("/workspace").await;
    assert_eq!(
        (page.status.as_u16(), page.header("cache-control")),
        (200, "private, no-store")
    );
    assert!(page.text.contains("3 credits"));
    // The home page shows the account, and the sign-in page redirects an account that is signed in.
    assert!(ada.open("/").await.text.contains("3 credits"));
    assert_eq!(
        ada.open("/sign-in").await.header("location"),
        "/workspace/projects"
    );
}

#[tokio::test]
async fn the_cookie_has_every_flag() {
    for (base_url, name, secure) in [
        ("http://ibid.test", "ibid", false),
        ("https://ibid.test", "__Host-ibid", true),
    ] {
        let server = Setup::default().workspace().base_url(base_url).spawn();
        let member = Member::with_credits(&server, "ada@example.com", 0).await;
        assert!(member.cookie.as_ref().unwrap().starts_with(&format!("{name}=")));
        let reply = member
            .post(
                "/sign-in",
                &[("email", "ada@example.com"), ("password", PASSWORD)],
            )
            .await;
        let cookie = reply.header("set-cookie");
        let attributes: Vec<_> = cookie.split("; ").skip(1).collect();
        let mut expected = vec!["Path=/", "Max-Age=1209600", "HttpOnly", "SameSite=Lax"];
        expected.extend(secure.then_some("Secure"));
        assert_eq!(attributes, expected);
    }
}

#[tokio::test]
async fn wrong_password_unknown_and_disabled_account_get_the_same_answer() {
    let server = workspace();
    open_account(&server, "ada@example.com", 0);
    let shut = open_account(&server, "shut@example.com", 0);
    server.store.set_disabled(shut, true, 1_i64.into()).unwrap();
    let stranger = Member::stranger(&server);
    let mut seen = Vec::new();
    for (email, password) in [
        ("ada@example.com", "wrong"),
        ("ada@example.com", ""),
        ("nobody@example.com", PASSWORD),
        ("shut@example.com", PASSWORD),
        ("no address", PASSWORD),
    ] {
        let reply = stranger
            .post("/sign-in", &[("email", email), ("password", password)])
            .await;
        assert_eq!(
            (reply.status.as_u16(), reply.header("set-cookie")),
            (401, ""),
            "{email}"
        );
        assert!(!reply.text.contains(PASSWORD));
        seen.push(reply.text.replace(email, "EMAIL"));
    }
    assert!(seen.windows(2).all(|pair| pair[0] == pair[1]));
}

#[tokio::test]
async fn each_sign_in_starts_a_new_session_and_ends_the_old_one() {
    let server = workspace();
    let account = open_account(&server, "ada@example.com", 0);
    let mut ada = Member::stranger(&server);
    // A token that an attacker set is not used.
    let planted = format!("ibid={}", "A".repeat(43));
    ada.cookie = Some(planted.clone());
    ada.sign_in("ada@example.com", PASSWORD).await;
    let first = ada.cookie.clone().unwrap();
    assert_ne!(first, planted);
    let with = |cookie: &str| {
        let mut browser = Member::stranger(&server);
        browser.cookie = Some(cookie.to_owned());
        browser
    };
    assert_eq!(with(&planted).open("/workspace").await.status, 303);
    // Signing in again ends the previous session.
    ada.sign_in("ada@example.com", PASSWORD).await;
    let second = ada.cookie.clone().unwrap();
    assert_ne!(first, second);
    assert_eq!(with(&first).open("/workspace").await.status, 303);
    assert_eq!(with(&second).open("/workspace").await.status, 200);
    // Of two cookies of the same name, an attacker set one.
    assert_eq!(
        with(&format!("{second}; {planted}"))
            .open("/workspace")
            .await
            .status,
        303
    );
    // Signing out ends it on the server, not only in the browser.
    let reply = ada.post("/sign-out", &[]).await;
    assert_eq!((reply.status.as_u16(), reply.header("location")), (303, "/"));
    assert!(reply.header("set-cookie").starts_with("ibid=; Path=/; Max-Age=0"));
    assert_eq!(with(&second).open("/workspace").await.status, 303);
    // A new password and disabling the account end it too.
    for end in [0, 1] {
        ada.sign_in("ada@example.com", PASSWORD).await;
        assert_eq!(ada.open("/workspace").await.status, 200);
        if end == 0 {
            let hash = ibid_service::hash_password(&PASSWORD.to_owned().into(), "").unwrap();
            server.store.set_password(account, &hash, 1_i64.into()).unwrap();
        } else {
            server.store.set_disabled(account, true, 1_i64.into()).unwrap();
        }
        assert_eq!(ada.open("/workspace").await.status, 303, "{end}");
    }
}

#[tokio::test]
async fn sign_in_never_redirects_to_another_site() {
    let server = workspace();
    open_account(&server, "ada@example.com", 0);
    let stranger = Member::stranger(&server);
    for next in [
        "//evil.example",
        "/\\evil.example",
        "https://evil.example/",
        "javascript:alert(1)",
        "/\r\nSet-Cookie: a=b",
        "/.//evil.example",
        "\t//evil.example",
    ] {
        let pairs = [
            ("email", "ada@example.com"),
            ("password", PASSWORD),
            ("next", next),
        ];
        let reply = stranger.post("/sign-in", &pairs).await;
        assert_eq!(
            (reply.status.as_u16(), reply.header("location")),
            (303, "/workspace/projects"),
            "{next:?}"
        );
        let query: String = url::form_urlencoded::byte_serialize(next.as_bytes()).collect();
        let form = stranger.open(&format!("/sign-in?next={query}")).await;
        assert!(form.text.contains(r#"name="next" value="""#), "{next:?}");
    }
}

#[tokio::test]
async fn password_guesses_are_limited_by_account_and_by_network() {
    let server = workspace();
    open_account(&server, "ada@example.com", 0);
    let stranger = Member::stranger(&server);
    let from = async |address: &str, email: &str, password: &str| {
        let body = format!("email={email}&password={}", password.replace(' ', "+"));
        let request = stranger
            .request(Method::POST, "/sign-in")
            .header("X-Forwarded-For", address)
            .header("Content-Type", "application/x-www-form-urlencoded");
        Reply::of(request.body(body)).await
    };
    for n in 0..10 {
        let reply = from(&format!("198.51.100.{n}"), "ada@example.com", "wrong").await;
        assert_eq!(reply.status, 401, "{n}");
    }
    // The right password does not lift the limit.
    let reply = from("198.51.100.99", "ada@example.com", PASSWORD).await;
    assert_eq!(reply.status, 429);
    let wait: u64 = reply.header("retry-after").parse().unwrap();
    assert!((1..=900).contains(&wait), "{wait}");
    for n in 0..30 {
        let reply = from("203.0.113.7", &format!("n{n}@example.com"), "wrong").await;
        assert_eq!(reply.status, 401, "{n}");
    }
    assert_eq!(
        from("203.0.113.7", "other@example.com", "wrong").await.status,
        429
    );
    assert_eq!(
        from("203.0.113.8", "other@example.com", "wrong").await.status,
        401
    );
}

#[tokio::test]
async fn a_guesser_does_not_lock_out_a_known_device() {
    let server = workspace();
    open_account(&server, "ada@example.com", 0);
    let stranger = Member::stranger(&server);
    let from = async |address: &str, cookie: Option<&str>, password: &str| {
        let body = format!("email=ada%40example.com&password={}", password.replace(' ', "+"));
        let mut request = stranger
            .request(Method::POST, "/sign-in")
            .header("X-Forwarded-For", address)
            .header("Content-Type", "application/x-www-form-urlencoded");
        if let Some(cookie) = cookie {
            request = request.header("Cookie", cookie);
        }
        Reply::of(request.body(body)).await
    };
    let first = from("198.51.100.1", None, PASSWORD).await;
    let device = first.headers.get_all("set-cookie").iter().find_map(|cookie| {
        let cookie = cookie.to_str().unwrap();
        cookie
            .starts_with("ibid-device=")
            .then(|| cookie.split(';').next().unwrap())
    });
    let device = device.expect("the cookie of a known device");
    // Guesses from a different IPv6 /64 each time, within one /48.
    for n in 0..10 {
        let reply = from(&format!("2001:db8:1:{n:x}::1"), None, "wrong").await;
        assert_eq!(reply.status, 401, "{n}");
    }
    assert_eq!(from("2001:db8:1:ff::1", None, PASSWORD).await.status, 429);
    assert_eq!(from("198.51.100.2", None, PASSWORD).await.status, 429);
    assert_eq!(from("198.51.100.1", Some(device), PASSWORD).await.status, 303);
    assert_eq!(
        from("198.51.100.3", Some("ibid-device=forged"), PASSWORD)
            .await
            .status,
        429
    );
    // A stolen cookie gets no more guesses than an unknown device.
    for n in 0..10 {
        assert_eq!(
            from("198.51.100.4", Some(device), "wrong").await.status,
            401,
            "{n}"
        );
    }
    assert_eq!(from("198.51.100.4", Some(device), "wrong").await.status, 429);
}

#[tokio::test]
async fn a_flood_of_networks_does_not_wipe_the_count_of_an_account() {
    let server = workspace();
    open_account(&server, "ada@example.com", 0);
    let (now, hash) = (jiff::Timestamp::now().as_millisecond(), |n: u32| {
        let mut key = [7; 32];
        key[..4].copy_from_slice(&n.to_be_bytes());
        ibid_store::AttemptCount { key, free: 30 }
    });
    let ada = Member::stranger(&server);
    for _ in 0..10 {
        let pairs = [("email", "ada@example.com"), ("password", "wrong")];
        assert_eq!(ada.post("/sign-in", &pairs).await.status, 401);
    }
    for n in 0..500 {
        assert_eq!(server.store.begin_sign_in(&[hash(n)], now).unwrap(), 0);
    }
    let pairs = [("email", "ada@example.com"), ("password", PASSWORD)];
    assert_eq!(ada.post("/sign-in", &pairs).await.status, 429);
}

/// Every path that changes data for the holder of the cookie.
const UNSAFE: [&str; 10] = [
    "/sign-in",
    "/sign-out",
    "/workspace/scans",
    "/workspace/account/brand",
    "/workspace/scans/00000000-0000-4000-8000-000000000000/cancel",
    "/workspace/scans/00000000-0000-4000-8000-000000000000/tags",
    "/workspace/scans/00000000-0000-4000-8000-000000000000/share",
    "/workspace/scans/00000000-0000-4000-8000-000000000000/share/revoke",
    "/api/app/scan",
    "/api/app/plan",
];

#[tokio::test]
async fn forms_of_other_sites_are_refused() {
    let server = workspace();
    let ada = Member::with_credits(&server, "ada@example.com", 5).await;
    let cookie = ada.cookie.clone().unwrap();
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    for path in UNSAFE {
        for (name, value) in [
            ("Sec-Fetch-Site", "cross-site"),
            ("Sec-Fetch-Site", "same-site"),
            ("Sec-Fetch-Site", "none"),
            ("Origin", "https://evil.example"),
            ("Origin", "null"),
            ("X-Nothing", "neither header"),
        ] {
            let kind = if path.starts_with("/api/") {
                "application/json"
            } else {
                "application/x-www-form-urlencoded"
            };
            let request = http
                .post(format!("{}{path}", server.url))
                .header("Cookie", &cookie)
                .header(name, value)
                .header("Content-Type", kind);
            let reply = Reply::of(request.body("")).await;
            assert_eq!(
                (reply.status.as_u16(), reply.code()),
                (403, "cross_origin".into()),
                "{path} {name}: {value}"
            );
        }
    }
    // Nothing of it was done, and our own origin is let through without the newer header.
    assert_eq!(ada.open("/workspace").await.status, 200);
    let own = http
        .post(format!("{}/api/app/plan", server.url))
        .header("Cookie", &cookie)
        .header("Origin", "http://ibid.test")
        .json(&json!({}));
    assert_eq!(Reply::of(own).await.status, 200);
}
