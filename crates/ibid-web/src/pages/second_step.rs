//! A second step of signing in: how an account turns it on, and the page that asks for a code.

use crate::chart::Markup;
use crate::error::RenderError;
use crate::frame::{Frame, Shell, Tab, render};
use crate::qr::qr_code;
use askama::Template;

/// The page that asks for a code after the password. It posts `code` and `next` to `/sign-in/code`.
#[derive(Clone, Copy, Debug, Default)]
pub struct CodePage<'a> {
    /// Path to go to afterwards.
    pub next: &'a str,
    /// Why it was refused, in a sentence.
    pub error: Option<&'a str>,
}

/// A second step for the reader's account. Its forms post to the path of the page, followed by `begin` (`password`),
/// `confirm` (`code`) and `end` (`password`, `code`).
#[derive(Clone, Copy, Debug)]
pub struct SecondStepPage<'a> {
    pub state: SecondStepState<'a>,
    /// Why it was refused, in a sentence.
    pub error: Option<&'a str>,
}

#[derive(Clone, Copy)]
pub enum SecondStepState<'a> {
    /// Not set up.
    Off,
    /// A secret waits for its first code.
    Begun {
        /// The secret in base 32.
        secret: &'a str,
        /// The address that the QR code holds.
        uri: &'a str,
    },
    /// Just set up: the recovery codes, shown once.
    Confirmed(&'a [String]),
    /// Set up.
    On {
        /// Unused recovery codes.
        codes_left: u32,
    },
}

impl std::fmt::Debug for SecondStepState<'_> {
    /// Leaves secrets and codes out.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Off => "Off",
            Self::Begun { .. } => "Begun",
            Self::Confirmed(_) => "Confirmed",
            Self::On { .. } => "On",
        })
    }
}

#[derive(Template)]
#[template(path = "sign_in_code.html")]
struct CodeTemplate<'a> {
    shell: Shell<'a>,
    page: &'a CodePage<'a>,
}

#[derive(Template)]
#[template(path = "second_step.html")]
struct SecondStepTemplate<'a> {
    shell: Shell<'a>,
    page: &'a SecondStepPage<'a>,
    code: Option<Markup>,
    groups: String,
}

/// Renders the page that asks for a code.
pub fn sign_in_code(frame: &Frame<'_>, page: &CodePage<'_>) -> Result<String, RenderError> {
    let shell = Shell::new(frame, "Enter a code", Tab::None);
    render("sign-in-code", &CodeTemplate { shell, page })
}

/// Renders the second step of the reader's account.
pub fn second_step(frame: &Frame<'_>, page: &SecondStepPage<'_>) -> Result<String, RenderError> {
    let shell = Shell::new(frame, "Two-step sign-in", Tab::None);
    let (secret, uri) = match page.state {
        SecondStepState::Begun { secret, uri } => (secret, uri),
        SecondStepState::Off | SecondStepState::Confirmed(_) | SecondStepState::On { .. } => ("", ""),
    };
    let code = (!uri.is_empty())
        .then(|| qr_code(uri, "QR code with the key below"))
        .flatten();
    let letters: Vec<_> = secret.chars().collect();
    let groups: Vec<String> = letters.chunks(4).map(|group| group.iter().collect()).collect();
    let template = SecondStepTemplate {
        shell,
        page,
        code,
        groups: groups.join(" "),
    };
    render("second-step", &template)
}
