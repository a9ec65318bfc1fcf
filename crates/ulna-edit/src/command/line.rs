//! A command as one line of text: a JSON object with a name and arguments.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{Error as _, MapAccess, Visitor},
};
use serde_json::{Map, Value};

use super::error::CommandError;

/// A command with its arguments: one line of text.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandLine {
    /// The command's name.
    pub name: String,
    /// Its arguments.
    pub arguments: Map<String, Value>,
}

impl CommandLine {
    /// About how many bytes of memory it holds.
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

    /// A command without arguments.
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), arguments: Map::new() }
    }

    /// With one argument more.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.arguments.insert(name.to_owned(), value.into());
        self
    }

    /// The line that an object is; nothing where it has no `do` that is text.
    pub fn from_object(mut arguments: Map<String, Value>) -> Option<Self> {
        match arguments.shift_remove("do") {
            Some(Value::String(name)) => Some(Self { name, arguments }),
            _ => None,
        }
    }

    /// Reads the text form. A member that stands twice is a mistake: nobody could say which is
    /// meant.
    ///
    /// # Errors
    /// Where the text is not an object with a `do` that is text.
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

/// The members of a JSON object without duplicate names.
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
