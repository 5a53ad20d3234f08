//! `POST /api/a2a/jsonrpc`: the agent-to-agent protocol over JSON-RPC.
//!
//! Every answer to a JSON-RPC call has status 200, errors included, because clients check the status before the body.
//! Other statuses are for requests that are not a JSON-RPC call: wrong method, wrong type, too many bytes.

use super::call::{Answer, message, version};
use crate::extract::{ClientAddress, JsonBytes};
use crate::respond::{handle, posting, resource};
use actix_web::{HttpRequest, HttpResponse, web};
use ibid_a2a::{Call, Form, RpcRequest};
use ibid_model::contract::routes::CALL_AGENT;
use ibid_service::{Caller, Tasks};

/// Mounts the route.
pub(crate) fn mount(app: &mut web::ServiceConfig) {
    // Some clients take the address for a folder.
    let folder = format!("{}/", CALL_AGENT.path);
    app.service(handle(&CALL_AGENT, call)).service(resource(
        &folder,
        CALL_AGENT.method.allow(),
        posting().to(call),
    ));
}

async fn call(
    request: HttpRequest,
    from: ClientAddress,
    body: JsonBytes<{ ibid_a2a::limits::MAX_BODY }>,
    tasks: web::Data<Tasks>,
) -> HttpResponse {
    let rpc = RpcRequest::parse_version(&body.0, version(&request).as_deref());
    drop(body);
    let (form, wire) = (rpc.form(), rpc.wire);
    let caller = || Caller::at(from.0);
    let answer = Answer {
        request: &request,
        wire,
        id: rpc.id,
    };
    let error = match rpc.call {
        Ok(Call::Send(incoming)) => match message(wire, *incoming, caller(), &request) {
            Ok(call) => return answer.sent(tasks.send(call).await),
            Err(error) => error,
        },
        Ok(Call::Stream(incoming)) => match message(wire, *incoming, caller(), &request) {
            Ok(call) => return answer.stream(tasks.stream(call)).await,
            Err(error) => error,
        },
        Ok(Call::Get { task, history }) => return answer.task(tasks.get(task, history).await),
        Ok(Call::Cancel(task)) => return answer.task(tasks.cancel(task).await),
        Ok(Call::Resubscribe { task, open }) => {
            return answer.stream(tasks.resubscribe(wire, task, open, caller())).await;
        }
        Ok(Call::Push(call)) => match tasks.push(wire, call, caller()).await {
            Ok(body) => return answer.document(body),
            Err(error) => error,
        },
        Ok(Call::List(page)) => return answer.document(wire.no_tasks(page)),
        Err(error) => error,
    };
    match form {
        Form::Json => answer.error(&error),
        Form::Stream => {
            let body = wire.error(&error);
            answer.stream(futures_util::stream::iter([body])).await
        }
    }
}
