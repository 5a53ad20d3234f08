//! The files that crawlers ask for: `robots.txt` and `sitemap.xml`.

use crate::escape::html;

/// The public pages, for search engines.
const PAGES: [&str; 5] = ["/", "/docs", "/docs/schemas", "/docs/glossary", "/docs/errors"];

/// The programs that fetch a posted link to show a preview of it.
/// They may read shared reports, which forbid search engines to list them.
const PREVIEWS: [&str; 7] = [
    "Discordbot",
    "facebookexternalhit",
    "LinkedInBot",
    "Slackbot-LinkExpanding",
    "TelegramBot",
    "Twitterbot",
    "WhatsApp",
];

/// Writes `robots.txt`: public pages may be read, reports and the workspace may not.
/// Programs that show previews of links may read shared reports.
pub fn robots_txt(base_url: &str) -> String {
    let closed = "Disallow: /workspace\nDisallow: /demo\nDisallow: /api/\n";
    let previews: String = PREVIEWS
        .iter()
        .map(|agent| format!("User-agent: {agent}\n"))
        .collect();
    format!("User-agent: *\nDisallow: /s/\n{closed}\n{previews}{closed}\nSitemap: {base_url}/sitemap.xml\n")
}

/// Writes `sitemap.xml` with the public pages.
pub fn sitemap_xml(base_url: &str) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n",
    );
    for page in PAGES {
        text.push_str(&format!(
            "<url><loc>{}</loc></url>\n",
            html(&format!("{base_url}{page}"))
        ));
    }
    text.push_str("</urlset>\n");
    text
}
