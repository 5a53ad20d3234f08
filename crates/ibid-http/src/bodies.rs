//! Memory and time of request bodies.
//!
//! Every byte of a body counts from its arrival until its request is answered.
//! This bounds the memory for any number of callers.
//! Anonymous callers share half of it, and one network has at most a quarter.
//! They cannot keep a caller with a key or a session from sending.

use crate::problem::ApiError;
use ibid_service::Error;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Bounds on the bodies of all requests. Cheap to clone; clones share their counts.
#[derive(Clone, Debug, Default)]
pub struct Bodies(Arc<Shared>);

/// Bounds on bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyLimits {
    /// Bytes of unfinished and parsed bodies together.
    pub bytes: usize,
    /// Time in which a body may arrive at any rate.
    pub grace: Duration,
    /// Minimum average rate after that time, in bytes per second.
    pub least_rate: u32,
    /// Maximum time for a body.
    pub total: Duration,
}

impl Default for BodyLimits {
    /// 128 MiB; 10 seconds, then 16 KiB a second; two minutes.
    fn default() -> Self {
        Self {
            bytes: 128 << 20,
            grace: Duration::from_secs(10),
            least_rate: 16 << 10,
            total: Duration::from_secs(120),
        }
    }
}

#[derive(Debug, Default)]
struct Shared {
    limits: BodyLimits,
    counts: Mutex<Counts>,
}

/// Bytes and bodies that are held now.
#[derive(Debug, Default)]
struct Counts {
    known: usize,
    anonymous: usize,
    networks: HashMap<IpAddr, NetworkCounts>,
}

#[derive(Debug, Default)]
struct NetworkCounts {
    bytes: usize,
    arriving: usize,
}

/// Minimum number of bytes that an arriving body counts: its buffers.
const LEAST: usize = 4_096;
/// Bodies that may arrive at one time from one network of anonymous callers.
const ARRIVING: usize = 256;
/// The time after which a refused caller may find room.
const WAIT: Duration = Duration::from_secs(2);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sender {
    /// A caller with a key or a session.
    Known,
    /// Any other caller, by its network.
    Anonymous(IpAddr),
}

/// What one body holds. It counts until this is dropped.
#[derive(Debug)]
pub(crate) struct HeldBody {
    bodies: Bodies,
    sender: Sender,
    bytes: usize,
    arriving: bool,
}

impl Bodies {
    /// Bounds with no body held.
    pub fn new(limits: BodyLimits) -> Self {
        Self(Arc::new(Shared {
            limits,
            counts: Mutex::default(),
        }))
    }

    /// The bytes that are held now.
    pub fn held(&self) -> usize {
        let counts = self.counts();
        counts.known + counts.anonymous
    }

    /// Counts a body that begins to arrive.
    pub(crate) fn begin(&self, sender: Sender) -> Result<HeldBody, ApiError> {
        let mut held = HeldBody {
            bodies: self.clone(),
            sender,
            bytes: 0,
            arriving: false,
        };
        if let Sender::Anonymous(network) = sender {
            let mut counts = self.counts();
            let arriving = &mut counts.networks.entry(network).or_default().arriving;
            if *arriving >= ARRIVING {
                return Err(too_many());
            }
            *arriving += 1;
            held.arriving = true;
        }
        held.grow(LEAST)?;
        Ok(held)
    }

