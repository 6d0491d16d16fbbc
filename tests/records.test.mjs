// All records of a log: in the order of the file, filtered by the engine, drawn only where they are on the screen.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { browserForTests, fixture, input } from "./harness.mjs";
import { allRead, chooseFiles, dropAndRead, finished, mark } from "./page.mjs";
import { head, record, trace } from "./trace.mjs";

const browser = browserForTests();
before(browser.start);
after(browser.stop);

const path = fixture("torch-2.15.0", "rc_shape.log.gz");

/** What a log holds, read in another way than the page does. */
function known(text) {
  return text.split("\n").flatMap((line, at) => {
    const match = line.match(/^V(\d{4} \S+) \d+ ([^\]]+)\] (\{.*)$/);
    if (!match) return [];
    const metadata = JSON.parse(match[3]);
    const kind = Object.keys(metadata)[0];
    const id = metadata.frame_id === undefined ? "" : `[${metadata.frame_id}/${metadata.frame_compile_id}]`;
    return [{ line: at + 1, time: match[1], kind, name: metadata[kind]?.name, id, origin: match[2] }];
  });
}

const wanted = known(gunzipSync(readFileSync(path)).toString());

async function opened(file = path) {
  const session = await browser.open();
  await dropAndRead(session.page, file);
  await mark(session.page, "records-link").click();
  await mark(session.page, "record-row").first().waitFor();
  return session;
}

/** The rows that are in the document and have come from the engine. */
const shown = (page) => mark(page, "record-row").evaluateAll((all) => all
  .filter((row) => row.querySelector("[data-column]"))
  .sort((left, right) => Number(left.dataset.row) - Number(right.dataset.row))
  .map((row) => ({
    row: Number(row.dataset.row),
    ...Object.fromEntries([...row.querySelectorAll("[data-column]")].map((cell) => [cell.dataset.column, cell.textContent.trim()])),
  })));

async function matching(page, text) {
  await page.waitForFunction((text_) => document.querySelector('[data-testid="records-matching"]').textContent.startsWith(text_), text)
    .catch(() => {});
  assert.ok((await mark(page, "records-matching").innerText()).startsWith(text), `${text}: ${await mark(page, "records-matching").innerText()}`);
}

async function rowIs(page, row, line) {
  await page.waitForFunction(([row_, line_]) => document
    .querySelector(`[data-testid="record-row"][data-row="${row_}"] [data-column="line"]`)?.textContent.replaceAll(",", "") === line_, [row, String(line)]);
}

test("the overview counts the records and leads to them, in the order of the file", async () => {
  const { page, finish } = await browser.open();
  await dropAndRead(page, path);
  assert.equal(await mark(page, "records-link").innerText(), `${wanted.length} records`);
  await mark(page, "records-link").click();
  await matching(page, `${wanted.length} records`);
  await rowIs(page, 0, 1);
  const rows = await shown(page);
  assert.ok(rows.length > 10);
  for (const { row, line, time, kind, id, origin } of rows) {
    const { line: line_, time: time_, kind: kind_, id: id_, origin: origin_ } = wanted[row];
    assert.deepEqual([line.replaceAll(",", ""), time, kind, id, origin], [String(line_), time_, kind_, id_, origin_]);
  }
  await finish();
});

test("a filter leaves the records that hold all its words, and is in the address", async () => {
  const { page, said, context } = await opened();
  await mark(page, "records-filter").fill("artifact 0/1");
  const left = wanted.filter(({ kind, id }) => kind === "artifact" && id === "[0/1]");
  assert.ok(left.length > 0 && left.length < wanted.length);
  await matching(page, `${left.length} of ${wanted.length} records`);
  await rowIs(page, 0, left[0].line);
  assert.deepEqual((await shown(page)).map(({ line, name }) => [line.replaceAll(",", ""), name]),
    left.map(({ line, name }) => [String(line), name]));
  assert.match(page.url(), /view=records&filter=artifact/);
  await page.reload();
  await chooseFiles(page, [path]);
  await mark(page, "all-records").waitFor();
  await matching(page, `${left.length} of ${wanted.length} records`);
  assert.equal(await mark(page, "records-filter").inputValue(), "artifact 0/1");
  await mark(page, "records-filter").fill("no such record");
  await matching(page, `0 of ${wanted.length} records`);
  await page.getByText("No record holds all these words").waitFor();
  // A reload asks for the page again, which `finish` would not allow.
  assert.deepEqual(said, []);
  await context.close();
});

