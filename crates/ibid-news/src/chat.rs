//! Messages of chat programs.

use crate::note::Note;
use crate::text::cut;
use serde_json::{Value, json};
use url::Url;

/// Discord refuses a longer message, counted in characters.
const DISCORD: usize = 2_000;

/// A chat program that takes messages at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chat {
    /// Slack, by an incoming webhook.
    Slack,
    /// Discord, by a webhook of a channel.
    Discord,
    /// Microsoft Teams, by a workflow that posts to a channel.
    Teams,
}

/// An address that no webhook of the program has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be the address of a webhook of {}: {}", .0.name(), .0.example())]
pub struct WrongAddress(Chat);

impl Chat {
    const fn name(self) -> &'static str {
        match self {
            Self::Slack => "Slack",
            Self::Discord => "Discord",
            Self::Teams => "Teams",
        }
    }

    const fn example(self) -> &'static str {
        match self {
            Self::Slack => "https://hooks.slack.com/services/…",
            Self::Discord => "https://discord.com/api/webhooks/…",
            Self::Teams => "https://….logic.azure.com/workflows/… or https://….webhook.office.com/…",
        }
    }

    /// Checks that an address belongs to the program.
    pub fn check(self, url: &Url) -> Result<(), WrongAddress> {
        let host = url.host_str().unwrap_or_default();
        let path = url.path();
        let is_his = match self {
            Self::Slack => {
                matches!(host, "hooks.slack.com" | "hooks.slack-gov.com")
                    && (path.starts_with("/services/") || path.starts_with("/triggers/"))
            }
            Self::Discord => {
                matches!(
                    host,
                    "discord.com" | "discordapp.com" | "ptb.discord.com" | "canary.discord.com"
                ) && path.starts_with("/api/webhooks/")
            }
            Self::Teams => [
                ".webhook.office.com",
                ".logic.azure.com",
                ".api.powerplatform.com",
            ]
            .iter()
            .any(|end| host.ends_with(end)),
        };
        if is_his && url.scheme() == "https" && url.port().is_none() {
            Ok(())
        } else {
            Err(WrongAddress(self))
        }
    }

    pub fn body(self, note: &Note) -> Value {
        match self {
            Self::Slack => json!({"text": slack(note), "unfurl_links": false}),
            Self::Discord => json!({
                "content": cut(markdown(note), DISCORD - 1),
                "allowed_mentions": {"parse": []},
            }),
            Self::Teams => json!({
                "type": "message",
                "attachments": [{
                    "contentType": "application/vnd.microsoft.card.adaptive",
                    "content": card(note),
                }],
            }),
        }
    }
}

/// Writes a message for Slack, where `&`, `<` and `>` are control characters.
fn slack(note: &Note) -> String {
    let plain = |text: &str| {
        let text = text
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;");
        // A mark in a name, such as `*`, would change the rest of the line.
        text.replace(['*', '_', '`', '~'], " ")
    };
    message(note, "*", plain, |words, url| {
        format!("<{url}|{}>", plain(words).replace('|', " "))
    })
}

fn markdown(note: &Note) -> String {
    message(note, "**", escaped, |words, url| {
        format!("[{}](<{url}>)", escaped(words))
    })
}

/// Writes a message with the marks of a program around its subject, and with its links.
fn message(
    note: &Note,
    bold: &str,
    plain: impl Fn(&str) -> String,
    link: impl Fn(&str, &str) -> String,
) -> String {
    let mut lines = vec![format!("{bold}{}{bold}", plain(&note.subject))];
    lines.extend(note.lines.iter().map(|text| plain(text)));
    let rows = note.rows.iter();
    lines.extend(rows.map(|row| format!("{}: {}", link(&row.name, &row.url), plain(&row.words()))));
    lines.extend(note.link.iter().map(|(words, url)| link(words, url)));
    lines.join("\n")
}

/// The text with its marks of Markdown as plain characters.
fn escaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        if "\\*_`~[]()<>|#".contains(c) {
            plain.push('\\');
        }
        plain.push(c);
    }
    plain
}

fn card(note: &Note) -> Value {
    let block = |text: &str| json!({"type": "TextBlock", "text": escaped(text), "wrap": true});
    let mut body = vec![json!({
        "type": "TextBlock", "text": escaped(&note.subject), "wrap": true, "weight": "bolder", "size": "medium",
    })];
    body.extend(note.lines.iter().map(|text| block(text)));
    for row in &note.rows {
        let text = format!("[{}]({}): {}", escaped(&row.name), row.url, escaped(&row.words()));
        body.push(json!({"type": "TextBlock", "text": text, "wrap": true}));
    }
    let actions = note
        .link
        .iter()
        .map(|(words, url)| json!({"type": "Action.OpenUrl", "title": words, "url": url}));
    json!({
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": body,
        "actions": actions.collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note() -> Note {
        Note {
            subject: "A & <B>: the score fell".to_owned(),
            lines: vec!["Fell from 38 to 23.".to_owned()],
            rows: Vec::new(),
            link: Some((
                "Open the project".to_owned(),
                "https://ibid.example/p/1".to_owned(),
            )),
        }
    }

    #[test]
    fn texts_are_no_markup() {
        assert_eq!(
            Chat::Slack.body(&note())["text"],
            "*A &amp; &lt;B&gt;: the score fell*\nFell from 38 to 23.\n<https://ibid.example/p/1|Open the project>"
        );
        assert_eq!(
            Chat::Discord.body(&note())["content"],
            "**A & \\<B\\>: the score fell**\nFell from 38 to 23.\n[Open the project](<https://ibid.example/p/1>)"
        );
        let card = &Chat::Teams.body(&note())["attachments"][0]["content"];
        assert_eq!(card["body"][0]["text"], "A & \\<B\\>: the score fell");
        assert_eq!(card["actions"][0]["url"], "https://ibid.example/p/1");
    }

    #[test]
    fn a_message_of_discord_is_cut() {
        let long = Note {
            lines: vec!["a".repeat(5_000)],
            ..note()
        };
        let content = Chat::Discord.body(&long)["content"].as_str().unwrap().to_owned();
        assert_eq!(content.chars().count(), 2_000);
    }

    #[test]
    fn addresses_belong_to_the_program() {
        for (chat, url, is_right) in [
            (Chat::Slack, "https://hooks.slack.com/services/T0/B0/x", true),
            (Chat::Slack, "http://hooks.slack.com/services/T0/B0/x", false),
            (
                Chat::Slack,
                "https://hooks.slack.com.evil.example/services/T0/B0/x",
                false,
            ),
            (
                Chat::Slack,
                "https://hooks.slack.com:8443/services/T0/B0/x",
                false,
            ),
            (Chat::Discord, "https://discord.com/api/webhooks/1/x", true),
            (Chat::Discord, "https://discord.com/channels/1", false),
            (Chat::Teams, "https://a.webhook.office.com/webhookb2/x", true),
            (
                Chat::Teams,
                "https://prod-1.westeurope.logic.azure.com:443/workflows/x",
                true,
            ),
            (Chat::Teams, "https://logic.azure.com.evil.example/x", false),
        ] {
            let url = Url::parse(url).unwrap();
            assert_eq!(chat.check(&url).is_ok(), is_right, "{url}");
        }
    }
}
