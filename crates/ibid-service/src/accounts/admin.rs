//! Administration: what an account with the role admin may do to others.

use super::links::one_time_link;
use super::password::NO_PASSWORD;
use super::sign_in::Member;
use crate::accounts::Accounts;
use crate::clock::{month_of, now_ms};
use crate::durable::revoke_key;
use crate::error::Error;
use crate::service_keys::ServiceKey;
use ibid_model::{AccountId, Email, OrganisationId, UsdMicros};
use ibid_store::{
    AccountAction, AccountRecord, Change, KeyName, LogEntry, NewAccount, OrganisationSpending, Role,
    ServiceKeyRecord, Spending, Store, StoreError,
};
use jiff::civil::Date;

/// The proof that a signed-in account has the role admin.
#[derive(Clone, Copy, Debug)]
pub struct Admin(pub(super) AccountId);

impl Member {
    /// Returns the proof that this account is an admin, if it is one.
    pub fn admin(&self) -> Option<Admin> {
        (self.role == Role::Admin).then_some(Admin(self.account))
    }
}

/// A person to invite.
#[derive(Clone, Debug)]
pub struct Invitation {
    /// The e-mail address.
    pub email: Email,
    pub credits: u32,
    pub role: Role,
}

/// A change of an account by an admin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PersonChange {
    /// Gives credits, or takes them if negative.
    Credits(i64),
    /// Sets the budget of a month; `None` for no bound.
    Budget(Option<UsdMicros>),
    /// Sets the role.
    Role(Role),
    /// Disables or enables the account.
    Disabled(bool),
}

#[derive(Clone, Debug)]
pub struct MonthlySpending {
    /// Its first day, in UTC.
    pub month: Date,
    pub accounts: Vec<Spending>,
    /// What runs of projects cost each organisation.
    pub organisations: Vec<OrganisationSpending>,
}

impl Accounts {
    /// Every account, ordered by address.
    pub async fn people(&self, _: &Admin) -> Result<Vec<AccountRecord>, Error> {
        Ok(self.db().call(|store| store.accounts()).await?)
    }

    /// An account and the latest entries of its log.
    pub async fn person(
        &self,
        _: &Admin,
        account: AccountId,
        most: u32,
    ) -> Result<(AccountRecord, Vec<LogEntry>), Error> {
        let found = self.db().call(move |store| {
            let log = store.account_log(Some(account), most)?;
            Ok(store.account_by_id(account)?.map(|record| (record, log)))
        });
        found.await?.ok_or(Error::NotFound)
    }

    /// Opens an account without a password.
    /// Returns its id and the token of the link that sets the password.
    ///
    /// # Errors
    /// [`Error::AddressTaken`]; [`Error::Store`]; no random bytes.
    pub async fn invite(&self, admin: &Admin, invitation: Invitation) -> Result<(AccountId, String), Error> {
        let (id, change) = (AccountId::random(), by(admin));
        let opened = self.db().call(move |store| {
            let account = NewAccount {
                id,
                email: &invitation.email,
                password: NO_PASSWORD,
                credits: invitation.credits,
                role: invitation.role,
            };
            store.open_account(&account, change.at)
        });
        match opened.await {
            Ok(()) => Ok((id, self.password_link(admin, id).await?)),
            Err(StoreError::Exists) => Err(Error::AddressTaken),
            Err(error) => Err(error.into()),
        }
    }

    /// Makes a link that sets the password of an account once.
    /// Returns its token. Earlier links end.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Store`]; no random bytes.
    pub async fn password_link(&self, admin: &Admin, account: AccountId) -> Result<String, Error> {
        let change = by(admin);
        let (token, link) = one_time_link(account, change.at)?;
        self.on_person(account, move |store| store.put_link(&link, change))
            .await?;
        Ok(token)
    }

    /// Changes an account.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Forbidden`] for the role and the state of the admin's own account;
    /// [`Error::LastAdmin`]; [`Error::AccountCreditExhausted`] for more credits than the account has; [`Error::Store`].
    pub async fn change_person(
        &self,
        admin: &Admin,
        account: AccountId,
        change: PersonChange,
    ) -> Result<(), Error> {
        let locks_out = matches!(change, PersonChange::Role(_) | PersonChange::Disabled(_));
        if locks_out && account == admin.0 {
            return Err(Error::Forbidden);
        }
        let author = by(admin);
        let changed = self.on_person(account, move |store| match change {
            PersonChange::Credits(amount) => store.move_credits(account, amount, author).map(drop),
            PersonChange::Budget(budget) => store.set_budget(account, budget.map(UsdMicros::get), author),
            PersonChange::Role(role) => store.set_role(account, role, author),
            PersonChange::Disabled(disabled) => store.set_disabled(account, disabled, author),
        });
        match changed.await {
            Err(Error::Store(StoreError::NoCredit)) => Err(Error::AccountCreditExhausted),
            Err(Error::Store(StoreError::LastAdmin)) => Err(Error::LastAdmin),
            changed => changed,
        }
    }

