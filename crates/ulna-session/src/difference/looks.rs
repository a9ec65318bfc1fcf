//! Compares materials, images, cameras and lights.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    comparing::Comparing,
    finding::DifferenceKind,
    words::{six, sixes},
};
use ulna_model::{
    AlphaMode, Camera, CameraId, FileContent, Image, Light, LightId, LightKind, Material,
    MaterialId, Mip, NodeId, Primitive, Projection, Shared, TextureRef, VariantId, Wrap,
};

pub(super) fn label(d: &FileContent, id: MaterialId) -> String {
    let name = d.materials.get(id).and_then(|m| m.name.as_deref());
    name.map_or_else(|| format!("material {}", id.0), |n| format!("material “{n}”"))
}

/// Compares all pairs of materials, and the cameras, lights and images without a pair.
pub(super) fn compare(found: &mut Comparing<'_>) {
    let (a, b) = (found.a, found.b);
    let used = |d: &FileContent| -> BTreeSet<MaterialId> {
        let all = d.meshes.values().flat_map(|m| &m.primitives);
        all.flat_map(|p| p.material.into_iter().chain(p.variants.iter().map(|(_, m)| *m))).collect()
    };
    let (left, right) = (used(a), used(b));
    for pair in found.pairs.materials.clone() {
        match pair {
            (Some(x), Some(y)) => {
                found.renamed(
                    label(a, x),
                    a.materials[x].name.as_deref(),
                    b.materials[y].name.as_deref(),
                );
                for (what, values) in between(a, x, b, y) {
                    found.change(DifferenceKind::Looks, true, label(a, x), what, values);
                }
            }
            (Some(x), None) if !left.contains(&x) => {
                found.add_unseen(
                    DifferenceKind::Looks,
                    label(a, x),
                    "the unused material was removed",
                );
            }
            (None, Some(y)) if !right.contains(&y) => {
                found.add_unseen(
                    DifferenceKind::Looks,
                    label(b, y),
                    "an unused material was added",
                );
            }
            _ => {}
        }
    }
    if a.variants != b.variants {
        let names = |d: &FileContent| {
            d.variants.iter().map(|v| format!("“{v}”")).collect::<Vec<_>>().join(", ")
        };
        found.change(
            DifferenceKind::Looks,
            true,
            "variants",
            "the list of variants",
            [names(a), names(b)],
        );
    }
    images(found);
    unused(found);
}

/// Compares images by their bytes, and adds those that only one side has. Visible effects are
/// reported with the materials.
fn images(found: &mut Comparing<'_>) {
    let (a, b) = (found.a, found.b);
    let counted = |list: &[Image]| {
        let mut all: BTreeMap<(u128, usize), (i64, String)> = BTreeMap::new();
        for (k, Image { name, bytes }) in list.iter().enumerate() {
            let label =
                name.as_deref().map_or_else(|| format!("image {k}"), |n| format!("image “{n}”"));
            all.entry((hash(bytes), bytes.len())).or_insert((0, label)).0 += 1;
        }
        all
    };
    let (left, right) = (counted(&a.images), counted(&b.images));
    for (key, (_, label)) in left.iter().filter(|(key, _)| !right.contains_key(key)) {
        found.add_unseen(
            DifferenceKind::Looks,
            label.as_str(),
            format!("the image ({} bytes) was removed", key.1),
        );
    }
    for (key, (_, label)) in right.iter().filter(|(key, _)| !left.contains_key(key)) {
        found.add_unseen(
            DifferenceKind::Looks,
            label.as_str(),
            format!("the image ({} bytes) was added", key.1),
        );
    }
}

