//! *Import clips*: the clips of other files, how well each fits this skeleton, and which are taken.

use egui::{
    Align, Align2, Key, Layout, Modifiers, Rect, RichText, ScrollArea, Sense, Stroke, TextureId,
    Ui, pos2, vec2,
};
use egui_material_icons::icons;

use super::parts::{head, many, plain, primary, small, warning};
use crate::ui::{
    Actions, Dialog, DialogAction, ImportDraft, ImportFile, ImportRow, ImportView, Theme, View,
    theme::Font,
    widgets::{check, cut, edged, icon_button, name_widget, paint_icon, row, segment, segments},
};
use ulna_edit::command::{KeysHow, TakenName};
use ulna_model::{Document, NodeId, rate_in_words};
use ulna_render::ColorRole;
use ulna_session::Fit;

const ROW: f32 = 44.0;
const LIST: f32 = 628.0;

pub fn import_ui(ui: &mut Ui, view: &View<'_>, draft: &ImportDraft, actions: &mut Actions) {
    let theme = view.theme;
    let Some(found) = view.dialogs.import else { return };
    let mut now = draft.clone();
    let count = now.ticked.iter().filter(|t| **t).count();
    let title = format!("Import {} into {}", many(count, "clip"), found.model);
    let read = match found.waiting.len() {
        0 => format!("{} read.", many(found.files.len(), "file")),
        left => format!(
            "Reading {} of {}…",
            found.files.len() + 1,
            many(found.files.len() + left, "file")
        ),
    };
    let words = format!("{read} Only clips are added; the model is not changed.");
    head(ui, theme, None, &title, &words, actions);
    keys(ui, found, &mut now);
    // In a low window both sides scroll, and the buttons stay in sight.
    let height = (ui.ctx().content_rect().height() - 216.0).clamp(160.0, 440.0);
    ui.horizontal_top(|ui| {
        ui.spacing_mut().item_spacing.x = 16.0;
        let room = ui.available_width();
        let list = LIST.min(room * 0.66);
        ui.allocate_ui_with_layout(vec2(list, height), Layout::top_down(Align::Min), |ui| {
            list_ui(ui, theme, found, &mut now, height - 40.0, actions);
        });
        ui.allocate_ui_with_layout(
            vec2(room - list - 16.0, height),
            Layout::top_down(Align::Min),
            |ui| {
                let document = view.session.map(|s| s.document());
                ScrollArea::vertical().auto_shrink([false, false]).id_salt("import details").show(
                    ui,
                    |ui| {
                        details_ui(ui, theme, document, found, &mut now, actions);
                    },
                );
            },
        );
    });
    ui.add_space(10.0);
    ui.horizontal(|ui| {
        small(ui, theme, "If the name exists");
        segments(ui, theme, |ui| {
            for (taken, text) in [
                (TakenName::Number, "Add a number"),
                (TakenName::Replace, "Replace"),
                (TakenName::Skip, "Skip"),
            ] {
                if segment(ui, theme, text, now.taken == taken, false).clicked() {
                    now.taken = taken;
                }
            }
        });
        ui.add_space(12.0);
        small(ui, theme, "If rest poses differ");
        segments(ui, theme, |ui| {
            for (how, text) in
                [(KeysHow::Rests, "Retarget"), (KeysHow::Copy, "Copy keys as they are")]
            {
                if segment(ui, theme, text, now.how == how, false).clicked() {
                    now.how = how;
                }
            }
        });
    });
    ui.add_space(8.0);
    foot_ui(ui, theme, found, draft, now, actions);
}

/// Arrows choose a row, Space takes it or leaves it.
fn keys(ui: &Ui, found: &ImportView, now: &mut ImportDraft) {
    if ui.memory(|m| m.focused().is_some()) || found.rows.is_empty() {
        return;
    }
    let pressed = |key| ui.input_mut(|i| i.consume_key(Modifiers::NONE, key));
    if pressed(Key::ArrowDown) {
        now.shown = (now.shown + 1).min(found.rows.len() - 1);
    }
    if pressed(Key::ArrowUp) {
        now.shown = now.shown.saturating_sub(1);
    }
    if pressed(Key::Space)
        && let Some(tick) = now.ticked.get_mut(now.shown)
    {
        *tick = !*tick && !found.rows[now.shown].is_empty;
    }
}

