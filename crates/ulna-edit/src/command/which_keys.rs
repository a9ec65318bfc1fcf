//! Selection of keys in commands: by times and tracks, or as single keys.

use serde_json::{Map, Value};

use super::{
    ArgumentError, ArgumentSpec, ArgumentType, Arguments, CommandError,
    clip_keys::SAME_TIME,
    field::{ArgumentPart, Field, KeyParts, Nodes, Numbers, Seconds, number},
    names,
};
use crate::{KeysHome, Selection};
use ulna_model::{Clip, ClipId, Document, KeySet, KeyTimes, Property, Track};

/// Keys of one track.
#[derive(Clone, Debug, PartialEq)]
pub enum TrackKeys {
    /// Keys by their times, in seconds.
    Times(Vec<f32>),
    /// All keys between two times, inclusive. This is a short form for motion capture with many
    /// keys.
    Range(f32, f32),
}

/// Single keys of several tracks.
#[derive(Clone, Debug, PartialEq)]
pub enum KeyList {
    /// Nodes and properties, each with an optional component and key times.
    Named(Vec<(String, Property, Option<u16>, TrackKeys)>),
    /// A set of keys of a clip.
    Set(ClipId, KeySet),
}

impl Field for KeyList {
    const KIND: ArgumentType = ArgumentType::Keys;

    fn read(from: &Arguments, name: &'static str) -> Result<Self, ArgumentError> {
        const WANTED: &str = "keys such as {\"Arm\": {\"rotation\": [0, 0.5]}}, or {\"from\": \
            0, \"to\": 2} in \
                place of the list";
        let value = from.value(name)?;
        let wrong = || Arguments::wrong(name, WANTED, value);
        let mut list = Vec::new();
        for (node, tracks) in value.as_object().ok_or_else(wrong)? {
            for (path, times) in tracks.as_object().ok_or_else(wrong)? {
                let (property, component) = channel_of(path).ok_or_else(wrong)?;
                let keys = match times {
                    Value::Array(times) => {
                        times.iter().map(finite).collect::<Option<_>>().map(TrackKeys::Times)
                    }
                    Value::Object(range) if range.len() == 2 => {
                        let end = |name| range.get(name).and_then(finite);
                        end("from").zip(end("to")).map(|(from, to)| TrackKeys::Range(from, to))
                    }
                    _ => None,
                };
                list.push((node.clone(), property, component, keys.ok_or_else(wrong)?));
            }
        }
        if list.is_empty() {
            Err(ArgumentError::Empty(name.to_owned()))
        } else {
            Ok(Self::Named(list))
        }
    }

    fn write(&self, document: &Document) -> Value {
        let mut all = Map::new();
        let mut put = |node: String, channel: String, keys: &TrackKeys| {
            let keys = match keys {
                TrackKeys::Times(times) => {
                    times.iter().map(|t| number(*t)).collect::<Vec<_>>().into()
                }
                TrackKeys::Range(from, to) => {
                    serde_json::json!({"from": number(*from), "to": number(*to)})
                }
            };
            let tracks = all.entry(node).or_insert_with(|| Value::Object(Map::new()));
            if let Some(tracks) = tracks.as_object_mut() {
                tracks.insert(channel, keys);
            }
        };
        match self {
            Self::Named(list) => {
                for (node, property, component, keys) in list {
                    put(node.clone(), channel_name(*property, *component), keys);
                }
            }
            Self::Set(clip, keys) => {
                let Some(clip) = document.clips.get(*clip) else { return Value::Null };
                let texts = names::NodeTexts::of(document);
                for (id, times) in keys.iter() {
                    let Some(track) = clip.tracks.get(&id) else { continue };
                    let mut put = |component, times: &[f32]| {
                        let channel = channel_name(track.property, component);
                        put(texts.text(track.target), channel, &shortest(track, times));
                    };
                    let mut parts = keys.parts_of(id).peekable();
                    if parts.peek().is_none() {
                        put(None, times);
                        continue;
                    }
                    let whole: Vec<f32> =
                        times.iter().copied().filter(|t| keys.is_whole(id, *t)).collect();
                    if !whole.is_empty() {
                        put(None, &whole);
                    }
                    parts.for_each(|(component, times)| put(Some(component), times));
                }
            }
        }
        all.into()
    }
}

