//! What objects say of one another: references that lead somewhere, formats that fit their use,
//! trees that are trees.

use std::collections::{HashMap, HashSet};

use glam::{Mat4, Quat, Vec3};

use super::{
    extent::{fits, stretch},
    file::{
        Accessor, Channel, ElementRule, File, Node, Primitive, Sampler, Skin, SparsePart, Usage,
        View,
    },
    numbers::size_of_type,
    report::Report,
};

/// Formats of attributes: type, component, normalized.
type Format = (&'static str, usize, bool);

fn formats(quantized: bool, target: bool) -> HashMap<&'static str, Vec<Format>> {
    let (f, b, ub, h, uh) = ((5126, false), (5120, true), (5121, true), (5122, true), (5123, true));
    let plain = |(kind, _): (usize, bool)| (kind, false);
    let of = |kind: &'static str, list: &[(usize, bool)]| -> Vec<Format> {
        list.iter().map(|(component, normalized)| (kind, *component, *normalized)).collect()
    };
    let both = |list: &[(usize, bool)]| [of("VEC3", list), of("VEC4", list)].concat();
    let mut all: HashMap<&'static str, Vec<Format>> = HashMap::new();
    all.insert("POSITION", of("VEC3", &[f]));
    all.insert("NORMAL", of("VEC3", &[f]));
    if target {
        all.insert("TANGENT", of("VEC3", &[f]));
        all.insert("TEXCOORD", of("VEC2", &[f, b, ub, h, uh]));
        all.insert("COLOR", both(&[f, b, ub, h, uh]));
    } else {
        all.insert("TANGENT", of("VEC4", &[f]));
        all.insert("TEXCOORD", of("VEC2", &[f, ub, uh]));
        all.insert("COLOR", both(&[f, ub, uh]));
        all.insert("JOINTS", of("VEC4", &[plain(ub), plain(uh)]));
        all.insert("WEIGHTS", of("VEC4", &[f, ub, uh]));
    }
    if quantized {
        let mut more =
            |key: &'static str, list: Vec<Format>| all.entry(key).or_default().extend(list);
        more("NORMAL", of("VEC3", &[b, h]));
        if target {
            more("POSITION", of("VEC3", &[plain(b), b, plain(h), h]));
            more("TANGENT", of("VEC3", &[b, h]));
            more("TEXCOORD", of("VEC2", &[plain(b), plain(h)]));
        } else {
            more("POSITION", of("VEC3", &[plain(b), b, plain(ub), ub, plain(h), h, plain(uh), uh]));
            more("TANGENT", of("VEC4", &[b, h]));
            more("TEXCOORD", of("VEC2", &[plain(b), b, plain(ub), plain(h), h, plain(uh)]));
        }
    }
    all
}

/// Whether something there is named by an index; a finding where it is not.
fn found<T>(
    list: &[Option<T>],
    index: Option<usize>,
    place: impl FnOnce() -> String,
    out: &mut Report,
) -> Option<usize> {
    let index = index?;
    if list.get(index).is_some_and(Option::is_some) {
        return Some(index);
    }
    out.error("UNRESOLVED_REFERENCE", place());
    None
}

fn use_view(
    views: &mut [Option<View>],
    view: Option<usize>,
    usage: Usage,
    place: &str,
    out: &mut Report,
) {
    let Some(view) = view.and_then(|v| views.get_mut(v)).and_then(Option::as_mut) else { return };
    let kind = match usage {
        Usage::Times | Usage::Values => Usage::Other,
        usage => usage,
    };
    if *view.usage.get_or_insert(kind) != kind {
        out.error("BUFFER_VIEW_TARGET_OVERRIDE", place.to_owned());
    }
}

fn use_accessor(accessor: &mut Accessor, usage: Usage, place: &str, out: &mut Report) {
    if *accessor.usage.get_or_insert(usage) != usage {
        out.error("ACCESSOR_USAGE_OVERRIDE", place.to_owned());
    }
}

