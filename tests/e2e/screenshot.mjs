// Writes docs/report.png: the top of a report of the sandbox, as the README shows it. Fails where the file is above 150 KB.

import { stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { openAccount, signIn, startScan, untilReport } from "./support/account.mjs";
import { startBrowser, visitor } from "./support/browser.mjs";
import { startServer } from "./support/server.mjs";

const FILE = fileURLToPath(new URL("../../docs/report.png", import.meta.url));
const MOST_BYTES = 150_000;

const server = await startServer();
const chrome = await startBrowser();
try {
  await openAccount(server);
  const { page } = await visitor(chrome.browser, server.url, { viewport: { width: 1100, height: 1000 } });
  await signIn(page);
  await startScan(page, { domain: "example.com", keyword: "plumber", place: "Valencia, Spain", rings: [1, 2, 3], questions: 6 });
  await untilReport(page);
  await page.screenshot({ path: FILE });
} finally {
  await chrome.stop();
  await server.stop();
}
const { size } = await stat(FILE);
console.log(`${FILE}: ${size} bytes`);
if (size > MOST_BYTES) process.exitCode = 1;
