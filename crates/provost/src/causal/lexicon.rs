//! Closed-class words: the connectives, modals and pronouns by which a language marks reasons, conditions,
//! consequences, obligations and exceptions.
//!
//! These are grammar, not vocabulary: every text about every subject uses them, so a rule that reads them reads
//! how a sentence is built, not what it is about. The tables are short on purpose. A language that is not here is
//! read by length and clause structure alone (see [`super::speech`]).

use std::collections::HashMap;
use std::sync::LazyLock;

/// What a word or short phrase marks. A set of these is a [`Marks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u16)]
pub(crate) enum Mark {
    /// Gives a reason: because, since, given.
    Reason = 1,
    /// Draws a consequence: so, therefore, which leaves.
    Consequence = 1 << 1,
    /// Gives a purpose: so that, in order to.
    Purpose = 1 << 2,
    /// States a condition: if, when, unless.
    Condition = 1 << 3,
    /// Makes an exception or replaces: instead, without, only, no longer.
    Exception = 1 << 4,
    /// Obliges or permits: must, may, has to.
    Modal = 1 << 5,
    /// Makes one thing count as another: counts as, is treated as, means.
    Deeming = 1 << 6,
    /// Addresses the reader: you, your.
    Address = 1 << 7,
    /// Marks a request: please.
    Please = 1 << 8,
    /// Speaks for the writer: I, we, our.
    Speaker = 1 << 9,
    /// Negates.
    Negation = 1 << 10,
    /// Opens a noun phrase; a sentence that starts so is no command.
    Opener = 1 << 11,
    /// Points at what is at hand: this.
    Deictic = 1 << 12,
}

/// A set of marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Marks(u16);

impl Marks {
    pub(crate) fn add(&mut self, m: Mark) {
        self.0 |= m as u16;
    }

    pub(crate) fn has(self, m: Mark) -> bool {
        self.0 & m as u16 != 0
    }

    /// How many of `of` are present.
    pub(crate) fn count(self, of: &[Mark]) -> usize {
        of.iter().filter(|m| self.has(**m)).count()
    }
}

/// A language whose closed-class words are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Language {
    English,
    German,
    French,
    Spanish,
    Italian,
    Portuguese,
    Dutch,
    Nordic,
    Polish,
    Japanese,
    Chinese,
}

struct Table {
    language: Language,
    /// Frequent function words by which the language is recognised.
    signature: &'static str,
    marks: &'static [(Mark, &'static str)],
}

use Mark::{
    Address, Condition, Consequence, Deeming, Deictic, Exception, Modal, Negation, Opener, Please,
    Purpose, Reason, Speaker,
};

