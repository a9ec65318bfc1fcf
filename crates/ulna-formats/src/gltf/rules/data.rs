//! Rules for the data in accessors: bounds, finite numbers, ascending times, and weights that sum
//! to 1.

use super::{
    super::source::{Source, data_uri},
    extent::{fits, stretch},
    file::{Accessor, ElementRule, File, Node, Primitive, SparsePart, View},
    image::{self, ImageFault},
    numbers::{ROTATION, bounds_of_type, size_of_type},
    report::Report,
};
use ulna_model::{IdKind, Location};

const DIRECTION: f64 = 0.00674;

/// Stored numbers of an accessor, element by element.
struct Elements<'a> {
    bytes: Option<&'a [u8]>,
    /// Elements that are replaced by sparse values, in ascending order.
    replaced: Vec<(usize, &'a [u8])>,
    component: usize,
    size: usize,
    width: usize,
    count: usize,
    stride: usize,
    /// Offset of each component within an element, in bytes.
    columns: [usize; 16],
}

impl Elements<'_> {
    fn number(&self, bytes: &[u8]) -> f64 {
        match (self.component, bytes) {
            (5120, [a]) => f64::from(*a as i8),
            (5121, [a]) => f64::from(*a),
            (5122, [a, b]) => f64::from(i16::from_le_bytes([*a, *b])),
            (5123, [a, b]) => f64::from(u16::from_le_bytes([*a, *b])),
            (5125, [a, b, c, d]) => f64::from(u32::from_le_bytes([*a, *b, *c, *d])),
            (_, [a, b, c, d]) => f64::from(f32::from_le_bytes([*a, *b, *c, *d])),
            _ => 0.0,
        }
    }

    /// Calls `act` with each element's index and components, in order.
    fn each(&self, mut act: impl FnMut(usize, &[f64])) {
        let mut element = [0.0f64; 16];
        let mut next = 0;
        for k in 0..self.count {
            let replaced = self.replaced.get(next).filter(|(at, _)| *at == k);
            if let Some((_, bytes)) = replaced {
                next += 1;
                for (i, slot) in element.iter_mut().enumerate().take(self.width) {
                    *slot = bytes
                        .get(i * self.size..(i + 1) * self.size)
                        .map_or(0.0, |b| self.number(b));
                }
            } else if let Some(bytes) = self.bytes {
                let start = k * self.stride;
                for (slot, column) in element.iter_mut().zip(self.columns).take(self.width) {
                    let at = start + column * self.size;
                    *slot = bytes.get(at..at + self.size).map_or(0.0, |b| self.number(b));
                }
            } else {
                element.fill(0.0);
            }
            act(k, &element[..self.width]);
        }
    }

    /// Converts a stored integer to a normalized number. Floats are returned unchanged.
    fn share(&self, value: f64) -> f64 {
        match self.component {
            5126 => value,
            5120 | 5122 => (value / bounds_of_type(self.component).1).max(-1.0),
            kind => value / bounds_of_type(kind).1,
        }
    }
}

/// Bytes of the buffer of a view. `None` if they are missing or too short.
fn bytes_of<'a>(source: &'a Source, file: &File, view: &View) -> Option<&'a [u8]> {
    let buffer = view.buffer?;
    let about = file.buffers.get(buffer)?.as_ref().filter(|b| b.readable)?;
    source.buffer(buffer).filter(|bytes| about.length.is_some_and(|l| bytes.len() >= l))
}

fn view_of(file: &File, view: Option<usize>) -> Option<&View> {
    view.and_then(|v| file.views.get(v)).and_then(Option::as_ref)
}

/// Whether an accessor has data that can be checked.
fn has_data(file: &File, a: &Accessor) -> bool {
    a.component.is_some()
        && a.count.is_some()
        && a.kind.is_some()
        && (view_of(file, a.view).is_some() || a.sparse.is_some())
}

