//! Commands on keys of the timeline: selecting keys, and moving them with the pointer.

use crate::command::{
    KeyScope, KindName,
    define::other_commands,
    rules::{clip_shown, curve_keys, curves_shown, joint_over_clip, key_set, keys_selected},
};

other_commands! {
    /// Commands on keys of the timeline: selecting keys, and moving them with the pointer.
    TimelineCommand in "Clip/Edit keys", by Host, key_scope: KeyScope::Timeline;

    /// Sets translation keys for the selected joints
    KeyTranslation = "keying.translation",
        "Key the translation", menu: "Clip/Set keys", key: "Shift+W", enabled: key_set,
        key_scope: KeyScope::Window;
    /// Sets rotation keys for the selected joints
    KeyRotation = "keying.rotation",
        "Key the rotation", menu: "Clip/Set keys", key: "Shift+E", enabled: key_set,
        key_scope: KeyScope::Window;
    /// Sets scale keys for the selected joints
    KeyScale = "keying.scale",
        "Key the scale", menu: "Clip/Set keys", key: "Shift+R", enabled: key_set,
        key_scope: KeyScope::Window;
    /// Sets translation, rotation and scale keys for the selected joints
    KeyAll = "keying.all", "Key all channels", menu: "Clip/Set keys", enabled: key_set,
        key_scope: KeyScope::Window;
    /// Opens a list at the pointer to choose the channels to key
    KeyMenu = "keying.menu", "Choose what to key…", menu: "Clip/Set keys", enabled: key_set,
        key_scope: KeyScope::Window;
    /// Deletes the keys of the selected joints at the playhead
    DeleteHere = "keying.delete",
        "Delete keys at the playhead", menu: "Clip/Set keys", key: "Alt+S", enabled: key_set,
        key_scope: KeyScope::Window;
    /// Sets keys for the limbs of the selected joints
    KeyLimb = "keying.limb", "Key the limb", menu: "Clip/Set keys", enabled: key_set,
        key_scope: KeyScope::Window;
    /// Sets keys for all joints that the clip animates
    KeyCharacter = "keying.character",
        "Key the whole character", menu: "Clip/Set keys", key: "Ctrl+Shift+K", enabled: clip_shown,
        key_scope: KeyScope::Window;
    /// Turns Auto-key on or off: while it is on, posing a joint over a clip sets a key
    AutoKey = "keying.auto", "Auto-key", menu: "Clip/Set keys", enabled: clip_shown,
        key_scope: KeyScope::Window;
    /// Moves the selected keys with the pointer until you click; digits enter an offset in frames
    Grab = "timeline.move", "Move selected keys", key: "W", enabled: keys_selected;
    /// Moves the selected keys and all later keys with the pointer
    Ripple = "timeline.ripple", "Ripple move", key: "E", enabled: keys_selected;
    /// Scales the selected keys about the playhead with the pointer
    Stretch = "timeline.scale", "Scale about the playhead", key: "R", enabled: keys_selected;
    /// Copies the selected keys and moves the copies with the pointer
    Duplicate = "timeline.duplicate", "Duplicate", key: "Ctrl+D", enabled: keys_selected;
    /// Moves the selected keys one frame later
    NudgeLater = "timeline.later", "One frame later", key: "Alt+ArrowRight", enabled: keys_selected;
    /// Moves the selected keys one frame earlier
    NudgeEarlier = "timeline.earlier",
        "One frame earlier", key: "Alt+ArrowLeft", enabled: keys_selected;
    /// Sets the interpolation of the selected keys
    Interpolation = "timeline.interpolation", "Interpolation…", key: "T", enabled: keys_selected;
    /// Sets the tangents of the selected keys
    Tangents = "timeline.tangents", "Tangents…", key: "V", enabled: keys_selected;
    /// Marks the selected keys as extremes, breakdowns or in-betweens
    Kind = "timeline.kind", "Key type…", key: "Shift+K", enabled: keys_selected;
    /// Shifts the selected tracks in time with the pointer; keys past the end wrap around to the
    /// start
    Offset = "timeline.offset", "Offset in the loop", enabled: keys_selected;
    /// Pastes the copied keys mirrored onto the mirror joints, at the playhead
    PasteFlipped = "timeline.paste_flipped",
        "Paste keys flipped", key: "Shift+V", enabled: clip_shown;
    /// Shows the whole clip in the timeline
    FitAll = "timeline.fit", "Fit the clip", menu: "Clip/Timeline", key: "A", enabled: clip_shown;
    /// Shows the time range of the selected keys
    FitSelected = "timeline.fit_selected",
        "Fit the selected keys", menu: "Clip/Timeline", key: "F", enabled: keys_selected;
    /// Switches the timeline between rows of keys and curves
    Curves = "timeline.curves",
        "Sheet or curves", menu: "Clip/Timeline", key: "Tab", enabled: clip_shown;
    /// Shows rows of keys over curves, or returns to the previous view of the timeline
    SheetAndCurves = "timeline.both",
        "Sheet and curves", menu: "Clip/Timeline", key: "Shift+Tab", enabled: clip_shown;
    /// Scales the curves so that all values in the visible time range are visible
    FitHeight = "timeline.fit_height",
        "Fit the visible height", menu: "Clip/Timeline", enabled: curves_shown;
    /// Normalizes the curves of the selected keys, so that each fills the height, or shows their
    /// true values again
    Normalize = "timeline.normalize",
        "Normalize curves", menu: "Clip/Timeline", key: "N", enabled: curve_keys;
    /// Hides the curves of the selected keys
    HideCurves = "timeline.hide_curves",
        "Hide curves", menu: "Clip/Timeline", key: "H", enabled: curve_keys;
    /// Shows only the curves of the selected keys, or all curves again
    SoloCurves = "timeline.solo_curves",
        "Solo curves", menu: "Clip/Timeline", key: "Shift+H", enabled: curve_keys;
    /// Shows the speed of the active joint's tip under the curves, then its acceleration, then
    /// nothing
    SpeedStrip = "timeline.speed",
        "Speed of the tip", menu: "Clip/Timeline", enabled: curves_shown;
    /// Chooses the ease of the motion from each selected key to the next
    Ease = "timeline.ease",
        "Ease…", menu: "Clip/Curves", key: "Shift+T", enabled: curve_keys;
    /// Turns proportional editing on or off: nearby keys follow when keys are dragged on curves
    Proportional = "timeline.proportional",
        "Proportional editing of curves", menu: "Clip/Curves", key: "O", enabled: curves_shown;
    /// Inserts keys at the playhead on all shown curves
    InsertOnCurves = "timeline.insert_on_curves",
        "Insert keys on shown curves", menu: "Clip/Curves", enabled: curves_shown;
    /// Selects all keys of the clip
    All = "keys.all",
        "Select all keys", menu: "Clip/Select keys", key: "Ctrl+A", enabled: clip_shown;
    /// Deselects all keys
    Nothing = "keys.none", "Deselect all keys", menu: "Clip/Select keys", enabled: keys_selected;
    /// Inverts the selection of keys
    Invert = "keys.invert",
        "Invert key selection", menu: "Clip/Select keys", key: "Ctrl+I", enabled: clip_shown;
    /// Selects all keys at the times of the selected keys
    Column = "keys.column",
        "Select keys at the same times", menu: "Clip/Select keys", key: "K", enabled: keys_selected;
    /// Selects all keys at the playhead and before it
    Before = "keys.before",
        "Select keys before the playhead", menu: "Clip/Select keys", key: "[", enabled: clip_shown;
    /// Selects all keys at the playhead and after it
    After = "keys.after",
        "Select keys after the playhead", menu: "Clip/Select keys", key: "]", enabled: clip_shown;
    /// Selects all keys of the selected joints
    OfJoints = "keys.of_joints",
        "Select keys of the selected joints", menu: "Clip/Select keys", enabled: key_set;
    /// Adds all later keys of the same tracks to the selection
    Extend = "keys.extend",
        "Extend key selection to the end", menu: "Clip/Select keys", enabled: keys_selected;
    /// Selects all keys of the same type as the selected keys: extreme, breakdown, in-between or
    /// none
    SameKind = "keys.same_kind",
        "Select keys of the same type", menu: "Clip/Select keys", enabled: keys_selected;
    /// Selects all keys of the same tracks that have the same values
    SameValue = "keys.same_value",
        "Select keys with the same value", menu: "Clip/Select keys", enabled: keys_selected;
    /// Selects keys that are extremes, breakdowns, in-betweens, or none of these
    OfKind {
        /// Type of the keys.
        kind: KindName,
    } = "keys.of_kind",
        "Select keys by type", menu: "Clip/Select keys", asks: true, enabled: clip_shown;
    /// Selects keys by a range of values, only of the selected joints if any are selected
    InRange {
        /// Lowest value to select; degrees for rotations.
        from: f32,
        /// Highest value to select; degrees for rotations.
        to: f32,
        /// Component of the value, 0 for x; any component if omitted.
        component: Option<usize>,
    } = "keys.in_range",
        "Select keys by value", menu: "Clip/Select keys", asks: true, enabled: clip_shown;
    /// Selects the keys inside a lasso that you draw
    Lasso = "timeline.lasso", "Select keys by lasso", menu: "Clip/Select keys", enabled: clip_shown;
    /// Holds the selected hand or foot in place over a range that you choose on the ruler
    HoldRange = "timeline.hold", "Hold over a range", menu: "Pose", enabled: joint_over_clip,
        after: "pin.hold";
}
