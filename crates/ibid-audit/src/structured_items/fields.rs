//! Fields that consumers of schema.org data ask for, by type.

use super::Item;

/// Types and their expected fields, a line for types that share them.
///
/// Source: Google's pages on rich results and schema.org,
/// reduced to the fields that every consumer asks for.
const EXPECTED: &str = include_str!("../words/expected_fields.txt");

/// Expected fields that an item lacks; `None` if its types have no expected fields.
pub(crate) fn missing(item: &Item) -> Option<Vec<&'static str>> {
    let has = |name: &str| item.properties.contains(name);
    let is_given = |field: &str| {
        has(field)
            || match field {
                "offers" => has("hasVariant") || has("aggregateRating") || has("review"),
                "author" => has("creator"),
                "name" => has("legalName") || has("serviceType"),
                "url" => has("sameAs"),
                "location" => has("eventAttendanceMode"),
                _ => false,
            }
    };
    let mut known = None;
    for (types, fields) in EXPECTED.lines().filter_map(|line| line.split_once(": ")) {
        if item
            .types
            .iter()
            .any(|name| types.split(' ').any(|one| one == name))
        {
            let missing: &mut Vec<&str> = known.get_or_insert_default();
            for field in fields.split(' ').filter(|field| !is_given(field)) {
                if !missing.contains(&field) {
                    missing.push(field);
                }
            }
        }
    }
    known
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(types: &[&str], properties: &[&str], expected: Option<&[&str]>) {
        let item = Item {
            types: types.iter().map(ToString::to_string).collect(),
            properties: properties.iter().map(ToString::to_string).collect(),
            ..Item::default()
        };
        assert_eq!(missing(&item).as_deref(), expected, "{types:?} {properties:?}");
    }

    #[test]
    fn expected_fields_follow_the_type() {
        check(&["Article"], &["headline", "author", "datePublished"], Some(&[]));
        check(&["Article"], &["headline", "creator"], Some(&["datePublished"]));
        check(
            &["Article", "NewsArticle"],
            &[],
            Some(&["headline", "author", "datePublished"]),
        );
        check(&["Product"], &["name", "aggregateRating"], Some(&[]));
        check(&["Organization"], &["legalName", "url"], Some(&[]));
        check(&["Service"], &["serviceType", "provider"], Some(&[]));
        check(&["FAQPage"], &[], Some(&["mainEntity"]));
        check(&["Thing"], &[], None);
        check(&[], &[], None);
    }
}
