//! Service keys for the v1 API.

use super::AdminBrowser;
use crate::extract::{Form, Posted};
use crate::problem::ApiError;
use crate::redirect::see_other;
use crate::respond::Answer;
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use ibid_service::{Error, KeyName, Service};
use ibid_web::pages::{self, KeysPage};

/// `GET /workspace/admin/keys`.
pub(crate) async fn list(admin: AdminBrowser, service: web::Data<Service>) -> Result<HttpResponse, ApiError> {
    show(&admin, &service, None, None).await
}

/// `POST /workspace/admin/keys`: makes a key and shows it once.
pub(crate) async fn make(
    Posted(admin, Form(pairs), _, service): Posted<AdminBrowser, Form<4_096>>,
) -> Answer {
    let Ok(name) = pairs.text("name").parse::<KeyName>() else {
        let why = "No key was made: a name takes 1 to 64 lower-case letters, digits, “-”, “_” and “.”.";
        return show(&admin, &service, None, Some((StatusCode::BAD_REQUEST, why))).await;
    };
    match service
        .accounts
        .make_service_key(&admin.admin, name.clone())
        .await?
    {
        Some(key) => show(&admin, &service, Some((name.as_str(), key.reveal())), None).await,
        None => {
            let why = "No key was made: there is or was a key of this name. Choose another name.";
            show(&admin, &service, None, Some((StatusCode::CONFLICT, why))).await
        }
    }
}

/// `POST /workspace/admin/keys/revoke`.
pub(crate) async fn revoke(
    Posted(admin, Form(pairs), _, service): Posted<AdminBrowser, Form<4_096>>,
) -> Answer {
    let name = pairs.text("name").parse().map_err(|_| ApiError::NoSuchPath)?;
    match service.accounts.revoke_service_key(&admin.admin, name).await {
        Ok(()) => Ok(see_other("/workspace/admin/keys")),
        Err(Error::NotFound) => Err(ApiError::NoSuchPath),
        Err(error) => Err(error.into()),
    }
}

async fn show(
    admin: &AdminBrowser,
    service: &Service,
    made: Option<(&str, &str)>,
    refused: Option<(StatusCode, &str)>,
) -> Result<HttpResponse, ApiError> {
    let keys = service.accounts.service_keys(&admin.admin).await?;
    let page = KeysPage { keys: &keys, made };
    admin.page(refused, |frame| pages::admin_keys(frame, &page))
}
