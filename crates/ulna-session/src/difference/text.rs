//! Converts a file to text with one fact per line, for diffs in version control. The text has names
//! instead of indices, numbers with six digits, and a fingerprint of each large array.

use glam::{Mat3, Mat4};
use serde_json::Value;

use super::{
    finding::Side,
    keys, looks, skins, surfaces,
    words::{count, six, sixes},
};
use ulna_model::{
    Clip, FileContent, KeptLayers, Local, Material, NodeId, PointerTrack, Primitive, Property,
    Skin, SkinId, Track,
};

/// Collects the lines of the text.
struct Lines<'a> {
    d: &'a FileContent,
    out: String,
}

/// Returns a fingerprint of numbers. −0 has the same fingerprint as 0.
fn fingerprint<'n>(lists: impl IntoIterator<Item = &'n [f32]>) -> String {
    let mut bytes = Vec::new();
    for list in lists {
        bytes.extend(list.iter().flat_map(|v| (v + 0.0).to_le_bytes()));
    }
    format!("#{:012x}", looks::hash(&bytes) & 0xffff_ffff_ffff)
}

/// Whether a pointer track animates this property of this node. If so, the property is not listed
/// as an unreadable channel.
fn points_at(pointers: &[PointerTrack], (node, property): (NodeId, Property)) -> bool {
    pointers
        .iter()
        .filter_map(|p| p.track.as_ref())
        .any(|t| (t.target, t.property) == (node, property))
}

/// Converts a file to text. [`Side::other`] adds the members that the model does not represent.
pub fn as_text(file: Side<'_>) -> String {
    let mut lines = Lines { d: file.asset, out: String::new() };
    lines.nodes();
    lines.scenes();
    lines.skins();
    lines.meshes();
    lines.clips();
    lines.materials();
    if let Some(other) = file.other {
        lines.other(other);
    }
    lines.out
}

