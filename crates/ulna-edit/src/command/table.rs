//! The table of all commands, for menus, keys, help, the palette, scripts and `ulna commands`.

use std::{collections::HashMap, sync::LazyLock};

use super::{
    BlendCommand, BrushCommand, ChannelLockCommand, ClipArrivalCommand, ClipCommand,
    ClipWorkCommand, CommandSpec, ContactCommand, CurveKeysCommand, FileCommand, GroupCommand,
    IkCommand, KeptPoseCommand, KeyCommand, KeyEditCommand, LayerCommand, MarkerCommand,
    MaterialCommand, MirrorCommand, MixCommand, ModeCommand, MorphCommand, NodeCommand,
    PlayCommand, PoseCommand, PoseLayerCommand, ReferenceCommand, RetargetMapCommand, RigCommand,
    SelectCommand, SessionCommand, SkinCommand, TimelineCommand, ToolCommand, VertexCommand,
    ViewCommand, VisibilityCommand, WeightCommand,
};

/// Entries of all families, in the order of the menus.
fn families() -> [Vec<&'static CommandSpec>; 37] {
    [
        FileCommand::specs(),
        SessionCommand::specs(),
        NodeCommand::specs(),
        RigCommand::specs(),
        GroupCommand::specs(),
        SelectCommand::specs(),
        ViewCommand::specs(),
        ReferenceCommand::specs(),
        ModeCommand::specs(),
        ToolCommand::specs(),
        PoseCommand::specs(),
        MirrorCommand::specs(),
        KeptPoseCommand::specs(),
        PoseLayerCommand::specs(),
        BlendCommand::specs(),
        IkCommand::specs(),
        ChannelLockCommand::specs(),
        MorphCommand::specs(),
        PlayCommand::specs(),
        KeyCommand::specs(),
        KeyEditCommand::specs(),
        CurveKeysCommand::specs(),
        TimelineCommand::specs(),
        VisibilityCommand::specs(),
        MarkerCommand::specs(),
        ContactCommand::specs(),
        ClipCommand::specs(),
        ClipWorkCommand::specs(),
        ClipArrivalCommand::specs(),
        RetargetMapCommand::specs(),
        MixCommand::specs(),
        BrushCommand::specs(),
        VertexCommand::specs(),
        WeightCommand::specs(),
        MaterialCommand::specs(),
        SkinCommand::specs(),
        LayerCommand::specs(),
    ]
}

/// Entries of one family that stay together in the table.
type AdjacentRows = Vec<&'static CommandSpec>;

/// All commands, and the index of each by its name.
type Table = (Vec<CommandSpec>, HashMap<&'static str, usize>);

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut first = Vec::new();
    let mut moved: HashMap<&str, Vec<AdjacentRows>> = HashMap::new();
    for family in families() {
        for run in family.chunk_by(|_, next| next.after.is_empty()) {
            match run[0].after {
                "" => first.push(run.to_vec()),
                name => moved.entry(name).or_default().push(run.to_vec()),
            }
        }
    }
    let mut all = Vec::new();
    for run in &first {
        append(run, &moved, &mut all);
    }
    let indices = all.iter().enumerate().map(|(k, spec)| (spec.name, k)).collect();
    (all, indices)
});

/// Appends entries to the table. Each entry is followed by the entries that name it in `after`.
fn append(
    run: &[&CommandSpec],
    moved: &HashMap<&str, Vec<AdjacentRows>>,
    all: &mut Vec<CommandSpec>,
) {
    for spec in run {
        all.push((*spec).clone());
        for run in moved.get(spec.name).into_iter().flatten() {
            append(run, moved, all);
        }
    }
}

/// All commands, in the order of the menus.
pub fn table() -> &'static [CommandSpec] {
    &TABLE.0
}

/// Former names of command families, which scripts and journals may still use.
const BEFORE: [(&str, &str); 2] = [("layers.", "weight_layer."), ("pending.", "unkeyed.")];

/// Returns a command by its current or former name.
pub fn find(name: &str) -> Option<&'static CommandSpec> {
    TABLE.1.get(name).map(|at| &TABLE.0[*at]).or_else(|| renamed(name))
}

/// Returns a command by its former name.
pub fn renamed(name: &str) -> Option<&'static CommandSpec> {
    let (before, now) = BEFORE.iter().find(|(before, _)| name.starts_with(before))?;
    let at = TABLE.1.get(format!("{now}{}", name.strip_prefix(before)?).as_str())?;
    Some(&TABLE.0[*at])
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_and_keys_are_unique_and_every_command_has_a_description() {
        let mut names = HashSet::new();
        let mut keys = HashSet::new();
        for command in table() {
            assert!(names.insert(command.name), "{} twice", command.name);
            let place = (command.key_scope, command.key);
            assert!(command.key.is_empty() || keys.insert(place), "{place:?} twice");
            assert!(!command.help.is_empty() && !command.help.ends_with('.'));
        }
        assert!(names.len() > 140, "{}", names.len());
    }

    #[test]
    fn every_command_has_a_menu_entry() {
        assert_eq!(table().len(), families().concat().len(), "`after` names no command");
    }
}
