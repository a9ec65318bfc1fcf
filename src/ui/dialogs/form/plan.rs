//! Effects of a skeleton command below its form: changes of joints, inverse bind matrices, clips
//! and weights, with the skin deviation.

use egui::{
    Align, Align2, Label, Layout, Rect, RichText, Sense, Stroke, Ui, WidgetInfo, pos2, vec2,
};
use egui_material_icons::{MaterialIcon, icons};

use super::{
    super::parts::{many, notice, plain, primary, small},
    acts::acts_ui,
    deviation::{ICON, deviation_ui},
};
use crate::ui::{
    Actions, Dialog, DialogAction, FormDraft, PlanForeseen, PlanView, Theme, View,
    theme::Font,
    widgets::{cut, paint_icon, thousands},
};
use ulna_edit::{
    CommandLine, CommandSpec,
    command::{
        GivenWeights, InsertJoint, MendArmature, MirrorJoint, MoveJoint, OrientJoint, RigReport,
    },
};
use ulna_model::Document;
use ulna_motion::Deviation;
use ulna_render::ColorRole;

/// Lets Escape close the form, even while one of its fields has the focus.
pub fn step_back(ui: &Ui, actions: &mut Actions) {
    let id = egui::Id::unique("field of a plan had the focus");
    let form = ui.max_rect();
    let focused = ui.memory(|m| m.focused()).and_then(|id| ui.ctx().read_response(id));
    let is_inside = focused.is_some_and(|f| form.contains(f.rect.center()));
    // egui removes the focus before this code can check it.
    let was_inside = ui.data_mut(|d| {
        let was = d.get_temp::<bool>(id).unwrap_or(false);
        d.insert_temp(id, is_inside);
        was
    });
    let escape = ui.input(|i| i.key_pressed(egui::Key::Escape));
    if escape && was_inside && !egui::Popup::is_any_open(ui.ctx()) {
        actions.push(DialogAction::SetDialog(None));
    }
}

/// Command and its form.
pub(super) type CommandForm<'a> = (&'a CommandSpec, &'a FormDraft);

/// Shows the effects and the buttons. `line`: the command, or the missing input. `enter`: whether
/// Enter was pressed in the form.
pub fn plan_ui(
    ui: &mut Ui,
    view: &View<'_>,
    of: CommandForm<'_>,
    (line, enter): (Result<CommandLine, String>, bool),
    actions: &mut Actions,
) {
    let theme = view.theme;
    let acts = view.dialogs.plan.acts;
    acts_ui(ui, view, actions);
    let missing = line.as_ref().err().map(|missing| (missing.as_str(), of.1.is_touched));
    let is_fine = effects_ui(ui, view, (acts.is_empty().then_some(of), missing), actions);
    ui.horizontal(|ui| {
        ui.set_min_height(32.0);
        let add = ui.add_enabled_ui(line.is_ok(), |ui| plain(ui, "Add to plan")).inner;
        let about = "Keeps this change in a list, to be applied with others as one undo step";
        let adds = add.on_hover_text(about).clicked();
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let words = apply_words(acts.len() + 1);
            let go = ui.add_enabled_ui(is_fine, |ui| primary(ui, theme, &words)).inner;
            if plain(ui, "Cancel").clicked() {
                let back = (!acts.is_empty()).then_some(Dialog::Plan);
                actions.push(DialogAction::SetDialog(back));
            } else if let Ok(line) = line {
                if adds {
                    actions.push(DialogAction::AddToPlan(line));
                } else if (go.clicked() || enter) && is_fine {
                    actions.push(DialogAction::ApplyPlan(Some(line)));
                }
            }
        });
    });
}

/// Label of the button that applies a number of changes.
pub(super) fn apply_words(count: usize) -> String {
    match count {
        0 | 1 => "Apply".to_owned(),
        n => format!("Apply {n} changes"),
    }
}

