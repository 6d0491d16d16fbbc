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
import { createGunzip, createGzip } from "node:zlib";
import { drop, openPage, ROOT, SCRATCH, site, startBrowser } from "../tests/harness.mjs";
import { finished, openRepeated } from "../tests/page.mjs";
import { graph, head, record, trace, writeLargeTrace } from "../tests/trace.mjs";
import { sizes } from "./sizes.mjs";

const ROUNDS = 3;
/** Graphs of a size that are opened one after the other: the first ones wait for the engine's code to be compiled. */
const GRAPHS = 8;
/** Graphs that are opened once more, while the browser notes what the worker does. */
const TRACED = 4;
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

/** The number of an enum's variant in the protocol, which is how postcard writes it. */
function variant(name, wanted) {
  const source = readFileSync(join(ROOT, "app", "src", "engine", "protocol.rs"), "utf8");
  const body = source.match(new RegExp(`^pub enum ${name} \\{$([^]*?)^\\}$`, "m"))?.[1] ?? "";
  const at = [...body.matchAll(/^ {4}(\w+)/gm)].map(([, found]) => found).indexOf(wanted);
  if (at < 0) throw new Error(`protocol.rs has no ${name}::${wanted}`);
  return at;
}

/** How long the worker takes only to read the file: `ToEngine::Measure`, past the page. */
async function floor(page, path) {
  await page.evaluate(() => {
    const chooser = document.createElement("input");
    chooser.type = "file";
    chooser.id = "bench";
    document.body.append(chooser);
  });
  await page.locator("#bench").setInputFiles(path);
  const ticket = 127;
  return page.evaluate(async ([question, answer]) => {
    const worker = await globalThis.dynascopeEngine;
    const message = Uint8Array.from(question).buffer;
    const answered = new Promise((done) => worker.addEventListener("message", function hear({ data }) {
      const bytes = new Uint8Array(data);
      if (!answer.every((byte, at) => bytes[at] === byte)) return;
      worker.removeEventListener("message", hear);
      let at = answer.length;
      let size = 0;
      for (let scale = 1; ; scale *= 128) {
        const byte = bytes[at++];
        size += (byte & 127) * scale;
        if (byte < 128) break;
      }
      done({ bytes: size, seconds: new DataView(data).getFloat64(at, true) });
    }));
    worker.postMessage([message, document.getElementById("bench").files[0]], [message]);
    return answered;
  }, [
    [variant("ToEngine", "Measure"), ticket],
    // The answer, its ticket, Ok, and which answer it is.
    [variant("FromEngine", "Answer"), ticket, 0, variant("Answer", "Measured")],
  ]);
}

