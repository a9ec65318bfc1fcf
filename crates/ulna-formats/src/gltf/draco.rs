//! `KHR_draco_mesh_compression`: unpacks compressed primitives with the `draco-core` crate.

use draco_core::{DataType, DecodeLimits, DecoderBuffer, Mesh, MeshDecoder, PointIndex};
use indexmap::IndexMap;
use serde::Deserialize;

use super::{
    accessor::{Accessors, Component, Missing},
    json::Index,
    schema,
};
use ulna_model::Location;

/// Name of the extension.
pub const NAME: &str = "KHR_draco_mesh_compression";

/// Maximum number of unpacked bytes: a factor of the packed bytes, and a constant for small files.
/// Flat and regular shapes compress very well.
const MOST: (u64, u64) = (64, 16 << 20);

/// The Draco extension's object in a primitive.
#[derive(Deserialize)]
struct Packed {
    #[serde(rename = "bufferView")]
    view: Index,
    /// Draco attribute id by glTF attribute name.
    attributes: IndexMap<String, u32>,
}

/// Unpacks a primitive. Until the next call, its attributes replace the values of their accessors.
/// Returns the triangles; `None` if the primitive is not compressed.
///
/// # Errors
/// [`Missing::Packed`] if the data cannot be unpacked, with the reason in `why`. The file is
/// rejected if it needs too much memory.
pub fn unpack(
    raw: &schema::Primitive,
    place: &Location,
    accessors: &mut Accessors<'_>,
    why: &mut String,
) -> Result<Option<Vec<u32>>, Missing> {
    if !raw.extensions.has(NAME) {
        return Ok(None);
    }
    let mut fail = |message: &str| {
        *why = message.to_owned();
        Err(Missing::Packed(NAME))
    };
    let Some(packed) = raw.extensions.get::<Packed>(NAME) else {
        return fail("the extension is invalid");
    };
    let bytes = accessors.view(packed.view.0, place)?;
    let most = bytes.len() as u64 * MOST.0 + MOST.1;
    accessors.grant(packed.view.0, most);
    let limits = DecodeLimits::default()
        .with_max_decoded_bytes(most)
        .with_max_faces(most / 12)
        .with_max_points(most / 12);
    let mut mesh = Mesh::new();
    if let Err(error) =
        MeshDecoder::new().decode(&mut DecoderBuffer::new(bytes).with_limits(limits), &mut mesh)
    {
        return fail(&error.to_string());
    }
    let points = mesh.num_points();
    accessors.spend(mesh.num_faces() as u64 * 12, place)?;
    for (name, id) in &packed.attributes {
        let Some(index) = raw.attributes.get(name) else { continue };
        let shape = accessors.shape(index.0, place)?;
        let Some(attribute) = mesh.attribute_by_unique_id(*id) else {
            return fail(&format!("the packed data has no {name}"));
        };
        if shape.count != points || usize::from(attribute.num_components()) != shape.width {
            return fail(&format!("the size of its {name} differs from the accessor"));
        }
        let size = shape.component.size();
        accessors.spend((points * shape.width * size) as u64, place)?;
        let mut out = Vec::with_capacity(points * shape.width * size);
        if shape.component == Component::F32 {
            out.extend(
                attribute.read_f32s(points, shape.width).iter().flat_map(|v| v.to_le_bytes()),
            );
        } else if integers(attribute, points, shape.width, size, &mut out).is_none() {
            return fail(&format!(
                "its {name} is not stored as integers, although its accessor says so"
            ));
        }
        accessors.provide(index.0, out.into());
    }
    let indices: Vec<u32> = mesh.faces().iter().flatten().map(|p| p.0).collect();
    if indices.iter().any(|i| *i as usize >= points) {
        return fail("a triangle refers to a vertex that does not exist");
    }
    Ok(Some(indices))
}

/// Encodes the integers of an attribute in `size` bytes each, point by point. `None` if the
/// attribute is not of an integer type.
fn integers(
    attribute: &draco_core::PointAttribute,
    points: usize,
    width: usize,
    size: usize,
    out: &mut Vec<u8>,
) -> Option<()> {
    let stored = match attribute.data_type() {
        DataType::Int8 | DataType::Uint8 => 1,
        DataType::Int16 | DataType::Uint16 => 2,
        DataType::Int32 | DataType::Uint32 => 4,
        _ => return None,
    };
    let (data, stride) =
        (attribute.buffer().data(), usize::try_from(attribute.byte_stride()).ok()?);
    for point in 0..points {
        let value = attribute.mapped_index(PointIndex(u32::try_from(point).ok()?));
        let start = (value.0 as usize).checked_mul(stride)?;
        let bytes = data.get(start..start.checked_add(stored * width)?)?;
        for number in bytes.chunks_exact(stored) {
            // Little-endian bytes can be extended or truncated. The truncated bytes are 0 if the
            // accessor's type is correct.
            out.extend((0..size).map(|k| number.get(k).copied().unwrap_or(0)));
        }
    }
    Some(())
}
