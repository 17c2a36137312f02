//! The loop on a suite of our own, the protocol with sidecars that misbehave, results that go on, and AgentDojo itself
//! where Python is there.

#[cfg(test)]
mod agentdojo;
#[cfg(test)]
mod household;
#[cfg(test)]
mod protocol;
#[cfg(test)]
mod resume;
