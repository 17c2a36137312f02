//! From a source to the texts of its runs, one at a time: JSON Lines are streamed, a JSON document is held whole.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::ops::Range;
use std::sync::Arc;

use flate2::bufread::MultiGzDecoder;
use provost_llm::runs::{Parsed, parse, split};
use zstd::stream::read::Decoder as ZstdDecoder;

use super::fault::{Fault, Place};
use super::paths::{Location, Source};

/// The longest line or document that is read: more than any run, less than what a small archive can unpack to.
const LONGEST: u64 = 1 << 30;

/// The text of one run (or of a header).
#[derive(Debug, Clone)]
pub(crate) struct RunText {
    /// The line or the document that it stands in.
    whole: Arc<Vec<u8>>,
    range: Range<usize>,
    /// Number of the first line of `whole`.
    line: usize,
}

impl RunText {
    /// A line by itself.
    pub(crate) fn line(text: Vec<u8>, number: usize) -> Self {
        Self {
            range: 0..text.len(),
            whole: Arc::new(text),
            line: number,
        }
    }

    /// Its bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.whole.get(self.range.clone()).unwrap_or_default()
    }

    /// Where byte `at` of it is in the source.
    pub(crate) fn place(&self, at: usize) -> Place {
        place(&self.whole, self.line, self.range.start + at)
    }
}

/// What a source holds.
#[derive(Debug)]
pub(crate) enum Found {
    /// A run, as far as one can tell without reading it.
    Run(RunText),
    /// Something that holds no run and should.
    Fault(Fault),
}

/// Whoever receives what was found does not want more.
#[derive(Debug)]
pub(crate) struct Closed;

type Emit<'a> = &'a mut dyn FnMut(Found) -> Result<(), Closed>;

/// Reads `source` to its end and hands on what it holds, in order. `read_bytes` is told of every byte that comes
/// from the disk.
pub(crate) fn read(
    source: &Source,
    read_bytes: &dyn Fn(u64),
    emit: Emit<'_>,
) -> Result<(), Closed> {
    let input: Box<dyn Read> = match &source.at {
        Err(fault) => return emit(Found::Fault(fault.clone())),
        Ok(Location::Stdin) => Box::new(io::stdin().lock()),
        Ok(Location::File(path)) => match File::open(path) {
            Ok(file) => Box::new(file),
            Err(error) => {
                let fault = Fault::io("cannot be opened", &error, None);
                return emit(Found::Fault(fault));
            }
        },
    };
    let counted = Counted { input, read_bytes };
    let mut input = BufReader::with_capacity(1 << 16, counted);
    let input: Box<dyn BufRead + '_> = match input.fill_buf().map(unreadable) {
        Ok(None) => match decompressed(input) {
            Ok(input) => input,
            Err(error) => return emit(Found::Fault(Fault::io("cannot be read", &error, None))),
        },
        Ok(Some(what)) => return emit(Found::Fault(Fault::encoded(what))),
        Err(error) => return emit(Found::Fault(Fault::io("cannot be read", &error, None))),
    };
    let name = source.name.source.to_lowercase();
    let name = name
        .strip_suffix(".gz")
        .or(name.strip_suffix(".zst"))
        .unwrap_or(&name);
    let by_lines = name.ends_with(".jsonl") || name.ends_with(".ndjson");
    read_text(input, by_lines, emit)
}

/// Tells of the bytes that pass through.
struct Counted<'a> {
    input: Box<dyn Read + 'a>,
    read_bytes: &'a dyn Fn(u64),
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        (self.read_bytes)(read as u64);
        Ok(read)
    }
}

/// What a file is that is neither text nor an archive that we open, told by its first bytes.
fn unreadable(start: &[u8]) -> Option<&'static str> {
    const KNOWN: [(&[u8], &str); 7] = [
        (b"\xfd7zXZ\0", "an xz archive"),
        (b"BZh", "a bzip2 archive"),
        (b"PK\x03\x04", "a zip archive"),
        (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
        (b"\x04\x22\x4d\x18", "an lz4 archive"),
        (b"\xff\xfe", "text in UTF-16"),
        (b"\xfe\xff", "text in UTF-16"),
    ];
    let known = KNOWN
        .into_iter()
        .find(|(magic, _)| start.starts_with(magic));
    known.map(|(_, what)| what)
}