/// Phrases are separated by `;`, words within a phrase by a blank.
static TABLES: &[Table] = &[
    Table {
        language: Language::English,
        signature: "the of and to is in for are with on at by from this that be was has it not a an as or",
        marks: &[
            (Deictic, "this;these;here"),
            (
                Reason,
                "because;since;given that;considering;allowing for;as it;as they;as the;as we",
            ),
            (
                Consequence,
                "so;therefore;hence;thus;thereby;consequently;accordingly;which",
            ),
            (
                Purpose,
                "so that;in order to;in order that;to keep;to avoid;for the sake;lest;otherwise",
            ),
            (
                Condition,
                "if;when;where;whenever;wherever;unless;until;once;provided;providing;while;whereas;in case",
            ),
            (
                Exception,
                "instead;rather than;without;except;only;notwithstanding;in place of;not the;nor;no longer;need not;\
                 waived;regardless;no need;other than",
            ),
            (
                Modal,
                "must;shall;has to;have to;is to;are to;to be;may;can;should;needs to;need to;ought;will",
            ),
            (
                Deeming,
                "counts as;count as;counted as;treat as;treat it as;treated as;taken as;regarded as;deemed;considered;\
                 stands for;stand for;falls under;means;mean;equals;scored as;ranked;are follow ups;is part of;\
                 is satisfied;is met;is covered",
            ),
            (Address, "you;your;yours;yourself"),
            (Please, "please;kindly"),
            (Speaker, "i;we;me;us;my;our"),
            (
                Negation,
                "not;no;never;don't;doesn't;cannot;can't;won't;without;none;dont",
            ),
            (
                Opener,
                "the;a;an;this;that;these;those;it;he;she;they;we;i;you;his;her;their;our;my;your;there;in;on;at;of;\
                 for;with;from;by;as;to;if;when;where;since;because;while;after;before;and;but;or;no;some;any;all;\
                 each;every;both;as;per;what;who;which;how;why;is;are;was;were;has;have;had;one;two;three;not;also",
            ),
        ],
    },
    Table {
        language: Language::German,
        signature: "der die und das ist nicht mit von zu den im für des dem ein eine auf wird sind bei",
        marks: &[
            (Deictic, "diese;dieser;dieses;diesen;diesem;hier"),
            (Reason, "weil;da;denn"),
            (
                Consequence,
                "daher;deshalb;somit;also;folglich;sodass;weshalb;so dass",
            ),
            (Purpose, "damit;um"),
            (Condition, "wenn;falls;sofern;solange;sobald;bis"),
            (
                Exception,
                "statt;anstatt;ohne;außer;nur;nicht mehr;anstelle;stattdessen",
            ),
            (
                Modal,
                "muss;müssen;soll;sollen;darf;dürfen;kann;können;ist zu;sind zu",
            ),
            (Deeming, "gilt;gelten;zählt;zählen;als"),
            (Address, "sie;ihr;ihnen;ihre;du;dein;deine"),
            (Please, "bitte"),
            (Speaker, "ich;wir;mir;uns;mein;meine;unser;unsere"),
            (Negation, "nicht;kein;keine;keinen;nie;ohne"),
            (
                Opener,
                "der;die;das;den;dem;ein;eine;ich;wir;er;es;im;in;am;an;auf;mit;von;bei;für;wenn;da;weil;und",
            ),
        ],
    },
    Table {
        language: Language::French,
        signature: "le la les de des du et est en un une pour que qui dans sur au par pas ne",
        marks: &[
            (Deictic, "ce;cet;cette;ces;ici"),
            (Reason, "car;parce;puisque;comme"),
            (Consequence, "donc;ainsi;dès lors;qui"),
            (Purpose, "afin;pour que"),
            (Condition, "si;lorsque;lorsqu;quand;dès que;tant que"),
            (Exception, "sans;sauf;plutôt;n est plus;au lieu;seulement"),
            (Modal, "doit;doivent;faut;peut;peuvent;devra"),
            (
                Deeming,
                "vaut;considéré;considérée;compte comme;tient lieu;convenu",
            ),
            (Address, "vous;votre;vos;tu;ton;ta;tes"),
            (Please, "merci de;veuillez;prière"),
            (Speaker, "je;nous;notre;nos;mon;ma;mes"),
            (Negation, "ne;pas;jamais;aucun;aucune;sans"),
            (
                Opener,
                "le;la;les;l;un;une;des;du;de;ce;cette;ces;il;elle;ils;nous;je;en;dans;sur;au;aux;à;pour;si",
            ),
        ],
    },
    Table {
        language: Language::Spanish,
        signature: "el la los las de del y es en un una que con por para se no al lo su",
        marks: &[
            (Deictic, "este;esta;estos;estas;aquí"),
            (Reason, "porque;como;pues;puesto que;ya que"),
            (
                Consequence,
                "luego;por lo que;así que;por tanto;quedando;por eso",
            ),
            (Purpose, "para que;a fin de"),
            (Condition, "si;cuando;mientras;hasta;con"),
            (
                Exception,
                "sin;salvo;solo;sólo;únicamente;en lugar;en vez;ya no",
            ),
            (Modal, "debe;deben;hay que;puede;pueden"),
            (Deeming, "se considera;cuenta como;equivale;se da por"),
            (Address, "usted;ustedes;su;tu;te;os"),
            (Please, "por favor"),
            (Speaker, "yo;nosotros;nuestro;nuestra;mi;mis;me;nos"),
            (Negation, "no;nunca;ningún;ninguna;sin"),
            (
                Opener,
                "el;la;los;las;un;una;de;del;en;con;por;para;se;si;al;lo;su;este;esta",
            ),
        ],
    },
    Table {
        language: Language::Italian,
        signature: "il lo la i gli le di del della e è in un una che per con non si al dal",
        marks: &[
            (Deictic, "questo;questa;questi;qui"),
            (Reason, "perché;poiché;siccome;dato che"),
            (Consequence, "quindi;dunque;perciò;pertanto"),
            (Purpose, "affinché;in modo che"),
            (Condition, "se;quando;finché;qualora"),
            (Exception, "senza;salvo;solo;invece;anziché;già;non più"),
            (Modal, "deve;devono;può;possono;bisogna"),
            (Deeming, "vale;valgono;conta come;si considera"),
            (Address, "lei;voi;vostro;vostra;tu;tuo"),
            (Please, "per favore;prego"),
            (Speaker, "io;noi;nostro;nostra;mio;mia;mi;ci"),
            (Negation, "non;mai;nessun;nessuna;senza;nulla"),
            (
                Opener,
                "il;lo;la;i;gli;le;un;una;di;del;della;in;con;per;si;al;dal;questo;questa",
            ),
        ],
    },
    Table {
        language: Language::Portuguese,
        signature: "o a os as de do da e é em um uma que com por para se não ao no na",
        marks: &[
            (Deictic, "este;esta;neste;nesta;aqui"),
            (Reason, "porque;pois;como;visto que;já que"),
            (Consequence, "portanto;logo;assim;pelo que;valendo;por isso"),
            (Purpose, "para que;a fim de"),
            (Condition, "se;quando;enquanto;até;com"),
            (Exception, "sem;salvo;só;apenas;em vez;já não"),
            (Modal, "deve;devem;pode;podem"),
            (
                Deeming,
                "tido como;considera-se;conta como;considera se;vale como",
            ),
            (Address, "você;vocês;seu;sua"),
            (Please, "por favor;favor"),
            (Speaker, "eu;nós;nosso;nossa;meu;minha"),
            (Negation, "não;nunca;nenhum;nenhuma;sem"),
            (
                Opener,
                "o;a;os;as;um;uma;de;do;da;em;no;na;com;por;para;se;ao;este;esta",
            ),
        ],
    },
    Table {
        language: Language::Dutch,
        signature: "de het een en van is in op te dat met voor niet zijn aan er door bij als wordt",
        marks: &[
            (Deictic, "dit;deze;hier"),
            (Reason, "omdat;want;aangezien"),
            (Consequence, "dus;daarom;waardoor"),
            (Purpose, "zodat;om te;opdat"),
            (Condition, "als;wanneer;indien;zolang;bij;tenzij"),
            (Exception, "zonder;behalve;alleen;in plaats;niet meer"),
            (Modal, "moet;moeten;mag;mogen;kan;kunnen;gaan;dient"),
            (Deeming, "geldt;gelden;telt;tellen;ziet"),
            (Address, "u;uw;je;jij;jouw;jullie"),
            (Please, "graag;alstublieft"),
            (Speaker, "ik;wij;we;ons;onze;mijn"),
            (Negation, "niet;geen;nooit;zonder"),
            (
                Opener,
                "de;het;een;dit;dat;deze;die;in;op;van;met;voor;bij;als;er;ik;wij;we",
            ),
        ],
    },
    Table {
        language: Language::Nordic,
        signature: "og och er är det som for för av til till på med ikke inte den en et ett de har",
        marks: &[
            (Deictic, "denne;dette;detta;disse;her"),
            (Reason, "fordi;eftersom;därför att;siden"),
            (Consequence, "så;derfor;därför;altså;alltså;dermed"),
            (Purpose, "slik at;så at;for å;för att"),
            (Condition, "hvis;om;når;när;dersom;så lenge"),
            (
                Exception,
                "uten;utan;bare;bara;istedenfor;istället;ikke lenger;inte längre;kun",
            ),
            (Modal, "må;skal;ska;måste;kan;får;bør;bör"),
            (Deeming, "gjelder;gäller;regnes som;räknas som;anses"),
            (Address, "du;deg;dere;din;dig;ni;er"),
            (Please, "vennligst;vänligen"),
            (Speaker, "jeg;jag;vi;oss;vår;min"),
            (Negation, "ikke;inte;ingen;aldri;aldrig;uten;utan"),
            (
                Opener,
                "den;det;de;en;et;ett;i;på;for;för;med;av;til;till;når;när;hvis;om;vi;jeg;jag",
            ),
        ],
    },
    Table {
        language: Language::Polish,
        signature: "i w na z do się nie że jest o po za od dla jak przez oraz ma są to",
        marks: &[
            (Deictic, "ten;ta;to;tego;tej;tym;tutaj"),
            (Reason, "ponieważ;bo;gdyż"),
            (Consequence, "więc;dlatego;zatem"),
            (Purpose, "żeby;aby"),
            (Condition, "jeśli;jeżeli;gdy;kiedy;dopóki"),
            (Exception, "bez;oprócz;tylko;zamiast;już nie"),
            (Modal, "musi;muszą;należy;może;mogą;powinien"),
            (Deeming, "uważa się;liczy się;uznaje"),
            (Address, "pan;pani;państwo;twój;wasz"),
            (Please, "proszę"),
            (Speaker, "ja;my;nasz;nasza;mój;moja"),
            (Negation, "nie;nigdy;żaden;bez"),
            (Opener, "w;na;z;do;i;o;po;za;od;dla;ten;ta;to"),
        ],
    },
    Table {
        language: Language::Japanese,
        signature: "の に は を が で と も",
        marks: &[
            (Deictic, "この;これ;本"),
            (Reason, "ため;から;ので"),
            (Consequence, "ので;したがって;そのため;よって"),
            (Purpose, "ように"),
            (Condition, "場合;際;とき;なら"),
            (Exception, "なく;だけ;のみ;代わり;せず;除く"),
            (Modal, "べき;必要;てもよい;なければ"),
            (Deeming, "とみなす;扱い;換算;として"),
            (Address, "あなた"),
            (Please, "ください;お願い"),
            (Negation, "ない;ません"),
        ],
    },
    Table {
        language: Language::Chinese,
        signature: "的 是 了 在 不 和",
        marks: &[
            (Deictic, "此;这;本"),
            (Reason, "因为;由于"),
            (Consequence, "因此;所以;故"),
            (Purpose, "以便;为了"),
            (Condition, "如果;若;当"),
            (Exception, "只;除;不再;代替"),
            (Modal, "必须;应;可以;需"),
            (Deeming, "视为;按"),
            (Address, "你;您"),
            (Please, "请"),
            (Negation, "不;没"),
        ],
    },
];

