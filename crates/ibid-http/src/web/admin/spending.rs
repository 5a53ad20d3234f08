//! `/workspace/admin/spending`: what projects and single scans cost by month, and what organisations may spend.

use super::{AdminBrowser, people};
use crate::extract::{Form, Posted};
use crate::problem::ApiError;
use crate::redirect::see_other;
use crate::respond::Answer;
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use ibid_model::UsdMicros;
use ibid_service::{AccountRecord, MonthlySpending, OrganisationSpending, Service, Spending};
use ibid_web::pages::{self, OrganisationBudget, PersonSpending, SpendingPage};

/// Months before the current one.
const MONTHS: u8 = 5;

pub(crate) async fn spending(
    admin: AdminBrowser,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    show(&admin, &service, None).await
}

/// `POST /workspace/admin/spending`: sets an organisation's budget, or without `organisation` that of the admin's own.
pub(crate) async fn set_budget(
    Posted(admin, Form(pairs), _, service): Posted<AdminBrowser, Form<4_096>>,
) -> Answer {
    let organisation = match pairs.text("organisation") {
        "" => None,
        id => Some(id.parse().map_err(|_| ApiError::NoSuchPath)?),
    };
    let Some(budget) = people::budget(pairs.text("dollars")).flatten() else {
        let why = "Nothing was changed: enter an amount in dollars, such as 25.";
        return show(&admin, &service, Some((StatusCode::BAD_REQUEST, why))).await;
    };
    let accounts = &service.accounts;
    accounts
        .set_organisation_budget(&admin.admin, organisation, budget)
        .await?;
    Ok(see_other(match organisation {
        None => "/workspace/projects",
        Some(_) => "/workspace/admin/spending",
    }))
}

async fn show(
    admin: &AdminBrowser,
    service: &Service,
    refused: Option<(StatusCode, &str)>,
) -> Result<HttpResponse, ApiError> {
    let people = service.accounts.people(&admin.admin).await?;
    let spent = service.accounts.spending(&admin.admin, MONTHS).await?;
    let months: Vec<_> = spent
        .iter()
        .map(|month| month.month.strftime("%Y-%m").to_string())
        .collect();
    let page = SpendingPage {
        months: &months,
        organisations: &organisations(&spent),
        rows: &rows(&people, &spent),
    };
    admin.page(refused, |frame| pages::admin_spending(frame, &page))
}

/// A row for each organisation. Every month has all of them.
fn organisations(spent: &[MonthlySpending]) -> Vec<OrganisationBudget> {
    let first = spent.first().map_or(&[][..], |month| &month.organisations);
    let row = |organisation: &OrganisationSpending| OrganisationBudget {
        id: organisation.id.to_string(),
        spending: PersonSpending {
            who: organisation.name.clone(),
            href: None,
            budget: Some(UsdMicros::new(organisation.budget)),
            months: sums(spent, |month| {
                let of = month.organisations.iter().filter(|one| one.id == organisation.id);
                of.map(|one| (one.runs, one.cost)).collect()
            }),
        },
    };
    first.iter().map(row).collect()
}

/// Counts what is chosen in each month, and what it cost.
fn sums(
    spent: &[MonthlySpending],
    chosen: impl Fn(&MonthlySpending) -> Vec<(u64, u64)>,
) -> Vec<(u64, UsdMicros)> {
    let sum = |month: &MonthlySpending| {
        let rows = chosen(month).into_iter();
        rows.fold((0, UsdMicros::ZERO), |(count, cost), row| {
            (count + row.0, cost + UsdMicros::new(row.1))
        })
    };
    spent.iter().map(sum).collect()
}

/// A row for each account, one for deleted accounts where they spent something, one for projects, and the sum.
fn rows(people: &[AccountRecord], spent: &[MonthlySpending]) -> Vec<PersonSpending> {
    let of_accounts = |month: &MonthlySpending, counts: &dyn Fn(&Spending) -> bool| {
        let of = month.accounts.iter().filter(|spending| counts(spending));
        of.map(|spending| (spending.scans, spending.cost))
            .collect::<Vec<_>>()
    };
    let of_projects = |month: &MonthlySpending| {
        let all = month.organisations.iter();
        all.map(|one| (one.runs, one.cost)).collect::<Vec<_>>()
    };
    let by_month = |counts: &dyn Fn(&Spending) -> bool| sums(spent, |month| of_accounts(month, counts));
    let mut rows: Vec<_> = people
        .iter()
        .map(|person| PersonSpending {
            who: person.email.clone(),
            href: Some(format!("/workspace/admin/people/{}", person.id)),
            budget: person.budget.map(UsdMicros::new),
            months: by_month(&|spending| spending.account == person.id),
        })
        .collect();
    let deleted = by_month(&|spending| people.iter().all(|person| person.id != spending.account));
    if deleted.iter().any(|(scans, _)| *scans > 0) {
        rows.push(plain("Deleted accounts", deleted));
    }
    rows.push(plain("Projects", sums(spent, of_projects)));
    let all = sums(spent, |month| {
        let mut rows = of_accounts(month, &|_| true);
        rows.extend(of_projects(month));
        rows
    });
    rows.push(plain("All", all));
    rows
}

fn plain(who: &str, months: Vec<(u64, UsdMicros)>) -> PersonSpending {
    PersonSpending {
        who: who.to_owned(),
        href: None,
        budget: None,
        months,
    }
}
