//! User-defined properties of nodes, converted to glTF extras.

use serde_json::{Map, Value, json};
use ufbx::{Element, Prop, PropFlags, PropType};

/// Maximum number of properties per node.
const MOST: usize = 1000;

/// User-defined properties of an element as glTF extras; `None` if there are none.
pub(super) fn extras(of: &Element) -> Option<Map<String, Value>> {
    let own = of.props.props.as_ref().iter();
    let own = own.filter(|p| p.flags.has_any(PropFlags::USER_DEFINED)).take(MOST);
    let made: Map<String, Value> =
        own.filter_map(|p| Some((p.name.to_string(), value(p)?))).collect();
    (!made.is_empty()).then_some(made)
}

fn value(of: &Prop) -> Option<Value> {
    let v = of.value_vec4;
    let made = match of.type_ {
        PropType::Boolean => json!(of.value_int != 0),
        PropType::Integer => json!(of.value_int),
        PropType::Number if v.x.is_finite() => json!(v.x),
        PropType::Vector
        | PropType::Color
        | PropType::Translation
        | PropType::Rotation
        | PropType::Scaling
            if v.x.is_finite() && v.y.is_finite() && v.z.is_finite() =>
        {
            json!([v.x, v.y, v.z])
        }
        PropType::String | PropType::DateTime => json!(of.value_str.to_string()),
        _ => return None,
    };
    Some(made)
}
