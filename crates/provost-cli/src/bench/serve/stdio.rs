//! One client, on standard input and output.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use provost_lure::Environment;
use rmcp::service::{ServerInitializeError, serve_server};
use rmcp::transport::stdio;

use super::live::End;
use super::mcp::{Session, Shared};
use super::stopped;

/// How long an answer may take to be written.
const GRACE: Duration = Duration::from_millis(300);

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
        () = answered(shared) => Ok(End::Left),
        stopped = stopped() => stopped.map(|()| End::Stopped),
    }
}

/// Until there is nothing more to serve, and the answer that says so had time to be written.
async fn answered(shared: &Shared) {
    shared.done.notified().await;
    tokio::time::sleep(GRACE).await;
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
