//! Bytes → asset. A file opens, perhaps repaired for showing and with findings, or is refused with
//! a sentence.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
};

use glam::{Mat4, Quat, Vec3};

use super::{
    Container, FileToWrite, ReadError, Source,
    accessor::{Accessors, Component, Missing},
    animation, json, material, mesh, meshopt,
    outline::{self, join_if_large},
    pose_extras, scene_extras, schema,
    source::check_asset,
    vrm,
};
use crate::read_whole;
use ulna_model::{
    Asset, Decomposed, Diagnostic, Diagnostics, Document, Local, Mesh, Node, NodeId, NodePose,
    Nodes, RestSource, Scene, SceneId, Severity, Shared, Skin, Transform, find_rest,
    transform::unit_or,
};

/// What opening a file gives.
#[derive(Debug)]
pub struct Opened {
    /// The bytes it came from.
    pub source: Source,
    /// The model.
    pub document: Document,
    /// What is odd about it.
    pub diagnostics: Vec<Diagnostic>,
    /// What wrote the file.
    pub generator: Option<String>,
    /// `extensionsUsed`
    pub extensions_used: Vec<String>,
}

/// How far long work is, and whether somebody wants it to stop. Shared between threads.
#[derive(Debug, Default)]
pub struct Progress {
    permille: AtomicU32,
    canceled: AtomicBool,
}

impl Progress {
    /// 0 to 1.
    pub fn fraction(&self) -> f32 {
        self.permille.load(Ordering::Relaxed) as f32 / 1000.0
    }

    /// Asks the work to stop at the next chance.
    pub fn cancel(&self) {
        self.canceled.store(true, Ordering::Relaxed);
    }

    /// Whether somebody wants the work to stop, and how far it is in thousandths, for work that
    /// looks at both by itself.
    pub const fn parts(&self) -> (&AtomicBool, &AtomicU32) {
        (&self.canceled, &self.permille)
    }

    /// Says how far the work is.
    ///
    /// # Errors
    /// [`ReadError::Canceled`] where somebody canceled.
    pub fn reach(&self, fraction: f32) -> Result<(), ReadError> {
        self.permille.store((fraction * 1000.0) as u32, Ordering::Relaxed);
        if self.canceled.load(Ordering::Relaxed) { Err(ReadError::Canceled) } else { Ok(()) }
    }
}

/// Reads a file.
///
/// # Errors
/// A sentence that says what is wrong and where.
pub fn open(path: &Path, progress: &Progress) -> Result<Opened, ReadError> {
    let bytes =
        read_whole(path).map_err(|source| ReadError::Io { path: path.to_owned(), source })?;
    open_bytes(bytes.into(), Some(path), progress)
}

/// Reads a file that is in memory; `path` is where files it names are looked for.
///
/// # Errors
/// As [`open`].
pub fn open_bytes(
    bytes: Arc<Vec<u8>>,
    path: Option<&Path>,
    progress: &Progress,
) -> Result<Opened, ReadError> {
    open_beside(bytes, path, Arc::default(), progress)
}

