//! `ibid project`: the projects of a server, by its API.

use crate::cli_options::given;
use crate::document;
use crate::output::{self, print};
use crate::project_import;
use crate::router::runtime;
use anyhow::{Context, bail};
use clap::{Args as ClapArgs, Subcommand};
use comfy_table::{Table, presets};
use jiff::civil::Date;
use reqwest::{Client, Method, StatusCode};
use serde_json::{Map, Value, json};
use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use url::Url;

/// The time after which a server that does not answer is given up.
const PATIENCE: Duration = Duration::from_secs(60);

/// List, create, change, run and move the projects of a server
#[derive(ClapArgs)]
pub(crate) struct Args {
    /// Base address of the server
    #[arg(
        long,
        env = "IBID_URL",
        default_value = "http://127.0.0.1:8080",
        global = true
    )]
    pub(crate) server: Url,
    /// Print the answer of the server as JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Import(Box<project_import::Args>),
    Captures(project_import::CaptureArgs),
    #[command(flatten)]
    Server(Box<ServerCommand>),
}

/// The key of a project or of an organisation comes from `IBID_PROJECT_KEY`.
#[derive(Subcommand)]
enum ServerCommand {
    /// List your projects: first those that want attention
    List,
    /// Make a project, or with --dry-run show what it would cost and see
    Create(Create),
    /// Change a project: what is not named stays as it is
    Edit(Edit),
    /// Save everything of a project as one file, for `ibid project import`
    Export {
        /// The project id
        id: String,
        /// The file to write; an existing one is not replaced
        file: PathBuf,
    },
    /// Show a project: score, verdict, spend
    Show {
        /// The project id
        id: String,
    },
    /// Run a project now
    Run {
        /// The project id
        id: String,
    },
    /// Show the changes of a project and each of its runs
    History {
        /// The project id
        id: String,
    },
    /// Show the competitors of a project: who is named how often, and which questions they win
    Rivals {
        /// The project id
        id: String,
    },
    /// Show what the answers since the last change say can be done
    Moves {
        /// The project id
        id: String,
    },
    /// Show the sites and pages that the answers of the last run cite
    Sources {
        /// The project id
        id: String,
    },
    /// List what is done for some questions of a project and what came of it; agree on an action, change one, or note that it is done
    Actions(ActionArgs),
}

#[derive(ClapArgs)]
struct ActionArgs {
    /// The project id
    id: String,
    /// Title of a new action
    #[arg(long, value_name = "TITLE", conflicts_with = "action", requires = "questions")]
    add: Option<String>,
    /// Show this action, or change it
    #[arg(long, value_name = "ACTION")]
    action: Option<String>,
    /// Question that it should move, by its text; name each
    #[arg(long = "question", value_name = "TEXT")]
    questions: Vec<String>,
    /// Address or path of the page that is made or changed
    #[arg(long)]
    page: Option<String>,
    /// Who does it
    #[arg(long)]
    who: Option<String>,
    /// What it should reach
    #[arg(long)]
    goal: Option<String>,
    /// Runs after it that its test waits for, 2 to 26
    #[arg(long)]
    runs: Option<u32>,
    /// State of the action; done begins the part of the test after it
    #[arg(long, value_parser = ["open", "doing", "done", "dropped"])]
    status: Option<String>,
    /// Day on which it was done; today without it
    #[arg(long, value_name = "DAY")]
    done_on: Option<Date>,
}

#[derive(ClapArgs)]
struct Create {
    /// Name of the project
    name: String,
    /// Website
    domain: String,
    /// Product or service that people ask for
    keyword: String,
    #[command(flatten)]
    terms: Terms,
    /// Show what it would cost and see, and make nothing
    #[arg(long)]
    dry_run: bool,
}

#[derive(ClapArgs)]
struct Edit {
    /// The project id
    id: String,
    /// Another name
    #[arg(long)]
    name: Option<String>,
    #[command(flatten)]
    terms: Terms,
    /// Ask the questions that ibid writes again
    #[arg(long, conflicts_with_all = ["question_file", "question_set", "all"])]
    templates: bool,
    /// Pause, resume or archive it
    #[arg(long, value_parser = ["active", "paused", "archived"])]
    status: Option<String>,
}