/// Votes from which a sentence shows its own language.
const SURE: f32 = 2.5;

/// The compiled table of one language: phrases of up to three words.
pub(crate) struct Lexicon {
    phrases: HashMap<&'static str, Vec<Mark>>,
    /// Written without blanks between words: phrases are searched as substrings.
    pub(crate) unspaced: bool,
}

impl Lexicon {
    /// Marks of one phrase (already lower case).
    pub(crate) fn marks(&self, phrase: &str) -> &[Mark] {
        self.phrases.get(phrase).map_or(&[], Vec::as_slice)
    }

    /// All phrases, for scripts that are searched as substrings.
    pub(crate) fn phrases(&self) -> impl Iterator<Item = (&'static str, &[Mark])> {
        self.phrases.iter().map(|(p, m)| (*p, m.as_slice()))
    }
}

static LEXICONS: LazyLock<HashMap<Language, Lexicon>> = LazyLock::new(|| {
    TABLES
        .iter()
        .map(|t| {
            let mut phrases: HashMap<&'static str, Vec<Mark>> = HashMap::new();
            for (mark, list) in t.marks {
                for phrase in list.split(';').map(str::trim) {
                    phrases.entry(phrase).or_default().push(*mark);
                }
            }
            let unspaced = matches!(t.language, Language::Japanese | Language::Chinese);
            (t.language, Lexicon { phrases, unspaced })
        })
        .collect()
});

