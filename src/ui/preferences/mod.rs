//! The preferences dialog. Changes apply at once.

mod keys;

use egui::{DragValue, RichText, ScrollArea, Sense, Ui, vec2};

use super::{
    Action, Actions, Dialog, Length, Orbit, PreferencePage, Quality, Settings, Theme, ThemeChoice,
    View,
    dialogs::{plain, title},
    theme::Font,
    widgets::{check, name_widget, segment, segments},
};
use crate::ui::{
    DialogAction, ProgramAction,
    drop_down::{combo_box, option_row},
};
use ulna_edit::command::Between;
use ulna_render::ColorRole;

/// Height of a page, in points.
const PAGE: f32 = 440.0;

/// A searchable row of the preferences, for the palette.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PreferenceRow {
    /// Page that contains the row.
    pub page: PreferencePage,
    /// Label of the row.
    pub label: &'static str,
    /// Synonyms of the label, separated by commas.
    pub terms: &'static str,
}

/// Rows that the palette finds.
pub const ROWS: [PreferenceRow; 15] = {
    const fn row(page: PreferencePage, label: &'static str, terms: &'static str) -> PreferenceRow {
        PreferenceRow { page, label, terms }
    }
    use PreferencePage::{Files, Look, View};
    [
        row(Look, "Theme", "dark mode, light mode, colors, appearance"),
        row(Look, "Interface size", "UI scale, resolution scale, font size, zoom, HiDPI"),
        row(Look, "Length unit", "units, working units, meters, centimeters, millimeters"),
        row(Look, "Motion", "reduce motion, animations, accessibility"),
        row(View, "Orbit style", "turntable, trackball, tumble, navigation"),
        row(View, "Orbit speed", "tumble speed, camera speed, mouse sensitivity"),
        row(View, "Field of view", "FOV, focal length, camera angle"),
        row(View, "Wheel", "zoom to mouse position, invert wheel zoom, scroll"),
        row(View, "New keys", "default interpolation, default tangents, new keyframe type"),
        row(View, "When paused", "snap to frame, subframes"),
        row(View, "Quality during motion", "viewport quality, level of detail, anti-aliasing"),
        row(View, "Graphics device", "GPU, adapter, Vulkan, graphics card, software renderer"),
        row(Files, "Backup", "save versions, backup file"),
        row(Files, "Saving", "key on save, auto save"),
        row(Files, "Journal", "auto save folder, recovery folder, temporary files"),
    ]
};

/// egui memory key of the label of the highlighted row.
fn marked() -> egui::Id {
    egui::Id::unique("marked preference")
}

pub fn preferences_ui(
    ui: &mut Ui,
    view: &View<'_>,
    (page, row): (PreferencePage, Option<&'static str>),
    listening: Option<&str>,
    actions: &mut Actions,
) {
    let theme = view.theme;
    ui.data_mut(|d| d.insert_temp(marked(), row.unwrap_or_default()));
    title(ui, theme, "Preferences");
    segments(ui, theme, |ui| {
        let pages = [
            PreferencePage::Look,
            PreferencePage::View,
            PreferencePage::Files,
            PreferencePage::Keys,
        ];
        for other in pages {
            if segment(ui, theme, other.title(), page == other, false).clicked() {
                actions.push(DialogAction::SetDialog(Some(Dialog::Preferences {
                    page: other,
                    listening: None,
                    row: None,
                })));
            }
        }
    });
    ui.add_space(12.0);
    let mut settings = view.settings.clone();
    // All pages have the same height, so that the buttons do not move.
    let height = PAGE.min(ui.ctx().content_rect().height() - 200.0).max(120.0);
    let mut page_ui = |ui: &mut Ui| match page {
        PreferencePage::Look => look(ui, theme, &mut settings),
        PreferencePage::View => eye(ui, view, &mut settings, actions),
        PreferencePage::Files => files(ui, view, &mut settings, actions),
        PreferencePage::Keys => keys::keys_ui(ui, view, &mut settings, listening, actions),
    };
    let width = ui.available_width();
    ui.allocate_ui(vec2(width, height), |ui| {
        ui.set_min_size(vec2(width, height));
        match page {
            // This page has its own scrolling list.
            PreferencePage::Keys => page_ui(ui),
            _ => {
                ScrollArea::vertical()
                    .max_height(height)
                    .auto_shrink([false, false])
                    .show(ui, page_ui)
                    .inner
            }
        }
    });
    ui.add_space(12.0);
    ui.horizontal(|ui| {
        if page != PreferencePage::Keys {
            let defaults = Settings { keys: settings.keys.clone(), ..Settings::default() };
            if ui
                .add_enabled_ui(settings != defaults, |ui| plain(ui, "Reset to defaults"))
                .inner
                .clicked()
            {
                settings = defaults;
            }
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            if plain(ui, "Close").clicked() {
                actions.push(DialogAction::SetDialog(None));
            }
        });
    });
    if settings != *view.settings {
        actions.push(ProgramAction::Settings(Box::new(settings)));
    }
}

