// The text of a payload: colours, finding, lines, wrapping, laying out, copying, saving; of any size.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { browserForTests, fixture, input } from "./harness.mjs";
import { chooseFiles, dropAndRead, mark, openArtifact, openCompilation, textRows } from "./page.mjs";
import { graph, head, record } from "./trace.mjs";

const browser = browserForTests();
before(browser.start);
after(browser.stop);

/** Opens a log that holds one text, and shows it. */
async function shown(text, metadata = { artifact: { name: "note", encoding: "string" } }) {
  const session = await browser.open();
  await dropAndRead(session.page, input("one.log", head() + record(metadata, text)));
  await session.page.evaluate(() => { location.hash = "#v=1&log=0&view=text&record=1"; });
  await mark(session.page, "text-row").first().waitFor();
  return session;
}

async function find(page, text, state = "done") {
  await mark(page, "find").fill(text);
  await page.waitForFunction((text_) => new URLSearchParams(location.hash.slice(1)).get("find") === text_, text);
  await mark(page, "find-state").and(page.locator(`[data-state="${state}"]`)).waitFor();
  return mark(page, "find-state").innerText();
}

const lineOf = (page) => mark(page, "match").locator("xpath=ancestor::*[@data-testid='text-row']").locator(".code-line");

test("a graph is coloured, and its annotations say what they mean", async () => {
  const { page, finish } = await browser.open();
  await dropAndRead(page, fixture("torch-2.15.0", "rc_shape.log.gz"));
  await openCompilation(page, "[0/0]");
  await openArtifact(page, "dynamo_output_graph");
  await page.locator(".code .c-keyword", { hasText: "class" }).first().waitFor();
  const note = page.locator(".code .c-annotation").first();
  assert.match(await note.getAttribute("title"), /^(tensor|Parameter) of float32/);
  await note.locator("xpath=ancestor::*[@data-testid='text-row']").locator(".code-line").click();
  assert.match(await mark(page, "line-notes").innerText(), /f32\[4, 3\].*: tensor of float32, shape \[4, 3\]/);
  await finish();
});

test("a kernel within output code is coloured as code, not as one string", async () => {
  const { page, finish } = await shown(
    "async_compile = AsyncCompile()\nk = async_compile.triton('k', '''\nimport triton\ndef k(x):\n    return x + 1\n''', device_str='cuda')\nx = 2",
    { inductor_output_code: { filename: "/tmp/c.py" } });
  const keywords = await page.locator(".code .c-keyword").allInnerTexts();
  assert.deepEqual(keywords.filter((word) => ["import", "def", "return"].includes(word)).sort(), ["def", "import", "return"]);
  await finish();
});

test("what is found is counted, marked and walked through in a circle", async () => {
  const { page, finish } = await shown(["one", "two one", "three", "ONE one_", "four"].join("\n"));
  assert.equal(await find(page, "one"), "1 of 4");
  assert.equal(await page.locator(".code mark").count(), 4);
  await mark(page, "find-next").click();
  assert.equal(await mark(page, "find-state").innerText(), "2 of 4");
  assert.equal((await lineOf(page).innerText()).trim(), "2");
  await mark(page, "find").press("Shift+Enter");
  await mark(page, "find").press("Shift+Enter");
  assert.equal(await mark(page, "find-state").innerText(), "4 of 4");
  await mark(page, "find").press("Enter");
  assert.equal(await mark(page, "find-state").innerText(), "1 of 4");
  await mark(page, "find-case").check();
  await page.waitForFunction(() => document.querySelector('[data-testid="find-state"]').textContent === "1 of 3");
  await mark(page, "find-word").check();
  await page.waitForFunction(() => document.querySelector('[data-testid="find-state"]').textContent === "1 of 2");
  await finish();
});

test("a regular expression finds; a broken one says what is wrong", async () => {
  const { page, finish } = await shown("a1\nb22\nc333");
  await mark(page, "find-regex").check();
  assert.equal(await find(page, "[0-9]{2,}"), "1 of 2");
  assert.match(await find(page, "(", "refused"), /unclosed|parenthes|group/i);
  assert.equal(await find(page, "zzz"), "Not found");
  await finish();
});

test("what is looked for is part of the address, and there again after a reload", async () => {
  const { page, context } = await shown("one\ntwo\nthree");
  await find(page, "t");
  await mark(page, "find-case").check();
  await page.waitForFunction(() => location.hash.includes("case=matters"));
  assert.match(page.url(), /view=text&record=1&find=t&case=matters/);
  await page.reload();
  await chooseFiles(page, [input("one.log", head() + record({ artifact: { name: "note", encoding: "string" } }, "one\ntwo\nthree"))]);
  await mark(page, "find-state").and(page.locator('[data-state="done"]')).waitFor();
  assert.equal(await mark(page, "find").inputValue(), "t");
  assert.equal(await mark(page, "find-state").innerText(), "1 of 2");
  assert.ok(await mark(page, "find-case").isChecked());
  // A reload asks for the page again, which `finish` would not allow.
  await context.close();
});

test("a place far below and far to the right comes into the window", async () => {
  const rows = Array.from({ length: 5000 }, (_, at) => (at === 4000 ? `${"x".repeat(1500)}needle` : `row ${at}`));
  const { page, finish } = await shown(rows.join("\n"));
  assert.equal(await find(page, "needle"), "1 of 1");
  await mark(page, "match").waitFor();
  assert.equal((await lineOf(page).innerText()).trim(), "4001");
  await page.waitForFunction(() => {
    const there = document.querySelector('[data-testid="match"]').getBoundingClientRect();
    const pane = document.querySelector(".code").getBoundingClientRect();
    return there.left >= pane.left && there.right <= pane.right && there.top >= pane.top && there.bottom <= pane.bottom;
  });
  await finish();
});