// What a project asks, where, and for how much. A doc comment would become the help of the commands.
#[derive(ClapArgs)]
pub(crate) struct Terms {
    /// Place, such as "Bristol, United Kingdom"
    #[arg(long)]
    location: Option<String>,
    /// One of several places, with a language after a semicolon: "Lyon, France; fr". Name all of them; the first is that of the score
    #[arg(long = "market", value_name = "PLACE", conflicts_with = "location")]
    markets: Vec<String>,
    /// Aliases of the models to ask; by default those of the server
    #[arg(long, value_delimiter = ',')]
    models: Vec<String>,
    /// File with your own questions, one a line, at most 300; `-` reads standard input
    #[arg(long, value_name = "FILE", conflicts_with = "question_set")]
    question_file: Option<PathBuf>,
    /// Version of a question set: that of this project, such as qs_…@2
    #[arg(long, value_name = "SET")]
    question_set: Option<String>,
    /// Questions a model in a run, 1 to 300
    #[arg(long)]
    questions: Option<u32>,
    /// Ask every model all of your own questions in each run
    #[arg(long, conflicts_with = "questions")]
    all: bool,
    /// Most dollars that its runs of a month may cost
    #[arg(long)]
    budget: Option<f64>,
}

impl Terms {
    pub(crate) fn body(&self) -> anyhow::Result<Map<String, Value>> {
        let markets = self.markets.iter().map(|text| match text.split_once(';') {
            Some((place, language)) => json!({"location": place.trim(), "language": language.trim()}),
            None => json!({"location": text.trim()}),
        });
        let markets: Vec<Value> = markets.collect();
        let mut body = given([
            ("location", json!(self.location)),
            ("markets", json!(some(&markets))),
            ("models", json!(some(&self.models))),
            ("questionSet", json!(self.question_set)),
            (
                "questionsPerModel",
                if self.all {
                    json!("all")
                } else {
                    json!(self.questions)
                },
            ),
            ("monthlyBudgetUsd", json!(self.budget)),
        ]);
        if let Some(file) = &self.question_file {
            let text = String::from_utf8(document::read(file)?)
                .with_context(|| format!("{} is not UTF-8", file.display()))?;
            let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
            body.insert("questions".to_owned(), lines.collect());
        }
        Ok(body)
    }
}

fn some<T>(list: &[T]) -> Option<&[T]> {
    Some(list).filter(|list| !list.is_empty())
}

impl Create {
    fn body(&self) -> anyhow::Result<Value> {
        let mut body = self.terms.body()?;
        body.extend(given([
            ("name", json!(self.name)),
            ("domain", json!(self.domain)),
            ("keyword", json!(self.keyword)),
        ]));
        Ok(Value::Object(body))
    }
}

impl Edit {
    fn body(&self) -> anyhow::Result<Value> {
        let mut body = self.terms.body()?;
        body.extend(given([
            ("name", json!(self.name)),
            ("status", json!(self.status)),
        ]));
        if self.templates {
            body.insert("questions".to_owned(), Value::Null);
        }
        if body.is_empty() {
            bail!("name what should change; ibid project edit --help lists it");
        }
        Ok(Value::Object(body))
    }
}

