//! Lines to groups, groups to a verdict.

use super::pattern;
use crate::html::cut;
use crate::limits::{FEW, MOST};

/// A robots.txt.
#[derive(Clone, Debug, Default)]
pub struct Robots {
    groups: Vec<Group>,
    sitemaps: Vec<String>,
    signals: Vec<ContentSignal>,
    odd: Vec<OddLine>,
    odd_count: usize,
    truncated: bool,
    lines: u32,
}

/// Rules under one run of `User-agent` lines.
#[derive(Clone, Debug, Default)]
struct Group {
    /// Product tokens in lower case; `*` is every agent.
    agents: Vec<String>,
    rules: Vec<Rule>,
}

/// One `Allow` or `Disallow`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Whether it allows.
    pub allow: bool,
    /// The pattern as written.
    pub path: String,
    /// 1-based line.
    pub line: u32,
    /// The pattern in comparable form.
    pattern: String,
}

impl Rule {
    /// The rule as a line of the file.
    pub fn written(&self) -> String {
        format!("{}: {}", if self.allow { "Allow" } else { "Disallow" }, self.path)
    }
}

/// A `Content-Signal` line (a proposal of Cloudflare's) or a `Content-Usage` line (an IETF draft).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentSignal {
    /// Signal name in lower case, such as `search`, `ai-input`, `ai-train`.
    pub name: String,
    /// Whether it grants the use.
    pub granted: bool,
    /// The path it is limited to, if any.
    pub path: Option<String>,
    /// Product tokens of its group, in lower case; empty before the first group.
    pub agents: Vec<String>,
    /// 1-based line.
    pub line: u32,
}

impl ContentSignal {
    /// Whether the signal is about this path and query.
    pub fn covers(&self, path: &str) -> bool {
        self.path
            .as_deref()
            .is_none_or(|limit| pattern::matches(&pattern::normalise(limit), &pattern::normalise(path)))
    }
}

/// A line that is not a rule, a comment or a known field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OddLine {
    /// 1-based line.
    pub line: u32,
    /// The reason why the line is odd.
    pub problem: &'static str,
    /// The line, cut to 80 characters and without control characters.
    pub text: String,
}

/// What the file says to one agent about one path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RobotsVerdict<'r> {
    /// Whether the agent may fetch the path.
    pub allowed: bool,
    /// The deciding rule; `None` if no rule matches.
    pub rule: Option<&'r Rule>,
    /// Whether the groups for every agent decided.
    pub via_wildcard: bool,
}

impl Robots {
    /// Reads a file.
    ///
    /// Never fails: skips lines that it does not understand, as crawlers do.
    ///
    /// ```
    /// use ibid_audit::robots::Robots;
    ///
    /// let robots = Robots::parse(b"User-agent: GPTBot\nDisallow: /private/\n");
    /// assert!(!robots.verdict("GPTBot", "/private/a").allowed);
    /// assert!(robots.verdict("ClaudeBot", "/private/a").allowed);
    /// ```
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Self {
        let mut robots = Self {
            truncated: bytes.len() > super::MAX_BYTES,
            ..Self::default()
        };
        let bytes = &bytes[..bytes.len().min(super::MAX_BYTES)];
        let text = String::from_utf8_lossy(bytes);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let mut open = false;
        let mut rules = 0;
        for (number, line) in lines(text) {
            robots.lines = number;
            let Some((key, value)) = robots.split(number, line) else {
                continue;
            };
            match field(key) {
                Field::UserAgent => {
                    if !open {
                        robots.groups.push(Group::default());
                        open = true;
                    }
                    let token = token(value);
                    if token.is_empty() {
                        robots.odd(number, "names no agent", line);
                    } else if let Some(group) = robots.groups.last_mut()
                        && !group.agents.contains(&token)
                        && group.agents.len() < 1_000
                    {
                        group.agents.push(token);
                    }
                }
                Field::Rule { allow, typo } => {
                    if typo {
                        robots.odd(number, "is misspelt; some agents will not read it", line);
                    }
                    rules += 1;
                    open = false;
                    robots.rule(number, allow, value, line);
                }
                Field::Sitemap => {
                    if !value.is_empty() && robots.sitemaps.len() < 100 {
                        robots.sitemaps.push(cut(value, 2_048).to_owned());
                    }
                }
                Field::Signal => robots.signal(number, value, line),
                Field::Other { known } => {
                    if !known {
                        robots.odd(number, "has a field no agent is known to read", line);
                    }
                }
            }
            if rules >= MOST {
                robots.truncated = true;
                break;
            }
        }
        robots
    }

