//! The toolbar: tools, axes, destination of edits, undo and redo.

use egui::{Color32, RichText, Role, Sense, Ui, WidgetInfo, vec2};
use egui_material_icons::icons;

use super::{
    Action, Actions, Theme, View,
    bar_parts::{command_button, divider, snap_ui, spaces_ui, switch_rows, symmetry_ui},
    chooser::chooser,
    menu_rows::{MenuRows, Row, fill, fill_choices},
    rig_bar::{rig_tools_ui, skeleton_destination_ui},
    theme::Font,
    viewport::icon_of,
    weights::brush_icon,
    widgets::{check, elided, icon_button, icon_font, key_chips, segment, segments, tooltip},
};
use crate::ui::popups::{lasting_menu_button, menu_button};
use crate::ui::{DestinationBar, LayerAction, PaintAction, Pivot, TimelineAction, ViewportAction};
use ulna_edit::command::{
    BrushCommand, Children, DiscardUnkeyed, FileCommand, NewLayer, SessionCommand, SetKey,
    ViewCommand,
    field::{ClipName, Seconds},
};
use ulna_model::PoseLayerId;
use ulna_render::ColorRole;
use ulna_weights::{Brush, BrushKind, layers::Painted};

pub fn toolbar_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    ui.horizontal_centered(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        if ui.ctx().content_rect().width() < super::layout::NARROWER {
            let spec = ViewCommand::Outliner.spec();
            let on = view.options.outliner_narrow;
            command_button(ui, view, icons::ICON_LEFT_PANEL_OPEN, spec, on, actions);
        }
        if view.retarget.is_some() {
            page_words(ui, theme);
        } else {
            tools_ui(ui, view, actions);
            let left = ui.cursor().left();
            destination_ui(ui, view, actions);
            let taken = ui.cursor().left() - left;
            if view.mode.spec().edits_keys {
                keep_width(ui, DESTINATION, taken);
            }
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            if ui.available_width() > 330.0 {
                find_button(ui, view, actions);
            } else if ui.available_width() > 110.0 {
                let key = view.settings.keys.key(FileCommand::Find.name());
                if icon_button(ui, theme, icons::ICON_SEARCH, "Find a command…", key, false, Ok(()))
                    .clicked()
                {
                    actions.push(Action::Run(FileCommand::Find.into()));
                }
            }
            command_button(ui, view, icons::ICON_REDO, SessionCommand::Redo.spec(), false, actions);
            command_button(ui, view, icons::ICON_UNDO, SessionCommand::Undo.spec(), false, actions);
        });
    });
}

/// Draws the text that replaces the tools on the *Retarget* page.
fn page_words(ui: &mut Ui, theme: &Theme) {
    ui.add_space(4.0);
    ui.label(RichText::new("Preview").color(theme.color(ColorRole::TextSecondary)));
    let text = RichText::new("retargeted clip, not in the file yet");
    ui.label(text.color(theme.color(ColorRole::TextPrimary)));
}

/// Storage key for the width of the posing options side by side. Other modes reserve this width and
/// that of [`DESTINATION`], so that the toolbar does not shift on a mode change.
const OPTIONS: &str = "toolbar options width";
/// Storage key for the width of the controls for the destination of edits.
const DESTINATION: &str = "toolbar destination width";

/// Stores the width of a toolbar part in points, for the layout of the next frame.
fn keep_width(ui: &Ui, part: &str, points: f32) {
    let id = egui::Id::unique(part);
    let before = ui.data_mut(|d| {
        let before = d.get_temp::<f32>(id);
        d.insert_temp(id, points);
        before
    });
    if before.is_none_or(|b| (b - points).abs() > 0.5) {
        ui.ctx().request_repaint();
    }
}

/// True if the toolbar is wide enough to show the posing options side by side.
fn has_room_for_options(ui: &Ui) -> bool {
    /// Width in points of undo, redo and the command search button.
    const RIGHT: f32 = 130.0;
    if ui.ctx().content_rect().width() >= 1500.0 {
        return true;
    }
    let width = |part: &str, usual: f32| {
        ui.data(|d| d.get_temp::<f32>(egui::Id::unique(part))).unwrap_or(usual)
    };
    width(OPTIONS, 330.0) + width(DESTINATION, 700.0) + RIGHT <= ui.available_width()
}

/// True if the window is so narrow that lists must replace rows of buttons.
fn is_tight(ui: &Ui) -> bool {
    ui.ctx().content_rect().width() < 700.0
}

