//! Laws of a session, for any input: partition, replay, taint, and no panic whatever comes in.

#[cfg(test)]
mod any;
#[cfg(test)]
mod bad_input;
#[cfg(test)]
mod session;
#[cfg(test)]
mod taint;
