//! Running the program, and the files it is given.

use serde_json::Value;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// Runs `ibid` as somebody without settings of their own.
pub(crate) fn ibid(arguments: &[&str]) -> Output {
    run(arguments, &[], "")
}

/// Runs `ibid` with settings and something on standard input.
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

/// Runs `ibid` where nobody reads what it prints.
pub(crate) fn unread(arguments: &[&str]) -> Output {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    Command::new(env!("CARGO_BIN_EXE_ibid"))
        .args(arguments)
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

/// A folder that goes away with the test.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// `name` is the test's own: tests run side by side.
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("ibid-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    /// The path of a new file.
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