/// Draws a label and its control in aligned columns.
fn field(ui: &mut Ui, theme: &Theme, label: &str, add: impl FnOnce(&mut Ui)) {
    ui.horizontal(|ui| {
        ui.set_min_height(32.0);
        let (rect, response) = ui.allocate_exact_size(vec2(150.0, 24.0), Sense::hover());
        let at = egui::pos2(rect.left(), rect.center().y);
        if ui.data(|d| d.get_temp::<&'static str>(marked())) == Some(label) {
            let whole = ui.max_rect().with_min_y(rect.top() - 4.0).with_max_y(rect.bottom() + 4.0);
            let bar = whole.with_max_x(whole.left() + 2.0).translate(vec2(-8.0, 0.0));
            ui.painter().rect_filled(bar, 0.0, theme.color(ColorRole::AccentBase));
            response.scroll_to_me(None);
        }
        ui.painter().text(
            at,
            egui::Align2::LEFT_CENTER,
            label,
            Theme::font(Font::Body),
            theme.color(ColorRole::TextSecondary),
        );
        add(ui);
    });
}

fn choice<T: PartialEq + Copy>(ui: &mut Ui, theme: &Theme, value: &mut T, options: &[(T, &str)]) {
    segments(ui, theme, |ui| {
        for (option, text) in options {
            if segment(ui, theme, text, value == option, false).clicked() {
                *value = *option;
            }
        }
    });
}

fn number(
    ui: &mut Ui,
    name: &str,
    value: &mut f32,
    range: std::ops::RangeInclusive<f32>,
    suffix: &str,
    decimals: usize,
) {
    let speed = (range.end() - range.start()) / 300.0;
    let field = DragValue::new(value)
        .range(range)
        .speed(speed)
        .suffix(suffix)
        .fixed_decimals(decimals)
        .update_while_editing(false);
    let response = ui.add_sized([80.0, 24.0], field);
    name_widget(ui, &response, name);
}

fn look(ui: &mut Ui, theme: &Theme, settings: &mut Settings) {
    field(ui, theme, "Theme", |ui| {
        let options = [
            (ThemeChoice::Dark, "Dark"),
            (ThemeChoice::Light, "Light"),
            (ThemeChoice::Contrast, "High contrast"),
            (ThemeChoice::System, "System"),
        ];
        choice(ui, theme, &mut settings.theme, &options);
    });
    field(ui, theme, "Interface size", |ui| {
        let options =
            [(0.85, "85 %"), (1.0, "100 %"), (1.25, "125 %"), (1.5, "150 %"), (2.0, "200 %")];
        choice(ui, theme, &mut settings.scale, &options);
    });
    field(ui, theme, "Length unit", |ui| {
        let options = [
            (Length::Meters, "Meters"),
            (Length::Centimeters, "Centimeters"),
            (Length::Millimeters, "Millimeters"),
        ];
        choice(ui, theme, &mut settings.length, &options);
    });
    field(ui, theme, "Motion", |ui| {
        check(ui, theme, &mut settings.reduce_motion, "Reduce motion");
    });
}

