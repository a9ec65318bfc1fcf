//! Reads and writes weights as separate files and as text: JSON, the XML of Maya's
//! `deformerWeights`, and rows for spreadsheets. All formats are converted to and from a
//! [`WeightTable`] of names and numbers, independent of a document.

mod error;
mod json;
mod rows;
mod xml;

pub use self::{
    error::WeightFileError,
    rows::{Pasted, PastedRow, read_rows, write_rows},
};
use ulna_model::WeightTable;

/// Format of a weight file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightFile {
    /// Ulna's JSON format, which preserves all bits of the weights.
    Json,
    /// XML of Maya's `deformerWeights` command.
    Xml,
}

impl WeightFile {
    /// Format with this file name extension; `None` if it is unknown.
    pub fn of_ending(ending: &str) -> Option<Self> {
        match ending.to_ascii_lowercase().as_str() {
            "json" => Some(Self::Json),
            "xml" => Some(Self::Xml),
            _ => None,
        }
    }

    /// Reads the weights in a text.
    ///
    /// # Errors
    /// The text is not in this format, or a number is invalid.
    pub fn read(self, text: &str) -> Result<WeightTable, WeightFileError> {
        match self {
            Self::Json => json::read(text),
            Self::Xml => xml::read(text),
        }
    }

    /// Writes the weights as text.
    pub fn write(self, table: &WeightTable) -> String {
        match self {
            Self::Json => json::write(table),
            Self::Xml => xml::write(table),
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;
    use proptest::prelude::*;

    use super::*;
    use ulna_model::WeightShape;

    fn shapes() -> impl Strategy<Value = WeightTable> {
        // Each vertex has at least one joint, because the XML format cannot express vertices
        // without joints.
        let row = prop::collection::vec((0u16..5, 1e-6f32..1.0), 1..5);
        let shape = (prop::collection::vec(row, 1..12), any::<bool>(), "[a-z <&>\"|:]{1,8}");
        prop::collection::vec(shape, 1..4).prop_map(|list| {
            let mut table = WeightTable::default();
            for (k, (rows, placed, name)) in list.into_iter().enumerate() {
                let mut shape = WeightShape::new(format!("{name}{k}"));
                shape.joints = (0..5).map(|j| format!("rig:joint<{j}> & “{name}”")).collect();
                for (v, row) in rows.into_iter().enumerate() {
                    let mut row = row;
                    row.sort_by_key(|(j, _)| *j);
                    row.dedup_by_key(|(j, _)| *j);
                    row.retain(|(_, w)| *w > 0.0);
                    shape.push(v as u32, row);
                }
                shape.vertex_count = shape.len();
                if placed {
                    shape.positions =
                        (0..shape.len()).map(|v| Vec3::new(v as f32 * 0.1, -1e-7, 3.5e8)).collect();
                }
                table.shapes.push(shape);
            }
            table
        })
    }

    proptest! {
        #[test]
        fn json_stores_the_exact_weights(table in shapes()) {
            prop_assert_eq!(WeightFile::Json.read(&WeightFile::Json.write(&table)), Ok(table));
        }

        #[test]
        fn xml_stores_the_exact_weights_of_joints_that_have_any(table in shapes()) {
            let read = WeightFile::Xml.read(&WeightFile::Xml.write(&table))
                .expect("XML of our own");
            prop_assert_eq!(read.shapes.len(), table.shapes.len());
            for (a, b) in table.shapes.iter().zip(&read.shapes) {
                prop_assert_eq!(&a.name, &b.name);
                prop_assert_eq!(&a.positions, &b.positions);
                prop_assert_eq!(a.vertex_count, b.vertex_count);
                for k in 0..a.len() {
                    let named = |s: &WeightShape, k: usize| -> Vec<(String, u32)> {
                        let mut row: Vec<_> =
                            s.row(k).iter().map(|(j, w)| (s.joints[usize::from(*j)].clone(),
                                w.to_bits())).collect();
                        row.sort();
                        row
                    };
                    prop_assert_eq!(named(a, k), named(b, k));
                }
            }
        }

        #[test]
        fn any_text_is_read_or_refused_with_a_message(text in ".{0,400}") {
            for kind in [WeightFile::Json, WeightFile::Xml] {
                if let Err(error) = kind.read(&text) {
                    prop_assert!(!error.to_string().is_empty());
                }
            }
            if let Err(error) = read_rows(&text) {
                prop_assert!(!error.to_string().is_empty());
            }
        }
    }

    #[test]
    fn files_of_other_programs_are_read() {
        let maya = r#"<?xml version="1.0"?>
            <deformerWeight>
              <headerInfo fileName="C:/out.xml" worldMatrix="1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 "/>
              <shape name="bodyShape" group="7" stride="3" size="3" max="3">
                <point index="0" value=" 0.000000 -1.500000  2.000000"/>
                <point index="1" value="1 2 3"/>
                <point index="2" value="4 5 6"/>
              </shape>
              <weights deformer="skinCluster1" source="hips" shape="bodyShape" layer="0"
                defaultValue="0.000" size="2" max="3">
                <point index="0" value="1.000"/>
                <point index="2" value="0.25"/>
              </weights>
              <weights deformer="skinCluster1" source="arm" shape="bodyShape" layer="1"
                defaultValue="0.5" size="1" max="3">
                <point index="0" value="0"/>
              </weights>
            </deformerWeight>"#;
        let table = WeightFile::Xml.read(maya).expect("Maya's");
        let [shape] = &table.shapes[..] else { panic!("{} shapes", table.shapes.len()) };
        assert_eq!((&*shape.name, shape.vertex_count, shape.len()), ("bodyShape", 3, 3));
        assert_eq!(shape.positions[0], Vec3::new(0.0, -1.5, 2.0));
        assert_eq!(shape.joints, ["hips", "arm"]);
        // Omitted points have the default value.
        assert_eq!(shape.row(0), [(0, 1.0)]);
        assert_eq!(shape.row(1), [(1, 0.5)]);
        assert_eq!(shape.row(2), [(0, 0.25), (1, 0.5)]);
    }

    #[test]
    fn texts_without_weights_are_refused_with_the_reason() {
        let xml = |body: &str| WeightFile::Xml.read(body).expect_err("refused").to_string();
        assert!(xml("<a/>").contains("deformerWeight"), "{}", xml("<a/>"));
        assert!(xml("nothing").contains("not valid XML"));
        let bomb = "<!DOCTYPE a [<!ENTITY b \"bb\">]><deformerWeight>&b;</deformerWeight>";
        assert!(xml(bomb).contains("not valid XML"), "{}", xml(bomb));
        let huge = r#"<deformerWeight><weights source="a" shape="s" max="99">
            <point index="4000000000" value="1"/></weights></deformerWeight>"#;
        assert!(xml(huge).contains("4000000000"), "{}", xml(huge));
        let nan = r#"<deformerWeight><weights source="a" shape="s">
            <point index="0" value="NaN"/></weights></deformerWeight>"#;
        assert!(xml(nan).contains("not a weight"), "{}", xml(nan));
        let far = r#"<deformerWeight><weights source="a" shape="s">
            <point index="60000000" value="1"/></weights></deformerWeight>"#;
        assert!(xml(far).contains("60000001 vertices"), "{}", xml(far));
        let list = r#"<weights source="a" shape="s" defaultValue="1">
            <point index="60000000" value="1"/></weights>"#;
        let many = format!("<deformerWeight>{}</deformerWeight>", list.repeat(100));
        assert!(xml(&many).contains("60000001 vertices"), "{}", xml(&many));
        let bomb = r#"{"ulna.weights":1,"shapes":[{"name":"a","vertex_count":1000000000000000,
            "joints":[],"vertices":[],"weights":[]}]}"#;
        let said = WeightFile::Json.read(bomb).expect_err("refused").to_string();
        assert!(said.contains("exceed the maximum"), "{said}");
        let json = WeightFile::Json.read(
            r#"{"ulna.weights":1,"shapes":[{"name":"a","vertex_count":1,"joints":["x"],
            "weights":[[[3,1.0]]]}]}"#,
        );
        assert!(json.expect_err("refused").to_string().contains("joint 3"));
    }
}
