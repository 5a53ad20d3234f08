//! Checks the addresses that owners of programs publish.

use super::Report;
use crate::settings::Settings;
use ibid_store::Store;
use jiff::Timestamp;

const TOPIC: &str = "bots";
/// Days after which published addresses are old: owners change theirs every few weeks.
const OLD: i64 = 90;

pub(super) fn check(report: &mut Report, settings: &Settings) {
    report.stored(settings, TOPIC, |report, store| {
        check_all(report, store, Timestamp::now())
    });
}

fn check_all(report: &mut Report, store: &Store, now: Timestamp) -> anyhow::Result<()> {
    let files = store.bot_addresses()?;
    let oldest = files.iter().map(|file| file.updated_at).min();
    let Some(oldest) = oldest else {
        report.good(
            TOPIC,
            "none: fetches in uploaded logs count as claimed; ibid-server bots update stores published ones"
                .to_owned(),
        );
        return Ok(());
    };
    let days = (now.as_millisecond() - oldest) / 86_400_000;
    let text = format!("{} files, the oldest stored {days} days ago", files.len());
    match days > OLD {
        true => report.warn(
            TOPIC,
            format!("{text}: store new ones with ibid-server bots update"),
        ),
        false => report.good(TOPIC, text),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::Verdict;
    use super::*;
    use ibid_store::{BotAddresses, StoreUrl};

    #[test]
    fn missing_addresses_are_told_and_old_ones_are_a_warning() {
        let store = std::sync::Arc::new(Store::open(&StoreUrl::Memory).unwrap());
        let now = Timestamp::from_second(1_795_000_000).unwrap();
        let found = || {
            let mut report = Report::default();
            check_all(&mut report, &store, now).unwrap();
            report
                .findings
                .pop()
                .map(|(_, verdict, text)| (verdict, text))
                .unwrap()
        };
        assert!(found().0 == Verdict::Good && found().1.starts_with("none"));
        let put = |name: &str, days: i64| {
            let file = BotAddresses {
                name: name.to_owned(),
                is_program: false,
                document: b"{}".to_vec(),
                updated_at: now.as_millisecond() - days * 86_400_000,
            };
            store.put_bot_addresses(&[file]).unwrap();
        };
        put("gptbot.json", 2);
        assert_eq!(
            found(),
            (Verdict::Good, "1 files, the oldest stored 2 days ago".to_owned())
        );
        put("bots.json", 91);
        assert!(found().0 == Verdict::Warning && found().1.starts_with("2 files"));
    }
}
