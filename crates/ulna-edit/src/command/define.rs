//! What a command is written as: its data, its words and its entry of the table in one place, so
//! that text, menus and help are made from the type.

/// A family of commands on the document. Each becomes a struct of its arguments, with `spec()`, its
/// entry of the table, and needs a method
/// `work(&self, &Scene) -> Result<impl Into<Outcome>, CommandError>`. After its name, its words in
/// a line of text and its title stand other members of [`CommandSpec`](super::CommandSpec), where
/// they are not the usual ones.
macro_rules! document_commands {
    (
        $(#[$about:meta])*
        $family:ident in $menu:literal;
        $(
            $(#[doc = $help:literal])+
            $name:ident { $($(#[doc = $words:literal])* $field:ident: $type:ty),* $(,)? } =
                $text:literal, $title:literal
                $(, $member:ident: $value:expr)*;
        )*
    ) => {
        $(
            $(#[doc = $help])+
            #[derive(Clone, Debug, PartialEq)]
            pub struct $name {
                $($(#[doc = $words])* pub $field: $type,)*
            }

            impl $name {
                /// Its name in a line of text.
                pub const NAME: &'static str = $text;

                /// Its entry of the table.
                pub fn spec() -> &'static $crate::command::CommandSpec {
                    $crate::command::table::entry($text)
                }
            }

            impl From<$name> for $family {
                fn from(command: $name) -> Self {
                    Self::$name(command)
                }
            }

            impl From<$name> for $crate::command::Command {
                fn from(command: $name) -> Self {
                    $family::from(command).into()
                }
            }
        )*

        $(#[$about])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $family {
            $($(#[doc = $help])+ $name($name),)*
        }

        impl $family {
            /// The names of its commands.
            pub const NAMES: &'static [&'static str] = &[$($text),*];

            /// Entries of the table, in no order that matters.
            pub(in crate::command) fn specs() -> Vec<$crate::command::CommandSpec> {
                use $crate::command::{ArgumentSpec, Arguments, Command, CommandSpec, Executor,
                    field::ArgumentPart};
                vec![$({
                    let groups: Vec<Vec<ArgumentSpec>> =
                        vec![$(<$type as ArgumentPart>::specs(stringify!($field),
                            concat!($($words),*).trim_ascii())),*];
                    let arguments = groups.concat();
                    let read = |from: &Arguments| -> Result<Command, $crate::ArgumentError> {
                        $(let $field = ArgumentPart::read(from, stringify!($field))?;)*
                        let _ = from;
                        Ok($name { $($field),* }.into())
                    };
                    let usual = CommandSpec {
                        name: $text,
                        title: $title,
                        help: concat!($($help),+).trim_ascii(),
                        menu: $menu,
                        asks: false,
                        key: "",
                        arguments,
                        enabled: $crate::command::rules::opened,
                        executor: Executor::Document,
                        anywhere: false,
                        filled: None,
                        read,
                    };
                    CommandSpec { $($member: $value,)* ..usual }
                }),*]
            }

            /// Its entry of the table.
            pub fn spec(&self) -> &'static $crate::command::CommandSpec {
                match self {
                    $(Self::$name(_) => $name::spec(),)*
                }
            }

            /// What it comes to.
            pub(in crate::command) fn work(
                &self,
                scene: &$crate::command::Scene<'_>,
            ) -> Result<$crate::command::Outcome, $crate::command::CommandError> {
                match self {
                    $(Self::$name(command) => command.work(scene).map(Into::into),)*
                }
            }

            /// Its text form.
            pub(in crate::command) fn line(
                &self,
                document: &ulna_model::Document,
            ) -> $crate::command::CommandLine {
                use $crate::command::{CommandLine, field::ArgumentPart};
                match self {
                    $(Self::$name(command) => {
                        let mut line = CommandLine::new($text);
                        $(ArgumentPart::write(&command.$field, document, stringify!($field),
                            &mut line.arguments);)*
                        let _ = (&mut line, command, document);
                        line
                    })*
                }
            }
        }
    };
}

/// A family of commands that the open file or the program around it carries out: each is a variant,
/// matched where it is carried out.
macro_rules! other_commands {
    (
        $(#[$about:meta])*
        $family:ident in $menu:literal, by $executor:ident;
        $(
            $(#[doc = $help:literal])+
            $name:ident $({ $($(#[doc = $words:literal])* $field:ident: $type:ty),* $(,)? })? =
                $text:literal, $title:literal
                $(, $member:ident: $value:expr)*;
        )*
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $family {
            $($(#[doc = $help])+ $name $({ $($(#[doc = $words])* $field: $type),* })?,)*
        }

        impl $family {
            /// Entries of the table, in no order that matters.
            pub(in crate::command) fn specs() -> Vec<$crate::command::CommandSpec> {
                use $crate::command::{ArgumentSpec, Arguments, Command, CommandSpec, Executor};
                vec![$({
                    let groups: Vec<Vec<ArgumentSpec>> =
                        vec![
                            $($(<$type as $crate::command::field::ArgumentPart>::specs(
                                stringify!($field), concat!($($words),*).trim_ascii())),*)?];
                    let arguments = groups.concat();
                    let read = |from: &Arguments| -> Result<Command, $crate::ArgumentError> {
                        let _ = from;
                        Ok($family::$name $(
                            { $($field: $crate::command::field::ArgumentPart::read(from,
                                stringify!($field))?),* })?.into())
                    };
                    let usual = CommandSpec {
                        name: $text,
                        title: $title,
                        help: concat!($($help),+).trim_ascii(),
                        menu: $menu,
                        asks: false,
                        key: "",
                        arguments,
                        enabled: $crate::command::rules::opened,
                        executor: Executor::$executor,
                        anywhere: false,
                        filled: None,
                        read,
                    };
                    CommandSpec { $($member: $value,)* ..usual }
                }),*]
            }

            /// Its name in a line of text.
            pub const fn name(&self) -> &'static str {
                match self {
                    $(Self::$name $({ $($field: _),* })? => $text,)*
                }
            }

            /// Its entry of the table.
            pub fn spec(&self) -> &'static $crate::command::CommandSpec {
                $crate::command::table::entry(self.name())
            }

            /// Its text form.
            pub(in crate::command) fn line(
                &self,
                document: &ulna_model::Document,
            ) -> $crate::command::CommandLine {
                let mut line = $crate::command::CommandLine::new(self.name());
                let into = &mut line.arguments;
                match self {
                    $(Self::$name $({ $($field),* })? => {
                        $($($crate::command::field::ArgumentPart::write($field, document,
                            stringify!($field), into);)*)?
                    })*
                }
                let _ = (document, into);
                line
            }
        }
    };
}

pub(super) use {document_commands, other_commands};
