//! Policy files: errors have a place in the text, and a policy that was read answers for any tool.
#![no_main]

use libfuzzer_sys::fuzz_target;
use provost::read::{Path, Seg};
use provost::{Policy, ToolDef};

fuzz_target!(|text: &str| {
    let def = ToolDef {
        name: "send_mail".into(),
        ..ToolDef::default()
    };
    let _ = Policy::from_toml_for(text, "provost.toml", std::slice::from_ref(&def));
    match Policy::from_toml(text, "provost.toml") {
        Err(errors) => {
            assert!(!errors.errors().is_empty(), "refused without a reason");
            let lines = text.lines().count().max(1);
            for error in errors.errors() {
                // A problem at the very end may be on the line after the last.
                assert!((1..=lines + 1).contains(&error.line()), "{error}");
                assert!(error.column() >= 1, "{error}");
                assert!(!error.problem().remedy().is_empty());
            }
        }
        Ok(policy) => {
            let path = Path::new(vec![Seg::Key("body".into()), Seg::Index(0)]);
            for (tool, def) in [("send_mail", Some(&def)), ("read_file", None), ("", None)] {
                policy.effect(tool, def);
                policy.sensitivity(tool, "to", def);
                policy.surface(tool, def);
                policy.trust(tool, Some("body"));
                policy.trust_at(tool, &path);
            }
        }
    }
});