/// Goes through all links.
pub fn check(file: &mut File, out: &mut Report) {
    views(file, out);
    accessors(file, out);
    looks(file, out);
    let mut meshes = std::mem::take(&mut file.meshes);
    for primitive in meshes.iter_mut().flatten().flat_map(|m| m.primitives.iter_mut().flatten()) {
        self::primitive(file, primitive, out);
    }
    file.meshes = meshes;
    nodes(file, out);
    let mut skins = std::mem::take(&mut file.skins);
    for skin in skins.iter_mut().flatten() {
        self::skin(file, skin, out);
    }
    file.skins = skins;
    animations(file, out);
    scenes(file, out);
    placed(file, out);
}

fn views(file: &File, out: &mut Report) {
    for view in file.views.iter().flatten() {
        let buffer = found(&file.buffers, view.buffer, || format!("{}/buffer", view.at), out);
        let length = buffer.and_then(|b| file.buffers[b].as_ref()).and_then(|b| b.length);
        if let (Some(length), Some(offset), Some(own)) = (length, view.offset, view.length) {
            if offset >= length {
                out.error("BUFFER_VIEW_TOO_LONG", format!("{}/byteOffset", view.at));
            } else if offset.saturating_add(own) > length {
                out.error("BUFFER_VIEW_TOO_LONG", format!("{}/byteLength", view.at));
            }
        }
    }
}

fn accessors(file: &mut File, out: &mut Report) {
    let File { accessors, views, .. } = file;
    for a in accessors.iter_mut().flatten() {
        let (Some(size), Some(count), true) =
            (a.component.and_then(size_of_type), a.count, a.width > 0)
        else {
            continue;
        };
        if a.view.is_some() {
            let place = format!("{}/bufferView", a.at);
            match found(views, a.view, || place, out).and_then(|v| views[v].as_ref()) {
                None => {}
                Some(view) => {
                    if view.stride.is_some_and(|s| s < a.element) {
                        out.error("ACCESSOR_SMALL_BYTESTRIDE", a.at.clone());
                    }
                    fits(a.offset, size, stretch(a, Some(view)).1, view, Some((&a.at, out)));
                }
            }
        }
        let Some(sparse) = &a.sparse else { continue };
        if sparse.count > count {
            out.error("ACCESSOR_SPARSE_COUNT_OUT_OF_RANGE", format!("{}/sparse/count", a.at));
        }
        let own = |p: &SparsePart| p.component.and_then(size_of_type);
        let parts = [
            ("indices", &sparse.indices, own(&sparse.indices), 1),
            ("values", &sparse.values, Some(size), a.width),
        ];
        for (name, part, size, width) in parts {
            let place = format!("{}/sparse/{name}/bufferView", a.at);
            let Some(index) = found(views, part.view, || place.clone(), out) else { continue };
            use_view(views, Some(index), Usage::Other, &place, out);
            let Some(view) = views[index].as_ref() else { continue };
            if view.stride.is_some() {
                out.error("BUFFER_VIEW_INVALID_BYTE_STRIDE", place);
            }
            if let Some(size) = size {
                let length = sparse.count.saturating_mul(size * width);
                fits(
                    part.offset,
                    size,
                    length,
                    view,
                    Some((&format!("{}/sparse/{name}", a.at), out)),
                );
            }
        }
    }
}

fn looks(file: &mut File, out: &mut Report) {
    let File { images, views, textures, materials, samplers, .. } = file;
    for image in images.iter().flatten() {
        let place = format!("{}/bufferView", image.at);
        if let Some(view) = found(views, image.view, || place.clone(), out) {
            use_view(views, Some(view), Usage::Image, &place, out);
            if views[view].as_ref().is_some_and(|v| v.stride.is_some()) {
                out.error("IMAGE_BUFFER_VIEW_WITH_BYTESTRIDE", place);
            }
        }
    }
    for (k, texture) in textures.iter().enumerate() {
        let Some(texture) = texture else { continue };
        found(images, texture.source, || format!("/textures/{k}/source"), out);
        if texture.sampler.is_some_and(|s| s >= *samplers) {
            out.error("UNRESOLVED_REFERENCE", format!("/textures/{k}/sampler"));
        }
    }
    for used in materials.iter().flatten().flat_map(|m| &m.uses) {
        found(textures, used.index, || format!("{}/index", used.at), out);
    }
}

