// The page stays small: WebAssembly of the page and its engine together, as a host sends it.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { DIST } from "./harness.mjs";
import { brotli } from "../scripts/sizes.mjs";

// The first whole path had 500 kB. A view costs 5 to 15 kB, most of it Leptos' code for its signals; pictures of
// graphs, console logs and failures cost some 80 kB each, page and engine together. The limit grows with views on
// purpose, never by accident.
const BUDGET = 1_000_000;

test("page and engine take at most 1,000 kB, compressed with brotli", () => {
  const files = readdirSync(DIST).filter((name) => name.endsWith(".wasm"));
  assert.equal(files.length, 2, `the page's and the engine's: ${files}`);
  const bytes = files.map((name) => brotli(readFileSync(join(DIST, name))));
  const sum = bytes[0] + bytes[1];
  assert.ok(sum > 0 && sum <= BUDGET, `${files[0]} ${bytes[0]} + ${files[1]} ${bytes[1]} = ${sum} bytes`);
});
