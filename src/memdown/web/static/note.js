// A note: the lines and words that a link names, and the editor, which never loses a text.
"use strict";
const note = $("[data-note]"), path = note.dataset.note, view = note.dataset.view;
const RANGE = /^#L(\d+)(?:-L(\d+))?(?::(.*))?$/;

// The passage gets a bar in the margin; only the words that matched are marked.
const showLines = () => {
  const lines = $("[data-lines]");
  $$(".hl").forEach((one) => one.classList.remove("hl"));
  $$("mark[data-word]").forEach((one) => { const parent = one.parentNode; one.replaceWith(...one.childNodes); parent.normalize(); });
  const range = RANGE.exec(location.hash);
  if (!range || !lines) return;
  const first = Number(range[1]), last = Math.max(first, Number(range[2] || first));
  let words = [];
  try { words = (range[3] || "").split(",").map(decodeURIComponent).filter(Boolean); } catch { /* no words then */ }
  const all = $$("[data-line]", lines);
  let inside = all.filter((one) => Number(one.dataset.line) <= last && Number(one.dataset.end) >= first);
  inside = inside.filter((one) => !inside.some((other) => other !== one && one.contains(other)) || ownText(one, first, last));
  if (!inside.length) inside = all.filter((one) => Number(one.dataset.line) <= first).slice(-1);
  inside.forEach((one) => one.classList.add("hl"));
  const found = inside.map((one) => markWords(one, words));
  // The line with most of the words is the one that answers.
  const best = found.indexOf(Math.max(...found));
  const shown = inside[best] || inside[0];
  // What follows a heading is what one wants to read.
  shown?.scrollIntoView({ block: /^H\d$/.test(shown.tagName) ? "start" : "center" });
};
// A list item with a list inside: its own first line counts, if it is in the range.
const ownText = (one, first, last) => one.tagName === "LI" && Number(one.dataset.line) >= first && Number(one.dataset.end) <= last;
// Marks the words in a block; how many different ones it holds.
function markWords(block, words) {
  if (!words.length) return 0;
  const escaped = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const pattern = new RegExp("(?<![\\p{L}\\p{N}])(?:" + escaped.join("|") + ")(?![\\p{L}\\p{N}])|(?:" + words.filter((word) => /[\u2e80-\u9fff\uac00-\ud7af\u0e00-\u0e7f]/.test(word)).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|").replace(/^$/, "(?!)") + ")", "giu");
  const seen = new Set(), texts = [], walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) texts.push(walker.currentNode);
  for (const text of texts) {
    const spans = [...text.data.matchAll(pattern)];
    for (const span of spans.reverse()) {
      seen.add(span[0].toLowerCase());
      const middle = text.splitText(span.index);
      middle.splitText(span[0].length);
      const mark = element("mark");
      mark.dataset.word = "";
      middle.replaceWith(mark);
      mark.append(middle);
    }
  }
  return seen.size;
}
addEventListener("hashchange", showLines);
showLines();
document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-keep-lines]");
  const range = RANGE.exec(location.hash);
  if (!link || !range) return;
  // The editor has a line of its own in its address: a fragment would take the focus from the text.
  if ("edit" in link.dataset) link.search = "?view=edit&line=" + range[1];
  else link.hash = location.hash.split(":")[0];
});

// Another version on disk: the note shows it, the editor only says so.
document.addEventListener("pulse", async ({ detail }) => {
  if (!path || detail.note === note.dataset.version) return;
  if (view === "edit") {
    $("[data-meanwhile]")?.removeAttribute("hidden");
    return;
  }
  note.dataset.version = detail.note || "";
  if (!detail.note) return memdown.toast("This note is gone from disk; what you see is how it was.");
  await memdown.refresh();
});
// What is shown anew is marked anew, without moving the page.
document.addEventListener("refreshed", () => { const at = scrollY; showLines(); scrollTo(0, at); });

