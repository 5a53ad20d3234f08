//! The provider: its documents, its codes and what it says of a person.

use crate::failure::chain;
use ibid_audit::fetch::{FetchError, Messenger};
use ibid_store::{Identity, Role};
use openidconnect::core::{
    CoreAuthDisplay, CoreAuthPrompt, CoreErrorResponseType, CoreGenderClaim, CoreJsonWebKey,
    CoreJweContentEncryptionAlgorithm, CoreJwsSigningAlgorithm, CoreProviderMetadata, CoreResponseType,
    CoreRevocableToken, CoreRevocationErrorResponse, CoreTokenIntrospectionResponse, CoreTokenType,
};
use openidconnect::{
    AdditionalClaims, AuthenticationFlow, AuthorizationCode, Client, ClientId, ClientSecret, CsrfToken,
    EmptyExtraTokenFields, EndpointMaybeSet, EndpointNotSet, EndpointSet, HttpRequest, HttpResponse,
    IdTokenFields, IssuerUrl, Nonce, OAuth2TokenResponse as _, PkceCodeChallenge, PkceCodeVerifier,
    RedirectUrl, RequestTokenError, Scope, StandardErrorResponse, StandardTokenResponse, TokenResponse as _,
    UserInfoClaims,
};
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// The time for which the documents of the provider are kept. A key that is unknown is looked for at once.
const KEPT: Duration = Duration::from_secs(300);
/// Bytes of an answer of the provider.
const MOST_ANSWER: usize = 512 << 10;
/// Algorithms of signatures that are taken: those of which the provider alone has the key.
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
    /// The name of this service there.
    pub client_id: String,
    /// The secret of this service there.
    pub client_secret: SecretString,
    /// The address to which the provider sends browsers back, exactly as it knows it.
    pub redirect: String,
    /// The role that members of a group have. Empty: groups decide nothing.
    pub roles: Vec<(String, Role)>,
    /// The client of all requests.
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

/// What the provider says of a person.
pub(super) struct Person {
    pub(super) identity: Identity,
    /// The address, if it is verified.
    pub(super) email: Option<String>,
    pub(super) groups: Vec<String>,
}

/// The claim `groups`: a list of names, or one name.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
struct Groups {
    #[serde(default)]
    groups: Value,
}

impl AdditionalClaims for Groups {}

impl Groups {
    fn names(&self) -> Vec<String> {
        let one = self.groups.as_str().into_iter();
        let all = self
            .groups
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str);
        one.chain(all).map(str::to_owned).collect()
    }
}

type Fields = IdTokenFields<
    Groups,
    EmptyExtraTokenFields,
    CoreGenderClaim,
    CoreJweContentEncryptionAlgorithm,
    CoreJwsSigningAlgorithm,
>;
type GroupClient = Client<
    Groups,
    CoreAuthDisplay,
    CoreGenderClaim,
    CoreJweContentEncryptionAlgorithm,
    CoreJsonWebKey,
    CoreAuthPrompt,
    StandardErrorResponse<CoreErrorResponseType>,
    StandardTokenResponse<Fields, CoreTokenType>,
    CoreTokenIntrospectionResponse,
    CoreRevocableToken,
    CoreRevocationErrorResponse,
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

    /// The host of the issuer, as people know it.
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
            .add_scopes(self.group_scope().await)
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
                RequestTokenError::Parse(..) | RequestTokenError::Other(_) => {
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
        let verifier = client.id_token_verifier().set_allowed_algs(ALGORITHMS);
        let claims = match token.claims(&verifier, &nonce) {
            Ok(claims) => claims,
            Err(_) => {
                newer = self.client(true).await?;
                let verifier = newer.id_token_verifier().set_allowed_algs(ALGORITHMS);
                token.claims(&verifier, &nonce).map_err(wrong)?
            }
        };
        let mut email = claims.email().cloned();
        let mut is_verified = claims.email_verified();
        let mut groups = claims.additional_claims().names();
        let incomplete = email.is_none() || (groups.is_empty() && !self.terms.roles.is_empty());
        if incomplete
            && let Ok(request) =
                client.user_info(tokens.access_token().clone(), Some(claims.subject().clone()))
        {
            let info: UserInfoClaims<Groups, CoreGenderClaim> =
                request.request_async(&http).await.map_err(|_| {
                    ProviderFault("the provider gave no user information that can be read".to_owned())
                })?;
            if let Some(found) = info.email() {
                email = Some(found.clone());
                is_verified = info.email_verified();
            }
            groups.extend(info.additional_claims().names());
        }
        Ok(Person {
            identity: Identity {
                issuer: self.terms.issuer.clone(),
                subject: claims.subject().to_string(),
            },
            email: email
                .filter(|_| is_verified == Some(true))
                .map(|email| email.to_string()),
            groups,
        })
    }

    /// The highest role of the groups; `None` if no group has one.
    pub(super) fn role(&self, groups: &[String]) -> Option<Role> {
        let roles = self.terms.roles.iter();
        let given = roles
            .filter(|(group, _)| groups.contains(group))
            .map(|(_, role)| *role);
        given.min_by_key(|role| Role::ALL.iter().position(|known| known == role))
    }

    /// The scope of groups, where the provider has one.
    async fn group_scope(&self) -> Option<Scope> {
        let known = self.known.lock().await;
        let scopes = known.as_ref()?.1.scopes_supported()?;
        let asked = !self.terms.roles.is_empty();
        scopes
            .iter()
            .find(|scope| asked && scope.as_str() == "groups")
            .cloned()
    }

    async fn client(&self, anew: bool) -> Result<GroupClient, ProviderFault> {
        let metadata = self.metadata(anew).await?;
        let redirect = RedirectUrl::new(self.terms.redirect.clone())
            .map_err(|error| ProviderFault(format!("the address to come back to cannot be read: {error}")))?;
        let client = GroupClient::from_provider_metadata(
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

/// Sends a request of the library. One that changes nothing is repeated once.
async fn call(messenger: &Messenger, request: HttpRequest) -> Result<HttpResponse, FetchError> {
    let again = (request.method() == http::Method::GET).then(|| request.clone());
    match (messenger.exchange(request, MOST_ANSWER).await, again) {
        (Err(FetchError::Failed(_)), Some(again)) => messenger.exchange(again, MOST_ANSWER).await,
        (answer, _) => answer,
    }
}
