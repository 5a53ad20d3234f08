// On every page: copy buttons, forms that are sent once, the time zone, links into folded parts, printing.
// Pages work without it; what needs it is added by it.

const make = (tag, className, text) => {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = text;
  return element;
};

// Copy buttons.
const copyButton = (text) => {
  const button = make("button", "button quiet copy", "Copy");
  button.type = "button";
  const status = make("span", "sr", "");
  status.setAttribute("role", "status");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text());
      button.textContent = "Copied";
      status.textContent = "Copied to the clipboard";
    } catch {
      button.textContent = "Press Ctrl+C";
    }
    setTimeout(() => {
      button.textContent = "Copy";
      status.textContent = "";
    }, 2000);
  });
  return [button, status];
};
if (navigator.clipboard) {
  for (const pre of document.querySelectorAll("pre[data-copy]")) {
    const host = make("div", "copy-host", "");
    pre.replaceWith(host);
    host.append(pre, ...copyButton(() => pre.textContent));
  }
  for (const field of document.querySelectorAll("input[data-copy-field]")) {
    const row = make("div", "copy-row", "");
    field.replaceWith(row);
    const [button, status] = copyButton(() => field.value);
    button.classList.remove("copy");
    row.append(field, button, status);
    field.addEventListener("focus", () => field.select());
  }
}

// A form is sent once; coming back with the browser's button makes it usable again.
const labels = new Map();
for (const form of document.querySelectorAll("form[data-once]")) {
  form.addEventListener("submit", (event) => {
    // A named button asks for something else than to start.
    if (event.defaultPrevented || event.submitter?.name) return;
    const button = form.querySelector("button[data-main]") ?? form.querySelector("button[type=submit]");
    if (!button || labels.has(button)) return event.preventDefault();
    labels.set(button, button.textContent);
    button.setAttribute("aria-disabled", "true");
    button.textContent = form.dataset.once;
  });
}
addEventListener("pageshow", (event) => {
  if (!event.persisted) return;
  for (const [button, label] of labels) {
    button.textContent = label;
    button.removeAttribute("aria-disabled");
  }
  labels.clear();
});

// A file is read before it is imported. What was understood comes into the page, so that the file stays chosen.
for (const form of document.querySelectorAll("form[data-reads]")) {
  const place = form.querySelector("[data-read]");
  let busy = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (busy) return;
    busy = true;
    const button = event.submitter;
    const label = button.textContent;
    button.textContent = button.value === "save" ? "Importing…" : "Reading…";
    button.setAttribute("aria-disabled", "true");
    try {
      const answer = await fetch(form.action, { method: "POST", body: new FormData(form, button) });
      if (answer.redirected) return location.assign(answer.url);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const found = page.querySelector("[data-read]");
      if (found) {
        place.replaceChildren(...found.childNodes);
        for (const line of form.querySelectorAll(".fault[id]")) line.replaceWith(page.getElementById(line.id));
      } else place.replaceChildren(make("p", "callout bad", page.querySelector("main")?.textContent.trim() ?? "The file was refused."));
    } catch {
      place.replaceChildren(make("p", "callout bad", "The file did not reach the server. Try again."));
    } finally {
      busy = false;
      button.textContent = label;
      button.removeAttribute("aria-disabled");
    }
  });
  // What was understood is about the file that was read.
  for (const name of ["file", "kind", "tool"]) form.elements[name]?.addEventListener("change", () => place.replaceChildren());
}

// The times of a new project are those of its maker.
for (const zone of document.querySelectorAll("input[data-zone]")) zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone ?? zone.value;

// A link into a folded part opens it.
const openTarget = () => {
  const id = decodeURIComponent(location.hash.slice(1));
  const target = id && document.getElementById(id);
  if (target instanceof HTMLDetailsElement) {
    target.open = true;
    target.scrollIntoView({ block: "start" });
  }
};
addEventListener("hashchange", openTarget);
openTarget();

// Menus close when something else is meant.
const menus = document.querySelectorAll("details.menu");
document.addEventListener("click", (event) => {
  for (const menu of menus) if (!menu.contains(event.target)) menu.open = false;
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of menus) {
    if (!menu.open) continue;
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});

// A grid of links is one stop of the tab key; arrow keys move inside it.
for (const grid of document.querySelectorAll("[data-grid]")) {
  const rows = [...grid.querySelectorAll("tbody tr")].map((row) => [...row.querySelectorAll("a")]).filter((row) => row.length);
  if (!rows.length) continue;
  // The links are what the keyboard reaches; the frame around them needs no stop of its own.
  grid.removeAttribute("tabindex");
  let [row, column] = [0, 0];
  const at = () => rows[row][Math.min(column, rows[row].length - 1)];
  for (const link of rows.flat()) link.tabIndex = -1;
  at().tabIndex = 0;
  const go = (toRow, toColumn) => {
    at().tabIndex = -1;
    row = Math.max(0, Math.min(rows.length - 1, toRow));
    column = Math.max(0, Math.min(rows[row].length - 1, toColumn));
    at().tabIndex = 0;
    at().focus();
  };
  const steps = {
    ArrowUp: () => go(row - 1, column),
    ArrowDown: () => go(row + 1, column),
    ArrowLeft: () => go(row, column - 1),
    ArrowRight: () => go(row, column + 1),
    Home: () => go(row, 0),
    End: () => go(row, rows[row].length - 1),
  };
  grid.addEventListener("keydown", (event) => {
    if (!steps[event.key] || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    steps[event.key]();
  });
  grid.addEventListener("focusin", ({ target }) => {
    const found = rows.findIndex((links) => links.includes(target));
    if (found < 0) return;
    at().tabIndex = -1;
    [row, column] = [found, rows[found].indexOf(target)];
    target.tabIndex = 0;
  });
}

// Paper shows everything that is printed. A report prints two pages, and its annex on request.
const folded = [];
const root = document.documentElement;
addEventListener("beforeprint", () => {
  if (document.querySelector("[data-annex]") && !root.classList.contains("with-annex")) return;
  for (const details of document.querySelectorAll("main details:not(.menu):not([open])")) {
    folded.push(details);
    details.open = true;
  }
});
addEventListener("afterprint", () => {
  for (const details of folded.splice(0)) details.open = false;
  root.classList.remove("with-annex");
});
for (const actions of document.querySelectorAll("[data-actions]")) {
  const prints = [["Print", false]];
  if ("annex" in actions.dataset) prints.push(["Print all", true]);
  for (const [label, annex] of prints) {
    const button = make("button", "button quiet", label);
    button.type = "button";
    button.addEventListener("click", () => {
      root.classList.toggle("with-annex", annex);
      print();
    });
    actions.append(button);
  }
}