fn list_ui(
    ui: &mut Ui,
    theme: &Theme,
    found: &ImportView,
    now: &mut ImportDraft,
    height: f32,
    actions: &mut Actions,
) {
    let able = found.rows.iter().filter(|r| !r.is_empty).count();
    let count = now.ticked.iter().filter(|t| **t).count();
    ui.horizontal(|ui| {
        let mut all = count == able && able > 0;
        if check(ui, theme, &mut all, format!("{count} of {} selected", found.rows.len())).changed()
        {
            for (tick, row) in now.ticked.iter_mut().zip(&found.rows) {
                *tick = all && !row.is_empty;
            }
        }
    });
    ui.add_space(4.0);
    let shown = now.shown;
    theme.well().show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.spacing_mut().item_spacing.y = 0.0;
        ScrollArea::vertical()
            .auto_shrink([false, false])
            .max_height(height)
            .id_salt("import rows")
            .show_rows(
                ui,
                ROW,
                found.rows.len() + faulty(found).count() + found.waiting.len(),
                |ui, range| {
                    for k in range {
                        match found.rows.get(k) {
                            Some(_) => row_ui(ui, theme, found, now, k, k == shown),
                            None => {
                                let k = k - found.rows.len();
                                match faulty(found).nth(k) {
                                    Some(file) => fault_ui(ui, theme, file, actions),
                                    None => waiting_ui(
                                        ui,
                                        theme,
                                        found.waiting.get(k - faulty(found).count()),
                                    ),
                                }
                            }
                        }
                    }
                },
            );
    });
}

/// Files of which nothing comes in.
fn faulty(found: &ImportView) -> impl Iterator<Item = &ImportFile> {
    found.files.iter().filter(|f| f.fault.is_some())
}

/// A file that is not read yet.
fn waiting_ui(ui: &mut Ui, theme: &Theme, name: Option<&String>) {
    let Some(name) = name else { return };
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::hover());
    let font = Theme::font(Font::Body);
    let text = cut(ui, name, &font, rect.width() - 200.0);
    let left = pos2(rect.left() + 36.0, rect.center().y);
    ui.painter().text(left, Align2::LEFT_CENTER, text, font, theme.color(ColorRole::TextTertiary));
    let bar =
        Rect::from_min_size(pos2(rect.right() - 132.0, rect.center().y - 1.5), vec2(120.0, 3.0));
    ui.painter().rect_filled(bar, 1.5, theme.color(ColorRole::SurfaceControl));
    // There and back in two seconds.
    let part = (ui.input(|i| i.time) as f32 * std::f32::consts::PI).sin() * 0.5 + 0.5;
    let lit = Rect::from_min_size(pos2(bar.left() + part * 90.0, bar.top()), vec2(30.0, 3.0));
    ui.painter().rect_filled(lit, 1.5, theme.color(ColorRole::AccentBase));
}

fn fault_ui(ui: &mut Ui, theme: &Theme, file: &ImportFile, actions: &mut Actions) {
    /// Of the ways to open it.
    const WAYS: f32 = 240.0;
    let (whole, _) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::hover());
    let rect = if file.path.is_some() { whole.with_max_x(whole.right() - WAYS) } else { whole };
    let place = whole.with_min_x(whole.right() - WAYS).shrink2(vec2(8.0, 8.0));
    let mut place =
        ui.new_child(egui::UiBuilder::new().max_rect(place).id_salt(("ways", &file.name)));
    place.with_layout(Layout::right_to_left(Align::Center), |ui| open_ui(ui, file, actions));
    let at = pos2(rect.left() + 18.0, rect.center().y);
    paint_icon(
        ui.painter(),
        at,
        icons::ICON_WARNING,
        16.0,
        theme.color(ColorRole::SeverityWarning),
    );
    let why = file.fault.as_deref().unwrap_or_default();
    let room = rect.width() - 48.0;
    let (name, why) = (
        cut(ui, &file.name, &Theme::font(Font::Body), room),
        cut(ui, why, &Theme::font(Font::Small), room),
    );
    let painter = ui.painter();
    let left = rect.left() + 36.0;
    painter.text(
        pos2(left, rect.top() + 14.0),
        Align2::LEFT_CENTER,
        name,
        Theme::font(Font::Body),
        theme.color(ColorRole::TextTertiary),
    );
    painter.text(
        pos2(left, rect.top() + 30.0),
        Align2::LEFT_CENTER,
        why,
        Theme::font(Font::Small),
        theme.color(ColorRole::TextTertiary),
    );
}

/// Other ways to get at a file whose clips do not belong here.
fn open_ui(ui: &mut Ui, file: &ImportFile, actions: &mut Actions) {
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

/// How a skeleton rests, in a word.
const fn rest_word(fit: &Fit, is_other: bool) -> &'static str {
    match (is_other, fit.is_same()) {
        (true, _) => "other body",
        (false, true) => "same",
        (false, false) => "differs",
    }
}

