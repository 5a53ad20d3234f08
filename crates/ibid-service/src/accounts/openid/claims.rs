//! What a provider says about a person: the claims in the ID token, completed by the user information.
//!
//! Providers differ in what they send. A claim that is missing or cannot be read is no answer: nothing follows from it but
//! a sentence for the admins, with the names of what came.

use super::provider::OpenIdTerms;
use ibid_model::Email;
use serde_json::{Map, Value};

/// Two documents about one person.
pub(super) struct Claims {
    pub(super) token: Map<String, Value>,
    /// The user information, or why there is none.
    pub(super) info: Result<Map<String, Value>, String>,
}

impl Claims {
    fn documents(&self) -> impl Iterator<Item = &Map<String, Value>> {
        std::iter::once(&self.token).chain(self.info.as_ref().ok())
    }

    /// Names the person in sentences for admins: by the address if it came, otherwise by another name or the subject.
    pub(super) fn person(&self) -> String {
        let known = ["email", "preferred_username", "sub"];
        let name = known.iter().find_map(|name| self.text(name));
        listed(name.into_iter())
    }

    /// The address, which the provider has verified.
    ///
    /// # Errors
    /// The sentence that names what is missing.
    pub(super) fn email(&self, terms: &OpenIdTerms) -> Result<Email, String> {
        let of_name = || {
            let names = ["preferred_username", "upn"].iter();
            names
                .filter_map(|name| self.text(name))
                .find(|name| is_email(name))
        };
        let found = self.text("email");
        let found = found.or_else(|| terms.emails_verified.then(of_name).flatten());
        let email = found.ok_or_else(|| self.missing("email"))?;
        let mut said = self.documents().filter(|document| {
            let own = document.get("email").and_then(Value::as_str);
            own.is_none_or(|own| own.eq_ignore_ascii_case(email))
        });
        match said.find_map(|document| truth(document.get("email_verified")?)) {
            Some(true) => {}
            Some(false) => return Err("the claim email_verified is false".to_owned()),
            None if terms.emails_verified => {}
            None => {
                return Err(format!(
                    "{}; where an admin of yours gives every address of this issuer, set OIDC_EMAILS_VERIFIED=on",
                    self.missing("email_verified")
                ));
            }
        }
        email
            .parse()
            .map_err(|_| format!("the claim email is no address: {}", listed([email].into_iter())))
    }

    /// Reads which groups the person is in.
    ///
    /// # Errors
    /// The sentence that says why the provider does not name them.
    pub(super) fn groups(&self, terms: &OpenIdTerms) -> Result<Vec<String>, String> {
        let name = terms.groups_claim.as_str();
        if let Some(claim) = self.documents().find_map(|document| claim(document, name)) {
            let read = match claim {
                Value::String(one) => Some(vec![one.clone()]),
                Value::Array(all) => all
                    .iter()
                    .map(names_of)
                    .collect::<Option<Vec<_>>>()
                    .map(|all| all.concat()),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
            };
            return read.ok_or_else(|| format!("the claim {name} is no list of names"));
        }
        let is_elsewhere = |document: &Map<String, Value>| {
            let named = document.get("_claim_names").and_then(Value::as_object);
            named.is_some_and(|named| named.contains_key(name))
                || document.get("hasgroups").and_then(truth) == Some(true)
        };
        match self.documents().any(is_elsewhere) {
            true => Err(format!(
                "the person is in more groups than the token takes (overage), so {name} is not in it; let the provider \
                 send only the groups that are assigned to this application"
            )),
            false => Err(self.missing(name)),
        }
    }

    fn text(&self, name: &str) -> Option<&str> {
        let texts = self
            .documents()
            .filter_map(|document| document.get(name)?.as_str());
        texts.map(str::trim).find(|text| !text.is_empty())
    }

    fn missing(&self, name: &str) -> String {
        let names = self.documents().flat_map(Map::keys).map(String::as_str);
        let came = listed(names);
        match &self.info {
            Ok(_) => format!("the claim {name} is missing; these came: {came}"),
            Err(why) => format!("the claim {name} is missing; these came: {came}; {why}"),
        }
    }
}

/// Finds a claim by its name, or by the path to it, such as `realm_access.roles`.
fn claim<'a>(document: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    let found = document.get(name).or_else(|| {
        let (first, rest) = name.split_once('.')?;
        claim(document.get(first)?.as_object()?, rest)
    });
    found.filter(|value| !value.is_null())
}

/// Reads what one group is called: a text, or an object such as `{"id": "7", "displayName": "Editors"}`, which has several
/// names. `None` if it cannot be read.
fn names_of(group: &Value) -> Option<Vec<String>> {
    const NAMES: [&str; 7] = ["id", "gid", "value", "name", "displayName", "display", "path"];
    if let Some(name) = group.as_str() {
        return Some(vec![name.to_owned()]);
    }
    let names = NAMES.iter().filter_map(|name| group.get(name)?.as_str());
    let names: Vec<_> = names.map(str::to_owned).collect();
    (!names.is_empty()).then_some(names)
}

/// Whether a group that the operator named is one that was sent. Some providers send the path of a group, and ids in
/// another letter case than their pages show.
pub(super) fn is_group(named: &str, sent: &str) -> bool {
    let bare = |group: &str| group.strip_prefix('/').unwrap_or(group).to_owned();
    let is_id = named.len() == 36 && named.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
    bare(named) == bare(sent) || (is_id && named.eq_ignore_ascii_case(sent))
}

fn truth(value: &Value) -> Option<bool> {
    value.as_bool().or_else(|| value.as_str()?.parse().ok())
}

fn is_email(text: &str) -> bool {
    text.parse::<Email>().is_ok()
}

/// Names as they are quoted for admins: few, short, and nothing in them hides or steers.
pub(super) fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let quoted = names.map(|name| format!("{:?}", name.chars().take(80).collect::<String>()));
    let shown: Vec<_> = quoted.take(20).collect();
    shown.join(", ")
}
