//! A picture with a project's level, at an address that opens nothing else.

use super::conversions::change;
use super::handle::Projects;
use super::view::ProjectView;
use crate::accounts::random_text;
use crate::error::Error;
use ibid_store::{BadgeNumbers, ProjectScope};

/// Random bytes of an address.
const BYTES: usize = 16;

impl Projects {
    /// Shows the badge of a project, or hides it. A hidden badge that is shown again has a new address.
    ///
    /// # Errors
    /// No random bytes; as [`Self::get`].
    pub(super) async fn show_badge(&self, scope: &ProjectScope, shown: bool) -> Result<ProjectView, Error> {
        let token = match shown {
            true => Some(random_text::<BYTES>()?),
            false => None,
        };
        let action = match shown {
            true => "badge_shown",
            false => "badge_hidden",
        };
        self.of(scope, move |store, scope| {
            store.set_badge(scope, token.as_deref(), change(action, "{}"))
        })
        .await?;
        self.get(scope).await
    }

    /// What the badge with a token shows, if there is one.
    pub async fn badge(&self, token: &str) -> Result<Option<BadgeNumbers>, Error> {
        let token = token.to_owned();
        self.in_store(move |store| store.badge(&token)).await
    }
}

impl ProjectView {
    /// Returns its path, such as `/badge/TOKEN.svg`, while it is shown.
    pub fn badge_path(&self) -> Option<String> {
        let token = self.record.badge.as_ref()?;
        Some(format!("/badge/{token}.svg"))
    }
}
