// Journey 3: nine Mondays of an agency. One client falls because one model stops naming it, one rises, one has a week without a run.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { signIn } from "../e2e/support/account.mjs";
import { screenshot } from "../e2e/support/browser.mjs";
import { setStage } from "../e2e/support/stage.mjs";
import { addReader, fill, look, openOwner, readMail, save, saved, setBudget, startWorld, untilDone } from "./support/agency.mjs";

const [FALLS, RISES, FAILS] = [
  ["Aigua Clara", "aigua-clara.example", "plumber", "Valencia, Spain"],
  ["Hafen Dental", "hafen-dental.example", "dentist", "Hamburg, Germany"],
  ["Oakline Kitchens", "oakline.example", "kitchen fitter", "Leeds, United Kingdom"],
];
const WEEKS = 9;
const [TURN, WITHOUT_RUN] = [4, 7];
// A number below 1 that belongs to a text.
const share = (text) => [...text].reduce((sum, letter) => (Math.imul(sum ^ letter.codePointAt(0), 16_777_619) >>> 0), 2_166_136_261) / 2 ** 32;

describe("nine Mondays of an agency", () => {
  let world, owner, reader;
  let week = -1;
  const projects = [];
  // How often a model names each client in this week.
  const odds = (client, model) => {
    if (client === FALLS) return week >= TURN && model.includes("openai") ? 0 : 0.75;
    if (client === RISES) return week >= TURN ? 0.75 : 0.2;
    return 0.5;
  };
  const say = (model, question) => {
    const client = [FALLS, RISES, FAILS].find(([, , keyword]) => question.toLowerCase().includes(keyword)) ?? FAILS;
    if (client === FAILS && week === WITHOUT_RUN) return 402;
    const named = share(`${week} ${model} ${question}`) < odds(client, model) ? `**${client[0]}** (${client[1]}) is a good choice. ` : "";
    return `${named}People also like **Grau & Fills** (grau-fills.example) and **Northgate Works** (northgate.example).`;
  };
  const stage = setStage(async () => {
    world = await startWorld(say);
    return world.settings;
  }, []);
  after(() => world.stop());

  // What came to the reader since a mark: the mails with this in their subject.
  const since = (mark, subject) => world.post.mails.slice(mark).filter((mail) => subject.test(mail.match(/^Subject: .*(?:\r\n .*)*/m)[0]));
  const monday = () => {
    const day = world.clock.now();
    day.setUTCHours(9, 30, 0, 0);
    do day.setUTCDate(day.getUTCDate() + 1);
    while (day.getUTCDay() !== 1);
    return day;
  };
  // The runs of a Monday, and the digest that follows them.
  const nextMonday = async () => {
    const mark = world.post.mails.length;
    week += 1;
    await stage.server.restart(() => world.clock.set(monday()));
    // A session ends after two weeks.
    await owner.context.clearCookies();
    await signIn(owner.page);
    for (const project of projects) await untilDone(owner.page, project, week + 1);
    await stage.server.restart(() => world.clock.pass(60));
    const digest = await world.post.mail((mail) => world.post.mails.indexOf(mail) >= mark && mail.includes("Score ") && mail.includes("Spent this month"));
    return { mark, digest: await readMail(reader, owner, stage.server.url, digest) };
  };

  it("sets up three clients, and one address for the news of all", async () => {
    owner = await stage.visitor({ timezoneId: "UTC" });
    const { page } = owner;
    await openOwner(page, stage.server);
    await setBudget(page, "100");
    for (const client of [FALLS, RISES, FAILS]) {
      await fill(page, client);
      await look(page);
      await save(page);
      projects.push(await saved(page));
    }
    reader = await addReader(stage, page, projects[0], world.post, "organisation");
    owner.quiet();
  });

  it("gets a digest after the runs of each Monday, and is told once who fell, why, and what to do", async () => {
    const told = [];
    while (week < WEEKS - 1) {
      const { mark, digest } = await nextMonday();
      for (const [name] of [FALLS, RISES, FAILS]) assert.ok(digest.includes(name), digest);
      if (week < 2) assert.equal(digest.match(/Too early to tell\./g).length, 3, digest);
      if (week === WITHOUT_RUN) assert.match(digest, /The last run failed: [^]*no credit left[^]*\. /);
      assert.doesNotMatch(digest, /No run in this time/);
      for (const mail of since(mark, /the score|runs fail/)) told.push(await readMail(reader, owner, stage.server.url, mail));
    }
    await screenshot(reader.page, "mondays-alert");
    const about = (name) => told.filter((text) => text.startsWith(name));
    const [fall, ...again] = about(FALLS[0]);
    assert.deepEqual(again, []);
    assert.match(fall, /the score fell from \d+ to \d+/);
    assert.match(fall, /OpenAI [^.]*stopped naming you: 0 of \d+ answers since/);
    assert.match(fall, /How sure: /);
    assert.match(fall, /Next: /);
    const [rise] = about(RISES[0]);
    assert.match(rise, /the score rose from \d+ to \d+/);
    assert.deepEqual(about(FAILS[0]), []);
    owner.quiet();
  });

  // The text of the report that a project makes now.
  const report = async (project) => {
    const { page } = owner;
    await page.goto(`${project}/reports`);
    await page.getByRole("button", { name: "Make the report" }).click();
    await page.locator(`main a[href^="${project}/reports/"]`).first().click();
    await page.waitForURL(/\/reports\/[0-9a-f-]{36}$/);
    return page.innerText("main");
  };

  it("makes reports that begin with what changed, why and what to do, and say a week without a run", async () => {
    const fell = await report(projects[0]);
    await screenshot(owner.page, "mondays-report");
    assert.match(fell, /What changed\s[^]*Fell from \d+ to \d+[^]*Why\s+OpenAI [^.]*stopped naming you[^]*What to do\s[^]*Over time/);
    assert.doesNotMatch(fell, /No run with a result/);
    assert.match(await report(projects[2]), /No run with a result between \d+\s\w+\s\d+ and \d+\s\w+\s\d+\./);
    owner.quiet();
  });

  it("reads the same on the page, and sends a digest now", async () => {
    const { page } = owner;
    await page.goto(projects[0]);
    assert.match(await page.textContent(".verdict"), /OpenAI [^.]*stopped naming you/);
    await screenshot(page, "mondays-project");
    const mark = world.post.mails.length;
    await page.goto(`${projects[0]}/settings`);
    await page.getByRole("button", { name: /Send now/ }).first().click();
    await world.post.mail((mail) => world.post.mails.indexOf(mail) >= mark && mail.includes("Spent this month"));
    owner.quiet();
    await owner.close();
    await reader.close();
  });
});
