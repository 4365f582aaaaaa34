// What every page needs: calls, toasts with undo, following the files, search as you type, keys.
"use strict";
const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
const element = (tag, values = {}, ...inner) => {
  const one = Object.assign(document.createElement(tag), values);
  one.append(...inner);
  return one;
};

// Storage may be forbidden; then nothing is kept, and the page says so where it matters.
const kept = {
  get(key, area = localStorage) { try { return JSON.parse(area.getItem("memdown-" + key)); } catch { return null; } },
  set(key, value, area = localStorage) { try { area.setItem("memdown-" + key, JSON.stringify(value)); return true; } catch { return false; } },
  drop(key, area = localStorage) { try { area.removeItem("memdown-" + key); } catch { /* nothing was kept */ } },
  keys(start) { try { return Object.keys(localStorage).filter((key) => key.startsWith("memdown-" + start)).map((key) => key.slice(8)); } catch { return []; } },
};

const memdown = {
  async send(method, url, body) {
    const headers = { accept: "application/json" };
    if (body !== undefined) headers["content-type"] = "application/json";
    if (method !== "GET") headers["x-memdown-csrf"] = $('meta[name="csrf"]').content;
    try {
      const response = await fetch(url, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
      const data = await response.json().catch(() => ({ error: "An answer that cannot be read." }));
      return { ok: response.ok, status: response.status, data };
    } catch {
      return { ok: false, status: 0, data: { error: "Memdown does not answer. Your text is kept here; it can be saved once `memdown open` has started it again." } };
    }
  },
  // After a restart of the server the browser comes in again by the secret it was given.
  async call(method, url, body) {
    let answer = await memdown.send(method, url, body);
    if ((answer.status === 401 || (answer.status === 403 && method !== "GET")) && await memdown.comeIn()) answer = await memdown.send(method, url, body);
    if (answer.status === 401) answer.data.error = "This browser was let out. Your text is kept here: run `memdown open`, then try again.";
    return answer;
  },
  async comeIn() {
    const secret = kept.get("pair");
    try {
      if (secret) {
        const answer = await fetch("/pair", { method: "POST", body: JSON.stringify({ secret }) });
        if (answer.ok) { $('meta[name="csrf"]').content = (await answer.json()).csrf; return true; }
      }
      const page = await fetch("/api/session");
      if (!page.ok) return false;
      const csrf = (await page.json()).csrf, meta = $('meta[name="csrf"]');
      if (csrf === meta.content) return false;
      meta.content = csrf;
      return true;
    } catch { return false; }
  },
  // `action` is what can be done about it, for ten seconds: {text, run} or {text, href}; `z` does it.
  toast(text, action) {
    const box = $("#toast");
    box.textContent = text;
    memdown.action = null;
    if (action?.href) box.append(" ", element("a", { href: action.href, textContent: action.text }));
    if (action?.run) {
      memdown.action = () => { memdown.action = null; box.classList.remove("on"); action.run(); };
      box.append(" · ", element("button", { type: "button", textContent: action.text, onclick: () => memdown.action?.() }));
    }
    box.classList.add("on");
    clearTimeout(memdown.timer);
    memdown.timer = setTimeout(() => { box.classList.remove("on"); memdown.action = null; }, action ? 10000 : 4500);
  },
  // What looks like a secret is only written if the person says so.
  async write(method, address, body) {
    const answer = await memdown.call(method, address, body);
    if (!answer.data?.secret || !confirm(`This looks like ${answer.data.secret}. Anyone who can read your notes could read it, and it may be sent to your embedding provider.\n\nWrite it anyway?`)) return answer;
    return memdown.call(method, address, { ...body, allowSecrets: true });
  },
  coded: (path) => path.split("/").map(encodeURIComponent).join("/"),
  noteUrl: (path) => "/notes/" + memdown.coded(path),
  keys: {},
  noteCall: (path) => "/api/notes/" + memdown.coded(path),
  // A message that the next page shows.
  later: (message) => kept.set("later", message, sessionStorage),
  // The parts of this page that are marked as such, anew; what is typed and opened stays.
  async refresh() {
    try {
      const answer = await fetch(location.pathname + location.search, { headers: { accept: "text/html" } });
      if (!answer.ok) return null;
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
      for (const part of $$("[data-part]")) {
        const other = $(`[data-part="${part.dataset.part}"]`, fresh);
        if (!other || part.contains(document.activeElement?.closest("form"))) continue;
        if (!part.contains(swipe.item)) become(part, other);
      }
      document.dispatchEvent(new Event("refreshed"));
      return fresh;
    } catch { return null; }
  },
};

// The content of one element becomes that of another. What stays the same is left alone, and so keeps the focus and
// its place under a finger; a row is known by what it is about, anything else by where it stands.
const about = ({ dataset }) => dataset && (dataset.proposal || (Number(dataset.change) ? dataset.change : dataset.path && dataset.path + "#" + dataset.at));
const become = (part, other) => {
  let at = part.firstChild;
  for (const fresh of [...other.childNodes]) {
    const key = about(fresh);
    let same = at;
    while (key && same && about(same) !== key) same = same.nextSibling;
    if (!same || same.nodeName !== fresh.nodeName || about(same) !== key) { part.insertBefore(fresh, at); continue; }
    for (; at !== same; ) { const gone = at; at = at.nextSibling; gone.remove(); }
    at = same.nextSibling;
    if (same.isEqualNode(fresh)) continue;
    if (same.nodeType !== Node.ELEMENT_NODE) { same.nodeValue = fresh.nodeValue; continue; }
    for (const { name } of [...same.attributes]) if (name !== "open" && !fresh.hasAttribute(name)) same.removeAttribute(name);
    for (const { name, value } of fresh.attributes) if (same.getAttribute(name) !== value) same.setAttribute(name, value);
    become(same, fresh);
  }
  while (at) { const gone = at; at = at.nextSibling; gone.remove(); }
};

// A save that is taken back: the text of before, as long as nobody has changed the note since.
memdown.undoSave = async ({ path, version, text, mine }) => {
  const { ok, data } = text === null ? await memdown.call("POST", "/api/trash", { path, base: version }) : await memdown.write("PUT", memdown.noteCall(path), { text, base: version });
  if (!ok) return memdown.toast(data.error);
  if (mine) kept.set("draft:" + path + ":" + memdown.tab, mine);
  memdown.later({ text: "Taken back" });
  const to = text === null ? "/notes" : memdown.noteUrl(path) + (mine ? "?view=edit" : "");
  if (to === location.pathname + location.search) location.reload(); else location.href = to;
};
memdown.tab = kept.get("tab", sessionStorage) || Math.random().toString(36).slice(2, 8);
kept.set("tab", memdown.tab, sessionStorage);
const later = kept.get("later", sessionStorage);
if (later) {
  kept.drop("later", sessionStorage);
  const undone = async () => { const { ok, data } = await memdown.call("POST", "/api/undo", { id: later.change }); if (ok) location.href = memdown.noteUrl(data.path); else memdown.toast(data.error); };
  const run = later.undo ? () => memdown.undoSave(later.undo) : later.change ? undone : null;
  memdown.toast(later.text, run && { text: "Undo", run });
}
// Coming from one of our own pages, Esc leads back to it.
const cameFrom = kept.get("at", sessionStorage);
addEventListener("pagehide", () => kept.set("at", location.href, sessionStorage));

// A browser that is in for the first time is given a secret, and needs no link any more.
if (/^(127\.0\.0\.1|localhost|\[::1\])$/.test(location.hostname) && !kept.get("pair")) {
  memdown.send("POST", "/pair", {}).then(({ ok, data }) => { if (ok) kept.set("pair", data.secret); });
}

// Following the files: a small question every second while the page is seen.
const pulse = { revision: Number(document.body.dataset.revision), title: document.title };
const beat = async () => {
  clearTimeout(pulse.timer);
  const watched = $("[data-note]")?.dataset.note || "";
  const { ok, status, data } = await memdown.call("GET", "/api/pulse" + (watched ? "?path=" + encodeURIComponent(watched) : ""));
  document.body.classList.toggle("offline", status === 0);
  if (ok) {
    pulse.sync = data.sync;
    const changed = data.revision !== pulse.revision || pulse.missed || (pulse.change !== undefined && data.change !== pulse.change);
    pulse.change = data.change;
    pulse.unread = data.unread;
    showUnread();
    pulse.missed = false;
    pulse.revision = data.revision;
    document.dispatchEvent(new CustomEvent("pulse", { detail: { ...data, changed } }));
  } else pulse.missed = true;
  const soon = pulse.sync?.state === "running" ? 300 : 1000;
  pulse.timer = setTimeout(beat, document.hidden ? 20000 : status === 0 ? 2000 : soon);
};
const showUnread = () => {
  const badge = $("[data-unread]"), title = document.title.replace(/^\(\d+\) /, "");
  badge.hidden = !pulse.unread;
  badge.textContent = pulse.unread || "";
  badge.setAttribute("aria-label", pulse.unread + " new changes");
  const wanted = (pulse.unread ? `(${pulse.unread}) ` : "") + title;
  if (document.title !== wanted) document.title = wanted;
};
document.addEventListener("visibilitychange", () => { if (!document.hidden) beat(); });
pulse.timer = setTimeout(beat, 700);
document.addEventListener("pulse", ({ detail }) => { if (detail.changed && $("[data-part]")) memdown.refresh(); });

// Search as you type: one request at a time, always for the newest text. The list stays until a
// better one is there, and only a finished question is answered with "nothing".
const field = $("[data-live]");
if (field) {
  const hits = $("#hits"), page = $(".search-page"), working = $("[data-working]"), said = $("[data-said]");
  // What the server has answered; the field may hold more, typed before this script began.
  let shown = field.defaultValue.trim(), settled = true, busy = false, waiting = 0, count = 0, entered = false;
  let source = new URLSearchParams(location.search).get("source") || "";
  const only = $$("[data-only]");
  const given = () => {
    const values = new URLSearchParams();
    for (const one of only) if (one.value.trim()) values.set(one.name, one.value.trim());
    if (field.value.trim()) values.set("q", field.value.trim());
    if (source) values.set("source", source);
    if (count) values.set("count", count);
    return values;
  };
  const address = (base, values = given()) => base + (values.size ? "?" + values : "");
  const search = async ({ force = false, typing = false } = {}) => {
    clearTimeout(waiting);
    const wanted = field.value.trim();
    if (busy || (!force && wanted === shown && settled)) return;
    busy = true;
    const slow = setTimeout(() => { hits.setAttribute("aria-busy", "true"); working.hidden = false; }, 150);
    const values = given();
    if (typing && wanted) values.set("typing", "1");
    else if (entered) values.set("asked", "1");
    let done = false;
    try {
      let response = await fetch(address("/hits", values));
      if (response.status === 401 && await memdown.comeIn()) response = await fetch(address("/hits", values));
      if (response.status === 204) { shown = wanted; settled = false; done = true; }
      else if (response.ok) {
        // What was opened stays open, and what has the focus keeps it.
        const place = (one) => one.querySelector("[data-hit]").getAttribute("href").split(":")[0];
        const open = new Set($$(".hit:has(.why[open])", hits).map(place));
        const focused = document.activeElement.closest?.(".hit"), at = focused && hits.contains(focused) ? place(focused) : null;
        hits.innerHTML = await response.text();
        for (const one of $$(".hit", hits)) {
          if (open.has(place(one))) $(".why", one).open = true;
          if (at === place(one)) $("[data-hit]", one).focus({ preventScroll: true });
        }
        page.classList.toggle("searching", Boolean(wanted));
        document.title = wanted ? wanted + " · Memdown" : "Memdown";
        history.replaceState(null, "", address("/"));
        shown = wanted;
        settled = !$("[data-provisional]", hits);
        done = true;
        if (said) said.textContent = $("[data-count]", hits)?.textContent || "";
        performance.mark("memdown-hits");
      } else if (!typing) memdown.toast("The search failed; it is tried again when you press Enter.");
    } catch { document.body.classList.add("offline"); pulse.missed = true; }
    clearTimeout(slow);
    hits.setAttribute("aria-busy", "false");
    working.hidden = pulse.sync?.state !== "running";
    hits.classList.toggle("old", !settled);
    busy = false;
    if (field.value.trim() !== wanted) search({ typing: !entered });
    else if (entered && settled) { entered = false; $("[data-hit]", hits)?.focus(); }
    else if (entered && done) search({ force: true });
    else if (done && !settled) waiting = setTimeout(() => search({ force: true }), 400);
  };
  const type = () => { count = 0; entered = false; search({ typing: true }); };
  // A half typed date is no date: filters count when they are left or Enter is pressed.
  for (const one of only) one.addEventListener("change", () => search({ force: true }));
  field.addEventListener("input", type);
  field.form.addEventListener("submit", (event) => {
    event.preventDefault();
    const first = $("[data-hit]", hits);
    if (first && field.value.trim() === shown && settled && !busy) {
      first.focus();
      // The answer is there already; that it was asked for is noted where the log is on.
      if ("logged" in document.body.dataset) { const values = given(); values.set("asked", "1"); fetch(address("/hits", values)).catch(() => {}); }
    } else { entered = true; search({ force: true }); }
  });
  hits.addEventListener("click", (event) => {
    const link = event.target.closest("[data-source], [data-more]");
    if (!link) return;
    event.preventDefault();
    if ("source" in link.dataset) source = link.dataset.source; else count = link.dataset.more;
    search({ force: true });
  });
  // Why a result was found is computed when somebody asks.
  hits.addEventListener("toggle", async (event) => {
    const box = event.target;
    if (!box.open || !box.matches("[data-why]") || "loaded" in box.dataset) return;
    box.dataset.loaded = "";
    const values = given();
    values.set("rank", box.dataset.why);
    const answer = await fetch("/why?" + values).catch(() => null);
    if (answer?.ok) $(".why-body", box).innerHTML = await answer.text();
    else { delete box.dataset.loaded; $(".why-body", box).textContent = "This cannot be told just now; try again."; }
  }, true);
  // Indexing shows how far it is; an answer without all notes is asked for again when it is done.
  document.addEventListener("pulse", ({ detail }) => {
    const running = detail.sync.state === "running";
    if (!busy) working.hidden = !running;
    $("[data-progress-text]", working).textContent = running ? (detail.sync.total ? `Indexing ${detail.sync.completed.toLocaleString()} of ${detail.sync.total.toLocaleString()} notes…` : "Looking at the notes…") : "";
    $("[data-progress-value]", working).setAttribute("width", running && detail.sync.total ? (100 * detail.sync.completed / detail.sync.total).toFixed(1) + "%" : "30%");
    const late = $("[data-partial]", hits) && !running;
    const unanswered = field.value.trim() !== shown;
    if ((detail.changed || late) && !busy && (settled || unanswered) && !hits.contains(document.activeElement)) search({ force: true });
  });
  if (field.value) field.setSelectionRange(field.value.length, field.value.length);
  if (field.value.trim() !== shown) type();
}

// Code is copied as it is written.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy-code]");
  if (button) copy($("pre", button.parentElement).textContent.replace(/\n$/, ""));
});
const copy = (text) => navigator.clipboard.writeText(text).then(() => memdown.toast("Copied"), () => memdown.toast("The browser does not allow copying here."));