/// Elements of an accessor; `None` if they are not available.
fn elements<'a>(source: &'a Source, file: &File, a: &Accessor) -> Option<Elements<'a>> {
    /// Maximum number of elements to check in an accessor without data, whose elements are all 0.
    const MOST: usize = 1 << 26;
    let (component, count) = (a.component?, a.count?);
    let size = size_of_type(component)?;
    if a.width == 0 {
        return None;
    }
    let mut columns = [0usize; 16];
    match (size, a.kind.as_deref()) {
        (1, Some("MAT2")) => columns[..4].copy_from_slice(&[0, 1, 4, 5]),
        (1 | 2, Some("MAT3")) => columns[..9].copy_from_slice(&[0, 1, 2, 4, 5, 6, 8, 9, 10]),
        _ => columns.iter_mut().enumerate().for_each(|(k, c)| *c = k),
    }
    let view = view_of(file, a.view);
    let (stride, length) = stretch(a, view);
    let bytes = match view {
        Some(view) => {
            let all = bytes_of(source, file, view)?;
            if stride < a.element || !fits(a.offset, size, length, view, None) {
                return None;
            }
            let start = view.offset?.checked_add(a.offset?)?;
            Some(all.get(start..start.checked_add(length)?)?)
        }
        None if count.saturating_mul(a.width) > MOST => return None,
        None => None,
    };
    let mut replaced = Vec::new();
    if let Some(sparse) = &a.sparse {
        let part = |part: &SparsePart, size: usize, width: usize| {
            let view = view_of(file, part.view)?;
            let all = bytes_of(source, file, view)?;
            let length = sparse.count.checked_mul(size * width)?;
            if view.length.is_none() || !fits(part.offset, size, length, view, None) {
                return None;
            }
            let start = view.offset?.checked_add(part.offset?)?;
            all.get(start..start.checked_add(length)?)
        };
        let kind = sparse.indices.component?;
        let index_size = size_of_type(kind)?;
        if sparse.count > count {
            return None;
        }
        let (indices, values) =
            (part(&sparse.indices, index_size, 1)?, part(&sparse.values, size, a.width)?);
        for (index, value) in
            indices.chunks_exact(index_size).zip(values.chunks_exact(size * a.width))
        {
            let index = whole(index);
            // After an index that does not increase, all further indices are ignored.
            if index >= count || replaced.last().is_some_and(|(last, _)| *last >= index) {
                break;
            }
            replaced.push((index, value));
        }
    }
    Some(Elements { bytes, replaced, component, size, width: a.width, count, stride, columns })
}

fn whole(bytes: &[u8]) -> usize {
    bytes.iter().rev().fold(0usize, |all, b| all << 8 | usize::from(*b))
}

/// Checks the data of all accessors.
pub fn check(source: &Source, file: &File, out: &mut Report) {
    for buffer in file.buffers.iter().flatten().zip(0..) {
        if source.buffer(buffer.1).is_some_and(|b| buffer.0.length.is_some_and(|l| b.len() < l)) {
            out.error("BUFFER_BYTE_LENGTH_MISMATCH", Location::at(IdKind::Buffer, buffer.1));
        }
    }
    images(source, file, out);
    for a in file.accessors.iter().flatten().filter(|a| has_data(file, a)) {
        sparse_indices(source, file, a, out);
    }
    for a in file.accessors.iter().flatten().filter(|a| has_data(file, a)) {
        let bare =
            a.component != Some(5126) && a.min.is_none() && a.max.is_none() && a.rules.is_empty();
        if let Some(elements) = if bare { None } else { elements(source, file, a) } {
            values(a, &elements, out);
        }
    }
    for (k, mesh) in file.meshes.iter().enumerate() {
        let Some(primitives) = mesh.as_ref().and_then(|m| m.primitives.as_ref()) else { continue };
        if primitives.iter().all(|p| p.joints == 0) {
            continue;
        }
        let joints = |n: &Node| {
            let skin =
                n.skin.filter(|_| n.mesh == Some(k)).and_then(|s| file.skins.get(s))?.as_ref()?;
            skin.joints.as_ref().map(Vec::len)
        };
        let Some(most) = file.nodes.iter().flatten().filter_map(joints).min() else { continue };
        for primitive in primitives {
            influences(source, file, primitive, most, out);
        }
    }
}

fn images(source: &Source, file: &File, out: &mut Report) {
    let webp = file.used.iter().any(|u| u == "EXT_texture_webp");
    for image in file.images.iter().flatten().filter(|i| !i.has_extensions) {
        let own: Vec<u8>;
        let bytes: &[u8] = match &image.uri {
            Some(uri) => match data_uri(uri).unwrap_or_else(|| source.companion(uri)) {
                Ok(bytes) => {
                    own = bytes;
                    &own
                }
                Err(_) => {
                    out.error("IO_ERROR", image.at.member("uri"));
                    continue;
                }
            },
            None => {
                let Some(view) = view_of(file, image.view) else { continue };
                let (Some(all), Some(start), Some(length)) =
                    (bytes_of(source, file, view), view.offset, view.length)
                else {
                    continue;
                };
                let Some(bytes) = start.checked_add(length).and_then(|end| all.get(start..end))
                else {
                    continue;
                };
                bytes
            }
        };
        let kind = match image::check(bytes) {
            Ok(kind) => kind,
            Err(fault @ ImageFault::Unrecognized) => {
                out.warning(fault.code(), image.at.clone());
                continue;
            }
            Err(fault) => {
                out.error(fault.code(), image.at.clone());
                continue;
            }
        };
        if kind == "image/webp" && !webp {
            out.error("IMAGE_NON_ENABLED_MIME_TYPE", image.at.clone());
        }
        if image.mime.as_deref().is_some_and(|mime| mime != kind) {
            out.error("IMAGE_MIME_TYPE_INVALID", image.at.clone());
        }
    }
}