fn files(ui: &mut Ui, view: &View<'_>, settings: &mut Settings, actions: &mut Actions) {
    let theme = view.theme;
    field(ui, theme, "Backup", |ui| {
        check(
            ui,
            theme,
            &mut settings.backup,
            "Keep the previous file as name.glb~ at the first save of a session",
        );
    });
    field(ui, theme, "Saving", |ui| {
        check(ui, theme, &mut settings.key_on_save, "Key unkeyed poses without asking");
    });
    let home = view
        .dialogs
        .journal_home
        .map_or_else(|| "no folder for journals".to_owned(), |p| p.display().to_string());
    field(ui, theme, "Journal", |ui| {
        let text = RichText::new(&home)
            .font(Theme::font(Font::NumberSmall))
            .color(theme.color(ColorRole::TextSecondary));
        ui.add(egui::Label::new(text).truncate()).on_hover_text(&home);
    });
    let days = ulna_session::KEPT_DAYS;
    let text = format!(
        "Every edit is written to a recovery journal, which is deleted when you close the file. \
            After a crash, Ulna \
        offers to recover from it at the next start and keeps it for {days} days."
    );
    ui.add(
        egui::Label::new(RichText::new(text).color(theme.color(ColorRole::TextTertiary))).wrap(),
    );
    ui.horizontal(|ui| {
        if plain(ui, "Recover…").clicked() {
            actions.push(Action::Run(ulna_edit::command::FileCommand::Recover.into()));
        }
        if plain(ui, "Clear journals").clicked() {
            actions.push(DialogAction::ClearJournals);
        }
    });
}

fn eye(ui: &mut Ui, view: &View<'_>, settings: &mut Settings, actions: &mut Actions) {
    let theme = view.theme;
    field(ui, theme, "Orbit style", |ui| {
        choice(
            ui,
            theme,
            &mut settings.orbit,
            &[(Orbit::Turntable, "Turntable"), (Orbit::Trackball, "Trackball")],
        );
    });
    field(ui, theme, "Orbit speed", |ui| {
        number(ui, "Orbit speed", &mut settings.orbit_speed, 0.1..=5.0, "×", 2)
    });
    field(ui, theme, "Field of view", |ui| {
        number(ui, "Field of view", &mut settings.fov, 5.0..=120.0, "°", 0)
    });
    field(ui, theme, "Wheel", |ui| {
        check(ui, theme, &mut settings.zoom_to_pointer, "Zoom to the pointer");
        check(ui, theme, &mut settings.reverse_wheel, "Reverse scroll zoom");
    });
    field(ui, theme, "New keys", |ui| {
        let options =
            [(Between::Smooth, "Smooth"), (Between::Linear, "Linear"), (Between::Hold, "Hold")];
        choice(ui, theme, &mut settings.new_keys, &options);
    });
    field(ui, theme, "When paused", |ui| {
        let mut lands = !settings.pause_anywhere;
        check(ui, theme, &mut lands, "Snap to the nearest frame");
        settings.pause_anywhere = !lands;
    });
    field(ui, theme, "Quality during motion", |ui| {
        let options = [(Quality::Auto, "Auto"), (Quality::High, "High"), (Quality::Fast, "Fast")];
        choice(ui, theme, &mut settings.quality, &options);
    });
    field(ui, theme, "Graphics device", |ui| device(ui, view, actions));
    let text = "Changing the device reopens the window. Open files and unsaved edits stay.";
    ui.add(
        egui::Label::new(RichText::new(text).color(theme.color(ColorRole::TextTertiary))).wrap(),
    );
}

/// Draws the choice of the graphics device: automatic, or one of the list.
fn device(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let used = view.program.devices.iter().find(|(d, _)| d.used).map(|(d, _)| d.id());
    let auto = used.map_or_else(|| "Auto".to_owned(), |id| format!("Auto: {id}"));
    let shown = view.program.device_wish.map_or_else(|| auto.clone(), ToOwned::to_owned);
    let combo = combo_box("graphics device").selected_text(shown).width(360.0).truncate();
    let response = combo.show_ui(ui, |ui| {
        if option_row(ui, view.program.device_wish.is_none(), "Auto").clicked()
            && view.program.device_wish.is_some()
        {
            actions.push(ProgramAction::ChooseDevice(None));
        }
        for (device, failed) in view.program.devices {
            let id = device.id();
            let chosen = view.program.device_wish == Some(id.as_str());
            if let Some(why) = &device.unusable {
                let text = format!("{id} (not usable)");
                ui.add_enabled_ui(false, |ui| option_row(ui, false, &text))
                    .inner
                    .on_disabled_hover_text(format!("{}: {why}", device.kind.label()));
                continue;
            }
            let text = if *failed { format!("{id} (failed before)") } else { id.clone() };
            if option_row(ui, chosen, &text).on_hover_text(device.kind.label()).clicked() && !chosen
            {
                actions.push(ProgramAction::ChooseDevice(Some(id)));
            }
        }
    });
    name_widget(ui, &response.response, "Graphics device");
}
