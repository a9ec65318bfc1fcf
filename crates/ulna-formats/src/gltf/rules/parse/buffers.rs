//! Parsing of buffers, buffer views and accessors, with their rules.

use std::collections::HashSet;

use super::{
    super::{
        file::{Accessor, Buffer, Sparse, SparsePart, Usage, View},
        members::{ANY, Members},
        numbers::{bounds_of_type, size_of_type, width_of},
        report::Report,
    },
    reader::Reader,
    uris::media_type,
};

impl Reader<'_> {
    pub(super) fn accessor(&mut self, m: &Members<'_>) -> Accessor {
        const ANY_COUNT: (i64, i64) = (0, i64::MAX);
        let out = &mut *self.out;
        let view = m.index("bufferView", false, out);
        let offset = if view.is_none() {
            if m.has("byteOffset") {
                out.error("UNSATISFIED_DEPENDENCY", m.place("byteOffset"));
            }
            Some(0)
        } else {
            m.count("byteOffset", ANY_COUNT, Some(0), false, out)
        };
        let component = m.one_of("componentType", &[5120, 5121, 5122, 5123, 5125, 5126], true, out);
        let count = m.count("count", (1, i64::MAX), None, true, out);
        const TYPES: [&str; 7] = ["SCALAR", "VEC2", "VEC3", "VEC4", "MAT2", "MAT3", "MAT4"];
        let kind = m.text("type", &TYPES, true, out);
        let normalized = m.flag("normalized", out);
        let width = kind.and_then(width_of).unwrap_or(0);
        let bound = |key: &str, out: &mut Report| {
            let component = component.filter(|_| width > 0)?;
            if component == 5126 {
                // Bounds are compared in single precision, so they are rounded to it.
                m.floats(key, Some(width), ANY, out)
                    .map(|l| l.into_iter().map(|v| f64::from(v as f32)).collect())
            } else {
                m.stored(key, width, bounds_of_type(component), out)
            }
        };
        let (min, max) = (bound("min", out), bound("max", out));
        let sparse = m.object("sparse", false, out).and_then(|s| {
            let count = s.count("count", (1, i64::MAX), None, true, out);
            let indices = s.object("indices", true, out).map(|i| SparsePart {
                view: i.index("bufferView", true, out),
                offset: i.count("byteOffset", ANY_COUNT, Some(0), false, out),
                component: i.one_of("componentType", &[5121, 5123, 5125], true, out),
            });
            let values = s.object("values", true, out).map(|v| SparsePart {
                view: v.index("bufferView", true, out),
                offset: v.count("byteOffset", ANY_COUNT, Some(0), false, out),
                component: None,
            });
            Some(Sparse { count: count?, indices: indices?, values: values? })
        });
        if normalized && matches!(component, Some(5125 | 5126)) {
            out.error("ACCESSOR_NORMALIZED_INVALID", m.place("normalized"));
        }
        let matrix = kind.is_some_and(|k| k.starts_with("MAT"));
        if matrix && offset.is_some_and(|o| o % 4 != 0) {
            out.error("ACCESSOR_MATRIX_ALIGNMENT", m.place("byteOffset"));
        }
        self.named(m);
        m.extensions(&self.used, self.out);
        // In matrices with small components, each column is aligned to four bytes.
        let (element, tight) = match (component.and_then(size_of_type), kind) {
            (Some(1), Some("MAT2")) => (6, 8),
            (Some(1), Some("MAT3")) => (11, 12),
            (Some(2), Some("MAT3")) => (22, 24),
            (size, _) => (size.unwrap_or(4) * width, size.unwrap_or(4) * width),
        };
        Accessor {
            at: m.at.clone(),
            view,
            offset,
            component,
            count,
            kind: kind.map(ToOwned::to_owned),
            normalized,
            width,
            min,
            max,
            sparse,
            element,
            tight,
            usage: None,
            rules: Vec::new(),
        }
    }

    pub(super) fn buffer(&mut self, m: &Members<'_>) -> Buffer {
        let length = m.count("byteLength", (1, i64::MAX), None, true, self.out);
        let mut readable = true;
        if let Some(uri) = m.text("uri", &[], false, self.out) {
            match media_type(uri) {
                Some(Some(mime)) => {
                    let mime = mime.to_ascii_lowercase();
                    if !matches!(
                        mime.as_str(),
                        "application/octet-stream" | "application/gltf-buffer"
                    ) {
                        self.out.error("BUFFER_DATA_URI_MIME_TYPE_INVALID", m.place("uri"));
                        readable = false;
                    }
                }
                Some(None) => {
                    self.out.error("INVALID_URI", m.place("uri"));
                    readable = false;
                }
                None => {
                    self.relative(m, uri);
                    if uri.starts_with(':') {
                        self.out.error("INVALID_URI", m.place("uri"));
                        readable = false;
                    }
                }
            }
        }
        self.named(m);
        m.extensions(&self.used, self.out);
        Buffer { length, readable }
    }

    pub(super) fn view(&mut self, m: &Members<'_>) -> View {
        let out = &mut *self.out;
        let length = m.count("byteLength", (1, i64::MAX), None, true, out);
        let stride = m.count("byteStride", (4, 252), None, false, out);
        let target = m.one_of("target", &[34962, 34963], false, out);
        if let Some(stride) = stride {
            if length.is_some_and(|l| stride > l) {
                out.error("BUFFER_VIEW_TOO_BIG_BYTE_STRIDE", m.place("byteStride"));
            }
            if stride % 4 != 0 {
                out.error("VALUE_MULTIPLE_OF", m.place("byteStride"));
            }
            if target == Some(34963) {
                out.error("BUFFER_VIEW_INVALID_BYTE_STRIDE", m.place("byteStride"));
            }
        }
        let buffer = m.index("buffer", true, out);
        let offset = m.count("byteOffset", (0, i64::MAX), Some(0), false, out);
        self.named(m);
        m.extensions(&self.used, self.out);
        let usage = match target {
            Some(34962) => Some(Usage::Vertex),
            Some(_) => Some(Usage::Index),
            None => None,
        };
        View {
            at: m.at.clone(),
            buffer,
            offset,
            length,
            stride,
            usage,
            vertex_users: HashSet::new(),
        }
    }
}