/// As [`open_bytes`]; of the files it names, those in `beside` are taken from there.
///
/// # Errors
/// As [`open`].
pub fn open_beside(
    bytes: Arc<Vec<u8>>,
    path: Option<&Path>,
    beside: Arc<[FileToWrite]>,
    progress: &Progress,
) -> Result<Opened, ReadError> {
    let container = Container::parse(&bytes)?;
    let path = path.map(Path::to_owned);
    let mut source =
        Source { path, bytes, container, beside, buffers: Vec::new(), image_uris: Vec::new() };
    progress.reach(0.1)?;
    let text_owner = source.bytes.clone();
    let text = std::str::from_utf8(&text_owner[source.container.json()]).map_err(|e| {
        ReadError::NotGltf(format!("its JSON is not UTF-8 (byte {})", e.valid_up_to()))
    })?;
    let (outline, survey) =
        join_if_large(text.len(), || outline::read(text), || super::text::survey(text));
    let (root, mut long) = outline?;
    let asset = check_asset(&root)?;
    let extensions_used: Vec<String> = names(&root, "extensionsUsed")?;
    check_required(&root, text)?;
    let buffers: Vec<schema::Buffer> = json::list(&root, "buffers")?;
    let views = long.views(&root)?;
    source.load_buffers(&buffers, &views)?;
    progress.reach(0.2)?;
    let mut diagnostics = Diagnostics::default();
    if survey.depth > 128 {
        let message = format!(
            "The JSON is nested {} levels deep; the deepest parts stay in the file, but are \
                ignored",
            survey.depth
        );
        diagnostics.add(Severity::Warning, "ULNA_DEEP_JSON", "", message);
    }
    if survey.nulls > 0 {
        let message = format!("{} properties are null; they are treated as missing", survey.nulls);
        diagnostics.add(Severity::Error, "TYPE_MISMATCH", "", message);
    }
    for (key, _) in &root.1 {
        diagnostics.add(
            Severity::Error,
            "DUPLICATE_PROPERTY",
            "",
            format!("“{key}” is defined twice in the file; the later one is used"),
        );
    }
    if let Container::Glb { json, bin, rest, .. } = &source.container {
        check_glb(&source.bytes, json, bin.as_ref(), rest, &mut diagnostics);
    }
    if text_owner.starts_with(&[0xEF, 0xBB, 0xBF]) {
        diagnostics.add(
            Severity::Error,
            "INVALID_JSON",
            "",
            "The file starts with a byte order mark",
        );
    }
    let companions: u64 =
        (0..source.buffers.len()).filter_map(|k| source.buffer(k)).map(|b| b.len() as u64).sum();
    let mut budget = (source.bytes.len() as u64).max(companions) * 12 + (48 << 20);
    for (k, _) in views.iter().enumerate().filter(|(_, v)| v.byte_stride == Some(json::Index(0))) {
        let message = "The byte stride is 0; the elements are read as tightly packed";
        diagnostics.add(Severity::Error, "VALUE_NOT_IN_RANGE", format!("bufferViews/{k}"), message);
    }
    let unpacked = meshopt::unpack(&source, &views, &mut budget, &mut diagnostics)?;
    let mut reader = Reader {
        accessors: Accessors::new(&source, long.accessors(&root)?, views, &unpacked, budget),
        diagnostics,
        root: &root,
        animations: long.animations(),
    };
    let (file, image_uris) = reader.asset(progress)?;
    let Reader { diagnostics, .. } = reader;
    source.image_uris = image_uris;
    progress.reach(1.0)?;
    Ok(Opened {
        source,
        document: file.into(),
        diagnostics: diagnostics.finish(),
        generator: asset.generator,
        extensions_used,
    })
}

fn names(root: &json::RawMap<'_>, name: &str) -> Result<Vec<String>, ReadError> {
    root.0
        .get(name)
        .map_or_else(|| Ok(Vec::new()), |raw| json::plain_typed(raw.get(), name, &mut false))
}

/// Extensions without which a file can still be shown, rightly or in part, and edited safely.
fn is_known(extension: &str) -> bool {
    const KNOWN: [&str; 15] = [
        "EXT_mesh_gpu_instancing",
        "EXT_meshopt_compression",
        "EXT_texture_avif",
        "EXT_texture_webp",
        "KHR_animation_pointer",
        "KHR_draco_mesh_compression",
        "KHR_lights_punctual",
        "KHR_mesh_quantization",
        "KHR_meshopt_compression",
        "KHR_node_visibility",
        "KHR_texture_basisu",
        "KHR_texture_transform",
        "KHR_xmp_json_ld",
        "MSFT_texture_dds",
        "KHR_audio",
    ];
    KNOWN.contains(&extension)
        || extension.starts_with("KHR_materials_")
        || extension.starts_with("VRM")
}

/// Refuses what is required and unknown, and packing that the file requires but nowhere uses: then
/// nobody can say what of the file it changes.
fn check_required(root: &json::RawMap<'_>, text: &str) -> Result<(), ReadError> {
    const PACKING: [&str; 3] =
        ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression"];
    for name in names(root, "extensionsRequired")? {
        if !is_known(&name) {
            return Err(ReadError::Extension { name, why: "" });
        }
        if PACKING.contains(&name.as_str()) && text.matches(&format!("\"{name}\"")).count() < 3 {
            return Err(ReadError::Extension {
                name,
                why: ", and no mesh of the file states where it is used",
            });
        }
    }
    Ok(())
}

