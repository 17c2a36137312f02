//! The crate's integration tests: goldens for each wire format, and laws.

mod goldens;
mod laws;
