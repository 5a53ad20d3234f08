// On every page: copy buttons, forms that are sent once, links into folded parts, printing.
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

// Paper shows everything.
const folded = [];
addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("main details:not(.menu):not([open])")) {
    folded.push(details);
    details.open = true;
  }
});
addEventListener("afterprint", () => {
  for (const details of folded.splice(0)) details.open = false;
});
for (const actions of document.querySelectorAll("[data-actions]")) {
  const button = make("button", "button quiet", "Print");
  button.type = "button";
  button.addEventListener("click", () => print());
  actions.append(button);
}
