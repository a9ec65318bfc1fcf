//! A file's objects as the rules see them, with the findings on each by itself.

use std::collections::{BTreeMap, HashSet};

use serde_json::{Map, Value};

use super::{
    Report,
    image::kind_of_image,
    members::{ANY, Members, NOT_NEGATIVE, POSITIVE, SHARE, whole},
};

/// Bytes of a component by its type; nothing for an unknown one.
pub const fn size_of_type(kind: usize) -> Option<usize> {
    match kind {
        5120 | 5121 => Some(1),
        5122 | 5123 => Some(2),
        5125 | 5126 => Some(4),
        _ => None,
    }
}

/// The least and the largest number of a whole type.
pub const fn bounds_of_type(kind: usize) -> (f64, f64) {
    match kind {
        5120 => (-128.0, 127.0),
        5121 => (0.0, 255.0),
        5122 => (-32768.0, 32767.0),
        5123 => (0.0, 65535.0),
        _ => (0.0, 4_294_967_295.0),
    }
}

/// Components of an element by its type.
pub fn width_of(kind: &str) -> Option<usize> {
    Some(match kind {
        "SCALAR" => 1,
        "VEC2" => 2,
        "VEC3" => 3,
        "VEC4" | "MAT2" => 4,
        "MAT3" => 9,
        "MAT4" => 16,
        _ => return None,
    })
}

/// Where something first came to be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Usage {
    Vertex,
    Index,
    Bind,
    Image,
    Times,
    Values,
    Other,
}

/// What of an accessor's elements is to be looked at, and where that is said.
#[derive(Clone, Debug)]
pub enum ElementRule {
    Normal(String),
    Tangent(String),
    Color(String),
    Times(String),
    Rotations(String, bool),
    Indices(String, Option<usize>),
    Bind(String),
}

#[derive(Debug, Default)]
pub struct SparsePart {
    pub view: Option<usize>,
    pub offset: Option<usize>,
    pub component: Option<usize>,
}

#[derive(Debug)]
pub struct Sparse {
    pub count: usize,
    pub indices: SparsePart,
    pub values: SparsePart,
}

#[derive(Debug)]
pub struct Accessor {
    pub at: String,
    pub view: Option<usize>,
    pub offset: Option<usize>,
    pub component: Option<usize>,
    pub count: Option<usize>,
    pub kind: Option<String>,
    pub normalized: bool,
    pub width: usize,
    pub min: Option<Vec<f64>>,
    pub max: Option<Vec<f64>>,
    pub sparse: Option<Sparse>,
    /// Bytes of an element, and from one to the next where they lie side by side.
    pub element: usize,
    pub tight: usize,
    pub usage: Option<Usage>,
    pub rules: Vec<ElementRule>,
}

impl Accessor {
    /// Its format as one value.
    pub fn format(&self) -> (&str, usize, bool) {
        (self.kind.as_deref().unwrap_or_default(), self.component.unwrap_or(0), self.normalized)
    }
}

#[derive(Debug)]
pub struct View {
    pub at: String,
    pub buffer: Option<usize>,
    pub offset: Option<usize>,
    pub length: Option<usize>,
    pub stride: Option<usize>,
    pub usage: Option<Usage>,
    pub vertex_users: HashSet<usize>,
}

#[derive(Debug, Default)]
pub struct Buffer {
    pub length: Option<usize>,
    /// It has data that no rule takes from it.
    pub readable: bool,
}

#[derive(Debug)]
pub struct Target {
    pub node: Option<usize>,
    pub path: Option<String>,
}

#[derive(Debug)]
pub struct Channel {
    pub sampler: Option<usize>,
    pub target: Option<Target>,
}

#[derive(Debug)]
pub struct Sampler {
    pub input: Option<usize>,
    pub output: Option<usize>,
    pub cubic: bool,
}

#[derive(Debug)]
pub struct Animation {
    pub at: String,
    pub channels: Option<Vec<Channel>>,
    pub samplers: Option<Vec<Sampler>>,
}

#[derive(Debug)]
pub struct Image {
    pub at: String,
    pub view: Option<usize>,
    pub mime: Option<String>,
    pub uri: Option<String>,
    pub has_extensions: bool,
}

/// How a material uses a texture.
#[derive(Debug)]
pub struct Use {
    pub at: String,
    pub index: Option<usize>,
    pub sets: Vec<usize>,
}

