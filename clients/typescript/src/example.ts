// Runs a scan against a sandbox server: node dist/example.js ADDRESS.
import { Webhook } from "standardwebhooks";
import { Ibid, verifyWebhook } from "./index.js";

const address = process.argv[2] ?? "http://127.0.0.1:8080";
const ibid = new Ibid(address, { apiKey: "sandbox", providerKey: "sandbox" });
const order = { domain: "example.com", keyword: "plumber", location: "Lyon, France", questionsPerModel: 2 };
const plan = await ibid.plan(order);
console.log(`${plan.calls} calls, about $${plan.estimatedCostUsd.toFixed(2)}`);
const { scanId } = await ibid.scan(order);
const { result } = await ibid.read(scanId);
console.log(`score ${result.overallScore} for ${result.domain}, radius ${result.radius.citationRadiusKm} km`);
for (const model of result.models) {
  console.log(`  ${model.model}: ${model.score}, cited in ${Math.round(model.citedRate * 100)} % of its answers, ${model.prominence}`);
}
const checked = await ibid.checkQuestions({ keyword: "plumber", questions: ["Who is a good plumber?", "best plumber"] });
console.log(`${checked.questions.length} questions checked`);
const hook = await ibid.addWebhook({ url: "https://hooks.example.com/ibid", name: "example" });
const now = new Date();
const body = JSON.stringify({ type: "webhook.test", timestamp: now.toISOString(), data: { webhookId: hook.webhookId } });
const signature = new Webhook(hook.secret).sign("1", now, body);
const headers = { "webhook-id": "1", "webhook-timestamp": String(Math.floor(now.getTime() / 1000)), "webhook-signature": signature };
console.log("verified", verifyWebhook(hook.secret, body, headers).type);
const own = new Ibid(address, { apiKey: "ibidp_sandbox" });
await own.addProject({ name: "Example", domain: "example.com", keyword: "plumber" });
for (const project of (await own.projects()).projects) {
  console.log(`project ${project.name}: ${(await own.projectHistory(project.projectId)).summary}`);
}
