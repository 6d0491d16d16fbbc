# All the commands a person needs. Each sets up what is missing (scripts/setup) and says so.
#
#   make serve   build the page and serve it on http://127.0.0.1:8080 (PORT=9000 changes the port)
#   make test    run every test; the last line is the sum
#   make dist    leave the static page in dist/
#   make bench   measure speed, memory and size
#   make lint    formatting, Clippy, the core without the standard library
#   make fmt     format the Rust code

PORT ?= 8080
CACHE := $(or $(DYNASCOPE_CACHE),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/dynascope)
export PATH := $(CACHE)/tools/bin:$(CURDIR)/node_modules/.bin:$(PATH)

WASM := --target wasm32-unknown-unknown
SOURCES := $(shell find app core/src core/layout/src public -type f) Cargo.toml Cargo.lock core/Cargo.toml core/layout/Cargo.toml \
	Trunk.toml .cargo/config.toml package-lock.json scripts/seal.mjs

.PHONY: serve test dist bench lint fmt setup setup-test
.NOTPARALLEL:

serve: dist
	@node scripts/serve.mjs dist $(PORT)

dist: setup dist/index.html

# Trunk replaces dist/ only when all of it was built. The page gets the time at which building began, so
# that what was edited meanwhile is built the next time.
dist/index.html: $(SOURCES)
	@mkdir -p target && touch target/build-began
	trunk build --release
	@touch -r target/build-began $@

test: setup-test
	@node scripts/test.mjs

bench: setup-test dist/index.html
	@node scripts/bench.mjs

lint: setup
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	cargo clippy -p dynascope-app --bins $(WASM) -- -D warnings
	cargo check -p dynascope-core --no-default-features $(WASM)

fmt:
	cargo fmt --all

setup:
	@scripts/setup build

setup-test:
	@scripts/setup test