/// Shows the effects of the plan. `of` is the form if the plan contains only its command. `missing`
/// is the name of a missing input, and whether the user has entered anything. Returns whether the
/// plan can be applied.
pub(super) fn effects_ui(
    ui: &mut Ui,
    view: &View<'_>,
    (of, missing): (Option<CommandForm<'_>>, Option<(&str, bool)>),
    actions: &mut Actions,
) -> bool {
    let theme = view.theme;
    let plan = view.dialogs.plan;
    let is_wanted = missing.is_none();
    head_ui(ui, theme, plan, is_wanted);
    let width = ui.available_width();
    ui.scope(|ui| {
        // Keep the height while new effects are computed.
        ui.set_min_size(vec2(width, 84.0));
        if is_wanted && !plan.is_current {
            ui.set_opacity(0.55);
        }
        match (missing, plan.found) {
            (Some((missing, is_touched)), _) => missing_ui(ui, theme, missing, is_touched),
            (None, None) => small(ui, theme, "All clips are compared before and after."),
            (None, Some(found)) => found_ui(ui, view, of, found, actions),
        }
    });
    ui.add_space(12.0);
    let refused = plan.is_current && !matches!(plan.found.map(|f| &f.report), Some(Ok(Some(_))));
    is_wanted && !refused
}

/// Shows the title and the line above the effects, which is animated during a computation.
fn head_ui(ui: &mut Ui, theme: &Theme, plan: PlanView<'_>, is_wanted: bool) {
    let width = ui.available_width();
    let (rect, _) = ui.allocate_exact_size(vec2(width, 2.0), Sense::hover());
    let separator = Stroke::new(1.0, theme.color(ColorRole::StrokeSeparator));
    ui.painter().hline(rect.x_range(), rect.center().y, separator);
    let is_computing = is_wanted && plan.is_computing;
    if is_computing {
        /// Duration of one pass of the animated bar, in seconds.
        const WAY: f64 = 1.2;
        let part = (ui.input(|i| i.time) / WAY).fract() as f32;
        let middle = rect.left() + rect.width() * (part * 1.3 - 0.15);
        let bar = Rect::from_center_size(pos2(middle, rect.center().y), vec2(width * 0.3, 2.0));
        ui.painter().rect_filled(bar.intersect(rect), 1.0, theme.color(ColorRole::AccentBase));
        ui.ctx().request_repaint_after(std::time::Duration::from_millis(33));
    }
    ui.add_space(8.0);
    ui.horizontal(|ui| {
        ui.label(
            RichText::new("What will change")
                .font(Theme::font(Font::Heading))
                .color(theme.color(ColorRole::TextPrimary)),
        );
        let words = match plan.found {
            _ if is_computing => Some("Computing…".to_owned()),
            Some(found) if is_wanted && found.seconds >= 0.3 => {
                Some(format!("{:.1} s", found.seconds))
            }
            _ => None,
        };
        if let Some(words) = words {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let words = RichText::new(words).font(Theme::font(Font::Small));
                ui.label(words.color(theme.color(ColorRole::TextTertiary)));
            });
        }
    });
    ui.add_space(4.0);
}

/// Shows missing input, in a neutral color until the user has entered something.
fn missing_ui(ui: &mut Ui, theme: &Theme, missing: &str, is_touched: bool) {
    let role = if is_touched { ColorRole::SeverityWarning } else { ColorRole::TextSecondary };
    let text = RichText::new(format!("{missing}.")).font(Theme::font(Font::Small));
    ui.add(Label::new(text.color(theme.color(role))).wrap());
}

fn found_ui(
    ui: &mut Ui,
    view: &View<'_>,
    of: Option<CommandForm<'_>>,
    found: &PlanForeseen,
    actions: &mut Actions,
) {
    let theme = view.theme;
    let Some(document) = view.session.map(|s| s.document()) else { return };
    match &found.report {
        Err(why) => {
            let sentence = format!("{}.", super::help::capital(why.trim_end_matches('.')));
            notice(ui, theme, (icons::ICON_ERROR, ColorRole::SeverityError), &sentence);
        }
        Ok(None) => {
            let note = found.note.as_deref().unwrap_or("The skeleton stays as it is");
            let text = format!("Nothing changes: {}.", note.trim_end_matches('.'));
            small(ui, theme, &text);
        }
        Ok(Some(report)) => {
            nodes_ui(ui, theme, (of, document), report);
            names_ui(ui, theme, report);
            // Renaming does not affect the skin.
            if is_of_names(report) {
                return;
            }
            binds_ui(ui, theme, report);
            skins_ui(ui, theme, report);
            clips_ui(ui, theme, report, document);
            weights_ui(ui, theme, report);
            if let Some(sentence) = deviation_ui(ui, view, document, &report.deviation, actions) {
                ui.add_space(4.0);
                notice(ui, theme, (icons::ICON_WARNING, ColorRole::SeverityWarning), &sentence);
            }
            unchanged_ui(ui, theme, report, document);
        }
    }
}