impl ActionArgs {
    /// The request: a list, a new action, one to show, or a change of one.
    fn request(&self) -> anyhow::Result<(Method, String, Option<Value>)> {
        let body = given([
            ("title", json!(self.add)),
            ("page", json!(self.page)),
            ("who", json!(self.who)),
            ("goal", json!(self.goal)),
            ("status", json!(self.status)),
            ("questions", json!(some(&self.questions))),
            ("runs", json!(self.runs)),
            ("doneOn", json!(self.done_on)),
        ]);
        let path = format!("/api/v2/projects/{}/actions", self.id);
        Ok(match (&self.add, &self.action) {
            (Some(_), _) => (Method::POST, path, Some(Value::Object(body))),
            (None, Some(action)) if body.is_empty() => (Method::GET, format!("{path}/{action}"), None),
            (None, Some(action)) => {
                let path = format!("{path}/{action}");
                (Method::PATCH, path, Some(Value::Object(body)))
            }
            (None, None) if body.is_empty() => (Method::GET, path, None),
            (None, None) => bail!("name a new action with --add, or one of the list with --action"),
        })
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let command = match &args.command {
        Command::Import(import) => return project_import::run(import, args),
        Command::Captures(captures) => return project_import::captures(captures, args),
        Command::Server(command) => command.as_ref(),
    };
    let key = key()?;
    let runtime = runtime()?;
    let (method, path, body) = match command {
        ServerCommand::List => (Method::GET, "/api/v2/projects".to_owned(), None),
        ServerCommand::Create(create) => {
            let dry = if create.dry_run { "?dryRun=true" } else { "" };
            (
                Method::POST,
                format!("/api/v2/projects{dry}"),
                Some(create.body()?),
            )
        }
        ServerCommand::Edit(edit) => (
            Method::PATCH,
            format!("/api/v2/projects/{}", edit.id),
            Some(edit.body()?),
        ),
        ServerCommand::Export { id, file } => {
            let request = (Method::GET, format!("/api/v2/projects/{id}/archive"), Vec::new());
            let archive = runtime.block_on(send((&args.server, &key), request, "application/gzip"))?;
            let mut saved = File::create_new(file).with_context(|| file.display().to_string())?;
            saved.write_all(&archive)?;
            print(&format!(
                "Saved {} ({} KB)\n",
                file.display(),
                archive.len() / 1_000
            ))?;
            return Ok(ExitCode::SUCCESS);
        }
        ServerCommand::Show { id } => (Method::GET, format!("/api/v2/projects/{id}"), None),
        ServerCommand::Run { id } => (Method::POST, format!("/api/v2/projects/{id}/runs"), None),
        ServerCommand::History { id } => (Method::GET, format!("/api/v2/projects/{id}/history"), None),
        ServerCommand::Rivals { id } => (Method::GET, format!("/api/v2/projects/{id}/rivals"), None),
        ServerCommand::Moves { id } => (Method::GET, format!("/api/v2/projects/{id}/moves"), None),
        ServerCommand::Sources { id } => (Method::GET, format!("/api/v2/projects/{id}/sources"), None),
        ServerCommand::Actions(actions) => actions.request()?,
    };
    let answer = runtime.block_on(call((&args.server, &key), (method, &path), body))?;
    output::show(args.json, &answer, || match command {
        ServerCommand::List => list(&answer),
        ServerCommand::Create(create) if create.dry_run => {
            format!("{}\n", word(&answer["forecast"], "summary"))
        }
        ServerCommand::Create(_)
        | ServerCommand::Edit(_)
        | ServerCommand::Show { .. }
        | ServerCommand::Export { .. } => show(&answer),
        ServerCommand::Run { .. } => started(&answer),
        ServerCommand::History { .. } => history(&answer),
        ServerCommand::Rivals { .. } => rivals(&answer),
        ServerCommand::Moves { .. } => moves(&answer),
        ServerCommand::Sources { .. } => sources(&answer),
        ServerCommand::Actions(_) => actions(&answer),
    })
}

pub(crate) fn key() -> anyhow::Result<String> {
    std::env::var("IBID_PROJECT_KEY").context(
        "IBID_PROJECT_KEY is not set: make a key on the settings page of a project, or with ibid-server project key",
    )
}

/// Sends a request, and returns the document of the answer.
pub(crate) async fn call(
    server: (&Url, &str),
    (method, path): (Method, &str),
    body: Option<Value>,
) -> anyhow::Result<Value> {
    let body = body.map(|body| body.to_string().into_bytes());
    let request = (method, path.to_owned(), body.unwrap_or_default());
    let answer = send(server, request, "application/json").await?;
    serde_json::from_slice(&answer).context("the answer of the server is no JSON")
}

/// Sends a request with a body of this type, unless it is empty, and returns what was answered.
pub(crate) async fn send(
    (server, key): (&Url, &str),
    (method, path, body): (Method, String, Vec<u8>),
    kind: &'static str,
) -> anyhow::Result<Vec<u8>> {
    // An earlier choice of the process stays.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut client = Client::builder()
        .timeout(PATIENCE)
        // A redirect would carry the key elsewhere.
        .redirect(reqwest::redirect::Policy::none());
    if server.scheme() == "http" {
        // The connection is not encrypted, so root certificates are not needed.
        client = client.tls_certs_only([]);
    }
    let client = client.build()?;
    let request = client.request(method, server.join(&path)?).bearer_auth(key);
    let request = match body.is_empty() {
        true => request,
        false => request.header("Content-Type", kind).body(body),
    };
    let reply = request
        .send()
        .await
        .with_context(|| format!("reaching {server}"))?;
    let status = reply.status();
    let answer = reply.bytes().await?;
    if status.is_success() {
        return Ok(answer.to_vec());
    }
    if status == StatusCode::UNAUTHORIZED {
        bail!("the server does not know the key in IBID_PROJECT_KEY");
    }
    let document: Value =
        serde_json::from_slice(&answer).with_context(|| format!("the server answered {status}"))?;
    let faults = rows(&document, "errors")
        .iter()
        .map(|fault| word(fault, "message"));
    let faults: Vec<&str> = faults.filter(|message| !message.is_empty()).collect();
    match faults.is_empty() {
        true => bail!("{}", word(&document, "detail")),
        false => bail!("{}", faults.join("; ")),
    }
}

fn list(answer: &Value) -> String {
    let projects = rows(answer, "projects");
    if projects.is_empty() {
        return "There are no projects.\n".to_owned();
    }
    let mut table = plain_table(["Project", "Website", "Score", "This month", "State", "Id"]);
    for project in projects {
        table.add_row([
            word(project, "name"),
            word(project, "domain"),
            &score(project),
            &format!("${:.2}", project["spentThisMonthUsd"].as_f64().unwrap_or(0.0)),
            &state(project),
            word(project, "projectId"),
        ]);
    }
    format!("{table}\n")
}

pub(crate) fn show(project: &Value) -> String {
    let place = match word(project, "location") {
        "" => String::new(),
        place => format!(" in {place}"),
    };
    let lines = [
        format!("{} ({})", word(project, "name"), word(project, "projectId")),
        format!(
            "{}, \"{}\"{place}",
            word(project, "domain"),
            word(project, "keyword")
        ),
        format!("Score: {}. State: {}.", score(project), state(project)),
        word(project, "verdict").to_owned(),
        word(&project["forecast"], "summary").to_owned(),
    ];
    let lines: Vec<String> = lines.into_iter().filter(|line| !line.is_empty()).collect();
    format!("{}\n", lines.join("\n"))
}

fn started(run: &Value) -> String {
    match run["scanId"].as_str() {
        Some(scan) => format!("Started: {scan}\n"),
        None => format!("Not started: {}\n", word(run, "outcome")),
    }
}

fn history(answer: &Value) -> String {
    let mut table = plain_table(["Day", "Score", "Likely range"]);
    for point in rows(answer, "points") {
        table.add_row([
            day(point),
            &format!("{:.0}", point["score"].as_f64().unwrap_or_default()),
            &range(&point["interval"], 1.0),
        ]);
    }
    format!("{}\n{table}\n", word(answer, "summary"))
}

fn rivals(answer: &Value) -> String {
    let mut table = plain_table(["Competitor", "State", "Named", "Last run", "Likely range"]);
    for rival in rows(answer, "rivals") {
        let last = rows(rival, "points").last();
        let share = last.and_then(|point| point["share"].as_f64());
        table.add_row([
            word(rival, "name").to_owned(),
            word(rival, "state").to_owned(),
            format!(
                "{} of {}",
                rival["namedAnswers"].as_u64().unwrap_or(0),
                answer["answers"]
            ),
            share.map_or_else(String::new, |share| format!("{:.0} %", share * 100.0)),
            last.map_or_else(String::new, |point| range(&point["interval"], 100.0)),
        ]);
    }
    let mut text = format!("{table}\n");
    for rival in rows(answer, "rivals") {
        for win in rows(rival, "wins") {
            text += &format!(
                "{} wins \"{}\": {} of {} answers name it, {} cite you.\n",
                word(rival, "name"),
                word(win, "question"),
                win["rivalAnswers"],
                win["answers"],
                win["ownAnswers"]
            );
        }
    }
    text
}

fn moves(answer: &Value) -> String {
    let sentences = rows(answer, "sentences").iter().filter_map(Value::as_str);
    let mut text: String = sentences.map(|sentence| format!("{sentence}\n")).collect();
    for site in rows(answer, "outreach") {
        text += &format!(
            "{}: cited in {} answers, none with you\n",
            word(site, "site"),
            site["answers"]
        );
    }
    text
}

fn sources(answer: &Value) -> String {
    let mut table = plain_table(["Site", "Kind", "Answers", "Cited", "Change"]);
    for site in rows(answer, "sites") {
        table.add_row([
            word(site, "domain").to_owned(),
            word(site, "kind").to_owned(),
            site["answers"].to_string(),
            site["citedAnswers"].to_string(),
            word(site, "trend").to_owned(),
        ]);
    }
    format!(
        "{} of {} answers cite or use a page.\n{table}\n",
        answer["citingAnswers"], answer["answers"]
    )
}

/// Actions of a list, or one.
fn actions(answer: &Value) -> String {
    let one = std::slice::from_ref(answer);
    let listed = if answer["actions"].is_array() {
        rows(answer, "actions")
    } else {
        one
    };
    if listed.is_empty() {
        return "There are no actions.\n".to_owned();
    }
    let mut text = String::new();
    for action in listed {
        let done = match word(action, "doneOn") {
            "" => String::new(),
            day => format!(" on {day}"),
        };
        text += &format!(
            "{} ({})\n  {}{done}. {}\n",
            word(action, "title"),
            word(action, "actionId"),
            word(action, "status"),
            word(&action["test"], "summary")
        );
        let found = [verdict(action), word(action, "summary")];
        let found: Vec<&str> = found.into_iter().filter(|words| !words.is_empty()).collect();
        if !found.is_empty() {
            text += &format!("  {}\n", found.join(" "));
        }
    }
    text
}

/// Says what an action showed.
fn verdict(action: &Value) -> &'static str {
    match word(action, "verdict") {
        "moved" => "Moved.",
        "not_seen" => "Not seen.",
        "cannot_tell" => "Cannot tell.",
        _ => "",
    }
}

