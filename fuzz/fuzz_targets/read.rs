//! The readers: whatever the bytes, the pieces partition them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use provost::read::read;
use provost_fuzz::assert_partition;

fuzz_target!(|content: &str| {
    let reading = read(content);
    assert_partition(content, reading.pieces.iter().map(|p| p.range.clone()));
});
