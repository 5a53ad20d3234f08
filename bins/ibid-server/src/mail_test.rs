//! `ibid-server mail-test`: sends one mail.

use crate::settings::Settings;
use anyhow::Context;
use ibid_model::{DeliveryId, Email};
use ibid_news::{Mail, Mailer, Note};

/// Send a mail to an address, by SMTP_URL and SMTP_FROM
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The address
    address: String,
}

/// Sends a test mail and says that the server took it.
///
/// # Errors
/// No mail server is named, the address is malformed, or the server did not take the mail.
#[expect(clippy::print_stdout, reason = "the answer is for the person at the terminal")]
pub(crate) fn run(settings: &Settings, args: &Args) -> anyhow::Result<()> {
    let mailer = settings.web.mail.as_ref();
    let mailer = mailer.context("no mail is sent: set SMTP_URL and SMTP_FROM")?;
    let to: Email = args.address.parse().context("reading the address")?;
    let note = Note::test(settings.base_url.as_str());
    let mail = Mail {
        to,
        from_name: None,
        reply_to: None,
        subject: note.subject.clone(),
        text: note.text(None),
        html: note.html(None)?,
        id: DeliveryId::random().to_string(),
        unsubscribe: None,
        attachment: None,
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(mailer.send(&mail))?;
    println!("The mail server took the mail to {}.", mail.to);
    Ok(())
}
