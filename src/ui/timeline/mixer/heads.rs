//! Lane headers: name, kind, switches, weight and mask.

use egui::{Align, Layout, Rect, RichText, Ui, UiBuilder, vec2};
use egui_material_icons::icons;

use super::{
    edits::{preview, set},
    state::MixerState,
};
use crate::ui::{
    Action, Actions, Theme, View,
    clip_menu::clip_list,
    menu_rows::{self, MenuRows, Row, context_menu_over},
    name_field::{NameCheck, NameDraft, NameEnd},
    theme::Font,
    widgets::{icon_button, mask_options, mask_words, name_widget},
};
use ulna_edit::command::RenameNode;
use ulna_model::{Document, Mix, MixBar, MixMask, MixReference, NodeId, Shared};
use ulna_motion::{Playing, Pose, Stack, mask_weights, nlerp_gap};
use ulna_render::ColorRole;

#[expect(clippy::too_many_arguments, reason = "where and what is drawn, and of what")]
pub(super) fn head_ui(
    state: &mut MixerState,
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    (mix, lane): (&Shared<Mix>, usize),
    rect: Rect,
    clip: Rect,
    playing: &[Playing],
    actions: &mut Actions,
) {
    let theme = view.theme;
    let about = &mix.lanes[lane];
    let name =
        if about.name.is_empty() { format!("Lane {}", lane + 1) } else { about.name.to_string() };
    let mut ui = ui.new_child(
        UiBuilder::new().max_rect(rect.shrink2(vec2(10.0, 3.0))).id_salt(("lane", lane)),
    );
    ui.shrink_clip_rect(clip);
    ui.spacing_mut().item_spacing.y = 3.0;
    ui.painter().rect_filled(rect, 0.0, theme.color(ColorRole::SurfacePanel));
    let area = rect.intersect(clip);
    lane_menu(state, &ui, view, document, (mix, lane), (&name, area), playing, actions);
    ui.horizontal(|ui| {
        name_line_ui(state, ui, view, document, (mix, lane), &name, playing, actions);
    });
    ui.horizontal(|ui| {
        weight_line_ui(ui, view, document, (mix, lane), &name, playing, actions);
    });
}

/// Draws the first line of a lane header: the name, kind and switches.
fn name_line_ui(
    state: &mut MixerState,
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    (mix, lane): (&Shared<Mix>, usize),
    name: &str,
    playing: &[Playing],
    actions: &mut Actions,
) {
    let theme = view.theme;
    let about = &mix.lanes[lane];
    let dim = if about.on { ColorRole::TextPrimary } else { ColorRole::TextTertiary };
    if rename_ui(state, ui, theme, (mix, lane), actions) {
        return;
    }
    let text = crate::ui::widgets::cut(ui, name, &Theme::font(Font::Heading), 96.0);
    let label = RichText::new(text).font(Theme::font(Font::Heading)).color(theme.color(dim));
    let label = ui.add(egui::Label::new(label).sense(egui::Sense::click()).selectable(false));
    if label.on_hover_text("Double-click to rename").double_clicked() {
        state.renamed = Some(NameDraft::new(lane, &*about.name));
    }
    let kind = if about.additive.is_some() { "additive" } else { "lane" };
    ui.label(
        RichText::new(kind)
            .font(Theme::font(Font::Caption))
            .color(theme.color(ColorRole::TextTertiary)),
    );
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        let about_menu = format!("More commands for {name}");
        menu_rows::more_button(ui, view, actions, &about_menu, |rows| {
            lane_rows(state, rows, document, (mix, lane), name, playing);
        });
        if icon_button(
            ui,
            theme,
            icons::ICON_HEADPHONES,
            &format!("Solo {name}"),
            "",
            about.solo,
            Ok(()),
        )
        .clicked()
        {
            change(mix, lane, actions, |l| l.solo = !l.solo);
        }
        let eye = if about.on { icons::ICON_VISIBILITY } else { icons::ICON_VISIBILITY_OFF };
        if icon_button(ui, theme, eye, &format!("Enable {name}"), "", false, Ok(())).clicked() {
            change(mix, lane, actions, |l| l.on = !l.on);
        }
    });
}

