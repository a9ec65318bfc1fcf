//! Weights between files: what the open document has as a table of names, and weights of another file, be it a model, JSON or XML, for
//! the open one. They come as commands that anybody could give, so that it is one step, and needs the file no more.

use std::{collections::BTreeMap, path::Path};

use glam::{Mat4, Vec3};

use super::{ClipSource, Conversion, Session};
use crate::{
    edit::{
        Command, CommandError, CommandLine,
        command::{
            SetWeights,
            field::{CarryWay, Meshes},
            slots_line,
        },
        mesh_label, skin_of, uv_of,
    },
    formats::{
        gltf::Progress,
        weight_files::{Pasted, PastedRow, WeightFile},
    },
    model::{Document, MeshId, NodeId, PrimitiveId, SkinId, WeightShape, WeightTable},
    motion::{ClipTransfer, KeysBy, joint_key},
    weights::{Canvas, CarryBy, CarrySource, Draft, Influences, PartChange, Scope, TakeWeight, carry, no_row},
};

/// What a primitive is called in a table, and no other of the document: its mesh, with the mesh's number where several are called so,
/// and its own where the mesh has several.
fn shape_name(document: &Document, mesh: MeshId, primitive: PrimitiveId) -> String {
    let label = mesh_label(document, mesh);
    let doubled = document.meshes.ids().any(|other| other != mesh && mesh_label(document, other) == label);
    let label = if doubled { format!("{label} {}", mesh.0) } else { label };
    if document.mesh(mesh).primitives.len() > 1 { format!("{label}/{primitive}") } else { label }
}

/// What the joints of a skin are called in a table: by their names, by their paths where two have the same.
fn joint_names(document: &Document, skin: SkinId) -> Vec<String> {
    let joints = &document.skin(skin).joints;
    let labels: Vec<String> = joints.iter().map(|n| document.node(*n).label(*n)).collect();
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    labels.iter().for_each(|l| *seen.entry(l).or_default() += 1);
    joints.iter().zip(&labels).map(|(n, l)| if seen[&**l] > 1 { document.path(*n) } else { l.clone() }).collect()
}

/// The weights of vertices of a primitive as a shape; of all of them unless given.
fn shape_of(
    document: &Document,
    (mesh, primitive): (MeshId, PrimitiveId),
    vertices: Option<&[u32]>,
) -> Option<WeightShape> {
    let found = document.primitive(mesh, primitive)?;
    let map = found.weights.as_deref()?;
    let joints = joint_names(document, skin_of(document, mesh)?);
    let mut shape = WeightShape::new(shape_name(document, mesh, primitive));
    shape.vertex_count = map.vertex_count();
    let mut add = |v: u32| {
        let list = Influences::of(map, v as usize);
        let named = list.iter().filter(|(j, w)| *w > 0.0 && usize::from(*j) < joints.len());
        shape.push(v, named.collect::<Vec<_>>());
    };
    match vertices {
        Some(list) => list.iter().for_each(|v| add(*v)),
        None => (0..map.vertex_count() as u32).for_each(&mut add),
    }
    if vertices.is_none() {
        shape.positions = found.positions.to_vec();
    }
    shape.joints = joints;
    Some(shape)
}

/// All weights of meshes, of all unless some are given: what a file of weights holds.
pub fn weight_table(document: &Document, meshes: &[MeshId]) -> WeightTable {
    let meant = document.meshes.ids().filter(|m| meshes.is_empty() || meshes.contains(m));
    let keys = meant.flat_map(|mesh| document.mesh(mesh).entries().map(move |(k, _)| (mesh, k)).collect::<Vec<_>>());
    WeightTable { shapes: keys.filter_map(|key| shape_of(document, key, None)).collect() }
}

/// The weights of some of a canvas's vertices, which rise; joints that move none of them are left out.
pub fn weight_rows(document: &Document, canvas: &Canvas, vertices: &[u32]) -> WeightTable {
    let mut table = WeightTable::default();
    for part in canvas.parts() {
        let own: Vec<u32> = vertices.iter().map(|v| v.wrapping_sub(part.first)).filter(|v| *v < part.count).collect();
        let Some(shape) = shape_of(document, (part.mesh, part.primitive), Some(&own)).filter(|_| !own.is_empty())
        else {
            continue;
        };
        table.shapes.push(without_unused(shape));
    }
    table
}