/// Told by the first bytes, not by the name: gzip is RFC 1952, zstd RFC 8878.
fn decompressed<'a>(mut input: impl BufRead + 'a) -> io::Result<Box<dyn BufRead + 'a>> {
    let start = input.fill_buf()?;
    Ok(if start.starts_with(&[0x1f, 0x8b]) {
        Box::new(BufReader::new(MultiGzDecoder::new(input)))
    } else if start.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        Box::new(BufReader::new(ZstdDecoder::with_buffer(input)?))
    } else {
        Box::new(input)
    })
}

/// One line, without its end.
enum Line {
    Text(Vec<u8>),
    TooLong,
    Broken { error: io::Error, text: Vec<u8> },
    End,
}

struct Lines<R> {
    input: R,
    /// Number of the line read last.
    number: usize,
    /// Whether it had an end.
    ended: bool,
}

impl<R: BufRead> Lines<R> {
    fn next(&mut self) -> Line {
        let mut text = Vec::new();
        self.number += 1;
        let mut limited = self.input.by_ref().take(LONGEST);
        if let Err(error) = limited.read_until(b'\n', &mut text) {
            return Line::Broken { error, text };
        }
        if self.number == 1 && text.starts_with(b"\xef\xbb\xbf") {
            text.drain(..3);
        }
        self.ended = text.pop_if(|last| *last == b'\n').is_some();
        if self.ended {
            return Line::Text(text);
        }
        if text.len() as u64 >= LONGEST {
            return match self.input.skip_until(b'\n') {
                Ok(_) => Line::TooLong,
                Err(error) => Line::Broken {
                    error,
                    text: Vec::new(),
                },
            };
        }
        if text.is_empty() {
            Line::End
        } else {
            Line::Text(text)
        }
    }
}

fn read_text(input: impl BufRead, by_lines: bool, emit: Emit<'_>) -> Result<(), Closed> {
    let mut lines = Lines {
        input,
        number: 0,
        ended: false,
    };
    let first = loop {
        match lines.next() {
            Line::Text(text) if is_blank(&text) => {}
            Line::End => return emit(Found::Fault(Fault::no_runs("the file is empty"))),
            other => break other,
        }
    };
    match first {
        Line::Text(text) if !by_lines && !is_complete(&text) => document(lines, text, emit),
        first => each_line(lines, first, emit),
    }
}

/// JSON Lines: every line for itself.
fn each_line(mut lines: Lines<impl BufRead>, first: Line, emit: Emit<'_>) -> Result<(), Closed> {
    let mut line = first;
    loop {
        let at = Place {
            line: lines.number,
            byte: 1,
        };
        match line {
            Line::End => return Ok(()),
            Line::Text(text) => one_line(text, lines.number, emit)?,
            Line::TooLong => emit(Found::Fault(too_long(at)))?,
            Line::Broken { error, text } => {
                let byte = text.len() + 1;
                let at = Place { byte, ..at };
                // What came before the break may be whole.
                if is_complete(&text) {
                    one_line(text, lines.number, emit)?;
                }
                return emit(Found::Fault(Fault::io("breaks off", &error, Some(at))));
            }
        }
        line = lines.next();
    }
}

fn one_line(text: Vec<u8>, number: usize, emit: Emit<'_>) -> Result<(), Closed> {
    if is_blank(&text) {
        return Ok(());
    }
    if text.trim_ascii_start().starts_with(b"[") {
        return runs_in(text, number, emit);
    }
    emit(Found::Run(RunText::line(text, number)))
}

/// A document, or a line that may hold several runs.
fn runs_in(text: Vec<u8>, line: usize, emit: Emit<'_>) -> Result<(), Closed> {
    let found = split(&text);
    let whole = Arc::new(text);
    for range in found.runs {
        let whole = Arc::clone(&whole);
        emit(Found::Run(RunText { whole, range, line }))?;
    }
    if let Some(error) = found.error {
        let at = place(&whole, line, error.at());
        emit(Found::Fault(Fault::unreadable(&error, at)))?;
    }
    Ok(())
}

