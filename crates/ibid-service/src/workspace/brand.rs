//! The title and the logo that an account puts on its reports.

use super::logo::read_logo;
use crate::accounts::Accounts;
use crate::clock::now_ms;
use crate::error::Error;
use crate::shown_text::is_name;
use ibid_model::{AccountId, FaultCode};
use ibid_store::{LogoChange, ReportBrand};

/// Longest title on reports, in characters.
pub const MOST_TITLE_CHARS: usize = 80;
/// Most bytes of an uploaded logo: 100 KiB.
pub const MOST_LOGO_BYTES: usize = 100 << 10;

/// The title and the logo that the owner of an account requests.
#[derive(Debug)]
pub struct BrandDraft {
    /// The title; empty for no title.
    pub title: String,
    pub logo: LogoDraft,
}

#[derive(Debug, PartialEq, Eq)]
pub enum LogoDraft {
    /// The logo stays as it is.
    Keep,
    /// There is no logo from now on.
    Remove,
    /// A picture as it was uploaded.
    Upload(Vec<u8>),
}

impl Accounts {
    /// Returns the title and the logo of an account's reports, or `None` without both.
    pub async fn report_brand(&self, account: AccountId) -> Result<Option<ReportBrand>, Error> {
        self.in_store(move |store| store.report_brand(account)).await
    }

    /// Changes the title and the logo of an account's reports.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a refused title or logo, and then without a change. [`Error::Overloaded`],
    /// [`Error::NotFound`], [`Error::Store`].
    pub async fn set_report_brand(&self, account: AccountId, draft: BrandDraft) -> Result<(), Error> {
        let title = read_title(&draft.title).map_err(|message| invalid("/title", message))?;
        let logo = match draft.logo {
            LogoDraft::Upload(bytes) => LogoDraft::Upload(self.read_logo(bytes).await?),
            known => known,
        };
        let set = self.in_store(move |store| {
            let change = match &logo {
                LogoDraft::Upload(png) => LogoChange::Replace(png),
                LogoDraft::Remove => LogoChange::Remove,
                LogoDraft::Keep => LogoChange::Keep,
            };
            store.set_report_brand(account, title.as_deref(), change, now_ms())
        });
        set.await?.then_some(()).ok_or(Error::NotFound)
    }

    /// Reads an uploaded logo, as a small PNG.
    pub(crate) async fn read_logo(&self, bytes: Vec<u8>) -> Result<Vec<u8>, Error> {
        let read = self.pictures.blocking.run(move || read_logo(&bytes)).await?;
        read.map_err(|refused| invalid("/logo", refused.to_string()))
    }
}

fn invalid(field: &str, message: String) -> Error {
    Error::fault(field, FaultCode::Invalid, message)
}

/// Returns the title without blanks around it, or `None` if it is empty.
pub(crate) fn read_title(text: &str) -> Result<Option<String>, String> {
    let title = text.trim();
    if title.chars().count() > MOST_TITLE_CHARS {
        return Err(format!("a title takes at most {MOST_TITLE_CHARS} characters"));
    }
    if !is_name(title, MOST_TITLE_CHARS) {
        return Err(
            "a title takes no link, no invisible characters and none that change the direction of text"
                .to_owned(),
        );
    }
    Ok(Some(title.to_owned()).filter(|title| !title.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_trimmed_and_bounded() {
        let most = "é".repeat(MOST_TITLE_CHARS);
        let padded = format!(" \u{a0}{most}\n");
        let over = format!("{most}e");
        for (text, expected) in [
            ("", Ok(None)),
            (" \t\u{3000} ", Ok(None)),
            (" Aigua  Clara ", Ok(Some("Aigua  Clara"))),
            ("<b>&\"'", Ok(Some("<b>&\"'"))),
            ("清水 مياه मीठा ☂", Ok(Some("清水 مياه मीठा ☂"))),
            (&padded, Ok(Some(most.as_str()))),
            (&over, Err(())),
        ] {
            let read = read_title(text);
            let read = read.as_ref().map(Option::as_deref).map_err(|_| ());
            assert_eq!(read, expected, "{text:?}");
        }
    }

    #[test]
    fn titles_with_hidden_characters_are_refused() {
        for hidden in [
            '\0',
            '\u{7}',
            '\n',
            '\r',
            '\t',
            '\u{7f}',
            '\u{85}',
            '\u{ad}',
            '\u{61c}',
            '\u{200b}',
            '\u{200c}',
            '\u{200d}',
            '\u{200e}',
            '\u{200f}',
            '\u{2028}',
            '\u{202a}',
            '\u{202e}',
            '\u{2060}',
            '\u{2066}',
            '\u{2069}',
            '\u{3164}',
            '\u{fe0f}',
            '\u{feff}',
            '\u{fff9}',
            '\u{e0041}',
            '\u{e0100}',
        ] {
            let refused = read_title(&format!("a{hidden}b")).unwrap_err();
            assert!(refused.contains("invisible"), "{hidden:?}: {refused}");
        }
    }
}
