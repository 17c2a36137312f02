//! Runs are read by one thread, audited by many, and written by one in the order in which they were read.

use std::io;
use std::num::NonZeroUsize;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use anyhow::Context;

use super::fault::Fault;
use super::judge::{Judge, Judged};
use super::output::{Output, Summary};
use super::paths::{Name, Source};
use super::reader::{self, Closed, Found, RunText};

/// Room for deeply nested input: the readers recurse as deep as their limits allow.
const STACK: usize = 16 << 20;

/// What the writer does next.
enum Next {
    /// A source begins.
    Source(Name),
    /// A run of it, as soon as it is ready.
    Run(RunText, Receiver<Judged>),
    /// Something that was skipped.
    Fault(Fault),
    /// The source ends.
    End,
}

/// Audits every run of `sources`. At most a few runs for each job are held in memory.
///
/// # Errors
/// The output cannot be written. What was written before stays written.
pub(crate) fn run(
    sources: &[Source],
    judge: &Judge,
    jobs: NonZeroUsize,
    output: Output<'_>,
    read_bytes: &dyn Fn(u64),
) -> anyhow::Result<io::Result<Summary>> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(jobs.get())
        .stack_size(STACK)
        .build()
        .context("cannot start threads")?;
    thread::scope(|threads| {
        let (queue, slots) = sync_channel::<Next>(jobs.get() * 2);
        let writer = threads.spawn(move || write(&slots, output));
        pool.in_place_scope(|scope| {
            for source in sources {
                let source_read = one(source, &queue, read_bytes, &mut |text, done| {
                    scope.spawn(move |_| {
                        // The receiver is gone where the output cannot be written; nothing is left to do then.
                        let _ = done.send(judge.judge(&text));
                    });
                });
                if source_read.is_err() {
                    break;
                }
            }
        });
        drop(queue);
        writer
            .join()
            .map_err(|_| anyhow::anyhow!("internal error while writing the output"))
    })
}

fn one(
    source: &Source,
    queue: &SyncSender<Next>,
    read_bytes: &dyn Fn(u64),
    start: &mut dyn FnMut(RunText, SyncSender<Judged>),
) -> Result<(), Closed> {
    let put = |next| queue.send(next).map_err(|_| Closed);
    put(Next::Source(source.name.clone()))?;
    reader::read(source, read_bytes, &mut |found| match found {
        Found::Fault(fault) => put(Next::Fault(fault)),
        Found::Run(text) => {
            let (done, slot) = sync_channel(1);
            put(Next::Run(text.clone(), slot))?;
            start(text, done);
            Ok(())
        }
    })?;
    put(Next::End)
}

fn write(slots: &Receiver<Next>, mut output: Output<'_>) -> io::Result<Summary> {
    output.begin()?;
    for next in slots {
        match next {
            Next::Source(name) => output.source(name),
            Next::Fault(fault) => output.fault(fault),
            Next::End => output.source_ends(),
            Next::Run(text, slot) => {
                let judged = slot.recv().unwrap_or_else(|_| {
                    Judged::Fault(Fault::internal("the audit gave no answer", text.place(0)))
                });
                output.judged(judged)?;
            }
        }
    }
    output.end()?;
    Ok(output.summary)
}
