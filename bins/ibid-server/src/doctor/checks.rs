//! Checks on this machine: configuration, address, database, disk, limits.

use super::Report;
use crate::database::folder;
use crate::settings::Settings;
use crate::{descriptors, health};
use ibid_service::{DailyBound, EvidenceAddress, chain};
use ibid_store::{Inspection, StoreUrl};
use jiff::Timestamp;
use std::fs::File;
use std::io::ErrorKind;
use std::net::TcpListener;

/// Free bytes below which writes are about to fail.
const LEAST_FREE: u64 = 64 << 20;
/// Free bytes below which the operator should make room.
const LITTLE_FREE: u64 = 1 << 30;
/// Difference of clocks in seconds that is worth a warning.
const CLOCK_WARNING: i64 = 5;
/// Difference of clocks in seconds at which payments are refused: their authorizations count in minutes.
const CLOCK_FAULT: i64 = 60;

pub(super) fn configuration(report: &mut Report, settings: &Settings, is_sound: bool) {
    let topic = "configuration";
    if is_sound {
        report.good(topic, "every variable can be read");
    }
    if settings.api_key.is_none() {
        report.warn(
            topic,
            "SERVICE_API_KEY is not set: callers of the v1 API need a key of ibid-server key add",
        );
    }
    if settings.api_key_is_short {
        report.warn(
            topic,
            "SERVICE_API_KEY is short enough to be guessed: make one with openssl rand -hex 24",
        );
    }
    if settings.web.run_keys.is_none() {
        report.warn(
            topic,
            "RUN_KEY_FILE is not set: scans of POST /api/v2/scans and schedules of the API answer 503; make it with \
             ibid-server run-key",
        );
    }
    let reachable = !settings.bind.ip().is_loopback();
    let local = settings.base_url.host_str().is_some_and(|host| {
        host == "localhost"
            || host
                .trim_matches(['[', ']'])
                .parse()
                .is_ok_and(|ip: std::net::IpAddr| ip.is_loopback())
    });
    if reachable && local {
        report.warn(
            topic,
            format!(
                "BIND is {}, but BASE_URL is {}: links lead other machines nowhere; set BASE_URL",
                settings.bind, settings.base_url
            ),
        );
    }
}

/// Checks that the server can listen, or listens already.
pub(super) fn address(report: &mut Report, settings: &Settings) {
    let bind = settings.bind;
    match TcpListener::bind(bind) {
        Ok(_) => report.good("address", format!("{bind} is free")),
        Err(error) if error.kind() == ErrorKind::AddrInUse => match health::check(bind) {
            Ok(()) => report.good("address", format!("a server answers on {bind}")),
            Err(_) => report.fault(
                "address",
                format!("another program listens on {bind}: stop it or change BIND"),
            ),
        },
        Err(error) => report.fault(
            "address",
            format!("cannot listen on {bind}: {error}; change BIND"),
        ),
    }
}

pub(super) fn database(report: &mut Report, settings: &Settings) {
    let (topic, store) = ("database", &settings.store);
    match ibid_store::inspect(store) {
        Ok(Inspection::Missing) => match store {
            StoreUrl::Memory => report.warn(topic, "in memory: it ends with the server"),
            StoreUrl::Sqlite(path) if folder(path).is_dir() => {
                report.good(topic, format!("{store} does not exist: the server creates it"));
            }
            StoreUrl::Sqlite(_) | StoreUrl::Postgres(_) => {
                report.fault(topic, format!("the folder of {store} does not exist: create it"));
            }
        },
        Ok(Inspection::Found { version, known, now }) => {
            let next = if version < known {
                format!(": the server migrates it to {known}; take a backup first")
            } else {
                String::new()
            };
            report.good(topic, format!("{store} has schema version {version}{next}"));
            if let Some(now) = now {
                clock(report, "database", now.div_euclid(1_000));
            }
        }
        Err(error) => report.fault(topic, format!("{store}: {}", chain(&error))),
    }
}

