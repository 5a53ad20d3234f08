//! Style sheet, scripts, icon.

use crate::open::browse;
use ibid_tests::{ApiClient, Reply, TestServer};
use reqwest::Method;

#[tokio::test]
async fn assets_are_cached_for_ever_and_compressed_for_clients_that_accept_it() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    for asset in ibid_web::assets::all() {
        let plain = Reply::of(client.bare(Method::GET, &asset.path)).await;
        assert_eq!(
            (plain.status.as_u16(), plain.text.as_bytes()),
            (200, &*asset.bytes)
        );
        for (name, value) in [
            ("content-type", asset.content_type),
            ("cache-control", "public, max-age=31536000, immutable"),
            ("x-content-type-options", "nosniff"),
            ("vary", "Accept-Encoding"),
            ("content-encoding", ""),
        ] {
            assert_eq!(plain.header(name), value, "{name} of {}", asset.name);
        }
        let packed = client
            .bare(Method::GET, &asset.path)
            .header("Accept-Encoding", "gzip, br");
        let packed = packed.send().await.unwrap();
        assert_eq!(packed.headers()["content-encoding"], "gzip");
        let tag = packed.headers()["etag"].to_str().unwrap().to_owned();
        assert_ne!(tag, plain.header("etag"), "two forms, two tags");
        assert_eq!(packed.bytes().await.unwrap(), asset.gzip);
        let known = client
            .bare(Method::GET, &asset.path)
            .header("Accept-Encoding", "gzip")
            .header("If-None-Match", format!("\"other\", W/{tag}"));
        let known = Reply::of(known).await;
        assert_eq!(
            (known.status.as_u16(), known.header("etag"), &*known.text),
            (304, &*tag, "")
        );
    }
}

#[tokio::test]
async fn other_asset_names_are_not_found() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    for path in [
        "/assets/style.css",
        "/assets/style.000000000000.css",
        "/assets/",
        "/assets/..%2f..%2fCargo.toml",
    ] {
        assert_eq!(browse(&client, path).await.status, 404, "{path}");
    }
}
