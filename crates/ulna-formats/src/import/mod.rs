//! Files of other formats: a table of importers, each of which knows its files by how they begin
//! and makes a GLB of them by one builder.
//!
//! Going through the bytes of a GLB keeps one reader and one writer: what was imported is saved as
//! glTF, and nothing of the rest of the program knows where it came from.

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
