//! Everybody with an account: the list, invitations, and one person's page.

use super::AdminBrowser;
use crate::extract::{Form, Posted};
use crate::problem::ApiError;
use crate::redirect::see_other;
use crate::respond::Answer;
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use ibid_model::{AccountId, Email, UsdMicros};
use ibid_service::{Error, Invitation, PersonChange, Role, Service};
use ibid_web::pages::{self, PeoplePage, PersonLink, PersonPage};

/// Log entries on a person's page.
const LOG: u32 = 50;
/// The most credits that one form gives or takes.
const MOST_CREDITS: i64 = 1_000_000;

/// `GET /workspace/admin`: every account.
pub(crate) async fn list(admin: AdminBrowser, service: web::Data<Service>) -> Result<HttpResponse, ApiError> {
    show_list(&admin, &service, "", None, None).await
}

/// `POST /workspace/admin`: invites a person and shows the link.
pub(crate) async fn invite(
    Posted(admin, Form(pairs), _, service): Posted<AdminBrowser, Form<4_096>>,
) -> Answer {
    let (typed, credits) = (pairs.text("email"), pairs.text("credits"));
    let credits = if credits.is_empty() { "0" } else { credits };
    let read = typed.parse::<Email>().ok().zip(credits.parse::<u32>().ok());
    let role = pairs.text("role").parse::<Role>().ok();
    let Some(((email, credits), role)) = read.zip(role) else {
        let why = "No invitation was made: enter an e-mail address, a number of credits and a role.";
        return show_list(
            &admin,
            &service,
            typed,
            None,
            Some((StatusCode::BAD_REQUEST, why)),
        )
        .await;
    };
    let invitation = Invitation {
        email: email.clone(),
        credits: credits.min(1_000_000),
        role,
    };
    match service.accounts.invite(&admin.admin, invitation).await {
        Ok((_, token)) => {
            let url = link_url(&admin, &token);
            let link = PersonLink {
                email: email.as_str(),
                url: &url,
            };
            show_list(&admin, &service, "", Some(link), None).await
        }
        Err(Error::AddressTaken) => {
            let why = "No invitation was made: this address has an account already.";
            show_list(&admin, &service, typed, None, Some((StatusCode::CONFLICT, why))).await
        }
        Err(error) => Err(error.into()),
    }
}

/// `GET /workspace/admin/people/{id}`.
pub(crate) async fn person(
    admin: AdminBrowser,
    id: web::Path<String>,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    show_person(&admin, &service, parse_account(&id)?, None, None).await
}

/// `POST /workspace/admin/people/{id}/{change}`.
pub(crate) async fn change(
    Posted(admin, Form(pairs), path, service): Posted<AdminBrowser, Form<4_096>, (String, String)>,
) -> Answer {
    let (id, word) = path.into_inner();
    let account = parse_account(&id)?;
    let change = match word.as_str() {
        "link" => {
            let token = service.accounts.password_link(&admin.admin, account).await?;
            return show_person(&admin, &service, account, Some(&token), None).await;
        }
        "delete" => return delete(&admin, &service, account, pairs.text("email")).await,
        "two-step" => {
            service.accounts.reset_second_step(&admin.admin, account).await?;
            return Ok(see_other(&format!("/workspace/admin/people/{account}")));
        }
        "disable" => Some(PersonChange::Disabled(true)),
        "enable" => Some(PersonChange::Disabled(false)),
        "role" => pairs.text("role").parse().ok().map(PersonChange::Role),
        "budget" => budget(pairs.text("dollars")).map(PersonChange::Budget),
        "credits" => {
            let amount = pairs.text("amount").parse::<i64>().ok();
            let amount = amount.filter(|amount| amount.abs() <= MOST_CREDITS);
            amount.map(PersonChange::Credits)
        }
        _ => return Err(ApiError::NoSuchPath),
    };
    let Some(change) = change else {
        let why = "Nothing was changed: the entry cannot be read.";
        let refused = Some((StatusCode::BAD_REQUEST, why));
        return show_person(&admin, &service, account, None, refused).await;
    };
    match service
        .accounts
        .change_person(&admin.admin, account, change)
        .await
    {
        Ok(()) => Ok(see_other(&format!("/workspace/admin/people/{account}"))),
        Err(error @ (Error::AccountCreditExhausted | Error::LastAdmin)) => {
            let why = match error {
                Error::LastAdmin => {
                    "Nothing was changed: this is the last admin. Make another person an admin first."
                }
                _ => "Nothing was changed: the person has fewer credits than that.",
            };
            let refused = Some((StatusCode::CONFLICT, why));
            show_person(&admin, &service, account, None, refused).await
        }
        Err(error) => Err(error.into()),
    }
}

