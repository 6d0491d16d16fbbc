// A static server for dist/, for this machine only: `node scripts/serve.mjs [folder] [port]`.
// The browser tests start the same server on a free port.
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".wasm": "application/wasm",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json",
  ".log": "text/plain; charset=utf-8",
  ".gz": "application/gzip",
};

/** The file that an address names, or nothing where it leads out of the folder. */
function fileFor(root, url) {
  let path;
  try {
    path = decodeURIComponent(url.split(/[?#]/, 1)[0]);
  } catch {
    return undefined;
  }
  if (path.includes("\0")) return undefined;
  const file = resolve(root, `.${sep}${path.endsWith("/") ? `${path}index.html` : path}`);
  return file.startsWith(root + sep) ? file : undefined;
}

/** Serves `folder` on 127.0.0.1; port 0 takes a free one. `seen` is told every request. */
export function serve(folder, port, seen = () => {}) {
  const root = resolve(folder);
  const server = createServer(async (request, response) => {
    seen(request);
    const file = fileFor(root, request.url);
    const facts = file && (await stat(file).catch(() => undefined));
    if (!facts?.isFile()) {
      response.writeHead(404, { "content-type": "text/plain; charset=utf-8" }).end("Not here.\n");
      return;
    }
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.writeHead(405, { allow: "GET, HEAD" }).end();
      return;
    }
    response.writeHead(200, {
      "content-type": TYPES[extname(file)] ?? "application/octet-stream",
      "content-length": facts.size,
      "cache-control": "no-cache",
      "x-content-type-options": "nosniff",
    });
    if (request.method === "HEAD") response.end();
    else createReadStream(file).on("error", () => response.destroy()).pipe(response);
  });
  return new Promise((started, failed) => {
    server.once("error", failed);
    server.listen(port, "127.0.0.1", () => started(server));
  });
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2] ?? join(import.meta.dirname ?? ".", "..", "dist");
  const port = Number(process.argv[3] ?? process.env.PORT ?? 8080);
  if (!Number.isInteger(port) || port < 0 || port > 65535) {
    console.error(`serve: "${process.argv[3] ?? process.env.PORT}" is no port; give a number from 0 to 65535, as in PORT=9000`);
    process.exit(1);
  }
  try {
    const server = await serve(folder, port);
    console.log(`Dynascope: http://127.0.0.1:${server.address().port}/  (Ctrl-C stops it)`);
  } catch (error) {
    if (error.code !== "EADDRINUSE" && error.code !== "EACCES") throw error;
    const why = error.code === "EACCES" ? "needs more rights than you have" : "is taken by another program";
    console.error(`serve: port ${port} ${why}; choose another, as in: make serve PORT=9000`);
    process.exit(1);
  }
}
