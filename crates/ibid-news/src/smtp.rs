//! Mail by SMTP.

use crate::mailer::{Mail, MailFailure, MailFuture, Mailer};
use crate::text::line;
use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::message::{Attachment, Mailbox, MultiPart};
use lettre::{Address, AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor};
use std::time::Duration;

/// The longest time of one mail: half of it is short for servers that look a sender up.
const ATTEMPT: Duration = Duration::from_secs(30);

/// Sends mail by SMTP.
pub struct SmtpMailer {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
}

/// An address of a server, or of the sender, that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SmtpUrlError {
    /// The address of the server.
    #[error(
        "must be smtps://USER:PASSWORD@HOST, smtp://USER:PASSWORD@HOST:587?tls=required, or smtp://HOST:25 without encryption"
    )]
    Url,
    /// A password would cross the network in the clear.
    #[error("sends the password unencrypted: use smtps://, or add ?tls=required")]
    PasswordInTheClear,
    /// The address of the sender.
    #[error("must be an address such as news@example.com or Name <news@example.com>")]
    From,
}

impl SmtpMailer {
    /// A mailer for a server, such as `smtps://user:password@mail.example.com`, with the address of the sender.
    /// Connects to nothing yet.
    ///
    /// # Errors
    /// [`SmtpUrlError`], which never shows the password.
    pub fn new(url: &str, from: &str) -> Result<Self, SmtpUrlError> {
        let parsed = url::Url::parse(url).map_err(|_| SmtpUrlError::Url)?;
        let encrypted = parsed.scheme() == "smtps"
            || parsed
                .query_pairs()
                .any(|(name, value)| name == "tls" && value == "required");
        let is_here = matches!(parsed.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
        if parsed.password().is_some() && !encrypted && !is_here {
            return Err(SmtpUrlError::PasswordInTheClear);
        }
        let builder = AsyncSmtpTransport::<Tokio1Executor>::from_url(url).map_err(|_| SmtpUrlError::Url)?;
        Ok(Self {
            transport: builder.timeout(Some(ATTEMPT)).build(),
            from: from.parse().map_err(|_| SmtpUrlError::From)?,
        })
    }

    /// Connects to the server, signs in and leaves again.
    pub async fn test(&self) -> Result<(), MailFailure> {
        match tokio_timeout(self.transport.test_connection()).await? {
            Ok(true) => Ok(()),
            Ok(false) => Err(MailFailure::Unreachable("it ends the connection".to_owned())),
            Err(error) => Err(failure(&error)),
        }
    }

    fn message(&self, mail: &Mail) -> Result<Message, MailFailure> {
        let unwritable = |error: &dyn std::fmt::Display| MailFailure::Unwritable(error.to_string());
        let to: Address = mail.to.as_str().parse().map_err(|error| unwritable(&error))?;
        let mut from = self.from.clone();
        if let Some(name) = &mail.from_name {
            from.name = Some(line(name));
        }
        let id = format!("<{}@{}>", mail.id, self.from.email.domain());
        let mut builder = Message::builder()
            .from(from)
            .to(Mailbox::new(None, to))
            .subject(line(&mail.subject))
            .message_id(Some(id));
        if let Some(address) = &mail.reply_to {
            let address: Address = address.as_str().parse().map_err(|error| unwritable(&error))?;
            builder = builder.reply_to(Mailbox::new(None, address));
        }
        // Programs that answer mails by themselves leave these alone.
        builder = builder.raw_header(header("Auto-Submitted", "auto-generated"));
        if let Some(url) = &mail.unsubscribe {
            builder = builder
                .raw_header(header("List-Unsubscribe", &format!("<{url}>")))
                .raw_header(header("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"));
        }
        let parts = MultiPart::alternative_plain_html(mail.text.clone(), mail.html.clone());
        let parts = match &mail.attachment {
            None => parts,
            Some(file) => {
                let kind = ContentType::parse(file.kind).map_err(|error| unwritable(&error))?;
                let part = Attachment::new(file.name.clone()).body(file.bytes.to_vec(), kind);
                MultiPart::mixed().multipart(parts).singlepart(part)
            }
        };
        builder.multipart(parts).map_err(|error| unwritable(&error))
    }
}

impl std::fmt::Debug for SmtpMailer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SmtpMailer(..)")
    }
}

impl Mailer for SmtpMailer {
    fn send<'a>(&'a self, mail: &'a Mail) -> MailFuture<'a> {
        Box::pin(async move {
            let message = self.message(mail)?;
            match tokio_timeout(self.transport.send(message)).await? {
                Ok(_) => Ok(()),
                Err(error) => Err(failure(&error)),
            }
        })
    }
}