/// Compares this machine's clock with another time, in seconds since 1970.
pub(super) fn clock(report: &mut Report, other: &str, seconds: i64) {
    let difference = Timestamp::now().as_second() - seconds;
    let text = format!("{difference} s ahead of that of the {other}");
    match difference.abs() {
        ..CLOCK_WARNING => report.good("clock", format!("agrees with that of the {other}")),
        CLOCK_WARNING..CLOCK_FAULT => report.warn("clock", format!("{text}: set it by NTP")),
        _ => report.fault(
            "clock",
            format!("{text}: set it by NTP; payments would be refused"),
        ),
    }
}

/// Checks the room for the database file.
pub(super) fn disk(report: &mut Report, settings: &Settings) {
    let StoreUrl::Sqlite(path) = &settings.store else {
        return;
    };
    let folder = folder(path);
    match fs4::available_space(folder) {
        Ok(free) => {
            let text = format!("{} MiB are free in {}", free >> 20, folder.display());
            match free {
                ..LEAST_FREE => report.fault("disk", format!("{text}: make room")),
                LEAST_FREE..LITTLE_FREE => report.warn("disk", format!("{text}: make room")),
                _ => report.good("disk", text),
            }
        }
        Err(error) => report.fault("disk", format!("{}: {error}", folder.display())),
    }
}

/// Checks that the server can write to each folder and file that it will write to, as the user who runs this.
pub(super) fn writes(report: &mut Report, settings: &Settings) {
    let mut places = Vec::new();
    if let StoreUrl::Sqlite(path) = &settings.store {
        places.push(("DATABASE_URL", folder(path), Some(path)));
    }
    if let Some(EvidenceAddress::Directory(path)) = &settings.evidence {
        places.push(("EVIDENCE_STORE", path, None));
    }
    for (variable, folder, file) in places.into_iter().filter(|(_, folder, _)| folder.is_dir()) {
        let trial = folder.join(format!(".ibid-doctor-{}", std::process::id()));
        let written = std::fs::write(&trial, "").and_then(|()| std::fs::remove_file(&trial));
        let opened = file.filter(|file| file.exists());
        let opened = opened.map_or(Ok(()), |file| File::options().append(true).open(file).map(drop));
        match written.and(opened) {
            Ok(()) => report.good("disk", format!("{} takes files", folder.display())),
            Err(error) => report.fault(
                "disk",
                format!(
                    "{} cannot be written to by this user ({error}): give it to the user of the server, or change {variable}",
                    folder.display()
                ),
            ),
        }
    }
}

/// Checks the limit of open files against the calls that may be open at a time.
pub(super) fn limits(report: &mut Report, settings: &Settings) {
    let wanted = descriptors::WANTED.max(settings.width.get() as u64 * 4);
    match rlimit::Resource::NOFILE.get() {
        Ok((_, hard)) if hard < wanted => report.warn(
            "limits",
            format!("{hard} open files are allowed and {wanted} are wanted: raise LimitNOFILE or ulimit -Hn, or lower ROUTER_MAX_IN_FLIGHT"),
        ),
        Ok((_, hard)) => report.good("limits", format!("{hard} open files are allowed")),
        Err(error) => report.warn("limits", format!("the limit of open files cannot be read: {error}")),
    }
    for bound in DailyBound::all() {
        report.good("limits", bound.to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Verdict;

    #[test]
    fn a_clock_that_is_off_is_reported_by_its_size() {
        for (behind, verdict) in [
            (0, Verdict::Good),
            (30, Verdict::Warning),
            (-30, Verdict::Warning),
            (3_600, Verdict::Fault),
        ] {
            let mut report = Report::default();
            clock(&mut report, "database", Timestamp::now().as_second() - behind);
            assert_eq!(report.findings[0].1, verdict, "{behind}");
        }
    }

    #[test]
    fn a_file_that_takes_no_bytes_is_a_fault() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ibid.db");
        std::fs::create_dir(&file).unwrap();
        let url = format!("sqlite:{}", file.display());
        let read = |name: &str| (name == "DATABASE_URL").then(|| url.clone());
        let (settings, _) = Settings::inspect(&read, false);
        let found = || {
            let mut report = Report::default();
            writes(&mut report, &settings);
            report.findings.remove(0)
        };
        let (_, verdict, text) = found();
        assert_eq!(verdict, Verdict::Fault, "{text}");
        assert!(text.contains("change DATABASE_URL"), "{text}");
        std::fs::remove_dir(&file).unwrap();
        assert_eq!(found().1, Verdict::Good);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
