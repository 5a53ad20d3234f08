// Writes the pictures of the documentation anew, all of the sandbox: docs/*.png. Names of pictures as arguments write those alone.
// Fails where a file is above 150 KB.

import { stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { startBrowser, visitor } from "./support/browser.mjs";
import { startServer } from "./support/server.mjs";
import { startScan, untilReport } from "./support/account.mjs";

const MOST_BYTES = 150_000;
const WAIT_SECONDS = 180;
// The key to the projects of the sandbox, and the runs that its program stores for each of them.
const KEY = "ibidp_sandbox";
const PROJECTS = 6;
const RUNS = 24;
const wanted = new Set(process.argv.slice(2));

const file = (name) => fileURLToPath(new URL(`../../docs/${name}.png`, import.meta.url));
const read = (path) => fetch(`${server.url}${path}`, { headers: { Authorization: `Bearer ${KEY}` } }).then((answer) => answer.json());

// Waits until the sandbox has stored and judged half a year of its projects, and gives them by name.
const untilProjects = async () => {
  for (let tries = 0; tries < WAIT_SECONDS; tries += 1) {
    const { projects } = await read("/api/v2/projects");
    const judged = projects.filter(({ verdict }) => verdict);
    const histories = await Promise.all(judged.map(({ links }) => read(links.history)));
    if (histories.filter(({ runs }) => runs >= RUNS).length === PROJECTS) {
      return Object.fromEntries(projects.map(({ name, projectId }) => [name, `/workspace/projects/${projectId}`]));
    }
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  throw new Error(`the projects of the sandbox were not there in ${WAIT_SECONDS} s`);
};

const signIn = async (page) => {
  const [, email] = server.log().match(/e-mail\s+(\S+)/);
  const [, password] = server.log().match(/password\s+(\S+)/);
  await page.goto("/sign-in");
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(/\/workspace/);
};

const server = await startServer({}, ["--sandbox"]);
const chrome = await startBrowser();

// The top of a page, as high as asked for.
const shoot = async (name, height, open) => {
  if (wanted.size > 0 && !wanted.has(name)) return;
  const { page, close, quiet } = await visitor(chrome.browser, server.url, { viewport: { width: 1100, height }, storageState });
  await open(page);
  await page.screenshot({ path: file(name) });
  quiet();
  await close();
  const { size } = await stat(file(name));
  console.log(`${name}.png: ${size} bytes`);
  if (size > MOST_BYTES) process.exitCode = 1;
};

let storageState;
try {
  const projects = await untilProjects();
  const { page, context, close } = await visitor(chrome.browser, server.url);
  await signIn(page);
  storageState = await context.storageState();
  await close();
  await shoot("report", 1000, async (page) => {
    await startScan(page, { domain: "example.com", keyword: "plumber", place: "Valencia, Spain", rings: [1, 2, 3], questions: 6 });
    await untilReport(page);
  });
  await shoot("projects", 760, (page) => page.goto("/workspace/projects"));
  await shoot("project", 1000, (page) => page.goto(projects["Oakline Kitchens"]));
  await shoot("questions", 800, (page) => page.goto(`${projects["Oakline Kitchens"]}/questions`));
  await shoot("look", 1000, async (page) => {
    await page.goto("/look");
    await page.getByRole("textbox", { name: "Website" }).fill("example.com");
    await page.getByRole("button", { name: "Look at my website" }).click();
    await page.getByRole("heading", { name: "A first look at example.com" }).waitFor();
  });
  await shoot("audit", 1000, async (page) => {
    await page.goto("/workspace/audits");
    await page.getByLabel("Address of the page").fill("example.com/page");
    await page.getByRole("button", { name: "Audit the page" }).click();
    await page.waitForURL(/\/workspace\/audits\/[0-9a-f-]{36}$/);
  });
} finally {
  await chrome.stop();
  await server.stop();
}