// Not what was meant: it goes out of the list, and the question is kept among those without an answer.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-wrong]"), item = button?.closest(".hit");
  if (!item) return;
  const { ok, data } = await memdown.call("POST", "/api/missed", { question: field.value.trim().slice(0, 2000), path: button.dataset.wrong });
  if (!ok) return memdown.toast(data.error);
  const next = item.nextElementSibling || item.previousElementSibling;
  item.remove();
  $("[data-hit]", next || undefined)?.focus();
  memdown.toast("Noted. Open the one you meant; the question is kept under", { text: "Asked and used", href: "/asked" });
});

// A conversation is deleted for good, so that the person is asked.
document.addEventListener("click", async (event) => {
  const session = event.target.dataset?.deleteSession;
  if (!session || !confirm("Delete this conversation? Its file is removed for good; what your notes say stays.")) return;
  const { ok, data } = await memdown.call("POST", "/api/sessions/delete", { session });
  if (!ok) return memdown.toast(data.error);
  memdown.later({ text: "Deleted" });
  location.href = "/sessions";
});

// The changes that one act made are taken back from the last to the first.
const undoAll = async (changes, then) => {
  for (const id of changes.filter(Boolean).reverse()) {
    const { ok, data } = await memdown.call("POST", "/api/undo", { id });
    if (!ok) { memdown.toast(data.error); return memdown.refresh(); }
  }
  await then?.();
  memdown.toast("Undone");
  return memdown.refresh();
};