/** Opens a file and waits for the end; the times are those that a person sees. */
async function index(page, open) {
  await page.evaluate(() => {
    globalThis.seen = { gap: 0 };
    let last;
    const look = (now) => {
      const { seen } = globalThis;
      if (seen.drop && !seen.end) seen.gap = Math.max(seen.gap, now - (last ?? now));
      last = now;
      if (!seen.rows && document.querySelector('[data-testid="row"] [data-column="function"]')) seen.rows = now;
      const tab = document.querySelector('[data-testid="log-tab"]')?.dataset;
      const facts = document.querySelector('[data-testid="value-compilations"]')?.textContent.replaceAll(",", "").trim();
      if (!seen.end && tab && tab.state !== "reading" && facts === tab.compilations) seen.end = now;
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
    const began = () => { globalThis.seen.drop = performance.now(); };
    addEventListener("drop", began, { capture: true });
    addEventListener("change", began, { capture: true });
  });
  await open();
  await page.waitForFunction(() => globalThis.seen.end && globalThis.seen.rows, undefined, { timeout: 600_000 });
  return page.evaluate(() => {
    const { seconds, text, records, compilations, memory, index: indexBytes, state } = document.querySelector('[data-testid="log-tab"]').dataset;
    const { drop: dropped, rows, end, gap } = globalThis.seen;
    return {
      state,
      ...Object.fromEntries(Object.entries({ seconds, text, records, compilations, memory, index: indexBytes })
        .map(([name, value]) => [name, Number(value)])),
      toRows: (rows - dropped) / 1000, toEnd: (end - dropped) / 1000, gap,
    };
  });
}

/**
 * Main-thread work in each frame while something moves, in milliseconds, smallest first: processor time of the
 * main thread's tasks from one frame to the next, as the browser's own trace has it. `move` runs in the page
 * before each frame.
 */
async function working(browser, page, selector, move, frames = 240) {
  await page.locator(selector).first().waitFor();
  await browser.startTracing(page, { categories: ["toplevel", "devtools.timeline"] });
  await page.evaluate(([selector_, move_, frames_]) => new Promise((done) => {
    const moving = { scroll, pan }[move_];
    const node = document.querySelector(selector_);
    let left = frames_;
    const frame = () => {
      moving(node);
      left -= 1;
      if (left > 0) requestAnimationFrame(frame);
      else done();
    };
    requestAnimationFrame(frame);

    // Down, and up again from the end: a jump to the top would show a whole page of new rows.
    function scroll(list) {
      const { dataset, clientHeight, scrollHeight } = list;
      if (list.scrollTop + clientHeight >= scrollHeight - 1) dataset.benchStep = "-130";
      else if (list.scrollTop <= 0) dataset.benchStep = "130";
      list.scrollTop += Number(dataset.benchStep ?? 130);
    }
    function pan(canvas) {
      canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: 60, deltaX: left % 20 < 10 ? 12 : -12, bubbles: true, cancelable: true }));
    }
  }), [selector, move, frames]);
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
  const starts = traceEvents.filter(({ name }) => name === "FireAnimationFrame");
  const counts = new Map();
  for (const start of starts) counts.set(thread(start), [...counts.get(thread(start)) ?? [], start]);
  const [main] = [...counts].sort(([, left], [, right]) => right.length - left.length)[0];
  const at = counts.get(main).map(({ ts }) => ts).sort((left, right) => left - right);
  const work = new Array(at.length).fill(0);
  for (const { ts, dur, spent } of tasks(traceEvents, main)) {
    // A task that fires the frame began before it.
    const frame = at.findLastIndex((start) => start <= ts + dur);
    if (frame >= 0) work[frame] += spent;
  }
  return work.slice(20).sort((left, right) => left - right);
}

const thread = ({ pid, tid }) => `${pid} ${tid}`;

/** The tasks of a thread, each with the processor time that it took, in milliseconds. */
function tasks(traceEvents, of) {
  const all = traceEvents.filter((event) => thread(event) === of && event.ph === "X" && event.name.endsWith("RunTask") && event.tdur !== undefined);
  // Chromium notes a task twice, under two names, where both categories are on.
  const names = new Set(all.map(({ name }) => name));
  return all.map((event) => ({ ...event, spent: event.tdur / 1000 / names.size }));
}

/** Processor time of the worker while something is done, in milliseconds, as the browser's own trace has it. */
async function workerTime(browser, page, act) {
  await browser.startTracing(page, { categories: ["toplevel", "devtools.timeline"] });
  await act();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
  const workers = new Set(traceEvents.filter(({ name, args }) => name === "thread_name" && args.name === "DedicatedWorker thread").map(thread));
  return [...workers].flatMap((worker) => tasks(traceEvents, worker)).reduce((sum, { spent }) => sum + spent, 0);
}

const scrolling = (browser, page, selector) => working(browser, page, selector, "scroll");

const percentile = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
const frames = (sorted) => `${number(percentile(sorted, 0.95), 1)} ms at the 95th percentile, ${number(percentile(sorted, 0.5), 1)} ms in the middle`;

