use super::*;
use serde_json::{Value, json};

/// The output for an input, with the faults reported.
fn through(input: &[u8], domain: Option<&str>, brands: &[&str]) -> (Vec<Value>, Vec<(u64, String)>) {
    let targets = Targets::new(Names {
        domain: domain.map(|domain| domain.parse().unwrap()),
        brands: Some(brands.iter().map(|brand| brand.parse().unwrap()).collect()),
        ..Names::default()
    });
    let (mut out, mut faults) = (Vec::new(), Vec::new());
    let source: Box<dyn Read> = Box::new(input);
    let done = read_all(
        BufReader::new(source),
        &mut out,
        targets,
        false,
        &mut |number, fault| {
            faults.push((number, fault.to_string()));
        },
    );
    let Ok(counts) = done else {
        panic!("reading from memory cannot fail")
    };
    let lines: Vec<Value> = String::from_utf8(out)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        (counts.read, counts.bad),
        (lines.len() as u64, faults.len() as u64)
    );
    (lines, faults)
}

fn targets(domain: &str) -> Targets {
    Targets::new(Names {
        domain: domain.parse().ok(),
        ..Names::default()
    })
}

#[test]
fn further_websites_count_as_own() {
    let answer = "Read [the guide](https://docs.acmetools.dev/start) or https://github.com/acme/tool.";
    for (own, linked) in [
        (json!(null), false),
        (json!(["docs.acmetools.dev"]), true),
        (json!("github.com/acme"), true),
        (json!(["github.com/other"]), false),
    ] {
        assert_eq!(
            one(json!({"answer": answer, "ownDomains": own}))["linked"],
            linked,
            "{own}"
        );
    }
    let websites = |count: usize| (0..count).map(|at| format!("a{at}.com")).collect::<Vec<_>>();
    for (own, faults) in [
        (vec!["no website".to_owned()], 1),
        (websites(20), 0),
        (websites(21), 1),
    ] {
        let line = json!({"answer": answer, "ownDomains": own}).to_string();
        assert_eq!(
            through(line.as_bytes(), Some("zentora.com"), &[]).1.len(),
            faults,
            "{own:?}"
        );
    }
}

fn one(record: Value) -> Value {
    let (mut lines, faults) = through(record.to_string().as_bytes(), Some("zentora.com"), &[]);
    assert!(faults.is_empty(), "{faults:?}");
    assert_eq!(lines.len(), 1);
    lines.remove(0)
}

#[test]
fn an_answer_gives_all_documented_members() {
    let answer = "For a plumber in Lyon I would look at these:\n\n\
                  1. **Rival Works** (rivalworks.fr) - the largest\n\
                  2. **[Zentora](https://www.zentora.com/lyon)** - friendly and fast\n\
                  3. **Third House** - cheap";
    let found = one(json!({"id": "a-1", "prompt": "Who is a good plumber in Lyon?", "answer": answer}));
    let members: Vec<&String> = found.as_object().unwrap().keys().collect();
    assert_eq!(
        members,
        [
            "answerClass",
            "breakdown",
            "cited",
            "competitors",
            "flags",
            "id",
            "informative",
            "linkKind",
            "linked",
            "namedInText",
            "prominence",
            "quotes",
            "rank",
            "score",
            "stance"
        ]
    );
    for (member, value) in [
        ("id", json!("a-1")),
        ("cited", json!(true)),
        ("linked", json!(true)),
        ("linkKind", json!("markdown")),
        ("namedInText", json!(true)),
        ("prominence", json!("secondary")),
        ("rank", json!(2)),
        ("informative", json!(true)),
        ("answerClass", json!("answer")),
        ("flags", json!([])),
        (
            "competitors",
            json!([{"name": "Rival Works", "domain": "rivalworks.fr"}, {"name": "Third House", "domain": null}]),
        ),
    ] {
        assert_eq!(found[member], value, "{member}");
    }
    assert!(["recommended", "neutral"].contains(&found["stance"].as_str().unwrap()));
    let parts = &found["breakdown"];
    let sum: f64 = ["base", "rank", "link", "share"]
        .iter()
        .map(|part| parts[*part].as_f64().unwrap())
        .sum();
    assert_eq!(
        (&parts["base"], &parts["link"], &parts["cap"]),
        (&json!(40.0), &json!(10.0), &Value::Null)
    );
    assert!((sum - found["score"].as_f64().unwrap()).abs() < 0.06, "{found}");
    let quote = &found["quotes"][0];
    let (start, end) = (
        quote["start"].as_u64().unwrap() as usize,
        quote["end"].as_u64().unwrap() as usize,
    );
    let passage: String = answer.chars().skip(start).take(end - start).collect();
    assert_eq!(quote["text"], json!(passage));
    assert!(passage.contains("Zentora"));
}