// What can be done with a change: by a button, or by its key while the change has the focus.
const act = async (what, item) => {
  const id = Number(item.dataset.change), path = item.dataset.path;
  const calls = {
    keep: ["/api/read", { id }], undo: ["/api/undo", { id }], lasting: ["/api/keep", { id }],
    forget: ["/api/strike", { path, line: Number(item.dataset.at) }], restore: ["/api/restore", { path, id }],
  };
  const { ok, data } = await memdown.call("POST", ...calls[what]);
  if (!ok) return memdown.toast(data.error);
  const next = item.nextElementSibling?.querySelector("[data-hit]");
  const said = { keep: "Kept", undo: "Taken back", lasting: "Moved to MEMORY.md", forget: "Marked as no longer true", restore: "Restored" }[what];
  const back = what === "undo" ? [(await memdown.call("GET", "/api/changes?limit=1")).data.changes?.[0]?.id] : data.changes || [data.change];
  memdown.toast(data.left ? "It stands in MEMORY.md now. " + data.left : said, back.some(Boolean) ? { text: "Undo", run: () => undoAll(back) } : undefined);
  if (what !== "keep" && item.classList.contains("new")) await memdown.call("POST", "/api/read", { id });
  next?.focus();
  document.activeElement?.blur?.();
  await memdown.refresh();
  const again = next && $(`[data-change="${next.closest("[data-change]").dataset.change}"] [data-hit]`);
  again?.focus();
  beat();
};
document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-act], [data-all-read], [data-copy], [data-trash], [data-rename], [data-new-note]");
  if (!button) return;
  if (button.dataset.act) return act(button.dataset.act, button.closest("[data-change]"));
  if (button.dataset.copy) return copy(button.dataset.copy);
  if (button.dataset.allRead) {
    const { ok, data } = await memdown.call("POST", "/api/read", { id: Number(button.dataset.allRead), all: true });
    if (!ok) return memdown.toast(data.error);
    button.blur();
    await memdown.refresh();
    return beat();
  }
  const note = $("[data-note]"), named = (asked, given) => { const name = prompt(asked, given)?.trim(); return name && (name.endsWith(".md") ? name : name + ".md"); };
  if ("newNote" in button.dataset) {
    const to = named("Where shall the note stand? For example memory/projects/atlas.md", "memory/");
    if (to) location.href = memdown.noteUrl(to) + "?view=edit";
  } else if ("trash" in button.dataset) {
    const { ok, data } = await memdown.call("POST", "/api/trash", { path: note.dataset.note, base: note.dataset.version });
    if (!ok) return memdown.toast(data.error);
    memdown.later({ text: "Deleted " + note.dataset.note, change: data.change });
    location.href = "/notes";
  } else {
    const to = named("The new name of this note", note.dataset.note);
    if (!to || to === note.dataset.note) return;
    const { ok, data } = await memdown.call("POST", "/api/rename", { path: note.dataset.note, to, base: note.dataset.version });
    if (!ok) return memdown.toast(data.error);
    memdown.later({ text: "Renamed" });
    location.href = memdown.noteUrl(data.path);
  }
});
for (const [key, what] of [["y", "keep"], ["u", "undo"], ["f", "forget"], ["m", "lasting"]]) memdown.keys[key] = () => document.activeElement.closest("[data-change]")?.querySelector(`[data-act="${what}"]`)?.click();
memdown.keys.e = () => (document.activeElement.closest("[data-change]")?.querySelector('[data-act="edit"]') || $("[data-edit]"))?.click();

