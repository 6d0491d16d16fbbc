// Measures speed, memory and size, natively and in the browser, and prints a table.
//
//   make bench                     on the largest trace of DYNASCOPE_CORPUS, or on a generated one
//   make bench INPUT=big.log       on a file of yours
//   make bench README=1            also writes the table into README.md
//
// Figures of speed depend on the machine and on what else it does; the ratios, taken within one run, less.
import { execFileSync, spawnSync } from "node:child_process";
import { createReadStream, createWriteStream, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { basename, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { drop, openPage, ROOT, SCRATCH, site, startBrowser } from "../tests/harness.mjs";
import { writeLargeTrace } from "../tests/trace.mjs";
import { decode, measure } from "../tests/wire.mjs";
import { sizes } from "./sizes.mjs";

const ROUNDS = 3;
const MB = 1e6;

/** The file to measure on, and what it is. */
async function chooseInput() {
  if (process.env.INPUT) return { path: process.env.INPUT, what: basename(process.env.INPUT) };
  const big = process.env.DYNASCOPE_CORPUS && join(process.env.DYNASCOPE_CORPUS, "torch-2.15.0", "trace", "big_suite");
  if (big && existsSync(big)) {
    const name = readdirSync(big).find((file) => file.endsWith(".log.gz"));
    const path = join(SCRATCH, name.replace(/\.gz$/, ""));
    await pipeline(createReadStream(join(big, name)), createGunzip(), createWriteStream(path));
    return { path, what: "big_suite, torch 2.15, expanded" };
  }
  const path = join(SCRATCH, "dedicated_log_torch_trace_generated.log");
  const compilations = writeLargeTrace(path, 120 * MB);
  return { path, what: `generated, ${compilations} compilations` };
}

/** Collects in the page what the engine says, without coming between it and the page. */
async function listen(page) {
  await page.evaluate((code) => {
    globalThis.heard = [];
    const decode = (0, eval)(`(${code})`);
    return globalThis.dynascopeEngine.then((worker) => worker.addEventListener("message", ({ data }) => {
      globalThis.heard.push({ at: performance.now(), ...decode(data) });
    }));
  }, decode.toString());
}

/** How long the worker takes only to read the file. */
async function floor(page, path) {
  await page.evaluate(() => {
    const chooser = document.createElement("input");
    chooser.type = "file";
    chooser.id = "bench";
    document.body.append(chooser);
  });
  await page.locator("#bench").setInputFiles(path);
  return page.evaluate(async ([first]) => {
    const file = document.getElementById("bench").files[0];
    const worker = await globalThis.dynascopeEngine;
    const message = new Uint8Array(first).buffer;
    worker.postMessage([message, file], [message]);
    for (;;) {
      const answer = globalThis.heard.find((said) => said.ticket === 77 && said.what !== "answer");
      if (answer) return answer;
      await new Promise((later) => setTimeout(later, 20));
    }
  }, [[...new Uint8Array(measure(77))]]);
}

/** Drops the file and waits for the end; the times are those that a person sees. */
async function index(page, path) {
  await page.evaluate(() => {
    globalThis.seen = { gap: 0 };
    let last = performance.now();
    const look = (now) => {
      globalThis.seen.gap = Math.max(globalThis.seen.gap, now - last);
      last = now;
      if (!globalThis.seen.rows && document.querySelector('[data-testid="compilation-row"]')) globalThis.seen.rows = now;
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
    addEventListener("drop", () => { globalThis.seen.drop = performance.now(); }, { capture: true });
  });
  await drop(page, [path]);
  await page.waitForFunction(
    () => globalThis.heard.some((said) => said.what === "progress" && said.state !== "reading"),
    undefined, { timeout: 600_000 },
  );
  await page.waitForFunction(() => globalThis.seen.rows, undefined, { timeout: 60_000 });
  return page.evaluate(() => {
    const progress = globalThis.heard.filter((said) => said.what === "progress");
    const end = progress.find((said) => said.state !== "reading");
    return {
      ...end,
      peak: Math.max(...progress.map((said) => said.memory_bytes)),
      toRows: (globalThis.seen.rows - globalThis.seen.drop) / 1000,
      toEnd: (end.at - globalThis.seen.drop) / 1000,
      gap: globalThis.seen.gap,
    };
  });
}

const best = (runs, by) => runs.reduce((least, run) => (by(run) < by(least) ? run : least));
const number = (value, digits = 0) => value.toLocaleString("en-GB", { minimumFractionDigits: digits, maximumFractionDigits: digits });

async function inBrowser(input, bytes) {
  const browser = await startBrowser();
  const here = await site();
  const floors = [];
  const indexed = [];
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { page, context } = await openPage(browser, here.address);
      await listen(page);
      floors.push(await floor(page, input.path));
      if (floors.at(-1).what !== "measured") throw new Error(`the engine could not measure: ${floors.at(-1).why}`);
      indexed.push(await index(page, input.path));
      if (indexed.at(-1).state !== "done") throw new Error(`reading ended as: ${indexed.at(-1).state} ${indexed.at(-1).why ?? ""}`);
      await context.close();
    }
  } finally {
    await browser.close();
    await here.close();
  }
  const least = best(floors, (run) => run.seconds);
  const run = best(indexed, (each) => each.seconds);
  return [
    ["in the worker: only reading the bytes (the floor)", `${number(least.bytes / MB / least.seconds)} MB/s`],
    ["in the worker: reading and indexing", `${number(bytes / MB / run.seconds)} MB/s, ${number(run.seconds / least.seconds, 2)} × the floor's time`],
    ["records, compilations", `${number(run.records)}, ${number(run.compilations)}`],
    ["from drop to first rows", `${number(run.toRows, 2)} s`],
    ["from drop to the finished overview", `${number(run.toEnd, 2)} s`],
    ["longest time between two frames meanwhile", `${number(run.gap)} ms`],
    ["engine's memory at its peak, and the index in it", `${number(run.peak / MB, 1)} MB, ${number(run.index_bytes / MB, 2)} MB (${number((100 * run.index_bytes) / run.text_bytes, 2)} % of the text)`],
  ];
}

/** The core's own benches: each prints lines `name: figure`. */
function natively(input) {
  if (!readdirSync(join(ROOT, "core", "benches")).some((name) => name.endsWith(".rs"))) {
    console.log("bench: core/benches holds no bench; the native part is left out");
    return [];
  }
  const run = spawnSync("cargo", ["bench", "-p", "dynascope-core"], {
    cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, DYNASCOPE_BENCH_INPUT: input.path },
  });
  process.stdout.write(run.stdout ?? "");
  if (run.status !== 0) throw new Error("cargo bench failed");
  return [...run.stdout.matchAll(/^bench: ([^:]+): (.+)$/gm)].map(([, name, figure]) => [`natively: ${name}`, figure]);
}