#[test]
fn each_value_of_a_closed_list_occurs() {
    let rows = [
        ("linkKind", "none", json!({"answer": "I recommend Zentora."})),
        (
            "linkKind",
            "host",
            json!({"answer": "I recommend Zentora (zentora.com)."}),
        ),
        (
            "linkKind",
            "url",
            json!({"answer": "I recommend Zentora: https://zentora.com/"}),
        ),
        (
            "linkKind",
            "markdown",
            json!({"answer": "I recommend [Zentora](https://zentora.com/)."}),
        ),
        (
            "linkKind",
            "annotation",
            json!({"answer": "I recommend Zentora.", "sources": ["https://zentora.com/a"]}),
        ),
        (
            "prominence",
            "none",
            json!({"answer": "1. Rival Works\n2. Third House"}),
        ),
        (
            "prominence",
            "mentioned",
            json!({"answer": "1. Rival Works\n2. Third House", "sources": ["https://zentora.com/a"]}),
        ),
        (
            "prominence",
            "secondary",
            json!({"answer": "1. Rival Works\n2. Zentora\n3. Third House"}),
        ),
        (
            "prominence",
            "primary",
            json!({"answer": "1. Zentora\n2. Third House"}),
        ),
        (
            "stance",
            "absent",
            json!({"answer": "1. Rival Works\n2. Third House"}),
        ),
        ("stance", "recommended", json!({"answer": "I recommend Zentora."})),
        (
            "stance",
            "discouraged",
            json!({"answer": "1. Rival Works\n\nAvoid Zentora: they never answer the phone."}),
        ),
        ("answerClass", "answer", json!({"answer": "I recommend Zentora."})),
        (
            "answerClass",
            "refusal",
            json!({"answer": "I'm sorry, but I can't recommend specific businesses."}),
        ),
        ("answerClass", "empty", json!({"answer": ""})),
        ("answerClass", "empty", json!({"answer": null})),
        ("answerClass", "error", json!({"answer": "502 Bad Gateway"})),
        (
            "answerClass",
            "clarification",
            json!({"answer": "Which city are you in?"}),
        ),
    ];
    for (member, value, record) in rows {
        assert_eq!(one(record.clone())[member], value, "{member} of {record}");
    }
    let discouraged = one(json!({"answer": "1. Rival Works\n\nAvoid Zentora: they never answer the phone."}));
    assert_eq!(discouraged["breakdown"]["cap"], 10.0);
    let json_answer = one(json!({"answer": r#"[{"name": "Rival Works"}, {"name": "Zentora"}]"#}));
    assert_eq!(
        (&json_answer["flags"], &json_answer["rank"]),
        (&json!(["json"]), &json!(2))
    );
}

#[test]
fn sources_come_in_any_routers_shape() {
    let url = "https://www.zentora.com/services";
    let shapes = [
        json!([{"type": "url_citation", "url_citation": {"url": url, "title": "x", "start_index": 0, "end_index": 0}}]),
        json!([{"type": "url_citation", "url": url, "start_index": 4, "end_index": 9_000}]),
        json!({"citations": [url]}),
        json!({"search_results": [{"url": url, "title": "x"}]}),
        json!({"groundingChunks": [{"web": {"uri": url, "title": "zentora.com"}}]}),
        json!({"choices": [{"message": {"content": "…", "annotations": [{"url_citation": {"url": url}}]}}]}),
        json!(url),
    ];
    for annotations in shapes {
        let found = one(json!({"answer": "1. Rival Works\n2. Third House", "annotations": annotations}));
        assert_eq!(
            (&found["linkKind"], &found["prominence"]),
            (&json!("annotation"), &json!("mentioned")),
            "{annotations}"
        );
    }
    let shapes = [
        json!(url),
        json!([url]),
        json!([{"url": url}]),
        json!([{"index": 3, "url": url}, {"index": 4, "url": null}]),
        json!([{"title": "Plumbers", "link": url, "position": 1}]),
        json!({"1": url}),
        json!([format!("[1] Plumbers of Leeds {url}")]),
        json!([7, null, {"title": "no address"}, {"url": url}]),
        json!({"urls": [url]}),
        json!([{"metadata": {"url": url}}]),
        json!([{"domain": "www.zentora.com", "title": "Plumbers"}]),
    ];
    for member in [
        "annotations",
        "sources",
        "citations",
        "searchResults",
        "search_results",
        "references",
        "links",
    ] {
        for shape in &shapes {
            let found = one(json!({"answer": "1. Rival Works\n2. Third House", member: shape}));
            assert_eq!(found["linkKind"], "annotation", "{member}: {shape}");
        }
    }
    for nothing in [json!(null), json!(5), json!([]), json!({"annotations": "x"})] {
        assert_eq!(
            one(json!({"answer": "1. Rival Works", "annotations": nothing}))["linked"],
            false
        );
    }
}

#[test]
fn a_line_may_name_its_own_website() {
    let input = json!({"id": 1, "answer": "I recommend Acme Tools."}).to_string()
        + "\n"
        + &json!({"id": 2, "answer": "I recommend Acme Tools.", "domain": "https://www.other.org/x"}).to_string()
        + "\r\n"
        + &json!({"id": 3, "answer": "I recommend Acme Tools.", "domain": "other.org", "brandNames": ["Acme Tools"]}).to_string()
        + "\n"
        + &json!({"id": 4, "answer": "I recommend Acme Tools.", "brandNames": []}).to_string();
    let (lines, faults) = through(input.as_bytes(), Some("zentora.com"), &["Acme Tools"]);
    assert!(faults.is_empty(), "{faults:?}");
    let cited: Vec<_> = lines
        .iter()
        .map(|line| (line["id"].as_u64(), line["cited"].as_bool()))
        .collect();
    assert_eq!(
        cited,
        [
            (Some(1), Some(true)),
            (Some(2), Some(false)),
            (Some(3), Some(true)),
            (Some(4), Some(false))
        ],
        "the names of the command line belong to its domain"
    );
}

#[test]
fn names_of_others_never_count_and_longer_names_are_flagged() {
    let answer = "1. **Zentora Faucet** - taps.\n2. **Third House** - cheap.";
    let found = one(json!({"answer": answer, "brandNames": ["Zentora"]}));
    assert_eq!(
        (&found["rank"], &found["flags"]),
        (&json!(1), &json!(["longerName"]))
    );
    let found = one(json!({"answer": answer, "brandNames": ["Zentora"], "notNames": ["Zentora Faucet"]}));
    assert_eq!((&found["cited"], &found["flags"]), (&json!(false), &json!([])));
    assert_eq!(found["competitors"][0]["name"], "Zentora Faucet");
}

#[test]
fn messages_completions_and_single_names_are_read() {
    let parts = json!([{"type": "reasoning", "text": "Third House?"}, {"type": "text", "text": "I recommend Zentora."}]);
    let completion = json!({"choices": [{"message": {"role": "assistant", "content": "I recommend Zentora.",
        "annotations": [{"type": "url_citation", "url_citation": {"url": "https://www.zentora.com/lyon"}}]}}]});
    for (answer, link) in [
        (parts, "none"),
        (completion, "annotation"),
        (json!({"text": "I recommend Zentora."}), "none"),
    ] {
        let prompt =
            json!([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Who is good?"}]);
        let found = one(json!({"answer": answer, "prompt": prompt, "brandNames": "Zentora", "domain": ""}));
        assert_eq!(
            (&found["prominence"], &found["linkKind"]),
            (&json!("primary"), &json!(link)),
            "{answer}"
        );
        assert_eq!(found["competitors"], json!([]));
    }
    let (lines, faults) = through(br#"{"answer": {"id": 7}}"#, Some("zentora.com"), &[]);
    assert!(
        lines.is_empty() && faults[0].1.starts_with("answer: no text"),
        "{faults:?}"
    );
}

#[test]
fn bad_lines_are_numbered_and_the_others_read() {
    let mut input = b"\xef\xbb\xbf{\"id\":1,\"answer\":\"Zentora\",\"domain\":\"zentora.com\"}\n\n".to_vec();
    for line in [
        "no json",
        "[]",
        r#"{"id":5}"#,
        r#"{"id":6,"answer":7,"domain":"zentora.com"}"#,
        r#"{"id":7,"answer":"x"}"#,
        r#"{"id":8,"answer":"x","domain":"localhost"}"#,
        r#"{"id":9,"answer":"x","domain":"zentora.com","brandNames":["ok",""]}"#,
        r#"{"id":10,"answer":"x","domain":"zentora.com","sources":["https://zentora.com"}"#,
        r#"{"id":[11],"answer":"Zentora","domain":"zentora.com","unknown":{}}"#,
    ] {
        input.extend(line.as_bytes());
        input.push(b'\n');
    }
    input.extend(b"{\"answer\":\"\xff\xfe\",\"domain\":\"zentora.com\"}\n");
    input.extend(br#"{"answer":"Zentora","domain":"zentora.com"}"#);
    let (lines, faults) = through(&input, None, &[]);
    let ids: Vec<&Value> = lines.iter().map(|line| &line["id"]).collect();
    assert_eq!(ids, [&json!(1), &json!([11]), &Value::Null]);
    let numbers: Vec<u64> = faults.iter().map(|fault| fault.0).collect();
    assert_eq!(numbers, [3, 4, 5, 6, 7, 8, 9, 10, 12]);
    for (at, part) in [
        (0, "no record: expected"),
        (2, "missing field `answer`"),
        (4, "no domain, and none was given"),
        (5, "domain: "),
        (6, "brandNames[1]: "),
    ] {
        assert!(
            faults[at].1.contains(part),
            "{part} is missing in {:?}",
            faults[at]
        );
    }
}

#[test]
fn a_line_without_end_is_skipped_in_bounded_memory() {
    let good = "{\"id\":1,\"answer\":\"Zentora\"}\n";
    let endless = io::repeat(b'x').take(lines::LONGEST as u64 * 2);
    let source: Box<dyn Read> = Box::new(
        good.as_bytes()
            .chain(endless)
            .chain(&b"\n"[..])
            .chain(good.as_bytes()),
    );
    let targets = targets("zentora.com");
    let mut faults = Vec::new();
    let mut out = Vec::new();
    let done = read_all(
        BufReader::new(source),
        &mut out,
        targets,
        false,
        &mut |number, fault| {
            faults.push((number, fault.to_string()));
        },
    );
    assert!(done.is_ok_and(|counts| (counts.read, counts.bad) == (2, 1)));
    assert_eq!(faults, [(2, "over 32 MiB".to_owned())]);
    // A line of exactly the allowed length is read, and found to be not JSON.
    let longest = vec![b'x'; lines::LONGEST];
    let (_, faults) = through(&longest, Some("zentora.com"), &[]);
    assert!(faults[0].1.starts_with("no record"), "{faults:?}");
}

/// Hands out its pieces one at a time and notes how much was written before each.
struct Slow<'a> {
    pieces: Vec<&'a [u8]>,
    written: &'a std::cell::Cell<usize>,
    seen: &'a std::cell::RefCell<Vec<usize>>,
}

impl Read for Slow<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.seen.borrow_mut().push(self.written.get());
        if self.pieces.is_empty() {
            return Ok(0);
        }
        let piece = self.pieces.remove(0);
        into[..piece.len()].copy_from_slice(piece);
        Ok(piece.len())
    }
}

struct Counting<'a>(&'a std::cell::Cell<usize>);

impl Write for Counting<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0
            .set(self.0.get() + bytes.iter().filter(|byte| **byte == b'\n').count());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn an_answer_is_out_before_the_next_line_is_waited_for() {
    let (written, seen) = (std::cell::Cell::new(0), std::cell::RefCell::new(Vec::new()));
    let line: &[u8] = b"{\"answer\":\"Zentora\"}\n";
    let source: Box<dyn Read + '_> = Box::new(Slow {
        pieces: vec![line, line],
        written: &written,
        seen: &seen,
    });
    let targets = targets("zentora.com");
    let mut out = BufWriter::new(Counting(&written));
    let done = read_all(BufReader::new(source), &mut out, targets, false, &mut |_, _| {});
    assert!(done.is_ok_and(|counts| counts.read == 2));
    assert_eq!(*seen.borrow(), [0, 1, 2]);
}
