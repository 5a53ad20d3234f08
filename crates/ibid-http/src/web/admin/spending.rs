//! `GET /workspace/admin/spending`: the bills of scans by person and month.

use super::AdminBrowser;
use crate::problem::ApiError;
use actix_web::{HttpResponse, web};
use ibid_model::UsdMicros;
use ibid_service::{AccountRecord, MonthlySpending, Service, Spending};
use ibid_web::pages::{self, PersonSpending, SpendingPage};

/// Months before the current one.
const MONTHS: u8 = 5;

pub(crate) async fn spending(
    admin: AdminBrowser,
    service: web::Data<Service>,
) -> Result<HttpResponse, ApiError> {
    let people = service.accounts.people(&admin.admin).await?;
    let spent = service.accounts.spending(&admin.admin, MONTHS).await?;
    let months: Vec<_> = spent
        .iter()
        .map(|month| month.month.strftime("%Y-%m").to_string())
        .collect();
    let page = SpendingPage {
        months: &months,
        rows: &rows(&people, &spent),
    };
    admin.page(None, |frame| pages::admin_spending(frame, &page))
}

/// A row for each account, one for deleted accounts where they spent something, and the sum.
fn rows(people: &[AccountRecord], spent: &[MonthlySpending]) -> Vec<PersonSpending> {
    let by_month = |counts: &dyn Fn(&Spending) -> bool| {
        let month = |month: &MonthlySpending| {
            let of = month.accounts.iter().filter(|spending| counts(spending));
            of.fold((0, UsdMicros::ZERO), |(scans, cost), spending| {
                (scans + spending.scans, cost + UsdMicros::new(spending.cost))
            })
        };
        spent.iter().map(month).collect::<Vec<_>>()
    };
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
    rows.push(plain("All", by_month(&|_| true)));
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
