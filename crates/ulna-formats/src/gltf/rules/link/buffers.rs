//! Rules for buffer views, accessors and textures.

use super::{
    super::{
        extent::{fits, stretch},
        file::{File, SparsePart, Usage},
        numbers::size_of_type,
        report::Report,
    },
    references::{found, use_view},
};
use ulna_model::{IdKind, Location};

pub(super) fn views(file: &File, out: &mut Report) {
    for view in file.views.iter().flatten() {
        let buffer = found(&file.buffers, view.buffer, || view.at.member("buffer"), out);
        let length = buffer.and_then(|b| file.buffers[b].as_ref()).and_then(|b| b.length);
        if let (Some(length), Some(offset), Some(own)) = (length, view.offset, view.length) {
            if offset >= length {
                out.error("BUFFER_VIEW_TOO_LONG", view.at.member("byteOffset"));
            } else if offset.saturating_add(own) > length {
                out.error("BUFFER_VIEW_TOO_LONG", view.at.member("byteLength"));
            }
        }
    }
}

pub(super) fn accessors(file: &mut File, out: &mut Report) {
    let File { accessors, views, .. } = file;
    for a in accessors.iter_mut().flatten() {
        let (Some(size), Some(count), true) =
            (a.component.and_then(size_of_type), a.count, a.width > 0)
        else {
            continue;
        };
        if a.view.is_some() {
            let place = a.at.member("bufferView");
            match found(views, a.view, || place, out).and_then(|v| views[v].as_ref()) {
                None => {}
                Some(view) => {
                    if view.stride.is_some_and(|s| s < a.element) {
                        out.error("ACCESSOR_SMALL_BYTESTRIDE", a.at.clone());
                    }
                    fits(a.offset, size, stretch(a, Some(view)).1, view, Some((&a.at, out)));
                }
            }
        }
        let Some(sparse) = &a.sparse else { continue };
        if sparse.count > count {
            out.error("ACCESSOR_SPARSE_COUNT_OUT_OF_RANGE", a.at.member("sparse").member("count"));
        }
        let own = |p: &SparsePart| p.component.and_then(size_of_type);
        let parts = [
            ("indices", &sparse.indices, own(&sparse.indices), 1),
            ("values", &sparse.values, Some(size), a.width),
        ];
        for (name, part, size, width) in parts {
            let place = a.at.member("sparse").member(name.to_owned()).member("bufferView");
            let Some(index) = found(views, part.view, || place.clone(), out) else { continue };
            use_view(views, Some(index), Usage::Other, &place, out);
            let Some(view) = views[index].as_ref() else { continue };
            if view.stride.is_some() {
                out.error("BUFFER_VIEW_INVALID_BYTE_STRIDE", place);
            }
            if let Some(size) = size {
                let length = sparse.count.saturating_mul(size * width);
                fits(
                    part.offset,
                    size,
                    length,
                    view,
                    Some((&a.at.member("sparse").member(name.to_owned()), out)),
                );
            }
        }
    }
}

pub(super) fn materials(file: &mut File, out: &mut Report) {
    let File { images, views, textures, materials, samplers, .. } = file;
    for image in images.iter().flatten() {
        let place = image.at.member("bufferView");
        if let Some(view) = found(views, image.view, || place.clone(), out) {
            use_view(views, Some(view), Usage::Image, &place, out);
            if views[view].as_ref().is_some_and(|v| v.stride.is_some()) {
                out.error("IMAGE_BUFFER_VIEW_WITH_BYTESTRIDE", place);
            }
        }
    }
    for (k, texture) in textures.iter().enumerate() {
        let Some(texture) = texture else { continue };
        found(images, texture.source, || Location::at(IdKind::Texture, k).member("source"), out);
        if texture.sampler.is_some_and(|s| s >= *samplers) {
            out.error("UNRESOLVED_REFERENCE", Location::at(IdKind::Texture, k).member("sampler"));
        }
    }
    for used in materials.iter().flatten().flat_map(|m| &m.uses) {
        found(textures, used.index, || used.at.member("index"), out);
    }
}