fn plain_table<const N: usize>(head: [&str; N]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(head);
    table
}

pub(crate) fn rows<'a>(document: &'a Value, name: &str) -> &'a [Value] {
    document[name].as_array().map(Vec::as_slice).unwrap_or_default()
}

fn day(document: &Value) -> &str {
    word(document, "at").split('T').next().unwrap_or_default()
}

/// A range in words, its bounds times a factor.
fn range(interval: &Value, factor: f64) -> String {
    match (interval["low"].as_f64(), interval["high"].as_f64()) {
        (Some(low), Some(high)) => format!("{:.0}–{:.0}", low * factor, high * factor),
        _ => String::new(),
    }
}

/// The average since the last change, or else the score of the last run.
fn score(project: &Value) -> String {
    let (score, range) = match &project["level"] {
        Value::Null => (&project["score"], &project["interval"]),
        level => (&level["score"], &level["interval"]),
    };
    match (score.as_f64(), range["low"].as_f64(), range["high"].as_f64()) {
        (Some(score), Some(low), Some(high)) => format!("{score:.0} ({low:.0}–{high:.0})"),
        (Some(score), ..) => format!("{score:.0}"),
        (None, ..) => "no run yet".to_owned(),
    }
}

fn state(project: &Value) -> String {
    let attention = rows(project, "attention").iter().filter_map(Value::as_str);
    let words: Vec<&str> = std::iter::once(word(project, "status"))
        .chain(attention)
        .collect();
    words.join(", ")
}

