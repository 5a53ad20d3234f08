//! Hand-checked texts in many languages and writing systems.

use ibid_gazetteer::resolve;
use std::collections::HashSet;

#[test]
fn nearly_all_of_300_texts_in_25_languages_are_right() {
    let lines: Vec<Vec<&str>> = include_str!("world.tsv")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split('\t').collect())
        .collect();
    let languages: HashSet<&str> = lines.iter().map(|line| line[0]).collect();
    assert!(
        lines.len() >= 300 && languages.len() >= 25,
        "{} {}",
        lines.len(),
        languages.len()
    );
    let wrong: Vec<String> = lines
        .iter()
        .filter_map(|line| {
            let (text, code, name) = (line[1], line[2], line[3]);
            match resolve(text) {
                Ok(found) if found.place().country_code() == code && found.place().name() == name => None,
                Ok(found) => Some(format!("{text}: {}", found.place().label())),
                Err(_) => Some(format!("{text}: unknown")),
            }
        })
        .collect();
    println!("{} of {} wrong:\n{}", wrong.len(), lines.len(), wrong.join("\n"));
    assert!(wrong.len() * 100 <= lines.len() * 3, "{}", wrong.join("\n"));
}
