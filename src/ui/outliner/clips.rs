//! The list of clips.

use std::collections::BTreeSet;

use egui::{RichText, ScrollArea, Ui, pos2};
use egui_material_icons::icons;

use crate::ui::popups::{context_menu, show_popup};
use crate::ui::{
    Action, Actions, Theme, View,
    theme::Font,
    widgets::{elided, filter_field, icon_button, paint_icon, panel_title, row},
};
use crate::ui::{DialogAction, TimelineAction, widgets::select_all};
use ulna_edit::{
    Command,
    command::{
        CloseLoop, DeleteClip, DuplicateClip, JoinClip, MakeEditable, MirrorClip, NewClip,
        PlayCommand, ReduceKeys, RenameClip, ResampleClip, RetimeClip, ReverseClip, RootMotion,
        SplitClip, StartAtZero, TravelGoes, TrimClip, field::ClipName, field::Nodes, frame_of,
        seam_in_words,
    },
};
use ulna_model::{ClipId, Document, NodeId};
use ulna_motion::clip_edit::seam;
use ulna_render::ColorRole;

/// In which order clips are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClipOrder {
    /// As in the file.
    #[default]
    File,
    /// By name.
    Name,
    /// The shortest first.
    Length,
}

/// Clips that are chosen besides the one that is shown, and from which one a range goes.
#[derive(Clone, Debug, Default)]
pub struct Chosen {
    clips: BTreeSet<ClipId>,
    anchor: Option<ClipId>,
}

impl Chosen {
    /// A click on a row: alone; with Ctrl in or out; with Shift all from the one before.
    fn click(
        &mut self,
        id: ClipId,
        ids: &[ClipId],
        shown: Option<ClipId>,
        modifiers: egui::Modifiers,
    ) {
        let to = |id: ClipId| ids.iter().position(|i| *i == id);
        let anchor = self.anchor.or(shown);
        if modifiers.shift
            && let (Some(a), Some(b)) = (anchor.and_then(to), to(id))
        {
            self.clips.extend(ids[a.min(b)..=a.max(b)].iter().copied());
        } else if modifiers.command {
            if self.clips.is_empty() {
                self.clips.extend(shown);
            }
            if !self.clips.remove(&id) {
                self.clips.insert(id);
            }
            self.anchor = Some(id);
        } else {
            self.clips.clear();
            self.anchor = Some(id);
        }
    }

    /// The clips that a menu over one of them is about.
    fn about(&self, id: ClipId) -> Vec<ClipId> {
        if self.clips.len() > 1 && self.clips.contains(&id) {
            self.clips.iter().copied().collect()
        } else {
            vec![id]
        }
    }
}

/// What is typed with the focus on the row of a clip: the next one that begins so gets the focus.
#[derive(Clone, Debug, Default)]
pub struct TypeAhead {
    text: String,
    /// When the last letter came, seconds.
    at: f64,
    /// The row that has the focus.
    focused: Option<ClipId>,
    /// The row that is to get it.
    wanted: Option<ClipId>,
}

impl TypeAhead {
    /// A pause of so many seconds begins anew.
    const PAUSE: f64 = 1.0;

    fn take(&mut self, ui: &Ui, document: &Document, ids: &[ClipId]) {
        let Some(at) = self.focused.and_then(|id| ids.iter().position(|i| *i == id)) else {
            return;
        };
        let typed: String = ui.input(|i| {
            let text = i
                .events
                .iter()
                .filter_map(|e| if let egui::Event::Text(t) = e { Some(t.as_str()) } else { None });
            text.collect()
        });
        if typed.trim().is_empty() {
            return;
        }
        let now = ui.input(|i| i.time);
        if now - self.at > Self::PAUSE {
            self.text.clear();
        }
        self.at = now;
        self.text.push_str(&typed.to_lowercase());
        // One letter again and again goes through all that begin with it.
        let from = if self.text.chars().count() > 1 { at } else { at + 1 };
        let around = || (0..ids.len()).map(|k| ids[(from + k) % ids.len()]);
        let label = |id: &ClipId| document.clip_label(*id).to_lowercase();
        let begins = around().find(|id| label(id).starts_with(&self.text));
        self.wanted = begins.or_else(|| around().find(|id| label(id).contains(&self.text)));
    }
}

