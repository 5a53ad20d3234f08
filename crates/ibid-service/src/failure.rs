//! Errors in the log.

use std::error::Error;

/// Joins what an error and its causes say with colons. No message holds a caller's values, because the store reduces those
/// of database drivers to their codes.
pub fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        // Some errors repeat their source in their own message.
        if !text.ends_with(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibid_engine::NoAnswers;
    use ibid_provider::ProviderError;

    #[test]
    fn the_chain_names_every_cause_once() {
        let error = crate::Error::NoAnswers(NoAnswers {
            questions: 3,
            cause: ProviderError::Timeout,
        });
        assert_eq!(
            chain(&error),
            "no question was answered: none of 3 questions was answered: the provider did not answer in time"
        );
        let io = std::io::Error::other("disk full");
        let error = crate::Error::Store(ibid_store::StoreError::Packing(io));
        assert!(chain(&error).ends_with(": evidence cannot be compressed or decompressed: disk full"));
    }
}
