//! Contents of a non-glTF file, and the files that were chosen together with it.

use egui::{Align2, Rect, Role, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2};
use egui_material_icons::{MaterialIcon, icons};

use super::{super::parts::many, INSET, section};
use crate::ui::{
    ConvertDraft, FileBeside, Theme,
    theme::Font,
    widgets::{check, cut, joint_icon, name_widget, paint_icon, thousands},
};
use ulna_render::ColorRole;
use ulna_session::Content;

const ROW: f32 = 26.0;
/// Maximum height of the list of files, in points.
const FILES: f32 = 4.0 * ROW;

/// Row of a kind of content.
struct ContentRow {
    /// Content that the row includes or excludes; `None` if it is always imported.
    content: Option<Content>,
    icon: Option<MaterialIcon>,
    kind: &'static str,
    count: usize,
    detail: String,
    /// Note on missing textures, such as *2 missing*; empty if none are missing.
    lacks: String,
}

/// Creates one row per kind of content in the file.
fn rows(draft: &ConvertDraft) -> Vec<ContentRow> {
    let (counts, found) = (&draft.counts, &draft.found);
    let row = |content, icon, kind, count, detail| ContentRow {
        content,
        icon,
        kind,
        count,
        detail,
        lacks: String::new(),
    };
    let joints = match counts.roots {
        0 | 1 => "joints, 1 root".to_owned(),
        n => format!("joints, {n} roots"),
    };
    let vertices = format!("{} vertices", thousands(counts.vertices));
    let skinned = if counts.is_skinned { ", skinned" } else { "" };
    let shapes: Vec<&str> = found.blend_shapes.iter().map(String::as_str).take(8).collect();
    let missing = found.missing_textures.len();
    let textures = match found.textures {
        0 => String::new(),
        n => many(n, "texture"),
    };
    let all = [
        row(None, None, "Skeleton", counts.joints, joints),
        row(
            Some(Content::Meshes),
            Some(icons::ICON_DEPLOYED_CODE),
            "Meshes",
            counts.meshes,
            format!("{vertices}{skinned}"),
        ),
        row(
            Some(Content::BlendShapes),
            Some(icons::ICON_FACE),
            "Blend shapes",
            found.blend_shapes.len(),
            shapes.join(", "),
        ),
        ContentRow {
            lacks: if missing == 0 { String::new() } else { format!("{missing} missing") },
            ..row(
                Some(Content::Materials),
                Some(icons::ICON_PALETTE),
                "Materials",
                found.materials,
                textures,
            )
        },
        row(
            Some(Content::CamerasAndLights),
            Some(icons::ICON_VIDEOCAM),
            "Cameras and lights",
            found.cameras_and_lights,
            String::new(),
        ),
    ];
    all.into_iter().filter(|r| r.count > 0).collect()
}

pub fn contents_ui(ui: &mut Ui, theme: &Theme, now: &mut ConvertDraft) {
    let made_by = now.found.made_by.clone();
    let remark = if made_by.is_empty() { now.format.to_owned() } else { made_by };
    section(ui, theme, "Contents", &remark, |_| {});
    let rows = rows(now);
    if rows.is_empty() {
        super::super::parts::small(ui, theme, "No skeleton, meshes, cameras or lights");
    }
    for row in rows {
        content_ui(ui, theme, now, &row);
    }
}

