// Every kind of page, with an account that has scans, an audit, a share and an invited person.

import { EMAIL, openAccount, signIn, startScan, untilReport } from "./account.mjs";
import { visitor } from "./browser.mjs";

// Fills a new server and gives the pages: path, label where the path has an id, session where one is needed.
export const openPages = async (server, browser) => {
  await openAccount(server);
  await server.command(["user", "role", EMAIL, "admin"]);
  const { page, context, close } = await visitor(browser, server.url);
  await signIn(page);
  const ids = [];
  for (const order of [
    { domain: "example.com", keyword: "plumber", place: "Valencia, Spain", rings: [1, 2, 3], questions: 6 },
    { domain: "example.com", keyword: "plumber", place: "Valencia, Spain", rings: [1, 2, 3], questions: 6 },
  ]) {
    const path = await startScan(page, order);
    await untilReport(page);
    ids.push(path.split("/").at(-1));
  }
  await page.getByRole("button", { name: "Create a public link" }).click();
  const share = new URL(await page.getByLabel("Public read-only link").inputValue()).pathname;
  await page.goto("/workspace/audits");
  await page.getByLabel("Address of the page").fill("example.com/page");
  await page.getByRole("button", { name: "Audit the page" }).click();
  await page.waitForURL(/\/workspace\/audits\/[0-9a-f-]{36}$/);
  const audit = new URL(page.url()).pathname;
  await page.goto("/workspace/admin");
  await page.getByRole("link", { name: EMAIL }).click();
  await page.waitForURL(/\/admin\/people\//);
  const person = new URL(page.url()).pathname;
  const storageState = await context.storageState();
  await close();

  const open = ["/", "/docs", "/docs/schemas", "/docs/errors", "/docs/glossary", "/sign-in"].map((path) => ({ path }));
  const fixed = [
    "/workspace",
    "/workspace/scans",
    "/workspace/audits",
    "/workspace/credits",
    "/workspace/receipts",
    "/workspace/account",
    "/workspace/account/two-step",
    "/workspace/schedules",
    "/workspace/websites/example.com",
    "/workspace/admin",
    "/workspace/admin/keys",
    "/workspace/admin/scans",
    "/workspace/admin/spending",
    "/workspace/admin/health",
  ].map((path) => ({ path }));
  const made = [
    { path: `/workspace/scans/${ids[0]}`, label: "/workspace/scans/{id}" },
    { path: `/workspace/scans/${ids[0]}/answers`, label: "/workspace/scans/{id}/answers" },
    { path: `/workspace/scans/${ids[0]}/edit`, label: "/workspace/scans/{id}/edit" },
    { path: `/workspace/compare?scan=${ids[0]}&scan=${ids[1]}`, label: "/workspace/compare" },
    { path: audit, label: "/workspace/audits/{id}" },
    { path: person, label: "/workspace/admin/people/{id}" },
  ];
  return [...open, { path: share, label: "/s/{token}" }, ...[...fixed, ...made].map((entry) => ({ ...entry, storageState }))];
};
