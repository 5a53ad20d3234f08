//! Helpers that run the program and write its input files.

use serde_json::Value;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// Runs `ibid` without any settings in the environment.
pub(crate) fn ibid(arguments: &[&str]) -> Output {
    run(arguments, &[], "")
}

/// Runs `ibid` with settings and a text on standard input.
pub(crate) fn run(arguments: &[&str], settings: &[(&str, &str)], input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ibid"));
    for setting in [
        "ROUTER_API_KEY",
        "ROUTER_BASE_URL",
        "ROUTER_DIALECT",
        "MODELS_FILE",
        "NO_COLOR",
    ] {
        command.env_remove(setting);
    }
    let mut child = command
        .args(arguments)
        .env("SANDBOX_DAY", "0")
        .envs(settings.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // A run that reads nothing closes the pipe.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    child.wait_with_output().unwrap()
}

/// Runs `ibid` with a closed pipe as standard output.
pub(crate) fn unread(arguments: &[&str]) -> Output {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    Command::new(env!("CARGO_BIN_EXE_ibid"))
        .args(arguments)
        .env("SANDBOX_DAY", "0")
        .stdin(Stdio::null())
        .stdout(writer)
        .output()
        .unwrap()
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

pub(crate) fn parsed(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A folder that is deleted after the test.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// Creates a folder. Tests run in parallel, so each needs its own `name`.
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("ibid-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    /// Returns the path of a new file.
    pub(crate) fn file(&self, name: &str, content: &[u8]) -> String {
        let path = self.path(name);
        std::fs::write(&path, content).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
