// The map: all chunks on a canvas. Points of one colour are drawn in one path, and only once a
// frame, so that 20,000 of them stay smooth.
"use strict";
const canvas = $("[data-canvas]"), stage = canvas.parentElement, tip = $("[data-tip]"), legend = $("[data-legend]"), remark = $("[data-map-note]");
const context = canvas.getContext("2d");
const view = { scale: 1, x: 0, y: 0 };
let map = null, colours = [], groups = [], by = "age", hovered = -1, found = new Map(), asked = null, grid = null, frame = 0, drawn = 0;

const paint = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const PALETTE = { light: ["#0f6b5c", "#b4552d", "#4463b0", "#8a6d0f", "#8b4a86", "#4d7c2c", "#77706a"], dark: ["#62c7b2", "#ee9468", "#8fabf2", "#dcbc55", "#d392cd", "#9ccb74", "#a09a8f"] };
const AGES = [[7, "this week"], [31, "this month"], [92, "three months"], [366, "a year"], [Infinity, "older"]];
const isDark = () => paint("color-scheme") === "dark" || (document.documentElement.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
const AGE_COLOURS = { light: ["#0f6b5c", "#3f9a86", "#83bcae", "#b3cdc5", "#d2d7d0"], dark: ["#8ff0da", "#4fb9a3", "#34806f", "#2b5a50", "#2a443e"] };

const folderOf = (path) => { const parts = path.split("/"); return parts.length > 2 ? parts[parts.length - 2] : parts.length === 2 ? (/^\d{4}-\d\d-\d\d/.test(parts[1]) ? "daily logs" : "topics") : "MEMORY.md"; };
const regroup = () => {
  const mode = isDark() ? "dark" : "light";
  if (by === "age") {
    const today = Date.now();
    const group = map.files.map((file) => file.date ? AGES.findIndex(([days]) => (today - Date.parse(file.date)) / 864e5 <= days) : AGES.length);
    groups = map.file.map((file) => group[file]);
    colours = [...AGE_COLOURS[mode], mode === "dark" ? "#c9a86a" : "#b08d4f"];
    names = [...AGES.map(([, name]) => name), "no date"];
  } else {
    const count = new Map();
    const folders = map.files.map((file) => folderOf(file.path));
    for (const file of map.file) count.set(folders[file], (count.get(folders[file]) || 0) + 1);
    const top = [...count].sort((a, b) => b[1] - a[1]).map(([name]) => name);
    names = top.length > 7 ? [...top.slice(0, 6), "other"] : top;
    groups = map.file.map((file) => Math.min(top.indexOf(folders[file]), 6));
    colours = PALETTE[mode];
  }
  legend.textContent = "";
  const used = new Set(groups);
  names.forEach((name, index) => {
    if (!used.has(index)) return;
    const item = document.createElement("span");
    item.innerHTML = '<svg width="9" height="9" aria-hidden="true"><circle cx="4.5" cy="4.5" r="4.5"/></svg>';
    $("circle", item).setAttribute("fill", colours[index]);
    item.append(name);
    legend.append(item);
  });
  redraw();
};
let names = [];

const place = (x, y) => {
  const margin = 34, width = stage.clientWidth - 2 * margin, height = stage.clientHeight - 2 * margin - 26;
  return [margin + (x / map.side) * width * view.scale + view.x, margin + (1 - y / map.side) * height * view.scale + view.y];
};
const redraw = () => { if (!frame) frame = requestAnimationFrame(draw); };
const draw = () => {
  frame = 0;
  const ratio = devicePixelRatio || 1, width = stage.clientWidth, height = stage.clientHeight;
  if (canvas.width !== width * ratio || canvas.height !== height * ratio) { canvas.width = width * ratio; canvas.height = height * ratio; }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  if (!map) return;
  const began = performance.now(), total = map.x.length;
  const radius = (total > 8000 ? 1.6 : total > 1500 ? 2.4 : total > 400 ? 3.4 : 4.6) * Math.min(2, Math.sqrt(view.scale));
  const faint = found.size > 0;
  const buckets = colours.map(() => []);
  const [x0, y0] = place(0, 0), [x1, y1] = place(map.side, map.side), kx = (x1 - x0) / map.side, ky = (y1 - y0) / map.side;
  for (let i = 0; i < total; i++) {
    const x = x0 + map.x[i] * kx, y = y0 + map.y[i] * ky;
    if (x < -9 || y < -9 || x > width + 9 || y > height + 9 || (faint && found.has(i))) continue;
    buckets[groups[i]].push(x, y);
  }
  context.globalAlpha = faint ? 0.22 : total > 3000 ? 0.75 : 0.88;
  for (let group = buckets.length - 1; group >= 0; group--) {
    const points = buckets[group];
    if (!points.length) continue;
    context.fillStyle = colours[group];
    if (radius < 2) { for (let i = 0; i < points.length; i += 2) context.fillRect(points[i] - radius, points[i + 1] - radius, 2 * radius, 2 * radius); continue; }
    context.beginPath();
    for (let i = 0; i < points.length; i += 2) { context.moveTo(points[i] + radius, points[i + 1]); context.arc(points[i], points[i + 1], radius, 0, 6.2832); }
    context.fill();
  }
  context.globalAlpha = 1;
  if (!faint) label(buckets, radius);
  const text = paint("--text"), surface = paint("--surface"), accent = paint("--accent");
  const size = Math.max(6, radius + 2), taken = [];
  for (const i of found.keys()) {
    const [x, y] = place(map.x[i], map.y[i]);
    dot([x, y], size, colours[groups[i]], text);
    taken.push([x - size - 3, y - size - 3, x + size + 3, y + size + 3]);
  }
  context.font = "600 12px system-ui, sans-serif";
  context.fillStyle = text;
  for (const [i, rank] of found) {
    const at = place(map.x[i], map.y[i]);
    if (!write(taken, rank + "  " + nameOf(map.files[map.file[i]].path), at, size + 2)) write(taken, String(rank), at, size + 2);
  }
  if (asked) {
    const [x, y] = place(asked.x, asked.y);
    context.strokeStyle = accent;
    context.lineWidth = 2;
    context.beginPath();
    context.arc(x, y, 11, 0, 6.2832);
    context.moveTo(x - 17, y); context.lineTo(x - 5, y); context.moveTo(x + 5, y); context.lineTo(x + 17, y);
    context.moveTo(x, y - 17); context.lineTo(x, y - 5); context.moveTo(x, y + 5); context.lineTo(x, y + 17);
    context.stroke();
  }
  if (hovered >= 0) dot(place(map.x[hovered], map.y[hovered]), Math.max(7, radius + 3), colours[groups[hovered]], text);
  drawn = performance.now() - began;
  canvas.dataset.drawn = drawn.toFixed(1);
  canvas.dataset.points = total;
  function dot([x, y], size, fill, ring) {
    context.beginPath();
    context.arc(x, y, size, 0, 6.2832);
    context.fillStyle = fill;
    context.fill();
    context.lineWidth = 2;
    context.strokeStyle = surface;
    context.stroke();
    context.lineWidth = 1.5;
    context.strokeStyle = ring;
    context.beginPath();
    context.arc(x, y, size + 1.5, 0, 6.2832);
    context.stroke();
  }
};

// Names beside the points, as far as they do not touch each other or hide a point.
const label = (buckets, radius) => {
  const shown = buckets.reduce((sum, points) => sum + points.length / 2, 0);
  if (shown > 400) return;
  context.font = "11px system-ui, sans-serif";
  context.fillStyle = paint("--dim");
  const taken = buckets.flatMap((points) => { const boxes = []; for (let i = 0; i < points.length; i += 2) boxes.push([points[i] - radius - 1, points[i + 1] - radius - 1, points[i] + radius + 1, points[i + 1] + radius + 1]); return boxes; });
  const named = new Set();
  for (let i = 0; i < map.x.length; i++) {
    const file = map.file[i];
    if (named.has(file)) continue;
    if (write(taken, nameOf(map.files[file].path), place(map.x[i], map.y[i]), radius)) named.add(file);
  }
};
// A text to the right or the left of a point, below or above it, wherever there is room.
const write = (taken, name, [x, y], radius) => {
  const width = context.measureText(name).width, gap = radius + 4;
  for (const [left, line] of [[x + gap, y], [x - gap - width, y], [x - width / 2, y + gap + 7], [x - width / 2, y - gap - 7]]) {
    const box = [left - 2, line - 7, left + width + 2, line + 7];
    if (box[0] < 4 || box[2] > stage.clientWidth - 4 || taken.some((one) => one[0] < box[2] && one[2] > box[0] && one[1] < box[3] && one[3] > box[1])) continue;
    taken.push(box);
    context.fillText(name, left, line + 4);
    return true;
  }
  return false;
};
const nameOf = (path) => path.slice(path.lastIndexOf("/") + 1).replace(/\.(md|jsonl)$/, "");

// Finding the point under the pointer: a coarse grid over the square, made once.
const CELLS = 64;
const makeGrid = () => {
  grid = Array.from({ length: CELLS * CELLS }, () => []);
  for (let i = 0; i < map.x.length; i++) grid[cell(map.x[i]) + CELLS * cell(map.y[i])].push(i);
};
const cell = (value) => Math.min(CELLS - 1, Math.max(0, Math.floor((value / map.side) * CELLS)));
const nearest = (px, py, reach = 14) => {
  if (!map) return -1;
  const [x0, y0] = place(0, 0), [x1, y1] = place(map.side, map.side);
  const sx = map.side / (x1 - x0), sy = map.side / (y1 - y0);
  const left = cell((px - reach - x0) * sx), right = cell((px + reach - x0) * sx), a = cell((py - reach - y0) * sy), b = cell((py + reach - y0) * sy);
  let best = -1, distance = reach * reach;
  for (let row = Math.min(a, b); row <= Math.max(a, b); row++) for (let column = left; column <= right; column++) for (const i of grid[column + CELLS * row]) {
    const [x, y] = place(map.x[i], map.y[i]), d = (x - px) ** 2 + (y - py) ** 2;
    if (d < distance) { distance = d; best = i; }
  }
  return best;
};
const urlOf = (i) => {
  const path = map.files[map.file[i]].path;
  const lines = "#L" + map.line[i] + (map.end[i] > map.line[i] ? "-L" + map.end[i] : "");
  return path.endsWith(".jsonl") ? "/" + path.slice(0, -6) + lines : memdown.noteUrl(path) + lines;
};
let asking = 0;
const hover = (i) => {
  canvas.classList.toggle("pointing", i >= 0);
  if (i === hovered) return;
  hovered = i;
  redraw();
  clearTimeout(asking);
  if (i < 0) { tip.hidden = true; return; }
  const file = map.files[map.file[i]];
  showTip(i, file, "");
  asking = setTimeout(async () => {
    const { ok, data } = await memdown.call("GET", "/api/map/points/" + i);
    if (ok && hovered === i) showTip(i, file, data.text, data.heading);
  }, 40);
};
const showTip = (i, file, text, heading) => {
  tip.textContent = "";
  const name = document.createElement("strong"), body = document.createElement("p");
  name.textContent = file.path + " L" + map.line[i];
  body.textContent = text;
  tip.append(name, body);
  tip.hidden = false;
  const [x, y] = place(map.x[i], map.y[i]);
  const left = x + 18 + tip.offsetWidth > stage.clientWidth ? x - 18 - tip.offsetWidth : x + 18;
  tip.style.transform = "translate(" + Math.max(8, Math.min(left, stage.clientWidth - tip.offsetWidth - 8)) + "px," + Math.max(8, Math.min(y - 20, stage.clientHeight - tip.offsetHeight - 8)) + "px)";
};

const zoom = (factor, px = stage.clientWidth / 2, py = stage.clientHeight / 2) => {
  const scale = Math.min(40, Math.max(1, view.scale * factor)), real = scale / view.scale, margin = 34;
  view.x = px - margin - (px - margin - view.x) * real;
  view.y = py - margin - (py - margin - view.y) * real;
  view.scale = scale;
  if (scale === 1) view.x = view.y = 0;
  tip.hidden = true;
  hovered = -1;
  redraw();
};
canvas.addEventListener("wheel", (event) => { event.preventDefault(); zoom(Math.exp(-event.deltaY * 0.002), event.offsetX, event.offsetY); }, { passive: false });
const fingers = new Map();
let moved = 0;
canvas.addEventListener("pointerdown", (event) => { fingers.set(event.pointerId, [event.offsetX, event.offsetY]); moved = 0; canvas.setPointerCapture(event.pointerId); });
canvas.addEventListener("pointermove", (event) => {
  const before = fingers.get(event.pointerId);
  if (!before) { hover(nearest(event.offsetX, event.offsetY)); return; }
  const now = [event.offsetX, event.offsetY];
  if (fingers.size === 2) {
    const other = [...fingers].find(([id]) => id !== event.pointerId)[1];
    zoom(Math.hypot(now[0] - other[0], now[1] - other[1]) / Math.max(1, Math.hypot(before[0] - other[0], before[1] - other[1])), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
    moved = 99;
  } else {
    moved += Math.abs(now[0] - before[0]) + Math.abs(now[1] - before[1]);
    if (moved > 4) { canvas.classList.add("dragging"); view.x += now[0] - before[0]; view.y += now[1] - before[1]; tip.hidden = true; hovered = -1; redraw(); }
  }
  fingers.set(event.pointerId, now);
});
const lift = (event) => {
  canvas.classList.remove("dragging");
  if (fingers.delete(event.pointerId) && event.type === "pointerup" && moved <= 4) {
    const i = nearest(event.offsetX, event.offsetY, event.pointerType === "touch" ? 24 : 14);
    // A finger cannot hover: its first tap shows the point, the second opens it.
    if (event.pointerType === "touch" && i !== hovered) hover(i);
    else if (i >= 0) location.href = urlOf(i);
  }
};
canvas.addEventListener("pointerup", lift);
canvas.addEventListener("pointercancel", lift);
canvas.addEventListener("pointerleave", () => { if (!fingers.size && document.activeElement !== canvas) hover(-1); });
canvas.addEventListener("keydown", (event) => {
  const step = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  if (event.key === "Enter" && hovered >= 0) location.href = urlOf(hovered);
  if (event.key === "+" || event.key === "-") zoom(event.key === "+" ? 1.5 : 1 / 1.5);
  if (!step || !map) return;
  event.preventDefault();
  const [x, y] = hovered >= 0 ? place(map.x[hovered], map.y[hovered]) : [stage.clientWidth / 2, stage.clientHeight / 2];
  let best = -1, score = Infinity;
  for (let i = 0; i < map.x.length; i++) {
    const [px, py] = place(map.x[i], map.y[i]), along = (px - x) * step[0] + (py - y) * step[1], aside = Math.abs((px - x) * step[1]) + Math.abs((py - y) * step[0]);
    if (along > 0.5 && along + 2.5 * aside < score) { score = along + 2.5 * aside; best = i; }
  }
  if (best >= 0) hover(best);
});
$$("[data-zoom]").forEach((one) => one.addEventListener("click", () => { if (one.dataset.zoom === "reset") { view.scale = 1; view.x = view.y = 0; redraw(); } else zoom(one.dataset.zoom === "in" ? 1.6 : 1 / 1.6); }));
$$("[data-colour]").forEach((one) => one.addEventListener("click", () => {
  by = one.dataset.colour;
  $$("[data-colour]").forEach((other) => other.setAttribute("aria-pressed", String(other === one)));
  if (map) regroup();
}));

const box = $("#map-q");
let turn = 0;
const ask = async () => {
  const query = box.value.trim(), mine = ++turn;
  history.replaceState(null, "", query ? "/map?q=" + encodeURIComponent(query) : "/map");
  if (!query) { found = new Map(); asked = null; describe(); redraw(); return; }
  const given = encodeURIComponent(query);
  const [where, answer] = await Promise.all([memdown.call("GET", "/api/map/query?q=" + given), memdown.call("GET", "/api/search?limit=10&q=" + given)]);
  if (mine !== turn) return;
  asked = where.ok && where.data.x !== null ? where.data : null;
  found = new Map();
  for (const [rank, hit] of (answer.ok ? answer.data.results : []).entries()) {
    const file = map.files.findIndex((one) => one.path === hit.path);
    for (let i = 0; i < map.x.length; i++) if (map.file[i] === file && map.line[i] <= hit.endLine && map.end[i] >= hit.startLine && !found.has(i)) { found.set(i, rank + 1); break; }
  }
  describe();
  redraw();
};
const describe = () => {
  const total = map.x.length.toLocaleString() + (map.x.length === 1 ? " chunk" : " chunks");
  remark.textContent = asked || found.size ? "The crosshair is your question; the numbers are the best places for it" : total + ", near to each other where they mean the same";
};
let typing = 0;
box.addEventListener("input", () => { clearTimeout(typing); typing = setTimeout(ask, 120); });
$("[data-map-search]").addEventListener("submit", (event) => { event.preventDefault(); ask(); });
new ResizeObserver(redraw).observe(stage);
document.addEventListener("themechange", () => { if (map) regroup(); });

(async () => {
  const { ok, data } = await memdown.call("GET", "/api/map");
  if (!ok) { remark.textContent = data.error; return; }
  map = data;
  if (!map.x.length) { remark.textContent = "There is nothing to draw yet: search once, or press Rebuild on the index page. Without an embedder there is no map."; return; }
  makeGrid();
  describe();
  regroup();
  if (box.value.trim()) ask();
})();
