// The page: the list of runs, the state, the keyboard.

const index = JSON.parse(by("index").textContent);
// Rows of the run list built at once; the rest on demand.
const ROWS = 300;

// `opening`: a run is being opened, and the page stays where it is.
const state = { run: -1, verdict: -1, shown: [], rows: ROWS, opening: false };
const graph = new Graph(openNode);
const source = new Source(openNode, (i) => verdicts.pick(i, true, true));
const verdicts = new Verdicts(chosen, (at) => openNode(at.node, at.span), openNode);

// What is usual is not spelled out in the data: a bare string is syntax, or the arguments of an action.
function spelledOut(part, node) {
  if (typeof part === "string") return { t: part, r: isAction(node) ? "" : "syntax" };
  return part.t === undefined ? part : { r: "assertion", ...part };
}

function load(i) {
  const run = JSON.parse(by("run-" + i).textContent);
  for (const verdict of run.verdicts) {
    verdict.arguments ||= [];
    verdict.chain ||= [];
    verdict.invariants ||= [];
  }
  for (const node of run.nodes) node.parts = node.parts.map((part) => spelledOut(part, node));
  return run;
}

// Opens run `i`, at `verdict` or else at the first call that was stopped, or the first that changes something.
function openRun(i, verdict) {
  const entry = index[i];
  if (!entry) return;
  const run = load(i);
  state.run = i;
  state.verdict = -1;
  state.opening = true;
  by("where").replaceChildren(index.length > 1 ? "" : "Provost report · ", show(entry.source + " · " + runOf(entry)));
  by("task").replaceChildren(show(entry.task || "A run without a user's message"));
  document.title = "Provost: " + flat(entry.source + ", " + runOf(entry));
  by("counts").replaceChildren(
    ...[["block", entry.blocked, "blocked"], ["approve", entry.approve, "need approval"], ["release", entry.released, "released"]]
      .filter(([, number]) => number > 0)
      .map(([outcome, number, name]) => el("li", { class: outcome }, el("span", { "aria-hidden": "true" }, WORDS.mark[outcome]), " ", el("b", {}, String(number)), " " + name)),
  );
  by("picture").classList.toggle("without", !entry.graph);
  by("answer").replaceChildren();
  by("no-graph").hidden = entry.graph;
  by("no-graph").textContent = "The graph of this run was left out to keep the page small. Audit this run's file alone to see it.";
  by("all-edges").checked = false;
  document.body.classList.remove("runs-open", "sheet");
  graph.show(run);
  source.clear(run);
  verdicts.show(run);
  for (const row of by("list").children) row.classList.toggle("current", Number(row.dataset.run) === i);
  const first = [(v) => v.outcome !== "release", (v) => v.effect !== "read", () => true].map((test) => run.verdicts.findIndex(test)).find((at) => at >= 0);
  graph.setFocus(0, false);
  if (run.verdicts[verdict]) verdicts.pick(verdict, true);
  else if (first !== undefined) verdicts.pick(first, run.verdicts[first].outcome !== "release");
  else remember();
  state.opening = false;
}

// A verdict became the current one.
function chosen(i) {
  const verdict = verdicts.run.verdicts[i];
  state.verdict = i;
  answer(verdict, i);
  graph.light(verdict);
  graph.reveal(verdict.node, true);
  graph.setFocus(verdict.node, false);
  const argument = verdict.arguments.find((a) => a.label === "anomalous") || verdict.arguments[0];
  const at = verdict.chain.at(-1) || (argument && argument.support.spans && argument.support.spans[0]);
  if (at) source.show(at.node, verdict, at.span);
  else source.show(verdict.node, verdict);
  remember();
}

// What happened to the selected call and why, in one place at the top.
function answer(verdict, i) {
  const reached = target(verdict);
  by("answer").className = verdict.outcome;
  by("answer").replaceChildren(
    el(
      "p",
      { class: "what" },
      verdicts.badge(verdict),
      " ",
      el("code", {}, shorten(verdict.tool, 60)),
      reached ? " → " : "",
      reached ? el("code", { class: "reached" }, reached) : "",
      " ",
      el("span", { class: "number" }, "call " + i),
      el("button", { type: "button", class: "link details", click: () => verdicts.pick(i, true, true) }, "details"),
    ),
    el("p", { class: "why" }, verdict.reason),
  );
}

// A node was chosen: an action brings up its verdict, anything else its content.
function openNode(node, span) {
  const number = span === undefined ? graph.number.get(node) : undefined;
  if (number !== undefined && number !== state.verdict) return verdicts.pick(number, true);
  // First the sheet: what is hidden cannot be scrolled.
  document.body.classList.add("sheet");
  source.show(node, verdicts.run.verdicts[state.verdict], span);
  graph.mark(node);
  if (narrow()) by("source").focus({ preventScroll: true });
}

function remember() {
  const hash = "#run=" + state.run + (state.verdict >= 0 ? "&call=" + state.verdict : "");
  if (location.hash !== hash) history.replaceState(null, "", hash);
}

function recall() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const run = Number.parseInt(asked.get("run") ?? "", 10);
  const verdict = Number.parseInt(asked.get("call") ?? "-1", 10);
  if (run === state.run && verdict === state.verdict) return;
  openRun(index[run] ? run : firstRun(), verdict);
}

// A run by its number and, where it has one, its own id.
function runOf(entry) {
  return "run " + entry.run + (entry.id ? " (id " + entry.id + ")" : "");
}

