//! The signals that stop the program.

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signals that stop the program: SIGTERM, SIGINT, SIGQUIT; elsewhere Ctrl-C.
pub(crate) struct Signals {
    #[cfg(unix)]
    kinds: [Signal; 3],
}

impl Signals {
    /// Takes the signals over from the system.
    ///
    /// # Errors
    /// The system refuses.
    pub(crate) fn listen() -> std::io::Result<Self> {
        Ok(Self {
            #[cfg(unix)]
            kinds: [
                signal(SignalKind::terminate())?,
                signal(SignalKind::interrupt())?,
                signal(SignalKind::quit())?,
            ],
        })
    }

    /// Waits for the next signal.
    #[cfg(unix)]
    pub(crate) async fn next(&mut self) {
        let [terminate, interrupt, quit] = &mut self.kinds;
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
            _ = quit.recv() => {}
        }
    }

    /// Waits for the next signal.
    #[cfg(not(unix))]
    pub(crate) async fn next(&mut self) {
        // Without a handler of Ctrl-C the system ends the program.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
