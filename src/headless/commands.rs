//! `ulna commands`: the table, for people and for programs.

use serde_json::{Value, json};

use super::{Failure, print};
use crate::edit::table;

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
                    "arguments": c.arguments,
                    "doer": format!("{:?}", c.executor).to_lowercase(),
                })
            })
            .collect();
        print(&json!({"commands": list}).to_string())?;
        return Ok(0);
    }
    for c in table() {
        let arguments: Vec<String> =
            c.arguments.iter().map(|a| if a.required { a.name.to_owned() } else { format!("[{}]", a.name) }).collect();
        print(&format!("{:<22} {:<14} {}", c.name, c.key, c.help))?;
        if !arguments.is_empty() {
            print(&format!("{:<22} {:<14}   takes {}", "", "", arguments.join(", ")))?;
        }
    }
    Ok(0)
}