fn sparse_indices(source: &Source, file: &File, a: &Accessor, out: &mut Report) {
    let Some(sparse) = &a.sparse else { return };
    let (Some(view), Some(size)) =
        (view_of(file, sparse.indices.view), sparse.indices.component.and_then(size_of_type))
    else {
        return;
    };
    let bytes = bytes_of(source, file, view).zip(view.offset.zip(sparse.indices.offset)).and_then(
        |(all, (a, b))| {
            let start = a.checked_add(b)?;
            all.get(start..start.checked_add(sparse.count.checked_mul(size)?)?)
        },
    );
    let Some(bytes) = bytes else { return };
    let list: Vec<usize> = bytes.chunks_exact(size).map(whole).collect();
    let falling = list.windows(2).filter(|w| w[1] <= w[0]).count();
    out.errors("ACCESSOR_SPARSE_INDICES_NON_INCREASING", || a.at.member("sparse"), falling);
    let past = list.iter().filter(|i| a.count.is_some_and(|c| **i >= c)).count();
    out.errors("ACCESSOR_SPARSE_INDEX_OOB", || a.at.member("sparse"), past);
}

fn values(a: &Accessor, elements: &Elements<'_>, out: &mut Report) {
    let float = elements.component == 5126;
    let mut odd = 0;
    let (mut low, mut high) = ([f64::NAN; 16], [f64::NAN; 16]);
    let (mut below, mut above) = ([0usize; 16], [0usize; 16]);
    let (min, max) = (a.min.as_deref(), a.max.as_deref());
    elements.each(|k, e| {
        for (i, v) in e.iter().enumerate() {
            odd += usize::from(float && !v.is_finite());
            if k == 0 {
                (low[i], high[i]) = (*v, *v);
            }
            if low[i] > *v {
                low[i] = *v;
            }
            if high[i] < *v {
                high[i] = *v;
            }
            below[i] += usize::from(min.is_some_and(|m| *v < m[i]));
            above[i] += usize::from(max.is_some_and(|m| *v > m[i]));
        }
    });
    out.errors("ACCESSOR_INVALID_FLOAT", || a.at.clone(), odd);
    for (stated, found, past, key) in [(min, low, below, "min"), (max, high, above, "max")] {
        let Some(stated) = stated else { continue };
        for (i, stated) in stated.iter().enumerate() {
            if *stated == found[i] {
                continue;
            }
            let place = a.at.item(key, i);
            let (mismatch, bound) = match key {
                "min" => ("ACCESSOR_MIN_MISMATCH", "ACCESSOR_ELEMENT_OUT_OF_MIN_BOUND"),
                _ => ("ACCESSOR_MAX_MISMATCH", "ACCESSOR_ELEMENT_OUT_OF_MAX_BOUND"),
            };
            out.error(mismatch, place.clone());
            out.errors(bound, || place, past[i]);
        }
    }
    for rule in &a.rules {
        element_rule(a, elements, rule, out);
    }
}

fn length(v: &[f64]) -> f64 {
    v.iter().map(|v| v * v).sum::<f64>().sqrt()
}

