//! Conditions that enable commands, with the reason if a command is disabled.

use super::Availability;

pub(super) type Rule = Result<(), &'static str>;

pub(super) const fn when(condition: bool, why_not: &'static str) -> Rule {
    if condition { Ok(()) } else { Err(why_not) }
}

pub(super) const fn always(_: &Availability) -> Rule {
    Ok(())
}

pub(super) const fn opened(a: &Availability) -> Rule {
    when(a.document, "No file is open")
}

pub(super) const fn unsaved(a: &Availability) -> Rule {
    match (a.document, a.unsaved) {
        (false, _) => Err("No file is open"),
        (_, false) => Err("There are no unsaved changes"),
        _ => Ok(()),
    }
}

pub(super) const fn own_workspace(a: &Availability) -> Rule {
    let why_not = "This workspace comes with Ulna: it can be reset, but not renamed or deleted";
    match opened(a) {
        Ok(()) => when(a.own_workspace, why_not),
        not => not,
    }
}

pub(super) const fn undoable(a: &Availability) -> Rule {
    when(a.undo, "There is nothing to undo")
}

pub(super) const fn redoable(a: &Availability) -> Rule {
    when(a.redo, "There is nothing to redo")
}

pub(super) const fn with_camera(a: &Availability) -> Rule {
    when(a.cameras, "The file has no camera")
}

pub(super) const fn with_lights(a: &Availability) -> Rule {
    when(a.lights, "The file has no lights")
}

pub(super) const fn morphing(a: &Availability) -> Rule {
    when(a.morphs, "The file has no morph targets")
}

pub(super) const fn planned(a: &Availability) -> Rule {
    when(a.planned > 0, "The plan is empty; use “Add to plan” in a form of the Rig menu")
}

pub(super) const fn selected(a: &Availability) -> Rule {
    when(a.nodes > 0, "Nothing is selected")
}

/// Requires that a node or a reference model is selected.
pub(super) const fn any_selected(a: &Availability) -> Rule {
    when(a.nodes > 0 || a.reference, "Nothing is selected")
}

pub(super) const fn with_reference(a: &Availability) -> Rule {
    match opened(a) {
        Ok(()) => when(a.references > 0, "No reference model is loaded"),
        not => not,
    }
}

pub(super) const fn joint_and_reference(a: &Availability) -> Rule {
    match with_reference(a) {
        Ok(()) => when(a.nodes > 0, "No joint is selected"),
        not => not,
    }
}

pub(super) const fn nameable(a: &Availability) -> Rule {
    when(a.nodes > 0 || a.clip_shown, "Nothing is selected, and no clip is open")
}

pub(super) const fn clip_shown(a: &Availability) -> Rule {
    when(a.clip_shown, "No clip is open; choose a clip on the timeline")
}

/// Requires that keys are selected on curves of the timeline.
pub(super) const fn curve_keys(a: &Availability) -> Rule {
    match clip_shown(a) {
        Ok(()) if !a.curves => Err("The timeline shows no curves; switch it to “Curves”"),
        Ok(()) => when(a.keys > 0, "No keys are selected"),
        not => not,
    }
}

/// Requires that the timeline shows curves.
pub(super) const fn curves_shown(a: &Availability) -> Rule {
    match clip_shown(a) {
        Ok(()) => when(a.curves, "The timeline shows no curves; switch it to “Curves”"),
        not => not,
    }
}

pub(super) const fn pose_layer(a: &Availability) -> Rule {
    when(a.pose_layers > 0, "There are no pose layers; use “New layer” to add one")
}

pub(super) const fn any_pose_layer(a: &Availability) -> Rule {
    when(a.any_pose_layers, "The file has no pose layers; use “New layer” to add one")
}

pub(super) const fn layer_of_clip(a: &Availability) -> Rule {
    match clip_shown(a) {
        Ok(()) => pose_layer(a),
        no => no,
    }
}

pub(super) const fn key_set(a: &Availability) -> Rule {
    match clip_shown(a) {
        Ok(()) => when(a.nodes > 0 || a.unkeyed, "Nothing is selected"),
        not => not,
    }
}

pub(super) const fn joint_over_clip(a: &Availability) -> Rule {
    match clip_shown(a) {
        Ok(()) => when(a.nodes > 0, "Nothing is selected"),
        not => not,
    }
}

pub(super) const fn key_deleted(a: &Availability) -> Rule {
    match clip_shown(a) {
        Ok(()) => when(a.keys + a.nodes > 0, "No keys or joints are selected"),
        not => not,
    }
}

pub(super) const fn keys_selected(a: &Availability) -> Rule {
    match clip_shown(a) {
        Ok(()) => when(a.keys > 0, "No key is selected"),
        not => not,
    }
}

pub(super) const fn unkeyed(a: &Availability) -> Rule {
    when(a.unkeyed, "There is no unkeyed pose")
}

pub(super) const fn weighted(a: &Availability) -> Rule {
    match opened(a) {
        Ok(()) => when(a.weights, "The file has no vertex weights"),
        not => not,
    }
}

/// Requires a skinned mesh, with weights or without.
pub(super) const fn skinned(a: &Availability) -> Rule {
    match opened(a) {
        Ok(()) => when(a.weights || a.bare, "The file has no skinned mesh"),
        not => not,
    }
}

/// Requires weights, or skinned meshes that can get weights.
pub(super) const fn paintable(a: &Availability) -> Rule {
    if a.document && a.bare { Ok(()) } else { weighted(a) }
}

pub(super) const fn painting(a: &Availability) -> Rule {
    match weighted(a) {
        Ok(()) => when(a.painting, "This works only in Paint mode"),
        not => not,
    }
}

pub(super) const fn painting_joint(a: &Availability) -> Rule {
    match painting(a) {
        Ok(()) => when(a.joint, "No joint is selected for painting"),
        not => not,
    }
}

pub(super) const fn with_vertices(a: &Availability) -> Rule {
    match weighted(a) {
        Ok(()) => when(a.vertices > 0, "No vertices are selected"),
        not => not,
    }
}

pub(super) const fn layered(a: &Availability) -> Rule {
    match weighted(a) {
        Ok(()) => when(a.layers, "There are no weight layers; add one first"),
        not => not,
    }
}