// On a phone a change is swiped: to the right it is kept, to the left it is taken back.
const swipe = { item: null };
document.addEventListener("touchstart", (event) => {
  const item = event.touches.length === 1 && event.target.closest(".today [data-change]");
  swipe.item = item && $("[data-act=undo]", item) ? item : null;
  if (swipe.item) Object.assign(swipe, { x: event.touches[0].clientX, y: event.touches[0].clientY, by: 0 });
}, { passive: true });
document.addEventListener("touchmove", (event) => {
  if (!swipe.item) return;
  const x = event.touches[0].clientX - swipe.x, y = event.touches[0].clientY - swipe.y;
  // Whoever scrolls does not swipe.
  if (!swipe.by && Math.abs(y) > Math.abs(x)) { swipe.item = null; return; }
  swipe.by = x;
  if (Math.abs(x) < 12) return;
  swipe.item.style.transform = `translateX(${x}px)`;
  swipe.item.dataset.swipe = Math.abs(x) < 90 ? "" : x > 0 ? "keep" : "undo";
}, { passive: true });
const letGo = (event) => {
  const { item } = swipe;
  if (!item) return;
  const what = event.type === "touchend" && item.dataset.swipe;
  swipe.item = null;
  item.style.transform = "";
  delete item.dataset.swipe;
  if (what) $(`[data-act="${what}"]`, item)?.click();
};
document.addEventListener("touchend", letGo);
document.addEventListener("touchcancel", letGo);

