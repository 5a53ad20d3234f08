//! Sign-in with tokens as Entra, Google, Okta, Auth0, Keycloak, Authentik, GitLab and others document them.

use ibid_audit::fetch::{AllowList, Messenger, MessengerConfig};
use ibid_model::{AccountId, Email};
use ibid_service::{OpenId, OpenIdTerms, SignInTerms};
use ibid_store::{NewAccount, Role};
use ibid_tests::openid::{CLIENT, OpenIdProvider, Said};
use ibid_tests::server::Setup;
use ibid_tests::{Member, Reply, TestServer};
use jiff::Timestamp;
use serde_json::{Value, json};

const STAFF: &str = "0f1e2d3c-4b5a-4678-9abc-def012345678";

/// How a server is set up for a provider.
struct Settings {
    roles: &'static [(&'static str, Role)],
    claim: &'static str,
    verified: bool,
}

const USUAL: Settings = Settings {
    roles: &[("ibid-admins", Role::Admin), ("staff", Role::Member)],
    claim: "groups",
    verified: false,
};
const ENTRA: Settings = Settings {
    // As it stands on a page of Entra, in capitals.
    roles: &[
        ("ibid-admins", Role::Admin),
        ("0F1E2D3C-4B5A-4678-9ABC-DEF012345678", Role::Member),
    ],
    claim: "groups",
    verified: true,
};
const fn by_claim(claim: &'static str) -> Settings {
    Settings { claim, ..USUAL }
}

struct Rig {
    provider: OpenIdProvider,
    server: TestServer,
    admin: Member,
}

impl Rig {
    async fn new(settings: &Settings) -> Self {
        let provider = OpenIdProvider::spawn();
        let messenger = Messenger::new(MessengerConfig {
            allow_list: AllowList::of_operator(&provider.host).unwrap(),
            ..MessengerConfig::default()
        });
        let roles = settings
            .roles
            .iter()
            .map(|(group, role)| ((*group).to_owned(), *role));
        let terms = OpenIdTerms {
            issuer: provider.issuer.clone(),
            client_id: CLIENT.to_owned(),
            client_secret: "secret".to_owned().into(),
            redirect: "http://ibid.test/sign-in/openid/back".to_owned(),
            roles: roles.collect(),
            groups_claim: settings.claim.to_owned(),
            emails_verified: settings.verified,
            messenger: messenger.unwrap(),
        };
        let terms = SignInTerms {
            passwords: true,
            openid: Some(OpenId::new(terms)),
        };
        let server = Setup::default().tune(|service| service.sign_in = terms).spawn();
        let admin = Member::with_role(&server, "root@example.com", 0, Role::Admin).await;
        Self {
            provider,
            server,
            admin,
        }
    }

    /// Signs in a person of whom the provider says this. Returns the answer to the way back.
    async fn sign_in(&self, mut said: Said) -> Reply {
        self.provider.say(said.clone());
        let mut browser = Member::stranger(&self.server);
        let begun = browser.open("/sign-in/openid").await;
        assert_eq!(begun.status, 303, "{}", begun.text);
        let cookie = begun.header("set-cookie").split(';').next().unwrap();
        browser.cookie = Some(cookie.to_owned());
        let there: reqwest::Url = begun.header("location").parse().unwrap();
        let sent = |name: &str| there.query_pairs().find(|(found, _)| found == name).unwrap().1;
        said.token["nonce"] = json!(sent("nonce"));
        self.provider.say(said);
        browser
            .open(&format!("/sign-in/openid/back?code=c&state={}", sent("state")))
            .await
    }

    fn role(&self, email: &str) -> Option<Role> {
        let email: Email = email.parse().unwrap();
        self.server
            .store
            .account(&email)
            .unwrap()
            .map(|account| account.role)
    }

    /// The newest sentence for admins.
    async fn note(&self) -> String {
        let page = self.admin.open("/workspace/admin/health").await.text;
        let row = page.split("<tr>").find(|row| row.contains(">Sign-in<"));
        row.unwrap_or_default()
            .split("</tr>")
            .next()
            .unwrap_or_default()
            .to_owned()
    }
}

