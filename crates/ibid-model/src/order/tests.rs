use super::*;

fn parse(body: Value, form: ScanForm) -> Result<ScanOrder, Vec<(String, &'static str)>> {
    let Value::Object(members) = body else {
        panic!("a body is an object")
    };
    ScanDraft(&members)
        .parse(&Catalog::builtin(), form)
        .map_err(|faults| {
            faults
                .iter()
                .map(|f| (f.field.clone(), f.code.as_str()))
                .collect()
        })
}

fn check_faults(body: Value, expected: &[(&str, &'static str)]) {
    let faults = parse(body.clone(), ScanForm::Byok).expect_err(&body.to_string());
    let faults: Vec<_> = faults
        .iter()
        .map(|(field, code)| (field.as_str(), *code))
        .collect();
    assert_eq!(faults, expected, "{body}");
}

#[test]
fn defaults_are_those_of_the_interface() {
    let order = parse(json!({"domain": "example.com", "keyword": "crm"}), ScanForm::Byok).unwrap();
    assert_eq!(order.models().len(), 3);
    assert_eq!(order.rings(), &[1, 2].into_iter().filter_map(Ring::new).collect());
    assert!(!order.rings_given());
    let counts = (
        order.counts().questions_per_model,
        order.keywords_per_ring(),
        order.queries_per_keyword(),
    );
    assert_eq!((counts.0.get(), counts.1.get(), counts.2.get()), (3, 5, 1));
}

#[test]
fn forms_differ_in_defaults() {
    let body = || json!({"domain": "example.com", "keyword": "crm", "location": "Oslo, Norway"});
    assert!(parse(body(), ScanForm::Scan).unwrap().rings().is_empty());
    assert_eq!(
        parse(body(), ScanForm::Radius).unwrap().keywords_per_ring().get(),
        1
    );
    let faults = parse(
        json!({"domain": "example.com", "keyword": "crm"}),
        ScanForm::Radius,
    )
    .unwrap_err();
    assert_eq!(faults, [("/location".to_owned(), "required")]);
    // Paid bodies have no tier: it is an unknown member there, and ignored.
    assert!(
        parse(
            json!({"domain": "example.com", "keyword": "crm", "tier": 1}),
            ScanForm::Scan
        )
        .is_ok()
    );
}

#[test]
fn every_bound_holds() {
    for (name, low, high) in [
        ("questionsPerModel", 1, 10),
        ("keywordsPerRing", 1, 50),
        ("queriesPerKeyword", 1, 10),
    ] {
        for n in [low, high] {
            assert!(
                parse(
                    json!({"domain": "a.com", "keyword": "k", name: n}),
                    ScanForm::Byok
                )
                .is_ok(),
                "{name} {n}"
            );
        }
        for n in [low - 1, high + 1, -1, 1_000_000] {
            let field = format!("/{name}");
            check_faults(
                json!({"domain": "a.com", "keyword": "k", name: n}),
                &[(&field, "out_of_range")],
            );
        }
    }
    for n in [0, 6, 256, -1] {
        check_faults(
            json!({"domain": "a.com", "keyword": "k", "rings": [1, n]}),
            &[("/rings/1", "out_of_range")],
        );
    }
}

#[test]
fn every_fault_is_reported_at_once() {
    check_faults(
        json!({
            "domain": "localhost", "keyword": 7, "location": "", "tier": "pro", "language": "english",
            "brandNames": ["ok", 1], "notNames": [2], "models": ["model-1-latest", "gpt", 3], "rings": [0, "1", 1.5],
            "questionsPerModel": 0, "keywordsPerRing": "5", "queriesPerKeyword": 2.5
        }),
        &[
            ("/domain", "invalid"),
            ("/keyword", "wrong_type"),
            ("/location", "invalid"),
            ("/tier", "unknown_tier"),
            ("/language", "invalid"),
            ("/brandNames/1", "wrong_type"),
            ("/notNames/0", "wrong_type"),
            ("/models/1", "unknown_model"),
            ("/models/2", "wrong_type"),
            ("/rings/0", "out_of_range"),
            ("/rings/1", "wrong_type"),
            ("/rings/2", "invalid"),
            ("/questionsPerModel", "out_of_range"),
            ("/keywordsPerRing", "wrong_type"),
            ("/queriesPerKeyword", "invalid"),
        ],
    );
    check_faults(
        json!({"domain": "a.com", "keyword": "k", "brandNames": ["", 2, "3", "4", "5", "6", "7", "8", "9", "10", "", 12]}),
        &[
            ("/brandNames", "out_of_range"),
            ("/brandNames/0", "invalid"),
            ("/brandNames/1", "wrong_type"),
        ],
    );
    check_faults(json!({}), &[("/domain", "required"), ("/keyword", "required")]);
    check_faults(
        json!({"domain": "a.com", "keyword": "k", "models": []}),
        &[("/models", "out_of_range")],
    );
    check_faults(
        json!({"domain": "a.com", "keyword": "k", "models": "all"}),
        &[("/models", "wrong_type")],
    );
    check_faults(
        json!({"domain": "a.com", "keyword": "k", "tier": 1}),
        &[("/tier", "wrong_type")],
    );
}

#[test]
fn own_questions_are_taken_where_the_caller_pays_the_models() {
    let body = |questions: Value| json!({"domain": "a.com", "keyword": "k", "questions": questions});
    let asked = |order: ScanOrder| -> Vec<String> {
        let questions = order.questions().iter();
        questions.map(|question| question.as_str().to_owned()).collect()
    };
    for form in [ScanForm::Byok, ScanForm::Workspace] {
        let order = parse(
            body(json!(["Who fixes  taps?", "Who fixes taps?", "Who else?"])),
            form,
        )
        .unwrap();
        assert_eq!(order.core_questions(), 2);
        assert_eq!(asked(order), ["Who fixes taps?", "Who else?"]);
        let none = parse(body(Value::Null), form).unwrap();
        assert_eq!((none.questions().len(), none.core_questions()), (0, 3));
    }
    for form in [ScanForm::Scan, ScanForm::Radius] {
        let faults = parse(
            json!({"domain": "a.com", "keyword": "k", "location": "Oslo", "questions": ["Who?"]}),
            form,
        );
        assert_eq!(faults.unwrap_err(), [("/questions".to_owned(), "invalid")]);
    }
    check_faults(body(json!([])), &[("/questions", "out_of_range")]);
    check_faults(body(json!("Who?")), &[("/questions", "wrong_type")]);
    check_faults(body(json!(["a\nb"])), &[("/questions/0", "question_invalid")]);
    check_faults(
        body(json!([{"text": "x".repeat(301)}])),
        &[("/questions/0/text", "question_invalid")],
    );
}

#[test]
fn an_order_repeats_as_its_body() {
    let order = parse(
        json!({"domain": "a.com", "keyword": "k", "location": "Oslo", "rings": [2],
               "questions": ["Who fixes taps?", {"text": "Who mends roofs {place}?", "topic": "roofs", "place": "Bergen"}]}),
        ScanForm::Workspace,
    )
    .unwrap();
    assert_eq!(parse(order.body(), ScanForm::Workspace), Ok(order));
}

#[test]
fn lists_are_tidied() {
    let order = parse(
        json!({"domain": "a.com", "keyword": "k", "rings": [2, 1, 2.0], "models": ["model-4-latest"],
               "questionsPerModel": null, "unknown": {"x": 1}}),
        ScanForm::Byok,
    )
    .unwrap();
    assert_eq!(order.rings(), &[1, 2].into_iter().filter_map(Ring::new).collect());
    assert_eq!(order.models().len(), 1);
    let none = parse(
        json!({"domain": "a.com", "keyword": "k", "rings": []}),
        ScanForm::Byok,
    )
    .unwrap();
    assert!(none.rings().is_empty() && none.rings_given());
}

#[test]
fn a_repeated_alias_is_a_fault() {
    let faults = parse(
        json!({"domain": "a.com", "keyword": "k", "models": ["model-4-latest", "model-1-latest", "model-4-latest"]}),
        ScanForm::Byok,
    )
    .unwrap_err();
    assert_eq!(faults, [("/models/2".to_owned(), "invalid")]);
}

#[test]
fn a_width_or_an_amount_of_money_takes_the_place_of_counts() {
    let body = |more: Value| {
        let mut body = json!({"domain": "a.com", "keyword": "k", "location": "Lyon, France"});
        for (name, value) in more.as_object().unwrap() {
            body[name] = value.clone();
        }
        body
    };
    let order = parse(body(json!({"targetWidth": 30, "budget": 0.7})), ScanForm::Byok).unwrap();
    let rule = StopRule {
        target_width: Some(30),
        budget: Some(UsdMicros::new(700_000)),
    };
    assert_eq!((order.stop(), order.rings().is_empty()), (Some(rule), true));
    // The body asks the same again.
    let again = parse(order.body(), ScanForm::Byok).unwrap();
    assert_eq!(again.stop(), order.stop());
    assert!(
        parse(body(json!({})), ScanForm::Byok)
            .unwrap()
            .body()
            .get("budget")
            .is_none()
    );
    assert!(
        parse(
            body(json!({"targetWidth": null, "questionsPerModel": 3})),
            ScanForm::Byok
        )
        .is_ok()
    );
    for (form, narrowest) in [
        (ScanForm::Byok, 20),
        (ScanForm::Queued, 10),
        (ScanForm::Workspace, 10),
    ] {
        assert!(parse(body(json!({"targetWidth": narrowest})), form).is_ok());
        let faults = parse(body(json!({"targetWidth": narrowest - 1})), form).unwrap_err();
        assert_eq!(faults, [("/targetWidth".to_owned(), "out_of_range")]);
    }
    for form in [ScanForm::Scan, ScanForm::Radius] {
        let faults = parse(body(json!({"targetWidth": 30, "budget": 1})), form).unwrap_err();
        let fault = |field: &str| (field.to_owned(), "invalid");
        assert_eq!(faults, [fault("/targetWidth"), fault("/budget")]);
    }
}
