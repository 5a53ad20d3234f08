//! Servers that attack: each ends soon, in little memory, in our words.

use crate::server::{Server, answer, linger};
use flate2::Compression;
use flate2::write::GzEncoder;
use ibid_audit::fetch::{AddressRefusal, FetchAnswer, FetchError, FetchFailure, FetchLimits};
use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

const LIMITS: FetchLimits = FetchLimits {
    bytes: 1 << 20,
    time: Duration::from_millis(1_500),
};

/// Fetches `/` of a server that says one thing.
async fn fetch(
    say: impl Fn(&str, &mut TcpStream) + Send + Sync + 'static,
) -> Result<FetchAnswer, FetchError> {
    let server = Server::start(say);
    get(&server, "/").await
}

async fn get(server: &Server, path: &str) -> Result<FetchAnswer, FetchError> {
    let fetcher = server.fetcher();
    let target = fetcher.judge(&server.url(path))?;
    let begun = Instant::now();
    let found = fetcher.get(target, "*/*", LIMITS).await;
    assert!(
        begun.elapsed() < LIMITS.time + Duration::from_secs(2),
        "{:?}",
        begun.elapsed()
    );
    found
}

fn say(bytes: Vec<u8>) -> impl Fn(&str, &mut TcpStream) + Send + Sync + 'static {
    move |_, connection| {
        let _ = connection.write_all(&bytes);
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

#[tokio::test]
async fn compressed_bombs_are_cut_at_the_limit() {
    // One member of 64 MiB, then a thousand copies of it: 64 GiB.
    let member = gzip(&vec![0; 64 << 20]);
    for copies in [1, 100] {
        let bomb = answer("200 OK", &["Content-Encoding: gzip"], &member.repeat(copies));
        let fetched = fetch(say(bomb)).await.expect("a beginning");
        assert_eq!((fetched.body.len(), fetched.truncated), (LIMITS.bytes, true));
    }
}

#[tokio::test]
async fn members_without_content_do_not_go_on_for_ever() {
    let empty = gzip(b"");
    let fetched = fetch(move |_, connection| {
        let _ = connection.write_all(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n");
        let many = empty.repeat(1_000);
        while connection.write_all(&many).is_ok() {}
    })
    .await;
    assert_eq!(
        fetched.map(|fetched| fetched.status),
        Err(FetchError::Failed(FetchFailure::Coding))
    );
}

#[tokio::test]
async fn codings_are_decoded_once_or_refused() {
    let two = [gzip(b"one "), gzip(b"two")].concat();
    let fetched = fetch(say(answer("200 OK", &["Content-Encoding: gzip"], &two)))
        .await
        .expect("a body");
    assert_eq!(fetched.body, b"one two");
    for headers in [
        &["Content-Encoding: gzip, gzip"][..],
        &["Content-Encoding: gzip", "Content-Encoding: gzip"],
        &["Content-Encoding: br"],
        &["Content-Encoding: zstd"],
        &["Content-Encoding: deflate"],
        &["Content-Encoding: nonsense"],
        &["Content-Encoding: \u{fffd}"],
    ] {
        let found = fetch(say(answer("200 OK", headers, &gzip(&gzip(b"x"))))).await;
        assert_eq!(
            found.map(|fetched| fetched.status),
            Err(FetchError::Failed(FetchFailure::Coding)),
            "{headers:?}"
        );
    }
    let broken = fetch(say(answer("200 OK", &["Content-Encoding: gzip"], b"no gzip"))).await;
    assert_eq!(
        broken.map(|fetched| fetched.status),
        Err(FetchError::Failed(FetchFailure::Coding))
    );
}

#[tokio::test]
async fn endless_bodies_are_cut() {
    let fetched = fetch(|_, connection| {
        let _ = connection.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        while connection.write_all(&[b'a'; 65_536]).is_ok() {}
    })
    .await
    .expect("a beginning");
    assert_eq!((fetched.body.len(), fetched.truncated), (LIMITS.bytes, true));
    let chunked = fetch(|_, connection| {
        let _ = connection.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        while connection.write_all(b"5\r\nhello\r\n").is_ok() {}
    })
    .await;
    // Whichever limit comes first: bytes of the body, bytes on the wire, or time.
    assert!(
        matches!(&chunked, Ok(fetched) if fetched.body.len() <= LIMITS.bytes)
            || matches!(chunked, Err(FetchError::Failed(FetchFailure::Timeout)))
    );
}

#[tokio::test]
async fn slow_servers_are_left() {
    for slow in [
        // Never an answer.
        (|connection: &mut TcpStream| while linger(connection, Duration::from_secs(5)) {})
            as fn(&mut TcpStream),
        // A head that never ends.
        |connection| {
            let _ = connection.write_all(b"HTTP/1.1 200 OK\r\nX-Slow: ");
            while linger(connection, Duration::from_millis(50)) && connection.write_all(b"a").is_ok() {}
        },
        // A body by the byte, often enough that no read takes long.
        |connection| {
            let _ = connection.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
            while linger(connection, Duration::from_millis(50)) && connection.write_all(b"a").is_ok() {}
        },
        // A body that stops.
        |connection| {
            let _ = connection.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nhello");
            while linger(connection, Duration::from_secs(5)) {}
        },
    ] {
        let found = fetch(move |_, connection| slow(connection)).await;
        assert_eq!(
            found.map(|fetched| fetched.status),
            Err(FetchError::Failed(FetchFailure::Timeout))
        );
    }
}

#[tokio::test]
async fn redirects_are_counted_and_judged() {
    let looping = Server::start(|_, connection| {
        let _ = connection.write_all(&answer("301 Moved", &["Location: /"], b""));
    });
    assert_eq!(
        get(&looping, "/").await.map(|fetched| fetched.status),
        Err(FetchError::Failed(FetchFailure::RedirectLoop))
    );
    assert_eq!(looping.connections(), 1);

    let endless = Server::start(|path, connection| {
        let step: u32 = path.trim_start_matches('/').parse().unwrap_or(0);
        let next = format!("Location: /{}", step + 1);
        let _ = connection.write_all(&answer("301 Moved", &[&next], b""));
    });
    assert_eq!(
        get(&endless, "/0").await.map(|fetched| fetched.status),
        Err(FetchError::Failed(FetchFailure::TooManyRedirects(301)))
    );
    assert_eq!(endless.connections(), 6);

    let chain = Server::start(|path, connection| {
        let step: u32 = path.trim_start_matches('/').parse().unwrap_or(0);
        let next = format!("Location: /{}", step + 1);
        let (status, headers): (_, &[&str]) = if step < 5 {
            ("307 Temporary", &[&next])
        } else {
            ("200 OK", &[])
        };
        let _ = connection.write_all(&answer(status, headers, b"end"));
    });
    let fetched = get(&chain, "/0").await.expect("the end");
    assert_eq!((fetched.status, fetched.redirects.len()), (200, 5));
    assert_eq!(fetched.target.url().path(), "/5");

    let spaced = Server::start(|path, connection| {
        let (status, headers): (_, &[&str]) = match path {
            "/from" => ("302 Found", &["Location: /a b"]),
            _ => ("200 OK", &[]),
        };
        let _ = connection.write_all(&answer(status, headers, b"end"));
    });
    let fetched = get(&spaced, "/from").await.expect("the end");
    assert_eq!(fetched.target.url().path(), "/a%20b");

    for (location, refusal) in [
        (
            "http://169.254.169.254/latest/meta-data/",
            AddressRefusal::Address([169, 254, 169, 254].into()),
        ),
        ("//127.0.0.1:9/", AddressRefusal::Address([127, 0, 0, 1].into())),
        (
            "http://2130706433/",
            AddressRefusal::Address([127, 0, 0, 1].into()),
        ),
        (
            "http://[::1]/",
            AddressRefusal::Address("::1".parse().expect("an address")),
        ),
        ("http://localhost/", AddressRefusal::ReservedName),
        ("http://metadata.google.internal/", AddressRefusal::ReservedName),
        ("file:///etc/passwd", AddressRefusal::Scheme),
        ("gopher://example.com/", AddressRefusal::Scheme),
        ("http://user:pass@example.com/", AddressRefusal::Credentials),
        ("http://example.com:22/", AddressRefusal::Port(22)),
        ("/a\\b", AddressRefusal::Characters),
    ] {
        let found = fetch(say(answer("302 Found", &[&format!("Location: {location}")], b""))).await;
        assert_eq!(
            found.map(|fetched| fetched.status),
            Err(FetchError::RefusedRedirect(refusal)),
            "{location}"
        );
    }
    for headers in [&[][..], &["Location: /a", "Location: /b"], &["Location: \u{ff}"]] {
        let bytes = answer("302 Found", headers, b"");
        let bytes: Vec<u8> = if headers == ["Location: \u{ff}"] {
            bytes
                .iter()
                .copied()
                .map(|byte| if byte == 0xc3 { 0xff } else { byte })
                .filter(|byte| *byte != 0xbf)
                .collect()
        } else {
            bytes
        };
        let found = fetch(say(bytes)).await;
        assert_eq!(
            found.map(|fetched| fetched.status),
            Err(FetchError::Failed(FetchFailure::BadRedirect)),
            "{headers:?}"
        );
    }
    // Other statuses of the 300s are answers.
    for status in ["300 Choices", "304 Not Modified", "305 Proxy"] {
        let bytes = answer(status, &["Location: http://127.0.0.1/"], b"");
        assert!(fetch(say(bytes)).await.is_ok(), "{status}");
    }
}

#[tokio::test]
async fn the_body_of_a_redirect_is_not_read() {
    let server = Server::start(|path, connection| {
        if path == "/" {
            let _ = connection
                .write_all(b"HTTP/1.1 302 Found\r\nLocation: /end\r\nContent-Length: 1000000000\r\n\r\n");
            while connection.write_all(&[b'a'; 65_536]).is_ok() {}
        } else {
            let _ = connection.write_all(&answer("200 OK", &[], b"end"));
        }
    });
    assert_eq!(get(&server, "/").await.expect("the end").body, b"end");
}

#[tokio::test]
async fn heads_have_a_limit() {
    let long = format!("X-Long: {}", "a".repeat(70_000));
    assert_eq!(
        fetch(say(answer("200 OK", &[&long], b"x")))
            .await
            .map(|fetched| fetched.status),
        Err(FetchError::Failed(FetchFailure::Head))
    );
    let endless = fetch(|_, connection| {
        let _ = connection.write_all(b"HTTP/1.1 200 OK\r\nX: ");
        while connection.write_all(&[b'a'; 65_536]).is_ok() {}
    })
    .await;
    assert!(
        matches!(
            endless,
            Err(FetchError::Failed(FetchFailure::Broken | FetchFailure::Timeout))
        ),
        "{endless:?}"
    );
    let many = "X: y\r\n".repeat(1_000);
    let found = fetch(say(format!("HTTP/1.1 200 OK\r\n{many}\r\n").into_bytes())).await;
    assert!(
        matches!(found, Err(FetchError::Failed(FetchFailure::Broken))),
        "{found:?}"
    );
}

#[tokio::test]
async fn broken_answers_are_named_so() {
    for bytes in [
        &b""[..],
        b"hello\r\n\r\n",
        b"\x16\x03\x01\x02\x00",
        b"HTTP/1.1 abc OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 7\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nshort",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nx",
        b"HTTP/1.1 200 OK\r\nBad Header: x\r\n\r\n",
    ] {
        let found = fetch(say(bytes.to_vec())).await;
        assert_eq!(
            found.map(|fetched| fetched.status),
            Err(FetchError::Failed(FetchFailure::Broken)),
            "{}",
            String::from_utf8_lossy(bytes)
        );
    }
    let server = Server::with(&[]);
    let fetcher = server.fetcher();
    let target = fetcher.judge(&server.url("/")).expect("an address");
    drop(server);
    let found = fetcher.get(target, "*/*", LIMITS).await;
    assert!(
        matches!(
            found,
            Err(FetchError::Failed(FetchFailure::Connect | FetchFailure::Broken))
        ),
        "{found:?}"
    );
}

#[tokio::test]
async fn interim_answers_do_not_block() {
    let found = fetch(|_, connection| {
        let _ = connection.write_all(
            "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
                .repeat(5_000)
                .as_bytes(),
        );
        let _ = connection.write_all(&answer("200 OK", &[], b"end"));
    })
    .await;
    assert!(found.is_ok_and(|fetched| fetched.body == b"end"));
}

#[tokio::test]
async fn requests_of_an_audit_carry_no_secrets() {
    let server = Server::with(&[("/x?y=z", "200 OK", &["Set-Cookie: a=b"], "")]);
    for _ in 0..2 {
        get(&server, "/x?y=z").await.expect("an answer");
    }
    let head = server.first_head().to_lowercase();
    assert!(head.starts_with("get /x?y=z http/1.1\r\n"), "{head}");
    for absent in ["cookie", "referer", "authorization", "x-forwarded-for", "origin"] {
        assert!(!head.contains(absent), "{head}");
    }
    let names: Vec<&str> = head
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once(':'))
        .map(|(name, _)| name)
        .collect();
    assert_eq!(names.len(), 4, "{head}");
}
