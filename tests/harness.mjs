// What every browser test uses: a server for dist/, a second server that only counts hits, a browser,
// and the ways in which a person gives the page files.
//
// Start at `openPage`. A page opened here fails its test when the console says anything or when it asks
// for anything after it has started, unless the test says that it expects so.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { serve } from "../scripts/serve.mjs";

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "..");
export const DIST = resolve(process.env.DIST ?? join(ROOT, "dist"));
export const FIXTURES = join(ROOT, "tests", "fixtures");
/** Wide real inputs, where somebody has them. */
export const CORPUS = process.env.DYNASCOPE_CORPUS;

/** A folder for one test file's inputs; it goes when the process ends. */
export const SCRATCH = mkdtempSync(join(tmpdir(), "dynascope-"));
process.on("exit", () => rmSync(SCRATCH, { recursive: true, force: true }));

/** Writes an input of a test and gives its path. */
export function input(name, content) {
  const path = join(SCRATCH, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

/** Serves a folder on a free port; `requests` lists what was asked for. */
export async function site(folder = DIST) {
  const requests = [];
  const server = await serve(folder, 0, (request) => requests.push(`${request.method} ${request.url}`));
  return {
    address: `http://127.0.0.1:${server.address().port}/`,
    requests,
    close: () => stop(server),
  };
}

/** Another origin: answers everything, lets everybody read it, and remembers who came. */
export async function stranger() {
  const hits = [];
  const server = createServer((request, response) => {
    hits.push(`${request.method} ${request.url}`);
    response.writeHead(200, { "access-control-allow-origin": "*", "content-type": "text/javascript" }).end("1;");
  });
  server.on("upgrade", (request, socket) => {
    hits.push(`UPGRADE ${request.url}`);
    socket.destroy();
  });
  await new Promise((started) => server.listen(0, "127.0.0.1", started));
  const { port } = server.address();
  return { address: `http://127.0.0.1:${port}/`, socket: `ws://127.0.0.1:${port}/`, hits, close: () => stop(server) };
}

function stop(server) {
  server.closeAllConnections();
  return new Promise((stopped) => server.close(stopped));
}

/** A copy of dist/ in which a test may change files. */
export function copyOfDist(name) {
  const copy = join(SCRATCH, name);
  cpSync(DIST, copy, { recursive: true });
  return copy;
}

/** The one file in a folder whose name matches. */
export function fileOf(folder, pattern) {
  const names = readdirSync(folder).filter((name) => pattern.test(name));
  assert.equal(names.length, 1, `one file in ${folder} like ${pattern}: ${names}`);
  return join(folder, names[0]);
}

/** Changes one byte of a file: the last one, unless told which. */
export function flipByte(path, at = -1) {
  const bytes = readFileSync(path);
  bytes[at < 0 ? bytes.length + at : at] ^= 1;
  writeFileSync(path, bytes);
}

/** Starts a browser that talks to nobody of its own accord. */
export function startBrowser() {
  const args = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"];
  if (process.getuid?.() === 0) args.push("--no-sandbox");
  const executablePath = execFileSync(join(ROOT, "scripts", "browser"), { encoding: "utf8" }).trim();
  return chromium.launch({ executablePath, args });
}

/** A browser for all tests of a file: `before(start)`, `after(stop)`, and `browser.open` to open the page. */
export function browserForTests() {
  const held = {};
  return {
    async start() {
      held.browser = await startBrowser();
      held.site = await site();
    },
    async stop() {
      await held.browser?.close();
      await held.site?.close();
    },
    open: (options = {}) => openPage(held.browser, held.site.address + (options.at ?? ""), options),
  };
}

/**
 * Opens the page in a browser context of its own. `finish` closes it and asserts that the console kept
 * silent and that nothing was requested after the start, except for what `allow` matches.
 */
export async function openPage(browser, address, { allow = [], ready = true, viewport, colorScheme } = {}) {
  const context = await browser.newContext({ viewport: viewport ?? { width: 1280, height: 800 }, colorScheme });
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  const said = [];
  const requests = [];
  page.on("console", (message) => {
    if (["error", "warning", "assert"].includes(message.type())) said.push(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => said.push(`uncaught: ${error}`));
  page.on("crash", () => said.push("the page crashed"));
  context.on("request", (request) => requests.push(`${request.method()} ${request.url()}`));
  await page.goto(address);
  if (ready) await started(page);
  const known = requests.length;
  // The browser asks for the icon whenever it likes.
  const later = () => requests.slice(known).filter((line) => !line.endsWith("/icon.svg"));
  const unexpected = (lines) => lines.filter((line) => !allow.some((pattern) => pattern.test(line)));
  return {
    page,
    context,
    said,
    later,
    async finish() {
      assert.deepEqual(unexpected(said), [], "the console");
      assert.deepEqual(unexpected(later()), [], "requests after the start");
      await context.close();
    },
  };
}

/** Waits until the page is on the screen and its engine lives. */
export async function started(page) {
  await page.waitForFunction(() => !document.getElementById("boot"));
  const until = Date.now() + 10_000;
  while (page.workers().length === 0) {
    assert.ok(Date.now() < until, "the page made no worker");
    await page.waitForTimeout(20);
  }
}

/** The engine's worker. */
export function engineOf(page) {
  const workers = page.workers();
  assert.equal(workers.length, 1, "one worker");
  assert.match(workers[0].url(), /^blob:/);
  return workers[0];
}

/** What a person reads where the page or its engine could not start. */
export async function refusal(page) {
  const sentence = page.locator('#boot[role="alert"], [data-testid="engine-failed"]');
  await sentence.waitFor();
  return sentence.innerText();
}

/** Drops files and folders on the page as a person does, with entries for folders, through the browser itself. */
export async function drop(page, paths, { x = 640, y = 400 } = {}) {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: paths.map((path) => resolve(path)), dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"]) {
    await session.send("Input.dispatchDragEvent", { type, x, y, data });
  }
  await session.detach();
}

/** A fixture's path; the test fails where it is absent. */
export function fixture(...parts) {
  const path = join(FIXTURES, ...parts);
  assert.ok(existsSync(path), `the fixture ${path} exists`);
  return path;
}