/// Compares the cameras and lights that no node uses.
fn unused(found: &mut Comparing<'_>) {
    let (a, b) = (found.a, found.b);
    let cameras = |d: &FileContent| -> BTreeSet<CameraId> {
        d.nodes.values().filter_map(|n| n.camera).collect()
    };
    let lights = |d: &FileContent| -> BTreeSet<LightId> {
        d.nodes.values().filter_map(|n| n.light).collect()
    };
    let loose_cameras = |d: &FileContent| -> Vec<Camera> {
        let used = cameras(d);
        d.cameras
            .iter()
            .enumerate()
            .filter(|(k, _)| !used.contains(&(*k).into()))
            .map(|(_, c)| c.clone())
            .collect()
    };
    let loose_lights = |d: &FileContent| -> Vec<Light> {
        let used = lights(d);
        d.lights
            .iter()
            .enumerate()
            .filter(|(k, _)| !used.contains(&(*k).into()))
            .map(|(_, l)| l.clone())
            .collect()
    };
    let (x, y) = (loose_cameras(a), loose_cameras(b));
    if x.len() != y.len() || x.iter().any(|c| !y.contains(c)) {
        found.add_unseen(DifferenceKind::Looks, "cameras", "unused cameras differ");
    }
    let (x, y) = (loose_lights(a), loose_lights(b));
    if x.len() != y.len() || x.iter().any(|l| !y.contains(l)) {
        found.add_unseen(DifferenceKind::Looks, "lights", "unused lights differ");
    }
}

/// Compares the materials of a primitive and of its variants.
pub(super) fn compare_used(found: &mut Comparing<'_>, p: &Primitive, q: &Primitive, place: &str) {
    let (a, b) = (found.a, found.b);
    used(found, (p.material, q.material), place, "its material");
    let by_name = |d: &FileContent,
                   list: &Shared<[(VariantId, MaterialId)]>|
     -> BTreeMap<String, MaterialId> {
        let name = |v: VariantId| {
            d.variants.get(v.index()).map_or_else(|| v.0.to_string(), ToString::to_string)
        };
        list.iter().map(|(v, m)| (name(*v), *m)).collect()
    };
    let (left, right) = (by_name(a, &p.variants), by_name(b, &q.variants));
    let names: BTreeSet<&String> = left.keys().chain(right.keys()).collect();
    for name in names {
        let what = format!("its material in the variant “{name}”");
        used(found, (left.get(name).copied(), right.get(name).copied()), place, &what);
    }
}

fn used(
    found: &mut Comparing<'_>,
    (x, y): (Option<MaterialId>, Option<MaterialId>),
    place: &str,
    what: &str,
) {
    let (a, b) = (found.a, found.b);
    let at = |m: Option<MaterialId>, d: &FileContent| m.filter(|k| d.materials.contains(*k));
    let (x, y) = (at(x, a), at(y, b));
    if x.is_none() && y.is_none() || found.pairs.materials.contains(&(x, y)) {
        return;
    }
    let (before, after) = (
        x.map_or_else(|| "none".to_owned(), |k| label(a, k)),
        y.map_or_else(|| "none".to_owned(), |k| label(b, k)),
    );
    match (x, y) {
        (Some(k), Some(l)) if between(a, k, b, l).is_empty() => {
            found.note(
                "other_material_same_look",
                place,
                &format!("{what} is {after} instead of {before}, which looks the same"),
            );
        }
        _ => found.change(DifferenceKind::Looks, true, place, what, [before, after]),
    }
}

