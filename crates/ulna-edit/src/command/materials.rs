//! Commands on materials: conversion of height maps to normal maps.

use super::{CommandError, Outcome, Scene, define::document_commands, rules};
use crate::Edit;
use ulna_model::{
    Document, Image, ImageId, MaterialId, Mip, TextureRef, Wrap, is_gray, normal_map,
    picture_to_png,
};

document_commands! {
    /// Commands on materials.
    MaterialCommand in "Edit/Materials";

    /// Converts a height map to a normal map and assigns it to a material
    HeightToNormal {
        /// Material that gets the normal map.
        material: String,
        /// Image with the height map; the current normal texture of the material if omitted.
        image: Option<String>,
        /// Height of white over black, in pixels; 4 if omitted.
        strength: Option<f32>,
        /// Whether the texture repeats at its edges; yes if omitted.
        wrap: Option<bool>,
    } = "material.height_to_normal",
        "Convert height map to normal map", asks: true, enabled: rules::opened,
        after: "weights.bind";
}

fn refuse<T>(code: &'static str, message: impl Into<String>) -> Result<T, CommandError> {
    Err(CommandError::other(code, message))
}

/// Returns the index of the name that equals a text, or the index that follows a `#`.
pub(super) fn find(text: &str, names: &[Option<&str>], what: &str) -> Result<usize, CommandError> {
    if let Some(number) =
        text.strip_prefix('#').and_then(|n| n.parse().ok()).filter(|n| *n < names.len())
    {
        return Ok(number);
    }
    let found: Vec<usize> = (0..names.len()).filter(|k| names[*k] == Some(text)).collect();
    match found[..] {
        [one] => Ok(one),
        [] => refuse("no_such_thing", format!("there is no {what} named “{text}”")),
        _ => refuse(
            "name_ambiguous",
            format!("{} {what}s are named “{text}”; use its #index", found.len()),
        ),
    }
}

impl HeightToNormal {
    fn work(&self, scene: &Scene<'_>) -> Result<Outcome, CommandError> {
        let document = scene.document;
        let names: Vec<Option<&str>> =
            document.materials.slots().map(|m| m?.name.as_deref()).collect();
        let at = find(&self.material, &names, "material")?;
        let Some(material) = document.materials.get(MaterialId::from(at)) else {
            return refuse("no_such_thing", format!("material #{at} was removed"));
        };
        let from = match (&self.image, &material.normal_texture) {
            (Some(name), _) => {
                let names: Vec<Option<&str>> =
                    document.images.iter().map(|i| i.name.as_deref()).collect();
                ImageId::from(find(name, &names, "image")?)
            }
            (None, Some(texture)) => texture.image,
            (None, None) => {
                return refuse(
                    "no_such_image",
                    format!(
                        "“{}” has no normal texture; name the height map as “image”",
                        self.material
                    ),
                );
            }
        };
        let strength = self.strength.unwrap_or(4.0);
        if !(0.0..=1000.0).contains(&strength) {
            return refuse(
                "argument_out_of_range",
                format!("“strength” is {strength}, but must be 0 to 1000 pixels"),
            );
        }
        let made = made(document, from, strength, self.wrap.unwrap_or(true))?;
        let image = ImageId::from(document.images.len());
        // The normal map uses the texture coordinates of the material's other textures.
        let like = material.normal_texture.clone().or_else(|| material.base_color_texture.clone());
        let texture = match like {
            Some(like) => TextureRef { image, ..like },
            None => TextureRef {
                image,
                uv_set: 0,
                wrap: [Wrap::Repeat; 2],
                nearest: false,
                nearest_min: false,
                mip: Mip::default(),
                offset: glam::Vec2::ZERO,
                rotation: 0.0,
                scale: glam::Vec2::ONE,
            },
        };
        let edits = vec![
            Edit::AddImage { image, to: Some(made) },
            Edit::SetNormalMap { material: MaterialId::from(at), to: Some(Box::new(texture)) },
        ];
        Ok(edits.into())
    }
}

/// Returns the normal map of a height map.
fn made(
    document: &Document,
    from: ImageId,
    strength: f32,
    wrap: bool,
) -> Result<Image, CommandError> {
    let Some(image) = document.images.get(from.index()) else {
        return refuse("no_such_image", "that image does not exist");
    };
    let label =
        image.name.as_deref().map_or_else(|| format!("image {}", from.0), ToOwned::to_owned);
    let unread = |why: String| {
        CommandError::other("image_unreadable", format!("“{label}” cannot be read: {why}"))
    };
    let picture = image.unpack().map_err(|e| unread(e.to_string()))?;
    if !is_gray(&picture) {
        return refuse(
            "not_a_height_map",
            format!(
                "“{label}” has colors, so it is not a height map; it may already be a normal map"
            ),
        );
    }
    let normals = normal_map(&picture, strength, wrap);
    let bytes = picture_to_png(&normals).map_err(|e| unread(e.to_string()))?;
    Ok(Image { name: Some(format!("{label} normals").into()), bytes: bytes.into() })
}
