//! Mail by SMTP.

use crate::mailer::{Mail, MailFailure, MailFuture, Mailer};
use crate::text::line;
use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::message::{Attachment, Mailbox, MultiPart};
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Certificate, Tls, TlsParameters};
use lettre::{Address, AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor};
use std::time::Duration;
use url::Url;

/// Longest time for one mail: half would be short for servers that look a sender up.
const ATTEMPT: Duration = Duration::from_secs(30);

/// Sends mail by SMTP.
pub struct SmtpMailer {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
}

/// How to reach a mail server.
#[derive(Clone, Default)]
pub struct SmtpTerms {
    /// The address, such as `smtps://user:password@mail.example.com`. Its password may have any sign, or be escaped.
    pub url: String,
    /// Who mails come from, such as `ibid <news@example.com>`.
    pub from: String,
    /// Signs in, unless `url` has a name.
    pub user: Option<String>,
    pub password: Option<String>,
    /// Certificates (PEM) that are trusted besides the system's.
    pub authorities: Option<String>,
}

/// Says why a server's address, or the sender's, cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SmtpUrlError {
    #[error(
        "must be smtps://USER:PASSWORD@HOST, smtp://USER:PASSWORD@HOST:587?tls=required, or smtp://HOST:25 without encryption"
    )]
    Url,
    /// A password would cross the network in the clear.
    #[error("sends the password unencrypted: use smtps://, or add ?tls=required")]
    PasswordInTheClear,
    /// A name without a password, or the other way round.
    #[error("needs both SMTP_USER and SMTP_PASSWORD_FILE, or neither")]
    Login,
    #[error("has no certificate that can be read (PEM), or SMTP_URL asks for no encryption")]
    Authorities,
    #[error("must be an address such as news@example.com or Name <news@example.com>")]
    From,
}

