use super::*;
use crate::read::{Answer, LinkKind, Reading, read};

fn target() -> Target {
    Target::new(&"example.com".parse().unwrap(), &[])
}

fn table(answers: &[&str]) -> Vec<Competitor> {
    let target = target();
    let readings: Vec<Reading> = answers
        .iter()
        .map(|text| read(&target, &Answer::of_text(text)))
        .collect();
    let samples: Vec<Sample<'_>> = readings
        .iter()
        .enumerate()
        .map(|(at, reading)| Sample {
            model: at % 2,
            question: at / 2,
            ring: None,
            reading,
        })
        .collect();
    let models: Vec<ModelAlias> = ["a", "b"].map(|alias| alias.parse().unwrap()).to_vec();
    competitors(
        &samples,
        &CompetitorTable {
            target: &target,
            models: &models,
            seed: 7,
        },
    )
}

fn row<'a>(table: &'a [Competitor], name: &str) -> &'a Competitor {
    table
        .iter()
        .find(|row| row.name == name)
        .unwrap_or_else(|| panic!("{name} is missing in {table:#?}"))
}

#[test]
fn spellings_of_one_competitor_are_one_row() {
    let table = table(&[
        "1. **Rival Works** ([site](https://www.rivalworks.com))\n2. **Third House**",
        "1. rivalworks.com - good\n2. **Thírd House**",
        "1. **Rival Works**\n2. **Third House GmbH**",
    ]);
    let competitor = row(&table, "Rival Works");
    assert_eq!((competitor.rank, competitor.appearance_rate), (1, 1.0));
    assert_eq!(
        competitor.domain.as_ref().map(Domain::as_str),
        Some("rivalworks.com")
    );
    assert_eq!(row(&table, "Third House").appearance_rate, 1.0);
}

#[test]
fn a_source_that_leads_to_the_target_links_its_row() {
    let target = target();
    let text = "1. **Rival Works** – good\n2. **Example** – good\n3. **Third House** – good";
    let mut reading = read(&target, &Answer::of_text(text));
    reading.link_kind = LinkKind::Annotation;
    let sample = Sample {
        model: 0,
        question: 0,
        ring: None,
        reading: &reading,
    };
    let table = CompetitorTable {
        target: &target,
        models: &["a".parse().unwrap()],
        seed: 7,
    };
    let rows = competitors(&[sample], &table);
    let linked = |name: &str| row(&rows, name).linked_rate;
    assert_eq!((linked("Example"), linked("Rival Works")), (1.0, 0.0));
}

#[test]
fn always_first_is_100_and_the_target_has_a_row_even_unseen() {
    let table = table(&["1. **Rival Works**\n2. **Third House**"; 6]);
    assert_eq!(row(&table, "Rival Works").score, 100.0);
    assert_eq!(row(&table, "Third House").score, 63.1);
    let own: Vec<_> = table.iter().filter(|row| row.is_self).collect();
    assert_eq!((own.len(), own[0].score, own[0].rank), (1, 0.0, 3));
    let shares: f64 = table.iter().map(|row| row.share).sum();
    assert!((shares - 1.0).abs() < 1e-3, "{shares}");
}

#[test]
fn directories_and_media_are_apart() {
    let table = table(&[
        "1. **Rival Works**\n2. [Yelp](https://www.yelp.com/x)\n3. [Reddit](https://reddit.com/r/x)",
    ]);
    assert_eq!(row(&table, "Yelp").kind, CompetitorKind::Directory);
    assert_eq!(row(&table, "Reddit").kind, CompetitorKind::Media);
    assert_eq!((row(&table, "Yelp").rank, row(&table, "Yelp").share), (1, 0.0));
    assert!(row(&table, "Rival Works").weak);
}

#[test]
fn the_table_does_not_depend_on_the_order_of_answers() {
    let target = target();
    let texts = [
        "1. **Rival Works**\n2. **Example**",
        "1. **Example**\n2. **Third House**",
        "1. **Third House**",
        "1. **Rival Works**",
    ];
    let readings: Vec<Reading> = texts
        .iter()
        .map(|text| read(&target, &Answer::of_text(text)))
        .collect();
    let sample = |at: usize| Sample {
        model: 0,
        question: at,
        ring: None,
        reading: &readings[at],
    };
    let models = ["a".parse().unwrap()];
    let of = |order: [usize; 4]| {
        competitors(
            &order.map(sample),
            &CompetitorTable {
                target: &target,
                models: &models,
                seed: 7,
            },
        )
    };
    assert_eq!(of([0, 1, 2, 3]), of([3, 1, 0, 2]));
}

#[test]
fn rank_intervals_contain_the_rank() {
    let mut texts = vec!["1. **Rival Works**\n2. **Example**\n3. **Third House**"; 16];
    texts[3] = "1. **Third House**\n2. **Rival Works**";
    texts[9] = "1. **Example**\n2. **Third House**";
    for row in table(&texts)
        .iter()
        .filter(|row| row.kind == CompetitorKind::Rival)
    {
        let range = row.rank_interval.unwrap();
        assert!(range.low <= row.rank && row.rank <= range.high, "{row:#?}");
    }
}

#[test]
fn products_of_a_brand_are_in_its_row() {
    let table = table(&[
        "1. **Sony WH-1000XM5** - quiet.\n2. **Bose QuietComfort Ultra** - soft.\n3. **Sennheiser Momentum 4** - long.",
        "1. **Sony WF-1000XM5** - small.\n2. **Bose QuietComfort Ultra** - soft.\n3. **Sony WH-1000XM5** - quiet.",
    ]);
    assert_eq!(
        row(&table, "Sony").products,
        ["Sony WH-1000XM5", "Sony WF-1000XM5"]
    );
    assert_eq!(row(&table, "Bose").products, ["Bose QuietComfort Ultra"]);
    assert_eq!(table.iter().filter(|row| !row.is_self).count(), 3);
}
