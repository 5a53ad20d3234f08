//! `ibid-server health`: a check for container engines and supervisors, which need no other program for it.

use anyhow::{Context, bail};
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::time::Duration;

/// Time for connecting, and again for each read and write.
const PATIENCE: Duration = Duration::from_secs(3);

/// Status line of an answer that means healthy.
const HEALTHY: &[u8] = b"HTTP/1.1 200 ";

/// Asks `/healthz` of the server that listens on `bind`.
///
/// # Errors
/// The server cannot be reached in time, or answers with a status other than 200.
pub(crate) fn check(bind: SocketAddr) -> anyhow::Result<()> {
    let address = reachable(bind);
    let mut stream =
        TcpStream::connect_timeout(&address, PATIENCE).with_context(|| format!("connecting to {address}"))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let request = format!("GET /healthz HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream
        .write_all(request.as_bytes())
        .context("asking for /healthz")?;
    let mut status = [0; HEALTHY.len()];
    stream
        .read_exact(&mut status)
        .context("reading the answer of /healthz")?;
    if status != HEALTHY {
        bail!(
            "/healthz of {address} answered {}",
            String::from_utf8_lossy(&status).trim()
        );
    }
    Ok(())
}

/// Returns an address of this machine for a server that listens on all addresses.
fn reachable(bind: SocketAddr) -> SocketAddr {
    let ip = match bind.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, bind.port())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    /// Answers one connection with `answer` and returns the address.
    fn server(answer: &'static str) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = [0; 16];
            stream.read_exact(&mut request).unwrap();
            stream.write_all(answer.as_bytes()).unwrap();
        });
        address
    }

    #[test]
    fn only_the_status_200_is_healthy() {
        assert!(check(server("HTTP/1.1 200 OK\r\n\r\n")).is_ok());
        let error = check(server("HTTP/1.1 503 Service Unavailable\r\n\r\n")).unwrap_err();
        assert!(error.to_string().contains("503"), "{error}");
        assert!(check(server("")).is_err());
        let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        assert!(check(closed).is_err());
    }

    #[test]
    fn a_server_on_all_addresses_is_asked_on_loopback() {
        for (bind, expected) in [
            ("0.0.0.0:80", "127.0.0.1:80"),
            ("[::]:80", "[::1]:80"),
            ("10.0.0.1:80", "10.0.0.1:80"),
        ] {
            assert_eq!(reachable(bind.parse().unwrap()), expected.parse().unwrap());
        }
    }
}
