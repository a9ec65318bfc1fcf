//! Commands on reference models. They are displayed next to the open model, and are not saved with
//! it.

use std::path::PathBuf;

use glam::Vec3;

use crate::command::{
    define::other_commands,
    field::choice,
    rules::{joint_and_reference, opened, with_reference},
};

choice! {
    /// Points of a reference model to which joints snap.
    ReferencePoint {
        /// The nearest joint.
        Joint = "joint",
        /// The nearest vertex.
        Vertex = "vertex",
    }
}

other_commands! {
    /// Commands on reference models, such as props, other characters and floors, which are shown
    /// next to the open model.
    ReferenceCommand in "View/Reference models", by Host;

    /// Shows another file beside the open model, such as a prop, another character or a floor; it
    /// is never saved into the open file
    Load {
        /// File of the reference model; opens a dialog if omitted.
        path: Option<PathBuf>,
    } = "reference.load", "Load a reference model…", enabled: opened, after: "view.compare";
    /// Removes a reference model from the view; its file is unchanged
    Remove {
        /// Reference model to remove; the selected one if omitted.
        reference: Option<String>,
    } = "reference.remove", "Remove the reference model", enabled: with_reference;
    /// Shows or hides a reference model
    Hide {
        /// Reference model to show or hide; the selected one if omitted.
        reference: Option<String>,
        /// Whether it is hidden; toggles if omitted.
        hidden: Option<bool>,
    } = "reference.hide", "Show or hide the reference model", enabled: with_reference;
    /// Shows a reference model dimmed with its materials, or in plain gray
    Plain {
        /// Reference model to change; the selected one if omitted.
        reference: Option<String>,
        /// Whether it is plain gray; toggles if omitted.
        plain: Option<bool>,
    } = "reference.plain", "Reference model in plain gray", enabled: with_reference;
    /// Shows or hides the joints of a reference model
    Joints {
        /// Reference model to change; the selected one if omitted.
        reference: Option<String>,
        /// Whether its joints are shown; toggles if omitted.
        shown: Option<bool>,
    } = "reference.joints", "Joints of the reference model", enabled: with_reference;
    /// Shows a whole reference model
    Frame {
        /// Reference model to show; the selected one if omitted.
        reference: Option<String>,
    } = "reference.frame", "Frame the reference model", enabled: with_reference;
    /// Moves a reference model so that its nearest joint, or its origin, is at the selected joint
    Snap {
        /// Reference model to move; the selected one if omitted.
        reference: Option<String>,
    } = "reference.snap", "Move reference model to the joint", enabled: joint_and_reference;
    /// Moves a reference model up or down so that its lowest point is on the ground
    Ground {
        /// Reference model to move; the selected one if omitted.
        reference: Option<String>,
    } = "reference.ground", "Put reference model on the ground", enabled: with_reference;
    /// Moves the selected joints to the nearest points of the reference models; the end of a limb
    /// by IK
    SnapJoints {
        /// Points that joints are moved to; the nearest vertex, or joint if there are no surfaces,
        /// if omitted.
        onto: Option<ReferencePoint>,
    } = "reference.snap_joints", "Snap joints to the reference", enabled: joint_and_reference;
    /// Sets the position, rotation and scale of a reference model in the scene
    Move {
        /// Reference model to move; the selected one if omitted.
        reference: Option<String>,
        /// Position of the model's origin, in meters; unchanged if omitted.
        translation: Option<Vec3>,
        /// Rotation of the model about the x, then y, then z axis; unchanged if omitted.
        degrees: Option<Vec3>,
        /// Scale factor of the model; unchanged if omitted.
        factor: Option<f32>,
    } = "reference.move", "Place the reference model", asks: true, enabled: with_reference;
    /// Chooses the clip that a reference model plays in step with the playhead
    Clip {
        /// Reference model to change; the selected one if omitted.
        reference: Option<String>,
        /// Name of a clip in the file of the reference model; the rest pose if omitted.
        clip: Option<String>,
    } = "reference.clip", "Clip of the reference model", asks: true, enabled: with_reference;
}
