//! The welcome page: recent files, the sample model, and the most important keys.

use egui::{Align2, Color32, Rect, RichText, Role, ScrollArea, Sense, Ui, WidgetInfo, pos2, vec2};
use egui_material_icons::icons;

use super::{
    Action, Actions, Dialog, Theme, View,
    program::Recent,
    theme::Font,
    widgets::{cut, elided, filter_field, key_chips, paint_icon, segment, segments},
};
use crate::ui::{DialogAction, ProgramAction};
use ulna_edit::{
    Preset,
    command::{
        FileCommand, ModeCommand, PlayCommand, SessionCommand, SetKey, ToolCommand, ViewCommand,
    },
};
use ulna_render::ColorRole;

/// State of the welcome page between frames.
#[derive(Clone, Debug, Default)]
pub struct WelcomeState {
    filter: String,
}

const WIDEST: f32 = 1280.0;
/// Width below which the page has one column, in points.
const ONE_COLUMN: f32 = 900.0;

pub fn welcome_ui(state: &mut WelcomeState, ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    if view.session.is_some() && ui.input(|i| i.key_pressed(egui::Key::Escape)) {
        actions.push(Action::Run(FileCommand::Welcome.into()));
    }
    ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
        let whole = ui.available_width();
        let width = (whole - 64.0).min(WIDEST);
        ui.add_space(56.0);
        ui.horizontal_top(|ui| {
            ui.add_space((whole - width) * 0.5);
            ui.vertical(|ui| {
                ui.set_width(width);
                heading(ui, view, actions);
                ui.add_space(32.0);
                if width < ONE_COLUMN {
                    unsaved(ui, view, width, actions);
                    sample(ui, view, width, actions);
                    ui.add_space(24.0);
                    recent(state, ui, view, width, actions);
                    ui.add_space(24.0);
                    keys(ui, view, width, actions);
                } else {
                    let left = (width * 0.345).min(440.0);
                    let right = width - left - 48.0;
                    ui.horizontal_top(|ui| {
                        ui.spacing_mut().item_spacing.x = 48.0;
                        ui.vertical(|ui| {
                            ui.spacing_mut().item_spacing.x = 8.0;
                            ui.set_width(left);
                            sample(ui, view, left, actions);
                            ui.add_space(24.0);
                            keys(ui, view, left, actions);
                        });
                        ui.vertical(|ui| {
                            ui.spacing_mut().item_spacing.x = 8.0;
                            ui.set_width(right);
                            unsaved(ui, view, right, actions);
                            recent(state, ui, view, right, actions);
                        });
                    });
                }
                ui.add_space(48.0);
            });
        });
    });
}

fn heading(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    ui.label(
        RichText::new("Open a rigged model")
            .font(Theme::font(Font::Display))
            .color(theme.color(ColorRole::TextPrimary)),
    );
    ui.add_space(8.0);
    let promise = "Edits glTF, GLB and VRM files directly. Everything you do not edit stays \
        unchanged, byte for byte.";
    ui.add(
        egui::Label::new(RichText::new(promise).color(theme.color(ColorRole::TextSecondary)))
            .wrap(),
    );
    ui.add_space(16.0);
    ui.horizontal_wrapped(|ui| {
        if super::dialogs::primary(ui, theme, "Open file…").clicked() {
            actions.push(Action::Run(FileCommand::Open { path: None }.into()));
        }
        if let Some(session) = view.session
            && super::dialogs::plain(ui, &format!("Back to {}", session.file_name())).clicked()
        {
            actions.push(Action::Run(FileCommand::Welcome.into()));
        }
        ui.add_space(8.0);
        ui.label(
            RichText::new("or drop a .glb, .gltf, .vrm, .fbx, .bvh or .x file anywhere")
                .font(Theme::font(Font::Small))
                .color(theme.color(ColorRole::TextTertiary)),
        );
    });
}