/// What attributes and morph targets have in common.
fn vertex_data(
    file: &mut File,
    index: usize,
    name: &str,
    place: &str,
    formats: &HashMap<&'static str, Vec<Format>>,
    out: &mut Report,
) {
    let File { accessors, views, .. } = file;
    let Some(a) = accessors[index].as_mut() else { return };
    use_accessor(a, Usage::Vertex, place, out);
    use_view(views, a.view, Usage::Vertex, place, out);
    if name == "POSITION" && (a.min.is_none() || a.max.is_none()) {
        out.error("MESH_PRIMITIVE_POSITION_ACCESSOR_WITHOUT_BOUNDS", place.to_owned());
    }
    let kind = name.split('_').next().unwrap_or_default();
    if formats.get(kind).is_some_and(|f| !f.contains(&borrowed(a))) {
        out.error("MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT", place.to_owned());
    }
    let view = a.view.and_then(|v| views.get_mut(v)).and_then(Option::as_mut);
    let loose = view.as_ref().is_some_and(|v| v.stride.is_none());
    if a.offset.is_some_and(|o| o % 4 != 0) || (!a.element.is_multiple_of(4) && loose) {
        out.error("MESH_PRIMITIVE_ACCESSOR_UNALIGNED", place.to_owned());
    }
    if let Some(view) = view.filter(|v| v.stride.is_none()) {
        view.vertex_users.insert(index);
        if view.vertex_users.len() > 1 {
            out.error("MESH_PRIMITIVE_ACCESSOR_WITHOUT_BYTESTRIDE", place.to_owned());
        }
    }
}

/// A format beside those of the tables; a type that is none is like no other.
fn borrowed(a: &Accessor) -> Format {
    const TYPES: [&str; 7] = ["SCALAR", "VEC2", "VEC3", "VEC4", "MAT2", "MAT3", "MAT4"];
    let (kind, component, normalized) = a.format();
    (TYPES.into_iter().find(|t| *t == kind).unwrap_or(""), component, normalized)
}

