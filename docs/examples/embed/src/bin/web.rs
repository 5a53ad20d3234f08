//! The same over HTTP: `cargo run --bin web`, then
//! `curl http://127.0.0.1:3000/score --json '{"domain": "acmetools.com", "answers": ["Ask Acme Tools."]}'`.

use axum::extract::Query;
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json, Router};
use ibid::model::ScanResult;
use ibid_embed::{Answers, Scored};
use serde::Deserialize;

#[derive(Deserialize)]
struct Order {
    domain: String,
    keyword: String,
}

/// A fault of the request, in words.
type Refused = (StatusCode, String);

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let app = Router::new()
        .route("/score", post(score))
        .route("/scan", get(scan));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
    axum::serve(listener, app).await
}

async fn score(Json(order): Json<Answers>) -> Result<Json<Scored>, Refused> {
    // Reading takes some 50 µs an answer; more than a few thousand belong on a thread of their own.
    ibid_embed::score(&order).map(Json).map_err(refused)
}

/// A client that hangs up drops the future, which stops the calls of the scan.
async fn scan(Query(order): Query<Order>) -> Result<Json<ScanResult>, Refused> {
    ibid_embed::scan(&order.domain, &order.keyword)
        .await
        .map(Json)
        .map_err(refused)
}

fn refused(error: Box<dyn std::error::Error + Send + Sync>) -> Refused {
    (StatusCode::BAD_REQUEST, error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn both_routes_answer() {
        let order = Answers {
            domain: "acmetools.com".to_owned(),
            answers: vec!["Ask Acme Tools.".to_owned()],
        };
        assert_eq!(score(Json(order)).await.unwrap().0.cited, 1);
        let faulty = Order {
            domain: "no domain".to_owned(),
            keyword: String::new(),
        };
        assert_eq!(scan(Query(faulty)).await.unwrap_err().0, StatusCode::BAD_REQUEST);
    }
}
