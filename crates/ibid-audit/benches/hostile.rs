//! Audits pages of 5 MB that are built to be slow.
//! Linux only.
//!
//! Each audit has its own process, which reports its CPU time and its peak memory.
//! The run fails if an audit takes more than two seconds or 64 MB.
//!
//! Then 32 pages are held in memory and audited two at a time, as in a server and with its allocator.
//! The goal is 128 MB above the pages.
//! The run reports a higher value as missed.

use ibid_audit::{Page, SiteAnswer, SiteFile, audit};
use std::fmt::Write;
use std::process::{Command, ExitCode};

/// The allocator of `ibid-server`.
///
/// The allocator of glibc keeps much of the freed memory.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const BYTES: usize = 5 << 20;
const MAX_MILLIS: u64 = 2_000;
const MAX_KIB: u64 = 64 << 10;
/// The pages in memory, and the audits computed, at the same time.
const CROWD: usize = 32;
const COMPUTING: usize = 2;
const MAX_CROWD_KIB: u64 = 128 << 10;

fn fill(start: &str, part: &str) -> Vec<u8> {
    let mut html = String::with_capacity(BYTES + 1_000);
    html.push_str(start);
    while html.len() < BYTES {
        html.push_str(part);
    }
    html.into_bytes()
}

fn counted(start: &str, part: impl Fn(&mut String, usize)) -> Vec<u8> {
    let mut html = String::with_capacity(BYTES + 1_000);
    html.push_str(start);
    let mut count = 0;
    while html.len() < BYTES {
        count += 1;
        part(&mut html, count);
    }
    html.into_bytes()
}

type Make = fn() -> Vec<u8>;

