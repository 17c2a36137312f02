"use strict";
// Words, and the only way by which text reaches the page: as text nodes, with what is invisible made visible.

const WORDS = {
  outcome: { release: "Released", block: "Blocked", approve: "Needs approval" },
  mark: { release: "✓", block: "✕", approve: "?" },
  effect: { read: "read", egress: "egress", write: "write" },
  finding: {
    read_only: "only reads",
    justified: "justified",
    already_released: "same call as before",
    anomalous_support: "rests on anomalous text",
    unsupported: "rests on nothing",
    not_entailed: "not determined by benign text",
    outside_task: "outside the task",
    malformed: "unreadable call",
  },
  surface: {
    tool_docs: "tool description",
    tool_result: "result",
    document: "document",
    memory: "memory",
    skill: "skill",
    agent_message: "agent message",
  },
  kind: { system: "operator", user: "user", reply: "agent's words", read: "read", write: "action", denied: "stopped" },
  sensitivity: {
    target: "where or whom",
    amount: "how much",
    content: "text sent",
    selector: "which one",
    benign: "formatting",
  },
  // A tag to stand in the text, and a sentence for the note beneath it.
  reason: {
    principal: ["", "The operator's or the user's own words."],
    assertion: ["", "States something: data."],
    delegated: ["", "Asks for an action, in a source that the user told the agent to follow."],
    directive: ["directive", "Asks for an action; nobody told the agent to follow this source."],
    claim: ["claim", "Claims authority, an exception or a changed fact, and nothing earlier supports it."],
    supported_claim: ["", "A claim that earlier text supports."],
    meta: ["meta", "Speaks of prompts, roles or tools."],
    concealed: ["hidden", "Hidden from people who look at the content."],
    tainted_cause: ["tainted", "Returned by a call that itself rests on anomalous text."],
    syntax: ["", "Brackets, separators or markup."],
  },
};

// The word for a value of a closed set; an unknown value shows itself.
function word(set, key) {
  return Object.hasOwn(WORDS[set], key) ? WORDS[set][key] : String(key).replaceAll("_", " ");
}

const reasonOf = (span) => (span.r && Object.hasOwn(WORDS.reason, span.r) ? WORDS.reason[span.r] : ["", ""]);

// Characters that a reader would not see, or that reorder what is around them: controls, format characters
// (zero-width, bidirectional, tags), fillers and variation selectors; not line breaks and tabs.
const INVISIBLE =
  /(?:(?![\n\t])[\p{Cc}\p{Cf}\p{Co}\u2028\u2029\u115f\u1160\u3164\uffa0\ufe00-\ufe0d\u{e0100}-\u{e01ef}])+/gu;

// What stands for a run of invisible characters. Tag characters spell ASCII: that spelling is shown.
function spelled(run) {
  const points = Array.from(run, (c) => c.codePointAt(0));
  const tags = points.filter((p) => p > 0xe001f && p < 0xe007f);
  if (tags.length > 3) return "tags “" + String.fromCharCode(...tags.slice(0, 4000).map((p) => p - 0xe0000)) + "”";
  const names = points.slice(0, 4).map((p) => "U+" + p.toString(16).toUpperCase().padStart(4, "0"));
  const same = points.every((p) => p === points[0]);
  if (same && points.length > 1) return names[0] + " ×" + points.length;
  return names.join(" ") + (points.length > 4 ? " +" + (points.length - 4) : "");
}

// Text for attributes, where no chip can stand.
const flat = (text) => String(text).replace(/\r\n/g, "\n").replace(INVISIBLE, (run) => "‹" + spelled(run) + "›");

// Text for the page.
function show(text) {
  const clean = String(text).replace(/\r\n/g, "\n");
  const out = document.createDocumentFragment();
  let from = 0;
  for (const hit of clean.matchAll(INVISIBLE)) {
    out.append(clean.slice(from, hit.index));
    const chip = document.createElement("span");
    chip.className = "chip";
    chip.textContent = spelled(hit[0]);
    out.append(chip);
    from = hit.index + hit[0].length;
  }
  out.append(clean.slice(from));
  return out;
}

// An element: attributes as strings, handlers as functions, children as nodes or text; empty children are left out.
function build(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(name, value);
    else node.setAttribute(name, value === true ? "" : flat(value));
  }
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false || child === "") continue;
    node.append(child instanceof Node ? child : show(child));
  }
  return node;
}

const by = (id) => document.getElementById(id);
const el = (tag, attributes, ...children) => build(document.createElement(tag), attributes, children);
const SPACE = by("graph").namespaceURI;
const draw = (tag, attributes, ...children) => build(document.createElementNS(SPACE, tag), attributes, children);

function shorten(text, length) {
  const flatText = flat(text).replace(/\s+/g, " ").trim();
  const letters = Array.from(flatText.slice(0, 4 * length + 4));
  return letters.length > length ? letters.slice(0, length - 1).join("") + "…" : letters.join("");
}

// The inner end of a path: the file and the folder that it is in.
function lastOf(path) {
  const steps = flat(path).split("/");
  return (steps.length > 2 ? "…/" : "") + shorten(steps.slice(-2).join("/"), 60);
}

const count = (n, one, many) => n.toLocaleString("en") + " " + (n === 1 ? one : many || one + "s");
const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
const glide = () => (still() ? "auto" : "smooth");
const narrow = () => matchMedia("(max-width: 799px)").matches;

// What a node is, in words.
function kindOf(node) {
  return typeof node.kind === "object" ? word("surface", node.kind.context) : word("kind", node.kind);
}
const isContext = (node) => typeof node.kind === "object";
const isAction = (node) => node.kind === "read" || node.kind === "write" || node.kind === "denied";
const textOf = (node) => node.parts.map((part) => part.t || "").join("");

// Where or whom a call reaches, for a label.
function target(verdict) {
  const argument = verdict.arguments.find((a) => a.sensitivity === "target");
  return argument ? shorten(argument.value, 40) : "";
}

// The first argument of a call that says something, for a label.
function firstArgument(node) {
  let value = null;
  try {
    // Numbers as they are spelled, where the browser tells.
    const spelling = (_, leaf, context) => (typeof leaf === "number" && context && context.source) || leaf;
    value = JSON.parse(textOf(node), spelling);
  } catch {
    return shorten(textOf(node), 40);
  }
  for (let depth = 0; value && typeof value === "object" && depth < 4; depth++) value = Object.values(value)[0];
  return value === undefined || value === null ? "" : shorten(String(value), 40);
}

// The arguments of a call, a JSON text, over several lines. Only white space is added: numbers keep their digits.
function prettyArguments(node) {
  const text = textOf(node);
  const line = (depth) => "\n" + "  ".repeat(Math.max(0, Math.min(depth, 40)));
  let [out, depth, quoted] = ["", 0, false];
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quoted) {
      out += c === "\\" ? c + (text[++i] ?? "") : c;
      quoted = c !== '"';
    } else if (c === '"') [out, quoted] = [out + c, true];
    else if ("{[".includes(c) && "}]".includes(text[i + 1] ?? " ")) out += c + text[++i];
    else if ("{[".includes(c)) out += c + line(++depth);
    else if ("}]".includes(c)) out += line(--depth) + c;
    else if (c === ",") out += c + line(depth);
    else out += c === ":" ? ": " : c;
  }
  return out;
}

// A span by its number: gaps stand for several.
function spanAt(node, number) {
  let at = 0;
  for (const part of node.parts) {
    if (part.t === undefined) at += part.spans;
    else if (at++ === number) return part;
    if (at > number) return null;
  }
  return null;
}
