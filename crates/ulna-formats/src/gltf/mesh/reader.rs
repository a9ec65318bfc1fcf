//! Reads the attributes of a primitive, with findings about them.

use bytemuck::AnyBitPattern;
use glam::{Vec2, Vec3, Vec4};

use super::{
    super::{
        ReadError,
        accessor::{Accessors, Missing},
        schema,
    },
    count::count_in,
};
use ulna_model::{Diagnostics, Location, Severity, Slice};

/// Reader for the attributes of one primitive.
pub(super) struct PrimitiveReader<'r, 'a> {
    pub(super) raw: &'r schema::Primitive,
    pub(super) place: Location,
    pub(super) accessors: &'r mut Accessors<'a>,
    pub(super) diagnostics: &'r mut Diagnostics,
    /// Triangle indices from compressed data, if the primitive is compressed.
    pub(super) triangles: Option<Vec<u32>>,
}

/// Whether an error concerns only this data. False for an exceeded memory budget and for a
/// cancellation.
pub(super) const fn is_local(error: &ReadError) -> bool {
    matches!(error, ReadError::Place { .. } | ReadError::Empty { .. })
}

impl PrimitiveReader<'_, '_> {
    /// Reads an optional vertex attribute. A faulty attribute stays in the file, but is not
    /// displayed.
    pub(super) fn optional<T: AnyBitPattern>(
        &mut self,
        name: &str,
        count: usize,
        read: impl Fn(&mut Self, usize) -> Result<Slice<T>, Missing>,
    ) -> Result<Slice<T>, Missing> {
        let Some(index) = self.raw.attributes.get(name) else { return Ok(Slice::default()) };
        let (code, place, message) = match read(self, index.0) {
            Ok(list) if list.len() == count => return Ok(list),
            Ok(list) => {
                let message = format!(
                    "{name} has {} elements, but POSITION has {count}; it stays in the file, but \
                        is not displayed",
                    list.len()
                );
                ("MESH_PRIMITIVE_UNEQUAL_ACCESSOR_COUNT", self.place.clone(), message)
            }
            Err(Missing::Refused(error)) if is_local(&error) => {
                let message =
                    format!("{name} stays in the file, but is not displayed: {}", error.fault());
                (error.finding_code(), error.place().unwrap_or_else(|| self.place.clone()), message)
            }
            Err(error) => return Err(error),
        };
        self.diagnostics.add(Severity::Error, code, place, message);
        Ok(Slice::default())
    }

    pub(super) fn floats(
        &mut self,
        index: usize,
        name: &str,
        widths: &[usize],
    ) -> Result<(Slice<f32>, usize), Missing> {
        let shape = self.accessors.shape(index, &self.place)?;
        if !widths.contains(&shape.width) {
            return Err(ReadError::at(
                &self.place,
                format!("{name} has {} components", shape.width),
            )
            .into());
        }
        let list = self.accessors.floats(index, &self.place)?;
        let bad = count_in(&list, |v| !v.is_finite());
        if bad == 0 {
            return Ok((list, shape.width));
        }
        let message = match bad {
            1 => format!("1 value of {name} is not a finite number; 0 is displayed"),
            _ => format!("{bad} values of {name} are not finite numbers; 0 is displayed"),
        };
        self.diagnostics.add(Severity::Error, "ACCESSOR_INVALID_FLOAT", &self.place, message);
        Ok((list.iter().map(|v| if v.is_finite() { *v } else { 0.0 }).collect(), shape.width))
    }

    pub(super) fn vec3(&mut self, index: usize, name: &str) -> Result<Slice<Vec3>, Missing> {
        let (list, _) = self.floats(index, name, &[3])?;
        Ok(list.grouped(|v| Vec3::from_array(*v)))
    }

    pub(super) fn vec4(&mut self, index: usize, name: &str) -> Result<Slice<Vec4>, Missing> {
        let (list, _) = self.floats(index, name, &[4])?;
        Ok(list.grouped(|v| Vec4::from_array(*v)))
    }

    pub(super) fn vec2(&mut self, index: usize) -> Result<Slice<Vec2>, Missing> {
        let (list, _) = self.floats(index, "TEXCOORD", &[2])?;
        Ok(list.grouped(|v| Vec2::from_array(*v)))
    }
}
