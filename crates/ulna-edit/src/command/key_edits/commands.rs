//! Commands on existing keys.

use crate::command::{
    KeyScope,
    define::document_commands,
    field::{ClipName, KeyParts, Nodes, Numbers, Seconds, Trs, choice},
    key_words::{Between, KindName, TangentSide, Through},
    rules,
    which_keys::{KeyList, WhichKeys},
};
use ulna_model::{KeySide, TangentMode};
use ulna_motion::curves::{CurveSpace, EulerOrder};

document_commands! {
    /// Commands on existing keys.
    KeyEditCommand in "Clip", edits_keys: true;

    /// Inserts keys without changing the motion; the curves keep their shape
    InsertKeys {
        /// Clip to edit.
        clip: ClipName,
        /// Time of the new keys, in seconds.
        time: Option<Seconds>,
        /// Times of the new keys, in seconds.
        times: Option<Numbers>,
        /// Nodes whose channels get keys; all nodes if omitted.
        node: Option<Nodes>,
        /// Kinds of channels that get keys; all kinds if omitted.
        parts: Option<KeyParts>,
        /// List of single keys, as channels with their times; replaces the arguments for times and
        /// nodes.
        keys: Option<KeyList>,
        /// Tangents of new keys on smooth channels; chosen to keep the shape of the curve if
        /// omitted.
        tangents: Option<NewTangents>,
        /// Whether to add more keys so that smooth rotations stay exact; no if omitted.
        exact: Option<bool>,
        /// Interpolation of channels that had a single key and get a second one.
        interpolation: Option<Between>,
    } = "key.insert",
        "Insert keys, keeping the motion", menu: "Clip/Curves", enabled: rules::clip_shown;
    /// Deletes the selected keys, or the keys of the selected joints at the playhead
    DeleteKeys {
        /// Clip to edit.
        clip: ClipName,
        /// Keys to edit.
        which: WhichKeys,
    } = "key.delete", "Delete keys", key: "Delete", enabled: rules::key_deleted,
        key_scope: KeyScope::Timeline;
    /// Moves keys in time
    MoveKeys {
        /// Clip to edit.
        clip: ClipName,
        /// Offset in time, in seconds.
        by: Seconds,
        /// Keys to edit.
        which: WhichKeys,
        /// Whether all later keys move as well (ripple); no if omitted.
        ripple: Option<bool>,
        /// Whether to shift all other keys and markers later if keys would move before 0 s; no if
        /// omitted.
        make_room: Option<bool>,
    } = "key.move", "Move keys", menu: "Clip/Edit keys", asks: true;
    /// Copies keys to another time of the clip
    DuplicateKeys {
        /// Clip to edit.
        clip: ClipName,
        /// Offset in time, in seconds.
        by: Seconds,
        /// Keys to edit.
        which: WhichKeys,
        /// Interpolation of tracks that had a single key and get a second one.
        interpolation: Option<Between>,
    } = "key.duplicate", "Duplicate keys", menu: "Clip/Edit keys", asks: true;
    /// Scales keys in time, about a pivot time
    ScaleKeys {
        /// Clip to edit.
        clip: ClipName,
        /// Factor of the time between the keys.
        factor: f32,
        /// Pivot time of the scaling, in seconds; the time of the first key if omitted.
        about: Option<Seconds>,
        /// Keys to edit; all if omitted.
        which: WhichKeys,
    } = "key.scale", "Scale keys in time", menu: "Clip/Edit keys", asks: true;
    /// Pastes copied keys, at the playhead or at their original times
    PasteKeys {
        /// Clip to edit.
        clip: ClipName,
        /// Copied keys, as text; those on the clipboard if omitted.
        text: Option<String>,
        /// Time of the first pasted key, in seconds; its original time if omitted.
        time: Option<Seconds>,
        /// Nodes that receive the keys, in the order of the copied nodes; nodes with the same names
        /// if omitted.
        node: Option<Nodes>,
        /// Whether to replace the existing keys in the time range of the pasted keys; no if
        /// omitted.
        replace: Option<bool>,
        /// Whether to offset the pasted values so that they start from the clip's value at the time
        /// of the first pasted key.
        relative: Option<bool>,
        /// Whether to paste the keys mirrored, onto the mirror joints; no if omitted.
        flip: Option<bool>,
        /// Interpolation of tracks that had a single key and get a second one.
        interpolation: Option<Between>,
    } = "key.paste",
        "Paste keys", menu: "Clip/Edit keys", enabled: rules::clip_shown;
    /// Inserts or removes time in a clip; later keys move
    RippleKeys {
        /// Clip to edit.
        clip: ClipName,
        /// Time at which to insert or remove time, in seconds; later keys move.
        time: Seconds,
        /// Seconds to insert; a negative number removes time with its keys.
        by: Seconds,
        /// Nodes whose keys move; all if omitted.
        node: Option<Nodes>,
    } = "key.ripple", "Insert or remove time", menu: "Clip/Edit keys", asks: true;
    /// Shifts tracks around a loop in time; keys past the end wrap around to the start
    OffsetKeys {
        /// Clip to edit.
        clip: ClipName,
        /// Offset in time, in seconds.
        by: Seconds,
        /// Keys of the tracks to offset; all tracks if omitted.
        which: WhichKeys,
    } = "key.offset", "Offset keys in the loop", menu: "Clip/Edit keys", asks: true;
    /// Holds the value of keys until the next key, as with stepped interpolation
    HoldKeys {
        /// Clip to edit.
        clip: ClipName,
        /// Keys to edit.
        which: WhichKeys,
        /// Whether to hold the value; yes if omitted.
        on: Option<bool>,
    } = "key.hold_next",
        "Hold until next key", menu: "Clip/Edit keys", enabled: rules::keys_selected;
    /// Adds to key values, or scales them about a pivot value
    ChangeKeys {
        /// Clip to edit.
        clip: ClipName,
        /// Operation on the values: add, scale or set.
        how: ValueHow,
        /// Amount per component, or one number for all components; degrees about x, y and z for
        /// rotations.
        by: Numbers,
        /// Pivot value that scaling does not change: `zero`, the `mean` of the keys, or the `first`
        /// key; `zero` if omitted.
        about: Option<ValueAbout>,
        /// Order of the Euler angles of rotations, or `quaternion` for its x, y, z and w; the order
        /// farthest from gimbal lock if omitted.
        order: Option<AxisOrder>,
        /// Keys to edit; all if omitted.
        which: WhichKeys,
    } = "key.value", "Change key values", menu: "Clip/Edit keys", asks: true;
    /// Sets the slope of curves at keys; linear tracks become smooth
    SetSlope {
        /// Clip to edit.
        clip: ClipName,
        /// Slope: change per second, in degrees for rotations.
        slope: f32,
        /// Side of the keys; both if omitted.
        side: Option<SlopeSide>,
        /// Whether the slopes of both sides change together in later edits; unchanged if omitted.
        linked: Option<bool>,
        /// Order of the Euler angles of rotations, or `quaternion` for its x, y, z and w; the order
        /// farthest from gimbal lock if omitted.
        order: Option<AxisOrder>,
        /// Keys to edit.
        which: WhichKeys,
    } = "key.slope", "Set slopes at keys", menu: "Clip/Edit keys", asks: true;
    /// Offsets all keys of a node by the same amount, to give the node a value at a time
    ShiftKeys {
        /// Clip to edit.
        clip: ClipName,
        /// Time at which the node gets the new value, in seconds.
        time: Seconds,
        /// Node whose keys to offset.
        node: Nodes,
        /// New value of the node at the given time.
        to: Trs,
        /// Keys to offset; all keys of the node if omitted.
        keys: Option<KeyList>,
    } = "key.shift", "Offset keys", menu: "Clip/Edit keys", asks: true;
    /// Sets the interpolation of tracks
    SetInterpolation {
        /// Clip to edit.
        clip: ClipName,
        /// Interpolation from each key to the next key.
        interpolation: Between,
        /// Whether to preserve the motion, as far as the new interpolation can represent it; keys
        /// may be added.
        keep_motion: Option<bool>,
        /// Whether to change only the segments after the keys; the rest of the track keeps its
        /// motion.
        spans: Option<bool>,
        /// Keys of the tracks to change; all tracks if omitted.
        which: WhichKeys,
    } = "track.interpolation", "Set interpolation", menu: "Clip/Edit keys", asks: true;
    /// Sets the tangent mode of keys
    SetTangents {
        /// Clip to edit.
        clip: ClipName,
        /// Tangent mode.
        tangents: Through,
        /// Side of the keys; both if omitted.
        side: Option<TangentSide>,
        /// Whether the tangents of both sides change together; set by the tangent mode if
        /// omitted.
        linked: Option<bool>,
        /// Keys to edit; all if omitted.
        which: WhichKeys,
    } = "key.tangents", "Set tangents", menu: "Clip/Edit keys", asks: true;
    /// Copies the tangents of one key to other keys of the same track
    CopyTangents {
        /// Clip to edit.
        clip: ClipName,
        /// Time of the key to copy from, in seconds.
        from: Seconds,
        /// Keys to edit.
        which: WhichKeys,
    } = "key.copy_tangents", "Copy tangents from a key", menu: "Clip/Edit keys", asks: true;
    /// Makes tangents continuous from the last key to the first, for a clip that loops
    MatchSeam {
        /// Clip to edit.
        clip: ClipName,
        /// Whether tangents are continuous at the seam; yes if omitted.
        on: Option<bool>,
        /// Keys of the tracks to change; all tracks if omitted.
        which: WhichKeys,
    } = "key.match_seam", "Match tangents at the loop seam", menu: "Clip/Edit keys", asks: true;
    /// Marks keys as extremes, breakdowns or in-betweens; the motion does not change
    SetKeyKind {
        /// Clip to edit.
        clip: ClipName,
        /// Type of the keys.
        kind: KindName,
        /// Keys to edit; all if omitted.
        which: WhichKeys,
    } = "key.kind", "Set key type", menu: "Clip/Edit keys", asks: true;
    /// Removes redundant keys, which lie on the line between their neighbors
    CleanKeys {
        /// Clip to edit.
        clip: ClipName,
        /// Largest change of a value, in degrees for rotations, otherwise in the unit of the track;
        /// 0 if omitted.
        tolerance: Option<f32>,
        /// Keys to edit; all if omitted.
        which: WhichKeys,
    } = "key.clean",
        "Remove redundant keys", menu: "Clip/Edit keys", enabled: rules::clip_shown;
    /// Removes full turns between rotation keys; the rotations at the keys stay the same
    EulerFilter {
        /// Clip to edit.
        clip: ClipName,
        /// Keys of the tracks to filter; all tracks if omitted.
        which: WhichKeys,
    } = "track.euler_filter",
        "Euler filter", menu: "Clip/Curves", enabled: rules::clip_shown, after: "track.filter";
}

