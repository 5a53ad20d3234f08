//! What stands around every page: head, navigation, foot.

use crate::assets::File;
use crate::error::RenderError;
use askama::Template;

/// The `Content-Security-Policy` that every page keeps to.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// What every page knows about the server and its reader.
#[derive(Clone, Copy, Debug, Default)]
pub struct Frame<'a> {
    /// Address under which the service is reached, without a slash at its end.
    pub base_url: &'a str,
    /// Who is signed in.
    pub account: Option<AccountView<'a>>,
    /// Whether the server runs in the sandbox.
    pub sandbox: bool,
    /// Whom to ask for access.
    pub contact: Option<&'a str>,
    /// Something to say once, above the page.
    pub notice: Option<Notice<'a>>,
}

/// Who is signed in.
#[derive(Clone, Copy, Debug)]
pub struct AccountView<'a> {
    /// E-mail address.
    pub email: &'a str,
    /// CreditsPage left.
    pub credits: u32,
}

/// Something to say once, such as the outcome of a form.
#[derive(Clone, Copy, Debug)]
pub struct Notice<'a> {
    /// How it is meant.
    pub kind: NoticeKind,
    /// A sentence.
    pub text: &'a str,
}

/// How a notice is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoticeKind {
    /// It was done.
    Done,
    /// It was not done.
    Refused,
}

impl NoticeKind {
    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Done => "good",
            Self::Refused => "bad",
        }
    }
}

/// An entry of the navigation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tab {
    /// None of them.
    None,
    Docs,
    Agents,
    NewScan,
    History,
    Audit,
    Receipts,
}

impl Tab {
    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::None => "/",
            Self::Docs => "/docs",
            Self::Agents => "/#build",
            Self::NewScan => "/workspace",
            Self::History => "/workspace/scans",
            Self::Audit => "/workspace/audits",
            Self::Receipts => "/workspace/receipts",
        }
    }

    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::None => "Home",
            Self::Docs => "API",
            Self::Agents => "For agents",
            Self::NewScan => "New scan",
            Self::History => "History",
            Self::Audit => "Page audit",
            Self::Receipts => "Receipts",
        }
    }
}

/// The frame as templates see it.
#[derive(Clone, Debug)]
pub(crate) struct Shell<'a> {
    pub(crate) frame: &'a Frame<'a>,
    pub(crate) title: String,
    pub(crate) description: &'static str,
    pub(crate) tab: Tab,
    /// Whether search engines may list the page.
    pub(crate) indexed: bool,
    pub(crate) scripts: &'static [File],
}

/// What the service does, in a sentence.
pub(crate) const DESCRIPTION: &str =
    "ibid measures whether, how prominently and how far around a place AI answers cite a website.";

impl<'a> Shell<'a> {
    /// A page of one reader: not listed, no scripts of its own.
    pub(crate) fn new(frame: &'a Frame<'a>, title: impl Into<String>, tab: Tab) -> Self {
        Self {
            frame,
            title: title.into(),
            description: DESCRIPTION,
            tab,
            indexed: false,
            scripts: &[],
        }
    }

    /// A page for everybody.
    pub(crate) fn indexed(mut self) -> Self {
        self.indexed = true;
        self
    }

    pub(crate) fn with(mut self, scripts: &'static [File]) -> Self {
        self.scripts = scripts;
        self
    }

    pub(crate) fn tabs(&self) -> Vec<Tab> {
        if self.frame.account.is_some() {
            vec![Tab::NewScan, Tab::History, Tab::Audit, Tab::Receipts, Tab::Docs]
        } else {
            vec![Tab::Docs, Tab::Agents]
        }
    }

    pub(crate) fn is_current(&self, tab: &Tab) -> bool {
        *tab == self.tab
    }
}

/// Renders a template under the name of its page.
pub(crate) fn render(page: &'static str, template: &impl Template) -> Result<String, RenderError> {
    template.render().map_err(|source| RenderError { page, source })
}
