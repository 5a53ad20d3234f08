//! The consent to the cost of a scan.

use anyhow::{Context, bail};
use ibid_model::UsdMicros;
use std::io::{BufRead, IsTerminal, Write};
use std::str::FromStr;

/// The estimate above which a scan needs consent.
const ASKS_ABOVE: UsdMicros = UsdMicros::new(1_000_000);

/// An amount of dollars on the command line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dollars(pub(super) UsdMicros);

impl FromStr for Dollars {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let amount = text.trim_start_matches('$').parse().ok();
        amount
            .and_then(UsdMicros::from_dollars)
            .map(Self)
            .ok_or("must be a number of dollars such as 0.50")
    }
}

/// The reason why a scan needs consent or not.
#[derive(Debug, PartialEq, Eq)]
enum Consent {
    Given,
    Asked,
    Refused(String),
}

fn consent(estimate: UsdMicros, most: Option<UsdMicros>, yes: bool) -> Consent {
    match most {
        Some(most) if estimate > most => Consent::Refused(format!(
            "the scan is estimated at {estimate}, more than --max-cost {most}: ask fewer questions, models or rings"
        )),
        // A bound above the estimate is consent to the estimate.
        Some(_) => Consent::Given,
        None if yes || estimate <= ASKS_ABOVE => Consent::Given,
        None => Consent::Asked,
    }
}

/// Refuses a scan over `--max-cost`, and asks before one that costs more than a dollar.
///
/// # Errors
/// The estimate is over the bound, the person declines, or there is no terminal to ask at.
pub(super) fn check(estimate: UsdMicros, most: Option<UsdMicros>, yes: bool) -> anyhow::Result<()> {
    match consent(estimate, most, yes) {
        Consent::Given => Ok(()),
        Consent::Refused(why) => bail!(why),
        Consent::Asked if std::io::stdin().is_terminal() => ask(estimate),
        Consent::Asked => {
            bail!("the scan is estimated at {estimate}: add --yes, or a bound such as --max-cost 5")
        }
    }
}

fn ask(estimate: UsdMicros) -> anyhow::Result<()> {
    let mut terminal = std::io::stderr();
    write!(terminal, "The scan costs about {estimate}. Continue? [y/N] ").context("asking for consent")?;
    let mut answer = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut answer)
        .context("reading the answer")?;
    if !matches!(answer.trim().to_lowercase().as_str(), "y" | "yes") {
        bail!("nothing was asked");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dollar_needs_consent_and_a_bound_gives_it() {
        let dollars = |text: &str| text.parse::<Dollars>().unwrap().0;
        assert_eq!(consent(dollars("1"), None, false), Consent::Given);
        assert_eq!(consent(dollars("1.01"), None, false), Consent::Asked);
        assert_eq!(consent(dollars("1.01"), None, true), Consent::Given);
        assert_eq!(consent(dollars("3"), Some(dollars("$3")), false), Consent::Given);
        assert!(matches!(
            consent(dollars("3.01"), Some(dollars("3")), true),
            Consent::Refused(_)
        ));
        assert!("much".parse::<Dollars>().is_err());
    }
}