fn primitive(file: &mut File, p: &mut Primitive, out: &mut Report) {
    let quantized = file.used.iter().any(|u| u == "KHR_mesh_quantization");
    let base = formats(quantized, false);
    let mut counts: HashMap<String, Option<usize>> = HashMap::new();
    for (name, index) in &p.attributes {
        let place = format!("{}/attributes/{name}", p.at);
        let Some(index) = found(&file.accessors, *index, || place.clone(), out) else { continue };
        vertex_data(file, index, name, &place, &base, out);
        let Some(a) = file.accessors[index].as_mut() else { continue };
        let kind = base.get(name.split('_').next().unwrap_or_default());
        if kind.is_some_and(|f| f.contains(&borrowed(a))) {
            match name.as_str() {
                "NORMAL" => a.rules.push(ElementRule::Normal(place.clone())),
                "TANGENT" => a.rules.push(ElementRule::Tangent(place.clone())),
                "COLOR_0" if a.component == Some(5126) => {
                    a.rules.push(ElementRule::Color(place.clone()))
                }
                _ => {}
            }
        } else if kind.is_none() && a.component == Some(5125) {
            out.error("MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_UNSIGNED_INT", place.clone());
        }
        match (p.vertices, a.count) {
            (None, count) => p.vertices = count,
            (was, count) if was != count => {
                out.error("MESH_PRIMITIVE_UNEQUAL_ACCESSOR_COUNT", place)
            }
            _ => {}
        }
        counts.insert(name.clone(), file.accessors[index].as_ref().and_then(|a| a.count));
    }
    let mut drawn = p.vertices;
    if p.indices.is_some() {
        let place = format!("{}/indices", p.at);
        if let Some(index) = found(&file.accessors, p.indices, || place.clone(), out) {
            drawn = indices(file, index, p, place, out);
        }
    }
    let odd = match (p.mode, drawn) {
        (Some(1), Some(n)) => n % 2 != 0,
        (Some(2 | 3), Some(n)) => n < 2,
        (Some(4), Some(n)) => n % 3 != 0,
        (Some(5 | 6), Some(n)) => n < 3,
        _ => false,
    };
    if odd {
        out.warning("MESH_PRIMITIVE_INCOMPATIBLE_MODE", p.at.clone());
    }
    let place = format!("{}/material", p.at);
    if let Some(material) = found(&file.materials, p.material, || place.clone(), out)
        .and_then(|m| file.materials[m].as_ref())
    {
        match (p.normal && p.tangent, material.tangent, material.normal) {
            (false, true, false) => out.error("MESH_PRIMITIVE_NO_TANGENT_SPACE", place.clone()),
            (false, true, true) => {
                out.warning("MESH_PRIMITIVE_GENERATED_TANGENT_SPACE", place.clone())
            }
            _ => {}
        }
        for _ in material.uses.iter().flat_map(|u| &u.sets).filter(|set| **set >= p.coordinates) {
            out.error("MESH_PRIMITIVE_TOO_FEW_TEXCOORDS", place.clone());
        }
    }
    let morphed = formats(quantized, true);
    for (k, target) in p.targets.iter().flatten().enumerate() {
        for (name, index) in target {
            let place = format!("{}/targets/{k}/{name}", p.at);
            let Some(index) = found(&file.accessors, *index, || place.clone(), out) else {
                continue;
            };
            let count = file.accessors[index].as_ref().and_then(|a| a.count);
            match counts.get(name) {
                None => out.error("MESH_PRIMITIVE_MORPH_TARGET_NO_BASE_ACCESSOR", place.clone()),
                Some(base) if *base != count => {
                    out.error("MESH_PRIMITIVE_MORPH_TARGET_INVALID_ATTRIBUTE_COUNT", place.clone());
                }
                Some(_) => {}
            }
            vertex_data(file, index, name, &place, &morphed, out);
        }
    }
}

fn indices(
    file: &mut File,
    index: usize,
    p: &Primitive,
    place: String,
    out: &mut Report,
) -> Option<usize> {
    let File { accessors, views, .. } = file;
    let a = accessors[index].as_mut()?;
    use_accessor(a, Usage::Index, &place, out);
    use_view(views, a.view, Usage::Index, &place, out);
    if a.view
        .and_then(|v| views.get(v))
        .and_then(Option::as_ref)
        .is_some_and(|v| v.stride.is_some())
    {
        out.error("MESH_PRIMITIVE_INDICES_ACCESSOR_WITH_BYTESTRIDE", place.clone());
    }
    if !matches!(a.format(), ("SCALAR", 5121 | 5123 | 5125, false)) {
        out.error("MESH_PRIMITIVE_INDICES_ACCESSOR_INVALID_FORMAT", place);
    } else if p.mode.is_some() {
        a.rules.push(ElementRule::Indices(place, p.vertices));
    }
    a.count
}

