// Follows every link from some pages, and says what no page, mail or report may show.

import assert from "node:assert/strict";

// Raw ids, braces, words of programs, numbers above a billion.
const ODD = /\bundefined\b|\bNaN\b|[{}]|[0-9a-f]{8}-[0-9a-f]{4}-|\b\d{10,}\b|\b[a-z]+_[a-z_]+\b/g;
// Pages of one shape differ in ids and values; so many of each are read.
const OF_A_SHAPE = 3;
const ID = /[0-9a-f]{8}-[0-9a-f-]{27}/g;

export const oddWords = (text) => [...new Set(text.match(ODD) ?? [])];

// What a person reads of a page: no code, and no answers that are quoted.
const read = (html) => {
  const page = new DOMParser().parseFromString(html, "text/html");
  const links = [...page.querySelectorAll("a[href], img[src]")].map((link) => link.getAttribute("href") ?? link.getAttribute("src"));
  // Addresses of other sites are quoted, too.
  const quotes = page.querySelectorAll("pre, code, blockquote, script, style, textarea, .answer, a[href^=http]");
  for (const quoted of quotes) quoted.remove();
  const texts = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT);
  let text = "";
  while (texts.nextNode()) text += ` ${texts.currentNode.data}`;
  return { links, text };
};

// `within` bounds the addresses that are followed; `also` is a test of the text of each page. Returns the paths.
export const walk = async ({ page, context }, url, starts, { within = () => true, also = () => [] } = {}) => {
  const queue = starts.map((path) => ({ path, from: "the start" }));
  const [seen, shapes, faults] = [new Set(starts), new Map(), []];
  for (let next = queue.shift(); next; next = queue.shift()) {
    const answer = await context.request.get(next.path);
    if (answer.status() !== 200) faults.push(`${answer.status()} ${next.path} from ${next.from}`);
    if (answer.status() !== 200 || !answer.headers()["content-type"]?.startsWith("text/html")) continue;
    const { links, text } = await page.evaluate(read, await answer.text());
    const isDocs = /^\/docs\b/.test(next.path);
    for (const fault of isDocs ? [] : [...oddWords(text), ...also(text, next.path)]) faults.push(`“${fault}” on ${next.path}`);
    for (const link of isDocs ? [] : links) {
      const target = new URL(link, url + next.path);
      const path = target.pathname + target.search;
      const shape = path.replace(ID, "{id}").replace(/=[^&]*/g, "=");
      const count = shapes.get(shape) ?? 0;
      if (target.origin !== url || seen.has(path) || count >= OF_A_SHAPE || !within(path)) continue;
      seen.add(path);
      shapes.set(shape, count + 1);
      queue.push({ path, from: next.path });
    }
  }
  assert.deepEqual(faults, []);
  return [...seen];
};

// The addresses of a mail.
export const linksOf = (mail) => [...new Set(mail.match(/https?:\/\/[^\s"<>)]+/g) ?? [])];
