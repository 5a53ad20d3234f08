// The first minutes of an operator: an empty database, the printed link, the first account, the test of the models, the first scan.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { EMAIL, PASSWORD, untilReport } from "./support/account.mjs";
import { startRouter } from "./support/router.mjs";
import { printedPath } from "./support/server.mjs";
import { setStage } from "./support/stage.mjs";

const KEY = "key-of-the-operator";

for (const javaScriptEnabled of [true, false]) {
  describe(`the first run ${javaScriptEnabled ? "with" : "without"} scripts`, () => {
    let router;
    const stage = setStage(async () => {
      router = await startRouter();
      return { ROUTER_BASE_URL: router.url, ROUTER_API_KEY: KEY, WEB_SEARCH: "off" };
    }, []);
    after(() => router.stop());

    it("leads from the printed link to a report", async () => {
      const path = await printedPath(stage.server);
      if (javaScriptEnabled) await stage.checkEverywhere("first-run", path);
      const guest = await stage.visitor({ javaScriptEnabled });
      const { page } = guest;
      await page.goto(path);
      await page.getByLabel("E-mail").fill(EMAIL);
      await page.getByLabel("Password").fill(PASSWORD);
      await page.getByLabel("Test the models now").check();
      await page.getByRole("button", { name: "Open the account" }).click();
      await page.getByRole("heading", { name: "The account is open" }).waitFor();
      // The probe asked every model with the operator's key.
      const models = await page.locator("tbody tr").count();
      assert.ok(models >= 3);
      assert.deepEqual(await page.locator("tbody td:nth-of-type(1)").allTextContents(), Array(models).fill("yes"));
      assert.ok(router.keys.length >= models);
      assert.deepEqual(new Set(router.keys), new Set([`Bearer ${KEY}`]));
      assert.equal(await page.getByText("Sandbox.").count(), 0);

      await page.getByLabel("Website", { exact: true }).fill("example.com");
      await page.getByLabel("Keyword").fill("plumber");
      await page.getByRole("button", { name: "Make the first scan" }).click();
      await page.waitForURL(/\/workspace\?/);
      assert.equal(await page.getByLabel("Website", { exact: true }).inputValue(), "example.com");
      assert.equal(await page.locator("input[name=questionsPerModel]").inputValue(), "1");
      // Enter starts the scan; without scripts the driver cannot tell when the button has come to rest.
      await page.getByLabel("Keyword", { exact: true }).press("Enter");
      await page.waitForURL(/\/workspace\/scans\/[0-9a-f-]{36}$/);
      await untilReport(page);
      assert.ok((await page.textContent("main")).includes("example.com"));
      assert.equal((await page.goto("/workspace/admin")).status(), 200);
      assert.equal((await page.goto(path)).status(), 404);
      guest.quiet();
      await guest.close();
    });
  });
}

describe("the first run without a key of a router", () => {
  const stage = setStage({ ROUTER_BASE_URL: "http://127.0.0.1:1" }, []);

  it("says where to set the key, before and after the account is open", async () => {
    const path = await printedPath(stage.server);
    await stage.checkEverywhere("first-run-no-key", path);
    const guest = await stage.visitor();
    await guest.page.goto(path);
    assert.ok(await guest.page.getByText("/etc/ibid/env").isVisible());
    await guest.page.getByLabel("E-mail").fill(EMAIL);
    await guest.page.getByLabel("Password").fill(PASSWORD);
    await guest.page.getByRole("button", { name: "Open the account" }).click();
    await guest.page.getByText("ROUTER_API_KEY").first().waitFor();
    await guest.page.goto("/workspace");
    assert.ok(await guest.page.getByText("has set no provider key").isVisible());
    await stage.checkEverywhere("new-scan-no-key", "/workspace", { storageState: await guest.context.storageState() });
    guest.quiet();
    await guest.close();
  });
});
