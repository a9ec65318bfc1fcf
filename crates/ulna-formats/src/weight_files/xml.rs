//! Weights in the XML format of Maya's `deformerWeights` command: one point cloud per shape, then
//! one list per joint with the vertices that the joint influences. Omitted vertices have the
//! default value, which is 0 for skins.

use std::{collections::BTreeMap, fmt::Write as _};

use glam::Vec3;
use roxmltree::{Document, Node, ParsingOptions};

use super::error::{MOST_VERTICES, WeightFileError, weight};
use ulna_model::{WeightShape, WeightTable};

/// Maximum number of joints per shape.
const MOST_JOINTS: usize = 60_000;

pub(super) fn read(text: &str) -> Result<WeightTable, WeightFileError> {
    let options = ParsingOptions { allow_dtd: false, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options)
        .map_err(|e| WeightFileError::Xml(e.to_string()))?;
    let root = document.root_element();
    if root.tag_name().name() != "deformerWeight" {
        let name = root.tag_name().name();
        return Err(WeightFileError::NotWeights(format!(
            "its root element is “{name}”, not “deformerWeight”"
        )));
    }
    let mut shapes: Vec<XmlWeights> = Vec::new();
    for child in root.children().filter(Node::is_element) {
        match child.tag_name().name() {
            "shape" => {
                let name = child.attribute("name").unwrap_or_default();
                let mut positions = Vec::new();
                for (index, point) in points(child, name)? {
                    let place = || format!("shape “{name}”, point {index}");
                    if index != positions.len() {
                        // If points are missing, the positions are ignored, but the weights are
                        // still used.
                        positions.clear();
                        break;
                    }
                    positions.push(position(point, place)?);
                }
                of(&mut shapes, name).positions = positions;
            }
            "weights" => {
                let (name, joint) =
                    (child.attribute("shape").unwrap_or_default(), child.attribute("source"));
                let Some(joint) = joint else {
                    return Err(WeightFileError::NotWeights(format!(
                        "the weights of “{name}” have no “source” attribute, which must name a \
                            joint"
                    )));
                };
                let place = |index: usize| format!("joint “{joint}” of “{name}”, point {index}");
                let default =
                    child.attribute("defaultValue").map_or(Ok(0.0), |t| number(t, || place(0)))?;
                let mut list = Vec::new();
                for (index, point) in points(child, joint)? {
                    let value =
                        number(point.attribute("value").unwrap_or_default(), || place(index))?;
                    list.push((index as u32, weight(value, || place(index))?));
                }
                let max = child.attribute("max").and_then(|t| t.parse::<usize>().ok());
                let lists = of(&mut shapes, name);
                lists.max = lists.max.max(max.filter(|m| *m <= MOST_VERTICES).unwrap_or(0));
                lists.joints.push((joint.to_owned(), weight(default, || place(0))?, list));
                if lists.joints.len() > MOST_JOINTS {
                    return Err(WeightFileError::NotWeights(format!(
                        "“{name}” has more than {MOST_JOINTS} joints"
                    )));
                }
            }
            _ => {}
        }
    }
    let full = shapes.into_iter().filter(|s| !s.joints.is_empty());
    let shapes: Vec<WeightShape> = full.map(XmlWeights::made).collect::<Result<_, _>>()?;
    if shapes.is_empty() {
        return Err(WeightFileError::NotWeights("it contains no weights".into()));
    }
    Ok(WeightTable { shapes })
}

/// A joint with the default weight of omitted vertices, and its list of vertices and weights.
type JointPoints = (String, f32, Vec<(u32, f32)>);

/// Weights of a shape, joint by joint.
struct XmlWeights {
    name: String,
    positions: Vec<Vec3>,
    /// Number of vertices that a list states. It is used only if the actual data supports it.
    max: usize,
    joints: Vec<JointPoints>,
}

fn of<'a>(shapes: &'a mut Vec<XmlWeights>, name: &str) -> &'a mut XmlWeights {
    let at = shapes.iter().position(|s| s.name == name).unwrap_or_else(|| {
        shapes.push(XmlWeights {
            name: name.to_owned(),
            positions: Vec::new(),
            max: 0,
            joints: Vec::new(),
        });
        shapes.len() - 1
    });
    &mut shapes[at]
}

