// Sizes of what a browser loads: as it is, and as a host sends it with brotli at its highest quality.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

/** Bytes after brotli, quality 11. */
export function brotli(bytes) {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  return brotliCompressSync(bytes, { params }).length;
}

/** Name, bytes and compressed bytes of each file of code in a folder. */
export function sizes(folder) {
  return readdirSync(folder)
    .filter((name) => /\.(wasm|js|css|html)$/.test(name))
    .map((name) => {
      const bytes = readFileSync(join(folder, name));
      return { name: name.replace(/-[0-9a-f]{16}(?=\.)/, ""), raw: bytes.length, brotli: brotli(bytes) };
    });
}