/// Draws the tools and their options.
fn tools_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    let tools = view.mode.spec().tools;
    let tight = is_tight(ui);
    if !tools.is_empty() && tight {
        let rows: Vec<_> =
            tools.iter().map(|t| (*t, t.spec().title, *t == view.viewport.tool)).collect();
        let now = view.tool().map_or("Select", |tool| tool.spec().title);
        let chosen = chooser(ui, view, "Tool", now, &rows);
        actions.extend(chosen.map(ViewportAction::SetTool));
    }
    if !tools.is_empty() {
        for &tool in tools.iter().filter(|_| !tight) {
            let (spec, on) = (tool.spec(), view.viewport.tool == tool);
            let (key, enabled) =
                (view.settings.keys.key(spec.name), spec.check(&view.availability));
            if icon_button(ui, theme, icon_of(tool), spec.title, key, on, enabled).clicked() {
                actions.push(ViewportAction::SetTool(tool));
            }
        }
        divider(ui, theme);
        if view.mode.spec().edits_rest {
            rig_tools_ui(ui, view, actions);
            return;
        }
        spaces_ui(ui, view, actions);
        divider(ui, theme);
        if has_room_for_options(ui) {
            let left = ui.cursor().left();
            pivot_ui(ui, view, actions);
            symmetry_ui(ui, view, actions);
            children_ui(ui, view, actions);
            snap_ui(ui, view, actions);
            let taken = ui.cursor().left() - left;
            keep_width(ui, OPTIONS, taken);
        } else {
            options_ui(ui, view, actions);
        }
        divider(ui, theme);
    } else if view.mode.spec().paints_weights {
        brushes_ui(ui, view, actions);
    }
}

/// Draws the brush operations, which replace the tools in Paint mode.
fn brushes_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    let brush = view.paint.options.brush;
    let enabled = match view.paint.surface() {
        Some(_) => Ok(()),
        None => Err("The file has no vertex weights"),
    };
    let tight = is_tight(ui);
    if tight {
        let rows = BrushKind::ALL.map(|kind| (kind, kind.label(), kind == brush.kind));
        if let Some(kind) = chooser(ui, view, "Brush", brush.kind.label(), &rows) {
            actions.push(PaintAction::Brush(Box::new(Brush { kind, ..brush })));
        }
    }
    for kind in BrushKind::ALL.into_iter().filter(|_| !tight) {
        let name = format!("Brush: {}", kind.label());
        let on = brush.kind == kind && enabled.is_ok();
        if icon_button(ui, theme, brush_icon(kind), &name, "", on, enabled).clicked() {
            actions.push(PaintAction::Brush(Box::new(Brush { kind, ..brush })));
        }
    }
    divider(ui, theme);
    if view.paint.bending.rings {
        // Symmetry is available here, because the joint rings pose joints.
        symmetry_ui(ui, view, actions);
    } else {
        command_button(
            ui,
            view,
            icons::ICON_FLIP,
            BrushCommand::Mirror.spec(),
            brush.mirror,
            actions,
        );
    }
    divider(ui, theme);
}

/// Draws the destination of edits and the switches that change it.
fn destination_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    match view.mode.spec().destination {
        _ if view.mixes() => mix_shown_ui(ui, view.theme),
        DestinationBar::Pose => pose_destination_ui(ui, view),
        DestinationBar::Clip => clip_destination_ui(ui, view, actions),
        DestinationBar::Weights => weights_destination_ui(ui, view),
        DestinationBar::Skeleton => skeleton_destination_ui(ui, view, actions),
    }
}

fn mix_shown_ui(ui: &mut Ui, theme: &Theme) {
    ui.label(RichText::new("Showing").color(theme.color(ColorRole::TextSecondary)));
    ui.label(RichText::new("the mix").color(theme.color(ColorRole::TextPrimary)));
}

fn clip_destination_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    let narrow = ui.ctx().content_rect().width() < 1280.0;
    if !narrow {
        ui.label(RichText::new("Edit").color(theme.color(ColorRole::TextSecondary)));
    }
    into_ui(ui, view, actions);
    let on_selected = view.timeline.edit_selected && !view.selected_keys().is_empty();
    let text = match (on_selected, view.timeline.auto_key) {
        (true, _) => "all selected keys",
        (false, true) => "key at the playhead",
        (false, false) => "as unkeyed pose",
    };
    if !view.layers.into && !narrow {
        ui.label(RichText::new(text).color(theme.color(ColorRole::TextPrimary)));
    }
    auto_key(ui, view, actions);
    if !view.selected_keys().is_empty() && !view.layers.into {
        selected_keys(ui, view, actions);
    }
    unkeyed_ui(ui, view, actions);
}