/// A shape with those joints alone that some row has.
fn without_unused(shape: WeightShape) -> WeightShape {
    let mut used = vec![false; shape.joints.len()];
    shape.entries.iter().for_each(|(j, _)| used[usize::from(*j)] = true);
    let mut number = Vec::with_capacity(used.len());
    let mut next = 0u16;
    for used in &used {
        number.push(next);
        next += u16::from(*used);
    }
    let joints = shape.joints.iter().zip(&used).filter(|(_, used)| **used).map(|(name, _)| name.clone()).collect();
    let entries = shape.entries.iter().map(|(j, w)| (number[usize::from(*j)], *w)).collect();
    WeightShape { joints, entries, ..shape }
}

/// Which of a skin's joints a name of another program means: that of the name, else of the name without what stands before it, else
/// of one that says the same of side and part.
pub fn joint_named(document: &Document, joints: &[NodeId], name: &str) -> Option<u16> {
    let only = |is: &dyn Fn(NodeId) -> bool| {
        let mut found = joints.iter().enumerate().filter(|(_, n)| is(**n));
        let first = found.next()?;
        found.next().is_none().then_some(first.0 as u16)
    };
    let label = |n: NodeId| document.node(n).label(n);
    let last = |text: &str| text.rsplit([':', '|', '/']).next().unwrap_or(text).to_owned();
    only(&|n| label(n) == name)
        .or_else(|| only(&|n| document.path(n) == name))
        .or_else(|| only(&|n| last(&label(n)) == last(name)))
        .or_else(|| only(&|n| joint_key(&label(n)) == joint_key(name)))
}

/// What rows of a text mean, for vertices of a canvas: which joints by their numbers, and by row the vertices that it is for.
#[derive(Clone, Debug, PartialEq)]
pub struct RowsMeant {
    /// The joints of the columns.
    pub joints: Vec<NodeId>,
    /// The canvas's vertices, in rising order, with what each gets.
    pub rows: Vec<(u32, Vec<f32>)>,
}

/// What rows mean: one is for all vertices that are selected, as many as those for each of them in order, and rows that say their mesh
/// and vertex for those.
///
/// # Errors
/// Where a column is no joint of the skin, or rows and vertices do not go together.
pub fn rows_meant(
    document: &Document,
    canvas: &Canvas,
    selected: &[u32],
    pasted: &Pasted,
    columns: &[NodeId],
) -> Result<RowsMeant, CommandError> {
    let refuse = |text: String| Err(CommandError::Other(text));
    let joints = match &pasted.joints {
        None if pasted.rows.iter().any(|r| r.weights.len() != columns.len()) || columns.is_empty() => {
            return refuse("its first line must name the joint of each column".into());
        }
        None => columns.to_vec(),
        Some(names) => {
            let one = |name: &String| match joint_named(document, canvas.joints(), name) {
                Some(joint) => Ok(canvas.joints()[usize::from(joint)]),
                None => Err(CommandError::Other(format!("“{name}” in its first line is no joint of this skin"))),
            };
            names.iter().map(one).collect::<Result<Vec<_>, _>>()?
        }
    };
    if let Some(k) = (0..joints.len()).find(|k| joints[..*k].contains(&joints[*k])) {
        return refuse(format!("two columns are of “{}”", document.node(joints[k]).label(joints[k])));
    }
    let rows = &pasted.rows;
    if let [only] = &rows[..]
        && !selected.is_empty()
    {
        return Ok(RowsMeant { joints, rows: selected.iter().map(|v| (*v, only.weights.clone())).collect() });
    }
    // Rows that name just the vertices that are selected are for those, in whatever order they stand.
    let named = named_rows(document, canvas, rows, selected);
    let by_name = named.as_ref().is_ok_and(|named| named.keys().copied().eq(selected.iter().copied()));
    if !by_name && !selected.is_empty() && selected.len() == rows.len() {
        let rows = selected.iter().zip(rows).map(|(v, row)| (*v, row.weights.clone())).collect();
        return Ok(RowsMeant { joints, rows });
    }
    Ok(RowsMeant { joints, rows: named?.into_iter().collect() })
}

