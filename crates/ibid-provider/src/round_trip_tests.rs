//! Outcomes of calls survive being stored as JSON.

use crate::{Completion, ProviderError, TokenUsage};
use ibid_model::result::{LocationHint, Retrieval, Searched};
use ibid_model::{Citation, Finish, UsdMicros};
use proptest::prelude::*;
use std::time::Duration;

fn retrieval() -> impl Strategy<Value = Retrieval> {
    let searched = prop_oneof![Just(Searched::Yes), Just(Searched::No), Just(Searched::Unknown)];
    let location = proptest::option::of(prop_oneof![
        Just(LocationHint::Sent),
        Just(LocationHint::NotSupported)
    ]);
    (
        searched,
        any::<Option<String>>(),
        any::<Option<u32>>(),
        any::<Option<u32>>(),
        location,
    )
        .prop_map(|(searched, engine, queries, sources, location)| Retrieval {
            searched,
            engine,
            queries,
            sources,
            location,
        })
}

fn citation() -> impl Strategy<Value = Citation> {
    let parts = (
        any::<String>(),
        any::<Option<String>>(),
        any::<Option<(u64, u64)>>(),
    );
    parts.prop_map(|(url, title, span)| Citation { url, title, span })
}

fn usage() -> impl Strategy<Value = TokenUsage> {
    let parts = (
        any::<u64>(),
        any::<u64>(),
        any::<Option<u32>>(),
        any::<Option<u64>>(),
    );
    parts.prop_map(|(prompt_tokens, completion_tokens, searches, cost)| TokenUsage {
        prompt_tokens,
        completion_tokens,
        searches,
        cost: cost.map(UsdMicros::new),
    })
}

fn completion() -> impl Strategy<Value = Completion> {
    let finish = prop_oneof![
        Just(Finish::Complete),
        Just(Finish::Truncated),
        Just(Finish::Refused)
    ];
    let citations = proptest::collection::vec(citation(), 0..4);
    (
        any::<String>(),
        citations,
        any::<Option<String>>(),
        finish,
        retrieval(),
        usage(),
    )
        .prop_map(|(text, citations, model, finish, retrieval, usage)| Completion {
            text,
            citations,
            model,
            finish,
            retrieval,
            usage,
            resume: None,
        })
}

fn error() -> impl Strategy<Value = ProviderError> {
    use ProviderError as E;
    let wait = any::<Option<(u32, u32)>>();
    let wait =
        wait.prop_map(|wait| wait.map(|(secs, nanos)| Duration::new(secs.into(), nanos % 1_000_000_000)));
    prop_oneof![
        Just(E::KeyRejected),
        Just(E::NoCredit),
        Just(E::ModelUnavailable),
        any::<u16>().prop_map(|status| E::RequestRefused { status }),
        wait.prop_map(|retry_after| E::RateLimited { retry_after }),
        Just(E::Unavailable),
        Just(E::Timeout),
        Just(E::Connection),
        Just(E::Unreadable),
        Just(E::CostCapReached),
        Just(E::Stopped),
        Just(E::Empty),
    ]
}

proptest! {
    #[test]
    fn an_outcome_is_read_as_it_was_written(
        outcome in prop_oneof![completion().prop_map(Ok), error().prop_map(Err)],
    ) {
        let json = serde_json::to_vec(&outcome).unwrap();
        let read: Result<Completion, ProviderError> = serde_json::from_slice(&json).unwrap();
        prop_assert_eq!(read, outcome);
    }
}
