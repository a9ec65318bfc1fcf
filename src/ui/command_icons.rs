//! Icons of commands. Toolbars, menus and the command palette show the same icon for a command.

use egui_material_icons::{MaterialIcon, icons};

use super::viewport::icon_of;
use ulna_edit::{
    CommandSpec,
    command::{
        AddLayer, AddMarker, AddNode, ApplyPose, Average, BrushCommand, CloseLoop, DeleteClip,
        DeleteKeys, DuplicateClip, DuplicateLayer, DuplicateNodes, FileCommand, FlattenLayers,
        ForgetPose, Hammer, KeepPose, MirrorClip, MirrorJoint, MirrorPose, MirrorWeights,
        ModeCommand, MuteLayer, NewClip, NewGroup, NewLayer, PasteKeys, PlayCommand, ReduceKeys,
        RemoveJoint, RemoveLayer, RemoveMarker, RemoveMaterials, RemoveMeshes, RemoveNodes,
        RemovePoseLayer, RemoveSkins, RenameClip, RenameNode, Reset, ResetAll, ResetRotation,
        ResetScale, ResetTranslation, RetimeClip, RootMotion, SelectCommand, SessionCommand,
        SetKey, SetPin, Smooth, SoloLayer, TimelineCommand, ToolCommand, TrimClip, VertexCommand,
        ViewCommand,
    },
};

