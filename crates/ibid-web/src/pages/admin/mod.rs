//! Administration: people, service keys, open scans, spending and health.
//! Only accounts with the role admin see these pages.

mod health;
mod keys;
mod people;
mod scans;
mod spending;

pub use health::{HealthFact, HealthPage, admin_health};
pub use keys::{KeysPage, admin_keys};
pub use people::{PeoplePage, PersonLink, PersonPage, admin_people, admin_person};
pub use scans::{OpenScansPage, admin_scans};
pub use spending::{OrganisationBudget, PersonSpending, SpendingPage, admin_spending};

/// Pages of the administration: path and label.
pub(crate) const PAGES: [(&str, &str); 5] = [
    ("/workspace/admin", "People"),
    ("/workspace/admin/keys", "Service keys"),
    ("/workspace/admin/scans", "Open scans"),
    ("/workspace/admin/spending", "Spending"),
    ("/workspace/admin/health", "Health"),
];

/// The roles as forms name them: word and explanation.
pub(crate) const ROLES: [(&str, &str); 3] = [
    ("member", "Member: scans and audits"),
    ("viewer", "Viewer: reads only"),
    ("admin", "Admin: also manages people, keys and budgets"),
];