/// What a provider says in its token alone.
fn token(token: Value) -> Said {
    Said {
        token,
        info: (200, json!({})),
        scopes: vec!["openid", "email"],
    }
}

/// What a provider says, with user information about the same person.
fn with_info(said: Value, status: u16, info: Value) -> Said {
    Said {
        info: (status, info),
        ..token(said)
    }
}

/// What is tried, what the provider says, and the account with its role or the words of the refusal.
type Case<'a> = (&'a str, Said, Result<(&'a str, Role), &'a str>);

/// Checks people who come for the first time.
async fn check(settings: &Settings, cases: Vec<Case<'_>>) {
    let rig = Rig::new(settings).await;
    for (what, said, expected) in cases {
        let reply = rig.sign_in(said).await;
        match expected {
            Ok((email, role)) => {
                assert_eq!(reply.status, 303, "{what}: {} {}", reply.text, rig.note().await);
                assert_eq!(rig.role(email), Some(role), "{what}");
            }
            Err(why) => {
                assert!(
                    [403, 502].contains(&reply.status.as_u16()),
                    "{what}: {}",
                    reply.status
                );
                let note = rig.note().await;
                assert!(note.contains(why), "{what}: {note}");
            }
        }
    }
}

#[tokio::test]
async fn people_of_entra_sign_in() {
    let graph = |sub: &str| json!({"sub": sub, "name": "A", "picture": "https://graph.microsoft.com/v1.0/me/photo/$value"});
    let overage = json!({
        "sub": "e4", "email": "d@contoso.example", "tid": "t", "_claim_names": {"groups": "src1"},
        "_claim_sources": {"src1": {"endpoint": "https://graph.microsoft.com/v1.0/users/d/getMemberObjects"}},
    });
    let cases = vec![
        (
            "a work account without email_verified",
            token(
                json!({"sub": "e1", "email": "a@contoso.example", "tid": "t", "ver": "2.0", "groups": ["ibid-admins"]}),
            ),
            Ok(("a@contoso.example", Role::Admin)),
        ),
        (
            "groups as GUIDs",
            token(json!({"sub": "e2", "email": "b@contoso.example", "groups": [STAFF, "x"]})),
            Ok(("b@contoso.example", Role::Member)),
        ),
        (
            "no mailbox: the name of sign-in",
            with_info(
                json!({"sub": "e3", "preferred_username": "C@contoso.example", "groups": [STAFF]}),
                200,
                graph("e3"),
            ),
            Ok(("c@contoso.example", Role::Member)),
        ),
        (
            "overage",
            with_info(overage, 200, graph("e4")),
            Err("more groups than the token takes"),
        ),
        (
            "overage of the implicit flow",
            token(json!({"sub": "e5", "email": "e@contoso.example", "hasgroups": "true"})),
            Err("overage"),
        ),
        (
            "a guest",
            token(json!({
                "sub": "e6", "email": "f@fabrikam.example",
                "preferred_username": "f_fabrikam.example#EXT#@contoso.example", "groups": [STAFF],
            })),
            Ok(("f@fabrikam.example", Role::Member)),
        ),
        (
            "no group of the application",
            token(json!({"sub": "e7", "email": "g@contoso.example", "groups": ["other"]})),
            Err("no group of groups has a role in OIDC_ROLES"),
        ),
        (
            "a false word of the token itself",
            token(
                json!({"sub": "e8", "email": "h@contoso.example", "email_verified": false, "groups": [STAFF]}),
            ),
            Err("the claim email_verified is false"),
        ),
        (
            "neither address nor name",
            token(json!({"sub": "e9", "preferred_username": "+4512345678", "groups": [STAFF]})),
            Err("the claim email is missing; these came"),
        ),
    ];
    check(&ENTRA, cases).await;
    let roles = Settings {
        claim: "roles",
        ..ENTRA
    };
    let app = json!({"sub": "r1", "email": "r@contoso.example", "roles": ["ibid-admins"]});
    check(
        &roles,
        vec![(
            "roles of the application",
            token(app),
            Ok(("r@contoso.example", Role::Admin)),
        )],
    )
    .await;
}

