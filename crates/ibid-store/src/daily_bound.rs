//! What one may make in a day, where others bear the cost: the table that `doctor` prints, with the reason for each number.
//!
//! An organisation has at most a quarter of the server's room, and the last half of that is for organisations that used none today.

use ibid_store::DailyRoom;

/// A bound of a day.
#[derive(Clone, Copy, Debug)]
pub struct DailyBound {
    pub what: &'static str,
    pub room: DailyRoom,
    pub reason: &'static str,
}

/// Mails to addresses that nobody has confirmed yet.
pub(crate) static CONFIRMATIONS: DailyBound = DailyBound {
    what: "mails that ask to confirm an address",
    room: DailyRoom {
        person: 40,
        organisation: 50,
        server: 200,
    },
    reason: "an agency adds the readers of forty clients in a day; more to strangers puts a mail server on lists of spam",
};
/// Those of them that go to one address.
pub(crate) static CONFIRMATIONS_TO_ONE: DailyBound = DailyBound {
    what: "of them to one address",
    room: DailyRoom {
        person: 3,
        organisation: 3,
        server: 12,
    },
    reason: "a mail may be lost twice; a stranger is not written to all day, and one organisation leaves room for others",
};

/// Invitations to projects, which open accounts.
pub(crate) static INVITATIONS: DailyBound = DailyBound {
    what: "invitations to projects",
    room: DailyRoom {
        person: 20,
        organisation: 50,
        server: 200,
    },
    reason: "a person fills a project and an organisation takes on a team in a day; nobody opens accounts by the hundred",
};

impl DailyBound {
    /// Every bound.
    pub fn all() -> [&'static Self; 3] {
        [&CONFIRMATIONS, &CONFIRMATIONS_TO_ONE, &INVITATIONS]
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
