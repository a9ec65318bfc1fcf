//! Renames many joints by patterns, sides, numbers and tables.

use std::collections::BTreeMap;

use super::{
    commands::{HumanoidNames, RenameJoints, SideStyle},
    table::{TableRow, rows},
};
use crate::command::{
    CommandError, Outcome, Scene,
    clips::{NewNames, captured, filled_in},
    error::refuse,
    rig_report::RigReport,
};
use ulna_model::{Document, NodeId, Notice};
use ulna_motion::{JointNames, humanoid_names, joint_key};

/// Placeholder for a digit of a number.
const DIGIT: char = '#';

impl RenameJoints {
    pub(super) fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let nodes = self.nodes(document)?;
        self.check()?;
        let table = self.table()?;
        let humanoid = self.humanoid_names(document)?;
        let mut used = vec![false; table.len()];
        let mut made = NewNames::default();
        let mut number = self.number.unwrap_or(1);
        let mut without_side = 0;
        for id in nodes {
            let Some(name) = document.node(id).name.as_deref() else { continue };
            let row = table.iter().position(|r| r.from == name);
            if let Some(row) = row {
                used[row] = true;
            }
            let listed = row.map(|k| &*table[k].to).or_else(|| humanoid.get(&id).map(|n| &**n));
            let Some(mut to) = self.with_texts(name, listed) else { continue };
            if let Some(style) = self.side {
                match styled(&to, self.from_side, style) {
                    Some(made) => to = made,
                    None => without_side += 1,
                }
            }
            to = [self.prefix.as_deref().unwrap_or(""), &to, self.suffix.as_deref().unwrap_or("")]
                .concat();
            if self.number.is_some() {
                to = numbered(&to, number);
                number += 1;
            }
            if to != name {
                made.push((id, name, to))?;
            }
        }
        if made.is_empty() {
            return refuse("no_such_name", "no joint name would change");
        }
        let mut done = made.outcome(document);
        let renamed = made.pairs();
        done.rig = Some(Box::new(RigReport { renamed, is_exact: true, ..RigReport::default() }));
        if without_side > 0 {
            let names = if without_side == 1 { "name has" } else { "names have" };
            done.notes
                .push(Notice::new("names_without_side", format!("{without_side} {names} no side")));
        }
        let unused: Vec<&TableRow> =
            table.iter().zip(&used).filter(|(_, used)| !**used).map(|(row, _)| row).collect();
        if let Some(first) = unused.first() {
            let names = match unused.len() {
                1 => "1 name of the table belongs".to_owned(),
                n => format!("{n} names of the table belong"),
            };
            done.notes.push(Notice::new(
                "table_names_absent",
                format!("{names} to no joint here, such as “{}”", first.from),
            ));
        }
        Ok(done)
    }

    /// Replaces a name by its entry in a list, and then replaces text in it. Returns `None` if a
    /// list or text is given, but does not match.
    fn with_texts(&self, name: &str, listed: Option<&str>) -> Option<String> {
        let is_of_list = self.side.is_none() && !self.has_texts();
        let name = match listed {
            None if is_of_list => return None,
            found => found.unwrap_or(name),
        };
        match &self.find {
            Some(find) => replaced(name, find, self.replace.as_deref().unwrap_or("")),
            None => Some(name.to_owned()),
        }
    }

    fn check(&self) -> Result<(), CommandError> {
        let has_list = self.table.is_some() || self.humanoid.is_some();
        if !has_list && self.side.is_none() && !self.has_texts() {
            return refuse(
                "argument_missing",
                "one of “find”, “prefix”, “suffix”, “humanoid”, “side”, “number” and “table” is \
                    needed",
            );
        }
        if let Some(find) = &self.find {
            let stars = |text: &str| text.matches('*').count();
            let to = self.replace.as_deref().unwrap_or("");
            if find.is_empty() {
                return refuse("argument_empty", "“find” is empty");
            }
            if stars(to) > stars(find) {
                return Err(CommandError::other(
                    "pattern_unclear",
                    format!("“replace” has more * than “find”, so “{to}” cannot be filled in"),
                ));
            }
        } else if self.replace.is_some() {
            return refuse("arguments_together", "“replace” needs “find”");
        }
        if self.from_side.is_some() && self.side.is_none() {
            return refuse("arguments_together", "“from_side” needs “side”");
        }
        Ok(())
    }

    /// Whether options other than the lists and the side change names.
    const fn has_texts(&self) -> bool {
        self.find.is_some()
            || self.prefix.is_some()
            || self.suffix.is_some()
            || self.number.is_some()
    }

    /// Returns the names for the joints of a humanoid; empty if they are not requested.
    fn humanoid_names(
        &self,
        document: &Document,
    ) -> Result<BTreeMap<NodeId, String>, CommandError> {
        let Some(names) = self.humanoid else { return Ok(BTreeMap::new()) };
        let names = match names {
            HumanoidNames::Vrm => JointNames::Vrm,
            HumanoidNames::Mixamo => JointNames::Mixamo,
            HumanoidNames::Unreal => JointNames::Unreal,
        };
        let found: BTreeMap<NodeId, String> = humanoid_names(document, names).into_iter().collect();
        match found.is_empty() {
            true => refuse(
                "not_a_humanoid",
                "no joint has a name of a human body part; rename the joints by a table instead",
            ),
            false => Ok(found),
        }
    }

    fn table(&self) -> Result<Vec<TableRow>, CommandError> {
        let Some(text) = &self.table else { return Ok(Vec::new()) };
        rows(text)
    }

    /// Returns the given nodes, or all joints if none are given; parents before children.
    fn nodes(&self, document: &Document) -> Result<Vec<NodeId>, CommandError> {
        let named = self.node.as_ref().map(|n| n.all(document)).transpose()?;
        let joints = document.joint_flags();
        let is_meant = |n: &NodeId| match &named {
            Some(all) => all.contains(n),
            None => joints[n.index()],
        };
        Ok(document.nodes.order().iter().copied().filter(is_meant).collect())
    }
}

