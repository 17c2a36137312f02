//! Tests of policy files. Goldens lie in `tests/data/policy`; `UPDATE_GOLDENS=1` rewrites them.

use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::session::Annotations;

fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/policy")
        .join(name)
}

/// Compares with the file, or rewrites it when `UPDATE_GOLDENS` is set.
fn golden(name: &str, text: &str) {
    let path = data(name);
    if std::env::var_os("UPDATE_GOLDENS").is_some() {
        fs::write(&path, text).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        text, expected,
        "{name} differs; UPDATE_GOLDENS=1 rewrites it"
    );
}

fn agentdojo_raw() -> Vec<Value> {
    let text = fs::read_to_string(data("agentdojo_tools.json")).unwrap();
    let list: Value = serde_json::from_str(&text).unwrap();
    list["tools"].as_array().unwrap().clone()
}

fn agentdojo() -> Vec<ToolDef> {
    let def = |t: &Value| ToolDef {
        name: t["name"].as_str().unwrap().into(),
        description: t["description"].as_str().unwrap_or_default().into(),
        parameters: t["inputSchema"].clone(),
        ..ToolDef::default()
    };
    agentdojo_raw().iter().map(def).collect()
}

#[test]
fn errors_say_what_where_and_how() {
    let mut cases: Vec<_> = fs::read_dir(data("errors"))
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "toml"))
        .collect();
    cases.sort();
    assert!(cases.len() >= 8);
    for case in cases {
        let stem = case.file_stem().unwrap().to_str().unwrap();
        let text = fs::read_to_string(&case).unwrap();
        let tools = agentdojo();
        let result = match stem {
            "for_tools" => Policy::from_toml_for(&text, "provost.toml", &tools),
            _ => Policy::from_toml(&text, "provost.toml"),
        };
        let errors = result.expect_err(stem);
        golden(&format!("errors/{stem}.txt"), &format!("{errors}\n"));
    }
}

#[test]
fn schema_is_the_published_one() {
    let text = serde_json::to_string_pretty(schema()).unwrap();
    golden("schema.json", &format!("{text}\n"));
}

#[test]
fn agentdojo_covers_every_tool_and_argument() {
    let text = Policy::builtin_text("agentdojo").unwrap();
    let policy = Policy::from_toml_for(text, "agentdojo.toml", &agentdojo())
        .unwrap_or_else(|e| panic!("{e}"));
    for tool in agentdojo_raw() {
        let name = tool["name"].as_str().unwrap();
        assert!(policy.covers(name), "{name}");
        let effect = serde_json::to_value(policy.effect(name, None)).unwrap();
        assert_eq!(effect, tool["effect"], "{name}");
        let rule = policy.0.tools.get(name).unwrap();
        for (argument, _) in tool["inputSchema"]["properties"].as_object().unwrap() {
            assert!(rule.arguments.get(argument).is_some(), "{name} {argument}");
        }
        for argument in tool["decisive"].as_array().unwrap() {
            let argument = argument.as_str().unwrap();
            let found = policy.sensitivity(name, argument, None);
            let strict = matches!(
                found,
                Sensitivity::Target | Sensitivity::Amount | Sensitivity::Selector
            );
            assert!(strict, "{name} {argument}");
        }
        for field in tool["injectable"].as_array().unwrap() {
            let field = field
                .as_str()
                .unwrap()
                .trim_start_matches("[]")
                .trim_start_matches(['.', '$', '*']);
            let field = Some(field).filter(|f| !f.is_empty());
            assert_eq!(
                policy.trust(name, field),
                Trust::Untrusted,
                "{name} {field:?}"
            );
            assert_eq!(policy.trust(name, None), Trust::Untrusted, "{name}");
        }
    }
    assert!(Policy::builtin("agentdojo").is_some());
    assert!(Policy::builtin("other").is_none());
}

const EXAMPLE: &str = r#"
[defaults]
uncertain = "approve"
effect = "egress"
output = "untrusted"
arguments = { az = "selector", "kw_*" = "content" }

