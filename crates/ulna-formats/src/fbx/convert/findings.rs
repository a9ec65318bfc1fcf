//! Findings about an FBX file, and differences between it and the resulting glTF.

use std::collections::{BTreeMap, BTreeSet};

use ufbx::{Exporter, Scene, WarningType};

use super::{channels::Curves, helpers::helpers, load::Loaded, math::vec3, segments::Keyed};
use crate::import::{FoundClip, GltfDifference, ImportFindings, short};
use ulna_model::{Diagnostics, Severity};

/// Counters of findings, which are incremented during the conversion of a file.
#[derive(Default)]
pub(super) struct Findings {
    found: ImportFindings,
    /// Size of the model, in meters.
    pub(super) size: f64,
    pub(super) clips: Vec<FoundClip>,
    pub(super) longest: f64,
    pub(super) heights: usize,
    pub(super) ngons: usize,
    pub(super) second_meshes: usize,
    pub(super) several_skins: usize,
    pub(super) dual_quaternions: usize,
    pub(super) bare_vertices: usize,
    pub(super) over_four_influences: usize,
    pub(super) over_most_influences: usize,
    pub(super) weight_sets: usize,
    pub(super) in_betweens: usize,
    pub(super) phong_materials: usize,
    pub(super) invisible_materials: usize,
    pub(super) layered_textures: usize,
    pub(super) endless: usize,
    pub(super) layers: usize,
    pub(super) still_clips: usize,
    subdivided: usize,
    baked_geometry: usize,
    own_scale: usize,
    helpers: usize,
    counted: Vec<(&'static str, usize)>,
    warnings: Vec<String>,
    missing: BTreeMap<String, String>,
    unconverted: BTreeMap<String, usize>,
    pub(super) cubics: (usize, usize),
    rough_turns: usize,
    euler_keys: usize,
    worst_turn: f64,
    added_keys: usize,
}

impl Findings {
    pub(super) fn of(scene: &Scene, loaded: &Loaded) -> Self {
        let axes = loaded.axes;
        let rate = scene.settings.frames_per_second;
        let found = ImportFindings {
            made_by: made_by(scene),
            up: axes.map(|a| a.up()),
            front: axes.and_then(|a| a.front()),
            unit: Some(loaded.unit as f32),
            states_unit: true,
            rate: (rate.is_finite() && rate > 0.0).then_some(rate),
            rate_of: "frames",
            blend_shapes: scene
                .blend_channels
                .into_iter()
                .map(|c| c.element.name.to_string())
                .collect(),
            materials: scene.materials.count,
            textures: scene.texture_files.count,
            cameras_and_lights: scene.cameras.count + scene.lights.count,
            ..ImportFindings::default()
        };
        let nodes = || scene.nodes.into_iter().filter(|n| !n.is_root);
        let is_odd = |t: &ufbx::Transform| {
            vec3(t.translation).length() > 1e-9
                || (vec3(t.scale) - 1.0).length() > 1e-9
                || vec3(ufbx::Vec3 { x: t.rotation.x, y: t.rotation.y, z: t.rotation.z }).length()
                    > 1e-9
        };
        let counted = [
            (
                "NURBS curves and surfaces",
                scene.nurbs_curves.count
                    + scene.nurbs_surfaces.count
                    + scene.nurbs_trim_surfaces.count,
            ),
            ("line curves", scene.line_curves.count),
            ("constraints", scene.constraints.count),
            ("geometry caches", scene.cache_deformers.count),
            ("audio clips", scene.audio_clips.count),
            ("levels of detail", scene.lod_groups.count),
            ("procedural geometries", scene.procedural_geometries.count),
        ];
        let warnings = scene.metadata.warnings.as_ref().iter();
        let warnings = warnings.filter(|w| w.type_ != WarningType::MissingExternalFile);
        Self {
            found,
            size: extent(scene),
            subdivided: scene
                .meshes
                .into_iter()
                .filter(|m| m.subdivision_display_mode != ufbx::SubdivisionDisplayMode::Disabled)
                .count(),
            baked_geometry: nodes()
                .filter(|n| {
                    n.geometry_transform_helper.is_some()
                        || (n.has_geometry_transform && is_odd(&n.geometry_transform))
                })
                .count(),
            own_scale: nodes()
                .filter(|n| {
                    n.original_inherit_mode != ufbx::InheritMode::Normal
                        && n.parent
                            .as_ref()
                            .is_some_and(|p| (vec3(p.local_transform.scale) - 1.0).length() > 1e-6)
                })
                .count(),
            helpers: helpers(scene),
            counted: counted.into_iter().filter(|(_, count)| *count > 0).collect(),
            warnings: warnings.map(|w| w.description.to_string()).collect(),
            ..Self::default()
        }
    }

