//! Fast parallel parsing of the JSON of a valid file.
//!
//! Most of the JSON of a large file consists of accessors, buffer views and animations. These lists
//! are split into elements by their brackets, and parsed on all cores. Parsing checks the grammar
//! inside elements, and this module checks it between them. Unusual files are left to `json.rs`,
//! which reports or repairs the problem.

use rayon::prelude::*;
use serde::de::DeserializeOwned;

use super::{
    ReadError,
    json::{self, RawMap},
    schema::{Accessor, Animation, BufferView},
};
use ulna_model::IdKind;

/// The long lists of a file, if they could be parsed in parallel; otherwise `None`.
#[derive(Default)]
pub struct BulkArray(Option<OutlineLists>);

struct OutlineLists {
    accessors: Vec<Accessor>,
    views: Vec<BufferView>,
    animations: Vec<Animation>,
}

/// Splits a file into its top-level members. Long lists are parsed in parallel if possible, and
/// then are not among the members.
///
/// # Errors
/// The text is not a JSON object.
pub fn read(text: &str) -> Result<(RawMap<'_>, BulkArray), ReadError> {
    match parse_parallel(text) {
        Some((root, lists)) => Ok((root, BulkArray(Some(lists)))),
        None => Ok((json::split(text)?, BulkArray(None))),
    }
}

impl BulkArray {
    /// Returns the elements of `accessors`. Must be called at most once.
    pub fn accessors(&mut self, root: &RawMap<'_>) -> Result<Vec<Accessor>, ReadError> {
        match &mut self.0 {
            Some(lists) => Ok(std::mem::take(&mut lists.accessors)),
            None => json::list(root, IdKind::Accessor),
        }
    }

    /// Returns the elements of `bufferViews`. Must be called at most once.
    pub fn views(&mut self, root: &RawMap<'_>) -> Result<Vec<BufferView>, ReadError> {
        match &mut self.0 {
            Some(lists) => Ok(std::mem::take(&mut lists.views)),
            None => json::list(root, IdKind::View),
        }
    }

    /// Returns the elements of `animations` if they are already parsed. Must be called at most
    /// once.
    pub fn animations(&mut self) -> Option<Vec<Animation>> {
        self.0.as_mut().map(|lists| std::mem::take(&mut lists.animations))
    }
}

fn parse_parallel(text: &str) -> Option<(RawMap<'_>, OutlineLists)> {
    let mut root = RawMap::default();
    let mut long: [Option<Vec<&str>>; 3] = [None, None, None];
    let b = text.as_bytes();
    let mut at = space(b, expect(b, space(b, 0), b'{')?);
    if b.get(at) != Some(&b'}') {
        loop {
            let end = string(b, at)?;
            let key = &text[at + 1..end - 1];
            if key.bytes().any(|c| c == b'\\' || c < b' ') {
                return None;
            }
            let start = space(b, expect(b, space(b, end), b':')?);
            let end = if let Some(which) = LONG.iter().position(|name| *name == key) {
                let (items, end) = items(text, start)?;
                if long[which].replace(items).is_some() {
                    return None;
                }
                end
            } else {
                let end = value(b, start)?;
                // A repeated key needs a finding, which only the slower parser adds.
                if root
                    .0
                    .insert(key.to_owned(), serde_json::from_str(&text[start..end]).ok()?)
                    .is_some()
                {
                    return None;
                }
                end
            };
            at = space(b, end);
            match b.get(at)? {
                b',' => at = space(b, at + 1),
                b'}' => break,
                _ => return None,
            }
        }
    }
    if space(b, at + 1) != b.len() {
        return None;
    }
    let [accessors, views, animations] = long.map(Option::unwrap_or_default);
    let (views, (accessors, animations)) = join_if_large(
        text.len(),
        || typed(&views),
        || join_if_large(text.len(), || typed(&accessors), || typed(&animations)),
    );
    Some((root, OutlineLists { accessors: accessors?, views: views?, animations: animations? }))
}

/// Names of the long lists that are split into elements.
const LONG: [&str; 3] = ["accessors", "bufferViews", "animations"];

/// Runs both functions, in parallel if the text is long enough, and returns both results.
pub fn join_if_large<A: Send, B: Send>(
    length: usize,
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    if length < 128 << 10 { (a(), b()) } else { rayon::join(a, b) }
}

/// Parses JSON objects in parallel.
fn typed<T: DeserializeOwned + Send>(items: &[&str]) -> Option<Vec<T>> {
    const BLOCK: usize = 64 << 10;
    let block = |items: &[&str]| {
        items.iter().map(|item| serde_json::from_str(item).ok()).collect::<Option<Vec<T>>>()
    };
    let length: usize = items.iter().map(|item| item.len()).sum();
    if length <= BLOCK {
        return block(items);
    }
    let parts: Option<Vec<Vec<T>>> =
        items.par_chunks((items.len() * BLOCK / length).max(1)).map(block).collect();
    let mut all = Vec::with_capacity(items.len());
    parts?.into_iter().for_each(|part| all.extend(part));
    Some(all)
}

