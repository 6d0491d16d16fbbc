//! The worker's entry.

fn main() {
    console_error_panic_hook::set_once();
    // Without a worker's scope there is nobody to tell.
    let _ = dynascope_app::engine::server::start();
}
