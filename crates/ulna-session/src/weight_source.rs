//! Imports weights of another file (a model, JSON or XML). The result consists of commands that set
//! weights. It is one undo step, and does not need the file any more.

use std::{borrow::Cow, collections::BTreeMap, path::Path, sync::Arc};

use glam::{Vec2, Vec3};

use super::{
    ClipSource, Conversion, Session,
    weight_import::{joint_names, shape_name, shape_of},
    weight_tally::ImportedWeights,
};
use ulna_edit::{
    Command, CommandError, CommandLine,
    command::{
        SetWeights,
        field::{CarryWay, Meshes},
        slots_line,
    },
    joint_named, skin_of, uv_of,
};
use ulna_formats::{gltf::Progress, weight_files::WeightFile};
use ulna_model::{Document, MeshId, NodeId, Notice, PrimitiveId, SkinId, WeightShape};
use ulna_motion::{ClipTransfer, KeysBy};
use ulna_weights::{
    CarryBy, CarrySource, Giver, Influences, LaidBy, PartChange, Scope, SkinnedSurface, TakeWeight,
    WorkingWeights, carry, corners, laid_over, no_row, rest_scale, size_of, takers, unit_between,
};

/// Weights to import: the file, its mesh, the target meshes, and the method.
#[derive(Clone, Copy, Debug)]
pub(super) struct WeightsMeant<'a> {
    pub path: Option<&'a Path>,
    pub from: Option<&'a str>,
    pub mesh: Option<&'a Meshes>,
    pub by: Option<CarryWay>,
}

/// Triangles and texture coordinates of a shape; empty if the file has none.
type Surface = (Vec<u32>, Vec<Vec2>);

/// Weights and positions read from another file, and the counterparts of its joints.
struct Given {
    shapes: Vec<WeightShape>,
    /// Triangles and texture coordinates of each shape.
    surfaces: Vec<Surface>,
    /// Counterparts of source joints in this document, by joint name. Joints that can only be
    /// matched by their name are not listed.
    counterparts: BTreeMap<String, NodeId>,
    /// The source model; `None` if the file contains only weights.
    model: Option<Model>,
}

/// A source model, matched with this document.
struct Model {
    document: Arc<Document>,
    /// Source joints and their counterparts in this document.
    pairs: Vec<(NodeId, NodeId)>,
    /// Mesh, primitive and skin of each shape.
    origins: Vec<(MeshId, PrimitiveId, SkinId)>,
}

impl Session {
    /// Returns the commands that set weights of another file on meshes of this document, and the
    /// notes for the user.
    ///
    /// # Errors
    /// The file cannot be read, has no weights, or has none for these meshes.
    pub(super) fn weights_of_file(
        &self,
        meant: WeightsMeant<'_>,
    ) -> Result<(Vec<Command>, Vec<Notice>), CommandError> {
        let document = &self.document;
        // Errors in the command itself are reported before a missing file.
        let meshes = meant.mesh.map(|m| m.find(document)).transpose()?.unwrap_or_default();
        let path = meant.path.ok_or_else(|| {
            let message =
                "no file was given; name a model, or a .json or .xml file with weights, as “path”";
            CommandError::other("no_file_named", message)
        })?;
        let given = Given::read(path, document)?.only(meant.from)?;
        let mut commands = Vec::new();
        let mut tally = ImportedWeights::default();
        for skin in document.skins.ids() {
            let Some(canvas) = SkinnedSurface::new(document, skin) else { continue };
            let parts = canvas.parts();
            // A mesh that is bound to several skins is handled with its first skin.
            let takes = |mesh: MeshId| {
                (meshes.is_empty() || meshes.contains(&mesh))
                    && skin_of(document, mesh) == Some(skin)
            };
            let wanted: Vec<usize> = (0..parts.len()).filter(|k| takes(parts[*k].mesh)).collect();
            if !wanted.is_empty() {
                commands.extend(given.taken_by(document, &canvas, &wanted, meant.by, &mut tally)?);
            }
        }
        let Some(way) = tally.way else {
            let message = "there is no mesh to import weights to; name a skinned mesh";
            return Err(CommandError::other("no_weights_meant", message));
        };
        if tally.done == 0 {
            return Err(CommandError::other(
                "no_weights_taken",
                format!(
                    "no weights were imported: {}",
                    match tally.gone.first() {
                        None => "its meshes are nowhere near the meshes of this model".to_owned(),
                        Some(joint) =>
                            format!("this model has none of its joints, such as “{joint}”"),
                    }
                ),
            ));
        }
        Ok((commands, tally.notes(way)))
    }
}

