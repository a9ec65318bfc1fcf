//! Facts about the file, a mesh, a material, a skin, an image or a clip.

use egui::{RichText, Sense, Ui, vec2};

use crate::ui::{AssetRef, Theme, beside::Beside, theme::Font, widgets::thousands};
use ulna_edit::command::{frame_of, seam_in_words, travel_in_words};
use ulna_model::{
    AlphaMode, ClipId, Document, Interpolation, Material, MeshId, Primitive, Property, SkinId,
    Topology, picture_header,
};
use ulna_motion::clip_edit::{seam, travel};
use ulna_render::ColorRole;
use ulna_session::Session;

/// A number with its noun, such as `1 node` or `3 nodes`.
fn many(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{} {what}s", thousands(count)) }
}

/// Draws the name of a fact.
fn fact_name(ui: &mut Ui, theme: &Theme, name: &str) {
    let (rect, _) = ui.allocate_exact_size(vec2(104.0, 20.0), Sense::hover());
    ui.painter().text(
        rect.left_center(),
        egui::Align2::LEFT_CENTER,
        name,
        Theme::font(Font::Body),
        theme.color(ColorRole::TextSecondary),
    );
}

fn fact(ui: &mut Ui, theme: &Theme, name: &str, value: impl Into<String>) {
    ui.horizontal(|ui| {
        fact_name(ui, theme, name);
        let value = RichText::new(value).color(theme.color(ColorRole::TextPrimary));
        ui.add(egui::Label::new(value).truncate());
    });
}

/// Draws a fact whose value may take several lines.
fn long_fact(ui: &mut Ui, theme: &Theme, name: &str, value: &str) {
    ui.horizontal_top(|ui| {
        fact_name(ui, theme, name);
        ui.vertical(|ui| {
            ui.add_space(1.0);
            let value = RichText::new(value).color(theme.color(ColorRole::TextPrimary));
            ui.add(egui::Label::new(value).wrap());
        });
    });
}

