// One node's content: its spans in order, coloured by label, with what the selected verdict rests on outlined.

// A stretch of text that nothing points at is folded when it is longer than this many characters.
const FOLD = 1400;
const HEAD = 600;
const TAIL = 300;

class Source {
  // Called with the index of the node or verdict that a link names.
  constructor(openNode, openVerdict) {
    this.openNode = openNode;
    this.openVerdict = openVerdict;
    this.content = by("content");
    this.content.addEventListener("click", (event) => this.clicked(event));
    this.content.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && event.target.closest(".span")) this.clicked(event);
    });
  }

  clear(run) {
    this.run = run;
    this.node = null;
    this.citations = new Map();
    run.verdicts.forEach((verdict, i) => {
      for (const [at, argument] of cites(verdict)) {
        const key = at.node + ":" + at.span;
        const citing = this.citations.get(key) || new Map();
        const names = citing.get(i) || new Set();
        if (argument) names.add(argument);
        this.citations.set(key, citing.set(i, names));
      }
    });
    by("source-title").replaceChildren("Source");
    by("source-note").replaceChildren("Select a verdict, or a box of the graph, to read what is behind it.");
    by("span-note").replaceChildren();
    this.content.replaceChildren();
  }

  // Shows node `index`; spans cited by `verdict` are outlined, and `span` is scrolled to.
  show(index, verdict, span) {
    const node = this.run.nodes[index];
    if (!node) return;
    this.node = index;
    const cited = new Set();
    if (verdict) for (const [at] of cites(verdict)) if (at.node === index) cited.add(at.span);
    by("source-title").replaceChildren(show(isAction(node) ? "Arguments of " + node.name : node.name), " ");
    this.note(index, node);
    by("span-note").replaceChildren();
    this.content.replaceChildren();
    this.content.scrollTop = 0;
    if (isAction(node) && node.parts.every((part) => part.t !== undefined)) this.content.append(show(prettyArguments(node)));
    else this.render(node, cited);
    if (span !== undefined && span !== null) this.reveal(span);
  }

  note(index, node) {
    const odd = node.parts.filter((part) => part.a);
    const parts = [el("span", { class: "kind" }, kindOf(node))];
    const back = this.run.edges.find((edge) => edge.to === index && edge.kind === "returned");
    if (back) parts.push(" returned by ", this.link(back.from));
    const onward = this.run.edges.find((edge) => edge.from === index && edge.kind === "returned");
    if (onward) parts.push(" returned ", this.link(onward.to, "this result"));
    if (odd.length) {
      const first = node.parts.indexOf(odd[0]);
      const at = node.parts.slice(0, first).reduce((n, part) => n + (part.spans || 1), 0);
      const go = () => this.reveal(at);
      parts.push(" · ", el("button", { type: "button", class: "link", click: go }, count(odd.length, "anomalous span")));
    }
    by("source-note").replaceChildren(...parts);
  }

  link(index, words) {
    const node = this.run.nodes[index];
    const go = () => this.openNode(index);
    return el("button", { type: "button", class: "link", click: go }, words || node.name);
  }

  render(node, cited) {
    const out = document.createDocumentFragment();
    let quiet = [];
    let length = 0;
    const flush = () => {
      if (quiet.length) out.append(length > FOLD ? this.folded(quiet, length) : this.spans(quiet));
      quiet = [];
      length = 0;
    };
    let number = 0;
    for (const part of node.parts) {
      if (part.t === undefined) {
        flush();
        out.append(el("span", { class: "gap" }, "… " + count(part.bytes, "byte") + " left out of this report …"));
        number += part.spans;
        continue;
      }
      const entry = { part, number, cited: cited.has(number) };
      number += 1;
      if (part.a || entry.cited) {
        flush();
        out.append(this.span(entry, part.t));
      } else {
        quiet.push(entry);
        length += part.t.length;
      }
    }
    flush();
    if (!node.parts.length) out.append(el("span", { class: "gap" }, "empty"));
    this.content.append(out);
  }

  spans(entries) {
    const out = document.createDocumentFragment();
    for (const entry of entries) out.append(this.span(entry, entry.part.t));
    return out;
  }

  // The head and the tail of a long quiet stretch, and a button for what is between.
  folded(entries, length) {
    const cut = (from, to) => {
      const out = document.createDocumentFragment();
      let at = 0;
      for (const entry of entries) {
        const text = entry.part.t.slice(Math.max(0, from - at), Math.max(0, to - at));
        if (text) out.append(this.span(entry, text));
        at += entry.part.t.length;
      }
      return out;
    };
    const box = el("span", {});
    const unfold = () => box.replaceWith(this.spans(entries));
    const between = length - HEAD - TAIL;
    const button = el("button", { type: "button", class: "fold", click: unfold }, "… " + count(between, "character") + " more …");
    box.append(cut(0, HEAD), button, cut(length - TAIL, length));
    return box;
  }

  span(entry, text) {
    const { part, number } = entry;
    const [tag] = reasonOf(part);
    const classes = ["span"];
    if (part.a) classes.push("odd");
    if (part.r === "concealed") classes.push("hidden");
    if (entry.cited) classes.push("cited");
    const loud = part.a || entry.cited;
    return el(
      "span",
      {
        class: classes.join(" "),
        "data-span": String(number),
        "data-tag": part.a ? tag || "anomalous" : null,
        tabindex: loud ? "0" : null,
        role: loud ? "button" : null,
        title: loud ? [part.p, reasonOf(part)[1]].filter(Boolean).join(": ") : null,
      },
      text,
      part.cut ? el("span", { class: "gap" }, "… " + count(part.cut, "byte") + " more, left out of this report") : null,
    );
  }

  clicked(event) {
    const span = event.target.closest(".span");
    if (span && !getSelection().toString()) this.explain(Number(span.dataset.span));
  }

  // What is known of one span, in the line beneath the content.
  explain(number) {
    const node = this.run.nodes[this.node];
    const part = spanAt(node, number);
    if (!part) return;
    for (const other of this.content.querySelectorAll(".span.picked")) other.classList.remove("picked");
    const here = this.content.querySelector(`[data-span="${number}"]`);
    if (here) here.classList.add("picked");
    const out = [];
    if (part.p) out.push(el("code", {}, part.p), " ");
    if (!isAction(node)) out.push(reasonOf(part)[1] + (part.a ? " No action may rest on it. " : " "));
    const citing = this.citations.get(this.node + ":" + number) || new Map();
    for (const [verdict, names] of [...citing].slice(0, 12)) {
      const go = () => this.openVerdict(verdict);
      const what = names.size ? " (" + [...names].join(", ") + ") " : " ";
      out.push(el("button", { type: "button", class: "link", click: go }, "call " + verdict), what);
    }
    by("span-note").replaceChildren(...out.map((item) => (typeof item === "string" ? show(item) : item)));
  }

  reveal(number) {
    let span = this.content.querySelector(`[data-span="${number}"]`);
    if (!span) {
      for (const fold of [...this.content.querySelectorAll(".fold")]) fold.click();
      span = this.content.querySelector(`[data-span="${number}"]`);
    }
    if (!span) return;
    this.explain(number);
    const inner = span.getBoundingClientRect().top - this.content.getBoundingClientRect().top;
    const top = this.content.scrollTop + inner - this.content.clientHeight / 3;
    this.content.scrollTo({ top: Math.max(0, top), behavior: glide() });
  }
}

// Every span that a verdict names, with the argument that rests on it, if one does.
function cites(verdict) {
  const supports = verdict.arguments.flatMap((argument) => (argument.support.spans || []).map((at) => [at, argument.argument]));
  return supports.concat(verdict.chain.map((at) => [at, null]));
}
