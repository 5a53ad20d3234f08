//! Warns about environment variables that are nearly named like one of the server's.

use super::VARIABLES;

/// The most letters by which a misspelt name may differ from the name of a variable.
const MOST_LETTERS: usize = 2;

/// The shortest name that is compared. Names such as `LOG` are near to too many others.
const SHORTEST: usize = 6;

/// Logs `config.variable.unknown` for every name that is no variable of the server but differs from one by at most
/// two letters.
pub(crate) fn warn_of_misspelt(names: impl Iterator<Item = String>) {
    for (name, meant) in misspelt_names(names) {
        tracing::warn!(
            name,
            hint = format_args!("not a variable of ibid-server; did you mean {meant}?"),
            "config.variable.unknown"
        );
    }
}

/// Returns the misspelt names, each with the variable that is nearly named like it.
pub(crate) fn misspelt_names(
    names: impl Iterator<Item = String>,
) -> impl Iterator<Item = (String, &'static str)> {
    names.filter_map(|name| meant(&name).map(|meant| (name, meant)))
}

/// Returns the variable that a name is a misspelling of.
fn meant(name: &str) -> Option<&'static str> {
    if name.len() < SHORTEST || VARIABLES.iter().any(|known| known.name == name) {
        return None;
    }
    let shouted = name.to_ascii_uppercase();
    VARIABLES
        .iter()
        .filter(|known| known.name.len() >= SHORTEST)
        .map(|known| (strsim::damerau_levenshtein(&shouted, known.name), known.name))
        .filter(|(letters, _)| *letters <= MOST_LETTERS)
        .min()
        .map(|(_, name)| name)
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
    fn no_variable_is_taken_for_another() {
        for known in VARIABLES {
            assert_eq!(meant(known.name), None);
        }
    }
}
