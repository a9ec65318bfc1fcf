//! Imports files of other formats. Each importer in the table recognizes its files by their first
//! bytes, and converts them to a GLB with a common builder.
//!
//! The glTF reader then reads the GLB. Imported models are saved as glTF, and no other code depends
//! on the original format.

mod beside;
mod conversion;
mod dds;
mod glb;
mod importers;
mod picture;
mod rate;

pub use self::{
    beside::read_beside,
    conversion::{
        AxisDirection, Content, Conversion, Converted, FoundClip, GltfDifference, ImportFindings,
        UpAxis,
    },
    glb::{
        AlphaOut, GlbBuilder, InfluencesOut, KeysOut, MaterialOut, MeshOut, MorphOut, NodeOut,
        PrimitiveOut, TextureOut,
    },
    importers::{IMPORTERS, Importer, Reader, endings, endings_in_words, importer_of},
    picture::{green_turned, read_picture},
    rate::{USUAL_RATES, short, unlikely_rate},
};
