//! `ulna info`: prints the contents of files.

use std::path::PathBuf;

use serde_json::Map;
#[cfg(feature = "render")]
use serde_json::json;

#[cfg(feature = "render")]
use super::report::object;
use super::{
    arguments::Out,
    file_facts::facts,
    file_words::words,
    inputs::open,
    many::{failed, files_of},
    report::{Failure, members, of_files, print},
};

pub(super) fn info(paths: &[PathBuf], as_json: bool) -> Result<u8, Failure> {
    let is_single = matches!(paths, [one] if !one.is_dir());
    let (mut entries, mut status) = (Vec::new(), 0);
    for (k, file) in files_of(paths)?.iter().enumerate() {
        match open(file) {
            Ok(session) => {
                let mut facts = facts(&session, file);
                if !as_json {
                    let gap = if k == 0 { "" } else { "\n" };
                    print(&format!("{gap}{}", words(&facts)))?;
                    continue;
                }
                if is_single {
                    // The older name of `findings`.
                    facts["diagnostics"] = facts["findings"].clone();
                }
                entries.push(members(facts));
            }
            Err(failure) if is_single => return Err(failure),
            Err(failure) => {
                status = status.max(failure.status);
                entries.push(failed(file, &failure, Out { json: as_json, quiet: false }));
            }
        }
    }
    if as_json {
        print(&of_files("info", entries, is_single, Map::new()).to_string())?;
    }
    Ok(status)
}

/// Prints the graphics devices. The exit status is 1 if there are none.
#[cfg(feature = "render")]
pub(super) fn devices(as_json: bool) -> Result<u8, Failure> {
    let list = ulna_render::devices(&ulna_render::DeviceChoice::default());
    if as_json {
        let facts = members(json!({ "devices": list }));
        print(&object("info", facts).to_string())?;
        return Ok(u8::from(list.is_empty()));
    }
    let mut out = String::new();
    if list.is_empty() {
        out.push_str(
            "no graphics device was found. Install a Vulkan or OpenGL driver, such as Mesa's \
                software driver\n",
        );
    }
    for device in &list {
        let used = if device.used { ", in use" } else { "" };
        out.push_str(&format!(
            "{} by {}: {}{used}\n",
            device.name,
            device.backend,
            device.kind.label()
        ));
        if !device.driver.is_empty() {
            out.push_str(&format!("  driver: {}\n", device.driver));
        }
        let (megabytes, side) = (device.largest_buffer >> 20, device.largest_texture);
        out.push_str(&format!(
            "  buffers up to {megabytes} MiB, textures up to {side} pixels a side\n"
        ));
        if let Some(why) = &device.unusable {
            out.push_str(&format!("  Not used: {why}\n"));
            continue;
        }
        for instead in &device.instead {
            out.push_str(&format!("  {instead}\n"));
        }
    }
    print(out.trim_end())?;
    Ok(u8::from(list.is_empty()))
}

/// Reports that this build does not support graphics devices.
#[cfg(not(feature = "render"))]
pub(super) fn devices(_: bool) -> Result<u8, Failure> {
    Err(Failure::unusable(
        "not_in_this_build",
        "this build of Ulna has no GPU support; build with the feature “render”",
    ))
}
