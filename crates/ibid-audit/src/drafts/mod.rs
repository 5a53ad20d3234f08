//! Fixes that can be generated from the contents of the page.
//!
//! Changing one element is a check's `change`; a draft is longer.
//! A draft contains no invented data.
//! It leaves out a field that the page lacks and names it in the note.

pub(crate) mod head;
mod jsonld;
mod robots;

use crate::facts::Facts;
use ibid_model::result::{AuditCheck, AuditDraft, CheckStatus};

/// Returns drafts for the checks that did not pass.
///
/// Empty if the answer is not a page.
pub(crate) fn drafts(facts: &Facts<'_>, checks: &[AuditCheck]) -> Vec<AuditDraft> {
    let status = |id: &str| {
        checks
            .iter()
            .find(|check| check.id == id)
            .map(|check| check.status)
    };
    let misses = |id: &str| matches!(status(id), Some(CheckStatus::Warn | CheckStatus::Fail));
    let mut drafts = Vec::new();
    if misses("A2") || misses("A3") {
        drafts.extend(robots::patch(facts));
    }
    if status("C1") != Some(CheckStatus::Pass) {
        return drafts;
    }
    if status("E1") == Some(CheckStatus::Fail) {
        drafts.extend(jsonld::skeleton(facts));
    }
    drafts
}

/// A draft of one kind.
///
/// Its title begins with "Draft".
fn draft(check: &str, title: &str, target: &str, format: &str, content: String, note: &str) -> AuditDraft {
    AuditDraft {
        check: check.to_owned(),
        title: format!("Draft: {title}"),
        target: target.to_owned(),
        format: format.to_owned(),
        content,
        note: note.to_owned(),
    }
}
