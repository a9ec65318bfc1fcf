//! Buttons for operations on many vertices, each with its main argument. They apply to the selected
//! vertices, or to the whole painted surface. Other arguments are in forms.

use egui::{DragValue, RichText, Ui};

use super::selection_key::selection_key;
use crate::ui::{
    Action, Actions, PaintAction, Theme, View,
    menu_rows::{MenuRows, Row, more_button},
    theme::Font,
    widgets::{name_widget, panel_title, thousands},
};
use ulna_edit::{
    Command,
    command::{
        BrushCommand, CommandSpec, Hammer, Limit, MergeJoints, MirrorWeights, Normalize, Prune,
        Quantize, Sets, Smooth, Store, SwapJoints, Transfer,
        field::{Reach, Side},
    },
};
use ulna_model::SkinId;
use ulna_render::ColorRole;
use ulna_weights::{Maps, fault_in};

/// State of the section between frames.
#[derive(Clone, Debug)]
pub struct ActsState {
    most: usize,
    below: f32,
    passes: usize,
    /// Number of vertices that an operation would change, with the inputs of the count.
    counted: Option<(Asked, usize)>,
}

impl Default for ActsState {
    fn default() -> Self {
        Self { most: 4, below: 0.01, passes: 1, counted: None }
    }
}

/// Inputs of a count: operation, document revision, skin, locks, and selected vertices.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Asked {
    act: Act,
    generation: u64,
    skin: SkinId,
    locked: usize,
    selected: (usize, u64),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Act {
    Limit(usize),
    Prune(f32),
    Normalize,
}

impl Act {
    fn would_change(self, locked: &[bool], maps: &Maps<'_>, vertex: u32) -> bool {
        let (joints, weights) = maps.slots(vertex);
        match self {
            Self::Limit(most) => weights.iter().filter(|w| **w > 0.0).count() > most,
            // Pruning keeps locked weights and the strongest weight.
            Self::Prune(below) => {
                let strongest = weights.iter().copied().fold(0.0, f32::max);
                let is_locked = |j: u16| locked.get(usize::from(j)).copied().unwrap_or(false);
                let goes = |(j, w): (&u16, &f32)| {
                    *w > 0.0 && *w < below && *w < strongest && !is_locked(*j)
                };
                joints.iter().zip(weights).any(goes)
            }
            Self::Normalize => {
                let (map, own) = maps.map_of(vertex);
                fault_in(map, own, usize::MAX, locked.len()).is_some()
            }
        }
    }
}

/// Number of vertices that an operation would change; cached until an input changes.
fn count(state: &mut ActsState, view: &View<'_>, act: Act) -> Option<usize> {
    let (canvas, session) = (view.paint.surface()?, view.session?);
    let chosen = view.paint.vertices();
    let locked = view.paint.options.locked.len();
    let selected = selection_key(chosen);
    let asked =
        Asked { act, generation: session.generation(), skin: canvas.skin, locked, selected };
    if let Some((of, count)) = state.counted
        && of == asked
    {
        return Some(count);
    }
    let maps = canvas.maps(session.document());
    let flags: Vec<bool> =
        canvas.joints().iter().map(|j| view.paint.options.locked.contains(j)).collect();
    let changes = |v: &u32| act.would_change(&flags, &maps, *v);
    let count = match chosen {
        [] => (0..canvas.vertex_count() as u32).filter(changes).count(),
        chosen => chosen.iter().filter(|v| changes(v)).count(),
    };
    state.counted = Some((asked, count));
    Some(count)
}

fn vertices(count: usize) -> String {
    if count == 1 { "1 vertex".to_owned() } else { format!("{} vertices", thousands(count)) }
}

/// Draws a button whose tooltip shows the number of vertices that it would change. Returns whether
/// it was clicked.
fn counted_button(
    state: &mut ActsState,
    ui: &mut Ui,
    view: &View<'_>,
    text: &str,
    help: &str,
    act: Act,
) -> bool {
    let response = ui.button(text);
    let clicked = response.clicked();
    if response.hovered() {
        let count = count(state, view, act).unwrap_or(0);
        let foot = match count {
            0 => "Nothing to do".to_owned(),
            n => format!("Will change {}", vertices(n)),
        };
        response.on_hover_text(format!("{help}\n{foot}"));
    }
    clicked
}

