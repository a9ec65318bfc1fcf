//! Humanoid map: one row per humanoid bone with its joint, for correcting guesses.

use std::collections::BTreeMap;

use egui::{RichText, Role, ScrollArea, Ui, WidgetInfo};

use super::parts::{head, plain, primary};
use crate::ui::{
    Action, Actions, DialogAction, Theme, View,
    drop_down::{combo_box, option_row},
    theme::Font,
};
use ulna_edit::command::{HumanoidMap, field::Counterparts, node_text};
use ulna_model::{Document, NodeId};
use ulna_motion::{
    HUMANOID_BONES, HumanoidBone, guessed_bones, humanoid_map, misplaced_bones, missing_bones,
};
use ulna_render::ColorRole;

/// Widths of the column of bones and of the column of joints, in points.
const COLUMNS: [f32; 2] = [170.0, 210.0];

/// Joint of a humanoid bone, and how it was assigned.
#[derive(Clone, Copy)]
enum BoneJoint {
    Mapped(NodeId),
    Guessed(NodeId),
    None,
}

pub fn humanoid_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    let Some(document) = view.session.map(|s| s.document()) else { return };
    let words = "Transfers between models, saved poses and names use these joints.";
    head(ui, theme, None, "Humanoid bones", words, actions);
    let (map, guesses) = (humanoid_map(document), guessed_bones(document));
    summary(ui, theme, document, &map);
    let most = (ui.ctx().content_rect().height() - 320.0).clamp(160.0, 520.0);
    let area = ScrollArea::vertical().max_height(most).auto_shrink([false, true]);
    area.id_salt("humanoid bones").show(ui, |ui| {
        egui::Grid::new("bones of the humanoid").num_columns(3).spacing([12.0, 6.0]).show(
            ui,
            |ui| {
                for bone in &HUMANOID_BONES {
                    let joint = match (map.get(bone.role), guesses.get(bone.role)) {
                        (Some(node), _) => BoneJoint::Mapped(*node),
                        (None, Some(node)) => BoneJoint::Guessed(*node),
                        (None, None) => BoneJoint::None,
                    };
                    bone_ui(ui, view, document, (bone, joint), actions);
                    ui.end_row();
                }
            },
        );
    });
    ui.add_space(12.0);
    ui.horizontal(|ui| {
        let is_new = |(role, _): (&&str, &NodeId)| !map.contains_key(*role);
        let offers = guesses.iter().any(is_new);
        let guess = ui.add_enabled_ui(offers, |ui| plain(ui, "Guess missing")).inner;
        let about = "Sets the bones whose joints can be guessed from names and shape";
        if guess.on_hover_text(about).clicked() {
            actions.push(Action::Run(command(None, Some(true), None).into()));
        }
        let clear = ui.add_enabled_ui(!map.is_empty(), |ui| plain(ui, "Clear")).inner;
        if clear.on_hover_text("Removes all bones from the map").clicked() {
            actions.push(Action::Run(command(None, None, Some(true)).into()));
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            if primary(ui, theme, "Done").clicked() {
                actions.push(DialogAction::SetDialog(None));
            }
        });
    });
}

const fn command(
    bones: Option<Counterparts>,
    guess: Option<bool>,
    clear: Option<bool>,
) -> HumanoidMap {
    HumanoidMap { bones, guess, clear }
}

