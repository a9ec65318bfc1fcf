//! What needs no window and no device: files, edits, saving, weights, the command line. One binary, so that the library is
//! linked once.

#[path = "../common/mod.rs"]
mod common;

mod bvh;
mod cli;
mod clips;
mod corpus;
mod edits;
mod extensions;
mod hostile;
mod hung;
mod ik;
mod journal;
mod keys;
mod layering;
mod layers;
mod losses;
mod merged;
mod mix;
mod pose_layers;
mod poses;
mod posing;
mod properties;
mod random;
mod roles;
mod sample;
mod saving;
mod skins;
mod vectors;
mod weights;
mod weights_corpus;
mod weights_counts;
mod weights_files;
mod weights_lines;
mod weights_mended;
mod weights_mirror;
mod weights_skins;
mod weights_surfaces;
mod weights_tools;
mod x_files;
