// An account, made as the operator makes it.

export const EMAIL = "ada@ibid.test";
export const PASSWORD = "correct horse battery staple";

export const openAccount = (server, credits = 50) => server.command(["user", "add", EMAIL, "--credits", String(credits)], `${PASSWORD}\n`);

export const signIn = async (page, path = "/sign-in") => {
  await page.goto(path);
  await page.getByLabel("E-mail").fill(EMAIL);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(/\/workspace/);
};

// Fills the form of a new scan and sends it; the page of the scan is open then.
export const startScan = async (page, { domain, keyword, place, rings = [], questions = 3, byKeyboard = false }) => {
  await page.goto("/workspace");
  await page.getByLabel("Website", { exact: true }).fill(domain);
  await page.getByLabel("Keyword", { exact: true }).fill(keyword);
  if (place) await page.getByLabel("Place", { exact: false }).first().fill(place);
  for (const ring of rings) await page.locator(`input[name=rings][value="${ring}"]`).check();
  await page.locator("input[name=questionsPerModel]").fill(String(questions));
  // Without scripts nothing tells the driver that the page has come to rest, so the button cannot be aimed at.
  if (byKeyboard) await page.locator("input[name=questionsPerModel]").press("Enter");
  else await page.getByRole("button", { name: "Start scan" }).click();
  await page.waitForURL(/\/workspace\/scans\/[0-9a-f-]{36}$/);
  return new URL(page.url()).pathname;
};

// Waits until the report has taken the place of the progress.
export const untilReport = (page) => page.locator("article.report").waitFor({ timeout: 60_000 });
