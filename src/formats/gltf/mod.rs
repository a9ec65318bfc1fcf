//! glTF 2.0 and GLB, both ways, losing nothing.
//!
//! Reading makes a [`Document`](crate::model::Document) and keeps the [`Source`]: the very bytes. Saving is a function of
//! the source, the document as opened and the document now; what nobody touched is copied, not rewritten.

mod accessor;
mod animation;
mod container;
mod error;
//mod export;
mod json;
mod material;
mod mesh;
//mod patch;
mod read;
mod schema;
mod source;
//mod text;
//mod transcode;
//mod write;

pub use self::{
    container::Container,
    error::ReadError,
    //    export::{ExportError, ExportOptions, export},
    read::{Opened, Progress, open, open_bytes},
    source::Source,
    //    transcode::{Target, transcode},
    //    write::{FileToWrite, SaveError, Saved, save},
};
