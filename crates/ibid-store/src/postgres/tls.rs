//! Encrypted connections, through rustls. Certificate and name of the server are always checked.

use crate::PostgresFault;
use crate::StoreError;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore, crypto::ring};
use std::path::Path;
use std::sync::Arc;
use tokio_postgres_rustls::MakeRustlsConnect;

/// Makes a connector that trusts the authorities in a file, or those that the system has.
pub(super) fn connector(roots: Option<&Path>) -> Result<MakeRustlsConnect, StoreError> {
    let trusted = match roots {
        Some(path) => from_file(path)?,
        None => from_system()?,
    };
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|_| PostgresFault::new("TLS is not available"))?
        .with_root_certificates(trusted)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

fn from_file(path: &Path) -> Result<RootCertStore, StoreError> {
    let unusable = |why: String| PostgresFault::new(format!("sslrootcert {}: {why}", path.display()));
    let mut trusted = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(path).map_err(|error| unusable(error.to_string()))? {
        let certificate = certificate.map_err(|error| unusable(error.to_string()))?;
        trusted
            .add(certificate)
            .map_err(|error| unusable(error.to_string()))?;
    }
    if trusted.is_empty() {
        return Err(unusable("has no certificate".to_owned()).into());
    }
    Ok(trusted)
}

fn from_system() -> Result<RootCertStore, StoreError> {
    let found = rustls_native_certs::load_native_certs();
    let mut trusted = RootCertStore::empty();
    // Some systems have a few certificates that cannot be read.
    // A system without any usable one is an error.
    let (usable, _) = trusted.add_parsable_certificates(found.certs);
    if usable == 0 {
        let why =
            "the system names no certificate authority; give a file with sslrootcert=PATH in the address";
        return Err(PostgresFault::new(why).into());
    }
    Ok(trusted)
}
