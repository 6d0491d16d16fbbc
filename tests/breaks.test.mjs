// Where graphs broke: each place once, the program's line, what to do, what PyTorch says; from traces and consoles.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { browserForTests, fixture, input, ROOT } from "./harness.mjs";
import { chooseFiles, dropAndRead, finished, mark } from "./page.mjs";
import { head, record } from "./trace.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const browser = browserForTests();
before(browser.start);
after(browser.stop);

/** gb_mixed.py on 2.15.0, the sample. */
const sample = join(ROOT, "public", "samples", "graph_breaks.log.gz");

async function toBreaks(page) {
  await mark(page, "breaks-all").click();
  await mark(page, "breaks").waitFor();
  await mark(page, "break").first().waitFor();
  return mark(page, "break");
}

/** Title, line and code of each break. */
const told = (breaks) => breaks.evaluateAll((all) => all.map((one) => [
  one.querySelector('[data-testid="break-title"]').textContent,
  one.querySelector('[data-testid="break-place"] .code-font')?.textContent ?? "",
]));

const at = { frame_id: 0, frame_compile_id: 0, attempt: 0 };
const broke = (text) => record({ artifact: { name: "dynamo_graph_break_reason", encoding: "string" }, ...at }, text);

test("the overview names the places where the sample's graphs broke, and leads to what to do", async () => {
  const { page, finish } = await browser.open();
  await dropAndRead(page, sample);
  const rows = mark(page, "break-row");
  await rows.first().waitFor();
  assert.match(await rows.first().innerText(), /print\("block", self\.i\)\s+demo\/gb_mixed\.py:15\s+2\s+The program prints\s+forward is not compiled for it/);
  assert.match(await mark(page, "breaks-all").innerText(), /^9 graph breaks at 8 places/);
  const breaks = await toBreaks(page);
  assert.equal(await page.locator("h1").innerText(), "9 graph breaks at 8 places");
  const all = await told(breaks);
  assert.deepEqual(all.slice(0, 3).map(([title]) => title), ["The program prints", "A Python number is made of a tensor", "The program branches on what a tensor holds"]);
  assert.ok(all.every(([, place]) => place.startsWith("demo/gb_mixed.py:")), JSON.stringify(all));
  const [first] = await breaks.all();
  assert.match(await first.getByTestId("break-skips").innerText(), /In 1 of 2 times: forward demo\/gb_mixed\.py:27 is not compiled/);
  assert.match(await first.getByTestId("break-next").innerText(), /reorderable_logging_functions/);
  assert.match(await first.getByTestId("break-hints").innerText(), /Avoid calling builtin/);
  await first.getByTestId("break-said").locator("summary").click();
  assert.match(await first.getByTestId("break-said").innerText(), /Failed to trace builtin operator[\s\S]*another one occurred[\s\S]*graph break in loop/);
  await first.getByTestId("evidence-line").first().click();
  await mark(page, "record").waitFor();
  await page.goBack();
  await mark(page, "break").first().waitFor();
  await finish();
});

test("what was compiled behind a break is counted with its cost", async () => {
  const { page, finish } = await browser.open();
  await dropAndRead(page, sample);
  const breaks = await toBreaks(page);
  const item = breaks.filter({ hasText: "x.max().item()" });
  assert.match(await item.getByTestId("break-behind").innerText(), /took 2 compilations of its own, [\d.]+ s:/);
  await finish();
});

test("old console output tells the same of the same program", async () => {
  const { page, finish } = await browser.open();
  await chooseFiles(page, [fixture("torch-2.1.2", "console", "graph_breaks,recompiles.gb_mixed.txt.gz")]);
  await finished(page);
  const all = await told(await toBreaks(page));
  assert.deepEqual(all.slice(0, 2), [["A Python number is made of a tensor", "demo/gb_mixed.py:19"], ["The program prints", "demo/gb_mixed.py:15"]]);
  await finish();
});

test("a break that was not logged follows from what was compiled behind it, and says so", async () => {
  const { page, finish } = await browser.open();
  await dropAndRead(page, fixture("torch-2.5.1", "gb_open.log"));
  const breaks = await toBreaks(page);
  assert.match(await breaks.first().innerText(), /demo\/gb_open\.py:7[\s\S]*The log does not tell of this break itself/);
  await finish();
});

test("a log without breaks says so", async () => {
  const { page, finish } = await browser.open();
  await dropAndRead(page, fixture("torch-2.15.0", "rc_shape.log.gz"));
  await page.getByRole("link", { name: "Graph breaks", exact: true }).click();
  await mark(page, "breaks-none").waitFor();
  assert.equal(await mark(page, "breaks-section").count(), 0);
  await finish();
});

test("markup, wrong links and texts that are no break stay text, and many places are shown bit by bit", async () => {
  const { page, finish } = await browser.open();
  const evil = "<img src=x onerror=alert(1)>";
  const many = Array.from({ length: 60 }, (_, line) => broke(`Graph break in user code at /srv/a.py:${line + 1}\nGraph Break Reason: ${evil}\n  Explanation: \u202e${evil}\n\n For more details about this graph break, please visit: javascript:alert(1)\n`));
  await dropAndRead(page, input("evil.log", head() + many.join("") + broke("nothing of this kind")));
  const breaks = await toBreaks(page);
  assert.equal(await breaks.count(), 50);
  assert.equal(await page.locator("main img").count(), 0);
  assert.equal(await page.locator('main a[href^="javascript"]').count(), 0);
  assert.match(await breaks.first().innerText(), /<img src=x/);
  assert.match(await mark(page, "breaks").innerText(), /1 record of graph breaks could not be read/);
  await mark(page, "breaks-more").click();
  await page.waitForFunction(() => document.querySelectorAll('[data-testid="break"]').length === 60);
  await finish();
});

for (const colorScheme of ["light", "dark"]) {
  for (const [size, viewport] of [["wide", { width: 1280, height: 800 }], ["narrow", { width: 360, height: 740 }]]) {
    test(`everybody can read it, ${size} and ${colorScheme}, and nothing is wider than its box`, async () => {
      const { page, finish } = await browser.open({ colorScheme, viewport });
      await chooseFiles(page, [sample]);
      await finished(page);
      await toBreaks(page);
      for (const fold of await page.locator("main details > summary").all()) await fold.click();
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
      assert.deepEqual(violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes[0].html.slice(0, 160)}`), []);
      const wider = await page.locator("main, main .finding, main .finding > *").evaluateAll((all) => all
        .filter((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX === "visible" && one.clientWidth > 0)
        .map((one) => one.outerHTML.slice(0, 120)));
      assert.deepEqual(wider, []);
      await finish();
    });
  }
}
