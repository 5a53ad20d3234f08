//! Scans that ask models on the own machine: a loopback server with the documented answers of Ollama, llama.cpp and vLLM.

use crate::support::{parsed, run, text};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

const ANSWER: &str = "1. **Aigua Clara** (example.com) is the best plumber for old houses.\\n2. **Fontaneria Ros** does large jobs.";

/// A server of models. It answers any number of requests and keeps their bodies.
struct Models {
    address: String,
    asked: Arc<Mutex<Vec<(String, String)>>>,
}

impl Models {
    fn start(list: &str, answer: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/v1", listener.local_addr().unwrap());
        let asked = Arc::<Mutex<Vec<(String, String)>>>::default();
        let (kept, list, answer) = (Arc::clone(&asked), list.to_owned(), answer.to_owned());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (kept, list, answer) = (Arc::clone(&kept), list.clone(), answer.clone());
                std::thread::spawn(move || serve(stream, &kept, (&list, &answer)));
            }
        });
        Self { address, asked }
    }

    /// The bodies of the questions.
    fn questions(&self) -> Vec<String> {
        let asked = self.asked.lock().unwrap();
        let questions = asked
            .iter()
            .filter(|(line, _)| line.starts_with("POST /v1/chat/completions "));
        questions.map(|(_, body)| body.clone()).collect()
    }
}

fn serve(stream: TcpStream, kept: &Mutex<Vec<(String, String)>>, (list, answer): (&str, &str)) {
    let mut reader = BufReader::new(&stream);
    let (mut first, mut length) = (String::new(), 0);
    reader.read_line(&mut first).unwrap();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap() == 0 || line == "\r\n" {
            break;
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let reply = if first.starts_with("GET /v1/models ") {
        list
    } else {
        answer
    };
    kept.lock()
        .unwrap()
        .push((first, String::from_utf8(body).unwrap()));
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\nConnection: close";
    write!(
        &stream,
        "{head}\r\nContent-Length: {}\r\n\r\n{reply}",
        reply.len()
    )
    .unwrap();
}

/// The list and the answer of each server, as its documentation shows them.
fn dialects() -> [(&'static str, String, String); 3] {
    let message = format!(r#"{{"role":"assistant","content":"{ANSWER}"}}"#);
    [
        (
            "llama3.2:3b",
            r#"{"object":"list","data":[{"id":"nomic-embed-text:latest","object":"model","created":1700000000,"owned_by":"library"},
                {"id":"llama3.2:3b","object":"model","created":1700000001,"owned_by":"library"}]}"#
                .to_owned(),
            format!(
                r#"{{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"llama3.2:3b","system_fingerprint":"fp_ollama",
                "choices":[{{"index":0,"message":{message},"finish_reason":"stop"}}],
                "usage":{{"prompt_tokens":30,"completion_tokens":40,"total_tokens":70}}}}"#
            ),
        ),
        (
            "/models/qwen3-0.6b-q8_0.gguf",
            r#"{"models":[{"name":"/models/qwen3-0.6b-q8_0.gguf","model":"/models/qwen3-0.6b-q8_0.gguf","type":"model"}],
                "object":"list","data":[{"id":"/models/qwen3-0.6b-q8_0.gguf","object":"model","created":1,"owned_by":"llamacpp",
                "meta":{"n_vocab":151936,"n_ctx_train":40960}}]}"#
                .to_owned(),
            format!(
                r#"{{"choices":[{{"finish_reason":"stop","index":0,"message":{message}}}],"created":1,
                "model":"/models/qwen3-0.6b-q8_0.gguf","system_fingerprint":"b6000","object":"chat.completion",
                "usage":{{"completion_tokens":40,"prompt_tokens":30,"total_tokens":70}},"id":"chatcmpl-1",
                "timings":{{"prompt_n":30,"prompt_ms":9.1,"predicted_n":40,"predicted_ms":800.0}}}}"#
            ),
        ),
        (
            "Qwen/Qwen3-0.6B",
            r#"{"object":"list","data":[{"id":"Qwen/Qwen3-0.6B","object":"model","created":1,"owned_by":"vllm",
                "root":"Qwen/Qwen3-0.6B","parent":null,"max_model_len":40960,"permission":[]}]}"#
                .to_owned(),
            format!(
                r#"{{"id":"chatcmpl-1","object":"chat.completion","created":1,"model":"Qwen/Qwen3-0.6B","choices":[{{"index":0,
                "message":{message},"logprobs":null,"finish_reason":"stop","stop_reason":null}}],
                "usage":{{"prompt_tokens":30,"total_tokens":70,"completion_tokens":40,"prompt_tokens_details":null}},
                "prompt_logprobs":null}}"#
            ),
        ),
    ]
}

#[test]
fn own_models_are_asked_by_their_names_for_nothing_and_answer_from_memory() {
    for (name, list, answer) in dialects() {
        let server = Models::start(&list, &answer);
        let order = [
            "scan",
            "example.com",
            "plumber",
            "--questions",
            "2",
            "--router",
            &server.address,
        ];
        let output = run(&[&order[..], &["--json"]].concat(), &[], "");
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let said = text(&output.stderr);
        assert!(
            said.contains("2 questions to 1 model, about $0.00 (your own models: free, from memory)"),
            "{said}"
        );
        let result = parsed(&output);
        let model = &result["models"][0];
        assert_eq!(
            (&model["model"], &model["modelLabel"]),
            (&name.into(), &name.into())
        );
        assert_eq!(model["cited"], true, "{model}");
        assert_eq!(result["retrieval"]["headline"], "memory");
        assert_eq!(result["retrieval"]["searchAsked"], false);
        let questions = server.questions();
        assert_eq!(questions.len(), 2);
        for question in &questions {
            let question: serde_json::Value = serde_json::from_str(question).unwrap();
            assert_eq!(question["model"], name);
            assert!(question.get("tools").is_none() && question.get("web_search_options").is_none());
        }
        let report = run(&[&order[..], &["--models", name]].concat(), &[], "");
        let report = text(&report.stdout);
        assert!(
            report.contains("the score is from memory") && report.contains(name),
            "{report}"
        );
    }
}

#[test]
fn a_server_without_a_usable_model_or_without_life_says_so() {
    let server = Models::start(r#"{"object":"list","data":[{"id":"nomic-embed-text"}]}"#, "");
    for (router, message) in [
        (server.address.as_str(), "lists no model that answers questions"),
        (
            "http://127.0.0.1:1/v1",
            "asking http://127.0.0.1:1/v1 for its models",
        ),
    ] {
        let output = run(&["scan", "example.com", "plumber", "--router", router], &[], "");
        assert_eq!(output.status.code(), Some(1));
        assert!(text(&output.stderr).contains(message), "{}", text(&output.stderr));
    }
    assert_eq!(server.questions().len(), 0);
}

#[test]
fn a_proxy_to_vendors_on_the_own_machine_is_no_free_model() {
    let list = r#"{"object":"list","data":[{"id":"perplexity/sonar-pro","object":"model"}]}"#;
    let server = Models::start(list, "");
    let order = [
        "scan",
        "example.com",
        "plumber",
        "--plan",
        "--models",
        "model-4-latest",
        "--router",
        &server.address,
    ];
    let output = run(&order, &[], "");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(
        text(&output.stderr).starts_with("3 questions to 1 model, about $0.0"),
        "{}",
        text(&output.stderr)
    );
}