/// By the canvas's vertices, the rows that name them.
fn named_rows(
    document: &Document,
    canvas: &Canvas,
    rows: &[PastedRow],
    selected: &[u32],
) -> Result<BTreeMap<u32, Vec<f32>>, CommandError> {
    let refuse = |text: String| Err(CommandError::Other(text));
    let mut named: BTreeMap<u32, Vec<f32>> = BTreeMap::new();
    for row in rows {
        let part = |mesh: &str| {
            let of = |p: &&crate::weights::CanvasPart| shape_name(document, p.mesh, p.primitive) == mesh;
            canvas.parts().iter().find(of)
        };
        let part = match &row.mesh {
            Some(mesh) => part(mesh).ok_or_else(|| {
                CommandError::Other(format!("it is of a mesh “{mesh}”, which does not hang on this skin"))
            })?,
            None if canvas.parts().len() == 1 => &canvas.parts()[0],
            None => {
                return refuse(format!(
                    "it has {} rows, and {} vertices are selected; select as many, or paste one row",
                    rows.len(),
                    selected.len()
                ));
            }
        };
        let Some(vertex) = row.vertex else {
            return refuse(format!(
                "it has {} rows, and {} vertices are selected; select as many, or paste one row",
                rows.len(),
                selected.len()
            ));
        };
        if vertex >= part.count {
            let name = shape_name(document, part.mesh, part.primitive);
            return refuse(format!("it names vertex {vertex}, and “{name}” has {}", part.count));
        }
        if named.insert(part.first + vertex, row.weights.clone()).is_some() {
            return refuse(format!("vertex {vertex} is in it twice"));
        }
    }
    Ok(named)
}

/// Which weights are meant: of which file, of which mesh of it, for which meshes here, found how.
#[derive(Clone, Copy, Debug)]
pub(super) struct WeightsMeant<'a> {
    pub path: Option<&'a Path>,
    pub from: Option<&'a str>,
    pub mesh: Option<&'a Meshes>,
    pub by: Option<CarryWay>,
}

/// What another file has: weights with places, and what its joints are called or are here.
struct Given {
    shapes: Vec<WeightShape>,
    /// By the shapes, their triangles and texture coordinates; empty where the file has none.
    surfaces: Vec<(Vec<u32>, Vec<glam::Vec2>)>,
    /// By name of a joint there, the node here that it is, where that is known better than by the name.
    counterparts: BTreeMap<String, NodeId>,
    /// By the shapes, where joints were bound there, by name.
    binds: Vec<BTreeMap<String, Mat4>>,
}

