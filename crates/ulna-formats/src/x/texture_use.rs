//! Detection of the use of a texture in an `.x` file, by the names of its effect parameter and its
//! file.

/// Use of a texture in a material.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Use {
    Color,
    Glow,
    Normal,
    /// A height map, or a normal map that the file calls a bump map.
    Height,
}

impl Use {
    /// Detects the use by the parameter name in the effect, or else by the file name. `None` if the
    /// texture is not imported.
    pub fn named(parameter: &str, file: &str) -> Option<Self> {
        let of = |text: &str| {
            let text = text.to_lowercase();
            let has = |words: &[&str]| words.iter().any(|w| text.contains(w));
            if has(&["normal", "nrm", "_n.", "_nm"]) {
                Some(Self::Normal)
            } else if has(&["bump", "height", "disp"]) {
                Some(Self::Height)
            } else if has(&["emis", "glow", "illum"]) {
                Some(Self::Glow)
            } else if has(&[
                "spec", "gloss", "reflect", "cube", "envi", "shadow", "light", "ambient", "ao.",
            ]) {
                None
            } else if has(&[
                "diff", "color", "colour", "albedo", "base", "decal", "texture0", "tex0", "skin",
            ]) {
                Some(Self::Color)
            } else {
                None
            }
        };
        of(parameter).or_else(|| of(file))
    }
}

#[cfg(test)]
mod tests {
    use super::Use;

    #[test]
    fn the_texture_use_is_guessed_from_the_parameter_then_the_file_name() {
        for (parameter, file, what) in [
            ("DiffuseTexture", "a.dds", Some(Use::Color)),
            ("Texture0", "tiger_normal.dds", Some(Use::Color)),
            ("NormalMap", "a.dds", Some(Use::Normal)),
            ("texBump", "a.bmp", Some(Use::Height)),
            ("tex", "wall_n.tga", Some(Use::Normal)),
            ("EmissiveMap", "a.png", Some(Use::Glow)),
            ("SpecularMap", "a.png", None),
            ("whatever", "a.png", None),
        ] {
            assert_eq!(Use::named(parameter, file), what, "{parameter} {file}");
        }
    }
}
