//! The choices of a chain: how its rotations and positions are transferred, and whether its end has
//! contacts.

use egui::{Rect, RichText, Role, Stroke, Ui, UiBuilder, WidgetInfo, pos2, vec2};

use super::{
    BodyFacts, RetargetDraft, RetargetView, SOURCE, TARGET,
    chain_columns::{Choices, Columns},
    chain_texts::{has_ik, position_text},
};
use crate::ui::{
    Theme,
    drop_down::{combo_box, option_row},
    theme::Font,
    widgets::{check, name_widget},
};
use ulna_model::{ChainPosition, ChainRotation, RetargetChain};
use ulna_render::ColorRole;

/// Explanations of the choices for rotations.
const fn about_rotation(rotation: ChainRotation) -> &'static str {
    match rotation {
        ChainRotation::Copy => "Joint by joint, in order",
        ChainRotation::Spread => "By the position of each joint along its chain",
        ChainRotation::Rest => "The joints stay in their rest pose",
        ChainRotation::None => "The joints get no keys",
    }
}

/// Explanations of the choices for positions.
const fn about_position(position: ChainPosition) -> &'static str {
    match position {
        ChainPosition::Fixed => "Bones keep their lengths",
        ChainPosition::Scale => "Translation keys are scaled by the sizes of the bodies",
    }
}

/// True if the end of a chain can be a foot or a hand.
fn may_have_contacts(page: RetargetView<'_>, chain: &RetargetChain) -> bool {
    let may = |body: usize, facts: &BodyFacts| {
        let list = RetargetDraft::joints(chain, body);
        let end = list.last().and_then(|last| facts.joint(last));
        list.len() > 1 && end.is_some_and(|k| facts.joints[k].may_touch)
    };
    chain.contacts
        || [SOURCE, TARGET].into_iter().all(|b| page.bodies[b].is_some_and(|f| may(b, f)))
}

/// Draws the choices of how a chain transfers rotations, positions and contacts. The chain of the
/// other side changes, too.
pub(super) fn choices_ui(
    ui: &mut Ui,
    (theme, page): (&Theme, RetargetView<'_>),
    now: &mut RetargetDraft,
    chain: usize,
    (columns, rect): (&Columns, Rect),
) {
    let before = now.map.chains[chain].clone();
    let name = before.name.clone();
    let mut after = before.clone();
    let place = |from: f32, to: f32| {
        Rect::from_min_max(pos2(from, rect.top() + 2.0), pos2(to, rect.bottom() - 2.0))
    };
    let position = position_text(now, &before);
    let rotation = before.rotation.label();
    let ik = if has_ik(now, &before) {
        "\nIK: the foot or hand stays in place during contacts"
    } else {
        ""
    };
    let of_rotation = format!("{rotation}: {}", about_rotation(before.rotation));
    let of_position =
        format!("{}: {}{ik}", before.position.label(), about_position(before.position));
    match columns.choices {
        Choices::Apart { rotation: left, position: middle } => {
            let said = format!("Rotation of {name}: {rotation}");
            let at = place(left, middle - 4.0);
            list(ui, at, (&said, rotation, &of_rotation), |ui| rotations_ui(ui, &mut after));
            let said = format!("Position of {name}: {position}");
            let at = place(middle, columns.contacts - 4.0);
            list(ui, at, (&said, &position, &of_position), |ui| positions_ui(ui, &mut after));
        }
        Choices::Together { motion } => {
            let said = format!("Rotation of {name}: {rotation}. Position: {position}");
            let about = format!("Rotation: {of_rotation}\nPosition: {of_position}");
            let at = place(motion, columns.contacts - 4.0);
            list(ui, at, (&said, rotation, &about), |ui| {
                title(ui, theme, "Rotation");
                rotations_ui(ui, &mut after);
                title(ui, theme, "Position");
                positions_ui(ui, &mut after);
            });
        }
    }
    if may_have_contacts(page, &before) {
        let at = place(columns.contacts + 2.0, columns.right);
        let mut inner = ui.new_child(UiBuilder::new().max_rect(at).id_salt(("contacts", &name)));
        inner.spacing_mut().interact_size.y = 20.0;
        let tick = check(&mut inner, theme, &mut after.contacts, "");
        name_widget(ui, &tick, &format!("Contacts of {name}"));
    }
    if after == before {
        return;
    }
    let mirrors = !ui.input(|i| i.modifiers.alt);
    let both = std::iter::once(chain).chain(now.partner(chain).filter(|_| mirrors));
    for k in both.collect::<Vec<_>>() {
        let chain = &mut now.map.chains[k];
        (chain.rotation, chain.position) = (after.rotation, after.position);
        chain.contacts = after.contacts;
    }
}

fn rotations_ui(ui: &mut Ui, chain: &mut RetargetChain) {
    for rotation in ChainRotation::ALL {
        let row = option_row(ui, chain.rotation == rotation, rotation.label());
        if row.on_hover_text(about_rotation(rotation)).clicked() {
            chain.rotation = rotation;
        }
    }
}

fn positions_ui(ui: &mut Ui, chain: &mut RetargetChain) {
    for position in ChainPosition::ALL {
        let row = option_row(ui, chain.position == position, position.label());
        if row.on_hover_text(about_position(position)).clicked() {
            chain.position = position;
        }
    }
}

/// Draws the title of a group of options.
fn title(ui: &mut Ui, theme: &Theme, text: &str) {
    let color = theme.color(ColorRole::TextTertiary);
    ui.label(RichText::new(text).font(Theme::font(Font::Caption)).color(color));
}

/// Draws a drop-down list in a rectangle, with its accessible name, the shown text and a tooltip.
fn list(
    ui: &mut Ui,
    rect: Rect,
    (name, shown, about): (&str, &str, &str),
    fill: impl FnOnce(&mut Ui),
) {
    // The name also tells the choice, so it is no salt.
    let salt = name.split(':').next().unwrap_or(name);
    let mut inner = ui.new_child(UiBuilder::new().max_rect(rect).id_salt(salt));
    inner.spacing_mut().interact_size.y = rect.height();
    inner.spacing_mut().button_padding = vec2(5.0, 0.0);
    inner.spacing_mut().icon_width = 10.0;
    inner.spacing_mut().icon_spacing = 2.0;
    inner.style_mut().override_font_id = Some(Theme::font(Font::Small));
    inner.visuals_mut().widgets.noninteractive.bg_stroke = Stroke::NONE;
    let combo = combo_box(salt)
        .selected_text(shown)
        .wrap_mode(egui::TextWrapMode::Truncate)
        .width(rect.width())
        .show_ui(&mut inner, fill);
    combo.response.widget_info(|| WidgetInfo::labeled(Role::ComboBox, true, name));
    combo.response.on_hover_text(about);
}
