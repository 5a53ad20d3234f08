//! The endpoints and prices that pages and `llms.txt` list.

use ibid_model::{Offering, Skill};

/// How a caller proves that it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Anybody.
    Open,
    /// Bearer key and, to scan, the caller's own provider key.
    Bearer,
    /// A payment.
    Payment,
    /// A payment of one atomic unit that is verified and never settled.
    Proof,
    /// A session of the workspace.
    Session,
}

/// One endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// HTTP method.
    pub method: &'static str,
    /// Path below the base address.
    pub path: &'static str,
    /// Who may call it.
    pub access: Access,
    /// What it does, in a phrase.
    pub purpose: &'static str,
    /// What is sold there; its price comes from the one price table.
    pub skill: Option<Skill>,
}

/// Every endpoint that integrators and agents may call, in reading order.
pub const ENDPOINTS: [Endpoint; 17] = {
    const fn endpoint(
        method: &'static str,
        path: &'static str,
        access: Access,
        purpose: &'static str,
        skill: Option<Skill>,
    ) -> Endpoint {
        Endpoint {
            method,
            path,
            access,
            purpose,
            skill,
        }
    }
    use Access::{Bearer, Open, Payment, Proof, Session};
    [
        endpoint(
            "POST",
            "/api/v1/scan",
            Bearer,
            "Run a scan, get the full result back",
            None,
        ),
        endpoint("GET", "/api/v1/scan/:id", Bearer, "Read a finished scan", None),
        endpoint(
            "GET",
            "/api/v1/scan/:id/answers",
            Bearer,
            "Read every question, answer and reading of a scan",
            None,
        ),
        endpoint(
            "GET",
            "/api/v1/scan/:id/rescored",
            Bearer,
            "Read a scan scored again with the method of today",
            None,
        ),
        endpoint(
            "GET",
            "/api/v1/scan/:id/compare/:other",
            Bearer,
            "Compare two scans: changed, within noise, or not comparable",
            None,
        ),
        endpoint("GET", "/api/v1/models", Open, "List the model aliases", None),
        endpoint(
            "POST",
            "/api/a2a/scan",
            Payment,
            "Citation scan for a domain and a keyword",
            Some(Skill::Scan),
        ),
        endpoint(
            "POST",
            "/api/a2a/radius",
            Payment,
            "Citation scan with rings around a place",
            Some(Skill::Radius),
        ),
        endpoint(
            "POST",
            "/api/a2a/audit",
            Payment,
            "Audit of a page for citability",
            Some(Skill::Audit),
        ),
        endpoint(
            "POST",
            "/api/a2a/full",
            Payment,
            "Scan, radius and audit in one",
            Some(Skill::Full),
        ),
        endpoint(
            "POST",
            "/api/a2a/watch",
            Payment,
            "The scan as Server-Sent Events",
            Some(Skill::Scan),
        ),
        endpoint(
            "GET",
            "/api/a2a/scan/:id",
            Open,
            "Read a bought scan; the id is the key to it",
            None,
        ),
        endpoint(
            "POST",
            "/api/a2a/my-receipts",
            Proof,
            "Your own purchases; verified, never settled",
            Some(Skill::MyReceipts),
        ),
        endpoint(
            "POST",
            "/api/a2a/jsonrpc",
            Payment,
            "The same skills over the agent-to-agent protocol 0.2",
            None,
        ),
        endpoint(
            "GET",
            "/.well-known/agent-card.json",
            Open,
            "The agent card",
            None,
        ),
        endpoint(
            "POST",
            "/api/app/scan",
            Session,
            "A scan of the workspace, for a credit",
            None,
        ),
        endpoint(
            "POST",
            "/api/app/plan",
            Session,
            "What such a scan would ask and cost",
            None,
        ),
    ]
};

impl Endpoint {
    /// "0.15", "free", "by skill", or "not sold here".
    #[must_use]
    pub fn price_label(&self, sold: Offering) -> String {
        match (self.skill, self.access) {
            (Some(skill), _) if sold.has(skill) => skill.price().to_string(),
            (None, Access::Payment | Access::Proof) if sold != Offering::Nothing => "by skill".to_owned(),
            (Some(_), _) | (None, Access::Payment | Access::Proof) => "not sold here".to_owned(),
            (None, Access::Open | Access::Bearer | Access::Session) => "free".to_owned(),
        }
    }
}

/// The endpoints of the paid surface.
pub(crate) fn paid() -> impl Iterator<Item = &'static Endpoint> {
    ENDPOINTS
        .iter()
        .filter(|endpoint| endpoint.path.starts_with("/api/a2a/"))
}

/// A row of the price list.
pub(crate) struct Price {
    pub(crate) skill: Skill,
    pub(crate) about: &'static str,
    pub(crate) amount: String,
}

/// The price list, from the one price table: what can be had, or, where nothing can, what there would be.
pub(crate) fn prices(sold: Offering) -> Vec<Price> {
    sold.listed()
        .skills()
        .map(|skill| Price {
            skill,
            about: match skill {
                Skill::Scan => "Which models cite a domain",
                Skill::Radius => "How far around a place they do",
                Skill::Audit => "How citable a page is",
                Skill::Full => "All three",
                Skill::MyReceipts => "Your purchases; never settled",
            },
            amount: skill.price().to_string(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_those_of_the_price_table() {
        let list: Vec<_> = paid()
            .map(|endpoint| (endpoint.path, endpoint.price_label(Offering::Everything)))
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
        ];
        assert_eq!(list, expected.map(|(path, price)| (path, price.to_owned())));
    }

    #[test]
    fn what_is_not_sold_has_no_price() {
        let labels = |sold| -> Vec<_> { paid().map(|endpoint| endpoint.price_label(sold)).collect() };
        let no = "not sold here";
        assert_eq!(
            labels(Offering::Audits),
            [no, no, "0.02", no, no, "free", "0.000001", "by skill"]
        );
        assert_eq!(labels(Offering::Nothing), [no, no, no, no, no, "free", no, no]);
        let listed = |sold| -> Vec<_> { prices(sold).into_iter().map(|price| price.skill).collect() };
        assert_eq!(listed(Offering::Audits), [Skill::Audit, Skill::MyReceipts]);
        assert_eq!(listed(Offering::Nothing), Skill::ALL);
    }
}
