//! Where released calls run, and what can be known of it.

use std::collections::HashMap;

use provost::Permit;

use crate::agent::Oracle;
use crate::sidecar::{Returned, Sidecar, SidecarError, Truth, Wanted, Whose};

/// The environment of a run.
pub(super) trait World: Oracle {
    /// Runs a call that the defense released. Nothing else changes the environment.
    fn call(&mut self, permit: &Permit) -> Result<Returned, SidecarError>;
}

/// A sidecar that is asked each thing once as long as nothing changes.
pub(super) struct Known<'a> {
    sidecar: &'a mut Sidecar,
    truths: HashMap<Whose, Truth>,
    undoing: Vec<(Vec<Wanted>, Vec<usize>)>,
}

impl<'a> Known<'a> {
    pub(super) fn new(sidecar: &'a mut Sidecar) -> Self {
        Self {
            sidecar,
            truths: HashMap::new(),
            undoing: Vec::new(),
        }
    }
}

impl Oracle for Known<'_> {
    fn truth(&mut self, of: Whose) -> Result<Truth, SidecarError> {
        if let Some(truth) = self.truths.get(&of) {
            return Ok(truth.clone());
        }
        let truth = self.sidecar.truth(of)?;
        self.truths.insert(of, truth.clone());
        Ok(truth)
    }

    fn undoing(&mut self, calls: &[Wanted]) -> Result<Vec<usize>, SidecarError> {
        if let Some((_, found)) = self.undoing.iter().find(|(asked, _)| asked == calls) {
            return Ok(found.clone());
        }
        let found = self.sidecar.undoing(calls)?;
        self.undoing.push((calls.to_vec(), found.clone()));
        Ok(found)
    }
}

impl World for Known<'_> {
    fn call(&mut self, permit: &Permit) -> Result<Returned, SidecarError> {
        self.truths.clear();
        self.undoing.clear();
        self.sidecar.call(permit)
    }
}