fn weights_destination_ui(ui: &mut Ui, view: &View<'_>) {
    let theme = view.theme;
    ui.label(RichText::new("Painting").color(theme.color(ColorRole::TextSecondary)));
    let joint = view.paint.joint().zip(view.paint.surface());
    let node = joint.and_then(|(j, c)| c.joints().get(usize::from(j)).copied());
    let layer = crate::ui::weight_marks::painted_layer(view);
    let text = match (node.zip(view.session), layer) {
        (_, Some((name, Painted::Mask))) => format!("mask of {name}"),
        (Some((node, session)), layer) => {
            let place = layer.map_or_else(String::new, |(name, _)| format!(" in {name}"));
            format!("weights of {}{place}", session.document().node(node).label(node))
        }
        (None, _) => "no joint selected".to_owned(),
    };
    let text =
        elided(ui, &text, &Theme::font(Font::Body), (ui.available_width() - 340.0).max(120.0));
    ui.label(RichText::new(text).color(theme.color(ColorRole::TextPrimary)));
}

fn pose_destination_ui(ui: &mut Ui, view: &View<'_>) {
    let theme = view.theme;
    ui.label(RichText::new("Edit").color(theme.color(ColorRole::TextSecondary)));
    let layer = view.session.zip(view.layers.written);
    let layer =
        layer.and_then(|(s, id)| s.document().aids.pose_layer(id).map(|(_, l)| l.name.clone()));
    if layer.is_some() {
        let icon = RichText::new(icons::ICON_LAYERS.codepoint).font(icon_font(16.0, false));
        ui.label(icon.color(theme.color(ColorRole::AccentText)));
    }
    let text = layer.as_deref().unwrap_or("the file's pose");
    let text = elided(ui, text, &Theme::font(Font::Body), 240.0);
    ui.label(RichText::new(text).color(theme.color(ColorRole::TextPrimary)));
}

/// Draws the choice of the pivot point for posing several joints.
fn pivot_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let now = view.viewport.pivot;
    let chosen =
        chooser(ui, view, "Pivot", now.title(), &Pivot::ALL.map(|p| (p, p.title(), p == now)));
    actions.extend(chosen.map(ViewportAction::SetPivot));
}

/// Title of a choice for the children of posed joints, and a sentence about its effect.
pub const fn children_words(children: Children) -> (&'static str, &'static str) {
    match children {
        Children::Follow => ("Children follow", "Children move with a posed joint"),
        Children::Place => ("Children stay", "Children stay in place while their parent is posed"),
        Children::Angle => (
            "Children keep their angle",
            "Children move with a posed joint but keep their world rotation",
        ),
    }
}

/// All choices for the children of posed joints.
const CHILDREN: [Children; 3] = [Children::Follow, Children::Place, Children::Angle];

/// Draws the choice for the children of a posed joint: they follow it or stay in place.
fn children_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    let now = view.viewport.children;
    let color = theme.color(if now == Children::Follow {
        ColorRole::TextPrimary
    } else {
        ColorRole::AccentBase
    });
    let icon =
        RichText::new(icons::ICON_ACCOUNT_TREE.codepoint).font(icon_font(18.0, false)).color(color);
    let title = children_words(now).0;
    let button = menu_button(ui, icon, |ui| fill_choices(ui, view, actions, children_rows));
    button.widget_info(|| WidgetInfo::labeled(Role::Button, true, title));
    button.on_hover_text(title);
}

fn children_rows(rows: &mut MenuRows<'_>) {
    let now = rows.view.viewport.children;
    for children in CHILDREN {
        let (title, help) = children_words(children);
        let row = Row::new(title).checked(now == children).help(help);
        rows.act(row, || ViewportAction::SetChildren(children));
    }
}

