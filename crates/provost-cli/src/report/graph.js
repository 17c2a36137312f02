// The provenance graph: time runs left to right; lanes are the principals, what came in, and what the agent did.

const COLUMN = 150;
const BOX = { width: 130, height: 42 };
const LANES = [4, 62, 172];
const HEIGHT = 230;
const TRACKS = { first: 118, step: 6, number: 7 };
// Columns drawn at once beyond those in view, in pixels.
const MARGIN = 1200;
// Below this zoom words would not be readable.
const FAR = 0.55;
// The smallest zoom: it bounds what is drawn at once. A run of 1,000 nodes fits into a window.
const SMALLEST = 0.005;

class Graph {
  // `open` is called with the index of the node that was chosen.
  constructor(open) {
    this.open = open;
    this.svg = by("graph");
    this.scroller = by("scroll");
    this.zoom = 1;
    this.svg.addEventListener("click", (event) => this.clicked(event));
    this.svg.addEventListener("keydown", (event) => this.key(event));
    this.scroller.addEventListener("scroll", () => this.scrolled(), { passive: true });
    this.scroller.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    new ResizeObserver(() => this.scrolled()).observe(this.scroller);
    this.pan();
    this.aim();
  }

  show(run) {
    this.run = run;
    this.everything = false;
    this.lit = null;
    this.layout();
    this.edgesOut = draw("g", { class: "edges" });
    this.view = draw("path", { class: "edge all" });
    this.boxesOut = draw("g", { class: "boxes" });
    this.labelsOut = draw("g", { class: "labels" });
    this.svg.replaceChildren(this.view, this.edgesOut, this.boxesOut, this.labelsOut);
    this.drawn = new Set();
    this.boxes = new Map();
    this.lines = new Map();
    this.focus = null;
    this.drawOverview();
    this.scroller.scrollLeft = 0;
    this.setZoom(Math.min(1, Math.max(0.8, this.whole())));
  }

  // Gives every node its place; descriptions of tools that nobody relies on share one box.
  layout() {
    const { nodes, edges, verdicts } = this.run;
    const used = new Set(edges.map((edge) => edge.from));
    this.number = new Map(verdicts.map((verdict, i) => [verdict.node, i]));
    const returned = new Map(edges.filter((edge) => edge.kind === "returned").map((edge) => [edge.to, edge.from]));
    this.place = new Map();
    this.items = [];
    const taken = new Set();
    let column = 0;
    let stack = null;
    nodes.forEach((node, i) => {
      const odd = node.parts.some((part) => part.a);
      const docs = isContext(node) && node.kind.context === "tool_docs" && !odd && !used.has(i);
      if (docs && stack) {
        stack.more += 1;
        this.place.set(i, stack);
        return;
      }
      const lane = isAction(node) || node.kind === "reply" ? 2 : isContext(node) ? 1 : 0;
      const cause = returned.has(i) ? this.place.get(returned.get(i)) : null;
      const above = cause && lane === 1 && !taken.has(cause.column);
      const item = { node: i, lane, column: above ? cause.column : column++, more: 0, odd };
      if (lane === 1) taken.add(item.column);
      this.place.set(i, item);
      this.items.push(item);
      if (docs) stack = item;
    });
    this.columns = column;
    this.width = Math.max(1, column) * COLUMN + 20;
    this.incoming = new Map();
    for (const edge of edges) {
      const list = this.incoming.get(edge.to) || [];
      list.push(edge);
      this.incoming.set(edge.to, list);
    }
    this.byColumn = [...this.items].sort((a, b) => a.column - b.column || a.lane - b.lane);
  }

  left(item) {
    return 10 + item.column * COLUMN;
  }

