//! Columns of tables, by the words that addresses use for them.

use crate::engine::protocol::{Column, Direction, Sort};

/// The order in which a table of compilations stands when nobody chose another.
pub const DEFAULT_SORT: Sort = Sort {
    column: Column::Id,
    direction: Direction::Ascending,
};

/// All columns, with the words that addresses and test marks use for them.
pub const COLUMN_KEYS: [(Column, &str); 8] = [
    (Column::Id, "id"),
    (Column::Function, "function"),
    (Column::Place, "place"),
    (Column::Status, "status"),
    (Column::Attempts, "attempts"),
    (Column::Ops, "ops"),
    (Column::Guards, "guards"),
    (Column::Seconds, "seconds"),
];

/// A column of the table of records that need not show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RecordColumn {
    /// When it was written.
    Time,
    /// Its line in the file.
    Line,
    /// The compilation that it belongs to.
    Id,
    /// The attempt that wrote it.
    Attempt,
    /// The place in PyTorch's source that wrote it.
    Origin,
    /// Bytes of the file that it takes.
    Size,
}

/// The columns of the table of records that can be hidden, with the words that addresses use for them.
pub const HIDEABLE: [(RecordColumn, &str); 6] = [
    (RecordColumn::Line, "line"),
    (RecordColumn::Time, "time"),
    (RecordColumn::Id, "id"),
    (RecordColumn::Attempt, "attempt"),
    (RecordColumn::Origin, "origin"),
    (RecordColumn::Size, "size"),
];

/// The word for a column in addresses.
#[must_use]
pub fn column_key(column: Column) -> &'static str {
    COLUMN_KEYS
        .iter()
        .find(|(known, _)| *known == column)
        .map_or("id", |(_, key)| key)
}

pub(super) fn hide_text(hide: &[RecordColumn]) -> String {
    let words = HIDEABLE
        .iter()
        .filter(|(column, _)| hide.contains(column))
        .map(|(_, word)| *word);
    words.collect::<Vec<_>>().join(",")
}

pub(super) fn hide_from(text: &str) -> Vec<RecordColumn> {
    HIDEABLE
        .iter()
        .filter(|(_, word)| text.split(',').any(|part| part == *word))
        .map(|(column, _)| *column)
        .collect()
}

pub(super) fn sort_text(sort: Sort) -> String {
    let direction = match sort.direction {
        Direction::Ascending => "up",
        Direction::Descending => "down",
    };
    format!("{}-{direction}", column_key(sort.column))
}

pub(super) fn sort_from(text: &str) -> Option<Sort> {
    let (key, direction) = text.split_once('-')?;
    let (column, _) = COLUMN_KEYS.iter().find(|(_, known)| *known == key)?;
    let direction = match direction {
        "up" => Direction::Ascending,
        "down" => Direction::Descending,
        _ => return None,
    };
    Some(Sort {
        column: *column,
        direction,
    })
}
