// The search of the API reference: routes and schemas that do not hold all words are hidden.

// Schemas stood on the page of the routes once; links to them still lead there.
if (location.hash.startsWith("#schema-") && !document.getElementById("schemas")) location.replace(`/docs/schemas${location.hash}`);

const box = document.querySelector("[data-docs-search]");
if (box) {
  const field = box.querySelector("input");
  const found = box.querySelector("[data-docs-found]");
  const entries = [...document.querySelectorAll(".operation, .schema")].map((entry) => ({
    entry,
    text: entry.textContent.toLowerCase(),
    link: document.querySelector(`.docs-nav a[href="#${entry.id}"]`)?.parentElement,
  }));
  const groups = [...document.querySelectorAll(".docs-main > .section")].filter((group) => group.querySelector(".operation, .schema"));
  const others = [...document.querySelectorAll(".docs-main > .section")].filter((section) => !groups.includes(section));
  const search = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const { entry, text, link } of entries) {
      const fits = words.every((word) => text.includes(word));
      entry.hidden = !fits;
      if (link) link.hidden = !fits;
      count += fits;
    }
    for (const group of groups) group.hidden = !group.querySelector(".operation:not([hidden]), .schema:not([hidden])");
    for (const section of others) section.hidden = words.length > 0;
    found.textContent = words.length ? `${count} of ${entries.length} found` : "";
  };
  field.addEventListener("input", search);
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    field.value = "";
    search();
  });
  // A link to a part that the search hides shows it again.
  addEventListener("hashchange", () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target?.closest("[hidden]")) return;
    field.value = "";
    search();
    target.scrollIntoView();
  });
  box.hidden = false;
  // The browser keeps the text of the field when it comes back to the page.
  search();
}
