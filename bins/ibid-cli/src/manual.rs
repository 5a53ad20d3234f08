//! `ibid completions` and `ibid man`: shell completions and manual pages of the commands.

use crate::output::print;
use anyhow::Context;
use clap::{Args as ClapArgs, Command};
use clap_complete::Shell;
use std::path::PathBuf;
use std::process::ExitCode;

/// Print the completions of a shell
///
/// bash: ibid completions bash > /etc/bash_completion.d/ibid
#[derive(ClapArgs)]
pub(crate) struct CompletionArgs {
    /// The shell
    shell: Shell,
}

/// Write the manual pages, one for each command
#[derive(ClapArgs)]
pub(crate) struct ManArgs {
    /// The folder to write them to, such as /usr/local/share/man/man1
    folder: PathBuf,
}

pub(crate) fn completions(args: &CompletionArgs, mut command: Command) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "ibid", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn man(args: &ManArgs, command: Command) -> anyhow::Result<ExitCode> {
    std::fs::create_dir_all(&args.folder)
        .and_then(|()| clap_mangen::generate_to(command, &args.folder))
        .with_context(|| format!("writing to {}", args.folder.display()))?;
    Ok(ExitCode::SUCCESS)
}