    /// Returns the verdict for an agent and a path with its query, as in a URL.
    pub fn verdict(&self, agent: &str, path: &str) -> RobotsVerdict<'_> {
        let agent = agent.to_ascii_lowercase();
        let path = pattern::normalise(path);
        let named = self.named(&agent);
        let wanted = if named { agent.as_str() } else { "*" };
        let mut best: Option<(usize, &Rule)> = None;
        for rule in self
            .groups
            .iter()
            .filter(|group| group.agents.iter().any(|token| token == wanted))
            .flat_map(|group| &group.rules)
        {
            // The longest rule wins; on a tie the allow (RFC 9309, 2.2.2).
            if let Some(length) = pattern::matched_length(&rule.pattern, rule.allow, &path)
                && best.is_none_or(|(most, best)| (length, rule.allow) > (most, best.allow))
            {
                best = Some((length, rule));
            }
        }
        let best = best.map(|(_, rule)| rule);
        // The file itself is always allowed (2.2.2).
        let always = path == "/robots.txt";
        RobotsVerdict {
            allowed: always || best.is_none_or(|rule| rule.allow),
            rule: best.filter(|_| !always),
            via_wildcard: !named && best.is_some(),
        }
    }

    /// Whether a group names the agent.
    ///
    /// The groups for every agent then do not apply to it.
    pub fn named(&self, agent: &str) -> bool {
        self.groups
            .iter()
            .any(|group| group.agents.iter().any(|token| token.eq_ignore_ascii_case(agent)))
    }

    /// The rules that apply to an agent, in file order.
    pub fn rules_for(&self, agent: &str) -> impl Iterator<Item = &Rule> {
        let wanted = if self.named(agent) {
            agent.to_ascii_lowercase()
        } else {
            "*".to_owned()
        };
        self.groups
            .iter()
            .filter(move |group| group.agents.contains(&wanted))
            .flat_map(|group| &group.rules)
    }

    /// `Sitemap` values, in file order.
    pub fn sitemaps(&self) -> &[String] {
        &self.sitemaps
    }

    /// Content signals, in file order.
    pub fn signals(&self) -> &[ContentSignal] {
        &self.signals
    }

    /// Lines that agents may read differently, at most a hundred.
    pub fn odd_lines(&self) -> &[OddLine] {
        &self.odd
    }

    /// Returns the number of odd lines.
    pub fn odd_count(&self) -> usize {
        self.odd_count
    }

    /// Whether the file is longer than what crawlers read.
    pub fn is_truncated(&self) -> bool {
        self.truncated
    }

    /// Lines that were read.
    pub fn lines(&self) -> u32 {
        self.lines
    }

    fn odd(&mut self, line: u32, problem: &'static str, text: &str) {
        self.odd_count += 1;
        if self.odd.len() < FEW {
            self.odd.push(OddLine {
                line,
                problem,
                text: crate::quote::quote_to(text, 80),
            });
        }
    }

    /// The key and value of a line without its comment.
    ///
    /// Google also accepts white space instead of a colon.
    fn split<'l>(&mut self, number: u32, line: &'l str) -> Option<(&'l str, &'l str)> {
        let content = line.split_once('#').map_or(line, |(content, _)| content).trim();
        if content.is_empty() {
            return None;
        }
        if let Some((key, value)) = content.split_once(':') {
            return Some((key.trim(), value.trim()));
        }
        let mut words = content.split_ascii_whitespace();
        let pair = (words.next(), words.next(), words.next());
        if let (Some(key), Some(value), None) = pair
            && !matches!(field(key), Field::Other { .. })
        {
            self.odd(number, "has no colon; some agents will not read it", line);
            return Some((key, value));
        }
        self.odd(number, "is not a field", line);
        None
    }

    fn rule(&mut self, line: u32, allow: bool, value: &str, text: &str) {
        let Some(group) = self.groups.last_mut() else {
            self.odd(line, "stands before any user-agent line", text);
            return;
        };
        // An empty value is not a rule: `Disallow:` has no effect.
        if value.is_empty() {
            return;
        }
        group.rules.push(Rule {
            allow,
            path: value.to_owned(),
            line,
            pattern: pattern::normalise(value).into_owned(),
        });
        if !value.starts_with(['/', '*']) {
            self.odd(line, "has a path that does not begin with a slash", text);
        }
    }

    fn signal(&mut self, line: u32, value: &str, text: &str) {
        let (path, list) = match value.split_once(char::is_whitespace) {
            Some((path, list)) if path.starts_with('/') => (Some(path.to_owned()), list),
            _ => (None, value),
        };
        let agents = self
            .groups
            .last()
            .map(|group| group.agents.clone())
            .unwrap_or_default();
        for part in list.split([',', ';']).take(20) {
            let Some((name, answer)) = part.split_once('=') else {
                self.odd(line, "has a signal without a value", text);
                continue;
            };
            let granted = match answer.trim().to_ascii_lowercase().as_str() {
                "yes" | "y" | "true" | "1" => true,
                "no" | "n" | "false" | "0" => false,
                _ => {
                    self.odd(line, "has a signal that is neither yes nor no", text);
                    continue;
                }
            };
            if self.signals.len() < 50 {
                self.signals.push(ContentSignal {
                    name: cut(name.trim(), 40).to_ascii_lowercase(),
                    granted,
                    path: path.clone(),
                    agents: agents.clone(),
                    line,
                });
            }
        }
    }
}