/// Returns a reader for the weights of a shape's vertices, with joints mapped to other indices.
/// Rows are found by binary search.
fn row_of<'a>(
    shape: &'a WeightShape,
    joints: &'a [Option<u16>],
) -> impl Fn(u32, &mut TakeWeight<'_>) + Sync + 'a {
    let mut rows: Vec<(u32, u32)> =
        shape.vertices.iter().enumerate().map(|(k, v)| (*v, k as u32)).collect();
    rows.sort_unstable();
    move |vertex, take| {
        if let Ok(k) = rows.binary_search_by_key(&vertex, |(v, _)| *v) {
            for (j, w) in shape.row(rows[k].1 as usize).iter().filter(|(_, w)| *w > 0.0) {
                take(joints.get(usize::from(*j)).copied().flatten(), *w);
            }
        }
    }
}

/// Returns the commands that set weights of vertices, normalized, in the stored type of the file.
fn put(
    document: &Document,
    canvas: &SkinnedSurface,
    rows: Vec<(u32, Influences)>,
) -> Result<Vec<Command>, CommandError> {
    let locked = vec![false; canvas.joints().len()];
    let scope = Scope { locked: &locked, limit: usize::MAX, vertices: None };
    let mut draft = WorkingWeights::new(document, canvas);
    // Vertices that cannot store their new weights stay unchanged. They are not reported.
    draft.put_as_is(&scope, rows);
    let mut commands = Vec::new();
    for (k, change) in draft.changes(document) {
        let (mesh, primitive) = (canvas.parts()[k].mesh, canvas.parts()[k].primitive);
        let patch = match change {
            PartChange::Patch(patch) => patch,
            PartChange::Whole(map) => {
                let Some(now) =
                    document.primitive(mesh, primitive).and_then(|p| p.weights.as_deref())
                else {
                    continue;
                };
                let all: Vec<u32> = (0..map.vertex_count() as u32).collect();
                map.pick(&all).without_unchanged(now)
            }
        };
        let slots = (&patch.vertices[..], &patch.joints[..], &patch.weights[..]);
        let line: Option<CommandLine> =
            slots_line(document, SetWeights::NAME, mesh, primitive, slots);
        if let Some(line) = line.filter(|_| !patch.vertices.is_empty()) {
            commands.push(Command::read(&line)?);
        }
    }
    Ok(commands)
}

impl Given {
    fn read(path: &Path, document: &Document) -> Result<Self, CommandError> {
        let shown = path.display();
        let refuse = |code, text: String| CommandError::other(code, format!("{shown}: {text}"));
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        if let Some(kind) = WeightFile::of_ending(ending) {
            /// Maximum size of a text file with weights, in bytes.
            const MOST: u64 = 1 << 30;
            let about = std::fs::metadata(path)
                .map_err(|e| refuse("file_unreadable", format!("it cannot be read: {e}")))?;
            if !about.is_file() || about.len() > MOST {
                return Err(refuse(
                    "not_weights",
                    "it is not a file with weights, or it is larger than 1 GB".into(),
                ));
            }
            let text = std::fs::read_to_string(path)
                .map_err(|e| refuse("file_unreadable", format!("it cannot be read: {e}")))?;
            let table = kind.read(&text).map_err(|e| refuse(e.code(), e.to_string()))?;
            let surfaces = table.shapes.iter().map(|_| Surface::default()).collect();
            return Ok(Self {
                surfaces,
                shapes: table.shapes,
                counterparts: BTreeMap::new(),
                model: None,
            });
        }
        let source =
            ClipSource::read(path.to_owned(), &Conversion::default(), &Progress::default());
        let theirs = source.document.map_err(CommandError::Other)?;
        let transfer = ClipTransfer::new(&theirs, document, KeysBy::Rests, &BTreeMap::new());
        let pairs: BTreeMap<NodeId, NodeId> =
            transfer.pairs().iter().map(|p| (p.from, p.to)).collect();
        let mut given = Self {
            shapes: Vec::new(),
            surfaces: Vec::new(),
            counterparts: BTreeMap::new(),
            model: None,
        };
        let mut origins = Vec::new();
        for mesh in theirs.meshes.ids() {
            let Some(skin) = skin_of(&theirs, mesh) else { continue };
            for (primitive, found) in theirs.mesh(mesh).entries() {
                let Some(shape) = shape_of(&theirs, (mesh, primitive), None) else { continue };
                given.shapes.push(shape);
                given.surfaces.push((corners(found).into_owned(), found.uv0.to_vec()));
                origins.push((mesh, primitive, skin));
                let named =
                    joint_names(&theirs, skin).into_iter().zip(theirs.skin(skin).joints.iter());
                given
                    .counterparts
                    .extend(named.filter_map(|(name, n)| Some((name, *pairs.get(n)?))));
            }
        }
        if given.shapes.is_empty() {
            return Err(refuse("no_weights_meant", "it has no skinned mesh with weights".into()));
        }
        given.model = Some(Model { document: theirs, pairs: pairs.into_iter().collect(), origins });
        Ok(given)
    }

    /// Keeps only the shapes with a name, if a name is given.
    fn only(mut self, name: Option<&str>) -> Result<Self, CommandError> {
        let Some(name) = name else { return Ok(self) };
        let is = |s: &WeightShape| {
            s.name == name || s.name.rsplit_once('/').is_some_and(|(mesh, _)| mesh == name)
        };
        let keep: Vec<bool> = self.shapes.iter().map(is).collect();
        if !keep.contains(&true) {
            let names: Vec<String> =
                self.shapes.iter().take(8).map(|s| format!("“{}”", s.name)).collect();
            return Err(CommandError::other(
                "no_such_mesh",
                format!("it has no mesh “{name}”; it has {}", names.join(", ")),
            ));
        }
        self.shapes = kept(self.shapes, &keep);
        self.surfaces = kept(self.surfaces, &keep);
        self.model = self.model.map(|model| Model { origins: kept(model.origins, &keep), ..model });
        Ok(self)
    }

    /// Returns, for each part of the surface, the shape of the same name. Maya appends “Shape” to
    /// names. If both sides have only one shape, the two match.
    fn matched(
        &self,
        document: &Document,
        canvas: &SkinnedSurface,
        wanted: &[usize],
    ) -> Vec<Option<usize>> {
        let plain = |name: &str| {
            let name = name.rsplit([':', '|']).next().unwrap_or(name);
            name.strip_suffix("Shape").unwrap_or(name).to_lowercase()
        };
        let mut used = vec![false; self.shapes.len()];
        let mut one = |k: usize| {
            if !wanted.contains(&k) {
                return None;
            }
            let part = &canvas.parts()[k];
            let name = shape_name(document, part.mesh, part.primitive);
            let free = |is: &dyn Fn(&WeightShape) -> bool| {
                (0..used.len()).find(|s| !used[*s] && is(&self.shapes[*s]))
            };
            let exact = free(&|s| s.name == name);
            let near = || free(&|s| plain(&s.name) == plain(&name));
            let alone = || (wanted.len() == 1 && self.shapes.len() == 1).then_some(0);
            let found = exact.or_else(near).or_else(alone);
            if let Some(k) = found {
                used[k] = true;
            }
            found
        };
        (0..canvas.parts().len()).map(&mut one).collect()
    }

    /// Returns the method to use if the user chose none. Weights are matched by vertex order if all
    /// parts have the same number of vertices, and the same positions if these are known.
    /// Otherwise, weights are matched by surface.
    fn best_way(
        &self,
        canvas: &SkinnedSurface,
        wanted: &[usize],
        matched: &[Option<usize>],
    ) -> CarryBy {
        let same = |k: &usize| {
            let (Some(shape), part) = (matched[*k].map(|s| &self.shapes[s]), &canvas.parts()[*k])
            else {
                return false;
            };
            let is_there = shape.positions.is_empty() || {
                let own = |v: u32| canvas.rest()[canvas.point_of(part.first + v).index()];
                let (a, b) = (
                    size_of(&shape.positions),
                    size_of(&(0..part.count).map(own).collect::<Vec<_>>()),
                );
                let factor = if a > 0.0 && b > 0.0 { b / a } else { 1.0 };
                // Files in text formats have about six digits, so positions are compared with a
                // tolerance.
                shape.positions.len() == part.count as usize
                    && (0..part.count).all(|v| {
                        (shape.positions[v as usize] * factor).distance(own(v)) <= b * 1e-3
                    })
            };
            shape.vertex_count == part.count as usize && is_there
        };
        if wanted.iter().all(same) { CarryBy::Order } else { CarryBy::Surface }
    }

    /// Checks whether the weights can be transferred by the chosen method.
    fn check(
        &self,
        document: &Document,
        canvas: &SkinnedSurface,
        wanted: &[usize],
        matched: &[Option<usize>],
        by: CarryBy,
    ) -> Result<(), CommandError> {
        let refuse = |code, text: String| Err(CommandError::other(code, text));
        let name =
            |k: usize| shape_name(document, canvas.parts()[k].mesh, canvas.parts()[k].primitive);
        match by {
            CarryBy::Order => {
                for k in wanted {
                    let count = canvas.parts()[*k].count as usize;
                    match matched[*k].map(|s| &self.shapes[s]) {
                        None => {
                            let names: Vec<String> = self
                                .shapes
                                .iter()
                                .take(8)
                                .map(|s| format!("“{}”", s.name))
                                .collect();
                            return refuse(
                                "no_such_mesh",
                                format!(
                                    "it has no mesh “{}”, but has {}. Match by surface (“by”: \
                                        “surface”), or name the source mesh as “from”",
                                    name(*k),
                                    names.join(", ")
                                ),
                            );
                        }
                        Some(shape) if shape.vertex_count != count => {
                            return refuse(
                                "vertex_counts_differ",
                                format!(
                                    "“{}” has {count} vertices here, but {} in the file, so they \
                                        cannot be matched by order; match by surface instead",
                                    name(*k),
                                    shape.vertex_count
                                ),
                            );
                        }
                        Some(_) => {}
                    }
                }
                Ok(())
            }
            CarryBy::Uv if self.surfaces.iter().all(|(_, uvs)| uvs.is_empty()) => refuse(
                "no_texture_coordinates",
                "it has no texture coordinates; match by surface instead".into(),
            ),
            CarryBy::Surface | CarryBy::Vertex
                if self.shapes.iter().all(|s| s.positions.is_empty()) =>
            {
                refuse(
                    "no_positions",
                    "it has no vertex positions, so its vertices can only be matched by order"
                        .into(),
                )
            }
            _ => Ok(()),
        }
    }

    /// Returns, for each joint of a shape, its index in the skin of the surface.
    fn joints(
        &self,
        document: &Document,
        canvas: &SkinnedSurface,
        shape: &WeightShape,
    ) -> Vec<Option<u16>> {
        let one = |name: &String| {
            let known = self.counterparts.get(name).and_then(|n| canvas.joint(*n));
            known.or_else(|| joint_named(document, canvas.joints(), name))
        };
        shape.joints.iter().map(one).collect()
    }

    /// Returns the source shapes for parts of a surface: the shapes of equal names if each part has
    /// one, else all shapes.
    fn sources(&self, wanted: &[usize], matched: &[Option<usize>]) -> Vec<usize> {
        if wanted.iter().any(|k| matched[*k].is_none()) {
            return (0..self.shapes.len()).collect();
        }
        let mut named: Vec<usize> = matched.iter().flatten().copied().collect();
        named.sort_unstable();
        named.dedup();
        named
    }

    /// Returns the commands that set the weights of parts of a surface.
    fn taken_by(
        &self,
        document: &Document,
        canvas: &SkinnedSurface,
        wanted: &[usize],
        by: Option<CarryWay>,
        tally: &mut ImportedWeights,
    ) -> Result<Vec<Command>, CommandError> {
        let parts = canvas.parts();
        let matched: Vec<Option<usize>> = self.matched(document, canvas, wanted);
        let by = by.map_or_else(|| self.best_way(canvas, wanted, &matched), CarryWay::way);
        let by = if by == CarryBy::Surface && self.surfaces.iter().all(|(t, _)| t.is_empty()) {
            CarryBy::Vertex
        } else {
            by
        };
        self.check(document, canvas, wanted, &matched, by)?;
        let joints: Vec<Vec<Option<u16>>> =
            self.shapes.iter().map(|s| self.joints(document, canvas, s)).collect();
        let list: Vec<usize> = match by {
            CarryBy::Order => (0..self.shapes.len()).collect(),
            _ => self.sources(wanted, &matched),
        };
        list.iter().for_each(|k| tally.add_gone(&self.shapes[*k], &joints[*k]));
        let vertices: Vec<u32> = wanted
            .iter()
            .flat_map(|k| parts[*k].first..parts[*k].first + parts[*k].count)
            .collect();
        let Placed { positions, joints, laid } =
            self.placed(document, canvas, (&list, &joints), (&vertices, by));
        tally.above |= joints.above;
        let rows: Vec<_> =
            list.iter().zip(&joints.takers).map(|(k, j)| row_of(&self.shapes[*k], j)).collect();
        let source = |at: usize| {
            let (k, positions) = (list[at], positions[at].clone());
            let (indices, uvs) = &self.surfaces[k];
            let count = self.shapes[k].vertex_count;
            CarrySource { count, positions, uvs, indices: Cow::Borrowed(indices), row: &rows[at] }
        };
        let nothing = || CarrySource {
            count: 0,
            positions: Vec::new(),
            uvs: &[],
            indices: Cow::Borrowed(&[]),
            row: &no_row,
        };
        let sources: Vec<CarrySource<'_>> = match by {
            CarryBy::Order => matched.iter().map(|k| k.map_or_else(nothing, source)).collect(),
            _ => (0..list.len()).map(source).collect(),
        };
        let carried = carry(canvas, &|v| uv_of(document, canvas, v), &sources, by, &vertices);
        tally.way = Some(by);
        tally.done += carried.rows.len();
        tally.unfound += carried.unfound;
        tally.partly += carried.partly;
        tally.distances.add(&carried, rest_scale(document, canvas.skin));
        if !carried.distances.is_empty() && !tally.laid.contains(&laid) {
            tally.laid.push(laid);
        }
        put(document, canvas, carried.rows)
    }

    /// Positions shapes in the mesh space of a surface, and finds the joints that receive their
    /// weights.
    fn placed(
        &self,
        document: &Document,
        canvas: &SkinnedSurface,
        (list, joints): (&[usize], &[Vec<Option<u16>>]),
        (vertices, by): (&[u32], CarryBy),
    ) -> Placed {
        let plain =
            || Takers { takers: list.iter().map(|k| joints[*k].clone()).collect(), above: false };
        let Some(model) = &self.model else {
            let positions = self.scaled(canvas, list, vertices);
            return Placed { positions, joints: plain(), laid: LaidBy::NoSkeleton };
        };
        let giver = |k: &usize| {
            let (mesh, primitive, skin) = model.origins[*k];
            Some(Giver {
                primitive: model.document.primitive(mesh, primitive)?,
                skin,
                joints: &joints[*k],
            })
        };
        let givers: Vec<Giver<'_>> = list.iter().filter_map(giver).collect();
        let takers = takers(&model.document, &givers);
        let above = givers.iter().zip(&takers).any(|(g, t)| g.joints != &t[..]);
        let (positions, laid) = match by {
            // Vertices correspond by index, so positions are not needed.
            CarryBy::Order => (vec![Vec::new(); list.len()], LaidBy::Bind),
            _ => laid_over((&model.document, document), canvas, &givers, &model.pairs, vertices),
        };
        Placed { positions, joints: Takers { takers, above }, laid }
    }

    /// Returns the positions of shapes without a skeleton, scaled to the length unit of this
    /// document. One factor applies to the whole file.
    fn scaled(&self, canvas: &SkinnedSurface, list: &[usize], vertices: &[u32]) -> Vec<Vec<Vec3>> {
        let theirs: Vec<Vec3> =
            list.iter().flat_map(|k| self.shapes[*k].positions.iter().copied()).collect();
        let ours: Vec<Vec3> =
            vertices.iter().map(|v| canvas.rest()[canvas.point_of(*v).index()]).collect();
        let scale = unit_between(size_of(&theirs), size_of(&ours));
        let place = |k: &usize| self.shapes[*k].positions.iter().map(|p| *p * scale).collect();
        list.iter().map(place).collect()
    }
}

/// Shapes that were positioned for a surface.
struct Placed {
    /// Vertex positions of each shape, in mesh space.
    positions: Vec<Vec<Vec3>>,
    joints: Takers,
    laid: LaidBy,
}

/// Joints that receive the weights of the source joints.
struct Takers {
    /// Receiving joint for each shape and joint; `None` if there is none.
    takers: Vec<Vec<Option<u16>>>,
    /// Whether any joint receives the weights of a descendant without a counterpart.
    above: bool,
}

/// Returns the items that `keep` marks.
fn kept<T>(list: Vec<T>, keep: &[bool]) -> Vec<T> {
    list.into_iter().zip(keep).filter(|(_, keep)| **keep).map(|(item, _)| item).collect()
}