test("lines are pointed at by press, by shift and press, and by number; the address keeps them", async () => {
  const { page, finish } = await shown(Array.from({ length: 300 }, (_, at) => `row ${at + 1}`).join("\n"));
  const number = (line) => page.locator(".code-line", { hasText: new RegExp(`^${line}$`) });
  await number(3).click();
  await page.waitForFunction(() => location.hash.endsWith("lines=3"));
  await number(6).click({ modifiers: ["Shift"] });
  await page.waitForFunction(() => location.hash.endsWith("lines=3-6"));
  await page.waitForFunction(() => document.querySelectorAll(".code-row.chosen").length === 4);
  await mark(page, "lines").fill("250");
  await mark(page, "lines").press("Enter");
  await page.waitForFunction(() => location.hash.endsWith("lines=250"));
  await page.locator(".code-row.chosen", { hasText: "row 250" }).waitFor();
  await finish();
});

test("a line behind a long one is found by its number, and a wrapped text keeps its line numbers", async () => {
  const { page, finish } = await shown(`${"long ".repeat(2000)}\nsecond\nthird`);
  await mark(page, "lines").fill("2");
  await mark(page, "lines").press("Enter");
  await page.locator(".code-row.chosen", { hasText: "second" }).waitFor();
  const before = (await textRows(page)).length;
  await mark(page, "wrap").check();
  await page.waitForFunction((before_) => document.querySelectorAll(".code-row").length > before_, before);
  await page.waitForFunction(() => {
    const pane = document.querySelector(".code");
    return pane.scrollWidth <= pane.clientWidth + 1;
  });
  await page.locator(".code-row.chosen", { hasText: "second" }).waitFor();
  await page.setViewportSize({ width: 500, height: 800 });
  await page.waitForFunction(() => {
    const pane = document.querySelector(".code");
    return [...pane.querySelectorAll(".code-row")].every((row) => row.querySelector(".code-text").scrollWidth <= pane.clientWidth);
  });
  await finish();
});

test("JSON is laid out in its own key order, and what is none says where", async () => {
  const { page, finish } = await shown('{"z": {"deep": [1, {"y": 2}]}, "a": "text"}');
  await mark(page, "pretty").check();
  await page.waitForFunction(() => document.querySelectorAll(".code-row").length > 3);
  const text = (await textRows(page)).map(([, line]) => line).join("\n");
  assert.deepEqual(JSON.parse(text), { z: { deep: [1, { y: 2 }] }, a: "text" });
  assert.ok(text.indexOf("z") < text.indexOf('"a"'));
  assert.match(page.url(), /form=pretty/);
  await finish();
  const broken = await shown(`{"a": [${"1, ".repeat(3000)}2], "b": oops}`);
  await mark(broken.page, "pretty").check();
  await broken.page.locator(".trouble").waitFor();
  assert.match(await broken.page.locator(".trouble").innerText(), /JSON/);
  await broken.finish();
});

test("a text is saved byte for byte under a safe name, and lines are copied", async () => {
  const text = `first\n${graph(30)}\nlast`;
  const { page, context, finish } = await shown(text, { artifact: { name: "../<b>evil\u202e", encoding: "string" } });
  const [file] = await Promise.all([page.waitForEvent("download"), mark(page, "save-text").click()]);
  assert.match(file.suggestedFilename(), /^[A-Za-z0-9._-]+$/);
  assert.ok(!file.suggestedFilename().startsWith("."));
  const saved = readFileSync(await file.path());
  assert.equal(createHash("md5").update(saved).digest("hex"), createHash("md5").update(text).digest("hex"));
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await mark(page, "lines").fill("1-2");
  await mark(page, "lines").press("Enter");
  await page.waitForFunction(() => location.hash.endsWith("lines=1-2"));
  await mark(page, "copy-text").click();
  await page.locator(".brief", { hasText: "copied" }).waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), text.split("\n").slice(0, 2).join("\n"));
  await finish();
});

test("Ctrl+F goes to the box, and Escape back to the text", async () => {
  const { page, finish } = await shown("one\ntwo");
  await page.keyboard.press("Control+f");
  assert.equal(await page.evaluate(() => document.activeElement.dataset.testid), "find");
  await page.keyboard.press("Escape");
  assert.equal(await page.evaluate(() => document.activeElement.className), "code");
  await finish();
});

test("one line of 5 MB is shown, wrapped and searched", async () => {
  const { page, finish } = await shown(`${"abcd ".repeat(1_000_000)}needle`);
  assert.equal(await find(page, "needle"), "1 of 1");
  await mark(page, "match").waitFor();
  await mark(page, "wrap").check();
  await mark(page, "match").waitFor();
  await finish();
});

test("finding in a large text says how far it is, and stops when the reader says so", async () => {
  const { page, finish } = await shown(Array.from({ length: 60 }, () => graph(8_000)).join("\n"));
  await mark(page, "find-regex").check();
  await mark(page, "find").fill("([a-z]+[0-9]*)+ = nothing");
  await mark(page, "find-state").filter({ hasText: "%" }).waitFor();
  await mark(page, "find-stop").click();
  await mark(page, "find-state").and(page.locator('[data-state="stopped"]')).waitFor();
  assert.ok(!(await mark(page, "find-stop").isVisible()));
  await finish();
});

test("finding stops at its limit and says so", async () => {
  const { page, finish } = await shown(Array.from({ length: 40 }, () => graph(8_000)).join("\n"));
  await mark(page, "find").fill("sin");
  await mark(page, "find-state").and(page.locator('[data-state="full"]')).waitFor({ timeout: 30_000 });
  assert.match(await mark(page, "find-state").innerText(), /^1 of 100,000, the first 100000/);
  await finish();
});