/// Splits the list that starts at an offset into its elements, if all are objects. Also returns the
/// end of the list. The content of the elements is not checked.
fn items(text: &str, start: usize) -> Option<(Vec<&str>, usize)> {
    let b = text.as_bytes();
    let mut list = Vec::new();
    let mut at = space(b, expect(b, start, b'[')?);
    if b.get(at) != Some(&b']') {
        loop {
            expect(b, at, b'{')?;
            let end = value(b, at)?;
            list.push(&text[at..end]);
            at = space(b, end);
            match b.get(at)? {
                b',' => at = space(b, at + 1),
                b']' => break,
                _ => return None,
            }
        }
    }
    Some((list, at + 1))
}

fn space(b: &[u8], mut at: usize) -> usize {
    while matches!(b.get(at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
        at += 1;
    }
    at
}

fn expect(b: &[u8], at: usize, wanted: u8) -> Option<usize> {
    (b.get(at) == Some(&wanted)).then_some(at + 1)
}

/// End offset of the JSON string that starts at an offset.
fn string(b: &[u8], at: usize) -> Option<usize> {
    let mut at = expect(b, at, b'"')?;
    loop {
        match b.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// End offset of the JSON value that starts at an offset. Only brackets and quotes are considered.
fn value(b: &[u8], start: usize) -> Option<usize> {
    /// Table of the bytes that need handling: quotes and brackets.
    const STOPS: [bool; 256] = {
        let mut stops = [false; 256];
        let mut k = 0;
        while k < 5 {
            stops[b"\"{}[]"[k] as usize] = true;
            k += 1;
        }
        stops
    };
    let mut depth = 0usize;
    let mut at = start;
    match b.get(at)? {
        b'"' => return string(b, at),
        b'{' | b'[' => {}
        _ => {
            let is_end = |c: &u8| matches!(c, b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r');
            return b[start..].iter().position(is_end).map(|n| start + n);
        }
    }
    loop {
        let c = *b.get(at)?;
        at += 1;
        if !STOPS[usize::from(c)] {
            continue;
        }
        match c {
            b'"' => at = string(b, at - 1)?,
            b'{' | b'[' => depth += 1,
            _ => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SOUND: &str = r#" {"asset" : {"version":"2.0", "extras":[null, "}]\"", {}]},
        "accessors":[ {"componentType":5126,
        "count":3, "type":"VEC3", "name":"a\\"} ,
        {"componentType":5121,"count":1,"type":"SCALAR","x":[[{}]]}],
        "bufferViews":[{"buffer":0,"byteLength":4}], "animations":[], "nodes":[{"name":"é"}] } "#;

    #[test]
    fn a_valid_file_uses_the_fast_path() {
        let (root, mut long) = read(SOUND).unwrap();
        assert!(long.0.is_some());
        assert_eq!(root.0.keys().collect::<Vec<_>>(), ["asset", "nodes"]);
        assert_eq!(
            long.accessors(&root).unwrap().iter().map(|a| a.count.0).collect::<Vec<_>>(),
            [3, 1]
        );
        assert_eq!(long.views(&root).unwrap().len(), 1);
        assert!(long.animations().is_some_and(|a| a.is_empty()));
    }

    #[test]
    fn the_full_parser_gives_the_same_lists() {
        let text = SOUND.replacen('{', r#"{"extras":1,"extras":2,"#, 1);
        let (root, mut long) = read(&text).unwrap();
        assert!(long.0.is_none() && long.animations().is_none());
        assert_eq!(
            long.accessors(&root).unwrap().iter().map(|a| a.count.0).collect::<Vec<_>>(),
            [3, 1]
        );
        assert_eq!(long.views(&root).unwrap().len(), 1);
    }

    #[test]
    fn unusual_texts_use_the_full_parser() {
        for text in [
            r#"{"accessors":[],"accessors":[]}"#,
            r#"{"a":1,"a":2}"#,
            r#"{"acc\u0065ssors":[]}"#,
            r#"{"accessors":null}"#,
            r#"{"accessors":[null]}"#,
        ] {
            assert!(parse_parallel(text).is_none() && read(text).is_ok(), "{text}");
        }
    }

    proptest! {
        /// The fast parser accepts only texts that the full parser accepts, and finds the same
        /// members.
        #[test]
        fn the_fast_path_accepts_no_invalid_json(
            cuts in proptest::collection::vec((0..SOUND.len(), 0..3usize,
                proptest::sample::select(br#"{}[],:"\ 1n"#.to_vec())), 0..4),
        ) {
            let mut bytes = SOUND.as_bytes().to_vec();
            for (at, what, byte) in cuts {
                let at = at.min(bytes.len() - 1);
                match what {
                    0 => bytes[at] = byte,
                    1 => bytes.insert(at, byte),
                    _ => { bytes.remove(at); }
                }
            }
            let text = String::from_utf8_lossy(&bytes).into_owned();
            if let Some((root, lists)) = parse_parallel(&text) {
                let slow = json::split(&text);
                prop_assert!(slow.is_ok(), "{text}");
                let slow = slow.unwrap();
                for (key, value) in &root.0 {
                    prop_assert_eq!(slow.0.get(key).map(|v| v.get()), Some(value.get()));
                }
                let length = |name: &'static str| json::elements(&slow, name).map_or(usize::MAX,
                    |e| e.len());
                prop_assert_eq!(length("accessors"), lists.accessors.len());
                prop_assert_eq!(length("bufferViews"), lists.views.len());
                prop_assert_eq!(length("animations"), lists.animations.len());
            }
        }
    }
}