test("a text in metadata leaves the records whose own line holds it, not those whose payload does", async () => {
  const { page, said, context } = await opened();
  const heads = gunzipSync(readFileSync(path)).toString().split("\n").filter((line) => /^V\d{4} /.test(line));
  const count = (text) => heads.filter((line) => line.toLowerCase().includes(text.toLowerCase())).length;
  for (const text of ['"FRAME_COMPILE_ID": 1', "relu"]) {
    await mark(page, "records-text").fill(text);
    await matching(page, `${count(text)} of ${wanted.length} records`);
  }
  await mark(page, "records-text").fill('"frame_compile_id": 1');
  await mark(page, "records-filter").fill("dynamo_output_graph");
  const left = wanted.filter(({ kind, id }) => kind === "dynamo_output_graph" && id === "[0/1]");
  await matching(page, `${left.length} of ${wanted.length} records`);
  await rowIs(page, 0, left[0].line);
  assert.match(page.url(), /view=records&filter=dynamo_output_graph&text=%22frame_compile_id%22:%201/);
  await page.reload();
  await chooseFiles(page, [path]);
  await mark(page, "all-records").waitFor();
  await matching(page, `${left.length} of ${wanted.length} records`);
  assert.equal(await mark(page, "records-text").inputValue(), '"frame_compile_id": 1');
  await mark(page, "records-text").fill("a text that no line holds");
  await page.getByText("No record holds this text in its own line").waitFor();
  assert.deepEqual(said, []);
  await context.close();
});

test("columns can be hidden with the keys, and the address keeps it", async () => {
  const { page, finish } = await opened();
  await mark(page, "columns").locator("summary").focus();
  await page.keyboard.press("Enter");
  await mark(page, "column-time").focus();
  await page.keyboard.press("Space");
  await mark(page, "column-origin").uncheck();
  assert.equal(await mark(page, "column-kind").count(), 0, "what a record is always shows");
  await page.waitForFunction(() => location.hash.endsWith("&hide=time,origin"));
  const visible = () => page.getByRole("columnheader").evaluateAll((all) => all.map((cell) => cell.dataset.column));
  assert.deepEqual(await visible(), ["line", "kind", "name", "id", "attempt", "bytes"]);
  const tops = await mark(page, "record-row").first().locator("[data-column]:visible").evaluateAll((all) => all.map((cell) => cell.getBoundingClientRect().top));
  assert.ok(Math.max(...tops) - Math.min(...tops) < 12, `the cells stand in one line: ${tops}`);
  await mark(page, "column-time").check();
  await page.waitForFunction(() => location.hash.endsWith("&hide=origin"));
  assert.deepEqual(await visible(), ["line", "time", "kind", "name", "id", "attempt", "bytes"]);
  await finish();
});

test("a row opens its record, its id the compilation; the record leads back to all", async () => {
  const { page, finish } = await opened();
  await mark(page, "records-filter").fill("dynamo_output_graph");
  const graphs = wanted.filter(({ kind }) => kind === "dynamo_output_graph");
  await matching(page, `${graphs.length} of`);
  await rowIs(page, 0, graphs[0].line);
  await mark(page, "record-row").first().locator('[data-column="kind"]').click();
  await mark(page, "record").waitFor();
  const title = page.locator("main h1", { hasText: "dynamo_output_graph" });
  await title.waitFor();
  assert.equal((await title.innerText()).replaceAll(",", ""), `dynamo_output_graph at line ${graphs[0].line}`);
  await mark(page, "records-link").click();
  await mark(page, "all-records").waitFor();
  await matching(page, `${wanted.length} records`);
  await mark(page, "record-row").locator('[data-column="id"] a').first().click();
  await mark(page, "compilation").waitFor();
  await finish();
});