// What a person says to a proposal of Review; both holding and later can be taken back, too.
const decide = async (button) => {
  const item = button.closest("[data-proposal]"), key = item.dataset.proposal, verdict = button.dataset.verdict;
  const next = item.nextElementSibling || item.previousElementSibling;
  // It goes at once; if the answer is no, it comes back.
  item.remove();
  const { ok, data } = await memdown.call("POST", "/api/review", { key, verdict });
  if (!ok) { memdown.toast(data.error); return memdown.refresh(); }
  const again = async () => { await memdown.call("POST", "/api/review/open", { key }); memdown.toast("It is in the list again"); await memdown.refresh(); };
  const run = data.changes.length ? () => undoAll(data.changes, again) : again;
  memdown.toast({ later: "Asked again in a week", fine: "Left as it is" }[verdict] || "Done", { text: "Undo", run });
  ($("[data-hit]", next || undefined) || $("#main")).focus();
  return memdown.refresh();
};
document.addEventListener("click", (event) => { const button = event.target.closest("[data-verdict]"); if (button) decide(button); });
for (const [key, at] of [["1", 0], ["2", 1], ["b", "fine"], ["l", "later"]]) memdown.keys[key] = () => {
  const item = document.activeElement.closest("[data-proposal]") || $("[data-proposal]");
  if (item) (typeof at === "string" ? $(`[data-verdict=${at}]`, item) : $$("[data-verdict=apply], [data-verdict=other]", item)[at])?.click();
};

