// A server and a browser for the tests of one file, started before them and stopped after them.

import { after, before } from "node:test";
import { checkEverywhere, startBrowser, visitor } from "./browser.mjs";
import { startServer } from "./server.mjs";

// To be called once, inside `describe`; the stage can be used from the first `before` that follows. Settings may be a function,
// which is called before the server starts.
export const setStage = (settings = {}, args = undefined) => {
  const stage = {
    visitor: (options) => visitor(stage.browser, stage.server.url, options),
    checkEverywhere: (name, path, options) => checkEverywhere(stage.browser, stage.server.url, name, path, options),
  };
  let chrome;
  before(async () => {
    const variables = typeof settings === "function" ? await settings() : settings;
    // One after the other, so that a failure leaves nothing running.
    stage.server = await startServer(variables, args);
    chrome = await startBrowser();
    stage.browser = chrome.browser;
  });
  after(async () => {
    await chrome?.stop();
    await stage.server?.stop();
  });
  return stage;
};
