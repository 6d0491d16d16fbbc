//! Finds the records of guards in a log.

use dynascope_core::trace::Builder;

/// The payloads of all records of guards, in their order: trees, then recorded lists.
pub(crate) fn payloads(text: Vec<u8>) -> (Vec<String>, Vec<Vec<u8>>) {
    let mut builder = Builder::default();
    builder.feed(&text);
    builder.finish();
    let trace = builder.trace();
    let (mut trees, mut lists) = (Vec::new(), Vec::new());
    for (index, entry) in trace.index.iter() {
        let kind = trace.kinds.get(entry.kind).map(|kind| kind.kind.as_str());
        let read = || {
            let segment = trace.segment(&text, index).unwrap().unwrap();
            segment.payload.read(&text, usize::MAX).unwrap()
        };
        match kind {
            Some("dynamo_cpp_guards_str") => trees.push(String::from_utf8(read()).unwrap()),
            Some("dynamo_guards") => lists.push(read()),
            _ => {}
        }
    }
    (trees, lists)
}
