//! Help of an argument in a form, without parts that its editor shows already.

use std::borrow::Cow;

use ulna_edit::{
    ArgumentSpec,
    command::forms::{Entry, Quantity, Unit, Unset},
};

/// Number of characters that fit into a number field.
const FIELD: usize = 14;
/// Number of characters that fit into a list.
const LIST: usize = 32;

/// Help of an argument, split into two parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentHelp {
    /// Description of the argument.
    pub about: String,
    /// Description of the default if the argument is omitted; `None` if the help states none.
    pub unset: Option<&'static str>,
}

impl ArgumentHelp {
    /// Splits a help text such as *Space of the axis; local if omitted*.
    pub fn of(argument: &ArgumentSpec) -> Self {
        let help: &'static str = argument.help;
        let text = help.trim_end_matches('.');
        let split = text
            .rsplit_once("; ")
            .and_then(|(about, tail)| Some((about, tail.strip_suffix(" if omitted")?)));
        let (whole, unset) = split.map_or((text, None), |(about, tail)| (about, Some(tail)));
        let about = whole.strip_prefix("Whether to ").or_else(|| whole.strip_prefix("Whether "));
        let about = about.unwrap_or(whole);
        Self { about: quoted(&capital(about), argument.kind.choices()), unset }
    }

    /// Text that the editor shows for an omitted argument; `None` if it shows none.
    pub fn shown_by(&self, entry: &Entry) -> Option<String> {
        let unset = self.unset?;
        match entry {
            Entry::Words(words) => default_word(words, unset).map(by_default),
            Entry::Flag(Unset::Fits) => None,
            Entry::Flag(_) => matches!(unset, "yes" | "no" | "toggles").then(|| unset.to_owned()),
            Entry::Number(q) => in_field(q, unset),
            Entry::Nodes(..)
            | Entry::Clip
            | Entry::Clips
            | Entry::Meshes
            | Entry::Layer
            | Entry::WeightLayer
            | Entry::KeptPose
            | Entry::JointGroup
            | Entry::RetargetMap
            | Entry::Reference
            | Entry::ReferenceClip
            | Entry::Material
            | Entry::Skin
            | Entry::Image
            | Entry::Lane
            | Entry::Workspace
            | Entry::NameThere
            | Entry::MorphTarget
            | Entry::Color
            | Entry::Component => (unset.len() <= LIST).then(|| capital(unset)),
            _ => None,
        }
    }

    /// Sentence below the editor; `None` if it would only repeat the label and the editor.
    pub fn under(&self, entry: &Entry) -> Option<String> {
        if matches!(entry, Entry::Keys | Entry::StrengthKeys | Entry::Marker | Entry::Component) {
            return None;
        }
        let unset = self.unset.filter(|_| self.shown_by(entry).is_none());
        let about = match entry {
            // The field has percent, but the command has a fraction.
            Entry::Number(q) if matches!(q.unit, Unit::Percent) => {
                Cow::from(self.about.replace(", 0 to 1", ", 0 to 100 %"))
            }
            _ => Cow::from(&self.about),
        };
        match unset {
            Some(unset) => Some(format!("{about}; {} if omitted.", quoted(unset, None))),
            None => (about.split_whitespace().count() > 3).then(|| format!("{about}.")),
        }
    }
}

/// Replaces backticks by quotation marks. Choices get the text that the list shows for them.
fn quoted(text: &str, choices: Option<&[&str]>) -> String {
    let mut result = String::with_capacity(text.len() + 8);
    for (k, part) in text.split('`').enumerate() {
        let is_choice = choices.is_some_and(|words| words.contains(&part));
        match k % 2 {
            0 => result.push_str(part),
            _ if is_choice => {
                result.extend(["“", &capital(&part.replace('-', " ")), "”"]);
            }
            _ => result.extend(["“", part, "”"]),
        }
    }
    result
}

/// Word that the default text refers to, such as `replace` for *replaces*; `None` if there is not
/// exactly one.
pub fn default_word(words: &[&'static str], unset: &str) -> Option<&'static str> {
    let is_meant = |word: &str| {
        unset == word
            || unset
                .split(|c: char| !c.is_alphanumeric())
                .any(|t| t.starts_with(word) && t.len() <= word.len() + 2)
    };
    let mut meant = words.iter().copied().filter(|w| is_meant(w));
    meant.next().filter(|_| meant.next().is_none())
}

/// Text such as *Local (default)*.
pub fn by_default(word: &str) -> String {
    format!("{} (default)", capital(word))
}

/// Hint for an empty field: a number without its unit, or a few words.
fn in_field(q: &Quantity, unset: &str) -> Option<String> {
    let number = unset.strip_suffix(q.unit.sign()).unwrap_or(unset).trim_end();
    let text = if number.parse::<f64>().is_ok() { number } else { unset };
    (text.chars().count() <= FIELD).then(|| text.to_owned())
}

/// Capitalizes the first letter.
pub fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ulna_edit::{command::forms::entry, find};

    fn told(command: &str, argument: &str) -> (Option<String>, Option<String>) {
        let spec = find(command).unwrap_or_else(|| panic!("no {command}"));
        let argument = spec.arguments.iter().find(|a| a.name == argument);
        let argument = argument.unwrap_or_else(|| panic!("{command} has no such argument"));
        let entry = entry(spec, argument).unwrap_or_else(|| panic!("{command} has no editor"));
        let help = ArgumentHelp::of(argument);
        (help.shown_by(&entry), help.under(&entry))
    }

    #[test]
    fn an_editor_shows_the_default_and_its_help_does_not_repeat_it() {
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(
            told("pose.turn", "space"),
            (text("Local (default)"), text("Space of the axis."))
        );
        assert_eq!(told("pose.turn", "children").0, text("Follow (default)"));
        assert_eq!(told("clip.reduce", "millimetres").0, text("0.5"));
        assert_eq!(told("weights.smooth", "amount").0, text("100"));
        assert_eq!(told("mix.go", "how").0, text("Fade (default)"));
        assert_eq!(told("key.ripple", "node"), (text("All"), text("Nodes whose keys move.")));
        let roll = told("clip.clean_contacts", "toe_roll");
        assert_eq!(roll.0, text("100"));
        let roll = roll.1.unwrap_or_default();
        assert!(roll.ends_with("lifts, 0 to 100 %."), "the unit of the field: {roll}");
        let exact = told("clip.trim", "exact").1.unwrap_or_default();
        assert!(exact.starts_with("Add keys to splines"), "{exact}");
        assert!(!exact.contains("omitted"), "{exact}");
    }

    #[test]
    fn a_help_text_quotes_choices_as_the_list_shows_them() {
        let what = told("rig.clean", "what").1.unwrap_or_default();
        assert!(what.contains("“Helpers” are nodes") && what.contains("named “_end”"), "{what}");
        assert!(!what.contains('`'), "{what}");
    }
}
