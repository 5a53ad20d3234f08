// Journey 1: README's two commands, the sandbox, its account, the sample report with every download, a free question, a first look.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setStage } from "../e2e/support/stage.mjs";
import { walk } from "./support/walk.mjs";

describe("a newcomer", () => {
  const stage = setStage({}, ["--sandbox", "--sandbox-latency", "0"]);

  it("reads the home page and the sample report, and downloads everything", async () => {
    const guest = await stage.visitor();
    const { page } = guest;
    const patience = Date.now() + 180_000;
    do {
      assert.ok(Date.now() < patience, "no sample report");
      await page.goto("/");
    } while ((await page.getByRole("link", { name: "Open a sample report" }).count()) === 0);
    for (const what of [/project/i, /alerts/i, /Monday/]) assert.match(await page.textContent("main"), what);
    await page.getByRole("link", { name: "Open a sample report" }).click();
    await page.locator("article.report").waitFor();
    const report = new URL(page.url()).pathname;
    assert.ok((await page.locator("details.answer, .question").count()) > 0, "the sample report has questions");
    assert.doesNotMatch(await page.textContent("main"), /chance \d+\s?%/);
    const paths = await walk(guest, stage.server.url, ["/", report]);
    for (const kind of [".csv", ".json"]) assert.ok(paths.some((path) => path.startsWith(report) && path.endsWith(kind)), kind);
    guest.quiet();
    await guest.close();
  });

  it("asks a free question and looks at a website", async () => {
    const guest = await stage.visitor();
    const { page } = guest;
    await page.goto("/");
    await page.getByLabel("Your website").fill("example.com");
    await page.getByLabel("What people look for").fill("plumber");
    await page.getByRole("button", { name: "Ask one model" }).click();
    await page.waitForURL(/\/demo\/[0-9a-f-]{36}$/);
    await walk(guest, stage.server.url, [new URL(page.url()).pathname]);
    guest.quiet();
    await guest.close();
  });

  it("signs in with what the program printed, and finds projects that tell what happened", async () => {
    const guest = await stage.visitor();
    const { page } = guest;
    const [, email, password] = stage.server.log().match(/e-mail +(\S+)\s+password +(\S+)/);
    await page.goto("/sign-in");
    await page.getByLabel("E-mail").fill(email);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL(/\/workspace/);
    const patience = Date.now() + 240_000;
    do {
      assert.ok(Date.now() < patience, await page.textContent("main"));
      await page.goto("/workspace/projects");
    } while ((await page.locator("tbody tr").count()) < 6 || (await page.getByText("No run yet.").count()) > 1);
    await walk(guest, stage.server.url, ["/workspace/projects", "/workspace/scans"]);
    guest.quiet();
    await guest.close();
  });
});