/// Draws the second line of a lane header: the weight, a line with the current weight, and its
/// mask.
fn weight_line_ui(
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    (mix, lane): (&Shared<Mix>, usize),
    name: &str,
    playing: &[Playing],
    actions: &mut Actions,
) {
    let theme = view.theme;
    let about = &mix.lanes[lane];
    let mut percent = about.weight * 100.0;
    let most = if about.additive.is_some() { 200.0 } else { 100.0 };
    let field = egui::DragValue::new(&mut percent)
        .range(0.0..=most)
        // Scripts can set larger values, and drawing must not change them.
        .clamp_existing_to_range(false)
        .speed(0.5)
        .fixed_decimals(0)
        .prefix("Weight ")
        .suffix(" %");
    let field = ui.add_sized([108.0, 22.0], field);
    let about_weight = if about.additive.is_some() {
        "Amount of the difference that is added. The line shows the current weight"
    } else {
        "How much this lane covers the lanes below. The line shows the current weight"
    };
    name_widget(ui, &field, &format!("Weight of {name}"));
    let field = field.on_hover_text(about_weight);
    // Current weight of the lane.
    let plays = (playing.iter().map(|p| p.weight).sum::<f32>() * about.weight).clamp(0.0, 1.0);
    let under = field.rect.left_bottom() + vec2(0.0, 1.0);
    let line = Rect::from_min_size(under, vec2(field.rect.width() * plays, 2.0));
    ui.painter().rect_filled(line, 0.0, theme.color(ColorRole::AccentBase));
    if field.changed() {
        let mut made = (**mix).clone();
        made.lanes[lane].weight = percent / 100.0;
        preview("Weight of a lane", made, actions);
    }
    if field.drag_stopped() || field.lost_focus() {
        actions.push(Action::Commit);
    }
    let text = mask_words(document, about.mask.as_ref());
    let short = crate::ui::widgets::cut(ui, &text, &Theme::font(Font::Small), 96.0);
    let short = RichText::new(short).font(Theme::font(Font::Small));
    let menu = menu_rows::menu_button(ui, short, view, actions, |rows| {
        mask_rows(rows, document, (mix, lane));
    });
    name_widget(ui, &menu, &format!("Mask of {name}: {text}"));
    menu.on_hover_text("Joints that the lane affects. Other joints play the lanes below");
}

/// Text field that renames a lane. Returns whether it is shown.
fn rename_ui(
    state: &mut MixerState,
    ui: &mut Ui,
    theme: &Theme,
    (mix, lane): (&Shared<Mix>, usize),
    actions: &mut Actions,
) -> bool {
    let Some(draft) = state.renamed.as_mut().filter(|draft| draft.of == lane) else {
        return false;
    };
    let (area, _) = ui.allocate_exact_size(vec2(150.0, 20.0), egui::Sense::hover());
    let is_taken = |name: &str| {
        let mut others = mix.lanes.iter().enumerate().filter(|(k, _)| *k != lane);
        others.any(|(_, other)| *other.name == *name)
    };
    // A lane without a name is shown by its number.
    let check = |name: &str| match name {
        "" => NameCheck::Fine,
        name => NameCheck::shared(name, "lane", || is_taken(name)),
    };
    match draft.show(ui, theme, area, "Name of the lane", check) {
        NameEnd::Typing => return true,
        NameEnd::Kept(name) if *mix.lanes[lane].name != *name => {
            change(mix, lane, actions, |l| l.name = name.as_str().into());
        }
        NameEnd::Kept(_) | NameEnd::Left => {}
    }
    state.renamed = None;
    true
}

fn change(
    mix: &Mix,
    lane: usize,
    actions: &mut Actions,
    with: impl FnOnce(&mut ulna_model::MixLane),
) {
    let mut made = mix.clone();
    with(&mut made.lanes[lane]);
    set(made, actions);
}

/// Draws the context menu of a lane header.
fn lane_menu(
    state: &mut MixerState,
    ui: &Ui,
    view: &View<'_>,
    document: &Document,
    (mix, lane): (&Shared<Mix>, usize),
    (name, area): (&str, Rect),
    playing: &[Playing],
    actions: &mut Actions,
) {
    // The fields and buttons of the head are on top of this area.
    let response = ui.interact(area, ui.scope_id().with(("lane menu", lane)), egui::Sense::click());
    response.widget_info(|| {
        egui::WidgetInfo::labeled(egui::Role::Label, true, format!("Head of {name}"))
    });
    context_menu_over(ui, &response, view, actions, |rows| {
        lane_rows(state, rows, document, (mix, lane), name, playing);
    });
}