function commit() {
  try {
    return execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return undefined;
  }
}

const input = await chooseInput();
const bytes = statSync(input.path).size;
const files = sizes(join(ROOT, "dist"));
const wasm = files.filter(({ name }) => name.endsWith(".wasm"));
const sum = (list, field) => list.reduce((total, file) => total + file[field], 0);
const rows = [
  ["processor, cores", `${cpus()[0].model.trim()}, ${cpus().length}`],
  ["input", `${number(bytes / MB, 1)} MB (${input.what})`],
  ...natively(input),
  ...await inBrowser(input, bytes),
  ["WebAssembly of page and engine", `${number(sum(wasm, "raw") / 1000)} kB, with brotli ${number(sum(wasm, "brotli") / 1000)} kB`],
  ...wasm.map(({ name, raw, brotli }) => [`· ${name}`, `${number(raw / 1000)} kB, with brotli ${number(brotli / 1000)} kB`]),
  ["all code that the page loads", `${number(sum(files, "raw") / 1000)} kB, with brotli ${number(sum(files, "brotli") / 1000)} kB`],
];
const table = ["| | |", "|---|---|", ...rows.map(([name, figure]) => `| ${name} | ${figure} |`)].join("\n");
console.log(`\n${table}`);
const when = [new Date().toISOString().slice(0, 10), commit()].filter(Boolean).join(", ");
mkdirSync(join(ROOT, "tests", "out"), { recursive: true });
writeFileSync(join(ROOT, "tests", "out", "bench.md"), `${table}\n\n${when}\n`);
if (process.env.README) {
  const path = join(ROOT, "README.md");
  const text = readFileSync(path, "utf8");
  writeFileSync(path, text.replace(/(<!-- bench: begin -->)[^]*?(<!-- bench: end -->)/, `$1\n${table}\n$2`));
  console.log("bench: README.md holds these figures now");
}