/// Shows the number of bones with a joint, and problems of the map.
fn summary(ui: &mut Ui, theme: &Theme, document: &Document, map: &BTreeMap<&'static str, NodeId>) {
    let mut lines = vec![(
        match map.len() {
            0 => "No bone is set; joints are recognized by name, or by the shape of the skeleton."
                .to_owned(),
            n => format!("{n} of {} bones have a joint.", HUMANOID_BONES.len()),
        },
        ColorRole::TextSecondary,
    )];
    let missing = missing_bones(map);
    if !map.is_empty() && !missing.is_empty() {
        let words: Vec<String> = missing.iter().map(|r| in_words(r)).collect();
        let said = format!("Required bones without a joint: {}.", words.join(", "));
        lines.push((said, ColorRole::SeverityWarning));
    }
    for (role, above) in misplaced_bones(document, map) {
        let said = format!("{} is not below {}.", in_words(role), in_words(above).to_lowercase());
        lines.push((said, ColorRole::SeverityWarning));
    }
    for (text, role) in lines {
        let text = RichText::new(text).font(Theme::font(Font::Small)).color(theme.color(role));
        ui.add(egui::Label::new(text).wrap());
    }
    ui.add_space(8.0);
}

/// Shows a bone, its joint, and how the joint was assigned.
fn bone_ui(
    ui: &mut Ui,
    view: &View<'_>,
    document: &Document,
    (bone, joint): (&HumanoidBone, BoneJoint),
    actions: &mut Actions,
) {
    let theme = view.theme;
    let name = in_words(bone.role);
    let role = if bone.is_required { ColorRole::TextPrimary } else { ColorRole::TextSecondary };
    ui.scope(|ui| {
        ui.set_min_width(COLUMNS[0]);
        ui.label(RichText::new(&name).color(theme.color(role)));
    });
    let label = |n: NodeId| document.node(n).label(n);
    let (text, state, color) = match joint {
        BoneJoint::Mapped(node) => (label(node), "set", ColorRole::TextSecondary),
        BoneJoint::Guessed(node) => (label(node), "guess", ColorRole::TextTertiary),
        BoneJoint::None if bone.is_required => {
            ("None".to_owned(), "required", ColorRole::SeverityWarning)
        }
        BoneJoint::None => ("None".to_owned(), "", ColorRole::TextTertiary),
    };
    let shown = RichText::new(&text).color(theme.color(match joint {
        BoneJoint::Mapped(_) => ColorRole::TextPrimary,
        _ => ColorRole::TextTertiary,
    }));
    let mut chosen = None;
    let combo = combo_box(("bone", bone.role))
        .selected_text(shown)
        .width(COLUMNS[1])
        .height(320.0)
        .show_ui(ui, |ui| {
            let is_none = matches!(joint, BoneJoint::None);
            if option_row(ui, is_none, "None").clicked() {
                chosen = Some(String::new());
            }
            for node in document.nodes.order().iter().copied() {
                if !is_offered(view, document, node) {
                    continue;
                }
                let is_on = matches!(joint, BoneJoint::Mapped(n) if n == node);
                if option_row(ui, is_on, &label(node)).clicked() {
                    chosen = Some(node_text(document, node));
                }
            }
        });
    combo.response.widget_info(|| {
        WidgetInfo::labeled(Role::ComboBox, true, format!("{name}: {text}, {state}"))
    });
    if let Some(text) = chosen {
        let bones = Counterparts(vec![(bone.role.to_owned(), text)]);
        actions.push(Action::Run(command(Some(bones), None, None).into()));
    }
    let state = RichText::new(state).font(Theme::font(Font::Small)).color(theme.color(color));
    ui.label(state);
}

/// Whether a node can be chosen: a joint, or any node without a mesh if the file has no joints.
fn is_offered(view: &View<'_>, document: &Document, node: NodeId) -> bool {
    match view.joints.contains(&true) {
        true => view.joints.get(node.index()) == Some(&true),
        false => document.node(node).mesh.is_none(),
    }
}

/// Text of a bone name: `leftUpperArm` becomes *Left upper arm*.
fn in_words(role: &str) -> String {
    let mut words = String::with_capacity(role.len() + 4);
    for (k, letter) in role.chars().enumerate() {
        match (k, letter.is_uppercase()) {
            (0, _) => words.extend(letter.to_uppercase()),
            (_, true) => {
                words.push(' ');
                words.extend(letter.to_lowercase());
            }
            _ => words.push(letter),
        }
    }
    words
}