fn row_ui(
    ui: &mut Ui,
    theme: &Theme,
    found: &ImportView,
    now: &mut ImportDraft,
    k: usize,
    is_shown: bool,
) {
    let about = &found.rows[k];
    let file = &found.files[about.file];
    let name = now.names.get(k).cloned().unwrap_or_default();
    let (rect, response) = row(ui, theme, ROW, &format!("Clip {name}"), is_shown);
    if response.clicked() {
        now.shown = k;
    }
    let ticked = now.ticked.get(k) == Some(&true);
    let tick = Rect::from_center_size(pos2(rect.left() + 18.0, rect.center().y), vec2(20.0, 20.0));
    let mut on = ticked;
    let mut place = ui.new_child(egui::UiBuilder::new().max_rect(tick).id_salt(("tick", k)));
    place.add_enabled_ui(!about.is_empty, |ui| {
        let response = check(ui, theme, &mut on, "");
        name_widget(ui, &response, &format!("Import {name}"));
    });
    if on != ticked
        && let Some(tick) = now.ticked.get_mut(k)
    {
        *tick = on;
    }
    let picture =
        Rect::from_min_size(pos2(rect.left() + 36.0, rect.center().y - 18.0), vec2(59.0, 36.0));
    picture_ui(ui, theme, about.picture, picture);
    let dim = if ticked { ColorRole::TextPrimary } else { ColorRole::TextSecondary };
    let left = picture.right() + 10.0;
    let columns = rect.right() - 268.0;
    let taken = found.taken.contains(&name);
    let text =
        cut(ui, &name, &Theme::font(Font::Body), columns - left - if taken { 90.0 } else { 8.0 });
    let under = cut(ui, &file.name, &Theme::font(Font::Small), columns - left - 8.0);
    let painter = ui.painter();
    let drawn = painter.text(
        pos2(left, rect.top() + 14.0),
        Align2::LEFT_CENTER,
        text,
        Theme::font(Font::Body),
        theme.color(dim),
    );
    painter.text(
        pos2(left, rect.top() + 31.0),
        Align2::LEFT_CENTER,
        under,
        Theme::font(Font::Small),
        theme.color(ColorRole::TextTertiary),
    );
    if taken {
        let at = pos2(drawn.right() + 8.0, rect.top() + 14.0);
        painter.text(
            at,
            Align2::LEFT_CENTER,
            "name taken",
            Theme::font(Font::Small),
            theme.color(ColorRole::SeverityWarning),
        );
    }
    let number = |at: f32, text: String| {
        let at = pos2(columns + at, rect.center().y);
        painter.text(
            at,
            Align2::RIGHT_CENTER,
            text,
            Theme::font(Font::NumberSmall),
            theme.color(ColorRole::TextSecondary),
        );
    };
    number(52.0, format!("{:.2} s", about.length));
    number(
        108.0,
        about.fps.map_or_else(String::new, |fps| format!("{} fps", rate_in_words(f64::from(fps)))),
    );
    if let Some(fit) = &file.fit {
        number(170.0, format!("{}/{}", fit.matched(), fit.joints));
        let at = pos2(columns + 182.0, rect.center().y);
        let role =
            if about.is_other { ColorRole::SeverityWarning } else { ColorRole::TextSecondary };
        painter.text(
            at,
            Align2::LEFT_CENTER,
            rest_word(fit, about.is_other),
            Theme::font(Font::Small),
            theme.color(role),
        );
    }
}

fn picture_ui(ui: &Ui, theme: &Theme, picture: Option<Option<TextureId>>, rect: Rect) {
    ui.painter().rect_filled(rect, 3.0, theme.color(ColorRole::SurfaceControl));
    if let Some(Some(picture)) = picture {
        let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
        egui::Image::from_texture((picture, rect.size()))
            .uv(whole)
            .corner_radius(3)
            .paint_at(ui, rect);
    }
}

/// A clip's own skeleton, as it is in its file.
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

/// Every joint, in the order of the tree.
fn all_joints(document: &Document) -> Vec<NodeId> {
    let is_joint = document.joint_flags();
    document.nodes.order().iter().copied().filter(|n| is_joint[n.index()]).collect()
}

