//! Choices that the user makes in dialogs, one type per dialog.

mod bind;
mod convert;
mod export;
mod form;
mod import;
mod pictures;
mod plan;
mod rebind;
mod seams;

pub use self::bind::{
    BindDraft, BindForeseen, BindTrial, BindView, SelectedVertices, TrialColors, TrialNumbers,
    TrialPose,
};
pub(super) use self::convert::UNITS;
pub use self::convert::{
    ConvertDraft, ConvertPreview, ConvertView, FileBeside, ForeignCounts, ForeignSettings,
};
pub use self::export::{ExportDraft, ExportForeseen, ExportPlace};
pub(super) use self::form::field_count;
pub(in crate::ui) use self::form::label;
pub use self::form::{FormDraft, LayersThere};
pub use self::import::{ImportDraft, ImportFile, ImportMoment, ImportRow, ImportView};
pub use self::pictures::PicturesDraft;
pub use self::plan::{PlanForeseen, PlanView, PlannedJoint};
pub use self::rebind::RebindDraft;
pub use self::seams::{SeamOrder, SeamsDraft};