choice! {
    /// Operation on key values.
    ValueHow {
        /// Adds the amount to the value.
        Add = "add",
        /// Multiplies the value by the amount, about a pivot value.
        Scale = "scale",
        /// Replaces the value by the amount.
        Set = "set",
    }
}

choice! {
    /// Pivot value of a scaling, which does not change.
    ValueAbout {
        /// The neutral value: 0, the identity rotation, or scale 1.
        Zero = "zero",
        /// The mean of the key values.
        Mean = "mean",
        /// The value of the first key.
        First = "first",
    }
}

choice! {
    /// Order of the axes for Euler angles.
    AxisOrder {
        /// Rotation about x, then y, then z.
        Xyz = "XYZ",
        /// Rotation about x, then z, then y.
        Xzy = "XZY",
        /// Rotation about y, then x, then z.
        Yxz = "YXZ",
        /// Rotation about y, then z, then x.
        Yzx = "YZX",
        /// Rotation about z, then x, then y.
        Zxy = "ZXY",
        /// Rotation about z, then y, then x.
        Zyx = "ZYX",
        /// No Euler angles: the four numbers of the quaternion.
        Quaternion = "quaternion",
    }
}

impl AxisOrder {
    /// Returns the representation of rotations for this order: Euler angles, or the quaternion.
    pub const fn space(self) -> CurveSpace {
        CurveSpace::Euler(match self {
            Self::Xyz => EulerOrder::Xyz,
            Self::Xzy => EulerOrder::Xzy,
            Self::Yxz => EulerOrder::Yxz,
            Self::Yzx => EulerOrder::Yzx,
            Self::Zxy => EulerOrder::Zxy,
            Self::Zyx => EulerOrder::Zyx,
            Self::Quaternion => return CurveSpace::Stored,
        })
    }
}