/// Returns the differences between two materials: the name of each differing member, and both
/// values.
fn between(
    a: &FileContent,
    x: MaterialId,
    b: &FileContent,
    y: MaterialId,
) -> Vec<(&'static str, [String; 2])> {
    // Exhaustive pattern: a new member does not compile until it is compared here.
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
    } = &a.materials[x];
    let q = &b.materials[y];
    let mut all = Vec::new();
    let mut numbers = |what: &'static str, p: &[f32], q: &[f32]| {
        if p != q {
            all.push((what, [sixes(p), sixes(q)]));
        }
    };
    numbers("its base color", &base_color.to_array(), &q.base_color.to_array());
    numbers("its metallic factor", &[*metallic], &[q.metallic]);
    numbers("its roughness factor", &[*roughness], &[q.roughness]);
    numbers("the strength of its normal texture", &[*normal_scale], &[q.normal_scale]);
    numbers("the strength of its occlusion", &[*occlusion_strength], &[q.occlusion_strength]);
    numbers("its emissive color", &emissive.to_array(), &q.emissive.to_array());
    numbers("its transmission", &[*transmission], &[q.transmission]);
    let mode = |m: &AlphaMode| match m {
        AlphaMode::Opaque => "opaque".to_owned(),
        AlphaMode::Mask(cut) => format!("mask with cutoff {}", six(*cut)),
        AlphaMode::Blend => "blend".to_owned(),
    };
    if alpha != &q.alpha {
        all.push(("its alpha mode", [mode(alpha), mode(&q.alpha)]));
    }
    let yes = |is: bool| if is { "yes".to_owned() } else { "no".to_owned() };
    if double_sided != &q.double_sided {
        all.push(("double-sided", [yes(*double_sided), yes(q.double_sided)]));
    }
    if unlit != &q.unlit {
        all.push(("unlit", [yes(*unlit), yes(q.unlit)]));
    }
    let mut texture = |what: &'static str, p: &Option<TextureRef>, q: &Option<TextureRef>| {
        if !same_texture(a, p.as_ref(), b, q.as_ref()) {
            all.push((what, [texture_in_words(a, p.as_ref()), texture_in_words(b, q.as_ref())]));
        }
    };
    texture("its base color texture", base_color_texture, &q.base_color_texture);
    texture(
        "its metallic-roughness texture",
        metallic_roughness_texture,
        &q.metallic_roughness_texture,
    );
    texture("its normal texture", normal_texture, &q.normal_texture);
    texture("its occlusion texture", occlusion_texture, &q.occlusion_texture);
    texture("its emissive texture", emissive_texture, &q.emissive_texture);
    all
}

fn same_texture(
    a: &FileContent,
    p: Option<&TextureRef>,
    b: &FileContent,
    q: Option<&TextureRef>,
) -> bool {
    let (p, q) = match (p, q) {
        (None, None) => return true,
        (Some(p), Some(q)) => (p, q),
        _ => return false,
    };
    let bytes =
        |d: &FileContent, t: &TextureRef| d.images.get(t.image.index()).map(|i| i.bytes.clone());
    TextureRef { image: q.image, ..p.clone() } == *q && bytes(a, p) == bytes(b, q)
}

pub(super) fn texture_in_words(d: &FileContent, texture: Option<&TextureRef>) -> String {
    let Some(texture) = texture else { return "none".to_owned() };
    let TextureRef { image, uv_set, wrap, nearest, nearest_min, mip, offset, rotation, scale } =
        texture;
    let mut text = match d.images.get(image.index()) {
        Some(i) => {
            let name = i
                .name
                .as_deref()
                .map_or_else(|| format!("image {}", image.0), |n| format!("“{n}”"));
            format!("{name} ({} bytes, #{:08x})", i.bytes.len(), hash(&i.bytes) as u32)
        }
        None => "a missing image".to_owned(),
    };
    if *uv_set != 0 {
        text.push_str(&format!(", texture coordinates {uv_set}"));
    }
    if *wrap != [Wrap::Repeat; 2] {
        text.push_str(&format!(", wrapped {:?} {:?}", wrap[0], wrap[1]).to_lowercase());
    }
    if *nearest || *nearest_min {
        text.push_str(if *nearest {
            ", nearest-pixel magnification"
        } else {
            ", nearest-pixel minification"
        });
    }
    if *mip != Mip::Linear {
        text.push_str(&format!(", mipmaps {mip:?}").to_lowercase());
    }
    if (*offset, *rotation, *scale) != (glam::Vec2::ZERO, 0.0, glam::Vec2::ONE) {
        let (o, s) = (sixes(&offset.to_array()), sixes(&scale.to_array()));
        text.push_str(&format!(", offset {o}, rotated {}, scaled {s}", six(*rotation)));
    }
    text
}

