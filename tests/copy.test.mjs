// Tables leave the page: copied as text that spreadsheets take, and on paper.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { browserForTests, input } from "./harness.mjs";
import { chooseFiles, dropAndRead, filterBy, finished, firstRowIs, mark, openCompilation, sortBy } from "./page.mjs";
import { facts, head, record, trace } from "./trace.mjs";

const COUNT = 1300;
const path = input("copied.log", trace(COUNT, 3));
const browser = browserForTests();
before(browser.start);
after(browser.stop);

async function opened(file = path) {
  const session = await browser.open();
  await session.context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await chooseFiles(session.page, [file]);
  await finished(session.page);
  return session;
}

/** Presses the button and gives the lines that were copied, as cells. */
async function copied(page, said) {
  await mark(page, "copy-table").click();
  await page.getByText(said).waitFor({ timeout: 60_000 });
  const text = await page.evaluate(() => navigator.clipboard.readText());
  assert.ok(text.endsWith("\n"));
  return text.replaceAll("\r", "").trimEnd().split("\n").map((line) => line.split("\t"));
}

test("the compilations that the filter leaves are copied in their order, all of them", async () => {
  const { page, finish } = await opened();
  await firstRowIs(page, "function", "forward_000000");
  const all = Array.from({ length: COUNT }, (_, number) => facts(number));
  const lines = await copied(page, "Copied 1,300 rows");
  assert.deepEqual(lines[0], ["Id", "Function", "File", "Line", "Status", "Attempts", "Ops", "Guards", "Seconds"]);
  assert.deepEqual(lines.slice(1), all.map((fact) => [
    `[${fact.id}]`, fact.function, fact.file, String(fact.line), fact.status, "1", String(fact.ops), String(fact.guards), String(fact.seconds),
  ]));
  const errors = all.filter(({ status }) => status === "error");
  await filterBy(page, "error", `${errors.length} of`);
  await sortBy(page, "ops");
  await firstRowIs(page, "ops", String(Math.max(...errors.map(({ ops }) => ops))));
  const few = await copied(page, `Copied ${errors.length} rows`);
  assert.deepEqual(few.slice(1).map((row) => Number(row[6])), errors.map(({ ops }) => ops).sort((left, right) => right - left));
  await finish();
});

test("the records that the filters leave are copied with the columns that show", async () => {
  const { page, finish } = await opened();
  await mark(page, "records-link").click();
  await mark(page, "record-row").first().waitFor();
  await mark(page, "columns").locator("summary").click();
  await mark(page, "column-origin").uncheck();
  await mark(page, "records-filter").fill("dynamo_output_graph");
  const graphs = Array.from({ length: COUNT }, (_, number) => facts(number)).filter(({ status }) => status !== "empty");
  await page.getByText(`${graphs.length.toLocaleString("en")} of`).waitFor();
  const lines = await copied(page, `Copied ${graphs.length.toLocaleString("en")} rows`);
  assert.deepEqual(lines[0], ["Line", "Time", "Kind", "Name", "Id", "Attempt", "Size"]);
  assert.deepEqual(lines.slice(1).map((row) => row[4]), graphs.map(({ id }) => `[${id}]`));
  await finish();
});

test("a table of more than 100,000 rows is cut, and says so", async () => {
  const one = Array.from({ length: 1000 }, (_, at) => record({ artifact: { name: `note_${at}`, encoding: "string" } })).join("");
  const { page, finish } = await opened(input("long.log", head() + one.repeat(101)));
  await mark(page, "records-link").click();
  await mark(page, "record-row").first().waitFor();
  const lines = await copied(page, "Copied 100,000 of 101,001 rows; more are not copied at once.");
  assert.equal(lines.length, 100_001);
  await finish();
});

test("artifacts are copied, and a name that is a formula stays a text", async () => {
  const at = { frame_id: 0, frame_compile_id: 0, attempt: 0 };
  const formula = "=HYPERLINK(1)\tb";
  const { page, finish } = await opened(input("formula.log", trace(1) + record({ artifact: { name: formula, encoding: "string" }, ...at }, "x")));
  await openCompilation(page, "[0/0]");
  const lines = await copied(page, "Copied 5 rows");
  assert.deepEqual(lines[0], ["Phase", "Artifact", "What it is", "Attempt", "Cache", "Bytes", "Line"]);
  assert.ok(lines.some((row) => row[1] === "'=HYPERLINK(1) b"), JSON.stringify(lines));
  assert.ok(lines.some((row) => row[1] === "fx_graph_cache_miss" && row[4] === "cache miss"), JSON.stringify(lines));
  await finish();
});

test("on paper tables stand whole, in light colours, without what is only for a screen", async () => {
  const { page, finish } = await browser.open({ colorScheme: "dark" });
  await dropAndRead(page, input("paper.log", trace(60, 3)));
  await firstRowIs(page, "function", "forward_000000");
  await page.emulateMedia({ media: "print" });
  await page.waitForFunction(() => document.querySelectorAll('[data-testid="row"] [data-column="id"]').length === 60);
  const seen = await page.evaluate(() => {
    const grid = document.querySelector('[data-testid="compilations"]');
    return {
      scheme: getComputedStyle(document.documentElement).colorScheme,
      window: getComputedStyle(grid).overflowY,
      cut: grid.scrollHeight - grid.clientHeight,
      tools: [...document.querySelectorAll(".bar, .filter, .copy-table")].filter((one) => one.getClientRects().length > 0).length,
      wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    };
  });
  assert.deepEqual(seen, { scheme: "light", window: "visible", cut: 0, tools: 0, wide: 0 });
  await finish();
});
