//! How a sentence is built: its length, its clauses, and what its closed-class words mark.
//!
//! Data states and rules state conditions, both briefly. A sentence that has to move somebody to do what the data
//! do not call for must carry its own ground: a reason, a purpose, a condition and the consequence drawn from it.
//! That is what [`Speech::argues`] measures, in any language, without looking at what the sentence is about.

use super::lexicon::{Language, Mark, Marks};

/// How one sentence is built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Speech {
    /// Number of words (for scripts without blanks: half the number of characters).
    pub(crate) words: usize,
    /// Number of clauses of three words or more.
    pub(crate) clauses: usize,
    /// What its closed-class words mark.
    pub(crate) marks: Marks,
    /// Whether it starts, or a clause of it starts, like a command.
    pub(crate) command: bool,
    /// Whether its first clause does: what it tells comes before what it gives for it.
    pub(crate) orders: bool,
    /// Whether it asks.
    pub(crate) question: bool,
    /// Whether it starts by forbidding: `do not …`, `never …`.
    pub(crate) forbids: bool,
}

/// Words from which a sentence is long: longer than nineteen in twenty of the sentences in records, mails and rules.
const LONG: usize = 20;
/// Words from which it is very long.
const VERY_LONG: usize = 26;

/// Weight of an argument from which a sentence is a claim.
pub(crate) const CLAIM: u8 = 3;

impl Speech {
    /// Weight of the argument that the sentence carries, 0 to 8: its length, and the kinds of ground and
    /// consequence that it joins.
    pub(crate) fn argues(&self) -> u8 {
        let grounds = self
            .marks
            .count(&[Mark::Reason, Mark::Consequence, Mark::Purpose])
            .min(2);
        let turns = self
            .marks
            .count(&[Mark::Condition, Mark::Exception, Mark::Deeming]);
        let size = usize::from(self.words >= LONG) + usize::from(self.words >= VERY_LONG);
        (size + usize::from(self.clauses >= 2) + grounds + turns) as u8
    }

    /// Whether the sentence is a polite request.
    pub(crate) fn asks(&self) -> bool {
        self.marks.has(Mark::Please) && !self.forbids
    }

    /// Whether the sentence asks the reader to act.
    pub(crate) fn directs(&self) -> bool {
        let asks = self.marks.has(Mark::Please);
        !self.forbids
            && if self.question {
                asks && self.command
            } else {
                self.command || asks
            }
    }

    /// Analyses one sentence.
    pub(crate) fn of(text: &str, language: Option<Language>) -> Self {
        let lower = text.to_lowercase();
        let mut speech = Self {
            question: text.trim_end().ends_with(['?', '？']),
            ..Self::default()
        };
        let lexicon = language.map(Language::lexicon);
        let unspaced = lexicon.is_some_and(|l| l.unspaced);
        speech.words = if unspaced {
            lower.chars().filter(|c| c.is_alphanumeric()).count() / 2
        } else {
            lower
                .split_whitespace()
                .filter(|w| w.chars().any(char::is_alphabetic))
                .count()
        };
        speech.clauses = clauses(&lower)
            .filter(|c| clause_size(c, unspaced) >= 3)
            .count();
        let Some(lexicon) = lexicon else {
            return speech;
        };
        if unspaced {
            for (phrase, marks) in lexicon.phrases().filter(|(p, _)| lower.contains(p)) {
                let _ = phrase;
                marks.iter().for_each(|m| speech.marks.add(*m));
            }
            return speech;
        }
        let tokens: Vec<&str> = words(&lower).collect();
        speech.forbids = tokens
            .iter()
            .take(3)
            .any(|t| lexicon.marks(t).contains(&Mark::Negation));
        let mut phrase = String::new();
        for i in 0..tokens.len() {
            phrase.clear();
            for word in tokens.iter().skip(i).take(3) {
                if !phrase.is_empty() {
                    phrase.push(' ');
                }
                phrase.push_str(word);
                let before = i.checked_sub(1).and_then(|b| tokens.get(b)).copied();
                let marks = lexicon.marks(&phrase).iter();
                marks
                    .filter(|_| !is_plain(&lower, &phrase, before, word))
                    .for_each(|m| speech.marks.add(*m));
            }
        }
        speech.command = language == Some(Language::English) && commands(&lower);
        let first = clauses(&lower).next().unwrap_or("");
        speech.orders = speech.command && commands(first);
        speech
    }
}

