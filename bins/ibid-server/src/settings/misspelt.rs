//! Warns about environment variables with nearly the same name as one of the server's.

use super::VARIABLES;

/// The shortest name that is compared. Names such as `LOG` are similar to too many others.
const SHORTEST: usize = 6;

/// Variables of other programs that mean what one of the server's means.
/// They are mentioned if the server's variable is unset.
const OF_OTHERS: [(&str, &str); 2] = [("PORT", "BIND"), ("OPENROUTER_API_KEY", "ROUTER_API_KEY")];

/// Logs `config.variable.unknown` for every name that is no variable of the server but differs from one by at most
/// two letters.
pub(crate) fn warn_of_misspelt<'a>(names: impl Iterator<Item = &'a str>) {
    for (name, meant) in misspelt_names(names) {
        tracing::warn!(
            name,
            hint = format_args!("not a variable of ibid-server; did you mean {meant}?"),
            "config.variable.unknown"
        );
    }
}

/// Returns the misspelt names and those of other programs, each with the variable that is meant.
pub(crate) fn misspelt_names<'a>(names: impl Iterator<Item = &'a str>) -> Vec<(&'a str, &'static str)> {
    let names: Vec<_> = names.collect();
    let of_others = |name: &str| {
        OF_OTHERS
            .iter()
            .find(|(other, own)| *other == name && !names.contains(own))
    };
    let named = |name| of_others(name).map(|(_, own)| *own).or_else(|| meant(name));
    names
        .iter()
        .filter_map(|name| Some((*name, named(name)?)))
        .collect()
}

/// Returns the variable that a name is a misspelling of.
fn meant(name: &str) -> Option<&'static str> {
    let names = VARIABLES.iter().map(|known| known.name);
    let long = |known: &&str| known.len() >= SHORTEST;
    long(&name)
        .then(|| ibid_model::misspelt(name, names.filter(long)))
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_name_gets_its_variable_and_others_get_none() {
        for (name, expected) in [
            ("ROUTER_API_KY", Some("ROUTER_API_KEY")),
            ("ROUTER_APIKEY", Some("ROUTER_API_KEY")),
            ("DATABSE_URL", Some("DATABASE_URL")),
            ("router_api_key", Some("ROUTER_API_KEY")),
            ("RATE_LIMIT", Some("RATE_LIMITS")),
            ("ROUTER_API_KEY", None),
            ("BASE", None),
            ("LOGS", None),
            ("LOGNAME", None),
            ("PATH", None),
            ("SSH_AUTH_SOCK", None),
        ] {
            assert_eq!(meant(name), expected, "{name}");
        }
    }

    #[test]
    fn names_of_other_programs_lead_to_the_variable_unless_that_is_set() {
        let named = |names: &[&'static str]| misspelt_names(names.iter().copied());
        assert_eq!(named(&["PORT"]), [("PORT", "BIND")]);
        assert_eq!(
            named(&["OPENROUTER_API_KEY"]),
            [("OPENROUTER_API_KEY", "ROUTER_API_KEY")]
        );
        assert_eq!(
            named(&["PORT", "BIND", "OPENROUTER_API_KEY", "ROUTER_API_KEY"]),
            []
        );
    }

    #[test]
    fn no_variable_is_taken_for_another() {
        for known in VARIABLES.iter() {
            assert_eq!(meant(known.name), None);
        }
    }
}