/// Returns the name of a channel for keys, such as `rotation`, `rotation.x` or `weights.3`.
fn channel_name(property: Property, component: Option<u16>) -> String {
    let path = property.path();
    match component {
        None => path.to_owned(),
        Some(k @ 0..=3) if property != Property::Weights => {
            format!("{path}.{}", ["x", "y", "z", "w"][usize::from(k)])
        }
        Some(k) => format!("{path}.{k}"),
    }
}

/// Parses the name of a channel, with an optional component.
fn channel_of(name: &str) -> Option<(Property, Option<u16>)> {
    let (path, component) = name.split_once('.').map_or((name, None), |(p, c)| (p, Some(c)));
    let property = [Property::Weights].into_iter().chain(Property::TRS);
    let property = property.into_iter().find(|p| p.path() == path)?;
    let component = match component {
        None => None,
        Some("x") if property != Property::Weights => Some(0),
        Some("y") if property != Property::Weights => Some(1),
        Some("z") if property != Property::Weights => Some(2),
        Some("w") if property == Property::Rotation => Some(3),
        Some(number) => Some(number.parse().ok()?),
    };
    Some((property, component))
}

/// Returns the shortest form of key times: a range if there are many keys and the range contains no
/// others.
fn shortest(track: &Track, times: &[f32]) -> TrackKeys {
    const FEW: usize = 4;
    if let [from, .., to] = times
        && times.len() > FEW
        && *KeyTimes::within(&track.times, *from, *to) == *times
    {
        return TrackKeys::Range(*from, *to);
    }
    TrackKeys::Times(times.to_vec())
}

fn finite(value: &Value) -> Option<f32> {
    value.as_f64().map(|v| v as f32).filter(|v| v.is_finite())
}

/// Arguments that select keys of a clip. Keys are selected by `time`, `times`, or a range from
/// `from` to `to`. `node` and `parts` limit the tracks.
///
/// Alternatively, `keys` lists single keys.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WhichKeys {
    /// Time of the keys, in seconds.
    pub time: Option<Seconds>,
    /// Times of the keys, in seconds; an alternative to `time`.
    pub times: Option<Numbers>,
    /// Start of a time range, in seconds; requires `to`.
    pub from: Option<Seconds>,
    /// End of the time range, in seconds, inclusive.
    pub to: Option<Seconds>,
    /// Nodes whose keys are selected; all if `None`.
    pub node: Option<Nodes>,
    /// Properties whose keys are selected; all if `None`.
    pub parts: Option<KeyParts>,
    /// Single keys; excludes all other arguments.
    pub keys: Option<KeyList>,
}

impl ArgumentPart for WhichKeys {
    fn specs(_: &'static str, _: &'static str) -> Vec<ArgumentSpec> {
        [
            Option::<Seconds>::specs("time", "Keys at this time only, in seconds."),
            Option::<Numbers>::specs("times", "Keys at these times only, in seconds."),
            Option::<Seconds>::specs("from", "Keys from this time on, in seconds."),
            Option::<Seconds>::specs("to", "Keys up to this time, in seconds."),
            Option::<Nodes>::specs("node", "Nodes whose keys to use; all if omitted."),
            Option::<KeyParts>::specs(
                "parts",
                "Kinds of tracks whose keys to use; all if omitted.",
            ),
            Option::<KeyList>::specs("keys", "Individual keys, instead of times and nodes."),
        ]
        .concat()
    }

    fn read(from: &Arguments, _: &'static str) -> Result<Self, ArgumentError> {
        Ok(Self {
            time: ArgumentPart::read(from, "time")?,
            times: ArgumentPart::read(from, "times")?,
            from: ArgumentPart::read(from, "from")?,
            to: ArgumentPart::read(from, "to")?,
            node: ArgumentPart::read(from, "node")?,
            parts: ArgumentPart::read(from, "parts")?,
            keys: ArgumentPart::read(from, "keys")?,
        })
    }

