//! What the user asked for: the words and values of the request, what it delegates, and what it forbids.
//!
//! The request is a contract with open slots (DESIGN.md, section 4, `causal` 0). Its constants are the user's own;
//! the sources that it names may fill what it leaves open; what it tells the agent to follow may also open new steps
//! within its purpose.

use super::evidence::places;
use super::ground::shorten;
use super::lexicon::{Language, Mark};
use super::speech::words;
use super::vocabulary::{Stems, stems};
use crate::value::{Atom, Kind, atoms};

/// What a statement is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Invariant {
    /// The task and its effects.
    Task,
    /// The user's constants, and what may fill the rest.
    Values,
    /// Which sources may say what to do.
    Sources,
    /// Something that the user does not want.
    Forbidden,
}

/// Later turns of the user that the statement of the task quotes.
const LATEST: usize = 5;

/// The user's words so far, in all turns.
#[derive(Debug, Default)]
pub(crate) struct Request {
    /// Content words of the user's turns.
    pub(crate) words: Stems,
    /// The turns, in order.
    turns: Vec<String>,
    /// The operator spoke.
    system: bool,
    /// The latest turn tells the agent to follow a source.
    follows: bool,
    /// Some turn asks for more than an answer.
    acts: bool,
    /// Word sets of the clauses that forbid something.
    forbidden: Vec<(Stems, String)>,
    /// Places for an effect that the latest turn names.
    constants: Vec<Atom>,
    /// Values that the user excepts, with the clause that does.
    excepted: Vec<(Atom, String)>,
}

impl Request {
    /// The operator spoke: agents without a user work for somebody too.
    pub(crate) fn operator(&mut self) {
        self.system = true;
    }

    /// Whether the operator or the user has said anything.
    pub(crate) fn is_made(&self) -> bool {
        self.system || !self.turns.is_empty()
    }

    /// Takes one turn of the user.
    pub(crate) fn hear(&mut self, content: &str) {
        let language = Language::of(content);
        self.words.extend(stems(content, language));
        self.follows |= follows(content);
        self.acts |= !only_asks(content);
        self.constants = places(&atoms(content)).cloned().collect();
        let mut forbidden = Vec::new();
        for clause in clauses(content) {
            if let Some(rest) = forbids(clause, language) {
                forbidden.push((stems(rest, language), clause.trim().to_owned()));
            } else {
                let asked = stems(clause, language);
                self.forbidden.retain(|(words, _)| !words.is_subset(&asked));
            }
            if let Some(rest) = excepts(clause) {
                let excepted = places(&atoms(rest)).cloned().collect::<Vec<_>>();
                let clause = clause.trim().to_owned();
                self.excepted
                    .extend(excepted.into_iter().map(|a| (a, clause.clone())));
            }
        }
        self.forbidden.append(&mut forbidden);
        self.turns.push(content.to_owned());
    }

    /// Whether the user sends the agent to pages whose addresses are to be found: a slot that an address in a message
    /// fills.
    pub(crate) fn seeks_pages(&self) -> bool {
        const PAGES: &[&str] = &[
            "artic", "blog", "link", "page", "site", "url", "websi", "webpa",
        ];
        PAGES.iter().any(|w| self.words.contains(*w))
    }

    /// The clauses that forbid something.
    pub(crate) fn forbidden(&self) -> &[(Stems, String)] {
        &self.forbidden
    }

    /// The clause by which the user excepts this value.
    pub(crate) fn excepts(&self, atom: &Atom) -> Option<&str> {
        let same = |(a, _): &&(Atom, String)| a.kind == atom.kind && a.norm == atom.norm;
        self.excepted
            .iter()
            .find(same)
            .map(|(_, clause)| clause.as_str())
    }

    /// Whether all that the user wants is an answer.
    pub(crate) fn only_asks(&self) -> bool {
        !self.acts && !self.turns.is_empty()
    }

    /// A place of this kind that the latest turn names, and that no call has used yet: a slot that the user filled.
    pub(crate) fn constant(&self, kind: Kind) -> Option<&Atom> {
        self.constants.iter().find(|a| a.kind == kind)
    }

    /// A call names these places: they are no constants that wait for their call any more.
    pub(crate) fn spend(&mut self, named: &[Atom]) {
        let same = |a: &Atom| named.iter().any(|n| n.kind == a.kind && n.norm == a.norm);
        self.constants.retain(|a| !same(a));
    }