/// Text with its first letter capitalized.
fn sentence_case(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

fn heading(ui: &mut Ui, theme: &Theme, text: &str) {
    ui.add_space(10.0);
    ui.label(
        RichText::new(text)
            .font(Theme::font(Font::Heading))
            .color(theme.color(ColorRole::TextPrimary)),
    );
    ui.add_space(2.0);
}

/// Draws facts about the whole file.
pub fn file(ui: &mut Ui, theme: &Theme, session: &Session) {
    let document = session.document();
    heading(ui, theme, "Model file");
    fact(ui, theme, "Name", session.file_name());
    fact(ui, theme, "Generator", session.generator.clone().unwrap_or_else(|| "unknown".into()));
    fact(ui, theme, "Nodes", thousands(document.nodes.count()));
    fact(ui, theme, "Visible vertices", thousands(document.shown_vertex_count()));
    if !session.extensions_used.is_empty() {
        fact(ui, theme, "Extensions", "");
        for name in &session.extensions_used {
            ui.label(
                RichText::new(format!("  {name}"))
                    .font(Theme::font(Font::Small))
                    .color(theme.color(ColorRole::TextPrimary)),
            );
        }
    }
}

/// Facts about a clip that are slow to compute.
#[derive(Clone, Debug, Default)]
pub struct ClipFacts {
    travel: Option<String>,
    seam: Option<String>,
    moves: String,
    keys: String,
    kinds: String,
    morphs: usize,
}

impl ClipFacts {
    fn of(document: &Document, id: ClipId) -> Self {
        let Some(clip) = document.clips.get(id) else { return Self::default() };
        let way = travel(document, clip).as_ref().and_then(travel_in_words);
        let nodes: std::collections::BTreeSet<_> =
            clip.tracks.targets().all().map(|(node, _)| node).collect();
        let count = |wanted: Interpolation| {
            clip.tracks.values().filter(|t| t.interpolation == wanted).count()
        };
        let kinds = [
            (Interpolation::Linear, "linear"),
            (Interpolation::CubicSpline, "cubic"),
            (Interpolation::Step, "stepped"),
        ];
        let kinds = kinds
            .into_iter()
            .map(|(kind, word)| (count(kind), word))
            .filter(|(count, _)| *count > 0);
        Self {
            travel: way,
            seam: seam(document, clip, frame_of(clip)).as_ref().map(seam_in_words),
            moves: format!("{}, {}", many(nodes.len(), "node"), many(clip.tracks.len(), "channel")),
            keys: thousands(clip.key_count()),
            kinds: kinds
                .map(|(count, word)| format!("{count} {word}"))
                .collect::<Vec<_>>()
                .join(", "),
            morphs: clip.tracks.values().filter(|t| t.property == Property::Weights).count(),
        }
    }
}

/// Draws facts about the displayed clip.
pub fn clip(
    found: &mut Beside<(u64, ClipId), ClipFacts>,
    ui: &mut Ui,
    theme: &Theme,
    (revision, document): (u64, &Document),
    id: ClipId,
) {
    let Some(clip) = document.clips.get(id) else { return };
    heading(ui, theme, "Clip");
    fact(ui, theme, "Name", document.clip_label(id));
    fact(ui, theme, "Length", format!("{:.3} s", clip.length()));
    if let Some(rate) = clip.ticks {
        fact(
            ui,
            theme,
            "Ticks",
            format!("{:.1} at {rate} per second", f64::from(clip.length()) * rate),
        );
    }
    let found = found.update(ui.ctx(), (revision, id), clip.key_count(), || {
        let document = document.clone();
        move || ClipFacts::of(&document, id)
    });
    let Some(found) = found else {
        ui.label(RichText::new("Measuring…").color(theme.color(ColorRole::TextTertiary)));
        return;
    };
    if let Some(way) = &found.travel {
        long_fact(ui, theme, "Travel", way);
    }
    if let Some(seam) = &found.seam {
        long_fact(ui, theme, "Loop", &sentence_case(seam));
    }
    fact(ui, theme, "Animates", found.moves.as_str());
    fact(ui, theme, "Keys", found.keys.as_str());
    fact(ui, theme, "Interpolation", found.kinds.as_str());
    if found.morphs > 0 {
        fact(ui, theme, "Morph channels", found.morphs.to_string());
    }
}

/// Draws facts about an element other than a node.
pub fn thing(ui: &mut Ui, theme: &Theme, document: &Document, thing: AssetRef) {
    heading(ui, theme, &format!("{} “{}”", thing.label(), thing.name(document)));
    match thing {
        AssetRef::Skin(k) => skin(ui, theme, document, k),
        AssetRef::Mesh(k) => mesh(ui, theme, document, k),
        AssetRef::Material(k) => {
            if let Some(found) = document.materials.get(k) {
                material(ui, theme, document, found);
            }
        }
        AssetRef::Image(k) => {
            let Some(image) = document.images.get(k.index()) else { return };
            fact(ui, theme, "Stored", format!("{} bytes", thousands(image.bytes.len())));
            let format = image::guess_format(&image.bytes).ok();
            fact(
                ui,
                theme,
                "Format",
                format.map_or_else(|| "unknown".into(), |f| format!("{f:?}").to_uppercase()),
            );
            if let Some(header) = format.and_then(|f| picture_header(&image.bytes, f).ok()) {
                let (w, h) = header.size;
                fact(ui, theme, "Size", format!("{w} × {h} pixels"));
            }
        }
    }
}

/// Draws facts about a skin.
pub fn skin(ui: &mut Ui, theme: &Theme, document: &Document, id: SkinId) {
    let Some(skin) = document.skins.get(id) else { return };
    fact(ui, theme, "Joints", skin.joints.len().to_string());
    fact(
        ui,
        theme,
        "Bind pose",
        if skin.has_inverse_bind {
            "stored in the file"
        } else {
            "not stored: current node transforms"
        },
    );
    let users = document.nodes.values().filter(|n| n.skin == Some(id)).count();
    fact(ui, theme, "Used by", many(users, "node"));
}

/// Draws facts about a mesh.
pub fn mesh(ui: &mut Ui, theme: &Theme, document: &Document, id: MeshId) {
    let Some(mesh) = document.meshes.get(id) else { return };
    fact(ui, theme, "Vertices", thousands(mesh.vertex_count()));
    let triangles = mesh
        .primitives
        .iter()
        .filter(|p| p.topology == Topology::Triangles)
        .map(|p| p.indices.len() / 3);
    fact(ui, theme, "Triangles", thousands(triangles.sum()));
    fact(ui, theme, "Primitives", mesh.primitives.len().to_string());
    if mesh.target_count() > 0 {
        fact(ui, theme, "Morph targets", mesh.target_count().to_string());
    }
    if let Some(sets) =
        mesh.primitives.iter().filter_map(|p| p.weights.as_ref()).map(|w| w.sets).max()
    {
        fact(ui, theme, "Influences", format!("up to {} per vertex", sets * 4));
    }
    for (index, primitive) in mesh.primitives.iter().enumerate().take(24) {
        let material = primitive
            .material
            .map_or_else(|| "no material".into(), |m| AssetRef::Material(m).name(document));
        fact(
            ui,
            theme,
            &format!("Primitive {index}"),
            format!("{material} · {}", attributes(primitive)),
        );
    }
}

fn attributes(primitive: &Primitive) -> String {
    let has = [
        (!primitive.normals.is_empty(), "normals"),
        (!primitive.tangents.is_empty(), "tangents"),
        (!primitive.uv0.is_empty(), "UV"),
        (!primitive.uv1.is_empty(), "UV 2"),
        (!primitive.colors.is_empty(), "colors"),
        (primitive.weights.is_some(), "weights"),
    ];
    let names: Vec<&str> =
        has.into_iter().filter(|(there, _)| *there).map(|(_, name)| name).collect();
    if names.is_empty() { "positions only".into() } else { names.join(", ") }
}

/// Draws facts about a material.
fn material(ui: &mut Ui, theme: &Theme, document: &Document, material: &Material) {
    let c = material.base_color;
    ui.horizontal(|ui| {
        fact(ui, theme, "Base color", format!("{:.2} {:.2} {:.2} {:.2}", c.x, c.y, c.z, c.w));
        let (rect, _) = ui.allocate_exact_size(vec2(28.0, 16.0), Sense::hover());
        let gamma = |v: f32| (v.clamp(0.0, 1.0).powf(1.0 / 2.2) * 255.0) as u8;
        let color = egui::Color32::from_rgb(gamma(c.x), gamma(c.y), gamma(c.z));
        ui.painter().rect(
            rect,
            3.0,
            color,
            egui::Stroke::new(1.0, theme.color(ColorRole::StrokeControl)),
            egui::StrokeKind::Inside,
        );
    });
    fact(ui, theme, "Metallic", format!("{:.2}", material.metallic));
    fact(ui, theme, "Roughness", format!("{:.2}", material.roughness));
    let alpha = match material.alpha {
        AlphaMode::Opaque => "opaque".to_owned(),
        AlphaMode::Mask(cut) => format!("mask, cutoff {cut:.2}"),
        AlphaMode::Blend => "blend".to_owned(),
    };
    fact(ui, theme, "Alpha", alpha);
    fact(ui, theme, "Sides", if material.double_sided { "both" } else { "front" });
    if material.transmission > 0.0 {
        fact(ui, theme, "Transmission", format!("{:.2}", material.transmission));
    }
    if material.unlit {
        fact(ui, theme, "Lighting", "unlit");
    }
    let textures = [
        ("Base texture", &material.base_color_texture),
        ("Metal-rough", &material.metallic_roughness_texture),
        ("Normal map", &material.normal_texture),
        ("Occlusion", &material.occlusion_texture),
        ("Emission", &material.emissive_texture),
    ];
    for (name, texture) in textures {
        if let Some(texture) = texture {
            fact(ui, theme, name, AssetRef::Image(texture.image).name(document));
        }
    }
}
