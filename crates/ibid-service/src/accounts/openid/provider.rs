//! The provider: its documents, its codes and what it says of a person.

use super::claims::{Claims, is_group};
use crate::clock::{millis, now_ms};
use crate::failure::chain;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ibid_audit::fetch::{FetchError, Messenger};
use ibid_store::{Identity, Role};
use openidconnect::core::{
    CoreClient, CoreIdTokenVerifier, CoreJwsSigningAlgorithm, CoreProviderMetadata, CoreResponseType,
};
use openidconnect::{
    AccessToken, AuthenticationFlow, AuthorizationCode, ClientId, ClientSecret, CsrfToken, EndpointMaybeSet,
    EndpointNotSet, EndpointSet, HttpRequest, HttpResponse, IssuerUrl, Nonce, OAuth2TokenResponse as _,
    PkceCodeChallenge, PkceCodeVerifier, RedirectUrl, RequestTokenError, Scope, TokenResponse as _,
};
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// How long the provider's documents are kept, and by how much its clock may be ahead. A key that is unknown is looked for
/// at once.
const KEPT: Duration = Duration::from_secs(300);
/// Most bytes that an answer of the provider may have.
const MOST_ANSWER: usize = 512 << 10;
/// Signatures that are taken: those whose key the provider alone has. HMAC is none of them, because this service has the
/// same secret.
const ALGORITHMS: [CoreJwsSigningAlgorithm; 9] = [
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha256,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha384,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha512,
    CoreJwsSigningAlgorithm::RsaSsaPssSha256,
    CoreJwsSigningAlgorithm::RsaSsaPssSha384,
    CoreJwsSigningAlgorithm::RsaSsaPssSha512,
    CoreJwsSigningAlgorithm::EcdsaP256Sha256,
    CoreJwsSigningAlgorithm::EcdsaP384Sha384,
    CoreJwsSigningAlgorithm::EdDsa,
];

/// The agreement with a provider.
#[derive(Clone, Debug)]
pub struct OpenIdTerms {
    /// The issuer, exactly as it names itself.
    pub issuer: String,
    /// How the provider knows this service.
    pub client_id: String,
    /// With which this service proves itself there.
    pub client_secret: SecretString,
    /// The address to which the provider sends browsers back, exactly as it knows it.
    pub redirect: String,
    /// The role that members of a group have. Empty: groups decide nothing.
    pub roles: Vec<(String, Role)>,
    /// The claim that has the groups, or the path to it.
    pub groups_claim: String,
    /// Whether the issuer's admins give its addresses, so that it need not say of each that it is verified.
    pub emails_verified: bool,
    /// Sends all requests, with time limits and caps.
    pub messenger: Messenger,
}

#[derive(Debug)]
pub struct OpenId {
    pub(super) terms: OpenIdTerms,
    known: Mutex<Option<(Instant, CoreProviderMetadata)>>,
}

/// The provider cannot be used. The text has no code, token or secret.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ProviderFault(String);

/// A sign-in that has begun.
#[derive(Deserialize, Serialize)]
pub(super) struct Flow {
    pub(super) state: String,
    nonce: String,
    verifier: String,
}

pub(super) struct Person {
    pub(super) identity: Identity,
    pub(super) claims: Claims,
}

type Registered = CoreClient<
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointMaybeSet,
    EndpointMaybeSet,
>;

impl OpenId {
    /// A provider that has not been asked yet.
    pub fn new(terms: OpenIdTerms) -> Self {
        Self {
            terms,
            known: Mutex::default(),
        }
    }

    /// Returns the issuer's host, as people know it, such as `accounts.example.com`.
    pub fn host(&self) -> &str {
        let rest = self
            .terms
            .issuer
            .split_once("://")
            .map_or(self.terms.issuer.as_str(), |(_, rest)| rest);
        rest.split('/').next().unwrap_or(rest)
    }

    /// Reads the documents of the provider.
    ///
    /// # Errors
    /// They cannot be fetched or read, or are those of another issuer.
    pub async fn check(&self) -> Result<(), ProviderFault> {
        self.client(true).await.map(drop)
    }

