use super::*;

fn answer(
    question: &str,
    model: &str,
    cites: bool,
    names: &[(&str, &str)],
    pages: &[(&str, bool)],
) -> AnswerMentions {
    AnswerMentions {
        id: String::new(),
        kind: String::new(),
        question: question.to_owned(),
        model: model.parse().unwrap(),
        cites_target: cites,
        names: names
            .iter()
            .map(|(name, domain)| Named {
                name: (*name).to_owned(),
                domain: Some((*domain).to_owned()).filter(|domain| !domain.is_empty()),
            })
            .collect(),
        pages: pages
            .iter()
            .map(|(url, in_text)| {
                let host = url::Url::parse(url).unwrap();
                let site: Domain = host.host_str().unwrap().parse().unwrap();
                Cited {
                    url: (*url).to_owned(),
                    kind: SourceKind::of(SiteKind::Other, url, &site),
                    site: site.to_string(),
                    in_text: *in_text,
                }
            })
            .collect(),
    }
}

fn run(answers: Vec<AnswerMentions>) -> (ibid_model::ScanId, RunMentions) {
    (
        ibid_model::ScanId::random(),
        RunMentions {
            answers,
            ..RunMentions::default()
        },
    )
}

fn kept(name: &str, aliases: &[&str], ignored: bool) -> KeptRival {
    KeptRival {
        name: name.to_owned(),
        aliases: aliases.iter().map(|alias| (*alias).to_owned()).collect(),
        domains: Vec::new(),
        ignored,
    }
}

/// Twelve runs: Chain Reaction is in every answer as one of two names, Spoke in the first run alone.
fn twelve() -> Vec<(ibid_model::ScanId, RunMentions)> {
    let answers = |at: usize| {
        let name = ["Chain Reaction", "CRC"][at % 2];
        let spoke: &[(&str, &str)] = &[("Spoke", "spoke.example")];
        let names = [&[(name, "")][..], if at == 0 { spoke } else { &[] }].concat();
        vec![
            answer("Where to buy?", "model-1-latest", false, &names, &[]),
            answer("Who repairs?", "model-2-latest", true, &names[..1], &[]),
        ]
    };
    (0..12).map(|at| run(answers(at))).collect()
}

#[test]
fn merged_names_are_one_competitor_in_every_run() {
    let runs = twelve();
    let found = rivals(&runs, &[]);
    let names: Vec<(&str, u32)> = found
        .rows
        .iter()
        .map(|row| (row.name.as_str(), row.named))
        .collect();
    assert_eq!(names, [("Chain Reaction", 12), ("CRC", 12)]);
    assert_eq!((found.rare, found.answers, found.runs), (1, 24, 12));

    let found = rivals(
        &runs,
        &[kept("Chain Reaction Cycles", &["CRC", "chain reaction"], false)],
    );
    assert_eq!(found.rows.len(), 1);
    let row = &found.rows[0];
    assert_eq!(
        (row.name.as_str(), row.kept, row.named),
        ("Chain Reaction Cycles", Some(0), 24)
    );
    assert!(
        row.points
            .iter()
            .all(|point| point.named == 2 && point.share == 1.0)
    );
    assert!(row.points.iter().all(|point| point.interval.low < 1.0));
    // Twelve answers of one question name it and not the website; the other question is even.
    assert_eq!(
        row.wins,
        [Win {
            question: "Where to buy?".to_owned(),
            answers: 12,
            rival: 12,
            target: 0
        }]
    );
}

#[test]
fn ignored_ones_are_gone_and_pinned_ones_stay_without_answers() {
    let kept = [kept("crc", &[], true), kept("Velo", &[], false)];
    let found = rivals(&twelve(), &kept);
    let names: Vec<(&str, u32)> = found
        .rows
        .iter()
        .map(|row| (row.name.as_str(), row.named))
        .collect();
    assert_eq!(names, [("Velo", 0), ("Chain Reaction", 12)]);
    assert_eq!(found.rows[0].points.len(), 12);
    assert_eq!(rivals(&[], &kept[1..]).rows[0].points, []);
}

#[test]
fn few_answers_win_nothing() {
    let one = |cites| answer("Q?", "model-1-latest", cites, &[("Chain", "")], &[]);
    let runs: Vec<_> = (0..5).map(|_| run(vec![one(false)])).collect();
    assert_eq!(rivals(&runs, &[]).rows[0].wins, []);
    let runs: Vec<_> = (0..6).map(|_| run(vec![one(false)])).collect();
    assert_eq!(rivals(&runs, &[]).rows[0].wins.len(), 1);
    let runs: Vec<_> = (0..6).map(|_| run(vec![one(true)])).collect();
    assert_eq!(rivals(&runs, &[]).rows[0].wins, []);
}

