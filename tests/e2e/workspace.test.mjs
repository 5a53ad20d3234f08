// The workspace: from signing in to signing out.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { before, describe, it } from "node:test";
import { EMAIL, openAccount, PASSWORD, signIn, startScan, untilReport } from "./support/account.mjs";
import { screenshot } from "./support/browser.mjs";
import { sandbox } from "./support/server.mjs";
import { setStage } from "./support/stage.mjs";

describe("the workspace", () => {
  // Invented answers take a moment, so that there is progress to watch.
  const stage = setStage({}, sandbox(700));
  let member, storageState, first, second;
  before(async () => {
    await openAccount(stage.server);
    member = await stage.visitor({ acceptDownloads: true });
  });

  it("sends strangers to sign in and brings them back", async () => {
    await member.page.goto("/workspace/scans");
    assert.equal(new URL(member.page.url()).pathname, "/sign-in");
    await member.page.getByLabel("E-mail").fill(EMAIL);
    await member.page.getByLabel("Password").fill("not the password");
    await member.page.getByRole("button", { name: "Sign in" }).click();
    await member.page.getByRole("alert").waitFor();
    assert.equal(await member.page.getByLabel("E-mail").inputValue(), EMAIL);
    await member.page.getByLabel("Password").fill(PASSWORD);
    await member.page.getByRole("button", { name: "Sign in" }).click();
    await member.page.waitForURL("**/workspace/scans");
    const [cookie] = await member.context.cookies();
    assert.deepEqual([cookie.name, cookie.httpOnly, cookie.sameSite], ["ibid", true, "Lax"]);
    assert.ok(await member.page.getByText("50 credits").isVisible());
    storageState = await member.context.storageState();
    member.quiet();
  });

  it("prices a scan while its form is filled in, and says what is wrong", async () => {
    const { page } = member;
    await page.goto("/workspace");
    await page.getByLabel("Website", { exact: true }).fill("localhost");
    await page.getByLabel("Keyword", { exact: true }).fill("plumber");
    await page.locator("#domain-fault").waitFor({ state: "visible" });
    await page.getByLabel("Website", { exact: true }).fill("example.com");
    await page.locator("#domain-fault").waitFor({ state: "hidden" });
    await page.waitForFunction(() => document.querySelector("[data-plan-questions]").textContent === "9");
    await page.locator("input[name=questionsPerModel]").fill("4");
    await page.waitForFunction(() => document.querySelector("[data-plan-questions]").textContent === "12");
    assert.match(await page.locator("[data-plan-cost]").textContent(), /^\$0\.\d+/);
    member.quiet();
  });

  it("takes a form that is sent before its last change was checked", async () => {
    const { page } = member;
    await page.goto("/workspace");
    const checked = page.waitForResponse("**/api/app/plan");
    await page.getByLabel("Website", { exact: true }).fill("localhost");
    await checked;
    // No check ends any more: the server has the word.
    await page.route("**/api/app/plan", () => {});
    await page.getByLabel("Keyword", { exact: true }).fill("plumber");
    await page.getByLabel("Keyword", { exact: true }).press("Enter");
    await page.locator("#fault-summary").waitFor();
    assert.match(await page.locator("#domain-fault").textContent(), /localhost|domain|website/i);
    await page.unroute("**/api/app/plan");
    member.quiet();
  });

  it("shows answers as they come, then the report", async () => {
    const { page } = member;
    first = await startScan(page, { domain: "example.com", keyword: "plumber", place: "Valencia, Spain", rings: [1, 2, 3], questions: 6 });
    await page.locator("[data-run]").waitFor();
    await screenshot(page, "running-1280-light");
    await page.locator("[data-run-log] li").first().waitFor();
    assert.match(await page.title(), /^\d+ of \d+ · /);
    assert.ok(Number(await page.locator("[data-run-done]").textContent()) > 0);
    assert.match(await page.locator("[data-run-left]").textContent(), /left$|scoring/);
    assert.match(await page.locator(".run-question").first().textContent(), /plumber/);
    await untilReport(page);
    assert.equal(new URL(page.url()).pathname, first);
    assert.ok(await page.getByText("Invented answers.").isVisible());
    assert.ok(await page.locator("svg.radius-map:visible, .map svg:visible").first().isVisible());
    assert.ok(await page.getByText("49 credits").isVisible());
    member.quiet();
  });

  it("opens an answer from its cell", async () => {
    const { page } = member;
    await page.goto(first);
    const cell = page.locator(".matrix .cell a").first();
    const target = (await cell.getAttribute("href")).slice(1);
    await cell.click();
    await page.locator(`details#${target}[open]`).waitFor();
    assert.ok(await page.locator(`details#${target} .answer-text`).isVisible());
    member.quiet();
  });

  it("says what to do next, and which sites answers cite", async () => {
    const { page } = member;
    await page.goto(first);
    const moves = page.locator(".moves .fixes > li");
    const count = await moves.count();
    assert.ok(count >= 1 && count <= 6, `${count} moves`);
    await moves.first().getByText("The facts").click();
    assert.ok(await moves.first().locator(".move-facts li").first().isVisible());
    assert.ok((await page.locator("#sources tbody tr").count()) > 3);
    assert.ok((await page.locator("#intents tbody tr").count()) > 1);
    await page.getByText("How sure is this?").click();
    const term = page.locator("a.term").first();
    await page.goto(await term.getAttribute("href"));
    assert.ok(await page.locator(`[id="${new URL(page.url()).hash.slice(1)}"]`).isVisible());
    member.quiet();
  });

  it("has one tab stop for the grid of answers", async () => {
    const { page } = member;
    await page.goto(first);
    const stops = page.locator(".matrix a[tabindex='0']");
    assert.equal(await stops.count(), 1);
    await stops.focus();
    const before = await page.evaluate(() => document.activeElement.getAttribute("href"));
    await page.keyboard.press("ArrowRight");
    assert.notEqual(await page.evaluate(() => document.activeElement.getAttribute("href")), before);
    assert.equal(await stops.count(), 1);
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.closest(".matrix")), null);
    member.quiet();
  });

  it("downloads sheets and documents", async () => {
    const { page } = member;
    await page.goto(first);
    for (const [label, extension, holds] of [
      ["Result, JSON", ".json", "overallScore"],
      ["Answers, JSON", ".json", "questionId"],
      ["Models, CSV", ".csv", "model-1-latest"],
      ["Answers, CSV", ".csv", "model-1-latest"],
      ["Markets, CSV", ".csv", "Valencia"],
      ["Competitors, CSV", ".csv", "example.com"],
      ["Cited sites, CSV", ".csv", "targetAnswers"],
      ["Moves, CSV", ".csv", "missing_"],
    ]) {
      await page.getByText("Download", { exact: true }).click();
      const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: label }).click()]);
      assert.ok(download.suggestedFilename().endsWith(extension), download.suggestedFilename());
      assert.ok((await readFile(await download.path(), "utf8")).includes(holds), label);
      await page.keyboard.press("Escape");
    }
    member.quiet();
  });

  it("works without scripts", async () => {
    const plain = await stage.visitor({ javaScriptEnabled: false, storageState });
    second = await startScan(plain.page, { domain: "example.com", keyword: "electrician", questions: 10, byKeyboard: true });
    await untilReport(plain.page);
    assert.ok((await plain.page.textContent("main")).includes("electrician"));
    plain.quiet();
    await plain.close();
  });

  it("compares two scans", async () => {
    const { page } = member;
    await page.goto("/workspace/scans");
    const boxes = page.locator("input[name=scan]");
    assert.ok(await page.getByRole("button", { name: "Compare" }).isDisabled());
    await boxes.nth(0).check();
    await boxes.nth(1).check();
    await page.getByRole("button", { name: "Compare" }).click();
    await page.waitForURL(/\/workspace\/compare\?/);
    assert.equal(await page.getByRole("heading", { level: 1 }).textContent(), "Two scans compared");
    // Of another keyword: the verdict comes first, and there is no number to believe in.
    assert.equal(await page.locator("h2").first().textContent(), "Not comparable");
    assert.equal(await page.locator(".verdict .big").count(), 0);
    member.quiet();
  });

  it("has a page for the website", async () => {
    const { page } = member;
    await page.goto("/workspace/scans");
    assert.equal(await page.locator(".website-group").count(), 1);
    await page.getByRole("heading", { level: 2 }).getByRole("link", { name: "example.com" }).click();
    await page.waitForURL("**/workspace/websites/example.com");
    assert.equal(await page.locator("section.section").count(), 2);
    await stage.checkEverywhere("website", "/workspace/websites/example.com", { storageState });
    member.quiet();
  });

  it("finds scans by words and tags", async () => {
    const { page } = member;
    await page.goto(first);
    await page.getByLabel("Tags").fill("client, autumn");
    await page.getByRole("button", { name: "Save tags" }).click();
    await page.goto("/workspace/scans?tag=autumn");
    assert.equal(await page.locator(".scan-row").count(), 1);
    await page.goto("/workspace/scans?q=electric");
    assert.equal(await page.locator(".scan-row").count(), 1);
    await page.goto("/workspace/scans?q=nothing+like+it");
    assert.ok(await page.getByText("Nothing found").isVisible());
    member.quiet();
  });

  it("shares a report by its link until the link is revoked", async () => {
    const { page } = member;
    await page.goto(first);
    await page.getByRole("button", { name: "Create a public link" }).click();
    const link = await page.getByLabel("Public read-only link").inputValue();
    const guest = await stage.visitor();
    await guest.page.goto(link);
    assert.ok(await guest.page.getByText("read-only copy of a report").isVisible());
    assert.equal(await guest.page.getByText("Tags and sharing").count(), 0);
    await stage.checkEverywhere("shared-report", new URL(link).pathname);
    await page.getByRole("button", { name: "Revoke the link" }).click();
    await page.getByRole("button", { name: "Create a public link" }).waitFor();
    assert.equal((await guest.page.goto(link)).status(), 404);
    guest.quiet();
    await guest.close();
    member.quiet();
  });

  it("audits a page and lets its drafts be taken", async () => {
    const { page } = member;
    await page.goto("/workspace/audits");
    await page.getByLabel("Address of the page").fill("127.0.0.1/secret");
    await page.getByRole("button", { name: "Audit the page" }).click();
    await page.locator("#url-fault").waitFor({ state: "visible" });
    await page.getByLabel("Address of the page").fill("example.com/page");
    await page.getByRole("button", { name: "Audit the page" }).click();
    await page.waitForURL(/\/workspace\/audits\/[0-9a-f-]{36}$/);
    assert.ok((await page.locator(".check").count()) > 30);
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Download JSON" }).click()]);
    const document = JSON.parse(await readFile(await download.path(), "utf8"));
    assert.ok(document.result.drafts.length > 0);
    const path = new URL(page.url()).pathname;
    await page.goto("/workspace/audits");
    await page.getByRole("link", { name: "example.com/page" }).click();
    await page.waitForURL(`**${path}`);
    await stage.checkEverywhere("audit-report", new URL(page.url()).pathname, { storageState });
    member.quiet();
  });

  for (const [name, path] of [
    ["new-scan", "/workspace"],
    ["history", "/workspace/scans"],
    ["audit-form", "/workspace/audits"],
    ["credits", "/workspace/credits"],
    ["receipts", "/workspace/receipts"],
  ]) {
    it(`${path} is sound in every theme and width`, () => stage.checkEverywhere(name, path, { storageState }));
  }

  it("reports are sound in every theme and width", async () => {
    const ids = [first, second].map((path) => path.split("/").at(-1));
    await stage.checkEverywhere("report", first, { storageState });
    await stage.checkEverywhere("answers", `${first}/answers`, { storageState });
    await stage.checkEverywhere("compare", `/workspace/compare?scan=${ids[0]}&scan=${ids[1]}`, { storageState });
    await stage.checkEverywhere("failed", "/workspace/scans/00000000-0000-4000-8000-000000000000", { storageState });
  });

  it("is fit for paper", async () => {
    const { page } = member;
    await page.goto(first);
    await page.emulateMedia({ media: "print" });
    await page.setViewportSize({ width: 794, height: 1123 });
    const hidden = await page.evaluate(() => [...document.querySelectorAll(".site-head, form, .report-actions")].every((element) => !element.checkVisibility()));
    assert.ok(hidden);
    assert.ok(await page.locator(".sandbox-bar").isVisible());
    assert.equal(await page.locator("#answers").isVisible(), false);
    await screenshot(page, "report-print");
    const pages = async () => (await page.pdf({ format: "A4", preferCSSPageSize: true })).toString("latin1").match(/\/Type\s*\/Page\b/g).length;
    assert.ok((await pages()) <= 2, `${await pages()} pages`);
    await page.evaluate(() => document.documentElement.classList.add("with-annex"));
    assert.ok((await pages()) > 2);
    await page.evaluate(() => document.documentElement.classList.remove("with-annex"));
    await page.emulateMedia({ media: null });
    await page.setViewportSize({ width: 1280, height: 900 });
    member.quiet();
  });

  it("another site can do nothing with the session", async () => {
    const evil = createServer((_, answer) => {
      answer.setHeader("Content-Type", "text/html");
      answer.end(`<form method="post" action="${stage.server.url}/sign-out"><button>Win</button></form>`);
    });
    await new Promise((resolve) => evil.listen(0, "localhost", resolve));
    const victim = await stage.visitor({ storageState });
    await victim.page.goto(`http://localhost:${evil.address().port}/`);
    const answered = victim.page.waitForResponse(`${stage.server.url}/sign-out`);
    await victim.page.getByRole("button").click();
    assert.equal((await answered).status(), 403);
    await victim.page.goto(`${stage.server.url}/workspace`);
    assert.equal(new URL(victim.page.url()).pathname, "/workspace");
    await victim.close();
    await new Promise((resolve) => evil.close(resolve));
  });

  it("signs out for good", async () => {
    const { page } = member;
    await page.goto("/workspace");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("link", { name: "Sign in" }).waitFor();
    // The session is gone. The browser stays known, so that guesses of others do not slow its owner down.
    assert.deepEqual((await member.context.cookies()).map(({ name }) => name), ["ibid-device"]);
    // The token is worth nothing any more, wherever it was kept.
    const copy = await stage.visitor({ storageState });
    await copy.page.goto("/workspace");
    assert.equal(new URL(copy.page.url()).pathname, "/sign-in");
    await copy.close();
    member.quiet();
  });
});
