//! All limits of the protocol.
//! Callers are anonymous, so every resource that they use is limited.

use jiff::SignedDuration;

/// Largest body in bytes. Public conformance kits send texts of 1 MiB.
/// A page to audit may have 2 MiB of HTML, which grows when written as JSON.
pub const MAX_BODY: usize = 4 << 20;
/// Most values in the parameters of one call, such as texts, numbers, members and elements.
/// Typical requests have about twenty.
/// In memory, a value takes up to forty times its bytes in the body.
pub const MAX_VALUES: usize = 10_000;
/// Longest JSON-RPC id as it is written in the request, `messageId` and id of a push notification configuration, in bytes.
pub const MAX_ID: usize = 256;
/// Longest `contextId`, in bytes.
pub const MAX_CONTEXT: usize = 128;
/// Most parts of one message.
pub const MAX_PARTS: usize = 64;
/// Most `referenceTaskIds` and most `extensions` of one message.
pub const MAX_REFERENCES: usize = 16;
/// Most bytes of one metadata object, roughly as written.
pub const MAX_METADATA: usize = 64 << 10;
/// Most messages that one task takes from its client, and most messages kept in its history; the oldest go first.
pub const MAX_TURNS: u32 = 64;
/// Longest address of a push notification configuration, in bytes.
pub const MAX_PUSH_URL: usize = 2 << 10;
/// Longest token and longest credentials of a push notification configuration, in bytes.
pub const MAX_PUSH_SECRET: usize = 4 << 10;
/// Most push notification configurations of one task.
pub const MAX_PUSH_CONFIGS: u32 = 10;

/// Most bytes kept in the history of one task, roughly as written; the oldest go first.
pub const MAX_HISTORY_BYTES: usize = 128 << 10;
/// Longest text kept in a history, in bytes.
/// The request that runs is kept whole, outside the history.
pub const MAX_KEPT_TEXT: usize = 2 << 10;
/// Largest message kept in a history, in bytes, roughly as written.
pub const MAX_KEPT_MESSAGE: usize = 16 << 10;

/// How long an unpaid task lives after its last change.
pub const UNPAID_LIFE: SignedDuration = SignedDuration::from_hours(1);
/// How long a paid task lives after its last change.
pub const FINISHED_LIFE: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Most faults listed in one error.
/// The rest are reported once these are repaired.
pub(crate) const MAX_FAULTS: usize = 16;
