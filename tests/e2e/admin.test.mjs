// The administration, invited people, and links that end or ask for a password.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { before, describe, it } from "node:test";
import { EMAIL, openAccount, signIn, startScan, untilReport } from "./support/account.mjs";
import { setStage } from "./support/stage.mjs";

const GUEST = "bob@ibid.test";
const GUEST_PASSWORD = "another long password";

describe("the administration", () => {
  const stage = setStage();
  let admin, invited, storageState;
  before(async () => {
    await openAccount(stage.server);
    await stage.server.command(["user", "role", EMAIL, "admin"]);
    admin = await stage.visitor({ acceptDownloads: true });
    await signIn(admin.page);
    storageState = await admin.context.storageState();
  });

  for (const javaScriptEnabled of [true, false]) {
    it(`invites a person ${javaScriptEnabled ? "with" : "without"} scripts`, async () => {
      const host = await stage.visitor({ javaScriptEnabled, storageState });
      const address = javaScriptEnabled ? GUEST : "cleo@ibid.test";
      await host.page.goto("/workspace/admin");
      await host.page.getByLabel("E-mail").fill(address);
      await host.page.getByLabel("Credits").fill("3");
      await host.page.getByRole("button", { name: "Make the invitation" }).click();
      const link = await host.page.getByLabel(`One-time link for ${address}`).inputValue();
      const guest = await stage.visitor({ javaScriptEnabled });
      await guest.page.goto(link);
      assert.ok(await guest.page.getByText(address).first().isVisible());
      if (javaScriptEnabled) await stage.checkEverywhere("set-password", new URL(link).pathname);
      await guest.page.getByLabel("Password").fill(GUEST_PASSWORD);
      await guest.page.getByRole("button", { name: "Sign in" }).click();
      await guest.page.waitForURL(/\/workspace\/projects$/);
      assert.ok(await guest.page.getByText("3 credits").first().isVisible());
      assert.equal((await guest.page.goto(link)).status(), 404);
      assert.equal((await guest.page.goto("/workspace/admin")).status(), 404);
      guest.quiet();
      host.quiet();
      await host.close();
      if (javaScriptEnabled) invited = guest;
      else await guest.close();
    });
  }

  it("shows a new key once and revokes it", async () => {
    const { page } = admin;
    await page.goto("/workspace/admin/keys");
    await page.getByLabel("Name of its holder").fill("billing");
    await page.getByRole("button", { name: "Make the key" }).click();
    const key = await page.getByLabel("The key billing").inputValue();
    assert.ok(key.length >= 32);
    const status = async () => {
      const url = `${stage.server.url}/api/v1/scan/00000000-0000-4000-8000-000000000000`;
      return (await fetch(url, { headers: { Authorization: `Bearer ${key}` } })).status;
    };
    assert.equal(await status(), 404);
    await page.goto("/workspace/admin/keys");
    assert.ok(!(await page.content()).includes(key));
    await page.getByRole("button", { name: "Revoke billing" }).click();
    await page.getByText("revoked").waitFor();
    // A server knows a key for two seconds without asking the database.
    const patience = Date.now() + 20_000;
    while ((await status()) !== 401) assert.ok(Date.now() < patience, "the revoked key still works");
    admin.quiet();
  });

  it("keeps a member within a budget", async () => {
    const { page } = admin;
    await page.goto("/workspace/admin");
    await page.getByRole("link", { name: GUEST }).click();
    await page.getByLabel("Monthly budget of single scans, in dollars").fill("0.01");
    await page.getByRole("button", { name: "Set the budget" }).click();
    await page.getByRole("heading", { level: 1 }).waitFor();
    await invited.page.goto("/workspace");
    await invited.page.getByLabel("Website", { exact: true }).fill("example.com");
    await invited.page.getByLabel("Keyword", { exact: true }).fill("plumber");
    await invited.page.getByRole("button", { name: "Start scan" }).click();
    await invited.page.getByText("budget of this month").first().waitFor();
    await page.getByLabel("Monthly budget of single scans, in dollars").fill("");
    await page.getByRole("button", { name: "Set the budget" }).click();
    await page.getByRole("heading", { level: 1 }).waitFor();
    admin.quiet();
  });

  it("makes a reader of a member, who then can start nothing", async () => {
    const { page } = admin;
    await page.getByLabel("Role").selectOption("viewer");
    await page.getByRole("button", { name: "Set the role" }).click();
    await page.getByText("viewer").first().waitFor();
    const answer = await invited.page.goto("/workspace/scans");
    assert.equal(answer.status(), 200);
    const refused = await invited.page.evaluate(async () => (await fetch("/workspace/scans", { method: "POST", body: new URLSearchParams({ domain: "example.com", keyword: "plumber" }) })).status);
    assert.equal(refused, 403);
  });

  for (const [name, path] of [
    ["admin-people", "/workspace/admin"],
    ["admin-keys", "/workspace/admin/keys"],
    ["admin-spending", "/workspace/admin/spending"],
    ["admin-health", "/workspace/admin/health"],
    ["account", "/workspace/account"],
  ]) {
    it(`${path} is sound in every theme and width`, () => stage.checkEverywhere(name, path, { storageState }));
  }

  it("the page of a person is sound in every theme and width", async () => {
    await admin.page.goto("/workspace/admin");
    await admin.page.getByRole("link", { name: GUEST }).click();
    await admin.page.waitForURL(/\/admin\/people\//);
    await stage.checkEverywhere("admin-person", new URL(admin.page.url()).pathname, { storageState });
    admin.quiet();
  });

  it("names and deletes a scan", async () => {
    const { page } = admin;
    const path = await startScan(page, { domain: "example.com", keyword: "roofer", questions: 1 });
    await untilReport(page);
    await stage.checkEverywhere("edit-scan", `${path}/edit`, { storageState });
    await page.goto(`${path}/edit`);
    await page.getByLabel("Title").fill("Before the new page");
    await page.getByRole("button", { name: "Save the title" }).click();
    await page.goto("/workspace/scans");
    assert.ok(await page.getByText("Before the new page").first().isVisible());
    await page.goto(`${path}/edit`);
    await page.getByRole("button", { name: "Delete the scan" }).click();
    await page.waitForURL("**/workspace/scans**");
    assert.equal((await page.goto(path)).status(), 404);
    admin.quiet();
  });

  it("asks readers of a shared report for its password", async () => {
    const { page } = admin;
    const path = await startScan(page, { domain: "example.com", keyword: "tiler", questions: 1 });
    await untilReport(page);
    await page.locator("details", { hasText: "Tags and sharing" }).evaluateAll((all) => all.forEach((one) => (one.open = true)));
    await page.getByLabel("The link ends").selectOption("7");
    await page.getByLabel("Password, if you want one").fill(GUEST_PASSWORD);
    await page.getByRole("button", { name: "Create a public link" }).click();
    const link = new URL(await page.getByLabel("Public read-only link").inputValue()).pathname;
    const guest = await stage.visitor();
    await guest.page.goto(link);
    await guest.page.getByLabel("Password").fill("a wrong password");
    await guest.page.getByRole("button", { name: "Open the report" }).click();
    await guest.page.getByRole("alert").waitFor();
    await guest.page.getByLabel("Password").fill(GUEST_PASSWORD);
    await guest.page.getByRole("button", { name: "Open the report" }).click();
    await guest.page.getByText("read-only copy of a report").waitFor();
    await stage.checkEverywhere("share-lock", link);
    guest.quiet();
    await guest.close();
    await page.goto(path);
    await page.getByRole("button", { name: "Revoke the link" }).waitFor();
    admin.quiet();
  });

  it("hands a person's data out", async () => {
    const { page } = admin;
    await page.goto("/workspace/account");
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Download your data" }).click()]);
    const data = await readFile(await download.path(), "utf8");
    assert.ok(JSON.parse(data) && data.includes(EMAIL));
    admin.quiet();
  });
});