impl Session {
    /// What gives meshes here the weights of another file; and what is to be said of it.
    ///
    /// # Errors
    /// Where the file cannot be read, holds no weights, or none that these meshes can take.
    pub(super) fn weights_of_file(
        &self,
        meant: WeightsMeant<'_>,
    ) -> Result<(Vec<Command>, Option<String>), CommandError> {
        let document = &self.document;
        let refuse = |text: String| CommandError::Other(text);
        // What is wrong in the line itself is said before what is missing.
        let meshes = meant.mesh.map(|m| m.find(document)).transpose()?.unwrap_or_default();
        let path = meant
            .path
            .ok_or_else(|| refuse("no file is named; give a model, or .json or .xml with weights, as “path”".into()))?;
        let given = Given::read(path, document)?;
        let given = given.only(meant.from)?;
        let mut commands = Vec::new();
        let (mut done, mut unfound, mut partly) = (0usize, 0usize, 0usize);
        let mut gone: Vec<String> = Vec::new();
        let mut how = None;
        for skin in document.skins.ids() {
            let Some(canvas) = Canvas::new(document, skin) else { continue };
            let parts = canvas.parts();
            // A mesh on several skins has its weights from the first.
            let takes =
                |mesh: MeshId| (meshes.is_empty() || meshes.contains(&mesh)) && skin_of(document, mesh) == Some(skin);
            let wanted: Vec<usize> = (0..parts.len()).filter(|k| takes(parts[*k].mesh)).collect();
            if wanted.is_empty() {
                continue;
            }
            let matched: Vec<Option<usize>> = given.matched(document, &canvas, &wanted);
            let by = meant.by.map_or_else(|| given.best_way(&canvas, &wanted, &matched), CarryWay::way);
            let by = if by == CarryBy::Surface && given.surfaces.iter().all(|(t, _)| t.is_empty()) {
                CarryBy::Vertex
            } else {
                by
            };
            given.check(document, &canvas, &wanted, &matched, by)?;
            let joints: Vec<Vec<Option<u16>>> =
                given.shapes.iter().map(|s| given.joints(document, &canvas, s)).collect();
            for (shape, joints) in given.shapes.iter().zip(&joints) {
                let lost = shape.joints.iter().zip(joints).filter(|(_, j)| j.is_none()).map(|(name, _)| name);
                lost.filter(|n| !gone.contains(n)).cloned().collect::<Vec<_>>().into_iter().for_each(|n| gone.push(n));
            }
            let rows: Vec<_> = given.shapes.iter().zip(&joints).map(|(s, j)| row_of(s, j)).collect();
            let scale = given.scale(&canvas, &wanted, &matched);
            let source = |k: usize| {
                let positions = given.placed(document, &canvas, k, &joints[k], scale);
                let (indices, uvs) = &given.surfaces[k];
                CarrySource { count: given.shapes[k].vertex_count, positions, uvs, indices, row: &rows[k] }
            };
            let nothing = || CarrySource { count: 0, positions: Vec::new(), uvs: &[], indices: &[], row: &no_row };
            let sources: Vec<CarrySource<'_>> = match by {
                CarryBy::Order => matched.iter().map(|k| k.map_or_else(nothing, source)).collect(),
                // Those of the same names where each part has one, else all of them.
                _ => {
                    let mut named: Vec<usize> = matched.iter().flatten().copied().collect();
                    named.sort_unstable();
                    named.dedup();
                    let all = wanted.iter().any(|k| matched[*k].is_none());
                    let list = if all { (0..given.shapes.len()).collect() } else { named };
                    list.into_iter().map(source).collect()
                }
            };
            let vertices: Vec<u32> =
                wanted.iter().flat_map(|k| parts[*k].first..parts[*k].first + parts[*k].count).collect();
            let carried = carry(&canvas, &|v| uv_of(document, &canvas, v), &sources, by, &vertices);
            how = Some(by);
            done += carried.rows.len();
            unfound += carried.unfound;
            partly += carried.partly;
            commands.extend(put(document, &canvas, carried.rows)?);
        }
        let Some(how) = how else {
            return Err(refuse("nothing here takes weights; name a mesh that hangs on a skin".into()));
        };
        if done == 0 {
            return Err(refuse(format!(
                "no vertex here takes any of its weights: {}",
                if gone.is_empty() {
                    "nothing of it lies where these meshes do".to_owned()
                } else {
                    format!("none of its joints is here, such as “{}”", gone[0])
                }
            )));
        }
        let way = match how {
            CarryBy::Order => "by their numbers",
            CarryBy::Surface => "from the nearest spots of the surface",
            CarryBy::Vertex => "from the nearest vertices",
            CarryBy::Uv => "by their texture coordinates",
        };
        let mut note = format!("{} took weights {way}", counted(done, "vertex", "vertices"));
        if unfound > 0 {
            note += &format!("; {} found none", counted(unfound, "vertex", "vertices"));
        }
        if partly > 0 {
            let shown: Vec<&str> = gone.iter().take(3).map(|n| &**n).collect();
            note += &format!(
                "; {} not here ({}{}), and the rest of {} made up for them",
                counted(gone.len(), "joint is", "joints are"),
                shown.join(", "),
                if gone.len() > 3 { ", …" } else { "" },
                counted(partly, "vertex", "vertices")
            );
        }
        Ok((commands, Some(note)))
    }
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// What a vertex of a shape has, joints by other numbers. Rows are found by their vertices, which rise in what is read.
fn row_of<'a>(shape: &'a WeightShape, joints: &'a [Option<u16>]) -> impl Fn(u32, &mut TakeWeight<'_>) + Sync + 'a {
    let mut rows: Vec<(u32, u32)> = shape.vertices.iter().enumerate().map(|(k, v)| (*v, k as u32)).collect();
    rows.sort_unstable();
    move |vertex, take| {
        if let Ok(k) = rows.binary_search_by_key(&vertex, |(v, _)| *v) {
            for (j, w) in shape.row(rows[k].1 as usize).iter().filter(|(_, w)| *w > 0.0) {
                take(joints.get(usize::from(*j)).copied().flatten(), *w);
            }
        }
    }
}