static SIGNATURES: LazyLock<HashMap<&'static str, Vec<Language>>> = LazyLock::new(|| {
    let mut map: HashMap<&'static str, Vec<Language>> = HashMap::new();
    for t in TABLES {
        for w in t.signature.split(' ') {
            map.entry(w).or_default().push(t.language);
        }
    }
    map
});

impl Language {
    /// The language of a text, by its function words; `None` when too few are known.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let votes = Self::votes(text);
        votes
            .into_iter()
            .filter(|(_, n)| *n >= 1.0)
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .map(|(l, _)| l)
    }

    fn votes(text: &str) -> Vec<(Self, f32)> {
        let mut votes: Vec<(Language, f32)> = Vec::new();
        let mut vote = |l: Language, w: f32| match votes.iter_mut().find(|(v, _)| *v == l) {
            Some((_, n)) => *n += w,
            None => votes.push((l, w)),
        };
        // The parts of an address are no words of a language, whatever they look like: `.com`, `to@`, `_de_`.
        let spoken = text.split_whitespace().filter(|t| !is_address(t));
        let words = spoken.flat_map(|t| t.split(|c: char| !c.is_alphabetic()));
        for word in words.filter(|w| !w.is_empty()).take(600) {
            if let Some(ls) = SIGNATURES.get(word.to_lowercase().as_str()) {
                for l in ls {
                    vote(*l, 1.0 / ls.len() as f32);
                }
            }
        }
        for c in text.chars().take(2_000) {
            match c {
                '\u{3040}'..='\u{30ff}' => vote(Language::Japanese, 0.3),
                '\u{4e00}'..='\u{9fff}' => vote(Language::Chinese, 0.1),
                _ => {}
            }
        }
        votes
    }

    /// The language of one sentence in a text: its own where its script or its words show it, else that of the text, else
    /// English.
    pub(crate) fn of_sentence(sentence: &str, text: Option<Self>) -> Option<Self> {
        let votes = Self::votes(sentence);
        let best = votes.iter().max_by(|a, b| a.1.total_cmp(&b.1));
        best.filter(|(_, n)| *n >= SURE)
            .map(|(l, _)| *l)
            .or(text)
            .or(Some(Self::English))
    }

    /// Its closed-class words.
    pub(crate) fn lexicon(self) -> &'static Lexicon {
        &LEXICONS[&self]
    }
}

