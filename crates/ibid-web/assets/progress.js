// A running scan: counts move as answers arrive; at the end the report takes this place.

const run = document.querySelector("[data-run]");
const KEPT = 8;

if (run) {
  const find = (name) => run.querySelector(`[data-run-${name}]`);
  const [doneText, bar, status, latest, log, left] = ["done", "bar", "status", "latest", "log", "left"].map(find);
  const total = Number(run.dataset.total);
  let done = Number(run.dataset.done);
  let said = done;

  // The tab says how far the scan is.
  const title = document.title;
  const titled = () => `${done} of ${total} · ${title}`;
  document.title = titled();

  // Follows from the pace so far; the page has the time that had passed when it was made.
  const began = performance.now() - Number(run.dataset.elapsed);
  const timeLeft = () => {
    const milliseconds = ((performance.now() - began) * (total - done)) / done;
    const seconds = Math.ceil(milliseconds / 5000) * 5;
    if (seconds === 0) return "scoring the answers";
    return seconds < 90 ? `about ${seconds}\u00a0s left` : `about ${Math.ceil(seconds / 60)}\u00a0min left`;
  };

  const rows = (name) => new Map([...run.querySelectorAll(`tr[data-${name}]`)].map((row) => [row.dataset[name], row]));
  const models = rows("model");
  const rings = rows("ring");

  const count = (row, cited) => {
    if (!row) return;
    row.dataset.done = Number(row.dataset.done) + 1;
    row.querySelector("progress").value = Number(row.dataset.done);
    if (!cited) return;
    row.dataset.cited = Number(row.dataset.cited) + 1;
    row.querySelector("[data-cell=cited]").textContent = row.dataset.cited;
  };

  const span = (className, text) => {
    const element = document.createElement("span");
    element.className = className;
    element.textContent = text;
    return element;
  };

  const tell = (answer) => {
    const row = models.get(answer.model);
    const item = document.createElement("li");
    const name = span("", row ? row.querySelector("th").textContent : answer.model);
    const where = span("note", answer.market ?? "core question");
    const cites = answer.cited == null ? span("note", "") : answer.cited ? span("pill pill-secondary", "cites you") : span("pill pill-none", "does not");
    const score = span("", answer.score == null ? "–" : answer.score.toFixed(1));
    item.append(name, where, cites, score);
    if (answer.question) item.append(span("run-question", answer.question));
    if (answer.quote) item.append(span("run-quote", `“${answer.quote}”`));
    log.prepend(item);
    while (log.children.length > KEPT) log.lastElementChild.remove();
    latest.hidden = false;
  };

  const leave = () => location.replace(run.dataset.report);

  // `done` grows by one with each answer, so an event that was counted already is known by it.
  const source = new EventSource(`${run.dataset.events}?after=${done}`);
  source.addEventListener("progress", (event) => {
    const answer = JSON.parse(event.data);
    if (answer.done <= done) return;
    done = answer.done;
    doneText.textContent = done;
    bar.value = done;
    left.textContent = timeLeft();
    document.title = titled();
    count(models.get(answer.model), answer.cited);
    count(rings.get(String(answer.ring ?? 0)), answer.cited);
    tell(answer);
    // Said aloud at most every tenth of the way.
    if (done === total || done - said >= total / 10) {
      said = done;
      status.textContent = `${done} of ${total} answers`;
    }
  });
  source.addEventListener("scan_complete", () => {
    source.close();
    leave();
  });
  source.addEventListener("error", () => {
    // The browser reconnects by itself unless the server said no; then the page shows what became of the scan.
    if (source.readyState === EventSource.CLOSED) setTimeout(leave, 3000);
  });
  addEventListener("pagehide", () => source.close());
}
