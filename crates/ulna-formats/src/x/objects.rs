//! Parses tokens to data objects. All objects are in one list, so that nesting cannot overflow the
//! stack.

use super::tokens::Token;
use crate::{Budget, gltf::ReadError};
use ulna_model::{Diagnostics, Severity};

/// Entry of an object: a child or a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inside {
    /// A child object, as an index into the list of all objects.
    Child(usize),
    /// A reference, as an index into the references of the object that contains it.
    Reference(usize),
}

/// A data object of an `.x` file.
#[derive(Clone, Debug, Default)]
pub struct Object {
    /// Type of the object, such as `Frame` or `Mesh`.
    pub kind: String,
    /// Name of the object; may be empty.
    pub name: String,
    /// All numbers in the object, in order.
    pub numbers: Vec<f64>,
    /// All strings in the object, in order.
    pub texts: Vec<String>,
    /// Child objects, as indices into the list of all objects.
    pub children: Vec<usize>,
    /// Names of referenced objects, written as `{ name }`.
    pub references: Vec<String>,
    /// Children and references, in their order in the file.
    pub inside: Vec<Inside>,
}

/// All objects of a file; the first is the file itself.
pub type Tree = Vec<Object>;

/// Parses the objects of a file.
pub fn parse(
    tokens: Vec<Token>,
    budget: &mut Budget,
    diagnostics: &mut Diagnostics,
) -> Result<Tree, ReadError> {
    let mut tree: Tree = vec![Object::default()];
    let mut open: Vec<usize> = vec![0];
    let mut words: Vec<String> = Vec::new();
    let mut tokens = tokens.into_iter().peekable();
    let mut extra = 0;
    while let Some(token) = tokens.next() {
        let at = *open.last().unwrap_or(&0);
        match token {
            Token::Name(word) if word == "template" => skip_template(&mut tokens)?,
            Token::Name(word) => words.push(word),
            Token::Number(value) => {
                words.clear();
                tree[at].numbers.push(value);
            }
            Token::Text(text) => tree[at].texts.push(text),
            Token::Other => {}
            Token::Open => {
                if words.is_empty() {
                    // A reference consists of names up to the closing brace.
                    let mut inside = 0;
                    for token in tokens.by_ref() {
                        match token {
                            Token::Name(name) | Token::Text(name) => {
                                let place = tree[at].references.len();
                                tree[at].inside.push(Inside::Reference(place));
                                tree[at].references.push(name);
                            }
                            Token::Close => {
                                inside = 1;
                                break;
                            }
                            _ => {}
                        }
                    }
                    if inside == 0 {
                        return Err(ReadError::at(".x", "the file ends inside a reference"));
                    }
                    continue;
                }
                let kind = words.remove(0);
                let name = words.pop().unwrap_or_default();
                words.clear();
                let index = tree.len();
                // Memory for the object, its entry in the parent, and the JSON made from it.
                budget.take(size_of::<Object>() as u64 + 224, &".x".into())?;
                tree.push(Object { kind, name, ..Object::default() });
                tree[at].children.push(index);
                tree[at].inside.push(Inside::Child(index));
                open.push(index);
            }
            Token::Close => {
                words.clear();
                if open.len() > 1 {
                    open.pop();
                } else {
                    extra += 1;
                }
            }
        }
    }
    if open.len() > 1 {
        let object = &tree[open[open.len() - 1]];
        let message = format!("the file ends inside {} “{}”", object.kind, object.name);
        return Err(ReadError::at(".x", message));
    }
    if extra > 0 {
        diagnostics.add(
            Severity::Error,
            "ULNA_X_BRACES",
            ".x",
            format!("the file has {extra} extra closing braces"),
        );
    }
    Ok(tree)
}

/// Skips a template. The templates of all supported objects are known in advance.
fn skip_template(tokens: &mut impl Iterator<Item = Token>) -> Result<(), ReadError> {
    let mut depth = 0;
    for token in tokens {
        match token {
            Token::Open => depth += 1,
            Token::Close if depth <= 1 => return Ok(()),
            Token::Close => depth -= 1,
            _ => {}
        }
    }
    Err(ReadError::at(".x", "the file ends inside a template"))
}
