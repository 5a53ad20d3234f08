//! An OpenID provider on loopback that says of people what it is told to.

use actix_web::dev::ServerHandle;
use actix_web::http::StatusCode;
use actix_web::web;
use actix_web::{App, HttpRequest, HttpResponse, HttpServer};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// The name of the server under test at the provider.
pub const CLIENT: &str = "ibid";

/// What the provider says of the next person.
#[derive(Clone, Debug, Default)]
pub struct Said {
    /// Claims of the ID token, over those that each token has; `null` takes one away.
    pub token: Value,
    /// The user information: its status and its body.
    pub info: (u16, Value),
    /// The scopes that the provider lists.
    pub scopes: Vec<&'static str>,
}

struct State {
    issuer: String,
    key: EcdsaKeyPair,
    said: Arc<Mutex<Said>>,
}

/// A provider. It stops on drop.
pub struct OpenIdProvider {
    /// `127.0.0.1:port`.
    pub host: String,
    /// The issuer, as it names itself.
    pub issuer: String,
    said: Arc<Mutex<Said>>,
    handle: ServerHandle,
    thread: Option<JoinHandle<()>>,
}

impl OpenIdProvider {
    /// Starts a provider on a free port.
    #[must_use]
    pub fn spawn() -> Self {
        let random = SystemRandom::new();
        let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random);
        let document = document.expect("a key");
        let key = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, document.as_ref(), &random);
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let host = listener.local_addr().expect("an address").to_string();
        let issuer = format!("http://{host}/tenant/v2.0");
        let said = Arc::<Mutex<Said>>::default();
        let state = web::Data::new(State {
            issuer: issuer.clone(),
            key: key.expect("a key"),
            said: Arc::clone(&said),
        });
        let (started_in, started) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            actix_web::rt::System::new().block_on(async move {
                let server = HttpServer::new(move || {
                    App::new()
                        .app_data(state.clone())
                        .default_service(web::to(answer))
                });
                let server = server.workers(1).disable_signals().shutdown_timeout(0);
                let server = server.listen(listener).expect("a server").run();
                started_in.send(server.handle()).expect("the test waits");
                server.await.expect("the provider ends well");
            });
        });
        Self {
            host,
            issuer,
            said,
            handle: started.recv().expect("the provider starts"),
            thread: Some(thread),
        }
    }

    /// Says this from now on.
    pub fn say(&self, said: Said) {
        *self.said.lock().unwrap_or_else(PoisonError::into_inner) = said;
    }
}

impl Drop for OpenIdProvider {
    fn drop(&mut self) {
        drop(self.handle.stop(false));
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(ended.is_ok() || std::thread::panicking(), "the provider panicked");
        }
    }
}

async fn answer(request: HttpRequest, state: web::Data<State>) -> HttpResponse {
    let said = state.said.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let (issuer, path) = (&state.issuer, request.path());
    if path.ends_with("/.well-known/openid-configuration") {
        let at = |name: &str| format!("{issuer}/{name}");
        return HttpResponse::Ok().json(json!({
            "issuer": issuer, "authorization_endpoint": at("authorize"), "token_endpoint": at("token"),
            "userinfo_endpoint": at("userinfo"), "jwks_uri": at("keys"), "scopes_supported": said.scopes,
            "response_types_supported": ["code"], "subject_types_supported": ["pairwise"],
            "id_token_signing_alg_values_supported": ["ES256"],
        }));
    }
    match path.rsplit('/').next() {
        Some("keys") => {
            let point = state.key.public_key().as_ref();
            let part = |from: usize| URL_SAFE_NO_PAD.encode(&point[from..from + 32]);
            let key =
                json!({"kty": "EC", "crv": "P-256", "use": "sig", "kid": "1", "x": part(1), "y": part(33)});
            HttpResponse::Ok().json(json!({"keys": [key]}))
        }
        Some("token") => {
            let now = Timestamp::now().as_second();
            let mut claims = json!({"iss": issuer, "aud": CLIENT, "iat": now, "exp": now + 3_600});
            for (name, value) in said.token.as_object().into_iter().flatten() {
                claims[name] = value.clone();
            }
            if let Some(claims) = claims.as_object_mut() {
                claims.retain(|_, value| !value.is_null());
            }
            let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
            let head = json!({"alg": "ES256", "typ": "JWT", "kid": "1"});
            let signed = format!("{}.{}", part(&head), part(&claims));
            let signature = state.key.sign(&SystemRandom::new(), signed.as_bytes());
            let signature = URL_SAFE_NO_PAD.encode(signature.expect("a signature"));
            HttpResponse::Ok().json(json!({
                "access_token": "at", "token_type": "Bearer", "id_token": format!("{signed}.{signature}"),
            }))
        }
        Some("userinfo") => {
            let status = StatusCode::from_u16(said.info.0).expect("a status");
            HttpResponse::build(status).json(said.info.1)
        }
        _ => HttpResponse::NotFound().finish(),
    }
}