fn nodes(file: &mut File, out: &mut Report) {
    let (meshes, skins, cameras) = (&file.meshes, &file.skins, file.cameras);
    for node in file.nodes.iter().flatten() {
        if node.camera.is_some_and(|c| c >= cameras) {
            out.error("UNRESOLVED_REFERENCE", format!("{}/camera", node.at));
        }
        let skin = found(skins, node.skin, || format!("{}/skin", node.at), out);
        let mesh = found(meshes, node.mesh, || format!("{}/mesh", node.at), out);
        let Some(primitives) =
            mesh.and_then(|m| meshes[m].as_ref()).and_then(|m| m.primitives.as_ref())
        else {
            continue;
        };
        let targets = primitives.first().and_then(|p| p.targets.as_ref()).map(Vec::len);
        if node.weights.is_some_and(|count| targets != Some(count)) {
            out.error("NODE_WEIGHTS_INVALID", format!("{}/weights", node.at));
        }
        let skinned = primitives.iter().any(|p| p.joints > 0);
        if skin.is_some() && !skinned {
            out.error("NODE_SKIN_WITH_NON_SKINNED_MESH", node.at.clone());
        }
        if node.skin.and_then(|s| skins.get(s)).and_then(Option::as_ref).is_none() && skinned {
            out.warning("NODE_SKINNED_MESH_WITHOUT_SKIN", node.at.clone());
        }
    }
    for k in 0..file.nodes.len() {
        let Some(node) = &file.nodes[k] else { continue };
        let (at, children) = (node.at.clone(), node.children.clone());
        for (c, child) in children.iter().flatten().enumerate() {
            let place = || format!("{at}/children/{c}");
            let Some(child) = found(&file.nodes, *child, place, out) else { continue };
            if let Some(child) = file.nodes[child].as_mut()
                && child.parent.replace(k).is_some()
            {
                out.error("NODE_PARENT_OVERRIDE", place());
            }
        }
    }
}

/// The nodes from one up to its root; a loop is gone round once.
fn chain(file: &File, node: usize) -> Vec<usize> {
    let mut way = Vec::new();
    let mut seen = HashSet::new();
    let mut at = Some(node);
    while let Some(node) = at.filter(|n| seen.insert(*n)) {
        way.push(node);
        at = file.nodes[node].as_ref().and_then(|n| n.parent);
    }
    way
}

fn skin(file: &mut File, skin: &mut Skin, out: &mut Report) {
    if let Some(joints) = &skin.joints {
        // Of nodes far down a chain the way up is gone once: what all have in common ends where the
        // first does.
        let mut above: HashSet<usize> = HashSet::new();
        for (k, joint) in joints.iter().enumerate() {
            let Some(joint) = found(&file.nodes, *joint, || format!("{}/joints/{k}", skin.at), out)
            else {
                continue;
            };
            if skin.roots.is_empty() {
                skin.roots = chain(file, joint);
                above = skin.roots.iter().copied().collect();
                continue;
            }
            let mut at = Some(joint);
            let mut seen = HashSet::new();
            // The first common one; all above it are common, too.
            let meets = loop {
                match at.filter(|n| seen.insert(*n)) {
                    Some(node) if above.contains(&node) => break Some(node),
                    Some(node) => at = file.nodes[node].as_ref().and_then(|n| n.parent),
                    None => break None,
                }
            };
            let from = meets
                .and_then(|m| skin.roots.iter().position(|r| *r == m))
                .unwrap_or(skin.roots.len());
            for gone in skin.roots.drain(..from) {
                above.remove(&gone);
            }
        }
        if skin.roots.is_empty() {
            out.error("SKIN_NO_COMMON_ROOT", format!("{}/joints", skin.at));
        }
    }
    let place = format!("{}/inverseBindMatrices", skin.at);
    if let Some(index) = found(&file.accessors, skin.bind, || place.clone(), out) {
        let File { accessors, views, .. } = file;
        if let Some(a) = accessors[index].as_mut() {
            use_accessor(a, Usage::Bind, &place, out);
            use_view(views, a.view, Usage::Bind, &place, out);
            if a.view
                .and_then(|v| views.get(v))
                .and_then(Option::as_ref)
                .is_some_and(|v| v.stride.is_some())
            {
                out.error("SKIN_IBM_ACCESSOR_WITH_BYTESTRIDE", place.clone());
            }
            if a.format() == ("MAT4", 5126, false) {
                a.rules.push(ElementRule::Bind(place.clone()));
            } else {
                out.error("SKIN_IBM_INVALID_FORMAT", place.clone());
            }
            if skin.joints.as_ref().is_some_and(|j| a.count.is_none_or(|c| c < j.len())) {
                out.error("INVALID_IBM_ACCESSOR_COUNT", place);
            }
        }
    }
    let place = || format!("{}/skeleton", skin.at);
    if let Some(skeleton) = found(&file.nodes, skin.skeleton, place, out)
        && !skin.roots.contains(&skeleton)
    {
        out.error("SKIN_SKELETON_INVALID", place());
    }
}