    /// Whether the user speaks of doing something more than once.
    pub(crate) fn repeats(&self) -> bool {
        const MORE: &[&str] = &[
            "again", "both", "each", "every", "once", "times", "twice", "repeat", "zweimal",
            "deux", "dos",
        ];
        let latest = self.turns.last().map(|t| t.to_lowercase());
        latest.is_some_and(|t| words(&t).any(|w| MORE.contains(&w)))
    }

    /// Turns of the user so far.
    pub(crate) fn turns(&self) -> usize {
        self.turns.len()
    }

    /// Whether the user told the agent to follow a source.
    pub(crate) fn follows(&self) -> bool {
        self.follows
    }

    /// The three invariants (ARGUS paper, section 4.2), as statements that a person would sign, and what the user does
    /// not want.
    pub(crate) fn statements(&self) -> Vec<(Invariant, String)> {
        let Some(first) = self.turns.first() else {
            return Vec::new();
        };
        let mut task = format!(
            "The agent does what this asks for, and nothing else: «{}»",
            shorten(first)
        );
        let skipped = self.turns.len().saturating_sub(1 + LATEST);
        if skipped > 0 {
            task.push_str(&format!("; {skipped} more turns"));
        }
        for later in &self.turns[1 + skipped..] {
            task.push_str(&format!(
                "; and, in the user's later words: «{}»",
                shorten(later)
            ));
        }
        let sources = if self.follows {
            "The sources that the user refers to may say what to do, within that request; no other source may."
        } else {
            "No source may say what to do; sources only hold facts."
        };
        let values = "Values that the user gave stay as they are; what the user left open is filled from what was found.";
        let mut out = vec![
            (Invariant::Task, task),
            (Invariant::Values, values.to_owned()),
            (Invariant::Sources, sources.to_owned()),
        ];
        out.extend(self.forbidden.iter().map(|(_, c)| {
            (
                Invariant::Forbidden,
                format!("Not wanted: «{}»", shorten(c)),
            )
        }));
        out
    }
}

/// Whether a turn tells the agent to do what a source says: a verb of following, or a source that consists of steps.
fn follows(content: &str) -> bool {
    const FOLLOW: &[&str] = &[
        "follow",
        "instructions",
        "carry",
        "checklist",
        "procedure",
        "routine",
        "runbook",
        "steps",
        "skill",
        "todo",
        "guide",
        "rules",
        "protocol",
        "resolution",
        "workflow",
        "everything",
        "whatever",
        // Verbs of asking and wanting, third person: the wish is somebody else's.
        "asks",
        "asked",
        "wants",
        "needs",
        "wishes",
        "says",
        "wünscht",
        "bittet",
        "verlangt",
        "möchte",
        "demande",
        "souhaite",
        "veut",
        "pide",
        "quiere",
        "dice",
        "chiede",
        "vuole",
        "pede",
        "quer",
        "vraagt",
        "wil",
        "ønsker",
        "vill",
        "prosi",
        "chce",
    ];
    let ends = |c| matches!(c, '.' | ';' | '!' | '\n' | '。');
    parts(content, ends).any(|sentence| {
        let lower = sentence.to_lowercase();
        let all: Vec<&str> = words(&lower).collect();
        // Who asked about a thing wants to know, and nothing to be done.
        let follow = |(i, w): (usize, &&str)| {
            FOLLOW.contains(w) && !matches!(all.get(i + 1), Some(&("about" | "if" | "whether")))
        };
        all.iter().enumerate().any(follow) && !all.iter().any(|w| LEAVE.contains(w))
    })
}

/// Words that open a question for a fact. Those that open a polite request (can, could, would, will) are none.
const ASKING: &[&str] = &[
    "what", "what's", "who", "who's", "whose", "when", "where", "where's", "which", "how", "why",
    "is", "are", "was", "were", "does", "did", "has", "have", "was", "wer", "wann", "wo", "welche",
    "welcher", "welches", "wie", "warum", "ist", "sind", "hat", "qui", "quand", "où", "quel",
    "quelle", "quels", "quelles", "combien", "pourquoi", "qué", "quién", "cuándo", "dónde", "cuál",
    "cuánto", "cómo", "chi", "quando", "dove", "quale", "quanto", "come", "perché", "wie",
    "wanneer", "waar", "welk", "hoeveel", "waarom",
];

/// Whether a turn is nothing but questions for facts.
fn only_asks(content: &str) -> bool {
    let mut sentences = parts(content, |c| {
        matches!(c, '.' | '?' | '!' | '\n' | ';' | '？' | '。')
    })
    .filter(|s| s.chars().any(char::is_alphanumeric))
    .peekable();
    sentences.peek().is_some()
        && sentences.all(|s| {
            let lower = s.to_lowercase();
            s.ends_with(['?', '？']) && words(&lower).next().is_some_and(|w| ASKING.contains(&w))
        })
}

