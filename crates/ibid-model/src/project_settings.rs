//! What people set of a project and no query looks for.

use crate::{Domain, Email, Faults, Title};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// What people set of a project. A setting is a member here: the store keeps it, the API reads, writes and describes it, and a
/// field of its name on the page of the settings changes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct ProjectSettings {
    /// The name of the sender of its mails; `null` for that of the server.
    pub sender_name: Option<Title>,
    /// The address for answers to its mails; `null` for that of the server.
    pub reply_to: Option<Email>,
    /// What came of sites that answers cite without the website: `asked` or `done`; those left out are open.
    pub outreach: Option<BTreeMap<String, OutreachState>>,
}

/// What came of a site that was to name the website.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutreachState {
    /// Someone asked there.
    Asked,
    /// It names the website, or nothing more is to be done.
    Done,
}

impl ProjectSettings {
    /// Takes the members that are settings out of a body, and returns the settings with them; `None` if there is none. A member
    /// that is missing stays as it is; `null` or an empty text ends a setting.
    ///
    /// # Errors
    /// A fault for each member that cannot be used.
    pub fn changed(&self, body: &mut Map<String, Value>) -> Result<Option<Self>, Faults> {
        let (mut changed, mut faults) = (None, Faults::default());
        let mut members = json!(self).as_object().cloned().unwrap_or_default();
        for name in members.keys().cloned().collect::<Vec<_>>() {
            let Some(value) = body.remove(&name) else {
                continue;
            };
            let ends = value.as_str().is_some_and(|text| text.trim().is_empty());
            let before = members.insert(name.clone(), if ends { Value::Null } else { value });
            let read = serde_json::from_value::<Self>(json!(members)).map_err(|why| why.to_string());
            match read.and_then(Self::checked) {
                Ok(settings) => changed = Some(settings),
                Err(why) => {
                    faults.invalid(format!("/{name}"), format!("{name}: {why}"));
                    members.extend(before.map(|value| (name, value)));
                }
            }
        }
        faults.into_result(changed)
    }

    /// What is stored stays, however it came there; what is typed keeps the rules of today.
    fn checked(self) -> Result<Self, String> {
        let is_address = |name: &Title| name.as_str().contains(['@', '\u{ff20}', '\u{fe6b}']);
        if self.sender_name.as_ref().is_some_and(is_address) {
            return Err("must be a name, not an address".to_owned());
        }
        let parsed = self
            .reply_to
            .as_ref()
            .map(|address| address.as_str().parse::<Email>());
        parsed.transpose().map_err(|why| why.to_string())?;
        let sites = || self.outreach.iter().flatten();
        if sites().count() > 500 || sites().any(|(site, _)| site.parse::<Domain>().is_err()) {
            return Err("must have at most 500 sites, each a domain".to_owned());
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(before: &ProjectSettings, body: &Value) -> Result<Option<ProjectSettings>, Vec<String>> {
        let changed = before.changed(&mut body.as_object().unwrap().clone());
        changed.map_err(|faults| faults.iter().map(|fault| fault.field.clone()).collect())
    }

    #[test]
    fn every_member_is_a_setting_by_itself() {
        let none = ProjectSettings::default();
        assert_eq!(changed(&none, &json!({"name": "Kept"})), Ok(None));
        let both = json!({"senderName": " Agentur  Größe ", "replyTo": "Us@Agency.example"});
        let both = changed(&none, &both).unwrap().unwrap();
        assert_eq!(
            json!(both),
            json!({"senderName": "Agentur Größe", "replyTo": "us@agency.example", "outreach": null})
        );
        for end in [json!({"senderName": null}), json!({"senderName": " "})] {
            let one = changed(&both, &end).unwrap().unwrap();
            assert_eq!((one.sender_name, &one.reply_to), (None, &both.reply_to));
        }
        for wrong in [
            json!({"senderName": "us@agency.example"}),
            json!({"replyTo": "us@localhost"}),
            json!({"outreach": {"no domain": "asked"}}),
            json!({"outreach": {"yelp.com": "lost"}}),
        ] {
            assert!(changed(&none, &wrong).is_err(), "{wrong}");
        }
        let wrong = json!({"senderName": "A\r\nBcc: x@y.example", "replyTo": 3});
        assert_eq!(
            changed(&both, &wrong),
            Err(vec!["/replyTo".to_owned(), "/senderName".to_owned()])
        );
    }

    #[test]
    fn settings_of_an_earlier_and_of_a_later_program_are_read() {
        for text in ["{}", r#"{"later": 1}"#, r#"{"replyTo": null}"#] {
            let read: ProjectSettings = serde_json::from_str(text).unwrap();
            assert_eq!(read, ProjectSettings::default(), "{text}");
        }
    }
}
