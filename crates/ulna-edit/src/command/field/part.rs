//! Traits for the arguments of commands: description, reading and writing.

use glam::Vec3;
use serde_json::{Map, Value};

use crate::command::{ArgumentError, ArgumentSpec, ArgumentType, Arguments};
use ulna_model::Document;

/// The value of one argument.
pub trait Field: Sized {
    /// Type of the argument, for help and forms.
    const KIND: ArgumentType;

    /// Reads the argument, which must be present.
    ///
    /// # Errors
    /// If the value has another type.
    fn read(from: &Arguments, name: &'static str) -> Result<Self, ArgumentError>;

    /// Text form of the value.
    fn write(&self, document: &Document) -> Value;
}

/// Field of a command's struct: an argument, an optional argument, or a group of arguments.
pub trait ArgumentPart: Sized {
    /// Returns the entries for the list of arguments. `help` is one sentence.
    fn specs(name: &'static str, help: &'static str) -> Vec<ArgumentSpec>;

    /// Reads the argument or the group.
    ///
    /// # Errors
    /// If a required argument is missing, or a value has another type.
    fn read(from: &Arguments, name: &'static str) -> Result<Self, ArgumentError>;

    /// Adds the arguments to `into`. Omitted optional arguments are not added.
    fn write(&self, document: &Document, name: &'static str, into: &mut Map<String, Value>);
}

impl<T: Field> ArgumentPart for T {
    fn specs(name: &'static str, help: &'static str) -> Vec<ArgumentSpec> {
        vec![ArgumentSpec { name, kind: T::KIND, required: true, help }]
    }

    fn read(from: &Arguments, name: &'static str) -> Result<Self, ArgumentError> {
        Field::read(from, name)
    }

    fn write(&self, document: &Document, name: &'static str, into: &mut Map<String, Value>) {
        into.insert(name.to_owned(), Field::write(self, document));
    }
}

impl<T: Field> ArgumentPart for Option<T> {
    fn specs(name: &'static str, help: &'static str) -> Vec<ArgumentSpec> {
        vec![ArgumentSpec { name, kind: T::KIND, required: false, help }]
    }

    fn read(from: &Arguments, name: &'static str) -> Result<Self, ArgumentError> {
        from.has(name).then(|| Field::read(from, name)).transpose()
    }

    fn write(&self, document: &Document, name: &'static str, into: &mut Map<String, Value>) {
        if let Some(value) = self {
            into.insert(name.to_owned(), Field::write(value, document));
        }
    }
}

/// Returns the shortest decimal number that parses to the same `f32`.
pub(in crate::command) fn number(value: f32) -> Value {
    let short = value.to_string().parse::<f64>().ok().filter(|v| *v as f32 == value);
    let exact = short.unwrap_or(f64::from(value));
    if exact.fract() == 0.0 && exact.abs() < 1e15 && (exact != 0.0 || exact.is_sign_positive()) {
        return Value::from(exact as i64);
    }
    Value::from(exact)
}

pub(super) fn vector(v: Vec3) -> Value {
    v.to_array().map(number).to_vec().into()
}

/// Implements [`Field`] by one of the reading methods of [`Arguments`].
macro_rules! field {
    ($type:ty, $kind:expr, |$from:ident, $name:ident| $read:expr, |$value:ident,
        $document:ident| $write:expr) => {
        impl $crate::command::field::Field for $type {
            const KIND: $crate::command::ArgumentType = $kind;

            fn read(
                $from: &$crate::command::Arguments,
                $name: &'static str,
            ) -> Result<Self, $crate::command::ArgumentError> {
                $read
            }

            fn write(&self, $document: &ulna_model::Document) -> serde_json::Value {
                let ($value, _) = (self, $document);
                $write
            }
        }
    };
}

/// Returns one text as a string, and several texts as a list.
pub(super) fn listed(mut texts: Vec<String>) -> Value {
    match texts.len() {
        1 => texts.remove(0).into(),
        _ => texts.into(),
    }
}

/// Defines an enum of the words that an argument accepts.
macro_rules! choice {
    ($(#[$about:meta])* $name:ident { $($(#[$words:meta])* $variant:ident =
        $word:literal $(| $other:literal)*),* $(,)? }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "lowercase")]
        pub enum $name {
            $($(#[$words])* $variant,)*
        }

        impl $crate::command::field::Field for $name {
            const KIND: $crate::command::ArgumentType =
                $crate::command::ArgumentType::Choice(&[$($word),*]);

            fn read(from: &$crate::command::Arguments, name: &'static str) -> Result<Self,
                $crate::command::ArgumentError> {
                match &*from.word(name)? {
                    $($word $(| $other)* => Ok(Self::$variant),)*
                    _ => Err(from.no_choice(name, &[$($word),*])),
                }
            }

            fn write(&self, _: &ulna_model::Document) -> serde_json::Value {
                self.label().into()
            }
        }

        impl $name {
            /// Word of the choice in the text form.
            pub const fn label(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }
        }
    };
}

pub(in crate::command) use {choice, field};
