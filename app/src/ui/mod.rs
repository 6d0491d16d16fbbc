//! What views share: virtual rows, code, answers of the engine, marks, files.

pub(crate) mod annotations;
pub(crate) mod asked;
pub(crate) mod camera;
pub(crate) mod canvas;
pub(crate) mod code;
pub(crate) mod copy;
pub(crate) mod files;
pub(crate) mod filter_box;
pub(crate) mod fuzzy;
pub(crate) mod grid;
pub(crate) mod heading;
pub(crate) mod marks;
pub(crate) mod more;
pub(crate) mod paged;
mod painting;
pub(crate) mod picture;
pub(crate) mod picture_export;
pub(crate) mod pieces;
mod resizing;
pub(crate) mod rows;
pub(crate) mod save;
pub(crate) mod scroll;
mod strip;
pub(crate) mod table_copy;
pub(crate) mod trouble;
pub(crate) mod visible;
