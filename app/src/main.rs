//! The page's entry.

fn main() {
    dynascope_app::view::start();
}
