//! The object of `EXT_meshopt_compression` and `KHR_meshopt_compression` in a buffer view.

use super::{json::Index, schema};

/// Names of the extensions that compress buffer views. The second is a superset of the first.
pub const EXTENSIONS: [&str; 2] = ["EXT_meshopt_compression", "KHR_meshopt_compression"];

/// The compression extension's object in a buffer view.
#[derive(Debug, serde::Deserialize)]
pub struct Packed {
    pub buffer: Index,
    #[serde(rename = "byteOffset")]
    pub byte_offset: Option<Index>,
    #[serde(rename = "byteLength")]
    pub byte_length: Index,
    #[serde(rename = "byteStride")]
    pub byte_stride: Index,
    pub count: Index,
    pub mode: String,
    pub filter: Option<String>,
}

/// Buffer and byte range of a view's compressed data. `None` if the view is not compressed.
pub fn packed_range(view: &schema::BufferView) -> Option<(usize, std::ops::Range<usize>)> {
    let packed: Packed = EXTENSIONS.into_iter().find_map(|e| view.extensions.get(e))?;
    let start = packed.byte_offset.map_or(0, |o| o.0);
    Some((packed.buffer.0, start..start.saturating_add(packed.byte_length.0)))
}
