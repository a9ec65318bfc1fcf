//! *Export*: creates a new file that contains only some of the clips, or only the skeleton, without
//! unused data.
//!
//! Unlike saving, an export rewrites all elements and decompresses compressed data.

mod bin;
mod error;
mod exporter;
mod gather;
mod packing;
mod strip;
mod walk;

use serde_json::Value;

use self::{
    bin::Bin,
    strip::{foreign_data, strip_meshes},
};
pub use self::{error::ExportError, exporter::Exporter};
use super::{SaveError, Source, container::build_glb, meshopt, schema};
use ulna_model::{Diagnostics, Notice};

/// Selection of the exported content.
#[derive(Clone, Debug, Default)]
pub struct ExportOptions {
    /// Indices of the animations to keep; all if `None`.
    pub clips: Option<Vec<usize>>,
    /// Whether meshes, materials and images are left out.
    pub skeleton_only: bool,
}

/// Creates a GLB with the selected content.
///
/// # Errors
/// See [`ExportError`].
pub fn export(source: &Source, options: &ExportOptions) -> Result<Vec<u8>, ExportError> {
    Exporter::new(source)?.export(options)
}

impl<'a> Exporter<'a> {
    /// Parses the source file.
    ///
    /// # Errors
    /// See [`ExportError`].
    pub fn new(source: &'a Source) -> Result<Self, ExportError> {
        let mut root: Value = serde_json::from_str(source.json()?)?;
        let mut taken = |key: &str| {
            root.get_mut(key).and_then(Value::as_array_mut).map(std::mem::take).unwrap_or_default()
        };
        let (animations, accessors, views) =
            (taken("animations"), taken("accessors"), taken("bufferViews"));
        let typed: Vec<schema::BufferView> = serde_json::from_value(Value::Array(views.clone()))?;
        let mut budget = (source.bytes.len() as u64) * 12 + (48 << 20);
        let unpacked = meshopt::unpack(source, &typed, &mut budget, &mut Diagnostics::default())?;
        let foreign = accessors.iter().chain(&views).find_map(foreign_data);
        Ok(Self { source, root, animations, accessors, views, unpacked, foreign })
    }

    /// Notices about the parts of a VRM that are removed together with the meshes.
    pub fn left_out_with_meshes(&self) -> Vec<Notice> {
        strip_meshes(&mut self.root.clone())
    }

    /// Creates a GLB with the selected content.
    ///
    /// # Errors
    /// See [`ExportError`].
    pub fn export(&self, options: &ExportOptions) -> Result<Vec<u8>, ExportError> {
        let (json, bin) = self.parts(options, Bin::default())?;
        Ok(build_glb(&json, (bin.length > 0).then_some(&bin.bytes), &[], 0)
            .map_err(SaveError::from)?)
    }

    /// Size in bytes of the GLB that an export would create.
    ///
    /// # Errors
    /// See [`ExportError`].
    pub fn measure(&self, options: &ExportOptions) -> Result<usize, ExportError> {
        let (json, bin) = self.parts(options, Bin { is_counted: true, ..Bin::default() })?;
        let chunk = |length: usize| 8 + length.next_multiple_of(4);
        let total = 12 + chunk(json.len()) + if bin.length > 0 { chunk(bin.length) } else { 0 };
        u32::try_from(total).map_err(SaveError::from)?;
        Ok(total)
    }

    /// Builds the JSON and the BIN chunk of the selected content.
    fn parts(&self, options: &ExportOptions, bin: Bin) -> Result<(Vec<u8>, Bin), ExportError> {
        let mut root = self.root.clone();
        if let Some(list) = root.get_mut("animations").and_then(Value::as_array_mut) {
            let is_kept = |k: usize| options.clips.as_ref().is_none_or(|keep| keep.contains(&k));
            list.extend(
                self.animations
                    .iter()
                    .enumerate()
                    .filter(|(k, _)| is_kept(*k))
                    .map(|(_, v)| v.clone()),
            );
        }
        if options.skeleton_only {
            strip_meshes(&mut root);
        }
        if let Some(name) = foreign_data(&root).or_else(|| self.foreign.clone()) {
            return Err(ExportError::Foreign(name));
        }
        let bin = self.gather(&mut root, bin)?;
        if let Some(members) = root.as_object_mut() {
            // glTF forbids empty lists.
            members.retain(|_, v| v.as_array().is_none_or(|a| !a.is_empty()));
        }
        Ok((serde_json::to_vec(&root)?, bin))
    }
}