/// Name and maker of each page.
const PAGES: &[(&str, Make)] = &[
    ("nested div", || fill("", "<div>")),
    ("nested just below the limit", || {
        fill(&"<div>".repeat(500), "<p>text and more text</p>")
    }),
    ("unknown end tags", || fill(&"<span>".repeat(500), "</x>")),
    ("paragraph searches", || {
        fill(&"<span>".repeat(500), "<div></div>")
    }),
    ("formatting", || {
        counted("", |html, n| _ = write!(html, "<b id={n}>"))
    }),
    ("formatting churn", || {
        let start: String = (0..500).map(|n| format!("<b id={n}>")).collect();
        counted(&start, |html, n| _ = write!(html, "</b><b id=x{n}>"))
    }),
    ("formatting rebuilt", || {
        let start: String = (0..400).map(|n| format!("<b id={n}>")).collect();
        fill(&start, "<p>x")
    }),
    ("attributes", || {
        counted("<p ", |html, n| _ = write!(html, "a{n} "))
    }),
    ("attributes in many tags", || {
        let tag: String = (0..200).map(|n| format!("a{n} ")).collect();
        fill("", &format!("<p {tag}>"))
    }),
    ("attributes in a comment", || {
        counted("<!-- <p ", |html, n| _ = write!(html, "a{n} "))
    }),
    ("read attributes", || {
        fill("", "<p class=a id=b title=c style=d lang=e role=f href=g>")
    }),
    ("long attribute", || fill("<p title=\"", "words and words ")),
    ("classes", || {
        fill(
            "<main>",
            &format!("<p class=\"{}\">x</p>", "paywalls authors bylines ".repeat(40)),
        )
    }),
    ("styles", || {
        fill(
            "<main>",
            &format!("<p style=\"{}\">x</p>", "left:-12px;opacity:1;".repeat(40)),
        )
    }),
    ("roots", || fill("<main>", "<div id=root><i></i></div>")),
    ("bylines", || fill("<main>", "<div class=byline><i></i></div>")),
    ("headings", || fill("<main>", "<h2>a</h2>")),
    ("empty headings", || fill("<main><h2>", "<i></i><h3></h3>")),
    ("links", || {
        counted("<main>", |html, n| {
            _ = write!(html, "<a href=http://h{n}.com/>x</a>")
        })
    }),
    ("images", || fill("<main>", "<img src=x>")),
    ("cells", || fill("<main><table><tr>", "<td><th>")),
    ("list items", || fill("<main><ul>", "<li>a b")),
    ("time elements", || {
        fill("<main>", "<time datetime=2026-01-01>x</time>")
    }),
    ("metas", || {
        fill(
            "",
            "<meta name=robots content='noindex,max-snippet:1,unavailable_after: 1 Jan 2020'>",
        )
    }),
    ("canonicals", || {
        counted("", |html, n| {
            _ = write!(html, "<link rel=canonical href=https://a.com/{n}>")
        })
    }),
    ("alternates", || {
        fill("", "<link rel=alternate hreflang=en href=https://a.com/>")
    }),
    ("text", || fill("<main><p>", "some words of text, and more. ")),
    ("paragraphs", || {
        fill("<main>", "<p>Some words of text and 12 % more of them here")
    }),
    ("distinct words", || {
        counted("<main><p>", |html, n| _ = write!(html, "w{n:x} "))
    }),
    ("one word", || fill("<main><p>", "abcdefghij")),
    ("white space", || fill("<main><p>", "          ")),
    ("invisible characters", || {
        fill("<main><p>", "\u{200b}\u{2060}\u{e0041}")
    }),
    ("digits", || fill("<main><p>", "1 ")),
    ("long number", || fill("<main><p>", "1234567890")),
    ("grouped number", || fill("<main><p>", "1,234,")),
    ("money", || fill("<main><p>", "$1 USD 2 EUR ")),
    ("months", || fill("<main><p>", "March 3 Mars ")),
    ("dates", || fill("<main><p>", "2026-01-01 ")),
    ("quotation marks", || fill("<main><p>", "“a b c d” said ")),
    ("opening marks", || fill("<main><p>", "“„«")),
    ("straight marks", || fill("<main><p>", "\"a ")),
    ("definitions", || fill("<main><p>", "it is a thing that is the ")),
    ("full stops", || fill("<main><p>", "a. ")),
    ("Chinese", || fill("<main><p>", "东京都心的天气很好。")),
    ("Thai", || fill("<main><p>", "สวัสดีชาวโลก")),
    ("German", || {
        fill("<main><p>", "Die Wärmepumpe läuft über das ganze Jahr. ")
    }),
    ("Windows-1252", || vec![0xe9; BYTES]),
    ("broken UTF-8", || {
        [b"<meta charset=utf-8>".as_slice(), &vec![0xff; BYTES]].concat()
    }),
    ("UTF-16", || {
        [b"\xff\xfe".as_slice(), &b"<\0p\0>\0x\0".repeat(BYTES / 8)].concat()
    }),
    ("Shift JIS", || {
        [
            b"<meta charset=shift_jis><p>".as_slice(),
            &b"\x83\x65".repeat(BYTES / 2),
        ]
        .concat()
    }),
    ("comments", || fill("", "<!-- note to ai: words that go on -->")),
    ("hidden text", || {
        fill("", "<p hidden>an ai assistant that goes on</p>")
    }),
    ("entities", || fill("<p>", "&amp;&notit;&#x41;&a")),
    ("ampersands", || fill("", "&")),
    ("less-than signs", || fill("", "<")),
    ("nulls", || fill("", "\0")),
    ("JSON-LD list", || {
        json(|text| {
            while text.len() < 500_000 {
                text.push_str("1,");
            }
        })
    }),
    ("JSON-LD items", || {
        json(|text| {
            while text.len() < 500_000 {
                text.push_str("{\"@type\":\"Article\",\"@id\":\"x\"},");
            }
        })
    }),
    ("JSON-LD keys", || {
        json(|text| {
            text.push('{');
            let mut n = 0;
            while text.len() < 490_000 {
                n += 1;
                let _ = write!(text, "\"k{n}\":1,");
            }
            text.push_str("\"@type\":\"Article\"},");
        })
    }),
    ("JSON-LD depth", || {
        json(|text| text.push_str(&"[".repeat(500_000)))
    }),
    ("JSON-LD blocks", || {
        fill("", "<script type=application/ld+json>{\"@type\":\"A\"}</script>")
    }),
    ("script", || fill("<script>", "<!--<script>x")),
    ("title", || fill("<title>", "words ")),
    ("table text", || fill("<table>", "x<b>y</b>")),
    ("templates", || fill("", "<template><p>x</p></template>")),
    ("svg", || fill("<svg>", "<g></g>")),
    ("definition list", || fill("<main><dl>", "<dt>a<dd>b")),
    ("select", || fill("<select>", "<option>")),
    ("frames", || fill("", "<frameset><frame>")),
];

fn json(body: fn(&mut String)) -> Vec<u8> {
    let mut block =
        String::from("<script type=application/ld+json>{\"@context\":\"https://schema.org\",\"@graph\":[");
    body(&mut block);
    block.push_str("1]}</script>");
    fill("", &block)
}

/// Returns a page with small files that are slow, too.
fn with_slow_files(html: Vec<u8>) -> Page {
    let url = format!("https://a.com/{}", "a".repeat(2_000)).parse().ok();
    let mut page = Page::from_html(html, url, "2026-11-21T12:00:00Z".parse().unwrap_or_default());
    page.status = Some(200);
    let file = |body: Vec<u8>| {
        SiteFile::Answer(SiteAnswer {
            status: 200,
            body,
            ..SiteAnswer::default()
        })
    };
    page.site.robots = file(
        [
            b"User-agent: *\n".as_slice(),
            &b"Disallow: /*a*a*b\n".repeat(28_000),
        ]
        .concat(),
    );
    page.site.llms = file(b"# A\n## B\n- [x](/y)\n".repeat(13_000));
    page.site.tdmrep = file(b"[".repeat(250_000));
    page
}

