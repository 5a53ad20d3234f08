//! `ibid-server bots`: the addresses that owners of programs publish.

use crate::database;
use crate::settings::Settings;
use anyhow::{Context, bail};
use clap::Subcommand;
use ibid_first_party::bots::Ranges;
use ibid_store::BotAddresses;
use jiff::Timestamp;
use std::path::Path;

/// Largest file: those that are published have some 20 KB.
const MOST_BYTES: u64 = 4 << 20;

/// Addresses of programs that fetch pages for AI services.
#[derive(Subcommand)]
pub(crate) enum Bots {
    /// Store the files in which owners publish the addresses of their programs: uploaded logs then count "verified" where they hold
    Update {
        /// A published file, such as chatgpt-user.json; PROGRAM=FILE for another file name
        #[arg(value_name = "FILE", required = true)]
        files: Vec<String>,
    },
    /// List the files that are stored, with their days
    List,
}

/// Stores or lists the files. All of them are stored, or none.
///
/// # Errors
/// A file cannot be read or lists no addresses; the fault of the database.
#[expect(clippy::print_stdout, reason = "the answer is for the person at the terminal")]
pub(crate) fn run(settings: &Settings, bots: &Bots) -> anyhow::Result<()> {
    let store = database::open_existing(settings)?;
    if let Bots::Update { files } = bots {
        let now = Timestamp::now().as_millisecond();
        let read: Vec<BotAddresses> = files
            .iter()
            .map(|file| read(file, now))
            .collect::<Result<_, _>>()?;
        store.put_bot_addresses(&read)?;
    }
    let stored = store.bot_addresses()?;
    if stored.is_empty() {
        println!("No addresses are stored: fetches in uploaded logs count as claimed.");
    }
    for file in stored {
        let at = Timestamp::from_millisecond(file.updated_at).unwrap_or_default();
        println!("{}: {}", file.name, at.strftime("%Y-%m-%d"));
    }
    Ok(())
}

fn read(named: &str, now: i64) -> anyhow::Result<BotAddresses> {
    let (program, path) = match named.split_once('=') {
        Some((program, path)) => (Some(program), Path::new(path)),
        None => (None, Path::new(named)),
    };
    let show = || path.display().to_string();
    let length = std::fs::metadata(path).with_context(show)?.len();
    if length > MOST_BYTES {
        bail!("{} is larger than any published file", show());
    }
    let document = std::fs::read(path).with_context(show)?;
    let file_name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = program.map_or_else(|| file_name.unwrap_or_default(), str::to_owned);
    Ranges::default()
        .add(&name, program, &document)
        .with_context(show)?;
    Ok(BotAddresses {
        name,
        is_program: program.is_some(),
        document,
        updated_at: now,
    })
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn a_file_is_known_by_its_name_or_by_its_program() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path.display().to_string()
        };
        let good = write("gptbot.json", r#"{"prefixes": [{"ipv4Prefix": "192.0.2.0/24"}]}"#);
        let file = read(&good, 7).unwrap();
        assert_eq!(
            (file.name.as_str(), file.is_program, file.updated_at),
            ("gptbot.json", false, 7)
        );
        let named = read(&format!("ClaudeBot={good}"), 7).unwrap();
        assert_eq!((named.name.as_str(), named.is_program), ("ClaudeBot", true));
        for bad in [
            write("ours.json", r#"["192.0.2.0/24"]"#),
            write("oai-searchbot.json", "{}"),
            format!("Moonbot={good}"),
            "/nowhere/gptbot.json".to_owned(),
        ] {
            assert!(read(&bad, 7).is_err(), "{bad}");
        }
    }
}