[tools.get_mails]
effect = "read"
fields = { id = "trusted", sender = "trusted", "head.*" = "trusted", "head.note" = "untrusted" }

[tools."crm__*"]
trust_annotations = true
arguments = { "*" = "target", "note*" = "content", note_to = "target" }

[tools."crm__get_*"]
effect = "read"
output = "trusted"
surface = "document"
"#;

#[test]
fn lookups() {
    let policy = Policy::from_toml(EXAMPLE, "p").unwrap();
    assert_eq!(policy.uncertain(), Uncertain::Approve);
    let def = |read_only, open_world| ToolDef {
        annotations: Some(Annotations {
            read_only_hint: read_only,
            open_world_hint: open_world,
            ..Annotations::default()
        }),
        ..ToolDef::default()
    };
    for (tool, def, expected) in [
        ("get_mails", None, Effect::Read),
        ("get_mails", Some(def(Some(false), None)), Effect::Read),
        ("unknown", None, Effect::Egress),
        (
            "unknown",
            Some(def(Some(true), Some(false))),
            Effect::Egress,
        ),
        ("crm__x", Some(def(Some(true), Some(false))), Effect::Read),
        ("crm__x", Some(def(Some(true), Some(true))), Effect::Egress),
        ("crm__x", Some(def(Some(true), None)), Effect::Egress),
        ("crm__x", Some(def(None, Some(false))), Effect::Write),
        ("crm__x", Some(def(Some(false), Some(false))), Effect::Write),
        ("crm__get_x", Some(def(Some(false), None)), Effect::Read),
    ] {
        assert_eq!(
            policy.effect(tool, def.as_ref()),
            expected,
            "{tool} {def:?}"
        );
    }
    for (tool, argument, expected) in [
        ("any", "az", Sensitivity::Selector),
        ("any", "kw_1", Sensitivity::Content),
        ("any", "body", Sensitivity::Content),
        ("any", "frobnicate", Sensitivity::Target),
        ("crm__x", "body", Sensitivity::Target),
        ("crm__x", "note_2", Sensitivity::Content),
        ("crm__x", "note_to", Sensitivity::Target),
        ("crm__get_x", "note_text", Sensitivity::Content),
    ] {
        assert_eq!(
            policy.sensitivity(tool, argument, None),
            expected,
            "{tool} {argument}"
        );
    }
    for (tool, field, expected) in [
        ("get_mails", None, Trust::Untrusted),
        ("get_mails", Some("id"), Trust::Trusted),
        ("get_mails", Some("[3].sender"), Trust::Trusted),
        ("get_mails", Some("[3].body"), Trust::Untrusted),
        ("get_mails", Some("body.id"), Trust::Untrusted),
        ("get_mails", Some("head.to[1]"), Trust::Trusted),
        ("get_mails", Some("head.note"), Trust::Untrusted),
        ("unknown", Some("id"), Trust::Untrusted),
        ("crm__get_x", Some("anything"), Trust::Trusted),
    ] {
        assert_eq!(policy.trust(tool, field), expected, "{tool} {field:?}");
    }
    assert_eq!(policy.surface("crm__get_x", None), Surface::Document);
    assert_eq!(policy.surface("get_mails", None), Surface::ToolResult);
}

#[test]
fn trust_by_path_is_trust_by_its_spelling() {
    let policy = Policy::from_toml(EXAMPLE, "p").unwrap();
    let path = |steps: &[&str]| {
        let mut path = vec![Seg::Index(0)];
        path.extend(steps.iter().map(|s| Seg::Key((*s).into())));
        Path::new(path)
    };
    for steps in [
        &["id"][..],
        &["body", "id"],
        &["head", "note"],
        &["head", "x"],
        &[],
    ] {
        let path = path(steps);
        assert_eq!(
            policy.trust_at("get_mails", &path),
            policy.trust("get_mails", Some(&path.to_string())),
            "{path}"
        );
    }
    // A key with a dot in it is one key: it cannot pose as a field of that path.
    assert_eq!(
        policy.trust_at("get_mails", &path(&["head.x"])),
        Trust::Untrusted
    );
}