fn section(ui: &mut Ui, theme: &Theme, text: &str) {
    ui.label(
        RichText::new(text)
            .font(Theme::font(Font::Heading))
            .color(theme.color(ColorRole::TextPrimary)),
    );
    ui.add_space(4.0);
}

/// Draws unsaved edits of earlier sessions, with buttons that restore them.
fn unsaved(ui: &mut Ui, view: &View<'_>, width: f32, actions: &mut Actions) {
    let theme = view.theme;
    let left = view.dialogs.recoveries;
    if left.is_empty() {
        return;
    }
    section(ui, theme, "Unsaved work");
    egui::Frame::new()
        .fill(theme.color(ColorRole::SurfaceRaised))
        .corner_radius(8)
        .inner_margin(16)
        .show(ui, |ui| {
            ui.set_width(width - 32.0);
            for file in left.iter().take(3) {
                let edits = match file.steps.len() {
                    1 => "1 edit".to_owned(),
                    n => format!("{n} edits"),
                };
                let text = format!("{}: {edits}, last edit {}", file.name, file.last);
                let text = RichText::new(text).color(theme.color(ColorRole::TextPrimary));
                ui.add(egui::Label::new(text).truncate());
            }
            if left.len() > 3 {
                let more = RichText::new(format!("{} more", left.len() - 3));
                ui.label(more.color(theme.color(ColorRole::TextSecondary)));
            }
            ui.add_space(8.0);
            if ui.button("Recover…").clicked() {
                let list = Dialog::Recovery { open: None, discard: None };
                actions.push(DialogAction::SetDialog(Some(list)));
            }
        });
    ui.add_space(24.0);
}

fn sample(ui: &mut Ui, view: &View<'_>, width: f32, actions: &mut Actions) {
    let theme = view.theme;
    section(ui, theme, "Sample");
    egui::Frame::new()
        .fill(theme.color(ColorRole::SurfaceRaised))
        .corner_radius(8)
        .inner_margin(16)
        .show(ui, |ui| {
            ui.set_width(width - 32.0);
            ui.label(
                RichText::new("Mannequin")
                    .font(Theme::font(Font::Heading))
                    .color(theme.color(ColorRole::TextPrimary)),
            );
            let text = "A sample character with idle, walk, run and wave clips. On the tour you \
                pose, key, paint, undo and save.";
            ui.add(
                egui::Label::new(
                    RichText::new(text)
                        .font(Theme::font(Font::Small))
                        .color(theme.color(ColorRole::TextSecondary)),
                )
                .wrap(),
            );
            ui.add_space(8.0);
            ui.horizontal(|ui| {
                if ui.button("Open the sample").clicked() {
                    actions.push(Action::Run(FileCommand::Sample.into()));
                }
                if ui.add(egui::Button::new("Start the tour").frame_when_inactive(false)).clicked()
                {
                    actions.push(Action::Run(FileCommand::Tour.into()));
                }
            });
        });
}

