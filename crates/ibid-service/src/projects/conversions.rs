//! Times, changes and faults in the forms that projects take.

pub(super) use crate::clock::at;
use crate::clock::now_ms;
use crate::error::Error;
use crate::schedules::month_began;
use ibid_model::{AccountId, Fault, FaultCode, Faults};
use ibid_store::{ProjectChange, ProjectReader};
use jiff::Timestamp;
use sha2::{Digest, Sha256};

/// A change that is made now.
pub(crate) fn change<'a>(action: &'a str, members: &'a str) -> ProjectChange<'a> {
    ProjectChange {
        action,
        members,
        at: now_ms(),
    }
}

/// An id that follows from these parts, so that every process and every repetition makes the same one.
pub(crate) fn id_of(parts: &[&[u8]]) -> [u8; 16] {
    let mut hash = Sha256::new();
    parts.iter().for_each(|part| hash.update(part));
    let mut id = [0; 16];
    id.copy_from_slice(&hash.finalize()[..16]);
    id
}

/// Returns when the UTC month began, because spending counts from there.
pub(crate) fn this_month() -> i64 {
    month_began(Timestamp::now())
}

/// Moves faults from `/order/domain` to `/domain`, since a project has the members of its order itself.
pub(super) fn at_the_root(faults: &Faults) -> Faults {
    let mut moved = Faults::default();
    for Fault {
        field, code, message, ..
    } in faults.iter()
    {
        let field = field.strip_prefix("/order").unwrap_or(field);
        let message = message.strip_prefix("order: ").unwrap_or(message);
        moved.push(field.to_owned(), *code, message.to_owned());
    }
    moved
}

pub(super) const fn account_of(reader: ProjectReader) -> Option<AccountId> {
    match reader {
        ProjectReader::Account(account) => Some(account),
        ProjectReader::Key(_) => None,
    }
}

/// Says that a project has no room for another part. `parts` names them and what ends one, for example "keys: revoke".
pub(super) fn full(most: u32, parts: &str) -> Error {
    let message = format!("a project has at most {most} {parts} one first");
    Error::fault("", FaultCode::OutOfRange, message)
}