// A task that is ticked is a save of its line, with the way back.
document.addEventListener("click", async (event) => {
  const task = event.target.closest("[data-task]");
  if (!task) return;
  const { ok, data } = await memdown.call("GET", memdown.noteCall(path));
  if (!ok) return memdown.toast(data.error);
  const lines = data.text.split("\n"), at = Number(task.dataset.task) - 1, done = task.getAttribute("aria-checked") === "true";
  const ticked = lines[at]?.replace(done ? /\[[xX]\]/ : /\[ \]/, done ? "[ ]" : "[x]");
  if (data.version !== note.dataset.version || ticked === lines[at]) return memdown.toast("The note was changed meanwhile; look again.");
  lines[at] = ticked;
  const saved = await memdown.write("PUT", memdown.noteCall(path), { text: lines.join("\n"), base: data.version });
  if (!saved.ok) return memdown.toast(saved.data.error);
  note.dataset.version = saved.data.version;
  await memdown.refresh();
  $(`[data-task="${at + 1}"]`)?.focus({ preventScroll: true });
  memdown.toast(done ? "Open again" : "Done", { text: "Undo", run: () => memdown.undoSave({ path, version: saved.data.version, text: data.text }) });
});
for (const [key, day] of [["[", "before"], ["]", "after"]]) memdown.keys[key] = () => $(`[data-day=${day}]`)?.click();

// The heading that is being read, in the list of headings.
const outline = $$(".outline a");
if (outline.length) {
  const seen = () => {
    const links = $$(".outline a"), at = links.findLastIndex((link) => document.getElementById(link.hash.slice(1))?.getBoundingClientRect().top < innerHeight * .4);
    links.forEach((link, number) => { if (number === Math.max(0, at)) link.setAttribute("aria-current", "true"); else link.removeAttribute("aria-current"); });
  };
  let waiting = 0;
  addEventListener("scroll", () => { waiting ||= setTimeout(() => { waiting = 0; seen(); }, 80); }, { passive: true });
  seen();
}

// Texts that were typed and not saved, of this tab and of others.
const drafts = () => kept.keys("draft:" + path + ":").map((key) => ({ key, ...kept.get(key) })).filter((one) => typeof one.text === "string").sort((a, b) => b.at - a.at);
const notice = $("[data-draft]");
const offer = (text, ...actions) => {
  notice.replaceChildren(text, ...actions.flatMap(([label, run]) => [" ", element("button", { type: "button", className: "link", textContent: label, onclick: run })]));
  notice.hidden = false;
};
if (path && view === "read" && notice && drafts().some((one) => one.text !== note.dataset.text)) {
  offer("You have text for this note that is not saved.", ["Go on editing", () => { location.href = memdown.noteUrl(path) + "?view=edit"; }], ["Discard it", () => { drafts().forEach((one) => kept.drop(one.key)); notice.hidden = true; }]);
}