/// Adds the menu rows of a lane.
fn lane_rows(
    state: &mut MixerState,
    rows: &mut MenuRows<'_>,
    document: &Document,
    (mix, lane): (&Shared<Mix>, usize),
    name: &str,
    playing: &[Playing],
) {
    let about = &mix.lanes[lane];
    let bars = about.bars.len();
    let kind = if about.additive.is_some() { "additive lane" } else { "lane" };
    let words = format!("{kind}, {bars} {}", if bars == 1 { "bar" } else { "bars" });
    rows.header(name, &words);
    if rows.row(Row::of(rows.view, RenameNode::spec()).enabled()) {
        state.renamed = Some(NameDraft::new(lane, &*about.name));
    }
    rows.separator();
    let eye = if about.on { icons::ICON_VISIBILITY_OFF } else { icons::ICON_VISIBILITY };
    let row = Row::new(if about.on { "Disable" } else { "Enable" }).icon(eye.codepoint);
    if rows.row(row) {
        change(mix, lane, rows.actions, |l| l.on = !l.on);
    }
    let row = Row::new(if about.solo { "End solo" } else { "Solo" });
    if rows.row(row.icon(icons::ICON_HEADPHONES.codepoint)) {
        change(mix, lane, rows.actions, |l| l.solo = !l.solo);
    }
    rows.separator();
    let row = Row::new("Add a clip at the playhead").icon(icons::ICON_ADD.codepoint);
    rows.submenu(row, |rows| add_clip_rows(state, rows, document, (mix, lane)));
    let row = Row::new("Mask").note(mask_words(document, about.mask.as_ref()));
    rows.submenu(row, |rows| mask_rows(rows, document, (mix, lane)));
    if let Some(reference) = about.additive {
        rows.submenu(Row::new("Add the difference from"), |rows| {
            reference_rows(rows, (mix, lane), reference, playing);
        });
    }
    let gap = greatest_gap(document, playing).to_degrees();
    let row = Row::new("Rotations by NLERP").checked(about.nlerp).help(format!(
        "Faster than SLERP. For the clips playing now, the two differ by up to {gap:.2}°"
    ));
    if rows.row(row) {
        change(mix, lane, rows.actions, |l| l.nlerp = !l.nlerp);
    }
    rows.separator();
    move_rows(rows, (mix, lane));
    rows.separator();
    if rows.row(Row::new("Remove the lane").icon(icons::ICON_DELETE.codepoint)) {
        let mut made = (**mix).clone();
        made.lanes.remove(lane);
        rows.actions.push(crate::ui::TimelineAction::ChooseBar(None));
        set(made, rows.actions);
    }
}

/// Adds the list of clips, which adds the chosen one to a lane at the playhead.
fn add_clip_rows(
    state: &mut MixerState,
    rows: &mut MenuRows<'_>,
    document: &Document,
    (mix, lane): (&Shared<Mix>, usize),
) {
    let (theme, start) = (rows.view.theme, rows.view.timeline.playback.time);
    rows.own(|ui, actions| {
        let Some(id) = clip_list(ui, theme, document, &mut state.search, None) else { return };
        let length = document.clips.get(id).map_or(1.0, |c| f64::from(c.length())).max(0.2);
        let fade = if mix.lanes[lane].bars.is_empty() { 0.0 } else { 0.25 };
        let bar = MixBar { fade_in: fade, ..MixBar::new(id, start, length * 2.0) };
        change(mix, lane, actions, |l| l.bars.push(bar));
    });
}

/// Adds the choice of the reference pose of an additive lane.
fn reference_rows(
    rows: &mut MenuRows<'_>,
    (mix, lane): (&Shared<Mix>, usize),
    now: MixReference,
    playing: &[Playing],
) {
    let moment = playing.first().map_or(rows.view.timeline.playback.time, |p| p.time);
    for (to, text) in [
        (MixReference::Rest, "The rest pose".to_owned()),
        (MixReference::First, "The clip's first frame".to_owned()),
        (MixReference::At(moment), format!("The clip at {moment:.3} s")),
    ] {
        if rows.row(Row::new(text).checked(to == now)) {
            change(mix, lane, rows.actions, |l| l.additive = Some(to));
        }
    }
}

