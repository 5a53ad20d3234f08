//! From a person of the provider to an account.

use super::super::attempts::Attempt;
use super::super::device::{CodePass, DeviceToken};
use super::super::guard::SignInNote;
use super::super::password::NO_PASSWORD;
use super::super::sign_in::{Member, SignInStep};
use super::super::token::SessionToken;
use super::claims::listed;
use super::pass;
use super::provider::{Flow, OpenId, Person, ProviderFault};
use crate::accounts::{Accounts, Admin};
use crate::clock::now_ms;
use crate::error::Error;
use ibid_model::AccountId;
use ibid_store::{AccountRecord, Identity, NewAccount, StoreError};
use serde::Deserialize;
use serde_json::json;
use std::net::IpAddr;

/// Purposes that are signed into passes, so that one is not taken for the other.
const FLOW: &str = "flow";
const JOIN: &str = "join";

/// A browser that comes back from the provider.
#[derive(Debug)]
pub struct OpenIdReturn {
    /// The code, or the error that the provider names.
    pub code: Result<String, String>,
    pub state: String,
    pub pass: Option<String>,
    pub address: IpAddr,
    /// The session that the browser has; it ends with the sign-in.
    pub replaces: Option<SessionToken>,
    /// Its cookie from an earlier sign-in.
    pub device: Option<DeviceToken>,
}

/// How a sign-in by the provider ends.
#[derive(Debug)]
pub enum OpenIdEnd {
    /// The account is signed in, or asks for a code.
    Step(SignInStep),
    /// An account has the address of the person. Who is signed in to it may join both with this pass.
    Join(String),
}

/// Why a sign-in by the provider failed.
#[derive(Debug, thiserror::Error)]
pub enum OpenIdError {
    /// No provider is configured.
    #[error("there is no provider")]
    NoProvider,
    /// This browser began no such sign-in, or began it too long ago, or the provider or the person ended it.
    #[error("the sign-in was not finished")]
    Unfinished,
    /// The person is known and may not sign in.
    #[error("the sign-in is refused: {0:?}")]
    Refused(OpenIdRefusal),
    /// The provider cannot be used.
    #[error("the provider failed")]
    Provider(#[from] ProviderFault),
    /// Everything else.
    #[error(transparent)]
    Failed(#[from] Error),
}

impl From<StoreError> for OpenIdError {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.into())
    }
}

/// Why a person may not sign in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenIdRefusal {
    /// No group of the person has a role.
    NoRole,
    /// The provider does not say which groups the person is in.
    NoGroups,
    /// The provider has not verified the address.
    Unverified,
    /// No account has the address.
    NoAccount,
    /// The account is disabled.
    Disabled,
}

/// What the browser keeps while its person is at the provider.
#[derive(Deserialize)]
struct Begun {
    #[serde(flatten)]
    flow: Flow,
    next: Option<String>,
}

/// What the browser keeps for a person whose address has an account.
#[derive(Deserialize)]
struct Joining {
    issuer: String,
    subject: String,
    email: String,
}

impl Accounts {
    /// Whether people sign in with passwords.
    pub fn takes_passwords(&self) -> bool {
        self.sign_ins.terms.passwords
    }

    pub fn openid_host(&self) -> Option<&str> {
        self.sign_ins.terms.openid.as_ref().map(OpenId::host)
    }

    fn openid(&self) -> Result<&OpenId, OpenIdError> {
        self.sign_ins.terms.openid.as_ref().ok_or(OpenIdError::NoProvider)
    }

    /// Begins a sign-in by the provider. Returns the address there, and the pass that the browser keeps.
    pub async fn begin_openid(&self, next: Option<&str>) -> Result<(String, String), OpenIdError> {
        let begun = self.openid()?.begin().await;
        let (address, flow) = begun.inspect_err(|fault| self.note(fault.to_string()))?;
        let mut document = json!(flow);
        document["next"] = json!(next);
        let secret = self.device_secret().await?;
        Ok((address, pass::seal(&secret, FLOW, document, now_ms())?))
    }

