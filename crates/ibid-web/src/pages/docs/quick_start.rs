//! Programs to paste.

use crate::frame::Frame;

/// One program.
pub(super) struct Start {
    pub(super) label: &'static str,
    pub(super) code: String,
}

const CURL: &str = r#"curl {base}/api/v1/scan \
  -H "Authorization: Bearer {api}" \
  -H "X-Router-Key: {router}" \
  -H 'Content-Type: application/json' \
  -d '{"domain": "example.com", "keyword": "plumber", "location": "Valencia, Spain", "rings": [1, 2, 3]}'"#;

const PYTHON: &str = r#"import json, os, urllib.request

request = urllib.request.Request(
    "{base}/api/v1/scan",
    data=json.dumps({"domain": "example.com", "keyword": "plumber"}).encode(),
    headers={
        "Authorization": f"Bearer {os.environ['SERVICE_API_KEY']}",
        "X-Router-Key": os.environ["ROUTER_API_KEY"],
        "Content-Type": "application/json",
    },
)
with urllib.request.urlopen(request, timeout=600) as answer:
    result = json.load(answer)["result"]

print(result["overallScore"], result["interval"])
for model in result["models"]:
    print(model["modelLabel"], model["score"], model["prominence"])"#;

const JAVASCRIPT: &str = r#"const answer = await fetch("{base}/api/v1/scan", {
  method: "POST",
  headers: {
    "Authorization": `Bearer ${process.env.SERVICE_API_KEY}`,
    "X-Router-Key": process.env.ROUTER_API_KEY,
    "Content-Type": "application/json",
  },
  body: JSON.stringify({ domain: "example.com", keyword: "plumber" }),
});
const { scanId, result, code, detail } = await answer.json();
if (!answer.ok) throw new Error(`${code}: ${detail}`);
console.log(scanId, result.overallScore, result.interval);"#;

const PAID: &str = r#"# Without a payment the route answers 402 with its offers.
curl -i {base}/api/a2a/audit \
  -H 'Content-Type: application/json' \
  -d '{"url": "https://example.com/"}'

# Any x402 client signs an offer and sends it as PAYMENT-SIGNATURE (or X-Payment)."#;

/// The quick starts, with the address of this server in them.
pub(super) fn all(frame: &Frame<'_>) -> Vec<Start> {
    let (api, router) = if frame.sandbox {
        ("sandbox", "sandbox")
    } else {
        ("$SERVICE_API_KEY", "$ROUTER_API_KEY")
    };
    let fill = |code: &str| {
        code.replace("{base}", frame.base_url)
            .replace("{api}", api)
            .replace("{router}", router)
    };
    [
        ("Shell", CURL),
        ("Python", PYTHON),
        ("JavaScript", JAVASCRIPT),
        ("Agent, with a payment", PAID),
    ]
    .map(|(label, code)| Start {
        label,
        code: fill(code),
    })
    .into()
}