/// Adds the rows that move a lane up and down.
fn move_rows(rows: &mut MenuRows<'_>, (mix, lane): (&Shared<Mix>, usize)) {
    let about = &mix.lanes[lane];
    let is_like = |to: &usize| {
        mix.lanes.get(*to).is_some_and(|o| o.additive.is_some() == about.additive.is_some())
    };
    for (title, icon, to) in [
        ("Move up", icons::ICON_ARROW_UPWARD, Some(lane + 1)),
        ("Move down", icons::ICON_ARROW_DOWNWARD, lane.checked_sub(1)),
    ] {
        let to = to.filter(is_like);
        let none = to.is_none().then_some("No lane of the same kind is there");
        if rows.row(Row::new(title).icon(icon.codepoint).unless(none))
            && let Some(to) = to
        {
            let mut made = (**mix).clone();
            made.lanes.swap(lane, to);
            set(made, rows.actions);
        }
    }
}

/// Adds the choices for the mask of a lane.
fn mask_rows(rows: &mut MenuRows<'_>, document: &Document, (mix, lane): (&Shared<Mix>, usize)) {
    let mask = &mix.lanes[lane].mask;
    let view = rows.view;
    let mut chosen: Option<Option<MixMask>> = None;
    let mut option = |rows: &mut MenuRows<'_>, text: String, value: Option<MixMask>| {
        if rows.row(Row::new(text).checked(*mask == value)) {
            chosen = Some(value);
        }
    };
    for (text, value) in mask_options(document, view.selection.active) {
        option(rows, text, value);
    }
    rows.separator();
    let row = Row::new("Paint in the outliner").icon(icons::ICON_BRUSH.codepoint);
    let paints = rows.row(row.help("Starts from the current mask"));
    let selected = &view.selection.nodes;
    if !selected.is_empty() {
        let joints = if selected.len() == 1 { "joint" } else { "joints" };
        rows.separator();
        rows.title(&format!("{} selected {joints}", selected.len()));
        let painted = |weight: Option<f32>| {
            let mut list = match mask {
                Some(MixMask::Painted(list)) => list.clone(),
                _ => Default::default(),
            };
            for node in selected {
                match weight {
                    Some(weight) => list.insert(*node, weight),
                    None => list.remove(node),
                };
            }
            Some(MixMask::Painted(list))
        };
        for (text, weight) in [
            ("Set to full weight", Some(1.0)),
            ("Set to half weight", Some(0.5)),
            ("Remove from mask", None),
        ] {
            if rows.row(Row::new(text)) {
                chosen = Some(painted(weight));
            }
        }
    }
    if paints {
        let now = mask.as_ref().map(|m| mask_weights(document, m));
        let at = |n: &NodeId| now.as_ref().map_or(1.0, |m| m.at(*n));
        let joints = document.node_ids().filter(|n| view.joints[n.index()]);
        let list = joints.map(|n| (n, at(&n))).filter(|(_, w)| *w > 0.0).collect();
        if !matches!(mask, Some(MixMask::Painted(_))) {
            chosen = Some(Some(MixMask::Painted(list)));
        }
        rows.actions.push(crate::ui::TimelineAction::PaintMask(Some(lane)));
    }
    if let Some(mask) = chosen {
        change(mix, lane, rows.actions, |l| l.mask = mask);
    }
}

/// Largest angle between NLERP and SLERP, in radians, for the two clips with the largest current
/// weights.
fn greatest_gap(document: &Document, playing: &[Playing]) -> f32 {
    let mut heaviest: Vec<&Playing> = playing.iter().collect();
    heaviest.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    let [a, b, ..] = heaviest[..] else { return 0.0 };
    let pose =
        |p: &Playing| Pose::evaluate(document, &Stack::shown(document, Some(p.clip), p.time));
    let (a, b) = (pose(a), pose(b));
    let angle = |(a, b): (&ulna_model::Local, &ulna_model::Local)| {
        ulna_model::transform::angle_between(a.transform().rotation, b.transform().rotation)
    };
    nlerp_gap(a.local.iter().zip(&b.local).map(angle).fold(0.0, f32::max))
}
