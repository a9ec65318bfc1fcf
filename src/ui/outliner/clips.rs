//! The list of clips.

use std::collections::BTreeSet;

use egui::{RichText, ScrollArea, Ui, pos2};
use egui_material_icons::icons;

use crate::ui::popups::{opens_menu, show_popup};
use crate::ui::{
    Action, Actions, Theme, View,
    drop_down::option_row,
    menu_rows::{MenuRows, Row, context_menu},
    name_field::{NameCheck, NameDraft, NameEnd},
    theme::Font,
    type_ahead::TypeAhead,
    widgets::{elided, filter_field, icon_button, paint_icon, panel_title, row, thousands},
};
use crate::ui::{DialogAction, TimelineAction};
use ulna_edit::{
    Command,
    command::{
        CloseLoop, DeleteClip, DuplicateClip, JoinClip, MakeEditable, MirrorClip, NewClip,
        PlayCommand, ReduceKeys, RenameClip, RenameNode, ResampleClip, RetimeClip, ReverseClip,
        RootMotion, SplitClip, StartAtZero, TravelGoes, TrimClip, field::ClipName, field::Nodes,
        frame_of, seam_in_words,
    },
};
use ulna_model::{ClipId, Document, NodeId};
use ulna_motion::clip_edit::seam;
use ulna_render::ColorRole;

/// Sort order of the list of clips.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClipOrder {
    /// Order of the file.
    #[default]
    File,
    /// By name.
    Name,
    /// By duration, shortest first.
    Length,
}

/// Clips that are chosen in addition to the shown one, and the first clip of a range selection.
#[derive(Clone, Debug, Default)]
pub struct Chosen {
    clips: BTreeSet<ClipId>,
    anchor: Option<ClipId>,
}

impl Chosen {
    /// Handles a click on a row. A click without modifiers clears the additional clips, Ctrl
    /// toggles the clip, and Shift adds a range.
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

    /// Clips that the context menu of a clip acts on: all chosen clips if it is one of them.
    fn about(&self, id: ClipId) -> Vec<ClipId> {
        if self.clips.len() > 1 && self.clips.contains(&id) {
            self.clips.iter().copied().collect()
        } else {
            vec![id]
        }
    }
}

/// State of the list of clips between frames.
#[derive(Clone, Debug, Default)]
pub struct ClipsState {
    /// The shown clip of the last frame.
    seen: Option<ClipId>,
    filter: String,
    /// Number of clips in the previous frame.
    count: usize,
    /// The clip whose row was clicked last; `None` if a node was clicked after it.
    clicked: Option<ClipId>,
    order: ClipOrder,
    chosen: Chosen,
    /// Letters typed while a clip's row has the focus.
    type_ahead: TypeAhead<ClipId>,
    /// The clip that is being renamed, with the typed name.
    name: Option<NameDraft<ClipId>>,
}

impl ClipsState {
    /// The clip whose row was clicked last; `None` if a node was clicked after it.
    pub const fn clicked(&self) -> Option<ClipId> {
        self.clicked
    }

    /// Clears the last clicked clip, because a node was clicked.
    pub const fn forget_clicked(&mut self) {
        self.clicked = None;
    }

    /// Starts to rename a clip.
    pub fn rename(&mut self, clip: ClipId, name: String) {
        self.filter.clear();
        self.name = Some(NameDraft::new(clip, name));
    }

    /// Scroll offset in points that centers the row found by type-ahead, or else a newly shown
    /// clip. `None` leaves the list as it is.
    fn scroll_offset(
        &mut self,
        ids: &[ClipId],
        typed: Option<usize>,
        shown: Option<ClipId>,
        height: f32,
    ) -> Option<f32> {
        let to = |id| ids.iter().position(|i| *i == id);
        let target = typed.or_else(|| {
            let is_other = self.seen != shown;
            // Scrolls only once to a newly shown clip.
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
    let typed = state.type_ahead.take(ui, &ids, |id| document.clip_label(*id));
    let height = ui.available_height();
    if let Some(offset) = state.scroll_offset(&ids, typed, view.shown_clip(), height) {
        list = list.vertical_scroll_offset(offset);
    }
    list.show_rows(ui, 24.0, ids.len(), |ui, range| {
        for id in &ids[range] {
            clip_row(state, ui, view, document, (*id, &ids), actions);
        }
    });
}

/// Draws the panel's title with the number of clips, and buttons to sort and create clips.
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

/// Draws a button that opens the menu of sort orders.
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
            if option_row(ui, *now == order, text).clicked() {
                *now = order;
            }
        }
    });
}

