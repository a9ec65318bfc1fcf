//! The whole window, driven by the accessible names of its widgets.
#![cfg(feature = "gui")]

mod common;

mod window {
    mod bind_panel;
    mod binding;
    mod channel_locks;
    mod commands;
    mod context_menus;
    mod curve_menus;
    mod curve_tools;
    mod curve_window;
    mod curves;
    mod devices;
    mod dialogs;
    mod editing;
    mod foreign;
    mod forms;
    mod joint_groups;
    mod key_acts;
    mod key_maps;
    mod key_presets;
    mod key_selection;
    mod keyboard_walk;
    mod keys;
    mod large;
    mod leaving;
    mod mixer;
    mod outliner;
    mod paint;
    mod paint_acts;
    mod paint_bend;
    mod palette;
    mod panels;
    mod pose_layers;
    mod poses;
    mod posing;
    mod posing_keys;
    mod references;
    mod retarget;
    mod retarget_page;
    mod rig;
    mod rig_mode;
    mod saves;
    mod sizes;
    mod timeline;
    mod tour;
    mod weights;
    mod workspaces;
}