fn check_glb(
    bytes: &[u8],
    json: &std::ops::Range<usize>,
    bin: Option<&std::ops::Range<usize>>,
    rest: &std::ops::Range<usize>,
    diagnostics: &mut Diagnostics,
) {
    // The length a chunk states stands eight bytes before its data; the data's range is rounded up
    // already.
    let odd = |r: &std::ops::Range<usize>| !bytes[r.start - 8].is_multiple_of(4);
    if odd(json) || bin.is_some_and(odd) {
        diagnostics.add(
            Severity::Error,
            "GLB_CHUNK_LENGTH_UNALIGNED",
            "",
            "A chunk's length is not a multiple of 4",
        );
    }
    if bytes[rest.clone()].get(4..8) == Some(b"BIN\0") {
        diagnostics.add(
            Severity::Error,
            "GLB_DUPLICATE_CHUNK",
            "",
            "The file has a second BIN chunk; it stays in the file, but is ignored",
        );
    } else if !rest.is_empty() {
        diagnostics.add(
            Severity::Info,
            "GLB_UNKNOWN_CHUNK_TYPE",
            "",
            format!(
                "The file has {} bytes after its known chunks; they stay in the file",
                rest.len()
            ),
        );
    }
}

struct Reader<'a> {
    accessors: Accessors<'a>,
    diagnostics: Diagnostics,
    root: &'a json::RawMap<'a>,
    /// Where they could be typed at once; they are not in `root` then.
    animations: Option<Vec<schema::Animation>>,
}