#[derive(Debug)]
pub struct Material {
    pub uses: Vec<Use>,
    pub normal: bool,
    pub tangent: bool,
}

/// Attributes by name, with their accessors where they are indices.
type Attributes = Vec<(String, Option<usize>)>;

#[derive(Debug, Default)]
pub struct Primitive {
    pub at: String,
    pub mode: Option<usize>,
    pub attributes: Attributes,
    pub targets: Option<Vec<Attributes>>,
    pub indices: Option<usize>,
    pub material: Option<usize>,
    /// Sets of joints that go with as many sets of weights.
    pub joints: usize,
    pub coordinates: usize,
    pub normal: bool,
    pub tangent: bool,
    pub vertices: Option<usize>,
}

#[derive(Debug)]
pub struct Mesh {
    pub primitives: Option<Vec<Primitive>>,
}

#[derive(Debug, Default)]
pub struct Node {
    pub at: String,
    pub matrix: Option<[f32; 16]>,
    pub translation: Option<Vec<f32>>,
    pub rotation: Option<Vec<f32>>,
    pub scale: Option<Vec<f32>>,
    pub camera: Option<usize>,
    pub children: Option<Vec<Option<usize>>>,
    pub mesh: Option<usize>,
    pub skin: Option<usize>,
    pub weights: Option<usize>,
    pub parent: Option<usize>,
    pub scenes: HashSet<usize>,
}

#[derive(Debug)]
pub struct Skin {
    pub at: String,
    pub bind: Option<usize>,
    pub skeleton: Option<usize>,
    pub joints: Option<Vec<Option<usize>>>,
    /// Nodes above all joints, the lowest first.
    pub roots: Vec<usize>,
}

#[derive(Debug)]
pub struct Texture {
    pub source: Option<usize>,
    pub sampler: Option<usize>,
}

/// All of a file.
#[derive(Debug, Default)]
pub struct File {
    pub used: Vec<String>,
    pub accessors: Vec<Option<Accessor>>,
    pub animations: Vec<Option<Animation>>,
    pub buffers: Vec<Option<Buffer>>,
    pub views: Vec<Option<View>>,
    pub cameras: usize,
    pub images: Vec<Option<Image>>,
    pub materials: Vec<Option<Material>>,
    pub meshes: Vec<Option<Mesh>>,
    pub nodes: Vec<Option<Node>>,
    pub samplers: usize,
    pub scenes: Vec<Option<Vec<Option<usize>>>>,
    pub scene: Option<usize>,
    pub skins: Vec<Option<Skin>>,
    pub textures: Vec<Option<Texture>>,
}

/// Extensions of materials that bind textures.
const TEXTURED: [&str; 8] = [
    "KHR_materials_anisotropy",
    "KHR_materials_clearcoat",
    "KHR_materials_iridescence",
    "KHR_materials_pbrSpecularGlossiness",
    "KHR_materials_sheen",
    "KHR_materials_specular",
    "KHR_materials_transmission",
    "KHR_materials_volume",
];

/// Reads the objects of a file's JSON; nothing where the asset says that it is none of ours.
pub fn read(root: &Map<String, Value>, out: &mut Report) -> Option<File> {
    let top = Members::new(root, String::new());
    if top.has("extensionsRequired") && !top.has("extensionsUsed") {
        out.error("UNSATISFIED_DEPENDENCY", "/extensionsRequired".into());
    }
    let used: Vec<String> =
        top.texts("extensionsUsed", out).into_iter().map(ToOwned::to_owned).collect();
    let required = top.texts("extensionsRequired", out);
    const QUANTIZED: &str = "KHR_mesh_quantization";
    if let Some(k) = used.iter().position(|u| u == QUANTIZED)
        && !required.contains(&QUANTIZED)
    {
        out.error("NON_REQUIRED_EXTENSION", format!("/extensionsUsed/{k}"));
    }
    for (k, name) in required.iter().enumerate() {
        if !used.iter().any(|u| u == name) {
            out.error("UNUSED_EXTENSION_REQUIRED", format!("/extensionsRequired/{k}"));
        }
    }
    asset(&top, out)?;
    let mut reader = Reader { used, out };
    let mut file = File {
        accessors: reader.each(&top, "accessors", Reader::accessor),
        animations: reader.each(&top, "animations", Reader::animation),
        buffers: reader.each(&top, "buffers", Reader::buffer),
        views: reader.each(&top, "bufferViews", Reader::view),
        cameras: reader.each(&top, "cameras", Reader::camera).len(),
        images: reader.each(&top, "images", Reader::image),
        materials: reader.each(&top, "materials", Reader::material),
        meshes: reader.each(&top, "meshes", Reader::mesh),
        nodes: reader.each(&top, "nodes", Reader::node),
        samplers: reader
            .each(&top, "samplers", |r, m| m.text("name", &[], false, r.out).map(drop))
            .len(),
        scenes: reader
            .each(&top, "scenes", |r, m| m.indices("nodes", false, r.out))
            .into_iter()
            .map(Option::flatten)
            .collect(),
        skins: reader.each(&top, "skins", Reader::skin),
        textures: reader.each(&top, "textures", |r, m| {
            m.extensions(&r.used, r.out);
            Texture {
                source: m.index("source", false, r.out),
                sampler: m.index("sampler", false, r.out),
            }
        }),
        ..File::default()
    };
    file.scene = top.index("scene", false, reader.out);
    top.extensions(&reader.used, reader.out);
    file.used = reader.used;
    Some(file)
}

