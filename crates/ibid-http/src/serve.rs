//! Serves the public address.

use crate::connection::{AT_STOP, Connection, PIECE};
use crate::shutdown::Shutdown;
use actix_http::HttpService;
use actix_service::{IntoServiceFactory, ServiceFactoryExt, fn_service, map_config};
use actix_web::dev::{AppConfig, Server};
use actix_web::{App, web};
use std::future::ready;
use std::io;
use std::net::TcpListener;
use std::time::Duration;
use tokio::net::TcpStream;

/// Bounds of a server.
#[derive(Clone, Copy, Debug)]
pub struct ServerLimits {
    /// Threads that serve connections.
    pub workers: usize,
    /// Maximum number of connections. Others wait until one is closed.
    pub connections: usize,
    /// Time limit for open requests during a stop.
    pub drain: Duration,
    /// The longest time for which a client may leave an answer unread.
    pub unread: Duration,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            workers: std::thread::available_parallelism().map_or(1, Into::into),
            connections: 25_000,
            drain: Duration::from_secs(30),
            unread: Duration::from_secs(60),
        }
    }
}

/// Serves the surfaces of [`routes`](crate::routes()) on a socket.
/// A client that hangs up cancels the scan it was paying for.
/// A client that does not read takes little memory, is closed after a while, and does not delay a stop.
///
/// # Errors
/// The socket cannot be used.
pub fn serve<R>(
    listener: TcpListener,
    routes: R,
    shutdown: Shutdown,
    limits: ServerLimits,
) -> io::Result<Server>
where
    R: FnOnce(&mut web::ServiceConfig) + Clone + Send + 'static,
{
    let builder = Server::build()
        .workers(limits.workers)
        .max_concurrent_connections((limits.connections / limits.workers).max(1))
        .shutdown_timeout(limits.drain.as_secs())
        .disable_signals();
    let stopping = builder.graceful_shutdown_signal();
    let server = builder.listen("ibid", listener, move || {
        let (stopping, shutdown) = (stopping.clone(), shutdown.clone());
        let app = App::new().configure(routes.clone()).into_factory();
        let http = HttpService::build()
            .graceful_shutdown_signal(move || {
                let stopping = stopping.clone();
                async move { stopping.notified().await }
            })
            .client_disconnect_timeout(AT_STOP)
            // With half-closed connections a BYOK scan would go on after its client has hung up.
            .h1_allow_half_closed(false)
            .h1_write_buffer_size(PIECE)
            .on_connect_ext(|connection: &Connection, data| {
                data.insert(connection.turn());
            })
            .h1(map_config(app, |()| AppConfig::default()));
        fn_service(move |stream: TcpStream| {
            let address = stream.peer_addr().ok();
            let connection = Connection::new(stream, limits.unread, shutdown.clone());
            ready(Ok((connection, address)))
        })
        .and_then(http)
    });
    Ok(server?.run())
}