#[test]
fn the_documented_example_checks() {
    let page = include_str!("../../../../docs/policy.md");
    let (_, rest) = page.split_once("```toml").unwrap();
    let (example, _) = rest.split_once("```").unwrap();
    Policy::from_toml(example, "docs/policy.md").unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn the_default_knows_nothing() {
    let policy = Policy::default();
    let def = ToolDef {
        name: "get_x".into(),
        description: "Reads x.".into(),
        annotations: Some(Annotations {
            read_only_hint: Some(true),
            open_world_hint: Some(false),
            ..Annotations::default()
        }),
        ..ToolDef::default()
    };
    assert_eq!(policy.effect("get_x", Some(&def)), Effect::Write);
    assert_eq!(policy.trust("get_x", Some("id")), Trust::Untrusted);
    assert_eq!(policy.uncertain(), Uncertain::Block);
    let trusting = policy.clone().trusting_annotations();
    assert_eq!(trusting.effect("get_x", Some(&def)), Effect::Read);
    assert_eq!(policy.effect("get_x", Some(&def)), Effect::Write);
    let empty = Policy::from_toml("", "p").unwrap();
    assert_eq!(format!("{:?}", *empty.0), format!("{:?}", *policy.0));
}

#[test]
fn large_input_is_refused_or_read_in_time() {
    let big = "a".repeat(5 << 20);
    assert!(Policy::from_toml(&big, "p").is_err());
    for unit in [
        "[",
        "[[",
        "a.",
        "a=[",
        "a={",
        "\"",
        "[tools.\"a*\"]\n",
        "[a]\n",
        "\u{202e}",
    ] {
        let _ =
            Policy::from_toml(&unit.repeat((1 << 14) / unit.len()), "p").map_err(|e| e.to_string());
    }
    let tools: String = (0..5000)
        .map(|i| format!("[tools.\"*{i}\"]\neffect = \"read\"\n"))
        .collect();
    let errors = Policy::from_toml(&tools, "p").unwrap_err();
    assert!(matches!(
        errors.errors()[0].problem(),
        Problem::ManyGlobs { .. }
    ));
}

/// Tools in the manner of several servers, of our own writing.
fn sample() -> Vec<ToolDef> {
    serde_json::from_str(&fs::read_to_string(data("draft_tools.json")).unwrap()).unwrap()
}

#[test]
fn drafts_give_reasons() {
    let text = draft(&sample());
    golden("draft.toml", &text);
    let policy = Policy::from_toml_for(&text, "draft.toml", &sample());
    let errors = policy.err().map(|e| e.to_string()).unwrap_or_default();
    // The two names that cannot stand in a policy are left out, and nothing else is missing.
    assert_eq!(errors, "");
    golden("draft_agentdojo.toml", &draft(&agentdojo()));
}

#[test]
fn drafts_never_call_a_change_a_read() {
    for (tool, raw) in agentdojo().iter().zip(agentdojo_raw()) {
        let guess = infer_effect(tool);
        if raw["effect"] != "read" {
            assert_ne!(guess.value, Effect::Read, "{}: {}", tool.name, guess.why);
        }
    }
}

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ab*.]{0,4}",
        Just("effect".to_owned()),
        Just("output".to_owned()),
        Just("fields".to_owned()),
        Just("arguments".to_owned()),
        Just("read".to_owned()),
        Just("trusted".to_owned()),
        Just("target".to_owned()),
    ]
}

/// Names of tools and arguments, also such as no provider allows.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z_]{1,8}",
        "\\PC{0,5}",
        "[ *.\"\\\\\n\r\t\u{0}\u{7f}\u{85}\u{202e}a]{0,5}",
        "[a ]{250,260}"
    ]
}