// Forget: first every place, then, if the person says so, none of them any more, with a receipt.
const KINDS = { note: "in notes", journal: "in the history", version: "in the history", index: "in the index", cache: "in the cache", transcript: "in conversations", memory: "in single memories", export: "in exports", hook: "in hooks", state: "in other files of Memdown" };
const forget = async (words) => {
  const box = $("#forget"), said = $("[data-forget-said]"), list = $("[data-forget-places]"), now = $("[data-forget-now]"), close = $("[data-forget-close]");
  const { ok, data } = await memdown.call("POST", "/api/forget/places", { words });
  if (!ok) return memdown.toast(data.error);
  $("#forget-title").textContent = "Forget this everywhere?";
  $("[data-forget-words]").textContent = data.words;
  said.textContent = "These places hold the words. Erasing removes them for good: it cannot be taken back.";
  list.replaceChildren(...data.places.slice(0, 60).map((one) => element("li", {}, element("strong", { textContent: (KINDS[one.kind] || one.kind) + " " }), one.place + (one.line ? " L" + one.line : ""))));
  now.hidden = false;
  now.disabled = false;
  close.textContent = "Keep it";
  now.onclick = async () => {
    now.disabled = true;
    said.textContent = "Erasing, and looking through every file…";
    const { ok, data: receipt } = await memdown.call("POST", "/api/forget", { words: data.words });
    if (!ok) { said.textContent = receipt.error; now.disabled = false; return; }
    for (const key of kept.keys("draft:")) if (JSON.stringify(kept.get(key)).includes(JSON.stringify(data.words).slice(1, -1))) kept.drop(key);
    $("#forget-title").textContent = receipt.complete ? "Forgotten" : "Not everything could be erased";
    $("[data-forget-words]").textContent = "";
    said.textContent = `${receipt.scannedFiles.toLocaleString()} files (${(receipt.scannedBytes / 1e6).toFixed(1)} MB) were looked through afterwards: ${receipt.complete ? "none holds the words any more" : receipt.left.length + " still do"}. A tombstone without content (${receipt.tombstone.slice(0, 12)}) keeps them from coming back.`;
    list.replaceChildren(...Object.entries(receipt.erased).filter(([, count]) => count).map(([kind, count]) => element("li", { textContent: `${count} erased ${KINDS[kind] || kind}` })), ...receipt.left.map((one) => element("li", { textContent: "left: " + one.place })));
    now.hidden = true;
    close.textContent = "Close";
    memdown.refresh();
  };
  box.showModal();
};
document.addEventListener("click", (event) => { const words = event.target.closest?.("[data-forget]")?.dataset.forget; if (words) forget(words); });