/// Replaces text in a name. With a pattern, each `*` keeps its matched text. Otherwise, all
/// occurrences are replaced. Returns `None` if nothing matches.
fn replaced(name: &str, find: &str, to: &str) -> Option<String> {
    if find.contains('*') {
        return captured(find, name).map(|texts| filled_in(to, &texts));
    }
    name.contains(find).then(|| name.replace(find, to))
}

/// Replaces the `#` signs in a name by a number, or appends the number if there are none.
fn numbered(name: &str, number: usize) -> String {
    let Some(start) = name.find(DIGIT) else { return format!("{name}_{number:02}") };
    let rest = name[start..].trim_start_matches(DIGIT);
    let width = name.len() - start - rest.len();
    format!("{}{number:0width$}{rest}", &name[..start])
}

/// A name, split into the side and the remaining parts.
#[derive(Clone, Debug, PartialEq, Eq)]
struct SidedName {
    is_left: bool,
    /// The namespace with its separator, such as `mixamorig:`.
    space: String,
    stem: String,
    /// The number at the end with its separator, such as `.001`.
    number: String,
}

/// Styles of side markers, in the order in which they are tried.
const STYLES: [SideStyle; 8] = [
    SideStyle::DotUpper,
    SideStyle::DotLower,
    SideStyle::BehindUpper,
    SideStyle::BehindLower,
    SideStyle::FrontUpper,
    SideStyle::FrontLower,
    SideStyle::WordUpper,
    SideStyle::WordLower,
];