/// TOML values with the words of policies in them, most of them wrong.
fn tree() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        word().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(json!(1))
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop::collection::vec((word(), inner), 0..4)
            .prop_map(|m| Value::Object(m.into_iter().collect()))
    })
}

fn toml_of(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let entries: Vec<_> = map
                .iter()
                .map(|(k, v)| format!("{} = {}", json!(k), toml_of(v)))
                .collect();
            format!("{{ {} }}", entries.join(", "))
        }
        other => other.to_string(),
    }
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC*|[\\[\\]{}=\"'.*#\n a-c_]{0,60}") {
        let _ = Policy::from_toml(&text, "p").map_err(|e| e.to_string());
    }

    /// A draft can be read whatever the definitions hold, and says nothing of tools that are not there.
    #[test]
    fn drafts_check(tools in prop::collection::vec((name(), "\\PC{0,20}|[a-z\n\r\t#\"\u{7f}\u{85}]{0,9}", name(), any::<bool>()), 0..4)) {
        let tools: Vec<ToolDef> = tools
            .into_iter()
            .map(|(name, description, argument, read)| ToolDef {
                name,
                description,
                parameters: json!({"properties": {argument: {"type": "string"}}}),
                annotations: Some(Annotations { read_only_hint: Some(read), ..Annotations::default() }),
            })
            .collect();
        let text = draft(&tools);
        let policy = Policy::from_toml(&text, "p");
        prop_assert!(policy.is_ok(), "{}\n{}", policy.unwrap_err(), text);
        let twice = tools.iter().enumerate().any(|(i, t)| tools.iter().take(i).any(|u| u.name == t.name));
        if !twice {
            let policy = Policy::from_toml_for(&text, "p", &tools);
            prop_assert!(policy.is_ok(), "{}\n{}", policy.unwrap_err(), text);
        }
    }

    /// The check against the schema and the deserializer agree: what passes the one passes the other.
    #[test]
    fn what_the_schema_allows_can_be_read(tools in tree(), defaults in tree()) {
        let text = format!("tools = {}\ndefaults = {}\n", toml_of(&tools), toml_of(&defaults));
        let passes = check::check(check::parse(&text).0.get_ref()).is_empty();
        let reads = toml::from_str::<raw::RawPolicy>(&text).is_ok();
        prop_assert_eq!(passes, reads, "{}", text);
        if let Err(errors) = Policy::from_toml(&text, "p") {
            for error in errors.errors() {
                let fault = matches!(error.problem(), Problem::Unreadable { .. });
                prop_assert!(!fault, "{}", error);
            }
        }
    }

    /// A policy that is accepted has exactly one best rule for every name, whatever the order of its rules.
    #[test]
    fn one_rule_speaks(names in prop::collection::btree_set("[ab*]{1,4}", 1..6), tool in "[ab]{0,5}") {
        let names: Vec<_> = names.into_iter().collect();
        let rule = |n: &String| format!("[tools.\"{n}\"]\narguments.\"{n}\" = \"benign\"\n");
        let forward: String = names.iter().map(rule).collect();
        let backward: String = names.iter().rev().map(rule).collect();
        let (forward, backward) = (Policy::from_toml(&forward, "p"), Policy::from_toml(&backward, "p"));
        prop_assert_eq!(forward.is_ok(), backward.is_ok());
        if let Ok(policy) = forward {
            let rank = |n: &&String| glob::Glob::new(n).rank();
            let matching: Vec<_> = names.iter().filter(|n| glob::Glob::new(n).matches(&tool)).collect();
            let best = matching.iter().copied().max_by_key(rank);
            prop_assert!(matching.iter().filter(|n| Some(rank(n)) == best.as_ref().map(rank)).count() <= 1);
            prop_assert_eq!(policy.covers(&tool), best.is_some());
            if let Some(best) = best {
                let argument = best.replace('*', "");
                prop_assert_eq!(policy.sensitivity(&tool, &argument, None), Sensitivity::Benign);
            }
        }
    }
}