/// Returns the listed clips in order. Draws a filter field above a long list.
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
    // Short lists have no filter.
    if ids.len() > FEW {
        // In a low panel, the rows need the height.
        if ui.available_height() >= LOW || !state.filter.is_empty() {
            egui::Frame::new()
                .inner_margin(egui::Margin { left: 8, right: 8, top: 0, bottom: 4 })
                .show(ui, |ui| {
                    filter_field(ui, theme, &mut state.filter, "Filter clips");
                });
        }
        let needle = state.filter.to_lowercase();
        // A newly created clip is listed even if it does not match the filter.
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
    state.type_ahead.row(ui, id, &response);
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
    // F2 renames the focused row, whatever else is selected.
    if response.has_focus() && ui.input_mut(|i| i.consume_key(egui::Modifiers::NONE, egui::Key::F2))
    {
        state.name = Some(NameDraft::new(id, &label));
    }
    if response.double_clicked() {
        state.name = Some(NameDraft::new(id, &label));
    }
    clip_menu(state, &response, view, document, id, actions);
    if state.name.as_ref().is_some_and(|draft| draft.of == id) {
        let area = egui::Rect::from_min_max(
            pos2(rect.left() + 30.0, rect.top() + 2.0),
            pos2(rect.right() - 12.0, rect.bottom() - 2.0),
        );
        clip_name_ui(state, ui, view, document, area, actions);
    }
}

/// Number of clips above which the list has a filter.
const FEW: usize = 8;
/// Height in points below which the list has no filter.
const LOW: f32 = 96.0;

/// Shows the context menu of a clip, or of all chosen clips if it is one of them.
fn clip_menu(
    state: &mut ClipsState,
    response: &egui::Response,
    view: &View<'_>,
    document: &Document,
    id: ClipId,
    actions: &mut Actions,
) {
    let about = state.chosen.about(id);
    if opens_menu(response) && about.len() < 2 {
        state.chosen.clips.clear();
        state.clicked = Some(id);
        // Commands of the menu apply to the shown clip.
        if view.shown_clip() != Some(id) {
            actions.push(TimelineAction::ShowClip(id));
        }
    }
    let mut renames = false;
    context_menu(response, Some(response.rect), view, actions, |rows| match about[..] {
        [one] => renames = clip_rows(rows, document, one),
        _ => several_rows(rows, &about),
    });
    if renames {
        state.name = Some(NameDraft::new(id, document.clip_label(id)));
    }
}

/// Adds the row of a command on the clip. Choosing it also shows the clip.
fn work_row(
    rows: &mut MenuRows<'_>,
    id: ClipId,
    spec: &'static ulna_edit::CommandSpec,
    row: Row<'_>,
) {
    if rows.row(row.enabled()) {
        if rows.view.shown_clip() != Some(id) {
            rows.actions.push(TimelineAction::ShowClip(id));
        }
        rows.actions.push(Action::Invoke(spec));
    }
}

/// Adds rows about one clip. Returns whether the clip should be renamed in its row.
fn clip_rows(rows: &mut MenuRows<'_>, document: &Document, id: ClipId) -> bool {
    let view = rows.view;
    let clip = &document.clips[id];
    let keys = clip.key_count();
    let rate = 1.0 / frame_of(clip);
    let counted = if keys == 1 { "1 key".to_owned() } else { format!("{} keys", thousands(keys)) };
    rows.header(&document.clip_label(id), &format!("{counted}, {rate:.0} fps"));
    let renames = rows.row(Row::of(view, RenameNode::spec()).enabled());
    rows.run(Row::of(view, DuplicateClip::spec()).title("Duplicate").enabled(), || {
        DuplicateClip { clip: ClipName::Id(id), name: None }.into()
    });
    rows.separator();
    let work = |rows: &mut MenuRows<'_>, spec, title: &'static str| {
        work_row(rows, id, spec, Row::of(view, spec).title(title));
    };
    work(rows, TrimClip::spec(), "Trim…");
    if document.clips.count() > 1 {
        rows.submenu(Row::new("Join with"), |rows| join_rows(rows, document, id));
    }
    work(rows, RetimeClip::spec(), "Retime…");
    work(rows, MirrorClip::spec(), "Mirror");
    work(rows, MakeEditable::spec(), "Make editable…");
    rows.submenu(Row::new("More"), |rows| {
        work(rows, SplitClip::spec(), "Split at the playhead");
        work(rows, ReverseClip::spec(), "Reverse");
        work(rows, StartAtZero::spec(), "Start at 0");
        work(rows, ResampleClip::spec(), "Resample…");
        rows.separator();
        mirror_selected_row(rows, id);
    });
    rows.separator();
    work(rows, RootMotion::spec(), "Root motion…");
    work(rows, ReduceKeys::spec(), "Reduce keys…");
    let found = seam(document, clip, frame_of(clip));
    let words = found.as_ref().map_or_else(String::new, seam_in_words);
    let close = Row::of(view, CloseLoop::spec()).title("Close the loop").help(&words);
    work_row(rows, id, CloseLoop::spec(), close);
    let gap = found.filter(|f| !f.is_closed).map(|f| f.worst().1);
    let gap = gap.map_or_else(String::new, |meters| format!("gap {:.1} cm", meters * 100.0));
    let repair = PlayCommand::RepairLoop.spec();
    work_row(rows, id, repair, Row::of(view, repair).note(gap));
    rows.separator();
    let export = Row::of(view, ulna_edit::command::FileCommand::Export.spec()).keyless();
    rows.act(export, || DialogAction::AskExport(vec![id]));
    rows.run(Row::of(view, DeleteClip::spec()).enabled(), || {
        DeleteClip { clip: ClipName::Id(id) }.into()
    });
    renames
}

