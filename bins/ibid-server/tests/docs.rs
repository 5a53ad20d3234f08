//! Every command of the pages runs as it is printed there, and prints what the page shows below it.
//!
//! A page is one bash with `-eu`, from the first `sh` block to the last, in a folder of its own. Only the two addresses that the pages
//! use become free ones. `ibid-server` and `ibid` are the programs of this build; a server goes to the background, as in a second
//! terminal. A block with a word of `OUTSIDE` is not run; the test prints and counts those. A `text` block shows lines of the output
//! so far; a `json` block below an `sh` block shows members of its answer. There `...` stands for what is left out, and ids and times differ.
#![expect(clippy::unwrap_used, reason = "tests fail loudly")]
#![expect(
    clippy::print_stdout,
    reason = "the blocks that are not run are counted where people see it"
)]

use serde_json::Value;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The address of the server on the pages.
const SERVER: &str = "127.0.0.1:8080";
/// The address of a receiver of webhooks on the pages.
const RECEIVER: &str = "127.0.0.1:9000";

/// Words of blocks that need more than bash, curl, python3 and the two programs: other programs, a network, root, a key that costs money.
const OUTSIDE: [&str; 12] = [
    "cargo ",
    "docker ",
    "sudo ",
    "npm ",
    "openssl ",
    "pip ",
    "mkdocs ",
    "tar ",
    ".ci/",
    "=...",
    "https://yourdomain.com",
    "https://ibid.example",
];

/// The password that `ibid-server user add` reads.
const STANDARD_INPUT: &str = "correct horse battery\n";

/// The character before the line of a block in the output.
const MARK: char = '\u{1e}';

#[test]
fn readme() {
    Page::of("README.md").check();
}

#[test]
fn install() {
    Page::of("docs/INSTALL.md").check();
}

#[test]
fn api() {
    Page::of("docs/API.md").check();
}

#[test]
fn tutorial() {
    Page::of("docs/TUTORIAL.md").check();
}

#[test]
fn a2a() {
    Page::of("docs/A2A.md").check();
}

#[test]
fn mcp() {
    Page::of("docs/MCP.md").check();
}

#[test]
fn skill() {
    Page::of("clients/skill/ibid/SKILL.md").check();
}

#[test]
fn webhooks() {
    Page::of("docs/WEBHOOKS.md").check();
}

#[test]
fn projects() {
    Page::of("docs/PROJECTS.md").check();
}

#[test]
fn the_method_has_the_version_of_the_program() {
    let page = fs::read_to_string(root().join("docs/METHOD.md")).unwrap();
    let version = format!("now {})", ibid_engine::score::METHOD_VERSION);
    assert!(page.contains(&version), "docs/METHOD.md does not say: {version}");
}

#[test]
fn printed_dependencies_hold_every_crate_of_the_snippets() {
    let page = Page::of("docs/EMBEDDING.md");
    let of = |language: &str| {
        let blocks = page.blocks.iter().filter(|block| block.language == language);
        blocks.map(|block| block.text.as_str()).collect::<String>()
    };
    let (printed, rust) = (of("toml"), of("rust"));
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == ':';
    let paths = rust.split(|letter| !is_part(letter));
    let crates = paths
        .filter_map(|path| path.split_once("::"))
        .map(|(first, _)| first);
    for name in crates.filter(|name| name.starts_with(|first: char| first.is_ascii_lowercase())) {
        let is_printed = printed
            .lines()
            .any(|line| line.starts_with(&format!("{name} = ")));
        assert!(
            is_printed || name == "std",
            "docs/EMBEDDING.md uses {name}, and prints no dependency on it"
        );
    }
}

#[test]
fn news() {
    Page::of("docs/NEWS.md").check();
}

/// A fenced block, or the heading of a section.
struct Block {
    /// The line of its fence.
    line: usize,
    /// The word behind the fence; empty for a heading.
    language: String,
    text: String,
}