fn animations(file: &mut File, out: &mut Report) {
    let animations = std::mem::take(&mut file.animations);
    for animation in animations.iter().flatten() {
        if let (Some(channels), Some(samplers)) = (&animation.channels, &animation.samplers) {
            for (k, sampler) in samplers.iter().enumerate() {
                self::sampler(file, sampler, &format!("{}/samplers/{k}", animation.at), out);
            }
            let mut later: HashMap<(usize, &str), usize> = HashMap::new();
            for channel in channels {
                if let Some((Some(node), path)) =
                    channel.target.as_ref().map(|t| (t.node, t.path.as_deref()))
                {
                    *later.entry((node, path.unwrap_or_default())).or_default() += 1;
                }
            }
            for (k, channel) in channels.iter().enumerate() {
                let place = format!("{}/channels/{k}", animation.at);
                self::channel(file, channel, samplers, &place, out);
                if let Some((Some(node), path)) =
                    channel.target.as_ref().map(|t| (t.node, t.path.as_deref()))
                    && let Some(count) = later.get_mut(&(node, path.unwrap_or_default()))
                {
                    *count -= 1;
                    if *count > 0 {
                        out.error("ANIMATION_DUPLICATE_TARGETS", format!("{place}/target"));
                    }
                }
            }
        }
    }
    file.animations = animations;
}

fn sampler(file: &mut File, sampler: &Sampler, at: &str, out: &mut Report) {
    for (key, index, usage) in
        [("input", sampler.input, Usage::Times), ("output", sampler.output, Usage::Values)]
    {
        let place = format!("{at}/{key}");
        let Some(index) = found(&file.accessors, index, || place.clone(), out) else { continue };
        let File { accessors, views, .. } = file;
        let Some(a) = accessors[index].as_mut() else { continue };
        use_accessor(a, usage, &place, out);
        use_view(views, a.view, usage, &place, out);
        if a.view
            .and_then(|v| views.get(v))
            .and_then(Option::as_ref)
            .is_some_and(|v| v.stride.is_some())
        {
            out.error("ANIMATION_SAMPLER_ACCESSOR_WITH_BYTESTRIDE", place.clone());
        }
        if usage != Usage::Times {
            continue;
        }
        if a.format() == ("SCALAR", 5126, false) {
            a.rules.push(ElementRule::Times(place.clone()));
        } else {
            out.error("ANIMATION_SAMPLER_INPUT_ACCESSOR_INVALID_FORMAT", place.clone());
        }
        if a.min.is_none() || a.max.is_none() {
            out.error("ANIMATION_SAMPLER_INPUT_ACCESSOR_WITHOUT_BOUNDS", place.clone());
        }
        if sampler.cubic && a.count.is_none_or(|c| c < 2) {
            out.error("ANIMATION_SAMPLER_INPUT_ACCESSOR_TOO_FEW_ELEMENTS", place);
        }
    }
}

