//! How busy a provider is, for the operator.

/// How many calls a provider has at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProviderLoad {
    /// Calls under way.
    pub in_flight: usize,
    /// Calls that wait for a place.
    pub waiting: usize,
    /// The models that were asked since the process started.
    pub models: Vec<ModelLoad>,
}

/// One model of a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelLoad {
    /// Identifier of the model at the provider.
    pub model: String,
    /// Attempts after the first of a question.
    pub retries: u64,
    /// Open circuit breakers: one for each key, and one for all keys.
    pub open_breakers: usize,
}
