use super::{ImportError, ImportedLog, MOST_BYTES_OF_CELL};
use crate::scanned::Scanned;
use ibid_model::ScanId;
use ibid_model::result::{Stratum, Warning};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

fn read(text: impl AsRef<[u8]>) -> Result<ImportedLog, Vec<String>> {
    ImportedLog::read(text.as_ref(), 5_000).map_err(|faults| faults.iter().map(ToString::to_string).collect())
}

fn order(members: Value) -> Map<String, Value> {
    let mut order = json!({"domain": "example.com", "keyword": "plumber"});
    let (order, Value::Object(members)) = (order.as_object_mut().unwrap(), members) else {
        panic!("members are an object");
    };
    order.extend(members);
    order.clone()
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn score(log: ImportedLog) -> Scanned {
    let plan = log.plan(order(json!({}))).unwrap();
    let time = at("2026-11-20T10:00:00Z");
    log.score(ScanId::random(), &plan, time..=time)
}

#[test]
fn sheets_and_json_have_the_same_rows() {
    for text in [
        "Prompt,Model,Response,Cited URLs\nWho?,gpt,\"Ada, of course\",https://a.example/x; b.example\n,gpt,x,\n",
        "\u{feff}question;engine;answer;sources\nWho?;gpt;Ada, of course;\"[\"\"https://a.example/x\"\",\"\"https://b.example\"\"]\"\nempty;gpt;;\n",
        "query\tllm\toutput\tlinks\nWho?\tgpt\tAda, of course\thttps://a.example/x|b.example\n\t\t\t\n",
        "{\"prompt\":\"Who?\",\"model\":\"gpt\",\"answer\":\"Ada, of course\",\"citations\":[\"https://a.example/x\",\"https://b.example\"]}\n\n{\"prompt\":\"x\"}\n",
        " [{\"query\":\"Who?\",\"platform\":\"gpt\",\"response_text\":\"Ada, of course\",\"source_urls\":\"https://a.example/x https://b.example\"},{}]",
        "[{\"prompt\":null,\"question\":\" Who? \",\"text\":\"not this\",\"answer\":\"Ada, of course\",\"LLM\":\"gpt\",\"other\":{\"a\":[1,2]},\
         \"annotations\":[{\"type\":\"url_citation\",\"url_citation\":{\"url\":\"https://a.example/x\"}},{\"url\":\"https://b.example\"}]},\n{\"prompt\":7,\"answer\":\"x\"}]",
    ] {
        let log = read(text).unwrap();
        assert_eq!(
            log.notes().collect::<Vec<_>>(),
            ["1 rows without a question or an answer are left out"]
        );
        let evidence = score(log).evidence;
        let [answer] = &evidence.answers[..] else {
            panic!("{text}");
        };
        assert_eq!((answer.question.as_str(), answer.model.as_str()), ("Who?", "gpt"));
        assert_eq!(answer.text.as_deref(), Some("Ada, of course"), "{text}");
        assert_eq!(answer.citations.len(), 2, "{text}");
    }
}

#[test]
fn every_fault_has_its_line() {
    let long = "x".repeat(MOST_BYTES_OF_CELL + 1);
    for (text, expected) in [
        (
            "\n{\"prompt\":\"a\",\"answer\":\"b\"}\n[]\n\n{\"prompt\":\n7\n".to_owned(),
            &[
                "line 3: no JSON object",
                "line 5: no JSON object",
                "line 6: no JSON object",
            ][..],
        ),
        (
            "[\n{\"prompt\":\"a\",\"answer\":\"b\"},\n7,\n\n\"x\"\n]".to_owned(),
            &["line 3: no JSON object", "line 5: no JSON object"],
        ),
        (
            "[{},\n{},".to_owned(),
            &["line 2: the list of objects is not valid JSON"],
        ),
        (
            "[] x".to_owned(),
            &["line 1: the list of objects is not valid JSON"],
        ),
        (
            "Prompt,Answer,Model\na,b,\nc,\"d\ne\",\nf,\0,\n\"g\nh\",i,\nj,k,".to_owned() + &"m".repeat(201),
            &[
                "line 5: a NUL character",
                "line 6: the question: must be one line",
                "line 8: the name of the model is longer than 200 characters",
            ],
        ),
        (
            format!("prompt,answer,sources\na,{long},\nb,c,{long}\nd,e,\n{long},f,\n"),
            &[
                "line 2: the cell of the answer is longer than 256 KiB",
                "line 3: the cell of the sources is longer than 256 KiB",
                "line 5: the cell of the question is longer than 256 KiB",
            ],
        ),
        (
            "a,b\n1,2\n".to_owned(),
            &[
                "line 1: no column for the question; its name is one of prompt, question, query, prompt text, input, search query, \
                 search prompt, query text, question text, user prompt, value",
                "line 1: no column for the answer; its name is one of answer, response, output, completion, answer text, response text, \
                 result text, content, ai response, response markdown, text",
            ],
        ),
    ] {
        let found = read(&text).expect_err("faults");
        let shown: String = text.chars().take(60).collect();
        assert_eq!(found.len(), expected.len(), "{shown}: {found:?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(
                found.starts_with(expected) || expected.contains("one line"),
                "{shown}: {found}"
            );
        }
    }
}

