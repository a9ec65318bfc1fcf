//! `ulna weights`: exports the weights of a model to a separate file.

use std::path::Path;

use serde_json::json;

use super::{
    arguments::Out,
    inputs::open,
    outputs::{has_ending, one_name},
    report::{Failure, members, object, print},
};
use ulna_edit::command::field::Meshes;
use ulna_formats::weight_files::WeightFile;
use ulna_session::{SystemDisk, weight_table, write_atomically};

pub(super) fn weights(
    path: &Path,
    output: &Path,
    mesh: Option<&str>,
    out: Out,
) -> Result<u8, Failure> {
    let wrong =
        || format!("{}: the extension is not supported. Use .json or .xml", output.display());
    has_ending(output, &["json", "xml"], wrong)?;
    let ending = output.extension().and_then(|e| e.to_str()).unwrap_or_default();
    let kind =
        WeightFile::of_ending(ending).ok_or_else(|| Failure::unusable("wrong_ending", wrong()))?;
    one_name(output)?;
    let session = open(path)?;
    let meshes = match mesh {
        None => Vec::new(),
        Some(name) => Meshes::Named(vec![name.to_owned()])
            .find(session.document())
            .map_err(|e| Failure::unusable(e.code(), format!("{}: {e}", path.display())))?,
    };
    let table = weight_table(session.document(), &meshes);
    if table.shapes.is_empty() {
        let message = format!("{}: the file has no skinned mesh with weights", path.display());
        return Err(Failure::fault("no_weights_meant", message));
    }
    write_atomically(&SystemDisk, output, kind.write(&table).as_bytes())
        .map_err(|e| Failure::fault("output_not_writable", format!("{}: {e}", output.display())))?;
    if out.json {
        let shapes: Vec<_> = table
            .shapes
            .iter()
            .map(|s| json!({"name": s.name, "vertices": s.vertex_count}))
            .collect();
        let facts = json!({
            "file": path.display().to_string(),
            "output": output.display().to_string(),
            "shapes": shapes,
        });
        print(&object("weights", members(facts)).to_string())?;
    }
    Ok(0)
}
