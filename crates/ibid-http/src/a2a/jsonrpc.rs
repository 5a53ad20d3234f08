//! `POST /api/a2a/jsonrpc`: the agent-to-agent protocol over JSON-RPC.
//!
//! Every answer to a JSON-RPC call has status 200, errors included, because clients check the status before the body.
//! Other statuses are for requests that are not a JSON-RPC call: wrong method, wrong type, too many bytes.

use super::call::{Answer, version};
use crate::extract::{ClientAddress, JsonBytes};
use crate::respond::{handle, posting, resource};
use actix_web::{HttpRequest, HttpResponse, web};
use ibid_a2a::RpcRequest;
use ibid_model::contract::routes::CALL_AGENT;
use ibid_service::Tasks;

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
    let answer = Answer {
        request: &request,
        wire,
        id: rpc.id,
    };
    answer.to(rpc.call, form, from, &tasks).await
}
