// The table of compilations: sorted and filtered by the engine, drawn only where it is on the screen.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { browserForTests, input } from "./harness.mjs";
import { dropAndRead, factIs, filterBy, firstRowIs, mark, rows, sortBy } from "./page.mjs";
import { facts, trace } from "./trace.mjs";

const COUNT = 5000;
const all = Array.from({ length: COUNT }, (_, number) => facts(number));
const path = input("many.log", trace(COUNT, 3));

const browser = browserForTests();
before(browser.start);
after(browser.stop);

async function opened() {
  const session = await browser.open();
  await dropAndRead(session.page, path);
  await firstRowIs(session.page, "function", "forward_000000");
  return session;
}

test("rows show what the log says", async () => {
  const { page, finish } = await opened();
  const shown = await rows(page);
  for (const number of [0, 1, 3, 4]) {
    const { id, function: name, status, ops, guards } = all[number];
    const row = shown[number];
    assert.equal(row.id, `[${id}]`);
    assert.equal(row.function, name);
    assert.match(row.place, new RegExp(`layer_${number % 7}\\.py:${10 + number}$`));
    assert.equal(row.status, status);
    assert.equal(row.attempts, "1");
    assert.equal(row.ops, String(ops));
    assert.equal(row.guards, String(guards));
  }
  await factIs(page, "compilations", "5,000");
  await factIs(page, "failures", "1,000");
  await finish();
});

test("only rows on the screen are in the document, from the first to the last", async () => {
  const { page, finish } = await opened();
  assert.ok(await mark(page, "row").count() < 100);
  const table = mark(page, "compilations");
  assert.equal(await table.getAttribute("aria-rowcount"), String(COUNT + 1));
  for (const share of [0.5, 1]) {
    await table.evaluate((element, part) => { element.scrollTop = element.scrollHeight * part; }, share);
    await page.waitForFunction(([wanted]) => [...document.querySelectorAll('[data-testid="row"]')]
      .some((row) => Number(row.dataset.row) >= wanted && row.querySelector('[data-column="function"]')), [Math.floor(share * (COUNT - 60))]);
    assert.ok(await mark(page, "row").count() < 100);
  }
  assert.equal((await rows(page)).at(-1).function, "forward_004999");
  await finish();
});

const number = (left, right) => left - right;
const text = (left, right) => (left < right ? -1 : Number(left > right));
for (const [column, value, compare, shown] of [
  ["ops", (fact_) => fact_.ops, number, (row) => row.ops],
  ["guards", (fact_) => fact_.guards, number, (row) => row.guards],
  ["function", (fact_) => fact_.function, text, (row) => row.function],
]) {
  test(`sorting by ${column}, both ways`, async () => {
    const { page, finish } = await opened();
    const sorted = all.map(value).sort(compare).map(String);
    const header = page.locator(`[role="columnheader"][data-column="${column}"]`);
    for (let press = 0; press < 2; press += 1) {
      await sortBy(page, column);
      const direction = await header.getAttribute("aria-sort");
      const wanted = direction === "ascending" ? sorted : [...sorted].reverse();
      await firstRowIs(page, column, wanted[0]);
      const there = (await rows(page)).map(shown).slice(0, 20);
      assert.deepEqual(there, wanted.slice(0, there.length), direction);
    }
    assert.deepEqual(new Set([await header.getAttribute("aria-sort")]).size, 1);
    await finish();
  });
}

test("sorting by compile time finds the slowest", async () => {
  const { page, finish } = await opened();
  const slowest = all.reduce((most, fact_) => (fact_.seconds > most.seconds ? fact_ : most));
  await sortBy(page, "seconds");
  await firstRowIs(page, "function", slowest.function);
  await finish();
});

test("a filter leaves the rows that hold all its words", async () => {
  const { page, finish } = await opened();
  await filterBy(page, "forward_00123", "10 of");
  assert.deepEqual((await rows(page)).map((row) => row.function), Array.from({ length: 10 }, (_, at) => `forward_00123${at}`));
  const errors = all.filter(({ status, file }) => status === "error" && file.endsWith("layer_3.py")).length;
  await filterBy(page, "error layer_3", `${errors} of`);
  assert.ok((await rows(page)).every((row) => row.status === "error" && row.place.includes("layer_3.py")));
  await filterBy(page, "no such function", "0 of");
  assert.deepEqual(await rows(page), []);
  await filterBy(page, "", "5,000 comp");
  await firstRowIs(page, "function", "forward_000000");
  await finish();
});

test("order and filter are in the address, and come back with it", async () => {
  const { page, finish } = await opened();
  await filterBy(page, "error", "1,000 of");
  await sortBy(page, "ops");
  const most = String(Math.max(...all.filter(({ status }) => status === "error").map(({ ops }) => ops)));
  await firstRowIs(page, "ops", most);
  const address = page.url();
  await mark(page, "row").first().click();
  await mark(page, "status").waitFor();
  await page.goBack();
  await firstRowIs(page, "ops", most);
  assert.equal(page.url(), address);
  assert.equal(await mark(page, "filter").inputValue(), "error");
  await finish();
});

test("the table is used with the keyboard alone", async () => {
  const { page, finish } = await opened();
  await mark(page, "compilations").focus();
  for (const key of ["ArrowDown", "ArrowDown", "ArrowUp", "End", "ArrowUp", "Home", "ArrowDown"]) await page.keyboard.press(key);
  await page.waitForFunction(() => document.querySelector('[data-testid="row"][aria-selected="true"]')?.dataset.row === "1");
  await page.keyboard.press("Enter");
  await mark(page, "status").waitFor();
  assert.match(await page.locator("main h1").innerText(), /\[1\/0\]/);
  await finish();
});