fn channel(file: &mut File, channel: &Channel, samplers: &[Sampler], at: &str, out: &mut Report) {
    let target = channel.target.as_ref();
    let path = target.and_then(|t| t.path.as_deref()).unwrap_or_default();
    let node = target.and_then(|t| found(&file.nodes, t.node, || format!("{at}/target/node"), out));
    let targets = node
        .and_then(|n| file.nodes[n].as_ref()?.mesh)
        .and_then(|m| file.meshes.get(m)?.as_ref()?.primitives.as_ref()?.first())
        .and_then(|p| p.targets.as_ref())
        .map(Vec::len);
    if let Some(node) = node.and_then(|n| file.nodes[n].as_ref()) {
        match path {
            "translation" | "rotation" | "scale" => {
                if node.matrix.is_some() {
                    out.error("ANIMATION_CHANNEL_TARGET_NODE_MATRIX", format!("{at}/target"));
                }
                if node.skin.and_then(|s| file.skins.get(s)).is_some_and(Option::is_some) {
                    out.warning("ANIMATION_CHANNEL_TARGET_NODE_SKIN", format!("{at}/target/path"));
                }
            }
            "weights" if targets.is_none() => {
                out.error(
                    "ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS",
                    format!("{at}/target"),
                );
            }
            _ => {}
        }
    }
    let Some(sampler) = channel.sampler else { return };
    let Some(sampler) = samplers.get(sampler) else {
        out.error("UNRESOLVED_REFERENCE", format!("{at}/sampler"));
        return;
    };
    let count = sampler.input.and_then(|i| file.accessors.get(i)?.as_ref()?.count);
    let Some(output) =
        sampler.output.and_then(|o| file.accessors.get_mut(o)).and_then(Option::as_mut)
    else {
        return;
    };
    if target.is_none() {
        return;
    }
    let place = format!("{at}/sampler");
    if path == "rotation" && output.width == 4 {
        output.rules.push(ElementRule::Rotations(place.clone(), sampler.cubic));
    }
    let shares =
        |component: usize, normalized: bool| (component == 5126) != normalized && component != 5125;
    let (kind, component, normalized) = output.format();
    let sound = match path {
        "translation" | "scale" => (kind, component, normalized) == ("VEC3", 5126, false),
        "rotation" => kind == "VEC4" && shares(component, normalized),
        "weights" => kind == "SCALAR" && shares(component, normalized),
        _ => true,
    };
    if !sound {
        out.error("ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_FORMAT", place.clone());
    }
    if let (Some(count), Some(found)) = (count, output.count) {
        let each = match path {
            "translation" | "rotation" | "scale" => 1,
            "weights" => targets.unwrap_or(0),
            _ => 0,
        };
        let wanted = count.saturating_mul(if sampler.cubic { 3 } else { 1 }).saturating_mul(each);
        if wanted > 0 && wanted != found {
            out.error("ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT", place);
        }
    }
}

fn scenes(file: &mut File, out: &mut Report) {
    if file.scene.is_some_and(|s| s >= file.scenes.len()) {
        out.error("UNRESOLVED_REFERENCE", "/scene".into());
    }
    for k in 0..file.scenes.len() {
        let Some(Some(roots)) = file.scenes.get(k).cloned() else { continue };
        let mut todo = Vec::new();
        for (c, node) in roots.iter().enumerate() {
            let place = || format!("/scenes/{k}/nodes/{c}");
            let Some(node) = found(&file.nodes, *node, place, out) else { continue };
            if file.nodes[node].as_ref().is_some_and(|n| n.parent.is_some()) {
                out.error("SCENE_NON_ROOT_NODE", place());
            }
            todo.push(node);
        }
        while let Some(node) = todo.pop() {
            let Some(node) = file.nodes.get_mut(node).and_then(Option::as_mut) else { continue };
            if node.scenes.insert(k) {
                todo.extend(node.children.iter().flatten().flatten().copied());
            }
        }
    }
}