    fn write(&self, document: &Document, _: &'static str, into: &mut Map<String, Value>) {
        let Self { time, times, from, to, node, parts, keys } = self;
        time.write(document, "time", into);
        times.write(document, "times", into);
        from.write(document, "from", into);
        to.write(document, "to", into);
        node.write(document, "node", into);
        parts.write(document, "parts", into);
        keys.write(document, "keys", into);
    }
}

impl WhichKeys {
    /// Selects a set of keys.
    pub fn these(clip: ClipId, keys: KeySet) -> Self {
        Self { keys: Some(KeyList::Set(clip, keys)), ..Self::default() }
    }

    /// Whether all arguments are omitted.
    pub fn is_all(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the selected keys of the clip or layer that is on the timeline; `None` if there are
    /// none.
    pub fn selected(selection: &Selection, shown: Option<KeysHome>) -> Option<(ClipId, Self)> {
        let (clip, keys) = (shown?.clip, selection.keys_of(shown));
        (!keys.is_empty()).then(|| (clip, Self::these(clip, keys.clone())))
    }

    /// Returns the selected keys with their exact times.
    ///
    /// # Errors
    /// If a node does not exist, or the times are missing or given in several ways.
    pub fn of(&self, document: &Document, id: ClipId, clip: &Clip) -> Result<KeySet, CommandError> {
        self.find(document, id, clip, false)
    }

    /// Returns the selected keys as [`WhichKeys::of`] does, but all keys if no time is given.
    ///
    /// # Errors
    /// If a node does not exist, or the times are given in several ways.
    pub fn or_all(
        &self,
        document: &Document,
        id: ClipId,
        clip: &Clip,
    ) -> Result<KeySet, CommandError> {
        self.find(document, id, clip, true)
    }

    fn find(
        &self,
        document: &Document,
        id: ClipId,
        clip: &Clip,
        or_all: bool,
    ) -> Result<KeySet, CommandError> {
        let Self { time, times, from, to, node, parts, keys } = self;
        let timed = time.is_some() || times.is_some() || from.is_some() || to.is_some();
        if let Some(keys) = keys {
            if timed || node.is_some() || parts.is_some() {
                return Err(CommandError::other(
                    "arguments_exclusive",
                    "“keys” lists individual keys; omit all other arguments that select keys",
                ));
            }
            return keys.find(document, id, clip);
        }
        let nodes = node.as_ref().map(|n| n.all(document)).transpose()?;
        let wanted = |t: &Track| {
            nodes.as_ref().is_none_or(|n| n.binary_search(&t.target).is_ok())
                && parts.as_ref().is_none_or(|p| p.0.contains(&t.property))
        };
        if or_all && !timed {
            let all = |t: &Track| KeyTimes::part(&t.times, 0..t.times.len());
            return Ok(KeySet::of(
                clip,
                |_, t| if wanted(t) { all(t) } else { KeyTimes::default() },
            ));
        }
        let meant = NamedKeys::of(*time, times.as_ref(), *from, *to)?;
        Ok(KeySet::of(clip, |_, t| if wanted(t) { meant.of_track(t) } else { KeyTimes::default() }))
    }
}

impl KeyList {
    fn find(&self, document: &Document, id: ClipId, clip: &Clip) -> Result<KeySet, CommandError> {
        let list = match self {
            Self::Set(of, keys) if *of == id => return Ok(keys.clone().there(clip)),
            Self::Set(..) => {
                return Err(CommandError::other(
                    "keys_of_other_clip",
                    "the keys belong to another clip",
                ));
            }
            Self::Named(list) => list,
        };
        Self::named(list, document, clip, |own, keys| {
            let near = |t: &f32| own.key_at(*t, SAME_TIME).map(|k| own.times[k]);
            match keys {
                TrackKeys::Times(times) => times.iter().filter_map(near).collect::<Vec<_>>().into(),
                TrackKeys::Range(from, to) => KeyTimes::within(&own.times, *from, *to),
            }
        })
    }

