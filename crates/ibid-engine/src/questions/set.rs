//! Identifies a set of questions, and orders them so that a part can be asked.

use super::masked::fold;
use ibid_model::OwnQuestion;
use rustc_hash::{FxHashMap, FxHashSet};
use sha2::{Digest as _, Sha256};

/// Hashes a set: SHA-256 over the sorted questions, each with its text, place and language in lower case.
/// Neither their order nor their topics and other labels count.
#[must_use]
pub fn hash(questions: &[OwnQuestion]) -> String {
    let mut keys: Vec<String> = questions.iter().map(key).collect();
    keys.sort_unstable();
    keys.dedup();
    digest(keys.iter().map(String::as_str))
}

/// Identifies a question in its set, so that one that is added again keeps its history.
#[must_use]
pub fn key(question: &OwnQuestion) -> String {
    let place = question.place.as_ref().map_or("", |place| place.as_str());
    let language = question
        .language
        .as_ref()
        .map_or("", |language| language.as_str());
    [question.as_str(), place, language].map(fold).join("\u{1f}")
}

/// Orders a set's questions so that a part can be asked: groups with one topic and intent take turns, so that
/// every part has them in the same shares as the whole. The set's hash draws the order within a group, so it never changes.
#[must_use]
pub fn stratified(questions: Vec<OwnQuestion>, hash: &str) -> Vec<OwnQuestion> {
    type Group = (Option<String>, Option<String>);
    let mut groups: FxHashMap<Group, Vec<(String, OwnQuestion)>> = FxHashMap::default();
    for question in questions {
        let group = (
            question.topic.as_ref().map(|topic| fold(topic.as_str())),
            question.intent.as_ref().map(|intent| fold(intent.as_str())),
        );
        let drawn = digest([hash, &key(&question)].into_iter());
        groups.entry(group).or_default().push((drawn, question));
    }
    let mut turns = Vec::new();
    for (_, mut group) in groups {
        group.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        let size = group.len() as f64;
        for (place, (drawn, question)) in group.into_iter().enumerate() {
            turns.push(((place as f64 + 0.5) / size, drawn, question));
        }
    }
    turns.sort_by(|(a, drawn_a, _), (b, drawn_b, _)| a.total_cmp(b).then_with(|| drawn_a.cmp(drawn_b)));
    turns.into_iter().map(|(_, _, question)| question).collect()
}

/// Orders a new version's questions as they are asked: those from before stay at their place, so that a
/// split panel keeps them, and others take the places of those that went.
///
/// ```
/// use ibid_engine::questions::continued;
/// use ibid_model::OwnQuestion;
///
/// let list = |texts: &[&str]| OwnQuestion::list(&texts.into()).unwrap();
/// let before = list(&["a", "b", "c", "d"]);
/// assert_eq!(continued(&before, list(&["d", "x", "c", "a"])), list(&["a", "x", "c", "d"]));
/// assert_eq!(continued(&before, list(&["c", "d", "a"])), list(&["a", "d", "c"]));
/// assert_eq!(continued(&before, list(&["y", "d", "c", "b", "a"])), list(&["a", "b", "c", "d", "y"]));
/// ```
#[must_use]
pub fn continued(before: &[OwnQuestion], now: Vec<OwnQuestion>) -> Vec<OwnQuestion> {
    let places: FxHashMap<String, usize> = before.iter().map(key).zip(0..).collect();
    let mut ordered: Vec<Option<OwnQuestion>> = vec![None; before.len()];
    let mut others = Vec::new();
    for question in now {
        let place = places.get(&key(&question)).copied();
        match place
            .and_then(|place| ordered.get_mut(place))
            .filter(|slot| slot.is_none())
        {
            Some(slot) => *slot = Some(question),
            None => others.push(question),
        }
    }
    let mut others = others.into_iter();
    for slot in ordered.iter_mut().filter(|slot| slot.is_none()) {
        *slot = others.next();
    }
    ordered.extend(others.map(Some));
    // Where there are fewer than before, the last ones move into the gaps.
    while let Some(gap) = ordered.iter().position(Option::is_none) {
        ordered.swap_remove(gap);
    }
    ordered.into_iter().flatten().collect()
}

/// How many of the questions are in the other list, too.
#[must_use]
pub fn shared(questions: &[OwnQuestion], other: &[OwnQuestion]) -> usize {
    let other: FxHashSet<String> = other.iter().map(key).collect();
    questions
        .iter()
        .filter(|question| other.contains(&key(question)))
        .count()
}

fn digest<'a>(parts: impl Iterator<Item = &'a str>) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part.as_bytes());
        hasher.update([b'\n']);
    }
    hasher
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn questions(list: serde_json::Value) -> Vec<OwnQuestion> {
        OwnQuestion::list(&list).unwrap()
    }

    #[test]
    fn a_hash_knows_text_place_and_language_alone() {
        let one = hash(&questions(json!(["Who fixes taps?", "Best  Plumber"])));
        assert_eq!(one.len(), 64);
        let same = json!(["best plumber", {"text": "WHO fixes taps?", "topic": "taps", "id": "7"}]);
        assert_eq!(hash(&questions(same)), one);
        let composed = hash(&questions(json!(["caf\u{e9}"])));
        assert_eq!(hash(&questions(json!(["cafe\u{301}"]))), composed);
        for other in [
            json!(["Who fixes taps?"]),
            json!(["Who fixes taps?", {"text": "best plumber", "place": "Leeds"}]),
            json!(["Who fixes taps?", {"text": "best plumber", "language": "en"}]),
        ] {
            assert_ne!(hash(&questions(other)), one);
        }
    }

    #[test]
    fn every_part_has_all_groups_and_the_order_never_changes() {
        let list: serde_json::Value = (0..90)
            .map(|n| {
                json!({"text": format!("Question {n}?"), "topic": format!("topic {}", n % 3),
                "intent": if n % 2 == 0 { "price" } else { "trust" }})
            })
            .collect();
        let all = questions(list);
        let mut turned = all.clone();
        turned.reverse();
        let set = hash(&all);
        let order = stratified(all, &set);
        assert_eq!(stratified(turned, &set), order);
        let groups: FxHashSet<_> = order[..6].iter().map(|q| (&q.topic, &q.intent)).collect();
        assert_eq!(groups.len(), 6);
        assert_ne!(stratified(order.clone(), "other"), order);
    }

    #[test]
    fn questions_that_stay_are_counted_by_their_words() {
        let (old, new) = (json!(["A?", "B?"]), json!(["a?", "C?"]));
        assert_eq!(shared(&questions(new), &questions(old)), 1);
    }
}