#[tokio::test]
async fn people_of_google_sign_in() {
    let of = |sub: &str, email: &str, more: Value| {
        let mut claims =
            json!({"sub": sub, "azp": CLIENT, "email": email, "email_verified": true, "at_hash": null});
        for (name, value) in more.as_object().unwrap() {
            claims[name] = value.clone();
        }
        token(claims)
    };
    let workspace = Settings {
        roles: &[("agency.example", Role::Member)],
        claim: "hd",
        verified: false,
    };
    check(
        &workspace,
        vec![
            (
                "a domain of Workspace",
                of("g1", "a@agency.example", json!({"hd": "agency.example"})),
                Ok(("a@agency.example", Role::Member)),
            ),
            (
                "another domain",
                of("g2", "a@other.example", json!({"hd": "other.example"})),
                Err("other.example"),
            ),
            (
                "a private account",
                of("g3", "a@gmail.example", json!({})),
                Err("the claim hd is missing"),
            ),
        ],
    )
    .await;
    let invited = Settings { roles: &[], ..USUAL };
    check(
        &invited,
        vec![(
            "nobody invited",
            of("g4", "a@agency.example", json!({})),
            Err("no account has the address; invite it"),
        )],
    )
    .await;
    // Who was invited signs in to the account that the invitation opened.
    let rig = Rig::new(&invited).await;
    let email: Email = "b@agency.example".parse().unwrap();
    let account = NewAccount {
        id: AccountId::random(),
        email: &email,
        password: "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        credits: 0,
        role: Role::Member,
    };
    rig.server
        .store
        .open_account(&account, Timestamp::now().as_millisecond())
        .unwrap();
    let said = of("g5", "b@agency.example", json!({}));
    assert_eq!(
        rig.sign_in(said.clone()).await.header("location"),
        "/workspace/projects"
    );
    // An account that was used asks its person first, also after another one of the provider has the address.
    let other = of("g6", "b@agency.example", json!({}));
    assert_eq!(
        rig.sign_in(other).await.header("location"),
        "/workspace/account/openid"
    );
}

#[tokio::test]
async fn people_of_okta_authentik_and_gitlab_sign_in() {
    let person = |sub: &str, email: &str, groups: Value| json!({"sub": sub, "email": email, "email_verified": true, "groups": groups, "updated_at": 1_700_000_000});
    let okta =
        json!({"zoneinfo": "America/Los_Angeles", "locale": "en-US", "preferred_username": "a@okta.example"});
    let mut thin = person("o1", "a@okta.example", json!(["Everyone", "ibid-admins"]));
    for (name, value) in okta.as_object().unwrap() {
        thin[name] = value.clone();
    }
    check(&USUAL, vec![
        ("Okta: a thin token", with_info(json!({"sub": "o1", "amr": ["pwd"], "idp": "00o1"}), 200, thin),
            Ok(("a@okta.example", Role::Admin))),
        ("Okta: groups in the token", token(person("o2", "b@okta.example", json!(["Everyone", "staff"]))),
            Ok(("b@okta.example", Role::Member))),
        ("Okta: no filter of groups", token(json!({"sub": "o3", "email": "c@okta.example", "email_verified": true})),
            Err("the claim groups is missing; these came")),
        ("Okta: another authorization server",
            with_info(json!({"sub": "o4", "email": "d@okta.example", "email_verified": true}), 403, json!({})),
            Err("refused the user information with 403")),
        ("Authentik: its default scopes",
            token(person("a1", "a@authentik.example", json!(["authentik Admins", "ibid-admins"]))),
            Ok(("a@authentik.example", Role::Admin))),
        ("Authentik since 2025.10", token(json!({
                "sub": "a2", "email": "b@authentik.example", "email_verified": false, "groups": ["staff"],
            })), Err("the claim email_verified is false")),
        ("Authentik: claims in the user information",
            with_info(json!({"sub": "a3"}), 200, person("a3", "c@authentik.example", json!(["staff"]))),
            Ok(("c@authentik.example", Role::Member))),
        ("GitLab: groups in the user information", with_info(
                json!({"sub": "l1", "email": "a@gitlab.example", "email_verified": true, "groups_direct": ["x"]}),
                200, json!({"sub": "l1", "groups": ["agency", "ibid-admins"], "profile": "https://gitlab.example/a"}),
            ), Ok(("a@gitlab.example", Role::Admin))),
        ("GitLab: a subgroup is another group", with_info(
                json!({"sub": "l2", "email": "b@gitlab.example", "email_verified": true}),
                200, json!({"sub": "l2", "groups": ["agency/ibid-admins"]}),
            ), Err("agency/ibid-admins")),
        ("GitLab: no group", with_info(
                json!({"sub": "l3", "email": "c@gitlab.example", "email_verified": true}),
                200, json!({"sub": "l3", "groups": []}),
            ), Err("no group of groups has a role in OIDC_ROLES")),
        ("GitLab: an address that is not confirmed", token(json!({
                "sub": "l4", "email": "d@gitlab.example", "email_verified": false, "groups": ["staff"],
            })), Err("the claim email_verified is false")),
        ("no email_verified at all", token(json!({"sub": "x1", "email": "a@x.example", "groups": ["staff"]})),
            Err("OIDC_EMAILS_VERIFIED=on")),
    ]).await;
}

