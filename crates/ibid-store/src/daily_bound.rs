//! What one may make in a day, where others bear the cost: the table that `doctor` prints, with the reason for each number.
//!
//! An organisation has at most a quarter of the server's room. The server's last half is for organisations that used none today.

use crate::{DailyRoom, Millis};

#[derive(Clone, Copy, Debug)]
pub struct DailyBound {
    pub what: &'static str,
    /// Log entries that count and are refused without room, such as `project_made`; empty where others count. What is deleted keeps its
    /// entry, so it gives no room back.
    pub(crate) actions: [&'static str; 2],
    pub room: DailyRoom,
    pub reason: &'static str,
}

/// A day, in which what was made counts.
pub(crate) const DAY: Millis = 86_400_000;

/// Mails to addresses that nobody has confirmed yet.
pub static CONFIRMATIONS: DailyBound = DailyBound {
    what: "mails that ask to confirm an address",
    actions: [""; 2],
    room: DailyRoom {
        person: 40,
        organisation: 50,
        server: 200,
    },
    reason: "an agency adds the readers of forty clients in a day; more to strangers puts a mail server on lists of spam",
};
/// Those of them that go to one address.
pub static CONFIRMATIONS_TO_ONE: DailyBound = DailyBound {
    what: "of them to one address",
    actions: [""; 2],
    room: DailyRoom {
        person: 3,
        organisation: 3,
        server: 12,
    },
    reason: "a mail may be lost twice; a stranger is not written to all day, and one organisation leaves room for others",
};

/// Invitations to projects, which open accounts.
pub static INVITATIONS: DailyBound = DailyBound {
    what: "invitations to projects",
    actions: [""; 2],
    room: DailyRoom {
        person: 20,
        organisation: 50,
        server: 200,
    },
    reason: "a person fills a project and an organisation takes on a team in a day; nobody opens accounts by the hundred",
};

/// What the log of projects counts by itself.
static MADE: [DailyBound; 3] = [
    DailyBound {
        what: "projects",
        actions: ["project_made", "project_imported"],
        room: DailyRoom {
            person: 200,
            organisation: 200,
            server: 800,
        },
        reason: "an agency moves in with all its clients in a day; more than it may have at once is a loop",
    },
    DailyBound {
        what: "keys of organisations, projects and feeds",
        actions: ["key_made", "feed_key_made"],
        room: DailyRoom {
            person: 400,
            organisation: 400,
            server: 1_600,
        },
        reason: "each project of an agency gets one for its program and one for its spreadsheet in a day",
    },
    DailyBound {
        what: "reports",
        actions: ["report_made", ""],
        room: DailyRoom {
            person: 400,
            organisation: 400,
            server: 1_600,
        },
        reason: "an agency makes a report of each client twice in a day; each holds the answers of a run",
    },
];

impl DailyBound {
    /// Every bound.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        [&CONFIRMATIONS, &CONFIRMATIONS_TO_ONE, &INVITATIONS]
            .into_iter()
            .chain(&MADE)
    }

    /// Finds the bound that the log of projects holds for an action.
    pub(crate) fn of(action: &str) -> Option<&'static Self> {
        MADE.iter().find(|bound| bound.actions.contains(&action))
    }
}

impl std::fmt::Display for DailyBound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let DailyRoom {
            person,
            organisation,
            server,
        } = self.room;
        write!(
            f,
            "{}: {person} a person, {organisation} an organisation, {server} the server in a day: {}",
            self.what, self.reason
        )
    }
}

#[cfg(all(test, feature = "sqlite"))]
mod tests {
    use super::*;
    use crate::sql::note_of_any;
    use crate::{ProjectChange, Store, StoreError};
    use ibid_model::OrganisationId;

    #[test]
    fn what_the_log_notes_is_bounded_for_person_organisation_and_server() {
        let store = Store::in_memory().unwrap();
        let [one, two, three, four] = [1, 2, 3, 4].map(|number| OrganisationId::from_bytes([number; 16]));
        let make = |organisation, actor: &str, action, at| {
            let change = ProjectChange {
                action,
                members: "{}",
                at,
            };
            note_of_any(&store, organisation, actor, change)
        };
        let refused = |made| matches!(made, Err(StoreError::DailyBound("projects")));
        for number in 0..200 {
            let action = ["project_made", "project_imported"][number % 2];
            make(one, "account a", action, DAY).unwrap();
        }
        assert!(refused(make(one, "account a", "project_made", DAY)));
        assert!(refused(make(one, "key b", "project_made", 2 * DAY)));
        // The service itself, another kind of thing, and the day after have room.
        make(one, "ibid", "project_made", DAY).unwrap();
        make(one, "account a", "key_made", DAY).unwrap();
        make(one, "account a", "project_made", 2 * DAY + 1).unwrap();
        let made = (0..200).take_while(|_| make(two, "account c", "project_made", DAY).is_ok());
        // The half that is left is for those who used none.
        assert!((195..200).contains(&made.count()));
        make(three, "account d", "project_made", DAY).unwrap();
        assert!(refused(make(three, "account d", "project_made", DAY)));
        make(four, "account e", "project_made", DAY).unwrap();
        assert!(DailyBound::all().all(|bound| bound.room.organisation <= bound.room.server / 4));
    }
}
