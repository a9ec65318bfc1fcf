//! The text form of a command: a JSON object with a name and arguments.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{Error as _, MapAccess, Visitor},
};
use serde_json::{Map, Value};

use super::error::CommandError;

/// A command with its arguments in text form.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandLine {
    /// Name of the command.
    pub name: String,
    /// Arguments by name.
    pub arguments: Map<String, Value>,
}

impl CommandLine {
    /// Returns the approximate memory use in bytes.
    pub fn size(&self) -> usize {
        fn of(value: &Value) -> usize {
            match value {
                Value::Null | Value::Bool(_) | Value::Number(_) => 0,
                Value::String(text) => text.capacity(),
                Value::Array(items) => {
                    items.capacity() * size_of::<Value>() + items.iter().map(of).sum::<usize>()
                }
                Value::Object(members) => of_members(members),
            }
        }
        fn of_members(members: &Map<String, Value>) -> usize {
            let entry = size_of::<(String, Value)>() + 2 * size_of::<usize>();
            members.iter().map(|(key, value)| entry + key.capacity() + of(value)).sum()
        }
        size_of::<Self>() + self.name.capacity() + of_members(&self.arguments)
    }

    /// Returns a command without arguments.
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), arguments: Map::new() }
    }

    /// Adds an argument.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.arguments.insert(name.to_owned(), value.into());
        self
    }

    /// Converts a JSON object to a command; `None` if its member `do` is missing or is not a text.
    pub fn from_object(mut arguments: Map<String, Value>) -> Option<Self> {
        match arguments.shift_remove("do") {
            Some(Value::String(name)) => Some(Self { name, arguments }),
            _ => None,
        }
    }

    /// Parses the text form. Duplicate members are an error, because it would be unclear which one
    /// is valid.
    ///
    /// # Errors
    /// If the text is not a JSON object with a text as `do`, or has duplicate members.
    pub fn parse(text: &str) -> Result<Self, CommandError> {
        let short = || text.chars().take(80).collect::<String>();
        if !text.trim_start().starts_with('{') {
            return Err(CommandError::Shape(short()));
        }
        let Once(arguments) = serde_json::from_str(text)
            .map_err(|e| CommandError::Shape(format!("not JSON: {e}")))?;
        Self::from_object(arguments).ok_or_else(|| CommandError::Shape(short()))
    }
}

/// The members of a JSON object, which is refused if it has duplicate names.
struct Once(Map<String, Value>);

impl<'de> Deserialize<'de> for Once {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Once;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Once, A::Error> {
                let mut members = Map::new();
                while let Some((key, value)) = map.next_entry::<String, Value>()? {
                    if members.contains_key(&key) {
                        return Err(A::Error::custom(format!("“{key}” is defined twice")));
                    }
                    members.insert(key, value);
                }
                Ok(Once(members))
            }
        }
        deserializer.deserialize_map(Members)
    }
}

impl fmt::Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut object = Map::new();
        object.insert("do".into(), self.name.as_str().into());
        object.extend(self.arguments.clone());
        Value::Object(object).fmt(f)
    }
}