// The first run in which something was stopped.
function firstRun() {
  return Math.max(0, index.findIndex((entry) => entry.blocked + entry.approve > 0));
}

function row(i) {
  const entry = index[i];
  const marks = [["block", entry.blocked], ["approve", entry.approve], ["release", entry.released]].filter(([, number]) => number > 0);
  return el(
    "li",
    { "data-run": String(i), class: i === state.run ? "current" : null },
    el(
      "button",
      { type: "button", click: () => openRun(i) },
      el("span", { class: "row-task" }, entry.task || "A run without a user's message"),
      el("span", { class: "row-where" }, lastOf(entry.source) + " · " + runOf(entry)),
      el("span", { class: "row-marks" }, ...marks.map(([outcome, number]) => el("span", { class: outcome, title: word("outcome", outcome) }, WORDS.mark[outcome] + " " + number))),
    ),
  );
}

function list() {
  const words = by("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const only = by("only").checked;
  state.shown = [];
  index.forEach((entry, i) => {
    if (only && entry.blocked + entry.approve === 0) return;
    const text = (entry.source + " " + runOf(entry) + " " + entry.task + " " + entry.stopped.join(" ")).toLowerCase();
    if (words.every((w) => text.includes(w))) state.shown.push(i);
  });
  const rest = state.shown.length - state.rows;
  const more = () => {
    state.rows += ROWS;
    list();
  };
  const button = rest > 0 ? [el("li", {}, el("button", { type: "button", class: "more", click: more }, "Show more of " + count(rest, "further run")))] : [];
  const empty = state.shown.length ? [] : [el("li", { class: "notice" }, "No run matches.")];
  by("list").replaceChildren(...state.shown.slice(0, state.rows).map(row), ...button, ...empty);
}

function moveRun(step) {
  const at = state.shown.indexOf(state.run);
  const next = state.shown[at < 0 ? 0 : at + step];
  if (next === undefined) return;
  openRun(next);
  const current = by("list").querySelector(".current");
  if (current) current.scrollIntoView({ block: "nearest" });
}

function totals() {
  const sum = (key) => index.reduce((n, entry) => n + entry[key], 0);
  const stopped = index.filter((entry) => entry.blocked + entry.approve > 0).length;
  const calls = [[sum("blocked"), "blocked"], [sum("approve"), "for approval"], [sum("released"), "released"]];
  by("totals").textContent =
    count(index.length, "run") + ", " + stopped.toLocaleString("en") + " with a stopped call. Calls: " +
    calls.filter(([n]) => n > 0).map(([n, name]) => n.toLocaleString("en") + " " + name).join(", ") + ".";
  const omitted = index.filter((entry) => !entry.graph).length;
  by("omitted").textContent = omitted ? "To keep this page small, the graphs of " + count(omitted, "run") + " were left out; their verdicts are here." : "";
}

// Closes the innermost thing that is open. The dialog closes itself.
function escape() {
  const body = document.body.classList;
  if (body.contains("runs-open")) return body.remove("runs-open");
  if (narrow() && body.contains("sheet")) {
    body.remove("sheet");
    return verdicts.head(state.verdict)?.focus();
  }
  if (state.verdict >= 0 && verdicts.isOpen(state.verdict)) verdicts.pick(state.verdict, false, true);
}

const KEYS = {
  j: () => verdicts.move(1),
  k: () => verdicts.move(-1),
  ArrowDown: () => verdicts.move(1),
  ArrowUp: () => verdicts.move(-1),
  b: () => verdicts.move(1, (verdict) => verdict.outcome !== "release", true),
  Enter: () => state.verdict >= 0 && verdicts.pick(state.verdict, !verdicts.isOpen(state.verdict), true),
  g: () => graph.setFocus(graph.focus, true),
  n: () => moveRun(1),
  p: () => moveRun(-1),
  "/": () => {
    document.body.classList.add("runs-open");
    by("search").focus();
  },
  "+": () => graph.zoomBy(1.25),
  "-": () => graph.zoomBy(0.8),
  0: () => graph.fit(),
  "?": () => by("help").showModal(),
  Escape: escape,
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || by("help").open) return;
  const typing = event.target.closest("input, textarea, select");
  if (typing && event.key !== "Escape") return;
  // Where a text scrolls, the arrows scroll it.
  if (event.key.startsWith("Arrow") && event.target.closest("#content, #list")) return;
  // What has the focus takes Enter itself.
  if (event.key === "Enter" && event.target !== document.body) return;
  if (!Object.hasOwn(KEYS, event.key)) return;
  event.preventDefault();
  if (typing) typing.blur();
  KEYS[event.key]();
});

by("search").addEventListener("input", list);
by("only").addEventListener("change", list);
by("all-edges").addEventListener("change", (event) => graph.showAll(event.target.checked));
by("zoom-in").addEventListener("click", KEYS["+"]);
by("zoom-out").addEventListener("click", KEYS["-"]);
by("zoom-fit").addEventListener("click", KEYS[0]);
by("help-open").addEventListener("click", KEYS["?"]);
by("help-close").addEventListener("click", () => by("help").close());
by("source-close").addEventListener("click", escape);
by("show-runs").addEventListener("click", () => document.body.classList.toggle("runs-open"));
window.addEventListener("hashchange", recall);

if (index.length) {
  by("runs").hidden = index.length < 2;
  by("show-runs").hidden = index.length < 2;
  document.body.classList.toggle("many", index.length > 1);
  totals();
  list();
  recall();
} else {
  by("main").replaceChildren(el("p", { class: "notice" }, "No run was audited."));
}