fn asset(top: &Members<'_>, out: &mut Report) -> Option<()> {
    let asset = top.object("asset", true, out)?;
    let numbers = |text: &str| -> Option<(u64, u64)> {
        let (major, minor) = text.split_once('.')?;
        let digits = |t: &str| {
            (!t.is_empty() && t.bytes().all(|b| b.is_ascii_digit()))
                .then(|| t.parse().unwrap_or(u64::MAX))
        };
        Some((digits(major)?, digits(minor)?))
    };
    let mut version = |key: &str, required: bool| {
        let text = asset.text(key, &[], required, out)?;
        let found = numbers(text);
        if found.is_none() {
            out.error("PATTERN_MISMATCH", asset.place(key));
        }
        found
    };
    let (is, least) = (version("version", true), version("minVersion", false));
    if is.zip(least).is_some_and(|(is, least)| least > is) {
        out.error("ASSET_MIN_VERSION_GREATER_THAN_VERSION", "/asset/minVersion".into());
    }
    match is? {
        (2, minor) => {
            if minor > 0 {
                out.warning("UNKNOWN_ASSET_MINOR_VERSION", "/asset/version".into());
            }
            Some(())
        }
        _ => {
            out.error("UNKNOWN_ASSET_MAJOR_VERSION", "/asset/version".into());
            None
        }
    }
}

struct Reader<'o> {
    used: Vec<String>,
    out: &'o mut Report,
}

