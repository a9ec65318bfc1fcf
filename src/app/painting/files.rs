//! Weights on the clipboard and in files of their own.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use egui::Context;

use crate::{
    app::App,
    ui::{Dialog, PaintSession, PathFor, ToastKind, thousands},
};
use ulna_edit::{
    Command, CommandLine,
    command::{
        Assign, DocumentCommand, SessionCommand, VertexCommand, WeightCommand,
        field::{CarryWay, Nodes, Numbers, Reach, VertexTerms},
    },
};
use ulna_formats::weight_files::{WeightFile, read_rows, write_rows};
use ulna_model::{Document, NodeId};
use ulna_session::{
    RowsMeant, SystemDisk, cells_assigned, rows_meant, weight_rows, weight_table, write_atomically,
};
use ulna_weights::{Scope, WorkingWeights};

/// Frames in which the system's clipboard answers; after that what was copied here is meant.
const FRAMES: u8 = 1;

impl PaintSession {
    /// The mean of the selected vertices, or what the one under the brush has, as the command that
    /// gives it to others; and of how many vertices it is.
    fn copied(&self, document: &Document, locked: &BTreeSet<NodeId>) -> Option<(Assign, usize)> {
        let canvas = &self.surface;
        let last = self.touched.as_ref().map(|h| h.surface_vertex);
        let meant: Vec<u32> = match self.vertices.is_empty() {
            true => vec![last?],
            false => self.vertices.clone(),
        };
        let mut wanted = vec![false; canvas.vertex_count()];
        meant.iter().for_each(|v| wanted[*v as usize] = true);
        let locked = self.locked_flags(locked);
        let scope = Scope { locked: &locked, limit: usize::MAX, vertices: Some(&wanted) };
        let list = WorkingWeights::new(document, canvas).mean(&scope);
        let named = list
            .iter()
            .filter_map(|(j, w)| Some((*canvas.joints().get(usize::from(j))?, f64::from(w))));
        let (joints, weights): (Vec<NodeId>, Vec<f64>) = named.unzip();
        let assign = Assign {
            joints: Nodes::Ids(joints),
            weights: Numbers(weights),
            reach: Reach::default(),
        };
        Some((assign, meant.len()))
    }

    /// The selected vertices, each with its weights, as rows of text.
    fn copied_each(&self, document: &Document) -> Option<String> {
        (!self.vertices.is_empty())
            .then(|| write_rows(&weight_rows(document, &self.surface, &self.vertices)))
    }

    /// The command that a text of weights comes to.
    fn pasted(
        &self,
        document: &Document,
        text: &str,
        columns: &[NodeId],
    ) -> Result<Assign, String> {
        let canvas = &self.surface;
        if text.trim_start().starts_with('{') {
            let line = CommandLine::parse(text.trim()).and_then(|line| Command::read(&line));
            return match line {
                Ok(Command::Document(DocumentCommand::Weight(WeightCommand::Assign(assign)))) => {
                    let reach =
                        Reach { mesh: None, primitive: None, vertices: None, ..assign.reach };
                    Ok(Assign { reach, ..assign })
                }
                Ok(_) | Err(_) => {
                    Err("the clipboard contains no weights; copy a vertex's weights or table rows \
                        first"
                        .into())
                }
            };
        }
        let pasted = read_rows(text).map_err(|e| e.to_string())?;
        let RowsMeant { joints, rows } =
            rows_meant(document, canvas, &self.vertices, &pasted, columns)
                .map_err(|e| e.to_string())?;
        let one = rows.windows(2).all(|pair| pair[0].1 == pair[1].1);
        let vertices = rows.iter().map(|(v, _)| {
            let (part, own) = canvas.part_of(*v);
            let part = &canvas.parts()[part];
            (part.mesh, part.primitive, own)
        });
        let mut parts: Vec<(_, Vec<String>)> = Vec::new();
        for (mesh, primitive, own) in vertices {
            match parts.last_mut() {
                Some((key, list)) if *key == (mesh, primitive) => list.push(own.to_string()),
                _ => parts.push(((mesh, primitive), vec![own.to_string()])),
            }
        }
        let terms: Vec<String> = parts
            .into_iter()
            .map(|((mesh, primitive), list)| format!("{}/{primitive}: {}", mesh.0, list.join(", ")))
            .collect();
        let each = if one { &rows[..rows.len().min(1)] } else { &rows[..] };
        let weights = each.iter().flat_map(|(_, row)| row.iter().map(|w| f64::from(*w))).collect();
        let reach = Reach { vertices: VertexTerms::parse(&terms.join("; ")), ..Reach::default() };
        Ok(Assign { joints: Nodes::Ids(joints), weights: Numbers(weights), reach })
    }
}