pub fn acts_ui(state: &mut ActsState, ui: &mut Ui, view: &View<'_>, actions: &mut Actions) {
    let theme = view.theme;
    let Some(canvas) = view.paint.surface() else { return };
    ui.horizontal(|ui| {
        panel_title(ui, theme, "Weights");
        let on = match view.paint.vertices().len() {
            0 => format!("all {}", vertices(canvas.vertex_count())),
            n => format!("{} selected", vertices(n)),
        };
        let note = RichText::new(on)
            .font(Theme::font(Font::Caption))
            .color(theme.color(ColorRole::TextTertiary));
        ui.add(egui::Label::new(note).truncate());
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            more_button(ui, view, actions, "More weight commands", more_rows);
        });
    });
    let run = |actions: &mut Actions, command: Command| actions.push(Action::Run(command));
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = egui::vec2(4.0, 4.0);
        let help = "Makes the weights of each vertex sum to 1";
        if counted_button(state, ui, view, "Normalize", help, Act::Normalize) {
            run(actions, Normalize { reach: Reach::default() }.into());
        }
        let most = state.most;
        let help = "Keeps only the strongest influences of each vertex";
        if counted_button(state, ui, view, "Limit", help, Act::Limit(most)) {
            let limit = Limit {
                most,
                how: None,
                mesh: None,
                primitive: None,
                vertices: None,
                locked: None,
                layer: None,
            };
            run(actions, limit.into());
            // Later operations must respect the limit. Mirroring, for example, gives center
            // vertices the joints of both sides.
            if view.paint.options.limit > most {
                actions.push(PaintAction::WeightLimit(most));
            }
        }
        let field = ui.add(DragValue::new(&mut state.most).range(1..=16).speed(0.05));
        name_widget(ui, &field, "Max influences");
        let below = state.below;
        if counted_button(
            state,
            ui,
            view,
            "Prune",
            "Removes weights below the value",
            Act::Prune(below),
        ) {
            run(actions, Prune { below, joint: None, reach: Reach::default() }.into());
        }
        let field =
            ui.add(DragValue::new(&mut state.below).range(0.0..=0.5).speed(0.001).max_decimals(4));
        name_widget(ui, &field, "Prune below");
        let smooth = ui
            .button("Smooth")
            .on_hover_text("Averages weights with neighboring vertices, repeated as often as set");
        if smooth.clicked() {
            let passes = Some(state.passes);
            run(
                actions,
                Smooth { passes, amount: None, joint: None, reach: Reach::default() }.into(),
            );
        }
        let field = ui.add(DragValue::new(&mut state.passes).range(1..=100).speed(0.05));
        name_widget(ui, &field, "Smoothing iterations");
        for (text, name, from) in [
            ("Mirror →", "Mirror left to right", Side::Left),
            ("← Mirror", "Mirror right to left", Side::Right),
        ] {
            let response = ui
                .button(text)
                .on_hover_text(format!("{name}: copies weights to the joints of the other side"));
            name_widget(ui, &response, name);
            if response.clicked() {
                run(actions, MirrorWeights { from, by: None, reach: Reach::default() }.into());
            }
        }
        let key = view.settings.keys.key(BrushCommand::Flood.name());
        let help = format!("Applies the brush operation to all of these vertices  {key}");
        if ui.button("Flood").on_hover_text(help).clicked() {
            run(actions, BrushCommand::Flood.into());
        }
    });
}

/// Adds menu rows for operations with a form.
fn more_rows(rows: &mut MenuRows<'_>) {
    let forms: [&'static CommandSpec; 11] = [
        Limit::spec(),
        Prune::spec(),
        Hammer::spec(),
        Quantize::spec(),
        MirrorWeights::spec(),
        Transfer::spec(),
        SwapJoints::spec(),
        MergeJoints::spec(),
        Sets::spec(),
        Store::spec(),
        ulna_edit::command::SessionCommand::ImportWeights {
            path: None,
            from: None,
            mesh: None,
            by: None,
        }
        .spec(),
    ];
    let export = ulna_edit::command::FileCommand::ExportWeights { path: None };
    for spec in forms {
        let text = if spec.asks && !spec.title.ends_with('…') {
            format!("{}…", spec.title)
        } else {
            spec.title.to_owned()
        };
        rows.command_as(spec, text);
    }
    let spec = export.spec();
    rows.run(Row::of(rows.view, spec).title(spec.title), || export.into());
}