impl SmtpMailer {
    /// Makes a mailer for a server. Connects to nothing yet.
    ///
    /// # Errors
    /// [`SmtpUrlError`], which never shows the password.
    pub fn new(terms: &SmtpTerms) -> Result<Self, SmtpUrlError> {
        let url = read_url(&terms.url).ok_or(SmtpUrlError::Url)?;
        let tls = url.query_pairs().find(|(name, _)| name == "tls");
        let (is_wrapped, is_required) = (
            url.scheme() == "smtps",
            tls.is_some_and(|(_, value)| value == "required"),
        );
        let is_here = matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
        let login = match (&terms.user, &terms.password) {
            (Some(user), Some(password)) => Some(Credentials::new(user.clone(), password.clone())),
            (None, None) => None,
            (Some(_), None) | (None, Some(_)) => return Err(SmtpUrlError::Login),
        };
        let has_password = login.is_some() || url.password().is_some();
        if has_password && !is_wrapped && !is_required && !is_here {
            return Err(SmtpUrlError::PasswordInTheClear);
        }
        let builder = AsyncSmtpTransport::<Tokio1Executor>::from_url(url.as_str());
        let mut builder = builder.map_err(|_| SmtpUrlError::Url)?.timeout(Some(ATTEMPT));
        if let Some(login) = login {
            builder = builder.credentials(login);
        }
        if let Some(pem) = &terms.authorities {
            let unread = |_| SmtpUrlError::Authorities;
            // A text without a certificate reads as none.
            if !pem.contains("-----BEGIN CERTIFICATE-----") {
                return Err(SmtpUrlError::Authorities);
            }
            let authority = Certificate::from_pem(pem.as_bytes()).map_err(unread)?;
            let host = url.host_str().unwrap_or_default().to_owned();
            let parameters = TlsParameters::builder(host)
                .add_root_certificate(authority)
                .build();
            let parameters = parameters.map_err(unread)?;
            builder = builder.tls(match (is_wrapped, is_required) {
                (true, _) => Tls::Wrapper(parameters),
                (false, true) => Tls::Required(parameters),
                (false, false) => return Err(SmtpUrlError::Authorities),
            });
        }
        Ok(Self {
            transport: builder.build(),
            from: terms.from.parse().map_err(|_| SmtpUrlError::From)?,
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

/// Writes why an attempt failed, and the way out of usual causes. No cause quotes a password.
fn chain(error: &dyn std::error::Error) -> String {
    const WAYS_OUT: [(&str, &str); 3] = [
        (
            "CaUsedAsEndEntity",
            "its certificate is that of an authority (CA:TRUE): issue one for the server with it",
        ),
        (
            "UnknownIssuer",
            "name the certificate of its authority in SMTP_CA_FILE",
        ),
        (
            "STARTTLS is not supported",
            "ask its operator for STARTTLS, or use smtps:// where it has a port for that",
        ),
    ];
    let causes = std::iter::successors(Some(error), |error| error.source());
    let text = causes.map(ToString::to_string).collect::<Vec<_>>().join(": ");
    match WAYS_OUT.iter().find(|(cause, _)| text.contains(cause)) {
        Some((_, way_out)) => format!("{text}; {way_out}"),
        None => text,
    }
}

/// Reads an address whose password was pasted as it is: signs that would be parts of an address are escaped, escapes stay.
fn read_url(text: &str) -> Option<Url> {
    let (scheme, rest) = text.split_once("://")?;
    let Some((login, server)) = rest.rsplit_once('@') else {
        return Url::parse(text).ok();
    };
    let (user, password) = login.split_once(':').unwrap_or((login, ""));
    let mut url = Url::parse(&format!("{scheme}://{server}")).ok()?;
    url.set_username(user).ok()?;
    url.set_password(Some(password).filter(|password| !password.is_empty()))
        .ok()?;
    Some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(url: &str, from: &str) -> SmtpTerms {
        SmtpTerms {
            url: url.to_owned(),
            from: from.to_owned(),
            ..SmtpTerms::default()
        }
    }

    fn mailer() -> SmtpMailer {
        SmtpMailer::new(&terms("smtp://127.0.0.1:25", "ibid <news@ibid.example>")).unwrap()
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
            let made = SmtpMailer::new(&terms(url, from));
            assert_eq!(made.is_ok(), is_right, "{url} {from}");
            if let Err(error) = made {
                assert!(!error.to_string().contains("secret"), "{error}");
            }
        }
    }

    #[test]
    fn a_password_may_have_any_sign() {
        for (login, user, password) in [
            ("user:p@ss/word", "user", "p%40ss%2Fword"),
            ("user:,+;\"cb)4Ew#HD6*", "user", ",+%3B%22cb)4Ew%23HD6*"),
            (
                "user:%2C%2B%3B%22cb%294Ew%23HD6*",
                "user",
                "%2C%2B%3B%22cb%294Ew%23HD6*",
            ),
            ("news@agency.example:a:b?c", "news%40agency.example", "a%3Ab%3Fc"),
        ] {
            let text = format!("smtp://{login}@mail.example.com:587?tls=required");
            let url = read_url(&text).unwrap();
            assert_eq!(
                (url.username(), url.password()),
                (user, Some(password)),
                "{login}"
            );
            assert_eq!(url.host_str(), Some("mail.example.com"), "{login}");
            assert!(SmtpMailer::new(&terms(&text, "a@b.example")).is_ok(), "{login}");
        }
        assert_eq!(read_url("smtp://mail.example.com:25").unwrap().password(), None);
    }

    #[test]
    fn a_login_is_whole_and_crosses_no_network_in_the_clear() {
        let of = |url: &str, user: Option<&str>, password: Option<&str>, authorities: Option<&str>| {
            let terms = SmtpTerms {
                user: user.map(str::to_owned),
                password: password.map(str::to_owned),
                authorities: authorities.map(str::to_owned),
                ..terms(url, "a@b.example")
            };
            SmtpMailer::new(&terms).map_err(|error| error.to_string())
        };
        let encrypted = "smtps://mail.example.com";
        assert!(of(encrypted, Some("a"), Some("p@ss/word"), None).is_ok());
        assert!(of(encrypted, Some("a"), None, None).unwrap_err().contains("both"));
        let clear = of("smtp://mail.example.com:25", Some("a"), Some("secret"), None).unwrap_err();
        assert!(
            clear.contains("unencrypted") && !clear.contains("secret"),
            "{clear}"
        );
        assert!(of(encrypted, None, None, Some("no certificate")).is_err());
    }
}
