//! Details of an imported clip: its preview, and the fit of its skeleton.

use egui::{Align, Align2, Layout, Rect, RichText, Sense, Stroke, TextureId, Ui, pos2, vec2};
use egui_material_icons::icons;

use super::parts::{many, plain, small, warning};
use crate::ui::{
    Actions, DialogAction, ImportDraft, ImportFile, ImportView, Theme,
    collapsing::collapsing,
    drop_down::{combo_box, option_value},
    theme::Font,
    widgets::{check, cut, edged, icon_button, name_widget, paint_icon, segment, segments},
};
use ulna_edit::command::KeysHow;
use ulna_model::{Document, NodeId};
use ulna_render::ColorRole;

/// Shows buttons that open a file on its own, if its clips do not fit this model.
pub fn open_ui(ui: &mut Ui, file: &ImportFile, actions: &mut Actions) {
    let Some(path) = &file.path else { return };
    if plain(ui, "Open it instead").clicked() {
        actions.push(DialogAction::OpenPath(path.clone()));
    }
    if plain(ui, "Open in new window")
        .on_hover_text("Opens the file in a second Ulna window")
        .clicked()
    {
        actions.push(DialogAction::OpenApart(path.clone()));
    }
}

/// Draws the image of a clip, if there is one.
pub fn picture_ui(ui: &Ui, theme: &Theme, picture: Option<Option<TextureId>>, rect: Rect) {
    ui.painter().rect_filled(rect, 3.0, theme.color(ColorRole::SurfaceControl));
    if let Some(Some(picture)) = picture {
        let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
        egui::Image::from_texture((picture, rect.size()))
            .uv(whole)
            .corner_radius(3)
            .paint_at(ui, rect);
    }
}

/// Draws the skeleton of the clip's own file.
fn bones_ui(ui: &Ui, theme: &Theme, bones: &[[[f32; 2]; 2]], rect: Rect) {
    ui.painter().rect_filled(rect, 3.0, theme.color(ColorRole::SurfaceControl));
    let painter = ui.painter_at(rect);
    let middle = pos2(rect.center().x, rect.center().y);
    let size = rect.height() * 0.86;
    let at = |[x, y]: [f32; 2]| middle + vec2(x, -y) * size;
    let (bone, joint) =
        (theme.color(ColorRole::TextSecondary), theme.color(ColorRole::TextPrimary));
    for [from, to] in bones {
        painter.line_segment([at(*from), at(*to)], Stroke::new(2.0, bone));
        painter.circle_filled(at(*to), 1.8, joint);
    }
    if bones.is_empty() {
        painter.text(
            middle,
            Align2::CENTER_CENTER,
            "The file has no joints",
            Theme::font(Font::Small),
            theme.color(ColorRole::TextTertiary),
        );
    }
}

/// All joints, in the order of the node tree.
fn all_joints(document: &Document) -> Vec<NodeId> {
    let is_joint = document.joint_flags();
    document.nodes.order().iter().copied().filter(|n| is_joint[n.index()]).collect()
}

/// Shows the choice of counterparts: first for joints without one, then for guessed ones. A choice
/// applies to all files with a joint of that name.
fn counterparts_ui(
    ui: &mut Ui,
    theme: &Theme,
    document: &Document,
    file: &ImportFile,
    now: &mut ImportDraft,
) {
    /// Maximum number of listed joints. Files with more unmatched joints have another kind of body.
    const MOST: usize = 60;
    if !file.asked.is_empty() {
        let joints = all_joints(document);
        ui.add_space(4.0);
        let head = format!("Not matched, {} in this file", file.asked.len());
        ui.label(
            RichText::new(head)
                .font(Theme::font(Font::Small))
                .color(theme.color(ColorRole::SeverityWarning)),
        );
        for theirs in file.asked.iter().take(MOST) {
            counterpart_ui(ui, theme, document, &joints, (theirs, None), now);
        }
        if file.asked.len() > MOST {
            small(ui, theme, &format!("and {} more", file.asked.len() - MOST));
        }
    }
    if !file.guessed.is_empty() {
        let joints = all_joints(document);
        ui.add_space(2.0);
        let head = format!("Matched by similar name or body part, {}", file.guessed.len());
        let head = RichText::new(head)
            .font(Theme::font(Font::Small))
            .color(theme.color(ColorRole::TextSecondary));
        collapsing(ui, head, ("guessed", &file.name), |ui| {
            for (theirs, ours) in &file.guessed {
                counterpart_ui(ui, theme, document, &joints, (theirs, Some(*ours)), now);
            }
        });
    }
    if !now.by_hand.is_empty() {
        small(ui, theme, "These matches apply to all imported files with the same joint names.");
    }
}

