// Runs a scan against a sandbox server: node dist/example.js ADDRESS.
import { Ibid } from "./index.js";

const ibid = new Ibid(process.argv[2] ?? "http://127.0.0.1:8080", { apiKey: "sandbox", providerKey: "sandbox" });
const order = { domain: "example.com", keyword: "plumber", location: "Lyon, France", questionsPerModel: 2 };
const plan = await ibid.plan(order);
console.log(`${plan.calls} calls, about $${plan.estimatedCostUsd.toFixed(2)}`);
const { scanId } = await ibid.scan(order);
const { result } = await ibid.read(scanId);
console.log(`score ${result.overallScore} for ${result.domain}, radius ${result.radius.citationRadiusKm} km`);
for (const model of result.models) {
  console.log(`  ${model.model}: ${model.score}, cited in ${Math.round(model.citedRate * 100)} % of its answers, ${model.prominence}`);
}
