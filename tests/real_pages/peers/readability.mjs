// Reads pages with @mozilla/readability, with the input and output of the example `articles`: `ADDRESS<tab>FILE` a line in,
// one JSON object a line out. `npm install @mozilla/readability jsdom` beside it first.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { createInterface } from "node:readline";

// The packages may be installed in another folder: MODULES names it.
const require = createRequire(join(process.env.MODULES ?? process.cwd(), "x.js"));
const { Readability } = require("@mozilla/readability");
const { JSDOM, VirtualConsole } = require("jsdom");

for await (const line of createInterface({ input: process.stdin })) {
  const [address, file] = line.split("\t");
  const bytes = readFileSync(file);
  const start = performance.now();
  // A buffer, so that jsdom finds the encoding as a browser does. Scripts are not run.
  const options = { virtualConsole: new VirtualConsole(), contentType: "text/html" };
  if (address) options.url = address;
  const { window } = new JSDOM(bytes, options);
  const article = new Readability(window.document).parse();
  const micros = Math.round((performance.now() - start) * 1000);
  const root = article ? new JSDOM(article.content).window.document : undefined;
  const headings = [...(root?.querySelectorAll("h1, h2, h3, h4, h5, h6") ?? [])];
  console.log(JSON.stringify({
    file,
    text: article?.textContent ?? "",
    lead: null,
    author: article?.byline ?? null,
    published: article?.publishedTime?.slice(0, 10) ?? null,
    modified: null,
    headings: headings.map((heading) => [Number(heading.tagName[1]), heading.textContent.trim()]),
    sources: [],
    micros,
  }));
  window.close();
}