/// State of the list of clips from frame to frame.
#[derive(Clone, Debug, Default)]
pub struct ClipsState {
    /// The clip that was in sight last.
    seen: Option<ClipId>,
    filter: String,
    /// How many clips there were.
    count: usize,
    /// The clip whose row was clicked, if that was the last row or joint that was clicked.
    clicked: Option<ClipId>,
    order: ClipOrder,
    chosen: Chosen,
    /// What is typed with the focus on a clip's row.
    type_ahead: TypeAhead,
    /// The clip whose name is being typed, what was typed, and whether its field got the focus.
    name: Option<(ClipId, String, bool)>,
}

impl ClipsState {
    /// The clip whose row was clicked, if that was the last row or joint that was clicked.
    pub const fn clicked(&self) -> Option<ClipId> {
        self.clicked
    }

    /// A node was clicked.
    pub const fn forget_clicked(&mut self) {
        self.clicked = None;
    }

    /// Begins to type a clip's name.
    pub fn rename(&mut self, clip: ClipId, name: String) {
        self.filter.clear();
        self.name = Some((clip, name, false));
    }

    /// Offset that the list scrolls to: to the row that is to get the focus, else to the clip that
    /// is shown, where that is another than before.
    fn scroll_offset(&mut self, ids: &[ClipId], shown: Option<ClipId>, height: f32) -> Option<f32> {
        let to = |id| ids.iter().position(|i| *i == id);
        let target = self.type_ahead.wanted.and_then(to).or_else(|| {
            let is_other = self.seen != shown;
            // The clip that is shown is in sight.
            self.seen = shown;
            shown.filter(|_| is_other).and_then(to)
        })?;
        Some((target as f32 * 24.0 - (height - 24.0) * 0.5).max(0.0))
    }
}

pub fn clips_ui(state: &mut ClipsState, ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    let Some(session) = view.session else { return };
    let document = session.document();
    egui::Frame::new()
        .inner_margin(egui::Margin { left: 12, right: 8, top: 4, bottom: 2 })
        .show(ui, |ui| head_ui(state, ui, theme, document, actions));
    if document.clips.is_empty() {
        ui.vertical_centered(|ui| {
            ui.label(
                RichText::new("No clips yet")
                    .font(Theme::font(Font::Small))
                    .color(theme.color(ColorRole::TextTertiary)),
            );
        });
        return;
    }
    ui.spacing_mut().item_spacing.y = 0.0;
    let ids = listed(state, ui, theme, document);
    if ids.is_empty() {
        ui.vertical_centered(|ui| {
            let text = format!("Nothing named “{}”", state.filter);
            ui.label(RichText::new(text).color(theme.color(ColorRole::TextTertiary)));
        });
        return;
    }
    let mut list = ScrollArea::vertical().auto_shrink([false, false]).id_salt("clips");
    state.type_ahead.take(ui, document, &ids);
    if let Some(offset) = state.scroll_offset(&ids, view.shown_clip(), ui.available_height()) {
        list = list.vertical_scroll_offset(offset);
    }
    state.type_ahead.focused = None;
    list.show_rows(ui, 24.0, ids.len(), |ui, range| {
        for id in &ids[range] {
            clip_row(state, ui, view, document, (*id, &ids), actions);
        }
    });
}

/// The panel's title with the number of clips, and buttons that sort them and make a new one.
fn head_ui(
    state: &mut ClipsState,
    ui: &mut Ui,
    theme: &Theme,
    document: &Document,
    actions: &mut Actions,
) {
    ui.horizontal(|ui| {
        panel_title(ui, theme, "Clips");
        ui.label(
            RichText::new(document.clips.count().to_string())
                .font(Theme::font(Font::Caption))
                .color(theme.color(ColorRole::TextTertiary)),
        );
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            if document.clips.count() > 1 {
                order_menu(&mut state.order, ui, theme);
            }
            if icon_button(ui, theme, icons::ICON_ADD, "New clip", "", false, Ok(())).clicked() {
                actions.push(Action::Run(NewClip { name: None }.into()));
            }
        });
    });
}

