//! Window integration: applies the actions of panels, runs background jobs, and stores preferences.

mod apply;
mod arriving;
mod bind_panel;
mod binding;
mod browsing;
mod camera_animation;
mod checking;
mod clipboard;
mod converting;
mod devices;
mod exporting;
mod fault;
mod files;
mod filming;
mod frame;
mod gesture;
mod handlers;
mod host;
mod import_state;
mod importing;
mod job_lanes;
mod jobs;
mod key_files;
mod key_gate;
mod key_routing;
mod keys;
mod ladder;
mod lean;
mod leaving;
mod left_field;
mod lifecycle;
mod loading;
mod messages;
mod opening;
mod painting;
mod plan_joints;
mod planning;
mod preferences;
mod problems;
mod program;
mod ranges;
mod recent;
mod recovery;
mod reference_acts;
mod references;
mod repeating;
mod retarget_page;
mod retargeting;
mod rig_acts;
mod rig_clip;
mod rig_mode;
mod rig_plans;
mod rig_playback;
mod running;
mod save_lane;
mod save_queue;
mod saving;
mod scenes;
mod selecting;
mod state;
mod there;
mod tour;
mod viewing;
mod viewport_renderer;
mod window;
mod window_state;
mod work_ahead;
mod worked;
mod workspaces;

pub use self::{state::App, window::run};

/// The bundled sample, made by `cargo run --example mannequin`.
pub use ulna_session::SAMPLE;

/// Number of vertices above which work runs on another thread.
const LONG: usize = 40_000;