/// Draws one menu of all posing options, for windows without room for them side by side.
fn options_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    let viewport = &view.viewport;
    let is_usual = viewport.pivot == Pivot::Each
        && !viewport.symmetry
        && viewport.children == Children::Follow
        && !viewport.snap;
    let color = theme.color(if is_usual { ColorRole::TextPrimary } else { ColorRole::AccentBase });
    let icon = RichText::new(icons::ICON_TUNE.codepoint).font(icon_font(18.0, false)).color(color);
    let button = lasting_menu_button(ui, egui::Button::new(icon), |ui| {
        fill(ui, view, actions, |rows| {
            rows.stay_open();
            rows.title("Pivot");
            for pivot in Pivot::ALL {
                let row = Row::new(pivot.title()).checked(viewport.pivot == pivot);
                rows.act(row, || ViewportAction::SetPivot(pivot));
            }
            rows.title("Children");
            children_rows(rows);
            rows.separator();
            switch_rows(rows);
        });
    });
    button.widget_info(|| WidgetInfo::labeled(Role::Button, true, "Posing options"));
    button.on_hover_text("Pivot, children, symmetry, snapping");
}

/// Draws a search field that opens the command palette when clicked.
fn find_button(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    let key = view.settings.keys.key(FileCommand::Find.name());
    let (rect, response) = ui.allocate_exact_size(vec2(240.0, 28.0), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, "Find a command…"));
    let fill = if response.hovered() { ColorRole::SurfaceControl } else { ColorRole::SurfaceField };
    ui.painter().rect(rect, 4.0, theme.color(fill), theme.field_edge(), egui::StrokeKind::Inside);
    let middle = rect.center().y;
    let at = egui::pos2(rect.left() + 16.0, middle);
    super::widgets::paint_icon(
        ui.painter(),
        at,
        icons::ICON_SEARCH,
        16.0,
        theme.color(ColorRole::TextTertiary),
    );
    let at = egui::pos2(rect.left() + 30.0, middle);
    let font = Theme::font(Font::Body);
    ui.painter().text(
        at,
        egui::Align2::LEFT_CENTER,
        "Find a command",
        font,
        theme.color(ColorRole::TextSecondary),
    );
    let layout = egui::Layout::right_to_left(egui::Align::Center);
    let area = rect.shrink2(vec2(6.0, 0.0));
    key_chips(&mut ui.new_child(egui::UiBuilder::new().max_rect(area).layout(layout)), theme, key);
    if response.clicked() {
        actions.push(Action::Run(FileCommand::Find.into()));
    }
}

fn auto_key(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    let text = ui.painter().layout_no_wrap(
        "Auto-key".into(),
        Theme::font(Font::Body),
        theme.color(ColorRole::TextPrimary),
    );
    let (rect, response) = ui.allocate_exact_size(vec2(text.size().x + 32.0, 24.0), Sense::click());
    response.widget_info(|| {
        WidgetInfo::selected(Role::CheckBox, true, view.timeline.auto_key, "Auto-key")
    });
    let fill = if response.hovered() {
        theme.color(ColorRole::SurfaceControlHover)
    } else {
        Color32::TRANSPARENT
    };
    ui.painter().rect_filled(rect, 4.0, fill);
    let center = egui::pos2(rect.left() + 13.0, rect.center().y);
    if view.timeline.auto_key {
        ui.painter().circle_filled(center, 5.0, theme.color(ColorRole::Record));
    } else {
        ui.painter().circle_stroke(
            center,
            4.5,
            egui::Stroke::new(1.5, theme.color(ColorRole::TextTertiary)),
        );
    }
    ui.painter().galley(
        egui::pos2(rect.left() + 24.0, rect.center().y - text.size().y * 0.5),
        text,
        theme.color(ColorRole::TextPrimary),
    );
    if tooltip(response, theme, "Sets a key whenever you pose a joint", "", Ok(())).clicked() {
        actions.push(TimelineAction::AutoKey(!view.timeline.auto_key));
    }
}

