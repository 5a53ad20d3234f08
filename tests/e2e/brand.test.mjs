// The title and the logo of an account on its reports, and the card of a public link.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { openAccount, signIn, startScan, untilReport } from "./support/account.mjs";
import { setStage } from "./support/stage.mjs";

describe("the title and the logo of reports", () => {
  const stage = setStage();
  let member, storageState, report, share, logo;
  before(async () => {
    await openAccount(stage.server);
    member = await stage.visitor();
    const { page } = member;
    await page.goto("/");
    // Any small picture will do: the wordmark of the page.
    logo = await page.locator(".site-head .wordmark").screenshot();
    await signIn(page);
    storageState = await member.context.storageState();
    report = await startScan(page, { domain: "example.com", keyword: "plumber", place: "Valencia, Spain", rings: [1], questions: 2 });
    await untilReport(page);
    await page.getByRole("button", { name: "Create a public link" }).click();
    share = new URL(await page.getByLabel("Public read-only link").inputValue()).pathname;
  });

  it("are set without scripts and stand on the report and its public link", async () => {
    const plain = await stage.visitor({ javaScriptEnabled: false, storageState });
    await plain.page.goto("/workspace/account");
    await plain.page.getByLabel("Title").fill("Agència Nord, per a Aigua Clara");
    await plain.page.getByLabel("Logo", { exact: true }).setInputFiles({ name: "logo.png", mimeType: "image/png", buffer: logo });
    await plain.page.getByRole("button", { name: "Save" }).click();
    await plain.page.getByAltText("Your logo").waitFor();
    await plain.close();
    for (const [name, path, options] of [
      ["brand-account", "/workspace/account", { storageState }],
      ["brand-report", report, { storageState }],
      ["brand-share", share, {}],
    ]) {
      await stage.checkEverywhere(name, path, options);
    }
    const guest = await stage.visitor();
    await guest.page.goto(share);
    const shown = guest.page.locator(".masthead img");
    assert.ok(await shown.evaluate((image) => image.naturalWidth > 0));
    await guest.page.emulateMedia({ media: "print" });
    assert.ok((await shown.isVisible()) && (await guest.page.getByText("Agència Nord").isVisible()));
    guest.quiet();
  });

  it("refuse other files and too large ones, and say why", async () => {
    const { page } = member;
    await page.goto("/workspace/account");
    const send = async (buffer) => {
      await page.getByLabel("Logo", { exact: true }).setInputFiles({ name: "logo.png", mimeType: "image/png", buffer });
      await page.getByRole("button", { name: "Save" }).click();
    };
    await send(Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"));
    await page.getByRole("alert").getByText("a PNG or a JPEG").waitFor();
    await send(Buffer.alloc(2_000_000));
    await page.getByText("may have at most").waitFor();
    member.quiet();
  });

  it("are on the card that previews of the link show", async () => {
    const guest = await stage.visitor();
    await guest.page.goto(share);
    const card = await guest.page.locator('meta[property="og:image"]').getAttribute("content");
    assert.equal(card, new URL(`${share}/card.png`, guest.page.url()).href);
    await guest.page.goto(card);
    const size = await guest.page.locator("img").evaluate((image) => [image.naturalWidth, image.naturalHeight]);
    assert.deepEqual(size, [1200, 630]);
  });
});
