// The free question, from the form to the report.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { describe, it } from "node:test";
import { setStage } from "./support/stage.mjs";

describe("the free question", () => {
  const stage = setStage();

  const ask = async (page, domain, keyword) => {
    await page.goto("/");
    await page.getByLabel("Your website").fill(domain);
    await page.getByLabel("What people look for").fill(keyword);
    await page.getByRole("button", { name: "Ask one model" }).click();
  };

  for (const javaScriptEnabled of [true, false]) {
    it(`leads to a report ${javaScriptEnabled ? "with" : "without"} scripts`, async () => {
      const guest = await stage.visitor({ javaScriptEnabled });
      await ask(guest.page, "example.com", "plumber in Valencia");
      await guest.page.waitForURL(/\/demo\/[0-9a-f-]{36}$/);
      assert.equal(await guest.page.getByRole("heading", { level: 1 }).textContent(), "example.com");
      assert.equal(await guest.page.locator("details.answer").count(), 1);
      assert.ok(await guest.page.getByText("One answer is a single sample").isVisible());
      guest.quiet();
      await guest.close();
    });
  }

  it("its report is sound in every theme and width", async () => {
    const guest = await stage.visitor();
    await ask(guest.page, "example.com", "crm for small teams");
    await guest.page.waitForURL(/\/demo\//);
    const path = new URL(guest.page.url()).pathname;
    await guest.close();
    await stage.checkEverywhere("demo-report", path);
  });

  it("says what is wrong beside the field", async () => {
    const guest = await stage.visitor();
    await ask(guest.page, "not a website", "crm");
    const field = guest.page.getByLabel("Your website");
    assert.equal(await field.getAttribute("aria-invalid"), "true");
    const fault = guest.page.locator(`#${await field.getAttribute("aria-describedby")}`);
    assert.ok((await fault.textContent()).length > 10);
    assert.equal(await field.inputValue(), "not a website");
    guest.quiet();
    await guest.close();
  });

  it("hostile words stay words", async () => {
    const guest = await stage.visitor();
    const hostile = `"><img src=x onerror=alert(1)><script>alert(2)</script>`;
    guest.page.on("dialog", (dialog) => assert.fail(dialog.message()));
    await ask(guest.page, "example.com", hostile);
    await guest.page.waitForURL(/\/demo\//);
    assert.ok((await guest.page.locator("header .lead-s").textContent()).includes(hostile));
    await ask(guest.page, hostile, "crm");
    assert.equal(await guest.page.getByLabel("Your website").inputValue(), hostile);
    guest.quiet();
    await guest.close();
  });

  it("a form on another site is refused", async () => {
    const guest = await stage.visitor();
    // Another site with a form that aims at ours.
    const evil = createServer((_, answer) => {
      answer.setHeader("Content-Type", "text/html");
      answer.end(`<form method="post" action="${stage.server.url}/demo"><input name="domain" value="example.com"><input name="keyword" value="crm"><button>Win</button></form>`);
    });
    await new Promise((resolve) => evil.listen(0, "localhost", resolve));
    await guest.page.goto(`http://localhost:${evil.address().port}/`);
    const answered = guest.page.waitForResponse(`${stage.server.url}/demo`);
    await guest.page.getByRole("button").click();
    assert.equal((await answered).status(), 403);
    assert.equal(await guest.page.getByRole("heading", { level: 1 }).textContent(), "Sent from another site");
    await new Promise((resolve) => evil.close(resolve));
    await guest.close();
  });
});