/// Draws the choice between keys and a layer as destination of edits while a clip is shown, and the
/// choice of the layer.
fn into_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    let Some((session, home)) = view.session.zip(view.layers.home) else { return };
    segments(ui, theme, |ui| {
        for (into, text, help) in [
            (false, "Keys", "Edits change keys at the playhead, or make an unkeyed pose"),
            (
                true,
                "Layer",
                "Edits go to a layer over the whole clip, which can be weakened, turned off or \
                    removed later",
            ),
        ] {
            let segment = segment(ui, theme, text, view.layers.into == into, false);
            let name = format!("Edit: {text}");
            segment.widget_info(|| {
                WidgetInfo::selected(Role::Button, true, view.layers.into == into, &name)
            });
            if segment.on_hover_text(help).clicked() {
                actions.push(LayerAction::Into(into));
                if into && session.document().aids.layers(home).is_empty() {
                    actions.push(Action::Run(
                        NewLayer { clip: home.clip().map(ClipName::Id), name: None }.into(),
                    ));
                }
            }
        }
    });
    if !view.layers.into {
        return;
    }
    let layers = session.document().aids.layers(home);
    let now = view.layers.chosen.and_then(|id| layers.get(id)).map_or("no layer", |l| &l.name);
    let now = elided(ui, now, &Theme::font(Font::Body), 140.0);
    let options: Vec<(Option<PoseLayerId>, &str, bool)> = layers
        .iter()
        .rev()
        .map(|l| (Some(l.id), &*l.name, view.layers.chosen == Some(l.id)))
        .chain([(None, "New layer", false)])
        .collect();
    match chooser(ui, view, "Layer", &now, &options) {
        Some(Some(id)) => actions.push(LayerAction::Choose(home, Some(id))),
        Some(None) => actions
            .push(Action::Run(NewLayer { clip: home.clip().map(ClipName::Id), name: None }.into())),
        None => {}
    }
}

/// True if the toolbar has room for the full texts about selected keys and unkeyed poses.
fn has_room(ui: &Ui) -> bool {
    ui.ctx().content_rect().width() >= 1700.0
}

/// Draws the checkbox for offsetting all selected keys with each edit.
fn selected_keys(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let mut on = view.timeline.edit_selected;
    let text = match view.selected_keys().len() {
        1 => "Edit the selected key".to_owned(),
        n if !has_room(ui) => format!("Edit all {} keys", crate::ui::widgets::thousands(n)),
        n => format!("Edit all {} selected keys", crate::ui::widgets::thousands(n)),
    };
    let response = crate::ui::widgets::check(ui, view.theme, &mut on, text);
    let hint = "Posing and typed values offset all selected keys of the posed joints by the same \
        amount";
    if response.on_hover_text(hint).changed() {
        actions.push(TimelineAction::EditSelected(on));
    }
}

/// Draws the number of nodes in the unkeyed pose, and buttons to key or discard it.
fn unkeyed_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    let Some(session) = view.session else { return };
    let poses = &session.document().aids.unkeyed;
    let nodes = |n: usize| if n == 1 { "1 node".to_owned() } else { format!("{n} nodes") };
    if let Some((at, pose)) = view.timeline.unkeyed.and_then(|at| Some((at, poses.get(&at)?))) {
        let count = pose.nodes().count();
        let place = if view.timeline.carried {
            format!(" · from {:.3} s", at.time())
        } else {
            String::new()
        };
        let text = format!("{} unkeyed{place}", nodes(count));
        let hint = format!("{text}. Sets keys for the changed nodes at the playhead (S)");
        if has_room(ui) {
            let text = RichText::new(text).color(theme.color(ColorRole::SelectionText));
            ui.label(text).on_hover_text(
                "This pose is not keyed. It is hidden during playback and not saved",
            );
        }
        if ui.button(format!("Key {}", nodes(count))).on_hover_text(hint).clicked() {
            actions.push(Action::Invoke(SetKey::spec()));
        }
        if ui.button("Discard").on_hover_text("Discards this unkeyed pose").clicked() {
            let discard = DiscardUnkeyed {
                clip: Some(ClipName::Id(at.clip)),
                time: Some(Seconds(at.time())),
            };
            actions.push(Action::Run(discard.into()));
        }
        let mut carried = view.timeline.carried;
        let words = if ui.ctx().content_rect().width() < 1100.0 { "Carry" } else { "Carry pose" };
        let carry = check(ui, view.theme, &mut carried, words);
        if carry
            .on_hover_text(
                "Keeps showing the unkeyed pose when the playhead moves, so that you can key it at \
                    another time",
            )
            .changed()
        {
            actions.push(TimelineAction::Carry(carried.then_some(at)));
        }
    } else if let Some((at, _)) = poses.iter().find(|(at, _)| Some(at.clip) == view.shown_clip()) {
        let count = poses.keys().filter(|at| Some(at.clip) == view.shown_clip()).count();
        let text =
            if count == 1 { "1 unkeyed pose".to_owned() } else { format!("{count} unkeyed poses") };
        ui.label(RichText::new(text).color(theme.color(ColorRole::SelectionText)));
        if ui
            .button(format!("Go to {:.3} s", at.time()))
            .on_hover_text("Moves the playhead to the unkeyed pose")
            .clicked()
        {
            actions.push(TimelineAction::Seek(f64::from(at.time())));
        }
    }
}