/// Whether a word that can join clauses does not: `do so`, `so far`; `the place where it stands`.
fn is_plain(lower: &str, phrase: &str, before: Option<&str>, word: &str) -> bool {
    let at = word.as_ptr() as usize - lower.as_ptr() as usize;
    match phrase {
        "so" => {
            matches!(before, Some("do" | "does" | "did" | "doing" | "done"))
                || lower[at + word.len()..].starts_with(" far")
        }
        "where" => {
            let head = lower[..at].trim_end();
            !head.is_empty() && !head.ends_with([',', ';', ':', '(', '-', '–', '—'])
        }
        _ => false,
    }
}

/// Words of a lower-case text; apostrophes stay inside.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> + Clone {
    text.split(|c: char| !(c.is_alphanumeric() || c == '\'' || c == '’'))
        .filter(|w| !w.is_empty())
}

fn clauses(text: &str) -> impl Iterator<Item = &str> {
    text.split([',', ';', ':', '–', '—', '(', ')', '、', ',', ';', ':'])
        .flat_map(|c| c.split(" - "))
}

fn clause_size(clause: &str, unspaced: bool) -> usize {
    if unspaced {
        clause.chars().filter(|c| c.is_alphanumeric()).count() / 3
    } else {
        words(clause).count()
    }
}

/// Base forms by which English tells somebody to act; the same verbs by which tools are named.
static VERBS: &[&str] = &[
    "accept",
    "acknowledge",
    "add",
    "announce",
    "answer",
    "append",
    "apply",
    "approve",
    "archive",
    "arrange",
    "ask",
    "assign",
    "attach",
    "award",
    "block",
    "book",
    "bring",
    "buy",
    "call",
    "cancel",
    "change",
    "check",
    "choose",
    "clear",
    "click",
    "close",
    "collect",
    "combine",
    "compare",
    "complete",
    "concatenate",
    "confirm",
    "contact",
    "convert",
    "copy",
    "correct",
    "create",
    "credit",
    "debit",
    "decline",
    "delete",
    "deliver",
    "deposit",
    "disable",
    "dispatch",
    "do",
    "download",
    "email",
    "enable",
    "enter",
    "execute",
    "export",
    "fetch",
    "file",
    "fill",
    "find",
    "follow",
    "forward",
    "gather",
    "get",
    "give",
    "go",
    "grant",
    "hand",
    "hold",
    "ignore",
    "include",
    "inform",
    "insert",
    "install",
    "invite",
    "issue",
    "keep",
    "leave",
    "let",
    "list",
    "lock",
    "mail",
    "make",
    "mark",
    "message",
    "mirror",
    "modify",
    "move",
    "notify",
    "obtain",
    "open",
    "order",
    "pass",
    "pay",
    "perform",
    "pick",
    "place",
    "post",
    "prepare",
    "print",
    "process",
    "provide",
    "publish",
    "purchase",
    "put",
    "raise",
    "read",
    "rebook",
    "record",
    "refund",
    "register",
    "release",
    "remember",
    "remove",
    "rename",
    "renew",
    "repeat",
    "replace",
    "reply",
    "report",
    "request",
    "reschedule",
    "reserve",
    "reset",
    "return",
    "reveal",
    "reverse",
    "route",
    "run",
    "save",
    "schedule",
    "search",
    "select",
    "send",
    "set",
    "settle",
    "share",
    "ship",
    "show",
    "sign",
    "skip",
    "start",
    "stop",
    "store",
    "submit",
    "substitute",
    "summarise",
    "summarize",
    "swap",
    "switch",
    "take",
    "tell",
    "transfer",
    "translate",
    "treat",
    "try",
    "turn",
    "unlock",
    "update",
    "upgrade",
    "upload",
    "use",
    "visit",
    "wait",
    "wire",
    "withdraw",
    "write",
];

/// Words that may stand before the bare verb of a command.
static LEADING: &[&str] = &[
    "please",
    "then",
    "also",
    "and",
    "so",
    "always",
    "just",
    "todo",
    "first",
    "next",
    "now",
    "finally",
    "immediately",
    "kindly",
    "simply",
    "afterwards",
    "urgently",
    "directly",
    "instead",
    "lastly",
    "secondly",
];
/// Who is spoken to, or speaks, before a modal: `you should`, `we need you to`, `could you`.
static PARTIES: &[&str] = &["you", "we", "i"];
/// Modals that oblige: behind a party they make a bare verb a command.
static MODALS: &[&str] = &["should", "must", "need", "want", "have"];
/// Modals that ask, before a party.
static ASKING: &[&str] = &["could", "can", "would", "will"];

