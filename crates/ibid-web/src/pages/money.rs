//! Receipts and credits of an account.

use crate::error::RenderError;
use crate::frame::{Frame, Shell, Tab, render};
use askama::Template;
use ibid_service::{CreditMovement, MovementKind, RunRecord};

/// Purchases of an account, newest first.
#[derive(Clone, Copy, Debug)]
pub struct ReceiptsPage<'a> {
    pub runs: &'a [RunRecord],
    /// Cursor of the next page, for `GET /workspace/receipts?cursor=`.
    pub next: Option<&'a str>,
}

/// How many credits an account has, and how it came by them.
#[derive(Clone, Copy, Debug)]
pub struct CreditsPage<'a> {
    /// Credits left.
    pub balance: u32,
    /// Movements, newest first.
    pub movements: &'a [CreditMovement],
    /// Cursor of the next page, for `GET /workspace/credits?cursor=`.
    pub next: Option<&'a str>,
}

const fn label(kind: MovementKind) -> &'static str {
    match kind {
        MovementKind::Granted => "Granted by the operator",
        MovementKind::Withdrawn => "Withdrawn by the operator",
        MovementKind::Spent => "Scan started",
        MovementKind::Returned => "Given back: the scan has no result",
    }
}

const fn sign(kind: MovementKind) -> &'static str {
    match kind {
        MovementKind::Granted | MovementKind::Returned => "+",
        MovementKind::Withdrawn | MovementKind::Spent => "−",
    }
}

#[derive(Template)]
#[template(path = "receipts.html")]
struct ReceiptsTemplate<'a> {
    shell: Shell<'a>,
    page: &'a ReceiptsPage<'a>,
}

#[derive(Template)]
#[template(path = "credits.html")]
struct CreditsTemplate<'a> {
    shell: Shell<'a>,
    page: &'a CreditsPage<'a>,
}

pub fn receipts(frame: &Frame<'_>, page: &ReceiptsPage<'_>) -> Result<String, RenderError> {
    let shell = Shell::new(frame, "Receipts", Tab::Receipts);
    render("receipts", &ReceiptsTemplate { shell, page })
}

pub fn credits(frame: &Frame<'_>, page: &CreditsPage<'_>) -> Result<String, RenderError> {
    let shell = Shell::new(frame, "Credits", Tab::None);
    render("credits", &CreditsTemplate { shell, page })
}