impl From<EulerOrder> for AxisOrder {
    fn from(order: EulerOrder) -> Self {
        match order {
            EulerOrder::Xyz => Self::Xyz,
            EulerOrder::Xzy => Self::Xzy,
            EulerOrder::Yxz => Self::Yxz,
            EulerOrder::Yzx => Self::Yzx,
            EulerOrder::Zxy => Self::Zxy,
            EulerOrder::Zyx => Self::Zyx,
        }
    }
}

choice! {
    /// Tangents of new keys on smooth curves.
    NewTangents {
        /// Smooth tangents, without overshooting the neighboring keys.
        Auto = "auto",
        /// Smooth tangents, with continuous acceleration along consecutive keys of this mode.
        Smooth = "smooth",
        /// Horizontal tangents.
        Flat = "flat",
        /// Tangents that point to the neighboring keys.
        Linear = "linear",
    }
}

impl From<NewTangents> for TangentMode {
    fn from(tangents: NewTangents) -> Self {
        match tangents {
            NewTangents::Auto => Self::Auto,
            NewTangents::Smooth => Self::Smooth,
            NewTangents::Flat => Self::Flat,
            NewTangents::Linear => Self::Linear,
        }
    }
}

choice! {
    /// Side of a key whose slope is set.
    SlopeSide {
        /// The side toward the previous key.
        In = "in",
        /// The side toward the next key.
        Out = "out",
        /// Both sides.
        Both = "both",
    }
}

