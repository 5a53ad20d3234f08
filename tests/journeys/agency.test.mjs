// Journeys 2 to 4: an agency from the printed link to three clients, a week later, and one client as a viewer.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { EMAIL } from "../e2e/support/account.mjs";
import { screenshot } from "../e2e/support/browser.mjs";
import { setStage } from "../e2e/support/stage.mjs";
import { addReader, fill, look, openOwner, readMail, save, saved, setBudget, startWorld, untilDone } from "./support/agency.mjs";
import { walk } from "./support/walk.mjs";

const COLLEAGUE = "bea@ibid.test";
const CLIENTS = [
  ["Aigua Clara", "example.com", "plumber", "Valencia, Spain", /^Valencia, .*Spain$/],
  ["Zahnarzt Hafen", "zahnarzt-hafen.example", "Zahnarzt", "Hamburg, Germany", /^Hamburg, .*Germany$/],
  ["Oakline Kitchens", "oakline.example", "kitchen fitter", "Leeds, United Kingdom", /^Leeds, England, United Kingdom$/],
];
const MONEY = (text) => text.match(/\$\d[\d.]*/g) ?? [];

describe("an agency", () => {
  let world, owner, colleague;
  const projects = [];
  const stage = setStage(async () => {
    world = await startWorld();
    return world.settings;
  }, []);
  after(() => world.stop());

  it("opens its account and sets the budget that its page asks for", async () => {
    owner = await stage.visitor();
    const { page } = owner;
    await openOwner(page, stage.server);
    await screenshot(page, "agency-empty");
    await setBudget(page, "25");
    owner.quiet();
  });

  it("makes three clients, each on one page, and sees the places and the answers of a run before it saves", async () => {
    const { page } = owner;
    for (const client of CLIENTS) {
      await fill(page, client);
      const zone = await page.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
      assert.equal(await page.getByLabel("Time zone").inputValue(), zone);
      await look(page);
      await page.getByText(/\d+ answers a run: \d+ at home, \d+ in \d+ towns/).waitFor();
      assert.match(await page.locator("ul.questions").first().textContent(), client[4]);
      await screenshot(page, `agency-forecast-${projects.length}`);
      await save(page);
      projects.push(await saved(page));
    }
    await page.goto("/workspace/projects");
    assert.equal(await page.locator("tbody tr").count(), 3);
    owner.quiet();
  });

  it("is asked which Springfield it means, and told where a place is not known", async () => {
    const { page } = owner;
    await fill(page, ["Lost", "lost.example", "bakery", "Nowhereville Xyz"]);
    await page.getByLabel("More places", { exact: false }).fill("Springfield");
    await look(page);
    assert.match(await page.locator("#location-fault").textContent(), /unknown/);
    await page.getByLabel("Where", { exact: false }).first().fill("Leeds, United Kingdom");
    await look(page);
    await page.getByRole("group", { name: /Springfield.*Which one/ }).getByRole("radio").nth(1).check();
    const chosen = await page.locator("input[name=place-1]:checked").inputValue();
    await look(page);
    assert.equal(await page.getByLabel("More places", { exact: false }).inputValue(), chosen);
    assert.equal(await page.getByRole("radio").count(), 0);
    owner.quiet();
  });

  it("changes everything on the page of the settings", async () => {
    const { page } = owner;
    await page.goto(`${projects[2]}/settings`);
    assert.equal(await page.getByLabel("Website", { exact: true }).inputValue(), "oakline.example");
    await page.getByLabel("Name of the project").fill("Oakline");
    await page.getByLabel("Names of the brand", { exact: false }).fill("Oakline Kitchens");
    await page.getByLabel("On, for weeks").selectOption("thursday");
    await page.getByLabel("Monthly budget of the project", { exact: false }).fill("much");
    await save(page);
    assert.equal(await page.locator("#monthlyBudgetUsd-fault").textContent(), "Enter an amount in dollars, such as 25.");
    await page.getByLabel("Monthly budget of the project", { exact: false }).fill("5");
    await save(page);
    await saved(page);
    assert.match(await page.textContent("main"), /Oakline[^]*Thursday/);
    await page.goto(`${projects[2]}/settings`);
    for (const [label, value] of [["Names of the brand", "Oakline Kitchens"], ["Monthly budget of the project", "5"], ["Where", "Leeds, United Kingdom"]]) {
      assert.equal(await page.getByLabel(label, { exact: false }).first().inputValue(), value);
    }
    owner.quiet();
  });

  it("runs a client, reads the run and makes a report", async () => {
    const { page } = owner;
    await page.goto(projects[0]);
    await page.getByRole("button", { name: "Run now" }).click();
    await untilDone(page, projects[0], 1);
    await page.locator(`main a[href^="${projects[0]}/runs/"]`).first().click();
    assert.match(await page.locator(".eyebrow").first().textContent(), /^Run of /);
    await page.getByRole("navigation", { name: "Breadcrumb" }).getByRole("link", { name: CLIENTS[0][0] }).click();
    await page.getByRole("link", { name: "Reports" }).click();
    await page.getByRole("button", { name: "Make the report" }).click();
    await page.locator(`main a[href^="${projects[0]}/reports/"]`).first().click();
    await page.waitForURL(/\/reports\/[0-9a-f-]{36}$/);
    await screenshot(page, "agency-report");
    await walk(owner, stage.server.url, ["/workspace/projects", ...projects]);
    owner.quiet();
  });

  it("invites its client, who sees one project, no money and no closed door", async () => {
    const { page } = owner;
    await page.goto(`${projects[0]}/settings`);
    await page.getByLabel("E-mail").fill(COLLEAGUE);
    await page.getByRole("button", { name: "Invite" }).click();
    const link = await page.getByLabel("Link for the person").inputValue();
    colleague = await stage.visitor();
    await colleague.page.goto(link);
    await colleague.page.getByLabel("Password").fill("another good password");
    await colleague.page.getByRole("button", { name: "Sign in" }).click();
    await colleague.page.waitForURL(/\/workspace\/projects$/);
    assert.equal(await colleague.page.locator("tbody tr").count(), 1);
    assert.equal((await colleague.page.goto(projects[0])).status(), 200);
    assert.equal(await colleague.page.getByRole("button", { name: "Run now" }).count(), 0);
    const within = (path) => path.startsWith("/workspace/projects");
    await walk(colleague, stage.server.url, ["/workspace/projects"], { within, also: MONEY });
    for (const path of [projects[1], `${projects[1]}/runs`, `${projects[1]}/archive.jsonl.gz`]) {
      assert.equal((await colleague.page.request.get(path)).status(), 404, path);
    }
    assert.equal((await colleague.page.request.get(`${projects[0]}/settings`)).status(), 403);
    colleague.quiet();
    owner.quiet();
  });

  it("gets a digest a week later, after the runs of the week", async () => {
    const { page } = owner;
    const reader = await addReader(stage, page, projects[0], world.post);
    await stage.server.restart(() => world.clock.set(new Date(Date.now() + 8 * 86_400_000)));
    await untilDone(page, projects[0], 2);
    await stage.server.restart(() => world.clock.pass(60));
    const digest = await world.post.mail((text) => text.includes("List-Unsubscribe") && /^Subject: .*(week|digest)/im.test(text));
    assert.match(digest, new RegExp(`^To: .*${EMAIL}`, "m"));
    for (const part of [CLIENTS[0][0], projects[0], "/mail/unsubscribe/"]) assert.ok(digest.includes(part), `${part} in ${digest}`);
    await readMail(reader, owner, stage.server.url, digest);
    await screenshot(reader.page, "agency-digest");
    await reader.close();
    owner.quiet();
    await owner.close();
    await colleague.close();
  });
});
