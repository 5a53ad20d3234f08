// The form of a new scan: checked while it is filled in, priced before it starts.
// The server decides: the same checks run again when the form is sent.

const form = document.getElementById("scan-form");
const plan = form.querySelector(".plan");
const show = (name) => form.querySelector(`[data-plan-${name}]`);
const [questions, cost, note, place] = ["questions", "cost", "note", "place"].map(show);
const placeHint = place.textContent;
const touched = new Set();
let waiting;
let asking;
let faults = [];

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

const body = () => {
  const data = new FormData(form);
  const text = (name) => (data.get(name) ?? "").toString().trim();
  const request = {
    domain: text("domain"),
    keyword: text("keyword"),
    models: data.getAll("models"),
    rings: data.getAll("rings").map(Number),
  };
  if (text("location")) request.location = text("location");
  if (text("language")) request.language = text("language");
  for (const list of ["brandNames", "notNames"]) {
    const names = text(list).split(",").map((name) => name.trim()).filter(Boolean);
    if (names.length) request[list] = names;
  }
  if (data.has("learnNames")) request.learnNames = true;
  for (const name of ["questionsPerModel", "keywordsPerRing", "queriesPerKeyword"]) {
    const number = form.elements[name].valueAsNumber;
    if (!Number.isNaN(number)) request[name] = number;
  }
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

const showPlan = (answer) => {
  const known = answer.questions != null;
  questions.textContent = known ? answer.questions.toLocaleString("en") : "–";
  cost.textContent = known ? answer.estimatedCost : "–";
  note.textContent = answer.note ?? "";
  place.textContent = answer.place ? `Taken for ${answer.place.label}.` : placeHint;
};

const ask = async () => {
  asking?.abort();
  const control = (asking = new AbortController());
  plan.classList.add("is-stale");
  try {
    const response = await fetch(form.dataset.plan, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json" },
      body: JSON.stringify(body()),
      signal: control.signal,
    });
    if (!response.ok) throw new Error(response.statusText);
    const answer = await response.json();
    faults = answer.errors ?? [];
    showFaults();
    showPlan(answer);
    plan.classList.remove("is-stale");
  } catch (error) {
    if (error.name === "AbortError") return;
    faults = [];
    note.textContent = "The price cannot be looked up now. You can start the scan all the same.";
    plan.classList.remove("is-stale");
  }
};

const soon = () => {
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
    if (!faults.length) return;
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
