//! What the core knows of each log in tests/fixtures, held against what was reviewed.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod files;

#[allow(dead_code)]
#[path = "../examples/facts.rs"]
mod facts;

use std::path::Path;

#[test]
fn facts_of_every_fixture_are_those_that_were_reviewed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures");
    let mut logs = Vec::new();
    files::collect(&folder, &[".log", ".log.gz"], &mut logs);
    assert!(logs.len() >= 12, "fixtures are missing: {logs:?}");
    for log in logs {
        let facts = facts::facts(&log).unwrap_or_else(|error| panic!("{}: {error}", log.display()));
        let version = log
            .parent()
            .and_then(Path::file_name)
            .unwrap()
            .to_string_lossy()
            .into_owned();
        let name = log.file_name().unwrap().to_string_lossy().into_owned();
        insta::assert_json_snapshot!(format!("{version}-{name}"), facts);
    }
}
