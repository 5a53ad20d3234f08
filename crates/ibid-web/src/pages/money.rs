//! Receipts and credits of an account.

use crate::error::RenderError;
use crate::frame::{Frame, Shell, Tab, render};
use askama::Template;
use ibid_model::{AtomicUsdc, Network, ReceiptId, ScanId, Skill};
use jiff::Timestamp;

/// The purchases of an account, newest first.
#[derive(Clone, Copy, Debug)]
pub struct ReceiptsPage<'a> {
    /// The receipts of this page.
    pub rows: &'a [ReceiptRow<'a>],
    /// Cursor of the next page, for `GET /workspace/receipts?cursor=`.
    pub next: Option<&'a str>,
}

/// One purchase.
#[derive(Clone, Copy, Debug)]
pub struct ReceiptRow<'a> {
    pub id: ReceiptId,
    /// When it was charged.
    pub at: Timestamp,
    /// The skill that was bought.
    pub skill: Skill,
    /// The subject: domain and keyword, or the address of a page.
    pub about: &'a str,
    /// The scan, while it is kept.
    pub scan: Option<ScanId>,
    pub charge: AmountCharged<'a>,
}

/// The charge of a receipt.
#[derive(Clone, Copy, Debug)]
pub enum AmountCharged<'a> {
    /// Credits of the account.
    Credits(u32),
    /// A payment on a chain.
    Usdc {
        amount: AtomicUsdc,
        network: Network,
        /// The transaction, where it is known.
        transaction: Option<&'a str>,
    },
}

/// The credits of an account and their movements.
#[derive(Clone, Copy, Debug)]
pub struct CreditsPage<'a> {
    /// Credits left.
    pub balance: u32,
    /// Movements, newest first.
    pub ledger: &'a [LedgerRow<'a>],
    /// Cursor of the next page, for `GET /workspace/credits?cursor=`.
    pub next: Option<&'a str>,
}

/// One movement of credits.
#[derive(Clone, Copy, Debug)]
pub struct LedgerRow<'a> {
    /// The time of the movement.
    pub at: Timestamp,
    pub kind: LedgerKind,
    /// Number of credits.
    pub credits: u32,
    /// Balance afterwards.
    pub balance: u32,
    /// The scan that the movement belongs to.
    pub scan: Option<LedgerScan<'a>>,
}

/// The scan of a movement.
#[derive(Clone, Copy, Debug)]
pub struct LedgerScan<'a> {
    pub id: ScanId,
    /// Domain and keyword.
    pub about: &'a str,
}

/// The kind of a movement of credits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LedgerKind {
    /// Given by the operator.
    Granted,
    /// Taken away by the operator.
    Withdrawn,
    /// Taken when a scan started.
    Spent,
    /// Given back because a scan had no result.
    Returned,
}

impl LedgerKind {
    fn label(self) -> &'static str {
        match self {
            Self::Granted => "Granted by the operator",
            Self::Withdrawn => "Withdrawn by the operator",
            Self::Spent => "Scan started",
            Self::Returned => "Given back: the scan has no result",
        }
    }

    fn sign(self) -> &'static str {
        match self {
            Self::Granted | Self::Returned => "+",
            Self::Withdrawn | Self::Spent => "−",
        }
    }
}

/// Shortens the hash of a transaction to its beginning and its end.
pub(crate) fn short_hash(hash: &str) -> String {
    let chars: Vec<char> = hash.chars().collect();
    match (
        chars.get(..8),
        chars.len().checked_sub(6).and_then(|from| chars.get(from..)),
    ) {
        (Some(head), Some(tail)) if chars.len() > 16 => {
            format!(
                "{}…{}",
                head.iter().collect::<String>(),
                tail.iter().collect::<String>()
            )
        }
        _ => hash.to_owned(),
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
    render(
        "receipts",
        &ReceiptsTemplate {
            shell: Shell::new(frame, "Receipts", Tab::Receipts),
            page,
        },
    )
}

pub fn credits(frame: &Frame<'_>, page: &CreditsPage<'_>) -> Result<String, RenderError> {
    render(
        "credits",
        &CreditsTemplate {
            shell: Shell::new(frame, "Credits", Tab::None),
            page,
        },
    )
}

impl ReceiptsTemplate<'_> {
    fn cursor_href(&self, cursor: &str) -> String {
        format!("/workspace/receipts?{}", super::query(&[("cursor", cursor)]))
    }
}

impl CreditsTemplate<'_> {
    fn cursor_href(&self, cursor: &str) -> String {
        format!("/workspace/credits?{}", super::query(&[("cursor", cursor)]))
    }
}
