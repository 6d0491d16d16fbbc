// Trunk's post-build hook: names the files that the page loads by their content, and writes names and
// digests into index.html. A browser then never mixes two versions, and refuses a changed file.
//
// `src` and `href` of a file here gain `integrity`; `data-<what>` gains `data-<what>-integrity`,
// which app/init.js hands to fetch. What comes with a build but is not code (samples, icon) keeps its name.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const dist = process.env.TRUNK_STAGING_DIR ?? process.argv[2];
if (!dist) throw new Error("seal.mjs: TRUNK_STAGING_DIR is not set, and no folder was given");

if (existsSync(join(dist, "snippets"))) {
  throw new Error("seal.mjs: a crate brings inline JavaScript (dist/snippets), which nothing would check; remove it");
}

const sealed = new Map();
function seal(name) {
  if (!sealed.has(name)) {
    const bytes = readFileSync(join(dist, name));
    const mark = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
    const integrity = `sha384-${createHash("sha384").update(bytes).digest("base64")}`;
    const final = name.replace(/(\.[a-z]+)$/, `-${mark}$1`);
    renameSync(join(dist, name), join(dist, final));
    sealed.set(name, { final, integrity });
  }
  return sealed.get(name);
}

const page = join(dist, "index.html");
const html = readFileSync(page, "utf8")
  .replace(/<!--[^]*?-->|<link data-trunk [^>]*>| data-integrity="none"/g, "")
  .replace(/\n(?:[ \t]*\n)+/g, "\n")
  .replace(/ (src|href|data-[a-z-]+)="(?:\.\/)?([\w-]+\.(?:js|css|wasm))"/g, (_, attribute, name) => {
    const { final, integrity } = seal(name);
    const check = attribute.startsWith("data-") ? `${attribute}-integrity` : "integrity";
    return ` ${attribute}="${final}" ${check}="${integrity}"`;
  });
for (const attribute of ["data-page-js", "data-page-wasm", "data-engine-js", "data-engine-wasm"]) {
  if (!html.includes(`${attribute}-integrity="sha384-`)) throw new Error(`seal.mjs: index.html lacks ${attribute}`);
}
writeFileSync(page, html);
