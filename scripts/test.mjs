// Runs every test, one stage after the other, and prints the sum as its last line.
//
// A stage that stops without a sum of its own counts as a failure, and so does one that ran no test.
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(fileURLToPath(import.meta.url), "..", "..");
const report = join(root, "target", "browser-tests.tap");
let passed = 0;
let failed = 0;

function count(stage, sum) {
  if (sum.passed + sum.failed === 0) {
    console.log(`test: ${stage}: no test ran, which counts as a failure`);
    sum.failed = 1;
  }
  console.log(`test: ${stage}: ${sum.passed} passed, ${sum.failed} failed`);
  passed += sum.passed;
  failed += sum.failed;
}

/** Runs a program, shows what it says, and gives its exit code and what stood on its standard output. */
function run(program, ...words) {
  console.log(`test: ${program} ${words.join(" ")}`);
  const child = spawn(program, words, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  const said = [];
  child.stdout.on("data", (bytes) => {
    said.push(bytes);
    process.stdout.write(bytes);
  });
  return new Promise((ended) => {
    child.on("error", (error) => {
      console.log(`test: ${program} could not be run: ${error.message}`);
      ended({ code: 1, text: "" });
    });
    child.on("close", (code) => ended({ code: code ?? 1, text: Buffer.concat(said).toString() }));
  });
}

function sumOfCargo({ code, text }) {
  const sum = { passed: 0, failed: 0 };
  for (const [, good, bad] of text.matchAll(/^test result: \S+ (\d+) passed; (\d+) failed/gm)) {
    sum.passed += Number(good);
    sum.failed += Number(bad);
  }
  if (code !== 0 && sum.failed === 0) sum.failed = 1;
  return sum;
}

function sumOfNode({ code }) {
  let tap = "";
  try {
    tap = readFileSync(report, "utf8");
  } catch {
    // No report: the runner broke; its exit code says so.
  }
  const last = (what) => Number(tap.match(new RegExp(`^# ${what} (\\d+)$`, "m"))?.[1] ?? 0);
  const sum = { passed: last("pass"), failed: last("fail") + last("cancelled") };
  if (code !== 0 && sum.failed === 0) sum.failed = 1;
  return sum;
}

const single = ({ code }) => ({ passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1 });

count("Rust tests", sumOfCargo(await run("cargo", "test", "--workspace", "--no-fail-fast", "--color", "never")));
count("the core builds without the standard library", single(
  await run("cargo", "check", "-p", "dynascope-core", "--no-default-features", "--target", "wasm32-unknown-unknown"),
));
const built = single(await run("make", "--no-print-directory", "dist/index.html"));
count("the page builds", built);
if (built.failed === 0) {
  mkdirSync(join(root, "target"), { recursive: true });
  rmSync(report, { force: true });
  count("tests of the page", sumOfNode(await run(
    "node", "--test", "--test-concurrency=1", "--test-timeout=300000",
    "--test-reporter=spec", "--test-reporter-destination=stdout",
    "--test-reporter=tap", `--test-reporter-destination=${report}`,
    ...readdirSync(join(root, "tests")).filter((name) => name.endsWith(".test.mjs")).map((name) => join("tests", name)),
  )));
} else {
  console.log("test: without the page its tests cannot run");
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
