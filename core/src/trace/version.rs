//! Which torch version wrote a log, where it says so or where its records tell.

use crate::log::metadata::CompilationMetrics;
use alloc::string::String;

/// What speaks for a version.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    exact: Option<String>,
    /// The minor version that the records fit.
    minor: Option<&'static str>,
    thread_ids: bool,
    flat_guards: bool,
}

impl Evidence {
    pub(super) fn version(&self) -> Option<&str> {
        self.exact.as_deref().or(self.minor).or_else(|| {
            // 2.3 writes flat guards and neither metrics nor a tree; 2.4 writes all of them.
            (self.thread_ids && self.flat_guards).then_some("2.3")
        })
    }

    /// The `torch_version` artifact, since 2.12, or `pytorch_version` of the metrics, since 2.10.
    pub(super) fn exact(&mut self, version: &str) {
        if self.exact.is_none() && !version.is_empty() {
            self.exact = Some(version.into());
        }
    }

    /// The prefix of a record holds a thread id: 2.3 or 2.4.
    pub(super) fn thread_id(&mut self) {
        self.thread_ids = true;
    }

    /// `dynamo_guards`, with guards in it: 2.3, or later without the C++ guard manager.
    pub(super) fn flat_guards(&mut self) {
        self.flat_guards = true;
    }

    /// A message that only that minor version writes.
    pub(super) fn minor(&mut self, version: &'static str) {
        self.minor = self.minor.or(Some(version));
    }

    /// A record that 2.4 was the first to write.
    pub(super) fn since_2_4(&mut self) {
        if self.thread_ids {
            self.minor = self.minor.or(Some("2.4"));
        }
    }

    /// Which members the metrics have (FORMATS: `CompilationMetrics` of torch/_dynamo/utils.py).
    pub(super) fn metrics(&mut self, metrics: &CompilationMetrics<'_>) {
        if let Some(version) = metrics.pytorch_version.get() {
            self.exact(version);
        }
        self.since_2_4();
        let found = if metrics.graph_node_shapes.is_present() {
            "2.9"
        } else if metrics.python_version.is_present() {
            "2.8"
        } else if metrics.is_runtime.is_present() {
            "2.7"
        } else if metrics.log_format_version.is_present() {
            "2.6"
        } else if metrics
            .possibly_missed_reinplacing_opportunities
            .is_present()
        {
            "2.5"
        } else {
            return;
        };
        self.minor = Some(found);
    }
}