impl App {
    /// Copies weights: of selected vertices their mean, or each for itself.
    pub(in crate::app) fn copy_weights(&mut self, ctx: &Context, each: bool) {
        let Some(session) = &self.session else { return };
        let document = session.document();
        if each {
            match self.painting.session().and_then(|s| s.copied_each(document)) {
                Some(text) => {
                    let text_of = match self.painting.vertices().len() {
                        1 => "Copied the weights of 1 vertex as a table row.".to_owned(),
                        n => format!(
                            "Copied the weights of {} vertices, one table row each.",
                            thousands(n)
                        ),
                    };
                    ctx.copy_text(text);
                    self.painting.clipboard.copied = None;
                    self.toast(ctx, ToastKind::Ok, text_of);
                }
                None => self.toast(ctx, ToastKind::Error, "Select vertices to copy their weights."),
            }
            return;
        }
        let locked = &self.painting.options.locked;
        match self.painting.session().and_then(|s| s.copied(document, locked)) {
            Some((copied, count)) => {
                ctx.copy_text(Command::from(copied.clone()).line(document).to_string());
                self.painting.clipboard.copied = Some(copied);
                let text = match count {
                    1 => "Copied the weights of 1 vertex.".to_owned(),
                    n => format!("Copied the average weights of {} vertices.", thousands(n)),
                };
                self.toast(ctx, ToastKind::Ok, text);
            }
            None => self.toast(
                ctx,
                ToastKind::Error,
                "Select vertices or point at one to copy its weights.",
            ),
        }
    }

    /// Asks for what the clipboard holds; what was copied here last is meant where the system does
    /// not answer.
    pub(in crate::app) fn ask_paste_weights(&mut self, ctx: &Context) {
        self.painting.clipboard.waiting = Some(FRAMES);
        ctx.send_viewport_cmd(egui::ViewportCommand::RequestPaste);
        ctx.request_repaint();
    }

    /// Whether weights were asked for, and the clipboard has not answered in time.
    pub(in crate::app) fn wait_for_weights(&mut self, ctx: &Context) {
        let clipboard = &mut self.painting.clipboard;
        let Some(left) = clipboard.waiting else { return };
        clipboard.waiting = left.checked_sub(1);
        if clipboard.waiting.is_some() {
            ctx.request_repaint();
            return;
        }
        match clipboard.copied.clone() {
            Some(_) if self.painting.vertices().is_empty() => {
                self.toast(ctx, ToastKind::Error, "Select vertices to paste weights onto.");
            }
            Some(assign) => self.run(ctx, assign),
            None => self.toast(
                ctx,
                ToastKind::Error,
                "The clipboard contains no weights. Copy a vertex first.",
            ),
        }
    }

    /// Gives vertices the weights that a text holds.
    pub(in crate::app) fn paste_weights(&mut self, ctx: &Context, text: &str) {
        self.painting.clipboard.waiting = None;
        let Some(session) = &self.session else { return };
        let pasted = self.painting.session().map_or_else(
            || Err("no skinned mesh is shown".into()),
            |s| s.pasted(session.document(), text, &[]),
        );
        match pasted {
            Ok(assign)
                if assign.reach.vertices.is_none() && self.painting.vertices().is_empty() =>
            {
                self.toast(ctx, ToastKind::Error, "Select vertices to paste weights onto.");
            }
            Ok(assign) => self.run(ctx, assign),
            Err(why) => self.toast(
                ctx,
                ToastKind::Error,
                format!("The weights could not be pasted: {why}."),
            ),
        }
    }

    /// Gives cells of the table their weights.
    pub(in crate::app) fn set_cells(
        &mut self,
        ctx: &Context,
        vertices: &[u32],
        joints: &[u16],
        values: &[f32],
    ) {
        let (Some(session), Some(painted)) = (&self.session, self.painting.session()) else {
            return;
        };
        let canvas = &painted.surface;
        let rules = (&self.painting.options.locked, self.painting.options.limit);
        match cells_assigned(session.document(), canvas, (vertices, joints), values, rules) {
            Ok(assign) => self.run(ctx, assign),
            Err(refused) => {
                let (_, own) = canvas.part_of(refused.vertex);
                let text = format!("Vertex {own} cannot have these weights: {}.", refused.why);
                self.toast(ctx, ToastKind::Error, text);
            }
        }
    }

