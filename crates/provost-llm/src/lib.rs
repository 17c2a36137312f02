//! Wire formats of model providers and recorded runs.
