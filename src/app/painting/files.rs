//! Weights in the clipboard and in separate files.

use std::{collections::BTreeSet, path::Path};

use egui::Context;

use super::context::WeightContext;
use crate::ui::{PaintSession, ToastKind, WeightClipboard, thousands};
use ulna_edit::{
    Command, CommandLine,
    command::{
        Assign, DocumentCommand, VertexCommand, WeightCommand,
        field::{Nodes, Numbers, Reach, VertexTerms},
    },
};
use ulna_formats::weight_files::{WeightFile, read_rows, write_rows};
use ulna_model::{Document, NodeId};
use ulna_session::{
    RowsMeant, Session, SystemDisk, cells_assigned, rows_meant, weight_rows, weight_table,
    write_atomically,
};
use ulna_weights::{Scope, WorkingWeights};

/// Number of frames to wait for the system's clipboard. After that, the last weights copied in this
/// program are used.
const FRAMES: u8 = 1;

impl PaintSession {
    /// Command that assigns copied weights, and the number of copied vertices. The weights are the
    /// mean of the selected vertices, or those of the vertex last under the brush.
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

    /// Weights of each selected vertex, as rows of text.
    fn copied_each(&self, document: &Document) -> Option<String> {
        (!self.vertices.is_empty())
            .then(|| write_rows(&weight_rows(document, &self.surface, &self.vertices)))
    }

