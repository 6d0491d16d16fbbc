// One box that searches everything: hits as they come, marked, counted, each a link to its line.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { allRead, chooseFiles, dropAndRead, finished, mark, openRepeated } from "./page.mjs";
import { browserForTests, drop, engineOf, fixture, input } from "./harness.mjs";
import { head, record, trace } from "./trace.mjs";

const browser = browserForTests();
before(browser.start);
after(browser.stop);

const path = fixture("torch-2.15.0", "rc_shape.log.gz");
const lines = gunzipSync(readFileSync(path)).toString().split("\n");
const holding = (text) => lines.filter((line) => line.toLowerCase().includes(text.toLowerCase())).length;

async function opened(file = path) {
  const session = await browser.open();
  await dropAndRead(session.page, file);
  await mark(session.page, "search-link").click();
  await mark(session.page, "search").waitFor();
  return session;
}

/** Waits until the search ended, and gives what the page says of it. */
async function said(page, state = "done") {
  await mark(page, "search-state").and(page.locator(`[data-state="${state}"]`)).waitFor();
  return mark(page, "search-state").innerText();
}

async function searchFor(page, text, state) {
  await mark(page, "search-box").fill(text);
  await page.waitForFunction((text_) => new URLSearchParams(location.hash.slice(1)).get("text") === (text_ || null), text);
  return said(page, state);
}

test("every line that holds the text is found once, counted and marked", async () => {
  const { page, finish } = await opened();
  assert.ok(holding("relu") > 20);
  assert.match(await searchFor(page, "relu"), new RegExp(`^${holding("relu")} lines in `));
  await mark(page, "search-hit").first().waitFor();
  const marks = await mark(page, "search-hit").locator("mark").allInnerTexts();
  assert.ok(marks.length > 5);
  assert.deepEqual([...new Set(marks.map((text) => text.toLowerCase()))], ["relu"]);
  // A line shows as it stands, with nothing between the mark and what is beside it.
  const text = await mark(page, "search-hit").locator(".hit-text").filter({ hasText: "relu" }).first().evaluate((node) => node.textContent);
  assert.ok(lines.some((line) => line.includes(text.trim())), text);
  assert.ok(!(await mark(page, "search-stop").isVisible()), "nothing is left to stop");
  await finish();
});

test("upper and lower case differ only where the reader says so, and the address keeps it", async () => {
  const { page, finish } = await opened();
  assert.match(await searchFor(page, "RELU"), new RegExp(`^${holding("relu")} lines`));
  await mark(page, "search-case").check();
  await page.getByText("holds this text in this case").waitFor();
  assert.match(await said(page), /^0 lines/);
  assert.match(page.url(), /view=search&text=RELU&case=matters/);
  await mark(page, "search-case").uncheck();
  await mark(page, "search-hit").first().waitFor();
  await finish();
});

test("a hit leads to its line in the text, a record to the record", async () => {
  const { page, finish } = await opened();
  await searchFor(page, "class GraphModule");
  const row = mark(page, "search-hit").first();
  const number = (await row.locator("a").innerText()).replaceAll(",", "");
  await row.locator(".hit-text").click();
  await mark(page, "text").waitFor();
  const chosen = page.locator('[data-testid="text-row"]', { hasText: "class GraphModule" }).first();
  await chosen.waitFor();
  assert.equal((await chosen.locator(".code-line").innerText()).trim(), number);
  assert.match(page.url(), new RegExp(`lines=${number}&find=class%20GraphModule$`));
  await page.goBack();
  await mark(page, "search-record").first().locator("a").first().click();
  await mark(page, "record").waitFor();
  await finish();
});

test("hits in metadata lead to the record", async () => {
  const { page, finish } = await opened(input("meta.log",
    head() + record({ artifact: { name: "needle_in_metadata", encoding: "string" } }, "nothing here")));
  assert.match(await searchFor(page, "needle_in"), /^1 line in/);
  await mark(page, "search-hit").locator(".hit-text").click();
  await mark(page, "record").waitFor();
  await mark(page, "text-row").filter({ hasText: "needle_in_metadata" }).first().waitFor();
  await finish();
});

test("hits are grouped by record, with the compilation, and by log where several are open", async () => {
  const { page, finish } = await browser.open();
  const note = (text) => record({ artifact: { name: "note", encoding: "string" }, frame_id: 3, frame_compile_id: 0, attempt: 0 }, text);
  await drop(page, [
    input("first.log", head() + note("needle one\nneedle two\nhay") + note("needle three")),
    input("second.log", head() + note("hay\nneedle four")),
  ]);
  await allRead(page, 2);
  await mark(page, "search-link").click();
  assert.match(await searchFor(page, "needle"), /^4 lines in/);
  const groups = await mark(page, "search-record").allInnerTexts();
  assert.equal(groups.length, 3, groups.join("\n"));
  assert.ok(groups.every((group) => group.includes("note") && group.includes("[3/0]")), groups.join("\n"));
  assert.deepEqual(groups.map((group) => group.match(/first|second/)?.[0]), ["first", "first", "second"]);
  assert.deepEqual(await mark(page, "search-hit").locator("a").allInnerTexts(), ["1", "2", "1", "2"]);
  await finish();
});