    /// Begins a sign-in. Returns the address at the provider to go to.
    pub(super) async fn begin(&self) -> Result<(String, Flow), ProviderFault> {
        let client = self.client(false).await?;
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let (address, state, nonce) = client
            .authorize_url(
                AuthenticationFlow::<CoreResponseType>::AuthorizationCode,
                CsrfToken::new_random,
                Nonce::new_random,
            )
            .add_scope(Scope::new("email".to_owned()))
            .add_scopes(self.more_scopes().await)
            .set_pkce_challenge(challenge)
            .url();
        let flow = Flow {
            state: state.secret().clone(),
            nonce: nonce.secret().clone(),
            verifier: verifier.secret().clone(),
        };
        Ok((address.into(), flow))
    }

    /// Exchanges the code of a finished sign-in.
    pub(super) async fn finish(&self, code: String, flow: Flow) -> Result<Person, ProviderFault> {
        let client = self.client(false).await?;
        let http = |request| call(&self.terms.messenger, request);
        let tokens = client
            .exchange_code(AuthorizationCode::new(code))
            .map_err(|error| ProviderFault(format!("the provider takes no codes: {error}")))?
            .set_pkce_verifier(PkceCodeVerifier::new(flow.verifier))
            .request_async(&http)
            .await
            .map_err(|error| match error {
                RequestTokenError::ServerResponse(answer) => {
                    ProviderFault(format!("the provider refused the code: {}", answer.error()))
                }
                RequestTokenError::Request(error) => {
                    ProviderFault(format!("the provider gave no tokens: {error}"))
                }
                RequestTokenError::Parse(error, _) => ProviderFault(format!(
                    "the provider gave tokens that cannot be read at {}",
                    error.path()
                )),
                RequestTokenError::Other(_) => {
                    ProviderFault("the provider gave tokens that cannot be read".to_owned())
                }
            })?;
        let token = tokens
            .id_token()
            .ok_or_else(|| ProviderFault("the provider gave no ID token".to_owned()))?;
        let nonce = Nonce::new(flow.nonce);
        let wrong = |error| {
            ProviderFault(format!(
                "the ID token of the provider is not valid: {}",
                chain(&error)
            ))
        };
        // A key that was not there five minutes ago may be there now.
        let newer;
        let claims = match token.claims(&verifier(&client), &nonce) {
            Ok(claims) => claims,
            Err(_) => {
                newer = self.client(true).await?;
                token.claims(&verifier(&newer), &nonce).map_err(wrong)?
            }
        };
        let subject = claims.subject().as_str();
        if subject.trim().is_empty() {
            return Err(ProviderFault(
                "the ID token of the provider names nobody: the claim sub is empty".to_owned(),
            ));
        }
        // The library knows some claims. The others are read from the same bytes, now that their signature is checked.
        let text = token.to_string();
        let document = text
            .split('.')
            .nth(1)
            .and_then(|part| URL_SAFE_NO_PAD.decode(part).ok());
        let document = document.and_then(|document| serde_json::from_slice(&document).ok());
        let unread = || ProviderFault("the ID token of the provider cannot be read".to_owned());
        let mut claims = Claims {
            token: document.ok_or_else(unread)?,
            info: Ok(Map::new()),
        };
        let asks_groups = !self.terms.roles.is_empty();
        if claims.email(&self.terms).is_err() || (asks_groups && claims.groups(&self.terms).is_err()) {
            claims.info = self.user_info(tokens.access_token(), subject).await;
        }
        Ok(Person {
            identity: Identity {
                issuer: self.terms.issuer.clone(),
                subject: subject.to_owned(),
            },
            claims,
        })
    }

