//! What an operator sets, and the connection that follows from it.

use std::fmt;
use std::time::Duration;
use temporalio_client::errors::ClientConnectError;
use temporalio_client::{Client, ClientOptions, ClientTlsOptions, Connection, ConnectionOptions, TlsOptions};
use url::Url;

/// The longest time that a connection may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// Describes a [`TemporalEngine`](crate::TemporalEngine).
#[derive(Clone, Debug)]
pub struct TemporalSettings {
    /// Where the server is, such as `http://127.0.0.1:7233`.
    /// With `https` the connection is encrypted.
    pub address: Url,
    pub namespace: String,
    /// Task queue that one deployment's engines and workers share.
    pub queue: String,
    /// The authority for the server's certificate, in PEM.
    /// `None` for those of the system.
    pub authority: Option<Vec<u8>>,
    /// What this client shows; `None` without a certificate.
    pub certificate: Option<ClientCertificate>,
    /// Steps under way at one time in this process.
    /// 0 for a process that only starts runs.
    pub slots: usize,
    /// The time without a heartbeat after which another worker takes a step over.
    pub lease: Duration,
    /// Attempts at a step that stores no call, before it fails.
    pub attempts: u32,
}

/// A certificate with its key, both in PEM.
#[derive(Clone)]
pub struct ClientCertificate {
    pub certificate: Vec<u8>,
    pub key: Vec<u8>,
}

impl fmt::Debug for ClientCertificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ClientCertificate(..)")
    }
}

impl TemporalSettings {
    /// Default settings of a server, with sixteen slots.
    pub fn new(address: Url) -> Self {
        Self {
            address,
            namespace: "default".to_owned(),
            queue: "ibid".to_owned(),
            authority: None,
            certificate: None,
            slots: 16,
            lease: Duration::from_secs(10),
            attempts: 3,
        }
    }

    /// Connects to the server.
    pub(crate) async fn connect(&self) -> Result<Client, ConnectError> {
        let client = self.certificate.as_ref().map(|pair| {
            ClientTlsOptions::builder()
                .client_cert(pair.certificate.clone())
                .client_private_key(pair.key.clone())
                .build()
        });
        let tls = (self.address.scheme() == "https").then(|| {
            TlsOptions::builder()
                .maybe_server_root_ca_cert(self.authority.clone())
                .maybe_client_tls_options(client)
                .build()
        });
        let options = ConnectionOptions::new(self.address.clone())
            .identity(format!("ibid {}", std::process::id()))
            .connect_timeout(PATIENCE)
            .maybe_tls_options(tls)
            .build();
        let connection = Connection::connect(options).await?;
        Client::new(connection, ClientOptions::new(self.namespace.clone()).build())
            .map_err(|_| ConnectError::Options)
    }
}

/// The server cannot be reached.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConnectError {
    #[error("the Temporal server cannot be reached")]
    Connection(#[from] ClientConnectError),
    #[error("the options of the Temporal client are faulty")]
    Options,
}
