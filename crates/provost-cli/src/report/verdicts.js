// The verdicts of one run as cards: one plain sentence each, and on opening what it rests on.

const FILTERS = [
  ["all", "All", () => true],
  ["changes", "Changes", (verdict) => verdict.effect !== "read"],
  ["stopped", "Stopped", (verdict) => verdict.outcome !== "release"],
];
// Places listed per argument.
const PLACES = 3;

class Verdicts {
  // `choose(index, opened)` is called when a card is chosen; `cite(at)` when a link names a span; `call(node)` for a call.
  constructor(choose, cite, call) {
    this.choose = choose;
    this.cite = cite;
    this.call = call;
    this.filter = "all";
    this.current = -1;
    by("cards").addEventListener("click", (event) => {
      const head = event.target.closest(".card-head");
      if (head) this.pick(Number(head.dataset.verdict), !this.isOpen(Number(head.dataset.verdict)));
    });
  }

  show(run) {
    this.run = run;
    const numbers = new Map(run.verdicts.map((verdict, i) => [verdict.node, i]));
    const returned = run.edges.filter((edge) => edge.kind === "returned");
    this.calls = new Map(returned.map((edge) => [edge.to, numbers.get(edge.from)]));
    this.current = -1;
    this.filter = "all";
    this.cards = run.verdicts.map((verdict, i) => this.card(verdict, i));
    const empty = el("li", { class: "notice" }, "The agent proposed no tool call in this run.");
    by("cards").replaceChildren(...(this.cards.length ? this.cards : [empty]));
    this.drawFilter();
    const statements = run.invariants.map((text) => el("li", {}, text));
    by("promises").hidden = statements.length === 0;
    by("promises").querySelector("ul").replaceChildren(...statements);
  }

  card(verdict, i) {
    const head = el(
      "button",
      { type: "button", class: "card-head", "data-verdict": String(i), "aria-expanded": "false", "aria-controls": "body-" + i },
      this.badge(verdict),
      el("span", { class: "tool" }, el("code", {}, verdict.tool), " ", el("span", { class: "number" }, "call " + i)),
      el("span", { class: "sentence" }, verdict.reason),
    );
    const body = el("div", { class: "card-body", id: "body-" + i, hidden: true });
    return el("li", { class: "card " + verdict.outcome + " " + verdict.effect }, head, body);
  }

  badge(verdict) {
    const mark = el("span", { "aria-hidden": "true" }, WORDS.mark[verdict.outcome] || "•");
    return el("span", { class: "badge" }, mark, " ", word("outcome", verdict.outcome));
  }

  head(i) {
    return this.cards[i] && this.cards[i].querySelector(".card-head");
  }

  isOpen(i) {
    return this.head(i).getAttribute("aria-expanded") === "true";
  }

  // Makes card `i` the current one, opened or not.
  pick(i, opened, focus = false) {
    const verdict = this.run.verdicts[i];
    if (!verdict) return;
    if (!this.passes(verdict)) this.setFilter("all");
    if (this.cards[this.current]) this.cards[this.current].classList.remove("current");
    this.current = i;
    const card = this.cards[i];
    card.classList.add("current");
    this.toggle(i, opened);
    if (focus) this.head(i).focus({ preventScroll: true });
    this.reveal(card);
    this.choose(i, opened);
  }

  // Brings a card into view by its head: an open card may be taller than the pane. Where the whole page scrolls, what
  // stands at its top is worth more when a run is opened.
  reveal(card) {
    const scrolls = getComputedStyle(by("verdicts")).overflowY !== "visible";
    if (state.opening && !scrolls) return;
    const head = card.querySelector(".card-head");
    const fits = card.offsetHeight < by("verdicts").clientHeight;
    (fits ? card : head).scrollIntoView({ block: fits ? "nearest" : "start", behavior: glide() });
  }

  toggle(i, opened) {
    const body = this.cards[i].querySelector(".card-body");
    if (opened && !body.childNodes.length) body.append(...this.details(this.run.verdicts[i]));
    body.hidden = !opened;
    this.head(i).setAttribute("aria-expanded", String(opened));
  }

  // Moves by `step` among the cards that the filter shows and that pass `test`; at the end of these it stays, or starts over.
  move(step, test = () => true, over = false) {
    const shown = this.run.verdicts.map((_, i) => i).filter((i) => this.passes(this.run.verdicts[i]) && test(this.run.verdicts[i]));
    const next = step > 0 ? shown.find((i) => i > this.current) : shown.findLast((i) => i < this.current);
    if (next !== undefined) this.pick(next, this.isOpen(next), true);
    else if (shown.length && (over || this.current < 0)) this.pick(shown[0], this.isOpen(shown[0]), true);
    else if (this.current >= 0) this.head(this.current).focus();
  }

