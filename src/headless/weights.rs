//! `ulna weights`: the weights of a model as a file of their own.

use std::path::Path;

use super::{Failure, one_name, open};
use crate::{
    edit::command::field::Meshes,
    formats::weight_files::WeightFile,
    session::{SystemDisk, weight_table, write_atomically},
};

pub(super) fn weights(path: &Path, output: &Path, mesh: Option<&str>) -> Result<u8, Failure> {
    let ending = output.extension().and_then(|e| e.to_str()).unwrap_or_default();
    let kind = WeightFile::of_ending(ending).ok_or_else(|| {
        Failure::fault(format!("{}: weights are written as .json or .xml; end the name so", output.display()))
    })?;
    one_name(output)?;
    let session = open(path)?;
    let meshes = match mesh {
        None => Vec::new(),
        Some(name) => Meshes::Named(vec![name.to_owned()])
            .find(session.document())
            .map_err(|e| Failure::fault(format!("{}: {e}", path.display())))?,
    };
    let table = weight_table(session.document(), &meshes);
    if table.shapes.is_empty() {
        return Err(Failure::fault(format!("{}: it has no mesh with weights that hangs on a skin", path.display())));
    }
    write_atomically(&SystemDisk, output, kind.write(&table).as_bytes())
        .map_err(|e| Failure::fault(format!("{}: {e}", output.display())))?;
    Ok(0)
}