/// Deletes an account whose address was typed again.
async fn delete(
    admin: &AdminBrowser,
    service: &Service,
    account: AccountId,
    typed: &str,
) -> Result<HttpResponse, ApiError> {
    let found = service.accounts.person(&admin.admin, account, 0).await;
    let (person, _) = found.map_err(|_| ApiError::NoSuchPath)?;
    if !typed.eq_ignore_ascii_case(&person.email) {
        let why = "Nothing was deleted: the address is another one.";
        let refused = Some((StatusCode::BAD_REQUEST, why));
        return show_person(admin, service, account, None, refused).await;
    }
    service.accounts.delete_person(&admin.admin, account).await?;
    Ok(see_other("/workspace/admin"))
}

/// Parses a budget in dollars. An empty text means no budget.
pub(super) fn budget(dollars: &str) -> Option<Option<UsdMicros>> {
    if dollars.is_empty() {
        return Some(None);
    }
    let dollars = dollars.parse::<f64>().ok().filter(|dollars| *dollars <= 1e6)?;
    UsdMicros::from_dollars(dollars).map(Some)
}

/// Parses the id of an account. A malformed id is answered like an unknown one.
fn parse_account(id: &str) -> Result<AccountId, ApiError> {
    id.parse().map_err(|_| ApiError::NoSuchPath)
}

fn link_url(admin: &AdminBrowser, token: &str) -> String {
    let frame = admin.signed_in.browser.frame();
    format!("{}/set-password/{token}", frame.base_url)
}

async fn show_list(
    admin: &AdminBrowser,
    service: &Service,
    email: &str,
    link: Option<PersonLink<'_>>,
    refused: Option<(StatusCode, &str)>,
) -> Result<HttpResponse, ApiError> {
    let people = service.accounts.people(&admin.admin).await?;
    let page = PeoplePage {
        people: &people,
        link,
        email,
    };
    admin.page(refused, |frame| pages::admin_people(frame, &page))
}

async fn show_person(
    admin: &AdminBrowser,
    service: &Service,
    account: AccountId,
    token: Option<&str>,
    refused: Option<(StatusCode, &str)>,
) -> Result<HttpResponse, ApiError> {
    let found = service.accounts.person(&admin.admin, account, LOG).await;
    let (person, log) = found.map_err(|error| match error {
        Error::NotFound => ApiError::NoSuchPath,
        error => error.into(),
    })?;
    let url = token.map(|token| link_url(admin, token));
    let page = PersonPage {
        person: &person,
        is_self: person.id == admin.signed_in.member.account,
        link: url.as_deref().map(|url| PersonLink {
            email: &person.email,
            url,
        }),
        log: &log,
    };
    admin.page(refused, |frame| pages::admin_person(frame, &page))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_dollars_or_nothing() {
        assert_eq!(budget(""), Some(None));
        assert_eq!(budget("2.50"), Some(Some(UsdMicros::new(2_500_000))));
        assert_eq!(budget("0"), Some(Some(UsdMicros::ZERO)));
        for odd in ["x", "-1", "NaN", "inf", "1e9"] {
            assert_eq!(budget(odd), None, "{odd}");
        }
    }
}
