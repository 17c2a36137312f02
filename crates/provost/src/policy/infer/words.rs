//! Names and sentences as lower-case words, and what words mean as (parts of) argument names.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Words of a name or sentence that are looked at; the rest is ignored.
const MAX_WORDS: usize = 64;

/// What a word says when it is the head of an argument's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// A person, a place, an account, an address: where an effect goes.
    Target,
    /// A quantity or a sum.
    Amount,
    /// Text.
    Content,
    /// A date, a state, a kind, an identifier by itself.
    Selector,
    /// Paging, formatting.
    Benign,
    /// An identifier of what the word beside it names: `file_id`, `account_number`.
    Ident,
    /// Says nothing: `new`, `value`, a unit.
    Neutral,
}

/// English, and words that several languages share. The head of a name comes last.
const HEAD_LAST: &[(Word, &str)] = &[
    (
        Word::Target,
        "recipient receiver addressee destination dest target to cc bcc iban bic swift account acct url uri href \
         endpoint webhook host hostname domain ip server email mail mailbox channel user username userid member \
         participant attendee guest customer client contact person people employee staff colleague payee beneficiary \
         creditor debtor vendor supplier merchant owner assignee reviewer approver sender phone mobile telephone \
         tel fax address street city country destination group team company organization organisation tenant path \
         directory folder bucket repository repo branch remote password passcode passphrase secret token pin otp \
         credential wallet card permission role access scope visibility command cmd script sql translator driver \
         technician courier doctor nurse patient student teacher parent child resident citizen applicant patron \
         subscriber contractor author referee lawyer manager operator agent",
    ),
    (
        Word::Amount,
        "amount price quantity qty total sum cost fee balance budget salary wage discount tip rate percent \
         percentage count units pack seat piece hour minute night days weeks months years weight volume size length width height cent",
    ),
    (
        Word::Content,
        "body text content message msg subject note comment remark description desc title headline caption \
         summary abstract reason reference memo question answer reply feedback explanation justification \
         instruction query prompt keyword annotation details",
    ),
    (
        Word::Selector,
        "uuid guid date datetime time timestamp day month year week start end begin until since due deadline \
         expiry slot schedule recurrence frequency interval duration period status state type kind category class \
         priority severity tag version unit section topic filename file index currency mode option choice",
    ),
    (
        Word::Benign,
        "limit offset page cursor sort locale language lang timezone tz encoding format style theme verbose pretty",
    ),
    (
        Word::Ident,
        "id ident identifier number no nr num nbr code ref name",
    ),
    (
        Word::Neutral,
        "new old current optional the a value string str html markdown md plain raw list array eur usd gbp chf \
         pln sek jpy kg km cm mm iso utc",
    ),
];

/// German, Dutch, Swedish: the head comes last, also within one word.
const HEAD_LAST_COMPOUND: &[(Word, &str)] = &[
    (
        Word::Target,
        "empfaenger konto kunde kunden adresse anschrift postfach ordner kanal benutzer nutzer mitarbeiter \
         lieferant telefon strasse stadt kennwort passwort ontvanger rekening klant adres leverancier mottagare \
         kund adress leverantor loesenord",
    ),
    (
        Word::Amount,
        "betrag summe preis menge anzahl kosten gebuehr stueck bedrag prijs aantal belopp pris antal stunden",
    ),
    (
        Word::Content,
        "nachricht betreff titel beschreibung bemerkung hinweis notiz grund begruendung vermerk \
         verwendungszweck inhalt bericht onderwerp tekst omschrijving reden meddelande amne anteckning",
    ),
    (
        Word::Selector,
        "datum uhrzeit zeit beginn anfang frist zustand kategorie datei tijd einde tid",
    ),
    (Word::Ident, "nummer kennung"),
];

/// French, Spanish, Italian, Portuguese, Polish: the head comes first.
const HEAD_FIRST: &[(Word, &str)] = &[
    (
        Word::Target,
        "destinataire compte adresse client courriel fournisseur beneficiaire utilisateur telephone rue ville \
         destinatario cuenta cliente correo direccion proveedor beneficiario usuario telefono calle ciudad \
         conto indirizzo fornitore utente conta endereco fornecedor telefone odbiorca konto rachunek adres klient \
         dostawca",
    ),
    (
        Word::Amount,
        "montant prix quantite somme nombre importe monto precio cantidad suma prezzo quantita somma valor preco \
         quantidade kwota cena ilosc suma",
    ),
    (
        Word::Content,
        "texte sujet objet motif titre commentaire texto mensaje asunto motivo titulo nota resumen descripcion \
         comentario testo messaggio oggetto titolo descrizione riassunto mensagem assunto resumo descricao tresc \
         temat tytul powod opis wiadomosc uwagi",
    ),
    (
        Word::Selector,
        "heure jour debut fin echeance creneau statut etat fecha hora dia inicio plazo estado tipo categoria \
         giorno ora inizio scadenza stato prazo godzina dzien termin",
    ),
    (Word::Ident, "numero codigo codice numer kod"),
];

/// Words that are a preposition of direction when they are the whole name.
const DIRECTION: &[&str] = &[
    "to", "from", "into", "an", "von", "nach", "a", "para", "do", "till", "aan",
];

