//! Changes of a project as a sheet.

use super::writer::Writer;

/// A change in the log of a project.
#[derive(Clone, Copy, Debug)]
pub struct ChangeRow<'a> {
    /// The time, as RFC 3339.
    pub at: &'a str,
    /// The person, key or operator.
    pub actor: &'a str,
    /// What was done.
    pub action: &'a str,
    /// What was changed, as JSON; empty without it.
    pub members: &'a str,
}

pub fn changes(rows: &[ChangeRow<'_>]) -> String {
    let mut writer = Writer::new();
    writer.head(&["at", "actor", "action", "members"]);
    for row in rows {
        writer.plain(row.at);
        writer.text(row.actor);
        writer.text(row.action);
        writer.text(row.members);
        writer.end();
    }
    writer.text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_is_never_a_formula() {
        let row = ChangeRow {
            at: "2026-11-26T09:00:00Z",
            actor: "=1+1",
            action: "rival_put",
            members: "{\"name\":\"a\"}",
        };
        let sheet = changes(&[row]);
        assert_eq!(
            sheet,
            "\u{feff}at,actor,action,members\r\n2026-11-26T09:00:00Z,\"'=1+1\",\"rival_put\",\"{\"\"name\"\":\"\"a\"\"}\"\r\n"
        );
    }
}