    /// Command that applies pasted text with weights.
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

impl WeightClipboard {
    /// Requests the content of the system's clipboard. If there is no answer, the last weights
    /// copied in this program are pasted.
    pub(in crate::app) fn ask(&mut self, ctx: &Context) {
        self.waiting = Some(FRAMES);
        ctx.send_viewport_cmd(egui::ViewportCommand::RequestPaste);
        ctx.request_repaint();
    }
}

impl WeightContext<'_> {
    /// Copies the mean weights of the selected vertices, or with `each` the weights of each vertex.
    pub(in crate::app) fn copy(&mut self, each: bool) {
        let ctx = self.messages.ctx;
        let document = self.session.document();
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
                    self.painting.clipboard.is_filled = true;
                    self.messages.toast(ToastKind::Ok, text_of);
                }
                None => {
                    let text = "Select vertices to copy their weights.";
                    self.messages.toast(ToastKind::Error, text);
                }
            }
            return;
        }
        let locked = &self.painting.options.locked;
        match self.painting.session().and_then(|s| s.copied(document, locked)) {
            Some((copied, count)) => {
                ctx.copy_text(Command::from(copied.clone()).line(document).to_string());
                self.painting.clipboard.copied = Some(copied);
                self.painting.clipboard.is_filled = true;
                let text = match count {
                    1 => "Copied the weights of 1 vertex.".to_owned(),
                    n => format!("Copied the average weights of {} vertices.", thousands(n)),
                };
                self.messages.toast(ToastKind::Ok, text);
            }
            None => {
                let text = "Select vertices or point at one to copy its weights.";
                self.messages.toast(ToastKind::Error, text);
            }
        }
    }

    /// Waits one frame for the system's clipboard. If there is no answer in time, returns the
    /// command that pastes the last weights copied in this program.
    pub(in crate::app) fn wait_for_clipboard(&mut self) -> Option<Assign> {
        let clipboard = &mut self.painting.clipboard;
        clipboard.waiting = clipboard.waiting?.checked_sub(1);
        if clipboard.waiting.is_some() {
            self.messages.ctx.request_repaint();
            return None;
        }
        let copied = clipboard.copied.clone();
        if copied.is_none() {
            let text = "The clipboard contains no weights. Copy a vertex first.";
            self.messages.toast(ToastKind::Error, text);
        }
        copied.filter(|_| self.has_vertices())
    }

    /// True if vertices are selected. Otherwise shows a message.
    fn has_vertices(&mut self) -> bool {
        let has = !self.painting.vertices().is_empty();
        if !has {
            self.messages.toast(ToastKind::Error, "Select vertices to paste weights onto.");
        }
        has
    }

    /// Returns the command that assigns weights from copied text to the vertices.
    pub(in crate::app) fn paste(&mut self, text: &str) -> Option<Assign> {
        self.painting.clipboard.waiting = None;
        let pasted = self.painting.session().map_or_else(
            || Err("no skinned mesh is shown".into()),
            |s| s.pasted(self.session.document(), text, &[]),
        );
        match pasted {
            Ok(assign) => {
                (assign.reach.vertices.is_some() || self.has_vertices()).then_some(assign)
            }
            Err(why) => {
                let text = format!("The weights could not be pasted: {why}.");
                self.messages.toast(ToastKind::Error, text);
                None
            }
        }
    }

    /// Command that assigns weights to cells of the vertex table.
    pub(in crate::app) fn set_cells(
        &mut self,
        vertices: &[u32],
        joints: &[u16],
        values: &[f32],
    ) -> Option<Assign> {
        let canvas = &self.painting.session()?.surface;
        let rules = (&self.painting.options.locked, self.painting.options.limit);
        let cells = (vertices, joints);
        match cells_assigned(self.session.document(), canvas, cells, values, rules) {
            Ok(assign) => Some(assign),
            Err(refused) => {
                let (_, own) = canvas.part_of(refused.vertex);
                let text = format!("Vertex {own} cannot have these weights: {}.", refused.why);
                self.messages.toast(ToastKind::Error, text);
                None
            }
        }
    }

    /// Selects the vertices that a text names.
    fn choose_vertices(&mut self, terms: &VertexTerms, add: bool) {
        let session = self.session;
        let Some(painted) = self.painting.state.session_mut() else { return };
        let canvas = &painted.surface;
        let meant = vec![true; canvas.parts().len()];
        match terms.vertices.mark(session.document(), canvas, &meant) {
            Ok(marks) => {
                let vertices: Vec<u32> =
                    (0..marks.len() as u32).filter(|v| marks[*v as usize]).collect();
                let none = vertices.is_empty();
                painted.select(vertices, add);
                if none {
                    let text = "No vertex was selected: none matches.";
                    self.messages.toast(ToastKind::Note, text);
                }
            }
            Err(why) => {
                let why = ulna_edit::vertex_query_error(session.document(), canvas, why);
                let text = format!("No vertex was selected: {why}.");
                self.messages.toast(ToastKind::Error, text);
            }
        }
    }

    /// Runs a command that selects vertices, or copies or pastes their weights.
    pub(in crate::app) fn vertex_command(&mut self, command: &VertexCommand) {
        match command {
            VertexCommand::Copy => self.copy(false),
            VertexCommand::CopyEach => self.copy(true),
            VertexCommand::Paste => self.painting.clipboard.ask(self.messages.ctx),
            VertexCommand::Choose { vertices, add } => {
                self.choose_vertices(vertices, add.unwrap_or(false))
            }
            other => {
                let limit = self.painting.options.limit;
                if let Some(painted) = self.painting.session_mut() {
                    painted.select_by(self.session.document(), other, limit);
                }
            }
        }
    }
}

/// Writes all weights of a document to a file. Returns a message about the success, or the reason
/// for a failure.
pub(in crate::app) fn export_weights(session: &Session, path: &Path) -> Result<String, String> {
    let shown = path.display();
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
    let kind = WeightFile::of_ending(ending).ok_or_else(|| {
        format!(
            "The weights were not exported to {shown}: the extension is not supported. Use \
                 .json or .xml."
        )
    })?;
    let table = weight_table(session.document(), &[]);
    let vertices: usize = table.shapes.iter().map(ulna_model::WeightShape::len).sum();
    match write_atomically(&SystemDisk, path, kind.write(&table).as_bytes()) {
        Ok(()) => {
            Ok(format!("Exported the weights of {} vertices to {shown}.", thousands(vertices)))
        }
        Err(error) => Err(format!(
            "The weights could not be exported to {shown}: {error}. Choose another folder."
        )),
    }
}