/// Shows a joint of the file with a list of counterparts. Choosing the automatic match removes the
/// user's choice.
fn counterpart_ui(
    ui: &mut Ui,
    theme: &Theme,
    document: &Document,
    joints: &[NodeId],
    (theirs, found): (&str, Option<NodeId>),
    now: &mut ImportDraft,
) {
    let chosen = now.by_hand.get(theirs).copied().unwrap_or(found);
    ui.horizontal(|ui| {
        let (rect, _) = ui.allocate_exact_size(vec2(128.0, 24.0), Sense::hover());
        let font = Theme::font(Font::NumberSmall);
        let text = cut(ui, theirs, &font, rect.width() - 8.0);
        ui.painter().text(
            rect.left_center(),
            Align2::LEFT_CENTER,
            text,
            font,
            theme.color(ColorRole::TextPrimary),
        );
        let shown = chosen.map_or_else(|| "Skip joint".to_owned(), |n| document.node(n).label(n));
        let width = ui.available_width() - 4.0;
        let mut to = chosen;
        let list = combo_box(("counterpart", theirs))
            .selected_text(cut(ui, &shown, &Theme::font(Font::Body), width - 30.0))
            .width(width)
            .height(280.0)
            .show_ui(ui, |ui| {
                option_value(ui, &mut to, None, "Skip joint");
                for node in joints {
                    option_value(ui, &mut to, Some(*node), &document.node(*node).label(*node));
                }
            });
        list.response.widget_info(|| {
            egui::WidgetInfo::labeled(
                egui::Role::ComboBox,
                true,
                format!("Joint for {theirs}: {shown}"),
            )
        });
        if to == found {
            now.by_hand.remove(theirs);
        } else if to != chosen {
            now.by_hand.insert(theirs.to_owned(), to);
        }
    });
}

/// Shows the preview of the clip on this model, or on its own skeleton.
fn preview_ui(
    ui: &mut Ui,
    theme: &Theme,
    found: &ImportView,
    now: &mut ImportDraft,
    actions: &mut Actions,
) {
    let Some(about) = found.rows.get(now.shown) else { return };
    let width = ui.available_width();
    let (rect, response) = ui.allocate_exact_size(vec2(width, width * 0.5), Sense::click());
    let moment = Some(&found.now).filter(|m| m.row == now.shown);
    if now.as_dropped {
        bones_ui(ui, theme, moment.map_or(&[], |m| &m.bones), rect);
    } else {
        match moment.and_then(|m| m.picture) {
            Some(picture) => picture_ui(ui, theme, Some(Some(picture)), rect),
            None => picture_ui(ui, theme, about.picture, rect),
        }
    }
    if about.length > 0.0 {
        let share = moment.map_or(0.0, |m| (m.time / about.length).clamp(0.0, 1.0));
        let bar = Rect::from_min_max(pos2(rect.left(), rect.bottom() - 2.0), rect.max);
        ui.painter().rect_filled(bar, 0.0, theme.color(ColorRole::SurfaceField));
        let gone = bar.with_max_x(bar.left() + bar.width() * share);
        ui.painter().rect_filled(gone, 0.0, theme.color(ColorRole::AccentBase));
        let (word, icon) = if now.still {
            ("Play the preview", icons::ICON_PLAY_ARROW)
        } else {
            ("Pause the preview", icons::ICON_PAUSE)
        };
        name_widget(ui, &response, word);
        if response.hovered() || now.still {
            let at = rect.left_bottom() + vec2(16.0, -18.0);
            ui.painter().circle_filled(at, 11.0, theme.color(ColorRole::SurfaceControl));
            paint_icon(ui.painter(), at, icon, 16.0, theme.color(ColorRole::TextPrimary));
        }
        now.still ^= response.clicked();
    }
    ui.add_space(2.0);
    ui.horizontal(|ui| {
        segments(ui, theme, |ui| {
            for (as_dropped, text) in [(false, "Retargeted"), (true, "As in the file")] {
                if segment(ui, theme, text, now.as_dropped == as_dropped, false).clicked() {
                    now.as_dropped = as_dropped;
                }
            }
        });
        let Some(path) = &found.files[about.file].path else { return };
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if icon_button(
                ui,
                theme,
                icons::ICON_OPEN_IN_NEW,
                "Open the file in a new window",
                "",
                false,
                Ok(()),
            )
            .clicked()
            {
                actions.push(DialogAction::OpenApart(path.clone()));
            }
            if icon_button(
                ui,
                theme,
                icons::ICON_FILE_OPEN,
                "Open the file instead",
                "",
                false,
                Ok(()),
            )
            .clicked()
            {
                actions.push(DialogAction::OpenPath(path.clone()));
            }
        });
    });
}

/// Shows which retarget map of this scene is used for the file, with an option to ignore it.
fn map_ui(ui: &mut Ui, theme: &Theme, file: &ImportFile, now: &mut ImportDraft) {
    let Some(name) = &file.kept_map else { return };
    let is_used = file.fit.as_ref().is_some_and(|fit| fit.map.is_some());
    // Copied keys and manual matches need no retarget map.
    if !is_used && !now.without_map {
        return;
    }
    ui.horizontal_wrapped(|ui| {
        let (text, verb) = match is_used {
            true => ("Uses a retarget map of this file", "Do not use the map"),
            false => ("The retarget map of this file is not used", "Use the map"),
        };
        let label = RichText::new(text).font(Theme::font(Font::Small));
        ui.label(label.color(theme.color(ColorRole::TextPrimary)))
            .on_hover_text(format!("Retarget map “{name}”"));
        if plain(ui, verb).clicked() {
            now.without_map = is_used;
        }
    });
}