/// What is wrong with where nodes are, now that all is linked.
fn placed(file: &File, out: &mut Report) {
    let count = file.nodes.len();
    // Each node's way up is gone once: 0 not yet, else the walk that saw it first.
    let mut walk = vec![0usize; count];
    let mut loops = HashSet::new();
    let parent = |n: usize| file.nodes[n].as_ref().and_then(|n| n.parent);
    for start in 0..count {
        let mut way = Vec::new();
        let mut at = Some(start);
        while let Some(node) = at.filter(|n| walk[*n] == 0) {
            walk[node] = start + 1;
            way.push(node);
            at = parent(node);
        }
        if let Some(node) = at.filter(|n| walk[*n] == start + 1)
            && let Some(from) = way.iter().position(|w| *w == node)
        {
            loops.extend(way[from..].iter().copied());
        }
    }
    // Skinned meshes below nodes that move nothing, as Blender exports them.
    let mut unmoved = 0;
    for (k, node) in file.nodes.iter().enumerate() {
        let Some(node) = node else { continue };
        if loops.contains(&k) {
            out.error("NODE_LOOP", node.at.clone());
        }
        let Some(skin) = node.skin.and_then(|s| file.skins.get(s)).and_then(Option::as_ref) else {
            continue;
        };
        if node.parent.is_some() {
            if is_moved_above(file, k, &loops) {
                out.warning("NODE_SKINNED_MESH_NON_ROOT", node.at.clone());
            } else {
                unmoved += 1;
            }
        }
        let is =
            |list: &Option<Vec<f32>>, plain: &[f32]| list.as_deref().is_none_or(|l| l == plain);
        let plain = node.matrix.is_none_or(|m| m == glam::Mat4::IDENTITY.to_cols_array())
            && is(&node.translation, &[0.0; 3])
            && is(&node.rotation, &[0.0, 0.0, 0.0, 1.0])
            && is(&node.scale, &[1.0; 3]);
        if !plain {
            out.warning("NODE_SKINNED_MESH_LOCAL_TRANSFORMS", node.at.clone());
        }
        let root =
            skin.roots.iter().filter_map(|r| file.nodes[*r].as_ref()).find(|r| r.parent.is_none());
        if root.is_some_and(|root| !node.scenes.is_subset(&root.scenes)) {
            out.error("NODE_SKIN_NO_SCENE", node.at.clone());
        }
    }
    out.infos("NODE_SKINNED_MESH_NON_ROOT", || "/nodes".to_owned(), unmoved);
}

/// Whether the nodes above one come to a transform that would be seen if it counted.
fn is_moved_above(file: &File, node: usize, loops: &HashSet<usize>) -> bool {
    /// Of the elements of a matrix: a ten-thousandth of a meter, and of a scale of 1.
    const SAME: f32 = 1e-4;
    let parent = |n: usize| file.nodes.get(n).and_then(Option::as_ref).and_then(|n| n.parent);
    let mut above = Mat4::IDENTITY;
    let mut at = parent(node);
    while let Some(n) = at {
        if loops.contains(&n) {
            return true;
        }
        let Some(found) = file.nodes.get(n).and_then(Option::as_ref) else { break };
        above = local(found) * above;
        at = found.parent;
    }
    !above.abs_diff_eq(Mat4::IDENTITY, SAME)
}

/// The local transform of a node; a member that is not of its form does nothing.
fn local(node: &Node) -> Mat4 {
    if let Some(matrix) = &node.matrix {
        return Mat4::from_cols_array(matrix);
    }
    let three = |list: &Option<Vec<f32>>, usual: Vec3| {
        list.as_deref().and_then(|l| <[f32; 3]>::try_from(l).ok()).map_or(usual, Vec3::from_array)
    };
    let turn = node.rotation.as_deref().and_then(|l| <[f32; 4]>::try_from(l).ok());
    let turn = turn.map_or(Quat::IDENTITY, Quat::from_array);
    Mat4::from_scale_rotation_translation(
        three(&node.scale, Vec3::ONE),
        turn,
        three(&node.translation, Vec3::ZERO),
    )
}
