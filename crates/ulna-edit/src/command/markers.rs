//! Commands on markers: named times of a clip, saved in its extras.

use super::{
    CommandError, Scene,
    clip_keys::{SAME_TIME, clip_of, time_of},
    define::document_commands,
    field::{ClipName, Seconds},
    rules,
};
use crate::Edit;
use ulna_model::{Clip, Marker, MarkerColor, Shared};

document_commands! {
    /// Commands on markers.
    MarkerCommand in "Clip/Markers";

    /// Sets a marker at the playhead
    AddMarker {
        /// Clip to edit.
        clip: ClipName,
        /// Time of the marker, in seconds.
        time: Seconds,
        /// Name of the new marker.
        name: Option<String>,
        /// Color of the marker; violet if omitted.
        color: Option<Color>,
    } = "marker.add", "Add marker", key: "M", enabled: rules::clip_shown;
    /// Moves a marker
    MoveMarker {
        /// Clip to edit.
        clip: ClipName,
        /// Time of the marker, in seconds.
        time: Seconds,
        /// New time, in seconds.
        to: Seconds,
    } = "marker.move", "Move marker", asks: true;
    /// Changes the name or color of a marker
    SetMarker {
        /// Clip to edit.
        clip: ClipName,
        /// Time of the marker, in seconds.
        time: Seconds,
        /// New name.
        name: Option<String>,
        /// New color.
        color: Option<Color>,
    } = "marker.set", "Change marker", asks: true;
    /// Removes a marker
    RemoveMarker {
        /// Clip to edit.
        clip: ClipName,
        /// Time of the marker, in seconds.
        time: Seconds,
    } = "marker.remove", "Remove marker", asks: true;
}

super::field::choice! {
    /// Color of a marker.
    Color {
        /// Violet, the default color.
        Violet = "violet",
        /// Red.
        Red = "red",
        /// Amber.
        Amber = "amber",
        /// Green.
        Green = "green",
        /// Blue.
        Blue = "blue",
    }
}

impl From<Color> for MarkerColor {
    fn from(color: Color) -> Self {
        match color {
            Color::Violet => Self::Violet,
            Color::Red => Self::Red,
            Color::Amber => Self::Amber,
            Color::Green => Self::Green,
            Color::Blue => Self::Blue,
        }
    }
}

/// Returns the edit that changes a clip's markers. `change` gets the markers, and the index of the
/// marker at the time, if there is one.
fn changed(
    scene: &Scene<'_>,
    clip: &ClipName,
    time: Seconds,
    change: impl FnOnce(&mut Vec<Marker>, Option<usize>) -> Result<(), CommandError>,
) -> Result<Vec<Edit>, CommandError> {
    let id = clip.find(scene.document)?;
    let old = clip_of(scene.document, id)?;
    let mut markers = old.markers.to_vec();
    let at = markers.iter().position(|m| (m.time - time.0).abs() <= SAME_TIME);
    change(&mut markers, at)?;
    let markers = Marker::in_order(markers);
    if markers[..] == old.markers[..] {
        return Ok(Vec::new());
    }
    let clip = Clip { markers: markers.into(), ..(**old).clone() };
    Ok(vec![Edit::SetClip { clip: id, to: Some(Shared::new(clip)) }])
}

fn missing(time: Seconds) -> CommandError {
    CommandError::other(
        "no_marker_there",
        format!("there is no marker at {} s of this clip", time.0),
    )
}

impl AddMarker {
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let time = time_of(self.time)?;
        changed(scene, &self.clip, self.time, |markers, at| {
            let name = self.name.clone().unwrap_or_else(|| format!("marker {}", markers.len() + 1));
            let marker = Marker {
                time,
                name: name.into(),
                color: self.color.map(Into::into).unwrap_or_default(),
            };
            match at {
                Some(_) => Err(CommandError::other(
                    "marker_there_already",
                    format!("there is already a marker at {time} s"),
                )),
                None => {
                    markers.push(marker);
                    Ok(())
                }
            }
        })
    }
}

impl MoveMarker {
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        let to = time_of(self.to)?;
        changed(scene, &self.clip, self.time, |markers, at| {
            markers[at.ok_or_else(|| missing(self.time))?].time = to;
            Ok(())
        })
    }
}

impl SetMarker {
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        changed(scene, &self.clip, self.time, |markers, at| {
            let marker = &mut markers[at.ok_or_else(|| missing(self.time))?];
            if let Some(name) = &self.name {
                marker.name = name.as_str().into();
            }
            if let Some(color) = self.color {
                marker.color = color.into();
            }
            Ok(())
        })
    }
}

impl RemoveMarker {
    fn work(&self, scene: &Scene<'_>) -> Result<Vec<Edit>, CommandError> {
        changed(scene, &self.clip, self.time, |markers, at| {
            markers.remove(at.ok_or_else(|| missing(self.time))?);
            Ok(())
        })
    }
}
