//! How queued scans are run, and what this process does of it.

use super::Reader;
use ibid_service::{EngineSettings, QueueSettings, RunKeys};
#[cfg(feature = "temporal")]
use ibid_temporal::{ClientCertificate, TemporalEngine, TemporalSettings};
use std::num::NonZeroUsize;
use std::sync::Arc;

/// Most calls in a part of a queued scan.
const PART: usize = 50;
/// Fewest parts that a process works on at one time. With half of them, callers with one part each wait for
/// each other; twice as many only take memory.
const LEAST_SLOTS: usize = 64;

/// What a process does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Serves requests and queues scans, but does not work on queued scans.
    Http,
    /// Works on queued scans, and serves only its health.
    Worker,
    /// Does both.
    Both,
}

/// How queued scans are run.
#[derive(Clone, Debug)]
pub(crate) struct EngineChoice {
    pub(crate) role: Role,
    #[cfg(feature = "temporal")]
    temporal: Option<TemporalSettings>,
}

impl EngineChoice {
    /// Returns the queue's settings for a process with at most `calls` simultaneous calls to the router.
    pub(crate) fn queue(&self, keys: Option<Arc<RunKeys>>, calls: NonZeroUsize) -> QueueSettings {
        let all = calls.get().div_ceil(PART).max(LEAST_SLOTS);
        let slots = match self.role {
            Role::Http => 0,
            // Further parts would wait for calls of this process while another one is idle. An eighth is left for callers
            // without a part under way.
            Role::Worker | Role::Both => {
                let shared = all - all.div_ceil(8);
                shared.min(2 * calls.get().div_ceil(PART)).max(1)
            }
        };
        let settings = QueueSettings {
            keys,
            engine: EngineSettings {
                slots,
                spare_slots: all - slots,
                ..EngineSettings::default()
            },
            ..QueueSettings::default()
        };
        #[cfg(feature = "temporal")]
        if let Some(temporal) = self.temporal.clone() {
            let temporal = TemporalSettings { slots, ..temporal };
            return QueueSettings {
                start: Some(Box::new(|db, steps, runtime| {
                    Arc::new(TemporalEngine::start(db, steps, temporal, runtime))
                })),
                ..settings
            };
        }
        settings
    }
}

impl Reader<'_> {
    pub(super) fn engine(&mut self) -> EngineChoice {
        let roles = [
            ("http", Role::Http),
            ("worker", Role::Worker),
            ("both", Role::Both),
        ];
        let role = self.word("ROLE", &roles).unwrap_or(Role::Both);
        let on_temporal = self
            .word("ENGINE", &[("embedded", false), ("temporal", true)])
            .unwrap_or(false);
        if on_temporal && !cfg!(feature = "temporal") {
            self.fault(
                "ENGINE",
                "is temporal, and this program was built without its feature `temporal`",
            );
        }
        EngineChoice {
            role,
            #[cfg(feature = "temporal")]
            temporal: on_temporal.then(|| self.temporal()),
        }
    }

    #[cfg(feature = "temporal")]
    fn temporal(&mut self) -> TemporalSettings {
        let address = self
            .address("TEMPORAL_ADDRESS")
            .unwrap_or_else(|| super::literal("http://127.0.0.1:7233"));
        let mut settings = TemporalSettings::new(address);
        if let Some(namespace) = self.text("TEMPORAL_NAMESPACE") {
            settings.namespace = namespace;
        }
        settings.authority = self.file("TEMPORAL_CA_FILE").map(String::into_bytes);
        settings.certificate = match (self.file("TEMPORAL_CERT_FILE"), self.file("TEMPORAL_KEY_FILE")) {
            (Some(certificate), Some(key)) => Some(ClientCertificate {
                certificate: certificate.into_bytes(),
                key: key.into_bytes(),
            }),
            (None, None) => None,
            (Some(_), None) | (None, Some(_)) => {
                self.fault("TEMPORAL_CERT_FILE", "and TEMPORAL_KEY_FILE belong together");
                None
            }
        };
        settings
    }
}