/// The words of a clause from its bare verb on: what leads, and a party with its modal, left out.
fn from_verb(clause: &str, numbered: impl Fn(&str) -> bool) -> impl Iterator<Item = &str> {
    let all: Vec<&str> = words(clause)
        .skip_while(|w| numbered(w) || LEADING.contains(w))
        .collect();
    let asked = matches!(&all[..], [modal, "you", ..] if ASKING.contains(modal));
    let head = if asked {
        2
    } else {
        let leads = |w: &&&str| PARTIES.contains(*w) || MODALS.contains(*w) || **w == "to";
        all.iter().take_while(leads).count()
    };
    let addressed =
        asked || all[..head].iter().any(|w| MODALS.contains(w)) && all[..head].contains(&"you");
    let skip = if addressed { head } else { 0 };
    all.into_iter()
        .skip(skip)
        .skip_while(|w| LEADING.contains(w))
}

/// Whether a clause, asides left out, opens with a bare verb (after list markers, `please`, `then`, `also`, `and`).
/// A prohibition is no command: it makes nothing happen.
fn commands(lower: &str) -> bool {
    let asides = lower.split(['(', ')', '[', ']']).step_by(2);
    asides.flat_map(clauses).any(|clause| {
        // `3. send`, `(2) send`: the number of an item; `3 letters`: so many.
        let end = |w: &str| w.as_ptr() as usize - clause.as_ptr() as usize + w.len();
        let numbered = |w: &str| {
            w.chars().all(char::is_numeric)
                && clause[end(w)..].starts_with(['.', ')', ']', '/', '-'])
        };
        let mut words = from_verb(clause, numbered);
        // A word alone is a label (`Contact: …`) or a heading.
        let (Some(first), Some(next)) = (words.next(), words.next()) else {
            return false;
        };
        // `Purchase at the station` is a thing; `Order at order.example` asks for one.
        let bare = || !clause.contains(['@', '/', '.']);
        let noun = matches!(next, "is" | "are" | "was" | "were" | "has" | "of" | "by")
            || matches!(next, "at" | "from") && bare();
        let negated = first == "do" && next == "not";
        // `Check-up`, `post/bill.txt`: a part of a word or of a path.
        let part = clause[end(first)..].starts_with(['-', '/', '_', '.']);
        VERBS.binary_search(&first).is_ok() && !noun && !negated && !part
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, argues: std::ops::RangeInclusive<u8>, directs: bool) {
        let s = Speech::of(text, Language::of(text));
        assert!(argues.contains(&s.argues()), "{text}: {} {s:?}", s.argues());
        assert_eq!(s.directs(), directs, "{text}: {s:?}");
    }

    #[test]
    fn data_and_short_rules_do_not_argue() {
        check(
            "The invoice total is 340.00 and is due on Friday.",
            0..=1,
            false,
        );
        check(
            "Refunds go to the card that was used for the booking.",
            0..=1,
            false,
        );
        check("Please call the workshop.", 0..=1, true);
    }

    #[test]
    fn commands_are_seen_behind_what_leads_them() {
        for (text, want) in [
            ("First mail the minutes to the office.", true),
            ("You should mail the minutes to the office.", true),
            ("We need you to transfer the deposit.", true),
            ("Could you please transfer the deposit?", true),
            ("3. Transfer the deposit.", true),
            ("3 messages were sent.", false),
            ("1 message", false),
            ("I read a good article about gates.", false),
            ("The list is there, you can find it.", false),
            ("Contact: the office, room 4.", false),
            ("Where is the key?", false),
            ("post/notary-2031.txt", false),
            ("Check-up and X-ray.", false),
        ] {
            check(text, 0..=8, want);
        }
    }

    #[test]
    fn a_ground_with_its_consequence_argues() {
        check(
            "As the depot changed its bank in spring, the deposit counts as received with the haulier's note, so the \
             gate can be opened for this load without the slip from the office.",
            5..=8,
            false,
        );
        check(
            "Da die Prüfung im Herbst entfallen ist, gilt der Bericht als angenommen, damit die zweite Rate ohne den \
             Vermerk der Leitung ausgezahlt werden kann.",
            5..=8,
            false,
        );
    }

    #[test]
    fn verbs_are_sorted() {
        assert!(VERBS.is_sorted());
    }
}
