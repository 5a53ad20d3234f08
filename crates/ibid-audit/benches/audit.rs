//! CPU of one audit, without network: an ordinary page of about 100 KB, a short one, a long one.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ibid_audit::{Page, SiteAnswer, SiteFile, audit};
use std::fmt::Write;
use std::hint::black_box;

/// A typical page: one third text, the rest menus, scripts, styles and attributes.
fn page(sections: usize) -> Page {
    let mut html = String::from(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Heat pumps in old houses: what works</title><meta name=\"description\" content=\"Heat pumps heat most old houses if the flow temperature stays below 55 degrees. What to measure first.\"><link rel=\"canonical\" href=\"https://warm.example.com/guides/heat-pumps\"><script type=\"application/ld+json\">{\"@context\":\"https://schema.org\",\"@type\":\"Article\",\"headline\":\"Heat pumps\",\"author\":{\"@type\":\"Person\",\"name\":\"Ana Ruiz\"},\"datePublished\":\"2026-05-04\"}</script><style>",
    );
    for rule in 0..sections * 4 {
        let _ = write!(
            html,
            ".c{rule}{{margin:0 {rule}px;color:#{rule:06x};display:flex}}"
        );
    }
    html.push_str("</style></head><body><header><nav><ul class=\"menu\">");
    for item in 0..60 {
        let _ = write!(
            html,
            "<li class=\"menu-item menu-item-{item}\"><a href=\"/topic/{item}\" class=\"link link--nav\" data-track=\"nav-{item}\">Topic {item}</a></li>"
        );
    }
    html.push_str("</ul></nav></header><main><article><h1>Heat pumps in old houses</h1><p class=\"byline\">By Ana Ruiz, <time datetime=\"2026-09-14\">14 September 2026</time></p>");
    for section in 0..sections {
        let _ = write!(
            html,
            "<section class=\"s s-{section}\" id=\"s{section}\" data-v=\"{section}\"><h2 class=\"title\">Part {section} of the guide</h2><p class=\"text\">A heat pump is a machine that moves heat from outside air into a house, and it works in most old houses as long as the water stays below {section} °C on the coldest day of <a href=\"https://source{section}.org/study\" rel=\"noopener\">the survey</a>.</p><p>Of 1,023 homes, 61 % stayed warm &amp; dry at 50 °C, says <em>Marta Klein</em>, who has fitted <strong>212 pumps</strong> since 2014.</p><ul><li>Read the flow temperature<li>List the radiators<li>Look up the yearly use</ul><figure><img src=\"/img/{section}.jpg\" alt=\"A radiator\" loading=\"lazy\" width=\"640\" height=\"480\"><figcaption>Part {section}</figcaption></figure></section><script>window.q=window.q||[];window.q.push({{id:{section},kind:\"slot\",size:[300,250],lazy:true}});</script>"
        );
    }
    html.push_str("</article></main><footer><p>Warm Houses, Graz</p></footer></body></html>");
    let url = "https://warm.example.com/guides/heat-pumps".parse().ok();
    let mut page = Page::from_html(html, url, "2026-11-21T12:00:00Z".parse().unwrap_or_default());
    page.status = Some(200);
    page.headers.push("content-type", "text/html; charset=utf-8");
    page.site.robots = SiteFile::Answer(SiteAnswer {
        status: 200,
        body: b"User-agent: *\nDisallow: /admin/\nDisallow: /*?sort=\n\nUser-agent: GPTBot\nDisallow: /\n"
            .to_vec(),
        ..SiteAnswer::default()
    });
    page
}

fn audits(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("audit");
    for (name, sections) in [("short", 5), ("median", 92), ("long", 600)] {
        let page = page(sections);
        group.throughput(Throughput::Bytes(page.body.len() as u64));
        group.bench_function(format!("{name}/{}KB", page.body.len() / 1_000), |bencher| {
            bencher.iter(|| audit(black_box(&page)));
        });
    }
    group.finish();
}

criterion_group!(benches, audits);
criterion_main!(benches);