/// A button that opens the menu of orders.
fn order_menu(now: &mut ClipOrder, ui: &mut Ui, theme: &Theme) {
    let sorted = *now != ClipOrder::File;
    let button = icon_button(ui, theme, icons::ICON_SORT, "Sort clips", "", sorted, Ok(()));
    show_popup(egui::Popup::menu(&button), |ui| {
        let orders = [
            (ClipOrder::File, "File order"),
            (ClipOrder::Name, "By name"),
            (ClipOrder::Length, "By length"),
        ];
        for (order, text) in orders {
            if ui.selectable_label(*now == order, text).clicked() {
                *now = order;
            }
        }
    });
}

/// The clips that are listed, in order; and the field that filters them, where there are many.
fn listed(state: &mut ClipsState, ui: &mut Ui, theme: &Theme, document: &Document) -> Vec<ClipId> {
    let mut ids: Vec<_> = document.clips.ids().collect();
    match state.order {
        ClipOrder::File => {}
        ClipOrder::Name => ids.sort_by_key(|id| document.clip_label(*id).to_lowercase()),
        ClipOrder::Length => {
            ids.sort_by(|a, b| document.clips[*a].length().total_cmp(&document.clips[*b].length()));
        }
    }
    state.chosen.clips.retain(|id| document.clips.get(*id).is_some());
    let before = std::mem::replace(&mut state.count, document.clips.count());
    // A filter is for lists that are longer than the panel.
    if ids.len() > FEW {
        // In a low panel, rows come first.
        if ui.available_height() >= LOW || !state.filter.is_empty() {
            egui::Frame::new()
                .inner_margin(egui::Margin { left: 8, right: 8, top: 0, bottom: 4 })
                .show(ui, |ui| {
                    filter_field(ui, theme, &mut state.filter, "Filter clips");
                });
        }
        let needle = state.filter.to_lowercase();
        // A clip that was just made is seen, whatever the list was narrowed to.
        let is_new = before > 0 && document.clips.count() > before;
        let newest = document.clips.ids().next_back();
        let newest_hidden =
            newest.is_some_and(|id| !document.clip_label(id).to_lowercase().contains(&needle));
        let needle = if is_new && newest_hidden {
            state.filter.clear();
            String::new()
        } else {
            needle
        };
        ids.retain(|id| document.clip_label(*id).to_lowercase().contains(&needle));
    }
    ids
}

fn clip_row(
    state: &mut ClipsState,
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    (id, ids): (ClipId, &[ClipId]),
    actions: &mut Actions,
) {
    let theme = view.theme;
    let label = document.clip_label(id);
    let shown = view.shown_clip() == Some(id);
    let chosen = state.chosen.clips.contains(&id);
    let name = format!("Clip {label}");
    let (rect, response) =
        ui.push_id(("clip", id.0), |ui| row(ui, theme, 24.0, &name, chosen)).inner;
    if shown && !chosen {
        ui.painter().rect_filled(rect, 0.0, theme.color(ColorRole::SurfaceRowHover));
    }
    if state.type_ahead.wanted == Some(id) {
        state.type_ahead.wanted = None;
        response.request_focus();
    }
    if response.has_focus() || ui.memory(|m| m.has_focus(response.id)) {
        state.type_ahead.focused = Some(id);
    }
    let middle = rect.center().y;
    let (icon, color) = if shown {
        (icons::ICON_PLAY_ARROW, theme.color(ColorRole::AccentBase))
    } else {
        (icons::ICON_MOVIE, theme.color(ColorRole::TextSecondary))
    };
    paint_icon(ui.painter(), pos2(rect.left() + 20.0, middle), icon, 16.0, color);
    let font = Theme::font(if shown { Font::Heading } else { Font::Body });
    let text = elided(ui, &label, &font, rect.width() - 34.0 - 64.0);
    let at = pos2(rect.left() + 34.0, middle);
    ui.painter().text(
        at,
        egui::Align2::LEFT_CENTER,
        text,
        font,
        theme.color(ColorRole::TextPrimary),
    );
    let facts = format!("{:.2} s", document.clips[id].length());
    let (at, font) = (pos2(rect.right() - 12.0, middle), Theme::font(Font::NumberSmall));
    ui.painter().text(
        at,
        egui::Align2::RIGHT_CENTER,
        facts,
        font,
        theme.color(ColorRole::TextTertiary),
    );
    if response.clicked() {
        let modifiers = ui.input(|i| i.modifiers);
        state.chosen.click(id, ids, view.shown_clip(), modifiers);
        state.clicked = Some(id);
        if !modifiers.command && !modifiers.shift {
            actions.push(TimelineAction::ShowClip(id));
        }
    }
    // A row that has the keys is what is renamed, whatever else is selected.
    if response.has_focus() && ui.input_mut(|i| i.consume_key(egui::Modifiers::NONE, egui::Key::F2))
    {
        state.name = Some((id, label.clone(), false));
    }
    if response.double_clicked() {
        state.name = Some((id, label.clone(), false));
    }
    clip_menu(state, &response, view, id, &label, actions);
    if state.name.as_ref().is_some_and(|(of, ..)| *of == id) {
        let area =
            egui::Rect::from_min_max(pos2(rect.left() + 32.0, rect.top()), rect.right_bottom());
        clip_name_ui(state, ui, area, actions);
    }
}