    /// Signs in who comes back from the provider. Returns also the path that was asked for at the beginning.
    pub async fn finish_openid(
        &self,
        returned: OpenIdReturn,
    ) -> Result<(OpenIdEnd, Option<String>), OpenIdError> {
        let secret = self.device_secret().await?;
        let begun = returned.pass.as_deref();
        let begun = begun.and_then(|text| pass::open::<Begun>(&secret, FLOW, text, now_ms()));
        let begun = begun.filter(|begun| begun.flow.state == returned.state);
        let Some(begun) = begun else {
            tracing::info!("sign_in.provider.unknown_return");
            return Err(OpenIdError::Unfinished);
        };
        let code = returned.code.map_err(|error| {
            let error = listed([error.as_str()].into_iter());
            tracing::warn!(error, "sign_in.provider.ended");
            self.note(format!("the provider ended a sign-in: {error}"));
            OpenIdError::Unfinished
        })?;
        let counted = Attempt::of_provider(returned.address);
        self.count_attempt(&counted).await?;
        let outcome = async {
            let person = self.openid()?.finish(code, begun.flow).await;
            let person = person.inspect_err(|fault| self.note(fault.to_string()))?;
            self.enter(person, returned.device, returned.replaces, &secret)
                .await
        };
        let outcome = outcome.await;
        self.note_sign_in(&match &outcome {
            Ok(_) => Ok(()),
            Err(OpenIdError::Refused(_) | OpenIdError::Unfinished | OpenIdError::Provider(_)) => {
                Err(Error::SignInRefused)
            }
            Err(OpenIdError::NoProvider | OpenIdError::Failed(_)) => Err(Error::Ended),
        });
        let end = outcome?;
        self.count_success(&counted).await?;
        Ok((end, begun.next))
    }

    async fn enter(
        &self,
        person: Person,
        device: Option<DeviceToken>,
        replaces: Option<SessionToken>,
        secret: &[u8; 32],
    ) -> Result<OpenIdEnd, OpenIdError> {
        let openid = self.openid()?;
        let (terms, claims) = (&openid.terms, &person.claims);
        let refuse = |refusal, why: &str| {
            let who = claims.person();
            tracing::warn!(person = who, why, "sign_in.provider.refused");
            self.note(format!("{who} was refused: {why}"));
            OpenIdError::Refused(refusal)
        };
        let decides = !terms.roles.is_empty();
        // Only groups that were read change a role.
        let groups = decides.then(|| claims.groups(terms));
        let role = match &groups {
            Some(Ok(groups)) => openid.role(groups),
            Some(Err(_)) | None => None,
        };
        let identity = person.identity.clone();
        let joined = self.db().call(move |store| store.account_of(&identity)).await?;
        if let (Some(record), Some(Ok(_))) = (&joined, &groups) {
            let account = record.id;
            self.db()
                .call(move |store| store.set_role_of_groups(account, role, now_ms()))
                .await?;
        }
        if let (Some(Ok(groups)), None) = (&groups, role) {
            let names = listed(groups.iter().map(String::as_str));
            let why = format!(
                "no group of {} has a role in OIDC_ROLES: {names}",
                terms.groups_claim
            );
            return Err(refuse(OpenIdRefusal::NoRole, &why));
        }
        if let Some(record) = joined {
            if record.disabled {
                self.log_refusal(record.id);
                return Err(refuse(OpenIdRefusal::Disabled, "the account is disabled"));
            }
            if let Some(Err(why)) = &groups {
                let who = claims.person();
                tracing::warn!(person = who, why, "sign_in.provider.role_kept");
                self.note(format!(
                    "{who} signed in and keeps the role {}: {why}",
                    record.role.as_str()
                ));
            }
            return self.open(record, device, replaces, secret).await;
        }
        let email = claims.email(terms);
        let email = email.map_err(|why| refuse(OpenIdRefusal::Unverified, &why))?;
        let address = email.clone();
        let known = self.db().call(move |store| store.account(&address)).await?;
        if let Some(record) = known {
            let is_unused = record.signed_in_at.is_none() && record.password == NO_PASSWORD;
            if is_unused && !record.disabled {
                // An invitation opened the account, nobody was ever in it, and the provider knows whose address it is.
                let (identity, account, decided) = (
                    person.identity,
                    record.id,
                    groups.is_some_and(|read| read.is_ok()),
                );
                let joined = self.db().call(move |store| {
                    store.join_identity(&identity, account, now_ms().into())?;
                    match decided {
                        true => store.set_role_of_groups(account, role, now_ms()),
                        false => Ok(()),
                    }
                });
                joined.await?;
                return self.open(record, device, replaces, secret).await;
            }
            let Identity { issuer, subject } = person.identity;
            let document = json!({"issuer": issuer, "subject": subject, "email": email.as_str()});
            return Ok(OpenIdEnd::Join(pass::seal(secret, JOIN, document, now_ms())?));
        }
        if let Some(Err(why)) = &groups {
            return Err(refuse(OpenIdRefusal::NoGroups, why));
        }
        let role =
            role.ok_or_else(|| refuse(OpenIdRefusal::NoAccount, "no account has the address; invite it"))?;
        let (id, identity) = (AccountId::random(), person.identity);
        let opened = self.db().call(move |store| {
            let account = NewAccount {
                id,
                email: &email,
                password: NO_PASSWORD,
                credits: 0,
                role,
            };
            store.open_account_of(&identity, &account, now_ms())?;
            store.account_by_id(id)
        });
        match opened.await? {
            Some(record) => self.open(record, device, replaces, secret).await,
            // It was deleted at this moment.
            None => Err(OpenIdError::Refused(OpenIdRefusal::Disabled)),
        }
    }