    /// Asks for what the ID token leaves out.
    ///
    /// # Errors
    /// The sentence that says why the provider gives nothing; the ID token stands without it.
    async fn user_info(&self, token: &AccessToken, subject: &str) -> Result<Map<String, Value>, String> {
        let metadata = self.metadata(false).await.map_err(|error| error.to_string())?;
        let Some(endpoint) = metadata.userinfo_endpoint() else {
            return Ok(Map::new());
        };
        let request = http::Request::get(endpoint.as_str())
            .header("Accept", "application/json")
            .header("Authorization", format!("Bearer {}", token.secret()))
            .body(Vec::new())
            .map_err(|_| "the address of the user information cannot be used".to_owned())?;
        let answer = call(&self.terms.messenger, request)
            .await
            .map_err(|error| format!("the provider gave no user information: {error}"))?;
        if !answer.status().is_success() {
            return Err(format!(
                "the provider refused the user information with {}",
                answer.status().as_u16()
            ));
        }
        let info = serde_json::from_slice::<Map<String, Value>>(answer.body())
            .map_err(|_| "the user information of the provider is no JSON object".to_owned())?;
        match info.get("sub").and_then(Value::as_str) {
            Some(named) if named == subject => Ok(info),
            _ => Err("the user information is about another sub than the ID token".to_owned()),
        }
    }

    /// Returns the highest role that one of the groups has; `None` if none has any.
    pub(super) fn role(&self, groups: &[String]) -> Option<Role> {
        let roles = self.terms.roles.iter();
        let given = roles
            .filter(|(named, _)| groups.iter().any(|sent| is_group(named, sent)))
            .map(|(_, role)| *role);
        given.min_by_key(|role| Role::ALL.iter().position(|known| known == role))
    }

    /// The scopes that some providers tie groups and names of sign-in to, where this one has them and they are asked for.
    async fn more_scopes(&self) -> Vec<Scope> {
        let known = self.known.lock().await;
        let scopes = known
            .as_ref()
            .and_then(|(_, metadata)| metadata.scopes_supported());
        let asks_groups = !self.terms.roles.is_empty();
        let is_asked = |scope: &&Scope| match scope.as_str() {
            "groups" => asks_groups,
            "profile" => asks_groups || self.terms.emails_verified,
            _ => false,
        };
        scopes.into_iter().flatten().filter(is_asked).cloned().collect()
    }

    async fn client(&self, anew: bool) -> Result<Registered, ProviderFault> {
        let metadata = self.metadata(anew).await?;
        let redirect = RedirectUrl::new(self.terms.redirect.clone())
            .map_err(|error| ProviderFault(format!("the address to come back to cannot be read: {error}")))?;
        let client = CoreClient::from_provider_metadata(
            metadata,
            ClientId::new(self.terms.client_id.clone()),
            Some(ClientSecret::new(
                self.terms.client_secret.expose_secret().to_owned(),
            )),
        );
        Ok(client.set_redirect_uri(redirect))
    }

    async fn metadata(&self, anew: bool) -> Result<CoreProviderMetadata, ProviderFault> {
        let mut known = self.known.lock().await;
        let kept = known.as_ref().filter(|(at, _)| !anew && at.elapsed() < KEPT);
        if let Some((_, metadata)) = kept {
            return Ok(metadata.clone());
        }
        let unreadable = |error: String| ProviderFault(format!("the provider cannot be read: {error}"));
        let issuer = IssuerUrl::new(self.terms.issuer.clone());
        let issuer = issuer.map_err(|error| unreadable(error.to_string()))?;
        let http = |request| call(&self.terms.messenger, request);
        let metadata = CoreProviderMetadata::discover_async(issuer, &http)
            .await
            .map_err(|error| unreadable(chain(&error)))?;
        *known = Some((Instant::now(), metadata.clone()));
        Ok(metadata)
    }
}

/// Checks tokens: also that they were made before now.
fn verifier(client: &Registered) -> CoreIdTokenVerifier<'_> {
    let verifier = client.id_token_verifier().set_allowed_algs(ALGORITHMS);
    verifier.set_issue_time_verifier_fn(|issued| {
        let ahead = issued.timestamp_millis().saturating_sub(now_ms());
        match ahead > millis(KEPT) {
            true => Err("the token was made in the future: compare the clocks".to_owned()),
            false => Ok(()),
        }
    })
}

/// Sends a request of the library. One that changes nothing is repeated once.
async fn call(messenger: &Messenger, request: HttpRequest) -> Result<HttpResponse, FetchError> {
    let again = (request.method() == http::Method::GET).then(|| request.clone());
    match (messenger.exchange(request, MOST_ANSWER).await, again) {
        (Err(FetchError::Failed(_)), Some(again)) => messenger.exchange(again, MOST_ANSWER).await,
        (answer, _) => answer,
    }
}
