//! HTTP over plain sockets: one thread a connection, kept alive.

use super::{Fault, Request, State};
use ibid_x402::SandboxFacilitator;
use serde::Serialize;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::Ordering;

pub(super) fn accept(listener: &TcpListener, state: &Arc<State>, sandbox: &Arc<SandboxFacilitator>) {
    for stream in listener.incoming().flatten() {
        if state.stopped.load(Ordering::SeqCst) {
            return;
        }
        let Ok(handle) = stream.try_clone() else { continue };
        state.lock().connections.push(handle);
        let (state, sandbox) = (Arc::clone(state), Arc::clone(sandbox));
        std::thread::spawn(move || converse(stream, &state, &sandbox));
    }
}

/// Answers requests until the client or a fault closes the connection.
fn converse(stream: TcpStream, state: &State, sandbox: &SandboxFacilitator) {
    // Answers are small: waiting to fill a packet would add forty milliseconds to each.
    let _ = stream.set_nodelay(true);
    let Ok(reading) = stream.try_clone() else { return };
    let mut reading = BufReader::new(reading);
    let mut writing = stream;
    while let Some(request) = read(&mut reading) {
        let (fault, barrier, latency) = {
            let mut world = state.lock();
            let fault = world
                .faults
                .get_mut(&request.path)
                .and_then(|queue| queue.pop_front());
            let barrier = world
                .barriers
                .get_mut(&request.path)
                .and_then(|queue| queue.pop_front());
            world.requests.push(request.clone());
            (fault, barrier, world.latency)
        };
        if let Some(barrier) = barrier {
            barrier.wait();
        }
        if !latency.is_zero() {
            std::thread::sleep(latency);
        }
        let pending = fault == Some(Fault::Pending);
        let answer = match fault {
            None | Some(Fault::Pending) => Some(work(&request, sandbox, pending, 200)),
            Some(Fault::Status(status)) => Some(work(&request, sandbox, false, status)),
            Some(Fault::Answer(status, body)) => Some(answer(status, "", &body)),
            Some(Fault::Redirect(status, to)) => Some(answer(status, &format!("location: {to}\r\n"), "")),
            Some(Fault::LoseAnswer) => {
                let _ = work(&request, sandbox, false, 200);
                None
            }
            Some(Fault::HangUp) => None,
            Some(Fault::Hang) => {
                // Until the client gives up, or the fake is dropped.
                let _ = reading.read(&mut [0]);
                None
            }
        };
        let sent = answer.is_some_and(|answer| writing.write_all(answer.as_bytes()).is_ok());
        if !sent {
            break;
        }
    }
    let _ = writing.shutdown(std::net::Shutdown::Both);
}

fn read(reader: &mut BufReader<TcpStream>) -> Option<Request> {
    let mut lines = std::iter::from_fn(|| {
        let mut line = String::new();
        let read = reader.read_line(&mut line).ok().filter(|&read| read > 0);
        read.map(|_| line.trim_end().to_owned())
            .filter(|line| !line.is_empty())
    });
    let first = lines.next()?;
    let mut words = first.split(' ').map(str::to_owned);
    let (method, path) = (words.next()?, words.next()?);
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| {
            let (name, value) = line.split_once(':')?;
            Some((name.to_ascii_lowercase(), value.trim().to_owned()))
        })
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let mut body = vec![0; length.and_then(|(_, value)| value.parse().ok()).unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    Some(Request {
        method,
        path,
        headers,
        body: String::from_utf8(body).ok()?,
    })
}

/// Does what is asked; an unknown path is 404.
fn work(request: &Request, sandbox: &SandboxFacilitator, pending: bool, status: u16) -> String {
    fn json(value: &impl Serialize) -> String {
        serde_json::to_string(value).expect("an answer that serialises")
    }
    let body = match (request.method.as_str(), request.path.as_str()) {
        ("POST", "/verify") => json(&sandbox.verify_body(&request.body)),
        ("POST", "/settle") if pending => json(&sandbox.settle_pending(&request.body)),
        ("POST", "/settle") => json(&sandbox.settle_body(&request.body)),
        ("POST", "/rpc") => super::node::answer(&request.body, sandbox),
        ("GET", "/supported") => json(&sandbox.supported_answer()),
        _ => return answer(404, "", r#"{"error":"not found"}"#),
    };
    answer(status, "", &body)
}

fn answer(status: u16, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status} Whatever\r\ncontent-type: application/json\r\n{headers}content-length: {length}\r\n\r\n{body}"
    )
}
