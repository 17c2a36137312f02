//! One client, on standard input and output.

use std::sync::Arc;

use anyhow::{Context, bail};
use provost_lure::Environment;
use rmcp::service::{ServerInitializeError, serve_server};
use rmcp::transport::stdio;

use super::live::End;
use super::mcp::{Session, Shared};
use super::stopped;

/// Serves until the client has gone, or this program is to stop.
///
/// # Errors
/// The client does not speak the protocol, or signals cannot be listened to.
pub(super) async fn serve(
    shared: &Arc<Shared>,
    environment: Environment,
) -> anyhow::Result<End<'static>> {
    let session = Session::new(Arc::clone(shared), environment);
    tokio::select! {
        spoken = speak(session) => spoken.map(|()| End::Left),
        () = shared.done.notified() => Ok(End::Left),
        stopped = stopped() => stopped.map(|()| End::Stopped),
    }
}

async fn speak(session: Session) -> anyhow::Result<()> {
    match serve_server(session, stdio()).await {
        Ok(service) => {
            service
                .waiting()
                .await
                .context("internal error: the server")?;
            Ok(())
        }
        // It only looked.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(ServerInitializeError::ExpectedInitializeRequest(_)) => {
            bail!("the client does not begin as the Model Context Protocol does, with `initialize`")
        }
        Err(error) => Err(error).context("the client does not speak the Model Context Protocol"),
    }
}