/// Shows one effect: icon, sentence, and details below.
fn fact(ui: &mut Ui, theme: &Theme, icon: MaterialIcon, sentence: &str, details: &str) {
    let height = if details.is_empty() { 22.0 } else { 38.0 };
    let size = vec2(ui.available_width(), height);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    let name =
        if details.is_empty() { sentence.to_owned() } else { format!("{sentence}: {details}") };
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, &name));
    let (y, left) = (rect.top() + 11.0, rect.left() + ICON);
    let accent = theme.color(ColorRole::AccentText);
    paint_icon(ui.painter(), pos2(rect.left() + 8.0, y), icon, 16.0, accent);
    let room = rect.right() - left;
    for (text, font, role, y) in [
        (sentence, Font::Body, ColorRole::TextPrimary, y),
        (details, Font::Small, ColorRole::TextSecondary, y + 17.0),
    ] {
        let font = Theme::font(font);
        let text = cut(ui, text, &font, room);
        let at = pos2(left, y);
        ui.painter().text(at, Align2::LEFT_CENTER, text, font, theme.color(role));
    }
    if !details.is_empty() {
        response.on_hover_text(details);
    }
}

/// Number of elements with a verb, such as *1 joint moves* or *3 joints move*.
fn acts(n: usize, what: &str, one: &str, several: &str) -> String {
    format!("{} {}", many(n, what), if n == 1 { one } else { several })
}

/// Names of the nodes that a form refers to.
fn names(draft: &FormDraft, spec: &CommandSpec) -> String {
    let at = spec.arguments.iter().position(|a| a.name == "node");
    match at.and_then(|k| draft.entered.get(k)?.value.as_ref()) {
        Some(serde_json::Value::Array(all)) => {
            all.iter().filter_map(|v| v.as_str()).collect::<Vec<_>>().join(", ")
        }
        Some(value) => value.as_str().map(ToOwned::to_owned).unwrap_or_default(),
        None => String::new(),
    }
}

fn nodes_ui(
    ui: &mut Ui,
    theme: &Theme,
    (of, document): (Option<CommandForm<'_>>, &Document),
    report: &RigReport,
) {
    let nodes = &report.nodes;
    let about = of.map_or_else(String::new, |(spec, draft)| names(draft, spec));
    let command = of.map_or("", |(spec, _)| spec.name);
    if nodes.reframed > 0 {
        let n = nodes.reframed;
        let (icon, sentence) = match command {
            MoveJoint::NAME => (icons::ICON_OPEN_WITH, acts(n, "pivot", "moves", "move")),
            OrientJoint::NAME => {
                (icons::ICON_ROTATE_90_DEGREES_CCW, acts(n, "joint", "turns", "turn"))
            }
            MendArmature::NAME => (
                icons::ICON_STRAIGHTEN,
                acts(n, "node", "gets another scale or rotation", "get another scale or rotation"),
            ),
            _ => (icons::ICON_OPEN_WITH, acts(n, "joint", "moves or turns", "move or turn")),
        };
        fact(ui, theme, icon, &sentence, &about);
    }
    if nodes.rested > 0 {
        let verbs = ["gets its pose as rest pose", "get their pose as rest pose"];
        let sentence = acts(nodes.rested, "node", verbs[0], verbs[1]);
        fact(ui, theme, icons::ICON_ACCESSIBILITY_NEW, &sentence, "");
    }
    if nodes.added > 0 {
        let details = match command {
            InsertJoint::NAME if !about.is_empty() => format!("Above {about}"),
            MirrorJoint::NAME => format!("On the other side of {about}"),
            _ => String::new(),
        };
        let sentence = acts(nodes.added, "joint", "is added", "are added");
        fact(ui, theme, icons::ICON_ADD, &sentence, &details);
    }
    if !nodes.removed.is_empty() {
        let sentence = acts(nodes.removed.len(), "joint", "is removed", "are removed");
        let there = nodes.removed.iter().filter(|n| document.nodes.contains(**n));
        let labels = there.map(|n| document.node(*n).label(*n));
        let removed = labels.collect::<Vec<_>>().join(", ");
        fact(ui, theme, icons::ICON_DELETE, &sentence, &removed);
    }
    if nodes.attached > 0 {
        let verbs = ["gets another parent", "get another parent"];
        let sentence = acts(nodes.attached, "joint", verbs[0], verbs[1]);
        fact(ui, theme, icons::ICON_ACCOUNT_TREE, &sentence, "");
    }
}

/// Whether a change only renames nodes.
fn is_of_names(report: &RigReport) -> bool {
    let tracks = report.tracks.exact + report.tracks.held + report.tracks.baked;
    let nodes = report.nodes == ulna_edit::command::NodeCounts::default();
    nodes && tracks == 0 && report.inverse_binds[0] == 0 && !report.renamed.is_empty()
}

/// Lists the names of nodes before and after.
fn names_ui(ui: &mut Ui, theme: &Theme, report: &RigReport) {
    /// Height of the list, in points.
    const HEIGHT: f32 = 132.0;
    /// Height of a row, in points.
    const ROW: f32 = 19.0;
    let renamed = &report.renamed;
    if renamed.is_empty() {
        return;
    }
    let sentence = acts(renamed.len(), "name", "changes", "change");
    fact(ui, theme, icons::ICON_TEXT_FIELDS, &sentence, "");
    let twice = renamed
        .iter()
        .enumerate()
        .find(|(k, (_, name))| renamed[..*k].iter().any(|(_, other)| other == name));
    let area = egui::ScrollArea::vertical().max_height(HEIGHT).auto_shrink([false, true]);
    area.id_salt("names before and after").show_rows(ui, ROW, renamed.len(), |ui, rows| {
        ui.spacing_mut().item_spacing.y = 0.0;
        for (before, after) in &renamed[rows] {
            let size = vec2(ui.available_width(), ROW);
            let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
            let name = format!("{before} becomes {after}");
            response.widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, &name));
            let font = Theme::font(Font::Small);
            let half = (rect.width() - ICON - 24.0) / 2.0;
            let (y, left) = (rect.center().y, rect.left() + ICON);
            for (text, x, role) in [
                (before.as_str(), left, ColorRole::TextSecondary),
                ("→", left + half, ColorRole::TextTertiary),
                (after.as_str(), left + half + 24.0, ColorRole::TextPrimary),
            ] {
                let text = cut(ui, text, &font, half - 4.0);
                let color = theme.color(role);
                ui.painter().text(pos2(x, y), Align2::LEFT_CENTER, text, font.clone(), color);
            }
        }
    });
    if let Some((_, (_, name))) = twice {
        let text = format!("Several joints get the name “{name}”.");
        notice(ui, theme, (icons::ICON_WARNING, ColorRole::SeverityWarning), &text);
    }
}

