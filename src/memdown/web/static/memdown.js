// What every page needs: keys, theme, search as you type, writing something down, the tree.
"use strict";
const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

const memdown = {
  async call(method, url, body) {
    const headers = { accept: "application/json" };
    if (body !== undefined) headers["content-type"] = "application/json";
    if (method !== "GET") headers["x-memdown-csrf"] = $('meta[name="csrf"]').content;
    let response;
    try {
      response = await fetch(url, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
    } catch {
      return { ok: false, status: 0, data: { error: "memdown serve does not answer; is it still running?" } };
    }
    const data = await response.json().catch(() => ({ error: "An answer that cannot be read." }));
    return { ok: response.ok, status: response.status, data };
  },
  toast(text, link) {
    const box = $("#toast");
    box.textContent = text;
    if (link) {
      const anchor = document.createElement("a");
      anchor.href = link.href;
      anchor.textContent = link.text;
      box.append(" ", anchor);
    }
    box.classList.add("on");
    clearTimeout(memdown.timer);
    memdown.timer = setTimeout(() => box.classList.remove("on"), link ? 6000 : 4000);
  },
  // What looks like a secret is only written if the person says so.
  async write(method, address, body) {
    const answer = await memdown.call(method, address, body);
    if (!answer.data?.secret || !confirm(`This looks like ${answer.data.secret}. Anyone who can read your notes could read it, and it may be sent to your embedding provider.\n\nWrite it anyway?`)) return answer;
    return memdown.call(method, address, { ...body, allowSecrets: true });
  },
  noteUrl: (path) => "/notes/" + path.split("/").map(encodeURIComponent).join("/"),
};

// Search as you type: one request at a time, always for the newest text.
const field = $("[data-live]");
if (field) {
  const hits = $("#hits"), page = $(".search-page");
  // What the server has answered; the field may hold more, typed before this script began.
  let shown = field.defaultValue.trim(), busy = false, source = new URLSearchParams(location.search).get("source") || "";
  const only = [...document.querySelectorAll("[data-only]")];
  const address = (base) => {
    const given = new URLSearchParams();
    for (const one of only) if (one.value.trim()) given.set(one.name, one.value.trim());
    if (field.value.trim()) given.set("q", field.value.trim());
    if (source) given.set("source", source);
    return base + (given.size ? "?" + given : "");
  };
  const refresh = async (force) => {
    const wanted = field.value.trim();
    if (busy || (!force && wanted === shown)) return;
    busy = true;
    const slow = setTimeout(() => hits.setAttribute("aria-busy", "true"), 100);
    try {
      const response = await fetch(address("/hits"));
      const html = await response.text();
      if (response.ok) {
        hits.innerHTML = html;
        page.classList.toggle("searching", Boolean(wanted));
        document.title = wanted ? wanted + " · Memdown" : "Memdown";
        history.replaceState(null, "", address("/"));
        performance.mark("memdown-hits");
      } else memdown.toast("The search failed; reload the page.");
    } catch { memdown.toast("memdown serve does not answer; is it still running?"); }
    clearTimeout(slow);
    hits.setAttribute("aria-busy", "false");
    shown = wanted;
    busy = false;
    if (field.value.trim() !== wanted) refresh();
  };
  // A half typed date is no date: filters count when they are left or Enter is pressed.
  for (const one of only) one.addEventListener("change", () => refresh(true));
  field.addEventListener("input", () => refresh());
  field.form.addEventListener("submit", (event) => { event.preventDefault(); const first = $("[data-hit]", hits); if (first && field.value.trim() === shown) first.focus(); else refresh(); });
  hits.addEventListener("click", (event) => {
    const link = event.target.closest("[data-source]");
    if (link) { event.preventDefault(); source = link.dataset.source; refresh(true); }
  });
  if (field.value) field.setSelectionRange(field.value.length, field.value.length);
  refresh();
}

// Write something down.
document.addEventListener("input", (event) => {
  const form = event.target.closest("[data-remember]");
  if (!form || event.target.type === "checkbox") return;
  form.classList.toggle("filled", Boolean(event.target.value));
  event.target.style.height = "auto";
  event.target.style.height = event.target.scrollHeight + "px";
});
document.addEventListener("submit", async (event) => {
  const form = event.target.closest("[data-remember]");
  if (!form) return;
  event.preventDefault();
  const box = form.elements.text, button = $("button", form);
  button.disabled = true;
  const { ok, data } = await memdown.write("POST", "/api/entries", { text: box.value, durable: form.elements.durable.checked });
  button.disabled = false;
  if (!ok) return memdown.toast(data.error);
  box.value = "";
  box.style.height = "";
  form.classList.remove("filled");
  memdown.toast("Remembered in " + data.path, { text: "Open", href: memdown.noteUrl(data.path) + "#L" + data.startLine + "-L" + data.endLine });
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.target.closest("[data-remember]")?.requestSubmit();
});

// The tree loads a branch when it is opened.
document.addEventListener("toggle", async (event) => {
  const branch = event.target;
  if (!branch.open || !branch.matches?.("[data-branch]") || "loaded" in branch.dataset) return;
  branch.dataset.loaded = "";
  const given = new URLSearchParams({ under: branch.dataset.branch, kind: branch.dataset.kind });
  const response = await fetch("/branch?" + given);
  if (response.ok) $("ul", branch).innerHTML = await response.text();
}, true);
const fold = $(".tree-fold");
if (fold && matchMedia("(max-width: 760px)").matches) fold.open = false;
$('.tree [aria-current="page"]')?.scrollIntoView({ block: "center" });
const heat = $("[data-heat]");
if (heat) {
  const days = $$("a", heat), last = days[days.length - 1];
  if (last) heat.scrollLeft = Math.max(0, $("rect", last).getAttribute("x") - heat.clientWidth + 60);
}

// Dark or light, kept in a cookie so that the server writes the right page at once.
const toggleTheme = () => {
  const root = document.documentElement;
  const now = root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  root.dataset.theme = now === "dark" ? "light" : "dark";
  document.cookie = "memdown_theme=" + root.dataset.theme + ";path=/;max-age=31536000;samesite=strict";
  document.dispatchEvent(new Event("themechange"));
};
$("[data-theme-toggle]").addEventListener("click", toggleTheme);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => document.dispatchEvent(new Event("themechange")));
const keys = $("#keys");
$("[data-keys]").addEventListener("click", () => keys.showModal());

