//! How far the runs are: a bar on a terminal, elsewhere a line now and then, so that a log shows life.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// The longest silence in a log.
const SILENCE: Duration = Duration::from_secs(30);

/// How far the runs are.
pub(crate) struct Progress {
    bar: ProgressBar,
    /// Where there is no terminal.
    log: Option<Log>,
}

/// What a log needs to know to be neither silent nor chatty.
struct Log {
    runs: u64,
    done: u64,
    start: Instant,
    said: Instant,
    /// Tenths of the runs that were done when it spoke last.
    tenths: u64,
}

/// Nothing can be done where standard error is closed.
fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

impl Progress {
    /// Nothing is done yet, and nobody knows of how much.
    pub(crate) fn new() -> Self {
        if !io::stderr().is_terminal() {
            return Self {
                bar: ProgressBar::hidden(),
                log: Some(Log::new(0, Instant::now())),
            };
        }
        let bar = ProgressBar::new_spinner();
        bar.enable_steady_tick(Duration::from_millis(200));
        Self { bar, log: None }
    }

    /// What is being done before the runs.
    pub(crate) fn step(&self, line: &str) {
        self.bar.set_message(line.to_owned());
        if self.log.is_some() {
            say(line);
        }
    }

    /// From here on, so many runs are made.
    pub(crate) fn begin(&mut self, runs: usize) {
        self.bar.set_length(runs as u64);
        self.bar.set_message("");
        let template = "{bar:40} {pos}/{len} runs, {elapsed} so far, about {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style);
        }
        self.bar.reset();
        if let Some(log) = &mut self.log {
            *log = Log::new(runs as u64, Instant::now());
            match runs {
                0 => say("no runs to make: all are there"),
                _ => say(&format!("{runs} runs to make")),
            }
        }
    }

    /// One more run is made.
    pub(crate) fn one(&mut self) {
        self.bar.inc(1);
        if let Some(line) = self.log.as_mut().and_then(|log| log.one(Instant::now())) {
            say(&line);
        }
    }

    /// Something that has to be read.
    pub(crate) fn warn(&self, line: &str) {
        self.speaker()(line);
    }

    /// Whoever says something from another thread, without disturbing the bar.
    pub(crate) fn speaker(&self) -> impl Fn(&str) + Send + Sync + use<> {
        let bar = self.bar.clone();
        move |line| bar.suspend(|| say(line))
    }

    /// All runs are made.
    pub(crate) fn end(self) {
        self.bar.finish_and_clear();
    }
}

impl Log {
    fn new(runs: u64, now: Instant) -> Self {
        Self {
            runs,
            done: 0,
            start: now,
            said: now,
            tenths: 0,
        }
    }

    /// One more run is made; what there is to say, if it is time.
    fn one(&mut self, now: Instant) -> Option<String> {
        self.done += 1;
        let tenths = self.done * 10 / self.runs.max(1);
        if tenths == self.tenths && now - self.said < SILENCE {
            return None;
        }
        (self.tenths, self.said) = (tenths, now);
        let spent = now - self.start;
        let left = self.runs.saturating_sub(self.done);
        let left = spent.as_secs_f64() * left as f64 / self.done as f64;
        let (done, runs, spent) = (self.done, self.runs, spent.as_secs());
        Some(format!(
            "{done}/{runs} runs, {spent} s so far, about {left:.0} s left"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_speaks_every_tenth_and_every_half_minute() {
        let start = Instant::now();
        let check = |runs: u64, seconds: u64, expected: &[u64]| {
            let mut log = Log::new(runs, start);
            let spoke =
                (1..=runs).filter(|n| log.one(start + Duration::from_secs(seconds * n)).is_some());
            assert_eq!(spoke.collect::<Vec<_>>(), expected);
        };
        check(20, 1, &[2, 4, 6, 8, 10, 12, 14, 16, 18, 20]);
        check(3, 0, &[1, 2, 3]);
        check(4, 40, &[1, 2, 3, 4]);
        let mut log = Log::new(100, start);
        assert_eq!(log.one(start + Duration::from_secs(1)), None);
        let line = log.one(start + Duration::from_secs(31)).unwrap();
        assert_eq!(line, "2/100 runs, 31 s so far, about 1519 s left");
    }
}
