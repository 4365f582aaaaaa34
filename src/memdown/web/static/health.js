// The index page: start a sync and follow it.
"use strict";
const box = $("[data-progress]");
const follow = () => {
  box.hidden = false;
  $$("[data-sync], [data-rebuild]").forEach((one) => { one.disabled = true; });
  const events = new EventSource("/api/sync/events");
  events.addEventListener("progress", (event) => {
    const job = JSON.parse(event.data), share = job.total ? job.completed / job.total : job.state === "done" ? 1 : 0;
    $("[data-progress-value]").setAttribute("width", (100 * share).toFixed(1) + "%");
    $("[data-progress-bar]").setAttribute("aria-valuenow", Math.round(100 * share));
    $("[data-progress-label]").textContent = job.state === "running" ? job.label || "Looking at the notes…" : job.state === "done" ? "Done" : job.error;
    $("[data-progress-count]").textContent = job.total ? job.completed.toLocaleString() + " of " + job.total.toLocaleString() + " files" : "";
    box.dataset.state = job.state;
    if (job.state === "running") return;
    events.close();
    if (job.state === "done") {
      sessionStorage.setItem("memdown-done", job.report.rebuilt ? "Rebuilt: " + job.report.indexed + " files indexed." : job.report.indexed + " files indexed, " + job.report.removed + " removed.");
      setTimeout(() => location.reload(), 400);
    } else $$("[data-sync], [data-rebuild]").forEach((one) => { one.disabled = false; });
  });
  events.onerror = () => events.close();
};
const start = async (force) => {
  const { ok, data } = await memdown.call("POST", "/api/sync", { force });
  if (ok) follow(); else memdown.toast(data.error);
};
$("[data-sync]")?.addEventListener("click", () => start(false));
$("[data-rebuild]")?.addEventListener("click", () => start(true));
if (box.dataset.running === "true") follow();
const done = sessionStorage.getItem("memdown-done");
if (done) { sessionStorage.removeItem("memdown-done"); memdown.toast(done); }

// The check-up: what `memdown doctor` finds.
$("[data-examine]").addEventListener("click", async (event) => {
  const button = event.target, list = $("[data-checks]");
  button.disabled = true;
  const slow = setTimeout(() => { list.replaceChildren(row("", "Looking…")); }, 100);
  const { ok, data } = await memdown.call("GET", "/api/doctor");
  clearTimeout(slow);
  button.disabled = false;
  if (!ok) return memdown.toast(data.error);
  const order = { error: 0, warning: 1, ok: 2 };
  data.checks.sort((a, b) => order[a.verdict] - order[b.verdict]);
  list.replaceChildren(...data.checks.map((one) => row(one.name, one.finding + (one.advice ? ": " + one.advice : ""), one.verdict)));
});
const row = (name, text, verdict) => {
  const item = document.createElement("li"), title = document.createElement("strong"), body = document.createElement("span");
  if (verdict) {
    const dot = document.createElement("span");
    dot.className = "dot " + verdict;
    dot.setAttribute("role", "img");
    dot.setAttribute("aria-label", verdict);
    title.append(dot);
    item.dataset.verdict = verdict;
  }
  title.append(name);
  body.textContent = text;
  item.append(title, body);
  return item;
};

// Browsers that were let in for good.
document.addEventListener("click", async (event) => {
  const id = event.target.dataset?.throwOut;
  if (!id) return;
  const { ok, data } = await memdown.call("POST", "/api/browsers/remove", { id });
  memdown.toast(ok ? "Thrown out" : data.error);
  event.target.blur();
  if (ok) memdown.refresh();
});
