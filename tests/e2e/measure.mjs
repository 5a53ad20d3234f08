// Measures every page of the sandbox as a browser gets it, and prints a table in Markdown: kilobytes of the document as sent, of all that
// a first visit loads, and the largest contentful paint. Fails where a document is above 40 KB. Run it on an idle machine:
//
//     IBID_SERVER=../../target/release/ibid-server node measure.mjs

import { openPages } from "./support/pages.mjs";
import { startBrowser, visitor } from "./support/browser.mjs";
import { startServer } from "./support/server.mjs";

const MOST_KB = 40;
const GOAL_SECONDS = 0.5;
const VISITS = 5;

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

// One first visit: nothing is in the cache of a new context, except the cookie of the session.
const visit = async (browser, url, path, storageState) => {
  const guest = await visitor(browser, url, { storageState, viewport: { width: 1440, height: 900 } });
  await guest.page.goto(path, { waitUntil: "load" });
  const seen = await guest.page.evaluate(async () => {
    const paint = new Promise((resolve) => {
      new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime)).observe({ type: "largest-contentful-paint", buffered: true });
    });
    const [document] = performance.getEntriesByType("navigation");
    const all = [document, ...performance.getEntriesByType("resource")];
    return { paint: await paint, document: document.encodedBodySize, all: all.reduce((sum, entry) => sum + entry.encodedBodySize, 0) };
  });
  await guest.close();
  return seen;
};

const server = await startServer();
const chrome = await startBrowser();
let worst = { kb: 0, seconds: 0 };
try {
  const pages = await openPages(server, chrome.browser);
  console.log("| Page | Document, KB as sent | First visit, KB | Largest contentful paint, s |\n|---|---|---|---|");
  for (const { path, label = path, storageState } of pages) {
    const visits = [];
    for (let count = 0; count < VISITS; count += 1) visits.push(await visit(chrome.browser, server.url, path, storageState));
    const [kb, all] = [visits[0].document / 1000, visits[0].all / 1000];
    const seconds = median(visits.map(({ paint }) => paint)) / 1000;
    worst = { kb: Math.max(worst.kb, kb), seconds: Math.max(worst.seconds, seconds) };
    console.log(`| \`${label}\` | ${kb.toFixed(1)} | ${all.toFixed(1)} | ${seconds.toFixed(2)} |`);
  }
} finally {
  await chrome.stop();
  await server.stop();
}
console.log(`\nLargest document ${worst.kb.toFixed(1)} KB (goal ${MOST_KB}), slowest paint ${worst.seconds.toFixed(2)} s (goal ${GOAL_SECONDS}).`);
if (worst.kb > MOST_KB) process.exitCode = 1;
