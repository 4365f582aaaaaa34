// A note: lines that a link names are shown, and the editor.
"use strict";
const note = $("[data-note]"), path = note.dataset.note, lines = $("[data-lines]");

const showLines = () => {
  $$(".hl").forEach((one) => one.classList.remove("hl"));
  const range = /^#L(\d+)(?:-L(\d+))?$/.exec(location.hash);
  if (!range || !lines) return;
  const first = Number(range[1]), last = Math.max(first, Number(range[2] || first));
  let inside = $$("[data-line]", lines).filter((one) => Number(one.dataset.line) <= last && Number(one.dataset.end) >= first);
  inside = inside.filter((one) => !inside.some((other) => other !== one && one.contains(other)) || ownText(one, first, last));
  if (!inside.length) inside = $$("[data-line]", lines).filter((one) => Number(one.dataset.line) <= first).slice(-1);
  inside.forEach((one) => one.classList.add("hl"));
  inside[0]?.scrollIntoView({ block: inside.length > 12 ? "start" : "center" });
};
// A list item with a list inside: its own first line counts, if it is in the range.
const ownText = (one, first, last) => one.tagName === "LI" && Number(one.dataset.line) >= first && Number(one.dataset.end) <= last;
addEventListener("hashchange", showLines);
showLines();
$$("[data-keep-lines]").forEach((link) => link.addEventListener("click", () => { if (location.hash) link.hash = location.hash; }));

const editor = $("[data-editor]");
if (editor) {
  const text = $("[data-text]"), preview = $("[data-preview]"), save = $("[type=submit]", editor), state = $("[data-state]");
  const conflict = $("[data-conflict]");
  let version = note.dataset.version, saved = text.defaultValue, theirs = null, previewing = 0;
  const dirty = () => text.value !== saved;
  const showState = () => {
    save.disabled = !dirty();
    state.textContent = dirty() ? "Not saved yet" : "No changes";
  };
  const draw = async () => {
    const turn = ++previewing;
    const { ok, data } = await memdown.call("POST", "/api/preview", { text: text.value, path });
    if (ok && turn === previewing) preview.innerHTML = data.html;
  };
  let waiting = 0;
  text.addEventListener("input", () => { showState(); clearTimeout(waiting); waiting = setTimeout(draw, 60); });
  const store = async (base) => {
    save.disabled = true;
    const { ok, status, data } = await memdown.write("PUT", "/api/notes/" + path.split("/").map(encodeURIComponent).join("/"), { text: text.value, base });
    if (ok) {
      saved = text.value;
      location.href = memdown.noteUrl(data.path);
    } else if (status === 409) {
      theirs = data.current;
      showConflict();
    } else {
      showState();
      memdown.toast(data.error);
    }
  };
  editor.addEventListener("submit", (event) => { event.preventDefault(); if (dirty()) store(version); });
  const showConflict = () => {
    const box = $("[data-conflict-diff]");
    box.textContent = "";
    $("[data-conflict-text]").textContent = theirs ? "Nothing was overwritten. Red stands on disk only, green in your version only." : "The file is gone from disk. Your text is still here.";
    if (theirs) for (const [kind, line] of difference(theirs.text.split("\n"), text.value.split("\n"))) {
      const row = document.createElement("div"), sign = document.createElement("span"), code = document.createElement("code");
      row.className = { "+": "plus", "-": "minus", " ": "same" }[kind];
      sign.textContent = { "+": "+", "-": "−", " ": "" }[kind];
      code.textContent = line || " ";
      row.append(sign, code);
      box.append(row);
    }
    box.hidden = !theirs;
    $("[data-take-theirs]").hidden = !theirs;
    conflict.hidden = false;
    conflict.scrollIntoView({ block: "start" });
    showState();
    ($("[data-take-theirs]:not([hidden])") || $("[data-keep-mine]")).focus();
  };
  $("[data-take-theirs]").addEventListener("click", () => {
    text.value = saved = theirs.text;
    version = theirs.version;
    conflict.hidden = true;
    showState();
    draw();
    text.focus();
  });
  $("[data-keep-mine]").addEventListener("click", () => { conflict.hidden = true; version = theirs ? theirs.version : null; store(version); });
  $$("[data-tab]").forEach((tab) => tab.addEventListener("click", () => {
    editor.classList.toggle("previewing", tab.dataset.tab === "preview");
    $$("[data-tab]").forEach((one) => one.setAttribute("aria-pressed", String(one === tab)));
    if (tab.dataset.tab === "preview") draw();
  }));
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "s") { event.preventDefault(); if (dirty()) store(version); }
    if (event.key === "Escape" && !event.defaultPrevented && !$("#keys").open) {
      event.preventDefault();
      if (document.activeElement === text && dirty()) text.blur();
      else $("[data-cancel]").click();
    }
  }, true);
  if (dirty()) { showState(); draw(); }
  addEventListener("beforeunload", (event) => { if (dirty()) event.preventDefault(); });
  if (!matchMedia("(max-width: 760px)").matches) { text.focus(); text.setSelectionRange(0, 0); text.scrollTop = 0; }
}

// The lines of two versions side by side: same start and end, and a longest common part between.
function difference(before, after) {
  let start = 0, end = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  while (end < before.length - start && end < after.length - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  const a = before.slice(start, before.length - end), b = after.slice(start, after.length - end);
  const middle = a.length * b.length > 4e6 ? [...a.map((line) => ["-", line]), ...b.map((line) => ["+", line])] : common(a, b);
  const around = 3;
  return [
    ...before.slice(Math.max(0, start - around), start).map((line) => [" ", line]),
    ...middle,
    ...before.slice(before.length - end, before.length - end + around).map((line) => [" ", line]),
  ];
}
function common(a, b) {
  const table = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) for (let j = b.length - 1; j >= 0; j--)
    table[i][j] = a[i] === b[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
  const rows = [];
  let i = 0, j = 0;
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) { rows.push([" ", a[i]]); i++; j++; }
    else if (table[i + 1][j] >= table[i][j + 1]) rows.push(["-", a[i++]]);
    else rows.push(["+", b[j++]]);
  }
  while (i < a.length) rows.push(["-", a[i++]]);
  while (j < b.length) rows.push(["+", b[j++]]);
  return rows;
}
