//! Commands on whole clips and on names.

use std::sync::Arc;

use super::{Arguments, CommandError, Edit, keys};
use crate::model::{Clip, Document};

pub(super) fn new(document: &Document, arguments: &Arguments) -> Result<Vec<Edit>, CommandError> {
    let name = if arguments.has("name") { arguments.text("name")? } else { "New clip" };
    let clip = Clip { name: Some(name.into()), ..Clip::default() };
    Ok(vec![Edit::SetClip { clip: document.free_clip_id(), to: Some(Arc::new(clip)) }])
}

pub(super) fn rename(document: &Document, arguments: &Arguments) -> Result<Vec<Edit>, CommandError> {
    let id = arguments.clip(document)?;
    let mut clip = (*document.clips[&id]).clone();
    clip.name = Some(arguments.text("name")?.into());
    Ok(vec![Edit::SetClip { clip: id, to: Some(Arc::new(clip)) }])
}

pub(super) fn duplicate(document: &Document, arguments: &Arguments) -> Result<Vec<Edit>, CommandError> {
    let id = arguments.clip(document)?;
    let mut clip = (*document.clips[&id]).clone();
    if !clip.pointers.is_empty() {
        return Err(CommandError::Other(
            "some of its keys come from animation pointers, which cannot be copied yet; duplicate it in the program \
             that made them"
                .into(),
        ));
    }
    if !clip.kept.is_empty() {
        return Err(CommandError::Other(
            "some of its keys are packed in a way that cannot be copied; unpack the file first".into(),
        ));
    }
    clip.channels_in_file = 0;
    let name = if arguments.has("name") {
        arguments.text("name")?.to_owned()
    } else {
        format!("{} copy", document.clip_label(id))
    };
    clip.name = Some(name.into());
    Ok(vec![Edit::SetClip { clip: document.free_clip_id(), to: Some(Arc::new(clip)) }])
}

pub(super) fn delete(document: &Document, arguments: &Arguments) -> Result<Vec<Edit>, CommandError> {
    let id = arguments.clip(document)?;
    let mut edits = keys::without_unkeyed(document, |at| at.clip == id);
    edits.push(Edit::SetClip { clip: id, to: None });
    Ok(edits)
}

pub(super) fn rename_node(document: &Document, arguments: &Arguments) -> Result<Vec<Edit>, CommandError> {
    let nodes = arguments.nodes(document)?;
    let [node] = nodes[..] else {
        return Err(CommandError::Other("one node at a time can be given a name".into()));
    };
    Ok(vec![Edit::SetNodeName { node, to: Some(arguments.text("name")?.into()) }])
}
