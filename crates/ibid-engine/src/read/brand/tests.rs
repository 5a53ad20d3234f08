use super::*;

fn target(domain: &str, brands: &[&str]) -> Target {
    let brands: Vec<BrandName> = brands.iter().map(|brand| brand.parse().unwrap()).collect();
    Target::new(&domain.parse().unwrap(), &brands)
}

/// The sure names of a target in a text, `?` before those that need the place of a name.
fn found(target: &Target, text: &str) -> Vec<String> {
    let folded = Folded::of(text);
    let hits = target.find(text, &folded, language_of(text, &look_up(&folded)));
    hits.iter()
        .map(|hit| format!("{}{}", if hit.sure { "" } else { "?" }, &text[hit.span.clone()]))
        .collect()
}

fn check(domain: &str, brands: &[&str], text: &str, expected: &[&str]) {
    let target = target(domain, brands);
    assert_eq!(
        found(&target, text),
        expected,
        "{domain} in {text:?}, known as {:?}",
        target.aliases()
    );
}

#[test]
fn labels_meet_spaced_and_accented_names() {
    check(
        "headsupfortails.com",
        &[],
        "I like Heads Up For Tails best.",
        &["Heads Up For Tails"],
    );
    check(
        "headsupfortails.com",
        &[],
        "it was heads up for tails",
        &["?heads up for tails"],
    );
    check("soebogaard.dk", &[], "Prøv Søbogaard.", &["Søbogaard"]);
    check(
        "benandjerrys.example",
        &[],
        "Ben & Jerry’s is good",
        &["Ben & Jerry’s"],
    );
    check("vkusvill.ru", &[], "Лучше всего ВкусВилл.", &["ВкусВилл"]);
    check(
        "kaufland.de",
        &[],
        "Ich würde Kauflands Eigenmarke nehmen.",
        &["Kaufland"],
    );
    check(
        "kettlebrook.coffee",
        &[],
        "Try Kettlebrook Coffee now",
        &["Kettlebrook Coffee"],
    );
    check("müller-brot.de", &[], "bei Müller Brot", &["Müller Brot"]);
}

#[test]
fn ordinary_words_need_proof() {
    check("target.com", &[], "Set a target price.", &["?target"]);
    check("target.com", &[], "I like Target more.", &["Target"]);
    check("next.co.uk", &[], "Next, look at Zara.", &["?Next"]);
    check("monday.com", &[], "They open on Monday.", &["?Monday"]);
    check("hm.com", &["H&M"], "Zara and H&M. Hm.", &["H&M", "?Hm"]);
    check("ford.com", &[], "Buy from Tom Ford or Ford.", &["?Ford", "Ford"]);
    check("arc.net", &[], "architecture of the archive", &[]);
}

#[test]
fn endings_and_prefixes_are_known() {
    check(
        "sberbank.ru",
        &["Сбербанк"],
        "открыть вклад в Сбербанке",
        &["Сбербанк"],
    );
    check(
        "naver.com",
        &["네이버"],
        "네이버는 좋습니다. 네이버웹툰",
        &["네이버"],
    );
    check("jarir.com", &["جرير"], "أنصحك بجرير لشراء الكتب", &["جرير"]);
    check("noon.com", &["نون"], "قراءة قانون", &[]);
    check("kyoto.travel", &["京都"], "東京都の京都駅", &["京都"]);
    check("huawei.com", &["华为"], "我推荐华为手机", &["华为"]);
    check(
        "allegro.pl",
        &[],
        "Sprzedawcy na Allegro i w Allegrze mają oceny",
        &["Allegro", "Allegrze"],
    );
}

#[test]
fn aliases_say_where_they_come_from() {
    let mut target = target("sst.dk", &[]);
    let answer = Answer::of_text("Se [Sundhedsstyrelsen](https://www.sst.dk/a) eller [her](https://sst.dk).");
    target.learn([answer, answer]);
    target.learn_from_page(["Forside - Sundhedsstyrelsen SST"]);
    let names: Vec<(&str, AliasSource)> = target
        .aliases()
        .iter()
        .map(|alias| (alias.name.as_str(), alias.source))
        .collect();
    assert_eq!(
        names,
        [
            ("Sst", AliasSource::Domain),
            ("Sundhedsstyrelsen", AliasSource::Anchor)
        ]
    );
    assert!(target.is_named_in("hvad siger Sundhedsstyrelsen?"));
}

#[test]
fn names_of_other_parties_are_left_out() {
    let target = target("zorvex.com", &["Zorvex"]);
    assert!(target.is_named_in("I use a Zorvex."));
    let target = target.without(&["Zorvex Plumbing".parse().unwrap()]);
    assert!(!target.is_named_in("I called Zorvex Plumbing."));
    assert!(target.is_named_in("I use a Zorvex."));
}