test("a log's markup in a hit is text", async () => {
  const { page, finish } = await opened(input("nasty.log",
    head() + record({ artifact: { name: "<b>note</b>", encoding: "string" } }, '<img src=x onerror="globalThis.hit = 1"> needle')));
  await searchFor(page, "needle");
  assert.match(await mark(page, "search-hit").innerText(), /<img src=x onerror/);
  assert.equal(await page.locator("main img, main b").count(), 0);
  await finish();
});

test("nothing found, nothing typed and nothing open are each said", async () => {
  const { page, finish } = await browser.open();
  await mark(page, "search-link").click();
  await page.getByText("No log is open").waitFor();
  await chooseFiles(page, [path]);
  await finished(page);
  await page.keyboard.press("Escape");
  await mark(page, "search-link").click();
  await page.getByText("Looks through every line").waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.dataset.testid), "search-box", "the box has the focus");
  assert.match(await searchFor(page, "no line holds this"), /^0 lines/);
  await mark(page, "search-nothing").waitFor();
  await mark(page, "search-box").fill("");
  await page.getByText("Looks through every line").waitFor();
  await mark(page, "search-nothing").waitFor({ state: "detached" });
  await finish();
});

test("at 5,000 hits the search stops and says so; few rows are in the document", async () => {
  const { page, finish } = await opened(input("full.log", trace(500, 40)));
  assert.match(await searchFor(page, "torch.sin", "full"), /Stopped at 5,000 hits/);
  await mark(page, "search-hit").first().waitFor();
  assert.ok((await mark(page, "search-row").count()) < 200);
  await mark(page, "hits").focus();
  await page.keyboard.press("End");
  await page.waitForFunction(() => document.querySelectorAll('[data-testid="search-row"]').length < 200
    && [...document.querySelectorAll('[data-testid="search-row"]')].some((row) => Number(row.dataset.row) > 5000));
  await finish();
});

test("a search can be stopped, and a new one starts afresh", async () => {
  const { page, finish } = await browser.open();
  await openRepeated(page, "large.log", trace(200, 400), 30);
  await finished(page);
  await mark(page, "search-link").click();
  await mark(page, "search-box").waitFor();
  // Presses the button in the frame in which it comes.
  await page.evaluate(() => {
    const press = () => {
      const stop = document.querySelector('[data-testid="search-stop"]');
      if (stop && !stop.classList.contains("away")) stop.click();
      else requestAnimationFrame(press);
    };
    press();
  });
  assert.match(await searchFor(page, "a text that is nowhere", "stopped"), /before you stopped/);
  assert.equal(await mark(page, "search-nothing").count(), 0, "what was not searched may hold it");
  assert.match(await searchFor(page, "nor is this one"), /^0 lines/);
  await finish();
});

test("the slash goes to the filter, or to the search where there is none", async () => {
  const { page, finish } = await browser.open();
  await dropAndRead(page, path);
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement.dataset.testid), "filter");
  await page.getByRole("link", { name: "Stacks", exact: true }).click();
  await mark(page, "stacks").waitFor();
  await page.keyboard.press("/");
  await mark(page, "search").waitFor();
  await page.waitForFunction(() => document.activeElement.dataset.testid === "search-box");
  await page.keyboard.type("relu");
  await mark(page, "search-hit").first().waitFor();
  await finish();
});

test("a search from a link runs when its log is opened", async () => {
  const { page, finish } = await browser.open({ at: "#v=1&view=search&text=relu" });
  await mark(page, "search").waitFor();
  assert.equal(await mark(page, "search-box").inputValue(), "relu");
  await finish();
});

test("a search ends with a sentence when the engine breaks off, and so does the next one", async () => {
  const { page, said: console_, context } = await browser.open();
  await openRepeated(page, "large.log", trace(200, 400), 60);
  await finished(page);
  await mark(page, "search-link").click();
  await mark(page, "search-box").fill("a text that is nowhere");
  await mark(page, "search-state").and(page.locator('[data-state="searching"]')).waitFor();
  await engineOf(page).evaluate(() => { setTimeout(() => { throw new Error("out of memory"); }, 0); });
  assert.match(await said(page, "failed"), /broke off/);
  await mark(page, "search-box").fill("another text");
  await page.waitForFunction(() => location.hash.includes("another"));
  assert.match(await said(page, "failed"), /broke off/);
  assert.ok(console_.every((line) => /out of memory/.test(line)), `${console_}`);
  await context.close();
});
