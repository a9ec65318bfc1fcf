//! Collection of the remaining data in one buffer.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    super::{meshopt::Unpacked, meshopt_view, transcode::mime_type},
    bin::{Bin, Stretches},
    error::ExportError,
    exporter::Exporter,
    walk::{drop_unused_samplers, for_each_accessor, for_each_view, list, number},
};

impl Exporter<'_> {
    /// Keeps only the accessors, buffer views and bytes that are in use, and moves them to one
    /// buffer. Updates all indices.
    pub(super) fn gather(&self, root: &mut Value, mut bin: Bin) -> Result<Bin, ExportError> {
        for animation in
            root.get_mut("animations").and_then(Value::as_array_mut).into_iter().flatten()
        {
            drop_unused_samplers(animation);
        }
        self.gather_accessors(root);
        let mut views = self.gather_views(root, &mut bin)?;
        self.embed_images(root, &mut views, &mut bin);
        root["bufferViews"] = views.into();
        for key in ["extensionsUsed", "extensionsRequired"] {
            if let Some(list) = root.get_mut(key).and_then(Value::as_array_mut) {
                list.retain(|name| !meshopt_view::EXTENSIONS.iter().any(|e| name == e));
            }
        }
        root["buffers"] = if bin.length == 0 {
            Vec::new()
        } else {
            vec![serde_json::json!({"byteLength": bin.length})]
        }
        .into();
        Ok(bin)
    }

    /// Keeps the accessors that are in use, in the order of their first use.
    fn gather_accessors(&self, root: &mut Value) {
        let mut accessor_map: BTreeMap<u64, u64> = BTreeMap::new();
        let firsts = self.firsts(root);
        for_each_accessor(root, &mut |slot| {
            let next = accessor_map.len() as u64;
            let from = slot.as_u64().unwrap_or_default();
            let from = firsts.get(&from).copied().unwrap_or(from);
            *slot = (*accessor_map.entry(from).or_insert(next)).into();
        });
        let mut accessors = vec![Value::Null; accessor_map.len()];
        for (from, to) in &accessor_map {
            accessors[*to as usize] =
                self.accessors.get(*from as usize).cloned().unwrap_or_default();
        }
        root["accessors"] = accessors.into();
    }

    /// Copies the bytes of used buffer views to the BIN chunk. Returns the views in the order of
    /// their first use.
    fn gather_views(&self, root: &mut Value, bin: &mut Bin) -> Result<Vec<Value>, ExportError> {
        let Self { source, views, unpacked, .. } = self;
        // All keys are packed into one buffer view with a new index.
        let keys_view = views.len() as u64;
        let packed = self.packed(root, keys_view);
        let mut view_map: BTreeMap<u64, u64> = BTreeMap::new();
        let mut order = Vec::new();
        for_each_view(root, &mut |slot| {
            let from = slot.as_u64().unwrap_or_default();
            let next = view_map.len() as u64;
            let new = *view_map.entry(from).or_insert_with(|| {
                order.push(from);
                next
            });
            *slot = new.into();
        });
        let mut new_views = Vec::new();
        // Several views may use the same bytes, which are copied only once.
        let plain = |from: &u64| {
            let at = usize::try_from(*from).ok()?;
            if packed.contains_key(from) {
                return None;
            }
            let view = views
                .get(at)
                .filter(|_| matches!(unpacked.get(at), Some(Unpacked::Plain) | None))?;
            let (buffer, start) = (number(&view["buffer"]), number(&view["byteOffset"]));
            let end = start.checked_add(number(&view["byteLength"]))?;
            source.buffer(buffer)?.get(start..end).map(|_| (buffer, start..end))
        };
        let stretches = Stretches::of(order.iter().filter_map(plain));
        let places = stretches.copy(source, bin);
        for from in order {
            let mut view = views.get(from as usize).cloned().unwrap_or_default();
            if !view.is_object() {
                view = serde_json::json!({"byteLength": 0});
            }
            let at = match (plain(&from), unpacked.get(from as usize)) {
                (Some((buffer, range)), _) => places.of(buffer, range.start),
                (None, _) if packed.contains_key(&from) => {
                    let bytes = &packed[&from];
                    view["byteLength"] = bytes.len().into();
                    bin.put(bytes, 0)
                }
                (None, Some(Unpacked::Bytes(bytes))) => bin.put(bytes, 0),
                (None, Some(Unpacked::Damaged(extension))) => {
                    return Err(ExportError::Packed(extension));
                }
                (None, _) => bin.length,
            };
            view["buffer"] = 0.into();
            view["byteOffset"] = at.into();
            if let Some(extensions) = view.get_mut("extensions").and_then(Value::as_object_mut) {
                meshopt_view::EXTENSIONS.iter().for_each(|e| drop(extensions.shift_remove(*e)));
                if extensions.is_empty() {
                    view.as_object_mut().and_then(|v| v.shift_remove("extensions"));
                }
            }
            new_views.push(view);
        }
        Ok(new_views)
    }

    /// Copies the image files of the source to the BIN chunk, each only once.
    fn embed_images(&self, root: &mut Value, views: &mut Vec<Value>, bin: &mut Bin) {
        let mut embedded: BTreeMap<String, (usize, &'static str)> = BTreeMap::new();
        for image in list(root, "images").iter_mut().filter(|i| i.is_object()) {
            let Some(uri) =
                image["uri"].as_str().filter(|u| !u.starts_with("data:")).map(ToOwned::to_owned)
            else {
                continue;
            };
            let (view, mime) = if let Some(known) = embedded.get(&uri) {
                *known
            } else {
                let Ok(bytes) = self.source.companion(&uri) else { continue };
                let at = bin.put(&bytes, 0);
                views.push(
                    serde_json::json!({"buffer": 0, "byteOffset": at, "byteLength": bytes.len()}),
                );
                let made = (views.len() - 1, mime_type(&bytes));
                embedded.insert(uri, made);
                made
            };
            image["mimeType"] = mime.into();
            image["bufferView"] = view.into();
            if let Some(image) = image.as_object_mut() {
                image.shift_remove("uri");
            }
        }
    }
}
