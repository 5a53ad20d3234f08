//! Pages that links in mails lead to.

use crate::error::RenderError;
use crate::frame::{Frame, Shell, Tab, render};
use askama::Template;

#[derive(Clone, Copy, Debug)]
pub struct MailLinkPage<'a> {
    /// The address that the mail went to.
    pub address: &'a str,
    /// What its news is about, in words.
    pub about: &'a str,
    /// What the page asks or says.
    pub question: MailQuestion,
}

/// What the page of a link asks or says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailQuestion {
    /// Shall news go to the address?
    Confirm,
    /// News goes to the address.
    Confirmed,
    /// Shall the news end?
    End,
    /// The news has ended.
    Ended,
}

#[derive(Template)]
#[template(path = "mail_link.html")]
struct MailLinkTemplate<'a> {
    shell: Shell<'a>,
    page: &'a MailLinkPage<'a>,
}

impl MailLinkPage<'_> {
    const fn title(&self) -> &'static str {
        match self.question {
            MailQuestion::Confirm => "Confirm your address",
            MailQuestion::Confirmed => "Your address is confirmed",
            MailQuestion::End => "No more mails?",
            MailQuestion::Ended => "No more mails come",
        }
    }
}

/// Renders the page that a link in a mail leads to.
pub fn mail_link(frame: &Frame<'_>, page: &MailLinkPage<'_>) -> Result<String, RenderError> {
    let shell = Shell::new(frame, page.title().to_owned(), Tab::None);
    render("mail-link", &MailLinkTemplate { shell, page })
}
