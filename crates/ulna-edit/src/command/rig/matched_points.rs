//! Argument with positions for joints of a copied skeleton.

use glam::DVec3;
use serde_json::Value;

use crate::command::{ArgumentError, ArgumentType, Arguments, field::field};

/// Joint names with their positions in the scene, in meters: `joint=x y z`.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchedPoints(pub Vec<(String, DVec3)>);

const WANTED: &str = "joint=x y z in meters, or a list of these; a text separates them by ;";

field!(MatchedPoints, ArgumentType::Text, |from, name| read(from, name), |v, d| {
    let text = |(joint, p): &(String, DVec3)| format!("{joint}={} {} {}", p.x, p.y, p.z);
    let mut texts: Vec<String> = v.0.iter().map(text).collect();
    match texts.len() {
        1 => texts.remove(0).into(),
        _ => texts.into(),
    }
});

fn read(from: &Arguments, name: &'static str) -> Result<MatchedPoints, ArgumentError> {
    let value = from.value(name)?;
    let texts: Option<Vec<&str>> = match value {
        Value::String(text) => Some(text.split([';', '\n']).collect()),
        Value::Array(list) if list.is_empty() => {
            return Err(ArgumentError::Empty(name.to_owned()));
        }
        Value::Array(list) => list.iter().map(Value::as_str).collect(),
        _ => None,
    };
    let texts = texts.into_iter().flatten().map(str::trim).filter(|t| !t.is_empty());
    let points: Option<Vec<(String, DVec3)>> = texts.map(point).collect();
    points
        .filter(|p| !p.is_empty())
        .map(MatchedPoints)
        .ok_or_else(|| Arguments::wrong(name, WANTED, value))
}

/// Parses text such as `Hips=0 0.93 0`, with spaces or commas between the numbers.
fn point(text: &str) -> Option<(String, DVec3)> {
    let (joint, numbers) = text.rsplit_once('=')?;
    let numbers: Option<Vec<f64>> = numbers
        .split([' ', ',', '\t'])
        .filter(|n| !n.is_empty())
        .map(|n| n.parse().ok().filter(|v: &f64| v.is_finite()))
        .collect();
    let [x, y, z] = numbers?[..] else { return None };
    let joint = joint.trim();
    (!joint.is_empty()).then(|| (joint.to_owned(), DVec3::new(x, y, z)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_read_with_blanks_and_commas() {
        let read = |text| point(text).expect("a point");
        assert_eq!(read("Hips=0 0.93 -1"), ("Hips".to_owned(), DVec3::new(0.0, 0.93, -1.0)));
        assert_eq!(read(" a=b = 1,2 , 3e-1 "), ("a=b".to_owned(), DVec3::new(1.0, 2.0, 0.3)));
        for text in ["Hips", "Hips=1 2", "Hips=1 2 3 4", "=1 2 3", "Hips=1 2 x", "Hips=1 2 inf"] {
            assert_eq!(point(text), None, "{text}");
        }
    }
}
