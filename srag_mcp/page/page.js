// The page of `srag-mcp view`. Whatever documents say becomes text nodes: nothing here makes markup.
"use strict";

const PAGE_ROWS = 100, PAGE_ENTRIES = 20;
const $ = (id) => document.getElementById(id);
const embedded = $("data") && JSON.parse($("data").textContent);
const STATES = { stated: "stated", stated_absent: "says there is none", not_mentioned: "not mentioned", failed: "could not be read", corrected: "corrected" };
const LISTS = {
  corrections: ["Corrections that wait", "What they replaced is read otherwise by now, or an agent set them."],
  disagreements: ["Disagreements", "Model and rule read different values; the first is in the table."],
  suspects: ["Suspects", "The words of the document do not show the value, or say otherwise."],
  failed: ["Could not be read", "The document says something that fits no value of the column."],
  names: ["United names", "Spellings that are taken for one thing."],
  gaps: ["Gaps", "Documents in which nothing was found; columns with few of them first."],
};
const MUST = { is: "is", has: "contains", from: "is at least", to: "is at most", filled: "is known", empty: "is not known" };
let corpus = null, counts = null, turn = 0, opener = null;
const asked = [];

// --- elements ---------------------------------------------------------------------------------

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "width%") node.style.width = `${value}%`;
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}
const el = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);
const svg = (name, attributes = {}, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
const button = (says, act, more = {}) => el("button", { type: "button", onclick: act, ...more }, says);
const label = (says, control, hidden = false) =>
  el("label", {}, el("span", { class: hidden ? "unseen" : null }, says), control);
const options = (pairs, chosen) =>
  pairs.map(([value, says]) => el("option", { value, selected: value === chosen }, says));
const count = (n) => Number(n).toLocaleString("en");
const plural = (n, one) => `${count(n)} ${one}${n === 1 ? "" : "s"}`;
const shortId = (id) => String(id).split("/").pop() || String(id);
const short = (x) => Number(Math.abs(x) >= 1 ? x.toFixed(3) : x.toPrecision(4));
const shown = (value) => value === true ? "yes" : value === false ? "no" : String(Number.isFinite(value) && !Number.isInteger(value) ? short(value) : value);
const isNumber = (value) => typeof value === "number";

function say(text, aloud = false) { // aloud: for who does not see it; others do
  $("said").className = aloud ? "unseen" : "";
  $("said").textContent = text;
  clearTimeout(say.timer);
  say.timer = setTimeout(() => { $("said").textContent = ""; }, 8000);
}
const problem = (error, again) =>
  el("div", { class: "problem", role: "alert" }, el("p", {}, error.message), again && button("Try again", again));

// --- where facts come from: the server, or this file -------------------------------------------

async function ask(name, params = {}, body = null) {
  if (embedded) return offline[name](params);
  const query = new URLSearchParams(Object.entries(params).filter(([, value]) => value !== "" && value !== null));
  const headers = { "X-Srag-Token": sessionStorage.getItem("token") || "" };
  let answer;
  try {
    answer = body
      ? await fetch(`api/${name}`, { method: "POST", headers: { ...headers, "Content-Type": "application/json" }, body: JSON.stringify(body) })
      : await fetch(`api/${name}?${query}`, { headers });
  } catch {
    throw new Error("The page has no answer: does the command that printed its address still run?");
  }
  const found = await answer.json().catch(() => ({ error: `The page failed (${answer.status}).` }));
  if (!answer.ok) throw new Error(found.error);
  return found;
}

const offline = {
  corpus: () => embedded.corpus,
  worklists: () => embedded.worklists,
  spreads: ({ table }) => embedded.tables[table].spreads,
  cells: ({ table, ids }) => {
    const wanted = new Set(JSON.parse(ids));
    return embedded.tables[table].rows.filter(([row]) => wanted.has(row[0])).flatMap(([row, cells]) =>
      cells.map((cell) => ({ document_id: row[0], ...cell })));
  },
  entries: ({ kind, column, offset }) =>
    embedded.entries[kind].filter((entry) => !column || entry.column === column).slice(offset, offset + PAGE_ENTRIES),
  rows: ({ table, search, sort, filters, offset }) => {
    const columns = columnsOf(table), low = (value) => String(value ?? "").toLowerCase();
    const tests = JSON.parse(filters || "[]").map(({ column, must, value }) => {
      const at = columns.indexOf(column), sought = low(value);
      return (row) => {
        const held = row[at];
        if (must === "filled" || must === "empty") return (held === null) === (must === "empty");
        if (held === null) return false;
        if (must === "has") return low(held).includes(sought);
        const [a, b] = isNumber(held) ? [held, Number(value)] : [low(held), sought];
        return must === "is" ? a === b : must === "from" ? a >= b : a <= b;
      };
    });
    for (const word of low(search).split(/\s+/).filter(Boolean)) {
      tests.push((row) => row.some((held) => low(held).includes(word)));
    }
    const rows = embedded.tables[table].rows.map(([row]) => row).filter((row) => tests.every((test) => test(row)));
    if (sort) {
      const at = columns.indexOf(sort.replace(/^-/, "")), way = sort[0] === "-" ? -1 : 1;
      rows.sort((a, b) => a[at] === null ? (b[at] === null ? 0 : 1) : b[at] === null ? -1
        : a[at] < b[at] ? -way : a[at] > b[at] ? way : 0);
    }
    return { columns, rows: rows.slice(offset, offset + PAGE_ROWS), total: rows.length, offset };
  },
  document: ({ id }) => {
    const tables = Object.values(embedded.tables).flatMap((table) => table.rows);
    const rows = tables.filter(([row]) => row[0] === id);
    return { id, title: shortId(id), path: id, cells: rows.flatMap(([, cells]) => cells), pieces: null };
  },
};

const tableOf = (name) => corpus.tables.find((table) => table.name === name) || corpus.tables[0];
const columnsOf = (name) => [...tableOf(name).keys, ...tableOf(name).columns.map((item) => item.column)];
const columnOf = (table, name) => tableOf(table).columns.find((item) => item.column === name);

// --- where the reader is: #view?key=value --------------------------------------------------------

function here() {
  const [view, query] = location.hash.slice(1).split("?");
  return [views[view] ? view : "table", Object.fromEntries(new URLSearchParams(query))];
}
function go(view, params = {}) {
  const kept = Object.entries(params).filter(([, value]) => value !== "" && value !== undefined && value !== null);
  const hash = `#${view}${kept.length ? `?${new URLSearchParams(kept)}` : ""}`;
  if (hash === location.hash) render();
  else location.hash = hash;
}

async function render() {
  const [view, params] = here(), mine = ++turn, main = $("main");
  for (const link of $("views").children) {
    if (link.dataset.view === view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  main.setAttribute("aria-busy", "true");
  let parts;
  try {
    parts = await views[view].show(params);
  } catch (error) {
    parts = [problem(error, render)];
  }
  if (mine !== turn) return;
  const held = main.contains(document.activeElement) && document.activeElement.closest("[id]").id;
  main.replaceChildren(...[parts].flat().filter(Boolean));
  main.className = view;
  main.removeAttribute("aria-busy");
  if (held) ($(held) || main).focus();
  performance.mark(`shown ${view}`);
}

async function begin() {
  const token = location.hash.match(/^#token=(.+)$/);
  if (token) {
    sessionStorage.setItem("token", token[1]);
    history.replaceState(null, "", `${location.pathname}#table`);
  }
  $("skip").addEventListener("click", () => $("main").focus());
  document.addEventListener("keydown", (event) => { if (event.key === "Escape" && !$("panel").hidden) closePanel(); });
  for (const [view, { name, served }] of Object.entries(views)) {
    if (served && embedded) continue;
    const link = el("a", { href: `#${view}` }, name);
    link.dataset.view = view;
    $("views").append(link);
  }
  try {
    await refresh();
  } catch (error) {
    $("main").replaceChildren(problem(error, () => location.reload()));
    return;
  }
  window.addEventListener("hashchange", render);
  await render();
  ask("worklists").then(showCounts, () => {});
}

async function refresh() {
  corpus = await ask("corpus");
  document.title = `${corpus.title} – srag-mcp`;
  $("title").textContent = corpus.title;
  const failed = corpus.failed ? `, ${plural(corpus.failed, "file")} could not be read` : "";
  const corrected = corpus.corrected ? `, ${plural(corpus.corrected, "cell")} corrected` : "";
  const at = new Date(corpus.built_at), day = isNaN(at) ? corpus.built_at : at.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
  $("about").replaceChildren(`${plural(corpus.documents, "document")}, ${plural(corpus.tables[0].columns.length, "column")}${corrected}${failed}. Read by engine ${corpus.engine}, ${day}.`);
  document.querySelector(".kinds")?.remove();
  const mine = (name) => corpus.name.endsWith(`/${name}`) ? "page" : null;
  if (corpus.kinds?.length) document.querySelector(".names").append(el("nav", { class: "kinds", "aria-label": "Kinds of documents" },
    corpus.kinds.map((name) => [el("a", { href: `../${encodeURIComponent(name)}/`, "aria-current": mine(name) }, name), " "])));
  document.querySelector(".notices")?.remove();
  const told = [...corpus.notices];
  if (embedded) told.unshift(`This is a copy to read, of ${day}: “srag-mcp view ${corpus.name}” adds the text of the documents around each quote, questions, search, corrections and all rows.`);
  if (told.length) document.querySelector("header").after(el("details", { class: "notices" }, el("summary", {}, told[0], told.length > 1 && ` (and ${told.length - 1} more)`),
    el("ul", {}, told.map((text) => el("li", {}, text)))));
}
function showCounts(found) {
  counts = found;
  const total = Object.entries(found).flatMap(([kind, columns]) => kind === "gaps" ? [] : Object.values(columns)).reduce((a, b) => a + b, 0);
  const link = [...$("views").children].find((item) => item.dataset.view === "check");
  link.replaceChildren("To check", total ? el("span", { class: "badge" }, count(total)) : "");
  if (here()[0] === "check") render();
}

// --- the table -----------------------------------------------------------------------------------

async function showTable(params) {
  const table = tableOf(params.table), filters = JSON.parse(params.filters || "[]");
  const offset = Number(params.offset || 0);
  const again = (more) => go("table", { ...params, offset: "", ...more });
  const setFilters = (kept) => again({ filters: kept.length ? JSON.stringify(kept) : "" });
  const tools = el("div", { class: "tools" },
    corpus.tables.length > 1 && label("Table", el("select", { id: "of-table", onchange: (event) => go("table", { table: event.target.value }) },
      options(corpus.tables.map(({ name }) => [name, name]), table.name)), true),
    el("form", { role: "search", onsubmit: (event) => { event.preventDefault(); again({ search: event.target.elements.search.value }); } },
      label("Find in rows", el("input", { type: "search", name: "search", id: "search", value: params.search || "", placeholder: "Find in rows", onsearch: (event) => again({ search: event.target.value }) }), true)),
    filterForm(table, (filter) => setFilters([...filters, filter])),
    filters.map((filter, at) => button(`${filter.column} ${MUST[filter.must]} ${filter.value || ""} ✕`,
      () => setFilters(filters.filter((_, n) => n !== at)), { class: "chip", "aria-label": `Take off: ${filter.column} ${MUST[filter.must]} ${filter.value || ""}` })));
  let found;
  try {
    found = await ask("rows", { table: table.name, search: params.search || "", sort: params.sort || "", filters: params.filters || "", offset });
  } catch (error) {
    return [tools, problem(error, render)];
  }
  const last = found.offset + found.rows.length, isLast = found.total === null ? found.rows.length < PAGE_ROWS : last >= found.total;
  const of = found.total === null ? "of more than could be counted" : `of ${plural(found.total, "row")}`;
  const pager = el("div", { class: "pager" },
    el("span", { id: "shown-rows" }, found.rows.length ? `${count(found.offset + 1)}–${count(last)} ${of}` : "no rows"),
    (offset > 0 || !isLast) && [
      button("Previous", () => again({ offset: Math.max(0, offset - PAGE_ROWS) || "" }), { id: "previous", disabled: !offset }),
      button("Next", () => again({ offset: offset + PAGE_ROWS }), { id: "next", disabled: isLast })]);
  tools.append(pager);
  if (!found.rows.length) {
    const none = params.search || filters.length ? "No row has all that." : "There are no records yet.";
    return [tools, el("div", { class: "empty" }, el("p", {}, none),
      (params.search || filters.length > 0) && button("Show all rows", () => go("table", { table: params.table })))];
  }
  return [tools, el("div", { class: "sheet" }, grid(table, found, params, again))];
}

function filterForm(table, add) {
  const form = el("form", { class: "filter", onsubmit: (event) => {
    event.preventDefault();
    const { column, must, value } = event.target.elements;
    add({ column: column.value, must: must.value, value: value.value });
  } },
  label("Column", el("select", { name: "column" }, options(columnsOf(table.name).map((name) => [name, name])))),
  label("must", el("select", { name: "must" }, options(Object.entries(MUST)))),
  label("Value", el("input", { name: "value", autocomplete: "off" })), el("button", {}, "Add"));
  return el("details", { class: "menu" }, el("summary", {}, "Filter"), form);
}

function grid(table, found, params, again) {
  const sorted = (params.sort || "").replace(/^-/, ""), down = (params.sort || "")[0] === "-";
  const heads = found.columns.map((name, at) => {
    const about = columnOf(table.name, name);
    const next = sorted !== name ? name : down ? "" : `-${name}`;
    return el("th", { scope: "col", class: about?.sorts, "aria-sort": sorted === name ? (down ? "descending" : "ascending") : null },
      button([at || about ? name : "document", el("span", { "aria-hidden": "true" }, sorted === name ? (down ? " ↓" : " ↑") : "")],
        () => again({ sort: next }), { id: `sort-${name}`, tabindex: "-1", title: "Sort" }),
      about && el("span", { class: "head" },
        el("small", {}, about.unit || about.type),
        button(`${Math.floor(100 * about.n_non_null / Math.max(1, about.n_records))} %`, () => openColumn(table.name, name),
          { class: "about", tabindex: "-1", "aria-label": `About ${name}: known in ${about.n_non_null} of ${about.n_records} rows` })),
      about && fillBar(about));
  });
  const rows = found.rows.map((row, number) => el("tr", {}, row.map((value, at) => {
    const column = found.columns[at], about = columnOf(table.name, column);
    const open = () => openDocument(row[0], { table: table.name, column: about ? column : "", position: table.keys.length > 1 ? row[1] : undefined });
    const says = value === null ? el("span", { class: "none" }, "·", el("span", { class: "unseen" }, "not known"))
      : column === "document_id" ? shortId(value) : shown(value);
    return el(at ? "td" : "th", { scope: at ? null : "row", tabindex: "-1", class: about?.sorts, title: value === null ? null : String(value),
      "data-cell": `${number} ${column}`, onclick: open }, el("span", { class: "value" }, says));
  })));
  const made = el("table", { role: "grid", "aria-label": `Rows of ${table.name}`, "aria-rowcount": found.total === null ? -1 : found.total + 1, onkeydown: moveInGrid },
    el("thead", {}, el("tr", {}, heads)), el("tbody", {}, rows));
  const first = made.tBodies[0].rows[0].cells[0];
  first.tabIndex = 0;
  made.current = first;
  made.addEventListener("focusin", (event) => {
    const cell = event.target.closest("th, td");
    for (const part of stops(made.current)) part.tabIndex = -1;
    for (const part of stops(cell)) part.tabIndex = 0;
    made.current = cell;
  });
  ask("cells", { table: table.name, ids: JSON.stringify([...new Set(found.rows.map((row) => row[0]))]) })
    .then((cells) => markCells(made, table, found, cells), () => {});
  return made;
}
const stops = (cell) => cell.querySelector("button") ? [...cell.querySelectorAll("button")] : [cell];

function moveInGrid(event) {
  const table = event.currentTarget, cell = table.current, row = cell.parentElement, at = cell.cellIndex;
  const steps = { ArrowRight: row.cells[at + 1], ArrowLeft: row.cells[at - 1], Home: row.cells[0], End: row.cells[row.cells.length - 1],
    ArrowDown: table.rows[row.rowIndex + 1]?.cells[at], ArrowUp: table.rows[row.rowIndex - 1]?.cells[at] };
  if (event.key === "Enter" && event.target === cell) cell.click();
  else if (!(event.key in steps) || event.ctrlKey || event.metaKey) return;
  else if (steps[event.key]) stops(steps[event.key])[0].focus();
  event.preventDefault();
}

function markCells(made, table, found, cells) {
  const places = new Map();
  found.rows.forEach((row, number) => {
    for (const column of found.columns) places.set(JSON.stringify([row[0], table.keys.length > 1 ? row[1] : null, column]), made.tBodies[0].rows[number]);
  });
  for (const cell of cells) {
    const row = places.get(JSON.stringify([cell.document_id, table.keys.length > 1 ? cell.position : null, cell.attribute]));
    const place = row?.cells[found.columns.indexOf(cell.attribute)];
    const sign = signOf(cell);
    if (!place || !sign) continue;
    place.classList.add(sign[0]);
    place.title = [place.title, sign[1], cell.note].filter(Boolean).join(" – ");
    place.firstChild.append(el("span", { class: "sign" }, ` ${sign[2]}`), el("span", { class: "unseen" }, ` ${sign[1]}`));
  }
}
function signOf({ state, marks }) {
  if (state === "corrected") return ["corrected", "corrected", "✎"];
  if (state === "failed") return ["failed", "could not be read", "!"];
  if (state === "stated_absent") return ["absent", "says there is none", "none"];
  return /\b(doubted|unshown|contradicted|unsettled|disputed)\b/.test(marks || "") ? ["doubted", "in doubt", "?"] : null;
}

// --- columns -------------------------------------------------------------------------------------

const PARTS = [["non_null", "known"], ["none", "none"], ["failed", "failed"], ["unread", "not read"], ["silent", "not mentioned"]];
function partsOf(about) {
  const n = { non_null: about.n_non_null, none: about.n_none, failed: about.n_failed, unread: about.n_unread };
  n.silent = Math.max(0, about.n_records - n.non_null - n.none - n.failed - n.unread);
  return PARTS.map(([key, says]) => [key, says, n[key]]).filter(([, , number]) => number);
}
const fillBar = (about) => el("span", { class: "bar", "aria-hidden": "true" },
  partsOf(about).map(([key, , n]) => el("span", { class: key, "width%": 100 * n / Math.max(1, about.n_records) })));

async function showColumns(params) {
  const table = tableOf(params.table), spreads = await ask("spreads", { table: table.name });
  return [
    corpus.tables.length > 1 && el("div", { class: "tools" }, label("Table", el("select", { id: "of-table", onchange: (event) => go("columns", { table: event.target.value }) },
      options(corpus.tables.map(({ name }) => [name, name]), table.name)))),
    el("div", { class: "cards" }, table.columns.map((about) => columnCard(table.name, about, spreads[about.column], 6))),
  ];
}

function columnCard(table, about, spread, most) {
  const sure = [
    about.audit && `${about.audit}; ${count(about.n_ruled)} cells by rules`,
    !about.audit && about.n_ruled && `${count(about.n_ruled)} cells by rules, not audited`,
    about.n_doubted && `${count(about.n_doubted)} in doubt`,
    about.n_contradicted && `${count(about.n_contradicted)} contradicted`,
    about.n_corrected && `${count(about.n_corrected)} corrected`,
    about.loose && "read for some documents only, not kept",
  ].filter(Boolean);
  const only = (value) => go("table", { table, filters: JSON.stringify([{ column: about.column, must: "is", value: String(value) }]) });
  const values = about.values, top = Math.max(1, ...values.map(({ count: n }) => n));
  return el("article", { class: "card" },
    el("h2", {}, about.column, el("small", {}, ` ${about.type}${about.unit ? `, ${about.unit}` : ""}`)),
    about.description && el("p", { class: "soft" }, about.description),
    fillBar(about),
    el("p", { class: "parts" }, partsOf(about).map(([key, says, n]) => el("span", { class: key }, `${count(n)} ${says}`))),
    sure.length > 0 && el("p", { class: "sure" }, sure.join(" · ")),
    spread ? histogram(about, spread)
      : el("ul", { class: "top" }, values.slice(0, most).map(({ value, count: n }) => el("li", {},
        button([el("span", { class: "length", "width%": 100 * n / top }), el("span", { class: "says" }, shown(value)), el("span", { class: "n" }, count(n))],
          () => only(value), { "aria-label": `Rows with ${shown(value)}: ${n}` })))),
    !spread && about.n_distinct > Math.min(most, values.length) && el("p", { class: "soft" }, `${count(about.n_distinct)} different values`),
    spread && about.median !== null && el("p", { class: "soft" },
      [["quartiles", `${shown(about.lower_quartile)} – ${shown(about.upper_quartile)}`], ["median", shown(about.median)], about.mean !== null && ["mean", shown(about.mean)]]
        .filter(Boolean).map(([name, value]) => `${name} ${value}`).join(" · ")),
    !about.n_non_null && el("p", { class: "soft" }, "No document has a value."));
}

function histogram(about, spread) {
  const top = Math.max(...spread.map(([, , n]) => n)), width = 100 / spread.length;
  const most = spread.find(([, , n]) => n === top);
  const unit = about.unit ? ` ${about.unit}` : "";
  return el("figure", {}, svg("svg", { viewBox: "0 0 100 36", preserveAspectRatio: "none", role: "img", class: "histogram",
    "aria-label": `From ${shown(about.minimum)} to ${shown(about.maximum)}${unit}; most rows, ${top}, from ${most[0]} to ${most[1]}` },
  spread.map(([from, below, n], at) => svg("rect", { x: at * width + width * 0.06, y: 36 - 36 * n / top, width: width * 0.88, height: 36 * n / top },
    svg("title", {}, `${from} to ${below}: ${plural(n, "row")}`)))),
  el("figcaption", {}, el("span", {}, `${shown(about.minimum)}${unit}`), el("span", {}, `${shown(about.maximum)}${unit}`)));
}

async function openColumn(table, name) {
  const about = columnOf(table, name), panel = openPanel(name);
  try {
    const spreads = await ask("spreads", { table });
    panel.append(columnCard(table, about, spreads[name], 20));
  } catch (error) {
    panel.append(problem(error, () => openColumn(table, name)));
  }
}

// --- a document, at a quote ----------------------------------------------------------------------

function openPanel(title, below = "") {
  const panel = $("panel");
  if (panel.hidden) opener = document.activeElement;
  const body = el("div", { class: "inside" });
  panel.hidden = false;
  panel.replaceChildren(el("div", { class: "bar-top" }, el("div", {}, el("h2", { id: "panel-title", tabindex: "-1" }, title), below && el("p", { class: "soft" }, below)),
    button("✕", closePanel, { class: "close", "aria-label": "Close" })), body);
  document.body.classList.add("with-panel");
  $("panel-title").focus({ preventScroll: true });
  return body;
}
function closePanel() {
  $("panel").hidden = true;
  document.body.classList.remove("with-panel");
  const back = opener && (opener.isConnected ? opener : $(opener.id));
  (back || $("main")).focus();
}

async function openDocument(id, place = {}) {
  const panel = openPanel(shortId(id), id);
  panel.append(el("p", { class: "soft" }, "…"));
  let found;
  try {
    found = await ask("document", { id, at: place.at ?? 0, to: place.to ?? 0, start: place.start ?? "" });
    if (place.column && place.at === undefined) {
      const cell = found.cells.find((item) => isAt(item, place));
      const start = cell?.start ?? null;
      if (start !== null && !embedded && (start < found.start || start >= found.finish)) return openDocument(id, { ...place, at: start, to: cell.end });
    }
  } catch (error) {
    panel.replaceChildren(problem(error, () => openDocument(id, place)));
    return;
  }
  panel.replaceChildren(...documentParts(found, place));
  $("panel-title").textContent = found.title || shortId(id);
  for (const sought of ["mark.on, mark.sought", "li.on"]) show(panel.querySelector(sought));
}
function show(node) { // in its box alone: the page stays where it is
  const box = node?.closest(".words, .record");
  if (box) box.scrollTop += node.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 4;
}
const isAt = (cell, { table, column, position }) => cell.attribute === column && (cell.table_name ?? table) === table && (position === undefined || cell.position === position);

function documentParts(found, place) {
  const again = (more) => openDocument(found.id, { table: place.table, column: place.column, position: place.position, ...more });
  const order = columnsOf(place.table);
  const cells = found.cells.map((cell, number) => ({ ...cell, number }))
    .filter((cell) => !place.table || (cell.table_name ?? place.table) === place.table)
    .filter((cell) => place.position === undefined || cell.position === place.position || cell.position === 0) // the list
    .sort((a, b) => order.indexOf(a.attribute) - order.indexOf(b.attribute));
  const list = el("ul", { class: "record", "aria-label": "What was read" }, cells.map((cell) => {
    const on = isAt(cell, place), sign = signOf(cell);
    return el("li", { class: on ? "on" : null },
      button([el("span", { class: "name" }, cell.attribute),
        el("span", { class: cell.value === null ? "none" : null }, cell.value === null ? STATES[cell.state] : valueOf(cell), sign && cell.value !== null && el("span", { class: "sign" }, ` ${sign[2]}`))],
      () => openDocument(found.id, { ...place, table: cell.table_name ?? place.table, column: cell.attribute, at: undefined, start: undefined }), { "aria-expanded": String(on) }),
      on && cellCard(found, cell, place));
  }));
  list.append(...rowsOfList(found.id, place));
  const chosen = cells.filter((cell) => isAt(cell, place)).map(({ number }) => number);
  if (!found.pieces) return [list, el("p", { class: "soft" }, "The text of the document is in the served page.")];
  const pieces = found.pieces.map(({ text, cells: over, sought }) => {
    const mark = over.some((number) => chosen.includes(number)) ? "on" : sought ? "sought" : "";
    return over.length || sought ? el("mark", { class: mark, title: over.map((number) => found.cells[number].attribute).join(", ") || null }, text) : text;
  });
  return [list,
    found.summary && el("p", { class: "soft" }, found.summary),
    el("div", { class: "words", role: "region", tabindex: "0", "aria-label": "Text of the document" },
      found.start > 0 && button("Earlier text", () => again({ start: Math.max(0, found.start - found.window + 500) })),
      found.pieces.length ? pieces : el("p", { class: "soft" }, "This document has no text that could be read."),
      found.finish < found.characters && button("Later text", () => again({ start: found.finish - 500 })))].filter(Boolean);
}
const plain = (value) => /^-?\d+\.0$/.test(value) ? value.slice(0, -2) : String(value);
const valueOf = ({ value, unit }) => unit ? `${plain(value)} ${unit}` : plain(value);

function cellCard(found, cell, place) {
  return el("div", { class: "cell" },
    el("p", {}, STATES[cell.state] || cell.state, cell.engine && (cell.state === "corrected" ? ` by ${cell.engine}` : `, engine ${cell.engine}`)),
    cell.as_stated && el("blockquote", {}, cell.as_stated),
    cell.note && el("p", { class: "soft" }, cell.note),
    correction({ document_id: found.id, column: cell.position == null ? cell.attribute : `${cell.table_name}.${cell.attribute}`, position: cell.position ?? null }, cell.value, cell.state === "corrected",
      () => openDocument(found.id, { ...place, at: undefined })));
}

function correction(cell, value, isCorrected, done) {
  if (!corpus.can_change) return null;
  const send = (what, given = "") => decide("correct", { ...cell, do: what, value: given }, done);
  const id = `value-${cell.column}`;
  return el("form", { class: "correct", onsubmit: (event) => { event.preventDefault(); send("value", event.target.elements.value.value); } },
    el("label", { for: id, class: "unseen" }, `Value of ${cell.column}`),
    el("input", { id, name: "value", value: value === null ? "" : plain(value), required: true, autocomplete: "off" }),
    el("button", {}, "Set"), button("It has none", () => send("absent")), button("Nobody can tell", () => send("unknown")),
    isCorrected && button("Take back", () => send("undo")));
}

function rowsOfList(id, place) { // one is removed, or added; “Take back” of the position of the list, which is shown then, undoes all
  const table = corpus.tables.find(({ name }) => name === place.table);
  if (!corpus.can_change || !table || table.keys.length < 2) return [];
  const send = (what, position, value = "") => decide("correct", { document_id: id, column: table.name, position, do: what, value }, () => openDocument(id, { table: table.name, column: "position", position: 0 }));
  const add = (event) => {
    event.preventDefault();
    send("add", null, JSON.stringify(Object.fromEntries([...new FormData(event.target)].filter(([, value]) => value))));
  };
  return [el("li", {}, el("details", {}, el("summary", {}, "Rows of the list"),
    place.position > 0 && button(`Remove row ${place.position}`, () => send("remove", place.position)),
    el("form", { class: "correct", onsubmit: add }, table.columns.map(({ column }) => label(column, el("input", { id: `add-${column}`, name: column, autocomplete: "off" }))), el("button", {}, "Add a row"))))];
}

async function decide(name, said, done) {
  document.body.classList.add("working");
  say("Publishing…");
  try {
    const { said: text } = await ask(name, {}, said);
    await refresh();
    await Promise.all([done(), render(), ask("worklists").then(showCounts)]);
    say(text);
  } catch (error) {
    say(error.message);
  } finally {
    document.body.classList.remove("working");
  }
}

// --- lists to work through -----------------------------------------------------------------------

async function showCheck(params) {
  counts ??= await ask("worklists");
  const sizes = Object.fromEntries(Object.entries(counts).map(([kind, columns]) => [kind, Object.values(columns).reduce((a, b) => a + b, 0)]));
  const kind = params.kind || Object.keys(LISTS).find((name) => sizes[name]) || "suspects";
  const columns = Object.entries(counts[kind]).sort((a, b) => kind === "gaps" ? a[1] - b[1] : b[1] - a[1]);
  const column = params.column ?? (kind === "gaps" && columns.length ? columns[0][0] : "");
  const offset = Number(params.offset || 0), total = column ? counts[kind][column] || 0 : sizes[kind];
  const entries = total ? await ask("entries", { kind, column, offset, limit: PAGE_ENTRIES }) : [];
  const last = offset + entries.length;
  return el("div", { class: "lists" },
    el("nav", { "aria-label": "Lists" }, Object.entries(LISTS).map(([name, [says]]) =>
      el("a", { href: `#check?kind=${name}`, "aria-current": name === kind ? "true" : null }, says, el("span", { class: "n" }, count(sizes[name]))))),
    el("section", {}, el("h2", {}, LISTS[kind][0]), el("p", { class: "soft" }, LISTS[kind][1]),
      columns.length > 0 && el("div", { class: "tools" }, label("Column", el("select", { id: "of-column", onchange: (event) => go("check", { kind, column: event.target.value }) },
        options([...(kind === "gaps" ? [] : [["", "all columns"]]), ...columns.map(([name, n]) => [name, `${name} (${count(n)})`])], column)), true),
      el("div", { class: "pager" }, el("span", {}, total ? `${count(offset + 1)}–${count(last)} of ${count(total)}` : ""),
        total > PAGE_ENTRIES && [
          button("Previous", () => go("check", { kind, column, offset: offset - PAGE_ENTRIES }), { disabled: !offset }),
          button("Next", () => go("check", { kind, column, offset: last }), { disabled: last >= total || !entries.length })])),
      entries.length ? el("ol", { class: "entries" }, entries.map((entry, at) => el("li", {}, checkEntry(entry, at))))
        : el("div", { class: "empty" }, el("p", {}, total ? "The rest is in the served page." : "Nothing is left to check here."))));
}

function checkEntry(entry, at) {
  const cell = { document_id: entry.document_id, column: entry.column, position: entry.position ?? null };
  const choices = corpus.can_change ? entry.choices : [];
  const act = (choice) => choice.decision
    ? decide("names", { column: entry.column, names: choice.names, decision: choice.decision }, () => {})
    : decide("correct", { ...cell, do: choice.do, value: choice.value || "" }, () => {});
  const open = () => openDocument(entry.document_id, { table: entry.table_name ?? corpus.tables[0].name, column: entry.attribute ?? entry.column, position: entry.position ?? undefined });
  const keys = (event) => {
    if (event.target !== event.currentTarget) return;
    if (/^[1-9]$/.test(event.key) && choices[event.key - 1]) act(choices[event.key - 1]);
    else if (event.key === "Enter" && entry.document_id) open();
  };
  const row = entry.position ? `, row ${entry.position}` : "";
  const title = `${entry.column}${row}${entry.document_id ? ` of ${shortId(entry.document_id)}` : ""}`;
  return el("article", { id: `entry-${at}`, tabindex: "0", "aria-label": title, onkeydown: keys },
    el("h3", {}, entry.column, row, entry.document_id && button(shortId(entry.document_id), open, { class: "link" })),
    entry.names ? el("ul", { class: "spelt" }, entry.names.map(([spelling, n]) => el("li", {}, spelling, el("span", { class: "n" }, count(n)))))
      : el("p", {}, entry.value !== null && el("strong", {}, valueOf(entry)), entry.quote && el("q", {}, entry.quote)),
    entry.other && entry.other.value !== "" && el("p", {}, el("span", { class: "soft" }, "or "), el("strong", {}, plain(entry.other.value)), entry.other.quote && el("q", {}, entry.other.quote)),
    entry.note && el("p", { class: "soft" }, entry.note),
    el("div", { class: "choices" }, choices.map((choice, n) => button([choice.says, choice.value !== undefined && ` ${plain(choice.value)}`, el("kbd", { "aria-hidden": "true" }, n + 1)], () => act(choice)))),
    entry.document_id && corpus.can_change && el("details", { open: !choices.length }, el("summary", {}, choices.length ? "Something else" : "What is right?"),
      correction(cell, entry.value, false, () => {})));
}

// --- questions -----------------------------------------------------------------------------------

async function showAsk() {
  const form = el("form", { class: "question", onsubmit: async (event) => {
    event.preventDefault();
    const question = event.target.elements.question.value.trim();
    if (!question) return;
    await answerInto(question, () => ask("ask", {}, { question }));
  } }, el("label", { for: "question" }, "Ask over all documents"),
  el("div", {}, el("input", { id: "question", name: "question", value: $("question")?.value || "", autocomplete: "off", maxlength: 4000, placeholder: "How many …? What is the average …? Which … has the highest …?" }), el("button", { class: "main" }, "Ask")));
  const none = el("div", { class: "empty" }, el("p", {}, "Counts, averages, rankings, lists, comparisons: the answer is computed over every record, and says over how many."));
  return [form, el("div", { id: "answers" }, asked.length ? asked.map((item) => answerCard(item)) : none)];
}

async function answerInto(question, work, at = -1) {
  const item = at >= 0 ? asked[at] : { question };
  if (at < 0) asked.unshift(item);
  item.pending = true;
  const renew = () => here()[0] === "ask" && render();
  if (at < 0) $("question").value = "";
  renew();
  try {
    item.found = await work();
    item.error = null;
    say(item.found.text || plural(item.found.rows.length, "row"), true);
  } catch (error) {
    item.error = error;
  }
  item.pending = false;
  renew();
}

function answerCard(item) {
  const { question, found, error, pending } = item;
  const again = () => answerInto(question, () => ask("ask", {}, { question }), asked.indexOf(item));
  const parts = [el("h2", {}, question)];
  if (pending) parts.push(el("p", { class: "soft" }, "Asking…"));
  else if (error) parts.push(problem(error, again));
  else {
    const brief = found.brief, sql = found.sql || (brief ? `SELECT count(*)\nFROM ${brief.table}` : "");
    const lines = [...(found.denominator ? [found.denominator] : []), ...(found.coverage || [])];
    parts.push(
      found.text && el("p", { class: found.answered === false || found.text.length > 160 ? "told" : "answer" }, found.text),
      found.asked && el("p", { class: "soft" }, `Asked instead: ${found.asked}`),
      lines.map((text) => el("p", { class: "denominator" }, text)),
      found.bounds?.length > 0 && boundsLine(found),
      found.rows?.length > 0 && chart(found.columns, found.rows),
      found.rows?.length > 0 && (found.rows.length > 1 || found.columns.length > 1) && resultTable(found),
      found.truncated && el("p", { class: "soft" }, "There are more rows than are shown."),
      [...(found.warnings || []), ...(found.notes || [])].map((text) => el("p", { class: "note" }, text)),
      [...(found.computed || [])].map((text) => el("p", { class: "soft" }, text)),
      brief && briefParts(brief),
      found.proposal && el("p", { class: "note" }, found.proposal.next),
      [...(found.quotes || [])].map((passage) => passageCard(passage)),
      found.sources?.length > 0 && el("ul", { class: "sources", "aria-label": "Sources" }, found.sources.map((source) => el("li", {},
        button(shortId(source.document_id), () => openDocument(source.document_id, { table: corpus.tables[0].name, column: source.column }), { class: "link" }),
        ` ${source.column} `, source.quote && el("q", {}, source.quote)))),
      sqlForm(item, sql), found.engine && el("p", { class: "soft" }, `By ${found.engine}${found.reading ? `: ${found.reading}` : ""}`));
  }
  return el("article", { class: "card", "aria-busy": pending ? "true" : null }, parts);
}

const briefParts = (brief) => [
  brief.linked_values?.length > 0 && el("ul", { class: "soft" }, brief.linked_values.map((item) =>
    el("li", {}, `The question may mean ${item.column} ${item.pattern ? `like ${item.pattern}` : `= ${item.value || ""}`} (${plural(item.records, "row")})`))),
  el("p", { class: "soft" }, "Ask with other words, or write the query: the columns are in the view “Columns”."),
  (brief.passages || []).map((passage) => passageCard(passage)),
];

const sqlForm = (item, sql) => el("details", { class: "sql", open: Boolean(item.found.brief || item.isOpen) },
  el("summary", {}, "SQL"),
  el("form", { onsubmit: (event) => {
    event.preventDefault();
    const query = event.target.elements.sql.value;
    item.isOpen = true;
    answerInto(item.question, async () => ({ ...(await ask("sql", {}, { sql: query })), sql: query }), asked.indexOf(item));
  } }, label("Query", el("textarea", { name: "sql", rows: Math.min(12, 2 + sql.split("\n").length), spellcheck: "false" }, sql), true), el("button", {}, "Run")));

function boundsLine({ bounds: [low, high], rows }) {
  const value = rows?.length === 1 && rows[0].find(isNumber), span = high - low;
  if (!span || !isNumber(value)) return null;
  const at = (number) => 10 + 180 * (number - low) / span;
  return el("figure", { class: "bounds" }, svg("svg", { viewBox: "0 0 200 16", role: "img", "aria-label": `${shown(value)}, and between ${shown(low)} and ${shown(high)} whatever is unknown` },
    svg("line", { x1: 10, x2: 190, y1: 8, y2: 8 }), svg("circle", { cx: at(value), cy: 8, r: 4 })),
  el("figcaption", {}, el("span", {}, shown(low)), el("span", {}, shown(high))));
}

function resultTable({ columns, rows }) {
  return el("div", { class: "sheet small", tabindex: "0", role: "region", "aria-label": "Result" }, el("table", {},
    el("thead", {}, el("tr", {}, columns.map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, rows.map((row) => el("tr", {}, row.map((value) => el("td", { class: isNumber(value) ? "number" : null }, value === null ? el("span", { class: "none" }, "·") : shown(value))))))));
}

function chart(columns, rows) {
  const at = columns.findIndex((_, n) => n > 0 && rows.every((row) => isNumber(row[n]) || row[n] === null) && rows.some((row) => isNumber(row[n])));
  const series = rows.filter((row) => isNumber(row[at]) && row[0] !== null).map((row) => [row[0], row[at]]);
  if (at < 1 || series.length < 2 || series.length > 200 || new Set(series.map(([x]) => x)).size < series.length) return null;
  const time = series.every(([x]) => isNumber(x) || /^\d{4}(-\d\d){0,2}$/.test(x));
  return time ? lineChart(columns, at, series) : barChart(columns, at, series.slice(0, 30));
}
function barChart(columns, at, series) {
  const low = Math.min(0, ...series.map(([, y]) => y)), high = Math.max(0, ...series.map(([, y]) => y)), span = high - low || 1;
  const row = 22, x = (number) => 170 + 370 * (number - low) / span;
  return el("figure", { class: "chart" }, svg("svg", { viewBox: `0 0 640 ${series.length * row}`, role: "img", "aria-label": `${columns[at]} by ${columns[0]}; the numbers are in the table below` },
    series.map(([name, value], n) => [
      svg("text", { x: 162, y: n * row + 15, "text-anchor": "end" }, String(shown(name)).slice(0, 24)),
      svg("rect", { x: Math.min(x(0), x(value)), y: n * row + 3, width: Math.max(1, Math.abs(x(value) - x(0))), height: row - 6 }, svg("title", {}, `${shown(name)}: ${shown(value)}`)),
      svg("text", { x: Math.max(x(0), x(value)) + 6, y: n * row + 15 }, shown(value))])));
}
function lineChart(columns, at, series) {
  const place = (x) => isNumber(x) ? x : x.length === 4 ? Number(x) : Date.parse(x.length === 7 ? `${x}-01` : x);
  const points = series.map(([x, y]) => [place(x), y, x]).sort((a, b) => a[0] - b[0]);
  const xs = points.map(([x]) => x), ys = points.map(([, y]) => y), low = Math.min(0, ...ys), high = Math.max(...ys, low + 1e-9);
  const px = (x) => 50 + 570 * (x - xs[0]) / (xs[xs.length - 1] - xs[0] || 1), py = (y) => 190 - 170 * (y - low) / (high - low);
  return el("figure", { class: "chart" }, svg("svg", { viewBox: "0 0 640 220", role: "img", "aria-label": `${columns[at]} over ${columns[0]}; the numbers are in the table below` },
    [low, (low + high) / 2, high].map((y) => [svg("line", { class: "axis", x1: 50, x2: 620, y1: py(y), y2: py(y) }), svg("text", { x: 44, y: py(y) + 4, "text-anchor": "end" }, shown(Number(y.toPrecision(3))))]),
    svg("polyline", { points: points.map(([x, y]) => `${px(x)},${py(y)}`).join(" ") }),
    points.map(([x, y, name]) => svg("circle", { cx: px(x), cy: py(y), r: 3 }, svg("title", {}, `${name}: ${shown(y)}`))),
    [points[0], points[points.length - 1]].map(([x, , name], n) => svg("text", { x: px(x), y: 212, "text-anchor": n ? "end" : "start" }, String(name)))));
}

// --- passages ------------------------------------------------------------------------------------

async function showSearch(params) {
  const form = el("form", { class: "question", role: "search", onsubmit: (event) => { event.preventDefault(); go("search", { query: event.target.elements.query.value }); } },
    el("label", { for: "query" }, "Find passages in the documents"),
    el("div", {}, el("input", { id: "query", name: "query", type: "search", value: params.query || "", maxlength: 500 }), el("button", { class: "main" }, "Search")));
  if (!params.query) return [form, el("div", { class: "empty" }, el("p", {}, "For reasons, terms and wording: what no column holds."))];
  try {
    const offset = Number(params.offset || 0), found = await ask("search", { query: params.query, offset });
    return [form, found.head.map((text) => el("p", { class: "soft" }, text)), (found.passages || []).map((passage) => passageCard(passage, "h2")),
      el("div", { class: "pager" }, offset > 0 && button("Previous", () => go("search", { query: params.query, offset: offset - 10 })),
        found.next_offset && button("Next", () => go("search", { query: params.query, offset: found.next_offset })))].flat();
  } catch (error) {
    return [form, problem(error, render)];
  }
}
const passageCard = (passage, head = "h3") => el("article", { class: "card passage" },
  el(head, {}, button(shortId(passage.document_id), () => openDocument(passage.document_id, { table: corpus.tables[0].name, at: passage.start, to: passage.end }), { class: "link" }),
    el("small", {}, [passage.page && `page ${passage.page}`, passage.headings].filter(Boolean).map((text) => ` ${text}`))),
  el("p", {}, passage.quote));

const views = {
  table: { name: "Table", show: showTable },
  columns: { name: "Columns", show: showColumns },
  check: { name: "To check", show: showCheck },
  ask: { name: "Ask", show: showAsk, served: true },
  search: { name: "Search", show: showSearch, served: true },
};
begin();
