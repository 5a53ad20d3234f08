//! Checks the tables that projects have.

use super::Report;
use crate::settings::Settings;
use ibid_store::Store;

const TOPIC: &str = "projects";

pub(super) fn check(report: &mut Report, settings: &Settings) {
    report.stored(settings, TOPIC, check_all);
}

fn check_all(report: &mut Report, store: &Store) -> anyhow::Result<()> {
    let counts = store.project_counts()?;
    for (fault, rows) in store.project_faults()? {
        report.fault(TOPIC, format!("{rows} {fault}; restore a backup"));
    }
    if counts.failing > 0 {
        report.warn(
            TOPIC,
            format!(
                "the last run of {} failed: look at /workspace/projects",
                counts.failing
            ),
        );
    }
    if counts.without_budget > 0 {
        report.warn(
            TOPIC,
            format!(
                "{} cannot run: the budget of their organisation is $0; set it with ibid-server project budget",
                counts.without_budget
            ),
        );
    }
    report.good(
        TOPIC,
        format!(
            "{} active, {} paused, {} archived",
            counts.active, counts.paused, counts.archived
        ),
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::Verdict;
    use super::*;
    use ibid_model::{AccountId, Email, ProjectId, ScheduleId};
    use ibid_store::{NewAccount, NewProject, ProjectOrder, ProjectSubject, Role, ScheduleTerms, StoreUrl};

    #[test]
    fn a_project_without_a_budget_or_a_schedule_is_reported() {
        let store = std::sync::Arc::new(Store::open(&StoreUrl::Memory).unwrap());
        let email: Email = "ada@example.com".parse().unwrap();
        let account = NewAccount {
            id: AccountId::random(),
            email: &email,
            password: "x",
            credits: 0,
            role: Role::Member,
        };
        store.open_account(&account, 1).unwrap();
        let organisation = store.own_organisation(account.id, "Agency", 1).unwrap().unwrap();
        let id = ProjectId::random();
        let project = NewProject {
            organisation,
            name: "Client",
            subject: ProjectSubject {
                domain: "example.com",
                keyword: "plumber",
                place: None,
            },
            actor: "operator",
        };
        let order = ProjectOrder {
            project,
            terms: ScheduleTerms {
                name: "Client",
                document: "{}",
                recurrence: "{}",
                next_due: None,
                budget: None,
                credits: None,
                questions: None,
            },
            questions: None,
            parent: None,
            markets: &[],
        };
        assert!(store.add_project(id, &order, 9, 1).unwrap());
        let found = |store: &Store| -> Vec<(Verdict, String)> {
            let mut report = Report::default();
            check_all(&mut report, store).unwrap();
            let findings = report.findings.into_iter();
            findings.map(|(_, verdict, text)| (verdict, text)).collect()
        };
        let held = found(&store);
        assert!(
            held[0].0 == Verdict::Warning && held[0].1.contains("$0"),
            "{held:?}"
        );
        assert_eq!(held[1].1, "1 active, 0 paused, 0 archived");
        store.set_organisation_budget(organisation, 1, 1_i64).unwrap();
        assert_eq!(found(&store).len(), 1);
        store
            .delete_schedule(ScheduleId::from_bytes(*id.as_bytes()))
            .unwrap();
        let broken = found(&store);
        assert!(
            broken[0].0 == Verdict::Fault && broken[0].1.starts_with("1 projects without a schedule"),
            "{broken:?}"
        );
    }
}
