//! Suggestions for mistyped names.

use strsim::damerau_levenshtein;

/// Returns ` (did you mean “EvaluationOrder”?)` with the most similar known name; empty if no name
/// is similar.
pub fn did_you_mean<'a>(text: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(text, known).map_or_else(String::new, |name| format!(" (did you mean “{name}”?)"))
}

/// Returns the known name with the fewest typing errors, at most one per three letters. If there is
/// none, returns the only name that contains the text. Case is ignored.
fn nearest<'a>(text: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    /// Maximum length of a text that can be a mistyped name, in characters.
    const LONGEST: usize = 100;
    let wanted = text.to_lowercase();
    let letters = wanted.chars().count();
    if letters == 0 || letters > LONGEST {
        return None;
    }
    let most = (letters / 3).max(1);
    let (mut best, mut containing): (Option<(usize, &str)>, Vec<&str>) = (None, Vec::new());
    for name in known.into_iter().filter(|n| *n != text) {
        let lower = name.to_lowercase();
        if letters >= 3 && lower.contains(&wanted) {
            containing.push(name);
        }
        if lower.chars().count().abs_diff(letters) > most {
            continue;
        }
        let mistakes = damerau_levenshtein(&wanted, &lower);
        if mistakes <= most
            && mistakes < letters
            && best.is_none_or(|(fewest, _)| mistakes < fewest)
        {
            best = Some((mistakes, name));
        }
    }
    best.map(|(_, name)| name).or(match containing[..] {
        [only] => Some(only),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistyped_name_finds_the_closest_and_an_unrelated_one_finds_none() {
        let known = ["LeftArm", "LeftForeArm", "RightArm", "Hips", "pose.rotate"];
        let near = |text: &str| nearest(text, known);
        assert_eq!(near("LeftAmr"), Some("LeftArm"), "two letters swapped");
        assert_eq!(near("leftarm"), Some("LeftArm"), "another case");
        assert_eq!(near("Hip"), Some("Hips"));
        assert_eq!(near("rotate"), Some("pose.rotate"), "the only one that contains it");
        assert_eq!(near("Arm"), None, "three contain it");
        assert_eq!(near("Tail"), None);
        assert_eq!(near(""), None);
        assert_eq!(did_you_mean("Hip", known), " (did you mean “Hips”?)");
    }
}