/// Adds rows for the other clips, which can be appended to this one.
fn join_rows(rows: &mut MenuRows<'_>, document: &Document, id: ClipId) {
    /// Maximum number of listed clips. The form lists all of them.
    const MOST: usize = 12;
    let others: Vec<ClipId> = document.clips.ids().filter(|other| *other != id).collect();
    for other in others.iter().copied().take(MOST) {
        let row = Row::new(document.clip_label(other)).help("Appends this clip");
        rows.run(row, || {
            let (clip, with) = (ClipName::Id(id), ClipName::Id(other));
            JoinClip { clip, with, gap: None, name: None }.into()
        });
    }
    rows.separator();
    work_row(rows, id, JoinClip::spec(), Row::new("Choose and set the gap…"));
}

/// Adds the row that mirrors the motion of only the selected joints.
fn mirror_selected_row(rows: &mut MenuRows<'_>, id: ClipId) {
    let selected: Vec<NodeId> = rows.view.selection.nodes.iter().copied().collect();
    let title = match selected.len() {
        0 | 1 => "Mirror the selected joint".to_owned(),
        n => format!("Mirror the selected {n} joints"),
    };
    let about = "Mirrors the motion of the selected joints and their mirror joints. \
        Other joints do not change";
    let reason = selected.is_empty().then_some("Select joints first");
    rows.run(Row::new(title).help(about).unless(reason), || {
        MirrorClip { clip: ClipName::Id(id), node: Some(Nodes::Ids(selected)) }.into()
    });
}

/// Adds rows about several clips. Each runs as one undo step.
fn several_rows(rows: &mut MenuRows<'_>, clips: &[ClipId]) {
    let n = clips.len();
    rows.header(&format!("{n} clips"), "");
    type Make = fn(ClipName) -> Command;
    let works: [(&str, &str, Make); 9] = [
        ("Duplicate", "Duplicate clips", |clip| DuplicateClip { clip, name: None }.into()),
        ("Reverse", "Reverse clips", |clip| ReverseClip { clip }.into()),
        ("Mirror", "Mirror clips", |clip| MirrorClip { clip, node: None }.into()),
        ("Start at 0:", "Start clips at 0", |clip| StartAtZero { clip }.into()),
        ("Close the loops of", "Close loops", |clip| {
            CloseLoop { clip, how: None, frames: None, speed: None }.into()
        }),
        ("Reduce keys to 0.5 mm:", "Reduce keys of clips", |clip| {
            ReduceKeys { clip, millimetres: None }.into()
        }),
        ("Make editable within 2 mm:", "Make clips editable", |clip| {
            MakeEditable { clip, millimetres: Some(2.0) }.into()
        }),
        ("Move root motion to the root:", "Root motion of clips", |clip| {
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
    for (verb, label, make) in works {
        let mut row = Row::new(format!("{verb} {n} clips"));
        if verb == "Delete" {
            rows.separator();
            let export = Row::new(format!("Export {n} clips…"));
            let export = export.icon(icons::ICON_FILE_EXPORT.codepoint);
            rows.act(export, || DialogAction::AskExport(clips.to_vec()));
            row = row.icon(icons::ICON_DELETE.codepoint);
        }
        if rows.row(row) {
            let commands = clips.iter().map(|id| make(ClipName::Id(*id))).collect();
            rows.actions.push(Action::Preview { label: format!("{label} ({n})"), commands });
            rows.actions.push(Action::Commit);
        }
    }
}

/// Draws the text field for renaming a clip.
fn clip_name_ui(
    state: &mut ClipsState,
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    area: egui::Rect,
    actions: &mut Actions,
) {
    let Some(draft) = &mut state.name else { return };
    let id = draft.of;
    let is_taken = |name: &str| {
        document.clips.ids().any(|other| other != id && document.clip_label(other) == name)
    };
    let check = |name: &str| NameCheck::shared(name, "clip", || is_taken(name));
    match draft.show(ui, view.theme, area, "Name of the clip", check) {
        NameEnd::Typing => return,
        NameEnd::Kept(name) if name != document.clip_label(id) => {
            actions.push(Action::Run(RenameClip { clip: ClipName::Id(id), name }.into()));
        }
        NameEnd::Kept(_) | NameEnd::Left => {}
    }
    state.name = None;
}
