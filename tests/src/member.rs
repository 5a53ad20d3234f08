//! A member of the workspace with a browser that keeps one cookie and follows no redirect.

use crate::client::Reply;
use crate::server::TestServer;
use ibid_model::{AccountId, Email};
use ibid_store::{NewAccount, Role};
use jiff::Timestamp;
use reqwest::redirect::Policy;
use reqwest::{Method, RequestBuilder};
use url::form_urlencoded;

/// The password of every account of the tests.
pub const PASSWORD: &str = "correct horse battery";

/// A member of the workspace with a browser.
pub struct Member {
    http: reqwest::Client,
    url: String,
    /// The `Cookie` header, once there is one.
    pub cookie: Option<String>,
}

/// Opens the account of a member with [`PASSWORD`].
pub fn open_account(server: &TestServer, email: &str, credits: u32) -> AccountId {
    open_account_as(server, email, credits, Role::Member)
}

/// Opens an account of a role with [`PASSWORD`].
pub fn open_account_as(server: &TestServer, email: &str, credits: u32, role: Role) -> AccountId {
    let email: Email = email.parse().expect("an address");
    let password = ibid_service::hash_password(&PASSWORD.to_owned().into(), "").expect("a password");
    let account = NewAccount {
        id: AccountId::random(),
        email: &email,
        password: &password,
        credits,
        role,
    };
    let now = Timestamp::now().as_millisecond();
    server.store.open_account(&account, now).expect("a new account");
    account.id
}

/// The id of an account that exists.
pub fn account_id(server: &TestServer, email: &str) -> AccountId {
    let email: Email = email.parse().expect("an address");
    let found = server.store.account(&email).expect("the store answers");
    found.expect("an account of that address").id
}

impl Member {
    /// A browser that is not signed in.
    #[must_use]
    pub fn stranger(server: &TestServer) -> Self {
        Self::at(&server.url)
    }

    /// A browser that is not signed in, for the server at an address.
    #[must_use]
    pub fn at(url: &str) -> Self {
        crate::install_tls();
        let http = reqwest::Client::builder().no_proxy().redirect(Policy::none());
        Self {
            http: http.build().expect("a client"),
            url: url.to_owned(),
            cookie: None,
        }
    }

    /// Opens an account and signs in.
    pub async fn with_credits(server: &TestServer, email: &str, credits: u32) -> Self {
        open_account(server, email, credits);
        let mut member = Self::stranger(server);
        let reply = member.sign_in(email, PASSWORD).await;
        assert_eq!(reply.status, 303, "{}", reply.text);
        member
    }

    /// Opens an account of a role and signs in.
    pub async fn with_role(server: &TestServer, email: &str, credits: u32, role: Role) -> Self {
        open_account_as(server, email, credits, role);
        let mut member = Self::stranger(server);
        let reply = member.sign_in(email, PASSWORD).await;
        assert_eq!(reply.status, 303, "{}", reply.text);
        member
    }

    /// Signs in and keeps the cookie.
    pub async fn sign_in(&mut self, email: &str, password: &str) -> Reply {
        let reply = self
            .post("/sign-in", &[("email", email), ("password", password)])
            .await;
        if let Some(pair) = reply
            .header("set-cookie")
            .split(';')
            .next()
            .filter(|pair| !pair.is_empty())
        {
            self.cookie = Some(pair.to_owned());
        }
        reply
    }

    /// A request of a page of this site.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.http.request(method, format!("{}{path}", self.url));
        let request = request.header("Sec-Fetch-Site", "same-origin");
        match &self.cookie {
            Some(cookie) => request.header("Cookie", cookie),
            None => request,
        }
    }

    /// Opens a page. Its figures then have plain blanks.
    pub async fn open(&self, path: &str) -> Reply {
        let request = self.request(Method::GET, path);
        plain(Reply::of(request.header("Accept", "text/html,*/*;q=0.8")).await)
    }

    /// Sends a form of this site.
    pub async fn post(&self, path: &str, pairs: &[(&str, &str)]) -> Reply {
        let body: String = form_urlencoded::Serializer::new(String::new())
            .extend_pairs(pairs)
            .finish();
        let request = self
            .request(Method::POST, path)
            .header("Accept", "text/html,*/*;q=0.8")
            .header("Content-Type", "application/x-www-form-urlencoded");
        plain(Reply::of(request.body(body)).await)
    }

    /// Sends a form of this site with texts and a file, which has the name of its input and its bytes.
    pub async fn upload(&self, path: &str, texts: &[(&str, &str)], file: Option<(&str, &[u8])>) -> Reply {
        const BOUNDARY: &str = "a-boundary-of-a-test";
        let mut body = Vec::new();
        let mut add = |disposition: String, content: &[u8]| {
            let head = format!("--{BOUNDARY}\r\nContent-Disposition: form-data; {disposition}\r\n\r\n");
            body.extend([head.as_bytes(), content, b"\r\n"].concat());
        };
        for (name, text) in texts {
            add(format!("name=\"{name}\""), text.as_bytes());
        }
        if let Some((name, content)) = file {
            add(format!("name=\"{name}\"; filename=\"æ file\""), content);
        }
        body.extend(format!("--{BOUNDARY}--\r\n").as_bytes());
        let request = self
            .request(Method::POST, path)
            .header("Accept", "text/html,*/*;q=0.8")
            .header(
                "Content-Type",
                format!("multipart/form-data; boundary={BOUNDARY}"),
            );
        plain(Reply::of(request.body(body)).await)
    }

    /// Sends JSON to the API of the workspace.
    pub async fn app(&self, path: &str, body: &serde_json::Value) -> Reply {
        Reply::of(self.request(Method::POST, path).json(body)).await
    }

    /// Starts a scan of the form and returns its path.
    pub async fn start(&self, pairs: &[(&str, &str)]) -> String {
        let reply = self.post("/workspace/scans", pairs).await;
        assert_eq!(reply.status, 303, "{}", reply.text);
        reply.header("location").to_owned()
    }

    /// Waits for the end of a scan by listening to its events; returns them.
    pub async fn listen(&self, scan: &str) -> String {
        Reply::of(self.request(Method::GET, &format!("{scan}/events")))
            .await
            .text
    }
}

/// Figures and their units are kept together by blanks that do not break.
fn plain(mut reply: Reply) -> Reply {
    reply.text = reply.text.replace('\u{a0}', " ");
    reply
}