fn element_rule(a: &Accessor, elements: &Elements<'_>, rule: &ElementRule, out: &mut Report) {
    let mut count = 0;
    let share = |v: f64| if a.normalized { elements.share(v) } else { v };
    match rule {
        ElementRule::Normal(at) | ElementRule::Tangent(at) => {
            let mut signs = 0;
            let tangent = matches!(rule, ElementRule::Tangent(_));
            elements.each(|_, e| {
                let v = [share(e[0]), share(e[1]), share(e[2])];
                count += usize::from((length(&v) - 1.0).abs() > DIRECTION);
                signs += usize::from(tangent && e.get(3).is_some_and(|w| share(*w).abs() != 1.0));
            });
            out.errors("ACCESSOR_VECTOR3_NON_UNIT", || at.clone(), count);
            out.errors("ACCESSOR_INVALID_SIGN", || at.clone(), signs);
        }
        ElementRule::Color(at) => {
            elements.each(|_, e| count += e.iter().filter(|v| **v > 1.0 || **v < 0.0).count());
            out.errors("ACCESSOR_NON_CLAMPED", || at.clone(), count);
        }
        ElementRule::Times(at) => {
            let (mut last, mut negative) = (0.0, 0);
            elements.each(|k, e| {
                if e[0] < 0.0 {
                    negative += 1;
                } else {
                    count += usize::from(k != 0 && e[0] <= last);
                    last = e[0];
                }
            });
            out.errors("ACCESSOR_ANIMATION_INPUT_NEGATIVE", || at.clone(), negative);
            out.errors("ACCESSOR_ANIMATION_INPUT_NON_INCREASING", || at.clone(), count);
        }
        ElementRule::Rotations(at, cubic) => {
            elements.each(|k, e| {
                let v = [share(e[0]), share(e[1]), share(e[2]), share(e[3])];
                count += usize::from((!cubic || k % 3 == 1) && (length(&v) - 1.0).abs() > ROTATION);
            });
            out.errors(
                "ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION",
                || at.clone(),
                count,
            );
        }
        ElementRule::Indices(at, vertices) => {
            let (mut restarts, most) = (0, bounds_of_type(elements.component).1);
            elements.each(|_, e| {
                count += usize::from(vertices.is_none_or(|n| e[0] > n as f64 - 1.0));
                restarts += usize::from(e[0] == most);
            });
            out.errors("ACCESSOR_INDEX_OOB", || at.clone(), count);
            out.errors("ACCESSOR_INDEX_PRIMITIVE_RESTART", || at.clone(), restarts);
        }
        ElementRule::Bind(at) => {
            elements.each(|_, e| {
                count += usize::from(
                    [e[3], e[7], e[11]].iter().any(|v| *v != 0.0 || v.is_nan()) || e[15] != 1.0,
                );
            });
            out.errors("ACCESSOR_INVALID_IBM", || at.clone(), count);
        }
    }
}

/// Checks the influences of a primitive. All sets of a vertex are checked together.
fn influences(source: &Source, file: &File, p: &Primitive, most: usize, out: &mut Report) {
    let mut joints: Vec<Vec<f64>> = Vec::new();
    let mut weights: Vec<Vec<f64>> = Vec::new();
    for set in 0..p.joints {
        let part = |name: String| {
            let index = p.attributes.iter().find(|(n, _)| *n == name)?.1?;
            let a = file
                .accessors
                .get(index)?
                .as_ref()
                .filter(|a| has_data(file, a) && a.count == p.vertices)?;
            elements(source, file, a).filter(|e| e.width == 4)
        };
        let (Some(j), Some(w)) = (part(format!("JOINTS_{set}")), part(format!("WEIGHTS_{set}")))
        else {
            return;
        };
        let mut list = Vec::with_capacity(j.count * 4);
        j.each(|_, e| list.extend_from_slice(e));
        joints.push(list);
        let mut list = Vec::with_capacity(w.count * 4);
        // Integers are always normalized here, regardless of the accessor's flag.
        w.each(|_, e| list.extend(e.iter().map(|v| w.share(*v))));
        weights.push(list);
    }
    let (Some(count), true) = (p.vertices, !joints.is_empty()) else { return };
    let sets = joints.len();
    let mut seen: Vec<f64> = Vec::with_capacity(sets * 4);
    let mut counts = vec![[0usize; 4]; sets];
    let mut sums = 0;
    for v in 0..count {
        seen.clear();
        let (mut sum, mut near) = (0.0f32, 0.0f64);
        for k in v * 4..v * 4 + 4 {
            for set in 0..sets {
                let (joint, weight) = (joints[set][k], weights[set][k]);
                if joint >= most as f64 {
                    counts[set][0] += 1;
                } else if weight == 0.0 {
                    counts[set][1] += usize::from(joint != 0.0);
                } else {
                    let twice = seen.contains(&joint);
                    seen.push(joint);
                    counts[set][2] += usize::from(twice);
                    counts[set][3] += usize::from(weight < 0.0);
                    if !twice && (weight >= 0.0 || weight.is_nan()) {
                        sum = (f64::from(sum) + weight) as f32;
                        near += 2e-7;
                    }
                }
            }
        }
        sums += usize::from((f64::from(sum) - 1.0).abs() > near);
    }
    for (set, [past, unused, twice, negative]) in counts.into_iter().enumerate() {
        let place = |name: &str| p.at.member("attributes").member(format!("{name}_{set}"));
        out.errors("ACCESSOR_JOINTS_INDEX_OOB", || place("JOINTS"), past);
        out.errors("ACCESSOR_JOINTS_INDEX_DUPLICATE", || place("JOINTS"), twice);
        out.errors("ACCESSOR_WEIGHTS_NEGATIVE", || place("WEIGHTS"), negative);
        out.errors("ACCESSOR_WEIGHTS_NON_NORMALIZED", || place("WEIGHTS"), sums);
        out.warnings("ACCESSOR_JOINTS_USED_ZERO_WEIGHT", || place("JOINTS"), unused);
    }
}