/// JSON over several lines; or JSON Lines of which the first is broken, which only the rest can tell.
fn document(lines: Lines<impl BufRead>, first: Vec<u8>, emit: Emit<'_>) -> Result<(), Closed> {
    let number = lines.number;
    let mut text = first;
    text.extend(lines.ended.then_some(b'\n'));
    let mut limited = lines.input.take(LONGEST);
    let broken = limited.read_to_end(&mut text).err();
    let end = |text: &[u8]| place(text, number, text.len());
    if limited.limit() == 0 {
        return emit(Found::Fault(too_long(end(&text))));
    }
    let after = broken.map(|error| Fault::io("breaks off", &error, Some(end(&text))));
    if split(&text).error.is_some() && has_run_on_a_line(&text) {
        for (i, line) in text.split(|byte| *byte == b'\n').enumerate() {
            one_line(line.to_vec(), number + i, emit)?;
        }
    } else {
        runs_in(text, number, emit)?;
    }
    match after {
        Some(fault) => emit(Found::Fault(fault)),
        None => Ok(()),
    }
}

fn has_run_on_a_line(text: &[u8]) -> bool {
    text.split(|byte| *byte == b'\n')
        .filter(|line| line.trim_ascii().starts_with(b"{"))
        .any(|line| matches!(parse(line), Ok(Parsed::Run(_))))
}

/// Whether a line is a JSON value by itself.
fn is_complete(line: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok()
}

fn is_blank(line: &[u8]) -> bool {
    line.trim_ascii().is_empty()
}

fn too_long(place: Place) -> Fault {
    Fault {
        place: Some(place),
        error: format!("longer than {LONGEST} bytes"),
        expected: "a run of an agent",
        remedy: "write one run a line, or a file for each run",
    }
}

fn place(text: &[u8], first_line: usize, at: usize) -> Place {
    let before = text.get(..at).unwrap_or(text);
    let lines = before.iter().filter(|byte| **byte == b'\n').count();
    let start = before
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |newline| newline + 1);
    Place {
        line: first_line + lines,
        byte: before.len() - start + 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is found, as `run:LINE` and `fault:LINE:BYTE`.
    fn found(text: &[u8], by_lines: bool) -> Vec<String> {
        let mut all = Vec::new();
        let result = read_text(text, by_lines, &mut |found| {
            all.push(match found {
                Found::Run(run) => format!("run:{}", run.place(0).line),
                Found::Fault(fault) => match fault.place {
                    Some(at) => format!("fault:{}:{}", at.line, at.byte),
                    None => "fault".into(),
                },
            });
            Ok(())
        });
        assert!(result.is_ok());
        all
    }

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(found(text.as_bytes(), false), expected, "{text}");
    }

    #[test]
    fn lines_and_documents_are_told_apart() {
        let run = r#"{"messages": []}"#;
        check("", &["fault"]);
        check("\n \n", &["fault"]);
        check(&format!("{run}\n\n{run}"), &["run:1", "run:3"]);
        check(&format!("\u{feff}{run}"), &["run:1"]);
        check("{\n\"messages\": []\n}\n", &["run:1"]);
        check("[\n{\"role\": \"user\"}\n]", &["run:1"]);
        check(&format!("[{run}, {run}]"), &["run:1", "run:1"]);
        check(&format!("[{run},\n{run}]"), &["run:1", "run:2"]);
        check(
            "{\n\"messages\": []\n}\n{\n\"messages\": []\n}",
            &["run:1", "run:4"],
        );
    }

    #[test]
    fn a_broken_first_line_does_not_hide_the_others() {
        check(
            "{\"messages\": [{\"role\n{\"messages\": []}\n{\"messages\": []}",
            &["run:1", "run:2", "run:3"],
        );
        check("garbage\n{\"messages\": []}", &["run:1", "run:2"]);
    }

    #[test]
    fn a_broken_document_says_where() {
        check("{\n\"messages\": [\n", &["fault:3:1"]);
        check("[\n{\"messages\": []},\n{\"mess", &["run:2", "fault:3:7"]);
    }

    #[test]
    fn lines_of_json_lines_are_never_joined() {
        assert_eq!(found(b"{\n}\n", true), ["run:1", "run:2"]);
    }
}
