//! The second pass over a policy file: from the raw layer to the resolved one, refusing rules that can never
//! matter.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use serde::Deserialize;
use serde_json::Value;
use toml::de::DeTable;

use crate::policy::check::{Found, check, key_span, parse};
use crate::policy::error::{Lines, PolicyErrors};
use crate::policy::fields::{FieldPattern, Fields};
use crate::policy::glob::{BadName, Glob, Rules, bad_name};
use crate::policy::problem::{MAX_FILE, Named, Problem, nearest, quoted};
use crate::policy::raw::{RawDefaults, RawPolicy, RawTool};
use crate::policy::{Resolved, ToolRule, Trust};
use crate::session::ToolDef;

/// Globs with the same literal prefix that one table may hold: each pair of them is compared.
const MAX_ALIKE: usize = 64;

/// Reads a policy. With `tools`, also refuses rules that none of them can match.
pub(crate) fn read(
    text: &str,
    file: &str,
    tools: Option<&[ToolDef]>,
) -> Result<Resolved, PolicyErrors> {
    let fail = |problems| PolicyErrors::place(file, text, problems);
    if text.len() > MAX_FILE {
        let problem = Problem::TooLarge { bytes: text.len() };
        return fail(vec![(0..0, problem)]).map_or_else(|| Ok(Resolved::default()), Err);
    }
    let (table, mut problems) = parse(text);
    problems.extend(check(table.get_ref()));
    let mut pass = Pass {
        table: table.get_ref(),
        lines: Lines::new(text),
        problems,
    };
    let raw = if pass.problems.is_empty() {
        RawPolicy::deserialize(toml::de::Deserializer::from(table.clone())).unwrap_or_else(|e| {
            let problem = Problem::Unreadable {
                found: quoted(e.message()),
            };
            pass.problems.push((e.span().unwrap_or(0..0), problem));
            RawPolicy::default()
        })
    } else {
        RawPolicy::default()
    };
    if let Some(tools) = tools {
        pass.compare(&raw, tools);
    }
    let resolved = pass.policy(raw);
    match fail(pass.problems) {
        Some(errors) => Err(errors),
        None => Ok(resolved),
    }
}

struct Pass<'t> {
    table: &'t DeTable<'t>,
    lines: Lines<'t>,
    problems: Vec<Found>,
}

