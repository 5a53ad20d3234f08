//! What accounts may spend, and whose key pays.

use ibid_model::UsdMicros;
use ibid_provider::ProviderKey;

pub struct WorkspaceRuns {
    /// The operator's key, which pays the models.
    /// Without it pages are audited, and accounts cannot scan.
    pub key: Option<ProviderKey>,
    /// The most that one scan may cost the operator at the provider.
    pub most_cost: UsdMicros,
}

impl WorkspaceRuns {
    /// The default limit on the cost of a scan: $5.00.
    pub const USUAL_COST: UsdMicros = UsdMicros::new(5_000_000);

    /// The usual settings, paid with this key.
    pub fn new(key: ProviderKey) -> Self {
        Self {
            key: Some(key),
            ..Self::default()
        }
    }
}

impl Default for WorkspaceRuns {
    /// The usual settings, without a key.
    fn default() -> Self {
        Self {
            key: None,
            most_cost: Self::USUAL_COST,
        }
    }
}
