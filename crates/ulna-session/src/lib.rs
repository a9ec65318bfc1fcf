//! One open file: its bytes, the document as opened and the current document, and the history. This
//! crate runs commands, and saves the file.

mod checks;
mod command_edits;
mod difference;
mod disk;
mod edited;
mod export;
mod export_failure;
mod findings;
mod import;
mod journal;
mod journaling;
mod layer_import;
mod layers;
mod loose;
mod mending;
mod packing;
mod placing;
mod playback;
mod recovery;
mod replay;
mod retarget;
mod retarget_maps;
mod run_error;
mod running;
mod save;
mod save_failure;
mod save_paths;
mod save_request;
mod session;
mod sidecars;
mod skeleton_import;
mod stamp;
mod steps;
mod unfolded;
mod unsaved;
mod vrm_pose;
mod weight_cells;
mod weight_import;
mod weight_layers;
mod weight_source;
mod weight_tally;
mod work;

pub use self::{
    difference::{
        Comparison, Difference, DifferenceKind, Side, as_text, compare, compare_states,
        differences, first_lost,
    },
    disk::{Disk, SystemDisk, write_atomically},
    edited::{Edited, EditedThing},
    export::{ExportFindings, ExportRequest, Exported, Exporting, file_name},
    export_failure::ExportFailure,
    findings::surface_findings,
    import::{
        Arrival, ClipSource, Fit, ImportError, ImportOptions, ImportRequest, arrivals, files_meant,
        fits,
    },
    journal::{Journal, KEPT_DAYS, SaveMark, names_in},
    layer_import::{KeptLayer, kept_layers_of},
    playback::{Playback, RulerUnit},
    recovery::{KeptStep, Recovered, Recovery, RecoveryError},
    replay::{Outlook, Replayed},
    retarget::{
        MapOrigin, OptionNotation, RetargetRequest, RetargetedClip, RetargetedClips, VISIBLE_SLIDE,
    },
    retarget_maps::{fitting_map, map_meant, map_of_file},
    run_error::{NeedsHost, RunError},
    save::{SavedFile, Saving},
    save_failure::SaveFailure,
    save_paths::incremented,
    save_request::{Consent, SaveRequest},
    session::{Imported, Session},
    skeleton_import::SAMPLE,
    stamp::{OnDisk, Stamp, content_hash, hard_links},
    unfolded::Unsaved,
    vrm_pose::posed_bones,
    weight_cells::{CellRefused, WhyNot, cells_assigned},
    weight_import::{RowsMeant, rows_meant, weight_rows, weight_table},
    work::{NotTaken, Work, Worked},
};
pub use ulna_formats::{
    gltf::SaveError,
    import::{
        AxisDirection, Content, Conversion, FoundClip, GltfDifference, ImportFindings, USUAL_RATES,
        UpAxis, endings,
    },
    weight_files::WeightFile,
};
