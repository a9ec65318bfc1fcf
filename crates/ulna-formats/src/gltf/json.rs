//! JSON helpers for the glTF reader. Elements stay raw text until they are parsed, and simple
//! errors are repaired.

use std::marker::PhantomData;

use indexmap::IndexMap;
use serde::{
    Deserialize, Deserializer,
    de::{
        DeserializeOwned, Error as _, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer,
    },
};
use serde_json::{Value, value::RawValue};

use super::ReadError;
use ulna_model::{IdKind, Location};

/// Members of an object as raw text, in order. If a key is repeated, the map contains the last
/// value, and the list contains the earlier ones.
#[derive(Debug, Default)]
pub struct RawMap<'a>(pub IndexMap<String, &'a RawValue>, pub Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for RawMap<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = RawMap<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = IndexMap::new();
                let mut displaced = Vec::new();
                while let Some((key, value)) = map.next_entry::<String, &'de RawValue>()? {
                    if let Some(earlier) = members.insert(key.clone(), value) {
                        displaced.push((key, earlier));
                    }
                }
                Ok(RawMap(members, displaced))
            }
        }
        deserializer.deserialize_map(Members)
    }
}

/// An index into a list of the file. An integer may also be written as `3.0` (glTF 2.0, *JSON
/// Encoding*).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Index(pub usize);

impl<'de> Deserialize<'de> for Index {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Number;
        impl Visitor<'_> for Number {
            type Value = Index;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a whole number of 0 or more")
            }

            fn visit_u64<E: serde::de::Error>(self, v: u64) -> Result<Index, E> {
                usize::try_from(v).map(Index).map_err(|e| E::custom(e))
            }

            fn visit_i64<E: serde::de::Error>(self, v: i64) -> Result<Index, E> {
                usize::try_from(v)
                    .map(Index)
                    .ok()
                    .ok_or_else(|| E::custom(format!("{v} is not a whole number of 0 or more")))
            }

            fn visit_f64<E: serde::de::Error>(self, v: f64) -> Result<Index, E> {
                if v >= 0.0 && v.fract() == 0.0 && v < 9e15 {
                    Ok(Index(v as usize))
                } else {
                    Err(E::custom(format!("{v} is not a whole number of 0 or more")))
                }
            }
        }
        deserializer.deserialize_any(Number)
    }
}

/// Extensions or extras of an element: members as owned raw text. Most elements have none, which
/// takes only one pointer.
#[derive(Debug, Default)]
pub struct Extensions(Option<Box<IndexMap<String, Box<RawValue>>>>);

impl<'de> Deserialize<'de> for Extensions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Values other than objects contain no extensions. They are preserved in the source.
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Ok(Self(serde_json::from_str(raw.get()).ok().map(Box::new)))
    }
}

impl Extensions {
    /// Whether a member with this name exists.
    pub fn has(&self, name: &str) -> bool {
        self.0.as_ref().is_some_and(|m| m.contains_key(name))
    }

    /// Whether there are no members.
    pub fn is_empty(&self) -> bool {
        self.values().next().is_none()
    }

    /// JSON texts of all members.
    pub fn values(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flat_map(|m| m.values()).map(|raw| raw.get())
    }

    /// Parses the value of a member. `None` if it is missing or of another type.
    pub fn get<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        serde_json::from_str(self.0.as_ref()?.get(name)?.get()).ok()
    }
}

/// Splits the JSON text of a file into its top-level members.
pub fn split(text: &str) -> Result<RawMap<'_>, ReadError> {
    serde_json::from_str(text).map_err(|e| ReadError::Json {
        line: e.line(),
        column: e.column(),
        message: plain(&e),
    })
}

/// Splits a top-level list into its elements, as raw text.
pub fn elements<'a>(root: &RawMap<'a>, name: &'static str) -> Result<Vec<&'a RawValue>, ReadError> {
    match root.0.get(name) {
        None => Ok(Vec::new()),
        Some(raw) if raw.get() == "null" => Ok(Vec::new()),
        Some(raw) => serde_json::from_str(raw.get())
            .map_err(|e| ReadError::at(name, format!("a list is expected ({})", plain(&e)))),
    }
}

/// Parses a top-level list.
pub fn list<T: DeserializeOwned>(root: &RawMap<'_>, kind: IdKind) -> Result<Vec<T>, ReadError> {
    let elements = elements(root, kind.list())?;
    elements
        .iter()
        .enumerate()
        .map(|(k, raw)| typed(raw.get(), &Location::at(kind, k), &mut false))
        .collect()
}

/// Wrapper for a type that is parsed only from a JSON object. Derived types would also accept a
/// list, whose items have no member names for a patch.
pub struct Object<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Members<T> {
            type Value = Object<T>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Object<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(Object)
            }
        }
        deserializer.deserialize_any(Members(PhantomData))
    }
}

/// Parses a nested object.
pub fn object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    Object::deserialize(deserializer).map(|Object(value)| value)
}

/// Parses an optional nested object.
pub fn some_object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Ok(Option::<Object<T>>::deserialize(deserializer)?.map(|Object(value)| value))
}

/// Parses a list of objects.
pub fn objects<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    struct Items<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for Items<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a list of objects")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
            let mut items = Vec::new();
            while let Some(Object(item)) = list.next_element::<Object<T>>()? {
                items.push(item);
            }
            Ok(items)
        }
    }
    deserializer.deserialize_seq(Items(PhantomData))
}

/// Parses an element, which must be an object. Simple errors are repaired (see [`lenient`]);
/// `repaired` is then set to `true`.
pub fn typed<T: DeserializeOwned>(
    text: &str,
    place: &Location,
    repaired: &mut bool,
) -> Result<T, ReadError> {
    plain_typed::<Object<T>>(text, place, repaired).map(|Object(value)| value)
}