impl From<SlopeSide> for KeySide {
    fn from(side: SlopeSide) -> Self {
        match side {
            SlopeSide::In => Self::Arrive,
            SlopeSide::Out => Self::Leave,
            SlopeSide::Both => Self::Both,
        }
    }
}

impl KeyEditCommand {
    /// The clip that contains the keys.
    pub(in crate::command) const fn clip(&self) -> &ClipName {
        match self {
            Self::InsertKeys(c) => &c.clip,
            Self::EulerFilter(c) => &c.clip,
            Self::DeleteKeys(c) => &c.clip,
            Self::MoveKeys(c) => &c.clip,
            Self::DuplicateKeys(c) => &c.clip,
            Self::ScaleKeys(c) => &c.clip,
            Self::PasteKeys(c) => &c.clip,
            Self::RippleKeys(c) => &c.clip,
            Self::OffsetKeys(c) => &c.clip,
            Self::HoldKeys(c) => &c.clip,
            Self::ChangeKeys(c) => &c.clip,
            Self::SetSlope(c) => &c.clip,
            Self::ShiftKeys(c) => &c.clip,
            Self::SetInterpolation(c) => &c.clip,
            Self::SetTangents(c) => &c.clip,
            Self::CopyTangents(c) => &c.clip,
            Self::MatchSeam(c) => &c.clip,
            Self::SetKeyKind(c) => &c.clip,
            Self::CleanKeys(c) => &c.clip,
        }
    }
}
