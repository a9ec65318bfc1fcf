//! Layers over the file's weights: a list with the top one first, as in paint programs.

use egui::{DragValue, RichText, Ui, vec2};
use egui_material_icons::icons;

use crate::{
    edit::{CommandLine, mesh_text},
    model::MirrorFrom,
    ui::{
        Action, Actions, Theme, View,
        theme::Font,
        widgets::{elided, icon_button, name_widget, panel_title},
    },
};

pub fn layers_ui(ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    let (Some(canvas), Some(session)) = (view.paint.canvas, view.session) else { return };
    let document = session.document();
    let Some(mesh) = canvas.parts().first().map(|p| mesh_text(document, p.mesh)) else { return };
    let line = |name: &str| CommandLine::new(name).with("mesh", mesh.clone());
    let layers = document.weight_layers.get(&canvas.skin);
    let count = layers.map_or(0, |l| l.layers.len());
    ui.horizontal(|ui| {
        panel_title(ui, theme, "Layers");
        let note =
            if count == 0 { "strokes go into the weights".to_owned() } else { format!("{count} over the weights") };
        ui.label(RichText::new(note).font(Theme::font(Font::Caption)).color(theme.color("text.tertiary")));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            if icon_button(ui, theme, icons::ICON_ADD, "Add a layer", "", false, Ok(())).clicked() {
                actions.push(Action::Run(line("layers.add").with("name", format!("Layer {}", count + 1))));
            }
            let flat = if count == 0 { Err("There are no layers") } else { Ok(()) };
            if icon_button(ui, theme, icons::ICON_LAYERS_CLEAR, "Flatten", "", false, flat).clicked() {
                actions.push(Action::Run(line("layers.flatten")));
            }
        });
    });
    let Some(layers) = layers else { return };
    for (k, layer) in layers.layers.iter().enumerate().rev() {
        let of = |name: &str| line(name).with("layer", &*layer.name);
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 2.0;
            let (icon, name) = if layer.shown {
                (icons::ICON_VISIBILITY, format!("Hide layer {}", layer.name))
            } else {
                (icons::ICON_VISIBILITY_OFF, format!("Show layer {}", layer.name))
            };
            if icon_button(ui, theme, icon, &name, "", false, Ok(())).clicked() {
                actions.push(Action::Run(of("layers.show").with("shown", !layer.shown)));
            }
            let text = elided(ui, &layer.name, &Theme::font(Font::Body), 126.0);
            let color = theme.color(if layer.shown { "text.primary" } else { "text.tertiary" });
            let vertices: usize = layer.parts.values().map(|p| p.vertices.len()).sum();
            let place = egui::Layout::left_to_right(egui::Align::Center);
            ui.allocate_ui_with_layout(vec2(130.0, 24.0), place, |ui| {
                ui.set_min_width(130.0);
                ui.label(RichText::new(text).color(color))
                    .on_hover_text(format!("{} vertices", crate::ui::status_thousands(vertices)));
            });
            let mut percent = layer.opacity * 100.0;
            let field = DragValue::new(&mut percent).range(0.0..=100.0).fixed_decimals(0).suffix(" %");
            let response = ui.add_sized(vec2(56.0, 22.0), field);
            name_widget(ui, &response, &format!("Opacity of layer {}", layer.name));
            if response.changed() {
                let lines = vec![of("layers.opacity").with("opacity", percent / 100.0)];
                actions.push(Action::Preview { label: "Opacity of a layer".into(), lines });
                if !response.dragged() {
                    actions.push(Action::Commit);
                }
            } else if response.drag_stopped() {
                actions.push(Action::Commit);
            }
            let now = match layer.mirror {
                None => "no mirror",
                Some(MirrorFrom::Left) => "left to right",
                Some(MirrorFrom::Right) => "right to left",
            };
            let menu = ui.menu_button(
                RichText::new(icons::ICON_FLIP.codepoint).font(crate::ui::widgets::icon_font(16.0, false)),
                |ui| {
                    for (text, from) in
                        [("No mirror", "none"), ("Mirror left to right", "left"), ("Mirror right to left", "right")]
                    {
                        if ui.button(text).clicked() {
                            actions.push(Action::Run(of("layers.mirror").with("from", from)));
                            ui.close();
                        }
                    }
                },
            );
            let name = format!("Mirror of layer {}: {now}", layer.name);
            menu.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, &name));
            let up = if k + 1 < count { Ok(()) } else { Err("It is the topmost") };
            if icon_button(ui, theme, icons::ICON_ARROW_UPWARD, &format!("Move layer {} up", layer.name), "", false, up)
                .clicked()
            {
                actions.push(Action::Run(of("layers.move").with("up", true)));
            }
            let name = format!("Remove layer {}", layer.name);
            if icon_button(ui, theme, icons::ICON_DELETE, &name, "", false, Ok(())).clicked() {
                actions.push(Action::Run(of("layers.remove")));
            }
        });
    }
    let text = "Strokes go into the topmost layer that shows, at full opacity. Saving folds all layers.";
    ui.add(
        egui::Label::new(RichText::new(text).font(Theme::font(Font::Caption)).color(theme.color("text.tertiary")))
            .wrap(),
    );
}