    /// Records a texture that is left out, and the reason.
    pub(super) fn missing_texture(&mut self, name: &str, why: &str) {
        self.missing.insert(name.to_owned(), why.to_owned());
    }

    /// Records the conversion of a track. `times` is the number of key times in the file.
    pub(super) fn note_keys(&mut self, keyed: &Keyed, is_rotation: bool, times: usize) {
        if is_rotation {
            self.euler_keys += times;
            self.worst_turn = self.worst_turn.max(keyed.worst);
            self.rough_turns += keyed.rough;
            self.added_keys += keyed.times.len().saturating_sub(times);
        } else {
            self.cubics.0 += keyed.cubics.0;
            self.cubics.1 += keyed.cubics.1;
        }
    }

    /// Records animated properties that are not imported.
    pub(super) fn note_unconverted(&mut self, scene: &Scene, curves: &Curves<'_>) {
        const KEPT: [&str; 11] = [
            "Lcl Translation",
            "Lcl Rotation",
            "Lcl Scaling",
            "DeformPercent",
            "RotationOffset",
            "RotationPivot",
            "ScalingOffset",
            "ScalingPivot",
            "PreRotation",
            "PostRotation",
            "Weight",
        ];
        // In old files, curves of blend shapes have the names of their channels.
        let shapes: BTreeSet<&str> =
            scene.blend_channels.into_iter().map(|c| &*c.element.name).collect();
        let is_kept = |name: &&str| KEPT.contains(name) || shapes.contains(name);
        for name in curves.changing().into_iter().filter(|name| !is_kept(name)) {
            *self.unconverted.entry(name.to_owned()).or_default() += 1;
        }
    }

    /// Returns the findings, and the diagnostics made from them.
    pub(super) fn finish(mut self) -> (ImportFindings, Diagnostics) {
        self.found.clips = std::mem::take(&mut self.clips);
        self.found.longest = self.longest;
        self.found.heights = self.heights;
        self.found.missing_textures = self.missing.keys().cloned().collect();
        let mut differences = self.differences();
        differences.sort_by_key(|d| !d.is_loss);
        for text in differences.iter_mut().map(|d| &mut d.text) {
            let mut letters = text.chars();
            if let Some(first) = letters.next() {
                *text = first.to_uppercase().chain(letters).collect();
            }
        }
        let mut diagnostics = Diagnostics::default();
        for d in &differences {
            let severity = if d.is_loss { Severity::Warning } else { Severity::Info };
            let message = if d.detail.is_empty() {
                d.text.clone()
            } else {
                format!("{}: {}", d.text, d.detail)
            };
            diagnostics.add(severity, d.code, ".fbx", message);
        }
        self.found.differences = differences;
        (self.found, diagnostics)
    }

    fn differences(&self) -> Vec<GltfDifference> {
        let mut list = Vec::new();
        self.losses(&mut list);
        self.changes(&mut list);
        self.more_changes(&mut list);
        list
    }