/// The commands that give vertices of a canvas what they take, by the rule of the sum, in the type that the file stores.
fn put(document: &Document, canvas: &Canvas, rows: Vec<(u32, Influences)>) -> Result<Vec<Command>, CommandError> {
    let locked = vec![false; canvas.joints().len()];
    let scope = Scope { locked: &locked, limit: usize::MAX, vertices: None };
    let mut draft = Draft::new(document, canvas);
    // What cannot be had stays; it was never seen otherwise.
    draft.put_as_is(&scope, rows);
    let mut commands = Vec::new();
    for (k, change) in draft.changes(document) {
        let (mesh, primitive) = (canvas.parts()[k].mesh, canvas.parts()[k].primitive);
        let patch = match change {
            PartChange::Patch(patch) => patch,
            PartChange::Whole(map) => {
                let Some(now) = document.primitive(mesh, primitive).and_then(|p| p.weights.as_deref()) else {
                    continue;
                };
                let all: Vec<u32> = (0..map.vertex_count() as u32).collect();
                map.pick(&all).without_unchanged(now)
            }
        };
        let slots = (&patch.vertices[..], &patch.joints[..], &patch.weights[..]);
        let line: Option<CommandLine> = slots_line(document, SetWeights::NAME, mesh, primitive, slots);
        if let Some(line) = line.filter(|_| !patch.vertices.is_empty()) {
            commands.push(Command::read(&line)?);
        }
    }
    Ok(commands)
}

impl Given {
    fn read(path: &Path, document: &Document) -> Result<Self, CommandError> {
        let shown = path.display();
        let refuse = |text: String| CommandError::Other(format!("{shown}: {text}"));
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        if let Some(kind) = WeightFile::of_ending(ending) {
            /// Bytes of a text of weights at most.
            const MOST: u64 = 1 << 30;
            let about = std::fs::metadata(path).map_err(|e| refuse(format!("it cannot be read: {e}")))?;
            if !about.is_file() || about.len() > MOST {
                return Err(refuse("it is no file of weights, or larger than a gigabyte".into()));
            }
            let text = std::fs::read_to_string(path).map_err(|e| refuse(format!("it cannot be read: {e}")))?;
            let table = kind.read(&text).map_err(|e| refuse(e.to_string()))?;
            let none = || table.shapes.iter().map(|_| Default::default()).collect();
            return Ok(Self {
                surfaces: table.shapes.iter().map(|_| Default::default()).collect(),
                binds: none(),
                shapes: table.shapes,
                counterparts: BTreeMap::new(),
            });
        }
        let source = ClipSource::read(path.to_owned(), &Conversion::default(), &Progress::default());
        let theirs = source.document.map_err(CommandError::Other)?;
        let transfer = ClipTransfer::new(&theirs, document, KeysBy::Rests, &BTreeMap::new());
        let pairs: BTreeMap<NodeId, NodeId> = transfer.pairs().iter().map(|p| (p.from, p.to)).collect();
        let mut given =
            Self { shapes: Vec::new(), surfaces: Vec::new(), counterparts: BTreeMap::new(), binds: Vec::new() };
        for mesh in theirs.meshes.ids() {
            let Some(skin) = skin_of(&theirs, mesh) else { continue };
            for (primitive, found) in theirs.mesh(mesh).entries() {
                let Some(shape) = shape_of(&theirs, (mesh, primitive), None) else { continue };
                given.shapes.push(shape);
                given.surfaces.push((found.indices.to_vec(), found.uv0.to_vec()));
                let own = theirs.skin(skin);
                let named = || joint_names(&theirs, skin).into_iter();
                given.binds.push(named().zip(own.inverse_bind.iter().copied()).collect());
                let known = named().zip(own.joints.iter()).filter_map(|(name, n)| Some((name, *pairs.get(n)?)));
                given.counterparts.extend(known);
            }
        }
        if given.shapes.is_empty() {
            return Err(refuse("it has no mesh with weights that hangs on a skin".into()));
        }
        Ok(given)
    }

