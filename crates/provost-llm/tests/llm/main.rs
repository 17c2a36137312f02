//! The crate's integration tests: goldens for each wire format, and laws.

#[cfg(test)]
mod goldens;
#[cfg(test)]
mod laws;
