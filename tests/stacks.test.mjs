// The tree of stacks: how the program reached each compilation, on its page and folded on the overview.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { browserForTests, fixture, input, ROOT } from "./harness.mjs";
import { dropAndRead, mark, rows } from "./page.mjs";
import { head, record } from "./trace.mjs";

const browser = browserForTests();
before(browser.start);
after(browser.stop);

/** gb_mixed.py on 2.15.0: a model with several graph breaks. */
const real = join(ROOT, "public", "samples", "graph_breaks.log.gz");
const TORCH = "/opt/env/lib/python3.12/site-packages/torch/nn/modules/module.py";

/** A log of compilations, each with the files, lines and functions that led to it. */
function log(stacks, more = "") {
  const files = [...new Set(stacks.flat().map(([file]) => file))];
  const frame = ([file, line, name]) => ({ line, name, filename: files.indexOf(file) });
  return [
    head(),
    ...files.map((file, number) => record({ str: [file, number] })),
    ...stacks.map((stack, number) => {
      const at = { frame_id: number, frame_compile_id: 0, attempt: 0 };
      return record({ dynamo_start: { stack: stack.map(frame) }, ...at });
    }),
    more,
  ].join("");
}

async function opened(path) {
  const session = await browser.open();
  await dropAndRead(session.page, path);
  await show(session.page);
  return session;
}

async function show(page) {
  await page.getByRole("link", { name: "Stacks", exact: true }).click();
  await mark(page, "stack-row").first().waitFor();
}

/** The rows that are in the document, from top to bottom. */
const lines = (page) => mark(page, "stack-row").evaluateAll((all) => all
  .sort((left, right) => Number(left.id.split("-").at(-1)) - Number(right.id.split("-").at(-1)))
  .map((row) => ({
    function: row.querySelector(".tree-function").textContent,
    place: row.querySelector(".tree-place").textContent,
    whole: row.querySelector(".tree-place").title,
    inset: Number.parseFloat(row.querySelector(".tree-line").style.paddingLeft),
    expanded: row.getAttribute("aria-expanded"),
    ends: [...row.querySelectorAll('[data-testid="stack-end"]')].map((end) => end.textContent),
  })));

const functions = async (page) => (await lines(page)).map((line) => line.function);

/** Waits until the tree shows these functions, and no others. */
async function functionsAre(page, wanted) {
  await page.waitForFunction((count) => document.querySelectorAll('[data-testid="stack-row"]').length === count, wanted.length)
    .catch(() => {});
  assert.deepEqual(await functions(page), wanted);
}

test("every compilation of a real log stands in the tree once, with its status, and leads to its page", async () => {
  const { page, finish } = await browser.open();
  await dropAndRead(page, real);
  const wanted = (await rows(page)).map(({ id, status }) => `${id} ${status}`).sort();
  assert.ok(wanted.length > 5, `${wanted}`);
  await show(page);
  const ends = page.locator('[data-testid="stack-end"], [data-testid="stack-unknown"]');
  const shown = await ends.evaluateAll((all) => all.map((end) => `${end.textContent} ${end.title.split(":")[0]}`).sort());
  assert.deepEqual(shown, wanted);
  const first = mark(page, "stack-end").first();
  const label = await first.innerText();
  await first.click();
  await mark(page, "compilation").waitFor();
  assert.ok((await page.locator("main h1").innerText()).includes(label));
  await finish();
});

test("a framework's frames are left out until they are asked for", async () => {
  const { page, finish } = await browser.open();
  await dropAndRead(page, real);
  await show(page);
  const isFramework = ({ whole }) => /site-packages|\/torch\/_|\/lib\/python3/.test(whole);
  const own = await lines(page);
  assert.ok(own.length > 2 && !own.some(isFramework), JSON.stringify(own, null, 1));
  await mark(page, "stack-framework").click();
  await page.waitForFunction((few) => document.querySelectorAll('[data-testid="stack-row"]').length > few, own.length);
  assert.ok((await lines(page)).some(isFramework));
  assert.equal(await mark(page, "stack-framework").getAttribute("aria-pressed"), "true");
  await finish();
});

test("a chain stays on one level; only a branch stands further in", async () => {
  const main = ["/srv/demo/train.py", 3, "main"];
  const step = ["/srv/demo/train.py", 9, "step"];
  const module = [TORCH, 70, "_call_impl"];
  const { page, finish } = await opened(input("chain.log", log([
    [main, step, module, ["/srv/demo/model.py", 5, "encode"]],
    [main, step, module, ["/srv/demo/model.py", 8, "decode"]],
  ])));
  await functionsAre(page, ["main", "step", "encode", "decode"]);
  assert.deepEqual((await lines(page)).map(({ inset }) => inset), [0, 0, 16, 16]);
  const places = await mark(page, "stack-row").evaluateAll((all) => all.map((row) => ["level", "posinset", "setsize"]
    .map((name) => row.getAttribute(`aria-${name}`)).join()));
  assert.deepEqual(places, ["1,1,1", "2,1,1", "3,1,2", "3,2,2"]);
  assert.deepEqual((await lines(page)).map(({ ends }) => ends.join()), ["", "", "[0/0]", "[1/0]"]);
  await finish();
});