/// CPU time of this process in milliseconds, and its peak memory in KiB.
fn spent() -> (u64, u64) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|rest| rest.split_whitespace().next())
        .and_then(|number| number.parse().ok())
        .unwrap_or(0);
    let cpu = std::fs::read_to_string("/proc/self/schedstat")
        .ok()
        .and_then(|line| {
            line.split_whitespace()
                .next()
                .and_then(|nanos| nanos.parse::<u64>().ok())
        })
        .unwrap_or(0);
    (cpu / 1_000_000, peak)
}

/// Holds pages and audits them two at a time, keeping the reports.
///
/// Returns the peak memory above that of the pages, in KiB.
fn crowd(kinds: impl Fn(usize) -> usize) -> u64 {
    let pages: Vec<Page> = (0..CROWD).map(|n| with_slow_files(PAGES[kinds(n)].1())).collect();
    // Forgets the peak of making the pages.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    let (_, held) = spent();
    let next = std::sync::atomic::AtomicUsize::new(0);
    let reports = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..COMPUTING {
            scope.spawn(|| {
                while let Some(page) = pages.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                    let report = audit(page);
                    if let Ok(mut reports) = reports.lock() {
                        reports.push(report);
                    }
                }
            });
        }
    });
    let (_, peak) = spent();
    peak.saturating_sub(held)
}

#[expect(clippy::print_stdout, reason = "a benchmark reports there")]
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(at) = arguments.iter().position(|argument| argument == "--one") {
        let index: usize = arguments
            .get(at + 1)
            .and_then(|text| text.parse().ok())
            .unwrap_or(0);
        let page = with_slow_files(PAGES[index].1());
        let (before, held) = spent();
        let report = audit(&page);
        let (after, peak) = spent();
        println!("{} {held} {peak} {}", after - before, report.score);
        return ExitCode::SUCCESS;
    }
    if let Some(at) = arguments.iter().position(|argument| argument == "--crowd") {
        let kind: Option<usize> = arguments.get(at + 1).and_then(|text| text.parse().ok());
        println!("{}", crowd(|n| kind.unwrap_or(n * PAGES.len() / CROWD)));
        return ExitCode::SUCCESS;
    }
    // `cargo test --benches` only wants to know that it runs.
    if !arguments.iter().any(|argument| argument == "--bench") {
        return ExitCode::SUCCESS;
    }
    let Ok(program) = std::env::current_exe() else {
        return ExitCode::FAILURE;
    };
    let (mut slowest, mut largest, mut failed) = (0, (0, 0), false);
    for (index, (name, _)) in PAGES.iter().enumerate() {
        let Ok(run) = Command::new(&program)
            .args(["--one", &index.to_string()])
            .output()
        else {
            return ExitCode::FAILURE;
        };
        let text = String::from_utf8_lossy(&run.stdout).into_owned();
        let mut numbers = text
            .split_whitespace()
            .filter_map(|word| word.parse::<u64>().ok());
        let (Some(millis), Some(held), Some(peak), true) = (
            numbers.next(),
            numbers.next(),
            numbers.next(),
            run.status.success(),
        ) else {
            println!("{name:30} FAILED {}", String::from_utf8_lossy(&run.stderr));
            failed = true;
            continue;
        };
        let over = millis > MAX_MILLIS || peak > MAX_KIB;
        println!(
            "{name:30} {millis:>5} ms  {:>3} MB held, {:>3} MB peak{}",
            held >> 10,
            peak >> 10,
            if over { "  OVER" } else { "" }
        );
        failed |= over;
        slowest = slowest.max(millis);
        largest = largest.max((peak, index));
    }
    println!(
        "{} pages: slowest {slowest} ms, largest {} MB",
        PAGES.len(),
        largest.0 >> 10
    );
    let mixed = ("a mixture".to_owned(), "mixed".to_owned());
    let heavy = (PAGES[largest.1].0.to_owned(), largest.1.to_string());
    for (name, kind) in [mixed, heavy] {
        let Ok(run) = Command::new(&program).args(["--crowd", &kind]).output() else {
            return ExitCode::FAILURE;
        };
        let above: Option<u64> = String::from_utf8_lossy(&run.stdout).trim().parse().ok();
        failed |= above.is_none();
        let over = above.is_none_or(|above| above > MAX_CROWD_KIB);
        println!(
            "{CROWD} at once, {COMPUTING} computing, {name}: {} MB above the pages{}",
            above.unwrap_or(0) >> 10,
            if over { "  missed" } else { "" }
        );
    }
    if failed {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}