  passes(verdict) {
    return FILTERS.find(([id]) => id === this.filter)[2](verdict);
  }

  setFilter(id) {
    this.filter = id;
    this.cards.forEach((card, i) => (card.hidden = !this.passes(this.run.verdicts[i])));
    this.drawFilter();
  }

  drawFilter() {
    const buttons = FILTERS.map(([id, name, test]) => {
      const number = this.run.verdicts.filter(test).length;
      const attributes = { type: "button", "aria-pressed": String(id === this.filter), disabled: number === 0, click: () => this.setFilter(id) };
      return el("button", attributes, name + " " + number);
    });
    by("filter").replaceChildren(...buttons);
  }

  details(verdict) {
    const meta = el("p", { class: "small" }, word("effect", verdict.effect), " · ", word("finding", verdict.finding));
    if (this.run.nodes[verdict.node]) {
      const go = () => this.call(verdict.node);
      meta.append(" · ", el("button", { type: "button", class: "link", click: go }, "show the call"));
    }
    const out = [meta];
    if (verdict.hint) out.push(el("h5", {}, "What the agent was told"), el("blockquote", {}, verdict.hint));
    if (verdict.chain.length) out.push(el("h5", {}, "How it came about"), this.chain(verdict));
    if (verdict.arguments.length) out.push(el("h5", {}, "What each argument rests on"), this.table(verdict));
    if (verdict.invariants.length) out.push(el("h5", {}, "Against what the user asked for"), this.invariants(verdict));
    return out;
  }

  chain(verdict) {
    const steps = verdict.chain.map((at) => el("li", {}, this.place(at, 220)));
    const mark = WORDS.mark[verdict.outcome] || "•";
    return el("ol", { class: "chain" }, ...steps, el("li", { class: "end" }, mark + " ", el("code", {}, verdict.tool)));
  }

  table(verdict) {
    const rows = verdict.arguments.map((argument) =>
      el(
        "tr",
        { class: argument.label === "anomalous" ? "odd" : null },
        el("th", { scope: "row" }, el("code", {}, argument.argument), el("small", {}, word("sensitivity", argument.sensitivity))),
        el("td", { class: "value" }, argument.value),
        el("td", {}, ...this.support(argument)),
      ),
    );
    const head = el("tr", {}, ...["Argument", "Value", "Rests on"].map((name) => el("th", { scope: "col" }, name)));
    return el("table", {}, el("thead", {}, head), el("tbody", {}, ...rows));
  }

  support(argument) {
    const support = argument.support;
    const places = support.spans || [];
    const out = [];
    if (argument.label === "anomalous") out.push(el("strong", { class: "warn" }, places.length ? "anomalous text only" : "unsupported"));
    if (support.by === "derived") out.push(el("p", {}, "follows from ", el("span", { class: "how" }, support.how)));
    if (support.by === "default") out.push(el("p", {}, support.why));
    if (support.by === "nothing") out.push(el("p", {}, "nothing in this session"));
    const list = el("ul", { class: "places" }, ...places.slice(0, PLACES).map((at) => el("li", {}, this.place(at, 90))));
    if (places.length) out.push(list);
    const more = places.length + (argument.more || 0) - PLACES;
    if (more > 0 && places.length > PLACES) out.push(el("p", { class: "small" }, "and " + count(more, "more place")));
    return out;
  }

  // A link to a span: where it stands and what it says.
  place(at, length) {
    const node = this.run.nodes[at.node];
    if (!node) return el("span", {}, "not in this report");
    const span = spanAt(node, at.span);
    const call = this.calls.get(at.node);
    const where = node.name + (call === undefined ? "" : " (call " + call + ")") + (span && span.p ? " › " + span.p : "");
    const [tag] = span ? reasonOf(span) : [""];
    const link = el("button", { type: "button", class: "link", click: () => this.cite(at) }, shorten(where, 60));
    const odd = span && span.a ? el("span", { class: "tag" + (span.r === "concealed" ? " hidden" : "") }, tag || "anomalous") : "";
    return el("span", { class: "place" }, link, " ", odd, " ", el("q", {}, span ? shorten(span.t, length) : ""));
  }

  invariants(verdict) {
    const rows = verdict.invariants.map((check) =>
      el("li", { class: check.holds ? "holds" : "broken" }, el("strong", {}, check.holds ? "✓ within " : "✕ outside "), check.statement),
    );
    return el("ul", { class: "invariants" }, ...rows);
  }
}