enum Field {
    UserAgent,
    Rule { allow: bool, typo: bool },
    Sitemap,
    Signal,
    Other { known: bool },
}

fn field(key: &str) -> Field {
    let rule = |allow, typo| Field::Rule { allow, typo };
    match key.to_ascii_lowercase().as_str() {
        "user-agent" | "useragent" | "user agent" => Field::UserAgent,
        "allow" => rule(true, false),
        "disallow" => rule(false, false),
        // Spellings that Google's published parser accepts.
        "dissallow" | "dissalow" | "disalow" | "diasllow" | "disallaw" => rule(false, true),
        "sitemap" | "site-map" => Field::Sitemap,
        "content-signal" | "content-usage" => Field::Signal,
        "crawl-delay" | "host" | "clean-param" | "request-rate" | "visit-time" | "noindex" | "license" => {
            Field::Other { known: true }
        }
        _ => Field::Other { known: false },
    }
}

/// The product token a value names: `*`, or its leading letters, hyphens and underscores.
fn token(value: &str) -> String {
    if let Some(rest) = value.strip_prefix('*')
        && rest.chars().next().is_none_or(char::is_whitespace)
    {
        return "*".to_owned();
    }
    value
        .chars()
        .take_while(|c| c.is_ascii_alphabetic() || matches!(c, '-' | '_'))
        .take(100)
        .map(|c| c.to_ascii_lowercase())
        .collect()
}

/// Numbered lines; CR, LF and CR LF each end one.
fn lines(text: &str) -> impl Iterator<Item = (u32, &str)> {
    let mut rest = Some(text);
    let mut number = 0;
    std::iter::from_fn(move || {
        let current = rest?;
        number += 1;
        let Some(end) = memchr::memchr2(b'\n', b'\r', current.as_bytes()) else {
            rest = None;
            return Some((number, current));
        };
        let length = if current[end..].starts_with("\r\n") { 2 } else { 1 };
        rest = current.get(end + length..);
        Some((number, &current[..end]))
    })
}