// Files that are dropped or chosen: what they would bring in is shown first.
const drop = $("[data-drop]");
const numbered = (count, one) => `${count.toLocaleString()} ${one}${count === 1 ? "" : "s"}`;
const coming = (data) => [data.notes && numbered(data.notes, "note"), data.conversations && numbered(data.conversations, "conversation")].filter(Boolean).join(" and ");
const sendFile = async (file) => {
  const send = () => fetch("/api/import?name=" + encodeURIComponent(file.name), { method: "POST", body: file, headers: { accept: "application/json", "content-type": "application/octet-stream", "x-memdown-csrf": $('meta[name="csrf"]').content } });
  try {
    let answer = await send();
    if ([401, 403].includes(answer.status) && await memdown.comeIn()) answer = await send();
    return { ok: answer.ok, data: await answer.json() };
  } catch { return { ok: false, data: { error: file.name + " could not be sent; is Memdown still running?" } }; }
};
const bringIn = async (files) => {
  const box = $("#import"), said = $("[data-import-said]"), list = $("[data-import-items]"), now = $("[data-import-now]");
  if (!files.length || box.open) return;
  const sent = [], failed = [];
  $("#import-title").textContent = "Looking into " + (files.length === 1 ? files[0].name : numbered(files.length, "file")) + "…";
  said.textContent = "";
  list.replaceChildren();
  now.disabled = true;
  box.showModal();
  for (const file of files) {
    const { ok, data } = await sendFile(file);
    if (ok) sent.push(data); else failed.push(data.error);
  }
  const sum = (name) => sent.reduce((total, one) => total + one[name], 0), all = { notes: sum("notes"), conversations: sum("conversations") };
  const what = coming(all), problems = sent.flatMap((one) => one.problems);
  $("#import-title").textContent = what ? "Bring this in?" : "Nothing new";
  said.textContent = [what && what + " would come in; what is there already stays as it is.", sum("same") && numbered(sum("same"), "file") + " there already.", sum("kept") && numbered(sum("kept"), "file") + " changed by you since, and kept so."].filter(Boolean).join(" ");
  const rows = [...failed.map((text) => element("li", { className: "bad", textContent: text })), ...problems.map((one) => element("li", { className: "bad", textContent: `${one.path}: ${one.reason}` }))];
  rows.push(...sent.flatMap((one) => one.items).map((one) => element("li", {}, element("strong", { textContent: { new: "new ", update: "update ", kept: "kept " }[one.status] }), one.path)));
  const more = sum("more");
  if (more) rows.push(element("li", { textContent: "and " + more.toLocaleString() + " more" }));
  list.replaceChildren(...rows);
  now.hidden = !what;
  now.disabled = false;
  const drops = () => sent.forEach((one) => memdown.call("POST", "/api/import/cancel", { upload: one.upload }));
  box.onclose = drops;
  now.onclick = async () => {
    now.disabled = true;
    said.textContent = "Bringing in…";
    box.onclose = null;
    const done = { notes: 0, conversations: 0 }, problems = [];
    let first = null;
    for (const one of sent) {
      const { ok, data } = await memdown.call("POST", "/api/import/apply", { upload: one.upload });
      if (!ok) { problems.push(data.error); continue; }
      done.notes += data.notes;
      done.conversations += data.conversations;
      first ||= data.first;
      problems.push(...data.problems.map((each) => each.reason));
    }
    box.close();
    memdown.toast(problems[0] || coming(done) + " came in", first && !problems.length ? { text: "Show", href: memdown.noteUrl(first) } : undefined);
    memdown.refresh();
  };
};
if (drop) {
  const holdsFiles = (event) => event.dataTransfer?.types.includes("Files");
  document.addEventListener("dragenter", (event) => { if (holdsFiles(event)) drop.hidden = false; });
  document.addEventListener("dragover", (event) => { if (holdsFiles(event)) event.preventDefault(); });
  document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) drop.hidden = true; });
  document.addEventListener("drop", (event) => {
    drop.hidden = true;
    if (!holdsFiles(event)) return;
    event.preventDefault();
    bringIn([...event.dataTransfer.files]);
  });
  document.addEventListener("change", (event) => {
    if (!event.target.closest("[data-import]")) return;
    bringIn([...event.target.files]);
    event.target.value = "";
  });
}

// Write something down; a text that could not be sent yet is kept.
const grow = (box) => { box.style.height = "auto"; box.style.height = box.scrollHeight + "px"; };
document.addEventListener("input", (event) => {
  const form = event.target.closest("[data-remember]");
  if (!form || event.target.type === "checkbox") return;
  form.classList.toggle("filled", Boolean(event.target.value));
  grow(event.target);
  if (event.target.value) kept.set("draft:", event.target.value); else kept.drop("draft:");
});
const unsent = kept.get("draft:"), jotter = $("[data-remember] textarea");
if (unsent && jotter) { jotter.value = unsent; jotter.form.classList.add("filled"); grow(jotter); }
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
  kept.drop("draft:");
  memdown.toast("Remembered in " + data.path, { text: "Undo", run: () => takeOut(data) });
  memdown.refresh();
});
const takeOut = async ({ path, startLine, endLine }) => {
  const { ok, data } = await memdown.call("GET", memdown.noteCall(path));
  if (!ok) return memdown.toast(data.error);
  const lines = data.text.split("\n");
  lines.splice(startLine - 1, endLine - startLine + 1);
  const done = await memdown.call("PUT", memdown.noteCall(path), { text: lines.join("\n"), base: data.version });
  memdown.toast(done.ok ? "Taken back" : done.data.error);
  if (done.ok) memdown.refresh();
};
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.target.closest("[data-remember]")?.requestSubmit();
});

