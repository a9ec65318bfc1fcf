//! Rows of skins, meshes, materials and images.

use std::collections::BTreeSet;

use egui::{Role, Sense, Ui, WidgetInfo, pos2};
use egui_material_icons::{MaterialIcon, icons};

use super::menu::{nodes_of, rename, thing_menu};
use crate::ui::{
    Action, OutlinerAction,
    name_field::{NameCheck, NameDraft, NameEnd},
};
use crate::ui::{
    Actions, AssetRef, Theme, View,
    theme::Font,
    widgets::{elided, paint_icon, row, show_focused, thousands},
};
use ulna_model::Document;
use ulna_render::{ColorRole, Measure};

/// A section of the outliner's tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    /// Reference models, above the node tree.
    References,
    /// Joint groups, above the node tree.
    Groups,
    Skins,
    Meshes,
    Materials,
    Images,
}

impl Section {
    /// Sections below the node tree.
    pub const ALL: [Self; 4] = [Self::Skins, Self::Meshes, Self::Materials, Self::Images];

    pub const fn title(self) -> &'static str {
        match self {
            Self::References => "Reference models",
            Self::Groups => "Joint groups",
            Self::Skins => "Skins",
            Self::Meshes => "Meshes",
            Self::Materials => "Materials",
            Self::Images => "Images",
        }
    }

    /// True if the section is expanded. `changed` has the sections whose default was toggled; by
    /// default only those above the tree are expanded.
    pub fn is_open(self, changed: &BTreeSet<Self>) -> bool {
        changed.contains(&self) != matches!(self, Self::References | Self::Groups)
    }

    pub fn things(self, document: &Document) -> Vec<AssetRef> {
        match self {
            Self::References | Self::Groups => Vec::new(),
            Self::Skins => document.skins.ids().map(AssetRef::Skin).collect(),
            Self::Meshes => document.meshes.ids().map(AssetRef::Mesh).collect(),
            Self::Materials => document.materials.ids().map(AssetRef::Material).collect(),
            Self::Images => (0..document.images.len()).map(|k| AssetRef::Image(k.into())).collect(),
        }
    }
}

const fn icon(thing: AssetRef) -> MaterialIcon {
    match thing {
        AssetRef::Skin(_) => icons::ICON_ACCESSIBILITY_NEW,
        AssetRef::Mesh(_) => icons::ICON_DEPLOYED_CODE,
        AssetRef::Material(_) => icons::ICON_PALETTE,
        AssetRef::Image(_) => icons::ICON_IMAGE,
    }
}

/// Short fact after the name of an asset.
fn fact(document: &Document, thing: AssetRef) -> String {
    match thing {
        AssetRef::Skin(k) => format!("{} joints", document.skins[k].joints.len()),
        AssetRef::Mesh(k) => thousands(document.meshes[k].vertex_count()),
        AssetRef::Material(_) => String::new(),
        AssetRef::Image(k) => match document.images[k.index()].bytes.len() {
            0 => "missing".into(),
            n => format!("{} KB", thousands(n.div_ceil(1000))),
        },
    }
}

pub fn section_ui(
    opened: &mut BTreeSet<Section>,
    ui: &mut Ui,
    view: &View<'_>,
    section: Section,
    count: usize,
) {
    let theme = view.theme;
    let title = section.title();
    let open = section.is_open(opened);
    let size = egui::vec2(ui.available_width(), Measure::RowTree.points());
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    let name = format!("{} {title}", if open { "Close" } else { "Open" });
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
    show_focused(ui, &response);
    let middle = rect.center().y;
    let arrow = if open { icons::ICON_EXPAND_MORE } else { icons::ICON_CHEVRON_RIGHT };
    let color = theme.color(if response.hovered() {
        ColorRole::TextPrimary
    } else {
        ColorRole::TextTertiary
    });
    paint_icon(ui.painter(), pos2(rect.left() + 14.0, middle), arrow, 16.0, color);
    let font = Theme::font(Font::Heading);
    let title =
        ui.painter().layout_no_wrap(title.to_owned(), font, theme.color(ColorRole::TextSecondary));
    let after = rect.left() + 26.0 + title.size().x + 8.0;
    let at = pos2(rect.left() + 26.0, middle - title.size().y * 0.5);
    ui.painter().galley(at, title, theme.color(ColorRole::TextSecondary));
    ui.painter().text(
        pos2(after, middle),
        egui::Align2::LEFT_CENTER,
        count.to_string(),
        Theme::font(Font::Caption),
        theme.color(ColorRole::TextTertiary),
    );
    if response.clicked() && !opened.remove(&section) {
        opened.insert(section);
    }
}