pub(crate) fn word<'a>(document: &'a Value, name: &str) -> &'a str {
    document[name].as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_terms_become_members() {
        #[derive(clap::Parser)]
        struct Program {
            #[command(flatten)]
            edit: Edit,
        }
        let body = |arguments: &[&str]| {
            let all = ["ibid", "ID"].iter().chain(arguments);
            clap::Parser::try_parse_from(all).map(|Program { edit }| edit.body().unwrap_or_default())
        };
        assert_eq!(
            body(&[
                "--market",
                "Lyon, France; fr",
                "--market",
                "Leeds",
                "--all",
                "--name",
                "New"
            ])
            .unwrap(),
            json!({"markets": [{"location": "Lyon, France", "language": "fr"}, {"location": "Leeds"}],
                "questionsPerModel": "all", "name": "New"})
        );
        assert_eq!(body(&["--templates"]).unwrap(), json!({"questions": null}));
        assert_eq!(body(&[]).unwrap(), Value::Null);
        for wrong in [
            ["--all", "--questions", "3"].as_slice(),
            &["--status", "gone"],
            &["--market", "Leeds", "--location", "Lyon"],
            &["--question-file", "a", "--question-set", "b"],
        ] {
            assert!(body(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn actions_are_listed_added_and_changed() {
        #[derive(clap::Parser)]
        struct Program {
            #[command(flatten)]
            actions: ActionArgs,
        }
        let request = |arguments: &[&str]| {
            let all = ["ibid", "ID"].iter().chain(arguments);
            let program: Program = clap::Parser::try_parse_from(all)?;
            program.actions.request()
        };
        let path = "/api/v2/projects/ID/actions".to_owned();
        let one = format!("{path}/A");
        assert_eq!(request(&[]).unwrap(), (Method::GET, path.clone(), None));
        assert_eq!(
            request(&[
                "--add",
                "Guide",
                "--question",
                "Q?",
                "--question",
                "R?",
                "--runs",
                "4"
            ])
            .unwrap(),
            (
                Method::POST,
                path,
                Some(json!({"title": "Guide", "questions": ["Q?", "R?"], "runs": 4}))
            )
        );
        assert_eq!(
            request(&["--action", "A"]).unwrap(),
            (Method::GET, one.clone(), None)
        );
        assert_eq!(
            request(&["--action", "A", "--status", "done", "--done-on", "2026-11-02"]).unwrap(),
            (
                Method::PATCH,
                one,
                Some(json!({"status": "done", "doneOn": "2026-11-02"}))
            )
        );
        for wrong in [
            ["--add", "Guide"].as_slice(),
            &["--page", "/guide"],
            &["--action", "A", "--add", "B", "--question", "Q?"],
            &["--action", "A", "--status", "gone"],
            &["--action", "A", "--done-on", "2 November"],
        ] {
            assert!(request(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn an_action_has_its_test_and_its_verdict() {
        let action = json!({"actionId": "A", "title": "Guide", "status": "done", "doneOn": "2026-11-02", "verdict": "moved",
            "summary": "12 points more.", "test": {"summary": "It sees 15 points."}});
        let lines = "Guide (A)\n  done on 2026-11-02. It sees 15 points.\n  Moved. 12 points more.\n";
        assert_eq!(actions(&action), lines);
        let open = json!({"actionId": "B", "title": "Page", "status": "open", "doneOn": null, "verdict": null, "summary": null,
            "test": {"summary": "It sees 9 points."}});
        let all = json!({"actions": [action, open]});
        assert_eq!(
            actions(&all),
            format!("{lines}Page (B)\n  open. It sees 9 points.\n")
        );
        assert_eq!(actions(&json!({"actions": []})), "There are no actions.\n");
    }

    #[test]
    fn the_level_counts_before_the_last_run() {
        let range = json!({"low": 27.4, "high": 38.9});
        let level = json!({"level": {"score": 33.2, "interval": range}, "score": 10.0, "interval": null});
        assert_eq!(score(&level), "33 (27–39)");
        assert_eq!(
            score(&json!({"level": null, "score": 10.0, "interval": null})),
            "10"
        );
        assert_eq!(score(&json!({"level": null, "score": null})), "no run yet");
    }
}