impl Block {
    fn is_run(&self) -> bool {
        self.language == "sh" && !OUTSIDE.iter().any(|word| self.text.contains(word))
    }
}

struct Page {
    name: &'static str,
    blocks: Vec<Block>,
}

impl Page {
    fn of(name: &'static str) -> Self {
        let text = fs::read_to_string(root().join(name)).unwrap();
        let (mut blocks, mut open) = (Vec::new(), None::<Block>);
        for (number, line) in text.lines().enumerate() {
            match (line.strip_prefix("```"), &mut open) {
                (Some(language), None) => {
                    open = Some(Block {
                        line: number + 1,
                        language: language.to_owned(),
                        text: String::new(),
                    });
                }
                (Some(_), Some(_)) => blocks.extend(open.take()),
                (None, Some(block)) => writeln!(block.text, "{line}").unwrap(),
                // An answer is in the section of its command.
                (None, None) if line.starts_with('#') => blocks.push(Block {
                    line: number + 1,
                    language: String::new(),
                    text: String::new(),
                }),
                (None, None) => {}
            }
        }
        Self { name, blocks }
    }

    fn check(&self) {
        let commands = || self.blocks.iter().filter(|block| block.language == "sh");
        for block in commands().filter(|block| !block.is_run()) {
            let first = block.text.lines().next().unwrap_or_default();
            println!("{}:{}: not run: {first}", self.name, block.line);
        }
        let run = commands().filter(|block| block.is_run()).count();
        println!(
            "{}: {run} blocks run, {} not",
            self.name,
            commands().count() - run
        );
        assert!(run > 0, "{} has no command that can be tried", self.name);

        let sections = Terminal::open().run(self);
        let mut shown = String::new();
        let mut answer = None;
        for block in &self.blocks {
            let place = format!("{}:{}", self.name, block.line);
            if block.is_run() {
                let (_, output) = sections.iter().find(|(line, _)| *line == block.line).unwrap();
                let refused = json_lines(output)
                    .find(|value| value.get("jsonrpc").is_some() && value.get("error").is_some());
                assert!(refused.is_none(), "{place}: {refused:?}");
                for time in json_lines(output).flat_map(|value| times(&value)) {
                    let digits = time.split_once('.').map_or(0, |(_, fraction)| fraction.len() - 1);
                    assert_eq!(digits, 3, "{place}: {time} has no milliseconds");
                }
                shown.push_str(output);
                answer = Some(output);
                continue;
            }
            match block.language.as_str() {
                "text" => {
                    for line in block
                        .text
                        .lines()
                        .map(str::trim_end)
                        .filter(|line| !line.is_empty())
                    {
                        let found = shown
                            .lines()
                            .any(|other| same_in_all_scans(other.trim_end()) == same_in_all_scans(line));
                        assert!(
                            found,
                            "{place} shows a line that no command above it prints:\n{line}\nin\n{shown}"
                        );
                    }
                }
                "json" => {
                    if let Some(output) = answer {
                        let printed: Value = serde_json::from_str(&block.text).unwrap();
                        let fits = json_lines(output).any(|found| shows(&printed, &found));
                        assert!(
                            fits,
                            "{place} shows an answer that its command does not give:\n{output}"
                        );
                    }
                }
                _ => {}
            }
            answer = None;
        }
    }
}

/// A folder with a shell in it.
struct Terminal {
    folder: tempfile::TempDir,
    server: String,
    receiver: String,
}