/// The asset that is being renamed, with the typed name.
pub type ThingRename = Option<NameDraft<AssetRef>>;

/// State of the rows of assets between frames.
#[derive(Clone, Debug, Default)]
pub struct ThingRows {
    pub renaming: ThingRename,
}

pub fn thing_ui(
    state: &mut ThingRows,
    ui: &mut Ui,
    view: &View<'_>,
    thing: AssetRef,
    actions: &mut Actions,
) {
    let theme = view.theme;
    let Some(document) = view.session.map(|s| s.document()) else { return };
    let name = thing.name(document);
    let chosen = view.inspected == Some(thing);
    let label = format!("{} {name}", thing.label());
    let (rect, response) =
        ui.push_id(thing, |ui| row(ui, theme, Measure::RowTree.points(), &label, chosen)).inner;
    let middle = rect.center().y;
    let color =
        theme.color(if chosen { ColorRole::SelectionBase } else { ColorRole::TextSecondary });
    paint_icon(ui.painter(), pos2(rect.left() + 34.0, middle), icon(thing), 16.0, color);
    let fact = fact(document, thing);
    let painter = ui.painter();
    let right = rect.right() - 10.0;
    let taken = painter.text(
        pos2(right, middle),
        egui::Align2::RIGHT_CENTER,
        fact,
        Theme::font(Font::NumberSmall),
        theme.color(ColorRole::TextTertiary),
    );
    let left = rect.left() + 46.0;
    if state.renaming.as_ref().is_some_and(|draft| draft.of == thing) {
        let area = egui::Rect::from_min_max(
            pos2(left - 4.0, rect.top() + 1.0),
            pos2(taken.left() - 4.0, rect.bottom() - 1.0),
        );
        rename_ui(&mut state.renaming, ui, view, area, actions);
        return;
    }
    let font = Theme::font(Font::Body);
    let text = elided(ui, &name, &font, (taken.left() - left - 8.0).max(20.0));
    let color = theme.color(if chosen { ColorRole::SelectionText } else { ColorRole::TextPrimary });
    ui.painter().text(pos2(left, middle), egui::Align2::LEFT_CENTER, text, font, color);
    let asked = thing_menu(&response, view, document, thing, actions);
    let can = !matches!(thing, AssetRef::Image(_));
    if can && (asked || response.double_clicked()) {
        state.renaming = Some(NameDraft::new(thing, &name));
    }
    if response.clicked() {
        actions.push(OutlinerAction::SelectMany { nodes: nodes_of(document, thing), add: false });
        actions.push(OutlinerAction::About(Some(thing)));
    }
}

/// Draws the text field for renaming an asset.
fn rename_ui(
    renaming: &mut ThingRename,
    ui: &mut Ui,
    view: &View<'_>,
    area: egui::Rect,
    actions: &mut Actions,
) {
    let (Some(draft), Some(session)) = (&mut *renaming, view.session) else { return };
    let (document, thing) = (session.document(), draft.of);
    let old = thing.name(document);
    let kind = thing.label().to_lowercase();
    let is_taken = |name: &str| {
        let all = Section::ALL.into_iter().flat_map(|s| s.things(document));
        let same = |other: &AssetRef| {
            std::mem::discriminant(other) == std::mem::discriminant(&thing) && *other != thing
        };
        all.filter(same).any(|other| other.name(document) == name)
    };
    let label = format!("New name of the {kind}");
    let check = |name: &str| NameCheck::shared(name, &kind, || is_taken(name));
    match draft.show(ui, view.theme, area, &label, check) {
        NameEnd::Typing => return,
        NameEnd::Kept(name) if name != old => {
            actions.extend(rename(thing, name).map(Action::Run));
        }
        NameEnd::Kept(_) | NameEnd::Left => {}
    }
    *renaming = None;
}