fn binds_ui(ui: &mut Ui, theme: &Theme, report: &RigReport) {
    let [changed, all] = report.inverse_binds;
    if changed > 0 {
        let word = if all == 1 { "matrix" } else { "matrices" };
        let sentence = format!("{changed} of {all} inverse bind {word}");
        fact(ui, theme, icons::ICON_GRID_ON, &sentence, "");
    }
}

/// Shows the skins and meshes that a change of skins or of the rest pose affects.
fn skins_ui(ui: &mut Ui, theme: &Theme, report: &RigReport) {
    let [before, after] = report.skins;
    if before != after {
        let verb = if before == 1 { "becomes" } else { "become" };
        let sentence = match before {
            0 => format!("{} added", many(after, "skin")),
            _ => format!("{} {verb} {after}", many(before, "skin")),
        };
        fact(ui, theme, icons::ICON_LAYERS, &sentence, "");
    }
    let meshes = |n: usize, what: &str| match n {
        1 => format!("1 mesh gets {what}"),
        n => format!("{n} meshes get {what}"),
    };
    if report.shapes > 0 {
        let sentence = meshes(report.shapes, "other vertex positions");
        fact(ui, theme, icons::ICON_DEPLOYED_CODE, &sentence, "");
    }
    // Reassigned and fitted weights are described below.
    if report.weights > 0 && !report.gives_weights && report.fitted.changed == 0 {
        let sentence = meshes(report.weights, "other joint indices");
        fact(ui, theme, icons::ICON_SCATTER_PLOT, &sentence, "");
    }
}