    async fn open(
        &self,
        record: AccountRecord,
        device: Option<DeviceToken>,
        replaces: Option<SessionToken>,
        secret: &[u8; 32],
    ) -> Result<OpenIdEnd, OpenIdError> {
        if record.second_factor {
            let pass = CodePass::new(secret, record.id, &record.password, now_ms())?;
            return Ok(OpenIdEnd::Step(SignInStep::Code(pass)));
        }
        let device = device.filter(|device| device.is_of(secret, record.id));
        let signed_in = self.open_session(record.id, device, replaces, secret).await?;
        Ok(OpenIdEnd::Step(SignInStep::SignedIn(signed_in)))
    }

    fn note(&self, text: String) {
        let at = now_ms();
        self.sign_ins.note(SignInNote { at, text });
    }

    /// What happened at sign-ins by the provider since this process started, the newest first.
    pub fn sign_in_notes(&self, _: &Admin) -> Vec<SignInNote> {
        self.sign_ins.notes()
    }

    /// Whether a pass would join its person to the account of a member.
    pub async fn may_join(&self, member: &Member, pass: &str) -> Result<bool, Error> {
        Ok(self.joining(member, pass).await?.is_some())
    }

    /// Joins the person whom a pass names to the account of a member, who has confirmed it.
    /// Returns whether the pass is for this account and still valid.
    ///
    /// # Errors
    /// [`Error::Forbidden`] if the person has joined an account; [`Error::Store`].
    pub async fn join_openid(&self, member: &Member, pass: &str) -> Result<bool, Error> {
        let Some(identity) = self.joining(member, pass).await? else {
            return Ok(false);
        };
        let account = member.account;
        let joined = self
            .db()
            .call(move |store| store.join_identity(&identity, account, now_ms().into()));
        match joined.await {
            Ok(()) => Ok(true),
            Err(StoreError::Exists) => Err(Error::Forbidden),
            Err(error) => Err(error.into()),
        }
    }

    async fn joining(&self, member: &Member, pass: &str) -> Result<Option<Identity>, Error> {
        let secret = self.device_secret().await?;
        let joining = pass::open::<Joining>(&secret, JOIN, pass, now_ms());
        let own = joining.filter(|joining| joining.email == member.email);
        Ok(own.map(|joining| Identity {
            issuer: joining.issuer,
            subject: joining.subject,
        }))
    }

    /// Whether a person of the provider has joined the account.
    pub async fn has_joined(&self, account: AccountId) -> Result<bool, Error> {
        let found = self.db().call(move |store| store.identities(account)).await?;
        Ok(!found.is_empty())
    }

    /// Takes the persons of the provider from an account.
    pub async fn part_openid(&self, account: AccountId) -> Result<(), Error> {
        let parted = self
            .db()
            .call(move |store| store.part_identities(account, now_ms().into()));
        parted.await?;
        Ok(())
    }
}
