//! What every page has around it: head, navigation and foot.

use crate::assets::File;
use crate::error::RenderError;
use askama::Template;

/// The `Content-Security-Policy` that every page keeps to.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The data about the server and the reader that every page shows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Frame<'a> {
    /// Base address of the service, without a slash at its end.
    pub base_url: &'a str,
    /// The account that is signed in, if any.
    pub account: Option<AccountView<'a>>,
    /// Whether the server runs in the sandbox.
    pub sandbox: bool,
    /// E-mail address for access requests.
    pub contact: Option<&'a str>,
    /// A notice above the page, shown once.
    pub notice: Option<Notice<'a>>,
}

/// The account that is signed in, if any.
#[derive(Clone, Copy, Debug)]
pub struct AccountView<'a> {
    /// E-mail address.
    pub email: &'a str,
    /// Credits left.
    pub credits: u32,
    /// Whether it manages this server.
    pub admin: bool,
}

/// A notice, such as the outcome of a form.
#[derive(Clone, Copy, Debug)]
pub struct Notice<'a> {
    pub kind: NoticeKind,
    pub text: &'a str,
}

impl<'a> Notice<'a> {
    pub const fn refused(text: &'a str) -> Self {
        let kind = NoticeKind::Refused;
        Self { kind, text }
    }

    pub const fn done(text: &'a str) -> Self {
        let kind = NoticeKind::Done;
        Self { kind, text }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoticeKind {
    /// The request was carried out.
    Done,
    /// The request was refused.
    Refused,
    /// A run was refused, because the budget of the organisation does not hold it.
    OverBudget,
}

impl NoticeKind {
    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Done => "good",
            Self::Refused | Self::OverBudget => "bad",
        }
    }

    pub(crate) fn is_over_budget(self) -> bool {
        self == Self::OverBudget
    }
}

/// An entry of the navigation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tab {
    /// No entry is the current one.
    None,
    Docs,
    Agents,
    Projects,
    NewScan,
    History,
    Audit,
    Receipts,
    Admin,
}

impl Tab {
    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::None => "/",
            Self::Docs => "/docs",
            Self::Agents => "/#build",
            Self::Projects => "/workspace/projects",
            Self::NewScan => "/workspace",
            Self::History => "/workspace/scans",
            Self::Audit => "/workspace/audits",
            Self::Receipts => "/workspace/receipts",
            Self::Admin => "/workspace/admin",
        }
    }

    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::None => "Home",
            Self::Docs => "API",
            Self::Agents => "For agents",
            Self::Projects => "Projects",
            Self::NewScan => "New scan",
            Self::History => "History",
            Self::Audit => "Page audit",
            Self::Receipts => "Receipts",
            Self::Admin => "Admin",
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

/// The service in a sentence, for search engines.
pub(crate) const DESCRIPTION: &str =
    "ibid measures whether, how prominently and how far around a place AI answers cite a website.";

impl<'a> Shell<'a> {
    /// Returns the shell of a private page: not listed, without scripts of its own.
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

    /// Returns the shell of a public page.
    pub(crate) fn indexed(mut self) -> Self {
        self.indexed = true;
        self
    }

    pub(crate) fn with(mut self, scripts: &'static [File]) -> Self {
        self.scripts = scripts;
        self
    }

    pub(crate) fn is_of_admin(&self) -> bool {
        self.frame.account.is_some_and(|account| account.admin)
    }

    pub(crate) fn tabs(&self) -> Vec<Tab> {
        match self.frame.account {
            Some(account) => {
                let admin = account.admin.then_some(Tab::Admin);
                let tabs = [
                    Tab::Projects,
                    Tab::NewScan,
                    Tab::History,
                    Tab::Audit,
                    Tab::Receipts,
                    Tab::Docs,
                ];
                tabs.into_iter().chain(admin).collect()
            }
            None => vec![Tab::Docs, Tab::Agents],
        }
    }

    pub(crate) fn is_current(&self, tab: &Tab) -> bool {
        *tab == self.tab
    }
}

/// Renders a template; an error names its page.
pub(crate) fn render(page: &'static str, template: &impl Template) -> Result<String, RenderError> {
    template.render().map_err(|source| RenderError { page, source })
}