#[test]
fn texts_in_other_encodings_have_the_same_answers() {
    let text = "query\tai_engine\tresult_text\tsource_url_1\tsource_url_2\nGrößter Klempner?\tgpt\t\"Änder AG\nund mehr\"\thttps://a.example/x\thttps://b.example\n";
    let utf16 = |units: &[u16]| -> Vec<u8> { units.iter().flat_map(|unit| unit.to_le_bytes()).collect() };
    let units: Vec<u16> = text.encode_utf16().collect();
    let marked: Vec<u16> = std::iter::once(0xfeff).chain(units.iter().copied()).collect();
    let latin1: Vec<u8> = text.chars().map(|letter| u8::try_from(letter).unwrap()).collect();
    for bytes in [text.as_bytes().to_vec(), utf16(&units), utf16(&marked), latin1] {
        let evidence = score(read(bytes).unwrap()).evidence;
        let [answer] = &evidence.answers[..] else {
            panic!("one answer");
        };
        assert_eq!(answer.question, "Größter Klempner?");
        assert_eq!(answer.text.as_deref(), Some("Änder AG\nund mehr"));
        assert_eq!(answer.citations.len(), 2);
    }
}

#[test]
fn faults_are_shown_up_to_a_bound_and_counted_beyond_it() {
    let faults = ImportedLog::read(b"{}\n", 9);
    assert!(faults.is_ok());
    let faults = ImportedLog::read("{\n".repeat(1_000).as_bytes(), 5_000).unwrap_err();
    assert_eq!((faults.iter().count(), faults.more()), (20, 980));
    assert!(
        faults
            .to_string()
            .ends_with("line 20: no JSON object; and 980 more")
    );
}

#[test]
fn rows_beyond_the_bound_are_not_read() {
    let rows = |rows: usize| "{\"prompt\":\"a\",\"answer\":\"b\"}\n".repeat(rows);
    let array = |count: usize| format!("[{}{{}}]", "{},".repeat(count - 1));
    let sheet = |count: usize| format!("prompt,answer\n{}", "a,b\n".repeat(count));
    for make in [&rows as &dyn Fn(usize) -> String, &array, &sheet] {
        assert!(ImportedLog::read(make(5).as_bytes(), 5).is_ok());
        let faults = ImportedLog::read(make(6).as_bytes(), 5).unwrap_err();
        assert_eq!(faults.to_string(), "the log has more than 5 rows");
        assert!(ImportedLog::read(make(600).as_bytes(), 5).is_err());
    }
}

#[test]
fn a_scan_takes_three_hundred_questions_a_hundred_models_and_the_first_answers() {
    let mut sheet = "prompt,model,answer\n".to_owned();
    sheet.push_str("See https://a.example?,gpt,Answer\n");
    for question in 0..302 {
        for _ in 0..2 {
            sheet.push_str(&format!("Question {question}?,gpt,Answer\n"));
        }
    }
    // A question that the scan does not take may have any form.
    sheet.push_str("\"two\nlines\",gpt,Answer\n");
    let log = read(&sheet).unwrap();
    let notes: Vec<_> = log.notes().collect();
    assert_eq!(
        notes,
        [
            "1 answers to questions with a link are left out: a scan does not ask them",
            "300 further answers of a model to the same question are left out",
            "5 answers to further questions are left out: a scan has at most 300 questions",
        ]
    );
    assert_eq!(score(log).result.usage.answered, 300);
    let models = |count: usize| -> String {
        let rows = (0..count).map(|model| format!("a,m{model},b\n"));
        "prompt,model,answer\n".to_owned() + &rows.collect::<String>()
    };
    assert!(read(models(100)).unwrap().plan(order(json!({}))).is_ok());
    assert_eq!(
        read(models(4_000)).unwrap_err(),
        ["line 102: a scan has at most 100 models"]
    );
}