/** Scrolls each virtual view of the input, and opens a payload of 50 MB. */
async function views(browser, here, input) {
  const { page, context } = await openPage(browser, here.address);
  const rows = [];
  await drop(page, [input.path]);
  await finished(page);
  rows.push(["scrolling the compilations, work in a frame", frames(await scrolling(browser, page, '[data-testid="compilations"]'))]);
  const go = async (view, selector) => {
    await page.evaluate((view_) => { location.hash = `#v=1&log=0&view=${view_}`; }, view);
    await page.locator(selector).first().waitFor();
  };
  await go("records", '[data-testid="records"]');
  rows.push(["scrolling all records", frames(await scrolling(browser, page, '[data-testid="records"]'))]);
  await go("stacks", ".tree");
  rows.push(["scrolling the stacks", frames(await scrolling(browser, page, ".tree"))]);
  await context.close();
  return [...rows, ...await largeText(browser, here), ...await graphs(browser, here), ...await guards(browser, here)];
}

/** A graph as a transformer's: blocks of twelve operations with two weights, a call of one function each. */
function layers(nodes) {
  const count = Math.max(1, Math.round(nodes / 14));
  const weights = Array.from({ length: 2 * count }, (_, at) => `        w${at}: "f32[64, 64][64, 1]cpu",`);
  const lines = ["class GraphModule(torch.nn.Module):", "    def forward(", "        self,", '        v0: "f32[8, 64][64, 1]cpu",', ...weights, "    ):"];
  let last = 0;
  for (let layer = 0; layer < count; layer += 1) {
    const first = last;
    const step = (line, call) => {
      lines.push(`         # File: /srv/demo/model.py:${line} in forward, code: x = self.step${line}(x)`,
        `        v${last + 1}: "f32[8, 64][64, 1]cpu" = torch.ops.aten.${call}`);
      last += 1;
    };
    step(10, `mm.default(v${last}, w${2 * layer})`);
    for (let at = 0; at < 4; at += 1) step(11, `mul.Tensor(v${last}, 0.5)`);
    step(12, `mm.default(v${last}, w${2 * layer + 1})`);
    for (let at = 0; at < 5; at += 1) step(13, `add.Tensor(v${last}, 1)`);
    step(14, `add.Tensor(v${last}, v${first})`);
  }
  return [...lines, `        return (v${last},)`].join("\n");
}

/**
 * How long the worker takes to answer with a graph that it was not asked for before, beside JSON.parse of the
 * same text, in milliseconds: the shortest of several, each on a record of its own. All groups are open.
 */
async function graphs(browser, here) {
  const rows = [];
  for (const nodes of [1_000, 10_000]) {
    const { page, context } = await openPage(browser, here.address);
    const text = layers(nodes);
    const path = join(SCRATCH, `dedicated_log_torch_trace_graph_${nodes}.log`);
    const at = { frame_id: 0, frame_compile_id: 0, attempt: 0 };
    writeFileSync(path, head() + Array.from({ length: GRAPHS + TRACED }, () => record({ dynamo_output_graph: {}, ...at }, text)).join(""));
    await drop(page, [path]);
    await finished(page);
    const groups = `0-${nodes}`;
    const address = (record_) => `#v=1&log=0&view=graph&record=${record_}&open=${groups}`;
    const leave = async () => {
      await page.evaluate(() => { location.hash = "#v=1&log=0&view=overview"; });
      await page.locator('[data-testid="overview"]').waitFor();
    };
    const runs = [];
    for (let round = 0; round < GRAPHS; round += 1) {
      runs.push(await page.evaluate(async ([hash, text_]) => {
        const worker = await globalThis.dynascopeEngine;
        const quoted = JSON.stringify(text_);
        const parsing = performance.now();
        JSON.parse(quoted);
        const parse = performance.now() - parsing;
        const post = worker.postMessage;
        let asked;
        worker.postMessage = function ask(...message) {
          asked ??= performance.now();
          return post.apply(this, message);
        };
        // The graph's answer is the first one that is large.
        const answered = new Promise((done) => worker.addEventListener("message", function hear({ data }) {
          if (data.byteLength < 20_000) return;
          worker.removeEventListener("message", hear);
          done(performance.now());
        }));
        const began = performance.now();
        location.hash = hash;
        const engine = await answered - asked;
        delete worker.postMessage;
        const settled = () => document.querySelector('[data-testid="picture"]')?.dataset.scale && document.querySelector('[data-testid="graph-row"]');
        while (!settled()) await new Promise((done) => requestAnimationFrame(done));
        return { parse, engine, shown: performance.now() - began };
      }, [address(round + 1), text]));
      await leave();
    }
    const work = [];
    for (let round = 0; round < TRACED; round += 1) {
      work.push(await workerTime(browser, page, async () => {
        await page.evaluate((hash) => { location.hash = hash; }, address(GRAPHS + round + 1));
        await page.locator('[data-testid="graph-row"]').first().waitFor();
      }));
      await leave();
    }
    const least = (field) => Math.min(...runs.map((run) => run[field]));
    rows.push([`a graph of ${number(nodes)} nodes, ${number(text.length / 1000)} kB: read and laid out, work of the worker; JSON.parse of the same text`,
      `${number(Math.min(...work), 1)} ms; ${number(least("parse"), 1)} ms`]);
    rows.push(["… until the page has the answer; from the click to the picture", `${number(least("engine"), 1)} ms; ${number(least("shown"), 1)} ms`]);
    if (nodes === 10_000) {
      await page.evaluate((hash) => { location.hash = hash; }, address(1));
      await page.locator('[data-testid="graph-row"]').first().waitFor();
      rows.push(["panning it, work in a frame", frames(await working(browser, page, '[data-testid="picture"]', "pan"))]);
      await page.locator('[data-testid="fit"]').click();
      rows.push(["… with all of it in sight", frames(await working(browser, page, '[data-testid="picture"]', "pan"))]);
    }
    await context.close();
  }
  return rows;
}