/// With more clips than this there is a filter over them.
const FEW: usize = 8;
/// Points of height below which the list has no filter.
const LOW: f32 = 96.0;

/// What can be done with a clip.
fn clip_menu(
    state: &mut ClipsState,
    response: &egui::Response,
    view: &View<'_>,
    id: ClipId,
    label: &str,
    actions: &mut Actions,
) {
    let about = state.chosen.about(id);
    if about.len() > 1 {
        context_menu(response, None, |ui| several_menu(ui, &about, actions));
        return;
    }
    context_menu(response, None, |ui| {
        ui.set_min_width(200.0);
        let clip = || ClipName::Id(id);
        if ui.button("Show").clicked() {
            actions.push(TimelineAction::ShowClip(id));
            ui.close();
        }
        if ui.button("Rename").clicked() {
            state.name = Some((id, label.to_owned(), false));
            ui.close();
        }
        if ui.button("Duplicate").clicked() {
            actions.push(Action::Run(DuplicateClip { clip: clip(), name: None }.into()));
            ui.close();
        }
        ui.separator();
        let works = [
            (TrimClip::spec(), "Trim…"),
            (SplitClip::spec(), "Split at the playhead"),
            (JoinClip::spec(), "Join with another…"),
            (RetimeClip::spec(), "Retime…"),
            (ReverseClip::spec(), "Reverse"),
            (MirrorClip::spec(), "Mirror"),
            (StartAtZero::spec(), "Start at 0"),
            (RootMotion::spec(), "Root motion…"),
            (ResampleClip::spec(), "Resample…"),
            (ReduceKeys::spec(), "Reduce keys…"),
            (MakeEditable::spec(), "Make editable…"),
            (CloseLoop::spec(), "Close the loop"),
            (PlayCommand::RepairLoop.spec(), "Repair loop…"),
        ];
        let selected: Vec<NodeId> = view.selection.nodes.iter().copied().collect();
        for (spec, text) in works {
            if text == "Start at 0" && !selected.is_empty() {
                let many = if selected.len() == 1 {
                    "joint".to_owned()
                } else {
                    format!("{} joints", selected.len())
                };
                let about = "Mirrors the motion of the selected joints and their mirror joints. \
                    Other joints do not change";
                if ui.button(format!("Mirror the selected {many}")).on_hover_text(about).clicked() {
                    let node = Some(Nodes::Ids(selected.clone()));
                    actions.push(Action::Run(MirrorClip { clip: clip(), node }.into()));
                    ui.close();
                }
            }
            if ui.button(text).on_hover_text(spec.help).clicked() {
                // Commands of a menu are about what is shown.
                actions.push(TimelineAction::ShowClip(id));
                actions.push(Action::Invoke(spec));
                ui.close();
            }
        }
        let found = view.session.map(|s| s.document()).and_then(|document| {
            let clip = document.clips.get(id)?;
            seam(document, clip, frame_of(clip))
        });
        if let Some(found) = found {
            let words = format!("Loop: {}", seam_in_words(&found));
            let text = RichText::new(words).font(Theme::font(Font::Small));
            let text = text.color(view.theme.color(ColorRole::TextTertiary));
            ui.add(egui::Label::new(text).wrap());
        }
        ui.separator();
        if ui.button("Export…").clicked() {
            actions.push(DialogAction::AskExport(vec![id]));
            ui.close();
        }
        if ui.button("Delete").clicked() {
            actions.push(Action::Run(DeleteClip { clip: clip() }.into()));
            ui.close();
        }
    });
}

