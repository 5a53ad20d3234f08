// Headless Chromium, and what every page must keep to.

import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const SCREENSHOTS = process.env.IBID_SCREENSHOTS;
const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export const WIDTHS = [360, 768, 1440, 1920];
export const THEMES = ["light", "dark"];

export const startBrowser = async () => {
  const profile = await mkdtemp(join(tmpdir(), "ibid-chromium-"));
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      `--disk-cache-dir=${profile}`,
    ],
  });
  const stop = async () => {
    await browser.close();
    await rm(profile, { recursive: true, force: true });
  };
  return { browser, stop };
};

// A page of a fresh visitor that notes everything that must not happen.
export const visitor = async (browser, url, options = {}) => {
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const faults = [];
  const own = new URL(url).host;
  // An answer such as 404 is a console error of the browser's own; the tests ask for those statuses on purpose.
  page.on("console", (message) => {
    const expected = message.text().startsWith("Failed to load resource: the server responded with a status of");
    if (["error", "warning"].includes(message.type()) && !expected) faults.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`script: ${error.message}`));
  page.on("request", (request) => {
    const target = new URL(request.url());
    if (["http:", "https:"].includes(target.protocol) && target.host !== own) faults.push(`foreign host: ${request.url()}`);
  });
  // Chromium reports violations of the policy to the console as well; this also catches those it does not.
  await page.addInitScript(() => {
    addEventListener("securitypolicyviolation", (event) => console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`));
  });
  return {
    page,
    context,
    quiet: () => assert.deepEqual(faults, [], page.url()),
    close: () => context.close(),
  };
};

export const noSidewaysScroll = async (page) => {
  const wide = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const elements = [...document.querySelectorAll("body *")].filter((element) => element.getBoundingClientRect().right > clientWidth + 1);
    return elements.slice(0, 5).map((element) => `${element.tagName}.${element.className} ${Math.round(element.getBoundingClientRect().right)}`);
  });
  assert.deepEqual(wide, [], `${page.url()} scrolls sideways at ${page.viewportSize().width}`);
};

// Brings axe-core into the page by the debugger, since the policy of the page lets no script in. Once for each page that is loaded.
export const bringAxe = (page) => page.evaluate(AXE);

// The rules that look at colours.
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

// Without named rules, all that axe-core has on by default are checked.
export const accessible = async (page, rules = undefined) => {
  const found = await page.evaluate(async (values) => {
    const runOnly = values && { type: "rule", values };
    const { violations } = await globalThis.axe.run(document, { resultTypes: ["violations"], ...(runOnly && { runOnly }) });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => `${node.target} ${node.any[0]?.message ?? ""}`).join(" | ")}`);
  }, rules);
  assert.deepEqual(found, [], page.url());
};

// Pictures for people to look at, where a folder is named for them.
export const screenshot = async (page, name) => {
  if (!SCREENSHOTS) return;
  await mkdir(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true });
};

// Opens a path, and checks everything that holds for every page in all widths and both themes. The themes differ in colours alone, so
// the rules about other things are checked in the light one.
export const checkEverywhere = async (browser, url, name, path, { axeWidths = [360, 768, 1440], ...options } = {}) => {
  const guest = await visitor(browser, url, options);
  const { page } = guest;
  await page.emulateMedia({ colorScheme: "light" });
  await page.goto(path);
  await bringAxe(page);
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await noSidewaysScroll(page);
    for (const colorScheme of THEMES) {
      await page.emulateMedia({ colorScheme });
      if (axeWidths.includes(width)) await accessible(page, colorScheme === "light" ? undefined : COLOUR_RULES);
      await screenshot(page, `${name}-${width}-${colorScheme}`);
    }
  }
  guest.quiet();
  await guest.close();
};