fn keys(ui: &mut Ui, view: &View<'_>, width: f32, actions: &mut Actions) {
    let theme = view.theme;
    section(ui, theme, "Keys");
    let rows: [(&str, &[&str]); 8] = [
        ("Open a file", &[FileCommand::Open { path: None }.name()]),
        ("Find a command", &[FileCommand::Find.name()]),
        ("Select, rotate", &[ToolCommand::Select.name(), ToolCommand::Rotate.name()]),
        ("Set a key", &[SetKey::NAME]),
        ("Play or pause", &[PlayCommand::Toggle.name()]),
        ("Frame selection", &[ViewCommand::FrameSelected.name()]),
        ("Pose, Animate", &[ModeCommand::PoseMode.name(), ModeCommand::AnimateMode.name()]),
        ("Undo", &[SessionCommand::Undo.name()]),
    ];
    for (what, commands) in rows {
        let (rect, _) = ui.allocate_exact_size(vec2(width, 28.0), Sense::hover());
        let at = pos2(rect.left(), rect.center().y);
        ui.painter().text(
            at,
            Align2::LEFT_CENTER,
            what,
            Theme::font(Font::Body),
            theme.color(ColorRole::TextSecondary),
        );
        ui.painter().hline(
            rect.x_range(),
            rect.bottom() - 0.5,
            egui::Stroke::new(1.0, theme.color(ColorRole::StrokeSubtle)),
        );
        let layout = egui::Layout::right_to_left(egui::Align::Center);
        let mut right = ui.new_child(egui::UiBuilder::new().max_rect(rect).layout(layout));
        for command in commands.iter().rev() {
            key_chips(&mut right, theme, view.settings.keys.key(command));
        }
    }
    ui.add_space(8.0);
    ui.horizontal(|ui| {
        let (rect, _) = ui.allocate_exact_size(vec2(60.0, 28.0), Sense::hover());
        let at = pos2(rect.left(), rect.center().y);
        ui.painter().text(
            at,
            Align2::LEFT_CENTER,
            "Key map",
            Theme::font(Font::Body),
            theme.color(ColorRole::TextSecondary),
        );
        segments(ui, theme, |ui| {
            for preset in Preset::ALL {
                if segment(ui, theme, preset.title(), view.settings.keys.preset() == preset, false)
                    .clicked()
                {
                    let mut settings = view.settings.clone();
                    settings.keys.set_preset(preset);
                    actions.push(ProgramAction::Settings(Box::new(settings)));
                }
            }
        });
    });
}

fn recent(
    state: &mut WelcomeState,
    ui: &mut Ui,
    view: &View<'_>,
    width: f32,
    actions: &mut Actions,
) {
    let theme = view.theme;
    if view.program.recent.len() > 3 {
        // Aligned with the heading of the other column.
        ui.horizontal_top(|ui| {
            ui.label(
                RichText::new("Recent")
                    .font(Theme::font(Font::Heading))
                    .color(theme.color(ColorRole::TextPrimary)),
            );
            ui.add_space((width - 280.0).max(0.0));
            ui.scope(|ui| {
                ui.set_width(200.0);
                filter_field(ui, theme, &mut state.filter, "Filter recent files");
            });
        });
        ui.add_space(4.0);
    } else {
        section(ui, theme, "Recent");
    }
    let words = state.filter.to_lowercase();
    let hit =
        |r: &&Recent| words.is_empty() || r.path.to_string_lossy().to_lowercase().contains(&words);
    let there: Vec<&Recent> =
        view.program.recent.iter().filter(|r| !r.missing).filter(hit).collect();
    if there.is_empty() {
        let text = if view.program.recent.is_empty() {
            "No recent files. Files you open are listed here with a preview.".to_owned()
        } else {
            format!("Nothing named “{}”", state.filter)
        };
        ui.label(RichText::new(text).color(theme.color(ColorRole::TextTertiary)));
    }
    let columns = (width / 230.0).floor().clamp(1.0, 4.0);
    let card = ((width - (columns - 1.0) * 12.0) / columns).floor();
    for row in there.chunks(columns as usize) {
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = 12.0;
            for file in row {
                recent_card(ui, theme, file, card, actions);
            }
        });
        ui.add_space(8.0);
    }
    let missing: Vec<&Recent> = view.program.recent.iter().filter(|r| r.missing).collect();
    if !missing.is_empty() {
        ui.add_space(16.0);
        section(ui, theme, "Not found");
        for file in missing {
            ui.horizontal(|ui| {
                let (rect, _) = ui.allocate_exact_size(vec2(20.0, 24.0), Sense::hover());
                paint_icon(
                    ui.painter(),
                    rect.center(),
                    icons::ICON_LINK_OFF,
                    16.0,
                    theme.color(ColorRole::TextSecondary),
                );
                ui.label(RichText::new(name_of(file)).color(theme.color(ColorRole::TextTertiary)));
                let folder = cut(
                    ui,
                    &format!("was in {}", folder_of(file)),
                    &Theme::font(Font::Small),
                    width - 360.0,
                );
                ui.label(
                    RichText::new(folder)
                        .font(Theme::font(Font::Small))
                        .color(theme.color(ColorRole::TextSecondary)),
                );
                if ui.button("Locate…").clicked() {
                    let path = file.path.display().to_string();
                    actions.push(DialogAction::SetDialog(Some(Dialog::Open { path })));
                }
                if ui.button("Remove from list").clicked() {
                    actions.push(ProgramAction::Forget(file.path.clone()));
                }
            });
        }
    }
}

