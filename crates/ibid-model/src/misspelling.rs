//! Names that are nearly a known one.

/// The most letters by which a misspelt name may differ from the known one.
const MOST_LETTERS: usize = 2;

/// Returns the known name of which another one is a misspelling, apart from case.
///
/// It differs by at most two letters, which are fewer than half of the known name.
/// Returns `None` if the name itself is known.
///
/// ```
/// use ibid_model::misspelt;
///
/// assert_eq!(misspelt("keyowrd", ["domain", "keyword"]), Some("keyword"));
/// assert_eq!(misspelt("colour", ["domain", "keyword"]), None);
/// ```
#[must_use]
pub fn misspelt<'a>(name: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> Option<&'a str> {
    if known.clone().into_iter().any(|known| known == name) {
        return None;
    }
    let lower = name.to_ascii_lowercase();
    let near = known.into_iter().filter_map(|known| {
        // A long name is not compared: it comes from outside.
        let comparable = name.len().abs_diff(known.len()) <= 2 * MOST_LETTERS;
        let letters = comparable.then(|| strsim::damerau_levenshtein(&lower, &known.to_ascii_lowercase()))?;
        (letters <= MOST_LETTERS && 2 * letters < known.len()).then_some((letters, known))
    });
    near.min().map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_name_is_a_misspelling_and_others_are_not() {
        let known = ["questionsPerModel", "models", "location", "tag", "url"];
        for (name, meant) in [
            ("questionPerModel", Some("questionsPerModel")),
            ("questionsPerModle", Some("questionsPerModel")),
            ("model", Some("models")),
            ("Location", Some("location")),
            ("TAG", Some("tag")),
            ("tags", Some("tag")),
            ("models", None),
            ("page", None),
            ("note", None),
            ("", None),
            ("a very long name that no one compares with the others", None),
        ] {
            assert_eq!(misspelt(name, known), meant, "{name}");
        }
    }
}
