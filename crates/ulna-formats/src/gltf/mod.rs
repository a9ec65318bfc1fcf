//! Reads and writes glTF 2.0 and GLB without loss.
//!
//! Reading creates a [`Document`](ulna_model::Document) and keeps the exact bytes as a [`Source`].
//! Saving is a function of the source, the document as opened and the current document. Unchanged
//! parts are copied, not rewritten.
//!
//! ```text
//!  bytes ──► read ──► Document + Source
//!                         │ edits
//!                         ▼
//!  bytes ◄── write (patch, closing) ◄── Source, document as opened, current document
//!  file  ◄── export, transcode      ◄── Source
//! ```

mod accessor;
mod animation;
mod clip_extras;
mod container;
mod draco;
mod error;
mod export;
mod json;
mod ktx;
pub mod layer_extras;
mod lock_extras;
mod material;
mod mesh;
mod meshopt;
mod meshopt_view;
mod node_space;
mod outline;
mod own_extras;
mod patch;
mod pose_extras;
mod progress;
mod read;
pub mod references;
pub mod rules;
mod saved;
mod scene_extras;
mod schema;
mod sidecar;
mod source;
mod tangent_extras;
mod text;
mod transcode;
mod unmodeled;
mod users;
mod vrm;
pub mod weight_layer_extras;
mod weights;
mod write;

/// Name of the member of a node's `extras` that stores its rest pose, if no skin defines it.
const REST_EXTRA: &str = "ulna.rest";

pub use self::{
    container::{Container, build_glb},
    error::ReadError,
    export::{ExportError, ExportOptions, Exporter, export},
    progress::Progress,
    read::{Opened, open, open_beside, open_bytes},
    saved::{FileToWrite, SaveError, SaveOptions, Saved, Transcoded},
    sidecar::is_sidecar,
    source::{Source, resolve as resolve_uri},
    transcode::{TargetContainer, transcode},
    unmodeled::{Unmodeled, unmodeled},
    write::{save, stored},
};
