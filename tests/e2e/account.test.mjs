// Two-step sign-in, scans that repeat, a link that ends, and scans that are stopped.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { EMAIL, openAccount, PASSWORD, signIn, startScan, untilReport } from "./support/account.mjs";
import { sandbox } from "./support/server.mjs";
import { setStage } from "./support/stage.mjs";
import { authenticator } from "./support/totp.mjs";

const TWO_STEP = "/workspace/account/two-step";

describe("an account", () => {
  const stage = setStage();
  let member, storageState, report;
  before(async () => {
    await openAccount(stage.server);
    member = await stage.visitor();
    await signIn(member.page);
    storageState = await member.context.storageState();
    report = await startScan(member.page, { domain: "example.com", keyword: "plumber", questions: 1 });
    await untilReport(member.page);
  });

  it("repeats a scan, pauses the schedule and goes on with it", async () => {
    const { page } = member;
    await page.goto(report);
    await page.getByRole("link", { name: "Repeat", exact: true }).click();
    await page.waitForURL(/\/workspace\/schedules\?repeat=/);
    const form = new URL(page.url());
    await stage.checkEverywhere("schedule-form", form.pathname + form.search, { storageState });
    await page.getByLabel("Every", { exact: true }).fill("2");
    await page.getByLabel("Unit").selectOption("weeks");
    await page.getByLabel("Weekday, for weeks").selectOption("monday");
    await page.getByLabel("Local time").fill("09:00");
    await page.getByLabel("Time zone").fill("Nowhere/Atlantis");
    await page.getByRole("button", { name: "Repeat the scan" }).click();
    await page.locator("#time-zone-fault").waitFor({ state: "visible" });
    assert.equal(await page.getByLabel("Local time").inputValue(), "09:00");
    await page.getByLabel("Time zone").fill("Europe/Berlin");
    await page.getByRole("button", { name: "Repeat the scan" }).click();
    const row = page.locator("tbody tr", { hasText: "example.com" });
    await row.getByText("next:").waitFor();
    assert.match(await row.textContent(), /9:0\d|9:10/);
    await stage.checkEverywhere("schedules", "/workspace/schedules", { storageState });
    await row.getByRole("button", { name: "Pause" }).click();
    await row.getByText("paused").waitFor();
    assert.equal(await row.getByText("next:").count(), 0);
    await row.getByRole("button", { name: "Resume" }).click();
    await row.getByText("next:").waitFor();
    member.quiet();
  });

  it("pauses and deletes a schedule without scripts", async () => {
    const plain = await stage.visitor({ javaScriptEnabled: false, storageState });
    await plain.page.goto("/workspace/schedules");
    const row = plain.page.locator("tbody tr", { hasText: "example.com" });
    await row.getByRole("button", { name: "Pause" }).press("Enter");
    await row.getByText("paused").waitFor();
    await row.getByRole("button", { name: "Delete" }).press("Enter");
    await plain.page.getByText("No schedules yet").waitFor();
    plain.quiet();
    await plain.close();
  });

  it("has a link that ends", async () => {
    const { page } = member;
    await page.goto(report);
    await page.locator("details", { hasText: "Tags and sharing" }).evaluateAll((all) => all.forEach((one) => (one.open = true)));
    await page.getByLabel("The link ends").selectOption("7");
    await page.getByRole("button", { name: "Create a public link" }).click();
    const link = await page.getByLabel("Public read-only link").inputValue();
    assert.ok(await page.getByText(/can read this report and its answers, until \d/).isVisible());
    const guest = await stage.visitor();
    assert.equal((await guest.page.goto(link)).status(), 200);
    await stage.server.sql("UPDATE workspace_scan SET share_until = 1 WHERE share_until IS NOT NULL");
    assert.equal((await guest.page.goto(link)).status(), 404);
    guest.quiet();
    await guest.close();
    member.quiet();
  });

  it("asks for a code after the password, once two-step sign-in is on", async () => {
    const { page } = member;
    await stage.checkEverywhere("two-step-off", TWO_STEP, { storageState });
    await page.goto(TWO_STEP);
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Set it up" }).click();
    await page.locator("svg.qr").waitFor();
    await stage.checkEverywhere("two-step-begun", TWO_STEP, { storageState });
    const code = authenticator(await page.locator("#key").textContent());
    await page.getByLabel("Code of six digits").fill("000000");
    await page.getByRole("button", { name: "Turn it on" }).click();
    await page.getByRole("alert").waitFor();
    await page.getByLabel("Code of six digits").fill(code());
    await page.getByRole("button", { name: "Turn it on" }).click();
    await page.getByRole("heading", { name: "Keep these recovery codes" }).waitFor();
    const recovery = await page.locator(".codes li").allTextContents();
    assert.equal(recovery.length, 10);

    for (const [javaScriptEnabled, entry] of [
      [true, code()],
      [false, recovery[0]],
    ]) {
      const guest = await stage.visitor({ javaScriptEnabled });
      await guest.page.goto("/sign-in");
      await guest.page.getByLabel("E-mail").fill(EMAIL);
      await guest.page.getByLabel("Password").fill(PASSWORD);
      await guest.page.getByLabel("Password").press("Enter");
      await guest.page.waitForURL(/\/sign-in\/code/);
      // The password alone opens nothing.
      const here = guest.page.url();
      if (javaScriptEnabled) {
        const state = await guest.context.storageState();
        await stage.checkEverywhere("sign-in-code", new URL(here).pathname, { storageState: state });
      }
      await guest.page.goto("/workspace");
      assert.equal(new URL(guest.page.url()).pathname, "/sign-in");
      await guest.page.goto(here);
      await guest.page.getByLabel("Code", { exact: true }).fill("not a code");
      await guest.page.getByLabel("Code", { exact: true }).press("Enter");
      await guest.page.getByRole("alert").waitFor();
      await guest.page.getByLabel("Code", { exact: true }).fill(entry);
      await guest.page.getByLabel("Code", { exact: true }).press("Enter");
      await guest.page.waitForURL(/\/workspace/);
      assert.ok(await guest.page.getByText(EMAIL).first().isVisible());
      guest.quiet();
      await guest.close();
    }

    await page.goto(TWO_STEP);
    assert.ok(await page.getByText("9 recovery codes are left").isVisible());
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByLabel("Code of the app, or a recovery code").fill(recovery[1]);
    await page.getByRole("button", { name: "Turn it off" }).click();
    await page.getByText("It is off").first().waitFor();
    member.quiet();
  });
});

describe("a scan whose answers do not come", () => {
  // Longer than the test: no answer arrives before the scan is stopped.
  const stage = setStage({ DRAIN_SECONDS: "1" }, sandbox(60000));

  it("is stopped without a report, and gives its credit back", async () => {
    await openAccount(stage.server, 3);
    const member = await stage.visitor();
    const { page } = member;
    await signIn(page);
    await startScan(page, { domain: "example.com", keyword: "roofer", questions: 1 });
    assert.ok(await page.getByText("waiting for the first answer").isVisible());
    assert.ok(await page.getByText("2 credits").isVisible());
    await page.getByRole("button", { name: "Stop this scan" }).click();
    await page.getByText("This scan was stopped").waitFor();
    assert.ok(await page.getByText("Its credit was given back").isVisible());
    assert.ok(await page.getByText("3 credits").isVisible());
    member.quiet();
    await member.close();
  });
});
