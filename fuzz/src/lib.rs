//! What the fuzz targets share: the laws that must hold for any input, and sessions written as short scripts.

mod script;

use std::ops::Range;

pub use script::script;

/// Asserts that the ranges partition `content`: in order, without gap or overlap, on character boundaries.
///
/// # Panics
/// They do not.
pub fn assert_partition(content: &str, ranges: impl Iterator<Item = Range<usize>>) {
    let mut end = 0;
    for range in ranges {
        assert_eq!(range.start, end, "a gap or an overlap");
        assert!(range.end > range.start, "an empty piece at {end}");
        assert!(content.is_char_boundary(range.end), "inside a character");
        end = range.end;
    }
    assert_eq!(end, content.len(), "the end is lost");
}