    /// Every service key, ordered by name.
    pub async fn service_keys(&self, _: &Admin) -> Result<Vec<ServiceKeyRecord>, Error> {
        Ok(self.db().call(|store| store.service_keys()).await?)
    }

    /// Makes a service key. `None` if the name is or was taken.
    ///
    /// # Errors
    /// [`Error::Store`]; no random bytes.
    pub async fn make_service_key(&self, admin: &Admin, name: KeyName) -> Result<Option<ServiceKey>, Error> {
        let (key, change) = (ServiceKey::random()?, by(admin));
        let (hash, account) = (key.hash(), admin.0);
        let made = self.db().call(move |store| {
            store.add_service_key(&name, &hash, change.at)?;
            store.log_account(account, AccountAction::KeyMade, change.at)
        });
        match made.await {
            Ok(()) => Ok(Some(key)),
            Err(StoreError::Exists) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Revokes a service key and cancels its holder's queued scans.
    /// Every process refuses the key after two seconds.
    ///
    /// # Errors
    /// [`Error::NotFound`] for an unknown or revoked key; [`Error::Store`].
    pub async fn revoke_service_key(&self, admin: &Admin, name: KeyName) -> Result<(), Error> {
        let (account, now) = (admin.0, now_ms());
        let revoked = self.db().call(move |store| {
            let revoked = revoke_key(store, &name, now)?.is_some();
            if revoked {
                store.log_account(account, AccountAction::KeyRevoked, now)?;
            }
            Ok(revoked)
        });
        revoked.await?.then_some(()).ok_or(Error::NotFound)
    }

    /// All accounts' spending in the current month and the `months` before it, the latest first.
    pub async fn spending(&self, _: &Admin, months: u8) -> Result<Vec<MonthlySpending>, Error> {
        let now = now_ms();
        let spent = self.db().call(move |store| {
            let spans = (0..=months).filter_map(|back| month_of(now, back));
            let month = |span: crate::clock::Month| {
                Ok(MonthlySpending {
                    month: span.first_day,
                    accounts: store.spending(span.from, span.until)?,
                    organisations: store.organisation_spending(span.from, span.until)?,
                })
            };
            spans.map(month).collect()
        });
        Ok(spent.await?)
    }

    /// Sets what runs may cost an organisation in a month. Without one it is the organisation that the admin manages, which is
    /// made where there is none.
    ///
    /// # Errors
    /// [`Error::NotFound`] for an unknown organisation, and for an admin who is a member of another; [`Error::Store`].
    pub async fn set_organisation_budget(
        &self,
        admin: &Admin,
        organisation: Option<OrganisationId>,
        budget: UsdMicros,
    ) -> Result<(), Error> {
        let (account, change) = (admin.0, by(admin));
        let set = self.db().call(move |store| {
            let organisation = match organisation {
                Some(organisation) => Some(organisation),
                None => {
                    let email = store.account_by_id(account)?.map(|account| account.email);
                    store.own_organisation(account, &email.unwrap_or_default(), change.at)?
                }
            };
            organisation.map_or(Ok(false), |organisation| {
                store.set_organisation_budget(organisation, budget.get(), change)
            })
        });
        set.await?.then_some(()).ok_or(Error::NotFound)
    }

    /// Works on an account that exists.
    pub(super) async fn on_person(
        &self,
        account: AccountId,
        work: impl FnOnce(&Store) -> Result<(), StoreError> + Send + 'static,
    ) -> Result<(), Error> {
        let done = self.db().call(move |store| match store.account_by_id(account)? {
            Some(_) => work(store).map(|()| true),
            None => Ok(false),
        });
        done.await?.then_some(()).ok_or(Error::NotFound)
    }
}

/// A change by an admin, now.
pub(super) fn by(admin: &Admin) -> Change {
    Change {
        at: now_ms(),
        by: Some(admin.0),
    }
}
