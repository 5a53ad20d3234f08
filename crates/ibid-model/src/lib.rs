#![doc = include_str!("../README.md")]
#![warn(missing_docs)]
//!
//! What ibid talks about, as types. A value that exists is valid: text is parsed once, at the edge, and every fault is reported.
//!
//! In the order of a scan:
//!
//! 1. [`ScanDraft`] reads a request with its [`Domain`], [`Keyword`] and [`Rings`] into a [`ScanOrder`], or into [`Faults`];
//!    [`strict_json`] parses its body.
//! 2. [`Catalog`] has the models that can be asked, each a [`ModelAlias`] with its prices in [`UsdMicros`].
//! 3. [`result`] is what comes back: a [`ScanResult`] with [`Score`]s and [`Interval`]s; [`time`] writes its times.
//! 4. [`contract`] has the fields, routes, skills and problems of a service as data, for programs that render them.
//!
//! [`json_lines`] bounds texts from strangers before they are parsed; [`answer_columns`] knows what a log's columns mean.
//!
//! This crate does no IO, reads no clock, draws no random numbers (ids excepted) and has no protocol.

/// Reads a value in JSON from its text, as `FromStr` does.
macro_rules! read_from_text {
    ($name:ty) => {
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

pub mod answer_columns;
mod catalog;
mod citation;
pub mod contract;
mod count;
mod domain;
mod email;
mod fault;
mod finish;
mod id;
pub mod json_lines;
mod keyword;
mod locale;
mod misspelling;
mod money;
mod object_reader;
mod order;
mod payment;
mod project_settings;
mod question;
mod question_set;
mod queue_options;
pub mod result;
mod ring;
mod run_state;
mod schema;
mod score;
pub mod strict_json;
pub mod time;
mod webhook;
mod website;

pub use catalog::{Catalog, CatalogError, ExpectedUse, Grounding, Model, ModelAlias, Prices, SearchEngine};
pub use citation::Citation;
pub use contract::{ProblemCode, Product, Skill, UnknownSkill};
pub use count::{Count, KeywordsPerRing, Priority, QueriesPerKeyword, QuestionsPerModel};
pub use domain::{Domain, DomainError};
pub use email::{Email, EmailError};
pub use fault::{Fault, FaultCode, FaultReason, Faults};
pub use finish::Finish;
pub use id::{
    AccountId, ActionId, AlertId, AnnotationId, AnswerImportId, ApiKeyId, BatchId, ContextId, DeliveryId,
    FeedKeyId, OrganisationId, OwnFileId, ProjectId, QuestionSetId, ReceiptId, ReportId, RivalId, ScanId,
    ScheduleId, TaskId, WebhookId,
};
pub use keyword::{
    BrandName, Keyword, Language, LocationText, Persona, QuestionText, Tag, TextError, Title,
    is_display_control,
};
pub use locale::Locale;
pub use misspelling::misspelt;
pub use money::{AtomicUsdc, BadUsdc, UsdMicros};
pub use object_reader::ObjectReader;
pub use order::{Counts, ScanDraft, ScanForm, ScanOrder, StopRule};
pub use payment::{
    Asset, BadPrices, BadTransaction, HexError, Network, Nonce, Offering, PaymentKey, PaymentKeyError,
    PriceList, Receipt, TokenAddress, Transaction, UnknownNetwork, Wallet, X402Version, unhex,
};
pub use project_settings::{OutreachState, ProjectSettings};
pub use question::{OwnQuestion, PLACE_SLOT};
pub use question_set::{AskedSet, BadQuestionSetName, QuestionSetName};
pub use queue_options::QueueOptions;
pub use result::ScanResult;
pub use ring::{Ring, Rings};
pub use run_state::RunState;
pub use score::{Interval, Prominence, Score};
pub use webhook::{BadWebhookName, UnknownEvent, WebhookEdit, WebhookEvent, WebhookName, WebhookOrder};
pub use website::Website;