// Where the log of questions is on: which result was opened, and the answer to what found nothing.
document.addEventListener("click", (event) => {
  const link = "logged" in document.body.dataset && event.target.closest("#hits .hit [data-hit]");
  if (!link) return;
  const [, path, first, last] = /^\/notes\/([^#]*)#L(\d+)(?:-L(\d+))?/.exec(link.getAttribute("href")) || [];
  if (!path) return;
  const body = { question: field?.value.trim().slice(0, 2000) || "", path: decodeURIComponent(path), line: Number(first), end: Number(last || first) };
  fetch("/api/opened", { method: "POST", keepalive: true, body: JSON.stringify(body), headers: { "content-type": "application/json", "x-memdown-csrf": $('meta[name="csrf"]').content } }).catch(() => {});
});
document.addEventListener("submit", async (event) => {
  const form = event.target.closest("[data-answer]");
  if (!form) return;
  event.preventDefault();
  const button = $("button", form), { text, durable } = form.elements;
  button.disabled = true;
  const { ok, data } = await memdown.write("POST", "/api/answer", { question: form.dataset.answer, text: text.value, durable: durable.checked });
  button.disabled = false;
  if (!ok) return memdown.toast(data.error);
  memdown.toast(data.found === "strong" ? "Remembered, and the question finds it" : "Remembered; use more words of the question to have it found", { text: "Undo", run: () => undoAll(data.changes) });
  text.value = "";
  text.blur();
  form.closest("details").open = false;
  button.blur();
  memdown.refresh();
});

// The tree loads a branch when it is opened.
document.addEventListener("toggle", async (event) => {
  const branch = event.target;
  if (!branch.open || !branch.matches?.("[data-branch]") || "loaded" in branch.dataset) return;
  branch.dataset.loaded = "";
  const values = new URLSearchParams({ under: branch.dataset.branch, kind: branch.dataset.kind });
  const response = await fetch("/branch?" + values).catch(() => null);
  if (response?.ok) $("ul", branch).innerHTML = await response.text(); else delete branch.dataset.loaded;
}, true);
const fold = $(".tree-fold"), tree = $(".tree"), current = $('.tree [aria-current="page"]');
if (fold && matchMedia("(max-width: 760px)").matches) fold.open = false;
// Only the tree is moved, never the page.
if (current) tree.scrollTop = current.getBoundingClientRect().top - tree.getBoundingClientRect().top - tree.clientHeight / 2;
// The days of a year are one stop for the Tab key; arrows go from day to day.
const heat = $("[data-heat]");
if (heat) {
  const days = $$("a", heat), last = days.at(-1);
  const reach = (day) => { for (const one of days) one.setAttribute("tabindex", one === day ? "0" : "-1"); };
  if (last) { reach(last); heat.scrollLeft = Math.max(0, $("rect", last).getAttribute("x") - heat.clientWidth + 60); }
  heat.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key], at = days.indexOf(document.activeElement);
    if (!step || at < 0) return;
    event.preventDefault();
    const day = days[Math.min(days.length - 1, Math.max(0, at + step))];
    reach(day);
    day.focus();
  });
}

// Dark or light, kept in a cookie so that the server writes the right page at once.
const toggleTheme = () => {
  const root = document.documentElement;
  const now = root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  root.dataset.theme = now === "dark" ? "light" : "dark";
  document.cookie = "memdown_theme=" + root.dataset.theme + ";path=/;max-age=31536000;samesite=strict";
};
$("[data-theme-toggle]").addEventListener("click", toggleTheme);
const keys = $("#keys");
$("[data-keys]").addEventListener("click", () => keys.showModal());

// Keys.
const move = (step) => {
  const all = $$("[data-hit]");
  if (!all.length) return;
  const at = all.indexOf(document.activeElement.closest("li")?.querySelector("[data-hit]"));
  const next = all[Math.min(all.length - 1, Math.max(0, at + step))];
  next.focus({ preventScroll: true });
  next.closest("li").scrollIntoView({ block: "nearest" });
};
memdown.back = () => { if (cameFrom && cameFrom !== location.href && history.length > 1) history.back(); else location.href = "/"; };
let going = 0;
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || $("dialog[open]")) return;
  const target = event.target, typing = target.matches("input:not([type=checkbox], [type=radio]), textarea");
  if (event.key === "Escape") {
    if (typing) {
      if (target.matches("[data-live]") && target.value) { target.value = ""; target.dispatchEvent(new Event("input")); }
      else target.blur();
    } else if ($("[data-hit]:focus") && field) field.focus();
    else if (document.body.dataset.section !== "search") memdown.back();
    return;
  }
  if (typing) {
    if (event.key === "ArrowDown" && target.matches("[data-live]")) { event.preventDefault(); $("[data-hit]")?.focus(); }
    return;
  }
  if (going && Date.now() - going < 1200) {
    going = 0;
    const to = $(`[data-go="${event.key}"]`);
    if (to) location.href = to.href;
    return;
  }
  const run = memdown.keys[event.key] || {
    "/": () => { const box = $("[data-search]"); box.focus(); box.select(); },
    j: () => move(1), k: () => move(-1),
    w: () => document.activeElement.closest(".hit")?.querySelector(".why summary").click(),
    n: () => { const box = $("#remember"); if (box) box.focus(); else location.href = "/#remember"; },
    z: () => memdown.action?.(),
    t: toggleTheme, "?": () => keys.showModal(), g: () => { going = Date.now(); },
  }[event.key];
  if (run) { event.preventDefault(); run(); }
});
document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key === "k") { event.preventDefault(); const box = $("[data-search]"); box.focus(); box.select(); }
});
if (location.hash === "#remember") $("#remember")?.focus();
// Every script of the page has run by then.
document.addEventListener("DOMContentLoaded", () => { document.documentElement.dataset.ready = ""; });