fn name_of(file: &Recent) -> String {
    file.path.file_name().map_or_else(Default::default, |n| n.to_string_lossy().into_owned())
}

/// Folder of a file, with the home folder as `~`.
fn folder_of(file: &Recent) -> String {
    let folder = file.path.parent().map_or_else(Default::default, |p| p.display().to_string());
    match std::env::var("HOME") {
        Ok(home) if !home.is_empty() && folder.starts_with(&home) => folder.replacen(&home, "~", 1),
        _ => folder,
    }
}

fn recent_card(ui: &mut Ui, theme: &Theme, file: &Recent, width: f32, actions: &mut Actions) {
    let picture = (width * 0.55).round();
    let (rect, response) = ui.allocate_exact_size(vec2(width, picture + 56.0), Sense::click());
    let name = name_of(file);
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, format!("Open {name}")));
    let painter = ui.painter().clone();
    let lit = response.hovered() || response.has_focus();
    painter.rect_filled(
        rect,
        8.0,
        theme.color(if lit { ColorRole::SurfaceControl } else { ColorRole::SurfaceRaised }),
    );
    let top = Rect::from_min_size(rect.min, vec2(width, picture));
    let corners = egui::CornerRadius { nw: 8, ne: 8, sw: 0, se: 0 };
    match file.picture {
        Some(texture) => {
            egui::Image::new((texture, top.size())).corner_radius(corners).paint_at(ui, top);
        }
        None => {
            painter.rect_filled(top, corners, theme.color(ColorRole::ViewportBackground));
            paint_icon(
                &painter,
                top.center(),
                icons::ICON_DEPLOYED_CODE,
                32.0,
                theme.color(ColorRole::TextTertiary),
            );
        }
    }
    if response.hovered() && !response.has_focus() {
        painter.rect_stroke(
            rect,
            8.0,
            egui::Stroke::new(2.0, theme.color(ColorRole::AccentBase)),
            egui::StrokeKind::Inside,
        );
    }
    let text = |at, anchor, text: String, font, role: ColorRole| {
        painter.text(at, anchor, text, Theme::font(font), theme.color(role));
    };
    let (left, right) = (rect.left() + 12.0, rect.right() - 12.0);
    let (first, second) = (top.bottom() + 18.0, top.bottom() + 39.0);
    let measure = |t: &str| {
        ui.painter()
            .layout_no_wrap(t.to_owned(), Theme::font(Font::Caption), Color32::WHITE)
            .size()
            .x
    };
    let room = |t: &str| right - left - measure(t) - 8.0;
    let title = elided(ui, &name, &Theme::font(Font::Heading), room(&file.when));
    text(pos2(left, first), Align2::LEFT_CENTER, title, Font::Heading, ColorRole::TextPrimary);
    text(
        pos2(right, first),
        Align2::RIGHT_CENTER,
        file.when.clone(),
        Font::Caption,
        ColorRole::TextSecondary,
    );
    let folder = elided(ui, &folder_of(file), &Theme::font(Font::Caption), room(&file.facts));
    text(pos2(left, second), Align2::LEFT_CENTER, folder, Font::Caption, ColorRole::TextSecondary);
    text(
        pos2(right, second),
        Align2::RIGHT_CENTER,
        file.facts.clone(),
        Font::Caption,
        ColorRole::TextSecondary,
    );
    if response.on_hover_text(file.path.display().to_string()).clicked() {
        actions.push(DialogAction::OpenPath(file.path.clone()));
    }
}