#[test]
fn hostile_files_end_soon() {
    let deep = format!(
        "{{\"prompt\":\"a\",\"answer\":\"b\",\"x\":{}",
        "[".repeat(1 << 20)
    );
    assert_eq!(read(deep).unwrap_err(), ["line 1: no JSON object"]);
    let keys: String = (0..200_000).map(|n| format!("\"k{n}\":1,")).collect();
    let wide = format!("{{{keys}\"prompt\":\"a\",\"answer\":\"b\"}}");
    assert!(read(wide).is_ok());
    let sources = format!(
        "{{\"prompt\":\"a\",\"answer\":\"b\",\"sources\":[{}1]}}",
        "[],".repeat(80_000)
    );
    assert!(read(sources).is_ok());
    // An open quotation takes the rest of the file into one cell.
    let cell = format!("prompt,answer\na,\"{}", "b,\n".repeat(1 << 20));
    assert_eq!(
        read(cell).unwrap_err(),
        ["line 2: the cell of the answer is longer than 256 KiB"]
    );
    for nothing in [
        "",
        "\u{feff}\n ",
        "[]",
        "{}",
        "prompt,answer\n",
        "prompt,answer\n,\n",
    ] {
        let log = read(nothing);
        assert_eq!(
            log.unwrap().plan(order(json!({}))).err(),
            Some(ImportError::Empty),
            "{nothing:?}"
        );
    }
}

#[test]
fn an_imported_scan_says_so_and_knows_nothing_of_searches() {
    let log = "{\"prompt\":\"Who fixes  pipes?\",\"model\":\"A\",\"answer\":\"Ask Example (example.com).\"}\n\
               {\"prompt\":\"Who fixes pipes?\",\"model\":\"B\",\"answer\":\"No idea.\"}\n\
               {\"prompt\":\"Cheap plumber?\",\"model\":\"A\",\"answer\":\"Other.\"}\n{}\n";
    let log = read(log).unwrap();
    let plan = log
        .plan(order(json!({"brandNames": ["Example"], "location": "Leeds, UK"})))
        .unwrap();
    let (first, last) = (at("2026-11-20T10:00:00Z"), at("2026-11-20T11:00:00Z"));
    let result = log.score(ScanId::random(), &plan, first..=last).result;
    let codes: Vec<_> = result
        .warnings
        .iter()
        .map(|warning| warning.code.as_str())
        .collect();
    assert_eq!(codes[..2], [Warning::IMPORTED, "import_left_out"]);
    assert!(codes.contains(&"partial"), "{codes:?}");
    assert_eq!((result.started_at, result.finished_at), (first, last));
    assert_eq!((result.usage.questions, result.usage.answered), (4, 3));
    assert!(result.models[0].cited && !result.models[1].cited);
    assert_eq!(result.models[0].resolved_model.as_deref(), Some("A"));
    assert!(!result.method.web_search && !result.sandbox);
    let retrieval = result.retrieval;
    assert_eq!(retrieval.headline, Stratum::Unknown);
    assert_eq!(
        (retrieval.searched, retrieval.memory, retrieval.unknown),
        (0, 0, 3)
    );
    assert!(!codes.contains(&"not_searched"), "{codes:?}");
    assert!(result.location.is_some());
}

#[test]
fn the_faults_of_the_order_are_those_of_any_order() {
    let log = read("prompt,answer\na,b\n").unwrap();
    let bad = order(json!({"domain": "localhost", "keyword": "", "brandNames": ["x".repeat(101)]}));
    let Err(ImportError::Order(faults)) = log.plan(bad) else {
        panic!("faults");
    };
    let fields: Vec<_> = faults.iter().map(|fault| fault.field.as_str()).collect();
    assert_eq!(fields, ["/domain", "/keyword", "/brandNames/0"]);
    let unknown = log.plan(order(json!({"location": "Qqqq, Nowhere"})));
    assert!(matches!(unknown, Err(ImportError::Plan(_))));
}

#[test]
fn times_are_those_of_the_answers_that_the_scan_takes() {
    let asked = |time: &str| {
        let rows = format!("prompt,answer,Created At\na,b,{time}\na,later,2030-01-01\n");
        read(rows).unwrap().asked_at().map(|range| range.into_inner())
    };
    let expected = at("2026-11-20T10:00:00Z");
    for time in [
        "2026-11-20T10:00:00Z",
        "2026-11-20 12:00:00+02:00",
        "2026-11-20 10:00:00",
        "2026-11-20T10:00",
        "1795168800",
        "1795168800000",
    ] {
        assert_eq!(asked(time), Some((expected, expected)), "{time}");
    }
    assert_eq!(
        asked("2026-11-20"),
        Some((at("2026-11-20T00:00:00Z"), at("2026-11-20T00:00:00Z")))
    );
    for nothing in [
        "",
        "yesterday",
        "11/20/2026",
        "-99999999999999999",
        "99999999999999999999",
    ] {
        assert_eq!(asked(nothing), None, "{nothing}");
    }
    let json = "{\"prompt\":\"a\",\"answer\":\"b\",\"time\":1795168800}\n\
                {\"prompt\":\"c\",\"answer\":\"b\",\"time\":\"2026-11-19\"}";
    assert_eq!(
        read(json).unwrap().asked_at(),
        Some(at("2026-11-19T00:00:00Z")..=expected)
    );
}
