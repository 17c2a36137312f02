//! The `provost` binary: one file a subcommand.

fn main() {}