/// Commands with an icon. Tools are excluded, because their icons are defined elsewhere.
const ICONS: [(&str, MaterialIcon); 99] = [
    (SessionCommand::Undo.name(), icons::ICON_UNDO),
    (SessionCommand::Redo.name(), icons::ICON_REDO),
    (FileCommand::Find.name(), icons::ICON_SEARCH),
    (FileCommand::Save.name(), icons::ICON_SAVE),
    (FileCommand::Export.name(), icons::ICON_FILE_EXPORT),
    (FileCommand::Preferences.name(), icons::ICON_SETTINGS),
    (FileCommand::History.name(), icons::ICON_HISTORY),
    (RenameNode::NAME, icons::ICON_EDIT),
    (RenameClip::NAME, icons::ICON_EDIT),
    (DuplicateNodes::NAME, icons::ICON_CONTENT_COPY),
    (RemoveNodes::NAME, icons::ICON_DELETE),
    (RemoveMeshes::NAME, icons::ICON_DELETE),
    (RemoveMaterials::NAME, icons::ICON_DELETE),
    (RemoveSkins::NAME, icons::ICON_DELETE),
    (RemoveJoint::NAME, icons::ICON_DELETE),
    (AddNode::NAME, icons::ICON_ADD),
    (NewGroup::NAME, icons::ICON_ADD),
    // The selection and the view.
    (SelectCommand::Joints.name(), icons::ICON_ADS_CLICK),
    (ViewCommand::FrameSelected.name(), icons::ICON_FRAME_INSPECT),
    (ViewCommand::FrameAll.name(), icons::ICON_FIT_SCREEN),
    (ViewCommand::Hide.name(), icons::ICON_VISIBILITY_OFF),
    (ViewCommand::ShowAll.name(), icons::ICON_VISIBILITY),
    (ViewCommand::Isolate.name(), icons::ICON_FILTER_CENTER_FOCUS),
    (ViewCommand::Lock.name(), icons::ICON_LOCK),
    (ViewCommand::Textured.name(), icons::ICON_CONTRAST),
    (ViewCommand::Solid.name(), icons::ICON_DEPLOYED_CODE),
    (ViewCommand::Wireframe.name(), icons::ICON_GRID_3X3),
    (ViewCommand::XRay.name(), icons::ICON_RADIOLOGY),
    (ViewCommand::Grid.name(), icons::ICON_GRID_4X4),
    (ViewCommand::Joints.name(), icons::ICON_POLYLINE),
    (ViewCommand::Names.name(), icons::ICON_LABEL),
    (ViewCommand::Axes.name(), icons::ICON_3D_ROTATION),
    (ViewCommand::Outliner.name(), icons::ICON_LEFT_PANEL_OPEN),
    // Modes and posing.
    (ModeCommand::PoseMode.name(), icons::ICON_ACCESSIBILITY_NEW),
    (ModeCommand::AnimateMode.name(), icons::ICON_ANIMATION),
    (ModeCommand::PaintMode.name(), icons::ICON_WATER_DROP),
    (ModeCommand::RigMode.name(), icons::ICON_ACCOUNT_TREE),
    (ModeCommand::BothSides.name(), icons::ICON_FLIP),
    (ModeCommand::SnapDrags.name(), icons::ICON_GRID_4X4),
    (ModeCommand::CopyPose.name(), icons::ICON_CONTENT_COPY),
    (ModeCommand::PastePose.name(), icons::ICON_CONTENT_PASTE),
    (ModeCommand::ExtrudeJoint.name(), icons::ICON_CALL_MADE),
    (MirrorPose::NAME, icons::ICON_FLIP),
    (MirrorJoint::NAME, icons::ICON_FLIP),
    (Reset::NAME, icons::ICON_RESTART_ALT),
    (ResetAll::NAME, icons::ICON_RESTART_ALT),
    (ResetTranslation::NAME, icons::ICON_OPEN_WITH),
    (ResetRotation::NAME, icons::ICON_ROTATE_RIGHT),
    (ResetScale::NAME, icons::ICON_OPEN_IN_FULL),
    (SetPin::NAME, icons::ICON_KEEP),
    (KeepPose::NAME, icons::ICON_ADD),
    (ApplyPose::NAME, icons::ICON_ACCESSIBILITY_NEW),
    (ForgetPose::NAME, icons::ICON_DELETE),
    // Clips.
    (NewClip::NAME, icons::ICON_ADD),
    (DuplicateClip::NAME, icons::ICON_CONTENT_COPY),
    (TrimClip::NAME, icons::ICON_CONTENT_CUT),
    (RetimeClip::NAME, icons::ICON_SPEED),
    (MirrorClip::NAME, icons::ICON_FLIP),
    (RootMotion::NAME, icons::ICON_FOOTPRINT),
    (ReduceKeys::NAME, icons::ICON_COMPRESS),
    (CloseLoop::NAME, icons::ICON_CYCLE),
    (DeleteClip::NAME, icons::ICON_DELETE),
    (PlayCommand::RepairLoop.name(), icons::ICON_REPEAT),
    (PlayCommand::Toggle.name(), icons::ICON_PLAY_ARROW),
    (PlayCommand::Loop.name(), icons::ICON_REPEAT),
    (PlayCommand::Start.name(), icons::ICON_FIRST_PAGE),
    (PlayCommand::End.name(), icons::ICON_LAST_PAGE),
    (PlayCommand::PreviousKey.name(), icons::ICON_SKIP_PREVIOUS),
    (PlayCommand::NextKey.name(), icons::ICON_SKIP_NEXT),
    (PlayCommand::Mixer.name(), icons::ICON_JOIN),
    // Keys.
    (SetKey::NAME, icons::ICON_KEY),
    (DeleteKeys::NAME, icons::ICON_DELETE),
    (PasteKeys::NAME, icons::ICON_CONTENT_PASTE),
    (AddMarker::NAME, icons::ICON_ADD),
    (RemoveMarker::NAME, icons::ICON_DELETE),
    (TimelineCommand::Column.name(), icons::ICON_ADS_CLICK),
    (TimelineCommand::FitAll.name(), icons::ICON_FIT_SCREEN),
    (TimelineCommand::FitSelected.name(), icons::ICON_FRAME_INSPECT),
    (TimelineCommand::Curves.name(), icons::ICON_SHOW_CHART),
    (TimelineCommand::Normalize.name(), icons::ICON_HEIGHT),
    (TimelineCommand::SpeedStrip.name(), icons::ICON_SPEED),
    // Layers.
    (NewLayer::NAME, icons::ICON_ADD),
    (AddLayer::NAME, icons::ICON_ADD),
    (DuplicateLayer::NAME, icons::ICON_CONTENT_COPY),
    (MuteLayer::NAME, icons::ICON_VISIBILITY_OFF),
    (SoloLayer::NAME, icons::ICON_HEADPHONES),
    (RemovePoseLayer::NAME, icons::ICON_DELETE),
    (RemoveLayer::NAME, icons::ICON_DELETE),
    (FlattenLayers::NAME, icons::ICON_LAYERS_CLEAR),
    // Painting.
    (BrushCommand::Sample.name(), icons::ICON_COLORIZE),
    (BrushCommand::Lock.name(), icons::ICON_LOCK),
    (BrushCommand::UnlockAll.name(), icons::ICON_LOCK_OPEN),
    (BrushCommand::Bend.name(), icons::ICON_ROTATE_RIGHT),
    (VertexCommand::Copy.name(), icons::ICON_CONTENT_COPY),
    (VertexCommand::Paste.name(), icons::ICON_CONTENT_PASTE),
    (MirrorWeights::NAME, icons::ICON_FLIP),
    (Smooth::NAME, icons::ICON_BLUR_ON),
    (Average::NAME, icons::ICON_DRAG_HANDLE),
    (Hammer::NAME, icons::ICON_HEALING),
];

/// The icon of a command, as a character of the icon font; `None` for commands without one.
pub fn command_icon(spec: &CommandSpec) -> Option<&'static str> {
    let tool = || ToolCommand::ALL.into_iter().chain(ToolCommand::RIG);
    let icon = match tool().find(|tool| tool.name() == spec.name) {
        Some(tool) => Some(icon_of(tool)),
        None => ICONS.iter().find(|(name, _)| *name == spec.name).map(|(_, icon)| *icon),
    };
    icon.map(|icon| icon.codepoint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_icon_belongs_to_one_existing_command() {
        for (k, (name, icon)) in ICONS.iter().enumerate() {
            let spec = ulna_edit::find(name).expect("a command of the table");
            assert_eq!(command_icon(spec), Some(icon.codepoint), "{name}");
            assert!(ICONS[..k].iter().all(|(other, _)| other != name), "{name} is listed twice");
        }
    }

    #[test]
    fn tools_have_the_icons_of_the_toolbar_and_most_commands_have_none() {
        let move_tool = ToolCommand::Move.spec();
        assert_eq!(command_icon(move_tool), Some(icons::ICON_OPEN_WITH.codepoint));
        let without = ulna_edit::table().iter().filter(|spec| command_icon(spec).is_none());
        assert!(without.count() > ICONS.len());
    }
}
