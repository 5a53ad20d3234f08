//! `ibid project`: the projects of a server, by its API.

use crate::output::{print, print_json};
use crate::project_import;
use anyhow::{Context, bail};
use clap::{Args as ClapArgs, Subcommand};
use comfy_table::{Table, presets};
use reqwest::{Client, Method, StatusCode};
use serde_json::{Map, Value, json};
use std::process::ExitCode;
use std::time::Duration;
use url::Url;

/// The time after which a server that does not answer is given up.
const PATIENCE: Duration = Duration::from_secs(60);

/// List, create, show and run the projects of a server
#[derive(ClapArgs)]
pub(crate) struct Args {
    /// Base address of the server
    #[arg(
        long,
        env = "IBID_URL",
        default_value = "http://127.0.0.1:8080",
        global = true
    )]
    server: Url,
    /// Print the answer of the server as JSON
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Import(project_import::Args),
    #[command(flatten)]
    Server(ServerCommand),
}

/// The key of a project or of an organisation comes from `IBID_PROJECT_KEY`.
#[derive(Subcommand)]
enum ServerCommand {
    /// List your projects: first those that want attention
    List,
    /// Make a project, or with --dry-run show what it would cost and see
    Create(Create),
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
    /// Show the sites and pages that the answers of the last run cite
    Sources {
        /// The project id
        id: String,
    },
}

#[derive(ClapArgs)]
struct Create {
    /// Name of the project
    name: String,
    /// Website
    domain: String,
    /// Product or service that people ask for
    keyword: String,
    /// Place, such as "Bristol, United Kingdom"
    #[arg(long)]
    location: Option<String>,
    /// Aliases of the models to ask; by default those of the server
    #[arg(long, value_delimiter = ',')]
    models: Vec<String>,
    /// Questions a model
    #[arg(long)]
    questions: Option<u32>,
    /// Most dollars that its runs of a month may cost
    #[arg(long)]
    budget: Option<f64>,
    /// Show what it would cost and see, and make nothing
    #[arg(long)]
    dry_run: bool,
}

impl Create {
    fn body(&self) -> Value {
        let mut body = Map::from_iter([
            ("name".to_owned(), json!(self.name)),
            ("domain".to_owned(), json!(self.domain)),
            ("keyword".to_owned(), json!(self.keyword)),
        ]);
        let mut put = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                body.insert(name.to_owned(), value);
            }
        };
        put("location", self.location.as_ref().map(|location| json!(location)));
        put("models", (!self.models.is_empty()).then(|| json!(self.models)));
        put(
            "questionsPerModel",
            self.questions.map(|questions| json!(questions)),
        );
        put("monthlyBudgetUsd", self.budget.map(|budget| json!(budget)));
        Value::Object(body)
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let command = match &args.command {
        Command::Import(import) => return project_import::run(import, args.json),
        Command::Server(command) => command,
    };
    let key = std::env::var("IBID_PROJECT_KEY")
        .context("IBID_PROJECT_KEY is not set: make a key on the settings page of a project, or with ibid-server project key")?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let (method, path, body) = match command {
        ServerCommand::List => (Method::GET, "/api/v2/projects".to_owned(), None),
        ServerCommand::Create(create) => {
            let dry = if create.dry_run { "?dryRun=true" } else { "" };
            (
                Method::POST,
                format!("/api/v2/projects{dry}"),
                Some(create.body()),
            )
        }
        ServerCommand::Show { id } => (Method::GET, format!("/api/v2/projects/{id}"), None),
        ServerCommand::Run { id } => (Method::POST, format!("/api/v2/projects/{id}/runs"), None),
        ServerCommand::History { id } => (Method::GET, format!("/api/v2/projects/{id}/history"), None),
        ServerCommand::Rivals { id } => (Method::GET, format!("/api/v2/projects/{id}/rivals"), None),
        ServerCommand::Sources { id } => (Method::GET, format!("/api/v2/projects/{id}/sources"), None),
    };
    let answer = runtime.block_on(call((&args.server, &key), (method, &path), body))?;
    if args.json {
        print_json(&answer)?;
        return Ok(ExitCode::SUCCESS);
    }
    print(&match command {
        ServerCommand::List => list(&answer),
        ServerCommand::Create(create) if create.dry_run => {
            format!("{}\n", word(&answer["forecast"], "summary"))
        }
        ServerCommand::Create(_) | ServerCommand::Show { .. } => show(&answer),
        ServerCommand::Run { .. } => started(&answer),
        ServerCommand::History { .. } => history(&answer),
        ServerCommand::Rivals { .. } => rivals(&answer),
        ServerCommand::Sources { .. } => sources(&answer),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Sends a request, and returns the document of the answer.
async fn call(
    (server, key): (&Url, &str),
    (method, path): (Method, &str),
    body: Option<Value>,
) -> anyhow::Result<Value> {
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
    let request = client.request(method, server.join(path)?).bearer_auth(key);
    let request = match body {
        Some(body) => request
            .header("Content-Type", "application/json")
            .body(body.to_string()),
        None => request,
    };
    let reply = request
        .send()
        .await
        .with_context(|| format!("reaching {server}"))?;
    let status = reply.status();
    let text = reply.text().await?;
    let document: Value =
        serde_json::from_str(&text).with_context(|| format!("the server answered {status}"))?;
    if status.is_success() {
        return Ok(document);
    }
    if status == StatusCode::UNAUTHORIZED {
        bail!("the server does not know the key in IBID_PROJECT_KEY");
    }
    bail!("{}", word(&document, "detail"));
}

fn list(answer: &Value) -> String {
    let projects = answer["projects"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    if projects.is_empty() {
        return "There are no projects.\n".to_owned();
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["Project", "Website", "Score", "This month", "State", "Id"]);
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

fn show(project: &Value) -> String {
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

fn plain_table<const N: usize>(head: [&str; N]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(head);
    table
}

fn rows<'a>(document: &'a Value, name: &str) -> &'a [Value] {
    document[name].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// The day of a time.
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
    let attention = project["attention"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let words: Vec<&str> = std::iter::once(word(project, "status"))
        .chain(attention.iter().filter_map(Value::as_str))
        .collect();
    words.join(", ")
}

fn word<'a>(document: &'a Value, name: &str) -> &'a str {
    document[name].as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

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