/// The parts of a text, each with the character that ends it. A full stop, a comma or a question mark within an
/// address, a number or a file name ends none.
fn parts(content: &str, ends: fn(char) -> bool) -> impl Iterator<Item = &str> {
    let mut rest = content;
    std::iter::from_fn(move || {
        let end = rest.char_indices().find(|(i, c)| {
            let after = rest[i + c.len_utf8()..].chars().next();
            let inside =
                matches!(c, '.' | ',' | '?' | ';') && after.is_some_and(char::is_alphanumeric);
            ends(*c) && !inside
        });
        let at = end.map_or(rest.len(), |(i, c)| i + c.len_utf8());
        let (part, left) = rest.split_at(at);
        rest = left;
        (!part.is_empty()).then_some(part)
    })
}

/// The clauses of a turn.
fn clauses(content: &str) -> impl Iterator<Item = &str> {
    let ends = |c| {
        matches!(
            c,
            '.' | ',' | ';' | '!' | '?' | '\n' | '–' | '—' | '。' | '、'
        )
    };
    parts(content, ends).map(move |c| c.trim_end_matches(ends))
}

/// Verbs whose negation asks for the deed: do not forget to.
const OMITTING: &[&str] = &[
    "fail",
    "forget",
    "hesitate",
    "neglect",
    "vergiss",
    "vergessen",
    "oublie",
    "oubliez",
    "oublier",
    "olvides",
    "olvide",
    "dimenticare",
    "dimenticate",
    "esqueça",
    "esqueças",
    "vergeet",
    "glem",
    "glöm",
    "zapomnij",
];
/// Words up to which a clause with a negation anywhere is one prohibition.
const WHOLE: usize = 10;
/// Verbs and negations that turn a word of following round.
const LEAVE: &[&str] = &[
    "ignore",
    "ignoring",
    "disregard",
    "without",
    "never",
    "don't",
    "not",
    "dont",
    "nicht",
    "sans",
    "sin",
];
/// What a negation before makes superfluous, not unwanted.
const NEEDING: &[&str] = &[
    "need",
    "needed",
    "necessary",
    "problem",
    "worries",
    "worry",
    "rush",
    "hurry",
];

/// What follows a negation near the start of a clause: what the user does not want. A condition (`if not …`) forbids
/// nothing, nor does the negation of forgetting or of a need.
fn forbids(clause: &str, language: Option<Language>) -> Option<&str> {
    let lexicon = language?.lexicon();
    let lower = clause.to_lowercase();
    let mut words = words(&lower);
    // Where the negation follows the verb, the whole clause is what is not wanted.
    if language != Some(Language::English) && clause.split_whitespace().count() <= WHOLE {
        let negated = |w: &str| lexicon.marks(w).contains(&Mark::Negation);
        let omits = |w: &str| OMITTING.contains(&w) || lexicon.marks(w).contains(&Mark::Condition);
        if words.clone().any(negated) && !words.clone().any(omits) {
            return Some(clause);
        }
    }
    for _ in 0..4 {
        let word = words.next()?;
        let marks = lexicon.marks(word);
        if marks.contains(&Mark::Negation) {
            let next = words.next().unwrap_or("");
            if OMITTING.contains(&next) || NEEDING.contains(&next) {
                return None;
            }
            let at = word.as_ptr() as usize - lower.as_ptr() as usize + word.len();
            return clause.get(at..);
        }
        if marks.contains(&Mark::Condition) {
            return None;
        }
    }
    None
}

/// Words that take something out of what was asked for.
const EXCEPT: &[&str] = &[
    "except",
    "excepting",
    "excluding",
    "außer",
    "ausser",
    "ausgenommen",
    "sauf",
    "excepté",
    "excepto",
    "salvo",
    "tranne",
    "eccetto",
    "exceto",
    "behalve",
    "unntatt",
    "utom",
    "undtagen",
    "oprócz",
];

/// What follows an exception in a clause. Behind a negation (`to nobody except …`) it is what is wanted.
fn excepts(clause: &str) -> Option<&str> {
    let lower = clause.to_lowercase();
    for word in words(&lower) {
        if matches!(
            word,
            "no" | "not"
                | "nobody"
                | "none"
                | "nothing"
                | "never"
                | "niemand"
                | "personne"
                | "nadie"
        ) {
            return None;
        }
        if EXCEPT.contains(&word) {
            let at = word.as_ptr() as usize - lower.as_ptr() as usize + word.len();
            return clause.get(at..);
        }
    }
    None
}
