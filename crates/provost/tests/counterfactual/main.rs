//! Counterfactual diagnosis, end to end: agents that are functions of their view, an environment that keeps what was done,
//! and a driver that obeys the session's steps.

#[cfg(test)]
mod agents;
#[cfg(test)]
mod composed;
#[cfg(test)]
mod driver;
#[cfg(test)]
mod gradual;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod laws;
#[cfg(test)]
mod takeover;