struct Table {
    last: HashMap<&'static str, (Word, &'static str)>,
    compound: HashMap<&'static str, (Word, &'static str)>,
    first: HashMap<&'static str, (Word, &'static str)>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let map = |lists: &[(Word, &'static str)]| {
        let entries = lists
            .iter()
            .flat_map(|(class, list)| list.split_whitespace().map(|word| (word, (*class, word))));
        entries.collect()
    };
    Table {
        last: map(HEAD_LAST),
        compound: map(HEAD_LAST_COMPOUND),
        first: map(HEAD_FIRST),
    }
});

/// What a word says; the second part is the word as the table has it.
pub(super) fn meaning(word: &str) -> Option<(Word, &'static str)> {
    let table = &*TABLE;
    let find = |w: &str| table.last.get(w).or_else(|| table.compound.get(w)).copied();
    find(word)
        .or_else(|| singulars(word).into_iter().flatten().find_map(|s| find(&s)))
        .or_else(|| compound(word, &table.compound))
        .or_else(|| head_first(word))
}

/// What a word says as the first word of a name in a language whose heads come first.
pub(super) fn head_first(word: &str) -> Option<(Word, &'static str)> {
    let find = |w: &str| TABLE.first.get(w).copied();
    find(word).or_else(|| singulars(word).into_iter().flatten().find_map(|s| find(&s)))
}

/// The direction that a name of one word is.
pub(super) fn direction(word: &str) -> Option<&'static str> {
    DIRECTION.iter().copied().find(|d| *d == word)
}

/// What a word may be the plural of.
fn singulars(word: &str) -> [Option<String>; 3] {
    [
        word.strip_suffix('s').map(str::to_owned),
        word.strip_suffix("es").map(str::to_owned),
        word.strip_suffix("ies").map(|stem| format!("{stem}y")),
    ]
}

/// The longest known word that a longer word ends in.
fn compound(
    word: &str,
    known: &HashMap<&'static str, (Word, &'static str)>,
) -> Option<(Word, &'static str)> {
    /// Shorter endings are chance; longer words are no names.
    const SHORTEST: usize = 5;
    const LONGEST: usize = 48;
    if word.len() > LONGEST {
        return None;
    }
    let (at, (class, end)) = word
        .char_indices()
        .skip(2)
        .take_while(|(i, _)| word.len() - i >= SHORTEST)
        .find_map(|(i, _)| Some((i, *known.get(word.get(i..)?)?)))?;
    if class != Word::Ident {
        return Some((class, end));
    }
    // The number of a customer says who, the number of a bill says which.
    let front = word.get(..at).unwrap_or("");
    match known.get(front) {
        Some((Word::Target, stem)) => Some((Word::Target, stem)),
        _ => Some((Word::Selector, end)),
    }
}

/// The words of a name or sentence: lower case, without accents, split at `_`, `-`, spaces and inner capitals; digits
/// at the end of a word are dropped. At most 64 words.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut lower = false;
    for c in text.chars() {
        if !c.is_alphanumeric() || (lower && c.is_uppercase()) {
            finish(&mut words, &mut word);
        }
        if words.len() >= MAX_WORDS {
            return words;
        }
        lower = c.is_lowercase();
        if c.is_alphanumeric() {
            c.to_lowercase().for_each(|c| fold(c, &mut word));
        }
    }
    finish(&mut words, &mut word);
    words
}

fn finish(words: &mut Vec<String>, word: &mut String) {
    let stem = word.trim_end_matches(|c: char| c.is_ascii_digit());
    if !stem.is_empty() {
        words.push(stem.to_owned());
    }
    word.clear();
}

/// A lower-case letter without its accent.
fn fold(c: char, out: &mut String) {
    let plain = match c {
        'ä' => return out.push_str("ae"),
        'ö' => return out.push_str("oe"),
        'ü' => return out.push_str("ue"),
        'ß' => return out.push_str("ss"),
        'á' | 'à' | 'â' | 'ã' | 'å' | 'ą' => 'a',
        'ç' | 'ć' => 'c',
        'é' | 'è' | 'ê' | 'ë' | 'ę' => 'e',
        'í' | 'ì' | 'î' | 'ï' => 'i',
        'ł' => 'l',
        'ñ' | 'ń' => 'n',
        'ó' | 'ò' | 'ô' | 'õ' | 'ø' => 'o',
        'ś' => 's',
        'ú' | 'ù' | 'û' => 'u',
        'ź' | 'ż' => 'z',
        c => c,
    };
    out.push(plain);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_names() {
        for (name, expected) in [
            ("user_email", "user email"),
            ("userEmail", "user email"),
            ("HTTPHeader", "httpheader"),
            ("attachment-2", "attachment"),
            ("address2", "address"),
            ("Empfänger Straße", "empfaenger strasse"),
            ("Łódź", "lodz"),
            ("__", ""),
        ] {
            assert_eq!(words(name).join(" "), expected, "{name}");
        }
    }

    #[test]
    fn tables_hold_every_word_once() {
        for lists in [HEAD_LAST, HEAD_LAST_COMPOUND] {
            for (class, list) in lists {
                for word in list.split_whitespace() {
                    assert_eq!(meaning(word).map(|(c, _)| c), Some(*class), "{word}");
                }
            }
        }
        for (class, list) in HEAD_FIRST {
            for word in list.split_whitespace() {
                assert_eq!(head_first(word).map(|(c, _)| c), Some(*class), "{word}");
            }
        }
    }
}