/** How long it takes to show a tree of 10,000 guards. */
async function guards(browser, here) {
  const { page, context } = await openPage(browser, here.address);
  const lines = ["TREE_GUARD_MANAGER:", "+- RootGuardManager"];
  for (let at = 0; at < 5_000; at += 1) {
    lines.push(`| +- GuardManager: source=L['x${at}'], accessed_by=DictGetItemGuardAccessor(x${at})`,
      `| | +- TYPE_MATCH: ___check_type_id(L['x${at}'], 94), type=<class 'int'>`,
      `| | +- EQUALS_MATCH: L['x${at}'] == ${at}  # return x + y  # my.py:${at} in f`);
  }
  const path = join(SCRATCH, "dedicated_log_torch_trace_guards.log");
  writeFileSync(path, head() + record({ dynamo_cpp_guards_str: {}, frame_id: 0, frame_compile_id: 0, attempt: 0 }, lines.join("\n")));
  await drop(page, [path]);
  await finished(page);
  const time = await page.evaluate(async () => {
    const began = performance.now();
    location.hash = "#v=1&log=0&view=guards&record=1";
    while (!document.querySelector('[data-testid="guard-row"]')) await new Promise((done) => requestAnimationFrame(done));
    return performance.now() - began;
  });
  const work = await scrolling(browser, page, '[data-testid="guard-tree"]');
  await context.close();
  return [["a tree of 10,000 guards: from the click to its rows", `${number(time)} ms`], ["… scrolling it, work in a frame", frames(work)]];
}

async function largeText(browser, here) {
  const { page, context } = await openPage(browser, here.address);
  const path = join(SCRATCH, "dedicated_log_torch_trace_large_text.log");
  const part = graph(20_000);
  const text = Array.from({ length: Math.ceil(50e6 / part.length) }, () => part).join("\n");
  writeFileSync(path, head() + record({ artifact: { name: "large_graph", encoding: "string" } }, text));
  await drop(page, [path]);
  await finished(page);
  const open = (hash) => page.evaluate(async (hash_) => {
    const began = performance.now();
    location.hash = hash_;
    for (;;) {
      await new Promise((done) => requestAnimationFrame(done));
      if (document.querySelector('[data-testid="text"] [data-testid="text-row"]:not(.waiting)')) return performance.now() - began;
    }
  }, hash);
  const first = await open("#v=1&log=0&view=text&record=1");
  const work = await scrolling(browser, page, ".code");
  await page.evaluate(() => { location.hash = "#v=1&log=0&view=overview"; });
  await page.locator('[data-testid="overview"]').waitFor();
  const again = await open("#v=1&log=0&view=text&record=1");
  await context.close();
  return [
    ["scrolling a text of 50 MB, coloured", frames(work)],
    ["opening a text of 50 MB: with reading its bytes; once they are read", `${number(first)} ms; ${number(again)} ms`],
  ];
}

