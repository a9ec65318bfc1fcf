//! Minimal Rust types for the parts of glTF that Ulna edits. All other members are preserved as
//! source text.

use std::borrow::Cow;

use indexmap::IndexMap;
use serde::{Deserialize, Deserializer, de::Visitor};

use super::json::{Extensions, Index, fixed, object, objects, some_object};

/// The `asset` object.
#[derive(Debug, Deserialize)]
pub struct Asset {
    /// glTF version, such as `2.0`.
    pub version: String,
    /// Minimum glTF version that a reader must support.
    #[serde(rename = "minVersion")]
    pub min_version: Option<String>,
    /// Name of the program that wrote the file.
    pub generator: Option<String>,
}

/// Element of `scenes[]`.
#[derive(Debug, Deserialize)]
pub struct Scene {
    pub name: Option<String>,
    #[serde(default)]
    pub extras: Extensions,
    #[serde(default)]
    pub nodes: Vec<Index>,
}

/// Element of `nodes[]`.
#[derive(Debug, Deserialize)]
pub struct Node {
    pub name: Option<String>,
    #[serde(default)]
    pub children: Vec<Index>,
    #[serde(default, deserialize_with = "boxed_matrix")]
    pub matrix: Option<Box<[f32; 16]>>,
    #[serde(default, deserialize_with = "fixed")]
    pub translation: Option<[f32; 3]>,
    #[serde(default, deserialize_with = "fixed")]
    pub rotation: Option<[f32; 4]>,
    #[serde(default, deserialize_with = "fixed")]
    pub scale: Option<[f32; 3]>,
    pub mesh: Option<Index>,
    pub skin: Option<Index>,
    pub camera: Option<Index>,
    pub weights: Option<Vec<f32>>,
    #[serde(default)]
    pub extensions: Extensions,
    #[serde(default)]
    pub extras: Extensions,
}

/// Element of `meshes[]`.
#[derive(Debug, Deserialize)]
pub struct Mesh {
    pub name: Option<String>,
    #[serde(deserialize_with = "objects")]
    pub primitives: Vec<Primitive>,
    #[serde(default)]
    pub weights: Vec<f32>,
    #[serde(default)]
    pub extras: Extensions,
}

/// Element of `meshes[].primitives[]`.
#[derive(Debug, Deserialize)]
pub struct Primitive {
    pub attributes: IndexMap<String, Index>,
    pub indices: Option<Index>,
    pub material: Option<Index>,
    pub mode: Option<Index>,
    #[serde(default)]
    pub targets: Vec<IndexMap<String, Index>>,
    #[serde(default)]
    pub extensions: Extensions,
}

/// Element of `skins[]`.
#[derive(Debug, Deserialize)]
pub struct Skin {
    pub name: Option<String>,
    pub joints: Vec<Index>,
    #[serde(rename = "inverseBindMatrices")]
    pub inverse_bind_matrices: Option<Index>,
    pub skeleton: Option<Index>,
}

/// Element of `animations[]`.
#[derive(Debug, Deserialize)]
pub struct Animation {
    pub name: Option<String>,
    #[serde(default, deserialize_with = "objects")]
    pub channels: Vec<Channel>,
    #[serde(default, deserialize_with = "objects")]
    pub samplers: Vec<Sampler>,
    #[serde(default)]
    pub extras: Extensions,
}

/// Element of `animations[].channels[]`.
#[derive(Debug, Deserialize)]
pub struct Channel {
    pub sampler: Index,
    #[serde(deserialize_with = "object")]
    pub target: ChannelTarget,
}

/// Object `animations[].channels[].target`.
#[derive(Debug, Deserialize)]
pub struct ChannelTarget {
    pub node: Option<Index>,
    #[serde(deserialize_with = "word")]
    pub path: Word,
    #[serde(default)]
    pub extensions: Extensions,
}

/// Element of `animations[].samplers[]`.
#[derive(Debug, Deserialize)]
pub struct Sampler {
    pub input: Index,
    pub output: Index,
    #[serde(default, deserialize_with = "some_word")]
    pub interpolation: Option<Word>,
}

/// Element of `accessors[]`.
#[derive(Debug, Deserialize)]
pub struct Accessor {
    #[serde(rename = "bufferView")]
    pub buffer_view: Option<Index>,
    #[serde(default, rename = "byteOffset")]
    pub byte_offset: Option<Index>,
    #[serde(rename = "componentType")]
    pub component_type: Index,
    #[serde(default)]
    pub normalized: bool,
    pub count: Index,
    #[serde(rename = "type", deserialize_with = "word")]
    pub kind: Word,
    pub min: Option<Vec<f64>>,
    pub max: Option<Vec<f64>>,
    #[serde(default, deserialize_with = "some_object")]
    pub sparse: Option<Sparse>,
}

/// Object `accessors[].sparse`.
#[derive(Debug, Deserialize)]
pub struct Sparse {
    pub count: Index,
    #[serde(deserialize_with = "object")]
    pub indices: SparsePart,
    #[serde(deserialize_with = "object")]
    pub values: SparsePart,
}

/// Objects `accessors[].sparse.indices` and `accessors[].sparse.values`.
#[derive(Debug, Deserialize)]
pub struct SparsePart {
    #[serde(rename = "bufferView")]
    pub buffer_view: Index,
    #[serde(default, rename = "byteOffset")]
    pub byte_offset: Option<Index>,
    #[serde(rename = "componentType")]
    pub component_type: Option<Index>,
}

/// Element of `bufferViews[]`.
#[derive(Debug, Deserialize)]
pub struct BufferView {
    pub buffer: Index,
    #[serde(rename = "byteOffset")]
    pub byte_offset: Option<Index>,
    #[serde(rename = "byteLength")]
    pub byte_length: Index,
    #[serde(rename = "byteStride")]
    pub byte_stride: Option<Index>,
    #[serde(default)]
    pub extensions: Extensions,
}

/// Element of `buffers[]`.
#[derive(Debug, Deserialize)]
pub struct Buffer {
    pub uri: Option<String>,
    #[serde(rename = "byteLength")]
    pub byte_length: Index,
    #[serde(default)]
    pub extensions: Extensions,
}

/// Parses an optional matrix. It is boxed, because most nodes have none.
fn boxed_matrix<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Box<[f32; 16]>>, D::Error> {
    Ok(fixed(deserializer)?.map(Box::new))
}

/// A keyword. Keywords of the specification are stored without allocation.
pub type Word = Cow<'static, str>;

fn word<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Word, D::Error> {
    const KNOWN: [&str; 14] = [
        "SCALAR",
        "VEC2",
        "VEC3",
        "VEC4",
        "MAT2",
        "MAT3",
        "MAT4",
        "LINEAR",
        "STEP",
        "CUBICSPLINE",
        "translation",
        "rotation",
        "scale",
        "weights",
    ];
    struct Words;
    impl Visitor<'_> for Words {
        type Value = Word;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a string")
        }

        fn visit_str<E: serde::de::Error>(self, v: &str) -> Result<Word, E> {
            Ok(KNOWN
                .iter()
                .find(|known| **known == v)
                .map_or_else(|| Cow::Owned(v.to_owned()), |known| Cow::Borrowed(*known)))
        }
    }
    deserializer.deserialize_str(Words)
}

fn some_word<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Word>, D::Error> {
    #[derive(Deserialize)]
    struct Wrapped(#[serde(deserialize_with = "word")] Word);
    Ok(Option::<Wrapped>::deserialize(deserializer)?.map(|w| w.0))
}
