//! How people sign in with a second step: the secret in an authenticator app, and recovery codes.

/// What an account asks for after its password. Its `Debug` leaves the secret out.
#[derive(Clone, PartialEq, Eq)]
pub struct SecondFactor {
    /// The secret that the authenticator app has, too.
    pub secret: [u8; 20],
    /// Whether a code was entered, so that signing in asks for one.
    pub confirmed: bool,
    /// Unused recovery codes.
    pub codes_left: u32,
}

impl std::fmt::Debug for SecondFactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SecondFactor")
            .field("confirmed", &self.confirmed)
            .field("codes_left", &self.codes_left)
            .finish_non_exhaustive()
    }
}