async fn tokio_timeout<T>(attempt: impl Future<Output = T>) -> Result<T, MailFailure> {
    tokio::time::timeout(ATTEMPT, attempt)
        .await
        .map_err(|_| MailFailure::Timeout)
}

fn header(name: &'static str, value: &str) -> HeaderValue {
    HeaderValue::new(HeaderName::new_from_ascii_str(name), value.to_owned())
}

fn failure(error: &lettre::transport::smtp::Error) -> MailFailure {
    let status = error.status().map(u16::from);
    match status {
        Some(code @ (550 | 551 | 553)) => MailFailure::AddressRefused(code),
        Some(code) => MailFailure::Status(code),
        None if error.is_timeout() => MailFailure::Timeout,
        None => MailFailure::Unreachable(chain(error)),
    }
}

/// The causes of an error. None of them quotes a password.
fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mailer() -> SmtpMailer {
        SmtpMailer::new("smtp://127.0.0.1:25", "ibid <news@ibid.example>").unwrap()
    }

    fn mail() -> Mail {
        Mail {
            to: "ada@example.com".parse().unwrap(),
            from_name: Some("Agentur Größe\r\nBcc: x@y.example".to_owned()),
            reply_to: Some("team@agency.example".parse().unwrap()),
            subject: "Fell\r\nBcc: x@y.example".to_owned(),
            text: "Fell from 38 to 23.".to_owned(),
            html: "<p>Fell from 38 to 23.</p>".to_owned(),
            id: "dlv_1".to_owned(),
            unsubscribe: Some("https://ibid.example/mail/unsubscribe/t".to_owned()),
            attachment: None,
        }
    }

    #[test]
    fn a_file_comes_with_the_text_and_the_page() {
        let bytes: Vec<u8> = b"%PDF-1.7\n".iter().copied().chain(0..=255).collect();
        let mail = Mail {
            attachment: Some(crate::Attachment {
                name: "a.example-2026-11-30.pdf".to_owned(),
                kind: "application/pdf",
                bytes: std::sync::Arc::new(bytes.clone()),
            }),
            ..mail()
        };
        let formatted = mailer().message(&mail).unwrap().formatted();
        let text = String::from_utf8(formatted).unwrap();
        let order = [
            "multipart/mixed",
            "multipart/alternative",
            "text/plain",
            "text/html",
            "application/pdf",
        ];
        let places = order.map(|kind| text.find(kind).unwrap());
        assert!(places.is_sorted(), "{text}");
        let (_, part) = text.split_at(places[4]);
        let (_, rest) = part.split_once("\r\n\r\n").unwrap();
        let named = "Content-Disposition: attachment; filename=\"a.example-2026-11-30.pdf\"";
        assert!(text.contains(named), "{text}");
        let base64: String = rest.lines().take_while(|line| !line.starts_with("--")).collect();
        assert_eq!(base64, data_encoding::BASE64.encode(&bytes));
    }

    #[test]
    fn a_mail_has_the_headers_of_news() {
        let formatted = mailer().message(&mail()).unwrap().formatted();
        let text = String::from_utf8(formatted).unwrap();
        let (headers, _) = text.split_once("\r\n\r\n").unwrap();
        for expected in [
            "Message-ID: <dlv_1@ibid.example>",
            "To: ada@example.com",
            "Reply-To: team@agency.example",
            "Subject: Fell Bcc: x@y.example",
            "List-Unsubscribe: <https://ibid.example/mail/unsubscribe/t>",
            "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
            "Auto-Submitted: auto-generated",
        ] {
            assert!(headers.contains(expected), "{expected}: {headers}");
        }
        assert!(!headers.contains("\r\nBcc:"), "{headers}");
    }

    #[test]
    fn addresses_are_checked() {
        for (url, from, is_right) in [
            ("smtps://user:secret@mail.example.com", "a@b.example", true),
            (
                "smtp://user:secret@mail.example.com:587?tls=required",
                "a@b.example",
                true,
            ),
            ("smtp://user:secret@mail.example.com:587", "a@b.example", false),
            ("smtp://mail.example.com:25", "a@b.example", true),
            ("https://mail.example.com", "a@b.example", false),
            ("smtp://mail.example.com", "nobody", false),
        ] {
            let made = SmtpMailer::new(url, from);
            assert_eq!(made.is_ok(), is_right, "{url} {from}");
            if let Err(error) = made {
                assert!(!error.to_string().contains("secret"), "{error}");
            }
        }
    }
}
