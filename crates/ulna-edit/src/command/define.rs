//! Macros that define commands. The data, the text form and the table entry of a command are
//! derived from one declaration.

/// A command of one family on the document, which converts to the enum of that family.
pub trait FamilyMember {
    /// The enum of the family.
    type Family;

    /// Converts the command to a value of its family's enum.
    fn into_family(self) -> Self::Family;
}

/// Defines a family of commands on the document. Each command becomes a struct of its arguments,
/// with `spec()` as its entry in the table. Each struct needs a method `work(&self, &Scene) ->
/// Result<impl Into<Outcome>, CommandError>`.
///
/// The name in the text form and the title can be followed by other members of
/// [`CommandSpec`](super::CommandSpec) that differ from the defaults. Members that apply to all
/// commands of the family follow the menu.
macro_rules! document_commands {
    (
        $(#[$about:meta])*
        $family:ident in $menu:literal $(, $shared:ident: $always:expr)*;
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
                /// Name of the command in its text form.
                pub const NAME: &'static str = $text;

                /// Entry of the command in the table.
                pub fn spec() -> &'static $crate::command::spec::CommandSpec {
                    use $crate::command::spec::{ArgumentSpec, CommandSpec, Executor};
                    static SPEC: std::sync::LazyLock<CommandSpec> =
                        std::sync::LazyLock::new(|| {
                            let groups: Vec<Vec<ArgumentSpec>> =
                                vec![$(<$type as $crate::command::field::ArgumentPart>::specs(
                                    stringify!($field), concat!($($words),*).trim_ascii())),*];
                            let help = concat!($($help),+).trim_ascii();
                            let words = [$text, $title, help, $menu];
                            let usual = CommandSpec::usual(words, Executor::Document, groups);
                            CommandSpec { $($member: $value,)* ..$family::shared(usual) }
                                .completed()
                        });
                    &SPEC
                }
            }

            impl From<$name> for $family {
                fn from(command: $name) -> Self {
                    Self::$name(command)
                }
            }

            impl $crate::command::define::FamilyMember for $name {
                type Family = $family;

                fn into_family(self) -> $family {
                    self.into()
                }
            }
        )*

        $(#[$about])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $family {
            $($(#[doc = $help])+ $name($name),)*
        }

        impl $family {
            /// Sets the members of an entry that are equal for the whole family.
            fn shared(
                usual: $crate::command::spec::CommandSpec,
            ) -> $crate::command::spec::CommandSpec {
                $crate::command::spec::CommandSpec { $($shared: $always,)* ..usual }
            }

            /// Entries of the commands in the table, in the order of the menus.
            pub(in crate::command) fn specs() -> Vec<&'static $crate::command::spec::CommandSpec> {
                vec![$($name::spec()),*]
            }

            /// Reads a command of this family from its text form; `None` for other names.
            pub(in crate::command) fn read(
                name: &str,
                from: &$crate::command::arguments::Arguments,
            ) -> Result<Option<Self>, $crate::command::error::ArgumentError> {
                use $crate::command::field::ArgumentPart;
                let _ = from;
                Ok(Some(match name {
                    $($text => {
                        $(let $field = ArgumentPart::read(from, stringify!($field))?;)*
                        Self::$name($name { $($field),* })
                    })*
                    _ => return Ok(None),
                }))
            }

            /// Entry of the command in the table.
            pub fn spec(&self) -> &'static $crate::command::spec::CommandSpec {
                match self {
                    $(Self::$name(_) => $name::spec(),)*
                }
            }

            /// Computes the command's edits; does not apply them.
            pub(in crate::command) fn work(
                &self,
                scene: &$crate::command::scene::Scene<'_>,
            ) -> Result<$crate::command::outcome::Outcome, $crate::command::error::CommandError> {
                match self {
                    $(Self::$name(command) => command.work(scene).map(Into::into),)*
                }
            }

            /// Text form of the command.
            pub(in crate::command) fn line(
                &self,
                document: &ulna_model::Document,
            ) -> $crate::command::line::CommandLine {
                use $crate::command::{field::ArgumentPart, line::CommandLine};
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

/// Defines a family of commands that run in the session of the open file or in the program. Each
/// command is a variant of an enum, which is matched where the command runs.
///
/// Unlike [`document_commands`], there is no struct per command, because the code that runs the
/// commands only matches the enum.
macro_rules! other_commands {
    (
        $(#[$about:meta])*
        $family:ident in $menu:literal, by $executor:ident $(, $shared:ident: $always:expr)*;
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
            /// Entries of the commands in the table, in the order of the variants.
            fn rows() -> &'static [$crate::command::spec::CommandSpec] {
                use $crate::command::spec::{ArgumentSpec, CommandSpec, Executor};
                static ROWS: std::sync::LazyLock<Vec<CommandSpec>> =
                    std::sync::LazyLock::new(|| vec![$({
                        let groups: Vec<Vec<ArgumentSpec>> =
                            vec![$($(<$type as $crate::command::field::ArgumentPart>::specs(
                                stringify!($field), concat!($($words),*).trim_ascii())),*)?];
                        let help = concat!($($help),+).trim_ascii();
                        let words = [$text, $title, help, $menu];
                        let usual = CommandSpec::usual(words, Executor::$executor, groups);
                        CommandSpec { $($member: $value,)* ..$family::shared(usual) }
                    }),*]);
                &ROWS
            }

            /// An entry with the members that all entries of the family share.
            fn shared(
                usual: $crate::command::spec::CommandSpec,
            ) -> $crate::command::spec::CommandSpec {
                $crate::command::spec::CommandSpec { $($shared: $always,)* ..usual }
            }

            /// Entries of the commands in the table, in the order of the menus.
            pub(in crate::command) fn specs() -> Vec<&'static $crate::command::spec::CommandSpec> {
                Self::rows().iter().collect()
            }

            /// Reads a command of this family from its text form; `None` for other names.
            pub(in crate::command) fn read(
                name: &str,
                from: &$crate::command::arguments::Arguments,
            ) -> Result<Option<Self>, $crate::command::error::ArgumentError> {
                let _ = from;
                Ok(Some(match name {
                    $($text => Self::$name $({
                        $($field: $crate::command::field::ArgumentPart::read(from,
                            stringify!($field))?),*
                    })?,)*
                    _ => return Ok(None),
                }))
            }

            /// Name of the command in its text form.
            pub const fn name(&self) -> &'static str {
                match self {
                    $(Self::$name $({ $($field: _),* })? => $text,)*
                }
            }

            /// Entry of the command in the table.
            pub fn spec(&self) -> &'static $crate::command::spec::CommandSpec {
                enum Row {
                    $($name),*
                }
                let row = match self {
                    $(Self::$name $({ $($field: _),* })? => Row::$name,)*
                };
                &Self::rows()[row as usize]
            }

            /// Text form of the command.
            pub(in crate::command) fn line(
                &self,
                document: &ulna_model::Document,
            ) -> $crate::command::line::CommandLine {
                let mut line = $crate::command::line::CommandLine::new(self.name());
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