test("with the keys alone: filter, last row, its record", async () => {
  const { page, finish } = await opened();
  await page.keyboard.press("/");
  await page.keyboard.type("str");
  const count = wanted.filter(({ kind, name }) => `${kind} ${name ?? ""}`.includes("str")).length;
  await matching(page, `${count} of`);
  await mark(page, "records").focus();
  await page.keyboard.press("End");
  const last = wanted.filter(({ kind, name }) => `${kind} ${name ?? ""}`.includes("str")).at(-1);
  await rowIs(page, count - 1, last.line);
  await page.keyboard.press("Enter");
  await mark(page, "record").waitFor();
  await page.locator("main h1", { hasText: last.kind }).waitFor();
  assert.equal((await page.locator("main h1").innerText()).replaceAll(",", ""), `${last.kind} at line ${last.line}`);
  await finish();
});

test("300,000 records: few rows in the document, the last one within reach", async () => {
  const one = Array.from({ length: 1000 }, (_, at) => record({ artifact: { name: `note_${at}`, encoding: "string" } })).join("");
  const file = input("many.log", head() + one.repeat(300));
  const { page, context, said } = await browser.open();
  await chooseFiles(page, [file]);
  await finished(page);
  await mark(page, "records-link").click();
  await matching(page, "300,001 records");
  assert.ok((await mark(page, "record-row").count()) < 200);
  await mark(page, "records").focus();
  await page.keyboard.press("End");
  const lines = readFileSync(file, "utf8").split("\n").length - 1;
  await rowIs(page, 300_000, lines);
  assert.ok((await mark(page, "record-row").count()) < 200);
  await mark(page, "records-filter").fill("note_999");
  await matching(page, "300 of 300,001");
  await mark(page, "records-text").fill('name": "note_999"');
  await matching(page, "300 of 300,001");
  await mark(page, "records-filter").fill("");
  await mark(page, "records-text").fill("note_99");
  await matching(page, "3,300 of 300,001");
  assert.deepEqual(said, []);
  await context.close();
});

test("rows that stay in sight are not taken out of the document, whichever way one scrolls; all stand in order", async () => {
  const { page } = await opened();
  const list = mark(page, "records");
  const shifted = await list.evaluate(async (grid) => {
    const settled = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const rows = () => [...grid.querySelectorAll('[data-testid="record-row"]')];
    const numbers = () => rows().map((row) => Number(row.dataset.row));
    const out = [];
    const steps = [1, 1, 1, -1, -1, 1, 40, -1, -40];
    for (const step of steps) {
      const before = new Map(rows().map((row) => [row.dataset.row, row]));
      const removed = new Set();
      const watch = new MutationObserver((changes) => changes.forEach((change) => change.removedNodes.forEach((node) => removed.add(node))));
      watch.observe(grid, { childList: true, subtree: true });
      grid.scrollTop += step * 60;
      await settled();
      watch.disconnect();
      const stayed = rows().filter((row) => before.has(row.dataset.row));
      out.push({
        step,
        stayed: stayed.length,
        moved: stayed.filter((row) => removed.has(row) || before.get(row.dataset.row) !== row).length,
        inOrder: numbers().every((number, at) => at === 0 || number === numbers()[at - 1] + 1),
      });
    }
    return out;
  });
  for (const { step, stayed, moved, inOrder } of shifted) {
    assert.ok(inOrder, `after ${step} the rows are out of order`);
    assert.equal(moved, 0, `after ${step}`);
    if (Math.abs(step) === 1) assert.ok(stayed > 5, `after ${step} only ${stayed} rows stayed`);
  }
});

test("another log's view of the same kind shows that log's rows alone: compilations, stacks, records", async () => {
  const { page } = await browser.open();
  const small = input("small.log", trace(3));
  await chooseFiles(page, [input("many.log", trace(60)), small]);
  await allRead(page, 2);
  const tab = (name) => mark(page, "log-tab").filter({ hasText: name }).getByRole("link");
  for (const [view, row] of [["Overview", "row"], ["Stacks", "stack-row"], ["Records", "record-row"]]) {
    const counted = async (name) => {
      await tab(name).click();
      await page.getByRole("link", { name: view, exact: true }).click();
      await mark(page, row).first().waitFor();
      await page.waitForTimeout(300);
      const numbers = await mark(page, row).evaluateAll((all) => all.map((one) => one.id || one.dataset.row));
      assert.equal(new Set(numbers).size, numbers.length, `${view} of ${name}: rows stand twice`);
      return numbers.length;
    };
    const alone = await counted("small.log");
    await counted("many.log");
    assert.equal(await counted("small.log"), alone, view);
  }
});