impl XmlWeights {
    fn made(self) -> Result<WeightShape, WeightFileError> {
        /// Maximum number of omitted weights that are filled with a default value.
        const MOST_DEFAULTS: usize = 16 << 20;
        let named = self
            .joints
            .iter()
            .flat_map(|(_, _, list)| list)
            .map(|(v, _)| *v as usize + 1)
            .max()
            .unwrap_or(0);
        // A stated number is used only if there is enough data for it, since each vertex of a skin
        // has at least one joint.
        let listed: usize = self.joints.iter().map(|(_, _, list)| list.len()).sum();
        let stated = if self.max <= listed.max(named) { self.max } else { 0 };
        let count = self.positions.len().max(named).max(stated);
        let defaults = self.joints.iter().filter(|(_, default, _)| *default > 0.0).count();
        // Prevents memory allocation for a stated number without data.
        if (count > self.positions.len().max(listed) && defaults == 0)
            || count.saturating_mul(defaults) > MOST_DEFAULTS
        {
            return Err(WeightFileError::Number {
                place: format!("shape “{}”", self.name),
                what: format!("it states {count} vertices, but has {listed} weights"),
            });
        }
        let mut rows: Vec<Vec<(u16, f32)>> = vec![Vec::new(); count];
        let mut joints: Vec<String> = Vec::new();
        let mut known: BTreeMap<String, u16> = BTreeMap::new();
        for (name, default, list) in self.joints {
            let joint = *known.entry(name.clone()).or_insert_with(|| {
                joints.push(name);
                (joints.len() - 1) as u16
            });
            let given: BTreeMap<u32, f32> = list.into_iter().collect();
            if default > 0.0 {
                let others =
                    rows.iter_mut().enumerate().filter(|(v, _)| !given.contains_key(&(*v as u32)));
                others.for_each(|(_, row)| row.push((joint, default)));
            }
            for (v, w) in given.into_iter().filter(|(_, w)| *w > 0.0) {
                rows[v as usize].push((joint, w));
            }
        }
        let mut shape = WeightShape::new(self.name);
        shape.vertex_count = count;
        shape.positions = if self.positions.len() == count { self.positions } else { Vec::new() };
        shape.joints = joints;
        rows.into_iter().enumerate().for_each(|(v, row)| shape.push(v as u32, row));
        Ok(shape)
    }
}

/// Points in an XML element, with their indices.
fn points<'a, 'input>(
    element: Node<'a, 'input>,
    name: &str,
) -> Result<Vec<(usize, Node<'a, 'input>)>, WeightFileError> {
    let points = element.children().filter(|c| c.is_element() && c.tag_name().name() == "point");
    let numbered = |point: Node<'a, 'input>| {
        let text = point.attribute("index").unwrap_or_default();
        match text.trim().parse::<usize>() {
            Ok(index) if index < MOST_VERTICES => Ok((index, point)),
            _ => Err(WeightFileError::Number {
                place: format!("“{name}”"),
                what: format!("“{text}” is not a vertex number"),
            }),
        }
    };
    points.map(numbered).collect()
}

fn number(text: &str, place: impl FnOnce() -> String) -> Result<f32, WeightFileError> {
    let wrong = |_| WeightFileError::Number {
        place: place(),
        what: format!("“{text}” is not a number"),
    };
    text.trim().parse::<f32>().map_err(wrong)
}

fn position(point: Node<'_, '_>, place: impl Fn() -> String) -> Result<Vec3, WeightFileError> {
    let text = point.attribute("value").unwrap_or_default();
    let mut axes = [0.0; 3];
    let mut words = text.split_whitespace();
    for axis in &mut axes {
        *axis = number(words.next().unwrap_or_default(), &place)?;
    }
    Ok(axes.into())
}

pub(super) fn write(table: &WeightTable) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\"?>\n<deformerWeight>\n  <headerInfo fileName=\"\" worldMatrix=\"1 0 \
            0 0 0 1 0 0 0 0 1 0 0 0 0 1\"/>\n",
    );
    // Writing to a string cannot fail.
    let mut put = |line: std::fmt::Arguments<'_>| text.write_fmt(line).unwrap_or_default();
    for shape in &table.shapes {
        let (name, max) = (escaped(&shape.name), shape.vertex_count);
        let size = shape.positions.len();
        put(format_args!(
            "  <shape name=\"{name}\" group=\"7\" stride=\"3\" size=\"{size}\" max=\"{max}\">\n"
        ));
        for (k, p) in shape.positions.iter().enumerate() {
            put(format_args!("    <point index=\"{k}\" value=\"{} {} {}\"/>\n", p.x, p.y, p.z));
        }
        put(format_args!("  </shape>\n"));
    }
    for (number, shape) in table.shapes.iter().enumerate() {
        let (name, max) = (escaped(&shape.name), shape.vertex_count);
        let mut lists: Vec<Vec<(u32, f32)>> = vec![Vec::new(); shape.joints.len()];
        for k in 0..shape.len() {
            for (j, w) in shape.row(k).iter().filter(|(_, w)| *w > 0.0) {
                lists[usize::from(*j)].push((shape.vertices[k], *w));
            }
        }
        for (layer, (joint, list)) in shape.joints.iter().zip(lists).enumerate() {
            let (joint, size) = (escaped(joint), list.len());
            put(format_args!(
                "  <weights deformer=\"skinCluster{}\" source=\"{joint}\" shape=\"{name}\" \
                    layer=\"{layer}\" defaultValue=\"0.000\" size=\"{size}\" max=\"{max}\">\n",
                number + 1
            ));
            for (v, w) in list {
                put(format_args!("    <point index=\"{v}\" value=\"{w}\"/>\n"));
            }
            put(format_args!("  </weights>\n"));
        }
    }
    text.push_str("</deformerWeight>\n");
    text
}

/// Escapes a text for use as an attribute value.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            // XML allows no other control characters, and would normalize these to spaces.
            '\t' | '\n' | '\r' => {
                safe += &format!("&#{};", u32::from(c));
            }
            c if c.is_control() => {}
            c => safe.push(c),
        }
    }
    safe
}
