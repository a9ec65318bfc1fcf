//! Parses tokens to data objects in one list, so that nesting needs no stack.

use super::tokens::Token;
use crate::{Budget, gltf::ReadError};
use ulna_model::{Diagnostics, Severity};

/// Content of an object, in the order of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inside {
    /// An object, as an index into the list of all objects.
    Child(usize),
    /// A reference, as an index into the references of the object.
    Reference(usize),
}

/// A data object.
#[derive(Clone, Debug, Default)]
pub struct Object {
    /// `Frame`, `Mesh`, …
    pub kind: String,
    /// Its name; may be empty.
    pub name: String,
    /// All its numbers, in order.
    pub numbers: Vec<f64>,
    /// All its strings, in order.
    pub texts: Vec<String>,
    /// Its child objects, as indices into the list of all objects.
    pub children: Vec<usize>,
    /// Names that it refers to: `{ name }`.
    pub references: Vec<String>,
    /// Children and references in their common order.
    pub inside: Vec<Inside>,
}

/// All objects of a file; the first is the file itself.
pub type Tree = Vec<Object>;

/// Parses the objects.
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
                    // A reference: names up to the closing brace.
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
                // The object, its entry in the parent, and its later JSON.
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

/// Skips a template. The templates of known objects are fixed.
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