/// Parses a value of any type, with the same repairs as [`typed`].
pub fn plain_typed<T: DeserializeOwned>(
    text: &str,
    place: &Location,
    repaired: &mut bool,
) -> Result<T, ReadError> {
    match serde_json::from_str(text) {
        Ok(value) => Ok(value),
        Err(first) => {
            let again = lenient(text).and_then(|value| serde_json::from_value(value));
            match again {
                Ok(value) => {
                    *repaired = true;
                    Ok(value)
                }
                Err(_) => Err(ReadError::at(place, plain(&first))),
            }
        }
    }
}

/// Parses JSON leniently. A lone surrogate becomes U+FFFD, and a number beyond `f64` becomes
/// infinity. Null members are removed. If a key is repeated, the last value is used.
fn lenient(text: &str) -> serde_json::Result<Value> {
    let mut value: Value = serde_json::from_str(&mend_tokens(text))?;
    drop_nulls(&mut value);
    Ok(value)
}

/// Parses a whole JSON text, including null members. Tokens are repaired as in [`lenient`]. `None`
/// if the text is not JSON, or is nested too deeply.
pub fn with_nulls(text: &str) -> Option<Value> {
    let text = text.trim_start_matches('\u{feff}');
    serde_json::from_str(text).or_else(|_| serde_json::from_str(&mend_tokens(text))).ok()
}

fn drop_nulls(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|_, v| !v.is_null());
            members.values_mut().for_each(drop_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_nulls),
        _ => {}
    }
}

fn mend_tokens(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    let mut copied = 0;
    let mut in_string = false;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                in_string = !in_string;
                at += 1;
            }
            b'\\' if in_string => {
                if let Some(unit) = escape_unit(bytes, at) {
                    let pair = (0xD800..0xDC00).contains(&unit)
                        && escape_unit(bytes, at + 6)
                            .is_some_and(|low| (0xDC00..0xE000).contains(&low));
                    if pair {
                        at += 12;
                        continue;
                    }
                    if (0xD800..0xE000).contains(&unit) {
                        out.push_str(&text[copied..at]);
                        out.push_str("\\uFFFD");
                        copied = at + 6;
                    }
                    at += 6;
                } else {
                    at += 2;
                }
            }
            b'-' | b'0'..=b'9' if !in_string => {
                let start = at;
                while at < bytes.len()
                    && matches!(bytes[at], b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9')
                {
                    at += 1;
                }
                if text[start..at].parse::<f64>().is_ok_and(f64::is_infinite) {
                    out.push_str(&text[copied..start]);
                    out.push_str("1e300");
                    copied = at;
                }
            }
            _ => at += 1,
        }
    }
    out.push_str(&text[copied..]);
    out
}

fn escape_unit(bytes: &[u8], at: usize) -> Option<u32> {
    let escape = bytes.get(at..at + 6).filter(|e| e.starts_with(b"\\u"))?;
    u32::from_str_radix(std::str::from_utf8(&escape[2..]).ok()?, 16).ok()
}

/// Message of a `serde_json` error without its position.
fn plain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or(&text).to_owned()
}

/// Parses an optional list of exactly `N` numbers.
pub fn fixed<'de, D: Deserializer<'de>, const N: usize>(
    deserializer: D,
) -> Result<Option<[f32; N]>, D::Error> {
    let Some(list) = Option::<Vec<f32>>::deserialize(deserializer)? else { return Ok(None) };
    <[f32; N]>::try_from(list).map(Some).map_err(|list| {
        D::Error::custom(format!("{N} numbers are expected, but there are {}", list.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_surrogate_pair_is_kept_and_a_lone_surrogate_is_replaced() {
        assert_eq!(
            mend_tokens(r#"{"a":"\ud83d\ude00 \ud83d x","b":-1e400}"#),
            r#"{"a":"\ud83d\ude00 \uFFFD x","b":1e300}"#
        );
    }

    #[test]
    fn integers_may_be_written_with_a_decimal_point() {
        assert_eq!(serde_json::from_str::<Index>("3.0").unwrap(), Index(3));
        assert!(serde_json::from_str::<Index>("0.5").is_err());
        assert!(serde_json::from_str::<Index>("-1").is_err());
    }

    #[test]
    fn a_list_in_place_of_an_object_is_refused_at_any_depth() {
        use super::super::schema;
        let take =
            |text: &str| typed::<schema::Animation>(text, &Location::default(), &mut false).is_ok();
        assert!(take(
            r#"{"channels":[{"sampler":0,"target":{"path":"scale"}}],
            "samplers":[{"input":0,"output":1}]}"#
        ));
        assert!(!take(r#"["x",[],[]]"#));
        assert!(!take(r#"{"channels":[[0,[1,"scale",{}]]],"samplers":[]}"#));
        assert!(!take(r#"{"channels":[{"sampler":0,"target":[1,"scale",{}]}],"samplers":[]}"#));
        assert!(!take(r#"{"channels":[],"samplers":[[0,1,null]]}"#));
        assert!(
            typed::<schema::Node>(
                r#"["A",[],null,null,null,null,null,null,null,null,{},{}]"#,
                &Location::default(),
                &mut false
            )
            .is_err()
        );
        assert!(
            typed::<schema::Mesh>(
                r#"{"primitives":[[{},null,null,null,[],{}]]}"#,
                &Location::default(),
                &mut false
            )
            .is_err()
        );
    }

    #[test]
    fn of_two_members_with_one_name_the_last_is_used() {
        let map = split(r#"{"a":1,"b":2,"a":3}"#).unwrap();
        assert_eq!(map.0["a"].get(), "3");
    }
}