impl SideStyle {
    /// Returns the texts for left and right, and whether they are a prefix.
    const fn texts(self) -> ([&'static str; 2], bool) {
        match self {
            Self::FrontUpper => (["L_", "R_"], true),
            Self::FrontLower => (["l_", "r_"], true),
            Self::WordUpper => (["Left", "Right"], true),
            Self::WordLower => (["left", "right"], true),
            Self::BehindUpper => (["_L", "_R"], false),
            Self::BehindLower => (["_l", "_r"], false),
            Self::DotUpper => ([".L", ".R"], false),
            Self::DotLower => ([".l", ".r"], false),
        }
    }

    const fn is_word(self) -> bool {
        matches!(self, Self::WordUpper | Self::WordLower)
    }

    /// Splits a name; `None` if it has no side in this style.
    fn split(self, name: &str) -> Option<SidedName> {
        let at = name.rfind([':', '|']).map_or(0, |k| k + 1);
        let (space, own) = name.split_at(at);
        let (texts, is_front) = self.texts();
        // A number can follow the side: `thigh.L.001`.
        let bare = own.trim_end_matches(|c: char| c.is_ascii_digit());
        let bare = if bare.len() < own.len() { bare.trim_end_matches(['.', '_']) } else { bare };
        texts.iter().zip([true, false]).find_map(|(text, is_left)| {
            let (stem, number) = match is_front {
                true => (own.strip_prefix(text)?, ""),
                false => match own.strip_suffix(text) {
                    Some(stem) => (stem, ""),
                    None => (bare.strip_suffix(text)?, &own[bare.len()..]),
                },
            };
            let next = stem.chars().next()?;
            // `Lefty` does not mark the left side.
            if self.is_word() && next.is_lowercase() {
                return None;
            }
            let stem = if self.is_word() { stem.trim_start_matches(['_', ' ']) } else { stem };
            let is_named = !stem.is_empty();
            is_named.then(|| SidedName {
                is_left,
                space: space.to_owned(),
                stem: stem.to_owned(),
                number: number.to_owned(),
            })
        })
    }

    fn join(self, name: &SidedName) -> String {
        let ([left, right], is_front) = self.texts();
        let side = if name.is_left { left } else { right };
        let SidedName { space, stem, number, .. } = name;
        if !is_front {
            return format!("{space}{stem}{side}{number}");
        }
        let mut letters = stem.chars();
        let stem = match letters.next() {
            // After `Left`, the next word starts with a capital letter: `LeftArm`.
            Some(first) if self.is_word() => first.to_uppercase().chain(letters).collect(),
            _ => stem.clone(),
        };
        format!("{space}{side}{stem}{number}")
    }
}

/// Converts the side of a name to another style; `None` if it has no side.
fn styled(name: &str, from: Option<SideStyle>, to: SideStyle) -> Option<String> {
    let split = match from {
        Some(from) => from.split(name),
        None => STYLES.into_iter().find_map(|style| style.split(name)),
    };
    split.map(|name| to.join(&name))
}

/// Texts for left and right in names.
const SIDES: [[&str; 2]; 6] =
    [["Left", "Right"], ["left", "right"], ["LEFT", "RIGHT"], ["左", "右"], ["L", "R"], ["l", "r"]];

/// Returns a name with the other side; `None` if it has no side.
pub(super) fn other_side(name: &str) -> Option<String> {
    let (side, words) = joint_key(name);
    let side = side?;
    let pairs = SIDES.into_iter().flat_map(|[left, right]| [(left, right), (right, left)]);
    let mut made = pairs.flat_map(|(from, to)| {
        let places = name.match_indices(from);
        places.map(move |(at, _)| format!("{}{to}{}", &name[..at], &name[at + from.len()..]))
    });
    made.find(|made| joint_key(made) == (Some(side.other()), words.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn side_markers_convert_between_all_styles() {
        let names = [
            (SideStyle::FrontUpper, "L_upper_arm", "R_upper_arm"),
            (SideStyle::FrontLower, "l_upper_arm", "r_upper_arm"),
            (SideStyle::BehindUpper, "upper_arm_L", "upper_arm_R"),
            (SideStyle::BehindLower, "upper_arm_l", "upper_arm_r"),
            (SideStyle::DotUpper, "upper_arm.L", "upper_arm.R"),
            (SideStyle::DotLower, "upper_arm.l", "upper_arm.r"),
        ];
        for (_, left, right) in names {
            for (style, to_left, to_right) in names {
                assert_eq!(styled(left, None, style).as_deref(), Some(to_left));
                assert_eq!(styled(right, None, style).as_deref(), Some(to_right));
            }
        }
        let (word, dot) = (SideStyle::WordUpper, SideStyle::DotUpper);
        assert_eq!(styled("arm.L", None, word).as_deref(), Some("LeftArm"));
        assert_eq!(styled("mixamorig:RightArm", None, dot).as_deref(), Some("mixamorig:Arm.R"));
        assert_eq!(styled("Left_Arm", Some(word), dot).as_deref(), Some("Arm.L"));
        assert_eq!(styled("leftUpperArm", None, dot).as_deref(), Some("UpperArm.L"));
        let behind = SideStyle::BehindLower;
        assert_eq!(styled("thigh.L.001", None, behind).as_deref(), Some("thigh_l.001"));
        assert_eq!(
            styled("thigh.L.001", None, SideStyle::FrontUpper).as_deref(),
            Some("L_thigh.001")
        );
        for none in ["Spine", "Lefty", "Left", "_L", "ball", "Rig"] {
            assert_eq!(styled(none, None, dot), None, "{none}");
        }
        assert_eq!(styled("arm.L", Some(word), dot), None);
    }

    #[test]
    fn names_of_the_opposite_side_keep_the_spelling_style() {
        let pairs = [
            ("mixamorig:LeftArm", "mixamorig:RightArm"),
            ("upper_arm.L", "upper_arm.R"),
            ("upper_arm.l.001", "upper_arm.r.001"),
            ("L_leg_lower", "R_leg_lower"),
            ("lowerleg_l", "lowerleg_r"),
            ("Bip001 L Calf", "Bip001 R Calf"),
            ("J_Bip_L_LowerLeg", "J_Bip_R_LowerLeg"),
            ("lThigh", "rThigh"),
            ("leftLittleProximal", "rightLittleProximal"),
            ("左腕", "右腕"),
        ];
        for (left, right) in pairs {
            assert_eq!(other_side(left).as_deref(), Some(right));
            assert_eq!(other_side(right).as_deref(), Some(left));
        }
        assert_eq!(["Spine", "Ball", "rig"].map(other_side), [None, None, None]);
    }

    #[test]
    fn texts_are_replaced_and_numbers_filled_in() {
        assert_eq!(replaced("mixamorig:Hips", "mixamorig:", "").as_deref(), Some("Hips"));
        assert_eq!(replaced("aXbXc", "X", "-").as_deref(), Some("a-b-c"));
        assert_eq!(replaced("LeftArm", "Left*", "*.L").as_deref(), Some("Arm.L"));
        assert_eq!(replaced("Arm", "Left", ""), None);
        assert_eq!(replaced("ARM", "arm", ""), None);
        assert_eq!(numbered("tail", 3), "tail_03");
        assert_eq!(numbered("tail###.L", 12), "tail012.L");
        assert_eq!(numbered("#", 123), "123");
    }
}
