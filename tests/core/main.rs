//! What needs no window and no device: files, edits, saving, weights, the command line. One binary, so that the library is
//! linked once.

#[path = "../common/mod.rs"]
mod common;

mod avatars;
mod beside;
mod bvh;
mod cli;
mod clips;
mod clips_kept;
mod comparison;
mod corpus;
mod edits;
mod extensions;
mod held;
mod holds;
mod hostile;
mod hung;
mod ik;
mod imports;
mod journal;
mod keys;
mod layering;
mod layers;
mod losses;
mod merged;
mod mirroring;
mod mix;
mod names;
mod odd_files;
mod other_formats;
mod pose_layers;
mod poses;
mod posing;
mod properties;
mod random;
mod recoveries;
mod roles;
mod sample;
mod saving;
mod skins;
mod streams;
mod vectors;
mod visibility;
mod weights;
mod weights_across;
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