impl Terminal {
    fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (server, receiver) = (free_address(), free_address());
        let programs = folder.path().join("bin");
        fs::create_dir(&programs).unwrap();
        fs::create_dir(folder.path().join("work")).unwrap();
        let own = PathBuf::from(env!("CARGO_BIN_EXE_ibid-server"));
        let cli = own.with_file_name("ibid");
        assert!(
            cli.exists(),
            "{} is missing: run cargo test --workspace, or cargo build -p ibid-cli before",
            cli.display()
        );
        let script = |name: &str, text: String| {
            let file = programs.join(name);
            fs::write(&file, text).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        };
        script("ibid", format!("#!/bin/sh\nexec '{}' \"$@\"\n", cli.display()));
        // Statuses of HTTP count as failures, and a call that hangs ends.
        script(
            "curl",
            "#!/bin/sh\nPATH=${PATH#*:}\nexec curl --silent --show-error --fail-with-body --max-time 120 \"$@\"\n".to_owned(),
        );
        script("ibid-server", background(&own));
        Self {
            folder,
            server,
            receiver,
        }
    }

    /// Runs the blocks of a page. Returns the output of each by its line.
    fn run(&self, page: &Page) -> Vec<(usize, String)> {
        let mut script = String::new();
        for block in page.blocks.iter().filter(|block| block.is_run()) {
            writeln!(script, "printf '\\n{MARK}{}\\n'\n{}", block.line, block.text).unwrap();
        }
        let script = script
            .replace(SERVER, &self.server)
            .replace(RECEIVER, &self.receiver);
        let file = |name: &str| self.folder.path().join(name);
        fs::write(file("script"), script).unwrap();
        fs::write(file("input"), STANDARD_INPUT).unwrap();
        let path = std::env::var("PATH").unwrap();
        let shell = Command::new("bash")
            .args(["-euo", "pipefail"])
            .arg(file("script"))
            .current_dir(file("work"))
            .env_clear()
            .env("PATH", format!("{}:{path}", file("bin").display()))
            .env("HOME", file("work"))
            .env("LANG", "C.UTF-8")
            .env("BIND", &self.server)
            // No page asks a real router.
            .env("ROUTER_BASE_URL", "http://127.0.0.1:1")
            .stdin(File::open(file("input")).unwrap())
            .stdout(File::create(file("output")).unwrap())
            .stderr(File::create(file("faults")).unwrap())
            .process_group(0)
            .spawn()
            .unwrap();
        let status = Group(shell).wait();
        let output = fs::read_to_string(file("output")).unwrap();
        let output = output
            .replace(&self.server, SERVER)
            .replace(&self.receiver, RECEIVER);
        let faults = fs::read_to_string(file("faults")).unwrap();
        let sections: Vec<_> = output
            .split(MARK)
            .skip(1)
            .map(|section| {
                let (line, text) = section.split_once('\n').unwrap();
                (line.parse().unwrap(), text.to_owned())
            })
            .collect();
        let last = sections.last().map_or(0, |(line, _)| *line);
        assert!(
            status.success(),
            "{}:{last}: a command failed ({status})\n{faults}\n{}",
            page.name,
            sections.last().map_or("", |(_, text)| text)
        );
        sections
    }
}

/// A shell with everything that it has started, which ends with it.
struct Group(Child);

impl Group {
    fn wait(mut self) -> std::process::ExitStatus {
        self.0.wait().unwrap()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let group = format!("-{}", self.0.id());
        let _ = Command::new("kill")
            .args(["-KILL", "--", &group])
            .stderr(Stdio::null())
            .status();
        let _ = self.0.wait();
    }
}

/// The script `ibid-server`: a server goes to the background once it is ready, in the place of the one before; commands run as they are.
fn background(program: &Path) -> String {
    format!(
        r#"#!/bin/bash
set -eu
program='{program}'
# Without an address a command works on the file of the working folder, never on that of a service of this machine.
case " $* " in
  "  ") export DATABASE_URL="${{DATABASE_URL:-sqlite:ibid.db}}" ready="Open " ;;
  *" --sandbox --no-demo "*) ready="^Open " ;;
  *" --sandbox "*) ready="Ctrl-C" ;;
  *) export DATABASE_URL="${{DATABASE_URL:-sqlite:ibid.db}}"; exec "$program" "$@" ;;
esac
state=$(dirname "$0")
if [ -e "$state/pid" ]; then
  old=$(cat "$state/pid")
  kill "$old"
  while kill -0 "$old" 2>/dev/null; do sleep 0.05; done
