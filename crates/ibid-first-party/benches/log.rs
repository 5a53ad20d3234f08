//! One gigabyte of access log: time, memory, and the time of `wc -l` and `grep -c` on the same file.
//!
//! `cargo bench -p ibid-first-party --bench log` writes the file into the folder for temporary files and deletes it.
//! `-- json` writes JSON lines. Linux: the memory is the peak of the process.

#![expect(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "a benchmark prints and stops at errors"
)]

use ibid_first_party::bots::Ranges;
use ibid_first_party::{Options, Reading};
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

const SIZE: u64 = 1 << 30;
const AGENTS: [&str; 6] = [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile Safari/604.1",
    "Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.3; +https://openai.com/gptbot)",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
];

fn main() {
    let is_json = std::env::args().any(|argument| argument == "json");
    let path = std::env::temp_dir().join(format!("ibid-log-{}.log", std::process::id()));
    let lines = write(&path, is_json);
    for (program, arguments) in [("wc", vec!["-l"]), ("grep", vec!["-c", "GPTBot"])] {
        let start = Instant::now();
        // Into a pipe: `grep` stops at the first line where nobody reads.
        let done = Command::new(program).args(&arguments).arg(&path).output();
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "{program} {}: {seconds:.2} s {}",
            arguments.join(" "),
            done.is_ok_and(|done| done.status.success())
        );
    }
    let options = Options {
        domain: "example.com".parse().expect("a domain"),
        format: None,
        until: None,
        ranges: Ranges::default(),
        proxies: Vec::new(),
        bounds: ibid_first_party::Bounds::default(),
    };
    let start = Instant::now();
    let mut reading = Reading::default();
    let read = reading.add("access.log", &mut File::open(&path).expect("the file"), &options);
    let seconds = start.elapsed().as_secs_f64();
    let deleted = fs::remove_file(&path);
    read.expect("a log");
    deleted.expect("the file is deleted");
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status
        .lines()
        .find(|line| line.starts_with("VmHWM"))
        .unwrap_or_default();
    let report = &reading.files()[0];
    println!("ibid: {seconds:.2} s, {peak}");
    println!(
        "{lines} lines, {} used, {} refused, {} rows",
        report.used,
        report.refused.total(),
        report.rows
    );
}

/// Writes a log of three weeks, of which a sixth are programs of AI services, with ten thousand pages.
fn write(path: &Path, is_json: bool) -> u64 {
    let mut file = BufWriter::new(File::create(path).expect("a file"));
    let (mut written, mut lines, mut state) = (0, 0, 1_u64);
    while written < SIZE {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let drawn = state >> 33;
        let agent = AGENTS[usize::try_from(if drawn % 6 == 0 {
            3 + drawn / 6 % 3
        } else {
            drawn % 3
        })
        .expect("small")];
        let (day, page) = (1 + drawn % 21, drawn / 7 % 10_000);
        let line = if is_json {
            format!(
                "{{\"time\":\"2026-08-{day:02}T13:55:36Z\",\"remote_addr\":\"198.51.{}.{}\",\"request_method\":\"GET\",\"request_uri\":\"/shop/item-{page}?ref=list\",\"status\":200,\"body_bytes_sent\":5120,\"http_referer\":\"https://www.example.com/shop\",\"http_user_agent\":\"{agent}\"}}\n",
                drawn % 256,
                drawn / 256 % 256
            )
        } else {
            format!(
                "198.51.{}.{} - - [{day:02}/Aug/2026:13:55:36 +0000] \"GET /shop/item-{page}?ref=list HTTP/1.1\" 200 5120 \"https://www.example.com/shop\" \"{agent}\"\n",
                drawn % 256,
                drawn / 256 % 256
            )
        };
        file.write_all(line.as_bytes()).expect("room for the file");
        written += line.len() as u64;
        lines += 1;
    }
    file.flush().expect("room for the file");
    lines
}