fn clips_ui(ui: &mut Ui, theme: &Theme, report: &RigReport, document: &Document) {
    if document.clips.count() == 0 {
        return;
    }
    let Deviation { worst_mm, worst_degrees, .. } = report.deviation;
    let updated = match report.clips {
        0 => "No clip needs an update".to_owned(),
        n => format!("{} updated", many(n, "clip")),
    };
    let stays = if worst_mm == 0.0 { ", skin stays the same" } else { "" };
    let tracks = report.tracks;
    let mut details = Vec::new();
    if tracks.exact > 0 {
        details.push(acts(tracks.exact, "channel", "keeps its keys", "keep their keys"));
    }
    if tracks.held > 0 {
        details.push(match details.is_empty() {
            true => acts(tracks.held, "channel", "gets one key", "get one key"),
            false => {
                format!("{} {} one key", tracks.held, if tracks.held == 1 { "gets" } else { "get" })
            }
        });
    }
    if tracks.baked > 0 {
        let what = match tracks.keys_added {
            0 if tracks.baked == 1 => "a curve through its keys".to_owned(),
            0 => "curves through their keys".to_owned(),
            added => many(added, "key"),
        };
        let verb = if tracks.baked == 1 { "gains" } else { "gain" };
        details.push(match details.is_empty() {
            true => acts(tracks.baked, "channel", "gains", "gain") + &format!(" {what}"),
            false => format!("{} {verb} {what}", tracks.baked),
        });
    }
    if report.tracks_removed > 0 {
        let n = report.tracks_removed;
        let whose = if n == 1 { "of a removed joint goes" } else { "of removed joints go" };
        details.push(format!("{} {whose}", many(n, "channel")));
    }
    if worst_degrees > 0.005 {
        details.push(format!("joints turn by up to {worst_degrees:.2}°"));
    }
    fact(ui, theme, icons::ICON_ANIMATION, &(updated + stays), &details.join(", "));
}

fn weights_ui(ui: &mut Ui, theme: &Theme, report: &RigReport) {
    let fitted = report.fitted;
    if fitted.changed > 0 {
        let [parent, fit] = fitted.mean.map(|m| m * 1e3);
        let verbs = ["gets fitted weights", "get fitted weights"];
        let count = thousands(fitted.changed);
        let word = if fitted.changed == 1 { "vertex" } else { "vertices" };
        let verb = verbs[usize::from(fitted.changed != 1)];
        let sentence = format!("{count} {word} {verb}");
        let whose =
            if report.gives_weights { "the parent's weights" } else { "the weights before" };
        let details = format!("Mean error {fit:.2} mm, {parent:.2} mm with {whose}");
        fact(ui, theme, icons::ICON_SCATTER_PLOT, &sentence, &details);
        return;
    }
    let GivenWeights { nearest, smoothed, merged, mirrored } = report.given;
    let rules = [
        (nearest, ["goes to the nearest joint", "go to the nearest joints"]),
        (smoothed, ["gets smoothed weights", "get smoothed weights"]),
        (merged, ["goes to the joint that stays", "go to the joint that stays"]),
        (mirrored, ["gets mirrored weights", "get mirrored weights"]),
    ];
    let mut is_said = false;
    for (count, verbs) in rules.into_iter().filter(|(count, _)| *count > 0) {
        let word = if count == 1 { "vertex" } else { "vertices" };
        let sentence = format!("{} {word} {}", thousands(count), verbs[usize::from(count != 1)]);
        fact(ui, theme, icons::ICON_SCATTER_PLOT, &sentence, "");
        is_said = true;
    }
    if report.gives_weights && !is_said {
        let sentence = "Weights of removed joints go to the nearest joint above";
        fact(ui, theme, icons::ICON_SCATTER_PLOT, sentence, "");
    }
}

/// Describes the data that the change does not affect.
fn unchanged_ui(ui: &mut Ui, theme: &Theme, report: &RigReport, document: &Document) {
    let mut stays = Vec::new();
    let is_given = report.gives_weights || report.given.mirrored > 0;
    let has_other_meshes = is_given || report.shapes + report.weights > 0;
    if !has_other_meshes && document.meshes.count() > 0 {
        stays.push("meshes and weights");
    }
    if document.clips.count() > 0 {
        stays.push("keys of all other nodes");
    }
    if stays.is_empty() {
        return;
    }
    let size = vec2(ui.available_width(), 22.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    let text = format!("Unchanged: {}", stays.join(", "));
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, &text));
    let y = rect.center().y;
    let color = theme.color(ColorRole::TextTertiary);
    paint_icon(ui.painter(), pos2(rect.left() + 8.0, y), icons::ICON_LOCK, 15.0, color);
    let at = pos2(rect.left() + ICON, y);
    let font = Theme::font(Font::Small);
    ui.painter().text(at, Align2::LEFT_CENTER, text, font, theme.color(ColorRole::TextSecondary));
}
