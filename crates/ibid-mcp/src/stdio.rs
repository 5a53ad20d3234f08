//! Messages on standard input and output.

use crate::handler::McpServer;
use rmcp::ServiceExt;

/// Why the server on standard input ended early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StdioError {
    /// The client did not open the conversation as the protocol asks.
    #[error("the client did not initialize the connection")]
    Initialize(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The server's task panicked.
    #[error("the server stopped early")]
    Stopped(#[source] tokio::task::JoinError),
}

/// Answers messages on standard input until it is closed.
///
/// # Errors
/// The client does not speak the protocol.
pub async fn serve_stdio(server: McpServer) -> Result<(), StdioError> {
    let running = server.serve(rmcp::transport::stdio()).await;
    let running = running.map_err(|error| StdioError::Initialize(Box::new(error)))?;
    running.waiting().await.map_err(StdioError::Stopped)?;
    Ok(())
}
