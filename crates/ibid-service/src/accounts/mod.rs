//! Accounts of the workspace: signing in, and sessions.
//!
//! The operator opens accounts; there is no public sign-up.
//! The answer to a sign-in is the same, in words and in time,
//! for an unknown address, a wrong password and a disabled account.
//! A session's token is stored as a digest alone, so that a reader of the store cannot use the session.

mod admin;
mod attempts;
mod device;
mod export;
mod first_run;
mod guard;
mod handle;
mod links;
mod openid;
mod password;
mod privacy;
mod second_factor;
mod sign_in;
mod token;
mod totp;

pub use admin::{Admin, Invitation, MonthlySpending, PersonChange};
pub use attempts::network_of;
pub use device::{CodePass, DeviceToken, SharePass};
pub use export::AccountExport;
pub(crate) use first_run::FirstRun;
pub use first_run::{FirstAccount, FirstRunError};
pub(crate) use guard::SignInGuard;
pub use guard::SignInNote;
pub use handle::Accounts;
pub(crate) use links::{LINK_TIME, invited_account};
pub use links::{LinkError, LinkPassword, one_time_link};
pub use openid::{
    OpenId, OpenIdEnd, OpenIdError, OpenIdRefusal, OpenIdReturn, OpenIdTerms, ProviderFault, SignInTerms,
};
pub use password::{PasswordError, hash_password};
pub use second_factor::{CodeEntry, Enrolment, SecondStep};
pub use sign_in::{Member, SESSION_TIME, SignIn, SignInStep, SignedIn};
pub use token::SessionToken;
pub(crate) use token::random_text;
pub use totp::{code_at, time_step};