pub(super) fn hash(bytes: &[u8]) -> u128 {
    xxhash_rust::xxh3::xxh3_128(bytes)
}

/// Compares the cameras of two paired nodes.
pub(super) fn compare_cameras(
    found: &mut Comparing<'_>,
    (node, x): (NodeId, Option<CameraId>),
    y: Option<CameraId>,
) {
    let camera =
        |d: &FileContent, id: Option<CameraId>| id.and_then(|c| d.cameras.get(c.index()).cloned());
    let (p, q) = (camera(found.a, x), camera(found.b, y));
    match (p, q) {
        (None, None) => {}
        (Some(Camera { name, projection }), Some(q)) => {
            if name != q.name {
                found.renamed(
                    format!("{}, camera", found.a.path(node)),
                    name.as_deref(),
                    q.name.as_deref(),
                );
            }
            if projection != q.projection {
                let values = [projection_in_words(&projection), projection_in_words(&q.projection)];
                found.change(DifferenceKind::Looks, true, found.a.path(node), "its camera", values);
            }
        }
        (None, Some(_)) => {
            found.add(DifferenceKind::Looks, found.a.path(node), "it now has a camera")
        }
        (Some(_), None) => {
            found.add(DifferenceKind::Looks, found.a.path(node), "its camera was removed")
        }
    }
}

pub(super) fn projection_in_words(projection: &Projection) -> String {
    let open = |v: &Option<f32>| v.map_or_else(|| "open".to_owned(), six);
    match projection {
        Projection::Perspective { yfov, aspect, near, far } => {
            let aspect = open(aspect);
            format!(
                "vertical field of view {}°, aspect ratio {aspect}, clip planes {} to {} m",
                six(yfov.to_degrees()),
                six(*near),
                open(far)
            )
        }
        Projection::Orthographic { xmag, ymag, near, far } => {
            format!(
                "orthographic {} × {} m, clip planes {} to {} m",
                six(xmag * 2.0),
                six(ymag * 2.0),
                six(*near),
                six(*far)
            )
        }
    }
}

/// Compares the lights of two paired nodes.
pub(super) fn compare_lights(
    found: &mut Comparing<'_>,
    (node, x): (NodeId, Option<LightId>),
    y: Option<LightId>,
) {
    let light =
        |d: &FileContent, id: Option<LightId>| id.and_then(|l| d.lights.get(l.index()).cloned());
    let (p, q) = (light(found.a, x), light(found.b, y));
    match (p, q) {
        (None, None) => {}
        (Some(p), Some(q)) => {
            if p.name != q.name {
                found.renamed(
                    format!("{}, light", found.a.path(node)),
                    p.name.as_deref(),
                    q.name.as_deref(),
                );
            }
            if (Light { name: q.name.clone(), ..p.clone() }) != q {
                let values = [light_in_words(&p), light_in_words(&q)];
                found.change(DifferenceKind::Looks, true, found.a.path(node), "its light", values);
            }
        }
        (None, Some(_)) => {
            found.add(DifferenceKind::Looks, found.a.path(node), "it now has a light")
        }
        (Some(_), None) => {
            found.add(DifferenceKind::Looks, found.a.path(node), "its light was removed")
        }
    }
}

pub(super) fn light_in_words(light: &Light) -> String {
    let Light { name: _, kind, color, intensity, range } = light;
    let kind = match kind {
        LightKind::Directional => "directional".to_owned(),
        LightKind::Point => "point".to_owned(),
        LightKind::Spot { inner, outer } => {
            format!(
                "spot with cone angles {}° to {}°",
                six(inner.to_degrees()),
                six(outer.to_degrees())
            )
        }
    };
    let range = range.map_or_else(|| "unlimited".to_owned(), |r| format!("{} m", six(r)));
    format!(
        "{kind}, color {}, intensity {}, range {range}",
        sixes(&color.to_array()),
        six(*intensity)
    )
}