test("a branch folds and opens with the mouse and with the keys, and keeps its count", async () => {
  const main = ["/srv/demo/train.py", 3, "main"];
  const { page, finish } = await opened(input("fold.log", log([
    [main, ["/srv/demo/model.py", 5, "encode"]],
    [main, ["/srv/demo/model.py", 8, "decode"]],
  ])));
  await functionsAre(page, ["main", "encode", "decode"]);
  await mark(page, "stack-fold").first().click();
  await functionsAre(page, ["main"]);
  assert.match(await mark(page, "stack-row").first().innerText(), /2 compilations/);
  await mark(page, "stack-open-all").click();
  await functionsAre(page, ["main", "encode", "decode"]);
  await page.getByRole("tree").focus();
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowLeft"); // to the caller
  await page.keyboard.press("ArrowLeft"); // folds it
  await functionsAre(page, ["main"]);
  await page.keyboard.press("ArrowRight"); // opens it
  await functionsAre(page, ["main", "encode", "decode"]);
  await page.keyboard.press("ArrowRight"); // to what it called
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "[0/0]", "the row's mark is the next stop");
  await page.keyboard.press("Enter");
  await mark(page, "compilation").waitFor();
  await finish();
});

test("paths of build systems are short, and whole on hover", async () => {
  const linked = "/data/users/me/fbsource/buck-out/bin/train#link-tree/lab/models/head.py";
  const packed = "/mnt/xar/uid-7/0a-seed-nspid40_cgpid1-ns-4/lab/models/tail.py";
  const { page, finish } = await opened(input("build.log", log([[[linked, 4, "head"]], [[packed, 6, "tail"]]])));
  await functionsAre(page, ["head", "tail"]);
  const shown = await lines(page);
  assert.deepEqual(shown.map(({ place }) => place), ["models/head.py:4", "models/tail.py:6"]);
  assert.deepEqual(shown.map(({ whole }) => whole), [`${linked}:4`, `${packed}:6`]);
  await finish();
});

test("compilations without a stack stand apart", async () => {
  const more = record({ dynamo_output_graph: { sizes: {} }, frame_id: 7, frame_compile_id: 0, attempt: 0 }, "pass");
  const { page, finish } = await opened(input("apart.log", log([[["/srv/demo/a.py", 1, "main"]]], more)));
  assert.deepEqual((await lines(page)).map(({ ends }) => ends), [["[0/0]"]]);
  assert.deepEqual(await mark(page, "stack-unknown").allInnerTexts(), ["[7/0]"]);
  await mark(page, "stack-unknown").click();
  await mark(page, "compilation").waitFor();
  await finish();
});

test("a record outside any compilation leads to the record", async () => {
  const more = record({ artifact: { name: "note", encoding: "string" }, stack: [{ line: 1, name: "main", filename: 0 }] }, "a note");
  const { page, finish } = await opened(input("outside.log", log([[["/srv/demo/a.py", 1, "main"]]], more)));
  await mark(page, "stack-record").click();
  await mark(page, "record").waitFor();
  await mark(page, "text-row").filter({ hasText: "note" }).first().waitFor();
  await finish();
});

test("a log that says no stack says so", async () => {
  const { page, finish } = await browser.open();
  await dropAndRead(page, input("none.log", head()));
  await page.getByRole("link", { name: "Stacks", exact: true }).click();
  await page.getByText("does not say how the program reached any compilation").waitFor();
  await finish();
});

test("10,000 frames: few rows in the document, the last one within reach", async () => {
  const stacks = Array.from({ length: 1000 }, (_, branch) => Array.from({ length: 10 }, (_, depth) => (
    [`/srv/demo/m${branch % 17}.py`, branch * 10 + depth, `f_${branch}_${depth}`])));
  const { page, finish } = await opened(input("large.log", log(stacks)));
  assert.match(await mark(page, "stack-count").innerText(), /10,000 of 10,000 frames/);
  assert.ok((await lines(page)).length < 200);
  await page.getByRole("tree").focus();
  await page.keyboard.press("End");
  await page.getByText("f_999_9", { exact: true }).waitFor();
  assert.ok((await lines(page)).length < 200);
  await mark(page, "stack-framework").click();
  await page.getByText("f_999_9", { exact: true }).waitFor();
  await finish();
});

test("on the overview the tree is folded, does not push the table off the screen, and opens", async () => {
  const { page, finish } = await browser.open();
  await dropAndRead(page, fixture("torch-2.15.0", "rc_shape.log.gz"));
  const fold = mark(page, "stacks-fold");
  assert.match(await fold.locator("summary").innerText(), /Stacks: how the program reached each compilation · 2 compilations/);
  assert.equal(await mark(page, "stack-row").count(), 0);
  const box = await mark(page, "row").first().boundingBox();
  assert.ok(box.y + box.height < 800, `the first row ends at ${box.y + box.height}`);
  await fold.locator("summary").click();
  await mark(page, "stack-row").first().waitFor();
  assert.deepEqual((await mark(page, "stack-end").allInnerTexts()).sort(), ["[0/0]", "[0/1]"]);
  await fold.locator("summary").click();
  await mark(page, "stack-row").first().waitFor({ state: "detached" });
  await finish();
});
