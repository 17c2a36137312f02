//! Any number of clients, over streamable HTTP.

use std::convert::Infallible;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Empty};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use provost_lure::Environment;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::live::End;
use super::mcp::{Session, Shared};
use super::stopped;

/// Where the server is, below the address.
const PATH: &str = "/mcp";
/// How long a client has after its answer to end its session, and connections to come to their end.
const GRACE: Duration = Duration::from_secs(2);
/// More bytes than any message here needs.
const MESSAGE: usize = 1024 * 1024;

type Service = StreamableHttpService<Session, LocalSessionManager>;

/// Listens at an address, as `127.0.0.1:8080`; port 0 is any that is free.
///
/// # Errors
/// Nobody can listen there.
pub(super) async fn listen(address: &str) -> anyhow::Result<TcpListener> {
    let at = || format!("cannot listen at {address}; name a host and a port, as 127.0.0.1:8080");
    TcpListener::bind(address).await.with_context(at)
}

/// Serves until a session has ended in which calls were made, an answer was given, or this program is to stop.
///
/// # Errors
/// The address is lost, or signals cannot be listened to.
pub(super) async fn serve(
    shared: &Arc<Shared>,
    environment: Environment,
    listener: TcpListener,
    address: &str,
) -> anyhow::Result<End<'static>> {
    let bound = listener.local_addr()?;
    // Nothing can be done where standard error is closed.
    let _ = writeln!(io::stderr(), "serving at http://{bound}{PATH}");
    let config = config(address, bound);
    let sessions = config.cancellation_token.clone();
    let factory = {
        let shared = Arc::clone(shared);
        move || Ok(Session::new(Arc::clone(&shared), environment))
    };
    let service = StreamableHttpService::new(factory, manager().into(), config);
    let (over, _) = watch::channel(false);
    let mut connections = JoinSet::new();
    let answered = async {
        shared.answered.notified().await;
        tokio::time::sleep(GRACE).await;
    };
    let end = tokio::select! {
        lost = accept(&listener, &service, &over, &mut connections) => Err(lost.into()),
        () = answered => Ok(End::Left),
        () = shared.done.notified() => Ok(End::Left),
        stopped = stopped() => stopped.map(|()| End::Stopped),
    };
    // What is still to be said is said; who does not listen is left.
    over.send_replace(true);
    sessions.cancel();
    let rest = async { while connections.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(GRACE, rest).await;
    end
}

/// Only names of this machine, and the one that a person gave, are answered to, and no web page but this machine's own:
/// a page from elsewhere that gets its name to mean this address reaches nothing. Who listens at every address has
/// chosen to be found by any name.
fn config(address: &str, bound: SocketAddr) -> StreamableHttpServerConfig {
    let config = StreamableHttpServerConfig::default()
        .with_allowed_origins(["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"])
        .enforce_origin_validation()
        .with_max_request_body_bytes(MESSAGE);
    if bound.ip().is_unspecified() {
        return config.disable_allowed_hosts();
    }
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
    config.with_allowed_hosts(["localhost", "127.0.0.1", "::1", host])
}

/// Sessions do not end for want of calls: agents think for as long as they like.
fn manager() -> LocalSessionManager {
    let mut manager = LocalSessionManager::default();
    manager.session_config.keep_alive = None;
    manager
}

/// Takes connections for as long as it can.
async fn accept(
    listener: &TcpListener,
    service: &Service,
    over: &watch::Sender<bool>,
    connections: &mut JoinSet<()>,
) -> io::Error {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                connections.spawn(connection(stream, service.clone(), over.subscribe()));
                while connections.try_join_next().is_some() {}
            }
            Err(error) => return error,
        }
    }
}

/// One connection, until the client closes it or all is over.
async fn connection(stream: TcpStream, service: Service, mut over: watch::Receiver<bool>) {
    let serve = service_fn(|request| respond(service.clone(), request));
    let mut connection = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .serve_connection(TokioIo::new(stream), serve)
    );
    // What goes wrong on a connection is the client's to notice.
    tokio::select! {
        _ = connection.as_mut() => return,
        _ = over.wait_for(|over| *over) => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = connection.await;
}

async fn respond(
    service: Service,
    request: Request<Incoming>,
) -> Result<Response<BoxBody<Bytes, Infallible>>, Infallible> {
    if request.uri().path() == PATH {
        return Ok(service.handle(request).await);
    }
    let mut nothing = Response::new(Empty::new().boxed());
    *nothing.status_mut() = StatusCode::NOT_FOUND;
    Ok(nothing)
}