const editor = $("[data-editor]");
if (editor) {
  const text = $("[data-text]"), preview = $("[data-preview]"), save = $("[type=submit]", editor), state = $("[data-state]");
  const conflict = $("[data-conflict]"), own = "draft:" + path + ":" + memdown.tab;
  // What is being edited: the version on disk it began from, with its text.
  let base = { version: note.dataset.version || null, text: text.defaultValue }, theirs = null, previewing = 0, safe = true;
  const dirty = () => text.value !== base.text;
  const showState = () => {
    save.disabled = !dirty();
    state.textContent = dirty() ? (safe ? "Not saved yet, kept in this browser" : "Not saved yet") : "No changes";
  };
  const keep = () => {
    if (!dirty()) { kept.drop(own); return; }
    safe = kept.set(own, { text: text.value, base: base.version, baseText: base.text, at: Date.now() });
  };
  const draw = async () => {
    const turn = ++previewing;
    const { ok, data } = await memdown.call("POST", "/api/preview", { text: text.value, path });
    if (ok && turn === previewing) preview.innerHTML = data.html;
  };
  let waiting = 0;
  text.addEventListener("input", () => { keep(); showState(); clearTimeout(waiting); waiting = setTimeout(draw, text.value.length > 50000 ? 600 : 60); });
  addEventListener("pagehide", keep);

  // A draft of this tab comes back by itself; one of another tab is offered.
  const takeUp = (draft) => {
    base = { version: draft.base, text: draft.baseText };
    text.value = draft.text;
    if (draft.key !== own) kept.drop(draft.key);
    keep();
    showState();
    draw();
  };
  const mine = drafts().find((one) => one.key === own), other = drafts().find((one) => one.key !== own && one.text !== text.value);
  const fresh = { base: base.version, baseText: base.text, text: base.text, key: own };
  if (mine && mine.text !== text.value) {
    takeUp(mine);
    offer("Your unsaved text is back.", ["Begin again from the file", () => { takeUp(fresh); kept.drop(own); notice.hidden = true; memdown.toast("Your text was put away", { text: "Undo", run: () => takeUp(mine) }); }]);
  } else if (other) {
    offer("There is unsaved text of " + new Date(other.at).toLocaleString([], { dateStyle: "medium", timeStyle: "short" }) + ".", ["Show it", () => { takeUp(other); notice.hidden = true; }], ["Discard it", () => { kept.drop(other.key); notice.hidden = true; }]);
  }

  const store = async (wanted, against, { merged = false } = {}) => {
    save.disabled = true;
    state.textContent = "Saving…";
    const before = against.text, draft = { text: text.value, base: base.version, baseText: base.text, at: Date.now() };
    const { ok, status, data } = await memdown.write("PUT", memdown.noteCall(path), { text: wanted, base: against.version });
    if (ok) {
      base = { version: data.version, text: text.value };
      kept.drop(own);
      const undo = { path: data.path, version: data.version, text: against.version === null ? null : before, mine: merged ? draft : null };
      memdown.later({ text: merged ? "Saved, together with what was changed on disk" : "Saved", undo });
      location.href = memdown.noteUrl(data.path) + (line ? "#L" + line : "");
    } else if (status === 409) {
      theirs = data.current;
      const parts = theirs && merge(base.text.split("\n"), text.value.split("\n"), theirs.text.split("\n"));
      if (parts && parts.every((part) => !part.clash)) await store(joined(parts), theirs, { merged: true });
      else showConflict(parts);
    } else {
      keep();
      showState();
      memdown.toast(data.error);
    }
  };
  const submit = () => { if (dirty()) store(text.value, base); };
  editor.addEventListener("submit", (event) => { event.preventDefault(); submit(); });

  // Both versions stay in sight; what is offered first loses nothing.
  const showConflict = (parts) => {
    const list = $("[data-clashes]"), done = $("[data-resolve]");
    const clashes = (parts || []).filter((part) => part.clash);
    $("[data-conflict-text]").textContent = theirs ? "Nothing was overwritten. Your text and the one on disk differ in " + (clashes.length === 1 ? "one place" : clashes.length + " places") + "; everything else is put together." : "The file is gone from disk. Your text is still here, and can be saved as a new file.";
    list.replaceChildren(...clashes.map((part, number) => {
      part.choice = "both";
      const side = (name, lines) => element("div", { className: "side" }, element("h3", { textContent: name }), element("pre", { tabIndex: 0, textContent: lines.length ? lines.join("\n") : "(nothing)", dir: "auto" }));
      const choose = element("div", { className: "segments", role: "radiogroup", ariaLabel: "Which lines to keep" });
      for (const [value, label] of [["both", "Keep both"], ["mine", "Yours"], ["theirs", "On disk"]]) {
        const radio = element("input", { type: "radio", name: "clash" + number, value, checked: value === "both", onchange: () => { part.choice = value; name(); } });
        choose.append(element("label", {}, radio, element("span", { textContent: label })));
      }
      const before = element("details", {}, element("summary", { textContent: "Before both changes" }), element("pre", { textContent: part.base.join("\n") || "(nothing)", dir: "auto" }));
      return element("li", {}, element("div", { className: "sides" }, side("Yours", part.mine), side("On disk", part.theirs)), before, choose);
    }));
    const name = () => { done.textContent = !theirs ? "Save as a new file" : clashes.every((part) => part.choice === "both") ? "Save both" : "Save this"; };
    name();
    done.onclick = () => { hide(); return theirs ? store(joined(parts), theirs, { merged: true }) : store(text.value, { version: null, text: "" }); };
    $("[data-later]").onclick = () => { hide(); text.focus(); };
    conflict.hidden = false;
    keep();
    showState();
    conflict.scrollIntoView({ block: "start" });
    done.focus({ preventScroll: true });
  };
  const hide = () => { conflict.hidden = true; };

  $$("[data-tab]").forEach((tab) => tab.addEventListener("click", () => {
    editor.classList.toggle("previewing", tab.dataset.tab === "preview");
    $$("[data-tab]").forEach((one) => one.setAttribute("aria-pressed", String(one === tab)));
    if (tab.dataset.tab === "preview") draw();
  }));
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "s") { event.preventDefault(); if (conflict.hidden) submit(); }
    if (event.key === "Escape" && !event.defaultPrevented && !$("dialog[open]")) {
      event.preventDefault();
      if (!conflict.hidden) { hide(); text.focus(); }
      else if (document.activeElement === text && dirty()) text.blur();
      else $("[data-cancel]").click();
    }
  }, true);
  if (dirty()) { keep(); showState(); draw(); }
  // A draft is kept where the browser can; only where it cannot, leaving is asked about.
  addEventListener("beforeunload", (event) => { if (dirty() && !safe) event.preventDefault(); });
  const line = Number(new URLSearchParams(location.search).get("line")) || 0;
  const start = line ? text.value.split("\n").slice(0, line - 1).join("\n").length + (line > 1) : 0;
  if (line || !matchMedia("(max-width: 760px)").matches) {
    text.focus({ preventScroll: true });
    text.setSelectionRange(start, start);
    text.scrollTop = Math.max(0, (line - 4) * parseFloat(getComputedStyle(text).lineHeight));
  }
}