    /// Adds the differences that lose content.
    fn losses(&self, list: &mut Vec<GltfDifference>) {
        let mut add = |code, text: String, detail: &str| {
            list.push(GltfDifference { code, is_loss: true, text, detail: detail.to_owned() });
        };
        for (name, why) in &self.missing {
            add("ULNA_FBX_TEXTURE", format!("the texture “{name}” is missing"), why);
        }
        if self.dual_quaternions > 0 {
            let text = format!(
                "{} skinned by dual quaternions",
                many(self.dual_quaternions, "mesh is", "meshes are")
            );
            add("ULNA_FBX_DUAL_QUATERNION", text, "glTF has only linear skinning");
        }
        if self.several_skins > 0 {
            let text =
                format!("{} several skins", many(self.several_skins, "mesh has", "meshes have"));
            add("ULNA_FBX_SEVERAL_SKINS", text, "each vertex uses the first one with weights");
        }
        if self.over_most_influences > 0 {
            let text = format!(
                "{} more than 64 influences",
                many(self.over_most_influences, "vertex has", "vertices have")
            );
            add("ULNA_FBX_INFLUENCES", text, "the strongest are kept");
        }
        if self.subdivided > 0 {
            let text = format!(
                "{} smoothed by subdivision",
                many(self.subdivided, "mesh is", "meshes are")
            );
            add("ULNA_FBX_SUBDIVISION", text, "the coarse mesh is imported");
        }
        for (name, count) in &self.counted {
            add(
                "ULNA_FBX_NOT_IMPORTED",
                format!("{name} ({count})"),
                "not imported, because glTF has no equivalent",
            );
        }
        if !self.unconverted.is_empty() {
            let names: Vec<&str> = self.unconverted.keys().take(6).map(String::as_str).collect();
            let text = format!(
                "{} not imported",
                many(
                    self.unconverted.values().sum(),
                    "animated property is",
                    "animated properties are"
                )
            );
            add("ULNA_FBX_ANIMATED_PROPERTIES", text, &names.join(", "));
        }
        if self.layered_textures > 0 {
            let text =
                format!("{} layers", many(self.layered_textures, "texture has", "textures have"));
            add("ULNA_FBX_TEXTURE_LAYERS", text, "the first one is used");
        }
        if self.second_meshes > 0 {
            let text = format!("{} left out", many(self.second_meshes, "mesh is", "meshes are"));
            add("ULNA_FBX_SECOND_MESH", text, "a glTF node has only one mesh");
        }
    }

    /// Adds differences without a visible loss: weights, curved spans, and others.
    /// [`Self::more_changes`] adds the remaining ones.
    fn changes(&self, list: &mut Vec<GltfDifference>) {
        let mut add = |code, text: String, detail: String| {
            list.push(GltfDifference { code, is_loss: false, text, detail });
        };
        if self.over_four_influences > 0 {
            let text = format!(
                "{} more than 4 influences",
                many(self.over_four_influences, "vertex has", "vertices have")
            );
            add(
                "ULNA_FBX_WEIGHT_SETS",
                text,
                format!("all kept, in {} weight sets", self.weight_sets),
            );
        }
        if self.bare_vertices > 0 {
            let text =
                format!("{} no weights", many(self.bare_vertices, "vertex has", "vertices have"));
            add(
                "ULNA_FBX_NO_WEIGHTS",
                text,
                "bound to a new node below the node of the mesh".to_owned(),
            );
        }
        if self.cubics.0 > 0 {
            let (all, exact) = self.cubics;
            let text = format!("{exact} of {all} curved segments are kept exactly");
            let detail = if exact == all {
                String::new()
            } else {
                "keys were added to the others".to_owned()
            };
            add("ULNA_FBX_CUBICS", text, detail);
        }
        if self.euler_keys > 0 {
            let added = if self.added_keys > 0 {
                format!(
                    "; {} added to the {} of the file",
                    many(self.added_keys, "key", "keys"),
                    self.euler_keys
                )
            } else {
                String::new()
            };
            let rough = match self.rough_turns {
                0 => String::new(),
                _ => "; between frames, rotations take the short way".to_owned(),
            };
            let worst = rounded(self.worst_turn.to_degrees());
            let detail = format!("max error {worst}°{added}{rough}");
            add("ULNA_FBX_EULER", "Euler rotations become quaternions".to_owned(), detail);
        }
        if self.layers > 1 {
            add(
                "ULNA_FBX_LAYERS",
                "animation layers are merged".to_owned(),
                format!("up to {} in a clip", self.layers),
            );
        }
        if self.endless > 0 {
            let text = format!(
                "{} beyond the keys",
                many(self.endless, "curve continues", "curves continue")
            );
            add(
                "ULNA_FBX_EXTRAPOLATION",
                text,
                "written as keys over the length of the clip".to_owned(),
            );
        }
        if self.in_betweens > 0 {
            let text = format!(
                "{} {}",
                many(self.in_betweens, "in-between blend shape", "in-between blend shapes"),
                if self.in_betweens == 1 {
                    "becomes a morph target"
                } else {
                    "become morph targets"
                }
            );
            add("ULNA_FBX_IN_BETWEENS", text, "the weights pass from one to the next".to_owned());
        }
    }

