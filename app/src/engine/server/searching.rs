//! Searches all open logs, or one text, and sends what is found as it comes.

use super::Engine;
use super::slices::{REPORT_MS, Slice};
use crate::engine::protocol::{
    Case, FromEngine, LogId, MAX_HITS, MAX_MATCHES, Query, SearchState, TextKey,
};
use dynascope_core::analysis::search;
use std::rc::Rc;

impl Engine {
    /// Searches all open logs, one after the other, and sends what is found as it comes.
    pub(super) async fn search(self: Rc<Self>, ticket: u32, text: String, case: Case) {
        let logs: Vec<(LogId, u64)> = self
            .state
            .borrow()
            .logs
            .iter()
            .map(|(id, log)| (*id, log.text_bytes()))
            .collect();
        let total_bytes = logs.iter().map(|(_, bytes)| bytes).sum();
        let send = |hits, searched_bytes, state| {
            self.send(&FromEngine::Hits {
                ticket,
                hits,
                searched_bytes,
                total_bytes,
                state,
            });
        };
        let (mut before, mut count, mut hits) = (0, 0, Vec::new());
        let (mut slice, mut reported) = (Slice::begin(&self), self.now());
        for (log, bytes) in logs {
            let mut search = search::Search::new(&text, case);
            while let Some(Some(found)) = self.with_log(log, |open| open.search(log, &mut search)) {
                // One stretch of text may hold more hits than are shown at all.
                let room = MAX_HITS - count;
                count += found.len().min(room);
                hits.extend(found.into_iter().take(room));
                let searched_bytes = before + search.searched();
                if count >= MAX_HITS {
                    return send(hits, searched_bytes, SearchState::Full);
                }
                let now = self.now();
                if now - reported > REPORT_MS {
                    reported = now;
                    send(
                        std::mem::take(&mut hits),
                        searched_bytes,
                        SearchState::Searching,
                    );
                }
                slice.rest(&self).await;
                if self.state.borrow().search != Some(ticket) {
                    return;
                }
            }
            before += bytes;
        }
        send(hits, before, SearchState::Done);
    }

    /// Finds places within a text, and sends them as they come.
    pub(super) async fn find(self: Rc<Self>, ticket: u32, text: TextKey, query: Query) {
        if let Some(Err(why)) = self.find_all(ticket, text, &query).await.transpose() {
            self.send(&FromEngine::Matches {
                ticket,
                matches: Vec::new(),
                searched_rows: 0,
                total_rows: 0,
                state: SearchState::Refused(why),
            });
        }
    }

    /// `None` where nobody waits any longer.
    async fn find_all(
        &self,
        ticket: u32,
        text: TextKey,
        query: &Query,
    ) -> Result<Option<()>, String> {
        if !self.read_whole(ticket, text).await? {
            return Ok(None);
        }
        let Some(find) = self.with_log(text.log, |log| log.find(text, query)) else {
            return Ok(None);
        };
        let mut find = find?;
        let mut matches = Vec::new();
        let mut sent = 0;
        let (mut slice, mut reported) = (Slice::begin(self), self.now());
        loop {
            let room = MAX_MATCHES - sent;
            // Another text may have taken its place among those that are kept.
            if !self.read_whole(ticket, text).await? {
                return Ok(None);
            }
            let step = self.with_log(text.log, |log| {
                log.find_on(text, &mut find, &mut matches, room)
            });
            let Some(step) = step else { return Ok(None) };
            let (total_rows, is_more) = step?;
            let is_full = matches.len() >= room;
            let now = self.now();
            if !is_more || is_full || now - reported > REPORT_MS {
                reported = now;
                sent += matches.len();
                self.send(&FromEngine::Matches {
                    ticket,
                    matches: std::mem::take(&mut matches),
                    searched_rows: find.searched(),
                    total_rows,
                    state: match (is_full, is_more) {
                        (true, _) => SearchState::Full,
                        (_, true) => SearchState::Searching,
                        _ => SearchState::Done,
                    },
                });
            }
            if !is_more || is_full {
                return Ok(Some(()));
            }
            slice.rest(self).await;
        }
    }
}