impl Pass<'_> {
    fn report(&mut self, path: &[&str], problem: Problem) {
        let at = self.at(path);
        self.problems.push((at, problem));
    }

    fn at(&self, path: &[&str]) -> Range<usize> {
        key_span(self.table, path)
    }

    fn policy(&mut self, raw: RawPolicy) -> Resolved {
        let RawPolicy { defaults, tools } = raw;
        let RawDefaults {
            uncertain,
            effect,
            output,
            trust_annotations,
            arguments,
        } = defaults;
        let output = output.unwrap_or(Trust::Untrusted);
        self.names(
            &["defaults", "arguments"],
            Named::Argument,
            arguments.keys(),
        );
        self.names(&["tools"], Named::Tool, tools.keys());
        let tools: Vec<_> = tools
            .into_iter()
            .map(|(name, rule)| {
                let rule = self.tool(&name, rule, output);
                (name, rule)
            })
            .collect();
        Resolved {
            tools: Rules::new(tools),
            arguments: Rules::new(arguments),
            uncertain: uncertain.unwrap_or_default(),
            effect,
            output,
            trust_annotations: trust_annotations.unwrap_or(false),
        }
    }

    fn tool(&mut self, name: &str, raw: RawTool, default: Trust) -> ToolRule {
        let RawTool {
            effect,
            output,
            surface,
            trust_annotations,
            arguments,
            fields,
        } = raw;
        let silent = effect.is_none()
            && output.is_none()
            && surface.is_none()
            && trust_annotations.is_none()
            && arguments.is_empty()
            && fields.is_empty();
        if silent {
            let tool = quoted(name);
            self.report(&["tools", name], Problem::EmptyRule { tool });
        }
        if effect.is_some() && trust_annotations.is_some() {
            let tool = quoted(name);
            self.report(
                &["tools", name, "trust_annotations"],
                Problem::AnnotationsUnused { tool },
            );
        }
        self.names(
            &["tools", name, "arguments"],
            Named::Argument,
            arguments.keys(),
        );
        let output = output.unwrap_or(default);
        if output == Trust::Trusted {
            for field in fields.keys() {
                let problem = Problem::FieldOfTrusted {
                    found: quoted(field),
                    tool: quoted(name),
                };
                self.report(&["tools", name, "fields", field], problem);
            }
        }
        ToolRule {
            effect,
            output,
            surface: surface.map(Into::into),
            trust_annotations,
            arguments: Rules::new(arguments),
            fields: self.fields(name, fields),
        }
    }

    /// Refuses names that match nothing, and globs of which neither is more specific.
    fn names<'n>(&mut self, table: &[&str], what: Named, names: impl Iterator<Item = &'n String>) {
        let mut alike: BTreeMap<String, Vec<(&str, Glob)>> = BTreeMap::new();
        for name in names {
            if self.well_named(table, what, name) {
                let glob = Glob::new(name);
                if !glob.is_exact() {
                    let prefix = glob.prefix().to_owned();
                    alike.entry(prefix).or_default().push((name, glob));
                }
            }
        }
        for group in alike.into_values() {
            self.ties(table, what, group, Glob::meets, Glob::within);
        }
    }

    fn well_named(&mut self, table: &[&str], what: Named, name: &str) -> bool {
        let problem = match bad_name(name) {
            None => return true,
            Some(BadName::Empty) => Problem::EmptyName { what },
            Some(BadName::Spaces) => Problem::Spaces {
                what,
                found: quoted(name),
            },
            Some(BadName::Long) => Problem::LongName { what },
        };
        self.report(&[table, &[name]].concat(), problem);
        false
    }

    /// Refuses each pattern that meets an earlier one of the same prefix, unless one lies strictly within the other.
    fn ties<P: PartialEq>(
        &mut self,
        table: &[&str],
        what: Named,
        group: Vec<(&str, P)>,
        meets: impl Fn(&P, &P) -> bool,
        within: impl Fn(&P, &P) -> bool,
    ) {
        let mut group: Vec<(Range<usize>, &str, P)> = group
            .into_iter()
            .map(|(name, pattern)| (self.at(&[table, &[name]].concat()), name, pattern))
            .collect();
        group.sort_by_key(|(at, ..)| at.start);
        if let Some((at, name, _)) = group.get(MAX_ALIKE) {
            let problem = Problem::ManyGlobs {
                what,
                found: quoted(name),
                limit: MAX_ALIKE,
            };
            self.problems.push((at.clone(), problem));
            return;
        }
        for (i, (at, name, pattern)) in group.iter().enumerate() {
            let mut earlier = group.iter().take(i);
            let tied = |p: &P| {
                p == pattern || meets(p, pattern) && !within(p, pattern) && !within(pattern, p)
            };
            let Some((above, other, twin)) = earlier.find(|(_, _, p)| tied(p)) else {
                continue;
            };
            let (line, _) = self.lines.position(above.start);
            let (found, other) = (quoted(name), quoted(other));
            let problem = if twin == pattern {
                Problem::Same {
                    what,
                    found,
                    other,
                    line,
                }
            } else {
                Problem::Tie {
                    what,
                    found,
                    other,
                    line,
                }
            };
            self.problems.push((at.clone(), problem));
        }
    }

    fn fields(&mut self, tool: &str, raw: BTreeMap<String, Trust>) -> Fields {
        let table = ["tools", tool, "fields"];
        let mut rules = Vec::new();
        let mut alike: BTreeMap<Vec<usize>, Vec<(&str, FieldPattern)>> = BTreeMap::new();
        for (name, trust) in &raw {
            if !self.well_named(&table, Named::Field, name) {
                continue;
            }
            match FieldPattern::new(name) {
                Ok(pattern) => {
                    let same = alike.entry(pattern.rank().0).or_default();
                    same.push((name, pattern.clone()));
                    rules.push((pattern, *trust));
                }
                Err(why) => {
                    let found = quoted(name);
                    let problem = Problem::FieldPath { found, why };
                    self.report(&["tools", tool, "fields", name], problem);
                }
            }
        }
        for (rank, group) in alike {
            // Two paths without a star in them are equal or never meet.
            if rank.iter().any(|r| *r != usize::MAX) {
                self.ties(
                    &table,
                    Named::Field,
                    group,
                    FieldPattern::meets,
                    FieldPattern::within,
                );
            }
        }
        Fields::new(rules)
    }

    /// Refuses rules that none of these tools can match.
    fn compare(&mut self, raw: &RawPolicy, tools: &[ToolDef]) {
        let rules = Rules::new(raw.tools.keys().map(|k| (k.clone(), k.as_str())));
        let mut governed: HashMap<&str, Vec<&ToolDef>> = HashMap::new();
        for tool in tools {
            if let Some(rule) = rules.get(&tool.name) {
                governed.entry(rule).or_default().push(tool);
            }
        }
        for (name, rule) in &raw.tools {
            match governed.get(name.as_str()) {
                Some(tools) => self.compare_arguments(name, rule, tools),
                None => {
                    let problem = unmatched(name, &rules, tools);
                    self.report(&["tools", name], problem);
                }
            }
        }
    }

    fn compare_arguments(&mut self, tool: &str, rule: &RawTool, tools: &[&ToolDef]) {
        let Some(known) = arguments(tools) else {
            return;
        };
        let rules = Rules::new(rule.arguments.keys().map(|k| (k.clone(), k.as_str())));
        let used: HashSet<&str> = known.iter().filter_map(|k| rules.get(k).copied()).collect();
        for name in rule.arguments.keys().filter(|n| !used.contains(n.as_str())) {
            let problem = Problem::NoSuchArgument {
                found: quoted(name),
                tool: quoted(tool),
                nearest: nearest(name, known.iter().copied()),
            };
            self.report(&["tools", tool, "arguments", name], problem);
        }
    }
}

/// Why the rule `name` governs no tool.
fn unmatched(name: &str, rules: &Rules<&str>, tools: &[ToolDef]) -> Problem {
    let glob = Glob::new(name);
    let found = quoted(name);
    if glob.is_exact() {
        let nearest = nearest(name, tools.iter().map(|t| t.name.as_str()));
        return Problem::NoSuchTool { found, nearest };
    }
    let mut matched = tools.iter().filter(|t| glob.matches(&t.name));
    match matched.find_map(|t| rules.get(&t.name)) {
        Some(other) => Problem::Shadowed {
            found,
            other: quoted(other),
        },
        None => Problem::NoToolMatches { found },
    }
}

/// Names of all arguments that these tools take; `None` when a definition leaves that open.
fn arguments<'d>(tools: &[&'d ToolDef]) -> Option<HashSet<&'d str>> {
    let mut names = HashSet::new();
    for tool in tools {
        let schema = tool.parameters.as_object()?;
        let open = |key| schema.get(key).is_some_and(|v| *v != Value::Bool(false));
        if [
            "additionalProperties",
            "patternProperties",
            "allOf",
            "anyOf",
            "oneOf",
            "$ref",
        ]
        .into_iter()
        .any(open)
        {
            return None;
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        names.extend(properties.into_iter().flatten().map(|(k, _)| k.as_str()));
    }
    Some(names)
}