/// Draws a value with its label.
fn line_ui(ui: &mut Ui, theme: &Theme, (label, value): (&str, &str), role: ColorRole) {
    ui.horizontal(|ui| {
        ui.label(RichText::new(label).font(Theme::font(Font::Small)).color(theme.color(role)));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let font = Theme::font(Font::NumberSmall);
            let color = theme.color(ColorRole::TextPrimary);
            ui.label(RichText::new(value).font(font).color(color));
        });
    });
}

/// Draws the option to keep feet in place, and the sliding in meters before and after.
fn feet_ui(ui: &mut Ui, theme: &Theme, slide: Option<[f32; 2]>, keeps: &mut bool) {
    let about = "Contacts of the feet are found in the clip and kept on this body by IK";
    check(ui, theme, keeps, "Keep feet in place during contacts").on_hover_text(about);
    if let Some([before, after]) = slide {
        let value = format!("{:.1} cm → {:.1} cm", before * 100.0, after * 100.0);
        line_ui(ui, theme, ("Sliding in contacts", &value), ColorRole::TextSecondary);
    }
}

/// Shows the clip in the preview: its name, its motion, and the fit of its skeleton.
pub fn details_ui(
    ui: &mut Ui,
    theme: &Theme,
    document: Option<&Document>,
    found: &ImportView,
    now: &mut ImportDraft,
    actions: &mut Actions,
) {
    let Some(about) = found.rows.get(now.shown) else {
        if found.waiting.is_empty() {
            small(ui, theme, "These files contain no clips that fit this skeleton.");
        }
        return;
    };
    let file = &found.files[about.file];
    if let Some(name) = now.names.get_mut(now.shown) {
        let field = egui::TextEdit::singleline(name)
            .align(egui::Align2::LEFT_CENTER)
            .desired_width(f32::INFINITY)
            .font(egui::TextStyle::Body);
        let field = edged(ui, |ui| ui.add(field));
        name_widget(ui, &field, "Name of the clip");
    }
    ui.add_space(6.0);
    preview_ui(ui, theme, found, now, actions);
    ui.add_space(4.0);
    ui.spacing_mut().item_spacing.y = 3.0;
    let line = |ui: &mut Ui, label: &str, value: String, role: ColorRole| {
        line_ui(ui, theme, (label, &value), role);
    };
    let Some(fit) = &file.fit else { return };
    if about.is_other {
        ui.horizontal(|ui| open_ui(ui, file, actions));
    }
    map_ui(ui, theme, file, now);
    if fit.keeps_feet.is_some() {
        feet_ui(ui, theme, about.slide, &mut now.keep_feet);
    }
    line(
        ui,
        "Joints matched",
        format!("{} of {}", fit.matched(), fit.joints),
        ColorRole::TextPrimary,
    );
    if let Some(document) = document {
        counterparts_ui(ui, theme, document, file, now);
    }
    let [name, plain, role] = fit.found;
    line(ui, "By exact name", name.to_string(), ColorRole::TextSecondary);
    line(ui, "By name, ignoring prefix and case", plain.to_string(), ColorRole::TextSecondary);
    line(ui, "By body part", role.to_string(), ColorRole::TextSecondary);
    if fit.turned > 0 {
        line(
            ui,
            "With another rest pose or other axes",
            fit.turned.to_string(),
            ColorRole::TextPrimary,
        );
    }
    if (fit.ratio - 1.0).abs() > 0.005 {
        line(
            ui,
            "Travel scaled by height",
            format!("× {:.3}", fit.ratio),
            ColorRole::TextSecondary,
        );
    }
    if !about.lost.is_empty() {
        let few: Vec<&str> = about.lost.iter().take(4).map(String::as_str).collect();
        let more = if about.lost.len() > 4 {
            format!(" and {} more", about.lost.len() - 4)
        } else {
            String::new()
        };
        warning(ui, theme, &format!("Skipped, not in this file: {}{more}", few.join(", ")));
    }
    if about.resampled > 0 {
        small(
            ui,
            theme,
            &format!(
                "Adds keys to {} at the times at which their parents have keys.",
                many(about.resampled, "joint")
            ),
        );
    } else if about.slide.is_some() {
        small(ui, theme, "Keys of legs and hips are added during contacts; all others are kept.");
    } else if !fit.is_same() && now.how == KeysHow::Rests {
        small(
            ui,
            theme,
            "Keys are retargeted from the rest pose of the source to that of this model. Their \
            times and number stay the same.",
        );
    }
}