/// What joints of the file are here, as it is said by hand: those that have no counterpart, then
/// those that were guessed. It holds for all files that have such a joint.
fn counterparts_ui(
    ui: &mut Ui,
    theme: &Theme,
    document: &Document,
    file: &ImportFile,
    now: &mut ImportDraft,
) {
    /// More are not listed: that file is of another body.
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
        let head =
            format!("Matched by something other than the exact name, {}", file.guessed.len());
        let head = RichText::new(head)
            .font(Theme::font(Font::Small))
            .color(theme.color(ColorRole::TextSecondary));
        egui::CollapsingHeader::new(head).id_salt(("guessed", &file.name)).show(ui, |ui| {
            for (theirs, ours) in &file.guessed {
                counterpart_ui(ui, theme, document, &joints, (theirs, Some(*ours)), now);
            }
        });
    }
    if !now.by_hand.is_empty() {
        small(ui, theme, "These matches apply to all imported files with the same joint names.");
    }
}

/// A joint of the file, and a list of what it can be here. What it was found to be needs not be
/// said.
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
        let list = egui::ComboBox::from_id_salt(("counterpart", theirs))
            .selected_text(cut(ui, &shown, &Theme::font(Font::Body), width - 30.0))
            .width(width)
            .height(280.0)
            .show_ui(ui, |ui| {
                ui.selectable_value(&mut to, None, "Skip joint");
                for node in joints {
                    ui.selectable_value(&mut to, Some(*node), document.node(*node).label(*node));
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

/// The clip that is looked at, playing: this model, or the clip's own skeleton.
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

fn details_ui(
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
        ui.horizontal(|ui| {
            ui.label(RichText::new(label).font(Theme::font(Font::Small)).color(theme.color(role)));
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                ui.label(
                    RichText::new(value)
                        .font(Theme::font(Font::NumberSmall))
                        .color(theme.color(ColorRole::TextPrimary)),
                );
            });
        });
    };
    let Some(fit) = &file.fit else { return };
    if about.is_other {
        ui.horizontal(|ui| open_ui(ui, file, actions));
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
    } else if !fit.is_same() && now.how == KeysHow::Rests {
        small(
            ui,
            theme,
            "Keys are retargeted from rest pose to rest pose. Their times and number \
            stay the same.",
        );
    }
}

fn foot_ui(
    ui: &mut Ui,
    theme: &Theme,
    found: &ImportView,
    draft: &ImportDraft,
    now: ImportDraft,
    actions: &mut Actions,
) {
    let ticked: Vec<&ImportRow> =
        found.rows.iter().zip(&now.ticked).filter(|(_, t)| **t).map(|(r, _)| r).collect();
    let count = ticked.len();
    let enter = ui.memory(|m| m.focused().is_none())
        && ui.input_mut(|i| i.consume_key(Modifiers::NONE, Key::Enter));
    ui.horizontal(|ui| {
        ui.vertical(|ui| {
            ui.set_width(ui.available_width() - 260.0);
            let other: Vec<&ImportFile> = found
                .files
                .iter()
                .enumerate()
                .filter(|(k, _)| found.rows.iter().any(|r| r.file == *k && r.is_other))
                .map(|(_, f)| f)
                .collect();
            if let Some(file) = other.first() {
                let joints = file.fit.as_ref().map_or(0, |f| f.joints);
                let here = file.fit.as_ref().map_or(0, Fit::matched);
                warning(
                    ui,
                    theme,
                    &format!(
                        "{} matches only {here} of {joints} joints of this character, so it is not \
                            selected.",
                        file.name
                    ),
                );
            }
            let (keys, bytes) = ticked.iter().fold((0, 0), |(k, b), r| (k + r.keys, b + r.bytes));
            small(
                ui,
                theme,
                &format!(
                    "Adds {keys} keys, about {} KB. All other bytes stay unchanged. One undo step.",
                    bytes.div_ceil(1024)
                ),
            );
        });
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let verb = format!("Import {}", many(count, "clip"));
            let ready = count > 0 && found.waiting.is_empty();
            let go = ui.add_enabled_ui(ready, |ui| primary(ui, theme, &verb).clicked()).inner
                || (enter && ready);
            if plain(ui, "Cancel").clicked() {
                actions.push(DialogAction::SetDialog(None));
            } else if go {
                actions.push(DialogAction::Import(Box::new(now)));
            } else if (now.how, &now.by_hand) != (draft.how, &draft.by_hand) {
                actions.push(DialogAction::FitImport(Box::new(now)));
            } else if now != *draft {
                actions
                    .push(DialogAction::SetDialog(Some(Dialog::Import { draft: Box::new(now) })));
            }
        });
    });
}
