//! The binary, from outside.

#[cfg(test)]
mod agentlure;
#[cfg(test)]
mod audit;
#[cfg(test)]
mod bad_benches;
#[cfg(test)]
mod bad_input;
#[cfg(test)]
mod documented;
#[cfg(test)]
mod folders;
#[cfg(test)]
mod policy;
#[cfg(test)]
mod recorded;
#[cfg(test)]
mod serve;
#[cfg(test)]
mod tool;