    /// Selects vertices that a text names.
    pub(in crate::app) fn choose_vertices(
        &mut self,
        ctx: &Context,
        terms: &VertexTerms,
        add: bool,
    ) {
        let (Some(session), Some(painted)) = (&self.session, self.painting.state.session_mut())
        else {
            return;
        };
        let canvas = &painted.surface;
        let meant = vec![true; canvas.parts().len()];
        match terms.vertices.mark(session.document(), canvas, &meant) {
            Ok(marks) => {
                let vertices: Vec<u32> =
                    (0..marks.len() as u32).filter(|v| marks[*v as usize]).collect();
                let none = vertices.is_empty();
                painted.select(vertices, add);
                if none {
                    self.toast(ctx, ToastKind::Note, "No vertex was selected: none matches.");
                }
            }
            Err(why) => {
                let why = ulna_edit::vertex_query_error(session.document(), canvas, why);
                self.toast(ctx, ToastKind::Error, format!("No vertex was selected: {why}."));
            }
        }
    }

    /// Asks where weights go, or writes them there.
    pub(in crate::app) fn export_weights(&mut self, ctx: &Context, path: Option<PathBuf>) {
        let Some(session) = &self.session else { return };
        let Some(path) = path else {
            let path =
                session.suggested_path().with_extension("weights.json").display().to_string();
            self.ask_path(ctx, PathFor::WeightsOut, Dialog::ExportWeights { path });
            return;
        };
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        let Some(kind) = WeightFile::of_ending(ending) else {
            let text =
                format!("The weights were not exported to {}: use .json or .xml.", path.display());
            self.toast(ctx, ToastKind::Error, text);
            return;
        };
        let table = weight_table(session.document(), &[]);
        let vertices: usize = table.shapes.iter().map(ulna_model::WeightShape::len).sum();
        match write_atomically(&SystemDisk, &path, kind.write(&table).as_bytes()) {
            Ok(()) => {
                let text = format!(
                    "Exported the weights of {} vertices to {}.",
                    thousands(vertices),
                    path.display()
                );
                self.toast(ctx, ToastKind::Ok, text);
            }
            Err(error) => {
                let text = format!(
                    "The weights could not be exported to {}: {error}. Choose another folder.",
                    path.display()
                );
                self.toast(ctx, ToastKind::Error, text);
            }
        }
    }

    /// Asks for a file of weights.
    pub(in crate::app) fn ask_weights(&mut self, ctx: &Context) {
        let beside = self.session.as_ref().and_then(|s| s.path()).and_then(Path::parent);
        let beside = beside.filter(|p| !p.as_os_str().is_empty());
        let path = beside
            .map_or_else(String::new, |p| format!("{}{}", p.display(), std::path::MAIN_SEPARATOR));
        self.ask_path(ctx, PathFor::WeightsIn, Dialog::ImportWeights { path, by: None });
    }

    /// Takes the weights of a file.
    pub(in crate::app) fn import_weights(
        &mut self,
        ctx: &Context,
        path: PathBuf,
        by: Option<CarryWay>,
    ) {
        self.run(
            ctx,
            SessionCommand::ImportWeights { path: Some(path), from: None, mesh: None, by },
        );
    }

    /// Commands that select vertices, and that copy their weights.
    pub(in crate::app) fn vertex_command(&mut self, ctx: &Context, command: &VertexCommand) {
        match command {
            VertexCommand::Copy => self.copy_weights(ctx, false),
            VertexCommand::CopyEach => self.copy_weights(ctx, true),
            VertexCommand::Paste => self.ask_paste_weights(ctx),
            VertexCommand::Choose { vertices, add } => {
                self.choose_vertices(ctx, vertices, add.unwrap_or(false))
            }
            other => {
                let limit = self.painting.options.limit;
                if let (Some(session), Some(painted)) = (&self.session, self.painting.session_mut())
                {
                    painted.select_by(session.document(), other, limit);
                }
            }
        }
    }
}