#[tokio::test]
async fn people_of_auth0_and_others_sign_in() {
    const NAMESPACED: &str = "https://agency.example/groups";
    let auth0 = |sub: &str, email: &str| json!({"sub": sub, "email": email, "email_verified": true, "nickname": "a", "updated_at": "2026-11-02T09:30:00.000Z"});
    let mut named = auth0("auth0|1", "a@auth0.example");
    named[NAMESPACED] = json!(["staff"]);
    let mut unverified = auth0("auth0|2", "b@auth0.example");
    unverified["email_verified"] = json!(false);
    check(
        &by_claim(NAMESPACED),
        vec![
            (
                "Auth0: a claim with a namespace",
                token(named),
                Ok(("a@auth0.example", Role::Member)),
            ),
            (
                "Auth0: no action adds it",
                token(auth0("google-oauth2|3", "c@auth0.example")),
                Err("the claim https://agency.example/groups is missing"),
            ),
            (
                "Auth0: an address that is not verified",
                token(unverified),
                Err("the claim email_verified is false"),
            ),
        ],
    )
    .await;
    check(&by_claim("cognito:groups"), vec![
        ("Cognito: truth as a text", token(json!({
                "sub": "c1", "email": "a@cognito.example", "email_verified": "true", "cognito:groups": ["staff"],
            })), Ok(("a@cognito.example", Role::Member))),
    ]).await;
    let odd = |sub: &str, groups: Value| {
        let email = format!("{sub}@odd.example");
        token(json!({"sub": sub, "email": email, "email_verified": true, "groups": groups}))
    };
    check(
        &USUAL,
        vec![
            (
                "Nextcloud: groups as objects",
                odd("n1", json!([{"gid": "ibid-admins", "displayName": "The admins"}])),
                Ok(("n1@odd.example", Role::Admin)),
            ),
            (
                "AD FS: one group as a text",
                odd("n2", json!("staff")),
                Ok(("n2@odd.example", Role::Member)),
            ),
            (
                "a number",
                odd("n3", json!(7)),
                Err("the claim groups is no list of names"),
            ),
            (
                "a list with something else",
                odd("n4", json!(["staff", 7])),
                Err("the claim groups is no list of names"),
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn people_of_keycloak_sign_in() {
    let of = |sub: &str, more: Value| {
        let email = format!("{sub}@keycloak.example");
        let mut claims = json!({"sub": sub, "email": email, "email_verified": true, "typ": "ID", "acr": "1"});
        for (name, value) in more.as_object().unwrap() {
            claims[name] = value.clone();
        }
        token(claims)
    };
    check(
        &USUAL,
        vec![
            (
                "paths",
                of("k1", json!({"groups": ["/ibid-admins", "/hr"]})),
                Ok(("k1@keycloak.example", Role::Admin)),
            ),
            (
                "names",
                of("k2", json!({"groups": ["staff"]})),
                Ok(("k2@keycloak.example", Role::Member)),
            ),
            (
                "a path below another group",
                of("k3", json!({"groups": ["/hr/ibid-admins"]})),
                Err("/hr/ibid-admins"),
            ),
            (
                "no mapper",
                of("k4", json!({"realm_access": {"roles": ["staff"]}})),
                Err("realm_access"),
            ),
            (
                "a new user",
                of("k5", json!({"email_verified": false, "groups": ["staff"]})),
                Err("email_verified is false"),
            ),
        ],
    )
    .await;
    let realm = of(
        "k6",
        json!({"realm_access": {"roles": ["offline_access", "staff"]}}),
    );
    let client = of(
        "k7",
        json!({"resource_access": {"ibid": {"roles": ["ibid-admins"]}}}),
    );
    check(
        &by_claim("realm_access.roles"),
        vec![(
            "roles of the realm",
            realm,
            Ok(("k6@keycloak.example", Role::Member)),
        )],
    )
    .await;
    let claim = by_claim("resource_access.ibid.roles");
    check(
        &claim,
        vec![(
            "roles of the client",
            client,
            Ok(("k7@keycloak.example", Role::Admin)),
        )],
    )
    .await;
}

#[tokio::test]
async fn a_role_changes_by_what_was_said_only() {
    let rig = Rig::new(&USUAL).await;
    let of = |groups: Value| json!({"sub": "s1", "email": "a@example.org", "email_verified": true, "groups": groups});
    assert_eq!(rig.sign_in(token(of(json!(["ibid-admins"])))).await.status, 303);
    let mut overage = of(Value::Null);
    overage["_claim_names"] = json!({"groups": "src1"});
    for (said, why) in [
        (
            token(overage),
            "keeps the role admin: the person is in more groups",
        ),
        (
            token(of(Value::Null)),
            "keeps the role admin: the claim groups is missing",
        ),
        (
            token(of(json!([["ibid-admins"]]))),
            "keeps the role admin: the claim groups is no list",
        ),
        (
            with_info(of(Value::Null), 500, json!({})),
            "refused the user information with 500",
        ),
        (
            with_info(of(Value::Null), 200, json!({"sub": "s2", "groups": []})),
            "another sub",
        ),
        (
            with_info(of(Value::Null), 200, json!("no object")),
            "no JSON object",
        ),
    ] {
        let reply = rig.sign_in(said).await;
        assert_eq!(reply.status, 303, "{why}: {}", reply.text);
        assert_eq!(rig.role("a@example.org"), Some(Role::Admin), "{why}");
        let note = rig.note().await;
        assert!(note.contains(why), "{why}: {note}");
    }
    assert_eq!(rig.sign_in(token(of(json!([])))).await.status, 403);
    assert_eq!(rig.role("a@example.org"), Some(Role::Viewer));
}

#[tokio::test]
async fn a_token_of_another_time_or_of_nobody_is_none() {
    let now = Timestamp::now().as_second();
    let of = |more: Value| {
        let mut claims =
            json!({"sub": "t1", "email": "a@example.org", "email_verified": true, "groups": ["staff"]});
        for (name, value) in more.as_object().unwrap() {
            claims[name] = value.clone();
        }
        token(claims)
    };
    check(
        &USUAL,
        vec![
            (
                "made in the future",
                of(json!({"iat": now + 600, "exp": now + 3_600})),
                Err("made in the future"),
            ),
            ("an empty subject", of(json!({"sub": ""})), Err("names nobody")),
            ("a blank subject", of(json!({"sub": " "})), Err("names nobody")),
            ("over", of(json!({"exp": now - 600})), Err("expired")),
            (
                "for another client",
                of(json!({"aud": "other"})),
                Err("not valid"),
            ),
            (
                "of another issuer",
                of(json!({"iss": "https://other.example"})),
                Err("not valid"),
            ),
            (
                "a clock a little ahead",
                of(json!({"iat": now + 60})),
                Ok(("a@example.org", Role::Member)),
            ),
        ],
    )
    .await;
}