const best = (runs, by) => runs.reduce((least, run) => (by(run) < by(least) ? run : least));
const number = (value, digits = 0) => value.toLocaleString("en-GB", { minimumFractionDigits: digits, maximumFractionDigits: digits });

async function inBrowser(input, bytes) {
  const browser = await startBrowser();
  const here = await site();
  const floors = [];
  const indexed = [];
  const once = async (open) => {
    const { page, context } = await openPage(browser, here.address);
    const run = await index(page, () => open(page));
    await context.close();
    if (run.state !== "done") throw new Error(`reading ended as: ${run.state}`);
    return run;
  };
  let packed;
  let huge;
  let scrolled;
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { page, context } = await openPage(browser, here.address);
      floors.push(await floor(page, input.path));
      indexed.push(await index(page, () => drop(page, [input.path])));
      if (indexed.at(-1).state !== "done") throw new Error(`reading ended as: ${indexed.at(-1).state}`);
      await context.close();
    }
    scrolled = await views(browser, here, input);
    const gzip = join(SCRATCH, "packed.log.gz");
    await pipeline(createReadStream(input.path), createGzip(), createWriteStream(gzip));
    packed = await once((page) => drop(page, [gzip]));
    const part = trace(200, 400);
    huge = await once((page) => openRepeated(page, "huge.log", part, Math.ceil(2e9 / part.length)));
  } finally {
    await browser.close();
    await here.close();
  }
  const memory = (run) => `${number(run.memory / MB, 1)} MB, ${number(run.index / MB, 2)} MB (${number((100 * run.index) / run.text, 2)} % of the text)`;
  const least = best(floors, (run) => run.seconds);
  const run = best(indexed, (each) => each.seconds);
  return [
    ["in the worker: only reading the bytes (the floor)", `${number(least.bytes / MB / least.seconds)} MB/s`],
    ["in the worker: reading and indexing", `${number(bytes / MB / run.seconds)} MB/s, ${number(run.seconds / least.seconds, 2)} × the floor's time`],
    ["records, compilations", `${number(run.records)}, ${number(run.compilations)}`],
    ["from drop to first rows", `${number(run.toRows, 2)} s`],
    ["from drop to the finished overview", `${number(run.toEnd, 2)} s`],
    ["longest time between two frames meanwhile", `${number(run.gap)} ms`],
    ["engine's memory at its peak, and the index in it", memory(run)],
    ["the same file as gzip: from drop to the finished overview", `${number(packed.toEnd, 2)} s`],
    ["… engine's memory at its peak, and the index in it", memory(packed)],
    [`a generated trace of ${number(huge.text / 1e9, 1)} GB: from opening to the finished overview`, `${number(huge.toEnd, 1)} s`],
    ["… engine's memory at its peak, and the index in it", memory(huge)],
    ...scrolled,
  ];
}

/** The core's own benches: each prints lines `name: figure`. */
function natively(input) {
  if (!readdirSync(join(ROOT, "core", "benches")).some((name) => name.endsWith(".rs"))) {
    console.log("bench: core/benches holds no bench; the native part is left out");
    return [];
  }
  const run = spawnSync("cargo", ["bench", "-q", "-p", "dynascope-core"], {
    cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, DYNASCOPE_BENCH: input.path },
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

// Only some of the browser's parts, for whoever works on them: `node scripts/bench.mjs graphs guards`.
if (process.argv.length > 2) {
  const browser = await startBrowser();
  const here = await site();
  try {
    for (const part of process.argv.slice(2)) {
      const rows = await { graphs, guards, largeText }[part](browser, here);
      for (const [name, figure] of rows) console.log(`${name}: ${figure}`);
    }
  } finally {
    await browser.close();
    await here.close();
  }
  process.exit();
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
