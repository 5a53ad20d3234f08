//! Named keys of the v1 API, and limits that all processes share.

use ibid_service::{LimitMode, ServiceKey};
use ibid_tests::{ApiClient, Database, PROVIDER_KEY, Reply, Setup, TestServer, small_order};
use reqwest::Method;
use std::time::{Duration, Instant};

fn add(server: &TestServer, name: &str) -> ServiceKey {
    let key = ServiceKey::random().unwrap();
    server
        .store
        .add_service_key(&name.parse().unwrap(), &key.hash(), 1)
        .unwrap();
    key
}

async fn scan(client: &ApiClient, key: &ServiceKey) -> Reply {
    let request = client
        .bare(Method::POST, "/api/v1/scan")
        .bearer_auth(key.reveal());
    Reply::of(request.header("X-Router-Key", PROVIDER_KEY).json(&small_order())).await
}

#[tokio::test]
async fn named_keys_open_the_api_until_they_are_revoked() {
    let server = Setup::default().without_api_key().spawn();
    let client = ApiClient::of(&server);
    let (shop, agency) = (add(&server, "shop"), add(&server, "agency"));
    assert_eq!(scan(&client, &shop).await.status, 200);
    assert_eq!(scan(&client, &agency).await.status, 200);
    assert_eq!(scan(&client, &ServiceKey::random().unwrap()).await.status, 401);
    assert!(
        server
            .store
            .revoke_service_key(&"shop".parse().unwrap(), 2)
            .unwrap()
    );
    let start = Instant::now();
    while scan(&client, &shop).await.status != 401 {
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "the revoked key is still taken"
        );
    }
    assert_eq!(scan(&client, &agency).await.status, 200);
}

#[tokio::test]
async fn the_configured_key_works_beside_named_ones() {
    let server = TestServer::spawn();
    let client = ApiClient::of(&server);
    let key = add(&server, "shop");
    assert_eq!(client.scan(&small_order()).await.status, 200);
    assert_eq!(scan(&client, &key).await.status, 200);
}

#[tokio::test]
async fn each_key_has_limits_of_its_own_that_two_servers_share() {
    let database = Database::fresh();
    let spawn = || {
        Setup::default()
            .store(database.open())
            .tune(|service| service.limit_mode = LimitMode::Enforce)
            .spawn()
    };
    let servers = [spawn(), spawn()];
    let clients = [ApiClient::of(&servers[0]), ApiClient::of(&servers[1])];
    let (shop, agency) = (add(&servers[0], "shop"), add(&servers[0], "agency"));
    for n in 0..60_u32 {
        let reply = scan(&clients[(n % 2) as usize], &shop).await;
        assert_eq!(reply.status, 200, "{n}: {}", reply.text);
        let left = format!("\"hour\";r={};t=", 59 - n);
        assert!(
            reply.header("ratelimit").starts_with(&left),
            "{n}: {:?}",
            reply.headers
        );
    }
    for client in &clients {
        let reply = scan(client, &shop).await;
        assert_eq!(
            (reply.status.as_u16(), reply.code()),
            (429, "rate_limited".into())
        );
        assert!(
            reply.header("ratelimit").starts_with("\"hour\";r=0;t="),
            "{:?}",
            reply.headers
        );
        assert_eq!(scan(client, &agency).await.status, 200);
    }
}
