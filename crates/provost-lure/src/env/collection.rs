//! What tools do with records, whichever the environment: find one, list some, number a new one.

use serde::Serialize;
use serde_json::Value;

/// Records, or one, as a tool returns them.
pub(super) fn whole<T: Serialize + ?Sized>(value: &T) -> Result<Value, String> {
    serde_json::to_value(value).map_err(|e| e.to_string())
}

/// Those of the records that fit, as a tool returns them.
pub(super) fn listed<T: Serialize>(
    records: &[T],
    fits: impl Fn(&T) -> bool,
) -> Result<Value, String> {
    whole(&records.iter().filter(|r| fits(r)).collect::<Vec<_>>())
}

/// The record with this id.
pub(super) fn found<'a, T>(
    records: &'a [T],
    what: &str,
    id: &str,
    of: impl Fn(&T) -> &String,
) -> Result<&'a T, String> {
    let record = records.iter().find(|r| of(r) == id);
    record.ok_or_else(|| format!("there is no {what} `{id}`"))
}

/// The record with this id, to be changed.
pub(super) fn found_mut<'a, T>(
    records: &'a mut [T],
    what: &str,
    id: &str,
    of: impl Fn(&T) -> &String,
) -> Result<&'a mut T, String> {
    let record = records.iter_mut().find(|r| of(r) == id);
    record.ok_or_else(|| format!("there is no {what} `{id}`"))
}

/// The id after all that there are: `prefix`, and a number above theirs.
pub(super) fn next_id<'a>(prefix: &str, ids: impl Iterator<Item = &'a String>) -> String {
    let number = |id: &String| id.rsplit('-').next().and_then(|n| n.parse::<u32>().ok());
    let last = ids.filter_map(number).max().unwrap_or(0);
    format!("{prefix}-{}", last.saturating_add(1))
}
