//! The endpoints and prices that pages and `llms.txt` list.

use ibid_model::contract::{Access, ROUTES, Route};
use ibid_model::{Offering, Skill};

/// Every route that integrators and agents may call, in reading order.
pub(crate) fn endpoints() -> impl Iterator<Item = &'static Route> {
    ROUTES.iter().copied().filter(|route| !route.purpose.is_empty())
}

pub(crate) fn paid() -> impl Iterator<Item = &'static Route> {
    endpoints().filter(|route| route.path.starts_with("/api/a2a/"))
}

/// "0.15", "free", "by skill", or "not sold here".
pub(crate) fn price_label(route: &Route, sold: Offering) -> String {
    match (route.skill, route.access) {
        (Some(skill), _) if sold.has(skill) => sold.price(skill).to_string(),
        (None, Access::Payment | Access::Proof) if !sold.is_nothing() => "by skill".to_owned(),
        (Some(_), _) | (None, Access::Payment | Access::Proof) => "not sold here".to_owned(),
        (None, Access::Open | Access::Bearer | Access::Session) => "free".to_owned(),
    }
}

/// The price list: the skills for sale, or every skill if the server sells no skill.
pub(crate) fn prices(sold: Offering) -> impl Iterator<Item = Skill> {
    sold.listed().skills()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_those_of_the_price_table() {
        let list: Vec<_> = paid()
            .map(|route| (route.listed_path(), price_label(route, Offering::EVERYTHING)))
            .collect();
        let expected = [
            ("/api/a2a/scan", "0.15"),
            ("/api/a2a/radius", "0.5"),
            ("/api/a2a/audit", "0.02"),
            ("/api/a2a/full", "0.6"),
            ("/api/a2a/watch", "0.15"),
            ("/api/a2a/scan/:id", "free"),
            ("/api/a2a/my-receipts", "0.000001"),
            ("/api/a2a/jsonrpc", "by skill"),
            ("/api/a2a/v1/message:send", "by skill"),
        ];
        assert_eq!(
            list,
            expected.map(|(path, price)| (path.to_owned(), price.to_owned()))
        );
    }

    #[test]
    fn skills_that_are_not_sold_have_no_price() {
        let labels = |sold| -> Vec<_> { paid().map(|route| price_label(route, sold)).collect() };
        let no = "not sold here";
        assert_eq!(
            labels(Offering::AUDITS),
            [no, no, "0.02", no, no, "free", "0.000001", "by skill", "by skill"]
        );
        assert_eq!(
            labels(Offering::NOTHING),
            [no, no, no, no, no, "free", no, no, no]
        );
        let listed = |sold| -> Vec<_> { prices(sold).collect() };
        assert_eq!(listed(Offering::AUDITS), [Skill::Audit, Skill::MyReceipts]);
        assert_eq!(listed(Offering::NOTHING), Skill::ALL);
    }
}
