// The first day of an agency: from the printed link to three clients, a colleague who sees one of them, a run, and the first digest.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { EMAIL, PASSWORD } from "./support/account.mjs";
import { screenshot } from "./support/browser.mjs";
import { startMailServer } from "./support/mail.mjs";
import { startRouter } from "./support/router.mjs";
import { printedPath } from "./support/server.mjs";
import { setStage } from "./support/stage.mjs";

const COLLEAGUE = "bea@ibid.test";
const CLIENTS = [
  ["Aigua Clara", "example.com", "plumber", "Valencia, Spain"],
  ["Harbour Dental", "harbourdental.example", "dentist", "Plymouth, United Kingdom"],
  ["Oakline Kitchens", "oakline.example", "kitchen fitter", "Leeds, United Kingdom"],
];

describe("an agency", () => {
  let router, post, owner, colleague;
  const projects = [];
  const stage = setStage(async () => {
    router = await startRouter();
    post = await startMailServer();
    return {
      ROUTER_BASE_URL: router.url,
      ROUTER_API_KEY: "key-of-the-operator",
      WEB_SEARCH: "off",
      SMTP_URL: post.url,
      SMTP_FROM: "ibid <news@ibid.test>",
    };
  }, []);
  after(async () => {
    await router.stop();
    await post.stop();
  });

  it("opens its account and comes to its projects", async () => {
    owner = await stage.visitor();
    const { page } = owner;
    await page.goto(await printedPath(stage.server));
    await page.getByLabel("E-mail").fill(EMAIL);
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Open the account" }).click();
    await page.getByRole("heading", { name: "The account is open" }).waitFor();
    await screenshot(page, "agency-first");
    await page.getByRole("link", { name: "Set up projects" }).click();
    await page.waitForURL(/\/workspace\/projects$/);
    await page.getByText("What may the runs of all your projects cost in a month?").waitFor();
    await screenshot(page, "agency-empty");
    owner.quiet();
  });

  it("makes three clients, each on one page and in less than two minutes", async () => {
    const { page } = owner;
    for (const [name, domain, keyword, place] of CLIENTS) {
      const began = Date.now();
      await page.goto("/workspace/projects/new");
      await page.getByLabel("Name of the project").fill(name);
      await page.getByLabel("Website").fill(domain);
      await page.getByLabel("What you sell").fill(keyword);
      await page.getByLabel("Where", { exact: false }).first().fill(place);
      await page.getByRole("button", { name: "See what it will cost and see" }).click();
      await page.getByText(/points a run/).first().waitFor();
      await screenshot(page, `agency-forecast-${projects.length}`);
      await page.getByRole("button", { name: "Save the project" }).click();
      await page.waitForURL(/\/workspace\/projects\/[0-9a-f-]{36}$/);
      projects.push(new URL(page.url()).pathname);
      assert.ok(Date.now() - began < 120_000);
    }
    await page.goto("/workspace/projects");
    assert.equal(await page.locator("tbody tr").count(), 3);
    // Nothing may be spent yet, and the page asks for a budget.
    assert.ok(await page.getByLabel("Monthly budget of the organisation, in dollars").isVisible());
    await screenshot(page, "agency-list");
    owner.quiet();
  });

  it("runs a client by hand", async () => {
    const { page } = owner;
    await page.goto(projects[0]);
    await page.getByRole("button", { name: "Run now" }).click();
    await page.getByText("over the monthly budget of the organisation").first().waitFor();
    await screenshot(page, "agency-no-budget");
    await page.getByRole("link", { name: "Set the monthly budget" }).click();
    await page.getByLabel(/^Monthly budget of /).fill("25");
    await page.getByRole("button", { name: /^Set/ }).click();
    await page.waitForURL(/\/workspace\/admin\/spending$/);
    await page.goto(projects[0]);
    await page.getByRole("button", { name: "Run now" }).click();
    const patience = Date.now() + 120_000;
    for (;;) {
      await page.goto(`${projects[0]}/runs`);
      if (await page.getByText("done", { exact: true }).count()) break;
      assert.ok(Date.now() < patience, await page.textContent("main"));
      await page.waitForTimeout(300);
    }
    await page.goto(projects[0]);
    await screenshot(page, "agency-project");
    owner.quiet();
  });

  it("invites a colleague, who sees one client and nothing else", async () => {
    const { page } = owner;
    const invite = async (email) => {
      await page.goto(`${projects[0]}/settings`);
      await page.getByLabel("E-mail").fill(email);
      await page.getByRole("button", { name: "Invite" }).click();
      return page.getByLabel("Link for the person").inputValue();
    };
    const link = await invite(COLLEAGUE);
    await screenshot(page, "agency-invited");
    colleague = await stage.visitor();
    await colleague.page.goto(link);
    await screenshot(colleague.page, "agency-join");
    await colleague.page.getByLabel("Password").fill("another good password");
    await colleague.page.getByRole("button", { name: "Sign in" }).click();
    await colleague.page.waitForURL(/\/workspace\/projects$/);
    assert.equal(await colleague.page.locator("tbody tr").count(), 1);
    assert.equal((await colleague.page.goto(projects[0])).status(), 200);
    assert.equal(await colleague.page.getByRole("button", { name: "Run now" }).count(), 0);
    for (const path of [projects[1], `${projects[1]}/runs`, `${projects[1]}/archive.jsonl.gz`]) {
      const found = await colleague.page.request.get(path);
      assert.equal(found.status(), 404, path);
    }
    assert.equal((await colleague.page.request.get(`${projects[0]}/settings`)).status(), 403);

    // The answer is the same for a person who has an account, and so is the page of the link.
    const texts = async (address) => {
      const guest = await stage.visitor();
      await guest.page.goto(address);
      const text = await guest.page.textContent("main");
      await guest.close();
      return text.replace(/\S+@ibid\.test/g, "…");
    };
    const [known, unknown] = [await invite(COLLEAGUE), await invite("cleo@ibid.test")];
    assert.equal(await texts(known), await texts(unknown));
    // It does not set the password of the account.
    const again = await stage.visitor();
    await again.page.goto(known);
    await again.page.getByLabel("Password").fill("a third good password");
    await again.page.getByRole("button", { name: "Sign in" }).click();
    await again.page.getByRole("alert").waitFor();
    await again.page.getByLabel("Password").fill("another good password");
    await again.page.getByRole("button", { name: "Sign in" }).click();
    await again.page.waitForURL(/\/workspace\/projects$/);
    again.quiet();
    await again.close();
    owner.quiet();
  });

  it("gets its first digest by mail", async () => {
    const { page } = owner;
    await page.goto(`${projects[0]}/settings`);
    await page.locator("#address").fill(EMAIL);
    await page.locator("form.filter", { has: page.locator("#address") }).getByRole("button", { name: "Add" }).click();
    await page.getByText("waits until its reader confirms it").waitFor();
    await screenshot(page, "agency-news");
    const asked = await post.mail((text) => text.includes("/mail/confirm/"));
    const reader = await stage.visitor();
    await reader.page.goto(asked.match(/\/mail\/confirm\/[\w-]+/)[0]);
    await screenshot(reader.page, "agency-confirm");
    await reader.page.getByRole("button").first().click();
    // Monday is today.
    await stage.server.sql("UPDATE destination SET next_digest = 1 WHERE next_digest IS NOT NULL");
    const digest = await post.mail((text) => text.includes("List-Unsubscribe") && /^Subject: .*(week|digest)/im.test(text), 120);
    assert.match(digest, new RegExp(`^To: .*${EMAIL}`, "m"));
    for (const part of [CLIENTS[0][0], projects[0], "/mail/unsubscribe/"]) assert.ok(digest.includes(part), `${part} in ${digest}`);
    await reader.page.setContent(digest.slice(digest.search(/<!doctype|<html/i)).split(/\r?\n--/)[0]);
    await screenshot(reader.page, "agency-digest");
    await reader.close();
    owner.quiet();
    await owner.close();
    await colleague.close();
  });
});