#[test]
fn sites_are_counted_by_answers_and_change_beyond_chance_only() {
    let questions: Vec<String> = (0..8).map(|n| format!("Question {n}?")).collect();
    let cites = |n: usize| {
        let mut pages = vec![
            ("https://council.gov/bikes", true),
            ("https://council.gov/roads", false),
        ];
        if n < 2 {
            pages.push(("https://shop.example/a", false));
        }
        if n == 0 {
            pages.push(("https://once.example/", true));
        }
        pages
    };
    let all = |pages: &dyn Fn(usize) -> Vec<(&'static str, bool)>| {
        let answers = questions.iter().enumerate();
        let answers = answers.map(|(n, question)| answer(question, "model-1-latest", n == 0, &[], &pages(n)));
        RunMentions {
            answers: answers.collect(),
            branded: Vec::new(),
        }
    };
    let (last, before) = (all(&cites), all(&|_| Vec::new()));
    let found = sources(&last, Some(&before));
    assert_eq!(
        (found.answers, found.citing, found.compared, found.rare),
        (8, 8, 8, 1)
    );
    let rows: Vec<_> = found
        .sites
        .iter()
        .map(|row| (row.site.as_str(), row.answers, row.cited, row.trend))
        .collect();
    assert_eq!(
        rows,
        [
            ("council.gov", 8, 8, Some(Trend::More)),
            ("shop.example", 2, 0, None)
        ]
    );
    let council = &found.sites[0];
    assert_eq!(
        (council.kind, council.with_target, council.pages.len()),
        (SourceKind::Institution, 1, 2)
    );
    assert_eq!((council.pages[1].answers, council.pages[1].cited), (8, 0));
    let kinds: Vec<_> = found
        .kinds
        .iter()
        .map(|row| (row.kind, row.sites, row.answers))
        .collect();
    assert_eq!(
        kinds,
        [(SourceKind::Institution, 1, 8), (SourceKind::Other, 2, 2)]
    );
    assert_eq!(sources(&before, Some(&last)).sites, []);
    assert_eq!(sources(&last, None).sites[0].trend, None);
}

/// Eight runs of four questions to three models. The first goes to Chain Reaction, and with `blind` the third model names no one.
fn eight(blind: bool) -> Vec<(ibid_model::ScanId, RunMentions)> {
    let models = ["model-1-latest", "model-2-latest", "model-3-latest"];
    let answers = |at: usize| {
        let questions = ["Where to buy?", "Who repairs?", "Best bell?", "Which lock?"];
        let cells = questions.iter().enumerate().flat_map(|(q, text)| {
            models
                .iter()
                .enumerate()
                .map(move |(m, model)| (q, text, m, model))
        });
        let of = |(q, text, m, model): (usize, &&str, usize, &&str)| {
            let is_lost = q == 0 && !blind;
            let is_blind = blind && m == 2;
            let cites = !is_lost && !is_blind && !(at + q + m).is_multiple_of(3);
            let names: &[(&str, &str)] = if is_lost { &[("Chain Reaction", "")] } else { &[] };
            let pages: &[(&str, bool)] = if cites {
                &[]
            } else {
                &[("https://list.example/a", true)]
            };
            answer(text, model, cites, names, pages)
        };
        cells.map(of).collect()
    };
    (0..8).map(|at| run(answers(at))).collect()
}

#[test]
fn moves_name_lost_questions_and_blind_models_with_their_counts() {
    let runs = eight(false);
    let found = moves(&runs, &[], 4.0, str::to_owned);
    let [lost] = &found.moves[..] else {
        panic!("{:?}", found.sentences)
    };
    assert_eq!(
        lost.sentence,
        "“Where to buy?” goes to Chain Reaction: in 24 of 24 answers of 8 runs, you in 0."
    );
    assert_eq!(
        (lost.answers, lost.naming, lost.usual, lost.since),
        (24, 0, 24, runs[0].0)
    );
    assert!(lost.at_stake > 5.0 && lost.at_stake < 8.0, "{}", lost.at_stake);
    assert_eq!(lost.evidence[0].scan_id, runs[7].0);
    assert_eq!(
        (found.outreach[0].site.as_str(), found.outreach.len()),
        ("list.example", 1)
    );
    assert_eq!(rivals(&runs, &[]).rows[0].wins[0].question, "Where to buy?");
    let ignored = kept("Chain Reaction", &[], true);
    let none = moves(&runs, &[ignored], 4.0, str::to_owned);
    assert_eq!(none.sentences, ["Nothing stands out from 8 runs."]);

    let found = moves(&eight(true), &[], 4.0, |alias| alias.to_uppercase());
    let words: Vec<&str> = found.sentences.iter().map(String::as_str).collect();
    assert_eq!(
        words,
        ["MODEL-3-LATEST names you in 0 of 32 answers, the others in 43 of 64."]
    );
    assert_eq!(
        next_step(None, &found).unwrap(),
        "Next: read the answers of MODEL-3-LATEST. MODEL-3-LATEST names you in 0 of 32 answers, the others in 43 of 64."
    );
    assert_eq!(next_step(None, &none), None);
}

#[test]
fn a_question_that_turns_a_competitor_that_comes_up_and_a_new_source_are_movers() {
    let runs = |turn: usize, count: usize| -> Vec<_> {
        let of = |at: usize| {
            let is_after = at >= turn;
            let names: &[(&str, &str)] = if is_after { &[("Chain Reaction", "")] } else { &[] };
            let last: &[(&str, bool)] = if at + 1 == count {
                &[("https://new.example/a", true)]
            } else {
                &[]
            };
            let lost = answer("Where to buy?", "model-1-latest", !is_after, names, last);
            let won = answer("Who repairs?", "model-1-latest", is_after, names, last);
            run(vec![lost, won])
        };
        (0..count).map(of).collect()
    };
    let (told, source) = movers(&runs(9, 12), &[], 1);
    assert_eq!(
        told,
        [
            "Won: “Who repairs?”, cited in 3 of 3 answers of the last three runs, in 0 of 3 before.",
            "Lost: “Where to buy?”, cited in 0 of 3 answers of the last three runs, in 3 of 3 before.",
            "Chain Reaction is up: named in 6 of 6 answers of the last three runs, in 0 of 18 before to the same questions.",
        ]
    );
    assert_eq!(
        source.unwrap(),
        "New source: new.example, cited in 2 of 2 answers."
    );
    assert_eq!(movers(&runs(99, 5), &[], 1).0, [] as [&str; 0]);
}