fn content_ui(ui: &mut Ui, theme: &Theme, now: &mut ConvertDraft, row: &ContentRow) {
    /// Distance from the left edge to the end of the count, in points.
    const COUNT: f32 = 208.0;
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::hover());
    let about = format!("{}: {} {}", row.kind, thousands(row.count), row.detail);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, about.trim_end()));
    let rect = rect.shrink2(vec2(INSET, 0.0));
    let takes = row.content.is_none_or(|content| now.takes(content));
    if let Some(content) = row.content {
        let with_meshes = matches!(content, Content::BlendShapes | Content::Materials);
        let able = !with_meshes || now.takes(Content::Meshes);
        let mut on = takes;
        box_ui(ui, theme, rect, &format!("Include {}", row.kind.to_lowercase()), able, &mut on);
        if on != takes {
            if on {
                now.conversion.without.remove(&content);
            } else {
                now.conversion.without.insert(content);
            }
        }
    }
    let strong = theme.color(if takes { ColorRole::TextPrimary } else { ColorRole::TextTertiary });
    let weak = theme.color(if takes { ColorRole::TextSecondary } else { ColorRole::TextTertiary });
    let at = pos2(rect.left() + 34.0, rect.center().y);
    match row.icon {
        Some(icon) => paint_icon(ui.painter(), at, icon, 16.0, weak),
        None => joint_icon(ui.painter(), at, weak),
    }
    let text = |left: f32, align, text: &str, font, color| {
        ui.painter().text(pos2(left, rect.center().y), align, text, font, color)
    };
    text(rect.left() + 50.0, Align2::LEFT_CENTER, row.kind, Theme::font(Font::Body), strong);
    let count = thousands(row.count);
    text(rect.left() + COUNT, Align2::RIGHT_CENTER, &count, Theme::font(Font::Number), strong);
    let small = Theme::font(Font::Small);
    let left = rect.left() + COUNT + 8.0;
    let lacks = if row.lacks.is_empty() { 0.0 } else { 110.0 };
    let detail = cut(ui, &row.detail, &small, rect.right() - left - lacks);
    let drawn = text(left, Align2::LEFT_CENTER, &detail, small.clone(), weak);
    if !row.lacks.is_empty() {
        let at = pos2(drawn.right() + 16.0, rect.center().y);
        let color = theme.color(ColorRole::SeverityWarning);
        paint_icon(ui.painter(), at, icons::ICON_WARNING, 16.0, color);
        text(at.x + 12.0, Align2::LEFT_CENTER, &row.lacks, small, strong);
        let names = now.found.missing_textures.join("\n");
        let place = Rect::from_min_max(pos2(drawn.right(), rect.top()), rect.max);
        let response = ui.interact(place, ui.scope_id().with("missing textures"), Sense::hover());
        name_widget(ui, &response, "Missing textures");
        response.on_hover_text(names);
    }
}

/// Shows a checkbox on the left of a row.
pub fn box_ui(ui: &mut Ui, theme: &Theme, row: Rect, name: &str, able: bool, on: &mut bool) {
    let place = Rect::from_min_size(pos2(row.left(), row.center().y - 12.0), vec2(20.0, 24.0));
    let mut inner = ui.new_child(UiBuilder::new().max_rect(place).id_salt(name));
    inner.add_enabled_ui(able, |ui| {
        let response = check(ui, theme, on, "");
        name_widget(ui, &response, name);
    });
}

/// Lists the files that were chosen together: the file of the model, and the files with clips for
/// it.
pub fn files_ui(ui: &mut Ui, theme: &Theme, now: &mut ConvertDraft) {
    let count = now.others.len() + 1;
    section(ui, theme, "Files", &format!("{count}, opened as one model"), |_| {});
    let height = FILES.min(count as f32 * ROW);
    egui::ScrollArea::vertical()
        .id_salt("files")
        .max_height(height)
        .auto_shrink([false, true])
        .show(ui, |ui| {
            let model = super::name_of(&now.path);
            file_ui(ui, theme, (&model, "the model", ColorRole::TextSecondary), None);
            for other in &mut now.others {
                let (about, role) = about(other);
                let FileBeside { name, takes, fault, clips, .. } = other;
                let able = fault.is_none() && *clips > 0;
                file_ui(ui, theme, (name, &about, role), Some((able, takes)));
            }
        });
}

/// Text about the clips that a file supplies, or the reason why it supplies none.
fn about(file: &FileBeside) -> (String, ColorRole) {
    let clips = many(file.clips, "clip");
    let [joints, here] = file.joints;
    match &file.fault {
        Some(fault) => (fault.clone(), ColorRole::SeverityWarning),
        None if file.clips == 0 => ("no clips for this model".to_owned(), ColorRole::TextSecondary),
        None if file.is_other => {
            let text = format!("{clips}, only {here} of {joints} joints match");
            (text, ColorRole::SeverityWarning)
        }
        None => (format!("{clips}, {here} of {joints} joints match"), ColorRole::TextSecondary),
    }
}

fn file_ui(
    ui: &mut Ui,
    theme: &Theme,
    (name, about, role): (&str, &str, ColorRole),
    takes: Option<(bool, &mut bool)>,
) {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::hover());
    let whole = format!("{name}: {about}");
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &whole));
    let rect = rect.shrink2(vec2(INSET, 0.0));
    if let Some((able, on)) = takes {
        box_ui(ui, theme, rect, &format!("Include clips of {name}"), able, on);
    }
    let (font, small) = (Theme::font(Font::Body), Theme::font(Font::Small));
    let left = rect.left() + 26.0;
    let shown = cut(ui, name, &font, (rect.right() - left) * 0.5);
    let color = theme.color(ColorRole::TextPrimary);
    let at = pos2(left, rect.center().y);
    let drawn = ui.painter().text(at, Align2::LEFT_CENTER, shown, font, color);
    let at = pos2(drawn.right() + 8.0, rect.center().y);
    let shown = cut(ui, about, &small, rect.right() - at.x);
    if shown != about {
        response.on_hover_text(about);
    }
    ui.painter().text(at, Align2::LEFT_CENTER, shown, small, theme.color(role));
}
