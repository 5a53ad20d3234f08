// The form of a new scan: checked while it is filled in, priced before it starts.
// The server decides: the same checks run again when the form is sent.

const form = document.getElementById("scan-form");
const plan = form.querySelector(".plan");
const show = (name) => form.querySelector(`[data-plan-${name}]`);
const [questions, cost, note, place, choices, list, towns, warnings, rings] = [
  "questions", "cost", "note", "place", "confirm", "list", "towns", "warnings", "rings",
].map(show);
const placeHint = place.textContent;
const touched = new Set();
let waiting;
let asking;
let faults = [];
// Whether the faults are those of the form as it stands.
let checked = false;
let generated = [...form.querySelectorAll("[name=planned]")].map((input) => input.value);

const make = (tag, properties, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};

// The plan is asked for while the form is filled in, so the button that asks for it is not needed.
show("show").hidden = true;

// What the server found fault with stays in sight.
for (const line of form.querySelectorAll(".fault[id]:not([hidden])")) touched.add(line.id.replace(/-fault$/, ""));

const fieldOf = (pointer) => pointer.split("/")[1] ?? "";

// Messages begin with the name that the API uses; the form has its own words.
const labelOf = (name) => {
  const label = form.querySelector(`label[for="${name}"]`) ?? document.getElementById(name)?.querySelector("legend");
  return label?.firstChild.textContent.trim();
};
const inFormWords = (message) => {
  const renamed = message.replace(/^\w+(?=[ [])/, (name) => labelOf(name) ?? name);
  return /[.?!]$/.test(renamed) ? renamed : `${renamed}.`;
};

// The core questions of the form; none where they are as they were generated.
const rows = () =>
  [...list.children].map((row) => ({
    kept: row.querySelector("[name=keep]").checked,
    text: row.querySelector("[name=questions]").value.trim(),
  }));
const worded = () => {
  const kept = rows().filter((row) => row.kept && row.text).map((row) => row.text);
  const same = kept.length === generated.length && kept.every((text, index) => text === generated[index]);
  return list.children.length && !same ? kept : null;
};

// The value of an input by its shape; an empty one has none.
const readers = {
  text: (input) => input.value.trim() || undefined,
  list: (input) => {
    const names = input.value.split(",").map((name) => name.trim()).filter(Boolean);
    return names.length ? names : undefined;
  },
  flag: (input) => input.checked || undefined,
  count: (input) => (Number.isNaN(input.valueAsNumber) ? undefined : input.valueAsNumber),
  choice: (input) => Number(input.value) || undefined,
};

const body = () => {
  const data = new FormData(form);
  const text = (name) => (data.get(name) ?? "").toString().trim();
  const request = {
    domain: text("domain"),
    keyword: text("keyword"),
    models: data.getAll("models"),
  };
  if (text("location")) {
    request.location = text("location");
    request.rings = data.getAll("rings").map(Number);
  }
  for (const input of form.querySelectorAll("[data-shape]")) request[input.name] = readers[input.dataset.shape](input);
  // Counts and rings are not sent with a width or an amount of money.
  const batched = Boolean(request.targetWidth || request.budget);
  const [counts, ringChoices] = [form.querySelector("[data-counts]"), document.getElementById("rings")];
  for (const part of [counts, ringChoices]) part.hidden = batched;
  if (batched) {
    for (const input of counts.querySelectorAll("input")) delete request[input.name];
    delete request.rings;
  }
  const own = worded();
  if (own) request.questions = own;
  return request;
};

// Faults are shown only for fields that the user has touched.
const showFaults = () => {
  for (const line of form.querySelectorAll(".fault[id]")) {
    const name = line.id.replace(/-fault$/, "");
    const fault = faults.find((fault) => fieldOf(fault.field) === name);
    const visible = fault && touched.has(name);
    line.textContent = visible ? inFormWords(fault.message) : "";
    line.hidden = !visible;
    const input = form.elements[name];
    if (input instanceof HTMLInputElement && input.type !== "checkbox") {
      if (visible) input.setAttribute("aria-invalid", "true");
      else input.removeAttribute("aria-invalid");
    }
  }
};

const row = (text, language, kept, number) =>
  make(
    "li",
    {},
    make("input", { type: "checkbox", name: "keep", value: number, checked: kept, ariaLabel: `Ask question ${number + 1}` }),
    make("input", {
      type: "text", name: "questions", maxLength: 300, value: text, ariaLabel: `Question ${number + 1}`,
      placeholder: text ? "" : "Add a question",
    }),
    make("span", { className: "note", textContent: language }),
  );

// The list follows the plan until the user has changed it.
const showQuestions = (answer, wereWorded) => {
  const languages = new Map((answer.plan?.questions ?? []).map((question) => [question.question, question.language]));
  if (!answer.plan) return;
  if (!wereWorded) {
    list.replaceChildren(...answer.generated.map((text, number) => row(text, languages.get(text) ?? "", true, number)));
  } else {
    for (const item of list.children) {
      const text = item.querySelector("[name=questions]").value.trim();
      item.querySelector(".note").textContent = languages.get(text) ?? "";
    }
  }
  addRow();
  generated = answer.generated;
  show("hint").textContent =
    "Each call asks one of these. Untick one to leave it out, change its words, or add one.";
  form.querySelector("[data-planned]").replaceChildren(
    ...generated.map((text) => make("input", { type: "hidden", name: "planned", value: text })),
  );
};

// The first questions are next to the price, where they are seen while one types.
const showFirst = (planned) => {
  const core = (planned?.questions ?? []).filter((question) => !question.market).slice(0, 3);
  const first = show("first");
  first.hidden = !core.length;
  first.querySelector("ol").replaceChildren(
    ...core.map(({ question, language }) => make("li", {}, make("bdi", { textContent: question, lang: language }))),
  );
};

// There is always an empty row to add a question, up to the most that are asked.
const addRow = () => {
  const all = rows();
  if (all.some((row) => !row.text) || all.filter((row) => row.kept && row.text).length >= 300) return;
  list.append(row("", "", true, all.length));
};

const showTowns = (planned) => {
  const asked = (planned?.questions ?? []).filter((question) => question.market);
  const byTown = Map.groupBy?.(asked, (question) => question.market) ?? new Map();
  towns.hidden = !asked.length;
  towns.querySelector("summary span").textContent = asked.length;
  towns.lastElementChild.replaceChildren(
    ...[...byTown].flatMap(([town, all]) => [
      make("h3", {}, make("bdi", { textContent: town })),
      make(
        "ol",
        {},
        ...all.map(({ question, language }) =>
          make("li", {}, make("bdi", { textContent: question, lang: language }), " ", make("span", { className: "note", textContent: language })),
        ),
      ),
    ]),
  );
};

const showRings = (planned) => {
  const money = new Intl.NumberFormat("en", { style: "currency", currency: "USD" });
  rings.replaceChildren(
    ...(planned?.rings ?? []).map((ring) =>
      make(
        "li",
        {},
        `Ring ${ring.ring}: `,
        make("bdi", { textContent: ring.markets.join("; ") || "no town" }),
        " ",
        make("span", {
          className: "note",
          textContent: `${ring.calls.toLocaleString("en")} answers, about ${money.format(ring.estimatedCostUsd)}`,
        }),
      ),
    ),
  );
};

// A place that is not beyond doubt is confirmed before the scan starts; the server insists on it.
const showChoices = (confirm) => {
  const known = form.elements.confirmed.value === form.elements.location.value.trim();
  choices.hidden = !confirm || known;
  if (choices.hidden) return choices.replaceChildren();
  const choose = (choice) => {
    const button = make("button", { type: "button", className: "button quiet" }, make("bdi", { textContent: choice.label }));
    button.addEventListener("click", () => {
      form.elements.location.value = choice.location;
      form.elements.confirmed.value = choice.location;
      form.elements.location.focus();
      ask();
    });
    return make("li", {}, button);
  };
  choices.replaceChildren(
    make("p", {}, make("strong", { textContent: confirm.question }), " Nothing is asked or spent before you choose."),
    make("ul", {}, ...confirm.choices.map(choose)),
  );
};

const showPlan = (answer, wereWorded) => {
  const known = answer.questions != null;
  questions.textContent = known ? answer.questions.toLocaleString("en") : "–";
  cost.textContent = known ? answer.estimatedCost : "–";
  note.textContent = answer.note ?? "";
  place.textContent = answer.place ? `Taken for ${answer.place.label}.` : placeHint;
  showChoices(answer.confirm);
  showQuestions(answer, wereWorded);
  showFirst(answer.plan);
  showRings(answer.plan);
  showTowns(answer.plan);
  const told = (answer.plan?.warnings ?? []).filter((warning) => !warning.code.startsWith("location_"));
  warnings.replaceChildren(...told.map((warning) => make("li", {}, make("bdi", { textContent: warning.message }))));
};

const ask = async () => {
  asking?.abort();
  const control = (asking = new AbortController());
  plan.classList.add("is-stale");
  const request = body();
  try {
    const response = await fetch(form.dataset.plan, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json" },
      body: JSON.stringify(request),
      signal: control.signal,
    });
    if (!response.ok) throw new Error(response.statusText);
    const answer = await response.json();
    faults = answer.errors ?? [];
    checked = true;
    showFaults();
    showPlan(answer, Boolean(request.questions));
    plan.classList.remove("is-stale");
  } catch (error) {
    if (error.name === "AbortError") return;
    faults = [];
    note.textContent = "The price cannot be looked up now. You can start the scan all the same.";
    plan.classList.remove("is-stale");
  }
};

const soon = () => {
  checked = false;
  // The answer to a check that is under way would be about the form as it was.
  asking?.abort();
  clearTimeout(waiting);
  waiting = setTimeout(ask, 300);
};

form.addEventListener("input", soon);
form.addEventListener("change", (event) => {
  touched.add(event.target.name);
  soon();
});
form.addEventListener("focusout", (event) => {
  if (event.target.name && event.target.value) touched.add(event.target.name);
  showFaults();
});
// Registered on the way down, so that it comes before the form is marked as sent.
form.addEventListener(
  "submit",
  (event) => {
    if (!checked || !faults.length || event.submitter?.name) return;
    event.preventDefault();
    for (const fault of faults) touched.add(fieldOf(fault.field));
    showFaults();
    const name = fieldOf(faults[0].field);
    const first = form.elements[name];
    const target = first instanceof HTMLElement ? first : document.getElementById(name)?.querySelector("input");
    target?.closest("details")?.setAttribute("open", "");
    target?.focus();
  },
  { capture: true },
);

document.getElementById("fault-summary")?.focus();
if (form.elements.domain.value || form.elements.keyword.value) ask();