fi
# Before the program has begun, the word of the one before would be taken for its own.
rm -f "$state/shown"
touch "$state/shown"
"$program" "$@" >"$state/shown" 2>"$state/log" </dev/null &
echo $! >"$state/pid"
until grep -q "$ready" "$state/shown"; do
  kill -0 $! 2>/dev/null || {{ cat "$state/log" >&2; exit 1; }}
  sleep 0.05
done
cat "$state/shown"
"#,
        program = program.display()
    )
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn free_address() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().to_string()
}

/// The JSON values of an output: whole, or one a line, also in events of a stream.
fn json_lines(output: &str) -> impl Iterator<Item = Value> {
    let lines = output
        .lines()
        .map(|line| line.strip_prefix("data: ").unwrap_or(line));
    let parts = std::iter::once(output).chain(lines);
    parts
        .filter_map(|text| serde_json::from_str(text).ok())
        .filter(Value::is_object)
}

/// The times in a value.
fn times(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) if redacted(text) == "TIME" => vec![text.clone()],
        Value::Array(values) => values.iter().flat_map(times).collect(),
        Value::Object(members) => members.values().flat_map(times).collect(),
        _ => Vec::new(),
    }
}

/// Whether an answer has what the page shows of it.
fn shows(printed: &Value, found: &Value) -> bool {
    match (printed, found) {
        (Value::String(printed), _) if printed == "..." => true,
        (Value::String(printed), Value::String(found)) => match printed.split_once("...") {
            Some((start, end)) => found.starts_with(start) && found.ends_with(end),
            None => redacted(printed) == redacted(found),
        },
        (Value::Object(printed), Value::Object(found)) => printed
            .iter()
            .filter(|(name, _)| *name != "...")
            .all(|(name, value)| found.get(name).is_some_and(|found| shows(value, found))),
        (Value::Array(printed), Value::Array(found)) => {
            let whole = printed.last().is_none_or(|last| last != "...");
            let kept = if whole { printed.len() } else { printed.len() - 1 };
            (kept == found.len() || !whole && kept <= found.len())
                && printed[..kept]
                    .iter()
                    .zip(found)
                    .all(|(printed, found)| shows(printed, found))
        }
        (printed, found) => printed == found,
    }
}

/// The line of a report without ids, and without the range of the radius, which is resampled with the id of the scan.
fn same_in_all_scans(line: &str) -> String {
    let range = line.split_once("80 % range ");
    let outside = range.and_then(|(before, rest)| Some((before, rest.split_once(')')?.1)));
    let line = outside.map_or_else(|| line.to_owned(), |(before, after)| format!("{before}{after}"));
    redacted(&line)
}

/// The text with `ID` for ids and the words by which pages name them, and `TIME` for times.
fn redacted(text: &str) -> String {
    let is_part = |character: char| character.is_ascii_alphanumeric() || "-:.".contains(character);
    let mut words = String::new();
    for word in text.split_inclusive(|character| !is_part(character)) {
        let end = word.find(|character| !is_part(character)).unwrap_or(word.len());
        let (word, rest) = word.split_at(end);
        let id = ["TASK", "CONTEXT", "SCAN"]
            .iter()
            .find_map(|name| word.strip_prefix(name));
        let id = id.or_else(|| is_id(word.get(..36)?).then(|| &word[36..]));
        match id {
            Some(after) => write!(words, "ID{after}{rest}").unwrap(),
            None if word.ends_with('Z') && word.contains('T') && word.contains(':') => {
                write!(words, "TIME{rest}").unwrap()
            }
            None => write!(words, "{word}{rest}").unwrap(),
        }
    }
    words
}

fn is_id(word: &str) -> bool {
    word.split('-').map(str::len).eq([8, 4, 4, 4, 12])
        && word
            .chars()
            .all(|character| character == '-' || character.is_ascii_hexdigit())
}
