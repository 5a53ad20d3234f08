// The steps of an agency that more than one journey goes.

import assert from "node:assert/strict";
import { EMAIL, PASSWORD } from "../../e2e/support/account.mjs";
import { startMailServer } from "../../e2e/support/mail.mjs";
import { startRouter } from "../../e2e/support/router.mjs";
import { printedPath } from "../../e2e/support/server.mjs";
import { startClock } from "./clock.mjs";
import { linksOf, oddWords } from "./walk.mjs";

// A router, a mail server and a clock, with the settings of a server that uses them.
export const startWorld = async (say) => {
  const [router, post, clock] = [await startRouter(say), await startMailServer(), await startClock()];
  const settings = {
    ...clock.settings,
    ROUTER_BASE_URL: router.url,
    ROUTER_API_KEY: "key-of-the-operator",
    WEB_SEARCH: "off",
    SMTP_URL: post.url,
    SMTP_FROM: "ibid <news@ibid.test>",
  };
  const stop = async () => {
    await router.stop();
    await post.stop();
    await clock.stop();
  };
  return { router, post, clock, settings, stop };
};

// From the printed link to the page that asks for a budget.
export const openOwner = async (page, server) => {
  await page.goto(await printedPath(server));
  await page.getByLabel("E-mail").fill(EMAIL);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Open the account" }).click();
  await page.getByRole("link", { name: "Set up projects" }).click();
  await page.getByText("What may the runs of all your projects cost in a month?").waitFor();
};

export const setBudget = async (page, dollars) => {
  await page.getByLabel("Monthly budget of the organisation, in dollars").fill(dollars);
  await page.getByRole("button", { name: "Set the budget" }).click();
  await page.goto("/workspace/projects");
  await page.getByText(`Monthly budget of the organisation: $${dollars}`).waitFor();
};

export const fill = async (page, [name, domain, keyword, place]) => {
  await page.goto("/workspace/projects/new");
  await page.getByLabel("Name of the project").fill(name);
  await page.getByLabel("Website", { exact: true }).fill(domain);
  await page.getByLabel("What you sell").fill(keyword);
  await page.getByLabel("Where", { exact: false }).first().fill(place);
};

export const look = (page) => page.getByRole("button", { name: "See what it will cost and see" }).click();

export const save = (page) => page.getByRole("button", { name: "Save the project" }).click();

// The path of the page that follows a saved project.
export const saved = async (page) => {
  await page.waitForURL(/\/workspace\/projects\/[0-9a-f-]{36}$/);
  return new URL(page.url()).pathname;
};

// Looks at the runs of a project until so many are ended: who looks does not wait for the next round.
export const untilDone = async (page, project, runs) => {
  const patience = Date.now() + 120_000;
  for (;;) {
    await page.goto(`${project}/runs`);
    if ((await page.getByText(/^(done|failed)/).count()) >= runs) return;
    assert.ok(Date.now() < patience, await page.textContent("main"));
    await page.waitForTimeout(300);
  }
};

// Adds a mail address to the news of a project, or of all, and confirms it as its reader does.
export const addReader = async (stage, page, project, post, about = "project") => {
  await page.goto(`${project}/settings`);
  await page.locator("#address").fill(EMAIL);
  await page.getByLabel("About").selectOption(about);
  await page.locator("form.filter", { has: page.locator("#address") }).getByRole("button", { name: "Add" }).click();
  await page.getByText("waits until its reader confirms it").waitFor();
  const asked = await post.mail((text) => text.includes("/mail/confirm/"));
  const reader = await stage.visitor();
  await reader.page.goto(asked.match(/\/mail\/confirm\/[\w-]+/)[0]);
  await reader.page.getByRole("button").first().click();
  await reader.page.getByText("News goes to").waitFor();
  return reader;
};

// The page of a mail as its reader sees it: no odd word, and every link of the server opens for the owner.
export const readMail = async (reader, owner, url, mail) => {
  const [html] = mail.match(/<!doctype[^]*<\/html>/i);
  // The rules of a page of the server would leave out the styles of the mail.
  await reader.page.goto("about:blank");
  await reader.page.setContent(html);
  const text = await reader.page.innerText("main");
  assert.deepEqual(oddWords(text), []);
  for (const link of linksOf(html.replaceAll("&amp;", "&"))) {
    if (link.startsWith(url)) assert.equal((await owner.page.request.get(link)).status(), 200, link);
  }
  return text;
};