impl Reader<'_> {
    fn asset(&mut self, progress: &Progress) -> Result<(Asset, Vec<String>), ReadError> {
        let looks = material::Materials {
            materials: json::elements(self.root, "materials")?,
            textures: json::elements(self.root, "textures")?,
            samplers: json::elements(self.root, "samplers")?,
            images: json::elements(self.root, "images")?,
        };
        let materials = material::materials(&looks, &mut self.diagnostics)?;
        let (images, uris) = material::images(&looks, &mut self.accessors, &mut self.diagnostics);
        progress.reach(0.3)?;
        let extensions = scene_extras::root_extensions(self.root);
        let variants = scene_extras::variants(&extensions, &mut self.diagnostics);
        let cameras = scene_extras::cameras(self.root, &mut self.diagnostics)?;
        let lights = scene_extras::lights(&extensions, &mut self.diagnostics);
        let mut meshes = Vec::new();
        for (k, raw) in json::elements(self.root, "meshes")?.iter().enumerate() {
            meshes.push(Shared::new(mesh::read(
                raw.get(),
                k,
                (materials.len(), variants.len()),
                &mut self.accessors,
                &mut self.diagnostics,
            )?));
            progress.reach(0.5)?;
        }
        let raw_nodes = self.raw_nodes()?;
        let vrm = vrm::read(&extensions, raw_nodes.len(), &mut self.diagnostics).map(Shared::new);
        let mut asset = Asset {
            nodes: self.nodes(&raw_nodes, &meshes, (cameras.len(), lights.len()))?,
            meshes: meshes.into(),
            materials: materials.into(),
            variants,
            images: images.into(),
            cameras,
            lights,
            vrm,
            ..Asset::default()
        };
        self.scenes(&mut asset)?;
        self.skins(&mut asset)?;
        progress.reach(0.7)?;
        let animations = match self.animations.take() {
            Some(typed) => typed.into_iter().map(animation::Raw::Typed).collect(),
            None => json::elements(self.root, "animations")?
                .into_iter()
                .map(animation::Raw::Text)
                .collect::<Vec<_>>(),
        };
        let count = animations.len();
        let counts: Vec<usize> = asset.meshes.values().map(|m| m.target_count()).collect();
        let sound = |m: &Mat4| !is_odd(&Transform::decompose(m, &Transform::IDENTITY));
        let fixed: Vec<bool> =
            asset.nodes.values().map(|n| matches!(&n.rest, Local::Matrix(m) if sound(m))).collect();
        let mut targets = animation::Targets {
            nodes: &raw_nodes,
            fixed: &fixed,
            target_counts: &|m| counts.get(m.index()).copied().unwrap_or(0),
            moved: vec![[0; 4]; raw_nodes.len()],
        };
        for (k, raw) in animations.into_iter().enumerate() {
            let clip =
                animation::read(raw, k, &mut self.accessors, &mut targets, &mut self.diagnostics)?;
            asset.clips.give(Some(Shared::new(clip)));
            progress.reach(0.7 + 0.25 * (k + 1) as f32 / count as f32)?;
        }
        find_rest(&mut asset);
        for (k, raw) in raw_nodes.iter().enumerate() {
            if let Some(rest) = raw.extras.get::<Transform>(super::REST_EXTRA) {
                remembered_rest(&mut asset.nodes[NodeId::from(k)], &rest);
            }
        }
        Ok((asset, uris))
    }

    fn raw_nodes(&mut self) -> Result<Vec<schema::Node>, ReadError> {
        let mut nodes = Vec::new();
        for (k, raw) in json::elements(self.root, "nodes")?.iter().enumerate() {
            let place = format!("nodes/{k}");
            let mut repaired = false;
            nodes.push(json::typed(raw.get(), &place, &mut repaired)?);
            if repaired {
                let message = "Invalid JSON was repaired for display; the file is unchanged";
                self.diagnostics.add(Severity::Warning, "ULNA_JSON_REPAIRED", place, message);
            }
        }
        Ok(nodes)
    }

    /// `cameras` and `lights`: how many the file has.
    fn nodes(
        &mut self,
        raw: &[schema::Node],
        meshes: &[Shared<Mesh>],
        (cameras, lights): (usize, usize),
    ) -> Result<Nodes, ReadError> {
        let mut nodes: Vec<Node> = Vec::with_capacity(raw.len());
        let skins = json::elements(self.root, "skins")?.len();
        for (k, n) in raw.iter().enumerate() {
            let place = format!("nodes/{k}");
            if let Some(mesh) = n.mesh.filter(|m| m.0 >= meshes.len()) {
                return Err(ReadError::at(place, format!("mesh {} does not exist", mesh.0)));
            }
            if let Some(skin) = n.skin.filter(|s| s.0 >= skins) {
                return Err(ReadError::at(place, format!("skin {} does not exist", skin.0)));
            }
            if let (Some(_), Some(mesh)) = (n.skin, n.mesh)
                && meshes[mesh.0]
                    .primitives
                    .iter()
                    .all(|p| p.weights.is_none() && !p.positions.is_empty())
            {
                let message = "The node has a skin, but its mesh has no joints and weights; it is \
                    displayed unskinned";
                self.diagnostics.add(
                    Severity::Error,
                    "NODE_SKIN_WITH_NON_SKINNED_MESH",
                    &place,
                    message,
                );
            }
            let light = scene_extras::light_of(&n.extensions, &place, &mut self.diagnostics);
            for (index, count, what) in
                [(n.camera.map(|c| c.0), cameras, "camera"), (light, lights, "light")]
            {
                if let Some(past) = index.filter(|k| *k >= count) {
                    let message = format!("The node refers to {what} {past}, which does not exist");
                    self.diagnostics.add(Severity::Error, "UNRESOLVED_REFERENCE", &place, message);
                }
            }
            let instances = scene_extras::instances(
                &n.extensions,
                &place,
                &mut self.accessors,
                &mut self.diagnostics,
            )?;
            nodes.push(Node {
                name: n.name.as_deref().map(Into::into),
                parent: None,
                rank: 0,
                rest: self.local(n, &place),
                rest_source: RestSource::File,
                pose: None,
                mesh: n.mesh.map(|m| m.0.into()),
                skin: n.skin.map(|s| s.0.into()),
                instances: instances.filter(|_| n.mesh.is_some()),
                camera: n.camera.filter(|c| c.0 < cameras).map(|c| c.0.into()),
                light: light.filter(|l| *l < lights).map(Into::into),
                morph_weights: n
                    .weights
                    .as_ref()
                    .map(|w| w.iter().map(|v| if v.is_finite() { *v } else { 0.0 }).collect()),
                hidden: scene_extras::is_hidden(&n.extensions, &place, &mut self.diagnostics),
            });
        }
        for (k, n) in raw.iter().enumerate() {
            for (rank, child) in n.children.iter().enumerate() {
                let place = format!("nodes/{k}/children");
                let Some(node) = nodes.get_mut(child.0) else {
                    return Err(ReadError::at(place, format!("node {} does not exist", child.0)));
                };
                node.rank = u32::try_from(rank).unwrap_or(u32::MAX);
                if node.parent.replace(k.into()).is_some() {
                    return Err(ReadError::at(
                        place,
                        format!(
                            "node {} has two parents, or is listed twice by the same parent",
                            child.0
                        ),
                    ));
                }
            }
        }
        let nodes = Nodes::from(nodes);
        let mut reached = vec![false; nodes.len()];
        nodes.order().iter().for_each(|id| reached[id.index()] = true);
        match reached.iter().position(|r| !r) {
            Some(lost) => {
                Err(ReadError::at(format!("nodes/{lost}"), "the node is its own ancestor"))
            }
            None => Ok(nodes),
        }
    }

    /// The node's transform; numbers that are none become the specification's defaults.
    fn local(&mut self, n: &schema::Node, place: &str) -> Local {
        let mut odd = |code: &'static str, message: &str| {
            self.diagnostics.add(Severity::Error, code, place, message)
        };
        if let Some(m) = n.matrix.as_deref() {
            if n.translation.is_some() || n.rotation.is_some() || n.scale.is_some() {
                odd(
                    "NODE_MATRIX_TRS",
                    "The node has both a matrix and a translation, rotation or scale; the matrix \
                        is used",
                );
            }
            if m.iter().any(|v| !v.is_finite()) {
                odd(
                    "ACCESSOR_INVALID_FLOAT",
                    "The matrix has values that are not finite numbers; the node is displayed \
                        without it",
                );
                return Local::Trs(Transform::IDENTITY);
            }
            let mut matrix = Mat4::from_cols_array(m);
            if [m[3], m[7], m[11], m[15]] != [0.0, 0.0, 0.0, 1.0] {
                odd(
                    "NODE_MATRIX_NON_TRS",
                    "The last row of the matrix is not 0 0 0 1; it is treated as 0 0 0 1",
                );
                matrix.x_axis.w = 0.0;
                matrix.y_axis.w = 0.0;
                matrix.z_axis.w = 0.0;
                matrix.w_axis.w = 1.0;
                return Local::Trs(Transform::decompose(&matrix, &Transform::IDENTITY).transform);
            }
            if n.translation.is_some() || n.rotation.is_some() || n.scale.is_some() {
                return Local::Trs(Transform::decompose(&matrix, &Transform::IDENTITY).transform);
            }
            if is_odd(&Transform::decompose(&matrix, &Transform::IDENTITY)) {
                odd(
                    "NODE_MATRIX_NON_TRS",
                    "The matrix has shear or a scale of 0; it stays in the file, but an edit of \
                        this node would lose that",
                );
            }
            return Local::Matrix(matrix);
        }
        let mut finite = |values: Vec3, default: Vec3, what: &str| {
            if values.is_finite() {
                values
            } else {
                odd(
                    "ACCESSOR_INVALID_FLOAT",
                    &format!(
                        "The {what} has values that are not finite numbers; the default is used"
                    ),
                );
                default
            }
        };
        let translation =
            finite(n.translation.map_or(Vec3::ZERO, Into::into), Vec3::ZERO, "translation");
        let scale = finite(n.scale.map_or(Vec3::ONE, Into::into), Vec3::ONE, "scale");
        let rotation = n.rotation.map_or(Quat::IDENTITY, Quat::from_array);
        if !(rotation.is_finite() && (rotation.length() - 1.0).abs() <= 0.00769) {
            odd(
                "ROTATION_NON_UNIT",
                "The rotation is not a unit quaternion; it is normalized for display",
            );
        }
        let rotation =
            if rotation.is_finite() { unit_or(rotation, Quat::IDENTITY) } else { Quat::IDENTITY };
        Local::Trs(Transform { translation, rotation, scale })
    }

    fn scenes(&mut self, asset: &mut Asset) -> Result<(), ReadError> {
        let raw: Vec<schema::Scene> = json::list(self.root, "scenes")?;
        for (k, scene) in raw.iter().enumerate() {
            let place = format!("scenes/{k}");
            let mut roots = Vec::with_capacity(scene.nodes.len());
            for node in &scene.nodes {
                let id = NodeId::from(node.0);
                let Some(found) = asset.nodes.get(node.0.into()) else {
                    return Err(ReadError::at(place, format!("node {} does not exist", node.0)));
                };
                if found.parent.is_some() {
                    let message =
                        format!("Node {} is listed as a root node, but has a parent", node.0);
                    self.diagnostics.add(Severity::Error, "SCENE_NON_ROOT_NODE", &place, message);
                }
                roots.push(id);
            }
            let mut made =
                Scene { name: scene.name.as_deref().map(Into::into), roots, ..Scene::default() };
            pose_extras::read(
                &mut made,
                &asset.nodes,
                &scene.extras,
                &place,
                &mut self.diagnostics,
            );
            asset.scenes.give(Some(made));
        }
        let default: Option<json::Index> = match self.root.0.get("scene") {
            Some(raw) => json::plain_typed(raw.get(), "scene", &mut false)?,
            None => None,
        };
        let earlier = self
            .root
            .1
            .iter()
            .find(|(key, _)| key == "scene")
            .and_then(|(_, raw)| raw.get().parse::<usize>().ok());
        asset.scene = match default {
            // One key twice: the later one counts, unless it names nothing and the earlier one
            // does.
            Some(scene)
                if scene.0 >= asset.scenes.len()
                    && earlier.is_some_and(|s| s < asset.scenes.len()) =>
            {
                earlier.map(SceneId::from)
            }
            Some(scene) if scene.0 >= asset.scenes.len() => {
                return Err(ReadError::at("scene", format!("scene {} does not exist", scene.0)));
            }
            Some(scene) => Some(scene.0.into()),
            None if asset.scenes.is_empty() => None,
            None => Some(SceneId(0)),
        };
        Ok(())
    }

    fn skins(&mut self, asset: &mut Asset) -> Result<(), ReadError> {
        let raw: Vec<schema::Skin> = json::list(self.root, "skins")?;
        for (k, skin) in raw.iter().enumerate() {
            let place = format!("skins/{k}");
            if skin.joints.is_empty() {
                return Err(ReadError::at(place, "the skin has no joints"));
            }
            if let Some(past) =
                skin.joints.iter().chain(&skin.skeleton).find(|j| j.0 >= asset.nodes.len())
            {
                return Err(ReadError::at(place, format!("node {} does not exist", past.0)));
            }
            let joints: Shared<[NodeId]> = skin.joints.iter().map(|j| NodeId::from(j.0)).collect();
            let inverse_bind = match skin.inverse_bind_matrices {
                None => None,
                Some(accessor) => self.inverse_bind(accessor.0, joints.len(), &place)?,
            };
            self.check_skin(asset, skin, &joints, &place);
            asset.skins.give(Some(Shared::new(Skin {
                name: skin.name.as_deref().map(Into::into),
                has_inverse_bind: inverse_bind.is_some(),
                inverse_bind: inverse_bind
                    .unwrap_or_else(|| vec![Mat4::IDENTITY; joints.len()])
                    .into(),
                joints,
            })));
        }
        Ok(())
    }

    fn inverse_bind(
        &mut self,
        accessor: usize,
        joints: usize,
        place: &str,
    ) -> Result<Option<Vec<Mat4>>, ReadError> {
        let shape = match self.accessors.shape(accessor, place) {
            Err(error @ ReadError::Empty { .. }) => {
                let message = "There are no inverse bind matrices; identity matrices are used";
                self.diagnostics.add(
                    Severity::Error,
                    error.finding_code(),
                    error.place().unwrap_or_default(),
                    message,
                );
                return Ok(None);
            }
            shape => shape?,
        };
        if shape.width != 16 || shape.component != Component::F32 {
            return Err(ReadError::at(place, "its inverse bind matrices are not 4×4 floats"));
        }
        if shape.count < joints {
            return Err(ReadError::at(
                place,
                format!("there are {} inverse bind matrices for {joints} joints", shape.count),
            ));
        }
        let list = match self.accessors.floats(accessor, place) {
            Ok(list) => list,
            Err(Missing::Refused(error)) => return Err(error),
            Err(Missing::Packed(extension)) => {
                let message = format!(
                    "The inverse bind matrices are packed with {extension} and cannot be read; the \
                        mesh is deformed incorrectly"
                );
                self.diagnostics.add(Severity::Warning, "ULNA_PACKED", place, message);
                return Ok(None);
            }
        };
        let mut odd = 0;
        let matrices = list.as_chunks::<16>().0[..joints].iter().map(|m| {
            let affine = m.iter().all(|v| v.is_finite())
                && [m[3], m[7], m[11], m[15]] == [0.0, 0.0, 0.0, 1.0];
            let matrix = if m.iter().all(|v| v.is_finite()) {
                Mat4::from_cols_array(&[
                    m[0], m[1], m[2], 0.0, m[4], m[5], m[6], 0.0, m[8], m[9], m[10], 0.0, m[12],
                    m[13], m[14], 1.0,
                ])
            } else {
                Mat4::IDENTITY
            };
            odd += usize::from(!affine || matrix.determinant() == 0.0);
            matrix
        });
        let matrices = matrices.collect();
        if odd > 0 {
            let message =
                format!("{odd} inverse bind matrices are singular, not affine or not finite");
            self.diagnostics.add(Severity::Error, "ACCESSOR_INVALID_IBM", place, message);
        }
        Ok(Some(matrices))
    }

    fn check_skin(&mut self, asset: &Asset, skin: &schema::Skin, joints: &[NodeId], place: &str) {
        let mut sorted = joints.to_vec();
        sorted.sort_unstable();
        if sorted.windows(2).any(|w| w[0] == w[1]) {
            self.diagnostics.add(
                Severity::Error,
                "ARRAY_NOT_UNIQUE",
                place,
                "A node is listed twice among the joints",
            );
        }
        let root = |mut id: NodeId| {
            while let Some(parent) = asset.node(id).parent {
                id = parent;
            }
            id
        };
        let first = root(joints[0]);
        // The way up is walked once a joint; a chain of thousands would make that quadratic.
        if asset.nodes.len() < 5000 && joints.iter().any(|j| root(*j) != first) {
            let same_scene =
                asset.scenes.values().any(|s| joints.iter().all(|j| s.roots.contains(&root(*j))));
            let message = if same_scene {
                "The joints have no common root node"
            } else {
                "The joints are in different trees"
            };
            self.diagnostics.add(Severity::Error, "SKIN_NO_COMMON_ROOT", place, message);
        } else if !asset.scenes.is_empty()
            && !asset.scenes.values().any(|s| s.roots.contains(&first))
        {
            self.diagnostics.add(
                Severity::Error,
                "SKIN_NO_SCENE",
                place,
                "The joints are not part of any scene",
            );
        }
        if let Some(skeleton) = skin.skeleton
            && asset.nodes.len() < 5000
            && joints
                .iter()
                .any(|j| j.0 as usize != skeleton.0 && !asset.is_above(skeleton.0.into(), *j))
        {
            let message =
                format!("The skeleton root, node {}, is not an ancestor of all joints", skeleton.0);
            self.diagnostics.add(Severity::Error, "SKIN_SKELETON_INVALID", place, message);
        }
    }
}

/// Takes the rest that an earlier save left in the node's extras, where the skins give none.
fn remembered_rest(node: &mut Node, rest: &Transform) {
    let local = node.local();
    let pose = local.transform();
    if node.rest_source == RestSource::File
        && rest.is_finite()
        && let Ok(user) = rest.user_from(&pose)
    {
        node.rest =
            Local::Trs(Transform { rotation: unit_or(rest.rotation, Quat::IDENTITY), ..*rest });
        node.rest_source = RestSource::Extras;
        node.pose = Some(NodePose { user, local });
    }
}

/// Whether a matrix holds what a transform cannot: shear, or an axis squashed to nothing.
fn is_odd(split: &Decomposed) -> bool {
    split.residue > 1e-3 || split.transform.scale.abs().min_element() == 0.0
}