// Keys.
const move = (step) => {
  const all = $$("[data-hit]");
  if (!all.length) return;
  const at = all.indexOf(document.activeElement.closest(".hit, .glimpse")?.querySelector("[data-hit]"));
  const next = all[Math.min(all.length - 1, Math.max(0, at + step))];
  next.focus({ preventScroll: true });
  next.closest("li").scrollIntoView({ block: "nearest" });
};
const back = () => {
  if (document.referrer.startsWith(location.origin) && history.length > 1) history.back();
  else location.href = "/";
};
let going = 0;
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || keys.open) return;
  const target = event.target, typing = target.matches("input:not([type=checkbox]), textarea");
  if (event.key === "Escape") {
    if (typing) {
      if (target.matches("[data-live]") && target.value) { target.value = ""; target.dispatchEvent(new Event("input")); }
      else target.blur();
    } else if ($("[data-hit]:focus")) field?.focus();
    else if (document.body.dataset.section !== "search") back();
    return;
  }
  if (typing) {
    if (event.key === "ArrowDown" && target.matches("[data-live]")) { event.preventDefault(); $("[data-hit]")?.focus(); }
    return;
  }
  if (going && Date.now() - going < 1200) {
    going = 0;
    const to = { s: "/", n: "/notes", c: "/sessions", i: "/index" }[event.key];
    if (to) location.href = to;
    return;
  }
  const run = {
    "/": () => { const box = $("[data-search]"); box.focus(); box.select(); },
    j: () => move(1), k: () => move(-1),
    w: () => document.activeElement.closest(".hit")?.querySelector(".why summary").click(),
    e: () => $("[data-edit]")?.click(),
    n: () => { const box = $("#remember"); if (box) box.focus(); else location.href = "/#remember"; },
    t: toggleTheme, "?": () => keys.showModal(), g: () => { going = Date.now(); },
  }[event.key];
  if (run) { event.preventDefault(); run(); }
});
if (location.hash === "#remember") $("#remember")?.focus();
// Every script of the page has run by then.
document.addEventListener("DOMContentLoaded", () => { document.documentElement.dataset.ready = ""; });