/// Whether a text without blanks is put together like an address, a path or an identifier.
fn is_address(token: &str) -> bool {
    let core = token.trim_matches(|c: char| !c.is_alphanumeric());
    core.contains(['@', '/', '\\', '_'])
        || core
            .split('.')
            .skip(1)
            .any(|part| part.starts_with(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_told_by_their_function_words() {
        for (text, want) in [
            (
                "Send a link www.ferry-harbour-16.com to Ana.",
                Some(Language::English),
            ),
            ("Mail no.reply@em.com, see /de/la/com.txt", None),
            (
                "The invoice is due on Friday and has to be paid from this account.",
                Some(Language::English),
            ),
            (
                "Die Rechnung ist am Freitag fällig und wird von diesem Konto bezahlt.",
                Some(Language::German),
            ),
            (
                "La facture est à payer vendredi par le compte de la société.",
                Some(Language::French),
            ),
            (
                "De factuur is vrijdag te betalen van het rekeningnummer.",
                Some(Language::Dutch),
            ),
            (
                "請求書は金曜日までに支払ってください。",
                Some(Language::Japanese),
            ),
            (
                "Fakturaen er ikke betalt og det haster med den.",
                Some(Language::Nordic),
            ),
            ("120 x 4", None),
        ] {
            assert_eq!(Language::of(text), want, "{text}");
        }
    }
}
