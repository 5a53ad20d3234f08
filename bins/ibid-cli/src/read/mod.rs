//! `ibid read`: logged answers in, readings out, a line at a time.
//!
//! Input and output are JSON lines, so that the log of any tool can be scored.
//! The command asks no model and fetches no page.
//! A line that cannot be read is reported with its number and skipped. All other lines are still read.
//!
//! Exit codes: 0 every line was read, 1 the input or the output failed, 2 bad usage, 3 some lines could not be read.

mod lines;
mod record;
mod targets;
mod text;

use crate::output::misused;
use anyhow::Context;
use clap::Args as ClapArgs;
use ibid_model::contract::{Shape, field::OWN_DOMAINS};
use ibid_model::{BrandName, Website};
use lines::{Line, Lines};
use record::{BadRecord, Outcome, Record};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use targets::{Names, Targets};

/// Read answers that any tool has logged: whether they cite a website, how, and which competitors they name
#[derive(ClapArgs)]
pub(crate) struct Args {
    /// Website to look for, in lines that name none
    #[arg(long)]
    domain: Option<Website>,
    /// A further website of the same owner; may be repeated
    #[arg(long = "own-domain", value_name = "WEBSITE", requires = "domain")]
    own_domains: Vec<Website>,
    /// A name under which answers may mention it; may be repeated
    #[arg(long = "brand", value_name = "NAME", requires = "domain")]
    brands: Vec<BrandName>,
    /// A name of another party that holds a name of the website; may be repeated
    #[arg(long = "not-name", value_name = "NAME", requires = "domain")]
    not_names: Vec<BrandName>,
    /// Add every name of the answer to each line, with the evidence for it
    #[arg(long)]
    explain: bool,
    /// JSON lines: {"id", "prompt"?, "answer", "annotations"?, "sources"?, "citations"?, "domain"?, "ownDomains"?,
    /// "brandNames"?, "notNames"?}; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// Lines of the input.
#[derive(Default)]
struct Counts {
    read: u64,
    bad: u64,
}

#[expect(clippy::print_stderr, reason = "a command line reports there")]
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if args.own_domains.len() > most_own() {
        let message = format!("--own-domain: at most {} websites", most_own());
        return Ok(misused(message));
    }
    let source = crate::document::open(&args.file)?;
    let targets = Targets::new(Names {
        domain: args.domain.clone(),
        own: Some(args.own_domains.clone()),
        brands: Some(args.brands.clone()),
        others: Some(args.not_names.clone()),
    });
    let mut out = BufWriter::new(io::stdout().lock());
    let mut report = |number: u64, fault: &BadRecord| eprintln!("ibid: line {number}: {fault}");
    let counts = match read_all(
        BufReader::new(source),
        &mut out,
        targets,
        args.explain,
        &mut report,
    ) {
        Ok(counts) => counts,
        // Whoever reads the output closed it, as in `ibid read log | head`: not a failure.
        Err(Stop::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            return Ok(ExitCode::SUCCESS);
        }
        Err(Stop::Output(error)) => return Err(error).context("writing"),
        Err(Stop::Input(error)) => {
            return Err(error).with_context(|| format!("reading {}", args.file.display()));
        }
    };
    if counts.bad == 0 {
        return Ok(ExitCode::SUCCESS);
    }
    eprintln!(
        "ibid: {} of {} lines could not be read",
        counts.bad,
        counts.read + counts.bad
    );
    Ok(ExitCode::from(crate::output::REJECTED))
}

/// Most further websites of one owner, as the API takes them.
const fn most_own() -> usize {
    if let Shape::Texts { most, .. } = OWN_DOMAINS.shape {
        return most;
    }
    0
}

enum Stop {
    Input(io::Error),
    Output(io::Error),
}

fn read_all(
    source: BufReader<Box<dyn Read + '_>>,
    out: &mut impl Write,
    mut targets: Targets,
    explained: bool,
    report: &mut impl FnMut(u64, &BadRecord),
) -> Result<Counts, Stop> {
    let (mut lines, mut counts) = (Lines::new(source), Counts::default());
    loop {
        if lines.must_wait() {
            // A program that writes one line and waits gets its reading before it sends the next.
            out.flush().map_err(Stop::Output)?;
        }
        let Some(line) = lines.next().map_err(Stop::Input)? else {
            break;
        };
        let number = line.number();
        let outcome = match line {
            Line::Blank { .. } => continue,
            Line::TooLong { .. } => Err(BadRecord::TooLong),
            Line::Text { bytes, .. } => {
                Record::parse(bytes).and_then(|record| record.read(&mut targets, explained))
            }
        };
        match outcome {
            Ok(outcome) => {
                write(out, &outcome).map_err(Stop::Output)?;
                counts.read += 1;
            }
            Err(fault) => {
                report(number, &fault);
                counts.bad += 1;
            }
        }
    }
    out.flush().map_err(Stop::Output)?;
    Ok(counts)
}

fn write(out: &mut impl Write, outcome: &Outcome) -> io::Result<()> {
    serde_json::to_writer(&mut *out, outcome)?;
    out.write_all(b"\n")
}

#[cfg(test)]
mod tests;