/// What can be done with several clips: each time one step.
fn several_menu(ui: &mut Ui, clips: &[ClipId], actions: &mut Actions) {
    ui.set_min_width(220.0);
    let n = clips.len();
    type Make = fn(ClipName) -> Command;
    let works: [(&str, &str, Make); 9] = [
        ("Duplicate", "Duplicate clips", |clip| DuplicateClip { clip, name: None }.into()),
        ("Reverse", "Reverse clips", |clip| ReverseClip { clip }.into()),
        ("Mirror", "Mirror clips", |clip| MirrorClip { clip, node: None }.into()),
        ("Start at 0", "Start clips at 0", |clip| StartAtZero { clip }.into()),
        ("Close the loops", "Close loops", |clip| {
            CloseLoop { clip, how: None, frames: None, speed: None }.into()
        }),
        ("Reduce keys to 0.5 mm", "Reduce keys of clips", |clip| {
            ReduceKeys { clip, millimetres: None }.into()
        }),
        ("Make editable within 2 mm", "Make clips editable", |clip| {
            MakeEditable { clip, millimetres: Some(2.0) }.into()
        }),
        ("Move root motion to the root", "Root motion of clips", |clip| {
            RootMotion {
                clip,
                to: TravelGoes::Root,
                ground: None,
                height: None,
                turn: None,
                node: None,
            }
            .into()
        }),
        ("Delete", "Delete clips", |clip| DeleteClip { clip }.into()),
    ];
    ui.label(RichText::new(format!("{n} clips")).font(Theme::font(Font::Small)));
    for (text, label, make) in works {
        if text == "Delete" {
            ui.separator();
            if ui.button(format!("Export {n} clips…")).clicked() {
                actions.push(DialogAction::AskExport(clips.to_vec()));
                ui.close();
            }
        }
        if ui.button(format!("{text} ({n})")).clicked() {
            let commands = clips.iter().map(|id| make(ClipName::Id(*id))).collect();
            actions.push(Action::Preview { label: format!("{label} ({n})"), commands });
            actions.push(Action::Commit);
            ui.close();
        }
    }
}

/// The field in which a clip is renamed: Enter and a click elsewhere keep what is typed, Escape
/// does not.
fn clip_name_ui(state: &mut ClipsState, ui: &mut Ui, area: egui::Rect, actions: &mut Actions) {
    let Some((id, text, focused)) = &mut state.name else { return };
    let mut child = ui.new_child(
        egui::UiBuilder::new().id_salt("clip name").max_rect(area.shrink2(egui::vec2(0.0, 2.0))),
    );
    let field = egui::TextEdit::singleline(text).margin(egui::Margin::symmetric(4, 1));
    let response = child.add_sized([area.width() - 12.0, 20.0], field);
    response
        .widget_info(|| egui::WidgetInfo::labeled(egui::Role::TextInput, true, "Name of the clip"));
    if !*focused {
        response.request_focus();
        // What is typed takes the place of the old name.
        select_all(ui.ctx(), response.id, text);
        *focused = true;
        return;
    }
    if response.lost_focus() {
        if !ui.input(|i| i.key_pressed(egui::Key::Escape)) && !text.trim().is_empty() {
            let rename = RenameClip { clip: ClipName::Id(*id), name: text.trim().to_owned() };
            actions.push(Action::Run(rename.into()));
        }
        state.name = None;
    }
}