impl Lines<'_> {
    fn line(&mut self, text: impl AsRef<str>) {
        self.out.push_str(text.as_ref());
        self.out.push('\n');
    }

    fn nodes(&mut self) {
        let d = self.d;
        // Nodes are written in depth-first order of the tree, whatever their order in the file.
        let mut stack: Vec<NodeId> = d.node_ids().filter(|n| d.node(*n).parent.is_none()).collect();
        stack.reverse();
        while let Some(id) = stack.pop() {
            stack.extend(d.children(id).iter().rev());
            let node = d.node(id);
            self.line(format!("node {}", d.path(id)));
            match node.local() {
                Local::Trs(t) => {
                    let (t, r, s) = (t.translation.to_array(), t.rotation, t.scale.to_array());
                    // A quaternion and its negative are the same rotation. The one with positive w
                    // is written.
                    let r = if r.w < 0.0 { -r } else { r };
                    self.line(format!(
                        "  t {} r {} s {}",
                        sixes(&t),
                        sixes(&r.to_array()),
                        sixes(&s)
                    ));
                }
                Local::Matrix(m) => self.line(format!("  matrix {}", sixes(&m.to_cols_array()))),
            }
            if let Some(mesh) = node.mesh {
                self.line(format!("  {}", surfaces::label(d, mesh)));
                let morphs = d.morph_weights(id);
                if !morphs.is_empty() {
                    self.line(format!("  morphs {}", sixes(&morphs)));
                }
            }
            if let Some(skin) = node.skin {
                self.line(format!("  {}", skins::label(d, skin)));
            }
            if node.hidden {
                self.line("  hidden");
            }
            for property in Property::TRS {
                let axes = node.locks.of(property).into_iter().zip(["x", "y", "z"]);
                let locked: String =
                    axes.filter_map(|(is_on, axis)| is_on.then_some(axis)).collect();
                if !locked.is_empty() {
                    self.line(format!("  locked {} {locked}", property.path()));
                }
            }
            if let Some(instances) = &node.instances {
                self.line(format!("  {}", count(instances.len(), "instance")));
                for t in instances.iter() {
                    let (p, r, s) =
                        (t.translation.to_array(), t.rotation.to_array(), t.scale.to_array());
                    self.line(format!("    t {} r {} s {}", sixes(&p), sixes(&r), sixes(&s)));
                }
            }
            if let Some(camera) = node.camera.and_then(|c| d.cameras.get(c.index())) {
                self.line(format!("  camera {}", looks::projection_in_words(&camera.projection)));
            }
            if let Some(light) = node.light.and_then(|l| d.lights.get(l.index())) {
                self.line(format!("  light {}", looks::light_in_words(light)));
            }
        }
    }

    fn scenes(&mut self) {
        let d = self.d;
        for (id, scene) in d.scenes.iter() {
            let shown = if d.scene == Some(id) { " (shown)" } else { "" };
            self.line(format!("scene {}{shown}", d.scene_label(id)));
            for root in &scene.roots {
                self.line(format!("  root {}", d.path(*root)));
            }
            for pose in scene.poses.iter() {
                self.line(format!(
                    "  stored pose “{}”, {}",
                    pose.name,
                    count(pose.joints.len(), "joint")
                ));
            }
            for map in scene.retarget.iter() {
                self.line(format!(
                    "  retarget map “{}”, {}",
                    map.name,
                    count(map.chains.len(), "chain")
                ));
            }
            for set in scene.sets.iter() {
                let names: Vec<String> = set.nodes.iter().map(|n| d.node(*n).label(*n)).collect();
                self.line(format!("  selection {}: {}", set.digit, names.join(", ")));
            }
            for group in scene.groups.iter() {
                let names: Vec<String> = group.nodes.iter().map(|n| d.node(*n).label(*n)).collect();
                let marks: Vec<&str> =
                    [("hidden", group.hidden), ("locked", group.locked), ("solo", group.solo)]
                        .into_iter()
                        .filter_map(|(mark, is_on)| is_on.then_some(mark))
                        .collect();
                let (color, marks) = (format!("{:?}", group.color), marks.join(", "));
                self.line(format!(
                    "  joint group “{}” ({}) {marks}: {}",
                    group.name,
                    color.to_lowercase(),
                    names.join(", ")
                ));
            }
            for (role, node) in scene.humanoid.iter().flat_map(|vrm| vrm.bones.iter()) {
                self.line(format!("  humanoid bone {role}: {}", d.path(*node)));
            }
            if let Some(mix) = &scene.mix {
                let bars: usize = mix.lanes.iter().map(|l| l.bars.len()).sum();
                let mark = looks::hash(format!("{mix:?}").as_bytes()) as u32;
                self.line(format!(
                    "  mix of {}, {} #{mark:08x}",
                    count(mix.lanes.len(), "lane"),
                    count(bars, "bar")
                ));
            }
            if let Some(kept) = &scene.kept_layers {
                self.layers(kept);
            }
        }
    }

    fn layers(&mut self, kept: &KeptLayers) {
        for layer in &kept.layers {
            let strength = if layer.muted {
                "off".to_owned()
            } else {
                format!("{} %", six(layer.strength * 100.0))
            };
            self.line(format!("  stored layer “{}”, {strength}", layer.name));
            for (node, numbers) in &layer.moves {
                self.line(format!("    {node} {}", sixes(numbers)));
            }
            for (node, property, keys) in &layer.keys {
                let mark = fingerprint([&keys.times[..], &keys.values[..]]);
                self.line(format!(
                    "    {node} {}: {} {mark}",
                    property.path(),
                    count(keys.times.len(), "key")
                ));
            }
        }
    }

    fn skins(&mut self) {
        let d = self.d;
        for (id, skin) in d.skins.iter() {
            let Skin { joints, inverse_bind, .. } = &**skin;
            self.line(format!("{}, {}", skins::label(d, id), count(joints.len(), "joint")));
            for (joint, inverse) in joints.iter().zip(inverse_bind.iter()) {
                // The bind pose of a joint is easier to read than its inverse.
                let bind = inverse.inverse();
                let bind = if bind.is_finite() { bind } else { Mat4::ZERO };
                let (place, mark) = (
                    bind.w_axis.truncate().to_array(),
                    fingerprint([&inverse.to_cols_array()[..]]),
                );
                let turn = Mat3::from_mat4(bind).to_cols_array();
                self.line(format!(
                    "  {} at {} axes {} {mark}",
                    d.node(*joint).label(*joint),
                    sixes(&place),
                    sixes(&turn)
                ));
            }
        }
    }

    fn meshes(&mut self) {
        let d = self.d;
        for (id, mesh) in d.meshes.iter() {
            self.line(surfaces::label(d, id));
            let names: Vec<&str> = mesh.target_names.iter().map(|n| &**n).collect();
            if !names.is_empty() {
                self.line(format!("  morph targets {}", names.join(", ")));
            }
            let skin = d.nodes.values().find(|n| n.mesh == Some(id)).and_then(|n| n.skin);
            for (k, primitive) in mesh.primitives.iter().enumerate() {
                self.primitive(k, primitive, skin);
            }
            if let Some(kept) = &mesh.kept_weight_layers {
                self.line(format!("  {} stored with it", count(kept.layers.len(), "weight layer")));
            }
        }
    }

    fn primitive(&mut self, k: usize, p: &Primitive, skin: Option<SkinId>) {
        let d = self.d;
        // Exhaustive pattern: a new member does not compile until it is written here.
        let Primitive {
            topology,
            positions,
            normals,
            tangents,
            uv0,
            uv1,
            colors,
            indices,
            material,
            variants,
            targets,
            weights,
        } = p;
        self.line(format!("  primitive {k}: {}, {topology:?}", count(positions.len(), "vertex")));
        let name = |m: ulna_model::MaterialId| match d.materials.get(m) {
            Some(_) => looks::label(d, m),
            None => "no material".to_owned(),
        };
        if let Some(material) = material {
            self.line(format!("    {}", name(*material)));
        }
        for (variant, material) in variants.iter() {
            let label = d
                .variants
                .get(variant.index())
                .map_or_else(|| variant.0.to_string(), ToString::to_string);
            self.line(format!("    variant {label}: {}", name(*material)));
        }
        let v3 = |list: &[glam::Vec3]| list.iter().flat_map(|v| v.to_array()).collect::<Vec<f32>>();
        let v4 = |list: &[glam::Vec4]| list.iter().flat_map(|v| v.to_array()).collect::<Vec<f32>>();
        let v2 = |list: &[glam::Vec2]| list.iter().flat_map(|v| v.to_array()).collect::<Vec<f32>>();
        let low = positions.iter().copied().reduce(glam::Vec3::min).unwrap_or_default();
        let high = positions.iter().copied().reduce(glam::Vec3::max).unwrap_or_default();
        let bounds = format!("from {} to {}", sixes(&low.to_array()), sixes(&high.to_array()));
        self.line(format!("    positions {bounds} {}", fingerprint([&v3(positions)[..]])));
        let bytes: Vec<u8> = indices.iter().flat_map(|i| i.to_le_bytes()).collect();
        self.line(format!(
            "    {} #{:08x}",
            count(indices.len(), "index"),
            looks::hash(&bytes) as u32
        ));
        let attributes = [
            ("normals", v3(normals)),
            ("tangents", v4(tangents)),
            ("texture coordinates", v2(uv0)),
            ("second texture coordinates", v2(uv1)),
            ("vertex colors", v4(colors)),
        ];
        for (what, list) in attributes.iter().filter(|(_, list)| !list.is_empty()) {
            self.line(format!("    {what} {}", fingerprint([&list[..]])));
        }
        for (t, target) in targets.iter().enumerate() {
            let mark = fingerprint([&v3(&target.positions)[..], &v3(&target.normals)[..]]);
            self.line(format!("    morph target {t} {mark}"));
        }
        let Some(map) = weights else { return };
        let joints = skin.map(|s| &d.skin(s).joints);
        let label = |slot: u16| {
            let joint = joints.and_then(|j| j.get(usize::from(slot)));
            joint.map_or_else(|| format!("joint {slot}"), |j| d.node(*j).label(*j))
        };
        for v in 0..map.vertex_count() {
            let mut shares: Vec<(String, f32)> =
                map.vertex(v).filter(|(_, w)| *w != 0.0).map(|(j, w)| (label(j), w)).collect();
            shares.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            let shares: Vec<String> =
                shares.into_iter().map(|(name, w)| format!("{name} {}", six(w))).collect();
            self.line(format!("    {v}: {}", shares.join(", ")));
        }
    }

    fn clips(&mut self) {
        let d = self.d;
        for (id, clip) in d.clips.iter() {
            self.line(format!("{}, {} s", keys::label(d, id), six(clip.length())));
            self.clip(clip);
        }
    }

    fn clip(&mut self, clip: &Clip) {
        // Exhaustive pattern: a new member does not compile until it is written here.
        let Clip {
            name: _,
            tracks,
            channels_in_file: _,
            markers,
            contacts,
            repeat,
            ticks,
            rate,
            kept_layers,
            pointers,
            kept,
            mended: _,
        } = clip;
        if let Some(repeat) = repeat {
            self.line(format!("  at its end: {repeat:?}"));
        }
        if let Some(ticks) = ticks {
            self.line(format!("  {ticks} ticks per second"));
        }
        if let Some(rate) = rate {
            self.line(format!("  {rate} frames per second"));
        }
        for marker in markers.iter() {
            self.line(format!("  marker {} “{}”", six(marker.time), marker.name));
        }
        for goal in contacts.iter() {
            let (from, to) = (six(goal.from), six(goal.to));
            let space = goal.space.map(|s| format!(" in {}", self.d.path(s))).unwrap_or_default();
            let blend = goal.blend.map(|b| format!(", blend {}", six(b))).unwrap_or_default();
            let place = goal.place.map(|p| format!(", at {}", p.to_array().map(six).join(" ")));
            self.line(format!(
                "  contact {} {} {from} to {to}{space}{blend}{}",
                self.d.path(goal.node),
                goal.point.label().to_lowercase(),
                place.unwrap_or_default()
            ));
        }
        let mut tracks: Vec<(String, &Track)> = tracks
            .values()
            .map(|t| (format!("{} {}", self.d.path(t.target), t.property.path()), &**t))
            .collect();
        tracks.sort_by(|a, b| a.0.cmp(&b.0));
        for (name, track) in tracks {
            self.track(&name, track);
        }
        for pointer in pointers.iter() {
            self.pointer(pointer);
        }
        for (node, property) in kept.iter().filter(|k| !points_at(pointers, **k)) {
            self.line(format!(
                "  {} {}: keys that cannot be read",
                self.d.path(*node),
                property.path()
            ));
        }
        if let Some(kept) = kept_layers {
            self.layers(kept);
        }
    }

    fn track(&mut self, name: &str, track: &Track) {
        let mark = fingerprint([&track.times[..], &track.values[..]]);
        let wraps = if track.modes.wraps() { " wraps" } else { "" };
        self.line(format!("  {name} {} {mark}{wraps}", track.interpolation.label()));
        for (k, time) in track.times.iter().enumerate() {
            let kind = track.kinds.of(*time).map(|kind| format!(" {kind:?}")).unwrap_or_default();
            let values = &track.values[k * track.stride()..(k + 1) * track.stride()];
            let modes = track.modes.of(*time).map(|m| {
                let linked = if m.linked { "" } else { " not linked" };
                format!(" {:?}/{:?}{linked}", m.arrive, m.leave)
            });
            let modes = modes.unwrap_or_default();
            self.line(format!("    {}: {}{kind}{modes}", six(*time), sixes(values)));
        }
    }

    /// Writes the keys of an animation pointer. If the pointer does not animate a node, its values
    /// are written with the other members of the file.
    fn pointer(&mut self, pointer: &PointerTrack) {
        let PointerTrack {
            pointer: name,
            target: _,
            interpolation,
            times,
            width: _,
            track,
            visibility,
        } = pointer;
        if let Some(track) = track {
            return self.track(name, track);
        }
        self.line(format!("  {name} {} {}", interpolation.label(), count(times.len(), "key")));
        for (k, time) in times.iter().enumerate() {
            let shown = visibility.as_ref().and_then(|v| v.visible.get(k));
            let value = shown.map_or("", |visible| if *visible { ": visible" } else { ": hidden" });
            self.line(format!("    {}{value}", six(*time)));
        }
    }

    fn materials(&mut self) {
        let d = self.d;
        for (id, material) in d.materials.iter() {
            // Exhaustive pattern: a new member does not compile until it is written here.
            let Material {
                name: _,
                base_color,
                base_color_texture,
                metallic,
                roughness,
                metallic_roughness_texture,
                normal_texture,
                normal_scale,
                occlusion_texture,
                occlusion_strength,
                emissive,
                emissive_texture,
                alpha,
                double_sided,
                unlit,
                transmission,
            } = material;
            self.line(looks::label(d, id));
            self.line(format!("  base color {}", sixes(&base_color.to_array())));
            self.line(format!("  metallic {} roughness {}", six(*metallic), six(*roughness)));
            self.line(format!("  emissive {}", sixes(&emissive.to_array())));
            self.line(format!("  alpha {alpha:?}"));
            let strengths =
                format!("normals {} occlusion {}", six(*normal_scale), six(*occlusion_strength));
            self.line(format!("  {strengths} transmission {}", six(*transmission)));
            self.line(format!("  double-sided {double_sided}, unlit {unlit}"));
            let textures = [
                ("base color", base_color_texture),
                ("metallic-roughness", metallic_roughness_texture),
                ("normal", normal_texture),
                ("occlusion", occlusion_texture),
                ("emissive", emissive_texture),
            ];
            for (what, texture) in textures.into_iter().filter(|(_, t)| t.is_some()) {
                self.line(format!(
                    "  {what} texture {}",
                    looks::texture_in_words(d, texture.as_ref())
                ));
            }
        }
        for variant in d.variants.iter() {
            self.line(format!("variant {variant}"));
        }
        for (k, image) in d.images.iter().enumerate() {
            let name = image.name.as_deref().map_or_else(|| k.to_string(), |n| format!("“{n}”"));
            self.line(format!(
                "image {name} {} bytes #{:08x}",
                image.bytes.len(),
                looks::hash(&image.bytes) as u32
            ));
        }
    }

    fn other(&mut self, other: &ulna_formats::gltf::Unmodeled) {
        let d = self.d;
        let mut say = |place: String, value: &Value| {
            for (key, value) in value.as_object().into_iter().flatten() {
                for (name, value) in value.as_object().into_iter().flatten() {
                    self.out.push_str(&format!("{key} of {place}: {name} {value}\n"));
                }
                if !value.is_object() {
                    self.out.push_str(&format!("{key} of {place}: {value}\n"));
                }
            }
        };
        say("the file".to_owned(), &other.root);
        d.nodes
            .ids()
            .for_each(|n| other.nodes.get(n.index()).into_iter().for_each(|v| say(d.path(n), v)));
        for id in d.meshes.ids() {
            other.meshes.get(id.index()).into_iter().for_each(|v| say(surfaces::label(d, id), v));
        }
        d.skins.ids().for_each(|s| {
            other.skins.get(s.index()).into_iter().for_each(|v| say(skins::label(d, s), v))
        });
        for id in d.clips.ids() {
            other.animations.get(id.index()).into_iter().for_each(|v| say(keys::label(d, id), v));
        }
        for id in d.materials.ids() {
            other.materials.get(id.index()).into_iter().for_each(|v| say(looks::label(d, id), v));
        }
        for id in d.scenes.ids() {
            other
                .scenes
                .get(id.index())
                .into_iter()
                .for_each(|v| say(format!("scene {}", d.scene_label(id)), v));
        }
    }
}