    /// Adds the differences without a visible loss that [`Self::changes`] does not add.
    fn more_changes(&self, list: &mut Vec<GltfDifference>) {
        let mut add = |code, text: String, detail: String| {
            list.push(GltfDifference { code, is_loss: false, text, detail });
        };
        for warning in &self.warnings {
            add(
                "ULNA_FBX_REPAIRED",
                "An error in the file was repaired".to_owned(),
                warning.clone(),
            );
        }
        if self.own_scale > 0 {
            let text = format!(
                "{} parent’s scale",
                many(self.own_scale, "node ignores its", "nodes ignore their")
            );
            add("ULNA_FBX_PARENT_SCALE", text, "the local transforms compensate for it".to_owned());
        }
        if self.baked_geometry > 0 {
            let text = format!("pivots of {}", many(self.baked_geometry, "node", "nodes"));
            add("ULNA_FBX_GEOMETRY", text, "applied to their meshes".to_owned());
        }
        if self.phong_materials > 0 {
            let text = format!(
                "{} metallic-roughness",
                many(self.phong_materials, "Phong material becomes", "Phong materials become")
            );
            add("ULNA_FBX_PHONG", text, "roughness is estimated".to_owned());
        }
        if self.invisible_materials > 0 {
            let text = format!(
                "{} an opacity of 0",
                many(self.invisible_materials, "material has", "materials have")
            );
            add("ULNA_FBX_OPACITY", text, "imported as opaque".to_owned());
        }
        if self.ngons > 0 {
            let text = format!(
                "{} triangles",
                many(
                    self.ngons,
                    "face with more than 4 corners is split into",
                    "faces with more than 4 corners are split into"
                )
            );
            add("ULNA_FBX_NGONS", text, String::new());
        }
        if self.still_clips > 0 {
            let text =
                format!("{} a single pose", many(self.still_clips, "clip has", "clips have"));
            add("ULNA_FBX_STILL_CLIPS", text, "left out unless chosen".to_owned());
        }
        if self.helpers > 0 {
            let text =
                many(self.helpers, "helper node between joints", "helper nodes between joints");
            add("ULNA_FBX_HELPER_NODES", text, "no weights and no motion".to_owned());
        }
    }
}

/// Formats a count with its noun in singular or plural.
fn many(count: usize, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}

/// Formats an angle in degrees, rounded up to hundredths.
fn rounded(degrees: f64) -> String {
    short((degrees * 100.0).ceil().max(1.0) / 100.0)
}

/// Format version of a file and the program that wrote it.
fn made_by(scene: &Scene) -> String {
    let m = &scene.metadata;
    let version = format!("FBX {}.{}", m.version / 1000, m.version / 100 % 10);
    let kind = if m.ascii { "text" } else { "binary" };
    let app = &m.latest_application;
    let name = match (app.name.trim(), app.version.trim()) {
        ("", _) if matches!(m.exporter, Exporter::BlenderBinary | Exporter::BlenderAscii) => {
            "Blender".to_owned()
        }
        ("", _) => m.creator.trim().to_owned(),
        (name, "") => name.to_owned(),
        (name, version) => format!("{name} {version}"),
    };
    if name.is_empty() {
        format!("{version}, {kind}")
    } else {
        format!("{version}, {kind}, from {name}")
    }
}

/// Size of a model in its rest pose: of its vertices, or of its nodes if it has no vertices.
fn extent(scene: &Scene) -> f64 {
    let mut low = glam::DVec3::INFINITY;
    let mut high = glam::DVec3::NEG_INFINITY;
    for node in &scene.nodes {
        let world = super::math::matrix(&node.geometry_to_world);
        let own = vec3(ufbx::Vec3 {
            x: node.node_to_world.m03,
            y: node.node_to_world.m13,
            z: node.node_to_world.m23,
        });
        let vertices = node.mesh.iter().flat_map(|m| m.vertices.as_ref());
        let step = node.mesh.as_ref().map_or(1, |m| m.num_vertices / 500 + 1);
        let all = vertices.step_by(step).map(|v| world.transform_point3(vec3(*v)));
        for at in all.chain([own]).filter(|p| p.is_finite()) {
            (low, high) = (low.min(at), high.max(at));
        }
    }
    let size = (high - low).max_element();
    if size.is_finite() && size > 1e-9 { size } else { 1.0 }
}