// Three versions → parts: {lines} where all is clear, {clash, base, mine, theirs} where it is not.
// Where both only added something, both additions stay.
function merge(base, mine, theirs) {
  const toMine = matches(base, mine), toTheirs = matches(base, theirs), parts = [];
  if (!toMine || !toTheirs) return [{ clash: true, base, mine, theirs }];
  const same = (a, b) => a.length === b.length && a.every((line, n) => line === b[n]);
  let b = 0, m = 0, t = 0;
  const between = (bEnd, mEnd, tEnd) => {
    const was = base.slice(b, bEnd), ours = mine.slice(m, mEnd), other = theirs.slice(t, tEnd);
    if (same(ours, was)) parts.push({ lines: other });
    else if (same(other, was) || same(ours, other)) parts.push({ lines: ours });
    else if (!was.length) parts.push({ lines: [...other, ...ours] });
    else parts.push({ clash: true, base: was, mine: ours, theirs: other });
  };
  for (let at = 0; at < base.length; at++) {
    if (toMine[at] < m || toTheirs[at] < t || toMine[at] === -1 || toTheirs[at] === -1) continue;
    between(at, toMine[at], toTheirs[at]);
    parts.push({ lines: [base[at]] });
    [b, m, t] = [at + 1, toMine[at] + 1, toTheirs[at] + 1];
  }
  between(base.length, mine.length, theirs.length);
  return parts;
}
function joined(parts) {
  const lines = (part) => part.lines || (part.choice === "mine" ? part.mine : part.choice === "theirs" ? part.theirs : [...part.theirs, ...part.mine]);
  return parts.flatMap(lines).join("\n");
}
// For each line of one text its place in the other, by a longest common part; null if both are huge.
function matches(before, after) {
  const found = new Int32Array(before.length).fill(-1);
  let start = 0, end = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) found[start] = start++;
  while (end < before.length - start && end < after.length - start && before[before.length - 1 - end] === after[after.length - 1 - end]) {
    end++;
    found[before.length - end] = after.length - end;
  }
  const a = before.slice(start, before.length - end), b = after.slice(start, after.length - end);
  if (a.length * b.length > 4e6) return null;
  const table = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) for (let j = b.length - 1; j >= 0; j--)
    table[i][j] = a[i] === b[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) found[start + i++] = start + j++;
    else if (table[i + 1][j] >= table[i][j + 1]) i++; else j++;
  }
  return found;
}
