//! `ulna commands`: lists all commands, as text or JSON.

use serde_json::{Value, json};

use super::report::{Failure, members, object, print};
use ulna_edit::{ArgumentSpec, ArgumentType, table};

/// Words that an argument accepts; `None` if it accepts other values.
fn choices(argument: &ArgumentSpec) -> Option<&'static [&'static str]> {
    argument.kind.choices().filter(|_| argument.kind != ArgumentType::Flag)
}

/// JSON description of an argument: its table entry, and its choices if it has any.
fn facts(argument: &ArgumentSpec) -> Value {
    let mut facts = json!(argument);
    if let Some(words) = choices(argument) {
        facts["choices"] = json!(words);
    }
    facts
}

/// Text for an argument, such as `[space=local|parent|world]`. Brackets mark an optional argument,
/// and choices follow the equals sign.
fn words(argument: &ArgumentSpec) -> String {
    let choices =
        choices(argument).map_or_else(String::new, |words| format!("={}", words.join("|")));
    let text = format!("{}{choices}", argument.name);
    if argument.required { text } else { format!("[{text}]") }
}

pub(super) fn commands(as_json: bool) -> Result<u8, Failure> {
    if as_json {
        let list: Vec<Value> = table()
            .iter()
            .map(|c| {
                json!({
                    "name": c.name,
                    "title": c.title,
                    "help": c.help,
                    "menu": c.menu,
                    "key": c.key,
                    "arguments": c.arguments.iter().map(facts).collect::<Vec<_>>(),
                    "doer": format!("{:?}", c.executor).to_lowercase(),
                })
            })
            .collect();
        print(&object("commands", members(json!({"commands": list}))).to_string())?;
        return Ok(0);
    }
    for c in table() {
        let arguments: Vec<String> = c.arguments.iter().map(words).collect();
        print(&format!("{:<22} {:<14} {}", c.name, c.key, c.help))?;
        if !arguments.is_empty() {
            print(&format!("{:<22} {:<14}   arguments: {}", "", "", arguments.join(", ")))?;
        }
    }
    Ok(0)
}
