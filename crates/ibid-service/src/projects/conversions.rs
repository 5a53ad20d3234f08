//! Times, changes and faults in the forms that projects take.

pub(super) use crate::clock::at;
use crate::clock::now_ms;
use crate::schedules::month_began;
use ibid_model::{Fault, Faults};
use ibid_store::ProjectChange;
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