    /// The shapes of a name, where one is given.
    fn only(mut self, name: Option<&str>) -> Result<Self, CommandError> {
        let Some(name) = name else { return Ok(self) };
        let is = |s: &WeightShape| s.name == name || s.name.rsplit_once('/').is_some_and(|(mesh, _)| mesh == name);
        let keep: Vec<bool> = self.shapes.iter().map(is).collect();
        if !keep.contains(&true) {
            let names: Vec<String> = self.shapes.iter().take(8).map(|s| format!("“{}”", s.name)).collect();
            return Err(CommandError::Other(format!("it has no mesh “{name}”; it has {}", names.join(", "))));
        }
        let mut of = keep.iter();
        self.shapes.retain(|_| of.next() == Some(&true));
        let mut of = keep.iter();
        self.surfaces.retain(|_| of.next() == Some(&true));
        let mut of = keep.iter();
        self.binds.retain(|_| of.next() == Some(&true));
        Ok(self)
    }

    /// By the canvas's parts, the shape that is the same one there: by its name, which Maya ends in “Shape”; where both sides have only
    /// one, that.
    fn matched(&self, document: &Document, canvas: &Canvas, wanted: &[usize]) -> Vec<Option<usize>> {
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
            let free = |is: &dyn Fn(&WeightShape) -> bool| (0..used.len()).find(|s| !used[*s] && is(&self.shapes[*s]));
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

    /// What is best where nobody says: by numbers where every part has as many vertices there, lying where they lie here as far as that
    /// is known; else by the surface.
    fn best_way(&self, canvas: &Canvas, wanted: &[usize], matched: &[Option<usize>]) -> CarryBy {
        let same = |k: &usize| {
            let (Some(shape), part) = (matched[*k].map(|s| &self.shapes[s]), &canvas.parts()[*k]) else { return false };
            let is_there = shape.positions.is_empty() || {
                let own = |v: u32| canvas.rest()[canvas.place_of(part.first + v) as usize];
                let (a, b) = (size_of(&shape.positions), size_of(&(0..part.count).map(own).collect::<Vec<_>>()));
                let factor = if a > 0.0 && b > 0.0 { b / a } else { 1.0 };
                // A file of text has some six digits.
                shape.positions.len() == part.count as usize
                    && (0..part.count).all(|v| (shape.positions[v as usize] * factor).distance(own(v)) <= b * 1e-3)
            };
            shape.vertex_count == part.count as usize && is_there
        };
        if wanted.iter().all(same) { CarryBy::Order } else { CarryBy::Surface }
    }

    /// Whether weights can come over that way.
    fn check(
        &self,
        document: &Document,
        canvas: &Canvas,
        wanted: &[usize],
        matched: &[Option<usize>],
        by: CarryBy,
    ) -> Result<(), CommandError> {
        let refuse = |text: String| Err(CommandError::Other(text));
        let name = |k: usize| shape_name(document, canvas.parts()[k].mesh, canvas.parts()[k].primitive);
        match by {
            CarryBy::Order => {
                for k in wanted {
                    let count = canvas.parts()[*k].count as usize;
                    match matched[*k].map(|s| &self.shapes[s]) {
                        None => {
                            let names: Vec<String> =
                                self.shapes.iter().take(8).map(|s| format!("“{}”", s.name)).collect();
                            return refuse(format!(
                                "it has no “{}”; it has {}. Take its weights by the surface, or say from which mesh",
                                name(*k),
                                names.join(", ")
                            ));
                        }
                        Some(shape) if shape.vertex_count != count => {
                            return refuse(format!(
                                "“{}” has {count} vertices here and {} there, so their numbers do not say which is which; take its \
                                 weights by the surface",
                                name(*k),
                                shape.vertex_count
                            ));
                        }
                        Some(_) => {}
                    }
                }
                Ok(())
            }
            CarryBy::Uv if self.surfaces.iter().all(|(_, uvs)| uvs.is_empty()) => {
                refuse("it has no texture coordinates; take its weights by the surface".into())
            }
            CarryBy::Surface | CarryBy::Vertex if self.shapes.iter().all(|s| s.positions.is_empty()) => {
                refuse("it does not say where its vertices lie, so only their numbers can say which is which".into())
            }
            _ => Ok(()),
        }
    }

    /// By a shape's joints, which they are of the canvas.
    fn joints(&self, document: &Document, canvas: &Canvas, shape: &WeightShape) -> Vec<Option<u16>> {
        let one = |name: &String| {
            let known = self.counterparts.get(name).and_then(|n| canvas.joint(*n));
            known.or_else(|| joint_named(document, canvas.joints(), name))
        };
        shape.joints.iter().map(one).collect()
    }

    /// By what lengths there are multiplied where joints do not say it: one factor for the whole file, that of two units.
    fn scale(&self, canvas: &Canvas, wanted: &[usize], matched: &[Option<usize>]) -> f32 {
        let all = wanted.iter().any(|k| matched[*k].is_none());
        let is_meant = |k: &usize| all || matched.contains(&Some(*k));
        let theirs = (0..self.shapes.len()).filter(is_meant).flat_map(|k| self.shapes[k].positions.iter().copied());
        let ours = wanted.iter().flat_map(|k| {
            let part = &canvas.parts()[*k];
            (part.first..part.first + part.count).map(|v| canvas.rest()[canvas.place_of(v) as usize])
        });
        let (a, b) = (size_of(&theirs.collect::<Vec<_>>()), size_of(&ours.collect::<Vec<_>>()));
        let factor = if a > 0.0 && b > 0.0 { b / a } else { 1.0 };
        // Bodies differ in size, too: only another unit makes so great a difference.
        if (0.2..5.0).contains(&factor) { 1.0 } else { nearest_unit(factor) }
    }

    /// Where the vertices of a shape lie in the mesh space of a canvas: as joints that both have were bound, else by a factor.
    fn placed(&self, document: &Document, canvas: &Canvas, k: usize, joints: &[Option<u16>], scale: f32) -> Vec<Vec3> {
        let (shape, bind) = (&self.shapes[k], &self.binds[k]);
        let space = space_of(document, canvas.skin, shape, bind, joints);
        let space = space.unwrap_or_else(|| Mat4::from_scale(Vec3::splat(scale)));
        shape.positions.iter().map(|p| space.transform_point3(*p)).collect()
    }
}

/// The factor between units that is nearest to one that was measured.
fn nearest_unit(factor: f32) -> f32 {
    let units = [0.001, 0.01, 0.0254, 0.1, 0.3048, 1.0, 3.28084, 10.0, 39.3701, 100.0, 1000.0];
    let far = |u: &f32| (u / factor).ln().abs();
    units.into_iter().min_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or(1.0)
}

/// The diagonal of what is finite of points.
fn size_of(points: &[Vec3]) -> f32 {
    let (low, high) = points
        .iter()
        .filter(|p| p.is_finite())
        .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(l, h), p| (l.min(*p), h.max(*p)));
    if low.x > high.x { 0.0 } else { low.distance(high) }
}

/// Mesh space here from mesh space there, as joints that both have were bound; nothing where they disagree.
fn space_of(
    document: &Document,
    skin: SkinId,
    shape: &WeightShape,
    bind: &BTreeMap<String, Mat4>,
    joints: &[Option<u16>],
) -> Option<Mat4> {
    let ours = document.skin(skin);
    let pair = |(name, joint): (&String, &Option<u16>)| {
        let own = ours.inverse_bind.get(usize::from((*joint)?))?;
        Some(own.inverse() * *bind.get(name)?)
    };
    let all: Vec<Mat4> = shape.joints.iter().zip(joints).filter_map(pair).filter(|m| m.is_finite()).collect();
    let first = *all.first()?;
    let size = first.to_cols_array().iter().fold(1e-6f32, |s, v| s.max(v.abs()));
    let first = if first.abs_diff_eq(Mat4::IDENTITY, 1e-4) { Mat4::IDENTITY } else { first };
    all.iter().all(|m| m.abs_diff_eq(first, size * 1e-3)).then_some(first)
}