impl Reader<'_> {
    fn each<T>(
        &mut self,
        top: &Members<'_>,
        key: &str,
        read: impl Fn(&mut Self, &Members<'_>) -> T,
    ) -> Vec<Option<T>> {
        let Some(value) = top.map.get(key) else { return Vec::new() };
        let Some(list) = value.as_array() else {
            self.out.error("TYPE_MISMATCH", format!("/{key}"));
            return Vec::new();
        };
        if list.is_empty() {
            self.out.error("EMPTY_ENTITY", format!("/{key}"));
        }
        let one = |(k, value): (usize, &Value)| match value.as_object() {
            Some(map) => Some(read(self, &Members::new(map, format!("/{key}/{k}")))),
            None => {
                self.out.error("TYPE_MISMATCH", format!("/{key}/{k}"));
                None
            }
        };
        list.iter().enumerate().map(one).collect()
    }

    fn named(&mut self, m: &Members<'_>) {
        m.text("name", &[], false, self.out);
    }

    fn accessor(&mut self, m: &Members<'_>) -> Accessor {
        const ANY_COUNT: (i64, i64) = (0, i64::MAX);
        let out = &mut *self.out;
        let view = m.index("bufferView", false, out);
        let offset = if view.is_none() {
            if m.has("byteOffset") {
                out.error("UNSATISFIED_DEPENDENCY", m.place("byteOffset"));
            }
            Some(0)
        } else {
            m.count("byteOffset", ANY_COUNT, Some(0), false, out)
        };
        let component = m.one_of("componentType", &[5120, 5121, 5122, 5123, 5125, 5126], true, out);
        let count = m.count("count", (1, i64::MAX), None, true, out);
        const TYPES: [&str; 7] = ["SCALAR", "VEC2", "VEC3", "VEC4", "MAT2", "MAT3", "MAT4"];
        let kind = m.text("type", &TYPES, true, out);
        let normalized = m.flag("normalized", out);
        let width = kind.and_then(width_of).unwrap_or(0);
        let bound = |key: &str, out: &mut Report| {
            let component = component.filter(|_| width > 0)?;
            if component == 5126 {
                // Compared with single floats, as such.
                m.floats(key, Some(width), ANY, out)
                    .map(|l| l.into_iter().map(|v| f64::from(v as f32)).collect())
            } else {
                m.stored(key, width, bounds_of_type(component), out)
            }
        };
        let (min, max) = (bound("min", out), bound("max", out));
        let sparse = m.object("sparse", false, out).and_then(|s| {
            let count = s.count("count", (1, i64::MAX), None, true, out);
            let indices = s.object("indices", true, out).map(|i| SparsePart {
                view: i.index("bufferView", true, out),
                offset: i.count("byteOffset", ANY_COUNT, Some(0), false, out),
                component: i.one_of("componentType", &[5121, 5123, 5125], true, out),
            });
            let values = s.object("values", true, out).map(|v| SparsePart {
                view: v.index("bufferView", true, out),
                offset: v.count("byteOffset", ANY_COUNT, Some(0), false, out),
                component: None,
            });
            Some(Sparse { count: count?, indices: indices?, values: values? })
        });
        if normalized && matches!(component, Some(5125 | 5126)) {
            out.error("ACCESSOR_NORMALIZED_INVALID", m.place("normalized"));
        }
        let matrix = kind.is_some_and(|k| k.starts_with("MAT"));
        if matrix && offset.is_some_and(|o| o % 4 != 0) {
            out.error("ACCESSOR_MATRIX_ALIGNMENT", m.place("byteOffset"));
        }
        self.named(m);
        m.extensions(&self.used, self.out);
        // Columns of small matrices begin at multiples of four.
        let (element, tight) = match (component.and_then(size_of_type), kind) {
            (Some(1), Some("MAT2")) => (6, 8),
            (Some(1), Some("MAT3")) => (11, 12),
            (Some(2), Some("MAT3")) => (22, 24),
            (size, _) => (size.unwrap_or(4) * width, size.unwrap_or(4) * width),
        };
        Accessor {
            at: m.at.clone(),
            view,
            offset,
            component,
            count,
            kind: kind.map(ToOwned::to_owned),
            normalized,
            width,
            min,
            max,
            sparse,
            element,
            tight,
            usage: None,
            rules: Vec::new(),
        }
    }

    fn animation(&mut self, m: &Members<'_>) -> Animation {
        let mut paths = vec!["translation", "rotation", "scale", "weights"];
        if self.used.iter().any(|u| u == "KHR_animation_pointer") {
            paths.push("pointer");
        }
        let channels = m.objects("channels", self.out).map(|list| {
            let channel = |c: &Members<'_>| {
                let sampler = c.index("sampler", true, self.out);
                let target = c.object("target", true, self.out).map(|t| {
                    t.extensions(&self.used, self.out);
                    let node = t.index("node", false, self.out);
                    Target {
                        node,
                        path: t.text("path", &paths, true, self.out).map(ToOwned::to_owned),
                    }
                });
                Channel { sampler, target }
            };
            list.iter().map(channel).collect()
        });
        let samplers = m.objects("samplers", self.out).map(|list| {
            let sampler = |s: &Members<'_>| {
                let input = s.index("input", true, self.out);
                let word =
                    s.text("interpolation", &["LINEAR", "STEP", "CUBICSPLINE"], false, self.out);
                Sampler {
                    input,
                    output: s.index("output", true, self.out),
                    cubic: word == Some("CUBICSPLINE"),
                }
            };
            list.iter().map(sampler).collect()
        });
        self.named(m);
        Animation { at: m.at.clone(), channels, samplers }
    }

    /// Says where a URI goes by itself, so that the files cannot be moved together.
    fn relative(&mut self, m: &Members<'_>, uri: &str) {
        let scheme = uri
            .split_once(':')
            .is_some_and(|(s, _)| s.starts_with(|c: char| c.is_ascii_alphabetic()));
        if scheme || uri.starts_with('/') {
            self.out.warning("NON_RELATIVE_URI", m.place("uri"));
        }
    }

    fn buffer(&mut self, m: &Members<'_>) -> Buffer {
        let length = m.count("byteLength", (1, i64::MAX), None, true, self.out);
        let mut readable = true;
        if let Some(uri) = m.text("uri", &[], false, self.out) {
            match media_type(uri) {
                Some(Some(mime)) => {
                    let mime = mime.to_ascii_lowercase();
                    if !matches!(
                        mime.as_str(),
                        "application/octet-stream" | "application/gltf-buffer"
                    ) {
                        self.out.error("BUFFER_DATA_URI_MIME_TYPE_INVALID", m.place("uri"));
                        readable = false;
                    }
                }
                Some(None) => {
                    self.out.error("INVALID_URI", m.place("uri"));
                    readable = false;
                }
                None => {
                    self.relative(m, uri);
                    if uri.starts_with(':') {
                        self.out.error("INVALID_URI", m.place("uri"));
                        readable = false;
                    }
                }
            }
        }
        self.named(m);
        m.extensions(&self.used, self.out);
        Buffer { length, readable }
    }

    fn view(&mut self, m: &Members<'_>) -> View {
        let out = &mut *self.out;
        let length = m.count("byteLength", (1, i64::MAX), None, true, out);
        let stride = m.count("byteStride", (4, 252), None, false, out);
        let target = m.one_of("target", &[34962, 34963], false, out);
        if let Some(stride) = stride {
            if length.is_some_and(|l| stride > l) {
                out.error("BUFFER_VIEW_TOO_BIG_BYTE_STRIDE", m.place("byteStride"));
            }
            if stride % 4 != 0 {
                out.error("VALUE_MULTIPLE_OF", m.place("byteStride"));
            }
            if target == Some(34963) {
                out.error("BUFFER_VIEW_INVALID_BYTE_STRIDE", m.place("byteStride"));
            }
        }
        let buffer = m.index("buffer", true, out);
        let offset = m.count("byteOffset", (0, i64::MAX), Some(0), false, out);
        self.named(m);
        m.extensions(&self.used, self.out);
        let usage = match target {
            Some(34962) => Some(Usage::Vertex),
            Some(_) => Some(Usage::Index),
            None => None,
        };
        View {
            at: m.at.clone(),
            buffer,
            offset,
            length,
            stride,
            usage,
            vertex_users: HashSet::new(),
        }
    }

    fn camera(&mut self, m: &Members<'_>) {
        if m.has("orthographic") && m.has("perspective") {
            self.out.error("ONE_OF_MISMATCH", m.at.clone());
        }
        let out = &mut *self.out;
        match m.text("type", &["orthographic", "perspective"], true, out) {
            Some("orthographic") => {
                if let Some(o) = m.object("orthographic", true, out) {
                    for key in ["xmag", "ymag"] {
                        if o.number(key, ANY, true, out) == Some(0.0) {
                            out.error("CAMERA_XMAG_YMAG_ZERO", o.place(key));
                        }
                    }
                    let (far, near) = (
                        o.number("zfar", POSITIVE, true, out),
                        o.number("znear", NOT_NEGATIVE, true, out),
                    );
                    if far.zip(near).is_some_and(|(far, near)| far <= near) {
                        out.error("CAMERA_ZFAR_LEQUAL_ZNEAR", o.at.clone());
                    }
                }
            }
            Some("perspective") => {
                if let Some(o) = m.object("perspective", true, out) {
                    o.number("yfov", POSITIVE, true, out);
                    let (far, near) = (
                        o.number("zfar", POSITIVE, false, out),
                        o.number("znear", POSITIVE, true, out),
                    );
                    if far.zip(near).is_some_and(|(far, near)| far <= near) {
                        out.error("CAMERA_ZFAR_LEQUAL_ZNEAR", o.at.clone());
                    }
                    o.number("aspectRatio", POSITIVE, false, out);
                }
            }
            _ => {}
        }
        self.named(m);
    }

    fn image(&mut self, m: &Members<'_>) -> Image {
        let webp = self.used.iter().any(|u| u == "EXT_texture_webp");
        let kinds: &[&str] = if webp {
            &["image/jpeg", "image/png", "image/webp"]
        } else {
            &["image/jpeg", "image/png"]
        };
        let view = m.index("bufferView", false, self.out);
        let mime = m.text("mimeType", kinds, false, self.out);
        let uri = m.text("uri", &[], false, self.out);
        if view.is_some() && mime.is_none() {
            self.out.error("UNSATISFIED_DEPENDENCY", m.place("bufferView"));
        }
        if view.is_some() == uri.is_some() {
            self.out.error("ONE_OF_MISMATCH", m.at.clone());
        }
        let has_extensions = m.extensions(&self.used, self.out).is_some_and(|e| !e.is_empty());
        let mut kept = uri.map(ToOwned::to_owned);
        if let Some(uri) = uri {
            let sound = match media_type(uri) {
                Some(Some(mime)) => {
                    super::super::source::data_uri(uri).and_then(Result::ok).is_some_and(|bytes| {
                        kind_of_image(&bytes) == Some(mime.to_ascii_lowercase().as_str())
                    })
                }
                Some(None) => false,
                None => !uri.starts_with(':'),
            };
            if !sound {
                self.out.error("INVALID_URI", m.place("uri"));
                kept = None;
            } else if media_type(uri).is_none() {
                self.relative(m, uri);
            }
        }
        self.named(m);
        Image {
            at: m.at.clone(),
            view,
            mime: mime.map(ToOwned::to_owned),
            uri: kept,
            has_extensions,
        }
    }

    fn texture_use(&mut self, m: &Members<'_>, key: &str, extra: &str) -> Option<Use> {
        let o = m.object(key, false, self.out)?;
        let extensions = o.extensions(&self.used, self.out);
        let index = o.index("index", true, self.out);
        let mut sets: Vec<usize> =
            o.count("texCoord", (0, i64::MAX), Some(0), false, self.out).into_iter().collect();
        match extra {
            "strength" => drop(o.number("strength", SHARE, false, self.out)),
            "scale" => drop(o.number("scale", ANY, false, self.out)),
            _ => {}
        }
        if let Some(Value::Object(transform)) =
            extensions.and_then(|e| e.get("KHR_texture_transform"))
        {
            let t = Members::new(transform, o.place("extensions/KHR_texture_transform"));
            sets.extend(t.count("texCoord", (0, i64::MAX), None, false, self.out));
        }
        Some(Use { at: o.at, index, sets })
    }

    fn material(&mut self, m: &Members<'_>) -> Material {
        let mut uses = Vec::new();
        if let Some(pbr) = m.object("pbrMetallicRoughness", false, self.out) {
            pbr.floats("baseColorFactor", Some(4), SHARE, self.out);
            pbr.number("metallicFactor", SHARE, false, self.out);
            pbr.number("roughnessFactor", SHARE, false, self.out);
            uses.extend(self.texture_use(&pbr, "baseColorTexture", ""));
            uses.extend(self.texture_use(&pbr, "metallicRoughnessTexture", ""));
        }
        let normal = self.texture_use(m, "normalTexture", "scale");
        let has_normal = normal.is_some();
        uses.extend(normal);
        uses.extend(self.texture_use(m, "occlusionTexture", "strength"));
        uses.extend(self.texture_use(m, "emissiveTexture", ""));
        m.floats("emissiveFactor", Some(3), SHARE, self.out);
        let mode = m.text("alphaMode", &["OPAQUE", "MASK", "BLEND"], false, self.out);
        m.number("alphaCutoff", NOT_NEGATIVE, false, self.out);
        if mode != Some("MASK") && m.has("alphaCutoff") {
            self.out.warning("MATERIAL_ALPHA_CUTOFF_INVALID_MODE", m.place("alphaCutoff"));
        }
        m.flag("doubleSided", self.out);
        self.named(m);
        let mut tangent = has_normal;
        for (name, value) in m.extensions(&self.used, self.out).into_iter().flatten() {
            let Some(map) = value.as_object().filter(|_| TEXTURED.contains(&name.as_str())) else {
                continue;
            };
            let inner = Members::new(map, format!("{}/extensions/{name}", m.at));
            for key in map.keys().filter(|k| k.ends_with("Texture") && map[*k].is_object()) {
                uses.extend(self.texture_use(&inner, key, ""));
                tangent |= key == "clearcoatNormalTexture";
            }
        }
        Material { uses, normal: has_normal, tangent }
    }

    fn mesh(&mut self, m: &Members<'_>) -> Mesh {
        let weights = m.floats("weights", None, ANY, self.out);
        let primitives = m.objects("primitives", self.out).map(|list| {
            let mut first = None;
            let mut all = Vec::with_capacity(list.len());
            for p in &list {
                let primitive = self.primitive(p);
                let count = primitive.targets.as_ref().map_or(0, Vec::len);
                if *first.get_or_insert(count) != count {
                    let place = if count > 0 { p.place("targets") } else { p.at.clone() };
                    self.out.error("MESH_PRIMITIVES_UNEQUAL_TARGETS_COUNT", place);
                }
                all.push(primitive);
            }
            if weights.as_ref().is_some_and(|w| Some(w.len()) != first) {
                self.out.error("MESH_INVALID_WEIGHTS_COUNT", m.place("weights"));
            }
            all
        });
        self.named(m);
        m.extensions(&self.used, self.out);
        Mesh { primitives }
    }

    fn primitive(&mut self, m: &Members<'_>) -> Primitive {
        let mut made = Primitive {
            at: m.at.clone(),
            mode: m.count("mode", (0, 6), Some(4), false, self.out),
            ..Primitive::default()
        };
        if let Some(attributes) = m.object("attributes", true, self.out) {
            self.attributes(&attributes, &mut made);
        }
        made.targets = self.targets(m);
        made.indices = m.index("indices", false, self.out);
        made.material = m.index("material", false, self.out);
        m.extensions(&self.used, self.out);
        made
    }

    fn attributes(&mut self, m: &Members<'_>, made: &mut Primitive) {
        if m.map.is_empty() {
            self.out.error("EMPTY_ENTITY", m.at.clone());
        }
        let mut counts: BTreeMap<&str, (usize, usize)> =
            ["COLOR", "JOINTS", "TEXCOORD", "WEIGHTS"].into_iter().map(|k| (k, (0, 0))).collect();
        if !m.has("POSITION") {
            self.out.warning("MESH_PRIMITIVE_NO_POSITION", m.at.clone());
        }
        if m.has("TANGENT") && !m.has("NORMAL") {
            self.out.warning("MESH_PRIMITIVE_TANGENT_WITHOUT_NORMAL", m.place("TANGENT"));
        }
        for (key, value) in m.map {
            match key.as_str() {
                "NORMAL" => made.normal = true,
                "TANGENT" => made.tangent = true,
                "POSITION" => {}
                key if key.starts_with('_') => {}
                key => {
                    let set = key
                        .split_once('_')
                        .and_then(|(kind, n)| Some((counts.get_mut(kind)?, set_number(n)?)));
                    match set {
                        Some((count, n)) => *count = (count.0 + 1, count.1.max(n + 1)),
                        None => self.out.error("MESH_PRIMITIVE_INVALID_ATTRIBUTE", m.place(key)),
                    }
                }
            }
            let index = whole(value).and_then(|v| usize::try_from(v).ok());
            if index.is_none() {
                self.out.error("INVALID_INDEX", m.place(key));
            }
            made.attributes.push((key.clone(), index));
        }
        for count in counts.values_mut() {
            if count.0 != count.1 {
                self.out.error("MESH_PRIMITIVE_INDEXED_SEMANTIC_CONTINUITY", m.at.clone());
                *count = (0, 0);
            }
        }
        made.coordinates = counts["TEXCOORD"].0;
        if counts["JOINTS"].0 == counts["WEIGHTS"].0 {
            made.joints = counts["JOINTS"].0;
        } else {
            self.out.error("MESH_PRIMITIVE_JOINTS_WEIGHTS_MISMATCH", m.at.clone());
        }
    }

    fn targets(&mut self, m: &Members<'_>) -> Option<Vec<Attributes>> {
        let value = m.map.get("targets")?;
        let Some(list) = value.as_array() else {
            self.out.error("TYPE_MISMATCH", m.place("targets"));
            return None;
        };
        if list.is_empty() {
            self.out.error("EMPTY_ENTITY", m.place("targets"));
            return None;
        }
        let mut sound = true;
        let mut all = Vec::with_capacity(list.len());
        for (k, target) in list.iter().enumerate() {
            let place = format!("{}/{k}", m.place("targets"));
            let Some(map) = target.as_object() else {
                self.out.error("ARRAY_TYPE_MISMATCH", m.place("targets"));
                sound = false;
                continue;
            };
            if map.is_empty() {
                self.out.error("EMPTY_ENTITY", place);
                sound = false;
                continue;
            }
            let mut made = Vec::with_capacity(map.len());
            for (key, value) in map {
                let known = key.starts_with('_')
                    || matches!(key.as_str(), "POSITION" | "NORMAL" | "TANGENT")
                    || key.split_once('_').is_some_and(|(kind, n)| {
                        matches!(kind, "COLOR" | "TEXCOORD") && set_number(n).is_some()
                    });
                if !known {
                    self.out.error("MESH_PRIMITIVE_INVALID_ATTRIBUTE", format!("{place}/{key}"));
                }
                let index = whole(value).and_then(|v| usize::try_from(v).ok());
                if index.is_none() {
                    self.out.error("INVALID_INDEX", format!("{place}/{key}"));
                }
                made.push((key.clone(), index));
            }
            all.push(made);
        }
        sound.then_some(all)
    }

    fn node(&mut self, m: &Members<'_>) -> Node {
        let out = &mut *self.out;
        let single = |list: Option<Vec<f64>>| {
            list.map(|l| l.into_iter().map(|v| v as f32).collect::<Vec<f32>>())
        };
        let matrix = single(m.floats("matrix", Some(16), ANY, out))
            .and_then(|l| <[f32; 16]>::try_from(l).ok());
        let translation = single(m.floats("translation", Some(3), ANY, out));
        let unit = super::members::Range { low: -1.0, high: 1.0, ..ANY };
        let rotation = single(m.floats("rotation", Some(4), unit, out));
        if let Some(r) = &rotation {
            let length = r.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>().sqrt();
            if (1.0 - length).abs() > super::data::ROTATION {
                out.error("ROTATION_NON_UNIT", m.place("rotation"));
            }
        }
        let scale = single(m.floats("scale", Some(3), ANY, out));
        let (camera, children) = (m.index("camera", false, out), m.indices("children", false, out));
        let (mesh, skin) = (m.index("mesh", false, out), m.index("skin", false, out));
        let weights = m.floats("weights", None, ANY, out).map(|w| w.len());
        if mesh.is_none() {
            for (key, there) in [("skin", skin.is_some()), ("weights", weights.is_some())] {
                if there {
                    out.error("UNSATISFIED_DEPENDENCY", m.place(key));
                }
            }
        }
        if let Some(matrix) = &matrix {
            if translation.is_some() || rotation.is_some() || scale.is_some() {
                out.error("NODE_MATRIX_TRS", m.place("matrix"));
            }
            if *matrix != glam::Mat4::IDENTITY.to_cols_array() && !super::matrix::is_trs(matrix) {
                out.error("NODE_MATRIX_NON_TRS", m.place("matrix"));
            }
        }
        self.named(m);
        m.extensions(&self.used, self.out);
        Node {
            at: m.at.clone(),
            matrix,
            translation,
            rotation,
            scale,
            camera,
            children,
            mesh,
            skin,
            weights,
            parent: None,
            scenes: HashSet::new(),
        }
    }

    fn skin(&mut self, m: &Members<'_>) -> Skin {
        let bind = m.index("inverseBindMatrices", false, self.out);
        let skeleton = m.index("skeleton", false, self.out);
        let joints = m.indices("joints", true, self.out);
        self.named(m);
        Skin { at: m.at.clone(), bind, skeleton, joints, roots: Vec::new() }
    }
}

/// The number of a set: digits without a leading zero.
fn set_number(text: &str) -> Option<usize> {
    let plain = !text.is_empty()
        && text.bytes().all(|b| b.is_ascii_digit())
        && (text.len() == 1 || !text.starts_with('0'));
    if plain { text.parse().ok() } else { None }
}

/// The media type of a `data:` URI; `Some(None)` for one that does not parse, `None` for any other
/// URI.
fn media_type(uri: &str) -> Option<Option<&str>> {
    let rest = uri.get(..5).filter(|s| s.eq_ignore_ascii_case("data:")).map(|_| &uri[5..])?;
    let Some((head, _)) = rest.split_once(',') else { return Some(None) };
    let mime = head.split(';').next().unwrap_or_default();
    let parameters = head.strip_suffix(";base64").unwrap_or(head).split(';').skip(1);
    let sound = (mime.is_empty() || mime.matches('/').count() == 1)
        && parameters.into_iter().all(|p| p.contains('='))
        && super::super::source::data_uri(uri).is_some_and(|bytes| bytes.is_ok());
    Some(sound.then_some(if mime.is_empty() { "text/plain" } else { mime }))
}
