"""Runs a scan against a sandbox server, and buys one if the package x402 is installed: python example.py ADDRESS."""

import json
import sys
from datetime import datetime, timezone

from standardwebhooks import Webhook

from ibid_client import Ibid, verify_webhook, x402_payer

# A published test wallet, which only a server in sandbox mode accepts.
TEST_KEY = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d"

with Ibid(sys.argv[1], api_key="sandbox", provider_key="sandbox") as ibid:
    order = {"domain": "example.com", "keyword": "plumber", "location": "Lyon, France", "questions_per_model": 2}
    plan = ibid.plan(**order)
    print(f"{plan.calls} calls, about ${plan.estimated_cost_usd:.2f}")
    scan = ibid.scan(**order)
    result = ibid.read(str(scan.scan_id)).result
    print(f"score {result.overall_score} for {result.domain}, radius {result.radius.citation_radius_km} km")
    for model in result.models:
        print(f"  {model.model}: {model.score}, cited in {model.cited_rate:.0%} of its answers, {model.prominence.value}")
    question = {"keyword": "plumber", "questions": ["Who is a good plumber?", "best plumber"]}
    print(f"{len(ibid.check_questions(**question).questions)} questions checked")
    hook = ibid.add_webhook(url="https://hooks.example.com/ibid", name="example")
    message = {"type": "webhook.test", "data": {"webhookId": str(hook.webhook_id)}}
    sent = Webhook(hook.secret)
    now = datetime.now(tz=timezone.utc)
    body = json.dumps(message)
    signed = {"Webhook-Id": "1", "Webhook-Timestamp": str(int(now.timestamp())), "Webhook-Signature": sent.sign("1", now, body)}
    print("verified", verify_webhook(hook.secret, body, signed)["type"])
    with Ibid(sys.argv[1], api_key="ibidp_sandbox") as projects:
        projects.add_project(name="Example", domain="example.com", keyword="plumber")
        for project in projects.projects().projects:
            print(f"project {project.name}: {projects.project_history(str(project.project_id)).summary}")
    try:
        pay = x402_payer(TEST_KEY, "eip155:84532")
    except ImportError:
        sys.exit()
    print("bought", ibid.buy(pay, domain="example.com", keyword="plumber").scan_id)