    /// The time since the start within which a body must exceed `bytes` bytes.
    pub(crate) fn due(&self, bytes: usize) -> Duration {
        let limits = &self.0.limits;
        let seconds = bytes as f64 / f64::from(limits.least_rate.max(1));
        (limits.grace + Duration::from_secs_f64(seconds)).min(limits.total)
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.0.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HeldBody {
    /// Counts bytes that have arrived.
    ///
    /// # Errors
    /// 503 where all bodies take too much, 429 where those of one network do.
    pub(crate) fn grow(&mut self, bytes: usize) -> Result<(), ApiError> {
        let most = self.bodies.0.limits.bytes;
        let mut counts = self.bodies.counts();
        if counts.known + counts.anonymous + bytes > most {
            return Err(overloaded());
        }
        match self.sender {
            Sender::Known => counts.known += bytes,
            Sender::Anonymous(network) => {
                if counts.anonymous + bytes > most / 2 {
                    return Err(overloaded());
                }
                let of_network = &mut counts.networks.entry(network).or_default().bytes;
                if *of_network + bytes > most / 4 {
                    return Err(too_many());
                }
                *of_network += bytes;
                counts.anonymous += bytes;
            }
        }
        drop(counts);
        self.bytes += bytes;
        Ok(())
    }

    /// Notes that the body is complete.
    pub(crate) fn arrived(&mut self) {
        if !std::mem::take(&mut self.arriving) {
            return;
        }
        if let Sender::Anonymous(network) = self.sender
            && let Some(of_network) = self.bodies.counts().networks.get_mut(&network)
        {
            of_network.arriving = of_network.arriving.saturating_sub(1);
        }
    }
}

impl Drop for HeldBody {
    fn drop(&mut self) {
        self.arrived();
        let mut counts = self.bodies.counts();
        match self.sender {
            Sender::Known => counts.known -= self.bytes,
            Sender::Anonymous(network) => {
                counts.anonymous -= self.bytes;
                if let Some(of_network) = counts.networks.get_mut(&network) {
                    of_network.bytes -= self.bytes;
                    if of_network.bytes == 0 && of_network.arriving == 0 {
                        counts.networks.remove(&network);
                    }
                }
            }
        }
    }
}

fn overloaded() -> ApiError {
    Error::Overloaded { retry_after: WAIT }.into()
}

fn too_many() -> ApiError {
    Error::TooMany { retry_after: WAIT }.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::ResponseError as _;

    fn network(last: u8) -> Sender {
        Sender::Anonymous(IpAddr::from([192, 0, 2, last]))
    }

    fn bodies(bytes: usize) -> Bodies {
        Bodies::new(BodyLimits {
            bytes,
            ..BodyLimits::default()
        })
    }

    fn status(refused: Result<impl Sized, ApiError>) -> u16 {
        refused.map_or_else(|error| error.status_code().as_u16(), |_| 200)
    }

    #[test]
    fn a_network_gets_a_quarter_anonymous_callers_half_and_known_ones_the_rest() {
        let bodies = bodies(16 * LEAST);
        let mut first = bodies.begin(network(1)).unwrap();
        assert_eq!(status(first.grow(3 * LEAST)), 200);
        assert_eq!(status(first.grow(1)), 429);
        assert_eq!(status(bodies.begin(network(1))), 429);
        let mut second = bodies.begin(network(2)).unwrap();
        assert_eq!(status(second.grow(3 * LEAST)), 200);
        assert_eq!(status(bodies.begin(network(3))), 503);
        let mut known = bodies.begin(Sender::Known).unwrap();
        assert_eq!(status(known.grow(7 * LEAST)), 200);
        assert_eq!(status(known.grow(1)), 503);
        assert_eq!(bodies.held(), 16 * LEAST);
        drop((first, second, known));
        assert_eq!(bodies.held(), 0);
        assert!(bodies.counts().networks.is_empty());
    }

    #[test]
    fn few_bodies_of_a_network_arrive_at_one_time() {
        let bodies = bodies(1 << 30);
        let mut held: Vec<_> = (0..ARRIVING).map(|_| bodies.begin(network(1)).unwrap()).collect();
        assert_eq!(status(bodies.begin(network(1))), 429);
        assert_eq!(status(bodies.begin(network(2))), 200);
        held[0].arrived();
        held[0].arrived();
        assert_eq!(status(bodies.begin(network(1))), 200);
        drop(held);
        assert!(bodies.counts().networks.is_empty());
    }

    #[test]
    fn time_grows_with_the_bytes_up_to_its_end() {
        let bodies = Bodies::default();
        for (bytes, seconds) in [(0, 10), (65_536, 14), (1 << 20, 74), (4 << 20, 120)] {
            assert_eq!(bodies.due(bytes), Duration::from_secs(seconds), "{bytes}");
        }
    }
}