  // Draws what is in view and was not drawn before.
  drawVisible() {
    const from = (this.scroller.scrollLeft - MARGIN) / this.zoom;
    const to = (this.scroller.scrollLeft + this.scroller.clientWidth + MARGIN) / this.zoom;
    const first = Math.floor(from / COLUMN) - 1;
    let low = 0;
    let high = this.byColumn.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.byColumn[middle].column < first) low = middle + 1;
      else high = middle;
    }
    for (; low < this.byColumn.length && this.left(this.byColumn[low]) < to; low++) this.drawItem(this.byColumn[low]);
  }

  drawItem(item) {
    if (this.drawn.has(item.node)) return;
    this.drawn.add(item.node);
    const box = this.box(item);
    this.boxes.set(item.node, box);
    this.boxesOut.append(box);
    for (const edge of this.incoming.get(item.node) || []) {
      const line = draw("path", { class: "edge " + edge.kind + (edge.a ? " odd" : ""), d: this.route(edge) });
      this.lines.set(edge, line);
      this.edgesOut.append(line);
    }
    this.relight(item);
  }

  box(item) {
    const node = this.run.nodes[item.node];
    const number = this.number.get(item.node);
    const verdict = number === undefined ? null : this.run.verdicts[number];
    const hidden = node.parts.some((part) => part.r === "concealed");
    const odd = node.parts.filter((part) => part.a).length;
    const state = verdict ? verdict.outcome + " " + verdict.effect : "";
    let name = node.name;
    let line = kindOf(node);
    if (item.more) [name, line] = ["Tools", count(item.more + 1, "description")];
    else if (verdict) line = target(verdict) || firstArgument(node) || "no arguments";
    else if (item.lane !== 1) [name, line] = [kindOf(node), shorten(textOf(node), 20)];
    else if (odd) line = line + " · " + odd + (hidden ? " hidden" : " anomalous");
    const label = (number === undefined ? "" : number + " · ") + name;
    const x = this.left(item);
    const y = LANES[item.lane];
    const kind = typeof node.kind === "object" ? "context" : node.kind;
    return draw(
      "g",
      {
        class: "box " + kind + " " + state + (odd ? " odd" : "") + (hidden ? " hidden" : ""),
        transform: "translate(" + x + " " + y + ")",
        role: "button",
        tabindex: "-1",
        "data-node": String(item.node),
        "aria-label": label + ", " + (verdict ? word("outcome", verdict.outcome) + " " + word("effect", verdict.effect) + ", " : "") + line,
      },
      draw("title", {}, label + "\n" + shorten(textOf(node), 300)),
      this.outline(item, verdict),
      odd ? draw("line", { class: "flag", x1: 3, y1: 5, x2: 3, y2: BOX.height - 5 }) : null,
      // A picture of its own cuts off what is too long.
      draw(
        "svg",
        { x: 12, width: BOX.width - 18, height: BOX.height },
        draw("text", { class: "name", y: 18 }, shorten(label, 16)),
        draw("text", { class: "line", y: 33 }, (verdict ? word("mark", verdict.outcome) + " " : "") + shorten(line, 20)),
      ),
    );
  }

  // Shapes differ, not only colours: reads are round, what changes something is square, what was stopped has cut corners.
  outline(item, verdict) {
    const { width, height } = BOX;
    if (verdict && verdict.outcome !== "release") {
      const d = `M10 0H${width - 10}L${width} 10V${height - 10}L${width - 10} ${height}H10L0 ${height - 10}V10Z`;
      return draw("path", { class: "shape", d });
    }
    const round = item.lane === 2 && verdict && verdict.effect === "read" ? height / 2 : 5;
    return draw("rect", { class: "shape", width, height, rx: round });
  }

  // An edge as a path: up to what an action returned; from evidence down into a track and along to the action.
  route(edge) {
    const from = this.place.get(edge.from);
    const to = this.place.get(edge.to);
    const [x1, x2] = [this.left(from), this.left(to)];
    if (edge.kind === "returned" && from.column === to.column) {
      const x = x1 + BOX.width / 2;
      const top = LANES[1] + BOX.height;
      return `M${x} ${LANES[2]}V${top}M${x - 4} ${top + 7}L${x} ${top}L${x + 4} ${top + 7}`;
    }
    if (from.lane === 2 && to.lane === 2) {
      const y = LANES[2] + BOX.height;
      const [a, b] = [x1 + BOX.width - 20, x2 + 20];
      return `M${a} ${y}V${y + 4}Q${a} ${y + 10} ${a + 6} ${y + 10}H${b - 6}Q${b} ${y + 10} ${b} ${y + 4}V${y}`;
    }
    const start = LANES[from.lane] + (from.lane === 2 ? 0 : BOX.height);
    const end = LANES[to.lane] + (to.lane === 2 ? 0 : BOX.height);
    const y = this.track(edge.from);
    const [a, b] = [x1 + BOX.width - 18, x2 + 24];
    const tip = to.lane === 2 ? -7 : 7;
    const [down, away] = [y > start ? -6 : 6, y > end ? 6 : -6];
    return (
      `M${a} ${start}V${y + down}Q${a} ${y} ${a + 6} ${y}H${b - 6}Q${b} ${y} ${b} ${y - away}V${end}` +
      `M${b - 4} ${end + tip}L${b} ${end}L${b + 4} ${end + tip}`
    );
  }

  // Lights the chain of a verdict: its spans' nodes, what brought them in, the action, and the edges between them.
  light(verdict) {
    this.verdict = verdict;
    const lit = new Set();
    if (verdict) {
      lit.add(verdict.node);
      let seeds = verdict.chain.map((at) => at.node);
      if (!seeds.length) seeds = this.run.edges.filter((e) => e.to === verdict.node && e.kind === "evidence").map((e) => e.from);
      for (const node of seeds) {
        lit.add(node);
        for (const edge of this.incoming.get(node) || []) if (edge.kind === "returned") lit.add(edge.from);
      }
    }
    this.lit = verdict ? lit : null;
    this.svg.classList.toggle("has-lit", Boolean(verdict) && verdict.chain.length > 0);
    for (const item of this.items) if (this.drawn.has(item.node)) this.relight(item);
    this.label();
    this.showAll(this.everything);
  }

  // Names the arguments that the lit evidence carries, on its edges; where some rest on nothing else, only those.
  label() {
    const carried = new Map();
    const all = this.verdict ? this.verdict.arguments : [];
    const odd = all.filter((argument) => argument.label === "anomalous");
    for (const argument of odd.length ? odd : all) {
      for (const { node } of argument.support.spans || []) {
        if (this.lit.has(node) && node < this.verdict.node) carried.set(node, (carried.get(node) || new Set()).add(argument.argument));
      }
    }
    const labels = Array.from(carried, ([node, names]) => {
      const y = this.track(node) - 4;
      return draw("text", { x: this.left(this.place.get(node)) + BOX.width - 8, y }, shorten([...names].join(", "), 30));
    });
    this.labelsOut.replaceChildren(...labels);
  }

  // The height at which the edges from a node run.
  track(node) {
    return TRACKS.first + (node % TRACKS.number) * TRACKS.step;
  }

  relight(item) {
    const on = Boolean(this.lit && this.lit.has(item.node));
    const current = Boolean(this.verdict && this.verdict.node === item.node);
    const box = this.boxes.get(item.node);
    box.classList.toggle("lit", on);
    box.classList.toggle("current", current);
    for (const edge of this.incoming.get(item.node) || []) {
      const bright = on && this.lit.has(edge.from) && edge.kind !== "refused";
      this.lines.get(edge).classList.toggle("lit", bright);
    }
  }

  // Everything that was in the model's view when it proposed the selected call.
  showAll(on) {
    this.everything = on;
    const target = on && this.verdict ? this.place.get(this.verdict.node) : null;
    if (!target) return this.view.setAttribute("d", "");
    const seen = this.items.filter((item) => item.lane !== 2 && item.node < target.node);
    const [x, y] = [this.left(target) + 24, LANES[2]];
    const paths = seen.map((item) => {
      const a = this.left(item) + BOX.width - 18;
      return `M${a} ${LANES[item.lane] + BOX.height}C${a} ${y - 10} ${x} ${y - 60} ${x} ${y}`;
    });
    this.view.setAttribute("d", paths.join(""));
  }

  // Brings a node into view; with `whole` also the lit nodes that it comes from, as far as there is room.
  reveal(node, whole = false) {
    const item = this.place.get(node);
    if (!item) return;
    const room = this.scroller.clientWidth;
    const right = (this.left(item) + BOX.width) * this.zoom;
    let left = (this.left(item) + BOX.width / 2) * this.zoom - room * 0.6;
    if (whole && this.lit) {
      const first = Math.min(...Array.from(this.lit, (n) => this.left(this.place.get(n)))) * this.zoom;
      left = right - first < room - 20 ? Math.min(left, first - 10) : right - room + 10;
    }
    // A long way is no help to the eye.
    const far = Math.abs(left - this.scroller.scrollLeft) > 2 * room;
    this.scroller.scrollTo({ left: Math.max(0, left), behavior: far ? "auto" : glide() });
  }

  // Marks the node whose content is shown, and brings it into view.
  mark(node) {
    const item = this.place.get(node);
    if (!item) return;
    this.drawItem(item);
    for (const box of this.boxesOut.querySelectorAll(".shown")) box.classList.remove("shown");
    this.boxes.get(item.node).classList.add("shown");
    if (!this.inView(item)) this.reveal(item.node);
  }

  inView(item) {
    const x = this.left(item) * this.zoom;
    const { scrollLeft, clientWidth } = this.scroller;
    return x > scrollLeft + 10 && x + BOX.width * this.zoom < scrollLeft + clientWidth - 10;
  }

  setZoom(zoom, anchor = 0) {
    const before = (this.scroller.scrollLeft + anchor) / this.zoom;
    this.zoom = Math.min(2, Math.max(zoom, SMALLEST, Math.min(0.12, this.whole())));
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${HEIGHT}`);
    this.svg.setAttribute("width", String(this.width * this.zoom));
    // From afar time shrinks further and the lanes do not: boxes become bars without words.
    const far = this.zoom < FAR;
    this.svg.setAttribute("preserveAspectRatio", far ? "none" : "xMinYMin");
    this.svg.setAttribute("height", String(HEIGHT * Math.max(this.zoom, FAR)));
    this.svg.classList.toggle("far", far);
    [...by("lanes").children].forEach((lane, i) => {
      lane.style.top = (LANES[i] + BOX.height / 2) * Math.max(this.zoom, FAR) + "px";
    });
    this.scroller.scrollLeft = before * this.zoom - anchor;
    this.scrolled();
  }

  zoomBy(factor) {
    this.setZoom(this.zoom * factor, this.scroller.clientWidth / 2);
  }

  // The zoom at which everything is in view.
  whole() {
    return (this.scroller.clientWidth - 16) / this.width;
  }

  fit() {
    this.setZoom(Math.min(1, this.whole()));
  }

  wheel(event) {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const anchor = event.clientX - this.scroller.getBoundingClientRect().left;
    this.setZoom(this.zoom * Math.exp(-event.deltaY / 300), anchor);
  }

  scrolled() {
    if (!this.run) return;
    this.drawVisible();
    const whole = this.width * this.zoom;
    const seen = this.scroller.clientWidth;
    by("overview").classList.toggle("idle", whole <= seen + 1);
    this.pane.setAttribute("x", String((this.scroller.scrollLeft / whole) * this.columns));
    this.pane.setAttribute("width", String(Math.min(1, seen / whole) * this.columns));
  }

  // One strip over the whole run: what is anomalous above, how calls ended beneath.
  drawOverview() {
    const marks = { odd: "", release: "", block: "", approve: "", plain: "" };
    for (const item of this.items) {
      const number = this.number.get(item.node);
      const verdict = number === undefined ? null : this.run.verdicts[number];
      const kind = verdict ? verdict.outcome : item.odd ? "odd" : "plain";
      marks[kind] += `M${item.column + 0.1} ${item.lane}h.8v.8h-.8z`;
    }
    const paths = Object.entries(marks).map(([kind, d]) => draw("path", { class: kind, d }));
    this.pane = draw("rect", { class: "pane", y: -0.3, height: 3.4, x: 0, width: 1 });
    const strip = by("overview");
    strip.setAttribute("viewBox", `0 -0.3 ${Math.max(1, this.columns)} 3.4`);
    strip.setAttribute("preserveAspectRatio", "none");
    strip.replaceChildren(...paths, this.pane);
  }

  // Pointing into the overview moves the view there.
  aim() {
    const strip = by("overview");
    const go = (event) => {
      const box = strip.getBoundingClientRect();
      const at = ((event.clientX - box.left) / box.width) * this.width * this.zoom;
      this.scroller.scrollLeft = at - this.scroller.clientWidth / 2;
    };
    strip.addEventListener("pointerdown", (event) => {
      strip.setPointerCapture(event.pointerId);
      go(event);
    });
    strip.addEventListener("pointermove", (event) => event.buttons && go(event));
  }

  // Dragging the ground with a mouse pans; touch scrolls by itself.
  pan() {
    let start = null;
    this.scroller.addEventListener("pointerdown", (event) => {
      if (event.pointerType !== "mouse" || event.button || event.target.closest(".box")) return;
      start = { x: event.clientX, left: this.scroller.scrollLeft };
      this.scroller.setPointerCapture(event.pointerId);
    });
    this.scroller.addEventListener("pointermove", (event) => {
      if (start) this.scroller.scrollLeft = start.left - (event.clientX - start.x);
    });
    for (const end of ["pointerup", "pointercancel"]) this.scroller.addEventListener(end, () => (start = null));
  }

  clicked(event) {
    const box = event.target.closest(".box");
    if (!box) return;
    this.setFocus(Number(box.dataset.node), false);
    this.open(this.focus);
  }

  // The node that takes the keyboard: one of them at a time is in the tab order.
  setFocus(node, move) {
    const old = this.boxes.get(this.focus);
    if (old) old.setAttribute("tabindex", "-1");
    const item = this.place.get(node);
    if (!item) return;
    this.drawItem(item);
    this.focus = item.node;
    const box = this.boxes.get(item.node);
    box.setAttribute("tabindex", "0");
    if (!move) return;
    box.focus({ preventScroll: true });
    if (!this.inView(item)) this.reveal(item.node);
  }

  key(event) {
    const item = this.place.get(this.focus);
    if (!item || event.ctrlKey || event.metaKey || event.altKey) return;
    const others = (test) => this.byColumn.filter(test);
    let next = null;
    if (event.key === "ArrowRight") next = this.byColumn[this.byColumn.indexOf(item) + 1];
    else if (event.key === "ArrowLeft") next = this.byColumn[this.byColumn.indexOf(item) - 1];
    else if (event.key === "ArrowUp") next = others((i) => i.lane < item.lane && i.column <= item.column).at(-1);
    else if (event.key === "ArrowDown") next = others((i) => i.lane > item.lane && i.column >= item.column)[0];
    else if (event.key === "Enter" || event.key === " ") this.open(item.node);
    else return;
    event.preventDefault();
    event.stopPropagation();
    if (next) this.setFocus(next.node, true);
  }
}