    /// Returns the listed times for keys that will be inserted. Channels need no keys at these
    /// times. Ranges select only existing keys, and are ignored.
    pub(super) fn to_come(
        &self,
        document: &Document,
        id: ClipId,
        clip: &Clip,
    ) -> Result<KeySet, CommandError> {
        match self {
            Self::Set(of, keys) if *of == id => Ok(keys.clone()),
            Self::Set(..) => self.find(document, id, clip),
            Self::Named(list) => Self::named(list, document, clip, |_, keys| match keys {
                TrackKeys::Times(times) => times.clone().into(),
                TrackKeys::Range(..) => KeyTimes::default(),
            }),
        }
    }

    fn named(
        list: &[(String, Property, Option<u16>, TrackKeys)],
        document: &Document,
        clip: &Clip,
        times: impl Fn(&Track, &TrackKeys) -> KeyTimes,
    ) -> Result<KeySet, CommandError> {
        let mut found = KeySet::default();
        for (text, property, component, keys) in list {
            for node in names::find_nodes(document, text)? {
                let Some((track, own)) = clip.track(node, *property) else { continue };
                let times = times(own, keys);
                found = found.union(&match component {
                    Some(component) => KeySet::of_component(track, *component, times),
                    None => {
                        let mut whole = KeySet::default();
                        whole.set(track, times);
                        whole
                    }
                });
            }
        }
        Ok(found)
    }
}

/// Times in a command line: a range, or a list.
enum NamedKeys {
    Range(f32, f32),
    /// Times in ascending order, in seconds.
    Times(Vec<f32>),
}

impl NamedKeys {
    /// Reads the times from exactly one of `time`, `times`, or `from` with `to`.
    fn of(
        time: Option<Seconds>,
        times: Option<&Numbers>,
        from: Option<Seconds>,
        to: Option<Seconds>,
    ) -> Result<Self, CommandError> {
        match (time, times, from, to) {
            (Some(Seconds(time)), None, None, None) => {
                Ok(Self::Range(time - SAME_TIME, time + SAME_TIME))
            }
            (None, Some(times), None, None) => {
                let mut times: Vec<f32> = times.0.iter().map(|t| *t as f32).collect();
                times.sort_by(f32::total_cmp);
                Ok(Self::Times(times))
            }
            (None, None, Some(Seconds(from)), Some(Seconds(to))) if from > to => {
                Err(CommandError::other(
                    "times_out_of_order",
                    format!("“from” ({from} s) is later than “to” ({to} s)"),
                ))
            }
            (None, None, Some(Seconds(from)), Some(Seconds(to))) => {
                Ok(Self::Range(from - SAME_TIME, to + SAME_TIME))
            }
            (None, None, Some(_), None) | (None, None, None, Some(_)) => {
                let missing = if from.is_some() { "to" } else { "from" };
                Err(CommandError::other(
                    "arguments_together",
                    format!("“from” and “to” must be used together; “{missing}” is missing"),
                ))
            }
            (None, None, None, None) => Err(CommandError::other(
                "argument_missing",
                "no keys are given; add “time”, “times”, or “from” with “to”",
            )),
            _ => Err(CommandError::other(
                "arguments_exclusive",
                "use only one of “time”, “times”, or “from” with “to” to select keys",
            )),
        }
    }

    fn of_track(&self, track: &Track) -> KeyTimes {
        match self {
            Self::Range(from, to) => KeyTimes::within(&track.times, *from, *to),
            Self::Times(times) => {
                let has = |time: &f32| {
                    let at = times.partition_point(|t| *t < time - SAME_TIME);
                    times.get(at).is_some_and(|t| (t - time).abs() <= SAME_TIME)
                };
                track.times.iter().copied().filter(has).collect::<Vec<_>>().into()
            }
        }
    }
}
